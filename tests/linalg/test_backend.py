# SPDX-License-Identifier: MIT
"""The same numbers from every library of arrays, and no arithmetic that passes by the backend.

`Distant` stands for a device: NumPy cannot see into its arrays, and they do not mix with NumPy's. Code that runs
on it calls no NumPy function on a matrix and moves every vector that meets one.
"""

import json
import pickle
import sys

import numpy as np
import pytest
from helpers import by_hand, difference, thinned

import lrfm
from lrfm.cli import main
from lrfm.spacetime.features import PIELM, STC, Frozen, Liquid, SoV
from lrfm.spacetime.least_squares.backends import NUMPY, NumPy, backend, backend_of
from lrfm.spacetime.least_squares.column_groups import GroupedMatrix, dense
from lrfm.spacetime.windows.collocation import Collocation
from lrfm.spacetime.windows.parts import Parts
from lrfm.spacetime.windows.window import build_system, initial_values, sample_space, solve_window

CLOSE = 1e-13  # of the largest entry of a column
LINE = (("x",), [-1.0], [1.0], (False,), (0.0, 0.1))
RING = (("x",), [-1.0], [1.0], (True,), (0.0, 0.1))
PLANE = (("x", "y"), [-1.0, 0.0], [1.0, 2.0], (True, False), (0.2, 0.7))
SPACES = {
    "liquid": (Liquid(features=9), LINE),
    "chart": (Liquid(features=70, gate=30.0, tau=(1e-3, 20.0)), RING),
    "rows": (Liquid(per_patch=9, patches=3, periodic="rows"), RING),
    "patches": (Liquid(per_patch=6, patches=(3, 2), vanish=("y-",)), PLANE),
    "drift": (Liquid(features=9, drift=(-1.0, 2.0), profile="sine"), RING),
    "oscillation": (Liquid(features=9, oscillation=(0.0, 50.0)), LINE),
    "all at once": (
        Liquid(per_patch=5, patches=3, oscillation=(0.0, 50.0), drift=(0.0, 1.0), vanish=("x-", "x+")),
        LINE,
    ),
    "cosine": (Liquid(features=9, cosine=("y",), centers=1.1), PLANE),
    "separated": (SoV(per_patch=6, patches=3), LINE),
    "concatenated": (STC(per_patch=6, patches=2), PLANE),
    "one ridge": (PIELM(features=9, profile="sine"), RING),
    "frozen": (Frozen(Liquid(features=9)), RING),
}


def sampled(name):
    config, box = SPACES[name]
    return config.sample(*box, np.random.default_rng(0))


def case(name, count=80):
    """A space, points in its box, and orders that reach every rule: mixed ones, high ones, times."""
    _, (names, lower, upper, _, (start, end)) = SPACES[name]
    unit = np.random.default_rng(1).random((count, len(names) + 1))
    points = np.array([*lower, start]) + unit * np.array([*np.subtract(upper, lower), end - start])
    d = len(names)
    orders = [(0,) * (d + 1), (2, *(0,) * d), (*(0,) * d, 1), (*(0,) * (d - 1), 1, 2), (4, *(0,) * d)]
    return sampled(name), points, orders


def assert_columns_equal(found, expected):
    """To CLOSE, relative to the largest entry of each column; a column of zeros exactly."""
    scale = np.abs(expected).max(axis=0)
    np.testing.assert_array_less(np.abs(found - expected).max(axis=0), CLOSE * scale + 1e-300)


# A device that nothing passes by ----------------------------------------------------------------------------


