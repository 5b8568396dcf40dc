"""Forces to any number of digits, with a proof: the same formulas in interval arithmetic.

Source: [DonaldPai1993] Appendix A: forces are transcendental, so that they are enclosed, not exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from flint import arb, ctx, fmpq

from pliant.core.errors import PliantError
from pliant.snap.arithmetic.algebraic import sign_at
from pliant.snap.arithmetic.exact import exact_line
from pliant.snap.arithmetic.numbers import RealNumber, as_algebraic
from pliant.snap.arithmetic.polynomials import rational
from pliant.snap.arithmetic.protocol import Coordinates
from pliant.snap.geometry.contact_curves import contact_curve
from pliant.snap.geometry.features import VERTEX, FeaturePair
from pliant.snap.sweep.path import Path, PathPiece

MOST = 100_000  # binary digits: beyond, t is where a contact turns about, or lets go


@dataclass(frozen=True)
class ForceEnclosure:
    """Balls that surely hold a pawl's angle, the contact force on it, and its share against the motion."""

    angle: arb
    force: tuple[arb, arb]
    against: arb


def certified_force(
    path: Path, piece: PathPiece, t: Fraction, spring: tuple[Fraction, Fraction], friction: Fraction,
    digits: int,
) -> ForceEnclosure:  # fmt: skip
    """The contact force on a pawl at a t strictly within a piece, each figure right to so many digits.

    `spring` is its stiffness and preload.
    """
    bits = int(digits * 3.33) + 64
    while True:
        with ctx.workprec(bits):
            enclosure = _enclosure(path, piece, rational(t), spring, friction)
        if enclosure is not None and all(
            _is_tight(ball, digits) for ball in (*enclosure.force, enclosure.against, enclosure.angle)
        ):
            return enclosure
        bits *= 2
        if bits > MOST:
            raise PliantError(
                f"t = {t}: the force there cannot be told to {digits} digits. Choose another t."
            )


def _is_tight(ball: arb, digits: int) -> bool:
    return bool(ball.rad() <= abs(ball.mid()) * arb(10) ** (-digits)) or bool(
        ball.rad() < arb(10) ** (-digits - 30)
    )


def _enclosure(
    path: Path, piece: PathPiece, t: fmpq, spring: tuple[Fraction, Fraction], friction: Fraction
) -> ForceEnclosure | None:
    pair, sign = piece.contacts[0], -1 if piece.turn % 2 else 1
    u = _tangent(path, piece, arb(t))
    if u is None:
        return None
    angle = 2 * u.atan() + piece.turn * arb.pi()
    cosine, sine = sign * (1 - u * u) / (1 + u * u), sign * 2 * u / (1 + u * u)
    lever, normal, slide = _geometry(path, pair, arb(t), cosine, sine)
    if slide is None:
        return None
    mu = arb(rational(friction))
    push = (normal[0] - mu * slide * normal[1], normal[1] + mu * slide * normal[0])
    torque = arb(rational(spring[0])) * angle - arb(rational(spring[1]))
    size = torque / (lever[0] * push[1] - lever[1] * push[0])
    force = (size * push[0], size * push[1])
    velocity = _vector(path.scene.velocity)
    against = (
        -(force[0] * velocity[0] + force[1] * velocity[1]) / (velocity[0] ** 2 + velocity[1] ** 2).sqrt()
    )
    return ForceEnclosure(angle, force, against)


def _vector(vector: Coordinates) -> tuple[arb, arb]:
    return arb(vector[0]), arb(vector[1])


def _geometry(
    path: Path, pair: FeaturePair, t: arb, cosine: arb, sine: arb
) -> tuple[tuple[arb, arb], tuple[arb, arb], int | None]:
    """Lever from the hinge, unit normal of the force, and the side it slides to."""
    scene, (kind, i, j) = path.scene, pair
    scale = arb(scene.scale)
    velocity = _vector(scene.velocity)
    if kind == VERTEX:
        vertex = _vector(scene.pawl[i])
        lever = _rotate(vertex, cosine, sine)
        start, end = _vector(scene.corner(j)), _vector(scene.corner(scene.obstacles.following[j]))
        normal = _unit((end[1] - start[1], start[0] - end[0]))
    else:
        start, end = _vector(scene.pawl[i]), _vector(scene.pawl[(i + 1) % len(scene.pawl)])
        normal = _unit(_rotate((start[1] - end[1], end[0] - start[0]), cosine, sine))
        corner, hinge = _vector(scene.corner(j)), _vector(scene.hinge)
        lever = (corner[0] - hinge[0] - velocity[0] * t, corner[1] - hinge[1] - velocity[1] * t)
    ahead = _sign(lever[0] * velocity[0] + lever[1] * velocity[1])
    across = _sign(lever[0] * normal[1] - lever[1] * normal[0])
    slide = None if ahead is None or across is None else ahead * across
    return (lever[0] / scale, lever[1] / scale), normal, slide


def _sign(ball: arb) -> int | None:
    """Of a ball: 0 for zero itself, None where its precision does not tell."""
    if ball == 0:
        return 0
    return 1 if ball > 0 else -1 if ball < 0 else None


def _unit(vector: tuple[arb, arb]) -> tuple[arb, arb]:
    length = (vector[0] ** 2 + vector[1] ** 2).sqrt()
    return vector[0] / length, vector[1] / length


def _rotate(vector: tuple[arb, arb], cosine: arb, sine: arb) -> tuple[arb, arb]:
    return cosine * vector[0] - sine * vector[1], sine * vector[0] + cosine * vector[1]


def _tangent(path: Path, piece: PathPiece, t: arb) -> arb | None:
    """The half-angle tangent at t, as a ball; None where its precision does not tell the two roots apart."""
    if piece.motion != "arc":
        return _ball(piece.start.u)
    alpha, beta = exact_line(contact_curve(path.scene, piece.contacts[0], piece.turn).line)
    constant, middle, square = (arb(alpha[n]) * t + arb(beta[n]) for n in range(3))
    for end in map(as_algebraic, (piece.start.u, piece.end.u)):
        if sign_at(alpha, end) == 0 == sign_at(beta, end):  # a root at every t: the arc is the other one
            return None if square.contains(0) else -middle / square - _ball(end)
    root = middle * middle - 4 * square * constant
    if not root > 0:
        return None
    q = -(middle + root.sqrt()) / 2 if middle > 0 else -(middle - root.sqrt()) / 2
    choices = ([q / square] if not square.contains(0) else []) + ([constant / q] if not q.contains(0) else [])
    low, high = sorted((_ball(piece.start.u), _ball(piece.end.u)), key=lambda ball: float(ball.mid()))
    inside = [u for u in choices if not u < low and not u > high]
    return inside[0] if len(inside) == 1 else None


def _ball(number: RealNumber) -> arb:
    """An algebraic number as narrow as the precision."""
    u = as_algebraic(number)
    u.refine(fmpq(1, 2**ctx.prec))
    return arb(u.low) if u.is_rational else arb((u.low + u.high) / 2, (u.high - u.low) / 2)
