# SPDX-License-Identifier: MIT
"""What starts from nothing is measured by what its rate makes of it, and found beside terms that cancel."""

import numpy as np
import pytest

import lrfm


def tracer(feed: str, D: float) -> lrfm.Problem:
    """b is fed by `feed`; the two other terms of its equation cancel, since a = 1 + ½ cos πx stays."""
    return lrfm.Problem(
        [
            f"a_t = {D}*a_xx + {0.5 * D * np.pi**2}*cos(pi*x)",
            f"b_t = {D}*b_xx + {feed} + 0.1*(a - 1) - 0.05*cos(pi*x)",
        ],
        domain=lrfm.Box(x=(0, 1)),
        time=(0, 1),
        initial={"a": "1 + 0.5*cos(pi*x)", "b": "0"},
        boundary=["a_n = 0", "b_n = 0"],
    )


@pytest.mark.parametrize("moving", [False, True])
def test_a_small_tracer_beside_terms_that_cancel(moving):
    """b = q e^{−((x−p)/w)²} t with the source that makes it so, or Σ q_k (1 − e^{−λ_k t})/λ_k cos kπx of a source that stays."""
    rng = np.random.default_rng(11)
    q, w, p, D = 10 ** rng.uniform(-5, -4), rng.uniform(0.01, 0.03), rng.uniform(0.3, 0.7), 1e-3
    bump = f"exp(-((x - {p})/{w})**2)"
    curved = f" - {D * q}*t*(4*(x - {p})**2/{w**4} - {2 / w**2})*{bump}" if moving else ""
    solution = lrfm.solve(tracer(f"{q}*{bump}{curved}", D), tol=1e-3, max_seconds=None)
    x, t = (np.arange(2000) + 0.5) / 2000, np.linspace(0.05, 1, 5)[:, None]
    exact = q * np.exp(-(((x - p) / w) ** 2)) * t
    if not moving:
        cosines = np.cos(np.pi * np.outer(np.arange(400), x))
        weights = 2 * cosines @ (q * np.exp(-(((x - p) / w) ** 2))) / len(x)
        rate = D * (np.pi * np.arange(1, 400)) ** 2
        exact = (-np.expm1(-rate * t) / rate * weights[1:]) @ cosines[1:] + 0.5 * weights[0] * t
    gap = np.linalg.norm(solution["b"](x=x, t=t) - exact) / np.linalg.norm(exact)
    assert gap < solution.report.error_estimate < 1e-3
