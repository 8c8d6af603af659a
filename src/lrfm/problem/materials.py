# SPDX-License-Identifier: MIT
"""What differs from layer to layer of a layered domain:  k(x) = kᵢ in Ωᵢ.

In formulas a switch on the layer of a point, whose derivative is that of what it switches to: ``diff(k*u_x, x)`` is the derivative within
a layer. What happens between two layers is said by the conditions on their interface.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from lrfm.problem import expression as ex
from lrfm.problem.algebra import Expr, symbols_in
from lrfm.problem.alphabet import Alphabet
from lrfm.problem.errors import ProblemError, Spelled, listing, shown, suggest
from lrfm.problem.expression import Value
from lrfm.problem.field import UnknownField
from lrfm.problem.free import Free, Unknown
from lrfm.problem.jets import FieldSymbol, GivenSymbol, MultiIndex
from lrfm.problem.shapes.protocol import Domain, Layered, is_layered
from lrfm.problem.spans import Range
from lrfm.problem.syntax import names_in, parse
from lrfm.problem.text import translate


@dataclass(frozen=True)
class Within:
    """1 in one layer of a layered domain, 0 elsewhere, with derivatives that are zero."""

    domain: Layered
    number: int

    def __call__(self, points: np.ndarray, index: MultiIndex) -> np.ndarray:
        return (self.domain.owner(points[:, :-1]) == self.number).astype(float)


class LayerSymbol(FieldSymbol):
    """Whether a point lies in a layer, in a formula."""

    __slots__ = ()
    by_layer = True

    def __init__(self, within: Within):
        still = (False,) * (within.domain.dimension + 1)
        name = list(within.domain.layers)[within.number]
        super().__init__(f"in {name}", within, (0,) * len(still), still)

    def __reduce__(self) -> tuple:
        return LayerSymbol, (self.evaluate,)


@dataclass(frozen=True)
class Materials:
    """The layers of a domain, and the parameters in each of them."""

    domain: Layered
    parameters: Mapping[str, Mapping[str, Value]]

    def chosen(self, values: Mapping[str, Value]) -> Value:
        """One formula from one for each layer; the last one also stands for what is outside."""
        return chosen(self.domain, values)


def chosen(domain: Layered, values: Mapping[str, Value]) -> Value:
    """One formula from one for each layer of a domain."""
    *others, last = domain.layers
    re, im = values[last]
    for name in reversed(others):
        inside = LayerSymbol(Within(domain, list(domain.layers).index(name)))
        re, im = (_either(inside, a, b) for a, b in zip(values[name], (re, im), strict=True))
    return Value(re, im)


def _either(inside: Expr, a: Expr, b: Expr) -> Expr:
    return a if a == b else ex.choice(inside, a, b)


def differs(value: Value) -> bool:
    """Whether a formula depends on the layer."""
    return any(isinstance(symbol, LayerSymbol) for symbol in symbols_in(*value))


def parameters_by_layer(
    given: Mapping[str, object],
    domain: Domain,
    read: Callable[[Mapping[str, object]], dict[str, Value]],
) -> tuple[dict[str, Value], Materials | None]:
    """The parameters as formulas on the whole domain and, where it has layers, in each of them.

    `read` makes formulas of parameters that are not by layer.
    """
    split = {name: value for name, value in given.items() if isinstance(value, Mapping)}
    whole = read({name: value for name, value in given.items() if name not in split})
    if not is_layered(domain):
        for name, value in split.items():
            raise ProblemError(
                f"The parameter `{name}` was given as {shown(value)}, a value for each layer, but the domain has no layers; make it of "
                "`lrfm.Layers(...)`, or give one value."
            )
        return whole, None
    layers = {layer: dict(whole) for layer in domain.layers}
    for name, values in split.items():
        check_layers(values, domain, f"The parameter `{name}`")
        found = {layer: _one(name, values[layer], layer, domain, whole, read) for layer in domain.layers}
        for layer, value in found.items():
            layers[layer][name] = value
        whole[name] = chosen(domain, found)
    order = [name for name in given if name in whole]
    return {name: whole[name] for name in order}, Materials(domain, layers)


def _one(
    name: str,
    given: object,
    layer: str,
    domain: Layered,
    known: Mapping[str, Value],
    read: Callable[[Mapping[str, object]], dict[str, Value]],
) -> Value:
    """A parameter in one layer; a text may be a formula of the coordinates, and of parameters that are no functions of the layer."""
    if isinstance(given, str):
        what = f"The parameter `{name}` in `{layer}`"
        return translate(parse(given, what), Alphabet(domain.names, known), what)
    if isinstance(given, Unknown | UnknownField | Free | Range):
        raise ProblemError(
            f"The parameter `{name}` in `{layer}` was given as {shown(given)}; by layer there are numbers, formulas and functions. Give "
            f"what is not known a name of its own, `'{name}1': {shown(given)}`, and write it as a formula: `'{layer}': '{name}1'`."
        )
    return renamed(read({name: given})[name], f"{name} in {layer}")


def renamed(value: Value, owner: str) -> Value:
    """The same formula with given functions under a name of their own: two layers have two functions of one name."""
    names: dict[Expr, Expr] = {
        s: GivenSymbol(owner, s.name, s.function) for s in symbols_in(*value) if type(s) is GivenSymbol
    }
    return Value(*(names.get(part, part) for part in value)) if names else value


def names_in_parameters(parameters: Mapping[str, object]) -> set[str]:
    """Names in the formulas of parameters, by layer or not."""
    given = [v for p in parameters.values() for v in (p.values() if isinstance(p, Mapping) else [p])]
    return {name for text in given if isinstance(text, str) for name in names_in(parse(text, "A parameter"))}


def check_layers(given: Mapping[str, object], domain: Layered, what: str) -> None:
    """Refuse names that are no layers, and layers without a value."""
    for name in given:
        if name not in domain.layers:
            raise ProblemError(
                f"{what} has a value for {shown(name)}, which is no layer of the domain; its layers are {listing(domain.layers)}."
                f"{suggest(str(name), list(domain.layers))}"
            )
    missing = [name for name in domain.layers if name not in given]
    if missing:
        raise ProblemError(
            f"{what} has no value for the layer {listing(missing)}; give one for each of {listing(domain.layers)}, or ",
            Spelled("one value instead of a dictionary", "one value instead of a table"),
            " where it is the same in all of them.",
        )


def by_layer(given: object, domain: Layered | None, keys: Sequence[str]) -> bool:
    """Whether data are a dictionary of layers, and not one of `keys`, such as the names of unknowns."""
    if domain is None or not isinstance(given, Mapping) or not given:
        return False
    return any(name in domain.layers for name in given) and not any(name in keys for name in given)
