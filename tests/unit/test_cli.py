import json
import os
import re
import signal
import subprocess
import sys
import time
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

import pliant
from pliant.cli import main
from pliant.cli.demo_report import Entry
from pliant.cli.flex import CORNERS, SOLVERS
from pliant.cli.watch import Watch
from pliant.core.motion import Motion, Shape
from pliant.core.plot import Plot, Series
from pliant.core.progress import Interrupted
from pliant.files import load, schema
from pliant.flex.status import FlexStatus

HOOK = """
pliant = 1
kind = "assembly"
title = "A hook"
[[bodies]]
name = "base"
outline = [[0, 0], [10, 0], [10, 10], [0, 10]]
fixed = true
[[bodies]]
name = "arm"
outline = [[12, 0], [22, 0], [22, 10]]
[study]
maximize = [{ body = "arm", direction = [1, 0] }]
"""


class StandIn(pliant.Result):
    """A result as every method gives one."""

    def __init__(self, study: Any, status: FlexStatus = FlexStatus.CONVERGED, frames: int = 3) -> None:
        self.status = status
        self.study = study
        poses = np.zeros((frames, 2, 3))
        poses[:, 1, 0] = np.arange(frames)
        square = np.array([[0, 0], [1, 0], [1, 1], [0, 1.0]])
        self.motion = Motion(
            "step",
            "",
            np.arange(float(frames)),
            bodies=("base", "arm"),
            shapes=(Shape((square,)),),
            body_shapes=np.zeros(2, np.int64),
            fixed=np.array([True, False]),
            poses=poses,
        )

    def plots(self) -> dict[str, Plot]:
        return {"gain": Plot("gain", "step", "mm", (Series("gain", np.arange(3.0), np.arange(3.0)),))}

    def summary(self) -> str:
        return f"The arm moves 2 mm: {self.status}.\n  steps  {self.motion.frames - 1}"

    def to_dict(self) -> dict[str, Any]:
        return {
            "kind": "assembly",
            "command": "flex",
            "status": self.status.name.lower(),
            "message": str(self.status),
            "seconds": {"solve": 0.25},
            "objective": 2.0,
            "steps": 2,
            "rows": 12,
            "columns": 3,
            "motion": self.motion.to_dict(),
        }


Solve = Callable[..., StandIn]


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> Callable[[Solve], None]:
    """Puts a function in the place of flex.solve."""

    def put(solve: Solve) -> None:
        module = types.ModuleType("pliant.flex.solve")
        module.solve = solve  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "pliant.flex.solve", module)

    put(lambda model, study, progress: StandIn(study))
    return put


@pytest.fixture
def quick_films(monkeypatch: pytest.MonkeyPatch) -> None:
    """Films are tested where they are made."""
    monkeypatch.setattr(
        "pliant.view.animation.animate", lambda motion, path, **how: path.write_bytes(b"GIF89a")
    )


@pytest.fixture
def hook(tmp_path: Path) -> Path:
    path = tmp_path / "hook.toml"
    path.write_text(HOOK)
    return path


