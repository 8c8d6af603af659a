# SPDX-License-Identifier: MIT
"""The front door with parts by hand: manufactured solutions, seeds, plans, limits, and what is refused."""

import itertools
import math
import tracemalloc

import numpy as np
import pytest
from helpers import by_hand, grid_error
from hypothesis import given, settings
from hypothesis import strategies as st

import lrfm
from lrfm.solver.budget import format_bytes, parse_bytes
from lrfm.spacetime.windows import assembly
from lrfm.spacetime.windows.parts import Parts
from lrfm.spacetime.windows.window import build_system, initial_values, sample_space

QUICK = settings(max_examples=4, deadline=None, derandomize=True)
GOOD = lrfm.Liquid(features=110, weights=1.0, centers=1.1, gate=2.0, tau=(0.3, 20.0))
ROWS = lrfm.Collocation(
    interior=330,
    initial=70,
    boundary=30,
    time="chebyshev",
    window_units=True,
    initial_weight=10,
    boundary_weight=10,
)
PARTS = {"space": GOOD, "collocation": ROWS, "estimate": False}
HEAT = lrfm.catalog.heat_1d()
LINE, PLANE, SOLID = lrfm.Box(x=(-1, 1)), lrfm.Box(x=(0, 1), y=(0, 2)), lrfm.Box(x=(0, 1), y=(0, 1), z=(0, 1))
number = st.floats(0.3, 1.5).map(lambda value: round(value, 3))
signed = number.flatmap(lambda a: st.sampled_from([a, -a]))


def error(solution, exact, points=17):
    """Largest relative error over a grid, worst over unknowns; `exact` maps names to functions."""
    axes = [np.linspace(*ends, points) for ends in solution.problem.domain.axes.values()]
    grid = np.meshgrid(*axes, np.linspace(*solution.problem.time, 9), indexing="ij")
    at = dict(zip(solution.coordinates, grid, strict=True))
    gaps = []
    for name, function in exact.items():
        value = function(**at)
        gaps.append(np.abs(solution[name](**at) - value).max() / np.abs(value).max())
    return max(gaps)


# Manufactured solutions -------------------------------------------------------------------------------------
# Every coefficient is random, and of order one: a sign or a factor lost anywhere shows in the first digit.


@QUICK
@given(a=number, b=signed, c=signed, k=number, w=number)
def test_heat_with_transport_reaction_and_source(a, b, c, k, w):
    """u = e^(−wt) sin(kx) + x: u_t = a u_xx + b u_x + c u + f."""
    problem = lrfm.Problem(
        "u_t = a*u_xx + b*u_x + c*u - b - c*x"
        f" + exp(-{w}*t)*((-{w} + a*{k}**2 - c)*sin({k}*x) - b*{k}*cos({k}*x))",
        domain=lrfm.Box(x=(-1, 1.5)), time=(0, 0.8), initial=f"sin({k}*x) + x",
        boundary=f"u = exp(-{w}*t)*sin({k}*x) + x", parameters={"a": a, "b": b, "c": c},
    )  # fmt: skip
    solution = lrfm.solve(problem, **by_hand(**PARTS))
    assert error(solution, {"u": lambda x, t: np.exp(-w * t) * np.sin(k * x) + x}) < 1e-5


@QUICK
@given(c=number, k=number, p=signed)
def test_wave_with_both_initial_data(c, k, p):
    """u = sin(kx − ckt + p): u_tt = c² u_xx, traveling to the right."""
    exact = f"sin({k}*x - {c * k}*t + {p})"
    problem = lrfm.Problem(
        "u_tt = c**2*u_xx",
        domain=lrfm.Box(x=(0, 2)), time=(0, 1), parameters={"c": c}, boundary=f"u = {exact}",
        initial={"u": f"sin({k}*x + {p})", "u_t": f"-{c * k}*cos({k}*x + {p})"},
    )  # fmt: skip
    solution = lrfm.solve(problem, **by_hand(**PARTS))
    assert error(solution, {"u": lambda x, t: np.sin(k * x - c * k * t + p)}) < 1e-4


