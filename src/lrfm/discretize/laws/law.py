# SPDX-License-Identifier: MIT
"""A conservation law as functions of arrays: flux f, Jacobian ∂f/∂q, wave speeds, source, and which states are admissible."""

from __future__ import annotations

import numpy as np

from lrfm.discretize.evolution import Unsuited
from lrfm.discretize.options import ROUNDING, SCANS
from lrfm.problem.algebra import ONE, Expr, Number, Symbol, symbols_in
from lrfm.problem.conservation import ConservationLaw
from lrfm.problem.expression import derivative, is_zero
from lrfm.problem.jets import GivenSymbol, Jet, jet_symbol
from lrfm.problem.program import Program


class NoStates(Unsuited):
    """Data that a law does not allow, such as a depth of zero."""


class Compiled:
    """Some formulas in q, x and t, evaluated at once: states are (quantities, places), x is (places,), or (axes, places) in boxes."""

    def __init__(self, outputs: list[Expr], symbols: tuple[Symbol, ...], coordinates: tuple[str, ...]):
        self.program, self.symbols, self.coordinates = Program(outputs), symbols, coordinates
        self.count = len(outputs)
        self.given = tuple(s for s in self.program.symbols if isinstance(s, GivenSymbol))
        self.fixed = not self.program.symbols - {*symbols}
        self._places = [symbols.index(s) if s in symbols else -1 for s in self.program.inputs]

    def __call__(self, q: np.ndarray, x: np.ndarray, time: float) -> np.ndarray:
        """All formulas, (formulas, places); warnings of NumPy are to be silenced around it."""
        if self.fixed:
            inputs = [q[i] for i in self._places]
        else:
            values: dict[Symbol, np.ndarray | float] = dict(zip(self.symbols, q, strict=True))
            places = np.atleast_2d(x)
            values |= {Symbol(name): x for name, x in zip(self.coordinates[:-1], places, strict=True)}
            values[Symbol(self.coordinates[-1])] = time
            if self.given:
                points = np.column_stack([*places, np.full(places.shape[1], time)])
                values |= {s: s.function(points) for s in self.given}
            inputs = [values[s] for s in self.program.inputs]
        result = np.empty((self.count, q.shape[1]))
        for i, value in enumerate(self.program.run(inputs)):
            result[i] = value
        return result


