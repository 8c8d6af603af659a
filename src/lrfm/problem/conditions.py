# SPDX-License-Identifier: MIT
"""Initial and boundary conditions: from what a user may write to data and rows.

Initial:   ∂ₜᵏ u(x, t₀) = d(x), k = 0 … (time order − 1), per unknown.
Boundary:  F(x, t, {D^a u}) = 0 on a face, any number per face; or periodicity of an axis; or, said aloud, nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from numbers import Number

import numpy as np
from sympy import Symbol

from lrfm.problem import functions
from lrfm.problem.data import Datum, Function
from lrfm.problem.domain import Box
from lrfm.problem.equation import Row
from lrfm.problem.errors import ProblemError, listing, suggest
from lrfm.problem.expression import Value
from lrfm.problem.text import Alphabet, parse, split_equation, translate

PERIODIC = "periodic"


def initial_data(given: object, orders: Mapping[str, int], alphabet: Alphabet) -> dict[tuple[str, int], Datum]:
    """Collect {(unknown, k): data of ∂ₜᵏ} and compare with the time order of each unknown."""
    wanted = {(name, k): "_".join(filter(None, (name, "t" * k))) for name, n in orders.items() for k in range(n)}
    if not isinstance(given, Mapping):
        if len(wanted) != 1:
            raise ProblemError(
                f"`initial` is a single value, but this problem needs {len(wanted)} initial conditions; "
                f"give a dictionary with the keys {listing(wanted.values())}."
            )
        given = {next(iter(wanted.values())): given}
    for key in given:
        if key not in wanted.values():
            raise ProblemError(_superfluous(key, orders, list(wanted.values())))
    missing = [key for key in wanted.values() if key not in given]
    if missing:
        raise ProblemError(
            f"`initial` has no entry for {listing(missing)}; this problem needs {listing(wanted.values())} "
            "(one condition per order of the time derivative)."
        )
    spatial = Alphabet(alphabet.axes, alphabet.parameters, {}, alphabet.data)
    data = {place: Datum(given[key], spatial, f"`initial` of `{key}`") for place, key in wanted.items()}
    for (name, _), datum in data.items():
        if datum.value is not None and any(Symbol("t") in part.free_symbols for part in datum.value):
            raise ProblemError(f"{datum.what} contains `t`; initial data are functions of space only. Put the start in.")
        if datum.value is not None and not datum.value.real and alphabet.unknowns[name] is not complex:
            raise ProblemError(_declare_complex(datum.what, name))
    return data


def _superfluous(key: str, orders: Mapping[str, int], wanted: list[str]) -> str:
    base = str(key).partition("_")[0]
    if key in orders or base in orders:
        name = key if key in orders else base
        return (
            f"`initial` has an entry `{key}`, but `{name}` has time order {orders[name]} in the equations, which takes "
            f"{orders[name]} initial condition(s); expected the keys {listing(wanted)}."
        )
    return f"`initial` has an entry `{key}`, which is no unknown; expected {listing(wanted)}.{suggest(str(key), wanted)}"


def _declare_complex(what: str, name: str) -> str:
    return f"{what} is complex, but `{name}` is real; declare it with `unknowns={{'{name}': complex}}`."


def face_conditions(given: object, domain: Box) -> tuple[frozenset[str], dict[str, object]]:
    """Resolve names and wildcards: periodic axes, and what was given for every other face."""
    table = dict(given) if isinstance(given, Mapping) else {"*": given}
    valid = [*domain.names, *domain.faces, "*"]
    for key in table:
        if key not in valid:
            raise ProblemError(
                f"`boundary` has the key {key!r}; expected axes or faces: {listing(valid)}.{suggest(str(key), valid)}"
            )
    periodic, faces = set(), {}
    for axis in domain.names:
        pair = (f"{axis}-", f"{axis}+")
        named = [face for face in pair if face in table]
        if axis in table and named:
            raise ProblemError(
                f"`boundary` names both the axis `{axis}` and its face `{named[0]}`; "
                + (
                    "an axis cannot be periodic and carry a condition."
                    if _is_periodic(table[axis])
                    else "name either the axis or its faces."
                )
            )
        for face in named:
            if _is_periodic(table[face]):
                raise ProblemError(f"The face `{face}` cannot be periodic alone; write `'{axis}': 'periodic'`.")
        common = table.get(axis, table.get("*", ...))
        if not named and _is_periodic(common):
            periodic.add(axis)
            continue
        for face in pair:
            condition = table.get(face, common)
            if condition is ... or _is_periodic(condition):
                raise ProblemError(
                    f"The face `{face}` has neither a condition nor None; give one, "
                    f"such as `'{face}': 'u = 0'`, or `'{face}': None` where nothing is known."
                )
            faces[face] = condition
    return frozenset(periodic), faces


def _is_periodic(condition: object) -> bool:
    return isinstance(condition, str) and condition.strip() == PERIODIC


def face_rows(face: str, condition: object, alphabet: Alphabet, domain: Box) -> tuple[Row, ...]:
    """Rows of all conditions on one face."""
    if condition is None:
        return ()
    local = replace(alphabet, face=domain.face(face))
    what = f"`boundary` on `{face}`"
    rows: list[Row] = []
    for lhs, rhs in _pairs(condition, local, what):
        value, data = _difference(lhs, rhs, local, what)
        rows.extend(real_rows(value, replace(local, data={**local.data, **data}), what))
    return tuple(rows)


def _pairs(condition: object, alphabet: Alphabet, what: str) -> list[tuple[str, object]]:
    """Write every accepted form as (left text, right data)."""
    if isinstance(condition, Mapping):
        return list(condition.items())
    if isinstance(condition, str):
        return [split_equation(condition, what)]
    if isinstance(condition, Number) or callable(condition):
        if len(alphabet.unknowns) != 1:
            raise ProblemError(
                f"{what} is a single value, but there are the unknowns {listing(alphabet.unknowns)}; "
                "say which one: `{'u': value}`."
            )
        return [(next(iter(alphabet.unknowns)), condition)]
    if isinstance(condition, Sequence) and condition:
        return [pair for part in condition for pair in _pairs(part, alphabet, what)]
    raise ProblemError(
        f"{what} was given as {condition!r}; expected text such as `u = 0`, a list of texts, "
        "a dictionary {'u': value or function}, or None."
    )


def _difference(lhs: str, rhs: object, alphabet: Alphabet, what: str) -> tuple[Value, dict[Symbol, Callable]]:
    """lhs − rhs as a formula, and the evaluators of the data symbols in it."""
    left = translate(parse(lhs, what), alphabet, what)
    data: dict[Symbol, Callable] = {}
    if callable(rhs):
        function = Function(rhs, alphabet.coordinates, f"{what}: the function for `{lhs}`")
        parts = [Symbol(f"{what} {lhs} {part}") for part in ("re", "im")]
        data = {parts[0]: _real_part(function), parts[1]: _imaginary_part(function)}
        right = Value(parts[0]) if left.real else Value(*parts)
    else:
        text = rhs if isinstance(rhs, str) else repr(_number(rhs, what))
        right = translate(parse(text, what), alphabet, what)
    return functions.plus([left, functions.times(Value(-functions.ONE), right)]), data


def _number(value: object, what: str) -> complex | float:
    if not isinstance(value, Number) or isinstance(value, bool) or not np.isfinite(complex(value)):
        raise ProblemError(f"{what} has the datum {value!r}; expected text, a finite number or a NumPy function.")
    number = complex(value)
    return number if number.imag else number.real


def _real_part(function: Callable) -> Callable:
    return lambda points: np.asarray(function(points).real, dtype=float)


def _imaginary_part(function: Callable) -> Callable:
    return lambda points: np.asarray(function(points).imag, dtype=float)


def real_rows(value: Value, alphabet: Alphabet, label: str) -> list[Row]:
    """The real rows of one equation: one, or two where it is complex."""
    rows = []
    for part, suffix in zip(value, ("", " (imaginary part)"), strict=True):
        if part == 0:
            continue
        row = Row(part, alphabet.coordinates, alphabet.data, label + suffix)
        if row.jets:
            rows.append(row)
        elif suffix:
            name = next(iter(alphabet.unknowns), "u")
            raise ProblemError(_declare_complex(label, name))
    if not rows:
        raise ProblemError(f"{label} contains no unknown; nothing is left to solve for. Check its two sides.")
    real = all(kind is not complex for kind in alphabet.unknowns.values())
    if len(rows) == 2 and real:
        raise ProblemError(_declare_complex(label, next(iter(alphabet.unknowns))))
    return rows
