"""How the house is built: names that mean one thing, and methods that show the same face."""

import ast
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

import pliant

PACKAGE = Path(pliant.__file__).parent
LOWEST = Path(__file__).parents[1] / "lowest.py"
METHODS = ("flex", "linkage", "relax", "snap")
FACE = {"model", "faults", "solve", "result", "status", "report", "drawing", "charts", "generate", "warm"}
DOORS = {"linkage": {"drag"}}  # what users import beside the face
COMMANDS = {  # modules that bear the name of a command beside its own, and do what it asks for
    "brace": {"cli", "flex/bracing"},
    "edit": {"cli", "linkage/editing"},
    "loosen": {"cli", "flex/loosening"},
    "optimize": {"cli", "sweeps"},
    "parts": {"cli", "flex/geometry"},  # rigid parts, which the command cuts
    "play": {"cli", "flex/play"},
    "separate": {"cli", "flex/separation"},
    "sweep": {"cli", "flex/contact", "sweeps"},  # bodies sweep through each other, too
    "tolerances": {"cli", "files", "sweeps"},
}


def test_no_class_name_stands_in_two_modules():
    homes: dict[str, list[str]] = defaultdict(list)
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                homes[node.name].append(str(path.relative_to(PACKAGE)))
    assert {name: places for name, places in homes.items() if len(places) > 1} == {}


def test_no_name_of_a_type_stands_for_two():
    homes: dict[str, list[str]] = defaultdict(list)
    for path in PACKAGE.rglob("*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            for name in _named_types(node):
                homes[name].append(str(path.relative_to(PACKAGE)))
    repeated = {name for name, places in homes.items() if len(places) > 1}
    assert repeated == {"Vector"}  # of a file; and three floats in compiled loops, each module's own


def _named_types(node: ast.stmt) -> list[str]:
    """Classes and other names of types, but no type variables."""
    if isinstance(node, ast.ClassDef):
        return [node.name]
    if not isinstance(node, ast.Assign) or ast.unparse(node.value).startswith("TypeVar("):
        return []
    names = [target.id for target in node.targets if isinstance(target, ast.Name)]
    return [name for name in names if name[0].isupper() and not name.isupper()]


@pytest.mark.parametrize("method", METHODS)
def test_at_the_top_of_a_method_is_its_face_and_nothing_else_but_rooms(method):
    modules = {path.stem for path in (PACKAGE / method).glob("*.py")} - {"__init__"}
    rooms = {path.parent.name for path in (PACKAGE / method).glob("*/__init__.py")}
    assert modules <= FACE | DOORS.get(method, set())
    assert modules | rooms >= FACE


@pytest.mark.parametrize("method", METHODS)
def test_no_two_modules_of_a_method_bear_one_name(method):
    homes: dict[str, list[str]] = defaultdict(list)
    for path in (PACKAGE / method).rglob("*.py"):
        homes[path.stem].append(str(path.relative_to(PACKAGE)))
    repeated = {name for name, places in homes.items() if len(places) > 1}
    # Of its own questions and rooms, too.
    assert repeated <= {"__init__", "result", "report", "drawing", "drag", "warm"}


def test_no_module_name_has_two_roles():
    homes: dict[str, set[str]] = defaultdict(set)
    for path in PACKAGE.rglob("*.py"):
        homes[path.stem].add(str(path.relative_to(PACKAGE).parent))
    several = {name: rooms for name, rooms in homes.items() if len(rooms) > 1}
    faces = FACE | {"__init__"}  # of methods, of their questions, and in core what they have in common
    assert {name: rooms for name, rooms in several.items() if name not in faces} == COMMANDS


def test_every_requirement_has_one_lower_bound_those_of_extras_that_name_others_too():
    said = subprocess.run([sys.executable, LOWEST], capture_output=True, text=True, check=False)
    assert said.returncode == 0, said.stderr
    lines = said.stdout.split()
    names = {line.partition("==")[0] for line in lines}
    assert {"numpy", "numba", "anywidget", "jax", "pyarrow"} <= names
    assert len(names) == len(lines)
    assert "ruff" not in names  # a tool
