# SPDX-License-Identifier: MIT
"""Eigenvalues with their errors: formulas, published digits, growth rates of evolutions."""

import numpy as np
import pytest
from scipy.optimize import brentq

import lrfm

CLAMPED = (
    np.array([4.730040744862704, 7.853204624095838, 10.995607838001671]) ** 4
)  # roots of cos z cosh z = 1

CASES = [
    ("string", dict(equation="u_xx = -lam*u", domain=lrfm.Box(x=(0, "pi"))), {}, [1, 4, 9]),
    (
        "two fields that only the eigenvalue couples",
        dict(
            equation=["u_xx = -lam*v", "v_xx = -lam*u"],
            domain=lrfm.Box(x=(0, "pi")),
            boundary={"*": ["u = 0", "v = 0"]},
        ),
        dict(near=2.1),
        [1, 4, -1],
    ),
    ("oscillator", dict(equation="-u_xx + x**2*u = lam*u", domain=lrfm.Box(x=(-9, 9))), {}, [1, 3, 5]),
    (
        "clamped beam",
        dict(equation="u_xxxx = lam*u", domain=lrfm.Box(x=(0, 1)), boundary={"*": ["u = 0", "u_n = 0"]}),
        {},
        CLAMPED,
    ),
    (
        "circle, each value twice",
        dict(equation="u_xx = -lam*u", domain=lrfm.Box(x=(0, "2*pi")), boundary="periodic"),
        dict(near=1),
        [1, 1, 0],
    ),
    (
        "inside the spectrum",
        dict(equation="u_xx = -lam*u", domain=lrfm.Box(x=(0, "pi"))),
        dict(near=101),
        [100, 121, 81],
    ),
    (
        "quadratic: a damped string",
        dict(equation="lam**2*u + lam*u = u_xx", domain=lrfm.Box(x=(0, 1)), unknowns={"u": complex}),
        dict(near=-0.5 + 3j),
        [-0.5 + 1j * np.sqrt((k * np.pi) ** 2 - 0.25) for k in (1, 2)]
        + [-0.5 - 1j * np.sqrt(np.pi**2 - 0.25)],
    ),
]


@pytest.mark.parametrize(
    ("given", "options", "exact"), [pytest.param(*rest, id=name) for name, *rest in CASES]
)
def test_errors_are_within_their_estimates(given, options, exact):
    found = lrfm.modes(lrfm.Problem(**{"boundary": "u = 0", **given}), k=3, **options)
    gaps = [min(abs(v - e) for e in exact) for v in found.values]
    assert all(
        gap <= max(e, 1e-11 * abs(v)) for gap, e, v in zip(gaps, found.errors, found.values, strict=True)
    )
    assert np.all(found.errors <= 1e-9 * max(1.0, np.max(np.abs(found.values))))
    # Equal real parts differ by rounding, which is not to decide the order.
    ordered = (np.sort_complex(np.round(values, 9)) for values in (found.values, np.array(exact, complex)))
    assert np.allclose(*ordered, atol=1e-7)


def test_functions_have_norm_one_and_derivatives():
    mode = lrfm.modes(lrfm.Problem("u_xx = -lam*u", domain=lrfm.Box(x=(0, 1)), boundary="u = 0"), k=1)[0]
    x = np.linspace(0, 1, 101)
    assert np.allclose(mode(x=x), np.sqrt(2) * np.sin(np.pi * x), atol=1e-7)
    assert np.allclose(mode["u_x"](x=x), np.sqrt(2) * np.pi * np.cos(np.pi * x), atol=1e-5)


def test_the_splitting_of_a_double_well():
    # Two values that differ by 6e-6: each with an error of its own, far below the difference.
    well = lrfm.Problem("-0.01*u_xx + (x**2 - 1)**2*u = lam*u", domain=lrfm.Box(x=(-4, 4)), boundary="u = 0")
    found = lrfm.modes(well, k=2)
    assert np.isclose(found.values[1] - found.values[0], 6.028182e-6, rtol=1e-5)
    assert np.all(found.errors < 1e-9)


