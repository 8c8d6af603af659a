"""Fields from data: bands that hold the truth, smoothness that the data choose, and little where little is known."""

import numpy as np
import pytest

import lrfm
from lrfm import Box, Data, Problem, UnknownField

LINE = Box(x=(0, 1))
AT = np.linspace(0, 1, 41)


def covered(found, truth):
    return np.mean((truth >= found.lower) & (truth <= found.upper))


def test_an_initial_state():
    """Heat: u = Σ b_j exp(−j²π²t) sin jπx, from 50 scattered values with 1 % noise."""
    rng = np.random.default_rng(2)
    x, t = rng.random(50), 0.05 * rng.random(50)
    series = lambda x, t: sum(  # noqa: E731
        b * np.exp(-((j * np.pi) ** 2) * t) * np.sin(j * np.pi * x)
        for j, b in ((1, 1.0), (2, -0.4), (3, 0.1))
    )
    problem = Problem(
        "u_t = u_xx", domain=LINE, time=(0, 0.05), initial="f", boundary="u = 0",
        parameters={"f": UnknownField("x", known_at_ends=True)},
    )  # fmt: skip
    fit = lrfm.fit(problem, Data(x=x, t=t, u=series(x, t) + 0.01 * rng.normal(size=50), sigma=0.01))
    found, truth = fit.fields["f"](x=AT), series(AT, 0.0)
    assert np.linalg.norm(found.value - truth) < 0.06 * np.linalg.norm(truth)
    assert covered(found, truth) > 0.9
    with pytest.raises(TypeError, match="`f` depends on `x`"):
        fit.fields["f"](t=0.5)
    # No number is unknown, and the words do without one.
    assert not fit.parameters
    assert "a field of x" in fit.report
    assert "fitted" in repr(fit)


def test_backward_heat_says_how_little_is_known():
    """After t = 0.1 the fourth mode is smaller by 1e-7: data at the end cannot contain it, and the band must."""
    rng = np.random.default_rng(0)
    x, decay = rng.random(50), np.exp(-(np.pi**2) * 0.1)
    problem = Problem(
        "u_t = u_xx", domain=LINE, time=(0, 0.1), initial="f", boundary="u = 0",
        parameters={"f": UnknownField("x", known_at_ends=True)},
    )  # fmt: skip
    sigma = 0.01 * decay
    fit = lrfm.fit(
        problem, Data(x=x, t=0.1, u=decay * np.sin(np.pi * x) + sigma * rng.normal(size=50), sigma=sigma)
    )
    found = fit.fields["f"](x=AT)
    truth = np.sin(np.pi * AT) + 0.5 * np.sin(4 * np.pi * AT)
    assert np.median(found.upper - found.lower) > 0.3
    assert covered(found, truth) > 0.8


@pytest.mark.slow
def test_a_coefficient_inside_of_a_derivative():
    """u = x + e^{-t} sin πx solves u_t = (k u_x)_x + s with k = 1 + x/2 and the source that belongs to it."""
    rng = np.random.default_rng(1)
    x, t = rng.random(100), 0.5 * rng.random(100)
    u = x + np.exp(-t) * np.sin(np.pi * x)
    source = "-exp(-t)*sin(pi*x) + (1 + x/2)*pi**2*exp(-t)*sin(pi*x) - (1 + pi*exp(-t)*cos(pi*x))/2"
    problem = Problem(
        f"u_t = diff(k*u_x, x) + {source}", domain=LINE, time=(0, 0.5), initial="x + sin(pi*x)",
        boundary={"x-": "u = 0", "x+": "u = 1"}, parameters={"k": UnknownField("x", start=1, modes=4)},
    )  # fmt: skip
    fit = lrfm.fit(problem, Data(x=x, t=t, u=u + 1e-3 * rng.normal(size=100), sigma=1e-3))
    found = fit.fields["k"](x=AT)
    assert np.max(np.abs(found.value - 1 - AT / 2)) < 0.05
    assert covered(found, 1 + AT / 2) > 0.9


@pytest.mark.parametrize("ends", [False, True])
@pytest.mark.parametrize("joined", [False, True])
def test_functions_have_the_derivatives_they_say(ends, joined):
    field = UnknownField("x", known_at_ends=ends, modes=7).bound(
        {"x": (-1.0, 2.0, joined), "t": (0.0, 1.0, False)}
    )
    points = np.column_stack([np.linspace(-0.9, 1.9, 11), np.zeros(11)])
    h = np.array([1e-5, 0.0])
    for order in range(3):
        slope = (field.functions(points + h, (order, 0)) - field.functions(points - h, (order, 0))) / 2e-5
        assert np.allclose(
            field.functions(points, (order + 1, 0)), slope, rtol=1e-5, atol=1e-5 * np.abs(slope).max()
        )
    if ends and not joined:
        assert np.allclose(field.functions(np.array([[-1.0, 0.0], [2.0, 0.0]])), 0)
    for matrix in field.roughness():
        assert np.all(np.linalg.eigvalsh(matrix) > 0)


def test_wrong_fields():
    with pytest.raises(
        lrfm.ProblemError, match="depends on `y`; the coordinates of the problem are `x`, `t`"
    ):
        Problem(
            "u_t = u_xx + f",
            domain=LINE,
            time=(0, 1),
            initial="0",
            boundary="u = 0",
            parameters={"f": UnknownField("y")},
        )
    for wrong in ({"start": [1]}, {"modes": 0}):
        with pytest.raises(lrfm.ProblemError, match="unknown field"):
            UnknownField("x", **wrong)
    with pytest.raises(lrfm.ProblemError, match="name its coordinates"):
        UnknownField()


def test_a_solution_with_a_field_is_kept(tmp_path):
    problem = Problem(
        "u_t = u_xx + f", domain=LINE, time=(0, 0.05), initial="0", boundary="u = 0",
        parameters={"f": UnknownField("x", start="1 + x", modes=4)},
    )  # fmt: skip
    with pytest.raises(lrfm.ProblemError, match="`f` is unknown"):
        lrfm.solve(problem)
    found = problem.replace(parameters={"f": problem.parameters["f"].moved([1.0, 2.0, 3.0, 4.0])})
    solution = lrfm.solve(found, tol=1e-3)
    again = lrfm.load(solution.save(tmp_path / "a.lrfm"))
    assert again(x=0.3, t=0.05) == solution(x=0.3, t=0.05)
    assert np.allclose(again.residual(x=AT, t=0.02), solution.residual(x=AT, t=0.02))
