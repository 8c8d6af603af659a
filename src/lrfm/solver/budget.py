# SPDX-License-Identifier: MIT
"""Limits of a solve, time and memory; what it will take of both before it takes it; and who looks at the clock."""

from __future__ import annotations

import math
import os
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from lrfm.linalg.processes import agreed, anywhere
from lrfm.linalg.room import resident
from lrfm.problem.errors import shown

GRACE = 0.05  # part of the limit by which what is under way may exceed it,
LAST = 0.12  # and the estimate, without which two integrations were for nothing

LEAST = 1.0  # seconds that another method is given, whatever is left
SHORTEST = 0.5  # seconds in which nothing is broken off: modules are loaded in them


class OutOfTime(Exception):
    """The clock has run out in the middle of a computation."""


def now() -> float:
    """Seconds by the clock that limits are counted with: the wall's. Tests count processor time, which others on the machine do not use up."""
    return time.perf_counter()


@dataclass(frozen=True)
class Budget:
    """Limits of a solve: features over all fields, seconds."""

    features: int = 4000
    seconds: float = math.inf
    began: float = field(default_factory=lambda: now())  # looked up when it is called
    given: float | None = None  # the limit as the user gave it, where `seconds` are what is left of it

    @property
    def spent(self) -> float:
        """Seconds since the solve began, by the clock of the first process where several share it."""
        return agreed(now() - self.began)

    @property
    def left(self) -> float:
        """Seconds until no further solve is begun."""
        return self.seconds - self.spent

    def stop(self, ahead: float = 0.0) -> None:
        """Raise `OutOfTime` when nothing may go on: what is under way is given a little more than the limit.

        `ahead` are seconds of something that cannot be broken off; it is not begun where it would end too late.
        """
        if self.spent + ahead > max((1 + GRACE) * self.seconds, SHORTEST):
            raise OutOfTime

    def end(self, ahead: float = 0.0) -> None:
        """Raise `OutOfTime` when not even an estimate may go on."""
        if self.spent + ahead > max((1 + LAST) * self.seconds, SHORTEST):
            raise OutOfTime

    def in_time(self) -> bool:
        """Whether something more may be begun."""
        return self.left > 0

    def rest(self) -> Budget:
        """What is left, a second at least, for another way to solve the same; its limit is still called by what was given."""
        left = max(self.left, LEAST) if math.isfinite(self.left) else math.inf
        return Budget(self.features, left, given=self.given or self.seconds)

    def spell(self, limit: str) -> str:
        """``max_seconds=60``: a limit as the user gave it."""
        return f"{limit}={(self.given or self.seconds) if limit == 'max_seconds' else self.features:g}"


@dataclass(frozen=True)
class Watch:
    """Looks at the clock between steps, breaks off what can be done without, and tells how far it is.

    `expendable`: there is an answer already, so nothing new is worth more than the limit. `optional`: a second draw, which is given
    somewhat more, since without it nothing can be claimed. `tell(done, total)` is for engines whose windows take long.
    """

    budget: Budget
    expendable: bool = False
    optional: bool = False
    tell: Callable[[int, int], None] | None = None

    def in_time(self) -> bool:
        """Whether an integration that can be cut short may go on; a second draw is given somewhat more time."""
        return self.budget.left > (-GRACE * self.budget.seconds if self.optional else 0.0)

    def check(self) -> None:
        """Raise `OutOfTime` when it is time to stop."""
        if self.expendable and not self.budget.in_time():
            raise OutOfTime
        self.budget.stop()


LARGEST = 1e30
LEAST_MEMORY = (
    2**20
)  # an interpreter takes more between two looks at it, so that no smaller limit can be held
UNLIMITED = 1 << 60  # what version 1 of control groups says where there is no limit, and more
UNITS = {"": 1, "B": 1, "KB": 2**10, "MB": 2**20, "GB": 2**30, "TB": 2**40}


class MemoryLimitError(MemoryError):
    """A solve would need more memory than half of what is free, or than was allowed; `solution` is what there was by then.

    Examples
    --------
    >>> import lrfm
    >>> try:
    ...     lrfm.solve(lrfm.catalog.heat_1d(), method=lrfm.SpaceTime(space=lrfm.Liquid(features=400)), max_memory="1MB")
    ... except lrfm.MemoryLimitError as error:
    ...     print(str(error).partition("(")[2])
    1720 rows x 400 columns), and `max_memory` allows 1 MB. Use fewer features or points, or more `blocks` in time.
    """


