"""Evolution: changes that leave a design whole, scores for whatever comes, and machines that work."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner

import pliant
from pliant.cli import main
from pliant.core.errors import PliantError
from pliant.core.progress import Interrupted
from pliant.relax.evolve import crawl, crawler, line, straight_line
from pliant.relax.evolve.design import ActuatorGene, MachineDesign, batch, drives, round_design
from pliant.relax.evolve.firmness import firmness
from pliant.relax.evolve.islands import simplify_best
from pliant.relax.evolve.mutations import FEWEST, MOST, drop_loose_node, mutate, trace_another
from pliant.relax.model import Mechanism
from pliant.relax.solve import solve
from pliant.relax.status import EvolveStatus, RelaxStatus

# As `pliant evolve line` and `… crawler` found them.
LINE = MachineDesign(
    (-0.04149 - 0.001824j, 1.003257 + 0.048355j, 0.171834 + 0.193498j, 0.330689 + 0.507136j,
     0.393421 - 0.161539j),
    2,
    ((0, 2), (1, 3), (2, 3), (3, 4), (2, 4)),
    (ActuatorGene((1, 2), (1.039073 / abs(0.831423 - 0.145143j),)),),
)  # fmt: skip
CRAWLER = MachineDesign(
    (-0.566793 + 0.045022j, -1.011918 + 0j, -0.442518 + 0.575125j, -1.272038 + 0.229045j,
     -1.133592 + 0.388241j),
    0,
    ((2, 3), (1, 3), (3, 4), (1, 4), (0, 4)),
    tuple(
        ActuatorGene(pair, tuple(length / drawn for length in to))
        for pair, drawn, to in (
            ((1, 2), abs(0.5694 + 0.575125j), (1.074972, 0.676467, 1.097364, 0.587159, 0.66102, 0.946968)),
            ((0, 2), abs(0.124275 + 0.530103j), (0.762266, 0.637008, 0.737822, 0.437763, 0.529306, 0.523782)),
        )
    ),
)  # fmt: skip
GOALS = {"line": line, "crawl": crawl}


def all_barred(design: MachineDesign) -> MachineDesign:
    driven = {one.nodes for one in design.actuators}
    return replace(design, bars=tuple((a, b) for b in range(5) for a in range(b) if (a, b) not in driven))


def whole(design: MachineDesign, grounded: int) -> bool:
    """Whether links join nodes that are there, each pair once, and the number of nodes is allowed."""
    pairs = [frozenset(link) for link in design.links]
    return (
        all(len(pair) == 2 and max(pair) < len(design.nodes) for pair in pairs)
        and len(set(pairs)) == len(pairs)
        and FEWEST <= len(design.nodes) <= MOST
        and design.grounded == grounded
        and len(design.actuators) > 0
    )


@pytest.mark.parametrize("goal", GOALS.values(), ids=GOALS)
def test_designs_stay_whole_through_any_changes_and_all_are_scored(goal):
    rng = np.random.default_rng(0)
    designs = [goal._start(rng) for _ in range(40)]
    grounded = designs[0].grounded
    for _ in range(30):
        designs = [mutate(rng, design, goal.CHANGES) for design in designs]
        assert all(whole(design, grounded) for design in designs)
    scores = goal.score(designs)
    assert np.isfinite(scores).all()
    assert (scores >= 0).all()


DEGENERATE = {
    "all nodes in one place": lambda design: replace(design, nodes=(0j,) * len(design.nodes)),
    "all nodes on a line": lambda design: replace(design, nodes=(0j, 1 + 0j, 2 + 0j, 3 + 0j, 4 + 0j)),
    "no bars": lambda design: replace(design, bars=()),
    "a node that hangs on nothing": lambda design: replace(design, nodes=(*design.nodes, 3 + 3j)),
    "locked": all_barred,
}


@pytest.mark.parametrize("spoil", DEGENERATE.values(), ids=DEGENERATE)
@pytest.mark.parametrize(("goal", "design"), [(line, LINE), (crawl, CRAWLER)], ids=GOALS)
def test_machines_that_do_not_work_score_nothing(goal, design, spoil):
    scores = goal.score([spoil(design), design])
    assert scores[0] < 1e-6
    assert scores[1] > 0.2


def test_an_arc_is_measured_as_what_it_is():
    """A bar of 1 swings by θ: a box of length 2 sin θ/2 and width 1 − cos θ/2."""
    design = MachineDesign((0j, 2 + 0j, 1j), 2, ((0, 2),), (ActuatorGene((1, 2), (1.1,)),))
    found = line.line_measures([design], 100, 400)
    turned = np.arccos((5 - 5 * 1.21) / 4) - np.pi / 2
    assert found.aspect[0] == pytest.approx((1 - np.cos(turned / 2)) / (2 * np.sin(turned / 2)), rel=0.03)
    assert found.stroke[0] == pytest.approx(2 * np.sin(turned / 2) / 2.25, rel=0.05)
    assert found.arc[0]
    assert found.error[0] < 1e-9


def test_the_evolved_line_is_straight_and_exact_lengths_confirm_it():
    """Aspect 8e-5 over 40 % of the size, by small steps and by Newton's method on the lengths."""
    found = line.line_measures([LINE], *line.FINE)
    assert found.aspect[0] < 1e-4
    assert found.stroke[0] > 0.4
    assert found.error[0] < 1e-12
    names = "abcde"
    model = Mechanism.model_validate(
        {
            "nodes": {name: (node.real, node.imag) for name, node in zip(names, LINE.nodes, strict=True)},
            "ground": ["a", "b"],
            "bars": [{"nodes": (names[a], names[b])} for a, b in LINE.bars],
            "actuators": [{"nodes": ("b", "c"), "to": 1.039073}],
            "study": {"frames": 100},
        }
    )
    trace = solve(model).motion.points[:, 4]
    across, along = line._box(trace[None])
    assert across[0] / along[0] == pytest.approx(found.aspect[0], rel=0.02)


