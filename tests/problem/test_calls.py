# SPDX-License-Identifier: MIT
"""Arguments that do not exist, or have no name: a TypeError that names the one to write."""

import re

import pytest

import lrfm
from lrfm.problem.calls import naming

HEAT = lrfm.Problem(
    "u_t = u_xx", domain=lrfm.Box(x=(0, 1)), time=(0, 0.1), initial="sin(pi*x)", boundary="u = 0"
)


@pytest.fixture(scope="module")
def solution():
    return lrfm.solve(HEAT, tol=1e-2, estimate=True)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: lrfm.solve(HEAT, rtol=1e-3), "`solve` has no argument `rtol`; write `tol=0.001`"),
        (
            lambda: lrfm.solve(HEAT, 1e-6),
            "`solve` takes `problem` without a name; name what follows: write `tol=1e-06`",
        ),
        (lambda: lrfm.solve(HEAT, "lines"), "name what follows. It takes `problem`, `tol`, "),
        (lambda: lrfm.solve(), "`solve` needs `problem`"),
        (lambda: lrfm.solve(HEAT, problem=HEAT), "was given `problem` twice"),
        (lambda: lrfm.solve(HEAT, timeout=3), "write `max_seconds=3`"),
        (lambda: lrfm.solve(HEAT, sed=3), "write `seed=3`"),
        (
            lambda: lrfm.solve(HEAT, nx=100),
            "leave it out, since grids, steps and sizes are chosen from `tol`",
        ),
        (lambda: lrfm.solve(HEAT, flux_capacitor=1), "`solve` has no argument `flux_capacitor`. It takes"),
        (lambda: lrfm.plan(HEAT, tolerance=1e-3), "`plan` has no argument `tolerance`; write `tol=0.001`"),
        (lambda: lrfm.fit(HEAT), "`fit` needs `data`"),
        (lambda: lrfm.family(HEAT, rtol=1e-3), "`family` has no argument `rtol`; write `tol=0.001`"),
        (lambda: lrfm.operator(HEAT, rtol=1e-3), "write `tol=0.001`"),
        (lambda: lrfm.sweep(HEAT, n=3), "`sweep` has no argument `n`"),
        (lambda: lrfm.load(), "`load` needs `path`"),
        (lambda: lrfm.load(file="u.lrfm"), "write `path='u.lrfm'`"),
        (lambda: lrfm.Disk(r=2), "`Disk` has no argument `r`; write `radius=2`"),
        (lambda: lrfm.Disk(2.0), "`Disk` takes nothing without a name"),
        (lambda: lrfm.Ball(centre=(0, 0, 0)), "`Ball` has no argument `centre`; write `center=(0, 0, 0)`"),
    ],
)
def test_the_argument_to_write_is_named(call, said):
    with pytest.raises(TypeError, match=re.escape(said)):
        call()


@pytest.mark.parametrize(
    ("method", "given", "said"),
    [
        ("plot", {"time": 0.1}, "`plot` has no argument `time`; write `times=0.1`"),
        ("plot", {"figsize": (3, 2)}, "write `size=(3, 2)`"),
        ("animate", {"n": 5}, "`animate` has no argument `n`; write `frames=5`"),
        ("integral", {"axis": "x"}, "`integral` has no argument `axis`; write `over='x'`"),
        ("save", {}, "`save` needs `path`. It takes `path`."),
        ("save", {"filename": "u.lrfm"}, "write `path='u.lrfm'`"),
    ],
)
def test_methods_of_a_solution_name_theirs(solution, method, given, said):
    with pytest.raises(TypeError, match=re.escape(said)):
        getattr(solution, method)(**given)


def test_a_mistake_inside_keeps_its_own_words():
    @naming
    def divided(a, *, by=1):
        return a / by

    assert divided(3, by=2) == 1.5
    with pytest.raises(TypeError, match="unsupported operand"):
        divided("3", by=2)
