# SPDX-License-Identifier: MIT
"""Names in a file: those that exist are taken, any other is refused with the nearest one that does."""

from collections.abc import Iterable, Mapping

from lrfm.problem import ProblemError
from lrfm.problem.errors import listing, suggest


def refuse_unknown(given: Iterable[str], valid: Iterable[str], place: str) -> None:
    """Refuse the first name that is not valid; `place` is where it stands, such as ``[solve]``."""
    valid = list(valid)
    for name in given:
        if name not in valid:
            plain = name.lower()
            begins = [other for other in valid if plain.startswith(other) or other.startswith(plain)]
            near = suggest(plain, valid) or (f" Did you mean `{begins[0]}`?" if begins else "")
            raise ProblemError(f"{place} has no `{name}`; it takes {listing(valid)}.{near}")


def table(value: object, place: str, example: str) -> Mapping[str, object]:
    """The value if it is a table."""
    if not isinstance(value, Mapping):
        raise ProblemError(f"{place} was given as {value!r}; expected a table, for example {example}.")
    return value


def choose(value: object, valid: Iterable[str], what: str) -> str:
    """One of a few words; case, dashes and underscores do not matter."""
    words = {_plain(word): word for word in valid}
    chosen = words.get(_plain(value)) if isinstance(value, str) else None
    if chosen is None:
        near = suggest(_plain(value), words) if isinstance(value, str) else ""
        for plain, word in words.items():
            near = near.replace(f"`{plain}`", f"`{word}`")
        raise ProblemError(f"{what} is {value!r}; expected one of {listing(words.values())}.{near}")
    return chosen


def _plain(word: str) -> str:
    return word.strip().lower().replace("-", "").replace("_", "")
