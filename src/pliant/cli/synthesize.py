"""`pliant synthesize`: linkages that trace a drawn curve, or pass through a few points."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pliant.cli.answer import print_json, print_summary, print_written, write_answer
from pliant.cli.options import SUFFIXES, OutputFile, json_option, max_size_option, quiet_option, same_file
from pliant.cli.watch import Watch
from pliant.core.errors import Fault, InputError
from pliant.core.progress import Interrupted
from pliant.core.status import INTERRUPTED

if TYPE_CHECKING:
    from pliant.linkage.synthesis.result import Synthesis

BARS = ("four", "six", "both", "swivel")
TABLES = (".toml", ".json")
PICTURE = "answers.png"
APART = re.compile(r"\s*[,;\t]\s*|\s+")

NumberRow = tuple[float, float]


class OutputPlace(OutputFile):
    """A file to be written, or a folder for all of them: made where it is not there."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """A name without a suffix is a folder."""
        path = Path(value)
        if path.suffix and not path.is_dir():
            return super().convert(value, param, ctx)
        if path.is_file():
            self.fail(f"{value!r} is a file, and has no suffix that says what to write", param, ctx)
        if not path.parent.is_dir():
            self.fail(f"the folder {str(path.parent)!r} does not exist; make it first", param, ctx)
        return path


@click.command()
@click.argument("points", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    "outputs",
    type=OutputPlace((*SUFFIXES, ".toml")),
    multiple=True,
    metavar="FOLDER|FILE",
    help="A folder for every answer as a model and a picture; or a .toml for the best, or a picture, film, "
    "player or .json. Repeatable.",
)
@click.option("--bars", type=click.Choice(BARS), default="four", help="Among which linkages (default four).")
@click.option("--open", "is_open", is_flag=True, help="The path has two ends.")
@click.option(
    "--through/--drawn", default=None, help="Only the points count, or the line through them (by number)."
)
@click.option("--answers", type=click.IntRange(1, 100), default=5, help="How many linkages (default 5).")
@click.option("--candidates", type=click.IntRange(1, 100_000_000), default=50_000, help="How many are tried.")
@click.option("--seed", type=click.IntRange(0), default=0, help="The same seed gives the same answers.")
@click.option(
    "--transmission",
    type=click.FloatRange(0, 90, max_open=True),
    metavar="DEG",
    help="The least transmission angle that an answer may have, in degrees.",
)
@click.option(
    "--largest",
    type=click.FloatRange(0, min_open=True),
    metavar="N",
    help="How large an answer may be, in times the target's size (default 6).",
)
@json_option
@quiet_option
@max_size_option
@click.pass_context
def synthesize(
    ctx: click.Context,
    points: Path,
    outputs: tuple[Path, ...],
    is_open: bool,
    json_to: str | None,
    quiet: bool,
    max_bytes: int,
    transmission: float | None,
    **settings: Any,
) -> None:
    """Find linkages that trace a curve.

    POINTS holds a line "x,y" for each point (.csv), or points = [[x, y], …] (.toml, .json). Up to
    forty points are passed; more are a drawn curve.
    """
    from pliant.files import result_data

    settings["transmission"] = None if transmission is None else math.radians(transmission)
    files = tuple(path for path in outputs if path.suffix and not path.is_dir())
    folders = tuple(path for path in outputs if path not in files)
    same_file((*files, *([Path(json_to)] if json_to and json_to != "-" else [])), points, "file of points")
    given = read_points(points, max_bytes)
    result, stopped = _search(given, quiet, closed=not is_open, **settings)
    written = _write(result, files, folders, json_to, quiet)
    if json_to == "-":
        print_json(result_data(result))
    elif not quiet:
        print_summary(result.summary())
    if not quiet:
        print_written(written)
    ctx.exit(INTERRUPTED if stopped else result.status.exit_code)


def _search(given: list[NumberRow], quiet: bool, **settings: Any) -> tuple[Synthesis, bool]:
    from pliant.linkage.synthesis import path

    with Watch(quiet) as watch:
        try:
            return path(given, progress=watch, **settings), watch.asked_to_stop
        except Interrupted as interruption:
            result: Any = interruption.result
            return result, True


def _write(
    result: Synthesis, files: tuple[Path, ...], folders: tuple[Path, ...], json_to: str | None, quiet: bool
) -> list[Path]:
    """Every file asked for; what was written."""
    from pliant.core.store import write_json
    from pliant.files import result_data, save

    models = {path: 0 for path in files if path.suffix.lower() == ".toml"}
    pictures = [path for path in files if path not in models]
    for folder in folders:
        folder.mkdir(exist_ok=True)
        models |= {folder / f"best-{number + 1}.toml": number for number in range(len(result.answers))}
        pictures.append(folder / PICTURE)
    kept = {path: number for path, number in models.items() if number < len(result.answers)}
    for path, number in kept.items():
        save(result.answers[number].linkage, path)
    with Watch(quiet) as watch:
        plots = list(result.plots().values())
        write_answer(result.motion, pictures, watch, data=result_data(result), plots=plots, said=result)
    if json_to and json_to != "-":
        write_json(json_to, result_data(result))
        return [*kept, *pictures, Path(json_to)]
    return [*kept, *pictures]


def read_points(path: Path, max_bytes: int) -> list[NumberRow]:
    """The points of a file, or an InputError that lists every line that holds none."""
    from pliant.files.parse import named_file, parse, read_text

    text = read_text(path, max_bytes)
    faults: list[Fault] = []
    if path.suffix.lower() in TABLES:
        rows = _read_points(parse(text, path, exact=False), path)
        points = [_point(row, f"points[{index}]", faults) for index, row in enumerate(rows)]
    else:
        points = [_point(row, where, faults) for where, row in _lines(text)]
    if faults:
        raise InputError(faults, named_file(path))
    return [point for point in points if point is not None]


def _read_points(data: dict[str, Any], path: Path) -> list[Any]:
    from pliant.files.parse import named_file

    rows = data.get("points")
    if not isinstance(rows, list):
        problem = "is missing" if rows is None else f"is {rows!r}, not a list"
        raise InputError([Fault("points", problem, "Write points = [[0, 0], [1, 2], …]")], named_file(path))
    return rows


def _lines(text: str) -> list[tuple[str, list[str]]]:
    """Lines with something in them, split; a first line of words is a heading."""
    lines = [(number, line.partition("#")[0].strip()) for number, line in enumerate(text.splitlines(), 1)]
    rows = [(f"line {number}", APART.split(line)) for number, line in lines if line]
    heading = bool(rows) and all(re.fullmatch(r'"?[A-Za-z_][^"]*"?', word) for word in rows[0][1])
    return rows[1:] if heading else rows


def _point(row: Any, where: str, faults: list[Fault]) -> NumberRow | None:
    """Two finite numbers; else a fault is added."""
    shown = ",".join(map(str, row)) if isinstance(row, list) else str(row)
    try:
        x, y = map(_number, row)
    except (TypeError, ValueError, OverflowError):
        faults.append(Fault(where, f"{shown!r} is not two numbers", 'Write "x,y", such as 1.5,2'))
        return None
    if math.isfinite(x) and math.isfinite(y):
        return x, y
    faults.append(Fault(where, f"{shown!r} is not finite", "Give numbers that a double can hold"))
    return None


def _number(value: Any) -> float:
    if isinstance(value, bool):
        raise TypeError
    return float(value)
