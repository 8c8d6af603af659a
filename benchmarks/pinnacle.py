# SPDX-License-Identifier: MIT
"""Two statements at rest of PINNacle (Hao et al., NeurIPS 2024; src/pde/poisson.py of i207M/PINNacle) that other methods have not come near: a cube without four balls, and 25 squares of materials.

Their references are values of a finite-element program, which PINNacle publishes as files; some of them are here. Rows of `answers.py`.
"""

from __future__ import annotations

import numpy as np

import lrfm

# a and f_00, f_11 of each square, by column and row.
MATERIALS = (
    (46.11728, 0.5973282, 0.2922707, 1.262764, 0.144562),
    (12.71815, 1.469753, 82.58023, 0.2361176, 0.3212575),
    (0.9870683, 9.056933, 87.93604, 0.1319132, 66.24848),
    (6.94013, 1.714366, 1.882944, 0.4777548, 12.26776),
    (65.95316, 22.76514, 5.149506, 10.5173, 6.485008),
)
SOURCES = (
    (
        (-0.5391451, -0.8293751),
        (-0.3776799, 0.1142822),
        (0.9593887, 0.5864437),
        (0.2395792, -0.937095),
        (0.5298503, 0.4247311),
    ),
    (
        (-0.8754225, 0.4779174),
        (0.9200586, -0.3690794),
        (0.2302176, 0.3396281),
        (0.1264191, 0.3241248),
        (-0.8055526, 0.265265),
    ),
    (
        (0.3118254, 0.663016),
        (-0.1239761, -0.07972029),
        (0.7558862, -0.7603945),
        (-0.05690806, 0.1051315),
        (-0.9684977, -0.05864702),
    ),
    (
        (-0.4054805, 0.07613802),
        (0.8928609, -0.18602),
        (0.4394579, 0.04905803),
        (-0.8037996, -0.4134108),
        (0.50878, 0.2248058),
    ),
    (
        (0.635646, -0.7825124),
        (-0.4348196, -0.6358456),
        (-0.8323421, 0.884609),
        (-0.7788386, 0.6774741),
        (0.1785787, -0.9848308),
    ),
)
# x, y, u
SQUARES = (
    (2.77591703, -3.81906936, 2.72831281),
    (3.11036719, -4.03594219, 2.51207603),
    (3.377929, -4.14438388, 2.3389257),
    (4.01339848, -4.52382663, 1.81823728),
    (4.54933182, -4.95880802, 1.28810658),
    (5.05134663, -5.22840117, 0.851608256),
    (5.41608655, -5.50403422, 0.517574698),
    (5.98565051, -5.85025799, 0.10295418),
    (6.36763154, -6.08592349, 0.0823182178),
    (7.01797106, -6.48829432, 0.0613505677),
    (8.10234522, -7.15719064, 0.0367266328),
    (9.94578129, -8.29431438, 0.012932621),
    (-9.41616466, -9.41477822, -0.0263663142),
    (-8.22742475, 9.94578129, 5.19805982),
    (-7.95986622, 9.51203163, 6.97070351),
    (-7.4916388, 8.75296972, 8.32905569),
    (-6.35461284, 6.90957343, 3.27768987),
    (-5.88624264, 6.15039787, 1.65184809),
    (-5.7205901, 5.87887436, 1.80083335),
    (-5.51233528, 5.55486983, 2.06627026),
)
# x, y, z, u
BALLS = (
    (0, 0, 0, -0.95184857),
    (0.206896552, 0, 0, -1.09799683),
    (0.16020568, 0.018168977, 0.055954564, -1.07953511),
    (0, 0.24137931, 0, -0.778466334),
    (0.120025561, 0.140303157, 0, -0.871473454),
    (0.205819877, 0.022582754, 0.047203723, -1.11717007),
    (0, 0, 0.2, -0.717068327),
    (0, 0.275862069, 0, -0.74151223),
)


def _choice(values: list[str], name: str) -> str:
    """One of five formulas by the fifth of (-10, 10) that a coordinate lies in."""
    found = values[-1]
    for k in reversed(range(4)):
        found = f"where({name} < {4 * k - 6}, {values[k]}, {found})"
    return found


def _squares(formulas: list[list[str]]) -> str:
    return _choice([_choice(column, "y") for column in formulas], "x")


def published(solution: lrfm.Solution, table: tuple) -> float:
    """Relative root mean square of the distance from the published values."""
    *places, values = np.array(table).T
    gap = solution(**dict(zip(solution.problem.domain.names, places, strict=True))) - values
    return float(np.linalg.norm(gap) / np.linalg.norm(values))


def many_areas() -> lrfm.Problem:
    """Poisson2D_ManyArea: div(a grad u) + f = 0 with u_n = -u; the best published error is 5.9e-1. At corners of four materials the published values are of few elements: they are all smaller, by 3e-3 and more."""
    a = _squares([[str(v) for v in column] for column in MATERIALS])
    f = _squares(
        [
            [
                f"({p} + {q}*sin(pi*(x + {10 - 4 * i})/4)*sin(pi*(y + {10 - 4 * j})/4))"
                for j, (p, q) in enumerate(column)
            ]
            for i, column in enumerate(SOURCES)
        ]
    )
    domain = lrfm.Box(x=(-10, 10), y=(-10, 10))
    return lrfm.Problem(f"div(({a})*grad(u)) + {f} = 0", domain=domain, boundary="u_n = -u")


def four_balls(tol: float = 0.3) -> tuple[float, float]:
    """Poisson3D_ComplexGeometry: -lap u + k^2 u = f around four balls, k jumps from 8 to 10 at z = 1/2; the best published error is 1.0e-1."""
    domain = lrfm.Box(x=(0, 1), y=(0, 1), z=(0, 1))
    for x, y, z, r in (
        (0.4, 0.3, 0.6, 0.2),
        (0.6, 0.7, 0.6, 0.2),
        (0.2, 0.8, 0.7, 0.1),
        (0.6, 0.2, 0.3, 0.1),
    ):
        domain = domain - lrfm.Ball(center=(x, y, z), radius=r)
    size = "(x**2 + y**2 + z**2)"
    f = (
        f"20*exp(sin(pi*x) + sin(10*pi*y) + sin(5*pi*z))*({size} - 1)/({size} + 1) "
        "+ 100*sin(pi*x)*sin(10*pi*y)*sin(5*pi*z)"
    )
    problem = lrfm.Problem(f"-lap(u) + where(z < 0.5, 64, 100)*u = {f}", domain=domain, boundary="u_n = 0")
    solution = lrfm.steady(problem, tol=tol, max_seconds=None)
    return published(solution, BALLS), solution.report.error_estimate
