"""What every linkage must satisfy, over random ones: lengths, derivatives, and how it is written down.

Two families. `dyadic`: joints added one by one as triangles, points on links (collinear too), and
sliders on fixed and on moving guides, driven by one or two motors. `coupled`: a platform on three
supports, whose joints must be found together. Poses are compared where every triangle and slider is
well away from flat, for beyond that the linkage, not the arithmetic, has no answer.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from pliant.linkage.kinematics.coupled import determinants
from pliant.linkage.kinematics.follow import follow
from pliant.linkage.kinematics.mobility import compile_plan
from pliant.linkage.kinematics.poses import (
    LinkagePoses,
    gradient,
    jacobian,
    openness,
    positions,
    rates,
    select_poses,
)
from pliant.linkage.model import Linkage
from pliant.linkage.solve import solve
from pliant.linkage.structure.rule_plan import RulePlan

Floats = NDArray[np.float64]

FAMILIES = ("dyadic", "coupled")
KINDS = ("triangle", "point", "collinear", "fixed guide", "guide of its own", "along a link")
SAMPLES = 25  # of a turn
OPEN = 0.9  # of |c|, the cosine at a triangle's tip, or of 1 less a group's determinant


def over_seeds(examples: int) -> Callable[[Callable], Callable]:
    """The same ones every time."""
    chosen = settings(max_examples=examples, deadline=None, derandomize=True)
    return lambda test: chosen(given(seed=st.integers(0, 99_999))(test))


def of_both_families(count: int) -> pytest.MarkDecorator:
    """The first linkages of each family; coupled ones take long, and most are left to the slow tests."""
    rest = [pytest.param("coupled", seed, marks=pytest.mark.slow) for seed in range(5, count)]
    first = [("coupled", seed) for seed in range(5)]
    return pytest.mark.parametrize(
        ("family", "seed"), [*(("dyadic", seed) for seed in range(count)), *first, *rest]
    )


shared = of_both_families(20)  # for tests which share their poses


@dataclass
class Sketch:
    """A linkage being drawn: what the schema takes, and where everything is."""

    rng: np.random.Generator
    at: dict[str, complex] = field(default_factory=dict)
    ground: list[str] = field(default_factory=list)
    links: list[list[str]] = field(default_factory=list)
    motors: list[dict] = field(default_factory=list)
    sliders: list[dict] = field(default_factory=list)

    def add(self, z: complex) -> str:
        name = f"j{len(self.at)}"
        self.at[name] = z
        return name

    def somewhere(self) -> complex:
        return complex(*self.rng.uniform(-4, 4, 2))

    def crank(self) -> None:
        pivot = self.add(self.somewhere())
        self.ground.append(pivot)
        angle = self.rng.uniform(0, math.tau)
        tip = self.add(self.at[pivot] + self.rng.uniform(0.5, 1.2) * np.exp(1j * angle))
        self.links.append([pivot, tip])
        direction = "ccw" if self.rng.random() < 0.5 else "cw"
        self.motors.append({"joint": pivot, "drives": tip, "direction": direction})

    def model(self) -> Linkage:
        return Linkage(
            ground=tuple(self.ground),
            joints={name: (float(z.real), float(z.imag)) for name, z in self.at.items()},
            links=tuple({"joints": link, "name": f"l{n}"} for n, link in enumerate(self.links)),
            motors=tuple(self.motors),
            sliders=tuple(self.sliders),
        )


def dyadic(seed: int, cranks: int | None = None) -> Linkage:
    """One or two cranks, two more pivots, and up to seven joints of random kinds, a triangle first."""
    sketch = Sketch(np.random.default_rng(seed))
    for _ in range(cranks or int(sketch.rng.integers(1, 3))):
        sketch.crank()
    sketch.ground += [sketch.add(sketch.somewhere()) for _ in range(2)]
    kinds = ["triangle", *sketch.rng.choice(KINDS, int(sketch.rng.integers(1, 7))).tolist()]
    for kind in kinds:
        GROW[kind](sketch)
    return sketch.model()


def _sine(u: complex, v: complex) -> float:
    return abs((u.conjugate() * v).imag) / (abs(u) * abs(v))


def _triangle(sketch: Sketch) -> None:
    """A joint on two joints of different links, at least one of which moves."""
    while True:
        i, j = sketch.rng.choice(list(sketch.at), 2, replace=False).tolist()
        rigid = any({i, j} <= set(link) for link in [*sketch.links, sketch.ground])
        z = sketch.somewhere()
        if not rigid and _sine(z - sketch.at[i], z - sketch.at[j]) > 0.5:
            k = sketch.add(z)
            sketch.links += [[i, k], [j, k]]
            return


def _point(sketch: Sketch) -> None:
    link = _a_link(sketch)
    link.append(sketch.add(sketch.somewhere()))


def _collinear(sketch: Sketch) -> None:
    link = _a_link(sketch)
    i, j = (sketch.at[name] for name in link[:2])
    link.append(sketch.add(i + sketch.rng.uniform(0.2, 1.8) * (j - i)))


def _fixed_guide(sketch: Sketch) -> None:
    along = sketch.somewhere()
    _slide(sketch, along, {"along": _guide(sketch, along)})


def _own_guide(sketch: Sketch) -> None:
    """A guide drawn on a moving link, beside its joints."""
    along = sketch.somewhere()
    number = sketch.links.index(_a_link(sketch))
    _slide(sketch, along, {"along": _guide(sketch, along), "on": f"l{number}"})


def _along_a_link(sketch: Sketch) -> None:
    link = _a_link(sketch)
    along = sketch.at[link[1]] - sketch.at[link[0]]
    _slide(sketch, along, {"on": f"l{sketch.links.index(link)}"})


def _guide(sketch: Sketch, along: complex) -> tuple:
    start = sketch.somewhere()
    return ((start.real, start.imag), ((start + along).real, (start + along).imag))


def _slide(sketch: Sketch, along: complex, guide: dict) -> None:
    """A joint on a bar that is held off square to the guide, from a joint that does not carry it."""
    carrier = sketch.links[int(guide["on"][1:])] if "on" in guide else []
    others = [name for name in sketch.at if name not in carrier]
    while True:
        i = str(sketch.rng.choice(others))
        z = sketch.somewhere()
        if abs(((z - sketch.at[i]).conjugate() * along).real) > 0.5 * abs(z - sketch.at[i]) * abs(along):
            k = sketch.add(z)
            sketch.links.append([i, k])
            sketch.sliders.append({"joint": k, **guide})
            return


def _a_link(sketch: Sketch) -> list[str]:
    return sketch.links[int(sketch.rng.integers(len(sketch.links)))]


GROW: dict[str, Callable[[Sketch], None]] = {
    "triangle": _triangle,
    "point": _point,
    "collinear": _collinear,
    "fixed guide": _fixed_guide,
    "guide of its own": _own_guide,
    "along a link": _along_a_link,
}


def coupled(seed: int) -> Linkage:
    """A platform on a crank's bar, a bar from the ground, and a bar or a slider; and one point more."""
    while True:
        sketch = Sketch(np.random.default_rng(seed))
        sketch.crank()
        platform = [sketch.add(sketch.somewhere()) for _ in range(3)]
        sketch.links.append(platform)
        sketch.links.append([sketch.motors[0]["drives"], platform[0]])
        for joint in platform[1:]:
            if joint == platform[2] and sketch.rng.random() < 0.4:
                sketch.sliders.append({"joint": joint, "along": _guide(sketch, sketch.somewhere())})
            else:
                pivot = sketch.add(sketch.somewhere())
                sketch.ground.append(pivot)
                sketch.links.append([pivot, joint])
        GROW["collinear" if sketch.rng.random() < 0.5 else "point"](sketch)
        model = sketch.model()
        if _held(model) > 1 - OPEN:
            return model
        seed += 100_000


