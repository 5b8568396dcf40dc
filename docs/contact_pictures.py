"""Pictures beside the figures of [DonaldPai1993]: filmstrips, slices, directions that lead out, starts."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction

import numpy as np
from matplotlib.figure import Figure

import pliant
from pliant import gallery, view
from pliant.core.arrays import Floats
from pliant.core.motion import Mark, Motion
from pliant.core.pose import carry
from pliant.snap.generate import motion_diode, two_hooks
from pliant.snap.model import Fastener
from pliant.snap.report import ENDS
from pliant.snap.result import SnapResult
from pliant.view.figures import compose
from pliant.view.stage import DrawOptions

Drawn = tuple[Figure, str]  # a picture, and the words that go with it

WIDE, LEAST = 7.6, 0.95  # inches: a strip, and a frame of it, which has room for its words then
MOST = 12  # frames of a strip
FAN = 0.35  # of the picture: how far directions are drawn
OUTCOMES = ("leads out", "does not")


def caption(result: SnapResult) -> str:
    """What came of a fastener, in a sentence."""
    return result.summary().partition("\n")[0]


def strip(result: SnapResult) -> Figure:
    """A frame where it starts, and one for each thing that happens; evenly spread ones where that is much."""
    motion = result.motion
    shown = sorted({0, *_moments(motion)})
    if len(shown) > MOST:
        return view.filmstrip(motion, frames=8, before=None, width=WIDE)
    look = DrawOptions(None, None, True, False, None)
    width = max(WIDE, LEAST * len(shown))
    return compose(motion, look, shown, list(range(motion.frames)), width=width)[0]


def _moments(motion: Motion) -> Iterator[int]:
    """The frames in which it begins to say that something happens."""
    said = {mark.frame: mark.text for mark in motion.marks if mark.group == "event"}
    return (frame for frame, text in said.items() if frame and said.get(frame - 1) != text)


def deepest(result: SnapResult) -> int:
    """The frame at the end of the way in."""
    return int(np.argmin(np.abs(result.motion.values - result.way_in.travel)))


def pressed(result: SnapResult) -> int:
    """The frame of the way in with the greatest force."""
    force = result.motion.signals["force against the motion"].values
    return int(np.argmax(force[: deepest(result) + 1]))


def force_chart(result: SnapResult) -> Figure:
    """The force against the motion, in and back."""
    return view.chart(result.plots()["force"])


def uneven() -> Drawn:
    """Fig. 3: where the root comes to rest, and the right hook has not come below."""
    result = pliant.solve(gallery.load("asymmetric-hooks"))
    return view.figure(result, frame=deepest(result)), caption(result)


def moments_of(name: str, **study: object) -> Drawn:
    """A model of the gallery, event by event."""
    result = pliant.solve(gallery.load(name), **study)
    return strip(result), caption(result)


def from_below() -> Drawn:
    """Fig. 6: the diode on its way up."""
    result = pliant.solve(motion_diode(start=(0, -9), velocity=(0, 1)))
    return strip(result), caption(result)


def directions(name: str) -> Drawn:
    """Fig. 7: which directions lead out of where a fastener came to rest."""
    result = pliant.solve(gallery.load(name), classify=True)
    assert result.diode is not None
    motion, frame = result.motion, deepest(result)
    hinge = motion.poses[frame, motion.bodies.index(result.model.pawls[0].name), :2]
    reach = FAN * float(np.ptp(_outlines(motion, frame), axis=0).max())
    fans = [Mark("polygon", _fan(hinge, 0, 0, 1), frame, group=group) for group in OUTCOMES]  # for the key
    for sector in result.diode.sectors:
        corners = _fan(hinge, reach, sector.first, sector.last)
        fans.append(Mark("polygon", corners, frame, group=OUTCOMES[not sector.escapes]))
    kept = [mark for mark in motion.marks if mark.group == "hinge"]
    drawn = view.figure(replace(motion, marks=(*kept, *fans)), frame=frame, before=None)
    said = next(line for line in result.summary().splitlines() if "motion diode" in line)
    return drawn, f"{said.split('diode', 1)[1].strip().capitalize()}."


def _outlines(motion: Motion, frame: int) -> Floats:
    """Every corner in a frame (K, 2)."""
    rings = [motion.shapes[shape].rings[0] for shape in motion.body_shapes]
    return np.concatenate([carry(motion.poses[frame, b], ring) for b, ring in enumerate(rings)])


def _fan(centre: Floats, reach: float, first: float, last: float) -> Floats:
    around = np.linspace(first, last, max(2, int(math.degrees(last - first))))
    return np.vstack([centre, centre + reach * np.column_stack([np.cos(around), np.sin(around)])])


def slice_chart(result: SnapResult, name: str) -> Drawn:
    """Figs 20 to 22: a slice of configuration space with the path through it."""
    return view.chart(result.plots()[name]), caption(result)


def hooked(friction: Fraction) -> SnapResult:
    """The two hooks, in and back."""
    return pliant.solve(two_hooks(friction), reverse=True)


def starts() -> Drawn:
    """Fig. 23: a first contact for each band of starts, and how it ends."""
    model = gallery.load("uncertain-start")
    assert isinstance(model, Fastener)
    result = pliant.solve(model)
    assert result.outcomes is not None
    motion = result.motion
    pawl, velocity = model.pawls[0], np.array(model.root.velocity, np.float64)
    hinge, outline = np.array(pawl.hinge, np.float64), np.array(model.outline(pawl), np.float64)
    left = np.array([-velocity[1], velocity[0]]) / np.hypot(*velocity)
    marks: list[Mark] = []
    for band in result.outcomes.bands:
        ends = hinge + np.outer([band.low, band.high], left)
        start = ends.mean(axis=0)
        met, group = start + np.mean(band.first_at) * velocity, ENDS[band.outcome.cause]
        marks += [Mark("segment", line, group=group) for line in (ends, np.stack([start, met]))]
        if band.contact is not None:
            marks.append(Mark("polygon", met + outline, group=group))
    drawn = view.figure(replace(motion, marks=tuple(marks), events=()), frame=0, before=None, names=False)
    count = len(result.outcomes.bands)
    return drawn, f"{count} bands of starts, {result.outcomes.tried} starts tried."


PICTURES: dict[str, Callable[[], Drawn]] = {
    "contact-3": uneven,
    "contact-4": lambda: moments_of("two-hooks"),
    "contact-5": lambda: moments_of("motion-diode", reverse=False, classify=False),
    "contact-6": from_below,
    "contact-7-kinematic": lambda: directions("diode-kinematic"),
    "contact-7-closed": lambda: directions("diode-kinematic-closed"),
    "contact-7-force": lambda: directions("diode-force"),
    "contact-5-directions": lambda: directions("motion-diode"),
    "contact-15": lambda: moments_of("dragged-hook"),
    "contact-20": lambda: slice_chart(hooked(Fraction(3, 10)), "slice left"),
    "contact-20-jam": lambda: slice_chart(
        pliant.solve(motion_diode(start=(0, -9), velocity=(0, 1))), "slice pawl"
    ),
    "contact-21": lambda: slice_chart(pliant.solve(motion_diode()), "slice pawl"),
    "contact-22": lambda: slice_chart(hooked(Fraction(3, 5)), "slice left back"),
    "contact-23": starts,
}
