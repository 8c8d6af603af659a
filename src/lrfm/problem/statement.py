# SPDX-License-Identifier: MIT
"""`lrfm.read`: the problem of a file."""

from __future__ import annotations

import os

from lrfm.problem import file
from lrfm.problem.calls import naming
from lrfm.problem.problem import Problem


@naming
def read(path: str | os.PathLike[str]) -> Problem:
    """The problem of a TOML file; its [solve] section is read by `lrfm.solve(path)`.

    Examples
    --------
    >>> import lrfm, pathlib, tempfile
    >>> heat = lrfm.catalog.heat_1d()
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "heat.toml"
    ...     _ = path.write_text(heat.to_toml())
    ...     lrfm.read(path).equations == heat.equations
    True
    """
    return file.read(path).problem
