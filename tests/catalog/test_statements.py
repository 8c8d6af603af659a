# SPDX-License-Identifier: MIT
"""Every reference satisfies its own equations, initial and boundary data, as written.

The statements are read here by Python itself, not by `lrfm.problem`, and derivatives of the references are
taken by interpolation at Chebyshev points around each test point (several radii; the best one counts).
"""

import functools
import inspect
import re

import numpy as np
import pytest
from numpy.polynomial import chebyshev

from lrfm import catalog

# What an entry computes for its reference is kept in a process: one worker makes it once for all these tests.
pytestmark = pytest.mark.xdist_group("catalog")
RADII = (0.1, 0.03, 0.01, 1e-3, 1e-4)  # half widths of the stencils as parts of the axis
NODES = 17
EQUATION = 1e-7  # tolerance relative to the largest derivative at the point
DATA = 1e-11
SLOPES = 1e-8
# The paper's statement contradicts its reference on the boundary (tested in test_references.py).
CONTRADICTORY = {"kdv"}
KNOWN = [entry.name for entry in catalog.entries() if entry.reference != "none"]

FUNCTIONS = {
    **{f: getattr(np, f) for f in ("sin", "cos", "exp", "tanh", "sqrt", "abs", "conj", "pi")},
    "sech": lambda z: 1 / np.cosh(z),
    "atan": np.arctan,
}


@functools.cache
def stencil(order):
    """Points on [-1, 1] and weights of the derivative at 0."""
    points = chebyshev.chebpts1(NODES)
    unit = np.eye(NODES)
    row = np.array([chebyshev.chebval(0.0, chebyshev.chebder(unit[j], order)) for j in range(NODES)])
    return points, np.linalg.solve(chebyshev.chebvander(points, NODES - 1).T, row)


class Names(dict):
    """What names mean at given points: coordinates, parameters, functions, derivatives of the references."""

    def __init__(self, problem, points, radius, face=None):
        super().__init__(FUNCTIONS | dict(problem.parameters) | points)
        self.points, self.face = points, face
        self.widths = {a: radius * (hi - lo) for a, (lo, hi) in problem.domain.axes.items()}
        self.widths["t"] = radius * (problem.time[1] - problem.time[0])
        single = {next(iter(problem.unknowns)): problem.reference}
        self.references = problem.reference if isinstance(problem.reference, dict) else single
        self.scale = np.zeros_like(points["t"])

    def __missing__(self, name):
        unknown, _, letters = name.partition("_")
        sign = 1
        if "n" in letters:
            axis, side = self.face[:-1], self.face[-1]
            sign = (1 if side == "+" else -1) ** letters.count("n")
            letters = letters.replace("n", axis)
        value = sign * self.derivative(unknown, letters)
        self.scale = np.maximum(self.scale, np.abs(value))
        self[name] = value
        return value

    def derivative(self, unknown, letters):
        axes = sorted(set(letters))
        points = {name: p.reshape(p.shape + (1,) * len(axes)) for name, p in self.points.items()}
        weights = []
        for i, axis in enumerate(axes):
            offsets, weight = stencil(letters.count(axis))
            shape = tuple(-1 if i == j else 1 for j in range(len(axes)))
            points[axis] = points[axis] + self.widths[axis] * offsets.reshape(shape)
            weights.append(weight / self.widths[axis] ** letters.count(axis))
        values = self.references[unknown](**points)
        values = np.broadcast_to(
            values, np.broadcast_shapes(values.shape, *(p.shape for p in points.values()))
        )
        for weight in reversed(weights):
            values = values @ weight
        return values

    def read(self, text):
        return eval(text, {"__builtins__": {}}, self)


def residual(problem, text, points, face=None):
    """|lhs - rhs| at each point, relative to the largest value that occurs in it, with the best stencil."""
    laplacian = lambda match: "(" + " + ".join(f"{match[1]}_{a}{a}" for a in problem.domain.names) + ")"  # noqa: E731
    lhs, rhs = re.sub(r"lap\((\w+)\)", laplacian, text).split("=")
    best = np.full_like(points["t"], np.inf)
    for radius in RADII:
        names = Names(problem, points, radius, face)
        gap = np.abs(names.read(lhs) - names.read(rhs))
        best = np.minimum(best, gap / np.maximum(names.scale, 1e-3 * names.scale.max()))
    return best.max()


