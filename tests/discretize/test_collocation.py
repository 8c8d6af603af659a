# SPDX-License-Identifier: MIT
"""Rows on cells: polynomials that solve a statement have no residual, A(s) is the derivative of the rows, errors have their orders."""

import numpy as np
import pytest
from on_cells import coefficients, dense, discretized, jacobian, line, states

import lrfm
from lrfm.adapt.cells import CellAdapter
from lrfm.adapt.given import Given
from lrfm.discretize.evolution import EvolutionSystem, Unsuited
from lrfm.discretize.line.collocation import CellCollocation, Layout
from lrfm.discretize.options import SAFEGUARDS, Options
from lrfm.integrate.schemes.radau import Iteration, Radau, one_by_one
from lrfm.integrate.state import IntegratorState
from lrfm.linalg.banded import Banded, Bordered
from lrfm.spaces.cells import Mesh
from lrfm.spaces.cells.reference import table

# Statements that are solved by polynomials, with their components --------------------------------------------

SOLVED = {
    "heat": (line("u_t = u_xx", "x**2", {"x-": "u = 2*t", "x+": "u_x = 2"}), [lambda x, t: x**2 + 2 * t]),
    "second order in time": (
        line("u_tt = u_xx", {"u": "x**2", "u_t": 0}, {"x-": "u = t**2", "x+": "u_x = 2"}),
        [lambda x, t: x**2 + t**2, lambda x, t: 2 * t + 0 * x],
    ),
    "Robin": (
        line("u_t = u_xx", "x**2", {"x-": "u_x - 3*u = -6*t", "x+": "u_x + u = 3 + 2*t"}),
        [lambda x, t: x**2 + 2 * t],
    ),
    "a rate in a condition": (
        line("u_t = u_xx", "x**2", {"x-": "u_t - u_x = 2", "x+": "u_t + u_x = 4"}),
        [lambda x, t: x**2 + 2 * t],
    ),
    "third order": (
        line("u_t + u_xxx = 0", "x**3", {"x-": ["u = -6*t"], "x+": ["u = 1 - 6*t", "u_x = 3"]}),
        [lambda x, t: x**3 - 6 * t],
    ),
    "fourth order": (
        line("u_t = -u_xxxx", "x**4", {"x-": ["u = -24*t", "u_xx = 0"], "x+": ["u = 1 - 24*t", "u_xx = 12"]}),
        [lambda x, t: x**4 - 24 * t],
    ),
    "products": (
        line("u_t = u*u_xx - u_x**2 - 2*t + 1", "x", {"x-": "u = t - t**2 - t", "x+": "u_x = 1"}),
        [lambda x, t: x + t - t**2 - t],
    ),
    "an algebraic unknown": (
        line(["u_t = w", "w = u_xx"], {"u": "x**2"}, {"x-": "u = 2*t", "x+": "u_x = 2"}),
        [lambda x, t: x**2 + 2 * t, lambda x, t: 2.0 + 0 * x],
    ),
    "a mean": (
        line("u_t = u_xx + mean(u) - 1/3 - 2*t", "x**2", {"x-": "u_x = 0", "x+": "u_x = 2"}),
        [lambda x, t: x**2 + 2 * t, lambda x, t: 1 / 3 + 2 * t + 0 * x],
    ),
    "a value at a place": (
        line("u_t = u_xx + at(u, x, 0.3) - 0.09 - 2*t", "x**2", {"x-": "u_x = 0", "x+": "u_x = 2"}),
        [lambda x, t: x**2 + 2 * t, lambda x, t: 0.09 + 2 * t + 0 * x],
    ),
    "a coefficient of x": (
        line("u_t = (1 + x)*u_xx + u_x - 2 - 4*x + t", "x**2", {"x-": "u = t**2/2", "x+": "u_x = 2"}),
        [lambda x, t: x**2 + t**2 / 2],
    ),
    "periodic": (line("u_t = u_xx + u_x + 2*t", "1", "periodic"), [lambda x, t: 1 + t**2 + 0 * x]),
}


