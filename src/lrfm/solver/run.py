# SPDX-License-Identifier: MIT
"""One run with given parts: a march, a second march with independent draws for the estimate, and the report on both."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from pathlib import Path

import numpy as np

from lrfm.error.indicators import hear
from lrfm.linalg.threads import suited_to
from lrfm.problem import Jet, Problem
from lrfm.rows.expansion import Expansion
from lrfm.solution import io as files
from lrfm.solution.io.document import classes, records, statement
from lrfm.solution.report import Report
from lrfm.solution.solution import Solution
from lrfm.solver.march import block_rng, march
from lrfm.solver.propagator import Propagator
from lrfm.solver.settings import OutOfTime, Setting
from lrfm.solver.window import FRESH, Parts, Solved, solve_window

Progress = Callable[[str, int, int], None]
PartsOf = Callable[[int, tuple[float, float], Expansion | None], Parts]
FIRST, SECOND, COMPARE, RETUNE, HELD = range(5)  # purposes of independent random streams
MANY = 64  # blocks from which on a march is long
REDRAW = 16  # blocks that share one factorization: the same draw for ever lets the block map's own modes grow


@dataclass(frozen=True)
class _Guess:
    """A whole solution in the place of a window's expansion."""

    solution: Solution

    def values(self, jets: Sequence[Jet], points: np.ndarray) -> dict[Jet, np.ndarray]:
        return self.solution.jets(jets, points)


@dataclass
class Run:
    """A problem with parts, blocks and a seed, ready to march.

    `parts_of(block, window, previous)` may give other parts for later blocks; `mend(block, window, previous, solved)`
    may replace a block that came out worse than those before. `vary(parts)` changes the parts of the second draw, so that
    the two do not share what their settings have in common. `propagate` lets blocks of a linear problem share one
    factorization where its coefficients do not change in time. `start` is a guess of the solution. What the first two
    remember from block to block is in `memory`, which is kept with a checkpoint. `watch(draw)` is called before each block and
    after each Newton step, and may raise `OutOfTime`: the second march is then left out, the first one is broken off.
    """

    problem: Problem
    parts: Parts
    edges: np.ndarray
    seed: int
    progress: Progress | None = None
    parts_of: PartsOf | None = None
    mend: Callable[[int, tuple[float, float], Expansion | None, Solved], Parts | None] | None = None
    memory: dict[str, list] = field(default_factory=dict)
    vary: Callable[[Parts], Parts] | None = None
    propagate: bool = False
    start: Solution | None = None
    watch: Callable[[int], None] | None = None
    used: dict[int, Parts] = field(default_factory=dict)
    _propagator: dict[int, tuple] = field(default_factory=dict)

    def both(
        self, estimate: bool, checkpoint: str | Path | None = None
    ) -> tuple[list[Solved], list[Solved] | None]:
        """The march and, if asked for, the second one for the estimate."""
        self._done, self._total = 0, (len(self.edges) - 1) * (2 if estimate else 1)
        first = self.march(FIRST, checkpoint, None)
        if not estimate or len(first) < len(self.edges) - 1:
            return first, None
        try:
            return first, self.march(SECOND, None, first)
        except OutOfTime:
            return first, None

    def march(self, draw: int, checkpoint: str | Path | None, guess: Sequence[Solved] | None) -> list[Solved]:
        """Solve all blocks with one draw of features and points."""

        def block(number: int, window: tuple[float, float], before: Solved | None) -> Solved:
            previous = before.expansion if before else None
            solved = self._block(number, window, previous, draw, guess)
            self._done += 1
            if self.progress:
                self.progress("solving" if draw == FIRST else "estimating the error", self._done, self._total)
            return solved

        fingerprint = self.fingerprint() if checkpoint else {}
        saved = self._resume(checkpoint, fingerprint) if checkpoint else []
        self._done += len(saved)
        keep = lambda pieces: write_checkpoint(checkpoint, fingerprint, pieces, self.memory)  # noqa: E731
        after = keep if checkpoint else None
        return march(block, self.edges, saved, after, stop=lambda s: not np.isfinite(s.report.residual))

    def _resume(self, checkpoint: str | Path, fingerprint: dict[str, object]) -> list[Solved]:
        saved, memory = read_checkpoint(checkpoint, fingerprint)
        for name, items in memory.items():
            self.memory.setdefault(name, [])[:] = items
        return saved

    def _block(
        self,
        number: int,
        window: tuple[float, float],
        previous: Expansion | None,
        draw: int,
        guess: Sequence[Solved] | None,
    ) -> Solved:
        self._look(draw)
        start = guess[number].expansion if guess else self.start and _Guess(self.start)
        parts = self._parts(number, window, previous, draw)
        if self.propagate and Propagator.applies(self.problem, parts):
            solved = self._propagated(number, window, previous, draw)
            if solved is not None:
                return solved
        solve = lambda parts: solve_window(  # noqa: E731
            self.problem,
            parts,
            window,
            previous,
            block_rng(self.seed, number, draw),
            start,
            lambda number, step: self._look(draw),
        )
        solved = solve(parts)
        other = self.mend(number, window, previous, solved) if self.mend and draw == FIRST else None
        if other is not None:
            again = solve(other)
            if again.report.residual < solved.report.residual:
                solved, self.used[number] = again, other
        return solved

    def _look(self, draw: int) -> None:
        if self.watch:
            self.watch(draw)

    def _parts(
        self, number: int, window: tuple[float, float], previous: Expansion | None, draw: int
    ) -> Parts:
        if number not in self.used:
            self.used[number] = self.parts_of(number, window, previous) if self.parts_of else self.parts
        parts = self.used[number]
        return self.vary(parts) if draw == SECOND and self.vary else parts

    def _propagated(
        self, number: int, window: tuple[float, float], previous: Expansion | None, draw: int
    ) -> Solved | None:
        """A block by the factorization of its group's first window; None where the lengths differ."""
        first = number - number % REDRAW
        opening = (float(self.edges[first]), float(self.edges[first + 1]))
        length = window[1] - window[0]
        if abs(opening[1] - opening[0] - length) > 1e-9 * length:
            return None
        if self._propagator.get(draw, (None,))[0] != first:
            # Made from the group's first window even when a march resumes in its middle, so that it is the same map.
            parts = self._parts(first, opening, previous, draw)
            made = Propagator(self.problem, parts, opening, block_rng(self.seed, first, draw))
            self._propagator[draw] = (first, made)
        propagator = self._propagator[draw][1]
        # A block costs less than its check at many points; of a long march each block gets fewer.
        fresh = FRESH if draw == FIRST and len(self.edges) <= MANY else 100
        solved = propagator.step(window, previous, block_rng(self.seed, number, HELD), fresh)
        if draw == FIRST and len(self.edges) > 2:
            solved = replace(solved, report=replace(solved.report, growth=propagator.growth))
        return solved

    def fingerprint(self) -> dict[str, object]:
        """What a checkpoint belongs to."""
        return {
            # Encoded, a function is its name; its address would be another one in the next process.
            "statement": json.dumps(files.encode(statement(self.problem))[0], sort_keys=True),
            "parts": describe(self.parts),
            "edges": [float(e) for e in self.edges],
            "seed": self.seed,
        }

    def report(
        self, first: Sequence[Solved], second: Sequence[Solved] | None, tol: float | None, seconds: float
    ) -> Report:
        """The statement on both marches."""
        reports = [s.report for s in first]
        held = max(r.residual for r in reports)
        complete = second is not None and len(second) == len(first)
        with suited_to(reports[0].columns):
            verdict = hear(
                self.problem,
                [s.expansion for s in first],
                [s.expansion for s in second] if complete else None,
                held,
                block_rng(self.seed, 0, COMPARE),
                [1.0 if r.growth is None else r.growth for r in reports],
            )
        return Report.of(
            reports,
            seed=self.seed,
            parts=describe(self.parts),
            asked=len(self.edges) - 1,
            seconds=seconds,
            tolerance=tol,
            l2=verdict.l2,
            linf=verdict.linf,
            indicators=verdict.witnesses,
            decided_by=verdict.spoke,
            invariants=verdict.drifts,
            warnings=verdict.warnings,
            ill_posed=verdict.ill_posed,
        )


