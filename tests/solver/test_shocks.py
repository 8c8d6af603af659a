# SPDX-License-Identifier: MIT
"""Conservation laws from statement to claim, against exact solutions: the estimate is in L¹ where there are shocks, and holds."""

import numpy as np
import pytest

import lrfm
from lrfm.discretize.evolution import EvolutionSystem
from lrfm.discretize.options import Options
from lrfm.integrate.prepare_fluxes import fluxes_for
from lrfm.solver.budget import Budget
from lrfm.solver.engine import Wanted
from lrfm.solver.formulations import order
from lrfm.solver.formulations.fluxes import law_of
from lrfm.solver.formulations.volumes import FluxAttempts
from tests import riemann

BURGERS = "u_t + u*u_x = 0"
WATER = ["h_t + diff(h*v, x) = 0", "diff(h*v, t) + diff(h*v**2 + h**2/2, x) = 0"]
GAS = [
    "rho_t + diff(rho*v, x) = 0",
    "diff(rho*v, t) + diff(rho*v**2 + p, x) = 0",
    "diff(p/0.4 + rho*v**2/2, t) + diff((p*1.4/0.4 + rho*v**2/2)*v, x) = 0",
]


def problem(equation, initial, boundary, end, interval=(0, 1)):
    return lrfm.Problem(
        equation, domain=lrfm.Box(x=interval), time=(0, end), initial=initial, boundary=boundary
    )


def error(solution, exact, norm=1):
    """Relative error in L¹ or L² over space and time, the worst unknown."""
    (low, high), (start, end) = solution.problem.domain.axes["x"], solution.problem.time
    x = low + (high - low) * (np.arange(4000) + 0.5) / 4000
    gaps, sizes = 0.0, 0.0
    for t in start + (end - start) * (np.arange(21) + 0.5) / 21:
        found = np.stack([solution[f](x=x, t=np.full(len(x), t)) for f in solution.problem.fields])
        wanted = np.atleast_2d(exact(x, t))
        gaps = gaps + np.mean(np.abs(found - wanted) ** norm, axis=1)
        sizes = sizes + np.mean(np.abs(wanted) ** norm, axis=1)
    return float(np.max((gaps / sizes) ** (1 / norm)))


water = riemann.shallow_water((2.0, 0.0), (1.0, 0.0))
gas = riemann.euler((1.0, 0.0, 1.0), (0.125, 0.0, 0.1))
oil, _ = riemann.buckley_leverett()
CASES = {
    "shock": (
        problem(BURGERS, "where(x < 0.3, 1, 0)", {"x-": "u = 1", "x+": None}, 0.3),
        lambda x, t: np.where(x < 0.3 + t / 2, 1.0, 0.0),
    ),
    "rarefaction": (
        problem(BURGERS, "where(x < 0.3, -0.5, 1)", None, 0.3),
        lambda x, t: np.clip((x - 0.3) / t, -0.5, 1.0),
    ),
    "shock from a sine": (
        problem(BURGERS, "sin(2*pi*x)", "periodic", 0.5),
        lambda x, t: riemann.sine_with_shock(x, t),
    ),
    "dam": (
        problem(WATER, {"h": "where(x < 0.5, 2, 1)", "v": "0"}, "v = 0", 0.25),
        lambda x, t: water((x - 0.5) / t),
    ),
    "tube": (
        problem(
            GAS,
            {"rho": "where(x < 0.5, 1, 0.125)", "v": "0", "p": "where(x < 0.5, 1, 0.1)"},
            "v = 0",
            0.2,
        ),
        lambda x, t: gas((x - 0.5) / t),
    ),
    "two liquids": (
        problem(
            "u_t + diff(u**2/(u**2 + 0.25*(1 - u)**2), x) = 0",
            "where(x < 0.3, 1, 0)",
            {"x-": "u = 1", "x+": None},
            0.1,
        ),
        lambda x, t: oil((x - 0.3) / t),
    ),
}


@pytest.mark.parametrize(
    "name",
    [
        n if n in ("shock", "rarefaction", "dam") else pytest.param(n, marks=pytest.mark.thorough)
        for n in CASES
    ],
)
def test_claims_in_l1_hold(name):
    statement, exact = CASES[name]
    tol = 4e-2
    solution = lrfm.solve(statement, tol=tol, max_seconds=600)
    report = solution.report
    assert report.norm == 1
    assert "L¹" in str(report)
    assert error(solution, exact) <= report.error_estimate <= tol
    assert report.parts["conserved"]