class Away:
    """An array on a device: NumPy is refused, and so is arithmetic with an array that is not there."""

    __array_ufunc__ = None

    def __init__(self, values):
        assert type(values) is np.ndarray
        self.values = values

    def __array__(self, *_, **__):
        raise TypeError("this array is not NumPy's")

    shape = property(lambda self: self.values.shape)
    T = property(lambda self: Away(self.values.T))
    real = property(lambda self: Away(self.values.real))
    imag = property(lambda self: Away(self.values.imag))

    def __len__(self):
        return len(self.values)

    def __iter__(self):
        return (Away(row) for row in self.values)

    def __getitem__(self, key):
        return Away(np.asarray(self.values[there(key)]))

    def __setitem__(self, key, value):
        self.values[there(key)] = there(value)

    def __bool__(self):
        return bool(self.values)

    def __float__(self):
        return float(self.values)

    def reshape(self, *shape):
        return Away(self.values.reshape(*shape))

    def max(self):
        return Away(np.asarray(self.values.max()))

    def sum(self):
        return Away(np.asarray(self.values.sum()))


def there(value):
    """What an operation on the device may be given: its own arrays and plain numbers, slices of them, indices."""
    if isinstance(value, tuple):
        return tuple(map(there, value))
    if isinstance(value, np.ndarray):
        raise TypeError("NumPy's array meets one of the device")
    return value.values if isinstance(value, Away) else value


def _binary(name):
    def method(self, other):
        return Away(np.asarray(getattr(self.values, name)(there(other))))

    return method


def _in_place(name):
    def method(self, other):
        getattr(self.values, name)(there(other))
        return self

    return method


for _word in ("add", "sub", "mul", "truediv", "pow", "matmul"):
    setattr(Away, f"__{_word}__", _binary(f"__{_word}__"))
    setattr(Away, f"__r{_word}__", _binary(f"__r{_word}__"))
    setattr(Away, f"__i{_word}__", _in_place(f"__i{_word}__"))
for _word in ("lt", "le", "gt", "ge"):
    setattr(Away, f"__{_word}__", _binary(f"__{_word}__"))
Away.__neg__ = lambda self: Away(-self.values)


class Distant(NumPy):
    """NumPy's functions, for arrays that are `Away`; counts what crosses."""

    def __init__(self, tile=(64, 512)):
        super().__init__(tile)
        self.taken = self.brought = 0
        for name in ("tanh", "sin", "cos", "exp", "abs", "negative", "add", "subtract", "multiply", "divide"):
            setattr(self, name, self._moved(getattr(np, name)))

    @staticmethod
    def _moved(function):
        def on_device(*operands, out=None):
            result = function(*map(there, operands), **({} if out is None else {"out": there(out)}))
            return Away(result) if out is None else out

        return on_device

    def asarray(self, values):
        self.taken += 1
        return Away(np.array(values))

    def to_numpy(self, array):
        self.brought += 1
        return there(array)

    def empty(self, shape, kind=float):
        return Away(np.full(shape, np.nan, kind))  # what is read before it is written shows

    def buffer(self, size, kind):
        return self.empty((size,), kind)

    def zeros(self, shape):
        return Away(np.zeros(shape))

    def copy(self, array):
        return Away(array.values.copy(order="K"))

    def kind(self, a, b=0.0):
        return complex if np.iscomplexobj(there(a)) or np.iscomplexobj(there(b)) else float


def test_the_stand_in_would_notice():
    """NumPy's functions, mixed arithmetic and mixed indices fail on it."""
    away, here = Distant().zeros((2, 3)), np.ones(3)
    for wrong in (
        lambda: np.exp(away),
        lambda: np.asarray(away),
        lambda: np.where(away, 0.0, 1.0),
        lambda: away + here,
        lambda: here * away,
        lambda: away[:, np.array([0, 1])],
        lambda: Distant().multiply(away, here),
    ):
        with pytest.raises(TypeError):
            wrong()


