"""The elements of an XML file: behind defusedxml, with their lines, never too deep or too many.

Entities may name a piece of plain text (old Illustrator files declare their namespaces so); one that
names others, or something outside, is refused.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, ParseError, TreeBuilder

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import XMLParser

from pliant.core.errors import Fault, InputError
from pliant.core.faults import value_text

DEPTH = 200  # of elements within elements
ELEMENTS = 2_000_000
LINE = "{pliant}line"  # the attribute in which an element keeps the line it stands in
SVG = "{http://www.w3.org/2000/svg}"
ENTITIES = 60  # that a file may declare
ENTITY_TEXT = 300  # characters of one

_DOCTYPE = re.compile(rb"<!DOCTYPE\s[^\[>]*(\[(.*?)\]\s*)?>", re.DOTALL)
_ENTITY = re.compile(rb"<!ENTITY\s+([\w.-]+)\s+(?:\"([^\"&%<]*)\"|'([^'&%<]*)')\s*>")
_COMMENT = re.compile(rb"<!--.*?-->", re.DOTALL)


def read_tree(path: Path, root_tag: str, what: str) -> Element:
    """The root element, each element with its line under `LINE`; or an InputError with the line.

    `root_tag` is what it must be, and `what` says so: "an SVG drawing".
    """
    content = path.read_bytes()
    if content[:2] == b"\x1f\x8b":
        raise InputError([Fault("", "is compressed", "Unpack it first, with gunzip, or save it plain")])
    builder = _LineBuilder()
    parser: Any = XMLParser(target=builder, forbid_dtd=False)
    builder.parser = parser.parser
    try:
        parser.feed(_without_entities(content))
        root: Element = parser.close()
    except ParseError as error:
        line, column = error.position
        problem = f"line {line}, column {column + 1}: {str(error).partition(':')[0]}"
        raise InputError([Fault("", problem, "Mend the XML there, or save the file anew")]) from None
    except DefusedXmlException as error:
        problem = f"line {builder.line}: {_danger(error)}"
        raise InputError([Fault("", problem, "Save it without entities")]) from None
    except (LookupError, ValueError) as error:  # an encoding that nobody knows
        raise InputError([Fault("", f"cannot be read as XML: {error}", "Save it as UTF-8")]) from None
    if tag_of(root) != root_tag:
        problem = f"is an XML file of {value_text(tag_of(root))}, not {what}"
        raise InputError([Fault("", problem, f"Give {what}")])
    return root


def tag_of(element: Element) -> str:
    """The name of an element; what is of a namespace other than SVG's begins with "{"."""
    tag: Any = element.tag  # of a comment, a function
    return tag.removeprefix(SVG) if isinstance(tag, str) else ""


def place_of(element: Element) -> str:
    """Where an element stands, in words."""
    key = next((key for key in ("id", "name") if element.get(key)), "")
    name = f' {key}="{element.get(key)}"' if key else ""
    return f"line {element.get(LINE)}: <{tag_of(element)[:40]}{name[:80]}>"


class _LineBuilder(TreeBuilder):
    """Builds elements that know their line, and refuses too many."""

    parser: Any = None

    def __init__(self) -> None:
        super().__init__()
        self.depth = 0
        self.count = 0

    @property
    def line(self) -> int:
        """The line that is read."""
        return self.parser.CurrentLineNumber if self.parser is not None else 1

    def start(self, tag: Any, attrs: Any, /) -> Any:
        """Begin an element."""
        self.depth += 1
        self.count += 1
        if self.depth > DEPTH:
            problem = f"line {self.line}: elements are nested more than {DEPTH} deep"
            raise InputError([Fault("", problem, "Write it flatter; ungroup a drawing")])
        if self.count > ELEMENTS:
            problem = f"line {self.line}: there are more than {ELEMENTS:,} elements"
            raise InputError([Fault("", problem, "Save the parts that matter in a file of their own")])
        return super().start(tag, {**attrs, LINE: str(self.line)})

    def end(self, tag: Any, /) -> Any:
        """End it."""
        self.depth -= 1
        return super().end(tag)


def _without_entities(content: bytes) -> bytes:
    """The text with entities that name plain text put in; others are left to be refused."""
    head = _DOCTYPE.search(content[:100_000])
    if head is None or head[2] is None:
        return content
    declared = _COMMENT.sub(b"", head[2])
    if _ENTITY.sub(b"", declared).strip():
        return content
    found = {name: one or other for name, one, other in _ENTITY.findall(declared)}
    if len(found) > ENTITIES or any(len(text) > ENTITY_TEXT for text in found.values()):
        return content
    rest = content[head.end() :]
    for name, text in found.items():
        rest = rest.replace(b"&" + name + b";", text)
    lines = b"\n" * content[: head.end()].count(b"\n")
    return _DECLARATION.match(content)[0] + lines + rest  # type: ignore[index]


_DECLARATION = re.compile(rb"\s*(<\?xml[^>]*\?>)?")


def _danger(error: DefusedXmlException) -> str:
    name = getattr(error, "name", "") or ""
    if type(error).__name__ == "EntitiesForbidden" and not getattr(error, "sysid", None):
        return f"declares the entity {value_text(name)}, which names other entities or is too long"
    return f"refers to something outside the file ({value_text(getattr(error, 'sysid', None) or name)})"
