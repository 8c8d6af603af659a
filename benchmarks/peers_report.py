# SPDX-License-Identifier: MIT
"""What the rows of peers.py say: points, bars, tables."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import harness

PROBLEMS = {
    "heat-1d": "heat 1-D",
    "allen-cahn": "Allen-Cahn, T = 0.1",
    "allen-cahn-long": "Allen-Cahn, T = 2",
    "burgers": "Burgers",
    "kdv-consistent": "KdV, consistent",
    "nls": "NLS",
    "heat-2d": "heat 2-D",
    "multiscale-1d": "multi-scale 1-D",
}
LRFM = ("lrfm, tolerance", "lrfm, parts")
PYPDE = ("py-pde, class", "py-pde, expression")
CONTENDERS = (*LRFM, *PYPDE, "spectral", "DeepXDE")
LEVELS = (1e-3, 1e-6, 1e-9)
# The bars.
SOLVE, FRESH, SMALLER = 100.0, 20.0, 100.0  # against DeepXDE: times faster, at an error so many times smaller
LEVEL, WINS = 1e-6, 6  # against py-pde: faster to this error on so many problems
IMPORT = 0.5  # seconds
NEAR = 1.1  # a training has reached its best error when it is within this factor of it

Rows = Mapping[str, harness.Row]


@dataclass(frozen=True)
class Point:
    """One answer: its error and what it took with and without imports and compilation."""

    error: float
    fresh: float
    solve: float


def points(rows: Rows, problem: str, *contenders: str) -> list[Point]:
    """All answers of some contenders to a problem, in the order of time; a curve counts as its points."""
    found = []
    for row in rows.values():
        if row.get("problem") != problem or row.get("contender") not in contenders:
            continue
        single = [(harness.number(row, "fresh"), harness.number(row, "solve"), harness.number(row, "error"))]
        for fresh, solve, error in row.get("curve") or single:
            if math.isfinite(error) and math.isfinite(fresh):
                found.append(Point(error, fresh, solve))
    return sorted(found, key=lambda p: p.fresh)


def least(found: list[Point], error: float, clock: str) -> float:
    """Seconds of the fastest answer with at most this error; NaN if there is none."""
    return min((getattr(p, clock) for p in found if p.error <= error), default=math.nan)


# Bars -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Duel:
    """DeepXDE's best on one problem, and how much faster lrfm is at an error a hundred times smaller."""

    problem: str
    error: float = math.nan
    solve: float = math.nan
    fresh: float = math.nan
    solve_ratio: float = math.nan
    fresh_ratio: float = math.nan

    @property
    def won(self) -> bool:
        return self.solve_ratio >= SOLVE and self.fresh_ratio >= FRESH


def duel(rows: Rows, problem: str) -> Duel:
    """Against the first moment at which the training was as good as it got."""
    trained = points(rows, problem, "DeepXDE")
    if not trained:
        return Duel(problem)
    best = min(p.error for p in trained)
    reached = next(p for p in trained if p.error <= NEAR * best)
    ours = points(rows, problem, *LRFM)
    wanted = reached.error / SMALLER
    return Duel(
        problem,
        reached.error,
        reached.solve,
        reached.fresh,
        reached.solve / least(ours, wanted, "solve"),
        reached.fresh / least(ours, wanted, "fresh"),
    )


@dataclass(frozen=True)
class Race:
    """Seconds to one part in a million in a fresh process; NaN: not reached."""

    problem: str
    tolerance: float
    parts: float
    by_class: float
    by_expression: float
    spectral: float

    @property
    def ours(self) -> float:
        return min((s for s in (self.tolerance, self.parts) if s == s), default=math.nan)

    @property
    def theirs(self) -> float:
        return min((s for s in (self.by_class, self.by_expression) if s == s), default=math.nan)

    def won(self, seconds: float) -> bool:
        """Whether these seconds beat py-pde's best; also if py-pde does not get there."""
        return seconds == seconds and not self.theirs <= seconds


def race(rows: Rows, problem: str) -> Race:
    names = (*LRFM, *PYPDE, "spectral")
    return Race(problem, *(least(points(rows, problem, n), LEVEL, "fresh") for n in names))


def tried(rows: Rows, contenders: tuple[str, ...]) -> bool:
    """Whether every problem was given to one of the contenders at least."""
    seen = {row["problem"] for row in rows.values() if row.get("contender") in contenders}
    return seen == set(PROBLEMS)


