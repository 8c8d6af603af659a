# SPDX-License-Identifier: MIT
"""Pictures and movies of a made-up solution: what they show, what they refuse, what they leave alone."""

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import matplotlib
import numpy as np
import pytest
from helpers import FakeSolution, environment, thinned
from PIL import Image

import lrfm
from lrfm.solution.io.whole import replacing
from lrfm.solution.plot import movie
from lrfm.solution.plot.figure import plot
from lrfm.solution.plot.look import number, symbol, value_scale
from lrfm.solution.plot.movie import animate
from lrfm.solution.sampling import axis_points, sample


def wave(x, t):
    return np.sin(np.pi * (x - t))


def bump(x, y, t):
    return np.exp(-3 * (x - 0.1 * t) ** 2 - y**2)


def soliton(x, t):
    return np.exp(1j * (2 * x - t)) / np.cosh(x - t)


LINE = {"x": (-1.0, 1.0)}
PLANE = {"x": (-1.0, 1.0), "y": (0.0, 0.5)}
CUBE = {"x": (0.0, 1.0), "y": (0.0, 1.0), "z": (0.0, 0.5)}

SOLUTIONS = {
    "line": lambda: FakeSolution({"u": wave}, LINE, blocks=4),
    "complex line": lambda: FakeSolution({"psi": soliton}, LINE),
    "mixed line": lambda: FakeSolution({"psi": soliton, "n": wave}, LINE),
    "plane": lambda: FakeSolution({"u": bump}, PLANE),
    "two in a plane": lambda: FakeSolution({"u": bump, "v1": lambda x, y, t: x + y - t}, PLANE),
    "complex plane": lambda: FakeSolution({"psi": lambda x, y, t: soliton(x, t) + 0 * y}, PLANE),
    "cube": lambda: FakeSolution({"u": lambda x, y, z, t: bump(x, y, t) * z}, CUBE),
    "four axes": lambda: FakeSolution(
        {"u": lambda x, y, z, w, t: x * w + y - t * z}, {**CUBE, "w": (0.0, 1.0)}
    ),
}


def images(figure):
    return [axes.images[0] for axes in figure.axes if axes.images]


@pytest.mark.parametrize(
    "name",
    [
        *thinned(["line", "complex line", "mixed line", "two in a plane", "complex plane", "plane"], 2),
        *("cube", "four axes"),
    ],
)
def test_every_kind_is_drawn_without_warnings_or_global_state(name, tmp_path):
    before = dict(matplotlib.rcParams)
    figure = plot(SOLUTIONS[name](), tmp_path / "field.png", times=3, resolution=17)
    assert (tmp_path / "field.png").read_bytes().startswith(b"\x89PNG")
    assert images(figure)
    assert dict(matplotlib.rcParams) == before
    assert [path.name for path in tmp_path.iterdir()] == ["field.png"]


@pytest.mark.parametrize("suffix", thinned([".pdf", ".PNG", ".svg"], 2))
def test_other_formats(suffix, tmp_path):
    plot(SOLUTIONS["line"](), tmp_path / f"field{suffix}", resolution=9)
    assert (tmp_path / f"field{suffix}").stat().st_size > 1000


def test_line_shows_the_field_the_profiles_and_the_blocks():
    figure = plot(SOLUTIONS["line"](), times=[0.0, 0.5, 2.0], resolution={"x": 21, "t": 11})
    field, *_, profiles = [axes for axes in figure.axes if axes.get_subplotspec() is not None]
    x, t = np.linspace(-1, 1, 21), np.linspace(0, 2, 11)
    np.testing.assert_allclose(field.images[0].get_array(), wave(x[None], t[:, None]))
    assert field.get_xlabel() == "$x$"
    assert field.get_ylabel() == "$t$"
    for line, time in zip(profiles.get_lines(), (0.0, 0.5, 2.0), strict=True):
        np.testing.assert_allclose(line.get_xydata(), np.column_stack([x, wave(x, time)]))
    edges = [line.get_ydata()[0] for line in field.get_lines() if line.get_linestyle() == "--"]
    np.testing.assert_allclose(edges, [0.5, 1.0, 1.5])


