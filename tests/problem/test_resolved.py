# SPDX-License-Identifier: MIT
"""Panels on which given functions are polynomials: they integrate what is thin, wherever it is and however it was given."""

import math

import numpy as np
import pytest

from lrfm.problem import Box, Problem
from lrfm.problem.landmarks import along
from lrfm.problem.resolved import changed_places, named_places, resolve, resolve_lines

SHAPES = {
    "exp(-((x - {c})/{w})**2)": math.sqrt(math.pi),
    "sech((x - {c})/{w})**2": 2.0,
    "1/(1 + ((x - {c})/{w})**2)": math.pi,
    "exp(-((x - {c})/{w})**2)*cos(3*(x - {c})/{w})": math.sqrt(math.pi) * math.exp(-9 / 4),
    "where(abs(x - {c}) < {w}, 1, 0)": 2.0,
}


def source(text):
    """The row of u_t = u_xx + text, and its source as a function of x."""
    problem = Problem(
        f"u_t = u_xx + {text}", domain=Box(x=(0, 1)), time=(0, 1), initial="0", boundary="u = 0"
    )
    (row,) = problem.rows
    return row, lambda x: -row.affine(np.column_stack([x, 0 * x]))[0][None]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("width", [1e-2, 1e-4, 1e-6])
@pytest.mark.parametrize("center", [0.5091, 0.123457, 0.811793])
def test_the_integral_of_a_pulse_that_a_formula_names(shape, width, center):
    row, g = source(shape.format(c=center, w=width))
    (places,) = named_places([row.expression], row.coordinates, np.array([[0.5, 0.5]]), 0, 0.0, 1.0)
    panels = resolve(g, 0.0, 1.0, places)
    x, w = panels.rule(8)
    assert panels.complete
    whole = SHAPES[shape]
    if shape.startswith("1/"):  # its tails reach out of (0, 1)
        whole = math.atan((1 - center) / width) + math.atan(center / width)
    assert w.ravel() @ g(x.ravel())[0] == pytest.approx(
        width * whole, rel=1e-4 if shape.startswith("1/") else 1e-5
    )


@pytest.mark.parametrize("width", [1e-2, 1e-4, 1e-5, 2e-6])
@pytest.mark.parametrize("center", [0.5091, 0.123457, 0.811793])
def test_a_function_is_scanned(width, center):
    """Of a function nothing is known but its values."""

    def g(x):
        return (np.sin(x) + 3 * np.exp(-(((x - center) / width) ** 2)))[None]

    x, w = resolve(g, 0.0, 1.0, changed_places(g, 0.0, 1.0)).rule(8)
    expected = 1 - math.cos(1) + 3 * width * math.sqrt(math.pi)
    assert w.ravel() @ g(x.ravel())[0] == pytest.approx(expected, abs=1e-5 * width + 1e-9)


def test_every_top_of_a_comb_is_named():
    row, _ = source("cos(20*pi*x)**400")
    (places,) = named_places([row.expression], row.coordinates, np.array([[0.5, 0.5]]), 0, 0.0, 1.0)
    assert np.sort(places) == pytest.approx(np.arange(1, 20) / 20, abs=1e-7)


@pytest.mark.parametrize("away", [3e-7, 7e-6, 2e-4])
@pytest.mark.parametrize("shape", ["exp(-((x - {c})/{w})**2)", "sech((x - {c})/{w})**2"])
def test_a_pulse_between_an_end_and_the_first_sample_is_named(shape, away):
    """The samples of the inner function, 1025 and 4097 of them, fall towards the end and never rise again."""
    for center in (away, 1 - away):
        row, _ = source(shape.format(c=center, w=away / 10))
        (places,) = named_places([row.expression], row.coordinates, np.array([[0.5, 0.5]]), 0, 0.0, 1.0)
        assert np.min(np.abs(np.array(places) - center)) < 1e-3 * away
        assert np.min(np.abs(along([row.expression], "x", 0.0, 1.0) - center)) < 1e-3 * away


def test_an_end_at_which_a_function_is_largest_is_no_place_inside():
    row, _ = source("exp(-5*x) + exp(3*x)")
    assert len(along([row.expression], "x", 0.0, 1.0)) == 0


def test_panels_come_closer_to_a_jump_from_both_sides():
    row, g = source("where(x > 0.37, 10, 0)")
    (places,) = named_places([row.expression], row.coordinates, np.array([[0.5, 0.5]]), 0, 0.0, 1.0)
    edges = resolve(g, 0.0, 1.0, places).edges
    near = edges[np.abs(edges - 0.37) < 1e-3]
    assert np.sum(near < 0.37 - 1e-8) > 10
    assert np.sum(near > 0.37 + 1e-8) > 10


def test_what_has_no_panels_is_said_to_have_none():
    rng = np.random.default_rng(0)
    assert not resolve(lambda x: rng.random((1, len(x))), 0.0, 1.0).complete


def test_smooth_functions_have_no_thin_panels():
    panels = resolve(lambda x: np.array([np.sin(30 * x), np.exp(x)]), 0.0, 1.0)
    assert panels.complete
    assert not panels.thin(1e-2).any()


@pytest.mark.parametrize("center", [0.625 + 1e-4, 0.625 - 1e-4, 0.25 + 1e-6])
def test_a_panel_that_is_narrow_by_chance_is_not_thin(center):
    """The top of what is wide lies beside the end of an eighth: panels are narrow there, and nothing is thin."""
    smooth = resolve(lambda x: np.exp(-(((x - center) / 0.2) ** 2))[None], 0.0, 1.0, [center])
    assert np.diff(smooth.edges).min() < 1e-3
    assert not smooth.thin(1e-2).any()
    pulse = resolve(lambda x: np.exp(-(((x - center) / 1e-3) ** 2))[None], 0.0, 1.0, [center])
    middles = 0.5 * (pulse.edges[1:] + pulse.edges[:-1])
    near = np.abs(middles - center) < 1e-3
    assert near.any()
    assert pulse.thin(1e-2)[near].all()


def test_lines_are_resolved_together_as_each_of_them_alone():
    """A needle that goes from line to line, and is none on the last one: as many evaluations as the deepest line asks for."""
    centers, widths, calls = np.linspace(0.1, 0.9, 30), np.geomspace(1e-4, 0.1, 30), []
    function = lambda x, c, w: np.stack([np.exp(-(((x - c) / w) ** 2)), np.cos(3 * x)])  # noqa: E731

    def values(lines, x):
        calls.append(len(x))
        return function(x, centers[lines], widths[lines])

    together = resolve_lines(values, 0.0, 1.0, [[c] for c in centers])
    rounds = []
    for c, w, found in zip(centers, widths, together, strict=True):
        before = len(calls)
        alone = resolve(
            lambda x, c=c, w=w: values(np.zeros(len(x), int), x) * 0 + function(x, c, w), 0.0, 1.0, [c]
        )
        rounds.append(len(calls) - before)
        assert found.complete
        np.testing.assert_array_equal(found.edges, alone.edges)
        np.testing.assert_array_equal(found.begun, alone.begun)
    assert len(calls) - sum(rounds) == max(rounds)


def test_a_line_without_panels_leaves_the_others_theirs():
    rng = np.random.default_rng(0)
    rough, smooth = resolve_lines(
        lambda n, x: np.where(n == 0, rng.random(len(x)), x)[None], 0.0, 1.0, [[], []]
    )
    assert not rough.complete
    assert smooth.complete
    assert len(smooth.edges) == 9
