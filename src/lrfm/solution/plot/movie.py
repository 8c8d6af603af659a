# SPDX-License-Identifier: MIT
"""Movies of a solution: a moving line for one axis, a moving picture for two, the middle plane for more."""

from __future__ import annotations

import base64
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from lrfm.problem.calls import naming
from lrfm.solution.io.whole import suffix_of
from lrfm.solution.plot.frames import Draw, Moving, Stage, write_gif
from lrfm.solution.plot.layers import profile_parts, value_layers
from lrfm.solution.plot.look import LABEL, PARTS, SMALL, colorbar, drawing, frame, lettered, trim
from lrfm.solution.plot.slices import middle_planes
from lrfm.solution.sampling import (
    Coordinates,
    SolutionLike,
    chosen_times,
    chosen_unknowns,
    picture_points,
    sample,
)

SUFFIXES = (".gif", ".mp4")
_HEIGHT = 720  # pixels, at least

Progress = Callable[[str, int, int], None]


@naming
def animate(
    solution: SolutionLike,
    path: str | os.PathLike | None = None,
    *,
    unknown: str | Sequence[str] | None = None,
    frames: int | float | Iterable[float] = 60,
    fps: int = 20,
    resolution: int | Mapping[str, int] | None = None,
    progress: Progress | None = None,
) -> Path | Movie:
    """Write a movie t -> u(·, t) to `path`: gif, or mp4 where the program ffmpeg is installed.

    Scales stay fixed over the movie. `frames` is a number of equidistant times, or the times themselves.
    A complex unknown shows |ψ|, Re ψ and Im ψ as lines (one axis), or |ψ| and arg ψ as pictures. Without a path a `Movie` is
    returned, which a notebook shows. `progress` is called as progress("frames", done, total).
    """
    if "t" in solution.problem.absent:
        raise ValueError(
            "A steady solution has no times through which a movie could run; draw it: `solution.plot(path)`."
        )
    if path is None:
        return _inline(
            solution, unknown=unknown, frames=frames, fps=fps, resolution=resolution, progress=progress
        )
    suffix = suffix_of(path, SUFFIXES)
    _check_writer(suffix, fps)
    times = chosen_times(solution, frames, count=60, label="frames")
    figure, moving, draw = scene(solution, unknown, times, resolution)
    _sharp(figure)

    def tell(done: int) -> None:
        if progress is not None:
            progress("frames", done, times.size)

    with drawing(path) as draft:
        _freeze(figure)
        if suffix == ".gif":
            write_gif(draft, Stage(figure, moving, draw), times.size, fps, tell)
        else:
            _write_mp4(draft, figure, draw, times.size, fps, tell)
    return Path(path)


def scene(
    solution: SolutionLike,
    unknown: str | Sequence[str] | None,
    times: np.ndarray,
    resolution: int | Mapping[str, int] | None = None,
) -> tuple[Any, Moving, Draw]:
    """A figure, what moves on it, and a function that shows u at the time with a number."""
    if solution.problem.ordinary:
        raise ValueError(
            "A solution of ordinary equations has no space to be shown at one time; draw it over time: `solution.plot(path)`."
        )
    names, flat = chosen_unknowns(solution, unknown), len(solution.problem.domain.axes) == 1
    space, _ = picture_points(solution.problem, resolution, default=301 if flat else 97)
    return (_lines if flat else _pictures)(solution, names, space, times)


@dataclass(frozen=True)
class Movie:
    """A movie in memory, shown by a notebook; `save` writes it."""

    data: bytes
    suffix: str

    def _repr_html_(self) -> str:
        coded = base64.b64encode(self.data).decode()
        if self.suffix == ".gif":
            return f'<img src="data:image/gif;base64,{coded}" style="max-width: 100%">'
        return f'<video controls loop autoplay muted style="max-width: 100%" src="data:video/mp4;base64,{coded}"></video>'

    def save(self, path: str | os.PathLike) -> Path:
        """Write it; the suffix must be its own."""
        suffix_of(path, (self.suffix,))
        with drawing(path) as draft:
            Path(draft).write_bytes(self.data)
        return Path(path)

    def __repr__(self) -> str:
        return f"<Movie, {self.suffix[1:]}, {len(self.data) / 1e6:.1f} MB>"


def _inline(solution: SolutionLike, **options: Any) -> Movie:
    from matplotlib.animation import FFMpegWriter

    suffix = ".mp4" if FFMpegWriter.isAvailable() else ".gif"
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"movie{suffix}"
        animate(solution, path, **options)
        return Movie(path.read_bytes(), suffix)


def _sharp(figure: Any) -> Any:
    """So many pixels per inch that the movie is high enough."""
    figure.set_dpi(max(120.0, _HEIGHT / figure.get_size_inches()[1] + 1e-6))
    return figure


def _freeze(figure: Any) -> None:
    """Find the layout once and for all: found anew for each frame, it would tremble with the tick labels."""
    for _ in range(2):  # the second pass knows the true width of the tick labels
        figure.draw_without_rendering()
    figure.set_layout_engine("none")


