"""Compiled code is never older than a line it was made of, and nothing breaks where it cannot be kept."""

import ast
import os
import sys
from pathlib import Path
from typing import NamedTuple

import numba
import pytest
from numba import typeof
from tests.processes import SOURCE, start
from tests.tiny import ASIDE, DEEP, LOOP, RUN, SIZES, Tiny

from pliant.core import kept

EDITS = {
    "a loop in another module": ("deep", DEEP.replace("FACTOR * x", "FACTOR * x + 1"), "100.0"),
    "a constant in a third module": ("sizes", SIZES.replace("2.0", "3.0"), "140.0"),
    "the loop itself": ("loop", LOOP.replace("- pair.second", "+ pair.second"), "110.0"),
}
SWAPPED = """from typing import NamedTuple
FACTOR = 2.0
class Pair(NamedTuple):
    second: float
    first: float
"""


@pytest.fixture
def tiny(tmp_path: Path) -> Tiny:
    return Tiny(tmp_path)


@pytest.fixture(scope="module")
def once(tmp_path_factory: pytest.TempPathFactory) -> Tiny:
    """Run once, and not to be changed."""
    made = Tiny(tmp_path_factory.mktemp("once"))
    assert made.run() == "90.0 compiled"
    return made


@pytest.fixture
def ran(once: Tiny, tmp_path: Path) -> Tiny:
    """The tiny package, of which compiled code is there."""
    return once.copied(tmp_path)


@pytest.fixture
def sources(tiny: Tiny, monkeypatch: pytest.MonkeyPatch) -> Tiny:
    """The tiny package in the place of this one, for keys alone."""
    monkeypatch.setattr(kept, "PACKAGE", tiny.folder / "pliant")
    forget()
    yield tiny
    monkeypatch.undo()
    forget()


def forget() -> None:
    """What was read once is read again."""
    for cached in (kept.folder, kept.can_keep, kept._key, kept._machine, kept._imports, kept._text):
        cached.cache_clear()
    kept._said.clear()


def key(module: str = "pliant.tiny.loop") -> str | None:
    forget()
    return kept._key(module)


# Never stale


def test_compiled_code_is_loaded_by_the_next_process_and_its_folder_is_young_again(ran: Tiny):
    folder = ran.kept[0].parent
    os.utime(folder, (1e9, 1e9))
    assert ran.run() == "90.0 loaded"
    assert folder.stat().st_mtime > 1e9


SLOWER = ("a constant in a third module", "the loop itself")
EACH = [pytest.param(what, marks=[pytest.mark.slow] if what in SLOWER else []) for what in EDITS]


@pytest.mark.parametrize("what", EACH)
def test_after_an_edit_it_is_compiled_anew_and_gives_the_new_answer(ran: Tiny, what: str):
    module, text, answer = EDITS[what]
    ran.write(module, text)
    assert ran.run() == f"{answer} compiled"


@pytest.mark.slow
def test_fields_of_a_tuple_that_change_places_are_read_from_their_new_places(tiny: Tiny):
    # The loop does not import the tuple's module: it is handed one.
    tiny.write("deep", DEEP.replace("from pliant.tiny.sizes import FACTOR", "FACTOR = 2.0"))
    assert tiny.run() == "90.0 compiled"
    tiny.write("sizes", SWAPPED)
    assert tiny.run() == "90.0 compiled"


@pytest.mark.parametrize("what", EDITS)
def test_every_edit_of_what_a_loop_is_made_of_changes_its_key(sources: Tiny, what: str):
    before = key()
    module, text, _ = EDITS[what]
    sources.write(module, text)
    assert before != key()


def test_an_edit_of_a_module_that_no_loop_imports_changes_no_key(sources: Tiny):
    before = key()
    sources.write("aside", ASIDE + "MORE = 2\n")
    assert before == key()
    assert before is not None


def test_the_compilers_own_modules_are_a_part_of_the_key(sources: Tiny):
    before = key()
    lowering = sources.folder / "pliant" / "core" / "lowering.py"
    lowering.write_text(lowering.read_text() + "\n# changed\n")
    assert before != key()


def test_without_sources_nothing_is_kept(sources: Tiny):
    (sources.folder / "pliant" / "tiny" / "sizes.py").unlink()
    assert key() is None
    assert kept.folder("pliant.tiny.loop") is None


