"""The sliders of a notebook in a browser, with a kernel that answers when it is told to."""

import json
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from pliant.core.motion import Motion
from pliant.view.player import player_data

pytestmark = pytest.mark.browser

KERNEL = """
const state = %s, listeners = [], asked = [];
const model = {
  get: (key) => state[key],
  set: (key, value) => { state[key] = value; },
  save_changes: () => asked.push(state.asked),
  on: (_, act) => listeners.push(act), off: () => {},
};
window.asked = asked;
window.answer = (given) => {
  state.answer = { turn: state.asked.turn, ...given };
  listeners.forEach((act) => act());
};
window.end = render({ model, el: document.body });
"""


def shown(title: str) -> dict:
    points = np.array([[[0.0, 0], [4, 0]], [[0, 0], [4, 1]]])
    motion = Motion("step", "", np.arange(2.0), title=title, point_names=("a", "b"), points=points)
    return player_data(motion, (), {"sentence": title, "tone": "sound", "alerts": [], "lines": []})


@pytest.fixture
def page(browser, tmp_path: Path):
    sliders = [{"name": "gap <b>", "low": 0, "high": 1, "step": 0.01, "start": 0.2}]
    answer = {"turn": 0, "error": "", "player": shown("first")}
    state = {"sliders": sliders, "asked": {"turn": 0, "values": {"gap <b>": 0.2}}, "answer": answer}
    scripts = [files(package).joinpath(name).read_text() for package, name in PARTS]
    kernel = KERNEL % json.dumps(state).replace("<", "\\u003c")
    (tmp_path / "notebook.html").write_text(
        f"<!doctype html><body><script type=module>{scripts[0]}\n{scripts[1]}\n{kernel}</script>"
    )
    page = browser.new_page()
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto((tmp_path / "notebook.html").as_uri())
    page.wait_for_selector(".stage canvas")
    yield page
    page.close()
    assert complaints == []


PARTS = (("pliant.view", "player.js"), ("pliant.notebook", "widget.js"))


def drag(page, value: float) -> None:
    page.locator(".pliant-sliders input").evaluate(
        "(bar, at) => { bar.value = at; bar.dispatchEvent(new Event('input')); }", value
    )


def asked(page) -> list[float]:
    return [one["values"]["gap <b>"] for one in page.evaluate("() => window.asked")]


def test_a_drag_asks_once_the_hand_rests_and_shows_the_answer(page):
    assert page.locator(".pliant-sliders label").inner_text().startswith("gap <b>")
    page.locator(".pliant-sliders input").evaluate(
        "bar => [0.3, 0.4, 0.5].forEach(at => { bar.value = at; bar.dispatchEvent(new Event('input')); })"
    )
    page.wait_for_function("() => window.asked.length === 1")
    assert asked(page) == [0.5]
    page.evaluate("(given) => window.answer(given)", {"error": "", "player": shown("second")})
    assert page.locator(".verdict").inner_text() == "second"


def test_what_is_moved_while_it_solves_is_asked_after_that_and_only_the_last(page):
    drag(page, 0.3)
    page.wait_for_function("() => window.asked.length === 1")
    drag(page, 0.6)
    drag(page, 0.7)
    page.wait_for_timeout(400)
    assert asked(page) == [0.3]
    page.evaluate("(given) => window.answer(given)", {"error": "", "player": shown("second")})
    page.wait_for_function("() => window.asked.length === 2")
    assert asked(page) == [0.3, 0.7]


def test_an_error_is_shown_in_words_and_goes_with_the_next_answer(page):
    drag(page, 0.3)
    page.wait_for_function("() => window.asked.length === 1")
    page.evaluate("(given) => window.answer(given)", {"error": "bodies[0]: too <thin>"})
    assert page.get_by_role("alert").inner_text() == "bodies[0]: too <thin>"
    assert page.locator(".verdict").inner_text() == "first"
    drag(page, 0.4)
    page.wait_for_function("() => window.asked.length === 2")
    page.evaluate("(given) => window.answer(given)", {"error": "", "player": shown("third")})
    assert not page.locator(".pliant-error").is_visible()
    page.evaluate("() => window.end()")
    assert page.locator(".stage").count() == 0
