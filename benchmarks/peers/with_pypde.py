# SPDX-License-Identifier: MIT
"""py-pde: finite differences of second order on a grid of cells, stepped by SciPy through py-pde's own solver.

Two documented ways to state an equation. `expression`: text, compiled by Numba. `class`: `evolution_rate` in
NumPy with the operators of the SciPy backend, nothing compiled; slower per step, ready at once. All keywords of
`solve_ivp` are forwarded by `pde.ScipySolver`, so a stiff grid gets the structure of its Jacobian.
"""

from typing import ClassVar

import answer
import numpy as np
import pde
from scipy import sparse

PI = np.pi
KDV = "sech(sqrt(2)/2*(x + 3 - 2*t))**2"
KDV_CURVATURE = f"{KDV}*(2*tanh(sqrt(2)/2*(x + 3 - 2*t))**2 - {KDV})"
NLS = "sech(x + 2 - 0.5*t)*exp(I*(0.5*(x + 2) + 0.375*t))"


def sech(z):
    return 1 / np.cosh(z)


def kdv(x, t):
    return sech(np.sqrt(0.5) * (x + 3 - 2 * t)) ** 2


def kdv_curvature(x, t):
    z = np.sqrt(0.5) * (x + 3 - 2 * t)
    return kdv(x, t) * (2 * np.tanh(z) ** 2 - sech(z) ** 2)


def nls(x, t):
    return sech(x + 2 - 0.5 * t) * np.exp(1j * (0.5 * (x + 2) + 0.375 * t))


def relaxing(t):
    """Source of the multi-scale problem, without its sine."""
    decay = (PI**2 - 1) * np.exp(-t) + (PI**2 - 100) * np.exp(-100 * t)
    return (decay + (PI**2 - 10000) * np.exp(-10000 * t)) / 3


# Statements ---------------------------------------------------------------------------------------


class Statement:
    """A box, a time, and an equation in both forms; the subclasses are the problems."""

    box, periodic, end = [(-1.0, 1.0)], False, 0.1
    expression, constants, functions, conditions, conditions_of = "", {}, None, None, None
    stiff, reach, complex = True, 1, False

    def initial(self, *x):
        return np.sin(PI * x[0])

    def rate(self, u, t):
        raise NotImplementedError


def laplace(u, bc):
    return u.laplace(bc=bc, backend="scipy").data


def slope(u, bc):
    return u.gradient(bc=bc, backend="scipy").data[0]


class Heat(Statement):
    end, expression, conditions = 0.25, "laplace(u)", {"value": 0}

    def rate(self, u, t):
        return laplace(u, self.conditions)


class Heat2D(Heat):
    box, end, reach = [(0.0, 1.0), (0.0, 1.0)], 0.12, None

    def initial(self, x, y):
        return np.sin(PI * x) * np.sin(PI * y)


class AllenCahn(Statement):
    periodic, stiff, conditions = True, False, "periodic"
    expression = "1e-4*laplace(u) - u**3 + u"

    def initial(self, x):
        return 0.55 * np.sin(PI * x) + 0.25 * np.sin(2 * PI * x)

    def rate(self, u, t):
        return 1e-4 * laplace(u, "periodic") - u.data**3 + u.data


class AllenCahnLong(AllenCahn):
    end = 2.0


class Burgers(Statement):
    periodic, stiff, conditions = True, False, "periodic"
    expression, constants = "nu*laplace(u) - u*d_dx(u)", {"nu": 0.005 / PI}

    def initial(self, x):
        return -np.sin(PI * x)

    def rate(self, u, t):
        return 0.005 / PI * laplace(u, "periodic") - u.data * slope(u, "periodic")


class Multiscale(Statement):
    # The source as a function: in a text, SymPy's `simplify` inside py-pde joins the exponentials, which then overflow.
    periodic, conditions, functions = True, "periodic", {"source": relaxing}
    expression = "laplace(u) + sin(pi*x)*source(t)"

    def rate(self, u, t):
        return laplace(u, "periodic") + relaxing(t) * np.sin(PI * u.grid.axes_coords[0])


