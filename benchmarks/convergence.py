# SPDX-License-Identifier: MIT
"""Error against the number of features and against seconds, with the best P-term spectral expansion.

    python benchmarks/convergence.py                                  # into results/convergence.*
    python benchmarks/convergence.py --only burgers --features 50 100 200
    python benchmarks/convergence.py --summary                        # only the plot of what is there

The window is not split, so that P is the readout size of the whole solution.
"""

from __future__ import annotations

import functools
import math
from pathlib import Path

import harness  # sets the number of threads, so it comes before NumPy
import numpy as np
import scipy.fft

from lrfm import catalog
from lrfm.problem import Problem
from lrfm.solution.reference import reference_values
from lrfm.solver.methods import SpaceTime

RESULT = harness.RESULTS / "convergence.jsonl"
PICTURE = harness.RESULTS / "convergence.png"
NAMES = ("heat-1d", "allen-cahn", "burgers", "kdv-consistent", "nls", "multiscale-1d", "wave", "heat-2d")
SIZES = (50, 100, 200, 400, 800)
MODES = {1: 257, 2: 49}  # per axis, in space and time


def run_one(name: str, features: int, seed: int, seconds: float) -> harness.Row:
    """Automatic choice at a fixed number of features per field, one window."""
    problem = catalog.get(name)
    _, row = harness.run_solve(
        problem, method=SpaceTime(features=features, blocks=1), seed=seed, max_seconds=seconds
    )
    return {"problem": name, "P": features * len(problem.fields), "seed": seed, **row}


def spectral_limit(problem: Problem, sizes: np.ndarray) -> np.ndarray:
    """√(Σ_{n>P} |c_n|² / Σ |c_n|²), c sorted: Fourier along periodic axes, Chebyshev along others and time.

    A complex coefficient counts as two readouts.
    """
    axes = {**problem.domain.axes, "t": problem.time}
    grids = []
    for name, (low, high) in axes.items():
        n = MODES[problem.domain.dimension]
        if name in problem.periodic:
            grids.append(low + (high - low) * np.arange(n) / n)
        else:
            grids.append(low + (high - low) * 0.5 * (1 - np.cos(np.pi * (np.arange(n) + 0.5) / n)))
    where = dict(zip(axes, np.meshgrid(*grids, indexing="ij"), strict=True))
    squares = []
    for value in reference_values(problem, where).values():
        for part in (np.real(value), np.imag(value)):  # zeros of a real field count for nothing
            squares.append(_squares(part, [n in problem.periodic for n in axes]))
    squares = np.sort(np.concatenate(squares))[::-1]
    tail = np.append(np.cumsum(squares[::-1])[::-1], 0.0)
    return np.sqrt(tail[np.minimum(sizes, len(squares))] / tail[0])


def _squares(values: np.ndarray, periodic: list[bool]) -> np.ndarray:
    """Squares of real coefficients in an orthonormal basis of sines and cosines or Chebyshev polynomials."""
    for axis, circle in enumerate(periodic):
        if circle:
            hat = np.moveaxis(scipy.fft.rfft(values, axis=axis, norm="ortho"), axis, 0)
            hat[1:] *= math.sqrt(2.0)  # the number of points is odd, so there is no middle mode
            values = np.moveaxis(np.concatenate([hat.real, hat.imag[1:]]), 0, axis)
        else:
            values = scipy.fft.dct(values, axis=axis, norm="ortho")
    return np.square(values).ravel()


def picture(rows: list[harness.Row], path: Path) -> None:
    """Two panels per problem: error against P with the limit line, error against seconds."""
    from matplotlib.figure import Figure

    found = [n for n in catalog.names(spin=False) if any(r.get("problem") == n for r in rows)]
    if not found:
        return
    figure = Figure(figsize=(2.4 * len(found) + 0.8, 5.0), layout="constrained")
    panels = figure.subplots(2, len(found), sharey=True, squeeze=False)
    for column, name in enumerate(found):
        some = [r for r in rows if r.get("problem") == name]
        upper, lower = panels[:, column]
        sizes = np.array(sorted({int(r["P"]) for r in some}))
        for axes, key in ((upper, "P"), (lower, "seconds")):
            x, y = [harness.number(r, key) for r in some], [harness.number(r, "error") for r in some]
            axes.plot(x, y, "o", ms=4, color="#1f5f99", alpha=0.7, label="error")
            estimate = [min(harness.number(r, "estimate"), 1e3) for r in some]
            axes.plot(x, estimate, "_", ms=7, color="#d2691e", label="estimate")
            axes.set(xscale="log", yscale="log", ylim=(1e-16, 10))
            axes.grid(True, color="0.92", lw=0.6)
        problem = catalog.get(name)
        if problem.domain.dimension in MODES:
            dense = np.unique(np.geomspace(max(10, sizes[0] / 2), sizes[-1] * 1.3, 40).astype(int))
            limit = np.maximum(spectral_limit(problem, dense), 1e-16)
            upper.plot(dense, limit, color="0.3", lw=1, label="best P-term expansion")
        upper.set_title(name, fontsize=9)
        times = [harness.number(r, "seconds") for r in some]
        lower.set_xlim(10 ** math.floor(math.log10(min(times))), 10 ** math.ceil(math.log10(max(times))))
        upper.set_xlabel("P")
        lower.set_xlabel("seconds, with the choice")
    for row in panels:
        row[0].set_ylabel("relative L² error")
    panels[0, 0].legend(fontsize=7, loc="lower left", frameon=False)
    figure.savefig(path, dpi=140)


def _shown(row: harness.Row, *names: str) -> list[str]:
    return [harness.show(harness.number(row, name)) for name in names]


def main() -> None:
    parser = harness.job_options(__doc__, RESULT, jobs=1, seconds=600.0)
    parser.add_argument(
        "--only", nargs="*", default=list(NAMES), choices=catalog.names(spin=False), metavar="NAME"
    )
    parser.add_argument("--features", type=int, nargs="*", default=list(SIZES), help="per field")
    parser.add_argument("--seeds", type=int, default=2)
    args = parser.parse_args()
    jobs = [
        (f"{n} {f} seed {s}", functools.partial(run_one, n, f, s, args.max_seconds))
        for f in args.features
        for n in args.only
        for s in range(args.seeds)
    ]
    rows = list(harness.run_asked(args, jobs).values())
    lines = [
        [r["problem"], r["P"], r["seed"], *_shown(r, "error", "estimate"), f"{r['seconds']:.3g}"]
        for r in rows
        if "problem" in r
    ]
    harness.say(harness.table(("problem", "P", "seed", "error", "estimate", "seconds"), lines))
    picture(rows, args.out.with_suffix(".png"))


if __name__ == "__main__":
    main()
