# SPDX-License-Identifier: MIT
"""Formulas: values and derivatives against SymPy, one form for equal formulas, the same in every process."""

import pickle
import subprocess
import sys

import numpy as np
import pytest
import sympy
from helpers import examples
from hypothesis import given
from hypothesis import strategies as st

from lrfm.problem import algebra
from lrfm.problem import expression as ex
from lrfm.problem.algebra import NAN, ONE, ZERO, Call, Power, Product, Sum, Symbol, add, mul, number, power
from lrfm.problem.program import Program

X, Y = Symbol("x"), Symbol("y")
POINT = {"x": 0.37, "y": 1.21}
SAME = {ex.sin: sympy.sin, ex.exp: sympy.exp, ex.tanh: sympy.tanh, ex.atan: sympy.atan, ex.erf: sympy.erf}

leaves = st.sampled_from([X, Y]) | st.sampled_from([-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0, 3.0]).map(number)


def larger(parts):
    """Whole powers of anything, roots of what is positive."""
    return st.one_of(
        st.tuples(parts, st.sampled_from([0.5, 1.5, -1.0])).map(lambda p: (1 + p[0] ** 2) ** p[1]),
        st.lists(parts, min_size=2, max_size=3).map(lambda p: add(*p)),
        st.lists(parts, min_size=2, max_size=3).map(lambda p: mul(*p)),
        st.tuples(parts, st.integers(0, 3)).map(lambda p: p[0] ** p[1]),
        st.tuples(st.sampled_from([ex.sin, ex.tanh, ex.atan, ex.erf]), parts).map(lambda p: p[0](p[1])),
    )


formulas = st.recursive(leaves, larger, max_leaves=12)


def to_sympy(formula):
    """The same formula, built by SymPy without any rule."""
    parts = [to_sympy(a) for a in formula.args]
    if isinstance(formula, Symbol):
        return sympy.Symbol(formula.name)
    if isinstance(formula, Sum):
        return sympy.Add(*parts, evaluate=False)
    if isinstance(formula, Product):
        return sympy.Mul(*parts, evaluate=False)
    if isinstance(formula, Power):
        return sympy.Pow(*parts, evaluate=False)
    if isinstance(formula, Call):
        return SAME[formula.function](*parts)
    return sympy.Float(formula.value)


def value(formula):
    return float(Program([formula])({Symbol(n): v for n, v in POINT.items()})[0])


def exact(formula):
    return float(formula.subs(POINT))


def close(a, b):
    return a == pytest.approx(b, rel=1e-9, abs=1e-9) or max(abs(a), abs(b)) > 1e12


@given(formulas)
@examples(80)
def test_derivatives_are_sympys(formula):
    expected = exact(sympy.diff(to_sympy(formula), sympy.Symbol("x")))
    assert close(value(ex.derivative(formula, {X: ONE})), expected)


@given(formulas, formulas, formulas)
@examples(80)
def test_laws_of_arithmetic_give_the_same_formula(a, b, c):
    assert add(a, b) == add(b, a)
    assert mul(a, b) == mul(b, a)
    assert add(add(a, b), c) == add(a, add(b, c)) or not _exact(a, b, c)
    # A number is multiplied into a bracket at once, so that products agree in value rather than in form.
    assert close(value(mul(mul(a, b), c)), value(mul(a, mul(b, c))))
    assert a - a == ZERO
    assert a + a == 2 * a
    assert a * a == a**2
    assert mul(a, b, ONE) == mul(a, b)


def _exact(*formulas):
    """Numbers in front of the parts that addition and multiplication of floats do not round."""
    found = [float(n) for f in formulas for n in ex.postorder(f) if not n.args and not isinstance(n, Symbol)]
    return all(n == round(8 * n) / 8 and abs(n) < 1e3 for n in found)


@given(formulas, formulas)
@examples(80)
def test_values_are_those_of_the_parts(a, b):
    assert close(value(add(a, b)), value(a) + value(b))
    assert close(value(mul(a, b)), value(a) * value(b))


