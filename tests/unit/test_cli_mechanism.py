"""The command line for mechanisms: relax, and what check and draw say of them."""

import json
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from pliant.cli import main
from pliant.cli.relax import METHODS
from pliant.core.errors import Fault
from pliant.core.motion import Motion
from pliant.files import schema
from pliant.files.sketches import drawn_with_faults
from pliant.relax.model import Mechanism
from pliant.relax.status import RelaxStatus

FOUR_BAR = """
pliant = 1
kind = "mechanism"
title = "A four-bar and its cylinder"
ground = ["a", "d"]
[nodes]
a = [0, 0]
b = [0, 2]
c = [4, 3]
d = [4, 0]
[[bars]]
nodes = ["a", "b"]
[[bars]]
nodes = ["b", "c"]
[[bars]]
nodes = ["c", "d"]
[[actuators]]
nodes = ["d", "b"]
to = 4
[study]
trace = ["c"]
frames = 5
"""


class StandIn:
    """A result as the method gives one."""

    alerts = ()

    def __init__(self, model: Mechanism, status: RelaxStatus = RelaxStatus.CONVERGED) -> None:
        self.status = status
        points = np.array(list(model.nodes.values()))[None].repeat(2, axis=0)
        points[1, -1] += 1
        names = tuple(model.nodes)
        self.motion = Motion("drive", "", np.arange(2.0), point_names=names, points=points)

    def plots(self) -> dict[str, Any]:
        return {}

    def summary(self) -> str:
        return f"The mechanism: {self.status}."

    def to_dict(self) -> dict[str, Any]:
        return {"kind": "mechanism", "status": self.status.name.lower(), "motion": self.motion.to_dict()}


Put = Callable[[Callable[..., StandIn]], None]


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> Put:
    """Puts a function in the place of relax.solve."""

    def put(answer: Callable[..., StandIn]) -> None:
        module = types.ModuleType("pliant.relax.solve")
        module.solve = answer  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "pliant.relax.solve", module)

    put(lambda model, study, progress: StandIn(model))
    return put


@pytest.fixture
def bar(tmp_path: Path) -> Path:
    path = tmp_path / "bar.toml"
    path.write_text(FOUR_BAR)
    return path


