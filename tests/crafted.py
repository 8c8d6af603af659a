# SPDX-License-Identifier: MIT
"""Files made to hurt: right checksums around wrong contents. A script, too: it opens many of them under limits of time and memory.

    python crafted.py FOLDER SEED COUNT

Every file must end in a sentence, or be a file that can be used; the script prints those that do neither.
"""

import copy
import io
import json
import random
import re
import resource
import signal
import sys
import tempfile
import time
import traceback
import warnings
import zipfile
from pathlib import Path

import numpy as np
from helpers import by_hand

import lrfm
from lrfm.problem.file import parse
from lrfm.solution.io import FileFormatError
from lrfm.solution.io.frames import read_frames, write_frames
from lrfm.solver import checkpoint
from lrfm.solver.checkpoint import Checkpoint
from lrfm.solver.options import solve_options

MEMORY = 3 << 30  # bytes of address space, most of it of NumPy and BLAS
SECONDS = 5.0  # of the processor, for one file
SENTENCES = (FileFormatError, lrfm.ProblemError)

TOML = """
name = "heat"
equation = ["u_t = D*u_xx - v", "v_t = u - v + D*v_xx"]
time = [0, 0.1]
initial = {u = "sin(pi*x)", v = 0}
boundary = {"x-" = ["u = 0", "v_n = 0"], "x+" = ["u = t", "v = 1"]}
reference = {u = "x*t", v = "0"}
check_corners = false
domain = {x = [0, 1]}
parameters = {D = 0.1, E = "2*D"}
unknowns = {u = "real"}

[solve]
tol = 1e-4
seed = 3
max_seconds = 5

[solve.method]
kind = "space-time"
blocks = 2
backend = "numpy"
space = {kind = "liquid", features = 40, tau = [0.1, 10], weights = 2.0}
collocation = {interior = 200, time = "chebyshev"}
least_squares = {kind = "qr", ridge = 1e-15}
nonlinear = {kind = "newton", max_steps = 5}
"""

ODD = [
    None, True, False, 0, 1, -1, 2, 7, 10**6, 10**18, -(10**18), 10**400, 0.0, -0.0, 0.5, -2.5, 1e-300, 1e300, 1e308, -1e308,
    "", "u", "x", "t", "nan", "inf", "u = 0", "sin(", "\x1b[31m", "\ud800", "a" * 5000, "__class__", "u_" + "x" * 60,
    [], {}, [1, 2], [[1.0]], {"x": 1}, {"x": [0, 1]}, [[]] * 30,
    {"$float": "nan"}, {"$float": "inf"}, {"$float": 3}, {"$complex": [1.0, 2.0]}, {"$complex": [1.0]}, {"$tuple": []},
    {"$tuple": [0.0, 1.0]}, {"$tuple": "x"}, {"$function": "sin"}, {"$function": None}, {"$array": None}, {"$array": "nothing"},
    {"$type": "Space"}, {"$type": "CellSteps"}, {"$type": "Tanh"}, {"$type": "os.system"}, {"$type": None}, {"$other": 1},
]  # fmt: skip


# Archives -----------------------------------------------------------------------------------------------------


def contents(path):
    """The document of an archive as JSON has it, and its arrays by member."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    head = json.loads(members.pop("document.json"))
    return head, {name: np.load(io.BytesIO(content)) for name, content in members.items()}


def write(path, head, arrays, compression=zipfile.ZIP_STORED):
    """An archive with right checksums, whatever is in it."""
    with zipfile.ZipFile(path, "w", compression) as archive:
        archive.writestr("document.json", json.dumps(head).encode("utf-8", "surrogatepass"))
        for name, array in arrays.items():
            stream = io.BytesIO()
            np.lib.format.write_array(stream, np.asanyarray(array), allow_pickle=False)
            archive.writestr(name, stream.getvalue())


def nodes(tree, found=None):
    """(container, key) of everything in a tree of lists and dictionaries."""
    found = [] if found is None else found
    for key, item in list(tree.items() if isinstance(tree, dict) else enumerate(tree)):
        found.append((tree, key))
        if isinstance(item, dict | list):
            nodes(item, found)
    return found


def spoil_tree(tree, rng):
    """One to three changes anywhere in a tree."""
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        places = nodes(tree)
        if not places:
            return
        holder, key = rng.choice(places)
        what = rng.random()
        if what < 0.55:
            holder[key] = copy.deepcopy(rng.choice(ODD))
        elif what < 0.75:
            other, name = rng.choice(places)
            holder[key] = copy.deepcopy(other[name])
        elif what < 0.9:
            del holder[key]
        elif isinstance(holder, dict):
            holder[rng.choice(("extra", "$type", "size", "u", "x"))] = copy.deepcopy(rng.choice(ODD))
        else:
            holder.insert(key, copy.deepcopy(holder[key]))


def spoil_array(array, rng):
    """One change to an array: its numbers, its shape or its kind."""
    array = np.array(array)
    ways = [
        lambda: np.full_like(array, np.nan, dtype=float),
        lambda: np.where(np.arange(array.size).reshape(array.shape) == 0, np.inf, array),
        lambda: -array,
        lambda: array * 0,
        lambda: array * 1e300,
        lambda: array.T,
        lambda: array.ravel(),
        lambda: array[..., None],
        lambda: array[:0],
        lambda: array[:-1],
        lambda: array[..., :-1],
        lambda: np.concatenate([array, array]),
        lambda: np.array(3.0),
        lambda: np.zeros((3, 0)),
        lambda: array.astype(np.float32),
        lambda: array.astype(np.float16),
        lambda: array.astype(complex),
        lambda: array.astype(bool),
        lambda: array.astype(np.int8),
        lambda: array.astype(">f8") if array.dtype.kind == "f" else array,
        lambda: array[::-1],
        lambda: np.zeros((2,) * 12),
    ]
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return rng.choice(ways)()
        except (IndexError, ValueError):
            return np.zeros(0)


def spoil_archive(head, arrays, rng):
    """A changed copy of an archive's contents."""
    head, arrays = copy.deepcopy(head), dict(arrays)
    if arrays and rng.random() < 0.4:
        name = rng.choice(list(arrays))
        arrays[name] = spoil_array(arrays[name], rng)
    else:
        spoil_tree(head if rng.random() < 0.1 else head["document"], rng)
    return head, arrays


