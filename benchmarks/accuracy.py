# SPDX-License-Identifier: MIT
"""Accuracy at the paper's readout size P with the automatic choice, five seeds, beside the paper's best cell.

    python benchmarks/accuracy.py                         # all rows but the slow one, results/accuracy.jsonl
    python benchmarks/accuracy.py --only burgers kdv --seeds 2
    python benchmarks/accuracy.py --slow                  # with multi-scale 3-D at P = 3840
    python benchmarks/accuracy.py --summary               # the table of what is there

Rows of the same code are not run again; --fresh does.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass

import harness  # sets the number of threads, so it comes before NumPy
import numpy as np

from lrfm import catalog
from lrfm.problem import Box, Problem
from lrfm.solver.methods import SpaceTime

RESULT = harness.RESULTS / "accuracy.jsonl"
LIMIT_SOURCE = "error of the best spectral expansion with P terms, as measured with prototypes of the method"


@dataclass(frozen=True, kw_only=True)
class Case:
    """One row: a problem at a size, and the numbers it is held against.

    paper, source: best of the paper's five methods and where it is printed; limit: error of the best spectral
    expansion with P terms (without drift where `limit_note` says so); bar: what the
    automatic choice is to reach.
    """

    name: str
    title: str
    builder: Callable[[], Problem]
    P: int  # readout size over all fields of a block, as the paper counts it
    features: int  # the same per real field
    blocks: int | None = 1  # the paper's rows are one window of P features; None: chosen
    measure: str = "error"
    paper: float = math.nan
    source: str = "-"
    limit: float = math.nan
    limit_note: str = ""
    bar: float = math.nan
    slow: bool = False
    extra: bool = False  # beyond the list of bars


# Oscillation. The prototypes' notes give T and θ = ω_max T, not the data; these are the simplest with that θ:
# wave 37.7 = 3π·4 (the catalog's modes 1, 2, 3); Klein-Gordon 41.2 = √17·10 (m = 1, mode 4 on (0, π));
# beam 9.9 = π² (first mode); Schrödinger 71.1 = ½(6π/5)²·10 (three modes, period 5).


def klein_gordon_modes(T: float = 10.0) -> Problem:
    """u_tt = u_xx − u on (0, π): modes 1, 2 and 4 of a string on an elastic bed."""
    modes = ((1.0, 1), (0.5, 2), (0.25, 4))

    def exact(x: np.ndarray, t: np.ndarray) -> np.ndarray:
        return sum(a * np.sin(n * x) * np.cos(np.sqrt(n**2 + 1) * t) for a, n in modes)

    return Problem(
        "u_tt = u_xx - u",
        domain=Box(x=(0, math.pi)),
        time=(0, T),
        initial={"u": "sin(x) + 0.5*sin(2*x) + 0.25*sin(4*x)", "u_t": 0},
        boundary="u = 0",
        reference=exact,
        name="klein-gordon-modes",
    )


def beam_mode(T: float = 1.0) -> Problem:
    """u_tt = −u_xxxx on (0, 1), first mode of a simply supported beam."""
    return Problem(
        "u_tt = -u_xxxx",
        domain=Box(x=(0, 1)),
        time=(0, T),
        initial={"u": "sin(pi*x)", "u_t": 0},
        boundary=["u = 0", "u_xx = 0"],
        reference=lambda x, t: np.sin(np.pi * x) * np.cos(np.pi**2 * t),
        name="beam-mode",
    )


def schroedinger_modes(T: float = 10.0) -> Problem:
    """i ψ_t = −½ ψ_xx with period 5: three modes, k = 2πn/5."""
    modes = ((1.0, 1), (0.5j, -2), (0.25, 3))

    def exact(x: np.ndarray, t: np.ndarray) -> np.ndarray:
        k = 0.4 * np.pi
        return sum(a * np.exp(1j * (n * k * x - 0.5 * (n * k) ** 2 * t)) for a, n in modes)

    return Problem(
        "1j*psi_t = -0.5*psi_xx",
        unknowns={"psi": complex},
        domain=Box(x=(0, 5)),
        time=(0, T),
        initial="exp(0.4j*pi*x) + 0.5j*exp(-0.8j*pi*x) + 0.25*exp(1.2j*pi*x)",
        boundary="periodic",
        reference=exact,
        name="schroedinger-modes",
    )


def _cases() -> list[Case]:
    stiff_best = {"1e-1": 2.89e-7, "1e-2": 1.27e-7, "1e-3": 3.13e-7, "1e-4": 3.09e-7}
    stiff = [
        Case(
            name=f"stiff-{eps}",
            title=f"Allen-Cahn, ε = {eps}, T = 0.1",
            builder=functools.partial(catalog.allen_cahn, eps=float(eps), T=0.1),
            P=400,
            features=400,
            paper=best,
            source="Table stiff",
            bar=1e-9,
        )
        for eps, best in stiff_best.items()
    ]
    heat = Case(
        name="heat-1d",
        title="heat 1-D",
        builder=catalog.heat_1d,
        P=400,
        features=400,
        paper=1.53e-7,
        source="Table collocation-sensitivity",
        limit=5e-16,
        bar=5e-12,
    )
    allen_cahn = [
        Case(
            name=f"allen-cahn-{P}",
            title="Allen-Cahn, T = 0.1",
            builder=catalog.allen_cahn,
            P=P,
            features=P,
            paper=paper,
            source=source,
            limit=limit,
            bar=bar,
        )
        for P, paper, source, limit, bar in (
            (240, 1.40e-6, "Table timing", 4e-12, 1e-9),
            (400, 5.98e-8, "Table main-baselines", 2e-15, 3e-12),
        )
    ]
    others = [
        Case(
            name="burgers",
            title="Burgers",
            builder=catalog.burgers,
            P=480,
            features=480,
            paper=1.81e-6,
            source="Table main-baselines",
            limit=4e-12,
            bar=2e-9,
        ),
        Case(
            name="kdv-consistent",
            title="KdV, consistent data",
            builder=catalog.kdv_consistent,
            P=480,
            features=480,
            paper=1.61e-3,
            source="Table main-baselines (printed row is inconsistent)",
            limit=2.5e-7,
            limit_note="without drift",
            bar=1e-8,
        ),
        Case(
            name="nls",
            title="NLS",
            builder=catalog.nls,
            P=960,
            features=480,
            paper=8.64e-5,
            source="Table main-baselines",
            limit=1e-8,
            limit_note="without drift",
            bar=2e-9,
        ),
        Case(
            name="heat-2d",
            title="heat 2-D",
            builder=catalog.heat_2d,
            P=240,
            features=240,
            paper=2.57e-3,
            source="Table heat-2d",
            limit=2e-10,
            bar=1e-7,
        ),
        Case(
            name="multiscale-1d",
            title="multi-scale 1-D",
            builder=catalog.multiscale_1d,
            P=640,
            features=640,
            paper=4.22e-4,
            source="multi-scale figure, text",
            limit=1e-10,
            limit_note="36 terms, rates known",
            bar=1e-9,
        ),
        Case(
            name="multiscale-3d",
            title="multi-scale 3-D",
            builder=catalog.multiscale_3d,
            P=3840,
            features=3840,
            paper=5.99e-3,
            source="Table multiscale-3d",
            limit_note="fewer than 200 terms suffice",
            bar=1e-6,
            slow=True,
        ),
        Case(
            name="allen-cahn-long",
            title="Allen-Cahn, T = 2, final time",
            builder=catalog.allen_cahn_long,
            P=320,
            features=320,
            blocks=8,
            measure="final_error",
            paper=8.26e-3,
            source="Table block-marching",
            limit=3e-5,
            limit_note="last block",
            bar=1e-4,
        ),
    ]
    return [heat, *allen_cahn, *stiff, *others, *_oscillation()]


def _oscillation() -> list[Case]:
    rows = (
        ("wave-T4", "wave, T = 4 (catalog data, θ = 38)", functools.partial(catalog.wave, T=4.0), 400, False),
        ("klein-gordon-T10", "Klein-Gordon, T = 10 (θ = 41)", klein_gordon_modes, 400, False),
        ("beam-T1", "beam, T = 1 (θ = 9.9)", beam_mode, 400, False),
        ("schroedinger-T10", "Schrödinger, T = 10 (θ = 71)", schroedinger_modes, 800, False),
        ("klein-gordon-catalog-T10", "Klein-Gordon, catalog data, T = 10 (θ = 74)", _klein_gordon, 400, True),
        (
            "beam-catalog-T1",
            "beam, catalog data, T = 1 (θ = 39)",
            functools.partial(catalog.beam, T=1.0),
            400,
            True,
        ),
        (
            "schroedinger-catalog-T10",
            "Schrödinger, catalog data, T = 10",
            functools.partial(catalog.schroedinger, T=10.0),
            800,
            True,
        ),
    )
    return [
        Case(
            name=name,
            title=title,
            builder=builder,
            P=P,
            features=400,
            blocks=None,
            source="no row in the paper",
            bar=math.nan if extra else 1e-9,
            extra=extra,
        )
        for name, title, builder, P, extra in rows
    ]


def _klein_gordon() -> Problem:
    return catalog.klein_gordon(T=10.0)


CASES = _cases()


def run_case(case: Case, seed: int, seconds: float, features: int | None = None) -> harness.Row:
    """One seed of one row."""
    method = SpaceTime(features=features or case.features, blocks=case.blocks)
    _, row = harness.run_solve(case.builder(), method=method, seed=seed, max_seconds=seconds)
    return {"case": case.name, "P": case.P, "seed": seed, "budget": seconds, **row}


def summary(cases: list[Case], rows: dict[str, harness.Row]) -> list[dict[str, object]]:
    """Per case: mean, least and largest error, estimate over error, seconds, cost of the choice."""
    lines = []
    for case in cases:
        found = [r for r in rows.values() if r.get("case") == case.name and r.get("P") == case.P]
        failed = [r for r in rows.values() if r["key"].startswith(f"{case.name} ") and "case" not in r]
        errors = np.array([harness.number(r, case.measure) for r in found])
        ratios = [harness.number(r, "estimate") / harness.number(r, "error") for r in found]
        solve = [harness.number(r, "solve_seconds") for r in found]
        total = [harness.number(r, "seconds") for r in found]
        cost = [cost for r in found if math.isfinite(cost := harness.choice_cost(r))]
        lines.append(
            {
                "case": case,
                "runs": len(found),
                "failed": failed,
                "mean": float(np.mean(errors)) if len(errors) else math.nan,
                "least": float(np.min(errors)) if len(errors) else math.nan,
                "largest": float(np.max(errors)) if len(errors) else math.nan,
                "ratio": harness.geometric_mean(ratios),
                "ratios": harness.quantiles(ratios, (0.0, 1.0)),
                "seconds": float(np.mean(total)) if total else math.nan,
                "solve_seconds": float(np.mean(solve)) if solve else math.nan,
                "cost": harness.geometric_mean(cost),
                "blocks": sorted({int(r["blocks"]) for r in found}),
            }
        )
    return lines


HEAD = (
    "problem",
    "P",
    "paper, best",
    "P-term limit",
    "bar",
    "mean",
    "least",
    "largest",
    "reached",
    "estimate/error",
    "seconds",
    "choice/solve",
    "blocks",
)


def cells(line: dict[str, object]) -> list[str]:
    """One row of the table."""
    case, show = line["case"], harness.show
    note = f" ({case.limit_note})" if case.limit_note else ""
    reached = (
        "-" if math.isnan(case.bar) or not line["runs"] else "yes" if line["mean"] <= case.bar else "**no**"
    )
    span = "-".join(map(str, sorted({line["blocks"][0], line["blocks"][-1]}))) if line["blocks"] else "-"
    return [
        case.title + ("" if line["runs"] in (0, 5) else f" [{line['runs']} seeds]"),
        str(case.P),
        show(case.paper),
        show(case.limit) + note,
        show(case.bar, 0),
        show(line["mean"]),
        show(line["least"]),
        show(line["largest"]),
        reached,
        "-" if math.isnan(line["ratio"]) else f"{line['ratio']:.2g}",
        "-" if math.isnan(line["seconds"]) else f"{line['seconds']:.3g}",
        "-" if math.isnan(line["cost"]) else f"{line['cost']:.2g}",
        span,
    ]


def main() -> None:
    parser = harness.job_options(__doc__, RESULT, jobs=1, seconds=900.0)
    parser.add_argument("--only", nargs="*", default=[], help="parts of names of rows")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--slow", action="store_true", help="with multi-scale 3-D, P = 3840")
    parser.add_argument("--extra", action="store_true", help="with rows that have no bar")
    parser.add_argument(
        "--features", type=int, help="another size, for a quick trial (kept in accuracy-trial.jsonl)"
    )
    args = parser.parse_args()
    if args.features is not None:
        args.out = RESULT.with_name("accuracy-trial.jsonl")
    cases = [c for c in CASES if harness.chosen(c.name, args.only)]
    if not args.only:
        cases = [c for c in cases if (args.slow or not c.slow) and (args.extra or not c.extra)]
    jobs = [
        (f"{c.name} seed {s}", functools.partial(run_case, c, s, args.max_seconds, args.features))
        for s in range(args.seeds)
        for c in cases
    ]
    lines = summary(cases, harness.run_asked(args, jobs))
    harness.say(harness.table(HEAD, map(cells, lines)))
    for line in lines:
        for row in line["failed"]:
            harness.say(f"failed: {row['key']}: {row['status']}")


if __name__ == "__main__":
    main()
