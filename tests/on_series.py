# SPDX-License-Identifier: MIT
"""What tests of series share: statements on boxes, their discretizations, solves."""

import numpy as np

import lrfm
from lrfm.discretize.box.spectral import SpectralDiscretization
from lrfm.discretize.box.spectral_form import SpectralForm
from lrfm.discretize.box.walls import WalledDiscretization
from lrfm.discretize.evolution import EvolutionSystem
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


def strip(equations, initial, boundary, *, time=(0.0, 1.0), **more):
    """A statement between walls: 0 ≤ x ≤ 2π, 0 ≤ y ≤ 1."""
    domain = lrfm.Box(x=(0.0, 2 * PI), y=(0.0, 1.0))
    return lrfm.Problem(equations, domain=domain, time=time, initial=initial, boundary=boundary, **more)


def walled(problem, count=6):
    """The statement with so many modes along all axes, or each, polynomials along the last one."""
    form = SpectralForm(EvolutionSystem(problem), (problem.domain.dimension - 1,))
    low, high = (tuple(map(float, end)) for end in (problem.domain.lower, problem.domain.upper))
    counts = count if isinstance(count, tuple) else (count,) * form.dimension
    return WalledDiscretization(form, Modes(low, high, form.periodic, counts, form.polynomial))
