"""The player in a real browser, opened from disk."""

import base64
import csv
import io
from dataclasses import replace
from importlib.resources import files
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import pliant.view
from pliant.core.motion import Event, Mark, Motion, Shape, Signal
from pliant.core.plot import Plot, Series
from pliant.core.status import ANSWERED, Status, Tone
from pliant.core.store import write_csv
from pliant.view.player import player_data

pytestmark = pytest.mark.browser

HOSTILE = "</script><img src=x onerror=\"document.title='owned'\">"
RED_PIXELS = """() => {
  const canvas = document.querySelector('.stage canvas');
  const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d');
  copy.drawImage(canvas, 0, 0);
  const data = copy.getImageData(0, 0, canvas.width, canvas.height).data;
  let count = 0;
  for (let i = 0; i < data.length; i += 4)
    count += data[i] > 180 && data[i + 1] < 90 && data[i + 2] < 110 && data[i + 3] > 120;
  return count;
}"""


COLOURED_PIXELS = """([r, g, b]) => {
  const canvas = document.querySelector('.stage canvas');
  const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d');
  copy.drawImage(canvas, 0, 0);
  const data = copy.getImageData(0, 0, canvas.width, canvas.height).data;
  let count = 0;
  for (let i = 0; i < data.length; i += 4) {
    const off = Math.abs(data[i] - r) + Math.abs(data[i + 1] - g) + Math.abs(data[i + 2] - b);
    count += off < 12 && data[i + 3] > 240;
  }
  return count;
}"""


TIPS = """(shares) => {
  const canvas = document.querySelector('.stage canvas'), tip = document.querySelector('.tip');
  const box = canvas.getBoundingClientRect();
  return shares.map(([x, y]) => {
    const place = { clientX: box.left + x * box.width, clientY: box.top + y * box.height };
    canvas.dispatchEvent(new PointerEvent('pointermove', { ...place, bubbles: true }));
    return tip.hidden ? null : tip.textContent;
  });
}"""


PLAY = """() => {
  document.querySelector('.play').click();
  return Number(document.querySelector('.scrub input').value);
}"""


def blocks() -> Motion:
    poses = np.zeros((5, 3, 3))
    poses[:, 1:, 0] = np.linspace(20, 60, 5)[:, None] + [0, 15]
    poses[:, 2, 2] = np.linspace(0, 0.5, 5)
    square = np.array([[0.0, 0.0], [10.0, 0.0], [10.0, 10.0], [0.0, 10.0]])
    return Motion(
        "step",
        "",
        np.arange(5.0),
        title=HOSTILE,
        length_unit="mm",
        bodies=("base", HOSTILE, "tip"),
        shapes=(Shape((square,)),),
        body_shapes=np.zeros(3, np.int64),
        fixed=np.array([True, False, False]),
        poses=poses,
        body_scalars={"turn": poses[:, :, 2].copy()},
        marks=(Mark("arrow", np.array([[5.0, 5.0], [5.0, 25.0]]), group="force", value=2.0),),
        signals={"reach": Signal("mm", poses[:, 2, 0].copy())},
        events=(Event(2.0, "touches"),),
    )


def crank() -> Motion:
    angles = np.linspace(0, 2 * np.pi, 60, endpoint=False)
    tips = 10 * np.stack([np.cos(angles), np.sin(angles)], axis=-1)
    bar = np.array([[-1.0, -1.0], [11.0, -1.0], [11.0, 1.0], [-1.0, 1.0]])
    return Motion(
        "angle",
        "deg",
        np.degrees(angles),
        bodies=("bar",),
        shapes=(Shape((bar,)),),
        body_shapes=np.zeros(1, np.int64),
        fixed=np.array([False]),
        poses=np.concatenate([np.zeros((60, 1, 2)), angles[:, None, None]], axis=2),
        point_names=("A", "B"),
        points=np.stack([np.zeros_like(tips), tips], axis=1),
        marks=(
            Mark("curve", np.vstack([tips, tips[:1]]), group="trace", text="B"),
            Mark("curve", 0.5 * tips, group="trace", text="C"),
            Mark("curve", 0.8 * tips, group="before"),
            Mark("polygon", 0.7 * tips, group="band", text="C"),
            Mark("curve", np.array([[-2.0, -3.0], [2.0, -3.0]]), group="ground"),
        ),
    )


