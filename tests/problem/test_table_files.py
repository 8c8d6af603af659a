# SPDX-License-Identifier: MIT
"""Files that are no tables: a sentence that repeats nothing of them, within limits of size, and in the studio only those that were chosen."""

from __future__ import annotations

import os
import struct

import numpy as np
import pytest
import xarray

import lrfm
from lrfm import Box, Problem, ProblemError
from lrfm.problem import table_files
from lrfm.studio.checking import check
from lrfm.studio.statement import Fields

SECRET = "hunter2"
X = np.linspace(0, 1, 21)


def read(path, **more):
    return Problem(
        "u_t = u_xx",
        domain=Box(x=(0, 1)),
        time=(0, 0.1),
        initial={"file": str(path), **more},
        boundary="u = 0",
    )


def netcdf(path, **variables):
    data = {name: ("x", values) for name, values in (variables or {"u": np.sin(np.pi * X)}).items()}
    xarray.Dataset(data, coords={"x": X}).to_netcdf(path, engine="scipy")
    return path.read_bytes()


TEXTS = [
    b"",
    b"\n",
    b"hunter2",
    b"hunter2\n",
    b"hunter2\n\n\n",
    b"hunter2,u\n",
    b"root:$6$hunter2:1:0:::\nbin:*:1:0:::\n",
    b"x,u\n0,hunter2\n1,2\n",
    b"x,u\n0,1\n1\n# hunter2\n",
    b"x,u\n0,1,hunter2\n",
    b"hunter2,x,u\n0,1\n1,2\n",
    b"hunter2;u\n0;1\n1;2\n",
    b"x,u\n0,1\n1,2\nhunter2\n",
    b"x,u\n\x00hunter2\n",
    b"x,u\n\xff\xfehunter2\n",
    b"\xff\xfeh\x00u\x00n\x00t\x00e\x00r\x002\x00",
    b'"hunter2\nhunter2\n',
    b"x,u\n" + b"9" * 200_000 + b"hunter2\n",
    b"hunter2" * 100_000,
    b"x,u," + b"hunter2," * 50_000 + b"\n0,1\n",
    b"x,u\n0,0x1hunter2\n",
    b"x,u\n0,1e999hunter2\n1,1\n",
    b"# hunter2\nx,u\n0,a\n1,2\n",
    b"x,u\r0,hunter2\r",
    b"[table]\nhunter2 = 1\n",
    b'{"hunter2": 1}',
    b"-----BEGIN OPENSSH PRIVATE KEY-----\nhunter2\n",
]


@pytest.mark.parametrize("suffix", ["csv", "nc", "toml"])
@pytest.mark.parametrize("content", TEXTS, ids=range(len(TEXTS)))
def test_nothing_of_a_file_that_is_no_table_is_repeated(tmp_path, content, suffix):
    path = tmp_path / f"given.{suffix}"
    path.write_bytes(content)
    with pytest.raises(ProblemError) as caught:
        read(path)
    assert SECRET not in str(caught.value)
    assert caught.value.__cause__ is None
    with pytest.raises(ValueError, match=r"\w") as caught:
        lrfm.Data(path)
    assert type(caught.value) in (ValueError, ProblemError)
    assert SECRET not in str(caught.value)


def test_a_row_that_does_not_fit_is_named_by_its_number(tmp_path):
    (tmp_path / "a.csv").write_text("x,u\n0,1\n0.5,b\n1,2\n")
    with pytest.raises(ProblemError, match="row 2 of its numbers"):
        read(tmp_path / "a.csv")
    (tmp_path / "a.csv").write_text("x,u\n0,1\n0.5,1\n1\n")
    with pytest.raises(ProblemError, match="row 3 of its numbers"):
        read(tmp_path / "a.csv")


def test_columns_of_one_name_are_refused(tmp_path):
    (tmp_path / "a.csv").write_text("x,u,u\n0,1,2\n1,1,2\n")
    for given in (lambda: read(tmp_path / "a.csv", column="u"), lambda: lrfm.Data(tmp_path / "a.csv")):
        with pytest.raises(ValueError, match="several columns of"):
            given()
    frame = pytest.importorskip("pandas").DataFrame([[0, 1, 2], [1, 1, 2]], columns=["x", "u", "u"])
    with pytest.raises(ProblemError, match="several columns of the name `u`"):
        Problem("u_t = u_xx", domain=Box(x=(0, 1)), time=(0, 0.1), initial=frame, boundary="u = 0")


def test_a_large_file_is_refused_before_it_is_read(tmp_path):
    """20 GB that need no room on the disk."""
    for name in ("large.csv", "large.nc"):
        with open(tmp_path / name, "wb") as stream:
            stream.write(b"x,u\n0,1\n1,2\n" if name.endswith("csv") else b"CDF\x01")
            stream.truncate(20 << 30)
        with pytest.raises(ProblemError, match="more than 512 MB"):
            read(tmp_path / name)
    with pytest.raises(ValueError, match="more than 512 MB"):
        lrfm.Data(tmp_path / "large.csv")


