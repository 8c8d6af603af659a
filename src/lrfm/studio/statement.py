# SPDX-License-Identifier: MIT
"""What stands in the fields of the page, as a statement: TOML text, Python code, a link.

    equation    u_t = eps*u_xx - u**3 + u        one per line
    domain      x in [-1, 1]                     one axis per line; inequalities below them cut the box: rim: x**2 + y**2 < 1
                Box(x=(-2, 2), y=(-1, 1)) - Disk(radius=0.4, name="hole")      or shapes
    time        0, 10
    initial     sin(pi*x)                        or  u = …  and  u_t = …  on lines of their own
    boundary    periodic                         or  x-: u = 0 , y: periodic , *: u_n = 0 , x+: none
    parameters  eps = 1e-3 in [1e-4, 1e-2]       a range makes it a slider
    complex     psi                              names of complex unknowns

Everything is handed to `lrfm.problem.file`, so the page and a file are read by the same code and refused with the same sentences.
"""

from __future__ import annotations

import base64
import binascii
import json
import math
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from lrfm.problem import Problem, ProblemError
from lrfm.problem.file import Statement, parse
from lrfm.problem.shapes.text import as_python

LONGEST = 20_000  # characters of one field
INTERVAL = re.compile(r"^\s*(?P<name>[^\W\d]\w*)\s*(?:in|=|:)\s*[\[(](?P<ends>[^\])]*)[\])]\s*$")
SHAPE = re.compile(r"^\s*\(*\s*(?:lrfm\.)?[A-Z]\w*\s*\(")
NAMED = re.compile(r"^\s*(?P<name>[^\W\d][\w.]*)\s*:\s*(?P<cut>.+)$")
RANGE = re.compile(r"^(?P<value>.*?)\bin\s*\[(?P<ends>[^\]]*)\]\s*$")
FACE = re.compile(r"^\s*(?P<face>[\w.]+[+-]?|\*)\s*:\s*(?P<condition>.+?)\s*$")
DECADES = 10.0  # a slider whose ends are further apart than this factor moves in powers


class StudioError(ValueError):
    """A field that cannot be read; `field` and `line` say which one."""

    def __init__(self, message: str, field: str = "equation", line: int = 0):
        super().__init__(message)
        self.field, self.line = field, line


@dataclass(frozen=True)
class Slider:
    """A parameter with a range: p ∈ [lower, upper], on a logarithmic scale where the range spans more than a decade."""

    name: str
    value: float
    lower: float
    upper: float

    @property
    def logarithmic(self) -> bool:
        """Whether the slider moves in powers of ten."""
        return self.lower > 0 and self.upper / self.lower > DECADES

    def as_data(self) -> dict[str, Any]:
        """For the page."""
        return {**asdict(self), "logarithmic": self.logarithmic}


