"""Names of parts: the words that stand in them, their labels, their groups or layers; else numbers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from statistics import median

import shapely

from pliant.files.drawings.faces import CutPart
from pliant.files.drawings.strokes import Caption

LONGEST = 60  # characters of a name
# What programs call things when nobody gives them a name.
_GIVEN = re.compile(
    r"(path|rect|circle|ellipse|line|polyline|polygon|g|group|use|svg|layer|shape|block|path\d+|p|tspan|text)?"
    r"[-_ .]?\d*([-_.]\d+)*",
    re.IGNORECASE,
)
_ODD = re.compile(r"[^\w .+-]")


def name_parts(parts: Sequence[CutPart], captions: Sequence[Caption], *, handles: bool) -> None:
    """Name every part, each once; `handles` are names that a program gave, and are not used."""
    said = _captions_of(parts, captions)
    ordered = sorted(range(len(parts)), key=_reading_order(parts))
    wanted = {number: said.get(number) or _label(parts[number], handles) for number in range(len(parts))}
    times = Counter(name for name in wanted.values() if name)
    seen = Counter[str]()
    plain = 0
    used = {name for name, count in times.items() if count == 1}
    for number in ordered:
        name = wanted[number]
        if name and times[name] == 1:
            parts[number].name = name
            continue
        while True:
            if name:
                seen[name] += 1
                label = f"{name} {seen[name]}"
            else:
                plain += 1
                label = f"part {plain}" if parts[number].loop is not None else f"piece {plain}"
            if label not in used:
                break
        parts[number].name = label
        used.add(label)


def _captions_of(parts: Sequence[CutPart], captions: Sequence[Caption]) -> dict[int, str]:
    """The words in each part, where they stand in one only, and alone."""
    if not captions or not parts:
        return {}
    tree = shapely.STRtree([shapely.Polygon(part.region.exterior) for part in parts])
    caption, part = tree.query(shapely.points([one.at for one in captions]), predicate="within")
    texts_in: dict[int, list[str]] = {}
    for one, other in zip(caption.tolist(), part.tolist(), strict=True):
        texts_in.setdefault(other, []).append(captions[one].text)
    return {
        number: clean(texts[0]) for number, texts in texts_in.items() if len(texts) == 1 and clean(texts[0])
    }


def _label(part: CutPart, handles: bool) -> str:
    if part.loop is None:
        return ""
    loop = part.loop
    candidates = [] if handles else [loop.name]
    candidates += [loop.group, loop.layer]
    return next((clean(one) for one in candidates if one and not _GIVEN.fullmatch(one) and clean(one)), "")


def clean(text: str) -> str:
    """A name without what would be awkward on a command line."""
    return " ".join(_ODD.sub(" ", text).split())[:LONGEST].strip()


def _reading_order(parts: Sequence[CutPart]) -> Callable[[int], tuple[int, float]]:
    """Rows from the top, each from the left; between rows, centres are a third of a part's height apart."""
    centres = [part.region.centroid for part in parts]
    high = median(part.region.bounds[3] - part.region.bounds[1] for part in parts) if parts else 0.0
    row, rows, last = 0, dict[int, int](), None
    for number in sorted(range(len(parts)), key=lambda one: -centres[one].y):
        row += last is not None and last - centres[number].y > high / 3
        rows[number], last = row, centres[number].y
    return lambda number: (rows[number], centres[number].x)
