"""∂u/∂p against derivatives of exact solutions and against differences of solves."""

import numpy as np
import pytest
from helpers import thinned
from scipy.special import jn_zeros, jv

import lrfm
from lrfm import Box, Problem
from lrfm.inverse.model import Model
from lrfm.inverse.observe import observations
from lrfm.inverse.vector import Vector

WEIGHTS = {-3: -1 / 60, -2: 9 / 60, -1: -45 / 60, 1: 45 / 60, 2: -9 / 60, 3: 1 / 60}


def places(problem, count=200, seed=0):
    rng = np.random.default_rng(seed)
    bounds = {**problem.domain.axes, "t": problem.time}
    return {name: low + (high - low) * rng.random(count) for name, (low, high) in bounds.items()}


def slope(function, value, step):
    """Seven-point difference."""
    return sum(w * function(value + k * step) for k, w in WEIGHTS.items()) / step


def relative(found, exact):
    return np.linalg.norm(found - exact) / np.linalg.norm(exact)


EXACT = [
    (lrfm.catalog.burgers_front, "nu"),
    (lrfm.catalog.burgers_front, "c"),
    (lrfm.catalog.nls, "v"),
    (lrfm.catalog.bbm, "c"),
    (lrfm.catalog.sine_gordon, "w"),
    (lrfm.catalog.wave, "c"),
    (lrfm.catalog.klein_gordon, "m"),
    (lrfm.catalog.schroedinger, "q"),
    (lrfm.catalog.advection_diffusion, "a"),
    (lrfm.catalog.fokker_planck, "theta"),
    (lrfm.catalog.fisher_kpp, "r"),
]


@pytest.mark.parametrize(("make", "name"), thinned(EXACT, 3), ids=lambda x: getattr(x, "__name__", x))
def test_derivative_of_the_exact_solution(make, name):
    problem = make()
    at = places(problem)
    exact = slope(
        lambda p: make(**{name: p}).reference(**at), problem.parameters[name], 2e-3 * problem.parameters[name]
    )
    solution = lrfm.solve(problem, tol=1e-8, method="lines")
    found = solution.sensitivity(name)
    error = relative(found(**at), exact)
    assert error < 1e-6
    assert error < 30 * max(found.error_estimate, 1e-10)


@pytest.mark.slow
@pytest.mark.parametrize(("entry", "name"), thinned([("ginzburg-landau", "a"), ("gray-scott", "k")], 2))
def test_difference_of_solves(entry, name):
    """Complex, and a system, without an exact solution."""
    problem = lrfm.catalog.get(entry)
    at = places(problem)

    def values(p):
        other = problem.replace(parameters={**problem.parameters, name: p}, reference=None)
        solution = lrfm.solve(other, tol=1e-7, method="lines", strict=False)
        return np.array([solution[u](**at) for u in solution.unknowns])

    found = lrfm.solve(problem, tol=1e-6, method="lines").sensitivity(name)
    ours = np.array([found[u](**at) for u in found.unknowns])
    assert relative(ours, slope(values, problem.parameters[name], 2e-2 * problem.parameters[name])) < 1e-4


def test_a_field_that_does_not_move():
    """The pressure of a standing wave does not depend on the density at a given speed of sound."""
    problem = lrfm.catalog.acoustics()
    at, rho = places(problem), problem.parameters["rho"]
    found = lrfm.solve(problem, tol=1e-8, method="lines").sensitivity("rho")
    exact = slope(lambda p: lrfm.catalog.acoustics(rho=p).reference["v"](**at), rho, 1e-3)
    assert relative(found["v"](**at), exact) < 1e-6
    assert np.max(np.abs(found["p"](**at))) < 1e-9


def test_two_dimensions():
    """u = A exp(-2 D π² t) sin πx sin πy, by diffusion and by the size of the data."""
    problem = Problem(
        "u_t = D*lap(u)", domain=Box(x=(0, 1), y=(0, 1)), time=(0, 0.1), initial="A*sin(pi*x)*sin(pi*y)", boundary="u = 0",
        parameters={"D": 0.7, "A": 3.0},
    )  # fmt: skip
    at = places(problem)
    linear = lrfm.solve(problem, tol=1e-7).linearized()
    shape = np.exp(-1.4 * np.pi**2 * at["t"]) * np.sin(np.pi * at["x"]) * np.sin(np.pi * at["y"])
    by_d, by_a = linear.sensitivities(["D", "A"])
    assert relative(by_d(**at), -6 * np.pi**2 * at["t"] * shape) < 1e-6
    assert relative(by_a(**at), shape) < 1e-6


