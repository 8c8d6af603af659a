# SPDX-License-Identifier: MIT
"""Random problems with known solutions: templates with random coefficients, smooth random exact solutions.

A template states left sides as text, in the language of lrfm; the same text is applied to a SymPy expression
for the exact solution, and what comes out is passed back as source and boundary data (NumPy functions).
Coefficients are drawn in units of the box and the time span, and of the size of the solution where the
equation is not linear, so that scales vary and the problem stays well posed.

    python benchmarks/random_problems.py            # list
    python benchmarks/random_problems.py --check    # insert the exact solution into what lrfm understood
"""

from __future__ import annotations

import argparse
import functools
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import harness
import numpy as np
import sympy as sp

from lrfm.problem import Box, Problem

SEED = 4
AXES = ("x", "y", "z")
SYMBOLS = {name: sp.Symbol(name, real=True) for name in (*AXES, "t")}
t = SYMBOLS["t"]


# From text to data ------------------------------------------------------------------------------


class Meaning(dict):
    """Names in a template's text as SymPy expressions: u_xx is a derivative, u_n that along a normal."""

    def __init__(
        self, exact: Mapping[str, sp.Expr], given: Mapping[str, object], axes: Sequence[str], normal=None
    ):
        super().__init__(given)
        self.update({n: SYMBOLS[n] for n in (*axes, "t")}, pi=sp.pi)
        self.update({f: getattr(sp, f) for f in ("sin", "cos", "exp", "tanh", "sqrt")})
        self.update(abs=lambda z: sp.sqrt(z * sp.conjugate(z)), diff=sp.diff, lap=self._laplacian)
        self.exact, self.axes, self.normal = exact, axes, normal

    def _laplacian(self, value: sp.Expr) -> sp.Expr:
        return sum(sp.diff(value, SYMBOLS[a], 2) for a in self.axes)

    def __missing__(self, name: str) -> sp.Expr:
        unknown, _, letters = name.partition("_")
        value = self.exact[unknown]
        for letter in letters:
            if letter == "n":
                axis, sign = self.normal
                value = sign * sp.diff(value, SYMBOLS[axis])
            else:
                value = sp.diff(value, SYMBOLS[letter])
        return value


def numeric(value: sp.Expr, names: Sequence[str]) -> Callable:
    """A NumPy function of the named coordinates."""
    return sp.lambdify([SYMBOLS[n] for n in names], value, "numpy", cse=True)


@dataclass(frozen=True, kw_only=True)
class Draft:
    """A problem before its data are computed: left sides, box, conditions by axis or face, exact solution."""

    equations: Sequence[str]
    box: Mapping[str, tuple[float, float]]
    time: tuple[float, float]
    exact: Mapping[str, sp.Expr]
    boundary: Mapping[str, object]
    parameters: Mapping[str, object] = field(default_factory=dict)
    complex: tuple[str, ...] = ()

    def problem(self, name: str) -> Problem:
        """Sources and boundary data from the exact solution, and the statement."""
        axes, coordinates = tuple(self.box), (*self.box, "t")
        symbolic = {n: v for n, v in self.parameters.items() if isinstance(v, sp.Expr)}
        given = {n: numeric(v, coordinates) if n in symbolic else v for n, v in self.parameters.items()}
        texts = []
        for i, text in enumerate(self.equations, 1):
            given[f"f{i}"] = numeric(self._apply(text), coordinates)
            texts.append(f"{text} = f{i}")
        boundary: dict[str, object] = {}
        for place, conditions in self.boundary.items():
            if conditions is None or conditions == "periodic":
                boundary[place] = conditions
                continue
            for side in [place[-1]] if place[-1] in "-+" else "-+":
                axis, rows = place.rstrip("-+"), []
                for j, text in enumerate(conditions, 1):
                    datum = f"g{axis}{'m' if side == '-' else 'p'}{j}"
                    given[datum] = numeric(self._apply(text, (axis, 1 if side == "+" else -1)), coordinates)
                    rows.append(f"{text} = {datum}")
                boundary[f"{axis}{side}"] = rows
        return Problem(
            texts,
            domain=Box(**self.box),
            time=self.time,
            initial=self._initial(axes),
            boundary=boundary,
            parameters=given,
            unknowns={n: complex if n in self.complex else float for n in self.exact},
            reference={n: numeric(v, coordinates) for n, v in self.exact.items()},
            name=name,
        )

    def _apply(self, text: str, normal: tuple[str, int] | None = None) -> sp.Expr:
        # The text is this file's own; the package itself never evaluates text.
        return sp.sympify(
            eval(text, {"__builtins__": {}}, Meaning(self.exact, self.parameters, tuple(self.box), normal))
        )

    def _initial(self, axes: tuple[str, ...]) -> dict[str, Callable]:
        found = {}
        for name, value in self.exact.items():
            orders = [
                m.group(1).count("t") for m in re.finditer(rf"\b{name}_(\w+)", " ".join(self.equations))
            ]
            for k in range(max(orders, default=0)):
                label = name if k == 0 else f"{name}_{'t' * k}"
                found[label] = numeric(sp.diff(value, t, k).subs(t, sp.Float(self.time[0])), axes)
        return found


