# SPDX-License-Identifier: MIT
"""Initial and boundary conditions: from what a user may write to data and rows.

Initial:   ∂ₜᵏ u(x, t₀) = d(x), k = 0 … (time order − 1), per unknown.
Boundary:  F(x, t, {D^a u}) = 0 on a part, any number of them; periodicity of an axis of a box; or None, nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from numbers import Number

from lrfm.problem import functions, habits
from lrfm.problem.algebra import Symbol, symbols_in
from lrfm.problem.alphabet import Alphabet, read_coordinates
from lrfm.problem.boundary import CENTER, PERIODIC, part_conditions
from lrfm.problem.data import Datum, UserFunction, not_data, number_value
from lrfm.problem.equation import Row
from lrfm.problem.errors import NONE, ProblemError, Spelled, counted, entry, listing, short, shown, suggest
from lrfm.problem.expression import Value, is_zero
from lrfm.problem.jets import GivenSymbol
from lrfm.problem.materials import by_layer
from lrfm.problem.names import normal, split_subscript
from lrfm.problem.shapes.protocol import Domain, is_layered
from lrfm.problem.syntax import parse, split_equation
from lrfm.problem.tables import Table, table_value
from lrfm.problem.text import translate


def initial_data(
    given: object, orders: Mapping[str, int], alphabet: Alphabet
) -> dict[tuple[str, int], Datum]:
    """Collect {(unknown, k): data of ∂ₜᵏ} and compare with the time order of each unknown; one of order 0 needs none."""
    wanted = {
        (name, k): "_".join(filter(None, (name, "t" * k))) for name, n in orders.items() for k in range(n)
    }
    keys = list(wanted.values())
    if given is None and wanted:
        raise ProblemError(
            f"`initial` is missing; this problem needs initial data for {listing(keys)} (one per order in "
            "time). Data at the end are given as `final`, and `periodic` asks for an orbit."
        )
    given = {} if given is None else given
    layered = alphabet.materials.domain if alphabet.materials else None
    if not isinstance(given, Mapping) or by_layer(given, layered, keys):
        if len(wanted) != 1:
            raise ProblemError(
                f"`initial` was given as the single value {shown(given)}, but this problem needs "
                f"{counted(len(wanted), 'initial condition')}; give ",
                Spelled("a dictionary", "a table [initial]"),
                f" with the keys {listing(keys)}.",
            )
        given = {keys[0]: given}
    given = {normal(key): value for key, value in given.items()}
    spatial = Alphabet(alphabet.axes, alphabet.parameters, materials=alphabet.materials)
    for key, value in given.items():
        if orders.get(key) == 0:
            # An unknown without a time derivative follows from the others; what is said of its start is read, and not needed.
            check_initial(Datum(value, spatial, f"`initial` of `{key}`"), key, alphabet)
        elif key not in keys:
            raise ProblemError(_superfluous(key, orders, keys))
    missing = [key for key in keys if key not in given]
    if missing:
        raise ProblemError(
            f"`initial` has no entry for {listing(missing)}; this problem needs {listing(keys)} (one "
            "condition per order of the time derivative of each unknown)."
        )
    data = {place: Datum(given[key], spatial, f"`initial` of `{key}`") for place, key in wanted.items()}
    for (name, _), datum in data.items():
        check_initial(datum, name, alphabet)
    return data


def guesses(given: object, orders: Mapping[str, int], alphabet: Alphabet) -> dict[tuple[str, int], Datum]:
    """Where unknowns without a time derivative are looked for at the start: they follow from the others, and several values may do."""
    if not isinstance(given, Mapping):
        return {}
    spatial = Alphabet(alphabet.axes, alphabet.parameters, materials=alphabet.materials)
    named = {normal(key): value for key, value in given.items()}
    return {
        (name, 0): Datum(value, spatial, f"`initial` of `{name}`")
        for name, value in named.items()
        if orders.get(name) == 0
    }


def check_initial(datum: Datum, name: str, alphabet: Alphabet) -> None:
    """Data at one time are functions of the axes that their unknown depends on, and real where it is."""
    if datum.value is None:
        return
    if Symbol("t") in symbols_in(*datum.value):
        raise ProblemError(
            f"{datum.what} contains `t`; {datum.what[1:].partition('`')[0]} data are functions of {listing(alphabet.axes)} only. Put "
            f"the {'end' if datum.what.startswith('`final') else 'start'} time into the formula."
        )
    foreign = frozenset(alphabet.axes) & frozenset().union(
        *map(alphabet.reach, datum.value)
    ) - alphabet.along(name)
    if foreign:
        raise ProblemError(
            f"{datum.what} contains {listing(sorted(foreign))}, but `{name}` was declared as a function of "
            f"{listing(read_coordinates(str(alphabet.unknowns[name])))}; leave {'it' if len(foreign) == 1 else 'them'} out."
        )
    if not datum.value.real and alphabet.unknowns[name] is not complex:
        raise undeclared_complex(datum.what, [name])


def _superfluous(key: object, orders: Mapping[str, int], wanted: list[str]) -> str:
    split = split_subscript(key, ("t",)) if isinstance(key, str) else None
    name = split[0] if split else str(key)
    if name in orders:
        return (
            f"`initial` has an entry `{key}`, but the equations are of order {orders[name]} in time for "
            f"`{name}`, which takes {counted(orders[name], 'initial condition')}; expected the keys "
            f"{listing(wanted)}."
        )
    return (
        f"`initial` has an entry {shown(key)}, which is not an unknown; expected the keys "
        f"{listing(wanted)}.{suggest(str(key), wanted)}"
    )


def undeclared_complex(what: str, names: Sequence[str]) -> ProblemError:
    """The error for complex data or equations of real unknowns."""
    verb = "is real; declare it" if len(names) == 1 else "are real; declare the complex ones"
    return ProblemError(
        f"{what} is complex, but {listing(names)} {verb} with ",
        Spelled(f"`unknowns={{'{names[0]}': complex}}`", f'`{names[0]} = "complex"` in [unknowns]'),
        ".",
    )


def face_conditions(
    given: object, domain: Domain, unknowns: Sequence[str]
) -> tuple[frozenset[str], dict[str, object]]:
    """Resolve names and wildcards: periodic axes, and what was given for every other part."""
    if not domain.is_box:
        return part_conditions(given, domain, unknowns)
    table = {normal(k): v for k, v in given.items()} if isinstance(given, Mapping) else {"*": given}
    prefix = f"{getattr(domain, 'name', None)}."
    table = {k.removeprefix(prefix) if isinstance(k, str) else k: v for k, v in table.items()}
    table = {key: None if _is_none(value) else value for key, value in table.items()}
    valid = [*domain.names, *domain.parts, "*"]
    for key in table:
        if key not in valid:
            raise _not_a_face(key, table[key], valid, unknowns, domain)
    periodic: set[str] = set()
    faces: dict[str, object] = {}
    symmetry = getattr(domain, "symmetry", None)
    central = symmetry is not None and symmetry.center
    if central and CENTER in table:
        raise ProblemError(
            f"`boundary` has a condition on `{CENTER}`, which is r = 0: no face, but the middle of the body, where solutions are smooth by themselves. Leave "
            "it out."
        )
    for axis in domain.names:
        pair = (f"{axis}-", f"{axis}+")
        named = [face for face in pair if face in table]
        _check_axis(axis, named, table)
        common = table.get(axis, table.get("*", ...))
        if _is_periodic(common) and not named:
            periodic.add(axis)
            continue
        for face in pair:
            condition = table.get(face, common)
            if central and face == CENTER:
                faces[face] = None
                continue
            if condition is ... or _is_periodic(condition):
                raise ProblemError(
                    f"The face `{face}` has neither a condition nor ",
                    NONE,
                    "; give one, such as ",
                    entry(face, f"{unknowns[0]} = 0"),
                    ", or ",
                    entry(face, None),
                    " where nothing is known.",
                )
            faces[face] = condition
    return frozenset(periodic), faces


def _not_a_face(
    key: object, value: object, valid: Sequence[str], unknowns: Sequence[str], domain: Domain
) -> ProblemError:
    name = short(str(key))
    expected = (
        f"`boundary` has the key {shown(key)}; expected axes, faces or `*` for all others: {listing(valid)}."
    )
    meant = habits.face_meant(name, valid, dict(domain.axes))
    if meant:
        return ProblemError(
            f"`boundary` has the key {shown(key)}; write `{meant}`: ",
            entry(meant, f"{unknowns[0]} = 0"),
            f". Keys are {listing(valid)}.",
        )
    kind = habits.condition_meant(name, 0 if value is None else value, unknowns[0])
    if kind:
        return _kind(f"`boundary` has the key {shown(key)}", kind)
    if name.partition("_")[0] not in unknowns:
        return ProblemError(f"{expected}{suggest(name, valid)}")
    inside = Spelled(f"`{{'*': {{'{name}': value}}}}`", f'`"*" = {{ {name} = 0 }}`')
    return ProblemError(f"{expected} A condition on `{name}` goes inside: ", inside, ".")


def _check_axis(axis: str, named: Sequence[str], table: Mapping[str, object]) -> None:
    for face in named:
        if _is_periodic(table[face]):
            raise ProblemError(
                f"`boundary` calls the face `{face}` periodic, but periodicity joins both faces of an axis; write ",
                entry(axis, PERIODIC),
                ".",
            )
    if named and _is_periodic(table.get(axis, table.get("*"))):
        source = axis if axis in table else "*"
        raise ProblemError(
            f"`boundary` makes the axis `{axis}` periodic (by `{source}`) and gives a condition on its "
            f"face `{named[0]}`; an axis has either the one or the other."
        )
    if named and axis in table:
        raise ProblemError(
            f"`boundary` names both the axis `{axis}` and its face `{named[0]}`; name either the axis, for "
            "both faces, or the faces."
        )


def _is_none(condition: object) -> bool:
    """``"none"`` and False say None, as in a file."""
    return condition is False or (isinstance(condition, str) and condition.strip().lower() == "none")


def _is_periodic(condition: object) -> bool:
    return isinstance(condition, str) and condition.strip() == PERIODIC


def face_rows(face: str, condition: object, alphabet: Alphabet, domain: Domain) -> tuple[Row, ...]:
    """Rows of all conditions on one part of the boundary."""
    if condition is None:
        return ()
    local = replace(alphabet, normal=domain.parts[face].normal)
    if is_layered(domain):
        local = local.of(domain.layer_of(face))
    return read_conditions(condition, local, f"`boundary` on `{face}`")


def read_conditions(condition: object, alphabet: Alphabet, what: str) -> tuple[Row, ...]:
    """Rows of one condition, or of a list of them."""
    several = isinstance(condition, Sequence) and not isinstance(condition, str | bytes) and condition
    if several and len(several) > 1 and all(isinstance(part, Number) for part in several):
        raise ProblemError(
            f"{what} was given as {shown(condition)}, {len(several)} values for one face; write the two ends apart: ",
            Spelled(
                f"`{{'x-': {shown(several[0])}, 'x+': {shown(several[-1])}}}`",
                f'`"x-" = {shown(several[0])}` and `"x+" = {shown(several[-1])}`',
            ),
            ".",
        )
    if several and any(part is None or part == "none" for part in several):
        raise ProblemError(
            f"{what} has ", NONE, " in its list of conditions; leave it out there: what is not named is free."
        )
    pairs = (pair for part in (several or [condition]) for pair in _pairs(part, alphabet, what))
    return tuple(
        row for pair in pairs for row in real_rows(_difference(*pair, alphabet, what), alphabet, what)
    )


def _kind(given: str, meant: str) -> ProblemError:
    """What is said of the name of a kind of condition; that of none at all has no text."""
    said = f"{given}, the name of a kind of condition; write "
    if meant:
        return ProblemError(f"{said}the condition itself: `{meant}`.")
    return ProblemError(said, NONE, " where nothing is known on a face.")


def _pairs(condition: object, alphabet: Alphabet, what: str) -> list[tuple[str, object]]:
    """Write every accepted form as (left text, right data)."""
    unknown = next(iter(alphabet.unknowns))
    if isinstance(condition, Mapping) and condition:
        for key, value in condition.items():
            if isinstance(key, str) and key not in alphabet.names:
                meant = habits.condition_meant(key, value, unknown)
                if meant is not None:
                    raise _kind(f"{what} has `{short(key)}`", meant)
        return list(condition.items())
    if isinstance(condition, str):
        if "=" not in condition and suggest(condition.strip().lower(), [PERIODIC]):
            raise ProblemError(
                f"{what} is `{short(condition)}`; did you mean `{PERIODIC}`, for the whole axis?"
            )
        meant = None if "=" in condition else habits.condition_meant(condition, 0, unknown)
        if meant is not None:
            raise _kind(f"{what} is `{short(condition)}`", meant)
        return [split_equation(condition, what, f"{unknown} = 0")]
    if isinstance(condition, Number) or callable(condition):
        if len(alphabet.unknowns) != 1:
            raise ProblemError(
                f"{what} was given as the single value {shown(condition)}, but there are the unknowns "
                f"{listing(alphabet.unknowns)}; say which one: ",
                Spelled(f"`{{'{unknown}': value}}`", f"`{{ {unknown} = 0 }}`"),
                ".",
            )
        return [(unknown, condition)]
    raise ProblemError(
        f"{what} was given as {shown(condition)}; expected text such as `{unknown} = 0`, a list of texts, a ",
        Spelled(
            f"dictionary such as {{'{unknown}': value or function}}",
            f'table such as {{ {unknown} = "sin(t)" }}',
        ),
        ", or ",
        NONE,
        ".",
    )


def _difference(lhs: str, rhs: object, alphabet: Alphabet, what: str) -> Value:
    """lhs − rhs as a formula."""
    sides = bool(alphabet.sides)
    left = translate(parse(lhs, what, sides), alphabet, what)
    what_of = f"{what}: the value of `{short(lhs)}`"
    right = number_value(rhs, what_of)
    if isinstance(rhs, Table):
        right = table_value(rhs, what_of, alphabet.coordinates)
    elif right is None and isinstance(rhs, str):
        right = translate(parse(rhs, what, sides), alphabet, what)
    elif right is None and callable(rhs):
        function = UserFunction(rhs, alphabet.coordinates, what_of)
        parts = [function.only_real] if left.real else [function.real, function.imaginary]
        right = Value(*(GivenSymbol(what_of, str(i), part) for i, part in enumerate(parts)))
    elif right is None:
        raise not_data(what_of, rhs, alphabet.coordinates)
    return functions.plus([left, functions.minus(right)])


def real_rows(value: Value, alphabet: Alphabet, label: str) -> list[Row]:
    """The real rows of one equation: one, or two where it is complex."""
    if not value.real and not any(kind is complex for kind in alphabet.unknowns.values()):
        raise undeclared_complex(label, list(alphabet.unknowns))
    rows = []
    for part, name in zip(value, ("real", "imaginary"), strict=True):
        suffix = " (imaginary part)" if name == "imaginary" else ""
        row = Row(part, alphabet.coordinates, label + suffix)
        if row.jets:
            rows.append(row)
        elif not is_zero(row.source_part) and not value.real:
            raise ProblemError(
                f"{label} contains no unknown in its {name} part, which is not zero and so can never hold; "
                "check its two sides."
            )
    if not rows:
        raise ProblemError(f"{label} contains no unknown: nothing is left to solve for. Check its two sides.")
    return rows
