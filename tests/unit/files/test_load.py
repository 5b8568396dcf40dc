import copy
import json
import os
from decimal import Decimal
from fractions import Fraction
from functools import reduce
from operator import getitem
from pathlib import Path

import pytest
from tests.fuzz.originals import DATA, FASTENER, LINKAGE, MECHANISM

import pliant
from pliant.core.errors import MOST, InputError
from pliant.core.faults import key_path
from pliant.files import kinds, load, load_any, model_of, reader

GOOD = """
pliant = 1
kind = "assembly"
[shapes]
tab = [[0, 0], [10, 0], [10, 10], [0, 10]]
[[bodies]]
name = "base"
shape = "tab"
fixed = true
[[bodies]]
name = "arm"
outline = [[12, 0], [22, 0], [22, "21/2"]]
pose = [0, 0.5, "30 deg"]
[study]
maximize = [{ body = "arm", direction = [1, 0] }]
"""


def write(folder: Path, text: str | bytes, name: str = "hook.toml") -> Path:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def refusal(path: Path, **limits: int) -> str:
    with pytest.raises(InputError) as caught:
        load(path, **limits)
    return str(caught.value)


def faults(folder: Path, **changes: str) -> list[str]:
    """What is said about the good file after some of its text was changed."""
    text = GOOD
    for old, new in changes.items():
        text = text.replace(TEXTS[old], new, 1)
    return refusal(write(folder, text)).splitlines()


TEXTS = {
    "version": "pliant = 1\n",
    "kind": 'kind = "assembly"\n',
    "tab": "[[0, 0], [10, 0], [10, 10], [0, 10]]",
    "shape": 'shape = "tab"',
    "fixed": "fixed = true",
    "arm": 'name = "arm"',
    "outline": '[[12, 0], [22, 0], [22, "21/2"]]',
    "pose": 'pose = [0, 0.5, "30 deg"]',
    "study": 'maximize = [{ body = "arm", direction = [1, 0] }]',
}


def test_toml_and_json_of_one_model_are_equal(tmp_path: Path):
    model = load(write(tmp_path, GOOD))
    data = {
        "pliant": 1,
        "kind": "assembly",
        "shapes": {"tab": [[0, 0], [10, 0], [10, 10], [0, 10]]},
        "bodies": [
            {"name": "base", "shape": "tab", "fixed": True},
            {"name": "arm", "outline": [[12, 0], [22, 0], [22, 10.5]], "pose": [0, 0.5, "30 deg"]},
        ],
        "study": {"maximize": [{"body": "arm", "direction": [1, 0]}]},
    }
    assert load(write(tmp_path, json.dumps(data), "hook.json")) == model
    assert load(write(tmp_path, json.dumps(data), "hook.txt")) == model
    assert load(write(tmp_path, GOOD, "hook.model")) == model


def test_numbers_are_read_exactly():
    from pliant.files.parse import parse

    for text, path in (("x = 0.1\ny = 1e-3", Path("a.toml")), ('{"x": 0.1, "y": 1e-3}', Path("a.json"))):
        assert parse(text, path) == {"x": Decimal("0.1"), "y": Decimal("0.001")}
        assert Fraction(parse(text, path)["x"]) == Fraction(1, 10)


def test_a_byte_order_mark_and_windows_line_ends_are_accepted(tmp_path: Path):
    assert (
        load(write(tmp_path, b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode())).bodies[1].name == "arm"
    )


def test_a_missing_file_names_its_nearest_neighbour(tmp_path: Path):
    write(tmp_path, GOOD)
    message = refusal(tmp_path / "hok.toml")
    assert message.startswith(f"{tmp_path / 'hok.toml'}: there is no such file")
    assert f"Did you mean {str(tmp_path / 'hook.toml')!r}?" in message
    assert "does not exist either" in refusal(tmp_path / "nowhere" / "a.toml")


def test_a_folder_is_refused(tmp_path: Path):
    assert refusal(tmp_path) == f"{tmp_path}: is a folder, not a file. Name a model file in it"


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_an_unreadable_file_is_refused(tmp_path: Path):
    path = write(tmp_path, GOOD)
    path.chmod(0)
    assert "cannot be read: Permission denied" in refusal(path)


