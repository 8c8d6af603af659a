# SPDX-License-Identifier: MIT
"""What is printed: tables on a terminal, aligned text elsewhere, one JSON object when asked for.

Results go to stdout; errors, notes and progress to stderr. Texts may come from files, so control characters are escaped here.
"""

from __future__ import annotations

import json
import math
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

WIDTH = 80  # of plain text


def console(stderr: bool = False) -> Console:
    """The terminal behind stdout or stderr, as it is now."""
    from rich.console import Console

    return Console(stderr=stderr, highlight=False)


def printable(text: str) -> str:
    """The text without control characters."""
    if text.isprintable():
        return text
    from lrfm.problem import errors  # loads NumPy, for which `--help` should not wait

    return errors.printable(text)


def pairs(entries: Iterable[tuple[str, str]], title: str = "", status: str = "") -> None:
    """Names and values: a table on a terminal, aligned text elsewhere; long values are wrapped. `status` is the style of one."""
    entries, title = [(printable(name), printable(value)) for name, value in entries], printable(title)
    out = console()
    if not out.is_terminal:
        print("\n".join(aligned(entries)))
        return
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(title=Text(title, style="bold") if title else None, box=box.ROUNDED, show_header=False)
    table.add_column(style="cyan", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in entries:
        table.add_row(name, Text(value, style={"status": status, "warning": "yellow"}.get(name, "")))
    out.print(table)


def aligned(entries: Sequence[tuple[str, str]]) -> list[str]:
    """Lines of at most 80 characters: names in one column, values, wrapped, in the other."""
    width = max((len(name) for name, _ in entries), default=0) + 2
    lines = []
    for name, value in entries:
        wrapped = textwrap.wrap(value, WIDTH - width, break_on_hyphens=False) or [""]
        lines += [f"{name if i == 0 else '':<{width}}{part}".rstrip() for i, part in enumerate(wrapped)]
    return lines


def columns(header: Sequence[str], rows: Iterable[Sequence[str]], right: bool = False) -> None:
    """A table with a header on a terminal; bare columns elsewhere, for other programs to read."""
    rows = [[printable(cell) for cell in row] for row in rows]
    out = console()
    if not out.is_terminal:
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        pad = str.rjust if right else str.ljust
        for row in rows:
            print("  ".join(pad(cell, width) for cell, width in zip(row, widths, strict=True)).rstrip())
        return
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for i, name in enumerate(header):
        style = "cyan" if i == 0 and not right else ""
        table.add_column(Text(name), justify="right" if right else "left", no_wrap=i == 0, style=style)
    for row in rows:
        table.add_row(*map(Text, row))
    out.print(table)


def line(text: str) -> None:
    """One line of a result."""
    console().print(printable(text), markup=False, soft_wrap=True)


def note(text: str) -> None:
    """A remark beside the result, on stderr, for people only."""
    out = console(stderr=True)
    if out.is_terminal:
        out.print(printable(text), markup=False, style="dim")


def error(text: str, heading: str = "Error: ", place: Any = None) -> None:
    """A sentence on stderr; wrapped on a terminal only, so that it can be searched elsewhere.

    On a terminal the `place` of the mistake is underlined in its text, as far as that fits.
    """
    from rich.text import Text

    out = console(stderr=True)
    out.print(Text.assemble((heading, "bold red"), printable(text)), soft_wrap=not out.is_terminal)
    if place is not None and out.is_terminal and place.text.isprintable():
        first = max(0, place.start - (out.width - 4) // 2)
        shown, start = place.text[first : first + out.width - 4], place.start - first
        marks = "^" * max(1, min(place.end, first + len(shown)) - place.start)
        out.print(Text(f"  {shown}"), no_wrap=True)
        out.print(Text(f"  {' ' * start}{marks}", style="bold red"), no_wrap=True)


def as_json(content: Mapping[str, object]) -> None:
    """One object on stdout; numbers that JSON lacks (nan, inf) become null, complex ones {re, im}."""
    text = json.dumps(plain(content), ensure_ascii=False, indent=2, allow_nan=False)
    # Between texts JSON has spaces and new lines only; inside, control characters beyond the first 32 come as they are.
    print("".join(c if c.isprintable() or c == "\n" else json.dumps(c)[1:-1] for c in text))


def plain(value: object) -> object:
    """The value in terms of JSON."""
    if isinstance(value, Mapping):
        return {str(name): plain(item) for name, item in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        return {item.name: plain(getattr(value, item.name)) for item in fields(value)}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    value = getattr(value, "item", lambda: value)()  # a NumPy scalar becomes a Python number
    if isinstance(value, complex):
        return {"re": plain(value.real), "im": plain(value.imag)}
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, str | int) else str(value)


def number(value: float | complex) -> str:
    """Twelve digits; 0.3, not 0.30000000000000004."""
    if isinstance(value, complex):
        return f"{value.real:.12g}{value.imag:+.12g}j"
    return f"{value:.12g}"
