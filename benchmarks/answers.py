# SPDX-License-Identifier: MIT
"""Steady states, modes, branches, events and ordinary equations against formulas and published digits.

    python benchmarks/answers.py            writes benchmarks/results/answers.json
    python benchmarks/answers.py fold       makes the rows with this word in their names anew

Each row: the error against the reference, the estimate, and processor seconds. An estimate below the error is a false claim.
"""

from __future__ import annotations

import json
import math
import sys
import time
from pathlib import Path

import numpy as np
import pinnacle

import lrfm

LINE = lrfm.Box(x=(0, 1))
OUT = Path(__file__).parent / "results" / "answers.json"


def bratu(lam: float, upper: bool) -> float:
    """u(1/2): θ = √(2 lam) cosh(θ/4), u(1/2) = 2 ln cosh(θ/4)."""
    from scipy.optimize import brentq

    ends = (4.7988, 40.0) if upper else (1e-9, 4.7986)
    theta = brentq(lambda s: s - math.sqrt(2 * lam) * math.cosh(s / 4), *ends, xtol=1e-15)
    return 2 * math.log(math.cosh(theta / 4))


def steady(exact, tol=1e-8, guess=None, **given):
    """Relative error in L² of a steady state and its estimate."""
    problem = lrfm.Problem(**{"domain": LINE, "boundary": "u = 0", **given})
    solution = lrfm.steady(problem, tol=tol, guess=guess)
    x = np.linspace(*problem.domain.axes["x"], 2001)
    gap = solution(x=x) - exact(x)
    return float(np.sqrt(np.mean(gap**2) / np.mean(exact(x) ** 2))), solution.report.error_estimate


def middle(lam: float, upper: bool):
    """Relative error of u(1/2) on one branch of Bratu's problem."""
    problem = lrfm.Problem("u_xx + lam*exp(u) = 0", domain=LINE, boundary="u = 0", parameters={"lam": lam})
    solution = lrfm.steady(problem, tol=1e-8, guess="16*x*(1 - x)" if upper else None)
    return abs(float(solution(x=0.5)) / bratu(lam, upper) - 1), solution.report.error_estimate


def modes(exact, k=3, near=None, **given):
    """The largest relative error of some eigenvalues, and its estimate."""
    found = lrfm.modes(lrfm.Problem(**{"boundary": "u = 0", **given}), k=k, near=near)
    gaps = np.abs(found.values - np.array(exact)[:k]) / np.abs(np.array(exact)[:k])
    return float(np.max(gaps)), float(np.max(found.errors / np.abs(found.values)))


def velocity_and_pressure():
    """The same from the linearized equations of Navier and Stokes."""
    flow = lrfm.Problem(
        [
            "1j*(1 - y**2 - lam)*u - 2*y*v + 1j*p = (u_yy - u)/Re",
            "1j*(1 - y**2 - lam)*v + p_y = (v_yy - v)/Re",
            "1j*u + v_y = 0",
        ],
        domain=lrfm.Box(y=(-1, 1)),
        boundary={"*": ["u = 0", "v = 0"]},
        unknowns={"u": complex, "v": complex, "p": complex},
        parameters={"Re": 10000},
    )
    found = lrfm.modes(flow, k=1, near=0.24, tol=1e-6)
    return abs(found.values[0] - (0.23752649 + 0.00373967j)), float(found.errors[0]) + 1e-8  # as above


def orr_sommerfeld():
    """Orszag (1971): eight digits."""
    flow = lrfm.Problem(
        "v_yyyy - 2*v_yy + v = 1j*Re*((1 - y**2 - lam)*(v_yy - v) + 2*v)",
        domain=lrfm.Box(y=(-1, 1)),
        boundary={"*": ["v = 0", "v_n = 0"]},
        unknowns={"v": complex},
        parameters={"Re": 10000},
    )
    found = lrfm.modes(flow, k=1, near=0.24, tol=1e-7)
    return abs(found.values[0] - (0.23752649 + 0.00373967j)), float(
        found.errors[0]
    ) + 1e-8  # the last digit of the reference


def fold():
    """λ_c of Bratu's problem: θ/4 tanh(θ/4) = 1."""
    from scipy.optimize import brentq

    z = brentq(lambda s: s * math.tanh(s) - 1, 0.5, 2.0, xtol=1e-15)
    exact = 8 * z**2 / math.cosh(z) ** 2
    problem = lrfm.Problem("u_xx + lam*exp(u) = 0", domain=LINE, boundary="u = 0", parameters={"lam": 1})
    found = lrfm.branch(problem, "lam", (0, 4)).folds[0]
    return abs(found.value - exact), found.error


def event(until, exact, tol=1e-7):
    """The error of a time at which heat in a rod comes to something."""
    problem = lrfm.Problem("u_t = u_xx", domain=LINE, time=(0, 5), initial="sin(pi*x)", boundary="u = 0")
    found = lrfm.solve(problem, tol=tol, until=until).event
    return abs(found.t - exact), found.error


def ordinary(exact, tol=1e-8, **given):
    """Relative error in L² over time, and its estimate."""
    problem = lrfm.Problem(**given)
    solution = lrfm.solve(problem, tol=tol)
    t = np.linspace(*problem.time, 2001)
    gap = solution(t=t) - exact(t)
    return float(np.sqrt(np.mean(gap**2) / np.mean(exact(t) ** 2))), solution.report.error_estimate


def kernel_in_time():
    """u = e^{−t} cos πx, with ∫ cos π(x − y) cos πy dy = cos(πx)/2."""
    problem = lrfm.Problem(
        "u_t = u_xx + integral(cos(pi*(x - y))*u(y), y) + exp(-t)*cos(pi*x)*(pi**2 - 1.5)",
        domain=LINE,
        time=(0, 1),
        initial="cos(pi*x)",
        boundary="u_n = 0",
    )
    solution = lrfm.solve(problem, tol=1e-6)
    x, t = (part.ravel() for part in np.meshgrid(np.linspace(0, 1, 101), np.linspace(0, 1, 101)))
    exact = np.exp(-t) * np.cos(np.pi * x)
    gap = solution(x=x, t=t) - exact
    return float(np.sqrt(np.mean(gap**2) / np.mean(exact**2))), solution.report.error_estimate


