# SPDX-License-Identifier: MIT
"""BACOLI (Wang, Keast, Muir, ACM Trans. Math. Softw. 30, 2004) on statements in one dimension, its callbacks compiled from Fortran.

    python with_bacoli.py STATEMENT TOLERANCE POINTS ANSWER

Runs in the environment that `benchmarks/bacoli.py` makes. Points (.npz: x, t) are where values are wanted; the answer has them, and the least CPU time of
three solves. Each number of collocation points per cell from 4 to 8 is tried, as a user would, and all answers are handed over.
"""

from __future__ import annotations

import importlib
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

setattr(np, "int", int)  # noqa: B010  # the wrapper was written for an older NumPy

from bacoli_py import ProblemDefinition, Solver  # noqa: E402

REPEATS = 3
CELLS = 10  # to begin with
COLLOCATION = (4, 6, 8)

BURGERS = """
      subroutine f(t, x, u, ux, uxx, fval, npde)
      integer npde
      double precision t, x, u(npde), ux(npde), uxx(npde), fval(npde)
      fval(1) = {nu}*uxx(1) - u(1)*ux(1)
      end
      subroutine bndxa(t, u, ux, bval, npde)
      integer npde
      double precision t, u(npde), ux(npde), bval(npde), e
      bval(1) = u(1) - {left}
      end
      subroutine bndxb(t, u, ux, bval, npde)
      integer npde
      double precision t, u(npde), ux(npde), bval(npde)
      bval(1) = u(1) - {right}
      end
      subroutine uinit(x, u, npde)
      integer npde
      double precision x, u(npde)
      u(1) = {start}
      end
{more}
"""

LAYERS = """
      double precision function exact(x, t)
      double precision x, t, a, b, c, m
      a = -0.05d0*(x - 0.5d0 + 4.95d0*t)/{nu}
      b = -0.25d0*(x - 0.5d0 + 0.75d0*t)/{nu}
      c = -0.5d0*(x - 0.375d0)/{nu}
      m = max(a, b, c)
      a = exp(a - m)
      b = exp(b - m)
      c = exp(c - m)
      exact = (0.1d0*a + 0.5d0*b + c)/(a + b + c)
      end
"""

NAGUMO = """
      subroutine f(t, x, u, ux, uxx, fval, npde)
      integer npde
      double precision t, x, u(npde), ux(npde), uxx(npde), fval(npde)
      fval(1) = 0.01d0*uxx(1) + u(1) - u(1)**3/3 - u(2)
      fval(2) = 0.08d0*(u(1) + 0.7d0 - 0.8d0*u(2)) + 1d-3*uxx(2)
      end
      subroutine bndxa(t, u, ux, bval, npde)
      integer npde
      double precision t, u(npde), ux(npde), bval(npde)
      bval(1) = ux(1)
      bval(2) = ux(2)
      end
      subroutine bndxb(t, u, ux, bval, npde)
      integer npde
      double precision t, u(npde), ux(npde), bval(npde)
      bval(1) = ux(1)
      bval(2) = ux(2)
      end
      subroutine uinit(x, u, npde)
      integer npde
      double precision x, u(npde)
      u(1) = -1.2d0 + 3d0*exp(-(x/0.3d0)**2)
      u(2) = -0.625d0
      end
"""

