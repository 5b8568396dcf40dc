"""Real algebraic numbers: what is found is there, and no decision about it is wrong.

The referee is flint's own isolation of all complex roots, by factors and at far higher precision.
"""

from collections.abc import Callable, Iterator
from fractions import Fraction

import pytest
from flint import arb, ctx, fmpq, fmpz_poly
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pliant.snap.arithmetic.algebraic import Algebraic, compare, quotient, sign_at
from pliant.snap.arithmetic.exact import ExactArithmetic
from pliant.snap.arithmetic.isolation import roots
from pliant.snap.arithmetic.polynomials import (
    fraction,
    nearest_float,
    rational,
    root_count,
    simplest_between,
    squarefree_part,
)

LOW, HIGH = fmpq(-4), fmpq(4)
SIZES = [2, 9, 1000, 10**12, 10**60]
SQUARE = fmpz_poly([-2, 0, 1])  # √2
CUBE = fmpz_poly([-2, 0, 0, 1])  # ∛2


@pytest.fixture(autouse=True, scope="module")
def precision() -> Iterator[None]:
    """Of the referee: far beyond what any case here needs."""
    usual, ctx.prec = ctx.prec, 2000
    yield
    ctx.prec = usual


def by(examples: int) -> Callable:
    return settings(max_examples=examples, deadline=None, derandomize=True)


@st.composite
def polys(draw: st.DrawFn, least: int = 1, most: int = 4) -> fmpz_poly:
    size = draw(st.sampled_from(SIZES))
    whole = st.integers(-size, size)
    low = draw(st.lists(whole, min_size=least, max_size=most))
    return fmpz_poly([*low, draw(whole.filter(bool))])


def real_roots(poly: fmpz_poly, low: fmpq = LOW, high: fmpq = HIGH) -> list[arb]:
    """The real roots between two, each once and in order."""
    found: list[arb] = []
    for factor, _ in poly.factor()[1]:
        if factor.degree() == 1:
            root = fmpq(-factor[0], factor[1])
            found += [arb(root)] if low <= root <= high else []
        else:
            every = [z.real for z, _ in factor.complex_roots() if z.imag == 0]
            found += [x for x in every if arb(low) < x < arb(high)]
    return sorted(found, key=lambda x: x.mid())


def sign(value: arb) -> int:
    return 0 if value.contains(0) else int(value > 0) - int(value < 0)


def is_it(number: Algebraic, value: arb) -> bool:
    """Whether a number can be this one: it is in its interval, and the float is near it."""
    inside = not arb(number.low) > value and not arb(number.high) < value
    return inside and abs(arb(number.near) - value) <= number.radius


def root_two() -> Algebraic:
    return roots(SQUARE, fmpq(0), fmpq(2))[0]


# Roots


@pytest.mark.slow
@by(150)
@given(polys(), polys(0), polys(0))
def test_every_root_is_found_once_and_in_order(first, second, third):
    poly = first * first * second * third  # degree 16 at most, with repeated roots
    found = roots(poly, LOW, HIGH)
    wanted = real_roots(poly)
    assert len(found) == len(wanted)
    assert all(is_it(number, value) for number, value in zip(found, wanted, strict=True))
    assert all(number.is_rational or number.high - number.low < fmpq(1, 2**30) for number in found)


@by(60)
@given(polys(8, 8))
def test_roots_of_the_eighth_degree_are_found(poly):
    found = roots(poly, LOW, HIGH)
    wanted = real_roots(poly)
    assert len(found) == len(wanted)
    assert all(is_it(number, value) for number, value in zip(found, wanted, strict=True))


def test_roots_at_both_ends_of_the_interval_count():
    thirds = fmpz_poly([0, 1]) * fmpz_poly([-1, 3]) * fmpz_poly([-2, 3]) * fmpz_poly([-1, 1])
    found = roots(thirds, fmpq(0), fmpq(1))
    assert [fraction(number.reduced.low) for number in found] == [0, Fraction(1, 3), Fraction(2, 3), 1]
    assert [fraction(n.reduced.low) for n in roots(thirds, fmpq(1, 3), fmpq(2, 3))] == [
        Fraction(1, 3),
        Fraction(2, 3),
    ]
    assert [fraction(n.low) for n in roots(thirds, fmpq(1, 3), fmpq(1, 3))] == [Fraction(1, 3)]


def test_a_root_beside_one_at_the_interval_s_end_is_kept_apart_from_it():
    tiny = 2**90
    poly = fmpz_poly([0, 1]) * fmpz_poly([-1, tiny]) * (tiny**2 * fmpz_poly([0, 0, 1]) - 2)
    found = roots(poly, fmpq(0), fmpq(1))
    for number in found:
        number.refine(fmpq(1, tiny**2))
    assert [number.near * tiny for number in found] == pytest.approx([0, 1, 2**0.5])


