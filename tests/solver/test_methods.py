# SPDX-License-Identifier: MIT
"""Methods as objects: names and objects say the same, the old spelling says it with a warning, and what is wrong gets a sentence."""

import inspect

import numpy as np
import pytest

import lrfm
from lrfm.solver.methods import OWN, Auto, method_object, method_of

HEAT = lrfm.Problem(
    "u_t = u_xx", domain=lrfm.Box(x=(0, 1)), time=(0, 0.1), initial="sin(pi*x)", boundary="u = 0"
)
SPACE = lrfm.Liquid(features=30, gate=10.0, vanish=("x-", "x+"))
PLACES = {"x": np.linspace(0, 1, 7), "t": 0.05}


def same(one, two):
    np.testing.assert_array_equal(one(**PLACES), two(**PLACES))
    return one.report.parts == two.report.parts


def test_names_stand_for_objects_without_arguments():
    assert method_of("lines") == lrfm.Lines() == method_of(lrfm.Lines())
    assert method_of("space-time") == lrfm.SpaceTime()
    assert method_of("auto") == Auto()
    assert same(
        lrfm.solve(HEAT, tol=1e-3, method="lines"),
        lrfm.solve(HEAT, tol=1e-3, method=lrfm.Lines(space="cells")),
    )


@pytest.mark.parametrize(
    ("given", "kind", "said"),
    [
        ("line", ValueError, "`method='line'` is not known; .*`lrfm.Lines\\(...\\)`.*Did you mean `lines`"),
        (3, ValueError, "`method=3` is not known"),
        (lrfm.SpaceTime, TypeError, "write `method=lrfm.SpaceTime\\(\\)`"),
    ],
)
def test_what_is_no_method_gets_a_sentence(given, kind, said):
    for call in (lrfm.solve, lrfm.plan, lrfm.operator):
        with pytest.raises(kind, match=said):
            call(HEAT, method=given)


def test_functions_of_lines_are_of_a_known_kind():
    with pytest.raises(
        ValueError, match=r"`space='cell'` of `lrfm.Lines` is not known; .*Did you mean `cells`"
    ):
        lrfm.Lines(space="cell")
    with pytest.raises(ValueError, match=r"`space=<?Liquid"):
        lrfm.Lines(space=SPACE)
    made = lrfm.solve(HEAT, tol=1e-3, method=lrfm.Lines(space="series"))
    assert not len(made.cells(t=0.05))
    four = lrfm.Box(x=(0, 1), y=(0, 1), z=(0, 1), w=(0, 1))
    heat = lrfm.Problem("u_t = lap(u)", domain=four, time=(0, 0.1), initial="x*y*z*w", boundary="u_n = 0")
    with pytest.raises(
        lrfm.ProblemError, match=r"`space='cells'` does not hold this statement: Cells are for intervals"
    ):
        lrfm.solve(heat, tol=1e-2, method=lrfm.Lines(space="cells"))
    ball = lrfm.Problem("u_t = lap(u)", domain=lrfm.Ball(), time=(0, 0.1), initial="0", boundary="u = 1")
    with pytest.raises(lrfm.ProblemError, match=r"`space='series'` does not hold this statement: .*box"):
        lrfm.solve(ball, tol=1e-2, method=lrfm.Lines(space="series"))


def test_the_old_spelling_works_with_a_warning_that_names_the_new_one():
    new = lrfm.SpaceTime(space=SPACE, blocks=2)
    with pytest.warns(FutureWarning, match=r"write `method=lrfm.SpaceTime\(blocks=..., space=...\)`") as seen:
        old = lrfm.solve(HEAT, space=SPACE, blocks=2, estimate=False)
    assert seen[0].filename == __file__
    assert same(old, lrfm.solve(HEAT, method=new, estimate=False))
    with pytest.warns(FutureWarning, match="next version of `plan`") as seen:
        planned = lrfm.plan(HEAT, space=SPACE, blocks=2)
    assert seen[0].filename == __file__
    assert (planned.rows, planned.blocks) == (lrfm.plan(HEAT, method=new).rows, 2)
    with pytest.warns(FutureWarning, match="next version of `operator`") as seen:
        made = lrfm.operator(HEAT, space=SPACE, blocks=2)
    assert seen[0].filename == __file__
    assert same(made(), lrfm.operator(HEAT, method=new)())
    with pytest.warns(FutureWarning, match="next version of `sweep`"):
        (run,) = lrfm.sweep(HEAT, solve={"space": SPACE, "estimate": False})
    with pytest.warns(FutureWarning, match="write `solve.method.blocks`"):
        (other,) = lrfm.sweep(
            HEAT, grid={"solve.blocks": [2]}, solve={"method": lrfm.SpaceTime(space=SPACE), "estimate": False}
        )
    assert (run.solution().report.blocks, other.solution().report.blocks) == (1, 2)


def test_the_old_spelling_beside_a_file(tmp_path):
    """What is given in a call wins over the file, argument by argument."""
    (tmp_path / "heat.toml").write_text(
        'equation = "u_t = u_xx"\ntime = [0, 0.1]\ninitial = "sin(pi*x)"\nboundary = "u = 0"\ndomain = {x = [0, 1]}\n'
        '[solve.method]\nkind = "space-time"\nblocks = 2\n[solve.method.space]\nkind = "liquid"\nfeatures = 20\n'
    )
    with pytest.warns(FutureWarning):
        planned = lrfm.plan(tmp_path / "heat.toml", features=30)
    assert (planned.columns, planned.blocks) == (30, 2)
    assert lrfm.plan(tmp_path / "heat.toml", method=lrfm.SpaceTime(features=40)).blocks == 1


def test_arguments_of_solve_are_those_of_every_method():
    """What belongs to one method stands in its object, and in no signature beside it."""
    for call in (lrfm.solve, lrfm.plan, lrfm.operator):
        assert not set(OWN) & set(inspect.signature(call).parameters)
    assert set(OWN) == set(inspect.signature(lrfm.SpaceTime).parameters)


@pytest.mark.parametrize(
    ("given", "method"),
    [
        ({"features": 80}, lrfm.SpaceTime(features=80)),
        ({"features": None, "backend": "numpy"}, Auto()),
        ({"max_features": 90}, Auto(max_features=90)),  # a limit chooses no method
        ({"max_features": 90, "method": "lines"}, "lines"),
        ({"method": "space-time", "max_features": 90}, lrfm.SpaceTime(max_features=90)),
        (
            {"method": lrfm.SpaceTime(blocks=2, features=9), "space": SPACE},
            lrfm.SpaceTime(blocks=2, space=SPACE),
        ),
    ],
)
def test_arguments_are_put_into_the_method(given, method):
    assert method_object({"tol": 1e-3, **given}) == {"tol": 1e-3, "method": method}


def test_parts_of_one_method_contradict_the_other():
    with pytest.raises(ValueError, match="`method='lines'` was given with `blocks`"):
        method_object({"method": lrfm.Lines(), "blocks": 3})
    with pytest.raises(lrfm.ProblemError, match="numbers of the method in space and time"):
        lrfm.sweep(HEAT, grid={"solve.method.blocks": [2]}, solve={"method": "lines"})
