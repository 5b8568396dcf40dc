"""What engineers ask of an assembly: play maps, loose linkages, clearances, loads, ways apart."""

import resource
import time
from collections.abc import Callable, Iterator
from typing import Any

import pliant
from benchmarks.measure import seconds, table
from pliant.flex.generate import table_structure

MAPS = (36, 153, 392)  # bodies of Table I


def _measured(work: Callable[[], Any]) -> tuple[Any, float, float]:
    """What a call gives, its wall time, and the processor time of it and of the processes it started."""

    def used() -> float:
        both = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
        return sum(one.ru_utime + one.ru_stime for one in both)

    wall, cpu = time.perf_counter(), used()
    result = work()
    return result, time.perf_counter() - wall, used() - cpu


def play_maps(quick: bool) -> Iterator[str]:
    """The play of every body of a structure: six programs each over one polytope."""
    rows = []
    for count in MAPS[:2] if quick else MAPS:
        model = table_structure(count)
        result, wall, cpu = _measured(lambda m=model: pliant.play(m))
        programs = 6 * len(result.bodies)
        rows.append((count, f"{result.rows} x {result.columns}", programs, seconds(wall), seconds(cpu)))
    yield "## Play of every part\n\n" + table(
        ("bodies", "rows x columns", "programs", "wall s", "CPU s"), rows
    )


def questions(quick: bool) -> Iterator[str]:
    """One model of the gallery for each question, with its answer."""
    load = pliant.gallery.load
    asked: dict[str, Callable[[], Any]] = {
        "play --drive, four pins, 73 angles": lambda: pliant.play(load("loose-four-bar")),
        "play --drive, ten pins, 73 angles": lambda: pliant.play(load("loose-jansen")),
        "play --drive, a piston in rails": lambda: pliant.play(load("loose-slider-crank")),
        "loosen, three groups of pins": lambda: pliant.loosen(load("four-bar")),
        "loosen, one clearance": lambda: pliant.loosen(load("drawer"), limit=2),
        "loads, a beam on two edges": lambda: pliant.solve(load("loaded-beam")),
        "separate, a key puzzle": lambda: pliant.separate(load("key-puzzle")),
    }
    rows = []
    for name, work in asked.items():
        work() if not quick else None  # what is imported and compiled once does not count
        result, wall, cpu = _measured(work)
        rows.append((name, seconds(wall), seconds(cpu), result.summary().partition("\n")[0]))
    yield "## Engineers' questions\n\n" + table(("question", "wall s", "CPU s", "answer"), rows)


SECTIONS = {"play": play_maps, "questions": questions}
