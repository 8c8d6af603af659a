# SPDX-License-Identifier: MIT
"""A Dask cluster of separate processes: the same numbers as here, also when a worker is killed in the middle."""

import gc
import os
import signal
import socket

import numpy as np
import pytest
from helpers import by_hand

import lrfm
from lrfm.cli import main
from lrfm.parallel.tasks import places
from lrfm.spacetime.least_squares import Distributed, cluster
from lrfm.spacetime.windows import shares as scattered

distributed = pytest.importorskip("distributed")

# A worker that is killed leaves sockets behind that nobody closes.
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")]

HEAT = """
equation = "u_t = a*u_xx"
time = [0, 0.1]
initial = "sin(pi*x)"
boundary = "u = 0"
domain = {x = [0, 1]}
parameters = {a = 1.0}
solve = {method = {kind = "space-time", space = {kind = "liquid", features = 60, centers = 1.1, gate = 5}}}
"""


@pytest.fixture(scope="module")
def client():
    import dask

    with (
        dask.config.set({"distributed.worker.profile.enabled": False}),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0", silence_logs=50
        ) as workers,
        distributed.Client(workers) as client,
    ):
        yield client
        cluster.disconnect()
    gc.collect()


@pytest.fixture
def address(client):
    return client.scheduler.address


@pytest.fixture
def problem():
    return lrfm.Problem(
        "u_t = eps*u_xx - u**3 + u", domain=lrfm.Box(x=(-1, 1)), time=(0, 0.1), initial="0.5*sin(pi*x)",
        boundary="periodic", parameters={"eps": 1e-3},
    )  # fmt: skip


def kill_a_busy_worker(client):
    """SIGKILL to a worker that has a task in hand."""
    pids = client.run(os.getpid)
    busy = [worker for worker, tasks in client.processing().items() if tasks]
    os.kill(pids[busy[0]], signal.SIGKILL)
    return pids[busy[0]]


# Sweeps -----------------------------------------------------------------------------------------------------


@pytest.mark.thorough
def test_a_killed_worker_changes_nothing(client, problem, tmp_path):
    """The same numbers as one after another in this process, bit for bit, and every run is there."""
    arguments = {
        "grid": {"parameters.eps": [1e-3, 1e-2]},
        "seeds": 6,
        "solve": {
            "method": lrfm.SpaceTime(
                space=lrfm.Liquid(features=50, gate=5.0), collocation=lrfm.Collocation(interior=500)
            ),
        },
    }
    killed = []

    def watch(progress):
        if progress.done == 2:
            killed.append(kill_a_busy_worker(client))

    there = lrfm.sweep(problem, client=client, out=tmp_path, notify=watch, **arguments)
    here = lrfm.sweep(problem, **arguments)
    assert len(killed) == 1
    assert killed[0] not in client.run(os.getpid).values()
    assert len(there) == len(here) == 12
    for mine, other in zip(here, there, strict=True):
        assert (mine.point, mine.seed, mine.status) == (other.point, other.seed, other.status)
        assert (mine.error_estimate, mine.residual) == (other.error_estimate, other.residual)
        one, two = mine.solution().pieces[0], other.solution().pieces[0]
        np.testing.assert_array_equal(one.coefficients["u"], two.coefficients["u"])


def test_what_a_cluster_has_done_is_not_done_again(address, problem, tmp_path):
    options = {"method": lrfm.SpaceTime(space=lrfm.Liquid(features=30, gate=5.0))}
    first = lrfm.sweep(problem, seeds=2, scheduler=address, solve=options, out=tmp_path)
    seen = []
    again = lrfm.sweep(problem, seeds=2, solve=options, out=tmp_path, notify=seen.append)
    assert [(p.done, p.total) for p in seen] == [(2, 2)]
    assert again.runs == first.runs


def test_functions_of_a_script_reach_the_workers(client, problem):
    """Dask sends functions by value, where processes of this machine need them by name."""
    steep = 3.0
    function = problem.replace(initial=lambda x: np.tanh(steep * np.sin(np.pi * x)))
    (run,) = lrfm.sweep(
        function, client=client, solve={"method": lrfm.SpaceTime(space=lrfm.Liquid(features=60, gate=5.0))}
    )
    assert run.solution()(x=0.5, t=0.0) == pytest.approx(np.tanh(3.0), abs=0.05)


def test_commands_take_an_address(address, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "heat.toml").write_text(HEAT)

    def run(*arguments):
        with pytest.raises(SystemExit) as ended:
            main([*map(str, arguments), "--scheduler", address])
        return ended.value.code or 0, capsys.readouterr().out

    code, out = run("sweep", "heat.toml", "--grid", "parameters.a=0.5,1", "--seeds", 2)
    assert (code, len(out.splitlines())) == (0, 4)
    assert run("reproduce", "temporal-rank", "--quick", "--out", "study")[0] == 0
    assert (tmp_path / "study" / "report.md").exists()
    code, out = run("solve", "heat.toml", "--details")
    assert code == 0
    assert "Distributed(scheduler='tcp" in out.replace("\n", "").replace(" ", "")


