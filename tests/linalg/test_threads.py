# SPDX-License-Identifier: MIT
"""The number of BLAS threads after solves, one after the other or at once, and what the bits depend on."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from helpers import PATIENCE, environment

import lrfm
from lrfm.linalg.threads import SMALL, allowed, limited_to, pools, suited_to

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
    return lrfm.solve(problem, method=lrfm.SpaceTime(space=lrfm.Liquid(features=100)), seed=seed, strict=False)(x=0.3, t=0.1)
with ThreadPoolExecutor(4) as workers:
    together = list(workers.map(one, range(4)))
print(before == numbers(), max(before), together == [one(seed) for seed in range(4)])
"""


@pytest.mark.slow
def test_solves_in_threads_leave_the_number_as_it_was_and_have_the_bits_of_solves_alone():
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        capture_output=True,
        text=True,
        env=environment(OPENBLAS_NUM_THREADS="2", OMP_NUM_THREADS="2"),
        check=True,
        timeout=PATIENCE,
    )
    same, most, bits = run.stdout.split()
    assert (same, bits) == ("True", "True")
    assert int(most) in (1, 2)


BITS = """
import sys
import numpy as np
import lrfm
places = np.linspace(0, 0.5, 7)
heat, burgers = lrfm.catalog.heat_1d(), lrfm.catalog.burgers()
unknown = lrfm.Problem(
    "u_t = D*u_xx", domain=lrfm.Box(x=(0, 1)), time=(0, 0.1), initial="sin(pi*x)", boundary="u = 0",
    parameters={"D": lrfm.Unknown(0.5, lower=0.1)},
)
table = {"x": places + 0.1, "t": places / 10, "u": np.exp(-places) * np.sin(np.pi * (places + 0.1))}
disc = lrfm.Problem(
    "u_t = lap(u)", domain=lrfm.Disk(radius=1), time=(0, 0.1), initial="(1 - x**2 - y**2)**2", boundary="u = 0"
)
solution = lrfm.solve(burgers, tol=1e-5, seed=3)
for name, values in {
    "lines": (solution(x=places, t=0.1), solution.report.error_estimate, solution.integral("u**2", over="x")(t=places / 10)),
    "space-time": lrfm.solve(heat, seed=3, method=lrfm.SpaceTime(space=lrfm.Liquid(features=300)), strict=False)(x=places, t=0.1),
    "plane": lrfm.solve(lrfm.catalog.heat_2d(), tol=1e-4, seed=3, strict=False)(x=places, y=0.3, t=0.1),
    "disc": lrfm.solve(disc, tol=1e-2, seed=3, strict=False)(x=places, y=0.3, t=0.1),
    "operator": lrfm.operator(heat, tol=1e-6)(initial="sin(2*pi*x)")(x=places, t=0.1),
    "fit": lrfm.fit(unknown, lrfm.Data(table), tol=1e-4, strict=False).values,
}.items():
    print(name, np.hstack(values).tobytes().hex())
"""


@pytest.mark.slow
def test_the_same_seed_gives_the_same_bits_in_another_process_whatever_its_threads():
    """Below 3000 columns BLAS has one thread whatever is allowed, so that their number does not matter."""
    one, two = (
        subprocess.run(
            [sys.executable, "-c", BITS],
            capture_output=True, text=True, check=True, timeout=PATIENCE,
            env=environment(OPENBLAS_NUM_THREADS=number, OMP_NUM_THREADS=number, PYTHONHASHSEED=number),
        ).stdout.splitlines()
        for number in ("1", "2")
    )  # fmt: skip
    assert len(one) == len(two) == 6
    assert [a.split()[0] for a, b in zip(one, two, strict=True) if a != b] == []


