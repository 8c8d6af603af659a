# SPDX-License-Identifier: MIT
"""What a formula takes of a field as a whole: means and integrals over space, values at a place.

mean(e, x) = (1/L) ∫ e dx,     integral(e, x) = L mean(e, x),     at(e, x, a) = e at x = a.

Each becomes a field m of the coordinates that are left, with a row of its own, m − e = 0, of which only the mean over x holds, or the value at x = a.
So an equation with a mean in it is a row of one point like all others, and what is dense about it is the column of m.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from lrfm.problem.algebra import Expr, Symbol, add, number, power
from lrfm.problem.equation import Row
from lrfm.problem.errors import ProblemError, listing, short
from lrfm.problem.expression import Value, is_zero
from lrfm.problem.jets import Jet, JetSymbol
from lrfm.problem.kernels import joins, not_separate, products_of, separated
from lrfm.problem.memory import Remembered, coefficients, remembered, slopes
from lrfm.problem.shapes.protocol import Domain
from lrfm.problem.symmetry import RADIUS

MOST = 40  # of one statement


@dataclass(frozen=True)
class Functional:
    """A field that stands for a mean or a value of a formula.

    Parameters
    ----------
    field
        Its name: the text that asked for it.
    row
        m − e = 0.
    axes
        Numbers of the axes that it does not depend on.
    place
        Where the row holds along the only one of these, for a value; None for a mean over all of them.
    order
        One for memory, which has a rate.
    end
        The face at which a running integral is zero; empty for others.
    """

    field: str
    row: Row
    axes: frozenset[int]
    place: float | None = None
    order: int = 0
    end: str = ""

    @property
    def whole(self) -> bool:
        """Whether it is a mean or a value: it has no errors of its own then."""
        return not self.order and not self.end


@dataclass
class Functionals:
    """Those of one statement, each once; `closed` once it has been read."""

    domain: Domain
    closed: bool = False
    start: float = 0.0  # of time, and its span
    span: float = 1.0
    steady: bool = False
    found: dict[tuple, Functional] = field(default_factory=dict)

    def __iter__(self) -> Iterator[Functional]:
        return iter(self.found.values())

    def along(self, name: str) -> frozenset[str] | None:
        """The axes that one of these fields depends on; None where the name is no such field."""
        names = self.domain.names
        axes = next((f.axes for f in self if f.field == name), None)
        return None if axes is None else frozenset(n for i, n in enumerate(names) if i not in axes)

    def call(
        self,
        name: str,
        parts: Sequence[Value | str],
        what: str,
        text: str,
        reach: Callable[[Expr], frozenset[str]],
    ) -> Value:
        """What ``mean(u, x)``, ``integral(u*v)`` or ``at(u, x, 0.5)`` stands for."""
        value, *rest = parts or [""]
        if isinstance(value, str):
            raise ProblemError(
                f"{what}: `{name}` was given no formula; write `{name}(u{', x, 0.5' if name == 'at' else ''})`."
            )
        self._check_domain(name, rest, what)
        if name == "integral" and len(rest) == 3:
            return self._running(value, rest, what, text, reach)
        if name == "at":
            axis, place = self._place(rest, what)
            text = f"at({text}, {axis}, {place:g})"
            return Value(*(self._part(part, (axis,), place, text, reach) for part in value))
        axes = _axes(rest, self.domain.names, what, name)
        factor = _measure(self.domain, axes) if name == "integral" else 1.0
        value = _weighted(self.domain, axes, value)
        text = f"mean({', '.join([text, *(axes if len(axes) < len(self.domain.names) else ())])})"
        return Value(*(number(factor) * self._part(part, axes, None, text, reach) for part in value))

    def _running(
        self, value: Value, rest: Sequence[Value | str], what: str, text: str, reach: Callable
    ) -> Value:
        """``integral(u, x, 0, x)`` or ``integral(u, x, x, 1)``."""
        axis, low, high = rest
        names = self.domain.names
        if not isinstance(axis, str) or axis not in names or (low != axis and high != axis):
            raise ProblemError(
                f"{what}: `integral` with ends runs along an axis up to the place itself; write `integral({text}, {names[0]}, "
                f"{self.domain.axes[names[0]][0]:g}, {names[0]})`, from one end of the domain."
            )
        up = high == axis
        other = low if up else high
        end = self.domain.axes[axis][0 if up else 1]
        if (
            isinstance(other, str)
            or other.number is None
            or abs(other.number - end) > 1e-12 * max(1.0, abs(end))
        ):
            raise ProblemError(
                f"{what}: a running integral begins at an end of the domain, here {axis} = {end:g}; write the difference of two for others."
            )
        label = f"integral({text}, {axis}, " + (f"{end:g}, {axis})" if up else f"{axis}, {end:g})")
        return Value(*(self._run(part, axis, up, what, label) for part in value))

    def _run(self, e: Expr, axis: str, up: bool, what: str, label: str) -> Expr:
        """∫ e dx from the lower end to x, or from x to the upper one."""
        if is_zero(e):
            return e
        names = self.domain.names
        if len(names) > 1:
            raise ProblemError(f"{what}: running integrals are for domains with one axis.")
        symmetry = getattr(self.domain, "symmetry", None)
        if symmetry is not None and axis == RADIUS:
            e = number(symmetry.around) * power(Symbol(RADIUS), number(float(symmetry.power))) * e
        index = tuple(int(name == axis) for name in (*names, "t"))
        sign = number(1.0 if up else -1.0)
        return self._kept(
            (e, label),
            label,
            lambda name: JetSymbol(Jet(name, index)) - sign * e,
            end=f"{axis}{'-' if up else '+'}",
        )

    def joined(
        self, value: Value, dummy: str, ends: Sequence[Value | str], what: str, text: str, reach: Callable
    ) -> Value:
        """``integral(exp(-(x - y)**2)*u(y), y)`` over space, ``integral(exp(-(t - s))*u(s), s)`` over the past; with ends, up to a place or the time itself."""
        axis = self._axis_of(value, dummy, ends, what, text)
        if axis:
            return self._kernels(value, axis, dummy, ends, what, text, reach)
        if ends:
            low, high = ends
            start = None if isinstance(low, str) else low.number
            if high != "t" or start != self.start:
                raise ProblemError(
                    f"{what}: an integral over the past goes from the start to the present, `integral({short(text)}, {dummy}, {self.start:g}, t)`; leave the ends out, or write these."
                )
        return self.memory(value, dummy, what, text, reach)

    def _axis_of(self, value: Value, dummy: str, ends: Sequence[Value | str], what: str, text: str) -> str:
        """The axis along which a dummy is a place; empty where it is a time: what stands in one function with it says so, or an end, or its name."""
        names = self.domain.names
        if not names or "t" in ends:
            return ""
        found = [end for end in ends if isinstance(end, str)] or joins([*value], dummy, names)
        if not found and (self.steady or ends or dummy in ("x", "y", "z")):
            found = list(names)
        if len(found) > 1:
            raise ProblemError(
                f"{what}: `integral({short(text)}, {dummy})` is one along an axis, and it is not said which of {listing(found)}; kernels join {dummy} with one of them, such as "
                f"exp(-({names[0]} - {dummy})**2)."
            )
        return found[0] if found else ""

    def _kernels(
        self,
        value: Value,
        axis: str,
        dummy: str,
        ends: Sequence[Value | str],
        what: str,
        text: str,
        reach: Callable,
    ) -> Value:
        """∫ K(x, y) g(y) dy as integrals of products."""
        self._check_domain("integral", [axis], what)
        whole = self.domain.axes[axis]
        told = [axis if end == axis else None if isinstance(end, str) else end.number for end in ends]
        sides = {(): 0, whole: 0, (whole[0], axis): 1, (axis, whole[1]): -1}
        side = sides.get(tuple(told))
        if side is None:
            raise ProblemError(
                f"{what}: an integral with a kernel goes over all of the domain, {axis} from {whole[0]:g} to {whole[1]:g}, or from one of its ends to the place itself: "
                f"`integral({short(text)}, {dummy}, {whole[0]:g}, {axis})`."
            )

        def part(e: Expr) -> Expr:
            terms = [] if is_zero(e) else separated(e, axis, dummy, reach)
            if terms is None:
                raise not_separate(what, short(text), dummy, axis)
            total: Expr = number(0.0)
            for term in terms:
                for at, pairs in products_of(term.kernel, axis, dummy, whole, side, MOST, what, short(text)):
                    label = f"integral({text}, {dummy})"
                    for outer, inner in pairs:
                        e = inner * term.inside
                        if at:
                            own = self._run(
                                e, axis, at > 0, what, f"{label} {'below' if at > 0 else 'above'}"
                            )
                        else:
                            weighted = _weighted(self.domain, (axis,), Value(e)).re
                            own = number(_measure(self.domain, (axis,))) * self._part(
                                weighted, (axis,), None, label, reach
                            )
                        total = total + term.outside * outer * own
            return total

        return Value(*(part(e) for e in value))

    def memory(self, value: Value, dummy: str, what: str, text: str, reach: Callable) -> Value:
        """``integral(exp(-(t - s)/tau)*u(s), s)``, from the start on."""
        if self.domain.moving:
            raise ProblemError(f"{what} contains an integral over the past, and the domain moves.")

        def part(e: Expr) -> Expr:
            total: Expr = number(0.0)
            for term in () if is_zero(e) else remembered(e, dummy, what, text):
                if term.kernel is None:
                    c = np.ones(1)
                else:
                    c = coefficients(term.kernel, dummy, self.span, what, text)
                moments = self._moments(term, len(c) - 1, f"integral({text}, {dummy})", reach)
                total = total + term.outside * add(
                    *(number(float(x)) * m for x, m in zip(c, moments, strict=True))
                )
            return total

        return Value(*(part(e) for e in value))

    def _moments(self, term: Remembered, degree: int, text: str, reach: Callable) -> list[Expr]:
        """∫ e^{λ(t − s)} T_k g ds of the degrees up to one, each by those below it."""
        names = self.domain.names
        zero, rate = (0,) * (len(names) + 1), (*(0,) * len(names), 1)
        gone = frozenset(i for i, n in enumerate(names) if n not in reach(term.now))
        made: list[Expr] = []
        for k, line in enumerate(2 / self.span * slopes(degree)):
            label = f"{text} of rate {term.told:g}" + (f" and degree {k}" if k else "")
            below = add(*(number(float(d)) * m for d, m in zip(line[:k], made, strict=True)))

            def row(name: str, k: int = k, below: Expr = below) -> Expr:
                own = JetSymbol(Jet(name, rate)) - term.rate * JetSymbol(Jet(name, zero))
                return own - number((-1.0) ** k) * term.now - below

            made.append(self._kept((term.now, label), label, row, axes=gone, order=1))
        return made

    def _kept(
        self,
        key: tuple[Expr, str],
        text: str,
        row: Callable[[str], Expr],
        axes: frozenset[int] = frozenset(),
        **more,
    ) -> Expr:
        """The field of an integral, made once."""
        names = self.domain.names
        if key not in self.found:
            if self.closed or len(self.found) == MOST:
                raise ProblemError(
                    f"`{short(text)}` is no term of the statement, and is not known of its solution; or there are more than {MOST} such terms."
                )
            name = self._name(text)
            made = Row(row(name), (*names, "t"), f"`{short(text)}`")
            if getattr(self.domain, "symmetry", None) is not None:
                made = self.domain.symmetry.cleared(made)  # type: ignore[attr-defined]
            self.found[key] = Functional(name, made, axes, **more)
        return JetSymbol(Jet(self.found[key].field, (0,) * (len(names) + 1)))

    def _check_domain(self, name: str, rest: Sequence[object], what: str) -> None:
        if self.domain.moving:
            raise ProblemError(
                f"{what} contains `{name}`, and the domain moves; such terms are for domains that stay."
            )
        if not self.domain.is_box and (rest or name == "at"):
            raise ProblemError(
                f"{what}: `{name}` takes {'values' if name == 'at' else 'means along single axes'}, which is for boxes; on "
                f"{type(self.domain).__name__} there are `mean(u)` and `integral(u)` over all of it."
            )

    def _place(self, rest: Sequence[Value | str], what: str) -> tuple[str, float]:
        """The axis and the place of ``at(u, x, 0.5)``."""
        names = self.domain.names
        axis, place = rest if len(rest) == 2 else ("", "")
        found = None if isinstance(place, str) else place.number
        if not isinstance(axis, str) or axis not in names or found is None or found.imag:
            raise ProblemError(
                f"{what}: `at` takes a formula, an axis and a number; write `at(u, {names[0]}, {self.domain.axes[names[0]][1]:g})`. "
                f"The axes are {listing(names)}."
            )
        low, high = self.domain.axes[axis]
        if not low <= found.real <= high:
            raise ProblemError(
                f"{what}: `at` looks at {axis} = {found.real:g}, outside of the domain, where {axis} is from {low:g} to {high:g}."
            )
        return axis, float(found.real)

    def _part(self, part: Expr, axes: Sequence[str], place: float | None, text: str, reach: Callable) -> Expr:
        names = self.domain.names
        within: frozenset[str] = reach(part)
        if not within & set(axes):
            return part  # it is its own mean
        gone = frozenset(i for i, n in enumerate(names) if n in axes or n not in within)
        key = part, gone, place
        if key not in self.found:
            if self.closed:
                raise ProblemError(
                    f"`{short(text)}` is no term of the statement, and is not known of its solution; integrate the solution "
                    "itself, for example with `solution.integral`."
                )
            if len(self.found) == MOST:
                raise ProblemError(
                    f"The statement has more than {MOST} different means, integrals and values at places; leave some out."
                )
            name = self._name(text)
            whole = JetSymbol(Jet(name, (0,) * (len(names) + 1)))
            row = Row(whole - part, (*names, "t"), f"`{short(text)}`")
            self.found[key] = Functional(name, row, gone, place)
        return JetSymbol(Jet(self.found[key].field, (0,) * (len(names) + 1)))

    def _name(self, text: str) -> str:
        name = text.replace(".", ",")  # what follows a dot is the part of a complex unknown
        while any(f.field == name for f in self):
            name += "'"
        return name


def _axes(given: Sequence[object], names: Sequence[str], what: str, call: str) -> tuple[str, ...]:
    """The axes named in ``mean(u, x)``: all of them where none is."""
    for letter in given:
        if letter not in names:
            said = f"`{letter}`" if isinstance(letter, str) else "a formula"
            time = (
                " Over time nothing is integrated: the equations are solved forward in it."
                if letter == "t"
                else ""
            )
            raise ProblemError(
                f"{what}: `{call}` was asked to integrate along {said}; name axes of the domain, {listing(names)}, or none for all "
                f"of space.{time}"
            )
    return tuple(str(letter) for letter in given) or tuple(names)


def _weighted(domain: Domain, axes: Sequence[str], value: Value) -> Value:
    """e w/mean(w), where an axis is a radius: its mean along the axis is that of e over the body."""
    symmetry = getattr(domain, "symmetry", None)
    if symmetry is None or RADIUS not in axes:
        return value
    low, high = domain.axes[RADIUS]
    share = symmetry.around * (high - low) / symmetry.length(low, high)
    w = number(share) * power(Symbol(RADIUS), number(float(symmetry.power)))
    return Value(*(w * part for part in value))


def _measure(domain: Domain, axes: Sequence[str]) -> float:
    """Length, area or volume over which a mean is taken."""
    if set(axes) == set(domain.names):
        return float(domain.measure())
    symmetry = getattr(domain, "symmetry", None)
    lengths = (
        domain.axes[name][1] - domain.axes[name][0]
        if symmetry is None or name != RADIUS
        else symmetry.length(*domain.axes[name])
        for name in axes
    )
    return math.prod(lengths)
