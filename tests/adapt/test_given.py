# SPDX-License-Identifier: MIT
"""What is given is found and resolved, whatever its width and wherever it is."""

import math

import numpy as np
import pytest
from helpers import thinned
from numpy.polynomial.legendre import leggauss
from on_cells import line

import lrfm
from lrfm.adapt.cells import CellAdapter
from lrfm.adapt.given import Given
from lrfm.adapt.modes import ModeAdapter
from lrfm.adapt.points import stable_layout
from lrfm.discretize.box.spectral_form import SpectralForm
from lrfm.discretize.evolution import EvolutionSystem
from lrfm.discretize.options import Options
from lrfm.linalg.deadline import deadline
from lrfm.problem import Box, Problem
from lrfm.problem.landmarks import along
from lrfm.solver.formulations.plane import PlaneFormulation, PlaneSystem

WALLS = {"x-": "u_x = 0", "x+": "u_x = 0"}
DRAWS = 6  # random places and widths per shape, spread over all widths from 1e-6 to 1e-1


def drawn(name, low, high):
    """Places anywhere between two bounds, with widths one from each part of the decades."""
    rng = np.random.default_rng([ord(letter) for letter in name])
    for n in range(DRAWS):
        yield float(rng.uniform(low, high)), float(10.0 ** (-6 + 5 * (n + rng.random()) / DRAWS))


SHAPES = {  # what stands in the statement, and the same in NumPy
    "Gaussian": ("exp(-((x - c)/w)**2)", lambda x, c, w: np.exp(-(((x - c) / w) ** 2))),
    "sech²": ("1/cosh((x - c)/w)**2", lambda x, c, w: 1 / np.cosh(np.clip((x - c) / w, -300, 300)) ** 2),
    "bell": ("1/(1 + ((x - c)/w)**2)", lambda x, c, w: 1 / (1 + ((x - c) / w) ** 2)),
    "step": ("tanh((x - c)/w)", lambda x, c, w: np.tanh((x - c) / w)),
    "packet": (
        "exp(-((x - c)/w)**2)*cos(3*x + 1)",
        lambda x, c, w: np.exp(-(((x - c) / w) ** 2)) * np.cos(3 * x + 1),
    ),
    "jump": ("where(x > c, 1, x)", lambda x, c, w: np.where(x > c, 1.0, x)),
    "kink": ("abs(x - c)", lambda x, c, w: np.abs(x - c)),
}


def statement(shape, c, w, as_source):
    text = SHAPES[shape][0]
    used = {
        n: v for n, v in {"c": c, "w": w}.items() if f"{n}" in text.replace("cos", "").replace("where", "")
    }
    if as_source:
        return line(f"u_t = u_xx + {text}", "0", WALLS, parameters=used)
    return line("u_t = u_xx", text, WALLS, parameters=used)


def moments(function, c, w):
    """∫ f, ∫ x f and ‖f‖ over (0, 1), by Gauss points on intervals that shrink towards the place."""
    out = w * 1e-3 * 1.5 ** np.arange(60)
    edges = np.unique(np.clip(np.concatenate([c - out, [c], c + out, [0, 1]]), 0, 1))
    points, weights = leggauss(20)
    half = 0.5 * np.diff(edges)[:, None]
    x = 0.5 * (edges[1:] + edges[:-1])[:, None] + half * points
    values, weights = function(x, c, w), half * weights
    return np.sum(weights * values), np.sum(weights * x * values), np.sqrt(np.sum(weights * values**2))


@pytest.mark.parametrize("as_source", thinned([True, False], 2))
@pytest.mark.parametrize("shape", SHAPES)
def test_what_is_thin_is_found_and_resolved(shape, as_source):
    """The place is an edge of cells, and integrals by the cells' own points are exact to the tolerance."""
    options = Options(tol=1e-6)
    for c, w in drawn(f"{shape}{as_source}", 0.03, 0.97):
        system = EvolutionSystem(statement(shape, c, w, as_source))
        known = Given(system)
        assert np.abs(known.places - c).min() < 1e-8, (c, w)
        adapter = CellAdapter(stable_layout(system, options.count), known, options)
        mesh, y = adapter.initial()
        assert np.abs(mesh.edges - c).min() < 1e-8, (c, w)
        # A source stands on the other side of its row: F = u_t − u_xx − f.
        found = (
            -adapter.project(mesh, lambda x, g=known: g.functions(x, 0.0), ends=False)[0]
            if as_source
            else y[0]
        )
        middle, exact = mesh.edges[:-1] + 0.5 * mesh.widths, moments(SHAPES[shape][1], c, w)
        # ∫ over a cell of Σ a_j φ_j is h a₀, of x Σ a_j φ_j it is h (x̄ a₀ + h a₁/√12).
        zeroth = np.sum(mesh.widths * found[:, 0])
        first = np.sum(mesh.widths * (middle * found[:, 0] + mesh.widths * found[:, 1] / np.sqrt(12)))
        assert abs(zeroth - exact[0]) <= options.tol * exact[2], (c, w)
        assert abs(first - exact[1]) <= options.tol * exact[2], (c, w)