def bratu_slope(theta: float, guess: str | None):
    """du(1/2)/dλ on Bratu's branch: u(1/2) = 2 ln cosh z, λ = 8 z²/cosh² z, z = θ/4."""
    z = theta / 4
    lam = 8 * z**2 / math.cosh(z) ** 2
    exact = math.tanh(z) / (8 * z / math.cosh(z) ** 2 * (1 - z * math.tanh(z)))
    problem = lrfm.Problem("u_xx + lam*exp(u) = 0", domain=LINE, boundary="u = 0", parameters={"lam": lam})
    found = lrfm.steady(problem, tol=1e-8, guess=guess).sensitivity("lam")
    return abs(float(found(x=0.5)) / exact - 1), found.error_estimate


def disk_slope():
    """∂u/∂D = (1 − r²)/(4D²) of D lap u = 1 on the disk."""
    problem = lrfm.Problem("D*lap(u) = 1", domain=lrfm.Disk(), boundary="u = 0", parameters={"D": 2.0})
    found = lrfm.steady(problem, tol=1e-6).sensitivity("D")
    x, y = problem.domain.quadrature(4000).points.T
    exact = (1 - x**2 - y**2) / 16
    gap = found(x=x, y=y) - exact
    return float(np.sqrt(np.mean(gap**2) / np.mean(exact**2))), found.error_estimate


def one_axis():
    """w(x, t) = e^{−(π²/10 + 1)t} sin πx beside u(x, y, t), whose mean along y is zero."""
    problem = lrfm.Problem(
        ["u_t = lap(u) + w*cos(pi*y)", "w_t = 0.1*w_xx + mean(u, y) - w"],
        domain=SQUARE,
        time=(0, 0.5),
        initial={"u": "sin(pi*x)*cos(pi*y)", "w": "sin(pi*x)"},
        boundary={"x": ["u = 0", "w = 0"], "y": "u_n = 0"},
        unknowns={"w": "x"},
    )
    solution = lrfm.solve(problem, tol=1e-6)
    nodes, weights = np.polynomial.legendre.leggauss(60)
    x, y, t = np.meshgrid(*[np.linspace(0, 1, 21)] * 2, 0.25 * (1 + nodes), indexing="ij")
    a, b = 2 * np.pi**2, 0.1 * np.pi**2 + 1
    w = np.exp(-b * t) * np.sin(np.pi * x)
    u = (np.exp(-a * t) + (np.exp(-b * t) - np.exp(-a * t)) / (a - b)) * np.sin(np.pi * x) * np.cos(np.pi * y)
    gaps = [(solution["u"](x=x, y=y, t=t) - u, u), (solution["w"](x=x, t=t) - w, w)]
    errors = [np.sqrt(np.sum(weights * gap**2) / np.sum(weights * exact**2)) for gap, exact in gaps]
    return float(max(errors)), solution.report.error_estimate


SQUARE = lrfm.Box(x=(0, 1), y=(0, 1))
CORNER = lrfm.Box(x=(-1, 1), y=(-1, 1)) - lrfm.Box(x=(0, 2), y=(-2, 0))
# Gordon, Webb, Wolpert (1992), of seven triangles with sides of two; Driscoll (SIAM Rev. 39, 1997) has twelve digits of its eigenvalues.
TRIANGLES = [(0, 0), (0, 2), (4, 6), (4, 4), (6, 4), (4, 2), (2, 2), (2, 0)]
DRUM = [2.53794399980, 3.65550971352, 5.17555935622, 6.53755744376, 7.24807786256]
DRUM += [9.20929499840, 10.5969856913, 11.5413953956, 12.3370055014, 13.0536540557]
HOLES = SQUARE - lrfm.Disk(center=(0.3, 0.3), radius=0.1) - lrfm.Disk(center=(0.65, 0.6), radius=0.15)


def harmonic(x, y):
    """exp(x) sin(y)."""
    return np.exp(x) * np.sin(y)


def corner(x, y):
    """r^(2/3) sin(2θ/3), zero on the two sides of the corner."""
    return np.hypot(x, y) ** (2 / 3) * np.sin(2 * np.mod(np.arctan2(y, x), 2 * np.pi) / 3)


def plane(exact, tol=1e-6, guess=None, **given):
    """Relative error in L² of a steady state in the plane and its estimate."""
    problem = lrfm.Problem(**{"domain": SQUARE, "boundary": "u = 0", **given})
    solution = lrfm.steady(problem, tol=tol, guess=guess)
    rule = problem.domain.quadrature(4000)
    x, y = rule.points.T
    gap = solution(x=x, y=y) - exact(x, y)
    size = np.sum(rule.weights * exact(x, y) ** 2)
    return float(np.sqrt(np.sum(rule.weights * gap**2) / size)), solution.report.error_estimate


def seventeen_holes():
    """PINNacle's plate: a box without 17 discs (Hao et al., NeurIPS 2024)."""
    domain = lrfm.Box(x=(-8, 8), y=(-12, 12))
    for x, y in [(a, b) for a in (4, -4) for b in (3, -3, 9, -9)] + [(0, 0), (0, 6), (0, -6)]:
        domain = domain - lrfm.Disk(center=(x, y), radius=1)
    for x, y in [(a, b) for a in (3.2, -3.2) for b in (0, 6, -6)]:
        domain = domain - lrfm.Disk(center=(x, y), radius=0.4)
    return domain


def ball():
    """exp(x + z) sin y in the unit ball, where its Laplacian is itself."""
    problem = lrfm.Problem("lap(u) = exp(x + z)*sin(y)", domain=lrfm.Ball(), boundary="u = exp(x + z)*sin(y)")
    solution = lrfm.steady(problem, tol=1e-6)
    rule = problem.domain.quadrature(4000)
    x, y, z = rule.points.T
    exact = np.exp(x + z) * np.sin(y)
    gap = solution(x=x, y=y, z=z) - exact
    error = np.sqrt(np.sum(rule.weights * gap**2) / np.sum(rule.weights * exact**2))
    return float(error), solution.report.error_estimate