def test_complex_line_shows_modulus_phase_and_three_profiles():
    figure = plot(SOLUTIONS["complex line"](), times=2, resolution=21)
    modulus, phase = images(figure)
    x = np.linspace(-1, 1, 21)
    np.testing.assert_allclose(modulus.get_array()[0], np.abs(soliton(x, 0)))
    np.testing.assert_allclose(phase.get_array()[0], np.angle(soliton(x, 0)))
    assert (phase.get_cmap().name, *phase.get_clim()) == ("twilight", -np.pi, np.pi)
    curves = [axes.get_lines()[0].get_ydata() for axes in figure.axes if len(axes.get_lines()) == 2][1:]
    np.testing.assert_allclose(curves, [np.abs(soliton(x, 0)), soliton(x, 0).real, soliton(x, 0).imag])


def test_plane_has_one_scale_for_all_times():
    figure = plot(SOLUTIONS["plane"](), times=[0.0, 1.0], resolution={"x": 9, "y": 5})
    first, last = images(figure)
    x, y = np.linspace(-1, 1, 9), np.linspace(0, 0.5, 5)
    np.testing.assert_allclose(first.get_array(), bump(x[None], y[:, None], 0.0))
    np.testing.assert_allclose(last.get_array(), bump(x[None], y[:, None], 1.0))
    assert first.get_clim() == last.get_clim()
    assert [axes.get_title() for axes in figure.axes[:2]] == ["$t = 0$", "$t = 1$"]


def test_cube_shows_three_middle_planes_on_one_scale():
    figure = plot(SOLUTIONS["cube"](), times=[0.0], resolution=9)
    planes = images(figure)
    assert len(planes) == 3
    assert len({plane.get_clim() for plane in planes}) == 1
    grid = np.linspace(0, 1, 9)
    np.testing.assert_allclose(planes[0].get_array(), 0.25 * bump(grid[None], grid[:, None], 0.0))
    assert figure.axes[-1].get_ylabel() == "$u$ at $x = 0.5$"


def test_one_unknown_of_several_can_be_chosen():
    assert len(images(plot(SOLUTIONS["mixed line"](), resolution=9))) == 3
    assert len(images(plot(SOLUTIONS["mixed line"](), unknown="n", resolution=9))) == 1
    with pytest.raises(ValueError, match=r"`unknown='q'` does not exist\. The unknowns are: psi, n\."):
        plot(SOLUTIONS["mixed line"](), unknown="q")


@pytest.mark.parametrize("kind", ["line", "plane"])
def test_error_panel(kind):
    solution = SOLUTIONS[kind]()
    exact = solution.functions["u"]
    solution.problem.reference = lambda **at: exact(**at) + 1e-6 * (1 + at["x"])
    panel = images(plot(solution, times=[1.0], resolution=11, error=True))[1]
    expected = np.log10(1e-6 * (1 + np.linspace(-1, 1, 11)[1:]))
    np.testing.assert_allclose(panel.get_array()[0, 1:], expected, atol=1e-6)
    assert panel.get_array()[0, 0] == -17
    assert panel.get_clim()[1] == -5


def test_error_needs_a_reference():
    with pytest.raises(ValueError, match="no known solution"):
        plot(SOLUTIONS["line"](), error=True)
    solution = SOLUTIONS["mixed line"]()
    solution.problem.reference = {"psi": soliton}
    with pytest.raises(ValueError, match="known solution of n; `reference` has psi"):
        plot(solution, error=True)
    assert len(images(plot(solution, unknown="psi", error=True, resolution=9))) == 3


@pytest.mark.parametrize(
    "function",
    thinned([
        lambda x, t: 0 * x * t,
        lambda x, t: 0 * x * t + 3.0,
        lambda x, t: np.where(x + 0 * t > 0, np.nan, 1.0 + x),
        lambda x, t: 1e-30 * wave(x, t),
        lambda x, t: np.full(np.broadcast_shapes(np.shape(x), np.shape(t)), np.nan),
        lambda x, t: 1e9 * wave(x, t),
        lambda x, t: 0j * x * t,
    ], 2),
)  # fmt: skip
def test_odd_fields_are_drawn_without_warnings(function, tmp_path):
    solution = FakeSolution({"velocity_x": function}, {"x": (0.0, 1e-5)})
    solution.problem.reference = function
    plot(solution, tmp_path / "odd.png", resolution=9, error=True)


