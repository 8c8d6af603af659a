# SPDX-License-Identifier: MIT
"""`lrfm.solve` on cells of the plane: exact solutions on regions, claims, jumps, files, checkpoints, refusals."""

import numpy as np
import pytest
from scipy.special import erf, jn_zeros, jv

import lrfm
from lrfm.discretize.options import Options
from lrfm.discretize.plane.constraint import PlaneSystem
from lrfm.integrate.controller import Accept, decide
from lrfm.problem.jets import Jet
from lrfm.rows.plane_steps import PlaneSteps
from lrfm.solver.budget import Budget, Watch
from lrfm.solver.engine import Wanted
from lrfm.solver.formulations.order import on_cells, on_series
from lrfm.solver.formulations.plane import PlaneFormulation
from lrfm.solver.integration import Integration

CELLS = lrfm.Lines(space="cells")
K = jn_zeros(0, 1)[0]


def bessel(x, y):
    return jv(0, K * np.hypot(x, y))


HEAT = lrfm.Problem("u_t = lap(u)", domain=lrfm.Disk(), time=(0, 0.2), initial=bessel, boundary="u = 0")


def places(n=400, radius=1.0):
    rng = np.random.default_rng(3)
    r, angle = radius * np.sqrt(rng.random(n)), 2 * np.pi * rng.random(n)
    return r * np.cos(angle), r * np.sin(angle)


def error_of(solution, exact, times, at):
    x, y = at
    found = np.array([solution(x=x, y=y, t=t) for t in times])
    wanted = np.array([exact(x, y, t) for t in times])
    return float(np.linalg.norm(found - wanted) / np.linalg.norm(wanted))


@pytest.fixture(scope="module")
def heat():
    return lrfm.solve(HEAT, tol=1e-3, method=CELLS)


def test_heat_on_a_disc(heat):
    report = heat.report
    assert report.solved
    error = error_of(heat, lambda x, y, t: bessel(x, y) * np.exp(-K * K * t), (0.0, 0.07, 0.2), places())
    assert error <= report.error_estimate <= 1e-3
    assert isinstance(heat.pieces[0], PlaneSteps)
    assert {"cells", "degree", "scheme"} <= set(report.parts)


def test_derivatives(heat):
    x, y = places(200, 0.9)
    slope = -K * jv(1, K * np.hypot(x, y)) * x / np.hypot(x, y) * np.exp(-K * K * 0.1)
    found = heat.jets([lrfm.problem.Jet("u", (1, 0, 0))], np.column_stack([x, y, np.full(200, 0.1)]))
    (values,) = found.values()
    assert np.linalg.norm(values - slope) < 1e-2 * np.linalg.norm(slope)


def test_a_file_gives_the_same_values(heat, tmp_path):
    path = tmp_path / "disc.lrfm"
    heat.save(path)
    again = lrfm.load(path, functions={"statement.initial": bessel})
    x, y = places(50)
    assert np.array_equal(again(x=x, y=y, t=0.1), heat(x=x, y=y, t=0.1))


def test_a_jump_in_a_source():
    # At rest: lap u = −1 for r < a, 0 elsewhere.
    a = 0.5

    def steady(x, y, t=0.0):
        r = np.hypot(x, y)
        outer = -0.5 * a * a * np.log(np.maximum(r, a))
        return np.where(r < a, outer + 0.25 * (a * a - r * r), outer)

    problem = lrfm.Problem(
        "u_t = lap(u) + where(x**2 + y**2 < 0.25, 1, 0)",
        domain=lrfm.Disk(),
        time=(0, 0.2),
        initial=steady,
        boundary="u = 0",
    )
    solution = lrfm.solve(problem, tol=1e-3, method=CELLS)
    error = error_of(solution, steady, (0.05, 0.2), places())
    assert error <= solution.report.error_estimate + 1e-6 <= 1e-3


def test_a_conductivity_that_jumps():
    """k = 1 and 100: at rest k u_x is one number on both sides, which polynomials of cells hold; u_x is not."""
    q = 1 / (0.5 + 0.005)
    rest = f"where(x < 0.5, {q}*x, 1 - {q}/100*(1 - x))"
    problem = lrfm.Problem(
        "u_t = diff(k*u_x, x) + diff(k*u_y, y)",
        domain=lrfm.Box(x=(0, 1), y=(0, 1)),
        time=(0, 0.1),
        initial=rest,
        boundary={"x-": "u = 0", "x+": "u = 1", "y-": "u_n = 0", "y+": "u_n = 0"},
        parameters={"k": "where(x < 0.5, 1, 100)"},
    )
    solution = lrfm.solve(problem, tol=1e-3)
    x = np.linspace(0, 1, 41)
    exact = np.where(x < 0.5, q * x, 1 - q / 100 * (1 - x))
    assert solution.report.solved
    assert np.abs(solution(x=x, y=0.3 + 0 * x, t=0.1) - exact).max() < 1e-9


