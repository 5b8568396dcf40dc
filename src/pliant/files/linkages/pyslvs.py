"""Pyslvs: an expression such as M[J[R, P[0, 0], L[ground, link_1]], …], alone or in a YAML file."""

from __future__ import annotations

import re
from math import radians

from pliant.core.errors import Fault, InputError
from pliant.core.faults import value_text
from pliant.files.linkages.joint_rows import JointRow, LinkageDraft, linkage_of_rows

MOST = 2000  # joints
_NUMBER = r"\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?)\s*"
_TYPE = re.compile(r"\s*(RP|R|P)\b")
_ANGLE = re.compile(r"\bA\[" + _NUMBER + r"\]")
_PLACE = re.compile(r"\bP\[" + _NUMBER + "," + _NUMBER + r"\]")
_LINKS = re.compile(r"\bL\[([^\[\]]*)\]")
_INPUT = re.compile(r"^input:\s*(?:\n\s*-\s*-\s*(\d+)\s*\n\s*-\s*(\d+)|\[\[(\d+),\s*(\d+))", re.MULTILINE)


def is_pyslvs(text: str) -> bool:
    """Whether text has an expression of Pyslvs in it."""
    return re.search(r"\bM\[\s*J\[", text) is not None


def pyslvs_linkage(text: str, title: str) -> LinkageDraft:
    """The linkage of an expression, or of the first one in a YAML file."""
    begin = re.search(r"\bM\[\s*(?=J\[)", text)
    if begin is None:
        raise InputError([Fault("", "has no expression", "It begins with M[J[")])
    driven = _driven(text)
    rows: list[JointRow] = []
    for body in _joints(" ".join(text[begin.end() :].split())):
        rows.append(_row(body, len(rows), driven))
        if len(rows) > MOST:
            raise InputError([Fault("", f"there are more than {MOST:,} joints", "Give a smaller file")])
    return linkage_of_rows(rows, title)


def _joints(text: str) -> list[str]:
    """What stands between the brackets of each J[…]."""
    contents: list[str] = []
    place = 0
    while (begin := text.find("J[", place)) >= 0 and not text[place:begin].strip(" ,"):
        depth, end = 1, begin + 2
        while depth and end < len(text):
            depth += {"[": 1, "]": -1}.get(text[end], 0)
            end += 1
        if depth:
            raise InputError(
                [Fault(f"joint {len(contents)}", "has no closing bracket", "Copy the expression whole")]
            )
        contents.append(text[begin + 2 : end - 1])
        place = end
    return contents


def _row(body: str, number: int, driven: int | None) -> JointRow:
    kind, place, links = _TYPE.match(body), _PLACE.search(body), _LINKS.search(body)
    if kind is None or place is None or links is None:
        cure = "A joint is J[R, color[Green], P[0, 0], L[ground, link_1]]"
        raise InputError([Fault(f"joint {number}", f"{value_text(body)} cannot be read", cure)])
    angle = _ANGLE.search(body)
    names = tuple(dict.fromkeys(name.strip() for name in links[1].split(",") if name.strip()))
    if not names:
        raise InputError([Fault(f"joint {number}", "is on no link", "Name links in L[…]")])
    return JointRow(
        f"Point{number}",
        kind[1] if len(names) > 1 else "R",
        (float(place[1]), float(place[2])),
        names,
        radians(float(angle[1])) if angle else 0.0,
        driven=driven == number,
    )


def _driven(text: str) -> int | None:
    """The joint that turns, of the first pair that the file gives as input."""
    match = _INPUT.search(text)
    return int(match[1] or match[3]) if match else None
