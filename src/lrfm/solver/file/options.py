# SPDX-License-Identifier: MIT
"""The [solve] section: arguments of `lrfm.solve`, and the parts chosen by hand as tables with a `kind`."""

import math
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, fields
from numbers import Real

from lrfm.linalg import LSQR, QR, Distributed, TruncatedSVD
from lrfm.problem import ProblemError
from lrfm.problem.errors import listing
from lrfm.rows.collocation import SAMPLINGS, TIMES, Collocation
from lrfm.solver.file.names import choose, refuse_unknown, table
from lrfm.solver.nonlinear import Newton, Picard
from lrfm.spaces import PIELM, STC, Frozen, Liquid, SoV
from lrfm.spaces.towers import PROFILES

KINDS: dict[str, dict[str, type]] = {
    "space": {"liquid": Liquid, "sov": SoV, "stc": STC, "pielm": PIELM, "frozen": Frozen},
    "collocation": {"collocation": Collocation},
    "least_squares": {"qr": QR, "lsqr": LSQR, "truncated-svd": TruncatedSVD, "distributed": Distributed},
    "nonlinear": {"newton": Newton, "picard": Picard},
}
WORDS = {"sampling": SAMPLINGS, "time": TIMES, "profile": tuple(PROFILES), "periodic": ("chart", "rows")}


def _whole(value: object, least: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def _number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)


CHECKS: dict[str, tuple[Callable[[object], bool], str]] = {
    "tol": (lambda v: _number(v) and 0 < v < 1, "a number between 0 and 1, such as 1e-8"),
    "backend": (lambda v: isinstance(v, str), 'text: "numpy", "torch", or a device such as "torch:cuda"'),
    "seed": (lambda v: _whole(v, 0), "a whole number, 0 or larger"),
    "features": (lambda v: _whole(v, 4), "a whole number, 4 or larger"),
    "blocks": (
        lambda v: _whole(v, 1) or (isinstance(v, list) and v and all(map(_number, v))),
        "a whole number, 1 or larger, or a list of times between blocks",
    ),
    "estimate": (lambda v: isinstance(v, bool), "true or false"),
    "max_features": (lambda v: _whole(v, 4), "a whole number, 4 or larger"),
    "max_seconds": (lambda v: _number(v) and v > 0, "a positive number of seconds"),
    "max_memory": (lambda v: isinstance(v, str) or _whole(v, 1), 'a size such as "4GB"'),
}


def check_options(given: Mapping[str, object], spell: str) -> dict[str, object]:
    """Check plain arguments of `lrfm.solve`; `spell` is how messages write a name, such as ``--{}``."""
    refuse_unknown(given, CHECKS, "The list of options")
    for name, value in given.items():
        good, expected = CHECKS[name]
        if not good(value):
            raise ProblemError(f"{spell.format(name)} is {value!r}; expected {expected}.")
    return dict(given)


def read_options(section: object) -> dict[str, object]:
    """Keyword arguments of `lrfm.solve` from the [solve] section."""
    section = table(section, "`solve`", "[solve] with tol = 1e-8")
    refuse_unknown(section, [*CHECKS, *KINDS], "[solve]")
    options = check_options({name: section[name] for name in section if name in CHECKS}, "`{}` in [solve]")
    options |= {name: read_part(name, section[name]) for name in section if name in KINDS}
    if "space" in options and "features" in options:
        raise ProblemError(
            "[solve] has both `features`, the size of the automatic space, and [solve.space]; "
            "leave one out, or write `features` into [solve.space]."
        )
    return options


def read_part(name: str, section: object) -> object:
    """One object, such as `Liquid(features=400)`, from its table."""
    place = f"[solve.{name}]"
    given = dict(table(section, place, f'{place} with kind = "{next(iter(KINDS[name]))}"'))
    kinds = KINDS[name]
    if len(kinds) > 1 and "kind" not in given:
        raise ProblemError(f"{place} has no `kind`; expected one of {listing(kinds)}.")
    kind = kinds[choose(given.pop("kind", next(iter(kinds))), kinds, f"`kind` in {place}")]
    if kind is Frozen:
        return _build(lambda **arguments: Frozen(Liquid(**arguments)), Liquid, given, place)
    return _build(kind, kind, given, place)


def _build(make: Callable[..., object], kind: type, given: dict[str, object], place: str) -> object:
    known = {item.name: item for item in fields(kind) if item.init}
    refuse_unknown(given, known, place)
    for name, value in given.items():
        if name in WORDS:
            given[name] = choose(value, WORDS[name], f"`{name}` in {place}")
        elif not _fits(value, known[name]):
            raise ProblemError(
                f"`{name}` in {place} is {value!r}; expected {_expected(known[name].default)}."
            )
    try:
        return make(**given)
    except ValueError as error:
        raise ProblemError(f"{place}: {error}") from None


def _fits(value: object, item: Field) -> bool:
    """Whether a value has the type of the default; what has no default is checked by its class."""
    default = item.default
    if default is None or default is MISSING:
        return not isinstance(value, Mapping)
    if isinstance(default, bool):
        return isinstance(value, bool)
    if isinstance(default, int):
        return _whole(value, 0)
    if isinstance(default, float):
        per_axis = "tuple" in str(item.type) and isinstance(value, list) and all(map(_number, value))
        return _number(value) or per_axis
    return isinstance(value, list) if isinstance(default, tuple) else isinstance(value, type(default))


def _expected(default: object) -> str:
    names = {bool: "true or false", int: "a whole number", float: "a number", tuple: "a list", str: "text"}
    return f"{names.get(type(default), 'a number, text or a list')}, such as {_toml(default)}"


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return str(list(value)) if isinstance(value, tuple) else str(value)
