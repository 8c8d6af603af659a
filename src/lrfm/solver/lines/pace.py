# SPDX-License-Identifier: MIT
"""How far a step may reach, from what is given in time: sources, coefficients and boundary data.

h ≤ max(s_i − t, Q ℓ_i)   for every interval (s_i, s_i + d_i) in reach, in which data go through a part c_i of their range; ℓ_i = d_i / c_i.

Stages of a long step fall beside a short pulse, and nothing they see tells of it. A step that would reach over it ends where it begins;
within it steps are as short as it is. A jump is an end of a step and costs nothing else.
"""

from __future__ import annotations

import numpy as np

from lrfm.error.undersampled import moments
from lrfm.problem import Problem

REACH = 1.2  # Q
NOTICED = 2e-3  # part of its range by which a datum changes where it counts
JUMP = 1e-9  # time scale, in durations, of what is a jump


class Pace:
    """Intervals of time in which data change fast; there are none where all data are `still`."""

    def __init__(self, problem: Problem, still: bool = False):
        self.start, self.end = problem.time
        whole = self.end - self.start
        starts, scales = [], []
        for row, times, places in moments(problem) if not still else ():
            points = np.column_stack([np.repeat(places, len(times), axis=0), np.tile(times, len(places))])
            for values in row.given(points):
                change = np.abs(np.diff(values.reshape(len(places), -1), axis=1)).max(axis=0)
                change = change / (np.ptp(values) or 1.0)
                scale = np.diff(times) / np.maximum(change, 1e-300)
                fast = (change > NOTICED) & (scale < 0.1 * whole)
                starts.append(times[:-1][fast])
                scales.append(scale[fast])
        order = np.argsort(np.concatenate(starts)) if starts else []
        self.starts = np.concatenate(starts)[order] if starts else np.zeros(0)
        self.scales = np.concatenate(scales)[order] if starts else np.zeros(0)

    def allowed(self, time: float, length: float) -> float:
        """The length of a step from here, at most the given one."""
        whole = self.end - self.start
        here = (self.starts > time - length) & (self.starts < time + length)
        ahead = self.starts[here] - time
        # What began before this step still counts if it goes on; a jump that is behind does not.
        behind = ahead <= 1e-11 * whole
        over = behind & ((self.scales[here] < JUMP * whole) | (-ahead > self.scales[here]))
        bounds = np.maximum(ahead, REACH * self.scales[here])[~over]
        return float(min(length, np.min(bounds, initial=np.inf)))


def divided(time: float, length: float, end: float) -> float:
    """A length that divides what is left, so that no step is a remnant and equal steps stay equal."""
    left = end - time
    count = max(1, int(np.ceil(left / length - 1e-6)))
    equal = left / count
    return length if count > 1 and abs(equal - length) < 1e-6 * length else equal
