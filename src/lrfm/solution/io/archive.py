# SPDX-License-Identifier: MIT
"""One file for one document and its arrays: a zip with `document.json` and .npy members, never a pickle.

    document.json      {"format": "lrfm-solution", "version": 1, "arrays": {name: member}, "document": {...}}
    arrays/0000.npy    NumPy's own format, so that the numbers can be read without lrfm

Names of arrays are data in the document, never paths, and nothing is ever unpacked to disk. The same content
gives the same bytes, because members carry no date.

What is read is bounded by what is there, whatever the file says about its own sizes: no read is longer than the file, the
document and the number of its entries are capped, and arrays unpack to a few times the size of the file.
"""

import io
import json
import math
import os
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO

import numpy as np

from lrfm.problem.errors import Brief, clipped, shown
from lrfm.solution.io.whole import replacing

FORMAT = "lrfm-solution"
VERSION = 1
LIMIT = 4 << 30  # bytes, unpacked
LARGEST_DOCUMENT = 32 << 20  # bytes of JSON; an integration of 200 windows with 16 patches each has 10 MB
MOST_ENTRIES = 2_000_000  # commas and brackets of the JSON; each may become an object of a hundred bytes
LARGEST_READ = 16 << 20  # bytes read at once; the longest are the list of members and the document
DENSEST = 20  # times the size of the file that arrays may unpack to; random numbers do not compress at all
ALWAYS = 64 << 20  # bytes that may be unpacked whatever the size of the file
_DOCUMENT = "document.json"
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    OSError,
    RuntimeError,
    RecursionError,
    struct.error,
    KeyError,
    TypeError,
    ValueError,
    MemoryError,
)


class FileFormatError(Brief, ValueError):
    """A file is damaged, foreign, or newer than this version of lrfm.

    Examples
    --------
    >>> import lrfm, tempfile
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     lrfm.load(file.name)
    Traceback (most recent call last):
    lrfm.solution.io.archive.FileFormatError: ... is not a whole lrfm file: File is not a zip file. ...
    """


def check_numbers(name: str, array: np.ndarray) -> np.ndarray:
    """The array, refused if it holds anything but numbers."""
    _check_kind(name, array.dtype)
    return array


def _check_kind(name: str, dtype: np.dtype) -> None:
    if dtype.kind not in "biufc":  # bool, int, unsigned, float, complex
        raise TypeError(f"{name} has dtype {dtype}; a file holds arrays of numbers only.")


# Writing ------------------------------------------------------------------------------------------------------


def write_archive(path: str | os.PathLike, document: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
    """Write `document`, which JSON can hold (see `encode`), and `arrays` to one file, whole or not at all."""
    text = _head(document, arrays)
    with replacing(path) as draft, open(draft, "wb") as stream:
        _pack(stream, text, arrays)


def packed(document: dict[str, Any], arrays: dict[str, np.ndarray]) -> bytes:
    """The content of the file that `write_archive` would write."""
    stream = io.BytesIO()
    _pack(stream, _head(document, arrays), arrays)
    return stream.getvalue()


def _member(index: int) -> str:
    return f"arrays/{index:04d}.npy"


def _head(document: dict[str, Any], arrays: dict[str, np.ndarray]) -> bytes:
    for name, array in arrays.items():
        check_numbers(f"Array {shown(name)}", array)
    members = {name: _member(index) for index, name in enumerate(arrays)}
    head = {"format": FORMAT, "version": VERSION, "arrays": members, "document": document}
    return json.dumps(head, allow_nan=False, ensure_ascii=False, indent=1).encode()


def _pack(stream: BinaryIO, head: bytes, arrays: dict[str, np.ndarray]) -> None:
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr(_entry(_DOCUMENT, zipfile.ZIP_DEFLATED), head)
        for index, array in enumerate(arrays.values()):
            # random weights do not compress: stored is as small and many times faster
            with archive.open(_entry(_member(index), zipfile.ZIP_STORED), "w", force_zip64=True) as member:
                np.lib.format.write_array(member, array, allow_pickle=False)


def _entry(name: str, compression: int) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name)  # dated 1980-01-01, always
    entry.compress_type = compression
    entry.external_attr = 0o644 << 16
    return entry


# Reading ------------------------------------------------------------------------------------------------------