@pytest.mark.parametrize("places", [[0.2, 0.5, 0.8], [0.111, 0.112, 0.9]])
def test_several_are_found(places):
    text = " + ".join(f"{i + 1}*exp(-((x - {p})/1e-4)**2)" for i, p in enumerate(places))
    known = Given(EvolutionSystem(line("u_t = u_xx", text, WALLS)))
    for p in places:
        assert np.abs(known.places - p).min() < 1e-8


@pytest.mark.parametrize("nu", [1e-3, 5e-4])
def test_a_front_has_one_place(nu):
    """A scan found its place once more, 2e-8 beside the one that the formula names, and ends of all intervals over which it changes: ∂u/∂ν was wrong by a factor of 1e3, on cells of 2e-8."""
    front = "0.5 - 0.5*tanh((x - 0.3)/(4*nu))"
    problem = line("u_t + u*u_x = nu*u_xx", front, {"x-": "u = 1", "x+": "u = 0"}, x=(0, 2), parameters={"nu": nu})  # fmt: skip
    (named,) = Given(EvolutionSystem(problem)).places
    assert named == pytest.approx(0.3, abs=1e-12)
    given = problem.replace(initial=lambda x: 0.5 - 0.5 * np.tanh((x - 0.3) / (4 * nu)))
    (scanned,) = Given(EvolutionSystem(given)).places
    assert scanned == pytest.approx(0.3, abs=1e-6)


def test_a_jump_is_an_edge_to_the_last_digit():
    """No cell has both sides of it."""
    system = EvolutionSystem(line("u_t = u_xx + where(x > pi/7, 1, 0)", "0", WALLS))
    known = Given(system)
    at = known.places[np.argmin(np.abs(known.places - np.pi / 7))]
    assert abs(at - np.pi / 7) <= 2 * np.spacing(np.pi / 7)
    near = known.functions(np.array([at, np.nextafter(at, 0), at + 2 * np.spacing(at)]), 0.0)
    assert np.all(near[:, 0] == near[:, 1])
    assert np.any(near[:, 0] != near[:, 2])


def test_smooth_data_have_no_singular_points():
    system = EvolutionSystem(line("u_t = u_xx + x**2", "sin(3*x)", WALLS))
    assert len(Given(system).places) == 0
    assert len(Given(system).times) == 0


@pytest.mark.parametrize("high", [1.0, 3.5])
def test_all_zeros_along_a_coordinate(high):
    """Of |sin 20x|: kπ/20."""
    system = EvolutionSystem(line("u_t = u_xx + abs(sin(20*x))", "0", WALLS, x=(0.0, high)))
    zeros = np.arange(1, int(high * 20 / np.pi) + 1) * np.pi / 20
    found = along([row.expression for row in system.problem.rows], "x", 0.0, high)
    for z in zeros:
        assert np.abs(found - z).min() < 1e-12
    for x in found:
        assert abs(np.sin(20 * x)) < 1e-8
    np.testing.assert_allclose(Given(system).places, zeros, atol=1e-8)


# Time -------------------------------------------------------------------------------------------------------

PULSES = {
    "source": lambda pulse: line(f"u_t = u_xx + {pulse}*x", "0", WALLS, time=(0.0, 2.0)),
    "boundary": lambda pulse: line("u_t = u_xx", "0", {"x-": f"u = {pulse}", "x+": "u = 0"}, time=(0.0, 2.0)),
    "coefficient": lambda pulse: line(f"u_t = (1 + {pulse})*u_xx", "x", WALLS, time=(0.0, 2.0)),
}


@pytest.mark.parametrize("where", PULSES)
def test_no_step_passes_over_a_pulse(where):
    """From anywhere before it: the step that meets the pulse ends inside it, at its top at the latest, and the next one begins there."""
    for n, (c, w) in enumerate(drawn(where, 0.05, 1.95)):
        known = Given(EvolutionSystem(PULSES[where](f"exp(-((t - {c!r})/{w!r})**2)")))
        assert np.abs(known.named_times - c).min() < 1e-8, (c, w)
        assert w < 1e-4 or len(known.times) == 0, (c, w)  # smooth: nothing begins anew there
        time, steps = max(0.0, n / DRAWS * (c - 3 * w)), 0
        while time < min(c + 3 * w, 2.0) - 1e-9:
            ahead = known.times[known.times > time]
            length = min(known.pace.limit(time), ahead[0] - time if len(ahead) else np.inf)
            assert length > 0
            assert time < c - 40 * w or length < 40 * w, (c, w, time, length)
            assert time > c - 3 * w or time + length < c + 3 * w, (c, w, time, length)
            time, steps = time + length, steps + 1
            assert steps < 200


