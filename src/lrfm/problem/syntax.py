# SPDX-License-Identifier: MIT
"""From text to a syntax tree of bounded size, in three sieves: characters, words, Python's own `ast`.

Nothing is ever compiled or executed: `ast.parse` builds the tree, and only after the text has been found to
consist of names, numbers, brackets and arithmetic signs.
"""

from __future__ import annotations

import ast
import keyword
import re
import unicodedata
from itertools import pairwise
from threading import RLock

from lrfm.problem import habits
from lrfm.problem.errors import ProblemError, Spelled, entry, short, shown
from lrfm.problem.functions import TABLE
from lrfm.problem.names import DERIVATIVES, DIFFERENTIAL

MAX_CHARACTERS = 10_000
MAX_TOKENS = 2_000
MAX_DEPTH = 60
_ONE_TREE = RLock()

_SIGNS = frozenset("+-*/()., \t\r\n<>")
_DIGITS = frozenset("0123456789")
_OPERATORS = frozenset(("+", "-", "*", "/", "**", "//"))
_TOKEN = re.compile(r"(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[jJ]?|\w+|\*\*|//|\S")
_ADVICE: dict[str, str | Spelled] = {
    "^": "write powers with `**`",
    "\\": "this is LaTeX; write it plainly: `u_t` for `\\partial_t u`, `nu` for `\\nu`, `a/b` for `\\frac{a}{b}`",
    **dict.fromkeys(
        "'\"", "quotation marks have no meaning here; write derivatives as subscripts, such as `u_xx`"
    ),
    "|": "write `abs(u)` for the absolute value",
    **dict.fromkeys("[]{}", "group with round brackets `( )`"),
    "%": Spelled(
        "`%` has no derivative; give a NumPy function through `parameters` instead",
        "`%` has no derivative; this needs lrfm's Python interface",
    ),
    **dict.fromkeys("\u2212\u2013", "write the minus sign of the keyboard, `-`"),
    **dict.fromkeys("\u00d7\u00b7\u22c5", "write products with `*`"),
    "\u00b2": "write powers with `**`: `u**2`",
    "\u00b3": "write powers with `**`: `u**3`",
    "\u2202": "write derivatives as subscripts, such as `u_t`",
    "\u2207": "write derivatives as subscripts, such as `u_x`, or `lap(u)`",
    "\u2206": "write the Laplacian as `lap(u)`",
    "\u221a": "write `sqrt(u)`",
    "#": "remarks do not belong in a formula",
    "=": "here only one side of an equation is expected",
}


def split_equation(text: str, what: str, example: str = "u_t = u_xx") -> tuple[str, str]:
    """Split ``lhs = rhs`` at its one equals sign."""
    check_text(text, what, example)
    found = re.search(r"[<>!=:]=" if "where" in text else r"[<>!=:]=|[<>]", text)
    if found and found[0] in "<>" and "<-" not in text and text.count("=") == 1:
        raise ProblemError(
            f"{what}, `{short(text)}`, contains a comparison; compare inside of `where`, such as `where(x < 0.5, 1, 0)`."
        ).at(text, *found.span())
    if found:
        raise ProblemError(
            f"{what}, `{short(text)}`, contains `{found[0]}`; an equation has one plain `=`, such as "
            f"`{example}`."
        )
    written = leibniz(text)
    if written:
        raise ProblemError(
            f"{what}, `{short(text)}`, writes derivatives as quotients; write them as subscripts: `{short(written)}`."
        )
    if habits.is_weak(text):
        raise ProblemError(
            f"{what}, `{short(text)}`, is a weak form, with test functions under integrals; write the equation itself, such as "
            "`u_t = lap(u) + f`."
        )
    sides = text.split("=")
    if len(sides) != 2:
        raise _not_two(text, len(sides) - 1, what, example)
    for side, name in zip(sides, ("left", "right"), strict=True):
        if not side.strip():
            raise ProblemError(
                f"{what}, `{short(text)}`, has nothing on its {name} side; expected `lhs = rhs`, such as "
                f"`{example}`."
            )
    return sides[0], sides[1]


def _not_two(text: str, signs: int, what: str, example: str) -> ProblemError:
    """What is said of a text that is no equation with two sides."""
    count = "no `=`" if signs == 0 else f"{signs} signs `=`"
    said = f"{what}, `{short(text)}`, has {count}; "
    meant = habits.statement_meant(text, "_t" in example) if signs == 0 else None
    if meant:
        return ProblemError(f"{said}write `{short(meant)}`.")
    several = habits.several_meant(text)
    if several:
        quoted = ", ".join(f'"{short(part)}"' for part in several)
        return ProblemError(f"{said}give several in a list: `[{quoted}]`.")
    placed = re.split(r"\s+(?:at|on|for|when|@)\s+", text, maxsplit=1)
    if len(placed) == 2 and placed[0].count("=") == 1:
        return ProblemError(
            f"{said}the place of a condition is its key in `boundary`: ", entry("x-", placed[0].strip()), "."
        )
    return ProblemError(f"{said}expected `lhs = rhs`, such as `{example}`.")


