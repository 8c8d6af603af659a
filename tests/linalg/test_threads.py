# SPDX-License-Identifier: MIT
"""The number of BLAS threads after solves, one after the other or at once, and what the bits depend on."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from helpers import environment

import lrfm
from lrfm.linalg.threads import limited_to, pools

HEAT = lrfm.catalog.heat_1d()


def numbers():
    return [pool["num_threads"] for pool in pools()]


def test_limits_that_overlap_leave_the_number_as_it_was():
    """A begins, B begins, A ends, B ends: each for itself would restore the limit of the other."""
    with limited_to(2):  # so that there is something to limit, where BLAS has more than one
        before = numbers()
        first, second = limited_to(1), limited_to(1)
        first.__enter__()
        second.__enter__()
        assert set(numbers()) == {1}
        first.__exit__(None, None, None)
        assert set(numbers()) == {1}
        second.__exit__(None, None, None)
        assert numbers() == before


SCRIPT = """
import sys
from concurrent.futures import ThreadPoolExecutor
import lrfm
from lrfm.linalg.threads import pools
numbers = lambda: [pool["num_threads"] for pool in pools()]
problem = lrfm.catalog.heat_1d()
lrfm.solve(problem, method=lrfm.SpaceTime(space=lrfm.Liquid(features=30)), estimate=False, strict=False)
before = numbers()
def one(seed):
    return lrfm.solve(problem, method=lrfm.SpaceTime(space=lrfm.Liquid(features=150)), seed=seed, strict=False)(x=0.3, t=0.1)
with ThreadPoolExecutor(4) as workers:
    together = list(workers.map(one, range(8)))
print(before == numbers(), max(before), together == [one(seed) for seed in range(8)])
"""


def test_solves_in_threads_leave_the_number_as_it_was_and_have_the_bits_of_solves_alone():
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        capture_output=True,
        text=True,
        env=environment(OPENBLAS_NUM_THREADS="2", OMP_NUM_THREADS="2"),
        check=True,
        timeout=120,
    )
    same, most, bits = run.stdout.split()
    assert (same, bits) == ("True", "True")
    assert int(most) in (1, 2)


BITS = """
import sys, lrfm
solution = lrfm.solve(lrfm.catalog.heat_1d(), seed=3, strict=False, **eval(sys.argv[1]))
sys.stdout.write(solution(x=[0.1, 0.5, 0.7], t=0.1).tobytes().hex() + repr(solution.report.error_estimate))
"""


@pytest.mark.parametrize(
    "given",
    ["{'tol': 1e-6}", "{'method': lrfm.SpaceTime(space=lrfm.Liquid(features=200))}"],
    ids=["lines", "space-time"],
)
@pytest.mark.parametrize("threads", ["1", "2"])
def test_the_same_seed_gives_the_same_bits_in_another_process(given, threads):
    """Below 700 columns BLAS has one thread whatever is allowed, so that their number does not matter either."""
    runs = [
        subprocess.run(
            [sys.executable, "-c", BITS, given],
            capture_output=True, text=True, check=True, timeout=120,
            env=environment(OPENBLAS_NUM_THREADS=number, OMP_NUM_THREADS=number, PYTHONHASHSEED=number),
        ).stdout
        for number in (threads, threads)
    ]  # fmt: skip
    assert runs[0] == runs[1] != ""


def test_the_same_seed_gives_the_same_bits_beside_other_solves():
    given = {"tol": 1e-6, "seed": 5}
    alone, places = lrfm.solve(HEAT, **given), np.linspace(0, 1, 50)
    with ThreadPoolExecutor(3) as workers:
        others = [workers.submit(lrfm.solve, HEAT, **given) for _ in range(3)]
    for other in others:
        np.testing.assert_array_equal(other.result()(x=places, t=0.05), alone(x=places, t=0.05))
