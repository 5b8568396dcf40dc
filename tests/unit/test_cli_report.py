"""The report of `pliant demo`, and the processes that share the work."""

import os
import re
import signal
import subprocess
import sys
import time
from functools import partial
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from pliant.batch.crew import Crew, LostError, runs, take
from pliant.cli.demo_report import UNREAD, Entry, write_report
from pliant.core.progress import silent
from pliant.core.status import Tone
from pliant.files.kinds import KINDS

FILES = {"picture": ".png", "film": ".gif", "player": ".html", "result": ".json", "model": ".toml"}


def entry(name: str, folder: Path, **changes: Any) -> Entry:
    files = {what: f"{name}{suffix}" for what, suffix in FILES.items()}
    for file in files.values():
        (folder / file).write_bytes(b"")
    own = {"kind": "assembly", "status": "converged", "tone": Tone.SOUND, "summary": "Moves.\n  by  2 mm"}
    return Entry(**{"name": name, "description": f"{name}, described", "files": files, **own, **changes})


class Page(HTMLParser):
    """Links, addresses and badges of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.ids: list[str] = []
        self.tags: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.tags.append(tag)
        self.links += [value for key in ("href", "src") if (value := found.get(key))]
        self.ids += [value] if (value := found.get("id")) else []


def written(folder: Path, *entries: Entry) -> str:
    write_report(folder / "index.html", entries, 12.0)
    return (folder / "index.html").read_text()


# The page


def test_pictures_are_files_beside_the_page_and_every_link_leads_somewhere(tmp_path: Path):
    text = written(tmp_path, entry("arm", tmp_path), entry("jansen", tmp_path, kind="linkage"))
    page = Page(text)
    assert "data:" not in text
    assert {f"arm{suffix}" for suffix in FILES.values()} <= set(page.links)
    for link in page.links:
        assert link[1:] in page.ids if link.startswith("#") else (tmp_path / link).is_file(), link


def test_the_page_runs_no_script_and_asks_the_network_for_nothing(tmp_path: Path):
    text = written(tmp_path, entry("arm", tmp_path))
    assert "script" not in Page(text).tags
    assert "default-src 'none'" in text
    assert "unsafe" not in text
    assert not re.search(r"https?:|//", text.replace("http-equiv", ""))


def test_pictures_come_before_numbers_and_are_grouped_by_what_is_asked(tmp_path: Path):
    kinds = list(KINDS)
    text = written(tmp_path, *(entry(f"a-{kind}", tmp_path, kind=kind) for kind in reversed(kinds)))
    places = [text.index(f"<h2>{KINDS[kind].title}</h2>") for kind in kinds]
    assert places == sorted(places)
    assert all(KINDS[kind].question in text for kind in kinds)
    assert places[-1] < text.index("<table>")
    assert UNREAD[0] not in text


@pytest.mark.parametrize(("count", "most"), [(12, 40_000), (100, 250_000)])
def test_the_page_is_small_however_much_there_is_to_say(tmp_path: Path, count: int, most: int):
    long = "Goes in.\n" + "\n".join(f"  {k:3} a line of figures behind the answer" for k in range(60))
    entries = [entry(f"example-{k}", tmp_path, summary=long) for k in range(count)]
    assert len(written(tmp_path, *entries)) < most


@pytest.mark.parametrize("tone", Tone)
def test_the_badge_of_a_status_has_its_tone_and_every_tone_a_colour(tmp_path: Path, tone: Tone):
    text = written(tmp_path, entry("arm", tmp_path, status="it ends", tone=tone))
    assert f'<span class="badge {tone.value}">it ends</span>' in text
    assert f".{tone.value} {{ color" in text


def test_what_must_be_noticed_is_on_the_tile_of_an_answer_that_is_sound(tmp_path: Path):
    text = written(
        tmp_path, entry("snap", tmp_path, status="seated", alerts=("hook overstrained: 6 % of 4 %",))
    )
    tile = text[text.index("<article") : text.index("</article>")]
    assert '<span class="badge sound">seated</span>' in tile
    assert '<span class="badge notice">hook overstrained: 6 % of 4 %</span>' in tile


def test_an_example_that_failed_has_a_tile_that_says_why(tmp_path: Path):
    failed = Entry(name="arm", kind="assembly", description="An arm", error="cannot <b>this</b>")
    text = written(tmp_path, failed)
    assert "cannot &lt;b&gt;this&lt;/b&gt;" in text
    assert '<span class="badge failure">failed</span>' in text


def test_a_page_without_examples_is_written_too(tmp_path: Path):
    assert "0 examples, 0 parts" in written(tmp_path)


# The processes


def twice(task: str, progress: Any) -> str:
    return f"{task}{task} by {os.getpid()}"


def dies_at(last: str, task: str, progress: Any) -> str:
    if task == last:
        os._exit(7)
    return task


def until_told(folder: Path, task: str, progress: Any) -> str:
    (folder / task).touch()
    try:
        while True:
            progress(0, None, "")
            time.sleep(0.01)
    except KeyboardInterrupt:
        return f"{task} so far"


def test_neighbours_go_to_one_process_and_what_is_left_to_whoever_is_free():
    left = runs("abcdef", 2)
    assert [take(left, 0) for _ in range(5)] == ["a", "b", "c", "f", "e"]
    assert [take(left, 1) for _ in range(2)] == ["d", None]
    assert [list(run) for run in runs("ab", 5)] == [["a"], ["b"]]


def test_tasks_are_shared_among_processes_and_each_is_done_once():
    with Crew(twice, "abcd", 2) as crew:
        found = dict(crew.next_result(silent) for _ in range(4))
    assert {task: text.split(" ")[0] for task, text in found.items()} == {task: 2 * task for task in "abcd"}
    assert len({text.split(" ")[-1] for text in found.values()} - {str(os.getpid())}) == 2
    assert (crew.done, crew.at_work) == (4, ())


def test_a_process_that_dies_loses_its_task_alone():
    with Crew(partial(dies_at, "b"), "abcd", 1) as crew:
        found = dict(crew.next_result(silent) for _ in range(4))
    lost = found.pop("b")
    assert isinstance(lost, LostError)
    assert "exit code 7" in str(lost)
    assert found == {task: task for task in "acd"}


def test_a_crew_that_is_stopped_hands_over_what_is_done_and_begins_nothing_new(tmp_path: Path):
    with Crew(partial(until_told, tmp_path), "abcd", 2) as crew:
        while len(list(tmp_path.iterdir())) < 2:
            time.sleep(0.02)
        crew.stop()
        found = [crew.next_result(silent)[1] for _ in range(2)]
        assert crew.at_work == ()
    assert sorted(found) == ["a so far", "c so far"]
    assert {path.name for path in tmp_path.iterdir()} == {"a", "c"}


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent otherwise there")
def test_ctrl_c_at_a_terminal_keeps_what_processes_have_done_and_ends_in_no_traceback(tmp_path: Path):
    code = "from pliant.cli import main; main()"
    words = ["demo", "arm", "lever", "gate", "flock-1024", "--jobs", "2", "-o", str(tmp_path)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    demo = subprocess.Popen([sys.executable, "-c", code, *words], start_new_session=True, **pipes)
    first = demo.stdout.readline()  # one is done, others are at work or to come
    os.killpg(demo.pid, signal.SIGINT)  # as a terminal does: to every process
    rest, errors = demo.communicate(timeout=120)
    assert demo.returncode == 130
    assert "Traceback" not in errors
    done = [line.split(" ")[0] for line in (first + rest).splitlines() if " s): " in line]
    page = Page((tmp_path / "index.html").read_text())
    assert done  # a quick machine may have had the last one at work already, which hands over what it has
    assert set(page.ids) == set(done)
    assert all((tmp_path / link).is_file() for link in page.links if not link.startswith("#"))
    assert f"The report is {tmp_path / 'index.html'}" in rest
