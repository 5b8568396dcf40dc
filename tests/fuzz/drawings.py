"""Drawings, linkages and MJCF broken at random: read, or refused in words, and nothing else.

`python -m tests.fuzz.drawings --seconds 600` goes on from a seed until the time is up, and names every seed
that ended in another way; `--seed 12 --count 1` does one again.
"""

from __future__ import annotations

import argparse
import math
import signal
import sys
import tempfile
import time
import warnings
from functools import cache
from pathlib import Path
from random import Random
from types import FrameType

from tests.unit.files.sheets import box, dxf, halved_shelf, jigsaw, svg
from tests.unit.files.test_import_dxf import closed_spline, rounded_slot
from tests.unit.files.test_import_others import FOUR_BAR, PMKS_PLUS, PMKS_SLIDER, PMKS_URL, PYSLVS, SPATIAL

from pliant.core.errors import InputError
from pliant.files.drawings.drawing_reader import read_parts
from pliant.files.linkages.pmks import is_pmks, pmks_linkage
from pliant.files.linkages.pyslvs import is_pyslvs, pyslvs_linkage
from pliant.files.mjcf.mjcf_reader import read_mjcf
from pliant.files.reader import model_of

LONGEST = 30  # seconds that one may take

GROUPS = """<defs><rect id="tab" width="10" height="4"/>
<symbol id="s" viewBox="0 0 9 9"><circle r="3"/></symbol></defs>
<style>.off { display: none } #x { stroke: red }</style>
<g id="x" transform="translate(50 50) rotate(90) scale(2)"><use xlink:href="#tab" x="5"/>
<use href="#s" width="5" height="5"/></g>
<g class="off"><path d="M0 0h5v5z"/></g><ellipse rx="9" ry="3"/><polyline points="0,0 5,5 5,0 0,0"/>
<path d="M30 50 a20 20 0 1 0 40 0 q 3 3 9 2 t 4 4 s 3 3 5 5 c1 1 2 2 3 0 z m 3 3 h 4 v 4 z"/>
<text x="3" y="4">lid</text>"""
PIECES = (
    *("nan", "NaN", "inf", "1e999", "-1e308", "1e-320", "0", "-", "", "<", ">", '"', "&", "#", "%", "z", "Z"),
    *("M", "A 0 0 0 1 1 3 3", "C", 'display="none"', 'transform="scale(0)"', 'transform="matrix(1 2 3)"'),
    *("<g>", "</g>", '<use href="#x"/>', '<use href="#tab"/>', "px", "mm", "in", "e", ".", "999999999999"),
    *("1e12", "\x00", "\U0001f600", "é", "LINE", "SPLINE", "INSERT", "ENDSEC", "EOF", "SECTION", "\n"),
)


@cache
def originals() -> tuple[tuple[str, str], ...]:
    """Suffix and text of what is broken."""

    def several(space: object, document: object) -> None:
        halved_shelf(space, document)
        rounded_slot(space)
        closed_spline(space)
        document.blocks.new("tab").add_circle((5, 5), 2)  # type: ignore[attr-defined]
        space.add_blockref("tab", (40, 40), dxfattribs={"rotation": 30})  # type: ignore[attr-defined]
        space.add_ellipse((60, 60), (9, 3), 0.5)  # type: ignore[attr-defined]

    with tempfile.TemporaryDirectory() as folder:
        drawn = (("R12", halved_shelf), ("R2000", several))
        texts = [dxf(Path(folder) / "a.dxf", draw, version).read_text() for version, draw in drawn]
    plain = [(".dxf", "  0\nSECTION\n  2\n" + text[text.index("ENTITIES") :]) for text in texts]
    linkages = [(".txt", text) for text in (PMKS_SLIDER, PMKS_URL, PMKS_PLUS, PYSLVS)]
    drawings = [(".svg", text) for text in (svg(GROUPS), box(), jigsaw(3, 2))]
    return (
        *drawings,
        *plain,
        *((".dxf", text) for text in texts),
        *linkages,
        (".xml", FOUR_BAR),
        (".xml", SPATIAL),
    )


def mutated(seed: int) -> tuple[str, str]:
    """A broken file: its suffix and its text, the same for a seed every time."""
    random = Random(seed)
    suffix, text = random.choice(originals())
    for _ in range(random.choice((1, 1, 2, 3, 6))):
        start = random.randrange(len(text) + 1)
        end = min(len(text), start + random.choice((0, 0, 1, 1, 3, 12, 60)))
        there = random.randrange(len(text) + 1)
        piece = random.choice(
            (
                random.choice(PIECES),
                text[there : there + random.choice((5, 40, 400))],
                str(math.exp(random.gauss(0, 12))),
            )
        )
        text = text[:start] + piece + text[end:]
    return suffix, text


def trial(seed: int, folder: Path) -> str:
    """What went wrong with a seed; "" where it was read, or refused in words."""
    suffix, text = mutated(seed)
    path = folder / f"broken{suffix}"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            _read(path, suffix, text)
    except InputError as error:
        return (
            ""
            if error.faults and all(fault.problem for fault in error.faults)
            else f"{seed}: refused without words"
        )
    except Exception as error:  # noqa: BLE001  which is what is looked for
        return f"{seed}: {type(error).__name__}: {str(error)[:200]}"
    return ""


def _read(path: Path, suffix: str, text: str) -> None:
    if suffix in (".svg", ".dxf"):
        found = read_parts(str(path), True)
        for part in found["parts"]:
            for rings in part["pieces"]:
                body = {"name": "a", "outline": rings[0], "holes": rings[1:], "fixed": True}
                model_of({"pliant": 1, "kind": "assembly", "bodies": [body]})
    elif suffix == ".xml":
        model_of(read_mjcf(str(path))["data"])
    elif is_pyslvs(text):
        model_of(pyslvs_linkage(text, "a").data)
    elif is_pmks(text):
        model_of(pmks_linkage(text, "a").data)


def main() -> None:
    """Try seeds until the time is up."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--seconds", type=float, default=60)
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--count", type=int, default=10**9)
    asked = options.parse_args()

    def too_long(_number: int, _frame: FrameType | None) -> None:
        raise TimeoutError(f"took more than {LONGEST} s")

    signal.signal(signal.SIGALRM, too_long)
    ends, tried = time.monotonic() + asked.seconds, 0
    with tempfile.TemporaryDirectory() as folder:
        while time.monotonic() < ends and tried < asked.count:
            signal.alarm(LONGEST)
            if wrong := trial(asked.seed + tried, Path(folder)):
                sys.stdout.write(wrong + "\n")
                sys.stdout.flush()
            tried += 1
    signal.alarm(0)
    sys.stdout.write(f"{tried} files from seed {asked.seed} on\n")


if __name__ == "__main__":
    main()