def test_orr_sommerfeld_at_reynolds_ten_thousand():
    # Orszag, J. Fluid Mech. 50 (1971): c = 0.23752649 + 0.00373967i at Re = 10000, alpha = 1.
    flow = lrfm.Problem(
        "v_yyyy - 2*v_yy + v = 1j*Re*((1 - y**2 - lam)*(v_yy - v) + 2*v)",
        domain=lrfm.Box(y=(-1, 1)),
        boundary={"*": ["v = 0", "v_n = 0"]},
        unknowns={"v": complex},
        parameters={"Re": 10000},
    )
    found = lrfm.modes(flow, k=1, near=0.24 + 0.004j, tol=1e-7)
    assert abs(found.values[0] - (0.23752649 + 0.00373967j)) < 1e-8


def test_growth_rates_of_evolutions():
    line = dict(domain=lrfm.Box(x=(0, 1)), boundary="u = 0", time=(0, 1))
    found = lrfm.modes(lrfm.Problem("u_t = u_xx + 20*u", initial="0", **line), k=2)
    assert np.allclose(found.values, [20 - np.pi**2, 20 - 4 * np.pi**2], rtol=1e-10)
    wave = lrfm.Problem("u_tt + u_t = u_xx", initial={"u": "0", "u_t": "0"}, **line)
    found = lrfm.modes(wave, k=2, near=0)
    assert np.allclose(
        np.sort_complex(found.values).imag, np.array([-1, 1]) * np.sqrt(np.pi**2 - 0.25), rtol=1e-9
    )


def test_a_steady_state_is_stable_and_the_other_is_not():
    bratu = lrfm.Problem(
        "u_t = u_xx + lam*exp(u)",
        domain=lrfm.Box(x=(0, 1)),
        boundary="u = 0",
        time=(0, 1),
        initial="0",
        parameters={"lam": 1},
    )
    lower = lrfm.steady(bratu, tol=1e-8)
    upper = lrfm.steady(bratu, tol=1e-8, guess="16*x*(1 - x)")
    assert lrfm.modes(bratu, k=1, about=lower, tol=1e-6).values[0] < 0
    assert lrfm.modes(bratu, k=1, about=upper, tol=1e-6).values[0] > 0


REFUSED = [
    (dict(equation="u_xx = -lam*u + 1"), {}, "not zero: a source"),
    (dict(equation="u_xx = -u"), {}, "no number `lam` in the statement"),
    (dict(equation="u_xx = -lam*u**2"), {}, "not linear in its unknowns"),
    (dict(equation="u_xx = -exp(lam)*u"), {}, "polynomial of degree two"),
    (dict(equation="u_xx = -k*u", parameters={"k": 1, "lam": 1}), {}, "changes nothing"),
]


@pytest.mark.parametrize(("given", "options", "said"), REFUSED)
def test_what_has_no_modes_is_refused_with_a_sentence(given, options, said):
    statement = lrfm.Problem(**{"domain": lrfm.Box(x=(0, 1)), "boundary": "u = 0", **given})
    with pytest.raises(lrfm.ProblemError, match=said):
        lrfm.modes(statement, **options)


def test_a_number_that_is_not_given_is_no_zero():
    statement = lrfm.Problem("u_xx = lam*exp(u)", domain=lrfm.Box(x=(0, 1)), boundary="u = 0")
    with pytest.raises(lrfm.ProblemError, match="The number `lam` is not given"):
        lrfm.steady(statement)


def test_a_table_and_a_picture(tmp_path):
    found = lrfm.modes(lrfm.Problem("u_xx = -lam*u", domain=lrfm.Box(x=(0, "pi")), boundary="u = 0"), k=4)
    assert str(found).splitlines()[0].split() == ["eigenvalue"]
    assert len(found.plot(tmp_path / "m.png").axes) == 6


