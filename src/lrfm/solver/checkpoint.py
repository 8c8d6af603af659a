# SPDX-License-Identifier: MIT
"""The state of a march in a file: written whole or not at all after each window, read by the march that goes on."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from lrfm.problem import Problem
from lrfm.solution import io
from lrfm.solution.io.document import classes, records, statement
from lrfm.solver.parts import Parts, describe
from lrfm.solver.settings import Setting
from lrfm.solver.space_time import MarchState
from lrfm.solver.window import Solved


def fingerprint(problem: Problem, parts: Parts, edges: np.ndarray, seed: int) -> dict[str, object]:
    """What a checkpoint belongs to."""
    return {
        # Encoded, a function is its name; its address would be another one in the next process.
        "statement": json.dumps(io.encode(statement(problem))[0], sort_keys=True),
        "parts": describe(parts),
        "edges": [float(e) for e in edges],
        "seed": seed,
    }


def write_checkpoint(path: str | Path, belongs_to: Mapping[str, object], state: MarchState) -> None:
    """Keep a state, whole or not at all."""
    content = {"fingerprint": dict(belongs_to), "state": state}
    io.write_archive(path, *io.encode(content, records=records()))


def read_checkpoint(path: str | Path, belongs_to: Mapping[str, object]) -> MarchState:
    """The state of an earlier march with the same statement, parts, edges and seed; a fresh one where there is no file."""
    if not Path(path).exists():
        return MarchState()
    body, arrays = io.read_archive(path)
    if "fingerprint" not in body or "state" not in body:
        raise io.FileFormatError(f"{path} is not a checkpoint, and would be overwritten; name another file.")
    own = {c.__name__: c for c in (Solved, Setting, MarchState)}
    content = io.decode(body, arrays, classes() | own)
    found = content["fingerprint"] or {}
    if found != belongs_to:
        changed = [k for k in belongs_to if found.get(k) != belongs_to[k]]
        raise ValueError(
            f"The checkpoint {path} belongs to another march (different: {', '.join(changed)}); "
            "delete it or name another file."
        )
    return content["state"]
