"""What Python asks of a sweep, a search or samples: each argument as it has to be, or refused in words."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pliant.core.given import given_path, given_table, given_text, given_texts


def asked_model(model: object) -> Path:
    """The path of a model's file, which other processes read."""
    return given_path(model, "model", "Give the path of its file, which pliant.save(model, path) writes")


def asked_ranges(ranges: object) -> Mapping[str, Any]:
    """Values by parameter or key path."""
    return given_table(ranges, "ranges", 'Give values by parameter, such as {"a": [1, 2, 3]}')


def asked_figures(report: object) -> list[str]:
    """Names of figures."""
    return given_texts(report, "report", 'Give a list of figures, such as ["objective"]')


def asked_limits(limits: object) -> list[str]:
    """Limits in words."""
    return given_texts(limits, "limits", 'Give a list of limits, such as ["objective <= 0.3"]')


def asked_command(command: object) -> str | None:
    """The name of a command; None is the one that solves the kind."""
    return None if command is None else given_text(command, "command", 'Name a command, such as "play"')
