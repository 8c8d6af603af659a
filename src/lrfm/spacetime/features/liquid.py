# SPDX-License-Identifier: MIT
"""Liquid trial spaces, `Liquid`, and their static ablation, `Frozen`."""

from dataclasses import dataclass, replace

import numpy as np

from lrfm.problem.calls import naming

from .arguments import (
    check_choice,
    check_number,
    check_range,
    check_weights,
    is_pair,
    readonly,
    spread_weights,
    tuples,
)
from .charts import Cosine, Periodic
from .cores import Core, LiquidCore, Moving, RealParts, Steady
from .layout import Patched, PatchShape
from .protocols import Counts
from .ridge import Ridge, chart_towers
from .space import Patch, Space
from .towers import PROFILES

SHORTEST = 0.05  # smallest sin δ of a chord: shorter ones would be spikes
_LARGEST_EXPONENT = 500.0  # e^500 squared is still a double


@naming
@dataclass(frozen=True, kw_only=True)
class Liquid(Patched):
    """φ(x, t) = h(s₀) e^(−αt) + A f η₀(α, t),  f = γ g(s),  α = 1/τ + f. Paper, eq:duhamel-feature.

    Sampled by eq:sampling on a window of length T:
    log₁₀ τ ~ U[log₁₀ c_min T, log₁₀ c_max T],  w, w⁰ ~ U[−R_w, R_w],  b, b⁰ ~ U[−R_b, R_b],  A ~ U[−1, 1].

    Parameters
    ----------
    features, per_patch
        Number of functions of a global space, or of each patch of a local one: exactly one of the two.
    patches
        None: global. K or (Kx, Ky, …): overlapping patches along each axis, joined by a partition of unity.
    weights, biases
        R_w, one number or one per axis, and R_b, in chart coordinates (an affine axis runs over [-1, 1]).
    tau
        (c_min, c_max), relaxation times in units of the window.
    gate
        γ in 1/time; 1 is the paper.
    amplitude
        Scale of A.
    drift
        (v_min, v_max), or one such pair per axis, in length/time: features move, φ(x − vt, t).
    oscillation
        (ω_min, ω_max) in 1/time: rates 1/τ + iω, real and imaginary part are two functions.
    profile
        "tanh" or "sine", of both ridges.
    centers
        None: independent biases. A number: every ridge passes through a point drawn from the box (or patch)
        scaled by it about its center. An array (n, axes): through one of these points, in a local space one
        of those inside the patch.
    chords
        On one periodic axis, with an array of `centers`: every ridge vanishes at two of these points, and is steeper where they
        gather: s = ρ (cos(θ − θ₀) − cos δ), |∂s/∂θ| = U[0.15, 1] R_w (0.4 + 0.6 m) at its ends, m the density of `centers` with
        mean 1. For fronts on a circle.
    overlap
        How far a patch reaches beyond its share of the axis on each side, in units of that share.
    periodic
        "chart": features are periodic along periodic axes. "rows": they are not, the paper's way.
    vanish
        Faces, such as ("x-", "x+"), on which every feature is zero.
    cosine
        Axes, by name or number, on which every feature has zero normal derivative at both ends.

    Examples
    --------
    >>> import lrfm
    >>> problem = lrfm.Problem(
    ...     "u_t = u_xx", domain=lrfm.Box(x=(0, 1)), time=(0, 0.1), initial="sin(pi*x)", boundary="u = 0"
    ... )
    >>> space = lrfm.Liquid(features=80, gate=10.0, vanish=("x-", "x+"))
    >>> round(float(lrfm.solve(problem, method=lrfm.SpaceTime(space=space))(x=0.5, t=0.1)), 3)  # exp(−π²/10)
    0.373
    """

    features: int | None = None
    per_patch: int | None = None
    patches: int | tuple[int, ...] | None = None
    weights: float | tuple[float, ...] = 2.0
    biases: float = 1.0
    tau: tuple[float, float] = (0.05, 20.0)
    gate: float = 1.0
    amplitude: float = 1.0
    drift: tuple | None = None
    oscillation: tuple[float, float] | None = None
    profile: str = "tanh"
    centers: float | np.ndarray | None = None
    chords: bool = False
    overlap: float = 0.25
    periodic: str = "chart"
    vanish: tuple[str, ...] = ()
    cosine: tuple[str | int, ...] = ()

    def __post_init__(self):
        for name in ("patches", "weights", "tau", "drift", "oscillation", "vanish", "cosine"):
            object.__setattr__(self, name, tuples(getattr(self, name)))
        self._check_layout()
        check_weights("weights", self.weights)
        check_range("tau", self.tau, positive=True, strict=True)
        for name in ("biases", "gate", "amplitude"):
            check_number(name, getattr(self, name))
        check_choice("profile", self.profile, tuple(PROFILES))
        if self.oscillation is not None:
            check_range("oscillation", self.oscillation)
        if self.drift is not None:
            per_axis = isinstance(self.drift, tuple) and self.drift and not is_pair(self.drift)
            for pair in self.drift if per_axis else (self.drift,):
                check_range("drift", pair)
        for name in ("vanish", "cosine"):
            if not isinstance(getattr(self, name), tuple):
                raise ValueError(
                    f"`{name}={getattr(self, name)!r}` is not a tuple; give e.g. ('x-',) or ('x',)."
                )
        self._check_centers()

    def _check_centers(self) -> None:
        if self.chords and (self.centers is None or np.ndim(self.centers) != 2):
            raise ValueError(
                "`chords=True` needs `centers`, an array (n, 1) of points at which ridges vanish."
            )
        if self.centers is None:
            return
        if np.ndim(self.centers) == 0:
            check_number("centers", self.centers, positive=True)
            return
        points = readonly(np.asarray(self.centers, dtype=float))
        if points.ndim != 2 or points.size == 0 or not np.isfinite(points).all():
            raise ValueError(
                f"`centers` has shape {points.shape}; give a number, or an array (n, axes) of finite points."
            )
        object.__setattr__(self, "centers", points)

    def sample(
        self,
        names: tuple[str, ...],
        lower: np.ndarray,
        upper: np.ndarray,
        periodic: tuple[bool, ...],
        window: tuple[float, float],
        rng: np.random.Generator,
    ) -> Space:
        """Draw the features for a box and a time window.

        One table of uniform numbers is drawn, (patches, features of a patch, 5 + 7 axes), whatever the other
        settings; a row is [τ, A, b, b⁰, ω, w (2 axes), w⁰ (2 axes), center (axes), center⁰ (axes), v (axes)].
        So the same generator gives the same base numbers when only scales change, and a larger global space
        contains the smaller one. In each patch features are then ordered by τ.
        """
        shapes = self._shapes(names, lower, upper, periodic, window, self.vanish, self.cosine)
        duration = float(window[1]) - float(window[0])
        self._check_axes(names, duration, shapes[0])
        ranges = spread_weights("weights", self.weights, names)
        base = rng.random((len(shapes), self._each, 5 + 7 * len(names)))
        return Space(
            patches=tuple(
                Patch(
                    frame=shape.frame, factors=shape.factors, core=self._core(shape, ranges, duration, rows)
                )
                for shape, rows in zip(shapes, base, strict=True)
            )
        )

    def _check_axes(self, names: tuple[str, ...], duration: float, shape: PatchShape) -> None:
        if self.gate * PROFILES[self.profile].bound * duration > _LARGEST_EXPONENT:
            raise ValueError(
                f"`gate={self.gate}` on a window of length {duration} grows features by "
                f"exp({self.gate * duration:.4g}); give at most {_LARGEST_EXPONENT / duration:.4g}, "
                "or shorten the window."
            )
        if isinstance(self.centers, np.ndarray) and self.centers.shape[1] != len(names):
            raise ValueError(
                f"`centers` has shape {self.centers.shape}; give one column for each of the axes "
                f"{', '.join(names)}."
            )
        if isinstance(self.drift, tuple) and not is_pair(self.drift) and len(self.drift) != len(names):
            raise ValueError(
                f"`drift={self.drift}` has {len(self.drift)} ranges for the {len(names)} axes "
                f"{', '.join(names)}; give one (low, high) for all axes, or one per axis."
            )
        if self.chords and not (len(names) == 1 and isinstance(shape.charts[0], Periodic)):
            raise ValueError(
                f"`chords=True` is for one periodic axis and a global space with `periodic='chart'`; the axes are "
                f"{', '.join(names)}. Leave it out."
            )
        for name, pair, chart in zip(names, self._drifts(len(names)), shape.charts, strict=True):
            if isinstance(chart, Cosine) and any(pair):
                raise ValueError(
                    f"`drift` moves features along {name}, and the `cosine` chart holds only for those that "
                    f"stay; give the drift (0, 0) for {name}, or leave it out of `cosine`."
                )

    def _drifts(self, axes: int) -> np.ndarray:
        """(axes, 2): the velocity range of each axis."""
        return np.broadcast_to(np.array((0.0, 0.0) if self.drift is None else self.drift), (axes, 2))

    def _core(self, shape: PatchShape, ranges: np.ndarray, duration: float, base: np.ndarray) -> Core:
        """Scale a table of uniform numbers to eq:sampling."""
        columns, d = len(base), len(ranges)
        if self.oscillation is not None:
            base = base[: (columns + 1) // 2]
        base = base[np.argsort(base[:, 0])]  # neighbors with similar rates share a branch of `eta_tower`
        tau, a, b, b0, omega, w, w0, c, c0, v = np.split(
            base, np.cumsum([1, 1, 1, 1, 1, 2 * d, 2 * d, d, d]), axis=1
        )
        low, high = np.log10(self.tau)
        rates = 10.0 ** -(low + (high - low) * tau[:, 0]) / duration
        if self.oscillation is not None:
            low, high = self.oscillation
            rates = rates + 1j * (low + (high - low) * omega[:, 0])
        core: Core = LiquidCore(
            charts=shape.charts,
            gate_ridge=self._ridge(shape, ranges, w, b, c),
            start_ridge=self._ridge(shape, ranges, w0, b0, c0),
            rates=rates,
            amplitudes=self.amplitude * (2.0 * a[:, 0] - 1.0),
            gate=float(self.gate),
            profile=PROFILES[self.profile],
        )
        if self.drift is not None:
            low, high = self._drifts(d).T
            core = Moving(core=core, velocities=low + (high - low) * v)
        return core if self.oscillation is None else RealParts(core=core, size=columns)

    def _ridge(
        self, shape: PatchShape, ranges: np.ndarray, w: np.ndarray, b: np.ndarray, c: np.ndarray
    ) -> Ridge:
        if self.chords:
            return self._chord(shape, float(ranges[0]), np.column_stack([w, b, c]))
        weights = scaled_weights(shape, ranges, w)
        if self.centers is None:
            return Ridge(weights=weights, biases=self.biases * (2.0 * b[:, 0] - 1.0))
        towers = chart_towers(shape.charts, list(self._centers(shape, c).T), (0,) * len(ranges))
        components = np.column_stack([part for tower in towers for part in tower[0]])
        return Ridge(weights=weights, biases=-np.sum(weights * components, axis=1))

    def _chord(self, shape: PatchShape, steepest: float, base: np.ndarray) -> Ridge:
        """s = ρ (cos(θ − θ₀) − cos δ) = w·(cos θ, sin θ) + b, zero at θ₀ ± δ."""
        points = np.sort(np.asarray(self.centers)[:, 0])
        period = 2.0 * float(shape.half[0])
        ends = points[(base[:, [0, 3]] * len(points)).astype(int)]
        # How densely the points lie, mean 1: their mean spacing over the spacing around each.
        around = np.append(points[1:], points[0] + period) - np.append(points[-1] - period, points[:-1])
        density = 2.0 * period / len(points) / np.maximum(around, 1e-6 * period)
        first, second = 2.0 * np.pi * (ends - shape.frame.center[0]).T / period
        middle, half = 0.5 * (first + second), 0.5 * (second - first)
        m = density[(base[:, 0] * len(points)).astype(int)]
        slope = (0.15 + 0.85 * base[:, 2]) * steepest * (0.4 + 0.6 * m)
        radius = slope / np.maximum(np.abs(np.sin(half)), SHORTEST) * np.where(base[:, 1] < 0.5, -1.0, 1.0)
        weights = radius[:, None] * np.column_stack([np.cos(middle), np.sin(middle)])
        return Ridge(weights=weights, biases=-radius * np.cos(half))

    def _centers(self, shape: PatchShape, base: np.ndarray) -> np.ndarray:
        """Offsets (features, axes) of the points the ridges pass through."""
        if isinstance(self.centers, np.ndarray):
            points = self.centers[shape.contains(self.centers)] if shape.local else self.centers
            if len(points):
                chosen = points[(base[:, 0] * len(points)).astype(int)]
                return np.transpose(shape.frame.offsets(chosen.T))
        scale = 1.0 if isinstance(self.centers, np.ndarray) else self.centers
        return scale * shape.half * (2.0 * base - 1.0)


def scaled_weights(shape: PatchShape, ranges: np.ndarray, base: np.ndarray) -> np.ndarray:
    """Uniform numbers (features, 2 axes) as weights in [−R, R], one column per chart component."""
    columns = [2 * i + m for i, chart in enumerate(shape.charts) for m in range(chart.components)]
    return (np.repeat(ranges, 2) * (2.0 * base - 1.0))[:, columns]


@naming
@dataclass(frozen=True)
class Frozen:
    """φ(x, 0) = h(s₀) for all times: liquid features without their response, the paper's static ablation.

    Parameters
    ----------
    liquid
        The space whose features are held at the start of the window.

    Examples
    --------
    >>> import numpy as np
    >>> import lrfm
    >>> space = lrfm.Frozen(lrfm.Liquid(features=4))
    >>> drawn = space.sample(("x",), [0.0], [1.0], (False,), (0.0, 1.0), np.random.default_rng(0))
    >>> bool(np.all(drawn.jets(np.array([[0.3, 0.7]]), [(0, 1)])[0, 1] == 0))  # nothing moves
    True
    """

    liquid: Liquid

    def __post_init__(self):
        if not isinstance(self.liquid, Liquid):
            raise ValueError(f"`liquid={self.liquid!r}` is not a liquid space; give `Frozen(Liquid(...))`.")
        if self.liquid.oscillation is not None:
            raise ValueError(
                f"`oscillation={self.liquid.oscillation}` in `Frozen`: imaginary parts are zero at t = 0; "
                "leave it out."
            )

    @property
    def needs_periodic_rows(self) -> bool:
        """As in `liquid`."""
        return self.liquid.needs_periodic_rows

    def counts(self, axes: int) -> Counts:
        """As many as in `liquid`."""
        return self.liquid.counts(axes)

    def sample(
        self,
        names: tuple[str, ...],
        lower: np.ndarray,
        upper: np.ndarray,
        periodic: tuple[bool, ...],
        window: tuple[float, float],
        rng: np.random.Generator,
    ) -> Space:
        """Draw what `liquid` draws, and hold it at the start of the window."""
        space = self.liquid.sample(names, lower, upper, periodic, window, rng)
        return Space(patches=tuple(replace(patch, core=Steady(core=patch.core)) for patch in space.patches))
