# SPDX-License-Identifier: MIT
"""Newton and Picard on small systems with known solutions, and on the paper's equations."""

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from helpers import by_hand, difference, grid_error, thinned

import lrfm
from lrfm.spacetime.least_squares import QR, Fit, TruncatedSVD
from lrfm.spacetime.windows.nonlinear import Model, Newton, Picard, Step, relative


class Small:
    """F: Rⁿ → Rᵐ with its Jacobian and, for Picard, a frozen matrix A(c) with F(c) = A(c) c − f."""

    def __init__(self, F, jacobian, frozen=None, known=None, linear=False):
        self.F, self.jacobian, self.frozen, self.known, self.linear = F, jacobian, frozen, known, linear
        self.solves, self.visited = 0, []

    def linearize(self, c, picard):
        self.visited.append(c.copy())
        if picard:
            return np.asfortranarray(self.frozen(c)), self.known.copy()
        J = self.jacobian(c)
        return np.asfortranarray(J), J @ c - self.F(c)

    def solve(self, A, b):
        self.solves += 1
        return QR(ridge=0.0).solve(A, b)

    def model(self):
        with_errors_ignored = lambda c: _quiet(self.F, c)  # noqa: E731
        return Model(self.linearize, with_errors_ignored, lambda c: c, self.solve, self.linear)


def _quiet(F, c):
    with np.errstate(all="ignore"):
        return F(c)


def cubic(n=5, rows=12):
    """K c + c∘c∘c-like rows with an exact zero: an overdetermined consistent system."""
    rng = np.random.default_rng(0)
    K, B = rng.standard_normal((rows, n)), rng.standard_normal((rows, n))
    exact = rng.uniform(0.5, 1.0, n)
    f = K @ exact + 0.1 * B @ exact**3

    def F(c):
        return K @ c + 0.1 * B @ c**3 - f

    system = Small(F, lambda c: K + 0.3 * B * c**2, lambda c: K + 0.1 * B * c**2, f)
    return system, exact


# Rates ------------------------------------------------------------------------------------------------------


def test_newton_is_quadratic_near_the_solution():
    """The error is squared by every step: log e_{k+1} / log e_k → 2, and e_{k+1} ≤ C e_k²."""
    system, exact = cubic()
    outcome = Newton(tol=1e-14).run(system.model(), exact + 0.2)
    errors = [np.linalg.norm(c - exact) for c in (*system.visited, outcome.coefficients)]
    assert outcome.converged
    falling = [e for e in errors if e > 1e-13]
    assert len(falling) >= 3
    for before, after in pairwise(falling):
        assert after <= 2.0 * before**2
    assert errors[-1] < 1e-13
    assert len(outcome.steps) <= 6


def test_picard_is_linear_and_ends_where_newton_ends():
    system, exact = cubic()
    outcome = Picard(tol=1e-13, max_steps=200).run(system.model(), exact + 0.2)
    assert outcome.converged
    np.testing.assert_allclose(outcome.coefficients, exact, rtol=1e-11)
    updates = np.array([s.update for s in outcome.steps if s.update > 1e-12])
    ratios = updates[1:] / updates[:-1]
    assert len(updates) > 8  # many more steps than Newton,
    assert ratios[-4:].max() / ratios[-4:].min() < 2  # at a constant rate
    assert np.all(ratios < 1)


def test_the_steps_tell_update_and_residual():
    system, exact = cubic()
    outcome = Newton(tol=1e-12).run(system.model(), exact + 0.2)
    iterates = [*system.visited, outcome.coefficients]
    assert len(outcome.steps) == len(iterates) - 1
    for step, old, new in zip(outcome.steps, iterates[:-1], iterates[1:], strict=True):
        assert step.update == pytest.approx(
            np.linalg.norm(new - old) / np.linalg.norm(new), rel=1e-9, abs=1e-15
        )
        assert step.residual == pytest.approx(np.linalg.norm(system.F(new)), rel=1e-9, abs=1e-15)
        assert step.damping == 1.0