def _held(model: Linkage) -> float:
    plan = compile_plan(model)
    at = np.ascontiguousarray(plan.drawn[:, :, None])
    return min((abs(float(determinants(group, plan.drawn, at)[0])) for group in plan.groups), default=0.0)


MAKERS: dict[str, Callable[[int], Linkage]] = {"dyadic": dyadic, "coupled": coupled}


def path(plan: RulePlan, samples: int, reach: float) -> Floats:
    """Motor angles (M, F) from the drawn pose on, each motor at its own pace."""
    pace = 1 / (1 + np.arange(len(plan.structure.motors)))
    return np.ascontiguousarray(pace[:, None] * np.linspace(0, reach, samples))


def reached(plan: RulePlan, samples: int, reach: float = math.tau) -> LinkagePoses:
    """The poses of a path that can be had at all, the drawn one first."""
    poses = follow(plan, path(plan, samples, reach)).poses
    return select_poses(poses, np.flatnonzero(_flatness(poses) <= 1))


def well_open(plan: RulePlan, samples: int) -> LinkagePoses:
    """The poses of a path that are far from any toggle; of as long a path as has a third of such."""
    reach = math.tau
    while True:
        poses = follow(plan, path(plan, samples, reach)).poses
        clear = np.flatnonzero(_flatness(poses) <= OPEN)
        if 3 * len(clear) >= samples:
            return select_poses(poses, clear)
        reach /= 2


