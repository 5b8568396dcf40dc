import math
import subprocess
import sys
import types
from pathlib import Path
from typing import Any

import pytest

import pliant
from pliant.core.errors import InputError
from pliant.files import model_of
from pliant.flex.model import FlexStudy, Study
from pliant.linkage.model import EditStudy, TraceStudy
from pliant.snap.model import SnapStudy

MODEL = {
    "pliant": 1,
    "kind": "assembly",
    "bodies": [
        {"name": "base", "outline": [[0, 0], [1, 0], [0, 1]], "fixed": True},
        {"name": "arm", "outline": [[0, 0], [1, 0], [0, 1]], "pose": [3, 0, 0]},
    ],
    "study": {
        "maximize": [{"body": "arm", "spin": 1}],
        "steps": 10,
        "solver": "highs",
        "flex": {"steps": 20},
    },
}


@pytest.fixture
def studies(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The studies that reach the solver."""
    seen: list[Any] = []
    module = types.ModuleType("pliant.flex.solve")
    module.solve = lambda model, study, progress: seen.append(study)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "pliant.flex.solve", module)
    return seen


def test_importing_pliant_imports_nothing_heavy():
    code = "import pliant, sys; print(sorted({'numpy', 'pydantic', 'click', 'shapely'} & set(sys.modules)))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out == "[]\n"


def test_the_public_names_are_there():
    assert set(pliant.__all__) == set(dir(pliant))
    assert all(getattr(pliant, name) for name in pliant.__all__)
    assert pliant.__version__[0].isdigit()
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = pliant.nothing  # type: ignore[attr-defined]


def test_every_method_is_there_without_an_import_before_it():
    code = "import pliant; print(pliant.relax.__name__, pliant.snap.__name__, pliant.Linkage.__name__)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out == "pliant.relax pliant.snap Linkage\n"


def test_a_model_is_changed_by_its_keys_and_checked_as_a_file_is():
    model = pliant.load(MODEL)
    changed = model.with_(clearance="1/8", title="another")
    assert (changed.clearance, changed.title, changed.bodies) == (0.125, "another", model.bodies)
    assert (model.clearance, model.title) == (0, "")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"clearence": 0.2}, "clearence: is not a key of an assembly .* Did you mean 'clearance'?"),
        ({"clearance": "abc"}, "clearance: 'abc' is not a number"),
        ({"bodies": ()}, "bodies: has 0 entries"),
        ({"kind": "linkage"}, "kind"),
    ],
)
def test_what_cannot_be_changed_so_is_refused_with_a_cure(changes: dict[str, Any], said: str):
    with pytest.raises(pliant.InputError, match=said):
        pliant.load(MODEL).with_(**changes)


def test_plain_data_and_paths_are_solved_as_models_are(studies: list[Any], tmp_path: Path):
    pliant.save(pliant.load(MODEL), tmp_path / "model.toml")
    for given in (MODEL, tmp_path / "model.toml", str(tmp_path / "model.toml")):
        pliant.solve(given, steps=7)
    assert [study.steps for study in studies] == [7, 7, 7]


def test_what_is_no_model_is_refused_with_a_cure():
    with pytest.raises(pliant.InputError, match="is of type int, and no model"):
        pliant.solve(3)  # type: ignore[call-overload]


def test_the_files_study_is_solved_by_default(studies: list[Any]):
    pliant.solve(model_of(MODEL))
    assert (studies[0].steps, studies[0].solver) == (20, "highs")
    assert studies[0].maximize[0].body == "arm"


def test_a_study_goes_before_the_files_and_a_keyword_before_both(studies: list[Any]):
    model = model_of(MODEL)
    pliant.solve(model, FlexStudy(steps=30))
    pliant.solve(model, Study(steps=30, flex=FlexStudy(steps=35)))
    pliant.solve(model, FlexStudy(steps=30), steps=40, corners="exact")
    assert [study.steps for study in studies] == [30, 35, 40]
    assert [study.corners for study in studies] == ["average", "average", "exact"]
    assert all(study.solver == "highs" and len(study.maximize) == 1 for study in studies)


def test_keywords_are_read_like_a_file(studies: list[Any]):
    pliant.solve(model_of(MODEL), maximize=[{"body": "arm", "direction": ["1/2", 0]}], turn="3 deg")
    assert studies[0].maximize[0].direction == (0.5, 0)
    assert studies[0].turn == pytest.approx(3 * math.pi / 180)


def test_every_fault_of_the_keywords_is_listed_with_a_cure(studies: list[Any]):
    with pytest.raises(InputError) as caught:
        pliant.solve(model_of(MODEL), stepz=3, steps=0, solver="simplex")  # type: ignore[call-arg]
    assert [fault.where for fault in caught.value.faults] == ["stepz", "solver", "steps"]
    assert "stepz: is no keyword of solve (given 3). Did you mean 'steps'?" in str(caught.value)
    assert "steps: must be at least 1 (given 0)" in str(caught.value)
    assert studies == []


def test_a_body_that_a_keyword_names_must_be_in_the_model(studies: list[Any]):
    with pytest.raises(InputError, match=r"^maximize\[0\]\.body: 'amr' is not a body .* mean 'arm'"):
        pliant.solve(model_of(MODEL), maximize=[{"body": "amr", "spin": 1}])


def test_a_study_given_by_itself_is_checked_against_the_model_too(studies: list[Any]):
    with pytest.raises(InputError, match="'amr' is not a body"):
        pliant.solve(model_of(MODEL), FlexStudy.model_validate({"maximize": [{"body": "amr", "spin": 1}]}))


def test_progress_is_handed_on(monkeypatch: pytest.MonkeyPatch):
    seen: list[Any] = []
    module = types.ModuleType("pliant.flex.solve")
    module.solve = lambda model, study, progress: progress(1, 2, "x")  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "pliant.flex.solve", module)
    pliant.solve(model_of(MODEL), progress=lambda done, total, text: seen.append((done, total, text)))
    pliant.solve(model_of(MODEL))
    assert seen == [(1, 2, "x")]


# Linkages


FOUR_BAR = {
    "pliant": 1,
    "kind": "linkage",
    "ground": ["A", "D"],
    "joints": {"A": [0, 0], "B": [0, 1], "C": [3, 2], "D": [4, 0]},
    "links": [{"joints": ["A", "B"]}, {"joints": ["B", "C"]}, {"joints": ["C", "D"]}],
    "motors": [{"joint": "A", "drives": "B"}],
    "study": {
        "trace": ["C"],
        "samples": 36,
        "edit": {"samples": 24, "move": [{"joint": "C", "to": [3, 3]}]},
    },
}


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The studies that reach the methods of a linkage."""
    seen: list[Any] = []
    for name in ("solve", "editing.edit"):
        module = types.ModuleType(f"pliant.linkage.{name}")
        setattr(module, name.rpartition(".")[2], lambda model, study, progress: seen.append(study))
        monkeypatch.setitem(sys.modules, f"pliant.linkage.{name}", module)
    return seen


def test_a_linkage_is_traced_and_edited_by_the_studies_of_its_file(asked: list[Any]):
    model = model_of(FOUR_BAR)
    pliant.solve(model)
    pliant.edit(model)
    assert asked == [TraceStudy(trace=("C",), samples=36), model.study.edit]


def test_keywords_of_an_edit_go_over_its_table_and_never_over_the_traces(asked: list[Any]):
    model = model_of(FOUR_BAR)
    pliant.solve(model, samples=12, trace=["B"])
    pliant.edit(model, EditStudy(iterations=7), keep={"joints": ["B"]})
    pliant.edit(model_of({**FOUR_BAR, "study": {"samples": 36}}), move=[{"joint": "C", "to": [3, 3]}])
    traced, edited, bare = asked
    assert (traced.samples, traced.trace) == (12, ("B",))
    assert (edited.samples, edited.iterations, edited.keep.joints) == (24, 7, ("B",))
    assert edited.move == model.study.edit.move
    assert bare.samples == EditStudy().samples


def test_names_in_the_keywords_must_be_in_the_linkage(asked: list[Any]):
    model = model_of(FOUR_BAR)
    with pytest.raises(InputError) as caught:
        pliant.solve(model, trace=["Q"], tolerances={"A-C": 1}, sampels=3)
    assert [fault.where for fault in caught.value.faults] == ["sampels", "trace[0]", "tolerances.A-C"]
    assert "sampels: is no keyword of solve (given 3). Did you mean 'samples'?" in str(caught.value)
    with pytest.raises(InputError) as caught:
        pliant.edit(model, keep={"links": ["rod"], "lengths": [["A", "C"]]}, moves=3)
    assert [fault.where for fault in caught.value.faults] == ["moves", "keep.links[0]", "keep.lengths[0]"]
    assert "moves: is no keyword of edit (given 3). Did you mean 'move'?" in str(caught.value)
    assert asked == []


def test_a_study_of_another_kind_is_refused(asked: list[Any]):
    model = model_of(FOUR_BAR)
    with pytest.raises(InputError, match=r"study: is a FlexStudy, not a TraceStudy\. Give TraceStudy\(…\)"):
        pliant.solve(model, FlexStudy())  # type: ignore[call-overload]
    with pytest.raises(InputError, match="study: is a dict, not an EditStudy"):
        pliant.edit(model, {"samples": 9})  # type: ignore[arg-type]


def test_an_assembly_cannot_be_edited(asked: list[Any]):
    with pytest.raises(InputError, match='kind: is "assembly", which "edit" does not take'):
        pliant.edit(model_of(MODEL))  # type: ignore[arg-type]


# Fasteners


def test_a_fastener_is_solved_with_keywords_over_the_study_of_its_file(monkeypatch: pytest.MonkeyPatch):
    seen: list[Any] = []
    module = types.ModuleType("pliant.snap.solve")
    module.solve = lambda model, study, progress: seen.append(study)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "pliant.snap.solve", module)
    outline = [[0, 0], [1, 0], [0, 1]]
    model = model_of(
        {
            "pliant": 1,
            "kind": "fastener",
            "root": {"velocity": [0, -1]},
            "pawls": [{"name": "pawl", "hinge": [0, 9], "outline": outline, "stiffness": 1}],
            "obstacles": [{"outline": outline}],
            "study": {"frames": 60, "reverse": True},
        }
    )
    pliant.solve(model)
    pliant.solve(model, SnapStudy(frames=90), arithmetic="float")
    assert [(study.frames, study.reverse) for study in seen] == [(60, True), (90, True)]
    assert [study.arithmetic for study in seen] == ["exact", "float"]
    with pytest.raises(InputError, match=r"study: is a FlexStudy, not a SnapStudy"):
        pliant.solve(model, FlexStudy())  # type: ignore[call-overload]
