"""What a notebook shows of a result: the player runs in its frame, which can reach nothing around it."""

from pathlib import Path

import pytest
from tests.solved import solved

pytestmark = pytest.mark.browser


def test_the_player_runs_in_a_sandboxed_frame(browser, tmp_path: Path):
    page = browser.new_page()
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    (tmp_path / "notebook.html").write_text(f"<!doctype html><body>{solved('drawer')._repr_html_()}")
    page.goto((tmp_path / "notebook.html").as_uri())
    frame = page.frames[1]
    frame.wait_for_selector(".stage canvas")
    assert complaints == []
    reached = "() => { try { return parent.document.title } catch { return 'apart' } }"
    assert frame.evaluate(reached) == "apart"
    page.close()
