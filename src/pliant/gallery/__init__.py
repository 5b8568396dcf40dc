"""The gallery: a model for each figure of the papers and for each thing users ask for.

Small models are files beside this one, to read and to copy; larger ones are recipes.
"""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

from pliant.core.errors import PliantError
from pliant.core.given import given_text

if TYPE_CHECKING:
    from pliant.files.kinds import Model

FOLDER = Path(__file__).parent

DESCRIPTIONS = {
    "eight-blocks": "Fig. 1: eight blocks in a ring; the upper right one goes right",
    "chair": "Fig. 2: a chair of 64 puzzle blocks; its back leans back",
    "arm": "Section IV: a one-link arm whose end stays in a square; how far it turns",
    "joint-pair": "Fig. 4: two blocks and one dovetail; a corner rises",
    "open-frame": "Fig. 5: a hollow frame; every block moves away from the centre",
    "braced-frame": "Fig. 5: the same frame with a beam across it",
    "can-tight": "Fig. 6: a drinks can with tight joints, crushed from above",
    "can-loose": "Fig. 6: the same can with loose joints",
    "flock": "Fig. 7: 66 robots that keep each other in view gather to pass a door",
    "flock-1024": "Fig. 7 at its full size: 1024 robots",
    "doorway": "Fig. 7 and on: 66 robots close up to a column and go through a door, in three stages",
    "doorway-1024": "1024 robots, 133 wide, through a door of 8.5",
    "beam-1703": "Fig. 9: a beam of 1703 blocks; its end goes up",
    "square-peg": "A square peg in a square hole; how far it turns",
    "round-peg": "A round peg in a round hole; how far it travels",
    "keyed-shaft": "A pulley on a keyed shaft; its backlash",
    "bearing": "Nine balls between two races; how far the inner race wanders",
    "gate": "A gate on two worn hinges; how far it sags",
    "four-bar": "A four-bar with loose pins; how far its tip wanders",
    "loose-four-bar": "The same, driven: the band around the curve of its tip, and each pin's share",
    "loose-slider-crank": "A slider-crank with loose pins and piston; its play along the stroke",
    "loose-jansen": "Jansen's leg on ten loose pins; how far its foot leaves its path",
    "lever": "A lever on a loose pin, in a notch; the play at its handle",
    "latch": "A bolted door; how far it still rattles",
    "drawer": "A drawer pulled out; how far its front swings",
    "sliding-door": "Two doors between rails; how far one racks",
    "pencil-box": "A pencil box with a sliding lid; whether the lid comes out",
    "dovetail-slide": "A machine slide with a gib, in section; how far its tool rocks",
    "t-slot": "A foot in a T-slot; how far its bracket tips",
    "picture-frame": "Four bars with dovetailed corners; how far they rack",
    "laser-box": "A box of laser-cut plates, welded of pieces in section; how far it racks",
    "phone-stand": "A phone stand of laser-cut parts; how far its rest gives when pushed",
    "laser-fit": "A laser-cut tenon in its slot, with the tolerances of both; how many go together",
    "tolerance-stack": "Five plates in a box; the worst case of their gaps",
    "dominoes": "Seven dominoes in a box; how far one leans",
    "bricks": "Bricks in a frame; how far one turns",
    "loaded-beam": "A beam on two edges under its weight and a force; what each edge carries",
    "round-arch": "A round arch of 50 blocks; how far its feet spread",
    "key-puzzle": "A lid under a lip, and a key that keeps it there; which of them leaves first",
    "jigsaw": "A jigsaw of 6 by 4 curved pieces; how far its corner lifts",
    "jigsaw-115": "A jigsaw of 23 by 5 curved pieces; how far its end lifts",
    "drawn-jigsaw": "An SVG of a jigsaw that is cut once, as it is imported; how far its corner lifts",
    "drawn-shelf": "A DXF of a shelf on two sides, as it is imported; how far a side gives",
    "jansen": "Jansen's walking leg; the path of its foot",
    "klann": "Klann's walking leg; the path of its foot",
    "peaucellier": "Peaucellier's linkage; a true straight line",
    "hoeken": "Hoeken's linkage; straight for half a turn",
    "chebyshev": "Chebyshev's crossed arms; nearly straight",
    "watt": "Watt's linkage; nearly straight in the middle",
    "roberts": "Roberts' linkage; nearly straight from pivot to pivot",
    "pantograph": "A pantograph; a copy 2.5 times as large",
    "parallelogram": "A parallelogram; its two change points",
    "non-grashof": "A four-bar that cannot turn round; how far it goes",
    "slider-crank": "A slider-crank; the force of its piston at the crank",
    "scotch-yoke": "A pin in the slot of a yoke that slides; a true sine",
    "lift-table": "A cylinder lifts a table; its push along the stroke",
    "cylinder-lift": "A scissor lift with its cylinder between the legs; found together",
    "toggle-press": "A linear motor straightens a toggle; the ram presses",
    "tangent": "A pin in two slots; it runs off to infinity",
    "coupler-driven": "A parallelogram driven by its coupler; through two change points",
    "quick-return": "A slotted lever; slowly forth and quickly back",
    "six-bar-coupled": "A plate on three bars; joints that must be found together",
    "two-motor": "A five-bar; two motors that run at different speeds",
    "ellipse-trammel": "The trammel of Archimedes; an ellipse",
    "strandbeest-edited": "Jansen's leg, edited; a longer and flatter stride",
    "jansen-displaced": "The Jansen leg of Fig. 1, edited: a joint moved, its foot's curve kept",
    "jansen-timed": "The same leg, edited: its foot is at a place on time",
    "jansen-stretched": "The same leg, edited: a longer stride",
    "jansen-lifted": "The same leg, edited: a higher step",
    "jansen-flattened": "The same leg, edited: an even stance",
    "jansen-boxed": "The same leg, edited: it fits a box",
    "jansen-reshaped": "The same leg, edited: a longer shin, its timing kept",
    "jansen-transmission": "The same leg, edited: better transmission",
    "singular": "Lipson's Fig. 2: two bars in line under a load across them; how far they sag",
    "slender": "Lipson's Fig. 3: a slender mast pressed from above; it leans over",
    "pulled": "Lipson's Fig. 4: a four-bar that a force pulls; the way it goes",
    "inversor": "Lipson's Fig. 5: Peaucellier's eight bars, to play with; a true straight line",
    "stewart-10": "Lipson's Fig. 6: ten Stewart platforms one on another; 60 actuators twist them",
    "random": "Lipson's Fig. 8, small: bars and actuators at random; where they lock",
    "finger": "Lipson's Fig. 9: a finger with tendons around its knuckles; it bends",
    "reuleaux": "A steam engine with a swinging cylinder; the pear its piston draws",
    "sketch": "A house drawn by hand; its measures are actuators that make it exact",
    "conveyor": "a box on a belt: friction carries it until its spring pulls as hard",
    "crawler": "Lipson's Fig. 9: a creature found by evolution; how far it crawls",
    "evolved-line": "A four-bar found by evolution; its point draws nearly a straight line",
    "scissor-lift": "A lift of three scissors; its platform rises level",
    "excavator": "A hydraulic excavator; it reaches, digs, lifts and dumps",
    "loader": "A loader with a master and a slave cylinder; its bucket stays level",
    "clamp": "A toggle clamp with a rubber pad; it goes past its dead centre",
    "gear-train": "A motor, two stages of gears and a rack; how far it lifts",
    "planetary": "A planetary gear with its ring held; how far its carrier turns",
    "cam": "A cam and a flat follower on a spring; how high it is lifted",
    "groove": "A roller in a closed groove, on a turning arm; how its block goes",
    "hoist": "A block and tackle; its rope lies around two pulleys",
    "tensioner": "A roller pressed on a rope over two pulleys; by how much its weight is lifted",
    "collision": "Two arms that meet; one takes the other along",
    "incline": "A block on a rough incline, drawn by a spring; where it sticks",
    "magnets": "A pendulum over two magnets; how it is drawn and driven away",
    "stewart": "A Stewart platform; it rises and lets its tilt go round",
    "sarrus": "Sarrus' plates in space; a true straight line",
    "door": "A folding door in its track; how far it opens",
    "crane": "A loading crane in space; where it takes its weight",
    "tensegrity": "Three struts in a net of strings; how far it twists until it is tight",
    "two-hooks": "Donald and Pai's Fig. 4: two hooks around a T; whether they come out again",
    "asymmetric-hooks": "Donald and Pai's Fig. 3: an uneven T; the right hook does not reach around it",
    "motion-diode": "Donald and Pai's Figs 5, 6: a triangle that goes down and does not come up",
    "motion-diode-total": "The same with two obstacles extended; no way leads back",
    "diode-kinematic": "Donald and Pai's Fig. 7B: a hook that its shape keeps in",
    "diode-kinematic-closed": "The same with Fig. 7C: kept in whichever way it is pulled",
    "diode-friction": "Donald and Pai's Fig. 7D: a hook that friction keeps in",
    "diode-friction-closed": "The same with Fig. 7C: kept in whichever way it is pulled",
    "diode-force": "Donald and Pai's Fig. 7E: a hook that takes more force out than in",
    "diode-force-closed": "The same with Fig. 7C: more force whichever way it is pulled",
    "dragged-hook": "Donald and Pai's Fig. 15: a hook dragged across a T, its sole flat on it",
    "uncertain-start": "Donald and Pai's Fig. 23: a start that is not known; every outcome",
    "cantilever-snap": "A snap-fit of polycarbonate; its forces, its strain, and a better one",
    "short-snap": "The same with a hook that is too short; it goes in, and is strained too far",
    "tapered-snap": "The same tapered, on a wall that gives; strained less",
    "sized-snap": "A hook with parameters; how thick it may be before it is strained too far",
    "flush-snap": "A hook flush with the edge it shall pass; corner meets corner, a knife's edge",
    "door-latch": "A spring latch and its strike plate; the door shuts and stays shut",
    "ratchet": "A rack of twelve teeth and its pawl; forth with clicks, and not back",
    "escapement": "An anchor over a rack; it rocks one way and the other at every tooth",
}

