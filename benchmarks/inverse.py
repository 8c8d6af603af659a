# SPDX-License-Identifier: MIT
"""What users of physics-informed methods identify first: numbers and fields from data, with the intervals that are stated for them.

    python benchmarks/inverse.py                    # all cases; clean data, then noise draws
    python benchmarks/inverse.py --only diffusion   # some; --draws 5 for fewer noise draws
    python benchmarks/inverse.py --seconds 500      # go on from the draws that are kept, for so long; --anew forgets them
    python benchmarks/inverse.py --quick            # two draws each; nothing is kept

Clean: relative error of what was found. Noise: how often the truth lies inside of the stated interval at 95 % (for fields: pointwise),
and CPU seconds: of a fit that begins from the start, the first draw, and of those that begin from it (`fit(start=…)`), all others. Data come from exact solutions where there are some, else from a solve with another seed and a tolerance of
1e-8 or 1e-7 (said in the row).
"""

from __future__ import annotations

import harness  # isort: skip

import argparse
import functools
import json
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import lrfm
from lrfm import Box, Data, Problem, Unknown, UnknownField
from lrfm.catalog.paper import cole_hopf

RESULT = harness.RESULTS / "inverse.jsonl"
PI = np.pi
EVERY = 10  # draws after which a row is kept


@dataclass(frozen=True, kw_only=True)
class Case:
    """A statement with unknowns, places of data with their exact values by column, and the truth."""

    name: str
    problem: Problem
    places: dict[str, np.ndarray]
    values: dict[str, np.ndarray]
    noise: float  # relative to the spread of each column
    truth: dict[str, float]
    fields: dict[str, Callable[..., np.ndarray]]
    draws: int
    clean_tol: float = 1e-7
    noisy_tol: float | None = None
    answers: Callable[[Callable], dict[str, np.ndarray]] | None = None  # values for another truth
    redrawn: Callable[[np.random.Generator], Callable] | None = None  # another truth for each draw

    def drawn(self, number: int) -> Case:
        """The case of one draw."""
        if self.redrawn is None or self.answers is None:
            return self
        truth = self.redrawn(np.random.default_rng([number, 17]))
        return replace(self, values=self.answers(truth), fields={"f": truth})


def diffusion() -> Case:
    problem = Problem(
        "u_t = C*u_xx - exp(-t)*(sin(pi*x) - pi**2*sin(pi*x))", domain=Box(x=(-1, 1)), time=(0, 1), initial="sin(pi*x)",
        boundary="u = 0", parameters={"C": Unknown(2.0, lower=0)},
    )  # fmt: skip
    x = np.linspace(-1, 1, 12)[1:-1]
    return Case(
        name="diffusion", problem=problem, places={"x": x, "t": np.ones_like(x)}, values={"u": np.exp(-1) * np.sin(PI * x)},
        noise=0.01, truth={"C": 1.0}, fields={}, draws=100,
    )  # fmt: skip


def reaction() -> Case:
    statement = dict(
        domain=Box(x=(0, 1)), time=(0, 10), initial={"a": "exp(-20*x)", "b": "exp(-20*x)"},
        boundary={"x-": {"a": 1, "b": 1}, "x+": {"a": 0, "b": 0}},
    )  # fmt: skip
    equations = ["a_t = D*a_xx - k*a*b**2", "b_t = D*b_xx - 2*k*a*b**2"]
    truth = {"D": 2e-3, "k": 0.1}
    exact = lrfm.solve(
        Problem(equations, **statement, parameters=truth), tol=1e-7, seed=7, strict=False, max_seconds=None
    )
    x, t = (g.ravel() for g in np.meshgrid(np.linspace(0, 1, 42)[1:-1], np.linspace(0.4, 10, 25)))
    problem = Problem(
        equations, **statement, parameters={"D": Unknown(1e-3, lower=0), "k": Unknown(0.05, lower=0)}
    )
    values = {name: exact[name](x=x, t=t) for name in "ab"}
    return Case(
        name="reaction", problem=problem, places={"x": x, "t": t}, values=values, noise=0.01, truth=truth, fields={}, draws=100,
        clean_tol=1e-5,
    )  # fmt: skip


