# SPDX-License-Identifier: MIT
"""A seeded sample of the names that the source defines, with where each stands: which of them are clear to who never saw it?

    python tools/names.py [--seed 25] [--count 90]

Functions, methods, classes, modules, and fields of classes; names with two underscores, and those that stand for the same thing in several classes, count once.
"""

import argparse
import ast
import random
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent / "src" / "lrfm"


def defined(path: Path) -> dict[str, str]:
    """Names that a module defines, each with a place and the first line of what is said of it."""
    tree, place = ast.parse(path.read_text(encoding="utf-8")), path.relative_to(ROOT).as_posix()
    found = {} if path.stem.startswith("__") else {path.stem: f"{place}  (module)"}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("__"):
            said = (ast.get_docstring(node) or "").partition("\n")[0]
            found.setdefault(node.name, f"{place}:{node.lineno}  {said}")
        if isinstance(node, ast.ClassDef):
            for part in node.body:
                if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name):
                    found.setdefault(part.target.id, f"{place}:{part.lineno}  (field of {node.name})")
    return found


def main() -> None:
    """Print the sample."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=25)
    parser.add_argument("--count", type=int, default=90)
    arguments = parser.parse_args()
    names: dict[str, str] = {}
    for path in sorted(ROOT.rglob("*.py")):
        for name, place in defined(path).items():
            names.setdefault(name, place)
    print(f"{len(names)} names")
    for name in random.Random(arguments.seed).sample(sorted(names), arguments.count):
        print(f"{name:28s} {names[name]}")


if __name__ == "__main__":
    main()
