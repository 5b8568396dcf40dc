"""Models with nearly every key of their kind, to be broken; good as they stand."""

from __future__ import annotations

from typing import Any

DATA: dict[str, Any] = {
    "pliant": 1,
    "kind": "assembly",
    "parameters": {"reach": 3, "gap": "reach/30"},
    "tolerances": {
        "reach": {"normal": "gap", "sigmas": 3, "within": 0.2, "shift": -0.01},
        "pins[0].clearance": {"process": "laser"},
    },
    "bodies": [
        {"name": "base", "outline": [[0, 0], [1, 0], [0, 1]], "fixed": True},
        {"name": "arm", "outline": [[0, 0], [1, 0], [0, 1]], "pose": ["reach", 0, 0]},
        {
            "name": "tip",
            "outlines": [[[4, 0], [5, 0], [4, 1]], {"outline": [[6, 0], [8, 0], [6, 2]], "holes": []}],
        },
        {"name": "weight", "shape": "two", "pose": [0, 9, "10 deg"]},
    ],
    "shapes": {"two": {"outlines": [[[0, 0], [1, 0], [0, 1]], [[3, 0], [4, 0], [3, 1]]]}},
    "welds": [{"bodies": ["arm", "tip"]}],
    "pins": [{"bodies": ["weight", "tip"], "at": [6, 1], "clearance": "gap", "sides": "2*4"}],
    "sights": [{"from": "arm", "to": "base", "axis": "180 deg", "half_angle": 0.5}],
    "keep": [{"body": "arm", "inside": [[2, -1], [4, -1], [4, 1], [2, 1]]}],
    "limits": [{"body": "tip", "rotation": ["-5 deg", 1], "x": [-1, 1]}],
    "study": {"maximize": [{"body": "arm", "spin": 1}], "flex": {"steps": 3}},
}
LINKAGE: dict[str, Any] = {
    "pliant": 1,
    "kind": "linkage",
    "parameters": {"crank": "1 mm"},
    "tolerances": {"crank": {"uniform": "1/10 mm"}},
    "ground": ["A", "D"],
    "joints": {"A": [0, 0], "B": [0, 1], "C": [3, 2], "D": [4, 0], "P": [2, "22/7"]},
    "links": [
        {"joints": ["A", "B"], "name": "crank", "length": "2*crank - 1"},
        {"joints": ["B", "C", "P"]},
        {"joints": ["C", "D"]},
    ],
    "motors": [{"joint": "A", "drives": "B", "range": ["-30 deg", 1]}],
    "sliders": [{"joint": "P", "on": "C-D"}, {"joint": "P", "along": [[0, 0], [1, 0]]}],
    "loads": [{"joint": "P", "force": [0, -1]}, {"link": "crank", "torque": 2}],
    "study": {
        "trace": ["P"],
        "tolerances": {"A-B": 1, "D.x": 1},
        "edit": {
            "move": [{"joint": "P", "to": [2, 4]}],
            "curves": [{"point": "P", "through": [[0, 0]], "at": [0]}],
            "lengths": [{"joints": ["A", "B"], "to": 2}, {"link": "crank", "scale": 2}],
            "enclosure": [{"box": [[0, 0], [1, 1]], "joints": ["P"]}],
            "keep": {"lengths": [["A", "B"]], "links": ["crank"], "symmetry": [{"pairs": [["B", "C"]]}]},
        },
    },
}
MECHANISM: dict[str, Any] = {
    "pliant": 1,
    "kind": "mechanism",
    "parameters": {"k": 2},
    "tolerances": {"k": {"measured": [2.1, "19/10"], "nominal": 2}},
    "ground": ["A", "D"],
    "nodes": {"A": [0, 0], "B": [0, 1], "M": [1, "4/3"], "C": [3, 2], "D": [4, 0], "P": [2, 5]},
    "bars": [{"nodes": ["A", "B"]}, {"nodes": ["B", "M", "C"]}, {"nodes": ["C", "D"], "stiffness": 2}],
    "strings": [{"nodes": ["P", "A"], "to": [5, 4]}],
    "springs": [{"nodes": ["P", "C"], "stiffness": "k", "length": "k - 1"}],
    "bumpers": [{"nodes": ["A", "C"], "length": 1}],
    "actuators": [{"nodes": ["B", "D"], "to": 4}],
    "plates": [{"nodes": ["B", "C", "P"]}],
    "welds": [{"joint": "B", "arms": ["A", "C"]}],
    "rotors": [{"joint": "A", "arms": ["D", "B"], "to": "30 deg"}],
    "sliders": [{"node": "P", "on": ["C", "D"]}],
    "guides": [{"node": "P", "curve": [[2, 5], [3, 6], [4, 5]], "closed": True}],
    "gears": [
        {"wheels": [["A", "B"], ["D", "C"]], "ratio": -2, "carrier": ["A", "D"]},
        {"wheel": ["D", "C"], "rack": "P", "along": [1, 0], "radius": 2},
    ],
    "cylinders": [{"lines": [["A", "C"], ["B", "D"]], "areas": [1, 2], "to": 1}],
    "contacts": [{"members": [["A", "B"], ["P", "P"]], "against": [["C", "D"]], "radius": 0.1}],
    "wraps": [{"nodes": ["B", "P"], "around": [{"node": "C", "radius": 1}], "via": [[0, 4]]}],
    "loads": [{"node": "P", "force": [0, -1], "to": [0, -2]}],
    "gravity": [0, -1],
    "masses": {"P": 2},
    "fields": [{"centre": [0, 9], "strength": 1}],
    "study": {"trace": ["P"], "alphas": {"P": 0.1}},
}
SPATIAL: dict[str, Any] = {
    "pliant": 1,
    "kind": "mechanism",
    "nodes": {"A": [0, 0, 0], "B": [1, 0, 0], "C": [0, 1, 0], "D": [0, 0, 1], "E": [1, 1, 1]},
    "plates": [{"nodes": ["A", "B", "C", "D", "E"]}],
    "hinges": [{"joint": "A", "sides": [["B", "C"], ["E"]], "axis": [0, 0, 1]}],
    "rotors": [{"joint": "A", "arms": ["B", "E"], "axis": "D", "to": 1}],
    "gears": [{"wheels": [["A", "B"], ["D", "E"]], "ratio": 3, "axis": [0, 0, 1]}],
    "wraps": [{"nodes": ["B", "C"], "around": [{"cylinder": ["A", "D"], "radius": 0.2}]}],
}
FASTENER: dict[str, Any] = {
    "pliant": 1,
    "kind": "fastener",
    "parameters": {"mu": "3/10"},
    "tolerances": {"mu": {"file": "friction.csv", "column": "mu"}},
    "friction": "mu",
    "shapes": {"hook": [["-1/2", "1/2"], [0, -8], [2, -5]]},
    "root": {"velocity": [0, -1], "until": 20, "outline": [[-5, 9], [5, 9], [0, 11]]},
    "pawls": [
        {"name": "A", "hinge": [-4, 9], "shape": "hook", "stiffness": 100, "stops": ["-20 deg", "1/5 u"]},
        {
            "name": "B",
            "hinge": [4, 9],
            "outline": [[0.5, 0.5], [0, -8], [-2, -5]],
            "beam": {"length": 8, "thickness": 1, "width": 5, "material": "POM"},
            "preload": -3,
            "stops": [0, 0.3],
        },
    ],
    "obstacles": [
        {"name": "T", "outline": [[-3, 0], [3, 0], [3, 1], [-3, 1]]},
        {"shape": "hook", "at": [0, -9]},
    ],
    "variables": [
        {"name": "k", "what": "stiffness", "of": "A", "range": [50, "400/3"]},
        {"name": "h", "what": "hinge", "of": "B", "along": [1, 0], "range": [-1, 1]},
        {
            "name": "v",
            "what": "vertices",
            "moves": [{"of": "root", "vertices": [2], "by": [1, 0]}],
            "range": [0, 1],
        },
    ],
    "study": {"about": [0, 0], "region": [[0, 0], [1, 0]], "radius": 0.1, "goal": {"insert_below": 20}},
}
