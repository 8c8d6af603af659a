# SPDX-License-Identifier: MIT
"""Files of a solution: the archive it is kept in, and exports for other programs (`exports`, `dataset`).

`encode` and `decode` turn frozen dataclasses into plain data and back, `write_archive` and `read_archive`
keep plain data in one file. Nothing read from a file is ever executed.
"""

from lrfm.solution.io.archive import FileFormatError as FileFormatError
from lrfm.solution.io.archive import read_archive as read_archive
from lrfm.solution.io.archive import write_archive as write_archive
from lrfm.solution.io.codec import MissingFunction as MissingFunction
from lrfm.solution.io.codec import decode as decode
from lrfm.solution.io.codec import encode as encode
