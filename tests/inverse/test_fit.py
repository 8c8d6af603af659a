"""Numbers from data: exact where data are, with intervals that follow from their noise, and refusals where nothing is known."""

import math

import numpy as np
import pytest

import lrfm
from lrfm import Box, Data, FitError, Problem, Unknown
from lrfm.inverse.fit import FitStatus
from lrfm.inverse.model import Model
from lrfm.solver.budget import OutOfTime

LINE = Box(x=(0, 1))
X, T = (a.ravel() for a in np.meshgrid(np.linspace(0.1, 0.9, 9), [0.1, 0.3, 0.5]))
NOISE = np.random.default_rng(5).normal(size=X.size)


def heat(**parameters):
    """u = A exp(−(k π² + r) t) sin πx."""
    return Problem(
        "u_t = k*u_xx - r*u", domain=LINE, time=(0, 0.5), initial="A*sin(pi*x)", boundary="u = 0",
        parameters={"k": 0.3, "r": 0.5, "A": 1.0, **parameters},
    )  # fmt: skip


def exact(x, t, k=0.3, r=0.5, a=1.0):
    return a * np.exp(-(k * np.pi**2 + r) * t) * np.sin(np.pi * x)


@pytest.fixture(scope="module")
def fit():
    """A from data with a known error; nobody changes it."""
    return lrfm.fit(heat(A=Unknown(0.2)), Data(x=X, t=T, u=exact(X, T) + 0.01 * NOISE, sigma=0.01))


def test_a_diffusivity_in_a_disc():
    """u = e^{2kt} cosh(x + y) + Ax: from noisy values inside of a disc."""
    rng = np.random.default_rng(2)
    r, angle, t = 0.9 * np.sqrt(rng.random(30)), 2 * np.pi * rng.random(30), 0.5 * rng.random(30)
    x, y = r * np.cos(angle), r * np.sin(angle)
    u = np.exp(2 * 0.3 * t) * np.cosh(x + y) + 0.7 * x
    problem = Problem(
        "u_t = k*lap(u)",
        domain=lrfm.Disk(),
        time=(0, 0.5),
        initial="cosh(x + y) + A*x",
        boundary="u = exp(2*k*t)*cosh(x + y) + A*x",
        parameters={"k": Unknown(0.5, lower=0), "A": Unknown(0.0)},
    )
    noisy = lrfm.fit(problem, Data(x=x, y=y, t=t, u=u + 0.01 * rng.normal(size=30), sigma=0.01))
    for name, true in (("k", 0.3), ("A", 0.7)):
        assert abs(noisy.parameters[name].value - true) < 3 * noisy.parameters[name].std
        assert noisy.parameters[name].std < 0.02


def test_clean_data_give_the_truth():
    fit = lrfm.fit(heat(k=Unknown(1.0, lower=0), A=Unknown(3.0)), Data(x=X, t=T, u=exact(X, T)), tol=1e-7)
    assert fit.parameters["k"].value == pytest.approx(0.3, rel=1e-7)
    assert fit.parameters["A"].value == pytest.approx(1.0, rel=1e-7)
    assert fit.parameters["k"].half < 1e-6
    assert fit.identified


def test_errors_of_numbers_are_those_of_linear_theory(fit):
    """u = A s(x, t): A = ⟨s, d⟩/⟨s, s⟩ with error σ/|s|, and χ² is what is left."""
    d = exact(X, T) + 0.01 * NOISE
    s = exact(X, T)
    assert fit.parameters["A"].value == pytest.approx(s @ d / (s @ s), rel=1e-5)
    assert fit.parameters["A"].std == pytest.approx(0.01 / np.linalg.norm(s), rel=1e-4)
    left = np.sum((d - s * (s @ d) / (s @ s)) ** 2) / 0.01**2
    assert fit.judgement.chi_square == pytest.approx(left, rel=1e-4)
    assert fit.judgement.freedom == X.size - 1
    found = fit.predict(x=0.5, t=0.0)
    assert found.std == pytest.approx(fit.parameters["A"].std, rel=1e-4)
    assert found.lower < fit.parameters["A"].value < found.upper


def test_unknown_noise_is_found():
    """Student's distribution, σ² = |r|²/(n − 1)."""
    d = exact(X, T) + 0.01 * NOISE
    fit = lrfm.fit(heat(A=Unknown(0.2)), Data(x=X, t=T, u=d))
    r = fit.residuals
    sigma = math.sqrt(r @ r / (X.size - 1))
    assert fit.judgement.sigma["u"] == pytest.approx(sigma, rel=1e-2)
    assert fit.factor == pytest.approx(2.0555, rel=1e-3)  # 26 degrees of freedom
    assert "no test" in fit.report


