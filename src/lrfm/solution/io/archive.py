# SPDX-License-Identifier: MIT
"""One file for one document and its arrays: a zip with `document.json` and .npy members, never a pickle.

    document.json      {"format": "lrfm-solution", "version": 1, "arrays": {name: member}, "document": {...}}
    arrays/0000.npy    NumPy's own format, so that the numbers can be read without lrfm

Names of arrays are data in the document, never paths, and nothing is ever unpacked to disk. The same content
gives the same bytes, because members carry no date.
"""

import json
import os
import struct
import zipfile
import zlib
from typing import Any

import numpy as np

from lrfm.solution.io.whole import replacing

FORMAT = "lrfm-solution"
VERSION = 1
LIMIT = 4 << 30  # bytes, unpacked
_DOCUMENT = "document.json"
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


class FileFormatError(ValueError):
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
    if array.dtype.kind not in "biufc":  # bool, int, unsigned, float, complex
        raise TypeError(f"{name} has dtype {array.dtype}; a file holds arrays of numbers only.")
    return array


def write_archive(path: str | os.PathLike, document: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
    """Write `document`, which JSON can hold (see `encode`), and `arrays` to one file, whole or not at all."""
    members = {name: f"arrays/{index:04d}.npy" for index, name in enumerate(arrays)}
    head = {"format": FORMAT, "version": VERSION, "arrays": members, "document": document}
    text = json.dumps(head, allow_nan=False, ensure_ascii=False, indent=1).encode()
    for name, array in arrays.items():
        check_numbers(f"Array {name!r}", array)
    with replacing(path) as draft, zipfile.ZipFile(draft, "x") as archive:
        archive.writestr(_entry(_DOCUMENT, zipfile.ZIP_DEFLATED), text)
        for name, array in arrays.items():
            # random weights do not compress: stored is as small and many times faster
            with archive.open(_entry(members[name], zipfile.ZIP_STORED), "w", force_zip64=True) as member:
                np.lib.format.write_array(member, array, allow_pickle=False)


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
        except _DAMAGE as problem:
            raise FileFormatError(
                f"{os.fspath(path)!r} is not a whole lrfm file: {str(problem).rstrip('.')}. "
                "It may be cut short, damaged or of another kind; copy it again or solve again."
            ) from problem


def _read(archive: zipfile.ZipFile, limit: int) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    size = sum(member.file_size for member in archive.infolist())
    if size > limit:
        raise FileFormatError(
            f"It unpacks to {size} bytes, and the limit is {limit}. Raise `limit` if you trust the file."
        )
    if _DOCUMENT not in archive.namelist():
        raise FileFormatError(f"It is a zip file without {_DOCUMENT}, so it was not written by lrfm.")
    head = json.loads(archive.read(_DOCUMENT), parse_constant=_refuse)
    if not isinstance(head, dict) or head.get("format") != FORMAT:
        raise FileFormatError(f"Its format is not {FORMAT!r}, so it was not written by lrfm.")
    version = head.get("version")
    if type(version) is not int or not 1 <= version <= VERSION:
        raise FileFormatError(
            f"Its version is {version!r}, and this lrfm reads versions 1 to {VERSION}. Upgrade lrfm to read it."
        )
    members, document = head.get("arrays"), head.get("document")
    if not isinstance(members, dict) or not isinstance(document, dict):
        raise FileFormatError("Its document lacks `arrays` or `document`.")
    if len({str(member) for member in members.values()}) < len(members):
        raise FileFormatError("Two of its arrays share one member.")  # a small file could take endless memory
    return document, {name: _read_array(archive, name, member) for name, member in members.items()}


def _read_array(archive: zipfile.ZipFile, name: str, member: Any) -> np.ndarray:
    if member not in archive.namelist():
        raise FileFormatError(f"The member {member!r} of array {name!r} is missing.")
    with archive.open(member) as stream:
        array = check_numbers(f"Array {name!r}", np.lib.format.read_array(stream, allow_pickle=False))
        if stream.read(1):  # to the end, where the checksum is verified
            raise FileFormatError(f"Array {name!r} has more bytes than its shape {array.shape} needs.")
    array.flags.writeable = False
    return array


def _entry(name: str, compression: int) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name)  # dated 1980-01-01, always
    entry.compress_type = compression
    entry.external_attr = 0o644 << 16
    return entry


def _refuse(constant: str) -> None:
    raise FileFormatError(f"{constant} is not JSON.")
