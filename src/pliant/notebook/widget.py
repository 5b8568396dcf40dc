"""A widget whose sliders solve a model again, and whose player shows the answer."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from importlib.resources import files as resources
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from pliant.core.errors import Fault, InputError, PliantError
from pliant.core.progress import silent
from pliant.files.kinds import fetch, kind_named
from pliant.files.parse import MODEL_BYTES, parse, read_text
from pliant.files.reader import model_of
from pliant.files.studies import chosen_study
from pliant.notebook.ranges import SliderRange, slider_ranges
from pliant.view.player import answer_of, player_data, plots_of

if find_spec("anywidget") is None:
    cure = 'Install it: pip install "pliant[notebook]"'
    raise InputError([Fault("", "sliders need anywidget, which is not installed", cure)])

Widget: Any = import_module("anywidget").AnyWidget
traitlets: Any = import_module("traitlets")


def _text(package: str, name: str) -> str:
    return resources(package).joinpath(name).read_text(encoding="utf-8")


class Sliders(Widget):
    """Sliders and a player: what is asked comes from the sliders, what is answered goes to the player.

    Both have a number, `turn`, so that an answer is known to be the one to the last question.
    """

    _esm = _text("pliant.view", "player.js") + "\n" + _text("pliant.notebook", "widget.js")
    _css = _text("pliant.view", "player.css") + "\n" + _text("pliant.notebook", "widget.css")

    sliders = traitlets.List().tag(sync=True)
    asked = traitlets.Dict().tag(sync=True)
    answer = traitlets.Dict().tag(sync=True)

    def __init__(
        self, data: Mapping[str, Any], folder: Path | None, ranges: list[SliderRange], study: Any
    ) -> None:
        self.result: Any = None  # the last that was solved
        self._data, self._folder, self._study = data, folder, study
        values = {one.name: one.start for one in ranges}
        super().__init__(
            sliders=[vars(one).copy() for one in ranges],
            asked={"turn": 0, "values": values},
            answer=self._solved(0, values),
        )
        self.observe(self._answer, "asked")

    @property
    def values(self) -> dict[str, float]:
        """Where the sliders stand, by parameter."""
        return dict(self.asked["values"])

    def _answer(self, change: Any) -> None:
        asked = change["new"]
        self.answer = self._solved(asked["turn"], asked["values"])

    def _solved(self, turn: int, values: Mapping[str, float]) -> dict[str, Any]:
        """What the player is given; where there is no answer, why, in words."""
        try:
            model = model_of(self._data, parameters=values, folder=self._folder)
            study = chosen_study(model, None, self._study)
            self.result = fetch(kind_named(model.kind).solve)(model, study, progress=silent)
        except PliantError as error:
            return {"turn": turn, "error": str(error)}
        shown = player_data(self.result.motion, plots_of(self.result), answer_of(self.result))
        return {"turn": turn, "error": "", "player": shown}


def sliders(
    model: str | Path | Mapping[str, Any],
    ranges: Mapping[str, tuple[float, ...]] | None = None,
    study: Mapping[str, object] | None = None,
    **named: tuple[float, ...],
) -> Sliders:
    """A model with a slider for each of some parameters; where one is moved, it is solved again.

    Args:
        model: the path of its file, or its keys as a dict.
        ranges: by parameter, or by key path such as "pawls[0].stiffness", the least and the greatest
            value, and as a third number the step. Left out, half to one and a half of every parameter
            that the model has.
        study: keys of the study, as `pliant.solve` takes them.
        named: ranges too, of parameters whose names are words.

    Returns:
        What a notebook shows; `.values` is where the sliders stand, `.result` the answer.

    Raises:
        InputError: the model cannot be read, or a range is none.
    """
    if isinstance(model, Mapping):
        data, folder = dict(model), None
    else:
        data, folder = parse(read_text(Path(model), MODEL_BYTES), Path(model)), Path(model).parent
    wanted = slider_ranges(data, {**(ranges or {}), **named})
    model_of(data, "" if folder is None else str(model), folder=folder)
    return Sliders(data, folder, wanted, dict(study or {}))
