"""Elements of the user's own: what is wrong with one is told by its name, and no run goes on for ever."""

import numpy as np
import pytest

from pliant.core.errors import InputError
from pliant.relax.model import Mechanism, RelaxStudy
from pliant.relax.solve import solve
from pliant.relax.status import RelaxStatus

METHODS = ("auto", "sync", "async", "momentum")


def model() -> Mechanism:
    return Mechanism.model_validate(
        {
            "ground": ["a"],
            "nodes": {"a": [0, 0], "b": [1, 0]},
            "springs": [{"nodes": ["a", "b"], "stiffness": 1}],
        }
    )


class Field:
    """An element that answers as it is told to."""

    def __init__(self, answer, nodes=("b",)):
        self.answer, self.nodes = answer, nodes

    def __call__(self, x, share):
        return self.answer(np.zeros_like(x), share)


WRONG = {
    "forces[0, 0] is nan, at node 'b'": lambda none, _: (none + np.nan, none),
    "forces[0, 0] is inf, at node 'b'": lambda none, _: (none + np.inf, none),
    "stiffness[0, 0] is nan, at node 'b'": lambda none, _: (none, none + np.nan),
    "stiffness[0, 0] is -1, at node 'b'": lambda none, _: (none, none - 1),
    "forces have the shape (2,), and positions (1, 2)": lambda none, _: (none[0], none),
    "stiffness have the shape (1, 2, 1), and positions (1, 2)": lambda none, _: (none, none[..., None]),
    "forces are None, not an array of numbers": lambda none, _: (None, none),
    "forces are [[1, 2], [1]], not an array of numbers": lambda none, _: ([[1, 2], [1]], none),
    "forces are 'ab', not an array of numbers": lambda none, _: ("ab", none),
    "it returned NoneType": lambda _none, _: None,
    "it returned tuple of 3": lambda none, _: (none, none, none),
    "it returned ndarray": lambda none, _: none,
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("problem", WRONG)
def test_a_wrong_answer_is_an_error_that_names_the_element(problem, method):
    elements = [Field(lambda none, _: (none, none)), Field(WRONG[problem])]
    with pytest.raises(InputError) as error:
        solve(model(), RelaxStudy(method=method, frames=2, iterations=500), elements=elements)
    assert str(error.value).startswith("elements[1] (Field) at 0.0% of the drive: " + problem)


def test_an_answer_that_turns_wrong_on_the_way_is_told_with_its_share():
    later = Field(lambda none, share: (none + (np.nan if share > 0.4 else 0.0), none))
    with pytest.raises(InputError, match=r"elements\[0\] \(Field\) at [45]\d\.\d% of the drive: forces"):
        solve(model(), RelaxStudy(method="sync", frames=4, increments=40), elements=[later])


@pytest.mark.parametrize(
    ("nodes", "problem"),
    [
        (["zz"], "there is no node 'zz'. The nodes are a, b"),
        (["bb"], "there is no node 'bb'. Did you mean 'b'?"),
        ([3], "there is no node 3"),
        ([["b"]], "there is no node ['b']"),
        (None, "is None, not a list of names of nodes"),
        ("b", "is 'b', not a list of names of nodes"),
        ([], "is [], not a list of names of nodes"),
    ],
)
def test_nodes_that_are_none_are_an_error_that_names_the_element(nodes, problem):
    with pytest.raises(InputError) as error:
        solve(model(), elements=[Field(lambda none, _: (none, none), nodes)])
    assert str(error.value).startswith(f"elements[0] (Field).nodes: {problem}")


def test_what_cannot_be_called_is_no_element():
    with pytest.raises(InputError, match=r"elements\[0\] \(int\): cannot be called"):
        solve(model(), elements=[3])


def test_an_error_of_the_elements_own_says_which_raised_it():
    def fails(none, share):
        raise ZeroDivisionError("my own")

    with pytest.raises(ZeroDivisionError) as error:
        solve(model(), elements=[Field(fails)])
    assert error.value.__notes__ == ["raised by elements[0] (Field), called at 0.0% of the drive"]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("force", [1e200, 1e308])
def test_forces_beyond_all_bounds_end_without_an_answer(method, force):
    huge = Field(lambda none, _: (none + force, none))
    result = solve(model(), RelaxStudy(method=method, frames=2, iterations=2000), elements=[huge])
    assert result.status is RelaxStatus.NOT_CONVERGED
    assert np.isfinite(result.points).all()