def test_a_large_file_is_refused_unread_with_its_size_the_limit_and_the_flag(tmp_path: Path):
    path = tmp_path / "big.toml"
    with path.open("wb") as file:
        file.truncate(200_000_000)
    message = refusal(path)
    assert "is 200 MB; the limit is 10 MB. Raise it with --max-size 201" in message
    assert "is a binary file" in refusal(path, max_bytes=201_000_000)


def test_an_endless_file_is_read_up_to_the_limit_only():
    assert "the limit is 10 MB" in refusal(Path("/dev/zero"))


def test_a_binary_file_is_refused(tmp_path: Path):
    assert "is a binary file (it begins 7f 45 4c 46)" in refusal(write(tmp_path, b"\x7fELF\0\0\1"))


def test_other_encodings_are_refused_with_the_line(tmp_path: Path):
    assert "line 2 holds the byte 0xe9" in refusal(write(tmp_path, 'a = 1\nb = "caf\xe9"'.encode("latin-1")))
    assert "is UTF-16 text. Save it as UTF-8" in refusal(write(tmp_path, GOOD.encode("utf-16")))


@pytest.mark.parametrize("text", ["", "\n \n", "\ufeff\n"])
def test_an_empty_file_is_refused(tmp_path: Path, text: str):
    message = refusal(write(tmp_path, text))
    assert "is empty" in message or "pliant: is missing" in message


def test_a_toml_syntax_error_has_its_line_and_column(tmp_path: Path):
    message = refusal(write(tmp_path, "pliant = 1\nkind = assembly\n"))
    assert message.startswith(
        f'{tmp_path / "hook.toml"}: line 2, column 8, in "kind = assembly": invalid value'
    )


def test_a_json_syntax_error_has_its_line_and_column(tmp_path: Path):
    message = refusal(write(tmp_path, '{"pliant": 1,\n "kind": assembly}', "hook.json"))
    assert 'hook.json: line 2, column 10, in "\\"kind\\": assembly}": expecting value' in message


def test_json_named_toml_is_told_so(tmp_path: Path):
    assert "It looks like JSON: name it hook.json" in refusal(write(tmp_path, '{"pliant": 1}'))


def test_a_key_given_twice_is_refused_in_both_syntaxes(tmp_path: Path):
    message = refusal(write(tmp_path, GOOD + "\n[study]\nsteps = 3"))
    assert "Give each key once in its table" in message
    doubled = '{"pliant": 1, "kind": "assembly", "bodies": [{"name": "a", "name": "b"}]}'
    message = refusal(write(tmp_path, doubled, "hook.json"))
    assert 'hook.json: bodies[0].name: is given twice; the last is "b". Keep one of the two' in message


@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity", "1e999", "1" + "0" * 5000])
def test_json_numbers_that_are_not_finite_are_refused_with_their_key(tmp_path: Path, word: str):
    text = f'{{"pliant": 1, "kind": "assembly", "clearance": {word}, "bodies": []}}'
    assert "hook.json: clearance: " in (message := refusal(write(tmp_path, text, "hook.json")))
    assert "is not a finite number" in message


@pytest.mark.parametrize("word", ["nan", "inf", "-inf", "1e99999999999999999999"])
def test_toml_numbers_that_are_not_finite_are_refused_with_their_key(tmp_path: Path, word: str):
    (message,) = faults(tmp_path, pose=f"pose = [0, {word}, 0]")
    assert "bodies[1].pose[1]: " in message
    assert "is not a finite number" in message


def test_whole_numbers_of_thousands_of_digits_are_refused(tmp_path: Path):
    assert "Write finite numbers of ordinary length" in refusal(write(tmp_path, f"pliant = {'1' * 5000}"))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("deep.json", '{"a": ' + "[" * 100_000 + "]" * 100_000 + "}"),
        ("deep.json", '{"pliant": 1, "a": ' + "[" * 90 + "]" * 90 + "}"),
        ("deep.toml", "a = " + "[" * 100_000),
        ("deep.toml", "a = " + "[" * 90 + "]" * 90),
        ("deep.toml", "a." * 1_000_000 + "a = 1"),
        ("deep.toml", '"a" . ' * 100_000 + "a = 1"),
        ("deep.toml", "[" + "a." * 100_000 + "a]"),
    ],
)
def test_deep_nesting_is_refused_quickly(tmp_path: Path, name: str, text: str):
    message = refusal(write(tmp_path, text, name))
    assert "nested too deeply" in message or "is nested more than 40 deep" in message


