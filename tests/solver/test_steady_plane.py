# SPDX-License-Identifier: MIT
"""Steady states and modes in the plane: exact solutions, published digits, claims that hold, and sentences where there is nothing to claim."""

import numpy as np
import pytest
from helpers import thinned
from scipy.special import jn_zeros

import lrfm

SQUARE = lrfm.Box(x=(0, 1), y=(0, 1))
CORNER = lrfm.Box(x=(-1, 1), y=(-1, 1)) - lrfm.Box(x=(0, 2), y=(-2, 0))


def problem(equation, **given):
    return lrfm.Problem(equation, **{"domain": SQUARE, "boundary": "u = 0", **given})


def error_of(solution, exact):
    points = solution.problem.domain.quadrature(1500).points
    x, y = points.T
    gap = solution(x=x, y=y) - exact(x, y)
    return np.sqrt(np.mean(gap**2) / np.mean(exact(x, y) ** 2))


def harmonic(x, y):
    return np.exp(x) * np.sin(y)


def singular(x, y):
    """r^(2/3) sin(2θ/3) with θ from the positive y axis' side of the corner: zero on both sides that meet there."""
    angle = np.mod(np.arctan2(y, x), 2 * np.pi)
    return np.hypot(x, y) ** (2 / 3) * np.sin(2 * angle / 3)


CASES = [
    (
        "box",
        dict(equation="lap(u) = -2*pi**2*sin(pi*x)*sin(pi*y)"),
        1e-6,
        lambda x, y: np.sin(np.pi * x) * np.sin(np.pi * y),
    ),
    ("disk", dict(equation="lap(u) = 0", domain=lrfm.Disk(), boundary="u = exp(x)*sin(y)"), 1e-6, harmonic),
    (
        "plate with a hole",
        dict(
            equation="lap(u) = 0",
            domain=SQUARE - lrfm.Disk(center=(0.4, 0.5), radius=0.2),
            boundary="u = exp(x)*sin(y)",
        ),
        1e-5,
        harmonic,
    ),
    (
        "corner",
        dict(equation="lap(u) = 0", domain=CORNER, boundary="u = g", parameters={"g": singular}),
        1e-3,
        singular,
    ),
    (
        "nonlinear",
        dict(equation="lap(u) = sinh(u) - sinh(exp(x)*sin(y))", boundary="u = exp(x)*sin(y)"),
        1e-5,
        harmonic,
    ),
    (
        "free constant",
        dict(equation="lap(u) + 2*pi**2*cos(pi*x)*cos(pi*y) = 0", boundary="u_n = 0"),
        1e-5,
        lambda x, y: np.cos(np.pi * x) * np.cos(np.pi * y),
    ),
    (
        "flux and value",
        dict(
            equation="lap(u) = 2",
            boundary={"x-": "u_n = 0", "x+": "u_n + u = 3", "y-": "u_n = 0", "y+": "u_n = 0"},
        ),
        1e-6,
        lambda x, y: x**2,
    ),
    (
        "around an axis",
        dict(
            equation="lap(u) = u - 2*(1 + 4*pi**2)*sin(2*pi*x)*(y - y**2)/2 - 2*sin(2*pi*x)",
            boundary={"x": "periodic", "y": "u = 0"},
        ),
        1e-5,
        lambda x, y: np.sin(2 * np.pi * x) * (y - y**2),
    ),
]


@pytest.mark.parametrize(("given", "tol", "exact"), [pytest.param(*rest, id=name) for name, *rest in CASES])
def test_the_error_is_at_most_the_estimate_and_that_the_tolerance(given, tol, exact):
    solution = lrfm.steady(problem(**given), tol=tol)
    assert solution.report.error_estimate <= tol
    assert error_of(solution, exact) <= max(solution.report.error_estimate, 1e-12)


@pytest.mark.parametrize(
    "equation", thinned(["0.05*lap(u) = u_x", "u_x - 0.05*lap(u) = 0", "-u_x = -0.05*lap(u)"], 2)
)
def test_what_is_carried_is_upwinded_whatever_side_it_stands_on(equation):
    flow = problem(equation, boundary={"x-": "u = 0", "x+": "u = 1", "y": "u_n = 0"})
    solution = lrfm.steady(flow, tol=1e-4)
    assert error_of(solution, lambda x, y: np.expm1(20 * x) / np.expm1(20)) <= 1e-4


def test_a_system_in_any_order():
    pair = lrfm.Problem(
        ["lap(v) = u", "lap(u) = 0"],
        domain=SQUARE,
        boundary={"*": ["u = x*y", "v = x**3*y/6"]},
    )
    solution = lrfm.steady(pair, tol=1e-6)
    assert np.isclose(solution["v"](x=0.5, y=0.5), 0.5**4 / 6, rtol=1e-6)


