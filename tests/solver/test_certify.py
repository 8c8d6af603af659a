# SPDX-License-Identifier: MIT
"""`certify=True`: the bound is never below the true error, and not far above it; what has no bound is refused with a sentence."""

import numpy as np
import pytest

import lrfm
from lrfm.error.bounds import bounded
from lrfm.error.bounds.quotients import Quotients
from lrfm.problem import Jet

INTERVAL = lrfm.Box(x=(0, 1))


def random_statement(seed):
    """u = e^{kt} sin(px + q) + dx of a random equation with random conditions, and u as a function."""
    rng = np.random.default_rng(seed)
    a, b, c = rng.uniform(0.02, 1), rng.uniform(-2, 2), rng.uniform(-3, 2)
    slope = rng.choice([0.0, 0.5])  # of the diffusion
    k, p, q, d = rng.uniform(-1, 1), rng.uniform(1, 7), rng.uniform(0, 3), rng.uniform(-1, 1)
    u, u_x = f"(exp({k}*t)*sin({p}*x + {q}) + {d}*x)", f"({p}*exp({k}*t)*cos({p}*x + {q}) + {d})"
    wave = f"exp({k}*t)*sin({p}*x + {q})"
    given = f"{k}*{wave} + ({a} + {slope}*x)*{p**2}*{wave} - {slope}*{u_x} - {b}*{u_x} - {c}*{u}"
    out = {"x-": f"-{u_x}", "x+": u_x}
    kinds = {
        "held": lambda face: f"u = {u}",
        "flux": lambda face: f"u_x = {u_x}",
        "robin": lambda face: f"u_n + 2*u = {out[face]} + 2*{u}",
    }
    boundary = {}
    for face, place in (("x-", "0"), ("x+", "1")):
        boundary[face] = str(kinds[rng.choice(list(kinds))](face)).replace("*x", f"*{place}")
    problem = lrfm.Problem(
        f"u_t = diff(({a} + {slope}*x)*u_x, x) + {b}*u_x + {c}*u + {given}",
        domain=INTERVAL,
        time=(0, 1),
        initial=u.replace("*t", "*0"),
        boundary=boundary,
    )
    return problem, lambda x, t: np.exp(k * t) * np.sin(p * x + q) + d * x


def true_error(solution, exact):
    x, t = np.random.default_rng(0).random((2, 4000)) * [[1], [solution.problem.time[1]]]
    return np.sqrt(np.mean(np.abs(solution(x=x, t=t) - exact(x, t)) ** 2) / np.mean(np.abs(exact(x, t)) ** 2))


def ratios(seeds):
    for seed in seeds:
        problem, exact = random_statement(seed)
        solution = lrfm.solve(problem, tol=(1e-3, 1e-6)[seed % 2], certify=True)
        yield solution.report.bound / true_error(solution, exact)


def test_no_error_is_above_its_bound():
    found = list(ratios(range(6)))
    assert min(found) > 1
    assert max(found) < 1000


@pytest.mark.thorough
def test_no_error_of_twenty_is_above_its_bound():
    found = list(ratios(range(20)))
    assert min(found) > 1
    assert np.median(found) < 100
    assert max(found) < 1500


