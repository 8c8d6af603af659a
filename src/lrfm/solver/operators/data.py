# SPDX-License-Identifier: MIT
"""Data of an operator: initial values at its points as one vector, and whether other data leave the matrix as it is."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeGuard

import numpy as np
from numpy.typing import ArrayLike

from lrfm.linalg.threads import one_thread
from lrfm.problem import Jet, Problem, ProblemError
from lrfm.problem.errors import listing
from lrfm.rows.pieces import Piece
from lrfm.solution.solution import Solution

Values = ArrayLike | Mapping[str, ArrayLike]


def are_values(given: object) -> TypeGuard[Values]:
    """Whether data are numbers at points rather than a text, a number or a function."""
    parts = given.values() if isinstance(given, Mapping) else [given]
    return bool(parts) and all(isinstance(part, np.ndarray) for part in parts)


class InitialValues:
    """{"u": (k, points), "u_t": …} ↔ (all, k): the values of all initial conditions, one real field after another.

    Without k where there is none; a plain array where there is one condition only.
    """

    def __init__(self, problem: Problem, points: np.ndarray):
        self.problem, self.points = problem, points
        self.jets = problem.initial_jets
        self.keys = [_key(name, order) for name, order in problem.initial_data]

    def read(self, problem: Problem) -> np.ndarray:
        """Of the data of a problem."""
        parts = []
        for jet in self.jets:
            datum = problem.initial_data[jet.unknown, jet.index[-1]]
            values = datum.part(self.points, jet.field)
            if not np.all(np.isfinite(values)):
                raise ProblemError(
                    f"{datum.what} is not finite everywhere; give data that are finite in the whole domain."
                )
            parts.append(values)
        return np.concatenate(parts)

    def stack(self, values: Values) -> np.ndarray:
        """From arrays by name."""
        table = values if isinstance(values, Mapping) else {self.keys[0]: values}
        if sorted(table) != sorted(self.keys):
            raise ValueError(
                f"Values were given for {listing(list(table))}; expected a dictionary of arrays for {listing(self.keys)}."
            )
        parts = [self._part(jet, np.asarray(table[_key(jet.unknown, jet.index[-1])])) for jet in self.jets]
        if len({part.shape for part in parts}) > 1:
            raise ValueError(
                "The values of the initial conditions have different shapes; give as many of each."
            )
        stacked = np.concatenate(parts)
        if not np.all(np.isfinite(stacked)):
            raise ValueError("The values of the initial conditions are not all finite.")
        return stacked

    def _part(self, jet: Jet, array: np.ndarray) -> np.ndarray:
        key, count = _key(jet.unknown, jet.index[-1]), len(self.points)
        if array.ndim not in (1, 2) or array.shape[-1] != count:
            raise ValueError(
                f"The values of `{key}` have shape {array.shape}; expected ({count},), one for each of `points`, or (k, {count}) "
                "for many."
            )
        if np.iscomplexobj(array) and self.problem.unknowns[jet.unknown] is not complex:
            raise ValueError(
                f"The values of `{key}` are complex, but `{jet.unknown}` is real; give their real part."
            )
        return np.asarray(np.imag(array) if jet.field.endswith(".im") else np.real(array), dtype=float).T

    @property
    def by_axis(self) -> dict[str, np.ndarray]:
        """Coordinates of the points, by axis."""
        return dict(zip(self.problem.domain.names, self.points[:, :-1].T.copy(), strict=True))

    def asked(self, problem: Problem, initial: object) -> np.ndarray:
        """One set of values: those given, or of the data of a problem."""
        values = self.stack(initial) if are_values(initial) else self.read(problem)
        if values.ndim > 1:
            raise ValueError(
                "`initial` holds values for several solutions; give them to `many(initial=...)`."
            )
        return values

    def unstack(self, stacked: np.ndarray, like: Values) -> Values:
        """Back to arrays by name, in the form of others."""
        runs = np.split(stacked, len(self.jets))
        fields = {(jet.field, jet.index[-1]): run.T for jet, run in zip(self.jets, runs, strict=True)}
        table = {}
        for (name, order), key in zip(self.problem.initial_data, self.keys, strict=True):
            re, *im = (fields[field, order] for field in self.problem.fields_of(name))
            table[key] = re + 1j * im[0] if im else re
        return table if isinstance(like, Mapping) else table[self.keys[0]]


def _key(name: str, order: int) -> str:
    return f"{name}_{'t' * order}" if order else name


def read_many(
    data: InitialValues, initial: Sequence[object] | Values
) -> tuple[np.ndarray, list[Problem | None] | None]:
    """Many initial data as columns, and the problem of each that was not given as values; None where all were."""
    if are_values(initial):
        values = data.stack(initial)
        return values.reshape(len(values), -1), None
    if not isinstance(initial, Sequence) or isinstance(initial, str) or not initial:
        raise TypeError(
            "`initial` must be a list of initial data, or an array with one row of values for each; for a single one call "
            "`op(initial=...)`."
        )
    problems = [None if are_values(item) else data.problem.with_initial(item) for item in initial]
    columns = [
        data.stack(item) if are_values(item) else data.read(problem or data.problem)
        for item, problem in zip(initial, problems, strict=True)
    ]
    return np.column_stack(columns), problems


class InitialDatum:
    """Initial data that were given as values, as a function: what the computed solution is at the start."""

    def __init__(self, piece: Piece, fields: tuple[str, ...], order: int, axes: tuple[str, ...]):
        self.piece, self.fields, self.order, self.axes = piece, fields, order, axes
        self.__name__ = "values"

    def __call__(self, **coordinates: np.ndarray) -> np.ndarray:
        arrays = np.broadcast_arrays(*(np.asarray(coordinates[a], dtype=float) for a in self.axes))
        points = np.column_stack(
            [*(a.ravel() for a in arrays), np.full(arrays[0].size, self.piece.window[0])]
        )
        jets = [Jet(field, (*(0,) * len(self.axes), self.order)) for field in self.fields]
        re, *im = self.piece.values(jets, points).values()
        return (re + 1j * im[0] if im else re).reshape(arrays[0].shape)


class ManySolutions(Sequence):
    """Solutions of an operator by number, or all at once: a call gives values of shape (k, ...)."""

    problem: Problem
    """That of the operator."""

    @abstractmethod
    def solution(self, number: int) -> Solution:
        """One of them."""

    @one_thread
    def __getitem__(self, number: int) -> Solution:
        if not -len(self) <= number < len(self):
            raise IndexError(f"there are {len(self)} solutions, and number {number} is not among them.")
        return self.solution(number % len(self))

    def unknowns(
        self, fields: Mapping[str, np.ndarray], shape: tuple[int, ...]
    ) -> np.ndarray | dict[str, np.ndarray]:
        """Values of all solutions from those of real fields (k, points); for several unknowns a dictionary by name."""
        found = {}
        for name in self.problem.unknowns:
            re, *im = (fields[f].reshape(len(self), *shape) for f in self.problem.fields_of(name))
            found[name] = re + 1j * im[0] if im else re
        return found if len(found) > 1 else next(iter(found.values()))

    def __repr__(self) -> str:
        return f"<{len(self)} solutions of {self.problem!r}>"


def with_start(problem: Problem, piece: Piece) -> Problem:
    """The problem whose initial data are the start of a computed solution."""
    axes = problem.domain.names
    initial = {
        _key(name, order): InitialDatum(piece, problem.fields_of(name), order, axes)
        for name, order in problem.initial_data
    }
    return problem.with_initial(initial)


def changed(
    problem: Problem, initial: object, boundary: object, parameters: Mapping[str, object] | None
) -> Problem:
    """The problem with other data and parameters; an error where that changes the matrix.

    Values are no initial data that could be compared with others at the corners.
    """
    changes = {} if boundary is None else {"boundary": boundary}
    if parameters is not None:
        changes["parameters"] = {**problem.parameters, **parameters}
    if are_values(initial):
        changes["check_corners"] = False
    elif initial is not None:
        changes["initial"] = initial
    other = replace(problem, reference=None, **changes)
    moved = {
        n
        for n, value in other.parameters.items()
        if callable(value) and value is not problem.parameters.get(n)
    }
    for old, new in zip(_rows(problem), _rows(other), strict=False):
        names = {str(s).partition(".")[0] for part in new.linear_part.values() for s in part.symbols}
        if old.linear_part != new.linear_part or names & moved:
            raise ProblemError(
                f"{new.label} has other coefficients than that of the operator; only sources and data can be changed. Make another "
                "operator for this one."
            )
    if {f: len(r) for f, r in other.face_rows.items()} != {f: len(r) for f, r in problem.face_rows.items()}:
        raise ProblemError(
            "`boundary` has conditions on other faces than that of the operator; keep their left-hand sides and change the data, or make "
            "another operator."
        )
    return other


def _rows(problem: Problem) -> list:
    return [*problem.rows, *(row for rows in problem.face_rows.values() for row in rows)]
