# SPDX-License-Identifier: MIT
"""Archives that lie about their sizes, hold what no solution holds, or are no files: refused with a sentence, at no cost."""

import io
import json
import os
import resource
import socket
import struct
import subprocess
import sys
import zipfile

import crafted
import numpy as np
import pytest
from helpers import PATIENCE, by_hand, environment, thinned

import lrfm
from lrfm.solution.io import FileFormatError, read_archive
from lrfm.solution.io import archive as archives

HEAD = {"format": "lrfm-solution", "version": 1, "arrays": {}, "document": {}}


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    """A solution of expansions in a file, and one of steps."""
    folder = tmp_path_factory.mktemp("good")
    few = {
        "collocation": lrfm.Collocation(interior=60, initial=20, boundary=8),
        "estimate": False,
        "strict": False,
    }
    space = lrfm.Liquid(per_patch=9, patches=2, drift=(0, 1), oscillation=(1.0, 5.0))
    problem = lrfm.catalog.allen_cahn()
    lrfm.solve(problem, **by_hand(space=space, nonlinear=lrfm.Newton(max_steps=1), **few)).save(
        folder / "expansion"
    )
    lrfm.solve(problem, method="lines", estimate=False, strict=False).save(folder / "steps")
    return folder


# Bombs --------------------------------------------------------------------------------------------------------

