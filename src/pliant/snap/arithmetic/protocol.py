"""What the sweep asks of an arithmetic: `ExactArithmetic` answers without error, `FloatArithmetic` fast.

The sweep knows polynomials, scalars and points only by what they can do, so that it cannot mix those of two
arithmetics: all that it works on comes from the one of its scene.
"""

# ruff: noqa: D102 (what each method gives stands beside it)

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any, Protocol, TypeVar, cast

from pliant.snap.arithmetic.numbers import RealNumber


class Poly(Protocol):
    """A polynomial in u."""

    def __mul__(self, other: Poly, /) -> Poly: ...
    def __add__(self, other: Poly, /) -> Poly: ...
    def __sub__(self, other: Poly, /) -> Poly: ...
    def __neg__(self) -> Poly: ...
    def __call__(self, at: Scalar, /) -> Scalar: ...
    def derivative(self) -> Poly: ...
    def is_zero(self) -> bool: ...


class Scalar(Protocol):
    """A number to compute with."""

    def __neg__(self) -> Scalar: ...
    def __mul__(self, other: int, /) -> Scalar: ...
    def __rmul__(self, other: int, /) -> Scalar: ...
    def __truediv__(self, other: Scalar, /) -> Scalar: ...
    def __lt__(self, other: Any, /) -> bool: ...
    def __gt__(self, other: Any, /) -> bool: ...
    def __ge__(self, other: Any, /) -> bool: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...


Line = tuple[Poly, Poly]  # a, b of a(u) t + b(u)
Coordinates = tuple[float, float]  # integers in exact arithmetic


class SlicePoint(Protocol):
    """A point (t, u) of the slice, in a chart: the pawl is turned by `turn` half turns and 2 atan u."""

    u: RealNumber  # half-angle tangent
    turn: int  # the chart
    t: float  # rounded
    slack: float  # what that may be wrong by
    angle: float  # u, rounded
    time: RealNumber  # t

    def sign(self, a: Poly, b: Poly) -> int: ...  # the sign of a(u) t + b(u) here
    def against(self, t: RealNumber) -> int: ...  # the sign of what this point is later than a number by
    def after(self, t: Scalar) -> int: ...  # the sign of what this point is later than a scalar by


P = TypeVar("P")  # polynomials
N = TypeVar("N")  # numbers to compare
S = TypeVar("S")  # scalars to compute with
Q = TypeVar("Q")  # points
C = TypeVar("C")  # coordinates


class ArithmeticOf(Protocol[P, N, S, Q, C]):
    """Polynomials in u, numbers to compare, scalars to compute with, and points (t, u) made of them."""

    @property
    def name(self) -> str: ...  # as a study calls it
    @property
    def is_exact(self) -> bool: ...  # whether its decisions are never wrong
    @property
    def zero(self) -> N: ...  # the number 0: rest
    # the same where t is about as large as the time a pawl takes for its own size
    def paced(self, stride: float) -> ArithmeticOf[P, N, S, Q, C]: ...
    def poly(self, coefficients: Sequence[C]) -> P: ...  # a polynomial in u, from its constant term up
    def scalar(self, value: Fraction) -> S: ...  # a rational to compute with
    def number(self, value: Fraction) -> N: ...  # a rational to compare with
    def negated(self, value: N) -> N: ...  # the negative of a number
    def line(self, t: S) -> tuple[P, P]: ...  # one t, a scalar, as a(u) t + b(u) = 0
    def compare(self, first: N, second: N) -> int: ...  # -1, 0 or 1, of two numbers
    def sign_at(self, poly: P, u: N) -> int: ...  # of a polynomial at a number
    # roots beyond start up to and with limit, nearest first; none lies between start and `near`
    def roots_after(self, poly: P, start: N, limit: N, near: float) -> list[N]: ...
    # a point of the slice, by a line through it or by its t
    def point(self, u: N, turn: int, line: tuple[P, P] | None, at: N | None = None) -> Q: ...
    def moment(self, u: N, turn: int, t: S) -> Q: ...  # a point of the slice at a t, a scalar
    # angles between two floats at which α(u) t + β(u) = 0 at the point's t, in order
    def landing(self, point: Q, alpha: P, beta: P, low: float, high: float) -> list[N]: ...
    # scalars on either side of u with no root of the polynomials between them but u itself
    def strip(self, u: N, polys: Sequence[P]) -> tuple[S, S]: ...
    def between(self, first: N, second: N) -> N: ...  # a number strictly between two
    @property
    def angle_slack(self) -> float: ...  # what angles given to the compiled loops may be wrong by
    # the factor, a multiple of another, that coordinates are multiplied by
    def common_scale(self, values: Iterable[Fraction], least: int) -> int: ...
    # points, given exactly and rounded, as polynomials are made of them
    def coordinates(
        self, exact: Sequence[tuple[Fraction, Fraction]], floats: Sequence[tuple[float, float]], scale: int
    ) -> Sequence[tuple[C, C]]: ...
    def without_round(self, poly: P) -> P: ...  # a quartic that 1 + u² divides, without that factor
    # a polynomial that knows the size of the terms that it was computed from
    def with_term_size(self, poly: P, size: float) -> P: ...
    def same(self, first: S, second: S) -> bool: ...  # whether two scalars are one
    # |a(u) t + b(u)| / |c(u)| at a point, None where c is zero
    def ratio(self, point: Q, top: tuple[P, P], bottom: P) -> N | None: ...
    def near(self, value: S) -> float: ...  # the nearest float of a scalar


Arithmetic = ArithmeticOf[Poly, RealNumber, Scalar, SlicePoint, float]


def sweep_arithmetic(own: ArithmeticOf[P, N, S, Q, C]) -> Arithmetic:
    """An arithmetic as the sweep sees it: what its polynomials, scalars and points are is its own affair."""
    return cast(Arithmetic, own)
