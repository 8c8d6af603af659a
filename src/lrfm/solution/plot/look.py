# SPDX-License-Identifier: MIT
"""How pictures look: letters, color maps, images and color bars.

Sizes and colors are set on each artist, never through `rcParams`. Maps are safe for color-blind readers:
viridis for values of one sign, a diverging map centered at 0 for both signs, twilight for phases, magma for
errors.
"""

import os
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, lru_cache
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from lrfm.problem import latex
from lrfm.solution.io.whole import replacing

LABEL, TICK, SMALL = 9, 7.5, 7  # points
NO_ERROR = 1e-17  # what a logarithmic axis shows of an error that is zero
THIN = 0.6  # line width of frames and ticks
PARTS = ("#000000", "#0072B2", "#D55E00")  # |ψ|, Re ψ, Im ψ: Okabe and Ito (2008)


@dataclass(frozen=True, kw_only=True)
class Scale:
    """A color map and the interval of values that it spans."""

    map: str
    lower: float
    upper: float
    extend: str = "neither"
    cyclic: bool = False


@dataclass(frozen=True, kw_only=True)
class Look:
    """What was asked for: a color map, a scale for each time, whether the picture is shown or written."""

    cmap: str | None = None
    each: bool = False
    shown: bool = False


def new_figure(
    size: tuple[float, float], *, layout: str, shown: bool = False, dpi: float | None = None
) -> Any:
    """A figure that a notebook shows once: as the last expression, after a semicolon, or by `plt.show()`.

    Where it is to be `shown`, pyplot knows it if it is in use or this is a notebook; otherwise nothing global is touched.
    """
    from matplotlib.figure import Figure

    options: dict[str, Any] = {"figsize": size, "layout": layout} | ({} if dpi is None else {"dpi": dpi})
    if not shown or not ("matplotlib.pyplot" in sys.modules or _in_notebook()):
        return _shows_itself(Figure)(**options)
    from matplotlib import pyplot

    return pyplot.figure(FigureClass=_shows_itself(Figure), **options)


def _in_notebook() -> bool:
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    return hasattr(shell, "kernel")


@lru_cache(maxsize=1)
def _shows_itself(base: Any) -> Any:
    """A figure that knows how a notebook displays it, whether or not pyplot has been told."""

    class Picture(base):
        def _ipython_display_(self) -> None:
            from IPython.display import Image, display

            stream = BytesIO()
            self.savefig(stream, format="png", dpi=144, bbox_inches="tight")
            display(Image(stream.getvalue(), width=round(100 * self.get_size_inches()[0])))
            if "matplotlib.pyplot" in sys.modules:  # else it would be shown a second time when the cell ends
                sys.modules["matplotlib.pyplot"].close(self)

    return Picture


@contextmanager
def drawing(path: str | os.PathLike) -> Iterator[Path]:
    """A draft of a picture or movie, which becomes `path` on success (`replacing`)."""
    with replacing(path) as draft, warnings.catch_warnings():
        # a letter that the font lacks is drawn as a box; the picture is still worth having
        warnings.filterwarnings("ignore", message="Glyph", category=UserWarning)
        yield draft


def ignore_settings_of_folder() -> None:
    """Draw without the `matplotlibrc` of the current folder: matplotlib reads it, and it may name programs to run."""
    if Path("matplotlibrc").exists():
        import matplotlib

        matplotlib.rcdefaults()


def value_scale(values: np.ndarray) -> Scale:
    """Diverging and centered at 0 when both signs matter (5 % of the largest modulus), else sequential."""
    lower, upper = _range(values)
    bound = max(abs(lower), abs(upper))
    if lower < -0.05 * bound and upper > 0.05 * bound:
        return Scale(map="RdBu_r", lower=-bound, upper=bound)
    if upper - lower <= 1e-9 * bound or bound == 0:  # a constant: any interval around it will do
        pad = 0.5 * bound or 1.0
        lower, upper = lower - pad, upper + pad
    return Scale(map="viridis", lower=lower, upper=upper)


def color_table(name: str) -> np.ndarray:
    """The 256 colors of a map, (256, 3) bytes, for who draws without matplotlib."""
    from matplotlib import colormaps

    return np.round(255 * np.asarray(colormaps[name](np.linspace(0, 1, 256)))[:, :3]).astype(np.uint8)


def phase_scale(_: np.ndarray) -> Scale:
    """The circle: -π and π have one color."""
    return Scale(map="twilight", lower=-np.pi, upper=np.pi, cyclic=True)


def error_scale(logarithms: np.ndarray) -> Scale:
    """Whole decades of log10|error|; one point in a hundred may lie below, where the error changes sign, and all where it is zero."""
    finite = logarithms[np.isfinite(logarithms) & (logarithms > np.log10(NO_ERROR))]
    lower, upper = (np.quantile(finite, 0.01), finite.max()) if finite.size else (-1.0, 0.0)
    upper = float(np.ceil(upper))
    lower = min(float(np.floor(lower)), upper - 1)
    return Scale(map="magma", lower=lower, upper=upper, extend="min")


