"""What the sweep asks of an arithmetic: `exactly.Exactly` answers without error, `floating.Floating` fast."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any, Protocol


class Arithmetic(Protocol):
    """Polynomials in u, numbers to compare, scalars to compute with, and points (t, u) made of them."""

    @property
    def name(self) -> str:
        """As a study calls it."""
        ...

    @property
    def is_exact(self) -> bool:
        """Whether its decisions are never wrong."""
        ...

    @property
    def zero(self) -> Any:
        """The number 0: rest."""
        ...

    def paced(self, stride: float) -> Arithmetic:
        """The same where t is about as large as the time a pawl takes for its own size."""
        ...

    def poly(self, coefficients: Sequence[Any]) -> Any:
        """A polynomial in u, from its constant term up."""
        ...

    def scalar(self, value: Fraction) -> Any:
        """A rational to compute with."""
        ...

    def number(self, value: Fraction) -> Any:
        """A rational to compare with."""
        ...

    def negated(self, value: Any) -> Any:
        """The negative of a number."""
        ...

    def line(self, t: Any) -> tuple[Any, Any]:
        """One t, a scalar, as a(u) t + b(u) = 0."""
        ...

    def compare(self, first: Any, second: Any) -> int:
        """-1, 0 or 1, of two numbers."""
        ...

    def sign_at(self, poly: Any, u: Any) -> int:
        """Of a polynomial at a number."""
        ...

    def roots_after(self, poly: Any, start: Any, limit: Any, near: float) -> list[Any]:
        """Roots beyond start up to and with limit, nearest first; none lies between start and `near`."""
        ...

    def point(self, u: Any, turn: int, line: tuple[Any, Any] | None, at: Any = None) -> Any:
        """A point of the slice, by a line through it or by its t."""
        ...

    def moment(self, u: Any, turn: int, t: Any) -> Any:
        """A point of the slice at a t, a scalar."""
        ...

    def landing(self, point: Any, alpha: Any, beta: Any, low: float, high: float) -> list[Any]:
        """Angles between two floats at which α(u) t + β(u) = 0 at the point's t, in order."""
        ...

    def strip(self, u: Any, polys: Sequence[Any]) -> tuple[Any, Any]:
        """Scalars on either side of u with no root of the polynomials between them but u itself."""
        ...

    def between(self, first: Any, second: Any) -> Any:
        """A number strictly between two."""
        ...

    @property
    def angle_slack(self) -> float:
        """What angles given to the compiled loops may be wrong by."""
        ...

    def common_scale(self, values: Iterable[Fraction], least: int) -> int:
        """The factor, a multiple of another, that coordinates are multiplied by."""
        ...

    def coordinates(self, exact: Sequence[Any], floats: Sequence[Any], scale: int) -> Sequence[Any]:
        """Points, given exactly and rounded, as polynomials are made of them."""
        ...

    def without_round(self, poly: Any) -> Any:
        """A quartic that 1 + u² divides, without that factor."""
        ...

    def with_term_size(self, poly: Any, size: float) -> Any:
        """A polynomial that knows the size of the terms that it was computed from."""
        ...

    def same(self, first: Any, second: Any) -> bool:
        """Whether two scalars are one."""
        ...

    def ratio(self, point: Any, top: tuple[Any, Any], bottom: Any) -> Any:
        """|a(u) t + b(u)| / |c(u)| at a point, None where c is zero."""
        ...

    def near(self, value: Any) -> float:
        """The nearest float of a scalar."""
        ...
