"""The documentation speaks of what is there: modules, tests, sources, keys, statuses."""

import re
from fnmatch import fnmatch
from pathlib import Path

import pytest

import pliant
from pliant.files import schema
from pliant.flex.status import FlexStatus

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PACKAGE = ROOT / "src" / "pliant"
PAGES = [*ROOT.glob("*.md"), *(page for page in DOCS.rglob("*.md") if "_build" not in page.parts)]
MODULE = re.compile(r"`((?:cli|core|files|flex|gallery|view)/[\w/]+(?:\.py)?)`")
KEY = re.compile(r"\[([A-Z][A-Za-z]+\d{4})\]")


def text(page: str) -> str:
    return (DOCS / page).read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_modules_that_a_page_names_exist(page):
    for module in MODULE.findall(page.read_text(encoding="utf-8")):
        assert (PACKAGE / module).exists(), module


def test_sources_cited_in_the_code_are_those_listed():
    cited = {key for file in PACKAGE.rglob("*.py") for key in KEY.findall(file.read_text(encoding="utf-8"))}
    assert set(re.findall(r"^\[(\w+)\]$", text("references.md"), re.MULTILINE)) == cited


def test_tests_that_answer_a_paper_exist():
    tests = [
        name
        for file in (ROOT / "tests").rglob("test_*.py")
        for name in re.findall(r"^def (test_\w+)", file.read_text(encoding="utf-8"), re.MULTILINE)
    ]
    named = re.findall(r"`(test_\w+\*?)`", text("papers.md"))
    assert named
    assert [name for name in named if not any(fnmatch(test, name) for test in tests)] == []


def test_every_key_of_a_model_file_is_in_the_guide():
    told = set(re.findall(r"\w+", text("guide/model-file.md") + text("guide/study.md")))
    found = schema("assembly")
    keys = {key for entry in (found, *found["$defs"].values()) for key in entry.get("properties", ())}
    assert sorted(keys - told) == []


def test_every_key_of_a_result_is_in_the_guide():
    result = pliant.solve(pliant.gallery.load("square-peg")).to_dict()
    contact = result["contacts"][0]
    told = set(re.findall(r"`(\w+)`", text("guide/answer.md")))
    assert sorted({*result, *contact} - told) == []


def test_every_status_is_in_the_guide_with_its_exit_code():
    told = dict(re.findall(r"^\| `(\w+)` \| (\d+) \|", text("guide/statuses.md"), re.MULTILINE))
    assert told == {status.name.lower(): str(status.exit_code) for status in FlexStatus}