def check_text(text: object, what: str, example: str = "u_t = u_xx") -> None:
    """Refuse what is not text, or too much of it."""
    if not isinstance(text, str):
        raise ProblemError(
            f"{what} was given as {shown(text)} of type {type(text).__name__}; expected text such as "
            f"`{example}`."
        )
    if len(text) > MAX_CHARACTERS:
        raise ProblemError(
            f"{what} has {len(text):,} characters; the limit is {MAX_CHARACTERS:,}. Move long data into a "
            "NumPy function given through `parameters`."
        )


def tree_of(text: str) -> ast.expr:
    """The tree of an expression, made by one thread at a time.

    CPython 3.11 counts the depth of all trees under construction together: where a collection of garbage lets another thread make one in between, it raises SystemError (python/cpython#106905).
    """
    with _ONE_TREE:
        return ast.parse(text, mode="eval").body


def parse(text: str, what: str, sides: bool = False) -> ast.expr:
    """Parse one formula into a syntax tree of bounded size and depth; with `sides`, names may have one: ``u.core``."""
    check_text(text, what, "sin(pi*x)")
    if not text.strip():
        raise ProblemError(f"{what} is empty; expected a formula such as `sin(pi*x)`.")
    _check_characters(text, what)
    _check_brackets(text, what)
    tokens = _TOKEN.findall(text)
    _check_tokens(_joined(tokens) if sides else tokens, text, what)
    try:
        line = " ".join(text.split())
        tree = tree_of(line)
        tree.text = line  # type: ignore[attr-defined]  (where in it a mistake is)
        return tree
    except (RecursionError, MemoryError):
        raise ProblemError(_too_deep(text, what)) from None
    except (SyntaxError, ValueError):
        raise ProblemError(
            f"{what}, `{short(text)}`, cannot be read as a formula{_missing_operand(tokens)}. A formula is "
            "made of numbers, names, functions and the signs `+ - * / **`."
        ) from None


def _check_characters(text: str, what: str) -> None:
    for place, character in enumerate(text):
        if not (character in _SIGNS or character in _DIGITS or character == "_" or character.isalpha()):
            advice = habits.character_meant(text, place) or _ADVICE.get(character) or _plain(character)
            raise ProblemError(
                f"{what}, `{short(text)}`, contains the character {_visible(character)}; ", advice, "."
            ).at(text, place, place + 1)


def _plain(character: str) -> str:
    """What to write for a digit or a sign of another alphabet or width."""
    meant = unicodedata.normalize("NFKC", str(unicodedata.digit(character, character)))
    if meant in _DIGITS or meant in _SIGNS:
        return f"it is {unicodedata.name(character, 'another character')}; write `{meant}`"
    return "a formula has letters, digits, `_`, brackets and `+ - * / **`"


def _visible(character: str) -> str:
    visible = character.isprintable() and not character.isspace() and not unicodedata.combining(character)
    return f"`{character}`" if visible else f"U+{ord(character):04X}"


def _check_brackets(text: str, what: str) -> None:
    depth = 0
    for character in text:
        depth += (character == "(") - (character == ")")
        if depth > MAX_DEPTH:
            raise ProblemError(_too_deep(text, what))
        if depth < 0:
            raise ProblemError(
                f"{what}, `{short(text)}`, closes a bracket that was never opened; remove a `)` or add a `(`."
            )
    if depth:
        raise ProblemError(f"{what}, `{short(text)}`, leaves a bracket open; add the missing `)`.")


def _too_deep(text: str, what: str) -> str:
    return f"{what}, `{short(text)}`, is nested too deeply; the limit is {MAX_DEPTH} levels. Split it up."


def _joined(tokens: list[str]) -> list[str]:
    """Names with their sides, ``u . core``, as one word."""
    found: list[str] = []
    for token in tokens:
        after = len(found) > 1 and found[-1] == "." and found[-2].isidentifier() and token.isidentifier()
        if after:
            found[-2:] = [found[-2] + token]
        else:
            found.append(token)
    return found


