"""From what an edit asks for in the file to its terms."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from pliant.core import written
from pliant.core.arrays import Floats, Ints
from pliant.core.errors import Fault, InputError
from pliant.linkage.editing.samples import length_slopes
from pliant.linkage.editing.terms import (
    CurveTerm,
    DrawnTerm,
    EditTerm,
    EnclosureTerm,
    LengthTerm,
    PathTerm,
    PositionTerm,
    SpreadTerm,
    TimingTerm,
)
from pliant.linkage.kinematics.drive import MotorDrive
from pliant.linkage.kinematics.poses import LinkagePoses
from pliant.linkage.model import CurveEdit, EditStudy, JointEnclosure, JointMove, Linkage

INSIDE = 10.0  # weight of an enclosure, which is a bound rather than a wish
KEPT = 0.1  # weight of what is kept as nearly as the targets let it
FINE = 90  # points that a curve to be followed is resampled to


def edit_terms(
    model: Linkage, study: EditStudy, number: dict[str, int], path: MotorDrive, t: Floats, poses: LinkagePoses
) -> list[EditTerm]:
    """Every target and soft keep of an edit, of joints by number; `poses` are those before it."""
    curves = (
        _curve(edit, number[edit.point], path, t, poses, f"curves[{n}]")
        for n, edit in enumerate(study.curves)
    )
    moves = (_move(move, number[move.joint], path, t, f"move[{n}].at") for n, move in enumerate(study.move))
    terms: list[EditTerm] = [*moves, *curves, *_lengths(model, study, number, poses.drawn)]
    joints = list(dict.fromkeys(number[name] for name in model.joints))
    terms += [_enclosure(room, number, joints, len(t), path.closed) for room in study.enclosure]
    for point in study.keep.curves:
        joint = number[point]
        terms.append(CurveTerm(f"keep the curve of {point}", KEPT, joint, poses.x[joint].T, True))
    for point in study.keep.timing:
        along = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(poses.x[number[point]])))])
        if along[-1] <= 1e-12 * float(np.ptp(poses.drawn, axis=0).max()):
            continue  # a joint that does not move keeps its timing
        name, whole = f"keep the timing of {point}", float(along[-1])
        terms.append(TimingTerm(name, KEPT, number[point], along / whole, whole))
    return terms


def path_parameter(drive: MotorDrive, angle: float, t: Floats, where: str) -> float:
    """The path parameter at which the first motor is at an angle, inside what is run."""
    _refuse_outside(drive, t, (angle,), where)
    inside = np.linspace(t[0], t[-1] if not drive.closed else 1.0, 4001)
    angles = drive.angles(inside)[0]
    if drive.closed:
        whole = angles[-1] - angles[0]
        angle = angles[0] + (angle - angles[0]) % whole
    nearest = int(np.argmin(np.abs(angles - angle)))
    low, high = max(nearest - 1, 0), min(nearest + 1, len(inside) - 1)
    rising = np.sign(angles[high] - angles[low]) or 1.0
    parameter = np.interp(rising * angle, rising * angles[low : high + 1], inside[low : high + 1])
    return float(parameter) % 1.0 if drive.closed else float(parameter)


def _move(move: JointMove, joint: int, drive: MotorDrive, t: Floats, where: str) -> EditTerm:
    place = np.array(move.to)
    if move.at == 0.0:
        return DrawnTerm(f"{move.joint} to {written.vector_text(place)}", move.weight, joint, place)
    name = f"{move.joint} to {written.vector_text(place)} at {np.degrees(move.at):g}°"
    moments = np.array([path_parameter(drive, move.at, t, where)])
    return PositionTerm(name, move.weight, joint, place[None], moments, drive, t)


def _curve(
    edit: CurveEdit, joint: int, drive: MotorDrive, t: Floats, poses: LinkagePoses, where: str
) -> EditTerm:
    path = poses.x[joint].T
    of = f"the curve of {edit.point}"
    if edit.through is not None:
        moments = (
            None
            if edit.at is None
            else np.array([path_parameter(drive, angle, t, f"{where}.at") for angle in edit.at])
        )
        count = len(edit.through)
        name = f"{of} through {count} point{'s' if count > 1 else ''}{'' if moments is None else ', on time'}"
        return PositionTerm(name, edit.weight, joint, np.array(edit.through), moments, drive, t)
    if edit.follow is not None:
        places = _resample(np.array(edit.follow), edit.closed)
        return PathTerm(
            f"{of} along {len(edit.follow)} points", edit.weight, joint, places, edit.closed, drive.closed
        )
    if edit.scale is not None:
        centre = path.mean(axis=0) if edit.about is None else np.array(edit.about)
        factor = np.broadcast_to(np.array(edit.scale), 2)
        name = f"{of} scaled by {factor[0]:g}" + ("" if factor[0] == factor[1] else f", {factor[1]:g}")
        return CurveTerm(name, edit.weight, joint, centre + factor * (path - centre))
    if edit.shift is not None:
        shift = np.array(edit.shift)
        return CurveTerm(f"{of} shifted by {written.vector_text(shift)}", edit.weight, joint, path + shift)
    span = edit.flatten or edit.dwell or (0.0, 0.0)
    flat = edit.flatten is not None
    frames = _samples_between(drive, t, span, f"{where}.{'flatten' if flat else 'dwell'}")
    shape = "flat" if flat else "at rest"
    name = f"{of} {shape} from {np.degrees(span[0]):g}° to {np.degrees(span[1]):g}°"
    return SpreadTerm(name, edit.weight, joint, frames, flat)


def _refuse_outside(drive: MotorDrive, t: Floats, angles: tuple[float, ...], where: str) -> None:
    """Refuse angles that the motor does not have on its way."""
    motor_angles = drive.angles(t)[0]
    low, high = float(motor_angles.min()), float(motor_angles.max())
    for angle in angles:
        if not drive.closed and not low - 1e-9 <= angle <= high + 1e-9:
            reach = f"{np.degrees(low):.6g}° to {np.degrees(high):.6g}°"
            problem = f"{np.degrees(angle):.6g}° is not on the motor's way, which goes from {reach}"
            raise InputError([Fault(where, problem, "Give an angle on it")])


def _samples_between(drive: MotorDrive, t: Floats, span: tuple[float, float], where: str) -> Ints:
    """Samples whose first motor angle lies in a span; in a closed cycle, the span may wrap."""
    _refuse_outside(drive, t, span, where)
    angles = drive.angles(t)[0]
    if drive.closed:
        whole = abs(float(drive.at_knots[0, -1] - np.interp(0.0, drive.knots, drive.at_knots[0])))
        width = span[1] - span[0]
        inside = (angles - span[0]) % whole <= (whole if abs(width) >= whole - 1e-9 else width % whole)
    else:
        inside = (angles >= min(span)) & (angles <= max(span))
    frames = np.flatnonzero(inside)
    if len(frames) < 3:
        problem = f"holds {len(frames)} of the {len(t)} samples, and needs 3"
        raise InputError([Fault(where, problem, "Give a wider span, or more samples")])
    return frames


def _lengths(model: Linkage, study: EditStudy, number: dict[str, int], drawn: Floats) -> Iterator[EditTerm]:
    shapes = {link.label: link.joints for link in model.links}
    for edit in study.lengths:
        pairs = [edit.joints] if edit.joints is not None else combinations(shapes[edit.link or ""], 2)
        at = np.array([(number[a], number[b]) for a, b in pairs])
        at = at[at[:, 0] != at[:, 1]]  # a pin with two names has no length
        lengths, _ = length_slopes(drawn, at)
        wanted = np.full(len(at), edit.to) if edit.to is not None else lengths * (edit.scale or 1.0)
        what = "-".join(edit.joints) if edit.joints is not None else edit.link
        size = f"{edit.to:g} long" if edit.to is not None else f"scaled by {edit.scale:g}"
        yield LengthTerm(f"{what} {size}", edit.weight, at, wanted)


def _enclosure(
    enclosure: JointEnclosure, number: dict[str, int], every: list[int], poses: int, closed: bool
) -> EditTerm:
    if enclosure.box is not None:
        (x0, y0), (x1, y1) = np.sort(np.array(enclosure.box), axis=0)
        corners = np.array([(x0, y0), (x1, y0), (x1, y1), (x0, y1)])
    else:
        corners = np.array(enclosure.polygon)
        following = np.roll(corners, -1, axis=0)
        if (corners[:, 0] * following[:, 1] - corners[:, 1] * following[:, 0]).sum() < 0:
            corners = corners[::-1]
    edges = np.roll(corners, -1, axis=0) - corners
    normals = np.stack([edges[:, 1], -edges[:, 0]], axis=1) / np.hypot(*edges.T)[:, None]
    joints = [number[name] for name in enclosure.joints] or every
    what = "the box" if enclosure.box is not None else "the polygon"
    offsets = (normals * corners).sum(axis=1)
    return EnclosureTerm(f"inside {what}", INSIDE, np.array(joints), corners, normals, offsets, poses, closed)


def _resample(points: Floats, closed: bool) -> Floats:
    """Evenly along the polyline."""
    ring = np.concatenate([points, points[:1]]) if closed else points
    along = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(ring, axis=0).T))])
    at = np.linspace(0.0, along[-1], FINE + 1)[: FINE if closed else FINE + 1]
    return np.stack([np.interp(at, along, ring[:, c]) for c in range(2)], axis=1)
