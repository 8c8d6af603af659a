# SPDX-License-Identifier: MIT
"""Solutions on domains that are no boxes: values, pictures, files; and the engine in space and time on them."""

import xml.etree.ElementTree as xml

import numpy as np
import pytest
from scipy.special import jn_zeros, jv

import lrfm
from lrfm.solution.plot.outline import domain_figure
from lrfm.solution.reference import grid_points, true_error

ROOT = jn_zeros(0, 1)[0]


def drum(x, y, t):
    """J₀(j r) exp(−j² t), zero at r = 1."""
    return jv(0, ROOT * np.hypot(x, y)) * np.exp(-(ROOT**2) * t)


@pytest.fixture(scope="module")
def solution():
    problem = lrfm.Problem(
        "u_t = lap(u)",
        domain=lrfm.Disk(name="rim"),
        time=(0, 0.1),
        initial=lambda x, y: drum(x, y, 0),
        boundary={"rim": "u = 0"},
        reference=drum,
    )
    return lrfm.solve(
        problem, method=lrfm.SpaceTime(space=lrfm.Liquid(features=200, weights=0.8, gate=5.0)), estimate=False
    )


def test_heat_on_the_disk(solution):
    assert true_error(solution, grid_points(solution.problem, 21, 6)) < 1e-4


def test_values_outside_are_refused(solution):
    assert np.isfinite(solution(x=0.6, y=-0.79, t=0.05))
    with pytest.raises(ValueError, match=r"The point x=0.9, y=0.9, t=0.05 lies outside of the domain Disk"):
        solution(x=0.9, y=0.9, t=0.05)
    assert np.isfinite(solution(x=0.9, y=0.9, t=0.05, outside=True))


def test_a_dataset_has_nan_outside(solution):
    data = solution.to_xarray(x=11, y=11, t=3)
    x, y = np.meshgrid(data.x, data.y, indexing="ij")
    assert np.array_equal(np.isfinite(data.u.values[1]), np.hypot(x, y) <= 1 + 1e-9)


def test_a_saved_solution_is_the_same(solution, tmp_path):
    again = lrfm.load(
        solution.save(tmp_path / "drum.lrfm"), functions={"<lambda>": lambda x, y: drum(x, y, 0)}
    )
    assert again.problem.domain == solution.problem.domain
    assert again(x=0.3, y=0.2, t=0.05) == solution(x=0.3, y=0.2, t=0.05)


def test_triangles_fill_the_disk(solution, tmp_path):
    import base64

    (path,) = solution.export(tmp_path / "drum.vtu", resolution=21, times=[0.05])
    arrays = {a.get("Name"): a for a in xml.parse(path).getroot().iter("DataArray")}
    read = lambda name, kind: np.frombuffer(base64.b64decode(arrays[name].text)[8:], kind)  # noqa: E731
    points, corners = read("Points", "<f8").reshape(-1, 3), read("connectivity", "<i8").reshape(-1, 3)
    assert set(read("types", "u1")) == {5}
    a, b, c = (points[corners[:, k], :2] for k in range(3))
    cross = (b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0]
    assert 0.5 * np.abs(cross).sum() == pytest.approx(np.pi, rel=0.01)
    assert np.allclose(read("u", "<f8"), drum(*points[:, :2].T, 0.05), atol=1e-4)


def test_pictures(solution, tmp_path):
    assert solution.plot(tmp_path / "drum.png", times=2, resolution=31) is not None
    for number, domain in enumerate([
        lrfm.Region("x < 1 + 0.2*t", x=(0, 2)).during((0, 1)),
        lrfm.Ball(),
    ]):  # fmt: skip
        path = tmp_path / f"{number}.png"
        domain_figure(domain, (0, 1), path)
        assert path.stat().st_size > 5000


def test_an_interval_that_moves():
    """u = sin 2x e⁻ᵗ + x t on 0 < x < 1 + 0.2 sin 3t, a flux given at the end that moves."""
    problem = lrfm.Problem(
        "u_t = u_xx + 3*sin(2*x)*exp(-t) + x",
        domain=lrfm.Region("x < 1 + 0.2*sin(3*t)", x=(0, 1.5), names=["end"]),
        time=(0, 1),
        initial="sin(2*x)",
        boundary={"x-": "u = 0", "end": "u_n = 2*cos(2*x)*exp(-t) + t"},
        reference=lambda x, t: np.sin(2 * x) * np.exp(-t) + x * t,
    )
    solved = lrfm.solve(
        problem,
        method=lrfm.SpaceTime(space=lrfm.Liquid(features=80, weights=1.0, centers=1.1)),
        estimate=False,
    )
    assert true_error(solved, grid_points(problem, 21, 6)) < 1e-6
    with pytest.raises(ValueError, match="outside of the domain"):
        solved(x=1.1, t=0.0)
    assert np.isfinite(solved(x=1.1, t=0.5))


def test_a_normal_that_turns_in_a_robin_condition():
    """On an ellipse given as text, with u = sin(2x + y) e⁻ᵗ."""
    exact = lambda x, y, t: np.sin(2 * x + y) * np.exp(-t)  # noqa: E731
    flux = lambda x, y, t: np.cos(2 * x + y) * (2 * 2 * x + 8 * y) / np.hypot(2 * x, 8 * y) * np.exp(-t)  # noqa: E731
    problem = lrfm.Problem(
        "u_t = lap(u) + 4*sin(2*x + y)*exp(-t)",
        domain=lrfm.Region("x**2 + 4*y**2 < 1", x=(-1, 1), y=(-1, 1)),
        time=(0, 0.3),
        initial="sin(2*x + y)",
        boundary={"x**2+4*y**2 < 1": "u_n + u = g"},
        parameters={"g": lambda x, y, t: flux(x, y, t) + exact(x, y, t)},
        reference=exact,
    )
    solved = lrfm.solve(
        problem, method=lrfm.SpaceTime(space=lrfm.Liquid(features=300, weights=0.8, gate=0.5)), estimate=False
    )
    assert true_error(solved, grid_points(problem, 21, 4)) < 1e-4


def test_patches_outside_of_the_domain_are_left_out():
    from lrfm.spacetime.windows.window import sample_space

    space = lrfm.Liquid(patches=(8, 8), per_patch=4)
    problem = lrfm.Problem("u_t = lap(u)", domain=lrfm.Disk(), time=(0, 1), initial="0", boundary="u = 0")
    drawn = sample_space(problem, space, (0.0, 1.0), np.random.default_rng(0))
    assert 40 < len(drawn.patches) < 64
    points = np.column_stack(
        [problem.domain.quadrature(500).points, np.zeros(len(problem.domain.quadrature(500).points))]
    )
    whole = space.sample(("x", "y"), [-1, -1], [1, 1], (False, False), (0.0, 1.0), np.random.default_rng(0))
    value = drawn.values(points, (0, 0, 0), np.ones(drawn.size))
    assert np.allclose(value, whole.values(points, (0, 0, 0), np.ones(whole.size)))