@pytest.mark.parametrize("name", SOLVED)
@pytest.mark.parametrize("time", [0.0, 0.7])
def test_polynomials_that_solve_a_statement_have_no_residual(name, time):
    problem, functions = SOLVED[name]
    made = discretized(problem, edges=(0.0, 0.45, 0.7, 1.0))
    y, z = states(made, functions, time)
    for c in range(len(y)):  # what depends on time alone is the first coefficient, and nothing else
        if made.system.components[c][0] not in problem.fields:
            y[c, :, 1:] = z[c, :, 1:] = 0.0
    found = made.residual(np.array([time]), y[None], z[None])[0]
    assert np.abs(found).max() < 1e-14 * (made.layout.size**2 / 0.125) ** max(
        made.layout.orders
    )  # rounding of derivatives


@pytest.mark.parametrize("name", ["heat", "an algebraic unknown", "a mean", "periodic"])
def test_a_function_that_solves_nothing_has_a_residual(name):
    problem, functions = SOLVED[name]
    made = discretized(problem)
    y, z = states(made, functions, 0.5)
    y[0, 2, 1] += 1e-3
    assert np.abs(made.residual(np.array([0.5]), y[None], z[None])).max() > 1e-4


# A(s) -------------------------------------------------------------------------------------------------------

NONLINEAR = {
    "chain": line(
        "u_tt = u*u_xx - u**3 + u_x*u_t",
        {"u": "x", "u_t": "1"},
        {"x-": "u = t", "x+": "u_x + u_t = 1"},
    ),
    "value of the lowest component": line(
        "u_tt = u_xx", {"u": "x", "u_t": "1"}, {"x-": "u = t", "x+": "u_x = 1"}
    ),
    "periodic": line("u_t + u*u_x + u_xxx = 0", "sin(2*pi*x)", "periodic"),
    "periodic chain of two fields": line(
        ["u_tt = u_xx + v*u", "v_t = u*v_xx + u_t"], {"u": "1", "u_t": "0", "v": "1"}, "periodic"
    ),
    "Robin and a rate": line(
        "u_t = (1 + u**2)*u_xx", "x", {"x-": "u_x - 2*u*u_x = 1", "x+": "u_t + u_x + u**2 = 0"}
    ),
    "mean": line("u_t = u_xx - u*mean(u**2)", "x", "u_n = 0"),
    "value": line("u_t = u_xx - u*at(u, x, 0.3)", "x", "u_n = 0"),
    "algebraic unknown": line(
        ["u_t = w - u*w", "w + w**3 = u_xx"], {"u": "x"}, {"x-": "u = 0", "x+": "u = 1"}
    ),
    "rate in a product": line("(1 + x + u**2)*u_t = u_xx", "x", {"x-": "u = 0", "x+": "u = 1"}),
    "unknown of time": line(
        ["u_t = u_xx", "T_t = at(u, x, 1) - T*T"],
        {"u": "x", "T": 1},
        {"x-": "u_x = 0", "x+": "u_x = T - u"},
        unknowns={"T": "t"},
    ),
}  # fmt: skip


def some_state(made, seed=0):
    """A state and rates without meaning: fields of time alone are the same in all cells."""
    rng = np.random.default_rng(seed)
    decay = 0.5 ** np.arange(made.layout.size)
    fields = [made.system.fields.index(f) for f, _ in made.system.components]

    def drawn(numbers):
        parts = []
        for i in numbers:
            a = rng.standard_normal((made.mesh.size, made.layout.size)) * decay
            a[:, made.layout.sizes[i] :] = 0.0
            parts.append(
                np.broadcast_to(a[:1] * (np.arange(len(decay)) < 1), a.shape)
                if i in made.layout.lumped
                else a
            )
        return np.stack(parts)

    return drawn(fields), drawn(range(len(made.layout.sizes)))


@pytest.mark.parametrize("name", NONLINEAR)
@pytest.mark.parametrize("shift", [0.05, 1.3])
def test_the_matrix_is_the_derivative_of_the_rows(name, shift):
    made = discretized(NONLINEAR[name], count=4)
    start, rates = some_state(made)
    wanted, y, z = jacobian(made, 0.3, start, rates, shift)
    pencil = made.linearize(0.3, y, z)
    scale = np.abs(wanted).max(axis=1, keepdims=True)
    np.testing.assert_allclose(dense(made, pencil, shift) / scale, wanted / scale, atol=1e-8)


