# SPDX-License-Identifier: MIT
"""Lines on domains that are no boxes, against exact solutions: claims are made, and true."""

import numpy as np
import pytest
from scipy.special import iv, jn_zeros, jv

import lrfm
from lrfm.solver.lines.choosers import chooser_for, rules_to_ask
from lrfm.solver.lines.form import Form
from lrfm.solver.lines.front import applies
from lrfm.solver.lines.regions.features import concave_radii, corner_exponents, corner_sites, focal_centers
from lrfm.solver.lines.regions.pilot import rates_of
from lrfm.solver.lines.regions.points import Points
from lrfm.solver.lines.regions.poles import continuations

Z0, Z2 = jn_zeros(0, 1)[0], jn_zeros(2, 1)[0]
DISK = lrfm.Disk(center=(0, 0), radius=1)
CORNER = lrfm.Polygon([(0, 0), (0, -1), (-1, -1), (-1, 1), (1, 1), (1, 0)])
FLOWER = "(x**2+y**2)**3 < (x**2+y**2)**2.5 + 0.3*(x**5 - 10*x**3*y**2 + 5*x*y**4)"


def error_of(solution, exact, name="u"):
    """Relative L² error over the domain at some times."""
    problem = solution.problem
    points, weights = problem.domain.quadrature(500)
    gaps = sizes = 0.0
    for t in np.linspace(*problem.time, 5)[1:]:
        at = dict(zip(problem.domain.names, points.T, strict=True))
        u = exact(**at, t=t)
        gaps += weights @ (solution[name](**at, t=np.full(len(points), t)) - u) ** 2
        sizes += weights @ u**2
    return np.sqrt(gaps / sizes)


def solved(problem, exact, tol):
    solution = lrfm.solve(problem, tol=tol, max_seconds=None)
    assert solution.report.method == "lines"
    assert solution.report.error_estimate <= tol
    assert error_of(solution, exact) <= solution.report.error_estimate
    return solution


def bessel(x, y, t):
    r, angle = np.hypot(x, y), np.arctan2(y, x)
    return jv(0, Z0 * r) * np.exp(-Z0 * Z0 * t) + jv(2, Z2 * r) * np.cos(2 * angle) * np.exp(-Z2 * Z2 * t)


# Solves -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("domain", "field", "condition"),
    [
        (DISK, "x", "u = x"),
        (DISK, "1", "u_n = 0"),
        (lrfm.Annulus(radii=(0.4, 1)), "x*y", "u = x*y"),
        (lrfm.Box(x=(0, 1), y=(0, 2)), "x", "u = x"),
        (lrfm.Box(x=(0, 1), y=(0, 2)), "1", "u_n = 0"),
    ],
)
def test_what_rests_is_resolved(domain, field, condition):
    """All terms of its equation are rounding: a share of them says nothing."""
    problem = lrfm.Problem("u_t = lap(u)", domain=domain, time=(0, 1), initial=field, boundary=condition)
    solution = lrfm.solve(problem, tol=1e-6, method="lines")
    x, y = np.array([0.6, 0.3, 0.5]), np.array([0.2, 0.5, 0.6])
    np.testing.assert_allclose(solution(x=x, y=y, t=1.0), eval(field) + 0 * x, rtol=0, atol=1e-7)
    assert solution.report.error_estimate <= 1e-6


def test_heat_in_a_disc_and_back_from_a_file(tmp_path):
    problem = lrfm.Problem(
        "u_t = u_xx + u_yy",
        domain=DISK,
        time=(0, 0.1),
        initial=lambda x, y: bessel(x, y, 0.0),
        boundary={"*": "u = 0"},
    )
    solution = solved(problem, bessel, 1e-5)
    solution.save(tmp_path / "disc.lrfm")
    again = lrfm.load(tmp_path / "disc.lrfm")
    at = {"x": np.array([0.1, -0.5]), "y": np.array([0.2, 0.3]), "t": np.array([0.05, 0.1])}
    np.testing.assert_array_equal(solution["u"](**at), again["u"](**at))


def test_corner_with_its_singularity():
    def exact(x, y, t):
        # From the line that halves the domain, so that the cut is far outside.
        z = (x + 1j * y) * np.exp(-0.75j * np.pi)
        return np.exp(-t) * np.real(z ** (2 / 3))

    problem = lrfm.Problem(
        "u_t = u_xx + u_yy - u",
        domain=CORNER,
        time=(0, 0.5),
        initial=lambda x, y: exact(x, y, 0.0),
        boundary={"*": {"u": exact}},
    )
    solved(problem, exact, 1e-6)


