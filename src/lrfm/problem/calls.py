# SPDX-License-Identifier: MIT
"""Arguments that a function does not have: a sentence that names the one to write, in the place of Python's own; and what counts as a number."""

from __future__ import annotations

import inspect
import math
import os
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from numbers import Real
from typing import Any, TypeGuard, TypeVar, cast

from lrfm.problem.errors import listing, not_installed, short, shown, suggest

T = TypeVar("T", bound=Callable[..., Any])

# What people call an argument elsewhere; the first of these that a function has is meant.
MEANT = {
    ("rtol", "atol", "reltol", "abstol", "tolerance", "eps", "epsilon", "accuracy", "precision"): ("tol",),
    ("timeout", "max_time", "time_limit", "seconds", "maxtime", "limit"): ("max_seconds",),
    ("time", "t", "at", "when", "times", "t_eval", "n", "n_frames", "n_times", "snapshots"): ("times", "frames"),
    ("random_state", "rng", "random_seed"): ("seed",),
    ("filename", "file", "fname", "out", "output", "save", "savefig", "name"): ("path",),
    ("var", "variable", "quantity", "field", "component", "formula"): ("what", "formula", "unknown"),
    ("colormap", "colors", "color", "colours"): ("cmap",),
    ("figsize", "dpi"): ("size",),
    ("nx", "grid", "points", "num", "samples"): ("resolution",),
    ("axis", "axes", "wrt", "dim", "coords"): ("over",),
    ("verbose", "callback", "bar", "disp"): ("progress",),
    ("solver", "engine", "algorithm", "scheme"): ("method",),
    ("guess", "initial_guess", "x0", "warm_start"): ("start",),
    ("memory", "mem", "ram"): ("max_memory",),
    ("n_features", "neurons", "width", "basis", "modes"): ("features",),
    ("windows", "n_blocks", "intervals"): ("blocks",),
    ("count", "number", "nev", "num", "n", "n_modes", "howmany"): ("k",),
    ("r",): ("radius",),
    ("semiaxes", "semi_axes", "half_axes", "a", "b"): ("radii",),
    ("centre", "origin", "middle"): ("center",),
}  # fmt: skip
CHOSEN = (
    "nx",
    "ny",
    "nz",
    "nt",
    "dx",
    "dt",
    "n",
    "mesh",
    "steps",
    "n_steps",
    "order",
    "degree",
    "num_domain",
    "epochs",
)


def naming(thing: T) -> T:
    """The same function, or class; a call that does not fit its arguments is a TypeError that says what to write.

    Of a class the constructor and all methods without an underscore. A call that fits costs nothing but its frame.

    >>> @naming
    ... def solve(problem, *, tol=None): ...
    >>> solve(1, rtol=1e-3)
    Traceback (most recent call last):
        ...
    TypeError: `solve` has no argument `rtol`; write `tol=0.001`. It takes `problem`, `tol`.
    """
    if not isinstance(thing, type):
        return cast(T, _telling(thing))
    for name, member in list(vars(thing).items()):
        if name.startswith("_") and name not in ("__init__", "__call__"):
            continue
        if inspect.isfunction(member):
            setattr(thing, name, _telling(member))
        elif isinstance(member, classmethod | staticmethod):
            setattr(thing, name, type(member)(_telling(member.__func__)))
    return cast(T, thing)


def _telling(function: Callable[..., Any]) -> Callable[..., Any]:
    signature = inspect.signature(function)

    @wraps(function)
    def call(*args: Any, **given: Any) -> Any:
        try:
            return function(*args, **given)
        except ModuleNotFoundError as error:
            raise not_installed(error) or error from None
        except (TypeError, AttributeError) as error:
            said = misnamed(function, signature, args, given, error)
            if said is None:
                raise
            raise said from said.__cause__

    return call


def misnamed(
    function: Callable[..., Any],
    signature: inspect.Signature,
    args: tuple[Any, ...],
    given: Mapping[str, Any],
    error: Exception,
) -> TypeError | None:
    """What to raise after a call that failed, where its arguments do not fit; None where they do."""
    try:
        bound = signature.bind(*args, **given).arguments
    except TypeError:
        return TypeError(_sentence(function, signature, args, given))
    wrong = None if "`" in str(error) else _misfit(function, signature, bound)
    if wrong is None:
        return None
    said = TypeError(wrong)
    said.__cause__ = error
    return said