def test_a_flow_with_its_pressure(tmp_path):
    """u = A sin x cos y e^(−2νt), p = A² (cos 2x + cos 2y) e^(−4νt)/4, by both numbers; and what a file keeps of a derivative."""
    problem = Problem(
        ["u_t + u*u_x + v*u_y + p_x = nu*lap(u)", "v_t + u*v_x + v*v_y + p_y = nu*lap(v)", "u_x + v_y = 0"],
        domain=Box(x=(0, "2*pi"), y=(0, "2*pi")), time=(0, 1), initial={"u": "A*sin(x)*cos(y)", "v": "-A*cos(x)*sin(y)"},
        boundary="periodic", parameters={"nu": 0.1, "A": 1.0},
    )  # fmt: skip
    at = places(problem, 100)
    by_nu, by_a = lrfm.solve(problem, tol=1e-4).linearized().sensitivities(["nu", "A"])
    u = np.sin(at["x"]) * np.cos(at["y"]) * np.exp(-0.2 * at["t"])
    p = 0.25 * (np.cos(2 * at["x"]) + np.cos(2 * at["y"])) * np.exp(-0.4 * at["t"])
    assert relative(by_nu["u"](**at), -2 * at["t"] * u) < 1e-4
    assert relative(by_a["p"](**at), 2 * p) < 1e-4
    again = lrfm.load(by_a.save(tmp_path / "slope.lrfm"))
    np.testing.assert_array_equal(again["u"](**at), by_a["u"](**at))


def test_a_number_in_the_boundary_data():
    """u = a t x solves u_t = u_xx + a x with u(1) = a t."""
    problem = Problem(
        "u_t = u_xx + a*x", domain=Box(x=(0, 1)), time=(0, 1), initial="0", boundary={"x-": "u = 0", "x+": "u = a*t"},
        parameters={"a": 2.0},
    )  # fmt: skip
    found = lrfm.solve(problem, tol=1e-8).sensitivity("a")
    assert np.allclose(found(x=[0.2, 0.9], t=0.5), [0.1, 0.45], atol=1e-8)
    assert np.allclose(found.derivative("u_x")(x=[0.2, 0.9], t=0.5), 0.5, atol=1e-6)


def test_a_number_that_is_zero():
    """At k = 0 the diffusive term is not in the equation, but its derivative is: u_k = t u_xx of the start."""
    problem = Problem(
        "u_t = k*u_xx", domain=Box(x=(0, 2 * np.pi)), time=(0, 0.5), initial="sin(x) + cos(2*x)", boundary="periodic",
        parameters={"k": 0.0},
    )  # fmt: skip
    found = lrfm.solve(problem, tol=1e-8).sensitivity("k")
    x = np.linspace(0, 6, 9)
    assert np.allclose(found(x=x, t=0.4), 0.4 * (-np.sin(x) - 4 * np.cos(2 * x)), atol=1e-7)


def test_products_are_adjoint():
    """⟨w, J v⟩ = ⟨Jᵀ w, v⟩, and J v is the sum of its parts."""
    problem = lrfm.catalog.fisher_kpp()
    linear = lrfm.solve(problem, tol=1e-6).linearized()
    at, rng = places(problem, 20), np.random.default_rng(1)
    v, w = dict(zip(linear.names, rng.normal(size=2), strict=True)), rng.normal(size=20)
    forward = w @ linear.product(v)(**at)
    back = linear.adjoint(w, **at)
    assert forward == pytest.approx(sum(back[name] * v[name] for name in v), rel=1e-10)


def test_a_wave_that_steepens():
    """Cells are split and joined on the way; with s as the speed of time, s u_s = t u_t."""
    problem = Problem(
        "u_t = s*(0.02*u_xx - u*u_x)", domain=Box(x=(-1, 1)), time=(0, 0.5), initial="-sin(pi*x)", boundary="u = 0",
        parameters={"s": 1.0},
    )  # fmt: skip
    solution = lrfm.solve(problem, tol=1e-6)
    at = places(problem)
    assert relative(solution.sensitivity("s")(**at), at["t"] * solution.derivative("u_t")(**at)) < 1e-5


def test_sentences(tmp_path):
    solution = lrfm.solve(lrfm.catalog.fisher_kpp(), tol=1e-3)
    with pytest.raises(lrfm.ProblemError, match=r"`rr` is no parameter .* Did you mean `r`"):
        solution.sensitivity("rr")


def test_in_a_domain_that_moves():
    """u = x² + 2kt on 0 < x < 1 + 0.2t, given at both ends: u_k = 2t."""
    problem = Problem(
        "u_t = k*u_xx", domain=lrfm.Region("x < 1 + 0.2*t", x=(0, 1.5)), time=(0, 0.5), initial="x**2", boundary="u = x**2 + 2*k*t",
        parameters={"k": 0.1},
    )  # fmt: skip
    found = lrfm.solve(problem, tol=1e-6).sensitivity("k")
    assert np.allclose(found(x=[0.2, 0.9], t=0.4), 0.8, rtol=0, atol=1e-5)
    assert found.error_estimate < 1e-5


