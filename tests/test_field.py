# SPDX-License-Identifier: MIT
"""The benchmark of the field: statements say what their references solve, errors are what they claim to be."""

import json
import math
import os
import sys
from pathlib import Path

import mpmath
import numpy as np
import pytest
from helpers import thinned

from lrfm.problem import Jet

# A statement is built when it is first asked for, and kept in its process: one worker builds each once for all these tests.
pytestmark = pytest.mark.xdist_group("field")
FOLDER = Path(__file__).parents[1] / "benchmarks"


def _modules():
    """The scripts as modules; what they set for themselves is taken back."""
    kept, paths = dict(os.environ), list(sys.path)
    sys.path.insert(0, str(FOLDER))
    try:
        from field import (
            cavity,
            evolutions,
            formulas,
            fourier,
            make_references,
            page,
            record,
            run,
            statements,
            unseen,
        )

        return cavity, evolutions, formulas, fourier, make_references, page, record, run, statements, unseen
    finally:
        sys.path[:] = paths
        os.environ.clear()
        os.environ.update(kept)


cavity, evolutions, formulas, fourier, make_references, page, record, run, statements, unseen = _modules()

NAMED = statements.named(None)
STORED = [s for s in NAMED.values() if isinstance(s.reference, record.Stored)]
EXACT = [s for s in NAMED.values() if s.reference is None]
SOME = [s for s in statements.named().values() if s.group == "unseen"][::14]
NODES = 13
ids = lambda s: s.name  # noqa: E731


def start(problem, name, points):
    """Initial data at points, as lrfm understood them."""
    return problem.initial_data[name, 0](np.column_stack([points, np.full(len(points), problem.time[0])]))


# Statements -------------------------------------------------------------------------------------


def test_names_are_unique_and_random_statements_are_many():
    everything = statements.named()
    assert len(everything) == len({s.name for s in everything.values()})
    families = [page.family_of(name) for name in everything if name.startswith("unseen-")]
    assert len(families) >= 60
    assert set(families) == set(unseen.FAMILIES)


@pytest.mark.parametrize("statement", [*NAMED.values(), *SOME], ids=ids)
def test_statement_builds_and_has_a_goal(statement):
    assert statement.problem.reference is None
    assert statement.wanted
    assert all(0 < goal.tol < 1 for goal in statement.wanted)


def test_another_seed_gives_other_statements_of_the_same_kinds():
    label = "smooth-01-transport-variable-1d-periodic"
    first, second = unseen.draft(label, 1), unseen.draft(label, 2)
    assert first.equations == second.equations
    assert first.exact != second.exact


@pytest.mark.parametrize("label", thinned(list(unseen.TABLE)[3::11], 2))
def test_exact_solution_of_a_random_statement_solves_it(label):
    assert unseen.residual(label) < 1e-11


# Formulas ---------------------------------------------------------------------------------------


def lobatto(n=NODES):
    """Chebyshev points on [−1, 1] and the differentiation matrix."""
    x = np.cos(np.pi * np.arange(n) / (n - 1))
    c = np.r_[2.0, np.ones(n - 2), 2.0] * (-1.0) ** np.arange(n)
    D = np.outer(c, 1 / c) / (x[:, None] - x[None] + np.eye(n))
    return x, D - np.diag(D.sum(axis=1))


def derivative(function, names, centre, radius, index):
    """D^a f at a point, by interpolation on a small product grid of Chebyshev points along the axes that occur."""
    x, D = lobatto()
    used = [i for i, order in enumerate(index) if order]
    grids = np.meshgrid(*[centre[i] + radius[i] * x for i in used], indexing="ij") if used else []
    where = {n: np.asarray(centre[i]) for i, n in enumerate(names)}
    where |= {names[i]: g for i, g in zip(used, grids, strict=True)}
    values = np.asarray(function(**where), dtype=complex)
    middle = NODES // 2
    for i in used:
        values = np.tensordot(
            (np.linalg.matrix_power(D, index[i]) / radius[i] ** index[i])[middle], values, (0, 0)
        )
    return complex(values)


def formula_residual(statement, points):
    """Largest residual of a formula in the rows of the problem, relative to the size of the terms."""
    problem, functions = statement.problem, statement.truth.functions
    names = (*problem.domain.names, "t")
    span = np.r_[np.subtract(problem.domain.upper, problem.domain.lower), np.diff(problem.time)]
    worst = 0.0
    for row in problem.rows:
        for point in points:
            # Small enough for steep fields, large enough for fourth derivatives in double precision.
            found = []
            for share in (0.15, 0.05, 0.015, 0.004, 4e-4, 5e-5):
                room = np.minimum(point[-1] - problem.time[0], problem.time[1] - point[-1])
                radius = np.minimum(share * span, np.r_[np.full(len(span) - 1, np.inf), 0.9 * room])
                values = {}
                for jet in row.jets:
                    value = derivative(functions[jet.unknown], names, point, radius, jet.index)
                    values[jet] = np.array([value.imag if jet.field.endswith(".im") else value.real])
                size = float(np.max(row.magnitude(point[None], values)))
                found.append(float(np.abs(row.residual(point[None], values))[0]) / (size or 1.0))
            worst = max(worst, min(found))
    return worst


