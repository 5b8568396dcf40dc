"""What contradicts what in an assembly: used by loading, `pliant check` and solving alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from pydantic_core import InitErrorDetails

from pliant.core.errors import Fault, InputError
from pliant.core.model import fault_at, get, items, unknown

if TYPE_CHECKING:  # the model is checked by what is here
    from pliant.flex.model import ClearanceGroup, FlexStudy, Pin, Study, Term


def check_study(study: FlexStudy, held: Mapping[str, str], moves: bool) -> None:
    """Refuse a study without an objective, or with one that nothing can change."""
    if study.loaded and not study.maximize:
        if not moves:
            raise InputError([Fault("bodies", "nothing moves: every body is held", "Let one of them move")])
        return
    if not study.maximize and not study.stages:
        cure = 'Add maximize = [{ body = "…", direction = [1, 0] }] to [study], or use --move'
        raise InputError([Fault("study.maximize", "names nothing to maximise", cure)])
    for where, terms in objectives(study):
        still = terms_without_effect(terms, held, moves)
        if still:
            key = ".".join(["study", *where]).replace(".[", "[")
            raise InputError(
                [Fault(f"{key}[{one.place}].{one.key}", one.problem, one.cure, one.names) for one in still]
            )


NO_ANGLE = "is an angle, and what [study] maximises is none"
A_LENGTH = "Give a length, in the file's unit and without it"


def check_limit(limit: float | str | None, study: FlexStudy) -> None:
    """Refuse a limit of the flex that is an angle where something else is maximised."""
    if isinstance(limit, str) and not study.angular:
        raise InputError([Fault("limit", f"{limit!r} {NO_ANGLE}", A_LENGTH)])


def objectives(study: FlexStudy) -> list[tuple[tuple[str, ...], tuple[Term, ...]]]:
    """What is maximised, and the keys it is under: once, or stage by stage."""
    if not study.stages:
        return [(("maximize",), study.maximize)]
    return [
        (("stages", f"[{place}]", "maximize"), stage.maximize) for place, stage in enumerate(study.stages)
    ]


class TermFault(NamedTuple):
    """A term that nothing can change."""

    place: int  # among the terms
    key: str  # of the term, that is at fault
    problem: str
    cure: str
    names: tuple[str, ...]  # of its body


def terms_without_effect(terms: Iterable[Term], held: Mapping[str, str], moves: bool) -> list[TermFault]:
    """Where nothing can change what is maximised, each term's fault; else nothing."""
    faults = [
        TermFault(place, *why, () if term.body is None else (term.body,)) if why else None
        for place, term in enumerate(terms)
        for why in [_why_without_effect(term, held, moves)]
    ]
    return [fault for fault in faults if fault] if all(faults) else []


def _why_without_effect(term: Term, held: Mapping[str, str], moves: bool) -> tuple[str, str, str] | None:
    if term.weight == 0:
        return "weight", "is 0: the term counts for nothing", "Give a weight such as 1"
    if term.spin == 0:
        return "spin", "is 0: no turn counts", "Give 1 for counter-clockwise, -1 for clockwise"
    if term.body is not None and term.body in held and (term.direction or term.spin or term.to):
        problem = f"{term.body!r} {held[term.body]}: nothing moves it"
        return "body", problem, "Name a body that moves, or let this one"
    if not moves:
        key = "radial" if term.radial is not None else "gather"
        return key, "nothing moves: every body is held", "Take fixed = true from what shall move"
    return None


class GroupFault(NamedTuple):
    """What stands in a group of bodies and pins, and cannot be in it."""

    group: str
    key: str  # "bodies" or "pins"
    place: int  # among those
    problem: str
    cure: str


def group_faults(groups: Mapping[str, ClearanceGroup], pins: Iterable[Pin]) -> Iterable[GroupFault]:
    """Pins that are none, and bodies and pins that are in two groups."""
    joined = [pin.bodies for pin in pins]
    owner: dict[frozenset[str], str] = {}
    for name, group in groups.items():
        for place, pair in enumerate(group.pins):
            if not any(set(bodies) == set(pair) for bodies in joined):
                known = ", ".join(f"[{', '.join(bodies)}]" for bodies in joined[:6]) or "there are none"
                problem = f"no pin joins {pair[0]!r} and {pair[1]!r}"
                yield GroupFault(name, "pins", place, problem, f"Pins: {known}")
        for key, members in (("bodies", [(body,) for body in group.bodies]), ("pins", group.pins)):
            for place, member in enumerate(members):
                before = owner.setdefault(frozenset(member), name)
                if before != name:
                    problem = f"{' and '.join(member)!r} is in the group {before!r} already"
                    yield GroupFault(name, key, place, problem, "Name each body and pin in one group")


