# SPDX-License-Identifier: MIT
"""lrfm and DeepXDE on the same clean data: diffusion and reaction of DeepXDE's own documentation, with its published settings.

    python benchmarks/inverse_peers.py --python ENVIRONMENT/bin/python --only diffusion --seconds 500

ENVIRONMENT holds benchmarks/peers/requirements.txt. The peer goes on from where it was stopped, so that many short calls make one run; CPU
seconds of one thread each are counted, of training alone and of the whole fit. A row says how many of the published steps were made so far.
"""

from __future__ import annotations

import harness  # isort: skip

import argparse
import json
import subprocess
import tempfile
from pathlib import Path

import inverse
import numpy as np

RESULT = harness.RESULTS / "inverse_peers.jsonl"
CASES = {"diffusion": inverse.diffusion, "reaction": inverse.reaction}
SCRIPT = Path(__file__).with_name("peers") / "inverse_deepxde.py"


def ours(case: inverse.Case) -> dict[str, object]:
    fit, seconds = inverse.fitted(case, None, case.clean_tol)
    return {"seconds": seconds, "values": {name: fit.parameters[name].value for name in case.truth}}


def theirs(name: str, case: inverse.Case, python: str, state: Path, seconds: float) -> dict[str, object]:
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data.npz"
        np.savez(data, **case.places, **case.values)
        command = [python, str(SCRIPT), name, str(data), str(state), str(seconds)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout.strip().splitlines()[-1])


def errors(case: inverse.Case, values: dict[str, float]) -> dict[str, float]:
    return {name: abs(values[name] / truth - 1) for name, truth in case.truth.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--python", required=True, help="of the environment with DeepXDE")
    parser.add_argument("--only", nargs="*", default=list(CASES), choices=list(CASES))
    parser.add_argument("--seconds", type=float, default=500.0, help="CPU seconds of the peer in this call")
    parser.add_argument(
        "--states", type=Path, default=Path(tempfile.gettempdir()), help="where it is kept between calls"
    )
    options = parser.parse_args()
    for name in options.only:
        case = CASES[name]()
        peer = theirs(name, case, options.python, options.states / f"deepxde-{name}.pt", options.seconds)
        mine = ours(case)
        for side in (mine, peer):
            side["errors"] = errors(case, side["values"])
        ratio = peer["seconds"] / mine["seconds"]
        row = {
            "key": name, "machine": harness.machine(), "commit": harness.commit(), "lrfm": mine, "deepxde": peer, "times_faster": ratio
        }  # fmt: skip
        print(json.dumps(row, default=float), flush=True)
        kept = {**harness.read_rows(RESULT), name: row}
        text = "".join(json.dumps(kept[c], default=float) + "\n" for c in CASES if c in kept)
        RESULT.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