def test_notify_sees_every_step():
    system, exact = cubic()
    seen = []
    outcome = Newton().run(system.model(), exact + 0.2, lambda number, step: seen.append((number, step)))
    assert seen == list(enumerate(outcome.steps, 1))


# Linear problems --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", [Newton(), Picard(), Newton(max_steps=1), Picard(max_steps=1)], ids=repr)
def test_a_linear_problem_takes_one_solve(method):
    rng = np.random.default_rng(0)
    A, b = rng.standard_normal((20, 6)), rng.standard_normal(20)
    system = Small(lambda c: A @ c - b, lambda c: A, lambda c: A, b, linear=True)
    outcome = method.run(system.model(), np.zeros(6))
    expected, residual, *_ = np.linalg.lstsq(A, b, rcond=None)
    assert system.solves == len(outcome.steps) == 1
    assert outcome.converged
    np.testing.assert_allclose(outcome.coefficients, expected, rtol=1e-12)
    assert outcome.steps[0].residual == pytest.approx(math.sqrt(residual[0]), rel=1e-12)


@pytest.mark.parametrize("method", [Newton(), Picard()], ids=repr)
def test_a_linear_equation_takes_one_solve(method, monkeypatch):
    solves = []
    original = QR.solve
    monkeypatch.setattr(QR, "solve", lambda self, *a: (solves.append(1), original(self, *a))[1])
    solution = lrfm.solve(
        lrfm.catalog.heat_1d(),
        method=lrfm.SpaceTime(space=lrfm.Liquid(features=60), nonlinear=method),
        estimate=False,
    )
    assert len(solves) == solution.report.steps == 1


# Damping ----------------------------------------------------------------------------------------------------


def arctangent():
    """F(c) = arctan(c − 1): Newton's full steps diverge from |c − 1| > 1.392 on."""
    return Small(lambda c: np.arctan(c - 1), lambda c: np.diag(1 / (1 + (c - 1) ** 2)))


def test_full_steps_that_increase_the_residual_are_shortened():
    system = arctangent()
    outcome = Newton(max_steps=40).run(system.model(), np.array([10.0]))
    assert outcome.converged
    assert outcome.coefficients[0] == pytest.approx(1, abs=1e-9)
    assert any(s.damping < 1 for s in outcome.steps)
    assert outcome.steps[-1].damping == 1.0  # full steps again near the end
    residuals = [s.residual for s in outcome.steps]
    assert np.all(np.diff(residuals) <= 0)


def test_a_step_into_nonsense_is_shortened():
    """F(c) = log c: the full step from c = 5 leads to a negative c."""
    system = Small(np.log, lambda c: np.diag(1 / c))
    outcome = Newton(max_steps=40).run(system.model(), np.array([5.0]))
    assert outcome.converged
    assert outcome.coefficients[0] == pytest.approx(1, rel=1e-9)


def test_the_update_of_a_damped_step_is_that_of_the_full_one():
    """Half a step must not pass for a small update."""
    system = Small(np.log, lambda c: np.diag(1 / c))
    outcome = Newton(max_steps=1).run(system.model(), np.array([5.0]))
    (step,) = outcome.steps
    full = 5 * math.log(5)
    assert step.damping == 0.5
    assert outcome.coefficients[0] == pytest.approx(5 - 0.5 * full, rel=1e-9)
    assert step.update == pytest.approx(full / abs(5 - full), rel=1e-9)


def test_picard_is_never_damped():
    system, exact = cubic()
    outcome = Picard(tol=1e-13, max_steps=200).run(system.model(), exact + 0.2)
    assert {s.damping for s in outcome.steps} == {1.0}


# One factorization for several steps ---------------------------------------------------------------------


def chords(outcome):
    return [step.chord for step in outcome.steps]


