# SPDX-License-Identifier: MIT
"""lrfm: time-dependent partial differential equations as text, solved to a tolerance; no mesh to make, no time step to choose, no training.

>>> import lrfm
>>> problem = lrfm.Problem("u_t = u_xx", domain=lrfm.Box(x=(0, 1)), time=(0, 0.1), initial="sin(pi*x)", boundary="u = 0")
>>> solution = lrfm.solve(problem, tol=1e-6)
>>> round(float(solution(x=0.5, t=0.1)), 6)
0.372708

Names are loaded when they are first used, so that `import lrfm` itself takes no time.
"""

from importlib import import_module
from typing import TYPE_CHECKING

__version__ = "0.2.0"

if TYPE_CHECKING:
    from lrfm import catalog as catalog
    from lrfm import rows as rows
    from lrfm import spaces as spaces
    from lrfm import spacetime as spacetime
    from lrfm.inverse.data import Data as Data
    from lrfm.inverse.fit import Fit as Fit
    from lrfm.inverse.fit import FitError as FitError
    from lrfm.inverse.front import fit as fit
    from lrfm.parallel.sweeps.sweep import sweep as sweep
    from lrfm.problem import Box as Box
    from lrfm.problem import Problem as Problem
    from lrfm.problem import ProblemError as ProblemError
    from lrfm.problem.field import UnknownField as UnknownField
    from lrfm.problem.free import Unknown as Unknown
    from lrfm.problem.shapes.files import domain_from as domain_from
    from lrfm.problem.shapes.known import Annulus as Annulus
    from lrfm.problem.shapes.known import Ball as Ball
    from lrfm.problem.shapes.known import Disk as Disk
    from lrfm.problem.shapes.known import Ellipse as Ellipse
    from lrfm.problem.shapes.known import Ellipsoid as Ellipsoid
    from lrfm.problem.shapes.known import HalfSpace as HalfSpace
    from lrfm.problem.shapes.known import Sector as Sector
    from lrfm.problem.shapes.layers import Layers as Layers
    from lrfm.problem.shapes.made import Cylinder as Cylinder
    from lrfm.problem.shapes.made import Polygon as Polygon
    from lrfm.problem.shapes.made import Prism as Prism
    from lrfm.problem.shapes.region import Region as Region
    from lrfm.problem.spans import Range as Range
    from lrfm.problem.statement import read as read
    from lrfm.problem.tables import Table as Table
    from lrfm.solution.family import Family as Family
    from lrfm.solution.io import FileFormatError as FileFormatError
    from lrfm.solution.modes import Modes as Modes
    from lrfm.solution.report import Report as Report
    from lrfm.solution.solution import Solution as Solution
    from lrfm.solution.status import Status as Status
    from lrfm.solver.api import plan as plan
    from lrfm.solver.api import solve as solve
    from lrfm.solver.budget import MemoryLimitError as MemoryLimitError
    from lrfm.solver.events import find as find
    from lrfm.solver.family import family as family
    from lrfm.solver.loading import load as load
    from lrfm.solver.methods import Lines as Lines
    from lrfm.solver.methods import SpaceTime as SpaceTime
    from lrfm.solver.modes.front import modes as modes
    from lrfm.solver.operators import operator as operator
    from lrfm.solver.prepared import Prepared as Prepared
    from lrfm.solver.prepared import prepare as prepare
    from lrfm.solver.run import ConvergenceError as ConvergenceError
    from lrfm.solver.steady.branch import Branch as Branch
    from lrfm.solver.steady.branch import branch as branch
    from lrfm.solver.steady.front import steady as steady
    from lrfm.solver.watching import Watch as Watch
    from lrfm.spacetime.features import PIELM as PIELM
    from lrfm.spacetime.features import STC as STC
    from lrfm.spacetime.features import Frozen as Frozen
    from lrfm.spacetime.features import Liquid as Liquid
    from lrfm.spacetime.features import SoV as SoV
    from lrfm.spacetime.least_squares import LSQR as LSQR
    from lrfm.spacetime.least_squares import QR as QR
    from lrfm.spacetime.least_squares import Distributed as Distributed
    from lrfm.spacetime.least_squares import TruncatedSVD as TruncatedSVD
    from lrfm.spacetime.windows.collocation import Collocation as Collocation
    from lrfm.spacetime.windows.nonlinear import Newton as Newton
    from lrfm.spacetime.windows.nonlinear import Picard as Picard

_HOME = {
    "Box": "problem",
    "Problem": "problem",
    "Table": "problem.tables",
    "read": "problem.statement",
    "ProblemError": "problem",
    "Unknown": "problem.free",
    "UnknownField": "problem.field",
    "Data": "inverse.data",
    "Fit": "inverse.fit",
    "FitError": "inverse.fit",
    "fit": "inverse.front",
    "Range": "problem.spans",
    "Family": "solution.family",
    "family": "solver.family",
    "Annulus": "problem.shapes.known",
    "Ball": "problem.shapes.known",
    "Cylinder": "problem.shapes.made",
    "Disk": "problem.shapes.known",
    "Ellipse": "problem.shapes.known",
    "Ellipsoid": "problem.shapes.known",
    "HalfSpace": "problem.shapes.known",
    "Polygon": "problem.shapes.made",
    "Prism": "problem.shapes.made",
    "Layers": "problem.shapes.layers",
    "Region": "problem.shapes.region",
    "domain_from": "problem.shapes.files",
    "Sector": "problem.shapes.known",
    "Liquid": "spacetime.features",
    "SoV": "spacetime.features",
    "STC": "spacetime.features",
    "PIELM": "spacetime.features",
    "Frozen": "spacetime.features",
    "Collocation": "spacetime.windows.collocation",
    "TruncatedSVD": "spacetime.least_squares",
    "QR": "spacetime.least_squares",
    "LSQR": "spacetime.least_squares",
    "Distributed": "spacetime.least_squares",
    "Newton": "spacetime.windows.nonlinear",
    "Picard": "spacetime.windows.nonlinear",
    "Solution": "solution.solution",
    "Report": "solution.report",
    "Status": "solution.status",
    "Lines": "solver.methods",
    "SpaceTime": "solver.methods",
    "load": "solver.loading",
    "solve": "solver.api",
    "plan": "solver.api",
    "prepare": "solver.prepared",
    "Prepared": "solver.prepared",
    "Watch": "solver.watching",
    "operator": "solver.operators",
    "steady": "solver.steady.front",
    "modes": "solver.modes.front",
    "Modes": "solution.modes",
    "find": "solver.events",
    "branch": "solver.steady.branch",
    "Branch": "solver.steady.branch",
    "sweep": "parallel.sweeps",
    "ConvergenceError": "solver.run",
    "MemoryLimitError": "solver.budget",
    "FileFormatError": "solution.io",
}
_ROOMS = ("catalog", "spaces", "rows", "spacetime")

__all__ = ["__version__", *_ROOMS, *_HOME]


def __getattr__(name: str) -> object:
    if name in _HOME:
        value = getattr(import_module(f"lrfm.{_HOME[name]}"), name)
    elif name in _ROOMS:
        value = import_module(f"lrfm.{name}")
    else:
        from lrfm.problem.errors import suggest

        raise AttributeError(f"module 'lrfm' has no attribute {name!r}.{suggest(name, __all__)}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
