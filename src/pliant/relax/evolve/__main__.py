"""Evolve a machine and write it as JSON: python -m pliant.relax.evolve line --seed 0."""

from __future__ import annotations

import argparse
import json
import sys

from pliant.relax.evolve import crawler, straight_line

GOALS = {"line": straight_line, "crawler": crawler}


def main(arguments: list[str] | None = None) -> None:
    """Print the best machine; how the search goes on is told on stderr."""
    parser = argparse.ArgumentParser(prog="python -m pliant.relax.evolve", description=__doc__)
    parser.add_argument("goal", choices=GOALS)
    parser.add_argument("--seed", type=int, default=0)
    for name in ("--generations", "--population"):
        parser.add_argument(name, type=int, help="default: as the search has it")
    given = {name: value for name, value in vars(parser.parse_args(arguments)).items() if value is not None}
    goal = given.pop("goal")

    def progress(done: int, total: int | None, text: str) -> None:
        sys.stderr.write(f"{done}/{total} {text}\n")

    found = GOALS[goal](**given, progress=progress)
    options = "".join(f" --{name} {value}" for name, value in given.items())
    json.dump({**found.to_dict(), "command": f"{parser.prog} {goal}{options}"}, sys.stdout, indent=1)


if __name__ == "__main__":
    main()
