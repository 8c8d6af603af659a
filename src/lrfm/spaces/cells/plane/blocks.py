# SPDX-License-Identifier: MIT
"""Points of the same cells as rows of equally many: few large products of matrices instead of many small ones."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def together(keys: Sequence[np.ndarray], count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What has the same keys in blocks of `count`: numbers (blocks, count), whether they are no mere padding, and the first of each block."""
    order = np.lexsort(keys)
    names = np.column_stack(keys)[order]
    first = np.flatnonzero(np.append(True, np.any(np.diff(names, axis=0) != 0, axis=1))[: len(order)])
    size = np.diff(np.append(first, len(order)))
    parts = -(-size // count)
    rank = np.arange(parts.sum()) - np.repeat(np.cumsum(parts) - parts, parts)
    at = (np.repeat(first, parts) + rank * count)[:, None] + np.arange(count)
    last = np.repeat(first + size, parts)[:, None]
    numbers = order[np.minimum(at, last - 1)] if len(order) else at
    return numbers, at < last, numbers[:, 0]
