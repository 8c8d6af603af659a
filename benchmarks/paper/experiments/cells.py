# SPDX-License-Identifier: MIT
"""What experiments share: names of rows and columns, and the cells of the five methods on one row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from paper.case import LIQUID, METHODS, Case
from paper.plan import Cell, Job, Plan, data_file

COLUMNS = {"l2": "Rel. L2", "linf": "Rel. Linf", "condition": "κ(A)", "rank": "Rank"}
PRINTED = {"condition": "kappa"}  # where `published.toml` calls a metric by another name
TUNED = "tuned"
ONE_D = ("allen-cahn", "burgers", "kdv", "nls")
TITLES = {
    "heat-1d": "Heat 1D",
    "allen-cahn": "Allen-Cahn",
    "burgers": "Burgers",
    "kdv": "KdV as printed",
    "kdv-consistent": "KdV, consistent data",
    "nls": "NLS",
}


def pair(value: Sequence[float] | None) -> tuple[float, float] | None:
    """A printed [mean, deviation]."""
    return None if value is None else (float(value[0]), float(value[1]))


def printed(table: str, name: str) -> Mapping[str, Any]:
    """A row of a printed table by the name of its problem."""
    return data_file("published")[table][name.replace("-1d", "").replace("-", "_")]


def cell(
    table: str,
    row: str,
    column: str,
    jobs: tuple[Job, ...],
    *,
    metric: str = "l2",
    paper: Sequence[float] | None = None,
    role: str = "liquid",
) -> Cell:
    """One entry of a table."""
    return Cell(table=table, row=row, column=column, metric=metric, jobs=jobs, paper=pair(paper), role=role)


def extra(table: str, row: str, column: str, jobs: tuple[Job, ...], metric: str = "l2") -> Cell:
    """An entry of our own, beyond the paper."""
    return cell(table, row, column, jobs, metric=metric, role="extra")


def tuned(plan: Plan, table: str, row: str, name: str, *, metric: str = "l2", **changes: Any) -> Cell:
    """The column of our own settings."""
    return cell(table, row, TUNED, plan.tuned(name, **changes), metric=metric, role="tuned")


def methods(
    plan: Plan,
    table: str,
    row: str,
    case: Case,
    *,
    metric: str = "l2",
    paper: Mapping[str, Any] | None = None,
) -> list[Cell]:
    """The five methods on one row; a row that the paper does not have is an extra one."""
    cells = []
    for method, title in METHODS.items():
        role = "extra" if paper is None else "liquid" if method in LIQUID else "static"
        value = None if paper is None else paper.get(method)
        cells.append(
            cell(table, row, title, plan.solves(case, method), metric=metric, paper=value, role=role)
        )
    return cells
