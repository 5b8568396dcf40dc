"""The command line for linkages: trace, edit, and what check, draw and demo say of them."""

import json
import os
import signal
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

import pliant
from pliant.cli import main
from pliant.cli.trace import BRANCHES
from pliant.core.motion import Motion
from pliant.core.progress import Interrupted
from pliant.files import load, schema
from pliant.files.sketches import drawn_with_faults
from pliant.linkage.model import Linkage
from pliant.linkage.status import EditStatus, TraceStatus

FOUR_BAR = """
pliant = 1
kind = "linkage"
title = "A four-bar"
ground = ["A", "D"]
[joints]
A = [0, 0]
B = [0, 1]
C = [3, 2]
D = [4, 0]
P = [2, 3]
[[links]]
joints = ["A", "B"]
[[links]]
joints = ["B", "C", "P"]
[[links]]
joints = ["C", "D"]
[[motors]]
joint = "A"
drives = "B"
[study]
trace = ["P"]
samples = 36
"""
EDITS = """
pliant = 1
kind = "edits"
move = [{ joint = "P", to = [2, 4] }]
"""


class StandIn(pliant.Result):
    """A result as both methods give one."""

    def __init__(self, model: Linkage, study: Any, status: Any = TraceStatus.RUNS, frames: int = 3) -> None:
        self.model, self.study, self.status = model, study, status
        points = np.array(list(model.joints.values()))[None].repeat(frames, axis=0)
        points[:, -1] += np.arange(frames)[:, None]
        self.motion = Motion(
            "motor angle",
            "deg",
            np.arange(float(frames)),
            point_names=tuple(model.joints),
            points=points,
            strokes=np.array([[0, 1]]),
        )

    def plots(self) -> dict[str, Any]:
        return {}

    def summary(self) -> str:
        return f"The linkage: {self.status}.\n  samples  {self.motion.frames}"

    def to_dict(self) -> dict[str, Any]:
        return {
            "kind": "linkage",
            "seconds": {"total": 0.25},
            "status": self.status.name.lower(),
            "motion": self.motion.to_dict(),
        }


Put = Callable[[Callable[..., StandIn]], None]


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> Put:
    """Puts a function in the place of both linkage.solve and linkage.edit."""

    def put(answer: Callable[..., StandIn]) -> None:
        for name in ("solve", "editing.edit"):
            module = types.ModuleType(f"pliant.linkage.{name}")
            setattr(module, name.rpartition(".")[2], answer)
            monkeypatch.setitem(sys.modules, f"pliant.linkage.{name}", module)

    put(lambda model, study, progress: StandIn(model, study))
    return put


@pytest.fixture
def studies(stand_in: Put) -> list[Any]:
    """The studies that reach the method."""
    seen: list[Any] = []
    stand_in(lambda model, study, progress: seen.append(study) or StandIn(model, study))
    return seen


@pytest.fixture
def bar(tmp_path: Path) -> Path:
    path = tmp_path / "bar.toml"
    path.write_text(FOUR_BAR)
    return path


@pytest.fixture
def edits(tmp_path: Path) -> Path:
    path = tmp_path / "edits.toml"
    path.write_text(EDITS)
    return path


def run(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


# trace


def test_the_files_study_is_run_and_the_sentence_printed_first(bar: Path, studies: list[Any]):
    result = run("trace", bar)
    assert result.exit_code == 0, result.stderr
    assert result.stdout.startswith("The linkage: the motor runs all the way it was asked to.\n  samples")
    assert (studies[0].trace, studies[0].samples) == (("P",), 36)


def test_flags_reach_the_study(bar: Path, studies: list[Any]):
    words = "--frames 12 --trace P,C --branch smooth --deviation 1/10 --velocity --acceleration --jacobian"
    result = run("trace", bar, *words.split(), "--layers", "--width", "0.2")
    assert result.exit_code == 0, result.stderr
    (study,) = studies
    assert (study.samples, study.trace, study.branch) == (12, ("P", "C"), "smooth")
    assert (study.tolerance, study.width) == (0.1, 0.2)
    assert all((study.velocity, study.acceleration, study.jacobian, study.layers))


def test_the_choices_of_the_flags_are_those_of_the_study():
    assert tuple(schema("linkage")["$defs"]["LinkageStudy"]["properties"]["branch"]["enum"]) == BRANCHES


@pytest.mark.parametrize("status", TraceStatus)
def test_the_exit_code_is_the_statuss(bar: Path, stand_in: Put, status: TraceStatus):
    stand_in(lambda model, study, progress: StandIn(model, study, status))
    assert run("trace", bar).exit_code == status.exit_code


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--trace Q", "--trace: 'Q' is not a joint of this model. There are: A, B, C, D, P\n"),
        ("--deviation wide", "--deviation: 'wide' is not a number"),
        ("--deviation 0", '--deviation: must be more than 0 (given "0")'),
        ("--trace P,", "'P,' holds an empty name; write A,B"),
        ("--frames 1", "1 is not in the range"),
        ("--branch left", "'left' is not one of"),
        ("-o out.toml", "'out.toml' must end in one of .png"),
    ],
)
def test_bad_flags_exit_2_and_say_what_to_do(bar: Path, stand_in: Put, words: str, said: str):
    result = run("trace", bar, *words.split())
    assert result.exit_code == 2
    assert said in result.stderr
    assert "Traceback" not in result.stderr