# Annotations by which an argument can be judged, as they are written; what else is written is not judged.
JUDGED = {
    "str": (str, "a text"),
    "Path": (os.PathLike, "a path"),
    "os.PathLike": (os.PathLike, "a path"),
    "os.PathLike[str]": (os.PathLike, "a path"),
    "Sequence[str]": ((list, tuple), "a list of texts"),
    "collections.abc.Sequence[str]": ((list, tuple), "a list of texts"),
    "None": (type(None), "None"),
}


def _misfit(
    function: Callable[..., Any], signature: inspect.Signature, bound: Mapping[str, Any]
) -> str | None:
    """The first argument that is none of what its annotation lists, as a sentence."""
    for word, value in bound.items():
        kinds = str(signature.parameters[word].annotation).split(" | ")
        if all(kind in JUDGED for kind in kinds) and not isinstance(
            value, tuple(JUDGED[kind][0] for kind in kinds)
        ):
            expected = " or ".join(dict.fromkeys(JUDGED[kind][1] for kind in kinds if kind != "None"))
            return f"`{function.__name__}` was given `{word}={shown(value)}`; expected {expected}."
    return None


def _sentence(
    function: Callable[..., Any],
    signature: inspect.Signature,
    args: tuple[Any, ...],
    given: Mapping[str, Any],
) -> str:
    parameters = [p for p in signature.parameters.values() if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)]
    *_, owner, name = ("", *function.__qualname__.split("."))
    hidden = 1 if parameters and parameters[0].name in ("self", "cls", "solution") else 0
    name, known = owner if name == "__init__" else name, [p.name for p in parameters]
    others = any(p.kind is p.VAR_KEYWORD for p in signature.parameters.values())
    takes = f"It takes {listing(known[hidden:], 'no arguments')}{', and others by their names' * others}."
    for word in given:
        if word not in known:
            return f"`{name}` has no argument `{short(word)}`{_advice(word, given[word], known)}. {takes}"
    places = [p.name for p in parameters if p.kind is not p.KEYWORD_ONLY]
    if len(args) > len(places):
        alone = places[hidden:]
        first = f"{listing(alone)} without a name" if alone else "nothing without a name"
        if not others and places == known:
            return f"`{name}` takes {first}; leave out what follows."
        return f"`{name}` takes {first}; name what follows{_guess(args[len(places)], known)}. {takes}"
    twice = [word for word in places[: len(args)] if word in given]
    if twice:
        return f"`{name}` was given `{twice[0]}` twice, by its place and by its name; leave one out."
    there = {*places[: len(args)], *given}
    missing = [p.name for p in parameters if p.default is p.empty and p.name not in there]
    return f"`{name}` needs {listing(missing)}. {takes}"


def _advice(word: str, value: object, known: Iterable[str]) -> str:
    """What to write for an argument that is called otherwise here, or is not needed."""
    known = list(known)
    if word.lower() in CHOSEN and "tol" in known:
        return ": leave it out, since grids, steps and sizes are chosen from `tol`"
    for words, meant in MEANT.items():
        found = [m for m in meant if m in known]
        if word.lower() in words and found:
            return f"; write `{found[0]}={shown(value)}`"
    near = suggest(word, known).partition("`")[2].partition("`")[0]
    return f"; write `{near}={shown(value)}`" if near in known else ""


def _guess(value: object, known: Iterable[str]) -> str:
    """A small number without a name is a tolerance."""
    small = isinstance(value, float) and 0 < value < 1 and "tol" in known
    return f": write `tol={value!r}`" if small else ""


def is_real(value: object) -> TypeGuard[float]:
    """Whether something is a real number that a double can hold, infinities among them.

    >>> is_real(2), is_real(float("inf")), is_real(True), is_real(float("nan")), is_real(10**400)
    (True, True, False, False, False)
    """
    if isinstance(value, bool) or not isinstance(value, Real):
        return False
    try:
        return not math.isnan(float(value))
    except OverflowError:  # a whole number of more than 308 digits
        return False
