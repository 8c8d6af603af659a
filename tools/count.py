# SPDX-License-Identifier: MIT
"""How large is the engine? Numbers that were chosen, floats elsewhere, branches, lines, files and frames of one solve.

    python tools/count.py [--solve] [--capabilities [--before REVISION]]

Numbers of `discretize/options.py` by meaning, which their class tells: *rounding* (multiples of machine precision), *safeguard* (most of something), *scan*
(places at which something is looked at), *cost* (what one way costs beside another, measured) and *tuned* (all others: a trade between accuracy and cost that somebody chose). A default that names another number is
none itself. Branches are also told by part: what every solve goes through, and what lines, regions, boxes, conservation laws, steady states and what follows a solution add. With --solve also what one solve of Burgers' equation at 1e-6 enters: files of the package, and frames of it on the way down to an LU decomposition. With --capabilities a table of lines,
branches and numbers by what they serve (`capabilities.toml`), today and at an earlier commit, when the numbers of the engine were constants of modules; numbers of all meanings count there.
"""

import argparse
import ast
import io
import subprocess
import sys
import tarfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent / "src" / "lrfm"
ENGINE = ("integrate", "discretize", "adapt")
MEANINGS = {"Rounding": "rounding", "Safeguards": "safeguard", "Scans": "scan", "Costs": "cost"}
# Parts of the engine by the beginnings of their paths; the first that fits counts, and what fits to none is of all parts.
PARTS = {
    "line": (
        "discretize/line",
        "adapt/cells",
        "adapt/eigen",
        "adapt/ends",
        "adapt/given.py",
        "adapt/motion",
        "adapt/points",
        "integrate/moving",
        "integrate/schemes/exact",
    ),
    "plane and space": (
        "discretize/plane",
        "adapt/plane",
        "integrate/schemes/rational",
        "integrate/schemes/diagonal",
        "integrate/schemes/oscillations",
    ),
    "boxes by series": (
        "discretize/box",
        "adapt/modes",
        "adapt/given_box",
        "integrate/schemes/exponential",
        "integrate/schemes/additive",
    ),
    "conservation laws": (
        "discretize/laws",
        "adapt/fluxes",
        "adapt/graded",
        "adapt/volumes",
        "adapt/grid_volumes",
        "integrate/schemes/explicit",
        "integrate/schemes/volume_steps",
        "integrate/schemes/ssp",
        "integrate/schemes/stabilized",
        "integrate/schemes/obstacle",
        "integrate/prepare_fluxes",
    ),
    "steady states": ("integrate/steady",),
    "what follows a solution": ("integrate/follow",),
}
OPTIONS = "discretize/options.py"
PLAIN = (0, 0.5, 1, 2)  # nothing, halves, wholes, doubles: nobody chose them
BRANCHES = (ast.If, ast.IfExp, ast.While, ast.ExceptHandler, ast.match_case)


def constants(node: ast.AST, kinds: tuple[type, ...] = (int, float)) -> list[float]:
    """Numbers in a piece of code that are not plain."""
    found = [n.value for n in ast.walk(node) if isinstance(n, ast.Constant) and type(n.value) in kinds]
    return [value for value in found if value not in PLAIN]


def fields(kind: ast.ClassDef) -> list[tuple[str, int]]:
    """Names of the fields of a class with how many numbers each default holds."""
    found = []
    for node in kind.body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value is not None:
            bare = isinstance(node.value, ast.Constant | ast.Tuple)
            own = [n.value for n in ast.walk(node.value) if isinstance(n, ast.Constant)]
            own = [n for n in own if type(n) in (int, float) and (bare or n not in PLAIN)]
            found.append((node.target.id, len(own)))
    return found


def options() -> dict[str, dict[str, int]]:
    """How many numbers each class of options holds, by meaning; those in its methods count as tuned."""
    tree = ast.parse((ROOT / OPTIONS).read_text(encoding="utf-8"))
    result: dict[str, dict[str, int]] = {}
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            meaning = MEANINGS.get(node.name, "tuned")
            inside = [m for m in node.body if isinstance(m, ast.FunctionDef)]
            count = sum(n for _, n in fields(node)) + sum(len(constants(m)) for m in inside)
            result.setdefault(meaning, {})[node.name] = count
        elif isinstance(node, ast.FunctionDef):
            result.setdefault("tuned", {})[node.name] = len(constants(node))
    return result


def trees(*rooms: str) -> dict[Path, ast.Module]:
    """The modules of some rooms, the options apart."""
    paths = [p for room in rooms for p in sorted((ROOT / room).rglob("*.py")) if p.name != "options.py"]
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in paths}


def branches(tree: ast.AST) -> int:
    """Decisions in a piece of code: conditions in statements and expressions, loops that end by one, exceptions, cases."""
    return sum(isinstance(n, BRANCHES) for n in ast.walk(tree))


def part_of(path: Path) -> str:
    """The part of the engine that a module belongs to."""
    place = path.relative_to(ROOT).as_posix()
    own = [part for part, places in PARTS.items() if place.startswith(places)]
    return own[0] if own else "loop and controller"


