"""The pictures of the documentation, made by pliant itself.

    python docs/make_pictures.py            every picture, into docs/_build/pictures
    python docs/make_pictures.py --readme   the pictures of README.md, into docs/pictures

A picture is made again when the package or one of these files has changed, and kept otherwise.
"""

from __future__ import annotations

import hashlib
import io
import re
import sys
import tomllib
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from contact_pictures import PICTURES as CONTACT
from contact_pictures import force_chart, pressed, strip
from matplotlib.figure import Figure
from PIL import Image
from relaxation_pictures import CASES
from relaxation_pictures import PICTURES as RELAXATION
from relaxation_pictures import SLOW as SLOW_RELAXATION
from variation_pictures import PICTURES as VARIATION

import pliant
from pliant import gallery, view
from pliant.core.arrays import Floats
from pliant.core.motion import Mark, Motion
from pliant.core.pose import carry
from pliant.files.reader import model_of
from pliant.flex.contact.distance import contact_points, gaps
from pliant.flex.model import Assembly
from pliant.flex.problem.system import compile_system
from pliant.flex.result import FlexResult
from pliant.flex.stepping.step import configuration_at
from pliant.linkage.drawing import picture as linkage_picture
from pliant.linkage.drawing import skeleton
from pliant.linkage.editing.result import EditResult
from pliant.linkage.generate import four_bar, jansen
from pliant.linkage.kinematics.mobility import compile_plan
from pliant.linkage.kinematics.poses import positions
from pliant.linkage.model import Linkage
from pliant.linkage.result import TraceResult
from pliant.linkage.synthesis import path
from pliant.relax.model import Mechanism
from pliant.relax.result import RelaxResult
from pliant.snap.model import Fastener
from pliant.snap.result import SnapResult

HERE = Path(__file__).parent
FOLDER = HERE / "_build" / "pictures"
FOUR_BAR = HERE / "guide" / "linkages.md", "four-bar.toml"
STEP = HERE / "guide" / "editing.md", "step.csv"
LIFT = HERE / "guide" / "mechanisms.md", "lift.toml"
CLIP = HERE / "guide" / "fasteners.md", "clip.toml"
EXAMPLES = (FOUR_BAR, STEP, LIFT, CLIP)
PICTURES = HERE / "pictures"
README = {
    "flex.png": ("eight-blocks", "chair", "jigsaw"),
    "linkages.png": ("jansen", "jansen-stretched", "quick-return"),
    "mechanisms.png": ("excavator", "planetary", "stewart"),
    "fasteners.png": ("two-hooks", "cantilever-snap", "door-latch"),
}
README_BYTES = 200_000
COLOURS = 160
WORKERS = 2
DPI = 130

Drawn = tuple[Figure, str]  # a picture, and the words that go with it
Result = FlexResult | TraceResult | EditResult | RelaxResult | SnapResult


def make_all(folder: Path = FOLDER) -> None:
    """Every picture that is missing or older than the package, and the page that shows the gallery."""
    folder.mkdir(parents=True, exist_ok=True)
    stamp = folder / "made-from"
    key = sources_key()
    if not stamp.exists() or stamp.read_text() != key:
        for old in folder.iterdir():
            old.unlink()
        stamp.write_text(key)
    with ProcessPoolExecutor(WORKERS) as pool:
        for name, made in zip(jobs(), pool.map(make, jobs(), [folder] * len(jobs())), strict=True):
            if made:
                print(f"drew {name}", flush=True)
    for title, names in lists().items():
        (folder / f"{title}.md").write_text("\n".join(entries(folder, names)), encoding="utf-8")


def sources_key() -> str:
    """A hash of the package, of what draws pictures and of the examples of other pages that are drawn."""
    found = [*sorted(Path(pliant.__file__).parent.rglob("*.*")), *sorted(HERE.glob("*.py")), CASES]
    files = [path.read_bytes() for path in found if path.suffix in (".py", ".toml")]
    shown = [example(page, name).encode() for page, name in EXAMPLES]
    return hashlib.sha256(b"".join([*files, *shown])).hexdigest()


def jobs() -> list[str]:
    """Names of all pictures: the slow ones first, so that nobody waits for them at the end."""
    slow = gallery.SLOW | SLOW_RELAXATION
    return sorted([*gallery.names(), *FIGURES], key=lambda name: name not in slow)


def make(name: str, folder: Path) -> bool:
    """Make one picture, and the words that go with it; False where it is there already."""
    picture, words = folder / f"{name}.png", folder / f"{name}.txt"
    if words.exists():
        return False
    if name in FIGURES:
        drawn, text = FIGURES[name]()
    else:
        result = answer(name)
        drawn, text = drawn_as(result), caption(result)
        if isinstance(result, SnapResult):
            view.save_figure(force_chart(result), folder / f"{name}-force.png", dpi=DPI)
    view.save_figure(drawn, picture, dpi=DPI)
    words.write_text(text, encoding="utf-8")
    return True


def answer(name: str) -> Result:
    """What comes of a model of the gallery: its edit, where it asks for one."""
    model = gallery.load(name)
    return pliant.edit(model) if edits(model) else pliant.solve(model)