@dataclass(frozen=True, kw_only=True)
class Fields:
    """The texts of the page.

    Examples
    --------
    >>> fields = Fields(equation="u_t = k*u_xx", domain="x in [0, 1]", time="0, 0.1", initial="sin(pi*x)", boundary="u = 0",
    ...     parameters="k = 1 in [0.1, 10]")
    >>> fields.statement().problem.linear, fields.sliders()[0].logarithmic
    (True, True)
    >>> Fields.from_link(fields.link()) == fields
    True
    """

    equation: str = ""
    domain: str = ""
    time: str = ""
    initial: str = ""
    boundary: str = ""
    parameters: str = ""
    complex: str = ""

    @classmethod
    def from_data(cls, data: object) -> Fields:
        """From what the page sends."""
        if not isinstance(data, Mapping):
            raise StudioError("A statement is an object with texts, such as equation and domain.")
        known = {f.name for f in fields(cls)}
        found = {name: data.get(name, "") for name in known}
        for name, text in found.items():
            if not isinstance(text, str) or len(text) > LONGEST:
                raise StudioError(f"{name} must be text of at most {LONGEST:,} characters.", name)
        return cls(**found)

    # One statement, several spellings ---------------------------------------------------------------------

    def document(self) -> dict[str, Any]:
        """The same as the data of a TOML file."""
        equations = [text for _, text in _lines(self.equation)]
        if not equations:
            raise StudioError("Write an equation, such as u_t = u_xx.", "equation")
        found: dict[str, Any] = {
            "equation": equations[0] if len(equations) == 1 else equations,
            "time": _numbers(self.time, "time", 0, "0, 1"),
            "initial": self._initial(),
            "boundary": self._boundary(),
            "domain": self._domain(),
        }
        if parameters := self._parameters():
            found["parameters"] = {name: value for name, (value, _) in parameters.items()}
        if names := re.findall(r"\w+", self.complex):
            found["unknowns"] = dict.fromkeys(names, "complex")
        return found

    def toml(self, tol: float | None = None) -> str:
        """The statement as a TOML file."""
        found = self.document()
        tables = {
            name: found.pop(name)
            for name in ("domain", "parameters", "unknowns", "initial", "boundary")
            if isinstance(found.get(name), dict)
        }
        if tol is not None:
            tables["solve"] = {"tol": tol}
        text = "".join(f"{name} = {_toml(value)}\n" for name, value in found.items())
        for name, table in tables.items():
            text += f"\n[{name}]\n" + "".join(f"{_key(k)} = {_toml(v)}\n" for k, v in table.items())
        return text

    def statement(self) -> Statement:
        """Read and checked by `lrfm.problem.file`."""
        return parse(self.toml(), "")

    def python(self, tol: float = 1e-6) -> str:
        """A script that states and solves it."""
        found = self.document()
        boundary, domain = found["boundary"], self._shape()
        if isinstance(boundary, dict):
            boundary = {face: None if given == "none" else given for face, given in boundary.items()}
        lines = [f"    {found['equation']!r},", f"    domain={as_python(domain)},"]
        lines += [f"    time=({_span(found['time'])}),", f"    initial={found['initial']!r},"]
        lines += [f"    boundary={None if boundary == 'none' else boundary!r},"]
        if "parameters" in found:
            # Texts such as 0.01/pi are numbers by now, as in a file.
            numbers = {name: self.statement().problem.parameters[name] for name in found["parameters"]}
            lines += [f"    parameters={numbers!r},"]
        if "unknowns" in found:
            lines += [f"    unknowns={{{', '.join(f'{name!r}: complex' for name in found['unknowns'])}}},"]
        body = "\n".join(lines)
        return (
            f"import lrfm\n\nproblem = lrfm.Problem(\n{body}\n)\n"
            f"solution = lrfm.solve(problem, tol={tol!r})\nprint(solution.report)\nsolution.plot('field.png')\n"
        )

    def link(self) -> str:
        """All fields as one word for an address."""
        packed = json.dumps({k: v for k, v in asdict(self).items() if v}, separators=(",", ":"))
        return base64.urlsafe_b64encode(packed.encode()).decode().rstrip("=")

    @classmethod
    def from_link(cls, link: str) -> Fields:
        """The fields in an address made by `link`; what stands before its `#` does not matter."""
        word = link.rpartition("#")[2].strip()
        try:
            data = json.loads(base64.b64decode(word + "=" * (-len(word) % 4), b"-_", validate=True))
        except (binascii.Error, UnicodeDecodeError, ValueError, RecursionError):
            raise StudioError(
                "This is not a link of the studio: nothing can be read after its `#`."
            ) from None
        return cls.from_data(data)

    def sliders(self) -> list[Slider]:
        """Parameters that were given a range."""
        found = []
        for line, (name, (value, ends)) in enumerate(self._parameters().items()):
            if ends is None:
                continue
            number = self.statement().problem.parameters[name]
            lower, upper = (_number(end, "parameters", line) for end in ends)
            if not isinstance(number, int | float) or not lower < upper or not lower <= number <= upper:
                raise StudioError(
                    f"{name} = {value} lies outside of [{ends[0]}, {ends[1]}]; write it as {name} = 1e-3 in [1e-4, 1e-2].",
                    "parameters",
                    line,
                )
            found.append(Slider(name, float(number), lower, upper))
        return found

    # Field by field -----------------------------------------------------------------------------------------

    def _domain(self) -> dict[str, list[float]] | str:
        """The ends of a box by its axes, or the text of another shape."""
        axes: dict[str, list[float]] = {}
        for line, text in _lines(self.domain):
            match = INTERVAL.match(text)
            if match is None and (not axes or not re.search("[<>]", text)):
                if axes or SHAPE.match(text) is None:
                    raise StudioError(
                        f"Cannot read {text!r}; write an axis as x in [-1, 1], or a shape as Disk(radius=1).",
                        "domain",
                        line,
                    )
                return " ".join(text for _, text in _lines(self.domain))
            if match is not None:
                axes[match["name"]] = _numbers(match["ends"], "domain", line, "x in [-1, 1]")
        if not axes:
            raise StudioError("Name at least one axis, such as x in [-1, 1].", "domain")
        cuts = [text for _, text in _lines(self.domain) if not INTERVAL.match(text)]
        return _region(cuts, axes) if cuts else axes

    def _shape(self) -> str:
        """The domain as Python writes it."""
        found = self._domain()
        return found if isinstance(found, str) else f"Box({_axes(found)})"

    def _initial(self) -> Any:
        parts = [text for _, text in _lines(self.initial)]
        if len(parts) == 1 and "=" not in parts[0]:
            return parts[0]
        return _table(self.initial, "initial", "u = sin(pi*x)")

    def _boundary(self) -> Any:
        lines = _lines(self.boundary)
        matches = [(line, text, FACE.match(text)) for line, text in lines]
        if not any(match for _, _, match in matches):
            texts = [text for _, text in lines]
            if not texts:
                raise StudioError(
                    "Write periodic, or a condition such as u = 0, or x-: u = 0 for one face.", "boundary"
                )
            return texts[0] if len(texts) == 1 else {"*": texts}
        found: dict[str, Any] = {}
        for line, text, match in matches:
            if match is None:
                raise StudioError(
                    f"Say for which face {text!r} holds: x-: {text}, or *: {text}.", "boundary", line
                )
            several = [part.strip() for part in match["condition"].split(";") if part.strip()]
            before = found.get(match["face"], [])
            several = [*([before] if isinstance(before, str) else before), *several]
            found[match["face"]] = several[0] if len(several) == 1 else several
        return found

    def _parameters(self) -> dict[str, tuple[Any, tuple[str, str] | None]]:
        found: dict[str, tuple[Any, tuple[str, str] | None]] = {}
        for name, text in _table(self.parameters, "parameters", "eps = 1e-3").items():
            match = RANGE.match(text)
            ends = None
            if match:
                text, parts = match["value"].strip(), match["ends"].split(",")
                if len(parts) != 2:
                    raise StudioError(
                        f"The range of {name} has two ends: {name} = {text} in [1, 2].", "parameters"
                    )
                ends = (parts[0].strip(), parts[1].strip())
            found[name] = (_plain(text), ends)
        return found