@QUICK
@given(a=number, b=number, c=signed, d=signed, w=number)
def test_reaction_diffusion_system(a, b, c, d, w):
    """u = e^(−wt) cos x, v = e^(−2wt) sin x, coupled by c v² and d u v."""
    problem = lrfm.Problem(
        [
            f"u_t = a*u_xx + c*v**2 + (a - {w})*exp(-{w}*t)*cos(x) - c*exp(-4*{w}*t)*sin(x)**2",
            f"v_t = b*v_xx + d*u*v + (b - 2*{w})*exp(-2*{w}*t)*sin(x) - d*exp(-3*{w}*t)*sin(x)*cos(x)",
        ],
        domain=lrfm.Box(x=(0, 2)), time=(0, 0.7), parameters={"a": a, "b": b, "c": c, "d": d},
        initial={"u": "cos(x)", "v": "sin(x)"},
        boundary={"*": [f"u = exp(-{w}*t)*cos(x)", f"v = exp(-2*{w}*t)*sin(x)"]},
    )  # fmt: skip
    solution = lrfm.solve(problem, **by_hand(**PARTS))
    exact = {
        "u": lambda x, t: np.exp(-w * t) * np.cos(x),
        "v": lambda x, t: np.exp(-2 * w * t) * np.sin(x),
    }
    assert error(solution, exact) < 1e-4


@QUICK
@given(a=signed, g=signed, k=signed)
def test_nonlinear_schroedinger_plane_wave(a, g, k):
    """ψ = A e^(i(kx − ωt)), ω = a k² + g A²: i ψ_t = −a ψ_xx + g |ψ|² ψ."""
    A = 0.8
    omega = a * k**2 + g * A**2
    exact = f"{A}*exp(1j*({k}*x - ({omega})*t))"
    problem = lrfm.Problem(
        "1j*psi_t = -a*psi_xx + g*abs(psi)**2*psi",
        unknowns={"psi": complex}, domain=lrfm.Box(x=(-1, 1)), time=(0, 0.6), parameters={"a": a, "g": g},
        initial=f"{A}*exp(1j*{k}*x)", boundary=f"psi = {exact}",
    )  # fmt: skip
    solution = lrfm.solve(problem, **by_hand(**PARTS))
    assert error(solution, {"psi": lambda x, t: A * np.exp(1j * (k * x - omega * t))}) < 1e-4


@QUICK
@given(a=number, b=number, c=signed, k=number, m=number)
def test_anisotropic_heat_in_the_plane(a, b, c, k, m):
    """u = e^(−t) sin(kx + my): u_t = a u_xx + b u_yy + c u_xy + f, Dirichlet in x, Neumann in y."""
    phase = f"{k}*x + {m}*y"
    problem = lrfm.Problem(
        f"u_t = a*u_xx + b*u_yy + c*u_xy + (a*{k}**2 + b*{m}**2 + c*{k * m} - 1)*exp(-t)*sin({phase})",
        domain=lrfm.Box(x=(0, 1), y=(-1, 1)), time=(0, 0.5), parameters={"a": a, "b": b, "c": 0.5 * c},
        initial=f"sin({phase})",
        boundary={
            "x": f"u = exp(-t)*sin({phase})",
            "y-": f"u_n = -{m}*exp(-t)*cos({phase})",
            "y+": f"u_n = {m}*exp(-t)*cos({phase})",
        },
    )  # fmt: skip
    space = lrfm.Liquid(features=170, weights=0.8, gate=2.0, tau=(0.3, 20.0))
    points = lrfm.Collocation(interior=500, initial=121, boundary=49, initial_weight=10, boundary_weight=10)
    solution = lrfm.solve(problem, method=lrfm.SpaceTime(space=space, collocation=points), estimate=False)
    assert error(solution, {"u": lambda x, y, t: np.exp(-t) * np.sin(k * x + m * y)}, 9) < 1e-3


CONDITIONS = {
    "Dirichlet": "u = {u}",
    "Neumann": "u_n = {n}",
    "Robin": "u_n + {h}*u = {n} + {h}*{u}",
    "radiation": "u_n = {n} - {h}*(u**4 - ({u})**4)",
    "quadratic flux": "u_x**2 + u = ({x})**2 + {u}",
}


