# SPDX-License-Identifier: MIT
"""Files of a solution: the archive it is kept in, and exports for other programs.

`encode` and `decode` turn frozen dataclasses into plain data and back, `write_archive` and `read_archive`
keep plain data in one file, `to_xarray` and `export` sample a solution. Nothing read from a file is ever
executed. The last two are loaded when they are first used, so that a solve does not wait for them.
"""

from importlib import import_module

from lrfm.solution.io.archive import FileFormatError as FileFormatError
from lrfm.solution.io.archive import read_archive as read_archive
from lrfm.solution.io.archive import write_archive as write_archive
from lrfm.solution.io.codec import MissingFunction as MissingFunction
from lrfm.solution.io.codec import decode as decode
from lrfm.solution.io.codec import encode as encode

_HOME = {"export": "exports", "to_xarray": "dataset"}

__all__ = [
    "FileFormatError",
    "MissingFunction",
    "decode",
    "encode",
    "export",
    "read_archive",
    "to_xarray",
    "write_archive",
]


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'lrfm.solution.io' has no attribute {name!r}")
    return getattr(import_module(f"lrfm.solution.io.{_HOME[name]}"), name)
