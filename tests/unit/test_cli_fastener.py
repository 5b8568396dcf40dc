"""The command line for fasteners: snap, and what check and draw say of them."""

import json
import sys
import types
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from pliant.cli import main
from pliant.cli.snap import ARITHMETICS
from pliant.core.errors import Fault
from pliant.core.motion import Motion
from pliant.files import schema
from pliant.files.sketches import drawn_with_faults
from pliant.snap.status import SnapStatus

HOOKS = """
pliant = 1
kind = "fastener"
title = "Two hooks"
friction = 0.3
[shapes]
T = [[-1, -12], [1, -12], [1, 0], [3, 0], [3, 1], [-3, 1], [-3, 0], [-1, 0]]
[root]
velocity = [0, -1]
outline = [[-5, 9], [5, 9], [5, 10], [-5, 10]]
[[pawls]]
name = "left"
hinge = [-4, 9]
outline = [["-1/2", 0], ["-1/2", -8], [0, -8], [2, -5], ["1/2", "-9/2"], ["1/2", 0]]
stiffness = 100
[[pawls]]
name = "right"
hinge = [4, 9]
outline = [["1/2", 0], ["1/2", -8], [0, -8], [-2, -5], ["-1/2", "-9/2"], ["-1/2", 0]]
stiffness = 100
[[obstacles]]
name = "T"
shape = "T"
[study]
reverse = true
frames = 20
"""
LOCKED = (
    "Goes in with 112.8 N, until the root sits on T after 8 mm; does not come out: friction locks the left "
    "pawl 3.67 mm into the way back (it would come out below μ = 0.5897)."
)


class StandIn:
    """A result as the method gives one."""

    alerts = ()

    def __init__(self, status: SnapStatus = SnapStatus.THROUGH) -> None:
        self.status = status
        self.motion = Motion("travel", "mm", np.arange(2.0), point_names=("p",), points=np.zeros((2, 1, 2)))

    def plots(self) -> dict[str, Any]:
        return {}

    def summary(self) -> str:
        return f"The fastener: {self.status}."

    def to_dict(self) -> dict[str, Any]:
        return {"kind": "fastener", "status": self.status.name.lower(), "motion": self.motion.to_dict()}


Put = Callable[[Callable[..., StandIn]], None]


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> Put:
    """Puts a function in the place of snap.solve."""

    def put(answer: Callable[..., StandIn]) -> None:
        module = types.ModuleType("pliant.snap.solve")
        module.solve = answer  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "pliant.snap.solve", module)

    put(lambda model, study, progress: StandIn())
    return put


@pytest.fixture
def hooks(tmp_path: Path) -> Path:
    path = tmp_path / "hooks.toml"
    path.write_text(HOOKS)
    return path


