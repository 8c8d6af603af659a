# SPDX-License-Identifier: MIT
"""Every derivative of every kind of feature against its closed form, differentiated with 30 digits.

Errors are measured against the largest value of that derivative over all features and points of the case.
"""

from dataclasses import replace

import mpmath as mp
import numpy as np
import pytest
from helpers import thinned

from lrfm.spacetime.features import PIELM, STC, Liquid, SoV
from lrfm.spacetime.features.cores import Moving, RealParts

PROFILE = {"tanh": mp.tanh, "sine": mp.sin}
ORDERS = {
    1: [(0, 0), (1, 0), (2, 0), (3, 0), (4, 0), (0, 1), (0, 2), (1, 1), (2, 2), (4, 1)],
    2: [(0, 0, 0), (1, 0, 0), (0, 2, 0), (1, 1, 0), (2, 2, 0), (0, 4, 0), (0, 0, 2), (1, 2, 1)],
    3: [(0, 0, 0, 0), (0, 0, 2, 0), (1, 1, 1, 0), (2, 0, 1, 1), (0, 0, 0, 1)],
}


@pytest.fixture(autouse=True)
def digits():
    with mp.workdps(30):
        yield


def numbers(array):
    return [mp.mpf(float(v)) if np.isrealobj(v) else mp.mpc(complex(v)) for v in np.ravel(array)]


def wrap(y, period):
    return y - period * mp.nint(y / period) if period else y


def components(kind, y, half):
    """Chart components from the offset to the middle of the domain or patch of half width `half`."""
    if kind == "affine":
        return [y / half]
    if kind == "periodic":
        return [mp.cos(mp.pi * y / half), mp.sin(mp.pi * y / half)]
    return [mp.cos(mp.pi * (y + half) / (2 * half))]


def liquid(patch, column, kinds, halves, gate, profile):
    """φ(x − vt, t) = h e^(−αt) + A f (1 − e^(−αt))/α as typed from the paper; a function of x, …, t."""
    core, part = patch.core, mp.re
    if isinstance(core, RealParts):
        core, part, column = core.core, (mp.re, mp.im)[column % 2], column // 2
    speeds = [mp.mpf(0)] * len(kinds)
    if isinstance(core, Moving):
        core, speeds = core.core, numbers(core.velocities[column])
    w, w0 = numbers(core.gate_ridge.weights[column]), numbers(core.start_ridge.weights[column])
    (b,), (b0,) = numbers(core.gate_ridge.biases[column]), numbers(core.start_ridge.biases[column])
    (rate,), (amplitude,) = numbers(core.rates[column]), numbers(core.amplitudes[column])
    centers, periods, start = numbers(patch.frame.center), numbers(patch.frame.period), patch.frame.start

    def phi(*point):
        t = point[-1] - start
        c = []
        for i, x in enumerate(point[:-1]):
            c += components(kinds[i], wrap(x - centers[i], periods[i]) - speeds[i] * t, halves[i])
        f = gate * PROFILE[profile](mp.fdot(w, c) + b)
        alpha = rate + f
        ramp = -mp.expm1(-alpha * t) / alpha if alpha else t
        return part(PROFILE[profile](mp.fdot(w0, c) + b0) * mp.exp(-alpha * t) + amplitude * f * ramp)

    return phi


def derivative(function, point, order):
    return mp.diff(function, tuple(point), order) if any(order) else function(*point)


def assert_equal(space, points, orders, closed_form, term=0.0):
    """`closed_form(patch, column)` is a function of the coordinates; terms of size `term` may cancel."""
    jets = space.jets(points, orders)
    exact = {order: np.zeros((len(points), space.size)) for order in orders}
    q = 0
    for patch in space.patches:
        for column in range(patch.size):
            function = closed_form(patch, column)
            for n, point in enumerate(points):
                for order in orders:
                    exact[order][n, q] = mp.re(derivative(function, numbers(point), order))
            q += 1
    for order in orders:
        scale = max(term, np.abs(exact[order]).max())
        assert jets[order].shape == (len(points), space.size)
        assert jets[order].flags.f_contiguous
        assert np.abs(jets[order] - exact[order]).max() <= 1e-10 * scale, order


def draw(lower, upper, window, count=3, seed=5):
    low, high = np.array([*lower, window[0]]), np.array([*upper, window[1]])
    return low + (high - low) * np.random.default_rng(seed).random((count, len(low)))


