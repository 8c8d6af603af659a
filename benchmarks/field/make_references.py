# SPDX-License-Identifier: MIT
"""Compute the stored references: each twice, at two resolutions, whose difference is kept beside the values.

    python benchmarks/field/make_references.py                 # those that are missing
    python benchmarks/field/make_references.py --only kdv ks   # these, again
    python benchmarks/field/make_references.py --list          # what is there, and how well it is known

All together take about half an hour on one core.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import harness
import numpy as np

from field import cavity
from field.evolutions import RECIPES, Recipe
from field.fourier import evolve
from field.record import STORE, Sample, spread, trapezoid_weights

NAMES = (*RECIPES, "cavity-100")


def computed(recipe: Recipe) -> Sample:
    """The finer computation at points, and its difference from the coarser one."""
    e = recipe.evolution
    lower, upper = recipe.box or (e.lower, tuple(a + b for a, b in zip(e.lower, e.lengths, strict=True)))
    points = spread(np.array(lower), np.array(upper), recipe.points)
    shares = np.unique(np.r_[np.arange(recipe.times + 1) / recipe.times, recipe.early])
    modes, steps = (
        round(share * size) for share, size in zip(recipe.coarse, (e.modes, e.steps), strict=True)
    )
    modes += modes % 2
    fine = evolve(e, stops(shares, e.steps), points)
    rough = evolve(e.with_size(modes, steps), stops(shares, steps), points)
    times = e.time[0] + (e.time[1] - e.time[0]) * shares
    how = f"Fourier {e.modes} modes per axis, ETDRK4 {e.steps} steps; against {modes} and {steps}"
    return compared(recipe.unknowns, times, points, fine, rough, recipe.trust, how, recipe.after)


def stops(shares: np.ndarray, steps: int) -> list[int]:
    found = np.round(shares * steps).astype(int)
    if np.abs(found - shares * steps).max() > 1e-6:
        raise ValueError("A time lies between two steps.")
    return found.tolist()


def compared(names, times, points, fine, rough, trust: float, how: str, after: float = -math.inf) -> Sample:
    """A sample with the relative difference of two computations (times, unknowns, points) where it is trusted.

    Times before `after` do not count: no two truncated series agree on a kink.
    """
    square = lambda v: np.mean(np.abs(v) ** 2, axis=2)  # noqa: E731
    size = np.sqrt(trapezoid_weights(times) @ square(fine))
    by_time = (np.sqrt(square(fine - rough)) / size).max(axis=1)
    bad = np.flatnonzero((by_time > trust) & (times >= after))
    trusted = math.inf if not len(bad) else float(times[max(bad[0] - 1, 0)])
    if trusted < max(after, times[1]):
        said = ", ".join(f"{g:.0e} at t = {t:.3g}" for t, g in zip(times, by_time, strict=True))
        raise ValueError(f"Two computations do not agree: {said}.")
    used = (times <= trusted) & (times >= after)
    weight = trapezoid_weights(times[used])
    gap = np.sqrt(weight @ square(fine - rough)[used]) / np.sqrt(weight @ square(fine)[used])
    values = {n: fine[:, i] for i, n in enumerate(names)}
    return Sample(times, points, values, float(gap.max()), trusted, how)


def store(name: str, sample: Sample) -> None:
    STORE.mkdir(exist_ok=True)
    np.savez_compressed(
        STORE / f"{name}.npz",
        times=sample.times,
        points=sample.points,
        agreement=sample.agreement,
        trusted=sample.trusted,
        how=sample.how,
        **{f"v_{n}": v for n, v in sample.values.items()},
    )


def listing() -> str:
    """A table of what is stored."""
    rows = []
    for path in sorted(STORE.glob("*.npz")):
        with np.load(path) as data:
            until = float(data["trusted"])
            until = "the end" if math.isinf(until) else f"t = {until:g} of {data['times'][-1]:g}"
            rows.append([path.stem, harness.show(float(data["agreement"])), until, str(data["how"])])
    return harness.table(("reference", "two resolutions differ by", "trusted until", "how"), rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--only", nargs="*", default=[], help="names, or parts of them; computed even if present"
    )
    parser.add_argument("--list", action="store_true")
    args = parser.parse_args()
    if args.list:
        harness.say(listing())
        return
    for name in NAMES:
        if harness.chosen(name, args.only) if args.only else not (STORE / f"{name}.npz").exists():
            began = time.process_time()
            sample = cavity.computed(compared) if name == "cavity-100" else computed(RECIPES[name]())
            store(name, sample)
            seconds, size = time.process_time() - began, (STORE / f"{name}.npz").stat().st_size
            until = "" if math.isinf(sample.trusted) else f", trusted until t = {sample.trusted:g}"
            harness.say(
                f"{name}: {sample.agreement:.1e}{until}, {seconds:.0f} s, {size / 1e3:.0f} kB; {sample.how}"
            )


if __name__ == "__main__":
    main()
