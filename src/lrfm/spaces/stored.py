# SPDX-License-Identifier: MIT
"""Arrays that were read from a file: refused where they could not be evaluated."""

import numpy as np


def check_array(name: str, array: np.ndarray, shape: tuple[int, ...], complex_too: bool = False) -> None:
    """Refuse an array that is not of this shape, not of real double numbers, or not finite."""
    double = array.dtype.kind in "iu" or (array.dtype.kind == "f" and array.dtype.itemsize == 8)
    if not double and not (complex_too and array.dtype == np.complex128):
        raise ValueError(f"`{name}` has dtype {array.dtype}")
    if array.shape != shape:
        raise ValueError(f"`{name}` has shape {array.shape}, where {shape} is needed")
    if not np.all(np.isfinite(array)):
        raise ValueError(f"`{name}` has numbers that are not finite")
