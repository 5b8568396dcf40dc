"""The documentation speaks of what is there: modules, tests, sources, keys, statuses."""

import re
import runpy
import tomllib
from collections.abc import Callable
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from tests.solved import solved

import pliant
from pliant.core.progress import silent
from pliant.files import schema
from pliant.flex.status import BraceStatus, FlexStatus, LoosenStatus, PlayStatus, SeparationStatus
from pliant.linkage.status import EditStatus, SynthesisStatus, TraceStatus
from pliant.linkage.synthesis import path
from pliant.relax.model import Actuator, Bar, Mechanism
from pliant.relax.status import EvolveStatus, RelaxStatus
from pliant.snap.handbook.materials import MATERIALS
from pliant.snap.questions import stability
from pliant.snap.status import SnapStatus
from pliant.sweeps.optimize import Effort, read_job, run_job
from pliant.sweeps.optimum import OptimizeStatus
from pliant.sweeps.process_spreads import PROCESSES
from pliant.sweeps.solve_case import solve_for_figures
from pliant.sweeps.tolerance_status import ToleranceStatus
from pliant.sweeps.tolerances import read_lot, run_lot

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
wrapped: Callable[[str], str] = runpy.run_path(str(DOCS / "wrap.py"))["wrapped"]
PACKAGE = ROOT / "src" / "pliant"
PAGES = [*ROOT.glob("*.md"), *(page for page in DOCS.rglob("*.md") if "_build" not in page.parts)]
MODULE = re.compile(r"`((?:cli|core|files|flex|gallery|linkage|relax|snap|view)/[\w/]+(?:\.py)?)`")
KEY = re.compile(r"\[([A-Z][A-Za-z]+\d{4}[A-Za-z]*)\]")
KEYS = {
    "assembly": ("guide/model-file.md", "guide/study.md", "guide/play.md", "guide/tolerances.md"),
    "linkage": ("guide/linkages.md", "guide/editing.md", "guide/tolerances.md"),
    "mechanism": ("guide/mechanisms.md", "guide/tolerances.md"),
    "fastener": ("guide/fasteners.md", "guide/tolerances.md"),
}
TOML = re.compile(r"^```toml\n(.*?)^```$", re.MULTILINE | re.DOTALL)
STATUSES = {
    "flex": FlexStatus,
    "play": PlayStatus,
    "separate": SeparationStatus,
    "loosen": LoosenStatus,
    "brace": BraceStatus,
    "trace": TraceStatus,
    "edit": EditStatus,
    "synthesize": SynthesisStatus,
    "relax": RelaxStatus,
    "evolve": EvolveStatus,
    "snap": SnapStatus,
    "optimize": OptimizeStatus,
    "tolerances": ToleranceStatus,
}


def text(page: str) -> str:
    return (DOCS / page).read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_modules_that_a_page_names_exist(page):
    for module in MODULE.findall(page.read_text(encoding="utf-8")):
        assert (PACKAGE / module).exists(), module


def test_names_that_a_table_of_a_paper_gives_beside_a_module_are_in_it():
    for names, module in re.findall(r"((?:`\w+`, )+)`([\w/]+\.py)`", text("papers.md")):
        code = (PACKAGE / module).read_text(encoding="utf-8")
        missing = [name for name in re.findall(r"\w+", names) if not re.search(rf"\b{name}\b", code)]
        assert not missing, (module, missing)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_prose_is_wrapped_at_100_characters(page):
    before = page.read_text(encoding="utf-8")
    assert wrapped(before) == before, "run docs/wrap.py"


def test_wrapping_keeps_lists_tables_code_formulas_and_the_words():
    word = "word " * 30
    kept = f"| {word} |\n\n```\n{word}\n```\n\n$$\n{word}\n$$\n\n# {word}"
    assert wrapped(kept) == kept
    term = wrapped(f"Term\n: {word}\n\n1. {word}- {word}\n\n```{{figure}} a.png\n:name: a\n\n{word}\n```")
    assert term.split() == f"Term : {word} 1. {word} - {word} ```{{figure}} a.png :name: a {word} ```".split()
    assert max(map(len, term.split("\n"))) <= 100
    assert not re.search(r"^\s+- ", term, re.MULTILINE)
    assert f"`{word}`" in wrapped(f"{word}`{word}` {word}")