CATALYTIC = """
      subroutine f(t, x, u, ux, uxx, fval, npde)
      integer npde
      double precision t, x, u(npde), ux(npde), uxx(npde), fval(npde)
      double precision free, react
      free = 1d0 - u(3) - u(4)
      react = 1000d0*u(3)*u(4)*free**2
      fval(1) = -ux(1) + 1.5d0*u(3) - 30d0*u(1)*free + 1d-4*uxx(1)
      fval(2) = -ux(2) + 1.2d0*u(4) - 30d0*u(2)*free + 1d-4*uxx(2)
      fval(3) = 30d0*u(1)*free - 1.5d0*u(3) - react + 1d-4*uxx(3)
      fval(4) = 30d0*u(2)*free - 1.2d0*u(4) - react + 1d-4*uxx(4)
      end
      subroutine bndxa(t, u, ux, bval, npde)
      integer npde
      double precision t, u(npde), ux(npde), bval(npde)
      bval(1) = ux(1) + 1d4*(1.04d0 - u(1))
      bval(2) = ux(2) + 1d4*(0.96d0 - u(2))
      bval(3) = ux(3)
      bval(4) = ux(4)
      end
      subroutine bndxb(t, u, ux, bval, npde)
      integer npde, i
      double precision t, u(npde), ux(npde), bval(npde)
      do i = 1, npde
        bval(i) = ux(i)
      end do
      end
      subroutine uinit(x, u, npde)
      integer npde
      double precision x, u(npde)
      u(1) = 1.04d0
      u(2) = 0.96d0
      u(3) = 0d0
      u(4) = 0d0
      end
"""


def burgers(nu: str, start: str, left: str = "0", right: str = "0", more: str = "") -> str:
    return BURGERS.format(nu=nu, start=start, left=left, right=right, more=more)


def layers(nu: str) -> str:
    more = LAYERS.format(nu=nu)
    declared = "exact({}, t)"
    text = burgers(nu, "exact(x, 0d0)", declared.format("0d0"), declared.format("1d0"), more)
    return (
        text.replace("bval(npde), e\n", "bval(npde), exact\n")
        .replace("bval(npde)\n      bval", "bval(npde), exact\n      bval")
        .replace("x, u(npde)\n", "x, u(npde), exact\n")
    )


# Callbacks, how many unknowns, the interval, the end, and whether values are given at both ends.
STATEMENTS = {
    "burgers": (
        burgers("0.01d0/3.14159265358979324d0", "-sin(3.14159265358979324d0*x)"),
        1,
        (-1, 1),
        1,
        True,
    ),
    "two-layers 1e-3": (layers("1d-3"), 1, (0, 1), 1, True),
    "two-layers 1e-4": (layers("1d-4"), 1, (0, 1), 1, True),
    "fitzhugh-nagumo": (NAGUMO, 2, (0, 3), 40, False),
    "catalytic": (CATALYTIC, 4, (0, 1), 18, False),
}


def compiled(text: str, folder: Path):
    """The callbacks as a module."""
    (folder / "callbacks.f").write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "numpy.f2py", "-c", "callbacks.f", "-m", "callbacks"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    sys.path.insert(0, str(folder))
    return importlib.import_module("callbacks")


def main() -> None:
    name, tol, points, answer = sys.argv[1], float(sys.argv[2]), sys.argv[3], sys.argv[4]
    text, count, ends, end, dirichlet = STATEMENTS[name]
    with np.load(points) as wanted:
        x, t = wanted["x"], wanted["t"]
    with tempfile.TemporaryDirectory() as folder:
        made = compiled(text, Path(folder))
        problem = ProblemDefinition(
            count, *(getattr(made, n)._cpointer for n in ("f", "bndxa", "bndxb", "uinit"))
        )
        found: dict[str, object] = {}
        for kcol in COLLOCATION:
            clocks, values = [], None
            try:
                for _ in range(REPEATS):
                    solver = Solver(kcol=kcol, nint_max=4000)
                    began = time.process_time()
                    solved = solver.solve(
                        problem,
                        0.0,
                        np.linspace(*ends, CELLS + 1),
                        t,
                        x,
                        tol,
                        tol,
                        dirichlet,
                        float(end),
                        True,
                    )
                    clocks.append(time.process_time() - began)
                    values = solved.u
            except (RuntimeError, ValueError) as error:
                print(f"kcol = {kcol}: {error}", file=sys.stderr)
                continue
            found |= {f"values {kcol}": values, f"cpu {kcol}": min(clocks)}
    np.savez(answer, **found)


if __name__ == "__main__":
    main()
