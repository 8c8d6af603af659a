# SPDX-License-Identifier: MIT
"""lrfm: to a tolerance with nothing set, or with the catalog's fixed parts at several sizes.

Two ways: `{"tol": 1e-6}` is all a user has to say. `{"parts": 1.5}` takes the parts of catalog/parts.toml with the
number of features and of points scaled, the situation after a first solve of a problem; `estimate` switches the
second draw off, so that no error is claimed, as none of the peers claims one.
"""

import dataclasses

import answer
import numpy as np

import lrfm

POINTS = {1: 200, 2: 30}  # per axis, at which the answer is wanted


def scaled(parts, factor):
    """The same parts with more or fewer features, rows in proportion."""

    def times(item, *names):
        return dataclasses.replace(item, **{n: round(factor * getattr(item, n)) for n in names})

    method = parts["method"]
    space = times(method.space, "features")
    rows = times(method.collocation, "interior", "initial", "boundary")
    return {"method": dataclasses.replace(method, space=space, collocation=rows)}


def state(name, setting):
    problem = lrfm.catalog.get(name).replace(reference=None)  # nobody knows it here; a solve would look at it
    if "tol" in setting:
        options = {"tol": setting["tol"], "max_seconds": setting["max_seconds"]}
    else:
        options = scaled(lrfm.catalog.parts(name), setting["parts"]) | {"estimate": setting["estimate"]}
    count = POINTS[problem.domain.dimension]
    # Between the points of a uniform grid and off the ends, where nothing was collocated by design.
    axes = {n: a + (b - a) * (np.arange(count) + 0.37) / count for n, (a, b) in problem.domain.axes.items()}
    where = answer.product(answer.times(problem.time[1]), **axes)
    return lambda: (where, lrfm.solve(problem, strict=False, **options)(**where))


if __name__ == "__main__":
    answer.run(state)