def test_robin_data_in_an_ellipse_that_change_in_time():
    def exact(x, y, t):
        return np.exp(-t) * np.sin(x + 2 * y)

    problem = lrfm.Problem(
        "u_t + u_x = 0.2*(u_xx + u_yy) + exp(-t)*cos(x + 2*y)",
        domain=lrfm.Ellipse(center=(0, 0), radii=(1, 0.6)),
        time=(0, 1),
        initial="sin(x + 2*y)",
        boundary={"*": {"u_n + (1 + t)*u": lambda x, y, t: _flux(x, y, t)}},
    )
    solved(problem, exact, 1e-5)


def _flux(x, y, t):
    nx, ny = x, y / 0.36
    wave = x + 2 * y
    return np.exp(-t) * ((nx + 2 * ny) / np.hypot(nx, ny) * np.cos(wave) + (1 + t) * np.sin(wave))


def test_two_fields_with_conditions_of_different_kinds():
    def exact(x, y, t):
        return jv(0, Z0 * np.hypot(x, y)) * np.exp(-Z0 * Z0 * t)

    rim = jn_zeros(1, 1)[0]

    def other(x, y, t):
        return jv(0, rim * np.hypot(x, y)) * np.exp(-rim * rim * t)

    problem = lrfm.Problem(
        ["u_t = u_xx + u_yy", "v_t = v_xx + v_yy"],
        domain=DISK,
        time=(0, 0.1),
        initial={"u": lambda x, y: exact(x, y, 0.0), "v": lambda x, y: other(x, y, 0.0)},
        boundary={"*": ["u = 0", "v_n = 0"]},
    )
    solution = solved(problem, exact, 1e-5)
    assert error_of(solution, other, "v") <= 1e-5


@pytest.mark.slow
def test_a_wave_in_a_disc():
    def exact(x, y, t):
        r = np.hypot(x, y)
        return jv(0, Z0 * r) * np.cos(Z0 * t) + jv(2, Z2 * r) * np.cos(2 * np.arctan2(y, x)) * np.cos(Z2 * t)

    problem = lrfm.Problem(
        "u_tt = u_xx + u_yy",
        domain=DISK,
        time=(0, 3),
        initial={"u": lambda x, y: exact(x, y, 0.0), "u_t": 0},
        boundary={"*": "u = 0"},
    )
    solved(problem, exact, 1e-6)


# Parts ------------------------------------------------------------------------------------------------------


def test_exponents_of_corners():
    np.testing.assert_allclose(corner_exponents(1.5 * np.pi, mixed=False), (2 / 3, 4 / 3))
    assert corner_exponents(np.pi / 3, mixed=False) == ()
    np.testing.assert_allclose(corner_exponents(np.pi, mixed=True), (0.5,))
    problem = lrfm.Problem(
        "u_t = u_xx + u_yy", domain=CORNER, time=(0, 1), initial="0*x", boundary={"*": "u = 0"}
    )
    (site,) = corner_sites(Form(problem))
    np.testing.assert_allclose(site.point, 0, atol=1e-12)
    assert np.cos(site.direction - 0.75 * np.pi) == pytest.approx(1)


def test_an_outline_of_many_sides_is_a_curve_and_its_sharp_corners_are_corners():
    """A circle of chords bends by little at each: no corner has functions of its own, unless it stands out, or a tolerance asks for it."""
    angles = 2 * np.pi * np.arange(60) / 60
    chords = np.column_stack([np.cos(angles), np.sin(angles)])
    notched = np.vstack([chords[angles > 0.6], [[0.2, 0.0]]])

    def sites(vertices, tol):
        problem = lrfm.Problem(
            "u_t = lap(u)", domain=lrfm.Polygon(vertices), time=(0, 1), initial="1", boundary="u = 1"
        )
        return corner_sites(Form(problem), tol)

    assert not sites(chords, 1e-4)
    notch, *others = sorted(sites(notched, 1e-4), key=lambda site: -site.strength)
    np.testing.assert_allclose(notch.point, (0.2, 0.0), atol=1e-12)
    assert len(others) <= 2
    assert len(sites(chords[::12], 1e-4)) == 5