@pytest.mark.parametrize("right", CONDITIONS)
@QUICK
@given(h=number, w=number)
def test_boundary_conditions_of_every_kind(right, h, w):
    """u = 2 + e^(−wt) cos(x + 0.3): only signs and factors as written give this solution."""
    u, slope = f"(2 + exp(-{w}*t)*cos(x + 0.3))", f"(-exp(-{w}*t)*sin(x + 0.3))"
    problem = lrfm.Problem(
        f"u_t = u_xx + (1 - {w})*exp(-{w}*t)*cos(x + 0.3)",
        domain=lrfm.Box(x=(0, 1)), time=(0, 1), initial="2 + cos(x + 0.3)",
        boundary={
            "x-": f"u_n + {h}*u = -{slope} + {h}*{u}",
            "x+": CONDITIONS[right].format(u=u, n=slope, x=slope, h=h),
        },
    )  # fmt: skip
    solution = lrfm.solve(problem, **by_hand(**PARTS))
    assert solution.problem.linear == (right in ("Dirichlet", "Neumann", "Robin"))
    assert error(solution, {"u": lambda x, t: 2 + np.exp(-w * t) * np.cos(x + 0.3)}) < 1e-5


def test_an_unknown_without_time_derivative():
    """A constraint q = u_x stated as an equation of its own."""
    problem = lrfm.Problem(
        ["u_t = q_x", "q = u_x"],
        domain=lrfm.Box(x=(0, 1)), time=(0, 0.2), initial={"u": "sin(pi*x)"}, boundary="u = 0",
    )  # fmt: skip
    solution = lrfm.solve(problem, **by_hand(**PARTS))
    decay = lambda t: np.exp(-(np.pi**2) * t)  # noqa: E731
    exact = {
        "u": lambda x, t: decay(t) * np.sin(np.pi * x),
        "q": lambda x, t: np.pi * decay(t) * np.cos(np.pi * x),
    }
    assert error(solution, exact) < 1e-2


@pytest.mark.parametrize("periodic", ["chart", "rows"])
@pytest.mark.parametrize("patches", [None, 3])
def test_periodic_transport_turns_the_right_way(periodic, patches):
    """u_t + u_x/2 = 0 carries sin(πx) to the right by t/2, through the end of the interval."""
    problem = lrfm.Problem(
        "u_t + 0.5*u_x = 0", domain=lrfm.Box(x=(-1, 1)), time=(0, 1), initial="sin(pi*x)", boundary="periodic"
    )
    size = {"features": 110} if patches is None else {"per_patch": 50, "patches": patches}
    space = lrfm.Liquid(**size, weights=1.5, gate=2.0, periodic=periodic)
    solution = lrfm.solve(problem, method=lrfm.SpaceTime(space=space, collocation=ROWS), estimate=False)
    assert error(solution, {"u": lambda x, t: np.sin(np.pi * (x - 0.5 * t))}) < 1e-2


# Each of both kinds once; all pairs by `make test-all`.
@pytest.mark.parametrize(
    ("sampling", "time"),
    [
        pytest.param(sampling, time, marks=() if k % 4 == 0 else pytest.mark.thorough)
        for k, (sampling, time) in enumerate(
            itertools.product(("latin-hypercube", "sobol", "grid"), ("uniform", "chebyshev", "graded"))
        )
    ],
)
def test_every_sampling_solves(sampling, time):
    points = lrfm.Collocation(
        interior=330, initial=70, boundary=30, sampling=sampling, time=time, grading=0.05, time_weight=0.5
    )
    solution = lrfm.solve(HEAT, method=lrfm.SpaceTime(space=GOOD, collocation=points), estimate=False)
    assert error(solution, {"u": HEAT.reference}) < 1e-3


@pytest.mark.parametrize(
    "least_squares", [lrfm.QR(), lrfm.QR(ridge=0.0), lrfm.TruncatedSVD(cutoff=1e-13)], ids=repr
)
def test_every_least_squares_solver_gives_the_same_function(least_squares):
    solution = lrfm.solve(HEAT, **by_hand(**PARTS, least_squares=least_squares))
    assert error(solution, {"u": HEAT.reference}) < 1e-4


# Answers that cannot be trusted -----------------------------------------------------------------------------


@pytest.mark.parametrize("end", [0.1, 2.0])
@pytest.mark.parametrize("equation", ["u_t = -u_xx", "u_t = u_xx + u_xxxx", "u_tt = -u_xx"])
def test_the_wrong_sign_of_a_highest_derivative_is_no_solution(equation, end):
    """Every wiggle is amplified without bound; nothing smooth solves it for long: no claim may be made."""
    bump = "exp(-30*x**2)"
    problem = lrfm.Problem(
        equation,
        domain=LINE,
        time=(0, end),
        initial={"u": bump, "u_t": "0"} if "u_tt" in equation else bump,
        boundary={"*": [f"u = {bump}", "u_xx = 0"] if "xxxx" in equation else f"u = {bump}"},
        check_corners=False,
    )
    with pytest.raises((lrfm.ProblemError, lrfm.ConvergenceError), match="sign"):
        lrfm.solve(problem, **by_hand(**PARTS))