@pytest.mark.thorough
def test_a_clamped_disc_vibrates_at_the_zeros_of_bessel_functions():
    """λ = k⁴ with J₀(k) I₁(k) + I₀(k) J₁(k) = 0: k = 3.19622061658 (Leissa, Vibration of Plates, 1969)."""
    plate = lrfm.Problem("lap(lap(u)) = lam*u", domain=lrfm.Disk(radius=1), boundary=["u = 0", "u_n = 0"])
    found = lrfm.modes(plate, k=1, tol=1e-3)
    assert abs(found.values[0] / 3.19622061658**4 - 1) <= found.errors[0] / found.values[0] + 1e-10


def test_a_shear_flow_by_velocity_and_pressure():
    """Orr and Sommerfeld's equation at Re = 10,000 by Orszag (1971), eight digits: u, v and p, of which p has no conditions."""
    flow = lrfm.Problem(
        [
            "1j*(1 - y**2 - lam)*u - 2*y*v + 1j*p = (u_yy - u)/Re",
            "1j*(1 - y**2 - lam)*v + p_y = (v_yy - v)/Re",
            "1j*u + v_y = 0",
        ],
        domain=lrfm.Box(y=(-1, 1)),
        boundary={"*": ["u = 0", "v = 0"]},
        unknowns={"u": complex, "v": complex, "p": complex},
        parameters={"Re": 10_000},
    )
    found = lrfm.modes(flow, k=1, near=0.24, tol=1e-6)
    assert abs(found.values[0] - (0.23752649 + 0.00373967j)) < 1e-8
    assert found.errors[0] < 1e-6


LOWEST = [
    ("a string on an elastic ground", "-u_xx - 5*u = lam*u", lrfm.Box(x=(0, "pi")), [-4, -1, 4]),
    ("the highest of growth", "u_xx + 50*u = lam*u", lrfm.Box(x=(0, "pi")), [49, 46, 41]),
    ("a deep well, none of whose states is near zero", "-u_xx + (x**2 - 1000)*u = lam*u", lrfm.Box(x=(-9, 9)), [-999, -997, -995]),
    ("a rod that Euler's load buckles", "u_xxxx + 20*u_xx = lam*u", lrfm.Box(x=(0, "pi")), [-99, -64, -64]),
    ("hydrogen", "-0.5*lap(u) - u/r = lam*u", lrfm.Box(r=(0, 80), coordinates="spherical"), [-1 / 2, -1 / 8, -1 / 18]),
]  # fmt: skip


@pytest.mark.parametrize(("equation", "domain", "exact"), [pytest.param(*r, id=n) for n, *r in LOWEST])
def test_without_a_number_modes_are_those_at_the_end_of_the_spectrum(equation, domain, exact):
    held = ["u = 0", "u_xx = 0"] if "xxxx" in equation else "u = 0"
    found = lrfm.modes(lrfm.Problem(equation, domain=domain, boundary=held), k=3, tol=1e-8)
    assert np.all(np.abs(found.values - exact) <= found.errors)
    assert "both sides" not in str(found)


def test_what_a_condition_brings_is_found_as_well():
    """u′(1) = 5u(1) has one that grows, −s² with s = 5 tanh s, which no equation knows of."""
    pushed = lrfm.Problem(
        "u_xx = -lam*u", domain=lrfm.Box(x=(0, 1)), boundary={"x-": "u = 0", "x+": "u_x = 5*u"}
    )
    found = lrfm.modes(pushed, k=1)
    s = brentq(lambda s: s - 5 * np.tanh(s), 4, 6, xtol=1e-15)
    assert abs(found.values[0] + s**2) <= found.errors[0]