def latch() -> Motion:
    """A bar that goes down 10; at 4 it turns in four frames, and its load is gone."""
    values = np.array([0.0, 1, 2, 3, 4, 4, 4, 4, 4, 4, 5, 6, 7, 8, 9, 10])
    turned = np.array([0.0, 0, 0.4, 0.6, 0.8, 0.6, 0.4, 0.2, 0, 0, 0, 0, 0, 0, 0, 0])
    return Motion(
        "travel",
        "mm",
        values,
        bodies=("bar",),
        shapes=(Shape((np.array([[0.0, 0.0], [8.0, 0.0], [8.0, 1.0], [0.0, 1.0]]),)),),
        body_shapes=np.zeros(1, np.int64),
        fixed=np.array([False]),
        poses=np.stack([0 * values, -values, turned], axis=1)[:, None],
        signals={"angle": Signal("rad", turned)},
        events=(Event(1.0, "contact"), Event(4.0, "snap"), Event(4.0, "rests"), Event(8.5, "stop")),
    )


def tower() -> Motion:
    points = np.random.default_rng(0).uniform(0, 5, (3, 4, 3))
    return Motion(
        "drive",
        "",
        np.arange(3.0),
        point_names=tuple("abcd"),
        points=points,
        strokes=np.array([[0, 1], [2, 3]]),
    )


def lift() -> Motion:
    """A face that rises in space, far from the origin, on rods in barrels; a slack string has no joints."""
    corners = np.array([[500.0, 500, 0], [510, 500, 0], [500, 510, 0]])
    top = corners + np.linspace(0, 8, 5)[:, None, None] * [0, 0, 1] + [0, 0, 6]
    sag = np.broadcast_to([[503.0, 503, 1], [506, 501, 1]], (5, 2, 3))
    faces = [Mark("polygon", top[f].copy(), f, group="plate") for f in range(5)]
    barrels = [Mark("segment", foot + np.outer([0, 4], [0, 0, 1]), group="actuator") for foot in corners]
    return Motion(
        "drive",
        "%",
        np.linspace(0, 100, 5),
        point_names=("a", "b", "c", "", ""),
        points=np.concatenate([top, sag], axis=1),
        strokes=np.array([[0, 1], [1, 2], [2, 0], [0, 3], [3, 4], [4, 1]]),
        stroke_scalars={"force": np.tile(np.arange(6.0), (5, 1))},
        marks=(*faces, *barrels),
        signals={"residual": Signal("N", np.array([1e-15, 1e-9, 1e-3, 1e-12, 1e-15]))},
    )


@pytest.fixture
def open_page(browser, tmp_path: Path):
    """Opens a player from disk; the test fails on any console message, error or request beyond the file."""
    contexts, said, asked = [], [], []

    def open_it(motion, plots: tuple[Plot, ...] | None = (), **options):
        path = tmp_path / "player.html"
        pliant.view.write_player(motion, path, plots)
        context = browser.new_context(**{"viewport": {"width": 800, "height": 720}, **options})
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("request", lambda request: asked.append(request.url))
        page.goto(path.as_uri())
        page.wait_for_selector(".stage canvas")
        settle(page)
        return page

    yield open_it
    for context in contexts:
        context.close()
    assert said == []
    assert {url.split(":")[0] for url in asked} <= {"file", "data"}
    assert len([url for url in asked if url.startswith("file")]) == len(contexts)


def settle(page) -> None:
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


def picture(page) -> bytes:
    settle(page)
    return page.evaluate("() => document.querySelector('.stage canvas').toDataURL()")


def scrub(page, position: float) -> None:
    page.locator(".scrub input").evaluate(
        "(bar, at) => { bar.value = at; bar.dispatchEvent(new Event('input', { bubbles: true })); }", position
    )


def middle(page) -> tuple[float, float]:
    box = page.locator(".stage canvas").bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def tips(page, shares: list[tuple[float, float]]) -> list[str | None]:
    """What is said where the cursor is at each place, in shares of the picture; None where nothing is."""
    return page.evaluate(TIPS, [list(map(float, share)) for share in shares])


