# SPDX-License-Identifier: MIT
"""φ functions of exponential integrators:  φ₀(z) = e^z,   φ_{j+1}(z) = (φ_j(z) − 1/j!)/z,   φ_j(0) = 1/j!.

Of numbers by their power series for |z| < 1 and by the recursion elsewhere; of small matrices by scaling, the series, and doubling,

    φ_p(2z) = 2^{−p} [φ₀(z) φ_p(z) + Σ_{j=1}^{p} φ_j(z)/(p − j)!]

(Skaflestad, Wright, Appl. Numer. Math. 59, 2009), each matrix doubled as often as its own norm asks for: small ones do not lose digits to large ones.
"""

from __future__ import annotations

from math import factorial

import numpy as np

ORDERS = 4  # φ₀ … φ₃
TERMS = 18  # of the series: 1/(18 + 3)! is below rounding for |z| < 1


def phi_numbers(z: np.ndarray, orders: int = ORDERS) -> list[np.ndarray]:
    """φ₀, φ₁, … of an array of numbers: `orders` of them, four at the most."""
    if orders == 1:
        return [np.exp(z)]
    small = np.abs(z) < 1
    with np.errstate(over="ignore", invalid="ignore"):
        found = [np.exp(z)]
        safe = np.where(small, 1.0, z)
        for j in range(ORDERS - 1):
            found.append((found[-1] - 1 / factorial(j)) / safe)
    if small.any():
        near = z[small]
        last = np.zeros_like(near)
        for n in reversed(range(TERMS)):
            last = last * near + 1 / factorial(n + ORDERS - 1)
        for j in reversed(range(1, ORDERS)):
            found[j][small] = last
            last = last * near + 1 / factorial(j - 1)
    return found[:orders]


def phi_matrices(z: np.ndarray) -> list[np.ndarray]:
    """φ₀ … φ₃ of small matrices (count, m, m)."""
    norms = np.max(np.sum(np.abs(z), axis=2), axis=1)
    with np.errstate(divide="ignore"):
        halvings = np.maximum(0, np.ceil(np.log2(norms)) + 1).astype(int)
    scaled = z / 2.0 ** halvings[:, None, None]
    one = np.eye(z.shape[1])
    last = np.zeros_like(scaled)
    for n in reversed(range(TERMS)):
        last = last @ scaled + one / factorial(n + ORDERS - 1)
    found = [last]
    for j in reversed(range(1, ORDERS)):
        last = last @ scaled + one / factorial(j - 1)
        found.insert(0, last)
    order = np.argsort(-halvings, kind="stable")
    found = [f[order] for f in found]
    with np.errstate(over="ignore", invalid="ignore"):
        for done in range(int(halvings.max(initial=0))):
            among = slice(0, int(np.sum(halvings > done)))
            own = [f[among] for f in found]
            doubled = [own[0] @ f for f in own]
            for p in range(1, ORDERS):
                for j in range(1, p + 1):
                    doubled[p] = doubled[p] + own[j] / factorial(p - j)
            for p in range(ORDERS):
                found[p][among] = doubled[p] / 2.0**p
    result = []
    for f in found:
        back = np.empty_like(f)
        back[order] = f
        result.append(back)
    return result
