# SPDX-License-Identifier: MIT
"""Limits hold where nobody can look: one call of LAPACK is not begun if it would end too late, a matrix not made if it does not fit."""

import resource
import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import lrfm
from lrfm.discretize.options import SAFEGUARDS
from lrfm.linalg import sparse
from lrfm.linalg.deadline import check_deadline, check_deadline_before, deadline, gemm_rate
from lrfm.linalg.nearby import krylov
from lrfm.linalg.room import NOTICED, Shelf, forget, reserve, within
from lrfm.linalg.sparse import Sparse
from lrfm.solver.budget import Budget, MemoryLimitError, OutOfTime, Room, memory_for
from lrfm.studio.jobs import Job, Listener

FLOW = lrfm.Problem(
    ["w_t + psi_y*w_x - psi_x*w_y = 1e-2*lap(w)", "lap(psi) = -w"],
    domain=lrfm.Box(x=(0, 1), y=(0, 1)),
    time=(0, 1),
    initial={"w": "cos(2*pi*x)*sin(4*pi*y)"},
    boundary="periodic",
)
WAVES = lrfm.Problem(
    "u_tt = lap(u)", domain=lrfm.Box(x=(0, 1), y=(0, 1)), time=(0, 1), initial={"u": "sin(pi*x)*sin(pi*y)", "u_t": "0"}, boundary="u = 0"
)  # fmt: skip


def test_what_cannot_be_broken_off_is_not_begun_where_it_would_end_too_late():
    budget = Budget(seconds=100.0)
    with deadline(budget.stop, lambda: budget.left):
        check_deadline_before(10 * gemm_rate())
        check_deadline(90.0)
        with pytest.raises(OutOfTime):
            check_deadline_before(200 * gemm_rate())
        with pytest.raises(OutOfTime):
            check_deadline(106.0)
    check_deadline_before(1e30)  # nobody waits


def test_matrices_are_announced_and_refused_by_a_sentence(monkeypatch):
    room = Room("64MB")
    with within(room.ask):
        reserve(NOTICED)  # 8 MB: nobody is asked
        reserve(1.5 * NOTICED)
        with pytest.raises(
            MemoryLimitError,
            match=r"matrices need about 80 MB beside .* and `max_memory` allows 64 MB. Ask for less",
        ):
            reserve(10 * NOTICED)
    reserve(1e30)  # nobody waits
    # 64 MB are in use by now; an array of them may be made of what the process had freed.
    monkeypatch.setattr("lrfm.solver.budget.resident", lambda: room.before + 8 * 8 * NOTICED)
    with within(room.ask), pytest.raises(MemoryLimitError):
        reserve(1.5 * NOTICED)


def test_half_of_what_is_free_is_the_limit_unless_one_is_given(monkeypatch):
    monkeypatch.setattr("lrfm.solver.budget.available_memory", lambda: 1000)
    assert memory_for(None) == 500
    assert memory_for("1KB") == 1024


def test_a_plan_ends_where_the_solve_would(monkeypatch):
    monkeypatch.setattr("lrfm.solver.budget.SHORTEST", 0.0)
    with pytest.raises(ValueError, match=r"No step was made in 1e-09 seconds"):
        lrfm.plan(WAVES, max_seconds=1e-9)


def test_an_operator_is_not_made_of_initial_data(monkeypatch):
    monkeypatch.setattr("lrfm.solver.budget.SHORTEST", 0.0)
    with pytest.raises(lrfm.ConvergenceError, match="passed before the first step") as caught:
        lrfm.operator(WAVES, tol=1e-3, max_seconds=1e-9, strict=False)
    assert caught.value.solution.block_edges[-1] == 0


def test_cancel_is_heard_at_every_look():
    job = Job("1", FLOW, {"tol": 1e-6})
    told = threading.Event()

    class Impatient(Listener):
        def check(self):
            job.unwanted.set()
            told.set()
            super().check()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("lrfm.studio.jobs.Listener", Impatient)
        job.run()
    assert told.is_set()
    assert job.message == "Cancelled."
    assert job.solution is not None
    assert job.solution.block_edges[-1] == 0


def test_a_limit_of_memory_holds_on_cells(monkeypatch):
    """What steps keep adds up, although no matrix of an interval is large; what was computed by then is handed back."""
    monkeypatch.setattr("lrfm.linalg.room.NOTICED", 1000)
    grown = iter(range(0, 10**9, 2**16))
    monkeypatch.setattr("lrfm.solver.budget.resident", lambda: next(grown))
    burgers = lrfm.Problem(
        "u_t + u*u_x = 0.01/pi*u_xx",
        domain=lrfm.Box(x=(-1, 1)),
        time=(0, 1),
        initial="-sin(pi*x)",
        boundary="u = 0",
    )
    solution = lrfm.solve(burgers, tol=1e-6, max_memory="4MB", strict=False)
    assert 0 < solution.block_edges[-1] < burgers.time[1]
    assert solution.report.status is lrfm.Status.NOT_FINISHED
    assert "max_memory=4MB" in solution.report.stopped
    assert "allow more (`max_memory`)" in solution.report.advice


def test_a_limit_that_nothing_can_hold_is_refused():
    with pytest.raises(lrfm.MemoryLimitError, match=r"`max_memory='1 kB'` is less than any solve takes"):
        lrfm.solve(lrfm.catalog.heat_1d(), tol=1e-3, max_memory="1 kB")