def _check_tokens(tokens: list[str], text: str, what: str) -> None:
    """Refuse too many words, Python keywords, dots outside of numbers, and products without a sign."""
    if len(tokens) > MAX_TOKENS:
        raise ProblemError(
            f"{what} has {len(tokens):,} parts (names, numbers, signs); the limit is {MAX_TOKENS:,}. Move "
            "long data into a NumPy function given through `parameters`."
        )
    for token in tokens:
        if token == ".":
            file = habits.file_meant(text)
            if file:
                raise ProblemError(
                    f"{what}, `{short(file)}`, is the name of a file; write ",
                    Spelled(f'`{{"file": "{short(file)}"}}`', f'`{{file = "{short(file)}"}}`'),
                    ".",
                )
            advice = habits.dot_meant(text) or "use the plain name of a function, such as `sin(x)`"
            raise ProblemError(
                f"{what}, `{short(text)}`, contains a dot that is not part of a number; {advice}."
            )
        if keyword.iskeyword(token):
            advice = habits.word_meant(token)
            raise ProblemError(
                f"{what}, `{short(text)}`, contains `{token}`; {advice}."
                if advice
                else f"{what}, `{short(text)}`, contains `{token}`, which is a Python keyword and cannot be a "
                "name; rename it, or give what it computes as a NumPy function through `parameters`."
            )
    for left, right in pairwise(tokens):
        ends = left == ")" or _is_operand(left)
        begins = right == "(" or _is_operand(right)
        call = right == "(" and (left[0].isalpha() or left[0] == "_")
        if ends and begins and not call:
            imaginary = right in ("i", "I") and left[0].isdigit()
            advice = f"write `{left}j` for an imaginary number" if imaginary else "write products with `*`"
            if left == ")" and right.startswith("_"):
                advice = (
                    f"write the derivative of a formula as `diff(..., {', '.join(right.strip('_')) or 'x'})`"
                )
            if left in TABLE and right != "(":
                advice = f"write the argument of a function in brackets: `{left}({short(right)})`"
            raise ProblemError(
                f"{what}, `{short(text)}`, lacks a sign between `{short(left)}` and `{short(right)}`; {advice}."
            )


def _missing_operand(tokens: list[str]) -> str:
    """The place of a likely mistake: a sign without an operand."""
    for left, right in pairwise([*tokens, "the end"]):
        if left in _OPERATORS and (right in (")", ",", "the end") or right in _OPERATORS - {"+", "-"}):
            place = right if right == "the end" else f"`{right}`"
            return f": something is missing between `{left}` and {place}"
    return ""


def _is_operand(token: str) -> bool:
    return token[0].isalnum() or token[0] == "_" or (token[0] == "." and len(token) > 1)


def spanned(text: str, node: ast.AST) -> tuple[int, int]:
    """Where a part of a tree stands in its text; Python counts bytes."""
    raw = text.encode()
    ends = getattr(node, "col_offset", 0), getattr(node, "end_col_offset", None) or len(raw)
    first, last = (len(raw[:end].decode(errors="ignore")) for end in ends)
    return first, last


def leibniz(text: str) -> str | None:
    """The same equation with subscripts in the place of quotients of differentials; None where there are none.

    >>> leibniz("du/dt = D*d2u/dx2 - d^2u/dxdy")
    'u_t = D*u_xx - u_xy'
    """
    d = "[d\u2202]"
    power = r"(?:\^|\*\*)?"
    below = rf"(?:\s?{d}[a-z](?:{power}\d)?)+"
    quotient = re.compile(rf"(?<!\w){d}{power}(\d?)\s?([a-zA-Z]\w*?)\s*/\s*({below})(?!\w)")

    def subscripts(match: re.Match[str]) -> str:
        letters = re.findall(rf"{d}([a-z]){power}(\d?)", match[3])
        return f"{match[2]}_{''.join(letter * int(count or 1) for letter, count in letters)}"

    plain = text.translate({0xB2: "2", 0xB3: "3"})
    written = quotient.sub(subscripts, plain)
    return None if written == plain else " ".join(written.split())


def past_variable(node: ast.Call) -> str:
    """The s of ``integral(K(t - s)*u(s), s)``, with ends or without: a name that functions are called with; empty where there is none."""
    over = node.args[1].id if len(node.args) in (2, 4) and isinstance(node.args[1], ast.Name) else ""
    inner = (n for n in ast.walk(node.args[0]) if isinstance(n, ast.Call)) if over else ()
    called = (a.id for n in inner for a in n.args if isinstance(a, ast.Name))
    return over if over in called else ""


def names_in(tree: ast.expr) -> list[str]:
    """Names used in a formula in the order of the text, other than those of functions and of times in the past."""
    calls = [n for n in ast.walk(tree) if isinstance(n, ast.Call)]
    called = {n.func for n in calls}
    integrals = [n for n in calls if isinstance(n.func, ast.Name) and n.func.id == "integral"]
    past = {past_variable(n) for n in integrals} - {""}
    found = [n for n in ast.walk(tree) if isinstance(n, ast.Name) and n not in called and n.id not in past]
    return list(dict.fromkeys(n.id for n in sorted(found, key=lambda n: n.col_offset)))


def differentiated_names(tree: ast.expr) -> set[str]:
    """Plain names inside ``lap(...)``, ``grad(...)``, ``div(...)``, ``curl(...)``, or in the first argument of ``diff(...)``."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in DERIVATIVES:
            found.update(*(names_in(argument) for argument in node.args[:1]))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in DIFFERENTIAL:
            found.update(*(names_in(argument) for argument in node.args))
    return found
