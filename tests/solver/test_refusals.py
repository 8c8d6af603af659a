# SPDX-License-Identifier: MIT
"""What steady states, modes, branches and events are refused with: the sentences of `tests/mistakes/verbs.py`."""

import re

import pytest
from mistakes.verbs import CASES

from lrfm import ConvergenceError, ProblemError


@pytest.mark.parametrize(("call", "message"), [pytest.param(*rest, id=name) for name, *rest in CASES])
def test_the_call_is_refused_with_this_sentence(call, message):
    """`…` stands for what depends on the figures."""
    with pytest.raises((ProblemError, ConvergenceError, ValueError, TypeError)) as refusal:
        call()
    assert re.fullmatch(".*".join(map(re.escape, message.split("…"))), str(refusal.value), re.DOTALL)