def test_a_product_is_not_taken_apart():
    problem = Problem(
        "u_t = a*b*u_xx", domain=LINE, time=(0, 0.5), initial="sin(pi*x)", boundary="u = 0",
        parameters={"a": Unknown(1.0, lower=0), "b": Unknown(0.5)},
    )  # fmt: skip
    data = Data(x=X, t=T, u=exact(X, T, r=0) + 1e-3 * NOISE, sigma=1e-3)
    with pytest.raises(FitError, match="the data see only a · b, not `a` and `b` apart") as error:
        lrfm.fit(problem, data)
    fit = error.value.fit
    assert not fit.identified
    assert math.isnan(fit.parameters["a"].value)
    assert str(fit.parameters["b"]) == "not identified"
    assert fit.solution(x=0.5, t=0.5) == pytest.approx(
        exact(0.5, 0.5, r=0), rel=1e-2
    )  # what is seen is found


def test_a_sum_is_not_taken_apart():
    """Of a single mode only k π² + r is seen."""
    data = Data(x=X, t=T, u=exact(X, T) + 1e-3 * NOISE, sigma=1e-3)
    with pytest.raises(FitError, match=r"only k \+0.101 r"):
        lrfm.fit(heat(k=Unknown(0.5, lower=0), r=Unknown(0.1)), data)


def test_a_number_that_data_do_not_see():
    """sin 2πx has its node where the only sensor is."""
    problem = Problem(
        "u_t = 0.3*u_xx", domain=LINE, time=(0, 0.5), initial="A*sin(pi*x) + B*sin(2*pi*x)", boundary="u = 0",
        parameters={"A": Unknown(0.5), "B": Unknown(0.5)},
    )  # fmt: skip
    t = np.linspace(0.05, 0.5, 10)
    data = Data(x=0.5, t=t, u=exact(0.5, t, r=0) + 0.01 * NOISE[:10], sigma=0.01)
    with pytest.raises(FitError, match="the data do not depend on `B`") as error:
        lrfm.fit(problem, data)
    assert abs(error.value.fit.parameters["A"].value - 1) < 0.05


def test_a_wrong_model_is_refused():
    data = Data(x=X, t=T, u=exact(X, T) * (1 + X), sigma=0.01)
    with pytest.raises(FitError, match="does not describe these data"):
        lrfm.fit(heat(k=Unknown(1.0, lower=0)), data)


def test_outliers():
    d = exact(X, T) + 0.005 * NOISE
    d[::9] += 0.5
    problem, data = heat(A=Unknown(0.5)), Data(x=X, t=T, u=d, sigma=0.005)
    assert abs(lrfm.fit(problem, data, loss="cauchy").parameters["A"].value - 1) < 0.01
    assert abs(lrfm.fit(problem, data, strict=False).parameters["A"].value - 1) > 0.05


def test_derivatives_formulas_and_several_sets():
    """Data of u_x and of u + 2 u_x, each with its own error."""
    slope = np.pi * exact(X, T) / np.tan(np.pi * X)
    sets = [
        Data(x=X, t=T, u_x=slope + 0.01 * NOISE, sigma=0.01),
        Data({"x": X, "t": T, "A*u + 2*u_x": exact(X, T) + 2 * slope + 0.02 * NOISE[::-1]}, sigma=0.02),
    ]
    fit = lrfm.fit(heat(k=Unknown(0.5, lower=0), A=Unknown(0.8)), sets)
    for name, truth in (("k", 0.3), ("A", 1.0)):
        assert abs(fit.parameters[name].value - truth) < 2 * fit.parameters[name].half
        assert fit.parameters[name].half < 0.02
    assert len(fit.residuals) == 2 * X.size


@pytest.mark.slow
def test_complex_data_and_a_number_in_the_boundary():
    problem = lrfm.catalog.schroedinger()
    rng = np.random.default_rng(0)
    (low, high), end = problem.domain.axes["x"], problem.time[1]
    x, t = low / 3 + (high - low) / 3 * rng.random(40), end * rng.random(40)
    values = problem.reference(x=x, t=t)
    unknown = problem.replace(parameters={"q": Unknown(0.7)}, reference=None)
    fit = lrfm.fit(unknown, Data(x=x, t=t, psi=values, sigma=1e-3), tol=1e-4, strict=False)
    assert fit.parameters["q"].value == pytest.approx(1.0, abs=1e-3)