FIRST = {"eight-blocks": "assembly", "jansen": "linkage", "singular": "mechanism", "two-hooks": "fastener"}
SLOW = frozenset({"flock-1024", "doorway-1024", "beam-1703", "jigsaw-115"})

TOUR = (
    *("eight-blocks", "pencil-box", "jigsaw"),
    *("jansen", "non-grashof", "jansen-stretched"),
    *("random", "excavator", "stewart"),
    *("two-hooks", "short-snap", "ratchet"),
)


def names() -> list[str]:
    """Every model of the gallery: assemblies, linkages, mechanisms and fasteners, a paper's figures first.

    Returns:
        Names, in the order of kinds and papers.
    """
    return list(DESCRIPTIONS)


def quick_examples() -> list[str]:
    """Those that are solved in seconds.

    Returns:
        Names, in the same order.
    """
    return [name for name in DESCRIPTIONS if name not in SLOW]


def tour() -> list[str]:
    """Three of each kind that are soon solved and end in different ways, for a first look.

    Returns:
        A dozen names.
    """
    return list(TOUR)


def describe(name: str) -> str:
    """What a model shows, in a line.

    Args:
        name: of a model in the gallery.

    Returns:
        A sentence without its full stop.

    Raises:
        PliantError: there is none of that name.
    """
    _check_name(name)
    return DESCRIPTIONS[name]


