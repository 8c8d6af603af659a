# SPDX-License-Identifier: MIT
"""The one place that loads xarray, which is an extra: with pandas it is a third of what would be installed."""

from __future__ import annotations

from typing import Any

from lrfm.problem.errors import MissingLibraryError


def xarray_for(what: str) -> Any:
    """The library; a sentence where it is not installed. `what` begins it."""
    try:
        import xarray
    except ImportError:
        raise MissingLibraryError(
            f'{what} needs xarray, which is not installed; install it with: pip install "lrfm[xarray]"'
        ) from None
    return xarray