@pytest.mark.parametrize(
    "tile",
    [
        pytest.param((64, 512), id="one tile", marks=pytest.mark.thorough),
        pytest.param((4, 7), id="many tiles"),
    ],
)
@pytest.mark.parametrize("name", SPACES)
def test_no_feature_passes_by_the_backend(name, tile):
    """Every derivative matrix is computed on the device, bit for bit as in NumPy."""
    space, points, orders = case(name)
    device, expected = Distant(tile), space.jets(points, orders, NumPy(tile))
    for order, matrix in space.jets(points, orders, device).items():
        assert isinstance(matrix, Away)
        np.testing.assert_array_equal(matrix.values, expected[order])
        assert matrix.values.flags.f_contiguous
    assert device.taken > 0
    assert device.brought == 0


def test_a_profile_that_passes_by_fails(monkeypatch):
    """The check can fail: one NumPy function in a tower is enough."""
    from lrfm.spacetime.features.towers import Tanh

    space, points, orders = case("liquid")
    monkeypatch.setattr(Tanh, "tower", lambda self, s, top, work: [np.tanh(s) for _ in range(top + 1)])
    with pytest.raises(TypeError):
        space.jets(points, orders, Distant())


# Assembly ---------------------------------------------------------------------------------------------------

PROBLEMS = {
    "heat": (lrfm.catalog.heat_1d, Liquid(features=20)),
    "Allen-Cahn": (lrfm.catalog.allen_cahn, Liquid(features=20)),
    "Allen-Cahn, patches": (lrfm.catalog.allen_cahn, Liquid(per_patch=8, patches=3)),
    "Allen-Cahn, rows": (lrfm.catalog.allen_cahn, Liquid(features=20, periodic="rows")),
    "Schrödinger": (lrfm.catalog.nls, Liquid(features=20, drift=(-1.0, 1.0))),
}


def system(name, xp):
    """Equations, faces or periodic matches, and initial values of a problem, assembled on a backend."""
    make, config = PROBLEMS[name]
    problem, rng = make(), np.random.default_rng(0)
    points = Collocation(interior=90, initial=20, boundary=12)
    parts = Parts(config, points, lrfm.QR(), lrfm.Newton(), xp)
    space = sample_space(problem, config, problem.time, rng)
    placed = points.place(problem.domain, problem.time, rng)
    spaces = dict.fromkeys(problem.fields, space)
    return build_system(problem, parts, spaces, placed, problem.time, initial_values(problem, None))


def assert_systems_equal(found, expected, bitwise):
    """The matrix at c = 0, Newton's and Picard's, right-hand sides and residuals."""
    c = np.random.default_rng(3).uniform(-1, 1, expected.shape[1]) / expected.shape[1]
    same = np.testing.assert_array_equal if bitwise else assert_columns_equal
    same(matrix_of(found.matrix, found.xp), dense(expected.matrix))
    for picard in (False, True):
        (J, b), (K, d) = found.linearize(c, picard), expected.linearize(c, picard)
        same(matrix_of(J, found.xp), dense(K))
        assert isinstance(b, np.ndarray)
        same(b[:, None], d[:, None])
    same(found.residual(c)[:, None], expected.residual(c)[:, None])
    assert found.rows_of == expected.rows_of


def matrix_of(A, xp):
    return dense(A) if isinstance(A, GroupedMatrix) else xp.to_numpy(A)


@pytest.mark.parametrize("name", PROBLEMS)
def test_no_row_passes_by_the_backend(name):
    device = Distant()
    assert_systems_equal(system(name, device), system(name, NUMPY), bitwise=True)


class Fetching:
    """QR for a device that cannot factor: its matrices are fetched, and counted."""

    def __init__(self, device):
        self.device, self.solved = device, 0

    def solve(self, A, b, blocks=None):
        assert isinstance(A, GroupedMatrix | Away)
        self.solved += 1
        return lrfm.QR().solve(A if isinstance(A, GroupedMatrix) else self.device.to_numpy(A), b, blocks)

    def flops(self, rows, columns):
        return lrfm.QR().flops(rows, columns)

    def doubles(self, rows, columns):
        return lrfm.QR().doubles(rows, columns)


