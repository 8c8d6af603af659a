# SPDX-License-Identifier: MIT
"""The trial of mistakes: each changes one good statement, and is answered with the sentence beside it in the table.

A sentence that ends or begins with "…" is a part of what is said.
"""

import pytest
from mistakes import conditions, names, other_programs, text
from mistakes.good import GOOD

from lrfm import Problem, ProblemError

MISTAKES = [*text.CASES, *names.CASES, *conditions.CASES, *other_programs.CASES]


def test_they_are_hundreds():
    assert len({repr(changes) for _, changes, _ in MISTAKES}) >= 200


@pytest.mark.parametrize(("changes", "message"), [pytest.param(*rest, id=name) for name, *rest in MISTAKES])
def test_the_statement_is_refused_with_this_sentence(changes, message):
    statement = GOOD | changes
    equation, domain = statement.pop("equation"), statement.pop("domain")
    with pytest.raises(ProblemError) as refusal:
        Problem(equation, domain=domain() if callable(domain) else domain, **statement)
    said = str(refusal.value)
    part = message.strip("…")
    if message.startswith("…"):
        assert part in said
    elif message.endswith("…"):
        assert said.startswith(part)
    else:
        assert said == message


def test_the_statement_that_is_changed_is_a_good_one():
    assert not Problem(**GOOD | {"domain": GOOD["domain"]()}).warnings
