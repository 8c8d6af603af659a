# SPDX-License-Identifier: MIT
"""Formulas mean what Python means by the same text: values, Fréchet derivatives, complex splitting.

The oracle is Python's own evaluation of the generated text with NumPy; the texts are made here.
"""

import numpy as np
import pytest
from helpers import examples
from hypothesis import HealthCheck, assume, given
from hypothesis import strategies as st
from scipy import special

from lrfm import Box, Problem, ProblemError
from lrfm.problem import Jet
from lrfm.problem.alphabet import Alphabet
from lrfm.problem.program import Program
from lrfm.problem.syntax import parse
from lrfm.problem.text import translate

FAST = examples(60, derandomize=True, suppress_health_check=list(HealthCheck))
PARAMETER = 0.7
POINT = {"x": 0.3, "t": 0.2}
JETS = {
    "u": Jet("u", (0, 0)), "u_x": Jet("u", (1, 0)), "u_xx": Jet("u", (2, 0)), "u_xt": Jet("u", (1, 1)),
    "v": Jet("v", (0, 0)), "v_x": Jet("v", (1, 0)),
}  # fmt: skip
NUMPY = {
    "sin": np.sin, "cos": np.cos, "tan": np.tan, "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh,
    "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan, "erf": special.erf, "exp": np.exp, "log": np.log,
    "sqrt": np.sqrt, "abs": np.abs, "conj": np.conj, "sign": np.sign, "re": np.real, "im": np.imag,
    "asinh": np.arcsinh, "acosh": np.arccosh, "atanh": np.arctanh,
    "sech": lambda z: 1 / np.cosh(z), "pi": np.pi, "k": PARAMETER,
}  # fmt: skip


def python(text, **names):
    """The value Python gives to a generated formula."""
    with np.errstate(all="ignore"):
        return eval(text, {"__builtins__": {}}, NUMPY | POINT | names)


def real_formulas():
    atoms = st.sampled_from([*JETS, "x", "t", "k", "2", "0.5", "1.25", "pi"])

    def larger(inner):
        one = st.tuples(inner)
        two = st.tuples(inner, inner)
        unary = (
            "-({})", "({})**2", "({})**3", "(1.5 + ({})**2)**0.7", "(2 + ({})**2)**-1.5", "sin({})",
            "cos({})",
            "tanh({})", "exp(-({})**2)", "sqrt(1 + ({})**2)", "log(2 + ({})**2)", "abs({})", "atan({})",
            "erf({})",
            "asin(0.5*sin({}))", "acos(0.5*cos({}))", "sech({})", "sinh(sin({}))", "cosh(cos({}))",
            "tan(0.7*sin({}))", "asinh({})", "acosh(2 + ({})**2)", "atanh(0.5*sin({}))",
            "2**sin({})",
        )  # fmt: skip
        binary = (
            "({} + {})",
            "({} - {})",
            "({})*({})",
            "({})/(2 + ({})**2)",
            "(2 + ({})**2)**sin({})",
            "({})*x*({})",
        )
        return st.one_of(
            st.builds(lambda form, parts: form.format(*parts), st.sampled_from(unary), one),
            st.builds(lambda form, parts: form.format(*parts), st.sampled_from(binary), two),
        )

    return st.recursive(atoms, larger, max_leaves=10)


def rows_of(formula):
    """The first row of a system with this formula in it, and the names it needs."""
    problem = Problem(
        [f"u_t + u + u_x + u_xx + u_xt + v + v_x = {formula}", "v_t = u"],
        domain=Box(x=(0, 1)), time=(0, 1), initial={"u": 0, "v": 0}, boundary=None,
        parameters={"k": PARAMETER},
    )  # fmt: skip
    return problem.rows[0]


def arrays(values):
    known = {jet: np.array([values[name]]) for name, jet in JETS.items()}
    return known | {Jet("u", (0, 1)): np.array([values["u_t"]])}


def draw(seed):
    numbers = np.random.default_rng(seed).uniform(-1.3, 1.3, len(JETS) + 1)
    return dict(zip([*JETS, "u_t"], numbers, strict=True))


