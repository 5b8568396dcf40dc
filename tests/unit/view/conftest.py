"""Motions small enough to know every pixel of."""

import numpy as np
import pytest

from pliant.core.motion import Event, Mark, Motion, Shape, Signal

SQUARE = np.array([[0.0, 0.0], [10.0, 0.0], [10.0, 10.0], [0.0, 10.0]])
HOLE = np.array([[4.0, 4.0], [6.0, 4.0], [6.0, 6.0], [4.0, 6.0]])


@pytest.fixture
def blocks() -> Motion:
    """A fixed block and one with a hole that goes 30 to the right in four frames."""
    poses = np.zeros((4, 2, 3))
    poses[:, 1, 0] = [20, 30, 40, 50]
    return Motion(
        "step",
        "",
        np.arange(4.0),
        title="Two blocks",
        length_unit="mm",
        bodies=("base", "slider"),
        shapes=(Shape((SQUARE.copy(),)), Shape((SQUARE.copy(), HOLE.copy()))),
        body_shapes=np.array([0, 1]),
        fixed=np.array([True, False]),
        poses=poses,
        body_scalars={"displacement": poses[:, :, 0] - poses[:1, :, 0]},
        marks=(
            Mark("arrow", np.array([[25.0, 15.0], [35.0, 15.0]]), frame=1, group="force", value=3.0),
            Mark("polygon", np.array([[0.0, -5.0], [60, -5], [60, -2], [0, -2]]), group="keep", text="floor"),
        ),
        signals={"reach": Signal("mm", poses[:, 1, 0].copy())},
        events=(Event(2.0, "touches"),),
    )


@pytest.fixture
def crank() -> Motion:
    """A bar that turns once about A, left about, with the circle of its tip B traced."""
    angles = np.linspace(0, 2 * np.pi, 72, endpoint=False)
    tips = 10 * np.stack([np.cos(angles), np.sin(angles)], axis=-1)
    bar = np.array([[-1.0, -1.0], [11.0, -1.0], [11.0, 1.0], [-1.0, 1.0]])
    return Motion(
        "angle",
        "deg",
        np.degrees(angles),
        bodies=("bar",),
        shapes=(Shape((bar,)),),
        body_shapes=np.zeros(1, np.int64),
        fixed=np.array([False]),
        poses=np.concatenate([np.zeros((72, 1, 2)), angles[:, None, None]], axis=2),
        point_names=("A", "B"),
        points=np.stack([np.zeros_like(tips), tips], axis=1),
        marks=(Mark("curve", np.vstack([tips, tips[:1]]), group="trace", text="B"),),
    )


@pytest.fixture
def linkage() -> Motion:
    """A crank about a resting point, in a quarter turn."""
    angles = np.linspace(0, np.pi / 2, 10)
    points = np.zeros((10, 2, 2))
    points[:, 1] = np.stack([np.cos(angles), np.sin(angles)], axis=-1)
    return Motion(
        "angle",
        "rad",
        angles,
        point_names=("A", "B"),
        points=points,
        strokes=np.array([[0, 1]]),
        stroke_scalars={"load": np.sin(angles)[:, None]},
    )
