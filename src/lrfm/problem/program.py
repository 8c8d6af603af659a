# SPDX-License-Identifier: MIT
"""Formulas evaluated by NumPy: a list of steps, common parts once. There is no generated code."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from operator import add, mul

import numpy as np

from lrfm.problem.algebra import Call, Expr, Number, Power, Product, Sum, Symbol, postorder

Array = np.ndarray | float
AT_ONCE = 65536  # bytes of places evaluated at once: what is in between stays in the cache, and no page of memory is new


class Program:
    """Several formulas compiled to one list of steps (function, positions of its arguments), inputs first."""

    def __init__(self, outputs: Sequence[Expr]):
        place: dict[bytes, int] = {}
        self._constants: list[tuple[int, float]] = []
        self._inputs: list[tuple[int, Symbol]] = []
        self._steps: list[tuple[int, Callable, tuple[int, ...]]] = []
        for node in postorder(*outputs):
            here = place[node.fingerprint] = len(place)
            if isinstance(node, Symbol):
                self._inputs.append((here, node))
            elif isinstance(node, Number):
                self._constants.append((here, node.value))
            else:
                function, operands = _step(node)
                self._steps.append((here, function, tuple([place[a.fingerprint] for a in operands])))
        self._size = len(place)
        self._outputs = [place[e.fingerprint] for e in outputs]
        self.symbols = frozenset(s for _, s in self._inputs)

    def __call__(self, values: Mapping[Symbol, Array]) -> list[Array]:
        """Evaluate all outputs; a formula without inputs gives a plain number."""
        inputs = [values[symbol] for _, symbol in self._inputs]
        arrays = [v for v in inputs if isinstance(v, np.ndarray) and v.ndim == 1]
        most = max([len(v) for v in arrays], default=0)
        some = AT_ONCE // max([v.itemsize for v in arrays], default=1)
        with np.errstate(all="ignore"):
            if most <= some:
                return self._evaluated(inputs)
            parts = []
            for start in range(0, most, some):
                here = slice(start, start + some)
                cut = [v[here] if isinstance(v, np.ndarray) and v.shape == (most,) else v for v in inputs]
                parts.append(self._evaluated(cut))
        # What is one number for all places is the same in every part.
        whole = lambda found: np.concatenate(found) if np.shape(found[0]) == (some,) else found[0]  # noqa: E731
        return [whole(found) for found in zip(*parts, strict=True)]

    def closed(self, values: Mapping[Symbol, float]) -> Program:
        """The same with numbers in the place of some inputs."""
        found = object.__new__(Program)
        found.__dict__.update(self.__dict__)
        known = [(place, values[symbol]) for place, symbol in self._inputs if symbol in values]
        found._constants = [*self._constants, *known]
        found._inputs = [pair for pair in self._inputs if pair[1] not in values]
        found.symbols = self.symbols.difference(values)
        return found

    @property
    def inputs(self) -> tuple[Symbol, ...]:
        """The symbols whose values `run` takes, in this order."""
        return tuple(symbol for _, symbol in self._inputs)

    def run(self, inputs: Sequence[Array]) -> list[Array]:
        """All outputs at once, for who evaluates small arrays many times and has silenced NumPy's warnings."""
        return self._evaluated(inputs)

    def bound(self, known: Mapping[Symbol, Array], free: Sequence[Symbol]) -> Bound:
        """The same as a function of some inputs alone; what the others make of themselves is evaluated once, here."""
        binding = Binding(self, free)
        return binding([known[symbol] for symbol in binding.known])

    def _evaluated(self, inputs: Sequence[Array]) -> list[Array]:
        register: list = [None] * self._size
        for place, number in self._constants:
            register[place] = number
        for (place, _), value in zip(self._inputs, inputs, strict=True):
            register[place] = value
        for place, function, operands in self._steps:
            register[place] = function(*[register[o] for o in operands])
        return [register[o] for o in self._outputs]


class Binding:
    """A program split by its inputs: steps that those which are `known` decide, and steps that wait for the others, the `free` ones."""

    def __init__(self, program: Program, free: Sequence[Symbol]):
        wanted, where = set(free), {symbol: place for place, symbol in program._inputs}
        given = [(place, symbol) for place, symbol in program._inputs if symbol not in wanted]
        self.known = [symbol for _, symbol in given]
        self._places = [place for place, _ in given]
        self._free = [where.get(symbol) for symbol in free]
        self._register: list = [None] * program._size
        for place, value in program._constants:
            self._register[place] = value
        there = {*self._places, *(place for place, _ in program._constants)}
        self._now, self._later, self._outputs = [], [], program._outputs
        for step in program._steps:
            decided = there.issuperset(step[2])
            (self._now if decided else self._later).append(step)
            if decided:
                there.add(step[0])

    def __call__(self, values: Sequence[Array]) -> Bound:
        """The formulas as functions of the free inputs, for values of the known ones in their order."""
        register = self._register.copy()
        for place, value in zip(self._places, values, strict=True):
            register[place] = value
        if self._now:
            with np.errstate(all="ignore"):
                for place, function, operands in self._now:
                    register[place] = function(*[register[o] for o in operands])
        return Bound(register, self._free, self._later, self._outputs)


class Bound:
    """Formulas of some inputs, all others given: no look-ups, floating-point errors as the caller wants them."""

    def __init__(
        self,
        register: list,
        inputs: Sequence[int | None],
        steps: Sequence[tuple[int, Callable, tuple[int, ...]]],
        outputs: Sequence[int],
    ):
        self._register, self._inputs, self._steps, self._outputs = register, inputs, steps, outputs

    def __call__(self, values: Sequence[Array]) -> list[Array]:
        register = self._register.copy()
        for place, value in zip(self._inputs, values, strict=True):
            if place is not None:
                register[place] = value
        for place, function, operands in self._steps:
            register[place] = function(*[register[o] for o in operands])
        return [register[o] for o in self._outputs]


def _step(node: Expr) -> tuple[Callable, tuple[Expr, ...]]:
    if isinstance(node, Sum):
        return (add if len(node.args) == 2 else _sum), node.args
    if isinstance(node, Product):
        return (mul if len(node.args) == 2 else _product), node.args
    if isinstance(node, Power):
        base, exponent = node.args
        return (_power(exponent.value), (base,)) if isinstance(exponent, Number) else (np.power, node.args)
    assert isinstance(node, Call)
    return node.function.numeric, node.args


def _sum(*terms: Array) -> Array:
    return reduce(lambda a, b: a + b, terms)


def _product(*factors: Array) -> Array:
    return reduce(lambda a, b: a * b, factors)


def _power(exponent: float) -> Callable:
    special = {
        2.0: lambda x: x * x,
        3.0: lambda x: x * x * x,
        -1.0: lambda x: np.divide(1.0, x),
        0.5: np.sqrt,
    }
    return special.get(exponent, lambda x: np.power(x, exponent))
