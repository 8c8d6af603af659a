# SPDX-License-Identifier: MIT
"""Configurations: what is refused, and the sentence that says so."""

from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from lrfm.spacetime.features import PIELM, STC, Frozen, Liquid, SoV

AT_CONSTRUCTION = [
    (dict(), "neither of `features` and `per_patch` given; give exactly one"),
    (dict(features=10, per_patch=5), "both of `features` and `per_patch` given"),
    (dict(features=10, patches=2), "`patches=2` asks for a local one; give `per_patch` with `patches`"),
    (dict(features=0), "`features=0` is not a positive integer"),
    (dict(features=2.5), "`features=2.5` is not a positive integer"),
    (dict(features=True), "`features=True` is not a positive integer"),
    (dict(per_patch=-1, patches=2), "`per_patch=-1` is not a positive integer"),
    (dict(per_patch=5, patches=(2, 0)), "`patches=0` is not a positive integer"),
    (dict(features=5, weights=-1.0), "`weights=-1.0` is not a positive number"),
    (dict(features=5, weights=(1.0, "a")), "`weights='a'` is not a positive number"),
    (dict(features=5, weights=()), r"`weights=\(\)` is empty"),
    (dict(features=5, biases=float("nan")), "`biases=nan` is not a non-negative number"),
    (
        dict(features=5, tau=(20.0, 0.05)),
        r"`tau=\(20.0, 0.05\)` is not increasing; give \(low, high\) with low <",
    ),
    (dict(features=5, tau=(1.0, 1.0)), "is not increasing"),
    (dict(features=5, tau=(0.0, 1.0)), r"`tau=\(0.0, 1.0\)` is not positive"),
    (dict(features=5, tau=3.0), "`tau=3.0` is not a range; give a pair of finite numbers"),
    (dict(features=5, gate=-1.0), "`gate=-1.0` is not a non-negative number"),
    (dict(features=5, amplitude=float("inf")), "`amplitude=inf` is not a non-negative number"),
    (dict(features=5, profile="relu"), "`profile='relu'` is unknown; choose one of 'tanh', 'sine'"),
    (dict(features=5, periodic="yes"), "`periodic='yes'` is unknown; choose one of 'chart', 'rows'"),
    (dict(features=5, overlap=0.0), "`overlap=0.0` is not a positive number"),
    (dict(features=5, drift=3.0), "`drift=3.0` is not a range"),
    (dict(features=5, drift=()), r"`drift=\(\)` is not a range"),
    (dict(features=5, drift=((0, 1), (1, 0))), r"`drift=\(1, 0\)` is not increasing"),
    (dict(features=5, oscillation=(2.0, 1.0)), "`oscillation=.* is not increasing"),
    (dict(features=5, chords=True), "`chords=True` needs `centers`"),
    (dict(features=5, centers=-1.0), "`centers=-1.0` is not a positive number"),
    (
        dict(features=5, centers=[1.0, 2.0]),
        r"`centers` has shape \(2,\); give a number, or an array \(n, axes\)",
    ),
    (dict(features=5, vanish="x-"), "`vanish='x-'` is not a tuple; give e.g."),
]
AT_SAMPLING = [
    (dict(features=5, weights=(1.0, 2.0, 3.0)), "has 3 entries for the 2 axes x, y; give one number for all"),
    (dict(per_patch=5, patches=(2, 2, 2)), r"`patches=\(2, 2, 2\)` has 3 entries for the 2 axes x, y"),
    (dict(features=5, vanish=("z-",)), "`vanish` names the face 'z-'; the faces are x-, x\\+, y-, y\\+"),
    (dict(features=5, vanish=("y+",)), "`vanish` names the face 'y\\+', but the axis y is periodic"),
    (dict(features=5, vanish=("x+",), cosine=("x",)), "the axis x is in `cosine`; give one of them"),
    (dict(features=5, cosine=("q",)), "`cosine` names the axis 'q'; the axes are x, y"),
    (dict(features=5, cosine=(2,)), "`cosine` names the axis 2"),
    (dict(features=5, cosine=(1,)), "`cosine` needs a whole axis with two ends, but y is periodic"),
    (dict(per_patch=5, patches=(2, 1), cosine=("x",)), "but x is cut into 2 patches"),
    (dict(features=5, cosine=("x",), drift=(0.0, 1.0)), "`drift` moves features along x"),
    (dict(features=5, drift=((0, 1),)), "has 1 ranges for the 2 axes x, y"),
    (
        dict(features=5, centers=np.zeros((3, 1))),
        r"`centers` has shape \(3, 1\); give one column for each of the axes",
    ),
    (dict(features=5, centers=np.zeros((3, 2)), chords=True), "`chords=True` is for one periodic axis"),
    (dict(features=5, gate=1e4), r"`gate=10000.0` on a window of length 0.5 grows features by exp\(5000\)"),
]
PLANE = (("x", "y"), [-1.0, 0.0], [1.0, 3.0], (False, True), (0.0, 0.5))


@pytest.mark.parametrize(("settings", "sentence"), AT_CONSTRUCTION)
def test_refused_at_construction(settings, sentence):
    with pytest.raises(ValueError, match=sentence):
        Liquid(**settings)


@pytest.mark.parametrize(("settings", "sentence"), AT_SAMPLING)
def test_refused_at_sampling(settings, sentence):
    with pytest.raises(ValueError, match=sentence):
        Liquid(**settings).sample(*PLANE, np.random.default_rng(0))


@pytest.mark.parametrize("kind", [SoV, STC, PIELM])
def test_static_settings(kind):
    with pytest.raises(ValueError, match="`features=0` is not a positive integer"):
        kind(features=0)
    with pytest.raises(ValueError, match="`profile='relu'` is unknown"):
        kind(features=3, profile="relu")
    with pytest.raises(ValueError, match="has 2 entries for the 3 axes x, y, t"):
        kind(features=3, weights=(1.0, 2.0)).sample(*PLANE, np.random.default_rng(0))
    kind(features=3, weights=(1.0, 2.0, 3.0)).sample(*PLANE, np.random.default_rng(0))


def test_frozen_settings():
    with pytest.raises(ValueError, match=r"is not a liquid space; give `Frozen\(Liquid\(...\)\)`"):
        Frozen(3)
    with pytest.raises(ValueError, match="imaginary parts are zero at t = 0"):
        Frozen(Liquid(features=3, oscillation=(0.0, 1.0)))


@pytest.mark.parametrize(
    ("box", "sentence"),
    [
        (((), [], [], (), (0.0, 1.0)), "0 names, 0 lower and 0 upper ends"),
        ((("x",), [0.0], [1.0, 2.0], (False,), (0.0, 1.0)), "1 names, 1 lower and 2 upper ends"),
        ((("x",), [1.0], [0.0], (False,), (0.0, 1.0)), r"the range of x is \(1.0, 0.0\)"),
        ((("x",), [0.0], [1.0], (False,), (1.0, 1.0)), r"the range of t is \(1.0, 1.0\)"),
    ],
)
def test_box(box, sentence):
    with pytest.raises(ValueError, match=sentence):
        Liquid(features=3).sample(*box, np.random.default_rng(0))


def test_configurations_are_frozen():
    centers = np.array([[0.5]])
    config = Liquid(features=3, centers=centers, weights=[1.0])
    centers[:] = 9.0
    assert config.centers[0, 0] == 0.5
    assert config.weights == (1.0,)
    with pytest.raises(ValueError, match="read-only"):
        config.centers[0, 0] = 1.0
    with pytest.raises(FrozenInstanceError):
        config.features = 4
    assert Liquid(features=3) == Liquid(features=3)