def run(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


# The start


def test_help_imports_nothing_heavy():
    code = (
        "import sys\n"
        "from pliant.cli import main\n"
        "try: main(['--help'])\n"
        "except SystemExit: pass\n"
        "heavy = {'numpy', 'scipy', 'numba', 'pydantic', 'rich', 'matplotlib', 'shapely'}\n"
        "print('heavy', sorted(heavy & set(sys.modules)))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.splitlines()[-1] == "heavy []"


@pytest.mark.parametrize("command", ["check", "flex", "relax", "snap", "draw", "examples", "demo"])
def test_every_command_explains_itself(command: str):
    result = run(command, "--help")
    assert result.exit_code == 0
    assert "--quiet" in result.stdout


def test_version_is_the_packages():
    import pliant

    assert run("--version").stdout == f"pliant {pliant.__version__}\n"


def test_the_choices_of_the_flags_are_those_of_the_study():
    properties = schema("assembly")["$defs"]["FlexStudy"]["properties"]
    assert tuple(properties["solver"]["enum"]) == SOLVERS
    assert tuple(properties["corners"]["enum"]) == CORNERS


# flex


def test_flex_prints_the_sentence_first(hook: Path, stand_in: Any):
    result = run("flex", hook)
    assert result.exit_code == 0
    assert result.stdout.startswith(
        "The arm moves 2 mm: the parts have moved as far as their joints let them.\n"
    )


@pytest.mark.parametrize("status", FlexStatus)
def test_the_exit_code_is_the_statuss(hook: Path, stand_in: Any, status: FlexStatus):
    stand_in(lambda model, study, progress: StandIn(study, status))
    assert run("flex", hook).exit_code == status.exit_code


def test_json_on_stdout_is_nothing_but_json(hook: Path, stand_in: Any):
    data = json.loads(run("flex", hook, "--json", "-").stdout)
    assert data["status"] == "converged"
    assert data["motion"]["bodies"] == ["base", "arm"]


def test_outputs_are_written_by_suffix(hook: Path, stand_in: Any):
    names = ["out.png", "out.svg", "out.pdf", "out.gif", "out.html", "out.json"]
    paths = [hook.parent / name for name in names]
    result = run(
        "flex", hook, *(word for path in paths for word in ("-o", path)), "--json", hook.parent / "r.json"
    )
    assert result.exit_code == 0, result.stderr
    starts = [b"\x89PNG", b"<?xml", b"%PDF", b"GIF89a", b"<!", b"{"]
    for path, start in zip(paths, starts, strict=True):
        assert path.read_bytes().lower().startswith(start.lower())
        assert f"wrote {path}" in result.stderr
    assert (hook.parent / "r.json").read_bytes() == paths[-1].read_bytes()


def test_quiet_prints_nothing(hook: Path, stand_in: Any):
    result = run("flex", hook, "--quiet", "-o", hook.parent / "out.json")
    assert (result.stdout, result.stderr, result.exit_code) == ("", "", 0)


def test_flags_reach_the_study(hook: Path, stand_in: Any):
    seen: list[Any] = []
    stand_in(lambda model, study, progress: seen.append(study) or StandIn(study))
    words = "--move arm --direction -1,1/2 --spin arm --solver highs --corners average --iterations 7"
    result = run("flex", hook, *words.split(), "--threshold", "0.01", "--tolerance", "1e-4", "--ranges")
    assert result.exit_code == 0, result.stderr
    (study,) = seen
    assert study.maximize[0].direction == (-1.0, 0.5)
    assert study.maximize[1].spin == 1
    assert (study.solver, study.corners, study.steps, study.ranges) == ("highs", "average", 7, True)
    assert (study.threshold, study.tolerance) == (0.01, 1e-4)


def test_an_unknown_body_is_the_flags_fault(hook: Path, stand_in: Any):
    result = run("flex", hook, "--move", "amr", "--direction", "1,0")
    assert result.exit_code == 2
    assert result.stderr == "--move: 'amr' is not a body of this model. Did you mean 'arm'?\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--move arm", "--move BODY and --direction X,Y belong together"),
        ("--direction 1,0", "belong together"),
        ("--move arm --direction 1", "'1' is not two numbers; write 1,0"),
        ("--move arm --direction 0,0", "is (0, 0), which points nowhere"),
        ("--move arm --direction a,b", "'a' is not a number"),
        ("--iterations 0", "0 is not in the range"),
        ("--threshold wide", "threshold: 'wide' is not a number"),
        ("--threshold -1", 'threshold: must be more than 0 (given "-1")'),
        ("--solver simplex", "'simplex' is not one of"),
        ("-o out.bmp", "'out.bmp' must end in one of .png"),
        ("-o nowhere/out.png", "the folder 'nowhere' does not exist"),
        ("--max-size 0", "0.0 is not in the range"),
    ],
)
def test_bad_flags_exit_2_and_say_what_to_do(hook: Path, stand_in: Any, words: str, said: str):
    result = run("flex", hook, *words.split())
    assert result.exit_code == 2
    assert said in result.stderr
    assert "Traceback" not in result.stderr


