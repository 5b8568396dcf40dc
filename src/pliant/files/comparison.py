"""Two answers to the same question, side by side: every figure of the one beside that of the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pliant.core.angular import amount_text, angles_of
from pliant.core.errors import Fault, InputError
from pliant.core.status import ANSWERED, NO_ANSWER, Status, Tone
from pliant.core.store import version
from pliant.view.shown import Shown

if TYPE_CHECKING:
    from pliant.core.motion import Motion
    from pliant.core.plot import Plot
    from pliant.core.store import Json

NOT_COMPARED = frozenset(
    {"motion", "seconds", "version", "model", "kind", "command", "message", "plots", "summary"}
)
EFFORT = frozenset(  # of the solver, and its own checks: they come last
    {
        *("steps", "rows", "columns", "solvers", "iterations", "relaxed", "threshold", "order", "left"),
        *("violation", "overlap", "path_overlap", "pin_error", "residual", "length_error"),
    }
)
LONGEST = 36  # letters of a word in a table
ALIKE = 1e-6  # of the larger: figures that differ by less are the same
SHORT = 3  # numbers of a list that are compared one by one; of longer ones, the least and the largest
LISTED = 30  # figures in a summary
Figure = float | str | None


class ComparisonStatus(Status):
    """Every ending of `pliant compare`."""

    ALIKE = "both have the same answer, in every figure", ANSWERED, Tone.SOUND
    DIFFERENT = "the two answers differ", ANSWERED, Tone.SOUND
    NO_ANSWER = "one of the two has no answer", NO_ANSWER


@dataclass(frozen=True)
class ComparedFigure:
    """One figure of both answers; None where an answer does not have it, or nothing bounds it."""

    name: str  # its key, such as "contacts.pin gate–post 1.share"
    first: Figure
    second: Figure
    angle: bool = False  # in radians

    @property
    def change(self) -> float | None:
        """From the first to the second, where both are numbers."""
        numbers = isinstance(self.first, float) and isinstance(self.second, float)
        return self.second - self.first if numbers else None  # pyright: ignore[reportOperatorIssue]

    @property
    def alike(self) -> bool:
        """Whether both say the same."""
        if self.change is None:
            return self.first == self.second
        largest = max(abs(float(self.first or 0.0)), abs(float(self.second or 0.0)))
        return abs(self.change) <= ALIKE * largest


@dataclass(frozen=True, repr=False, eq=False)
class Comparison(Shown):
    """Two results, what differs between them, and both side by side."""

    names: tuple[str, str]  # of the two, as tables and pictures have them
    results: tuple[Any, Any]  # the two answers
    figures: tuple[ComparedFigure, ...]  # every figure of either

    @property
    def status(self) -> ComparisonStatus:
        """How the two compare."""
        if any(result.status.exit_code != ANSWERED for result in self.results):
            return ComparisonStatus.NO_ANSWER
        return ComparisonStatus.DIFFERENT if self.differences else ComparisonStatus.ALIKE

    @property
    def message(self) -> str:
        """The status as a sentence."""
        return str(self.status)

    @property
    def differences(self) -> tuple[ComparedFigure, ...]:
        """The figures that are not alike, those of the effort last."""
        unlike = [one for one in self.figures if not one.alike]
        return tuple(sorted(unlike, key=lambda one: one.name.partition(".")[0] in EFFORT))

    @property
    def motion(self) -> Motion:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Both motions side by side."""
        from pliant.view.beside import beside

        return beside(*(result.motion for result in self.results), names=self.names)

    def plots(self) -> dict[str, Plot]:
        """The charts of both.

        Returns:
            Charts by the model's name and their own.
        """
        return {
            f"{name}: {key}": plot
            for name, result in zip(self.names, self.results, strict=True)
            for key, plot in result.plots().items()
        }

    def summary(self) -> str:
        """Say what differs.

        Returns:
            A sentence, that of each answer, and the figures that differ, a line each.
        """
        own = [result.summary().partition("\n")[0] for result in self.results]
        width = max(map(len, self.names))
        lines = [f"  {name:<{width}}  {said}" for name, said in zip(self.names, own, strict=True)]
        return "\n".join([_sentence(self), *lines, *_rows(self)])

    def to_dict(self) -> dict[str, Json]:
        """Both answers and all that was compared.

        Returns:
            Plain lists and numbers, for JSON.
        """
        data: dict[str, Any] = {
            "kind": self.results[0].to_dict()["kind"],
            "command": "compare",
            "status": self.status.name.lower(),
            "message": self.message,
            "version": version(),
            "names": list(self.names),
            "figures": [
                {"name": one.name, "first": one.first, "second": one.second, "change": one.change}
                for one in self.figures
            ],
            "in_radians": [one.name for one in self.figures if one.angle],
            "results": [
                {key: value for key, value in result.to_dict().items() if key != "motion"}
                for result in self.results
            ],
            "motion": self.motion.to_dict(),
        }
        return data