def drawn_as(result: Result) -> Figure:
    """A fastener event by event, everything else as it ends."""
    if isinstance(result, SnapResult):
        return strip(result)
    return view.figure(result, names=names_of(result.motion))


def names_of(motion: Motion) -> bool | None:
    """Joints have their names, bodies do not."""
    return None if motion.point_names else False


def caption(result: Result) -> str:
    """What came of a solve, in a sentence and its numbers."""
    first, *lines = result.summary().splitlines()
    if isinstance(result, EditResult):
        told = [line.strip() for line in lines[: len(result.achieved)]]
        return f"{first} {'; '.join(told)[:1].upper()}{'; '.join(told)[1:]}. {result.steps} steps."
    if isinstance(result, TraceResult):
        error = f"lengths kept to {result.error:.1g} {result.model.units}"
        return f"{first} {len(result.plan.ops)} rules, {len(result.t)} poses, {error}."
    if isinstance(result, RelaxResult):
        effort = lines[0].split(maxsplit=1)[1]
        return f"{first} {effort[:1].upper()}{effort[1:]}."
    if isinstance(result, SnapResult):
        return f"{first} {sum(len(way.events) for way in result.ways)} events."
    linear = "no bound" if result.linear is None else f"{result.linear:.4g}"
    return (
        f"{first} First estimate {linear}, {result.steps} steps, program "
        f"{result.rows} × {result.columns}, overlap {result.overlap:.1g} with a gap of {result.gap:.3g}."
    )


def entries(folder: Path, names: Iterable[str]) -> Iterator[str]:
    """Models of the gallery as Markdown, one after the other."""
    for name in names:
        words = (folder / f"{name}.txt").read_text(encoding="utf-8")
        described = gallery.describe(name)
        yield f"### {name}\n\n{described}.\n"
        yield f":::{{figure}} _build/pictures/{name}.png\n:alt: {described}\n\n{words}\n:::\n"
        if (folder / f"{name}-force.png").exists():
            yield f":::{{figure}} _build/pictures/{name}-force.png\n:alt: {described}; its force\n:::\n"


def lists() -> dict[str, list[str]]:
    """The names of the gallery's models, by kind; those with an edit apart."""
    found: dict[str, list[str]] = {}
    for name in gallery.names():
        model = gallery.load(name)
        found.setdefault("edits" if edits(model) else model.kind, []).append(name)
    return found


def edits(model: Assembly | Linkage | Mechanism | Fastener) -> bool:
    """Whether a model asks for an edit."""
    return isinstance(model, Linkage) and model.study.edit is not None


def arm_both_ways() -> Drawn:
    """Section IV's arm at the bounds of the first program, and where time stepping ends."""
    model = gallery.load("arm")
    ways = [pliant.solve(model, maximize=[{"body": "arm", "spin": sign}]) for sign in (1, -1)]
    motion = ways[0].motion
    body = motion.bodies.index("arm")
    drawn, ring = motion.poses[0, body], motion.shapes[motion.body_shapes[body]].rings[0]
    marks = [mark for mark in motion.marks if mark.group == "keep"]
    turns = {
        "first program": [way.linear * sign for way, sign in zip(ways, (1, -1), strict=True)],
        "time stepping": [way.poses["arm"][2] - drawn[2] for way in ways],
    }
    for group, angles in turns.items():
        poses = drawn + np.array([[0.0, 0.0, angle] for angle in angles])
        marks += [Mark("polygon", carry(pose, ring), group=group) for pose in poses]
    words = "; ".join(f"{group} {low:.4f} and {high:.4f}" for group, (high, low) in turns.items())
    return unmoved(still(motion, marks)), f"Turns found, in radians: {words}."


def rows_of_a_pair() -> Drawn:
    """Each row of the first program of the pair, from its vertex to the edge it is measured from."""
    model = gallery.load("joint-pair")
    system = compile_system(model, model.study.for_command("flex"))
    here = configuration_at(system, system.parts.drawn, system.reach, None)
    rows = here.contacts.rows
    points, normals = contact_points(rows, here.poses)
    feet = points - gaps(rows, here.poses)[:, None] * normals
    lines = [Mark("segment", np.stack(ends), group="distance") for ends in zip(points, feet, strict=True)]
    return unmoved(still(pliant.solve(model, steps=1).motion, lines)), f"{len(rows)} rows."


def still(motion: Motion, marks: list[Mark]) -> Motion:
    """The first frame alone, with other marks."""
    scalars = {name: rows[:1] for name, rows in motion.body_scalars.items()}
    first = {"values": motion.values[:1], "poses": motion.poses[:1], "points": motion.points[:1]}
    rest: dict[str, Any] = {"body_scalars": scalars, "signals": {}, "events": (), "marks": tuple(marks)}
    return replace(motion, **first, **rest)


def unmoved(motion: Motion) -> Figure:
    """One frame, with no outline of where things were."""
    return view.figure(motion, before=None, names=names_of(motion))


