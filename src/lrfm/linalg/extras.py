# SPDX-License-Identifier: MIT
"""What is said where a library of an extra is not installed."""

from __future__ import annotations


class MissingLibraryError(ImportError):
    """Something of an extra was asked for that is not installed."""
