# SPDX-License-Identifier: MIT
"""Chebfun's nine demos in one dimension, `spin('ac')` … `spin('nls')`, as the catalog states them, with the parameters of its source (S)."""

from __future__ import annotations

from field.record import Statement, Stored, goals
from lrfm import catalog

GROUP = "spin"
KEYS = ("ac", "burg", "bz", "ch", "gs", "kdv", "ks", "niko", "nls")


def _statement(key: str) -> Statement:
    entry = catalog.entry(f"spin-{key}")
    return Statement(
        name=f"spin-{key}",
        group=GROUP,
        build=entry.builder,
        reference=None if key == "nls" else Stored(f"spin-{key}"),
        wanted=goals(1e-3, 1e-5) if key == "gs" else goals(1e-3, 1e-6),  # as far as the reference is known
        mark=f"Chebfun spin('{key}'): spectral accuracy in seconds (S)",
        note=entry.summary,
    )


STATEMENTS = tuple(map(_statement, KEYS))