def radiation(k=31.4):
    """e^{ik(0.6x + 0.8y)} through a square with u_n − iku given on all of its sides: five waves, or ten."""
    problem = lrfm.Problem(
        "lap(u) + k**2*u = 0",
        domain=SQUARE,
        boundary="u_n - 1j*k*u = 1j*k*(0.6*n_x + 0.8*n_y - 1)*exp(1j*k*(0.6*x + 0.8*y))",
        unknowns={"u": complex},
        parameters={"k": k},
    )
    solution = lrfm.steady(problem, tol=1e-4, max_seconds=None)
    x, y = SQUARE.quadrature(4000).points.T
    gap = solution(x=x, y=y) - np.exp(1j * k * (0.6 * x + 0.8 * y))
    return float(np.sqrt(np.mean(np.abs(gap) ** 2))), solution.report.error_estimate


# Statements of PINNacle (Hao et al., NeurIPS 2024; as its code of 2023 has them, src/pde of i207M/PINNacle) that are at rest; two more are in
# pinnacle.py. Not here: `PoissonND` in five dimensions, which cells do not hold; and the inverse one. Its references are files of numbers, here they are other methods.


def without(box, discs):
    """A box without some discs."""
    domain = lrfm.Box(x=(-box, box), y=(-box, box), name="box")
    for x, y, radius in discs:
        domain = domain - lrfm.Disk(center=(x, y), radius=radius)
    return domain


def four_circles(tol=1e-6):
    """Poisson2D_Classic: u = 1 on a square and 0 on four circles, against harmonic functions Re z^(4k), log|z − c| and Re (z − c)^(−k) of the symmetry of the square, fitted to u on the boundary."""
    domain = without(0.5, [(x, y, 0.1) for x in (0.3, -0.3) for y in (0.3, -0.3)])
    problem = lrfm.Problem(
        "lap(u) = 0", domain=domain, boundary={**{f"box.{s}": "u = 1" for s in SIDES}, "*": "u = 0"}
    )
    solution = lrfm.steady(problem, tol=tol)

    def functions(z):
        found, centers = [np.real((2 * z) ** (4 * k)) for k in range(16)], 0.3 + 0.3j
        around = [centers * 1j**k for k in range(4)]
        found.append(sum(np.log(np.abs(z - c)) for c in around))
        for k in range(1, 25):
            terms = [(0.1 / ((z - c) * np.conj(c) / np.abs(c))) ** k for c in around]
            found.append(sum(np.real(term) for term in terms))
        return np.stack(found, axis=1)

    side = 0.5 + 0.5j * np.sin(np.pi / 2 * np.linspace(-1, 1, 401))
    circle = 0.3 + 0.3j + 0.1 * np.exp(2j * np.pi * np.arange(400) / 400)
    given = np.concatenate([np.ones(len(side)), np.zeros(len(circle))])
    table = functions(np.concatenate([side, circle]))
    factors = np.linalg.lstsq(table, given, rcond=None)[0]
    print(f"    reference {np.max(np.abs(table @ factors - given)):.1e} off its boundary")
    rule = domain.quadrature(4000)
    x, y = rule.points.T
    exact = functions(x + 1j * y) @ factors
    gap = solution(x=x, y=y) - exact
    error = np.sqrt(np.sum(rule.weights * gap**2) / np.sum(rule.weights * exact**2))
    return float(error), solution.report.error_estimate


SIDES = ("x-", "x+", "y-", "y+")


def stricter(problem, tol, names=("u",), times=100):
    """Against the same at a part of the tolerance: other cells, other degrees, the same method."""
    solution = lrfm.steady(problem, tol=tol, max_seconds=None)
    better = lrfm.steady(problem, tol=tol / times, max_seconds=None)
    rule = problem.domain.quadrature(4000)
    places = dict(zip(problem.domain.names, rule.points.T, strict=True))
    errors = []
    for name in names:
        exact = better[name](**places)
        gap = np.sum(rule.weights * (solution[name](**places) - exact) ** 2)
        errors.append(float(np.sqrt(gap / np.sum(rule.weights * exact**2))))
    return max(errors), solution.report.error_estimate


def screened(tol=1e-4):
    """PoissonBoltzmann2D: −Δu + 64 u = f, 0.2 on a square, 1 on four circles in it."""
    domain = without(1.0, [(0.5, 0.5, 0.2), (0.4, -0.4, 0.4), (-0.2, -0.7, 0.1), (-0.6, 0.5, 0.3)])
    return stricter(
        lrfm.Problem(
            "lap(u) = 64*u - 10*(17 + x**2 + y**2)*sin(pi*x)*sin(4*pi*y)",
            domain=domain,
            boundary={**{f"box.{s}": "u = 0.2" for s in SIDES}, "*": "u = 1"},
        ),
        tol,
    )


def flow(domain, boundary, nu=0.01):
    """Navier and Stokes' equations at rest at 1e-2, against the same at a fifth of it."""
    problem = lrfm.Problem(
        ["u*u_x + v*u_y + p_x = nu*lap(u)", "u*v_x + v*v_y + p_y = nu*lap(v)", "u_x + v_y = 0"],
        domain=domain,
        boundary={**boundary, "*": ["u = 0", "v = 0"]},
        parameters={"nu": nu},
    )
    return stricter(problem, 1e-2, ("u", "v", "p"), 5)


CHANNEL = lrfm.Box(x=(0, 4), y=(0, 2), name="box") - lrfm.Box(x=(-1, 2), y=(1, 3), name="step")
CYLINDERS = (
    lrfm.Box(x=(0, 8), y=(0, 8), name="box")
    - lrfm.Disk(center=(6, 6), radius=1)
    - lrfm.Disk(center=(2, 1), radius=0.5)
)
OUTLET = {"box.x+": ["p = 0", "v = 0"]}  # there no more than p = 0 is said


