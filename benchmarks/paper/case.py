# SPDX-License-Identifier: MIT
"""One row of the paper's tables: equation, sizes, laws, stopping rule, and the spaces compared on it.

On each row all but the trial functions is the same for every method (Paper, tab:method-hyperparameters).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from lrfm import catalog
from lrfm.problem import Problem
from lrfm.solver.methods import SpaceTime
from lrfm.spacetime.features import PIELM, STC, Frozen, Liquid, SoV
from lrfm.spacetime.least_squares import TruncatedSVD
from lrfm.spacetime.windows.collocation import Collocation
from lrfm.spacetime.windows.nonlinear import Picard

METHODS = {
    "sov": "ST-RFM-SoV",
    "stc": "ST-RFM-STC",
    "pielm": "PIELM",
    "local": "L-RFM-Local",
    "global": "L-RFM-Global",
}
LIQUID = ("local", "global")
STATIC = ("sov", "stc", "pielm")


@dataclass(frozen=True, kw_only=True)
class Case:
    """A row's settings, all of them plain data.

    Parameters
    ----------
    problem, options
        Name in the catalog and arguments of its builder.
    patches, per_patch
        K (or K per axis) and M; global methods use P = K·M features.
    rows
        N_int, N_IC, N_BC as the paper counts them.
    weights, biases, overlap, tau
        R_w, R_b, reach of a patch beyond its cell in cell widths, and (c_min, c_max).
    static_time
        Range of the static spaces' time weights in units of R_w, their times being mapped to [-1, 1];
        ½ is the same as times mapped to [0, 1].
    tolerance, max_steps
        Picard's δ and largest number of steps.
    blocks
        Blocks in time.
    power
        Block weights λ_b = (N_int/N_b)^power of initial and boundary rows; the paper's rule is ½.
    time, grading
        Density of collocation times; the paper's text implies "uniform".
    cutoff
        Relative truncation of singular values.
    """

    problem: str
    options: Mapping[str, float] = field(default_factory=dict)
    patches: int | tuple[int, ...]
    per_patch: int
    rows: tuple[int, int, int]
    weights: float = 2.0
    biases: float = 1.0
    overlap: float = 0.25
    tau: tuple[float, float] = (0.05, 20.0)
    static_time: float = 0.5
    tolerance: float = 1e-10
    max_steps: int = 50
    blocks: int = 1
    power: float = 0.5
    time: str = "uniform"
    grading: float = 1e-3
    cutoff: float = 1e-12

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Case:
        """Read what `to_dict` or a TOML table gives; lists become tuples."""
        given: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in data.items()}
        return cls(**given)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON: what differs from the defaults."""
        given = {f.name: getattr(self, f.name) for f in fields(self)}
        defaults = {f.name: f.default for f in fields(self)} | {"options": {}}
        chosen = {name: value for name, value in given.items() if value != defaults[name]}
        return {name: list(v) if isinstance(v, tuple) else v for name, v in chosen.items()}

    @property
    def features(self) -> int:
        """P = K·M."""
        return self.per_patch * math.prod(
            self.patches if isinstance(self.patches, tuple) else (self.patches,)
        )

    def statement(self) -> Problem:
        """The equation with its data and reference."""
        return catalog.entry(self.problem).builder(**self.options)

    def collocation(self) -> Collocation:
        """The paper's points: Latin hypercube inside, tensor grids initially and on faces."""
        interior, initial, boundary = self.rows
        return Collocation(
            interior=interior,
            initial=initial,
            boundary=boundary,
            initial_weight=(interior / initial) ** (self.power - 0.5),
            boundary_weight=(interior / boundary) ** (self.power - 0.5),
            time=self.time,
            grading=self.grading,
        )

    def method(self, name: str) -> SpaceTime:
        """`method` of `lrfm.solve` for one of the paper's methods, its protocol."""
        return SpaceTime(
            space=self.space(name),
            collocation=self.collocation(),
            least_squares=TruncatedSVD(cutoff=self.cutoff),
            nonlinear=Picard(tol=self.tolerance, max_steps=self.max_steps),
            blocks=self.blocks,
        )

    def space(self, method: str) -> Any:
        """The trial space of a method; periodicity is left to rows, as in the paper."""
        axes = self.statement().domain.dimension
        ridge: dict[str, Any] = {"weights": self.weights, "biases": self.biases, "periodic": "rows"}
        static: dict[str, Any] = ridge | {
            "weights": (self.weights,) * axes + (self.static_time * self.weights,)
        }
        local: dict[str, Any] = {
            "per_patch": self.per_patch,
            "patches": self.patches,
            "overlap": self.overlap,
        }
        makers = {
            "sov": lambda: SoV(**local, **static),
            "stc": lambda: STC(**local, **static),
            "pielm": lambda: PIELM(features=self.features, **static),
            "local": lambda: Liquid(**local, **ridge, tau=self.tau),
            "global": lambda: Liquid(features=self.features, **ridge, tau=self.tau),
            "frozen": lambda: Frozen(Liquid(**local, **ridge, tau=self.tau)),
        }
        if method not in makers:
            raise ValueError(f"`method={method!r}` is not known; expected one of {', '.join(makers)}.")
        return makers[method]()