def test_loops_outside_pliant_are_not_kept():
    # Nothing is known of what such a module imports, so nobody could tell when it is stale.
    assert kept.folder(__name__) is None
    assert kept.folder("__main__") is None
    assert kept.folder("pliant.core.kernel") is not None


def modules_of_loops() -> set[str]:
    """Every module that some loop is made of."""
    package = SOURCE / "pliant"
    with_loops = [path for path in package.rglob("*.py") if "pliant.core.kernel import" in path.read_text()]
    names = [".".join(path.relative_to(SOURCE).with_suffix("").parts) for path in with_loops]
    assert len(names) > 20
    return {module for name in names for module in kept._made_of(name)}


def test_every_import_of_what_loops_are_made_of_is_found_in_its_text():
    for module in sorted(modules_of_loops()):
        path, text = module, kept._text(module) or ""
        found = set(kept._imported_modules(text))
        for node in ast.parse(text).body:
            if isinstance(node, ast.Import):
                assert not [name for name in node.names if name.name.startswith("pliant")], path
            if isinstance(node, ast.ImportFrom):
                assert node.level == 0, f"{path}: relative imports are not followed"
                if node.module and node.module.split(".")[0] == "pliant":
                    assert node.module in found, path
                    named = (f"{node.module}.{name.name}" for name in node.names)
                    assert {name for name in named if kept._file(name)} <= found, path


class Here(NamedTuple):
    x: float
    y: float


def test_a_signature_is_told_by_the_fields_of_its_tuples_wherever_they_are():
    There = NamedTuple("Here", [("y", float), ("x", float)])  # noqa: UP014  of the same name
    for wrap in (lambda pair: (pair,), lambda pair: ((1, pair),), lambda pair: ((pair, pair), 2)):
        here, there = (tuple(map(typeof, wrap(kind(1.0, 2.0)))) for kind in (Here, There))
        assert str(here) == str(there)
        assert kept.type_text(here) != kept.type_text(there)
    assert kept.type_text((numba.float64, numba.int64)) != kept.type_text((numba.int64, numba.float64))


# What else a key is made of


@pytest.mark.parametrize("library", ["numba", "llvmlite", "np"])
def test_another_version_of_a_library_is_another_key(
    sources: Tiny, monkeypatch: pytest.MonkeyPatch, library: str
):
    before = key()
    monkeypatch.setattr(getattr(kept, library), "__version__", "0.0")
    assert before != key()


def another_processor() -> str:
    """One that loops can be compiled for here, other than the one that they are compiled for."""
    return "x86-64-v2" if os.environ.get("NUMBA_CPU_NAME") == "generic" else "generic"


def test_another_processor_is_another_key(sources: Tiny, monkeypatch: pytest.MonkeyPatch):
    keys = [key()]
    monkeypatch.setattr(kept.config, "CPU_NAME", another_processor())
    keys.append(key())
    monkeypatch.setattr(kept.config, "CPU_FEATURES", "+sse2")
    keys.append(key())
    assert len(set(keys)) == 3


def test_settings_of_the_compiler_are_in_the_key_and_where_it_is_kept_is_not(
    sources: Tiny, monkeypatch: pytest.MonkeyPatch
):
    before = key()
    monkeypatch.setenv("NUMBA_CACHE_DIR", "/elsewhere")
    monkeypatch.setenv("NUMBA_NUM_THREADS", "1")
    assert before == key()
    monkeypatch.setenv("NUMBA_BOUNDSCHECK", "1")
    assert before != key()


@pytest.mark.slow
def test_a_processor_named_in_the_environment_is_compiled_for_anew(ran: Tiny):
    assert ran.run(NUMBA_CPU_NAME=another_processor()) == "90.0 compiled"
    assert len(ran.kept) == 2


# Old keys


def test_the_keys_used_last_are_kept_and_older_ones_removed(tmp_path: Path):
    made = [tmp_path / f"pliant.tiny.loop-{k}" for k in range(kept.KEYS + 2)]
    others = [tmp_path / "pliant.tiny.loops-0", tmp_path / "pliant.tiny-0"]
    for age, folder in enumerate([*others, *made[:-1]]):
        folder.mkdir()
        os.utime(folder, (1e9 + age, 1e9 + age))
    os.utime(made[0])  # the oldest, used again
    kept._make(made[-1])
    left = {folder.name for folder in tmp_path.iterdir()}
    assert left == {folder.name for folder in (made[0], made[-1], *made[-kept.KEYS : -1][1:], *others)}


