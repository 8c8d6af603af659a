# SPDX-License-Identifier: MIT
"""Files that are written whole or not at all."""

import os
import secrets
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None

DRAFT = ".lrfm-draft-"


@contextmanager
def replacing(path: str | os.PathLike) -> Iterator[Path]:
    """Yield a draft path beside `path`; it becomes `path` in one step on success, and vanishes on failure.

    The draft has the suffix of `path`, because writers choose a format by suffix. It lies in the same folder,
    because `os.replace` is one step only inside a file system. A writer that fails leaves the old file as is; one that is
    killed leaves its draft, which the next one in this folder removes. The permissions of an old file are kept.
    """
    target = target_of(path)
    clear_drafts(target.parent)
    with _held(target) as draft:
        try:
            yield draft
            _flush(draft, os.O_RDWR)
            if target.exists():
                os.chmod(draft, stat.S_IMODE(target.stat().st_mode))
            os.replace(draft, target)
        except BaseException:
            draft.unlink(missing_ok=True)
            raise
    if os.name == "posix":  # the new directory entry itself survives a power cut only after this
        _flush(target.parent, os.O_RDONLY)


def try_writing(path: str | os.PathLike) -> None:
    """Raise now what writing to `path` would raise later; nothing is left behind."""
    target = target_of(path)
    clear_drafts(target.parent)
    with _held(target) as draft:
        try:
            draft.write_bytes(b"can this be written?")
        finally:
            draft.unlink(missing_ok=True)


def clear_drafts(folder: Path) -> None:
    """Remove the drafts of processes that were killed; one that is being written is locked."""
    if fcntl is None:
        return
    with suppress(OSError), os.scandir(folder) as entries:
        for name in [entry.name for entry in entries if entry.name.startswith(DRAFT)]:
            with suppress(OSError), open(folder / name, "rb") as draft:
                fcntl.flock(draft, fcntl.LOCK_EX | fcntl.LOCK_NB)
                os.unlink(folder / name)


@contextmanager
def _held(target: Path) -> Iterator[Path]:
    """A new, empty draft beside `target`, locked for as long as it is written; the system frees the lock of a process that dies.

    Between its making and its lock another process may take it for one of the killed and remove it: then there is another one.
    """
    while True:
        draft = target.with_name(f"{DRAFT}{secrets.token_hex(8)}{target.suffix}")
        with open(draft, "xb") as stream:
            if fcntl is not None:
                with suppress(OSError):  # a file system without locks; nobody removes drafts there
                    fcntl.flock(stream, fcntl.LOCK_EX)
                if not _is(draft, stream.fileno()):
                    continue
                yield draft
                return
        yield draft
        return


def _is(path: Path, descriptor: int) -> bool:
    """Whether a name still belongs to an open file."""
    try:
        return os.path.samestat(os.stat(path), os.fstat(descriptor))
    except FileNotFoundError:
        return False


def target_of(path: str | os.PathLike) -> Path:
    """The file behind a path and its links, refused where it cannot or should not be replaced."""
    target, given = Path(os.path.realpath(path)), f"`path={os.fspath(path)!r}`"
    if not target.parent.is_dir():
        raise FileNotFoundError(
            f"{given} lies in a folder that does not exist. Create {str(target.parent)!r} first."
        )
    if target.is_dir():
        raise IsADirectoryError(f"{given} is a folder. Give the name of a file.")
    if target.exists() and not target.is_file():
        raise FileExistsError(
            f"{given} is a device, a pipe or a socket, not a regular file; it is not replaced."
        )
    if target.exists() and not os.access(target, os.W_OK):
        raise PermissionError(f"{given} may not be written: its permissions do not allow it.")
    return target


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
