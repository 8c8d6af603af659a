# SPDX-License-Identifier: MIT
"""Shapes as text: the same shape as Python's words make, and a sentence for everything else."""

import numpy as np
import pytest

import lrfm
from lrfm.problem.file import parse
from lrfm.problem.shapes.text import as_python, read_shape

SHAPES = [
    lrfm.Box(x=(-2, 2), y=(-1, 1), name="plate") - lrfm.Disk(center=(0.3, 0), radius=0.4, name="hole"),
    lrfm.Region("x**2 + 4*y**2 < 1 and y > -0.3", x=(-1, 1), y=(-1, 1), names=["rim", "floor"]),
    lrfm.Polygon([(0, 0), (1, 0), (1, 2)], names=["floor", "wall", "roof"])
    .shifted(1, 2.5)
    .rotated(1 / 3)
    .part("inlet", "x < 1"),
    (lrfm.Disk() | lrfm.Disk(center=(1, 0))).scaled(2).shifted(1, 0),
    lrfm.Prism(lrfm.Annulus(radii=(0.1, 0.7)), z=(0, 1)),
    lrfm.Sector(angles=(0, np.pi / 3)) & lrfm.HalfSpace(normal=(1, 0), point=(0.5, 0)),
    lrfm.Region("x < 1 + a*t", x=(0, 2), parameters={"a": 0.5}),
]


@pytest.mark.parametrize("shape", SHAPES, ids=repr)
def test_what_is_printed_is_read_back(shape):
    assert read_shape(repr(shape)) == shape
    assert eval(as_python(shape.record), {"lrfm": lrfm}) == shape  # the text is that of the table above


def test_many_holes_are_one_difference():
    holes = [f"Disk(center=({k}, 0), radius=0.1)" for k in range(1, 20)]
    plate = read_shape(" - ".join(["Box(x=(0, 20), y=(-1, 1))", *holes]))
    assert len(plate.record["of"]) == 20
    assert list(plate.contains([(7.0, 0.05), (7.5, 0.05), (19.05, 0.0)])) == [False, True, False]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("Disc(radius=1)", "Write `Disk`."),
        ("Disk(1)", "name what is given, such as `Disk"),
        ("foo", "expected shapes joined by"),
        ("Disk(radius=1", "expected shapes joined by"),
        ("Disk() + Disk()", "expected shapes joined by"),
        ("Disk(radius=q)", "the name `q` is not known"),
        ("Disk(radius=-1)", "must be a positive number"),
        ("Disk(**{'radius': 1})", "expected shapes joined by"),
        ("__import__('os').system('true')", "expected shapes joined by"),
        ("Disk(radius=__import__('os').getpid())", "A number in `domain`"),
        ("(" * 3000 + "Disk()" + ")" * 3000, "expected shapes joined by"),
        ("Disk() - (Disk() | (" * 40 + "Disk()" + "))" * 40, "levels deep"),
        ("x" * 20_000, "at most 10,000 are read"),
    ],
)
def test_what_is_no_shape_gets_a_sentence(text, sentence):
    with pytest.raises(lrfm.ProblemError) as refusal:
        read_shape(text)
    assert sentence in str(refusal.value)
    assert len(str(refusal.value)) < 600


def test_statements_take_the_text():
    words = dict(equation="u_t = lap(u)", time=(0, 0.1), initial="1 - x**2 - y**2", boundary="u = 0")
    problem = lrfm.Problem(**words, domain="Disk(radius=1)")
    assert problem.domain == lrfm.Disk(radius=1)
    text = 'equation = "u_t = lap(u)"\ntime = [0, 0.1]\ninitial = "0"\nboundary = "u = 0"\n'
    found = parse(
        text + "domain = \"Region('x**2 + y**2 < a', x=(-1, 1), y=(-1, 1))\"\nparameters = { a = 0.5 }"
    )
    assert found.problem.domain.measure() == pytest.approx(np.pi / 2)
