# SPDX-License-Identifier: MIT
"""Names: what may be one, which are taken, and what a subscript means."""

from __future__ import annotations

import keyword
import math
import unicodedata
from collections.abc import Mapping, Sequence

from lrfm.problem import functions
from lrfm.problem.errors import ProblemError, look_alike, shown

DERIVATIVES = ("lap", "diff")
VECTORS = {
    "grad": 1,
    "div": 1,
    "curl": 1,
    "dot": 2,
}  # operators on vectors of components, and their arguments
DIFFERENTIAL = ("grad", "div", "curl")
MEANS = ("mean", "integral")
FUNCTIONALS = (*MEANS, "at")  # of a field as a whole
SWITCHES = {"where": 3, "heaviside": 1, "min": 2, "max": 2}  # functions that choose, and their arguments
JUMP = "jump"  # of a formula across an interface
CONSTANTS = {"pi": math.pi}
MAX_SUBSCRIPT = 200  # characters

TAKEN = {
    "t": "time",
    "pi": "the number π",
    **dict.fromkeys([*functions.TABLE, *DERIVATIVES, *SWITCHES], "a function"),
}


def normal(name: str) -> str:
    """How Python itself reads an identifier (NFKC): the micro sign µ and the Greek μ are one name.

    A key that is not text stays as it is, and is refused by `check_name`.
    """
    return unicodedata.normalize("NFKC", name) if isinstance(name, str) else name


def check_name(name: str, role: str, example: str, taken: Mapping[str, str]) -> None:
    """Refuse what is not an identifier, a Python keyword, or a name that already means something."""
    if not isinstance(name, str) or not name.isidentifier():
        raise ProblemError(
            f"{role} has the name {shown(name)}; expected an identifier (letters, digits and `_`, not "
            f"starting with a digit) such as `{example}`."
        )
    if keyword.iskeyword(name):
        raise ProblemError(
            f"{role} has the name `{name}`, which is a Python keyword and cannot be used in a formula; "
            f"rename it, for example to `{name[:3] if len(name) > 3 else name + '1'}`."
        )
    if name in taken:
        raise ProblemError(
            f"{role} has the name `{name}`, which stands for {taken[name]}; choose another one."
        )
    # Greek letters are names of their own in mathematics; others that look like a name in use are slips.
    alike = look_alike(name, taken, greek=False)
    if alike:
        raise ProblemError(f"{role} has a name that cannot be told from another.{alike} Choose another one.")


def split_subscript(name: str, letters: Sequence[str]) -> tuple[str, tuple[str, ...]] | None:
    """Split ``u_xxt`` into (``u``, (x, x, t)); None when the subscript is not made of the given letters."""
    base, _, subscript = name.rpartition("_")
    if not base or not subscript or len(subscript) > MAX_SUBSCRIPT:
        return None
    readings: dict[int, tuple[str, ...]] = {0: ()}
    for start in range(len(subscript)):
        if start in readings:
            for letter in letters:
                if subscript.startswith(letter, start):
                    readings.setdefault(start + len(letter), (*readings[start], letter))
    letters_read = readings.get(len(subscript))
    return None if letters_read is None else (base, letters_read)


def ambiguous_subscript(letters: Sequence[str]) -> str | None:
    """A subscript that can be read in two ways, such as ``xx`` for the axes x and xx; None if there is none.

    Two readings are followed side by side; what one is ahead by must never be a letter (Sardinas, Patterson).
    """
    ahead = {b[len(a) :]: b for a in letters for b in letters if a != b and b.startswith(a)}
    seen: set[str] = set()
    while ahead:
        seen |= ahead.keys()
        found: dict[str, str] = {}
        for rest, text in ahead.items():
            for letter in letters:
                if letter == rest:
                    return text
                if letter.startswith(rest):
                    found[letter[len(rest) :]] = text + letter[len(rest) :]
                elif rest.startswith(letter):
                    found[rest[len(letter) :]] = text
        ahead = {rest: text for rest, text in found.items() if rest not in seen}
    return None
