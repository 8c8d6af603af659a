# SPDX-License-Identifier: MIT
"""Domains of several layers: which parts they share, what is continuous there, and what is refused."""

import numpy as np
import pytest

import lrfm
from lrfm.problem.jets import Jet

SLABS = lrfm.Layers(left=lrfm.Box(x=(0, 0.4)), right=lrfm.Box(x=(0.4, 1)))
COATED = lrfm.Layers(core=lrfm.Disk(radius=0.5), shell=lrfm.Box(x=(-1, 1), y=(-1, 1)) - lrfm.Disk(radius=0.5))
GIVEN = {"domain": SLABS, "time": (0, 0.1), "initial": "sin(pi*x)", "boundary": "u = 0"}
K = {"k": {"left": 3, "right": 0.5}}


def test_parts_are_boundary_or_interface():
    assert list(COATED.parts) == ["core|shell", "shell.x-", "shell.x+", "shell.y-", "shell.y+"]
    assert COATED.interfaces == {"core|shell": ("core", "shell")}
    points, weights, normals = COATED.parts["core|shell"].quadrature(60)
    assert np.allclose(normals, points / 0.5)  # out of the layer that is named first
    assert weights.sum() == pytest.approx(np.pi)
    assert COATED.measure() == pytest.approx(4.0)
    assert COATED.groups["x"] == ("shell.x-", "shell.x+")


def test_a_part_is_split_where_a_layer_ends():
    step = lrfm.Layers(low=lrfm.Box(x=(0, 1), y=(0, 1)), high=lrfm.Box(x=(1, 2), y=(0, 0.7)))
    assert step.parts["low.x+"].measure() == pytest.approx(0.3, rel=0.02)
    assert step.parts["low|high"].measure() == pytest.approx(0.7, rel=0.02)
    assert np.all(step.parts["low|high"].quadrature(40).points[:, 1] < 0.7)


def test_an_interface_of_several_sides_has_one_name():
    square = lrfm.Box(x=(-0.4, 0.4), y=(-0.4, 0.4))
    around = lrfm.Layers(core=square, shell=lrfm.Disk() - square)
    sides = [f"core|shell.{face}" for face in square.faces]
    assert around.groups["core|shell"] == around.groups["shell|core"] == tuple(sides)


@pytest.mark.parametrize("points", [40, 300])
def test_a_rule_integrates_what_differs_by_layer(points):
    places, weights = COATED.quadrature(points * 4)
    inside = COATED.owner(places) == 0
    assert weights[inside].sum() == pytest.approx(0.25 * np.pi, rel=1e-6)


@pytest.mark.parametrize(
    "text",
    ["k*lap(u)", "diff(k*u_x, x) + diff(k*u_y, y)", "k*u_xx + k*u_yy - u_x + u**3", "div"],
)
def test_the_flux_is_read_off_the_equation(text):
    """k₁ ∂ₙu₁ = k₂ ∂ₙu₂ for each way of writing it, also where k depends on u."""
    quasi = text == "div"
    text = "diff(k*(1 + u**2)*u_x, x) + diff(k*(1 + u**2)*u_y, y)" if quasi else text
    problem = lrfm.Problem(
        f"c*u_t = {text}", domain=COATED, time=(0, 1), initial="1", boundary="u = 1",
        parameters={"k": {"core": 3, "shell": 0.5}, "c": {"core": 7, "shell": 2}},
    )  # fmt: skip
    value, flux = problem.face_rows["core|shell"]
    rng = np.random.default_rng(1)
    places, _, n = COATED.parts["core|shell"].quadrature(12)
    points = np.column_stack([places, np.zeros(len(places))])
    jets = {jet: rng.normal(size=len(points)) for jet in {*value.jets, *flux.jets}}
    sides = []
    for side, k in (("core", 3.0), ("shell", 0.5)):
        u, *slopes = (jets.get(Jet(f"u@{side}", i)) for i in ((0, 0, 0), (1, 0, 0), (0, 1, 0)))
        sides.append(k * (1 + u**2 if quasi else 1) * sum(a * b for a, b in zip(n.T, slopes, strict=True)))
    found = flux.residual(points, jets)
    assert np.allclose(found, sides[0] - sides[1]) or np.allclose(found, sides[1] - sides[0])
    jump = jets[Jet("u@core", (0, 0, 0))] - jets[Jet("u@shell", (0, 0, 0))]
    assert np.allclose(value.residual(points, jets), jump)


def test_other_conditions_are_text():
    """A thin resistance: the flux is what u jumps by."""
    rows = lrfm.Problem(
        "u_t = k*u_xx",
        **{**GIVEN, "boundary": {"*": "u = 0", "right|left": ["k*u_n", "k.left*u_n.left = 2*(u.right - u.left)"]}},
        parameters=K,
    ).face_rows["left|right"]  # fmt: skip
    jets = {Jet("u@left", (0, 0)): 1.0, Jet("u@right", (0, 0)): 4.0, Jet("u@left", (1, 0)): 2.0}
    jets = {jet: np.array([v]) for jet, v in {**jets, Jet("u@right", (1, 0)): 12.0}.items()}
    here = np.array([[0.4, 0.0]])
    assert [row.residual(here, jets)[0] for row in rows] == [3 * 2.0 - 0.5 * 12.0, 6.0 - 2 * (4.0 - 1.0)]


