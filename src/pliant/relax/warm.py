"""The compiled loops of mechanisms, and small runs that use every one of them but those of many at once."""

from __future__ import annotations

from typing import Any

from pliant.core.loops import Loops

MODULES = (
    "solve",
    "result",
    "diagnose.rank",
    "mechanics.gradients",
    "assemble.contacts",
    "assemble.wrapping",
)

TWO_BARS: dict[str, Any] = {
    "ground": ["a", "d"],
    "nodes": {"a": [0, 0], "b": [0, 4], "c": [5, 4], "d": [5, 0]},
    "bars": [{"nodes": pair} for pair in (["a", "b"], ["b", "c"], ["c", "d"])],
    "rotors": [{"joint": "a", "arms": ["d", "b"], "to": 0.1}],
}


def exercise() -> None:
    """Newton's steps first: what they call is the most of it."""
    from pliant.relax.model import Mechanism

    for parts in (
        TWO_BARS,
        _driven_elbow(),
        _loaded_mast(),
        _buckling_mast(),
        _contact_model(),
        _guided_nodes(),
        _wrapped_string(2),
        _wrapped_string(3),
        _rough_guide(),
    ):
        _run(Mechanism.model_validate(parts), frames=1)
    for method in ("sync", "momentum"):
        _run(Mechanism.model_validate(TWO_BARS), method=method, frames=1, iterations=2, noise=1e-9)


def _run(model: Any, **study: Any) -> None:
    from pliant.relax.model import RelaxStudy
    from pliant.relax.solve import solve

    result = solve(model, RelaxStudy(**study))
    assert result.freedoms + len(result.singular_values) >= 0


def _driven_elbow() -> dict[str, Any]:
    """An elbow whose length is driven: nothing but lengths decides it."""
    return {
        "ground": ["a", "b"],
        "nodes": {"a": [0, 0], "b": [3, 0], "c": [1.5, 2]},
        "bars": [{"nodes": ["a", "c"]}],
        "actuators": [{"nodes": ["b", "c"], "to": 2.6}],
    }


def _loaded_mast() -> dict[str, Any]:
    """A mast with a weight on it, that could fall over."""
    nodes = {"a": [0, 0], "b": [0, 1], "c": [-3, 1]}
    springs = [{"nodes": ["b", "c"], "stiffness": 10}]
    weight = [{"node": "b", "force": [0, -1]}]
    return {
        "ground": ["a", "c"],
        "nodes": nodes,
        "bars": [{"nodes": ["a", "b"]}],
        "springs": springs,
        "loads": weight,
    }


def _buckling_mast() -> dict[str, Any]:
    """A mast on a torsion spring."""
    return {
        "ground": ["a", "g"],
        "nodes": {"a": [0, 0], "b": [0, 1], "g": [1, 0]},
        "bars": [{"nodes": ["a", "b"]}],
        "rotors": [{"joint": "a", "arms": ["g", "b"], "to": 0, "stiffness": 2}],
        "loads": [{"node": "b", "force": [0, 0], "to": [0.1, -1]}],
    }


def _contact_model() -> dict[str, Any]:
    nodes = {"a": [0, 0], "p": [8, 0], "b": [10, 4], "q": [5.5, 3], "s": [10, -0.5]}
    return {
        "ground": ["a", "b", "s"],
        "nodes": nodes,
        "bars": [{"nodes": ["a", "p"]}, {"nodes": ["b", "q"]}],
        "springs": [{"nodes": ["s", "q"], "stiffness": 1}],
        "contacts": [{"members": [["a", "p"], ["b", "q"]], "radius": 0.6}],
        "rotors": [{"joint": "a", "arms": ["b", "p"], "to": 0.2}],
    }


def _guided_nodes() -> dict[str, Any]:
    """A node on a curve, and one on a line that slides along a bar."""
    return {
        "ground": ["a"],
        "nodes": {"a": [0, 0], "b": [4, 0], "c": [8, 1], "p": [2, 0]},
        "bars": [{"nodes": ["a", "b"]}, {"nodes": ["b", "c"]}],
        "sliders": [{"node": "p", "on": ["a", "b"]}],
        "guides": [
            {"node": "c", "curve": [[8, -1], [8.2, 0], [8, 1], [7.5, 2]]},
            {"node": "p", "line": [0, 1]},
        ],
        "rotors": [{"joint": "a", "arms": ["c", "b"], "to": 0.05}],
    }


def _rough_guide() -> dict[str, Any]:
    """A weight on a rough line, held by a spring."""
    return {
        "ground": ["a"],
        "nodes": {"a": [-5, 0], "b": [0, 0]},
        "springs": [{"nodes": ["a", "b"], "stiffness": 1}],
        "guides": [{"node": "b", "line": [1, 0], "friction": 0.2}],
        "loads": [{"node": "b", "force": [1, -10]}],
    }


def _wrapped_string(axes: int) -> dict[str, Any]:
    """A string over a pulley, or in space over a ball, which is led round it before anything moves."""
    drawn = {"a": [-4, 0, 0], "b": [4, 0, 0], "c": [4, -3, 0], "o": [0, -0.5, 0]}
    nodes = {name: place[:axes] for name, place in drawn.items()}
    wrap = {"nodes": ["a", "b"], "around": [{"node": "o", "radius": 1}], "pieces": 4}
    return {"ground": ["a", "c", "o"], "nodes": nodes, "bars": [{"nodes": ["b", "c"]}], "wraps": [wrap]}


LOOPS = Loops("relax", MODULES, exercise)