def test_text_that_would_reach_the_terminal_as_control_codes_is_refused(tmp_path: Path):
    (message,) = faults(tmp_path, arm='name = "arm\\u001b[31m"')
    assert 'bodies[1].name: "arm\\u001b[31m" holds U+001B. Leave that character out' in message
    assert "\x1b" not in message
    half = '{"pliant": 1, "kind": "assembly", "title": "\\ud800"}'
    assert 'title: "\\ud800" holds U+D800' in refusal(write(tmp_path, half, "half.json"))


def test_the_version_must_be_given_and_other_faults_are_listed_with_it(tmp_path: Path):
    first, second = faults(tmp_path, version="", fixed="")
    assert first.endswith(
        "pliant: is missing: the version of the file format. Add pliant = 1 as the first line"
    )
    assert "no body is fixed" in second


@pytest.mark.parametrize("version", ["true", '"1"', "1.0", "0", "-3"])
def test_what_is_no_version_is_refused(tmp_path: Path, version: str):
    (message,) = faults(tmp_path, version=f"pliant = {version}\n")
    assert "hook.toml: pliant: is " in message
    assert message.endswith("Write pliant = 1")


def test_a_newer_version_says_to_update(tmp_path: Path):
    (message,) = faults(tmp_path, version="pliant = 2\n", fixed="")
    assert "pliant: is 2: the file was made by a newer pliant (this one reads 1)" in message


def test_an_older_version_is_migrated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def rename_parts(data: dict[str, object]) -> dict[str, object]:
        return {("bodies" if key == "parts" else key): value for key, value in data.items()}

    monkeypatch.setitem(kinds.MIGRATIONS, 0, rename_parts)
    old = GOOD.replace("pliant = 1", "pliant = 0").replace("[[bodies]]", "[[parts]]")
    assert load(write(tmp_path, old)) == load(write(tmp_path, GOOD))


def test_the_kind_must_be_known(tmp_path: Path):
    assert faults(tmp_path, kind="")[0].endswith(
        "kind: is missing: what this is a model of. "
        'Add kind = "assembly" or kind = "linkage" or kind = "mechanism" or kind = "fastener"'
    )
    (message,) = faults(tmp_path, kind='kind = "asembly"\n')
    assert message.endswith("kind: \"asembly\" is not a kind of model. Did you mean 'assembly'?")
    (message,) = faults(tmp_path, kind='kin = "assembly"\n')
    assert message.endswith("kin: is not a key of a model. Did you mean 'kind'?")
    assert "kind: [1] is not a kind" in faults(tmp_path, kind="kind = [1]\n")[0]


def test_a_result_is_not_taken_for_a_model(tmp_path: Path):
    path = write(tmp_path, '{"kind": "assembly", "status": "CONVERGED", "motion": {}}', "out.json")
    assert (
        refusal(path)
        == f'{path}: is a result, not a model. Give the model file; a result is drawn with "pliant draw"'
    )


def test_json_that_is_no_object_is_refused(tmp_path: Path):
    assert "holds [1, 2], not a table of keys" in refusal(write(tmp_path, "[1, 2]", "list.json"))


OUTLINES = {
    "self-crossing": (
        "[[0, 0], [2, 2], [2, 0], [0, 2]]",
        "edges 0 and 2 cross; an outline must not cross itself",
    ),
    "a vertex twice": ("[[0, 0], [0, 0], [2, 0], [0, 2]]", "vertex 1 repeats the one before it"),
    "no area": ("[[0, 0], [1, 0], [2, 0]]", ""),
    "two vertices": ("[[0, 0], [1, 0]]", "has 2 different vertices; an outline needs at least 3"),
}


@pytest.mark.parametrize("case", OUTLINES)
@pytest.mark.parametrize(("place", "where"), [("tab", "shapes.tab"), ("outline", "bodies[1].outline")])
def test_a_bad_outline_is_named_with_its_value_and_a_cure(tmp_path: Path, case: str, place: str, where: str):
    outline, problem = OUTLINES[case]
    (message,) = faults(tmp_path, **{place: outline})
    assert message.startswith(f"{tmp_path / 'hook.toml'}: {where}: {problem}")
    assert f"(given {outline})" in message
    assert message.endswith("List the corners in order around the part, each once")