@pytest.mark.slow
def test_profile_of_a_linear_number_is_its_interval(fit):
    found = fit.profile("A", 5)
    assert found.upper == pytest.approx(fit.parameters["A"].upper, abs=0.05 * fit.parameters["A"].half)
    assert found.lower == pytest.approx(fit.parameters["A"].lower, abs=0.05 * fit.parameters["A"].half)
    with pytest.raises(KeyError, match="no unknown number"):
        fit.profile("B")


def test_where_to_measure_next(fit):
    """A sits in the start: the best place is the middle at t = 0, where u is largest; three values shrink by what they carry."""
    design = fit.where_next(3)
    assert len(design) == 3
    assert abs(design.places["x"][0] - 0.5) < 0.1
    assert design.places["t"][0] < 0.02
    g = exact(design.places["x"], design.places["t"])
    before = np.sum(exact(X, T) ** 2)
    assert design.shrink["A"] == pytest.approx(math.sqrt(before / (before + g @ g)), rel=1e-3)


@pytest.mark.slow
def test_several_starts_find_the_lower_minimum():
    """u = sin(w) at the end has a minimum of the misfit near every multiple of 2π."""
    problem = Problem(
        "u_t = w*cos(w*t) + 0.1*w*u_xx", domain=LINE, time=(0, 1), initial="0", boundary="periodic",
        parameters={"w": Unknown(1.0, lower=0.5, upper=12)},
    )  # fmt: skip
    t = np.linspace(0.05, 1, 20)
    fit = lrfm.fit(problem, Data(x=0.5, t=t, u=np.sin(7.0 * t), sigma=0.01), starts=6)
    assert fit.parameters["w"].value == pytest.approx(7.0, abs=1e-3)


def test_a_bound_holds_and_is_said():
    fit = lrfm.fit(heat(k=Unknown(0.5, lower=0.4)), Data(x=X, t=T, u=exact(X, T), sigma=0.1))
    assert fit.parameters["k"].value == pytest.approx(0.4, abs=4e-3)
    assert any("at its bound" in w for w in fit.judgement.warnings)


def test_the_picture(fit, tmp_path):
    figure = fit.plot(tmp_path / "fit.png", profiles=False)
    assert (tmp_path / "fit.png").stat().st_size > 10_000
    assert len(figure.axes) >= 3


def test_a_flux_at_both_ends():
    """u_n is −u_x at the left end and u_x at the right one: for sin πx both are −π A exp(−…)."""
    t = np.tile(np.linspace(0.05, 0.5, 8), 2)
    x = np.repeat([0.0, 1.0], 8)
    flux = -np.pi * np.exp(-(0.3 * np.pi**2 + 0.5) * t)
    data = Data(x=x, t=t, u_n=flux + 0.01 * NOISE[:16], sigma=0.01)
    fit = lrfm.fit(heat(A=Unknown(0.2)), data)
    values = flux + 0.01 * NOISE[:16]
    assert fit.parameters["A"].value == pytest.approx(flux @ values / (flux @ flux), rel=1e-4)
    assert len(fit.plot(profiles=False).axes) >= 3
    with pytest.raises(ValueError, match=r"Row 2 .* a normal derivative, at a place that is on no face"):
        lrfm.fit(heat(A=Unknown(0.2)), Data(x=[0.0, 0.5], t=0.1, u_n=[1.0, 1.0], sigma=0.1))


@pytest.mark.thorough
@pytest.mark.slow
def test_two_rates_of_a_system_of_which_one_unknown_is_seen():
    equations = ["u_t = 0.1*u_xx - r*u*v", "v_t = 0.05*v_xx + r*u*v - d*v"]
    statement = dict(
        domain=LINE, time=(0, 3), initial={"u": "1", "v": "0.1*exp(-50*(x - 0.5)**2)"},
        boundary={"x-": {"u_x": 0, "v_x": 0}, "x+": {"u_x": 0, "v_x": 0}},
    )  # fmt: skip
    truth = {"r": 4.0, "d": 1.0}
    x, t = (a.ravel() for a in np.meshgrid(np.linspace(0, 1, 6), [0.5, 1.0, 2.0, 3.0]))
    values = lrfm.solve(Problem(equations, **statement, parameters=truth), tol=1e-6, seed=5)["v"](x=x, t=t)
    problem = Problem(
        equations, **statement, parameters={"r": Unknown(1.0, lower=0), "d": Unknown(0.3, lower=0)}
    )
    found = lrfm.fit(problem, Data(x=x, t=t, v=values, sigma=1e-3), tol=1e-6).parameters
    assert all(found[name].value == pytest.approx(value, rel=1e-4) for name, value in truth.items())


