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
    (r"two numbers \(lower, upper\)", "two numbers [lower, upper]"),
    (r"give a dictionary with the keys", "give a table [initial] with the keys"),
    (r"a dictionary \{'u': value or function\}", 'a table such as { u = "sin(t)" }'),
    (r"`\{'u': value\}`", "`{ u = 0 }`"),
    (r"expected text, a (finite )?number or a NumPy function", r"expected text or a \1number"),
    (
        r"expected a number or a NumPy function of the coordinates [^.]*\.",
        "expected a number or text such as 0.01/pi.",
    ),
    (
        r"give a NumPy function through `parameters` instead",
        "functions like this one need lrfm's Python interface",
    ),
    (r"Constants and given functions go into `parameters`", "Constants go into [parameters]"),
    (r"belongs into `parameters`", "belongs into [parameters]"),
)


def in_toml(message: str) -> str:
    """The message with Python's spelling of data replaced by TOML's."""
    for pattern, replacement in _SPELLINGS:
        message = re.sub(pattern, replacement, message)
    return message