def test_unknown_bodies_in_the_study_get_the_nearest_name(tmp_path: Path):
    (message,) = faults(tmp_path, study='maximize = [{ body = "amr", direction = [1, 0] }]')
    assert message.endswith("study.maximize[0].body: 'amr' is not a body of this model. Did you mean 'arm'?")


def test_two_bodies_of_one_name_are_refused(tmp_path: Path):
    messages = faults(tmp_path, arm='name = "base"')
    assert messages[0].endswith("bodies[1].name: 'base' is the name of two bodies. Give each its own")


def test_nothing_fixed_is_refused(tmp_path: Path):
    (message,) = faults(tmp_path, fixed="")
    assert message.endswith("bodies: no body is fixed. Add fixed = true to the body that is held")


def test_everything_fixed_loads_as_long_as_nothing_is_asked_of_it(tmp_path: Path):
    text = GOOD.replace('name = "arm"', 'name = "arm"\nfixed = true')
    assert all(body.fixed for body in load(write(tmp_path, text.partition("[study]")[0])).bodies)
    assert refusal(write(tmp_path, text)).endswith(
        "study.maximize[0].body: 'arm' is fixed: nothing moves it. Name a body that moves, or let this one"
    )


@pytest.mark.parametrize(
    ("added", "said"),
    [
        (
            '[[limits]]\nbody = "arm"\nx = [2, -1]',
            "limits[0].x: runs from 2 down to -1 (given [2, -1]). Give the lower end first: [-1, 2]",
        ),
        (
            '[[limits]]\nbody = "arm"\ny = [0.5, "2/5"]',
            'limits[0].y: runs from 0.5 down to 0.4 (given [0.5, "2/5"]). '
            "Give the lower end first: [0.4, 0.5]",
        ),
        (
            '[[limits]]\nbody = "arm"\nrotation = ["5 deg", "-5 deg"]',
            'limits[0].rotation: runs from 0.0872665 down to -0.0872665 (given ["5 deg", "-5 deg"]). '
            "Give the lower end first: [-0.0872665, 0.0872665]",
        ),
        (
            '[[pins]]\nbodies = ["arm", "arm"]\nat = [0, 0]',
            'pins[0].bodies: joins \'arm\' to itself (given ["arm", "arm"]). Name two bodies',
        ),
    ],
)
def test_ranges_that_run_down_and_pins_of_one_body_are_refused(added: str, said: str, tmp_path: Path):
    assert refusal(write(tmp_path, f"{GOOD}\n{added}\n")).partition("hook.toml: ")[2] == said


def test_a_sight_of_a_body_at_itself_is_refused(tmp_path: Path):
    sight = '[[sights]]\nfrom = "arm"\nto = "arm"\nhalf_angle = 0.5'
    assert "sights[0]: looks from 'arm' at itself" in refusal(write(tmp_path, f"{GOOD}\n{sight}\n"))


def test_a_range_of_one_value_is_a_range(tmp_path: Path):
    model = load(write(tmp_path, f'{GOOD}\n[[limits]]\nbody = "arm"\nx = [0, 0]\nrotation = [0.0, 0.0]\n'))
    assert model.limits[0].x == model.limits[0].rotation == (0, 0)


def test_one_body_loads(tmp_path: Path):
    alone = 'pliant=1\nkind="assembly"\n[[bodies]]\nname="a"\nfixed=true\noutline=[[0,0],[1,0],[0,1]]'
    assert len(load(write(tmp_path, alone)).bodies) == 1


def test_no_bodies_are_refused(tmp_path: Path):
    message = refusal(write(tmp_path, 'pliant = 1\nkind = "assembly"\nbodies = []'))
    assert message.endswith("bodies: has 0 entries; at least 1 wanted (given []). Add one")


def test_every_fault_is_listed_at_once(tmp_path: Path):
    messages = faults(
        tmp_path, tab="[[0, 0], [1, 0]]", fixed="fixd = true", pose="pose = [0, 0]", study="maximise = 3"
    )
    assert [message.split(": ")[1] for message in messages] == [
        "shapes.tab",
        "bodies[0].fixd",
        "bodies[1].pose",
        "study.maximise",
        "bodies",
    ]