def test_modes_of_a_spectrum_without_an_end_say_so():
    """Dirac's kπ lie on both sides of zero, without a last one: nearest to zero are 0 and ±π, and who asked for none in particular is told."""
    string = lrfm.Problem(["u_x = lam*v", "v_x = -lam*u"], domain=lrfm.Box(x=(0, 1)), boundary="u = 0")
    found, asked = lrfm.modes(string, k=1), lrfm.modes(string, k=2, near=4)
    assert (
        abs(found.values[0]) <= found.errors[0] < 1e-8
    )  # relative to the distance of two: one zero alone has no size
    assert "on both sides" in str(found)
    assert np.all(np.abs(asked.values - np.array([1, 2]) * np.pi) < 1e-8)
    assert "both sides" not in str(asked)


def test_an_eigenvalue_in_a_condition():
    """Steklov's problem on the disk, ∂u/∂n = λu: 0, 1, 1, 2 (r^n cos nθ); and on an interval s cos s = s² sin s with λ = s²."""
    problem = lrfm.Problem("lap(u) = 0", domain=lrfm.Disk(), boundary="u_n = lam*u")
    found = lrfm.modes(problem, k=4, tol=1e-6)
    assert np.all(np.abs(found.values - [0, 1, 1, 2]) <= found.errors)
    string = lrfm.Problem(
        "u_xx = -lam*u", domain=lrfm.Box(x=(0, 1)), boundary={"x-": "u = 0", "x+": "u_x = lam*u"}
    )
    first = lrfm.modes(string, k=1)
    assert abs(first.values[0] - 0.8603335890193797**2) <= first.errors[0]


def test_an_equation_of_second_order_in_time_on_cells_that_are_split():
    """u_tt + 2u_t = u_xx: −1 ± i√(n²π² − 1), all of which decay alike, on cells on which a chain u, u_t is carried; the slowest come first."""
    problem = lrfm.Problem(
        "u_tt = u_xx - 2*u_t",
        domain=lrfm.Box(x=(0, 1)),
        boundary="u = 0",
        time=(0, 1),
        initial={"u": 0, "u_t": 0},
    )
    found = lrfm.modes(problem, k=4, tol=1e-8)
    waves = np.sqrt((np.array([1, 1, 2, 2]) * np.pi) ** 2 - 1)
    assert np.all(np.abs(found.values.real + 1) <= found.errors)
    assert np.all(np.abs(np.abs(found.values.imag) - waves) <= found.errors)


def test_fewer_eigenvalues_than_were_asked_for():
    """u″ = u with u_n = λu has two, tanh ½ and coth ½; the comparison, which asks for two more, is one of all that there are."""
    problem = lrfm.Problem("u_xx = u", domain=lrfm.Box(x=(0, 1)), boundary="u_n = lam*u")
    found = lrfm.modes(problem, k=2)
    assert np.all(np.abs(found.values - [np.tanh(0.5), 1 / np.tanh(0.5)]) <= found.errors)


def test_growth_rates_of_a_reaction_on_a_long_line_need_no_near():
    """Schnakenberg about u = a + b: eigenvalues of J − D k², k = nπ/L; a comparison on more cells than have all of their eigenvalues computed looks where the first solve found them."""
    a, b, d, length = 0.1, 0.9, 40.0, 20.0
    problem = lrfm.Problem(
        ["u_t = u_xx + a - u + u**2*v", "v_t = d*v_xx + b - u**2*v"],
        domain=lrfm.Box(x=(0, length)),
        time=(0, 1),
        initial={"u": "a + b", "v": "b/(a + b)**2"},
        boundary=["u_n = 0", "v_n = 0"],
        parameters={"a": a, "b": b, "d": d},
    )
    u, v = a + b, b / (a + b) ** 2
    found = lrfm.modes(problem, k=4, about=lrfm.steady(problem, guess={"u": u, "v": v}), tol=1e-6)
    jacobian = np.array([[-1 + 2 * u * v, u**2], [-2 * u * v, -(u**2)]])
    rates = [np.linalg.eigvals(jacobian - np.diag([1, d]) * (n * np.pi / length) ** 2) for n in range(60)]
    exact = np.sort(np.concatenate(rates).real)[::-1][:4]
    assert np.all(np.abs(found.values.real - exact) <= found.errors)