def test_before_a_shock_the_claim_is_in_l2(monkeypatch):
    monkeypatch.setattr(order, "SPACES", {"smooth fluxes": order.on_smooth_fluxes})
    statement = problem(BURGERS, "sin(2*pi*x)", "periodic", 0.108)
    report = (solution := lrfm.solve(statement, tol=2e-2)).report
    assert report.norm == 2
    assert report.parts["fluxes"] == "0.5*u**2"
    assert error(solution, riemann.sine_with_shock, norm=2) <= report.error_estimate <= 2e-2


def test_a_solution_with_a_shock_is_read_back_as_it_was(tmp_path):
    statement, _ = CASES["shock"]
    solution = lrfm.solve(statement, tol=0.05)
    solution.save(tmp_path / "shock.lrfm")
    again = lrfm.load(tmp_path / "shock.lrfm")
    x, t = np.linspace(0, 1, 101), np.full(101, 0.2)
    assert np.array_equal(again["u"](x=x, t=t), solution["u"](x=x, t=t))
    assert again.report.norm == 1


def test_what_was_to_stay_smooth_and_jumps_is_taken_by_volumes():
    """Still water that is pushed: no waves meet by the speeds of the start alone, and polynomials end where they do."""
    statement = problem(WATER, {"h": "1 + 0.3*sin(2*pi*x)", "v": "0"}, "periodic", 1.0)
    report = lrfm.solve(statement, tol=4e-2).report
    assert report.norm == 1
    assert "finite volumes" in report.parts["scheme"]
    assert "steps vanished" in str(report.details)


def test_data_that_are_narrow_beyond_all_places_of_a_scan_have_a_size():
    """A pulse of a width of 2e-4: its mean was nothing, and the number of volumes infinite."""
    statement = problem(BURGERS, "where(abs(x - 0.3) < 1e-4, 1, 0)", "periodic", 0.1)
    data = FluxAttempts(statement, Wanted(1e-1, Budget(60.0))).data
    assert data.start_sizes == pytest.approx([2e-4], rel=0.1)