def spoil_bytes(content, rng):
    """A changed copy of the bytes of a file."""
    content = bytearray(content)
    for _ in range(rng.choice((1, 2, 5))):
        where = rng.randrange(len(content))
        what = rng.random()
        if what < 0.5:
            content[where] = rng.randrange(256)
        elif what < 0.7:
            del content[where : where + rng.randrange(1, 50)]
        elif what < 0.9:
            content[where:where] = bytes(rng.randrange(256) for _ in range(rng.randrange(1, 20)))
        else:
            del content[where:]
        if not content:
            return b"x"
    return bytes(content)


def use_solution(path):
    """Everything that is done with a solution which was read."""
    solution = lrfm.load(path)
    str(solution.report), repr(solution), solution.report.lines(), solution.report.advice
    box, (start, _) = solution.problem.domain, solution.problem.time
    middle = dict(zip(box.names, 0.5 * (box.lower + box.upper), strict=True))
    at = {**middle, "t": np.linspace(start, float(solution.block_edges[-1]), 5)}
    solution(**at)
    solution.derivative(f"{solution.unknowns[0]}_{box.names[0]}t")(**at)
    if not any(callable(value) for value in solution.problem.parameters.values()):
        solution.residual(**at)
    if box.dimension <= 3:
        solution.to_xarray(**dict.fromkeys(box.names, 3), t=at["t"])
    solution.save(path)


# Statements ---------------------------------------------------------------------------------------------------


