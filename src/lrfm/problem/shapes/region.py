# SPDX-License-Identifier: MIT
"""Regions given by inequalities in text, in a box that holds them: {x in the box : the text is true}."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from lrfm.problem.calls import naming
from lrfm.problem.data import number_value
from lrfm.problem.domain import axis_names, interval
from lrfm.problem.errors import ProblemError, shown
from lrfm.problem.shapes.given import name_of
from lrfm.problem.shapes.inequalities import read_set
from lrfm.problem.shapes.kinds import Sides
from lrfm.problem.shapes.shape import Shape
from lrfm.problem.shapes.tree import Both, Simple


@naming
class Region(Shape):
    """{x in a box : inequalities}, from text; with `t` in it, a region that moves.

    Parameters
    ----------
    text
        Inequalities in the coordinates, `t` and parameters, joined by ``and`` and ``or``.
    parameters
        Numbers that stand for names in the text.
    names
        One name per inequality; without them each is called like its text.
    **axes
        The ends of a box that holds the region. Where the region reaches its sides, these are parts of the boundary: ``x-``.

    Examples
    --------
    >>> import lrfm
    >>> bowl = lrfm.Region("x**2 + 4*y**2 < 1 and y > -0.3", x=(-1, 1), y=(-1, 1), names=["rim", "floor"])
    >>> list(bowl.parts)
    ['rim', 'floor']
    >>> rod = lrfm.Region("x < 1 + a*t", x=(0, 2), parameters={"a": 0.5})
    >>> round(rod.measure(t=0.4), 12)
    1.2
    """

    def __init__(
        self,
        text: str,
        *,
        parameters: Mapping[str, float] | None = None,
        names: Sequence[str] = (),
        **axes: tuple[float, float],
    ):
        if not axes:
            raise ProblemError(
                "`Region` has no axes; give the box that holds it, for example `Region('x**2 + y**2 < 1', x=(-1, 1), y=(-1, 1))`."
            )
        spans = {name: interval(f"The axis `{name}`", ends) for name, ends in axes.items()}
        known = axis_names(tuple(spans), len(spans))
        given = dict(parameters or {})
        values = {}
        for name, value in given.items():
            number = number_value(value, f"The parameter `{name}`")
            if number is None:
                raise ProblemError(
                    f"The parameter `{name}` of a region was given as {shown(value)}; expected a number."
                )
            values[name] = number
        tree = read_set(text, known, values, "The region", [name_of(n, "an inequality") for n in names])
        size, low, high = len(known), *(np.array(e) for e in zip(*spans.values(), strict=True))
        box = Simple(Sides(known, low, high), known, None, np.eye(size), np.zeros(size))
        record = {"shape": "Region", "text": text, **{n: list(ends) for n, ends in spans.items()}}
        record |= {"parameters": given} if given else {}
        record |= {"names": list(names)} if names else {}
        super().__init__(Both(tree, box), known, record)
