# SPDX-License-Identifier: MIT
"""Is this installation as fast as the machine? A check of some seconds: products, factorizations, one solve, threads.

    ideal = factorizations · 2mn² / (rate of a matrix product)

The solve is Allen-Cahn with 400 features. Its time over the ideal says what lrfm adds to LAPACK; the rate of the
product says what the machine and its BLAS give. `findings` puts into words what is not as it should be.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from lrfm.catalog import allen_cahn
from lrfm.linalg.threads import SMALL, limited_to, pools
from lrfm.solver.api import solve
from lrfm.solver.methods import SpaceTime
from lrfm.spacetime.features import Liquid
from lrfm.spacetime.least_squares import QR
from lrfm.spacetime.windows.collocation import Collocation
from lrfm.spacetime.windows.nonlinear import Newton

PRODUCT = 1200  # order of the matrix product
SYSTEMS = ((2640, 400), (3200, 800))  # rows and columns of the factorizations
ROUNDS, PATIENCE = 4, 5.0  # rounds of each measurement, and seconds after which no other one is begun
# What is found unhealthy. A core of the last fifteen years gives 10 to 100 GFlop/s with a tuned BLAS, below 2
# without one; a QR of these sizes runs at 0.15 to 0.7 of a product.
SLOW_PRODUCT = 4.0  # GFlop/s on one thread
SLOW_FACTOR = 0.06  # of the product's rate on one thread
SLOW_SOLVE = 12.0  # times the ideal
HARM = 0.8  # more threads giving less than this of one thread's rate hinder each other
WRONG = (
    0.5  # several threads that are chosen and give less than this of one thread's rate are the wrong choice
)


@dataclass(frozen=True, kw_only=True)
class FactorizationSpeed:
    """GFlop/s of `QR` with one thread, with all, and how many threads a solve of this size uses."""

    rows: int
    columns: int
    one: float
    all: float
    chosen: int


@dataclass(frozen=True, kw_only=True)
class Speed:
    """What was measured; rates in GFlop/s, times in seconds."""

    cores: int
    load: float  # of the machine before the measurement began, NaN if the system does not say
    libraries: tuple[str, ...]
    threads: int
    product_one: float
    product_all: float
    factorizations: tuple[FactorizationSpeed, ...]
    solve_seconds: float
    solve_ideal: float

    @property
    def ratio(self) -> float:
        """Time of the solve over the ideal."""
        return self.solve_seconds / self.solve_ideal


def measure(progress: Callable[[str], None] = lambda stage: None) -> Speed:
    """Measure everything, the best of a few rounds each."""
    load, cores = _load(), available_cores()
    found = pools()
    threads = max((pool["num_threads"] for pool in found), default=1)
    progress("matrix products")
    product_one, product_all = _both(_product, threads)
    factorizations = []
    for rows, columns in SYSTEMS:
        progress(f"factorization {rows} x {columns}")
        one, together = _both(lambda rows=rows, columns=columns: _factor(rows, columns), threads)
        chosen = 1 if columns < SMALL else threads
        factorizations.append(
            FactorizationSpeed(rows=rows, columns=columns, one=one, all=together, chosen=chosen)
        )
    progress("Allen-Cahn")
    seconds, flops = min(_solve() for _ in _rounds())
    return Speed(
        cores=cores,
        load=load,
        libraries=tuple(f"{p['internal_api']} {p['version']}, {p['num_threads']} threads" for p in found),
        threads=threads,
        product_one=product_one,
        product_all=product_all,
        factorizations=tuple(factorizations),
        solve_seconds=seconds,
        solve_ideal=flops / (1e9 * product_one),
    )


def findings(speed: Speed) -> list[str]:
    """One sentence for everything that is not as it should be; empty for a healthy installation."""
    found = []
    if speed.threads > speed.cores:
        found.append(
            f"BLAS uses {speed.threads} threads on {speed.cores} cores. Set OMP_NUM_THREADS={speed.cores} before "
            "Python starts."
        )
    if speed.load > speed.cores:
        # Rates that other programs have lowered say nothing about the installation.
        return [
            *found,
            f"The machine is busy: its load was {speed.load:.1f} with {speed.cores} cores, so the rates say nothing. "
            "Measure again when it is quiet.",
        ]
    return found + list(_slow(speed))


def _slow(speed: Speed) -> Iterator[str]:
    if speed.product_one < SLOW_PRODUCT:
        yield (
            f"A matrix product runs at {speed.product_one:.1f} GFlop/s on one thread; a tuned BLAS gives ten times "
            "that. Install NumPy and SciPy from PyPI or conda-forge, which bring OpenBLAS or MKL."
        )
    if speed.threads > 1 and speed.product_all < HARM * speed.product_one:
        yield (
            f"{speed.threads} threads multiply at {speed.product_all:.1f} GFlop/s, one at {speed.product_one:.1f}: "
            "they wait for each other. Set OMP_NUM_THREADS=1, or give the container more cores."
        )
    for f in speed.factorizations:
        if f.one < SLOW_FACTOR * speed.product_one:
            yield (
                f"QR of {f.rows} x {f.columns} runs at {f.one:.1f} GFlop/s, {f.one / speed.product_one:.0%} of a "
                "matrix product: SciPy's LAPACK is not the one that comes with a tuned BLAS."
            )
        # The other way round there is nothing to say: one thread is chosen for what happens when others use the machine.
        if f.chosen > 1 and f.all < WRONG * f.one:
            yield (
                f"A solve with {f.columns} columns uses {f.chosen} of {speed.threads} threads and factors at "
                f"{f.all:.1f} GFlop/s; with one it would be {f.one:.1f}. Set OMP_NUM_THREADS=1."
            )
    if speed.ratio > SLOW_SOLVE:
        yield f"Allen-Cahn took {speed.ratio:.1f} times its factorizations; expected are at most {SLOW_SOLVE:g}."


def available_cores() -> int:
    """Cores this process may use, which in a container are fewer than the machine has."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _load() -> float:
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")


