"""Linkages and mechanisms of other programs, told apart by what their files hold."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from pliant.core.errors import Fault, InputError
from pliant.core.progress import Progress
from pliant.files.child_process import call_in_child
from pliant.files.imported import Imported, LeftOutItem
from pliant.files.linkages.joint_rows import LinkageDraft
from pliant.files.linkages.pmks import is_pmks, pmks_linkage
from pliant.files.linkages.pylinkage import is_pylinkage, pylinkage_linkage
from pliant.files.linkages.pyslvs import is_pyslvs, pyslvs_linkage
from pliant.files.parse import MODEL_BYTES, parse, read_text
from pliant.files.reader import model_of

MJCF_READER = "pliant.files.mjcf.mjcf_reader:read_mjcf"
CURE = "Give an .svg or .dxf drawing, a linkage of PMKS, pylinkage (JSON) or Pyslvs, or a mechanism in MJCF"


def import_other(path: Path, *, seconds: float, max_bytes: int, progress: Progress) -> Imported:
    """A file that is no drawing, as a model."""
    source = str(path)
    text = read_text(path, min(max_bytes, MODEL_BYTES))
    title = path.stem.replace("_", " ").replace("-", " ").strip()[:100]
    if path.suffix.lower() in (".xml", ".mjcf") or text.lstrip().startswith("<"):
        found = call_in_child(MJCF_READER, {"path": source}, source, seconds=seconds, progress=progress)
        return _imported(
            source,
            "MJCF",
            LinkageDraft(found["data"], found["chosen"], [(a, b) for a, b in found["left_out"]]),
        )
    name, draft = _linkage(text, path, title)
    return _imported(source, name, draft)


def _linkage(text: str, path: Path, title: str) -> tuple[str, LinkageDraft]:
    readers: tuple[tuple[str, Callable[[str], bool], Callable[[str, str], LinkageDraft]], ...] = (
        ("Pyslvs", is_pyslvs, pyslvs_linkage),
        ("PMKS", is_pmks, pmks_linkage),
    )
    try:
        if text.lstrip().startswith("{"):
            data: Mapping[str, Any] = parse(text, path.with_suffix(".json"), exact=False)
            if is_pylinkage(data):
                return "pylinkage", pylinkage_linkage(data, title)
            raise InputError([Fault("", "is JSON, and no linkage of pylinkage", CURE)])
        for name, is_one, read in readers:
            if is_one(text):
                return name, read(text, title)
    except InputError as error:
        raise error if error.source else InputError(error.faults, str(path)) from None
    raise InputError([Fault("", "is nothing that can be imported", CURE)], str(path))


def _imported(source: str, name: str, draft: LinkageDraft) -> Imported:
    try:
        model = model_of(draft.data)
    except InputError as error:
        faults = [
            Fault(one.where, f"as it would be imported: {one.problem}", one.cure, one.names)
            for one in error.faults
        ]
        raise InputError(faults, source) from None
    left = tuple(LeftOutItem(what, why) for what, why in draft.left_out)
    return Imported(source, name, model, _facts(name, draft.data), left, tuple(draft.chosen))


def _facts(name: str, data: Mapping[str, Any]) -> dict[str, str]:
    counted = {
        key: len(value) for key, value in data.items() if isinstance(value, list | dict) and key != "study"
    }
    told = ", ".join(
        f"{count} {key if count != 1 else key.removesuffix('s')}" for key, count in counted.items()
    )
    return {"holds": told, "written by": name}