def test_a_condition_on_slopes_that_contradicts_the_data():
    """All is proportional to h: u_h = u/h."""
    heated = Problem(
        "u_t = lap(u)", domain=lrfm.Disk(), time=(0, 1), initial="0", boundary="u_n = h - u", parameters={"h": 2.0}
    )  # fmt: skip
    solution = lrfm.solve(heated, tol=1e-3)
    x, y = 0.9 * lrfm.Disk().quadrature(100).points.T
    assert relative(solution.sensitivity("h")(x=x, y=y, t=0.7), solution(x=x, y=y, t=0.7) / 2) < 1e-3


def test_in_a_disc_by_an_exact_solution():
    """u = A J₀(zr) e^{−kz²t} + g (r² + 4kt): derivatives by coefficients of the equation, of the data and of conditions."""
    z, k, g, t = jn_zeros(0, 1)[0], 0.7, 0.5, 0.1
    problem = Problem(
        "u_t = k*lap(u)", domain=lrfm.Disk(), time=(0, t), initial="A*f + g*(x**2 + y**2)", boundary="u = g*(1 + 4*k*t)",
        parameters={"k": k, "A": 2.0, "g": g, "f": lambda x, y: jv(0, z * np.hypot(x, y))},
    )  # fmt: skip
    solution = lrfm.solve(problem, tol=1e-4)
    x, y = lrfm.Disk().quadrature(200).points.T
    wave = jv(0, z * np.hypot(x, y)) * np.exp(-k * z * z * t)
    exact = {"k": -2 * z * z * t * wave + 4 * g * t, "A": wave, "g": x * x + y * y + 4 * k * t}
    for name, found in zip(exact, solution.linearized().sensitivities(list(exact)), strict=True):
        gap = np.linalg.norm(found(x=x, y=y, t=t) - exact[name]) / np.linalg.norm(exact[name])
        assert gap <= 1e-4
        assert gap <= 3 * found.report.error_estimate + 1e-12


def test_of_a_file_and_of_space_and_time(tmp_path):
    """A solution that was loaded, and one in space and time, have the same derivatives as one by lines."""
    problem = lrfm.catalog.fisher_kpp()
    solution, at = lrfm.solve(problem, tol=1e-6), places(problem, 50)
    wanted = solution.sensitivity("r")(**at)
    loaded = lrfm.load(solution.save(tmp_path / "a.lrfm")).sensitivity("r")
    assert relative(loaded(**at), wanted) < 1e-6
    whole = lrfm.solve(problem, method=lrfm.SpaceTime(features=60, blocks=1), strict=False)
    assert relative(whole.sensitivity("r")(**at), wanted) < 1e-5
    assert whole.sensitivity("r").error_estimate < 1e-3


def test_a_direction_that_moves_faster_than_the_solution():
    """From u = 0 the fifth mode of the start falls as exp(−25π²t): steps and functions of u are not enough for it."""
    field = lrfm.UnknownField("x", known_at_ends=True, modes=12)
    problem = Problem(
        "u_t = u_xx", domain=Box(x=(0, 1)), time=(0, 0.1), initial="f", boundary="u = 0", parameters={"f": field}
    )  # fmt: skip
    vector = Vector.of(problem)
    data = lrfm.Data(x=np.linspace(0.05, 0.95, 19), t=0.1, u=0.0)
    model = Model(vector, observations(problem, [data]))
    point = model.at(vector.start, 1e-6)
    slopes = model.with_slopes(point, 1e-6).slopes
    x = np.linspace(0, 1, 201)
    bound = problem.parameters["f"]
    modes = np.sin(np.pi * np.arange(1, 6) * x[:, None])
    coefficients = np.linalg.lstsq(bound.functions(np.column_stack([x, 0 * x])), modes, rcond=None)[0]
    decay = np.exp(-(np.pi**2) * 0.1 * np.arange(1, 6) ** 2)
    exact = decay * np.sin(np.pi * np.arange(1, 6) * np.linspace(0.05, 0.95, 19)[:, None])
    assert np.abs(slopes @ coefficients - exact).max() < 1e-5


CARRIED = Problem(  # u = e^(-t) (1 + x²) whatever a is; u = (1 + b) of it by g
    "u_t = diff(k*u_x, x) + f",
    domain=Box(x=(0, 1)),
    time=(0, 1),
    initial="(1 + b)*(1 + x**2)",
    boundary={"x-": "u_n = 0", "x+": "u = g"},
    parameters={
        "a": 0.5,
        "b": 0.0,
        "k": "1 + a*x",
        "g": "2*(1 + b)*exp(-t)",
        "f": "-(1 + b)*exp(-t)*(3 + x**2 + 4*a*x)",
    },
)