def test_data_and_parameters_by_layer_are_formulas():
    problem = lrfm.Problem(
        "u_t = diff(k*u_x, x)",
        **{**GIVEN, "initial": {"left": "x**2", "right": lambda x: 1 - x}},
        parameters={"a": 2, "k": {"left": "1 + a*x", "right": 1}},
    )
    points = np.array([[0.1, 0.0], [0.7, 0.0]])
    assert np.allclose(problem.initial_data["u", 0](points), [0.01, 0.3])
    (row,) = problem.rows
    ones = {jet: np.full(2, float(jet.index == (2, 0))) for jet in row.jets}
    assert np.allclose(-row.residual(points, ones), [1.2, 1.0])  # k u_xx
    slope = {jet: np.full(2, float(jet.index == (1, 0))) for jet in row.jets}
    assert np.allclose(-row.residual(points, slope), [2.0, 0.0])  # k_x u_x


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"parameters": {"k": {"left": 1}}}, "has no value for the layer `right`"),
        ({"parameters": {"k": {"left": 1, "rihgt": 2}}}, "Did you mean `right`?"),
        ({"parameters": K, "domain": lrfm.Box(x=(0, 1))}, "the domain has no layers"),
        ({"parameters": K, "boundary": {"x-": "u = 0"}}, "of the boundary has neither"),
        ({"parameters": K, "equation": "u_t = k*u_xx - k*u_x"}, "terms in first derivatives of `u` differ"),
        ({"parameters": K, "equation": "u_t + k*u_xxxx = 0"}, "of order 4 in space"),
        ({"parameters": K, "initial": {"left": 1, "middle": 0}}, "`middle`|'middle'"),
        ({"parameters": K, "boundary": {"*": "u = 0", "interface": ["u = 0", "k*u_n"]}}, "which has two values"),
        ({"parameters": K, "boundary": {"*": "u = 0", "interface": ["u", "k*u_n.left = 0"]}}, "write `k.left`"),
        ({"parameters": K, "boundary": {"*": "u = 0", "interface": ["u", "u_n.lfet = 0"]}}, "names no side"),
    ],
)  # fmt: skip
def test_statements_that_cannot_be_meant(changes, said):
    with pytest.raises(lrfm.ProblemError, match=said):
        lrfm.Problem(**{"equation": "u_t = k*u_xx", **GIVEN, **changes})


@pytest.mark.parametrize(
    ("layers", "said"),
    [
        ({"a": lrfm.Disk()}, "expected 2 to"),
        ({"a": lrfm.Disk(), "b": lrfm.Disk(radius=0.5)}, "overlap, for example at"),
        ({"a": lrfm.Box(x=(0, 0.4)), "b": lrfm.Box(x=(0.5, 1))}, "does not touch `a`"),
        ({"a": lrfm.Disk(), "b": 3}, "was given as 3"),
        ({"a": lrfm.Box(x=(0, 1)), "b": lrfm.Box(y=(1, 2))}, "the same ones"),
        ({"t": lrfm.Box(x=(0, 1)), "b": lrfm.Box(x=(1, 2))}, "stands for time"),
        (
            {"a": lrfm.Region("x < 1 + 0.1*t", x=(0, 2)), "b": lrfm.Box(x=(1, 2))},
            "moves with time",
        ),
    ],
)
def test_layers_that_are_none(layers, said):
    with pytest.raises(lrfm.ProblemError, match=said):
        lrfm.Layers(**layers)


def test_what_is_unknown_has_a_name_of_its_own():
    """A number to be found in one layer is a parameter that the layer's formula uses."""
    named = {"a": lrfm.Unknown(2.0), "k": {"left": "a", "right": 1}}
    problem = lrfm.Problem("u_t = k*u_xx", **GIVEN, parameters=named)
    assert not any("not used" in warning for warning in problem.warnings)
    with pytest.raises(lrfm.ProblemError, match="a name of its own"):
        lrfm.Problem("u_t = k*u_xx", **GIVEN, parameters={"k": {"left": lrfm.Unknown(2.0), "right": 1}})


def test_a_missing_condition_is_warned_about():
    given = {**GIVEN, "boundary": {"*": "u = 0", "left|right": "u"}}
    warnings = lrfm.Problem("u_t = k*u_xx", **given, parameters=K).warnings
    assert any("`left|right`" in w and "suggests 2" in w for w in warnings)


def test_layers_are_spelled_and_stored():
    text = "Layers(left=Box(x=(0, 0.4)), right=Box(x=(0.4, 1)))"
    problem = lrfm.Problem("u_t = k*u_xx", **{**GIVEN, "domain": text}, parameters=K)
    assert problem.domain == SLABS
    assert repr(SLABS) == text
    with pytest.raises(lrfm.ProblemError, match="cannot be combined"):
        lrfm.Box(x=(0, 1)) | SLABS