def test_sources_cited_in_the_code_are_those_listed():
    cited = {key for file in PACKAGE.rglob("*.py") for key in KEY.findall(file.read_text(encoding="utf-8"))}
    assert set(re.findall(r"^\[(\w+)\]$", text("references.md"), re.MULTILINE)) == cited


@pytest.mark.parametrize("page", ["papers.md", "theory/snap.md"])
def test_tests_that_answer_a_paper_exist(page):
    tests = [
        name
        for file in (ROOT / "tests").rglob("test_*.py")
        for name in re.findall(r"^def (test_\w+)", file.read_text(encoding="utf-8"), re.MULTILINE)
    ]
    named = re.findall(r"`(test_\w+\*?)`", text(page))
    assert named
    assert [name for name in named if not any(fnmatch(test, name) for test in tests)] == []


@pytest.mark.parametrize("kind", KEYS)
def test_every_key_of_a_model_file_is_in_the_guide(kind):
    told = set(re.findall(r"\w+", "".join(map(text, KEYS[kind]))))
    found = schema(kind)
    keys = {key for entry in (found, *found["$defs"].values()) for key in entry.get("properties", ())}
    assert sorted(keys - told) == []


@pytest.mark.parametrize("kind", KEYS)
def test_examples_of_the_guide_are_as_the_schema_has_them(kind):
    own = [page for page in KEYS[kind] if page != "guide/editing.md"]  # whose files are edits, and are run
    pages = [page for page in own if page != "guide/tolerances.md" or kind == "assembly"]  # that it is of
    examples = [tomllib.loads(example) for page in pages for example in TOML.findall(text(page))]
    assert examples
    found = Draft202012Validator({**schema(kind), "required": []})  # most show a few keys only
    for example in examples:
        assert [error.message for error in found.iter_errors(example)] == [], example


def flexed() -> dict[str, Any]:
    return solved("square-peg").to_dict()


def traced() -> dict[str, Any]:
    asked = dict.fromkeys(("velocity", "acceleration", "jacobian", "centres", "layers"), True)
    return pliant.solve(pliant.gallery.load("slider-crank"), samples=12, tolerance=0.1, **asked).to_dict()


def edited() -> dict[str, Any]:
    leg = pliant.gallery.load("jansen")
    return pliant.edit(leg, curves=[{"point": "P5", "scale": [1.1, 1]}]).to_dict()


def synthesized() -> dict[str, Any]:
    return path([[0, 0], [20, 25], [50, 30]], closed=False, candidates=1000).to_dict()


def relaxed() -> dict[str, Any]:
    """A bar and an actuator that is asked to be longer than it can: it locks, and says so."""
    model = Mechanism(
        ground=("a", "b"),
        nodes={"a": (0, 0), "b": (4, 0), "c": (3, 2)},
        bars=(Bar(nodes=("a", "c")),),
        actuators=(Actuator(nodes=("b", "c"), to=9),),
    )
    return pliant.solve(model).to_dict()


def snapped() -> dict[str, Any]:
    """A hook with everything asked of it."""
    asked = dict.fromkeys(("reverse", "classify", "uncertain", "stability", "search"), True)
    sizes = {"directions": 16, "region": [[0, 0], [1, 0]], "digits": 4}
    found = pliant.solve(pliant.gallery.load("cantilever-snap"), **asked, **sizes).to_dict()
    proved = pliant.solve(pliant.gallery.load("two-hooks"), digits=4).to_dict()  # of a hinge, not of a beam
    return {**found, "peak_certified": proved["peak_certified"]}