def burgers() -> Case:
    rng = np.random.default_rng(1)
    x, t, nu = rng.uniform(-1, 1, 2000), rng.uniform(0.01, 1, 2000), 0.01 / PI
    problem = Problem(
        "u_t + l1*u*u_x = l2*u_xx", domain=Box(x=(-1, 1)), time=(0, 1), initial="-sin(pi*x)", boundary="u = 0",
        parameters={"l1": Unknown(0.5), "l2": Unknown(0.02, lower=0)},
    )  # fmt: skip
    return Case(
        name="burgers", problem=problem, places={"x": x, "t": t}, values={"u": cole_hopf(x, t, nu=nu)}, noise=0.01,
        truth={"l1": 1.0, "l2": nu}, fields={}, draws=100, clean_tol=1e-6,
    )  # fmt: skip


def kdv() -> Case:
    statement = dict(domain=Box(x=(-1, 1)), time=(0, 0.8), initial="cos(pi*x)", boundary="periodic")
    equation, truth = "u_t + l1*u*u_x + l2*u_xxx = 0", {"l1": 1.0, "l2": 0.0025}
    exact = lrfm.solve(
        Problem(equation, **statement, parameters=truth), tol=1e-8, seed=7, strict=False, max_seconds=None
    )
    rng = np.random.default_rng(1)
    x = rng.uniform(-1, 1, 400)
    t = np.where(np.arange(400) < 199, 0.2, 0.8)
    problem = Problem(equation, **statement, parameters={"l1": Unknown(0.8), "l2": Unknown(0.004, lower=0)})
    return Case(
        name="kdv", problem=problem, places={"x": x, "t": t}, values={"u": exact(x=x, t=t)}, noise=0.01, truth=truth, fields={},
        draws=100,
    )  # fmt: skip


def coefficient() -> Case:
    """u = e^{-t} sin πx sin πy, a = 2 + sin πx sin πy, known at the rim; noise of 0.1 of the largest value, as it is published."""
    wave = "sin(pi*x)*sin(pi*y)"
    source = (
        f"-exp(-t)*{wave} + (2 + {wave})*2*pi**2*exp(-t)*{wave} "
        "- pi**2*exp(-t)*(cos(pi*x)**2*sin(pi*y)**2 + sin(pi*x)**2*cos(pi*y)**2)"
    )
    problem = Problem(
        f"u_t = diff(a*u_x, x) + diff(a*u_y, y) + {source}", domain=Box(x=(-1, 1), y=(-1, 1)), time=(0, 1), initial=wave, boundary="u = 0",
        parameters={"a": UnknownField("x", "y", start=2, known_at_ends=True, modes=6)},
    )  # fmt: skip
    rng = np.random.default_rng(1)
    x, y, t = rng.uniform(-1, 1, 2500), rng.uniform(-1, 1, 2500), rng.uniform(0, 1, 2500)
    u = np.exp(-t) * np.sin(PI * x) * np.sin(PI * y)
    return Case(
        name="coefficient", problem=problem, places={"x": x, "y": y, "t": t}, values={"u": u}, noise=0.1 / float(np.std(u)), truth={},
        fields={"a": lambda x, y: 2 + np.sin(PI * x) * np.sin(PI * y)}, draws=10, clean_tol=0.0,
    )  # fmt: skip


def heat_case(
    name: str, truth: Callable, field: UnknownField, times: np.ndarray, draws: int, **statement
) -> Case:
    """50 scattered sensors of a heat equation in which f is unknown: in its equation, in a condition, or as its start."""
    x = np.random.default_rng(1).random(50)
    known = {"domain": Box(x=(0, 1)), **statement}

    def answers(f: Callable) -> dict[str, np.ndarray]:
        given = {"initial": f} if statement["initial"] == "f" else {"parameters": {"f": f}}
        exact = lrfm.solve(
            Problem(**{**known, **given}), tol=1e-7, seed=7, method="lines", strict=False, max_seconds=None
        )
        return {"u": exact(x=x, t=times)}

    return Case(
        name=name, problem=Problem(**known, parameters={"f": field}), places={"x": x, "t": times}, values=answers(truth), noise=0.01,
        truth={}, fields={"f": truth}, draws=draws, clean_tol=0.0, answers=answers,
    )  # fmt: skip


def bumps(rng: np.random.Generator, of: str, ends: bool) -> Callable:
    """Four bumps on [0, 1], places, widths and heights at random; without their line between the ends where these are known."""
    heights, centers = rng.normal(size=4), rng.random(4)
    widths = np.exp(rng.uniform(np.log(0.08), np.log(0.3), 4))

    def plain(s):
        return np.exp(-(((np.asarray(s, dtype=float)[..., None] - centers) / widths) ** 2) / 2) @ heights

    def whole(s):
        return plain(s) - (plain(0.0) * (1 - s) + plain(1.0) * s if ends else 0.0)

    return (lambda t: whole(t)) if of == "t" else (lambda x: whole(x))


