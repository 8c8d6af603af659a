# SPDX-License-Identifier: MIT
"""Sliders in a notebook, moved by hand: u(·, t) by its time, and by the numbers of a prepared problem. Needs ipywidgets.

All times of a solution are evaluated when it is drawn first; a moved slider then draws one picture.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np

from lrfm.problem.errors import MissingLibraryError
from lrfm.solution.plot.movie import scene

if TYPE_CHECKING:
    from lrfm.solution.solution import Solution

TIMES = 101  # places of the slider of time
PLACES = 200  # of that of a number
SPREAD = 4.0  # of a number around the one of the statement, where no range is given


class Explorer:
    """Pictures of solutions, and the sliders that choose among them; `box` is what a notebook shows."""

    def __init__(
        self,
        solved: Callable[..., Solution],
        numbers: Mapping[str, tuple[float, float, float]],
        unknown: Any = None,
    ):
        kit = _ipywidgets()
        self._solved, self._unknown = solved, unknown
        self.image, self.said = kit.Image(format="png"), kit.Label()
        self.numbers = {name: _slider(kit, name, *span) for name, span in numbers.items()}
        self._solve()
        self.time = kit.SelectionSlider(options=self._clock(), description="t", continuous_update=True)
        self.time.observe(lambda _: self._show(), "index")
        for slider in self.numbers.values():
            slider.observe(lambda _: self._moved(), "value")
        self.box = kit.VBox([self.time, *self.numbers.values(), self.said, self.image])
        self._show()

    def _clock(self) -> list[tuple[str, int]]:
        return [(f"{t:.4g}", k) for k, t in enumerate(self._times)]

    def _solve(self) -> None:
        """The solution at what the sliders say, and its pictures."""
        solution = self._solved(**{name: slider.value for name, slider in self.numbers.items()})
        if "t" in solution.problem.absent:
            raise ValueError(
                "A steady solution has no time along which a slider could move; draw it: `solution.plot()`."
            )
        self._times = np.linspace(solution.block_edges[0], solution.block_edges[-1], TIMES)
        self._figure, _, self._draw = scene(solution, self._unknown, self._times)
        self.said.value = f"{solution.report.status}, estimated error {solution.report.error_estimate:.1e}"

    def _moved(self) -> None:
        try:
            self._solve()
        except (ValueError, RuntimeError) as error:  # the picture of before stays, with the sentence
            self.said.value = str(error)
            return
        self._show()

    def _show(self) -> None:
        from matplotlib.backends.backend_agg import FigureCanvasAgg

        self._draw(self.time.index)
        drawn = BytesIO()
        FigureCanvasAgg(self._figure).print_png(drawn)
        self.image.value = drawn.getvalue()


def _slider(kit: Any, name: str, low: float, value: float, high: float) -> Any:
    """Logarithmic where both ends are positive and far apart; it answers when it is let go, since each place is a solve."""
    given: dict[str, Any] = {
        "value": value,
        "description": name,
        "continuous_update": False,
        "readout_format": ".3g",
    }
    if low > 0 and high > 10 * low:
        ends = np.log10([low, high])
        return kit.FloatLogSlider(min=ends[0], max=ends[1], step=(ends[1] - ends[0]) / PLACES, **given)
    return kit.FloatSlider(min=low, max=high, step=(high - low) / PLACES, **given)


def span(value: float, given: tuple[float, float] | None) -> tuple[float, float, float]:
    """(lower, value, upper) of a slider: as given, or around the value of the statement."""
    if given is None:
        ends = sorted((value / SPREAD, value * SPREAD)) if value else (-1.0, 1.0)
        return float(ends[0]), float(value), float(ends[1])
    low, high = (float(end) for end in given)
    if not low < high:
        raise ValueError(f"A range was given as {given}; expected two numbers, the smaller first.")
    return low, float(min(max(value, low), high)), high


def _ipywidgets() -> Any:
    try:
        return import_module("ipywidgets")
    except ImportError:
        raise MissingLibraryError(
            'Sliders in a notebook need ipywidgets: pip install "lrfm[notebook]"'
        ) from None
