# SPDX-License-Identifier: MIT
"""The part of a report that belongs to the engine: its own numbers, in its own words, and none of another's."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from lrfm.solution.report import Report

Entries = list[tuple[str, str]]
CELLS, MODES = "cells", "modes"  # among the words of an engine: how many there were


class EnginePart(Protocol):
    """What one engine has to say of itself; a frozen dataclass, whose fields are numbers."""

    @property
    def size(self) -> str:
        """How large it is, in two words."""
        ...

    @property
    def chosen(self) -> str:
        """What was chosen, in one line."""
        ...

    def entries(self) -> Entries:
        """Name and value of what `chosen` does not say, and is not among the parts, formatted."""
        return []


@dataclass(frozen=True)
class LinesPart(EnginePart):
    """The method of lines: `functions` of space made from random `features`, `steps` in time, on `bases` sets of functions one after another.

    `points` are those of space at which equations are integrated, over all equations.
    """

    functions: int
    features: int
    points: int
    steps: int
    bases: int
    scheme: str = ""

    @classmethod
    def of(cls, report: Report) -> LinesPart:
        steps = _steps(report)
        return cls(
            report.rank, report.features, report.rows, steps, report.blocks, report.parts.get("scheme", "")
        )

    @property
    def size(self) -> str:
        return _count(self.functions, "function")

    @property
    def chosen(self) -> str:
        scheme = f" ({self.scheme})" if self.scheme else ""
        return f"method of lines: {self.size} of space, {_count(self.steps, 'step')} in time{scheme}"

    def entries(self) -> Entries:
        return [("points in space", f"{self.points}"), ("sets of functions", f"{self.bases}")]


@dataclass(frozen=True)
class CellsPart(EnginePart):
    """The method of lines on cells: `fewest` to `most` cells with polynomials up to some `degree`, to which it may have risen, or as many other `functions`, `steps` in time.

    `regrids` count changes of the cells, `rejected` steps that were repeated.
    """

    fewest: int
    most: int
    degree: int
    steps: int
    regrids: int
    rejected: int
    scheme: str = ""
    functions: str = "polynomials"

    @classmethod
    def of(cls, report: Report) -> CellsPart:
        steps = _steps(report)
        fewest, _, most = report.parts.get(CELLS, "0").partition(" to ")
        degree = report.parts.get("degree", "0")  # "8", or "8 to 9"
        regrids, rejected = (int(report.parts.get(n, 0)) for n in ("changes of cells", "repeated steps"))
        functions = report.parts.get("functions", f"polynomials of degree {degree}")
        scheme = report.parts["scheme"]
        highest = int(degree.rpartition(" to ")[2])
        return cls(int(fewest), int(most or fewest), highest, steps, regrids, rejected, scheme, functions)

    @property
    def size(self) -> str:
        return _count(self.most, "cell")

    @property
    def chosen(self) -> str:
        cells = f"{self.fewest} to {_count(self.most, 'cell')}" if self.fewest < self.most else self.size
        return f"method of lines on {cells}: {self.functions}, {_count(self.steps, 'step')} in time ({self.scheme})"


@dataclass(frozen=True)
class SeriesPart(EnginePart):
    """The method of lines with series: so many `modes` along each axis, at the most, and `steps` in time.

    `regrids` count changes of the number of modes, `rejected` steps that were repeated.
    """

    modes: str
    steps: int
    regrids: int
    rejected: int
    scheme: str = ""

    @classmethod
    def of(cls, report: Report) -> SeriesPart:
        steps = _steps(report)
        regrids, rejected = (int(report.parts.get(n, 0)) for n in ("changes of modes", "repeated steps"))
        return cls(report.parts[MODES], steps, regrids, rejected, report.parts["scheme"])

    @property
    def size(self) -> str:
        return f"{self.modes} modes"

    @property
    def chosen(self) -> str:
        return f"method of lines with Fourier, sine, cosine or Legendre series: {self.size}, {_count(self.steps, 'step')} in time ({self.scheme})"


@dataclass(frozen=True)
class OrdinaryPart(EnginePart):
    """Ordinary equations: `unknowns` of time, `steps` of a `scheme`; `rejected` of them were repeated."""

    unknowns: int
    steps: int
    rejected: int
    scheme: str = ""

    @classmethod
    def of(cls, report: Report) -> OrdinaryPart:
        steps = _steps(report)
        return cls(
            report.rank, steps, int(report.parts.get("repeated steps", 0)), report.parts.get("scheme", "")
        )

    @property
    def size(self) -> str:
        return _count(self.unknowns, "unknown")

    @property
    def chosen(self) -> str:
        return f"{_count(self.steps, 'step')} in time ({self.scheme})"


@dataclass(frozen=True)
class SteadyPart(EnginePart):
    """A steady state: polynomials of some `degree` on `cells`, found in so many `steps` of Newton's method."""

    cells: int
    degree: int
    steps: int

    @classmethod
    def of(cls, report: Report) -> SteadyPart:
        found = (report.parts.get(name, "0") for name in (CELLS, "degree", "Newton steps"))
        return cls(*(int(text) for text in found))

    @property
    def size(self) -> str:
        return _count(self.cells, "cell")

    @property
    def chosen(self) -> str:
        return f"{self.size}: polynomials of degree {self.degree}, {_count(self.steps, 'step')} of Newton's method"


@dataclass(frozen=True)
class SpaceTimePart(EnginePart):
    """The method in space and time: least squares with `rows` and `features` columns in each of `blocks` windows, `steps` of Newton's method.

    The smallest `rank` and the largest `condition` of all blocks; NaN where it was not computed. `growth`: see `Report`.
    """

    features: int
    rows: int
    rank: int
    condition: float
    steps: int
    blocks: int
    growth: float

    @classmethod
    def of(cls, report: Report) -> SpaceTimePart:
        return cls(
            report.features,
            report.rows,
            report.rank,
            report.condition,
            report.steps,
            report.blocks,
            report.growth,
        )

    @property
    def size(self) -> str:
        return _count(self.features, "feature")

    @property
    def chosen(self) -> str:
        blocks = f" in each of {self.blocks} blocks" if self.blocks > 1 else ""
        return f"method in space and time: {self.size}{blocks}, fitted to {self.rows} rows"

    def entries(self) -> Entries:
        most = ", the most of a block" if self.blocks > 1 else ""
        found = [
            ("rank", f"{self.rank} of {self.features}"),
            ("condition", "" if math.isnan(self.condition) else f"{self.condition:.1e}"),
            ("nonlinear steps", f"{self.steps}{most}"),
            ("blocks", f"{self.blocks}"),
            ("growth", "" if math.isnan(self.growth) else f"{self.growth:.6g} (errors, per block)"),
        ]
        return [(name, value) for name, value in found if value]


PARTS: dict[str, Any] = {
    "lines": LinesPart,
    "space-time": SpaceTimePart,
    "ordinary": OrdinaryPart,
    "steady": SteadyPart,
}


def part_of(report: Report) -> EnginePart:
    """The part of the engine that made a report."""
    if CELLS in report.parts and report.method != "steady":
        return CellsPart.of(report)
    if MODES in report.parts:
        return SeriesPart.of(report)
    return PARTS.get(report.method, SpaceTimePart).of(report)


def aligned(entries: Sequence[tuple[str, str]]) -> str:
    """Names in one column, values in the other."""
    width = max((len(name) for name, _ in entries), default=0)
    return "\n".join(f"{name:<{width}}  {value}" for name, value in entries)


def _steps(report: Report) -> int:
    """In time, over all windows."""
    return sum(window.steps for window in report.block_reports) or report.steps


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
