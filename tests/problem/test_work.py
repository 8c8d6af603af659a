# SPDX-License-Identifier: MIT
"""Reading a statement takes work in proportion to its length: parts of formulas are counted, not seconds."""

import pytest

from lrfm import Box, Problem, catalog
from lrfm.problem.algebra import Expr

MOST = 1_000  # parts built for any statement of the catalog, its Fréchet and Picard coefficients included


@pytest.fixture
def parts_built(monkeypatch):
    """How many parts of formulas are built until all that a solver asks of the rows is there."""
    count = [0]
    build = Expr.__init__

    def counting(self, *arguments):
        count[0] += 1
        build(self, *arguments)

    monkeypatch.setattr(Expr, "__init__", counting)

    def of(state):
        count[0] = 0
        for row in state().all_rows:
            assert set(row.frechet) == set(row.nonlinear_jets)
            assert set(row.frozen) <= set(row.nonlinear_jets)
        return count[0]

    return of


@pytest.mark.parametrize("name", catalog.names())
def test_statements_of_the_catalog_are_short(parts_built, name):
    assert 5 < parts_built(lambda: catalog.get(name)) < MOST


def state(right, **changes):
    statement = dict(domain=Box(x=(-1, 1)), time=(0, 1), initial="0", boundary=None)
    return lambda: Problem(right, **statement | changes)


@pytest.mark.parametrize(
    ("begin", "glue", "term"),
    [
        ("u_t = ", " + ", "{i}*u**{i}"),
        ("u_t = ", "*", "(u + {i})"),
        ("u_t = u_xx + ", " + ", "sin({i}*x)*exp({i}*t)"),
        ("1j*u_t = u_xx + ", " + ", "{i}*sin(x)**{i}*u"),
    ],
    ids=["sum of powers", "product", "source", "complex"],
)
def test_work_grows_with_the_number_of_terms(parts_built, begin, glue, term):
    kind = complex if "1j" in begin else float
    short, long = (
        parts_built(state(begin + glue.join(term.format(i=i) for i in range(2, n)), unknowns={"u": kind}))
        for n in (22, 62)
    )
    assert short < long < 3.2 * short
