# SPDX-License-Identifier: MIT
"""Solves whose sparse systems are shared by processes; what needs petsc4py is run by `make petsc-test` on one process and on two."""

import json
import sys

import numpy as np
import pytest
from typer.testing import CliRunner

import lrfm
from lrfm.cli.app import app
from lrfm.linalg.processes import sharing
from lrfm.solver import entry as started
from lrfm.solver.methods import with_linear

HEAT = """
equation = "u_t = lap(u)"
time = [0, 0.2]
initial = "exp(-8*((x - 0.2)**2 + y**2))"
boundary = { rim = "u_n = -u" }
domain = "Disk(name='rim')"
"""
PETSC = lrfm.Lines(linear="petsc")


def heat(**changes):
    given = {
        "time": (0, 0.2),
        "initial": "exp(-8*((x - 0.2)**2 + y**2))",
        "boundary": {"rim": "u_n = -u"},
        "domain": lrfm.Disk(name="rim"),
    }
    return lrfm.Problem("u_t = lap(u)", **given | changes)


# What is refused --------------------------------------------------------------------------------------------


def test_words_that_are_none_are_refused():
    with pytest.raises(
        ValueError, match=r"`linear='petcs'` of `lrfm\.Lines` is not known; expected one of scipy, petsc"
    ):
        lrfm.Lines(linear="petcs")
    with pytest.raises(ValueError, match="`space='series'` has none"):
        lrfm.Lines(space="series", linear="petsc")
    assert PETSC.space == "cells"
    assert with_linear("auto", "scipy") == lrfm.Lines()
    with pytest.raises(ValueError, match="has no sparse systems"):
        with_linear("space-time", "petsc")


def test_an_interval_has_no_sparse_systems():
    with pytest.raises(lrfm.ProblemError, match="On an interval matrices are banded"):
        lrfm.solve(lrfm.catalog.heat_1d(), tol=1e-3, method=PETSC)


def test_a_missing_library_is_said_with_how_it_is_had(monkeypatch):
    from lrfm.linalg import petsc

    petsc.world.cache_clear()
    monkeypatch.setitem(sys.modules, "petsc4py", None)
    with pytest.raises(ImportError, match=r"python3-petsc4py openmpi-bin.*make petsc-test"):
        lrfm.solve(heat(), tol=1e-3, method=PETSC)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ({}, (1, 0)),
        ({"OMPI_COMM_WORLD_SIZE": "4", "OMPI_COMM_WORLD_RANK": "3"}, (4, 3)),
        ({"PMI_SIZE": "2", "PMI_RANK": "0"}, (2, 0)),
        ({"PMI_SIZE": "two", "PMI_RANK": "0"}, (1, 0)),
    ],
)
def test_what_mpiexec_has_started(said, expected, monkeypatch):
    for name in ("SIZE", "RANK"):
        for prefix in started.TOLD:
            monkeypatch.delenv(prefix + name, raising=False)
    for name, value in said.items():
        monkeypatch.setenv(name, value)
    assert started.started() == expected


class Two:
    """A group of two processes, of which this is the second."""

    count, first = 2, False

    def agreed(self, value):
        return value

    def anywhere(self, flag):
        return flag


def test_a_checkpoint_is_of_one_process(tmp_path):
    with sharing(Two()), pytest.raises(ValueError, match="on 2 processes, and is kept by one alone"):
        lrfm.solve(lrfm.catalog.heat_1d(), tol=1e-3, checkpoint=tmp_path / "kept")


def test_the_clock_and_the_memory_are_those_of_all(monkeypatch):
    """The second process goes by what the first has measured."""
    from lrfm.solver.budget import Budget, MemoryLimitError, OutOfTime, Room

    late, full = Two(), Two()
    monkeypatch.setattr(late, "agreed", lambda value: value + 100, raising=False)
    monkeypatch.setattr(full, "anywhere", lambda flag: True, raising=False)
    budget = Budget(seconds=50)
    budget.stop()
    with sharing(late), pytest.raises(OutOfTime):
        budget.stop()
    room = Room("1GB")
    room.ask(10)
    with sharing(full), pytest.raises(MemoryLimitError):
        room.ask(10)


