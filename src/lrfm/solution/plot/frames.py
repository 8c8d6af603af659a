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


def rendered(figure: Any, moving: Moving, draw: Draw) -> Callable[[int], np.ndarray]:
    """From a frame's number to its pixels (height, width, 4), an array that the next frame overwrites."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    canvas = FigureCanvasAgg(figure)
    for artist in moving:
        artist.set_animated(True)  # left out of the drawing of the whole
    canvas.draw()
    still = canvas.copy_from_bbox(figure.bbox)

    def pixels(index: int) -> np.ndarray:
        canvas.restore_region(still)
        draw(index)
        for artist in moving:
            artist.axes.draw_artist(artist)
        return np.asarray(canvas.buffer_rgba())

    return pixels


def _codes(pixels: np.ndarray) -> np.ndarray:
    """Each color as one number of 18 bits, 6 of red, green and blue."""
    whole = np.ascontiguousarray(pixels).view(np.dtype("<u4"))[..., 0]
    return ((whole & 0xFC) << 10) | ((whole & 0xFC00) >> 4) | ((whole & 0xFC0000) >> 18)


class Palette:
    """256 colors for all frames, chosen from some of them: all that there are, where there are no more; else the most frequent ones, and what
    the median cut makes of the others."""

    def __init__(self, samples: Sequence[np.ndarray]):
        from PIL import Image

        seen = np.concatenate([sample.reshape(-1, 4) for sample in samples])
        codes = _codes(seen[:, None])[:, 0]
        counts = np.bincount(codes, minlength=CODES)
        found = np.argsort(-counts, kind="stable")[: np.count_nonzero(counts)]
        sums = [np.bincount(codes, weights=seen[:, k], minlength=CODES)[found] for k in range(3)]
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

    def reduced(self, pixels: np.ndarray) -> Any:
        """A picture of Pillow with these colors."""
        from PIL import Image

        picture = Image.fromarray(self.nearest[_codes(pixels)])
        picture.putpalette(self.image.getpalette())
        return picture


def write_gif(
    path: str | os.PathLike,
    pixels: Callable[[int], np.ndarray],
    count: int,
    fps: int,
    tell: Callable[[int], None],
) -> None:
    """All frames into one file, told of each: Pillow keeps what differs from the frame before."""
    chosen = np.unique(np.linspace(0, count - 1, SAMPLED).round().astype(int))
    palette = Palette([pixels(int(index)).copy() for index in chosen])

    def frames() -> Iterator[Any]:
        for index in range(count):
            yield palette.reduced(pixels(index))
            tell(index + 1)

    following = frames()
    first = next(following)
    kept = {"duration": int(1000 / fps), "loop": 0, "optimize": False}
    first.save(path, format="GIF", save_all=True, append_images=following, **kept)
