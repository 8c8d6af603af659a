# SPDX-License-Identifier: MIT
"""Which series a statement on a box is expanded in: sines and cosines between walls where conditions allow and data are smooth beyond them, polynomials along one axis elsewhere.

The odd extension of y(1 − y) over a wall has a jump in its second derivative: its sine coefficients decay like k⁻³, those of Legendre polynomials end at two.
"""

from __future__ import annotations

from lrfm.adapt.modes import ModeAdapter
from lrfm.discretize.box.form import BoxForm
from lrfm.discretize.box.rows import BoxRows
from lrfm.discretize.box.spectral_form import SpectralForm
from lrfm.discretize.box.wall_rows import WallRows
from lrfm.discretize.evolution import EvolutionSystem, Unsuited, is_box
from lrfm.discretize.options import COSTS, Options
from lrfm.problem.expression import is_zero
from lrfm.spaces.series import ODD, Modes


def series_form(system: EvolutionSystem, tol: float) -> SpectralForm:
    """The form in which fewer modes hold what is given; Unsuited where there is none."""
    walls = _walls(system)
    try:
        plain = SpectralForm(system)
    except Unsuited as error:
        return _between_walls(system, walls, error, tol)
    if not walls:
        return plain
    try:
        across = _polynomial(system, walls)
    except Unsuited:
        return plain
    many, few = _modes(plain, tol), _modes(across, tol)
    sparing = many is not None and few is not None and all(many[a] <= COSTS.column * few[a] for a in walls)
    if few is None or (sparing and not _odd(plain)):
        return plain
    if isinstance(across, SpectralForm):
        return across
    raise Unsuited("Polynomials between walls hold with fewer modes what is given.")


def _odd(form: SpectralForm) -> bool:
    """Whether a source is expanded in sines: it is hardly ever zero at a wall."""
    return any(
        ODD in parity and not is_zero(row.source_part)
        for parity, row in zip(form.row_parities, form.system.equations, strict=True)
    )


def _polynomial(system: EvolutionSystem, walls: list[int]) -> SpectralForm | BoxForm:
    """Polynomials along all axes with walls."""
    try:
        form = SpectralForm(system, tuple(walls))
        (WallRows if len(walls) == 1 else BoxRows)(form, _smallest(form)).check_means()
        form.check_stiffness()
        return form
    except Unsuited:
        if len(walls) == 1:
            raise
    return BoxForm(system)


def _walls(system: EvolutionSystem) -> list[int]:
    """The axes between walls of a box."""
    problem = system.problem
    if not is_box(problem):
        return []
    return [a for a, name in enumerate(problem.domain.names) if name not in problem.periodic]


def _between_walls(system: EvolutionSystem, walls: list[int], reason: Unsuited, tol: float) -> SpectralForm:
    """Polynomials along one of the axes between walls, or along all; the reason where that is not possible either."""
    choices = [(axis,) for axis in reversed(walls)] + ([tuple(walls)] if len(walls) > 1 else [])
    for axes in choices:
        try:
            form = SpectralForm(system, axes)
            (WallRows if len(axes) == 1 else BoxRows)(form, _smallest(form)).check_means()
            if len(axes) == len(walls) or not (_odd(form) or _modes(form, tol) is None):
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


def _modes(form: SpectralForm | BoxForm, tol: float) -> tuple[int, ...] | None:
    """The highest modes with which what is given is resolved; None where there are none."""
    try:
        return ModeAdapter(form, Options(tol=tol)).initial()[0].counts
    except Unsuited:
        return None