def many_areas(tol=1e-2):
    """Poisson2D_ManyArea of pinnacle.py against a tenth of the tolerance, and its distance from the published values."""
    problem = pinnacle.many_areas()
    solution = lrfm.steady(problem, tol=tol, max_seconds=None)
    print(f"    {pinnacle.published(solution, pinnacle.SQUARES):.1e} off the published values")
    return stricter(problem, tol, times=10)


def gradient_flux(base: float, guess: str | None):
    """(base + |∇u|²) ∇u with u = 5 sin πx sin πy, or beside a slope where the base is zero: the source is differentiated by SymPy."""
    import sympy

    x, y = sympy.symbols("x y")
    bump = sympy.sin(sympy.pi * x) * sympy.sin(sympy.pi * y)
    exact = 5 * bump if base else 5 * (x + y / 2 + bump / 10)
    slopes = [sympy.diff(exact, name) for name in (x, y)]
    flux = [(base + slopes[0] ** 2 + slopes[1] ** 2) * slope for slope in slopes]
    source = sympy.lambdify((x, y), sympy.diff(flux[0], x) + sympy.diff(flux[1], y))
    return plane(
        sympy.lambdify((x, y), exact),
        tol=1e-4,
        guess=guess,
        equation="div((base + dot(grad(u), grad(u)))*grad(u)) = f",
        boundary="u = 0" if base else "u = 5*(x + y/2)",
        parameters={"base": base, "f": lambda x, y: source(x, y)},
    )


def radial_flux(p: float):
    """div(|∇u|^(p − 2) ∇u) = −2 on the disk: (1 − r^q)/q, 1/p + 1/q = 1, from nothing, which has a flux whose slope is zero or infinite."""
    q = p / (p - 1)
    return plane(
        lambda x, y: (1 - np.hypot(x, y) ** q) / q,
        tol=1e-4,
        equation=f"div(dot(grad(u), grad(u))**{(p - 2) / 2}*grad(u)) = -2",
        domain=lrfm.Disk(),
    )


def plane_fold():
    """λ_c of Bratu's problem on the square, 6.808124423 (Chan, Keller, SIAM J. Sci. Stat. Comput. 3, 1982, and later)."""
    problem = lrfm.Problem("lap(u) + lam*exp(u) = 0", domain=SQUARE, boundary="u = 0", parameters={"lam": 1})
    found = lrfm.branch(problem, "lam", (5, 7), tol=1e-4, max_points=30, max_seconds=None).folds[0]
    return abs(found.value - 6.808124423), found.error + 5e-10  # the last digit of the reference


def plane_modes(exact, tol=1e-8, **given):
    """The largest relative error of some eigenvalues of −lap, and its estimate."""
    problem = lrfm.Problem("lap(u) = -lam*u", **{"boundary": "u = 0", **given})
    found = lrfm.modes(problem, k=len(exact), tol=tol, strict=False, max_seconds=None)
    gaps = np.abs(found.values - np.array(exact)) / np.array(exact)
    return float(np.max(gaps)), float(np.max(found.errors / np.abs(found.values)))


def radial(exact, kind, at, tol=1e-7, **given):
    """Relative error in L² over the radius at the end, and the estimate over all of it."""
    domain = lrfm.Box(r=(0, 1), coordinates=kind)
    problem = lrfm.Problem(**{"equation": "u_t = lap(u)", "domain": domain, "boundary": "u = 0", **given})
    solution = lrfm.solve(problem, tol=tol)
    r = np.linspace(0, 1, 401)[1:]
    gap = solution(r=r, t=at) - exact(r, at)
    return float(np.sqrt(np.mean(gap**2) / np.mean(exact(r, at) ** 2))), solution.report.error_estimate


def cylinder(r, t):
    """1 − r² that cools: Σ 8/(z³ J₁(z)) J₀(z r) e^{−z² t}."""
    from scipy.special import j0, j1, jn_zeros

    return sum(8 / (z**3 * j1(z)) * j0(z * r) * np.exp(-(z**2) * t) for z in jn_zeros(0, 60))


def particle(r, t):
    """A ball that is charged with the flux 1 (Carslaw, Jaeger, 9.3): tan s = s."""
    from scipy.optimize import brentq

    found = 3 * t + r**2 / 2 - 0.3
    for k in range(1, 60):
        s = brentq(
            lambda s: np.sin(s) - s * np.cos(s), (k + 0.5) * np.pi - 0.5, (k + 0.5) * np.pi, xtol=1e-15
        )
        found = found - 2 * np.sin(s * r) / (r * s**2 * np.sin(s)) * np.exp(-(s**2) * t)
    return found


def pipe(r, t):
    """Flow in a pipe from rest (Szymański, 1932): (1 − r²)/4 − Σ 2 J₀(z r)/(z³ J₁(z)) e^{−z² t}."""
    from scipy.special import j0, j1, jn_zeros

    late = sum(2 * j0(z * r) / (z**3 * j1(z)) * np.exp(-(z**2) * t) for z in jn_zeros(0, 60))
    return (1 - r**2) / 4 - late


def rest(tol=1e-5):
    """The time at which e^{−π² t} sin πx has the tolerance left to move."""
    problem = lrfm.Problem("u_t = u_xx", domain=LINE, time=(0, 3), initial="sin(pi*x)", boundary="u = 0")
    found = lrfm.solve(problem, tol=tol, until="steady").event
    return abs(found.t - math.log(1 / tol) / math.pi**2), found.error


def delayed(t):
    """x′ = −x(t − 1) with x = 1 before: Σ (−1)^k (t − k + 1)^k/k! (Bellman, Cooke, 1963)."""
    found = np.ones_like(t)
    for k in range(1, 8):
        found = found + (-1.0) ** k * np.maximum(t - k + 1, 0) ** k / math.factorial(k)
    return found