# Random numbers and solutions -------------------------------------------------------------------


class Dice:
    """Random numbers of one problem: box, time span, size, and solutions made from them."""

    def __init__(self, seed: int, number: int, dimension: int, hard: bool):
        self.rng = np.random.default_rng([seed, number])
        self.hard, self.dimension = hard, dimension
        self.amplitude = self.spread(1e-2, 1e2)
        self.box = {}
        for name in AXES[:dimension]:
            low, length = self.uniform(-2, 2), self.spread(0.5, 5.0)
            self.box[name] = (low, _short(low + length))
        start = float(self.rng.choice([0.0, 0.0, 1.0, -0.5]))
        self.time = (start, _short(start + self.spread(0.05, 2.0)))

    def uniform(self, low: float, high: float) -> float:
        return _short(self.rng.uniform(low, high))

    def spread(self, low: float, high: float) -> float:
        """Log-uniform."""
        return _short(math.exp(self.rng.uniform(math.log(low), math.log(high))))

    def sign(self) -> int:
        return int(self.rng.choice([-1, 1]))

    def pick(self, *options: object) -> object:
        return options[self.rng.integers(len(options))]

    @property
    def span(self) -> float:
        return self.time[1] - self.time[0]

    def length(self, axis: str = "x") -> float:
        low, high = self.box[axis]
        return high - low

    def shortest(self) -> float:
        return min(self.length(a) for a in self.box)

    def diffusion(self, low: float = 0.01, high: float = 0.3, order: int = 2) -> float:
        """A coefficient of ∂ₓᵐ in units of Lᵐ/T (modes of a few waves decay modestly)."""
        return _short(self.spread(low, high) * (self.shortest() / 2) ** order / self.span)

    def speed(self, axis: str = "x", low: float = 0.3, high: float = 2.0) -> float:
        return _short(self.spread(low, high) * self.length(axis) / self.span)

    def rate(self, low: float = 0.2, high: float = 2.0) -> float:
        return _short(self.spread(low, high) / self.span)

    # Solutions -----------------------------------------------------------------------------------

    def unit(self, axis: str) -> sp.Expr:
        """The coordinate mapped to [0, 1]."""
        low, high = self.box[axis]
        return (SYMBOLS[axis] - low) / (high - low)

    @property
    def clock(self) -> sp.Expr:
        return (t - self.time[0]) / self.span

    def motion(self) -> sp.Expr:
        """A smooth factor in time."""
        s, fast = self.clock, 2.5 if self.hard else 1.0
        r = self.uniform(0.3, 1.5) * fast
        return self.pick(
            lambda: sp.exp(-r * s),
            lambda: sp.cos(2.0 * r * s + self.uniform(0, 6.28)),
            lambda: 1 / (1 + r * s),
            lambda: 1 + sp.sin(2.0 * r * s) / 2,
        )()

    def wave(self, periodic: Sequence[str]) -> sp.Expr:
        """sin(k·x − ωs + φ), whole periods along periodic axes."""
        most = 3 if self.hard else 2
        phase = self.uniform(0, 6.28) - self.uniform(-2, 2) * (2 if self.hard else 1) * self.clock
        turning = self.pick(*self.box)  # at least this axis is not left out
        for axis in self.box:
            if axis in periodic:
                turns = int(self.rng.integers(axis == turning, most)) * self.sign()
                phase += 2 * sp.pi * turns * self.unit(axis)
            else:
                phase += self.uniform(0.5, 3.0 * most) * self.sign() * self.unit(axis)
        return sp.sin(phase)

    def shape(self, periodic: Sequence[str]) -> sp.Expr:
        """Of size one: a wave, or where no axis is periodic a bump, a front or an exponential."""
        kind = self.rng.integers(5) if not periodic else 0
        width = self.uniform(0.25, 0.5) * (0.6 if self.hard else 1.0)
        if kind < 2:
            return self.wave(periodic) * self.motion()
        shift = sum((self.unit(a) - self.uniform(0.2, 0.8)) * self.sign() for a in self.box) / math.sqrt(
            self.dimension
        )
        shift -= self.uniform(-0.4, 0.4) * self.clock
        if kind == 2:
            distance = sum((self.unit(a) - self.uniform(0.2, 0.8)) ** 2 for a in self.box)
            return sp.exp(-distance / width**2) * self.motion()
        if kind == 3:
            return sp.tanh(shift / width)
        return sp.exp(self.uniform(0.5, 1.5) * shift) * self.motion() / 2

    def solution(self, periodic: Sequence[str] = (), positive: bool = False) -> sp.Expr:
        """A sum of two or three shapes times the amplitude; a positive one is 0.4 to 1.6 times it."""
        parts = [
            self.uniform(0.4, 1.0) * self.sign() * self.shape(periodic) for _ in range(3 if self.hard else 2)
        ]
        offset = self.uniform(-0.5, 0.5)
        size = sp.Float(self.amplitude)
        if positive:
            return size * (1 + sp.Float(0.6) * sp.tanh(sum(parts) / 2))
        return size * (sum(parts) + offset)

    def wavefunction(self, periodic: Sequence[str] = ()) -> sp.Expr:
        """A complex solution: real and imaginary part drawn alike."""
        return self.solution(periodic) + sp.I * self.solution(periodic)


