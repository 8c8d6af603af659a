# SPDX-License-Identifier: MIT
"""Steady states on intervals: against exact solutions, with claims that hold, and sentences where there is nothing to claim."""

import math

import numpy as np
import pytest

import lrfm

LINE = lrfm.Box(x=(0, 1))


def problem(equation, **given):
    return lrfm.Problem(equation, **{"domain": LINE, "boundary": "u = 0", **given})


def error_of(solution, exact):
    x = np.linspace(*solution.problem.domain.axes["x"], 801)
    return np.sqrt(np.mean((solution(x=x) - exact(x)) ** 2) / np.mean(exact(x) ** 2))


def bratu(lam, upper=False):
    """u(1/2) of u'' + lam e^u = 0:  u = −2 ln(cosh(θ(x − ½)/2)/cosh(θ/4)),  θ = √(2 lam) cosh(θ/4)."""
    from scipy.optimize import brentq

    ends = (5.0, 40.0) if upper else (1e-9, 4.7987)
    theta = brentq(lambda s: s - math.sqrt(2 * lam) * math.cosh(s / 4), *ends, xtol=1e-15)
    return 2 * math.log(math.cosh(theta / 4))


CASES = [
    ("poisson", dict(equation="u_xx = -pi**2*sin(pi*x)"), lambda x: np.sin(np.pi * x)),
    (
        "boundary layer",
        dict(equation="eps*u_xx + u_x = 1", parameters={"eps": 1e-4}),
        lambda x: x - (1 - np.exp(-x / 1e-4)),
    ),
    (
        "clamped beam",
        dict(equation="u_xxxx = 1", boundary={"*": ["u = 0", "u_n = 0"]}),
        lambda x: x**2 * (1 - x) ** 2 / 24,
    ),
    (
        "first order",
        dict(equation="u_x = -2*u", boundary={"x-": "u = 1", "x+": None}),
        lambda x: np.exp(-2 * x),
    ),
    (
        "helmholtz, ten wavelengths",
        dict(equation="u_xx + (20*pi)**2*u = 0", boundary={"x-": "u = 1", "x+": "u_x = 0"}),
        lambda x: np.cos(20 * np.pi * x),
    ),
    ("jump in the source", dict(equation="u_xx = where(x < 0.3, 1, 0)"), None),
    (
        "free constant",
        dict(equation="u_xx = -pi**2*cos(pi*x)", boundary="u_n = 0"),
        lambda x: np.cos(np.pi * x),
    ),
    (
        "balanced by fluxes",
        dict(equation="u_xx = 2", boundary={"x-": "u_n = 0", "x+": "u_n = 2"}),
        lambda x: x**2 - 1 / 3,
    ),
    (
        "periodic",
        dict(equation="u_xx = sin(2*pi*x)", boundary="periodic"),
        lambda x: -np.sin(2 * np.pi * x) / (4 * np.pi**2),
    ),
    (
        "nonlinear",
        dict(equation="u_xx = u**3 + f", parameters={"f": lambda x: 2 - (x * (x - 1)) ** 3}),
        lambda x: x * (x - 1),
    ),
]


@pytest.mark.parametrize(("given", "exact"), [pytest.param(*rest, id=name) for name, *rest in CASES])
def test_the_error_is_at_most_the_estimate_and_that_the_tolerance(given, exact):
    solution = lrfm.steady(problem(**given), tol=1e-8)
    assert solution.report.error_estimate <= 1e-8
    if exact is None:  # −u'' = −1 on (0, 0.3): parabola and line
        s = 0.3
        exact = lambda x: np.where(x < s, x**2 / 2 - (s - s**2 / 2) * x, s**2 / 2 * (x - 1))  # noqa: E731
    assert error_of(solution, exact) <= max(solution.report.error_estimate, 1e-12)


