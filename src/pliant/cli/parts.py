"""`pliant parts`: what to cut or print of a model."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from pliant.cli.answer import print_json, print_summary, print_written
from pliant.cli.options import (
    NumberPair,
    OutputFile,
    json_option,
    max_size_option,
    model_argument,
    quiet_option,
    same_file,
    set_option,
)

SUFFIXES = (".svg", ".dxf", ".stl", ".3mf")


@click.command()
@model_argument
@click.option(
    "-o",
    "--output",
    "outputs",
    type=OutputFile(SUFFIXES),
    multiple=True,
    metavar="FILE",
    help="Write .svg or .dxf for cutting, .stl or .3mf for printing. Repeatable.",
)
@click.option("--kerf", metavar="MM", help="Width of the cut: outlines grow, holes shrink by half (0).")
@click.option("--thickness", metavar="MM", help="Of plates, for .stl and .3mf.")
@click.option("--pin", metavar="MM", help="Diameter of pin holes (3 for a linkage; else none are drilled).")
@click.option("--width", metavar="LENGTH", help="Of a linkage's bars, in mm (10).")
@click.option("--scale", metavar="FACTOR", help="Enlarge the model, and neither pins nor bars (1).")
@click.option("--spacing", metavar="MM", help="Between parts on the sheet (5).")
@click.option(
    "--sheet", type=NumberPair(), metavar="W,H", help="Size of the sheet in mm (default as needed)."
)
@click.option("--in-place", is_flag=True, default=None, help="Leave the parts where the model has them.")
@click.option("--chord", metavar="MM", help="Chords stay this close to the roundings of bars (0.01).")
@set_option
@json_option
@quiet_option
@max_size_option
def parts(
    model: Path,
    outputs: tuple[Path, ...],
    parameters: Mapping[str, str],
    json_to: str | None,
    quiet: bool,
    max_bytes: int,
    **settings: Any,
) -> None:
    """Parts to cut or print: outlines with holes, in mm and true size.

    Of an assembly and a fastener, every body, its clearance taken off; of a linkage, bars with pin holes, in
    layers in which they pass each other, with spacers.
    """
    from pliant.core.errors import InputError
    from pliant.core.store import write_json, write_whole
    from pliant.files import load
    from pliant.files.parse import named_file
    from pliant.files.parts.cutting_list import part_bytes, parts_of

    same_file(outputs, model)
    given = {key: value for key, value in settings.items() if value is not None}
    loaded = load(model, max_bytes=max_bytes, parameters=parameters)
    try:
        found = parts_of(loaded, **given)
        written = [(path, part_bytes(found, path.suffix.lower())) for path in outputs]
    except InputError as error:
        raise InputError(error.faults, named_file(model)) from None
    for path, content in written:
        write_whole(path, content)
    if json_to == "-":
        print_json(found.to_dict())
    elif json_to:
        write_json(json_to, found.to_dict())
    if not quiet and json_to != "-":
        print_summary(found.summary())
    if not quiet:
        print_written([*outputs, *([json_to] if json_to and json_to != "-" else [])])