@pytest.mark.parametrize("friction", [0.5, 0.7, 0.9])
def test_the_evolved_crawler_gets_farther_than_its_own_length(friction):
    went = crawl.crawl_measures([CRAWLER], crawl.CrawlTrial(friction, 10, 300), 10)
    assert went.travel[0] > 1.5 * went.size[0]
    assert went.error[0] < 0.01


def test_on_ice_the_evolved_crawler_gets_nowhere():
    went = crawl.crawl_measures([CRAWLER], crawl.NORMAL._replace(friction=0.0), 10)
    assert abs(went.travel[0]) < 0.05 * went.size[0]


def test_the_crawler_mirrored_goes_the_other_way():
    mirrored = replace(CRAWLER, nodes=tuple(-node.conjugate() for node in CRAWLER.nodes))
    travel = crawl.crawl_measures([CRAWLER, mirrored], crawl.CrawlTrial(0.7, 10, 100), 4).travel
    assert travel[1] == pytest.approx(-travel[0], abs=1e-9)


@pytest.mark.slow
def test_the_same_seed_finds_the_same_machine_and_scores_never_fall():
    one, same = (straight_line(3, 6, 16) for _ in range(2))
    assert one == same
    assert list(one.history) == sorted(one.history)
    assert len(one.history) == 6


@pytest.mark.slow
def test_a_straight_line_evolves():
    found = straight_line(0, generations=40).found
    assert found["aspect"] < 1e-3
    assert found["stroke"] > 0.2
    assert found["length_error"] < 1e-6


@pytest.mark.slow
def test_a_crawler_evolves():
    best = crawler(1, generations=8, population=24, cycles=8)
    assert best.found["travel"] > best.found["size"]


def test_a_drive_goes_through_the_waypoints_of_every_cycle():
    shares = drives([CRAWLER, replace(CRAWLER, actuators=CRAWLER.actuators[:1])], 5, cycles=2)
    assert shares.shape == (2, 60, 7)
    waypoints = np.array([one.to for one in CRAWLER.actuators]).T - 1
    np.testing.assert_allclose(shares[0, 4::5, 5:], np.tile(waypoints, (2, 1)), atol=1e-15)
    np.testing.assert_allclose(shares[0, 32, 5:], 0.4 * waypoints[5] + 0.6 * waypoints[0], atol=1e-15)
    assert not shares[0, :, :5].any()
    assert not shares[1, :, 6].any()


def test_batches_are_filled_up_with_what_does_nothing():
    made = batch([LINE, CRAWLER], weight=0.5)
    assert made.free.sum(axis=1).tolist() == [3, 5]
    assert made.stiffness.sum(axis=1).tolist() == [6, 7]
    np.testing.assert_array_equal(made.load, np.broadcast_to([0.0, -0.5], made.load.shape))
    np.testing.assert_array_equal(made.target, 2 * made.rest)


def test_firmness_is_the_least_singular_value():
    """A triangle of equal sides: its three modes have √1.5, √1.5 and √3; a square of bars has a loose one."""
    third = np.exp(2j * np.pi / 3)
    triangle = batch([MachineDesign((1 + 0j, third, third.conjugate()), 0, ((0, 1), (1, 2), (0, 2)), ())])
    np.testing.assert_allclose(firmness(triangle, triangle.drawn, freedoms=3), np.sqrt(1.5))
    np.testing.assert_allclose(firmness(triangle, triangle.drawn, freedoms=5), np.sqrt(3.0))
    square = batch([MachineDesign((0j, 1 + 0j, 1 + 1j, 1j), 0, ((0, 1), (1, 2), (2, 3), (3, 0)), ())])
    np.testing.assert_allclose(firmness(square, square.drawn, freedoms=3), 0.0, atol=1e-7)


