# SPDX-License-Identifier: MIT
"""Assembly against a loop over points, rows and functions, with monomials as trial functions.

The rows are written out by hand as Python functions of the derivatives, so that nothing of the parser, the
splitting into linear and nonlinear parts or the grouping of rows is shared with what is tested.
"""

import math

import numpy as np
import pytest

import lrfm
from lrfm.problem import Box, Jet, Problem
from lrfm.spacetime.features import Liquid, SampledSpace
from lrfm.spacetime.least_squares.column_groups import dense
from lrfm.spacetime.windows import assembly
from lrfm.spacetime.windows.assembly import System
from lrfm.spacetime.windows.groups import Condition, RowGroup, boundary_groups, periodic_match
from lrfm.spacetime.windows.patches import column_slices


def equation_groups(problem, points, weight):
    return [RowGroup(row.label, row, points, weight) for row in problem.rows]


def monomial(powers, order, point):
    """∂^order of Π xᵢ^pᵢ at one point."""
    value = 1.0
    for p, m, x in zip(powers, order, point, strict=True):
        value *= math.perm(p, m) * x ** (p - m) if m <= p else 0.0
    return value


class Monomials(SampledSpace):
    """A trial space whose derivatives everyone knows; it notes what it was asked for."""

    def __init__(self, powers):
        self.powers, self.size, self.asked = powers, len(powers), []

    def jets(self, points, orders, xp):
        self.asked.append((len(points), tuple(orders)))
        return {
            o: np.asfortranarray([[monomial(p, o, x) for p in self.powers] for x in points]) for o in orders
        }


LOW = [(i, k) for i in range(4) for k in range(3)]  # x^i t^k
OTHER = [(0, 0), (1, 1), (4, 0), (2, 2), (5, 1)]
PLANAR = [(i, j, k) for i in range(3) for j in range(3) for k in range(2)]


class Loop:
    """Every row of every row group by a loop; rows are functions F(D, *point), D(field, order) a number."""

    def __init__(self, spaces):
        self.spaces = spaces
        self.fields = [field for field, space in spaces.items() for _ in space.powers]
        self.powers = [powers for space in spaces.values() for powers in space.powers]

    def field_value(self, c, field, order, point):
        terms = zip(c, self.fields, self.powers, strict=True)
        return sum(a * monomial(p, order, point) for a, f, p in terms if f == field)

    def residual(self, rows, c):
        """rows: list of (F, points, weights, partner)."""
        result = []
        for F, points, weights, partner in rows:
            for number, point in enumerate(points):

                def D(field, order, here=point, number=number, partner=partner):
                    value = self.field_value(c, field, order, here)
                    return (
                        value
                        if partner is None
                        else value - self.field_value(c, field, order, partner[number])
                    )

                result.append(weights[number] * F(D, *point))
        return np.array(result)

    def jacobian(self, rows, c, h):
        steps = h * np.eye(len(c))
        return np.column_stack(
            [(self.residual(rows, c + s) - self.residual(rows, c - s)) / (2 * h) for s in steps]
        )


def random_points(count, dimension=1, seed=0):
    return np.random.default_rng(seed).uniform(-1, 1, (count, dimension + 1))


def coefficients(size, seed=1):
    return np.random.default_rng(seed).uniform(-1, 1, size)


def weights_of(count, seed=2):
    return np.random.default_rng(seed).uniform(0.5, 2.0, count)


def full(count, value=1.0):
    return np.full(count, value)


# Cases: a problem, its spaces, and its equations written out by hand ----------------------------------------


def variable_heat():
    problem = Problem(
        "u_t = (1 + x*t)*u_xx + a*u_x - 3*u + sin(x)",
        domain=Box(x=(-1, 1)), time=(-1, 1), initial="0", boundary="u = 0", parameters={"a": 0.7},
    )  # fmt: skip

    def F(D, x, t):
        u = lambda *order: D("u", order)  # noqa: E731
        return u(0, 1) - (1 + x * t) * u(2, 0) - 0.7 * u(1, 0) + 3 * u(0, 0) - math.sin(x)

    return problem, {"u": Monomials(LOW)}, [F]


