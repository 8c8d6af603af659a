# SPDX-License-Identifier: MIT
"""Files that are written whole or not at all."""

import os
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replacing(path: str | os.PathLike) -> Iterator[Path]:
    """Yield a draft path beside `path`; it becomes `path` in one step on success, and vanishes on failure.

    The draft has the suffix of `path`, because writers choose a format by suffix. It lies in the same folder,
    because `os.replace` is one step only inside a file system. A writer that fails leaves the old file as is.
    """
    target = Path(os.path.realpath(path))
    if not target.parent.is_dir():
        raise FileNotFoundError(
            f"`path={os.fspath(path)!r}` lies in a folder that does not exist. "
            f"Create {str(target.parent)!r} first."
        )
    if target.is_dir():
        raise IsADirectoryError(f"`path={os.fspath(path)!r}` is a folder. Give the name of a file.")
    draft = target.with_name(f".{secrets.token_hex(8)}{target.suffix}")
    try:
        yield draft
        _flush(draft, os.O_RDWR)
        os.replace(draft, target)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    if os.name == "posix":  # the new directory entry itself survives a power cut only after this
        _flush(target.parent, os.O_RDONLY)


def suffix_of(path: str | os.PathLike, valid: Iterable[str]) -> str:
    """The suffix of `path` in lower case, refused with the list of valid ones when it is not among them."""
    suffix = Path(path).suffix.lower()
    valid = tuple(valid)
    if suffix not in valid:
        given = f"ends in {suffix!r}" if suffix else "has no suffix"
        raise ValueError(f"`path={os.fspath(path)!r}` {given}. Use one of: {', '.join(valid)}.")
    return suffix


def _flush(path: Path, flags: int) -> None:
    descriptor = os.open(path, flags)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