def find(page, name: str) -> tuple[float, float]:
    """Where on the page a body of that name is, along the middle; the cursor is left there."""
    shares = [(share, 0.6) for share in np.linspace(0.02, 0.98, 48)]
    said = tips(page, shares)
    assert name in said, f"{name} is nowhere"
    box, (x, y) = page.locator(".stage canvas").bounding_box(), shares[said.index(name)]
    place = box["x"] + x * box["width"], box["y"] + y * box["height"]
    page.mouse.move(*place)
    assert page.locator(".tip").is_visible()
    assert page.locator(".tip").text_content() == name
    return place


def test_it_opens_from_disk_at_the_end_with_red_outlines_of_the_start(open_page):
    page = open_page(blocks())
    assert page.locator(".readout").inner_text() == "step 4"
    assert page.evaluate(RED_PIXELS) > 100
    page.get_by_label("Before").uncheck()
    settle(page)
    assert page.evaluate(RED_PIXELS) == 0


def test_scrubbing_moves_the_picture_and_between_frames_too(open_page):
    page = open_page(blocks())
    pictures = []
    for position in (0, 0.25, 0.3, 1):
        scrub(page, position)
        pictures.append(picture(page))
    assert len(set(pictures)) == 4
    assert page.locator(".scrub input").get_attribute("aria-valuetext") == "step 4"


def test_the_signal_follows_and_a_click_on_it_seeks(open_page):
    page = open_page(blocks())
    scrub(page, 0.5)
    assert page.locator(".signals output").inner_text() == "55"
    box = page.locator(".signals .chart").bounding_box()
    page.mouse.click(box["x"] + box["width"] - 9, box["y"] + 30)
    assert float(page.locator(".readout").inner_text().split()[1]) == pytest.approx(4, abs=0.05)
    shift = page.locator(".signals .cursor").evaluate("(line) => new DOMMatrix(line.style.transform).e")
    assert shift == pytest.approx(box["width"] - 9, abs=3)


def test_the_wheel_zooms_about_the_cursor_and_f_fits_again(open_page):
    page = open_page(blocks())
    start = picture(page)
    find(page, "tip")
    for _ in range(10):
        page.mouse.wheel(0, -200)
    settle(page)
    assert page.locator(".tip").text_content() == "tip"  # fifty times as big, and still under the cursor
    assert picture(page) != start
    page.keyboard.press("f")
    page.mouse.move(5, 5)
    assert picture(page) == start


def test_dragging_pans_and_double_click_comes_close_and_back(open_page):
    page = open_page(blocks())
    x, y = middle(page)
    start = picture(page)
    page.mouse.move(x, y - 120)
    page.mouse.down()
    page.mouse.move(x + 60, y - 90, steps=3)
    page.mouse.up()
    moved = picture(page)
    assert moved != start
    page.mouse.dblclick(x, y - 150)
    page.mouse.move(5, 5)
    assert picture(page) == start


def test_keys_step_jump_and_play(open_page):
    page = open_page(blocks())
    readout = page.locator(".readout")
    for key, wanted in (
        ("Home", "step 0"),
        ("ArrowRight", "step 1"),
        ("ArrowRight", "step 2"),
        ("ArrowLeft", "step 1"),
    ):
        page.keyboard.press(key)
        assert readout.inner_text() == wanted
    page.keyboard.press(" ")
    assert page.locator(".play").get_attribute("aria-label") == "Pause"
    page.wait_for_function("() => parseFloat(document.querySelector('.readout').textContent.slice(5)) > 1.2")
    page.keyboard.press(" ")
    assert page.locator(".play").get_attribute("aria-label") == "Play"


@pytest.mark.slow
def test_back_and_forth_turns_round_at_the_end(open_page):
    page = open_page(blocks())
    page.get_by_label("At the end").select_option("bounce")
    page.get_by_label("Speed").select_option("4")
    scrub(page, 0.9)
    page.locator(".play").click()
    page.wait_for_function("() => document.querySelector('.scrub input').value > 0.99")
    page.wait_for_function("() => document.querySelector('.scrub input').value < 0.8")


def test_names_are_text_on_hover_and_never_markup(open_page):
    page = open_page(blocks())
    scrub(page, 0)
    settle(page)
    find(page, HOSTILE)
    assert page.locator("h1").inner_text() == HOSTILE
    assert page.locator("img").count() == 0
    assert page.title() == HOSTILE