def _short(value: float) -> float:
    """Three digits, so that statements can be read."""
    return float(f"{value:.3g}")


# Templates --------------------------------------------------------------------------------------
# Each takes dice and returns a draft; `variants` are names of boundary conditions it is drawn with.

ENDS = {
    "dirichlet": lambda d: {"x-": ["u"], "x+": ["u"]},
    "neumann": lambda d: {"x-": ["u_n"], "x+": ["u_n"]},
    "robin": lambda d: {"x": [f"u_n + {_short(d.spread(0.3, 3) / d.length())}*u"]},
    "mixed": lambda d: {"x-": ["u"], "x+": [f"u_n + {_short(d.spread(0.3, 3) / d.length())}*u"]},
    "periodic": lambda d: {"x": "periodic"},
}
PLATES = {
    "clamped": lambda d: {"x": ["u", "u_n"]},
    "supported": lambda d: {"x": ["u", "u_xx"]},
    "free-end": lambda d: {"x-": ["u", "u_x"], "x+": ["u_xx", "u_xxx"]},
    "periodic": lambda d: {"x": "periodic"},
}


def _draft(d: Dice, equations, exact, boundary, parameters=None, complex=()) -> Draft:
    equations = [equations] if isinstance(equations, str) else equations
    exact = exact if isinstance(exact, dict) else {"u": exact}
    return Draft(
        equations=equations,
        box=d.box,
        time=d.time,
        exact=exact,
        boundary=boundary,
        parameters=parameters or {},
        complex=complex,
    )


def _round(variant: str) -> tuple[str, ...]:
    return ("x",) if variant == "periodic" else ()