def symbol(name: str) -> str:
    r"""A name or a formula in mathtext, without dollars.

    >>> symbol("psi"), symbol("u1"), symbol("rho_b")
    ('\\psi', 'u_{1}', '\\rho_{b}')
    """
    return latex.name(name) if name.isidentifier() else latex.formula(name)


def lettered(name: str) -> dict[str, Any]:
    """Text and style of a name: one letter is written in italics, which looks as a formula does and takes no reading."""
    if len(name) == 1 and name.isascii():
        return {"text": name, "style": "italic"}
    return {"text": f"${symbol(name)}$", "style": "normal"}


def number(value: float) -> str:
    """Four significant digits in mathtext, without -0."""
    digits, _, exponent = f"{value + 0.0:.4g}".partition("e")
    return f"{digits} \\times 10^{{{int(exponent)}}}" if exponent else digits


def image(
    axes: Any,
    horizontal: np.ndarray,
    vertical: np.ndarray,
    values: np.ndarray,
    scale: Scale,
    opacity: np.ndarray | None = None,
) -> Any:
    """Draw values[j, i] at the nodes (horizontal[i], vertical[j]), which are equidistant; faintly where `opacity` is small."""
    half = [0.5 * (points[-1] - points[0]) / (points.size - 1) for points in (horizontal, vertical)]
    picture = axes.imshow(
        np.ma.masked_invalid(values),
        extent=(
            *(horizontal[0] - half[0], horizontal[-1] + half[0]),
            *(vertical[0] - half[1], vertical[-1] + half[1]),
        ),
        origin="lower",
        aspect="auto",
        cmap=scale.map,
        vmin=scale.lower,
        vmax=scale.upper,
        alpha=opacity,
        interpolation="bilinear",
        # halfway between phases -π and π lies 0 as a number, but the same color as a color
        interpolation_stage="rgba" if scale.cyclic else "data",
    )
    axes.set_facecolor("1.0" if scale.cyclic else "0.75")  # where there is no value; no map has this color
    axes.set(xlim=(horizontal[0], horizontal[-1]), ylim=(vertical[0], vertical[-1]))
    frame(axes)
    return picture


def frame(axes: Any) -> None:
    """Thin frame, few and small ticks."""
    for spine in axes.spines.values():
        spine.set_linewidth(THIN)
    for axis in (axes.xaxis, axes.yaxis):
        _few_ticks(axis)


def colorbar(
    picture: Any,
    axes: Any | Sequence[Any],
    scale: Scale,
    *,
    height: float,
    label: str = "",
    pad: float = 0.02,
) -> None:
    """A slim color bar beside `axes`, one or several of them, that are `height` inches high."""
    figure = picture.get_figure()
    bar = figure.colorbar(
        picture, ax=axes, pad=pad, fraction=0.1, aspect=height / 0.09, extend=scale.extend, extendfrac=0.03
    )
    if picture.get_alpha() is not None:
        bar.solids.set_alpha(None)  # the bar names colors, it does not fade
    bar.outline.set_linewidth(THIN)
    _few_ticks(bar.ax.yaxis)
    if scale.cyclic:
        bar.set_ticks([-np.pi, 0, np.pi], labels=[r"$-\pi$", "$0$", r"$\pi$"])
    bar.set_label(label, fontsize=LABEL)


def time_colors(count: int) -> list[tuple[float, float, float, float]]:
    """One color per time, dark to light, without the pale end of the map, which is lost on white paper."""
    from matplotlib import colormaps

    return [tuple(color) for color in colormaps["viridis"](np.linspace(0, 0.85, count))]


def trim(figure: Any) -> None:
    """Cut the empty margin that pictures of fixed shape leave on two sides of the paper."""
    figure.draw_without_rendering()
    box = figure.get_tightbbox()
    figure.set_size_inches(box.width + 0.1, box.height + 0.1)


def _few_ticks(axis: Any) -> None:
    from matplotlib.ticker import MaxNLocator

    axis.set_tick_params(labelsize=TICK, width=THIN, length=2.5, pad=2)
    axis.set_major_locator(MaxNLocator(nbins=5, steps=[1, 2, 2.5, 5, 10]))
    axis.set_major_formatter(_plain_numbers()())
    axis.get_offset_text().set_fontsize(SMALL)


@cache
def _plain_numbers() -> Any:
    """A formatter whose numbers are plain text and whose power of ten alone is a formula: to read one takes as long as to draw all of the numbers."""
    from matplotlib.ticker import ScalarFormatter

    class Plain(ScalarFormatter):
        def __init__(self) -> None:
            super().__init__(useMathText=True)
            self.set_powerlimits((-3, 4))

        def __call__(self, x: float, pos: int | None = None) -> str:
            return super().__call__(x, pos).removeprefix("$\\mathdefault{").removesuffix("}$")

    return Plain


def _range(values: np.ndarray) -> tuple[float, float]:
    finite = values[np.isfinite(values)]
    return (float(finite.min()), float(finite.max())) if finite.size else (0.0, 0.0)