@pytest.mark.parametrize("name", thinned(PROBLEMS, 3))
def test_a_whole_solve_on_the_stand_in_is_that_of_numpy(name):
    """First guess, iteration, report, solution: bit for bit."""
    make, config = PROBLEMS[name]
    problem, device = make(), Distant()
    options = {"space": config, "collocation": Collocation(interior=90, initial=40, boundary=12)}
    options |= {"nonlinear": lrfm.Newton(max_steps=2), "estimate": False, "strict": False}
    solver = Fetching(device)
    one = lrfm.solve(problem, **by_hand(**options, least_squares=solver, backend=device))
    two = lrfm.solve(problem, **by_hand(**options))
    for field in problem.fields:
        np.testing.assert_array_equal(one.pieces[0].coefficients[field], two.pieces[0].coefficients[field])
    assert one.report.residual == two.report.residual
    first_guesses = 0 if problem.linear else len(problem.fields)
    assert solver.solved == one.report.steps + first_guesses


# PyTorch ----------------------------------------------------------------------------------------------------


@pytest.fixture
def torch():
    return pytest.importorskip("torch")


@pytest.mark.parametrize("name", SPACES)
def test_derivative_matrices_of_torch_equal_those_of_numpy(torch, name):
    space, points, orders = case(name, 600)
    expected = space.jets(points, orders)
    for order, matrix in space.jets(points, orders, backend("torch")).items():
        assert matrix.dtype == torch.float64
        assert matrix.T.is_contiguous()
        assert_columns_equal(matrix.numpy(), expected[order])


@pytest.mark.parametrize("name", PROBLEMS)
def test_systems_of_torch_equal_those_of_numpy(torch, name):
    assert_systems_equal(system(name, backend("torch")), system(name, NUMPY), bitwise=False)


@pytest.mark.parametrize("columns", [1, 30])
@pytest.mark.parametrize("ridge", [0.0, 1e-15, 1e-3])
def test_qr_of_torch_equals_that_of_numpy(torch, ridge, columns):
    """Columns of very different size, right sides one by one and together."""
    rng = np.random.default_rng(0)
    U, V = (np.linalg.qr(rng.standard_normal((m, columns)))[0] for m in (120, columns))
    A = (U * np.geomspace(1, 1e-3, columns)) @ V.T * np.geomspace(1e-100, 1e180, columns)
    B = (
        A
        / np.linalg.norm(A / np.abs(A).max(0), axis=0)
        / np.abs(A).max(0)
        @ rng.standard_normal((columns, 3))
    )
    solver = lrfm.QR(ridge=ridge, condition=columns == 1)
    expected = solver.factor(A.copy(order="F"))
    found = solver.factor(backend("torch").asarray(A))
    for b in (B, B[:, 0]):
        one, two = found.solve(b), expected.solve(b)
        # Scaled, the coefficients are of size one, and differ by the condition number, 1e3, times rounding.
        size = (expected.scale * two.coefficients.T).T
        gap = (expected.scale * one.coefficients.T).T - size
        assert np.linalg.norm(gap) <= 1e-11 * np.linalg.norm(size)
        np.testing.assert_allclose(one.residual, two.residual, rtol=1e-6, atol=1e-14)
        assert one.rank == two.rank
        assert one.condition == two.condition


@pytest.mark.parametrize("solver", [lrfm.QR(condition=True), lrfm.TruncatedSVD(cutoff=1e-6)], ids=repr)
def test_spectra_and_cutoffs_of_torch_equal_those_of_numpy(torch, solver):
    rng = np.random.default_rng(0)
    U, V = (np.linalg.qr(rng.standard_normal((m, 30)))[0] for m in (120, 30))
    A, b = np.asfortranarray((U * np.geomspace(1, 1e-9, 30)) @ V.T), rng.standard_normal(120)
    one, two = solver.solve(backend("torch").asarray(A), b), solver.solve(A.copy(order="F"), b)
    np.testing.assert_allclose(one.singular_values, two.singular_values, rtol=1e-5)
    assert one.rank == two.rank
    assert one.residual == pytest.approx(two.residual, rel=1e-6)


