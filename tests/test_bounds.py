# SPDX-License-Identifier: MIT
"""Lower bounds of dependencies: declared, past known holes, and what the script says where they are not."""

import importlib.util
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
spec = importlib.util.spec_from_file_location("bounds", ROOT / "tools" / "bounds.py")
bounds = importlib.util.module_from_spec(spec)
spec.loader.exec_module(bounds)
DECLARED = bounds.declared(tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8")))


def test_every_dependency_has_a_lower_bound_past_the_holes_that_are_known():
    assert len(DECLARED) > 20
    assert bounds.complaints(DECLARED, {}) == []


def test_the_environment_of_the_tests_has_what_is_declared():
    assert bounds.missing(DECLARED) == []


@pytest.mark.parametrize(
    ("change", "oldest", "said"),
    [
        ({"pillow": "10"}, {}, "pillow>=10 allows versions below 12.3"),
        ({"starlette": "0.49.1"}, {}, "allows versions below 1.3.1"),
        ({"numpy": ""}, {}, "numpy has no lower bound"),
        ({"numpy": "2.0"}, {"numpy": "1.26.4"}, "the oldest that was tested is 1.26.4"),
        ({"numpy": "1.2"}, {"numpy": "1.26.4"}, "the oldest that was tested is 1.26.4"),
    ],
)
def test_what_is_wrong_is_said(change, oldest, said):
    (sentence,) = bounds.complaints(DECLARED | change, oldest)
    assert said in sentence


def test_a_hole_of_a_library_that_is_not_declared_is_said():
    without = {name: bound for name, bound in DECLARED.items() if name != "h11"}
    assert bounds.complaints(without, {}) != []


def test_repairs_of_the_declared_version_count_as_it():
    assert bounds.complaints(DECLARED, {"numpy": DECLARED["numpy"] + ".7"}) == []
