# SPDX-License-Identifier: MIT
"""Solutions from files, as able as those that were solved for: they can be differentiated by parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from lrfm.linalg.threads import one_thread
from lrfm.problem.calls import naming
from lrfm.solution import solution
from lrfm.solution.family import Family, load_family
from lrfm.solution.io.frames import is_framed
from lrfm.solution.solution import Solution
from lrfm.solver.linearizing import linearized


@naming
@one_thread
def load(path: str | Path, functions: Mapping[str, Callable[..., Any]] | None = None) -> Solution | Family:
    """Read a solution written by `Solution.save`, or a family written by `Family.save`.

    Parameters
    ----------
    path : str or Path
        The file.
    functions : mapping of str to callable, optional
        Data given as Python functions are not stored; this gives them back, by the name of the parameter or of the function
        itself. Without them evaluation and derivatives work, but not the residual.

    Returns
    -------
    Solution or Family
        With the same values in every bit; it has no `parts`.

    Raises
    ------
    FileFormatError
        When the file is damaged, was not written by `Solution.save`, or is newer than this version.

    Examples
    --------
    >>> import lrfm, tempfile, pathlib
    >>> solution = lrfm.solve(lrfm.catalog.heat_1d(), tol=1e-3)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     again = lrfm.load(solution.save(pathlib.Path(folder) / "heat.lrfm"))
    >>> bool(again(x=0.5, t=0.1) == solution(x=0.5, t=0.1))
    True
    """
    if not is_framed(path):
        found = load_family(path, functions, linearized)
        if found is not None:
            return found
    return solution.load(path, functions, linearized)
