# SPDX-License-Identifier: MIT
"""Quantities that the equations conserve or dissipate, judged by random trial functions w that satisfy the conditions.

With ∂ₜᵐu = R(u) and all integrals over space by quadrature, identically in w:

    m = 1   Σ α_f ∫ R_f(w) = 0       Σ α_f ∫ u_f is conserved
            Σ α_f ∫ w_f R_f(w) = 0   Σ α_f ∫ u_f² is conserved (α_f > 0);   ≤ 0: dissipated
    m = 2   Σ α_f ∫ R_f(w) = 0       Σ α_f ∫ ∂ₜu_f is conserved
            R is a gradient          ½ Σ ∫ (∂ₜu_f)² + P(u) is conserved,  P(u) = −∫₀¹ Σ ∫ u_f R_f(su) ds dx
                                     (R a gradient:  P(w + v) − P(w) = −∫₀¹ Σ ∫ v_f R_f(w + sv) ds dx)

R is `Flow`: the equations solved for their highest time derivative, the same for all unknowns.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from lrfm.error.invariants.trials import Trials, zero_time
from lrfm.error.marks import marks
from lrfm.error.undersampled import fast_times
from lrfm.linalg.deadline import check_deadline
from lrfm.problem import Jet, Problem

ZERO = 1e-9  # integral over the integral of absolute values below which it vanishes
DRAWS = {1: 12, 2: 8, 3: 4}  # trial functions by dimension, at least,
MORE = 2  # for each field that a combination may have: fewer rows than columns always have a null space,
TOGETHER = 24  # and the fields up to which combinations are looked for
AMPLITUDES = (0.03, 1.0, 30.0)
PATH, WEIGHTS = (
    0.5 * (np.polynomial.legendre.leggauss(8)[0] + 1.0),
    0.5 * np.polynomial.legendre.leggauss(8)[1],
)


State = Callable[[Jet], np.ndarray]  # derivatives of fields in space, on the grid of trial functions


@dataclass(frozen=True)
class Quantity:
    """A functional of the solution at one time: its name, kind ("linear", "square" or "energy"), factors, and its law."""

    name: str
    kind: str
    factors: tuple[float, ...]
    conserved: bool = True


def quantities(problem: Problem) -> tuple[Quantity, ...]:
    """All quantities of these kinds that the equations keep, or let decay; none where that cannot be judged.

    Of statements that differ in numbers alone those of one: whether what decays for one of them is produced by another is seen at its solution.
    """
    return _quantities(problem.alike or problem)


@functools.lru_cache(maxsize=16)
def _quantities(problem: Problem) -> tuple[Quantity, ...]:
    """The same of one statement."""
    if not problem.local:
        return ()  # a trial function has no means
    flow, trials = Flow(problem), None
    if flow.possible:
        trials = Trials(problem)
    if trials is None or not trials.possible:
        return ()
    try:
        with np.errstate(
            all="ignore"
        ):  # a trial function may leave the range of a logarithm; then nothing is found
            return tuple(_found(problem, flow, trials))
    except np.linalg.LinAlgError:  # the factor of the time derivative vanishes somewhere
        return ()


def _found(problem: Problem, flow: Flow, trials: Trials) -> list[Quantity]:
    rates = _Rates(problem, flow, trials)
    suffix = "_t" if flow.order == 2 else ""
    found = [
        Quantity(_said(problem, factors, suffix), "linear", factors)
        for factors in _null_factors(rates.linear, rates.linear_size)
    ]
    if flow.order == 1:
        # A source may be orthogonal to every trial function, and still feed the square of a solution.
        still = rates.sourceless()
        squares = [
            f for f in _null_factors(rates.square, rates.square_size) if still and min(_nonzero(f)) > 0
        ]
        found += [Quantity(_said(problem, f, "²"), "square", f) for f in squares]
        kept = {i for f in squares for i in np.flatnonzero(f)}
        for i in range(len(problem.fields)):
            if i not in kept and rates.decays(i):
                factors = tuple(float(i == j) for j in range(len(problem.fields)))
                found.append(Quantity(_said(problem, factors, "²"), "square", factors, False))
    elif rates.gradient():
        found.append(Quantity("energy", "energy", (1.0,) * len(problem.fields)))
    return found


def _nonzero(factors: tuple[float, ...]) -> list[float]:
    return [f for f in factors if f]


def _null_factors(integrals: np.ndarray, sizes: np.ndarray) -> list[tuple[float, ...]]:
    """Combinations of columns that vanish in every row: single ones first, then those of the rest together."""
    count = integrals.shape[1]
    single = [i for i in range(count) if np.all(np.abs(integrals[:, i]) <= ZERO * sizes[:, i])]
    found = [tuple(float(i == j) for j in range(count)) for i in single]
    rest = [i for i in range(count) if i not in single]
    if 1 < len(rest) <= count <= TOGETHER:
        # Rows first: a rough function must not drown the smooth ones.
        unit = np.maximum(sizes[:, rest].max(axis=1, keepdims=True), 1e-300)
        integrals, sizes = integrals / unit, sizes / unit
        scale = np.maximum(sizes.max(axis=0), 1e-300)
        _, sigma, right = np.linalg.svd(integrals[:, rest] / scale[rest], full_matrices=True)
        sigma = np.pad(sigma, (0, len(rest) - len(sigma)))
        for vector in right[sigma <= ZERO * np.sqrt(len(integrals))]:
            factors = np.zeros(count)
            factors[rest] = vector / scale[rest]
            factors /= factors[np.argmax(np.abs(factors))]
            found.append(tuple(float(f"{f:.7g}") if abs(f) > 1e-7 else 0.0 for f in factors))
    return found


def _said(problem: Problem, factors: tuple[float, ...], suffix: str) -> str:
    """∫ u, ∫ |psi|², ∫ (u² + 2 v²)."""
    names = dict(zip(problem.fields, factors, strict=True))
    parts = []
    for unknown in problem.unknowns:
        own = [names[field] for field in problem.fields_of(unknown)]
        if len(own) == 2 and suffix == "²" and own[0] == own[1] != 0.0:
            parts.append((own[0], f"|{unknown}|²"))
            continue
        spelled = [unknown] if len(own) == 1 else [f"re {unknown}", f"im {unknown}"]
        parts += [(f, f"{name}{suffix}") for f, name in zip(own, spelled, strict=True) if f]
    terms = [name if f == 1.0 else f"{f:.4g} {name}" for f, name in parts]
    return f"∫ {terms[0]}" if len(terms) == 1 else f"∫ ({' + '.join(terms)})"


def _times(problem: Problem) -> np.ndarray:
    """Some times, more where given data change, and those at which a formula has a top, however narrow."""
    times, middle = (
        [np.linspace(*problem.time, 5), np.array(marks(problem)[-1])],
        0.5 * (problem.domain.lower + problem.domain.upper),
    )
    for row in problem.rows:
        if row.time_dependent:
            some, _ = fast_times(row, np.atleast_2d(middle), problem.time)
            times.append(some[:: max(1, len(some) * len(middle) ** 2 // 40)])
    return np.unique(np.concatenate(times))


class _Rates:
    """∫ R_f and ∫ w_f R_f of every draw, with the integrals of their absolute values."""

    def __init__(self, problem: Problem, flow: Flow, trials: Trials):
        self.problem, self.flow, self.trials = problem, flow, trials
        self.rng = np.random.default_rng(0)
        self.times = _times(problem)
        fields, least = len(problem.fields), DRAWS[problem.domain.dimension]
        count = max(least, MORE * fields) if fields <= TOGETHER else least
        check_deadline()
        amplitudes, levels = np.resize(AMPLITUDES, count), []
        for _ in range(flow.order):
            smooth, rough = (self._draws(amplitudes[kind::2], kind == 1) for kind in (0, 1))
            levels.append([(smooth, rough)[number % 2][number // 2] for number in range(count)])
        states = list(zip(*levels, strict=True))
        R = np.stack(self._R(self.rng.choice(self.times, count), states))  # (draws, fields, nodes)
        self.sources = self._R(self.times, [[self._nothing] * flow.order] * len(self.times))
        work = np.stack([self._w(drawn) for drawn, *_ in states]) * R
        # A pulse of a source may fall between the times of all draws.
        R = np.concatenate([R, self.sources])
        work = np.concatenate([work, np.zeros((len(self.sources), *work.shape[1:]))])
        found = (values @ trials.weights for values in (R, np.abs(R), work, np.abs(work)))
        self.linear, self.linear_size, self.square, self.square_size = found

    def _draw(self, rough: bool) -> State:
        return self._draws(np.ones(1), rough)[0]

    def _draws(self, amplitudes: np.ndarray, rough: bool = False) -> list[State]:
        values = self.trials.values
        return [
            lambda jet, drawn=drawn: values(drawn, jet.field, jet.index[:-1])
            for drawn in self.trials.draws(self.rng, amplitudes, rough)
        ]

    def _w(self, drawn: State) -> np.ndarray:
        zeros = (0,) * (self.problem.domain.dimension + 1)
        return np.stack([drawn(Jet(field, zeros)) for field in self.problem.fields])

    def _nothing(self, jet: Jet) -> np.ndarray:
        return np.zeros(len(self.trials.weights))

    def _R(self, times: Sequence[float] | np.ndarray, states: Sequence[Sequence[State]]) -> list[np.ndarray]:
        """R at some times, of u and its time derivatives below the highest then: each (fields, nodes), all in one evaluation."""
        places, count = self.trials.places, len(self.trials.places)
        points = np.column_stack([np.tile(places, (len(times), 1)), np.repeat(times, count)])
        jets = {
            jet: np.concatenate([state[jet.index[-1]](zero_time(jet)) for state in states])
            for jet in self.flow.jets
        }
        found = self.flow(points, jets)
        return list(found.reshape(len(found), len(times), -1).swapaxes(0, 1))

    def sourceless(self) -> bool:
        """Whether R(0) = 0, at all times."""
        return all(np.abs(R).max() < ZERO for R in self.sources)

    def decays(self, i: int) -> bool:
        """Whether ∫ u_f² of a field never grows: for all draws, and for small ones of the linearized equations at zero."""
        if not np.all(self.square[:, i] <= ZERO * self.square_size[:, i]):
            return False
        if len(self.problem.fields) > 1 or not self.sourceless():
            return False
        return all(self._dissipative(rough, float(t)) for rough in (False, True) for t in self.times[::20])

    def _dissipative(self, rough: bool, t: float) -> bool:
        """Whether the symmetric part of the equations, linearized at zero, has no positive eigenvalue on random functions."""
        count, small = 3 * DRAWS[self.problem.domain.dimension], 1e-4
        # More functions than a space has dimensions span the same.
        count = int(min(count, self.trials.dimension(rough)))
        functions = self.trials.draws(self.rng, np.ones(count), rough)
        (field,), places = self.problem.fields, self.trials.places
        points = np.column_stack([np.tile(places, (count, 1)), np.full(count * len(places), t)])

        def seen(jet: Jet) -> np.ndarray:
            return self.trials.stacked(functions, field, jet.index[:-1])

        known = {jet: seen(jet) for jet in self.flow.jets}
        sides = [self.flow(points, {jet: s * w for jet, w in known.items()})[0] for s in (small, -small)]
        R = ((sides[0] - sides[1]) / (2 * small)).reshape(count, -1)
        plain = seen(Jet(field, (0,) * (self.problem.domain.dimension + 1))).reshape(count, -1)
        w = plain * self.trials.weights
        form, gram = w @ R.T, w @ plain.T
        values, vectors = np.linalg.eigh(gram)
        kept = vectors[:, values > 1e-6 * values[-1]] / np.sqrt(values[values > 1e-6 * values[-1]])
        rates = np.linalg.eigvalsh(kept.T @ (0.5 * (form + form.T)) @ kept)
        return bool(rates[-1] <= 1e-7 * np.abs(rates).max())

    def gradient(self) -> bool:
        """Whether R does not depend on ∂ₜu and t, and is a gradient: work along 0 → w → w + v is that along 0 → w + v."""
        t0, t1 = self.problem.time
        nothing = self._nothing
        for rough in (False, True, False, True):
            w, v = self._draw(rough), self._draw(rough)
            both = lambda jet, w=w, v=v: w(jet) + v(jet)  # noqa: E731
            still, moving, later = self._R([t0, t0, t1], [[w, nothing], [w, v], [w, nothing]])
            if max(np.abs(still - moving).max(), np.abs(still - later).max()) > ZERO * np.abs(still).max():
                return False
            paths = self._works(((nothing, w), (w, v), (nothing, both)))
            if abs(paths[0] + paths[1] - paths[2]) > 1e-8 * sum(map(abs, paths)):
                return False
        return True

    def _works(self, paths: Sequence[tuple[State, State]]) -> list[float]:
        """∫₀¹ Σ ∫ step_f R_f(start + s·step) dx ds along some paths (start, step), in one evaluation."""
        s, places = PATH[:, None], self.trials.places
        times = np.full(len(paths) * len(PATH) * len(places), self.problem.time[0])
        points = np.column_stack([np.tile(places, (len(paths) * len(PATH), 1)), times])
        jets = {jet: np.zeros(len(points)) for jet in self.flow.jets}
        for jet in (jet for jet in jets if jet.index[-1] == 0):
            jets[jet] = np.concatenate([(start(jet) + s * step(jet)).ravel() for start, step in paths])
        found = self.flow(points, jets).reshape(len(self.problem.fields), len(paths), len(PATH), -1)
        steps = np.stack([self._w(step) for _, step in paths], axis=1)
        return (np.sum(found * steps[:, :, None], axis=0) @ self.trials.weights @ WEIGHTS).tolist()


class Flow:
    """R at points; `possible` is False where a row does not have this form (mixed or nonlinear time derivatives)."""

    def __init__(self, problem: Problem):
        self.problem = problem
        orders = set(problem.time_orders.values())
        self.order = max(orders)
        zeros = (0,) * problem.domain.dimension
        self.top = [Jet(field, (*zeros, self.order)) for field in problem.fields]
        jets = {jet for row in problem.rows for jet in row.jets}
        self.possible = (
            len(orders) == 1
            and self.order <= 2
            and not any(j.index[-1] and j not in self.top and any(j.index[:-1]) for j in jets)
            and not any(jet in self.top for row in problem.rows for jet in row.nonlinear_jets)
        )
        self.jets = sorted(jets - set(self.top))

    def __call__(self, points: np.ndarray, jets: Mapping[Jet, np.ndarray]) -> np.ndarray:
        """R for every field, (fields, points), from the values of all lower jets."""
        known = {**jets, **{jet: np.zeros(len(points)) for jet in self.top}}
        rows = self.problem.rows
        rest = np.stack([row.residual(points, {j: known[j] for j in row.jets}) for row in rows])
        factors = [
            (r, self.top.index(jet), factor)
            for r, row in enumerate(rows)
            for jet, factor in row.coefficients(points).items()
            if jet in self.top
        ]
        # One matrix for all points where its entries are numbers.
        places = (len(points),) if any(np.ndim(factor) for *_, factor in factors) else ()
        matrix = np.zeros((*places, len(rows), len(self.top)))
        for r, column, factor in factors:
            matrix[..., r, column] = factor
        if not places:
            return (
                rest / -matrix[0, 0] if matrix.size == 1 and matrix.all() else -np.linalg.solve(matrix, rest)
            )
        return -np.linalg.solve(matrix, rest.T[..., None])[..., 0].T
