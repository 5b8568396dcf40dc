"""The README's tour and the guide's do what they say: their commands run, and print what is shown."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner

from pliant.cli import main
from pliant.core import status

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
TOURS = {
    "README.md": {
        "blocks.png",
        "blocks.html",
        "blocks.json",
        "slider.gif",
        "four-bar.html",
        "lift.html",
        "hooks.html",
    },
    "docs/guide/linkages.md": {"four-bar.png", "four-bar.html", "four-bar.json"},
    "docs/guide/editing.md": {"longer-leg.toml", "longer.png", "longer.html", "found"},
    "docs/guide/mechanisms.md": {"lift.png", "lift.html", "lift.json", "braced.toml"},
    "docs/guide/fasteners.md": {"clip.png", "clip.html", "clip.json", "apart.toml", "level.toml"},
}
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e[+-]?\d+)?")
FILE = re.compile(r"This is `([\w.-]+)`:\n\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)
RUN = ("sh", "python")
PLAIN = re.compile(r"pliant [\w ./,-]+")  # needs no shell
RANGE = re.compile(r" \([\d.]+ to [\d.]+ ?%\)")
# How many steps it takes and what rounding leaves differ from machine to machine.
WORDS_ONLY = ("steps", "overlap", "lengths", "method")
ASIDE = re.compile(r"wrote |\d+( of \d+)? [a-z]")  # besides errors, on stderr: files written, progress
COMPILING = 600  # seconds: the first run of a mechanism on a machine compiles its loops


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
    following = [*fences[1:], ("", "")]
    return [
        Block(language, text, shown if kind == "text" else "")
        for (language, text), (kind, shown) in zip(fences, following, strict=True)
        if language in RUN
    ]


def run(block: Block, folder: Path) -> str:
    """What a block prints; where it is commands of pliant alone, without a process that loads it anew."""
    commands = block.text.splitlines()
    if block.language == "sh" and all(map(PLAIN.fullmatch, commands)):
        with chdir(folder):
            done = [CliRunner().invoke(main, shlex.split(command)[1:]) for command in commands]
        printed = "".join(one.output for one in done)
        assert not any(one.exit_code for one in done), f"{block.text}\n{printed}"
    else:
        printed = run_apart(block, folder)
    return "".join(line for line in printed.splitlines(True) if not ASIDE.match(line))


def run_apart(block: Block, folder: Path) -> str:
    command = ["bash", "-euo", "pipefail", "-c"] if block.language == "sh" else [sys.executable, "-c"]
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        [*command, block.text],
        check=False,
        cwd=folder,
        env={**os.environ, "PATH": path, "PYTHONIOENCODING": "utf-8"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=COMPILING,
    )
    assert done.returncode == 0, f"{block.text}\n{done.stdout}"
    return done.stdout


def words(line: str) -> list[str]:
    return NUMBER.sub("#", line).replace(" %", "%").split()


def lines(printed: str) -> list[str]:
    """Lines in an order of their own, without ranges: joints with equal shares may come either way."""
    return sorted(RANGE.sub("", printed).splitlines(), key=words)


def numbers(line: str) -> list[float]:
    return [float(found) for found in NUMBER.findall(line)]


@pytest.mark.skipif(shutil.which("bash") is None, reason="tours are written for a shell")
@pytest.mark.parametrize("page", TOURS)
def test_a_tour_prints_what_its_page_shows(page, tmp_path):
    for name, text in FILE.findall(tour(page)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    for block in blocks(page):
        printed = run(block, tmp_path)
        assert list(map(words, lines(printed))) == list(map(words, lines(block.shown))), printed
        for line, wanted in zip(lines(printed), lines(block.shown), strict=True):
            if not line.strip().startswith(WORDS_ONLY):
                assert numbers(line) == pytest.approx(numbers(wanted), rel=0.01, abs=1e-6), printed
    assert {path.name for path in tmp_path.iterdir()} >= TOURS[page]


@pytest.mark.parametrize("page", TOURS)
def test_a_tour_shows_output_for_every_command(page):
    assert all(block.shown for block in blocks(page))


def test_exit_codes_are_those_of_the_statuses():
    told = {int(code) for code in re.findall(r"^\| (\d+) \|", README, re.MULTILINE)}
    assert told == {status.ANSWERED, status.BAD_INPUT, status.NO_ANSWER, status.INTERRUPTED}


def test_files_that_the_readme_points_to_are_there():
    for target in re.findall(r"\]\(([^)#]+)", README):
        assert (ROOT / target).exists(), target


def test_commands_of_make_that_the_readme_names_exist():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in set(re.findall(r"(?:`|^)make (\w+)", README, re.MULTILINE)):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target
