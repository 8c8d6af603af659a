# SPDX-License-Identifier: MIT
"""What derivatives by parameters cost: CPU seconds of ∂u/∂p for one number, and for all numbers of a statement together, beside those of the solve.

python benchmarks/sensitivities.py            # all problems of the list
python benchmarks/sensitivities.py --only nls
"""

from __future__ import annotations

import harness  # isort: skip

import argparse
import json
import time

import lrfm

RESULT = harness.RESULTS / "sensitivities.jsonl"
PROBLEMS = (
    "burgers-front", "nls", "bbm", "sine-gordon", "wave", "klein-gordon", "schroedinger", "advection-diffusion", "fokker-planck",
    "fisher-kpp", "ginzburg-landau", "gray-scott", "kdv", "kuramoto-sivashinsky",
)  # fmt: skip
REPEATED = 3


def cpu(work) -> float:
    """The least of some repetitions: what other processes add to one is no part of it."""
    spent = []
    for _ in range(REPEATED):
        began = time.process_time()
        work()
        spent.append(time.process_time() - began)
    return min(spent)


def measured(name: str, tol: float) -> dict[str, object]:
    problem = lrfm.catalog.get(name)
    solution = lrfm.solve(problem, tol=tol, method="lines", strict=False)
    solved = cpu(lambda: lrfm.solve(problem, tol=tol, method="lines", strict=False))
    numbers = solution.linearized().names
    solution._linear = None

    def one() -> None:
        solution._linear = None
        solution.sensitivity(numbers[0])

    def together() -> None:
        solution._linear = None
        solution.linearized().sensitivities(numbers)

    return {
        "key": name, "machine": harness.machine(), "commit": harness.commit(), "tol": tol, "numbers": len(numbers), "solve": solved,
        "one": cpu(one) / solved, "each": cpu(together) / solved / len(numbers),
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="*", default=list(PROBLEMS))
    parser.add_argument("--tol", type=float, default=1e-6)
    parser.add_argument("--quick", action="store_true", help="keep nothing")
    options = parser.parse_args()
    for name in options.only:
        row = measured(name, options.tol)
        print(json.dumps(row, default=float), flush=True)
        if not options.quick:
            kept = {**harness.read_rows(RESULT), name: row}
            text = "".join(json.dumps(kept[p], default=float) + "\n" for p in PROBLEMS if p in kept)
            RESULT.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
