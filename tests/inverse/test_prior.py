"""What is believed of a field, and what becomes of it: modes, samples with the right distribution, nothing where nothing is asked for."""

import numpy as np
import pytest

from lrfm import Box, Problem, UnknownField
from lrfm.inverse import prior
from lrfm.inverse.sampler import TAILS, sampled
from lrfm.inverse.vector import Vector

AT = np.linspace(0, 1, 41)


def vector(modes=6):
    return Vector.of(
        Problem(
            "u_t = u_xx + f", domain=Box(x=(0, 1)), time=(0, 1), initial="0", boundary="u = 0",
            parameters={"f": UnknownField("x", known_at_ends=True, modes=modes)},
        )
    )  # fmt: skip


def functions(of):
    return of.fields["f"].functions(np.column_stack([AT, 0 * AT]))


def test_modes_are_those_of_the_laplacian():
    """On [0, 1], zero at the ends: √2 sin kπx, κ = k in units of 1/L; a family is (1 + ℓ²κ²)^s relative to the slowest."""
    of = vector(16)
    own = prior.spectra(of)["f"]
    found = functions(of) @ own.to_functions
    for k in range(1, 5):
        mode = np.sqrt(2) * np.sin(k * np.pi * AT)
        assert np.allclose(np.abs(found[:, k - 1]), np.abs(mode), atol=1e-5)
    assert np.allclose(own.to_modes @ own.to_functions, np.eye(16), atol=1e-9)
    for (nu, length), logs in zip(own.families, own.logs, strict=True):
        exact = (nu + 0.5) * np.log((1 + length**2 * np.arange(1, 5) ** 2) / (1 + length**2))
        assert np.allclose(logs[:4], exact, atol=1e-4)


@pytest.mark.slow
@pytest.mark.thorough
def test_samples_have_the_distribution_that_is_asked_for():
    """Truths from the prior, data from truths: the rank of a truth among its samples is uniform, for every mode (Cook, Gelman, Rubin 2006)."""
    of, rng = vector(), np.random.default_rng(0)
    own = prior.spectra(of)["f"]
    ranks = []
    for number in range(100):
        scale = np.abs(rng.standard_cauchy()) * np.abs(rng.standard_t(TAILS, size=6))
        q = rng.normal(size=6) * scale * np.exp(-0.5 * own.logs[rng.integers(len(own.families))])
        modes = rng.normal(size=(8, 6)) * np.array([3.0, 1.0, 1.0, 0.3, 0.1, 0.0])
        y = modes @ q + rng.normal(size=8)
        drawn = sampled(
            of, {"f": own}, modes @ own.to_modes, y, np.random.default_rng([number, 7]), 250
        ).samples
        ranks.append(np.mean(drawn @ own.to_modes.T < q, axis=0))
    ranks = np.array(ranks)
    # Means and shares of 100 uniform numbers, to four standard errors.
    assert np.all(np.abs(ranks.mean(axis=0) - 0.5) < 4 * np.sqrt(1 / 12 / 100))
    inside = np.mean((ranks > 0.1) & (ranks < 0.9), axis=0)
    assert np.all(np.abs(inside - 0.8) < 4 * np.sqrt(0.16 / 100))


def test_modes_that_are_not_there_vanish():
    """One mode of twelve, 40 values each: the others end much nearer to zero than least squares puts them."""
    of, rng = vector(12), np.random.default_rng(3)
    own = prior.spectra(of)["f"]
    modes = rng.normal(size=(40, 12))
    y = 5 * modes[:, 3] + rng.normal(size=40)
    drawn = sampled(of, {"f": own}, modes @ own.to_modes, y, np.random.default_rng(0), 1000)
    middle = own.to_modes @ drawn.middle
    plain = np.linalg.lstsq(modes, y, rcond=None)[0]
    others = np.arange(12) != 3
    assert abs(middle[3] - 5) < 0.6
    assert np.linalg.norm(middle[others]) < 0.4 * np.linalg.norm(plain[others])