@FAST
@given(formula=real_formulas(), seed=st.integers(0, 1000))
def test_the_residual_is_the_value_python_gives(formula, seed):
    values = draw(seed)
    expected = sum(values.values()) - python(formula, **values)
    assume(abs(expected) < 1e6)
    point, jets = np.array([list(POINT.values())]), arrays(values)
    row = rows_of(formula)
    residual = row.residual(point, {j: jets[j] for j in row.jets})
    assert residual[0] == pytest.approx(expected, rel=1e-10, abs=1e-10)
    # the split F = Σ L_a D^a u + s + N
    source, linear = row.affine(point)
    rest, _ = row.nonlinear(point, {j: jets[j] for j in row.nonlinear_jets}, picard=False)
    total = source + rest + sum(c * jets[j] for j, c in linear.items())
    assert total[0] == pytest.approx(expected, rel=1e-10, abs=1e-10)


def slope(formula, values, name, h):
    """Central difference of fourth order."""
    steps = [python(formula, **values | {name: values[name] + k * h}) for k in (-2, -1, 1, 2)]
    return (steps[0] - 8 * steps[1] + 8 * steps[2] - steps[3]) / (12 * h)


@FAST
@given(formula=real_formulas(), seed=st.integers(0, 1000))
def test_frechet_coefficients_are_finite_differences(formula, seed):
    values = draw(seed)
    point, jets = np.array([list(POINT.values())]), arrays(values)
    row = rows_of(formula)
    _, linear = row.affine(point)
    _, slopes = row.nonlinear(point, {j: jets[j] for j in row.nonlinear_jets}, picard=False)
    for name, jet in JETS.items():
        once, twice = (slope(formula, values, name, h) for h in (1e-4, 2e-4))
        assume(abs(once - twice) < 1e-6 * (1 + abs(once)))  # no kink of abs() near by, no steep power
        found = linear.get(jet, 0.0) + slopes.get(jet, 0.0)
        assert float(np.squeeze(found)) == pytest.approx(1 - once, rel=2e-6, abs=2e-6)


def products():
    """Sums of products in which at least one factor is a jet or a power of one."""
    live = st.sampled_from([*JETS, "u**2", "u_x**3", "v**1.5"])
    other = st.sampled_from([*JETS, "x", "k", "0.5", "sin(u)", "(u_x + v)", "1/(2 + u**2)", "(v + u*v_x)"])
    product = st.builds(
        lambda one, rest: "*".join([one, *rest]), live, st.lists(other, min_size=1, max_size=3)
    )
    return st.lists(product, min_size=1, max_size=4).map(" + ".join)


@FAST
@given(formula=products(), seed=st.integers(0, 1000))
def test_picard_coefficients_reproduce_n_at_the_old_iterate(formula, seed):
    """N(u_old) = Σ c_a(u_old) D^a u_old where every product has a live factor."""
    values = {name: abs(value) for name, value in draw(seed).items()}
    row, point = rows_of(formula), np.array([list(POINT.values())])
    jets = {j: arrays(values)[j] for j in row.nonlinear_jets}
    value, coefficients = row.nonlinear(point, jets, picard=True)
    total = sum((c * jets[j] for j, c in coefficients.items()), np.zeros(1))
    assert total[0] == pytest.approx(value[0], rel=1e-10, abs=1e-12)


PSI = {"psi": Jet("psi", (0, 0)), "psi_x": Jet("psi", (1, 0)), "phi": Jet("phi", (0, 0))}


def complex_formulas():
    atoms = st.sampled_from(["psi", "psi_x", "phi", "conj(psi)", "1j", "(0.5 - 2j)", "x", "k", "2.0"])

    def larger(inner):
        unary = (
            "-({})", "({})**2", "({})**3", "({})**-2", "({})**0.5", "({})**1.3", "({})**(0.3 + 0.2j)",
            "({})**20", "exp({})", "sin({})", "cos({})", "tan({})", "sinh({})", "cosh({})", "tanh({})",
            "sech({})",
            "sqrt({})", "log({})", "abs({})", "abs({})**2", "conj({})", "re({})", "im({})", "1j*({})",
            "2**({})",
            "1/({})",
        )  # fmt: skip
        binary = ("({} + {})", "({} - {})", "({})*({})", "({})/({})", "({})*({})*psi*conj(phi)")
        return st.one_of(
            st.builds(lambda form, part: form.format(part), st.sampled_from(unary), inner),
            st.builds(lambda form, *parts: form.format(*parts), st.sampled_from(binary), inner, inner),
        )

    return st.recursive(atoms, larger, max_leaves=6)


