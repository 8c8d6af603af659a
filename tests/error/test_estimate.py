# SPDX-License-Identifier: MIT
"""The error statement on functions that are known: what held-out residual and difference of draws measure."""

import math

import numpy as np
import pytest
from helpers import rms

import lrfm
from lrfm.adapt.plane import PlaneAdapter
from lrfm.discretize.options import Options
from lrfm.error.draws import _times_of_steps, difference
from lrfm.error.marks import followed
from lrfm.problem import Box, Jet, Problem
from lrfm.rows.cell_steps import CellSteps
from lrfm.solver.formulations.plane import PlaneFormulation, PlaneSystem
from lrfm.spacetime.windows.collocation import Collocation
from lrfm.spacetime.windows.held_out import held_out

COLLOCATION = Collocation()


class Known:
    """A window on which every derivative of every field is a given function of (x, t)."""

    def __init__(self, functions, window=(0.0, 0.5)):
        self.functions, self.window = functions, window

    def values(self, jets, points):
        return {
            j: np.broadcast_to(self.functions[j](points[:, 0], points[:, -1]), (len(points),)) for j in jets
        }

    def residual(self, row, points):
        return row.residual(points, self.values(row.jets, points))


def heat(boundary="u = 0"):
    return Problem("u_t = u_xx", domain=Box(x=(0, 1)), time=(0, 0.5), initial="sin(pi*x)", boundary=boundary)


def decaying(rate, start=1.0, shift=0.0):
    """u = start e^(−rate t) sin πx + shift."""
    u = lambda x, t: start * np.exp(-rate * t) * np.sin(np.pi * x)  # noqa: E731
    return Known(
        {
            Jet("u", (0, 0)): lambda x, t: u(x, t) + shift,
            Jet("u", (0, 1)): lambda x, t: -rate * u(x, t),
            Jet("u", (1, 0)): lambda x, t: start * np.pi * np.exp(-rate * t) * np.cos(np.pi * x),
            Jet("u", (2, 0)): lambda x, t: -(np.pi**2) * u(x, t),
        }
    )


def initial(jet, points):
    return np.sin(np.pi * points[:, 0])


def held(piece, problem=None, start=initial, periodic=()):
    return held_out(
        problem or heat(), piece, start, COLLOCATION, np.random.default_rng(0), periodic, count=4000
    )


def test_the_exact_solution_has_no_residual():
    assert held(decaying(np.pi**2)) < 1e-14


def test_a_wrong_rate_shows_in_windows():
    """u_t − u_xx = (π² − r) u with T = 1/2: held ≈ T |π² − r|, whatever the size of u."""
    rate = np.pi**2 - 0.4
    assert held(decaying(rate)) == pytest.approx(0.5 * 0.4, rel=0.1)


def test_a_wrong_start_shows_relative_to_the_solution():
    """u = 1.1 × exact: only the initial rows are missed, by 0.1 rms sin, relative to rms u."""
    t = np.linspace(0, 0.5, 4001)
    size = 1.1 * rms(np.exp(-(np.pi**2) * t)) * math.sqrt(0.5)
    assert held(decaying(np.pi**2, start=1.1)) == pytest.approx(0.1 * math.sqrt(0.5) / size, rel=0.05)


def test_a_wrong_boundary_value_shows():
    """u = exact + 0.2 violates both ends by 0.2, and the start too."""
    shifted = decaying(np.pi**2, shift=0.2)
    free = held(shifted, heat({"x-": None, "x+": None}))
    both = held(shifted)
    size = rms([shifted.values([Jet("u", (0, 0))], np.array([[x, t]]))[Jet("u", (0, 0))][0]
                for x in np.linspace(0, 1, 60) for t in np.linspace(0, 0.5, 60)])  # fmt: skip
    assert free == pytest.approx(0.2 / size, rel=0.05)
    assert both == pytest.approx(math.sqrt(3) * 0.2 / size, rel=0.05)