def _flatness(poses: LinkagePoses) -> Floats:
    """(F,) the largest |c| of any triangle or slider; of a group, 1 less its determinant."""
    v, _ = rates(poses, np.ones_like(poses.angles), np.zeros_like(poses.angles))
    c, _ = openness(poses, v)
    worst = np.abs(c).max(axis=0)
    for group in poses.plan.groups:
        worst = np.maximum(worst, 1 - np.abs(determinants(group, poses.drawn, poses.x)))
    return worst


@cache
def opened(family: str, seed: int) -> LinkagePoses:
    return well_open(compile_plan(MAKERS[family](seed)), SAMPLES)


def redrawn(poses: LinkagePoses, drawn: Floats) -> Floats:
    """Positions of another drawing, nearby."""
    return positions(poses.plan, poses.angles, drawn, near=poses.x).x


# The generators themselves


def test_random_linkages_use_every_rule_and_both_families_go_round_or_part_of_the_way():
    rules, motors, whole = set(), set(), 0
    for seed in range(16):
        for family in FAMILIES:
            plan = compile_plan(MAKERS[family](seed))
            rules |= {entry["rule"] for entry in plan.describe()}
            motors.add(len(plan.structure.motors))
            whole += reached(plan, 24).x.shape[2] == 24
    assert rules == {"fixed", "motor", "triangle", "point", "slider", "coupled"}
    assert motors == {1, 2}
    assert 2 < whole < 30


# Lengths


@pytest.mark.few(25)
@of_both_families(60)
def test_links_stay_rigid_and_sliders_stay_on_their_guides_at_every_pose(family, seed):
    plan = compile_plan(MAKERS[family](seed))
    poses = reached(plan, 90)
    z, bar = poses.x[:, 0] + 1j * poses.x[:, 1], plan.drawn[:, 0] + 1j * plan.drawn[:, 1]
    small = 1e-10 * plan.structure.size
    for link in plan.structure.links:
        for i, j in combinations(link, 2):
            assert np.abs(np.abs(z[i] - z[j]) - abs(bar[i] - bar[j])).max() <= small
        for i, j, k in combinations(link, 3):  # not turned over
            shape = (z[k] - z[i]) * np.conj(z[j] - z[i])
            drawn = (bar[k] - bar[i]) * np.conj(bar[j] - bar[i])
            assert np.abs(shape - drawn).max() <= small * plan.structure.size
    for k, a, b in plan.structure.sliders:
        off = ((z[k] - z[a]) * np.conj(z[b] - z[a])).imag / abs(bar[b] - bar[a])
        drawn = ((bar[k] - bar[a]) * np.conj(bar[b] - bar[a])).imag / abs(bar[b] - bar[a])
        assert np.abs(off - drawn).max() <= small


@of_both_families(25)
def test_at_angle_zero_every_linkage_is_as_drawn(family, seed):
    plan = compile_plan(MAKERS[family](seed))
    poses = reached(plan, 2, 0.01)
    assert np.abs(poses.x[:, :, 0] - plan.drawn).max() <= 1e-12 * plan.structure.size


# Limits


@over_seeds(60)
def test_limits_are_where_the_first_rule_stops_closing(seed):
    """Beside a scan of the whole turn, either way, in steps of 2e-4 rad."""
    result = solve(dyadic(seed, cranks=1))
    angles = np.linspace(0, math.tau, 31_417)
    first = []
    for way in (1, -1):
        beyond = _flatness(positions(result.plan, way * angles[None])) > 1
        first.append(way * angles[np.argmax(beyond)] if beyond.any() else None)
    high, low = first
    if result.limits is None:
        assert high is None
    else:
        assert high is not None
        assert low is not None
        step = angles[1]
        assert high - step - 1e-9 <= result.limits[1] <= high + 1e-9
        assert low - 1e-9 <= result.limits[0] <= low + step + 1e-9


