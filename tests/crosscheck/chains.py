"""Random linkages, and how far each goes by pseudo-arclength continuation: independent of pliant, and slow.

Joints x and the motor's travel s are followed together along f(x, s) = 0; where s turns back, its motor
goes no further. `drawn` makes a linkage of a crank and of what hangs on it, one after the other.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

KINDS = ("dyad", "slider", "lever", "coupler", "triad", "sliding triad")
TRAVEL = 5.0  # of a linear motor, either way
FAR = 1e4  # sizes: joints that far off run off to infinity
LONGEST, SMALLEST, STEPS = 0.05, 1e-10, 20_000  # of the size; steps


def drawn(rng: np.random.Generator, kinds: tuple[str, ...] = KINDS) -> dict[str, Any]:
    """A crank and up to three groups of Assur's after it, as a file has them."""
    return _Pen(rng).draw(kinds)


def pushed(rng: np.random.Generator, kinds: tuple[str, ...] = KINDS) -> dict[str, Any]:
    """The same with a strut between two joints of it, or a driven slider, in place of the motor."""
    data = _Pen(rng).draw(kinds)
    names, parts = list(data["joints"]), [*(link["joints"] for link in data["links"]), data["ground"]]
    pairs = [(a, b) for a in names for b in names if a < b]
    struts = [pair for pair in pairs if not any(set(pair) <= set(part) for part in parts)]
    once = [s["joint"] for s in data["sliders"]]
    slides = [{"slider": joint} for joint in once if once.count(joint) == 1]
    ways = [{"strut": list(pair)} for pair in struts] if rng.random() < 0.6 or not slides else slides
    return {**data, "motors": [{**ways[rng.integers(len(ways))], "range": [-TRAVEL, TRAVEL]}]}


