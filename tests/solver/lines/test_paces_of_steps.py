# SPDX-License-Identifier: MIT
"""How many stages steps have, when a march ends that stands still, and what a scan keeps."""

import itertools

import numpy as np
import pytest

from lrfm.integrate.schemes import legendre_table, radau
from lrfm.problem import Box, Jet, Problem
from lrfm.solver.lines.form import form_of
from lrfm.solver.lines.front import begin, pieces_of
from lrfm.solver.lines.modes import TOGETHER, steepest
from lrfm.solver.lines.ringing import STILL, stands_still
from lrfm.solver.lines.rules import LASTING, rules_for
from lrfm.solver.lines.state import Residual, State, Step

FRONT = Problem(
    "u_t + u*u_x = 0.01*u_xx",
    domain=Box(x=(-1, 1)),
    time=(0, 1),
    initial="-sin(pi*x)",
    boundary="u = 0",
)


def test_stages_are_more_as_long_as_a_basis_lasts():
    rules = rules_for(1e-6, 1)
    assert rules.scheme(0, 0).stages == rules.scheme(3, LASTING).stages == rules.stages + rules.more
    assert rules.scheme(1, 0).stages == rules.scheme(1, LASTING - 1).stages == rules.stages
    assert rules_for(1e-6, 2).scheme(0, 9).stages == rules_for(1e-6, 2).stages


def test_pieces_of_different_stages_meet():
    """A front is drawn anew: steps before and after it have different stages, and u is continuous where they meet."""
    form = form_of(FRONT)
    march = begin(form, 1e-5, [0, 0, 0])
    steps = march.run()
    assert march.counts.redraws > 0
    assert len({step.scheme.stages for step in steps}) == 2
    pieces = pieces_of(form, steps)
    x, jet = np.linspace(-1, 1, 201), Jet("u", (0, 0))
    for one, other in itertools.pairwise(pieces):
        meet = np.column_stack([x, np.full(len(x), one.window[1])])
        gap = one.values([jet], meet)[jet] - other.values([jet], meet)[jet]
        assert np.abs(gap).max() < 1e-4


def test_a_march_stands_still_only_where_nothing_is_seen_and_millions_of_steps_are_left():
    def step(length, residual):
        return Step(
            State(0.0, length, None, np.zeros(0)),
            length,
            np.zeros(0),
            0.0,
            Residual(residual, 1.0),
            2,
            radau(3),
        )

    lost = [step(1e-9, 0.2)] * STILL
    assert stands_still(lost, 1e-9)
    assert not stands_still(lost, 1e-3)  # few are left
    assert not stands_still(lost[1:], 1e-9)
    assert not stands_still([*lost[1:], step(1e-9, 1e-3)], 1e-9)  # one was resolved
    assert not stands_still([*lost[1:], step(1e-7, 0.2)], 1e-9)  # they grow
    first = [step(1e-4, 0.7), *lost[1:-1], step(1e-7, 0.2)]
    assert not stands_still(first, 1e-9)  # they grow again after one that was too long
    assert not stands_still([*lost[:-1], step(1e-9, 0.04)], 1e-9)  # more and more is seen


def test_a_scan_keeps_the_steepest_places():
    x = np.linspace(0, 1, 100_001)
    s = 1.0 + 1e4 * np.exp(-(((x - 0.31234) / 2e-5) ** 2)) + 50.0 * (x == 1.0)
    places, found = steepest(x, s)
    assert len(places) == -(-len(x) // TOGETHER)
    assert found.max() == s.max()
    assert places[np.argmax(found)] == x[np.argmax(s)]
    assert found[-1] == s[-1]
    assert np.all(np.diff(places) > 0)


@pytest.mark.parametrize("stages", [3, 5, 7])
def test_polynomials_are_extended_beyond_their_step(stages):
    z = np.linspace(-1.3, 3.0, 9)
    exact = np.polynomial.legendre.legvander(z, stages - 1)
    assert legendre_table(z, stages) == pytest.approx(exact, rel=1e-12, abs=1e-12)
    scheme, at = radau(stages), np.array([0.2, 1.7])
    power = scheme.nodes[:, None] ** (stages - 1)
    assert scheme.extended(power, at)[:, 0] == pytest.approx(at ** (stages - 1), rel=1e-11)