class Law:
    """q_t + f(q, x, t)_x = s(q, x, t), ready to be evaluated; of a law in a box the flux along one axis."""

    def __init__(self, form: ConservationLaw, coordinates: tuple[str, ...]):
        self.form, self.size = form, len(form.fields)
        names = form.symbols
        slopes = [derivative(f, {s: ONE}) for f in form.flux for s in names]
        make = lambda outputs: Compiled(list(outputs), names, coordinates)  # noqa: E731
        self.flux, self.jacobian = make(form.flux), make(slopes)
        self._signed = make([*form.flux, *form.positive])
        self._together = make([*form.flux, *slopes, *form.positive])
        self.source = None if all(map(is_zero, form.source)) else make(form.source)
        self._positive = make(form.positive) if form.positive else None
        own = tuple(jet_symbol(Jet(field, (0,) * len(coordinates))) for field in form.fields)
        self.unknowns = make(form.unknowns)
        self.conserved = Compiled(list(form.conserved), own, coordinates)
        # Where f″ is a number, the speeds of two states bound those of all between them.
        self.convex = self.size > 1 or all(
            isinstance(derivative(s, {n: ONE}), Number) for s in slopes for n in names
        )
        # Whether no formula holds a place or the time.
        self.fixed = all(f.fixed for f in (self._together, self.unknowns, self.conserved))
        self.linear = not any(symbols_in(s) & {*names} for s in slopes)

    def flux_and_waves(
        self, q: np.ndarray, x: np.ndarray, time: float
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """f, and the least and the largest λ of ∂f/∂q; not a number where an eigenvalue is not real, or a state is not admissible."""
        found, n = self._together(q, x, time), self.size
        j = found[n : n + n * n]
        if n == 1:
            low = high = j[0]
        elif n == 2:
            low, high = _of_two(j)
        elif n == 3:
            low, high = _of_three(j)
        else:
            low, high = _of_many(j.reshape(n, n, -1))
        if self._positive is not None:
            good = np.min(found[n + n * n :] * self._signs[:, None], axis=0) > 0
            low, high = np.where(good, low, np.nan), np.where(good, high, np.nan)
        return found[:n], low, high

    def flux_and_speeds(self, q: np.ndarray, x: np.ndarray, time: float) -> tuple[np.ndarray, np.ndarray]:
        """f, and max |λ|."""
        flux, low, high = self.flux_and_waves(q, x, time)
        return flux, np.maximum(-low, high)

    def flux_of_states(self, q: np.ndarray, x: np.ndarray, time: float) -> np.ndarray:
        """f, not a number where what must keep its sign does not."""
        found = self._signed(q, x, time)
        flux = found[: self.size]
        if self._positive is not None:
            good = np.min(found[self.size :] * self._signs[:, None], axis=0) > 0
            flux[:, ~good] = np.nan
        return flux

    def speeds(self, q: np.ndarray, x: np.ndarray, time: float) -> np.ndarray:
        """max |λ| alone."""
        return self.flux_and_speeds(q, x, time)[1]

    _signs = np.ones(1)

    def begin(self, q: np.ndarray, x: np.ndarray, time: float) -> bool:
        """Learn from the initial data which signs have to be kept; whether these data are admissible everywhere."""
        if self._positive is not None:
            found = self._positive(q, x, time)
            self._signs = np.sign(found[:, np.argmax(np.min(np.abs(found), axis=0))])
        return bool(np.all(np.isfinite(self.speeds(q, x, time))))

    def between(
        self, left: np.ndarray, right: np.ndarray, x: np.ndarray, time: float, least: float
    ) -> np.ndarray:
        """max |λ| over states between two that are more than `least` apart: at some of them; for a flux that is not quadratic."""
        low, high = self.waves_between(left, right, x, time, least)
        return np.maximum(0.0, np.maximum(-low, high))

    def waves_between(
        self, left: np.ndarray, right: np.ndarray, x: np.ndarray, time: float, least: float
    ) -> tuple[np.ndarray, np.ndarray]:
        """The least and the largest λ there, infinite where two states are not so far apart."""
        n, gap = SCANS.between, right - left
        low, high = np.full(left.shape[1], np.inf), np.full(left.shape[1], -np.inf)
        apart = np.flatnonzero(np.max(np.abs(gap), axis=0) > least)
        if len(apart):
            part = (np.arange(1, n + 1) / (n + 1))[:, None]
            states = (left[:, None, apart] + part * gap[:, None, apart]).reshape(self.size, -1)
            found = self.flux_and_waves(states, np.tile(x[..., apart], n), time)[1:]
            low[apart] = np.min(found[0].reshape(n, -1), axis=0)
            high[apart] = np.max(found[1].reshape(n, -1), axis=0)
        return low, high

    def waves_at(self, q: np.ndarray, x: np.ndarray, time: float) -> tuple[np.ndarray, np.ndarray]:
        """Eigenvalues (places, n) and right eigenvectors (places, n, n) at states (n, places)."""
        j = self.jacobian(q, x, time).T.reshape(-1, self.size, self.size)
        if not np.all(np.isfinite(j)):
            return np.full(j.shape[:2], np.nan), np.zeros_like(j)
        values, vectors = np.linalg.eig(j)
        return np.real(values), np.real(vectors)

    def waves(self, q: np.ndarray, x: float, time: float) -> tuple[np.ndarray, np.ndarray]:
        """Eigenvalues and right eigenvectors at one state."""
        j = self.jacobian(q[:, None], np.array([x]), time)[:, 0].reshape(self.size, self.size)
        values, vectors = np.linalg.eig(j)
        return np.real(values), np.real(vectors)

    def primitive(self, q: np.ndarray, x: np.ndarray, time: float) -> np.ndarray:
        """The unknowns of the statement from what is conserved."""
        return q if self.form.plain else self.unknowns(q, x, time)


def _of_two(j: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """tr/2 ± √(tr²/4 − det), the two differences written so that nothing cancels."""
    a, b, c, d = j
    middle, radius = 0.5 * (a + d), np.sqrt((a - d) ** 2 / 4 + b * c)
    return middle - radius, middle + radius


def _of_three(j: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The real roots of λ³ − c₂λ² + c₁λ − c₀ by the cosines of three angles (Viète)."""
    a, b, c, d, e, f, g, h, i = j
    mean = (a + e + i) / 3
    a, e, i = a - mean, e - mean, i - mean
    p = (b * d + c * g + f * h - (a * e + a * i + e * i)) / 3
    q = 0.5 * (a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g))
    root = np.sqrt(p)
    ratio = q / (p * root)
    # Rounding of double roots is no sign of complex ones.
    ratio = np.where(np.abs(ratio) > (1 + ROUNDING.small), np.nan, np.clip(ratio, -1.0, 1.0))
    angle = np.arccos(np.where(p == 0, 0.0, ratio)) / 3
    # The angle is at most π/3: the first root is the largest, and the next turn leads to the least.
    return mean + 2.0 * root * np.cos(angle + 2 * np.pi / 3), mean + 2.0 * root * np.cos(angle)


def _of_many(j: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    good = np.all(np.isfinite(j), axis=(0, 1))
    found = np.linalg.eigvals(np.where(good, j, 0.0).transpose(2, 0, 1))
    size = np.max(np.abs(found), axis=1)
    real = np.max(np.abs(found.imag), axis=1) <= ((1 + ROUNDING.small) - 1) * np.maximum(
        size, np.finfo(float).tiny
    )
    low, high = np.min(found.real, axis=1), np.max(found.real, axis=1)
    return np.where(good & real, low, np.nan), np.where(good & real, high, np.nan)