@pytest.mark.parametrize("lam", [0.5, 2.0, 3.5])
def test_both_branches_of_bratu(lam):
    statement = problem("u_xx + lam*exp(u) = 0", parameters={"lam": lam})
    lower = lrfm.steady(statement, tol=1e-9)
    upper = lrfm.steady(statement, tol=1e-9, guess="20*x*(1 - x)" if lam < 1 else "8*x*(1 - x)")
    assert np.isclose(lower(x=0.5), bratu(lam), rtol=1e-8)
    assert np.isclose(upper(x=0.5), bratu(lam, upper=True), rtol=1e-8)


def test_a_parameter_leads_to_what_newton_does_not_reach():
    statement = problem(
        "eps**2*u_xx = sinh(u)", boundary={"x-": "u = 8", "x+": "u = -8"}, parameters={"eps": 0.005}
    )
    found = lrfm.steady(statement, tol=1e-6, along={"eps": 1.0})
    # E = (eps u')² /2 − cosh u is the same everywhere.
    x = np.linspace(0.001, 0.02, 20)
    energy = 0.5 * (0.005 * found["u_x"](x=x)) ** 2 - np.cosh(found(x=x))
    assert np.ptp(energy) < 1e-4 * np.cosh(8)


def test_the_rest_state_of_an_evolution_and_of_one_in_a_file(tmp_path):
    heat = problem("u_t = D*u_xx + 1", time=(0, 0.01), initial="sin(pi*x)", parameters={"D": 2})
    rest = lrfm.steady(heat, tol=1e-8)
    assert rest.coordinates == ("x",)
    assert error_of(rest, lambda x: x * (1 - x) / 4) < 1e-10
    again = lrfm.load(rest.save(tmp_path / "rest.lrfm"))
    assert again.problem.steady
    assert again(x=0.3) == rest(x=0.3)


def test_solve_takes_a_steady_statement_and_a_file_has_it(tmp_path):
    (tmp_path / "p.toml").write_text(problem("u_xx = -2").to_toml())
    solution = lrfm.solve(tmp_path / "p.toml", tol=1e-6)
    assert np.isclose(solution(x=0.5), 0.25, rtol=1e-12)
    assert np.isclose(solution.integral("u"), 1 / 6)
    assert np.isclose(solution.flux("x+"), -1.0)
    assert solution.flux("x+")() == solution.flux("x+")
    assert abs(solution.flux("x+").error) < 1e-6
    assert solution.to_xarray(x=5)["u"].dims == ("x",)
    solution.export(tmp_path / "s.csv", resolution=3)
    assert (tmp_path / "s.csv").read_text().splitlines()[0] == "x,u"
    assert len(solution.plot(tmp_path / "s.png").axes) == 1
    assert "over space" in str(solution.report)
    again = lrfm.load(solution.save(tmp_path / "s.lrfm"))
    assert again(x=0.3) == solution(x=0.3)


def test_a_complex_unknown_and_a_system():
    wave = problem(
        "psi_xx + 25*psi = 0",
        boundary={"x-": "psi = 1", "x+": "psi_x = 5j*psi"},
        unknowns={"psi": complex},
    )
    x = np.linspace(0, 1, 50)
    assert np.max(np.abs(lrfm.steady(wave, tol=1e-9)(x=x) - np.exp(5j * x))) < 1e-8
    pair = lrfm.steady(
        problem(["u_x = v", "v_x = -u"], boundary={"x-": "u = 0", "x+": "u = sin(1)"}), tol=1e-9
    )
    assert np.allclose(pair["v"](x=x), np.cos(x), atol=1e-8)


REFUSED = [
    ("not balanced", dict(equation="u_xx = 1", boundary="u_n = 0"), "is -1 instead of zero"),
    ("resonance", dict(equation="u_xx + pi**2*u = sin(pi*x)"), "leaves 1 free constant"),
    (
        "too few conditions",
        dict(equation="u_xx = 1", boundary={"x-": "u = 0", "x+": None}),
        "ask for 2 conditions at the two ends together, and 1 are given",
    ),
    (
        "changes in time",
        dict(equation="u_t = u_xx + sin(t)", time=(0, 1), initial="0"),
        "contains `t`, so that nothing rests",
    ),
    ("guess of another name", dict(equation="u_xx = u", guess={"v": 1}), "which is not an unknown"),
    ("path along nothing", dict(equation="u_xx = u**2", along={"k": 1.0}), "no number among the parameters"),
]