@pytest.mark.parametrize("unit", [1e-9, 1e-3, 1e4, 1e10])
def test_units_change_eigenvalues_and_nothing_else(unit):
    """A beam in newtons and meters, diffusion in square meters and seconds: λ beside 10⁴ u_xxxx is no rounding, and those nearest to zero are it for 10⁻⁹ u_xx, too."""
    line = lrfm.Box(x=(0, 1))
    beam = lrfm.Problem(f"{unit}*u_xxxx = lam*u", domain=line, boundary=["u = 0", "u_n = 0"])
    string = lrfm.Problem(f"{unit}*u_xx = -lam*u", domain=line, boundary="u = 0")
    for problem, exact in ((beam, CLAMPED), (string, np.pi**2 * np.array([1, 4, 9]))):
        found = lrfm.modes(problem, k=3, tol=1e-8)
        assert np.all(np.abs(found.values - unit * exact) <= found.errors)


@pytest.mark.parametrize("stiff", [1e4, 1e8])
def test_a_quadratic_of_large_numbers(stiff):
    """λ² + 2λ + stiff β⁴ = 0: squares of the number keep their digits beside what is 10⁷ times as large."""
    damped = lrfm.Problem(
        f"{stiff}*u_xxxx + 2*lam*u + lam**2*u = 0",
        domain=lrfm.Box(x=(0, 1)),
        boundary=["u = 0", "u_n = 0"],
        unknowns={"u": complex},
    )
    exact = -1 + 1j * np.sqrt(stiff * CLAMPED[0] - 1)
    found = lrfm.modes(damped, k=1, near=1.1 * exact, tol=1e-8)
    assert abs(found.values[0] - exact) <= found.errors[0]


@pytest.mark.slow
@pytest.mark.parametrize("tol", [1e-5, 1e-6])
def test_an_estimate_at_a_corner_is_above_the_error(tol):
    """Boxes at the corner of an L-shape have to be smaller in the comparison, or both miss the same of r^(2/3)."""
    shape = lrfm.Box(x=(-1, 1), y=(-1, 1)) - lrfm.Box(x=(0, 2), y=(-2, 0))
    problem = lrfm.Problem("lap(u) = -lam*u", domain=shape, boundary="u = 0")
    found = lrfm.modes(problem, k=1, tol=tol, max_seconds=None)
    assert 1.2 * abs(found.values[0] - 9.63972384402194) < found.errors[0]


def test_an_oscillator_in_joules():
    """−ħ²/2m u″ + mω²/2 x² u = λu: ħω/2 of 5e-19 beside conditions of size one."""
    h, mass, rate = 1.0545718e-34, 9.1093837e-31, 1e16
    width = np.sqrt(h / mass / rate)
    problem = lrfm.Problem(
        "-h**2/2/m*u_xx + m*w**2/2*x**2*u = lam*u",
        domain=lrfm.Box(x=(-10 * width, 10 * width)),
        boundary="u = 0",
        parameters={"h": h, "m": mass, "w": rate},
    )
    found = lrfm.modes(problem, k=2)
    assert np.all(np.abs(found.values - h * rate * np.array([0.5, 1.5])) <= found.errors)
    assert np.all(found.errors < 1e-9 * found.values)


@pytest.mark.thorough
def test_a_corner_at_the_last_size_of_boxes_is_not_refused():
    """1e-8 on the L-shape: boxes of the comparison are halved as often as any are, and a sixteenth of the tolerance asks for more."""
    shape = lrfm.Box(x=(-1, 1), y=(-1, 1)) - lrfm.Box(x=(0, 2), y=(-2, 0))
    problem = lrfm.Problem("lap(u) = -lam*u", domain=shape, boundary="u = 0")
    found = lrfm.modes(problem, k=1, tol=1e-8, max_seconds=None)
    assert abs(found.values[0] - 9.6397238440219) < found.errors[0]