def test_a_jump_between_periodic_faces_shows():
    problem = Problem(
        "u_t = u_xx", domain=Box(x=(0, 1)), time=(0, 0.5), initial="0*x + 1", boundary="periodic"
    )
    slope = Known(
        {
            Jet("u", (0, 0)): lambda x, t: 1 + 0.3 * x,
            Jet("u", (1, 0)): lambda x, t: 0.3 + 0 * x,
            Jet("u", (0, 1)): lambda x, t: 0 * x,
            Jet("u", (2, 0)): lambda x, t: 0 * x,
        }
    )
    from lrfm.spacetime.windows.groups import periodic_match

    rows = [(row, 0) for row in periodic_match(problem, 0, ("x", "t"))]
    start = lambda jet, points: 1 + 0.3 * points[:, 0]  # noqa: E731
    assert held(slope, problem, start) < 1e-14  # a trial space that is periodic by itself needs no rows
    assert held(slope, problem, start, rows) == pytest.approx(
        0.3 / rms(1 + 0.3 * np.linspace(0, 1, 999)), rel=1e-2
    )


def test_a_wrong_start_cannot_hide_behind_growth():
    """Two thirds of the initial data missed; the solution grows by e⁴, and its end is not the measure."""
    problem = Problem(
        "u_t = 8*u + 0*u_x", domain=Box(x=(0, 1)), time=(0, 0.5), initial="sin(pi*x)", boundary={"x": None}
    )
    assert held(decaying(-8.0, start=1 / 3), problem) == pytest.approx(2 / 3, rel=0.01)
    assert held(decaying(-8.0), problem) < 1e-14


def test_zero_data_are_measured_by_the_solution():
    """u = t x from zero data: a start of 1e-3 instead of 0 is small against what follows."""
    problem = Problem(
        "u_t = x + 0*u_x", domain=Box(x=(0, 1)), time=(0, 0.5), initial="0*x", boundary={"x": None}
    )
    forced = Known(
        {
            Jet("u", (0, 0)): lambda x, t: t * x + 1e-3,
            Jet("u", (0, 1)): lambda x, t: x,
            Jet("u", (1, 0)): lambda x, t: t,
        }
    )
    size = rms(np.outer(np.linspace(0, 0.5, 500), np.linspace(0, 1, 500)))
    assert held(forced, problem, lambda jet, points: np.zeros(len(points))) == pytest.approx(
        1e-3 / size, rel=0.05
    )


def test_a_solution_that_is_zero_is_measured_by_its_data():
    assert held(decaying(np.pi**2, start=0.0)) == pytest.approx(1, rel=1e-12)


def test_non_finite_values_are_no_small_residual():
    broken = decaying(np.pi**2)
    broken.functions[Jet("u", (0, 1))] = lambda x, t: np.where(x > 0.9, np.nan, 0.0)
    assert not held(broken) < 0.1


def test_initial_jets_follow_the_order_in_time():
    problem = Problem(
        ["1j*psi_t = psi_xx", "v_tt = v_xx", "w = v_x"],
        unknowns={"psi": complex}, domain=Box(x=(0, 1)), time=(0, 1),
        initial={"psi": "0", "v": "0", "v_t": "0"}, boundary={"*": ["psi = 0", "v = 0"]},
    )  # fmt: skip
    assert set(problem.initial_jets) == {
        Jet("psi.re", (0, 0)), Jet("psi.im", (0, 0)), Jet("v", (0, 0)), Jet("v", (0, 1)),
    }  # fmt: skip
    assert {j.field for j in problem.value_jets} == {"psi.re", "psi.im", "v", "w"}


# The difference of two draws --------------------------------------------------------------------------------


def compare(first, second, problem):
    return difference(problem, first, second, np.random.default_rng(1), count=40_000)