def run(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


# relax, as it is


OWN = {
    "nodes",
    "iterations",
    "residual",
    "length_error",
    "internal_load",
    "locked",
    "assembly_kept",
    "freedoms",
}
ALWAYS = {"kind", "command", "status", "message", "seconds", "version", "model", "motion"}


def test_a_four_bar_is_pushed_to_where_its_actuator_is_as_long_as_asked(bar: Path):
    result = run("relax", bar, "--json", "-")
    assert result.exit_code == 0, result.stderr
    data = json.loads(result.stdout)
    assert data.keys() >= OWN | ALWAYS
    assert (data["kind"], data["command"], data["status"]) == ("mechanism", "relax", "converged")
    assert (data["locked"], data["assembly_kept"]) == (False, True)
    x, y = data["nodes"]["b"]
    # |b − a| = 2 and |b − d| = 4 with d = (4, 0)
    assert x == pytest.approx(0.5)
    assert y == pytest.approx(np.sqrt(3.75))


def test_the_sentence_is_printed_first(bar: Path):
    result = run("relax", bar)
    assert result.exit_code == 0, result.stderr
    assert result.stdout.startswith("Comes to rest where asked")


def test_every_kind_of_output_is_written(bar: Path):
    paths = [bar.parent / f"out{suffix}" for suffix in (".png", ".svg", ".html", ".json")]
    result = run("relax", bar, *(word for path in paths for word in ("-o", path)))
    assert result.exit_code == 0, result.stderr
    assert all(f"wrote {path}" in result.stderr and path.stat().st_size for path in paths)
    assert run("draw", paths[-1], "-o", bar.parent / "again.png").exit_code == 0


def test_one_iteration_is_no_answer_and_exits_3(bar: Path):
    result = run("relax", bar, "--method", "sync", "--iterations", "1", "--json", "-")
    assert result.exit_code == 3, result.stderr
    assert json.loads(result.stdout)["status"] == "not_converged"


def test_a_lock_is_an_answer(bar: Path):
    bar.write_text(FOUR_BAR.replace("to = 4", "to = 40"))
    result = run("relax", bar, "--json", "-")
    assert result.exit_code == 0, result.stderr
    data = json.loads(result.stdout)
    assert (data["status"], data["locked"]) == ("locked", True)


# relax, up to the method


def test_flags_reach_the_study(bar: Path, stand_in: Put):
    seen: list[Any] = []
    stand_in(lambda model, study, progress: seen.append(study) or StandIn(model))
    words = "--method async --frames 7 --trace b,c --tolerance 1e-6 --iterations 99 --increments 50 --settle"
    more = "--alpha 2/5 --eta 0.9 --noise 0.01 --seed 3"
    result = run("relax", bar, *words.split(), *more.split())
    assert result.exit_code == 0, result.stderr
    (study,) = seen
    assert (study.method, study.frames, study.trace) == ("async", 7, ("b", "c"))
    assert (study.tolerance, study.iterations, study.increments, study.settle) == (1e-6, 99, 50, True)
    assert (study.alpha, study.eta, study.noise, study.seed) == (0.4, 0.9, 0.01, 3)


def test_the_files_study_is_the_default(bar: Path, stand_in: Put):
    seen: list[Any] = []
    stand_in(lambda model, study, progress: seen.append(study) or StandIn(model))
    assert run("relax", bar).exit_code == 0
    assert (seen[0].trace, seen[0].frames, seen[0].method) == (("c",), 5, "auto")


def test_the_choices_of_the_flags_are_those_of_the_study():
    assert tuple(schema("mechanism")["$defs"]["RelaxStudy"]["properties"]["method"]["enum"]) == METHODS


@pytest.mark.parametrize("status", RelaxStatus)
def test_the_exit_code_is_the_statuss(bar: Path, stand_in: Put, status: RelaxStatus):
    stand_in(lambda model, study, progress: StandIn(model, status))
    assert run("relax", bar).exit_code == status.exit_code


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--trace q", "--trace: 'q' is not a node of this model. There are: a, b, c, d\n"),
        ("--tolerance 0", '--tolerance: must be more than 0 (given "0")'),
        ("--alpha 2", '--alpha: must be less than 2 (given "2")'),
        ("--eta fast", "--eta: 'fast' is not a number"),
        ("--noise -1", '--noise: must be at least 0 (given "-1")'),
        ("--method newton", "'newton' is not one of"),
        ("--frames 0", "0 is not in the range"),
        ("--seed -1", "-1 is not in the range"),
        ("-o out.toml", "'out.toml' must end in one of .png"),
    ],
)
def test_bad_flags_exit_2_and_say_what_to_do(bar: Path, stand_in: Put, words: str, said: str):
    result = run("relax", bar, *words.split())
    assert result.exit_code == 2
    assert said in result.stderr
    assert "Traceback" not in result.stderr


def test_a_model_of_another_kind_is_sent_to_its_own_command(bar: Path, tmp_path: Path):
    result = run("trace", bar)
    assert result.exit_code == 2
    assert result.stderr.endswith('which "trace" does not take. Use "pliant relax", or give another model\n')
    other = tmp_path / "jansen.toml"
    assert run("examples", "jansen", "-o", other).exit_code == 0
    assert 'which "relax" does not take. Use "pliant trace"' in run("relax", other).stderr


# check and draw


def test_check_says_what_a_mechanism_holds(bar: Path):
    result = run("check", bar, "--json", "-")
    assert result.exit_code == 0, result.stderr
    assert json.loads(result.stdout)["holds"] == {
        "nodes": "4 in the plane, 2 of them on the ground",
        "ground": "a, d",
        "bars": "3",
        "actuators": "1",
        "drive": "actuator d-b to 4 mm",
        "trace": "c",
        "method": "auto",
    }
    assert f"{bar} is a sound mechanism." in run("check", bar).stdout