def test_flux_conditions_and_a_hole():
    # r² + 4t solves u_t = lap u.
    problem = lrfm.Problem(
        "u_t = lap(u)",
        domain=lrfm.Annulus(radii=(0.5, 1)),
        time=(0, 0.5),
        initial="x**2 + y**2",
        boundary={"inner": "u_n = -1", "outer": "u_n = 3 + 4*t - u"},
    )
    solution = lrfm.solve(problem, tol=1e-4, method=CELLS)
    x, y = places()
    inside = np.hypot(x, y) > 0.5
    at = x[inside], y[inside]
    error = error_of(solution, lambda x, y, t: x * x + y * y + 4 * t, (0.2, 0.5), at)
    assert solution.report.solved
    assert error <= 1e-6  # cells hold it exactly


def test_a_system_with_reaction():
    # u = e^(−t) x, v = e^(−t) y: u_t = lap u − u + (v − e^(−t) y) u
    problem = lrfm.Problem(
        ["u_t = lap(u) - u + u*(v - exp(-t)*y)", "v_t = lap(v) - v + v*(u - exp(-t)*x)"],
        domain=lrfm.Disk(),
        time=(0, 0.5),
        initial={"u": "x", "v": "y"},
        boundary=["u = x*exp(-t)", "v = y*exp(-t)"],
    )
    solution = lrfm.solve(problem, tol=1e-3, method=CELLS)
    x, y = places()
    assert np.abs(solution["u"](x=x, y=y, t=0.5) - x * np.exp(-0.5)).max() < 1e-3


def test_what_is_not_held_is_said():
    problem = lrfm.Problem(
        "u_t = -u_xxxx - u_yyyy", domain=lrfm.Disk(), time=(0, 1), initial="0", boundary=["u = 0", "u_n = 0"]
    )
    with pytest.raises(lrfm.ProblemError, match=r"space='cells'.*not those of lap\(u\)"):
        lrfm.solve(problem, tol=1e-3, method=CELLS)


def test_a_checkpoint_goes_on(tmp_path):
    path = tmp_path / "kept"

    class Stop(Exception):
        pass

    def listen(stage, done, total):
        if done > 30:
            raise Stop

    with pytest.raises(Stop):
        lrfm.solve(HEAT, tol=1e-2, method=CELLS, checkpoint=path, progress=listen)
    again = lrfm.solve(HEAT, tol=1e-2, method=CELLS, checkpoint=path)
    whole = lrfm.solve(HEAT, tol=1e-2, method=CELLS)
    x, y = places(50)
    assert np.array_equal(again(x=x, y=y, t=0.2), whole(x=x, y=y, t=0.2))


def test_cells_are_chosen_on_regions_and_where_something_given_jumps():
    """Series hold smooth data of boxes; a jump inside of the box they do not."""
    budget = Budget(4000, 60.0)
    boxed = HEAT.replace(domain=lrfm.Box(x=(-1, 1), y=(-1, 1)))
    jumps = boxed.replace(equation="u_t = lap(u) + where(x > 0.2, 10, 0)")
    outside = boxed.replace(equation="u_t = lap(u) + where(x > 2, 10, 0)")
    for problem in (HEAT, jumps):
        assert on_cells(problem, Wanted(1e-3, budget)).form.name == "plane cells"
    for smooth in (boxed, outside):
        assert on_series(smooth, Wanted(1e-3, budget)).form.name == "series"


def test_a_side_through_which_nothing_diffuses_needs_no_condition():
    """(y u_y)_y at y = 0, as the variance of a price in Heston's model: u = e^(−t) sin πx (1 + y)."""
    shape = "exp(-t)*sin(pi*x)"
    problem = lrfm.Problem(
        f"u_t = u_xx + diff(y*u_y, y) + ((pi**2 - 1)*(1 + y) - 1)*{shape}",
        domain=lrfm.Box(x=(0, 1), y=(0, 1)),
        time=(0, 0.5),
        initial="sin(pi*x)*(1 + y)",
        boundary={"x": "u = 0", "y-": None, "y+": f"u = 2*{shape}"},
    )
    solution = lrfm.solve(problem, tol=1e-4, method=lrfm.Lines(space="cells"))
    x, y, t = np.random.default_rng(0).uniform([[0], [0], [0]], [[1], [1], [0.5]], (3, 500))
    exact = np.exp(-t) * np.sin(np.pi * x) * (1 + y)
    error = np.linalg.norm(solution(x=x, y=y, t=t) - exact) / np.linalg.norm(exact)
    assert error <= solution.report.error_estimate <= 1e-4


