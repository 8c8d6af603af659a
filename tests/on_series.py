# SPDX-License-Identifier: MIT
"""What tests of series share: statements on boxes, their discretizations, solves."""

import numpy as np

import lrfm
from lrfm.discretize.evolution import EvolutionSystem
from lrfm.discretize.spectral import SpectralDiscretization, SpectralForm
from lrfm.spaces.series import Modes

PI = np.pi
SERIES = lrfm.Lines(space="series")


def box(equations, initial, boundary="periodic", *, time=(0.0, 1.0), length=2 * PI, axes="xy", **more):
    """A statement on a square or cube."""
    domain = lrfm.Box(**{name: (0.0, length) for name in axes})
    return lrfm.Problem(equations, domain=domain, time=time, initial=initial, boundary=boundary, **more)


def discretized(problem, count=6):
    """The statement with so many modes along each axis."""
    form = SpectralForm(EvolutionSystem(problem))
    low, high = (tuple(map(float, end)) for end in (problem.domain.lower, problem.domain.upper))
    return SpectralDiscretization(form, Modes(low, high, form.periodic, (count,) * form.dimension))


def solved(problem, tol, **more):
    return lrfm.solve(problem, tol=tol, method=SERIES, **more)


def relative(solution, exact, name="u", count=2000):
    """‖u − exact‖/‖exact‖ at random points of space and time."""
    problem = solution.problem
    rng, (start, end) = np.random.default_rng(5), problem.time
    places = problem.domain.lower + (problem.domain.upper - problem.domain.lower) * rng.random(
        (count, problem.domain.dimension)
    )
    times = start + (end - start) * rng.random(count)
    at = dict(zip(problem.domain.names, places.T, strict=True))
    found = (
        solution[name](**at, t=times) if name != "u" or len(problem.unknowns) > 1 else solution(**at, t=times)
    )
    wanted = exact(*places.T, times)
    return float(np.linalg.norm(found - wanted) / np.linalg.norm(wanted))
