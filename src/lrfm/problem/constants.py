# SPDX-License-Identifier: MIT
"""Numbers written as text: ``"0.01/pi"``, also with the names of numbers that are known."""

from __future__ import annotations

import re
from collections.abc import Mapping

from lrfm.problem.alphabet import CONSTANTS, Alphabet
from lrfm.problem.data import number_value
from lrfm.problem.errors import ProblemError
from lrfm.problem.expression import Value
from lrfm.problem.names import normal
from lrfm.problem.syntax import names_in, parse
from lrfm.problem.text import translate


def constant(text: str, what: str, known: Mapping[str, object] | None = None) -> float | complex:
    """The number that a text means.

    >>> constant("2*pi/k", "The end", {"k": 4})
    1.5707963267948966
    """
    value = translate(parse(text, what), Alphabet((), number_formulas(known or {})), what).number
    if value is None:
        raise ProblemError(f"{what}, `{text}`, contains `t`; write it into the equation itself.")
    return value if value.imag else value.real


def constants(given: Mapping[str, object]) -> dict[str, object]:
    """Parameters with texts as numbers; a text may use other parameters: ``nu = "0.01/pi"``.

    A text with other names is a formula, and stays one.

    >>> constants({"k": 2, "D": "k/4", "q": "exp(-k*x)"})
    {'k': 2, 'D': 0.5, 'q': 'exp(-k*x)'}
    """
    values: dict[str, object] = {}
    for name in in_order_of_need(given):
        value, what = given[name], f"The parameter `{name}`"
        if isinstance(value, str):
            known = {*number_formulas(values), *CONSTANTS}
            value = constant(value, what, values) if known.issuperset(names_in(parse(value, what))) else value
        values[name] = value
    return {name: values[name] for name in given}


def plain_numbers(given: Mapping[str, object]) -> dict[str, object]:
    """Parameters with texts of numbers alone as numbers; what uses another parameter stays a text, and follows it when that one changes.

    >>> plain_numbers({"k": 2, "D": "k/4", "nu": "1/4"})
    {'k': 2, 'D': 'k/4', 'nu': 0.25}
    """
    values: dict[str, object] = {}
    for name, value in given.items():
        what = f"The parameter `{name}`"
        plain = isinstance(value, str) and set(CONSTANTS).issuperset(names_in(parse(value, what)))
        values[name] = constant(str(value), what) if plain else value
    return values


def in_order_of_need(given: Mapping[str, object]) -> list[str]:
    """Names of parameters, each behind those that its text uses; a circle is refused.

    >>> in_order_of_need({"D": "2*a", "a": 1})
    ['a', 'D']
    """
    ordered: list[str] = []
    open_: list[str] = []

    def visit(name: str) -> None:
        if name in ordered:
            return
        if name in open_:
            circle = " → ".join(f"`{n}`" for n in (*open_[open_.index(name) :], name))
            raise ProblemError(
                f"The parameter `{name}` is defined by itself: {circle}. Give one of them as a number, or without the others."
            )
        open_.append(name)
        text = given[name]
        for used in _used(text) if isinstance(text, str) else ():
            if used in given:
                visit(used)
        ordered.append(open_.pop())

    for name in given:
        visit(name)
    return ordered


def _used(text: str) -> list[str]:
    """Names in a text, in its order; whether it is a formula is seen later."""
    return [normal(name) for name in re.findall(r"[^\W\d]\w*", text)]


def number_formulas(numbers: Mapping[str, object]) -> dict[str, Value]:
    """Numbers as formulas; what is not a number is left out."""
    values = {name: number_value(v, f"The parameter `{name}`") for name, v in numbers.items()}
    return {name: value for name, value in values.items() if value is not None}