def test_a_factorization_serves_later_steps():
    """The same zero with fewer factorizations; chord steps contract at a constant rate."""
    system, exact = cubic(96, 200)
    outcome = Newton(tol=1e-12).run(system.model(), exact + 0.02)
    assert outcome.converged
    assert any(chords(outcome))
    assert system.solves == chords(outcome).count(False)
    np.testing.assert_allclose(outcome.coefficients, exact, rtol=1e-11)
    plain, _ = cubic(96, 200)
    Newton(tol=1e-12, reuse=False).run(plain.model(), exact + 0.02)
    assert system.solves < plain.solves
    for before, after in pairwise(outcome.steps):
        if after.chord:
            assert after.update <= max(0.5 * before.update, 1e-12)
            assert after.residual <= before.residual * 1.5


def test_a_chord_step_is_its_formula():
    """c⁺ = c − J(c₀)⁺ F(c)."""
    system, exact = cubic(96, 200)
    outcome = Newton(tol=1e-4, max_steps=2).run(system.model(), exact + 0.02)
    assert chords(outcome) == [False, True]
    start = exact + 0.02
    J = system.jacobian(start)
    once = start - np.linalg.lstsq(J, system.F(start), rcond=None)[0]
    twice = once - np.linalg.lstsq(J, system.F(once), rcond=None)[0]
    np.testing.assert_allclose(outcome.coefficients, twice, rtol=1e-12)


@pytest.mark.parametrize("method", [Newton(reuse=False), Picard(tol=1e-6, max_steps=200)], ids=repr)
def test_plain_newton_and_picard_factor_in_every_step(method):
    system, exact = cubic(96, 200)
    outcome = method.run(system.model(), exact + 0.02)
    assert system.solves == len(outcome.steps)
    assert not any(chords(outcome))


def test_few_columns_are_factored_anew():
    """With n < 16 columns a factorization is worth less than one chord step."""
    system, exact = cubic()
    outcome = Newton().run(system.model(), exact + 0.02)
    assert not any(chords(outcome))


class Wrong:
    """A factorization that has gone stale: its steps lead nowhere."""

    def solve(self, b):
        return Fit(np.full(96, 0.3), 0.0, 96)


def test_a_chord_step_that_is_no_good_is_undone():
    system, exact = cubic(96, 200)
    plain, _ = cubic(96, 200)
    solve = system.solve
    system.solve = lambda A, b: replace(solve(A, b), factored=Wrong())
    outcome = Newton(tol=1e-12).run(system.model(), exact + 0.02)
    expected = Newton(tol=1e-12, reuse=False).run(plain.model(), exact + 0.02)
    assert outcome.steps == expected.steps
    np.testing.assert_array_equal(outcome.coefficients, expected.coefficients)


def test_a_long_step_is_not_followed_by_a_chord():
    """Where u changes by half, its linearization is that of another function."""
    system, exact = cubic(96, 200)
    outcome = Newton().run(system.model(), 0.3 * exact)
    for before, after in pairwise(outcome.steps):
        assert not after.chord or before.chord or before.update < 0.2
    assert outcome.steps[0].update > 0.2
    assert not outcome.steps[1].chord


def test_the_outcome_does_not_hold_the_factorization():
    system, exact = cubic(96, 200)
    assert Newton().run(system.model(), exact + 0.02).fit.factored is None


@pytest.mark.parametrize("name", ["burgers", "kdv", "allen-cahn", "nls"])
def test_reuse_costs_no_accuracy(name):
    problem, space, bar = SMALL[name]
    errors, reports = {}, {}
    for reuse in (False, True):
        solution = lrfm.solve(
            problem,
            method=lrfm.SpaceTime(
                space=lrfm.Liquid(features=120, tau=(0.3, 20.0), **space),
                collocation=lrfm.Collocation(
                    interior=420, initial=100, boundary=40, initial_weight=5, boundary_weight=5
                ),
                nonlinear=Newton(tol=1e-9, reuse=reuse),
            ),
            estimate=False,
        )
        errors[reuse], reports[reuse] = grid_error(solution), solution.report.block_reports[0]
    assert errors[True] < 1.5 * errors[False] < 1.5 * bar
    assert reports[False].factorizations == reports[False].steps
    assert reports[True].factorizations < reports[False].factorizations