# Rates


def assert_slope(slope: Floats, f: Callable[[float], Floats], small: float) -> None:
    """f' at 0 by five points, of fourth order: two steps that differ say how far each may be off."""
    wide, narrow = (
        (f(-2 * step) - 8 * f(-step) + 8 * f(step) - f(2 * step)) / (12 * step) for step in (2e-4, 1e-4)
    )
    assert (np.abs(slope - narrow) <= np.abs(wide - narrow) + small).all()


@pytest.mark.few(10)
@shared
def test_velocities_and_accelerations_are_the_slopes_of_positions_and_velocities(family, seed):
    """Along θ(t) = θ + wt + w't²/2 with random w, w' for each motor."""
    poses = opened(family, seed)
    rng = np.random.default_rng(seed)
    w, dw = rng.uniform(0.5, 1.5, poses.angles.shape), rng.normal(size=poses.angles.shape)

    def moved(t: float) -> LinkagePoses:
        return positions(poses.plan, poses.angles + w * t + dw * t * t / 2, near=poses.x)

    v, a = rates(poses, w, dw)
    assert_slope(v, lambda t: moved(t).x, 1e-9 * (1 + np.abs(v).max()))
    assert_slope(a, lambda t: rates(moved(t), w + dw * t, dw)[0], 1e-9 * (1 + np.abs(a).max()))


# Derivatives by the drawing


def slope_of(remainder: Callable[[float], float], step: float) -> float:
    """The power with which a remainder shrinks, over three halvings of the step."""
    sizes = [remainder(step / 2**n) for n in range(4)]
    return float(np.polyfit(np.log(step / 2.0 ** np.arange(4)), np.log(sizes), 1)[0])


@shared
def test_the_jacobian_leaves_a_remainder_of_second_order(family, seed):
    poses = opened(family, seed)
    way = np.random.default_rng(seed).normal(size=poses.drawn.shape)
    first = np.einsum("kcpef,pe->kcf", jacobian(poses), way)

    def remainder(step: float) -> float:
        there = redrawn(poses, poses.drawn + step * way)
        return float(np.linalg.norm(there - poses.x - step * first))

    assert slope_of(remainder, 2e-4) == pytest.approx(2, abs=0.1)


@shared
def test_the_gradient_leaves_a_remainder_of_second_order(family, seed):
    """Of L = Σ sin x, whose ∂L/∂x = cos x."""
    poses = opened(family, seed)
    way = np.random.default_rng(seed).normal(size=poses.drawn.shape)
    first = float(np.sum(gradient(poses, np.cos(poses.x)) * way))

    def remainder(step: float) -> float:
        there = redrawn(poses, poses.drawn + step * way)
        # sin a − sin b without the cancellation
        change = 2 * np.cos((there + poses.x) / 2) * np.sin((there - poses.x) / 2)
        return abs(float(change.sum()) - step * first)

    assert slope_of(remainder, 2e-4) == pytest.approx(2, abs=0.1)


@shared
def test_the_gradient_is_the_jacobian_contracted(family, seed):
    poses = opened(family, seed)
    slope = np.random.default_rng(seed).normal(size=poses.x.shape)
    contracted = np.einsum("kcf,kcpef->pe", slope, jacobian(poses))
    assert np.abs(gradient(poses, slope) - contracted).max() <= 1e-12 * np.abs(contracted).max()


# Invariance


def carried(model: Linkage, f: Callable[[complex], complex]) -> Linkage:
    """The same linkage drawn elsewhere: every point z of it at f(z)."""

    def at(point: tuple[float, float]) -> tuple[float, float]:
        z = f(complex(*point))
        return (z.real, z.imag)

    sliders = [
        s if s.along is None else s.model_copy(update={"along": tuple(at(p) for p in s.along)})
        for s in model.sliders
    ]
    joints = {name: at(point) for name, point in model.joints.items()}
    return model.model_copy(update={"joints": joints, "sliders": tuple(sliders)})