@pytest.mark.parametrize(
    ("statement", "exact", "most"),
    [
        (  # a frame that moves, transport and diffusion
            {"equation": "u_t = 0.01*u_xx - u_x", "initial": "sin(2*pi*x)", "boundary": "periodic"},
            lambda x, t: np.exp(-0.04 * np.pi**2 * t) * np.sin(2 * np.pi * (x - t)),
            30,
        ),
        (  # no diffusion: what comes in is given, what goes out is not
            {
                "equation": "u_t + (1 + x)*u_x = 0",
                "initial": "sin(log(1 + x))",
                "boundary": {"x-": "u = -sin(t)", "x+": None},
            },
            lambda x, t: np.sin(np.log(1 + x) - t),
            100,
        ),
        (  # growth: diffusion is needed against it
            {"equation": "u_t = u_xx + 15*u", "initial": "sin(pi*x)", "boundary": "u = 0"},
            lambda x, t: np.exp((15 - np.pi**2) * t) * np.sin(np.pi * x),
            1000,
        ),
        (  # a complex unknown is two real fields: A has no symmetric part
            {
                "equation": "1j*u_t = -0.1*u_xx",
                "unknowns": {"u": complex},
                "initial": "sin(pi*x)",
                "boundary": "u = 0",
            },
            lambda x, t: np.exp(-0.1j * np.pi**2 * t) * np.sin(np.pi * x),
            1000,
        ),
        (  # a string
            {"equation": "u_tt = u_xx", "initial": {"u": "sin(pi*x)", "u_t": "0"}, "boundary": "u = 0"},
            lambda x, t: np.cos(np.pi * t) * np.sin(np.pi * x),
            2000,
        ),
        (  # a speed that depends on x, damping, an end that moves, another without force
            {
                "equation": "u_tt = diff((1 + x)**2*u_x, x) - u_t - u + exp(-t)*((2 + 2*x + x**2)*cos(x) + 2*(1 + x)*sin(x))",
                "initial": {"u": "cos(x)", "u_t": "-cos(x)"},
                "boundary": {"x-": "u_x = 0", "x+": "u = exp(-t)*cos(1)"},
            },
            lambda x, t: np.exp(-t) * np.cos(x),
            2000,
        ),
    ],
)
def test_other_kinds_have_bounds(statement, exact, most):
    problem = lrfm.Problem(domain=INTERVAL, time=(0, 1), **statement)
    solution = lrfm.solve(problem, tol=1e-4, certify=True)
    assert 1 < solution.report.bound / true_error(solution, exact) < most
    assert f"at most {solution.report.bound:.1e} (bound)" in str(solution.report)


NONLINEAR = {
    "u u_x": (
        {
            "equation": "u_t + u*u_x = 0.1*u_xx",
            "initial": "0.5 - 0.4*tanh(2*x)",
            "boundary": "u = 0.5 - 0.4*tanh(2*x - t)",
        },
        lambda x, t: 0.5 - 0.4 * np.tanh(2 * x - t),
    ),
    "held back by u**3": (
        {
            "equation": "u_t = 0.05*u_xx + u - u**3",
            "initial": "tanh(x*sqrt(10))",
            "boundary": "u = tanh(x*sqrt(10))",
        },
        lambda x, t: np.tanh(x * np.sqrt(10)) + 0 * t,
    ),
    "between 0 and 1": (
        {
            "equation": "u_t = u_xx + u*(1 - u)",
            "initial": "(1 + exp(x/sqrt(6)))**-2",
            "boundary": "u = (1 + exp(x/sqrt(6) - 5*t/6))**-2",
        },
        lambda x, t: (1 + np.exp(x / np.sqrt(6) - 5 * t / 6)) ** -2.0,
    ),
}


@pytest.mark.parametrize("name", NONLINEAR)
@pytest.mark.parametrize("tol", [1e-3, 1e-6])
def test_nonlinear_terms_that_hold_back_have_bounds(name, tol):
    statement, exact = NONLINEAR[name]
    problem = lrfm.Problem(domain=lrfm.Box(x=(-1, 1)), time=(0, 1), **statement)
    solution = lrfm.solve(problem, tol=tol, certify=True)
    x, t = np.random.default_rng(0).random((2, 4000)) * [[2], [1]] - [[1], [0]]
    error = np.linalg.norm(solution(x=x, t=t) - exact(x, t)) / np.linalg.norm(exact(x, t))
    assert 1 < solution.report.bound / error < 300


def test_what_grows_without_end_has_no_bound():
    """u³ drives away from zero: beyond the values that the solution has the quotient has no maximum."""
    problem = lrfm.Problem(
        "u_t = u_xx + u**3", domain=INTERVAL, time=(0, 0.1), initial="sin(pi*x)", boundary="u = 0"
    )
    report = lrfm.solve(problem, tol=1e-3, certify=True).report
    assert np.isinf(report.bound)
    assert "is not held back" in report.warnings[-1]


