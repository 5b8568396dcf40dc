"""Small models, to be broken and solved: between them and the gallery every key of every kind is used.

Each is good as it stands and takes some hundredths of a second to solve.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Data = dict[str, Any]

SQUARE = [[0, 0], [10, 0], [10, 10], [0, 10]]
SLOT = [[-5, -5], [25, -5], [25, 0], [0, 0], [0, 10.2], [25, 10.2], [25, 15], [-5, 15]]
PARAMETERS = {"a": 2, "b": "a/3", "c": "1 in", "d": 4.5, "e": 3}
SPREADS = {
    "a": {"normal": "b/10", "sigmas": 3, "within": 0.5, "shift": -0.1},
    "b": {"uniform": 0.1},
    "c": {"measured": [25, "51/2"], "nominal": 25},
    "d": {"file": "gauge.csv", "column": "d"},
    "e": {"process": "fdm-hole"},
}


def small(kind: str) -> list[Data]:
    """The small models of a kind."""
    made = {"assembly": _assemblies, "linkage": _linkages, "mechanism": _mechanisms, "fastener": _fasteners}
    first, *others = made[kind]()
    varied = {"parameters": {**PARAMETERS, **first.get("parameters", {})}, "tolerances": SPREADS}
    return [{"pliant": 1, "kind": kind, **data} for data in ({**first, **varied}, *others)]


def _assemblies() -> Iterator[Data]:
    box = {"name": "box", "outline": SLOT, "fixed": True}
    peg = {"name": "peg", "outline": SQUARE, "pose": [1, 0.1, 0]}
    right: Data = {"body": "peg", "direction": [1, 0], "weight": 2}
    stops = [{"body": "peg", "x": [-5, 4], "y": [-1, 1], "rotation": ["-10 deg", "10 deg"]}]
    yield {"bodies": [box, peg], "limits": stops, "study": {"maximize": [right], "steps": 8}}
    for study in (
        {"solver": "highs", "corners": "chosen", "tolerance": 1e-4},
        {"solver": "clarabel", "corners": "exact", "turn": "5 deg", "steps": 2},
        {"solver": "normal", "threshold": 2, "reach": 3},
        {"solver": "piqp", "ranges": True, "steps": 4},
        {"restarts": 1, "steps": 3},
        {
            "play": {
                "body": "peg",
                "point": [1, 2],
                "direction": [1, 1],
                "directions": 4,
                "draws": 100,
                "seed": 1,
            }
        },
        {"play": {"body": "peg", "spin": True, "ranges": True}, "loosen": {"limit": 0.5, "accuracy": 0.2}},
        {"separate": {"parts": ["peg"], "together": False, "directions": 4}},
        {"prove": {"gap": 0.2, "nodes": 5}, "neighbours": 3},
        {
            "loosen": {
                "limit": 0.5,
                "aim": "total",
                "groups": {"pegs": {"bodies": ["peg"], "least": 0.01, "most": 0.3}},
            },
        },
        {"play": {"body": "peg", "point": [1, 2], "drive": "peg", "angles": [0, 0.01], "samples": 2}},
        {"brace": {"limit": 1, "beams": 1, "longest": 3, "tried": 1}},
        {
            "flex": {
                "maximize": [right],
                "steps": 2,
                "corners": "average",
                "solver": "auto",
                "threshold": 1,
                "tolerance": 0.001,
                "reach": 5,
                "turn": 0.2,
                "restarts": 0,
                "ranges": False,
            }
        },
    ):
        yield {"bodies": [box, peg], "limits": stops, "study": {"maximize": [right], "steps": 6, **study}}
    stage = {"maximize": [{"body": "peg", "to": [2, 0.1]}], "keep": [], "limits": stops}
    yield {"bodies": [box, peg], "study": {"stages": [stage], "steps": 4}}
    there = {"maximize": [{"body": "peg", "to": [6.5, 5.1]}]}
    yield {"bodies": [box, peg], "study": {"stages": [there, there], "steps": 8}}
    yield {"bodies": [box, peg], "study": {"flex": {"stages": [stage], "neighbours": 2, "steps": 4}}}
    heavy = {**peg, "clearance": 0.05, "mass": 2, "layer": 0}
    load = [{"body": "peg", "force": [1, 0], "point": [1, 1], "torque": 0.1}]
    yield {"density": 0.1, "bodies": [box, heavy], "limits": stops, "study": {"load": load, "steps": 4}}
    weighed = {"flex": {"load": load, "gravity": [0, -9.81], "steps": 4}}
    yield {"bodies": [box, heavy], "limits": stops, "study": weighed}
    yield {"bodies": [box, heavy], "limits": stops, "study": {"gravity": [0, -9.81], "steps": 4}}
    far = {"name": "far", "outline": SQUARE, "pose": [30, 2, "20 deg"]}
    boxes = [{"name": "ground", "outline": [[-20, -20], [60, -20], [60, -15]], "fixed": True}, peg, far]
    gathered: Data = {"maximize": [{"gather": "ground", "axis": [1, 1], "weight": 0.5}], "steps": 4}
    yield {"units": "cm", "bodies": boxes, "study": {"maximize": [{"radial": [0, 0]}], "steps": 3}}
    sight = {
        "from": "peg",
        "to": "far",
        "apex": [5, 5],
        "axis": 0.1,
        "half_angle": "30 deg",
        "marker": [1, 1],
    }
    inside = {"body": "far", "point": [1, 1], "inside": [[20, -10], [60, -10], [60, 30], [20, 30]]}
    turned = {"body": "peg", "spin": -1, "point": [0, 0]}
    yield {"bodies": boxes, "sights": [sight], "keep": [inside], "study": {"maximize": [turned], "steps": 4}}
    pinned = {"bodies": ["peg", "ground"], "at": [1, 0], "clearance": 0.1, "sides": 6}
    yield {"clearance": 0.1, "bodies": boxes, "pins": [pinned], "study": _first(turned)}
    ring = {"outline": [[-20, -20], [40, -20], [40, 40], [-20, 40]], "holes": [SQUARE]}
    shapes = {
        "ring": ring,
        "two": {"outlines": [[[1, 1], [4, 1], [1, 4]], {"outline": [[5, 1], [9, 1], [9, 9]]}]},
    }
    parts = [{"name": "frame", "shape": "ring", "fixed": True}, {"name": "peg", "shape": "two"}]
    other = {"name": "other", "outlines": [[[1, 6], [3, 8], [1, 8]]]}
    welded = [{"bodies": ["peg", "other"]}]
    yield {"shapes": shapes, "bodies": [*parts, other], "welds": welded, "study": _first(right)}
    yield {"title": "gathered", "bodies": boxes, "study": gathered}


def _first(term: Data) -> Data:
    return {"maximize": [term], "steps": 5}


def _linkages() -> Iterator[Data]:
    bars = {
        "ground": ["A", "D"],
        "joints": {"A": [0, 0], "B": [0, 1], "C": [3, 2], "D": [4, 0], "P": [2, 3]},
        "links": [
            {"joints": ["A", "B"]},
            {"joints": ["B", "C", "P"]},
            {"joints": ["C", "D"], "name": "rocker"},
        ],
        "motors": [{"joint": "A", "drives": "B"}],
    }
    loads = [{"joint": "P", "force": [0, -1]}, {"link": "rocker", "torque": 2, "force": [1, 0], "at": [3, 1]}]
    few: Data = {"samples": 8, "trace": ["P"]}
    yield {**bars, "units": "cm", "study": few}
    yield {**bars, "loads": loads, "study": {**few, "velocity": True, "acceleration": True, "jacobian": True}}
    yield {**bars, "study": {**few, "centres": True, "layers": True, "width": 0.1, "transmission": "40 deg"}}
    yield {**bars, "study": {**few, "tolerance": 0.01, "tolerances": {"A-B": 0.1}, "branch": "smooth"}}
    turning = {"joint": "A", "drives": "B", "direction": "cw", "turns": 2, "speed": 3}
    yield {**bars, "motors": [turning], "study": few}
    yield {
        **bars,
        "motors": [{"joint": "A", "drives": "B", "profile": [0, 0.5, "40 deg", 0.2]}],
        "study": few,
    }
    crank = {
        "ground": ["A"],
        "joints": {"A": [0, 0], "B": [0, 1], "C": [3, 0]},
        "links": [
            {"joints": ["A", "B"], "name": "crank"},
            {"joints": ["B", "C"], "length": 3.162277660168379},
        ],
        "sliders": [{"joint": "C", "along": [[0, 0], [1, 0]]}],
    }
    yield {**crank, "motors": [{"slider": "C", "range": [0, 0.5]}], "study": {"samples": 6}}
    yield {**crank, "motors": [{"strut": ["A", "C"], "range": [0, 0.3]}], "study": {"samples": 6}}
    slotted = {
        "ground": ["A", "D"],
        "joints": {"A": [0, 0], "B": [0, 1], "D": [0, -3], "E": [0, 3]},
        "links": [{"joints": ["A", "B"]}, {"joints": ["D", "E"]}],
        "sliders": [{"joint": "B", "on": "D-E"}],
        "motors": [{"joint": "A", "drives": "B", "range": [0, 1]}],
    }
    yield {**slotted, "study": {"samples": 6}}
    for edit in _edits():
        yield {**bars, "study": {**few, "edit": {"samples": 12, "iterations": 5, **edit}}}


def _edits() -> Iterator[Data]:
    guard = {"margin": 0.02, "remain": 0.2, "transmission": "20 deg"}
    yield {"move": [{"joint": "P", "to": [2.1, 3.1], "at": 0.5, "weight": 2}], "guard": guard}
    kept = {"ground": False, "joints": ["A"], "timing": ["P"], "curves": ["C"], "links": ["rocker"]}
    yield {"curves": [{"point": "P", "scale": [1.1, 1], "about": [2, 3], "weight": 2}], "keep": kept}
    yield {"curves": [{"point": "P", "follow": [[1, 3], [2, 4], [3, 3]], "closed": False}]}
    yield {"curves": [{"point": "P", "shift": [0.1, 0]}, {"point": "P", "flatten": [0, "40 deg"]}]}
    yield {"curves": [{"point": "P", "dwell": [0, 1]}, {"point": "P", "through": [[2, 3]], "at": [0]}]}
    box = {"polygon": [[-3, -3], [6, -3], [6, 6], [-3, 6]], "joints": ["P"]}
    longer = [{"link": "rocker", "scale": 1.1, "weight": 0.5}, {"joints": ["A", "B"], "to": 1.05}]
    same = [{"pairs": [["B", "C"]], "through": [2, 0], "axis": [0, 1]}]
    yield {"lengths": longer, "enclosure": [{"box": [[-2, -2], [5, 5]]}]}
    yield {"lengths": longer, "enclosure": [box], "keep": {"lengths": [["B", "C"]]}}
    yield {"move": [{"joint": "P", "to": [2, 3.2]}], "keep": {"symmetry": same}}


def _mechanisms() -> Iterator[Data]:
    bars: Data = {
        "ground": ["a", "d"],
        "nodes": {"a": [0, 0], "b": [0, 4], "c": [5, 4], "d": [5, 0]},
        "bars": [{"nodes": ["a", "b"]}, {"nodes": ["b", "c"], "length": 5}, {"nodes": ["c", "d"]}],
        "rotors": [{"joint": "a", "arms": ["d", "b"], "to": 0.1, "stiffness": 5}],
    }
    few: Data = {"frames": 3, "trace": ["c"]}
    yield {**bars, "study": few}
    relaxed = {"frames": 2, "iterations": 400, "tolerance": 1e-6, "alpha": 0.4, "alpha_end": 0.6, "eta": 0.9}
    for study in (
        {"method": "sync", "average": 0.1, "noise": 1e-6, "seed": 3, "etas": {"b": 0.5}},
        {"method": "async", "least": 0.01, "cap": 0.5, "alphas": {"c": 0.3}},
        {"method": "momentum", "calm": True, "settle": True},
    ):
        yield {**bars, "study": {**relaxed, **study}}
    soft = [{"nodes": ["a", "b"], "modulus": 100, "area": 2}, {"nodes": ["b", "c"], "stiffness": 40}]
    pulled = {"loads": [{"node": "c", "force": [0, -1], "to": [1, 0]}], "stiffness": 50}
    tied = {
        "strings": [{"nodes": ["b", "d"], "length": 6.5, "stiffness": 3, "band": 0.1}],
        "gravity": [0, -1],
    }
    yield {
        **bars,
        **pulled,
        **tied,
        "bars": soft,
        "masses": {"b": 2},
        "rotors": [],
        "study": {**few, "bend": False},
    }
    sprung = {"springs": [{"nodes": ["b", "d"], "stiffness": 1, "length": 5, "to": [4, 5]}]}
    stopped = {"bumpers": [{"nodes": ["a", "c"], "length": 5, "band": 0.1, "stiffness": 10}]}
    yield {**bars, **sprung, **stopped, "rotors": [], "study": {**few, "increments": 2, "way": "second"}}
    driven = {"actuators": [{"nodes": ["b", "d"], "to": 6, "length": 6.4, "stiffness": 9}], "rotors": []}
    yield {**bars, **driven, "study": few}
    pumped = {"lines": [["a", "c"], ["b", "d"]], "areas": [1, 2], "to": 0.1, "double": True}
    yield {**bars, "cylinders": [{**pumped, "stiffness": 5, "band": 0.1}], "rotors": [], "study": few}
    plates = {
        "plates": [{"nodes": ["b", "c", "p"], "stiffness": 8, "name": "top"}],
        "bars": bars["bars"][::2],
    }
    slid = {
        "sliders": [{"node": "p", "on": ["e", "f"], "stiffness": 6}],
        "welds": [{"joint": "e", "arms": ["a", "f"]}],
    }
    more = {
        "nodes": {**bars["nodes"], "p": [2, 6], "e": [-4, 6], "f": [9, 6]},
        "ground": ["a", "d", "e", "f"],
    }
    yield {**bars, **plates, "nodes": {**bars["nodes"], "p": [2, 6]}, "study": few}
    yield {**bars, **slid, **more, "bars": [*bars["bars"], {"nodes": ["b", "p"]}], "study": few}
    toothed = {"wheels": [["a", "b"], ["d", "c"]], "ratio": -2, "stiffness": 4}
    yield {**bars, "bars": bars["bars"][::2], "gears": [toothed], "study": few}
    rack = {"wheel": ["a", "b"], "rack": "p", "along": [1, 0], "radius": 4}
    on_line = {"guides": [{"node": "p", "line": [1, 0], "friction": 0.1}], "gears": [rack]}
    yield {**bars, **on_line, "nodes": {**bars["nodes"], "p": [2, 4]}, "study": few}
    curve = {"node": "c", "curve": [[4, 4], [5, 4], [6, 3.5], [7, 3]], "closed": False}
    yield {**bars, "bars": bars["bars"][:2], "guides": [curve], "study": few}
    touched = {
        "members": [["c", "c"]],
        "against": [["e", "f"]],
        "radius": 0.2,
        "stiffness": 9,
        "friction": 0.1,
    }
    wall = {"nodes": {**bars["nodes"], "e": [3, 3], "f": [9, 3]}, "ground": ["a", "d", "e", "f"]}
    yield {**bars, **wall, "contacts": [touched], "gravity": [0, -1], "study": {"frames": 2}}
    around = {"nodes": ["b", "d"], "around": [{"node": "o", "radius": 1}], "via": [[3, 5]], "pieces": 6}
    yield {
        **bars,
        **_beside(bars, [4, 2]),
        "wraps": [{**around, "stiffness": 5, "to": 5}],
        "study": {"frames": 1},
    }
    yield {
        **bars,
        **_beside(bars, [4, 2]),
        "wraps": [{**around, "length": 9}],
        "rotors": [],
        "study": {"frames": 1},
    }
    drawn = {"fields": [{"centre": [9, 9], "strength": 1, "power": -1}], "rotors": []}
    yield {**bars, **drawn, "study": few}
    space: Data = {
        "ground": ["a", "b"],
        "nodes": {"a": [0, 0, 0], "b": [1, 0, 0], "c": [0, 1, 0], "d": [0, 0, 1]},
        "bars": [{"nodes": pair} for pair in (["a", "c"], ["b", "c"], ["c", "d"], ["a", "d"])],
    }
    yield {
        **space,
        "guides": [{"node": "d", "plane": [0, 1, 0]}],
        "gravity": [0, 0, -1],
        "study": {"frames": 2},
    }
    turned = {"rotors": [{"joint": "a", "arms": ["b", "c"], "axis": "d", "to": ["10 deg", "-10 deg"]}]}
    yield {**space, **turned, "ground": ["a", "b", "d"], "bars": space["bars"][:1], "study": {"frames": 2}}
    hinged = {"hinges": [{"joint": "a", "sides": [["b"], ["c"]], "axis": [0, 0, 1]}]}
    wound = {"nodes": ["b", "c"], "around": [{"cylinder": ["a", "d"], "radius": 0.2}], "pieces": 5}
    yield {
        **space,
        "ground": ["a", "b", "d"],
        "wraps": [wound],
        "gravity": [0, 0, -1],
        "study": {"frames": 1},
    }
    meshed = {"wheels": [["a", "b"], ["d", "c"]], "ratio": 2, "axis": [0, 0, 1], "carrier": ["a", "c"]}
    yield {**space, "gears": [meshed], "gravity": [1, 0, 0], "study": {"frames": 1}}
    yield {**space, **hinged, "loads": [{"node": "c", "force": [1, 0, 0]}], "study": {"frames": 1}}


def _beside(bars: Data, place: list[float]) -> Data:
    return {"nodes": {**bars["nodes"], "o": place}, "ground": [*bars["ground"], "o"]}


def _fasteners() -> Iterator[Data]:
    hook: Data = {"name": "hook", "hinge": [0, 9], "outline": [[4, 1], [-2, 0], [-2, -2]], "stiffness": 100}
    bump: Data = {"name": "A", "outline": [[1, 3], [5, 2], [5, 3]]}
    plain: Data = {"root": {"velocity": [0, -1], "until": 9}, "pawls": [hook], "obstacles": [bump]}
    yield {**plain, "study": {"frames": 4}}
    for study in (
        {"reverse": True, "arithmetic": "float"},
        {"classify": True, "directions": 4},
        {"uncertain": True, "region": [[0, 0], [0.2, 0], [0, 0.2]], "radius": 0.1, "digits": 5},
        {"about": [0, 0], "spread": "1/100 u", "uncertain": True, "radius": 0.1},
    ):
        yield {**plain, "units": "cm", "study": {"frames": 4, **study}}
    stiff = {"name": "k", "what": "stiffness", "of": "hook", "range": [50, 200]}
    rough = {"name": "mu", "what": "friction", "range": [0.1, 0.2]}
    goal = {"insert_below": 500, "hold_above": 0.1, "strain_below": 0.5}
    yield {**plain, "variables": [stiff], "study": {"stability": True, "frames": 3}}
    sought = {"search": True, "goal": {"insert_below": 50}, "frames": 3}
    yield {**plain, "friction": 0.15, "variables": [rough], "study": sought}
    beam = {"thickness": 1, "width": 5, "tip_width": 4, "tip_thickness": 0.8, "hinge": "root"}
    long: Data = {"name": "hook", "hinge": [0, 14], "outline": [[-0.5, 0.5], [0, -8], [2, -5], [0.5, 0.5]]}
    bent = {**long, "beam": {**beam, "material": "POM"}}
    yield {**plain, "pawls": [bent], "study": {"frames": 3, "goal": goal}}
    own = {"thickness": 1, "width": 5, "modulus": 2000, "strain_limit": 0.05, "magnification": 1.2}
    curve = [[0.01, 2000], [0.03, 1500]]
    yield {**plain, "pawls": [{**bent, "beam": {**own, "secant": curve}}], "study": {"frames": 3}}
    legs = [{"velocity": [0, -1], "until": 4}, {"velocity": [1, -1], "until": 3}]
    held = {**hook, "preload": 2, "stops": ["-20 deg", 0]}
    leaning = {**hook, "rest": "1/20 u"}
    yield {**plain, "pawls": [leaning], "study": {"frames": 3}}
    wall = {"plan": legs, "outline": [[-5, 12], [5, 12], [0, 14]]}
    yield {**plain, "root": wall, "pawls": [held], "friction": "1/5", "study": {"reverse": True, "frames": 4}}
    shaped = {
        "shapes": {"bump": bump["outline"], "hook": hook["outline"]},
        "obstacles": [{"shape": "bump", "at": [0, 1]}],
    }
    like = {key: hook[key] for key in ("name", "hinge", "stiffness")}
    yield {**plain, **shaped, "pawls": [{**like, "shape": "hook"}], "study": {"frames": 3}}
    longer = {
        "what": "vertices",
        "moves": [{"of": "hook", "vertices": [2], "by": [0, -1]}],
        "name": "long",
        "range": [0, 1],
    }
    shifted = {"what": "hinge", "of": "hook", "along": [1, 0], "name": "shift", "range": [0, 0.1]}
    thicker = {"what": "beam", "of": "hook", "dimension": "thickness", "name": "thick", "range": [1, 1.1]}
    yield {**plain, "pawls": [bent], "variables": [longer, shifted, thicker], "study": {"frames": 3}}
