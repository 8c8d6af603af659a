# SPDX-License-Identifier: MIT
"""Methods with their own arguments: `lrfm.solve(problem, method=lrfm.Lines(...))` or `method=lrfm.SpaceTime(...)`.

`solve` has what every method has: a tolerance, limits, a seed. What one of them has alone is an argument of its object.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

from lrfm.problem import Problem
from lrfm.problem.calls import naming
from lrfm.problem.errors import shown, suggest

if TYPE_CHECKING:
    import numpy as np

    from lrfm.solution.solution import Solution
    from lrfm.solver.budget import Plan
    from lrfm.solver.run import Run
    from lrfm.spacetime.attempts import ChosenAttempts, GivenAttempt
    from lrfm.spacetime.features import TrialSpace
    from lrfm.spacetime.least_squares import LeastSquares, backends
    from lrfm.spacetime.operators import Operator
    from lrfm.spacetime.windows.collocation import Collocation
    from lrfm.spacetime.windows.nonlinear import Iteration

SPACES = ("auto", "cells", "series", "features")
LINEAR = ("scipy", "petsc")
METHODS = ("auto", "lines", "space-time")
MAX_FEATURES = 4000
PARTS = ("space", "collocation", "least_squares", "nonlinear")  # of `SpaceTime`, by hand


@naming
@dataclass(frozen=True)
class Lines:
    """The method of lines: functions of space with coefficients of time, implicit steps in time.

    Parameters
    ----------
    space
        The functions: ``"cells"``, polynomials on cells that follow the solution, on any domain; ``"series"``, Fourier, sine, cosine or Legendre series on
        boxes; ``"features"``, on an interval, random tanh features of each cell's own coordinate, made orthonormal on it, in the place of its polynomials: the same
        rules otherwise, `seed` draws them, and the comparison solve is by polynomials, so that the two have nothing in common but the statement; ``"auto"``,
        what suits the statement.
    linear
        What solves sparse systems of cells of the plane and of space: ``"scipy"``, or ``"petsc"`` on all processes that `mpiexec` has started, each of which makes
        the same call. See docs/distributed.md.

    Examples
    --------
    >>> import lrfm
    >>> lrfm.solve(lrfm.catalog.heat_1d(), tol=1e-3, method=lrfm.Lines()).report.method
    'lines'
    """

    space: str = "auto"
    linear: str = "scipy"

    def __post_init__(self) -> None:
        for name, given, valid in (("space", self.space, SPACES), ("linear", self.linear, LINEAR)):
            if given not in valid:
                near = suggest(given, valid) if isinstance(given, str) else ""
                raise ValueError(
                    f"`{name}={shown(given)}` of `lrfm.Lines` is not known; expected one of {', '.join(valid)}.{near}"
                )
        if self.linear == "petsc":
            if self.space in ("series", "features"):
                raise ValueError(
                    f"`linear='petsc'` solves the sparse systems of cells of the plane, and `space='{self.space}'` has none; drop one of them."
                )
            object.__setattr__(self, "space", "cells")


@naming
@dataclass(frozen=True)
class SpaceTime:
    """The paper's method: features of space and time, fitted by least squares in one block of time after the other.

    Parameters
    ----------
    features
        Automatic choice at this fixed number of features per field (and block), instead of one to meet `tol`.
    blocks
        Number of blocks in time, or their inner edges; chosen if left out (1 with parts by hand).
    space, collocation, least_squares, nonlinear
        Parts by hand; with `space` nothing is searched, and what else is left out takes its default.
    backend
        Where matrices are computed and factored: ``"numpy"``, ``"torch"``, or ``"torch:DEVICE"`` such as ``"torch:cuda"``.
    max_features
        Limit of the automatic choice: columns of one block.

    Examples
    --------
    >>> import lrfm
    >>> solution = lrfm.solve(lrfm.catalog.heat_1d(), method=lrfm.SpaceTime(features=60, blocks=1))
    >>> solution.report.engine.features, solution.report.engine.blocks
    (60, 1)
    """

    features: int | None = None
    blocks: int | Sequence[float] | None = None
    space: TrialSpace | None = None
    collocation: Collocation | None = None
    least_squares: LeastSquares | None = None
    nonlinear: Iteration | None = None
    backend: str | backends.Backend = "numpy"
    max_features: int = MAX_FEATURES

    @property
    def parts(self) -> dict[str, Any]:
        """What can be given by hand, by name."""
        return {name: getattr(self, name) for name in PARTS}

    @property
    def asked(self) -> str:
        """How it was asked for, in messages."""
        plain = all(getattr(self, item.name) is item.default for item in fields(self))
        return "method='space-time'" if plain else "method=lrfm.SpaceTime(...)"

    # The engine is loaded by what follows, and by nothing else: who does not ask for it never meets it.

    def check(self) -> None:
        """Refuse a size that is none, and parts that are not what their name says."""
        from lrfm.spacetime import front

        front.check(self)

    def attempts(self, run: Run, tol: float | None, start: Solution | None) -> GivenAttempt | ChosenAttempts:
        """What is tried: one attempt with the parts given by hand, or a search for the settings."""
        from lrfm.spacetime import front

        return front.attempts(self, run, tol, start)

    def plan(self, problem: Problem, estimate: bool) -> Plan:
        """What a solve will take."""
        from lrfm.spacetime import front

        return front.plan(self, problem, estimate)

    def operator(self, problem: Problem, seed: int, max_memory: str | int | None) -> Operator:
        """The operator of a linear problem with the parts given by hand."""
        from lrfm.spacetime import front

        return front.operator(self, problem, seed, max_memory)

    @staticmethod
    def operator_of(problem: Problem, solution: Solution, edges: np.ndarray, seed: int) -> Operator:
        """The operator of a linear problem with the parts of a solution."""
        from lrfm.spacetime.operators import Operator

        return Operator(problem, edges, solution.parts, seed, solution)

    @staticmethod
    def part(name: str, section: object, place: str) -> object:
        """A part from its table in a file."""
        from lrfm.spacetime import reading

        return reading.part(name, section, place)

    @staticmethod
    def stored() -> tuple[type, ...]:
        """Classes that a checkpoint may hold beside those of a solution."""
        from lrfm.spacetime.search import Choice, Setting
        from lrfm.spacetime.windows.window import Solved

        return Solved, Setting, Choice


@dataclass(frozen=True)
class Auto:
    """Lines wherever they apply, with functions as in `Lines`; what these come to no estimate of, in space and time, with at most so many features."""

    max_features: int = MAX_FEATURES
    space: str = "auto"


Method = Auto | Lines | SpaceTime
OWN = tuple(item.name for item in fields(SpaceTime))  # arguments of `solve` until version 0.2


def method_of(given: object) -> Method:
    """The method behind what was given: one of the objects, or their names.

    >>> method_of("lines")
    Lines(space='auto', linear='scipy')
    """
    if isinstance(given, Auto | Lines | SpaceTime):
        return given
    found = {"auto": Auto(), "lines": Lines(), "space-time": SpaceTime()}
    if isinstance(given, str) and given in found:
        return found[given]
    if given in (Lines, SpaceTime):
        name = getattr(given, "__name__", "")
        raise TypeError(f"`method=lrfm.{name}` is a class; write `method=lrfm.{name}()`.")
    near = suggest(given, METHODS) if isinstance(given, str) else ""
    raise ValueError(
        f"`method={shown(given)}` is not known; expected one of {', '.join(METHODS)}, or `lrfm.Lines(...)` or `lrfm.SpaceTime(...)`.{near}"
    )


def with_linear(given: object, linear: str) -> Method:
    """A method whose sparse systems are solved by another library."""
    method = method_of(given)
    if isinstance(method, SpaceTime):
        raise ValueError(
            f"`linear={shown(linear)}` is an argument of lines, and `{method.asked}` has no sparse systems; drop one of them."
        )
    return Lines(space=method.space, linear=linear)


def by_hand(options: Mapping[str, Any]) -> bool:
    """Whether options of `solve` have a trial space, so that nothing is searched."""
    method = options.get("method")
    return isinstance(method, SpaceTime) and method.space is not None


def own_solver(options: Mapping[str, Any]) -> LeastSquares | None:
    """The least-squares solver among options of `solve`."""
    return getattr(options.get("method"), "least_squares", None)


def method_object(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options of `solve` in which arguments of `SpaceTime` that stand among them are put into `method`.

    >>> method_object({"tol": 1e-3, "features": 80, "blocks": None})
    {'tol': 0.001, 'method': SpaceTime(features=80, blocks=None, space=None, collocation=None, least_squares=None, nonlinear=None, \
backend='numpy', max_features=4000)}
    """
    rest = {name: value for name, value in options.items() if name not in OWN}
    own = {name: options[name] for name in OWN if options.get(name) is not None}
    if not own:
        return rest
    method = method_of(rest.get("method", "auto"))
    asked = [name for name in own if name != "max_features" and (name, own[name]) != ("backend", "numpy")]
    if isinstance(method, Lines):
        if asked:
            raise ValueError(
                f"`method='lines'` was given with `{asked[0]}`, which is a part of the method in space and time; drop one of them."
            )
        return rest
    if isinstance(method, Auto) and not asked:
        return {**rest, "method": replace(method, max_features=own.get("max_features", method.max_features))}
    base = method if isinstance(method, SpaceTime) else SpaceTime(max_features=method.max_features)
    if "space" in own and "features" not in own:  # one of a file gives way to the other of a call
        base = replace(base, features=None)
    elif "features" in own and "space" not in own:
        base = replace(base, space=None)
    return {**rest, "method": replace(base, **own)}


def spelled(names: Sequence[str]) -> str:
    """How arguments of `SpaceTime` are written."""
    return f"method=lrfm.SpaceTime({', '.join(f'{name}=...' for name in names)})"


def warn_of(old: Sequence[str], where: str, level: int) -> None:
    """Say that some arguments stand elsewhere now, and how they are written."""
    listed, many = ", ".join(f"`{name}`" for name in old), len(old) > 1
    warnings.warn(
        f"{listed} {'belong' if many else 'belongs'} to the method in space and time: write `{spelled(old)}`. "
        f"The next version of `{where}` takes {'them' if many else 'it'} there only.",
        FutureWarning,
        stacklevel=level + 1,
    )
