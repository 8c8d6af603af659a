# SPDX-License-Identifier: MIT
"""The state of a march in a file: written whole or not at all after each window, read by the march that goes on."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lrfm.problem import Problem
from lrfm.solution import io
from lrfm.solution.io.document import classes, records, statement
from lrfm.solver.lines.attempts import LinesState
from lrfm.solver.lines.front import Draw
from lrfm.solver.lines.state import Counts
from lrfm.solver.march import Engine
from lrfm.solver.settings import Setting
from lrfm.solver.space_time import MarchState
from lrfm.solver.window import Solved


def belongs_to(problem: Problem, engine: Engine[Any]) -> dict[str, Any]:
    """The march that a state is of use to: its statement, its method and what that solves with."""
    # Encoded, a function is its name; its address would be another one in the next process.
    text = json.dumps(io.encode(statement(problem))[0], sort_keys=True)
    return {"statement": text, "method": engine.name, **engine.fingerprint()}


def write_checkpoint(path: str | Path, fingerprint: Mapping[str, Any], state: object) -> None:
    """Keep a state, whole or not at all."""
    content = {"fingerprint": dict(fingerprint), "state": state}
    io.write_archive(path, *io.encode(content, records=records()))


def read_checkpoint(path: str | Path, fingerprint: Mapping[str, Any]) -> Any:
    """The state of an earlier march with the same fingerprint; None where there is no file."""
    if not Path(path).exists():
        return None
    body, arrays = io.read_archive(path)
    if "fingerprint" not in body or "state" not in body:
        raise io.FileFormatError(f"{path} is not a checkpoint, and would be overwritten; name another file.")
    own = {c.__name__: c for c in (Solved, Setting, MarchState, LinesState, Draw, Counts)}
    content = io.decode(body, arrays, classes() | own)
    found = content["fingerprint"] or {}
    if found != fingerprint:
        changed = [k for k in fingerprint if found.get(k) != fingerprint[k]]
        raise ValueError(
            f"The checkpoint {path} belongs to another march (different: {', '.join(changed)}); "
            "delete it or name another file."
        )
    return content["state"]
