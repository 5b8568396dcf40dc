"""Models that are shorter to make than to write down."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from pliant.flex.generate import (
    bearing,
    bricks,
    can,
    chair,
    flock,
    flock_through_door,
    frame,
    jigsaw,
    keyed_shaft,
    phone_stand,
    pinned_links,
    raise_study,
    round_peg,
    table_structure,
    voxels,
)
from pliant.flex.model import Assembly, PlayStudy, Study, Term
from pliant.linkage.generate import jansen
from pliant.linkage.model import Linkage
from pliant.relax.generate import cam, hexapod, prism, random_mechanism, stewart
from pliant.relax.model import Mechanism, RelaxStudy

DRAWINGS = Path(__file__).parent / "drawings"


def _drawn(name: str, clearance: float) -> Assembly:
    """A model as `pliant import` makes it of the drawing of its name."""
    from pliant.files import import_drawing

    (path,) = DRAWINGS.glob(f"{name}.*")
    model = import_drawing(path, clearance=clearance).model
    if not isinstance(model, Assembly):
        raise TypeError(f"{name} is no drawing of an assembly")
    return model


def _chair() -> Assembly:
    mask = chair()
    study = raise_study((0, len(mask) - 1), (-1.0, 0.0))
    return voxels(
        mask, "puzzle", clearance=0.01, fixed=[(0, 0), (1, 0)], study=study, title="A chair of blocks"
    )


def _frame(braced: bool) -> Assembly:
    """Every block away from the centre, from the middle of the lower side that is held."""
    mask = frame(15, 11)
    if braced:
        mask[:, 7] = True
    study = Study(maximize=(Term(radial=(7.0, 5.0)),))
    title = "A braced frame" if braced else "A frame without a brace"
    return voxels(mask, clearance=0.02, fixed=[(7, 0)], study=study, title=title)


def _can(clearance: float, title: str) -> Assembly:
    """The lid goes down, and the foot is held."""
    mask = can(wall=2)
    lid = [(column, len(mask) - 1) for column in (5, 6)]
    study = Study(maximize=tuple(term for cell in lid for term in raise_study(cell, (0.0, -0.5)).maximize))
    return voxels(mask, clearance=clearance, fixed=[(5, 0), (6, 0)], study=study, title=title)


def _jansen_with_edit(title: str, **edit: Any) -> Linkage:
    """The Jansen leg, with an edit to be made."""
    return jansen(title=title, study={"trace": ["P5"], "edit": edit})


def _loose_jansen() -> Assembly:
    """The linkage of Jansen's leg as loose plates on ten pins; the play of its foot, P5."""
    leg = jansen()
    names = ("crank", "upper rod", "lower rod", "upper plate", "lower rocker", "coupler", "foot")
    joints = {name: (float(x), float(y)) for name, (x, y) in leg.joints.items()}
    links = {name: link.joints for name, link in zip(names, leg.links, strict=True)}
    study = Study(
        maximize=(Term(body="foot", point=joints["P5"], direction=(1.0, 0.0)),),
        play=PlayStudy(body="foot", point=joints["P5"], drive="crank"),
    )
    return pinned_links(
        joints, links, leg.ground, clearance=0.1, study=study, title="A Strandbeest's leg, loose"
    )


def _random() -> Mechanism:
    """Small enough to see which bars lock it."""
    study = RelaxStudy(trace=("n3", "n6"))
    return random_mechanism(7, joints=12, links=24, driven=5).model_copy(update={"study": study})


EDITS: dict[str, dict[str, Any]] = {
    "jansen-displaced": {
        "title": "A Strandbeest's leg with a joint moved",
        "move": [{"joint": "P1", "to": [-20, 32]}],
        "keep": {"curves": ["P5"]},
    },
    "jansen-timed": {
        "title": "A Strandbeest's leg whose foot is somewhere on time",
        "curves": [{"point": "P5", "through": [[-38, -62]], "at": ["200 deg"]}],
    },
    "jansen-stretched": {
        "title": "A Strandbeest's leg with a longer stride",
        "curves": [{"point": "P5", "scale": [1.15, 1]}],
    },
    "jansen-lifted": {
        "title": "A Strandbeest's leg that steps higher",
        "curves": [{"point": "P5", "scale": [1, 1.4]}],
    },
    "jansen-flattened": {
        "title": "A Strandbeest's leg that stands more evenly",
        "curves": [
            {"point": "P5", "flatten": ["-80 deg", "90 deg"]},
            {"point": "P5", "scale": 1, "weight": 0.3},
        ],
    },
    "jansen-boxed": {
        "title": "A Strandbeest's leg that fits a box",
        "enclosure": [{"box": [[-100, -95], [20, 30]]}],
        "keep": {"curves": ["P5"]},
    },
    "jansen-reshaped": {
        "title": "A Strandbeest's leg with a longer shin",
        "lengths": [{"joints": ["P2", "P5"], "to": 56}],
        "keep": {"timing": ["P5"]},
    },
    "jansen-transmission": {
        "title": "A Strandbeest's leg that is easier to turn",
        "guard": {"transmission": "14 deg"},
        "keep": {"curves": ["P5"]},
    },
}

RECIPES: dict[str, Callable[[], Assembly | Linkage | Mechanism]] = {
    "drawn-jigsaw": partial(_drawn, "drawn-jigsaw", 0.2),
    "drawn-shelf": partial(_drawn, "drawn-shelf", 0.4),
    "chair": _chair,
    "open-frame": lambda: _frame(braced=False),
    "braced-frame": lambda: _frame(braced=True),
    "can-tight": lambda: _can(0.01, "A can with tight joints"),
    "can-loose": lambda: _can(0.03, "A can with loose joints"),
    "flock": lambda: flock(66),
    "flock-1024": lambda: flock(1024),
    "doorway": lambda: flock_through_door(66, 4.5),
    "doorway-1024": lambda: flock_through_door(1024, 8.5),
    "beam-1703": lambda: table_structure(1703),
    "round-peg": round_peg,
    "keyed-shaft": keyed_shaft,
    "bearing": bearing,
    "phone-stand": phone_stand,
    "bricks": bricks,
    "loose-jansen": _loose_jansen,
    "round-arch": lambda: table_structure(50),
    "jigsaw": lambda: jigsaw(6, 4, vertices=120, clearance=0.4),
    "jigsaw-115": lambda: jigsaw(23, 5),
    "stewart-10": lambda: stewart(10),
    "random": _random,
    "cam": cam,
    "stewart": hexapod,
    "tensegrity": prism,
    **{name: partial(_jansen_with_edit, **edit) for name, edit in EDITS.items()},
}
