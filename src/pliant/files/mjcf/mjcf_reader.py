"""An MJCF file to the keys of a mechanism: what runs in a process of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pliant.files.mjcf.mechanisms import mechanism_data
from pliant.files.mjcf.tree import read_tree_of
from pliant.files.xml_tree import read_tree


def read_mjcf(path: str) -> dict[str, Any]:
    """The keys of a mechanism file, what was chosen, and what could not be expressed."""
    tree = read_tree_of(read_tree(Path(path), "mujoco", "an MJCF file (<mujoco>)"))
    data, chosen, left_out = mechanism_data(tree, Path(path).stem)
    return {"data": data, "chosen": chosen, "left_out": [list(one) for one in left_out]}
