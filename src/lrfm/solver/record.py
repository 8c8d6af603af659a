# SPDX-License-Identifier: MIT
"""An integration as plain data for a checkpoint: new steps, the meshes they are on, and the state after them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from lrfm.integrate.state import IntegratorState, Step
from lrfm.spaces.stored import check_array

COUNTS = ("steps", "rejected", "regrids", "iterations")
NUMBERS = ("time", "length", "restart", "excess", "rate", "regridded", "missed")


def written(
    mesh_record: Callable[[Any], list[Any]],
    before: Sequence[Step],
    new: Sequence[Step],
    state: IntegratorState,
    ended: bool,
    stopped: str,
) -> dict[str, Any]:
    """What a file needs beside the steps it has; a mesh is written once, and known by its number after that."""
    numbers: dict[int, int] = {}
    for step in before:
        numbers.setdefault(id(step.mesh), len(numbers))
    meshes = []
    for mesh in (*(step.mesh for step in new), state.mesh):
        if id(mesh) not in numbers:
            numbers[id(mesh)] = len(numbers)
            meshes.append(mesh_record(mesh))
    return {
        "meshes": meshes,
        "steps": [
            [numbers[id(s.mesh)], s.time, s.length, s.start, np.asarray(s.rates, dtype=float)] for s in new
        ],
        "mesh": numbers[id(state.mesh)],
        "numbers": np.array([getattr(state, name) for name in NUMBERS]),
        "counts": [int(getattr(state, name)) for name in COUNTS],
        # Rates may be in single precision.
        "arrays": [np.asarray(a, dtype=float) for a in (state.y, state.z, state.squares, state.reach)],
        "before": None
        if state.before is None
        else [float(state.before[0]), np.asarray(state.before[1], dtype=float)],
        "linearized": None
        if state.linearized is None
        else [float(state.linearized[0]), *state.linearized[1:]],
        "ended": ended,
        "stopped": stopped,
    }


def read(
    mesh_from: Callable[[Sequence[Any]], Any],
    before: Sequence[Step],
    added: Mapping[str, Any],
    components: int,
) -> tuple[list[Step], IntegratorState, bool, str]:
    """What `written` made; ValueError where it is not that."""
    try:
        known = list({id(s.mesh): s.mesh for s in before}.values())
        known += [mesh_from(parts) for parts in added["meshes"]]
        steps = [_step(known, components, *parts) for parts in added["steps"]]
        mesh = known[_number(added["mesh"], len(known))]
        y, z, squares, reach = added["arrays"]
        for array in (y, z):
            check_array("coefficients", array, (components, mesh.size, y.shape[2]))
        check_array("squares", squares, (components,))
        if reach.shape != (components,) or np.isnan(reach).any():
            raise ValueError("sizes are missing")
        check_array("numbers", added["numbers"], (len(NUMBERS),))
        last = added["before"]
        if last is not None:
            check_array("rates", last[1], (last[1].shape[0], *y.shape))
        at = added["linearized"]
        for array in () if at is None else at[1:]:
            check_array("coefficients", array, y.shape)
        values = dict(zip(NUMBERS, map(float, added["numbers"]), strict=True))
        counts = dict(zip(COUNTS, (_number(n, 2**62) for n in added["counts"]), strict=True))
        state = IntegratorState(
            mesh=mesh,
            y=y,
            z=z,
            squares=squares,
            reach=reach,
            before=None if last is None else (float(last[0]), last[1]),
            linearized=None if at is None else (float(at[0]), at[1], at[2]),
            **values,
            **counts,
        )
        return steps, state, bool(added["ended"]), str(added["stopped"])
    except (AttributeError, IndexError, KeyError, TypeError) as error:
        raise ValueError("steps are not whole") from error


def _number(value: Any, below: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < below:
        raise ValueError("a number is out of range")
    return value


def _step(
    meshes: Sequence[Any],
    components: int,
    number: int,
    time: float,
    length: float,
    start: np.ndarray,
    rates: np.ndarray,
) -> Step:
    mesh = meshes[_number(number, len(meshes))]
    check_array("start", start, (components, mesh.size, start.shape[2]))
    check_array("rates", rates, (rates.shape[0], *start.shape))
    if not (np.isfinite(time) and length > 0):
        raise ValueError("a step has no length")
    return Step(mesh, float(time), float(length), start, rates)
