# SPDX-License-Identifier: MIT
"""What tests of the engine on cells share: discretizations on given cells, coefficients of functions, an integration as one piece."""

from dataclasses import dataclass

import numpy as np

import lrfm
from lrfm.discretize.evolution import EvolutionSystem
from lrfm.discretize.line.collocation import CellCollocation, Layout
from lrfm.discretize.options import Options, stages_for
from lrfm.integrate.prepare import integrator_for
from lrfm.integrate.schemes.radau import complete
from lrfm.problem import Jet
from lrfm.solver.formulations.cells import piece_of
from lrfm.spaces.cells import Mesh
from lrfm.spaces.cells.reference import nodes, table

UNEVEN = (0.0, 0.15, 0.5, 0.6, 0.85, 1.0)


@dataclass(frozen=True)
class Exponentials:
    """1 and exp(k ξ/8), one after the other, made orthonormal: functions of a cell that the package does not know, written from the protocol alone."""

    terms: int = 28

    def series(self, size):
        points, weights = nodes(self.terms, 0)
        plain = np.exp(points[:, None] * np.arange(size) / 8)
        found = np.linalg.qr(table(points, self.terms).T @ (weights[:, None] * plain))[0]
        return found * np.sign(np.sum(found, axis=0))

    def enough(self, size, part):
        return size

    def words(self, size):
        return f"{size} exponentials"


def line(equations, initial, boundary, *, x=(0.0, 1.0), time=(0.0, 1.0), **more):
    """A statement on an interval."""
    return lrfm.Problem(
        equations, domain=lrfm.Box(x=x), time=time, initial=initial, boundary=boundary, **more
    )


def discretized(problem, count=6, edges=UNEVEN, end=0):
    """The statement on some cells of (0, 1), scaled to its own interval."""
    layout = Layout(EvolutionSystem(problem), count, end)
    layout.check()
    box = layout.system.problem.domain
    low, high = float(box.lower[0]), float(box.upper[0])
    mesh = Mesh.of(low + (high - low) * np.asarray(edges), bool(problem.periodic))
    return CellCollocation(layout, mesh)


def coefficients(made, function):
    """Of a function of x on all cells: (cells, size)."""
    points, weights = nodes(made.layout.size, 0)
    values = np.broadcast_to(function(made.mesh.places(points)), (made.mesh.size, made.layout.size))
    return (values * weights) @ table(points, made.layout.size)


def states(made, functions, time):
    """y and y′ of components given as functions of x and t that are polynomials in t of degree two at the most."""
    y = np.stack([coefficients(made, lambda x, f=f: f(x, time)) for f in functions])
    z = np.stack(
        [coefficients(made, lambda x, f=f: 0.5 * (f(x, time + 1) - f(x, time - 1))) for f in functions]
    )
    return y, z


def jacobian(made, time, start, rates, shift, step=1e-4):
    """∂F/∂rates of y = start + s·rates by differences of fourth order, with chains; and y, y′ there."""

    def rows(vector):
        y, z = complete(made, start, made.scatter(vector)[None], shift * np.ones((1, 1)))
        return made.residual(np.array([time]), y, z)[0]

    at, columns = made.gather(rates), []
    for j in range(made.size):
        e = step * np.eye(made.size)[j]
        near, far = rows(at + e) - rows(at - e), rows(at + 2 * e) - rows(at - 2 * e)
        columns.append((8 * near - far) / (12 * step))
    y, z = complete(made, start, rates[None], shift * np.ones((1, 1)))
    return np.stack(columns, axis=1), y[0], z[0]


def dense(made, pencil, shift):
    """A(s) with its rows multiplied by their lowest powers of s, as the derivative of the rows is."""
    total = np.zeros((made.size, made.size), dtype=np.result_type(shift, float))
    for power in range(made.system.top_power + 1):
        np.add.at(total, (made.rows, made.columns), shift**power * pencil.entries(power))
    return total * np.asarray(shift) ** made.lowest[:, None]


class Run:
    """An integration to a tolerance: its steps, its states and its values."""

    def __init__(self, problem, tol, integrator=None, **options):
        self.system = EvolutionSystem(problem) if integrator is None else integrator.system
        chosen = Options(tol=tol, **{"stages": stages_for(tol), **options})
        self.integrator = integrator or integrator_for(self.system, chosen)
        self.states, self.steps = [], []
        for state, step in self.integrator.run(self.integrator.begin()):
            self.states.append(state)
            self.steps.append(step)
        self.piece = piece_of(self.system, self.steps)

    @property
    def work(self):
        """Cells times steps, repeated ones counted."""
        mean = np.mean([s.mesh.size for s in self.steps])
        return mean * (len(self.steps) + self.states[-1].rejected)

    def values(self, x, t, field="u"):
        x, t = np.broadcast_arrays(x, t)
        points = np.column_stack([np.ravel(x), np.ravel(t)])
        return self.piece.values([Jet(field, (0, 0))], points)[Jet(field, (0, 0))].reshape(x.shape)

    def error(self, exact, field="u", points=201, times=41):
        """Relative L² error over space and time; places between the points of cells, times between those of steps."""
        box, (start, end) = self.system.problem.domain, self.system.problem.time
        x = np.linspace(float(box.lower[0]), float(box.upper[0]), points)[None, :]
        t = np.linspace(start, end, times)[:, None]
        values, true = self.values(x, t, field), np.broadcast_to(exact(x, t), (times, points))
        return float(np.linalg.norm(values - true) / np.linalg.norm(true))