@pytest.mark.parametrize(("given", "said"), [pytest.param(*rest, id=name) for name, *rest in REFUSED])
def test_what_has_no_answer_is_refused_with_a_sentence(given, said):
    given = dict(given)
    options = {name: given.pop(name) for name in ("guess", "along") if name in given}
    with pytest.raises(lrfm.ProblemError, match=said):
        lrfm.steady(problem(**given), **options)


def test_no_solution_beyond_the_fold_is_not_claimed():
    with pytest.raises(lrfm.ConvergenceError, match="may be no steady state") as caught:
        lrfm.steady(problem("u_xx + lam*exp(u) = 0", parameters={"lam": 4}), tol=1e-6)
    assert caught.value.solution.report.failed


def test_what_is_asked_of_a_steady_state_in_the_wrong_way_gets_a_sentence():
    line = lrfm.Problem(
        "u_xx + lam = 0", domain=lrfm.Box(x=(0, 1)), boundary="u = 0", parameters={"lam": 1.0}
    )
    with pytest.raises(lrfm.ProblemError, match="`along` was given as 'lam'; expected a value to begin at"):
        lrfm.steady(line, along="lam")
    with pytest.raises(lrfm.ProblemError, match="`mu` is no parameter of this problem; there are `lam`"):
        lrfm.steady(line, tol=1e-6).sensitivity("mu")
    with pytest.raises(TypeError, match="`steady` was given a str"):
        lrfm.steady("u_xx = 0")


def test_heat_that_is_kept_rests_at_its_own_mean():
    kept = lrfm.Problem("u_t = u_xx", domain=LINE, time=(0, 1), initial="x + cos(pi*x)", boundary="u_n = 0")
    rest = lrfm.steady(kept, tol=1e-6)
    assert abs(float(rest(x=0.3)) - 0.5) <= 0.5 * rest.report.error_estimate <= 0.5e-6


@pytest.mark.parametrize("force", ["0", "1 - u**3"])
def test_a_wave_that_nothing_damps_has_a_steady_state_with_a_word(force):
    wave = {"domain": LINE, "time": (0, 1), "initial": {"u": "sin(pi*x)", "u_t": "0"}, "boundary": "u = 0"}
    rest = lrfm.steady(lrfm.Problem(f"u_tt = u_xx + {force}", **wave), tol=1e-6)
    damped = lrfm.steady(lrfm.Problem(f"u_tt + 9*u_t = u_xx + {force}", **wave), tol=1e-6)
    assert any("never comes to rest" in said for said in rest.report.warnings)
    assert not any("never comes to rest" in said for said in damped.report.warnings)
    assert abs(rest(x=0.4) - damped(x=0.4)) < 1e-6


def test_what_grows_is_refused_without_noise(recwarn):
    grows = lrfm.Problem(
        "u_t = u_xx + 20*u", domain=LINE, time=(0, 20), initial="sin(pi*x)", boundary="u = 0"
    )
    with pytest.raises(lrfm.ProblemError, match="times as large as at the start"):
        lrfm.steady(grows)
    assert not recwarn.list


def test_an_affine_statement_is_factored_once():
    from lrfm.integrate.steady.newton import newton

    class Affine:
        """A u = b with factors that are good to three digits."""

        linear, factors = True, 0

        def residual(self, u):
            return 2 * u - np.array([1.0, 3.0])

        def factored(self, u):
            self.factors += 1
            return lambda b: b / 2.002

        def relative(self, change, u):
            return float(np.max(np.abs(change)))

    equations = Affine()
    found = newton(equations, np.zeros(2), 1e-12)
    assert found.converged
    assert equations.factors == 1
    assert np.allclose(found.u, [0.5, 1.5], atol=1e-12)


