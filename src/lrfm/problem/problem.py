# SPDX-License-Identifier: MIT
"""A problem is a value: equations, domain, time, data. What is wrong with it is reported before it is solved.

F(x, t, {D^a u}) = 0  in Ω × (t₀, t₁],   ∂ₜᵏu(x, t₀) = dₖ(x),   G(x, t, {D^a u}) = 0  on faces of Ω  (Paper, eq:method-ibvp)
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any

import numpy as np

from lrfm.linalg.threads import one_thread
from lrfm.problem import checks, functions
from lrfm.problem.absent import Kinds, completed, refuse_time
from lrfm.problem.alphabet import Alphabet, fields_of
from lrfm.problem.answers import answering, equations_meant
from lrfm.problem.boundary import CENTER
from lrfm.problem.calls import naming
from lrfm.problem.conditions import PERIODIC, face_conditions, guesses, initial_data, real_rows
from lrfm.problem.constants import constants, plain_numbers
from lrfm.problem.data import Datum
from lrfm.problem.delays import Past
from lrfm.problem.domain import box_meant, interval
from lrfm.problem.ends import Ends, read_ends
from lrfm.problem.equation import Row
from lrfm.problem.errors import ProblemError, counted, listing, shown
from lrfm.problem.fewer import check_faces, check_present, check_rows
from lrfm.problem.field import UnknownField
from lrfm.problem.formula import check_reference, read_reference
from lrfm.problem.functionals import Functional, Functionals
from lrfm.problem.interfaces import part_rows
from lrfm.problem.jets import Jet, JetSymbol
from lrfm.problem.materials import names_in_parameters, parameters_by_layer
from lrfm.problem.outflow import velocities
from lrfm.problem.parameters import named_parameters, parameter_values
from lrfm.problem.poles import without_poles
from lrfm.problem.relations import check_told, told_by_others, without_their_rates
from lrfm.problem.shapes.protocol import Domain, is_domain, is_layered
from lrfm.problem.spans import Range
from lrfm.problem.syntax import names_in, parse, split_equation
from lrfm.problem.table_files import with_tables
from lrfm.problem.text import translate
from lrfm.problem.unknowns import find_unknowns
from lrfm.problem.vectors import equations as vector_equations


@naming
@dataclass(frozen=True, eq=False, repr=False)
class Problem(Kinds):
    """F(x, t, {D^a u}) = 0 with initial and boundary conditions, stated as text.

    Parameters
    ----------
    equation
        ``"lhs = rhs"``, or a list of such texts for a system.
    domain
        A `Box` with named axes, or any other shape, such as a `Disk`. Numbers may be texts, such as ``"2*pi"``. Ordinary equations, in
        which nothing is differentiated but in t, have none.
    time
        (start, end). Steady equations, in which nothing is differentiated in t, have none: see `lrfm.steady`.
    initial
        Text, number, NumPy function of the named coordinates or table (`lrfm.Table`, xarray, pandas, the path of a CSV or NetCDF
        file); ``{"u": …, "u_t": …}`` for several. ``"periodic"`` asks for the orbit whose period is the time span.
    final
        Data at the end in the place of some or all of them at the start; as many together as the equations take.
    boundary
        ``"periodic"``, a text for every face, or a dictionary by axis, face (``"x-"``) or part of the boundary, and ``"*"``.
    parameters
        Names in the equations: numbers, NumPy functions of the coordinates, or tables.
    unknowns
        ``{"psi": complex}`` for complex unknowns, ``{"T": "t"}`` for unknowns of some coordinates; real fields are found by themselves.
    reference
        A known solution (text or NumPy function of the coordinates, or one per unknown), for comparison only.
    check_corners
        Whether initial and boundary data that contradict each other are refused rather than warned about: a hot plate with a cold rim is sound.
    verify
        Whether data are evaluated and checked; off only for a saved problem whose functions are missing.

    Attributes
    ----------
    rows, initial_data, final_data, guesses, cyclic
        What was read: real rows of the equations, of the conditions by part of the boundary (the faces of a box), data by
        (unknown, order in time), starts of unknowns that follow from the others, and whether an orbit is asked for.
    fields
        Real scalar fields: the unknowns, a complex one as its real and its imaginary part.
    functionals
        Means, integrals and values at places that occur in the rows, each a field with a row of its own.
    warnings, contradiction
        What is suspicious; and the largest relative gap between initial and boundary data, below which no error can be.

    Examples
    --------
    >>> from lrfm import Box, Problem
    >>> problem = Problem(
    ...     "u_t = D*u_xx", domain=Box(x=(0, 1)), time=(0, 0.1), initial="sin(pi*x)", boundary="u = 0", parameters={"D": 2}
    ... )
    >>> problem.linear, problem.time_orders
    (True, {'u': 1})
    >>> problem.replace(equation="u_t = D*u_xx - u**3").linear
    False
    """

    equation: str | Sequence[str]
    domain: Domain = field(kw_only=True, default=None)  # type: ignore[assignment]
    time: tuple[float, float] = field(kw_only=True, default=None)  # type: ignore[assignment]
    initial: object = field(kw_only=True, default=None)
    final: object = field(kw_only=True, default=None)
    boundary: object = field(kw_only=True, default_factory=dict)
    parameters: Mapping[str, object] = field(kw_only=True, default_factory=dict)
    unknowns: Mapping[str, type | str] = field(kw_only=True, default_factory=dict)
    reference: Any = field(kw_only=True, default=None)
    name: str | None = field(kw_only=True, default=None)
    check_corners: bool = field(kw_only=True, default=False)
    verify: bool = field(kw_only=True, default=True)

    equations: tuple[str, ...] = field(init=False)
    fields: tuple[str, ...] = field(init=False)
    time_orders: dict[str, int] = field(init=False)
    periodic: frozenset[str] = field(init=False)
    rows: tuple[Row, ...] = field(init=False)
    initial_data: dict[tuple[str, int], Datum] = field(init=False)
    final_data: dict[tuple[str, int], Datum] = field(init=False)
    guesses: dict[tuple[str, int], Datum] = field(init=False, default_factory=dict)
    cyclic: bool = field(init=False)
    steady: bool = field(init=False, default=False)
    eigenvalue: str = field(init=False, default="")  # the number in a steady statement that is not given
    moved: Problem | None = field(init=False, default=None)  # what this is the rest of
    alike: Problem | None = field(init=False, default=None)  # one that is given the same functions
    face_rows: dict[str, tuple[Row, ...]] = field(init=False)
    functionals: tuple[Functional, ...] = field(init=False, default=())
    warnings: tuple[str, ...] = field(init=False, default=())
    contradiction: float = field(init=False, default=0.0)
    _alphabet: Alphabet = field(init=False)

    @one_thread
    def __post_init__(self) -> None:
        put = lambda name, value: object.__setattr__(self, name, value)  # noqa: E731
        if isinstance(self.domain, str):
            from lrfm.problem.shapes.text import read_shape

            put("domain", read_shape(self.domain))
        put("equations", _texts(self.equation))
        for name, value in completed(self).items():
            put(name, value)
        if not is_domain(self.domain):
            raise ProblemError(
                f"`domain` was given as {shown(self.domain)}; expected a box such as `{box_meant(self.domain)}`, or another "
                "shape such as `lrfm.Disk()`."
            )
        if isinstance(self.time, str) and self.time == PERIODIC:
            raise ProblemError(
                f"`time` was given as '{PERIODIC}'; give the period, such as `time=(0, 1)`, and `initial='{PERIODIC}'`."
            )
        put("time", interval("`time`", self.time))
        put("domain", self.domain.during(self.time))
        put(
            "equations",
            tuple(
                part
                for label, text in zip(self._labels(), self.equations, strict=True)
                for part in self._parts(label, text)
            ),
        )
        coordinates = (*self.domain.names, "t")
        given = {n: with_tables(v, coordinates) for n, v in named_parameters(self.parameters).items()}
        put("parameters", self._on_axes(plain_numbers(given)))
        put("boundary", with_tables(self.boundary, coordinates))
        alphabet, sides = self._read()
        put("_alphabet", alphabet)
        put("unknowns", dict(alphabet.unknowns))
        put("fields", tuple(f for n, kind in alphabet.unknowns.items() for f in fields_of(n, kind)))
        rows = self._equation_rows(alphabet, sides)
        told = (
            {}
            if self.steady
            else told_by_others(rows, self.initial if isinstance(self.initial, Mapping) else ())
        )
        put("rows", without_their_rates(rows, told))
        put("time_orders", self._time_orders(any(f.order for f in alphabet.functionals or ())))
        put("initial", with_tables(self.initial, coordinates, [n for n, k in self.time_orders.items() if k]))
        put("final", with_tables(self.final, coordinates, [n for n, k in self.time_orders.items() if k]))
        ends = (
            Ends({}, {}) if self.steady else read_ends(self.initial, self.final, self.time_orders, alphabet)
        )
        put("guesses", guesses(self.initial, self.time_orders, alphabet))
        if told and self.verify:
            start = np.array(checks.interior_grid(self.domain, self.time))
            start[:, -1] = self.time[0]
            check_told(told, {**ends.initial, **self.guesses}, start)
        for name, value in ends._asdict().items():
            put(name if name == "cyclic" else f"{name}_data", value)
        periodic, faces = face_conditions(self.boundary, self.domain, list(self.unknowns))
        put("periodic", periodic)
        equations = lambda side: self._equation_rows(side, sides)  # noqa: E731
        parts = {f: part_rows(f, c, alphabet, self.domain, equations) for f, c in faces.items()}
        put("face_rows", {f: without_their_rates(own, told) for f, own in parts.items()})
        if alphabet.symmetry is not None and alphabet.symmetry.center:
            put("face_rows", {**self.face_rows, CENTER: alphabet.symmetry.regular(self.rows, self.fields)})
        put("functionals", alphabet.closed())
        for f in self.functionals:  # a running integral begins with zero
            if f.end and f.end not in self.face_rows:
                raise ProblemError(f"`{f.field}` has no beginning on an axis that is periodic.")
            if f.end:
                zero = Row(JetSymbol(Jet(f.field, (0,) * len(coordinates))), coordinates, f"`{f.field}`")
                put("face_rows", {**self.face_rows, f.end: (*self.face_rows[f.end], zero)})
        check_present(self.all_rows, alphabet)
        check_faces(self.face_rows, self.domain, alphabet)
        put("reference", read_reference(self.reference, self.domain.names, constants(self.parameters)))
        check_reference(self.reference, self.unknowns, self.coordinates)
        if self.verify:
            self._check(self._used_names(sides))

    def _on_axes(self, parameters: dict[str, object]) -> dict[str, object]:
        """The parameters, with unknown fields put on the axes of the problem."""
        fields = {name: p for name, p in parameters.items() if isinstance(p, UnknownField)}
        if not fields:
            return parameters
        periodic, _ = face_conditions(self.boundary, self.domain, ["u"])
        spans = {name: (*ends, name in periodic) for name, ends in self.domain.axes.items()}
        return parameters | {name: p.bound({**spans, "t": (*self.time, False)}) for name, p in fields.items()}

    def _check(self, used_names: set[str]) -> None:
        past = self._alphabet.past
        with nullcontext() if past is None else past.during(lambda _, times: np.ones_like(times)):
            warnings, contradiction = checks.run(self, used_names)
        object.__setattr__(self, "warnings", tuple(warnings))
        object.__setattr__(self, "contradiction", contradiction)

    def with_initial(self, initial: object) -> Problem:
        """The same problem with other initial data and no reference: their text is checked, the equations are not read again.

        Whether data given as functions are finite and fit the boundary is left to who uses them.
        """
        data = initial_data(initial, self.time_orders, self._alphabet)
        ends = {"initial": initial, "initial_data": data, "final": None, "final_data": {}, "cyclic": False}
        other = self.restated(**ends, reference=None, alike=None)
        if all(datum.value is not None for datum in data.values()):
            other._check(set(self.parameters))
        return other

    # What the text says -----------------------------------------------------------------------------------

    def _read(self) -> tuple[Alphabet, list[tuple[ast.expr, ast.expr]]]:
        sides = []
        for label, text in zip(self._labels(), self.equations, strict=True):
            lhs, rhs = split_equation(text, label)
            sides.append((parse(lhs, label), parse(rhs, label)))
        sample = checks.interior_grid(self.domain, self.time) if self.verify else None
        parameters, materials = parameters_by_layer(
            self.parameters,
            self.domain,
            lambda given: parameter_values(given, (*self.domain.names, "t"), sample),
        )
        plain = Alphabet(self.domain.names, parameters, steady=self.steady)
        unknowns = find_unknowns(self.unknowns, plain, self._labels(), sides)
        return (
            Alphabet(
                self.domain.names,
                parameters,
                unknowns,
                functionals=Functionals(
                    self.domain, start=self.time[0], span=self.time[1] - self.time[0], steady=self.steady
                ),
                materials=materials,
                symmetry=getattr(self.domain, "symmetry", None),
                past=Past() if self.ordinary else None,
            ),
            sides,
        )

    def _parts(self, label: str, text: str) -> list[str]:
        """An equation of vectors as those of its parts."""
        sides = [parse(side, label) for side in split_equation(text, label)]
        symmetry = getattr(self.domain, "symmetry", None)
        return vector_equations(sides[0], sides[1], self.domain.names, symmetry, label) or [text]

    def _labels(self) -> list[str]:
        if len(self.equations) == 1:
            return ["The equation"]
        return [f"Equation {i}" for i in range(1, len(self.equations) + 1)]

    def _equation_rows(self, alphabet: Alphabet, sides: list[tuple[ast.expr, ast.expr]]) -> tuple[Row, ...]:
        rows: list[Row] = []
        for label, (lhs, rhs) in zip(self._labels(), sides, strict=True):
            left, right = translate(lhs, alphabet, label), translate(rhs, alphabet, label)
            rows += real_rows(functions.plus([left, functions.minus(right)]), alphabet, label)
        if alphabet.symmetry is not None:
            rows = [alphabet.symmetry.cleared(row) for row in rows]
        elif self.domain.is_box:
            rows = [without_poles(row, self.domain.axes) for row in rows]
        check_rows(rows, alphabet)
        present = {jet.unknown for row in rows for jet in row.jets}
        for name, kind in alphabet.unknowns.items():
            if name not in present and not isinstance(kind, str):
                inside = any(jet.unknown == name for f in alphabet.functionals or () for jet in f.row.jets)
                if inside and not self.eigenvalue:
                    raise ProblemError(
                        f"The unknown `{name}` stands inside of integrals or means alone, as in an equation of the first kind, whose solution is not continuous in what is "
                        f"given. Write `{name}` beside them, `{name} = f + integral(...)`, or a small multiple of it."
                    )
                if inside:
                    raise ProblemError(
                        f"The eigenvalue stands before `{name}` with no derivative of it elsewhere, beside integrals: modes of integrals are not computed. With a derivative in the "
                        "place of the integral, such as -u_xx for a kernel that is Green's function, they are."
                    )
                raise ProblemError(
                    f"The unknown `{name}` cancels out of the equations; check their two sides."
                )
        if len(rows) != len(self.fields):
            raise ProblemError(
                f"The equations come to {counted(len(rows), 'real equation')} for "
                f"{counted(len(self.fields), 'real field')} (a complex unknown and a complex equation count "
                "twice); both numbers must agree."
            )
        return tuple(rows)

    def _time_orders(self, remembers: bool) -> dict[str, int]:
        """Of the unknowns; `remembers`: whether an integral over the past moves the statement, even where no unknown has a rate."""
        orders = dict.fromkeys(self.unknowns, 0)
        for row in self.rows:
            for jet in row.jets:
                if jet.unknown in orders:
                    orders[jet.unknown] = max(orders[jet.unknown], jet.index[-1])
        if not self.steady and not remembers and not any(orders.values()):
            raise ProblemError(
                f"No time derivative of {listing(self.unknowns)} occurs in the equations, such as `u_t` or `u_tt`; a steady problem is "
                "stated without `time` and `initial`, and solved by `lrfm.steady(problem)`."
            )
        if self.steady:
            refuse_time(self.rows, orders)
        return orders

    def _used_names(self, sides: list[tuple[ast.expr, ast.expr]]) -> set[str]:
        """All names in the equations, the initial and the boundary data."""
        used = {name for pair in sides for tree in pair for name in names_in(tree)}
        used |= names_in_parameters(self.parameters)
        values = [
            v
            for given in (self.initial, self.final)
            for v in (given.values() if isinstance(given, Mapping) else [given])
        ]
        values += list(self.boundary.values()) if isinstance(self.boundary, Mapping) else [self.boundary]
        while values:
            item = values.pop()
            if isinstance(item, Mapping):
                values += [*item.keys(), *item.values()]
            elif isinstance(item, str) and item.strip().lower() != "none":
                for side in item.split("="):
                    used.update(
                        () if side.strip() == PERIODIC else names_in(parse(side, "a condition", sides=True))
                    )
            elif isinstance(item, Sequence):
                values += item
        return used

    # What the solver asks ---------------------------------------------------------------------------------

    @property
    def alphabet(self) -> Alphabet:
        """What names mean in this statement: for further formulas of its unknowns."""
        return self._alphabet

    @property
    def delays(self) -> tuple[float, ...]:
        """How far equations look back, in rising order."""
        past = self._alphabet.past
        return () if past is None else tuple(sorted(past.delays))

    @property
    def all_rows(self) -> tuple[Row, ...]:
        """Rows of the equations and of all conditions on faces."""
        return (*self.rows, *(row for rows in self.face_rows.values() for row in rows))

    @property
    def ranges(self) -> dict[str, Range]:
        """The parameters that are ranges."""
        return {name: p for name, p in self.parameters.items() if isinstance(p, Range)}

    @property
    def linear(self) -> bool:
        """Whether every row is affine in the unknowns: nothing is iterated."""
        return all(row.linear for row in self.all_rows)

    @property
    def local(self) -> bool:
        """Whether every row is about one point and one layer: there are no means, and no unknowns of some coordinates only."""
        whole = self.functionals or any(isinstance(kind, str) for kind in self.unknowns.values())
        return not whole and not is_layered(self.domain)

    @property
    def stationary(self) -> bool:
        """Whether every row is linear with coefficients, and the domain, that do not change in time: all blocks share one matrix."""
        return not self.domain.moving and all(row.stationary for row in self.all_rows)

    @property
    def forward(self) -> bool:
        """Whether all data are at the start, so that the problem can be integrated."""
        return not self.cyclic and not self.final_data

    @property
    def initial_jets(self) -> list[Jet]:
        """∂ₜᵏ of each real field that has initial data."""
        return self._jets_of(self.initial_data)

    @property
    def final_jets(self) -> list[Jet]:
        """∂ₜᵏ of each real field that has data at the end."""
        return self._jets_of(self.final_data)

    @property
    def cyclic_jets(self) -> list[Jet]:
        """∂ₜᵏ of each real field that is the same at both ends."""
        orders = [(n, k) for n, order in self.time_orders.items() for k in range(order)]
        return self._jets_of(orders if self.cyclic else ())

    def _jets_of(self, keys: Iterable[tuple[str, int]]) -> list[Jet]:
        zeros = (0,) * self.domain.dimension
        return [Jet(field, (*zeros, k)) for name, k in keys for field in self.fields_of(name)]

    @property
    def value_jets(self) -> list[Jet]:
        """The fields themselves."""
        return [Jet(field, (0,) * (self.domain.dimension + 1)) for field in self.fields]

    @cached_property
    def vectors(self) -> dict[str, tuple[str, ...]]:
        """The components of the velocity that an unknown is one of: a vector is one quantity, and errors of its components are measured by it."""
        return {name: fields for fields in velocities(self.rows) for name in fields if name in self.unknowns}

    def measure_of(self, unknown: str) -> str:
        """What errors of an unknown are measured by, as it is written: itself, or its vector."""
        return f"({', '.join(self.vectors[unknown])})" if unknown in self.vectors else unknown

    def fields_of(self, unknown: str) -> tuple[str, ...]:
        """Real scalar fields of one unknown."""
        return fields_of(unknown, self.unknowns[unknown])

    def space_order(self, axis: int, field: str | None = None) -> int:
        """Highest derivative along an axis in the equations, of one field or of any."""
        orders = [j.index[axis] for row in self.rows for j in row.jets if field in (None, j.field)]
        return max(orders, default=0)

    def to_toml(self) -> str:
        """The statement as text for a file; functions and tables have no place in it, and are refused."""
        from lrfm.problem.writing import to_toml

        return to_toml(self)

    def named(self, name: str) -> Problem:
        """The same problem under another name."""
        return self.restated(name=name)

    def restated(self, **changes: Any) -> Problem:
        """The same problem with some of what was read exchanged, for who knows that nothing else follows from that."""
        other = object.__new__(Problem)
        other.__dict__.update({**self.__dict__, **changes})
        return other

    def replace(self, **changes: Any) -> Problem:
        """The same statement with some arguments changed; it is read and checked again."""
        if self.moved is not None:
            return self.moved.replace(**changes).at_rest()
        return Problem(**{**self._arguments(), **changes})

    def _arguments(self) -> dict[str, Any]:
        given = {f.name: getattr(self, f.name) for f in fields(self) if f.init}
        if self.steady:
            given["time"] = None
        if self.eigenvalue:
            given["parameters"] = {n: v for n, v in self.parameters.items() if n != self.eigenvalue}
        return {**given, "domain": None, "boundary": {}} if self.ordinary else given

    def __reduce__(self) -> tuple[Callable, tuple]:
        """Sent to another process as its statement, and read again there."""
        if self.moved is not None:
            return _rest_again, (self.moved,)
        return _again, (self._arguments(),)

    def _repr_latex_(self) -> str:
        from lrfm.problem.typeset import statement_latex

        return statement_latex(self)

    def _repr_html_(self) -> str:
        from lrfm.problem.typeset import statement_html

        return statement_html(self)

    def __repr__(self) -> str:
        conditions = self.boundary if isinstance(self.boundary, str) else "{...}"
        label = f"{self.name}: " if self.name else ""
        place = [] if self.ordinary else [f"on {self.domain!r}"]
        time = [] if self.steady else [f"t in {self.time}"]
        said = ", ".join([*place, *time, *([] if self.ordinary else [conditions])])
        return f"Problem({label}{'; '.join(self.equations)}{' ' if place else ', '}{said})"


Problem.__init__ = answering(Problem.__init__)  # type: ignore[method-assign]


def _again(arguments: dict[str, Any]) -> Problem:
    return Problem(**arguments)


def _rest_again(moved: Problem) -> Problem:
    return moved.at_rest()


def _texts(equation: str | Sequence[str]) -> tuple[str, ...]:
    texts = (equation,) if isinstance(equation, str) else equation
    if not isinstance(texts, Sequence) or not texts or not all(isinstance(t, str) for t in texts):
        raise ProblemError(
            f"`equation` was given as {shown(equation)}; expected text such as `u_t = u_xx`, or a list of "
            f"such texts.{equations_meant(equation)}"
        )
    return tuple(texts)