def test_the_model_is_not_written_over(hook: Path, stand_in: Any):
    model = hook.with_suffix(".json")
    model.write_text('{"pliant": 1}')
    assert "is the model itself" in run("flex", model, "-o", model).stderr
    assert "is the model itself" in run("flex", model, "--json", model).stderr


@pytest.mark.parametrize("command", [("check",), ("flex",), ("draw", "-o", "x.png")])
def test_bad_files_exit_2_without_a_traceback(tmp_path: Path, command: tuple[str, ...]):
    (tmp_path / "binary.toml").write_bytes(b"\0\1\2")
    (tmp_path / "broken.toml").write_text("a = ")
    (tmp_path / "empty.json").write_text("{}")
    for name in ("none.toml", "binary.toml", "broken.toml", "empty.json", ""):
        result = run(*command, tmp_path / name)
        assert result.exit_code == 2
        assert result.stderr.startswith(str(tmp_path / name))
        assert "Traceback" not in result.stderr


def test_the_size_limit_can_be_raised(hook: Path, stand_in: Any):
    assert "Raise it with --max-size 1" in run("flex", hook, "--max-size", "0.0001").stderr
    assert run("flex", hook, "--max-size", "1").exit_code == 0


def test_a_crowd_of_faults_is_cut_short(tmp_path: Path):
    path = tmp_path / "bad.toml"
    path.write_text(HOOK.replace("[study]", "\n".join(f"key{i} = 1" for i in range(60)) + "\n[study]"))
    result = run("check", path)
    assert len(result.stderr.splitlines()) == 41
    assert result.stderr.endswith("… and 20 more faults. Mend these first.\n")


def test_an_unexpected_failure_is_a_line_and_exit_3(
    hook: Path, stand_in: Any, monkeypatch: pytest.MonkeyPatch
):
    def fail(model: Any, study: Any, progress: Any) -> StandIn:
        raise ZeroDivisionError("so it goes")

    stand_in(fail)
    result = run("flex", hook)
    assert result.exit_code == 3
    assert result.stderr.startswith("pliant failed: ZeroDivisionError: so it goes\n")
    assert "please report it" in result.stderr
    assert "Traceback" not in result.stderr
    monkeypatch.setenv("PLIANT_DEBUG", "1")
    assert "Traceback" in run("flex", hook).stderr


def test_a_full_disk_is_said_in_a_line(hook: Path, stand_in: Any, monkeypatch: pytest.MonkeyPatch):
    def full(path: Any, data: Any) -> None:
        raise OSError(28, "No space left on device", str(path))

    monkeypatch.setattr("pliant.core.store.write_json", full)
    result = run("flex", hook, "--json", hook.parent / "r.json")
    assert result.exit_code == 2
    assert "r.json: No space left on device" in result.stderr


# Ctrl-C


def test_ctrl_c_keeps_what_is_done(hook: Path, stand_in: Any):
    def solve(model: Any, study: Any, progress: Any) -> StandIn:
        try:
            os.kill(os.getpid(), signal.SIGINT)
            progress(1, 9, "step")
        except KeyboardInterrupt:
            raise Interrupted(StandIn(study, FlexStatus.STEP_LIMIT, frames=2)) from None
        raise AssertionError("the progress callback did not stop the work")

    stand_in(solve)
    result = run("flex", hook, "-o", hook.parent / "out.json")
    assert result.exit_code == 130
    assert "Stopping after this step" in result.stderr
    assert len(json.loads((hook.parent / "out.json").read_text())["motion"]["poses"]) == 2


def test_a_second_ctrl_c_stops_at_once(hook: Path, stand_in: Any):
    def solve(model: Any, study: Any, progress: Any) -> StandIn:
        for _ in range(2):
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.01)
        raise AssertionError("the second signal did nothing")

    stand_in(solve)
    result = run("flex", hook, "-o", hook.parent / "out.json")
    assert result.exit_code == 130
    assert result.stderr.endswith("Stopped.\n")
    assert not (hook.parent / "out.json").exists()


def test_a_ctrl_c_that_comes_too_late_still_exits_130(hook: Path, stand_in: Any):
    stand_in(lambda model, study, progress: os.kill(os.getpid(), signal.SIGINT) or StandIn(study))
    assert run("flex", hook).exit_code == 130