def test_nothing_is_a_root_of_a_constant_or_of_zero_or_between_crossed_ends():
    assert roots(fmpz_poly([7]), LOW, HIGH) == []
    assert roots(fmpz_poly([]), LOW, HIGH) == []
    assert roots(SQUARE, HIGH, LOW) == []


@pytest.mark.parametrize("bits", [60, 200, 1100])
@pytest.mark.parametrize("middle", [fmpz_poly([-1, 2]), fmpz_poly([-1, 3]), fmpz_poly([0, 1])])
def test_roots_closer_than_any_float_tells_are_told_apart(middle, bits):
    below, above = roots(2 ** (2 * bits) * middle**2 - 2, LOW, HIGH)
    assert (compare(below, above), compare(above, below), compare(above, above)) == (-1, 1, 0)
    assert sign_at(middle, below) == -1
    assert sign_at(middle, above) == 1


def test_coefficients_beyond_floats_are_no_trouble():
    huge = 10**400
    poly = huge * fmpz_poly([-2, 0, 1]) + 1
    low, high = roots(poly, LOW, HIGH)
    assert compare(high, root_two()) == -1
    assert high.near == pytest.approx(2**0.5)
    assert compare(low, high) == -1
    assert sign_at(poly * poly + poly * huge, high) == 0
    assert sign_at(huge * fmpz_poly([-3, 2]), high) == -1


def test_repeated_roots_are_dropped_and_others_kept():
    assert squarefree_part(SQUARE**3 * fmpz_poly([-1, 1])) == SQUARE * fmpz_poly([-1, 1])
    assert squarefree_part(SQUARE) == SQUARE
    assert squarefree_part(fmpz_poly([5])) == fmpz_poly([5])


@by(60)
@given(polys(), st.integers(-30, 30), st.integers(1, 30))
def test_the_bound_on_roots_is_never_below_their_number(poly, start, width):
    poly = squarefree_part(poly)
    low, high = fmpq(start, 8), fmpq(start + width, 8)
    assume(poly(low) != 0 != poly(high))
    bound, number = root_count(poly, low, high), len(real_roots(poly, low, high))
    assert bound >= number
    assert bound > 1 or bound == number


# Signs


@by(150)
@given(polys(), polys(0), polys(0), polys(0, 6))
def test_a_polynomial_s_sign_is_right_and_zero_where_it_is(shared, first, second, other):
    poly = shared * first
    for number, value in zip(roots(poly, LOW, HIGH), real_roots(poly), strict=True):
        for asked in (shared * second, other, other * first + shared):
            assert sign_at(asked, number) == sign(asked(value))


def test_a_sign_next_to_zero_is_right_where_no_float_is():
    """Convergents of √2 lie on either side of it in turn."""
    top, bottom = 1, 1
    for step in range(200):
        assert sign_at(fmpz_poly([-top, bottom]), root_two()) == (1 if step % 2 == 0 else -1)
        top, bottom = top + 2 * bottom, top + bottom


def test_a_neighbour_s_factor_is_not_taken_for_zero():
    """√2 beside a rational that no float tells from it, both roots of one polynomial."""
    top, bottom = convergent(100)
    beside = fmpz_poly([-top, bottom])
    number = next(n for n in roots(SQUARE * beside, fmpq(1), fmpq(2)) if not n.reduced.is_rational)
    assert sign_at(beside * CUBE, number) == sign_at(beside, root_two()) != 0
    assert sign_at(SQUARE * CUBE, number) == 0


def test_zero_has_no_sign_anywhere():
    assert sign_at(fmpz_poly([]), root_two()) == 0
    assert sign_at(fmpz_poly([-1, 3]), Algebraic.of(fmpq(1, 3))) == 0
    assert sign_at(fmpz_poly([-4, 0, 0, 0, 1]), root_two()) == 0


# Order


@pytest.mark.slow
@by(100)
@given(polys(), polys(0), polys(0))
def test_numbers_are_ordered_and_equal_whatever_polynomials_they_come_by(shared, first, second):
    one, other = shared * first, shared * second * second
    ones = list(zip(roots(one, LOW, HIGH), real_roots(one), strict=True))
    others = list(zip(roots(other, LOW, HIGH), real_roots(other), strict=True))
    for number, value in ones:
        for another, against in others:
            assert compare(number, another) == sign(value - against)
            assert compare(another, number) == sign(against - value)


