# SPDX-License-Identifier: MIT
"""How strict the next pair of solves is, and what it is expected to cost: from how errors have grown, and from what pairs have taken."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest

import lrfm
from lrfm.discretize.evolution import EvolutionSystem
from lrfm.discretize.options import PAIRS
from lrfm.integrate.state import Step
from lrfm.solution.status import Status
from lrfm.solver.attempts import IntegrationAttempts, foreseen
from lrfm.solver.budget import Budget, Watch
from lrfm.solver.engine import Wanted
from lrfm.solver.formulations.cells import CellFormulation
from lrfm.solver.integration import Integration, IntegrationState
from lrfm.solver.once import through


def solution(estimate, early=(), status=Status.TOLERANCE_NOT_MET, reached=1.0):
    report = SimpleNamespace(
        error_estimate=estimate,
        early=early,
        status=status,
        block_reports=[SimpleNamespace(window=(0.0, reached))],
    )
    return SimpleNamespace(report=report)


def attempts(tol=1e-3, end=30.0, seconds=1000.0):
    clock = SimpleNamespace(spent=0.0, seconds=seconds, spell=lambda limit: limit)
    form = SimpleNamespace(system=SimpleNamespace(problem=SimpleNamespace(time=(0.0, end))))
    return IntegrationAttempts(form, Wanted(tol, clock)), clock


def grown(first, rate, end):
    """An error that grows by e in 1/rate, until it is as large as the solution."""
    return tuple((t, min(first * math.exp(rate * t), 1.5)) for t in np.linspace(end / 24, end, 24))


def test_an_error_that_grows_is_foreseen_beyond_what_two_solves_have_in_common():
    assert foreseen(grown(1e-6, 0.1, 200.0), 0.0) == pytest.approx(1e-6 * math.exp(20), rel=1e-6)
    assert foreseen(grown(1e-6, 0.01, 200.0), 0.0) == 0.0  # known to the end
    early = grown(1e-3, 0.2, 200.0)  # as far beyond what is known as that is long, not to the end
    last = max(t for t, e in early if e < 0.1)
    assert foreseen(early, 0.0) == pytest.approx(1e-3 * math.exp(0.2 * 2 * last), rel=1e-6)


def test_the_next_pair_is_as_strict_as_growth_asks_for():
    pairs, _ = attempts(end=200.0)
    pairs.learn(solution(1.5, grown(1e-6, 0.1, 200.0)))
    assert pairs.inner == pytest.approx(PAIRS.aim * 1e-3 * 1e-3 / (1e-6 * math.exp(20)), rel=1e-6)


def test_steps_that_vanish_later_and_later_tell_what_reaches_the_end():
    """Noise of size ε reaches one at t = log(1/ε)."""
    pairs, clock = attempts()
    for _ in range(2):
        reached = math.log(1 / pairs.inner)
        ended = solution(math.inf, status=Status.STEPS_VANISHED, reached=reached)
        clock.spent += 1.0
        assert not pairs.enough(ended)
        pairs.learn(ended)
    assert math.log(1 / pairs.inner) == pytest.approx(30 + math.log(1 / PAIRS.aim), rel=1e-9)


def test_a_third_pair_is_begun_where_it_is_expected_to_end_in_time():
    """A digit has cost a factor of 1.5: after 10 and 22.5 seconds two digits more take 22.5·1.5² s, and not three times all before."""
    for seconds, enough in ((90.0, False), (80.0, True)):
        pairs, clock = attempts(seconds=seconds)
        pairs.inner, clock.spent = 1e-3, 10.0
        assert not pairs.enough(solution(0.4))
        pairs.inner, clock.spent = 1e-5, 32.5
        assert pairs.enough(solution(0.4 * 1e-1)) is enough


def test_a_comparison_takes_all_the_time():
    """The half that is left to another engine is no use to it, once the first solve has come to its end."""
    problem = lrfm.Problem(
        "u_t = u_xx", domain=lrfm.Box(x=(0, 1)), time=(0, 1), initial="sin(pi*x)", boundary="u = 0"
    )
    form = SimpleNamespace(system=EvolutionSystem(problem), piece=None)
    engine = Integration(form, 1e-3, None, halved=True)
    first = SimpleNamespace(squares=np.ones(1))
    done = IntegrationState([Step(None, 0.0, 1.0, np.zeros(1), np.zeros(1))], 1, first)
    assert engine.halved
    assert not engine.second(done, None).halved


@pytest.mark.parametrize(("estimate", "left"), [(0.4, False), (math.nan, True), (math.inf, True)])
def test_half_of_the_time_is_left_to_another_engine_until_a_pair_has_ended(estimate, left):
    """Where errors grow, a stricter pair follows in all the time that there is: cells would begin anew, and take more."""
    pairs, _ = attempts()
    pairs.halved = True
    pairs.enough(solution(estimate))
    assert pairs.halved == left


CHAOS = lrfm.Problem(
    "u_t = -u*u_x - u_xx - u_xxxx",
    domain=lrfm.Box(x=(0, 32)),
    time=(0, 30),
    initial="cos(pi*x/16)*(1 + sin(pi*x/16))",
    boundary="periodic",
)
AGAIN = "the stricter one is compared with another"


def test_a_pair_that_misses_by_less_than_four_lends_its_comparison_to_the_next():
    """‖u₁ − u₂‖ falls by the factor of the tolerances; of the next pair one solve is made, by rules that differ from those of the other one in everything."""
    form = CellFormulation(EvolutionSystem(CHAOS.replace(time=(0, 2))))
    clock = SimpleNamespace(spent=0.0, seconds=1000.0, spell=lambda limit: limit)
    pairs = IntegrationAttempts(form, Wanted(1e-3, clock))
    following = iter(pairs)

    def pair(attempt):
        first = attempt.engine(Watch(Budget()))
        done = through(first, first.begin())
        first.integrated(done)
        second = first.second(done, Watch(Budget()))
        second.integrated(through(second, second.begin()))
        return first, second

    first, second = pair(next(following))
    assert not pairs.enough(solution(3e-3))
    pairs.learn(solution(3e-3))
    again, third = pair(next(following))
    assert again.begin() is second.ended  # nothing is made twice
    assert pairs.inner == again.options.tol == 1e-3 / 4
    assert third.options.tol == 1e-3 / 16
    points = [e.options.count for e in (first, second, third)]
    cells = [e.options.first_cells for e in (first, second, third)]
    assert points == sorted(set(points))
    assert cells == sorted(set(cells))
    # One that misses by more is made anew.
    pairs.learn(solution(8e-3))
    assert next(following).engine(Watch(Budget())).begin().count == 0


def test_the_claim_of_a_comparison_that_is_compared_again_holds():
    """Cells, against a series: the distance to it is 0.3 to 1 of the estimate, whose two solves are apart by half of it."""
    found = lrfm.solve(CHAOS, tol=3e-4)
    assert AGAIN in found.report.choices[-1]
    strict = lrfm.solve(CHAOS, tol=1e-6, method=lrfm.Lines(space="series"))
    rng = np.random.default_rng(0)
    x, t = 32 * rng.random(4000), 30 * rng.random(4000)
    exact = strict(x=x, t=t)
    error = np.linalg.norm(found(x=x, t=t) - exact) / np.linalg.norm(exact)
    assert 0.3 * found.report.error_estimate <= error <= found.report.error_estimate <= 3e-4


def test_a_pair_that_was_lent_a_solve_goes_on_from_a_file(tmp_path):
    """The first solve of a second pair is in the file once, as the second one of the first."""
    kept = tmp_path / "kept.lrfm"
    whole = lrfm.solve(CHAOS, tol=3e-4, checkpoint=kept)
    again = lrfm.solve(CHAOS, tol=3e-4, checkpoint=kept)
    assert again.report.error_estimate == whole.report.error_estimate
    assert again.report.choices == whole.report.choices