# How it ends ------------------------------------------------------------------------------------------------


def test_a_limit_of_steps_is_no_convergence():
    system, exact = cubic()
    outcome = Newton(tol=1e-14, max_steps=2).run(system.model(), exact + 0.2)
    assert not outcome.converged
    assert len(outcome.steps) == 2
    assert "limit of 2 steps" in outcome.reason


def test_newton_stops_at_the_level_of_rounding():
    """With noise of 1e-9 in every solve no update falls below 1e-14; that it stagnates is seen."""
    system, exact = cubic()
    rng = np.random.default_rng(1)
    plain = system.solve

    def noisy(A, b):
        fit = plain(A, b)
        fit.coefficients[:] *= 1 + 1e-9 * rng.standard_normal(5)
        return fit

    system.solve = noisy
    outcome = Newton(tol=1e-14, max_steps=50).run(system.model(), exact + 0.2)
    assert outcome.converged
    assert "rounding" in outcome.reason
    assert len(outcome.steps) < 10
    np.testing.assert_allclose(outcome.coefficients, exact, rtol=1e-7)


def test_newton_hands_back_its_best_iterate():
    """F(c) = c² + 1 has no zero; the iterates wander, and the one with the least residual is returned."""
    system = Small(lambda c: c**2 + 1, lambda c: np.diag(2 * c))
    outcome = Newton(max_steps=30).run(system.model(), np.array([1.3]))
    assert not outcome.converged
    assert outcome.coefficients[0] ** 2 + 1 == pytest.approx(
        min(s.residual for s in outcome.steps), rel=1e-12
    )


@pytest.mark.parametrize("method", [Newton(max_steps=50), Picard(max_steps=400)], ids=repr)
def test_iterates_that_become_infinite_end_the_iteration_with_a_finite_one(method):
    """A frozen factor that squares c at every step overflows after some; what was finite comes back."""
    system = Small(
        lambda c: np.where(np.abs(c) > 1e100, np.inf, c),
        lambda c: np.diag(1 / (c - c**2)),  # step to c²
        lambda c: np.diag(1 / c**2),
        np.ones(1),
    )
    outcome = method.run(system.model(), np.array([3.0]))
    assert not outcome.converged
    assert np.all(np.isfinite(outcome.coefficients))
    assert np.all(np.isfinite(system.F(outcome.coefficients)))


def test_relative_change():
    assert relative(np.array([3.0, 4.0]), np.array([0.0, 10.0])) == 0.5
    assert relative(np.array([3.0, 4.0]), np.zeros(2)) == 5.0
    assert relative(np.zeros(2), np.zeros(2)) == 0.0


@pytest.mark.parametrize("method", [Newton, Picard])
@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"tol": 0.0}, "`tol=0.0` must be a positive"),
        ({"tol": -1e-8}, "`tol=-1e-08` must be a positive"),
        ({"tol": math.nan}, "`tol=nan` must be a positive"),
        ({"tol": "fine"}, "`tol='fine'` must be a positive"),
        ({"max_steps": 0}, "`max_steps=0` must be a positive whole number"),
        ({"max_steps": 2.5}, "`max_steps=2.5` must be a positive whole number"),
        ({"max_steps": True}, "`max_steps=True` must be a positive whole number"),
    ],
)
def test_wrong_settings_get_a_sentence(method, settings, sentence):
    with pytest.raises(ValueError, match=sentence):
        method(**settings)


def test_numpy_numbers_are_numbers():
    assert Newton(max_steps=np.int64(3), tol=np.float64(1e-3)).max_steps == 3


# On equations -----------------------------------------------------------------------------------------------


