# SPDX-License-Identifier: MIT
"""What peers.py runs: sizes and tolerances of every contender on every problem."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

PATIENCE = 75.0  # seconds for one run of a peer
TOLERANCES = (1e-2, 1e-4, 1e-6, 1e-8, 1e-10)
BUDGET = 40.0  # max_seconds of a search
SCALES = (0.5, 0.75, 1.0, 1.5, 2.0, 3.0)

# Cells and tolerance of time stepping, each grid about as exact in time as in space.
CELLS = {
    "heat-1d": ("LSODA", ((64, 1e-5), (256, 1e-6), (1024, 1e-7), (2048, 1e-8), (8192, 1e-9))),
    "allen-cahn": ("RK45", ((32, 1e-4), (64, 1e-6), (128, 1e-7), (512, 1e-8))),
    "allen-cahn-long": ("RK45", ((256, 1e-4), (1024, 1e-6), (2048, 1e-7), (4096, 1e-8))),
    "burgers": ("RK45", ((128, 1e-5), (512, 1e-6), (1024, 1e-7), (4096, 1e-8))),
    "kdv-consistent": ("Radau", ((256, 1e-4), (1024, 1e-6), (4096, 1e-7), (8192, 1e-7))),
    "nls": ("BDF", ((256, 1e-5), (1024, 1e-7), (4096, 1e-8), (8192, 1e-9))),
    "heat-2d": ("BDF", ((16, 1e-4), (32, 1e-5), (64, 1e-6), (128, 1e-6), (256, 1e-6))),
    "multiscale-1d": ("BDF", ((64, 1e-5), (256, 1e-6), (1024, 1e-7), (2048, 1e-8), (4096, 1e-8))),
}
SPECTRAL = {
    "heat-1d": ("Radau", ((8, 1e-4), (12, 1e-6), (16, 1e-8), (20, 1e-10))),
    "allen-cahn": ("DOP853", ((16, 1e-4), (32, 1e-6), (48, 1e-9), (64, 1e-12))),
    "allen-cahn-long": ("DOP853", ((64, 1e-4), (128, 1e-6), (256, 1e-9), (384, 1e-12))),
    "burgers": ("DOP853", ((16, 1e-4), (32, 1e-6), (64, 1e-9), (128, 1e-12))),
    "kdv-consistent": ("Radau", ((32, 1e-4), (48, 1e-6), (64, 1e-8), (96, 1e-10))),
    "nls": ("Radau", ((32, 1e-4), (64, 1e-6), (80, 1e-8), (112, 1e-10))),
    "heat-2d": ("Radau", ((6, 1e-4), (8, 1e-6), (12, 1e-8), (16, 1e-10))),
    "multiscale-1d": ("DOP853", ((4, 1e-4), (4, 1e-6), (4, 1e-9), (4, 1e-12))),
}


@dataclass(frozen=True, kw_only=True)
class Run:
    """One point of the comparison; `easier` is the run without which this one is not tried."""

    problem: str
    contender: str
    script: str
    setting: dict[str, object] = field(default_factory=dict)
    easier: str = ""
    patience: float = PATIENCE

    @property
    def key(self) -> str:
        words = " ".join(
            f"{k}={v:g}" if isinstance(v, float) else f"{k}={v}" for k, v in self.setting.items()
        )
        return f"{self.problem} | {self.contender} | {words}"


# What is run ------------------------------------------------------------------------------------


def chain(runs: Iterator[Run]) -> Iterator[Run]:
    """Each run waits for the one before it: what was too hard or too slow is not tried harder."""
    last = ""
    for run in runs:
        linked = Run(**{**run.__dict__, "easier": last})
        last = linked.key
        yield linked


def of_lrfm(problem: str, quick: bool) -> Iterator[Run]:
    base = {"problem": problem, "script": "with_lrfm.py", "patience": 3 * BUDGET}
    tolerances, scales = (TOLERANCES[1:2], SCALES[2:3]) if quick else (TOLERANCES, SCALES)
    yield from chain(
        Run(contender="lrfm, tolerance", setting={"tol": tol, "max_seconds": BUDGET}, **base)
        for tol in tolerances
    )
    yield from chain(
        Run(contender="lrfm, parts", setting={"parts": scale, "estimate": False}, **base) for scale in scales
    )


def of_peers(problem: str, quick: bool, seconds: float) -> Iterator[Run]:
    method, grids = CELLS[problem]
    for style in ("class", "expression"):
        # Compilation takes most of the time of an expression, so fewer grids tell the same.
        kept = grids[:1] if quick else grids if style == "class" else grids[1:-1]
        if quick and style == "expression":
            continue
        yield from chain(
            Run(
                problem=problem,
                contender=f"py-pde, {style}",
                script="with_pypde.py",
                setting={"style": style, "cells": cells, "method": method, "rtol": rtol},
            )
            for cells, rtol in kept
        )
    method, sizes = SPECTRAL[problem]
    yield from chain(
        Run(
            problem=problem,
            contender="spectral",
            script="with_spectral.py",
            setting={"points": points, "method": method, "rtol": rtol},
        )
        for points, rtol in sizes[: 1 if quick else None]
    )
    yield Run(
        problem=problem,
        contender="DeepXDE",
        script="with_deepxde.py",
        setting={"points": 2540, "adam": 15000, "seconds": 6.0 if quick else seconds, "seed": 0},
        patience=seconds + 90.0,
    )