DRIVES = {
    '[[strings]]\nnodes = ["a", "c"]\nto = [4, 3]': "string a-c to 3 mm",
    '[[springs]]\nnodes = ["a", "c"]\nstiffness = 2\nto = 1': "spring a-c to 1 mm",
    '[[rotors]]\njoint = "a"\narms = ["d", "b"]\nto = "-30 deg"': "rotor at a turns b by -30°",
    '[[cylinders]]\nlines = [["a", "c"], ["b", "d"]]\nto = 2.5': "2.5 pumped into a-c, b-d",
    '[[loads]]\nnode = "c"\nforce = [0, 0]\nto = [0, -5]': "load on c to (0, -5)",
    '[[wraps]]\nnodes = ["b", "d"]\naround = [{ node = "c", radius = 0.5 }]\nto = 3': "wrap b-d to 3 mm",
}


@pytest.mark.parametrize("element", DRIVES)
def test_check_tells_each_drive(bar: Path, element: str):
    bar.write_text(FOUR_BAR.replace("[study]", f"{element}\n[study]"))
    holds = json.loads(run("check", bar, "--json", "-").stdout)["holds"]
    assert DRIVES[element] in holds["drive"].split("; ")


def test_check_tells_what_floats_and_what_only_comes_to_rest(bar: Path):
    bar.write_text(FOUR_BAR.replace('ground = ["a", "d"]\n', "").replace("[[actuators]]", "[[bars]]"))
    bar.write_text(bar.read_text().replace("to = 4\n", ""))
    holds = json.loads(run("check", bar, "--json", "-").stdout)["holds"]
    assert holds["ground"] == "none: it floats"
    assert holds["drive"] == "nothing: it comes to rest as it is"


def test_check_refuses_what_only_solve_would_notice(bar: Path):
    balls = "\n".join(f"n{k} = [{k}, 9]" for k in range(7000))
    members = ", ".join(f'["n{k}", "n{k}"]' for k in range(7000))
    contact = f"[[contacts]]\nradius = 0.1\nmembers = [{members}]\n"
    bar.write_text(
        FOUR_BAR.replace("[[bars]]", f"{balls}\n[[bars]]", 1).replace("[study]", f"{contact}[study]")
    )
    result = run("check", bar)
    assert result.exit_code == 2
    assert f"{bar}: contacts[0]: its members make 24,496,500 pairs" in result.stderr


@pytest.mark.parametrize("space", [False, True])
def test_check_and_draw_show_mechanisms_with_and_without_faults(bar: Path, space: bool):
    text = FOUR_BAR
    if space:
        for x, y in ((0, 0), (0, 2), (4, 3), (4, 0)):
            text = text.replace(f"[{x}, {y}]", f"[{x}, {y}, {y}]")
    bar.write_text(text)
    picture = bar.with_suffix(".png")
    for words in (("check", bar, "--draw"), ("draw", bar, "-o")):
        assert run(*words, picture).exit_code == 0
        assert picture.read_bytes().startswith(b"\x89PNG")
        picture.unlink()
    bar.write_text(text.replace('"d", "b"', '"d", "a"'))
    assert run("check", bar, "--draw", picture).exit_code == 2
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_faults_are_written_beside_the_nodes_they_name():
    data = {
        "kind": "mechanism",
        "nodes": {"a": [0, 0], "b": ["1/2", 1], "c": "nowhere", "q": [5, 5]},
        "bars": [{"nodes": ["a", "b"]}, {"nodes": ["b", "c", 3]}, "bar"],
        "plates": [{"nodes": ["a", "b", "q"]}],
    }
    faults = [
        Fault("nodes.q", "'q' is not used", "Join it"),
        Fault("bars[0].nodes", "are at odds (given 3)", names=("b", "a")),
        Fault("nodes.c", '"nowhere" is no place'),
    ]
    marks = drawn_with_faults(data, faults).marks
    labels = {mark.text: mark.group for mark in marks if mark.kind == "label"}
    assert labels == {"a: are at odds": "fault", "b": "outline", "q: is not used": "fault"}
    segments = [(mark.group, mark.points.tolist()) for mark in marks if mark.kind == "segment"]
    a, b, q = [0, 0], [0.5, 1], [5, 5]
    assert segments == [("fault", [a, b]), *(("outline", side) for side in ([a, b], [b, q], [q, a]))]


def test_check_prints_the_schema():
    assert json.loads(run("check", "--schema", "mechanism").stdout) == schema("mechanism")


def test_the_main_help_names_the_command():
    assert '"pliant relax"' in " ".join(run("--help").stdout.split())
