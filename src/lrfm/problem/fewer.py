# SPDX-License-Identifier: MIT
"""Unknowns that are functions of fewer coordinates than others: they have equations and a place of their own."""

from __future__ import annotations

from collections.abc import Sequence

from lrfm.problem.alphabet import Alphabet
from lrfm.problem.equation import Row
from lrfm.problem.errors import ProblemError, counted, listing


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


def check_present(rows: Sequence[Row], alphabet: Alphabet) -> None:
    """An unknown of some coordinates occurs in an equation or in a condition."""
    present = {jet.unknown for row in rows for jet in row.jets}
    for name, kind in alphabet.unknowns.items():
        if isinstance(kind, str) and name not in present:
            raise ProblemError(
                f"The unknown `{name}` is declared in `unknowns`, but occurs neither in the equations nor in `boundary`; correct its "
                "name or remove it."
            )