def _check_writer(suffix: str, fps: int) -> None:
    if not fps > 0:
        raise ValueError(f"`fps={fps!r}` must be a positive number of frames per second.")
    if suffix == ".gif":
        return
    from matplotlib.animation import FFMpegWriter

    if not FFMpegWriter.isAvailable():
        raise RuntimeError(
            "An .mp4 file is written by the program ffmpeg, which was not found. "
            "Install it, or give a path that ends in .gif."
        )


def _write_mp4(
    path: Path, figure: Any, draw: Draw, count: int, fps: int, tell: Callable[[int], None]
) -> None:
    from matplotlib.animation import FFMpegWriter

    # players on phones and in browsers refuse other pixel formats
    writer = FFMpegWriter(fps=fps, codec="h264", extra_args=["-pix_fmt", "yuv420p"])
    with writer.saving(figure, str(path), figure.dpi):
        for index in range(count):
            draw(index)
            writer.grab_frame()
            tell(index + 1)


def _lines(
    solution: SolutionLike, names: Sequence[str], space: Coordinates, times: np.ndarray
) -> tuple[Any, Moving, Draw]:
    """One panel per unknown, stacked."""
    from matplotlib.figure import Figure

    axis, x = next(iter(space.items()))
    values = sample(solution, {**space, "t": times}, names)
    figure = Figure(figsize=(5.0, 0.7 + 2.1 * len(names)), layout="constrained")
    panels = figure.subplots(len(names), 1, sharex=True, squeeze=False)[:, 0]
    curves: list[tuple[Any, np.ndarray]] = []
    for axes, name in zip(panels, names, strict=True):
        parts = profile_parts(name, values[name])
        colors = PARTS if len(parts) > 1 else PARTS[1:]
        for (label, part), color in zip(parts, colors, strict=False):
            curves.append((axes.plot(x, part[0], color=color, linewidth=1.3, label=label)[0], part))
        frame(axes)
        axes.set(xlim=(x[0], x[-1]), ylim=_limits([part for _, part in parts]))
        axes.spines[["top", "right"]].set_visible(False)
        axes.yaxis.label.set(fontsize=LABEL, **lettered(name))
        if len(parts) > 1:
            axes.legend(
                loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False, fontsize=SMALL, handlelength=1.2
            )
    panels[-1].xaxis.label.set(fontsize=LABEL, **lettered(axis))
    text, clock = _clock(panels[0], times)

    def draw(index: int) -> None:
        for line, part in curves:
            line.set_ydata(part[index])
        clock(index)

    return figure, [*(line for line, _ in curves), text], draw


def _pictures(
    solution: SolutionLike, names: Sequence[str], space: Coordinates, times: np.ndarray
) -> tuple[Any, Moving, Draw]:
    """One panel per quantity."""
    from matplotlib.figure import Figure

    plane = middle_planes(solution.problem, space)[0]
    values = sample(solution, {**plane.coordinates, "t": times}, names)
    layers = [layer for name in names for layer in value_layers(name, values[name])]
    width, height = plane.size(2.6)
    rows, columns = (len(layers), 1) if plane.shape < 0.6 else (1, len(layers))  # flat pictures are stacked
    figure = Figure(figsize=((width + 1.0) * columns, (height + 0.7) * rows), layout="compressed")
    panels = figure.subplots(rows, columns, squeeze=False).ravel()
    pictures = []
    for axes, layer in zip(panels, layers, strict=True):
        opacity = plane.opacity(layer)
        picture = plane.draw(axes, plane.flat(layer.values)[0], layer.scale, opacity[0])
        colorbar(picture, axes, layer.scale, height=height, label=layer.label + plane.fixed)
        pictures.append((picture, np.ma.masked_invalid(plane.flat(layer.values)), opacity))
    text, clock = _clock(panels[0], times)
    trim(figure)

    def draw(index: int) -> None:
        for picture, stack, opacity in pictures:
            picture.set_data(stack[index])
            picture.set_alpha(opacity[index])
        clock(index)

    # A frame lies half on its picture.
    moving = [artist for picture, _, _ in pictures for artist in (picture, *picture.axes.spines.values())]
    return figure, [*moving, text], draw


def _clock(axes: Any, times: np.ndarray) -> tuple[Any, Draw]:
    """The time as a title at the left edge, so that changing digits do not move it.

    Digits are plain text: to read a formula takes longer than to draw the rest of a frame.
    """
    title = axes.set_title("t =", fontsize=LABEL, loc="left", style="italic")
    digits = max(0, 3 - int(np.floor(np.log10(np.ptp(times) or 1.0))))
    beside = {"xycoords": title, "textcoords": "offset points", "fontsize": LABEL, "va": "bottom"}
    text = axes.annotate(
        "", (1.0, 0.0), (0.3 * LABEL, 0.0), parse_math=False, annotation_clip=False, **beside
    )
    text.set_in_layout(False)

    def show(index: int) -> None:
        text.set_text(f"{times[index]:.{digits}f}")

    return text, show


def _limits(parts: Sequence[np.ndarray]) -> tuple[float, float]:
    finite = np.concatenate([part[np.isfinite(part)] for part in parts])
    lower, upper = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 0.0)
    pad = 0.05 * (upper - lower) or 0.05 * abs(upper) or 1.0
    return lower - pad, upper + pad
