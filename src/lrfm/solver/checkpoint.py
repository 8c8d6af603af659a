# SPDX-License-Identifier: MIT
"""All integrations of a solve in one file: what each of them adds is appended, whole or not at all, and read by the solve that goes on.

    frame (integration, 0):     {fingerprint, choice, asked}: which integration it is, and the choice of settings that led to it
    frame (integration, n):     what an engine added to its state since the frame before

A window, or some steps, cost what they are themselves to keep, however many were kept before them.
"""

from __future__ import annotations

import io as streams
import json
import os
import time
import warnings
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

from lrfm.problem import Problem
from lrfm.problem.errors import clipped
from lrfm.solution import io
from lrfm.solution.io.archive import packed, unpacked
from lrfm.solution.io.codec import BROKEN
from lrfm.solution.io.document import classes, records, statement
from lrfm.solution.io.fields import checked
from lrfm.solution.io.frames import Frame, append_frames, is_framed, read_frames, write_frames
from lrfm.solution.io.whole import try_writing
from lrfm.solver.engine import Engine
from lrfm.solver.methods import SpaceTime

PACE = 10  # an integration goes on for so many times what keeping its state took, before it is kept again


def belongs_to(problem: Problem, engine: Engine[Any]) -> dict[str, Any]:
    """The integration that a state is of use to: its statement, its method and what that solves with."""
    # Encoded, a function is its name; its address would be another one in the next process.
    text = json.dumps(io.encode(statement(problem))[0], sort_keys=True)
    return {"statement": text, "method": engine.name, **engine.fingerprint()}


class Checkpoint:
    """The file of one solve. Integrations are asked for in the order in which they are begun; each reads its frames and appends new ones."""

    def __init__(self, path: str | Path, problem: Problem):
        """Read what there is; a path that could not be written, or that holds something else, is refused."""
        self.path, self.problem = Path(path), problem
        if self.path.is_file() or not self.path.exists():
            try_writing(path)
        empty = not self.path.exists() or (self.path.is_file() and not self.path.stat().st_size)
        self.frames = [] if empty else self._read()
        # A frame that was cut short is cut off by writing the others again.
        whole = not empty and self.frames_end == self.path.stat().st_size
        self.end = self.path.stat().st_size if whole else -1  # -1: to be written anew
        self.written, self.integrations = len(self.frames), 0

    def _read(self) -> list[Frame]:
        if not is_framed(self.path):
            raise io.FileFormatError(
                f"{self.path} is not a whole lrfm file of this kind: it is not a checkpoint of this version, and would be "
                "overwritten; name another file."
            )
        found, self.frames_end = read_frames(self.path)
        if not found or (found[0].number, found[0].count) != (0, 0):
            raise io.FileFormatError(
                f"{self.path} is not a whole lrfm file: it is a checkpoint without a beginning; delete it."
            )
        for one, two in pairwise(found):
            if (two.number, two.count) not in ((one.number, one.count + 1), (one.number + 1, 0)):
                raise io.FileFormatError(
                    f"{self.path} is not a whole lrfm file: frames are missing; delete it."
                )
        return found

    def choices(self, asked: Mapping[str, Any]) -> list[object]:
        """The choices of settings that an earlier solve made which was asked for the same."""
        heads = [self._content(frame) for frame in self.frames if frame.count == 0]
        return [head.get("choice") for head in heads if head.get("asked") == dict(asked)]

    def integration(
        self, engine: Engine[Any], choice: object = None, asked: Mapping[str, Any] | None = None
    ) -> Kept:
        """The file of the next integration, with the state it had come to."""
        fingerprint, number = belongs_to(self.problem, engine), self.integrations
        self.integrations += 1
        mine = [frame for frame in self.frames if frame.number == number]
        found = self._content(mine[0]).get("fingerprint") if mine else None
        if mine and found != fingerprint:
            if number == 0:
                self._refuse(found, fingerprint)
            # An attempt that the clock let come out otherwise than last time: it is made anew, and so is what followed it.
            self.frames, self.end, mine = [f for f in self.frames if f.number < number], -1, []
            self.written = len(self.frames)
        head = {"fingerprint": fingerprint, "choice": choice, "asked": dict(asked or {})}
        kept = Kept(self, engine, number, Frame(number, 0, _packed(head)))
        kept.read([self._content(frame) for frame in mine[1:]], bool(mine))
        return kept

    def _content(self, frame: Frame) -> Mapping[str, Any]:
        own = {c.__name__: checked(c) for c in SpaceTime.stored()}
        content = io.decode(*unpacked(streams.BytesIO(frame.payload), str(self.path)), classes() | own)
        if not isinstance(content, dict):
            raise io.FileFormatError(f"{self.path} holds something else than an integration; delete it.")
        return content

    def _refuse(self, found: object, fingerprint: Mapping[str, Any]) -> None:
        if not isinstance(found, dict):
            raise io.FileFormatError(
                f"{self.path} is not a checkpoint, and would be overwritten; name another file."
            )
        changed = [k for k in fingerprint if found.get(k) != fingerprint[k]]
        raise ValueError(
            f"The checkpoint {self.path} belongs to another integration (different: {', '.join(changed)}); "
            "delete it or name another file."
        )

    def append(self, frames: list[Frame]) -> None:
        """Write frames at the end; all of them anew where the end of the file is not the one that was left."""
        if self.end < 0:
            write_frames(self.path, [*self.frames, *frames])
        elif self.end != os.stat(self.path).st_size:
            write_frames(self.path, [*read_frames(self.path)[0][: self.written], *frames])
        else:
            append_frames(self.path, frames)
        self.written += len(frames)
        self.end = os.stat(self.path).st_size


class Kept:
    """One integration in the file, and the state that the file has of it."""

    def __init__(self, file: Checkpoint, engine: Engine[Any], number: int, head: Frame):
        self.file, self.engine, self.number, self.head = file, engine, number, head
        self.count, self.state, self.next = 0, engine.begin(), 0.0

    def read(self, added: list[Mapping[str, Any]], begun: bool) -> None:
        """Come to the state of the file; what this integration could not go on from is refused."""
        self.count = len(added) + begun
        try:
            for content in added:
                self.state = self.engine.grown(self.state, content)
            self.engine.check(self.state)
        except BROKEN as error:
            raise io.FileFormatError(
                f"{self.file.path} holds what this integration cannot go on from ({clipped(str(error).rstrip('.'))}); delete it."
            ) from error

    def write(self, state: Any, now: bool = False) -> None:
        """Keep a state, unless that would take too much of the time; `now`: in any case.

        An integration does not end because its checkpoint cannot be written; it warns.
        """
        began = time.perf_counter()
        if state is self.state or (not now and began < self.next):
            return
        content = self.engine.added(self.state, state)
        frames = [] if self.count else [self.head]
        frames.append(Frame(self.number, max(self.count, 1), _packed(content)))
        try:
            self.file.append(frames)
        except OSError as error:
            warnings.warn(
                f"The checkpoint {self.file.path} could not be written ({error.strerror or error}); the integration goes on without it.",
                RuntimeWarning,
                stacklevel=2,
            )
        else:
            self.count, self.state = frames[-1].count + 1, state
        ended = time.perf_counter()
        self.next = ended + PACE * (ended - began)


def _packed(content: Mapping[str, Any]) -> bytes:
    return packed(*io.encode(content, records=records()))