def test_colouring_by_a_scalar_shows_its_legend_and_marks_can_go(open_page):
    page = open_page(blocks())
    plain = picture(page)
    page.get_by_label("Colour by").last.select_option(label="turn")
    assert page.locator(".legend").inner_text().split() == ["turn", "0", "0.5"]
    coloured = picture(page)
    page.get_by_label("force").uncheck()
    assert len({plain, coloured, picture(page)}) == 3


def test_traced_curves_are_drawn_each_in_its_colour_and_can_go(open_page):
    page = open_page(crank())
    boxes = [label.inner_text() for label in page.locator(".options label").all()]
    assert boxes == [
        "Before",
        "Names",
        "Paths",
        "path of B",
        "path of C",
        "before the edit",
        "tolerance band",
    ]
    for name, colour in (("B", [0xD5, 0x5E, 0x00]), ("C", [0x00, 0x72, 0xB2])):
        assert page.evaluate(COLOURED_PIXELS, colour) > 300
        page.get_by_label(f"path of {name}").uncheck()
        settle(page)
        assert page.evaluate(COLOURED_PIXELS, colour) < 60  # the dot of the traced point stays


@pytest.mark.parametrize("layer", ["before the edit", "tolerance band"])
def test_what_was_before_and_bands_are_drawn_and_can_go(open_page, layer):
    page = open_page(crank())
    start = picture(page)
    page.get_by_label(layer, exact=True).uncheck()
    assert picture(page) != start


def test_a_motion_with_traced_curves_opens_at_its_start_without_outlines(open_page):
    page = open_page(crank())
    assert page.locator(".readout").inner_text() == "angle 0 deg"
    assert not page.get_by_label("Before", exact=True).is_checked()
    assert page.evaluate(COLOURED_PIXELS, [0xCF, 0x2A, 0x3A]) == 0


def test_hovering_a_traced_curve_names_it(open_page):
    page = open_page(crank())
    said = set(tips(page, [(0.5, share) for share in np.linspace(0.05, 0.95, 200)]))
    assert {"path of B", "path of C", "before the edit", "ground", "tolerance band · C"} <= said


@pytest.mark.slow
def test_what_comes_round_plays_on_without_a_rest(open_page):
    page = open_page(crank())
    page.get_by_label("Speed").select_option("4")
    scrub(page, 0.9)
    page.locator(".play").click()
    page.wait_for_function("() => document.querySelector('.scrub input').value < 0.5")
    waited = page.evaluate(
        """() => new Promise((done) => {
          const bar = document.querySelector('.scrub input');
          let last = bar.value, at = performance.now(), most = 0;
          const look = (now) => {
            if (bar.value !== last) { most = Math.max(most, now - at); at = now; last = bar.value; }
            if (now - start < 2500) requestAnimationFrame(look); else done(most);
          };
          const start = performance.now();
          requestAnimationFrame(look);
        })"""
    )
    assert waited < 450  # a motion that ends rests for 600 ms


def test_events_are_ticks_that_seek(open_page):
    page = open_page(blocks())
    tick = page.get_by_role("button", name="touches")
    assert tick.evaluate("(node) => node.style.left") == "50%"
    tick.click()
    assert page.locator(".readout").inner_text() == "step 2"


def test_a_snap_takes_time_while_the_axis_stands_still(open_page):
    page = open_page(latch())
    seen, read = set(), set()
    for share in (0.1, 0.4, 0.7):  # of the snap, which lasts four frames of fifteen
        scrub(page, (0.4 + share * 4 / 15) / (1 + 4 / 15))
        seen.add(picture(page))
        read.add(page.locator(".readout").inner_text())
    assert len(seen) == 3
    assert read == {"travel 4 mm"}


def test_events_at_one_value_lie_at_both_ends_of_what_moves_there(open_page):
    page = open_page(latch())
    for name, place in (("contact", 0.1), ("snap", 0.4), ("rests", 0.4 + 4 / 15), ("stop", 0.85 + 4 / 15)):
        left = page.get_by_role("button", name=name).evaluate("(node) => parseFloat(node.style.left)")
        assert left == pytest.approx(100 * place / (1 + 4 / 15), abs=1e-4)
    page.get_by_role("button", name="snap").click()
    assert page.locator(".signals output").inner_text() == "0.8"
    page.get_by_role("button", name="rests").click()
    assert page.locator(".signals output").inner_text() == "0"