def test_nodes_that_do_nothing_are_left_out_in_the_end():
    more = replace(LINE, nodes=(*LINE.nodes, 0.5 + 0.5j), bars=(*LINE.bars, (0, 5), (3, 5)))
    traced = replace(more, nodes=(*more.nodes[:4], more.nodes[5], more.nodes[4]))
    swapped = {4: 5, 5: 4}
    bars = tuple((swapped.get(a, a), swapped.get(b, b)) for a, b in more.bars)
    assert simplify_best([replace(traced, bars=bars)], line.score) == LINE


def test_a_node_is_taken_away_with_its_bars():
    fewer = drop_loose_node(replace(LINE, nodes=(*LINE.nodes, 1j), bars=(*LINE.bars, (3, 5), (4, 5))), 3)
    assert fewer.nodes == (*LINE.nodes[:3], LINE.nodes[4], 1j)
    assert fewer.bars == ((0, 2), (2, 3), (3, 4))


def test_another_node_is_traced_in_the_same_machine():
    other = trace_another(np.random.default_rng(1), LINE)
    assert other.nodes != LINE.nodes
    assert sorted(map(other.length, other.bars)) == pytest.approx(sorted(map(LINE.length, LINE.bars)))


def test_what_is_written_down_is_what_was_measured():
    design = round_design(replace(LINE, nodes=tuple(node * np.pi for node in LINE.nodes)))
    nodes, actuator = np.array(design.nodes), design.actuators[0]
    np.testing.assert_array_equal(nodes, nodes.round(6))
    assert actuator.to[0] * design.length((1, 2)) == pytest.approx(round(1.039073 * np.pi, 6), abs=2e-6)


def few(seed=3, generations=4, **more):
    return straight_line(seed, generations, 8, **more)


class StopAfter:
    """Progress that presses Ctrl-C after so many generations."""

    def __init__(self, generations):
        self.generations = generations

    def __call__(self, done, total, text):
        if done >= self.generations:
            raise KeyboardInterrupt


def test_ctrl_c_ends_a_search_with_the_best_so_far():
    with pytest.raises(Interrupted) as stopped:
        few(progress=StopAfter(2))
    found = stopped.value.result
    assert (found.status, few(generations=2).status) == (EvolveStatus.STOPPED, EvolveStatus.EVOLVED)
    assert found.history == few(generations=2).history
    assert found.found["aspect"] > 0
    assert "generations        2, best score" in found.summary()


@pytest.mark.slow
def test_a_search_goes_on_from_its_checkpoint_and_finds_what_it_would_have_found(tmp_path):
    path, whole = tmp_path / "search.json", few()
    for stop in (1, 3):
        with pytest.raises(Interrupted):
            few(checkpoint=path, progress=StopAfter(stop))
    assert few(checkpoint=path) == whole
    assert few(checkpoint=path) == whole, "once more, from its end"
    assert len(few(generations=5, checkpoint=path).history) == 5


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("{}", "is no checkpoint of an evolution"),
        ("no json", "is no checkpoint of an evolution"),
        ('{"asked": {}, "islands": [[{"score": 1}]], "history": [], "chance": {}}', "is no checkpoint"),
    ],
)
def test_what_is_no_checkpoint_is_refused(tmp_path, content, problem):
    path = tmp_path / "search.json"
    path.write_text(content)
    with pytest.raises(PliantError, match=problem):
        few(checkpoint=path)


def test_a_checkpoint_of_another_search_is_refused(tmp_path):
    path = tmp_path / "search.json"
    few(generations=1, checkpoint=path)
    with pytest.raises(PliantError, match=r"of another search, with seed = 3\."):
        few(seed=4, checkpoint=path)


def test_the_command_writes_a_machine_that_runs(tmp_path):
    model, out = tmp_path / "line.toml", tmp_path / "line.json"
    asked = ["evolve", "line", "--seed", "3", "--generations", "2", "--population", "8"]
    result = CliRunner().invoke(main, [*asked, "-o", str(model), "--json", str(out)])
    assert result.exit_code == 0
    assert result.stdout.startswith("A line, 1 : ")
    found = json.loads(out.read_text())
    assert found["goal"] == "line"
    assert found["trace"] == [list(found["nodes"])[-1]]
    assert pliant.solve(pliant.load(model), frames=5).status is RelaxStatus.CONVERGED


@pytest.mark.slow
def test_a_crawler_stands_on_a_floor_in_its_model():
    evolved = crawler(1, generations=1, population=8, cycles=2)
    model = evolved.mechanism()
    assert model.contacts[0].friction == 0.7
    lowest = min(y for name, (_, y) in model.nodes.items() if name not in model.ground)
    assert lowest == pytest.approx(model.nodes["left"][1] + model.contacts[0].radius)


@pytest.mark.slow
def test_a_crawler_is_written_with_its_floor_and_every_cycle():
    found = crawler(1, generations=1, population=8, cycles=2).to_dict()
    assert found["floor"] == 0.0
    assert found["gravity"] == [0.0, -crawl.WEIGHT]
    assert found["friction"] == 0.7
    assert all(len(one["to"]) == 12 and one["to"][:6] == one["to"][6:] for one in found["actuators"])
    assert min(y for _, y in found["nodes"].values()) == 0.0