def source() -> Case:
    f = lambda x: 10 * np.exp(-20 * (x - 0.4) ** 2)  # noqa: E731
    times = 0.5 * np.random.default_rng(2).random(50)
    return heat_case(
        "source", f, UnknownField("x"), times, 100, equation="u_t = u_xx + f", time=(0, 0.5), boundary="u = 0",
        initial="0",
    )  # fmt: skip


def initial() -> Case:
    f = lambda x: np.sin(PI * x) + 0.5 * x * np.sin(2 * PI * x)  # noqa: E731
    times = 0.1 * np.random.default_rng(2).random(50)
    return heat_case(
        "initial", f, UnknownField("x", known_at_ends=True), times, 100, equation="u_t = u_xx", time=(0, 0.1), boundary="u = 0",
        initial="f",
    )  # fmt: skip


def flux() -> Case:
    f = lambda t: np.sin(2 * PI * t) + 0.5 * t  # noqa: E731
    times = np.random.default_rng(2).random(50)
    return heat_case(
        "flux", f, UnknownField("t"), times, 100, equation="u_t = u_xx", time=(0, 1), boundary={"x-": "u_x = f", "x+": "u = 0"},
        initial="0",
    )  # fmt: skip


def backward() -> Case:
    """All data at the end: of the start only the slowest modes are left above the noise."""
    f = lambda x: np.sin(PI * x) + 0.3 * np.sin(2 * PI * x) + 0.2 * np.sin(3 * PI * x)  # noqa: E731
    return heat_case(
        "backward", f, UnknownField("x", known_at_ends=True), np.full(50, 0.1), 100, equation="u_t = u_xx", time=(0, 0.1), boundary="u = 0",
        initial="f",
    )  # fmt: skip


def anew(make: Callable[[], Case], draws: int) -> Callable[[], Case]:
    """The same sensors with another truth in each draw: whether bands cover at their rate is a question about many fields, not one."""

    def made() -> Case:
        case = make()
        field = case.problem.parameters["f"]
        assert isinstance(field, UnknownField)
        chosen = functools.partial(bumps, of=field.coordinates[0], ends=field.known_at_ends)
        return replace(case, name=f"{case.name}-many", draws=draws, redrawn=chosen)

    made.__name__ = f"{make.__name__}-many"
    return made


CASES = (
    diffusion, reaction, burgers, kdv, source, initial, flux, backward, coefficient,
    anew(source, 50), anew(initial, 50), anew(flux, 50), anew(backward, 50),
)  # fmt: skip


def fitted(
    case: Case, rng: np.random.Generator | None, tol: float | None, start: lrfm.Fit | None = None
) -> tuple[lrfm.Fit, float]:
    """One fit of clean data, or of data with noise whose σ is given; CPU seconds."""
    values, sigma = dict(case.values), None
    if rng is not None:
        sigma = {name: case.noise * float(np.std(v)) for name, v in values.items()}
        values = {name: v + sigma[name] * rng.normal(size=len(v)) for name, v in values.items()}
    began = time.process_time()
    fit = lrfm.fit(
        case.problem, Data({**case.places, **values}, sigma=sigma), tol=tol, strict=False, start=start
    )
    return fit, time.process_time() - began


def judged(case: Case, fit: lrfm.Fit) -> dict[str, object]:
    """Errors, and whether the truth is inside."""
    found: dict[str, object] = {"status": fit.judgement.status}
    for name, truth in case.truth.items():
        estimate = fit.parameters[name]
        found[name] = {
            "value": estimate.value, "half": estimate.half, "error": abs(estimate.value / truth - 1),
            "inside": bool(estimate.lower <= truth <= estimate.upper),
        }  # fmt: skip
    for name, function in case.fields.items():
        own = fit.vector.fields[name]
        grids = np.meshgrid(*[np.linspace(a, b, 41)[1:-1] for a, b, _ in own.spans], indexing="ij")
        at = dict(zip(own.coordinates, grids, strict=True))
        estimate, truth = fit.fields[name](**at), function(**at)
        inside = (truth >= estimate.lower) & (truth <= estimate.upper)
        found[name] = {
            "error": float(np.linalg.norm(estimate.value - truth) / np.linalg.norm(truth)),
            "inside": float(np.mean(inside)),
            "places": "".join("01"[int(one)] for one in inside.ravel()),
            "half": float(np.mean(estimate.upper - estimate.lower) / 2 / np.max(np.abs(truth))),
        }  # fmt: skip
    return found