def moved_rigidly(z: complex) -> complex:
    return np.exp(0.7j) * z + (13 - 5j)


def mirrored(model: Linkage) -> Linkage:
    """In the x axis, with every motor the other way."""
    other = {"ccw": "cw", "cw": "ccw"}
    motors = [m.model_copy(update={"direction": other[m.direction]}) for m in model.motors]
    return carried(model, lambda z: z.conjugate()).model_copy(update={"motors": tuple(motors)})


def shuffled(model: Linkage, seed: int) -> Linkage:
    """Other names, in another order, in links and a list of links in another order."""
    rng = np.random.default_rng(seed)
    names = list(model.joints)
    new = {name: f"q{n}" for name, n in zip(names, rng.permutation(len(names)).tolist(), strict=True)}
    joints = {new[name]: model.joints[name] for name in rng.permutation(names).tolist()}
    carriers = {slider.on for slider in model.sliders if slider.along is None}  # the first two are its guide
    links = [
        link.model_copy(
            update={
                "joints": tuple(
                    new[name]
                    for name in (link.joints if link.name in carriers else rng.permutation(link.joints))
                )
            }
        )
        for link in model.links
    ]
    return model.model_copy(
        update={
            "joints": joints,
            "ground": tuple(new[name] for name in model.ground[::-1]),
            "links": tuple(links[n] for n in rng.permutation(len(links))),
            "motors": tuple(
                m.model_copy(update={"joint": new[m.joint], "drives": new[m.drives]}) for m in model.motors
            ),
            "sliders": tuple(
                s.model_copy(update={"joint": new[s.joint]}) for s in rng.permutation(model.sliders)
            ),
        }
    )


Named = tuple[LinkagePoses, dict[str, NDArray[np.complex128]], Floats]


@cache
def as_drawn(family: str, seed: int) -> Named:
    return named(opened(family, seed))


def drawn_anew(model: Linkage) -> Named:
    return named(well_open(compile_plan(model), SAMPLES))


def named(poses: LinkagePoses) -> Named:
    """Poses, joints by name as complex numbers, and ∂x/∂x̄ summed to one number a joint."""
    z = poses.x[:, 0] + 1j * poses.x[:, 1]
    return poses, dict(zip(poses.plan.structure.names, z, strict=True)), np.linalg.norm(jacobian(poses))


@pytest.mark.few(25)
@pytest.mark.parametrize(
    ("change", "f"),
    [
        ("moved rigidly", moved_rigidly),
        ("a thousand times smaller", lambda z: z * 1e-3),
        ("25.4 times larger", lambda z: z * 25.4),
    ],
)
@shared
def test_a_linkage_drawn_elsewhere_or_in_other_units_runs_the_same(family, change, f, seed):
    here, places, amount = as_drawn(family, seed)
    there, others, other_amount = drawn_anew(carried(MAKERS[family](seed), f))
    assert there.angles == pytest.approx(here.angles, abs=1e-15), change
    small = 1e-10 * there.plan.structure.size
    for name, z in places.items():
        assert np.abs(others[name] - np.array([f(p) for p in z])).max() <= small
    assert other_amount == pytest.approx(amount, rel=1e-9)


@pytest.mark.few(10)
@shared
def test_a_mirrored_linkage_with_its_motors_reversed_runs_as_the_mirror_image(family, seed):
    _, places, amount = as_drawn(family, seed)
    there, others, other_amount = drawn_anew(mirrored(MAKERS[family](seed)))
    for name, z in places.items():
        assert np.abs(others[name] - np.conj(z)).max() <= 1e-10 * there.plan.structure.size
    assert other_amount == pytest.approx(amount, rel=1e-9)


@pytest.mark.few(10)
@shared
def test_names_and_the_order_of_joints_and_links_do_not_matter(family, seed):
    model = MAKERS[family](seed)
    other = shuffled(model, seed)
    here, places, _ = as_drawn(family, seed)
    there, others, _ = drawn_anew(other)
    assert there.angles == pytest.approx(here.angles, abs=1e-15)
    renamed = {at: name for name, at in other.joints.items()}
    for name, at in model.joints.items():
        assert np.abs(others[renamed[at]] - places[name]).max() <= 1e-10 * here.plan.structure.size