def test_quotients_are_those_of_all_values():
    """max (q(u) − q(w))/(u − w) on a grid of u is never above, and comes near to, what is computed for any polynomial."""
    rng = np.random.default_rng(1)
    for degree in (2, 3, 4, 5):
        c = rng.normal(size=degree + 1)
        formula = " + ".join(f"({value})*u**{k}" for k, value in enumerate(c))
        row = lrfm.Problem(
            f"u_t = u_xx + {formula}", domain=INTERVAL, time=(0, 1), initial="0", boundary="u = 0"
        ).rows[0]
        w, points = rng.uniform(-2, 2, 7), np.column_stack([np.linspace(0, 1, 7), np.zeros(7)])
        quotients = Quotients(row, "u", "x", 1.0)
        linear = row.coefficients(points)[Jet("u", (0, 0))] if Jet("u", (0, 0)) in row.linear_part else 0.0
        u = np.linspace(-1.5, 2.5, 100_001)[:, None]
        q = np.polynomial.polynomial.Polynomial(c)
        known = np.max((q(u) - q(w)) / (u - w), axis=0)
        found = quotients.largest(points, w, (-1.5, 2.5)) - linear
        np.testing.assert_allclose(found, known, rtol=1e-6, atol=1e-6)


def test_a_defect_that_is_made_is_seen():
    """The bound knows the solution and the statement alone: of another statement it holds the distance to that one's solution."""
    heat = lrfm.Problem("u_t = u_xx", domain=INTERVAL, time=(0, 0.2), initial="sin(pi*x)", boundary="u = 0")
    solution = lrfm.solve(heat, tol=1e-6, method=lrfm.Lines(space="cells"))
    other = {
        "equation": "u_t = u_xx + 0.01*sin(pi*x)",
        "initial": "sin(pi*x) + 0.01*sin(2*pi*x)",
        "boundary": {"x-": "u = 0", "x+": "u = 0.01*t"},
    }
    for name, value in other.items():
        moved = lrfm.solve(heat.replace(**{name: value}), tol=1e-8)
        bound = bounded(moved.problem, solution.pieces)["u"]
        distance = true_error(solution, lambda x, t, moved=moved: moved(x=x, t=t))
        assert 1 < bound / distance < 20, name


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"equation": "u_t = diff((1 + u**2)*u_x, x)"}, "other derivatives than u_x"),
        ({"equation": "u_t = u_xx + sin(u)"}, "no polynomial in `u`"),
        ({"equation": "u_t + x*u*u_x = u_xx"}, "what stands before u\\*u_x depends on x"),
        ({"equation": "u_t + u**2*u_x = u_xx"}, "is not p\\(t\\)\\*u\\*u_x"),
        ({"equation": "u_t + u*u_x = u_xx", "boundary": "u_n = 0"}, "given at both ends alone"),
        (
            {"equation": "u_tt = u_xx - u**3", "initial": {"u": "0", "u_t": "0"}},
            "or a nonlinear one, are of second order",
        ),
        (
            {"equation": "u_tt = u_xx", "initial": {"u": "0", "u_t": "0"}, "boundary": "u_n = -u"},
            "a wave has other conditions",
        ),
        ({"equation": "u_t = -u_xxxx", "boundary": ["u = 0", "u_xx = 0"]}, "derivatives of other orders"),
        ({"equation": "u_t = diff((1 + abs(x - 0.5))*u_x, x)"}, "a jump or a kink"),
        ({"equation": "u_t = (1 + t)*u_xx", "boundary": "u + t*u_x = 0"}, "coefficients that are no numbers"),
        ({"boundary": {"x-": "u = where(t < 0.05, 0, 1)", "x+": "u = 0"}}, "data at an end jump"),
    ],
)
def test_what_has_no_bound_is_refused(change, said):
    statement = {"equation": "u_t = u_xx", "initial": "0", "boundary": "u = 0", **change}
    problem = lrfm.Problem(domain=INTERVAL, time=(0, 0.1), **statement)
    with pytest.raises(lrfm.ProblemError, match=said):
        lrfm.solve(problem, certify=True, tol=1e-3)


def test_domains_without_a_bound_are_refused():
    square = lrfm.Problem(
        "u_t = lap(u)", domain=lrfm.Box(x=(0, 1), y=(0, 1)), time=(0, 1), initial="0", boundary="u = 0"
    )
    with pytest.raises(lrfm.ProblemError, match="the domain is no interval"):
        lrfm.solve(square, certify=True)
    heat = square.replace(equation="u_t = u_xx", domain=INTERVAL)
    with pytest.raises(ValueError, match="leave out `method`"):
        lrfm.solve(heat, certify=True, method="space-time")
    with pytest.raises(ValueError, match="leave out `until`"):
        lrfm.solve(heat, certify=True, until="max(u) < 0.5")