def run(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


# snap, as it is


def test_the_sentence_says_what_locks_and_from_which_friction_on(hooks: Path):
    result = run("snap", hooks, "--friction", "3/5")
    assert result.exit_code == 0, result.stderr
    assert result.stdout.splitlines()[0] == LOCKED


ALWAYS = {"kind", "command", "status", "message", "seconds", "version", "model", "motion"}
OWN = {"arithmetic", "events", "end", "force", "peak_force", "work", "lock_friction", "back", "diode"}


def test_json_has_the_keys_of_the_design(hooks: Path):
    result = run("snap", hooks, "--friction", "0", "--classify", "--directions", "4", "--json", "-")
    assert result.exit_code == 0, result.stderr
    data = json.loads(result.stdout)
    assert data.keys() >= ALWAYS | OWN
    assert (data["kind"], data["command"], data["status"]) == ("fastener", "snap", "seated")
    first = data["events"][0]
    assert first.keys() >= {"t", "t_exact", "travel", "kind", "pawl", "angle", "contact"}
    assert (first["t"], first["t_exact"], first["kind"], first["pawl"]) == (1.5, "3/2", "contact", "left")
    assert data["end"].keys() >= {"t", "cause", "angles"}
    assert (data["end"]["t"], data["end"]["t_exact"], data["end"]["pawl"]) == (8, "8", "root")
    assert data["force"].keys() >= {"t", "insertion", "pawls", "torque"}
    assert len(data["force"]["t"]) == len(data["force"]["insertion"]) == len(data["force"]["pawls"]["left"])
    assert data["peak_force"] == pytest.approx(8.947, abs=1e-3)
    assert data["back"]["peak_force"] == pytest.approx(9.691, abs=1e-3)
    assert data["diode"].keys() >= {"motion", "cause"}
    assert (data["strain"], data["handbook"], data["peak_certified"]) == ({}, {}, None)


def test_a_friction_that_locks_is_an_answer(hooks: Path):
    result = run("snap", hooks, "--friction", "0.7", "--json", "-")
    assert result.exit_code == 0, result.stderr
    data = json.loads(result.stdout)
    assert (data["status"], data["peak_force"]) == ("stuck", None)
    assert data["lock_friction_exact"] == "11/16"


def test_digits_are_proved_as_many_as_asked(hooks: Path):
    line = next(line for line in run("snap", hooks, "--digits", "30").stdout.splitlines() if "proved" in line)
    value, radius = line.split()[1], float(line.split()[3])
    assert len(value.replace(".", "")) >= 30
    assert value.startswith("20.67124389852954")
    assert radius < 1e-27


def test_starts_that_are_not_known_are_told_band_by_band(hooks: Path):
    words = ("--region", "-1,0", "--region", "1,0", "--arithmetic", "float", "--json", "-")
    result = run("snap", hooks, *words)
    assert result.exit_code == 0, result.stderr
    bands = json.loads(result.stdout)["outcomes"]["bands"]
    assert (bands[0]["low"], bands[-1]["high"]) == (-1, 1)
    assert [band["high"] for band in bands[:-1]] == [band["low"] for band in bands[1:]]


def test_every_kind_of_output_is_written(hooks: Path):
    paths = [hooks.parent / f"out{suffix}" for suffix in (".png", ".svg", ".html", ".json")]
    result = run("snap", hooks, *(word for path in paths for word in ("-o", path)))
    assert result.exit_code == 0, result.stderr
    assert all(f"wrote {path}" in result.stderr and path.stat().st_size for path in paths)
    assert run("draw", paths[-1], "--filmstrip", "-o", hooks.parent / "again.png").exit_code == 0


# snap, up to the method


def test_flags_reach_the_study_and_the_model(hooks: Path, stand_in: Put):
    seen: list[Any] = []
    stand_in(lambda model, study, progress: seen.append((model, study)) or StandIn())
    variable = '[[variables]]\nname = "mu"\nwhat = "friction"\nrange = [0, 1]\n'
    hooks.write_text(HOOKS.replace("[study]", f"{variable}[study]"))
    asked = "--classify --uncertain --stability --search --friction 1/7 --arithmetic exact --directions 12"
    more = (
        "--region -2,0 --region 2,1/3 --radius 1/2 --insert-below 20 --hold-above 30 --frames 7 --about 1,2"
    )
    result = run(
        "snap", hooks, *asked.split(), *more.split(), "--spread", "20 deg", "--digits", "9", "--reverse"
    )
    assert result.exit_code == 0, result.stderr
    ((model, study),) = seen
    assert model.friction == Fraction(1, 7)
    assert (study.reverse, study.classify, study.uncertain, study.stability, study.search) == (True,) * 5
    assert (study.arithmetic, study.directions, study.frames, study.digits) == ("exact", 12, 7, 9)
    assert study.region == ((-2, 0), (2, Fraction(1, 3)))
    assert (study.radius, study.about) == (Fraction(1, 2), (1, 2))
    assert (study.goal.insert_below, study.goal.hold_above) == (20, 30)
    assert study.spread.asked == pytest.approx(np.radians(20))


@pytest.mark.parametrize(
    ("words", "asked"),
    [
        ("--directions 12", "classify"),
        ("--spread 0.1", "classify"),
        ("--region 1,0", "uncertain"),
        ("--radius 1", "uncertain"),
    ],
)
def test_a_flag_that_says_how_asks_for_it(hooks: Path, stand_in: Put, words: str, asked: str):
    seen: list[Any] = []
    stand_in(lambda model, study, progress: seen.append(study) or StandIn())
    assert run("snap", hooks, *words.split()).exit_code == 0
    wanted = {key for key in ("classify", "uncertain", "stability", "search") if getattr(seen[0], key)}
    assert wanted == {asked}


def test_the_files_study_and_friction_are_the_defaults(hooks: Path, stand_in: Put):
    seen: list[Any] = []
    stand_in(lambda model, study, progress: seen.append((model, study)) or StandIn())
    assert run("snap", hooks).exit_code == 0
    ((model, study),) = seen
    assert (model.friction, study.reverse, study.frames) == (Fraction(3, 10), True, 20)


def test_the_choices_of_the_flags_are_those_of_the_study():
    assert tuple(schema("fastener")["$defs"]["SnapStudy"]["properties"]["arithmetic"]["enum"]) == ARITHMETICS


@pytest.mark.parametrize("status", SnapStatus)
def test_the_exit_code_is_the_statuss(hooks: Path, stand_in: Put, status: SnapStatus):
    stand_in(lambda model, study, progress: StandIn(status))
    assert run("snap", hooks).exit_code == status.exit_code


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--friction -1", '--friction: must be at least 0 (given "-1")'),
        ("--friction fast", "--friction: 'fast' is not a number"),
        ("--about a,0", "--about: 'a' is not a number"),
        ("--about 1", "'1' is not two numbers; write 1,0"),
        ("--radius -1", '--radius: must be at least 0 (given "-1")'),
        ("--spread 4", "--spread: 4 rad is half a turn or more"),
        ("--region x,0", "--region: 'x' is not a number"),
        ("--insert-below 0", '--insert-below: must be more than 0 (given "0")'),
        ("--hold-above much", "--hold-above: 'much' is not a number"),
        ("--uncertain", "--uncertain: has no region of starts. Give region = "),
        ("--search", "--search: has nothing to vary. Add [[variables]]"),
        ("--search", "--search: has no goal. Give goal = "),
        ("--digits 9 --arithmetic float", "--digits: are proved from exact events only"),
        ("--arithmetic rational", "'rational' is not one of"),
        ("--directions 3", "3 is not in the range"),
        ("--digits 0", "0 is not in the range"),
        ("--frames 1", "1 is not in the range"),
        ("-o out.toml", "'out.toml' must end in one of .png"),
    ],
)
def test_bad_flags_exit_2_and_say_what_to_do(hooks: Path, words: str, said: str):
    result = run("snap", hooks, *words.split())
    assert result.exit_code == 2
    assert said in result.stderr
    assert "Traceback" not in result.stderr


