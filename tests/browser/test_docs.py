"""What a page of the docs does in a browser: code is copied by a click."""

from pathlib import Path

import pytest

pytestmark = pytest.mark.browser

SCRIPT = Path(__file__).parents[2] / "docs" / "_static" / "copy.js"
PAGE = """<!doctype html><body><article><h1>Title <code class="literal">head</code></h1>
<p>Run <code class="literal">pliant demo</code>.</p>
<div class="highlight"><pre>pliant flex a.toml
pliant snap b.toml
</pre></div></article><script>{script}</script>"""


@pytest.fixture
def page(browser, tmp_path: Path):
    (tmp_path / "page.html").write_text(PAGE.format(script=SCRIPT.read_text(encoding="utf-8")))
    context = browser.new_context()
    page = context.new_page()
    page.add_init_script(
        "window.copied = [];"
        "const writeText = async (text) => { copied.push(text); };"
        "Object.defineProperty(navigator, 'clipboard', { value: { writeText } });"
    )
    page.goto((tmp_path / "page.html").as_uri())
    yield page
    context.close()


def test_a_block_is_copied_by_its_button_and_a_word_by_a_click(page):
    page.get_by_role("button", name="Copy").click()
    page.get_by_text("pliant demo").click()
    page.locator("h1 code").click()
    assert page.evaluate("() => copied") == ["pliant flex a.toml\npliant snap b.toml", "pliant demo"]
