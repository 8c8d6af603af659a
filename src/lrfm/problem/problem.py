# SPDX-License-Identifier: MIT
"""A problem is a value: equations, domain, time, data. What is wrong with it is said before any number is computed.

    F(x, t, {D^a u}) = 0  in Ω × (t₀, t₁],   ∂ₜᵏu(x, t₀) = dₖ(x),   G(x, t, {D^a u}) = 0  on faces of Ω
    (Paper, eq:method-ibvp)
"""

from __future__ import annotations

import ast
import keyword
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Number

import numpy as np
import sympy
from sympy import Symbol

from lrfm.problem import checks, functions
from lrfm.problem.conditions import PERIODIC, face_conditions, face_rows, initial_data, real_rows
from lrfm.problem.data import Datum, Function
from lrfm.problem.domain import Box, interval
from lrfm.problem.equation import Row
from lrfm.problem.errors import ProblemError, listing
from lrfm.problem.expression import Value
from lrfm.problem.text import (
    CONSTANTS,
    DERIVATIVES,
    Alphabet,
    differentiated_names,
    fields_of,
    names_in,
    parse,
    split_equation,
    split_subscript,
    translate,
)


@dataclass(frozen=True, eq=False, repr=False)
class Problem:
    """F(x, t, {D^a u}) = 0 with initial and boundary conditions, stated as text.

    Parameters
    ----------
    equation
        ``"lhs = rhs"``, or a list of such texts for a system.
    domain, time
        A `Box` with named axes; (start, end).
    initial
        Text, number or NumPy function of the named coordinates; ``{"u": …, "u_t": …}`` for several.
    boundary
        ``"periodic"``, a text for every face, or a dictionary with axes, faces (``"x-"``) and ``"*"`` as keys.
    parameters
        Names in the equations: numbers, or NumPy functions of the coordinates.
    unknowns
        ``{"psi": complex}`` for complex unknowns; real ones are found by themselves.
    reference
        A known solution (NumPy function of the coordinates, or one per unknown), for comparison only.
    check_corners
        Whether initial and boundary data that contradict each other are refused.
    verify
        Whether data are evaluated and checked at all; off only for a saved problem whose functions are missing.
    """

    equation: str | Sequence[str]
    domain: Box = field(kw_only=True)
    time: tuple[float, float] = field(kw_only=True)
    initial: object = field(kw_only=True, default=None)
    boundary: object = field(kw_only=True, default_factory=dict)
    parameters: Mapping[str, object] = field(kw_only=True, default_factory=dict)
    unknowns: Mapping[str, type] = field(kw_only=True, default_factory=dict)
    reference: Callable | Mapping[str, Callable] | None = field(kw_only=True, default=None)
    name: str | None = field(kw_only=True, default=None)
    check_corners: bool = field(kw_only=True, default=True)
    verify: bool = field(kw_only=True, default=True)

    equations: tuple[str, ...] = field(init=False)
    fields: tuple[str, ...] = field(init=False)
    time_orders: dict[str, int] = field(init=False)
    periodic: frozenset[str] = field(init=False)
    rows: tuple[Row, ...] = field(init=False)
    initial_data: dict[tuple[str, int], Datum] = field(init=False)
    face_rows: dict[str, tuple[Row, ...]] = field(init=False)
    warnings: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        put = lambda name, value: object.__setattr__(self, name, value)  # noqa: E731
        if not isinstance(self.domain, Box):
            raise ProblemError(f"`domain` was given as {self.domain!r}; expected a box such as `Box(x=(-1, 1))`.")
        put("equations", _texts(self.equation))
        put("time", interval("`time`", self.time))
        put("parameters", dict(self.parameters or {}))
        alphabet, sides = self._read()
        put("unknowns", dict(alphabet.unknowns))
        put("fields", tuple(f for n, kind in alphabet.unknowns.items() for f in fields_of(n, kind)))
        put("rows", self._equation_rows(alphabet, sides))
        put("time_orders", self._time_orders())
        put("initial_data", initial_data(self._given_initial(), self.time_orders, alphabet))
        periodic, faces = face_conditions(self.boundary, self.domain)
        put("periodic", periodic)
        put("face_rows", {f: face_rows(f, c, alphabet, self.domain) for f, c in faces.items()})
        put("warnings", tuple(checks.run(self, self._used_names(sides))) if self.verify else ())

    # What the text says ------------------------------------------------------------------------------------------

    def _read(self) -> tuple[Alphabet, list[tuple[ast.expr, ast.expr]]]:
        sides = []
        for label, text in zip(self._labels(), self.equations, strict=True):
            lhs, rhs = split_equation(text, label)
            sides.append((parse(lhs, label), parse(rhs, label)))
        parameters, data = self._parameter_values()
        plain = Alphabet(self.domain.names, parameters, {}, data)
        unknowns = self._find_unknowns(plain, sides)
        return Alphabet(self.domain.names, parameters, unknowns, data), sides

    def _labels(self) -> list[str]:
        if len(self.equations) == 1:
            return ["The equation"]
        return [f"Equation {i}" for i in range(1, len(self.equations) + 1)]

    def _parameter_values(self) -> tuple[dict[str, Value], dict[Symbol, Callable]]:
        values: dict[str, Value] = {}
        data: dict[Symbol, Callable] = {}
        for name, given in self.parameters.items():
            _check_name(name, self.domain)
            what = f"The parameter `{name}`"
            if callable(given):
                function = Function(given, (*self.domain.names, "t"), what)
                parts = {"re": lambda p, f=function: np.asarray(f(p).real, dtype=float)}
                sample = function(checks.interior_grid(self.domain, self.time)) if self.verify else np.zeros(1)
                if not np.all(np.isfinite(sample)):
                    raise ProblemError(f"{what} is a function with non-finite values inside the domain.")
                if np.iscomplexobj(sample):
                    parts["im"] = lambda p, f=function: np.asarray(f(p).imag, dtype=float)
                symbols = {part: Symbol(f"{name}.{part}") for part in parts}
                data |= {symbols[part]: evaluate for part, evaluate in parts.items()}
                values[name] = Value(*symbols.values())
            elif isinstance(given, Number | np.number) and not isinstance(given, bool):
                number = complex(given)
                if not np.isfinite(number):
                    raise ProblemError(f"{what} is {given!r}; it must be finite.")
                values[name] = Value(_exact(number.real), _exact(number.imag))
            else:
                raise ProblemError(
                    f"{what} was given as {type(given).__name__}; expected a number or a NumPy function of the "
                    f"coordinates {listing((*self.domain.names, 't'))}."
                )
        return values, data

    def _find_unknowns(self, alphabet: Alphabet, sides: list[tuple[ast.expr, ast.expr]]) -> dict[str, type]:
        """Unknown is what is differentiated or declared; a plain name only where it has an equation of its own."""
        declared = _declared(self.unknowns, alphabet)
        known = {*alphabet.coordinates, *alphabet.parameters, *CONSTANTS}
        found = dict(declared)
        plain: list[str] = []
        for tree in (t for pair in sides for t in pair):
            inner = differentiated_names(tree)
            for name in names_in(tree):
                if name in known or name in found:
                    continue
                split = split_subscript(name, alphabet.letters)
                if split and split[0] not in known:
                    found.setdefault(split[0], float)
                elif name in inner:
                    found.setdefault(name, float)
                else:
                    plain.append(name)
        plain = [n for n in dict.fromkeys(plain) if n not in found and n.rpartition("_")[0] not in found]
        if len(found) + len(plain) == len(sides):
            found |= dict.fromkeys(plain, float)
        complete = Alphabet(alphabet.axes, alphabet.parameters, found)
        for label, pair in zip(self._labels(), sides, strict=True):
            for name in (n for tree in pair for n in names_in(tree)):
                complete.resolve(name, label)
        if len(found) != len(sides):
            raise ProblemError(
                f"There are {len(sides)} equation(s) for {len(found)} unknown(s) {listing(found)}; both numbers must "
                "agree. A name that is given, not unknown, belongs into `parameters`."
            )
        return found

    def _equation_rows(self, alphabet: Alphabet, sides: list[tuple[ast.expr, ast.expr]]) -> tuple[Row, ...]:
        rows: list[Row] = []
        for label, (lhs, rhs) in zip(self._labels(), sides, strict=True):
            left, right = translate(lhs, alphabet, label), translate(rhs, alphabet, label)
            rows += real_rows(functions.plus([left, functions.times(Value(-functions.ONE), right)]), alphabet, label)
        return tuple(rows)

    def _time_orders(self) -> dict[str, int]:
        orders = {name: 0 for name in self.unknowns}
        for row in self.rows:
            for jet in row.jets:
                name = jet.field.partition(".")[0]
                orders[name] = max(orders[name], jet.index[-1])
        if not any(orders.values()):
            raise ProblemError(
                "No unknown has a time derivative; lrfm solves evolution equations, which contain `u_t` or `u_tt`."
            )
        return orders

    def _given_initial(self) -> object:
        return {} if self.initial is None else self.initial

    def _used_names(self, sides: list[tuple[ast.expr, ast.expr]]) -> set[str]:
        used = set().union(*(names_in(t) for pair in sides for t in pair))
        texts: list[object] = [self.initial, self.boundary]
        while texts:
            item = texts.pop()
            if isinstance(item, Mapping):
                # Keys are names of faces and unknowns, but inside a face's dictionary they are left-hand sides.
                texts += [*item.values(), *(k for v in item.values() if isinstance(v, Mapping) for k in v)]
            elif isinstance(item, str):
                for side in item.split("="):
                    if side.strip() != PERIODIC:
                        used.update(names_in(parse(side, "a condition")))
            elif isinstance(item, Sequence):
                texts += item
        return used

    # What the solver asks ----------------------------------------------------------------------------------------

    @property
    def linear(self) -> bool:
        """Whether every row is affine in the unknowns: one least-squares solve is enough."""
        return all(row.linear for row in (*self.rows, *(r for rows in self.face_rows.values() for r in rows)))

    def fields_of(self, unknown: str) -> tuple[str, ...]:
        """Real scalar fields of one unknown."""
        return fields_of(unknown, self.unknowns[unknown])

    def space_order(self, axis: int, field: str | None = None) -> int:
        """Highest derivative along an axis in the equations, of one field or of any."""
        orders = [j.index[axis] for row in self.rows for j in row.jets if field in (None, j.field)]
        return max(orders, default=0)

    def __repr__(self) -> str:
        conditions = self.boundary if isinstance(self.boundary, str) else "{...}"
        label = f"{self.name}: " if self.name else ""
        return f"Problem({label}{'; '.join(self.equations)} on {self.domain!r}, t in {self.time}, {conditions})"