def test_letters_that_the_font_lacks_do_not_warn(tmp_path):
    plot(FakeSolution({"場": wave}, LINE), tmp_path / "letter.png", resolution=9)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([-1.0, 2.0], ("RdBu_r", -2.0, 2.0)),
        ([0.0, 2.0], ("viridis", 0.0, 2.0)),
        ([-1e-9, 2.0], ("viridis", -1e-9, 2.0)),  # undershoot is not a sign
        ([-3.0, -1.0], ("viridis", -3.0, -1.0)),
        ([2.0, 2.0], ("viridis", 1.0, 3.0)),
        ([np.nan, np.inf], ("viridis", -1.0, 1.0)),
    ],
)
def test_color_scale(values, expected):
    scale = value_scale(np.array(values))
    assert (scale.map, scale.lower, scale.upper) == expected


@pytest.mark.parametrize(
    ("name", "letter"),
    [
        ("u", "u"),
        ("psi", r"\psi"),
        ("u12", "u_{12}"),
        ("rho_max", r"\rho_{\mathrm{max}}"),
        ("speed", r"\mathrm{speed}"),
        ("_a", r"\mathrm{\_a}"),
    ],
)
def test_letters(name, letter):
    assert symbol(name) == letter


def test_numbers():
    assert [number(value) for value in (-0.0, 0.25, 1 / 3, 1.5e-7)] == [
        "0",
        "0.25",
        "0.3333",
        r"1.5 \times 10^{-7}",
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"path": "field.jpg"}, r"ends in '\.jpg'\. Use one of: \.png, \.pdf, \.svg\."),
        ({"path": "field"}, "has no suffix"),
        ({"times": [0.0, 3.0]}, r"reaches from 0 to 3; the solution lives on \[0, 2\]"),
        ({"times": 13}, "at most 12"),
        ({"times": []}, "list of finite numbers"),
        ({"times": 1}, "at least 2"),
        ({"resolution": 1}, "at least 2"),
        ({"resolution": {"z": 9}}, "`z` is not a coordinate here. The coordinates are: x, t"),
        ({"unknown": ()}, "`unknown` is empty"),
    ],
)
def test_refusals(arguments, message):
    with pytest.raises(ValueError, match=message):
        plot(SOLUTIONS["line"](), **arguments)


@pytest.mark.parametrize("resolution", [2.5, "9", {"x": np.linspace(-1, 1, 5)}])
def test_pictures_need_a_whole_number_of_points(resolution):
    with pytest.raises(TypeError, match="whole number"):
        plot(SOLUTIONS["line"](), resolution=resolution)


def test_points_may_leave_a_periodic_axis_only():
    with pytest.raises(ValueError, match="Choose points inside"):
        axis_points("x", [0.0, 7.0], (0.0, 1.0))
    assert axis_points("x", [0.0, 7.0], (0.0, 1.0), bounded=False).tolist() == [0.0, 7.0]


def test_sampling_in_slabs_is_sampling_at_once(monkeypatch):
    coordinates = {"x": np.linspace(-1, 1, 5), "y": np.linspace(0, 0.5, 4), "t": np.linspace(0, 2, 7)}
    at_once = sample(SOLUTIONS["two in a plane"](), coordinates)
    monkeypatch.setattr("lrfm.solution.sampling.SLAB", 41)
    in_slabs = sample(SOLUTIONS["two in a plane"](), coordinates)
    for name in at_once:
        assert at_once[name].shape == (7, 5, 4)
        np.testing.assert_array_equal(at_once[name], in_slabs[name])


def test_a_failed_picture_leaves_the_old_one(tmp_path, monkeypatch):
    path = tmp_path / "field.png"
    path.write_text("old")

    def fail(self, target, **options):
        target.write_text("half")
        raise OSError("disk full")

    monkeypatch.setattr("matplotlib.figure.Figure.savefig", fail)
    with pytest.raises(OSError, match="disk full"):
        plot(SOLUTIONS["line"](), path, resolution=9)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_replacing_says_where_it_cannot_write(tmp_path):
    with (
        pytest.raises(FileNotFoundError, match="folder that does not exist"),
        replacing(tmp_path / "a" / "b.png"),
    ):
        pass
    with pytest.raises(IsADirectoryError, match="is a folder"), replacing(tmp_path):
        pass


