# SPDX-License-Identifier: MIT
"""What the paper prints, from `published.toml`."""

from __future__ import annotations

import functools
import tomllib
from importlib.resources import files
from typing import Any


@functools.cache
def published() -> dict[str, Any]:
    """All printed numbers by table."""
    return tomllib.loads(files("lrfm.paper").joinpath("published.toml").read_text(encoding="utf-8"))