SHORT = {"convection-long", "wave-long", "advection-long", "schroedinger-long", "convection-10000"}
KINKED = {"plucked-string"}  # d'Alembert's formula has no second derivatives at its kinks


@pytest.mark.parametrize("statement", [s for s in EXACT if s.name not in KINKED], ids=ids)
def test_formula_solves_the_equation(statement):
    problem, rng = statement.problem, np.random.default_rng(3)
    t0, t1 = problem.time
    low, high = np.array([*problem.domain.lower, t0]), np.array([*problem.domain.upper, t1])
    points = low + (high - low) * (0.2 + 0.6 * rng.random((4, len(low))))
    if statement.name in SHORT:  # the same formula over a few periods
        time = {"convection-10000": 3e-4}.get(statement.name, 3.0)
        points[:, -1] *= time / t1
        statement = record.Statement(
            name=statement.name,
            group="test",
            build=lambda: problem.replace(time=(0, time)),
            reference=statement.truth,
        )
    assert formula_residual(statement, points) < 1e-5


@pytest.mark.parametrize("statement", [*EXACT, *SOME], ids=ids)
def test_formula_starts_from_the_initial_data(statement):
    problem = statement.problem
    if statement.after > -math.inf:
        pytest.skip("the data contradict each other at the start")
    points = record.spread(problem.domain.lower, problem.domain.upper, 64)
    where = {n: points[:, i] for i, n in enumerate(problem.domain.names)}
    for name, function in statement.truth.functions.items():
        if problem.time_orders[name]:
            exact = function(**where, t=np.full(len(points), problem.time[0]))
            given = start(problem, name, points)
            assert np.allclose(given, exact, rtol=0, atol=1e-11 * np.abs(exact).max() + 1e-15)


def test_a_plucked_string_is_the_sum_of_its_modes():
    x, t, at = np.linspace(0.05, 0.95, 7), 0.37, 0.3
    n = np.arange(1, 20_001)[:, None]
    modes = 2 / (n * np.pi) ** 2 * np.sin(n * np.pi * at) / (at * (1 - at))
    total = np.sum(modes * np.sin(n * np.pi * x) * np.cos(n * np.pi * t), axis=0)
    assert np.allclose(formulas.plucked_string(x, t, at), total, atol=1e-4)


def test_two_forms_of_heat_solutions_meet():
    x = np.linspace(0, 1, 21)
    for function in (formulas.tent, formulas.quench):
        before, after = (function(x, formulas.SHORT * (1 + s)) for s in (-1e-12, 1e-12))
        assert np.abs(before - after).max() < 1e-10


def test_cole_hopf_agrees_with_quadrature_in_forty_digits():
    nu, statement = mpmath.mpf("0.01") / mpmath.pi, NAMED["burgers-shock"]
    formula = statement.truth.functions["u"]
    for x, t in ((0.013, 0.9), (-0.4, 0.5), (0.002, 0.31)):
        with mpmath.workdps(40):
            weight = lambda e, x=x, t=t: mpmath.exp(  # noqa: E731
                -mpmath.cos(mpmath.pi * (x - e)) / (2 * mpmath.pi * nu) - e**2 / (4 * nu * t)
            )
            ends = [-1, -0.5, -0.2, 0, 0.2, 0.5, 1]
            top = mpmath.quad(lambda e, x=x, w=weight: mpmath.sin(mpmath.pi * (x - e)) * w(e), ends)
            exact = -top / mpmath.quad(weight, ends)
        assert abs(float(formula(x, t)) - float(exact)) < 1e-12


# Stored references ------------------------------------------------------------------------------


@pytest.mark.parametrize("statement", STORED, ids=ids)
def test_stored_reference_is_known_ten_times_better_than_asked(statement):
    assert statement.reference.path.stat().st_size < 200_000
    sample = statement.sample
    assert sample.agreement <= 0.1 * min(goal.tol for goal in statement.wanted)
    assert sample.trusted > statement.problem.time[0]
    assert set(sample.values) == set(statement.problem.unknowns)
    for values in sample.values.values():
        assert values.shape == (len(sample.times), len(sample.points))
        assert np.isfinite(values).all()


@pytest.mark.parametrize("statement", [s for s in STORED if s.name != "cavity-100"], ids=ids)
def test_stored_reference_starts_from_the_initial_data(statement):
    sample, problem = statement.sample, statement.problem
    assert sample.times[0] == problem.time[0]
    assert sample.times[-1] == pytest.approx(problem.time[1])
    for name, values in sample.values.items():
        given = start(problem, name, sample.points)
        rough = 1e-3 if statement.after > -math.inf else 1e-5  # series of kinks
        assert np.abs(given - values[0]).max() < rough * np.abs(given).max()


