# SPDX-License-Identifier: MIT
"""From text to compiled rows takes no time that a user would notice."""

import time

import pytest

from lrfm import Box, Problem, catalog

pytestmark = pytest.mark.exclusive
TYPICAL, CATALOG = 0.2, 0.3  # seconds of processor time; measured: 0.003 to 0.08, and 0.09 at most


def compile_rows(problem):
    """All that a solver asks of the rows before it has a number."""
    for row in (*problem.rows, *(row for rows in problem.face_rows.values() for row in rows)):
        assert set(row.frechet) == set(row.nonlinear_jets)
        assert set(row.frozen) <= set(row.nonlinear_jets)
        _ = (row._affine_program, row._newton_program, row._picard_program, row._full_program)


def seconds(build):
    start = time.process_time()
    compile_rows(build())
    return time.process_time() - start


def state(equation, **changes):
    statement = dict(domain=Box(x=(-1, 1)), time=(0, 1), initial="0", boundary=None)
    return lambda: Problem(equation, **statement | changes)


@pytest.fixture(scope="module", autouse=True)
def loaded():
    """What is loaded at the first statement is not counted."""
    state("u_t = u_xx + u*u")()


@pytest.mark.parametrize(
    "build",
    [
        state("u_t = eps*u_xx - u**3 + u", parameters={"eps": 1e-4}, boundary="periodic"),
        state("1j*psi_t + 0.5*psi_xx + abs(psi)**2*psi = 0", unknowns={"psi": complex}, boundary="periodic"),
        state(
            ["u_t = Du*lap(u) - u*v**2 + F*(1 - u)", "v_t = Dv*lap(v) + u*v**2 - (F + k)*v"],
            domain=Box(x=(0, 1), y=(0, 1)), parameters={"Du": 1e-5, "Dv": 5e-6, "F": 0.04, "k": 0.06},
            initial={"u": "1", "v": "0"}, boundary={"*": ["u_n = 0", "v_n = 0"]},
        ),
        state("u_t = lap(u**3 - u - 0.01*lap(u))", domain=Box(x=(0, 1), y=(0, 1), z=(0, 1))),
        state("u_t = u_xx + exp(-10000*t)*(10000*sin(3*pi*x) + cos(200*x)**3/(1 + x**2)) + tanh(x/t)**5"),
        state("u_t = diff((1 + u**2)**0.5*u_x, x) + u_xx/(1 + u_x**2)**1.5", boundary="u = 0"),
    ],
    ids=["allen-cahn", "nls", "gray-scott", "cahn-hilliard-3d", "multi-scale source", "curvature"],
)  # fmt: skip
def test_typical_statements(build):
    assert min(seconds(build) for _ in range(3)) < TYPICAL


@pytest.mark.parametrize("name", catalog.names())
def test_catalog_entries(name):
    assert min(seconds(lambda: catalog.get(name)) for _ in range(2)) < CATALOG