@pytest.mark.parametrize("falls", [False, True])
def test_the_cursor_of_a_signal_stands_at_the_value_and_a_click_seeks_it(open_page, falls):
    motion = latch()
    values = 10 - motion.values if falls else motion.values
    page = open_page(replace(motion, values=values, events=()))
    box = page.locator(".signals .chart").bounding_box()
    cursor = page.locator(".signals .cursor")
    shift = "(line) => new DOMMatrix(line.style.transform).e"
    ends = []
    for position in (0, 1):
        scrub(page, position)
        ends.append(cursor.evaluate(shift))
    start, end = ends
    assert start > end if falls else start < end
    scrub(page, 0.45)  # in the snap
    assert cursor.evaluate(shift) == pytest.approx(start + 0.4 * (end - start), abs=0.01)
    page.mouse.click(box["x"] + start + 0.75 * (end - start), box["y"] + 30)
    read = float(page.locator(".readout").inner_text().split()[1])
    assert read == pytest.approx(2.5 if falls else 7.5, abs=0.1)
    assert cursor.evaluate(shift) == pytest.approx(start + 0.75 * (end - start), abs=1)


def test_keys_step_through_a_snap_and_over_frames_at_one_place(open_page):
    page = open_page(latch())
    places = page.locator(".scrub input")
    for key in ("ArrowLeft", "ArrowRight"):
        walked = [places.input_value()]
        for _ in range(14):  # sixteen frames, of which two are alike
            page.keyboard.press(key)
            walked.append(places.input_value())
        assert len(set(walked)) == 15
    assert float(walked[0]) == 0
    assert float(walked[-1]) == 1


def test_what_goes_forth_and_back_opens_where_it_is_farthest_and_plays_from_the_start(open_page):
    there = blocks()
    poses = np.concatenate([there.poses, there.poses[-2::-1]])
    page = open_page(replace(there, values=np.arange(9.0), poses=poses, body_scalars={}, signals={}))
    assert page.locator(".readout").inner_text() == "step 4"
    places = []
    for position in (None, 0.5):  # a place that was sought is played from
        if position is not None:
            scrub(page, position)
        places.append(page.evaluate(PLAY))
    assert places == [0, 0.5]


def test_a_bar_that_only_turns_opens_at_its_end(open_page):
    rounding = 1e-12 * np.array([0.0, 1, 2, 3, 2, 1, 0])
    poses = np.stack([rounding, 0 * rounding, np.linspace(0, 0.5, 7)], axis=1)[:, None]
    bar = replace(latch(), values=np.arange(7.0), poses=poses, signals={}, events=())
    assert open_page(bar).locator(".readout").inner_text() == "travel 6 mm"


def test_space_turns_under_the_hand(open_page):
    page = open_page(tower())
    x, y = middle(page)
    start = picture(page)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 80, y + 20, steps=3)
    page.mouse.up()
    page.mouse.move(5, 5)
    assert picture(page) != start


ORANGE = [0xC2, 0x6A, 0x12]


def drag(page, across: float, down: float) -> None:
    x, y = middle(page)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + across, y + down, steps=4)
    page.mouse.up()
    page.mouse.move(5, 5)


def test_space_turns_about_the_middle_of_what_is_there(open_page):
    page = open_page(lift())
    assert page.evaluate(COLOURED_PIXELS, ORANGE) > 50
    for across in (200, 200, 200):
        drag(page, across, 0)
        assert page.evaluate(COLOURED_PIXELS, ORANGE) > 50  # five hundred from the origin, and still here


@pytest.mark.slow
def test_space_turns_by_itself_when_told_to(open_page):
    page = open_page(lift())
    start = picture(page)
    page.get_by_label("Turn").check()
    page.wait_for_timeout(200)
    page.get_by_label("Turn").uncheck()
    turned = picture(page)
    assert turned != start
    page.wait_for_timeout(100)
    assert picture(page) == turned
    assert open_page(blocks()).get_by_label("Turn").count() == 0


