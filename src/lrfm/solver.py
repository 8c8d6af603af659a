# SPDX-License-Identifier: MIT
"""The front door: wires the rooms, makes the random streams."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import fields, is_dataclass
from pathlib import Path

import numpy as np

from lrfm import __version__, files
from lrfm.collocation import Collocation
from lrfm.estimate import SAFETY, UNRESOLVED, difference
from lrfm.expansion import Expansion
from lrfm.features import Liquid
from lrfm.features.stored import space_classes
from lrfm.least_squares import LeastSquares
from lrfm.marching import block_edges, block_rng, march
from lrfm.nonlinear import Iteration
from lrfm.planning import Plan, check_memory, make_plan
from lrfm.problem import Problem
from lrfm.report import BlockReport, Report
from lrfm.solution import Solution, statement
from lrfm.tuning import choose_parts
from lrfm.window import Parts, Solved, solve_window

Progress = Callable[[str, int, int], None]
FIRST, SECOND = 0, 1  # the two independent draws


class ConvergenceError(RuntimeError):
    """The answer cannot be trusted; `solution` is the best one there is."""

    def __init__(self, message: str, solution: Solution | None = None):
        super().__init__(message)
        self.solution = solution


def solve(
    problem: Problem,
    *,
    space: Liquid | None = None,
    collocation: Collocation | None = None,
    least_squares: LeastSquares | None = None,
    nonlinear: Iteration | None = None,
    blocks: int | Sequence[float] = 1,
    features: int | None = None,
    tol: float | None = None,
    seed: int = 0,
    estimate: bool = True,
    strict: bool = True,
    max_memory: str | int | None = None,
    checkpoint: str | Path | None = None,
    progress: Progress | None = None,
) -> Solution:
    """Solve F(x, t, {D^a u}) = 0 by least squares on its residual over space and time.

    Parameters
    ----------
    problem
        The statement.
    space, collocation, least_squares, nonlinear
        Chosen parts; each that is left out is chosen from the statement.
    blocks
        Number of blocks in time, or their inner edges.
    features
        Number of features per field for the default trial space.
    tol
        Relative error that the estimate is compared with.
    seed
        One number that fixes every random draw; it is recorded in the report.
    estimate
        Whether to solve a second time with independent draws and report the difference as the error.
    strict
        Whether an answer that cannot be trusted is raised (`ConvergenceError`, with the solution) or returned.
    max_memory
        A limit such as ``"4GB"``; without it, what the machine has available.
    checkpoint
        A file written after each block; a march that was broken off continues from it, bit for bit.
    progress
        Called as progress(stage, done, total).

    Raises
    ------
    ConvergenceError
        When the iteration did not converge, the residual on fresh points is large, or `tol` was not met.
    """
    began = time.perf_counter()
    edges, parts = _prepare(problem, blocks, features, space, collocation, least_squares, nonlinear)
    check_memory(make_plan(problem, parts, len(edges) - 1, estimate), max_memory)
    seed = _check_seed(seed)
    total = (len(edges) - 1) * (2 if estimate else 1)
    runner = _Runner(problem, parts, edges, seed, progress, total)
    first = runner.march(FIRST, checkpoint, None)
    second = runner.march(SECOND, None, first) if estimate and len(first) == len(edges) - 1 else None
    report = _report(problem, parts, first, second, seed, tol, time.perf_counter() - began)
    solution = Solution(problem, [s.expansion for s in first], report)
    if strict and report.status != "solved":
        raise ConvergenceError(_advice(report), solution)
    return solution


def plan(
    problem: Problem,
    *,
    space: Liquid | None = None,
    collocation: Collocation | None = None,
    least_squares: LeastSquares | None = None,
    nonlinear: Iteration | None = None,
    blocks: int | Sequence[float] = 1,
    features: int | None = None,
    estimate: bool = True,
) -> Plan:
    """Rows, columns, bytes and an estimate of seconds of `solve` with the same arguments; nothing is solved."""
    edges, parts = _prepare(problem, blocks, features, space, collocation, least_squares, nonlinear)
    return make_plan(problem, parts, len(edges) - 1, estimate)


def _prepare(problem, blocks, features, space, collocation, least_squares, nonlinear) -> tuple[np.ndarray, Parts]:
    if not isinstance(problem, Problem):
        raise TypeError(f"`solve` was given a {type(problem).__name__}; expected a `lrfm.Problem`.")
    if space is not None and features is not None:
        raise ValueError("Both `space` and `features` were given; `features` is the size of the default space only.")
    edges = block_edges(problem.time, blocks)
    given = {"space": space, "collocation": collocation, "least_squares": least_squares, "nonlinear": nonlinear}
    return edges, choose_parts(problem, float(np.min(np.diff(edges))), given, features)


def _check_seed(seed: int) -> int:
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise ValueError(f"`seed={seed!r}` must be a whole number that is not negative.")
    return int(seed)


class _Runner:
    """One march per draw, with checkpoints and progress."""

    def __init__(self, problem: Problem, parts: Parts, edges: np.ndarray, seed: int, progress: Progress | None, total: int):
        self.problem, self.parts, self.edges, self.seed = problem, parts, edges, seed
        self.progress, self.total, self.done = progress, total, 0

    def march(self, draw: int, checkpoint: str | Path | None, guess: Sequence[Solved] | None) -> list[Solved]:
        def block(number: int, window: tuple[float, float], previous: Solved | None) -> Solved:
            solved = solve_window(
                self.problem,
                self.parts,
                window,
                previous.expansion if previous else None,
                block_rng(self.seed, number, draw),
                start=guess[number].expansion if guess else None,
            )
            self.done += 1
            if self.progress:
                self.progress("solving" if draw == FIRST else "estimating the error", self.done, self.total)
            return solved

        saved = _read_checkpoint(checkpoint, self.fingerprint()) if checkpoint else []
        self.done += len(saved)
        after = (lambda pieces: _write_checkpoint(checkpoint, self.fingerprint(), pieces)) if checkpoint else None
        return march(block, self.edges, saved, after, stop=lambda s: not np.isfinite(s.report.residual))

    def fingerprint(self) -> dict[str, object]:
        """What a checkpoint belongs to."""
        return {
            "statement": repr(statement(self.problem)),
            "parts": describe(self.parts),
            "edges": [float(e) for e in self.edges],
            "seed": self.seed,
        }


def describe(parts: Parts) -> dict[str, str]:
    """The parts in words that can be typed back in."""
    return {f.name: _spell(getattr(parts, f.name)) for f in fields(parts)}


def _spell(part: object) -> str:
    """`Class(argument=value, …)` with the arguments that differ from their defaults."""
    if not is_dataclass(part):
        return repr(part)
    shown = []
    for item in fields(part):
        value = getattr(part, item.name)
        if isinstance(value, np.ndarray):
            shown.append(f"{item.name}=<array {value.shape}>")
        elif value != item.default:
            shown.append(f"{item.name}={_spell(value) if is_dataclass(value) else repr(value)}")
    return f"{type(part).__name__}({', '.join(shown)})"


def _checkpoint_classes() -> dict[str, type]:
    return {**space_classes(), "Expansion": Expansion, "BlockReport": BlockReport, "Solved": Solved}


def _write_checkpoint(path: str | Path, fingerprint: dict[str, object], pieces: list[Solved]) -> None:
    body, arrays = files.encode({"fingerprint": fingerprint, "pieces": list(pieces)})
    files.write_archive(path, body, arrays)


def _read_checkpoint(path: str | Path, fingerprint: dict[str, object]) -> list[Solved]:
    if not Path(path).exists():
        return []
    content = files.decode(*files.read_archive(path), _checkpoint_classes())
    found = content.get("fingerprint")
    if found != fingerprint:
        changed = [k for k in fingerprint if not found or found.get(k) != fingerprint[k]]
        raise ValueError(
            f"The checkpoint {path} belongs to another march (different: {', '.join(changed)}); "
            "delete it or name another file."
        )
    return list(content["pieces"])


def _report(
    problem: Problem,
    parts: Parts,
    first: Sequence[Solved],
    second: Sequence[Solved] | None,
    seed: int,
    tol: float | None,
    seconds: float,
) -> Report:
    reports = [s.report for s in first]
    held = max(r.residual for r in reports)
    l2 = linf = float("nan")
    warnings = list(problem.warnings)
    if second is not None and len(second) == len(first):
        pair = [s.expansion for s in first], [s.expansion for s in second]
        l2, linf = (SAFETY * d for d in difference(problem, *pair, block_rng(seed, 0, 2)))
    if not held < UNRESOLVED:
        l2 = linf = float("inf") if second is not None else float("nan")
        warnings.append(
            f"The residual on fresh points is {held:.1e} of the solution: it is not resolved, and no error is claimed."
        )
    status = _status(reports, held, l2, tol)
    conditions = [r.condition for r in reports if r.condition is not None]
    return Report(
        error_estimate=l2,
        residual=held,
        features=reports[0].columns,
        rows=reports[0].rows,
        rank=min(r.rank for r in reports),
        condition=max(conditions, default=float("nan")),
        steps=max(r.steps for r in reports),
        blocks=len(reports),
        seconds=seconds,
        seed=seed,
        warnings=tuple(warnings),
        status=status,
        max_error_estimate=linf,
        tolerance=tol,
        block_reports=tuple(reports),
        parts=describe(parts),
        version=__version__,
    )


def _status(reports: Sequence[BlockReport], held: float, estimate: float, tol: float | None) -> str:
    failed = [i for i, r in enumerate(reports, 1) if not r.converged]
    if failed:
        return f"not converged: block {failed[0]}, {reports[failed[0] - 1].reason}"
    if not held < UNRESOLVED:
        return "not resolved"
    if tol is not None and not estimate <= tol:
        return "tolerance not met"
    return "solved"


def _advice(report: Report) -> str:
    if report.status == "not resolved":
        return (
            f"The trial space does not resolve the solution: residual {report.residual:.1e} on fresh points. Use more "
            "features, shorter blocks, or check the statement (sign of diffusion, a shock). "
            "The best iterate is in `.solution`; `strict=False` returns it."
        )
    if report.status == "tolerance not met":
        return (
            f"The error estimate {report.error_estimate:.1e} is above tol={report.tolerance:.1e}. Use more features or "
            "blocks. The solution is in `.solution`; `strict=False` returns it."
        )
    return (
        f"{report.status[0].upper()}{report.status[1:]}. Use shorter blocks (`blocks=...`), more features or more steps. "
        "The best iterate is in `.solution`; `strict=False` returns it."
    )