def test_the_signal_handler_is_put_back():
    before = signal.getsignal(signal.SIGINT)
    with Watch(quiet=True):
        assert signal.getsignal(signal.SIGINT) != before
    assert signal.getsignal(signal.SIGINT) == before


def test_progress_is_a_line_now_and_then_where_there_is_no_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    now = [0.0]
    monkeypatch.setattr("pliant.cli.watch.EVERY", 3.0)
    monkeypatch.setattr("pliant.cli.watch.time.monotonic", lambda: now[0])
    with Watch(label="arm") as watch:
        for step in range(8):
            now[0] += 1
            watch(step, 60, "gain 1.2")
    captured = capsys.readouterr()
    assert captured.err.splitlines() == ["arm: 2 of 60 gain 1.2", "arm: 5 of 60 gain 1.2"]
    assert captured.out == ""


def test_progress_is_a_bar_on_a_terminal(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    with Watch() as watch:
        watch(3, 60, "gain 1.2 [not markup]")
    assert capsys.readouterr().out == ""


# check


def test_check_says_what_a_model_holds(hook: Path):
    result = run("check", hook)
    assert result.exit_code == 0
    assert f"{hook} is a sound assembly." in result.stdout
    assert "2, 1 of them fixed" in result.stdout
    assert "arm along (1, 0)" in result.stdout


def test_check_lists_every_fault_and_exits_2(hook: Path):
    hook.write_text(HOOK.replace("[22, 0]", "[12, 0]").replace("fixed = true", "fixt = true"))
    result = run("check", hook)
    assert result.exit_code == 2
    assert f"{hook}: bodies[1].outline: " in result.stderr
    assert (
        f"{hook}: bodies[0].fixt: is not a key of a body (given true). Did you mean 'fixed'?" in result.stderr
    )


def test_check_refuses_what_only_solve_would_notice(hook: Path):
    hook.write_text(HOOK.replace('title = "A hook"', "clearance = 100"))
    result = run("check", hook)
    assert result.exit_code == 2
    assert f"{hook}: bodies[0].outline: a clearance of 100 leaves no single piece of it" in result.stderr


def test_check_refuses_an_assembly_without_a_question_as_flex_does(hook: Path):
    hook.write_text(HOOK[: HOOK.index("[study]")])
    result, solved = run("check", hook), run("flex", hook)
    assert result.exit_code == solved.exit_code == 2
    assert f"{hook}: study.maximize: names nothing to maximise" in result.stderr
    assert result.stderr == solved.stderr


def test_check_gives_faults_and_contents_as_json(hook: Path):
    assert json.loads(run("check", hook, "--json", "-").stdout)["holds"]["maximize"] == "arm along (1, 0)"
    hook.write_text(HOOK.replace("fixed = true", ""))
    result = run("check", hook, "--json", "-")
    assert result.exit_code == 2
    (fault,) = json.loads(result.stdout)["faults"]
    assert fault["where"] == "bodies"
    assert fault["problem"] == "no body is fixed"


def test_check_draws_models_with_and_without_faults(hook: Path):
    picture = hook.with_suffix(".png")
    assert run("check", hook, "--draw", picture).exit_code == 0
    assert picture.read_bytes().startswith(b"\x89PNG")
    picture.unlink()
    hook.write_text(HOOK.replace("[22, 10]", "[12, 0]"))
    assert run("check", hook, "--draw", picture).exit_code == 2
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_check_with_nothing_to_draw_still_lists_the_faults(hook: Path):
    hook.write_text(HOOK.replace("outline", "outlin"))
    result = run("check", hook, "--draw", hook.with_suffix(".png"))
    assert result.exit_code == 2
    assert "Did you mean 'outline'?" in result.stderr


TERM = '{ body = "arm", direction = [1, 0] }'


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (TERM, '{ body = "base", spin = 1 }', "study.maximize[0].body: 'base' is fixed"),
        (TERM, TERM.replace(" }", ", weight = 0 }"), "study.maximize[0].weight: is 0"),
        (TERM, '{ gather = "arm" }', "study.maximize[0].gather: every body that"),
        ("[study]", '[[limits]]\nbody = "arm"\nx = [1, -1]\n[study]', "limits[0].x: runs from 1 down to -1"),
        ("[study]", '[[welds]]\nbodies = ["arm", "base"]\n[study]', "'arm' is one with 'base'"),
    ],
)
def test_check_and_flex_refuse_what_no_motion_can_answer_in_the_same_words(hook: Path, old, new, said):
    assert old in HOOK
    hook.write_text(HOOK.replace(old, new))
    checked, solved = run("check", hook), run("flex", hook)
    assert checked.exit_code == solved.exit_code == 2
    assert said in checked.stderr
    assert checked.stderr == solved.stderr