@pytest.mark.parametrize("name", NONLINEAR)
@pytest.mark.parametrize("shift", [0.05, 0.2 + 0.1j])
def test_solutions_with_the_matrix(name, shift):
    """Factors against the dense matrix, real and complex; a band where there is no border, periodic or not."""
    made = discretized(NONLINEAR[name], count=4)
    start, rates = some_state(made)
    y, z = start, np.repeat(rates[:1], len(start), axis=0)
    pencil = made.linearize(0.3, y, z)
    right = np.random.default_rng(1).standard_normal(made.size).astype(type(shift))
    found = pencil.at(shift)(right)
    np.testing.assert_allclose(dense(made, pencil, shift) @ found, right, atol=1e-7 * np.abs(found).max())
    assert isinstance(made.solver, Bordered if made.layout.lumped else Banded)


def test_the_matrix_of_a_circle_is_a_band():
    """Its width does not grow with the number of cells."""
    problem = NONLINEAR["periodic"]
    widths = []
    for cells in (5, 8, 31):
        made = discretized(problem, edges=np.linspace(0, 1, cells + 1))
        widths.append((made.solver.lower, made.solver.upper))
    assert widths[0] == widths[1] == widths[2]
    assert max(widths[0]) <= 3 * made.numbers.width


def test_vectors_and_coefficients_belong_together():
    made = discretized(NONLINEAR["periodic chain of two fields"])
    vector = np.random.default_rng(0).standard_normal(made.size)
    np.testing.assert_array_equal(made.gather(made.scatter(vector)), vector)


def test_norms_are_root_mean_squares():
    made = discretized(SOLVED["heat"][0])
    a = coefficients(made, lambda x: x**2)
    assert np.isclose(made.norms(a[None])[0], np.sqrt(1 / 5), rtol=1e-12)


def test_the_number_of_conditions_is_counted():
    with pytest.raises(Unsuited, match="ask for 2 conditions at the two ends together, and 1 are given"):
        discretized(line("u_t = u_xx", "x", {"x-": "u = 0", "x+": None}))


@pytest.mark.parametrize("tol", [0.3, 1e-2, 1e-4, 1e-12])
def test_there_are_points_enough_for_the_highest_derivative(tol):
    """m + 1 at the least, and one more in a comparison solve, whatever the tolerance."""
    options = Options(tol=tol)
    for order in range(1, 7):
        assert options.points(order) >= max(options.count, order + 1)
        assert options.compared().points(order) > options.points(order)


# Orders -----------------------------------------------------------------------------------------------------


def integrated(problem, count, cells, length, steps):
    """u at the end after equal steps on equal cells, with errors in time below those of the cells."""
    made = discretized(problem, count, np.linspace(0, 1, cells + 1))
    options = Options(tol=1e-12)
    adapter = CellAdapter(made.layout, Given(made.system), options)
    y = adapter.connected(made.mesh, np.zeros(0))
    nothing = np.zeros(len(y))
    state = IntegratorState(0.0, made.mesh, y, np.zeros_like(y), length, 0.0, nothing, nothing)
    pencil = made.linearize(0.0, y, state.z)
    for _ in range(steps):
        result = Radau(7).step(made, pencil, state, length, Iteration(lambda c: np.abs(c).max(), 1e-13, 20))
        assert result.converged
        state = state.with_(time=state.time + length, y=result.end, z=result.rates[-1])
    return made, state


def errors_at(made, state, exact):
    """Root mean square over the interval, and the largest at the edges of cells."""
    xi = np.linspace(-1, 1, 17)
    gap = state.y[0] @ table(xi, made.layout.size).T - exact(made.mesh.places(xi))
    return np.sqrt(np.mean(gap**2)), np.abs(gap[:, -1]).max()


