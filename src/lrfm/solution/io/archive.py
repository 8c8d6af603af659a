# SPDX-License-Identifier: MIT
"""One file for one document and its arrays: a zip with `document.json` and .npy members, never a pickle.

    document.json      {"format": "lrfm-solution", "version": 1, "arrays": {name: member}, "document": {...}}
    arrays/0000.npy    NumPy's own format, so that the numbers can be read without lrfm

Names of arrays are data in the document, never paths, and nothing is ever unpacked to disk. The same content
gives the same bytes, because members carry no date.
"""

import math
import os
import struct
import zipfile
import zlib
from pathlib import PurePosixPath
from typing import Any

import numpy as np

from lrfm.solution.io.plain import FileFormatError, dumps, loads
from lrfm.solution.io.whole import replacing

FORMAT = "lrfm-solution"
VERSION = 1
LIMIT = 4 << 30  # bytes, unpacked
_DOCUMENT = "document.json"
_KINDS = "biufc"  # bool, int, unsigned, float, complex
_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    OSError,
    RuntimeError,
    struct.error,
    KeyError,
    ValueError,
)


def write_archive(path: str | os.PathLike, document: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
    """Write `document` and `arrays` to one file, whole or not at all.

    The document holds dicts with text keys, lists, texts, numbers (inf, nan and complex too) and None; keys
    that begin with a dollar sign are reserved for `encode`.
    """
    for name, array in arrays.items():
        dtype = np.asarray(array).dtype
        if dtype.kind not in _KINDS:
            raise TypeError(f"Array {name!r} has dtype {dtype}; a file holds arrays of numbers only.")
    members = {name: f"arrays/{index:04d}.npy" for index, name in enumerate(arrays)}
    head = dumps({"format": FORMAT, "version": VERSION, "arrays": members, "document": document})
    with replacing(path) as draft, zipfile.ZipFile(draft, "x") as archive:
        archive.writestr(_entry(_DOCUMENT, zipfile.ZIP_DEFLATED), head)
        for name, array in arrays.items():
            # random weights do not compress: stored is as small and many times faster
            with archive.open(_entry(members[name], zipfile.ZIP_STORED), "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.asarray(array), allow_pickle=False)


def read_archive(
    path: str | os.PathLike, *, limit: int = LIMIT
) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Read what `write_archive` wrote: the document and its arrays, which are read-only.

    Every checksum is verified. A file that is damaged, cut short, of another kind or newer than this version
    is refused with `FileFormatError`; so is one that would unpack to more than `limit` bytes, before it does.
    """
    with open(path, "rb") as stream:
        try:
            with zipfile.ZipFile(stream) as archive:
                return _read(archive, limit)
        except FileFormatError as problem:
            raise FileFormatError(f"{os.fspath(path)!r} cannot be read. {problem}") from problem
        except (*_DAMAGE, MemoryError) as problem:
            raise FileFormatError(
                f"{os.fspath(path)!r} is not a whole lrfm file: {str(problem).rstrip('.')}. "
                "It may be cut short, damaged or of another kind; copy it again or solve again."
            ) from problem


def _read(archive: zipfile.ZipFile, limit: int) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    _check_members(archive.infolist(), limit)
    if _DOCUMENT not in archive.namelist():
        raise FileFormatError(f"It is a zip file without {_DOCUMENT}, so it was not written by lrfm.")
    head = loads(archive.read(_DOCUMENT))
    if not isinstance(head, dict) or head.get("format") != FORMAT:
        raise FileFormatError(f"Its format is not {FORMAT!r}, so it was not written by lrfm.")
    version = head.get("version")
    if type(version) is not int or version < 1:
        raise FileFormatError(f"Its version is {version!r}; a whole number from 1 was expected.")
    if version > VERSION:
        raise FileFormatError(
            f"Its version is {version}, and this lrfm reads up to version {VERSION}. Upgrade lrfm to read it."
        )
    members, document = head.get("arrays"), head.get("document")
    if not isinstance(members, dict) or not isinstance(document, dict):
        raise FileFormatError("Its document lacks `arrays` or `document`.")
    if len({str(member) for member in members.values()}) < len(members):
        raise FileFormatError(
            "Two of its arrays share one member."
        )  # a small file could ask for endless memory
    return document, {name: _read_array(archive, name, member) for name, member in members.items()}


def _check_members(members: list[zipfile.ZipInfo], limit: int) -> None:
    """Refuse what no lrfm file has: names that lead out of it, names twice, sizes beyond the limit."""
    names = [member.filename for member in members]
    for name in names:
        parts = PurePosixPath(name.replace("\\", "/")).parts
        if ".." in parts or name.startswith(("/", "\\")) or ":" in name:
            raise FileFormatError(f"It holds a member {name!r} whose name leads out of the archive.")
    if len(set(names)) < len(names):
        raise FileFormatError("It holds two members of one name.")
    size = sum(member.file_size for member in members)
    if size > limit:
        raise FileFormatError(
            f"It unpacks to {size} bytes, and the limit is {limit}. Raise `limit` if you trust the file."
        )


def _read_array(archive: zipfile.ZipFile, name: str, member: Any) -> np.ndarray:
    """One array; its declared shape must agree with the size of its member before memory is taken."""
    if not isinstance(member, str) or member not in archive.namelist():
        raise FileFormatError(f"The member {member!r} of array {name!r} is missing.")
    with archive.open(member) as stream:
        version = np.lib.format.read_magic(stream)
        if version not in ((1, 0), (2, 0)):
            raise FileFormatError(f"Array {name!r} has .npy version {version}; 1.0 or 2.0 was expected.")
        read_header = (
            np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        )
        shape, fortran, dtype = read_header(stream)
        if dtype.hasobject or dtype.kind not in _KINDS:
            raise FileFormatError(f"Array {name!r} has dtype {dtype}; arrays of numbers were expected.")
        left = archive.getinfo(member).file_size - stream.tell()
        if any(length < 0 for length in shape) or math.prod(shape) * dtype.itemsize != left:
            raise FileFormatError(
                f"Array {name!r} declares shape {shape}, which does not fit its {left} bytes."
            )
        # read to the end: the checksum of the member is verified there
        array = np.frombuffer(stream.read(), dtype=dtype)
    return array.reshape(shape, order="F" if fortran else "C")  # a view of bytes, hence read-only


def _entry(name: str, compression: int) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name)  # dated 1980-01-01, always
    entry.compress_type = compression
    entry.external_attr = 0o644 << 16
    return entry
