"""Arithmetic of the sweep by floats: fast, and right unless two things nearly coincide.

What differs by less than TOLERANCE, relative to its terms, counts as equal.
"""

# ruff: noqa: D102 (`Arithmetic` says what its methods give)

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction

import numpy as np

from pliant.snap.arithmetic.quartic import DOUBLE, SMALL, constant_sign, real_roots

TOLERANCE = 1e-10
CLOSE = 1e-9  # angles that count as one


class FloatPoly:
    """A polynomial of floats, from its constant term up."""

    def __init__(self, c: Sequence[float], floor: float = 0.0) -> None:
        """By its coefficients, and the size of what they were computed from where that is known."""
        self.c = tuple(c)
        self.floor = floor

    def __mul__(self, other: FloatPoly) -> FloatPoly:
        """Their product."""
        out = [0.0] * (len(self.c) + len(other.c) - 1)
        for i, a in enumerate(self.c):
            for k, b in enumerate(other.c):
                out[i + k] += a * b
        return FloatPoly(out)

    def __add__(self, other: FloatPoly) -> FloatPoly:
        """Their sum."""
        a, b = (self.c, other.c) if len(self.c) >= len(other.c) else (other.c, self.c)
        return FloatPoly([x + (b[i] if i < len(b) else 0.0) for i, x in enumerate(a)])

    def __neg__(self) -> FloatPoly:
        """Its negative."""
        return FloatPoly([-x for x in self.c])

    def __sub__(self, other: FloatPoly) -> FloatPoly:
        """Their difference."""
        return self + -other

    def __call__(self, u: float) -> float:
        """Its value."""
        value = 0.0
        for coefficient in reversed(self.c):
            value = value * u + coefficient
        return value

    def derivative(self) -> FloatPoly:
        """Its slope."""
        return FloatPoly([power * x for power, x in enumerate(self.c)][1:] or [0.0])

    def size(self, u: float) -> float:
        """The sum of the sizes of its terms."""
        value, u = 0.0, abs(u)
        for coefficient in reversed(self.c):
            value = value * u + abs(coefficient)
        return max(value, self.floor)

    def is_zero(self) -> bool:
        """Whether every coefficient is."""
        return not any(self.c)

    def degree(self) -> int:
        """The highest power with a coefficient that counts."""
        top = max(map(abs, self.c), default=0.0)
        for power in range(len(self.c) - 1, -1, -1):
            if abs(self.c[power]) > SMALL * top:
                return power
        return 0


class FloatPoint:
    """A point of the slice as two floats."""

    __slots__ = ("slack", "stride", "t", "turn", "u")

    def __init__(self, u: float, turn: int, t: float, stride: float = 1.0) -> None:
        """By angle, chart and t, and what t is measured against."""
        self.u = u
        self.turn = turn
        self.t = t
        self.stride = stride
        self.slack = 1e-12 * (stride + abs(t))

    @property
    def angle(self) -> float:
        """The angle."""
        return self.u

    @property
    def time(self) -> float:
        """The time."""
        return self.t

    def sign(self, a: FloatPoly, b: FloatPoly) -> int:
        """The sign of a(u) t + b(u), 0 where it is small beside its terms."""
        size = a.size(self.u) * abs(self.t) + b.size(self.u)
        return _sign(a(self.u) * self.t + b(self.u), TOLERANCE * size)

    def against(self, t: float) -> int:
        """The sign of what this point is later than a number by, 0 where they are close."""
        return _sign(self.t - t, CLOSE * self.stride)

    def after(self, t: float) -> int:
        """The sign of what this point is later than a t by."""
        return _sign(self.t - t, 1e-13 * (self.stride + abs(t)))


def _sign(value: float, least: float) -> int:
    """Of a number, 0 up to some size."""
    return 0 if abs(value) <= least else int(math.copysign(1, value))


