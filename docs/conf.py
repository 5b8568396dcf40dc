"""How Sphinx builds the documentation: MyST pages, furo's look, pictures made by pliant itself."""

from __future__ import annotations

import inspect
import re
import sys
from dataclasses import fields, is_dataclass
from html import unescape
from importlib.metadata import version as installed_version
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from docutils.nodes import SkipNode
from docutils.utils.math.latex2mathml import tex2mathml
from pydantic import BaseModel

from pliant.core.status import Status

sys.path.insert(0, str(Path(__file__).parent))

project = "pliant"
author = "The pliant authors"
project_copyright = "2026, The pliant authors"
release = version = installed_version("pliant")

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
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
html_static_path = ["_static"]
html_css_files = ["pages.css"]
html_js_files = [("copy.js", {"defer": "defer"})]

autodoc_typehints = "description"
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


COMMENT = re.compile(r"^    (\w+): .*?  # (.+)$", re.MULTILINE)


def keep_short(_app: Any, _what: str, _name: str, obj: Any, *_: Any) -> tuple[str, None] | None:
    """Classes of fields have no signature: their fields are listed below."""
    return ("", None) if isinstance(obj, type) and fields_of(obj) else None


def list_fields(_app: Any, what: str, _name: str, obj: Any, _options: Any, lines: list[str]) -> None:
    """Below a class: its fields with type, meaning and default, or the endings of a status."""
    if what == "class" and isinstance(obj, type):
        lines += ["", *fields_of(obj), ""]


def fields_of(kind: type) -> list[str]:
    if issubclass(kind, Status):
        return [f"* ``{one.name}`` ({one.exit_code}): {one.sentence}" for one in kind]
    types = {
        name: text
        for base in reversed(kind.__mro__)
        for name, text in vars(base).get("__annotations__", {}).items()
    }
    if issubclass(kind, BaseModel):
        said = {name: field.description or "" for name, field in kind.model_fields.items()}
    elif is_dataclass(kind):
        said = {field.name: "" for field in fields(kind)}
        for base in reversed(kind.__mro__):
            if is_dataclass(base):
                said |= {
                    name: text for name, text in COMMENT.findall(inspect.getsource(base)) if name in said
                }
    else:
        return []
    return [
        line
        for name, text in said.items()
        for line in (f":param {name}: {literal(text)}", f":type {name}: ``{types[name]}``")
    ]


def literal(text: str) -> str:
    """A text with what it has in backticks as reStructuredText has it."""
    return re.sub(r"`([^`]+)`", r"``\1``", text).replace("*", r"\*").replace("|", r"\|")


def quote_code(_app: Any, _what: str, _name: str, _obj: Any, _options: Any, lines: list[str]) -> None:
    """Docstrings have code in single backticks."""
    for number, line in enumerate(lines):
        if not line.lstrip().startswith(">>>"):
            coded = re.sub(r"(?<!`)`([^`]+)`(?!`)", r"``\1``", line)
            lines[number] = re.sub(r"(?<![`|])\|(\S+?)\|(?!`)", r"``|\1|``", coded)


def load_when_seen(_app: Any, _page: str, _template: str, context: dict[str, Any], _tree: Any) -> None:
    """Pictures are fetched when they come near the screen: the gallery has some hundred."""
    if "body" in context:
        context["body"] = context["body"].replace("<img ", '<img loading="lazy" decoding="async" ')


def setup(app: Any) -> None:
    """Hook all of them in."""
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    app.connect("autodoc-process-docstring", quote_code)
    app.connect("autodoc-process-docstring", list_fields)
    app.connect("autodoc-process-signature", keep_short)
    app.connect("builder-inited", make_pictures)
    app.connect("html-page-context", load_when_seen)
