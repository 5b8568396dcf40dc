"""Break model files and see what pliant makes of them: python -m tests.fuzz [options].

    python -m tests.fuzz --files 40000 --solves 3            one file in three is solved, too
    python -m tests.fuzz --seconds 3600                      an hour, from where the last one ended
    python -m tests.fuzz --replay out/fuzz/linkage-12.json   one file again, as it was left

Ends with what was tried and found by this version of the code, also in runs before, by sort; `tally.json` in
the folder has it while it goes on, and the files that broke are beside it.
"""

# ruff: noqa: T201
from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from itertools import islice, takewhile
from pathlib import Path

from tests.fuzz.campaign import Case, cases, run
from tests.fuzz.mutations import KINDS, keys_by_table
from tests.fuzz.tally import Ledger, Tally

OFTEN = 10.0  # seconds after which the tally is written again


def main() -> int:
    """Exit 1 where something was found."""
    asked = _parser().parse_args()
    if asked.replay:
        return _replay(asked.replay)
    asked.output.mkdir(parents=True, exist_ok=True)
    ledger = Ledger(asked.output / "tally.json")
    before = len(ledger.tally.findings)
    first = ledger.next_seed if asked.seed is None else asked.seed
    todo = cases(asked.kinds, first, asked.solves, asked.full, asked.draws)
    try:
        run(_within(todo, asked), asked.output, asked.limit, asked.processes, _progress(ledger), ledger.tally)
    finally:
        ledger.write()
    print(file=sys.stderr)
    print(ledger.tally.table())
    print(ledger.tally.usage({kind: keys_by_table(kind) for kind in asked.kinds}))
    return 1 if len(ledger.tally.findings) > before else 0


def _within(todo: Iterator[Case], asked: argparse.Namespace) -> Iterator[Case]:
    """As many cases as are wanted, or as many as there is time for."""
    if asked.seconds is None:
        return islice(todo, asked.files or 2000)
    end = time.monotonic() + asked.seconds
    return islice(takewhile(lambda _: time.monotonic() < end, todo), asked.files)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__.split("\n")[0])
    parser.add_argument("--files", type=int, help="how many (2000, if no --seconds are given)")
    parser.add_argument("--seconds", type=float, help="how long")
    parser.add_argument("--seed", type=int, help="of the first file (the one after the last in the folder)")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=KINDS)
    parser.add_argument("--solves", type=int, default=3, metavar="N", help="solve one in N")
    parser.add_argument("--full", type=int, default=16, metavar="N", help="solve one in N of those in full")
    parser.add_argument("--draws", type=int, default=4, metavar="N", help="draw one in N of those")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds of processor time a file may take")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--replay", type=Path, help="try one file again")
    parser.add_argument("-o", "--output", type=Path, default=Path("out/fuzz"))
    return parser


def _progress(ledger: Ledger) -> Callable[[Case, Tally], None]:
    began = last = time.monotonic()

    def tell(case: Case, tally: Tally) -> None:
        nonlocal last
        ledger.next_seed = max(ledger.next_seed, case.seed + 1)
        if time.monotonic() - last < OFTEN:
            return
        last = time.monotonic()
        ledger.write()
        found = f"{tally.files} files, {tally.solves} solves, {len(tally.findings)} findings"
        print(f"\r{found}, {last - began:.0f} s ", end="", file=sys.stderr, flush=True)

    return tell


def _replay(path: Path) -> int:
    from tests.fuzz.trial import Depth, tried

    trial = tried(path.read_text(encoding="utf-8"), Depth.DRAWN)
    print(trial.outcome)
    for finding in trial.findings:
        print(f"{finding.label}: {finding.text}")
    return 1 if trial.findings else 0


if __name__ == "__main__":
    sys.exit(main())