def test_check_tells_and_draws_welds_and_outlines(tmp_path: Path):
    model = tmp_path / "box.toml"
    picture = model.with_suffix(".png")
    assert run("examples", "laser-box", "-o", model).exit_code == 0
    result = run("check", model, "--draw", picture)
    assert "welds      2" in result.stdout
    assert "rigid      4 parts" in result.stdout
    picture.unlink()
    model.write_text(model.read_text().replace("[-8, 0], [108, 0]", "[-8, 0], [108, 3]"))
    assert run("check", model, "--draw", picture).exit_code == 2
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_check_prints_the_schema():
    assert json.loads(run("check", "--schema", "assembly").stdout) == schema("assembly")
    assert "Did you mean 'assembly'?" in run("check", "--schema", "asembly").stderr
    assert "Name a MODEL" in run("check").stderr


# draw


def test_draw_takes_models_results_motions_and_plots(hook: Path, stand_in: Any):
    folder = hook.parent
    run("flex", hook, "--json", folder / "result.json")
    result = StandIn(None)
    result.motion.save(folder / "motion.json")
    result.plots()["gain"].save(folder / "plot.json")
    for name in ("hook.toml", "result.json", "motion.json", "plot.json"):
        drawn = run("draw", folder / name, "-o", folder / "out.png")
        assert drawn.exit_code == 0, drawn.stderr
        assert (folder / "out.png").read_bytes().startswith(b"\x89PNG")
        (folder / "out.png").unlink()
    assert run("draw", folder / "result.json", "--filmstrip", "-o", folder / "strip.svg").exit_code == 0
    assert (
        run("draw", folder / "result.json", "--frame", "0", "--no-marks", "-o", folder / "f.png").exit_code
        == 0
    )


def test_draw_refuses_what_cannot_be_drawn(hook: Path):
    StandIn(None).plots()["gain"].save(hook.parent / "plot.json")
    result = run("draw", hook.parent / "plot.json", "-o", hook.parent / "out.gif")
    assert result.exit_code == 2
    assert "a plot is drawn as .png, .svg, .pdf" in result.stderr
    assert run("draw", hook).exit_code == 2
    assert run("draw", hook, "-o", hook.with_suffix(".png"), "--frame", "5").exit_code == 2


# examples and demo


def test_examples_are_listed_with_a_line_each():
    from pliant import gallery

    lines = run("examples").stdout.splitlines()
    assert len(lines) == len(gallery.names())
    assert all(gallery.describe(name) in line for name, line in zip(gallery.names(), lines, strict=True))


@pytest.mark.parametrize("name", ["arm", "eight-blocks", "round-peg", "cantilever-snap"])
def test_an_example_is_printed_or_copied_and_loads(tmp_path: Path, name: str):
    from pliant import gallery

    for suffix in (".toml", ".json"):
        assert run("examples", name, "-o", tmp_path / f"mine{suffix}").exit_code == 0
        assert load(tmp_path / f"mine{suffix}") == gallery.load(name)
    assert run("examples", name).stdout == (tmp_path / "mine.toml").read_text()


def test_an_unknown_example_gets_the_nearest():
    result = run("examples", "drawr")
    assert result.exit_code == 2
    assert result.stderr == "'drawr' is not an example. Did you mean 'drawer'?\n"


