# SPDX-License-Identifier: MIT
"""A march by lines that was broken off anywhere takes the same steps as one that was not."""

import numpy as np
import pytest

import lrfm


class Broken(Exception):
    """Thrown by a progress callback."""


def moving(**change):
    """A pulse that runs through the box: bases are drawn anew on the way."""
    given = {
        "domain": lrfm.Box(x=(0, 1)),
        "time": (0, 0.6),
        "initial": "exp(-((x-0.2)/0.03)**2)",
        "boundary": "periodic",
    }
    return lrfm.Problem("u_t = -u_x + 1e-3*u_xx - 0.1*u**2", **{**given, **change})


def plate():
    return lrfm.Problem(
        "u_t = 0.02*(u_xx + u_yy) + u - u**3 + 0.3*x*u_y",
        domain=lrfm.Box(x=(0, 1), y=(0, 1)),
        time=(0, 0.5),
        initial="sin(pi*x)*sin(pi*y)",
        boundary="u = 0",
    )


def region(domain, start):
    """u = start + (Δ start + 1) t on a domain that is no box: bases are kept by what they were drawn from."""
    border = f"u = {start} + 3*t"
    given = {"time": (0, 0.2), "initial": start, "boundary": {"*": border}}
    return lrfm.Problem("u_t = lap(u) + 1 + 1e-300*u**2", domain=domain, **given)


def heated():
    """An annulus whose data contradict the slope at its hole."""
    given = {"time": (0, 0.1), "initial": "0", "boundary": {"inner": "u_n = 1", "outer": "u = 0"}}
    return lrfm.Problem("u_t = lap(u)", domain=lrfm.Annulus(radii=(0.4, 1)), **given)


@pytest.mark.parametrize(
    ("problem", "tol", "least"),
    [
        (moving(), 1e-5, 9),
        (lrfm.catalog.wave(), 1e-5, 2),  # a leap
        (lrfm.catalog.kuramoto_sivashinsky(), 1e-4, 9),
        (lrfm.catalog.taylor_green(), 1e-4, 9),  # unknowns without a time derivative
        (plate(), 1e-4, 9),
        (region(lrfm.Region("x**2 < 0.81", x=(-1, 1)), "x**2"), 1e-3, 9),
        pytest.param(region(lrfm.Disk(), "x**2 + y"), 1e-3, 9, marks=pytest.mark.thorough),
        pytest.param(heated(), 1e-2, 9, marks=pytest.mark.thorough),  # layers among its functions
    ],
    ids=["moving", "wave", "chaotic", "flow", "plate", "region", "disk", "heated"],
)
def test_broken_off_after_any_step_it_goes_on_to_the_same_bits(tmp_path, problem, tol, least):
    given = {"tol": tol, "strict": False, "method": "lines", "seed": 4, "max_seconds": None}
    whole = lrfm.solve(problem, **given)
    # In the plane every new beginning makes cells and matrices again.
    calls, breaks = 0, {2, 5, 9, 14, 20, 27, 35} if problem.domain.dimension == 1 else {2, 14}

    def stop(stage, done, total):
        nonlocal calls
        calls += 1
        if calls in breaks:
            raise Broken

    while True:
        try:
            again = lrfm.solve(problem, **given, checkpoint=tmp_path / "c", progress=stop)
            break
        except Broken:
            pass
    assert calls > least
    assert again.report.error_estimate == whole.report.error_estimate
    for mine, other in zip(again.pieces, whole.pieces, strict=True):
        assert type(mine) is type(other)
        assert getattr(mine, "frame", None) == getattr(other, "frame", None)
        one, two = (getattr(piece, "piece", piece).record() for piece in (mine, other))
        # Meshes of the plane are dictionaries of their own.
        for name in one.keys() - {"axes", "families", "frames"}:
            np.testing.assert_array_equal(one[name], two[name])


def test_a_resumed_march_takes_the_steps_that_were_left_only(tmp_path, monkeypatch):
    monkeypatch.setattr("lrfm.solver.checkpoint.PACE", 0)
    given = {"method": "lines", "estimate": False, "checkpoint": tmp_path / "c", "strict": False}
    told = []

    def stop(stage, done, total):
        told.append(done / total)
        if told[-1] > 0.5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        lrfm.solve(moving(), **given, progress=stop)
    again = []
    lrfm.solve(moving(), **given, progress=lambda stage, done, total: again.append(done / total))
    assert again[0] >= told[-2] > 0.2


def test_steps_are_appended(tmp_path, monkeypatch):
    monkeypatch.setattr("lrfm.solver.checkpoint.PACE", 0)
    sizes, files = [], set()

    def look(stage, done, total):
        if (tmp_path / "c").exists():
            sizes.append((tmp_path / "c").stat().st_size)
            files.add((tmp_path / "c").stat().st_ino)

    problem = lrfm.catalog.multiscale_1d()
    lrfm.solve(problem, method="lines", estimate=False, checkpoint=tmp_path / "c", progress=look)
    *grown, last = (size for size in np.diff(sizes) if size)
    assert last < grown[0]  # it says that the march has ended
    assert len(files) == 1
    assert len(grown) > 8
    assert np.ptp(grown) < 0.2 * np.mean(grown)