def test_an_unknown_key_gets_the_nearest_key_of_its_table(tmp_path: Path):
    (message,) = faults(tmp_path, pose="poze = [0, 0, 0]")
    assert message.endswith("bodies[1].poze: is not a key of a body (given [0, 0, 0]). Did you mean 'pose'?")
    (message,) = faults(tmp_path, pose='colour = "red"')
    assert message.endswith(
        "Keys of a body: name, shape, outline, holes, outlines, pose, fixed, clearance, mass, layer"
    )


def test_a_misspelt_required_key_is_one_fault_and_not_two(tmp_path: Path):
    messages = faults(tmp_path, arm='nmae = "arm"', study="")
    assert [message for message in messages if "nmae" in message or "is missing" in message] == messages
    assert len(messages) == 1


def test_a_missing_key_says_from_which_table(tmp_path: Path):
    messages = faults(tmp_path, arm="", study="")
    assert "bodies[1].name: is missing from { outline = [[12, 0], [22, 0]," in messages[0]
    assert messages[0].endswith('Add name = "…"')


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"fixed": 'fixed = "maybe"'}, 'bodies[0].fixed: must be true or false (given "maybe"). Write true'),
        ({"pose": "pose = [0, 0]"}, "bodies[1].pose: has fewer than the 3 values wanted (given [0, 0])"),
        ({"pose": "pose = [0, 0, 0, 0]"}, "bodies[1].pose: has more than the 3 values wanted"),
        ({"pose": "pose = 5"}, "bodies[1].pose: must be a list (given 5)"),
        ({"pose": 'pose = [0, "1 deg", 0]'}, "bodies[1].pose[1]: '1 deg' is not a plain number"),
        ({"pose": 'pose = [0, "2*1 deg", 0]'}, 'bodies[1].pose[1]: "2*1 deg" is an angle, and a length is'),
        (
            {"pose": 'pose = [0, 0, "3 furlongs"]'},
            "bodies[1].pose[2]: \"3 furlongs\" uses 'furlongs', which is",
        ),
        (
            {"shape": 'shape = "tba"'},
            "bodies[0].shape: 'tba' is not a shape of this model. Did you mean 'tab'?",
        ),
        ({"shape": "shape = 3"}, "bodies[0].shape: must be text (given 3). Put it in quotes"),
        ({"tab": "{ outlin = [[0, 0]] }"}, "shapes.tab.outlin: is not a key of a region"),
        ({"tab": "5"}, "shapes.tab: must be a table (given 5)"),
        ({"study": 'corners = "chozen"'}, "study.corners: must be 'average', 'chosen' or 'exact'"),
        (
            {"study": "steps = 0"},
            "study.steps: must be at least 1 (given 0). Give a number that is at least 1",
        ),
        ({"study": "steps = 2.5"}, "study.steps: must be a whole number (given 2.5). Leave the fraction out"),
        ({"study": "tolerance = 1"}, "study.tolerance: must be less than 1 (given 1)"),
        ({"study": "maximize = {}"}, "study.maximize: must be a list (given {})"),
        ({"study": "maximize = [3]"}, "study.maximize[0]: must be a table (given 3)"),
        ({"study": "maximize = [{ direction = [1, 0] }]"}, "study.maximize[0]: names no body"),
        ({"arm": 'name = ""'}, 'bodies[1].name: must not be empty (given "")'),
    ],
)
def test_pydantics_words_become_ours(tmp_path: Path, changes: dict[str, str], said: str):
    assert said in "\n".join(faults(tmp_path, **changes))


@pytest.mark.parametrize(
    ("rotation", "said"),
    [
        ('"abc"', "limits[0].rotation: 'abc' is not a number"),
        ('[1, "x"]', "limits[0].rotation[1]: 'x' is not a number"),
        ("[1]", "limits[0].rotation: has fewer than the 2 values wanted (given [1])"),
        ("-1", "limits[0].rotation: must be at least 0 (given -1)"),
    ],
)
def test_a_value_that_fits_no_branch_of_a_union_is_one_fault(tmp_path: Path, rotation: str, said: str):
    text = f'{GOOD}\n[[limits]]\nbody = "arm"\nrotation = {rotation}'
    message = refusal(write(tmp_path, text))
    assert said in message
    assert len(message.splitlines()) == 1


