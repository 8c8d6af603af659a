# SPDX-License-Identifier: MIT
"""What linear equations, whose coefficients stay the same, make of any start: the matrices of one march, with other data.

E y' + A y + s(t) = 0 on the basis of each piece. Exponentials have their eigenvectors, steps their factors of E + hλA; a start and a source
are right-hand sides, as many at once as there are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, Protocol

import numpy as np

from lrfm.integrate.schemes import radau
from lrfm.linalg.clock import look
from lrfm.problem import Problem
from lrfm.rows.exponentials import Exponentials
from lrfm.rows.framed import frame_of, in_frame
from lrfm.rows.pieces import Piece
from lrfm.rows.region_steps import RegionSteps, piece_of
from lrfm.rows.steps import Steps
from lrfm.solver.lines.choice import transfer
from lrfm.solver.lines.choosers import chooser_for, rules_of
from lrfm.solver.lines.form import Form, Unsuited, form_of, is_box
from lrfm.solver.lines.generator import Generator, generator, rows_of
from lrfm.solver.lines.leap import Exact, sized_generator
from lrfm.solver.lines.monitor import residuals
from lrfm.solver.lines.spectral import Decomposed, Modes, decomposed
from lrfm.solver.lines.stages import LU, DenseParts
from lrfm.solver.lines.start import settled_start
from lrfm.solver.lines.state import State
from lrfm.solver.lines.system import System
from lrfm.spaces.axes.product import ProductBasis
from lrfm.spaces.regions.basis import RegionBasis

LARGEST = 2000  # coefficients of a state
LOOKS = np.array([0.1, 0.5, 1.0])  # shares of a piece at which its residual is looked at
IN_TIME = 0.1  # error of the steps, in tolerances
HALVED = 4  # how often steps are halved
Stepped = Steps | RegionSteps
SEPARATOR = "#"  # between the name of a field and the number of a datum


@dataclass(frozen=True)
class Respond:
    """One piece with the fields of all data, their states (data, components, R) at its end, and what was missed of each, relative."""

    piece: Stepped | Exponentials
    end: np.ndarray
    missed: np.ndarray
    fields: tuple[str, ...]

    def one(self, number: int) -> Piece:
        """The piece of one datum."""
        own, piece = slice(number * len(self.fields), (number + 1) * len(self.fields)), self.piece
        if isinstance(piece, Steps | RegionSteps):
            return replace(
                piece, fields=self.fields, starts=piece.starts[:, own], slopes=piece.slopes[:, :, own]
            )
        return replace(piece, fields=self.fields, powers=piece.powers[:, own], vectors=piece.vectors[:, own])


def names_of(fields: Sequence[str], data: int) -> tuple[str, ...]:
    """The fields of all data, one datum after another."""
    return tuple(f"{f}{SEPARATOR}{j}" for j in range(data) for f in fields)


def why_not(problem: Problem) -> str:
    """Why the matrices of a statement do not serve all data; nothing where they do."""
    try:
        form = form_of(problem)
    except Unsuited as error:
        return str(error)
    if form.motion is not None or getattr(problem.domain, "moving", False):
        return "The domain moves."
    if not (form.linear and form.stationary):
        return "Coefficients of the equations or conditions change in time."
    if form.multipliers or form.flat:
        return "Pressures, means and unknowns of time alone have matrices of their own."
    return ""


@dataclass
class Window:
    """The basis of one piece with its matrices; `form` is that of the operator's own problem."""

    form: Form
    basis: ProductBasis | RegionBasis
    start: float
    way: Way
    make: Callable[[Form, Any], Any]  # the rows of a form on a basis: of which kind follows from the domain
    _systems: dict[int, tuple[Form, Any]] = field(default_factory=dict, repr=False)

    def system(self, form: Form) -> Any:
        """The rows of a form, the operator's own or one with other data, on the basis."""
        if id(form) not in self._systems:
            if len(self._systems) > 1:
                del self._systems[next(k for k in self._systems if k != id(self.form))]
            made, none = self.make(form, self.basis), np.zeros((len(form.components), self.basis.size))
            made.set_tests(self.start, none, none)
            self._systems[id(form)] = form, made
        return self._systems[id(form)][1]

    @cached_property
    def parts(self) -> DenseParts:
        look()
        system = self.system(self.form)
        none = np.zeros(system.shape)
        return DenseParts(system, self.start, none, none)

    @cached_property
    def _settling(self) -> np.ndarray:
        """The linear part of what makes coefficients meet the conditions: (C·R, C·R), columns are images."""
        system = self.system(self.form)
        units = np.eye(system.shape[0] * system.shape[1]).reshape(-1, *system.shape)
        zero = settled_start(system, self.start, np.zeros(system.shape))
        return np.array([(settled_start(system, self.start, u) - zero).ravel() for u in units]).T

    def settled(self, form: Form, shift: float, y: np.ndarray) -> np.ndarray:
        """The nearest states (data, C, R) that meet conditions and algebraic equations."""
        system = self.system(form)
        if len(y) < y[0].size:
            return np.array([settled_start(system, self.start + shift, one) for one in y])
        zero = settled_start(system, self.start + shift, np.zeros(system.shape))
        return (y.reshape(len(y), -1) @ self._settling.T).reshape(y.shape) + zero

    def respond(self, form: Form, y: np.ndarray, shift: float = 0.0) -> Respond:
        """From states (data, C, R) that are settled."""
        piece, end, missed = self.way.respond(self, form, y, shift)
        return Respond(
            piece, end, np.maximum(missed, self._residual(form, piece, shift, len(y))), form.fields
        )

    def _residual(self, form: Form, piece: Stepped | Exponentials, shift: float, data: int) -> np.ndarray:
        """What the residual on fresh points makes of each solution until the end of the piece, relative to its size."""
        times = piece.window[0] + (piece.window[1] - piece.window[0]) * LOOKS
        y, z = self.way.looked(self, form, times)
        size = np.maximum(self.norms(y).max(axis=(1, 2)), 1e-300)
        flat = np.tile(times + shift, data)
        shape = (-1, *y.shape[2:])
        found = residuals(self.system(form), flat, y.reshape(shape), z.reshape(shape), np.ones(y.shape[2]))
        rates = np.array([r.rate for r in found]).reshape(data, -1).mean(axis=1)
        return rates * (piece.window[1] - piece.window[0]) / size

    def norms(self, y: np.ndarray) -> np.ndarray:
        """‖Σ y ψ‖ of coefficients (…, R): functions with a trace are not orthonormal."""
        if isinstance(self.basis, ProductBasis):
            return np.linalg.norm(y, axis=-1)
        assert self.basis.weights is not None
        values = self.basis.grid.evaluate(y, (0,) * self.basis.points.shape[1])
        return np.sqrt(values**2 @ self.basis.weights)


