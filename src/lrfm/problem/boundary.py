# SPDX-License-Identifier: MIT
"""Names in `boundary` for domains that are no boxes: parts, groups of parts, `*` for all others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from lrfm.problem.errors import NONE, ProblemError, entry, listing, shown, suggest
from lrfm.problem.names import normal
from lrfm.problem.shapes.protocol import Domain, is_layered

PERIODIC = "periodic"
PROBES = 64  # points of two ends that are compared,
ALIKE = 1e-9  # and how near they have to be, relative to the domain
CENTER = "r-"  # r = 0, where a radius begins
CONTINUOUS = "continuous"  # of an interface: u and its flux, unless something else is said


def part_conditions(
    given: object, domain: Domain, unknowns: Sequence[str]
) -> tuple[frozenset[str], dict[str, object]]:
    """Axes that go around, and what was given for every other part: by its own name, by that of a group it belongs to, or by `*`."""
    table = dict(given.items()) if isinstance(given, Mapping) else {"*": given}
    names = {_plain(name): name for name in (*domain.parts, *domain.groups, "*")}
    found: dict[str, object] = {}
    said: dict[str, tuple[int, str]] = {}
    around: dict[str, tuple[str, ...]] = {}
    for key, condition in table.items():
        name = names.get(_plain(key))
        if name is None:
            raise _no_part(key, domain, unknowns)
        members = (name,) if name in domain.parts else domain.groups.get(name, ())
        if isinstance(condition, str) and condition.strip() == PERIODIC:
            around[_axis_between(key, domain, members)] = members
        for part in members:
            # The name of a part itself comes before that of a group, and a small group before a large one.
            before = said.get(part)
            if before is not None and before[0] == len(members):
                raise ProblemError(
                    f"`boundary` names the part `{part}` twice, by `{before[1]}` and by `{name}`; name it once."
                )
            if before is None or len(members) < before[0]:
                found[part], said[part] = condition, (len(members), name)
    rest: Any = table.get("*", ...)
    for part in domain.interfaces if is_layered(domain) else ():
        found.setdefault(part, CONTINUOUS)
    joined = {part for members in around.values() for part in members}
    for part in domain.parts:
        if part in joined and found[part] != PERIODIC:
            raise ProblemError(
                f"`boundary` makes an axis periodic and gives a condition on its face `{part}`; an axis has either the one or the other."
            )
        if part not in found and rest is ...:
            raise ProblemError(
                f"The part `{part}` of the boundary has neither a condition nor ",
                NONE,
                "; give one, such as ",
                entry(part, f"{unknowns[0]} = 0"),
                ", or ",
                entry(part, None),
                " where nothing is known.",
            )
        found.setdefault(part, rest)
    return frozenset(around), {part: found[part] for part in domain.parts if part not in joined}


def _axis_between(key: object, domain: Domain, members: Sequence[str]) -> str:
    """The axis whose two ends are the given parts, alike so that they can be joined; ProblemError where there is none."""
    rules = [domain.parts[part].quadrature(PROBES).points for part in members] if len(members) == 2 else []
    fits = domain.dimension == 2 and not domain.moving and not is_layered(domain)
    for k, name in enumerate(domain.names if rules and fits else ()):
        ends = sorted(rules, key=lambda points: float(points[0, k]))
        gaps = [
            np.abs(points[:, k] - end[k])
            for points, end in zip(ends, (domain.lower, domain.upper), strict=True)
        ]
        size = float(domain.upper[k] - domain.lower[k])
        if max(float(np.max(gap)) for gap in gaps) > ALIKE * size:
            continue
        one, two = (np.sort(points[:, 1 - k]) for points in ends)
        if len(one) == len(two) and np.max(np.abs(one - two)) <= ALIKE * size:
            return name
    raise ProblemError(
        f"`boundary` calls {shown(key)} periodic; only a box, or a shape of the plane with two straight ends that are alike, has opposite faces that could be joined: name the axis, as in ",
        entry("x", PERIODIC),
        ", or give a condition.",
    )


def _plain(key: object) -> object:
    """A name without blanks, as inequalities may be spaced in any way."""
    return "".join(normal(key).split()) if isinstance(key, str) else key


def _no_part(key: object, domain: Domain, unknowns: Sequence[str]) -> ProblemError:
    valid = [*domain.parts, *domain.groups, "*"]
    name = key if isinstance(key, str) else str(key)
    inside = (
        f" A condition on `{name}` goes inside, under the name of a part."
        if name.partition("_")[0] in unknowns
        else suggest(name, valid)
    )
    groups = f", together also {listing(domain.groups)}" if domain.groups else ""
    return ProblemError(
        f"`boundary` has the key {shown(key)}; the parts of this domain are {listing(domain.parts)}{groups}, and `*` stands for all others."
        f"{inside}"
    )
