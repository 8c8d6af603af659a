# SPDX-License-Identifier: MIT
"""A file that grows frame by frame, each whole or not at all.

    MAGIC  [head payload tail] [head payload tail] ...
    head = mark, number, count, length      tail = digest of the payload, number, count, length, mark

What was being written when a process was killed is a frame without its tail: it is as if it had never been begun. A frame
costs its own length, however long the file is. `number` and `count` belong to whoever writes.
"""

from __future__ import annotations

import hashlib
import os
import struct
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import BinaryIO, NamedTuple

from lrfm.solution.io.archive import FileFormatError, open_regular
from lrfm.solution.io.whole import replacing

MAGIC = b"lrfm frames 1\n\x00\x00"
_HEAD = struct.Struct("<8s3Q")
_TAIL = struct.Struct("<16s3Q8s")
_BEGIN, _END = b"lrfm>>>\n", b"<<<lrfm\n"


class Frame(NamedTuple):
    """Something to keep, and two numbers that say where it belongs."""

    number: int
    count: int
    payload: bytes


def write_frames(path: str | os.PathLike, frames: Iterable[Frame]) -> None:
    """A new file, whole or not at all."""
    with replacing(path) as draft, open(draft, "wb") as stream:
        stream.write(MAGIC)
        for frame in frames:
            stream.write(_spelled(frame))


def append_frames(path: str | os.PathLike, frames: Iterable[Frame]) -> None:
    """More frames; where they cannot be written, the file stays as it was."""
    with open(path, "r+b", buffering=0) as stream:
        end = stream.seek(0, os.SEEK_END)
        try:
            content = memoryview(b"".join(map(_spelled, frames)))
            while content:
                content = content[stream.write(content) :]
            os.fsync(stream.fileno())
        except OSError:
            with suppress(OSError):
                stream.truncate(end)
            raise


def is_framed(path: str | os.PathLike) -> bool:
    """Whether a file begins like one of these."""
    with open_regular(path) as stream:
        return stream.read(len(MAGIC)) == MAGIC


def read_frames(path: str | os.PathLike) -> tuple[list[Frame], int]:
    """All whole frames, and where they end; a last one that was cut short is left out, a damaged one before others is refused."""
    with open_regular(path) as stream:
        frames = list(_frames(stream, path))
    return frames, len(MAGIC) + sum(_HEAD.size + len(f.payload) + _TAIL.size for f in frames)


def _spelled(frame: Frame) -> bytes:
    numbers = frame.number, frame.count, len(frame.payload)
    tail = _TAIL.pack(_digest(frame.payload), *numbers, _END)
    return b"".join((_HEAD.pack(_BEGIN, *numbers), frame.payload, tail))


def _digest(payload: bytes) -> bytes:
    return hashlib.blake2b(payload, digest_size=16).digest()


def _head(stream: BinaryIO) -> tuple[int, int, int] | None:
    content = stream.read(_HEAD.size)
    if len(content) < _HEAD.size:
        return None
    mark, *numbers = _HEAD.unpack(content)
    return tuple(numbers) if mark == _BEGIN else None


def _frames(stream: BinaryIO, path: str | os.PathLike) -> Iterator[Frame]:
    size = stream.seek(0, os.SEEK_END)
    stream.seek(0)
    if stream.read(len(MAGIC)) != MAGIC:
        return
    where = len(MAGIC)
    while where < size:
        head = _head(stream)
        if head is not None and head[2] > size - where:
            return  # cut short
        payload = stream.read(head[2]) if head else b""
        tail, where = stream.read(_TAIL.size), stream.tell()
        if head is not None and tail == _TAIL.pack(_digest(payload), *head, _END):
            yield Frame(head[0], head[1], payload)
        elif where < size:
            raise FileFormatError(
                f"{os.fspath(path)!r} is damaged in its middle; delete it, or copy it again."
            )
