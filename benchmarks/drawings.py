"""Imports of drawings: jigsaws of more and more pieces, drawn piece by piece, every cut a double line."""

import resource
import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import process_time

from benchmarks.measure import seconds, table
from pliant.files import import_drawing
from pliant.flex.generate import jigsaw
from pliant.flex.model import Assembly

SIZES = ((5, 4), (15, 10), (30, 20), (45, 30))


def drawing(model: Assembly, path: Path) -> None:
    """An SVG of every outline, in mm."""
    outlines = [
        [(x + body.pose[0], y + body.pose[1]) for x, y in body.outline or ()] for body in model.bodies
    ]
    paths = "\n".join(f'<path d="M{" L".join(f"{x:.6f} {y:.6f}" for x, y in ring)}Z"/>' for ring in outlines)
    page = 'width="1000mm" height="1000mm" viewBox="0 0 1000 1000"'
    path.write_text(f'<svg xmlns="http://www.w3.org/2000/svg" {page}>\n{paths}\n</svg>\n', encoding="utf-8")


def imports(quick: bool) -> Iterator[str]:
    """CPU seconds of the reader, in its own process, and of the model that is made of what it says."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "jigsaw.svg"
        for columns, high in SIZES[:2] if quick else SIZES:
            drawing(jigsaw(columns, high, vertices=80), path)
            before, began = _children(), process_time()
            found = import_drawing(path, clearance=0.1)
            rest = process_time() - began
            vertices = found.figures["vertices"]
            rows.append((columns * high, vertices, seconds(_children() - before), seconds(rest)))
    yield "## Drawings\n\n" + table(["pieces", "vertices", "reader, CPU s", "model, CPU s"], rows)


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


SECTIONS = {"drawings": imports}
