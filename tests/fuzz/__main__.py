"""Break gallery files and see what pliant makes of them: python -m tests.fuzz [options].

    python -m tests.fuzz --files 40000 --solves 6            one file in six is solved, too
    python -m tests.fuzz --replay out/fuzz/linkage-12.json   one file again, as it was left

Ends with what was tried and found, by sort; the files that broke are left in the folder.
"""

# ruff: noqa: T201
from __future__ import annotations

import argparse
import sys
import time
from itertools import islice
from pathlib import Path

from tests.fuzz.campaign import Tally, cases, run
from tests.fuzz.mutations import KINDS


def main() -> int:
    """Exit 1 where something was found."""
    asked = _parser().parse_args()
    if asked.replay:
        return _replay(asked.replay)
    asked.output.mkdir(parents=True, exist_ok=True)
    todo = islice(cases(asked.kinds, asked.seed, asked.solves, asked.draws), asked.files)
    tally = run(todo, asked.output, asked.limit, asked.processes, _progress(asked.files))
    print(file=sys.stderr)
    print(tally.table())
    return 1 if tally.findings else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__.split("\n")[0])
    parser.add_argument("--files", type=int, default=2000, help="how many")
    parser.add_argument("--seed", type=int, default=1, help="of the first file")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=KINDS)
    parser.add_argument("--solves", type=int, default=1, metavar="N", help="solve one in N")
    parser.add_argument("--draws", type=int, default=10, metavar="N", help="draw one in N of those")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds of processor time a file may take")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--replay", type=Path, help="try one file again")
    parser.add_argument("-o", "--output", type=Path, default=Path("out/fuzz"))
    return parser


def _progress(files: int):
    began = last = time.monotonic()

    def tell(tally: Tally) -> None:
        nonlocal last
        if time.monotonic() - last < 2:
            return
        last = time.monotonic()
        found = f"{tally.files}/{files} files, {tally.solves} solves, {len(tally.findings)} findings"
        print(f"\r{found}, {last - began:.0f} s ", end="", file=sys.stderr, flush=True)

    return tell


def _replay(path: Path) -> int:
    from tests.fuzz.trial import tried

    trial = tried(path, True, True)
    print(trial.outcome)
    for finding in trial.findings:
        print(f"{finding.label}: {finding.text}")
    return 1 if trial.findings else 0


if __name__ == "__main__":
    sys.exit(main())