def test_the_rest_of_an_evolution_its_file_and_its_numbers(tmp_path):
    heat = lrfm.Problem("u_t = lap(u) + 4", domain=lrfm.Disk(), time=(0, 0.1), initial="0", boundary="u = 0")
    rest = lrfm.steady(heat, tol=1e-4)
    assert error_of(rest, lambda x, y: 1 - x**2 - y**2) < 1e-6
    assert np.isclose(rest.integral("u"), np.pi / 2, rtol=1e-5)
    (rim,) = rest.problem.domain.parts
    assert np.isclose(rest.flux(rim)(), -4 * np.pi, rtol=1e-5)
    assert np.isclose(rest.maximum("u").value, 1, rtol=1e-5)
    again = lrfm.load(rest.save(tmp_path / "rest.lrfm"))
    assert again.problem.steady
    assert again(x=0.3, y=0.1) == rest(x=0.3, y=0.1)
    figure = rest.plot(tmp_path / "rest.png")
    assert figure.axes[0].get_title() == ""


@pytest.mark.parametrize("angle", [0.0, 0.3])
def test_a_side_on_two_parts_of_which_conditions_differ(angle):
    """Re √(x + iy) turned by π: u = 0 for x > 0 and u_n = 0 for x < 0 on one line, two sides of a polygon that meet at 180 degrees; also where cells cut it."""
    c, s = np.cos(angle), np.sin(angle)
    corners = [(-1, 0), (0, 0), (1, 0), (1, 1), (-1, 1)]
    half = lrfm.Polygon([(c * x - s * y, s * x + c * y) for x, y in corners])
    statement = lrfm.Problem(
        "lap(u) = 0",
        domain=half,
        boundary={"side1": "u_n = 0", "side2": "u = 0", "*": "u = sqrt((sqrt(x**2 + y**2) - c*x - s*y)/2)"},
        parameters={"c": c, "s": s},
    )
    solution = lrfm.steady(statement, tol=1e-3)
    x, y = np.random.default_rng(1).random((2, 4000)) * [[2], [1]] - [[1], [0]]
    exact = np.sqrt((np.hypot(x, y) - x) / 2)
    gap = solution(x=c * x - s * y, y=s * x + c * y) - exact
    assert np.sqrt(np.mean(gap**2) / np.mean(exact**2)) <= solution.report.error_estimate <= 1e-3


REFUSED = [
    (
        "values here, fluxes there",
        dict(equation="lap(u) = 1", boundary={"y-": "where(x > 0.5, u, u_n) = 0", "*": "u = 0"}),
        r"The condition on `y-` gives values at \(0.516.*Give each a part of its own",
    ),
    ("not balanced", dict(equation="lap(u) = 1", boundary="u_n = 0"), "is -1 instead of zero"),
    ("first order", dict(equation="u_x + u_y = 1"), "no second derivatives"),
]


@pytest.mark.parametrize(("given", "said"), [pytest.param(*rest, id=name) for name, *rest in REFUSED])
def test_what_has_no_answer_is_refused_with_a_sentence(given, said):
    with pytest.raises(lrfm.ProblemError, match=said):
        lrfm.steady(problem(**given), tol=1e-4)


@pytest.mark.thorough
def test_the_fold_of_bratu_on_the_square():
    bratu = problem("lap(u) + lam*exp(u) = 0", parameters={"lam": 1})
    fold = lrfm.branch(bratu, "lam", (5, 7), tol=1e-4, max_points=30).folds[0]
    digits = 5e-10  # the last one of the reference
    assert abs(fold.value - 6.808124423) <= fold.error + digits < 1e-4


MODES = [
    ("square", dict(domain=lrfm.Box(x=(0, "pi"), y=(0, "pi"))), 1e-7, [2, 5, 5, 8]),
    ("disk", dict(domain=lrfm.Disk()), 1e-7, [jn_zeros(0, 1)[0] ** 2, *[jn_zeros(1, 1)[0] ** 2] * 2]),
    ("corner", dict(domain=CORNER), 1e-5, [9.6397238440219]),
]


@pytest.mark.parametrize(
    ("given", "tol", "exact"),
    [
        pytest.param(*rest, id=name, marks=pytest.mark.thorough if name == "corner" else ())
        for name, *rest in MODES
    ],
)
def test_eigenvalues_are_within_their_errors(given, tol, exact):
    found = lrfm.modes(problem("lap(u) = -lam*u", **given), k=len(exact), tol=tol)
    assert np.all(np.abs(found.values - exact) <= found.errors)
    assert found.met