def solve() -> tuple[int, int]:
    """Files of the package that a solve of Burgers' equation enters, and frames of it down to the deepest LU decomposition."""
    import lrfm
    from lrfm.problem import Problem

    package = str(ROOT)
    problem = Problem(
        "u_t + u*u_x = 0.01/pi*u_xx",
        domain=lrfm.Box(x=(-1, 1)),
        time=(0, 1),
        initial="-sin(pi*x)",
        boundary="u = 0",
    )
    files, depths = set(), []

    def watch(frame, event, argument):
        if event != "call" or not frame.f_code.co_filename.startswith(package):
            return
        files.add(frame.f_code.co_filename)
        if frame.f_code.co_qualname == "Banded.factor":  # its next call is LAPACK's
            depth, here = 0, frame
            while here is not None:
                depth += here.f_code.co_filename.startswith(package)
                here = here.f_back
            depths.append(depth)

    lrfm.solve(problem, tol=1e-2)  # what is imported is not entered
    sys.setprofile(watch)
    try:
        lrfm.solve(problem, tol=1e-6)
    finally:
        sys.setprofile(None)
    return len(files), max(depths)


def sources(revision: str | None = None) -> dict[str, str]:
    """The modules of the package by their paths in it: of the working tree, or of a commit."""
    if revision is None:
        return {p.relative_to(ROOT).as_posix(): p.read_text(encoding="utf-8") for p in ROOT.rglob("*.py")}
    packed = subprocess.run(
        ["git", "archive", revision, "src/lrfm"], cwd=ROOT.parent.parent, capture_output=True, check=True
    ).stdout
    with tarfile.open(fileobj=io.BytesIO(packed)) as tar:
        return {
            member.name.removeprefix("src/lrfm/"): tar.extractfile(member).read().decode()
            for member in tar
            if member.name.endswith(".py")
        }


def named(tree: ast.Module) -> int:
    """Numbers that constants of a module hold: `REACH = 1e-4`, `(LOW, HIGH) = ...`; plain ones are somebody's choice here, too."""
    found = 0
    for node in tree.body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = [n.id for target in targets for n in ast.walk(target) if isinstance(n, ast.Name)]
            if names and all(name.isupper() for name in names):
                bare = isinstance(node.value, ast.Constant | ast.Tuple | ast.UnaryOp | ast.BinOp)
                found += bare and any(
                    type(n.value) in (int, float) for n in ast.walk(node.value) if isinstance(n, ast.Constant)
                )
    return found


def capabilities(before: str) -> None:
    """Print the table: lines and branches of each capability at an earlier commit and today, and the numbers that were given a name, in modules or options."""
    table = tomllib.loads((Path(__file__).parent / "capabilities.toml").read_text(encoding="utf-8"))
    places = {name: paths for part in ("new", "before") for name, paths in table[part].items()}
    counts: dict[str, list[list[int]]] = {name: [[0, 0, 0], [0, 0, 0]] for name in places}
    for column, revision in enumerate((before, None)):
        for path, text in sources(revision).items():
            own = next(n for n, starts in places.items() if path.startswith(tuple(starts)))
            tree = ast.parse(text)
            for i, count in enumerate(
                (len(text.splitlines()), branches(tree), named(tree) * (path != OPTIONS))
            ):
                counts[own][column][i] += count
    owner = {kind: name for name, kinds in table["numbers"].items() for kind in kinds}
    for kinds in options().values():
        for kind, count in kinds.items():
            if count:
                counts[owner[kind]][1][2] += count
    print(f"| capability | lines {before} | now | branches {before} | now | numbers {before} | now |")
    print("|---|---|---|---|---|---|---|")
    for part in ("before", "new"):
        rows = {name: counts[name] for name in table[part]}
        rows[{"before": "together, what there was", "new": "together, what is new"}[part]] = [
            [sum(counts[name][c][i] for name in table[part]) for i in range(3)] for c in range(2)
        ]
        for name, (old, now) in rows.items():
            cells = " | ".join(f"{a:,} | {b:,}" for a, b in zip(old, now, strict=True))
            print(f"| {name} | {cells} |")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--solve", action="store_true", help="also solve Burgers' equation and see what is entered"
    )
    parser.add_argument("--classes", action="store_true", help="numbers of each class of options")
    parser.add_argument("--capabilities", action="store_true", help="a table by capability, and nothing else")
    parser.add_argument("--before", default="85dea6f", help="the commit that the table compares with")
    arguments = parser.parse_args()
    if arguments.capabilities:
        capabilities(arguments.before)
        return
    found = options()
    for meaning in ("tuned", "cost", "safeguard", "rounding", "scan"):
        each = found.get(meaning, {})
        print(f"{meaning} numbers: {sum(each.values())}")
        for name, count in each.items() if arguments.classes else ():
            print(f"    {name}: {count}")
    engine = trees(*ENGINE)
    floats = [value for tree in engine.values() for value in constants(tree, (float,))]
    print(f"inline floats other than 0, 1/2, 1, 2 in {', '.join(ENGINE)}: {len(floats)}")
    print(f"branches there: {sum(map(branches, engine.values()))}")
    for part in ("loop and controller", *PARTS):
        own = [tree for path, tree in engine.items() if part_of(path) == part]
        print(f"    {part}: {sum(map(branches, own))} in {len(own)} files")
    rooms = sorted(p.name for p in ROOT.iterdir() if p.is_dir() and p.name != "__pycache__")
    lines = {
        room: sum(len(p.read_text(encoding="utf-8").splitlines()) for p in (ROOT / room).rglob("*.py"))
        for room in rooms
    }
    print(
        f"lines: {sum(lines.values())} in {len(list(ROOT.rglob('*.py')))} files; of the engine {sum(lines[r] for r in ENGINE)}"
    )
    if arguments.solve:
        files, depth = solve()
        print(
            f"files entered by a solve of Burgers' equation: {files}; frames down to an LU decomposition: {depth}"
        )


if __name__ == "__main__":
    main()
