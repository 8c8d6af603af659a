# SPDX-License-Identifier: MIT
"""Arguments that a function does not have: a sentence that names the one to write, in the place of Python's own."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from lrfm.problem.errors import listing, short, shown, suggest

P = ParamSpec("P")
R = TypeVar("R")

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
    ("r",): ("radius",),
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


def naming(function: Callable[P, R]) -> Callable[P, R]:
    """The same function; a call that does not fit its arguments is a TypeError that says what to write.

    >>> @naming
    ... def solve(problem, *, tol=None): ...
    >>> solve(1, rtol=1e-3)
    Traceback (most recent call last):
        ...
    TypeError: `solve` has no argument `rtol`; write `tol=0.001`. It takes `problem`, `tol`.
    """
    signature = inspect.signature(function)

    @wraps(function)
    def call(*args: P.args, **given: P.kwargs) -> R:
        try:
            signature.bind(*args, **given)
        except TypeError:
            raise TypeError(_sentence(function, signature, args, given)) from None
        return function(*args, **given)

    return call


def _sentence(
    function: Callable[..., Any],
    signature: inspect.Signature,
    args: tuple[Any, ...],
    given: Mapping[str, Any],
) -> str:
    parameters = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
    *_, owner, name = ("", *function.__qualname__.split("."))
    hidden = 1 if parameters and parameters[0].name in ("self", "solution") else 0
    name, known = owner if name == "__init__" else name, [p.name for p in parameters]
    takes = f"It takes {listing(known[hidden:])}."
    for word in given:
        if word not in known:
            return f"`{name}` has no argument `{short(word)}`{_advice(word, given[word], known)}. {takes}"
    places = [p.name for p in parameters if p.kind is not p.KEYWORD_ONLY]
    if len(args) > len(places):
        alone = places[hidden:]
        first = f"{listing(alone)} without a name" if alone else "nothing without a name"
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
