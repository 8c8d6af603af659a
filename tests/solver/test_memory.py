# SPDX-License-Identifier: MIT
"""Limits of control groups, as containers and batch systems set them, count as the memory there is."""

from pathlib import Path

import pytest

from lrfm.solver.planning import available_memory, group_memory

GB = 2**30


def made(root, cgroup, files):
    """A tree of files as the system shows them."""
    for name, content in {"proc/self/cgroup": cgroup, **files}.items():
        path = Path(root) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(str(content))
    return str(root)


def test_version_two(tmp_path):
    root = made(
        tmp_path, "0::/jobs/mine\n",
        {
            "sys/fs/cgroup/jobs/mine/memory.max": "max\n",
            "sys/fs/cgroup/jobs/mine/memory.current": GB,
            "sys/fs/cgroup/jobs/mine/memory.stat": "anon 5\n",
            "sys/fs/cgroup/jobs/memory.max": 4 * GB,
            "sys/fs/cgroup/jobs/memory.current": 3 * GB,
            "sys/fs/cgroup/jobs/memory.stat": f"anon 5\ninactive_file {GB}\n",
        },
    )  # fmt: skip
    assert group_memory(root) == 2 * GB  # that of the group around; a gigabyte of files can be dropped


def test_inside_of_a_container_the_group_is_the_top(tmp_path):
    root = made(
        tmp_path, "0::/../outside\n",
        {
            "sys/fs/cgroup/memory.max": GB,
            "sys/fs/cgroup/memory.current": 0,
            "sys/fs/cgroup/memory.stat": "inactive_file 0\n",
        },
    )  # fmt: skip
    assert group_memory(root) == GB


def test_version_one(tmp_path):
    top = "sys/fs/cgroup/memory"
    root = made(
        tmp_path, "11:cpu,cpuacct:/x\n4:memory:/slurm/job\n1:name=systemd:/y\n0::/z\n",
        {
            f"{top}/memory.limit_in_bytes": 9223372036854771712,
            f"{top}/memory.usage_in_bytes": 7 * GB,
            f"{top}/memory.stat": "total_inactive_file 0\n",
            f"{top}/slurm/job/memory.limit_in_bytes": 3 * GB,
            f"{top}/slurm/job/memory.usage_in_bytes": GB,
            f"{top}/slurm/job/memory.stat": "cache 1\ntotal_inactive_file 0\n",
        },
    )  # fmt: skip
    assert group_memory(root) == 2 * GB


@pytest.mark.parametrize("cgroup", ["", "nonsense", "0::/a\n", "4:memory:/a\n"])
def test_where_nothing_is_said_there_is_no_limit(tmp_path, cgroup):
    assert group_memory(made(tmp_path, cgroup, {})) is None
    assert group_memory(str(tmp_path / "nowhere")) is None


def test_the_least_limit_counts(monkeypatch):
    monkeypatch.setattr("lrfm.solver.planning.group_memory", lambda: 12345)
    assert available_memory() == 12345
    monkeypatch.setattr("lrfm.solver.planning.group_memory", lambda: None)
    assert available_memory() > 12345