def test_the_difference_is_relative_in_both_norms():
    """u₁ = e^(−t) sin πx, u₂ = u₁ + 0.01 sin πx."""
    one = decaying(1.0)
    two = Known({Jet("u", (0, 0)): lambda x, t: (np.exp(-t) + 0.01) * np.sin(np.pi * x)})
    t = np.linspace(0, 0.5, 5001)
    l2, linf = compare([one], [two], heat())
    assert l2 == pytest.approx(0.01 / rms(np.exp(-t)), rel=0.02)
    assert linf == pytest.approx(0.01, rel=0.01)
    assert compare([one], [one], heat()) == (0.0, 0.0)


def test_blocks_count_by_their_length():
    """Half of the difference in a tenth of the time is a tenth of the square."""
    flat = lambda value, window: Known({Jet("u", (0, 0)): lambda x, t: value + 0 * x}, window)  # noqa: E731
    windows = [(0.0, 0.05), (0.05, 0.5)]
    one = [flat(1.0, w) for w in windows]
    two = [flat(1.2, windows[0]), flat(1.0, windows[1])]
    l2, linf = compare(one, two, heat())
    assert l2 == pytest.approx(0.2 * math.sqrt(0.1), rel=1e-12)
    assert linf == pytest.approx(0.2, rel=1e-12)


def test_the_worst_unknown_counts():
    """A small unknown that is all wrong is not hidden by a large one that is right."""
    problem = Problem(
        ["u_t = u_xx", "v_t = v_xx"],
        domain=Box(x=(0, 1)),
        time=(0, 0.5),
        initial={"u": "1", "v": "1"},
        boundary="periodic",
    )
    values = lambda u, v: Known(  # noqa: E731
        {Jet("u", (0, 0)): lambda x, t: u + 0 * x, Jet("v", (0, 0)): lambda x, t: v + 0 * x}
    )
    l2, linf = compare([values(1000.0, 1e-3)], [values(1000.0, 1.5e-3)], problem)
    assert l2 == pytest.approx(0.5, rel=1e-9)
    assert linf == pytest.approx(0.5, rel=1e-9)


def test_an_unknown_that_stays_zero_is_measured_by_the_others():
    """v = 0 has no size of its own: noise of 1e-9 beside u = 1 is no error of 100 %."""
    problem = Problem(
        ["u_t = u_xx + v", "v_t = v_xx"],
        domain=Box(x=(0, 1)),
        time=(0, 0.5),
        initial={"u": "1", "v": "0"},
        boundary="periodic",
    )
    noise = lambda v: Known(  # noqa: E731
        {Jet("u", (0, 0)): lambda x, t: 1 + 0 * x, Jet("v", (0, 0)): lambda x, t: v + 0 * x}
    )
    l2, linf = compare([noise(1e-9)], [noise(-1e-9)], problem)
    assert 0 < l2 < 1e-6
    assert 0 < linf < 1e-6


@pytest.mark.parametrize("large", [1.0, 1e6])
def test_a_large_unknown_does_not_hide_a_small_one(large):
    """v misses its equation by T·0.4, whatever the size of u, which is exact."""
    problem = Problem(
        ["u_t = 0*u_x", "v_t = v_xx"],
        domain=Box(x=(0, 1)),
        time=(0, 0.5),
        initial={"u": f"{large}", "v": "sin(pi*x)"},
        boundary={"*": "v = 0"},
    )
    small = decaying(np.pi**2 - 0.4).functions
    both = {Jet("v", j.index): f for j, f in small.items()}
    both |= {Jet("u", j.index): lambda x, t, j=j: large * (not any(j.index)) + 0 * x for j in small}
    start = lambda jet, points: large + 0 * points[:, 0] if jet.field == "u" else initial(jet, points)  # noqa: E731
    assert held(Known(both), problem, start) == pytest.approx(0.5 * 0.4, rel=0.1)