def bars(rows: Rows) -> dict[str, tuple[str, str]]:
    """What is asked, whether it holds ("yes", "no", "not measured"), and what was measured."""
    duels = [d for d in (duel(rows, p) for p in PROBLEMS) if math.isfinite(d.error)]
    races = [race(rows, p) for p in PROBLEMS]
    took = harness.number(rows.get("import", {}), "import_seconds")
    won, alone = sum(r.won(r.ours) for r in races), sum(r.won(r.tolerance) for r in races)
    lost = ", ".join(PROBLEMS[d.problem] for d in duels if not d.won)
    verdict = lambda known, good: ("yes" if good else "no") if known else "not measured"  # noqa: E731
    return {
        f"DeepXDE: {SOLVE:g} times faster (solve) and {FRESH:g} times (fresh) at {SMALLER:g} times smaller error": (
            verdict(tried(rows, LRFM) and tried(rows, ("DeepXDE",)), all(d.won for d in duels)),
            f"{sum(d.won for d in duels)} of {len(duels)}" + (f"; not {lost}" if lost else ""),
        ),
        f"py-pde: faster to {harness.show(LEVEL, 0)} in a fresh process on {WINS} of {len(PROBLEMS)}": (
            verdict(tried(rows, LRFM) and tried(rows, PYPDE), won >= WINS),
            f"{won} with a tolerance or with parts, {alone} with a tolerance alone",
        ),
        f"`import lrfm` under {IMPORT:g} s": (verdict(math.isfinite(took), took < IMPORT), seconds(took)),
    }


# Tables -----------------------------------------------------------------------------------------


def seconds(value: float) -> str:
    """Three digits; milliseconds below a tenth; a dash for nothing."""
    if math.isnan(value):
        return "-"
    return f"{1000 * value:.3g} ms" if value < 0.1 else f"{value:.3g} s"


def levels_table(rows: Rows, clock: str) -> str:
    """Seconds to three levels of error."""
    cells = []
    for problem, title in PROBLEMS.items():
        for level in LEVELS:
            row = [seconds(least(points(rows, problem, c), level, clock)) for c in CONTENDERS]
            cells.append([title if level == LEVELS[0] else "", harness.show(level, 0), *row])
    return harness.table(("problem", "error at most", *CONTENDERS), cells)


def duels_table(rows: Rows) -> str:
    cells = []
    for d in (duel(rows, p) for p in PROBLEMS):
        ratio = lambda v: "-" if math.isnan(v) else f"{v:.0f}"  # noqa: E731
        cells.append(
            [
                PROBLEMS[d.problem],
                harness.show(d.error),
                seconds(d.solve),
                seconds(d.fresh),
                ratio(d.solve_ratio),
                ratio(d.fresh_ratio),
                "-" if math.isnan(d.error) else "yes" if d.won else "**no**",
            ]
        )
    head = (
        "problem",
        "DeepXDE, error",
        "its training",
        "fresh",
        "lrfm faster, solve",
        "lrfm faster, fresh",
        "holds",
    )
    return harness.table(head, cells)


def races_table(rows: Rows) -> str:
    cells = []
    for r in (race(rows, p) for p in PROBLEMS):
        times = (r.tolerance, r.parts, r.by_class, r.by_expression, r.spectral)
        known = math.isfinite(r.ours) or math.isfinite(r.theirs)
        mark = ("yes" if r.won(r.ours) else "**no**") if known else "-"
        cells.append([PROBLEMS[r.problem], *map(seconds, times), mark])
    return harness.table(("problem", *LRFM, *PYPDE, "spectral", "lrfm first"), cells)


def misses(rows: Rows) -> str:
    """Runs that gave no answer, with the reason; what was therefore not tried is not listed."""
    bad = [
        f"- {row['key']}: {row['status']}"
        for row in rows.values()
        if row.get("problem") and not str(row["status"]).startswith(("solved", "not run"))
    ]
    return "\n".join(bad) or "Every run gave an answer."


def bars_table(rows: Rows) -> str:
    return harness.table(
        ("what must hold", "holds", "measured"), [(w, h, m) for w, (h, m) in bars(rows).items()]
    )


def report(rows: Rows) -> str:
    """Everything, for the terminal."""
    parts = (levels_table(rows, "fresh"), levels_table(rows, "solve"), duels_table(rows), races_table(rows))
    return "\n\n".join((*parts, misses(rows), bars_table(rows)))