def by_other_means(rates, slopes, start, end, names, **options):
    """Relative error over time of ordinary equations against SciPy's integrator at the strictest tolerance it has; the largest of all unknowns."""
    from scipy.integrate import solve_ivp

    problem = lrfm.Problem(
        [f"{n}_t = {rate}" for n, rate in zip(names, rates, strict=True)],
        time=(0, end),
        initial=dict(zip(names, start, strict=True)),
    )
    solution = lrfm.solve(problem, tol=1e-8)
    t = np.linspace(0, end, 2001)
    made = solve_ivp(lambda t, y: slopes(*y), (0, end), start, t_eval=t, rtol=1e-13, atol=1e-18, **options)
    errors = [
        np.linalg.norm(solution[n](t=t) - made.y[i]) / np.linalg.norm(made.y[i]) for i, n in enumerate(names)
    ]
    return float(max(errors)), solution.report.error_estimate


def van_der_pol():
    """x(2000) with mu = 1000, from the test set for initial value problems (Mazzia, Magherini, 2008: VDPOL at t = 2): sixteen digits."""
    problem = lrfm.Problem(
        "x_tt = mu*(1 - x**2)*x_t - x",
        time=(0, 2000),
        initial={"x": 2, "x_t": 0},
        parameters={"mu": 1000},
    )
    solution = lrfm.solve(problem, tol=1e-8)
    return abs(float(solution(t=2000.0)) / 1.706167732170483 - 1), solution.report.error_estimate


def delay_logistic():
    """n′ = r n (1 − n(t − 1)), from interval to interval by SciPy's integrator of order eight with its own polynomials in the past."""
    from scipy.integrate import solve_ivp

    r, end = 1.8, 20
    problem = lrfm.Problem("n_t = r*n*(1 - n(t - 1))", time=(0, end), initial=0.5, parameters={"r": r})
    solution = lrfm.solve(problem, tol=1e-8)
    past, value, gaps, sizes = (lambda t: 0.5), [0.5], [], []
    for k in range(end):
        made = solve_ivp(
            lambda t, n, past=past: r * n * (1 - past(t - 1)),
            (k, k + 1),
            value,
            method="DOP853",
            rtol=1e-13,
            atol=1e-16,
            dense_output=True,
            max_step=1 / 50,
        )
        past, value = (lambda t, sol=made.sol: float(sol(t)[0])), made.y[:, -1]
        t = np.linspace(k, k + 1, 101)
        gaps.append(solution(t=t) - made.sol(t)[0])
        sizes.append(made.sol(t)[0])
    return float(np.linalg.norm(gaps) / np.linalg.norm(sizes)), solution.report.error_estimate


def happens(until, exact, tol=1e-7, **given):
    """The error of the time of an event."""
    found = lrfm.solve(lrfm.Problem(**given), tol=tol, until=until).event
    return abs(found.t - exact), found.error


def pendulum():
    """A quarter of the period of x″ = −sin x from 1: K(sin ½)."""
    from scipy.special import ellipk

    return float(ellipk(math.sin(0.5) ** 2))


def front(nu=0.05):
    """Burgers' front u = 1/(1 + e^{(x − t/2)/(2ν)}) comes to x = 1/2 at t = 1."""
    wave = f"1/(1 + exp((x - t/2)/{2 * nu}))"
    return happens(
        "u(x=0.5) = 0.5",
        1.0,
        equation="u_t + u*u_x = nu*u_xx",
        domain=lrfm.Box(x=(-1, 2)),
        time=(0, 2),
        initial=wave.replace("t/2", "0"),
        boundary=f"u = {wave}",
        parameters={"nu": nu},
    )


def same_rest(tol=1e-6):
    """Where `until="steady"` ends, and `steady`: u_t = u_xx + e^u, in the largest norm; what was left to move counts in the estimate."""
    problem = lrfm.Problem("u_t = u_xx + exp(u)", domain=LINE, time=(0, 5), initial="0", boundary="u = 0")
    ended = lrfm.solve(problem, tol=tol, until="steady")
    rested = lrfm.steady(problem, tol=tol)
    x = np.linspace(0, 1, 201)
    end = rested(x=x)
    gap = np.linalg.norm(ended(x=x, t=ended.event.t) - end) / np.linalg.norm(end)
    return float(gap), 2 * tol


def turing():
    """The growth rate of the pattern that grows fastest about Schnakenberg's u = a + b, v = b/(a + b)²: largest eigenvalue of J − (nπ/L)² D, and an evolution from 1e-8 of it."""
    a, b, d, length = 0.1, 0.9, 40.0, 6.0
    u, v = a + b, b / (a + b) ** 2
    jacobian = np.array([[-1 + 2 * u * v, u**2], [-2 * u * v, -(u**2)]])
    rates = [
        max(np.linalg.eigvals(jacobian - (n * np.pi / length) ** 2 * np.diag([1, d])).real) for n in range(12)
    ]
    n = int(np.argmax(rates))
    given = {
        "equation": ["u_t = u_xx + a - u + u**2*v", "v_t = d*v_xx + b - u**2*v"],
        "domain": lrfm.Box(x=(0, length)),
        "boundary": {"*": ["u_n = 0", "v_n = 0"]},
        "parameters": {"a": a, "b": b, "d": d},
    }
    start = {"u": str(u), "v": str(v)}
    problem = lrfm.Problem(**given, time=(0, 1), initial=start)
    found = lrfm.modes(problem, k=1, about=lrfm.steady(problem, guess=start, tol=1e-8), tol=1e-8)
    values, vectors = np.linalg.eig(jacobian - (n * np.pi / length) ** 2 * np.diag([1, d]))
    p, q = 1e-4 * np.real(vectors[:, int(np.argmax(values.real))])
    noisy = {"u": f"{u} + {p}*cos({n}*pi*x/{length})", "v": f"{v} + {q}*cos({n}*pi*x/{length})"}
    grown = lrfm.solve(lrfm.Problem(**given, time=(0, 2), initial=noisy), tol=1e-8)
    top = [float(grown["u"](x=0.0, t=t)) - u for t in (0.0, 1.0)]
    marched = math.log(top[1] / top[0])
    print(f"    rate {found.values[0]:.10f}, formula {rates[n]:.10f}, evolution {marched:.6f}")
    return abs(found.values[0] - rates[n]), float(found.errors[0])