def sample(problem, rng, size=12):
    """Random points away from the faces and, for stencils in time, from start and end."""
    points = {a: rng.uniform(lo + 0.02 * (hi - lo), hi, size) for a, (lo, hi) in problem.domain.axes.items()}
    start, end = problem.time
    return points | {"t": start + (end - start) * rng.uniform(0.11, 0.89, size)}


def face_conditions(problem):
    """{"x-": [texts or dictionaries]} from any form of `boundary`, without periodic axes."""
    given = problem.boundary if isinstance(problem.boundary, dict) else {"*": problem.boundary}
    conditions = {}
    for face in problem.domain.faces:
        value = given.get(face, given.get(face[:-1], given.get("*")))
        conditions[face] = (
            [] if value in (None, "periodic") else value if isinstance(value, list) else [value]
        )
    return conditions


def call(function, points):
    wanted = inspect.signature(function).parameters
    return function(**{name: points[name] for name in wanted})


@pytest.mark.parametrize("name", KNOWN)
def test_reference_satisfies_the_equations(name, rng):
    problem = catalog.get(name)
    for text in problem.equations:
        assert residual(problem, text, sample(problem, rng)) < EQUATION


@pytest.mark.parametrize("name", ["multiscale-1d", "multiscale-3d"])
def test_fast_relaxation_is_in_the_source(name, rng):
    problem = catalog.get(name)
    points = sample(problem, rng) | {"t": np.geomspace(1e-5, 1e-3, 12)}
    assert residual(problem, problem.equations[0], points) < EQUATION


@pytest.mark.parametrize("name", KNOWN)
def test_reference_satisfies_the_initial_data(name, rng):
    problem = catalog.get(name)
    points = sample(problem, rng, 40)
    points["t"] = np.full(40, problem.time[0])
    given = problem.initial
    given = given if isinstance(given, dict) else {next(iter(problem.unknowns)): given}
    best = dict.fromkeys(given, np.inf)
    for radius in RADII:
        names = Names(problem, points, radius)
        for unknown, datum in given.items():
            value = call(datum, points) if callable(datum) else names.read(datum)
            gap = np.abs(names[unknown] - value).max() / max(1.0, names.scale.max())
            best[unknown] = min(best[unknown], gap)
    assert all(gap < (SLOPES if "_" in unknown else DATA) for unknown, gap in best.items()), best


@pytest.mark.parametrize("name", KNOWN)
def test_reference_satisfies_the_boundary_data(name, rng):
    problem = catalog.get(name)
    for face, conditions in face_conditions(problem).items():
        points = sample(problem, rng)
        points[face[:-1]] = np.full(12, problem.domain.axes[face[:-1]][face[-1] == "+"])
        for condition in conditions:
            if isinstance(condition, dict):
                names = Names(problem, points, RADII[0])
                for unknown, function in condition.items():
                    assert np.abs(names[unknown] - call(function, points)).max() < DATA
            else:
                assert boundary_gap(problem, condition, points, face) < SLOPES


def boundary_gap(problem, text, points, face):
    """|lhs - rhs| on a face relative to one: the solutions of the catalog are of that size."""
    lhs, rhs = text.split("=")
    gaps = []
    for radius in RADII[:3]:
        names = Names(problem, points, radius, face)
        gaps.append(np.abs(names.read(lhs) - names.read(rhs)).max())
    return min(gaps)


@pytest.mark.parametrize("name", [n for n in KNOWN if n not in CONTRADICTORY])
def test_periodic_references_are_periodic(name, rng):
    problem = catalog.get(name)
    for axis in problem.periodic:
        ends = []
        for end in problem.domain.axes[axis]:
            points = sample(problem, np.random.default_rng(5)) | {axis: np.full(12, end)}
            names = Names(problem, points, 0.02)
            ends.append([names[u + d] for u in problem.unknowns for d in ("", f"_{axis}")])
        assert np.abs(np.array(ends[0]) - np.array(ends[1])).max() < 1e-9


@pytest.fixture
def rng():
    return np.random.default_rng(2024)
