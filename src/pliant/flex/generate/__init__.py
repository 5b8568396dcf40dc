"""Assemblies made by rule: voxel structures, jigsaws, flocks, loose linkages, and the paper's small cases."""

from pliant.flex.generate.classics import bearing, bricks, keyed_shaft, phone_stand, round_peg
from pliant.flex.generate.flock import flock, flock_through_door
from pliant.flex.generate.jigsaw import jigsaw
from pliant.flex.generate.masks import (
    Mask,
    arch,
    bar,
    can,
    chair,
    disc,
    frame,
    hollow,
    lattice,
    pairs,
    picture,
    random_outline,
    ring,
    vault,
)
from pliant.flex.generate.pinned_links import pinned_links
from pliant.flex.generate.table_structures import (
    TABLE,
    TableEntry,
    expected_rows,
    table_structure,
    table_structures,
)
from pliant.flex.generate.voxels import raise_study, voxels

__all__ = [
    "TABLE",
    "Mask",
    "TableEntry",
    "arch",
    "bar",
    "bearing",
    "bricks",
    "can",
    "chair",
    "disc",
    "expected_rows",
    "flock",
    "flock_through_door",
    "frame",
    "hollow",
    "jigsaw",
    "keyed_shaft",
    "lattice",
    "pairs",
    "phone_stand",
    "picture",
    "pinned_links",
    "raise_study",
    "random_outline",
    "ring",
    "round_peg",
    "table_structure",
    "table_structures",
    "vault",
    "voxels",
]
