"""From a model to a sheet of parts, and what is to be said of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field

from pliant.core.errors import Fault, InputError
from pliant.core.given import given_path, refused
from pliant.core.model import Flag, Frozen, Gap, Length, Positive
from pliant.core.store import Json, write_whole
from pliant.core.written import figure, listed
from pliant.files.drawings.units import MILLIMETRES
from pliant.files.parts.kerf import with_kerf
from pliant.files.parts.part import Part, cut_length, part_box, scaled
from pliant.files.parts.sheet import CutSheet, in_place, laid_out

FLAT, SOLID = (".svg", ".dxf"), (".stl", ".3mf")
PIN = 3.0  # mm, of a linkage where none is given
MOST = 20_000  # parts on a sheet


class CutSettings(Frozen):
    """How parts are cut; lengths in mm."""

    kerf: Gap = Field(0.0, description="width of the cut: outlines grow and holes shrink by half of it")
    pin: Length | None = Field(None, description="diameter of pin holes; of a linkage 3, else none")
    width: Length = Field(10.0, description="of a linkage's bars")
    scale: Positive = Field(1.0, description="by which the model is enlarged")
    chord: Length = Field(0.01, description="how far chords may be from roundings that pliant makes")
    spacing: Gap = Field(5.0, description="between parts on the sheet")
    sheet: tuple[Length, Length] | None = Field(None, description="its width and height; default as needed")
    in_place: Flag = Field(False, description="parts lie as the model has them drawn")
    thickness: Length | None = Field(None, description="of plates, for .stl and .3mf")


@dataclass(frozen=True)
class CuttingList:
    """Parts of a model on a sheet, in mm."""

    title: str  # of the model
    sheet: CutSheet  # parts where they are cut, and its size
    settings: CutSettings  # how they are cut
    notes: tuple[str, ...]  # what to know of them: layers, pins, what is not cut

    def summary(self) -> str:
        """How many parts, how large, how far a cutter goes, and what to know of them.

        Returns:
            Lines of text; the first is a sentence.
        """
        parts, (wide, high) = self.sheet.parts, self.sheet.size
        number = "1 part" if len(parts) == 1 else f"{len(parts)} parts"
        where = "as drawn, within" if self.sheet.in_place else "on a sheet of"
        lines = [f"Holds {number} {where} {figure(wide, digits=4)} × {figure(high, digits=4)} mm."]
        sizes = sorted((_size(part) for part in parts), key=lambda size: size[0] * size[1])
        ends = [" × ".join(figure(one, digits=4) for one in size) for size in (sizes[0], sizes[-1])]
        lines.append(f"  sizes     {ends[0]} mm" + (f" to {ends[1]} mm" if ends[0] != ends[1] else ""))
        lines.append(f"  cut       {figure(sum(map(cut_length, parts)) / 1000, digits=4)} m")
        if self.settings.kerf:
            half = figure(self.settings.kerf / 2, digits=4)
            lines.append(f"  kerf      outlines grown and holes shrunk by {half} mm")
        return "\n".join([*lines, *(f"  note      {note}" for note in self.notes)])

    def to_dict(self) -> dict[str, Json]:
        """The parts as plain data.

        Returns:
            Sheet, settings, notes, and of each part its name, layer, size and length of cut, in mm.
        """
        return {
            "title": self.title,
            "sheet": list(self.sheet.size),
            "in_place": self.sheet.in_place,
            "settings": self.settings.model_dump(),
            "parts": [
                {"name": part.name, "layer": part.layer, "size": list(_size(part)), "cut": cut_length(part)}
                for part in self.sheet.parts
            ],
            "notes": list(self.notes),
        }


def _size(part: Part) -> tuple[float, float]:
    low, high = part_box(part)
    return float(high[0] - low[0]), float(high[1] - low[1])


def parts_of(model: BaseModel, **settings: object) -> CuttingList:
    """The parts of an assembly, a fastener or a linkage, laid out to be cut.

    Args:
        model: an Assembly, a Fastener or a Linkage.
        settings: keys of `CutSettings`, in mm: kerf, pin, width, scale, chord,
            spacing, sheet, in_place, thickness.

    Returns:
        Parts in mm; `write_parts` puts them into a file.

    Raises:
        InputError: a setting is none, the kerf closes a part, or the sheet is too small.
    """
    given: dict[str, Any] = dict(settings)
    asked = CutSettings(**given)
    scale = asked.scale * _millimetres(str(getattr(model, "units", "mm")))
    found, notes = _uncut_parts(model, asked, scale)
    if len(found) > MOST:
        problem = f"the model has {len(found):,} parts; a sheet takes {MOST:,}"
        raise InputError([Fault("", problem, "Cut a part of the model")])
    cut = [with_kerf(scaled(part, scale), asked.kerf) for part in found]
    if faults := [one for one in cut if isinstance(one, Fault)]:
        raise InputError(faults)
    parts = [one for one in cut if isinstance(one, Part)]
    sheet = in_place(parts, asked.kerf) if asked.in_place else laid_out(parts, asked.spacing, asked.sheet)
    return CuttingList(str(getattr(model, "title", "")), sheet, asked, notes)


def _millimetres(unit: str) -> float:
    if unit not in MILLIMETRES:
        known = ", ".join(MILLIMETRES)
        problem = f"{unit!r} is no unit of length, and parts are cut in mm"
        raise InputError([Fault("units", problem, f"Write one of {known}, or give --set units=mm")])
    return MILLIMETRES[unit]


def _uncut_parts(model: BaseModel, asked: CutSettings, scale: float) -> tuple[list[Part], tuple[str, ...]]:
    """The parts in the model's unit, and what to know of them."""
    from pliant.files.parts.rigid_parts import assembly_parts, fastener_parts
    from pliant.flex.model import Assembly
    from pliant.linkage.model import Linkage
    from pliant.snap.model import Fastener

    if isinstance(model, Assembly):
        pin = None if asked.pin is None else asked.pin / scale
        undrilled = ("pins are not drilled; --pin gives their diameter",) if model.pins and not pin else ()
        return assembly_parts(model, pin), undrilled
    if isinstance(model, Fastener):
        return fastener_parts(model), ("hinges and springs are not cut",)
    if isinstance(model, Linkage):
        return _linkage(model, asked, scale)
    kind = getattr(model, "kind", type(model).__name__)
    problem = f'is "{kind}", whose elements have no outlines'
    raise InputError([Fault("kind", problem, "Parts are of an assembly, a fastener or a linkage")])


