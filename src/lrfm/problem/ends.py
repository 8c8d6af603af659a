# SPDX-License-Identifier: MIT
"""Data in time: all at the start, some or all at the end, or none and the same state at both.

∂ₜᵏu(x, t₀) = d(x)  and  ∂ₜᵏu(x, t₁) = e(x),  as many together as the order in time of each unknown;  or  u(x, t₁) = u(x, t₀), …
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from lrfm.problem.alphabet import Alphabet
from lrfm.problem.boundary import PERIODIC
from lrfm.problem.conditions import check_initial, initial_data
from lrfm.problem.data import Datum
from lrfm.problem.errors import ProblemError, Spelled, counted, listing, shown, suggest
from lrfm.problem.names import normal

Data = dict[tuple[str, int], Datum]


class Ends(NamedTuple):
    """Data at the start and at the end by (unknown, order in time), and whether both ends are one."""

    initial: Data
    final: Data
    cyclic: bool = False


def read_ends(initial: object, final: object, orders: Mapping[str, int], alphabet: Alphabet) -> Ends:
    """What `initial` and `final` say together."""
    if isinstance(initial, str) and initial.strip() == PERIODIC:
        if final is not None:
            raise ProblemError(
                f"`initial` is `{PERIODIC}`, and `final` was given as {shown(final)}; an orbit has no end at which something could be "
                "given. Leave one of them out."
            )
        return Ends({}, {}, True)
    if final is None:
        return Ends(initial_data(initial, orders, alphabet), {})
    keys = {"_".join(filter(None, (n, "t" * k))): (n, k) for n, order in orders.items() for k in range(order)}
    found = Ends(
        _some(initial, "initial", keys, alphabet) if initial is not None else {},
        _some(final, "final", keys, alphabet),
    )
    for name, order in orders.items():
        given = [k for data in (found.initial, found.final) for (n, k) in data if n == name]
        if len(given) != order:
            raise ProblemError(
                f"`initial` and `final` give {counted(len(given), 'condition')} on `{name}` together; the equations are of order "
                f"{order} in time for it, and take {order}. Possible are {listing(k for k, (n, _) in keys.items() if n == name)} at either "
                "end."
            )
    return found


def _some(given: object, which: str, keys: Mapping[str, tuple[str, int]], alphabet: Alphabet) -> Data:
    """The data of one end, of any of the keys."""
    if not isinstance(given, Mapping):
        if len({name for name, _ in keys.values()}) != 1:
            raise ProblemError(
                f"`{which}` was given as the single value {shown(given)}, but there are several unknowns; give ",
                Spelled("a dictionary", f"a table [{which}]"),
                f" with some of the keys {listing(keys)}.",
            )
        given = {next(iter(keys)): given}
    spatial, data = Alphabet(alphabet.axes, alphabet.parameters), {}
    for key, value in ((normal(key), value) for key, value in given.items()):
        if key not in keys:
            raise ProblemError(
                f"`{which}` has an entry {shown(key)}; expected some of {listing(keys)}.{suggest(str(key), keys)}"
            )
        name, order = keys[key]
        data[name, order] = Datum(value, spatial, f"`{which}` of `{key}`")
        check_initial(data[name, order], name, alphabet)
    return data
