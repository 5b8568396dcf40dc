"""Print the lowest version of each library that pyproject.toml allows, as constraints for pip.

    python tests/lowest.py > lowest.txt
    pip install --constraint lowest.txt --editable '.[dev]'

What pliant needs to run is held at its bound, and so is what the tests import. Tools that only read the
sources (ruff, pyright, import-linter) are not: what they ask for changes from version to version.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PYPROJECT = Path(__file__).parents[1] / "pyproject.toml"
BOUND = re.compile(r"(?P<name>[\w.-]+)(\[[\w,]+\])?>=(?P<version>[\d.]+)")
OWN = re.compile(r"pliant\[(?P<extras>[\w,]+)\]")
TOOLS = {"ruff", "pyright", "import-linter"}


def lowest(requirements: list[str]) -> Iterator[str]:
    """The constraint that holds each library at its bound; one without a bound is an error."""
    for requirement in requirements:
        bound = BOUND.fullmatch(requirement)
        if bound is None:
            raise SystemExit(f"pyproject.toml: {requirement} has not one lower bound. Write name>=version.")
        if bound["name"] not in TOOLS:
            yield f"{bound['name']}=={bound['version']}"


def required(project: dict[str, Any], extra: str) -> Iterator[str]:
    """What an extra asks for; for extras that it names itself, what these ask for."""
    for requirement in project["optional-dependencies"][extra]:
        if own := OWN.fullmatch(requirement):
            for name in own["extras"].split(","):
                yield from required(project, name)
        else:
            yield requirement


def main() -> None:
    project = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]
    wanted = [*project["dependencies"], *required(project, "dev"), *required(project, "slow")]
    sys.stdout.writelines(f"{line}\n" for line in dict.fromkeys(lowest(wanted)))


if __name__ == "__main__":
    main()
