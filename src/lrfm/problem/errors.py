# SPDX-License-Identifier: MIT
"""What is said when a statement is wrong: what was given, what was expected, what to do."""

from __future__ import annotations

import difflib
import traceback
import unicodedata
from collections.abc import Iterable
from itertools import dropwhile, takewhile
from pathlib import Path
from typing import NamedTuple

SAME_LOOK = str.maketrans(
    "авеіјкмнорѕтухѵԁԛԝАВЕЅІЈКМНОРСТУХοανυρΑΒΕΖΗΙΚΜΝΟΡΤΥΧсս",
    "abeijkmhopstyxvdqwABESIJKMHOPCTYXoavupABEZHIKMNOPTYXcu",
)
GREEK = "ανυρ"  # of these, letters that mathematics uses beside the Latin ones
MAX_SHOWN = 60  # characters of a user's text repeated in a message
MAX_SENTENCE = 600  # characters of a sentence made elsewhere
MAX_LISTED = 40  # names
MAX_COMPARED = 40  # characters of a name for which a similar one is sought


class Spelled(NamedTuple):
    """One thing as Python and as a TOML file write it."""

    python: str
    toml: str


class Place(NamedTuple):
    """A part of a text, from `start` to `end`."""

    text: str
    start: int
    end: int


NONE = Spelled("None", '"none"')


def entry(key: str, value: str | None) -> Spelled:
    """One line of a table: ``'x-': 'u = 0'``, and ``"x-" = "u = 0"`` in a file."""
    toml = NONE.toml if value is None else f'"{value}"'
    return Spelled(f"`'{key}': {value!r}`", f'`"{key}" = {toml}`')


PACKAGE = str(Path(__file__).parents[1])


class Brief:
    """A base of exceptions that say what is wrong in a sentence: a notebook shows the user's own lines above it, and none of the package.

    IPython asks them for their traceback (`_render_traceback_`); elsewhere it is Python's.
    """

    def _render_traceback_(self) -> list[str]:
        assert isinstance(self, BaseException)
        if self.__cause__ is not None:  # a function of the user failed: where, is the answer
            return traceback.format_exception(self)
        frames = traceback.extract_tb(self.__traceback__)
        frames = list(dropwhile(lambda frame: _runs_cells(frame.filename), frames))
        own = list(takewhile(lambda frame: not frame.filename.startswith(PACKAGE), frames)) or frames[:1]
        lines = "".join(traceback.format_list(own)).splitlines()
        return [*lines, "", f"{type(self).__name__}: {self}"]


def _runs_cells(file: str) -> bool:
    """Whether a file belongs to the program that runs cells."""
    return not {"IPython", "ipykernel"}.isdisjoint(Path(file).parts)


class ProblemError(Brief, ValueError):
    """The statement of a problem is wrong; raised before any number is computed.

    Parameters
    ----------
    *parts
        The sentence; what Python and a TOML file write differently is a part of its own.

    Examples
    --------
    >>> from lrfm import Box
    >>> Box(x=(1, 0))
    Traceback (most recent call last):
        ...
    lrfm.problem.errors.ProblemError: The axis `x` runs from 1 to 0; the lower end must come first and be smaller.
    """

    def __init__(self, *parts: str | Spelled):
        super().__init__(*parts)
        self.parts = parts
        self.place: Place | None = None  # what it is about, where that is known

    @property
    def column(self) -> int | None:
        """Where in its text the mistake is, counted from 1; None where it has no place."""
        return None if self.place is None else self.place.start + 1

    def at(self, text: str, start: int, end: int) -> ProblemError:
        """The same with a place, unless it has one that is nearer to the mistake."""
        self.place = self.place or Place(text, start, max(end, start + 1))
        return self

    def __str__(self) -> str:
        return "".join(part if isinstance(part, str) else part.python for part in self.parts)

    def in_file(self, source: str) -> ProblemError:
        """The same for the reader of a TOML file: its name first, data spelled as it spells them."""
        other = ProblemError(f"{source}: {self.in_toml}")
        other.place = self.place
        return other

    @property
    def in_toml(self) -> str:
        """The sentence for the reader of a TOML file, as those of the command line are."""
        return "".join(part if isinstance(part, str) else part.toml for part in self.parts)


