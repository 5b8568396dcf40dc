"""How Sphinx builds the documentation: MyST pages, furo's look, pictures made by pliant itself."""

from __future__ import annotations

import re
import sys
from html import unescape
from importlib.metadata import version as installed_version
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from docutils.nodes import SkipNode
from docutils.utils.math.latex2mathml import tex2mathml

sys.path.insert(0, str(Path(__file__).parent))

project = "pliant"
author = "The pliant authors"
project_copyright = "2026, The pliant authors"
release = version = installed_version("pliant")

extensions = ["myst_parser", "sphinx.ext.autodoc"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build"]
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
nitpicky = False

html_theme = "furo"
html_title = "pliant"
html_copy_source = False
html_show_sourcelink = False
html_math_renderer = "mathml"

autodoc_typehints = "none"
autodoc_member_order = "bysource"


def make_pictures(_app: Any) -> None:
    """Draw what the pages show; what is drawn already is kept."""
    from make_pictures import make_all

    make_all()


MATHML = "http://www.w3.org/1998/Math/MathML"
ACCENTS = "ˉ˙^~"
ENTITY = re.compile(r"&(?!lt;|gt;|amp;)\w+;")  # of HTML, that XML does not know


def mathml(tex: str, **options: Any) -> str:
    """A formula as MathML, with the index of an accented letter beside it, where docutils puts it below."""
    ElementTree.register_namespace("", MATHML)
    root = ElementTree.fromstring(ENTITY.sub(lambda found: unescape(found[0]), tex2mathml(tex, **options)))
    for node in root.iter(f"{{{MATHML}}}munderover"):
        letter, index, accent = node
        if accent.text and accent.text in ACCENTS:
            node.tag, over = f"{{{MATHML}}}msub", ElementTree.Element(f"{{{MATHML}}}mover")
            over[:], node[:] = [letter, accent], [over, index]
    return ElementTree.tostring(root, encoding="unicode")


def visit_inline(writer: Any, node: Any) -> None:
    """Formulas as MathML, which browsers draw themselves: no script, and nothing from the network."""
    writer.body.append(mathml(node.astext()))
    raise SkipNode


def visit_block(writer: Any, node: Any) -> None:
    """A formula on a line of its own."""
    writer.body.append(f'<div class="math">{mathml(node.astext(), as_block=True)}</div>')
    raise SkipNode


def setup(app: Any) -> None:
    """Hook both in."""
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    app.connect("builder-inited", make_pictures)
