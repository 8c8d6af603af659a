# SPDX-License-Identifier: MIT
"""The equations of first variation: rows of δ against difference quotients of rows of u."""

import numpy as np
import pytest

import lrfm
from lrfm.problem import Jet
from lrfm.problem.free import seed_of
from lrfm.problem.variations import Direction, moved, with_variations


def stated(k=0.7, a=2.0):
    return lrfm.Problem(
        ["u_t = k**2*lap(u) + a*u*abs(v)**2", "1j*v_t = a*v_yy - abs(v)**2*v + u"],
        domain=lrfm.Box(x=(0, 1), y=(0, 2)),
        time=(0, 1),
        initial={"u": "exp(k*x)*y", "v": "sin(pi*x)*exp(1j*a*y)"},
        boundary={"x": ["u_n = a*u**2", "v = k"], "y": ["u = k", "v_n = 1j*k*v"]},
        unknowns={"v": complex},
        parameters={"k": k, "a": a},
        check_corners=False,
    )


@pytest.mark.parametrize("name", ["k", "a"])
def test_rows_and_data_are_derivatives_along_a_direction(name):
    """d/dε F(p + ε s, u + ε δ) by central differences, with random u and δ, of equations, conditions and data."""
    plain = stated()
    both = with_variations(plain, [Direction(name, (name,), seed_of(name))])
    rng, scale, step = np.random.default_rng(0), abs(plain.parameters[name]), 1e-5
    points = rng.random((20, 3)) * [1, 2, 1]
    jets = {jet for row in plain.all_rows for jet in row.jets}
    u, d = ({jet: rng.normal(size=20) for jet in sorted(jets)} for _ in range(2))
    whole = {**u, **{Jet(moved(jet.field, 0), jet.index): values for jet, values in d.items()}}
    near = [stated(**{**plain.parameters, name: plain.parameters[name] + e * scale}) for e in (-step, step)]
    pairs = [(plain.rows, both.rows, [p.rows for p in near])]
    pairs += [
        (plain.face_rows[f], both.face_rows[f], [p.face_rows[f] for p in near]) for f in plain.face_rows
    ]
    for ours, all_rows, others in pairs:
        assert all_rows[: len(ours)] == ours
        for row, low, high in zip(all_rows[len(ours) :], *others, strict=True):
            values = [
                r.residual(points, {j: u[j] + e * d[j] for j in u})
                for r, e in zip((low, high), (-step, step), strict=True)
            ]
            found = row.residual(points, {jet: whole[jet] for jet in row.jets})
            np.testing.assert_allclose(found, (values[1] - values[0]) / (2 * step), rtol=1e-6, atol=1e-7)
    start = np.column_stack([points[:, :2], np.zeros(20)])
    for unknown, level in plain.initial_data:
        low, high = (p.initial_data[unknown, level](start) for p in near)
        found = both.initial_data[moved(unknown, 0), level](start)
        np.testing.assert_allclose(found, (high - low) / (2 * step), rtol=1e-6, atol=1e-8)


def test_names_of_parts_and_sides():
    assert moved("psi.re@core", 2) == "psi~2.re@core"
    with pytest.raises(lrfm.ProblemError, match="means, memory and delays"):
        with_variations(lrfm.Problem("x_t = -x(t - 1)", time=(0, 1), initial="1"), [])