def test_parameters_that_are_formulas_move_with_what_they_hold():
    solution = lrfm.solve(CARRIED, tol=1e-8)
    at = places(CARRIED)
    exact = np.exp(-at["t"]) * (1 + at["x"] ** 2)
    assert relative(solution(**at), exact) < 1e-8
    assert relative(solution.sensitivity("b")(**at), exact) < 1e-7
    # Nothing depends on a: what is left is rounding, and is not resolved by steps without end.
    assert np.abs(solution.sensitivity("a")(**at)).max() < 1e-8


def test_what_starts_from_nothing_takes_the_steps_of_the_solution():
    """A layer at the start that u has, too: its derivative by D is zero at first, and is not measured by that."""
    problem = Problem(
        "u_t = D*u_xx - k*u**2", domain=Box(x=(0, 1)), time=(0, 10), initial="exp(-20*x)", boundary={"x-": "u = 1", "x+": "u = 0"},
        parameters={"D": 2e-3, "k": 0.1},
    )  # fmt: skip
    solution = lrfm.solve(problem, tol=1e-5, method="lines")
    found = solution.linearized().sensitivities(["D", "k"])
    steps = [sum(len(piece.edges) - 1 for piece in one.pieces) for one in (solution, *found)]
    assert max(steps) < 1.6 * steps[0]
    at = places(problem)

    def values(d):
        return lrfm.solve(problem.replace(parameters={"D": d, "k": 0.1}), tol=1e-6, method="lines")(**at)

    # Wide differences, and their error of second order taken away, need fewer digits than narrow ones.
    fourth = (4 * slope(values, 2e-3, 1e-4) - slope(values, 2e-3, 2e-4)) / 3
    assert relative(found[0](**at), fourth) < 1e-4


def test_what_starts_from_nothing_and_stays_small():
    """A source a hundred thousandth of u: its own rate says how small it will be."""
    problem = Problem(
        "u_t = u_xx + 1e-5*a*sin(pi*x)", domain=Box(x=(0, 1)), time=(0, 0.3), initial="sin(2*pi*x) + u0", boundary="u = u0",
        parameters={"a": 1.0, "u0": 1.0},
    )  # fmt: skip
    at = places(problem)
    found = lrfm.solve(problem, tol=1e-7, method="lines").sensitivity("a")
    exact = 1e-5 * (1 - np.exp(-(np.pi**2) * at["t"])) / np.pi**2 * np.sin(np.pi * at["x"])
    assert relative(found(**at), exact) < 1e-5


def test_in_layers_of_the_plane():
    """With s as the speed of time, s u_s = t u_t; second derivatives of u are taken out of the equation of u_s."""
    core = lrfm.Disk(radius=0.5)
    problem = Problem(
        "u_t = s*k*lap(u)", domain=lrfm.Layers(core=core, shell=lrfm.Disk() - core), time=(0, 0.1), initial="1 - x**2 - y**2",
        boundary="u = 0", parameters={"s": 2.0, "k": {"core": 1.0, "shell": 0.5}},
    )  # fmt: skip
    solution = lrfm.solve(problem, tol=1e-2)
    x, y = 0.6 * np.random.default_rng(0).uniform(-1, 1, (2, 50))
    at = {"x": x, "y": y, "t": 0.07}
    assert relative(solution.sensitivity("s")(**at), 0.035 * solution.derivative("u_t")(**at)) < 1e-2


def test_of_data_that_jump():
    """∂c/∂D = z e^(−z²)/(2D √π),  z = (x − ½)/√(4Dt),  where c starts as a jump."""
    problem = Problem(
        "c_t = D*c_xx",
        domain=Box(x=(0, 1)),
        time=(0, 1),
        initial="where(x < 0.5, 1, 0)",
        boundary="c_n = 0",
        parameters={"D": 2e-3},
    )
    solution = lrfm.solve(problem, tol=1e-5)
    z = np.linspace(-3, 3, 61)
    exact = z * np.exp(-(z**2)) / (2 * 2e-3 * np.sqrt(np.pi))
    for time in (1e-6, 1e-3, 0.1, 1.0):
        found = solution.sensitivity("D")(x=0.5 + z * np.sqrt(4 * 2e-3 * time), t=time)
        assert relative(found, exact) < 1e-3
    # Cells that only the data needed are joined again.
    begun, ended = (len(solution.pieces[0].cells_at(time)) for time in (0.0, 1.0))
    assert ended < 0.5 * begun