class KdV(Statement):
    """u_xxx is d_dx of the Laplacian w. py-pde wants one condition per end for each operator, so w is extrapolated at
    the left end and given at the right, from the soliton: the problem itself has u_x there, which no operator takes.
    """

    box, end, reach = [(-8.0, 8.0)], 0.5, 2
    expression = "-6*u*d_dx(u) - d_dx(laplace(u))"
    conditions: ClassVar = {"value_expression": KDV}
    # The same ends serve d_dx(u): extrapolation is good enough for it, and at the right both are below 2e-6.
    conditions_of: ClassVar = {"u:d_dx": {"x-": {"curvature": 0}, "x+": {"value_expression": KDV_CURVATURE}}}

    def initial(self, x):
        return kdv(x, 0.0)

    def rate(self, u, t):
        ends = {"x-": {"value": kdv(-8.0, t)}, "x+": {"value": kdv(8.0, t)}}
        curved = {"x-": {"curvature": 0}, "x+": {"value": kdv_curvature(8.0, t)}}
        third = slope(pde.ScalarField(u.grid, laplace(u, ends)), curved)
        return -6 * u.data * slope(u, ends) - third


class NLS_(Statement):
    box, end, complex = [(-8.0, 8.0)], 0.4, True
    expression, conditions = "0.5*I*laplace(u) + I*abs(u)**2*u", {"value_expression": NLS}

    def initial(self, x):
        return nls(x, 0.0)

    def rate(self, u, t):
        ends = {"x-": {"value": nls(-8.0, t)}, "x+": {"value": nls(8.0, t)}}
        return 0.5j * laplace(u, ends) + 1j * np.abs(u.data) ** 2 * u.data


STATEMENTS = {
    "heat-1d": Heat,
    "allen-cahn": AllenCahn,
    "allen-cahn-long": AllenCahnLong,
    "burgers": Burgers,
    "kdv-consistent": KdV,
    "nls": NLS_,
    "heat-2d": Heat2D,
    "multiscale-1d": Multiscale,
}


class ByClass(pde.PDEBase):
    """The documented way to write an equation in Python."""

    def __init__(self, statement):
        super().__init__()
        self.statement, self.complex_valued = statement, statement.complex

    def evolution_rate(self, state, t=0):
        return pde.ScalarField(state.grid, self.statement.rate(state, t), dtype=state.dtype)


# Solving ------------------------------------------------------------------------------------------


def pattern(statement, shape):
    """Which cells the rate of a cell depends on."""
    if statement.reach is None:
        return sparse.kronsum(*(sparse.diags([1, 1, 1], [-1, 0, 1], shape=(n, n)) for n in shape))
    (n,) = shape
    offsets = [*range(-statement.reach, statement.reach + 1)]
    if statement.periodic:
        offsets += [k for d in range(1, statement.reach + 1) for k in (n - d, d - n)]
    return sparse.diags([np.ones(n - abs(k)) for k in offsets], offsets, shape=(n, n))


def stated(statement, style):
    """The equation, and the backend that suits it."""
    if style == "class":
        return ByClass(statement), "numpy"
    equation = pde.PDE(
        {"u": statement.expression},
        consts=statement.constants,
        user_funcs=statement.functions,
        bc=statement.conditions,
        bc_ops=statement.conditions_of,
    )
    return equation, "numba"


def stepping(statement, setting, shape):
    """What is forwarded to `solve_ivp`."""
    options = {"method": setting["method"], "rtol": setting["rtol"], "atol": setting["rtol"] / 10}
    if setting["method"] == "LSODA":
        options |= {"lband": statement.reach, "uband": statement.reach}
    elif setting["method"] in ("BDF", "Radau"):
        options["jac_sparsity"] = pattern(statement, shape)
    return options


def state(name, setting):
    statement = STATEMENTS[name]()
    shape = [setting["cells"]] * len(statement.box)
    grid = pde.CartesianGrid(statement.box, shape, periodic=statement.periodic)
    kind = complex if statement.complex else float
    start = pde.ScalarField(grid, statement.initial(*np.moveaxis(grid.cell_coords, -1, 0)), dtype=kind)
    equation, backend = stated(statement, setting["style"])
    options = stepping(statement, setting, shape)
    where = answer.product(answer.times(statement.end), **dict(zip("xyz", grid.axes_coords, strict=False)))

    def solve():
        storage = pde.MemoryStorage()
        tracker = storage.tracker(interrupts=statement.end / answer.SNAPSHOTS)
        equation.solve(
            start, t_range=statement.end, solver="scipy", backend=backend, tracker=[tracker], **options
        )
        return where, np.array(storage.data[1:]).ravel()

    return solve


if __name__ == "__main__":
    answer.run(state)
