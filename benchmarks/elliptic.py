# SPDX-License-Identifier: MIT
"""Random elliptic statements with manufactured solutions: is what is claimed true?

    python benchmarks/elliptic.py             all 200, those of this commit are not made again; writes benchmarks/results/elliptic.jsonl
    python benchmarks/elliptic.py 0 20        numbers 0 to 19
    python benchmarks/elliptic.py summary     what the rows say

A statement has a domain (interval, box, disk, L-shape, plate with holes), coefficients, convection, reaction, a nonlinear term, one or two unknowns, and
conditions of Dirichlet, Neumann or Robin. Its solution is a formula U, and its sources are the same equation with U for u, differentiated by the
language itself. A claim (estimate at most the tolerance) is false where the error, relative in L², is larger than the tolerance.
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from pathlib import Path

import harness
import numpy as np

import lrfm
from lrfm.solution.reference import reference_values

OUT = Path(__file__).parent / "results" / "elliptic.jsonl"
COUNT, SECONDS = 200, 900.0  # by the clock: what counts are the seconds of the processor in each row
SQUARE = lrfm.Box(x=(0, 1), y=(0, 1))
DOMAINS = {
    "interval": lrfm.Box(x=(0, 1)),
    "box": lrfm.Box(x=(0, 1.5), y=(0, 1)),
    "disk": lrfm.Disk(),
    "L-shape": lrfm.Box(x=(-1, 1), y=(-1, 1)) - lrfm.Box(x=(0, 2), y=(-2, 0)),
    "holes": SQUARE - lrfm.Disk(center=(0.3, 0.35), radius=0.12) - lrfm.Disk(center=(0.7, 0.65), radius=0.15),
}
REACTIONS = ("u**3", "exp(u)", "sinh(u)", "u*abs(u)", "u**2", "u/(1 + u**2)", "sin(3*u)")


class Draw:
    """One random statement; every choice follows from its number."""

    def __init__(self, number: int):
        self.rng = np.random.default_rng([number, 2026])
        self.kind = list(DOMAINS)[number % len(DOMAINS)]
        self.domain = DOMAINS[self.kind]
        self.axes = list(self.domain.axes)
        self.tol = float(self.rng.choice([1e-3, 1e-4, 1e-6]))
        self.names = ["u", "v"] if self.rng.random() < 0.25 else ["u"]
        self.exact = {name: self._function() for name in self.names}

    def _number(self, low: float, high: float) -> str:
        return f"{self.rng.uniform(low, high):.3f}"

    def _function(self) -> str:
        """A smooth function, or one with a layer or a bump."""
        phase = " + ".join(f"{self._number(-4, 4)}*{a}" for a in self.axes)
        kinds = [f"sin({phase} + {self._number(0, 6)})", f"exp(0.5*({phase}))", f"1/(2 + cos({phase}))"]
        center = [self._number(0.2, 0.8) for _ in self.axes]
        square = " + ".join(f"({a} - {c})**2" for a, c in zip(self.axes, center, strict=True))
        kinds += [f"exp(-{self._number(4, 60)}*({square}))", f"tanh({self._number(1, 8)}*({phase} - 0.3))"]
        one, other = self.rng.choice(kinds, 2, replace=False)
        return f"({one} + {self._number(-1, 1)}*{other})"

    def _coefficient(self) -> str:
        if self.rng.random() < 0.4:
            return self._number(0.2, 3)
        phase = " + ".join(f"{self._number(-3, 3)}*{a}" for a in self.axes)
        return str(
            self.rng.choice([f"(1.5 + sin({phase}))", f"exp(0.5*sin({phase}))", f"(1 + 0.5*({phase})**2)"])
        )

    def _operator(self, name: str) -> str:
        """−div(a grad u) + b·grad u + c u + a nonlinear term, with an unknown as @name@."""
        a, one = self._coefficient(), f"@{name}@"
        parts = [f"-diff({a}*diff({one}, {x}), {x})" for x in self.axes]
        if self.rng.random() < 0.5:
            size = float(self.rng.choice([1, 5, 20]))
            parts += [f"{self._number(-size, size)}*diff({one}, {x})" for x in self.axes]
        parts += [f"{self._number(0, 5)}*{one}"] if self.rng.random() < 0.5 else []
        if self.rng.random() < 0.4:
            parts += [
                f"{self._number(0, 2)}*"
                + str(self.rng.choice(REACTIONS)).replace("u", one).replace(f"s{one}", "su")
            ]
        for other in self.names:
            parts += [f"{self._number(-1, 1)}*@{other}@"] if other != name else []
        return " + ".join(parts).replace("+ -", "- ")

    def _condition(self, name: str, kind: str) -> str:
        """u = U, ∂u/∂n = ∂U/∂n, or ∂u/∂n + c u = the same of U, with n_x, n_y as the language has them."""
        U = self.exact[name]
        if kind == "u":
            return f"{name} = {U}"
        if len(self.axes) == 1:
            slope = f"n_x*diff({U}, x)"
        else:
            slope = f"n_x*diff({U}, x) + n_y*diff({U}, y)"
        c = "0" if kind == "n" else self._number(0.5, 3)
        return f"{name}_n + {c}*{name} = {slope} + {c}*{U}" if kind == "r" else f"{name}_n = {slope}"

    def statement(self) -> lrfm.Problem:
        equations = []
        for name in self.names:
            left = right = self._operator(name)
            for each in self.names:
                left, right = left.replace(f"@{each}@", each), right.replace(f"@{each}@", self.exact[each])
            equations.append(f"{left} = {right}")
        parts = [p for p in self.domain.parts] if hasattr(self.domain, "parts") else list(self.domain.faces)
        boundary = {}
        for i, part in enumerate(parts):
            kinds = ["u" if i == 0 else str(self.rng.choice(["u", "u", "n", "r"])) for _ in self.names]
            boundary[part] = [self._condition(n, k) for n, k in zip(self.names, kinds, strict=True)]
        return lrfm.Problem(equations, domain=self.domain, boundary=boundary, reference=self.exact)


def made(number: int) -> dict[str, object]:
    """A row: error, estimate, seconds, or what was said."""
    draw = Draw(number)
    row: dict[str, object] = {
        "number": number,
        "domain": draw.kind,
        "unknowns": len(draw.names),
        "tol": draw.tol,
    }
    began = time.process_time()
    try:
        problem = draw.statement()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            solution = lrfm.steady(problem, tol=draw.tol, strict=False, max_seconds=SECONDS)
    except (lrfm.ProblemError, lrfm.ConvergenceError) as error:
        return row | {"said": str(error)[:200], "seconds": round(time.process_time() - began, 2)}
    seconds = round(time.process_time() - began, 2)
    points = problem.domain.quadrature(3000).points
    places = dict(zip(draw.axes, points.T, strict=True))
    exact = reference_values(problem, places)
    errors = [
        float(np.linalg.norm(solution[name](**places) - exact[name]) / np.linalg.norm(exact[name]))
        for name in draw.names
    ]
    estimate = float(solution.report.error_estimate)
    return row | {
        "error": max(errors),
        "estimate": estimate,
        "claimed": bool(estimate <= draw.tol),
        "seconds": seconds,
    }


def summary(rows: list[dict]) -> str:
    """How many were claimed, how many claims were false, and by how much."""
    claimed = [r for r in rows if r.get("claimed")]
    false = [r for r in claimed if r["error"] > r["tol"]]
    worst = max((r["error"] / r["tol"] for r in false), default=0.0)
    above = [r for r in claimed if r["error"] > r["estimate"] and r["error"] > 1e-13]
    return (
        f"{len(rows)} statements, {len(claimed)} claimed, {len(false)} false (worst {worst:.1f} tol), "
        f"{len(above)} with an error above the estimate, {sum('said' in r for r in rows)} refused, "
        f"{sum(r['seconds'] for r in rows):.0f} s"
    )


def main() -> None:
    """The numbers asked for that this commit has not computed yet."""
    rows, where = {}, harness.as_installed()
    if OUT.exists():
        rows = {r["number"]: r for r in map(json.loads, OUT.read_text(encoding="utf-8").splitlines())}
    if sys.argv[1:] != ["summary"]:
        first, last = map(int, sys.argv[1:3]) if sys.argv[1:] else (0, COUNT)
        for number in range(first, last):
            if rows.get(number, {}).get("commit") == where["commit"]:
                continue
            row = rows[number] = made(number) | where
            print(json.dumps(row), flush=True)
            OUT.write_text("".join(json.dumps(rows[n]) + "\n" for n in sorted(rows)), encoding="utf-8")
    print(summary([rows[n] for n in sorted(rows)]))


if __name__ == "__main__":
    main()