def transport(d: Dice, variant: str) -> Draft:
    given = {"a": d.speed(), "b": d.rate()}
    ends = {"x": "periodic"} if variant == "periodic" else {"x-": ["u"], "x+": None}
    return _draft(d, "u_t + a*u_x + b*u", d.solution(_round(variant)), ends, given)


def transport_variable(d: Dice, variant: str) -> Draft:
    speed = d.speed() * (1 + sp.Float(0.4) * sp.sin(2 * sp.pi * d.unit("x")))
    ends = {"x": "periodic"} if variant == "periodic" else {"x-": ["u"], "x+": None}
    return _draft(d, "u_t + a*u_x", d.solution(_round(variant)), ends, {"a": speed})


def diffusion(d: Dice, variant: str) -> Draft:
    given = {"a": d.speed(low=0.1), "D": d.diffusion(), "b": d.rate()}
    return _draft(d, "u_t + a*u_x - D*u_xx - b*u", d.solution(_round(variant)), ENDS[variant](d), given)


def diffusion_variable(d: Dice, variant: str) -> Draft:
    given = {"D": d.diffusion(), "m": d.box["x"][0], "w": d.length()}
    text = "u_t - D*diff((1 + 0.5*sin(2*pi*(x - m)/w))*u_x, x)"
    return _draft(d, text, d.solution(_round(variant)), ENDS[variant](d), given)


def dispersion(d: Dice, variant: str) -> Draft:
    given = {"a": d.speed(low=0.1), "b": d.diffusion(0.005, 0.05, 3)}
    ends = {"x": "periodic"} if variant == "periodic" else {"x-": ["u"], "x+": ["u", "u_x"]}
    return _draft(d, "u_t + a*u_x + b*u_xxx", d.solution(_round(variant)), ends, given)


def fourth_order(d: Dice, variant: str) -> Draft:
    given = {"k": d.diffusion(0.001, 0.01, 4), "D": d.diffusion()}
    return _draft(d, "u_t + k*u_xxxx - D*u_xx", d.solution(_round(variant)), PLATES[variant](d), given)


def wave(d: Dice, variant: str) -> Draft:
    given = {"c": d.speed(), "m": d.rate(), "b": d.rate()}
    text = "u_tt + b*u_t - c**2*u_xx + m**2*u"
    ends = {"x-": ["u"], "x+": ["u_t + c*u_n"]} if variant == "absorbing" else ENDS[variant](d)
    return _draft(d, text, d.solution(_round(variant)), ends, given)


def beam(d: Dice, variant: str) -> Draft:
    stiffness = _short((d.spread(0.05, 0.5) * d.length() ** 2 / d.span) ** 2 / 10)
    return _draft(d, "u_tt + k*u_xxxx", d.solution(_round(variant)), PLATES[variant](d), {"k": stiffness})


def schroedinger(d: Dice, variant: str) -> Draft:
    given = {"h": d.diffusion(), "V": d.rate() * sp.cos(2 * sp.pi * d.unit("x"))}
    ends = (
        {"x": "periodic"}
        if variant == "periodic"
        else {"x": ["q"]}
        if variant == "dirichlet"
        else {"x": ["q_n"]}
    )
    return _draft(d, "1j*q_t + h*q_xx - V*q", {"q": d.wavefunction(_round(variant))}, ends, given, ("q",))


def bbm(d: Dice, variant: str) -> Draft:
    given = {"a": d.speed(), "s": _short(d.speed() / d.amplitude), "k": _short((0.2 * d.length()) ** 2)}
    return _draft(d, "u_t + a*u_x + s*u*u_x - k*u_xxt", d.solution(_round(variant)), ENDS[variant](d), given)


def reaction(d: Dice, variant: str) -> Draft:
    given = {"D": d.diffusion(), "r": d.rate(), "s": _short(d.rate() / d.amplitude**2)}
    return _draft(d, "u_t - D*u_xx - r*u + s*u**3", d.solution(_round(variant)), ENDS[variant](d), given)


def burgers(d: Dice, variant: str) -> Draft:
    given = {"s": _short(d.speed(low=0.2, high=1.0) / d.amplitude), "D": d.diffusion()}
    return _draft(d, "u_t + s*u*u_x - D*u_xx", d.solution(_round(variant)), ENDS[variant](d), given)