SCRIPT = """
import resource, sys
import lrfm
resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    lrfm.load(sys.argv[1])
except lrfm.FileFormatError as error:
    print(error)
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


def cost_of(path):
    """What loading says, and the megabytes it takes; in a process of its own, which cannot take the machine with it."""
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT, path],
        capture_output=True,
        text=True,
        env=environment(),
        timeout=PATIENCE,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    *said, megabytes = run.stdout.splitlines()
    return "\n".join(said), int(megabytes)


def member(path, name, parts, compression):
    """Write one member from parts, beside a document that refers to it."""
    with zipfile.ZipFile(path, "w") as archive:
        head = HEAD | ({"arrays": {"a": name}} if name != "document.json" else {})
        if name != "document.json":
            archive.writestr("document.json", json.dumps(head))
        info = zipfile.ZipInfo(name)
        info.compress_type = compression
        with archive.open(info, "w", force_zip64=True) as stream:
            for part in parts:
                stream.write(part)


def npy(count):
    """The header of an array of so many doubles, and its zeros in parts."""
    stream = io.BytesIO()
    np.lib.format.write_array_header_1_0(stream, {"descr": "<f8", "fortran_order": False, "shape": (count,)})
    yield stream.getvalue()
    for _ in range(count // 125_000):
        yield bytes(1_000_000)


@pytest.mark.parametrize("compression", thinned([zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2], 2))
def test_other_compressions_are_not_even_begun(tmp_path, compression):
    member(tmp_path / "bomb", "arrays/0.npy", npy(8_000_000), compression)
    assert (tmp_path / "bomb").stat().st_size < 100_000
    said, megabytes = cost_of(tmp_path / "bomb")
    assert "in a way lrfm does not write" in said
    assert megabytes < 50


def test_a_document_in_another_compression_is_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "bomb", "w", zipfile.ZIP_BZIP2) as archive:
        archive.writestr("document.json", json.dumps(HEAD))
    with pytest.raises(FileFormatError, match="does not write"):
        read_archive(tmp_path / "bomb")


def test_arrays_that_shrink_too_well_are_refused(tmp_path):
    member(tmp_path / "bomb", "arrays/0.npy", npy(12_000_000), zipfile.ZIP_DEFLATED)
    said, megabytes = cost_of(tmp_path / "bomb")
    assert "hardly compress" in said
    assert megabytes < 50


@pytest.mark.parametrize(
    "parts",
    [
        pytest.param([b"[", b" " * 40_000_000, b"]"], id="long", marks=pytest.mark.thorough),
        pytest.param([b"[", *[b"[]," * 100_000] * 30, b"[]]"], id="lists"),
        pytest.param(
            [b"[", *[b'{"a":0},' * 100_000] * 30, b"0]"], id="dictionaries", marks=pytest.mark.thorough
        ),
        pytest.param([b"[" * 3_000_000], id="deep"),
        pytest.param([b'{"a":', b"1" * 4_000_000, b"}"], id="digits", marks=pytest.mark.thorough),
    ],
)
def test_a_document_cannot_grow_without_end(tmp_path, parts):
    member(tmp_path / "bomb", "document.json", parts, zipfile.ZIP_DEFLATED)
    said, megabytes = cost_of(tmp_path / "bomb")
    assert "cannot be read" in said or "not a whole" in said
    assert megabytes < 300


@pytest.mark.parametrize("size", thinned([2**32 - 2, 2**31 - 1], 2))
@pytest.mark.parametrize("compression", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_false_size_costs_nothing(tmp_path, size, compression):
    """The list of members promises gigabytes that are not there, compressed and unpacked; so does the array's own header."""
    path = tmp_path / "bomb"
    with zipfile.ZipFile(path, "w", compression) as archive:
        archive.writestr("document.json", json.dumps(HEAD | {"arrays": {"a": "a.npy"}}))
        archive.writestr("a.npy", next(npy(size // 8 - 16)) + bytes(1000))
    content = bytearray(path.read_bytes())
    entry = content.rindex(b"PK\x01\x02")
    content[entry + 20 : entry + 28] = struct.pack("<LL", size, size)
    path.write_bytes(content)
    said, megabytes = cost_of(path)
    assert "cannot be read" in said or "not a whole" in said
    assert megabytes < 50


def test_an_endless_list_of_members_is_refused(tmp_path):
    path = tmp_path / "bomb"
    entry = struct.pack("<4s6H3L5H2L", b"PK\x01\x02", 20, 20, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0) + b"a"
    count = archives.LARGEST_READ // len(entry) + 10
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 65535, 65535, count * len(entry), 0, 0)
    path.write_bytes(entry * count + end)
    said, megabytes = cost_of(path)
    assert "list of members" in said
    assert megabytes < 100


# What is no file ----------------------------------------------------------------------------------------------


@pytest.fixture(params=["fifo", "folder", "device", "socket"])
def odd(request, tmp_path):
    if request.param == "device":
        yield "/dev/zero"
        return
    path = tmp_path / request.param
    with socket.socket(socket.AF_UNIX) as server:
        make = {"fifo": os.mkfifo, "folder": os.mkdir, "socket": lambda where: server.bind(str(where))}
        make[request.param](path)
        yield path


@pytest.mark.skipif(os.name != "posix", reason="needs pipes with names")
@pytest.mark.parametrize("linked", [False, True])
def test_what_is_not_a_regular_file_is_refused_at_once(odd, linked, tmp_path):
    if linked:
        (tmp_path / "link").symlink_to(odd)
        odd = tmp_path / "link"
    with pytest.raises(FileFormatError, match="is not a regular file"):
        lrfm.load(odd)
    with pytest.raises(FileFormatError, match="is not a regular file"):
        lrfm.solve(crafted.HEAT, **crafted.MARCH, checkpoint=odd)


# Right checksums, wrong contents --------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["expansion", "steps"])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_number_that_is_none_is_refused_in_every_array(good, tmp_path, kind, value):
    head, arrays = crafted.contents(good / kind)
    assert len(arrays) >= (5 if kind == "expansion" else 3)
    for name, array in arrays.items():
        if not array.size:
            continue
        changed = np.array(array)
        changed[(0,) * array.ndim] = value
        crafted.write(tmp_path / "changed", head, arrays | {name: changed})
        with pytest.raises(FileFormatError, match=r"not finite|chart"):
            lrfm.load(tmp_path / "changed")


@pytest.mark.parametrize("kind", ["expansion", "steps"])
@pytest.mark.parametrize(
    "change",
    [
        lambda a: a[..., None],
        lambda a: a[:0],
        lambda a: np.concatenate([a, a], axis=-1),
        lambda a: np.zeros(()),
        lambda a: a.astype(np.float32),
        lambda a: a.astype(bool),
        lambda a: a.astype(np.longdouble),
    ],
    ids=["axis", "empty", "twice", "number", "float32", "bool", "longdouble"],
)
def test_another_shape_or_kind_is_refused_in_every_array(good, tmp_path, kind, change):
    head, arrays = crafted.contents(good / kind)
    for name, array in arrays.items():
        if not array.size or array.dtype.kind == "c":
            continue
        crafted.write(tmp_path / "changed", head, arrays | {name: change(array)})
        with pytest.raises(FileFormatError):
            lrfm.load(tmp_path / "changed")


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ("pieces.0.window", {"$tuple": [0.0, {"$float": "inf"}]}),
        ("pieces.0.window", {"$tuple": [1.0, 0.0]}),
        ("pieces.0.window", {"$tuple": [0.0]}),
        ("pieces.0.space_of.u", 7),
        ("pieces.0.spaces.0.patches", {"$tuple": []}),
        ("pieces.0.spaces.0.patches.$tuple.0.frame.start", 1e400),
        ("pieces.0.spaces.0.patches.$tuple.0.factors.$tuple.0.axis", 5),
        ("pieces.0.spaces.0.patches.$tuple.0.factors.$tuple.0.before", 10**12),
        ("pieces.0.spaces.0.patches.$tuple.0.factors.$tuple.0.radius", 0.0),
        ("pieces.0.spaces.0.patches.$tuple.0.core.size", 10**12),
        ("pieces.0.spaces.0.patches.$tuple.0.core", {"$type": "Tanh"}),
        ("report.status", 7),
        ("report.warnings", 3),
        ("report.seconds", "long"),
        ("report.block_reports", {"$tuple": [5]}),
        ("report.parts", {"a": 1}),
        ("statement.equation", ["u_t = "]),
        ("statement.domain", {"x": [0, 1], "y": [0, 1]}),
        ("statement.time", [0.5, 1]),
        ("statement.name", ["a"]),
        ("statement.check_corners", "yes"),
        ("statement.unknowns", {"u": "complex"}),
    ],
)
def test_wrong_contents_are_refused_on_load(good, tmp_path, place, value):
    head, arrays = crafted.contents(good / "expansion")
    *steps, last = place.split(".")
    node = head["document"]
    for step in steps:
        node = node[int(step) if isinstance(node, list) else step]
    assert last in node or place == "report.parts"
    node[last] = value
    crafted.write(tmp_path / "changed", head, arrays)
    with pytest.raises(FileFormatError) as refused:
        lrfm.load(tmp_path / "changed")
    assert len(str(refused.value)) < 1000