SMALL = {
    "burgers": (lrfm.catalog.burgers(nu=0.02), {"weights": 2.0}, 3e-4),
    "kdv": (
        lrfm.catalog.kdv_consistent(),
        {"weights": 6.0, "centers": 1.1, "gate": 0.6, "drift": (1.9, 2.1)},
        5e-3,
    ),
    "allen-cahn": (lrfm.catalog.allen_cahn(), {"weights": 1.0, "gate": 10.0}, 3e-5),
    "nls": (lrfm.catalog.nls(), {"weights": 5.0, "centers": 1.1, "drift": (0.4, 0.6)}, 8e-3),
}


@pytest.mark.parametrize("name", thinned(SMALL, 2))
def test_the_papers_picard_forms_solve_its_equations(name):
    """Both iterations end at the same solution of the same rows, Picard after more steps."""
    problem, space, bar = SMALL[name]
    solutions = {}
    for method in (Newton(tol=1e-9), Picard(tol=1e-9, max_steps=60)):
        solutions[type(method)] = lrfm.solve(
            problem,
            method=lrfm.SpaceTime(
                space=lrfm.Liquid(features=120, tau=(0.3, 20.0), **space),
                collocation=lrfm.Collocation(
                    interior=420, initial=100, boundary=40, initial_weight=5, boundary_weight=5
                ),
                least_squares=TruncatedSVD(cutoff=1e-11),
                nonlinear=method,
            ),
            estimate=False,
        )
    newton, picard = solutions[Newton], solutions[Picard]
    assert grid_error(newton) < bar
    assert grid_error(picard) < bar
    # Two stationary points of two least-squares problems: they agree far below the error.
    assert difference(newton, picard) < 0.2 * bar
    assert newton.report.steps < picard.report.steps


def test_newton_is_quadratic_on_an_equation():
    solution = lrfm.solve(
        lrfm.catalog.burgers(nu=0.02),
        method=lrfm.SpaceTime(
            space=lrfm.Liquid(features=120, weights=2.0, tau=(0.3, 20.0)),
            nonlinear=Newton(tol=1e-13, reuse=False),
        ),
        estimate=False,
    )
    updates = solution.report.block_reports[0].updates
    falling = [u for u in updates if u > 1e-8]
    for before, after in pairwise(falling[1:]):
        assert after < 20 * before**2
    assert len(updates) <= 8


def test_a_failed_solve_hands_back_its_best_iterate():
    problem = lrfm.catalog.burgers(nu=0.02)
    parts = {"space": lrfm.Liquid(features=80, weights=2.0), "estimate": False}
    with pytest.raises(lrfm.ConvergenceError, match=r"limit of 2 steps.*`\.solution`") as caught:
        lrfm.solve(problem, **by_hand(nonlinear=Newton(tol=1e-13, max_steps=2), **parts))
    best = caught.value.solution
    assert best.report.status.startswith("not converged")
    assert grid_error(best) < 0.1  # two steps of Newton are already near
    same = lrfm.solve(problem, **by_hand(nonlinear=Newton(tol=1e-13, max_steps=2), strict=False, **parts))
    np.testing.assert_array_equal(same.pieces[0].coefficients["u"], best.pieces[0].coefficients["u"])


def test_a_blow_up_is_a_convergence_error():
    """u_t = u², u(0) = 2 is infinite at t = 1/2; past it no iteration converges, and the error says so."""
    problem = lrfm.Problem(
        "u_t = u**2 + 0.01*u_xx",
        domain=lrfm.Box(x=(0, 1)),
        time=(0, 2),
        initial="2 + cos(2*pi*x)",
        boundary="periodic",
    )
    for method in (Newton(), Picard(max_steps=60)):
        with pytest.raises(lrfm.ConvergenceError) as caught:
            lrfm.solve(
                problem,
                method=lrfm.SpaceTime(space=lrfm.Liquid(features=60), nonlinear=method),
                estimate=False,
            )
        assert np.all(np.isfinite(caught.value.solution.pieces[0].coefficients["u"]))


def test_steps_are_plain_records():
    assert Step(0.5, 2.0).damping == 1.0
