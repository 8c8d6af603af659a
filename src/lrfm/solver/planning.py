# SPDX-License-Identifier: MIT
"""What a solve will take, before it takes it: rows × columns, bytes, seconds."""

from __future__ import annotations

import math
import os
import re
import time
from dataclasses import dataclass

import numpy as np

from lrfm.linalg import LSQR, QR, Distributed
from lrfm.problem import Problem
from lrfm.rows.collocation import tensor_shape
from lrfm.solver.parts import Parts
from lrfm.solver.settings import patch_counts, space_size
from lrfm.solver.window import needs_periodic_rows

STEPS_GUESS = 500  # steps of LSQR that a plan counts with
UNITS = {"": 1, "B": 1, "KB": 2**10, "MB": 2**20, "GB": 2**30, "TB": 2**40}


class MemoryLimitError(MemoryError):
    """A solve would need more memory than there is, or than was allowed."""


@dataclass(frozen=True)
class Plan:
    """Size of one window's system and cost of the whole solve (`seconds` is within a factor of about 3)."""

    rows: int
    columns: int
    blocks: int
    bytes: int
    seconds: float

    def __str__(self) -> str:
        return (
            f"rows     {self.rows}\ncolumns  {self.columns}\nblocks   {self.blocks}\n"
            f"memory   {format_bytes(self.bytes)}\nseconds  {self.seconds:.2g} (estimate)"
        )


def make_plan(problem: Problem, parts: Parts, blocks: int, estimate: bool) -> Plan:
    """Count rows as assembly will, and time by flops at the measured rate of a matrix product."""
    fields, size = len(problem.fields), space_size(parts.space, problem.domain.dimension)
    columns = fields * size
    rows = _rows(problem, parts)
    nonlinear = [row for row in problem.rows if not row.linear]
    seen = _seen(parts.space, problem.domain.dimension)
    kept = seen * parts.collocation.interior * size * sum(len(row.nonlinear_jets) for row in nonlinear)
    held, work = _least_squares(parts, problem, rows, columns, seen)
    solver = parts.least_squares
    share = solver.rows_at_once(rows, columns) / rows if isinstance(solver, Distributed) else 1.0
    matrices = share * (rows * columns * seen + kept) + held
    jets = {j.index for row in problem.rows for j in row.jets}
    steps = 1 if problem.linear else min(6, parts.nonlinear.max_steps)
    features = 150.0 * seen * parts.collocation.interior * size * (1 + len(jets))
    flops = work * steps * 3.0 + features * 10.0
    solves = blocks * (1.7 if estimate and not problem.linear else 2.0 if estimate else 1.0)
    return Plan(rows, columns, blocks, int(8 * matrices) + 2**27, 0.02 + flops * solves / gemm_rate())


def _seen(space: object, dimension: int) -> float:
    """The share of the points that lie in a patch: Π (1 + 2 overlap)/Kᵢ."""
    share = 1.0
    for count in patch_counts(space, dimension):
        share *= min(1.0, (1.0 + 2.0 * getattr(space, "liquid", space).overlap) / count) if count > 1 else 1.0
    return share


def _least_squares(
    parts: Parts, problem: Problem, rows: int, columns: int, seen: float
) -> tuple[float, float]:
    """Numbers held beside A and flops of one solve: dense, LSQR, or the fronts of a QR over patches.

    With w columns per patch and K patches along each axis, nested dissection holds about 3ᵈ w² a patch in one dimension, log₂ K
    times that in two and K/2 in three; flops are 84 w³ a patch in one dimension, 250 K w³ in two, 500 K³ w³ in three.
    """
    solver, dimension = parts.least_squares, problem.domain.dimension
    patches = patch_counts(parts.space, dimension)
    if isinstance(solver, LSQR):
        count = math.prod(patches)
        patch = max(1, round(rows * seen)), max(1, columns // count)
        entries = rows * columns * seen
        passes = 4.0 * entries * (min(solver.steps, STEPS_GUESS) if count > 1 else 1)
        copied = 0.0 if problem.linear else entries  # a Newton step begins with a copy
        return copied + solver.doubles(*patch), count * solver.flops(*patch) + passes
    dense = solver.doubles(rows, columns), solver.flops(rows, columns)
    cut = sorted(count for count in patches if count > 1)
    if not cut or not isinstance(solver, QR):
        return dense
    total, longest = math.prod(patches), cut[-2] if len(cut) > 1 else 1
    width, axes = columns / total, min(len(cut), 3)
    held = 3.0**axes * (1.0, math.log2(longest) + 1, 0.5 * longest)[axes - 1] * width**2 * total
    work = (84.0, 250.0 * longest, 500.0 * longest**3)[axes - 1] * width**3 * total
    return min(dense[0], rows * columns * seen + held), min(dense[1], work)


def _rows(problem: Problem, parts: Parts) -> int:
    c, d = parts.collocation, problem.domain.dimension
    interior = int(np.prod(tensor_shape(c.interior, d + 1))) if c.sampling == "grid" else c.interior
    rows = interior * len(problem.rows)
    rows += int(np.prod(tensor_shape(c.initial, d))) * len(problem.initial_jets)
    per_face = int(np.prod(tensor_shape(c.boundary, d)))
    rows += per_face * sum(len(r) for r in problem.face_rows.values())
    if needs_periodic_rows(parts):
        for i, name in enumerate(problem.domain.names):
            if name in problem.periodic:
                rows += per_face * sum(max(1, problem.space_order(i, f)) for f in problem.fields)
    return rows


def check_memory(plan: Plan, limit: str | int | None) -> None:
    """Refuse a solve that cannot fit, with what would."""
    allowed = parse_bytes(limit) if limit is not None else available_memory()
    if allowed is not None and plan.bytes > allowed:
        source = "`max_memory` allows" if limit is not None else "this machine has"
        raise MemoryLimitError(
            f"The solve needs about {format_bytes(plan.bytes)} ({plan.rows} rows x {plan.columns} columns), "
            f"and {source} {format_bytes(allowed)}. Use fewer features or points, or more `blocks` in time."
        )


def parse_bytes(text: str | int) -> int:
    """``"4GB"`` → bytes."""
    match = re.fullmatch(r"\s*(\d+\.?\d*|\.\d+)\s*([KMGT]?B?)\s*", str(text).upper())
    if not match or isinstance(text, bool) or float(match[1]) == 0:
        raise ValueError(
            f"`max_memory={text!r}` is not a size; write a number of bytes or text such as '4GB'."
        )
    unit = match[2] if match[2].endswith("B") or not match[2] else match[2] + "B"
    return int(float(match[1]) * UNITS[unit])


def format_bytes(count: float) -> str:
    """Bytes with a unit people read."""
    for unit in ("B", "KB", "MB", "GB"):
        if count < 1024:
            return f"{count:.3g} {unit}"
        count /= 1024
    return f"{count:.3g} TB"


def available_memory() -> int | None:
    """Memory that can be taken without swapping; None where the system does not say."""
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            entries = dict(line.split(":", 1) for line in file)
        return int(entries["MemAvailable"].split()[0]) * 1024
    except (OSError, KeyError, ValueError):
        pass
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None


_rate: list[float] = []


def gemm_rate() -> float:
    """Flops per second of a matrix product on this machine, measured once."""
    if not _rate:
        a = np.ones((384, 384))
        a @ a
        began = time.perf_counter()
        for _ in range(3):
            a @ a
        _rate.append(3 * 2 * 384**3 / max(time.perf_counter() - began, 1e-6))
    return _rate[0]
