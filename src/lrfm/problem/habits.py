# SPDX-License-Identifier: MIT
"""What people write who come from other programs or from paper, and what stands for it here.

Each function returns the advice of a sentence, or None where nothing is known; nobody here decides whether a text is right.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from lrfm.problem import functions

_SAME = {  # functions by formulas of ours; {0} is the first argument
    **dict.fromkeys(("pow", "power"), "{0}**{1}"),
    **dict.fromkeys(("sqr", "square"), "{0}**2"),
    **dict.fromkeys(("step", "theta", "unitstep", "unit_step", "hside"), "heaviside({0})"),
    **dict.fromkeys(("bilaplace", "bilaplacian", "biharmonic"), "lap(lap({0}))"),
    **dict.fromkeys(("gaussian", "gauss", "bell"), "exp(-{0}**2)"),
    **dict.fromkeys(("fabs", "absolute", "norm"), "abs({0})"),
    **{"cbrt": "{0}**(1/3)", "exp2": "2**{0}", "log10": "log({0})/log(10)", "log2": "log({0})/log(2)"},
    **{"cot": "1/tan({0})", "sec": "1/cos({0})", "csc": "1/sin({0})", "coth": "1/tanh({0})"},
    **{"csch": "1/sinh({0})", "sinc": "sin({0})/{0}", "cosec": "1/sin({0})", "relu": "max({0}, 0)"},
}
_CHOICE = "where(x < 0.5, 1, 0)"
_DERIVATIVES = ("ddt", "d_dt", "d_dx", "d2_dx2", "partial", "derivative", "d", "jacobian", "hessian", "pd")
_ROUGH = ("mod", "fmod", "floor", "ceil", "round", "sawtooth", "atan2", "arctan2")
_RANDOM = ("random", "rand", "randn", "noise", "white_noise")
RANDOM = "Draw random data once with NumPy, and give them with their places: `lrfm.Table(values, x=places)`."


def function_meant(
    name: str, arguments: Sequence[str], unknowns: Sequence[str], axes: Sequence[str]
) -> str | None:
    """What to write for a function or an operator of other programs."""
    unknown, lower = next(iter(unknowns), "u"), name.lower()
    first = arguments[0] if arguments else unknown
    if lower in ("dirac", "diracdelta", "dirac_delta") or (lower == "delta" and first not in unknowns):
        return f"No function is that sharp; write a narrow bell: `exp(-({_operand(first)}/w)**2)/(w*sqrt(pi))` with a small `w`."
    if lower in ("laplace", "laplacian", "delta", "nabla2"):
        return f"Write the Laplacian as `lap({unknown})`."
    if lower in ("divergence", "gradient", "nabla", "rot", "rotor"):
        return f"Write `grad({unknown})`, `div(k*grad({unknown}))`, `curl((u, v))`, `lap({unknown})` for div(grad({unknown})), and `{unknown}_{axes[0] if axes else 'x'}` for a part of the gradient."
    if lower in ("gradient_squared", "inner", "grad2"):
        squares = " + ".join(f"{unknown}_{a}**2" for a in axes or "x")
        return f"Write products of vectors with `dot(a, b)` or by their parts, such as `{squares}` for |grad({unknown})|²."
    if lower in ("piecewise", "ifelse", "iff", "select", "cond", "conditional"):
        return f"Write `{_CHOICE}`; several pieces stand inside of each other."
    if lower in _RANDOM:
        return RANDOM
    if lower in _ROUGH:
        return "It has no formula with derivatives here; give a NumPy function of the coordinates through `parameters`."
    if lower in _SAME and arguments:
        written = _SAME[lower].format(*map(_operand, arguments), "2")
        plain = re.sub(r"\((\([^()]*\))\)", r"\1", written)  # one bracket is enough
        return f"Write `{plain}`."
    return _derivative_meant(name, first, unknowns, axes)


def _derivative_meant(name: str, first: str, unknowns: Sequence[str], axes: Sequence[str]) -> str | None:
    """``d_xx(u)``, ``Dx(u)``, ``derivative(u, x)``."""
    letters = "".join(c for c in (*axes, "t") if len(c) == 1) or "xt"
    counted = re.fullmatch(rf"(?:d|D|∂|partial)_?([{re.escape(letters)}]+)", name)
    unknown = next(iter(unknowns), "u")
    such = f"derivatives as subscripts, such as `{unknown}_t` and `{unknown}_{2 * axes[0] if axes else 'xx'}`"
    if counted and first in unknowns:
        return f"Write `{first}_{counted[1]}`: {such}."
    if counted:
        return f"Write {such}, and `diff({first}, {', '.join(counted[1])})` of a formula."
    return f"Write {such}." if name.lower() in _DERIVATIVES else None


def _operand(text: str) -> str:
    return text if re.fullmatch(r"\w+(\([^()]*\))?", text) else f"({text})"


def character_meant(text: str, place: int) -> str | None:
    """What to write where a formula contains a character that it cannot contain."""
    before, character, after = text[:place].rstrip(), text[place], text[place + 1 :]
    if character == "'":
        found = re.match(r"[^']*?(\w+)('+)", text)  # the first quotation mark stands behind a name
        return (
            found
            and f"write derivatives as subscripts, `{found[1]}_{'x' * len(found[2])}` for `{found[1]}{found[2]}`"
        )
    word = re.search(r"(\w+)$", before)
    if character in "[{" and word:
        inner = re.match(r"([^\[\]{}]*)[\]}]", after)
        if inner and word[1].endswith("_"):
            return f"write subscripts without braces: `{word[1]}{inner[1].strip()}`"
        if word[1].lower() in functions.TABLE:
            return f"write arguments in round brackets: `{word[1].lower()}({inner[1] if inner else '...'})`"
    if character == "^" and word and word[1] in ("e", "E", "exp"):
        power = re.match(r"\s*(\([^()]*\)|[\w.]+)", after)
        return f"write `exp({power[1].strip('()') if power else '...'})` for a power of Euler's number"
    if character in "&|" and "where" in before:
        return "join conditions by a product: `where(x > 0, 1, 0)*where(x < 1, 1, 0)`"
    if character == "=" and not re.search(r"[<>!=:]$", before):
        return f"write only what stands behind it: `{after.strip()}`" if after.strip() else None
    return "leave it out" if character == ";" and not after.strip() else None


def word_meant(token: str) -> str | None:
    """What to write for a word that Python keeps for itself."""
    if token in ("if", "else", "elif"):
        return f"write a choice as `{_CHOICE}`"
    if token in ("and", "or", "not"):
        return "join conditions by a product: `where(x > 0, 1, 0)*where(x < 1, 1, 0)`"
    if token == "lambda":
        return "Python keeps this word for itself: write `lam`, with its value in `parameters`, or without one where it is an eigenvalue for `lrfm.modes`"
    return "give None itself, without a text around it" if token == "None" else None


def dot_meant(text: str) -> str | None:
    """``u.dx(0)`` and ``u.diff(x)`` are derivatives, ``ic.csv`` is a file."""
    found = re.search(r"([^\W_]\w*)\.dx\((\d*)\)|([^\W_]\w*)\.diff\((\w+)\)", text)
    if found:
        name, letter = found[1] or found[3], found[4] or "xyz"[min(int(found[2] or 0), 2)]
        return f"write derivatives as subscripts: `{name}_{letter}` for `{found[0]}`"
    return None


def file_meant(text: str) -> str | None:
    """The name of a file where a formula stands."""
    return text.strip() if re.fullmatch(r"[\w./\\ -]+\.(csv|nc|tsv|txt|dat|npz?)", text.strip()) else None


def statement_meant(text: str, equation: bool) -> str | None:
    """What to write for a text that has no `=`: the right side of other programs, or all terms on one side."""
    plain = text.strip()
    found = re.search(r"\b(?:lap\w*|diff|d\w*)\(\s*([^\W\d_]\w*)|([^\W\d_][^\W_]*)_[a-z]+\b", plain)
    if not equation or not found:
        return None
    name = found[1] or found[2]
    evolves = re.search(rf"\b{name}_\w*t|\bdiff\(\s*{name}\s*,\s*t|\bd{name}/dt", plain)
    return f"{plain} = 0" if evolves else f"{name}_t = {in_ours(plain)}"


def in_ours(text: str) -> str:
    """A formula with the operators of others as they are called here."""
    return re.sub(r"\b(laplace|laplacian|Laplacian)\(", "lap(", text)


def several_meant(text: str) -> list[str]:
    """The equations of a text that holds more than one of them."""
    parts = [part.strip() for part in re.split(r"[,;\n]|\band\b", text) if part.strip()]
    return parts if len(parts) > 1 and all(part.count("=") == 1 for part in parts) else []


def is_weak(text: str) -> bool:
    """Whether an equation is written with test functions and measures: ``inner(grad(u), grad(v))*dx``."""
    return bool(re.search(r"\b(inner|dot|grad)\(", text) and re.search(r"\*\s*d[xsS]\b", text))


def face_meant(key: object, valid: Sequence[str], ends: dict[str, tuple[float, float]]) -> str | None:
    """A face by the name that other programs give it, or by its place."""
    plain = re.sub(r"[_\- ]", "", str(key).lower())
    words = {
        **{"left": "x-", "right": "x+", "bottom": "y-", "top": "y+", "front": "z-", "back": "z+"},
        **dict.fromkeys(("all", "everywhere", "boundary", "walls", "wall", "faces", "sides"), "*"),
    }
    for axis in ends:
        words |= {f"{axis}{low}": f"{axis}-" for low in ("min", "left", "lower", "0", "<", "lo", "low")}
        words |= {f"{axis}{high}": f"{axis}+" for high in ("max", "right", "upper", "1", ">", "hi", "high")}
    found = words.get(plain)
    if found is None:
        found = _face_at(str(key).strip(), ends)
    return found if found in valid else None


def _face_at(key: str, ends: dict[str, tuple[float, float]]) -> str | None:
    """``x = -1``, ``-1``, ``X-``, ``-x``."""
    turned = re.fullmatch(r"([+-])([^\W\d]\w*)|([^\W\d]\w*)([+-])", key)
    if turned:
        axis = (turned[2] or turned[3]).lower()
        return f"{axis}{turned[1] or turned[4]}" if axis in ends else None
    placed = re.fullmatch(r"(?:(\w+)\s*==?\s*)?([+-]?[\d.]+(?:e[+-]?\d+)?)", key)
    if not placed or not (placed[1] in ends or (placed[1] is None and len(ends) == 1)):
        return None
    axis = placed[1] or next(iter(ends))
    try:
        value = float(placed[2])
    except ValueError:
        return None
    return next((f"{axis}{side}" for side, end in zip("-+", ends[axis], strict=True) if end == value), None)


def condition_meant(name: str, value: object, unknown: str) -> str | None:
    """A condition by the name that other programs give it; an empty text where it is none at all."""
    given = value if isinstance(value, int | float | str) else 0
    word = re.split(r"[\s_]", name.strip().lower())[-1 if "periodic_" in name.lower() else 0]
    if word in ("dirichlet", "value", "fixed", "bc", "zero", "wall", "clamped", "no-slip", "noslip", "cold"):
        return f"{unknown} = {given}"
    if word in (
        *("neumann", "derivative", "flux", "noflux", "no-flux", "zero-flux", "insulated", "insulating"),
        *("reflecting", "reflective", "natural", "symmetric", "symmetry", "adiabatic", "homogeneous"),
    ):
        return f"{unknown}_n = {given}"
    if word in ("absorbing", "radiation", "radiating", "sommerfeld"):
        return f"{unknown}_t + {unknown}_n = {given}"
    if word in ("open", "outflow", "free", "nothing", "outlet", "extrapolate"):
        return ""
    return f"{unknown}_n + {unknown} = {given}" if word in ("robin", "mixed") else None
