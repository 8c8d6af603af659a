# SPDX-License-Identifier: MIT
"""Would degrees that are chosen cell by cell save unknowns? The fewest of them that hold states of solutions, by halving an interval.

    python benchmarks/degrees.py            # into benchmarks/results/degrees.jsonl
    python benchmarks/degrees.py --summary

With e(K, p) the L² error of the best polynomial of degree p on a cell K, relative to the state, and p + 1 − m unknowns per cell (m: order in space, what
continuity takes), the fewest unknowns with  Σ e² ≤ (share tol)²  are  min Σ (p + 1 − m) + λ Σ e²  for some λ: over all trees of halves and all degrees 3 to 24 of each
cell for which it has m + 1 points (the fewest that collocation takes), or over all trees with one degree, that of the engine for this tolerance or the best one that is not lower. The minimum of a tree is that of its parts, so it is exact.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from dataclasses import dataclass

import cells
import harness
import numpy as np

import lrfm
from lrfm.discretize.options import Options

RESULT = harness.RESULTS / "degrees.jsonl"
DEGREES = range(3, 25)
NODES, DEEPEST = 64, 18
PARTS = (0.02, 0.3, 1.0)  # of the time span, at which states are taken
TOLERANCES, STRICT = (1e-3, 1e-6), 1e-9
WORK = 1.5  # power of the points of a cell with which its cost grows (`Options.count`)
CELLS = ("burgers", "two-layers 1e-2", "two-layers 1e-3", "tent", "quench", "narrow source")
CATALOG = (
    "heat-1d",
    "allen-cahn",
    "kdv-periodic",
    "kuramoto-sivashinsky",
    "fitzhugh-nagumo",
    "fisher-kpp",
    "gray-scott",
    "sine-gordon",
)


@dataclass(frozen=True)
class Tree:
    """Halves of an interval level by level: e² of each degree and cell (degrees, cells); cells 2j and 2j + 1 of a level are halves of cell j of those that go on."""

    errors: list[np.ndarray]
    halved: list[np.ndarray]


def tree(
    low: float, high: float, state: Callable[[np.ndarray], np.ndarray], least: float, degree: int
) -> Tree:
    """All halves of an interval until each is resolved with a degree to `least`."""
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    order = np.arange(NODES)
    project = (
        np.polynomial.legendre.legvander(nodes, NODES - 1) * weights[:, None] * np.sqrt(2 * order + 1) / 2
    )
    x = low + (high - low) * np.random.default_rng(0).random(20_000)
    sizes = np.mean(state(x) ** 2, axis=1)
    left, width, errors, halved = np.array([low]), high - low, [], []
    for level in range(DEEPEST + 1):
        places = left[:, None] + width * (nodes + 1) / 2
        values = state(places.ravel()).reshape(len(sizes), len(left), NODES)
        squares = np.sum((values @ project) ** 2 / sizes[:, None, None], axis=0) * width / (high - low)
        beyond = np.cumsum(squares[:, ::-1], axis=1)[:, ::-1]
        errors.append(np.stack([beyond[:, p + 1] for p in DEGREES]))
        goes = (errors[-1][DEGREES.index(degree)] > least**2) & (level < DEEPEST)
        halved.append(goes)
        if not goes.any():
            break
        width /= 2
        left = np.stack([left[goes], left[goes] + width], axis=1).ravel()
    return Tree(errors, halved)


def fewest(
    made: Tree, degrees: list[int], order: int, budget: float, power: float = 1.0
) -> tuple[int, int, int]:
    """Unknowns, or their work with another power, the lowest and the highest degree of the cheapest cells that meet a budget."""
    rows = [DEGREES.index(p) for p in degrees]
    unknowns = np.array([p + 1 - order for p in degrees]) ** power
    best, factor = None, np.array([-4.0, 40.0])
    for _ in range(60):
        weight = np.exp(np.mean(factor))
        found = _cheapest(made, rows, unknowns, weight)
        if found[1] <= budget**2:
            best, factor[1] = found, np.mean(factor)
        else:
            factor[0] = np.mean(factor)
    assert best is not None, "not resolved"
    used = [degrees[i] for i in best[2]]
    return int(best[0]), min(used), max(used)


def _cheapest(
    made: Tree, rows: list[int], unknowns: np.ndarray, weight: float
) -> tuple[float, float, list[int]]:
    """Unknowns, Σ e² and degrees of the tree with the least  Σ unknowns + weight Σ e²."""
    below: list[tuple[float, float, list[int]]] = []
    for errors, halved in zip(reversed(made.errors), reversed(made.halved), strict=True):
        cost = unknowns[:, None] + weight * errors[rows]
        choice, children, here = np.argmin(cost, axis=0), iter(below), []
        for k, i in enumerate(choice):
            own = (float(unknowns[i]), float(errors[rows[i], k]), [int(i)])
            if halved[k]:
                (n, e, used), (m, f, more) = next(children), next(children)
                if n + m + weight * (e + f) < cost[i, k]:
                    own = (n + m, e + f, used + more)
            here.append(own)
        below = here
    return below[0]


def rows_of(name: str, problem: lrfm.Problem) -> list[dict[str, object]]:
    """Lines of one statement: of each state and tolerance."""
    solution, found = lrfm.solve(problem, tol=STRICT, strict=False, max_seconds=60), []
    ((low, high),), (start, end) = problem.domain.axes.values(), problem.time
    axis = problem.domain.names[0]
    order = max(jet.index[0] for row in problem.rows for jet in row.jets)
    for part in PARTS:
        time = start + part * (end - start)

        def state(x: np.ndarray, time: float = time) -> np.ndarray:
            return np.stack([solution[f](**{axis: x, "t": np.full(x.shape, time)}) for f in problem.fields])

        for tol in TOLERANCES:
            options = Options(tol=tol)
            budget, own = options.space_share * tol, options.points(order) + order - 1
            made = tree(float(low), float(high), state, budget / 30, own)
            allowed = [p for p in DEGREES if p >= 2 * order]
            free, lowest, highest = fewest(made, allowed, order, budget)
            one = fewest(made, [own], order, budget)[0]
            work = [fewest(made, some, order, budget, WORK)[0] for some in ([own], allowed)]
            best = min(fewest(made, [p], order, budget)[0] for p in DEGREES if p >= own)
            line = {"statement": name, "part": part, "tol": tol, "order": order, "degree": own}
            found.append(
                line
                | {
                    "one": one,
                    "best_one": best,
                    "free": free,
                    "lowest": lowest,
                    "highest": highest,
                    "work": work[0],
                    "free_work": work[1],
                }
            )
            print(found[-1], flush=True)
    return found


def summary() -> None:
    """The table of the notes, and its medians."""
    lines = [json.loads(line) for line in RESULT.read_text().splitlines()]
    for tol in TOLERANCES:
        own = [line for line in lines if line["tol"] == tol]
        for kind, least in (("one", "free"), ("best_one", "free"), ("work", "free_work")):
            ratios = np.array([line[kind] / line[least] for line in own])
            print(
                f"{tol:g} {kind}: median {np.median(ratios):.2f}, from {ratios.min():.2f} to {ratios.max():.2f} ({len(own)} states)"
            )
    for name in dict.fromkeys(line["statement"] for line in lines):
        own = [line for line in lines if line["statement"] == name]
        cells_of = [f"{line['one']}/{line['free']} ({line['lowest']}-{line['highest']})" for line in own]
        print(f"| {name} | " + " | ".join(cells_of) + " |")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--summary", action="store_true")
    if parser.parse_args().summary:
        return summary()
    problems = {name: cells.STATEMENTS[name][0] for name in CELLS}
    problems |= {name: getattr(lrfm.catalog, name.replace("-", "_")) for name in CATALOG}
    lines = [line for name, make in problems.items() for line in rows_of(name, make())]
    RESULT.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return summary()


if __name__ == "__main__":
    main()
