# SPDX-License-Identifier: MIT
"""Files of a solution: the archive it is kept in, and exports for other programs.

`encode` and `decode` turn frozen dataclasses into plain data and back, `write_archive` and `read_archive`
keep plain data in one file, `to_xarray` and `export` sample a solution. Nothing read from a file is ever
executed.
"""

from lrfm.files.archive import FileFormatError as FileFormatError
from lrfm.files.archive import read_archive as read_archive
from lrfm.files.archive import write_archive as write_archive
from lrfm.files.codec import MissingFunction as MissingFunction
from lrfm.files.codec import decode as decode
from lrfm.files.codec import encode as encode
from lrfm.files.dataset import to_xarray as to_xarray
from lrfm.files.exports import export as export

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
