"""The door for files of other programs: by suffix, and where that says nothing, by what they hold."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from pliant.core.errors import Fault, InputError
from pliant.core.faults import name_cure
from pliant.core.given import given_path
from pliant.core.motion import Motion
from pliant.core.progress import Progress, silent
from pliant.core.store import Json
from pliant.core.written import figure, listed, vector_text
from pliant.files.child_process import SECONDS, call_in_child
from pliant.files.imported import EmptyDrawingError, Imported, LeftOutItem, open_marks
from pliant.files.parse import DRAWING_BYTES, file_size
from pliant.files.reader import model_of

DRAWINGS = (".svg", ".dxf")
READER = "pliant.files.drawings.drawing_reader:read_parts"
WIDE, NARROW = 1e5, 1e-2  # mm: wider or narrower, a part is more likely drawn in another unit
APART = 1.0  # mm: parts farther from each other than this do not hold each other


def import_drawing(
    path: str | Path,
    *,
    kind: str = "assembly",
    clearance: float = 0.0,
    fixed: Sequence[str] = (),
    bodies: str = "parts",
    chord: float | None = None,
    close: float | None = None,
    kerf: float = 0.0,
    scale: float = 1.0,
    units: str | None = None,
    only: Sequence[str] = (),
    skip: Sequence[str] = (),
    insides: bool = False,
    seconds: float = SECONDS,
    max_bytes: int = DRAWING_BYTES,
    progress: Progress = silent,
) -> Imported:
    """An SVG or DXF drawing as a model, in millimetres.

    Args:
        path: the drawing.
        kind: "assembly", "fastener" (pawls are what has a hinge) or "linkage" (plates with pin holes).
        clearance: between parts, as the model has it.
        fixed: names of the parts that are held; default the largest, or the one at the lower left.
        bodies: what is one body: "parts", or all parts of one of the "groups" or "layers".
        chord: how far chords may be from the curves they stand for, in mm; default 0.05, less of the tiny.
        close: how far apart ends may be that are joined, in mm; default 0.1, less of what is tiny.
        kerf: width of the cut, in mm: half of it is taken off every side.
        scale: by which the drawing is enlarged.
        units: of the drawing's numbers, such as "mm" or "in"; default as the file says.
        only: ids, groups, layers or colours to read, and nothing else.
        skip: ids, groups, layers or colours to leave out.
        insides: whether what is cut out of a part is a part too.
        seconds: that reading may take.
        max_bytes: the largest file that is read.
        progress: called as the work goes on.

    Returns:
        The model, and what was read, what was not and why.

    Raises:
        InputError: the file cannot be read.
        EmptyDrawingError: it holds nothing that a model could be made of; an InputError too.

    """
    path = given_path(path)
    _check_file(path, max_bytes)
    _check_lengths(
        scale=scale, **{key: one for key, one in (("chord", chord), ("close", close)) if one is not None}
    )
    _check_lengths(least=0.0, kerf=kerf, clearance=clearance)
    settings = {
        "path": str(path), "loops": kind != "assembly", "chord": chord, "close": close, "kerf": kerf,
        "scale": scale, "units": units, "only": list(only), "skip": list(skip), "insides": insides,
    }  # fmt: skip
    drawing = call_in_child(READER, settings, str(path), seconds=seconds, progress=progress)
    lines = tuple(np.array(one["points"]) for one in drawing["open"])
    if not drawing["parts"] and not (kind == "linkage" and drawing["loops"]):
        raise EmptyDrawingError([_nothing(drawing)], str(path), _open_motion(path.name, lines))
    title = path.stem.replace("_", " ").replace("-", " ").strip()[:100]
    try:
        data, chosen = _data(kind, drawing, title=title, clearance=clearance, fixed=fixed, bodies=bodies)
        model = model_of(data, str(path))
    except InputError as error:
        raise error if error.source else InputError(error.faults, str(path)) from None
    return Imported(
        str(path),
        path.suffix[1:].upper(),
        model,
        _facts(drawing, kerf),
        tuple(_left_out(drawing)),
        tuple(chosen),
        tuple(_warnings(drawing, kind, clearance + kerf)),
        lines,
        _figures(drawing),
    )


def _data(
    kind: str, drawing: dict[str, Any], *, title: str, clearance: float, fixed: Sequence[str], bodies: str
) -> tuple[dict[str, Any], list[str]]:
    if kind == "assembly":
        from pliant.files.drawings.assemblies import assembly_data

        return assembly_data(drawing["parts"], title=title, clearance=clearance, fixed=fixed, bodies=bodies)
    if kind == "fastener":
        from pliant.files.drawings.fasteners import fastener_data

        return fastener_data(drawing["parts"], drawing["loops"], title=title)
    if kind == "linkage":
        from pliant.files.drawings.pinned_plates import linkage_data

        return linkage_data(drawing["loops"], title=title, close=drawing["close"], fixed=fixed)
    known = ("assembly", "fastener", "linkage")
    raise InputError(
        [Fault("--kind", f"{kind!r} is not drawn", name_cure(kind, known, "A drawing is one of"))]
    )


def _check_file(path: Path, max_bytes: int) -> None:
    if path.suffix.lower() not in DRAWINGS:
        raise InputError([Fault("", "is neither .svg nor .dxf", "Give a drawing")], str(path))
    file_size(path, max_bytes)


def _check_lengths(least: float | None = None, **given: float) -> None:
    faults = [
        Fault(
            f"--{key}",
            f"is {value:g}, not a {'number from 0 on' if least == 0 else 'positive number'}",
            "Give a length in mm",
        )
        for key, value in given.items()
        if not (np.isfinite(value) and (value >= 0 if least == 0 else value > 0))
    ]
    if faults:
        raise InputError(faults)


def _nothing(drawing: dict[str, Any]) -> Fault:
    """Why a drawing has no parts."""
    if drawing["gone"]:
        return Fault(
            "",
            f"nothing is left of {listed(drawing['gone'])} beside the kerf",
            "Give a smaller --kerf, or --units",
        )
    if drawing["open"]:
        gaps = [one["gap"] for one in drawing["open"] if one["gap"]]
        near = f"; the ends nearest to each other are {figure(min(gaps), digits=3)} mm apart" if gaps else ""
        return Fault(
            "",
            f"has no closed loop: {_count(len(drawing['open']), 'line')} open{near}",
            "Close them, or give a larger --close",
        )
    why = "; ".join(f"{one['count']} {one['what']}: {one['why']}" for one in drawing["left_out"][:4])
    return Fault(
        "",
        f"has no line that could bound a part{f' ({why})' if why else ''}",
        "Convert text and images to paths",
    )


def _facts(drawing: dict[str, Any], kerf: float) -> dict[str, str]:
    sizes = sorted((part["size"] for part in drawing["parts"]), key=lambda size: size[0] * size[1])
    parts, holes = len(drawing["parts"]), drawing["holes"]
    facts = {"holds": _count(parts, "part") + (f" with {_count(holes, 'hole')}" if holes else "")}
    facts["drawn in"] = f"{drawing['unit']}; one unit of the file is {figure(drawing['millimetres'])} mm"
    facts["read"] = (
        f"{_count(drawing['strokes'], 'line')}, {drawing['vertices']:,} vertices,"
        f" curves within {drawing['chord']:.3g} mm"
        f"{f', half the kerf of {kerf:g} mm taken off' if kerf else ''}"
    )
    if sizes:
        least, most = (" × ".join(figure(one, digits=4) for one in size) for size in (sizes[0], sizes[-1]))
        facts["sizes"] = f"{most} mm" if parts == 1 else f"from {least} mm to {most} mm"
    if drawing["gaps"]:
        widest = max(drawing["gaps"], key=lambda gap: gap["width"])
        at, close = vector_text(widest["at"], digits=5), f"{drawing['close']:.3g}"
        facts["joined"] = (
            f"{_count(len(drawing['gaps']), 'gap')} of up to {figure(widest['width'], digits=3)} mm"
            f" (the widest at {at}; up to {close} mm is joined)"
        )
    facts |= _line_facts(drawing)
    return facts


def _line_facts(drawing: dict[str, Any]) -> dict[str, str]:
    facts: dict[str, str] = {}
    if drawing["doubled"]:
        facts["double"] = f"{_count(drawing['doubled'], 'loop')} drawn again, counted once"
    if drawing["borders"]:
        facts["borders"] = f"{_count(drawing['borders'], 'loop')} that other parts fill, and are no part"
    if drawing["slivers"]:
        facts["slivers"] = f"{_count(drawing['slivers'], 'face')} thinner than the tolerance, left out"
    if drawing["open"]:
        ends = [
            f"{vector_text(one['points'][0], digits=5)} to {vector_text(one['points'][-1], digits=5)}"
            for one in drawing["open"]
        ]
        inside = f", {drawing['engraved']} of them within parts" if drawing["engraved"] else ""
        facts["open"] = f"{_count(len(ends), 'line')} that bound nothing{inside}: {listed(ends, '; ', 3)}"
    colours = {key: count for key, count in drawing["colours"].items() if key}
    if len(colours) > 1:
        facts["colours"] = (
            ", ".join(f"{key} {count}" for key, count in list(colours.items())[:8]) + " (see --skip)"
        )
    layers = {key: count for key, count in drawing["layers"].items() if key}
    if len(layers) > 1:
        facts["layers"] = ", ".join(f"{key} {count}" for key, count in list(layers.items())[:8])
    if drawing["notes"]:
        facts["note"] = "; ".join(drawing["notes"])
    return facts


def _left_out(drawing: dict[str, Any]) -> list[LeftOutItem]:
    items: list[LeftOutItem] = []
    for one in drawing["left_out"]:
        layer = f"layer {one['layer']}" if one["layer"] else ""
        items.append(
            LeftOutItem(one["what"], one["why"], one["count"], ", ".join(filter(None, [layer, one["first"]])))
        )
    items += [LeftOutItem("part", f"nothing of {name} is left beside the kerf") for name in drawing["gone"]]
    return items


def _warnings(drawing: dict[str, Any], kind: str, gap: float) -> list[str]:
    warnings: list[str] = []
    for word, odd in (("wide", lambda size: max(size) > WIDE), ("narrow", lambda size: min(size) < NARROW)):
        parts = [part for part in drawing["parts"] if odd(part["size"])]
        if parts:
            size = max(parts[0]["size"]) if word == "wide" else min(parts[0]["size"])
            more = f", and {len(parts) - 1} more are so" if len(parts) > 1 else ""
            said = (
                f"{size / 1e6:.3g} km"
                if size > 1e6
                else f"{size / 1e3:.3g} m"
                if size > 1e3
                else f"{size * 1e3:.3g} µm"
            )
            warnings.append(
                f"{parts[0]['name']!r} is {said} {word}{more}:"
                " is the drawing in another unit? See --units and --scale"
            )
    for one, other, area in drawing["overlaps"][:3] if kind == "assembly" else ():
        warnings.append(f"{one!r} and {other!r} overlap by {figure(area, digits=3)} mm²")
    if len(drawing["overlaps"]) > 3 and kind == "assembly":
        warnings.append(f"{len(drawing['overlaps']) - 3} more pairs overlap")
    apart = drawing["apart"]
    if kind == "assembly" and apart is not None and apart > APART:
        warnings.append(
            f"no two parts are nearer than {figure(apart, digits=3)} mm:"
            " laid out for cutting, nothing holds them"
        )
    elif kind == "assembly" and apart is not None and apart < 1e-6 and not gap:
        warnings.append("parts touch without any clearance: nothing can move. Give --clearance or --kerf")
    return warnings


def _figures(drawing: dict[str, Any]) -> dict[str, Json]:
    """The findings as plain data, without the outlines, which the model has."""
    figures: dict[str, Json] = {
        key: value for key, value in drawing.items() if key not in ("parts", "loops", "open")
    }
    figures["parts"] = [
        {key: value for key, value in part.items() if key != "pieces"} for part in drawing["parts"]
    ]
    figures["open"] = [
        {
            **{key: value for key, value in one.items() if key != "points"},
            "from": one["points"][0],
            "to": one["points"][-1],
        }
        for one in drawing["open"]
    ]
    return figures


def _open_motion(title: str, lines: tuple[Any, ...]) -> Motion:
    return Motion(
        axis="drawn", unit="", values=np.zeros(1), title=title, length_unit="mm", marks=open_marks(lines)
    )


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def import_file(
    path: str | Path,
    *,
    seconds: float = SECONDS,
    max_bytes: int = DRAWING_BYTES,
    progress: Progress = silent,
    **settings: object,
) -> Imported:
    """A drawing, a linkage of PMKS, pylinkage or Pyslvs, or a mechanism in MJCF as a model.

    Args:
        path: the file; what it is, its suffix says, or what it holds.
        seconds: that reading may take.
        max_bytes: the largest file that is read.
        progress: called as the work goes on.
        settings: of a drawing, as `import_drawing` takes them; other files take none.

    Returns:
        The model, and what was read, what was not and why.

    Raises:
        InputError: the file cannot be read.
        EmptyDrawingError: it holds nothing that a model could be made of; an InputError too.

    """
    path = given_path(path)
    given: dict[str, Any] = dict(settings)
    common: dict[str, Any] = {"seconds": seconds, "max_bytes": max_bytes, "progress": progress}
    if path.suffix.lower() in DRAWINGS:
        return import_drawing(path, **common, **given)
    from pliant.files.other_programs import import_other

    defaults = import_drawing.__kwdefaults__ or {}
    odd = [key for key, value in given.items() if value not in (defaults.get(key), (), None)]
    if odd:
        cure = "Leave it out, or give an .svg or .dxf file"
        raise InputError([Fault(f"--{key}", "is for drawings", cure) for key in odd], str(path))
    return import_other(path, **common)
