"""Corners: where two convex corners face each other, what each way to treat them finds, and how fast.

Random assemblies of the families that the tests judge, loose and tight, and structures of the gallery. What
is found counts as far as its way is free; the best of all ways is the measure.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from time import process_time
from typing import get_args

from tests.crosscheck.assemblies import assembly
from tests.crosscheck.played import played
from tests.crosscheck.swept import deepest

import pliant
from benchmarks.measure import seconds, table
from pliant import gallery
from pliant.flex.model import Assembly, FlexStudy

WAYS = get_args(FlexStudy.model_fields["corners"].annotation)
LOOSE = ("tray", "posts", "gate", "wedge", "chain", "held")
TIGHT = ("tiling", "dovetail", "tenon")
CLEARANCES = (0.01, 0.014, 0.018, 0.022, 0.026, 0.03)  # of the can of Fig. 6
SHORT = 0.98  # of the best: less than this counts as short
AT_REST = ("CONVERGED", "LOCKED")


@dataclass(frozen=True)
class Found:
    """What one way found of one assembly."""

    objective: float  # nan where there is no end
    free: bool  # nothing overlaps by more than twice the threshold on the way
    cpu: float


def found(model: Assembly, corners: str) -> Found:
    began = process_time()
    result = pliant.solve(model, corners=corners)
    cpu = process_time() - began
    ended = result.status.name in AT_REST
    allowed = 2 * result.threshold + 1e-9
    free = deepest(played(result).about_centroids, allowed, most=2000).width <= allowed
    return Found(result.objective if ended else float("nan"), free, cpu)


def families(quick: bool) -> Iterator[str]:
    """Random assemblies: how many ends are short of the best, overlap or are none; CPU seconds."""
    count = 8 if quick else 40
    rows = []
    for kind, family in [*product(["loose"], LOOSE), *product(["tight"], TIGHT)]:
        models = [assembly(family, 5000 + seed) for seed in range(count)]
        rows.append((kind, family, count, *_judged([{w: found(m, w) for w in WAYS} for m in models])))
    head = ["", "family", "assemblies"]
    head += [f"{way}: {what}" for way in WAYS for what in ("short", "overlapping", "no end", "CPU s")]
    note = f"Short: more than {1 - SHORT:.0%} below the best of all ways that is free of overlap.\n\n"
    yield "## Corners: random assemblies\n\n" + note + table(head, rows)


def _judged(tried: list[dict[str, Found]]) -> Iterator[object]:
    """For each way: how many are short, overlap, have no end; the CPU seconds of all."""
    best = [max((f.objective for f in each.values() if f.free), default=0.0) for each in tried]
    for way in WAYS:
        mine = [each[way] for each in tried]
        yield sum(f.objective < SHORT * most for f, most in zip(mine, best, strict=True) if f.free)
        yield sum(not f.free for f in mine)
        yield sum(f.objective != f.objective for f in mine)  # nan
        yield seconds(sum(f.cpu for f in mine))


def structures(quick: bool) -> Iterator[str]:
    """The can of Fig. 6 by clearance, and others of the gallery: the flex found, CPU seconds."""
    can = gallery.load("can-loose")
    models = {f"can, clearance {c:g}": can.model_copy(update={"clearance": c}) for c in CLEARANCES}
    models |= {name: gallery.load(name) for name in ("eight-blocks", "round-arch", "jigsaw")}
    rows = []
    for name, model in list(models.items())[:: 3 if quick else 1]:
        answers = [found(model, way) for way in WAYS]
        rows.append((name, *(cell for f in answers for cell in (_told(f), seconds(f.cpu)))))
    head = ["structure", *(f"{way}{what}" for way in WAYS for what in ("", ", CPU s"))]
    yield "## Corners: structures\n\nThe flex found; * where something overlaps on the way.\n\n" + table(
        head, rows
    )


def _told(answer: Found) -> str:
    return f"{answer.objective:.5g}{'' if answer.free else ' *'}"


SECTIONS = {"corners": families, "corner-structures": structures}