class Way(Protocol):
    """How the time of a piece is crossed."""

    def respond(
        self, window: Window, form: Form, y: np.ndarray, shift: float
    ) -> tuple[Stepped | Exponentials, np.ndarray, np.ndarray]:
        """The piece of all data, their states at its end, and what rounding or the steps may have missed of each."""
        ...

    def looked(self, window: Window, form: Form, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """States and rates of what was answered last, (data, times, C, R)."""
        ...


class ByEigenvectors:
    """Exponentials: neither equations nor data change in time."""

    def __init__(self, span: tuple[float, float], scale: np.ndarray):
        self.span, self.scale = span, scale
        self._known: tuple[Generator, Decomposed] | None = None
        self._last: tuple[Generator, list[Modes]]

    def _own(self, window: Window) -> tuple[Generator, Decomposed]:
        if self._known is None:
            state = State(window.start, self.span[1] - self.span[0], window.basis, self.scale)
            made = sized_generator(window.system(window.form), window.parts, state)
            found = None if made is None else decomposed(made, self.span[1] - self.span[0])
            if made is None or found is None:
                raise Unsuited("The matrix of the equations has no eigenvectors to speak of.")
            self._known = made, found
        return self._known

    def respond(
        self, window: Window, form: Form, y: np.ndarray, shift: float
    ) -> tuple[Stepped | Exponentials, np.ndarray, np.ndarray]:
        made, eigen = self._own(window)
        if form is not window.form:
            other = generator(window.system(form), window.parts, window.start, made.sizes[:, 0])
            assert other is not None
            made = replace(made, source=other.source, fixed=other.fixed)
        found = [eigen.response(made.inside(one), made.source) for one in y]
        if any(m is None for m in found):
            raise Unsuited("A part of the solution that hardly moves has no short series in time.")
        ways = [Exact(m, self.span[1] - self.span[0]) for m in found if m is not None]
        state = State(window.start, 0.0, window.basis, y[0])
        pieces = [way.piece(made, form, state, self.span) for way in ways]
        ends = np.array([way.end(made, self.span[1] - self.span[0]) for way in ways])
        most = max(len(p.powers) for p in pieces)
        powers = [np.pad(p.powers, ((0, most - len(p.powers)), (0, 0), (0, 0))) for p in pieces]
        piece = replace(
            pieces[0],
            fields=names_of(form.fields, len(y)),
            powers=np.concatenate(powers, axis=1),
            vectors=np.concatenate([p.vectors for p in pieces], axis=1),
        )
        self._last = made, [way.modes for way in ways]
        return piece, ends, np.array([way.modes.noise for way in ways])

    def looked(self, window: Window, form: Form, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        made, found = self._last
        pairs = [m.at(times - self.span[0]) for m in found]
        return np.array([made.state(q) for q, _ in pairs]), np.array([made.rate(z) for _, z in pairs])


class BySteps:
    """The steps of a march, each length with its factors; they are halved where data change faster than those they were chosen for."""

    def __init__(self, edges: np.ndarray, stages: int, tol: float):
        self.edges, self.scheme, self.tol = edges, radau(stages), tol
        self._factors: dict[float, list[LU]] = {}
        self._last: tuple[np.ndarray, np.ndarray]

    def _solved(self, h: float, right: np.ndarray) -> np.ndarray:
        """z_i with E z_i + h A Σ_j A_ij z_j = r_i: (K, n, data)."""
        split = self.scheme.split(right.reshape(len(right), -1)).reshape(-1, *right.shape[1:])
        parts = np.array([lu.solve(s) for lu, s in zip(self._factors[h], split, strict=True)])
        return self.scheme.join(parts.reshape(len(parts), -1)).reshape(right.shape)

    def respond(
        self, window: Window, form: Form, y: np.ndarray, shift: float
    ) -> tuple[Stepped | Exponentials, np.ndarray, np.ndarray]:
        for halved in range(HALVED + 1):
            end = self._marched(window, form, y, shift)
            missed = self._missed(window, form, y.shape)
            if missed.max() <= self.tol or halved == HALVED:
                break
            self.edges = np.sort(np.append(self.edges, 0.5 * (self.edges[1:] + self.edges[:-1])))
        return self._piece(window, form, y.shape), end, missed

    def _marched(self, window: Window, form: Form, y: np.ndarray, shift: float) -> np.ndarray:
        """States at the end; those at the start of each step and the rates in it are kept."""
        system, scheme = window.system(form), self.scheme
        e, a = rows_of(window.system(window.form), window.parts)
        none = np.zeros((scheme.stages, *system.shape))
        state, states, rates = y.reshape(len(y), -1).T, [], []
        for left, right in zip(self.edges[:-1], self.edges[1:], strict=True):
            look()
            h = round(float(right - left), 15)
            if h not in self._factors:
                self._factors[h] = [
                    LU(e + h * (v.real if v.imag == 0 else v) * a) for v in scheme.eigenvalues
                ]
            source = np.zeros((scheme.stages, len(e)))
            given = system.residual(left + shift + h * scheme.nodes, none, none)
            source[:, : given.shape[1]] = given
            known = -(a @ state + source[:, :, None])
            z = self._solved(h, known)
            inner = np.tensordot(h * scheme.matrix, z, axes=1)
            z = z + self._solved(h, known - e @ z - a @ inner)  # what rounding has left over
            states.append(state)
            rates.append(z)
            state = state + h * np.tensordot(scheme.weights, z, axes=1)
        self._last = np.array(states), np.array(rates)
        return state.T.reshape(y.shape)

    def _piece(self, window: Window, form: Form, shape: tuple[int, ...]) -> Stepped:
        states, rates = self._last
        firsts = [form.first[f] for f in form.fields]
        starts = np.moveaxis(states, 2, 1).reshape(len(states), *shape)[:, :, firsts]
        slopes = np.einsum("lk,sknd->sldn", self.scheme.to_legendre, rates)
        slopes = slopes.reshape(*slopes.shape[:2], *shape)[:, :, :, firsts]
        names, size = names_of(form.fields, shape[0]), shape[2]
        starts = starts.reshape(len(states), -1, size)
        return piece_of(window.basis, names, self.edges, starts, slopes.reshape(*slopes.shape[:2], -1, size))

    def _missed(self, window: Window, form: Form, shape: tuple[int, ...]) -> np.ndarray:
        """The error in time of each datum, h |c_K|/4K times the decay of its coefficients, the worst of all steps."""
        states, rates = self._last
        lengths, count = np.diff(self.edges), self.scheme.stages
        firsts = [form.first[f] for f in form.fields]

        def sizes(values: np.ndarray) -> np.ndarray:
            table = np.moveaxis(values, -2, -1).reshape(*values.shape[:-2], *shape)
            return np.linalg.norm(window.norms(table[..., firsts, :]), axis=-1)

        tail = sizes(np.einsum("lk,sknd->slnd", self.scheme.to_legendre[-3:], rates))
        norms = lengths[:, None, None] * tail / (4 * np.arange(count - 2, count + 1))[:, None]
        third, second, top = (np.maximum(norms[:, i], 1e-300) for i in range(3))
        decay = np.minimum(1.0, np.maximum(top / second, second / third))
        return (top * decay).max(axis=0) / np.maximum(sizes(states).max(axis=0), 1e-300)

    def looked(self, window: Window, form: Form, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        states, rates = self._last
        found_y, found_z = [], []
        for t in times:
            step = min(int(np.searchsorted(self.edges[1:-1], t)), len(states) - 1)
            h = self.edges[step + 1] - self.edges[step]
            # At the stage that is closest: between stages the rows do not hold.
            k = int(np.argmin(np.abs(self.edges[step] + h * self.scheme.nodes - t)))
            found_z.append(rates[step, k])
            found_y.append(states[step] + h * np.tensordot(self.scheme.matrix[k], rates[step], axes=1))
        shape = (len(times), len(form.components), window.basis.size, -1)
        y, z = (np.moveaxis(np.array(f).reshape(shape), 3, 0) for f in (found_y, found_z))
        return y, z


def windows_of(problem: Problem, pieces: Sequence[Piece], tol: float) -> list[Window]:
    """The pieces of a solution by lines as maps from states; steps are to be that accurate."""
    form, made = form_of(problem, frame_of(pieces)), []
    make: Callable[[Form, Any], Any] = System
    if not is_box(problem):
        from lrfm.solver.lines.regions.recipe import system_on  # boxes have no use for it

        chooser: Any = chooser_for(form, rules_of(form, tol), np.random.default_rng(0))
        make = partial(system_on, [chooser])
    for piece in map(in_frame, pieces):
        if not isinstance(piece, Steps | RegionSteps | Exponentials):
            raise Unsuited("The solution is not made of steps or exponentials on products.")
        count = len(form.components)
        if count * piece.basis.size > LARGEST:
            raise Unsuited(
                f"States have {count * piece.basis.size} coefficients; at most {LARGEST} are solved in one piece."
            )
        way: Way
        if isinstance(piece, Steps | RegionSteps):
            way = BySteps(piece.edges, piece.slopes.shape[1], IN_TIME * tol)
        else:
            way = ByEigenvectors(piece.window, _start(form, piece))
        made.append(Window(form, piece.basis, piece.window[0], way, make))
    return made


def _start(form: Form, piece: Exponentials) -> np.ndarray:
    """The state (components, R) with which a piece begins."""
    found = np.zeros((len(form.components), piece.basis.size))
    for c, (name, level) in enumerate(form.components):
        i = piece.fields.index(name)
        whole = piece.window[1] - piece.window[0]
        power = piece.powers[level, i] / whole**level if level < len(piece.powers) else 0.0
        found[c] = power * float(np.prod(np.arange(1, level + 1))) + np.real(
            piece.rates**level @ piece.vectors[:, i]
        )
    return found


def moved(window: Window, after: Window, y: np.ndarray) -> np.ndarray:
    """States on the basis of the next piece."""
    old, new = window.basis, after.basis
    if old is new:
        return y
    if isinstance(old, ProductBasis) and isinstance(new, ProductBasis):
        return transfer(old, new, y)
    from lrfm.solver.lines.regions import recipe  # boxes have no use for it

    assert isinstance(old, RegionBasis)
    assert isinstance(new, RegionBasis)
    return recipe.transfer(old, new, y)