def burgers():
    problem = Problem(
        "u_t + u*u_x = nu*u_xx + t",
        domain=Box(x=(-1, 1)), time=(-1, 1), initial="0", boundary="u = 0", parameters={"nu": 0.3},
    )  # fmt: skip

    def F(D, x, t):
        u = lambda *order: D("u", order)  # noqa: E731
        return u(0, 1) + u(0, 0) * u(1, 0) - 0.3 * u(2, 0) - t

    return problem, {"u": Monomials(LOW)}, [F]


def transcendental():
    problem = Problem(
        "u_tt = exp(-u**2)*u_xx + sin(u) - u_x**3*x",
        domain=Box(x=(-1, 1)), time=(-1, 1), initial={"u": "0", "u_t": "0"}, boundary="u = 0",
    )  # fmt: skip

    def F(D, x, t):
        u = lambda *order: D("u", order)  # noqa: E731
        return u(0, 2) - math.exp(-(u(0, 0) ** 2)) * u(2, 0) - math.sin(u(0, 0)) + u(1, 0) ** 3 * x

    return problem, {"u": Monomials(LOW)}, [F]


def schroedinger():
    problem = Problem(
        "1j*psi_t + 0.5*psi_xx + abs(psi)**2*psi = (x + 2j)*psi + t",
        unknowns={"psi": complex}, domain=Box(x=(-1, 1)), time=(-1, 1), initial="0", boundary="psi = 0",
    )  # fmt: skip

    def F(D, x, t):
        psi = lambda *order: D("psi.re", order) + 1j * D("psi.im", order)  # noqa: E731
        p = psi(0, 0)
        return 1j * psi(0, 1) + 0.5 * psi(2, 0) + abs(p) ** 2 * p - (x + 2j) * p - t

    spaces = {"psi.re": Monomials(LOW), "psi.im": Monomials(OTHER)}
    return problem, spaces, [lambda D, x, t: F(D, x, t).real, lambda D, x, t: F(D, x, t).imag]


def reaction():
    problem = Problem(
        ["u_t = 0.1*lap(u) - u*v**2 + 0.4*(1 - u)", "v_t = 0.05*lap(v) + u*v**2 - v_x*u_y"],
        domain=Box(x=(-1, 1), y=(-1, 1)), time=(-1, 1), initial={"u": "0", "v": "0"},
        boundary={"*": ["u_n = 0", "v_n = 0"]},
    )  # fmt: skip

    def first(D, x, y, t):
        u, v = (lambda *o: D("u", o)), (lambda *o: D("v", o))
        z = u(0, 0, 0), v(0, 0, 0)
        return u(0, 0, 1) - 0.1 * (u(2, 0, 0) + u(0, 2, 0)) + z[0] * z[1] ** 2 - 0.4 * (1 - z[0])

    def second(D, x, y, t):
        u, v = (lambda *o: D("u", o)), (lambda *o: D("v", o))
        z = u(0, 0, 0), v(0, 0, 0)
        return v(0, 0, 1) - 0.05 * (v(2, 0, 0) + v(0, 2, 0)) - z[0] * z[1] ** 2 + v(1, 0, 0) * u(0, 1, 0)

    shared = Monomials(PLANAR)
    return problem, {"u": shared, "v": shared}, [first, second]


CASES = [variable_heat, burgers, transcendental, schroedinger, reaction]


def built(case):
    """The system of a case at random interior points, and the same as rows for the loop."""
    problem, spaces, functions = case()
    points = random_points(9, problem.domain.dimension)
    w = weights_of(9)
    system = System(spaces, equation_groups(problem, points, w))
    return system, Loop(spaces), [(F, points, w, None) for F in functions]