def test_what_the_files_study_lacks_is_said_where_it_is(hooks: Path):
    hooks.write_text(f"{HOOKS}uncertain = true\n")
    result = run("snap", hooks)
    assert result.exit_code == 2
    assert result.stderr.startswith(f"{hooks}: study.uncertain: has no region of starts")


def test_an_overlap_at_the_start_is_refused_with_its_depth(hooks: Path):
    hooks.write_text(HOOKS.replace("hinge = [-4, 9]", "hinge = [-4, 7]"))
    result = run("snap", hooks)
    assert result.exit_code == 2
    assert result.stderr.startswith(f"{hooks}: pawls[0]: 'left' overlaps 'T' at the start, by ")


def test_a_model_of_another_kind_is_sent_to_its_own_command(hooks: Path, tmp_path: Path):
    result = run("relax", hooks)
    assert result.exit_code == 2
    assert result.stderr.endswith('which "relax" does not take. Use "pliant snap", or give another model\n')
    other = tmp_path / "jansen.toml"
    assert run("examples", "jansen", "-o", other).exit_code == 0
    assert 'which "snap" does not take. Use "pliant trace"' in run("snap", other).stderr


# check and draw


def test_check_says_what_a_fastener_holds(hooks: Path):
    result = run("check", hooks, "--json", "-")
    assert result.exit_code == 0, result.stderr
    assert json.loads(result.stdout)["holds"] == {
        "pawls": "left at (-4, 9), 100 N·mm/rad; right at (4, 9), 100 N·mm/rad",
        "obstacles": "1, 8 vertices in all",
        "root": "4 vertices",
        "plan": "(0, -1) for t = 30, when it is past everything",
        "friction": "0.3",
        "study": "reverse",
    }
    assert f"{hooks} is a sound fastener." in run("check", hooks).stdout