def test_an_unresolved_problem_is_no_solution():
    problem = lrfm.catalog.burgers()
    with pytest.raises(lrfm.ConvergenceError, match=r"not resolve.*`\.solution`.*`strict=False`") as caught:
        lrfm.solve(problem, method=lrfm.SpaceTime(space=lrfm.Liquid(features=8), collocation=ROWS))
    report = caught.value.solution.report
    assert report.status == "not resolved"
    assert report.error_estimate == math.inf
    assert any("not resolved" in warning for warning in report.warnings)
    same = lrfm.solve(
        problem, method=lrfm.SpaceTime(space=lrfm.Liquid(features=8), collocation=ROWS), strict=False
    )
    assert same.report.status == "not resolved"


def test_a_tolerance_that_is_not_met_is_said():
    with pytest.raises(lrfm.ConvergenceError, match=r"error estimate .* is above tol=1.0e-13") as caught:
        lrfm.solve(HEAT, **by_hand(**PARTS | {"estimate": True}, tol=1e-13))
    assert caught.value.solution.report.status == "tolerance not met"
    met = lrfm.solve(HEAT, **by_hand(**PARTS | {"estimate": True}, tol=1e-2))
    assert met.report.tolerance == 1e-2
    assert met.report.error_estimate <= 1e-2


def test_a_convergence_error_is_a_runtime_error():
    assert issubclass(lrfm.ConvergenceError, RuntimeError)
    assert lrfm.ConvergenceError("no").solution is None


# Seeds and the estimate -------------------------------------------------------------------------------------


def test_the_same_seed_gives_the_same_numbers():
    one, two = (lrfm.solve(HEAT, **by_hand(**PARTS | {"estimate": True}, seed=11)) for _ in range(2))
    np.testing.assert_array_equal(one.pieces[0].coefficients["u"], two.pieces[0].coefficients["u"])
    assert one.report.error_estimate == two.report.error_estimate
    assert one.report.residual == two.report.residual
    assert one.report.seed == 11


def test_global_random_numbers_are_neither_used_nor_touched():
    before = np.random.get_state()[1].tobytes()  # noqa: NPY002
    one = lrfm.solve(HEAT, **by_hand(**PARTS))
    assert np.random.get_state()[1].tobytes() == before  # noqa: NPY002
    np.random.seed(5)  # noqa: NPY002
    np.testing.assert_array_equal(
        lrfm.solve(HEAT, **by_hand(**PARTS)).pieces[0].coefficients["u"], one.pieces[0].coefficients["u"]
    )


@pytest.mark.parametrize(
    "problem",
    [
        pytest.param(lrfm.catalog.burgers(nu=0.05), id="burgers"),
        pytest.param(HEAT, id="heat", marks=pytest.mark.thorough),
    ],
)
def test_other_seeds_differ_within_the_estimate(problem):
    """‖u_seed − u‖ ≤ estimate for nearly all seeds, and the estimate is not far too large."""
    held = 0
    for seed in range(4):
        solution = lrfm.solve(problem, **by_hand(**PARTS | {"estimate": True}, seed=seed))
        true = grid_error(solution, 61, 11)
        held += true <= solution.report.error_estimate
        assert true <= 3 * solution.report.error_estimate
        assert solution.report.error_estimate <= 30 * true
        assert solution.report.max_error_estimate >= 0.5 * solution.report.error_estimate
    assert held >= 3


def test_the_estimate_is_twice_the_difference_of_two_draws():
    """The second draw is independent of the first: neither features nor points are shared."""
    with_estimate = lrfm.solve(HEAT, **by_hand(**PARTS | {"estimate": True}))
    without = lrfm.solve(HEAT, **by_hand(**PARTS))
    np.testing.assert_array_equal(
        with_estimate.pieces[0].coefficients["u"], without.pieces[0].coefficients["u"]
    )
    assert math.isnan(without.report.error_estimate)
    assert with_estimate.report.error_estimate > 0


# Plans ------------------------------------------------------------------------------------------------------

