# SPDX-License-Identifier: MIT
"""The paper's two theoretical results as experiments, and the convergence of the Fourier reference.

V_nj = exp(−λ_j t_n) has full column rank for distinct rates (Paper, prop:scale-identifiability);
the separable slice tanh(w⁰·z + b⁰) e^(−t/τ) is dense (Paper, thm:lrfm-universal).
"""

from __future__ import annotations

from decimal import Decimal, localcontext
from typing import Any

import numpy as np

from lrfm.catalog.paper import allen_cahn_series
from lrfm.solution.reference import relative_l2, relative_linf

DIGITS = 120  # of the arithmetic in which rank is decided
TARGETS_1D = {
    "smooth": lambda t: np.sin(3 * t) + np.exp(-2 * t),
    "kink": lambda t: np.abs(t - 0.4),
    "root": lambda t: np.sqrt(t),
}
TARGETS_2D = {
    "smooth": lambda x, t: np.exp(-t) * np.sin(np.pi * x) + np.cos(2 * x - t),
    "kink": lambda x, t: np.abs(x - 0.5 + t),
}


def temporal_rank(rates: list[float], times: int = 64, T: float = 1.0) -> dict[str, Any]:
    """Rank of V in 120 digits and in double precision, condition number, errors of all rates and of one."""
    t = np.linspace(0.0, T, times)
    V = np.exp(-np.outer(t, rates))
    sigma = np.linalg.svd(V, compute_uv=False)
    y = V @ np.ones(len(rates))
    every = relative_l2(V @ np.linalg.lstsq(V, y, rcond=None)[0], y)
    return {
        "rank": exact_rank(rates, t),
        "double_rank": int(np.sum(sigma > 1e-12 * sigma[0])),
        "condition": float(sigma[0] / max(sigma[-1], np.finfo(float).tiny)),
        "every": every,
        "single": one_rate_error(y, t),
    }


def exact_rank(rates: list[float], times: np.ndarray) -> int:
    """Column rank of V by Gram-Schmidt in 120 digits: what is left of a column is zero, or it is not."""
    with localcontext() as context:
        context.prec = DIGITS
        basis: list[list[Decimal]] = []
        for rate in rates:
            column = [(-Decimal(rate) * Decimal(float(t))).exp() for t in times]
            for q in basis:
                dot = sum(a * b for a, b in zip(q, column, strict=True))
                column = [a - dot * b for a, b in zip(column, q, strict=True)]
            norm = sum((a * a for a in column), Decimal(0)).sqrt()
            if norm > Decimal(10) ** (-DIGITS + 20):
                basis.append([a / norm for a in column])
        return len(basis)


def one_rate_error(y: np.ndarray, t: np.ndarray) -> float:
    """min over λ, c of ‖y − c v_λ‖/‖y‖: positive unless y is one exponential.

    The minimum over log λ is found on a grid and refined by Brent's method.
    """
    from scipy.optimize import minimize_scalar

    def error(power: float) -> float:
        v = np.exp(-np.exp(power) / t[-1] * t)
        return float(np.linalg.norm(y - v * (v @ y) / (v @ v)))

    powers = np.linspace(np.log(1e-3), np.log(1e5), 401)
    best = int(np.argmin([error(p) for p in powers]))
    ends = powers[max(best - 1, 0)], powers[min(best + 1, len(powers) - 1)]
    found = minimize_scalar(error, bounds=ends, method="bounded", options={"xatol": 1e-12})
    return error(found.x) / float(np.linalg.norm(y))


def density(span: str, target: str, size: int, seed: int) -> dict[str, Any]:
    """Relative error in the sup norm of a least-squares fit from a random span of the separable slice."""
    rng = np.random.default_rng([seed, size])
    fit, check = (_samples(span, rng, 6 * size + 200), _samples(span, rng, 2000))
    features = _features(span, size, rng)
    f = (TARGETS_1D if span == "temporal" else TARGETS_2D)[target]
    A, b = features(*fit), f(*fit)
    c = np.linalg.lstsq(A, b, rcond=1e-14)[0]
    found, exact = features(*check) @ c, f(*check)
    return {"sup": relative_linf(found, exact), "l2": relative_l2(found, exact)}


def _samples(span: str, rng: np.random.Generator, count: int) -> tuple[np.ndarray, ...]:
    t = 0.5 * (1.0 - np.cos(np.pi * rng.random(count)))
    return (t,) if span == "temporal" else (2.0 * rng.random(count) - 1.0, t)


def _features(span: str, size: int, rng: np.random.Generator):
    """tanh(w⁰x + b⁰) e^(−t/τ) with log-uniform τ ∈ [0.05, 20], or its temporal factor alone."""
    rates = 10.0 ** -rng.uniform(np.log10(0.05), np.log10(20.0), size)
    if span == "temporal":
        return lambda t: np.exp(-np.outer(t, rates))
    w, b = rng.uniform(-6.0, 6.0, size), rng.uniform(-6.0, 6.0, size)
    return lambda x, t: np.tanh(np.outer(x, w) + b) * np.exp(-np.outer(t, rates))


def reference_convergence(eps: float, T: float, modes: int, steps: int) -> dict[str, Any]:
    """Difference at t = T of a plain Fourier solver of fixed resolution from the reference of the tables.

    Integrating factor and Runge-Kutta, û' = (1 − εk²) û − (u³)^, two-thirds rule: another code and scheme.
    """
    x = -1.0 + 2.0 * np.arange(modes) / modes
    k = np.pi * np.fft.fftfreq(modes, 1.0 / modes)
    kept = np.abs(k) < np.pi * modes / 3
    h = T / steps
    half = np.exp(0.5 * h * (1.0 - eps * k**2))
    force = lambda hat: -np.fft.fft(np.fft.ifft(hat).real ** 3) * kept  # noqa: E731
    hat = np.fft.fft(0.55 * np.sin(np.pi * x) + 0.25 * np.sin(2 * np.pi * x)) * kept
    for _ in range(steps):
        a = force(hat)
        b = force(half * (hat + 0.5 * h * a))
        c = force(half * hat + 0.5 * h * b)
        d = force(half * (half * hat + h * c))
        hat = half**2 * (hat + h / 6 * a) + half * h / 3 * (b + c) + h / 6 * d
    exact = allen_cahn_series(eps, T)(x, np.full_like(x, T))
    return {"l2": relative_l2(np.fft.ifft(hat).real, exact)}