class _Pen:
    """Draws a linkage: what is on the paper so far."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        self.joints: dict[str, list[float]] = {}
        self.ground: list[str] = []
        self.links: list[dict[str, Any]] = []
        self.sliders: list[dict[str, Any]] = []

    def draw(self, kinds: tuple[str, ...]) -> dict[str, Any]:
        pivot, last = self.joint(ground=True), self.joint()
        self.link(pivot, last)
        for _ in range(self.rng.integers(1, 4)):
            last = self.add(str(self.rng.choice(kinds)), last)
        return {
            "ground": self.ground,
            "joints": self.joints,
            "links": self.links,
            "sliders": self.sliders,
            "motors": [{"joint": pivot, "drives": "J1"}],
        }

    def joint(self, ground: bool = False) -> str:
        name = f"J{len(self.joints)}"
        self.joints[name] = np.round(self.rng.uniform(-6, 6, 2), 4).tolist()
        if ground:
            self.ground.append(name)
        return name

    def link(self, *joints: str, **rest: str) -> None:
        self.links.append({"joints": list(joints), **rest})

    def slide(self, joint: str, **rest: str) -> None:
        at = np.array(self.joints[joint])
        way = [at.tolist(), (at + self.rng.normal(size=2)).tolist()]
        self.sliders.append({"joint": joint, "along": way, **rest})

    def add(self, kind: str, last: str) -> str:
        """Something more that hangs on a joint, and the joint that the next may hang on."""
        if kind in ("dyad", "coupler", "slider"):
            own = [self.joint() for _ in range(1 + (kind == "coupler"))]
            self.link(last, *own)
            if kind == "slider":
                self.slide(own[0])
            else:
                self.link(self.joint(ground=True), own[0])
            return own[-1]
        if kind == "lever":
            pivot, tip = self.joint(ground=True), self.joint()
            self.link(pivot, tip, name=f"lever {tip}")
            self.slide(last, on=f"lever {tip}")
            return tip
        plate = [self.joint() for _ in range(3)]
        self.link(*plate)
        self.link(last, plate[0])
        for corner in plate[1:]:
            if kind == "sliding triad" and self.rng.random() < 0.5:
                self.slide(corner)
            else:
                self.link(self.joint(ground=True), corner)
        return str(self.rng.choice(plate[1:]))


class Chain:
    """The equations of a linkage with one motor: lengths, plates, guides, and what the motor sets.

    Unknowns are the positions of the joints off the ground, and last the motor's travel.
    """

    def __init__(self, data: dict[str, Any]) -> None:
        self.names = list(data["joints"])
        places = [list(map(float, data["joints"][name])) for name in self.names]
        self.size = float(np.ptp(places, axis=0).max())
        number = {name: k for k, name in enumerate(self.names)}
        still = {number[name] for name in data["ground"]}
        links = [[number[name] for name in link["joints"]] for link in data["links"]]
        labels = [link.get("name") or "-".join(link["joints"]) for link in data["links"]]
        self.lines: list[tuple[int, int, int]] = []
        for slider in data["sliders"]:
            a, b = len(places), len(places) + 1
            places += [list(map(float, end)) for end in slider["along"]]
            if "on" in slider:
                links[labels.index(slider["on"])] += [a, b]
            else:
                still |= {a, b}
            self.lines.append((number[slider["joint"]], a, b))
        self.places = np.array(places)
        self.free = [k for k in range(len(places)) if k not in still]
        self.bars = [(link[0], link[1]) for link in links]
        self.plates = [(k, link[0], link[1]) for link in links for k in link[2:]]
        (motor,) = data["motors"]
        self.turns = "joint" in motor
        if self.turns:
            self.driven = number[motor["joint"]], number[motor["drives"]]
        elif "strut" in motor:
            self.driven = number[motor["strut"][0]], number[motor["strut"][1]]
        else:
            self.driven = next((a, k) for k, a, _ in self.lines if k == number[motor["slider"]])
            self.guide = next((a, b) for k, a, b in self.lines if k == number[motor["slider"]])
        self.pushes = "slider" in motor
        self.start = np.append(self.places[self.free].ravel(), 0.0)
        self.wanted = self._sides(self.places.view())

    def _sides(self, x: Floats) -> Floats:
        """The left sides of all equations but the motor's, at positions x (N, 2), real or complex."""
        found = [((x[i] - x[j]) ** 2).sum() for i, j in self.bars]
        for k, i, j in self.plates:
            (ax, ay), (bx, by) = self.places[k] - self.places[i], self.places[j] - self.places[i]
            c, s = (ax * bx + ay * by) / (bx**2 + by**2), (bx * ay - by * ax) / (bx**2 + by**2)
            (u, v), (p, q) = x[j] - x[i], x[k] - x[i]
            found += [p - c * u + s * v, q - s * u - c * v]
        for k, a, b in self.lines:
            (u, v), (p, q) = x[b] - x[a], x[k] - x[a]
            found.append(u * q - v * p)
        return np.array(found)

    def _motor(self, x: Floats, s: Any) -> Any:
        i, j = self.driven
        arm, drawn = x[j] - x[i], self.places[j] - self.places[i]
        if self.turns:  # along the arm's normal: its length is the link's own equation
            c, n = np.cos(s), np.sin(s)
            return arm[1] * (c * drawn[0] - n * drawn[1]) - arm[0] * (n * drawn[0] + c * drawn[1])
        if self.pushes:
            way = x[self.guide[1]] - x[self.guide[0]]
            first = self.places[self.guide[1]] - self.places[self.guide[0]]
            return (arm @ way - drawn @ first) / np.sqrt((way**2).sum()) - s
        return (arm**2).sum() - (np.sqrt((drawn**2).sum()) + s) ** 2

    def wrong(self, y: Floats) -> Floats:
        x = np.array(self.places, y.dtype)
        x[self.free] = y[:-1].reshape(-1, 2)
        return np.append(self._sides(x) - self.wanted, self._motor(x, y[-1]))

    def slopes(self, y: Floats) -> Floats:
        """By a complex step: exact to rounding."""
        found = np.empty((len(self.wanted) + 1, len(y)))
        for k in range(len(y)):
            z = y.astype(complex)
            z[k] += 1e-30j
            found[:, k] = self.wrong(z).imag / 1e-30
        return found

    def tangent(self, y: Floats, before: Floats) -> Floats:
        rows = self.slopes(y)
        way = np.linalg.svd(rows / np.linalg.norm(rows, axis=1, keepdims=True))[2][-1]
        return way if way @ before >= 0 else -way

    def corrected(self, y: Floats, way: Floats) -> tuple[Floats, float]:
        """On the path, square to a direction; with it how far from holding the worst equation is."""
        wrong = np.inf
        for _ in range(12):
            rows, off = self.slopes(y), self.wrong(y)
            scale = np.linalg.norm(rows, axis=1)
            step = np.linalg.lstsq(np.vstack([rows / scale[:, None], way]), -np.append(off / scale, 0.0))[0]
            y, wrong = y + step, float(np.abs(off / scale).max())
            if np.abs(step).max() <= 1e-14 * max(1.0, np.abs(y).max()):
                break
        return y, wrong

    def end(self, way: int, most: float) -> tuple[str, float]:
        """How far the motor goes one way, and how it ends: "fold", "far", "all" of it; or "lost"."""
        y, along = self.start, np.zeros(len(self.start))
        along[-1] = way
        along, h = self.tangent(y, along), 0.01 * self.size
        for _ in range(STEPS):
            ahead = y + h * along
            there, wrong = self.corrected(ahead, along)
            turned = self.tangent(there, along)
            bent = np.linalg.norm(there - ahead) > 0.02 * h or turned @ along < 0.995
            if wrong > 1e-9 * self.size or bent:
                h /= 2
                if h < SMALLEST * self.size:
                    return "lost", y[-1]
                continue
            if turned[-1] * way <= 0:
                return "fold", self._fold(y, h, along, way)
            if abs(there[-1]) > most:
                return "all", way * most
            if np.abs(there[:-1]).max() > FAR * self.size:
                return "far", there[-1]
            y, along, h = there, turned, min(1.5 * h, LONGEST * self.size)
        return "lost", y[-1]

    def _fold(self, y: Floats, h: float, along: Floats, way: int) -> float:
        """The travel at which it turns back within a step, by halving."""
        low, high, found = 0.0, 1.0, y
        for _ in range(60):
            middle = (low + high) / 2
            found, _ = self.corrected(y + middle * h * along, along)
            ahead = self.tangent(found, along)[-1] * way > 0
            low, high = (middle, high) if ahead else (low, middle)
        return float(found[-1])