SYSTEM = lrfm.Problem(
    ["u_t = u_xx + v", "v_t = -u*v"],
    domain=LINE,
    time=(0, 1),
    initial={"u": "0*x", "v": "1 + 0*x"},
    boundary="periodic",
)
COMPLEX = lrfm.Problem(
    "1j*psi_t = psi_xx",
    unknowns={"psi": complex},
    domain=LINE,
    time=(0, 1),
    initial="0*x",
    boundary="psi = 0",
)
HEAT_2D = lrfm.Problem(
    "u_t = lap(u)",
    domain=PLANE,
    time=(0, 0.1),
    initial="0*x",
    boundary={"x": "periodic", "y-": "u = 0", "y+": None},
)
HEAT_3D = lrfm.Problem("u_t = lap(u)", domain=SOLID, time=(0, 0.1), initial="0*x", boundary="u_n = 0")
WAVE = lrfm.Problem(
    "u_tt = u_xx",
    domain=LINE,
    time=(0, 1),
    initial={"u": "0*x", "u_t": "0*x"},
    boundary={"x-": "u = 0", "x+": "u_n = 0"},
)
KDV = lrfm.catalog.kdv_periodic()
BEAM = lrfm.Problem(
    "u_tt = -u_xxxx",
    domain=LINE,
    time=(0, 1),
    initial={"u": "0*x", "u_t": "0*x"},
    boundary={"*": ["u = 0", "u_xx = 0"]},
)
PLANS = {
    "heat": (HEAT, {"features": 10}, {}),
    "grid": (HEAT, {"features": 10}, {"sampling": "grid"}),
    "sobol": (HEAT, {"features": 10}, {"sampling": "sobol"}),
    "patches": (HEAT, {"per_patch": 4, "patches": 3}, {}),
    "system": (SYSTEM, {"features": 10}, {}),
    "system with periodic rows": (SYSTEM, {"features": 10, "periodic": "rows"}, {}),
    "third order with periodic rows": (KDV, {"per_patch": 5, "patches": 2, "periodic": "rows"}, {}),
    "complex": (COMPLEX, {"features": 10}, {}),
    "second order in time": (WAVE, {"features": 10}, {}),
    "two conditions per face": (BEAM, {"features": 10}, {}),
    "plane": (HEAT_2D, {"features": 10}, {}),
    "plane with periodic rows": (HEAT_2D, {"features": 10, "periodic": "rows"}, {}),
    "plane on a grid": (
        HEAT_2D,
        {"features": 10},
        {"sampling": "grid", "interior": 101, "initial": 47, "boundary": 31},
    ),
    "patches in the plane": (HEAT_2D, {"per_patch": 4, "patches": 2}, {}),
    "other patches in the plane": (HEAT_2D, {"per_patch": 4, "patches": (1, 3)}, {}),
    "space": (HEAT_3D, {"features": 10}, {}),
    "patches in space": (HEAT_3D, {"per_patch": 2, "patches": 2}, {"boundary": 33}),
    "oscillation": (WAVE, {"features": 11, "oscillation": (0.0, 3.0)}, {}),
}


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        pytest.param(
            name, kind, id=f"{name}-{kind.__name__}",
            marks=() if kind is lrfm.Liquid or name == "patches" else pytest.mark.thorough,
        )
        for name in PLANS
        for kind in (lrfm.Liquid, lrfm.STC, lrfm.Frozen)
    ],
)  # fmt: skip
def test_the_plan_counts_what_the_solve_uses(name, kind):
    problem, space, points = PLANS[name]
    if kind is not lrfm.Liquid and "oscillation" in space:
        pytest.skip("liquid only")
    parts = {
        "space": lrfm.Frozen(lrfm.Liquid(**space)) if kind is lrfm.Frozen else kind(**space),
        "collocation": lrfm.Collocation(**{"interior": 90, "initial": 40, "boundary": 20} | points),
    }
    plan = lrfm.plan(problem, **by_hand(**parts))
    solution = lrfm.solve(problem, **by_hand(**parts, estimate=False, strict=False))
    assert (plan.rows, plan.columns) == (solution.report.rows, solution.report.features)
    assert solution.pieces[0].coefficients[problem.fields[0]].size * len(problem.fields) == plan.columns


@pytest.mark.parametrize(
    ("problem", "patches"),
    [(p, None) for p in (HEAT, HEAT_2D, HEAT_3D, SYSTEM, COMPLEX)]
    + [(HEAT, 2), (HEAT_2D, 2), (SYSTEM, 2), (HEAT_3D, 2)],
    ids=lambda value: value if isinstance(value, int) else getattr(value, "equations", ("",))[0],
)
def test_default_points_outnumber_the_features(problem, patches):
    """Whatever space is given, the points that go with it make an overdetermined system."""
    space = lrfm.Liquid(features=40) if patches is None else lrfm.Liquid(per_patch=60, patches=patches)
    plan = lrfm.plan(problem, method=lrfm.SpaceTime(space=space))
    assert plan.rows >= 1.5 * plan.columns


