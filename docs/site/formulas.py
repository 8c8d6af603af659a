# SPDX-License-Identifier: MIT
"""$…$ and $$…$$ become MathML, which browsers draw by themselves: no script, no fonts from elsewhere.

A hook of the documentation site. What stands between back quotes or in fenced blocks is left alone. Formulas pass through Markdown as
letters and digits, so that it finds no emphasis, cell or tag in them.
"""

import re

from latex2mathml.converter import convert

CODE = re.compile(r"(^```.*?^```|^~~~.*?^~~~|`[^`\n]+`)", re.MULTILINE | re.DOTALL)
DISPLAY = re.compile(r"\$\$(.+?)\$\$", re.DOTALL)
INLINE = re.compile(r"(?<![\\$\w])\$(?=\S)([^$\n]+?)(?<=\S)\$(?![\w$])")
BLOCK = re.compile(r"<p>formulablockx([0-9a-f]+)x</p>|formulablockx([0-9a-f]+)x")
WITHIN = re.compile(r"formulainlinex([0-9a-f]+)x([.,;:)]*)")

# What the converter writes that browsers would set with wrong margins.
REPAIRS = {
    "<mi>&#x000B1;</mi>": "<mo>&#x000B1;</mo>",  # plus or minus is a sign
    "<mi>&#x0007E;</mi>": "<mo>&#x0223C;</mo>",  # so is "drawn from"
    "<mo>&#x02202;</mo>": "<mi>&#x02202;</mi>",  # the d of a derivative is a letter
    "<mo>&#x0002F;</mo>": '<mo lspace="0" rspace="0">&#x0002F;</mo>',
    "<mo>&#x02016;</mo>": '<mo stretchy="false">&#x02016;</mo>',  # a bar of a norm is as high as a bracket
    "<mi>&#x02032;</mi>": '<mo class="prime">&#x02032;</mo>',
    "<mi>&#x02033;</mi>": '<mo class="prime">&#x02033;</mo>',
    '<mo stretchy="false">&#x0007E;</mo>': '<mo stretchy="false">&#x002DC;</mo>',  # a tilde above a letter
    "<mi>&#x0007B;</mi>": '<mo form="prefix" stretchy="false">&#x0007B;</mo>',
    "<mi>&#x0007D;</mi>": '<mo form="postfix" stretchy="false">&#x0007D;</mo>',
}
# A minus after a sign or an opening bracket belongs to what follows.
MINUS = re.compile(
    r'(<mo(?![^>]*"postfix")[^>]*>(?!&#x00029;|\]|&#x0007D;|&#x02016;)[^<]+</mo>)<mo>&#x02212;</mo>'
)
# Names of functions are signs without margins of their own.
FUNCTION = re.compile(
    r"(?P<factor></m(?!o)\w+>|&#x00029;</mo>)?(?P<index>(?:<m(?:sup|sub|under)>)?)"
    r"<m(?P<kind>[io])[^>]*>(?P<name>[A-Za-z]{2,})</m(?P=kind)>"
    r"(?P<bracket>(?:<mrow>)?<mo[^>]*>&#x00028;)?"
)
THIN = "0.17em"


def on_page_markdown(markdown: str, **_: object) -> str:
    """Seal every formula that is not in code."""
    parts = CODE.split(markdown)
    return "".join(part if CODE.fullmatch(part) else sealed(part) for part in parts)


def on_page_content(html: str, **_: object) -> str:
    """Open the seals: a displayed formula is a block of its own, the others stay with the punctuation after them."""
    html = BLOCK.sub(
        lambda found: f"<div class='formula'>{_opened(found[1] or found[2], 'block')}</div>", html
    )
    return WITHIN.sub(
        lambda found: f"<span class='within'>{_opened(found[1], 'inline')}{found[2]}</span>", html
    )


def sealed(text: str) -> str:
    """TeX to words that Markdown leaves as they are."""
    text = DISPLAY.sub(lambda found: _seal(found[1], "block"), text)
    return INLINE.sub(lambda found: _seal(found[1], "inline"), text)


def mathml(tex: str, display: str = "inline") -> str:
    """TeX to MathML."""
    math = convert(tex.strip(), display=display)
    for written, meant in REPAIRS.items():
        math = math.replace(written, meant)
    math = MINUS.sub(r'\1<mo form="prefix">&#x02212;</mo>', math)
    return FUNCTION.sub(_function, math)


def _seal(tex: str, display: str) -> str:
    return f"formula{display}x{tex.encode().hex()}x"


def _opened(code: str, display: str) -> str:
    return mathml(bytes.fromhex(code).decode(), display)


def _function(found: re.Match[str]) -> str:
    """A thin space before a name that follows a factor, and one after it where no bracket stands."""
    part = found.groupdict(default="")
    left, right = THIN if part["factor"] else "0", "0" if part["bracket"] else THIN
    sign = f'<mo lspace="{left}" rspace="{right}">{part["name"]}</mo>'
    return f"{part['factor']}{part['index']}{sign}{part['bracket']}"
