"""The README and every page of the docs do what they say: what they run prints what is shown."""

import operator
import re
import shlex
import shutil
import subprocess
from contextlib import chdir, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from pliant.cli import main
from pliant.core import status

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"This is `([\w.-]+)`:\n\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NAMED = re.compile(r"\b[\w-]+\.(?:toml|csv|json|png|gif|html)\b")
COMMAND = re.compile(
    r'pliant ((?:"[^"$`]*"|[^|&;<>$`"])+?)(?: (\|\|?) (.*))?'
)  # needs a shell for what comes after a | only
NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e[+-]?\d+)?")
RANGE = re.compile(r" \([\d.]+ to [\d.]+ ?%\)")
# How many steps it takes and what rounding leaves differ from machine to machine.
WORDS_ONLY = (
    "steps",
    "overlap",
    "lengths",
    "method",
    "lower bound",
    "upper bound",
    "2   lid",
    "tried",
)  # a lid goes many ways
ASIDE = re.compile(r"wrote |\d+( of \d+)? [a-z]")  # besides errors, on stderr: files written, progress


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its text, and the output shown below it."""

    language: str
    text: str
    shown: str


def tour(page: str) -> str:
    text = (ROOT / page).read_text(encoding="utf-8")
    return text[text.index("## Five minutes") :] if page == "README.md" else text


def blocks(page: str) -> list[Block]:
    """What a page runs, in order."""
    fences = FENCE.findall(tour(page))
    following = [*fences, ("", "")][1:]
    return [
        Block(language, text, shown if kind == "text" else "")
        for (language, text), (kind, shown) in zip(fences, following, strict=True)
        if language in ("sh", "python")
    ]


GUIDED = (
    *("answer", "editing", "fasteners", "linkages", "mechanisms", "model-file", "optimize", "play", "python"),
    *("study", "tolerances"),
)
PAGES = ["README.md", *(str(page.relative_to(ROOT)) for page in sorted((ROOT / "docs").rglob("[!_]*.md")))]
LONG = (
    "fasteners",
    "editing",
    "optimize",
    "play",
    "python",
    "recipes",
    "sweeps",
    "tolerances",
)  # seconds each
TOURS = [page for page in PAGES if "_build" not in page and blocks(page)]


def run(block: Block, names: dict[str, Any]) -> str:
    """What a block prints where we stand, without a process that loads pliant anew."""
    if block.language == "sh":
        printed = "".join(map(run_line, block.text.splitlines()))
    else:
        printed = run_python(block.text, names)
    return "".join(line for line in printed.splitlines(True) if not ASIDE.match(line))


def run_python(text: str, names: dict[str, Any]) -> str:
    """A block that begins with an import stands for itself; others go on where the one before ended."""
    if text.startswith(("import ", "from ")):
        names.clear()
    out = StringIO()
    with redirect_stdout(out):
        exec(compile(text, "a page's block", "exec"), names)
    return out.getvalue()


def run_line(line: str) -> str:
    found = COMMAND.fullmatch(line)
    if found is None:
        return run_shell(line)
    arguments, bar, after = found.groups()
    done = CliRunner().invoke(main, shlex.split(arguments))
    if bar == "||":
        return done.output + run_shell(f"(exit {done.exit_code}) || {after}")
    assert not done.exit_code, f"{line}\n{done.output}"
    return run_shell(after, done.stdout) if bar else done.output


def run_shell(line: str, given: str = "") -> str:
    command = ["bash", "-euo", "pipefail", "-c", line]
    done = subprocess.run(
        command, check=False, capture_output=True, input=given, encoding="utf-8", timeout=60
    )
    assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"
    return done.stdout


def words(line: str) -> list[str]:
    return NUMBER.sub("#", line).replace(" %", "%").split()


def lines(printed: str) -> list[str]:
    """Lines in an order of their own, without ranges: joints with equal shares may come either way."""
    return sorted(RANGE.sub("", printed).splitlines(), key=words)


def numbers(line: str) -> list[float]:
    return [float(found) for found in NUMBER.findall(line)]


def last_places(line: str) -> list[float]:
    """What one more in the last digit of each number is worth; of what is nearly nothing, that."""
    found = (re.fullmatch(r"-?\d+(?:\.(\d+))?(?:e([+-]?\d+))?", text) for text in NUMBER.findall(line))
    return [max(10.0 ** (int(one[2] or 0) - len(one[1] or "")), 1e-10) for one in found if one]


def compare(printed: str, shown: str) -> None:
    assert list(map(words, lines(printed))) == list(map(words, lines(shown))), printed
    for line, wanted in zip(lines(printed), lines(shown), strict=True):
        if not line.strip().startswith(WORDS_ONLY):
            off = map(abs, map(operator.sub, numbers(line), numbers(wanted)))
            assert all(map(operator.le, off, (1.01 * one for one in last_places(wanted)))), printed


@pytest.mark.skipif(shutil.which("bash") is None, reason="tours are written for a shell")
@pytest.mark.parametrize(
    "page",
    [pytest.param(page, marks=[pytest.mark.slow] if Path(page).stem in LONG else []) for page in TOURS],
)
def test_a_tour_prints_what_its_page_shows(page, tmp_path):
    names: dict[str, Any] = {}
    for name, text in FILE.findall(tour(page)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    with chdir(tmp_path):
        for block in blocks(page):
            compare(run(block, names), block.shown)
    named = {name for block in blocks(page) for name in NAMED.findall(block.text)}
    assert named <= {path.name for path in tmp_path.rglob("*")}


@pytest.mark.parametrize("page", PAGES)
def test_no_output_stands_on_a_page_without_what_printed_it(page):
    """Text is a file that the page names, or stands below the block that it is compared with."""
    files = {text for _, text in FILE.findall(tour(page))}
    shown = {text for language, text in FENCE.findall(tour(page)) if language == "text"}
    assert shown - files <= {block.shown for block in blocks(page)}


@pytest.mark.parametrize("page", ["README.md", *(f"docs/guide/{name}.md" for name in GUIDED)])
def test_a_page_that_tells_how_something_is_done_does_it(page):
    assert page in TOURS


def test_exit_codes_are_those_of_the_statuses():
    told = {int(code) for code in re.findall(r"^\| (\d+) \|", README, re.MULTILINE)}
    assert told == {status.ANSWERED, status.BAD_INPUT, status.NO_ANSWER, status.INTERRUPTED}


def test_files_that_the_readme_points_to_are_there():
    for target in re.findall(r"\]\(([^)#]+)", README):
        assert (ROOT / target).exists(), target


def test_commands_of_make_that_the_readme_names_exist():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in set(re.findall(r"(?:`|^)make ([\w-]+)", README, re.MULTILINE)):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target