WOKEN = """
import os, sys, tempfile, time
import numpy as np
import lrfm, lrfm.linalg.lapack
me = str(os.getpid())
workers = [each for each in os.listdir("/proc/self/task") if each != me]

def ran():
    return [int(open(f"/proc/self/task/{each}/schedstat").read().split()[0]) for each in workers]

def asleep():
    before = ran()
    while time.sleep(0.1) or before != (now := ran()):
        before = now
    return now

def awake(run):
    before = asleep()
    run()
    return before != asleep()

if not awake(lambda: np.ones((400, 400)) @ np.ones((400, 400))):
    sys.exit("BLAS has no second thread")
x, folder = np.linspace(0.0, 1.0, 400), tempfile.mkdtemp()
statement = lambda D: lrfm.Problem(
    "u_t = D*u_xx", domain=lrfm.Box(x=(0, 1)), time=(0, 0.1), initial="sin(pi*x)", boundary="u = 0", parameters={"D": D}
)
disc = lambda: lrfm.Problem(
    "u_t = lap(u)", domain=lrfm.Disk(radius=1), time=(0, 0.1), initial="(1 - x**2 - y**2)**2", boundary="u = 0"
)
table = {"x": x, "t": x / 10, "u": np.exp(-x) * np.sin(np.pi * x)}
made = {}
entries = {
    "Problem": lambda: made.update(problem=statement(1.0), disc=disc()),
    "solve": lambda: made.update(u=lrfm.solve(made["problem"], tol=1e-6)),
    "space-time": lambda: lrfm.solve(made["problem"], method=lrfm.SpaceTime(space=lrfm.Liquid(features=300)), strict=False),
    "disc": lambda: made.update(v=lrfm.solve(made["disc"], tol=1e-2, strict=False)),
    "plan": lambda: lrfm.plan(made["problem"]),
    "grid": lambda: made["u"](x=x[:, None], t=x / 10),
    "points": lambda: made["u"](x=x, t=x / 10),
    "derivative": lambda: made["u"]["u_xx*u"](x=x[:, None], t=x / 10),
    "residual": lambda: made["u"].residual(x=x, t=x / 10),
    "calculus": lambda: (made["u"].integral(over="x")(t=x / 10), made["u"].maximum(), made["u"].where("u = 0.5")),
    "on a disc": lambda: (made["v"](x=x[:300] / 2, y=0.3, t=0.05), made["v"].integral()(t=0.05)),
    "time constants": lambda: made["u"].time_constants(),
    "xarray": lambda: made["u"].to_xarray(x=300, t=300),
    "plot": lambda: made["u"].plot(folder + "/u.png"),
    "file": lambda: (made["u"].save(folder + "/u.lrfm"), lrfm.load(folder + "/u.lrfm")(x=x, t=x / 10)),
    "sensitivity": lambda: made["u"].sensitivity("D")(x=x, t=x / 10),
    "adjoint": lambda: made["u"].linearized().adjoint(x, x=x, t=0.1),
    "operator": lambda: made.update(o=lrfm.operator(made["problem"], tol=1e-6)),
    "its answer": lambda: made["o"](initial="sin(2*pi*x)")(x=x, t=x / 10),
    "its answers": lambda: made["o"].many(initial=["sin(2*pi*x)", "sin(pi*x)"])(x=x, t=0.1),
    "sweep": lambda: lrfm.sweep(made["problem"], seeds=2, tol=1e-3),
    "family": lambda: lrfm.family(statement(lrfm.Range(0.9, 1.0)), tol=1e-2)(x=x, t=0.1, D=0.95),
    "fit": lambda: made.update(f=lrfm.fit(statement(lrfm.Unknown(0.5, lower=0.1)), lrfm.Data(table), tol=1e-3, strict=False)),
    "prediction": lambda: made["f"].predict(x=x, t=x / 10),
}
print("woken by:", [name for name, run in entries.items() if awake(run)])
"""


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.skipif(
    not Path("/proc/self/schedstat").exists(), reason="the system does not say which threads ran"
)
def test_no_entry_wakes_a_second_thread_of_blas():
    """With two threads allowed, the second one of neither library gets any time of a core while small things are computed."""
    run = subprocess.run(
        [sys.executable, "-c", WOKEN],
        capture_output=True, text=True, check=False, timeout=PATIENCE,
        env=environment(OPENBLAS_NUM_THREADS="2", OMP_NUM_THREADS="2"),
    )  # fmt: skip
    if "no second thread" in run.stderr:
        pytest.skip("one core, or a BLAS without threads")
    assert run.stdout == "woken by: []\n", run.stderr


def test_a_large_system_lifts_the_limit_of_an_entry_and_no_other():
    most = max(numbers())
    with suited_to(0):
        assert set(numbers()) == {1}
        assert allowed() == most
        with suited_to(SMALL):
            assert max(numbers()) == most
            with suited_to(SMALL - 1):
                assert set(numbers()) == {1}
            assert max(numbers()) == most
        assert set(numbers()) == {1}
        with limited_to(1), suited_to(SMALL):
            assert set(numbers()) == {1}
            assert allowed() == 1
    assert max(numbers()) == allowed() == most


def test_an_entry_that_raises_gives_the_threads_back():
    before = numbers()
    with pytest.raises(ValueError, match="outside"):
        lrfm.solve(HEAT, tol=1e-3)(x=[2.0], t=0.05)
    assert numbers() == before


def test_the_same_seed_gives_the_same_bits_beside_other_solves():
    given = {"tol": 1e-6, "seed": 5}
    alone, places = lrfm.solve(HEAT, **given), np.linspace(0, 1, 50)
    with ThreadPoolExecutor(3) as workers:
        others = [workers.submit(lrfm.solve, HEAT, **given) for _ in range(3)]
    for other in others:
        np.testing.assert_array_equal(other.result()(x=places, t=0.05), alone(x=places, t=0.05))