# Several processes, broken files


@pytest.mark.slow
def test_two_processes_that_start_at_once_give_the_same_answer(tiny: Tiny):
    both = [start(RUN, tiny.cache, PYTHONPATH=str(tiny.folder)) for _ in range(2)]
    answers = [process.communicate(timeout=120) for process in both]
    assert [process.returncode for process in both] == [0, 0], answers
    assert [out.split()[0] for out, _ in answers] == ["90.0", "90.0"]
    assert all(kept._read(path) for path in tiny.kept)
    assert len(list(tiny.kept[0].parent.iterdir())) == len(tiny.kept)  # nothing half written is left


@pytest.mark.parametrize("broken", ["empty", "half", "garbage", "flipped"])
def test_a_broken_file_reads_as_none(tmp_path: Path, broken: str):
    code = b"some code" * 40
    path = tmp_path / "f.code"
    path.write_bytes(kept._sum(code) + code)
    assert kept._read(path) == code
    whole = bytearray(path.read_bytes())
    whole[100] ^= 1
    contents = {"empty": b"", "half": path.read_bytes()[:200], "garbage": b"\x80\x04." * 99, "flipped": whole}
    path.write_bytes(contents[broken])
    assert kept._read(path) is None


@pytest.mark.slow
def test_a_truncated_file_is_compiled_anew_and_mended(ran: Tiny):
    (path,) = ran.kept
    path.write_bytes(path.read_bytes()[:1000])
    assert ran.run() == "90.0 compiled"
    assert kept._read(path) is not None


# Nowhere to keep it

SAID = "so they are compiled each time"


@pytest.mark.slow
def test_below_a_file_it_works_and_is_said_once(tiny: Tiny):
    # As for a folder that is read-only, which does not keep root from writing.
    tiny.write("loop", LOOP + LOOP.replace("total", "again").partition("\n")[2].partition("\n")[2])
    file = tiny.folder / "file"
    file.touch()
    code = RUN + "from pliant.tiny.loop import again\nprint(again(Pair(5.0, 1.0), 1))\n"
    out, complaints = tiny.said(code, NUMBA_CACHE_DIR=str(file / "below"))
    assert out.split() == ["90.0", "compiled", "9.0"]
    assert complaints.count(SAID) == 1
    assert "NUMBA_CACHE_DIR names another folder" in complaints


@pytest.mark.slow
def test_without_a_home_it_works_and_is_said_once(tiny: Tiny):
    nobody = "import pwd\ndef nobody(uid): raise KeyError(uid)\npwd.getpwuid = nobody\n"
    out, complaints = tiny.said(nobody + RUN, NUMBA_CACHE_DIR=None, HOME=None, XDG_CACHE_HOME=None)
    assert out.strip() == "90.0 compiled"
    assert complaints.count(SAID) == 1
    assert "there is no home folder" in complaints


def test_a_folder_that_cannot_be_read_is_as_one_that_is_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "stat", refuse)
    monkeypatch.setattr(Path, "read_bytes", refuse)
    assert kept._read(tmp_path / "f.code") is None
    assert kept._last_use(tmp_path) == 0.0


def test_a_place_that_cannot_be_written_to_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    forget()
    assert kept.can_keep()
    monkeypatch.setattr(os, "access", lambda *_: False)
    forget()
    assert not kept.can_keep()
    kept.cannot_keep("for another reason")
    assert capsys.readouterr().err.count(SAID) == 1
    monkeypatch.undo()
    forget()


def test_the_place_is_the_users_cache_or_what_numba_is_told(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", "/given")
    assert kept.root() == Path("/given/pliant")
    monkeypatch.delenv("NUMBA_CACHE_DIR")
    if sys.platform == "linux":
        monkeypatch.setenv("XDG_CACHE_HOME", "/users")
        assert kept.root() == Path("/users/pliant")


def test_nothing_is_written_into_the_package(once: Tiny):
    package = once.folder / "pliant"
    assert {path.suffix for path in package.rglob("*") if path.is_file()} <= {".py", ".pyc"}
    assert not list(package.rglob("*.nb?"))
    assert once.kept
