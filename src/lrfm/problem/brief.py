# SPDX-License-Identifier: MIT
"""Errors that say what is wrong in a sentence: a notebook shows the user's own lines above it, and none of the package."""

from __future__ import annotations

import traceback
from itertools import dropwhile, takewhile
from pathlib import Path

PACKAGE = str(Path(__file__).parents[1])


class Brief:
    """A base of exceptions. IPython asks them for their traceback (`_render_traceback_`); elsewhere it is Python's."""

    def _render_traceback_(self) -> list[str]:
        assert isinstance(self, BaseException)
        if self.__cause__ is not None:  # a function of the user failed: where, is the answer
            return traceback.format_exception(self)
        frames = traceback.extract_tb(self.__traceback__)
        frames = list(dropwhile(lambda frame: _runs_cells(frame.filename), frames))
        own = list(takewhile(lambda frame: not frame.filename.startswith(PACKAGE), frames)) or frames[:1]
        lines = "".join(traceback.format_list(own)).splitlines()
        return [*lines, "", f"{type(self).__name__}: {self}"]


def _runs_cells(file: str) -> bool:
    """Whether a file belongs to the program that runs cells."""
    return not {"IPython", "ipykernel"}.isdisjoint(Path(file).parts)