def test_functions_have_norm_one_and_a_picture(tmp_path):
    found = lrfm.modes(problem("lap(u) = -lam*u", boundary="u_n = 0"), k=3, tol=1e-5)
    assert np.allclose(found.values, [0, np.pi**2, np.pi**2], atol=1e-4)
    points, weights = SQUARE.quadrature(900)[:2]
    x, y = points.T
    assert np.isclose(weights @ found[1](x=x, y=y) ** 2, 1, rtol=1e-6)
    assert len(found.plot(tmp_path / "modes.png").axes) == 3


def test_growth_rates_of_an_evolution():
    heat = problem("u_t = lap(u) + 25*u", time=(0, 1), initial="0")
    found = lrfm.modes(heat, k=2, tol=1e-5)
    assert np.all(np.abs(found.values - [25 - 2 * np.pi**2, 25 - 5 * np.pi**2]) <= found.errors)


def test_a_minimal_surface():
    """Scherk's surface, log(cos x/cos y): coefficients of second derivatives depend on the gradient."""
    problem = lrfm.Problem(
        "div(grad(u)/sqrt(1 + dot(grad(u), grad(u)))) = 0",
        domain=lrfm.Box(x=(-0.8, 0.8), y=(-0.8, 0.8)),
        boundary="u = log(cos(x)/cos(y))",
    )
    solution = lrfm.steady(problem, tol=1e-4)
    x, y = problem.domain.quadrature(400).points.T
    exact = np.log(np.cos(x) / np.cos(y))
    error = np.linalg.norm(solution(x=x, y=y) - exact) / np.linalg.norm(exact)
    assert error <= solution.report.error_estimate <= 1e-4


@pytest.mark.slow
def test_a_box_in_space():
    """u = e^x sin y + z, with a flux on one face."""
    cube = lrfm.Box(x=(0, 1), y=(0, 1), z=(0, 1))
    problem = lrfm.Problem(
        "lap(u) = u - exp(x)*sin(y) - z",
        domain=cube,
        boundary={"z-": "u_n = -1", "*": "u = exp(x)*sin(y) + z"},
    )
    solution = lrfm.steady(problem, tol=1e-2)
    x, y, z = cube.quadrature(500).points.T
    exact = np.exp(x) * np.sin(y) + z
    error = np.linalg.norm(solution(x=x, y=y, z=z) - exact) / np.linalg.norm(exact)
    assert error <= solution.report.error_estimate <= 1e-2


def mixed(amount):
    """u = x + 2y + a r^(1/3) sin(θ/3) on an L-shape with values given on one side of its corner and the flux on the other."""

    def exact(x, y):
        angle = np.mod(np.arctan2(y, x), 2 * np.pi)
        angle = np.where(angle > 1.75 * np.pi, angle - 2 * np.pi, angle)
        return x + 2 * y + amount * np.cbrt(np.hypot(x, y)) * np.sin(angle / 3)

    domain = lrfm.Box(x=(-1, 1), y=(-1, 1)) - lrfm.Box(x=(0, 2), y=(-2, 0), name="cut")
    boundary = {"cut.x-": "u_n = n_x", "*": "u = g"}
    given = {"domain": domain, "boundary": boundary, "parameters": {"g": exact}}
    return problem("lap(u) = 0", **given), exact


@pytest.mark.parametrize(("amount", "claimed"), [(1e-3, True), (1.0, False)])
def test_corners_count_as_much_as_a_state_is_singular_there(amount, claimed):
    # Boxes of the greatest depth are too large for r^(1/3) itself at this tolerance, and small enough for a thousandth of it.
    statement, exact = mixed(amount)
    solution = lrfm.steady(statement, tol=1e-3, strict=False)
    estimate = solution.report.error_estimate
    assert (estimate <= 1e-3) == claimed
    assert error_of(solution, exact) <= estimate


def test_a_steady_solution_in_files_and_over_its_boundary(tmp_path):
    """lap u = 4 between two circles: what flows out of the rim is 4 times the area, less what the hole takes."""
    ring = lrfm.Disk(name="rim") - lrfm.Disk(radius=0.5, name="hole")
    u = lrfm.steady(problem("lap(u) = 4", domain=ring, boundary="u = x**2 + y**2"), tol=1e-6)
    assert abs(u.flux("rim") - 4 * np.pi) < 1e-5
    assert abs(u.flux("rim")() + u.flux("hole")() - 3 * np.pi) < 1e-5
    with pytest.raises(TypeError, match="is a number; call it without coordinates"):
        u.flux("rim")(t=0.0)
    with pytest.raises(ValueError, match=r"The point x=0, y=0 lies outside of the domain"):
        u(x=0.0, y=0.0)
    for suffix in (".vtu", ".nc", ".npz", ".csv"):
        (path,) = u.export(tmp_path / f"u{suffix}")
        assert path.stat().st_size > 0


