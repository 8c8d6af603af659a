# SPDX-License-Identifier: MIT
"""$…$ and $$…$$ become MathML, which browsers draw by themselves: no script, no fonts from elsewhere.

A hook of the documentation site. What stands between back quotes or in fenced blocks is left alone.
"""

import re

from latex2mathml.converter import convert

CODE = re.compile(r"(^```.*?^```|^~~~.*?^~~~|`[^`\n]+`)", re.MULTILINE | re.DOTALL)
DISPLAY = re.compile(r"\$\$(.+?)\$\$", re.DOTALL)
INLINE = re.compile(r"(?<![\\$\w])\$(?=\S)([^$\n]+?)(?<=\S)\$(?![\w$])")


def on_page_markdown(markdown: str, **_: object) -> str:
    """Every part of a page that is not code."""
    parts = CODE.split(markdown)
    return "".join(part if CODE.fullmatch(part) else typeset(part) for part in parts)


def typeset(text: str) -> str:
    """TeX to MathML."""
    text = DISPLAY.sub(
        lambda found: f"\n<div class='formula'>{convert(found[1].strip(), display='block')}</div>\n", text
    )
    return INLINE.sub(lambda found: convert(found[1]), text)