def test_equal_numbers_are_equal_by_any_polynomials():
    numbers = [
        roots(poly, fmpq(1), fmpq(2))[0]
        for poly in (SQUARE, SQUARE * fmpz_poly([-5, 1]), fmpz_poly([-4, 0, 0, 0, 1]), SQUARE**2 * CUBE)
    ]
    numbers[3] = roots(SQUARE**2 * CUBE, fmpq(13, 10), fmpq(3, 2))[0]
    assert all(compare(a, b) == 0 for a in numbers for b in numbers)
    assert compare(numbers[0], roots(CUBE, fmpq(1), fmpq(2))[0]) == 1


def test_a_rational_known_as_a_root_equals_itself():
    hidden = roots(SQUARE * fmpz_poly([-7, 5]), fmpq(139, 100), fmpq(141, 100))[0]
    assert compare(hidden, Algebraic.of(fmpq(7, 5))) == 0
    assert compare(Algebraic.of(fmpq(7, 5)), hidden) == 0
    assert compare(hidden, Algebraic.of(fmpq(7 * 10**40 + 1, 5 * 10**40))) == -1


# Quotients


@by(80)
@given(polys(), polys(0), polys(0, 2), polys(0, 2))
def test_a_quotient_is_the_number_it_says(first, second, top, bottom):
    poly = first * second
    for number, value in zip(roots(poly, LOW, HIGH), real_roots(poly), strict=True):
        if sign(bottom(value)):
            found = quotient(number, top, bottom)
            assert is_it(found, top(value) / bottom(value))


@by(60)
@given(polys(1, 2), polys(1, 2), polys(1, 2), polys(0, 1))
def test_factors_that_top_and_bottom_share_do_not_hide_a_quotient(first, second, top, bottom):
    """Where both vanish at another root of the number's polynomial."""
    assume(first.gcd(second).degree() == 0)
    for number, value in zip(roots(first * second, LOW, HIGH), real_roots(first * second), strict=True):
        if sign(second(value) * bottom(value)):
            found = quotient(number, top * second, bottom * second)
            assert is_it(found, top(value) / bottom(value))


def test_quotients_of_root_two_are_known_numbers():
    half = quotient(root_two(), fmpz_poly([1]), fmpz_poly([0, 1]))
    assert compare(half, roots(fmpz_poly([-1, 0, 2]), fmpq(0), fmpq(1))[0]) == 0
    assert compare(quotient(root_two(), SQUARE, fmpz_poly([0, 1])), Algebraic.of(fmpq(0))) == 0
    one = quotient(root_two(), fmpz_poly([1, 1]), fmpz_poly([1, 1]))
    assert compare(one, Algebraic.of(fmpq(1))) == 0
    assert quotient(Algebraic.of(fmpq(1, 2)), fmpz_poly([1, 1]), fmpz_poly([0, 3])).low == 1


# Numbers


@by(60)
@given(polys(), st.integers(1, 400))
def test_refining_keeps_the_number_and_makes_it_as_narrow_as_asked(poly, places):
    width = fmpq(1, 2**places)
    for number, value in zip(roots(poly, LOW, HIGH), real_roots(poly), strict=True):
        number.refine(width)
        assert number.high - number.low <= width
        assert is_it(number, value)


def test_refining_onto_a_rational_root_makes_it_rational():
    number = Algebraic(fmpz_poly([-1, 4]) * SQUARE, fmpq(0), fmpq(1))
    number.refine(fmpq(1, 2**60))
    assert number.is_rational
    assert number.low == fmpq(1, 4)


def test_the_least_polynomial_of_a_number_is_found():
    second = roots(SQUARE * fmpz_poly([-1, 2]) * CUBE, fmpq(14, 10), fmpq(15, 10))[0]
    assert second.reduced.poly == SQUARE
    half = Algebraic(SQUARE * fmpz_poly([-1, 2]), fmpq(1, 3), fmpq(2, 3))
    assert half.reduced.is_rational
    assert half.reduced.low == fmpq(1, 2)


@by(40)
@given(polys())
def test_a_negative_is_the_root_of_the_mirrored_polynomial(poly):
    for number, value in zip(roots(poly, LOW, HIGH), real_roots(poly), strict=True):
        assert is_it(number.negated, -value)
        assert compare(number.negated.negated, number) == 0


@by(100)
@given(st.fractions(-10, 10), st.integers(0, 200))
def test_a_short_rational_lies_strictly_between(low, places):
    start, end = rational(low), rational(low) + fmpq(1, 2**places)
    found = simplest_between(start, end)
    assert start < found < end
    assert int(found.q) <= 2 ** (places + 8)


@by(100)
@given(st.fractions())
def test_rationals_survive_the_way_to_flint_and_back(value):
    assert fraction(rational(value)) == value
    assert nearest_float(rational(value)) == float(value)


# As the sweep asks


EXACTLY = ExactArithmetic()