def test_a_complex_unknown_is_measured_by_its_modulus():
    problem = Problem(
        "1j*psi_t = psi_xx",
        unknowns={"psi": complex},
        domain=Box(x=(0, 1)),
        time=(0, 0.5),
        initial="1",
        boundary="periodic",
    )
    field = lambda z: Known(  # noqa: E731
        {
            Jet("psi.re", (0, 0)): lambda x, t: z.real + 0 * x,
            Jet("psi.im", (0, 0)): lambda x, t: z.imag + 0 * x,
        }
    )
    l2, linf = compare([field(3 + 4j)], [field(3 + 4.5j)], problem)
    assert l2 == pytest.approx(0.1, rel=1e-12)
    assert linf == pytest.approx(0.1, rel=1e-12)


def test_a_kink_that_stays_is_claimed_above_its_error():
    """iψ_t = −aψ_xx from a parabola between walls: no space of smooth functions holds ψ_xx, and two solves may leave out the same."""
    a = np.random.default_rng(11).uniform(0.02, 0.04)
    problem = lrfm.Problem(
        f"1j*psi_t + {a}*psi_xx = 0", domain=lrfm.Box(x=(0, 1)), time=(0, 1), initial="4*x*(1 - x)", boundary="psi = 0",
        unknowns={"psi": complex},
    )  # fmt: skip
    solution = lrfm.solve(problem, tol=1e-3)
    x, t = np.random.default_rng(0).random((2, 2000))
    k = np.pi * np.arange(1, 400, 2)[:, None]
    exact = np.sum(32 / k**3 * np.sin(k * x) * np.exp(-1j * a * k**2 * t), axis=0)
    error = np.linalg.norm(solution["psi"](x=x, t=t) - exact) / np.linalg.norm(exact)
    assert error <= solution.report.error_estimate <= 30 * error


def test_points_that_follow_the_data_leave_the_rest_to_no_few_of_them():
    problem = lrfm.Problem(
        "u_t = lap(u)",
        domain=lrfm.Box(x=(0, 1), y=(0, 1)),
        time=(0, 1),
        initial="1",
        boundary="u = 0",  # it contradicts the start at every wall: points get denser there
        check_corners=False,
    )
    points, weights = followed(problem, (0.0, 1.0), 4000, np.random.default_rng(0))
    assert weights.max() <= 2**3
    assert abs(weights.mean() - 1) < 0.1
    assert abs(np.mean(weights * points[:, 0] * points[:, 1]) - 0.25) < 0.02
    assert np.mean(points[:, 0] < 1e-3) > 0.1


def test_differences_are_integrated_between_the_ends_of_steps():
    """One short step holds all of a difference: Gauss' rule has it exactly, whatever is drawn."""
    ends = np.array([1e-4, 3e-4, 0.2, 0.7])
    times, weights = _times_of_steps(0.0, 1.0, ends, 200)
    assert weights.sum() == pytest.approx(1.0)
    inside = times < 1e-4
    assert weights[inside] @ (times[inside] * (1e-4 - times[inside])) ** 2 == pytest.approx(1e-20 / 30)
    assert _times_of_steps(0.0, 1.0, np.linspace(0, 1, 400), 200) is None  # more steps than times
    assert _times_of_steps(0.0, 1.0, np.zeros(0), 200) is None


L_SHAPE = lrfm.Polygon([(0, 0), (0, -1), (-1, -1), (-1, 1), (1, 1), (1, 0)])


@pytest.mark.parametrize("near", [1e-3, 1e-6])
def test_what_is_wrong_at_a_corner_counts_in_the_maximum(near):
    """u₂ − u₁ = 0.01 within a distance of a corner of 270 degrees, but not in it: nothing in L², and twice as much in the maximum, since u₂ may have as much of it left."""
    problem = Problem("u_t = lap(u)", domain=L_SHAPE, time=(0, 0.5), initial="1", boundary="u_n = 0")

    class Cone(Known):
        def values(self, jets, points):
            r = np.hypot(points[:, 0], points[:, 1])
            return dict.fromkeys(jets, 1 + self.functions * ((r > 0) & (r < near)))

    l2, linf = compare([Cone(0.0)], [Cone(0.01)], problem)
    assert l2 <= 0.01 * near * np.sqrt(np.pi / 4) * 3
    assert linf == pytest.approx(0.02)


