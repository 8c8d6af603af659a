# SPDX-License-Identifier: MIT
"""The time constants that carry a solution.

u(x, t) ≈ Σ_k a_k(x) e^(−λ_k s) (cos ω_k s, sin ω_k s),  s = t − t₀:  few terms, rates and profiles by least squares;
share_k = max_t ‖term k‖ / Σ_j max_t ‖term j‖,  ‖·‖ over places and unknowns.

Coefficients of features say little, thousands of them cancel; the traces of the solution in time are what is left of
them. Terms with nearly equal rates count as one, so that they do not cancel either. Half of the times are logarithmic
towards the start: a fast layer counts as much as what follows it. Terms are found one after another, each where it
explains most beside the others, and all rates are fitted together (variable projection, Golub and Pereyra 1973).

What it cannot tell: rates less than a factor of two apart, or slower than the duration, may come out as one term between them; so may
neighbors with random profiles now and then (two of sixty trials with one to three rates at least a factor of two apart).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

LEFT_OVER = 1e-4  # part of a solution that its time constants may leave over
TIMES, PLACES = 160, 24  # samples of the solution
EARLIEST = 1e-6  # first logarithmic time, in durations
MOST = 6  # terms
WAVES = 240.0  # phase ωT up to which frequencies are looked for
SLOW = 0.3  # decay in a duration about which rates pass from a linear to a logarithmic scale
APART = 1.5  # ratio of decay rates, and distance of phases, below which two terms are one
STEPS = 30  # of one fit
ROUGH, FINE = 0.1, 1e-6  # part of the square that a step must gain while terms are sought, and at the end
STEADY = 0.02  # decay in a duration that counts as none

Field = Callable[[np.ndarray], np.ndarray]  # points (n, axes + 1) → values (n, fields)


@dataclass(frozen=True)
class TimeConstant:
    """A term e^(−t/τ), oscillating with a period where that is finite, and its share of the solution.

    A negative τ is growth; an infinite one neither decay nor growth.
    """

    tau: float
    period: float
    share: float

    def __str__(self) -> str:
        said = [f"period {self.period:.2g}"] if math.isfinite(self.period) else []
        if math.isfinite(self.tau):
            said.append(f"{'growth ' if self.tau < 0 else ''}{abs(self.tau):.2g}")
        return f"{', '.join(said) or 'steady'} ({100 * self.share:.0f} %)"


@dataclass(frozen=True)
class Term:
    """e^(−λs) or e^(−λs)(cos ωs, sin ωs), s in durations; what grows is measured from the end."""

    decay: float
    frequency: float = 0.0

    def columns(self, s: np.ndarray) -> np.ndarray:
        """The functions at times s, nowhere above one."""
        e = np.exp(-self.decay * (s if self.decay >= 0 else s - 1.0))
        if self.frequency == 0.0:
            return e[:, None]
        return np.column_stack([e * np.cos(self.frequency * s), e * np.sin(self.frequency * s)])

    def slopes(self, s: np.ndarray) -> list[np.ndarray]:
        """Derivatives of the functions by the parameters."""
        here = self.columns(s)
        later = s if self.decay >= 0 else s - 1.0
        by_decay = -math.hypot(SLOW, self.decay) * later[:, None] * here  # dλ/dθ = SLOW cosh θ
        turned = [s[:, None] * here[:, ::-1] * [-1.0, 1.0]] if self.frequency else []
        return [by_decay, *turned]

    @property
    def parameters(self) -> list[float]:
        """Coordinates in which steps are of comparable size: arsinh(λ/SLOW), and ω."""
        return [math.asinh(self.decay / SLOW), *([self.frequency] if self.frequency else [])]

    def moved(self, parameters: np.ndarray) -> Term:
        """The term at other parameters, as far as it can be told from others: |λ| ≤ 10⁶, ω ≥ max(3, |λ|)."""
        decay = SLOW * math.sinh(float(np.clip(parameters[0], -6.0, 16.0)))
        if not self.frequency:
            return Term(decay)
        frequency = float(np.clip(parameters[1], 3.0, 2.0 * WAVES))
        return Term(float(np.clip(decay, -frequency, frequency)), frequency)

    def near(self, other: Term) -> bool:
        """Whether two terms are too alike to be told apart."""
        scale = abs(math.asinh(self.decay / SLOW) - math.asinh(other.decay / SLOW))
        return abs(self.frequency - other.frequency) < APART and scale < math.log(APART)


def _grid() -> list[Term]:
    decays = 10.0 ** np.arange(-0.5, 5.6, 0.25)
    real = [Term(0.0), *(Term(float(d)) for d in decays), *(Term(-float(d)) for d in decays[decays < 60.0])]
    return real + [Term(d, float(w)) for w in np.arange(3.0, WAVES, 1.5) for d in (0.0, 2.0)]


def time_constants(
    field: Field, lower: np.ndarray, upper: np.ndarray, time: tuple[float, float], rest: float = 1e-4
) -> tuple[TimeConstant, ...]:
    """Time constants of a function on a box, largest share first, until `rest` of it is left."""
    rng = np.random.default_rng(0)
    s, (t0, t1) = _times(rng), time
    places = lower + (upper - lower) * rng.random((PLACES, len(lower)))
    points = np.column_stack([np.tile(places, (len(s), 1)), np.repeat(t0 + (t1 - t0) * s, PLACES)])
    values = field(points)
    sizes = np.sqrt(np.mean(values**2, axis=0))
    if not np.all(np.isfinite(sizes)) or not np.any(sizes > 0):
        return ()
    kept = sizes > 1e-9 * sizes.max()  # an unknown that stays zero has no time constants
    parts = fit(s, (values[:, kept] / sizes[kept]).reshape(len(s), -1), rest)
    total = sum(size for _, size in parts)
    found = [
        TimeConstant(
            tau=(t1 - t0) / term.decay if abs(term.decay) > STEADY else math.inf,
            period=2 * math.pi * (t1 - t0) / term.frequency if term.frequency else math.inf,
            share=size / total,
        )
        for term, size in parts
    ]
    return tuple(sorted(found, key=lambda constant: -constant.share))


def _times(rng: np.random.Generator) -> np.ndarray:
    half = TIMES // 2
    graded = EARLIEST ** (1.0 - (np.arange(half) + 1.0) / half)
    return np.sort(np.concatenate([[0.0], graded, (np.arange(half) + rng.random(half)) / half]))


def fit(s: np.ndarray, traces: np.ndarray, rest: float) -> list[tuple[Term, float]]:
    """Terms that leave `rest` of the traces (columns) over, and their sizes: the largest root mean square in time."""
    left, sigma, _ = np.linalg.svd(traces, full_matrices=False)
    data = (left * sigma)[:, sigma > 0.1 * rest * sigma[0]]  # the same inner products, fewer columns
    goal = rest * float(np.linalg.norm(traces))
    terms: list[Term] = []
    while len(terms) < MOST and np.linalg.norm(_outside(_basis(s, terms), data)) > goal:
        trials = [_fitted(s, [*terms, best], data) for best in _best(s, terms, data)]
        sizes = [np.linalg.norm(_outside(_basis(s, trial), data)) for trial in trials]
        # An oscillation has two functions and must explain more than a plain exponential does.
        terms = trials[0] if sizes[0] < max(1.5 * sizes[1], goal) else trials[1]
    terms = _fitted(s, _pruned(s, terms, data, goal), data, FINE)
    columns = [term.columns(s) for term in terms]
    a, *_ = np.linalg.lstsq(np.hstack(columns), traces, rcond=1e-9)
    profiles = np.split(a, np.cumsum([c.shape[1] for c in columns])[:-1])
    return _merged(terms, [c @ p for c, p in zip(columns, profiles, strict=True)])


def _merged(terms: list[Term], parts: list[np.ndarray]) -> list[tuple[Term, float]]:
    """Terms too alike to be told apart as one: they may cancel, and only their sum means something."""
    found: list[tuple[Term, np.ndarray]] = []
    for term, part in sorted(zip(terms, parts, strict=True), key=lambda item: item[0].decay):
        alike = next((i for i, (other, _) in enumerate(found) if term.near(other)), None)
        if alike is None:
            found.append((term, part))
            continue
        total = found[alike][1] + part
        ends = np.sqrt(np.mean(total[[0, -1]] ** 2, axis=1))
        slow = abs(term.decay) < 1.0 and np.all(ends > 0)
        found[alike] = (Term(float(np.log(ends[0] / ends[1])), term.frequency) if slow else term, total)
    return [(term, float(np.sqrt(np.mean(part**2, axis=1)).max())) for term, part in found]


def _basis(s: np.ndarray, terms: list[Term]) -> np.ndarray:
    if not terms:
        return np.zeros((len(s), 0))
    q, r = np.linalg.qr(np.hstack([term.columns(s) for term in terms]))
    return q[:, np.abs(np.diag(r)) > 1e-8]


def _outside(basis: np.ndarray, data: np.ndarray) -> np.ndarray:
    data = data - basis @ (basis.T @ data)
    return data - basis @ (basis.T @ data)


def _best(s: np.ndarray, terms: list[Term], data: np.ndarray) -> list[Term]:
    """The decay and the oscillation of the grid that explain most of what the terms leave over."""
    basis, found = _basis(s, terms), []
    remainder = _outside(basis, data)
    for width in (1, 2):
        some = [c for c in GRID if 1 + bool(c.frequency) == width and not any(c.near(t) for t in terms)]
        columns = _outside(basis, np.hstack([c.columns(s) for c in some])).T.reshape(len(some), width, -1)
        triangle = np.linalg.cholesky(columns @ columns.transpose(0, 2, 1) + 1e-10 * np.eye(width))
        gains = np.sum(np.linalg.solve(triangle, columns @ remainder) ** 2, axis=(1, 2))
        found.append(some[int(np.argmax(gains))])
    return found


GRID = _grid()


def _fitted(s: np.ndarray, terms: list[Term], data: np.ndarray, gain: float = ROUGH) -> list[Term]:
    """All rates together by damped Gauss-Newton on what the best profiles leave over, until a step gains less."""
    from scipy.optimize import least_squares

    theta = np.concatenate([term.parameters for term in terms])
    found = least_squares(
        lambda theta: _outside(_basis(s, _at(terms, theta)), data).ravel(),
        theta,
        jac=lambda theta: _jacobian(s, _at(terms, theta), data),  # type: ignore[arg-type]
        x_scale="jac",
        ftol=gain,
        max_nfev=STEPS,
    )
    return _at(terms, found.x)


def _jacobian(s: np.ndarray, terms: list[Term], data: np.ndarray) -> np.ndarray:
    """∂(P data)/∂θ ≈ −P (∂Φ/∂θ) Φ⁺ data, P = I − ΦΦ⁺: what the profiles leave over (Kaufman 1975)."""
    columns = [term.columns(s) for term in terms]
    profiles, *_ = np.linalg.lstsq(np.hstack(columns), data, rcond=1e-9)
    parts = np.split(profiles, np.cumsum([c.shape[1] for c in columns])[:-1])
    moved = [d @ part for term, part in zip(terms, parts, strict=True) for d in term.slopes(s)]
    outside = _outside(_basis(s, terms), np.hstack(moved))
    return -outside.reshape(len(s), len(moved), -1).transpose(0, 2, 1).reshape(-1, len(moved))


def _at(terms: list[Term], theta: np.ndarray) -> list[Term]:
    edges = np.cumsum([len(term.parameters) for term in terms])[:-1]
    return [term.moved(part) for term, part in zip(terms, np.split(theta, edges), strict=True)]


def _pruned(s: np.ndarray, terms: list[Term], data: np.ndarray, goal: float) -> list[Term]:
    """Leave out what the others can carry as well."""
    enough = max(goal, 1.2 * float(np.linalg.norm(_outside(_basis(s, terms), data))))
    for term in list(terms):
        others = [t for t in terms if t is not term]
        trial = _fitted(s, others, data) if others else []
        if trial and np.linalg.norm(_outside(_basis(s, trial), data)) <= enough:
            return _pruned(s, trial, data, goal)
    return terms
