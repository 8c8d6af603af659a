# SPDX-License-Identifier: MIT
"""A task, what it leaves behind, and how it is attempted: this is what workers run."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Task:
    """One call `function(payload)`, and the key under which its result is kept.

    Parameters
    ----------
    key
        A digest of the content: a task with the same key has the same result.
    label
        The task in a few words, for people.
    payload
        What the function gets; it must be possible to send it to another process.
    about
        Plain data that are kept beside the result.
    files
        Names of files that the task leaves; it counts as done only while they are there.
    cost
        A guess of its seconds.
    exclusive
        Whether no other task may run beside it, because its seconds are a result.
    """

    key: str
    label: str
    payload: Any
    about: Mapping[str, Any] = field(default_factory=dict)
    files: tuple[str, ...] = ()
    cost: float = 1.0
    exclusive: bool = False


@dataclass(frozen=True)
class Done:
    """What a function returns: plain data, and the content of files by name.

    Workers may have another file system, so they send files instead of writing them.
    """

    values: Mapping[str, Any]
    files: Mapping[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True)
class TaskResult:
    """A finished attempt; with a message, one that failed."""

    done: Done = field(default_factory=lambda: Done({}))
    message: str = ""
    took: float = 0.0


@dataclass(frozen=True)
class Progress:
    """Tasks done of all, the seconds that the rest will take (None: unknown), and the task that ended last."""

    done: int
    total: int
    left: float | None
    last: str


Function = Callable[[Any], Done]
Notify = Callable[[Progress], None]


def attempt(function: Function, payload: Any) -> TaskResult:
    """Call the function; an error is an attempt that says so."""
    began = time.perf_counter()
    try:
        done, message = function(payload), ""
    except Exception as error:
        done, message = Done({}), f"{type(error).__name__}: {error}"
    return TaskResult(done, message, round(time.perf_counter() - began, 3))
