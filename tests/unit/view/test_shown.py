"""What a result shows of itself: in a console, in a notebook, and to who compares or pickles it."""

import pickle

import pytest
from tests.solved import solved

import pliant
from pliant import gallery

NAMES = ("eight-blocks", "jansen", "excavator", "two-hooks", "flush-snap", "cantilever-snap")


@pytest.mark.parametrize("name", NAMES)
def test_a_result_is_short_in_a_console_and_says_its_answer(name: str):
    result = solved(name)
    text = repr(result)
    assert text == f"<{type(result).__name__} {result.status.name}: {result.summary().splitlines()[0]}>"
    assert len(text) < 1000


@pytest.mark.parametrize("name", NAMES)
def test_a_pickled_result_says_the_same(name: str):
    result = solved(name)
    again = pickle.loads(pickle.dumps(result))
    assert again == result
    assert hash(again) == hash(result)
    assert again.summary() == result.summary()


def test_other_answers_and_other_things_are_not_equal():
    result = solved("eight-blocks")
    assert result != pliant.solve(gallery.load("eight-blocks"), steps=1)
    assert result != solved("jansen")
    assert result != "eight-blocks"


def test_a_notebook_shows_the_answer_and_a_player_and_nothing_of_either_escapes():
    model = gallery.load("arm").with_(title='<script>alert("x")</script>')
    page = pliant.solve(model)._repr_html_()
    assert page.startswith("<pre>Moves by")
    assert page.count("<iframe") == page.count("</iframe>") == 1
    assert "<script" not in page