def fields_of(problem: Problem) -> Fields | None:
    """The fields that state a problem; None where it has data that are not text."""
    boundary = problem.boundary
    initial = problem.initial
    if isinstance(initial, Mapping):
        initial = (
            "\n".join(f"{name} = {text}" for name, text in initial.items())
            if _texts(initial.values())
            else None
        )
    if isinstance(boundary, Mapping):
        lines = []
        for face, given in boundary.items():
            several = [given] if isinstance(given, str) or given is None else given
            if not isinstance(several, list | tuple) or not all(
                g is None or isinstance(g, str) for g in several
            ):
                return None
            lines += [f"{face}: {'none' if text is None else text}" for text in several]
        boundary = "\n".join(lines)
    numbers = {name: value for name, value in problem.parameters.items() if isinstance(value, int | float)}
    if (
        not (
            problem.forward and problem.local
        )  # the page has no place for data at the end, or for unknowns of time
        or not isinstance(initial, str | int | float)
        or not isinstance(boundary, str)
        or len(numbers) < len(problem.parameters)
    ):
        return None
    return Fields(
        equation="\n".join(problem.equations),
        domain="\n".join(
            f"{name} in [{_short(a)}, {_short(b)}]" for name, (a, b) in problem.domain.axes.items()
        )
        if problem.domain.is_box
        else repr(problem.domain),
        time=", ".join(map(_short, problem.time)),
        initial=str(initial),
        boundary=boundary,
        parameters="\n".join(f"{name} = {_short(value)}" for name, value in numbers.items()),
        complex=", ".join(name for name, kind in problem.unknowns.items() if kind is complex),
    )


