# SPDX-License-Identifier: MIT
"""Where results are kept: a folder with one JSON line per task, or the memory of this process."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lrfm.parallel.tasks.task import Task, TaskResult
from lrfm.solution.io.whole import replacing

RESULTS = "results.jsonl"

Record = dict[str, Any]


def make_record(task: Task, ended: TaskResult) -> Record:
    """What is kept of a task: key, what it is about, whether it succeeded, its values."""
    return {
        "key": task.key,
        **task.about,
        "ok": not ended.message,
        "message": ended.message,
        "values": dict(ended.done.values),
        "took": ended.took,
    }


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

    def has(self, name: str) -> bool:
        """Whether a file is there."""
        return name in self.files

    def content(self, name: str) -> bytes:
        """A file."""
        return self.files[name]


class Folder:
    """`results.jsonl` with a line per attempt, the last one counting, and files beside it."""

    def __init__(self, path: str | Path):
        self.path = Path(path)

    def load(self) -> dict[str, Record]:
        """Records by key; a line cut short by an interruption is skipped."""
        found: dict[str, Record] = {}
        lines = self.path / RESULTS
        for line in lines.read_text(encoding="utf-8").splitlines() if lines.exists() else ():
            try:
                record = json.loads(line)
                found[record["key"]] = record
            except (json.JSONDecodeError, KeyError, TypeError):
                continue
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

    def has(self, name: str) -> bool:
        """Whether a file is there."""
        return (self.path / name).is_file()

    def content(self, name: str) -> bytes:
        """A file."""
        return (self.path / name).read_bytes()


Ledger = Memory | Folder