def test_pielm_and_blocks_are_planned():
    plan = lrfm.plan(HEAT, method=lrfm.SpaceTime(space=lrfm.PIELM(features=30), blocks=3))
    assert (plan.columns, plan.blocks) == (30, 3)
    assert (
        plan.seconds > lrfm.plan(HEAT, method=lrfm.SpaceTime(space=lrfm.PIELM(features=30), blocks=1)).seconds
    )


def test_a_plan_prints_as_a_table():
    text = str(lrfm.plan(HEAT, method=lrfm.SpaceTime(space=lrfm.Liquid(features=10), collocation=ROWS)))
    assert [line.split()[0] for line in text.splitlines()] == [
        "method",
        "rows",
        "columns",
        "blocks",
        "memory",
        "seconds",
    ]
    assert "460" in text


@pytest.mark.parametrize("least_squares", [lrfm.QR(), lrfm.TruncatedSVD()], ids=repr)
@pytest.mark.parametrize(
    "problem",
    [
        pytest.param(lrfm.catalog.burgers(nu=0.05), id="nonlinear"),
        pytest.param(HEAT, id="linear", marks=pytest.mark.thorough),
    ],
)
def test_the_plan_does_not_understate_memory(problem, least_squares, monkeypatch):
    """Peak memory grows with size no faster than the plan says (its constant part is for chunks)."""
    monkeypatch.setattr(assembly, "CHUNK_BYTES", 2**19)
    planned, used = [], []
    for features in (100, 250):
        parts = {
            "space": lrfm.Liquid(features=features),
            "collocation": lrfm.Collocation(interior=4 * features, initial=features, boundary=features),
            "least_squares": least_squares,
            "nonlinear": lrfm.Newton(max_steps=2),
            "estimate": False,
        }
        planned.append(lrfm.plan(problem, **by_hand(**parts)).bytes)
        tracemalloc.start()
        lrfm.solve(problem, **by_hand(**parts, strict=False))
        used.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert used[1] - used[0] <= planned[1] - planned[0]
    assert planned[1] - planned[0] <= 4 * (used[1] - used[0])  # nor overstate it grossly


# Limits -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("limit", ["100MB", "0.1 GB", 10**8, "100000000"])
def test_a_solve_that_cannot_fit_says_so_before_it_starts(limit, monkeypatch):
    monkeypatch.setattr("lrfm.spacetime.windows.window.solve_window", None)
    with pytest.raises(
        lrfm.MemoryLimitError,
        match=r"needs about .* \(460 rows x 110 columns\), and `max_memory` allows .*Use fewer",
    ):
        lrfm.solve(HEAT, **by_hand(**PARTS, max_memory=limit))


def test_what_the_machine_has_is_a_limit_too(monkeypatch):
    monkeypatch.setattr("lrfm.solver.budget.available_memory", lambda: 10**6)
    with pytest.raises(MemoryError, match=r"half of the memory that is free is 488 KB"):
        lrfm.solve(HEAT, **by_hand(**PARTS))
    assert lrfm.solve(HEAT, **by_hand(**PARTS, max_memory="4GB")).report.status == "not estimated"
    monkeypatch.setattr("lrfm.solver.budget.available_memory", lambda: None)
    assert lrfm.solve(HEAT, **by_hand(**PARTS)).report.status == "not estimated"


def test_enough_memory_changes_nothing():
    assert lrfm.solve(HEAT, **by_hand(**PARTS, max_memory="1TB")).report.status == "not estimated"


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("4GB", 4 * 2**30),
        ("4 gb", 4 * 2**30),
        ("1.5K", 1536),
        ("10", 10),
        (" 2 MB ", 2**21),
        ("3b", 3),
        (7, 7),
        (7.5e3, 7500),
    ],
)
def test_sizes_are_read(text, count):
    assert parse_bytes(text) == count


@pytest.mark.parametrize(
    "text", ["much", "4 XB", "", ".", "1.2.3GB", "-4GB", None, [], "1e3GB", 0, -5, math.nan, math.inf, True]
)
def test_wrong_sizes_get_a_sentence(text):
    with pytest.raises(ValueError, match=r"`max_memory=.*` is not a size; write .*'4GB'"):
        parse_bytes(text)


