# SPDX-License-Identifier: MIT
"""Of two answers by different methods the one is handed back that its own indicators say is closer."""

import math
from dataclasses import replace

import numpy as np
import pytest

import lrfm
from lrfm.solver.other_method import closer


@pytest.fixture(scope="module")
def made():
    problem = lrfm.Problem(
        "u_t = u_xx", domain=lrfm.Box(x=(0, 1)), time=(0, 0.1), initial="sin(pi*x)", boundary="u = 0"
    )
    return lrfm.solve(problem, tol=1e-4)


def answer(made, size=1.0, **report):
    """The same solution times a number, with another report."""
    data = [_Scaled(piece, size) for piece in made.pieces]
    found = lrfm.Solution(made.problem, data, replace(made.report, **report), second=())
    return found


class _Scaled:
    def __init__(self, piece, size):
        self.piece, self.size, self.window = piece, size, piece.window

    def values(self, jets, points):
        return {j: self.size * v for j, v in self.piece.values(jets, points).items()}


def refused(made, apart, size=1.0):
    """An answer by lines that reached its end, without a claim."""
    told = {"residual": 0.7, "draws": apart}
    return answer(made, size, status="not resolved", error_estimate=math.inf, indicators=told)


def test_an_estimate_of_a_tenth_does_not_replace_two_solves_that_agree(made):
    """A flat film with an estimate of 0.1 replaced one that was right to 5e-7."""
    best = refused(made, 1e-6)
    other = answer(made, 0.4, status="tolerance not met", error_estimate=0.1, method="space-time")
    assert closer(best, other) is best


def test_a_smaller_estimate_that_fits_replaces(made):
    best = refused(made, 1e-2, size=1.005)
    other = answer(made, status="tolerance met", error_estimate=1e-5, method="space-time")
    assert closer(best, other) is other


def test_claims_that_contradict_two_solves_are_not_handed_on(made):
    """Lines differ by 1e-3 from each other and by 0.5 from an answer that claims 1e-5: one of them is wrong, and nobody knows which."""
    best = refused(made, 1e-3, size=2.0)
    other = answer(made, status="tolerance met", error_estimate=1e-5, method="space-time")
    found = closer(best, other)
    assert found is best
    assert not found.report.solved
    assert any("contradict each other" in text for text in found.report.warnings)


def test_what_did_not_reach_its_end_is_replaced_by_what_did(made):
    short = lrfm.solve(
        lrfm.Problem(
            "u_t = u_xx", domain=lrfm.Box(x=(0, 1)), time=(0, 0.05), initial="sin(pi*x)", boundary="u = 0"
        ),
        tol=1e-3,
    )
    ended = [_Scaled(piece, 1.0) for piece in short.pieces]
    best = lrfm.Solution(
        made.problem, ended, replace(made.report, error_estimate=np.nan, status="not finished")
    )
    other = answer(made, status="tolerance not met", error_estimate=0.1, method="space-time")
    assert closer(best, other) is other
