# SPDX-License-Identifier: MIT
"""What a Newton step costs, in units of the factorization it cannot do without.

The measurement runs in a process of its own with one thread: threads that wait for each other on a busy
machine measure the machine, not the code.
"""

import os
import subprocess
import sys
import time

import numpy as np
import pytest
from scipy.linalg import lapack

import lrfm
from lrfm.linalg.column_groups import dense
from lrfm.solver.nonlinear import Model, Newton
from lrfm.solver.parts import Parts
from lrfm.solver.window import build_system, initial_values, sample_space

pytestmark = pytest.mark.exclusive
BAR = 2.5  # bare factorizations per step, at most
STEPS, ROUNDS = 3, 6
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


def allen_cahn():
    """The paper's protocol: 2000 + 400 + 2·120 rows, 400 columns, derivative matrices computed."""
    problem = lrfm.catalog.allen_cahn()
    points = lrfm.Collocation(interior=2000, initial=400, boundary=120)
    parts = Parts(lrfm.Liquid(per_patch=100, patches=4, periodic="rows"), points, lrfm.QR(), Newton())
    rng = np.random.default_rng(0)
    space = sample_space(problem, parts.space, problem.time, rng)
    placed = points.place(problem.domain, problem.time, rng)
    return build_system(problem, parts, {"u": space}, placed, problem.time, initial_values(problem, None))


def newton_step(system):
    """Seconds per step: rows assembled, system solved, residual measured."""
    rows = dense(system.matrix)[:256]
    model = Model(
        linearize=system.linearize,
        residual=system.residual,
        values=lambda c: rows @ c,
        solve=lambda A, b: lrfm.QR().solve(A, b, system.rows_of),
        linear=False,
    )
    start = np.full(system.shape[1], 1e-3)
    began = time.perf_counter()
    outcome = Newton(tol=1e-300, floor=0.0, max_steps=STEPS).run(model, start)
    seconds = time.perf_counter() - began
    assert len(outcome.steps) == STEPS
    assert all(step.damping == 1.0 for step in outcome.steps)
    return seconds / STEPS


def bare_factorization(J):
    """Seconds of LAPACK's dgeqrf with the workspace it asks for."""
    A = J.copy(order="F")
    work, _ = lapack.dgeqrf_lwork(*A.shape)
    began = time.perf_counter()
    lapack.dgeqrf(A, lwork=int(work), overwrite_a=1)
    return time.perf_counter() - began


def measured_ratio():
    """Best step over best factorization, taken in turns so that both meet the same machine."""
    system = allen_cahn()
    assert system.shape == (2640, 400)
    J = dense(system.linearize(np.full(400, 1e-3))[0])
    steps, bare = [], []
    for _ in range(ROUNDS):
        bare += [bare_factorization(J) for _ in range(STEPS)]
        steps.append(newton_step(system))
    return min(steps) / min(bare)


def test_a_newton_step_costs_little_more_than_its_factorization():
    ratios = []
    for _ in range(3):  # other processes may take the machine away for a while
        done = subprocess.run(
            [sys.executable, __file__],
            env=os.environ | ONE_THREAD,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        ratios.append(float(done.stdout))
        if ratios[-1] <= BAR:
            break
    assert min(ratios) <= BAR, f"factorizations per step in three runs: {ratios}"


if __name__ == "__main__":
    print(measured_ratio())
