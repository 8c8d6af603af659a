# SPDX-License-Identifier: MIT
"""No file makes lrfm connect anywhere or run anything; clusters are trusted by those who name them, with TLS if they like."""

import gc
import os
import shutil
import socket
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from helpers import PATIENCE, environment

import lrfm
from lrfm.cli import main
from lrfm.problem.file import parse
from lrfm.solver.options import solve_options
from lrfm.spacetime.least_squares import cluster

HEAT = """
equation = "u_t = u_xx"
time = [0, 0.1]
initial = "sin(pi*x)"
boundary = "u = 0"
domain = {x = [0, 1]}
"""


@pytest.fixture
def trap():
    """A server that notes whether anybody calls."""
    calls, server = [], socket.create_server(("127.0.0.1", 0))

    def listen():
        while True:
            try:
                connection, _ = server.accept()
            except OSError:
                return
            calls.append(connection.getpeername())
            connection.close()

    threading.Thread(target=listen, daemon=True).start()
    yield f"tcp://127.0.0.1:{server.getsockname()[1]}", calls
    server.close()


ADDRESSED = [
    'solve = {{least_squares = {{kind = "distributed", scheduler = "{0}"}}}}',
    'solve = {{least_squares = {{kind = "DISTRIBUTED", scheduler = "{0}", chunk_rows = 500}}, '
    'space = {{kind = "liquid", features = 30}}}}',
    '[solve.method]\nkind = "space-time"\n[solve.method.least_squares]\nkind = "distributed"\n"scheduler" = "{0}"',
    '[solve.least_squares]\nkind = "distributed"\n"scheduler" = "{0}"',
    '[solve]\nscheduler = "{0}"',
    '[solve]\nleast_squares = {{kind = "qr", scheduler = "{0}"}}',
    '[solve]\nclient = "{0}"',
    '[solve]\nbackend = "{0}"',
    '[solve]\ncheckpoint = "{0}"',
    'scheduler = "{0}"',
]


# Every place with one command, and every command with one place; all of them by `make test-all`.
@pytest.mark.parametrize(
    ("command", "lines"),
    [
        pytest.param(
            command, lines, marks=() if command == "check" or lines == ADDRESSED[0] else pytest.mark.thorough
        )
        for command in ("check", "plan", "solve", "sweep")
        for lines in ADDRESSED
    ],
)
def test_a_statement_cannot_name_an_address(trap, tmp_path, monkeypatch, capsys, lines, command):
    monkeypatch.chdir(tmp_path)
    address, calls = trap
    where, lines = ("", lines) if not lines.startswith("scheduler") else (lines.format(address), "")
    Path("evil.toml").write_text(where + HEAT + lines.format(address))
    with pytest.raises(SystemExit) as ended:
        main([command, "evil.toml"])
    said = capsys.readouterr().err
    assert ended.value.code == 2
    assert "Traceback" not in said
    assert calls == []
    assert os.listdir() == ["evil.toml"]


def test_the_refusal_says_where_an_address_belongs(trap):
    statement = parse(HEAT + ADDRESSED[0].format(trap[0]), "evil.toml")
    with pytest.raises(
        lrfm.ProblemError, match=r"evil.toml: `scheduler` in .*--scheduler ADDRESS"
    ) as refused:
        solve_options(statement)
    assert trap[0] not in str(refused.value)


def test_the_refusal_of_another_key_does_not_offer_addresses():
    statement = parse(
        HEAT
        + 'solve = {method = {kind = "space-time", least_squares = {kind = "distributed", schedule = "x"}}}'
    )
    with pytest.raises(lrfm.ProblemError, match="has no `schedule`; it takes") as refused:
        solve_options(statement)
    assert "`scheduler`" not in str(refused.value)


def test_rows_in_chunks_are_still_chosen_in_a_file():
    statement = parse(
        HEAT
        + 'solve = {method = {kind = "space-time", least_squares = {kind = "distributed", chunk_rows = 500}}}'
    )
    assert solve_options(statement)["method"].least_squares == lrfm.Distributed(chunk_rows=500)


