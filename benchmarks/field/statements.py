# SPDX-License-Identifier: MIT
"""All statements of the benchmark, by name."""

from __future__ import annotations

from field import first, plane, published, spin, travels, unseen
from field.record import Statement

GROUPS = ("published", "spin", "first", "travels", "boxes", "long", "unseen")


def named(unseen_seed: int | None = unseen.SEED) -> dict[str, Statement]:
    """Every statement; the random ones of one seed, or none of them."""
    found = [*published.STATEMENTS, *spin.STATEMENTS, *first.STATEMENTS, *travels.STATEMENTS]
    found += [*plane.STATEMENTS, *first.LONG]
    if unseen_seed is not None:
        found += unseen.statements(unseen_seed)
    return {s.name: s for s in found}


def get(name: str) -> Statement:
    """The statement called `name`; the seed of a random one is part of its name."""
    seed = int(name.split("-")[1]) if name.startswith("unseen-") else None
    return named(seed)[name]
