# SPDX-License-Identifier: MIT
"""Examples in docstrings are true: every module that has some is run."""

import doctest
from importlib import import_module
from pathlib import Path

import pytest

import lrfm

SOURCE = Path(lrfm.__file__).parent
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE | doctest.IGNORE_EXCEPTION_DETAIL


def modules():
    """Names of the modules with a prompt in them."""
    for path in sorted(SOURCE.rglob("*.py")):
        if ">>> " in path.read_text(encoding="utf-8"):
            parts = path.relative_to(SOURCE.parent).with_suffix("").parts
            yield ".".join(part for part in parts if part != "__init__")


@pytest.mark.parametrize("name", list(modules()))
def test_examples_of(name):
    failed, run = doctest.testmod(import_module(name), optionflags=FLAGS)
    assert run > 0  # a prompt that is no example would hide a broken one
    assert failed == 0
