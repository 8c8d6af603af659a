# SPDX-License-Identifier: MIT
"""Which series a statement on a box is expanded in: sines and cosines between walls where conditions allow and data are smooth beyond them, polynomials along one axis elsewhere.

The odd extension of y(1 − y) over a wall has a jump in its second derivative: its sine coefficients decay like k⁻³, those of Legendre polynomials end at two.
"""

from __future__ import annotations

from lrfm.adapt.modes import ModeAdapter
from lrfm.discretize.box_rows import BoxRows
from lrfm.discretize.evolution import EvolutionSystem, Unsuited, is_box
from lrfm.discretize.options import SERIES, Options
from lrfm.discretize.spectral_form import SpectralForm
from lrfm.discretize.wall_rows import WallRows
from lrfm.problem.expression import is_zero
from lrfm.spaces.series import ODD, Modes


def series_form(system: EvolutionSystem, tol: float) -> SpectralForm:
    """The form in which fewer modes hold what is given; Unsuited where there is none."""
    walls = _walls(system)
    try:
        plain = SpectralForm(system)
    except Unsuited as error:
        return _between_walls(system, walls, error)
    if len(walls) != 1:
        return plain
    try:
        across = _between_walls(system, walls, Unsuited(""))
    except Unsuited:
        return plain
    few, many = _modes(across, tol, walls[0]), _modes(plain, tol, walls[0])
    odd = any(
        ODD in parity and not is_zero(row.source_part)
        for parity, row in zip(plain.row_parities, system.equations, strict=True)
    )
    return across if few is not None and (many is None or many > SERIES.sparing * few or odd) else plain


def _walls(system: EvolutionSystem) -> list[int]:
    """The axes between walls of a box."""
    problem = system.problem
    if not is_box(problem):
        return []
    return [a for a, name in enumerate(problem.domain.names) if name not in problem.periodic]


def _between_walls(system: EvolutionSystem, walls: list[int], reason: Unsuited) -> SpectralForm:
    """Polynomials along one of the axes between walls; the reason where that is not possible either."""
    choices = [(axis,) for axis in reversed(walls)] + ([tuple(walls)] if len(walls) > 1 else [])
    for axes in choices:
        try:
            form = SpectralForm(system, axes)
            (WallRows if len(axes) == 1 else BoxRows)(form, _smallest(form)).check_means()
            return form
        except Unsuited as error:
            if len(axes) == len(walls):
                reason = error
    raise reason


def _smallest(form: SpectralForm) -> Modes:
    """A few modes along each axis, to look at a form."""
    box = form.system.problem.domain
    low, high = (tuple(float(x) for x in end) for end in (box.lower, box.upper))
    return Modes(low, high, form.periodic, (Options.fewest,) * form.dimension, form.polynomial)


def _modes(form: SpectralForm, tol: float, axis: int) -> int | None:
    """The highest mode along an axis with which what is given is resolved; None where there is none."""
    try:
        return ModeAdapter(form, Options(tol=tol)).initial()[0].counts[axis]
    except Unsuited:
        return None
