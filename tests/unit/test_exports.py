"""What users may import: there by name, said on the reference page, typed, and all that the guide uses."""

import ast
import inspect
import re
import textwrap
import types
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

import pliant

ROOT = Path(__file__).parents[2]
GUIDE = [ROOT / "README.md", ROOT / "docs/index.md", *sorted((ROOT / "docs/guide").glob("*.md"))]
REFERENCE = (ROOT / "docs/guide/reference.md").read_text(encoding="utf-8")
PACKAGES = ("", ".flex", ".linkage", ".relax", ".snap", ".view", ".files", ".gallery")


def exported(module: types.ModuleType) -> dict[str, Any]:
    """What a public module gives: all that it names, or what is defined in it."""
    named = getattr(module, "__all__", None)
    if named is not None:
        return {name: getattr(module, name) for name in named}
    here = {name: value for name, value in vars(module).items() if not name.startswith("_")}
    return {
        name: value for name, value in here.items() if getattr(value, "__module__", None) == module.__name__
    }


def walked(module: types.ModuleType, path: str, seen: set[str]) -> Iterator[tuple[str, Any]]:
    for name, value in exported(module).items():
        yield f"{path}.{name}", value
        if isinstance(value, types.ModuleType) and value.__name__ not in seen:
            yield from walked(value, f"{path}.{name}", seen | {value.__name__})


EVERYTHING = dict(walked(pliant, "pliant", set()))


def functions(value: Any, *, properties: bool = True) -> Iterator[Any]:
    """A function, or the public methods of a class."""
    if inspect.isfunction(value):
        yield value
    for base in value.__mro__ if inspect.isclass(value) else ():
        for name, member in vars(base).items():
            own = getattr(member, "__func__", member)
            if properties and isinstance(member, property | cached_property):
                own = member.fget if isinstance(member, property) else member.func
            ours = inspect.isfunction(own) and own.__module__.startswith("pliant.")
            if ours and not name.startswith("_"):
                yield own


def section(doc: str, title: str) -> str:
    """What stands indented below a title of a docstring."""
    found = re.search(rf"^{title}:\n((?:[ ]+.*\n?|\n)+)", doc, re.MULTILINE)
    return found[1] if found else ""


def raised(function: Any) -> set[str]:
    """Errors that a function raises itself, by name."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    calls = [node.exc for node in ast.walk(tree) if isinstance(node, ast.Raise)]
    return {one.func.id for one in calls if isinstance(one, ast.Call) and isinstance(one.func, ast.Name)}


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_lists_what_it_gives_and_nothing_else(package: str):
    module = EVERYTHING.get(f"pliant{package}", pliant)
    if package != ".gallery":
        assert sorted(dir(module)) == sorted(module.__all__) or package == ".files"
    with pytest.raises(AttributeError):
        _ = module.nothing_of_the_kind


@pytest.mark.parametrize("path", [path for path in EVERYTHING if callable(EVERYTHING[path])])
def test_what_is_exported_is_typed_without_any_and_says_what_it_is(path: str):
    assert inspect.getdoc(EVERYTHING[path])
    for function in functions(EVERYTHING[path]):
        signature = inspect.signature(function)
        types_of = [
            one.annotation for one in signature.parameters.values() if one.name not in ("self", "cls")
        ]
        for annotation in (*types_of, signature.return_annotation):
            assert annotation is not inspect.Signature.empty, function.__qualname__
            assert not re.search(r"\bAny\b", str(annotation)), function.__qualname__


@pytest.mark.parametrize("path", [path for path in EVERYTHING if callable(EVERYTHING[path])])
def test_what_is_exported_says_what_it_takes_gives_and_raises(path: str):
    for function in functions(EVERYTHING[path], properties=False):
        doc, signature = inspect.getdoc(function) or "", inspect.signature(function)
        named = set(re.findall(r"^ {4}(\w+): \S", section(doc, "Args"), re.MULTILINE))
        assert named == set(signature.parameters) - {"self", "cls"}, function.__qualname__
        gives = bool(section(doc, "Returns") or section(doc, "Yields"))
        assert gives == (signature.return_annotation != "None"), function.__qualname__
        errors = {name for name in raised(function) if name.endswith(("Error", "Interrupted"))}
        assert errors <= set(re.findall(r"^ {4}(\w+): ", section(doc, "Raises"), re.MULTILINE)), doc


def explained_fields(kind: type) -> dict[str, str]:
    """What is said of each field: its description, or the comment on its line."""
    if issubclass(kind, BaseModel):
        return {name: field.description or "" for name, field in kind.model_fields.items()}
    if not is_dataclass(kind):
        return {}
    said = {field.name: "" for field in fields(kind)}
    for base in filter(is_dataclass, reversed(kind.__mro__)):
        lines = re.findall(r"^    (\w+): .*?  # (.+)$", inspect.getsource(base), re.MULTILINE)
        said |= {name: text for name, text in lines if name in said}
    return said


@pytest.mark.parametrize("path", [path for path in EVERYTHING if inspect.isclass(EVERYTHING[path])])
def test_every_field_of_what_is_exported_is_explained(path: str):
    assert [name for name, text in explained_fields(EVERYTHING[path]).items() if not text] == []


def test_the_reference_has_everything_that_is_exported():
    told = set(re.findall(r"pliant(?:\.\w+)+", REFERENCE))
    left = [
        path
        for path, value in EVERYTHING.items()
        if path not in told and not isinstance(value, types.ModuleType)
    ]
    assert left == ["pliant.__version__"]
    modules = [path for path, value in EVERYTHING.items() if isinstance(value, types.ModuleType)]
    assert [path for path in modules if f"## {path}\n" not in REFERENCE] == []


NEEDS_AN_EXTRA = {"pliant.notebook", "pliant.notebook.sliders"}  # public, and not of every installation


def public(path: str) -> bool:
    """Whether a path leads through exported names only; what follows a class or a function is its own."""
    parts = path.split(".")
    for count in range(2, len(parts) + 1):
        part = ".".join(parts[:count])
        if part not in EVERYTHING:
            return False
        if not isinstance(EVERYTHING[part], types.ModuleType):
            return True
    return True


@pytest.mark.parametrize("page", GUIDE, ids=lambda page: page.name)
def test_the_guide_uses_no_module_that_is_private(page: Path):
    text = page.read_text(encoding="utf-8")
    used = set(re.findall(r"(?<![\w/\[.])pliant(?:\.[a-z_]\w*)+(?!\w*[/-])", text))
    for block in re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        for node in ast.walk(ast.parse(block)):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("pliant"):
                used |= {f"{node.module}.{name.name}" for name in node.names}
    files = {path for path in used if path.endswith((".toml", ".js", ".fish"))}
    assert sorted(path for path in used - files - NEEDS_AN_EXTRA if not public(path)) == []


@pytest.mark.parametrize(
    "script", [*sorted((ROOT / "docs").glob("*.py")), *sorted((ROOT / "benchmarks").glob("*.py"))], ids=str
)
def test_scripts_beside_the_package_import_what_is_there(script: Path):
    for node in ast.walk(ast.parse(script.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("pliant"):
            module = import_module(node.module or "")
            for name in node.names:
                assert hasattr(module, name.name) or find_spec(f"{node.module}.{name.name}"), name.name
