# SPDX-License-Identifier: MIT
"""The archive, the codec and the exports: what goes in comes out, and what is not ours is refused."""

import base64
import json
import struct
import sys
import zipfile
from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType
from xml.etree import ElementTree

import numpy as np
import pytest
import xarray
from helpers import FakeSolution, examples
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from scipy.io import netcdf_file

import lrfm
from lrfm.solution.exports import export
from lrfm.solution.io import FileFormatError, MissingFunction, decode, encode, read_archive, write_archive
from lrfm.solution.io.dataset import to_xarray
from lrfm.solution.io.vtu import cells


def line():
    return FakeSolution(
        {"u": lambda x, t: np.sin(x + t), "psi": lambda x, t: np.exp(1j * x) + t}, {"x": (-1.0, 1.0)}
    )


def plane():
    return FakeSolution({"u": lambda x, y, t: x + 10 * y + 100 * t}, {"x": (0.0, 1.0), "y": (0.0, 2.0)})


def cube():
    axes = {"x": (0.0, 1.0), "y": (0.0, 2.0), "z": (0.0, 3.0)}
    return FakeSolution({"u": lambda x, y, z, t: x + 10 * y + 100 * z + t}, axes)


# The archive ------------------------------------------------------------------------------------------

ARRAYS = {
    "weights": np.random.default_rng(0).normal(size=(5, 3)),
    "../odd name": np.asfortranarray(np.arange(6).reshape(2, 3)),
    "empty": np.zeros((0, 4)),
    "scalar": np.array(3.5),
    "complex": np.array([1 + 2j, np.nan]),
    "bool": np.array([True, False]),
    "big-endian": np.arange(3, dtype=">f8"),
}


@pytest.fixture
def path(tmp_path):
    """A good file with arrays of every kind."""
    write_archive(tmp_path / "run.lrfm", {"a": [1, "inf", None]}, ARRAYS)
    return tmp_path / "run.lrfm"