GLOBAL = {
    "paper": (dict(), ["affine"], 1),
    "gate": (dict(gate=7.0, tau=(0.01, 1.0), amplitude=3.0), ["affine"], 1),
    "sine": (dict(profile="sine", weights=4.0, gate=3.0), ["affine"], 1),
    "periodic": (dict(gate=2.0), ["periodic"], 1),
    "periodic sine": (dict(profile="sine"), ["periodic"], 1),
    "cosine": (dict(cosine=("x",)), ["cosine"], 1),
    "drift": (dict(drift=(-2.0, 3.0)), ["affine"], 1),
    "drift periodic": (dict(drift=(-2.0, 3.0)), ["periodic"], 1),
    "oscillation": (dict(oscillation=(0.0, 20.0)), ["affine"], 1),
    "oscillation drift": (dict(oscillation=(1.0, 5.0), drift=(0.0, 1.0), gate=4.0), ["periodic"], 1),
    "plane": (dict(weights=(1.0, 3.0)), ["affine", "affine"], 2),
    "plane mixed": (dict(gate=3.0), ["periodic", "affine"], 2),
    "plane drift": (dict(drift=((0.0, 1.0), (-2.0, 0.0))), ["periodic", "affine"], 2),
    "solid": (dict(gate=2.0), ["affine", "periodic", "affine"], 3),
    "solid cosine": (dict(cosine=(0,), profile="sine"), ["cosine", "affine", "affine"], 3),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", thinned(GLOBAL, 2))
def test_global_liquid(name):
    settings, kinds, d = GLOBAL[name]
    names, lower, upper, window = ("x", "y", "z")[:d], [-1.0, 0.5, -3.0][:d], [2.0, 1.5, 4.0][:d], (0.3, 0.9)
    config = Liquid(features=3, **settings)
    space = config.sample(
        names, lower, upper, tuple(k == "periodic" for k in kinds), window, np.random.default_rng(1)
    )
    halves = [(mp.mpf(b) - a) / 2 for a, b in zip(lower, upper, strict=True)]
    assert_equal(
        space,
        draw(lower, upper, window),
        ORDERS[d],
        lambda patch, q: liquid(patch, q, kinds, halves, mp.mpf(config.gate), config.profile),
    )


@pytest.mark.parametrize("alpha", thinned([0.0, -1e-9, 1e-9, 1e-4, -1e-4, 0.7, -1.9, -1e3, 1e3], 2))
def test_rates_of_every_size(alpha):
    """All features have the rate α at the point, from the removable limit to strong decay and growth.

    α = ρ + f is a difference of numbers of size one, so where it is small, errors are measured against one.
    """
    config = Liquid(features=4, gate=1.5)
    space = config.sample(("x",), [-1.0], [1.0], (False,), (0.0, 0.5), np.random.default_rng(2))
    patch = space.patches[0]
    ridge = patch.core.gate_ridge
    x = 0.37
    rates = alpha - config.gate * np.tanh(ridge.weights[:, 0] * x + ridge.biases)
    space = replace(space, patches=(replace(patch, core=replace(patch.core, rates=rates)),))
    points = np.array([[x, 0.41], [x, 0.0]])
    assert_equal(
        space, points, ORDERS[1], lambda patch, q: liquid(patch, q, ["affine"], [1], 1.5, "tanh"), term=1.0
    )


def bump(r):
    return mp.exp(-1 / (1 - r * r)) if abs(r) < 1 else mp.mpf(0)


def window_1d(lower, upper, count, k, overlap, period):
    """ψ_k = b(z_k)/Σ b(z_l) on a uniform cut of [lower, upper]."""
    width = (mp.mpf(upper) - lower) / count
    radius = width / 2 * (1 + 2 * mp.mpf(overlap))
    centers = [lower + (i + mp.mpf(1) / 2) * width for i in range(count)]

    def psi(x):
        values = [bump(wrap(x - c, period) / radius) for c in centers]
        return values[k] / sum(values)

    return psi, radius


# Each kind once; all pairs by `make test-all`.
@pytest.mark.slow
@pytest.mark.parametrize(
    ("settings", "periodic"),
    thinned([(dict(), False), (dict(), True), (dict(drift=(-1.0, 1.0)), True), (dict(drift=(-1.0, 1.0)), False),
             (dict(overlap=0.4), True), (dict(overlap=0.4), False)], 2),
)  # fmt: skip
def test_local_line(periodic, settings):
    lower, upper, window, count = -1.0, 2.0, (0.1, 0.5), 3
    config = Liquid(per_patch=2, patches=count, **settings)
    space = config.sample(("x",), [lower], [upper], (periodic,), window, np.random.default_rng(3))
    points = np.array([[-0.9, 0.2], [0.05, 0.5], [0.95, 0.11], [1.97, 0.3]])
    period = mp.mpf(upper - lower) if periodic else 0

    def closed_form(patch, q):
        k = next(i for i, p in enumerate(space.patches) if p is patch)
        psi, radius = window_1d(lower, upper, count, k, config.overlap, period)
        phi = liquid(patch, q, ["affine"], [radius], 1, "tanh")
        return lambda x, t: psi(x) * phi(x, t)

    assert_equal(space, points, ORDERS[1], closed_form)


def test_local_plane_with_distance():
    """Two patches along x, one along the periodic y, zero on the face x+."""
    config = Liquid(per_patch=2, patches=(2, 1), vanish=("x+",))
    space = config.sample(
        ("x", "y"), [0.0, -1.0], [1.0, 1.0], (False, True), (0.0, 1.0), np.random.default_rng(4)
    )

    def closed_form(patch, q):
        k = next(i for i, p in enumerate(space.patches) if p is patch)
        psi, radius = window_1d(0.0, 1.0, 2, k, 0.25, 0)
        phi = liquid(patch, q, ["affine", "periodic"], [radius, 1], 1, "tanh")
        return lambda x, y, t: psi(x) * (1 - x) * phi(x, y, t)

    assert_equal(space, draw([0.35, -1.0], [0.65, 1.0], (0.0, 1.0)), ORDERS[2], closed_form)


@pytest.mark.parametrize(
    ("faces", "factor"), [(("x-", "x+"), lambda z: 1 - z * z), (("x-",), lambda z: (1 + z) / 2)]
)
def test_distance_factor(faces, factor):
    space = Liquid(features=3, vanish=faces).sample(
        ("x",), [1.0], [4.0], (False,), (0.0, 1.0), np.random.default_rng(4)
    )
    half = mp.mpf(3) / 2

    def closed_form(patch, q):
        phi = liquid(patch, q, ["affine"], [half], 1, "tanh")
        return lambda x, t: factor((x - mp.mpf(5) / 2) / half) * phi(x, t)

    assert_equal(space, draw([1.0], [4.0], (0.0, 1.0)), ORDERS[1], closed_form)
    ends = np.array([[1.0, 0.4], [4.0, 0.4]])[: len(faces)]
    assert np.all(space.jets(ends, [(0, 1)])[0, 1] == 0.0)


@pytest.mark.parametrize("config", [SoV(features=3), STC(features=3, profile="sine"), PIELM(features=3)])
@pytest.mark.parametrize("periodic", [False, True])
def test_static(config, periodic):
    """Separated and joint ridges in space and the time mapped to [-1, 1]."""
    lower, upper, window = [-1.0, 0.0], [2.0, 2.0], (0.5, 2.0)
    space = config.sample(("x", "y"), lower, upper, (periodic, False), window, np.random.default_rng(6))
    kinds = ["periodic" if periodic else "affine", "affine"]
    profile = PROFILE[config.profile]

    def closed_form(patch, q):
        core = patch.core
        k, (b,) = numbers(core.ridge.weights[q]), numbers(core.ridge.biases[q])

        def phi(x, y, t):
            c = components(kinds[0], x - mp.mpf(1) / 2, mp.mpf(3) / 2) + components(
                kinds[1], y - 1, mp.mpf(1)
            )
            time = (t - mp.mpf(5) / 4) / (mp.mpf(3) / 4)
            if isinstance(config, SoV):
                (w,), (b2,) = numbers(core.time_ridge.weights[q]), numbers(core.time_ridge.biases[q])
                return profile(mp.fdot(k, c) + b) * profile(w * time + b2)
            return profile(mp.fdot(k, [*c, time]) + b)

        return phi

    assert_equal(space, draw(lower, upper, window), ORDERS[2], closed_form)
