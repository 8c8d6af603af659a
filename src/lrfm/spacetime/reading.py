# SPDX-License-Identifier: MIT
"""Parts chosen by hand in a file: tables with a `kind`, such as { kind = "liquid", features = 400 }."""

from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any, get_args, get_origin, get_type_hints

from lrfm.problem import ProblemError
from lrfm.problem.errors import clipped, listing, shown
from lrfm.problem.file import choose, refuse_unknown, table
from lrfm.solver.options import is_number, is_whole
from lrfm.spacetime.features import PIELM, STC, Frozen, Liquid, SoV
from lrfm.spacetime.features.towers import PROFILES
from lrfm.spacetime.least_squares import LSQR, QR, Distributed, TruncatedSVD
from lrfm.spacetime.windows.collocation import SAMPLINGS, TIMES, Collocation
from lrfm.spacetime.windows.nonlinear import Newton, Picard

KINDS: dict[str, dict[str, type]] = {
    "space": {"liquid": Liquid, "sov": SoV, "stc": STC, "pielm": PIELM, "frozen": Frozen},
    "collocation": {"collocation": Collocation},
    "least_squares": {"qr": QR, "lsqr": LSQR, "truncated-svd": TruncatedSVD, "distributed": Distributed},
    "nonlinear": {"newton": Newton, "picard": Picard},
}
UNLOADED = {
    "Client": object
}  # names that annotations of parts use and that are imported for type checkers only
ADDRESSES = ("scheduler",)  # where to connect is never read from a file: the other end may run code here
WORDS = {"sampling": SAMPLINGS, "time": TIMES, "profile": tuple(PROFILES), "periodic": ("chart", "rows")}


def part(name: str, section: object, place: str) -> object:
    """One object, such as `Liquid(features=400)`, from its table."""
    kinds = KINDS[name]
    given = dict(table(section, place, f'{place} with kind = "{next(iter(kinds))}"'))
    if len(kinds) > 1 and "kind" not in given:
        raise ProblemError(f"{place} has no `kind`; expected one of {listing(kinds)}.")
    kind = kinds[choose(given.pop("kind", next(iter(kinds))), kinds, f"`kind` in {place}")]
    if kind is Frozen:
        return Frozen(_build(Liquid, given, place))
    return _build(kind, given, place)


def _build(kind: type, given: dict[str, Any], place: str) -> Any:
    known = {item.name: item.default for item in fields(kind) if item.init}
    hints = get_type_hints(kind, localns=UNLOADED)
    for name in ADDRESSES:
        if name in known and name in given:
            raise ProblemError(
                f"`{name}` in {place} is an address, which a file may not choose: who answers there may run any code on this "
                f"machine. Leave it out, and give the address yourself: `lrfm solve FILE --{name} ADDRESS`, or in Python."
            )
    refuse_unknown(given, [name for name in known if name not in ADDRESSES], place)
    for name, value in given.items():
        if name in WORDS:
            given[name] = choose(value, WORDS[name], f"`{name}` in {place}")
        elif not _fits(value, known[name], hints[name]):
            raise ProblemError(f"`{name}` in {place} is {shown(value)}; expected {_expected(known[name])}.")
    try:
        return kind(**given)
    except ValueError as error:
        raise ProblemError(f"{place}: {clipped(str(error))}") from None


def _fits(value: object, default: object, hint: object) -> bool:
    """Whether a value has the type of the default; what has no default is checked by its class."""
    if default is None or default is MISSING:
        return not isinstance(value, Mapping)
    if isinstance(default, bool):
        return isinstance(value, bool)
    if isinstance(default, int):
        return is_whole(value, 0)
    if isinstance(default, float):
        per_axis = any(get_origin(kind) is tuple for kind in get_args(hint))
        return is_number(value) or (per_axis and isinstance(value, list) and all(map(is_number, value)))
    return isinstance(value, list) if isinstance(default, tuple) else isinstance(value, type(default))


def _expected(default: object) -> str:
    names = {bool: "true or false", int: "a whole number", float: "a number", tuple: "a list", str: "text"}
    toml = (
        str(default).lower()
        if isinstance(default, bool)
        else list(default)
        if isinstance(default, tuple)
        else default
    )
    return f"{names.get(type(default), 'a number, text or a list')}, such as {toml}"