def test_what_is_not_finite_on_the_device_is_named(torch):
    A = backend("torch").zeros((6, 3))
    A[4, 1] = float("inf")
    with pytest.raises(
        ValueError, match=r"1 row\(s\) with non-finite entries in the rows of second \(first: row 4"
    ):
        lrfm.QR().solve(A, np.ones(6), {"first": slice(0, 3), "second": slice(3, 6)})


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("heat-1d", {}),
        ("allen-cahn", {}),
        ("nls", {}),
        ("allen-cahn", {"space": Liquid(per_patch=40, patches=4, weights=1.5), "blocks": 2}),
        ("heat-1d", {"least_squares": lrfm.TruncatedSVD()}),
        ("burgers", {"nonlinear": lrfm.Picard(max_steps=6), "estimate": False}),
    ],
    ids=["heat", "Allen-Cahn", "Schrödinger", "patches and blocks", "truncated SVD", "Picard"],
)
def test_solutions_of_torch_equal_those_of_numpy(torch, name, options):
    """Within the error estimate, and with the same account of how they came about."""
    problem, options = lrfm.catalog.get(name), {**lrfm.catalog.parts(name), "strict": False, **options}
    one = lrfm.solve(problem, **by_hand(**options, backend="torch"))
    two = lrfm.solve(problem, **by_hand(**options))
    first, second = one.report, two.report
    bound = second.error_estimate if options.get("estimate", True) else second.residual
    assert difference(one, two) < 0.1 * bound
    assert first.parts == {**second.parts, "backend": "torch"}
    assert (first.rows, first.features, first.rank, first.steps, first.status) == (
        second.rows, second.features, second.rank, second.steps, second.status,
    )  # fmt: skip
    assert isinstance(one.pieces[0].coefficients[problem.fields[0]], np.ndarray)
    if options.get("estimate", True):
        assert first.error_estimate == pytest.approx(second.error_estimate, rel=0.05)


def test_the_automatic_choice_runs_on_torch(torch, monkeypatch):
    """Pilots, a march over blocks with one factorization, and the second draw."""
    problem, used = lrfm.catalog.heat_1d(), []

    def watched(problem, parts, *others, **options):
        used.append(parts.backend.name)
        return solve_window(problem, parts, *others, **options)

    with monkeypatch.context() as patched:
        patched.setattr("lrfm.spacetime.search.search.solve_window", watched)
        one = lrfm.solve(
            problem, method=lrfm.SpaceTime(features=40, blocks=3, backend="torch"), max_seconds=30
        )
    assert len(used) > 3
    assert set(used) == {"torch"}
    two = lrfm.solve(problem, method=lrfm.SpaceTime(features=40, blocks=3), max_seconds=30)
    assert one.report.parts["backend"] == "torch"
    assert difference(one, two) < one.report.error_estimate + two.report.error_estimate


@pytest.mark.parametrize(
    "parts", [{"space": Liquid(features=80, gate=10.0, vanish=("x-", "x+"))}, {"features": 40}]
)
def test_operators_of_torch_equal_those_of_numpy(torch, parts):
    """One factorization on the device, and many right-hand sides through it; parts by hand and chosen."""
    problem = lrfm.catalog.heat_1d()
    on_torch = lrfm.operator(problem, **by_hand(**parts, strict=False, backend="torch"))
    on_numpy = lrfm.operator(problem, **by_hand(**parts, strict=False))
    rng = np.random.default_rng(5)
    x, t = rng.uniform(-1, 1, 400), rng.uniform(*problem.time, 400)
    for k in (2, 3):
        one, two = (op(initial=f"sin({k}*pi*x)") for op in (on_torch, on_numpy))
        assert one.report.parts["backend"] == "torch"
        exact = np.exp(-((k * np.pi) ** 2) * t) * np.sin(k * np.pi * x)
        error = np.linalg.norm(two(x=x, t=t) - exact)
        assert np.linalg.norm(one(x=x, t=t) - two(x=x, t=t)) < 0.1 * error < 0.1 * np.linalg.norm(exact)


