# SPDX-License-Identifier: MIT
"""Exit codes, and which errors are for the user to correct."""

SOLVED, NOT_MET, BAD, INTERRUPTED, CLOSED = 0, 1, 2, 130, 141


class UsageError(ValueError):
    """The command was given something it cannot take."""


class Stopped(KeyboardInterrupt):
    """Ctrl-C, with a sentence that says how to go on."""


def sentence(error: Exception) -> str | None:
    """What to tell the user; None for a bug, whose traceback is worth more.

    Errors that lrfm raises are sentences already. The same types from elsewhere, such as a ValueError inside
    NumPy, are bugs of lrfm, and look like it.
    """
    if isinstance(error, OSError):
        text = f"{error.filename}: {error.strerror}." if error.strerror and error.filename else str(error)
        return " ".join((text, *getattr(error, "__notes__", ())))
    spelled = getattr(error, "in_toml", None)  # of a `ProblemError`, a class that `lrfm --help` does not load
    if spelled is not None:
        return spelled
    if isinstance(error, ModuleNotFoundError):
        from lrfm.problem.errors import not_installed  # loads NumPy, for which `--help` should not wait

        error = not_installed(error) or error
        if error.name is None:
            return str(error)
    expected = isinstance(error, ValueError | RuntimeError | ImportError) and _ours(error)
    if expected or isinstance(error, MemoryError):
        return str(error) or "There is not enough memory."
    return None


def _ours(error: Exception) -> bool:
    trace = error.__traceback__
    while trace and trace.tb_next:
        trace = trace.tb_next
    return trace is not None and trace.tb_frame.f_globals.get("__name__", "").startswith("lrfm.")