def test_a_side_through_which_something_diffuses_does():
    problem = lrfm.Problem(
        "u_t = u_xx + diff((1 + y)*u_y, y)",
        domain=lrfm.Box(x=(0, 1), y=(0, 1)),
        time=(0, 0.5),
        initial="sin(pi*x)",
        boundary={"x": "u = 0", "y-": None, "y+": "u = 0"},
        check_corners=False,
    )
    with pytest.raises(lrfm.ProblemError, match="no condition on the part `y-`"):
        lrfm.solve(problem, tol=1e-2, method=lrfm.Lines(space="cells"))


def test_a_square_that_is_cooled_from_one():
    """Data contradict each other along the whole boundary: u = v(x) v(y), v = Σ (−1)^n erf((x − n)/√4t). Errors of the first solve are in its first step."""
    square = lrfm.Polygon([(0, 0), (1, 0), (1, 1), (0, 1)])
    problem = lrfm.Problem("u_t = lap(u)", domain=square, time=(0, 0.3), initial="1", boundary="u = 0")
    form = PlaneFormulation(PlaneSystem(problem))
    run = Integration(form, 3e-3, Watch(Budget()))
    state = run.begin()
    while not run.finished(state):
        state = run.advance(state)
    piece, (g, w) = form.piece(state.steps), np.polynomial.legendre.leggauss(5)

    def graded(count, top):
        edges = np.append(0.0, top * 2.0 ** np.arange(-count, 1.0))
        half = 0.5 * np.diff(edges)[:, None]
        return (edges[:-1, None] + half * (g + 1)).ravel(), (half * w).ravel()

    (x, wx), (times, wt) = graded(8, 0.5), graded(18, 0.3)
    at = np.stack(np.meshgrid(x, x, indexing="ij"), axis=-1).reshape(-1, 2)  # a quarter
    error = size = 0.0
    for t, weight in zip(times, wt, strict=True):
        v = sum((-1.0) ** n * erf((x - n) / np.sqrt(4 * t)) for n in range(-6, 7))
        found = piece.values([Jet("u", (0, 0, 0))], np.column_stack([at, np.full(len(at), t)]))
        gap = next(iter(found.values())).reshape(len(x), -1) - np.outer(v, v)
        error += weight * (wx @ gap**2 @ wx)
        size += weight * (wx @ v**2) ** 2
    assert np.sqrt(error / size) < 1.5e-3
    # Along the sides boxes are stretched.
    assert max(s.mesh.size for s in state.steps) < 200
    widths = state.steps[0].mesh.mesh.widths
    assert np.max(widths[:, 1] / widths[:, 0]) == np.max(widths[:, 0] / widths[:, 1]) >= 2


def integrated(equation, initial, tol):
    """The steps of one solve on a disc, as a piece, and the errors of those that were kept."""
    problem = lrfm.Problem(equation, domain=lrfm.Disk(), time=(0, 0.3), initial=initial, boundary="u = 0")
    form, kept = PlaneFormulation(PlaneSystem(problem)), []
    made = form.integrator(Options(tol=tol), None)

    def noted(errors, length, options, splittable=True):
        decision = decide(errors, length, options, splittable)
        if isinstance(decision, Accept) and splittable:
            kept.append(errors.space / errors.space_budget)
        return decision

    made.controller, steps = noted, []
    for _, *new in made.run(made.begin()):
        steps += new
    return form.piece(steps), np.array(kept)


@pytest.mark.parametrize(
    ("equation", "initial"),
    [
        (
            "u_tt = where(x > 0.1, 4, 1)*lap(u)",
            {"u": "exp(-((x - 0.3)**2 + y**2)/0.02)", "u_t": "0"},
        ),
        ("u_t = lap(u) + u - u**3 + 50*t", "0"),
    ],
)
def test_what_is_kept_where_nothing_damps_it_is_within_its_budget(equation, initial):
    piece, kept = integrated(equation, initial, 1e-2)
    assert np.all(kept <= 1)
    # Cells end where the speed jumps, at all times, and nowhere else within so little.
    y, t = np.linspace(-0.5, 0.5, 20), np.linspace(0, 0.3, 20)
    for x, ends in ((0.1, "where" in equation), (0.1234567, False)):
        one, other = (np.column_stack([np.full(20, x + side), y, t]) for side in (-1e-9, 1e-9))
        assert np.all(piece.parted(one, other) == ends)