def read_archive(
    path: str | os.PathLike, *, limit: int = LIMIT
) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Read what `write_archive` wrote: the document and its arrays, which are read-only.

    Every checksum is verified. A file that is damaged, cut short, of another kind or newer than this version
    is refused with `FileFormatError`; so is one that would unpack to more than `limit` bytes, before it does, and
    whatever is not a regular file.
    """
    with open_regular(path) as stream:
        return unpacked(stream, os.fspath(path), limit)


def unpacked(stream: BinaryIO, name: str, limit: int = LIMIT) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """The same from an open file or from `io.BytesIO`; `name` is what messages call it."""
    try:
        with _Bounded(stream) as bounded, zipfile.ZipFile(bounded) as archive:
            return _read(archive, bounded.length, limit)
    except FileFormatError as problem:
        raise FileFormatError(f"{name!r} cannot be read. {problem}") from problem
    except _DAMAGE as problem:
        raise FileFormatError(
            f"{name!r} is not a whole lrfm file: {clipped(str(problem).rstrip('.'))}. "
            "It may be cut short, damaged or of another kind; copy it again or solve again."
        ) from problem


@contextmanager
def open_regular(path: str | os.PathLike) -> Iterator[BinaryIO]:
    """Open a file for reading; a folder, a pipe or a device, which may have no end, is refused, and so is a link to one."""
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise FileFormatError(f"{os.fspath(path)!r} is not a regular file.")
    # What is at the path may have changed since: a pipe would be waited for.
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with open(descriptor, "rb") as stream:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise FileFormatError(f"{os.fspath(path)!r} is not a regular file.")
        yield stream


def is_archive(path: str | os.PathLike) -> bool:
    """Whether a file looks like one that `write_archive` wrote, or is empty: nothing is lost where it is replaced."""
    with open_regular(path) as stream:
        head = stream.read(30 + len(_DOCUMENT))
    return not head or (head.startswith(b"PK\x03\x04") and head.endswith(_DOCUMENT.encode()))


class _Bounded(io.RawIOBase):
    """A stream of which no more is ever asked for than there is; Python sets memory aside for all that is asked for."""

    def __init__(self, stream: BinaryIO):
        self.stream, self.length = stream, stream.seek(0, os.SEEK_END)

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        return self.stream.seek(offset, whence)

    def tell(self) -> int:
        return self.stream.tell()

    def read(self, size: int | None = -1) -> bytes:
        left = max(0, self.length - self.stream.tell())
        wanted = left if size is None or size < 0 else min(size, left)
        if wanted > LARGEST_READ:
            raise FileFormatError(f"Its list of members has {wanted} bytes; at most {LARGEST_READ} are read.")
        return self.stream.read(wanted)


def _read(archive: zipfile.ZipFile, length: int, limit: int) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    size = sum(member.file_size for member in archive.infolist())
    if size > limit:
        raise FileFormatError(
            f"It unpacks to {size} bytes, and the limit is {limit}. Raise `limit` if you trust the file."
        )
    head = _document(archive, length)
    if not isinstance(head, dict) or head.get("format") != FORMAT:
        raise FileFormatError(f"Its format is not {FORMAT!r}, so it was not written by lrfm.")
    version = head.get("version")
    if type(version) is not int or not 1 <= version <= VERSION:
        raise FileFormatError(
            f"Its version is {shown(version)}, and this lrfm reads versions 1 to {VERSION}. Upgrade lrfm to read it."
        )
    members, document = head.get("arrays"), head.get("document")
    if not isinstance(members, dict) or not isinstance(document, dict):
        raise FileFormatError("Its document lacks `arrays` or `document`.")
    if len({str(member) for member in members.values()}) < len(members):
        raise FileFormatError("Two of its arrays share one member.")  # a small file could take endless memory
    found = {
        name: _info(archive, member, f"of array {shown(name)} ", length) for name, member in members.items()
    }
    needed, most = sum(info.file_size for info in found.values()), ALWAYS + DENSEST * length
    if needed > most:
        raise FileFormatError(f"Its {length} bytes would unpack to {needed}; arrays of lrfm hardly compress.")
    return document, {name: _read_array(archive, name, info) for name, info in found.items()}


def _info(archive: zipfile.ZipFile, member: object, what: str, length: int) -> zipfile.ZipInfo:
    """The entry of a member, if it can be read without harm."""
    info = archive.NameToInfo.get(member) if isinstance(member, str) else None
    if info is None:
        raise FileFormatError(f"The member {shown(member)} {what}is missing.")
    if info.compress_type not in _METHODS or info.flag_bits & 1:
        raise FileFormatError(
            f"The member {shown(member)} {what}is compressed or encrypted in a way lrfm does not write."
        )
    if info.compress_size > length or (
        info.compress_type == _METHODS[0] and info.file_size != info.compress_size
    ):
        raise FileFormatError(f"The member {shown(member)} {what}is larger than the file.")
    return info


def _document(archive: zipfile.ZipFile, length: int) -> Any:
    if _DOCUMENT not in archive.NameToInfo:
        raise FileFormatError(f"It is a zip file without {_DOCUMENT}, so it was not written by lrfm.")
    with archive.open(_info(archive, _DOCUMENT, "", length)) as stream:
        text = stream.read(LARGEST_DOCUMENT + 1)
    if len(text) > LARGEST_DOCUMENT or len(re.findall(rb"[,\[{]", text)) > MOST_ENTRIES:
        raise FileFormatError(
            f"Its {_DOCUMENT} has more than {LARGEST_DOCUMENT} bytes or {MOST_ENTRIES} entries; lrfm writes none of that size."
        )
    return json.loads(text, parse_constant=_refuse)


def _read_array(archive: zipfile.ZipFile, name: str, info: zipfile.ZipInfo) -> np.ndarray:
    with archive.open(info) as stream:
        version = np.lib.format.read_magic(stream)
        headers = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
        if version not in headers:
            raise FileFormatError(
                f"Array {shown(name)} is of version {version} of NumPy's format; 1 and 2 are read."
            )
        shape, fortran, dtype = headers[version](stream)
        _check_kind(f"Array {shown(name)}", dtype)
        if any(n < 0 for n in shape):
            raise FileFormatError(f"Array {shown(name)} has negative dimensions: {shown(shape)}.")
        size, there = math.prod(shape) * dtype.itemsize, info.file_size - stream.tell()
        if size < there:
            raise FileFormatError(f"Array {shown(name)} has more bytes than its shape {shown(shape)} needs.")
        if size > there:
            raise EOFError(f"array {shown(name)} of shape {shown(shape)} has {there} bytes only")
        array = np.ndarray(shape, dtype, _content(stream, size), order="F" if fortran else "C")
    array.flags.writeable = False
    return array


def _content(stream: Any, size: int) -> bytearray:
    """So many bytes, to the end of the member, where its checksum is verified; memory grows with what is really there."""
    content = bytearray()
    while len(content) < size:
        part = stream.read(min(LARGEST_READ, size - len(content)))
        if not part:
            raise EOFError("a member ends early")
        content += part
    if stream.read(1):
        raise EOFError("a member does not end where it should")
    return content


def _refuse(constant: str) -> None:
    raise FileFormatError(f"{constant} is not JSON.")
