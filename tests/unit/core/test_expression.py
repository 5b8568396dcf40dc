"""Arithmetic in model files: exact, with units, and never code."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pliant.core.expression import ANGLE, BARE, LENGTH, Amount, ExpressionError, evaluate, units_in

MM = units_in("mm")
KNOWN = {"a": Amount(Fraction(5)), "wall": Amount(Fraction(3), LENGTH)}


def value(text: str) -> Fraction | float:
    return evaluate(text, KNOWN, MM).value


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2*a + 3", 13),
        ("-a^2", -25),
        ("2^-2", Fraction(1, 4)),
        ("2**3^2", 512),
        ("2(a + 1)", 12),
        ("1/8 in", Fraction(127, 40)),
        ("6/2 in", Fraction(381, 5)),
        ("30 mm/s", 30),
        ("5 %", Fraction(1, 20)),
        ("min(3, a, 4)", 3),
        ("round(7/2)", 4),
        ("floor(-7/2)", -4),
        ("--a", 5),
        ("1 in + 3", Fraction(142, 5)),
        (".5 + 1e-2", Fraction(51, 100)),
    ],
)
def test_arithmetic_is_exact_and_binds_as_it_is_written(text: str, expected: Fraction):
    assert value(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("60 rpm", 2 * math.pi),
        ("90 deg", math.pi / 2),
        ("180°", math.pi),
        ("sin(30 deg)", 0.5),
        ("hypot(3 mm, 4 mm)", 5),
        ("sqrt(wall*wall)", 3),
        ("atan2(wall, 3 mm)", math.pi / 4),
        ("2 pi", 2 * math.pi),
        ("4^(1/2)", 2),
    ],
)
def test_what_cannot_be_exact_is_the_nearest_float(text: str, expected: float):
    assert value(text) == pytest.approx(expected, rel=1e-14)


def test_units_are_carried_along():
    assert evaluate("wall^2/wall", KNOWN, MM).dimension == LENGTH
    assert evaluate("wall/wall", KNOWN, MM).dimension == BARE
    assert evaluate("asin(wall/wall)", KNOWN, MM).dimension == ANGLE
    assert evaluate("1 mm", {}, units_in("in")).value == Fraction(5, 127)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "ends where a number should be"),
        ("a +", "ends where a number should be"),
        ("2*(a", "not closed"),
        ("a b", "'b', which is no parameter"),
        ("wal", "Did you mean 'wall'?"),
        ("1.2.3", "where it should go on"),
        ("a = 3", "where it should go on"),
        ("1/0", "divides by 0"),
        ("0^-1", "divides by 0"),
        ("sqrt(-1)", "no finite number"),
        ("exp(1e3)", "no finite number"),
        ("1e300^64", "no finite number"),
        ("(1e300^7)*pi", "no finite number"),
        ("9^9^9^9", "exponent"),
        ("2^wall", "exponent"),
        ("wall + 3 deg", "adds or compares angle and length"),
        ("sin(wall)", "sine or the like of a length"),
        ("atan2(1)", "Give it 2"),
        ("__import__('os').system('true')", "no parameter"),
        ("(lambda: 1)()", "no parameter"),
        ("(" * 100 + "1" + ")" * 100, "brackets"),
        ("-" * 500 + "1", "brackets"),
        ("1+" * 600 + "1", "characters long"),
    ],
)
def test_what_is_no_expression_is_refused_in_words(text: str, said: str):
    with pytest.raises(ExpressionError, match=r"^[a-z]") as error:
        value(text)
    assert said in str(error.value)


def test_a_file_in_a_unit_of_its_own_knows_no_lengths():
    with pytest.raises(ExpressionError, match="none of length"):
        evaluate("1 in", {}, units_in("cells"))


NUMBERS = st.fractions(min_value=-50, max_value=50, max_denominator=40)


def written(number: Fraction) -> str:
    return f"({number.numerator}/{number.denominator})"


@given(NUMBERS, NUMBERS, NUMBERS)
def test_it_is_what_python_makes_of_it(a: Fraction, b: Fraction, c: Fraction):
    text = f"{written(a)} - {written(b)}*{written(c)}^2 + -{written(b)}"
    assert value(text) == a - b * c**2 - b


@given(st.text(alphabet="0123456789ab.+-*/^()%, einmdgps\x00é'[]", max_size=60))
def test_any_text_is_a_number_or_refused(text: str):
    try:
        assert math.isfinite(value(text))
    except ExpressionError as error:
        assert error.cure  # noqa: PT017