def _texts(equation: str | Sequence[str]) -> tuple[str, ...]:
    texts = (equation,) if isinstance(equation, str) else equation
    if not isinstance(texts, Sequence) or not texts or not all(isinstance(t, str) for t in texts):
        raise ProblemError(f"`equation` was given as {equation!r}; expected text `lhs = rhs` or a list of texts.")
    return tuple(texts)


def _check_name(name: object, domain: Box) -> None:
    if not isinstance(name, str) or not name.isidentifier() or keyword.iskeyword(name):
        raise ProblemError(f"`parameters` has the name {name!r}; expected a plain identifier such as `eps`.")
    taken = {**dict.fromkeys(domain.names, "a coordinate"), "t": "time", "pi": "the number π"}
    taken |= dict.fromkeys([*functions.TABLE, *DERIVATIVES], "a function")
    if name in taken:
        raise ProblemError(f"The parameter name `{name}` is already taken by {taken[name]}; choose another one.")


def _declared(unknowns: Mapping[str, type], alphabet: Alphabet) -> dict[str, type]:
    if not isinstance(unknowns, Mapping):
        raise ProblemError(f"`unknowns` was given as {unknowns!r}; expected a dictionary such as {{'psi': complex}}.")
    taken = {*alphabet.coordinates, *alphabet.parameters, *CONSTANTS, *functions.TABLE, *DERIVATIVES}
    for name, kind in unknowns.items():
        if kind not in (float, complex):
            raise ProblemError(f"The unknown `{name}` was declared as {kind!r}; expected `float` or `complex`.")
        if not isinstance(name, str) or not name.isidentifier() or name in taken:
            raise ProblemError(f"The unknown name {name!r} is not usable: it is no identifier or already taken.")
    return dict(unknowns)


def _exact(number: float) -> sympy.Expr:
    return sympy.Integer(int(number)) if number.is_integer() and abs(number) < 2**53 else sympy.Float(number)