def test_replacing_follows_links(tmp_path):
    target, link = tmp_path / "real.txt", tmp_path / "link.txt"
    target.write_text("old")
    link.symlink_to(target)
    with replacing(link) as draft:
        draft.write_text("new")
    assert link.is_symlink()
    assert target.read_text() == "new"


@pytest.mark.parametrize("name", thinned(["cube", "complex line", "two in a plane"], 3))
def test_gif(name, tmp_path):
    path = tmp_path / "movie.gif"
    animate(SOLUTIONS[name](), path, frames=4, fps=10, resolution=9)
    with Image.open(path) as found:
        assert found.n_frames == 4
        assert found.info["duration"] == 100
        assert found.size[1] >= 720
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("name", thinned(["line", "complex line", "two in a plane"], 2))
def test_a_frame_of_a_gif_is_the_figure_at_its_time(name, tmp_path, monkeypatch):
    """What moves is drawn on what stays; drawn as a whole, the figure has the same pixels up to the colors of a palette."""
    whole = []

    def keep(path, figure, draw, count, fps, tell):
        from matplotlib.backends.backend_agg import FigureCanvasAgg

        canvas = FigureCanvasAgg(figure)
        for index in range(count):
            draw(index)
            canvas.draw()
            whole.append(np.asarray(canvas.buffer_rgba())[..., :3].astype(float))
        Path(path).touch()

    monkeypatch.setattr(movie, "_write_mp4", keep)
    monkeypatch.setattr(movie, "_check_writer", lambda suffix, fps: None)
    animate(SOLUTIONS[name](), tmp_path / "movie.gif", frames=3, resolution=9)
    animate(SOLUTIONS[name](), tmp_path / "movie.mp4", frames=3, resolution=9)
    with Image.open(tmp_path / "movie.gif") as found:
        for index, expected in enumerate(whole):
            found.seek(index)
            gap = np.abs(np.asarray(found.convert("RGB")) - expected)
            assert gap.mean() < 1.5
            assert np.mean(gap > 24) < 1e-3


def test_more_frames_draw_no_more_figures(tmp_path, monkeypatch):
    from matplotlib.figure import Figure
    from matplotlib.mathtext import MathTextParser

    drawn, parsed, told = [], [], []
    draw, parse = Figure.draw, MathTextParser._parse_cached
    monkeypatch.setattr(Figure, "draw", lambda self, *given: (drawn.append(1), draw(self, *given))[1])
    monkeypatch.setattr(
        MathTextParser, "_parse_cached", lambda self, *given: (parsed.append(1), parse(self, *given))[1]
    )
    sizes = []
    for frames in (3, 3, 9):  # the first one fills caches
        animate(
            SOLUTIONS["line"](),
            tmp_path / "m.gif",
            frames=frames,
            resolution=9,
            progress=lambda *t: told.append(t),
        )
        sizes.append((len(drawn), len(parsed)))
        drawn.clear()
        parsed.clear()
    assert sizes[1] == sizes[2]
    assert told[-1] == ("frames", 9, 9)


def test_movie_at_chosen_times(tmp_path):
    animate(SOLUTIONS["line"](), tmp_path / "movie.gif", frames=[0.0, 0.5, 0.6], resolution=9)
    with Image.open(tmp_path / "movie.gif") as found:
        assert found.n_frames == 3


def test_mp4_without_ffmpeg_suggests_gif(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(RuntimeError, match=r"ffmpeg, which was not found.*\.gif"):
        animate(SOLUTIONS["line"](), tmp_path / "movie.mp4")
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(os.name != "posix", reason="the stand-in for ffmpeg is a shell script")
def test_mp4_goes_through_ffmpeg(tmp_path, monkeypatch):
    program = tmp_path / "bin" / "ffmpeg"
    program.parent.mkdir()
    program.write_text('#!/bin/sh\nfor last; do :; done\nwc -c > "$last"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    animate(SOLUTIONS["line"](), tmp_path / "movie.mp4", frames=3, resolution=9)
    pixels = int((tmp_path / "movie.mp4").read_text()) / (3 * 4)  # frames of RGBA
    assert pixels >= 720 * 1280


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"path": "movie.avi"}, r"Use one of: \.gif, \.mp4\."),
        ({"path": "movie.gif", "frames": 1}, "`frames=1` must be"),
        ({"path": "movie.gif", "fps": 0}, "`fps=0` must be"),
    ],
)
def test_movie_refusals(arguments, message):
    with pytest.raises(ValueError, match=message):
        animate(SOLUTIONS["line"](), **arguments)