def test_an_equation_that_is_differentiated_holds_itself():
    """u = sin y, v = cos y, p = cos y with u + v′ = 0."""
    y = np.linspace(0, np.pi, 21)
    flow = lrfm.Problem(
        ["u_yy - u - p = -2*sin(y) - cos(y)", "v_yy - p_y = sin(y) - cos(y)", "u + v_y = 0"],
        domain=lrfm.Box(y=(0, "pi")),
        boundary={"y-": ["u = 0", "v = 1"], "y+": ["u = 0", "v = -1"]},
    )
    found = lrfm.steady(flow, tol=1e-8)
    for name, exact in (("u", np.sin(y)), ("v", np.cos(y)), ("p", np.cos(y))):
        assert np.max(np.abs(found[name](y=y) - exact)) < 1e-8
    with pytest.raises(lrfm.ProblemError, match="ask for 4 conditions at the two ends together, and 3 are"):
        lrfm.steady(flow.replace(boundary={"y-": ["u = 0", "v = 1"], "y+": "u = 0"}))


def test_where_zero_leads_nowhere_it_begins_from_what_the_boundary_gives():
    """(u u')' = 0 vanishes with u: u = sqrt(1 + 3x)."""
    x = np.linspace(0, 1, 11)
    dam = lrfm.Problem(
        "diff(u*u_x, x) = 0", domain=lrfm.Box(x=(0, 1)), boundary={"x-": "u = 1", "x+": "u = 2"}
    )
    assert np.max(np.abs(lrfm.steady(dam, tol=1e-6)(x=x) - np.sqrt(1 + 3 * x))) < 1e-6


@pytest.mark.parametrize("p", [3, 4, 5, 8])
@pytest.mark.parametrize("tol", [1e-2, 1e-4, 1e-6])
def test_a_p_laplacian_from_nothing_within_its_estimate(p, tol):
    """(|u'|^(p − 2) u')' = −1: ((1/2)^q − |x − 1/2|^q)/q with 1/p + 1/q = 1. Two solves shared the error at the middle, where u'' is infinite."""
    solution = lrfm.steady(problem(f"diff(abs(u_x)**{p - 2}*u_x, x) = -1"), tol=tol)
    q, x = p / (p - 1), np.linspace(0, 1, 20_001)
    exact = (0.5**q - np.abs(x - 0.5) ** q) / q
    error = np.linalg.norm(solution(x=x) - exact) / np.linalg.norm(exact)
    assert error <= solution.report.error_estimate <= tol


@pytest.mark.parametrize(
    ("equation", "ends", "exact"),
    [
        ("u_xx + 9*abs(u) = -1", 0, lambda x: (np.cos(3 * (x - 0.5)) / np.cos(1.5) - 1) / 9),
        ("diff(u**2*u_x, x) = -1", 1, lambda x: (1 + 1.5 * x * (1 - x)) ** (1 / 3)),
        ("u*u_xx + u_x**2 = 6*x**2", "x**2", lambda x: x**2),
        ("u_xx = u*log(u)*4 + 2*u", "exp(x**2)", lambda x: np.exp(x**2)),
        ("u_xx = 2*sqrt(u) + 2 - 2*x", "x**2", lambda x: x**2),
    ],
)
def test_what_degenerates_at_zero_is_solved_from_nothing(equation, ends, exact):
    solution = lrfm.steady(problem(equation, boundary=f"u = {ends}"), tol=1e-5)
    x = np.linspace(0, 1, 501)
    error = np.linalg.norm(solution(x=x) - exact(x)) / np.linalg.norm(exact(x))
    assert error <= max(solution.report.error_estimate, 1e-13)