def porous(d: Dice, variant: str) -> Draft:
    given = {"D": d.diffusion(), "s": _short(1.0 / d.amplitude**2)}
    return _draft(
        d, "u_t - D*diff((1 + s*u**2)*u_x, x)", d.solution(_round(variant)), ENDS[variant](d), given
    )


def radiation(d: Dice, variant: str) -> Draft:
    given = {"D": d.diffusion(), "b": _short(0.3 / (d.length() * d.amplitude**3))}
    return _draft(d, "u_t - D*u_xx", d.solution(positive=True), {"x": ["u_n + b*u**4"]}, given)


def kdv(d: Dice, variant: str) -> Draft:
    given = {"s": _short(d.speed(low=0.2, high=1.0) / d.amplitude), "b": d.diffusion(0.005, 0.05, 3)}
    ends = {"x": "periodic"} if variant == "periodic" else {"x-": ["u"], "x+": ["u", "u_x"]}
    return _draft(d, "u_t + s*u*u_x + b*u_xxx", d.solution(_round(variant)), ends, given)


def sine_gordon(d: Dice, variant: str) -> Draft:
    given = {"c": d.speed(), "m": d.rate(), "A": d.amplitude}
    return _draft(
        d, "u_tt - c**2*u_xx + m**2*A*sin(u/A)", d.solution(_round(variant)), ENDS[variant](d), given
    )


def cubic_wave(d: Dice, variant: str) -> Draft:
    given = {"c": d.speed(), "s": _short((d.rate() / d.amplitude) ** 2)}
    return _draft(d, "u_tt - c**2*u_xx + s*u**3", d.solution(_round(variant)), ENDS[variant](d), given)


def nls(d: Dice, variant: str) -> Draft:
    given = {"h": d.diffusion(), "s": _short(d.rate() / d.amplitude**2)}
    ends = {"x": "periodic"} if variant == "periodic" else {"x": ["q"]}
    return _draft(
        d, "1j*q_t + h*q_xx + s*abs(q)**2*q", {"q": d.wavefunction(_round(variant))}, ends, given, ("q",)
    )


def ginzburg_landau(d: Dice, variant: str) -> Draft:
    given = {"D": d.diffusion(), "r": d.rate(), "s": _short(d.rate() / d.amplitude**2)}
    text = "q_t - D*(1 + 0.5j)*q_xx - r*q + s*(1 - 0.7j)*abs(q)**2*q"
    ends = {"x": "periodic"} if variant == "periodic" else {"x": ["q_n"]}
    return _draft(d, text, {"q": d.wavefunction(_round(variant))}, ends, given, ("q",))


def kuramoto(d: Dice, variant: str) -> Draft:
    given = {
        "s": _short(d.speed(low=0.2, high=1.0) / d.amplitude),
        "k": d.diffusion(0.002, 0.01, 4),
        "b": d.diffusion(0.01, 0.05),
    }
    return _draft(
        d, "u_t + s*u*u_x + b*u_xx + k*u_xxxx", d.solution(_round(variant)), PLATES[variant](d), given
    )


def inviscid(d: Dice, variant: str) -> Draft:
    given = {"s": _short(d.speed(low=0.3, high=1.0) / d.amplitude)}
    return _draft(d, "u_t + s*u*u_x", d.solution(positive=True), {"x-": ["u"], "x+": None}, given)


def predator_prey(d: Dice, variant: str) -> Draft:
    given = {"D": d.diffusion(), "E": d.diffusion(), "r": d.rate(), "s": _short(d.rate() / d.amplitude)}
    texts = ["u_t - D*u_xx - r*u + s*u*v", "v_t - E*v_xx + r*v - s*u*v"]
    ends = {"x": "periodic"} if variant == "periodic" else {"x-": ["u", "v_n"], "x+": ["u_n", "v"]}
    exact = {n: d.solution(_round(variant), positive=True) for n in "uv"}
    return _draft(d, texts, exact, ends, given)