def test_sizes_are_written_for_people():
    assert [format_bytes(n) for n in (5, 2048, 3 * 2**20, 1.5 * 2**30, 2**41)] == [
        "5 B",
        "2 KB",
        "3 MB",
        "1.5 GB",
        "2 TB",
    ]


# Arguments --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "kind", "sentence"),
    [
        ({"problem": "u_t = u_xx"}, TypeError, r"was given a str; expected a `lrfm.Problem`"),
        ({"problem": None}, TypeError, r"was given a NoneType; expected a `lrfm.Problem`"),
        ({"features": 50}, ValueError, r"Both `space` and `features` were given"),
        ({"seed": -1}, ValueError, r"`seed=-1` must be a whole number"),
        ({"seed": 1.5}, ValueError, r"`seed=1.5` must be a whole number"),
        ({"seed": True}, ValueError, r"`seed=True` must be a whole number"),
        ({"seed": "0"}, ValueError, r"`seed='0'` must be a whole number"),
        ({"blocks": 0}, ValueError, r"`blocks=0` must be at least 1"),
        ({"blocks": "two"}, ValueError, r"`blocks='two'` must be"),
        ({"blocks": [9.0]}, ValueError, r"`blocks=\[9.0\]` must be"),
        ({"tol": 0.0}, ValueError, r"`tol=0.0` must"),
        ({"tol": -1e-3}, ValueError, r"`tol=-0.001` must"),
        ({"tol": math.nan}, ValueError, r"`tol=nan` must"),
        ({"max_memory": "lots"}, ValueError, r"`max_memory='lots'` is not a size"),
        (
            {"collocation": lrfm.Collocation(interior=20, initial=5, boundary=5)},
            ValueError,
            r"35 rows for 110 unknowns",
        ),
        ({"unheard": 1}, TypeError, r"unheard"),
    ],
)
def test_wrong_arguments_get_a_sentence(change, kind, sentence):
    with pytest.raises(kind, match=sentence):
        lrfm.solve(**by_hand(**{"problem": HEAT, **PARTS} | change))


WRONG_KINDS = [
    ({"tol": "small"}, r"`tol='small'`"),
    ({"space": "liquid"}, r"`space='liquid'`"),
    ({"space": 400}, r"`space=400`"),
    ({"collocation": 2000}, r"`collocation=2000`"),
    ({"least_squares": "qr"}, r"`least_squares='qr'`"),
    ({"nonlinear": "newton"}, r"`nonlinear='newton'`"),
    ({"nonlinear": lrfm.QR()}, r"`nonlinear=QR"),
    ({"progress": 3}, r"`progress=3`"),
]


@pytest.mark.parametrize(("change", "sentence"), WRONG_KINDS, ids=[str(c) for c, _ in WRONG_KINDS])
def test_parts_of_the_wrong_kind_get_a_sentence(change, sentence):
    with pytest.raises((TypeError, ValueError), match=sentence):
        lrfm.solve(**by_hand(**{"problem": HEAT, **PARTS} | change))


def test_data_that_are_not_finite_name_their_block():
    """A coefficient that checks did not meet: the system names the rows it came from."""
    spike = lambda x, t: np.where(np.abs(x - 0.37) < 0.02, np.nan, 1.0)  # noqa: E731
    problem = lrfm.Problem(
        "u_t = k*u_xx", domain=LINE, time=(0, 0.1), initial="sin(pi*x)", boundary="u = 0",
        parameters={"k": spike}, verify=False,
    )  # fmt: skip
    with pytest.raises(ValueError, match=r"non-finite entries in the rows of The equation"):
        lrfm.solve(problem, **by_hand(**PARTS))


# Reports ----------------------------------------------------------------------------------------------------


def test_the_report_prints_as_a_table():
    report = lrfm.solve(
        HEAT, **by_hand(**PARTS | {"estimate": True}, tol=1e-2, least_squares=lrfm.QR(condition=True))
    ).report
    lines = str(report).splitlines()
    assert [name for name, _ in report.lines()] == ["status", "error", "time", "seconds", "chosen"]
    column = lines[0].index(report.status)
    for line, (name, value) in zip(lines, report.lines(), strict=True):
        assert line[:column].rstrip() == name
        assert line[column:] == value
    expected = (
        "method", "indicators", "residual", "rank", "condition", "nonlinear steps", "blocks", "space", "collocation",
        "least_squares", "nonlinear", "data seen",
    )  # fmt: skip
    assert all(name in report.details for name in expected)
    assert report.engine.condition == report.condition > 1e3