def test_a_nest_of_cores_is_refused_or_evaluated(good, tmp_path):
    head, arrays = crafted.contents(good / "expansion")
    patch = head["document"]["pieces"][0]["spaces"][0]["patches"]["$tuple"][0]
    for depth in (10, 300):
        core = patch["core"]
        for _ in range(depth):
            core = {"$type": "Steady", "core": core}
        head["document"]["pieces"][0]["spaces"][0]["patches"]["$tuple"][0] = patch | {"core": core}
        crafted.write(tmp_path / "changed", head, arrays)
        try:
            crafted.use_solution(tmp_path / "changed")
        except FileFormatError:
            assert depth > 10


# Many of them ---------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_crafted_files_end_in_sentences(tmp_path):
    """Eighty archives, checkpoints and statements with wrong contents, under limits of time and memory."""
    # The same files in every run; others, and more of them, by the variables.
    seed, count = (int(os.environ.get(f"LRFM_FUZZ_{name}", n)) for name, n in (("SEED", 0), ("COUNT", 80)))
    for arguments in (("make",), (seed, count)):
        run = subprocess.run(
            [sys.executable, crafted.__file__, tmp_path, *map(str, arguments)],
            capture_output=True, text=True, env=environment(OPENBLAS_NUM_THREADS="1"), timeout=PATIENCE, check=False,
        )  # fmt: skip
        assert run.returncode == 0, run.stdout[-3000:] + run.stderr[-3000:]
    *failures, told = run.stdout.splitlines()
    told = json.loads(told)
    assert not failures, f"seed {seed}:\n" + "\n".join(failures[:60])
    assert told["sentences"] > count // 2
    assert told["usable"] > count // 20
    # The whole process, with what it takes to evaluate the usable ones; a bomb would take gigabytes.
    assert told["megabytes"] < 400
    assert told["seconds"] < 60  # of its own


def test_the_limits_of_the_script_hold():
    """What the test above relies on: a process that takes too much memory fails in it."""
    code = "import crafted, resource; resource.setrlimit(resource.RLIMIT_AS, (crafted.MEMORY,) * 2); bytearray(4 << 30)"
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment(), check=False
    )
    assert "MemoryError" in run.stderr
    assert resource.getrlimit(resource.RLIMIT_AS)[0] != crafted.MEMORY