@pytest.mark.parametrize("case", CASES)
def test_residual_equals_the_loop(case):
    system, loop, rows = built(case)
    c = coefficients(system.shape[1])
    np.testing.assert_allclose(system.residual(c), loop.residual(rows, c), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("case", CASES)
def test_newton_matrix_is_the_jacobian_of_the_residual(case):
    system, loop, rows = built(case)
    c = coefficients(system.shape[1])
    J, _ = system.linearize(c)
    expected = loop.jacobian(rows, c, 1e-5)
    np.testing.assert_allclose(J, expected, rtol=1e-8, atol=1e-8 * np.abs(expected).max())


@pytest.mark.parametrize("picard", [False, True], ids=["Newton", "Picard"])
@pytest.mark.parametrize("case", CASES)
def test_linearization_is_exact_where_it_is_made(case, picard):
    """J(c) c − b(c) = F(c), Newton and Picard alike: both have the solutions of F = 0 as fixed points."""
    system, loop, rows = built(case)
    c = coefficients(system.shape[1])
    J, b = system.linearize(c, picard)
    np.testing.assert_allclose(J @ c - b, loop.residual(rows, c), rtol=1e-11, atol=1e-11)


def test_a_linear_system_does_not_depend_on_the_iterate():
    system, loop, rows = built(variable_heat)
    assert system.linear
    zero, c = np.zeros(system.shape[1]), coefficients(system.shape[1])
    for picard in (False, True):
        J, b = system.linearize(c, picard)
        np.testing.assert_array_equal(J, system.linearize(zero)[0])
        np.testing.assert_array_equal(b, system.linearize(zero)[1])
    np.testing.assert_allclose(b, -loop.residual(rows, zero), rtol=1e-14)


@pytest.mark.parametrize("case", [burgers, transcendental, schroedinger, reaction])
def test_nonlinear_systems_say_so(case):
    assert not built(case)[0].linear


def test_linearize_does_not_change_the_system():
    system, _, _ = built(burgers)
    c = coefficients(system.shape[1])
    before = system.matrix.copy(), system.target.copy()
    J, b = system.linearize(c)
    J[:], b[:] = 7, 7  # least squares may overwrite what it is given
    np.testing.assert_array_equal(system.matrix, before[0])
    np.testing.assert_array_equal(system.target, before[1])
    again = system.linearize(c)
    assert np.all(again[0] != 7)


# The paper's Picard forms -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("equation", "form"),
    [
        # (live part of the matrix beyond the linear one) as a function of frozen u and live D
        ("u_t + u*u_x = 0.1*u_xx", lambda u, D: u * D(1, 0)),
        ("u_t + 6*u*u_x + u_xxx = 0", lambda u, D: 6 * u * D(1, 0)),
        ("u_t = 0.1*u_xx - u**3 + u", lambda u, D: u**2 * D(0, 0)),
    ],
    ids=["Burgers", "KdV", "Allen-Cahn"],
)
def test_picard_freezes_as_the_paper_does(equation, form):
    """Paper, below eq:picard-residual: u_old u_x, 6 u_old u_x, (u_old² − 1) u."""
    problem = Problem(
        equation, domain=Box(x=(-1, 1)), time=(-1, 1), initial="0",
        boundary={"x-": "u = 0", "x+": ["u = 0", "u_x = 0"]},
    )  # fmt: skip
    space, points = Monomials(LOW), random_points(7)
    system = System({"u": space}, equation_groups(problem, points, 1.0))
    c = coefficients(space.size)
    J, b = system.linearize(c, True)
    frozen = [sum(a * monomial(p, (0, 0), x) for a, p in zip(c, LOW, strict=True)) for x in points]
    live = [
        [form(u, lambda *o, p=p, x=x: monomial(p, o, x)) for p in LOW]
        for u, x in zip(frozen, points, strict=True)
    ]
    np.testing.assert_allclose(J - system.matrix, live, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(b, 0, atol=1e-13)  # nothing is left on the right: the whole term is live


def test_picard_freezes_the_modulus_of_the_nonlinear_schroedinger_equation():
    """|ψ_old|² ψ in both real rows."""
    problem = Problem(
        "1j*psi_t + 0.5*psi_xx + abs(psi)**2*psi = 0",
        unknowns={"psi": complex}, domain=Box(x=(-1, 1)), time=(-1, 1), initial="0", boundary="psi = 0",
    )  # fmt: skip
    space, points = Monomials(LOW), random_points(7)
    system = System({"psi.re": space, "psi.im": space}, equation_groups(problem, points, 1.0))
    c, P = coefficients(2 * space.size), space.size
    J, b = system.linearize(c, True)
    phi = np.array([[monomial(p, (0, 0), x) for p in LOW] for x in points])
    modulus = (phi @ c[:P]) ** 2 + (phi @ c[P:]) ** 2
    live = np.zeros_like(J)
    live[:7, :P] = live[7:, P:] = modulus[:, None] * phi
    np.testing.assert_allclose(J - system.matrix, live, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(b, 0, atol=1e-13)


# Boundary, periodic and initial rows ------------------------------------------------------------------------


def test_face_rows_equal_the_loop():
    """Dirichlet, Neumann with the outward sign, Robin, and a nonlinear radiation condition, on four faces."""
    problem = Problem(
        "u_t = lap(u)",
        domain=Box(x=(-1, 1), y=(-1, 1)), time=(-1, 1), initial="0", check_corners=False,
        boundary={"x-": "u = y*t", "x+": "u_n = 1", "y-": "u_n + 2*u = x", "y+": "u_n = 1 - u**4"},
    )  # fmt: skip
    rng = np.random.default_rng(3)
    pairs = []
    for axis in range(2):
        lower, upper = rng.uniform(-1, 1, (2, 5, 3))
        lower[:, axis], upper[:, axis] = -1, 1
        pairs.append((lower, upper))
    spaces = {"u": Monomials(PLANAR)}
    system = System(spaces, boundary_groups(problem, pairs, [2.0, 3.0], False))
    u = lambda D, *order: D("u", order)  # noqa: E731
    rows = [
        (lambda D, x, y, t: u(D, 0, 0, 0) - y * t, pairs[0][0], full(5, 2.0), None),
        (lambda D, x, y, t: u(D, 1, 0, 0) - 1, pairs[0][1], full(5, 2.0), None),
        (lambda D, x, y, t: -u(D, 0, 1, 0) + 2 * u(D, 0, 0, 0) - x, pairs[1][0], full(5, 3.0), None),
        (lambda D, x, y, t: u(D, 0, 1, 0) - 1 + u(D, 0, 0, 0) ** 4, pairs[1][1], full(5, 3.0), None),
    ]
    loop, c = Loop(spaces), coefficients(len(PLANAR))
    np.testing.assert_allclose(system.residual(c), loop.residual(rows, c), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(system.linearize(c)[0], loop.jacobian(rows, c, 1e-5), rtol=1e-7, atol=1e-7)
    assert list(system.rows_of) == [f"`boundary` on `{face}`" for face in problem.domain.faces]


def test_periodic_rows_equal_the_loop():
    """∂ₓᵏu(upper) − ∂ₓᵏu(lower), k = 0, 1, 2 for third order; nothing for an axis that is not periodic."""
    problem = Problem(
        "u_t + u_xxx + u_yy = 0",
        domain=Box(x=(-1, 1), y=(-1, 1)), time=(-1, 1), initial="0", boundary={"x": "periodic", "y": "u = 0"},
    )  # fmt: skip
    lower = random_points(6, 2)
    upper = lower.copy()
    lower[:, 0], upper[:, 0] = -1, 1
    pairs = [(lower, upper), (lower.copy(), lower.copy())]
    spaces = {"u": Monomials([*PLANAR, (5, 1, 1)])}
    groups = [b for b in boundary_groups(problem, pairs, [2.0, 1.0], True) if b.partner is not None]
    system = System(spaces, groups)
    rows = [(lambda D, x, y, t, k=k: D("u", (k, 0, 0)), upper, full(6, 2.0), lower) for k in range(3)]
    c = coefficients(system.shape[1])
    np.testing.assert_allclose(system.residual(c), Loop(spaces).residual(rows, c), rtol=1e-12, atol=1e-12)
    assert system.rows_of == {"periodic match in `x`": slice(0, 18)}
    assert not any(b.partner is not None for b in boundary_groups(problem, pairs, [1.0, 1.0], False))


def test_periodic_rows_count_the_order_of_every_field():
    problem = Problem(
        ["u_t = u_xx + v", "v_t = -u"],
        domain=Box(x=(-1, 1)), time=(-1, 1), initial={"u": "0", "v": "0"}, boundary="periodic",
    )  # fmt: skip
    wanted = [row.jets for row in periodic_match(problem, 0, ("x", "t"))]
    assert wanted == [(Jet("u", (0, 0)),), (Jet("u", (1, 0)),), (Jet("v", (0, 0)),)]


def test_initial_rows_equal_the_loop():
    points = random_points(5)
    spaces = {"u": Monomials(LOW), "v": Monomials(OTHER)}
    values = np.arange(10.0).reshape(2, 5)
    conditions = [
        Condition("`initial` of `v`", Jet("v", (0, 0)), points, values[0], 3.0),
        Condition("`initial` of `v`, time derivative 1", Jet("v", (0, 1)), points, values[1], 0.5),
    ]
    system = System(spaces, [], conditions)
    loop, c = Loop(spaces), coefficients(system.shape[1])
    rows = [(lambda D, x, t, k=k: D("v", (0, k)), points, full(5, w), None) for k, w in enumerate((3.0, 0.5))]
    expected = loop.residual(rows, c) - np.concatenate([3.0 * values[0], 0.5 * values[1]])
    np.testing.assert_allclose(system.residual(c), expected, rtol=1e-12)
    np.testing.assert_array_equal(system.matrix[:, system.columns["u"]], 0)


# Order of rows and columns, names of groups -----------------------------------------------------------------


def test_columns_are_ordered_field_by_field():
    spaces = {"u": Monomials(LOW), "v": Monomials(OTHER), "w": Monomials(LOW)}
    assert column_slices(spaces) == {"u": slice(0, 12), "v": slice(12, 17), "w": slice(17, 29)}


def test_every_row_has_exactly_one_name():
    """Also where a face carries two complex conditions, whose real and imaginary rows alternate."""
    problem = Problem(
        "1j*psi_t = psi_xxxx",
        unknowns={"psi": complex}, domain=Box(x=(-1, 1)), time=(-1, 1), initial="0",
        boundary={"x-": ["psi = 0", "psi_xx = 0"], "x+": ["psi = 0", "psi_xx = 1j*psi"]},
    )  # fmt: skip
    lower, upper, inner = random_points(4), random_points(4), random_points(6)
    lower[:, 0], upper[:, 0] = -1, 1
    groups = [
        *equation_groups(problem, inner, 1.0),
        *boundary_groups(problem, [(lower, upper)], [1.0], False),
    ]
    space = Monomials([*LOW, (4, 0)])
    system = System(dict.fromkeys(problem.fields, space), groups)
    named = np.zeros(system.shape[0], dtype=int)
    for rows in system.rows_of.values():
        named[rows] += 1
    np.testing.assert_array_equal(named, 1)
    assert len(system.rows_of) == 6


def test_residual_by_group_is_the_root_mean_square_without_weights():
    system, loop, rows = built(reaction)
    c = coefficients(system.shape[1])
    bare = [(F, points, full(len(points)), None) for F, points, _, _ in rows]
    found = system.residual_by_group(c)
    assert len(found) == 2
    for value, row in zip(found.values(), bare, strict=True):
        assert value == pytest.approx(np.sqrt(np.mean(loop.residual([row], c) ** 2)), rel=1e-12)


def test_matrices_are_column_major():
    system, _, _ = built(burgers)
    assert system.matrix.flags.f_contiguous
    assert system.linearize(coefficients(system.shape[1]))[0].flags.f_contiguous


# Derivative matrices are the expensive part: each once ------------------------------------------------------


def test_row_groups_that_share_points_share_derivative_matrices():
    problem, spaces, _ = reaction()
    points = random_points(9, 2)
    System(spaces, equation_groups(problem, points, 1.0))
    assert len(spaces["u"].asked) == 1
    ((count, orders),) = spaces["u"].asked
    assert count == 9
    assert set(orders) == {(0, 0, 0), (0, 0, 1), (2, 0, 0), (0, 2, 0), (1, 0, 0), (0, 1, 0)}


def test_only_the_jets_of_a_row_are_asked_for():
    problem, spaces, _ = burgers()
    System(spaces, equation_groups(problem, random_points(3), 1.0))
    assert set(spaces["u"].asked[0][1]) == {(0, 0), (1, 0), (2, 0), (0, 1)}


def test_steps_ask_for_no_derivative_matrix():
    problem, spaces, _ = transcendental()
    system = System(spaces, equation_groups(problem, random_points(9), 1.0))
    before = len(spaces["u"].asked)
    for seed in range(4):
        c = coefficients(system.shape[1], seed)
        system.linearize(c)
        system.linearize(c, True)
        system.residual(c)
    assert len(spaces["u"].asked) == before


def test_a_newton_solve_asks_once_per_window(monkeypatch):
    """As many calls of `Space.jets` for one step as for many, and no point set is asked for twice."""
    from lrfm.spacetime.features import Space

    calls = []
    original = Space.jets

    def counted(self, points, orders, xp):
        calls.append((points.tobytes(), tuple(orders)))
        return original(self, points, orders, xp)

    monkeypatch.setattr(Space, "jets", counted)
    problem = lrfm.catalog.burgers(nu=0.05)
    numbers = {}
    for steps in (1, 6):
        calls.clear()
        solution = lrfm.solve(
            problem,
            method=lrfm.SpaceTime(
                space=Liquid(features=60), nonlinear=lrfm.Newton(tol=1e-14, max_steps=steps)
            ),
            estimate=False,
            strict=False,
        )
        numbers[solution.report.steps] = len(calls)
        assert len(set(calls)) == len(calls)
    assert len(numbers) == 2
    assert len(set(numbers.values())) == 1


# Chunks -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", CASES)
def test_chunked_assembly_is_the_same_to_the_bit(case, monkeypatch):
    problem, spaces, _ = case()
    points = random_points(150, problem.domain.dimension)
    partner = random_points(150, problem.domain.dimension, seed=5)
    groups = equation_groups(problem, points, weights_of(150))
    groups += [RowGroup("jump", row, points, 1.0, partner) for row in problem.rows if row.linear]
    whole = System(spaces, groups)
    calls = len(spaces[problem.fields[0]].asked)
    monkeypatch.setattr(assembly, "CHUNK_BYTES", 1)  # the least: 64 rows at a time
    parts = System(spaces, groups)
    assert len(spaces[problem.fields[0]].asked) - calls >= 3
    np.testing.assert_array_equal(parts.matrix, whole.matrix)
    np.testing.assert_array_equal(parts.target, whole.target)
    c = coefficients(whole.shape[1])
    for one, two in zip(parts.linearize(c), whole.linearize(c), strict=True):
        np.testing.assert_array_equal(one, two)


def test_chunked_liquid_features_give_the_same_matrix(monkeypatch):
    problem = lrfm.catalog.allen_cahn()
    box = problem.domain
    space = Liquid(per_patch=20, patches=3).sample(
        box.names, box.lower, box.upper, (True,), problem.time, np.random.default_rng(0)
    )
    points = np.random.default_rng(1).random((300, 2)) * [2, 0.1] - [1, 0]
    groups = equation_groups(problem, points, 1.0)
    whole = System({"u": space}, groups)
    monkeypatch.setattr(assembly, "CHUNK_BYTES", 1)
    parts = System({"u": space}, groups)
    first, second = dense(whole.matrix), dense(parts.matrix)
    scale = np.abs(first).max()
    np.testing.assert_allclose(second, first, rtol=1e-13, atol=1e-14 * scale)
