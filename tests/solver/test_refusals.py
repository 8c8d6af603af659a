# SPDX-License-Identifier: MIT
"""What steady states, modes, branches and events are refused with: the sentences of `tests/mistakes/verbs.py`."""

import pytest
from mistakes.verbs import CASES

from lrfm import ProblemError


@pytest.mark.parametrize(("call", "message"), [pytest.param(*rest, id=name) for name, *rest in CASES])
def test_the_call_is_refused_with_this_sentence(call, message):
    with pytest.raises((ProblemError, ValueError, TypeError)) as refusal:
        call()
    said = str(refusal.value)
    assert said.startswith(message.strip("… ")) if message.endswith("…") else said == message
