# SPDX-License-Identifier: MIT
"""One place for numbers: what was chosen stands in `discretize/options.py`, with its meaning.

A float in any other module of the engine is mathematics if it is zero or a power of two (halves, doubles, signs, the ends ±1 of a cell), and a
guard against rounding or overflow if it is at most 1e-9 or at least 1e30. Everything else was chosen, and belongs into the options. At the
level of a module no number at all is given a name, but for those listed here, which are not chosen either.
"""

import ast
import dataclasses
import inspect
import math
from pathlib import Path

import pytest

import lrfm
from lrfm.discretize import options

ROOT = Path(lrfm.__file__).parent
ROOMS = ("discretize", "adapt", "integrate", "spaces/cells")
MODULES = sorted(
    [p for room in ROOMS for p in (ROOT / room).rglob("*.py") if p.name != "options.py"]
    + [ROOT / "solver" / name for name in ("integration.py", "record.py")]
    + [*(ROOT / "solver" / "formulations").glob("*.py")]
)
NAMED = {
    "LEAST",  # cells of a circle: below two the band has no form
    "ENDS",  # of a cell, ±1 but for rounding,
    "ANY",  # stands for an axis that is none
    "STAGES",  # of an explicit scheme, and rates of a cubic,
    "GAMMA",  # of an implicit scheme, which is L-stable with this number alone
    "GHOSTS",  # cells beyond an end that a formula for means needs
    "EULER",  # and Euler steps of which the scheme consists: its formula has them
    "PLACES",  # random ones at which coefficients are compared with each other: any number does
}


def name(path):
    return path.relative_to(ROOT).as_posix()


def numbers(node):
    """All numbers in a piece of code."""
    found = (n.value for n in ast.walk(node) if isinstance(n, ast.Constant))
    return [value for value in found if isinstance(value, int | float) and not isinstance(value, bool)]


def chosen(value):
    """Whether a float is neither mathematics nor a guard."""
    size = abs(value)
    return size != 0 and 1e-9 < size < 1e30 and math.frexp(size)[0] != 0.5


def test_the_check_tells_mathematics_from_choices():
    assert [v for v in (0.0, 0.5, -1.0, 2.0, 0.25, 1e-12, 1e-300, 1e30) if chosen(v)] == []
    assert all(chosen(v) for v in (0.9, 1.5, 0.02, 3.0, 1e-3, 1e-6, 10.0, 1.2))


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_modules_give_no_number_a_name(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in tree.body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = {n.id for target in targets for n in ast.walk(target) if isinstance(n, ast.Name)}
            enumeration = ast.unparse(node.value).startswith("range(")
            assert names <= NAMED or enumeration or not numbers(node.value), f"{name(path)}:{node.lineno}"


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_modules_hold_no_chosen_float(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found = [
        (node.lineno, node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, float) and chosen(node.value)
    ]
    assert not found, f"{name(path)}: {found} belong into discretize/options.py, each with its reason"


KINDS = [kind for _, kind in inspect.getmembers(options, dataclasses.is_dataclass) if inspect.isclass(kind)]


@pytest.mark.parametrize("kind", KINDS)
def test_every_number_has_a_meaning(kind):
    """Each field is named in the docstring of its class, and cannot be changed."""
    assert kind.__dataclass_params__.frozen
    text = inspect.getdoc(kind).partition("----------\n")[2]
    heads = {
        word.strip()
        for row in text.splitlines()
        if row and not row.startswith(" ")
        for word in row.split(",")
    }
    assert {field.name for field in dataclasses.fields(kind)} == heads
