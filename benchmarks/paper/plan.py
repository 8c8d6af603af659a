# SPDX-License-Identifier: MIT
"""What is to be run: jobs, the cells of tables that need them, and the sizes of a full or a quick study."""

from __future__ import annotations

import functools
import hashlib
import json
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import Any

from paper.case import Case

QUICK = 0.3  # factor on features and rows of a quick study
SECONDS_PER_FLOP, SECONDS_PER_FEATURE = 3e-10, 2e-7  # of one core, for the estimate of time only


@dataclass(frozen=True)
class Job:
    """One run with one seed, as plain data, and the key under which its result is kept."""

    kind: str
    data: dict[str, Any]
    seed: int
    cost: float = 1.0  # seconds, a guess
    exclusive: bool = False  # must not share the machine (its seconds are a result)

    @functools.cached_property
    def key(self) -> str:
        """A digest of the content: change a setting, and the job is another one."""
        text = json.dumps([self.kind, self.data, self.seed], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:20]


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One entry of a table: a metric of some jobs, one per seed, and what the paper prints there.

    Parameters
    ----------
    table, row, column
        Where it stands.
    metric
        Name in the jobs' results: l2, linf, final, condition, rank, seconds, …
    jobs
        One per seed.
    paper
        Mean and sample standard deviation as printed; None where the paper prints nothing.
    role
        "liquid", "static": the paper's protocol; "time": seconds; "extra": our rows; "tuned": our settings.
    """

    table: str
    row: str
    column: str
    metric: str
    jobs: tuple[Job, ...]
    paper: tuple[float, float] | None = None
    role: str = "liquid"


@dataclass(frozen=True)
class Experiment:
    """A named part of the study: its title, its place in the paper, its cells, and jobs that only figures need."""

    name: str
    title: str
    source: str
    cells: Callable[[Plan], list[Cell]] = lambda plan: []
    more: Callable[[Plan], list[Job]] = lambda plan: []

    def jobs(self, plan: Plan) -> list[Job]:
        """All jobs, each once."""
        return unique([*(job for cell in self.cells(plan) for job in cell.jobs), *self.more(plan)])


@dataclass(frozen=True)
class Plan:
    """Seeds, and whether sizes are those of the paper or small ones."""

    seeds: tuple[int, ...] = (0, 1, 2, 3, 4)
    quick: bool = False

    def case(self, name: str, **changes: Any) -> Case:
        """A row of `settings.toml`, with changes; shrunk when the study is quick."""
        case = Case.from_dict({**data_file("settings")[name], **changes})
        if not self.quick:
            return case
        per_patch, *rows = (max(8, round(QUICK * n)) for n in (case.per_patch, *case.rows))
        return replace(case, per_patch=per_patch, rows=tuple(rows), max_steps=min(case.max_steps, 10))

    def solves(self, case: Case, method: str) -> tuple[Job, ...]:
        """The paper's protocol with every seed; what figures draw, L-RFM-Local with the first seed, keeps its field."""
        jobs = []
        for seed in self.seeds:
            data = {"case": case.to_dict(), "method": method}
            if method == "local" and seed == self.seeds[0] and case in self.drawn:
                data["field"] = True
            jobs.append(Job("solve", data, seed, solve_cost(case)))
        return tuple(jobs)

    @functools.cached_property
    def drawn(self) -> tuple[Case, ...]:
        """Cases whose fields the figures show."""
        plain = (self.case(name) for name in ("allen-cahn", "burgers", "kdv", "nls", "multiscale-3d"))
        stiff = self.case("allen-cahn", options={"eps": 1e-4, "T": 0.15})
        return (*plain, stiff, self.case("allen-cahn-long", blocks=8))

    def tuned(self, name: str, **changes: Any) -> tuple[Job, ...]:
        """This package's own settings of `tuned.toml` with every seed; not the paper's protocol."""
        settings = {**data_file("tuned")[name], **changes}
        if self.quick:
            settings["features"] = max(24, round(QUICK * settings["features"]))
        cost = (
            6e-10 * settings["features"] ** 3 * 4.0 * settings.get("cost", 4) * settings.get("blocks", 1)
            + 0.5
        )
        return tuple(Job("tuned", settings, seed, cost) for seed in self.seeds)


def solve_cost(case: Case) -> float:
    """A guess of the seconds of one solve."""
    interior, initial, boundary = case.rows
    fields = 2 if case.problem == "nls" else 1
    rows = fields * (interior + initial + 2 * boundary)
    columns = fields * case.features
    steps = 1 if case.problem.startswith(("heat", "multiscale")) else 8
    flops = steps * rows * columns**2
    return case.blocks * (SECONDS_PER_FLOP * flops + SECONDS_PER_FEATURE * rows * columns + 0.1)


@functools.cache
def data_file(name: str) -> dict[str, Any]:
    """`settings`: the rows of the study; `tuned`: our own settings per problem; `published`: what the paper prints."""
    return tomllib.loads(files("paper").joinpath(f"{name}.toml").read_text(encoding="utf-8"))


def unique(jobs: Sequence[Job]) -> list[Job]:
    """Each job once, in order."""
    return list({job.key: job for job in jobs}.values())
