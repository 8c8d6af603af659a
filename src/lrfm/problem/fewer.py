# SPDX-License-Identifier: MIT
"""Unknowns that are functions of fewer coordinates than others: they have equations and a place of their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lrfm.problem.alphabet import Alphabet
from lrfm.problem.equation import Row
from lrfm.problem.errors import ProblemError, counted, listing
from lrfm.problem.shapes.protocol import Domain


def check_rows(rows: Sequence[Row], alphabet: Alphabet) -> None:
    """An unknown of some coordinates needs an equation of these alone: as many rows as fields for every set of axes."""
    unknowns = alphabet.unknowns
    if not any(isinstance(kind, str) for kind in unknowns.values()):
        return
    wanted: dict[frozenset[str], list[str]] = {}
    for name, kind in unknowns.items():
        wanted.setdefault(alphabet.along(name), []).extend([name] * (1 + (kind is complex)))
    held = [alphabet.reach(row.expression) for row in rows]
    for axes, names in sorted(wanted.items(), key=lambda item: len(item[0])):
        count, own = held.count(axes), list(dict.fromkeys(names))
        if count != len(names):
            others = [n for n in unknowns if n not in own and not isinstance(unknowns[n], str)]
            example = f", such as `mean({others[0]})`," if others else ""
            of = listing([c for c in alphabet.coordinates if c in axes or c == "t"])
            raise ProblemError(
                f"{counted(len(names), 'unknown')} {'is a function' if len(names) == 1 else 'are functions'} of {of}: {listing(own)}; "
                f"{counted(count, 'equation')} {'is' if count == 1 else 'are'} about functions of {of}, and both numbers must agree. "
                f"An equation of time alone takes fields as a whole{example} and one of a field contains that field."
            )


def check_faces(conditions: Mapping[str, Sequence[Row]], domain: Domain, alphabet: Alphabet) -> None:
    """An unknown of some axes is one on a box, and has conditions where these end."""
    some = [n for n, kind in alphabet.unknowns.items() if isinstance(kind, str) and alphabet.along(n)]
    if some and not domain.is_box:
        raise ProblemError(
            f"The unknown `{some[0]}` is a function of {alphabet.unknowns[some[0]]}, and {type(domain).__name__} has no such part; unknowns of some axes are for boxes."
        )
    for face, rows in conditions.items() if some else ():
        axis = domain.names[domain.face(face)[0]]  # type: ignore[attr-defined]
        for row in rows:
            about = {jet.unknown for jet in row.jets}
            if about and about <= set(some) and not any(axis in alphabet.along(name) for name in about):
                raise ProblemError(
                    f"`boundary` on `{face}` has a condition about {listing(sorted(about))} alone, which does not vary along {axis} and has none there. Leave it out."
                )


def check_present(rows: Sequence[Row], alphabet: Alphabet) -> None:
    """An unknown of some coordinates occurs in an equation or in a condition."""
    present = {jet.unknown for row in rows for jet in row.jets}
    for name, kind in alphabet.unknowns.items():
        if isinstance(kind, str) and name not in present:
            raise ProblemError(
                f"The unknown `{name}` is declared in `unknowns`, but occurs neither in the equations nor in `boundary`; correct its "
                "name or remove it."
            )