def test_looks_that_are_asked_for():
    figure = plot(SOLUTIONS["line"](), cmap="plasma", size=(7, 3), title="A wave", resolution=9)
    assert images(figure)[0].get_cmap().name == "plasma"
    assert tuple(figure.get_size_inches()) == (7, 3)
    assert figure.get_suptitle() == "A wave"
    said = [text.get_text() for text in figure.legends[0].get_texts()]
    assert said[-2:] == ["times of profiles", "end of a block"]
    with pytest.raises(ValueError, match="use 'all' or 'each'"):
        plot(SOLUTIONS["line"](), scale="time")


def test_marching_engines_have_no_blocks_in_their_pictures():
    solution = SOLUTIONS["line"]()
    solution.report = SimpleNamespace(method="lines")
    figure = plot(solution, resolution=9)
    said = [text.get_text() for text in figure.legends[0].get_texts()]
    assert said[-1] == "times of profiles"
    assert len(figure.axes[0].lines) == 5  # the times alone


def test_a_phase_fades_where_the_modulus_vanishes():
    """|ψ| = |x|: below a tenth of the largest modulus the phase is as faint as the share of that tenth."""
    solution = FakeSolution({"psi": lambda x, t: x * np.exp(1j * t)}, LINE)
    modulus, phase = images(plot(solution, resolution={"x": 41}))
    x = np.linspace(-1, 1, 41)
    np.testing.assert_allclose(phase.get_alpha(), np.broadcast_to(np.minimum(1, 10 * np.abs(x)), (301, 41)))
    assert modulus.get_alpha() is None
    (tick,) = [axes for axes in plot(solution, resolution=9).axes if axes.get_label() == "<colorbar>"][1:]
    assert tick.collections[0].get_alpha() is None  # the bar shows whole colors


def test_a_phase_in_a_plane_and_in_a_movie_fades(tmp_path):
    vortex = FakeSolution({"psi": lambda x, y, t: x + 1j * (y - 0.25) + 0 * t}, PLANE)
    figure = plot(vortex, times=[0.0, 1.0], resolution=21)
    phase = images(figure)[2]
    assert phase.get_alpha().min() == 0.0  # in the middle of the vortex
    assert phase.get_alpha()[:, 0].min() == 1.0
    animate(vortex, tmp_path / "vortex.gif", frames=3, resolution=11)


class OnMadeUpCells(FakeSolution):
    """Two cells, and four from t = 1 on."""

    def cells(self, *, t):
        return np.array([-1.0, 0.0, 1.0] if t < 1 else [-1.0, -0.5, 0.0, 0.5, 1.0])


def test_edges_of_cells_are_drawn_while_they_are_there():
    solution = OnMadeUpCells({"u": wave}, LINE)
    figure = plot(solution, cells=True, resolution=101)
    (edges,) = figure.axes[0].collections
    found = {round(float(line[0, 0]), 3): line[:, 1] for line in edges.get_segments()}
    assert sorted(found) == [-1.0, -0.5, 0.0, 0.5, 1.0]
    np.testing.assert_allclose(found[0.0], [0, 2])
    np.testing.assert_allclose(found[0.5], [1, 2], atol=0.011)  # half of the distance of two rows
    assert figure.legends[0].get_texts()[-1].get_text() == "edges of cells"
    axes = matplotlib.figure.Figure().subplots()
    plot(solution, ax=axes, cells=True, resolution=11)
    assert len(axes.collections) == 1
    with pytest.raises(ValueError, match="functions of the whole domain"):
        plot(SOLUTIONS["line"](), cells=True)
    with pytest.raises(ValueError, match="functions of the whole domain"):
        plot(SOLUTIONS["plane"](), cells=True)