@given(formulas)
@examples(30)
def test_a_formula_survives_a_file(formula):
    again = pickle.loads(pickle.dumps(formula))
    assert again == formula
    assert str(again) == str(formula)
    assert hash(again) == hash(formula)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (X * Y * X, X**2 * Y), ((X * Y) ** 3, X**3 * Y**3), ((X**0.5) ** 2, X), (X / X, ONE), (X**0, ONE),
        ((X + Y) * 2, 2 * X + 2 * Y), (-(X - Y), Y - X), ((X * Y) ** 0.5 * (Y * X) ** 0.5, X * Y),
        (2 * X + 3 * X, 5 * X), (X - 1 + 1, X), (0 * X, ZERO), (1 / (1 / X), X), (ex.sin(number(0)), ZERO),
        (mul((X**2) ** 0.5, (X**2) ** 0.5, X), X**3), ((4 * X) ** 0.5, 2 * X**0.5), (2**X * 2**-X, ONE),
        (X ** (Y + 1) * X**-Y, X), (number(9) ** 0.5, number(3)), (number(2) * X * 0.5, X),
    ],
)  # fmt: skip
def test_equal_formulas_are_one(left, right):
    assert left == right
    assert str(left) == str(right)


@pytest.mark.parametrize(
    ("left", "right"), [((X**2) ** 0.5, X), (X - Y, Y - X), (X**Y, Y**X), (ex.sin(X), ex.cos(X)), (X, Y)]
)
def test_different_formulas_are_not(left, right):
    assert left != right


@pytest.mark.parametrize("made", [lambda: ONE / ZERO, lambda: number(-1) ** 0.5, lambda: number(10) ** 400])
def test_what_is_no_number_is_nan_and_stays_so(made):
    assert str(made()) == "nan"
    for result in (made() + X, made() * X, made() - made(), made() * 0, 2 * (X + made())):
        assert result.fingerprint == NAN.fingerprint


def test_formulas_are_printed_as_they_are_written():
    assert str(X**2 - 2 * X * Y) == "x**2 - 2*x*y"
    assert str(ex.sin(X + 1) / Y) == "y**(-1)*sin(1 + x)"
    assert str(-X * (Y + 1)) == "-x*(1 + y)"
    assert str(power(X, number(-0.5))) == "x**(-0.5)"


SCRIPT = """
from lrfm.problem.algebra import Symbol
from lrfm.problem import algebra
from lrfm.problem import expression as ex
names = [Symbol(n) for n in "abcdefgh"]
total = sum(ex.sin(a * b) / (a + b) ** 2 for a in names for b in names)
print(total.fingerprint.hex(), str(total))
"""


def test_the_order_of_terms_does_not_depend_on_the_process():
    said = {
        subprocess.run(
            [sys.executable, "-c", SCRIPT], env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True, text=True, check=True,
        ).stdout
        for seed in ("1", "2")
    }  # fmt: skip
    assert len(said) == 1


def test_a_long_sum_meets_every_term_once(monkeypatch):
    """Each of n terms is taken apart once: adding them one by one would be n²/2."""
    seen, split = [], algebra.split_number
    monkeypatch.setattr(algebra, "split_number", lambda term: seen.append(0) or split(term))
    symbols = [Symbol(f"s{i}") for i in range(2_000)]
    total = add(*symbols, *symbols)
    assert len(seen) == 4_000
    assert len(total.args) == 2_000
    assert ex.derivative(total, {symbols[0]: ONE}) == 2


@pytest.mark.parametrize("numbers", [(1e-200, 1e-200, 1e300, 1e100), (1e200, 1e200, 1e-300, 1e-100)])
def test_a_product_does_not_overflow_on_the_way(numbers):
    assert mul(X, *map(number, numbers)) == X


def test_what_is_no_number_is_one_thing():
    assert ex.log(number(-1)).fingerprint == NAN.fingerprint
    assert len({number(float("nan")), number(np.nan), ex.asin(number(2))}) == 1
    assert (number(1e308) * 10 * X).fingerprint == NAN.fingerprint


def test_a_bound_program_evaluates_what_is_given_once():
    """The same values as the whole program; what depends on known inputs alone is not evaluated again."""
    calls = []
    counted = ex.sin(X)
    program = Program([add(mul(counted, Y), power(Y, number(2.0))), counted])
    x, y = np.linspace(0, 1, 7), np.linspace(1, 2, 7)
    bound = program.bound({X: x}, [Y])
    for values in (y, 2 * y):
        whole = program({X: x, Y: values})
        calls.append(bound([values]))
        for a, b in zip(whole, calls[-1], strict=True):
            np.testing.assert_array_equal(a, b)
    assert calls[0][1] is calls[1][1]