def test_faces_and_other_marks_that_move_do_so_between_frames(open_page):
    still = np.zeros((3, 1, 2))
    marks = tuple(Mark("arrow", np.array([[0.0, 0], [9, 5 * f]]), f, group="load") for f in range(3))
    page = open_page(Motion("t", "", np.arange(3.0), point_names=("a",), points=still, marks=marks))
    seen = set()
    for position in (0, 0.1, 0.2, 0.3, 0.5):
        scrub(page, position)
        seen.add(picture(page))
    assert len(seen) == 5


def test_points_without_a_name_are_not_joints_to_point_at(open_page):
    page = open_page(lift())
    shares = [(x, y) for x in np.linspace(0.1, 0.9, 60) for y in (0.3, 0.4, 0.5, 0.6, 0.7)]
    said = set(tips(page, shares))
    assert "" not in said
    assert said & {"plate", "actuator"}


def test_strokes_in_space_take_the_colours_of_a_scalar(open_page):
    page = open_page(lift())
    darkest = [0x1F, 0x2F, 0x6E]
    assert page.evaluate(COLOURED_PIXELS, darkest) < 5
    page.get_by_label("Colour by").last.select_option(label="force")
    settle(page)
    assert page.evaluate(COLOURED_PIXELS, darkest) > 10


def test_a_traced_motion_that_ends_elsewhere_opens_at_its_end(open_page):
    whole = crank()
    half = {"values": whole.values[:20], "poses": whole.poses[:20], "points": whole.points[:20]}
    page = open_page(replace(whole, **half))
    assert page.locator(".readout").inner_text() == "angle 114 deg"


def test_plots_are_drawn_under_the_motion(open_page):
    line = Series("a", np.arange(1.0, 5), np.array([1.0, 3, 2, 100]))
    bars = Series("b", np.arange(3.0), np.arange(3.0), "bars", low=np.zeros(3), high=np.arange(3.0) + 1)
    page = open_page(
        blocks(),
        (
            Plot("Line", "x", "y", (line,), y_scale="log", note="seed 1"),
            Plot("Bars", "", "y", (bars,), ticks=("p", "q", "r")),
        ),
    )
    charts = page.locator(".plots canvas")
    assert charts.count() == 2
    blank = "(c) => new Set(c.getContext('2d').getImageData(0, 0, c.width, c.height).data).size < 5"
    assert not charts.nth(0).evaluate(blank)
    assert not charts.nth(1).evaluate(blank)


def drawn(page, chart: int) -> np.ndarray:
    """How opaque each pixel of a plot is, within its axes: (H, W), from 0 to 255."""
    canvas = page.locator(".plots canvas").nth(chart)
    content = base64.b64decode(canvas.evaluate("(node) => node.toDataURL()").split(",")[1])
    alpha = np.asarray(Image.open(io.BytesIO(content)))[..., 3]
    return alpha[10:-45, 60:-15]


def share(alpha: np.ndarray, wanted: float) -> float:
    return float((np.abs(alpha.astype(float) - 255 * wanted) < 4).mean())


def test_areas_are_filled_in_tones_and_their_holes_are_open(open_page):
    square = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [0.0, 0.0]])
    gap = np.full((1, 2), np.nan)
    holed = np.vstack([10 * square, gap, 2.5 + 5 * square[::-1]])
    halves = [square * [5, 10], square * [5, 10] + [5, 0]]

    def area(name: str, rings: np.ndarray) -> Series:
        return Series(name, rings[:, 0].copy(), rings[:, 1].copy(), "area")

    page = open_page(
        blocks(),
        (
            Plot("Holed", "x", "y", (area("forbidden", holed),)),
            Plot("Halves", "x", "y", (area("forbidden", halves[0]), area("free", halves[1]))),
        ),
    )
    assert share(drawn(page, 0), 0.45) == pytest.approx(0.75, abs=0.06)
    assert share(drawn(page, 0), 0) == pytest.approx(0.25, abs=0.03)
    assert share(drawn(page, 1), 0.45) == pytest.approx(0.5, abs=0.05)
    assert share(drawn(page, 1), 0.03) == pytest.approx(0.5, abs=0.05)
    assert page.locator(".keys .swatch.area").count() == 2


