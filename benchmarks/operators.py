# SPDX-License-Identifier: MIT
"""Cost of the thousandth initial condition of a linear problem: by the operator, by a solve of its own, by a method of lines.

    ring    u_t = D u_xx − v u_x on a circle             Fourier method of lines, scipy's solve_ivp
    rod     u_t = u_xx, u = 0 at both ends               Chebyshev method of lines, scipy's solve_ivp

Data are sums of sines with random coefficients, whose solutions are known. solve_ivp is given the cheapest of some nodes, methods and
tolerances whose error is not above that of the operator; its right-hand side and Jacobian are matrices, and it pays for one initial
condition at a time. Results: benchmarks/results/operator.json.

    python benchmarks/operators.py [--quick] [--count 1000]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass

import harness
import numpy as np
from scipy.integrate import solve_ivp

import lrfm
from lrfm.solution.reference import relative_l2

BAR = 200.0  # a new initial condition in at most 1/200 of a solve, to the same error
MODES = 3
X, T = np.linspace(0, 1, 65), np.linspace(0.0, 1.0, 9)


@dataclass(frozen=True)
class Case:
    """A linear problem with known solutions for coefficients a (modes,), its parts and its method of lines."""

    problem: lrfm.Problem
    space: lrfm.Liquid
    start: Callable[[np.ndarray, np.ndarray], np.ndarray]  # (a, x)
    exact: Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]  # (a, x, t)
    lines: Callable[[int], tuple[np.ndarray, np.ndarray]]  # nodes → (x, matrix of the right-hand side)


K = np.arange(1, MODES + 1)


def ring(features: int) -> Case:
    """Advection and diffusion on a circle of length 1."""
    D, v, end = 0.01, 1.0, 1.0
    problem = lrfm.Problem(
        "u_t = D*u_xx - v*u_x", domain=lrfm.Box(x=(0, 1)), time=(0, end), initial="sin(2*pi*x)", boundary="periodic",
        parameters={"D": D, "v": v},
    )  # fmt: skip

    def exact(a, x, t):
        k = 2 * np.pi * K
        return np.einsum(
            "k,k...->...", a, np.exp(-D * k[:, None, None] ** 2 * t) * np.sin(k[:, None, None] * (x - v * t))
        )

    def lines(n):
        k = 2j * np.pi * np.fft.fftfreq(n, 1.0 / n)
        symbol = np.diag(D * k**2 - v * k)
        F = np.fft.fft(np.eye(n))
        return np.arange(n) / n, np.real(np.linalg.solve(F, symbol @ F))

    space = lrfm.Liquid(features=features, weights=1.5, biases=1.5, gate=1.0, tau=(0.3, 20.0), drift=(v, v))
    return Case(problem, space, lambda a, x: a @ np.sin(2 * np.pi * np.outer(K, x)), exact, lines)


def rod(features: int) -> Case:
    """Diffusion on a rod whose ends are held at zero."""
    end = 0.02
    problem = lrfm.Problem(
        "u_t = u_xx", domain=lrfm.Box(x=(0, 1)), time=(0, end), initial="sin(pi*x)", boundary="u = 0"
    )

    def exact(a, x, t):
        k = np.pi * K[:, None, None]
        return np.einsum("k,k...->...", a, np.exp(-(k**2) * t) * np.sin(k * x))

    def lines(n):
        j = np.arange(n + 1)
        nodes, c = np.cos(np.pi * j / n), np.where((j == 0) | (j == n), 2.0, 1.0) * (-1.0) ** j
        gaps = nodes[:, None] - nodes + np.eye(n + 1)
        first = np.outer(c, 1 / c) / gaps
        first -= np.diag(first.sum(axis=1))
        return (0.5 * (nodes + 1))[1:-1], (4.0 * first @ first)[1:-1, 1:-1]

    space = lrfm.Liquid(features=features, weights=1.5, gate=20.0, vanish=("x-", "x+"))
    return Case(problem, space, lambda a, x: a @ np.sin(np.pi * np.outer(K, x)), exact, lines)


def method_of_lines(case: Case, a: np.ndarray, bar: float) -> dict[str, object]:
    """The cheapest run of solve_ivp whose error is at most `bar`."""
    times = case.problem.time[1] * T
    found: dict[str, object] = {"seconds": np.inf}
    for n in (16, 24, 32, 48, 64):
        x, A = case.lines(n)
        start, exact = case.start(a, x), case.exact(a, x[:, None], times)
        for method in ("DOP853", "RK45", "BDF", "Radau", "LSODA"):
            options = (
                {}
                if method in ("DOP853", "RK45")
                else {"jac": A if method != "LSODA" else lambda t, u, A=A: A}
            )
            for rtol in (1e-4, 1e-6, 1e-8, 1e-10, 1e-12):
                run = lambda: solve_ivp(  # noqa: E731
                    lambda t, u: A @ u, case.problem.time, start, method=method, t_eval=times, rtol=rtol,  # noqa: B023
                    atol=rtol * 1e-2, **options,  # noqa: B023
                )  # fmt: skip
                began = time.perf_counter()
                result = run()
                if time.perf_counter() - began > 2.0 or not result.success:
                    break
                if relative_l2(result.y, exact) <= bar:
                    seconds, _ = harness.best(run, 5)
                    if seconds < found["seconds"]:
                        found = {
                            "seconds": seconds,
                            "method": method,
                            "nodes": n,
                            "rtol": rtol,
                            "error": relative_l2(result.y, exact),
                        }
                    break
    return found


def run(name: str, case: Case, count: int, rounds: int) -> dict[str, object]:
    """One problem: solve, operator, method of lines."""
    rng = np.random.default_rng(0)
    coefficients = rng.standard_normal((count, MODES)) / K**2
    method = lrfm.SpaceTime(space=case.space)
    times = case.problem.time[1] * T
    a = coefficients[-1]
    initial = lambda x: case.start(a, np.atleast_1d(x))  # noqa: E731
    solved_seconds, solved = harness.best(
        lambda: lrfm.solve(case.problem.with_initial(initial), method=method, estimate=False, strict=False),
        rounds,
    )
    made_seconds, op = harness.best(lambda: lrfm.operator(case.problem, method=method), 1)
    data = np.array([case.start(c, op.points["x"]) for c in coefficients])
    op.many(initial=data[:2])
    many_seconds, many = harness.best(lambda: op.many(initial=data), rounds)
    one_seconds, _ = harness.best(lambda: op(initial=initial), 5 * rounds)
    exact = case.exact(a, X[:, None], times)
    errors = (
        relative_l2(solved(x=X[:, None], t=times), exact),
        relative_l2(many[count - 1](x=X[:, None], t=times), exact),
    )
    lines = method_of_lines(case, a, max(errors[1], 1e-12))
    return {
        "problem": name,
        "columns": solved.report.features,
        "count": count,
        "solve_seconds": solved_seconds,
        "operator_seconds": made_seconds,
        "each_of_many": many_seconds / count,
        "one_call": one_seconds,
        "solve_error": errors[0],
        "operator_error": errors[1],
        "solve_over_each": solved_seconds / (many_seconds / count),
        "solve_over_call": solved_seconds / one_seconds,
        "lines": lines,
        "lines_over_each": lines["seconds"] / (many_seconds / count),
    }


def main() -> None:
    """Run all, print a table, write the results."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="small, nothing is written")
    parser.add_argument("--count", type=int, default=1000)
    given = parser.parse_args()
    sizes = (100,) if given.quick else (120, 240, 400, 960)
    rows = [
        run(name, make(size), given.count, 2 if given.quick else 5)
        for name, make in (("ring", ring), ("rod", rod))
        for size in sizes
    ]
    head = (
        "problem",
        "columns",
        "solve ms",
        "each of many us",
        "one call us",
        "solve / each",
        "solve / call",
        "error: solve",
        "operator",
        "solve_ivp us",
        "by",
    )
    harness.say(
        harness.table(
            head,
            [
                (
                    r["problem"], r["columns"], f"{1e3 * r['solve_seconds']:.1f}", f"{1e6 * r['each_of_many']:.1f}",
                    f"{1e6 * r['one_call']:.0f}", f"{r['solve_over_each']:.0f}", f"{r['solve_over_call']:.0f}",
                    harness.show(r["solve_error"]), harness.show(r["operator_error"]), f"{1e6 * r['lines']['seconds']:.0f}",
                    f"{r['lines'].get('method')} {r['lines'].get('nodes')}",
                )
                for r in rows
            ],
        )
    )  # fmt: skip
    for r in rows:
        met = r["solve_over_each"] >= BAR and r["operator_error"] <= 1.5 * r["solve_error"]
        harness.say(
            f"{r['problem']}, {r['columns']} columns: the thousandth in 1/{r['solve_over_each']:.0f} of a solve "
            f"(bar 1/{BAR:.0f}, {'met' if met else 'not met'})"
        )
    harness.write_result("operator.json", given.quick, rows=rows)


if __name__ == "__main__":
    main()
