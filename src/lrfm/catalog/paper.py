# SPDX-License-Identifier: MIT
"""The paper's nonlinear problems, exactly as it states them."""

import functools
import math

import numpy as np
from numpy.typing import NDArray

from lrfm.catalog.record import COLE_HOPF, FOURIER, entry
from lrfm.catalog.reference import evolve
from lrfm.catalog.series import Series
from lrfm.catalog.solitons import KDV_SOLITON, NLS_SOLITON, kdv_soliton, nls_soliton
from lrfm.problem import Box, Problem


@functools.cache
def allen_cahn_series(eps: float, T: float, modes: int = 64, panels: int = 4) -> Series:
    """û_k' = (1 - εk²) û_k - (u³)^_k."""
    (u,) = evolve(
        box=[(-1.0, 1.0)],
        T=T,
        initial=lambda x: (0.55 * np.sin(np.pi * x) + 0.25 * np.sin(2 * np.pi * x),),
        rates=lambda k: (1 - eps * k**2,),
        nonlinear=lambda grid, hat: [-grid.hat(grid.values(hat[:, 0]) ** 3)],
        modes=modes,
        panels=panels,
    )
    return u


def _allen_cahn(eps: float, T: float) -> Problem:
    return Problem(
        "u_t = eps*u_xx - u**3 + u",
        domain=Box(x=(-1, 1)),
        time=(0, T),
        initial="0.55*sin(pi*x) + 0.25*sin(2*pi*x)",
        boundary="periodic",
        parameters={"eps": eps},
        reference=lambda x, t: allen_cahn_series(eps, T)(x, t),
    )


@entry(
    "Allen-Cahn equation",
    "u_t = ε u_xx - u³ + u",
    source='The paper, "Representative one-dimensional matched-capacity comparisons"',
    summary="Periodic reaction and weak diffusion; interfaces start to sharpen.",
    reference=FOURIER,
)
def allen_cahn(*, eps: float = 1e-4, T: float = 0.1) -> Problem:
    """u_t = ε u_xx - u³ + u, periodic.  Paper, subsec:local-global-1d; the stiff sweep varies ε.

    The paper's text takes T = 0.15 for the sweep, its table of settings T = 0.1.
    """
    return _allen_cahn(eps, T)


@entry(
    "Allen-Cahn equation, long time",
    "u_t = ε u_xx - u³ + u",
    source='The paper, "Multidimensional and long-time robustness checks"',
    summary="The same up to T = 2: interfaces of width √ε form; solved in blocks.",
    reference=FOURIER,
)
def allen_cahn_long(*, eps: float = 1e-4, T: float = 2.0) -> Problem:
    """u_t = ε u_xx - u³ + u up to T = 2, for block marching.  Paper, subsec:scope-checks."""
    return _allen_cahn(eps, T)


@entry(
    "Viscous Burgers equation",
    "u_t + u u_x = ν u_xx",
    source='The paper, "Representative one-dimensional matched-capacity comparisons"',
    summary="A sine wave steepens; smooth until T = 0.1.",
    reference=COLE_HOPF,
)
def burgers(*, nu: float = 0.005 / math.pi, T: float = 0.1) -> Problem:
    """u_t + u u_x = ν u_xx, periodic.  Paper, subsec:local-global-1d.

    The reference is the Cole-Hopf formula by quadrature, as in the paper, exact to rounding.
    """
    return Problem(
        "u_t + u*u_x = nu*u_xx",
        domain=Box(x=(-1, 1)),
        time=(0, T),
        initial="-sin(pi*x)",
        boundary="periodic",
        parameters={"nu": nu},
        reference=lambda x, t: cole_hopf(x, t, nu=nu),
    )


@entry(
    "Korteweg-de Vries equation as printed",
    "u_t + 6 u u_x + u_xxx = 0",
    source='The paper, "Representative one-dimensional matched-capacity comparisons"',
    summary="Periodic on [-8, 8] but compared with the soliton: a floor near 1e-3, see kdv-consistent.",
)
def kdv(*, c: float = 2.0, x0: float = -3.0, T: float = 0.5) -> Problem:
    """u_t + 6 u u_x + u_xxx = 0 as printed: periodic on [-8, 8], compared with the soliton.

    The statement contradicts itself: the soliton is 3.4e-3 at x = -8 and 7e-7 at x = 8, so no function is
    periodic and equal to it, and no method gets below about 1e-3 relative to this reference. It is here to
    reproduce the paper's row, subsec:local-global-1d; see `kdv_consistent` and `kdv_periodic`.
    """
    return Problem(
        "u_t + 6*u*u_x + u_xxx = 0",
        domain=Box(x=(-8, 8)),
        time=(0, T),
        initial=KDV_SOLITON.replace(" - c*t", ""),
        boundary="periodic",
        parameters={"c": c, "x0": x0},
        reference=lambda x, t: kdv_soliton(x, t, c, x0),
        check_corners=False,  # the contradiction is the paper's, and is described above
    )


@entry(
    "Focusing nonlinear Schrödinger equation",
    "i ψ_t + ½ ψ_xx + |ψ|²ψ = 0",
    source='The paper, "Reference solutions and retained configurations"',
    summary="A moving bright soliton, complex, with its own values at both ends.",
)
def nls(*, eta: float = 1.0, v: float = 0.5, x0: float = -2.0, T: float = 0.4) -> Problem:
    """i ψ_t + ½ ψ_xx + |ψ|²ψ = 0, Dirichlet data from the bright soliton.  Paper, eq:nls-exact."""
    return Problem(
        "1j*psi_t + 0.5*psi_xx + abs(psi)**2*psi = 0",
        unknowns={"psi": complex},
        domain=Box(x=(-8, 8)),
        time=(0, T),
        initial="eta*sech(eta*(x - x0))*exp(1j*v*(x - x0))",
        boundary=f"psi = {NLS_SOLITON}",
        parameters={"eta": eta, "v": v, "x0": x0},
        reference=lambda x, t: nls_soliton(x, t, eta, v, x0),
    )


CHUNK = 2**20  # numbers held at once


def cole_hopf(x: NDArray, t: NDArray, *, nu: float) -> NDArray:
    """u = ∫ u₀(y) φ(y) e^{-η²} dη / ∫ φ(y) e^{-η²} dη,  y = x - η√(4νt),  for u₀ = -sin πy.

    φ = exp(-cos(πy)/(2πν)). The integrands are analytic and decay like a Gaussian, so the trapezoidal rule
    is exact to rounding; the exponent is shifted by its maximum because φ alone varies by e^{1/(πν)}.
    """
    x, t = np.broadcast_arrays(np.asarray(x, dtype=float), np.asarray(t, dtype=float))
    out = np.empty(x.shape)
    # |x - y| <= t at the maximum of the exponent since |u₀| <= 1; seven widths beyond it nothing is left.
    reach = 7 + np.sqrt(t.max(initial=0.0) / (4 * nu))
    eta = np.linspace(-reach, reach, 2 * int(np.ceil(reach / 0.08)) + 1)
    flat, step = out.reshape(-1), max(1, CHUNK // eta.size)
    for start in range(0, flat.size, step):
        part = slice(start, start + step)
        y = x.ravel()[part, None] - eta * np.sqrt(4 * nu * t.ravel()[part, None])
        exponent = -np.cos(np.pi * y) / (2 * np.pi * nu) - eta**2
        mass = np.exp(exponent - exponent.max(axis=1, keepdims=True))
        flat[part] = -(np.sin(np.pi * y) * mass).sum(axis=1) / mass.sum(axis=1)
    return flat.reshape(x.shape)
