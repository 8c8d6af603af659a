# SPDX-License-Identifier: MIT
"""Random statements nobody tuned for: every kind of equation, six families of solutions, seeded.

A template of `random_problems` gives equation, coefficients and conditions; the family gives the exact solution, from which
SymPy computes source and boundary data. Widths go down to 1/200 of the box. The family `kinked` has besides these,
which lack a derivative, statements whose kinks are in the initial data and whose solutions are formulas.

    python benchmarks/field/unseen.py --check           # insert every exact solution into what lrfm understood
    python benchmarks/field/unseen.py --seed 7          # another set, as long as the first
"""

from __future__ import annotations

import argparse
import functools
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import harness
import numpy as np
import random_problems as templates
import sympy as sp

from field import kinks
from field.record import Goal, Statement

SEED = 1
NARROW = 200  # the least width is the box over this
FAMILIES = ("smooth", "localized", "layered", "travelling", "multi-scale", "kinked")
LINE = {  # template and conditions by family: twelve each, all templates, all kinds of ends
    "smooth": (0, 3, 7, 9, 12, 16, 19, 24, 29, 33, 40, 47),
    "localized": (1, 4, 8, 11, 14, 18, 20, 25, 30, 35, 42, 48),
    "layered": (5, 6, 10, 13, 15, 21, 23, 26, 28, 31, 37, 45),
    "travelling": (2, 4, 10, 17, 19, 22, 27, 32, 34, 39, 43, 49),
    "multi-scale": (1, 5, 8, 12, 16, 20, 24, 30, 36, 38, 41, 50),
    "kinked": (3, 7, 11, 13, 26, 37, 44),
}
PLANE = {  # the same with two axes
    "smooth": (0, 3),
    "localized": (1, 5, 8),
    "layered": (2, 10),
    "travelling": (6, 9),
    "multi-scale": (4, 7),
}


class Dice(templates.Dice):
    """Random numbers of one statement, whose solutions belong to a family."""

    def __init__(self, family: str, seed: int, number: int, dimension: int):
        super().__init__(seed, 1000 + number, dimension, False)
        self.family = family

    def width(self, share: float = 1 / NARROW) -> float:
        """Log-uniform between a share of the box and a sixth of it; above one dimension not below 1/25."""
        least = share if self.dimension == 1 else max(share, 1 / 25)
        return self.spread(least, 1 / 6)

    def shift(self, axis: str, speed: float = 0.0) -> sp.Expr:
        """The distance in units of the box from a place that may move."""
        return self.unit(axis) - self.uniform(0.25, 0.75) - self.uniform(-speed, speed) * self.clock

    def around(self, axis: str, periodic: Sequence[str], shift: sp.Expr) -> sp.Expr:
        """The distance made periodic where it has to be: sin(2πs)/2π has the slope one at its zeros."""
        return sp.sin(2 * sp.pi * shift) / (2 * sp.pi) if axis in periodic else shift

    def bump(self, periodic: Sequence[str], speed: float = 0.0) -> sp.Expr:
        """e^{−s²/2w²} along every axis."""
        total = 0
        for axis in self.box:
            s = self.shift(axis, speed)
            s = sp.sin(sp.pi * s) / sp.pi if axis in periodic else s
            total += s**2 / (2 * self.width() ** 2)
        return sp.exp(-total)

    def front(self, periodic: Sequence[str], speed: float = 0.0) -> sp.Expr:
        """tanh(s/w) across one direction."""
        axis = str(self.pick(*self.box))
        s = self.around(axis, periodic, self.shift(axis, speed))
        for other in self.box:
            if other != axis and other not in periodic:
                s += self.uniform(-0.4, 0.4) * self.unit(other)
        return sp.tanh(s / self.width())

    def wall(self, periodic: Sequence[str]) -> sp.Expr:
        """e^{−s/w} at a wall, or a front where there is none."""
        free = [a for a in self.box if a not in periodic]
        if not free:
            return self.front(periodic)
        axis = str(self.pick(*free))
        s = self.unit(axis) if self.sign() > 0 else 1 - self.unit(axis)
        return sp.exp(-s / self.width())

    def ripple(self, periodic: Sequence[str]) -> sp.Expr:
        """A short wave, four to twenty-five across the box, under a long one."""
        axis = str(self.pick(*self.box))
        count = int(self.rng.integers(4, 26 if self.dimension == 1 else 9))
        turn = 2 * sp.pi * count * self.unit(axis) + self.uniform(0, 6.28) - self.uniform(-3, 3) * self.clock
        return sp.Float(self.spread(0.02, 0.5)) * sp.sin(turn)

    def corner(self, periodic: Sequence[str]) -> sp.Expr:
        """max(s, 0)⁴: the fourth derivative jumps; (max(sin, 0))⁴ where it has to be periodic."""
        axis = str(self.pick(*self.box))
        s = self.around(axis, periodic, self.shift(axis)) * 4
        return sp.Piecewise((s**4, s > 0), (0, True))

    def shape(self, periodic: Sequence[str]) -> sp.Expr:
        if self.family == "localized":
            return self.bump(periodic) * self.motion()
        if self.family == "layered":
            return self.pick(self.wall, self.front)(periodic) * self.motion()  # type: ignore[operator]
        if self.family == "travelling":
            return self.pick(self.bump, self.front)(periodic, 0.6)  # type: ignore[operator]
        if self.family == "multi-scale":
            return super().shape(periodic) + self.ripple(periodic)
        if self.family == "kinked":
            return self.corner(periodic) * self.motion()
        return super().shape(periodic)


