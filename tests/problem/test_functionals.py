# SPDX-License-Identifier: MIT
"""Means, integrals, values at a place and unknowns of some coordinates: what is read, and what is said where nothing can be meant."""

import pytest

from lrfm import Box, Disk, Problem, ProblemError
from lrfm.problem.file import parse

GOOD = dict(domain=lambda: Box(x=(0, 2)), time=(0, 1), initial="1", boundary="u_n = 0")
TANK = dict(equation=["u_t = u_xx", "T_t = at(u, x, 2) - T"], initial={"u": 0, "T": 1}, unknowns={"T": "t"})


def problem(equation="u_t = u_xx", **changes):
    given = {"equation": equation, **GOOD, **changes}
    return Problem(**{**given, "domain": given["domain"]()})


def test_an_integral_is_a_mean_times_the_length_and_each_is_found_once():
    read = problem("u_t = u_xx - u*mean(u) + integral(u, x) - mean(u**2)")
    assert sorted(f.field for f in read.functionals) == ["mean(u ** 2)", "mean(u)"]
    assert not read.local
    assert not read.linear
    assert problem("u_t = u_xx + 2*mean(u) - integral(u)").rows[0].jets == problem().rows[0].jets


def test_a_mean_of_what_does_not_vary_is_itself():
    read = problem(**{**TANK, "equation": ["u_t = u_xx", "T_t = mean(T) - at(T, x, 1) + mean(t)"]})
    assert read.functionals == ()


def test_total_derivatives_pass_over_what_does_not_vary():
    read = problem("u_t = diff(mean(u)*u_x, x) + lap(mean(u))")
    by_hand = problem("u_t = mean(u)*u_xx")
    assert {jet.field: jet.index for jet in read.rows[0].jets} == {
        jet.field: jet.index for jet in by_hand.rows[0].jets
    }


def test_a_file_says_the_same():
    read = problem(**TANK)
    again = parse(read.to_toml()).problem
    assert again.unknowns == read.unknowns == {"u": float, "T": "t"}
    assert [f.field for f in again.functionals] == [f.field for f in read.functionals]
    assert read.replace(time=(0, 2)).unknowns["T"] == "t"


WRONG = [
    (dict(equation="u_t = u_xx + mean(u, t)"), "The equation: `mean` was asked to integrate along `t`;"),
    (
        dict(equation="u_t = u_xx + mean(u, 2)"),
        "The equation: `mean` was asked to integrate along a formula;",
    ),
    (
        dict(equation="u_t = u_xx + integral()"),
        "The equation: `integral` was given no formula; write `integral(u)`.",
    ),
    (dict(equation="u_t = u_xx + at(u, x, 3)"), "The equation: `at` looks at x = 3, outside of the domain,"),
    (dict(equation="u_t = u_xx + at(u, 1)"), "The equation: `at` takes a formula, an axis and a number;"),
    (
        dict(equation="u_t = u_xx + average(u)"),
        "The equation: the function `average` is not known. Did you mean `mean`?",
    ),
    (
        dict(initial="mean(x)"),
        "`initial` of `u` contains `mean`, which has its place in equations and boundary",
    ),
    (dict(TANK, unknowns={"T": "q"}), "The unknown `T` was declared as 'q'; expected `float` or `complex`:"),
    (
        dict(TANK, equation=["u_t = u_xx", "T_t = u - T"]),
        "1 unknown is a function of `t`: `T`; 0 equations are about",
    ),
    (
        dict(TANK, equation=["u_t = u_xx", "T_t = T_xx"]),
        "`T_xx` differentiates `T` by `x`, but `T` was declared",
    ),
    (
        dict(TANK, initial={"u": 0, "T": "x"}),
        "`initial` of `T` contains `x`, but `T` was declared as a function of",
    ),
    (
        dict(TANK, equation=["u_t = u_xx", "mean(u) = 1"], initial="1"),
        "The unknown `T` is declared in `unknowns`, but occurs neither in the equations nor in `boundary`;",
    ),
    (
        dict(equation="u_t = lap(u) - mean(u, x)", domain=Disk),
        "The equation: `mean` takes means along single axes, which is for boxes;",
    ),
]


@pytest.mark.parametrize(("changes", "said"), WRONG, ids=[said[:40] for _, said in WRONG])
def test_what_cannot_be_meant_gets_a_sentence(changes, said):
    with pytest.raises(ProblemError) as caught:
        problem(**changes)
    assert str(caught.value).startswith(said)
