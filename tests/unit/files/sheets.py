"""Drawings in the styles of common programs, made small for tests."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

SVG = "http://www.w3.org/2000/svg"


def svg(body: str, size: str = 'width="100mm" height="100mm" viewBox="0 0 100 100"', head: str = "") -> str:
    return f'{head}<svg xmlns="{SVG}" xmlns:xlink="http://www.w3.org/1999/xlink" {size}>\n{body}\n</svg>\n'


def write(folder: Path, text: str, name: str = "drawing.svg") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def knob(start: tuple[float, float], end: tuple[float, float], side: float) -> str:
    """Six Bézier curves from one corner of a piece to the next, with a knob to one side."""
    (x, y), (u, v) = start, end
    dx, dy = u - x, v - y
    places = (
        (0.2, 0.02),
        (0.5, -0.06),
        (0.4, 0.1),
        (0.3, 0.3),
        (0.7, 0.3),
        (0.6, 0.1),
        (0.5, -0.06),
        (0.8, 0.02),
        (1, 0),
    )
    points = [(x + dx * t - dy * s * side, y + dy * t + dx * s * side) for t, s in places]
    return " C " + " ".join(f"{a:.3f} {b:.3f}" for a, b in points)


def jigsaw(columns: int, rows: int, piece: float = 20.0, seed: int = 1) -> str:
    """Cut once: every row and column between pieces is one long path, and the border another."""
    random = Random(seed)
    wide, high = columns * piece, rows * piece
    across = down = ""
    for row in range(1, rows):
        across += f" M 0 {row * piece}"
        for k in range(columns):
            across += knob((k * piece, row * piece), ((k + 1) * piece, row * piece), random.choice((-1, 1)))
    for column in range(1, columns):
        down += f" M {column * piece} 0"
        for k in range(rows):
            down += knob(
                (column * piece, k * piece), (column * piece, (k + 1) * piece), random.choice((-1, 1))
            )
    r = piece / 10
    border = (
        f"M {r} 0 L {wide - r} 0 A {r} {r} 0 0 1 {wide} {r} L {wide} {high - r}"
        f" A {r} {r} 0 0 1 {wide - r} {high} L {r} {high} A {r} {r} 0 0 1 0 {high - r}"
        f" L 0 {r} A {r} {r} 0 0 1 {r} 0"
    )
    paths = "\n".join(
        f'<path fill="none" stroke="{colour}" stroke-width="0.1" d="{data}"/>'
        for colour, data in (("DarkBlue", across), ("DarkRed", down), ("Black", border))
    )
    return svg(paths, f'width="{wide}mm" height="{high}mm" viewBox="0 0 {wide} {high}"')


def curl(x: float, y: float) -> str:
    """What a generator draws into an inner corner for the burn: out and back to the same point."""
    return f"C {x - 0.1:.3f} {y:.3f} {x:.3f} {y + 0.1:.3f} {x:.3f} {y:.3f} "


def panel(x: float, y: float, wide: float, high: float, fingers: int, name: str, number: int) -> str:
    """A finger-jointed panel with a slot in another colour, and its name as text."""
    step = wide / (2 * fingers + 1)
    data = f"M {x:.3f} {y:.3f} "
    for k in range(fingers):
        left, right = x + (2 * k + 1) * step, x + (2 * k + 2) * step
        data += f"H {left:.3f} {curl(left, y)}V {y - 3:.3f} H {right:.3f} V {y:.3f} {curl(right, y)}"
    data += f"H {x + wide:.3f} V {y + high:.3f} H {x:.3f} V {y:.3f} Z"
    sx, sy = x + wide / 2 - 3, y + high / 2
    slot = f"M {sx:.3f} {sy:.3f} {curl(sx, sy)}V {sy - 3:.3f} H {sx + 6:.3f} V {sy:.3f} {curl(sx + 6, sy)}Z"
    return f"""<g id="p-{number}" style="fill:none;stroke-linecap:round">
<path d="{slot}" stroke="rgb(0,0,255)" stroke-width="0.20"/>
<path d="{data}" stroke="rgb(0,0,0)" stroke-width="0.20"/>
<text style="fill: rgb(255,0,0)" transform="matrix( 1 0 0 1 {x + wide / 2} {y + high - 5} )">{name}</text>
</g>"""


def box() -> str:
    """Three panels of a box, laid out for cutting."""
    panels = [
        panel(10, 10, 60, 40, 4, "front", 0),
        panel(80, 10, 60, 40, 4, "back", 1),
        panel(10, 65, 60, 50, 4, "lid", 2),
    ]
    return svg("\n".join(panels), 'width="150.00mm" height="130.00mm" viewBox="0.0 0.0 150.00 130.00"')


def dxf(path: Path, draw: Any, version: str = "R2010", units: int = 4) -> Path:
    """A DXF file of what `draw` adds to the model space of a new document."""
    import ezdxf

    document = ezdxf.new(version, setup=True)
    if version != "R12":
        document.header["$INSUNITS"] = units
    draw(document.modelspace(), document)
    document.saveas(path)
    return path


def halved_shelf(space: Any, document: Any) -> None:
    """Two boards with a halving joint, in place: polylines of an old program, with layers and a dimension."""
    document.layers.add("CUT")
    document.layers.add("DIMENSIONS")
    cut = {"layer": "CUT"}
    upright = [(0, 0), (18, 0), (18, 300), (0, 300)]
    space.add_polyline2d(upright, close=True, dxfattribs=cut)
    shelf = [(-100, 140), (0, 140), (0, 158), (-100, 158)]
    space.add_polyline2d(shelf, close=True, dxfattribs=cut)
    space.add_line((0, -20), (18, -20), dxfattribs={"layer": "DIMENSIONS"})
    space.add_text("shelf", dxfattribs={"insert": (-60, 148), "layer": "DIMENSIONS"})


# What a reader in a process of its own may do.


def sleep_long() -> None:
    import time

    time.sleep(600)


def hoard() -> None:
    import numpy as np

    np.ones(2**30)


def fail() -> None:
    raise KeyError("nothing of the kind")
