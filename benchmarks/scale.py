# SPDX-License-Identifier: MIT
"""Heat in a plate with 100 holes on more and more cells of the plane: CPU seconds and memory per unknown.

    python benchmarks/scale.py                    # 1e4, 1e5 and 1e6 unknowns, into benchmarks/results/scale.jsonl
    python benchmarks/scale.py 1e4 1e5
    python benchmarks/scale.py --line 100 1000 10000               # cells of an interval: Burgers' equation with ν = 0.01/π
    mpiexec -n 2 python benchmarks/scale.py --one --petsc 3e4      # sparse systems on two processes, a row of each

Boxes are all of one size, so that the number of unknowns is given; what is measured is all that an integration does on them: points of cut cells, functions, matrices, factors or
cycles, a consistent start and steps of Radau IIA. Every row is a process of its own; `mean`, that of u at the end, says whether they agree.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import harness
import numpy as np

import lrfm
from lrfm.discretize.evolution import EvolutionSystem
from lrfm.discretize.line.collocation import CellCollocation
from lrfm.discretize.line.layout import Layout, points_of
from lrfm.discretize.options import Options
from lrfm.discretize.plane.galerkin import PlaneGalerkin
from lrfm.discretize.plane.projection import Leray
from lrfm.integrate.schemes.radau import Iteration, Radau
from lrfm.integrate.start import consistent_start
from lrfm.integrate.state import IntegratorState
from lrfm.linalg.processes import sharing
from lrfm.linalg.threads import one_thread
from lrfm.solver.entry import processes
from lrfm.solver.formulations.plane import PlaneFormulation, PlaneSystem, projected_start
from lrfm.spaces.cells import Mesh
from lrfm.spaces.cells.plane.mesh import PlaneMesh
from lrfm.spaces.cells.plane.space import PlaneCells
from lrfm.spaces.cells.reference import nodes, table

RESULT = harness.RESULTS / "scale.jsonl"
SIDE, RADIUS, TOL, STEPS, END = 10, 0.25, 1e-3, 4, 0.4
LINE_TOL, SHORT = 1e-6, 1e-3


def statement() -> lrfm.Problem:
    """Holes in rows of ten, a little out of line, heated from nothing."""
    plate = lrfm.Box(x=(0, SIDE), y=(0, SIDE), name="plate")
    conditions = {"plate": "u = 0"}
    shifts = np.random.default_rng(0).uniform(-0.1, 0.1, (SIDE, SIDE, 2))
    for i in range(SIDE):
        for j in range(SIDE):
            x, y = (i + 0.5 + shifts[i, j, 0], j + 0.5 + shifts[i, j, 1])
            plate = plate - lrfm.Disk(center=(float(x), float(y)), radius=RADIUS, name=f"hole{i}{j}")
            conditions[f"hole{i}{j}"] = "u_n = 1 - u"
    return lrfm.Problem("u_t = lap(u)", domain=plate, time=(0, END), initial="0", boundary=conditions)


@one_thread  # as in `solve`
def one(unknowns: float) -> harness.Row:
    """The row of about so many unknowns."""
    form, options = PlaneFormulation(PlaneSystem(statement())), Options(tol=TOL)
    layout, marks = form.layout(options), [time.process_time()]
    # Boxes inside of holes hold nothing.
    inside = 1 - np.pi * RADIUS**2
    along = round(float(np.sqrt(unknowns / layout.size / inside)))
    low, high = form.outline.low, form.outline.high
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    space = PlaneCells(form.outline, PlaneMesh.of(low, high, (along, along)), layout.degree)
    marks.append(time.process_time())
    made = PlaneGalerkin(layout, space)
    nothing = np.zeros((1, space.size, space.functions))
    pencil = made.linearize(0.0, nothing, nothing)
    marks.append(time.process_time())
    y, z = projected_start(Leray(), made, 0.0, nothing, END)
    state = IntegratorState(0.0, space, y, z, END / STEPS, 0.0, np.zeros(1), np.full(1, np.inf))
    state = stepped(made, pencil, state, options, END / STEPS)
    marks.append(time.process_time())
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    cells, steps = np.diff(marks)[:2], np.diff(marks)[2]
    return {
        "unknowns": made.size,
        "cells": space.size,
        "degree": layout.degree,
        "solver": "iterations" if made.iterative else "factors",
        "cpu": round(marks[-1] - marks[0], 2),
        "cpu of cells, matrices, steps": [round(float(t), 2) for t in (*cells, steps)],
        "microseconds per unknown": round(1e6 * (marks[-1] - marks[0]) / made.size, 1),
        "kilobytes per unknown": round(memory / made.size, 2),
        "mean": float(np.sum(space.shares * state.y[0, :, 0])),
    }


def stepped(made, pencil, state: IntegratorState, options: Options, h: float) -> IntegratorState:
    """The state after all steps, with one matrix."""
    scheme = Radau(options.stages)
    for _ in range(STEPS):
        norm = lambda change: float(np.max(made.norms(change)))  # noqa: E731
        iteration = Iteration(norm, options.newton_goal, options.iterations, 1.0)
        found = scheme.step(made, pencil, state, h, iteration)
        assert found.converged
        state = replace(
            state,
            time=state.time + h,
            y=found.end,
            z=found.rates[-1],
            before=(h, found.rates),
            steps=state.steps + 1,
        )
    return state


@one_thread  # as in `solve`
def line(cells: float) -> harness.Row:
    """The row of so many cells of an interval of one length, for steps that are short beside them: rows, matrix, a consistent start, factors of all stages."""
    problem = lrfm.Problem(
        "u_t + u*u_x = 0.01/pi*u_xx",
        domain=lrfm.Box(x=(-1, 1)),
        time=(0, 1),
        initial="-sin(pi*x)",
        boundary="u = 0",
    )
    options = Options(tol=LINE_TOL)
    system = EvolutionSystem(problem)
    before, marks = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, [time.process_time()]
    mesh = Mesh.of(np.linspace(-1, 1, round(cells) + 1))
    made = CellCollocation(Layout(system, points_of(system, options)), mesh)
    points, weights = nodes(made.layout.size, 0)
    values = -np.sin(np.pi * mesh.places(points))
    y = ((values * weights) @ table(points, made.layout.size))[None]
    y, z = consistent_start(made, 0.0, y, 1.0)
    pencil = made.linearize(0.0, y, z)
    marks.append(time.process_time())
    state = IntegratorState(0.0, mesh, y, z, SHORT, 0.0, np.zeros(1), np.full(1, np.inf))
    state = stepped(made, pencil, state, options, SHORT)
    marks.append(time.process_time())
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    return {
        "axes": 1,
        "unknowns": made.size,
        "cells": mesh.size,
        "degree": made.layout.size - 1,
        "solver": "factors",
        "cpu": round(marks[-1] - marks[0], 3),
        "cpu of matrices, steps": [round(float(t), 3) for t in np.diff(marks)],
        "microseconds per unknown": round(1e6 * (marks[-1] - marks[0]) / made.size, 1),
        "kilobytes per unknown": round(memory / made.size, 2),
        "mean": float(np.sqrt(np.sum(mesh.widths / 2 @ state.y[0] ** 2))),  # ‖u‖: of u it is zero
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("unknowns", nargs="*", type=float, default=[1e4, 1e5, 1e6])
    parser.add_argument("--one", action="store_true")
    parser.add_argument("--petsc", action="store_true")
    parser.add_argument("--line", action="store_true")
    asked = parser.parse_args()
    if asked.one and asked.line:
        print(json.dumps(line(asked.unknowns[0])))
        return
    if asked.one:
        with sharing(processes()) if asked.petsc else nullcontext():
            print(json.dumps(one(asked.unknowns[0])) + "\n", end="", flush=True)
        return
    where = harness.as_installed()
    for unknowns in asked.unknowns:
        words = [sys.executable, __file__, "--one", *(["--line"] if asked.line else []), repr(unknowns)]
        run = subprocess.run(words, capture_output=True, text=True, check=False)
        if run.returncode:
            print(unknowns, run.stderr.strip().splitlines()[-1][:200])
            continue
        row = json.loads(run.stdout.splitlines()[-1]) | where
        print({k: v for k, v in row.items() if k != "machine"}, flush=True)
        with RESULT.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(row) + "\n")


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    main()
