"""Random assemblies solved and judged by the thousand: python -m tests.crosscheck.campaign [options].

    python -m tests.crosscheck.campaign --assemblies 1000 --seed 1
    python -m tests.crosscheck.campaign --families gate chain --assemblies 200
    python -m tests.crosscheck.campaign --replay out/crosscheck/gate-12.json

With OPENBLAS_NUM_THREADS=1 a tenth less processor time is spent, on threads that wait for each other.
Ends with a table by family; models that fail are left in the folder, each with what was found.
"""

# ruff: noqa: T201
from __future__ import annotations

import argparse
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count, islice, takewhile
from pathlib import Path
from typing import Any

from tests.crosscheck.assemblies import FAMILIES, assembly
from tests.crosscheck.judge import Failure, Verdict, judge

import pliant
from pliant.flex.model import Assembly

KINDS = (
    "through", "overlap", "bound", "joint", "film", "short", "leaves", "finding", "no answer", "objective",
    "first frame", "error",
)  # fmt: skip


LONG = ("linked", "crowd", "mosaic")  # seconds each


class TooLongError(Exception):
    """A solve that took more time than it may."""


@dataclass(frozen=True)
class Tried:
    """One assembly, solved and judged."""

    family: str
    seed: int
    verdict: Verdict
    solving: float  # CPU s
    judging: float  # CPU s

    @property
    def label(self) -> str:
        return f"{self.family}-{self.seed}"


@dataclass
class Tally:
    """What a campaign found."""

    tried: list[Tried] = field(default_factory=list)

    @property
    def failing(self) -> list[Tried]:
        return [each for each in self.tried if each.verdict.failures]

    def table(self) -> str:
        """By family: how many, how they ended, what fails, CPU seconds; then the worst of each kind."""
        families = [*dict.fromkeys(each.family for each in self.tried), "all"]
        statuses = sorted({each.verdict.status for each in self.tried})
        kinds = [kind for kind in KINDS if any(kind in each.verdict.kinds() for each in self.tried)]
        head = ["family", "solved", *(s.lower() for s in statuses), *kinds, "failing", "solve s", "judge s"]
        rows = [head]
        for family in families:
            those = [each for each in self.tried if family in (each.family, "all")]
            ended = Counter(each.verdict.status for each in those)
            found = Counter(kind for each in those for kind in set(each.verdict.kinds()))
            rows.append(
                [
                    family,
                    len(those),
                    *(ended[status] or "" for status in statuses),
                    *(found[kind] or "" for kind in kinds),
                    sum(bool(each.verdict.failures) for each in those) or "",
                    f"{sum(each.solving for each in those):.1f}",
                    f"{sum(each.judging for each in those):.1f}",
                ]
            )
        widths = [max(len(str(row[k])) for row in rows) for k in range(len(head))]
        lines = ["  ".join(str(cell).rjust(w) for cell, w in zip(row, widths, strict=True)) for row in rows]
        return "\n".join([*lines, "", *self._worst(kinds)])

    def _worst(self, kinds: Iterable[str], most: int = 3) -> Iterator[str]:
        for kind in kinds:
            found = [(f, each) for each in self.tried for f in each.verdict.failures if f.kind == kind]
            for failure, each in sorted(found, key=lambda pair: -pair[0].size)[:most]:
                yield f"{kind:12s} {each.label:14s} {failure.text}"


def cases(families: Iterable[str], first: int) -> Iterator[tuple[str, int]]:
    """Families in turn, without end; those that take longest every fifth time, where there are others."""
    families = tuple(families)
    often = tuple(family for family in families if family not in LONG) or families
    for turn in count():
        for family in often if turn % 5 else families:
            yield family, first + turn


def tried(
    family: str, seed: int, limit_s: float = 60.0, model: Assembly | None = None, **study: Any
) -> Tried:
    """Make, solve and judge one; an exception of the solver is a failure like others."""
    model = assembly(family, seed) if model is None else model
    began = time.process_time()
    try:
        with _limited(limit_s):
            result = pliant.solve(model, **study)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is the finding
        text = traceback.format_exception_only(error)[-1].strip()
        verdict = Verdict("ERROR", 0.0, [Failure("error", 1.0, text)])
        return Tried(family, seed, verdict, time.process_time() - began, 0.0)
    solved = time.process_time()
    verdict = judge(result, seed)
    return Tried(family, seed, verdict, solved - began, time.process_time() - solved)


