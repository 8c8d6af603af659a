# SPDX-License-Identifier: MIT
"""LAPACK and BLAS as SciPy has compiled them, without the rest of `scipy.linalg`: that takes longer to load than a small problem to solve.

The two modules are the ones that `scipy.linalg` uses, loaded by their files, and found by it if it is loaded later. Where this does not
work, `scipy.linalg` is loaded.
"""

from __future__ import annotations

import sys
from importlib.machinery import PathFinder
from importlib.util import find_spec, module_from_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from lrfm.linalg.threads import suited_to


def _compiled(name: str) -> Any:
    """A compiled module of scipy.linalg."""
    whole = f"scipy.linalg.{name}"
    if whole not in sys.modules:
        module = _alone(whole)
        if module is not None:
            sys.modules[whole] = module
    if whole not in sys.modules:
        import scipy.linalg.lapack  # noqa: F401  (loads both)
    return sys.modules[whole]


def _alone(whole: str) -> ModuleType | None:
    """The module from its file; None where that cannot be done."""
    try:
        package = find_spec("scipy")
        folders = [] if package is None else package.submodule_search_locations or []
        spec = PathFinder.find_spec(whole, [str(Path(folder) / "linalg") for folder in folders])
        if spec is None or spec.loader is None:
            return None
        module = module_from_spec(spec)
        spec.loader.exec_module(module)
    except Exception:  # a library that it needs is found by the package only
        return None
    return module


_lapack, _blas = _compiled("_flapack"), _compiled("_fblas")
dgeqrt, dtrtrs, dgelsd, dgelsd_lwork = _lapack.dgeqrt, _lapack.dtrtrs, _lapack.dgelsd, _lapack.dgelsd_lwork
dgbtrf, dgbtrs, zgbtrf, zgbtrs = _lapack.dgbtrf, _lapack.dgbtrs, _lapack.zgbtrf, _lapack.zgbtrs
dgemm, dtrmm, dgbmv = _blas.dgemm, _blas.dtrmm, _blas.dgbmv

Factors = tuple[np.ndarray, np.ndarray]  # L and U in one matrix, and pivots


def lu_factor(matrix: np.ndarray) -> Factors:
    """P L U = A, real or complex; the matrix may be overwritten. What is singular shows in what is solved with it."""
    getrf = _lapack.zgetrf if np.iscomplexobj(matrix) else _lapack.dgetrf
    with suited_to(len(matrix)):
        return getrf(matrix, overwrite_a=True)[:2]


def lu_solve(factors: Factors, right: np.ndarray, trans: int = 0) -> np.ndarray:
    """x with A x = right, (n,) or (n, columns); Aᵀ with `trans`."""
    mixed = np.iscomplexobj(factors[0]) or np.iscomplexobj(right)
    return (_lapack.zgetrs if mixed else _lapack.dgetrs)(*factors, right, trans=trans)[0]
