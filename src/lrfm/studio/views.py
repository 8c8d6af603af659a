# SPDX-License-Identifier: MIT
"""What the page draws: values of a field on a line or a grid, one point with its derivatives, the colors.

A view names what is shown (``u``, ``u_xx``, ``residual``; ``re psi``, ``im psi``, ``abs psi``), one or two coordinates that vary, and values for
the others. The solution is continuous, so every view is evaluated where it is asked for; nothing is interpolated.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lrfm.linalg.threads import one_thread
from lrfm.solution.places import where_inside
from lrfm.solution.solution import Solution
from lrfm.studio.texts import StudioError

MOST = 250_000  # values of one view
COLORS = (
    "viridis",
    "cividis",
    "RdBu_r",
)  # two for one sign, one with a middle; all can be read by the color-blind
PARTS = {"re": np.real, "im": np.imag, "abs": np.abs}


@dataclass(frozen=True)
class View:
    """One picture as numbers: `values` over the ends of the coordinates that vary."""

    axes: tuple[str, ...]
    ends: tuple[tuple[float, float], ...]
    values: np.ndarray

    def packed(self) -> bytes:
        """Four bytes with the length of a JSON heading, the heading, and the values in single precision."""
        finite = self.values[np.isfinite(self.values)]
        heading = {
            "axes": self.axes,
            "ends": self.ends,
            "shape": self.values.shape,
            "range": [float(finite.min()), float(finite.max())] if finite.size else [0.0, 1.0],
        }
        head = json.dumps(heading).encode()
        head += b" " * (-len(head) % 4)
        return len(head).to_bytes(4, "little") + head + self.values.astype("<f4").tobytes()


def spans(solution: Solution) -> dict[str, tuple[float, float]]:
    """The ends of every coordinate; time ends where the solution does."""
    box = solution.problem.domain
    ends = {name: (float(a), float(b)) for name, a, b in zip(box.names, box.lower, box.upper, strict=True)}
    return {**ends, "t": (float(solution.block_edges[0]), float(solution.block_edges[-1]))}


@one_thread
def make_view(
    solution: Solution, show: str, axes: Sequence[str], counts: Sequence[int], at: Mapping[str, float]
) -> View:
    """Evaluate on the products of one or two axes, with the other coordinates fixed (at their middle if not said)."""
    ends = spans(solution)
    if not 1 <= len(axes) <= 2 or len(set(axes)) < len(axes) or any(axis not in ends for axis in axes):
        raise StudioError(f"A view varies one or two of {', '.join(ends)}.")
    counts = [max(2, int(n)) for n in counts]
    if len(counts) != len(axes) or math.prod(counts) > MOST:
        raise StudioError(f"A view has at most {MOST:,} values.")
    coordinates: dict[str, Any] = {
        name: min(max(float(at.get(name, sum(span) / 2)), span[0]), span[1]) for name, span in ends.items()
    }
    for place, (axis, n) in enumerate(zip(axes, counts, strict=True)):
        shape = [1] * len(axes)
        shape[place] = n
        coordinates[axis] = np.linspace(*ends[axis], n).reshape(shape)
    values = where_inside(solution.problem.domain, coordinates, lambda **at: evaluate(solution, show, at))
    values = np.broadcast_to(values, tuple(counts))
    return View(tuple(axes), tuple(ends[axis] for axis in axes), values)


def evaluate(solution: Solution, show: str, coordinates: Mapping[str, Any]) -> np.ndarray:
    """What is shown, at points; the page has a time for steady solutions, too, which changes nothing."""
    absent = solution.problem.absent
    shape = np.broadcast_shapes(*(np.shape(c) for c in coordinates.values()))
    coordinates = {name: c for name, c in coordinates.items() if name not in absent}
    if absent:
        return np.broadcast_to(_evaluated(solution, show, coordinates), shape)
    return _evaluated(solution, show, coordinates)


def _evaluated(solution: Solution, show: str, coordinates: Mapping[str, Any]) -> np.ndarray:
    part, _, name = show.strip().rpartition(" ")
    if name == "residual":
        values = solution.residual(**coordinates)
        shape = np.broadcast_shapes(*(np.shape(c) for c in coordinates.values()))
        return np.abs(values) if values.shape == shape else np.sqrt(np.sum(np.abs(values) ** 2, axis=0))
    if name == "error":
        return _error(solution, coordinates)
    try:
        values = solution.derivative(name or solution.unknowns[0])(**coordinates)
    except (KeyError, ValueError) as error:
        raise StudioError(str(error.args[0]) if error.args else str(error), "show") from None
    if part not in ("", *PARTS):
        raise StudioError(f"{part!r} is not known; write re, im or abs before the name.", "show")
    return PARTS[part](values) if part else (np.abs(values) if np.iscomplexobj(values) else values)


def _error(solution: Solution, coordinates: Mapping[str, Any]) -> np.ndarray:
    """|u − exact|, of several unknowns the largest."""
    if solution.problem.reference is None:
        raise StudioError(
            "There is no exact solution to compare with; write one below the parameters.", "show"
        )
    gaps = solution.reference_error(**coordinates)
    return np.max(list(gaps.values()), axis=0) if isinstance(gaps, dict) else gaps


@one_thread
def probe(solution: Solution, show: str, at: Mapping[str, float]) -> dict[str, Any]:
    """Everything about one point: the value, what it may be wrong by, first derivatives, the residual."""
    ends = spans(solution)
    point = {
        name: min(max(float(at.get(name, sum(span) / 2)), span[0]), span[1]) for name, span in ends.items()
    }
    domain = solution.problem.domain
    if not domain.contains(np.array([[point[name] for name in domain.names]]), point["t"])[0]:
        return {"at": point, "value": None, "bar": None, "derivatives": {}, "residual": None}
    unknown = show.strip().rpartition(" ")[2].partition("_")[0]
    unknown = unknown if unknown in solution.unknowns else solution.unknowns[0]
    letters = [name for name in point if name not in solution.problem.absent]
    slopes = {
        f"{unknown}_{name}": _number(evaluate(solution, f"{unknown}_{name}", point)) for name in letters
    }
    return {
        "at": point,
        "value": _number(evaluate(solution, show, point)),
        "bar": error_bar(solution, unknown),
        "derivatives": slopes,
        "residual": _number(evaluate(solution, "residual", point)),
    }


def error_bar(solution: Solution, unknown: str) -> float | None:
    """E·‖u‖, the estimate E of the relative L² error in the units of u: its root mean square over space and time."""
    estimate = solution.report.error_estimate
    if estimate is None or not math.isfinite(estimate):
        return None
    rng = np.random.default_rng(solution.report.seed)
    places: dict[str, Any] = {name: rng.uniform(*span, 200) for name, span in spans(solution).items()}
    values = where_inside(solution.problem.domain, places, lambda **at: evaluate(solution, unknown, at))
    return float(estimate * np.sqrt(np.nanmean(np.abs(values) ** 2)))


def colors(name: str) -> bytes:
    """256 colors, three bytes each."""
    from lrfm.solution.plot.look import color_table

    if name not in COLORS:
        raise StudioError(f"There is no color map {name!r}; choose one of {', '.join(COLORS)}.")
    return color_table(name).tobytes()


def _number(value: Any) -> float | None:
    """As JSON can hold it."""
    number = float(np.real(np.asarray(value)).ravel()[0])
    return number if math.isfinite(number) else None
