"""What every solving command does: read the model, ask, write the answer, print it, and say how it ended."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pliant.cli.answer import print_json, print_summary, print_written, write_answer
from pliant.cli.options import (
    PICTURES,
    SUFFIXES,
    TABLES,
    json_option,
    max_size_option,
    model_argument,
    output_option,
    plot_option,
    quiet_option,
    same_file,
    set_option,
    spelled_now,
)
from pliant.cli.watch import Watch
from pliant.core.errors import InputError
from pliant.core.progress import Interrupted, silent
from pliant.core.status import INTERRUPTED

if TYPE_CHECKING:
    from pliant.core.progress import Progress


@dataclass(frozen=True)
class Common:
    """What every solving command is given beside its own flags."""

    model: Path
    outputs: tuple[Path, ...]
    json_to: str | None
    quiet: bool
    max_bytes: int
    parameters: Mapping[str, str]  # that --set gave other values
    chart: str | None = None  # that --plot names

    @property
    def written(self) -> tuple[Path, ...]:
        """Every file that will be written."""
        return (*self.outputs, *([Path(self.json_to)] if self.json_to and self.json_to != "-" else []))


def solving_command(
    suffixes: tuple[str, ...] = SUFFIXES,
) -> Callable[[Callable[..., int]], Callable[..., None]]:
    """Give a command the model and the options all share, gathered, and exit with what it returns."""

    def decorate(command: Callable[..., int]) -> Callable[..., None]:
        @wraps(command)
        def gathered(
            model: Path,
            outputs: tuple[Path, ...],
            json_to: str | None,
            quiet: bool,
            max_bytes: int,
            parameters: Mapping[str, str],
            chart: str | None,
            **own: Any,
        ) -> None:
            common = Common(model, outputs, json_to, quiet, max_bytes, parameters, chart)
            click.get_current_context().exit(command(common, **spelled_now(own, quiet)))

        shared = set_option, json_option, plot_option, output_option(suffixes=suffixes)
        for option in (max_size_option, quiet_option, *shared):
            gathered = option(gathered)
        return model_argument(gathered)

    return decorate


def run(
    command: str,
    common: Common,
    ask: Callable[[Any, Progress], Any],
    flags: Mapping[str, str],
) -> int:
    """Ask for a result and give it out; the exit code.

    `flags` are the flags that stand for keys of the study, so that a fault names the flag.
    """
    from pliant.files import load
    from pliant.files.kinds import check_command
    from pliant.files.parse import named_file

    same_file(common.written, common.model)
    model = load(common.model, max_bytes=common.max_bytes, parameters=common.parameters)
    check_command(model.kind, command, named_file(common.model))
    result: Any
    stopped = False
    with Watch(common.quiet) as watch:
        try:
            result = ask(model, watch)
        except Interrupted as interruption:
            result, stopped = interruption.result, True
        except InputError as error:
            raise _name_source(error, named_file(common.model), flags) from None
        stopped = stopped or watch.asked_to_stop
    _give_out(result, common, stopped)
    return INTERRUPTED if stopped else result.status.exit_code


def _name_source(error: InputError, source: str, flags: Mapping[str, str]) -> InputError:
    """Name the flag where a flag is at fault, and the file where the file is."""
    if error.source:
        return error
    keys = (re.split(r"[.\[]", fault.where.removeprefix("study."))[0] for fault in error.faults)
    faults = [
        replace(fault, where=flags.get(key, fault.where))
        for key, fault in zip(keys, error.faults, strict=True)
    ]
    return InputError(faults, "" if all(fault.where in flags.values() for fault in faults) else source)


def _chart_named(result: Any, name: str | None) -> Any:
    """A chart of the result, or an InputError that names the flag and those that there are."""
    try:
        return result.plot(name)
    except InputError as error:
        raise InputError([replace(error.faults[0], where="--plot")]) from None


def _give_out(result: Any, common: Common, stopped: bool) -> None:
    """Write and print a result: what is there at once first, then pictures and films.

    Of work that was stopped, who stopped it waits for the answer, not for the film of it.
    """
    from pliant.core.store import write_json
    from pliant.files import result_data, save

    asked = common.json_to or any(path.suffix.lower() == ".json" for path in common.outputs)
    data: dict[str, Any] = result_data(result) if asked else {}
    models = [path for path in common.outputs if path.suffix.lower() == ".toml"]
    for path in models:
        save(result.model, path)
    if common.json_to == "-":
        print_json(data)
    elif common.json_to:
        write_json(common.json_to, data)
    tells = not common.quiet and common.json_to != "-"
    if tells and stopped:
        print_summary(result.summary())
    drawn = [path for path in common.outputs if path not in models]
    charts = [path for path in drawn if common.chart and path.suffix.lower() in (*PICTURES, *TABLES)]
    if charts:
        write_answer(_chart_named(result, common.chart), charts, silent)
    if rest := [path for path in drawn if path not in charts]:
        with Watch(common.quiet) as watch:
            plots = list(result.plots().values())
            write_answer(result.motion, rest, watch, data=data, plots=plots, said=result)
    if tells and not stopped:
        print_summary(result.summary())
    if not common.quiet:
        print_written(common.written)