def run(
    make: Callable[[], Case],
    count: int | None,
    before: dict[str, Any],
    seconds: float,
    keep: Callable[[dict], None],
) -> dict[str, Any]:
    """One case: clean where numbers are unknown, then noise draws, on from those that are there; kept every so often."""
    case, began = make(), time.process_time()
    row = before or {"key": case.name, "draws": []}
    row |= {"machine": harness.machine(), "commit": harness.commit()}
    if case.clean_tol and "clean" not in row:
        fit, spent = fitted(case, None, case.clean_tol)
        row["clean"] = {**judged(case, fit), "seconds": spent, "tol": case.clean_tol}
    draws: list[dict[str, Any]] = row["draws"]
    wanted, first = case.draws if count is None else count, None
    while len(draws) < wanted and time.process_time() - began < seconds:
        if draws and first is None:
            first, _ = fitted(case.drawn(0), np.random.default_rng([0, 99]), case.noisy_tol)
        one = case.drawn(len(draws))
        fit, spent = fitted(one, np.random.default_rng([len(draws), 99]), case.noisy_tol, first)
        first = first or fit
        draws.append({**judged(one, fit), "seconds": spent, "commit": harness.commit()})
        if len(draws) % EVERY == 0:
            keep(summed(case, row))
    return summed(case, row)


def summed(case: Case, row: dict[str, Any]) -> dict[str, Any]:
    """A row with what its draws say together."""
    draws = row["draws"]
    statuses = sorted({str(d["status"]) for d in draws})
    return {
        **row, "noise": summary(case, draws), "statuses": {s: sum(d["status"] == s for d in draws) for s in statuses}
    }  # fmt: skip


def summary(case: Case, draws: list[dict[str, Any]]) -> dict[str, Any]:
    """Coverage and median errors over draws; for fields also the shares of draws at the places that are covered least and most."""
    again = [d["seconds"] for d in draws[1:]] or [draws[0]["seconds"]]
    found: dict[str, Any] = {
        "relative": case.noise, "draws": len(draws), "seconds": draws[0]["seconds"], "seconds_again": float(np.median(again))
    }  # fmt: skip
    for name in [*case.truth, *case.fields]:
        parts = [d[name] for d in draws]
        found[name] = {
            "covered": float(np.mean([p["inside"] for p in parts])), "error": float(np.median([p["error"] for p in parts])),
            "half": float(np.median([p["half"] for p in parts])),
        }  # fmt: skip
        if name in case.fields:
            by_place = np.mean([[int(one) for one in p["places"]] for p in parts], axis=0)
            found[name] |= {"least_covered": float(by_place.min()), "most_covered": float(by_place.max())}
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="*", default=[c.__name__ for c in CASES])
    parser.add_argument("--draws", type=int, help="noise draws; by default as many as each case says")
    parser.add_argument("--seconds", type=float, default=np.inf, help="CPU seconds per case in this call")
    parser.add_argument("--anew", action="store_true", help="forget the draws that are kept")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    for make in CASES:
        if make.__name__ in options.only:
            kept: dict[str, Any] = {} if options.quick else harness.read_rows(RESULT)
            before = {} if options.anew else kept.get(make.__name__, {})
            before = before if before.get("draws") else {}
            draws = options.draws or (2 if options.quick else None)
            row = run(make, draws, before, options.seconds, (lambda _: None) if options.quick else keep)
            print(json.dumps({**row, "draws": len(row["draws"])}, default=float), flush=True)
            if not options.quick:
                keep(row)


def keep(row: dict[str, Any]) -> None:
    """Write a row in the place of the one that was there."""
    kept = {**harness.read_rows(RESULT), row["key"]: row}
    text = "".join(json.dumps(kept[c.__name__], default=_plain) + "\n" for c in CASES if c.__name__ in kept)
    RESULT.write_text(text, encoding="utf-8")


def _plain(value: Any) -> object:
    return bool(value) if isinstance(value, np.bool_) else float(value)


if __name__ == "__main__":
    main()
