import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pliant.core.errors import InputError, PliantError
from pliant.files import load, model_hash, model_of, save
from pliant.files.writer import plain, toml_text

numbers = st.floats(-1e6, 1e6, allow_nan=False) | st.integers(-50, 50)
vectors = st.tuples(numbers, numbers)
names = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=12)
triangles = st.sampled_from([[[0, 0], [1, 0], [0, 1]], [[0, 0], [4, 0], [4, 0.1], [0, 7 / 3]]])
pieces = triangles | st.fixed_dictionaries({"outline": triangles})
several = st.lists(pieces, min_size=1, max_size=3)
own_outlines = st.fixed_dictionaries({"outline": triangles}) | st.fixed_dictionaries({"outlines": several})


def optional(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({}, optional=fields)


@st.composite
def assemblies(draw: st.DrawFn) -> Any:
    bodies = draw(st.lists(names, min_size=1, max_size=4, unique=True))
    shapes = draw(st.dictionaries(names, pieces | st.fixed_dictionaries({"outlines": several}), max_size=3))
    some_body, two_bodies = (
        st.sampled_from(bodies),
        st.permutations(bodies).map(lambda order: tuple(order[:2])),
    )
    several_bodies = len(bodies) > 1  # the first of them is fixed
    weights = {"weight": numbers.filter(bool), "point": vectors}
    terms = st.fixed_dictionaries(
        {"body": st.sampled_from(bodies[several_bodies:]), "spin": numbers.filter(bool)}, optional=weights
    ) | st.fixed_dictionaries({"radial": vectors})
    keys = {
        "maximize": st.lists(terms, max_size=3 * several_bodies),
        "steps": st.integers(1, 99),
        "threshold": st.floats(1e-9, 1),
    }
    own = {"flex": optional(**keys, ranges=st.booleans())}
    data: dict[str, Any] = {"pliant": 1, "kind": "assembly", "shapes": shapes}
    data["bodies"] = [
        {"name": name, "fixed": place == 0, "pose": draw(st.tuples(numbers, numbers, numbers))}
        | ({"shape": draw(st.sampled_from(list(shapes)))} if shapes else draw(own_outlines))
        for place, name in enumerate(bodies)
    ]
    pin = st.fixed_dictionaries({"bodies": two_bodies, "at": vectors, "clearance": st.floats(0.1, 1)})
    sight = st.tuples(two_bodies, vectors).map(
        lambda found: {"from": found[0][0], "to": found[0][-1], "half_angle": "30 deg", "marker": found[1]}
    )
    ranges = vectors.map(sorted)
    limit = optional(rotation=st.floats(0, 3) | ranges, x=ranges)
    moving = bodies[several_bodies:]
    data["welds"] = [{"bodies": moving}] if len(moving) > 1 and draw(st.booleans()) else []
    data["pins"] = draw(st.lists(pin, max_size=2 * several_bodies))
    data["sights"] = draw(st.lists(sight, max_size=several_bodies))
    data["limits"] = [{"body": draw(some_body), **draw(limit)}]
    data["study"] = draw(optional(**keys, **own))
    return model_of(
        {**data, **draw(optional(title=names, units=names, clearance=st.just(0) | st.floats(1e-9, 5)))}
    )


@given(model=assemblies())
@settings(max_examples=30, deadline=None)
def test_reading_back_gives_an_equal_model(model: Any, tmp_path_factory: pytest.TempPathFactory):
    folder = tmp_path_factory.mktemp("save")
    for name in ("model.toml", "model.json"):
        save(model, folder / name)
        back = load(folder / name)
        assert back == model
        assert back.study.for_command("flex") == model.study.for_command("flex")
        assert model_hash(back) == model_hash(model)


BIG_OUTLINE = [[i / 7, 0] for i in range(40)] + [[i / 7, 3] for i in reversed(range(40))]
HOOK = {
    "pliant": 1,
    "kind": "assembly",
    "shapes": {"tab": BIG_OUTLINE, "my ring": {"outline": [[0, 0], [9, 0], [0, 9]]}},
    "bodies": [
        {"name": "base", "shape": "tab", "fixed": True},
        {"name": "arm", "shape": "my ring", "pose": [10, 0.5, 0]},
    ],
    "study": {"maximize": [{"body": "arm", "direction": [1, 0]}], "steps": 10, "flex": {"steps": 60}},
}


def test_toml_is_tidy():
    text = toml_text(plain(model_of(HOOK)))
    assert text.startswith('pliant = 1\nkind = "assembly"\n\n[shapes]\ntab = [\n  [0, 0], [0.1428')
    assert '\n[shapes."my ring"]\noutline = [[0, 0], [9, 0], [0, 9]]\n' in text
    assert '\n[[bodies]]\nname = "base"\nshape = "tab"\nfixed = true\n' in text
    assert '\n[[bodies]]\nname = "arm"\nshape = "my ring"\npose = [10, 0.5, 0]\n' in text
    assert '\n[study]\nmaximize = [{ body = "arm", direction = [1, 0] }]\nsteps = 10\n' in text
    assert text.endswith("\n[study.flex]\nsteps = 60\n")
    assert max(map(len, text.splitlines())) <= 104
    assert tomllib.loads(text)["bodies"][0]["fixed"] is True


def test_a_commands_own_study_keeps_a_default_that_overrides(tmp_path: Path):
    model = model_of(HOOK)
    save(model, tmp_path / "hook.toml")
    assert load(tmp_path / "hook.toml").study.for_command("flex").steps == 60


def test_defaults_are_left_out():
    assert plain(model_of({**HOOK, "study": {}, "units": "mm", "pins": []})).keys() == {
        "pliant",
        "kind",
        "shapes",
        "bodies",
    }


def test_equal_models_have_equal_hashes_however_they_are_written():
    model = model_of(HOOK)
    other = model_of({**HOOK, "clearance": 0.0, "title": "", "bodies": [dict(b) for b in HOOK["bodies"]]})
    assert model_hash(model) == model_hash(other)
    assert len(model_hash(model)) == 64
    assert model_hash(model) != model_hash(model_of({**HOOK, "clearance": 0.1}))


def test_json_holds_the_same_keys(tmp_path: Path):
    save(model_of(HOOK), tmp_path / "hook.json")
    assert json.loads((tmp_path / "hook.json").read_text())["bodies"][1]["pose"] == [10, 0.5, 0]


def test_an_unknown_suffix_is_refused(tmp_path: Path):
    with pytest.raises(InputError, match=r"ends in neither \.toml nor \.json"):
        save(model_of(HOOK), tmp_path / "hook.yaml")


def test_a_missing_folder_is_refused(tmp_path: Path):
    with pytest.raises(PliantError, match="does not exist"):
        save(model_of(HOOK), tmp_path / "nowhere" / "hook.toml")


def test_what_could_not_be_read_back_is_not_written(tmp_path: Path):
    model = model_of(HOOK).model_copy(update={"title": "\x1b[31m"})
    with pytest.raises(InputError, match=r"holds U\+001B"):
        save(model, tmp_path / "hook.toml")
    assert not (tmp_path / "hook.toml").exists()