def test_json_on_stdout_is_nothing_but_json(bar: Path, stand_in: Put):
    assert json.loads(run("trace", bar, "--json", "-").stdout)["motion"]["point_names"] == [*"ABCDP"]


def test_ctrl_c_keeps_what_is_done(bar: Path, stand_in: Put):
    def solve(model: Any, study: Any, progress: Any) -> StandIn:
        try:
            os.kill(os.getpid(), signal.SIGINT)
            progress(1, 9, "pose")
        except KeyboardInterrupt:
            raise Interrupted(StandIn(model, study, frames=2)) from None
        raise AssertionError("the progress callback did not stop the work")

    stand_in(solve)
    result = run("trace", bar, "-o", bar.parent / "out.json")
    assert result.exit_code == 130
    assert len(json.loads((bar.parent / "out.json").read_text())["motion"]["points"]) == 2


@pytest.mark.parametrize(
    ("command", "kind", "cure"),
    [("trace", "arm", "flex"), ("edit", "arm", "flex"), ("flex", "jansen", "trace")],
)
def test_a_model_of_another_kind_is_sent_to_its_own_command(
    tmp_path: Path, command: str, kind: str, cure: str
):
    path = tmp_path / "model.toml"
    assert run("examples", kind, "-o", path).exit_code == 0
    result = run(command, path)
    assert result.exit_code == 2
    assert result.stderr.startswith(f'{path}: kind: is "')
    assert f'which "{command}" does not take. Use "pliant {cure}"' in result.stderr


# edit


def test_an_edit_writes_the_new_linkage_the_result_and_the_motion(bar: Path, edits: Path, stand_in: Put):
    def reshape(model: Any, study: Any, progress: Any) -> StandIn:
        moved = model.model_copy(update={"joints": {**model.joints, "P": study.move[0].to}})
        return StandIn(moved, study, EditStatus.REACHED)

    stand_in(reshape)
    paths = [bar.parent / name for name in ("new.toml", "new.json", "new.html", "new.svg")]
    result = run("edit", bar, "--edits", edits, *(word for path in paths for word in ("-o", path)))
    assert result.exit_code == 0, result.stderr
    assert result.stdout.startswith("The linkage: every target is reached.")
    assert load(paths[0]).joints["P"] == (2, 4)
    assert json.loads(paths[1].read_text())["status"] == "reached"
    assert all(f"wrote {path}" in result.stderr and path.stat().st_size for path in paths)


def test_moves_go_beside_those_of_the_file_of_edits(bar: Path, edits: Path, studies: list[Any]):
    result = run("edit", bar, "--edits", edits, "--move", "C=7/2,2", "--move", "B=0,-1")
    assert result.exit_code == 0, result.stderr
    moves = [(move.joint, move.to) for move in studies[0].move]
    assert moves == [("P", (2, 4)), ("C", (3.5, 2)), ("B", (0, -1))]


def test_the_files_own_edit_is_the_default(bar: Path, studies: list[Any]):
    bar.write_text(FOUR_BAR + '[study.edit]\nsamples = 20\nmove = [{ joint = "P", to = [2, 5] }]\n')
    assert run("edit", bar).exit_code == 0
    assert run("edit", bar, "--move", "C=3,3").exit_code == 0
    assert [(study.samples, len(study.move)) for study in studies] == [(20, 1), (20, 2)]


def test_an_edit_of_nothing_is_refused(bar: Path, stand_in: Put):
    result = run("edit", bar)
    assert result.exit_code == 2
    assert result.stderr == (
        f"{bar}: study.edit: is missing: what shall change. "
        "Add [study.edit], or use --edits FILE or --move JOINT=X,Y\n"
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--move Q=1,2", "--move: 'Q' is not a joint of this model"),
        ("--move P=1", "'1' is not two numbers; write 1,0"),
        ("--move 1,2", "'1,2' names no joint and place; write P=3,4"),
        ("--move P=a,b", "--move: 'a' is not a number"),
        ("--edits none.toml", "none.toml: there is no such file"),
    ],
)
def test_bad_edits_exit_2_and_say_what_to_do(bar: Path, stand_in: Put, words: str, said: str):
    result = run("edit", bar, *words.split())
    assert result.exit_code == 2
    assert said in result.stderr


def test_a_fault_of_the_edits_is_placed_in_their_file(bar: Path, edits: Path, stand_in: Put):
    edits.write_text(EDITS.replace('"P"', '"Q"'))
    result = run("edit", bar, "--edits", edits)
    assert result.exit_code == 2
    assert result.stderr.startswith(f"{edits}: move[0].joint: 'Q' is not a joint of this model.")