def acoustics(d: Dice, variant: str) -> Draft:
    # Both unknowns in the same unit: p is measured by ρc v.
    texts = ["p_t + c*v_x", "v_t + c*p_x"]
    ends = {"x": "periodic"} if variant == "periodic" else {"x-": ["v"], "x+": ["p - 0.5*v"]}
    return _draft(d, texts, {n: d.solution(_round(variant)) for n in "pv"}, ends, {"c": d.speed()})


def nerve(d: Dice, variant: str) -> Draft:
    given = {"D": d.diffusion(), "s": _short(d.rate() / d.amplitude**2), "e": d.rate(0.1, 1.0)}
    texts = ["u_t - D*u_xx - e*u + s*u**3 + e*v", "v_t - e*(u - 0.8*v)"]
    return _draft(d, texts, {n: d.solution() for n in "uv"}, {"x": ["u_n"]}, given)


def cahn_hilliard(d: Dice, variant: str) -> Draft:
    given = {
        "D": d.diffusion(0.005, 0.05),
        "k": _short((0.1 * d.length()) ** 2),
        "s": _short(1 / d.amplitude**2),
    }
    texts = ["u_t - D*w_xx", "w - s*u**3 + u + k*u_xx"]
    return _draft(d, texts, {n: d.solution(("x",)) for n in "uw"}, {"x": "periodic"}, given)


def thermoelastic(d: Dice, variant: str) -> Draft:
    c = d.speed()
    given = {"c": c, "D": d.diffusion(), "g": _short(0.3 * c)}
    texts = ["u_tt - c**2*u_xx + g*c*v_x", "v_t - D*v_xx + 0.3*u_xt"]
    ends = {
        "x-": ["u", "v"],
        "x+": ["c**2*u_x - g*c*v", "v_n"],
    }  # held and cooled; free of stress and insulated
    return _draft(d, texts, {n: d.solution() for n in "uv"}, ends, given)


# More dimensions --------------------------------------------------------------------------------


def _faces(d: Dice, variant: str, value: str = "u") -> dict[str, object]:
    """Conditions on a box: all alike, or periodic along x and mixed elsewhere."""
    if variant == "periodic":
        return {a: "periodic" for a in d.box}
    if variant == "mixed":
        rest = {f"{a}{s}": [value if s == "-" else f"{value}_n"] for a in list(d.box)[1:] for s in "-+"}
        return {"x": "periodic"} | rest
    if variant == "robin":
        return {a: [f"{value}_n + {_short(1 / d.length(a))}*{value}"] for a in d.box}
    return {a: [value if variant == "dirichlet" else f"{value}_n"] for a in d.box}


def _circles(d: Dice, variant: str) -> tuple[str, ...]:
    return tuple(d.box) if variant == "periodic" else ("x",) if variant == "mixed" else ()


def heat_box(d: Dice, variant: str) -> Draft:
    given = {"D": d.diffusion(), "b": d.rate()}
    return _draft(d, "u_t - D*lap(u) + b*u", d.solution(_circles(d, variant)), _faces(d, variant), given)


def stirring(d: Dice, variant: str) -> Draft:
    given = {"D": d.diffusion(), "p": d.speed("x") * sp.sin(sp.pi * d.unit("y")), "q": d.speed("y")}
    return _draft(d, "u_t + p*u_x + q*u_y - D*lap(u)", d.solution(), _faces(d, variant), given)


def skew_diffusion(d: Dice, variant: str) -> Draft:
    D = d.diffusion()
    given = {"a": D, "b": _short(0.8 * D), "e": _short(1.5 * D)}
    text = "u_t - a*u_xx - b*u_xy - e*u_yy"
    return _draft(d, text, d.solution(_circles(d, variant)), _faces(d, variant), given)


def membrane(d: Dice, variant: str) -> Draft:
    c = _short(d.spread(0.3, 1.5) * d.shortest() / d.span)
    return _draft(d, "u_tt - c**2*lap(u)", d.solution(_circles(d, variant)), _faces(d, variant), {"c": c})


