# SPDX-License-Identifier: MIT
"""Unknowns: what carries a derivative, was declared, or has an equation of its own."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from lrfm.problem.alphabet import Alphabet, read_coordinates
from lrfm.problem.errors import ProblemError, Spelled, counted, listing, look_alike, short, shown
from lrfm.problem.names import CONSTANTS, TAKEN, check_name, normal, split_subscript
from lrfm.problem.syntax import differentiated_names, names_in

KINDS = {"real": float, "float": float, "complex": complex}
Sides = Sequence[tuple[ast.expr, ast.expr]]


def declared_unknowns(given: object, alphabet: Alphabet) -> dict[str, type | str]:
    """``{"psi": complex, "T": "t"}`` as the user declared it."""
    if given is not None and not isinstance(given, Mapping):
        raise ProblemError(
            f"`unknowns` was given as {shown(given)}; expected a dictionary such as {{'psi': complex}}."
        )
    declared: dict[str, type | str] = {}
    for key, kind in (given or {}).items():
        name = normal(key)
        _check_unknown(name, alphabet)
        declared[name] = _kind(name, kind, alphabet)
    return declared


def _kind(name: str, kind: object, alphabet: Alphabet) -> type | str:
    """`float`, `complex`, or the coordinates of which an unknown is a function, such as ``"t"``."""
    if isinstance(kind, list | tuple) and all(isinstance(part, str) for part in kind):
        kind = ", ".join(kind)
    kind = KINDS.get(kind.strip().lower(), kind) if isinstance(kind, str) else kind
    if kind is float or kind is complex:
        return kind
    coordinates = {*read_coordinates(kind), "t"} if isinstance(kind, str) and kind.strip() else set()
    if coordinates and coordinates <= set(alphabet.coordinates):
        own = [c for c in alphabet.coordinates if c in coordinates]
        return ", ".join(own) if len(own) < len(alphabet.coordinates) else float
    raise ProblemError(
        f"The unknown `{short(name)}` was declared as {shown(kind)}; expected `float` or `complex`: ",
        Spelled(f"`unknowns={{'{short(name)}': complex}}`", f'`{short(name)} = "complex"` in [unknowns]'),
        f", or the coordinates it is a function of, such as `t` (among {listing(alphabet.coordinates)}; time is one of them always).",
    )


def _check_unknown(name: str, alphabet: Alphabet) -> None:
    taken = {
        **TAKEN,
        **dict.fromkeys(alphabet.axes, "a coordinate"),
        **dict.fromkeys(alphabet.parameters, "a parameter"),
    }
    check_name(name, "An unknown", "psi", taken)


def find_unknowns(
    given: object, alphabet: Alphabet, labels: Sequence[str], sides: Sides
) -> dict[str, type | str]:
    """Unknowns in the order of the text; a plain name is one only where it has an equation of its own."""
    found = declared_unknowns(given, alphabet)
    declared = tuple(found)
    known = {*alphabet.coordinates, *alphabet.parameters, *CONSTANTS}
    names = list(dict.fromkeys(name for pair in sides for tree in pair for name in names_in(tree)))
    inner = set().union(*(differentiated_names(tree) for pair in sides for tree in pair))
    plain: list[str] = []
    for name in names:
        split = split_subscript(name, alphabet.letters)
        if name in known or name in found or (split and split[0] in known):
            continue
        if split or name in inner:
            found.setdefault(split[0] if split else name, float)
        else:
            plain.append(name)
    plain = [n for n in plain if n not in found and n.rpartition("_")[0] not in found]
    if len(found) + len(plain) == len(sides):
        found |= dict.fromkeys(plain, float)
    called = {
        n.func.id
        for pair in sides
        for tree in pair
        for n in ast.walk(tree)
        if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)
    }
    _check_found(found, declared, alphabet, names, called)
    _check_names(found, alphabet, labels, sides)
    if len(found) != len(sides):
        raise _glued(found, declared, alphabet, sides) or ProblemError(_wrong_number(found, len(sides)))
    place = {name: i for i, name in reversed(list(enumerate(_bases(names, found))))}
    return dict(sorted(found.items(), key=lambda item: place.get(item[0], len(place))))


def _bases(names: Sequence[str], found: Mapping[str, type | str]) -> list[str]:
    """The unknown that each name of the text belongs to."""
    return [name if name in found else name.rpartition("_")[0] for name in names]


def _check_found(
    found: Mapping[str, type | str],
    declared: Sequence[str],
    alphabet: Alphabet,
    names: Sequence[str],
    called: set[str],
) -> None:
    for name in found:
        _check_unknown(name, alphabet)
    used = {*_bases(names, found), *called}  # u(y) of an integral is a call
    for name in declared:
        if name not in used and not isinstance(
            found[name], str
        ):  # one of time alone may stand in conditions only
            raise ProblemError(
                f"The unknown `{short(name)}` is declared in `unknowns`, but does not occur in the "
                "equations; correct its name or remove it."
            )
    for name in (*alphabet.parameters, *found):
        split = split_subscript(name, (*alphabet.coordinates, "n"))
        if split and split[0] in found:
            kind = "parameter" if name in alphabet.parameters else "unknown"
            twice = next((n for n in names if n.startswith(f"{name}_")), None)
            if kind == "unknown" and name not in declared and twice:
                joined = f"{name}{twice.removeprefix(name).replace('_', '')}"
                raise ProblemError(
                    f"`{short(twice)}` has two subscripts; write a derivative with one: `{short(joined)}`."
                )
            raise ProblemError(
                f"The {kind} `{short(name)}` has the name of a derivative of the unknown `{split[0]}`; "
                "choose another name."
            )


def _check_names(
    found: Mapping[str, type | str], alphabet: Alphabet, labels: Sequence[str], sides: Sides
) -> None:
    complete = replace(alphabet, unknowns=found, equation=True)
    for label, pair in zip(labels, sides, strict=True):
        for side, name in ((tree, n) for tree in pair for n in names_in(tree)):
            try:
                complete.resolve(name, label)
            except ProblemError as error:
                text = getattr(side, "text", "")
                place = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text)
                raise (error.at(text, *place.span()) if place else error) from None


def _alike(found: Mapping[str, type | str]) -> str:
    names = sorted(found, key=str.isascii)
    for name in names:
        twin = next((n for n in names if n != name and n.lower() == name.lower()), None)
        if twin:
            return f" Capital letters count: `{name}` is not `{twin}`."
    return next((said for n in names if (said := look_alike(n, names))), "")


def _glued(
    found: Mapping[str, type | str], declared: Sequence[str], alphabet: Alphabet, sides: Sides
) -> ProblemError | None:
    """What is said of ``ux`` in ``diff(D*ux, x)``, which looks like an unknown of its own; None where there is no such name."""
    for name in (n for n in found if n not in declared):
        for base in (b for b in found if b != name and name.startswith(b)):
            letters = split_subscript(f"{base}_{name.removeprefix(base)}", alphabet.letters)
            if letters:
                error = ProblemError(
                    f"The equation: the name `{short(name)}` is not known. Write `{base}_{''.join(letters[1])}` for the "
                    f"derivative of `{base}`; an unknown of this name would need an equation of its own."
                )
                texts = [getattr(tree, "text", "") for pair in sides for tree in pair]
                places = ((text, re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text)) for text in texts)
                return next((error.at(text, *place.span()) for text, place in places if place), error)
    return None


def _wrong_number(found: Mapping[str, type | str], equations: int) -> str:
    if not found:
        return (
            f"The {'equation contains' if equations == 1 else 'equations contain'} no unknown: nothing is "
            "differentiated or declared; expected an evolution equation such as `u_t = u_xx`."
        )
    return (
        f"There {'is' if equations == 1 else 'are'} {counted(equations, 'equation')} for "
        f"{counted(len(found), 'unknown')}, {listing(found)}; both numbers must agree.{_alike(found)} Add or remove an "
        "equation; a name that is given, not unknown, belongs in `parameters`."
    )