@pytest.mark.skipif(os.name != "posix", reason="needs a program that a shell can run")
def test_settings_of_matplotlib_in_a_foreign_folder_run_no_program(tmp_path):
    """`matplotlibrc` of the current folder may name the program that makes movies."""
    lrfm.solve(lrfm.catalog.heat_1d(), tol=1e-2).save(tmp_path / "heat.lrfm")
    program = tmp_path / "evil"
    program.write_text("#!/bin/sh\ntouch ran\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    (tmp_path / "matplotlibrc").write_text(f"animation.ffmpeg_path: {program}\ntext.usetex: True\n")
    script = """
import contextlib
from lrfm.cli import main
for name in ("u.mp4", "u.png"):
    with contextlib.suppress(SystemExit):
        main(["export", "heat.lrfm", name, "--resolution", "x=11,t=3"])
"""
    subprocess.run(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        check=False,
        timeout=PATIENCE,
    )
    assert not (tmp_path / "ran").exists()
    assert (tmp_path / "u.png").exists()


# TLS --------------------------------------------------------------------------------------------------------


@pytest.fixture
def certificates(tmp_path):
    """An authority and a certificate that it signed, as docs/distributed.md makes them; and those of a stranger."""
    if shutil.which("openssl") is None:
        pytest.skip("certificates are made by openssl")

    def openssl(line):
        subprocess.run(["openssl", *line.split()], cwd=tmp_path, check=True, capture_output=True)

    for who in ("ours", "theirs"):
        openssl(
            f"req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN={who} -keyout {who}-ca.key -out {who}-ca.pem"
        )
        openssl(f"req -newkey rsa:2048 -nodes -subj /CN={who}-node -keyout {who}.key -out {who}.csr")
        openssl(
            f"x509 -req -in {who}.csr -CA {who}-ca.pem -CAkey {who}-ca.key -CAcreateserial -days 2 -out {who}.pem"
        )
    return tmp_path


def settings(folder, who):
    """The configuration of Dask that docs/distributed.md shows."""
    key, cert = str(folder / f"{who}.key"), str(folder / f"{who}.pem")
    tls = {"ca-file": str(folder / f"{who}-ca.pem")}
    for role in ("scheduler", "worker", "client"):
        tls |= {f"{role}.key": key, f"{role}.cert": cert}
    return {
        "distributed.comm.require-encryption": True,
        **{f"distributed.comm.tls.{name}": path for name, path in tls.items()},
    }


@pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")
def test_a_cluster_behind_tls(certificates, monkeypatch):
    """With certificates the numbers are those of this machine; a stranger's certificates, or none, get a sentence."""
    distributed = pytest.importorskip("distributed")
    import dask

    problem = lrfm.catalog.heat_1d()
    options = {"method": lrfm.SpaceTime(space=lrfm.Liquid(features=30, gate=5.0))}
    with dask.config.set(settings(certificates, "ours")), distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, protocol="tls://", dashboard_address=":0",
        silence_logs=50, security=distributed.Security(),
    ) as there:  # fmt: skip
        address = there.scheduler_address
        assert address.startswith("tls://")
        (run,) = lrfm.sweep(problem, scheduler=address, solve=options)
        (here,) = lrfm.sweep(problem, solve=options)
        assert run.error_estimate == here.error_estimate
        cluster.disconnect()
        monkeypatch.setattr(cluster, "SECONDS", 3.0)  # what is refused is tried so long
        with (
            dask.config.set(settings(certificates, "theirs")),
            pytest.raises(ConnectionError, match=r"cannot be reached .*certificate"),
        ):
            lrfm.sweep(problem, scheduler=address, solve=options)
        with pytest.raises(ConnectionError, match="requires encryption"):
            lrfm.sweep(problem, scheduler=address.replace("tls", "tcp"), solve=options)
    with pytest.raises(ConnectionError, match=r"no certificates; see docs/distributed\.md"):
        lrfm.sweep(problem, scheduler=address, solve=options)
    gc.collect()