def reaction_box(d: Dice, variant: str) -> Draft:
    given = {"D": d.diffusion(), "r": d.rate(), "s": _short(d.rate() / d.amplitude**2)}
    text = "u_t - D*lap(u) - r*u + s*u**3"
    return _draft(d, text, d.solution(_circles(d, variant)), _faces(d, variant), given)


def schroedinger_box(d: Dice, variant: str) -> Draft:
    given = {"h": d.diffusion(), "s": _short(d.rate() / d.amplitude**2)}
    exact = {"q": d.wavefunction(_circles(d, variant))}
    text = "1j*q_t + h*lap(q) - s*abs(q)**2*q"
    return _draft(d, text, exact, _faces(d, variant, "q"), given, ("q",))


def transport_box(d: Dice, variant: str) -> Draft:
    given = {name: d.speed(axis) for name, axis in zip("abe", d.box, strict=False)}
    text = "u_t + " + " + ".join(f"{n}*u_{a}" for n, a in zip("abe", d.box, strict=False))
    if variant == "periodic":
        return _draft(d, text, d.solution(tuple(d.box)), {a: "periodic" for a in d.box}, given)
    ends = {f"{a}{s}": ["u"] if s == "-" else None for a in d.box for s in "-+"}
    return _draft(d, text, d.solution(), ends, given)


def biharmonic_box(d: Dice, variant: str) -> Draft:
    given = {"k": d.diffusion(0.001, 0.005, 4), "s": _short(d.rate() / d.amplitude**2)}
    text = "u_t + k*lap(lap(u)) + s*u**3"
    return _draft(d, text, d.solution(_circles(d, variant)), _faces(d, variant), given)


def burgers_box(d: Dice, variant: str) -> Draft:
    speed = min(d.length(a) for a in d.box) / d.span
    given = {"s": _short(d.spread(0.2, 0.8) * speed / d.amplitude), "D": d.diffusion(0.03, 0.3)}
    texts = ["u_t + s*(u*u_x + v*u_y) - D*lap(u)", "v_t + s*(u*v_x + v*v_y) - D*lap(v)"]
    ends = {a: ["u", "v"] for a in d.box} if variant == "dirichlet" else {a: "periodic" for a in d.box}
    circles = () if variant == "dirichlet" else tuple(d.box)
    return _draft(d, texts, {n: d.solution(circles) for n in "uv"}, ends, given)


GRAMMAR: tuple[tuple[Callable[[Dice, str], Draft], int, tuple[str, ...]], ...] = (
    (transport, 1, ("outflow", "periodic")),
    (transport_variable, 1, ("outflow", "periodic")),
    (diffusion, 1, ("robin", "mixed", "periodic")),
    (diffusion_variable, 1, ("dirichlet", "neumann")),
    (dispersion, 1, ("ends", "periodic")),
    (fourth_order, 1, ("clamped", "supported", "periodic")),
    (wave, 1, ("dirichlet", "absorbing", "neumann")),
    (beam, 1, ("clamped", "supported", "free-end")),
    (schroedinger, 1, ("dirichlet", "neumann", "periodic")),
    (bbm, 1, ("dirichlet", "periodic")),
    (reaction, 1, ("neumann", "periodic", "robin")),
    (burgers, 1, ("dirichlet", "mixed")),
    (porous, 1, ("dirichlet", "periodic")),
    (radiation, 1, ("nonlinear", "nonlinear")),
    (kdv, 1, ("ends", "periodic")),
    (sine_gordon, 1, ("dirichlet", "periodic")),
    (cubic_wave, 1, ("neumann", "robin")),
    (nls, 1, ("dirichlet", "periodic")),
    (ginzburg_landau, 1, ("neumann", "periodic")),
    (kuramoto, 1, ("clamped", "periodic")),
    (inviscid, 1, ("outflow", "outflow")),
    (predator_prey, 1, ("mixed", "periodic")),
    (acoustics, 1, ("wall", "periodic")),
    (nerve, 1, ("neumann",)),
    (cahn_hilliard, 1, ("periodic",)),
    (thermoelastic, 1, ("mixed",)),
    (heat_box, 2, ("mixed", "robin")),
    (stirring, 2, ("dirichlet",)),
    (skew_diffusion, 2, ("periodic", "dirichlet")),
    (membrane, 2, ("dirichlet", "periodic")),
    (reaction_box, 2, ("neumann", "periodic")),
    (schroedinger_box, 2, ("periodic", "dirichlet")),
    (transport_box, 2, ("outflow", "periodic")),
    (biharmonic_box, 2, ("periodic",)),
    (burgers_box, 2, ("dirichlet", "periodic")),
    (heat_box, 3, ("mixed",)),
    (transport_box, 3, ("periodic",)),
    (reaction_box, 3, ("neumann",)),
    (membrane, 3, ("periodic",)),
)


