"""The pictures of the documentation, made by pliant itself.

    python docs/make_pictures.py            every picture, into docs/_build/pictures
    python docs/make_pictures.py --readme   the picture of README.md, into docs/pictures

A picture is made again when the package or this file has changed, and kept otherwise.
"""

from __future__ import annotations

import hashlib
import io
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

import pliant
from pliant import gallery, view
from pliant.core.motion import Mark, Motion
from pliant.core.pose import carry
from pliant.flex.distance import contact_points, gaps
from pliant.flex.result import FlexResult
from pliant.flex.step import place
from pliant.flex.system import compile_system

HERE = Path(__file__).parent
FOLDER = HERE / "_build" / "pictures"
README = HERE / "pictures" / "flex.png"
README_BYTES = 200_000
WORKERS = 2
DPI = 130


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
    (folder / "gallery.md").write_text("\n".join(entries(folder)), encoding="utf-8")


def sources_key() -> str:
    """A hash of the package and of this file."""
    found = [*sorted(Path(pliant.__file__).parent.rglob("*.*")), Path(__file__)]
    files = [path for path in found if path.suffix in (".py", ".toml")]
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()


def jobs() -> list[str]:
    """Names of all pictures: the slow ones first, so that nobody waits for them at the end."""
    return sorted([*gallery.names(), *FIGURES], key=lambda name: name not in gallery.SLOW)


def make(name: str, folder: Path) -> bool:
    """Make one picture, and the words that go with it; False where it is there already."""
    picture, words = folder / f"{name}.png", folder / f"{name}.txt"
    if words.exists():
        return False
    if name in FIGURES:
        motion, text = FIGURES[name]()
        view.save_figure(view.figure(motion, before=None, names=False), picture, dpi=DPI)
    else:
        result = pliant.solve(gallery.load(name))
        view.save_figure(view.figure(result, names=False), picture, dpi=DPI)
        text = caption(result)
    words.write_text(text, encoding="utf-8")
    return True


def caption(result: FlexResult) -> str:
    """What came of a solve, in a sentence and its numbers."""
    linear = "no bound" if result.linear is None else f"{result.linear:.4g}"
    return (
        f"{result.summary().partition(chr(10))[0]} First estimate {linear}, {result.steps} steps, program "
        f"{result.rows} × {result.columns}, overlap {result.overlap:.1g} with a gap of {result.gap:.3g}."
    )


def entries(folder: Path) -> Iterator[str]:
    """The gallery as Markdown, model after model."""
    for name in gallery.names():
        words = (folder / f"{name}.txt").read_text(encoding="utf-8")
        described = gallery.describe(name)
        yield f"### {name}\n\n{described}.\n"
        yield f":::{{figure}} _build/pictures/{name}.png\n:alt: {described}\n\n{words}\n:::\n"


def arm_both_ways() -> tuple[Motion, str]:
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
    return still(motion, marks), f"Turns found, in radians: {words}."


def rows_of_a_pair() -> tuple[Motion, str]:
    """Each row of the first program of the pair, from its vertex to the edge it is measured from."""
    model = gallery.load("joint-pair")
    system = compile_system(model, model.study.for_command("flex"))
    here = place(system, system.parts.drawn, system.reach, None)
    rows = here.contacts.rows
    points, normals = contact_points(rows, here.poses)
    feet = points - gaps(rows, here.poses)[:, None] * normals
    lines = [Mark("segment", np.stack(ends), group="distance") for ends in zip(points, feet, strict=True)]
    return still(pliant.solve(model, steps=1).motion, lines), f"{len(rows)} rows."


def still(motion: Motion, marks: list[Mark]) -> Motion:
    """The first frame alone, with other marks."""
    scalars = {name: rows[:1] for name, rows in motion.body_scalars.items()}
    first = {"values": motion.values[:1], "poses": motion.poses[:1], "points": motion.points[:1]}
    rest: dict[str, Any] = {"body_scalars": scalars, "signals": {}, "events": (), "marks": tuple(marks)}
    return replace(motion, **first, **rest)


FIGURES: dict[str, Callable[[], tuple[Motion, str]]] = {
    "figure-3": arm_both_ways,
    "figure-4b": rows_of_a_pair,
}


def make_readme_picture(path: Path = README) -> None:
    """Three models of the gallery side by side, in few enough colours to be small."""
    drawn = [picture(name) for name in ("eight-blocks", "chair", "jigsaw")]
    height = min(image.height for image in drawn)
    scaled = [image.resize((image.width * height // image.height, height)) for image in drawn]
    sheet = Image.new("RGB", (sum(image.width for image in scaled), height), "white")
    left = 0
    for image in scaled:
        sheet.paste(image, (left, 0))
        left += image.width
    path.parent.mkdir(exist_ok=True)
    sheet.quantize(160, dither=Image.Dither.NONE).save(path, optimize=True)
    if path.stat().st_size > README_BYTES:
        raise SystemExit(f"{path} has {path.stat().st_size} bytes; {README_BYTES} are wanted")


def picture(name: str) -> Image.Image:
    """A solved model of the gallery."""
    content = io.BytesIO()
    sheet = view.figure(pliant.solve(gallery.load(name)), names=False, width=4.6)
    sheet.savefig(content, format="png", dpi=120)
    return Image.open(content).convert("RGB")


if __name__ == "__main__":
    make_readme_picture() if "--readme" in sys.argv[1:] else make_all()