def compare_results(first: Any, second: Any, names: tuple[str, str] = ("A", "B")) -> Comparison:
    """Every figure of two results of the same kind and command.

    Raises:
        InputError: they answer different questions.

    """
    data = first.to_dict(), second.to_dict()
    for key in ("kind", "command"):
        if data[0][key] != data[1][key]:
            problem = f"is {data[0][key]!r} of the first and {data[1][key]!r} of the second"
            raise InputError([Fault(key, problem, "Compare answers to the same question")])
    if names[0] == names[1]:
        names = (f"{names[0]} (1)", f"{names[1]} (2)")
    found = [dict(_figures("", _compared(one))) for one in data]
    keys = dict.fromkeys([*found[0], *found[1]])
    angles = {*angles_of([*keys], {*first.in_radians, *second.in_radians})}
    figures = tuple(ComparedFigure(key, found[0].get(key), found[1].get(key), key in angles) for key in keys)
    return Comparison(names, (first, second), figures)


def _compared(data: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in data.items() if key not in NOT_COMPARED}


def _figures(name: str, value: Any) -> Iterator[tuple[str, Figure]]:
    """Numbers and words in plain data, by their place in it."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _figures(f"{name}.{key}" if name else str(key), inner)
    elif isinstance(value, bool | str):
        yield name, str(value).lower() if isinstance(value, bool) else value
    elif isinstance(value, int | float):
        yield name, float(value)
    elif isinstance(value, list | tuple):
        yield from _list_figures(name, value)


def _list_figures(name: str, values: Any) -> Iterator[tuple[str, Figure]]:
    numbers = [float(one) for one in values if isinstance(one, int | float) and not isinstance(one, bool)]
    if len(numbers) == len(values) > SHORT:
        yield f"{name} (least)", min(numbers)
        yield f"{name} (largest)", max(numbers)
    elif len(values) > SHORT and all(_is_vector(one) for one in values):
        for place, column in enumerate(zip(*values, strict=True)):
            yield from _list_figures(f"{name}[{place}]", column)
    elif all(isinstance(one, Mapping) for one in values):
        for place, one in enumerate(values):
            inner = {
                key: what for key, what in one.items() if key not in ("name", "bodies", "kind", "number")
            }
            yield from _figures(f"{name}.{_label(one, place)}", inner)
    elif len(values) <= SHORT:
        for place, one in enumerate(values):
            yield from _figures(f"{name}[{place}]", one)


def _is_vector(value: Any) -> bool:
    """Whether these are two numbers, or three."""
    return (
        isinstance(value, list | tuple)
        and len(value) in (2, 3)
        and all(isinstance(one, float) for one in value)
    )


def _label(one: Mapping[str, Any], place: int) -> str:
    """What an entry of a list is called: its name or its bodies, with a number where several have them."""
    bodies = "–".join(map(str, one["bodies"])) if isinstance(one.get("bodies"), list) else ""
    named = one.get("name") or " ".join(part for part in (_kind(one), bodies, _number(one)) if part)
    return str(named or place)


def _kind(one: Mapping[str, Any]) -> str:
    kind = one.get("kind", "")
    return "" if kind == "contact" else str(kind)


def _number(one: Mapping[str, Any]) -> str:
    return str(one["number"]) if one.get("number") else ""


def _sentence(compared: Comparison) -> str:
    unlike, both = compared.differences, " and ".join(compared.names)
    if not unlike:
        return f"Alike: {len(compared.figures)} figures of {both} are the same."
    first = next((one for one in unlike if one.change is not None), unlike[0])
    first_text, second_text = _figure_text(first, first.first), _figure_text(first, first.second)
    more = f": {first.name} is {first_text} and {second_text}{_percent(first)}"
    return f"{both} differ in {len(unlike)} of {len(compared.figures)} figures{more}."


def _figure_text(one: ComparedFigure, value: Figure) -> str:
    if value is None:
        return "none"
    return value if isinstance(value, str) else amount_text(value, one.angle, digits=5)


def _percent(one: ComparedFigure) -> str:
    if one.change is None or not one.first:
        return ""
    return f" ({100 * one.change / abs(float(one.first)):+.3g} %)"


def _rows(compared: Comparison) -> list[str]:
    """The figures that differ, as a table."""
    unlike = compared.differences
    if not unlike:
        return []
    cells: list[tuple[str, ...]] = [("", *compared.names, "change")]
    for one in unlike[:LISTED]:
        texts = [_figure_text(one, value) for value in (one.first, one.second)]
        short = [text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…" for text in texts]
        cells.append((one.name, *short, _percent(one).strip(" ()")))
    widths = [max(len(row[k]) for row in cells) for k in range(4)]
    lines = [
        "  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in cells
    ]
    more = len(unlike) - LISTED
    return [*lines, *([f"  and {more} more figures; --json has all"] if more > 0 else [])]
