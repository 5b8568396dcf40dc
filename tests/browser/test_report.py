"""The report of `pliant demo` in a real browser, opened from disk, on a desk and on a phone."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from pliant.cli.demo_report import Entry, write_report
from pliant.core.status import Tone
from pliant.files.kinds import KINDS

pytestmark = pytest.mark.browser

PHONE = {"viewport": {"width": 360, "height": 740}, "is_mobile": True, "has_touch": True}
DESK = {"viewport": {"width": 1280, "height": 900}}
LONG = "Goes in with 20.67 N, until the root sits on a_very_long_name_of_an_obstacle_that_cannot_be_broken."
ALERTS = {Tone.SOUND: (), Tone.NOTICE: ("hook_of_the_left_side overstrained: 12.34 % of 4 %",)}
BLUE, RED = (40, 80, 200), (200, 40, 40)


def picture(path: Path, colour: tuple[int, int, int]) -> None:
    Image.fromarray(np.full((60, 80, 3), colour, np.uint8)).save(path)


@pytest.fixture
def report(tmp_path: Path) -> Path:
    """Two examples a method: blue pictures, red films; one has much to notice."""
    entries: list[Entry] = []
    for kind in KINDS:
        for tone in (Tone.SOUND, Tone.NOTICE):
            name = f"{kind}-{tone.value}"
            suffixes = {"picture": ".png", "film": ".gif", "player": ".html", "result": ".json"}
            files = {what: f"{name}{suffix}" for what, suffix in suffixes.items()}
            picture(tmp_path / files["picture"], BLUE)
            picture(tmp_path / files["film"], RED)
            (tmp_path / files["player"]).write_text("<title>the player</title>")
            entries.append(
                Entry(
                    name=name,
                    kind=kind,
                    description="What is asked of it, in a line that is long enough to be broken in two",
                    title=name.title(),
                    status="dead centre",
                    tone=tone,
                    alerts=("hook_of_the_left_side overstrained: 12.34 % of 4 %",)
                    if tone is Tone.NOTICE
                    else (),
                    parts=1234,
                    seconds=1.5,
                    summary=f"{LONG}\n  {'figures' * 30}",
                    files=files,
                )
            )
    write_report(tmp_path / "index.html", entries, 30.0)
    return tmp_path / "index.html"


@pytest.fixture
def open_report(browser, report: Path):
    """Opens the report from disk; the test fails on any message of the console, or request beyond files."""
    contexts, said, asked = [], [], []

    def open_it(**options):
        context = browser.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: said.append(message.text))
        page.on("request", lambda request: asked.append(request.url))
        page.goto(report.as_uri())
        return page

    open_it.asked = asked
    yield open_it
    for context in contexts:
        context.close()
    assert said == []
    assert {url.split(":")[0] for url in asked} == {"file"}


def middle(page, path: Path) -> tuple[int, ...]:
    """The colour in the middle of the first picture on the screen."""
    page.locator(".picture").first.screenshot(path=path)
    with Image.open(path) as shot:
        return shot.convert("RGB").getpixel((shot.width // 2, shot.height // 2))


def near(colour: tuple[int, ...], wanted: tuple[int, ...]) -> bool:
    return max(abs(a - b) for a, b in zip(colour, wanted, strict=True)) < 12


@pytest.mark.few(2)
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("screen", [PHONE, DESK], ids=["phone", "desk"])
def test_nothing_is_wider_than_the_screen_with_everything_unfolded(open_report, screen, scheme):
    page = open_report(color_scheme=scheme, **screen)
    page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    width = screen["viewport"]["width"]
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    beyond = """width => [...document.querySelectorAll('body *:not(.scroll *)')]
        .filter(one => one.getBoundingClientRect().right > width + 0.5)
        .map(one => one.outerHTML.slice(0, 80))"""
    assert page.evaluate(beyond, width) == []


def test_the_film_plays_while_the_pointer_or_the_focus_is_on_the_picture_and_is_not_loaded_before(
    open_report, tmp_path: Path
):
    page = open_report(color_scheme="light", **DESK)
    shot = tmp_path / "shot.png"
    assert near(middle(page, shot), BLUE)
    assert not [url for url in open_report.asked if url.endswith(".gif")]
    page.hover(".picture >> nth=0")
    page.wait_for_function("document.querySelector('.film').complete")
    assert near(middle(page, shot), RED)
    page.mouse.move(0, 0)
    assert near(middle(page, shot), BLUE)
    page.focus(".picture >> nth=0")
    assert near(middle(page, shot), RED)


def test_those_who_want_no_motion_see_the_still_picture(open_report, tmp_path: Path):
    page = open_report(color_scheme="light", reduced_motion="reduce", **DESK)
    page.hover(".picture >> nth=0")
    assert near(middle(page, tmp_path / "shot.png"), BLUE)


def test_a_tap_on_a_picture_opens_its_player(open_report):
    page = open_report(**PHONE)
    page.tap(".picture >> nth=0")
    page.wait_for_url("**/assembly-sound.html")
    assert page.title() == "the player"


def test_links_are_large_enough_for_a_finger(open_report):
    page = open_report(**PHONE)
    sizes = page.evaluate(
        """() => [...document.querySelectorAll('article nav a, article summary, .numbers > summary')]
            .map(one => one.getBoundingClientRect()).map(box => [box.width, box.height])"""
    )
    assert len(sizes) > 20
    assert min(min(pair) for pair in sizes) >= 40


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_badges_of_different_tones_look_different_and_can_be_read(open_report, scheme):
    page = open_report(color_scheme=scheme, **DESK)
    colours = """() => [...document.querySelectorAll('.tones .badge')].map(getComputedStyle)
        .map(style => [style.color, style.backgroundColor].map(text => text.match(/\\d+/g).map(Number)))"""
    pairs = page.evaluate(colours)
    assert len({tuple(fill) for _, fill in pairs}) == 3
    assert min(contrast(ink, fill) for ink, fill in pairs) >= 4.5  # what WCAG AA asks of text


def contrast(ink: list[int], fill: list[int]) -> float:
    """The ratio of luminances, by WCAG 2."""
    light = []
    for colour in (ink, fill):
        parts = np.array(colour) / 255
        linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
        light.append(float(linear @ [0.2126, 0.7152, 0.0722]) + 0.05)
    return max(light) / min(light)
