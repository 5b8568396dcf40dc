"""What an SVG element looks like, as far as a cutter cares: hidden or not, the colour of its line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from xml.etree.ElementTree import Element

from pliant.files.xml_tree import tag_of

KEYS = ("display", "visibility", "stroke", "fill", "stroke-opacity", "opacity")
INHERITED = ("visibility", "stroke", "fill")
RULES = 10_000  # of style sheets

StyleProperties = Mapping[str, str]
StyleSheet = dict[str, dict[str, str]]

_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
_SIMPLE = re.compile(r"(?:[\w-]+|\*)?(?:[.#][\w-]+)?")
_SHORT = re.compile(r"#([0-9a-f])([0-9a-f])([0-9a-f])")
_RGB = re.compile(r"rgb\(\s*(\d{1,3})\s*,\s*(\d{1,3})\s*,\s*(\d{1,3})\s*\)")
_WORDS = {
    "black": "#000000",
    "red": "#ff0000",
    "lime": "#00ff00",
    "blue": "#0000ff",
    "white": "#ffffff",
    "cyan": "#00ffff",
    "aqua": "#00ffff",
    "magenta": "#ff00ff",
    "fuchsia": "#ff00ff",
    "yellow": "#ffff00",
    "green": "#008000",
}


def sheet_of(texts: Iterable[str]) -> StyleSheet:
    """Rules of style sheets by simple selector: "g", ".cut", "#lid", "path.cut"."""
    rules: StyleSheet = {}
    for text in texts:
        for selectors, body in _RULE.findall(_COMMENT.sub("", text))[:RULES]:
            declared = _declarations(body)
            for selector in map(str.strip, selectors.split(",")):
                if declared and _SIMPLE.fullmatch(selector):
                    rules.setdefault(selector, {}).update(declared)
    return rules


def style_of(element: Element, inherited: StyleProperties, sheet: StyleSheet) -> dict[str, str]:
    """What holds for an element: inherited, its attributes, the sheet, its own style, each over the last."""
    tag = tag_of(element)
    found = {key: value for key, value in inherited.items() if key in INHERITED}
    found |= {key: element.attrib[key].strip() for key in KEYS if key in element.attrib}
    if sheet:
        names = ["." + name for name in element.get("class", "").split()]
        names += ["#" + element.get("id", "")] if element.get("id") else []
        for selector in ("*", tag, *names, *(tag + name for name in names)):
            found |= sheet.get(selector, {})
    return found | _declarations(element.get("style", ""))


def is_removed(style: StyleProperties) -> bool:
    """Whether an element is not displayed at all, nor anything in it."""
    return style.get("display") == "none"


def why_invisible(style: StyleProperties) -> str:
    """Why a shape is not to be seen; "" where it is."""
    if style.get("visibility") in ("hidden", "collapse"):
        return "hidden"
    if _number(style.get("opacity", "1")) == 0:
        return "fully transparent"
    bare = style.get("stroke", "none") == "none" or _number(style.get("stroke-opacity", "1")) == 0
    return "neither line nor fill" if bare and style.get("fill", "black") == "none" else ""


def colour_of(style: StyleProperties) -> str:
    """The colour of the line, else of the fill, as "#rrggbb" where it can be said so."""
    for key in ("stroke", "fill"):
        if (given := style.get(key, "none").strip().lower()) != "none":
            return hex_colour(given)
    return ""


def hex_colour(given: str) -> str:
    """A colour as "#rrggbb", where it is one that can be said so.

    >>> hex_colour("rgb(255,0,0)"), hex_colour("#0f0"), hex_colour("Blue".lower())
    ('#ff0000', '#00ff00', '#0000ff')
    """
    if short := _SHORT.fullmatch(given):
        return "#" + "".join(2 * digit for digit in short.groups())
    if parts := _RGB.fullmatch(given):
        return "#" + "".join(f"{min(int(part), 255):02x}" for part in parts.groups())
    return _WORDS.get(given, given)


def _declarations(text: str) -> dict[str, str]:
    pairs = (one.partition(":") for one in text.split(";"))
    named = {key.strip().lower(): value.replace("!important", "").strip() for key, _, value in pairs}
    return {key: value for key, value in named.items() if key in KEYS}


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 1.0