@pytest.mark.parametrize("away", [3e-7, 7e-6])
def test_no_step_passes_over_a_pulse_just_before_the_end(away):
    """u_t = u_xx/10 + δ(t − 10 + away) sin πx nearly: u(T) = 1 + e^(−π²) after the pulse; between the last samples of its exponent lies all of it."""
    width = away / 10
    height = 1 / (width * math.sqrt(math.pi))
    problem = Problem(
        f"u_t = 0.1*u_xx + {height!r}*exp(-((t - {10 - away!r})/{width!r})**2)*sin(pi*x)", domain=Box(x=(0, 1)), time=(0, 10), initial="sin(pi*x)", boundary="u = 0",
    )  # fmt: skip
    solution = lrfm.solve(problem, tol=1e-3)
    assert solution(x=0.5, t=10.0) == pytest.approx(1 + math.exp(-(math.pi**2)), abs=3e-3)


@pytest.mark.parametrize("seed", range(4))
def test_a_jump_in_time_is_a_singular_time(seed):
    c = float(np.random.default_rng(seed).uniform(0.05, 1.95))
    known = Given(EvolutionSystem(PULSES["boundary"](f"where(t > {c!r}, 1, 0)")))
    assert np.abs(known.times - c).min() <= 4 * np.spacing(2.0)


SHARP = {
    "where(t > c, 1, 0)": False,
    "abs(t - c)": False,
    "sqrt(abs(t - c))": False,
    "max(t - c, 0)": False,
} | {
    "exp(-((t - c)/0.01)**2)": True,
    "tanh((t - c)/1e-3)": True,
    "1/(1 + ((t - c)/1e-3)**2)": True,
}


@pytest.mark.parametrize("text", SHARP)
def test_an_integration_begins_anew_where_something_is_not_smooth(text):
    """Jumps, kinks and roots are singular times; tops and steep slopes are only looked at."""
    for c in (0.2137, 0.9, 1.71):
        known = Given(
            EvolutionSystem(PULSES["boundary"](text.replace("- c", f"- {c}").replace("> c", f"> {c}")))
        )
        near = np.abs(known.named_times - c) < 1e-8
        assert near.any(), (text, c)
        assert (np.abs(known.times - c) < 1e-8).any() != SHARP[text], (text, c)


def test_times_are_scanned_where_users_have_functions_alone():
    """A source that is a formula names its times, and is not looked at at each of 65537: a rim with a function beside it is."""
    asked = []

    def pulse(x, y, t):
        asked.append(len(t))
        return np.exp(-(((t - 0.3217) / 1e-3) ** 2))

    problem = lrfm.Problem(
        "u_t = lap(u) + sin(x + t) + exp(-((t - 0.7123)/1e-5)**2)",
        domain=lrfm.Disk(name="rim"),
        time=(0, 1),
        initial="0",
        boundary={"rim": {"u": pulse}},
    )
    given, times = PlaneFormulation(PlaneSystem(problem)).given, np.linspace(0, 1, 5)
    assert np.min(np.abs(given.named_times - 0.3217)) < 1e-3
    assert np.min(np.abs(given.named_times - 0.7123)) < 1e-6
    assert len(given.in_time(times, unnamed=True)) < len(given.in_time(times))
    assert max(asked) >= 2**16


def test_the_clock_breaks_off_a_scan_of_functions():
    """A function of the user may be slow: a limit ends a scan of 65537 times between two of its places."""
    asked, looks = [], []

    def source(x, y, t):
        asked.append(len(t))
        return np.sin(x + y + t)

    def check(ahead=0.0):
        looks.append(ahead)
        if len(looks) > 3:
            raise TimeoutError

    problem = lrfm.Problem(
        "u_t = lap(u) + f",
        domain=lrfm.Disk(name="rim"),
        time=(0, 1),
        initial="0",
        boundary="u = 0",
        parameters={"f": source},
    )
    given = PlaneFormulation(PlaneSystem(problem)).given
    asked.clear()
    with pytest.raises(TimeoutError), deadline(check):
        _ = given.named_times
    assert sum(asked) <= 3 * (2**16 + 1)