def test_check_tells_beams_variables_and_what_is_worth_a_note(hooks: Path):
    beam = 'beam = { length = 10, thickness = 1, width = 6, material = "POM" }'
    text = HOOKS.replace("stiffness = 100", beam, 1).replace('["-1/2", 0]', '["-1/2", 1]')
    text = text.replace("velocity = [0, -1]", "velocity = [0, -1]\nuntil = 5").replace("reverse = true", "")
    variable = '[[variables]]\nname = "mu"\nwhat = "friction"\nrange = [0, 1]\n'
    hooks.write_text(text.replace("[study]", f"{variable}[study]"))
    holds = json.loads(run("check", hooks, "--json", "-").stdout)["holds"]
    assert holds["pawls"].startswith("left at (-4, 9), 315 N·mm/rad, a beam of POM; right")
    assert (holds["plan"], holds["variables"]) == ("(0, -1) for t = 5", "mu")
    assert holds["study"] == "the way in"
    assert holds["note 1"].startswith("The beam of 'left' is said to be 10 mm long, and its nose is")
    assert holds["note 2"].startswith("'left' and 'root' overlap as drawn")
    assert holds["note 3"].startswith("'right' and 'root' overlap as drawn")


def test_check_refuses_what_only_solve_would_notice(hooks: Path):
    hooks.write_text(HOOKS.replace("hinge = [-4, 9]", "hinge = [-4, 7]"))
    result = run("check", hooks)
    assert result.exit_code == 2
    assert f"{hooks}: pawls[0]: 'left' overlaps 'T' at the start" in result.stderr


def test_check_and_draw_show_fasteners_with_and_without_faults(hooks: Path):
    picture = hooks.with_suffix(".png")
    for words in (("check", hooks, "--draw"), ("draw", hooks, "-o")):
        assert run(*words, picture).exit_code == 0
        assert picture.read_bytes().startswith(b"\x89PNG")
        picture.unlink()
    hooks.write_text(HOOKS.replace("[2, -5]", '["-1/2", -3]'))
    assert run("check", hooks, "--draw", picture).exit_code == 2
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_a_fastener_is_drawn_at_rest_with_its_plan(hooks: Path):
    hooks.write_text(HOOKS.replace('name = "left"', 'name = "left"\nrest = "1/3 u"'))
    picture = hooks.with_suffix(".json")
    assert run("draw", hooks, "-o", picture).exit_code == 0
    motion = Motion.load(picture)
    assert (motion.bodies, motion.fixed.tolist()) == (("T", "root", "left", "right"), [True, *[False] * 3])
    np.testing.assert_allclose(motion.poses[0, 2], [-4, 9, 2 * np.arctan(1 / 3)])
    (plan,) = (mark.points.tolist() for mark in motion.marks if mark.group == "plan")
    assert plan == [[-4, 9], [-4, -21]]
    assert len([mark for mark in motion.marks if mark.group == "hinge"]) == 2


