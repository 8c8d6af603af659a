# SPDX-License-Identifier: MIT
"""Names in `boundary` for domains that are no boxes: parts, groups of parts, `*` for all others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lrfm.problem.errors import NONE, ProblemError, entry, listing, shown, suggest
from lrfm.problem.names import normal
from lrfm.problem.shapes.protocol import Domain, is_layered

PERIODIC = "periodic"
CENTER = "r-"  # r = 0, where a radius begins
CONTINUOUS = "continuous"  # of an interface: u and its flux, unless something else is said


def part_conditions(given: object, domain: Domain, unknowns: Sequence[str]) -> dict[str, object]:
    """What was given for every part: by its own name, by that of a group it belongs to, or by `*`."""
    table = dict(given.items()) if isinstance(given, Mapping) else {"*": given}
    names = {_plain(name): name for name in (*domain.parts, *domain.groups, "*")}
    found: dict[str, object] = {}
    said: dict[str, tuple[int, str]] = {}
    for key, condition in table.items():
        name = names.get(_plain(key))
        if name is None:
            raise _no_part(key, domain, unknowns)
        if isinstance(condition, str) and condition.strip() == PERIODIC:
            raise ProblemError(
                f"`boundary` calls {shown(key)} periodic; only a box has opposite faces that could be joined. Give a condition."
            )
        members = (name,) if name in domain.parts else domain.groups.get(name, ())
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
    for part in domain.parts:
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
    return {part: found[part] for part in domain.parts}


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