def _variants(dimension: int) -> list[tuple[Callable, str]]:
    """Templates with their conditions, in the order of the grammar."""
    return [(t, v) for t, d, variants in templates.GRAMMAR if d == dimension for v in variants]


def _table() -> dict[str, tuple[str, Callable, str, int, int]]:
    found = {}
    for dimension, plan in ((1, LINE), (2, PLANE)):
        variants = _variants(dimension)
        for family, numbers in plan.items():
            for number in numbers:
                template, variant = variants[number % len(variants)]
                short = template.__name__.removesuffix("_box").replace("_", "-")
                label = f"{family}-{len(found):02d}-{short}-{dimension}d-{variant}"
                found[label] = (family, template, variant, len(found), dimension)
    return found


TABLE = _table()


@functools.cache
def draft(label: str, seed: int = SEED) -> templates.Draft:
    """The statement before its data are computed."""
    family, template, variant, number, dimension = TABLE[label]
    return template(Dice(family, seed, number, dimension), variant)


def statements(seed: int = SEED) -> tuple[Statement, ...]:
    """All of them for one seed."""
    made = [
        Statement(
            name=f"unseen-{seed}-{label}",
            group="unseen",
            build=functools.partial(_build, label, seed),
            wanted=(Goal(1e-3), Goal(1e-6)),
        )
        for label in TABLE
    ]
    return (*made, *kinks.statements(seed))


def _build(label: str, seed: int):
    return draft(label, seed).problem(f"unseen-{seed}-{label}")


def residual(label: str, seed: int = SEED) -> float:
    """Largest residual of the exact solution in what lrfm understood, relative to the size of the terms anywhere."""
    problem, exact = _build(label, seed), draft(label, seed).exact
    rng, worst = np.random.default_rng(0), 0.0
    low = np.array([*problem.domain.lower, problem.time[0]])
    high = np.array([*problem.domain.upper, problem.time[1]])
    inside = low + (high - low) * rng.random((50, len(low)))
    for face, rows in ((None, problem.rows), *problem.face_rows.items()):
        points = inside.copy()
        if face is not None:
            axis, upper = problem.domain.face(face)
            points[:, axis] = (high if upper else low)[axis]
        for row in rows:
            here, there = (
                {jet: templates._exact_jet(exact, jet, problem, where) for jet in row.jets}
                for where in (points, inside)
            )
            size = max(np.abs(row.magnitude(points, here)).max(), np.abs(row.magnitude(inside, there)).max())
            worst = max(worst, float(np.abs(row.residual(points, here)).max() / (size or 1.0)))
    return worst


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    for label in (n for n in TABLE if harness.chosen(n, args.only)):
        plan = draft(label, args.seed)
        said = "; ".join(plan.equations)
        if args.check:
            gap = residual(label, args.seed)
            said = f"residual of the exact solution {gap:.1e}" + ("" if gap < 1e-11 else "  <-- WRONG")
        harness.say(f"{label}: {said}")


if __name__ == "__main__":
    main()
