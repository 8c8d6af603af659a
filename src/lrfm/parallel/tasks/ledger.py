# SPDX-License-Identifier: MIT
"""Where results are kept: a folder with one JSON line per task, or the memory of this process."""

from __future__ import annotations

import hashlib
import json
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lrfm.parallel.tasks.task import Task, TaskResult
from lrfm.problem.errors import counted
from lrfm.solution.io.whole import replacing

RESULTS = "results.jsonl"

Record = dict[str, Any]


def make_record(task: Task, ended: TaskResult) -> Record:
    """What is kept of a task: key, what it is about, whether it succeeded, its values, digests of its files and of the record."""
    record = {
        "key": task.key,
        **task.about,
        "ok": not ended.message,
        "message": ended.message,
        "values": dict(ended.done.values),
        "took": ended.took,
        "files": {name: _digest(content) for name, content in ended.done.files.items()},
    }
    return {**record, "digest": _digest_of(record)}


def _digest(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=12).hexdigest()


def _digest_of(record: Record) -> str:
    own = {name: value for name, value in record.items() if name != "digest"}
    return _digest(json.dumps(own, sort_keys=True).encode())


def _whole(record: Any) -> bool:
    """Whether a line has what a record has, as it was written; lines of earlier versions have no digest."""
    kinds = {"key": str, "ok": bool, "message": str, "values": dict, "took": int | float}
    if not isinstance(record, dict) or not all(isinstance(record.get(n), kind) for n, kind in kinds.items()):
        return False
    return "digest" not in record or record["digest"] == _digest_of(record)


class Memory:
    """Results of one call, kept as long as this object."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}

    def load(self) -> dict[str, Record]:
        """Nothing has been computed before."""
        return {}

    def add(self, record: Record, files: Mapping[str, bytes]) -> None:
        """Keep the files; the record is returned to the caller anyway."""
        self.files |= files

    def has(self, name: str, digest: str | None = None) -> bool:
        """Whether a file is there, and whole."""
        return name in self.files

    def content(self, name: str) -> bytes:
        """A file."""
        return self.files[name]


class Folder:
    """`results.jsonl` with a line per attempt, the last one counting, and files beside it."""

    def __init__(self, path: str | Path):
        self.path = Path(path)

    def load(self) -> dict[str, Record]:
        """Records by key; damaged lines and one cut short by an interruption are skipped, and that is said."""
        found: dict[str, Record] = {}
        lines, damaged = self.path / RESULTS, []
        for number, line in enumerate(lines.read_bytes().split(b"\n") if lines.exists() else (), 1):
            try:
                record: Any = json.loads(line.decode("utf-8")) if line.strip() else None
            except (ValueError, RecursionError):
                record = False
            if record is None:
                continue
            if _whole(record):
                found[record["key"]] = record
            else:
                damaged.append(number)
        if damaged:
            warnings.warn(
                f"{lines} is damaged in {counted(len(damaged), 'line')} (the first is line {damaged[0]}); "
                "what stood there is run again.",
                RuntimeWarning,
                stacklevel=2,
            )
        return found

    def add(self, record: Record, files: Mapping[str, bytes]) -> None:
        """Write the files, then the line that says that they are there."""
        self.path.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            target = self.path / name
            target.parent.mkdir(parents=True, exist_ok=True)
            with replacing(target) as draft:
                draft.write_bytes(content)
        with (self.path / RESULTS).open("a+b") as lines:
            # A line that was cut short must not swallow the next one.
            lines.seek(max(0, lines.tell() - 1))
            cut = lines.read(1) not in (b"", b"\n")
            lines.write((b"\n" if cut else b"") + json.dumps(record).encode() + b"\n")

    def has(self, name: str, digest: str | None = None) -> bool:
        """Whether a file is there, and whole."""
        path = self.path / name
        if not path.is_file() or not path.stat().st_size:
            return False
        return digest is None or _digest(path.read_bytes()) == digest

    def content(self, name: str) -> bytes:
        """A file."""
        return (self.path / name).read_bytes()


Ledger = Memory | Folder