def kind(name: str) -> str:
    """The kind of a model, which is not loaded for it: those of a kind stand together.

    Args:
        name: of a model in the gallery.

    Returns:
        "assembly", "linkage", "mechanism" or "fastener".

    Raises:
        PliantError: there is none of that name.
    """
    _check_name(name)
    known = list(DESCRIPTIONS)
    return next(FIRST[one] for one in reversed(known[: known.index(name) + 1]) if one in FIRST)


def path(name: str) -> Path | None:
    """The file of a model, or None where a recipe makes it.

    Args:
        name: of a model in the gallery.

    Returns:
        The path, or None.

    Raises:
        PliantError: there is none of that name.
    """
    _check_name(name)
    file = FOLDER / f"{name}.toml"
    return file if file.exists() else None


def drawing(name: str) -> Path | None:
    """The drawing that a model is imported from, or None where there is none.

    Args:
        name: of a model in the gallery.

    Returns:
        The path, or None.

    Raises:
        PliantError: there is none of that name.
    """
    _check_name(name)
    return next((FOLDER / "drawings").glob(f"{name}.*"), None)


def load(name: str) -> Model:
    """A model of the gallery.

    Args:
        name: of a model in the gallery.

    Returns:
        An Assembly, Linkage, Mechanism or Fastener.

    Raises:
        PliantError: there is none of that name.
    """
    if file := path(name):
        from pliant.files import load as load_file

        return load_file(file)
    from pliant.gallery.recipes import RECIPES

    return RECIPES[name]()


def _check_name(name: str) -> None:
    if given_text(name, "name", '"pliant examples" lists them') not in DESCRIPTIONS:
        near = get_close_matches(name, DESCRIPTIONS, 1)
        cure = f'Did you mean "{near[0]}"?' if near else '"pliant examples" lists them'
        raise PliantError(f'"{name}" is not in the gallery. {cure}')