def test_lines_are_heavy_dashed_or_plain(open_page):
    x, flat = np.array([0.0, 90]), np.array([5.0, 5.0])
    frame = Series("", x, np.array([0.0, 9.0]), "points")  # the same axes for all
    styles = ("line", "heavy", "dashed")
    page = open_page(
        blocks(), tuple(Plot(style, "x", "y", (Series("", x, flat, style), frame)) for style in styles)
    )
    line, heavy, dashed = (drawn(page, chart) > 0 for chart in range(3))
    thick = [int(inked[:, inked.shape[1] // 3].sum()) for inked in (line, heavy)]
    assert 2 <= thick[1] - thick[0] <= 4
    changes = [int((inked[:, 1:] != inked[:, :-1]).sum(axis=1).max()) for inked in (line, dashed)]
    assert changes[0] < 10
    assert changes[1] > 40


def test_a_band_has_gaps_where_it_is_not_a_number(open_page):
    x = np.arange(91.0)
    cut = np.where((x > 30) & (x < 60), np.nan, 5.0)
    frame = Series("", np.array([0.0, 90]), np.array([0.0, 10.0]), "points")
    bands = (Series("", x, y, "band", low=y - 3) for y in (np.full(91, 5.0), cut))
    page = open_page(blocks(), tuple(Plot("", "x", "y", (frame, band)) for band in bands))
    whole, parts = (share(drawn(page, chart), 0.2) for chart in range(2))
    assert whole > 0.2
    assert parts / whole == pytest.approx(2 / 3, abs=0.02)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_follows_the_colour_scheme_and_fits_a_phone(open_page, scheme):
    page = open_page(
        blocks(),
        color_scheme=scheme,
        viewport={"width": 390, "height": 780},
        device_scale_factor=2,
        has_touch=True,
    )
    ground = page.locator("main").evaluate("(node) => getComputedStyle(node).backgroundColor")
    assert ground == {"light": "rgb(255, 255, 255)", "dark": "rgb(21, 25, 31)"}[scheme]
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 390
    assert page.evaluate("() => document.querySelector('.stage canvas').width") > 700


def test_a_still_has_no_bar_and_an_empty_motion_no_errors(open_page):
    page = open_page(Motion("t", "", np.zeros(1)))
    assert not page.locator(".bar").is_visible()


def test_mounted_elsewhere_it_takes_new_data_and_goes_without_a_trace(browser):
    script = files("pliant.view").joinpath("player.js").read_text() + "\nwindow.mount = mount;"
    page = browser.new_page()
    page.set_content("<div id='cell'></div>")
    page.add_script_tag(content=script, type="module")
    page.wait_for_function("() => window.mount")
    page.evaluate(
        "(data) => { window.player = mount(document.querySelector('#cell'), data); }", player_data(blocks())
    )
    assert page.locator("#cell .readout").inner_text() == "step 4"
    page.evaluate("(data) => player.show(data)", player_data(tower()))
    page.evaluate("() => player.seek(0.5)")
    assert page.locator("#cell .readout").inner_text() == "drive 1"
    assert page.locator("#cell .signals").is_hidden()
    page.evaluate("() => player.destroy()")
    assert page.locator("#cell > *").count() == 0
    page.close()


# The answer, and charts that can be read and taken away


class Verdict(Status):
    JAMMED = "the peg jams", ANSWERED, Tone.NOTICE


FORCE = Plot(
    "Force, in & out",
    "travel (mm)",
    "force (N)",
    (
        Series("=in", np.array([0.0, 1, 2, 3]), np.array([0.0, 5, np.nan, 20])),
        Series("out", np.array([0.0, 1.5, 3]), np.array([1.0, 2, 3]), low=np.zeros(3), high=np.full(3, 4.0)),
    ),
)


class Answered:
    """What a result says, around a motion."""

    status = Verdict.JAMMED
    alerts = ("thin wall",)
    motion = blocks()

    def summary(self) -> str:
        return "The peg <jams> after 3 mm.\n  peak force   20 N after  2 mm\n  note         half a line"

    def plots(self) -> dict[str, Plot]:
        return {"force": FORCE}


def test_the_answer_stands_around_the_motion(open_page):
    page = open_page(Answered(), None)
    verdict = page.locator(".verdict")
    assert "notice" in verdict.get_attribute("class")
    assert verdict.inner_text().split("\n") == ["The peg <jams> after 3 mm.", "thin wall"]
    words = page.locator(".figures dl").inner_text().split("\n")
    assert words == ["peak force", "20 N after  2 mm", "note", "half a line"]


def test_a_motion_alone_has_no_answer(open_page):
    page = open_page(blocks())
    assert not page.locator(".verdict").is_visible()
    assert not page.locator(".figures").is_visible()


def point_at(page, chart, share: float) -> None:
    box = chart.bounding_box()
    page.mouse.move(box["x"] + share * box["width"], box["y"] + box["height"] / 2)


def test_a_chart_says_what_is_under_the_pointer(open_page):
    page = open_page(blocks(), (FORCE,))
    chart = page.locator(".plots .chart")
    chart.scroll_into_view_if_needed()
    point_at(page, chart, 0.97)
    assert chart.locator(".reading").inner_text().split("\n") == [
        "travel (mm): 3",
        "=in: 20",
        "out: 3 (0 to 4)",
    ]
    point_at(page, chart, 0.6)  # what is no number is none: the nearest of that line is another
    assert "NaN" not in chart.locator(".reading").inner_text()
    page.mouse.move(5, 5)
    assert not chart.locator(".reading").is_visible()


def test_a_signal_says_what_is_under_the_pointer_and_does_not_seek(open_page):
    page = open_page(blocks())
    before = page.locator(".readout").inner_text()
    chart = page.locator(".signals .chart").first
    chart.scroll_into_view_if_needed()
    point_at(page, chart, 0.2)
    assert chart.locator(".reading").is_visible()
    assert page.locator(".readout").inner_text() == before


def test_a_chart_is_saved_as_the_table_that_pliant_writes(open_page, tmp_path: Path):
    page = open_page(blocks(), (FORCE,))
    with page.expect_download() as waiting:
        page.locator(".plots").get_by_text("CSV").click()
    saved = waiting.value
    assert saved.suggested_filename == "force-in-out.csv"
    write_csv(tmp_path / "own.csv", FORCE.table())
    rows, own = (
        list(csv.reader(io.StringIO(text)))
        for text in (Path(saved.path()).read_text(), (tmp_path / "own.csv").read_text())
    )
    assert rows[0] == own[0]
    numbers = [[float(cell or "nan") for row in table[1:] for cell in row] for table in (rows, own)]
    assert numbers[0] == pytest.approx(numbers[1], nan_ok=True)


@pytest.mark.slow
def test_a_chart_is_saved_as_a_picture(open_page):
    page = open_page(blocks(), (FORCE,))
    with page.expect_download() as waiting:
        page.locator(".plots").get_by_text("PNG").click()
    with Image.open(waiting.value.path()) as image:
        assert image.size == (1520, 960)
        colours = image.convert("RGB").getcolors(1 << 20)
    assert {(47, 111, 181), (221, 127, 42)} <= {colour for _, colour in colours}


TEXTS = """() => new Promise((done) => {
  const boxes = [], fill = CanvasRenderingContext2D.prototype.fillText;
  CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
    const width = this.measureText(text).width, shares = { left: 0, center: 0.5, right: 1 };
    const left = x - width * shares[this.textAlign];
    if (this.canvas.closest(".stage")) boxes.push([text, left, y - 6, left + width, y + 6]);
    return fill.apply(this, arguments);
  };
  document.querySelector(".corner button").click();
  requestAnimationFrame(() => requestAnimationFrame(() => {
    CanvasRenderingContext2D.prototype.fillText = fill;
    done(boxes);
  }));
})"""


def test_labels_do_not_lie_over_each_other(open_page):
    places = np.array([[0, 0], [0.4, 0.1], [0.5, 0], [10, 0], [10.3, 0.2], [5, 8]])
    names = tuple(f"a long name {k}" for k in range(len(places)))
    marks = tuple(Mark("label", np.array([[x, y]]), text=f"load {k}") for k, (x, y) in enumerate(places))
    motion = Motion(
        "step", "", np.arange(2.0), point_names=names, points=np.stack([places, places]), marks=marks
    )
    page = open_page(motion)
    page.get_by_label("Names").check()
    boxes = page.evaluate(TEXTS)
    written = [text for text, *_ in boxes]
    assert "load 0" in written
    assert any(text.startswith("a long name") for text in written)
    for (_, *one), (_, *other) in combinations(boxes, 2):
        assert one[0] >= other[2] or other[0] >= one[2] or one[1] >= other[3] or other[1] >= one[3]