def test_faults_are_written_on_the_parts_they_are_in():
    data = {
        "kind": "fastener",
        "shapes": {"wall": [[0, 0], [1, 0], [1, 5]]},
        "root": {"outline": [[0, 9], [1, 9], [1, 10]]},
        "pawls": [
            {"name": "hook", "hinge": [2, "1/2"], "rest": "90 deg", "outline": [[0, 0], [1, 0], [0, 1]]},
            {"name": "lost", "hinge": "nowhere", "rest": "much", "outline": [[5, 5], [6, 5], [5, 6]]},
        ],
        "obstacles": [{"shape": "wall", "at": [10, 0]}, "nothing", {"shape": "none"}],
    }
    faults = [
        Fault("pawls[0].outline", "edges 1 and 2 cross (given 3)"),
        Fault("shapes.wall", "is too thin; it is"),
    ]
    marks = drawn_with_faults(data, faults).marks
    labels = {mark.text for mark in marks if mark.kind == "label"}
    assert labels == {"hook: edges 1 and 2 cross", ": is too thin", "0", "1", "2"}
    segments = {(mark.group, *np.round(mark.points, 9).ravel()) for mark in marks if mark.kind == "segment"}
    assert ("outline", 0, 9, 1, 9) in segments
    assert ("fault", 2, 0.5, 2, 1.5) in segments  # the hook, turned by a right angle
    assert ("outline", 5, 5, 6, 5) in segments  # where nothing says where it is, at the origin
    assert ("fault", 10, 0, 11, 0) in segments


def test_check_prints_the_schema():
    assert json.loads(run("check", "--schema", "fastener").stdout) == schema("fastener")


def test_the_main_help_names_the_command():
    assert '"pliant snap"' in " ".join(run("--help").stdout.split())


def test_the_demo_lays_out_a_fastener_and_counts_its_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(
        "pliant.view.animation.animate", lambda motion, path, **how: path.write_bytes(b"GIF89a")
    )
    result = run("demo", "two-hooks", "-o", tmp_path)
    assert result.exit_code == 0, result.stderr
    page = (tmp_path / "index.html").read_text()
    assert "1 example, 4 parts" in page
    assert 'class="badge sound">seated<' in page


LACKING = {
    "uncertain = true": "study.uncertain: has no region of starts",
    "search = true": "study.search: has no goal",
    "search = true\ngoal = { insert_below = 9 }": "study.search: has nothing to vary",
}


@pytest.mark.parametrize("asked", LACKING)
def test_check_refuses_a_study_that_says_too_little_as_snap_does(tmp_path: Path, asked: str):
    path = tmp_path / "hooks.toml"
    path.write_text(HOOKS + asked + "\n")
    checked, solved = (CliRunner().invoke(main, [command, str(path)]) for command in ("check", "snap"))
    assert checked.exit_code == solved.exit_code == 2
    assert f"{path}: {LACKING[asked]}" in checked.stderr
    assert f"{path}: {LACKING[asked]}" in solved.stderr


def test_a_files_digits_are_taken_by_check_and_snap_alike_where_floats_decide(hooks: Path):
    hooks.write_text(f'{HOOKS}digits = 9\narithmetic = "float"\n')
    assert run("check", hooks).exit_code == run("snap", hooks, "--quiet").exit_code == 0


def test_a_chart_is_drawn_and_tabled_by_its_name(hooks: Path):
    picture, table = hooks.with_name("force.png"), hooks.with_name("force.csv")
    assert run("snap", hooks, "--plot", "force", "-o", picture, "-o", table).exit_code == 0
    assert picture.read_bytes().startswith(b"\x89PNG")
    columns = zip(*(line.split(",") for line in table.read_text().splitlines()[1:]), strict=True)
    forces = [float(value) for value in list(columns)[-1] if value]
    assert max(forces) > 0
    refused = run("snap", hooks, "--plot", "forse", "-o", picture)
    assert refused.exit_code == 2
    assert "--plot: there is no chart 'forse'. Did you mean 'force'?" in refused.stderr


@pytest.mark.slow
def test_a_table_is_written_as_parquet_with_the_columns_of_the_csv(hooks: Path):
    parquet = pytest.importorskip("pyarrow.parquet")
    table, same = hooks.with_name("motion.parquet"), hooks.with_name("motion.csv")
    assert run("snap", hooks, "-o", table, "-o", same).exit_code == 0
    read = parquet.read_table(table)
    assert ",".join(read.column_names) == same.read_text().splitlines()[0]
    assert read.num_rows == len(same.read_text().splitlines()) - 1
