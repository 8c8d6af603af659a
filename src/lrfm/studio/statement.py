# SPDX-License-Identifier: MIT
"""What stands in the fields of the page, as a statement: TOML text, Python code, a link.

    equation    u_t = eps*u_xx - u**3 + u        one per line
    domain      x in [-1, 1]                     one axis per line; inequalities below them cut the box: rim: x**2 + y**2 < 1
                Box(x=(-2, 2), y=(-1, 1)) - Disk(radius=0.4, name="hole")      or shapes
    time        0, 10
    initial     sin(pi*x)                        or  u = …  and  u_t = …  on lines of their own
    boundary    periodic                         or  x-: u = 0 , y: periodic , *: u_n = 0 , x+: none
    parameters  eps = 1e-3 in [1e-4, 1e-2]       a range makes it a slider
    unknowns    psi: complex, T: t               complex ones, and functions of some coordinates only
    final       u = 0                            data at the end, in the place of some at the start
    reference   sin(pi*x)*exp(-pi**2*t)          the exact solution where it is known

With layers `k.wire = 50` and `k.coat = 1` are parameters of each, `u.wire = 1` is a part of the initial data, and wire|coat names the boundary between them.

Everything is handed to `lrfm.problem.file`, so the page and a file are read by the same code and refused with the same sentences.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from types import MappingProxyType
from typing import Any

from lrfm.problem import Problem
from lrfm.problem.absent import stands_still
from lrfm.problem.file import Statement, parse
from lrfm.problem.formula import Formula
from lrfm.problem.shapes.text import as_python
from lrfm.problem.table_files import only_files
from lrfm.studio import texts
from lrfm.studio.texts import StudioError

Tables = Mapping[str, Path]  # files that the user has chosen, by the names that the fields give them
NONE: Tables = MappingProxyType({})
LONGEST = 20_000  # characters of one field
INTERVAL = re.compile(r"^\s*(?P<name>[^\W\d]\w*)\s*(?:in|=|:)\s*[\[(](?P<ends>[^\])]*)[\])]\s*$")
SHAPE = re.compile(r"^\s*\(*\s*(?:lrfm\.)?[A-Z]\w*\s*\(")
NAMED = re.compile(r"^\s*(?P<name>[^\W\d][\w.]*)\s*:\s*(?P<cut>.+)$")
RANGE = re.compile(r"^(?P<value>.*?)\bin\s*\[(?P<ends>[^\]]*)\]\s*$")
FACE = re.compile(r"^\s*(?P<face>[\w.|]+[+-]?|\*)\s*:\s*(?P<condition>.+?)\s*$")
DECADES = 10.0  # a slider whose ends are further apart than this factor moves in powers


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
    unknowns: str = ""
    final: str = ""
    reference: str = ""

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
            if any("\ud800" <= letter <= "\udfff" for letter in text):
                raise StudioError(
                    f"{name} holds half of a character, which no file can hold; type it again.", name
                )
        return cls(**found)

    # One statement, several spellings ---------------------------------------------------------------------

    def document(self) -> dict[str, Any]:
        """The same as the data of a TOML file."""
        equations = [text for _, text in texts.lines(self.equation)]
        if not equations:
            raise StudioError("Write an equation, such as u_t = u_xx.", "equation")
        found: dict[str, Any] = {
            "equation": equations[0] if len(equations) == 1 else equations,
            **self._time(),
            **self._ends(),
            "boundary": self._boundary(),
            "domain": self._domain(),
        }
        if parameters := self._parameters():
            found["parameters"] = texts.by_layer({name: value for name, (value, _) in parameters.items()})
        if kinds := self._kinds():
            found["unknowns"] = kinds
        return found

    @property
    def _steady(self) -> bool:
        """Whether nothing is said of time, and nothing moves."""
        equations = [text for _, text in texts.lines(self.equation)]
        given = (self.time.strip(), self.initial.strip(), self.final.strip())
        return not any(given) and stands_still(equations, None, None)

    def _time(self) -> dict[str, list[float]]:
        return {} if self._steady else {"time": texts.numbers(self.time, "time", 0, "0, 1")}

    def toml(self, tol: float | None = None) -> str:
        """The statement as a TOML file."""
        found = self.document()
        tables = {
            name: found.pop(name)
            for name in ("domain", "parameters", "unknowns", "initial", "final", "reference", "boundary")
            if isinstance(found.get(name), dict)
        }
        if tol is not None:
            tables["solve"] = {"tol": tol}
        text = "".join(f"{name} = {texts.toml(value)}\n" for name, value in found.items())
        for name, table in tables.items():
            text += f"\n[{name}]\n" + "".join(f"{texts.key(k)} = {texts.toml(v)}\n" for k, v in table.items())
        return text

    def statement(self, tables: Tables = NONE) -> Statement:
        """Read and checked by `lrfm.problem.file`; a link may name any file, so that only `tables` are read, by their names."""
        with only_files(tables):
            return parse(self.toml(), "")

    def python(self, tol: float = 1e-6, tables: Tables = NONE) -> str:
        """A script that states and solves it."""
        problem = self.statement(tables).problem  # what is refused as a statement is not written
        found = self.document()
        boundary = found["boundary"]
        if isinstance(boundary, dict):
            boundary = {face: None if given == "none" else given for face, given in boundary.items()}
        lines = [f"    {found['equation']!r},", f"    domain={as_python(problem.domain.record)},"]
        lines += [f"    time=({texts.span(found['time'])}),"] if "time" in found else []
        lines += [
            f"    {name}={found[name]!r}," for name in ("initial", "final", "reference") if name in found
        ]
        lines += [f"    boundary={None if boundary == 'none' else boundary!r},"]
        if "parameters" in found:
            # Texts such as 0.01/pi are numbers by now, as in a file.
            numbers = {name: problem.parameters[name] for name in found["parameters"]}
            lines += [f"    parameters={numbers!r},"]
        if "unknowns" in found:
            kinds = (
                f"{name!r}: {'complex' if kind == 'complex' else repr(kind)}"
                for name, kind in found["unknowns"].items()
            )
            lines += [f"    unknowns={{{', '.join(kinds)}}},"]
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

    def sliders(self, tables: Tables = NONE) -> list[Slider]:
        """Parameters that were given a range."""
        found = []
        for line, (name, (value, ends)) in enumerate(self._parameters().items()):
            if ends is None:
                continue
            number = texts.at_layer(self.statement(tables).problem.parameters, name)
            lower, upper = (texts.number(end, "parameters", line) for end in ends)
            if not lower < upper:
                raise StudioError(
                    f"The range of {name} runs from {ends[0]} to {ends[1]}; the smaller number comes first.",
                    "parameters",
                    line,
                )
            if not isinstance(number, int | float) or not lower <= number <= upper:
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
        for line, text in texts.lines(self.domain):
            match = INTERVAL.match(text)
            if match is None and (not axes or not re.search("[<>]", text)):
                if axes or SHAPE.match(text) is None:
                    raise StudioError(
                        f"Cannot read {text!r}; write an axis as x in [-1, 1], or a shape as Disk(radius=1).",
                        "domain",
                        line,
                    )
                return " ".join(text for _, text in texts.lines(self.domain))
            if match is not None:
                axes[match["name"]] = texts.numbers(match["ends"], "domain", line, "x in [-1, 1]")
        if not axes:
            raise StudioError("Name at least one axis, such as x in [-1, 1].", "domain")
        cuts = [text for _, text in texts.lines(self.domain) if not INTERVAL.match(text)]
        return _region(cuts, axes) if cuts else axes

    def _ends(self) -> dict[str, Any]:
        """Data at the start and at the end, and the exact solution: a formula, or one per line."""
        found: dict[str, Any] = {}
        for name in ("initial", "final", "reference"):
            given = getattr(self, name)
            parts = [text for _, text in texts.lines(given)]
            if len(parts) == 1 and "=" not in parts[0]:
                found[name] = parts[0]
            elif parts or (name == "initial" and not (self.final.strip() or self._steady)):
                found[name] = texts.by_layer(texts.table(given, name, "u = sin(pi*x)"))
        return found

    def _kinds(self) -> dict[str, str]:
        """Unknowns that are not real functions of everything: a name alone is that of a complex one."""
        found = {}
        for line, text in texts.lines(self.unknowns):
            for entry in filter(None, map(str.strip, re.split("[,;]", text))):
                name, _, kind = (part.strip() for part in re.split("([:=])", f"{entry}:complex", maxsplit=1))
                kind = kind.removesuffix(":complex").strip()
                if not name.isidentifier():
                    raise StudioError(
                        f"Cannot read {entry!r}; write psi: complex, or T: t for a function of time alone.",
                        "unknowns",
                        line,
                    )
                found[name] = kind or "complex"
        return found

    def _boundary(self) -> Any:
        lines = texts.lines(self.boundary)
        matches = [(line, text, FACE.match(text)) for line, text in lines]
        if not any(match for _, _, match in matches):
            said = [text for _, text in lines]
            if not said:
                raise StudioError(
                    "Write periodic, or a condition such as u = 0, or x-: u = 0 for one face.", "boundary"
                )
            return said[0] if len(said) == 1 else {"*": said}
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
        for name, text in texts.table(self.parameters, "parameters", "eps = 1e-3").items():
            match = RANGE.match(text)
            ends = None
            if match:
                text, parts = match["value"].strip(), match["ends"].split(",")
                if len(parts) != 2:
                    raise StudioError(
                        f"The range of {name} has two ends: {name} = {text} in [1, 2].", "parameters"
                    )
                ends = (parts[0].strip(), parts[1].strip())
            found[name] = (texts.plain(text), ends)
        return found


def fields_of(problem: Problem) -> Fields | None:
    """The fields that state a problem; None where it has data that are not text."""
    exact = problem.reference
    exact = exact if isinstance(exact, Mapping) else None if exact is None else {"": exact}
    known = {name: given.text for name, given in (exact or {}).items() if isinstance(given, Formula)}
    kinds = {name: "complex" if kind is complex else kind for name, kind in problem.unknowns.items()}
    found = {
        "initial": _spelled(problem.initial),
        "final": _spelled(problem.final),
        "boundary": _conditions(problem.boundary),
        "parameters": _spelled(dict(problem.parameters)),
        "reference": known.get("") or "\n".join(f"{name} = {text}" for name, text in known.items()),
        "unknowns": ", ".join(f"{name}: {kind}" for name, kind in kinds.items() if isinstance(kind, str)),
        "domain": texts.folded(repr(problem.domain)),
    }
    if None in found.values():
        return None
    if problem.domain.is_box:
        ends = {name: ", ".join(map(texts.short, span)) for name, span in problem.domain.axes.items()}
        found["domain"] = "\n".join(f"{name} in [{span}]" for name, span in ends.items())
    time = "" if problem.steady else ", ".join(map(texts.short, problem.time))
    return Fields(equation="\n".join(problem.equations), time=time, **found)  # type: ignore[arg-type]


def _spelled(given: Any) -> str | None:
    """A text, a number, or a table of them, also by layer, line by line; None where that is not all of it."""
    if given is None:
        return ""
    if isinstance(given, Mapping):
        flat: dict[str, Any] = {}
        for name, value in given.items():
            flat |= (
                {f"{name}.{layer}": v for layer, v in value.items()}
                if isinstance(value, Mapping)
                else {name: value}
            )
        spelled = {name: _spelled(value) for name, value in flat.items()}
        return (
            None
            if None in spelled.values()
            else "\n".join(f"{name} = {text}" for name, text in spelled.items())
        )
    if isinstance(given, int | float) and not isinstance(given, bool):
        return texts.short(given)
    return given if isinstance(given, str) else None


def _conditions(boundary: Any) -> str | None:
    """Conditions face by face; None where one of them is no text."""
    if not isinstance(boundary, Mapping):
        return "none" if boundary is None else boundary if isinstance(boundary, str) else None
    lines = []
    for face, given in boundary.items():
        several = [given] if isinstance(given, str) or given is None else given
        if not isinstance(several, list | tuple) or not all(g is None or isinstance(g, str) for g in several):
            return None
        lines += [f"{face}: {'none' if text is None else text}" for text in several]
    return "\n".join(lines)


def _region(cuts: list[str], axes: dict[str, list[float]]) -> str:
    """A box that inequalities cut, each with a name of its own or called like its text."""
    named = [NAMED.match(cut) for cut in cuts]
    said = [match["cut"] if match else cut for match, cut in zip(named, cuts, strict=True)]
    names = [match["name"] if match else text for match, text in zip(named, said, strict=True)]
    words = f", names={names!r}" if any(named) else ""
    return f"Region({' and '.join(said)!r}, {_axes(axes)}{words})"


def _axes(axes: dict[str, list[float]]) -> str:
    return ", ".join(f"{name}=({texts.span(ends)})" for name, ends in axes.items())
