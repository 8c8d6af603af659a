# SPDX-License-Identifier: MIT
"""What is left of an error: sums over later times, and the bound at which they are not looked at any more."""

import numpy as np

import lrfm
from lrfm.adapt.plane import PlaneAdapter
from lrfm.adapt.plane_given import PlaneGiven
from lrfm.discretize.options import Options
from lrfm.discretize.plane.constraint import PlaneSystem
from lrfm.discretize.plane.galerkin import PlaneGalerkin
from lrfm.integrate.estimator import Estimator
from lrfm.solver.formulations.plane import PlaneFormulation


def test_a_sum_that_is_not_finished_is_a_bound():
    problem = lrfm.Problem("u_t = lap(u)", domain=lrfm.Disk(), time=(0, 1), initial="1", boundary="u = 0")
    form, options = PlaneFormulation(PlaneSystem(problem)), Options(tol=1e-1)
    adapter = PlaneAdapter(form.layout(options), PlaneGiven(form.system), options)
    space, y = adapter.initial()
    made = PlaneGalerkin(adapter.layout, space)
    pencil, estimator = made.linearize(0.0, y, y), Estimator(adapter, options, (0.0, 1.0))
    rough = np.random.default_rng(0).standard_normal(y.shape)
    whole = np.sum(estimator._left(made, pencil, rough, 1e-4, 0.0))
    asked, bounds = [], []
    for enough in (1, 2, 3):

        def within(left: np.ndarray, enough: int = enough) -> bool:
            asked.append(enough)
            return asked.count(enough) == enough

        found = np.sum(estimator._left(made, pencil, rough, 1e-4, 0.0, within))
        assert asked.count(enough) == enough  # later times are not looked at
        assert whole * (1 - 1e-2) <= found
        bounds.append(found)
    assert bounds[0] > bounds[1] > bounds[2]