@dataclass(frozen=True)
class Plan:
    """Size of one window's system and cost of the whole solve (`seconds` of one processor, within a factor of about 3)."""

    rows: int
    columns: int
    blocks: int
    bytes: int
    seconds: float
    method: str = "space-time"

    def lines(self) -> list[tuple[str, str]]:
        """(name, value) of every line of the table that `str` shows."""
        return [
            ("method", self.method),
            ("rows", str(self.rows)),
            ("columns", str(self.columns)),
            ("blocks", str(self.blocks)),
            ("memory", format_bytes(self.bytes)),
            ("seconds", f"{self.seconds:.2g} (estimate)"),
        ]

    def _repr_latex_(self) -> str:
        from lrfm.problem.typeset import table_latex

        return table_latex(self.lines())

    def _repr_html_(self) -> str:
        from lrfm.problem.typeset import table_html

        return table_html(self.lines())

    def __str__(self) -> str:
        return "\n".join(f"{name:<9}{value}" for name, value in self.lines())


def check_memory(plan: Plan, limit: str | int | None) -> None:
    """Refuse a solve that cannot fit, with what would."""
    allowed = memory_for(limit)
    if allowed is not None and plan.bytes > allowed:
        raise MemoryLimitError(
            f"The solve needs about {format_bytes(plan.bytes)} ({plan.rows} rows x {plan.columns} columns), "
            f"and {_source(limit)} {format_bytes(allowed)}. Use fewer features or points, or more `blocks` in time."
        )


def memory_for(limit: str | int | None) -> int | None:
    """Bytes that a solve may take: `max_memory`, or half of what is free now; None where the system does not say."""
    if limit is not None:
        return parse_bytes(limit)
    free = available_memory()
    return None if free is None else free // 2


def _source(limit: str | int | None) -> str:
    return "`max_memory` allows" if limit is not None else "half of the memory that is free is"


class Room:
    """Asked before large arrays are made (`lrfm.linalg.room`): what the process has taken since, and they, must fit."""

    def __init__(self, limit: str | int | None):
        self.limit, self.before = limit, resident()

    @cached_property
    def allowed(self) -> int | None:
        """What a solve may take; what is free is looked up when somebody asks, with what was taken by then."""
        if self.limit is not None:
            return parse_bytes(self.limit)
        free = available_memory()
        return None if free is None else (free + max(0, resident() - self.before)) // 2

    def ask(self, count: int) -> None:
        """Refuse arrays of so many bytes where they do not fit."""
        if self.allowed is None:
            return
        held = max(0, resident() - self.before)
        if anywhere(held + count > self.allowed):
            raise MemoryLimitError(
                f"The next matrices need about {format_bytes(count)} beside {format_bytes(held)} that are in use, and "
                f"{_source(self.limit)} {format_bytes(self.allowed)}. Ask for less (`tol`), or allow more (`max_memory`)."
            )


def parse_bytes(text: str | int) -> int:
    """``"4GB"`` → bytes."""
    match = re.fullmatch(r"\s*(\d+\.?\d*|\.\d+)\s*([KMGT]?B?)\s*", str(text).upper())
    if not match or isinstance(text, bool) or not 0 < float(match[1]) < LARGEST:
        raise ValueError(
            f"`max_memory={shown(text)}` is not a size; write a number of bytes or text such as '4GB'."
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
        found = int(entries["MemAvailable"].split()[0]) * 1024
    except (OSError, KeyError, ValueError):
        try:
            found = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        except (AttributeError, ValueError, OSError):
            found = None
    limits = [limit for limit in (found, group_memory()) if limit is not None]
    return min(limits, default=None)


def group_memory(root: str = "/") -> int | None:
    """What is left of the memory of this process's control group and of those around it; None where nothing limits them.

    Version 2: ``memory.max`` and ``memory.current`` below /sys/fs/cgroup; version 1: ``memory.limit_in_bytes`` and
    ``memory.usage_in_bytes`` below /sys/fs/cgroup/memory. Files of the page cache that can be dropped count as free.
    """
    try:
        lines = (Path(root) / "proc/self/cgroup").read_text().splitlines()
    except OSError:
        return None
    left: list[int] = []
    for line in lines:
        number, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if number == "0" and not controllers:
            top, names = Path(root) / "sys/fs/cgroup", ("memory.max", "memory.current", "inactive_file")
        elif "memory" in controllers.split(","):
            top = Path(root) / "sys/fs/cgroup/memory"
            names = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
        else:
            continue
        here = top / path.lstrip("/")
        # A container sees its own group as the top, whatever its path is called outside.
        for folder in {top, *(p for p in (here, *here.parents) if p.is_relative_to(top))}:
            found = _left(folder, *names)
            left += [] if found is None else [found]
    return min(left, default=None)


def _left(folder: Path, limit: str, usage: str, droppable: str) -> int | None:
    """Bytes of one group that are left; None where it has no limit."""
    try:
        allowed = int((folder / limit).read_text())  # "max" is no number
        used = int((folder / usage).read_text())
        if allowed >= UNLIMITED:
            return None
        stat = dict(entry.split() for entry in (folder / "memory.stat").read_text().splitlines())
    except (OSError, ValueError):
        return None
    return max(0, allowed - used + int(stat.get(droppable, 0)))