@pytest.mark.parametrize("count", [3, 4, 5])
def test_heat_converges_with_two_orders_more_than_points(count):
    problem = line("u_t = u_xx", "sin(pi*x) + x", {"x-": "u = 0", "x+": "u = 1"}, time=(0, 0.1))
    ended = [integrated(problem, count, cells, 0.05, 2) for cells in (3, 6, 12)]
    found = [errors_at(*end, lambda x: np.exp(-(np.pi**2) * 0.1) * np.sin(np.pi * x) + x)[0] for end in ended]
    orders = np.log2(np.array(found[:-1]) / found[1:])
    assert np.all(orders > count + 2 - 0.25), orders


@pytest.mark.parametrize("count", [3, 4])
def test_steady_states_are_superconvergent_at_edges(count):
    """Of order k + 2 in L², of order 2k at the edges of cells (de Boor, Swartz)."""
    problem = line("u_t = u_xx + 9*pi**2*sin(3*pi*x)", "x", {"x-": "u = 0", "x+": "u = 0"})
    ended = [integrated(problem, count, cells, 1e6, 3) for cells in (5, 10)]
    found = np.array([errors_at(*end, lambda x: np.sin(3 * np.pi * x)) for end in ended])
    orders = np.log2(found[0] / found[1])
    assert np.all(orders > np.array([count + 2, 2 * count]) - 0.3), orders


def test_shifts_together_are_shifts_one_by_one():
    """A(s_k) z_k = r_k with rows without rates divided by s, for real and complex shifts, two components and two ends."""
    system = EvolutionSystem(lrfm.catalog.sine_gordon())
    made = CellCollocation(Layout(system, 5), Mesh.of(np.array([*np.linspace(*system.interval, 5)])))
    rng = np.random.default_rng(0)
    y, z = rng.standard_normal((2, len(system.components), 4, made.layout.size))
    pencil, shifts = made.linearize(system.problem.time[0], y, z), [0.3, 0.1 + 0.2j]
    right = rng.standard_normal((2, made.size)) + 0j
    found = one_by_one(pencil, np.array(shifts))(right)
    for s, r, own in zip(shifts, right, found, strict=True):
        total = sum(s**p * pencil.entries(p) for p in range(system.top_power + 1))
        matrix = np.zeros((made.size, made.size), dtype=complex)
        matrix[made.rows, made.columns] = total
        assert np.allclose(matrix @ own, r * s ** -made.lowest.astype(float), rtol=1e-9, atol=1e-9)
        assert np.allclose(own, pencil.at(s)(r if np.imag(s) else r.real))


def test_factors_and_numbers_of_rows_take_so_much_memory_and_no_more():
    """Every step size has shifts, and every count of cells a pattern of its own: a long run with short steps kept gigabytes of them."""
    made = discretized(line("u_t = u_xx", "sin(pi*x)", "u = 0"), count=8, edges=np.linspace(0, 1, 401))
    y = np.zeros((1, made.mesh.size, made.layout.size))
    pencil, right = made.linearize(0.0, y, y), np.ones(made.size)
    first = pencil.at(1e-3)(right)
    shifts = 1e-3 * 1.01 ** np.arange(1, 90)
    for shift in shifts:
        pencil.at(shift)
    assert len(pencil._factors) * made.solver.fill <= SAFEGUARDS.numbers
    assert len(pencil._factors) >= SAFEGUARDS.factors
    assert np.array_equal(pencil.at(1e-3)(right), first)
    layout = made.layout
    for cells in range(400, 700, 5):
        assert layout.numbering(cells, (), (0, cells)).cells == cells
    assert sum(own.numbers for own in layout._numberings.values()) <= SAFEGUARDS.numbers
    assert layout.numbering(cells, (), (0, cells)) is layout.numbering(cells, (), (0, cells))


def test_a_relation_that_ties_rates_says_what_to_write():
    """q + q³ = f(c) beside c_t + q_t = c_xx: q is not told by c."""
    problem = lrfm.Problem(
        ["c_t + q_t = c_xx", "q + q**3 = c/(1 + c)"],
        domain=lrfm.Box(x=(0, 1)), time=(0, 1), initial={"c": "0", "q": "0"}, boundary="c_x = 1",
    )  # fmt: skip
    with pytest.raises(Unsuited, match=r"ties `c`, `q` at each time: put .* as `diff\(f\(c\), t\)`"):
        EvolutionSystem(problem)