# Rows -------------------------------------------------------------------------------------------------------


def tall_parts(steps):
    """Many rows, few columns."""
    return {
        "space": lrfm.Liquid(features=40, gate=5.0),
        "collocation": lrfm.Collocation(interior=1500, initial=100),
        "nonlinear": lrfm.Newton(max_steps=steps),
        "estimate": False,
        "strict": False,
    }


def test_rows_on_workers_give_the_numbers_of_rows_on_threads(client, problem):
    """Assembled, linearized and reduced elsewhere; with the same chunks every bit is the same."""
    parts = tall_parts(steps=2)
    here = lrfm.solve(problem, **by_hand(least_squares=Distributed(chunk_rows=200), **parts))
    there = lrfm.solve(
        problem, **by_hand(least_squares=Distributed(chunk_rows=200, scheduler=client), **parts)
    )
    np.testing.assert_array_equal(there.pieces[0].coefficients["u"], here.pieces[0].coefficients["u"])


def test_rows_lost_with_a_worker_are_assembled_again(client, problem, monkeypatch):
    """After the first step one of the two workers is killed, and with it half of the rows."""
    parts = tall_parts(steps=3)
    here = lrfm.solve(problem, **by_hand(least_squares=Distributed(chunk_rows=200), **parts))
    asked, killed = [], []

    def compute(graphs, scheduler, jobs=None, stay=False):
        if stay:  # rows, before any answer is asked for
            return cluster.compute(graphs, scheduler, jobs, stay=True)
        asked.append(len(graphs))
        if len(asked) == 3:  # the residuals at the start and after a step are there
            pids = client.run(os.getpid)
            holding = next(worker for worker, keys in client.has_what().items() if keys)
            killed.append(pids[holding])
            os.kill(pids[holding], signal.SIGKILL)
        return cluster.compute(graphs, scheduler, jobs)

    monkeypatch.setattr(scattered, "compute", compute)
    there = lrfm.solve(
        problem, **by_hand(least_squares=Distributed(chunk_rows=200, scheduler=client), **parts)
    )
    assert len(killed) == 1
    assert killed[0] not in client.run(os.getpid).values()
    np.testing.assert_array_equal(there.pieces[0].coefficients["u"], here.pieces[0].coefficients["u"])


# What goes wrong --------------------------------------------------------------------------------------------


@pytest.fixture
def closed_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def test_a_scheduler_that_cannot_be_reached_gets_a_sentence(closed_port, problem, tmp_path, capsys):
    where = f"tcp://127.0.0.1:{closed_port}"
    with pytest.raises(
        ConnectionError, match=rf"{where} cannot be reached .*Start one with `dask scheduler`"
    ):
        lrfm.sweep(problem, scheduler=where)
    with pytest.raises(ConnectionError, match="cannot be reached"):
        lrfm.solve(problem, method=lrfm.SpaceTime(features=30, least_squares=Distributed(scheduler=where)))
    (tmp_path / "heat.toml").write_text(HEAT)
    for command in (["sweep", "--out", str(tmp_path / "s")], ["solve"]):
        with pytest.raises(SystemExit) as ended:
            main([command[0], str(tmp_path / "heat.toml"), *command[1:], "--scheduler", where])
        err = capsys.readouterr().err
        assert ended.value.code == 2
        assert "cannot be reached" in err
        assert "Traceback" not in err


@pytest.mark.parametrize("address", ["", "host", "tcp://host", "tcp://host:port", "host:1 host:2"])
def test_what_is_no_address_gets_a_sentence(address):
    with pytest.raises(ValueError, match="it looks like tcp://host:8786"):
        cluster.connect(address)


def test_only_addresses_and_clients_are_taken():
    with pytest.raises(TypeError, match="is a int; expected an address"):
        cluster.connect(8786)


def test_a_cluster_without_workers_gets_a_sentence(monkeypatch, problem):
    monkeypatch.setattr(places, "PATIENCE", 0.5)
    with (
        distributed.LocalCluster(
            n_workers=0, processes=False, dashboard_address=":0", silence_logs=50
        ) as empty,
        distributed.Client(empty) as client,
        pytest.raises(ConnectionError, match=r"no worker for .*Start one with `dask worker"),
    ):
        lrfm.sweep(problem, client=client)


def test_another_version_on_the_workers_is_refused(client, problem, monkeypatch):
    monkeypatch.setattr(lrfm, "__version__", "99")
    with pytest.raises(RuntimeError, match=r"run lrfm .*, and this is lrfm 99"):
        lrfm.sweep(problem, client=client)


def test_without_dask_there_is_a_sentence(monkeypatch, problem):
    import sys

    for name in ("dask", "dask.array", "distributed"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ImportError, match=r"""needs distributed.*pip install "lrfm\[dask\]"""):
        lrfm.sweep(problem, scheduler="tcp://127.0.0.1:1")
    with pytest.raises(ImportError, match=r"""needs dask.*pip install "lrfm\[dask\]"""):
        lrfm.solve(problem, method=lrfm.SpaceTime(features=30, least_squares=Distributed()))
