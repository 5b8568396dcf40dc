"""The greatest force of a way, to any number of digits."""

from fractions import Fraction

import pytest
from flint import arb, ctx

from pliant.snap.force.certified import certified_force
from pliant.snap.force.peak import CertifiedForce, certified_peak, peak_of
from pliant.snap.force.snap_trajectory import SnapTrajectory
from pliant.snap.generate import cantilever_hook, two_hooks
from pliant.snap.model import Fastener, SnapStudy
from pliant.snap.result import SnapResult
from pliant.snap.solve import solve
from pliant.snap.springs.spring import stiffness_of

# Where the bevel of a bolt runs up a lip, the force is greatest on the way, and falls again before the end.
BOLT = {
    "friction": "1/5",
    "root": {"velocity": [0, -1], "until": 20},
    "pawls": [
        {
            "name": "bolt",
            "hinge": [-10, -10],
            "outline": [[-3, -3], [3, -3], [3, 18], [18, 29], [18, "63/2"], [-3, 37]],
            "stiffness": 2000,
            "preload": -600,
            "stops": [0, "1/5 u"],
        }
    ],
    "obstacles": [{"outline": [[2, 0], [22, 0], [22, 8], [2, 8]]}],
}
# A hook whose side, turned by 2 atan(1/10), lies flush on a wall along the motion: there it presses anywhere
# between 10 and 12 below its hinge, 2 beside it. A long and gentle ramp leads up to that.
FLUSH = {
    "friction": "1/2",
    "root": {"velocity": [0, -1], "until": 65},
    "pawls": [
        {
            "name": "hook",
            "hinge": [0, 70],
            "outline": [
                [0, 0],
                [-1, -12],
                ["438/101", "-1148/101"],
                ["398/101", "-950/101"],
            ],
            "stiffness": 100,
        }
    ],
    "obstacles": [{"outline": [[2, -20], [6, -20], [6, 68], [5, 68], [2, 8]]}],
}


def ran(model: Fastener, **asked) -> SnapResult:
    return solve(model, SnapStudy(**asked))


def proved(model: Fastener, way: SnapTrajectory, digits: int) -> CertifiedForce:
    peak = peak_of(model, way)
    assert peak is not None
    return certified_peak(model, peak, digits)


def apart(one: CertifiedForce, other: CertifiedForce) -> float:
    with ctx.workprec(400):
        return float(abs(one.force.mid() - other.force.mid()))


@pytest.mark.parametrize(
    "model", [two_hooks(Fraction(3, 10)), cantilever_hook(), Fastener.model_validate(BOLT)]
)
def test_more_digits_go_on_from_fewer_and_floats_agree(model: Fastener):
    way = ran(model).way_in
    few, many = (proved(model, way, digits) for digits in (20, 60))
    assert float(few.force.mid()) == pytest.approx(way.peak, rel=1e-12)
    assert apart(few, many) < 1e-19 * way.peak
    assert float(many.force.rad()) < 1e-60 * way.peak


def test_a_peak_inside_a_stretch_is_higher_than_what_is_beside_it():
    model = Fastener.model_validate(BOLT)
    way = ran(model).way_in
    peak = peak_of(model, way)
    assert peak is not None
    assert peak.span.begin + 0.1 < peak.t < peak.span.end - 0.1
    top = certified_peak(model, peak, 40)
    # 40 digits of the force need 20 of its t; at a distance d beside it the force is lower by about d².
    for beside in (Fraction(1, 10**6), Fraction(-1, 10**6)):
        moved = certified_at(model, way, top.t + beside)
        with ctx.workprec(400):
            assert 1e-14 < float(top.force - moved) < 1e-10


def certified_at(model: Fastener, way: SnapTrajectory, t: Fraction) -> arb:
    peak = peak_of(model, way)
    assert peak is not None
    (pawl,) = model.pawls
    path, piece = peak.course.paths[pawl.name], peak.span.pieces[pawl.name]
    spring = (stiffness_of(model, pawl), pawl.preload)
    return certified_force(path, piece, t, spring, model.friction, 40).against


def test_a_peak_where_the_force_jumps_is_that_of_the_higher_side():
    model = two_hooks(Fraction(3, 10))
    way = ran(model).way_in
    peak = peak_of(model, way)
    assert peak is not None
    assert peak.t == pytest.approx(peak.span.end)
    curve = way.curves[0]
    jump = int(curve.high.argmax())
    assert curve.t[jump + 1] == curve.t[jump]
    assert curve.high[jump + 1] < 0.2 * curve.high[jump]
    assert float(proved(model, way, 12).force.mid()) == pytest.approx(curve.high[jump], rel=1e-12)


def test_the_peak_of_a_flush_contact_is_that_of_its_shorter_lever():
    model = Fastener.model_validate(FLUSH)
    way = ran(model).way_in
    peak = peak_of(model, way)
    assert peak is not None
    assert len(peak.span.pieces["hook"].contacts) == 2
    with ctx.workprec(400):
        torque = 100 * 2 * (arb(1) / 10).atan()
        wanted = torque / 2 / (10 - arb(2) / 2)  # μ N, with N (10 − μ 2) = κ θ
        found = certified_peak(model, peak, 50).force
        assert abs(found - wanted) < arb(10) ** -48


def test_nothing_is_the_peak_of_a_way_without_contact():
    model = two_hooks().model_copy(
        update={"root": two_hooks().root.model_copy(update={"until": Fraction(1)})}
    )
    assert peak_of(model, ran(model).way_in) is None


def test_text_and_json_have_the_digits_the_radius_and_the_exact_t():
    model = cantilever_hook()
    found = proved(model, ran(model).way_in, 25)
    value, _, radius = found.text(25).partition(" ± ")
    assert len(value.replace(".", "")) >= 25
    assert float(radius) < 1e-23
    data = found.to_dict(25)
    assert (data["force"], data["radius"], Fraction(data["t_exact"])) == (value, radius, found.t)


def test_results_hold_what_is_proved_where_digits_were_asked_for():
    result = ran(two_hooks(), digits=20, reverse=True)
    data = result.to_dict()
    for told, way in zip((data, data["back"]), result.ways, strict=True):
        assert float(told["peak_certified"]["force"]) == pytest.approx(way.peak, rel=1e-12)
    assert ran(two_hooks(Fraction(7, 10)), digits=20).to_dict()["peak_certified"] is None
