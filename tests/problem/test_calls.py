# SPDX-License-Identifier: MIT
"""Arguments that do not exist, or have no name: a TypeError that names the one to write."""

import inspect
import re

import pytest

import lrfm
from lrfm.problem.calls import naming

HEAT = lrfm.Problem(
    "u_t = u_xx", domain=lrfm.Box(x=(0, 1)), time=(0, 0.1), initial="sin(pi*x)", boundary="u = 0"
)


@pytest.fixture(scope="module")
def solution():
    return lrfm.solve(HEAT, tol=1e-2, estimate=True)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: lrfm.solve(HEAT, rtol=1e-3), "`solve` has no argument `rtol`; write `tol=0.001`"),
        (
            lambda: lrfm.solve(HEAT, 1e-6),
            "`solve` takes `problem` without a name; name what follows: write `tol=1e-06`",
        ),
        (lambda: lrfm.solve(HEAT, "lines"), "name what follows. It takes `problem`, `tol`, "),
        (lambda: lrfm.solve(), "`solve` needs `problem`"),
        (lambda: lrfm.solve(HEAT, problem=HEAT), "was given `problem` twice"),
        (lambda: lrfm.solve(HEAT, timeout=3), "write `max_seconds=3`"),
        (lambda: lrfm.solve(HEAT, sed=3), "write `seed=3`"),
        (
            lambda: lrfm.solve(HEAT, nx=100),
            "leave it out, since grids, steps and sizes are chosen from `tol`",
        ),
        (lambda: lrfm.solve(HEAT, flux_capacitor=1), "`solve` has no argument `flux_capacitor`. It takes"),
        (lambda: lrfm.plan(HEAT, tolerance=1e-3), "`plan` has no argument `tolerance`; write `tol=0.001`"),
        (lambda: lrfm.fit(HEAT), "`fit` needs `data`"),
        (lambda: lrfm.family(HEAT, rtol=1e-3), "`family` has no argument `rtol`; write `tol=0.001`"),
        (lambda: lrfm.operator(HEAT, rtol=1e-3), "write `tol=0.001`"),
        (lambda: lrfm.sweep(HEAT, n=3), "`sweep` has no argument `n`"),
        (lambda: lrfm.load(), "`load` needs `path`"),
        (lambda: lrfm.load(file="u.lrfm"), "write `path='u.lrfm'`"),
        (lambda: lrfm.Ellipse(semiaxes=(1, 2)), "`Ellipse` has no argument `semiaxes`; write `radii=(1, 2)`"),
        (lambda: lrfm.Disk(r=2), "`Disk` has no argument `r`; write `radius=2`"),
        (lambda: lrfm.Disk(2.0), "`Disk` takes nothing without a name"),
        (lambda: lrfm.Ball(centre=(0, 0, 0)), "`Ball` has no argument `centre`; write `center=(0, 0, 0)`"),
    ],
)
def test_the_argument_to_write_is_named(call, said):
    with pytest.raises(TypeError, match=re.escape(said)):
        call()


@pytest.mark.parametrize(
    ("method", "given", "said"),
    [
        ("plot", {"time": 0.1}, "`plot` has no argument `time`; write `times=0.1`"),
        ("plot", {"figsize": (3, 2)}, "write `size=(3, 2)`"),
        ("animate", {"n": 5}, "`animate` has no argument `n`; write `frames=5`"),
        ("integral", {"axis": "x"}, "`integral` has no argument `axis`; write `over='x'`"),
        ("save", {}, "`save` needs `path`. It takes `path`."),
        ("save", {"filename": "u.lrfm"}, "write `path='u.lrfm'`"),
    ],
)
def test_methods_of_a_solution_name_theirs(solution, method, given, said):
    with pytest.raises(TypeError, match=re.escape(said)):
        getattr(solution, method)(**given)


def test_a_mistake_inside_keeps_its_own_words():
    @naming
    def divided(a, *, by=1):
        return a / by

    assert divided(3, by=2) == 1.5
    with pytest.raises(TypeError, match="unsupported operand"):
        divided("3", by=2)


# What Python itself says of arguments that do not fit.
RAW = re.compile(r"unexpected keyword|positional argument|required keyword|multiple values")
NAMES = [name for name in lrfm._HOME if name != "Status" and not name.endswith("Error")]
METHODS = [
    (name, method)
    for name in NAMES
    if inspect.isclass(getattr(lrfm, name))
    for method, member in inspect.getmembers(getattr(lrfm, name), inspect.isfunction)
    if not method.startswith("_") and member.__module__.startswith("lrfm")
]


def said_by(call, *args, **given):
    """What is said of a call that cannot be right."""
    with pytest.raises((TypeError, ValueError, lrfm.ProblemError)) as caught:
        call(*args, **given)
    return str(caught.value)


def kinds(function):
    return {parameter.kind for parameter in inspect.signature(function).parameters.values()}


@pytest.mark.parametrize("name", NAMES)
def test_no_public_name_leaves_its_arguments_to_python(name):
    call = getattr(lrfm, name)
    if inspect.Parameter.VAR_KEYWORD not in kinds(call):
        assert not RAW.search(said_by(call, no_such_argument=1))
    assert not RAW.search(said_by(call, *range(1, 40)))


@pytest.mark.parametrize(("owner", "name"), METHODS)
def test_no_public_method_leaves_its_arguments_to_python(owner, name):
    """Arguments are looked at before anything else is: no object is needed."""
    method = getattr(getattr(lrfm, owner), name)
    if inspect.Parameter.VAR_KEYWORD not in kinds(method):
        assert not RAW.search(said_by(method, object(), no_such_argument=1))
    if inspect.Parameter.VAR_POSITIONAL not in kinds(method):
        assert not RAW.search(said_by(method, object(), *range(1, 40)))


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda u: u.plot(0.1, 0.2, 0.3), "`plot` takes `what`, `path` without a name; name what follows. It takes"),
        (lambda u: u.plot(0.1), "`plot` was given `what=0.1`; expected a text or a path or a list of texts."),
        (lambda u: u.derivative("u_x", 2), "`derivative` takes `name` without a name; leave out what follows."),
        (lambda u: u.derivative(2), "`derivative` was given `name=2`; expected a text."),
        (lambda u: u.flux(3), "`flux` was given `face=3`; expected a text."),
        (lambda u: u.sensitivity(3), "`sensitivity` was given `parameter=3`; expected a text."),
        (lambda u: u.save(3), "`save` was given `path=3`; expected a text or a path."),
        (lambda u: u.export(3), "`export` was given `path=3`; expected a text or a path."),
        (lambda u: u.animate(3), "`animate` was given `path=3`; expected a text or a path."),
        (lambda u: lrfm.load(3), "`load` was given `path=3`; expected a text or a path."),
        (lambda u: lrfm.read(3), "`read` was given `path=3`; expected a text or a path."),
        (lambda u: lrfm.fit(HEAT, 3), "`data` must be a `lrfm.Data`, or a list of them."),
        (lambda u: lrfm.branch(3, "k", (0, 1)), "`branch` was given a int; expected a `lrfm.Problem`."),
    ],
)  # fmt: skip
def test_values_of_another_kind_are_told(solution, call, said):
    with pytest.raises(TypeError, match=re.escape(said)):
        call(solution)