def _numbered() -> dict[str, tuple[Callable, str, int, int, bool]]:
    found = {}
    for template, dimension, variants in GRAMMAR:
        for variant in variants:
            number = len(found)
            hard = number % 3 == 2  # every third with shorter waves and faster motion
            name = template.__name__.removesuffix("_box").replace("_", "-")
            label = f"random-{number:02d}-{name}-{dimension}d-{variant}{'-hard' if hard else ''}"
            found[label] = (template, variant, number, dimension, hard)
    return found


TABLE = _numbered()


def names() -> tuple[str, ...]:
    """Names of all problems: template, dimension, conditions, and whether the solution is demanding."""
    return tuple(TABLE)


@functools.cache
def draft(name: str, seed: int = SEED) -> Draft:
    """The problem before its data are computed."""
    template, variant, number, dimension, hard = TABLE[name]
    return template(Dice(seed, number, dimension, hard), variant)


def build(name: str, seed: int = SEED) -> Problem:
    """The problem called `name`."""
    return draft(name, seed).problem(name)


# Check ------------------------------------------------------------------------------------------


def residual(name: str, seed: int = SEED) -> float:
    """Largest residual of the exact solution in what lrfm understood, relative to the size of the terms."""
    problem, exact = build(name, seed), draft(name, seed).exact
    rng = np.random.default_rng(0)
    low = np.array([*problem.domain.lower, problem.time[0]])
    high = np.array([*problem.domain.upper, problem.time[1]])
    worst = 0.0
    places = [(problem.rows, None), *((rows, face) for face, rows in problem.face_rows.items())]
    for rows, face in places:
        points = low + (high - low) * rng.random((50, len(low)))
        if face is not None:
            axis, upper = problem.domain.face(face)
            points[:, axis] = (high if upper else low)[axis]
        for row in rows:
            values = {jet: _exact_jet(exact, jet, problem, points) for jet in row.jets}
            size = np.max(np.abs(row.magnitude(points, values)))
            worst = max(worst, float(np.max(np.abs(row.residual(points, values))) / (size or 1.0)))
    return worst


def _exact_jet(exact: Mapping[str, sp.Expr], jet, problem: Problem, points: np.ndarray) -> np.ndarray:
    coordinates = (*problem.domain.names, "t")
    value = exact[jet.unknown]
    for name, order in zip(coordinates, jet.index, strict=True):
        value = sp.diff(value, SYMBOLS[name], order) if order else value
    found = np.broadcast_to(numeric(value, coordinates)(*points.T), len(points))
    return np.asarray(found.imag if jet.field.endswith(".im") else found.real, dtype=float)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    for name in (n for n in names() if harness.chosen(n, args.only)):
        if not args.check:
            plan = draft(name, args.seed)
            harness.say(f"{name}: {'; '.join(plan.equations)} | {dict(plan.box)}, t in {plan.time}")
            continue
        try:
            problem = build(name, args.seed)
            gap = residual(name, args.seed)
            flag = "" if gap < 1e-12 else "  <-- WRONG"
            harness.say(
                f"{name}: residual of the exact solution {gap:.1e}{flag} {'; '.join(problem.warnings)}"
            )
        except Exception as error:
            harness.say(f"{name}: {type(error).__name__}: {error}")


if __name__ == "__main__":
    main()