def test_a_round_hole_has_one_center_and_a_flower_five():
    plate = lrfm.Box(x=(-2, 2), y=(-1, 1)) - lrfm.Disk(center=(0.3, 0.1), radius=0.4)
    (hole,) = focal_centers(plate, plate.parts)
    np.testing.assert_allclose(hole.point, (0.3, 0.1), atol=1e-3)
    assert hole.radius == pytest.approx(0.4, rel=1e-3)
    flower = lrfm.Region(FLOWER, x=(-1.4, 1.4), y=(-1.4, 1.4))
    centers = focal_centers(flower, flower.parts)
    assert len(centers) == 5
    # The radius of curvature of r = 1 + 0.3 cos 5θ at r = 0.7 is 0.343/(0.7·7.5 − 0.49).
    assert min(c.radius for c in centers) == pytest.approx(0.343 / 4.76, rel=0.05)


def test_poles_lie_where_the_boundary_stops_to_continue():
    flower = lrfm.Region(FLOWER, x=(-1.4, 1.4), y=(-1.4, 1.4), names=["rim"])
    (found,) = continuations(flower, flower.parts, 1e-6)
    assert found.parts == ("rim",)
    counts = [len(s.radii) for s in found.sets]
    assert counts == sorted(counts)
    assert not np.any(flower.contains(found.sets[-1].points))
    # γ′(θ) = 0 ends the cuts: R′ = −iR at θ = π/5 + iη, η = −0.086, one for each of the five arcs.
    eta = np.linspace(-0.2, 0, 200001)
    gap = -1.5 * np.sin(np.pi + 5j * eta) + 1j * (1 + 0.3 * np.cos(np.pi + 5j * eta))
    eta = eta[np.argmin(np.abs(gap))]
    ends = [(1 + 0.3 * np.cos(5 * a)) * np.exp(1j * a) for a in (0.2 + 0.4 * np.arange(5)) * np.pi + 1j * eta]
    poles = found.sets[-1].points @ np.array([1, 1j])
    for end in ends:
        assert 0.72 < abs(end) < 0.74
        assert np.min(np.abs(poles - end)) < 0.01


def test_round_and_straight_boundaries_have_no_poles():
    plate = lrfm.Box(x=(-2, 2), y=(-1, 1)) - lrfm.Disk(center=(0.3, 0.1), radius=0.4)
    assert continuations(plate, plate.parts, 1e-6) == ()
    ellipse = lrfm.Ellipse(radii=(1, 0.5))
    assert continuations(ellipse, ellipse.parts, 1e-6) == ()


@pytest.mark.slow
def test_a_bean_with_data_that_do_not_continue():
    """u = 0 on r = 1 + 0.35 cos 2θ + 0.15 sin 3θ, heated: no exact solution; claims of two seeds agree."""
    text = "(x**2+y**2)**2 < (x**2+y**2)**1.5 + 0.35*(x**2-y**2)*(x**2+y**2)**0.5 + 0.15*(3*x**2*y - y**3)"
    bean = lrfm.Region(text, x=(-1.6, 1.6), y=(-1.6, 1.6), names=["rim"])
    problem = lrfm.Problem(
        "u_t = lap(u) + t*(1 + x)", domain=bean, time=(0, 0.2), initial="0", boundary="u = 0"
    )
    first, second = (lrfm.solve(problem, tol=1e-4, seed=seed, max_seconds=None) for seed in (0, 5))
    assert max(s.report.error_estimate for s in (first, second)) <= 1e-4
    assert error_of(first, lambda x, y, t: second["u"](x=x, y=y, t=np.full(len(x), t))) <= 2e-4


def test_a_prism_is_a_product():
    column = lrfm.Prism(lrfm.Disk(), z=(0, 1))
    rule = Points(column)
    assert rule.center is None
    points, weights = rule(2000)
    assert weights @ np.exp(points[:, 2] + points[:, 0]) == pytest.approx(
        (np.e - 1) * 2 * np.pi * iv(1, 1.0), rel=1e-10
    )


def test_a_disc_is_concave_nowhere():
    (rim,) = DISK.parts.values()
    points, _, normals = rim.quadrature(100)
    assert np.all(np.isinf(concave_radii(points, normals)))
    np.testing.assert_allclose(concave_radii(points, -normals), 1, rtol=1e-3)


