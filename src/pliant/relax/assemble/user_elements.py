"""Elements of the user's own: what they must be, and what they may answer.

A wrong element is found before the run or at its first call, and told by its place in `elements`, its class,
what it gave and what is wanted.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any, Protocol

import numpy as np

from pliant.core.arrays import Floats
from pliant.core.errors import Fault, InputError, PliantError
from pliant.relax.network.network import Network

FEW = 3  # nodes that are named as examples
WANTED = "Give a pair of arrays: forces and stiffness"


class Element(Protocol):
    """What a user may add: anything that pulls and pushes nodes.

    `nodes` are the names of those it acts on. Called with their positions (n, D) and the share of
    the drive, it gives the forces on them (n, D), and how stiff it is against each coordinate (n, D):
    the sum of the absolute row of its stiffness matrix, or anything above it.
    """

    @property
    def nodes(self) -> Sequence[str]:
        """The nodes it acts on."""
        ...

    def __call__(self, x: Floats, share: float) -> tuple[Floats, Floats]:
        """Forces and stiffness."""
        ...


class UserElements:
    """The user's elements, by numbers of nodes, with every answer looked at before it is used."""

    def __init__(self, net: Network, elements: Sequence[Element]) -> None:
        names = net.names[: net.shown]
        faults = [fault for k, element in enumerate(elements) for fault in _faults(k, element, names)]
        if faults:
            raise InputError(faults)
        number = {name: k for k, name in enumerate(names)}
        self._elements = [(element, [number[name] for name in element.nodes]) for element in elements]

    def __bool__(self) -> bool:
        return bool(self._elements)

    def add(self, x: Floats, share: float, force: Floats, stiffness: Floats) -> None:
        """Set forces and stiffness (N, D) to what the elements do at x (N, D) and a share of the drive."""
        force[:], stiffness[:] = 0.0, 0.0
        for k, (element, nodes) in enumerate(self._elements):
            f, s = _answer(k, element, x[nodes], share)
            np.add.at(force, nodes, f)
            np.add.at(stiffness, nodes, s)


def _element_name(k: int, element: Any) -> str:
    return f"elements[{k}] ({type(element).__name__})"


def _faults(k: int, element: Any, names: Sequence[str]) -> list[Fault]:
    """What is wrong with an element before it is called."""
    where, given = _element_name(k, element), getattr(element, "nodes", None)
    if not callable(element):
        cure = "Give it a method __call__(self, x, share) that returns forces and stiffness"
        return [Fault(where, "cannot be called", cure)]
    known = ", ".join(names[:FEW]) + (", …" if len(names) > FEW else "")
    if not isinstance(given, list | tuple) or not given:
        cure = f"Give it an attribute `nodes`: a list of names such as [{names[0]!r}]"
        return [Fault(f"{where}.nodes", f"is {given!r}, not a list of names of nodes", cure)]
    faults: list[Fault] = []
    for name in given:  # pyright: ignore[reportUnknownVariableType]  a user's
        if name not in names:
            close = get_close_matches(name, names, 1) if isinstance(name, str) else []
            cure = f"Did you mean {close[0]!r}?" if close else f"The nodes are {known}"
            faults.append(Fault(f"{where}.nodes", f"there is no node {name!r}", cure))
    return faults


def _answer(k: int, element: Element, x: Floats, share: float) -> tuple[Floats, Floats]:
    """Forces and stiffness (n, D) that an element gives, or an error that says what is wrong with them."""
    try:
        given: Any = element(x.copy(), share)
    except Exception as error:
        error.add_note(f"raised by {_element_name(k, element)}, called at {share:.1%} of the drive")
        raise
    if not isinstance(given, tuple | list) or len(given) != 2:  # pyright: ignore[reportUnknownArgumentType]
        what = f"{type(given).__name__}" + (f" of {len(given)}" if isinstance(given, tuple | list) else "")  # pyright: ignore[reportUnknownArgumentType]
        raise _answer_fault(k, element, share, f"it returned {what}", f"{WANTED}, both of shape {x.shape}")
    force = _check_array(k, element, share, "forces", given[0], x.shape)
    stiffness = _check_array(k, element, share, "stiffness", given[1], x.shape)
    if (stiffness < 0.0).any():
        node, axis = np.argwhere(stiffness < 0.0)[0].tolist()
        problem = f"stiffness[{node}, {axis}] is {stiffness[node, axis]:.6g}, at node {element.nodes[node]!r}"
        raise _answer_fault(k, element, share, problem, "Give sums of absolute values, 0 or more")
    return force, stiffness


def _check_array(
    k: int, element: Element, share: float, what: str, given: Any, shape: tuple[int, ...]
) -> Floats:
    """An array of numbers of the shape wanted."""
    try:
        values = np.asarray(given)
        if values.dtype.kind not in "bifu":
            raise TypeError
        values = values.astype(np.float64)
    except (TypeError, ValueError):
        problem = f"{what} are {given!r:.60}, not an array of numbers"
        raise _answer_fault(k, element, share, problem, f"{WANTED}, both of shape {shape}") from None
    if values.shape != shape:
        problem = f"{what} have the shape {values.shape}, and positions {shape}"
        raise _answer_fault(k, element, share, problem, "Give a row for each node and a column for each axis")
    if not np.isfinite(values).all():
        node, axis = np.argwhere(~np.isfinite(values))[0].tolist()
        problem = f"{what}[{node}, {axis}] is {values[node, axis]}, at node {element.nodes[node]!r}"
        raise _answer_fault(k, element, share, problem, "Give finite numbers; nodes may be at one place")
    return values


def _answer_fault(k: int, element: Element, share: float, problem: str, cure: str) -> PliantError:
    return InputError([Fault(f"{_element_name(k, element)} at {share:.1%} of the drive", problem, cure)])
