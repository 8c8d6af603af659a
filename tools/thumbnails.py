# SPDX-License-Identifier: MIT
"""The small pictures of the studio's examples: the first unknown of each problem of the catalog, over space and time, or in the plane at a late time.

    python tools/thumbnails.py [NAME ...]

Written to src/lrfm/studio/page/examples; those that are there are made again.
"""

import argparse
from pathlib import Path

import numpy as np
from matplotlib import colormaps
from PIL import Image

import lrfm
from lrfm import catalog
from lrfm.solution.plot.look import value_scale

FOLDER = Path(__file__).resolve().parent.parent / "src" / "lrfm" / "studio" / "page" / "examples"
SIZE = (96, 60)  # pixels across and up
LATE = 0.6  # of the time span, for what is shown in the plane
COLORS = 96


def picture(name: str) -> Image.Image:
    """A field in the colors in which the studio shows it."""
    solution = lrfm.solve(catalog.get(name), tol=1e-2, strict=False, max_seconds=60)
    ends = {**solution.problem.domain.axes, "t": (solution.problem.time[0], solution.block_edges[-1])}
    across, up = [*solution.problem.domain.axes, "t"][:2]
    at = {axis: a + LATE * (b - a) for axis, (a, b) in ends.items()}
    at |= {
        across: np.linspace(*ends[across], SIZE[0])[None, :],
        up: np.linspace(*ends[up], SIZE[1])[::-1, None],
    }
    values = solution[solution.unknowns[0]](**at)
    values = np.broadcast_to(np.abs(values) if np.iscomplexobj(values) else values, SIZE[::-1])
    scale = value_scale(values)
    shares = (values - scale.lower) / (scale.upper - scale.lower)
    return Image.fromarray((255 * colormaps[scale.map](shares)[..., :3]).astype(np.uint8)).quantize(COLORS)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*")
    FOLDER.mkdir(exist_ok=True)
    for name in parser.parse_args().names or catalog.names():
        picture(name).save(FOLDER / f"{name}.png", optimize=True)
        print(name, (FOLDER / f"{name}.png").stat().st_size, flush=True)


if __name__ == "__main__":
    main()
