# SPDX-License-Identifier: MIT
"""Frames of a movie: a figure is drawn once, then only what moves is drawn on it again; all of them share 256 colors.

Drawing a whole figure takes a tenth of a second, and finding the colors of each frame anew as long; a line and a clock take milliseconds.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

SAMPLED = 6  # frames whose colors make the palette
COLORS, CODES = 256, 2**18
FREQUENT = 64  # colors of a movie with more that are kept as they are: paper, frames, the middle of lines

Moving = Sequence[Any]  # artists that change, from the lowest to the uppermost
Draw = Callable[[int], None]  # show the frame with this number


class Stage:
    """A figure with what moves on it: `still`, the pixels (height, width) of all that stays, and those of any frame."""

    def __init__(self, figure: Any, moving: Moving, draw: Draw):
        from matplotlib.backends.backend_agg import FigureCanvasAgg

        self._canvas, self._moving, self._draw = FigureCanvasAgg(figure), moving, draw
        for artist in moving:
            artist.set_animated(True)  # left out of the drawing of the whole
        self._canvas.draw()
        self._kept = self._canvas.copy_from_bbox(figure.bbox)
        self.still = self._pixels().copy()

    def _pixels(self) -> np.ndarray:
        """Red, green, blue and opacity in one number each."""
        return np.asarray(self._canvas.buffer_rgba()).view(np.dtype("<u4"))[..., 0]

    def changed(self, index: int) -> tuple[np.ndarray, np.ndarray]:
        """Where a frame differs from what stays, as positions in the flat picture, and its pixels there."""
        self._canvas.restore_region(self._kept)
        self._draw(index)
        for artist in self._moving:
            artist.axes.draw_artist(artist)
        pixels = self._pixels().ravel()
        where = np.flatnonzero(pixels != self.still.ravel())
        return where, pixels[where]


def _codes(pixels: np.ndarray) -> np.ndarray:
    """Each color as one number of 18 bits, 6 of red, green and blue."""
    return ((pixels & 0xFC) << 10) | ((pixels & 0xFC00) >> 4) | ((pixels & 0xFC0000) >> 18)


class Palette:
    """256 colors for all frames, chosen from some of them: all that there are, where there are no more; else the most frequent ones, and what
    the median cut makes of the others."""

    def __init__(self, samples: Sequence[np.ndarray]):
        from PIL import Image

        seen = np.concatenate([sample.ravel() for sample in samples])
        codes = _codes(seen)
        counts = np.bincount(codes, minlength=CODES)
        found = np.argsort(-counts, kind="stable")[: np.count_nonzero(counts)]
        parts = [seen >> shift & 0xFF for shift in (0, 8, 16)]
        sums = [np.bincount(codes, weights=part, minlength=CODES)[found] for part in parts]
        colors = np.round(np.stack(sums, axis=1) / counts[found, None]).astype(np.uint8)
        kept = len(found) if len(found) <= COLORS else FREQUENT  # as they are
        if kept < len(found):
            others = Image.fromarray(colors[None, kept:].copy()).quantize(COLORS - kept)
            cut = np.array(others.getpalette(), dtype=np.uint8).reshape(-1, 3)
            colors = np.concatenate([colors[:kept], cut[: COLORS - kept]])
        self.image = Image.new("P", (1, 1))
        self.image.putpalette(colors.tobytes())
        # The nearest of them for every code there is.
        every = np.arange(CODES)
        middle = np.stack([(every >> shift & 63) << 2 | 2 for shift in (12, 6, 0)], axis=-1)
        table = Image.fromarray(middle.astype(np.uint8).reshape(512, -1, 3))
        self.nearest = np.asarray(table.quantize(palette=self.image, dither=Image.Dither.NONE)).ravel().copy()
        self.nearest[found[:kept]] = np.arange(kept)

    def reduced(self, pixels: np.ndarray) -> np.ndarray:
        """The numbers of the colors that are nearest to these pixels."""
        return self.nearest[_codes(pixels)]

    def picture(self, numbers: np.ndarray) -> Any:
        """A picture of Pillow with these colors."""
        from PIL import Image

        made = Image.fromarray(numbers)
        made.putpalette(self.image.getpalette() or [])
        return made


def write_gif(
    path: str | os.PathLike,
    stage: Stage,
    count: int,
    fps: int,
    tell: Callable[[int], None],
) -> None:
    """All frames into one file, told of each: Pillow keeps what differs from the frame before."""
    chosen = np.unique(np.linspace(0, count - 1, SAMPLED).round().astype(int))
    palette = Palette([stage.still, *(stage.changed(int(index))[1] for index in chosen)])
    still = palette.reduced(stage.still)

    def frames() -> Iterator[Any]:
        for index in range(count):
            frame, (where, pixels) = still.copy(), stage.changed(index)
            frame.ravel()[where] = palette.reduced(pixels)
            yield palette.picture(frame)
            tell(index + 1)

    following = frames()
    first = next(following)
    kept = {"duration": int(1000 / fps), "loop": 0, "optimize": False}
    first.save(path, format="GIF", save_all=True, append_images=following, **kept)