@pytest.mark.parametrize(("notch", "power"), [("u = 0", 2 / 3), ("u_n = 0", 1 / 3)])
def test_boxes_of_a_comparison_at_a_corner_leave_half_of_the_error(notch, power):
    """Both solves miss c h^α at a corner with r^α: the comparison has at most half of the first one's, although sizes are known to a factor of two only, and at the smallest there are as well."""
    boundary = {"side6": notch, "*": "u = 0"}
    problem = Problem("u_t = lap(u)", domain=L_SHAPE, time=(0, 1), initial="0", boundary=boundary)
    form, limited = PlaneFormulation(PlaneSystem(problem)), []
    layout = form.layout(Options(tol=1e-3))
    assert layout.singular[0][1] == pytest.approx(power, abs=1e-4)
    for tol in (1e-2, 1e-6):
        sizes = []
        for options in (Options(tol=tol), Options(tol=tol).compared()):
            adapter = PlaneAdapter(layout, form.given, options)
            mesh = adapter._roots()
            while (
                marked := adapter._at_corners(mesh, options.tol * options.space_share)
                & (mesh.depth < adapter.deepest)
            ).any():
                mesh = mesh.split(marked)
            sizes.append(np.max(mesh.widths[mesh.locate(np.zeros((1, 2)))]))
            limited.append(mesh.depth.max() == adapter.deepest)
        assert sizes[1] ** power <= 0.5 * sizes[0] ** power
    assert limited[::2] == [False, power < 0.5]  # of first solves


def test_a_comparison_begins_with_a_shorter_step():
    """What a first step makes of a layer is no error that both may share."""
    options = Options(tol=1e-4)
    assert options.compared(1e-6).first_step == pytest.approx(1e-6 * options.compared().tol / options.tol)
    assert options.compared(0.5).first_step < options.first_step


def bumps(seed, edges):
    """A piece of two steps whose values differ from nothing in one narrow cell alone, by polynomials in x and t."""
    rows = np.zeros((2, len(edges) - 1, 3, 1, 5))
    narrow = int(np.argmin(np.diff(edges)))
    rows[:, narrow] = np.random.default_rng(seed).standard_normal((2, 3, 1, 5))
    times, cells = np.array([0.0, 0.2, 0.5]), np.array([0, len(edges)])
    return CellSteps(("u",), times, np.array([0, 0]), edges, cells, rows.reshape(-1, 3, 1, 5))


def composite(edges):
    """Gauss' rule with twenty points between each two edges."""
    nodes, weights = np.polynomial.legendre.leggauss(20)
    half = 0.5 * np.diff(edges)[:, None]
    return (edges[:-1, None] + half * (1 + nodes)).ravel(), (half * weights).ravel()


def test_a_difference_within_one_cell_is_integrated_exactly():
    """‖u₁ − u₂‖ where all of it is in a cell of a thousandth of the interval: random places gave 0.5 to 1.5 of it."""
    one = bumps(0, np.array([0.0, 0.4, 0.4012, 1.0]))
    two = bumps(1, np.array([0.0, 0.25, 0.4004, 0.4009, 0.7, 1.0]))
    cells = np.array([0.0, 0.25, 0.4, 0.4004, 0.4009, 0.4012, 0.7, 1.0])
    (x, w), (t, v) = composite(cells), composite(np.array([0.0, 0.2, 0.5]))
    jet = Jet("u", (0, 0))
    u1, u2 = (piece.on_grid([jet], [x], t)[jet] for piece in (one, two))
    exact = np.sqrt(v @ (u1 - u2) ** 2 @ w / (v @ u1**2 @ w))
    for seed in range(3):
        found, _ = difference(heat(), [one], [two], np.random.default_rng(seed))
        assert found == pytest.approx(exact, rel=1e-9)