def test_numbers_that_add_up_are_announced():
    asked = []
    kept = Shelf(1e12)
    with within(asked.append):
        for _ in range(9):
            kept.put(np.zeros(NOTICED // 4))
    assert asked == [8 * 5 * (NOTICED // 4)]


def test_what_does_not_fit_is_kept_on_the_disk():
    rng = np.random.default_rng(0)
    arrays = [rng.random((3, 1000)), rng.random((2, 5, 700)).astype(np.float32), rng.random(20_000)] * 3
    kept = Shelf(50_000)
    found = [kept.put(array) for array in arrays]
    assert (found[0] is arrays[0], kept.held) == (True, 3 * 8000)
    assert kept.held + kept.stored == sum(array.nbytes for array in arrays)
    assert not found[-1].flags.owndata
    del kept  # arrays outlive what they came from
    forget(*found)
    assert all(np.array_equal(a, b) and a.dtype == b.dtype for a, b in zip(arrays, found, strict=True))

    def refuse(count):
        raise MemoryLimitError("no room")

    kept = Shelf(1e12)
    with within(refuse):
        last = [kept.put(np.full(NOTICED // 2 + 1, i, dtype=float)) for i in range(4)]
    assert kept.stored > 0
    assert [float(a[-1]) for a in last] == [0, 1, 2, 3]


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the system does not say what is held")
def test_what_was_read_of_the_disk_is_let_go():
    mapped = lambda: resource.getpagesize() * int(Path("/proc/self/statm").read_text().split()[2])  # noqa: E731
    kept = Shelf(0).put(np.arange(4e6).reshape(2, 1, -1))
    before, total = mapped(), kept.sum()
    assert mapped() - before > kept.nbytes / 2
    forget(kept[:, 0])
    assert mapped() - before < kept.nbytes / 10
    assert kept.sum() == total


def test_a_solution_on_the_disk_is_the_same_solution(monkeypatch, tmp_path):
    found = []
    for limit in (1e9, 10_000):
        monkeypatch.setattr("lrfm.integrate.integrator.SAFEGUARDS", replace(SAFEGUARDS, in_memory=limit))
        found.append(lrfm.solve(FLOW.replace(time=(0, 0.3)), tol=1e-2))
    x, y = np.meshgrid(np.linspace(0, 1, 7), np.linspace(0, 1, 5))
    values = [u.w(x=x, y=y, t=0.17) for u in found]
    assert np.array_equal(*values)
    kept = found[1].pieces[0].rates[-1]
    assert not kept.flags.writeable
    again = lrfm.load(found[1].save(tmp_path / "u.lrfm"))
    assert np.allclose(again.w(x=x, y=y, t=0.17), values[0], atol=1e-12)


def test_iterations_and_sparse_factors_look_at_the_clock():
    """Once for each product, and before factors by the seconds that the last ones took: cells of the plane took minutes between two looks."""
    seen, matrix = [], np.eye(30) + 0.1 * np.random.default_rng(0).normal(size=(30, 30))
    with deadline(lambda ahead=0.0: seen.append(ahead)):
        found, count = krylov(lambda v: matrix @ v, np.ones(30), 1e-10, 30)
        assert len(seen) == count > 3
        rows, columns = np.nonzero(matrix)
        solver = Sparse(rows, columns, 30)
        solver.factor(matrix[rows, columns])
        solve = solver.factor(matrix[rows, columns])
    np.testing.assert_allclose(matrix @ found, np.ones(30), atol=1e-8)
    np.testing.assert_allclose(matrix @ solve(np.ones(30)), np.ones(30), atol=1e-8)
    assert seen[-2] == 0.0
    assert seen[-1] > 0.0


def test_first_factors_are_foreseen_by_their_fill(monkeypatch):
    """On a plate with six holes they took 8.5 of 20 seconds, began after 17, and nothing was known of them."""
    monkeypatch.setattr(sparse, "_measured", [2e9])
    matrix = np.eye(40) + 0.1 * np.random.default_rng(0).normal(size=(40, 40))
    rows, columns = np.nonzero(matrix)
    seen: list[float] = []
    fill = np.full(1600, 1600.0)  # as if these were blocks of a matrix of 1600 columns: 2 * 1600^3 operations
    with deadline(lambda ahead=0.0: seen.append(ahead)):
        solver = Sparse(rows, columns, 40, fill=fill)
        solver.factor(matrix[rows, columns])
        solver.factor(matrix[rows, columns].astype(complex))
    first, second = (ahead for ahead in seen if ahead)
    assert first == pytest.approx(2 * 1600**3 / 2e9)
    assert second < 0.1 * first  # 8e9 operations in no time, and four times as many of complex numbers


def test_what_is_foreseen_to_end_too_late_is_out_of_time_and_nothing_else(monkeypatch):
    """It was taken for cells that do not suit the statement, and solved in space and time with what was left: residual 10."""
    monkeypatch.setattr(sparse, "_measured", [1.0])  # one operation per second
    monkeypatch.setattr(sparse, "NOTICED", 1e3)
    domain = lrfm.Box(x=(0, 2), y=(0, 1)) - lrfm.Disk(center=(1, 0.5), radius=0.2)
    problem = lrfm.Problem("u_t = lap(u)", domain=domain, time=(0, 1), initial="1", boundary="u = 0")
    u = lrfm.solve(problem, tol=1e-2, max_seconds=60, strict=False)
    assert u.report.method == "lines"
    assert u.report.status == "out of time"
    assert "would have passed before the first step" in u.report.reason
    assert u.block_edges[-1] == 0