def test_a_file_that_is_longer_than_it_says_is_broken_off(tmp_path, monkeypatch):
    """Files of the kernel have the size 0, whatever they hold."""
    (tmp_path / "a.csv").write_text("x,u\n" + "0,1\n" * 1000)
    monkeypatch.setattr(table_files, "check_readable", lambda *a: None)
    monkeypatch.setattr(table_files, "LARGEST_FILE", 1000)
    with pytest.raises(ProblemError, match="more than"):
        read(tmp_path / "a.csv")
    monkeypatch.setattr(table_files, "LARGEST_FILE", 1 << 20)
    monkeypatch.setattr(table_files, "CELLS", 100)
    with pytest.raises(ProblemError, match="more than 50 rows"):
        read(tmp_path / "a.csv")


@pytest.mark.skipif(os.name != "posix", reason="needs pipes with names")
@pytest.mark.parametrize(
    "name", ["pipe", "folder", "missing", "/dev/zero", "/dev/stdin", "a\0b", "n" * 5000, "\ud800"]
)
def test_what_is_no_regular_file_is_refused_at_once(tmp_path, name):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    for given in (lambda: read(tmp_path / name), lambda: lrfm.Data(tmp_path / name)):
        with pytest.raises(ProblemError, match="is no file"):
            given()


def test_damaged_netcdf_ends_in_a_sentence(tmp_path):
    """Fifty places of a good file cut off or overwritten: a table or a sentence, and nothing else."""
    path = tmp_path / "a.nc"
    good = netcdf(path)
    rng = np.random.default_rng(0)
    refused = 0
    for case in range(50):
        content = bytearray(good)
        place = int(rng.integers(4, len(good)))
        if case % 2:
            content = content[:place]
        else:
            content[place : place + 8] = struct.pack(">q", int(rng.integers(-(2**62), 2**62)))[
                : len(good) - place
            ]
        path.write_bytes(bytes(content))
        try:
            read(path)
        except ProblemError:
            refused += 1
    assert refused > 20


def test_netcdf_of_other_things_than_numbers(tmp_path):
    path = tmp_path / "a.nc"
    netcdf(path, u=np.array(["hunter2"] * len(X)))
    with pytest.raises(ProblemError, match=r"expected at most .* numbers"):
        read(path)
    netcdf(path, u=X, v=X)
    with pytest.raises(ProblemError, match="say which one"):
        read(path)


# In the studio ------------------------------------------------------------------------------------------------

HEAT = dict(equation="u_t = u_xx", domain="x in [0, 1]", time="0, 0.1", boundary="u = 0")


@pytest.mark.parametrize(
    "fields",
    [
        {"initial": "file = {}"},
        {"initial": "file = {}\ncolumn = u"},
        {"initial": "u.file = {}"},
        {"initial": "sin(pi*x)", "final": "file = {}"},
        {"initial": "sin(pi*x)", "parameters": "k.file = {}", "equation": "u_t = k*u_xx"},
        {
            "initial": "sin(pi*x)",
            "parameters": "\ufb01le = {}",
        },  # one letter for fi, which names are read without
        {"initial": "sin(pi*x)", "parameters": "k.\ufb01le = {}", "equation": "u_t = k*u_xx"},
    ],
)
def test_a_link_cannot_read_a_file(tmp_path, fields):
    """Not even whether it is there is told."""
    path = tmp_path / "ic.csv"
    told = []
    for there in (False, True):
        if there:
            path.write_text("x,u\n0,0\n0.5,1\n1,0\n")
        linked = Fields.from_link(Fields(**{**HEAT, **{k: v.format(path) for k, v in fields.items()}}).link())
        answer = check(linked)
        assert not answer["ok"]
        told.append(answer["error"]["message"])
        with pytest.raises(ProblemError):
            linked.python()
    assert told[0] == told[1]


def test_a_file_that_was_chosen_is_read(tmp_path):
    path = tmp_path / "ic.csv"
    np.savetxt(path, np.column_stack([X, np.sin(np.pi * X)]), delimiter=",", header="x,u", comments="")
    fields = Fields(**HEAT, initial="file = ic.csv")
    chosen = {"ic.csv": path}
    assert check(fields, chosen)["ok"]
    problem = fields.statement(chosen).problem
    (datum,) = problem.initial_data.values()
    assert datum(np.array([[0.5, 0.0]])) == pytest.approx(1, abs=1e-8)
    assert "{'file': 'ic.csv'}" in fields.python(tables=chosen)
    assert not check(Fields(**HEAT, initial=f"file = {path}"), chosen)["ok"]
    assert not check(Fields(**HEAT, initial="file = ./sub/../ic.csv"), chosen)["ok"]