def describe(parts: Parts) -> dict[str, str]:
    """The parts in words that can be typed back in."""
    return {f.name: spell(getattr(parts, f.name)) for f in fields(parts)}


def spell(part: object) -> str:
    """`Class(argument=value, …)` with the arguments that differ from their defaults."""
    if not is_dataclass(part):
        return repr(part)
    shown = []
    for item in fields(part):
        value = getattr(part, item.name)
        if isinstance(value, np.ndarray):
            digest = hashlib.sha256(value.tobytes()).hexdigest()[:8]
            shown.append(f"{item.name}=<array {value.shape} {digest}>")
        elif value != item.default:
            shown.append(
                f"{item.name}={spell(value)}" if is_dataclass(value) else f"{item.name}={_plain(value)}"
            )
    return f"{type(part).__name__}({', '.join(shown)})"


def _plain(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.6g}" if float(f"{value:.6g}") == value else repr(float(value))
    if isinstance(value, tuple):
        return f"({', '.join(map(_plain, value))}{',' if len(value) == 1 else ''})"
    return repr(value)


def write_checkpoint(
    path: str | Path, fingerprint: dict[str, object], pieces: list[Solved], memory: dict
) -> None:
    """Keep all blocks so far, whole or not at all."""
    content = {"fingerprint": fingerprint, "pieces": list(pieces), "memory": memory}
    files.write_archive(path, *files.encode(content, records=records()))


def read_checkpoint(path: str | Path, fingerprint: dict[str, object]) -> tuple[list[Solved], dict[str, list]]:
    """Blocks of an earlier march with the same statement, parts, edges and seed, and what it remembered."""
    if not Path(path).exists():
        return [], {}
    body, arrays = files.read_archive(path)
    if "fingerprint" not in body:
        raise files.FileFormatError(f"{path} is no checkpoint, and would be overwritten; name another file.")
    content = files.decode(body, arrays, classes() | {"Solved": Solved, "Setting": Setting})
    found = content.get("fingerprint") or {}
    if found != fingerprint:
        changed = [k for k in fingerprint if found.get(k) != fingerprint[k]]
        raise ValueError(
            f"The checkpoint {path} belongs to another march (different: {', '.join(changed)}); "
            "delete it or name another file."
        )
    return list(content["pieces"]), content["memory"]
