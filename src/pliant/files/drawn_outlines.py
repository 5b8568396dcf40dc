"""Outlines that a model takes from a drawing: `outline = { file = "tray.svg", id = "lid" }`.

The drawing lies in the model's folder, or below it; nothing else is opened.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from pliant.core.errors import Fault, InputError
from pliant.core.faults import KeyPath, key_path, name_cure, value_text
from pliant.core.model import as_list

KEYS = ("file", "id", "units", "scale", "chord", "close", "kerf")
READER = "pliant.files.drawings.drawing_reader:read_parts"

Pieces = list[list[Any]]


def with_drawn_outlines(data: dict[str, Any], folder: Path | None) -> tuple[dict[str, Any], list[Fault]]:
    """The data with outlines in place of the drawings they are in, and what is wrong with those."""
    references = list(_references(data))
    if not references:
        return data, []
    if folder is None:
        cure = "Put the model into a file beside the drawing, or import the drawing"
        return data, [
            Fault(key_path(place), "names a drawing, and the model has no folder", cure)
            for place, _ in references
        ]
    faults: list[Fault] = []
    drawings: dict[str, dict[str, Any]] = {}
    for place, table in references:
        try:
            pieces = _pieces(table, folder, drawings)
            data = _put(data, place, pieces)
        except InputError as error:
            where = key_path(place)
            faults += [
                Fault(
                    where,
                    f"{value_text(table.get('file'))}: {str(one)[:300]}"
                    if one.where
                    else f"{value_text(table.get('file'))} {one.problem}",
                    one.cure if not one.where else "",
                )
                for one in error.faults
            ]
    return data, faults


def _references(data: Mapping[str, Any]) -> Iterator[tuple[KeyPath, Mapping[str, Any]]]:
    """Where a drawing stands in place of an outline."""
    for key in ("bodies", "pawls", "obstacles"):
        for index, part in enumerate(as_list(data.get(key))):
            if isinstance(part, Mapping) and _is_reference(part.get("outline")):
                yield (key, index, "outline"), part["outline"]
    root, shapes = data.get("root"), data.get("shapes")
    if isinstance(root, Mapping) and _is_reference(root.get("outline")):
        yield ("root", "outline"), root["outline"]
    for name, shape in shapes.items() if isinstance(shapes, Mapping) else ():
        if _is_reference(shape):
            yield ("shapes", name), shape


def _is_reference(value: Any) -> bool:
    return isinstance(value, Mapping) and "file" in value


def _pieces(table: Mapping[str, Any], folder: Path, drawings: dict[str, dict[str, Any]]) -> Pieces:
    """Outlines with their holes of what the table asks for."""
    for key in table:
        if key not in KEYS:
            raise InputError([Fault("", f"has the key {value_text(key)}", name_cure(str(key), KEYS, "Keys"))])
    path = _inside(folder, table["file"])
    settings = {key: _setting(key, table[key]) for key in KEYS[2:] if key in table}
    asked = table.get("id")
    if asked is not None and not isinstance(asked, str):
        raise InputError([Fault("", f"has id = {value_text(asked)}, not a text", 'Write id = "lid"')])
    whole = _read(path, settings, drawings)
    parts = whole["parts"]
    if asked is None:
        if len(parts) != 1:
            cure = name_cure("", [part["name"] for part in parts], 'Name one with id = "…"; there are')
            raise InputError([Fault("", f"holds {len(parts)} parts", cure)])
        return parts[0]["pieces"]
    mine = [part for part in parts if asked in (part["name"], part["id"])]
    mine = mine or [part for part in parts if asked in (part["group"], part["layer"])]
    if not mine:
        try:
            mine = _read(path, {**settings, "only": [asked]}, drawings)["parts"]
        except InputError:
            mine = []
    if not mine:
        cure = name_cure(asked, [part["name"] for part in parts], "Parts")
        raise InputError([Fault("", f"has no part called {asked!r}", cure)])
    return [piece for part in mine for piece in part["pieces"]]


def _inside(folder: Path, given: Any) -> Path:
    """The drawing's path, which must not lead out of the folder."""
    if not isinstance(given, str) or not given.lower().endswith((".svg", ".dxf")) or "\0" in given:
        raise InputError([Fault("", "is no .svg or .dxf file", 'Write file = "tray.svg"')])
    root = folder.resolve()
    path = (root / given).resolve()
    if Path(given).is_absolute() or not path.is_relative_to(root):
        raise InputError([Fault("", "lies outside the model's folder", "Copy the drawing beside the model")])
    return path


def _setting(key: str, value: Any) -> Any:
    from pliant.core.quantity import number

    if key == "units":
        return str(value)
    try:
        amount = number(value)
    except ValueError:
        amount = -1.0
    if not (amount > 0 or (key == "kerf" and amount == 0)):
        raise InputError(
            [Fault("", f"has {key} = {value_text(value)}, not a positive number", "Give a length in mm")]
        )
    return amount


def _read(path: Path, settings: Mapping[str, Any], drawings: dict[str, dict[str, Any]]) -> dict[str, Any]:
    from pliant.files.child_process import call_in_child
    from pliant.files.parse import DRAWING_BYTES, file_size

    key = repr((path, sorted(settings.items())))
    if key not in drawings:
        try:
            file_size(path, DRAWING_BYTES)
        except InputError as error:
            raise InputError(error.faults) from None
        drawings[key] = call_in_child(READER, {"path": str(path), "loops": False, **settings}, "")
    return drawings[key]


def _put(data: dict[str, Any], place: KeyPath, pieces: Pieces) -> dict[str, Any]:
    """The data with outlines at a place; what is on the way to it is copied, nothing else."""
    if place[0] == "shapes":
        shape: Any = _shape(pieces)
        return _changed(data, place, lambda _: shape)
    if place[0] != "bodies":
        if len(pieces) != 1 or len(pieces[0]) != 1:
            raise InputError([Fault("", "is not one outline without holes", "Name a part that is")])
        return _changed(data, place, lambda _: pieces[0][0])

    def body(given: dict[str, Any]) -> dict[str, Any]:
        rest = {key: value for key, value in given.items() if key != "outline"}
        made = _shape(pieces)
        return rest | (made if isinstance(made, dict) else {"outline": made})

    return _changed(data, place[:-1], body)


def _shape(pieces: Pieces) -> Any:
    single = [ring[0] if len(ring) == 1 else {"outline": ring[0], "holes": ring[1:]} for ring in pieces]
    return single[0] if len(single) == 1 else {"outlines": single}


def _changed(value: Any, place: KeyPath, change: Callable[[Any], Any]) -> Any:
    if not place:
        return change(value)
    copied = dict(value) if isinstance(value, Mapping) else list(value)
    copied[place[0]] = _changed(copied[place[0]], place[1:], change)  # type: ignore[index]
    return copied