def study_faults(
    own: Study, held: Mapping[str, str], moves: bool, pins: Iterable[Pin]
) -> Iterable[InitErrorDetails]:
    """An objective that nothing can change: by what holds each body that is held, and whether any moves."""
    tables: tuple[tuple[tuple[str, ...], FlexStudy | None], ...] = (
        (("study",), own),
        (("study", "flex"), own.flex),
    )
    for prefix, study in tables:
        for where, terms in objectives(study) if study else ():
            path = [int(key[1:-1]) if key.startswith("[") else key for key in where]
            for one in terms_without_effect(terms, held, moves):
                value = getattr(terms[one.place], one.key)
                yield fault_at((*prefix, *path, one.place, one.key), value, one.problem, one.cure, one.names)
    flex = own.for_command("flex")
    for command in ("loosen", "brace") if flex.asks and not flex.angular else ():
        limit = getattr(getattr(own, command), "limit", None)
        if isinstance(limit, str):
            yield fault_at(("study", command, "limit"), limit, f"{limit!r} {NO_ANGLE}", A_LENGTH)
    asked: list[tuple[tuple[str | int, ...], str]] = [
        (("play", key), name)
        for key in ("body", "drive")
        if own.play and (name := getattr(own.play, key)) is not None
    ]
    asked += (
        [(("separate", "parts", place), name) for place, name in enumerate(own.separate.parts)]
        if own.separate
        else []
    )
    groups = own.loosen.groups if own.loosen else {}
    for one in group_faults(groups, pins):
        at = ("study", "loosen", "groups", one.group, one.key, one.place)
        value = getattr(groups[one.group], one.key)[one.place]
        yield fault_at(at, value, one.problem, one.cure)
    for place, name in asked:
        if name in held:
            problem = f"{name!r} {held[name]}: nothing moves it"
            yield fault_at(
                ("study", *place), name, problem, "Name a body that moves, or let this one", [name]
            )


def reference_faults(data: Mapping[str, Any]) -> Iterable[InitErrorDetails]:
    """Names used twice, names used and never defined, nothing fixed."""
    bodies = items(data, "bodies")
    names = [name if isinstance(name := get(body, "name"), str) else "" for body in bodies]
    seen = Counter[str]()
    for index, name in enumerate(names):
        seen[name] += 1
        if name and seen[name] == 2:
            yield fault_at(
                ("bodies", index, "name"), name, f"{name!r} is the name of two bodies", "Give each its own"
            )
    if bodies and not any(get(body, "fixed") for body in bodies):
        yield fault_at(("bodies",), None, "no body is fixed", "Add fixed = true to the body that is held")
    given = get(data, "shapes")
    shapes: dict[str, None] = dict.fromkeys(given) if isinstance(given, Mapping) else {}
    shaped = ((("bodies", index, "shape"), get(body, "shape")) for index, body in enumerate(bodies))
    yield from unknown(shaped, shapes, "shape")
    yield from unknown(_named_bodies(data), dict.fromkeys(names), "body")


def _named_bodies(data: Mapping[str, Any]) -> Iterable[tuple[tuple[str | int, ...], Any]]:
    for key, fields in {"keep": ("body",), "limits": ("body",), "sights": ("from", "viewer", "to")}.items():
        for index, item in enumerate(items(data, key)):
            yield from (((key, index, field), get(item, field)) for field in fields)
    for key in ("welds", "pins"):
        for index, joint in enumerate(items(data, key)):
            for side, name in enumerate(items(joint, "bodies")):
                yield (key, index, "bodies", side), name
    study = get(data, "study")
    for prefix, part in ((("study",), study), (("study", "flex"), get(study, "flex"))):
        yield from _named_in_stage(prefix, part)
        for place, stage in enumerate(items(part, "stages")):
            yield from _named_in_stage((*prefix, "stages", place), stage)
        for index, load in enumerate(items(part, "load")):
            yield (*prefix, "load", index, "body"), get(load, "body")
    yield from ((("study", "play", key), get(get(study, "play"), key)) for key in ("body", "drive"))
    groups = get(get(study, "loosen"), "groups")
    for group, said in groups.items() if isinstance(groups, Mapping) else ():
        at = ("study", "loosen", "groups", str(group))
        yield from (((*at, "bodies", k), name) for k, name in enumerate(items(said, "bodies")))
        for k, pair in enumerate(items(said, "pins")):
            if isinstance(pair, list | tuple):
                yield from (((*at, "pins", k, side), name) for side, name in enumerate(pair))
    for index, name in enumerate(items(get(study, "separate"), "parts")):
        yield ("study", "separate", "parts", index), name


def _named_in_stage(prefix: tuple[str | int, ...], part: Any) -> Iterable[tuple[tuple[str | int, ...], Any]]:
    """Bodies that what is maximised names, and what holds meanwhile."""
    for key, fields in {"maximize": ("body", "gather"), "keep": ("body",), "limits": ("body",)}.items():
        for index, item in enumerate(items(part, key)):
            yield from (((*prefix, key, index, field), get(item, field)) for field in fields)