class MissingLibraryError(ImportError):
    """Something of an extra was asked for that is not installed."""


PICTURES = {
    "matplotlib": "matplotlib",
    "PIL": "Pillow",
}  # what is loaded when something is drawn, as it is called


def not_installed(error: ImportError) -> MissingLibraryError | None:
    """The sentence where a library that draws is missing; None for others."""
    module = (error.name or "").partition(".")[0]
    return no_pictures(module) if module in PICTURES else None


def no_pictures(module: str = "matplotlib") -> MissingLibraryError:
    """The sentence of a picture without the library that draws it."""
    return MissingLibraryError(
        f'Pictures need {PICTURES[module]}, which is not installed; install it with: pip install "lrfm[plot]"'
    )


def look_alike(name: str, valid: Iterable[str], greek: bool = True) -> str:
    """A sentence where a name looks like a valid one and is another: letters of different alphabets, small Greek ones where wanted."""
    for other in valid:
        if (
            other != name
            and len(other) == len(name)
            and name.translate(SAME_LOOK) == other.translate(SAME_LOOK)
        ):
            odd = next(a if not a.isascii() else b for a, b in zip(name, other, strict=True) if a != b)
            if greek or odd not in GREEK:
                spelled = unicodedata.name(odd, "another letter")
                return f" `{name}` only looks like `{other}`: `{odd}` is {spelled}."
    return ""


def suggest(name: str, valid: Iterable[str]) -> str:
    """Return `` Did you mean `x`?`` for the nearest valid name, or nothing when none is near."""
    if len(name) > MAX_COMPARED:
        return ""
    valid = list(valid)
    alike = look_alike(name, valid)
    if alike:
        return alike
    near = [v for v in valid if v.lower() == name.lower()] or difflib.get_close_matches(
        name, [v for v in valid if len(v) <= MAX_COMPARED], n=1, cutoff=0.6
    )
    return f" Did you mean `{near[0]}`?" if near else ""


def listing(names: Iterable[str], empty: str = "none") -> str:
    """Join names for a sentence: `` `a`, `b` ``, or the word for an empty list."""
    quoted = [f"`{short(n)}`" for n in names]
    if len(quoted) > MAX_LISTED:
        quoted = [*quoted[:MAX_LISTED], f"… ({len(quoted)} in all)"]
    return ", ".join(quoted) if quoted else empty


def counted(number: int, noun: str) -> str:
    """``1 equation``, ``2 equations``."""
    return f"{number} {noun}" + ("" if number == 1 else "s")


def short(text: str) -> str:
    """A user's text in one printable line of bounded length."""
    head = " ".join(text[: 4 * MAX_SHOWN].split())
    head = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in head)
    return head if len(head) <= MAX_SHOWN and len(text) <= 4 * MAX_SHOWN else head[: MAX_SHOWN - 3] + "..."


def printable(text: str) -> str:
    r"""A text without control characters, which could take hold of a terminal: they are written as escapes.

    >>> print(printable("u = 0\x1b[2J"))
    u = 0\x1b[2J
    """
    if text.isprintable():
        return text
    return "".join(
        c if c.isprintable() or c in "\n\t" or unicodedata.category(c) == "Zs" else ascii(c)[1:-1]
        for c in text
    )


def clipped(text: str) -> str:
    """The beginning of a sentence that repeats something long."""
    return text if len(text) <= MAX_SENTENCE else text[: MAX_SENTENCE - 3] + "..."


def shown(given: object) -> str:
    """Anything a user gave, as Python writes it, in one printable line of bounded length."""
    try:
        return short(repr(given))
    except Exception:  # a broken __repr__ must not hide what is wrong with the statement
        return f"an object of type {type(given).__name__}"