@pytest.mark.thorough
@pytest.mark.slow
def test_two_numbers_of_a_condition_of_the_third_kind():
    """u_x = −h (u − T): both numbers multiply each other, and are told apart by what happens in time."""
    truth = {"h": 2.0, "Ta": 0.3}
    statement = dict(
        domain=LINE, time=(0, 1), initial="1 - x**2*(3 - 2*x)", boundary={"x-": "u_x = 0", "x+": "u_x = -h*(u - Ta)"}
    )  # fmt: skip
    x, t = (a.ravel() for a in np.meshgrid(np.linspace(0, 1, 6), [0.1, 0.3, 0.6, 1.0]))
    values = lrfm.solve(Problem("u_t = 0.5*u_xx", **statement, parameters=truth), tol=1e-7, seed=5)(x=x, t=t)
    problem = Problem(
        "u_t = 0.5*u_xx", **statement, parameters={"h": Unknown(1.0, lower=0), "Ta": Unknown(0.0)}
    )
    found = lrfm.fit(problem, Data(x=x, t=t, u=values, sigma=1e-3), tol=1e-6).parameters
    assert all(found[name].value == pytest.approx(value, rel=1e-4) for name, value in truth.items())


# Limits ---------------------------------------------------------------------------------------------------------


def decay(start=1.0):
    x = np.linspace(0.1, 0.9, 9)
    problem = lrfm.Problem(
        "u_t = k*u_xx", domain=lrfm.Box(x=(0, 1)), time=(0, 0.5), initial="sin(pi*x)", boundary="u = 0",
        parameters={"k": lrfm.Unknown(start, lower=0)},
    )  # fmt: skip
    return problem, lrfm.Data(x=x, t=0.5, u=np.exp(-0.3 * np.pi**2 * 0.5) * np.sin(np.pi * x), sigma=1e-3)


def test_a_search_that_the_clock_ends_hands_back_its_best_point(monkeypatch):
    problem, data = decay()
    calls, slopes = [], Model.with_slopes

    def late(self, point, tol):
        calls.append(point.values[0])
        if len(calls) > 3:
            raise OutOfTime
        return slopes(self, point, tol)

    monkeypatch.setattr(Model, "with_slopes", late)
    found = lrfm.fit(problem, data, strict=False, max_seconds=1000)
    k = found.parameters["k"]
    assert abs(k.value - 0.3) < abs(calls[0] - 0.3)  # nearer than where it began
    assert k.lower < k.value < k.upper
    assert found.judgement.status is FitStatus.NOT_CONVERGED
    assert found.judgement.words == "not converged: `max_seconds` has passed"
    assert found.solution.report.solved
    calls.clear()
    with pytest.raises(lrfm.FitError, match="max_seconds"):
        lrfm.fit(problem, data, max_seconds=1000)


def test_without_time_for_intervals_there_is_a_point_and_its_solution(monkeypatch):
    problem, data = decay()
    monkeypatch.setattr("lrfm.inverse.front._Run._estimated", ended)
    found = lrfm.fit(problem, data, strict=False, max_seconds=1000)
    assert found.parameters["k"].value == pytest.approx(0.3, rel=1e-3)
    assert np.isnan(found.parameters["k"].half)
    assert found.judgement.status is FitStatus.NOT_CONVERGED
    assert found.judgement.words == "not converged: `max_seconds` has passed"
    assert found.solution(x=0.5, t=0.5) == pytest.approx(np.exp(-0.3 * np.pi**2 * 0.5), rel=1e-2)
    assert not found.solution.report.solved
    assert "k" in str(found.report)


def test_before_the_first_solve_there_is_nothing_to_hand_back(monkeypatch):
    problem, data = decay()
    monkeypatch.setattr(Model, "at", ended)
    with pytest.raises(lrfm.FitError, match="`max_seconds=1000` passed before the problem was solved once"):
        lrfm.fit(problem, data, strict=False, max_seconds=1000)


def ended(*args):
    raise OutOfTime
