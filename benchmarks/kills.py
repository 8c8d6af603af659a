# SPDX-License-Identifier: MIT
"""Kill -9 at random moments of a march, an automatic solve, a sweep, a reproduction and a save: all must go on to the same numbers.

    python benchmarks/kills.py [--kills 100] [--seed 0] [--only lines] [--out results/kills.jsonl]

Each kind is run once without a kill; then it is begun, killed after a random part of that time, begun again, and so on, until so many
kills were made; what the last run comes to must be what the first came to, bit for bit, with no draft left. A row per kind is appended to
`results/kills.jsonl`; kinds that are there for the same seed and as many kills are not run again.
"""

import argparse
import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import harness

DRAFT = ".lrfm-draft-"
HEAT = 'equation = "u_t = u_xx"\ntime = [0, 0.1]\ninitial = "sin(pi*x)"\nboundary = "u = 0"\ndomain = {x = [0, 1]}\n'
FRONT = (
    'equation = "u_t = 0.002*u_xx - u*u_x"\ntime = [0, 1.2]\ninitial = "sin(2*pi*x)"\nboundary = "periodic"\n'
    "domain = {x = [0, 1]}\n"
)
SAVE = """
import sys, lrfm
solution = lrfm.load("whole.lrfm")
for _ in range(400):
    solution.save("u.lrfm")
"""


@dataclass(frozen=True)
class Kind:
    """Files to begin with, a command that goes on where it was killed, and what it comes to."""

    files: dict[str, str]
    command: tuple[str, ...]
    result: Callable[[Path], object]


def numbers_of(folder: Path) -> object:
    """All arrays of a solution, and its estimate."""
    sys.path.insert(0, str(Path(__file__).parent.parent / "src"))
    import lrfm
    from lrfm.solution.io.codec import encode
    from lrfm.solution.io.document import records

    solution = lrfm.load(folder / "u.lrfm")
    _, arrays = encode(list(solution.pieces), records=records())
    digests = [hashlib.sha256(array.tobytes()).hexdigest() for array in arrays.values()]
    return digests, repr(solution.report.error_estimate)


def sweep_of(folder: Path) -> object:
    """Estimates of all runs, by seed."""
    lines = (folder / "out" / "results.jsonl").read_bytes().splitlines()
    last = {}
    for line in lines:
        try:
            record = json.loads(line)
            last[record["key"]] = record["values"]["error_estimate"]
        except (ValueError, KeyError):
            continue
    return sorted(last.items())


def report_of(folder: Path) -> object:
    """The values of all runs of a reproduction, without what they took."""
    found = {}
    for path in sorted(folder.rglob("results.jsonl")):
        for line in path.read_bytes().splitlines():
            try:
                record = json.loads(line)
            except ValueError:
                continue
            values = {
                k: v for k, v in record.get("values", {}).items() if "second" not in k and "time" not in k
            }
            found[record["key"]] = json.dumps(values, sort_keys=True)
    return sorted(found.items())


SOLVE = ("-m", "lrfm", "solve", "p.toml", "--checkpoint", "c", "--out", "u.lrfm", "--json")
KINDS = {
    "march": Kind(
        {
            "p.toml": HEAT
            + 'solve = {estimate = false, blocks = 60, space = {kind = "liquid", features = 150, centers = 1.1, gate = 5}}\n'
        },
        SOLVE,
        numbers_of,
    ),
    "lines": Kind({"p.toml": FRONT + "solve = {tol = 1e-7}\n"}, SOLVE, numbers_of),
    "automatic": Kind(
        {"p.toml": HEAT + 'solve = {tol = 1e-6, method = "space-time", blocks = 3}\n'}, SOLVE, numbers_of
    ),
    "sweep": Kind(
        {"p.toml": HEAT + "solve = {tol = 1e-4}\n"},
        ("-m", "lrfm", "sweep", "p.toml", "--seeds", "12", "--jobs", "1", "--out", "out"),
        sweep_of,
    ),
    "reproduction": Kind(
        {}, ("-m", "lrfm", "reproduce", "--quick", "main", "--out", "study", "--jobs", "1"), report_of
    ),
    "save": Kind({"p.toml": HEAT + "solve = {tol = 1e-4}\n"}, ("-c", SAVE), numbers_of),
}


def run(kind: Kind, folder: Path, wait: float | None) -> bool:
    """Run the command, to its end or to a kill; True where it was killed."""
    source = str(Path(__file__).resolve().parent.parent / "src")
    environment = {**os.environ, "PYTHONPATH": source, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    process = subprocess.Popen(
        [sys.executable, *kind.command], cwd=folder, env=environment, start_new_session=True,
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        _, err = process.communicate(timeout=wait)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)  # its workers, too
        process.communicate()
        return True
    assert process.returncode in (0, 1), err[-2000:]
    return False


def prepare(kind: Kind, folder: Path) -> None:
    """The files of a kind; a save has a solution to begin with."""
    for name, content in kind.files.items():
        (folder / name).write_text(content)
    if kind.command[0] == "-c":
        made = ("-m", "lrfm", "solve", "p.toml", "--out", "whole.lrfm")
        run(Kind({}, made, numbers_of), folder, None)


def kill_often(kind: Kind, kills: int, rng: random.Random) -> dict[str, object]:
    """Numbers with and without kills, how often it was killed, and drafts that were left."""
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two:
        whole, folder = Path(one), Path(two)
        prepare(kind, whole)
        began = time.perf_counter()
        run(kind, whole, None)
        took = time.perf_counter() - began
        prepare(kind, folder)
        made = complete = 0
        while made < kills:
            killed = run(kind, folder, rng.uniform(0.25, 1.0) * took)
            made += killed
            if not killed:
                complete += 1
                same = kind.result(folder) == kind.result(whole)
                if not same or complete > 5 * kills:
                    break
                for path in sorted(folder.rglob("*"), reverse=True):  # from the beginning
                    path.rmdir() if path.is_dir() else path.unlink()
                prepare(kind, folder)
        left = len(list(folder.rglob(f"{DRAFT}*")))
        run(kind, folder, None)
        return {
            "kills": made,
            "finished between": complete,
            "same numbers": kind.result(folder) == kind.result(whole),
            "drafts after kills": left,
            "drafts in the end": len(list(folder.rglob(f"{DRAFT}*"))),
            "seconds of one run": round(took, 1),
        }


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kills", type=int, default=100, help="over all kinds, or for the only one")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=KINDS)
    parser.add_argument("--out", type=Path, default=harness.RESULTS / "kills.jsonl")
    given = parser.parse_args()
    done = harness.read_rows(given.out)
    good = True
    kinds = [name for name in KINDS if given.only in (None, name)]
    for number, name in enumerate(kinds):
        share = given.kills // len(kinds) + (number < given.kills % len(kinds))
        key = f"{name} seed {given.seed} kills {share}"
        if key not in done:
            found = kill_often(KINDS[name], share, random.Random(f"{given.seed} {name}"))
            done[key] = {
                "key": key,
                "kind": name,
                **found,
                "commit": harness.commit(),
                "machine": harness.machine(),
            }
            with given.out.open("a", encoding="utf-8") as out:
                out.write(json.dumps(done[key]) + "\n")
        good &= bool(done[key]["same numbers"]) and not done[key]["drafts in the end"]
        print(json.dumps(done[key]), flush=True)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