def test_data_of_a_wave_are_read_at_the_ends():
    """The top of a wave that is written with x and t is no time of a condition, where it is not at that end."""
    wave = "1/cosh(x - 2*t)**2"
    problem = line(
        "u_t = u_xx", wave.replace("t", "0"), {"x-": f"u = {wave}", "x+": f"u = {wave}"}, x=(-5, 5)
    )
    known = Given(EvolutionSystem(problem))
    assert len(known.named_times) == 0
    assert len(known.places) <= 1


def test_a_moving_layer_is_looked_at_again():
    known = Given(EvolutionSystem(line("u_t = u_xx + exp(-((x - t)/0.01)**2)", "0", WALLS)))
    assert known.moving
    assert not Given(EvolutionSystem(line("u_t = u_xx + exp(-t)", "0", WALLS))).moving
    np.testing.assert_allclose(
        -known.functions(np.array([0.3, 0.31]), 0.3, only_moving=True)[0], [1.0, np.exp(-1)], rtol=1e-9
    )


@pytest.mark.parametrize("width", [1e-2, 1e-3, 1e-4, 1e-5])
def test_a_pulse_of_a_function_of_time_is_a_singular_time(width):
    """Functions name no singular times: a scan finds where they are thin, and steps end there."""
    top = 0.371234
    problem = lrfm.Problem(
        "u_t = u_xx", domain=lrfm.Box(x=(0, 1)), time=(0, 1), initial="0",
        boundary={"x-": {"u": lambda t: np.exp(-(((t - top) / width) ** 2))}, "x+": "u = 0"}, check_corners=False,
    )  # fmt: skip
    given = Given(EvolutionSystem(problem))
    here = top - 2 * width
    ahead = [t - here for t in given.times if t > here]
    # A step that begins two widths before the top ends within the pulse, or soon after it.
    assert min([given.pace.limit(here), *ahead]) < 20 * width


ROUNDED = " + ".join(f"exp(1j*({k})*x)/{1 + k * k}" for k in range(-3, 4))  # Σ is real but for rounding
SPLIT = " + ".join(f"sin({k}*x)/{1 + k * k}" for k in (-3, -2, -1, 1, 2, 3)) + " + 0.1 - 0.1*cos(x)/cos(x)"


@pytest.mark.parametrize(
    "problem",
    [
        line("1j*psi_t + 0.5*psi_xx = 0", ROUNDED, "periodic", x=(0, 2 * np.pi), unknowns={"psi": complex}),
        line(
            ["u_t = -0.5*v_xx", "v_t = 0.5*u_xx"],
            {"u": "1 + cos(x)", "v": SPLIT},
            "periodic",
            x=(0, 2 * np.pi),
        ),
    ],
    ids=["complex", "pair"],
)
def test_rounding_beside_another_component_is_nothing(problem):
    """Im ψ = 1e-17 has no kinks: errors of a part are relative to the unknown, and what is rounding of the largest component counts as zero."""
    system = EvolutionSystem(problem)
    given, options = Given(system), Options(tol=1e-6)
    rounding = given.initial(np.linspace(0, 6, 50))[1]
    assert 0 < np.max(np.abs(rounding)) < 1e-14
    assert len(given.places) == 0
    assert CellAdapter(stable_layout(system, options.count), given, options).initial()[0].size <= 8
    modes = ModeAdapter(SpectralForm(system), options).initial()[0]
    assert modes.counts[0] <= 16


def test_a_complex_unknown_whose_imaginary_part_is_rounding_is_solved():
    """i ψ_t + ψ_xx/2 = 0: modes k turn at k²/2."""
    problem = line(
        "1j*psi_t + 0.5*psi_xx = 0", ROUNDED, "periodic", x=(0, 2 * np.pi), unknowns={"psi": complex}
    )
    solution = lrfm.solve(problem, tol=1e-6)
    x, t = np.random.default_rng(0).random((2, 500)) * [[2 * np.pi], [1]]
    exact = sum(np.exp(1j * (k * x - 0.5 * k * k * t)) / (1 + k * k) for k in range(-3, 4))
    error = np.linalg.norm(solution(x=x, t=t) - exact) / np.linalg.norm(exact)
    assert error <= solution.report.error_estimate <= 1e-6