@contextmanager
def _limited(limit_s: float) -> Iterator[None]:
    """At most so many CPU seconds."""

    def stop(*_: object) -> None:
        raise TooLongError(f"no end in {limit_s:g} s")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, limit_s)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def run(
    todo: Iterable[tuple[str, int]],
    folder: Path | None = None,
    limit_s: float = 60.0,
    tell: Callable[[Tally], None] = lambda tally: None,
    **study: Any,
) -> Tally:
    """Try all; models that fail are left in the folder."""
    tally = Tally()
    for family, seed in todo:
        model = assembly(family, seed)
        found = tried(family, seed, limit_s, model, **study)
        tally.tried.append(found)
        if folder is not None and found.verdict.failures:
            _keep(folder, found, model)
        tell(tally)
    return tally


def _keep(folder: Path, found: Tried, model: Assembly) -> None:
    path = folder / f"{found.label}.json"
    pliant.save(model, path)
    lines = [f"{found.verdict.status} {found.verdict.objective:.6g}"]
    lines += [f"{failure.kind} ({failure.size:.3g}): {failure.text}" for failure in found.verdict.failures]
    path.with_suffix(".txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def main() -> int:
    """Exit 1 where something was found."""
    asked = _parser().parse_args()
    study = {"corners": asked.corners} if asked.corners else {}
    if asked.replay:
        return _replay(asked.replay, asked.limit, study)
    asked.output.mkdir(parents=True, exist_ok=True)
    todo = _until(asked.seconds, islice(cases(asked.families, asked.seed), asked.assemblies))
    tally = run(todo, asked.output, asked.limit, _progress(asked.assemblies), **study)
    print(file=sys.stderr)
    print(tally.table())
    return 1 if tally.failing else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tests.crosscheck.campaign", description=__doc__.split("\n")[0]
    )
    parser.add_argument("--assemblies", type=int, default=500, help="how many, the families in turn")
    parser.add_argument("--seed", type=int, default=1, help="of the first of each family")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin no other after so many")
    parser.add_argument("--families", nargs="+", choices=FAMILIES, default=list(FAMILIES))
    parser.add_argument(
        "--limit", type=float, default=60.0, help="seconds of processor time a solve may take"
    )
    parser.add_argument("--corners", choices=("chosen", "average", "exact"), help="instead of the default")
    parser.add_argument("--replay", type=Path, help="judge one model again")
    parser.add_argument("-o", "--output", type=Path, default=Path("out/crosscheck"))
    return parser


def _until(seconds: float, todo: Iterator[Any]) -> Iterator[Any]:
    """As many as begin in that time."""
    began = time.monotonic()
    return takewhile(lambda _: time.monotonic() - began < seconds, todo)


def _progress(assemblies: int) -> Callable[[Tally], None]:
    began = last = time.monotonic()

    def tell(tally: Tally) -> None:
        nonlocal last
        if time.monotonic() - last < 2:
            return
        last = time.monotonic()
        found = f"{len(tally.tried)}/{assemblies} assemblies, {len(tally.failing)} failing"
        print(f"\r{found}, {last - began:.0f} s ", end="", file=sys.stderr, flush=True)

    return tell


def _replay(path: Path, limit_s: float, study: dict[str, Any]) -> int:
    found = tried(path.stem, 0, limit_s, pliant.load(path), **study)
    verdict = found.verdict
    took = f"solved in {found.solving:.2f} s, judged in {found.judging:.2f} s"
    print(f"{verdict.status} {verdict.objective:.6g}; {took}")
    if way := verdict.way:
        print(f"widest overlap {way.width:.3g} of {' and '.join(way.pair)}, frame {way.frame:.4g}")
    if verdict.climb:
        print(f"a walk gains {verdict.climb.gain:.3g} ({verdict.climb.relative:.2%})")
    for failure in verdict.failures:
        print(f"{failure.kind}: {failure.text}")
    return 1 if verdict.failures else 0


if __name__ == "__main__":
    sys.exit(main())
