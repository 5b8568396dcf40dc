"""How Sphinx builds the documentation: MyST pages, furo's look, pictures made by pliant itself."""

from __future__ import annotations

import sys
from importlib.metadata import version as installed_version
from pathlib import Path
from typing import Any

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


def visit_inline(writer: Any, node: Any) -> None:
    """Formulas as MathML, which browsers draw themselves: no script, and nothing from the network."""
    writer.body.append(tex2mathml(node.astext()))
    raise SkipNode


def visit_block(writer: Any, node: Any) -> None:
    """A formula on a line of its own."""
    writer.body.append(f'<div class="math">{tex2mathml(node.astext(), as_block=True)}</div>')
    raise SkipNode


def setup(app: Any) -> None:
    """Hook both in."""
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    app.connect("builder-inited", make_pictures)
