# SPDX-License-Identifier: MIT
"""Fixed parts of catalog entries, read from `parts.toml`: one solve without a search."""

import functools
import tomllib
from importlib import resources
from typing import Any

from lrfm.problem import Problem
from lrfm.solver.methods import SpaceTime
from lrfm.spacetime.search import Setting


@functools.cache
def _table() -> dict[str, dict[str, Any]]:
    text = resources.files("lrfm.catalog").joinpath("parts.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def fixed_parts(name: str, problem: Problem) -> dict[str, Any]:
    """Keyword arguments of `lrfm.solve` for an entry; empty where none are listed."""
    row = dict(_table().get(name, {}))
    if not row:
        return {}
    features, blocks = row.pop("features"), row.pop("blocks")
    setting = Setting(**{key: _tuples(value) for key, value in row.items()})
    parts = setting.parts(problem, (problem.time[1] - problem.time[0]) / blocks, features)
    names = ("space", "collocation", "least_squares", "nonlinear")
    return {"method": SpaceTime(**{name: getattr(parts, name) for name in names}, blocks=blocks)}


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value
