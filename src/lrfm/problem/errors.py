# SPDX-License-Identifier: MIT
"""What is said when a statement is wrong: what was given, what was expected, what to do."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class ProblemError(ValueError):
    """The statement of a problem is wrong; raised before any number is computed."""


def suggest(name: str, valid: Iterable[str]) -> str:
    """Return `` Did you mean `x`?`` for the nearest valid name, or nothing when none is near."""
    near = difflib.get_close_matches(name, list(valid), n=1, cutoff=0.6)
    return f" Did you mean `{near[0]}`?" if near else ""


def listing(names: Iterable[str], empty: str = "none") -> str:
    """Join names for a sentence: `` `a`, `b` ``, or the word for an empty list."""
    quoted = [f"`{n}`" for n in names]
    return ", ".join(quoted) if quoted else empty
