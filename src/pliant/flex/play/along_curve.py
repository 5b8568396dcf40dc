"""Loose linkages: the play of a point at each angle of a drive, and each joint's part in it.

At every angle the assembly stands in its nominal pose (`nominal_run`), the drive's angle is held, and
the local polytope there says how far the point gets in every direction. By duality the extent along a
direction is what the forces of a unit load along it make of the gaps; a pin with a force F has a disc
of diameter c to move in, so that its part is

    a = |F| c / 2,   extent ≤ Σ a

whatever polygon stands for the disc in the program. Where the forces are those of statics alone, as in a
linkage of one freedom, that is the extent itself: the influence coefficients of every pin.

Source: the linear program is [Lensgraf2020] eq. 11; play along a curve is ours.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from pliant.core.arrays import Floats
from pliant.core.pose import carry, turn
from pliant.core.progress import Progress
from pliant.flex.contact.distance import contact_points
from pliant.flex.diagnosis.contact_forces import joint_name, label_numbers, row_groups
from pliant.flex.lp.program import Solution
from pliant.flex.model import Assembly, PlayStudy
from pliant.flex.play.nominal_run import NominalPose, StoppedError, nominal_run
from pliant.flex.play.polytope import LocalPolytope
from pliant.flex.play.result import CurvePlay
from pliant.flex.problem.joints import Joint, half_line, join_linear
from pliant.flex.problem.system import System

STILL = 1e-9  # of the drive's own speed: a point that is slower has no way to speak of
STOPPED_BY_HAND = "stopped by hand"
LEAST_PART = 1e-6  # of the largest part: joints with less have none


@dataclass(frozen=True)
class _AtAngle:
    """The play of the point at one angle."""

    pose: NominalPose
    at: Floats  # (2,)
    tangent: Floats  # (2,)
    outline: Floats  # (K, 2)
    extents: Floats  # (4,) to the right, to the left, backward, forward
    parts: dict[str, Floats]  # (2,) of each joint in the width across and along


def curve_play(model: Assembly, system: System, study: PlayStudy, progress: Progress) -> CurvePlay:
    """Turn the drive and measure at each angle; what is measured when it stops is kept."""
    drive, body = study.drive or "", study.body or ""
    angles = np.linspace(*study.angles, study.samples)
    measured: list[_AtAngle] = []
    stopped = None
    try:
        for at in _plays(model, system, study, angles):
            measured.append(at)
            progress(len(measured), len(angles), f"{drive} at {np.degrees(at.pose.angle):.4g}°")
    except StoppedError as error:
        stopped = (error.angle, str(error))
    except KeyboardInterrupt:
        stopped = (measured[-1].pose.angle if measured else 0.0, STOPPED_BY_HAND)
    return _gather(system, body, drive, measured, stopped)


def _plays(model: Assembly, system: System, study: PlayStudy, angles: Floats) -> Iterator[_AtAngle]:
    name, parts = study.body or "", system.parts
    point = (
        parts.members.centre[parts.member(name)] if study.point is None else parts.local(name, study.point)
    )
    tangent = np.array([1.0, 0.0])
    for pose in nominal_run(model, system, study.drive or "").poses_at(angles):
        tangent = _tangent(system, name, point, pose, study, tangent)
        yield _play_at(model, _held(system, study.drive or "", pose), name, point, pose, tangent, study)


def _tangent(
    system: System, name: str, point: Floats, pose: NominalPose, study: PlayStudy, before: Floats
) -> Floats:
    """The unit way of the point at a pose; as before where it stands still."""
    parts = system.parts
    body = parts.index(name)
    arm = turn(pose.here.poses[body, 2], point)
    x, y, spin = pose.speed[parts.moving[body]]
    velocity = np.array([x - spin * arm[1], y + spin * arm[0]])
    size = float(np.hypot(*velocity))
    if study.direction is not None:
        across = np.array(study.direction) / np.hypot(*study.direction)
        return np.array([across[1], -across[0]])
    return velocity / size if size > STILL * parts.extent else before


def _held(system: System, drive: str, pose: NominalPose) -> System:
    """The system with the angle of the drive held, from both sides."""
    parts, body = system.parts, system.parts.index(drive)
    source = len(system.joints.joints)
    rows = [half_line(parts, body, 2, sign, pose.angle, source) for sign in (1.0, -1.0)]
    joints = replace(
        system.joints,
        joints=(*system.joints.joints, Joint("drive", (drive,), f"drive of {drive}")),
        linear=join_linear([system.joints.linear, *rows]),
    )
    return replace(system, joints=joints)


def _play_at(
    model: Assembly,
    system: System,
    name: str,
    point: Floats,
    pose: NominalPose,
    tangent: Floats,
    study: PlayStudy,
) -> _AtAngle:
    polytope = LocalPolytope(system, pose.here)
    left = np.array([-tangent[1], tangent[0]])
    around = 2 * np.pi * np.arange(study.directions) / study.directions
    ways = [-left, left, -tangent, tangent, *np.stack([np.cos(around), np.sin(around)], axis=1)]
    costs = [polytope.cost(name, point, np.append(way, 0.0)) for way in ways]
    ends = list(polytope.extremes(costs))
    free = [polytope.is_free(end, cost) for end, cost in zip(ends, costs, strict=True)]
    parts = [{} if free[k] else _joint_parts(model, polytope, ends[k]) for k in range(4)]
    names = dict.fromkeys(joint for part in parts for joint in part)
    extents = [np.inf if free[k] else sum(parts[k].values()) for k in range(4)]
    outline = [
        np.full(2, np.nan) if unbounded else polytope.travel(name, point, end)[:2]
        for end, unbounded in zip(ends[4:], free[4:], strict=True)
    ]
    return _AtAngle(
        pose=pose,
        at=carry(pose.here.poses[system.parts.index(name)], point),
        tangent=tangent,
        outline=np.array(outline),
        extents=np.array(extents),
        parts={
            joint: np.array([sum(part.get(joint, 0.0) for part in pair) for pair in (parts[:2], parts[2:])])
            for joint in names
        },
    )


def _joint_parts(model: Assembly, polytope: LocalPolytope, solution: Solution) -> dict[str, float]:
    """What each joint contributes to an extent, by its name: |F| c/2 of a pin, Σ y d of all else."""
    system, poses = polytope.system, polytope.here.poses
    rows = system.rows(polytope.here.contacts.rows)
    keys, labels, _ = row_groups(system, rows, poses)
    amounts = np.bincount(keys, solution.forces * polytope.program.gaps, len(labels))
    normals = contact_points(rows, poses)[1] * solution.forces[: len(rows), None]
    first = len(labels) - len(system.joints.joints)
    for place, pin in enumerate(model.pins):
        force = normals[rows.source == place].sum(axis=0)
        amounts[first + place] = float(np.hypot(*force)) * pin.clearance / 2
    named = zip(labels, label_numbers(labels), amounts.tolist(), strict=True)
    return {joint_name(*label, number): amount for label, number, amount in named if amount > 0}


def _gather(
    system: System, body: str, drive: str, measured: list[_AtAngle], stopped: tuple[float, str] | None
) -> CurvePlay:
    """Arrays over the angles; joints by their largest part."""
    names = list(dict.fromkeys(joint for at in measured for joint in at.parts))
    nothing = np.zeros(2)
    parts = np.array([[at.parts.get(joint, nothing) for joint in names] for at in measured])
    parts = parts.reshape(len(measured), len(names), 2)
    largest = parts.max(axis=(0, 2), initial=0.0)
    order = [
        k
        for k in np.argsort(-parts.sum(axis=(0, 2)), kind="stable")
        if largest[k] > LEAST_PART * largest.max()
    ]
    count = len(measured[0].outline) if measured else 0
    poses = np.array([at.pose.here.poses for at in measured]) if measured else np.zeros((0, 0, 3))
    return CurvePlay(
        body=body,
        drive=drive,
        angles=np.array([at.pose.angle for at in measured]),
        curve=np.array([at.at for at in measured]).reshape(-1, 2),
        tangents=np.array([at.tangent for at in measured]).reshape(-1, 2),
        poses=system.parts.member_poses(poses) if measured else np.zeros((0, 0, 3)),
        outlines=np.array([at.outline for at in measured]).reshape(len(measured), count, 2),
        across=np.array([at.extents[:2] for at in measured]).reshape(-1, 2),
        along=np.array([at.extents[2:] for at in measured]).reshape(-1, 2),
        joints=tuple(names[k] for k in order),
        across_parts=parts[:, order, 0],
        along_parts=parts[:, order, 1],
        stopped=stopped,
    )