def test_a_key_that_is_called_like_a_branch_of_a_union_is_still_a_key(tmp_path: Path):
    messages = faults(tmp_path, tab="{ region = [[0, 0]], outline = [[0, 0], [1, 0], [0, 1]] }")
    assert [message.split(": ")[1] for message in messages] == ["shapes.tab.region"]


def test_keys_with_spaces_are_quoted_as_in_toml():
    with pytest.raises(InputError, match=r'shapes\."my tab"\[1\]\[0\]'):
        model_of({"pliant": 1, "kind": "assembly", "shapes": {"my tab": [[0, 0], ["x", 1]]}, "bodies": []})


@pytest.mark.slow
def test_fifty_thousand_bodies_load_within_the_limits(tmp_path: Path):
    bodies = [{"name": f"b{i}", "shape": "tab", "pose": [i, 0, 0], "fixed": i == 0} for i in range(50_000)]
    shapes = {"tab": [[0, 0], [1, 0], [1, 1], [0, 1]]}
    data = {"pliant": 1, "kind": "assembly", "shapes": shapes, "bodies": bodies}
    model = load(write(tmp_path, json.dumps(data), "many.json"))
    assert len(model.bodies) == 50_000


def test_motions_and_plots_are_read_back_and_models_are_neither(tmp_path: Path):
    import numpy as np

    from pliant.core.motion import Motion
    from pliant.core.plot import Plot, Series

    motion = Motion("step", "", np.arange(2.0))
    plot = Plot("t", "x", "y", (Series("s", np.arange(3.0), np.arange(3.0)),))
    motion.save(tmp_path / "motion.json")
    plot.save(tmp_path / "plot.json")
    write(tmp_path, json.dumps({"status": "X", "motion": motion.to_dict()}), "result.json")
    assert isinstance(load_any(tmp_path / "motion.json"), Motion)
    assert isinstance(load_any(tmp_path / "result.json"), Motion)
    assert isinstance(load_any(tmp_path / "plot.json"), Plot)
    for name in ("hook.toml", "hook.txt"):
        assert load_any(write(tmp_path, GOOD, name)) == load(write(tmp_path, GOOD, name))


@pytest.mark.parametrize(
    "text", ['{"motion": 3}', '{"motion": {}}', '{"series": [{}]}', '{"axis": 1, "poses": []}']
)
def test_a_broken_result_is_refused_with_a_cure(tmp_path: Path, text: str):
    with pytest.raises(InputError, match=r"cannot be read .*Make the file anew with --json"):
        load_any(write(tmp_path, text, "out.json"))


def test_a_result_with_nan_or_with_shapes_that_are_not_there_is_refused(tmp_path: Path):
    import numpy as np

    from pliant.core.motion import Motion

    with pytest.raises(InputError, match="NaN is not a finite number"):
        load_any(write(tmp_path, '{"motion": {"axis": NaN}}', "out.json"))
    body = Motion(
        "step",
        "",
        np.arange(1.0),
        bodies=("a",),
        body_shapes=np.array([4]),
        fixed=np.array([True]),
        poses=np.zeros((1, 1, 3)),
    )
    body.save(tmp_path / "motion.json")
    with pytest.raises(InputError, match="that is not there"):
        load_any(tmp_path / "motion.json")


def test_the_public_limit_is_the_files_rooms():
    assert pliant._MODEL_BYTES == reader.MODEL_BYTES


CROWDS = {
    "keys that are none": {"kind": "assembly", "bodies": [{"name": "a", "x": 1}] * 20_000},
    "numbers that are none": {
        "kind": "assembly",
        "bodies": [{"name": "a", "outline": [["x", None]] * 20_000}],
    },
    "nodes of one number": {"kind": "mechanism", "nodes": {f"n{k}": ["x"] for k in range(20_000)}},
    "unknown joints": {
        "kind": "linkage",
        "joints": {f"n{k}": [k, 0] for k in range(3000)},
        "links": [{"joints": [f"m{k}", "k"]} for k in range(20_000)],
    },
    "unknown shapes": {"kind": "fastener", "obstacles": [{"shape": f"s{k}"} for k in range(20_000)]},
    "control characters": {"kind": "fastener", "title": ["\x1b"] * 20_000},
}