def test_the_parts_in_a_report_can_be_typed_back_in():
    report = lrfm.solve(HEAT, **by_hand(**PARTS)).report
    names = {name: getattr(lrfm, name) for name in ("Liquid", "Collocation", "QR", "Newton")}
    assert report.parts.pop("backend") == "numpy"
    for part, text in report.parts.items():
        name, _, arguments = text.partition("(")
        assert name in names, part
        again = names[name](**_keywords(arguments.rstrip(")")))
        if part in PARTS:
            assert again == PARTS[part]


def _keywords(text):
    import ast

    call = ast.parse(f"f({text})", mode="eval").body
    return {k.arg: ast.literal_eval(k.value) for k in call.keywords}


def test_warnings_of_the_statement_are_in_the_report():
    problem = lrfm.Problem(
        "u_t = u_xx",
        domain=LINE,
        time=(0, 0.1),
        initial="sin(pi*x)",
        boundary="u = 0",
        parameters={"unused": 1.0},
    )
    assert any("unused" in warning for warning in lrfm.solve(problem, **by_hand(**PARTS)).report.warnings)


def test_progress_counts_blocks_and_draws():
    seen = []
    lrfm.solve(
        HEAT, **by_hand(**PARTS | {"estimate": True}, blocks=2, progress=lambda *what: seen.append(what))
    )
    assert [(done, total) for _, done, total in seen] == [(1, 4), (2, 4), (3, 4), (4, 4)]
    assert [stage for stage, _, _ in seen] == ["solving"] * 2 + ["estimating the error"] * 2


# The rows of a window ---------------------------------------------------------------------------------------


def test_rows_carry_the_papers_block_weights():
    """λ_int = 1, λ_b = √(N_int / N_b) (Paper, sec:solver), times the scalars of `Collocation`."""
    points = lrfm.Collocation(interior=90, initial=40, boundary=10, initial_weight=3.0, boundary_weight=5.0)
    parts = Parts(lrfm.Liquid(features=8), points, lrfm.QR(), lrfm.Newton())
    rng = np.random.default_rng(0)
    for units in (False, True):
        parts = Parts(
            parts.space, lrfm.Collocation(**vars(points) | {"window_units": units}), lrfm.QR(), lrfm.Newton()
        )
        window = (0.0, 0.5)
        space = sample_space(WAVE, parts.space, window, rng)
        placed = parts.collocation.place(WAVE.domain, window, rng)
        system = build_system(WAVE, parts, {"u": space}, placed, window, initial_values(WAVE, None))
        expected = {
            "The equation": 0.5**2 if units else 1.0,
            "`boundary` on `x-`": 5 * math.sqrt(90 / 10),
            "`boundary` on `x+`": 5 * math.sqrt(90 / 10),
            "`initial` of `u`": 3 * math.sqrt(90 / 40),
            "`initial` of `u`, time derivative 1": 0.5 * 3 * math.sqrt(90 / 40),
        }
        assert list(system.rows_of) == list(expected)
        for label, weight in expected.items():
            np.testing.assert_allclose(system.weights[system.rows_of[label]], weight, rtol=1e-14)


# A reference that does not belong to the statement ----------------------------------------------------------


def test_a_reference_far_from_the_solution_is_warned_about():
    """The sign of the decay is wrong in the reference: the estimate is right, and the report says that they disagree."""
    given = {"domain": HEAT.domain, "time": (0, 0.1), "initial": "sin(pi*x)", "boundary": "u = 0"}
    right = lambda x, t: np.exp(-(np.pi**2) * t) * np.sin(np.pi * x)  # noqa: E731
    wrong = lambda x, t: np.exp(np.pi**2 * t) * np.sin(np.pi * x)  # noqa: E731
    space = lrfm.Liquid(features=80, centers=1.1, gate=5.0, tau=(0.3, 20.0))
    texts = [
        " ".join(
            lrfm.solve(
                lrfm.Problem("u_t = u_xx", **given, reference=r), method=lrfm.SpaceTime(space=space)
            ).report.warnings
        )
        for r in (right, wrong, None)
    ]
    assert "Compared with `reference`" in texts[1]
    assert texts[0] == texts[2] == ""