@pytest.mark.parametrize("name", evolutions.RECIPES)
def test_evolution_is_that_of_the_statement(name):
    """The rates and products written by hand are those of the text: any smooth periodic state leaves no residual."""
    recipe, problem = evolutions.RECIPES[name](), NAMED[name].problem
    e = recipe.evolution.with_size(16, 1)
    assert e.time == pytest.approx(problem.time)
    grid, rng = fourier.Grid(e), np.random.default_rng(5)
    phases = rng.uniform(0, 6, (len(recipe.unknowns), len(e.lower)))
    wave = lambda p: sum(  # noqa: E731
        np.sin(2 * np.pi * (x - a) / length + q)
        for x, a, length, q in zip(grid.x, e.lower, e.lengths, p, strict=True)
    )
    state = np.stack([0.4 + 0.3 * wave(p) + (0 if e.real else 0.2j * wave(p + 1)) for p in phases])
    hat = grid.forward(state)
    rate = np.stack([np.broadcast_to(r, grid.mask.shape) for r in e.rates(*grid.k)])
    change = grid.back(rate * hat + np.stack(e.nonlinear(grid.back(hat), grid.forward, grid.k)))

    def jet_values(jet: Jet):
        i = recipe.unknowns.index(jet.unknown)
        if jet.index[-1]:
            values = change[i]
        else:
            factor = np.ones_like(hat[i])
            for k, order in zip(grid.k, jet.index[:-1], strict=True):
                factor = factor * (1j * k) ** order
            values = grid.back(factor * hat[i])
        values = values.imag if jet.field.endswith(".im") else values.real
        return values.ravel()

    points = np.column_stack([*(x.ravel() for x in grid.x), np.zeros(grid.x[0].size)])
    for row in problem.rows:
        values = {jet: jet_values(jet) for jet in row.jets}
        assert (
            np.abs(row.residual(points, values)).max() < 1e-10 * np.abs(row.magnitude(points, values)).max()
        )


def test_a_small_cavity_computation_agrees_with_the_stored_one():
    sample = NAMED["cavity-100"].sample
    small = cavity.Cavity(12).values(400, sample.points)
    for i, name in enumerate("uvp"):
        exact = sample.values[name]
        gap = small[:, i] - exact
        gap -= gap.mean(axis=1, keepdims=True) if name == "p" else 0
        assert np.linalg.norm(gap) < 5e-3 * np.linalg.norm(exact)


# Errors and the runner --------------------------------------------------------------------------


def test_error_of_a_known_perturbation():
    statement = NAMED["heat-two-modes"]
    exact = statement.truth.functions["u"]
    found = record.errors(statement, lambda x, t: {"u": 1.001 * exact(x, t)})
    assert found["error"] == pytest.approx(1e-3)
    assert found["final_error"] == pytest.approx(1e-3)


def test_a_pressure_counts_up_to_a_constant():
    statement = NAMED["taylor-green-pressure"]
    functions = statement.truth.functions

    def shifted(x, y, t):
        values = {n: f(x, y, t) for n, f in functions.items()}
        return values | {"p": values["p"] + 7 * np.cos(t)}

    assert record.errors(statement, shifted)["error"] < 1e-13


def test_weights_integrate_lines():
    times = record.instants(2.0, 5.0, 9)
    weights = record.trapezoid_weights(times)
    assert weights.sum() == pytest.approx(1)
    assert weights @ times == pytest.approx(3.5)


def test_runner_writes_rows_resumes_and_the_page_shows_them(tmp_path, capsys, monkeypatch):
    out = tmp_path / "field.jsonl"
    monkeypatch.setattr(run.harness, "source_mark", lambda: "mark")  # 3 s of parsing
    words = ["--only", "heat-two-modes", "kpp-wave", "--group", "first", "--tol", "1e-2", "--out", str(out)]
    run.main(words)
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert [r["statement"] for r in rows] == ["heat-two-modes", "kpp-wave"]
    for row in rows:
        assert row["met"], row["status"]
        assert row["error"] < 1e-2
        assert row["cpu_seconds"] > 0
        assert {"estimate", "seed", "method", "commit", "machine", "final_error", "warnings"} <= set(row)
    run.main(words)
    assert len(out.read_text(encoding="utf-8").splitlines()) == 2
    assert "2 done before" in capsys.readouterr().out
    text = page.page(run.load(out))
    assert "| kpp-wave |" in text
    assert "{{" not in text


def test_a_job_that_died_is_read_off_its_key():
    row = run.complete(
        {"key": "burgers-shock tol 1e-06 seed 3 method auto", "status": "killed", "met": False}
    )
    assert (row["statement"], row["tol"], row["seed"]) == ("burgers-shock", 1e-6, 3)


def test_false_claims_are_counted():
    goal = record.Goal(1e-6, 1.0)
    rows = [
        {"met": True, "error": 2e-6, "tol": 1e-6, "cpu_seconds": 3.0, "status": "tolerance met"},
        {"met": False, "error": 2e-6, "tol": 1e-6, "cpu_seconds": 3.0, "status": "tolerance not met"},
    ]
    assert sum(map(page.false_claim, rows)) == 1
    assert page.verdict(rows, goal) == "1 of 2 (late)"