def test_integrals_of_a_complex_steady_state_are_complex_numbers():
    """w'' = i (w − 1), w = 0 at both ends: ∫w = (1 − 2 tanh(q/2)/q), w'(1) = −q tanh(q/2), q² = i."""
    wind = problem("w_zz = 1j*(w - 1)", domain=lrfm.Box(z=(0, 1)), boundary="w = 0", unknowns={"w": complex})
    w, q = lrfm.steady(wind, tol=1e-8), np.sqrt(1j)
    assert abs(w.integral("w") - (1 - 2 * np.tanh(q / 2) / q)) < 1e-8
    assert abs(w.flux("z+") + q * np.tanh(q / 2)) < 1e-7
    assert abs(w.integral("w").error) < 1e-7


@pytest.mark.parametrize("tol", [1e-2, 1e-3, 1e-4])
def test_a_path_from_nothing_goes_through_folds(tol):
    """Carrier's equation has many solutions, and none that Newton's method finds from zero: the path F(u) = (1 − θ) F(0) turns around on its way."""
    problem = lrfm.Problem(
        "0.01*u_xx + 2*(1 - x**2)*u + u**2 = 1", domain=lrfm.Box(x=(-1, 1)), boundary="u = 0"
    )
    solution = lrfm.steady(problem, tol=tol)
    near = lrfm.steady(problem, tol=1e-9, guess=lambda x: solution(x=x))  # Newton's method, from nearby
    x = np.linspace(-1, 1, 301)
    u, v = solution(x=x), near(x=x)
    assert np.linalg.norm(v) > 5
    assert np.linalg.norm(u - v) < tol * np.linalg.norm(v)


def test_a_nonlinear_statement_with_fluxes_at_both_ends():
    """(1 + u_x²) u_xx = cos πx: u_x + u_x³/3 = sin(πx)/π, a cubic by Cardano; u is known up to a constant."""
    statement = lrfm.Problem("(1 + u_x**2)*u_xx = cos(pi*x)", domain=lrfm.Box(x=(0, 1)), boundary="u_n = 0")
    solution = lrfm.steady(statement, tol=1e-8)
    x = np.linspace(0, 1, 1001)
    q = 1.5 * np.sin(np.pi * x) / np.pi
    exact = np.cbrt(q + np.sqrt(q**2 + 1)) + np.cbrt(q - np.sqrt(q**2 + 1))
    assert np.max(np.abs(solution["u_x"](x=x) - exact)) < 1e-8
    assert abs(np.trapezoid(solution(x=x), x)) < 1e-6
    assert "up to a constant" in solution.report.warnings[0]


SMOOTH_ENDS = [
    ("Bessel's", "x*u_xx + u_x = -4*x", (0, 1), {"x-": None, "x+": "u = 0"}, lambda x: 1 - x**2),
    ("Legendre's, of degree two", "(1 - x**2)*u_xx - 2*x*u_x + 5*u = 1 - x**2", (-1, 1), {"*": None}, lambda x: x**2 - 0.2),
    ("of first order", "x*u_x + u = 2*x + 1", (0, 1), {"*": None}, lambda x: 1 + x),
]  # fmt: skip


@pytest.mark.parametrize(
    ("equation", "ends", "boundary", "exact"), [pytest.param(*r, id=n) for n, *r in SMOOTH_ENDS]
)
def test_where_the_highest_derivative_vanishes_smoothness_is_the_condition(equation, ends, boundary, exact):
    solution = lrfm.steady(lrfm.Problem(equation, domain=lrfm.Box(x=ends), boundary=boundary), tol=1e-8)
    x = np.linspace(*ends, 101)
    assert np.max(np.abs(solution(x=x) - exact(x))) < 1e-12


def test_an_evolution_along_an_axis_is_called_one():
    beam = lrfm.Problem(
        "2j*A_z = -A_xx + 0.1*x**2*A",
        domain=lrfm.Box(x=(-10, 10), z=(0, 50)),
        unknowns={"A": complex},
        boundary={"x": "A = 0", "z-": "A = exp(-x**2)", "z+": None},
    )
    with pytest.raises(
        lrfm.ConvergenceError, match=r"evolution along it.*`t` in the place of `z`, `time=\(0, 50\)`"
    ):
        lrfm.steady(beam, tol=1e-3, max_seconds=0.1)
