# SPDX-License-Identifier: MIT
"""Derivatives of a solution on cells by what its statement contains: J δ = −dF, on its cells, steps and matrices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lrfm.adapt.cells import CellAdapter
from lrfm.adapt.given import Given
from lrfm.adapt.points import stable_layout
from lrfm.discretize.evolution import Condition, EvolutionSystem, Unsuited
from lrfm.discretize.line.collocation import CellCollocation
from lrfm.discretize.line.layout import Layout
from lrfm.discretize.options import EXACT, LINEAR, ROUNDING, Options
from lrfm.integrate.follow.along import Along, moved
from lrfm.integrate.follow.linear import Links
from lrfm.integrate.follow.tangent import LinearIntegration
from lrfm.integrate.integrator import Stopped
from lrfm.integrate.schemes.tableaus import legendre_table, radau
from lrfm.integrate.state import Step
from lrfm.problem import Jet, Problem, ProblemError
from lrfm.problem.free import Slope
from lrfm.problem.variations import Direction
from lrfm.rows.cell_steps import CellSteps
from lrfm.rows.framed import Framed
from lrfm.rows.in_time import integrals
from lrfm.rows.pieces import Piece
from lrfm.solver.formulations.frames import FramedSystem
from lrfm.solver.tangent.form import NOTHING, Needs, Sources
from lrfm.spaces.cells import Mesh
from lrfm.spaces.cells.reference import table
from lrfm.spaces.cells.transfer import Transfer


def on_cells(pieces: Sequence[Piece]) -> bool:
    """Whether a solution was made on cells that stand still, of an interval that stays."""
    if len(pieces) != 1:
        return False
    own = inner(pieces[0])
    return isinstance(own, CellSteps) and not own.moves


def inner(piece: Piece) -> Any:
    """A piece as it is in its own frame."""
    return piece.piece if isinstance(piece, Framed) else piece


def system_of(problem: Problem, piece: Piece) -> EvolutionSystem:
    """The statement as the steps of a piece were made for it: in its frame where it has one."""
    return FramedSystem(problem, piece.frame if isinstance(piece, Framed) else None)


def layout_of(system: EvolutionSystem, piece: CellSteps, more: int = 0) -> Layout:
    """Points and coefficients of a cell of a piece, or so many more."""
    count = piece.rows.shape[3] - max(Layout(system, 1).orders)
    # Eigenfunctions are made with Gauss points, whichever are stable for steps.
    exact = piece.rows.shape[1] - 1 == EXACT.nodes
    return Layout(system, count + more) if exact else stable_layout(system, count + more)


def along(system: EvolutionSystem, piece: CellSteps) -> Along:
    """A piece as steps of all components: those of a chain u, u_t, … are polynomials of their own through their values at the stages."""
    stages = piece.rows.shape[1] - 1
    scheme = radau(stages)
    meshes: dict[int, Mesh] = {}
    at_stages = legendre_table(2 * scheme.nodes - 1, stages)
    layout = layout_of(system, piece)
    initial = projected(layout, _mesh(piece, 0, system, meshes), Given(system).initial)
    steps: list[Step] = []
    for number in range(piece.steps):
        mesh = _mesh(piece, number, system, meshes)
        a, b = piece._firsts[number : number + 2]
        h = float(piece.edges[number + 1] - piece.edges[number])
        rows = piece.rows[a:b].transpose(1, 2, 0, 3)  # (1 + stages, fields, cells, size)
        start = np.zeros((len(system.components), *rows.shape[2:]))
        rates = np.zeros((stages, *start.shape))
        own = np.tensordot(at_stages, rows[1:], axes=1) / h
        before = None if not steps else _end(steps[-1], layout, mesh)
        for i, name in enumerate(system.fields):
            first = system.first[name]
            start[first], rates[:, first] = rows[0, i], own[:, i]
            for c in range(first + 1, system.last[i] + 1):
                values = rates[:, c - 1]
                start[c] = initial[c] if before is None else before[c]
                rates[:, c] = np.tensordot(np.linalg.inv(h * scheme.matrix), values - start[c], axes=1)
        steps.append(Step(mesh, float(piece.edges[number]), h, start, rates))
    _check_met(layout, steps[0])
    return Along([part for step in steps for part in _cut(step)])


def _cut(step: Step) -> list[Step]:
    """A step of exponentials, whose nodes are too many for the stages of an implicit scheme, as several with fewer: halves until their last coefficients vanish."""
    if len(step.rates) <= LINEAR.stages:
        return [step]
    scheme, short, count = radau(len(step.rates)), radau(LINEAR.stages), 1
    flat, size = step.rates.reshape(len(step.rates), -1), np.max(np.abs(step.rates))
    while True:
        edges = np.arange(count + 1) / count
        at = (edges[:-1, None] + short.nodes / count).ravel()
        rates = scheme.extended(flat, at).reshape(count, short.stages, *step.start.shape)
        last = np.abs(np.einsum("ls,ns...->nl...", short.to_legendre[-2:], rates))
        if count >= len(step.rates) or np.max(last) <= ROUNDING.iterated * size:
            break
        count *= 2
    within = integrals(scheme.stages, edges) @ scheme.to_legendre
    starts = step.start + step.length * np.tensordot(within, step.rates, axes=1)
    length = step.length / count
    return [Step(step.mesh, step.time + n * length, length, starts[n], rates[n]) for n in range(count)]


def _check_met(layout: Layout, step: Step) -> None:
    """Refuse steps whose cells do not meet (Unsuited): those of discontinuous functions, as shocks have them, solve other equations at their edges."""
    ends = table(np.array([-1.0, 1.0]), step.start.shape[-1])
    for i, order in enumerate(layout.orders):
        u = step.start[layout.system.first[layout.system.fields[i]]]
        own = u @ ends.T
        gap = np.max(np.abs(own[:-1, 1] - own[1:, 0]), initial=0.0)
        if order and gap > ROUNDING.solved * np.max(np.abs(u)):
            raise Unsuited("Its cells do not meet: it was solved with functions that jump between them.")


def _mesh(piece: CellSteps, step: int, system: EvolutionSystem, known: dict[int, Mesh]) -> Mesh:
    number = int(piece.mesh_of[step])
    if number not in known:
        known[number] = Mesh.of(piece.mesh(step), bool(system.problem.periodic))
    return known[number]


def _end(step: Step, layout: Layout, mesh: Mesh) -> np.ndarray:
    """All components at the end of a step, on the cells of the next."""
    end = step.start + step.length * np.tensordot(radau(len(step.rates)).weights, step.rates, axes=1)
    if mesh is step.mesh:
        return end
    return moved(layout, Transfer(step.mesh.edges, mesh.edges, end.shape[-1], end.shape[-1]), end)


def projected(layout: Layout, mesh: Mesh, function: Any) -> np.ndarray:
    """Functions of x as states that are of class C^(m−1): (components, cells, size)."""
    return CellAdapter(layout, Given(layout.system), Options(tol=1e-6)).held(mesh, function)


def piece_of(like: Piece, system: EvolutionSystem, steps: Sequence[Step]) -> Piece:
    """Steps as a piece, in the frame of another one."""
    from lrfm.solver.formulations.cells import piece_of as whole

    found = whole(system, steps)
    return Framed(found, like.frame) if isinstance(like, Framed) and not isinstance(found, Framed) else found


class Directions:
    """dF along each direction at a solution, as right-hand sides of a linear integration."""

    def __init__(self, tangent: Sources, layout: Layout, base: Along, tol: float):
        self.tangent, self.layout, self.base, self.tol = tangent, layout, base, tol
        self._sizes: tuple[np.ndarray, np.ndarray] | None = None

    @property
    def count(self) -> int:
        return len(self.tangent.directions)

    def start(self, mesh: Mesh) -> np.ndarray:
        return np.stack(
            [
                projected(self.layout, mesh, lambda x, i=i: self.tangent.start(i, x[:, None]))
                for i in range(self.count)
            ]
        )

    def sizes(self, made: CellCollocation) -> tuple[np.ndarray, np.ndarray]:
        if self._sizes is None:
            total, time = 0.0, 0.0
            for step in self.base.steps:
                size = layout_norms(step)
                total, time = total + step.length * size**2, time + step.length
            u = np.sqrt(total / time)
            u = np.maximum(u, Options.driven * np.max(u, initial=0.0))
            moved_by = np.array([d.magnitude(self.tangent.problem) or 1.0 for d in self.tangent.directions])
            most = np.where(u > 0, Options.driven * u / moved_by[:, None], np.inf)
            least = max(self.tol, ROUNDING.sums / self.tol)
            self._sizes = most, least * u / np.maximum(1.0, moved_by)[:, None]
        return self._sizes

    def links(self, number: int, times: np.ndarray, made: CellCollocation) -> Links:
        return {}

    def rows(self, number: int, times: np.ndarray, made: CellCollocation) -> np.ndarray:
        y, z = self.base.state(number, times, self.layout, made.mesh)
        system, layout = made.system, self.layout
        result = np.zeros((len(times), made.size, self.count))
        x, known = made.x.ravel(), {}
        for i, sources in enumerate(self.tangent.equations):
            place = system.places.get(system.first[system.fields[i]]) if i in layout.lumped else None
            for side, source in enumerate(sources):
                if source is None:
                    continue
                if place is not None:
                    result[:, made.numbers.rows_of[i][0, 0], side] = self._at(
                        source, times, y, z, made, place
                    )
                    continue
                values = self._on_points(source, times, y, z, made, x, known)
                if i in layout.lumped:
                    result[:, made.numbers.rows_of[i][0, 0], side] = (
                        values.reshape(len(times), -1) @ made._weights
                    )
                else:
                    result[:, made.numbers.rows_of[i], side] = values.reshape(len(times), *made.x.shape)
        where = zip(made.numbers.rows_of_conditions, system.conditions, self.tangent.conditions, strict=True)
        for n, (at, c, sources) in enumerate(where):
            for side, source in enumerate(sources):
                if source is not None:
                    result[:, at, side] = self._at_condition(n, c, source, times, y, z, made)
        return result

    def _on_points(self, source: Slope, times, y, z, made: CellCollocation, x: np.ndarray, known: dict) -> np.ndarray:  # fmt: skip
        """dF at the points of all cells and times, flat."""
        for jet in source.jets:
            if jet not in known:
                values, order = self._component(jet, y, z)
                here = table(self.layout.reference.points, self.layout.size, order)
                stretch = (2.0 / made.mesh.widths)[:, None] ** order
                known[jet] = (values @ here.T * stretch).reshape(-1)
        points = np.column_stack([np.tile(x, len(times)), np.repeat(times, len(x))])
        return source.residual(points, {jet: known[jet] for jet in source.jets})

    def _at(self, source: Slope, times, y, z, made: CellCollocation, place: float) -> np.ndarray:
        """dF at one place."""
        (cell,), at = made.mesh.locate(np.array([place]))
        jets = {}
        for jet in source.jets:
            values, order = self._component(jet, y, z)
            stretch = (2.0 / made.mesh.widths[cell]) ** order
            jets[jet] = values[:, cell] @ table(at, self.layout.size, order)[0] * stretch
        return source.residual(np.column_stack([np.full(len(times), place), times]), jets)

    def _at_condition(self, n: int, c: Condition, source: Slope, times, y, z, made: CellCollocation) -> np.ndarray:  # fmt: skip
        """dF of a condition, each derivative seen from the layer that it belongs to."""
        jets = {}
        for jet in source.jets:
            upper = c.upper == (jet.side in ("", c.inner))
            cell = made.numbers.edges[n] - upper
            values, order = self._component(jet, y, z)
            end = table(np.array([1.0 if upper else -1.0]), self.layout.size, order)[0]
            jets[jet] = values[:, cell] @ end * (2.0 / made.mesh.widths[cell]) ** order
        return source.residual(np.column_stack([np.full(len(times), c.place), times]), jets)

    def _component(self, jet: Jet, y: np.ndarray, z: np.ndarray) -> tuple[np.ndarray, int]:
        entry = self.layout.system.entry(jet)
        return (z if entry.rate else y)[:, entry.component], entry.index[0]


def layout_norms(step: Step) -> np.ndarray:
    """Root mean squares of the components at the start of a step."""
    shares = step.mesh.widths / np.sum(step.mesh.widths)
    return np.sqrt(np.einsum("cks,k->c", step.start**2, shares))


def cell_tangents(
    problem: Problem, piece: Piece, directions: Sequence[Direction], tol: float, needs: Needs = NOTHING
) -> list[list[Piece]]:
    """The pieces of δ along each direction, on the cells and steps of a solution, or finer ones where these are needed; Unsuited where the solution solves other equations on its cells."""
    try:
        own = inner(piece)
        system = system_of(problem, piece)
        tangent = Sources(problem, directions, piece.frame if isinstance(piece, Framed) else None)
        layout, base = layout_of(system, own), along(system, own)
        stages = len(base.steps[0].rates)
        options = Options(tol=LINEAR.slack * tol, stages=stages)
        adapter = CellAdapter(layout, Given(system), options)
        goal = max(Options.minor**3 * options.newton_share * tol, options.floor)  # J is linear to this
        sources = Directions(tangent, layout, base, tol)
        low, high = base.steps[0].mesh.edges[[0, -1]]
        modes = max(needs.modes, default=0.0)
        # Two points for each half wave that drives it: with fewer one wave is taken for another.
        widest = (high - low) * layout.count / (2 * modes) if modes else np.inf
        run = LinearIntegration(
            base, layout, radau(stages), sources, options, adapter, goal, needs.longest, widest
        )
        return [[piece_of(piece, system, steps)] for steps in run.run()]
    except Stopped as error:
        raise ProblemError(f"Derivatives by parameters could not be integrated: {error}") from error