def test_a_flux_is_continuous_where_a_coefficient_jumps():
    """u = x (1 + b/r²) around a disk of ten times the conductivity, 2x/(1 + k) in it (Maxwell); eigenvalues of two strips by one-dimensional ones."""
    k, square = 10.0, 0.16
    b = (1 - k) / (1 + k) * square
    problem = lrfm.Problem(
        "div(where(x**2 + y**2 < 0.16, 10, 1)*grad(u)) = 0",
        domain=lrfm.Box(x=(-1, 1), y=(-1, 1)),
        boundary="u = x*(1 + b/(x**2 + y**2))",
        parameters={"b": b},
    )
    solution = lrfm.steady(problem, tol=1e-3)
    rule = problem.domain.quadrature(2000)
    x, y = rule.points.T
    r2 = x**2 + y**2
    exact = np.where(r2 < square, x * (1 + b / square), x * (1 + b / np.maximum(r2, 1e-9)))
    gap = solution(x=x, y=y) - exact
    error = np.sqrt(np.sum(rule.weights * gap**2) / np.sum(rule.weights * exact**2))
    assert error <= solution.report.error_estimate <= 1e-3


def test_a_rest_state_with_two_materials():
    """The mean of u along y in two strips, closed at y = 0 and 1, is that of one dimension: −(k u′)′ = 1."""
    problem = lrfm.Problem(
        "u_t = div(where(x < 0.5, 1, 4)*grad(u)) + 1",
        domain=lrfm.Box(x=(0, 1), y=(0, 1)),
        time=(0, 0.5),
        initial="0",
        boundary={"x": "u = 0", "y": "u_n = 0"},
    )
    solution = lrfm.steady(problem, tol=1e-4)
    slope = (0.125 + (1 - 0.25) / 8) / (0.5 + 0.5 / 4)  # k u′ = c − x, and ∫ u′ = 0
    assert abs(float(solution(x=0.5, y=0.3)) - (0.5 * slope - 0.125)) < 1e-5


def test_waves_through_open_sides_get_degrees_and_complex_factors(monkeypatch):
    """e^{ik(0.6x + 0.8y)} with u_n − iku given: cells that all have to be split get degrees where that costs less, and the factors are complex ones of half the size."""
    from lrfm.linalg.sparse import Sparse

    k, square, sizes = 12.6, lrfm.Box(x=(0, 1), y=(0, 1)), []
    factor = Sparse.factor
    monkeypatch.setattr(
        Sparse,
        "factor",
        lambda self, values: sizes.append((self.size, values.dtype.kind)) or factor(self, values),
    )
    problem = lrfm.Problem(
        "lap(u) + k**2*u = 0",
        domain=square,
        boundary="u_n - 1j*k*u = 1j*k*(0.6*n_x + 0.8*n_y - 1)*exp(1j*k*(0.6*x + 0.8*y))",
        unknowns={"u": complex},
        parameters={"k": k},
    )
    solution = lrfm.steady(problem, tol=1e-5)
    x, y = square.quadrature(900).points.T
    error = np.sqrt(np.mean(np.abs(solution(x=x, y=y) - np.exp(1j * k * (0.6 * x + 0.8 * y))) ** 2))
    assert error < solution.report.error_estimate < 1e-5
    cells, degree = (int(solution.report.parts[name]) for name in ("cells", "degree"))
    assert cells == 16
    assert degree > 9
    assert {kind for _, kind in sizes} == {"c"}
    assert cells * (degree + 1) * (degree + 2) // 2 in {size for size, _ in sizes}


def test_boxes_get_high_degrees_where_nothing_is_singular_at_their_corners():
    """A pressure has log r in the corners of a cavity: at Re = 100 and 1e-2, 118 cells of degree 4 take 11.5 s of CPU, 91 of degree 7 took 44."""
    from lrfm.discretize.options import Options
    from lrfm.integrate.steady.plane import PlaneEquations

    square = lrfm.Box(x=(0, 1), y=(0, 1))
    smooth = lrfm.Problem("lap(u) = 1", domain=square, boundary="u = 0")
    cavity = lrfm.Problem(
        ["p_x = lap(u)", "p_y = lap(v)", "u_x + v_y = 0"],
        domain=square,
        boundary={"y+": ["u = 4*x*(1 - x)", "v = 0"], "*": ["u = 0", "v = 0"]},
    )
    degrees = [
        PlaneEquations.adapter_of(PlaneEquations.system_of(problem), Options(tol=1e-2)).layout.degree
        for problem in (smooth, cavity)
    ]
    assert degrees[0] > degrees[1]