def convergent(steps: int) -> tuple[int, int]:
    """A rational as near to √2 as no float can tell."""
    top, bottom = 1, 1
    for _ in range(steps):
        top, bottom = top + 2 * bottom, top + bottom
    return top, bottom


@pytest.mark.parametrize("steps", [100, 101])
@pytest.mark.parametrize("sense", [1, -1])
def test_a_root_just_beyond_the_start_is_not_left_out(sense, steps):
    """√2 lies between two convergents, one on either side: each is found on its own side only."""
    top, bottom = convergent(steps)
    beside, goal = fmpz_poly([-top, bottom]), EXACTLY.number(Fraction(3 if sense > 0 else 1, 1))
    beyond = sign_at(beside, root_two()) == -sense  # the root is on the goal's side
    found = EXACTLY.roots_after(beside, root_two(), goal, root_two().near)
    assert len(found) == (1 if beyond else 0)


def test_roots_after_a_start_are_in_the_order_they_are_met():
    poly = fmpz_poly([-1, 4]) * fmpz_poly([-1, 2]) * fmpz_poly([-3, 4]) * SQUARE
    quarter, end = EXACTLY.number(Fraction(1, 4)), EXACTLY.number(Fraction(2))
    assert [n.near for n in EXACTLY.roots_after(poly, quarter, end, 0.25)] == pytest.approx(
        [0.5, 0.75, 2**0.5]
    )
    assert [n.near for n in EXACTLY.roots_after(poly, end, quarter, 2.0)] == pytest.approx(
        [2**0.5, 0.75, 0.5, 0.25]
    )


def test_a_point_s_t_is_right_however_steep_its_curve():
    """α is 1e-38 at √2 and so is β: t = -β/α is 7 to the last place."""
    top, bottom = convergent(50)
    alpha = fmpz_poly([-top, bottom])
    point = EXACTLY.point(root_two(), 0, (alpha, -7 * alpha + SQUARE))
    assert point.t == pytest.approx(7, abs=1e-12)
    assert point.slack < 1e-10
    assert compare(point.time, Algebraic.of(fmpq(7))) == 0


@by(40)
@given(polys(2, 2), polys(2, 2), st.integers(-20, 20))
def test_points_on_a_curve_know_on_which_side_of_it_others_are(alpha, beta, shift):
    for u in roots(beta + shift * alpha, fmpq(-1), fmpq(1)):
        if sign_at(alpha, u):
            point = EXACTLY.point(u, 0, (alpha, beta))
            assert point.t == pytest.approx(shift, rel=1e-12, abs=1e-12)
            assert point.sign(alpha, beta) == 0
            assert point.sign(alpha, beta + alpha) == sign_at(alpha, u)
            assert (point.after(fmpq(shift)), point.after(fmpq(shift + 1))) == (0, -1)


@by(40)
@given(polys(2, 2), polys(2, 2), polys(1, 3))
def test_landings_are_where_a_curve_has_the_t_of_a_point(alpha, beta, poly):
    assume(alpha.gcd(beta).degree() == 0)
    for time in roots(poly, LOW, HIGH)[:2]:
        point = EXACTLY.point(EXACTLY.zero, 0, None, time)
        found = EXACTLY.landing(point, alpha, beta, -1.0, 1.0)
        for u in found:
            assert EXACTLY.point(u, 0, None, time).sign(alpha, beta) == 0
        # As many as a quadratic with that t, known to many places, changes sign.
        time.refine(fmpq(1, 2**200))
        near = (time.low + time.high) / 2
        whole = alpha * near.p + beta * near.q
        clear = whole(fmpq(-1)) != 0 != whole(fmpq(1)) and whole.degree() == 2
        spread = whole[1] ** 2 - 4 * whole[0] * whole[2]
        if clear and abs(float(spread)) > 1e-3 * float(whole[0] ** 2 + whole[1] ** 2):
            assert len(found) == len(roots(whole, fmpq(-1), fmpq(1)))


@by(40)
@given(polys(1, 3), polys(1, 3), polys(1, 3))
def test_a_strip_holds_no_root_but_the_point_s_own(own, first, second):
    for u in roots(own, fmpq(-1), fmpq(1)):
        low, high = EXACTLY.strip(u, [own * first, second])
        assert low < u.low
        assert u.high < high
        for poly in (own * first, second):
            for other in roots(poly, low, high):
                assert compare(other, u) == 0


@by(40)
@given(polys(), polys())
def test_a_rational_is_found_strictly_between_two_numbers(first, second):
    for a in roots(first, LOW, HIGH):
        for b in roots(second, LOW, HIGH):
            middle = EXACTLY.between(a, b)
            assert compare(a, middle) == compare(middle, b) == compare(a, b)