def test_demo_writes_a_folder_with_a_report(tmp_path: Path, stand_in: Any, quick_films: None):
    folder = tmp_path / "demo"
    result = run("demo", "arm", "lever", "--jobs", 1, "-o", folder)
    assert result.exit_code == 0, result.stderr
    *_, total, last = result.stdout.splitlines()
    assert re.fullmatch(r"2 examples in \d+\.\d s\.", total)
    assert last == f"The report is {folder / 'index.html'}"
    names = {
        f"{name}{suffix}"
        for name in ("arm", "lever")
        for suffix in (".png", ".gif", ".html", ".json", ".toml")
    }
    assert {path.name for path in folder.iterdir()} == names | {"index.html"}


def test_demo_goes_on_after_a_failure_and_exits_3(tmp_path: Path, stand_in: Any, quick_films: None):
    from pliant.core.errors import PliantError

    def solve(model: Any, study: Any, progress: Any) -> StandIn:
        if model.title == "One-link arm":
            raise PliantError("cannot <b>this</b>")
        return StandIn(study)

    stand_in(solve)
    result = run("demo", "arm", "lever", "--jobs", 1, "-o", tmp_path)
    assert result.exit_code == 3
    page = (tmp_path / "index.html").read_text()
    assert "cannot &lt;b&gt;this&lt;/b&gt;" in page
    assert 'href="lever.html"' in page


def test_demo_with_an_example_that_has_no_answer_exits_3(tmp_path: Path, stand_in: Any, quick_films: None):
    stand_in(lambda model, study, progress: StandIn(study, FlexStatus.STEP_LIMIT))
    assert run("demo", "arm", "-o", tmp_path).exit_code == 3
    assert '<span class="badge failure">step limit</span>' in (tmp_path / "index.html").read_text()


def test_an_unexpected_failure_of_one_example_does_not_lose_the_others(
    tmp_path: Path, stand_in: Any, quick_films: None
):
    def solve(model: Any, study: Any, progress: Any) -> StandIn:
        return StandIn(1 / 0) if model.title == "One-link arm" else StandIn(study)

    stand_in(solve)
    result = run("demo", "arm", "lever", "--jobs", 1, "-o", tmp_path)
    assert result.exit_code == 3
    assert "ZeroDivisionError: division by zero" in result.stdout
    assert 'href="lever.html"' in (tmp_path / "index.html").read_text()


def test_demo_stopped_with_ctrl_c_reports_what_is_done(tmp_path: Path, stand_in: Any, quick_films: None):
    def solve(model: Any, study: Any, progress: Any) -> StandIn:
        os.kill(os.getpid(), signal.SIGINT)
        raise Interrupted(StandIn(study))

    stand_in(solve)
    result = run("demo", "arm", "lever", "--jobs", 1, "-o", tmp_path)
    assert result.exit_code == 130
    page = (tmp_path / "index.html").read_text()
    assert 'href="arm.html"' in page
    assert 'href="lever.html"' not in page


def test_demo_refuses_unknown_examples_and_names_beside_all_before_any_work(tmp_path: Path):
    for words in (("amr",), ("arm", "--all")):
        assert run("demo", *words, "-o", tmp_path / "demo").exit_code == 2
    assert not (tmp_path / "demo").exists()


@pytest.mark.parametrize(("words", "which"), [((), "tour"), (("--all",), "names")])
def test_demo_solves_the_tour_and_with_all_the_whole_gallery(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], which: str
):
    from pliant import gallery

    def solved(name: str, progress: Any, folder: Path) -> Entry:
        return Entry(name=name, kind="assembly", description="")

    monkeypatch.setattr("pliant.cli.demo.solve_example", solved)
    shown = run("demo", *words, "--jobs", 1, "-o", tmp_path).stdout.splitlines()[:-2]
    assert [line.split(" ")[0] for line in shown] == getattr(gallery, which)()


def test_colours_are_off_where_no_color_is_set(hook: Path, stand_in: Any, monkeypatch: pytest.MonkeyPatch):
    assert "\x1b[" in CliRunner().invoke(main, ["flex", str(hook)], color=True).stdout
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[" not in CliRunner().invoke(main, ["flex", str(hook)], color=True).stdout
