"""Joints in rows, each with the links that meet there: how PMKS and Pyslvs write a linkage down."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from math import cos, dist, hypot, sin
from typing import Any

from pliant.core.errors import Fault, InputError

GROUND = "ground"
SAME = 1e-9  # of the size: joints nearer than this are at one place


@dataclass(frozen=True)
class JointRow:
    """One joint: a pin (R), a pin in a slot (RP), or a block in a slot (P). The slot is on the first link."""

    name: str
    kind: str  # "R", "RP" or "P"
    at: tuple[float, float]
    links: tuple[str, ...]
    angle: float = 0.0  # of the slot, rad
    driven: bool = False
    traced: bool = False


@dataclass
class LinkageDraft:
    """The keys of a linkage file, what was chosen, and what could not be said."""

    data: dict[str, Any]
    chosen: list[str] = field(default_factory=lambda: [])
    left_out: list[tuple[str, str]] = field(default_factory=lambda: [])  # what, why


def linkage_of_rows(rows: Sequence[JointRow], title: str, *, clockwise: bool = False) -> LinkageDraft:
    """A linkage of joints in rows, with its ground the link of that name."""
    draft = LinkageDraft({"pliant": 1, "kind": "linkage", "title": title})
    if not any(GROUND in row.links for row in rows):
        raise InputError([Fault("", "has no joint on the ground", 'Name the fixed link "ground"')])
    size = max((dist(one.at, other.at) for one in rows[:1] for other in rows), default=1.0) or 1.0
    merged = _merged([row for row in rows if row.kind != "P"], SAME * size)
    pins = _pins(merged)
    _add_slot_ends(rows, pins, merged, size)
    dropped = [name for name, members in pins.items() if len(members) < 2 and name != GROUND]
    blocks = {link for row in rows if row.kind == "P" for link in row.links}  # their joint slides instead
    draft.left_out += [(f"link {name}", "has a single joint") for name in dropped if name not in blocks]
    links = {name: members for name, members in pins.items() if name not in dropped and name != GROUND}
    used = {pin for members in links.values() for pin in members}
    kept = [row for row in merged if row.name in used]
    if not links:
        raise InputError([Fault("", "has no link of two joints", "Check the names of the links")])
    draft.data["ground"] = [row.name for row in kept if GROUND in row.links and row.kind == "R"]
    draft.data["joints"] = {row.name: list(row.at) for row in kept}
    draft.data["links"] = [{"joints": members, "name": name} for name, members in links.items()]
    sliders = _sliders(rows, kept, links, pins, draft)
    if sliders:
        draft.data["sliders"] = sliders
    draft.data["motors"] = [_motor(rows, kept, links, sliders, draft, clockwise, size)]
    traced = [row.name for row in kept if row.traced or len(row.links) == 1]
    if traced:
        draft.data["study"] = {"trace": traced}
    return draft


def _merged(rows: Sequence[JointRow], apart: float) -> list[JointRow]:
    """Rows at one place that share a link as one: a pin and the slot it runs in."""
    found: list[JointRow] = []
    for row in rows:
        for place, other in enumerate(found):
            shared = set(row.links) & set(other.links) - {GROUND}
            if dist(row.at, other.at) <= apart and shared:
                slot, pin = (row, other) if row.kind == "RP" else (other, row)
                links = (*slot.links, *(link for link in pin.links if link not in slot.links))
                found[place] = replace(
                    slot,
                    name=other.name,
                    links=links,
                    driven=row.driven or other.driven,
                    traced=row.traced or other.traced,
                )
                break
        else:
            found.append(row)
    return found


def _pins(rows: Iterable[JointRow]) -> dict[str, list[str]]:
    """The joints of each link: of a slot, those that are pinned in it are not."""
    pins: dict[str, list[str]] = {}
    for row in rows:
        for link in row.links[1:] if row.kind == "RP" else row.links:
            pins.setdefault(link, []).append(row.name)
        if row.kind == "RP":
            pins.setdefault(row.links[0], [])
    return pins


def _add_slot_ends(
    rows: Sequence[JointRow], pins: dict[str, list[str]], merged: list[JointRow], size: float
) -> None:
    """A link that carries a slot and has one joint gets a second one, along the slot."""
    for row in rows:
        carrier = row.links[0] if row.kind in ("RP", "P") else GROUND
        if carrier != GROUND and len(pins.get(carrier, [])) == 1:
            name = f"{row.name} slot"
            away = (row.at[0] + size * cos(row.angle) / 4, row.at[1] + size * sin(row.angle) / 4)
            pins[carrier].append(name)
            merged.append(JointRow(name, "R", away, (carrier,)))


def _sliders(
    rows: Sequence[JointRow],
    kept: Sequence[JointRow],
    links: dict[str, list[str]],
    pins: dict[str, list[str]],
    draft: LinkageDraft,
) -> list[dict[str, Any]]:
    place = {row.name: row.at for row in kept}
    made: list[dict[str, Any]] = []
    for row in [*(one for one in kept if one.kind == "RP"), *(one for one in rows if one.kind == "P")]:
        carrier, *members = row.links
        if carrier != GROUND and carrier not in links:
            draft.left_out.append(
                (f"joint {row.name}", f"its slot is on {carrier}, which is no link of two joints")
            )
            continue
        blocks = [pin for link in members for pin in pins.get(link, []) if pin in place]
        sliding = [row.name] if row.kind == "RP" else list(dict.fromkeys(blocks))[:2]
        if row.kind == "P" and not sliding:
            draft.left_out.append((f"joint {row.name}", "nothing is pinned to what slides there"))
        for pin in sliding:
            x, y = place[pin]
            along = [[x, y], [x + cos(row.angle), y + sin(row.angle)]]
            made.append({"joint": pin, "along": along} | ({} if carrier == GROUND else {"on": carrier}))
    return made


def _motor(
    rows: Sequence[JointRow],
    kept: Sequence[JointRow],
    links: dict[str, list[str]],
    sliders: Sequence[dict[str, Any]],
    draft: LinkageDraft,
    clockwise: bool,
    size: float,
) -> dict[str, Any]:
    driven = [row for row in rows if row.driven]
    if driven and driven[0].kind != "R":
        slid = next((one["joint"] for one in sliders if one["joint"] == driven[0].name), None)
        slid = slid or next((one["joint"] for one in sliders), None)
        if slid:
            draft.chosen.append(
                f"the motor pushes {slid} by {size / 10:.3g}, a tenth of the linkage (see [[motors]])"
            )
            return {"slider": slid, "range": [0, size / 10]}
    grounded = [row for row in kept if GROUND in row.links and row.kind == "R" and len(row.links) > 1]
    first = [row for row in grounded if row.name in {one.name for one in driven}]
    first = first or [row for row in grounded if "input" in row.links] or grounded
    turned = [(row, link) for row in first for link in row.links if link in links]
    if not turned:
        raise InputError(
            [Fault("", "has no link that turns on the ground", "Pin a link of two joints to the ground")]
        )
    row, link = min(turned, key=lambda one: (one[1] != "input", len(links[one[1]])))
    end = max((pin for pin in links[link] if pin != row.name), key=lambda pin: _away(kept, pin, row.at))
    if not driven and "input" not in row.links:
        draft.chosen.append(f"a motor at {row.name} turns {link} (see [[motors]])")
    return {"joint": row.name, "drives": end} | ({"direction": "cw"} if clockwise else {})


def _away(rows: Sequence[JointRow], name: str, at: tuple[float, float]) -> float:
    there = next(row.at for row in rows if row.name == name)
    return hypot(there[0] - at[0], there[1] - at[1])