def initial_and_stepped() -> Drawn:
    """The Jansen leg of Fig. 1 as it is drawn, and with its motor a third of a turn on."""
    model = jansen(title="Initial and stepped")
    degrees = np.array([0.0, 120.0])
    poses = positions(compile_plan(model), np.radians(degrees)[None])
    motion = linkage_picture(model, degrees, poses.points)
    lengths = [np.hypot(*(poses.x[k] - poses.x[j])) for k, j in pairs(poses.plan.structure.links)]
    kept = max(float(np.ptp(length)) for length in lengths)
    drawn = view.filmstrip(motion, frames=2, before=None)
    return drawn, f"Lengths of the two differ by {kept:.1g} at most."


def pairs(links: Iterable[tuple[int, ...]]) -> Iterator[tuple[int, int]]:
    """Every two joints that a link holds."""
    return (pair for link in links for pair in combinations(link, 2))


def two_orientations() -> Drawn:
    """Fig. 2: one four-bar with its tip on either side of B and D, and the curves of both."""
    degrees = np.linspace(0, 360, 361)
    models = [four_bar(4, 1, 3, 2.5, side=side, title="Two orientations") for side in (1, -1)]
    runs = [positions(compile_plan(model), np.radians(degrees)[None]).points for model in models]
    other = Mark("curve", runs[1][:, 2], group="trace", text="C, the other orientation")
    marks = [*skeleton(models[1], runs[1][0], "guide"), other]
    motion = linkage_picture(models[0], degrees, runs[0], traced=("C",), marks=marks)
    sides = [np.sign(turning(run)) for run in runs]
    words = ", ".join(f"{side.min():+.0f}" for side in sides if side.min() == side.max())
    return unmoved(motion), f"Orientations over the whole turn: {words}."


def turning(points: Floats) -> Floats:
    """The cross product of B→D and B→C at every pose (F,) of a four-bar A, B, C, D."""
    (x, y), (u, v) = (points[:, 3] - points[:, 1]).T, (points[:, 2] - points[:, 1]).T
    return x * v - y * u


def first_of_a_guide(page: Path, name: str, **study: Any) -> Drawn:
    """The file that a page of the guide begins with, as it stands there."""
    result = pliant.solve(model_of(tomllib.loads(example(page, name))), **study)
    return view.figure(result), caption(result)


def first_fastener(draw: Callable[[SnapResult], Figure]) -> Drawn:
    """The guide's clip, there and back."""
    result = pliant.solve(model_of(tomllib.loads(example(*CLIP))), reverse=True)
    return draw(result), caption(result)


def found_for_a_step() -> Drawn:
    """What path synthesis finds for the guide's step."""
    rows = [line.split(",") for line in example(*STEP).splitlines()]
    found = path([[float(x), float(y)] for x, y in rows])
    return view.figure(found), found.summary().partition("\n")[0]


def example(page: Path, name: str) -> str:
    """The text of a file that a page shows."""
    found = re.search(
        rf"This is `{name}`:\n\n```\w+\n(.*?)^```$", page.read_text(encoding="utf-8"), re.M | re.S
    )
    if found is None:
        raise SystemExit(f"{page} shows no {name}")
    return found[1]


FIGURES: dict[str, Callable[[], Drawn]] = {
    "figure-3": arm_both_ways,
    "figure-4b": rows_of_a_pair,
    "initial-and-stepped": initial_and_stepped,
    "two-orientations": two_orientations,
    "first-linkage": lambda: first_of_a_guide(*FOUR_BAR),
    "first-bands": lambda: first_of_a_guide(*FOUR_BAR, tolerance=0.02),
    "first-mechanism": lambda: first_of_a_guide(*LIFT),
    "first-fastener": lambda: first_fastener(strip),
    "first-fastener-force": lambda: first_fastener(force_chart),
    "found-for-a-step": found_for_a_step,
    **RELAXATION,
    **CONTACT,
    **VARIATION,
}


def make_readme_pictures(folder: Path = PICTURES) -> None:
    """Models of the gallery side by side, in few enough colours to be small."""
    folder.mkdir(exist_ok=True)
    for name, models in README.items():
        drawn = [picture(model) for model in models]
        height = min(image.height for image in drawn)
        scaled = [image.resize((image.width * height // image.height, height)) for image in drawn]
        sheet = Image.new("RGB", (sum(image.width for image in scaled), height), "white")
        left = 0
        for image in scaled:
            sheet.paste(image, (left, 0))
            left += image.width
        made = folder / name
        sheet.quantize(COLOURS, dither=Image.Dither.NONE).save(made, optimize=True)
        if made.stat().st_size > README_BYTES:
            raise SystemExit(f"{made} has {made.stat().st_size} bytes; {README_BYTES} are wanted")


def picture(name: str) -> Image.Image:
    """A solved model of the gallery."""
    content = io.BytesIO()
    result = answer(name)
    frame = pressed(result) if isinstance(result, SnapResult) else None
    sheet = view.figure(result, frame=frame, names=names_of(result.motion), width=4.6)
    sheet.savefig(content, format="png", dpi=120)
    return Image.open(content).convert("RGB")


if __name__ == "__main__":
    make_readme_pictures() if "--readme" in sys.argv[1:] else make_all()
