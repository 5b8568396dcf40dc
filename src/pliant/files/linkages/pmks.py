"""PMKS: lines of links, type and place, or a URL of them; PMKS+: a URL in digits of base 64.

In PMKS a joint is "ground,input,R,0,0" or, in a URL, "ground input R 0 0 0 ffft|…": the links, the type
(R, P, RP, G), x, y, the angle of a slot in degrees, and four flags, of which the last says that it is
driven. In PMKS+ numbers are thousandths in base 64, with a leading 0 where they are negative.
"""

from __future__ import annotations

import re
from math import atan2, radians
from string import ascii_lowercase, ascii_uppercase, digits
from typing import NamedTuple
from urllib.parse import unquote_plus

from pliant.core.errors import Fault, InputError
from pliant.core.faults import value_text
from pliant.files.linkages.joint_rows import GROUND, JointRow, LinkageDraft, linkage_of_rows

KINDS = ("R", "P", "RP", "G")
DIGITS = digits + ascii_uppercase + ascii_lowercase + "_-"
MOST = 2000  # joints
_URL = re.compile(r"[?&]mech=([^&\s]*(?: [^&\n]*)?)")
_FLAGS = re.compile(r"[tf]{4}", re.IGNORECASE)
_PLUS = re.compile(r"[\w-]{1,4}\.[\w,-]*\.[\w,-]*\.[\w-]*\.(?P<rest>[\w.,\- #]*)$")
_BETWEEN = re.compile(r"[,\s]+")


def is_pmks(text: str) -> bool:
    """Whether text looks like a linkage of PMKS or PMKS+."""
    return bool("mech=" in text or _payload(text) or any(_is_row(line) for line in text.splitlines()[:50]))


def pmks_linkage(text: str, title: str) -> LinkageDraft:
    """The linkage of a PMKS file or URL."""
    if payload := _payload(text):
        return _plus_linkage(payload, title)
    found = _URL.search(text)
    lines = unquote_plus(found[1].replace("+", " ")).split("|") if found else text.splitlines()
    rows: list[JointRow] = []
    left: list[tuple[str, str]] = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        if not _is_row(line):
            left.append((f"line {number}", f"is no joint: {value_text(line.strip())}"))
            continue
        row = _row(line, number, len(rows))
        if row is None:
            left.append((f"line {number}", "a gear, which a linkage does not have"))
        else:
            rows.append(row)
        if len(rows) > MOST:
            raise InputError(
                [Fault(f"line {number}", f"there are more than {MOST:,} joints", "Give a smaller file")]
            )
    if not rows:
        raise InputError([Fault("", "has no joint", 'A joint is a line such as "ground,input,R,0,0"')])
    draft = linkage_of_rows(rows, title)
    draft.left_out += left
    return draft


def _is_row(line: str) -> bool:
    words = _BETWEEN.split(line.strip())
    return any(
        word.upper() in KINDS and _is_number(words[place + 1 : place + 3]) for place, word in enumerate(words)
    )


def _is_number(words: list[str]) -> bool:
    try:
        return len(words) == 2 and all(abs(float(word)) < 1e9 for word in words)
    except ValueError:
        return False


def _row(line: str, number: int, count: int) -> JointRow | None:
    """A joint; None of a gear."""
    words = _BETWEEN.split(line.strip())
    place = next(
        k for k, word in enumerate(words) if word.upper() in KINDS and _is_number(words[k + 1 : k + 3])
    )
    kind, rest = words[place].upper(), words[place + 1 :]
    named = (GROUND if word.lower() == GROUND else word for word in words[:place] if word)
    links = tuple(dict.fromkeys(named))
    if not links:
        raise InputError([Fault(f"line {number}", "names no link", 'Write "ground,input,R,0,0"')])
    if kind == "G":
        return None
    flags = next((word.lower() for word in rest if _FLAGS.fullmatch(word)), "ffff")
    numbers = [float(word) for word in rest if _is_number([word, "0"])]
    return JointRow(
        _letter(count),
        kind if len(links) > 1 else "R",
        (numbers[0], numbers[1]),
        _ground_first(links) if kind != "R" else links,
        radians(numbers[2]) if len(numbers) > 2 else 0.0,
        driven=flags[3] == "t",
        traced=flags[0] == "t",
    )


def _ground_first(links: tuple[str, ...]) -> tuple[str, ...]:
    """A slot is on the ground, where that is one of its links, else on the first."""
    return (GROUND, *(link for link in links if link != GROUND)) if GROUND in links else links


def _letter(count: int) -> str:
    return ascii_uppercase[count] if count < 26 else f"{ascii_uppercase[count % 26]}{count // 26}"


# PMKS+


def _payload(text: str) -> str:
    """What follows the settings in a URL of PMKS+: joints, links and forces; "" where there is none."""
    said = text.strip().partition("?")[2] or text.strip()
    found = _PLUS.match(unquote_plus(said)) if len(said) < 1_000_000 and "\n" not in said else None
    return said if found and ".." in found["rest"] else ""


