"""A bent cantilever with a rigid nose, integrated from its root by scipy, without `snap/springs/elastica.py`.

The beam hangs down from its root at the origin and its nose stands out to the right. A hook to draw it with,
as a fastener that passes the edge of a wall.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import root

from pliant.snap.model import Fastener

CLEARANCE = 0.001


@dataclass(frozen=True)
class Hook:
    """A hook by its dimensions: mm, N/mm², degrees."""

    length: float
    thickness: float
    width: float
    modulus: float
    undercut: float
    lead: float
    back: float
    friction: float
    beam: dict[str, Any] = field(default_factory=dict)  # further keys of the beam

    @property
    def flexural(self) -> float:
        return self.modulus * self.width * self.thickness**3 / 12

    def section(self, s: float) -> tuple[float, float]:
        """Half the thickness, and EI, so far from the root."""
        share = s / self.length
        thick = self.thickness + (self.beam.get("tip_thickness", self.thickness) - self.thickness) * share
        wide = self.width + (self.beam.get("tip_width", self.width) - self.width) * share
        return thick / 2, self.modulus * wide * thick**3 / 12

    def base(self) -> float:
        """How far the root turns for each N·mm: the nose of a beam bent little goes Q times as far."""
        s = np.linspace(0, self.length, 20001)
        stiff = np.array([self.section(at)[1] for at in s])
        tip = float(np.trapezoid((self.length - s) ** 2 / stiff, s))
        return (self.beam.get("magnification", 1.0) - 1) * tip / self.length**2

    def drawn(self) -> Fastener:
        """Its root 0.15 of its length above the hinge, its face a micrometre from the wall it passes."""
        up, out, half = 0.85 * self.length, self.undercut, self.thickness / 2
        lead, back = (out / math.tan(math.radians(angle)) for angle in (self.lead, self.back))
        face, rear = half - CLEARANCE, 0.15 * self.length
        outline = [
            (-half, rear),
            (-half, -up - lead),
            (face, -up - lead),
            (half + out, -up),
            (face, back - up),
            (face, rear),
        ]
        wall = [(half, -0.5), (half + 20, -0.5), (half + 20, 0), (half, 0)]
        beam = {
            "length": self.length,
            "thickness": self.thickness,
            "width": self.width,
            "modulus": self.modulus,
        }
        return Fastener.model_validate(
            {
                "friction": text(self.friction),
                "root": {"velocity": [0, -1], "until": text(lead + back + 3)},
                "pawls": [
                    {
                        "name": "hook",
                        "hinge": ["0", text(up + lead + 1)],
                        "outline": [[text(x), text(y)] for x, y in outline],
                        "beam": {**beam, **self.beam},
                    }
                ],
                "obstacles": [{"outline": [[text(x), text(y)] for x, y in wall]}],
            }
        )


def text(value: float) -> str:
    return f"{value:.7f}"


@dataclass(frozen=True)
class Bent:
    """A beam whose nose is pushed aside: force along the motion, slope of the nose, strain."""

    force: float
    slope: float
    strain: float


def bent(hook: Hook, back: bool) -> Bent:
    """With the corner of the nose at the wall's edge, pushed aside by all of the undercut.

    From the root: θ' = M/EI, x' = −sin θ, y' = −cos θ, θ clockwise; M = P · (drop) − W · (how far aside).
    """
    reach, drop = hook.thickness / 2 + hook.undercut, hook.length
    cone = math.atan(hook.friction)
    base = hook.base()

    def push(size: float, tip: float) -> tuple[float, float]:
        """To the left and up on the nose; on the way back, down."""
        steep = math.radians(hook.back) - tip + cone if back else math.radians(hook.lead) + tip + cone
        return size * math.cos(steep), size * math.sin(steep) * (-1 if back else 1)

    def run(size: float, tip: float, nose: np.ndarray) -> Any:
        left, up = push(size, tip)

        def rates(s: float, state: np.ndarray) -> list[float]:
            x, y, lean = state
            clockwise = left * (y - nose[1]) - up * (nose[0] - x)
            return [-math.sin(lean), -math.cos(lean), clockwise / hook.section(s)[1]]

        moment = left * -nose[1] - up * nose[0]
        return solve_ivp(
            rates, (0, hook.length), [0.0, 0.0, base * moment], rtol=1e-7, atol=1e-9, dense_output=True
        )

    def wrong(unknown: np.ndarray) -> list[float]:
        size, tip, below = unknown[0] * hook.flexural / hook.length**2, unknown[1], unknown[2]
        nose = np.array([reach - hook.undercut, below * hook.length])
        x, y, lean = run(size, tip, nose).y[:, -1]
        across = np.array([x + reach * math.cos(tip), y - reach * math.sin(tip)])
        return [lean - tip, *((across - nose) / hook.length)]

    share = hook.undercut / hook.length
    for grow in (1.0, 1.5, 2.5, 0.7, 4.0):
        found = root(wrong, [3 * share * grow, 1.3 * share, -1.0], tol=1e-9)
        if found.success and found.x[0] > 0 and 0 < found.x[1] < 1:
            break
    else:
        raise ArithmeticError("no shape was found")
    size, tip = found.x[0] * hook.flexural / hook.length**2, found.x[1]
    nose, (left, up) = np.array([reach - hook.undercut, found.x[2] * drop]), push(size, tip)
    shape = run(size, tip, nose)
    strains = []
    for s in np.linspace(0, hook.length, 201):
        x, y, _ = shape.sol(s)
        half, stiff = hook.section(s)
        strains.append(half * abs(left * (y - nose[1]) - up * (nose[0] - x)) / stiff)
    return Bent(abs(up), tip, max(strains))