def spell(value):
    """A value as TOML writes it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return "nan" if value != value else repr(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(str(key))} = {spell(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(spell, value)) + "]"
    return json.dumps(str(value))


def spoil_statement(rng):
    """The text of a statement with some changes."""
    import tomllib

    tree = tomllib.loads(TOML)
    spoil_tree(tree, rng)
    text = "\n".join(f"{json.dumps(str(key))} = {spell(item)}" for key, item in tree.items())
    return (
        spoil_bytes(text.encode("utf-8", "replace"), rng).decode(errors="replace")
        if rng.random() < 0.3
        else text
    )


def use_statement(text):
    statement = parse(text, "crafted.toml")
    repr(statement.problem)
    solve_options(statement)


# Checkpoints --------------------------------------------------------------------------------------------------


MARCH = by_hand(
    space=lrfm.Liquid(features=12, vanish=("x-", "x+")), collocation=lrfm.Collocation(interior=60, initial=12),
    blocks=3, estimate=False, strict=False,
)  # fmt: skip
LINES = {"method": "lines", "estimate": False, "strict": False}
CHOSEN = by_hand(features=12, blocks=2, estimate=False, strict=False)
HEAT = lrfm.Problem(
    "u_t = u_xx", domain=lrfm.Box(x=(0, 1)), time=(0, 0.1), initial="sin(pi*x)", boundary="u = 0"
)


def spoil_checkpoint(path, target, rng):
    """A changed copy of a checkpoint: its bytes, its order, or the contents of one frame with a right digest."""
    if rng.random() < 0.2:
        target.write_bytes(spoil_bytes(path.read_bytes(), rng))
        return
    frames, _ = read_frames(path)
    if rng.random() < 0.15:
        payloads = [frame.payload for frame in frames]
        rng.shuffle(payloads)
        frames = [frame._replace(payload=payload) for frame, payload in zip(frames, payloads, strict=True)]
    else:
        chosen = rng.randrange(len(frames))
        stream = io.BytesIO()
        write(stream, *spoil_archive(*contents(io.BytesIO(frames[chosen].payload)), rng))
        frames[chosen] = frames[chosen]._replace(payload=stream.getvalue())
    write_frames(target, frames)


def owner(given):
    """The engine of a march."""
    found = []
    made = Checkpoint.integration
    Checkpoint.integration = lambda self, engine, *rest: (found.append(engine), made(self, engine, *rest))[1]
    with tempfile.TemporaryDirectory() as folder:
        lrfm.solve(HEAT, **by_hand(**given, checkpoint=Path(folder) / "c"))
    Checkpoint.integration = made
    return found[-1]


def use_checkpoint(path, engine):
    """Go on from it, one window or step; that it belongs to another integration is a sentence, too."""
    try:
        file = Checkpoint(path, HEAT)
        file.choices({})
        state = file.integration(engine).state
    except ValueError as error:
        if "belongs to another integration" not in str(error):
            raise
        return
    if engine.done(state)[0]:
        engine.integrated(state)
    if not engine.finished(state):
        engine.advance(state)


# All of them --------------------------------------------------------------------------------------------------


def make(folder):
    """Good files to begin with: every kind of piece and of trial space, small."""
    from helpers import SPACES

    periodic = lrfm.catalog.allen_cahn()
    few = {
        "collocation": lrfm.Collocation(interior=60, initial=20, boundary=8),
        "estimate": False,
        "strict": False,
    }
    for number, (name, space) in enumerate(SPACES.items()):
        given = {**few, "nonlinear": lrfm.Newton(max_steps=1), "blocks": 1 + number % 2}
        lrfm.solve(periodic, **by_hand(space=space, **given)).save(folder / f"{name.replace(' ', '-')}.lrfm")
    lines = {"method": "lines", "strict": False, "estimate": False}
    lrfm.solve(periodic, **lines).save(folder / "lines.lrfm")
    lrfm.solve(lrfm.catalog.heat_2d(), **lines).save(folder / "lines-2d.lrfm")
    lrfm.solve(HEAT, **MARCH, checkpoint=folder / "march")
    lrfm.solve(HEAT, **CHOSEN, checkpoint=folder / "chosen")
    checkpoint.PACE = 0
    lrfm.solve(HEAT, **LINES, checkpoint=folder / "lines")


class TooLong(BaseException):
    """A file that takes its time."""


def _alarm(*_):
    raise TooLong


def _peak():
    """Megabytes that this process has held at most; what getrusage tells begins with that of the process it was forked from."""
    status = Path("/proc/self/status")
    if status.exists():
        return int(re.search(r"VmHWM:\s*(\d+) kB", status.read_text())[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def run(folder, seed, count):
    """Open many crafted files; how each ended, and what went wrong."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    signal.signal(signal.SIGPROF, _alarm)
    warnings.simplefilter("ignore")
    archives = [contents(path) for path in sorted(folder.glob("*.lrfm"))]
    raw = [path.read_bytes() for path in sorted(folder.glob("*.lrfm"))]
    owners = {"march": owner(MARCH), "chosen": owner(CHOSEN), "lines": owner(LINES)}
    target, tally = folder / "crafted", {"sentences": 0, "usable": 0}
    for number in range(count):
        rng = random.Random(seed * 1_000_003 + number)
        kind = number % 8
        try:
            signal.setitimer(signal.ITIMER_PROF, SECONDS)
            if kind < 4:
                write(target, *spoil_archive(*rng.choice(archives), rng))
                use_solution(target)
            elif kind == 4:
                target.write_bytes(spoil_bytes(rng.choice(raw), rng))
                use_solution(target)
            elif kind == 5:
                name = ("march", "chosen", "lines")[number // 8 % 3]
                spoil_checkpoint(folder / name, target, rng)
                use_checkpoint(target, owners[name])
            else:
                use_statement(spoil_statement(rng))
            tally["usable"] += 1
        except SENTENCES as error:
            tally["sentences"] += 1
            if not 20 < len(str(error)) < 2000:
                print(f"case {number} of kind {kind} says {len(str(error))} letters: {str(error)[:200]!r}")
        except (Exception, TooLong):
            print(f"case {number} of kind {kind}:")
            print(traceback.format_exc(limit=-3)[-1500:])
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
    peak = _peak()
    print(
        json.dumps({**tally, "count": count, "megabytes": round(peak), "seconds": round(time.process_time())})
    )


if __name__ == "__main__":
    where = Path(sys.argv[1])
    if sys.argv[2] == "make":
        make(where)
    else:
        run(where, int(sys.argv[2]), int(sys.argv[3]))
