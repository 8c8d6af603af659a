# SPDX-License-Identifier: MIT
"""The picture of docs/data.md: the fit at its beginning, drawn.

python benchmarks/data_picture.py
"""

from __future__ import annotations

import harness  # isort: skip

import numpy as np

import lrfm


def main() -> None:
    """Two numbers of a heat equation from 27 values with noise."""
    rng = np.random.default_rng(0)
    x, t = np.tile(np.linspace(0.1, 0.9, 9), 3), np.repeat([0.1, 0.3, 0.5], 9)
    measured = np.exp(-(0.3 * np.pi**2) * t) * np.sin(np.pi * x) + 0.01 * rng.normal(size=x.size)
    problem = lrfm.Problem(
        "u_t = k*u_xx", domain=lrfm.Box(x=(0, 1)), time=(0, 0.5), initial="A*sin(pi*x)", boundary="u = 0",
        parameters={"k": lrfm.Unknown(1.0, lower=0), "A": lrfm.Unknown(0.5)},
    )  # fmt: skip
    fit = lrfm.fit(problem, lrfm.Data(x=x, t=t, u=measured, sigma=0.01))
    fit.plot(harness.ROOT / "docs" / "data.png")


if __name__ == "__main__":
    main()