def _linkage(model: Any, asked: CutSettings, scale: float) -> tuple[list[Part], tuple[str, ...]]:
    from pliant.files.parts.link_plates import PlateSizes, linkage_parts
    from pliant.linkage.solve import solve

    pin = asked.pin or PIN
    if pin >= asked.width:
        problem = f"is {pin:g} mm, and bars are {asked.width:g} mm wide"
        raise InputError([Fault("--pin", problem, "Give a thinner pin, or a larger --width")])
    sizes = PlateSizes(asked.width / scale, pin / scale, asked.chord / scale)
    made = linkage_parts(solve(model, model.study), sizes)
    lengths = [f"{pin.joint} {pin.layers}" for pin in made.pins]
    notes = (*made.layers.describe(), f"pins go through layers: {listed(lengths, most=30)}")
    return made.parts, notes


def write_parts(parts: CuttingList, path: str | Path) -> None:
    """Write parts as .svg or .dxf for cutting, or as .stl or .3mf, extruded by their thickness.

    Args:
        parts: what `parts_of` gives.
        path: one that is there is replaced.

    Raises:
        InputError: the suffix is none of these, or there is no thickness.
        PliantError: the file cannot be written.
    """
    if not isinstance(parts, CuttingList):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise refused("parts", parts, "list of parts", "Give what parts_of makes of a model")
    write_whole(path, part_bytes(parts, given_path(path).suffix.lower()))


def part_bytes(parts: CuttingList, suffix: str) -> bytes:
    """What a file of that suffix holds."""
    from pliant.files.parts.dxf_out import dxf_text
    from pliant.files.parts.svg_out import svg_text

    if suffix in SOLID:
        return _solid_bytes(parts, suffix)
    writers: Mapping[str, Any] = {
        ".svg": lambda: svg_text(parts.sheet, parts.title),
        ".dxf": lambda: dxf_text(parts.sheet),
    }
    if suffix not in writers:
        cure = f"End the name in one of {', '.join((*FLAT, *SOLID))}"
        raise InputError([Fault("-o", f"{suffix!r} is no file of parts", cure)])
    return writers[suffix]().encode()


def _solid_bytes(parts: CuttingList, suffix: str) -> bytes:
    from pliant.files.parts.solids import meshes
    from pliant.files.parts.solids_out import stl_text, three_mf_bytes

    if parts.settings.thickness is None:
        raise InputError([Fault("--thickness", f"is not given, and {suffix} has solids", "Give it in mm")])
    made = meshes(parts.sheet, parts.settings.thickness, parts.settings.chord)
    return stl_text(made).encode() if suffix == ".stl" else three_mf_bytes(made, parts.title)