def _plus_linkage(payload: str, title: str) -> LinkageDraft:
    flags, _, _, _, rest = unquote_plus(payload).split(".", 4)
    joints, links, forces = (part.strip(".").split(".") for part in [*rest.split("..", 2), "", ""][:3])
    records = [_plus_joint(one) for one in joints if one]
    at_link: dict[str, list[str]] = {}
    left: list[tuple[str, str]] = []
    sliding: dict[str, str] = {}  # the block of a slot, by the pin that runs in it
    known = {record.name for record in records}
    for one in filter(None, links):
        kind, name, members = _plus_link(one, known)
        if kind == "P" and len(members) == 2:
            sliding[members[0]] = members[1]
        else:
            at_link[name] = members
    left += [(f"force {one.split(',')[0][1:]}", "forces are not read") for one in forces if "," in one]
    rows = _plus_rows(records, at_link, sliding, left)
    draft = linkage_of_rows(rows, title, clockwise=bool(DIGITS.index(flags[-1]) & 1) if flags else False)
    draft.left_out += left
    return draft


class _PlusJoint(NamedTuple):
    """A joint of PMKS+ as it is written."""

    name: str  # its id
    flags: int  # 1: a block, 2: driven, 4: on the ground, 8: its links are welded
    x: float
    y: float
    angle: float  # of the slot that it runs in
    slot: list[str]  # its link and joints; none where it runs in none


def _plus_joint(text: str) -> _PlusJoint:
    words = text.split(",")
    flags, name = DIGITS.find(words[0][:1]), words[0][1:]
    numbers = words[2:] if len(words) > 4 else words[1:]
    if not name or flags < 0 or len(numbers) < 3:
        raise InputError([Fault("joint", f"{value_text(text)} cannot be read", "Copy the URL of PMKS+ anew")])
    x, y, angle = map(_thousandths, numbers[:3])
    return _PlusJoint(name, flags, x, y, angle, [word for word in numbers[3:] if word])


def _plus_link(text: str, known: set[str]) -> tuple[str, str, list[str]]:
    """Its type (R, or P for a block), name, and joints: those before the first gap behind its figures."""
    words = text.split(",")
    head = words[0]
    kind = head[1] if head[1:2] in ("R", "P") and head[:1] not in ("R", "P") else head[:1]
    name = head[2:] if head[1:2] in ("R", "P") and head[:1] not in ("R", "P") else head[1:]
    tail = words[5:]
    first = next((place for place, word in enumerate(tail) if word in known), len(tail))
    members: list[str] = []
    for word in tail[first:]:
        if word not in known:
            break
        members.append(word)
    said = words[1] if len(words) > 7 and words[1] else name
    return kind, said, members


def _plus_rows(
    records: list[_PlusJoint],
    at_link: dict[str, list[str]],
    sliding: dict[str, str],
    left: list[tuple[str, str]],
) -> list[JointRow]:
    """Joints in rows; welded links are one, and blocks in slots are the slots of their pins."""
    for joint in [record.name for record in records if record.flags & 8]:
        mine = [link for link, members in at_link.items() if joint in members]
        for other in mine[1:]:
            at_link[mine[0]] += [member for member in at_link.pop(other) if member not in at_link[mine[0]]]
    blocks = {record.name: record for record in records if record.flags & 1}
    rows: list[JointRow] = []
    for name, flags, x, y, _, _ in records:
        if flags & 1:
            continue
        links = tuple(link for link, members in at_link.items() if name in members)
        links = (GROUND, *links) if flags & 4 else links
        block = blocks.get(sliding.get(name, ""))
        if block is None:
            rows.append(JointRow(name, "R", (x, y), links, driven=bool(flags & 2)))
            continue
        carrier = _carrier(block.slot, at_link) if not block.flags & 4 else GROUND
        if not carrier:
            left.append((f"slot at {name}", "the link it is in cannot be found"))
            rows.append(JointRow(name, "R", (x, y), links))
            continue
        angle = _slot_angle(block, records)
        inner = tuple(link for link in links if link not in (carrier, GROUND))
        driven = bool(block.flags & 2)
        if flags & 8:  # the link is one with the block: it slides, and does not turn
            rows.append(JointRow(name, "R", (x, y), inner))
            rows.append(JointRow(name, "P", (x, y), (carrier, *inner), angle, driven))
        else:
            rows.append(JointRow(name, "RP", (x, y), (carrier, *inner), angle, driven))
    return rows


def _carrier(slot: list[str], at_link: dict[str, list[str]]) -> str:
    """The link that has both joints of a slot."""
    return next(
        (link for link, members in at_link.items() if len(slot) == 3 and {*slot[1:]} <= {*members}), ""
    )


def _slot_angle(block: _PlusJoint, records: list[_PlusJoint]) -> float:
    """The direction of a slot: its own, or that from one of its joints to the other."""
    place = {record.name: (record.x, record.y) for record in records}
    ends = [place[one] for one in block.slot[1:] if one in place]
    return atan2(ends[1][1] - ends[0][1], ends[1][0] - ends[0][0]) if len(ends) == 2 else block.angle


def _thousandths(text: str) -> float:
    """A number of PMKS+: thousandths in base 64, negative behind a leading 0.

    >>> _thousandths("0mv"), _thousandths("E6"), _thousandths("0")
    (-3.129, 0.902, 0.0)
    """
    negative = len(text) > 1 and text[0] == "0"
    value = 0
    for digit in text[negative:]:
        if digit not in DIGITS:
            raise InputError([Fault("", f"{value_text(text)} is no number of PMKS+", "Copy the URL anew")])
        value = 64 * value + DIGITS.index(digit)
    return (-value if negative else value) / 1000