class FloatArithmetic:
    """Decisions by floats, of times that are measured against a stride."""

    name, is_exact = "float", False
    angle_slack = 1e-9
    zero = 0.0

    def __init__(self, stride: float = 1.0) -> None:
        """By the time that next to nothing is told from nothing beside."""
        self.stride = stride

    @staticmethod
    def paced(stride: float) -> FloatArithmetic:
        return FloatArithmetic(stride)

    @staticmethod
    def poly(coefficients: Sequence[float]) -> FloatPoly:
        return FloatPoly(coefficients)

    @staticmethod
    def scalar(value: Fraction) -> float:
        return float(value)

    @staticmethod
    def number(value: Fraction) -> float:
        return float(value)

    @staticmethod
    def line(t: float) -> tuple[FloatPoly, FloatPoly]:
        return FloatPoly([1.0]), FloatPoly([-t])

    @staticmethod
    def compare(first: float, second: float) -> int:
        return _sign(first - second, CLOSE)

    @staticmethod
    def sign_at(poly: FloatPoly, u: float) -> int:
        return _sign(poly(u), TOLERANCE * poly.size(u))

    @staticmethod
    def roots_after(poly: FloatPoly, start: float, limit: float, near: float) -> list[float]:
        low, high = min(start, limit), max(start, limit)
        up = 1 if limit >= start else -1
        within = [r for r in float_roots(poly, low - CLOSE, high + CLOSE) if (r - start) * up > CLOSE]
        return within[::up]

    def point(
        self, u: float, turn: int, line: tuple[FloatPoly, FloatPoly] | None, at: float | None = None
    ) -> FloatPoint:
        if line is None:
            assert at is not None
            return self.moment(u, turn, at)
        top, bottom = line[1], line[0]
        if abs(bottom(u)) <= 1e3 * TOLERANCE * bottom.size(u) and abs(top(u)) <= 1e3 * TOLERANCE * top.size(
            u
        ):
            top, bottom = top.derivative(), bottom.derivative()  # a flat line crosses it here
        below = bottom(u)
        return self.moment(u, turn, -top(u) / below if below else math.inf)

    def moment(self, u: float, turn: int, t: float) -> FloatPoint:
        return FloatPoint(u, turn, t, self.stride)

    @staticmethod
    def landing(point: FloatPoint, alpha: FloatPoly, beta: FloatPoly, low: float, high: float) -> list[float]:
        return float_roots(alpha * FloatPoly([point.t]) + beta, low, high)

    @staticmethod
    def strip(u: float, polys: Sequence[FloatPoly]) -> tuple[float, float]:
        reach = 1e-3  # curves that part as the third power of the angle differ by 1e-9 there
        for poly in polys:
            for root in float_roots(poly, u - 2 * reach, u + 2 * reach):
                if abs(root - u) > 30 * CLOSE:
                    reach = min(reach, abs(root - u) / 2)
        return u - reach, u + reach

    @staticmethod
    def negated(value: float) -> float:
        return -value

    @staticmethod
    def between(first: float, second: float) -> float:
        """Their mean."""
        return 0.5 * (first + second)

    @staticmethod
    def common_scale(values: Iterable[Fraction], least: int) -> int:
        """1: floats need none."""
        return 1

    @staticmethod
    def coordinates(
        exact: Sequence[tuple[Fraction, Fraction]], floats: Sequence[tuple[float, float]], scale: int
    ) -> Sequence[tuple[float, float]]:
        return floats

    @staticmethod
    def without_round(poly: FloatPoly) -> FloatPoly:
        c = (*poly.c, 0.0, 0.0, 0.0, 0.0)
        return FloatPoly((c[0], c[1], c[4]))

    @staticmethod
    def with_term_size(poly: FloatPoly, size: float) -> FloatPoly:
        """The polynomial with the size of the terms it was computed from: what cancels counts as zero."""
        return FloatPoly(poly.c, size)

    def same(self, first: float, second: float) -> bool:
        """Whether two t are one, but for rounding."""
        return abs(first - second) <= 1e-13 * (self.stride + abs(first))

    @staticmethod
    def ratio(point: FloatPoint, top: tuple[FloatPoly, FloatPoly], bottom: FloatPoly) -> float | None:
        below = bottom(point.u)
        return abs((top[0](point.u) * point.t + top[1](point.u)) / below) if below else None

    @staticmethod
    def near(value: float) -> float:
        """Itself."""
        return value


def float_roots(poly: FloatPoly, low: float, high: float) -> list[float]:
    """Roots between two floats in order, double ones too and once: found between the roots of the slope."""
    degree = poly.degree()
    if degree == 0:
        return []
    if degree < 5:
        c = (*map(float, poly.c), 0.0, 0.0, 0.0, 0.0)  # not integers, which would be compiled for apart
        error = 2.0**-40 * (abs(c[0]) + abs(c[1]) + abs(c[2]) + abs(c[3]) + abs(c[4]))
        if abs(low) + abs(high) < 4 and constant_sign(c[0], c[1], c[2], c[3], c[4], low, high - low, error):
            return []
    return real_roots(np.array(poly.c[: degree + 1], float), low, high, 0.01 * SMALL, DOUBLE).tolist()