def rebuild(path, change=None, rename=None, **extra):
    """Write the zip file again with one member changed, renamed or added."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    if change:
        members[change[0]] = change[1](members[change[0]])
    if rename:
        members[rename[1]] = members.pop(rename[0])
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in (members | extra).items():
            archive.writestr(name, content)


def edit_document(**changes):
    return "document.json", lambda text: json.dumps(json.loads(text) | changes).encode()


def test_archive_round_trip(path):
    document, arrays = read_archive(path)
    assert document == {"a": [1, "inf", None]}
    assert list(arrays) == list(ARRAYS)
    for name, array in ARRAYS.items():
        np.testing.assert_array_equal(arrays[name], array)
        assert (arrays[name].dtype, arrays[name].shape) == (array.dtype, array.shape)
        assert not arrays[name].flags.writeable
    assert arrays["../odd name"].flags.f_contiguous


def test_archive_is_readable_without_lrfm(path):
    with zipfile.ZipFile(path) as archive:
        head = json.loads(archive.read("document.json"))
        assert (head["format"], head["version"]) == ("lrfm-solution", 1)
        with archive.open(head["arrays"]["weights"]) as member:
            np.testing.assert_array_equal(np.load(member, allow_pickle=False), ARRAYS["weights"])


def test_the_same_content_gives_the_same_bytes(path, tmp_path):
    write_archive(tmp_path / "again.lrfm", {"a": [1, "inf", None]}, ARRAYS)
    assert path.read_bytes() == (tmp_path / "again.lrfm").read_bytes()


@examples(60)
@given(st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.complex_numbers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text().filter(lambda key: key[:1] != "$"), inner),
    max_leaves=8,
))  # fmt: skip
def test_any_document_survives_json(document):
    plain, arrays = encode(document)
    text = json.dumps(plain, allow_nan=False)  # plain JSON: no NaN, no Infinity
    assert repr(decode(json.loads(text), arrays, {})) == repr(document)


@pytest.mark.parametrize("exception", [OSError("disk full"), KeyboardInterrupt()])
def test_an_interrupted_write_leaves_the_old_file(path, monkeypatch, exception):
    old, calls = path.read_bytes(), []

    def fail(stream, array, **options):
        calls.append(stream.write(b"half an array"))
        raise exception

    monkeypatch.setattr("numpy.lib.format.write_array", fail)
    with pytest.raises(type(exception)):
        write_archive(path, {}, ARRAYS)
    assert calls
    assert path.read_bytes() == old
    assert list(path.parent.iterdir()) == [path]


def test_objects_are_not_written(tmp_path):
    with pytest.raises(TypeError, match="arrays of numbers only"):
        write_archive(tmp_path / "run.lrfm", {}, {"a": np.array([{}])})
    with pytest.raises(TypeError, match="set is not JSON serializable"):
        write_archive(tmp_path / "run.lrfm", {"a": {1}}, {})
    assert not list(tmp_path.iterdir())


def test_every_truncation_is_refused(path):
    whole = path.read_bytes()
    for size in range(0, len(whole), 37):
        path.write_bytes(whole[:size])
        with pytest.raises(FileFormatError):
            read_archive(path)


def test_no_flipped_byte_changes_the_numbers(path):
    """A flip is noticed, or it lies in bytes that carry no content (dates, attributes)."""
    whole = path.read_bytes()
    good = encode(read_archive(path))[1]
    for position in range(0, len(whole), 11):
        path.write_bytes(whole[:position] + bytes([whole[position] ^ 0x55]) + whole[position + 1 :])
        try:
            document, arrays = read_archive(path)
        except FileFormatError:
            continue
        assert document == {"a": [1, "inf", None]}
        for name, array in encode((document, arrays))[1].items():
            np.testing.assert_array_equal(array, good[name])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (edit_document(version=2), "reads versions 1 to 1. Upgrade lrfm"),
        (edit_document(version="1"), "version is '1'"),
        (edit_document(format="other"), "not written by lrfm"),
        (edit_document(arrays=[]), "lacks `arrays`"),
        (edit_document(arrays={"a": "arrays/9999.npy"}), "is missing"),
        (edit_document(arrays={"a": ["x"]}), "is missing"),
        (edit_document(arrays={"a": "document.json"}), "magic"),
        (edit_document(arrays={"a": "arrays/0000.npy", "b": "arrays/0000.npy"}), "share one member"),
        (("document.json", lambda text: text[:-3]), "not a whole lrfm file"),
        (("document.json", lambda text: b"[" * 10**5), "recursion"),
        (("document.json", lambda text: text.replace(b"null", b"NaN")), "NaN is not JSON"),
        (("document.json", lambda text: b"\xff\xfe"), "not a whole"),
        (("arrays/0000.npy", lambda data: data[:-8]), "not a whole"),
        (("arrays/0000.npy", lambda data: data + b"more"), "more bytes than its shape"),
        (("arrays/0000.npy", lambda data: data.replace(b"(5, 3)", b"(-5,3)")), "negative dimensions"),
        (("arrays/0000.npy", lambda data: data.replace(b"(5, 3), }    ", b"(5, 3000000)}")), "not a whole"),
        (("arrays/0000.npy", lambda data: data.replace(b"(5, 3), }        ", b"(5, 3000000000)}"[:17].ljust(17))), "not a whole"),
        (("arrays/0000.npy", lambda data: data.replace(b"'<f8'", b"'|O' ")), "arrays of numbers"),
        (("arrays/0000.npy", lambda data: data.replace(b"'<f8'", b"'<U2'")), "arrays of numbers"),
        (("arrays/0000.npy", lambda data: b"\x93NUMPY\x07" + data[7:]), "version"),
    ],
)  # fmt: skip
def test_manipulated_files_are_refused(path, change, message):
    rebuild(path, change)
    with pytest.raises(FileFormatError, match=message):
        read_archive(path)


def test_other_members_are_ignored(path):
    rebuild(path, **{"notes.txt": b"hello"})
    assert read_archive(path)[0] == {"a": [1, "inf", None]}


def test_a_zip_bomb_is_refused_before_it_unpacks(path):
    rebuild(path, bomb=bytes(50_000_000))
    assert path.stat().st_size < 200_000
    with pytest.raises(FileFormatError, match="the limit is 10000000"):
        read_archive(path, limit=10_000_000)
    assert read_archive(path)[0]


def test_a_bomb_that_lies_about_its_size_is_refused(path):
    rebuild(path, bomb=bytes(1_000_000))
    with zipfile.ZipFile(path) as archive:
        info = archive.getinfo("document.json")
    data = path.read_bytes()
    size = struct.pack("<L", info.file_size)
    path.write_bytes(data.replace(size, struct.pack("<L", 10)))
    with pytest.raises(FileFormatError):
        read_archive(path)


@pytest.mark.parametrize("content", [b"", b"x,y\n1,2\n", b"\x89HDF\r\n", b"PK\x05\x06" + bytes(18)])
def test_foreign_files_are_refused(tmp_path, content):
    (tmp_path / "foreign").write_bytes(content)
    with pytest.raises(FileFormatError, match="foreign"):
        read_archive(tmp_path / "foreign")


def test_a_file_that_is_not_there_is_not_called_damaged(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_archive(tmp_path / "nothing.lrfm")


# The codec ------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Leaf:
    weights: np.ndarray
    name: str = "leaf"
    size: int = field(init=False, default=0)

    def __post_init__(self):
        object.__setattr__(self, "size", self.weights.size)


@dataclass(frozen=True)
class Tree:
    left: object
    right: object = None


class Axes:
    """Not a dataclass, and built from free keywords."""

    def __init__(self, **axes):
        self.axes = axes


def through_a_file(tree, tmp_path, **options):
    plain, arrays = encode(tree)
    json.dumps(plain, allow_nan=False)
    write_archive(tmp_path / "tree.lrfm", {"tree": plain}, arrays)
    document, arrays = read_archive(tmp_path / "tree.lrfm")
    return decode(document["tree"], arrays, {"Leaf": Leaf, "Tree": Tree}, **options)


def test_a_tree_of_dataclasses_survives_a_file(tmp_path):
    weights = np.arange(6.0).reshape(2, 3)
    back = through_a_file(Tree(Leaf(weights=weights), [Leaf(weights=weights, name="twin"), None]), tmp_path)
    assert isinstance(back, Tree)
    assert (back.left.name, back.left.size, back.right[0].name, back.right[1]) == ("leaf", 6, "twin", None)
    np.testing.assert_array_equal(back.left.weights, weights)
    with pytest.raises(ValueError, match="read-only"):
        back.left.weights[0, 0] = 1
    with zipfile.ZipFile(tmp_path / "tree.lrfm") as archive:
        assert archive.namelist() == ["document.json", "arrays/0000.npy"]  # one array met twice is kept once


@pytest.mark.parametrize(
    "value",
    [
        (1, 2.5, "inf", True, None),
        [(), [], {}, ((1,),)],
        {
            "a": float("inf"),
            "b": -float("inf"),
            "c": 1 - 2j,
            "d": complex("nan+infj"),
            "e": 2**200,
            "f": -0.0,
        },
        {"a.b": 1, "a": {"b": 2}},
        float("nan"),
        "",
    ],
)
def test_plain_values_survive_a_file(value, tmp_path):
    assert repr(through_a_file(value, tmp_path)) == repr(value)


def test_numpy_scalars_and_read_only_mappings_become_pythons(tmp_path):
    value = MappingProxyType(
        {"a": np.float64(0.5), "b": np.int32(3), "c": np.bool_(True), "d": np.complex128(1j)}
    )
    assert repr(through_a_file(value, tmp_path)) == "{'a': 0.5, 'b': 3, 'c': True, 'd': 1j}"


def test_names_of_arrays_never_collide(tmp_path):
    back = through_a_file({"a.b": np.array([1.0]), "a": {"b": np.array([2.0])}}, tmp_path)
    assert (back["a.b"][0], back["a"]["b"][0]) == (1.0, 2.0)


def test_decoded_arrays_are_read_only_and_the_originals_are_not():
    original = np.zeros(3)
    plain, arrays = encode([original])
    (back,) = decode(plain, arrays, {})
    assert not back.flags.writeable
    assert original.flags.writeable


def initial(x):
    return np.sin(x)


def test_functions_are_kept_by_name_only(tmp_path):
    back = through_a_file({"f": initial, "g": lambda x: x, "h": partial(initial), "u": np.sin}, tmp_path)
    assert back["f"] == MissingFunction("initial", "f")
    assert back["f"].__name__ == "initial"
    assert [back[key].name for key in "ghu"] == ["<lambda>", "partial", "sin"]
    with pytest.raises(
        RuntimeError, match=r"do not store functions.*lrfm\.load\(path, functions=\{'initial': \.\.\."
    ):
        back["f"](x=1.0)
    with pytest.raises(RuntimeError, match=r"functions=\{'g': \.\.\."):
        back["g"](x=1.0)
    assert through_a_file(back, tmp_path)["f"].name == "initial"


def test_functions_can_be_given_again(tmp_path):
    tree = Tree({"a": lambda x: x, "b": lambda x: x}, initial)
    back = through_a_file(tree, tmp_path, functions={"initial": np.cos, "left.b": np.exp})
    assert (back.right, back.left["b"]) == (np.cos, np.exp)
    assert isinstance(back.left["a"], MissingFunction)


def test_other_classes_are_written_by_their_record():
    plain, arrays = encode({"domain": Axes(x=(0.0, 1.0))}, records={Axes: lambda box: box.axes})
    assert plain == {"domain": {"$type": "Axes", "x": {"$tuple": [0.0, 1.0]}}}
    assert decode(plain, arrays, {"Axes": Axes})["domain"].axes == {"x": (0.0, 1.0)}


def test_what_cannot_be_encoded_is_named_with_its_place():
    with pytest.raises(TypeError, match=r"left\.1 is a object, which a file cannot hold"):
        encode(Tree([0, object()]))
    for keys in ({1: 2}, {"$type": "Leaf"}):
        with pytest.raises(TypeError, match="left is a dict, which a file cannot hold"):
            encode(Tree(keys))
    with pytest.raises(TypeError, match="right has dtype object"):
        encode(Tree(0, np.array([None])))


@pytest.mark.parametrize(
    ("plain", "message"),
    [
        (
            {"$type": "os.system", "command": "ls"},
            "class 'os.system', which is not known here. Known: Leaf, Tree",
        ),
        ({"$type": ["Leaf"]}, "not known here"),
        ({"$type": "Tree"}, "cannot be built again"),
        ({"$type": "Tree", "left": 1, "wings": 2}, "cannot be built again"),
        ({"$array": "nothing"}, "array 'nothing'"),
        ({"$tuple": 3}, "should hold a list"),
        ({"$function": 3}, "names a function by 3"),
        ({"$tuple": [], "more": 1}, "in a way that lrfm does not write"),
        ({"$eval": "1"}, "in a way that lrfm does not write"),
        ({"$float": "12"}, "Known: inf, -inf, nan"),
        ({"$complex": ["1", "2"]}, "two floats"),
    ],
)
def test_foreign_documents_are_refused(plain, message):
    with pytest.raises(FileFormatError, match=message):
        decode({"a": plain}, {}, {"Leaf": Leaf, "Tree": Tree})


def test_deep_documents_are_refused():
    plain = []
    for _ in range(100_000):
        plain = [plain]
    with pytest.raises(FileFormatError, match="nested too deeply"):
        decode(plain, {}, {})


# xarray ------------------------------------------------------------------------------------------


def test_to_xarray():
    dataset = to_xarray(line(), x=5, t=[0.0, 0.5])
    assert dataset.sizes == {"t": 2, "x": 5}
    assert dataset["u"].dims == ("t", "x")
    np.testing.assert_allclose(dataset["u"].sel(t=0.5), np.sin(np.linspace(-1, 1, 5) + 0.5))
    assert np.iscomplexobj(dataset["psi"])
    np.testing.assert_allclose(dataset["psi"].sel(t=0.5, x=1.0), np.exp(1j) + 0.5)


def test_dimensions_follow_the_domain():
    dataset = to_xarray(cube(), x=2, y=3, z=4, t=5)
    assert dataset["u"].dims == ("t", "x", "y", "z")
    assert float(dataset["u"].sel(x=1.0, y=2.0, z=3.0, t=2.0)) == 323.0
    assert to_xarray(plane()).sizes == {"t": 21, "x": 101, "y": 101}


def test_attributes_are_texts_and_numbers():
    attributes = to_xarray(line(), x=2, t=2).attrs
    assert attributes["title"] == "heat"
    assert attributes["equations"] == "u_t = eps*u_xx"
    assert attributes["initial"] == "u: sin(x) – ü; v: function cos"
    assert attributes["boundary"] == "x-: u = 0; x+: none"
    assert attributes["domain"] == "x in [-1, 1]"
    assert (attributes["parameter_eps"], attributes["parameter_shift"]) == (1e-4, "(1+2j)")
    assert attributes["parameter_force"] == "function sin"
    assert (attributes["error_estimate"], attributes["seed"], attributes["converged"]) == (2.5e-9, 2**40, 1)
    assert attributes["warnings"] == "slow; rank 7"
    assert all(isinstance(value, (str, int, float)) for value in attributes.values())


@pytest.mark.parametrize(
    ("resolution", "error", "message"),
    [
        ({"y": 3}, ValueError, "`y` is not a coordinate here. The coordinates are: x, t."),
        ({"x": 1}, ValueError, "at least 2"),
        ({"x": [0.0, 2.0]}, ValueError, "Choose points inside"),
        ({"x": "many"}, TypeError, "whole number"),
        ({"t": np.zeros((2, 2))}, ValueError, "list of finite numbers"),
    ],
)
def test_to_xarray_refusals(resolution, error, message):
    with pytest.raises(error, match=message):
        to_xarray(line(), **resolution)


# Exports ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["run.nc", "run.csv", "run.vtu", "run.gif"])
def test_time_may_stand_in_the_resolution(name, tmp_path):
    one, two = tmp_path / "one", tmp_path / "two"
    one.mkdir()
    two.mkdir()
    resolution = {"x": 5, "t": 3}
    written = export(plane(), one / name, resolution=resolution)
    other = export(plane(), two / name, resolution={"x": 5}, times=3)
    assert [path.read_bytes() for path in written] == [path.read_bytes() for path in other]
    assert resolution == {"x": 5, "t": 3}


def test_netcdf(tmp_path):
    assert export(line(), tmp_path / "run.nc", resolution=7, times=3) == [tmp_path / "run.nc"]
    with xarray.open_dataset(tmp_path / "run.nc", engine="scipy") as dataset:
        assert list(dataset) == ["u", "psi_re", "psi_im"]
        expected = to_xarray(line(), x=7, t=3)
        np.testing.assert_array_equal(dataset["u"], expected["u"])
        np.testing.assert_array_equal(dataset["psi_im"], expected["psi"].values.imag)
        np.testing.assert_array_equal(dataset["x"], expected["x"])
        assert dataset.attrs["seed"] == str(2**40)  # NetCDF 3 has no 64-bit integers
        assert dataset.attrs["error_estimate"] == 2.5e-9
        assert dataset.attrs["initial"] == "u: sin(x) – ü; v: function cos"


def test_without_xarray_files_are_written_and_the_rest_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "xarray", None)  # importing it fails
    export(line(), tmp_path / "run.nc", resolution=7, times=3)
    with netcdf_file(str(tmp_path / "run.nc"), mmap=False) as file:
        assert file.variables["u"].shape == (3, 7)
        assert file.initial.decode() == "u: sin(x) – ü; v: function cos"
    told = r'needs xarray, which is not installed; install it with: pip install "lrfm\[xarray\]"'
    with pytest.raises(ImportError, match=f"`to_xarray` {told}"):
        to_xarray(line(), x=7, t=3)
    with pytest.raises(ImportError, match=told):
        lrfm.Problem(
            "u_t = u_xx",
            domain=lrfm.Box(x=(-1, 1)),
            time=(0, 1),
            initial=tmp_path / "run.nc",
            boundary="u = 0",
        )


def test_csv(tmp_path, monkeypatch):
    monkeypatch.setattr("lrfm.solution.exports.SLAB", 10)  # several slabs
    export(line(), tmp_path / "run.csv", resolution={"x": 7}, times=[0.1, 0.3, 2.0])
    header, *rows = (tmp_path / "run.csv").read_text().splitlines()
    assert header == "t,x,u,psi_re,psi_im"
    table = np.array([[float(number) for number in row.split(",")] for row in rows])
    assert table.shape == (21, 5)
    np.testing.assert_array_equal(table[:, 0], np.repeat([0.1, 0.3, 2.0], 7))
    np.testing.assert_array_equal(table[:7, 1], np.linspace(-1, 1, 7))
    np.testing.assert_array_equal(table[:, 2], np.sin(table[:, 1] + table[:, 0]))
    np.testing.assert_array_equal(table[:, 3] + 1j * table[:, 4], np.exp(1j * table[:, 1]) + table[:, 0])


def vtk_arrays(path):
    """Every DataArray of a .vtu file, decoded without lrfm."""
    root = ElementTree.parse(path).getroot()
    assert root.attrib == {
        "type": "UnstructuredGrid", "version": "1.0", "byte_order": "LittleEndian", "header_type": "UInt64",
    }  # fmt: skip
    arrays = {}
    for element in root.iter("DataArray"):
        data = base64.b64decode(element.text, validate=True)
        assert struct.unpack("<Q", data[:8])[0] == len(data) - 8
        dtype = {"Float64": "<f8", "Int64": "<i8", "UInt8": "u1"}[element.get("type")]
        array = np.frombuffer(data[8:], dtype=dtype)
        arrays[element.get("Name")] = array.reshape(-1, int(element.get("NumberOfComponents", 1))).squeeze()
    piece = root.find("UnstructuredGrid/Piece")
    assert int(piece.get("NumberOfPoints")) == len(arrays["Points"])
    assert int(piece.get("NumberOfCells")) == len(arrays["types"]) == len(arrays["offsets"])
    return arrays


def test_npz_holds_coordinates_and_unknowns(tmp_path):
    export(line(), tmp_path / "run.npz", resolution=4, times=3)
    with np.load(tmp_path / "run.npz") as arrays:
        assert set(arrays) >= {"x", "t"}
        assert all(arrays[name].shape == (3, 4) for name in set(arrays) - {"x", "t"})
        assert len(set(arrays)) > 2


@pytest.mark.parametrize("suffix", ["png", "svg"])
def test_pictures_are_exported_too(suffix, tmp_path):
    assert export(line(), tmp_path / f"run.{suffix}", resolution=9, times=5)[0].stat().st_size > 1000


def test_vtu_of_a_line(tmp_path):
    export(line(), tmp_path / "run.vtu", resolution=4, times=0.5)
    arrays = vtk_arrays(tmp_path / "run.vtu")
    x = np.linspace(-1, 1, 4)
    np.testing.assert_array_equal(arrays["Points"], np.column_stack([x, 0 * x, 0 * x]))
    np.testing.assert_array_equal(arrays["u"], np.sin(x + 0.5))
    np.testing.assert_array_equal(arrays["psi_re"] + 1j * arrays["psi_im"], np.exp(1j * x) + 0.5)
    assert arrays["connectivity"].tolist() == [0, 1, 1, 2, 2, 3]
    assert arrays["types"].tolist() == [3, 3, 3]
    assert arrays["TimeValue"] == 0.5
    assert [path.name for path in tmp_path.iterdir()] == ["run.vtu"]


@pytest.mark.parametrize("suffix", ["vtu", "nc", "csv", "npz", "png", "gif"])
def test_a_folder_that_is_missing_is_named(suffix, tmp_path):
    with pytest.raises(FileNotFoundError, match=r"lies in a folder that does not exist\. Create"):
        export(line(), tmp_path / "nowhere" / f"run.{suffix}", resolution=4, times=2)


@pytest.mark.parametrize(("solution", "kind"), [(plane, 9), (cube, 12)])
def test_vtu_of_quads_and_hexahedra(solution, kind, tmp_path):
    export(
        solution(),
        tmp_path / "run.vtu",
        resolution={"x": 3, "y": 4, "z": 5} if kind == 12 else 4,
        times=[1.0],
    )
    arrays = vtk_arrays(tmp_path / "run.vtu")
    x, y, z = arrays["Points"].T
    expected = x + 10 * y + (100 * z + 1 if kind == 12 else 100)
    np.testing.assert_allclose(arrays["u"], expected, rtol=1e-15)
    assert set(arrays["types"]) == {kind}
    corners = arrays["Points"][arrays["connectivity"].reshape(len(arrays["types"]), -1)]
    np.testing.assert_allclose(volumes(corners).sum(), 6.0 if kind == 12 else 2.0)
    assert volumes(corners).min() > 0  # wound as VTK winds them


def volumes(corners):
    """Area of quads by the shoelace formula; volume of hexahedra as base times height."""
    base = corners[:, :4, :2]
    ahead = np.roll(base, -1, axis=1)
    area = 0.5 * np.sum(base[..., 0] * ahead[..., 1] - base[..., 1] * ahead[..., 0], axis=1)
    if corners.shape[1] == 4:
        return area
    np.testing.assert_array_equal(corners[:, 4:, :2], base)
    return area * (corners[:, 4, 2] - corners[:, 0, 2])


def test_cells_of_the_smallest_grids():
    assert cells((2,)).tolist() == [[0, 1]]
    assert cells((2, 2)).tolist() == [[0, 1, 3, 2]]
    assert cells((2, 2, 2)).tolist() == [[0, 1, 3, 2, 4, 5, 7, 6]]


def test_several_times_make_a_collection(tmp_path):
    written = export(plane(), tmp_path / "run.vtu", resolution=3, times=[0.0, 0.1, 2.0])
    names = ["0000.vtu", "0001.vtu", "0002.vtu", "run.pvd"]
    assert [path.name for path in written] == names
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run", "run.pvd"]
    assert sorted(path.name for path in (tmp_path / "run").iterdir()) == names[:3]
    root = ElementTree.parse(tmp_path / "run.pvd").getroot()
    assert root.get("type") == "Collection"
    listed = [(float(entry.get("timestep")), entry.get("file")) for entry in root.iter("DataSet")]
    assert listed == list(zip([0.0, 0.1, 2.0], [f"run/{name}" for name in names[:3]], strict=True))
    for time, name in listed:
        assert vtk_arrays(tmp_path / name)["u"][0] == 100 * time


def test_a_collection_is_written_whole_or_not_at_all(tmp_path):
    solution = plane()
    good = solution.functions["u"]

    def breaks(x, y, t):
        if np.any(t > 1):
            raise FloatingPointError("overflow")
        return good(x, y, t)

    (tmp_path / "run.pvd").write_text("old")
    solution.functions["u"] = breaks
    for name in ("run.vtu", "run.csv", "run.nc", "run.gif"):
        with pytest.raises(FloatingPointError):
            export(solution, tmp_path / name, resolution=3, times=[0.0, 2.0])
    assert [path.name for path in tmp_path.iterdir()] == ["run.pvd"]
    assert (tmp_path / "run.pvd").read_text() == "old"


def test_movie(tmp_path):
    export(plane(), tmp_path / "run.gif", resolution=9, times=3)
    with Image.open(tmp_path / "run.gif") as movie:
        assert movie.n_frames == 3


@pytest.mark.parametrize(
    ("solution", "name", "options", "message"),
    [
        (line, "run.h5", {}, r"ends in '\.h5'\. Use one of: \.nc, \.csv, \.npz, \.vtu, \.gif, \.mp4"),
        (line, "run.vtu", {"resolution": {"x": [1.0, 0.0]}}, "two increasing points"),
        (line, "run.csv", {"resolution": {"t": 3}, "times": 4}, "Both `times` and `resolution` with `t`"),
        (line, "run.csv", {"resolution": {"y": 3}}, "`y` is not a coordinate here"),
        (line, "run.csv", {"resolution": 10**6, "times": 10**6}, "x=1000000, t=1000000 has 1e.12 points"),
        (plane, "run.nc", {"resolution": 20_000}, "the limit is 2e.08 values"),
        (line, "run.nc", {"resolution": 10**12}, "is too many; at most 10,000,000 points lie on an axis"),
        (line, "run.gif", {"resolution": 10**12}, "is too many"),
        (line, "run.nc", {"times": [3.0]}, "`times` reaches from 3 to 3"),
    ],
)
def test_export_refusals(solution, name, options, message, tmp_path):
    with pytest.raises(ValueError, match=message):
        export(solution(), tmp_path / name, **options)
    assert not list(tmp_path.iterdir())


def test_vtu_has_three_axes_at_most(tmp_path):
    axes = {name: (0.0, 1.0) for name in "xyzw"}
    solution = FakeSolution({"u": lambda x, y, z, w, t: x + y + z + w + t}, axes)
    with pytest.raises(ValueError, match=r"this problem has 4\. Use \.nc or \.csv"):
        export(solution, tmp_path / "run.vtu", resolution=2, times=2)
    export(solution, tmp_path / "run.csv", resolution=2, times=2)
    assert len((tmp_path / "run.csv").read_text().splitlines()) == 33


def test_split_names_must_not_collide(tmp_path):
    solution = FakeSolution({"u": lambda x, t: 1j * x + t, "u_re": lambda x, t: x + t}, {"x": (0.0, 1.0)})
    with pytest.raises(ValueError, match="'u_re'"):
        export(solution, tmp_path / "run.csv", resolution=2, times=2)


def test_a_resumed_solve_is_saved_in_as_few_bytes_as_a_whole_one(tmp_path):
    """Windows that share their functions share the arrays of these, also where each was read from a frame of its own."""
    problem = lrfm.Problem(
        "u_t = u_xx", domain=lrfm.Box(x=(0, 1)), time=(0, 0.2), initial="sin(pi*x)", boundary="u = 0"
    )
    given = {"method": lrfm.SpaceTime(features=60, blocks=8), "strict": False, "estimate": False}
    whole = lrfm.solve(problem, **given)
    lrfm.solve(problem, **given, checkpoint=tmp_path / "c")
    resumed = lrfm.solve(problem, **given, checkpoint=tmp_path / "c")
    for name, solution in (("resumed", resumed), ("loaded", lrfm.load(whole.save(tmp_path / "whole.lrfm")))):
        size = solution.save(tmp_path / f"{name}.lrfm").stat().st_size
        assert size < 1.05 * (tmp_path / "whole.lrfm").stat().st_size
        assert lrfm.load(tmp_path / f"{name}.lrfm")(x=0.3, t=0.2) == whole(x=0.3, t=0.2)


@pytest.mark.parametrize(
    "array", [np.zeros(0), np.zeros((0, 3)), np.array(1.5), np.arange(6.0)[::2], np.ones((2, 3)).T]
)
def test_equal_arrays_are_kept_once_and_others_are_not(array):
    other = np.asarray(array + 1)
    tree = {"a": array, "b": array.copy(), "c": array.astype(complex), "d": array.reshape(-1, 1), "e": other}
    plain, kept = encode(tree)
    again = decode(plain, kept, {})
    assert plain["a"] == plain["b"]
    for name, value in tree.items():
        assert again[name].dtype == value.dtype
        assert np.array_equal(again[name], value)
        assert again[name].shape == value.shape
