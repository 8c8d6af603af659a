# SPDX-License-Identifier: MIT
"""What starts from nothing is measured by what its rate makes of it, and found beside terms that cancel."""

import numpy as np
import pytest

import lrfm
from lrfm.solver.lines.form import form_of
from lrfm.solver.lines.reach import DRIVEN, ROUNDING, Reach
from lrfm.solver.lines.samples import sources_of


def test_the_size_follows_the_rate():
    """max(‖b‖, min(T ‖b_t‖, 0.01 ‖a‖)), no less than what rounding of a leaves of a tolerance."""
    reach, sizes = Reach(1e-3, np.array([False, True, True, True]), [0, 1, 2, 3]), np.array([2.0, 0, 0, 0])
    assert reach.scales(sizes) == pytest.approx([2, 0.02, 0.02, 0.02])
    assert not reach.drowned(reach.scales(sizes))
    rates = np.zeros((3, 4, 5))
    rates[1, 1:, 2] = 1.0, 1e-5, 0.0
    reach.seen(rates, 0.5)
    assert reach.scales(sizes) == pytest.approx([2, 2 * DRIVEN, 5e-6, 2 * ROUNDING / 1e-3])
    assert reach.shares(sizes) == pytest.approx([DRIVEN, DRIVEN, 2.5e-6, ROUNDING / 1e-3])
    assert reach.drowned(reach.scales(sizes))


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


def test_every_term_of_a_source_is_to_be_seen():
    sources = sources_of(form_of(tracer("1e-4*exp(-((x - 0.4)/0.003)**2)", 1e-3)))
    x, w = np.polynomial.legendre.leggauss(20)
    assert sources.unseen(0, 0.5 + 0.5 * x, 0.5 * w) == pytest.approx(0.4, abs=1e-3)


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


def test_fields_that_a_pressure_ties_together_are_not_measured_by_their_own_rates():
    """v ≡ 0 beside u in a channel: its rate is rounding of the pressure, and must not ask for bases and steps of its own."""
    sizes, rates = np.array([1.0, 1e-9]), np.array([[[1.0], [1e-9]]])
    found = []
    for together in (False, True):
        reach = Reach(1e-3, np.array([True, True]), [0, 1], together)
        reach.seen(rates, 0.5)
        found.append((reach.scales(sizes)[1], reach.drowned(reach.scales(sizes))))
    assert found == [(pytest.approx(1e-9), True), (1e-2, False)]