def test_totals_stay_through_shocks():
    """∫ u dx is the same at the ends of all steps, to rounding."""
    statement = problem(BURGERS, "1 + sin(2*pi*x)", "periodic", 0.25)
    piece = lrfm.solve(statement, estimate=False).pieces[0]
    jet = statement.value_jets[0]
    for t in piece.edges[[0, piece.steps // 3, piece.steps // 2, -1]]:
        edges = piece.cells_at(t)
        middles = piece.on_grid([jet], [0.5 * (edges[1:] + edges[:-1])], np.array([t]))[jet][0]
        assert middles @ np.diff(edges) == pytest.approx(1.0, rel=1e-12)


def test_totals_stay_through_changes_of_cells():
    """Cells that follow what steepens: ∫ u dx is the same after all steps, to rounding."""
    statement = problem(BURGERS, "1 + sin(2*pi*x)", "periodic", 0.14)
    system = EvolutionSystem(statement)
    made = fluxes_for(system, law_of(statement), Options(tol=1e-5, stages=3))
    meshes = []
    for state, step in made.run(made.begin()):
        meshes += [] if meshes and meshes[-1] is step.mesh else [step.mesh]
        assert state.y[0, :, 0] @ state.mesh.widths == pytest.approx(1.0, rel=1e-12)
    assert len(meshes) > 5


def test_a_wave_that_passes_zero_where_its_formula_has_a_top_does_not_jump():
    """The only place that formulas name is x = 0, where Im a = exp(-4x²) sin 3x is zero: on finite volumes 1e-3 was not met, estimate 6.5e-3, and laser pulses through a medium took 18 s instead of 0.2 s at 1e-6."""
    statement = lrfm.Problem(
        ["1j*a_t = -1j*b_x + 5*a", "1j*b_t = -1j*a_x - 5*b"],
        domain=lrfm.Box(x=(-5, 5)),
        time=(0, 0.5),
        initial={"a": "exp(-4*x**2 + 3j*x)", "b": "0"},
        boundary="periodic",
        unknowns={"a": complex, "b": complex},
    )
    made = FluxAttempts(statement, Wanted(1e-3, Budget(60.0)))
    assert made.smooth
    assert not len(made.data.jumps)
    report = lrfm.solve(statement, tol=1e-6).report
    assert report.status is lrfm.Status.TOLERANCE_MET
    assert report.norm == 2


def test_without_a_singular_place_nothing_jumps():
    """Coefficients are no functions of no places: their number there was another one."""
    statement = problem(
        ["p_t + 2*v_x = x*p", "v_t + p_x = 0"], {"p": "sin(3*x)", "v": "0"}, {"x-": "v = 0", "x+": "p = 2*v"}, 0.2
    )  # fmt: skip
    assert not len(FluxAttempts(statement, Wanted(1e-3, Budget(60.0))).data.jumps)


def test_pairs_of_solves_never_share_their_cells():
    """The loosest tolerance still has a comparison with fewer cells: with the same number of them a wrong answer agrees with itself."""
    statement, exact = CASES["dam"]
    solution = lrfm.solve(statement, tol=0.9)
    assert error(solution, exact) <= solution.report.error_estimate
    first, second = (piece.cells_at(0.1) for piece in (solution.pieces[0], solution.second[0]))
    assert 2 * len(second) < len(first)


def test_pairs_of_solves_share_no_width():
    """A weak wave of two liquids: its fan lies on the widest cells, which were as wide in both solves, and had errors above the estimate."""
    law = "u_t + diff(u**2/(u**2 + 0.873*(1 - u)**2), x) = 0"
    statement = problem(law, "where(x < 0.3, 0.684, 0.468)", {"x-": "u = 0.684", "x+": None}, 0.25)
    solution = lrfm.solve(statement, tol=2e-3, strict=False)
    for t in (0.1, 0.2):
        first, second = (np.diff(piece.cells_at(t)) for piece in (solution.pieces[0], solution.second[0]))
        assert second.max() > 1.5 * first.max()
        assert second.min() > 1.5 * first.min()


def test_jumps_without_a_flux_are_refused_in_words():
    statement = problem(
        ["u_t + v*u_x = 0", "v_t + u*v_x = 0"], {"u": "where(x < 0.5, 1, 2)", "v": "1"}, "periodic", 0.1
    )
    with pytest.raises(lrfm.ProblemError, match=r"diff\(u\*\*2/2, x\)"):
        lrfm.solve(statement, tol=1e-2)


@pytest.mark.parametrize("depth", ["-0.2", "0"])
def test_a_depth_that_is_none_is_refused_in_words(depth):
    statement = problem(WATER, {"h": f"where(x < 0.5, 1, {depth})", "v": "0"}, "v = 0", 0.1)
    with pytest.raises(lrfm.ProblemError, match=r"`h` = .*depth.*positive everywhere"):
        lrfm.solve(statement, tol=1e-2)


def test_a_derivative_at_an_end_is_refused_in_words_of_its_own():
    statement = problem(BURGERS, "where(x < 0.3, 1, 0)", {"x-": "u = 1", "x+": "u_x = 0"}, 0.1)
    with pytest.raises(
        lrfm.ProblemError, match=r"holds derivatives.*give values, or None where nothing comes in\.$"
    ):
        lrfm.solve(statement, tol=0.1)


def test_a_jump_across_states_without_real_speeds_is_refused_in_words():
    """Phases of a material: v³ − v falls between them."""
    law = ["v_t - w_x = 0", "w_t - diff(v**3 - v, x) = 0"]
    statement = problem(law, {"v": "where(x < 0.5, -1, 1)", "w": "0"}, "periodic", 0.1)
    with pytest.raises(lrfm.ProblemError, match=r"not hyperbolic.*viscosity"):
        lrfm.solve(statement, tol=0.1)


def test_an_inflow_without_data_is_not_claimed():
    statement = problem(BURGERS, "where(x < 0.3, 1, 0)", None, 0.1)
    report = lrfm.solve(statement, tol=0.05, strict=False).report
    assert not report.solved
    assert "x-" in " ".join(report.warnings)


@pytest.mark.parametrize("boundary", ["u = where(t < 0.1, 1, 2)", "u = 2"])
def test_a_shock_that_comes_in_through_an_end(boundary):
    """Data of a condition that jump, or that are not those of the start: a shock of speed 3/2."""
    statement = problem(BURGERS, "1", {"x-": boundary, "x+": None}, 0.4)
    begin = 0.1 if "where" in boundary else 0.0
    solution = lrfm.solve(statement, tol=3e-2)
    exact = lambda x, t: np.where(x < 1.5 * max(t - begin, 0.0), 2.0, 1.0)  # noqa: E731
    assert solution.report.norm == 1
    assert error(solution, exact) <= solution.report.error_estimate <= 3e-2


def test_a_compound_wave_of_a_flux_that_is_not_convex():
    """f = u³ from 1 to −1: a shock to the tangent point −1/2, which a fan follows (Osher, SIAM J. Numer. Anal. 21, 1984)."""

    def exact(x, t):
        speed = (x - 0.3) / t
        fan = -np.sqrt(np.maximum(speed, 0) / 3)
        return np.where(speed < 0.75, 1.0, np.where(speed < 3, fan, -1.0))

    statement = problem("u_t + diff(u**3, x) = 0", "where(x < 0.3, 1, -1)", {"x-": "u = 1", "x+": None}, 0.2)
    solution = lrfm.solve(statement, tol=3e-2)
    assert error(solution, exact) <= solution.report.error_estimate <= 3e-2


def test_a_pole_is_split_to_the_smallest_cells_and_no_further():
    """tan 2x at π/4: cells at the smallest size that still do not hold it were split for ever, whatever the limit of seconds."""
    statement = lrfm.Problem(
        "u_t + tan(2*x)*u_x = 0",
        domain=lrfm.Box(x=(0, 1)),
        time=(0, 0.1),
        initial="sin(pi*x)",
        boundary={"x-": "u = 0", "x+": "u = 0"},
    )
    made = fluxes_for(EvolutionSystem(statement), law_of(statement), Options(tol=1e-2, stages=3))
    mesh, _ = made.adapter.initial()
    assert mesh.level.max() <= made.options.deepest + 1
    assert np.any(np.abs(mesh.edges - np.pi / 4) < 1e-9)


@pytest.mark.parametrize(
    ("given", "tol", "comes"), [("0", 1e-2, True), ("0.9999", 1e-2, False), ("1", 1e-8, False)]
)
def test_jumps_come_in_to_linear_laws(given, tol, comes):
    """u_t + u_x = 0 keeps the jump between its start and its inflow for ever; what is below the tolerance is let be."""
    stated = problem("u_t + u_x = 0", given, {"x-": "u = cos(t)", "x+": None}, 0.5)
    assert FluxAttempts(stated, Wanted(tol, Budget(1, 60.0))).data.enters == comes


def test_cells_for_shocks_are_not_made_where_nothing_jumps():
    """Whether waves meet is seen by the data: what stays smooth is for other spaces, which make cells of their own."""
    smooth = problem("u_t + u_x = 0", "sin(2*pi*x)", "periodic", 1.0)
    assert FluxAttempts(smooth, Wanted(1e-6, Budget())).smooth
    made = FluxAttempts(smooth, Wanted(1e-6, Budget()))
    assert "resolved" not in vars(made.data)
    steep = FluxAttempts(problem(BURGERS, "sin(2*pi*x)", "periodic", 1.0), Wanted(1e-3, Budget()))
    assert not steep.smooth
    assert "resolved" in vars(steep.data)


def pushed(cells, end):
    """u_t + (u²/2)_x = 5 sin 2πx from rest, by Godunov's fluxes with limited slopes: a reference that shares nothing with volumes of the package."""
    h = 1 / cells
    x, u, time, times, values = (np.arange(cells) + 0.5) * h, np.zeros(cells), 0.0, [0.0], [np.zeros(cells)]

    def rates(u):
        around = np.pad(u, 2, mode="wrap")
        jumps = np.diff(around)
        slopes = np.where(
            jumps[:-1] * jumps[1:] > 0,
            np.sign(jumps[1:]) * np.minimum(np.abs(jumps[:-1]), np.abs(jumps[1:])),
            0,
        )
        left, right = (around[1:-1] + slopes / 2)[:-1], (around[1:-1] - slopes / 2)[1:]
        flux = np.maximum(np.maximum(left, 0) ** 2, np.minimum(right, 0) ** 2) / 2
        return -np.diff(flux) / h + 5 * np.sin(2 * np.pi * x)

    while time < end - 1e-12:
        step = min(0.4 * h / 3, end - time)
        ahead = u + step * rates(u)
        u, time = (u + ahead + step * rates(ahead)) / 2, time + step
        times.append(time)
        values.append(u)
    return x, np.array(times), np.array(values)


def test_what_a_source_steepens_is_taken_by_volumes():
    """Nothing at the start tells that waves meet: cells hold it until their steps vanish."""
    problem = lrfm.Problem(
        "u_t + u*u_x = 5*sin(2*pi*x)",
        domain=lrfm.Box(x=(0, 1)),
        time=(0, 0.6),
        initial="0",
        boundary="periodic",
    )
    solution = lrfm.solve(problem, tol=1e-2)
    x, times, values = pushed(600, 0.6)
    some = slice(None, None, 20)
    found = np.array([solution(x=x, t=t) for t in times[some]])
    error = np.abs(found - values[some]).sum() / np.abs(values[some]).sum()
    assert solution.report.norm == 1
    assert error <= solution.report.error_estimate <= 1e-2


def test_what_blows_up_is_handed_back_as_far_as_cells_came():
    """Where volumes do not come to the end either, the first answer is the better one."""
    problem = lrfm.Problem(
        "u_t + u_x = u**2",
        domain=lrfm.Box(x=(0, 1)),
        time=(0, 2),
        initial="1 + 0.1*sin(2*pi*x)",
        boundary="periodic",
    )
    solution = lrfm.solve(problem, tol=1e-2, strict=False)
    assert solution.report.status is lrfm.Status.STEPS_VANISHED
    assert abs(solution.block_edges[-1] - 1 / 1.1) < 1e-2
