# SPDX-License-Identifier: MIT
"""lrfm: time-dependent partial differential equations without a mesh, a time step or a training loop.

>>> import lrfm
>>> problem = lrfm.Problem("u_t = u_xx", domain=lrfm.Box(x=(0, 1)), time=(0, 0.1), initial="sin(pi*x)", boundary="u = 0")
>>> solution = lrfm.solve(problem, features=100)
>>> round(float(solution(x=0.5, t=0.1)), 6)
0.372708

Names are loaded when they are first used, so that `import lrfm` itself takes no time.
"""

from importlib import import_module

__version__ = "0.1.0"

_HOME = {
    "Box": "problem",
    "Problem": "problem",
    "ProblemError": "problem",
    "Liquid": "features",
    "SoV": "features",
    "STC": "features",
    "PIELM": "features",
    "Frozen": "features",
    "Collocation": "collocation",
    "TruncatedSVD": "least_squares",
    "QR": "least_squares",
    "LSQR": "least_squares",
    "Distributed": "least_squares",
    "Newton": "nonlinear",
    "Picard": "nonlinear",
    "Solution": "solution",
    "Report": "report",
    "load": "solution",
    "solve": "solver",
    "plan": "solver",
    "operator": "operators",
    "sweep": "sweeping",
    "ConvergenceError": "solver",
    "MemoryLimitError": "planning",
    "FileFormatError": "files",
}
_ROOMS = ("catalog", "features", "assembly")

__all__ = ["__version__", "catalog", *_HOME]


def __getattr__(name: str) -> object:
    if name in _HOME:
        value = getattr(import_module(f"lrfm.{_HOME[name]}"), name)
    elif name in _ROOMS:
        value = import_module(f"lrfm.{name}")
    else:
        raise AttributeError(f"module 'lrfm' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