# Solves -----------------------------------------------------------------------------------------------------


@pytest.fixture
def world():
    pytest.importorskip(
        "petsc4py", reason="petsc4py is not installed; `make petsc-test` has an environment with it"
    )
    from lrfm.linalg import petsc

    petsc.world.cache_clear()
    return petsc.world()


def same(world, solution):
    """Values of a solution, which are the same in all processes to the last bit."""
    radius, angle = np.meshgrid(np.linspace(0, 0.95, 5), np.linspace(0, 6, 7))
    end = solution.block_edges[-1]
    values = solution(x=radius * np.cos(angle), y=radius * np.sin(angle), t=end)
    world.check(np.asarray(values))
    return values


@pytest.mark.parametrize("tol", [1e-3, 1e-5])
def test_the_answer_is_that_of_one_process_without_petsc(world, tol):
    alone = lrfm.solve(heat(), tol=tol)
    shared = lrfm.solve(heat(), tol=tol, method=PETSC)
    assert shared.report.solved
    expected, found = same(world, alone), same(world, shared)
    assert np.max(np.abs(found - expected)) <= tol * np.max(np.abs(expected))
    # Not only to the tolerance: cells and steps are the same, and systems are solved to rounding.
    assert np.max(np.abs(found - expected)) <= 1e-9 * np.max(np.abs(expected))


def test_what_oscillates_has_complex_factors(world, monkeypatch):
    """Shifts have factors of their own: real systems of twice the size."""
    from lrfm.linalg.petsc import SparseRows

    factor, seen = SparseRows.factor, set()
    monkeypatch.setattr(
        SparseRows, "factor", lambda own, values: seen.add(values.dtype.kind) or factor(own, values)
    )
    given = {"initial": {"u": "exp(-2*(x**2 + y**2))*(1 - x**2 - y**2)", "u_t": "0"}, "boundary": "u = 0"}
    problem = lrfm.Problem("u_tt + u_t = lap(u)", domain=lrfm.Disk(), time=(0, 0.05), **given)
    alone = lrfm.solve(problem, tol=1e-2)
    shared = lrfm.solve(problem, tol=1e-2, method=PETSC)
    assert "c" in seen
    expected, found = same(world, alone), same(world, shared)
    assert np.max(np.abs(found - expected)) <= 1e-8 * np.max(np.abs(expected))


def test_a_state_at_rest(world):
    problem = lrfm.Problem("lap(u) + exp(u) = 0", domain=lrfm.Disk(), boundary="u = 0")
    expected = lrfm.steady(problem, tol=1e-4)(x=0.1, y=0.2)
    assert lrfm.solve(problem, tol=1e-4, method=PETSC)(x=0.1, y=0.2) == pytest.approx(expected, rel=1e-9)


def test_the_clock_of_the_first_process_ends_all(world):
    """Each counts the seconds of its own processor, and they differ."""
    sharp = heat(initial="exp(-800*((x - 0.2)**2 + y**2))")
    solution = lrfm.solve(sharp, tol=1e-8, method=PETSC, max_seconds=1.0, strict=False)
    assert solution.report.stopped == "max_seconds=1"
    world.check(np.asarray(solution.block_edges))


def test_the_command_speaks_with_one_voice(world, tmp_path):
    file, out = tmp_path / "heat.toml", tmp_path / "heat.lrfm"
    file.write_text(HEAT, encoding="utf-8")
    options = [] if world.count > 1 else ["--linear", "petsc"]
    words = ["solve", str(file), "--tol", "1e-3", "--out", str(out), "--json", *options]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0
    assert out.exists() == world.first
    if not world.first:
        assert result.output == ""
        return
    assert json.loads(result.stdout)["status"] == "tolerance met"
    assert lrfm.load(out)(x=0.1, y=0.2, t=0.2) == pytest.approx(0.141518, rel=1e-3)