RESULTS: dict[str, tuple[Callable[[], dict[str, Any]], str]] = {
    "flex": (flexed, "guide/answer.md"),
    "trace": (traced, "guide/linkages.md"),
    "edit": (edited, "guide/editing.md"),
    "synthesize": (synthesized, "guide/editing.md"),
    "relax": (relaxed, "guide/mechanisms.md"),
    "snap": (snapped, "guide/fasteners.md"),
}
TABLES: dict[str, Callable[[dict[str, Any]], list[dict[str, Any]]]] = {
    "flex": lambda result: [result["contacts"][0]],
    "trace": lambda result: [
        *(result[key] for key in ("forces", "layers", "swept", "mobility")),
        *(result[key][0] for key in ("centres", "transmission")),
        result["curves"]["S"],
        result["bands"]["S"],
    ],
    "edit": lambda result: [result["achieved"][0], result["resisted"][0]],
    "synthesize": lambda result: [result["answers"][0]],
    "relax": lambda result: [result["carriers"][0], result["warnings"][0]],
    "snap": lambda result: [
        *(result[key] for key in ("end", "force", "diode", "outcomes", "design", "peak_certified", "peak")),
        *(result[key][0] for key in ("events", "margins")),
        *(result["diode"][key][0] for key in ("sectors", "critical", "directions")),
        result["outcomes"]["bands"][0],
        result["strain"]["hook"],
        result["ramps"]["hook"],
    ],
}


@pytest.mark.parametrize("command", RESULTS)
def test_every_key_of_a_result_is_in_the_guide(command, monkeypatch):
    monkeypatch.setattr(stability, "STEPS", 2)  # the keys of margins are asked for, not where they end
    monkeypatch.setattr(stability, "HALVINGS", 2)
    solve, page = RESULTS[command]
    result = solve()
    told = set(re.findall(r"`(\w+)`", text(page)))
    keys = {key for table in (result, *TABLES[command](result)) for key in table}
    assert sorted(keys - told) == []


@pytest.mark.parametrize("command", STATUSES)
def test_every_status_is_in_the_guide_with_its_exit_code(command):
    section = text("guide/statuses.md").partition(f"## pliant {command}\n")[2].partition("\n## ")[0]
    told = dict(re.findall(r"^\| `(\w+)` \| (\d+) \|", section, re.MULTILINE))
    assert told == {status.name.lower(): str(status.exit_code) for status in STATUSES[command]}


def test_every_material_is_in_the_guide_with_its_modulus_and_strain():
    told = re.findall(r"^\| `([^`]+)` \| (\d+) \| ([\d.]+) % \|", text("guide/fasteners.md"), re.MULTILINE)
    assert [(name, float(modulus), float(strain)) for name, modulus, strain in told] == [
        (found.name, found.modulus, pytest.approx(100 * found.strain_limit)) for found in MATERIALS.values()
    ]


@pytest.mark.parametrize("page", ["guide/optimize.md", "guide/tolerances.md"])
def test_every_key_of_a_search_and_of_samples_is_in_the_guide(page, tmp_path):
    (tmp_path / "stack.toml").write_text(TOML.findall(text("guide/tolerances.md"))[0], encoding="utf-8")

    def here(tasks: Any, _progress: Any) -> dict[str, Any]:
        return {task: solve_for_figures(task, silent) for task in tasks}

    if page == "guide/optimize.md":
        job = read_job(tmp_path / "stack.toml", {"slot": [12.4, 12.5]}, "minimize objective", [])
        data = run_job(job, Effort(), here).to_dict()
        tables = [data, data["best"]]
    else:
        data = run_lot(read_lot(tmp_path / "stack.toml", {}, ["objective"], [], samples=3), here).to_dict()
        tables = [data, data["figures"]["objective"], data["rows"][0]]
    told = set(re.findall(r"`(\w+)`", text(page)))
    assert sorted({key for table in tables for key in table} - told) == []


def test_every_process_is_in_the_guide_with_its_spread():
    told = re.findall(r"^\| `([\w-]+)` \| .+? \| ([\d.]+) (mm|%)", text("guide/tolerances.md"), re.MULTILINE)
    assert {name: float(half) / (100 if unit == "%" else 1) for name, half, unit in told} == {
        name: process.half_mm or process.share for name, process in PROCESSES.items()
    }