@FAST
@given(formula=complex_formulas(), seed=st.integers(0, 1000))
def test_complex_splitting_is_complex_arithmetic(formula, seed):
    numbers = np.random.default_rng(seed).uniform(-1.5, 1.5, (len(PSI), 2))
    values = {name: complex(*pair) for name, pair in zip(PSI, numbers, strict=True)}
    alphabet = Alphabet(("x",), {"k": _number(PARAMETER)}, {"psi": complex, "phi": complex})
    try:
        value = translate(parse(formula, "it"), alphabet, "it")
    except ProblemError:  # such as sqrt(-1), 2**-100j
        assume(False)
    program = Program(value)
    inputs = {}
    for symbol in program.symbols:
        field, _, part = symbol.name.partition(".")
        name = {"re<0,0>": field, "im<0,0>": field}.get(part, f"{field}_x")
        inputs[symbol] = (
            POINT[field] if not part else getattr(values[name], "real" if part[0] == "r" else "imag")
        )
    found = complex(*map(float, program(inputs)))
    expected = python(formula, **{name: np.complex128(z) for name, z in values.items()})
    # A real formula stays real here (sqrt of a negative number is not defined), Python's does not.
    assume(np.isfinite(found) and np.isfinite(expected) and 1e-8 < abs(expected) < 1e8)
    assert found == pytest.approx(complex(expected), rel=1e-7)


def _number(value):
    return translate(parse(repr(value), "it"), Alphabet(("x",)), "it")


@pytest.mark.parametrize("z", [300 + 0.4j, -400 + 1j, 700 - 2j, 1e-9j, 0.5 + 1.5707963j])
@pytest.mark.parametrize("name", ["tanh", "sech", "tan"])
def test_complex_quotients_do_not_overflow(name, z):
    """tanh = sinh/cosh is ∞/∞ far out; the split form is not."""
    inner = z * 1j if name == "tan" else z
    alphabet = Alphabet(("x",), {}, {"psi": complex})
    program = Program(translate(parse(f"{name}(psi)", "it"), alphabet, "it"))
    parts = {s: inner.real if ".re" in s.name else inner.imag for s in program.symbols}
    found = complex(*map(float, program(parts)))
    with np.errstate(all="ignore"):
        expected = {"tanh": np.tanh, "sech": lambda w: 1 / np.cosh(w), "tan": np.tan}[name](inner)
    assert found == pytest.approx(complex(expected), rel=1e-9, abs=1e-300)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("sqrt(2)", 2**0.5), ("log(1j)", 1j * np.pi / 2), ("sqrt(1j)", 1j**0.5), ("(-1)**1j",
        (-1 + 0j) ** 1j),
        ("1j**1j", 1j**1j), ("2**0.5", 2**0.5), ("1/3", 1 / 3), ("2/4", 0.5), ("-2**2", -4), ("2**-1", 0.5),
        ("2**3**2", 512), ("7 - 2 - 1", 4), ("8/4/2", 1), ("9007199254740993", 9007199254740992.0),
        ("1e-400", 0.0), ("abs(-3)", 3), ("abs(3 + 4j)", 5), ("conj(1 + 2j)*im(3j)", 3 - 6j), ("+-+1", -1),
        ("erf(0.5)", special.erf(0.5)), ("0.5 - 0.5", 0), (".5e1", 5),
    ],
)  # fmt: skip
def test_numbers(text, value):
    found = translate(parse(text, "it"), Alphabet(("x",)), "it")
    assert complex(float(found.re), float(found.im)) == pytest.approx(value, rel=1e-15)
    assert found.real == (complex(value).imag == 0)


def test_formulas_are_read_in_several_threads():
    """Where a collection of garbage lets another thread parse in between, CPython 3.11 raised SystemError: a studio that checked while it solved ended in a traceback."""
    import gc
    import sys
    import threading

    text, wrong = " + ".join(f"sin({i}*x)*exp(-t*(x - {i}))" for i in range(40)), []

    def read(depth):
        if depth:
            return read(depth - 1)
        for _ in range(40):
            try:
                parse(text, "The formula")
            except SystemError as error:
                wrong.append(error)

    def pause(*_):
        return [i for i in range(50)]  # bytecode, in which threads change

    before = gc.get_threshold(), sys.getswitchinterval()
    gc.callbacks.append(pause)
    try:
        gc.set_threshold(20)
        sys.setswitchinterval(1e-6)
        threads = [threading.Thread(target=read, args=(20 * i,)) for i in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        gc.callbacks.remove(pause)
        gc.set_threshold(*before[0])
        sys.setswitchinterval(before[1])
    assert not wrong
