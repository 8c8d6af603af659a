# SPDX-License-Identifier: MIT
"""In which spaces a statement can be integrated, in the order in which they are tried.

A space is known here by a function that makes attempts in it, or raises `Unsuited` with the reason: that it cannot hold the statement, or, where it was
not asked for by name, that another way is known to be cheaper. What a space needs is imported when it is tried.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Protocol

from lrfm.discretize.evolution import Unsuited, is_box
from lrfm.problem import Problem
from lrfm.solver.attempts import IntegrationAttempts
from lrfm.solver.engine import Wanted
from lrfm.solver.formulations.cells import cells_attempts, rough_attempts
from lrfm.solver.formulations.features import feature_attempts
from lrfm.solver.methods import Method, SpaceTime


class AttemptsIn(Protocol):
    """Attempts in one kind of space; Unsuited where the statement is none for it."""

    def __call__(self, problem: Problem, wanted: Wanted) -> IntegrationAttempts: ...


def on_series(problem: Problem, wanted: Wanted) -> IntegrationAttempts:
    """Series whose modes are solved one by one, or else products of polynomials with all terms in one matrix."""
    _refuse_too_many(problem)
    # Where nothing is algebraic, nothing is a multiplier.
    moving = all(problem.time_orders.get(name, 0) for name in problem.unknowns) and not problem.functionals
    if problem.domain.dimension == 1 and moving and not wanted.asked:
        raise Unsuited("Along one axis cells cost less.")
    from lrfm.solver.formulations.series import series_attempts

    try:
        return series_attempts(problem, wanted)
    except Unsuited:
        if not is_box(problem) or problem.domain.dimension == 1:
            raise
        from lrfm.solver.formulations.boxes import box_attempts

        return box_attempts(problem, wanted)


def on_cells(problem: Problem, wanted: Wanted) -> IntegrationAttempts:
    """Cells of an interval, of the plane, or of space."""
    if problem.delays:
        from lrfm.solver.formulations.delays import delay_attempts

        return delay_attempts(problem, wanted)
    if problem.domain.dimension in (2, 3):
        from lrfm.solver.formulations.plane import plane_attempts

        return plane_attempts(problem, wanted)
    return cells_attempts(problem, wanted)


def on_volumes(problem: Problem, wanted: Wanted) -> IntegrationAttempts:
    """Conservation laws on an interval, or in a box."""
    if problem.domain.dimension == 1:
        _refuse_second_order(problem)
        from lrfm.solver.formulations.volumes import flux_attempts

        return flux_attempts(problem, wanted)
    from lrfm.solver.formulations.grid_volumes import grid_attempts

    return grid_attempts(problem, wanted)


def on_smooth_fluxes(problem: Problem, wanted: Wanted) -> IntegrationAttempts:
    """Conservation laws that no other cells hold, such as waves that go both ways."""
    _refuse_second_order(problem)
    from lrfm.solver.formulations.volumes import smooth_flux_attempts

    return smooth_flux_attempts(problem, wanted)


def _refuse_second_order(problem: Problem) -> None:
    """Unsuited unless a statement is one of first order in time and space on an interval, in which nothing diffuses."""
    plain = (
        problem.forward and not problem.ordinary and problem.domain.is_box and problem.domain.dimension == 1
    )
    orders = all(order == 1 for order in problem.time_orders.values()) and bool(problem.time_orders)
    held = {jet.index for row in problem.rows for jet in row.jets}
    if not (plain and orders and (1, 0) in held and held <= {(0, 0), (0, 1), (1, 0)}):
        raise Unsuited("It is no statement of first order in time and space on an interval.")


def on_what_steepened(problem: Problem, wanted: Wanted) -> IntegrationAttempts:
    """Volumes for a conservation law whose steps have vanished elsewhere."""
    _refuse_second_order(problem)
    from lrfm.solver.formulations.volumes import steepened_attempts

    return steepened_attempts(problem, wanted)


def on_fronts(problem: Problem, wanted: Wanted) -> IntegrationAttempts:
    """A diffusion that vanishes for some values of one unknown."""
    held = {jet.index for row in problem.rows for jet in row.nonlinear_jets}
    if (2, 0) not in held or len(problem.fields) > 1:
        # Second derivatives have factors without the unknown: no form has to be found to know that.
        raise Unsuited("Diffusion is the same for all values, or there are several unknowns.")
    from lrfm.solver.formulations.volumes import front_attempts

    return front_attempts(problem, wanted)


def on_obstacles(problem: Problem, wanted: Wanted) -> IntegrationAttempts:
    """An equation `min(A, B) = 0` of one unknown."""
    if not any(row.complementary for row in problem.rows):
        raise Unsuited("No equation chooses between two.")
    from lrfm.solver.formulations.volumes import obstacle_attempts

    return obstacle_attempts(problem, wanted)


def on_a_line(problem: Problem, wanted: Wanted) -> IntegrationAttempts:
    """Series along one axis, for what cells do not hold: unknowns that are known up to a constant."""
    if problem.domain.dimension != 1:
        raise Unsuited("It is no statement along one axis.")
    _refuse_too_many(problem)
    from lrfm.solver.formulations.series import series_attempts

    return series_attempts(problem, replace(wanted, asked=True))


def _refuse_too_many(problem: Problem) -> None:
    """Series meet all conditions of an axis in the last of their modes: one too many is a layer as thin as these, by which two solves differ less and less. Of first order nothing holds a layer, and the residual is large."""
    if not problem.domain.is_box:
        return
    for axis, name in enumerate(problem.domain.names):
        given = sum(len(problem.face_rows.get(f"{name}{side}", ())) for side in "-+")
        orders = [problem.space_order(axis, field) for field in problem.fields]
        wanted = sum(orders)
        if max(orders) > 1 and name not in problem.periodic and given > wanted:
            raise Unsuited(
                f"The equations ask for {wanted} conditions at the two ends of `{name}` together, and {given} are given."
            )


# The first that suits a statement is taken; the names are those of `lrfm.Lines(space=)`, where it has them.
SPACES: dict[str, AttemptsIn] = {
    "obstacles": on_obstacles,
    "fluxes": on_volumes,
    "fronts": on_fronts,
    "series": on_series,
    "cells": on_cells,
    "line": on_a_line,
    "smooth fluxes": on_smooth_fluxes,
    "kinks": rough_attempts,
}


def spaces_for(way: Method, seed: int) -> Iterator[tuple[AttemptsIn, bool]]:
    """The spaces that a method allows, each with whether it was asked for by name; random functions come from the seed."""
    space = "none" if isinstance(way, SpaceTime) else way.space
    if space == "features":  # by name alone: polynomials cost less
        yield partial(feature_attempts, seed=seed), True
    for name, attempts_in in SPACES.items():
        if space in ("auto", name):
            yield attempts_in, space == name
