# SPDX-License-Identifier: MIT
"""The mass ∫|ψ|² dx of a bright soliton, which the nonlinear Schrödinger equation conserves."""

import numpy as np

import lrfm

soliton = "sech(x - 0.5*t)*exp(1j*(0.5*x + 0.375*t))"
problem = lrfm.Problem(
    "1j*psi_t + 0.5*psi_xx + abs(psi)**2*psi = 0",
    unknowns={"psi": complex},
    domain=lrfm.Box(x=(-5, 5)),
    time=(0, 0.4),
    initial="sech(x)*exp(0.5j*x)",
    boundary=f"psi = {soliton}",
)
space = lrfm.Liquid(
    features=300, weights=3, centers=1.1, gate=1.2, tau=(0.3, 20)
)  # a part by hand: no search
solution = lrfm.solve(problem, method=lrfm.SpaceTime(space=space))
nodes, weights = np.polynomial.legendre.leggauss(80)
mass = 5 * weights @ np.abs(solution(x=5 * nodes, t=0.4)) ** 2

print(f"{mass:.4f}")  # tanh(4.8) + tanh(5.2) = 1.9998
