# SPDX-License-Identifier: MIT
"""A statement for a notebook: equations typeset, and what was understood, as HTML. Texts of a user are escaped."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from html import escape
from typing import TYPE_CHECKING

from lrfm.problem import latex
from lrfm.problem.conditions import face_conditions
from lrfm.problem.errors import printable, shown
from lrfm.problem.mathml import readable
from lrfm.problem.shapes.protocol import is_layered, layers_of

if TYPE_CHECKING:
    from lrfm.problem.problem import Problem


def statement_latex(problem: Problem) -> str:
    r"""The equations with domain, time, initial and boundary data, as one display.

    >>> from lrfm import Box, Problem
    >>> heat = Problem("u_t = u_xx", domain=Box(x=(0, 1)), time=(0, 0.1), initial="sin(pi*x)", boundary="u = 0")
    >>> print(statement_latex(heat))
    $$\begin{aligned}
    & u_{t} = u_{xx}, && x \in [0, 1],\ t \in [0, 0.1] \\
    & u(t = 0) = \sin(\pi\, x) \\
    & u = 0 && \text{on } x-, x+
    \end{aligned}$$
    """
    coordinates = (*problem.domain.names, "t")
    ends = {**problem.domain.axes, "t": problem.time}
    spans = [f"{latex.name(a)} \\in [{ends[a][0]:g}, {ends[a][1]:g}]" for a in problem.coordinates]
    lines = [f"& {latex.equation(text, coordinates)}" for text in problem.equations]
    lines[0] += ", && " + ",\\ ".join(spans)
    for time, entries in zip(problem.time, (initial_entries(problem), final_entries(problem)), strict=True):
        for name, datum in entries.items():
            value = latex.formula(datum, coordinates) if isinstance(datum, str) else _given(datum)
            lines.append(f"& {latex.name(name)}(t = {time:g}) = {value}")
    lines += [r"& \text{periodic in } t"] if problem.cyclic else []
    for condition, faces in ({} if problem.ordinary else _conditions(problem)).items():
        text = latex.equation(condition, coordinates) if "=" in condition else f"\\text{{{condition}}}"
        lines.append(f"& {text} && \\text{{on }} {', '.join(faces)}")
    return "$$\\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}$$"


def statement_html(problem: Problem, *, folded: bool = False) -> str:
    """The same as MathML, which browsers draw by themselves, with parameters and warnings below it.

    Equations are seen; domain, data and conditions can be folded away, and are at first where `folded`.
    """
    title = f"<b>{escape(printable(problem.name))}</b>" if problem.name else ""
    equations = "".join(f'<div style="margin: 0.4em 0">{_mathml(text)}</div>' for text in problem.equations)
    axes = {} if problem.ordinary else problem.domain.axes
    where = [f"{_mathml(a)} from {low:g} to {high:g}" for a, (low, high) in axes.items()]
    if not problem.steady:
        where.append(f"{_mathml('t')} from {problem.time[0]:g} to {problem.time[1]:g}")
    lines = (
        []
        if problem.domain.is_box or problem.ordinary
        else [f"<code>{escape(printable(repr(problem.domain)))}</code>"]
    )
    lines += _data_html(problem)
    given = {name: value for name, value in problem.parameters.items() if name != problem.eigenvalue}
    if given:
        lines.append(", ".join(f"{_mathml(n)} = {_value_html(v)}" for n, v in given.items()))
    told = "".join(f'<div style="margin: 0.2em 0 0.2em 1em">{line}</div>' for line in lines)
    warned = [f'<p style="color: #b36b00">{escape(printable(w))}</p>' for w in problem.warnings]
    details = f"<details{'' if folded else ' open'}><summary>{', '.join(where)}</summary>{told}</details>"
    return f"<div>{title}{equations}{details}{''.join(warned)}</div>"


def _data_html(problem: Problem) -> Iterator[str]:
    """Initial and final data and conditions, one line each."""
    for time, entries in zip(problem.time, (initial_entries(problem), final_entries(problem)), strict=True):
        for name, datum in entries.items():
            inside = datum if isinstance(datum, Mapping) else {"": datum}
            values = (
                f"{_value_html(v)}{f' in {escape(layer)}' if layer else ''}" for layer, v in inside.items()
            )
            yield f"{_mathml(name)} = {', '.join(values)} at {_mathml(f't = {time:g}')}"
    if problem.cyclic:
        yield f"periodic in {_mathml('t')}"
    for condition, faces in ({} if problem.ordinary else _conditions(problem)).items():
        words = _mathml(condition) if "=" in condition else escape(condition)
        yield f"{words} {'in' if condition == 'periodic' else 'on'} {escape(', '.join(faces))}"


def _mathml(text: str) -> str:
    """A formula or an equation within a line; what is none, as text."""
    made = readable(text)
    return f"<code>{escape(printable(text))}</code>" if made is None else made.replace(' display="block"', "")


def _value_html(value: object) -> str:
    """A datum: a formula, a number, or what kind of function it is."""
    if isinstance(value, str | int | float | complex):
        return _mathml(value if isinstance(value, str) else f"{value:.6g}")
    name = getattr(value, "__name__", "") or type(value).__name__
    return "a function" if name == "<lambda>" else escape(printable(name))


def table_html(entries: Iterable[tuple[str, str]], title: str = "") -> str:
    """Names and values as a table; `title` is markup."""
    rows = "".join(
        f'<tr><td style="text-align: left; opacity: 0.7">{escape(printable(name))}</td>'
        f'<td style="text-align: left">{escape(printable(value))}</td></tr>'
        for name, value in entries
    )
    return f"<div>{title}<table>{rows}</table></div>"


def table_latex(entries: Iterable[tuple[str, str]]) -> str:
    r"""The same for pages that are set by LaTeX: a name and its value in every line.

    >>> table_latex([("rows", "77"), ("error_a", "5 %")])
    '$$\\begin{array}{ll} \\text{rows} & \\text{77} \\\\ \\text{error\\_a} & \\text{5 \\%} \\end{array}$$'
    """
    rows = (rf"\text{{{_text(name)}}} & \text{{{_text(value)}}}" for name, value in entries)
    return r"$$\begin{array}{ll} " + r" \\ ".join(rows) + r" \end{array}$$"


def _text(value: str) -> str:
    """A text in which no character is a command."""
    plain = printable(value).replace("\\", "/")
    return re.sub(r"([#$%&_{}])", r"\\\1", plain).replace("^", r"\^{}").replace("~", r"\~{}")


def initial_entries(problem: Problem) -> Mapping[str, object]:
    """Initial data by what they are data of."""
    return _entries(problem, None if problem.cyclic else problem.initial)


def final_entries(problem: Problem) -> Mapping[str, object]:
    """The same at the end."""
    return _entries(problem, problem.final)


def _entries(problem: Problem, given: object) -> Mapping[str, object]:
    layers = layers_of(problem.domain) if is_layered(problem.domain) else ()
    if given is None or (isinstance(given, Mapping) and not all(name in layers for name in given)):
        return given or {}
    return {next(name for name, order in problem.time_orders.items() if order): given}


def _given(value: object) -> str:
    if isinstance(value, int | float | complex):
        return latex.formula(f"{value:.6g}") if not isinstance(value, complex) else str(value)
    if isinstance(value, Mapping):
        words = (f"{_typed(inside)} \\text{{ in {latex.plain(layer)}}}" for layer, inside in value.items())
        return ",\\ ".join(words)
    name = getattr(value, "__name__", "") or type(value).__name__
    return f"\\text{{{'a function' if name == '<lambda>' else latex.plain(name)}}}"


def _typed(value: object) -> str:
    return latex.formula(value) if isinstance(value, str) else _given(value)


def _conditions(problem: Problem) -> dict[str, list[str]]:
    """Faces by what holds on them."""
    _, table = face_conditions(problem.boundary, problem.domain, list(problem.unknowns))
    found: dict[str, list[str]] = {}
    for axis in problem.periodic & set(problem.domain.names):
        found.setdefault("periodic", []).append(latex.name(axis))
    for face, condition in table.items():
        for part in condition if isinstance(condition, list | tuple) else [condition]:
            for text in _spelled(part):
                found.setdefault(text, []).append(face)
    return found


def _spelled(part: object) -> list[str]:
    if isinstance(part, Mapping):
        return [
            f"{name} = {value}" if isinstance(value, str | int | float) else f"{name}: given"
            for name, value in part.items()
        ]
    if part is None:
        return ["no condition"]
    return [part if isinstance(part, str) else latex.plain(shown(part))]
