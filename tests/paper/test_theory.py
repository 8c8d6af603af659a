# SPDX-License-Identifier: MIT
"""The rank proposition, the separable slice, and the Fourier reference."""

import numpy as np
import pytest
from paper import theory


@pytest.mark.parametrize("count", [1, 2, 5])
def test_distinct_rates_have_full_rank(count):
    rates = list(np.geomspace(0.05, 20, count))
    assert theory.temporal_rank(rates)["rank"] == count


def test_equal_rates_do_not():
    assert theory.temporal_rank([1.0, 1.0, 2.0], times=16)["rank"] == 2


def test_rank_is_decided_where_double_precision_cannot():
    found = theory.temporal_rank(list(1.0 + 1e-3 * np.arange(8)), times=24)
    assert found["rank"] == 8
    assert found["double_rank"] < 8


def test_condition_grows_as_rates_meet():
    near, far = (theory.temporal_rank([1.0, 1.0 + d], times=16)["condition"] for d in (1e-4, 1e-1))
    assert near == pytest.approx(1e3 * far, rel=0.2)


def test_all_rates_represent_what_one_rate_cannot():
    found = theory.temporal_rank([1.0, 10.0])
    assert found["every"] < 1e-12
    assert found["single"] > 1e-2


def test_one_exponential_needs_one_rate():
    t = np.linspace(0, 1, 50)
    assert theory.one_rate_error(np.exp(-1.0 * t), t) < 1e-3


@pytest.mark.parametrize(("span", "sizes"), [("temporal", (2, 8)), ("ridge", (25, 100))])
def test_error_of_the_span_falls_with_its_size(span, sizes):
    small, large = (theory.density(span, "smooth", size, 0)["sup"] for size in sizes)
    assert large < 0.05 * small


def test_smooth_targets_are_easier_than_rough_ones():
    assert (
        theory.density("temporal", "smooth", 8, 0)["sup"]
        < 0.01 * theory.density("temporal", "kink", 8, 0)["sup"]
    )


def test_fourier_reference_agrees_with_another_code():
    coarse = theory.reference_convergence(eps=1e-4, T=0.15, modes=32, steps=20)["l2"]
    fine = theory.reference_convergence(eps=1e-4, T=0.15, modes=128, steps=160)["l2"]
    assert fine < 1e-10
    assert fine < 0.1 * coarse
