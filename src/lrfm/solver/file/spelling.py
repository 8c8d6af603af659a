# SPDX-License-Identifier: MIT
"""Messages of `problem/` speak Python; the reader of a file is told the same in TOML."""

import re

_SPELLINGS = (
    (r"`'([^`']+)': '([^`']*)'`", r'`"\1" = "\2"`'),
    (r"`'([^`']+)': None`", r'`"\1" = "none"`'),
    (r"\bnor None\b", 'nor "none"'),
    (r", or None\.", ', or "none".'),
    (r"`check_corners=False`", "`check_corners = false`"),
    (r"`unknowns=\{'(\w+)': complex\}`", r'`\1 = "complex"` in [unknowns]'),
    (r"\(lower, upper\)(, such as \(0, 1\))?", "[lower, upper]"),
    (r"\{'(\w+)': value or function\}", r'{ \1 = "sin(t)" }'),
    (r"\{'(\w+)': value\}", r"{ \1 = 0 }"),
    (r"dictionary with the keys", "table [initial] with the keys"),
    (r"\bdictionary\b", "table"),
    (
        r"(a )?text, a (finite )?number or a NumPy function( of the coordinates?[^.;]*)?",
        r"text or a \2number",
    ),
    (r"a number or a NumPy function of the [^.;]*", "a number or a text such as 0.01/pi"),
    (r"give a NumPy function through `parameters` instead", "this needs lrfm's Python interface"),
    (r"Constants and given functions go into `parameters`", "Constants go into [parameters]"),
    (r"into `parameters`", "into [parameters]"),
)


def in_toml(message: str) -> str:
    """The message with Python's spelling of data replaced by TOML's."""
    for pattern, replacement in _SPELLINGS:
        message = re.sub(pattern, replacement, message)
    return message