class OnMadeUpBoxes(FakeSolution):
    """Two boxes, of which the lower half lies in the domain."""

    def cells(self, *, t):
        return np.array([[-1.0, 0.0, 0.0, 0.5], [0.0, 1.0, 0.0, 0.5]])


def test_sides_of_boxes_are_drawn_in_each_picture():
    solution = OnMadeUpBoxes({"u": bump}, PLANE)
    solution.problem.domain.contains = lambda points: points[:, 1] < 0.25
    figure = plot(solution, cells=True, times=2, resolution=11)
    for axes in [axes for axes in figure.axes if axes.get_title()]:
        lines = np.array(axes.collections[-1].get_segments())
        assert np.ptp(lines[np.ptp(lines[..., 0], axis=1) == 0][:, 0, 0]) == 2.0
        assert lines[..., 1].max() == pytest.approx(0.25)


class KnowsItsError(FakeSolution):
    error_field = property(lambda self: FakeSolution({"u": lambda x, t: 1e-2 * (1 + t) + 0 * x}, LINE))


def test_an_error_that_is_a_function_is_drawn_as_a_field_and_as_bands():
    solution = KnowsItsError({"u": wave}, LINE)
    figure = plot(solution, error=True, times=[0.0, 1.0], resolution=11)
    field = images(figure)[1]
    np.testing.assert_allclose(field.get_array()[0], -2.0)
    profiles = next(axes for axes in figure.axes if axes.get_ylabel() == "$u$")
    heights = [
        np.ptp([v[1] for v in band.get_paths()[0].vertices if abs(v[0] - 1) < 1e-9])
        for band in profiles.collections
    ]
    np.testing.assert_allclose(heights, [0.02, 0.04])
    assert figure.legends[0].get_texts()[-1].get_text() == "estimated error"
    solution.functions["u**2"] = wave
    with pytest.raises(ValueError, match="is a formula"):
        plot(solution, "u**2", error=True, resolution=9)


@pytest.mark.parametrize("kind", ["line", "plane"])
def test_a_scale_for_each_time(kind):
    def fading(x, t, y=0.0):
        return np.exp(-20 * t) * np.cos(x) + 0 * y

    axes = LINE if kind == "line" else PLANE
    figure = plot(FakeSolution({"u": fading}, axes), scale="each", times=[0.0, 0.5, 1.0], resolution=9)
    for picture in images(figure):
        rows = picture.get_array() if kind == "line" else [picture.get_array()]
        assert all(np.max(np.abs(row)) == pytest.approx(1.0) for row in rows)


@pytest.mark.parametrize("kind", ["line", "plane", "complex line"])
def test_axes_of_somebody_else(kind):
    from matplotlib.figure import Figure

    figure = Figure()
    first, second = figure.subplots(1, 2)
    assert plot(SOLUTIONS[kind](), ax=second, resolution=9) is second
    assert len(second.images) == 1
    assert not first.images
    with pytest.raises(ValueError, match="room for one quantity; there are psi, n"):
        plot(SOLUTIONS["mixed line"](), ax=first)


def test_a_movie_in_memory(tmp_path):
    made = animate(SOLUTIONS["line"](), frames=2, resolution=9)
    assert "base64" in made._repr_html_()
    assert made.save(tmp_path / f"m{made.suffix}").stat().st_size == len(made.data)


def test_importing_the_rooms_does_not_import_matplotlib_or_xarray():
    code = "import sys, lrfm.solution.plot, lrfm.solution.io; assert not {'matplotlib', 'xarray', 'PIL'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, env=environment())


def test_the_estimated_error_is_drawn_on_a_domain_with_a_hole():
    plate = lrfm.Box(x=(-2, 2), y=(-1, 1)) - lrfm.Disk(radius=0.4, name="hole")
    rim = {"hole": "u = tanh(5*t)", "*": "u_n = 0"}
    heat = lrfm.Problem("u_t = lap(u)", domain=plate, time=(0, 0.2), initial="0", boundary=rim)
    figure = lrfm.solve(heat, tol=3e-2, strict=False).plot(error=True, times=2, resolution=21)
    below = [axes.images[0].get_clim()[0] for axes in figure.axes if axes.images]
    assert min(below) > -12  # decades of errors: zeros at the start have none