def test_neither_the_model_nor_the_edits_are_written_over(bar: Path, edits: Path, stand_in: Put):
    assert "is the model itself" in run("edit", bar, "--edits", edits, "-o", bar).stderr
    assert "is the file of edits itself" in run("edit", bar, "--edits", edits, "-o", edits).stderr
    assert bar.read_text() == FOUR_BAR
    assert edits.read_text() == EDITS


# check and draw


def test_check_says_what_a_linkage_holds(bar: Path):
    result = run("check", bar, "--json", "-")
    assert result.exit_code == 0, result.stderr
    assert json.loads(result.stdout)["holds"] == {
        "joints": "5, 2 of them on the ground",
        "links": "3",
        "ground": "A, D",
        "motors": "A turns B",
        "mobility": "1",
        "order": "B by the motor at A; C by its distances from B, D; P on the link of B, C",
        "trace": "P",
    }
    assert f"{bar} is a sound linkage." in run("check", bar).stdout


def test_check_tells_sliders_loads_and_joints_found_together(tmp_path: Path):
    for name, said in {
        "slider-crank": ("sliders   1", "loads     1", "S along its line, from B"),
        "six-bar-coupled": ("C, D, E by equations together",),
        "ellipse-trammel": ("1, though Grübler counts 0",),
    }.items():
        run("examples", name, "-o", tmp_path / "model.toml")
        out = run("check", tmp_path / "model.toml").stdout
        assert all(line in out for line in said), out


def test_check_refuses_what_only_solve_would_notice(bar: Path):
    bar.write_text(FOUR_BAR.replace('[[links]]\njoints = ["C", "D"]\n', "").replace('"A", "D"', '"A"', 1))
    bar.write_text(bar.read_text().replace("D = [4, 0]\n", ""))
    result = run("check", bar)
    assert result.exit_code == 2
    assert result.stderr.startswith(f"{bar}: ")
    assert "left when the motors are held" in result.stderr


def test_check_draws_linkages_with_and_without_faults(bar: Path):
    picture = bar.with_suffix(".png")
    assert run("check", bar, "--draw", picture).exit_code == 0
    assert picture.read_bytes().startswith(b"\x89PNG")
    picture.unlink()
    bar.write_text(FOUR_BAR.replace('drives = "B"', 'drives = "D"'))
    assert run("check", bar, "--draw", picture).exit_code == 2
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_faults_are_written_beside_the_joints_they_name(bar: Path):
    data = {
        "kind": "linkage",
        "joints": {"A": [0, 0], "B": ["1/2", 1], "C": "nowhere", "Q": [5, 5]},
        "links": [{"joints": ["A", "B"]}, {"joints": ["B", "C", 3]}, "link"],
    }
    from pliant.core.errors import Fault

    faults = [
        Fault("joints.Q", "'Q' is in no link", "Add it"),
        Fault("links[0].joints", "are at odds (given 3)", names=("B", "A")),
        Fault("joints.C", '"nowhere" is no place'),
    ]
    marks = drawn_with_faults(data, faults).marks
    labels = {mark.text: mark.group for mark in marks if mark.kind == "label"}
    assert labels == {"A: are at odds": "fault", "B": "outline", "Q: is in no link": "fault"}
    (segment,) = [mark for mark in marks if mark.kind == "segment"]
    assert segment.points.tolist() == [[0, 0], [0.5, 1]]
    assert segment.group == "fault"


def test_draw_takes_linkages_and_their_results(bar: Path, stand_in: Put):
    out = bar.parent / "out.png"
    run("trace", bar, "--json", bar.parent / "result.json")
    for name in ("bar.toml", "result.json"):
        assert run("draw", bar.parent / name, "-o", out).exit_code == 0
        assert out.read_bytes().startswith(b"\x89PNG")
        out.unlink()


def test_check_prints_the_schema():
    assert json.loads(run("check", "--schema", "linkage").stdout) == schema("linkage")


# demo and examples


def test_demo_takes_both_kinds_and_edits_what_asks_for_it(
    tmp_path: Path, stand_in: Put, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(
        "pliant.view.animation.animate", lambda motion, path, **how: path.write_bytes(b"GIF89a")
    )
    asked: list[str] = []

    def answer(model: Any, study: Any, progress: Any) -> StandIn:
        asked.append(type(study).__name__)
        return StandIn(model, study)

    stand_in(answer)
    result = run("demo", "hoeken", "jansen-stretched", "square-peg", "--jobs", 1, "-o", tmp_path)
    assert result.exit_code == 0, result.stderr
    assert asked == ["TraceStudy", "EditStudy"]
    page = (tmp_path / "index.html").read_text()
    assert "3 examples, 12 parts" in page
    assert "The linkage: the motor runs" in page
    assert (tmp_path / "hoeken.html").exists()


@pytest.mark.parametrize("command", ["trace", "edit"])
def test_the_commands_explain_themselves(command: str):
    result = run(command, "--help")
    assert result.exit_code == 0
    assert "--quiet" in result.stdout
    assert (".toml" in result.stdout) == (command == "edit")