@pytest.mark.few(2)
@pytest.mark.parametrize("crowd", CROWDS)
def test_of_very_many_faults_a_thousand_are_listed_and_that_there_are_more(crowd: str):
    with pytest.raises(InputError) as caught:
        model_of({"pliant": 1, **CROWDS[crowd]})
    *listed, last = caught.value.faults
    assert len(listed) == MOST
    assert str(last) == "there are more faults than the 1000 listed. Mend these first"
    assert all(fault.where for fault in listed)


def test_a_large_model_with_one_fault_names_that_one():
    outline = [[k, 0 if k % 2 else 1] for k in range(30_000)]
    bodies = [{"name": "a", "fixed": True, "outline": [*outline, [30_000, -5], [0, -5]]}]
    found = refused({"kind": "assembly", "bodies": [*bodies, {"name": "b", "outline": [[0, 0], [1, 0]]}]})
    assert found == [
        "bodies[1].outline: has 2 different vertices; an outline needs at least 3 (given [[0, 0], [1, 0]]). "
        "List the corners in order around the part, each once"
    ]


FAR = "is not a coordinate within ±1e9. Choose a larger unit, or move the drawing"
ORIGINALS = {data["kind"]: data for data in (DATA, LINKAGE, MECHANISM, FASTENER)}
LONG = "is not a length from 1e-9 to 1e9. Choose another unit"
MUCH = "is not a number from 1e-18 to 1e18. Choose another unit"
BEYOND = {
    ("assembly", "bodies", 0, "outline", 1, 0): (1e150, FAR),
    ("assembly", "bodies", 1, "pose", 0): (-2e9, FAR),
    ("linkage", "joints", "C", 0): (1e308, FAR),
    ("linkage", "links", 0, "length"): (1e-320, LONG),
    ("mechanism", "nodes", "P", 1): (-1e160, FAR),
    ("mechanism", "wraps", 0, "around", 0, "radius"): (1e-320, LONG),
    ("mechanism", "springs", 0, "stiffness"): (1e300, MUCH),
    ("mechanism", "rotors", 0, "to"): (1e9, "is not an angle within ±1e6 rad. Leave whole turns out"),
    ("fastener", "pawls", 0, "hinge", 1): (1e20, FAR),
    ("fastener", "friction"): (1e-30, MUCH),
}


@pytest.mark.parametrize("place", BEYOND)
def test_what_is_out_of_range_is_refused_at_its_place_with_a_cure(place: tuple):
    value, wanted = BEYOND[place]
    data = copy.deepcopy(ORIGINALS[place[0]])
    table = reduce(getitem, place[1:-1], data)
    table[place[-1]] = value
    assert f"{key_path(place[1:])}: {value} {wanted}" in refused(data)


def refused(data: dict) -> list[str]:
    with pytest.raises(InputError) as caught:
        model_of({"pliant": 1, **data})
    return list(map(str, caught.value.faults))


def shrunk(value):
    """Every number of a model, but its version and its study, a 1e-40th of itself."""
    if isinstance(value, dict):
        return {key: item if key in ("pliant", "study") else shrunk(item) for key, item in value.items()}
    if isinstance(value, list):
        return [shrunk(item) for item in value]
    if isinstance(value, str) and "/" in value:
        return 0
    return 1e-40 * value if isinstance(value, int | float) and not isinstance(value, bool) else value


@pytest.mark.parametrize(
    ("kind", "wanted"),
    [
        ("assembly", "bodies[0].outline: is no larger than 1e-09 of the unit"),
        ("linkage", "joints: are all drawn within 4e-40 of each other, and lengths are at least 1e-09"),
        ("mechanism", "nodes: are all drawn within 5e-40 of each other, and lengths are at least 1e-09"),
    ],
)
def test_a_drawing_smaller_than_any_length_is_refused(kind: str, wanted: str):
    assert any(fault.startswith(wanted) for fault in refused(shrunk(ORIGINALS[kind])))


def test_a_fastener_smaller_than_any_length_is_refused():
    data = copy.deepcopy(FASTENER)
    data["root"]["outline"] = [[0, 0], [1e-40, 0], [0, 1e-40]]
    assert refused(data)[0].startswith("root.outline: is no larger than 1e-09 of the unit")
