import base64
import hashlib
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from importlib.resources import files
from types import SimpleNamespace

import numpy as np
import pytest

import pliant.view
from pliant.core.motion import Motion
from pliant.core.plot import Plot, Series
from pliant.view import palette

HOSTILE = "</script><!--<script>alert('x')</script><img src=x onerror=alert(1)>\u2028@data@"


class Page(HTMLParser):
    """The elements of a page and the text of its scripts and styles."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.texts, self._open = [], {}, None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self._open = (tag, dict(attrs).get("type"))

    def handle_data(self, data):
        self.texts[self._open] = self.texts.get(self._open, "") + data

    def handle_endtag(self, tag):
        self._open = None

    @property
    def data(self):
        return json.loads(self.texts["script", "application/json"])


def plot():
    return Plot("Play", "part", "mm", (Series("worst", np.arange(2.0), np.arange(2.0)),))


def test_the_page_carries_the_motion_it_plays(blocks):
    data = Page(pliant.view.player_html(blocks)).data
    again = Motion.from_dict(data["motion"])
    assert again.bodies == blocks.bodies
    np.testing.assert_allclose(again.poses, blocks.poses)
    assert again.marks[0].group == "force"


def test_nothing_in_the_page_has_a_network_address(blocks):
    text = pliant.view.player_html(blocks)
    addresses = set(re.findall(r"\b\w+://[^\s\"')]+", text))
    assert addresses == {"http://www.w3.org/2000/svg"}  # a name space, never fetched
    loading = {"src", "href", "action", "data", "poster", "srcset"}
    loads = [value for _, attrs in Page(text).tags for name, value in attrs.items() if name in loading]
    assert loads == ["data:,"]
    assert "url(" not in text
    assert "@import" not in text


def test_the_policy_allows_just_this_script_and_this_style(blocks):
    page = Page(pliant.view.player_html(blocks))
    policy = next(
        attrs["content"] for _, attrs in page.tags if attrs.get("http-equiv") == "Content-Security-Policy"
    )
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy
    for kind, text in (("script", page.texts["script", "module"]), ("style", page.texts["style", None])):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy


def test_hostile_names_stay_text(blocks):
    hostile = replace(blocks, title=HOSTILE, bodies=(HOSTILE, "b"), axis=HOSTILE)
    benign, page = (Page(pliant.view.player_html(motion)) for motion in (blocks, hostile))
    assert [tag for tag, _ in page.tags] == [tag for tag, _ in benign.tags]
    assert page.data["motion"]["bodies"][0] == HOSTILE
    assert page.texts["title", None] == HOSTILE


def test_a_name_that_is_no_text_can_still_be_written(blocks, tmp_path):
    pliant.view.write_player(replace(blocks, title="\ud800", bodies=("\ud800", "b")), tmp_path / "a.html")
    assert (tmp_path / "a.html").stat().st_size > 10_000


def test_the_script_makes_no_markup_from_text():
    script = files("pliant.view").joinpath("player.js").read_text()
    for way in (
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "eval(",
        "Function(",
        "fetch(",
    ):
        assert way not in script


def test_not_a_number_becomes_null_and_digits_are_cut(blocks):
    signal = replace(blocks.signals["reach"], values=np.array([1 / 3, np.nan, np.inf, 4]))
    values = Page(pliant.view.player_html(replace(blocks, signals={"reach": signal}))).data["motion"][
        "signals"
    ]
    assert values["reach"]["values"] == [0.33333333, None, None, 4]


def test_a_result_brings_its_own_plots_unless_told_otherwise(blocks):
    result = SimpleNamespace(motion=blocks, plots=lambda: {"play": plot()})
    assert len(Page(pliant.view.player_html(result)).data["plots"]) == 1
    assert Page(pliant.view.player_html(result, plots=())).data["plots"] == []
    assert Page(pliant.view.player_html(blocks)).data["plots"] == []
    assert len(Page(pliant.view.player_html(blocks, plots=(plot(), plot()))).data["plots"]) == 2


def test_the_same_motion_gives_the_same_bytes(blocks, tmp_path):
    for name in ("a", "b"):
        pliant.view.write_player(blocks, tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


@pytest.mark.parametrize("name", ["GROUPS", "TRACES", "SERIES", "SEQUENTIAL", "DIVERGING"])
def test_the_browser_has_the_colours_of_the_figures(name):
    script = files("pliant.view").joinpath("player.js").read_text()
    listed = re.search(rf"const {name} = \[(.*?)\]", script)
    assert listed
    assert tuple(re.findall(r"#\w{6}", listed[1])) == getattr(palette, name)


def test_the_browser_draws_well_known_groups_as_the_figures_do():
    script = files("pliant.view").joinpath("player.js").read_text()
    listed = re.search(r"const STYLES = (\{.*?\n\});", script, re.DOTALL)
    assert listed
    styles = {name: {**vars(style), "dash": list(style.dash)} for name, style in palette.STYLES.items()}
    assert json.loads(listed[1]) == styles


@pytest.mark.parametrize(
    "name", ["BEFORE", "BODY", "BODY_EDGE", "FIXED", "FIXED_EDGE", "STROKE", "INK", "FAINT", "RULE"]
)
def test_the_style_sheet_has_the_colours_of_the_figures(name):
    style = files("pliant.view").joinpath("player.css").read_text()
    assert f"--{name.lower().replace('_', '-')}: {getattr(palette, name)};" in style
