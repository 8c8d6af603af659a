# SPDX-License-Identifier: MIT
"""A march in its middle as plain data, and back: all that the next step depends on.

Recorded: the state, the bases, the stream of random numbers, sizes and ranges seen so far, floors of the monitor, where the equations
were linearized last. Derived from these and the statement: the rows, their factorizations, the data. A march that was brought back
takes the same steps, bit for bit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import groupby, pairwise
from types import NoneType
from typing import Any

import numpy as np

from lrfm.integrate.schemes import Scheme, gauss, radau
from lrfm.rows.exponentials import Exponentials
from lrfm.rows.steps import Steps
from lrfm.solution.io.fields import checked, fits
from lrfm.solution.status import Status, read_status
from lrfm.solver.lines.form import Form, is_box
from lrfm.solver.lines.kinds import Linear
from lrfm.solver.lines.krylov import Coupled
from lrfm.solver.lines.leap import Leap
from lrfm.solver.lines.leaps import Leaps
from lrfm.solver.lines.march import March
from lrfm.solver.lines.protocols import Chooses
from lrfm.solver.lines.ringing import Ringing
from lrfm.solver.lines.saddle import SaddleParts
from lrfm.solver.lines.separable import Separable
from lrfm.solver.lines.stages import DenseParts
from lrfm.solver.lines.state import Counts, Residual, State, Step
from lrfm.solver.lines.stream import at_place, check_place, place_of
from lrfm.spaces.axes.product import ProductBasis
from lrfm.spaces.bases import Basis
from lrfm.spaces.stored import check_array

SCALARS = ("before", "misfit", "lowest", "made")  # of the march, as they are,
LAYER = ("opened", "floor", "aged", "held")  # and of its layer
LEAPS = {
    "Exponentials": ("powers", "rates", "vectors"),
    "Steps": ("edges", "starts", "slopes"),
}  # arrays of pieces
LINEAR: dict[str, Linear] = {kind.__name__: kind for kind in (Separable, Coupled, DenseParts, SaddleParts)}
SCHEMES = {"Radau": radau, "Gauss": gauss}


@dataclass(frozen=True)
class Standing:
    """Where a march stands after a kept step: its state, and everything else as plain data."""

    state: State
    rest: Mapping[str, Any]
    counts: Counts
    misfit: float


def standing(march: March, state: State) -> Standing:
    """What `bring_back` needs."""
    parts, stages = march._powers, march.stages
    rest = {name: float(getattr(march, name)) for name in SCALARS}
    rest |= {name: float(getattr(march.layer, name)) for name in LAYER}
    rest |= {
        "ranges": march.chooser.ranges.copy(),
        "fit": march.chooser.misfit,
        "random": place_of(march.chooser.rng),
        "region": march.chooser.place(),
        "sizes": march.sizes,
        "reach": march.reach.rates,
        "leaps": [march.leaps.ground, march.leaps.falls],
        "futile": march.ringing.futile,
        "solver": march.solver.__name__,
        "linear": None if parts is None else type(parts).__name__,
        "shared": getattr(parts, "shared", None),
        "middle": None if parts is None else march.middle,
        "step": None if stages is None else stages.step,
        "largest": getattr(stages, "largest", None),
    }
    counts = replace(march.counts, refits=list(march.counts.refits))
    return Standing(state, rest, counts, march.misfit)


def bring_back(march: March, kept: Standing) -> None:
    """Give a new march of the same form, rules and seed what another one had come to."""
    rest, basis = kept.rest, kept.state.basis
    march._use(basis)
    march.chooser.frame = getattr(basis, "frame", None)
    for name in SCALARS:
        setattr(march, name, rest[name])
    for name in LAYER:
        setattr(march.layer, name, rest[name])
    march.chooser.ranges, march.chooser.misfit = np.array(rest["ranges"]), rest["fit"]
    at_place(march.chooser.rng, rest["random"])
    if rest["region"] is not None:
        march.chooser.put_back(rest["region"])
    march.sizes, march.reach.rates, march.solver = rest["sizes"], rest["reach"], LINEAR[rest["solver"]]
    march.chooser.least = march.reach.shares(march.sizes)
    march.take_up(march.rules.scheme(kept.counts.redraws, kept.counts.lasted))
    march.leaps, march.ringing = Leaps(*rest["leaps"]), Ringing(futile=rest["futile"])
    if rest["linear"] is not None:
        march.middle = rest["middle"]
        march.system.set_tests(*march.middle)
        march._powers = LINEAR[rest["linear"]](march.system, *march.middle)
        if rest["shared"] is not None:
            march._powers.shared = rest["shared"]  # type: ignore[union-attr]
        if rest["step"] is not None:
            march.stages = march._powers.stages(march.form, march.scheme, rest["step"])
            if rest["largest"] is not None:
                march.stages.largest = rest["largest"]  # type: ignore[attr-defined]
    march.counts = replace(kept.counts, refits=list(kept.counts.refits), stopped=None)


# In a file ------------------------------------------------------------------------------------------------------


def written(
    before: Sequence[Step | Leap], new: Sequence[Step | Leap], kept: Standing, ended: bool
) -> dict[str, Any]:
    """Steps and where they led, as plain data; a basis is written once, and known by its number after that."""
    numbers: dict[int, int] = {}
    for step in before:
        numbers.setdefault(id(step.start.basis), len(numbers))
    bases = []
    for basis in (*(step.start.basis for step in new), kept.state.basis):
        if id(basis) not in numbers:
            numbers[id(basis)] = len(numbers)
            bases.append(getattr(basis, "recipe", None) or basis)
    state, late = kept.state, kept.counts.stopped is Status.OUT_OF_TIME
    return {
        "bases": bases,
        "groups": [
            part
            for (basis, _), steps in groupby(new, key=lambda s: (numbers[id(s.start.basis)], _kind(s)))
            for part in _stacked(basis, list(steps))
        ],
        "state": [state.time, state.length, numbers[id(state.basis)], state.coefficients],
        "rest": dict(kept.rest),
        # What the clock broke off goes on when it is taken up again.
        "counts": asdict(replace(kept.counts, stopped=None if late else kept.counts.stopped)),
        "ended": ended and not late,
    }


def _kind(step: Step | Leap) -> tuple[str, int]:
    return ("leap", 0) if isinstance(step, Leap) else (step.scheme.name, step.scheme.stages)


def _stacked(basis: int, steps: Sequence[Any]) -> list[dict[str, Any]]:
    """Steps of one kind on one basis: together, leaps one by one."""
    if isinstance(steps[0], Leap):
        return [_leap_record(basis, step) for step in steps]
    scheme, stages = _kind(steps[0])
    numbers = [
        (s.start.time, s.length, s.error, s.residual.relative, s.residual.rate, s.iterations) for s in steps
    ]
    found = {
        "basis": basis,
        "scheme": scheme,
        "stages": stages,
        "numbers": np.array(numbers),
        "coefficients": np.stack([s.start.coefficients for s in steps]),
        "rates": np.stack([s.rates for s in steps]),
    }
    return [found]


def _leap_record(basis: int, found: Leap) -> dict[str, Any]:
    """A leap: its start, and the arrays of its piece."""
    start, record = found.start, found.piece.record()
    numbers = [start.time, found.length, start.length, found.residual.relative, found.residual.rate]
    return {
        "basis": basis,
        "leap": type(found.piece).__name__,
        "words": found.scheme,
        "numbers": np.array(numbers),
        "coefficients": start.coefficients,
        "end": found.end,
        "arrays": {name: record[name] for name in LEAPS[type(found.piece).__name__]},
    }


def _leap_read(form: Form, group: Any, bases: Sequence[ProductBasis]) -> Leap:
    """What `_leap_record` wrote; ValueError where it is not that."""
    number, kind, words, arrays = (group.get(key) for key in ("basis", "leap", "words", "arrays"))
    whole = fits(number, int) and 0 <= number < len(bases) and kind in LEAPS and isinstance(words, str)
    if not whole or not isinstance(arrays, dict) or arrays.keys() != set(LEAPS[kind]):
        raise ValueError("a leap is of no kind")
    basis = bases[number]
    numbers, y, end = (group.get(key) for key in ("numbers", "coefficients", "end"))
    if not all(isinstance(part, np.ndarray) for part in (numbers, y, end, *arrays.values())):
        raise ValueError("a leap has no numbers")
    check_array("numbers", numbers, (5,))
    for part in (y, end):
        check_array("coefficients", part, (len(form.components), basis.size))
    time, length, step, relative, rate = map(float, numbers)
    if not (length > 0 and step > 0):
        raise ValueError("a leap has no length")
    window = (time, time + length)
    if abs(window[1] - form.problem.time[1]) < 1e-10 * length:
        window = (time, form.problem.time[1])
    fields = form.fields
    if kind == "Exponentials":
        piece: Exponentials | Steps = Exponentials.of(basis, fields, window, **arrays)
    else:
        piece = Steps.of(basis, fields, **arrays)
    return Leap(State(time, step, basis, y), length, end, piece, Residual(relative, rate), piece.steps, words)


def read(
    form: Form,
    before: Sequence[Step | Leap],
    added: Mapping[str, Any],
    chooser: Callable[[], Chooses[Any]],
) -> tuple[list[Step | Leap], Standing, bool]:
    """What `written` made, in the same order; ValueError where it is not that.

    `chooser` is asked for where bases are kept by what they were drawn from.
    """
    bases = list({id(step.start.basis): step.start.basis for step in before}.values())
    found: Any = added.get
    new, groups, end = found("bases"), found("groups"), found("state")
    kind = ProductBasis if is_box(form.problem) else dict
    if not (fits(new, list[kind]) and fits(groups, list[dict]) and isinstance(end, list) and len(end) == 4):
        raise ValueError("it holds something else than steps")
    if kind is dict:
        new = [chooser().redrawn(recipe) for recipe in new]
    else:
        for basis in new:
            _check_basis(form, basis)
    bases += new
    schemes: dict[tuple[str, int], Scheme] = {}
    steps = [step for group in groups for step in _unstacked(form, group, bases, schemes)]
    _check_times([*before[-1:], *steps])
    if not (fits(end[0], float) and fits(end[1], float) and fits(end[2], int) and 0 <= end[2] < len(bases)):
        raise ValueError("the state after the steps is not one")
    basis = bases[end[2]]
    check_array("coefficients", end[3], (len(form.components), basis.size))
    if not (end[1] > 0 and form.problem.time[0] < end[0] and np.isfinite(end[0])):
        raise ValueError("the state after the steps lies outside of the time span")
    rest, ended = found("rest"), found("ended")
    _check_rest(form, rest, basis)
    if kind is dict:
        chooser().put_back(rest["region"])
    if not isinstance(ended, bool) or not isinstance(added.get("counts"), dict):
        raise ValueError("it does not say what was counted")
    counts = checked(Counts)(**_with_status(added["counts"]))
    return steps, Standing(State(end[0], end[1], basis, end[3]), rest, counts, rest["misfit"]), ended


def _with_status(counts: Mapping[str, Any]) -> dict[str, Any]:
    """What was counted, with the status that was written as a text."""
    told = counts.get("stopped")
    return {**counts, "stopped": read_status(told)[0] if isinstance(told, str) and told else None}


def _unstacked(
    form: Form, group: Any, bases: Sequence[Any], schemes: dict[tuple[str, int], Scheme]
) -> list[Step | Leap]:
    if "leap" in group:
        return [_leap_read(form, group, bases)]
    number, name, stages = (group.get(key) for key in ("basis", "scheme", "stages"))
    if not (
        fits(number, int)
        and 0 <= number < len(bases)
        and name in SCHEMES
        and fits(stages, int)
        and 2 < stages < 20
    ):
        raise ValueError("steps have no basis, or no scheme")
    scheme = schemes.setdefault((name, stages), SCHEMES[name](stages))
    basis, numbers = bases[number], group.get("numbers")
    if not all(isinstance(group.get(key), np.ndarray) for key in ("numbers", "coefficients", "rates")):
        raise ValueError("steps have no numbers")
    count, shape = len(numbers) if numbers.ndim else 0, (len(form.components), basis.size)
    check_array("numbers", numbers, (count, 6))
    check_array("coefficients", group["coefficients"], (count, *shape))
    check_array("rates", group["rates"], (count, stages, *shape))
    found: list[Step | Leap] = []
    for row, y, rates in zip(numbers, group["coefficients"], group["rates"], strict=True):
        time, length, error, relative, rate, iterations = map(float, row)
        state = State(time, length, basis, y)
        found.append(Step(state, length, rates, error, Residual(relative, rate), int(iterations), scheme))
    return found


def _check_times(steps: Sequence[Step | Leap]) -> None:
    for one, two in pairwise(steps):
        if not abs(one.start.time + one.length - two.start.time) <= 1e-9 * (one.length + two.length):
            raise ValueError("its steps do not follow each other")
    if any(not step.length > 0 for step in steps):
        raise ValueError("a step has no length")


def _check_basis(form: Form, basis: ProductBasis) -> None:
    """Refuse a basis of other axes, or whose arrays do not belong together."""
    box = form.problem.domain
    if len(basis.axes) != box.dimension or basis.tops != form.tops:
        raise ValueError("a basis has other axes or derivatives")
    if basis.frame is not None:
        basis.frame.check(form.problem)
    for (name, (lower, upper)), axis in zip(box.axes.items(), basis.axes, strict=True):
        chart = axis.chart
        ours = (lower, upper, name in form.problem.periodic)
        if (axis.axis.lower, axis.axis.upper, axis.axis.periodic) != ours:
            raise ValueError(f"a basis has another axis `{name}`")
        kernels = chart.centers.shape
        for part in (chart.centers, chart.widths, chart.strengths):
            check_array("chart", part, (kernels[0] if kernels else 0,))
        if not np.all(chart.widths > 0) or not axis.series.ndim == 2 or not axis.points.ndim == 1:
            raise ValueError("a chart or a series is not one")
        rank, count = axis.series.shape[1], len(axis.points)
        check_array("series", axis.series, (len(axis.series), rank))
        check_array("points", axis.points, (count,))
        check_array("projection", axis.projection, (rank, count))
        check_array("values", axis.values, (count, rank))
        if not (
            0 < rank <= count and len(axis.series) and 0 < axis.features < 10**6 and np.isfinite(axis.modes)
        ):
            raise ValueError("a basis has no functions")
        with np.errstate(all="ignore"):
            if not np.allclose(chart.coordinate(np.array([lower, upper])), (-1, 1)):
                raise ValueError("the chart of an axis does not map it to [-1, 1]")


def _check_rest(form: Form, rest: Any, basis: Basis) -> None:
    shape, components = (len(form.components), basis.size), len(form.components)
    kinds = {
        **dict.fromkeys((*SCALARS, *LAYER), float), "fit": float, "futile": float, "random": list[int], "leaps": list[int], "solver": str,
        "linear": str | None, "shared": bool | None, "step": float | None, "largest": float | None,
        "middle": tuple | None, "ranges": np.ndarray, "sizes": np.ndarray, "reach": np.ndarray,
        "region": NoneType if is_box(form.problem) else dict,
    }  # fmt: skip
    if not isinstance(rest, dict) or rest.keys() != kinds.keys():
        raise ValueError("where the march stands is not told")
    for name, kind in kinds.items():
        if not fits(rest[name], kind):
            raise ValueError(f"`{name}` is of another kind")
    check_array("ranges", rest["ranges"], (len(form.tops) if is_box(form.problem) else 1, components))
    check_array("sizes", rest["sizes"], (components,))
    check_array("reach", rest["reach"], (components if len(rest["reach"]) else 0,))
    if rest["solver"] not in LINEAR or rest["linear"] not in (None, *LINEAR):
        raise ValueError("its linear systems are of no kind")
    if len(rest["leaps"]) != 2 or not all(0 <= n < 1 << 40 for n in rest["leaps"]):
        raise ValueError("its leaps are not counted")
    check_place(rest["random"])
    if (rest["linear"] is None) != (rest["middle"] is None):
        raise ValueError("it does not say where it was linearized")
    if rest["middle"] is not None:
        if len(rest["middle"]) != 3 or not fits(rest["middle"][0], float):
            raise ValueError("it does not say where it was linearized")
        for part in rest["middle"][1:]:
            check_array("middle", part, shape)
    if rest["step"] is not None and not 0 < rest["step"] < np.inf:
        raise ValueError("`step` is no length")