@pytest.mark.parametrize("form", ["text", "function"])
def test_what_is_thin_along_a_line_of_the_plane_takes_few_cells(form):
    """A source exp(−((x − 0.509)/w)²) sin πy, w = 1e-5: boxes are halved along x alone, and all of them that the line crosses."""
    width, names = 1e-5, {}
    text = f"exp(-((x - 0.509)/{width})**2)"
    pulse = lambda x: np.exp(-(((np.asarray(x) - 0.509) / width) ** 2))  # noqa: E731
    if form == "function":
        width, text = 1e-3, "f"  # a scan sees what is wider than one place of it
        names = {"f": lambda x: pulse(x)}
    problem = lrfm.Problem(
        f"u_t = lap(u) + {text}*sin(pi*y)",
        domain=lrfm.Box(x=(0, 1), y=(0, 1)),
        time=(0, 1),
        initial="sin(pi*x)*sin(pi*y)",
        boundary="u = 0",
        parameters=names,
    )
    adapter = PlaneFormulation(PlaneSystem(problem)).adapter(Options(tol=1e-3))
    space, _ = adapter.initial()
    assert space.size < 150
    x = 0.509 + width * np.linspace(-4, 4, 81)
    at = np.stack(np.meshgrid(x, np.linspace(0.05, 0.95, 19), indexing="ij"), axis=-1).reshape(-1, 2)
    own = lambda p: (pulse(p[:, 0]) * np.sin(np.pi * p[:, 1]))[None]  # noqa: E731
    gap = space.values(space.project(own), at) - own(at)
    assert np.linalg.norm(gap) < 2e-3 * np.linalg.norm(own(at))


@pytest.mark.parametrize("width", [7e-4, 1e-5])
def test_a_source_that_is_on_for_a_short_time_begins_and_ends_with_a_step(width):
    """Points of wide intervals around its ends lie beside it, where it is zero and smooth: it was taken for smooth, and no step began with it."""
    source = "where(t > 0.0312, 1, 0)*where(t < 0.0312 + w, 1, 0)*sin(pi*x)"
    problem = lrfm.Problem(
        f"u_t = u_xx + {source}",
        domain=lrfm.Box(x=(0, 1)),
        time=(0, 0.2),
        initial="0",
        boundary="u = 0",
        parameters={"w": width},
    )
    assert np.allclose(Given(EvolutionSystem(problem)).times, [0.0312, 0.0312 + width], rtol=0, atol=1e-9)
    solution = lrfm.solve(problem, tol=1e-3)
    decay = np.pi**2
    expected = (np.exp(decay * width) - 1) / decay * np.exp(-decay * (0.1 - 0.0312))
    assert abs(float(solution(x=0.5, t=0.1)) / expected - 1) < 1e-3


def test_numbers_among_coefficients_are_no_functions_to_be_resolved():
    given = Given(EvolutionSystem(line("u_t = 2*u_xx + sin(3*x)*u + cos(x*t)", "0", WALLS)))
    found = given.functions(np.linspace(0, 1, 7), 0.5)
    assert len(found) == 2
    assert np.all(np.ptp(found, axis=1) > 0)


@pytest.mark.parametrize("switch", ["max(t - 1, 0)", "where(t > 1, t - 1, 0)", "max(t - 1, 0)**2"])
def test_a_kink_at_zero_is_no_jump(switch):
    """Beside it all is small, and differs from side to side by all that it is: the kink was moved by 2e-8, past which what was at rest had its first rate within a step."""
    problem = Problem(
        f"u_t = u_xx + {switch}", domain=Box(x=(0, 1)), time=(0, 4), initial="0", boundary="u_n = 0"
    )
    (at,) = Given(EvolutionSystem(problem)).times
    assert abs(at - 1) < 1e-14


AT_REST = {
    "source": ("u_t = u_xx - u + max(t - 1, 0)*exp(-x)", "0", "u_n = 0"),
    "flux": ("u_t = u_xx - u", "0", {"x-": "u_n = max(t - 1, 0)", "x+": "u_n = 0"}),
    "wave": ("u_tt = u_xx + max(t - 1, 0)**2*exp(-x)", {"u": "0", "u_t": "0"}, "u_n = 0"),
    "what follows": (["u_t = u_xx - u + v**2", "v_t = -v + max(t - 1, 0)"], {"u": "0", "v": "0"}, "u_n = 0"),
}


@pytest.mark.parametrize("name", AT_REST)
def test_what_rests_until_it_is_switched_on(name):
    """Steps vanished at t = 1: a source was measured at the start alone, where it is zero, and a step that passed the kink by 2e-8 was all error."""
    equation, initial, boundary = AT_REST[name]
    problem = Problem(equation, domain=Box(x=(0, 5)), time=(0, 2), initial=initial, boundary=boundary)
    report = lrfm.solve(problem, tol=1e-6).report
    assert report.status is lrfm.Status.TOLERANCE_MET
    assert report.engine.steps < 60
