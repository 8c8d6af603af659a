"""u(x, t, p) over a range of p: against exact solutions, with the error that is stated."""

import numpy as np
import pytest

import lrfm
from lrfm import Box, Problem, Range


def heat(diffusion):
    return Problem(
        "u_t = D*u_xx", domain=Box(x=(0, 1)), time=(0, 0.2), initial="sin(pi*x)", boundary="u = 0",
        parameters={"D": diffusion},
    )  # fmt: skip


def test_all_values_of_a_diffusivity():
    """u = exp(−D π² t) sin πx over a range of D, and its derivative by D, far from the nodes, too."""
    u = lrfm.family(heat(Range(0.3, 1.0, log=True)), tol=1e-6)
    rng = np.random.default_rng(0)
    x, t, d = rng.random(500), 0.2 * rng.random(500), rng.uniform(0.3, 1, 500)
    exact = np.exp(-d * np.pi**2 * t) * np.sin(np.pi * x)
    error = np.linalg.norm(u(x=x, t=t, D=d) - exact) / np.linalg.norm(exact)
    assert error < 1e-6
    assert error < 10 * u.error_estimate
    slope = -(np.pi**2) * t * exact
    assert np.linalg.norm(u.derivative("u_D")(x=x, t=t, D=d) - slope) < 1e-4 * np.linalg.norm(slope)
    assert u.derivative("u_xx")(x=0.5, t=0.1, D=0.5) == pytest.approx(
        -(np.pi**2) * np.exp(-0.05 * np.pi**2), rel=1e-4
    )
    assert u(x=0.5, t=np.array([[0.0], [0.1]]), D=[0.4, 0.5, 1.0]).shape == (2, 3)


@pytest.mark.slow
def test_a_range_that_is_cut():
    """A layer of width 0.05 in p: no polynomial of low degree on the whole range follows it."""
    problem = Problem(
        "u_t = -u*tanh((p - 0.3)/0.05) + 0*u_xx", domain=Box(x=(0, 1)), time=(0, 1), initial="1", boundary="periodic",
        parameters={"p": Range(0.0, 1.0)},
    )  # fmt: skip
    u = lrfm.family(problem, tol=1e-2)
    assert len(u.intervals) > 1
    p = np.linspace(0, 1, 301)
    exact = np.exp(-np.tanh((p - 0.3) / 0.05))
    assert np.max(np.abs(u(x=0.5, t=1.0, p=p) - exact)) < 2e-2


def test_what_was_foretold_ends_the_search():
    """u = exp(−D t) is entire in D: few nodes, at places where the polynomial is known least, the ends first."""
    problem = Problem(
        "u_t = -D*u + 0*u_xx", domain=Box(x=(0, 1)), time=(0, 1), initial="1", boundary="periodic", parameters={"D": Range(1.0, 2.0)}
    )  # fmt: skip
    u = lrfm.family(problem, tol=1e-6)
    (interval,) = u.intervals
    assert list(interval.coordinates[:3]) == [1.0, 2.0, 1.5]
    assert len(set(interval.coordinates)) == u.solves < 12
    d = np.linspace(1, 2, 101)
    assert np.max(np.abs(u(x=0.3, t=1.0, D=d) - np.exp(-d))) < 1e-6 * np.exp(-1)


def test_sentences():
    with pytest.raises(lrfm.ProblemError, match=r"`D` is a range; `lrfm\.family"):
        lrfm.solve(heat(Range(0.1, 1.0)))
    with pytest.raises(lrfm.ProblemError, match="No parameter of this problem is a range"):
        lrfm.family(heat(0.1))
    with pytest.raises(lrfm.ProblemError, match="the smaller first"):
        Range(1.0, 0.1)
    u = lrfm.family(heat(Range(0.1, 0.2)), tol=1e-2)
    with pytest.raises(ValueError, match="outside of its range"):
        u(x=0.5, t=0.1, D=0.5)
    with pytest.raises(TypeError, match="`D` is missing"):
        u(x=0.5, t=0.1)


@pytest.fixture(scope="module")
def heat_family():
    problem = Problem(
        "u_t = D*u_xx", domain=Box(x=(0, 1)), time=(0, 0.1), initial="sin(pi*x)", boundary="u = 0",
        parameters={"D": lrfm.Range(0.5, 1, log=True)},
    )  # fmt: skip
    return lrfm.family(problem, tol=1e-4)


def test_a_family_is_kept(heat_family, tmp_path):
    """The same values in every bit, derivatives by the parameter too; solutions in it can be differentiated."""
    again = lrfm.load(heat_family.save(tmp_path / "heat.lrfm"))
    at = {"x": np.linspace(0, 1, 7), "t": 0.07, "D": 0.63}
    assert np.array_equal(again(**at), heat_family(**at))
    assert np.array_equal(again.derivative("u_D")(**at), heat_family.derivative("u_D")(**at))
    assert again.error_estimate == heat_family.error_estimate
    assert again.range == heat_family.range
    assert (
        abs(again.at(0.5).sensitivity("D")(x=0.5, t=0.1) + 0.1 * np.pi**2 * np.exp(-0.05 * np.pi**2)) < 1e-3
    )


def test_a_damaged_family_is_refused(heat_family, tmp_path):
    from lrfm.solution import io as files

    body, arrays = files.read_archive(heat_family.save(tmp_path / "heat.lrfm"))
    first = body["intervals"][0]
    twice = {"intervals": [{**first, "solutions": [first["solutions"][0]] * 3}]}
    for wrong in ({"range": [1, 0, False]}, {"intervals": []}, {"family": 3}, {"errors": {"a": "b"}}, twice):
        files.write_archive(tmp_path / "bad.lrfm", {**body, **wrong}, dict(arrays))
        with pytest.raises(lrfm.FileFormatError, match="holds no whole family"):
            lrfm.load(tmp_path / "bad.lrfm")


def test_pictures_of_a_family(heat_family, tmp_path):
    figure = heat_family.plot(tmp_path / "heat.png")
    assert (tmp_path / "heat.png").stat().st_size > 10_000
    assert [len(axes.lines) for axes in figure.axes] == [7, 3]
    page = heat_family.plot(tmp_path / "heat.html").read_text(encoding="utf-8")
    assert 'type="range"' in page
    assert "http" not in page
    assert "error estimate" in heat_family._repr_html_()
