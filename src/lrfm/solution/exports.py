# SPDX-License-Identifier: MIT
"""Exports for other programs, chosen by the suffix of the path: NetCDF, CSV, VTK and movies."""

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from lrfm.solution.io.dataset import attributes, grid, split_complex
from lrfm.solution.io.vtu import write_vtu
from lrfm.solution.io.whole import replacing, suffix_of
from lrfm.solution.plot.figure import plot
from lrfm.solution.plot.movie import animate
from lrfm.solution.sampling import SLAB, SolutionLike, sample

PICTURES = (".png", ".pdf", ".svg")
SUFFIXES = (".nc", ".csv", ".npz", ".vtu", ".gif", ".mp4", *PICTURES)


def export(
    solution: SolutionLike,
    path: str | os.PathLike,
    *,
    resolution: int | Mapping[str, Any] | None = None,
    times: int | float | Iterable[float] | None = None,
    progress: Callable[[str, int, int], None] | None = None,
) -> list[Path]:
    """Sample a solution and write it for another program; return the paths written.

    .nc: NetCDF 3 with the statement as attributes. .csv: one row per point, 17 significant digits. .npz: arrays for
    `numpy.load`. .vtu: for ParaView, a folder with one file per time and a .pvd beside it that lists them. .gif, .mp4: a movie.
    .png, .pdf, .svg: a picture. Complex unknowns are split in `name_re`, `name_im` where a format has real numbers only. Each file
    is written whole or not at all.

    Parameters
    ----------
    resolution: points per axis, one int for all axes, or a dict by axis name of ints or arrays; "t" in it is `times`.
    times: how many equidistant times, or which ones; frames for a movie.
    progress: called as progress(stage, done, total) while the frames of a movie are made.
    """
    suffix = suffix_of(path, SUFFIXES)
    if isinstance(resolution, Mapping) and "t" in resolution:
        if times is not None:
            raise ValueError("Both `times` and `resolution` with `t` were given; drop one of them.")
        resolution = dict(resolution)
        times = resolution.pop("t")
    if suffix in PICTURES:
        counts = (
            resolution
            if times is None or not isinstance(times, int)
            else {**_per_axis(solution, resolution), "t": times}
        )
        plot(solution, None, path, resolution=counts, times=None if isinstance(times, int) else times)
        return [Path(path)]
    if (
        solution.problem.absent
        and suffix in (".gif", ".mp4", ".vtu")
        and not (suffix == ".vtu" and solution.problem.steady)
    ):
        what = (
            "A steady solution does not move"
            if solution.problem.steady
            else "Ordinary equations have no domain"
        )
        raise ValueError(
            f"{what}: there is nothing to show in a {suffix} file. Write a picture, csv or nc instead."
        )
    if suffix in (".gif", ".mp4"):
        animate(
            solution, path, frames=60 if times is None else times, resolution=resolution, progress=progress
        )
        return [Path(path)]
    coordinates = grid(solution, resolution, times)
    if suffix == ".vtu":
        return write_vtu(solution, Path(path), coordinates)
    {".nc": _write_netcdf, ".csv": _write_csv, ".npz": _write_npz}[suffix](solution, path, coordinates)
    return [Path(path)]


def _per_axis(solution: SolutionLike, resolution: Any) -> dict[str, Any]:
    if resolution is None or isinstance(resolution, Mapping):
        return dict(resolution or {})
    return dict.fromkeys(solution.problem.domain.axes, resolution)


def _space(coordinates: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    return {name: points for name, points in coordinates.items() if name != "t"}


def _write_npz(solution: SolutionLike, path: str | os.PathLike, coordinates: dict[str, np.ndarray]) -> None:
    """Arrays by name for `numpy.load`: the coordinates, and each unknown with the axes (t, x, y, ...)."""
    values = sample(solution, coordinates)
    if "t" in solution.problem.absent:
        coordinates, values = _space(coordinates), {name: array[0] for name, array in values.items()}
    arrays: dict[str, Any] = {**coordinates, **values}
    with replacing(path) as draft, open(draft, "wb") as stream:
        np.savez_compressed(stream, **arrays)


def _write_netcdf(
    solution: SolutionLike, path: str | os.PathLike, coordinates: dict[str, np.ndarray]
) -> None:
    """NetCDF 3 with the names and attributes of `to_xarray`, written by SciPy; a complex unknown is two variables."""
    from scipy.io import netcdf_file

    dims = ("t", *(name for name in coordinates if name != "t"))
    variables = split_complex(sample(solution, coordinates))
    if "t" in solution.problem.absent:
        dims, variables = dims[1:], {name: values[0] for name, values in variables.items()}
    with replacing(path) as draft, netcdf_file(os.fspath(draft), "w", version=2) as file:
        for name in dims:
            file.createDimension(name, coordinates[name].size)
        for name, values, axes in (
            *((name, coordinates[name], (name,)) for name in dims),
            *((name, values, dims) for name, values in variables.items()),
        ):
            variable = file.createVariable(name, np.dtype(np.float64), axes)
            variable[:] = values
            if not np.isfinite(values).all():  # outside of a shape there is no value
                variable._FillValue = np.float64(np.nan)
        for name, value in attributes(solution).items():
            plain = _netcdf3_number(value)
            setattr(file, name, plain.encode() if isinstance(plain, str) else plain)


def _netcdf3_number(value: str | int | float) -> str | int | float:
    """NetCDF 3 has no 64-bit integers; a larger one, such as a seed, becomes a text. A number without a type would be a single one in older SciPy (1.15)."""
    if isinstance(value, float):
        return np.float64(value)
    return str(value) if isinstance(value, int) and not -(2**31) <= value < 2**31 else value


def _write_csv(solution: SolutionLike, path: str | os.PathLike, coordinates: dict[str, np.ndarray]) -> None:
    """t, x, y, ..., then the unknowns; written a few times at once, so that memory stays small."""
    space, still = _space(coordinates), "t" in solution.problem.absent
    step = max(1, SLAB // max(1, int(np.prod([points.size for points in space.values()]))))
    with replacing(path) as draft, open(draft, "w", encoding="utf-8", newline="") as stream:
        for start in range(0, coordinates["t"].size, step):
            times = coordinates["t"][start : start + step]
            columns = split_complex(sample(solution, {**space, "t": times}))
            mesh = np.meshgrid(times, *space.values(), indexing="ij")
            mesh = mesh[1:] if still else mesh
            if start == 0:
                stream.write(",".join((*(() if still else ("t",)), *space, *columns)) + "\n")
            rows = np.column_stack([array.ravel() for array in (*mesh, *columns.values())])
            np.savetxt(stream, rows, fmt="%.17g", delimiter=",", newline="\n")