def _rounds() -> Iterator[int]:
    """A few rounds; on a busy machine one."""
    began = time.perf_counter()
    for i in range(ROUNDS):
        if i and time.perf_counter() - began > PATIENCE:
            return
        yield i


def _both(rate: Callable[[], float], threads: int) -> tuple[float, float]:
    """Best rate with one thread and with all, in turns so that both meet the same machine."""
    one, together = [], []
    for _ in _rounds():
        with limited_to(1):
            one.append(rate())
        with limited_to(threads):
            together.append(rate())
    return max(one), max(together)


def _product() -> float:
    a = np.ones((PRODUCT, PRODUCT))
    began = time.perf_counter()
    a @ a
    return 2e-9 * PRODUCT**3 / (time.perf_counter() - began)


def _factor(rows: int, columns: int) -> float:
    A = np.asfortranarray(np.random.default_rng(0).standard_normal((rows, columns)))
    b = np.ones(rows)
    began = time.perf_counter()
    QR().solve(A, b)
    return 1e-9 * (2 * rows * columns**2 - 2 * columns**3 / 3) / (time.perf_counter() - began)


def _solve() -> tuple[float, float]:
    """Seconds of the solve, and the flops of its factorizations."""
    began = time.perf_counter()
    report = solve(
        allen_cahn(),
        method=SpaceTime(
            space=Liquid(features=400, weights=1.0, biases=1.0, gate=10.0, tau=(2.7, 20.0)),
            collocation=Collocation(interior=2000, initial=400, boundary=120, time="chebyshev"),
            least_squares=QR(),
            # A factorization in every step, so that there is something to compare with.
            nonlinear=Newton(reuse=False),
        ),
        estimate=False,
    ).report
    done = sum(block.factorizations for block in report.block_reports)
    return time.perf_counter() - began, 2.0 * done * report.rows * report.features**2
