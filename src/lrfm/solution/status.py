# SPDX-License-Identifier: MIT
"""How a solve ended: one member for each way, with the words that are printed and a sentence that says what they mean."""

from __future__ import annotations

from enum import StrEnum


class Status(StrEnum):
    """How a solve ended; equal to the words that it prints, and `meaning` is a sentence.

    >>> Status.TOLERANCE_MET == "tolerance met", str(Status.NOT_RESOLVED)
    (True, 'not resolved')
    >>> Status.TOLERANCE_MET.meaning
    'The estimated error is at most the tolerance.'
    """

    meaning: str

    def __new__(cls, words: str, meaning: str) -> Status:
        member = str.__new__(cls, words)
        member._value_, member.meaning = words, meaning
        return member

    TOLERANCE_MET = "tolerance met", "The estimated error is at most the tolerance."
    ESTIMATE_ONLY = (
        "estimate only",
        "There is an estimate of the error; no tolerance was given that it could meet.",
    )
    NOT_ESTIMATED = "not estimated", "The solution reaches the end; its error was not estimated."
    TOLERANCE_NOT_MET = (
        "tolerance not met",
        "The solution reaches the end; its error is not known to be within the tolerance.",
    )
    NO_CLAIM = (
        "no claim",
        "The solution reaches the end; what is known of it allows no estimate of its error.",
    )
    NOT_RESOLVED = (
        "not resolved",
        "The functions do not hold the solution: its residual is large on points that were not fitted.",
    )
    ILL_POSED = "ill-posed", "The equations amplify short waves without bound."
    NOT_UNIQUE = "not unique", "Conditions are missing: the equations have more than one solution."
    NO_SOLUTION = (
        "no solution",
        "Equations that determine an unknown up to a constant contradict each other: what is given in them does not balance.",
    )
    NOT_CONVERGED = "not converged", "The nonlinear iteration did not converge; the solution ends there."
    NOT_FINISHED = "not finished", "The solution ends before the end of the time span."
    OUT_OF_TIME = "out of time", "`max_seconds` passed before the end of the time span was reached."
    STEPS_VANISHED = (
        "steps vanished",
        "Steps in time became so short that the end of the time span is out of reach.",
    )
    TOO_LARGE = (
        "too large",
        "The next step has more unknowns than can be solved in one piece; the solution ends there.",
    )
    STEPS_FAILED = "steps failed", "No step in time could be solved, however short."

    @property
    def claims(self) -> bool:
        """Whether something is claimed about the error."""
        return self in (Status.TOLERANCE_MET, Status.ESTIMATE_ONLY)

    @property
    def fine(self) -> bool:
        """Whether nothing is to be done: something is claimed, or nothing was to be."""
        return self.claims or self is Status.NOT_ESTIMATED


def read_status(text: str) -> Status:
    """The status of some words; what is none of them claims nothing."""
    return Status(text) if text in list(Status) else Status.NO_CLAIM