def _region(cuts: list[str], axes: dict[str, list[float]]) -> str:
    """A box that inequalities cut, each with a name of its own or called like its text."""
    named = [NAMED.match(cut) for cut in cuts]
    texts = [match["cut"] if match else cut for match, cut in zip(named, cuts, strict=True)]
    names = [match["name"] if match else text for match, text in zip(named, texts, strict=True)]
    words = f", names={names!r}" if any(named) else ""
    return f"Region({' and '.join(texts)!r}, {_axes(axes)}{words})"


def _axes(axes: dict[str, list[float]]) -> str:
    return ", ".join(f"{name}=({_span(ends)})" for name, ends in axes.items())


def _texts(values: Any) -> bool:
    return all(isinstance(value, str | int | float) for value in values)


def _short(value: float) -> str:
    """A number in as few digits as name it, and multiples of π as such."""
    for whole in (1, 2, 3, 4, 6, 8, 10, 20, 0.5):
        if abs(value) == whole * math.pi:
            return f"{'-' if value < 0 else ''}{'' if whole == 1 else f'{whole:g}*'}pi"
    return repr(int(value)) if float(value).is_integer() and abs(value) < 1e6 else repr(float(value))


def _lines(text: str) -> list[tuple[int, str]]:
    """Lines that say something, with their numbers; what follows a # is a remark."""
    stripped = ((number, line.partition("#")[0].strip()) for number, line in enumerate(text.splitlines()))
    return [(number, line) for number, line in stripped if line]


def _table(text: str, field: str, example: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for line, entry in _lines(text):
        name, sign, value = entry.partition("=")
        if not sign or not name.strip() or not value.strip():
            raise StudioError(f"Cannot read {entry!r}; write {example}, one per line.", field, line)
        if name.strip() in found:
            raise StudioError(f"{name.strip()} is given twice.", field, line)
        found[name.strip()] = value.strip()
    return found


def _numbers(text: str, field: str, line: int, example: str) -> list[float]:
    parts = text.strip().strip("[]()").split(",")
    if len(parts) != 2:
        raise StudioError(f"Two numbers were expected, such as {example}.", field, line)
    return [_number(part, field, line) for part in parts]


def _number(text: str, field: str, line: int) -> float:
    """A number, or a formula without names such as 2*pi."""
    from lrfm.problem.alphabet import Alphabet
    from lrfm.problem.syntax import parse as parse_formula
    from lrfm.problem.text import translate

    try:
        value = translate(parse_formula(text.strip(), "The number"), Alphabet((), {}), "The number").number
    except ProblemError as error:
        raise StudioError(str(error), field, line) from None
    if value is None or value.imag or not math.isfinite(value.real):
        raise StudioError(f"{text.strip()!r} is not a real number.", field, line)
    return value.real


def _plain(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


def _span(ends: list[float]) -> str:
    return ", ".join(_short_code(end) for end in ends)


def _short_code(value: float) -> str:
    return repr(int(value)) if value.is_integer() and abs(value) < 1e6 else repr(value)


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_]+", name) else json.dumps(name, ensure_ascii=False)


def _toml(value: Any) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)