def test_a_checkpoint_belongs_to_its_backend(torch, tmp_path):
    problem, parts = (
        lrfm.catalog.heat_1d(),
        {"space": Liquid(features=20), "estimate": False, "strict": False},
    )
    lrfm.solve(problem, **by_hand(**parts, checkpoint=tmp_path / "march", backend="torch"))
    with pytest.raises(ValueError, match=r"belongs to another integration \(different: parts\)"):
        lrfm.solve(problem, **by_hand(**parts, checkpoint=tmp_path / "march"))


def test_torch_arrays_know_their_backend(torch):
    xp = backend("torch")
    assert backend_of(xp.zeros((2, 3))) == xp == backend("torch:cpu")
    assert backend_of(np.zeros(3)) == NUMPY == pickle.loads(pickle.dumps(NUMPY))
    assert pickle.loads(pickle.dumps(xp)) == xp != NUMPY
    assert xp.empty((2,), complex).dtype == torch.complex128
    frozen = np.arange(3)
    frozen.flags.writeable = False
    assert xp.to_numpy(xp.asarray(frozen)).tolist() == [0, 1, 2]


def test_a_device_that_is_not_there_gets_a_sentence(torch):
    for wrong in ("torch:cuda:99", "torch:nonsense", "torch:meta"):
        with pytest.raises(ValueError, match=f"`backend='{wrong}'`: PyTorch .* cannot compute .* 'torch'"):
            backend(wrong)


# Names ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("wrong", ["jax", "torch:", "Torch", "numpy:cpu", "", None, 3])
def test_unknown_backends_get_a_sentence(wrong):
    with pytest.raises(ValueError, match=r"`backend=.*` is unknown; expected 'numpy', 'torch'"):
        backend(wrong)


def test_a_wrong_backend_is_refused_before_anything_is_drawn(monkeypatch):
    monkeypatch.setattr("lrfm.spacetime.windows.window.solve_window", None)
    with pytest.raises(ValueError, match=r"`backend='cuda'` is unknown"):
        lrfm.solve(lrfm.catalog.heat_1d(), method=lrfm.SpaceTime(backend="cuda"))


def test_the_command_line_and_the_file_choose_the_backend(tmp_path, monkeypatch, capsys):
    """What [solve] says is used, `--backend` wins over it, and what is not there gets its sentence."""
    file = tmp_path / "heat.toml"
    file.write_text(
        'equation = "u_t = u_xx"\ntime = [0, 0.1]\ninitial = "sin(pi*x)"\nboundary = "u = 0"\n'
        'domain = {x = [0, 1]}\n[solve]\nestimate = false\n[solve.method]\nkind = "space-time"\nbackend = "torch"\n'
        'space = {kind = "liquid", features = 30, centers = 1.1, gate = 5}\n'
    )
    monkeypatch.setitem(sys.modules, "torch", None)

    def run(*words):
        with pytest.raises(SystemExit) as ended:
            main(["solve", str(file), *words])
        return ended.value.code, capsys.readouterr()

    code, said = run()
    assert code == 2
    assert "pip install lrfm[torch]" in " ".join(said.err.split())
    code, said = run("--backend", "numpy", "--json")
    assert code == 1  # no estimate was wanted, so nothing is claimed
    assert json.loads(said.out)["parts"]["backend"] == "numpy"
    code, said = run("--backend", "fortran")
    assert code == 2
    assert "--backend is 'fortran'; expected text" in " ".join(said.err.split())


def test_without_torch_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)  # what an import that fails looks like
    with pytest.raises(ValueError, match=r"not installed here: `pip install lrfm\[torch\]`"):
        backend("torch")
