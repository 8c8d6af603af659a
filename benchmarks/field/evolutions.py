# SPDX-License-Identifier: MIT
"""The stored references on periodic boxes: each an `Evolution` with its finest size, written once more by hand.

The text of the statements is not read here, so that an error in reading it would show. Insulated walls are even
periodic data on a box of twice the width.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from field.fourier import Evolution

PI = np.pi


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """A computation, the names of its unknowns, times as shares of the window, and the points.

    coarse
        Share of modes and of steps with which it is repeated; the two must agree.
    box
        Where points are drawn, if not in the whole period.
    """

    evolution: Evolution
    unknowns: tuple[str, ...] = ("u",)
    times: int = 20
    early: tuple[float, ...] = ()  # further times, as shares of the window
    points: int = 400
    coarse: tuple[float, float] = (0.75, 0.5)
    box: tuple[tuple[float, ...], tuple[float, ...]] | None = field(default=None)
    after: float = -np.inf  # times before it are not compared
    trust: float = 1e-7  # relative difference of the two computations up to which a time is trusted


def burgers_like(factor: float) -> Callable:
    """−factor·½(u²)_x."""
    return lambda v, hat, k: [-0.5j * factor * k[0] * hat(v[0] ** 2)]


def line(
    low: float, length: float, T: float, start, rate, nonlinear, modes: int, steps: int, **more
) -> Evolution:
    return Evolution(
        lower=(low,),
        lengths=(length,),
        time=(0.0, T),
        start=start,
        rates=rate,
        nonlinear=nonlinear,
        modes=modes,
        steps=steps,
        **more,
    )


def kink(x):
    """x² cos πx by its own Fourier coefficients, not by those of its samples, which a kink spoils at all frequencies.

    ½∫x² cos πx cos nπx dx = ¼(I(n − 1) + I(n + 1)),  I(m) = ∫x² cos mπx dx = 4(−1)ᵐ/(mπ)²,  I(0) = ⅔.
    """
    count = x.size // 2 + 1
    m = np.arange(-1, count + 1)
    integral = np.where(m == 0, 2 / 3, 4.0 * (-1.0) ** m / (PI * np.where(m == 0, 1, m)) ** 2)
    series = 0.25 * (integral[:-2] + integral[2:])
    return (
        np.fft.irfft(series * (-1.0) ** np.arange(count), n=x.size) * x.size,
    )  # the grid begins at x = −1


def cubic(r: float) -> Callable:
    """−r u³."""
    return lambda v, hat, k: [-r * hat(v[0] ** 3)]


def kdv(d: float, modes: int, steps: int) -> Evolution:
    start = lambda x: (np.cos(PI * x),)  # noqa: E731
    return line(-1, 2, 1.0, start, lambda k: (1j * d * k**3,), burgers_like(1.0), modes, steps)


def waves(T: float, rate, modes: int, steps: int) -> Evolution:
    start = lambda x: (np.cos(x / 16) * (1 + np.sin((x - 1) / 16)),)  # noqa: E731
    return line(0, 32 * PI, T, start, rate, burgers_like(1.0), modes, steps)


def ks_chaotic(modes: int, steps: int) -> Evolution:
    start = lambda x: (np.cos(x) * (1 + np.sin(x)),)  # noqa: E731
    rate = lambda k: (100 / 256 * k**2 - 100 / 65536 * k**4,)  # noqa: E731
    return line(0, 2 * PI, 1.0, start, rate, burgers_like(100 / 16), modes, steps)


def ks_regular(modes: int, steps: int) -> Evolution:
    start = lambda x: (-np.sin(PI * x),)  # noqa: E731
    return line(-1, 2, 1.0, start, lambda k: (0.5 * k**2 - 0.005 * k**4,), burgers_like(5.0), modes, steps)


def ignition(modes: int, steps: int) -> Evolution:
    start = lambda x: (0.02 + 0.004 * np.cos(PI * x),)  # noqa: E731
    reaction = lambda v, hat, k: [hat(v[0] ** 2 * (1 - v[0]))]  # noqa: E731
    return line(0, 2, 80.0, start, lambda k: (-0.01 * k**2,), reaction, modes, steps)


def spin_ac(modes: int, steps: int) -> Evolution:
    def start(x):
        bumps = (
            -np.exp(-23.5 * (x - PI / 2) ** 2) + np.exp(-27 * (x - 4.2) ** 2) + np.exp(-38 * (x - 5.4) ** 2)
        )
        return (np.tanh(2 * np.sin(x)) / 3 + bumps,)

    return line(0, 2 * PI, 500.0, start, lambda k: (1 - 5e-3 * k**2,), cubic(1.0), modes, steps)


def spin_burg(modes: int, steps: int) -> Evolution:
    start = lambda x: ((1 - x**2) * np.exp(-30 * (x + 0.5) ** 2),)  # noqa: E731
    return line(-1, 2, 20.0, start, lambda k: (-1e-3 * k**2,), burgers_like(1.0), modes, steps)


def spin_bz(modes: int, steps: int) -> Evolution:
    def nonlinear(values, hat, k):
        u, v, w = values
        return [hat(v - u * v - u**2), hat(w - u * v), hat(u)]

    return line(
        -1,
        2,
        30.0,
        lambda x: tuple(np.exp(-100 * (x - c) ** 2) for c in (-0.5, 0.0, 0.5)),
        lambda k: (1 - 1e-5 * k**2, -1 - 2e-5 * k**2, -1 - 1e-5 * k**2),
        nonlinear,
        modes,
        steps,
    )


def spin_ch(modes: int, steps: int) -> Evolution:
    start = lambda x: (np.sin(4 * PI * x) ** 5 / 5 - 0.8 * np.sin(PI * x),)  # noqa: E731
    product = lambda v, hat, k: [-1e-2 * k[0] ** 2 * hat(v[0] ** 3)]  # noqa: E731
    rate = lambda k: (1e-2 * (k**2 - 1e-3 * k**4),)  # noqa: E731
    return line(-1, 2, 100.0, start, rate, product, modes, steps)


def spin_gs(modes: int, steps: int) -> Evolution:
    def start(x):
        bump = np.sin(PI * (x - 50) / 100) ** 100
        return 1 - 0.5 * bump, 0.25 * bump

    def nonlinear(values, hat, k):
        u, v = values
        return [hat(2e-2 - u * v**2), hat(u * v**2)]

    rate = lambda k: (-(k**2) - 2e-2, -1e-2 * k**2 - 8.62e-2)  # noqa: E731
    return line(-50, 100, 8000.0, start, rate, nonlinear, modes, steps)


def spin_kdv(modes: int, steps: int) -> Evolution:
    def start(x):
        return (sum(3 * a**2 / np.cosh(0.5 * a * (x + c)) ** 2 for a, c in ((25, 2), (16, 1))),)

    return line(-PI, 2 * PI, 0.03015, start, lambda k: (1j * k**3,), burgers_like(1.0), modes, steps)


def gray_scott_2d(Du: float, Dv: float, T: float, modes: int, steps: int) -> Evolution:
    def start(x, y):
        bump = lambda a, b: np.exp(-80 * ((x - a) ** 2 + (y - b) ** 2))  # noqa: E731
        return 1 - bump(-0.05, -0.02), bump(0.05, 0.02)

    def nonlinear(values, hat, k):
        u, v = values
        product = u * v**2
        return [hat(0.04 - product), hat(product)]

    return Evolution(
        lower=(-1, -1),
        lengths=(2, 2),
        time=(0, T),
        start=start,
        rates=lambda p, q: (-Du * (p**2 + q**2) - 0.04, -Dv * (p**2 + q**2) - 0.1),
        nonlinear=nonlinear,
        modes=modes,
        steps=steps,
        keep=0.75,
    )


def ginzburg_landau_2d(T: float, modes: int, steps: int) -> Evolution:
    return Evolution(
        lower=(-1, -1),
        lengths=(2, 2),
        time=(0, T),
        start=lambda x, y: ((10 * y + 10j * x) * np.exp(-25 * (x**2 + y**2)),),
        rates=lambda p, q: (10 - 0.004 * (p**2 + q**2),),
        nonlinear=lambda v, hat, k: [-(10 + 15j) * hat(np.abs(v[0]) ** 2 * v[0])],
        modes=modes,
        steps=steps,
        keep=0.75,
        real=False,
    )


def fisher_kpp(dimension: int, modes: int, steps: int) -> Evolution:
    """Even about the middle of the box, x = 5: the quarter [5, 10] with mirrors is a period of 10."""

    def start(*x):
        return (np.exp(-sum((v - 5) ** 2 for v in x)),)

    return Evolution(
        lower=(0.0,) * dimension,
        lengths=(10.0,) * dimension,
        time=(0, 3),
        start=start,
        rates=lambda *k: (1 - 0.5 * sum(q**2 for q in k),),
        nonlinear=lambda v, hat, k: [-hat(v[0] ** 2)],
        modes=modes,
        steps=steps,
    )


PLANE = {"times": 10, "points": 1000, "trust": 1e-4}
RECIPES: dict[str, Callable[[], Recipe]] = {
    "allen-cahn-pinn": lambda: Recipe(
        evolution=line(-1, 2, 1.0, kink, lambda k: (5 - 1e-4 * k**2,), cubic(5.0), 4096, 4000),
        early=(0.0005, 0.001, 0.0025, 0.005, 0.01, 0.02),
        points=600,
        coarse=(0.5, 0.5),
        after=0.01,
    ),
    "allen-cahn-kink": lambda: Recipe(
        evolution=line(-1, 2, 2.0, kink, lambda k: (1 - 1e-4 * k**2,), cubic(1.0), 4096, 4000),
        early=(0.0005, 0.001, 0.0025, 0.005, 0.01, 0.02),
        points=600,
        coarse=(0.5, 0.5),
        after=0.01,
    ),
    "allen-cahn-2": lambda: Recipe(
        evolution=line(
            -1,
            2,
            2.0,
            lambda x: (0.55 * np.sin(PI * x) + 0.25 * np.sin(2 * PI * x),),
            lambda k: (1 - 1e-4 * k**2,),
            cubic(1.0),
            1024,
            4000,
        ),
    ),
    "kdv-pinn": lambda: Recipe(evolution=kdv(0.0025, 512, 40_000)),
    "kdv-zabusky": lambda: Recipe(evolution=kdv(0.022**2, 1024, 40_000)),
    "ks-regular": lambda: Recipe(evolution=ks_regular(256, 24_000)),
    "ks-chaotic": lambda: Recipe(evolution=ks_chaotic(512, 40_000), times=40, trust=1e-6),
    "ignition": lambda: Recipe(evolution=ignition(64, 8000), times=40, box=((0.0,), (1.0,)), points=200),
    "spin-ac": lambda: Recipe(evolution=spin_ac(1024, 64_000)),
    "spin-burg": lambda: Recipe(evolution=spin_burg(4096, 40_000), points=600),
    "spin-bz": lambda: Recipe(evolution=spin_bz(3072, 24_000), unknowns=("u", "v", "w"), times=15),
    "spin-ch": lambda: Recipe(evolution=spin_ch(512, 160_000)),
    "spin-gs": lambda: Recipe(evolution=spin_gs(1024, 480_000), unknowns=("u", "v"), trust=1e-5),
    "spin-kdv": lambda: Recipe(evolution=spin_kdv(768, 200_000), coarse=(0.85, 0.5)),
    "spin-ks": lambda: Recipe(evolution=waves(200.0, lambda k: (k**2 - k**4,), 512, 160_000), times=40),
    "spin-niko": lambda: Recipe(
        evolution=waves(300.0, lambda k: (-0.1 * k**2 + k**4 - k**6,), 512, 120_000), times=40
    ),
    "gray-scott-2d": lambda: Recipe(
        evolution=gray_scott_2d(1e-5, 5e-6, 20.0, 640, 160), unknowns=("u", "v"), coarse=(0.8, 0.5), **PLANE
    ),
    "gray-scott-200": lambda: Recipe(
        evolution=gray_scott_2d(2e-5, 1e-5, 200.0, 512, 800), unknowns=("u", "v"), coarse=(0.82, 0.5), **PLANE
    ),
    "ginzburg-landau-2d": lambda: Recipe(
        evolution=ginzburg_landau_2d(0.2, 256, 320), unknowns=("A",), **PLANE
    ),
    "ginzburg-landau-2d-long": lambda: Recipe(
        evolution=ginzburg_landau_2d(1.0, 256, 1000), unknowns=("A",), **PLANE
    ),
    "fisher-kpp-2d": lambda: Recipe(evolution=fisher_kpp(2, 96, 480), **PLANE),
    "fisher-kpp-3d": lambda: Recipe(evolution=fisher_kpp(3, 64, 160), **PLANE),
}