def _well() -> list[float]:
    """Eigenvalues of −u″ + (x² − 2)² u by Hermite functions: x as a matrix of 240 of them."""
    n = 240
    x = np.diag(np.sqrt(np.arange(1, n) / 2), 1)
    x = x + x.T
    p2 = np.diag(np.arange(n) + 0.5) * 2 - x @ x  # −d²/dx² = 2n + 1 − x²
    h = p2 + np.linalg.matrix_power(x, 4) - 4 * x @ x + 4 * np.eye(n)
    return np.linalg.eigvalsh(h[: n - 8, : n - 8])[:2].tolist()


WELL = _well()
EPS = 1e-4
ROWS = {
    "steady: poisson": lambda: steady(lambda x: np.sin(np.pi * x), equation="u_xx = -pi**2*sin(pi*x)"),
    "steady: boundary layer 1e-4": lambda: steady(
        lambda x: x - (1 - np.exp(-x / EPS)), equation="eps*u_xx + u_x = 1", parameters={"eps": EPS}
    ),
    "steady: clamped beam": lambda: steady(
        lambda x: x**2 * (1 - x) ** 2 / 24, equation="u_xxxx = 1", boundary={"*": ["u = 0", "u_n = 0"]}
    ),
    "steady: ten wavelengths": lambda: steady(
        lambda x: np.cos(20 * np.pi * x),
        equation="u_xx + (20*pi)**2*u = 0",
        boundary={"x-": "u = 1", "x+": "u_x = 0"},
    ),
    "steady: pure Neumann": lambda: steady(
        lambda x: np.cos(np.pi * x), equation="u_xx = -pi**2*cos(pi*x)", boundary="u_n = 0"
    ),
    "steady: bratu, lower": lambda: middle(2.0, False),
    "steady: bratu, upper": lambda: middle(2.0, True),
    "plane: poisson, square": lambda: plane(
        lambda x, y: np.sin(np.pi * x) * np.sin(np.pi * y), equation="lap(u) = -2*pi**2*sin(pi*x)*sin(pi*y)"
    ),
    "plane: laplace, disk": lambda: plane(
        harmonic, equation="lap(u) = 0", domain=lrfm.Disk(), boundary="u = exp(x)*sin(y)"
    ),
    "plane: laplace, annulus": lambda: plane(
        lambda x, y: np.log(np.hypot(x, y)),
        equation="lap(u) = 0",
        domain=lrfm.Annulus(radii=(0.3, 1)),
        boundary="u = log(x**2 + y**2)/2",
    ),
    "plane: laplace, two holes": lambda: plane(
        harmonic, equation="lap(u) = 0", domain=HOLES, boundary="u = exp(x)*sin(y)"
    ),
    "plane: laplace, L-shape": lambda: plane(
        corner, tol=1e-4, equation="lap(u) = 0", domain=CORNER, boundary="u = g", parameters={"g": corner}
    ),
    "plane: pure Neumann": lambda: plane(
        lambda x, y: np.cos(np.pi * x) * np.cos(np.pi * y),
        equation="lap(u) + 2*pi**2*cos(pi*x)*cos(pi*y) = 0",
        boundary="u_n = 0",
    ),
    "plane: Poisson-Boltzmann": lambda: plane(
        harmonic, equation="lap(u) = sinh(u) - sinh(exp(x)*sin(y))", boundary="u = exp(x)*sin(y)"
    ),
    "plane: carried, layer 0.02": lambda: plane(
        lambda x, y: np.exp((x - 1) / 0.02),
        tol=1e-5,
        equation="0.02*lap(u) = u_x",
        boundary={"x-": "u = exp(-50)", "x+": "u = 1", "y": "u_n = 0"},
    ),
    "plane: ten waves": lambda: plane(
        lambda x, y: np.cos(62 * (0.6 * x + 0.8 * y)),
        tol=1e-4,
        equation="lap(u) + 62**2*u = 0",
        boundary="u = cos(62*(0.6*x + 0.8*y))",
    ),
    "plane: 17 holes": lambda: plane(
        lambda x, y: np.exp(x / 4) * np.sin(y / 4),
        equation="lap(u) = 0",
        domain=seventeen_holes(),
        boundary="u = exp(x/4)*sin(y/4)",
    ),
    "plane: clamped plate": lambda: plane(
        lambda x, y: (np.sin(np.pi * x) * np.sin(np.pi * y)) ** 2,
        equation="lap(lap(u)) = 8*pi**4*(cos(2*pi*x)*cos(2*pi*y) - cos(2*pi*x)*sin(pi*y)**2 - sin(pi*x)**2*cos(2*pi*y))",
        boundary={"*": ["u = 0", "u_n = 0"]},
    ),
    "plane: p-Laplacian, p = 1.5": lambda: radial_flux(1.5),
    "plane: p-Laplacian, p = 3": lambda: radial_flux(3),
    "plane: p-Laplacian, p = 4": lambda: radial_flux(4),
    "steady: p-Laplacian, p = 5": lambda: steady(
        lambda x: 0.8 * (0.5**1.25 - np.abs(x - 0.5) ** 1.25),
        tol=1e-6,
        equation="diff(abs(u_x)**3*u_x, x) = -1",
    ),
    "space: ball": ball,
    "plane: radiation, five waves": radiation,
    "plane: radiation, ten waves": lambda: radiation(62.0),
    "pinnacle: Poisson1D": lambda: steady(
        np.sin, equation="u_xx + sin(x) = 0", domain=lrfm.Box(x=(0, "2*pi"))
    ),
    "pinnacle: Poisson2D_Classic": four_circles,
    "pinnacle: PoissonBoltzmann2D": screened,
    "pinnacle: Helmholtz2D": lambda: plane(
        lambda x, y: np.sin(4 * np.pi * x) * np.sin(4 * np.pi * y),
        equation="lap(u) + u = (1 - 32*pi**2)*sin(4*pi*x)*sin(4*pi*y)",
    ),
    "pinnacle: NSEquation_LidDriven": lambda: flow(SQUARE, {"y+": ["u = 4*x*(1 - x)", "v = 0"]}),
    "pinnacle: NSEquation_BackStep": lambda: flow(
        CHANNEL, {"box.x-": ["u = 4*y*(1 - y)", "v = 0"], **OUTLET}
    ),
    "pinnacle: NSEquation_Classic": lambda: flow(
        CYLINDERS, {"box.x-": ["u = y*(8 - y)/16", "v = 0"], **OUTLET}, nu=1.0
    ),
    "pinnacle: Poisson2D_ManyArea": many_areas,
    "pinnacle: Poisson3D_ComplexGeometry": pinnacle.four_balls,
    "plane: flux of the gradient, far from the guess": lambda: gradient_flux(1.0, None),
    "plane: 4-Laplacian": lambda: gradient_flux(0.0, "5*(x + y/2)"),
    "plane: fold of bratu": plane_fold,
    "radius: cooling cylinder": lambda: radial(
        cylinder, "cylindrical", 0.2, time=(0, 0.2), initial="1 - r**2"
    ),
    "radius: battery particle": lambda: radial(
        particle, "spherical", 0.3, time=(0, 0.3), initial="0", boundary="u_n = 1"
    ),
    "radius: flow in a pipe from rest": lambda: radial(
        pipe, "cylindrical", 0.3, equation="u_t = lap(u) + 1", time=(0, 0.3), initial="0"
    ),
    "branch: fold of bratu": fold,
    "modes: square": lambda: plane_modes([2, 5, 5, 8], domain=lrfm.Box(x=(0, "pi"), y=(0, "pi"))),
    "modes: disk": lambda: plane_modes(
        [5.783185962946785, 14.681970642123893, 14.681970642123893], domain=lrfm.Disk()
    ),
    "modes: L-shape": lambda: plane_modes([9.6397238440219], domain=CORNER, tol=1e-6),
    "modes: isospectral drum": lambda: plane_modes(DRUM, domain=lrfm.Polygon(TRIANGLES), tol=1e-6),
    "modes: string": lambda: modes([1, 4, 9], equation="u_xx = -lam*u", domain=lrfm.Box(x=(0, "pi"))),
    "modes: oscillator": lambda: modes(
        [1, 3, 5], equation="-u_xx + x**2*u = lam*u", domain=lrfm.Box(x=(-9, 9))
    ),
    "modes: double well": lambda: modes(
        WELL,
        k=2,
        equation="-u_xx + (x**2 - 2)**2*u = lam*u",
        domain=lrfm.Box(x=(-6, 6)),
    ),
    "modes: growth of a Turing pattern": turing,
    "modes: square, 1e-10": lambda: plane_modes(
        [2, 5, 5, 8], tol=1e-10, domain=lrfm.Box(x=(0, "pi"), y=(0, "pi"))
    ),
    "modes: disk, 1e-10": lambda: plane_modes(
        [5.783185962946785, 14.681970642123893, 14.681970642123893], tol=1e-10, domain=lrfm.Disk()
    ),
    "modes: L-shape, 1e-8": lambda: plane_modes([9.6397238440219], domain=CORNER, tol=1e-8),
    "modes: clamped beam": lambda: modes(
        np.array([4.730040744862704, 7.853204624095838, 10.995607838001671]) ** 4,
        equation="u_xxxx = lam*u",
        domain=LINE,
        boundary={"*": ["u = 0", "u_n = 0"]},
    ),
    "modes: Orr-Sommerfeld, Re = 10000": orr_sommerfeld,
    "modes: Orr-Sommerfeld by velocity and pressure": velocity_and_pressure,
    "event: max(u) < 0.1": lambda: event("max(u) < 0.1", math.log(10) / math.pi**2),
    "event: u(x=0.25) = 0.5": lambda: event("u(x=0.25) = 0.5", math.log(math.sqrt(2)) / math.pi**2),
    "event: integral(u**2) < 0.25": lambda: event("integral(u**2) < 0.25", math.log(2) / (2 * math.pi**2)),
    "event: mean(u) = 0.3": lambda: event("mean(u) = 0.3", math.log(2 / (0.3 * math.pi)) / math.pi**2),
    "event: half of a population": lambda: happens(
        "x = 0.5", math.log(99), equation="x_t = x*(1 - x)", time=(0, 15), initial=0.01
    ),
    "event: a pendulum hangs down": lambda: happens(
        "x = 0", pendulum(), equation="x_tt = -sin(x)", time=(0, 10), initial={"x": 1, "x_t": 0}
    ),
    "event: before a blow-up": lambda: happens("x = 10", 0.9, equation="x_t = x**2", time=(0, 2), initial=1),
    "event: a string passes": lambda: happens(
        "u(x=0.5) = 0",
        0.5,
        equation="u_tt = u_xx",
        domain=LINE,
        time=(0, 2),
        initial={"u": "sin(pi*x)", "u_t": "0"},
        boundary="u = 0",
    ),
    "event: a front arrives": front,
    "event: max(u) < 0.5 on the square": lambda: happens(
        "max(u) < 0.5",
        math.log(2) / (2 * math.pi**2),
        tol=1e-6,
        equation="u_t = lap(u)",
        domain=SQUARE,
        time=(0, 1),
        initial="sin(pi*x)*sin(pi*y)",
        boundary="u = 0",
    ),
    "event: steady, and the steady state": same_rest,
    "memory: oscillator": lambda: ordinary(
        lambda t: (
            np.exp(-t / 2) * (np.cos(np.sqrt(0.75) * t) + np.sin(np.sqrt(0.75) * t) / (2 * np.sqrt(0.75)))
        ),
        equation="x_t = -integral(exp(-(t - s))*x(s), s)",
        time=(0, 10),
        initial=1,
    ),
    "memory: fading, 1/(1 + t - s)": lambda: ordinary(
        lambda t: 1 + t,
        tol=1e-6,
        equation="x_t = 1 + integral(x(s)/(1 + t - s), s) - (2 + t)*log(1 + t) + t",
        time=(0, 2),
        initial=1,
    ),
    "memory: Gaussian": lambda: ordinary(
        lambda t: 1 + t,
        tol=1e-6,
        equation="x_t = 1 + integral(exp(-(t - s)**2)*x(s), s) - (1 + t)*sqrt(pi)/2*erf(t) + (1 - exp(-t**2))/2",
        time=(0, 2),
        initial=1,
    ),
    "memory: a factor of t and one of s": lambda: ordinary(
        np.exp,
        tol=1e-6,
        equation="x_t = x + integral(cos(t)*exp(-2*s)*x(s), s) - cos(t)*(1 - exp(-t))",
        time=(0, 2),
        initial=1,
    ),
    "plane: minimal surface": lambda: plane(
        lambda x, y: np.log(np.cos(x) / np.cos(y)),
        equation="div(grad(u)/sqrt(1 + dot(grad(u), grad(u)))) = 0",
        domain=lrfm.Box(x=(-0.8, 0.8), y=(-0.8, 0.8)),
        boundary="u = log(cos(x)/cos(y))",
    ),
    "running integral": lambda: steady(
        np.sinh, equation="u_x = 1 + integral(u, x, 0, x)", boundary={"x-": "u = 0", "x+": None}
    ),
    "kernel: smooth, e^(xy)": lambda: steady(
        np.exp,
        tol=1e-6,
        equation="u = exp(x) - (exp(x + 1) - 1)/(x + 1) + integral(exp(x*y)*u(y), y)",
        boundary={"*": "none"},
    ),
    "kernel: e^(-|x - y|) beside u''": lambda: steady(
        lambda x: np.exp(x / 2),
        tol=1e-6,
        equation="u_xx = u/4 + integral(exp(-abs(x - y))*u(y), y) - 2/3*(exp(x/2) - exp(-x)) - 2*(exp(x/2) - exp(x - 1/2))",
        boundary={"x-": "u = 1", "x+": "u = exp(1/2)"},
    ),
    "kernel: Green's function": lambda: steady(
        lambda x: np.sin(np.pi * x),
        tol=1e-6,
        equation="u = sin(pi*x)*(1 + 1/pi**2) - integral(min(x, y)*(1 - max(x, y))*u(y), y)",
        boundary={"*": "none"},
    ),
    "kernel: Volterra": lambda: steady(
        np.cosh, tol=1e-6, equation="u = 1 + integral((x - y)*u(y), y, 0, x)", boundary={"*": "none"}
    ),
    "kernel: Hammerstein, u(y)^2": lambda: steady(
        lambda x: x, tol=1e-6, equation="u = 3*x/4 + integral(x*y*u(y)**2, y)", boundary={"*": "none"}
    ),
    "kernel: an evolution": kernel_in_time,
    "an unknown of one axis of two": one_axis,
    "slope: bratu by lam, lower": lambda: bratu_slope(1.0, None),
    "slope: bratu by lam, upper": lambda: bratu_slope(9.0, "12*x*(1 - x)"),
    "slope: disk by D": disk_slope,
    "event: steady": rest,
    "ordinary: Lorenz": lambda: by_other_means(
        ["10*(y - x)", "x*(28 - z) - y", "x*y - 8/3*z"],
        lambda x, y, z: [10 * (y - x), x * (28 - z) - y, x * y - 8 / 3 * z],
        [1, 1, 1],
        10,
        ["x", "y", "z"],
        method="DOP853",
    ),
    "ordinary: van der Pol, mu = 1000": van_der_pol,
    "ordinary: Robertson": lambda: by_other_means(
        ["-0.04*x + 1e4*y*z", "0.04*x - 1e4*y*z - 3e7*y**2", "3e7*y**2"],
        lambda x, y, z: [-0.04 * x + 1e4 * y * z, 0.04 * x - 1e4 * y * z - 3e7 * y**2, 3e7 * y**2],
        [1, 0, 0],
        40,
        ["x", "y", "z"],
        method="Radau",
    ),
    "ordinary: delay logistic": delay_logistic,
    "ordinary: delay": lambda: ordinary(delayed, equation="x_t = -x(t - 1)", time=(0, 6), initial=1),
    "ordinary: oscillator": lambda: ordinary(
        np.cos, equation="x_tt = -x", time=(0, 20), initial={"x": 1, "x_t": 0}
    ),
    "ordinary: logistic": lambda: ordinary(
        lambda t: 1 / (1 + 99 * np.exp(-t)), equation="x_t = x*(1 - x)", time=(0, 15), initial=0.01
    ),
    "ordinary: stiff, 1e6": lambda: ordinary(
        np.cos, equation="x_t = -1e6*(x - cos(t)) - sin(t)", time=(0, 10), initial=1
    ),
}


def main() -> None:
    """Every row, printed and written."""
    import harness

    words = sys.argv[1:]
    installed = harness.as_installed()
    # Rows that are made anew say on which commit; the others stay those of the file's.
    written = json.loads(OUT.read_text(encoding="utf-8")) if words else installed | {"rows": {}}
    rows = written["rows"]
    for name, row in ROWS.items():
        if words and not any(word in name for word in words):
            continue
        began = time.process_time()
        try:
            error, estimate = row()
        except lrfm.ConvergenceError as refused:
            print(f"{name:46s} not met: {refused}", flush=True)
            rows.pop(name, None)
            continue
        rows[name] = {"error": error, "estimate": estimate, "seconds": round(time.process_time() - began, 2)}
        if words:
            rows[name]["commit"] = installed["commit"]
        false = "  FALSE" if error > max(estimate, 1e-14) else ""
        print(
            f"{name:46s} error {error:.1e}  estimate {estimate:.1e}  {rows[name]['seconds']:.2f} s{false}",
            flush=True,
        )
    OUT.write_text(json.dumps(written, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