@pytest.mark.parametrize("domain", [DISK, CORNER, lrfm.Region(FLOWER, x=(-1.4, 1.4), y=(-1.4, 1.4))])
def test_fans_integrate(domain):
    fan = Points(domain)
    assert fan.center is not None
    points, weights = fan(1500)
    assert np.all(domain.contains(points))
    other, theirs = domain.quadrature(20000)
    assert np.sum(weights * np.exp(points[:, 0])) == pytest.approx(
        np.sum(theirs * np.exp(other[:, 0])), rel=1e-3
    )
    if domain is not CORNER:
        return
    r = np.hypot(*points.T)
    assert np.sum(weights) == pytest.approx(3, rel=1e-12)
    # ∫ r^(−2/3) over the L-shape: eight triangles with ∫₀^(π/4) (1/cos θ)^(4/3)/(4/3) dθ, three quarters of a square of side 2.
    s, w = np.polynomial.legendre.leggauss(40)
    triangle = np.sum(w * np.cos(np.pi / 8 * (s + 1)) ** (-4 / 3)) * np.pi / 8 * 0.75
    assert np.sum(weights * r ** (-2 / 3)) == pytest.approx(6 * triangle, rel=1e-8)


def test_rates_of_growth():
    rng = np.random.default_rng(0)
    stiff = rng.normal(size=(6, 6))
    stiff = stiff @ stiff.T
    rates = rates_of([np.eye(6), np.zeros((6, 6)), stiff])
    np.testing.assert_allclose(np.sort(rates.imag)[6:], np.sqrt(np.linalg.eigvalsh(stiff)), rtol=1e-6)
    assert np.max(np.abs(rates.real)) < 1e-6
    damped = rates_of([np.eye(6), 2 * np.eye(6), np.eye(6)])
    np.testing.assert_allclose(damped, -1, atol=1e-3)


def test_a_basis_that_others_have_followed_is_marched_on():
    """A start that is made sharper twice in vain goes on with its first basis, as in an L-shape that begins at 1 with u = 0 around it."""
    problem = lrfm.Problem("u_t = lap(u)", domain=DISK, time=(0, 0.3), initial="1", boundary="u = 0")
    form = Form(problem)
    chooser = chooser_for(form, rules_to_ask(form), np.random.default_rng(0))
    first = chooser.start()
    rows, time, y = chooser.system(first), problem.time[0], first.project(np.ones((1, first.grid.size)))
    residual = rows.residual(np.array([time]), y[None], np.zeros_like(y)[None])
    chooser.sharper(chooser.sharper(first, ()), ())
    other = chooser.again(first, [y], None, True)
    assert chooser.system(other).basis is other
    again = chooser.system(first)  # drawn anew, to the same bits
    np.testing.assert_array_equal(again.residual(np.array([time]), y[None], np.zeros_like(y)[None]), residual)


def test_a_domain_that_does_not_move_as_a_whole_is_left_to_the_other_engine():
    region = lrfm.Region("x**3 < 1 + 0.2*sin(t)", x=(0, 1.5))
    problem = lrfm.Problem("u_t = u_xx", domain=region, time=(0, 1), initial="0*x", boundary={"*": "u = 0"})
    suits, why = applies(problem)
    assert not suits
    assert "changes with time" in why


PLANNED = lrfm.Problem(
    "u_t = lap(u) + 1",
    domain=lrfm.Disk(name="rim"),
    time=(0, 0.1),
    initial="x**2 + y",
    boundary={"rim": "u = x**2 + y + 3*t"},
)


def test_a_region_is_planned_from_a_few_steps():
    plan, report = lrfm.plan(PLANNED, tol=1e-4), lrfm.solve(PLANNED, tol=1e-4).report
    assert plan.method == report.method == "lines"
    assert report.features / 3 <= plan.columns <= 3 * report.features
    assert plan.seconds > 0


def test_a_plan_without_a_step_says_so(monkeypatch):
    monkeypatch.setattr("lrfm.solver.api.BEGINNING", 0.0)
    monkeypatch.setattr("lrfm.solver.budget.SHORTEST", 0.0)
    with pytest.raises(ValueError, match="nothing can be told"):
        lrfm.plan(PLANNED)
