# SPDX-License-Identifier: MIT
"""Odd statements and options: a sentence each, at once."""

import os

import numpy as np
import pytest
from helpers import by_hand, calls

import lrfm
from lrfm.cli.app import main
from lrfm.problem.file import parse

AT_ONCE = 1_000_000  # calls of Python functions

HEAT = {
    "equation": "u_t = u_xx",
    "domain": {"x": (0, 1)},
    "time": (0, 0.1),
    "initial": "sin(pi*x)",
    "boundary": "u = 0",
}
HUGE = 10**400


def stated(**change):
    given = {**HEAT, **change}
    return lrfm.Problem(given.pop("equation"), domain=lrfm.Box(**given.pop("domain")), **given)


STATEMENTS = [
    ({"domain": {"self": (0, 1)}}, "the name `self`"),
    ({"equation": f"u_t = {HUGE}*u_xx"}, "too large"),
    ({"equation": f"u_t = u_xx + u**{HUGE}"}, "too large"),
    ({"parameters": {"a": HUGE}, "equation": "u_t = a*u_xx"}, "must be a finite number"),
    ({"time": (0, HUGE)}, "finite real numbers"),
    ({"domain": {"x": (-HUGE, 0)}}, "finite real numbers"),
    ({"initial": HUGE}, "must be a finite number"),
    ({"domain": {"x": (0, 1e-300)}}, "choose a unit"),
    ({"domain": {"x": (0, 1e300)}}, "choose a unit"),
    ({"domain": {"x": (-1e308, 1e308)}}, "too long"),
    ({"domain": {"x": (1, 1 + 1e-15)}}, "shift the coordinate"),
    ({"domain": {f"x{i}": (0, 1) for i in range(200)}}, "200 axes; at most"),
    ({"time": (0, 1e-300)}, "choose a unit"),
    ({"time": (0, 5e-324)}, "choose a unit"),
    ({"time": (0, 1e300)}, "choose a unit"),
    ({"time": (0, np.nan)}, "finite real numbers"),
    ({"parameters": {"abs": 1}}, "stands for a function"),
    ({"parameters": {"pi": 3}}, "stands for the number"),
    ({"parameters": {"t": 3}}, "stands for time"),
    ({"parameters": {"a": len}, "equation": "u_t = a*u_xx"}, "one number for"),
    ({"parameters": {"a": print}, "equation": "u_t = a*u_xx"}, "any number of values"),
    ({"parameters": {"a": float}, "equation": "u_t = a*u_xx"}, "must work on whole arrays"),
    ({"parameters": {"a": max}, "equation": "u_t = a*u_xx"}, "one number for"),
    ({"initial": len}, "one number for"),
    ({"equation": []}, "expected text such as"),
    ({"equation": ""}, "has no `=`"),
    ({"equation": None}, "expected text such as"),
    ({"equation": "u_t = \u0430*u_xx", "parameters": {"a": 1}}, "CYRILLIC SMALL LETTER A"),
    ({"equation": "\u03bd_t = v_xx"}, "GREEK SMALL LETTER NU"),
    (
        {"equation": "u_t = \u0430*u_xx + a*u", "parameters": {"a": 1, "\u0430": 2}},
        "cannot be told from another",
    ),
    ({"equation": "u_t = u_\u0445\u0445"}, "CYRILLIC SMALL LETTER HA"),
    ({"domain": {"\u0445": (0, 1)}, "initial": "0"}, "CYRILLIC SMALL LETTER HA"),
    ({"equation": "u_t = \uff12*u_xx"}, "FULLWIDTH DIGIT TWO; write `2`"),
    ({"equation": "u_t = u_xx + \u0663*u"}, "ARABIC-INDIC DIGIT THREE; write `3`"),
    ({"equation": "u_t = \u2212u_xx"}, "minus sign of the keyboard"),
    ({"equation": "u_t = " + "(" * 900 + "u_xx" + ")" * 900}, "nested too deeply|parts"),
    ({"equation": "u_t = u_xx + " + "sin(" * 300 + "u" + ")" * 300}, "nested too deeply"),
    ({"equation": "u_t = u_xx + " + "-" * 5000 + "u"}, "parts"),
    ({"equation": "u_t = 9**9**9*u_xx"}, "too large"),
    ({"initial": [[[[]]]]}, "expected a text, a number"),
    ({"equation": "u_t = u()"}, r"`u\(\)` has a bracket with nothing in it; write only `u`"),
    ({"equation": "u_t = u_xx()"}, r"`u_xx\(\)` has a bracket with nothing in it"),
    ({"boundary": "u() = 0"}, r"`u\(\)` has a bracket with nothing in it"),
    ({"equation": "u_t = u_" + "x" * 40}, "the limit is 20"),
]
OPTIONS = [
    ({"tol": 0}, "between 0 and 1"),
    ({"tol": np.nan}, "between 0 and 1"),
    ({"tol": 1e-300}, "below the rounding"),
    ({"tol": HUGE}, "between 0 and 1"),
    ({"blocks": 10**10}, "at most 100000"),
    ({"blocks": HUGE}, "at most 100000"),
    ({"blocks": 10**10, "space": lrfm.Liquid(features=20)}, "at most 100000"),
    ({"blocks": np.linspace(0.01, 0.09, 200_000)}, "200000 times"),
    ({"features": HUGE}, "whole number of at least 4"),
    ({"features": 10**9}, "needs about"),
    ({"max_seconds": np.nan}, "must be positive"),
    ({"max_seconds": HUGE}, "must be positive"),
    ({"max_seconds": "60"}, "must be positive"),
    ({"max_features": "60"}, "must be at least 4"),
    ({"max_memory": "9" * 400 + "GB"}, "not a size"),
    ({"max_memory": np.nan}, "not a size"),
    ({"checkpoint": 3}, "not the name of a file"),
    ({"method": ["lines"]}, "is not known"),
]


@pytest.mark.parametrize(("change", "said"), STATEMENTS, ids=range(len(STATEMENTS)))
def test_an_odd_statement_gets_a_sentence_at_once(change, said):
    def attempt():
        with pytest.raises(lrfm.ProblemError, match=said) as refused:
            stated(**change)
        return refused

    refused, work = calls(attempt)
    assert work < AT_ONCE
    assert len(str(refused.value)) < 1000


def test_greek_letters_stand_beside_latin_ones():
    """Velocity v and viscosity \u03bd are two names in every book."""
    problem = stated(equation="u_t + v*u_x = \u03bd*u_xx", parameters={"v": 1, "\u03bd": 0.1})
    assert set(problem.parameters) == {"v", "\u03bd"}


@pytest.mark.parametrize(("given", "said"), OPTIONS, ids=range(len(OPTIONS)))
def test_odd_options_get_a_sentence_at_once(given, said):
    problem = stated()

    def attempt():
        with pytest.raises((ValueError, TypeError, lrfm.MemoryLimitError), match=said) as refused:
            lrfm.solve(problem, **by_hand(**given))
        return refused

    refused, work = calls(attempt)
    assert work < AT_ONCE
    assert len(str(refused.value)) < 1000


@pytest.mark.parametrize("name", ["self", "cls", "lambda", "x" * 5000])
def test_odd_axes_of_a_file(name):
    text = f'equation = "u_t = 0"\ntime = [0, 1]\ninitial = "1"\nboundary = "periodic"\ndomain = {{{name} = [0, 1]}}'
    try:
        parse(text, "odd.toml")
    except lrfm.ProblemError as error:
        assert 20 < len(str(error)) < 1000  # noqa: PT017


@pytest.mark.parametrize(
    "entry",
    [
        f"k = {HUGE}",
        f"k = {{start = {HUGE}}}",
        f"k = {{start = 1, upper = {HUGE}}}",
        f"k = {{start = 1, lower = -{HUGE}}}",
        f"k = {{field = ['x'], start = {HUGE}}}",
        f"k = {{field = ['x'], modes = {HUGE}}}",
        "k = {field = ['x'], start = inf}",
        "k = {field = ['x'], modes = true}",
        "k = {field = [1]}",
        "k = nan",
        "k = [1]",
    ],
)
def test_odd_unknowns_of_a_file(entry):
    """A number of 400 digits is no double."""
    text = 'equation = "u_t = k*u_xx"\ntime = [0, 1]\ninitial = "sin(pi*x)"\nboundary = "u = 0"\ndomain = {x = [0, 1]}\n'
    with pytest.raises(lrfm.ProblemError, match=r"unknown (number|field)") as refused:
        parse(f"{text}[unknown]\n{entry}", "odd.toml")
    assert len(str(refused.value)) < 300


DISK, BOX = lrfm.Disk(radius=1), lrfm.Box(x=(-2, 2), y=(-1, 1))


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: lrfm.Disk(radius=HUGE), "positive number"),
        (lambda: lrfm.Disk(center=(HUGE, 0)), "finite number"),
        (lambda: lrfm.Polygon([(0, 0), (HUGE, 0), (1, 1)]), "numbers"),
        (lambda: lrfm.Region("x < a", x=(0, 1), y=(0, 1), parameters={"a": HUGE}), "finite number"),
        (lambda: lrfm.Region("x < 0", x=(0, 1), y=(0, 1), names=[3]), "name of an inequality was given as 3"),
        (lambda: lrfm.HalfSpace(normal=(HUGE, 0)), "finite number"),
        (lambda: lrfm.Prism(DISK, z=(0, HUGE)), "finite real numbers"),
        (lambda: lrfm.Range(1, HUGE), "two finite numbers"),
        (lambda: lrfm.Table([1, 2], x=[0, HUGE]), "increasing numbers"),
        (lambda: lrfm.Data(x=[HUGE], t=[0], u=[1]), "expected numbers"),
        (lambda: DISK.shifted(HUGE, 0), "2 finite numbers"),
        (lambda: DISK.shifted("a", 0), "2 finite numbers"),
        (lambda: DISK.scaled(HUGE), "positive number"),
        (lambda: DISK.rotated(HUGE), "1 finite number"),
        (lambda: lrfm.Ball().rotated(1, axis="q"), "the axes are `x`, `y`, `z`"),
        (lambda: DISK.part(3, "x < 0"), "name of a part was given as 3"),
        (lambda: lrfm.Disk(name=["rim"]), "name of a shape was given as"),
        (lambda: (BOX - DISK).quadrature(100), "touch each other"),
        (lambda: (BOX - lrfm.Disk(radius=2)).quadrature(100), "touch each other"),
    ],
)
def test_odd_shapes_get_a_sentence(make, said):
    with pytest.raises(ValueError, match=said) as refused:
        make()
    assert len(str(refused.value)) < 500


@pytest.mark.skipif(os.name != "posix", reason="needs pipes with names")
@pytest.mark.parametrize("command", ["check", "plan", "solve", "studio"])
def test_a_statement_that_is_no_file_is_refused_at_once(tmp_path, capsys, command):
    """`lrfm check` on a pipe waited for somebody to write into it."""
    os.mkfifo(tmp_path / "pipe.toml")
    for path in (tmp_path / "pipe.toml", tmp_path, "/dev/zero"):
        with pytest.raises(SystemExit) as ended:
            main([command, str(path)])
        assert ended.value.code == 2
        said = " ".join(capsys.readouterr().err.split())
        assert "not a regular file" in said or "not a link" in said


@pytest.mark.parametrize("unit", [1e-19, 1e-6, 1e6, 1e19])
def test_units_do_not_matter(unit):
    """u_t = u_xx with lengths in another unit, and times in its square."""
    problem = stated(
        domain={"x": (0, unit)}, time=(0, 0.1 * unit**2), initial=lambda x: np.sin(np.pi * x / unit)
    )
    solution = lrfm.solve(problem, tol=1e-4)
    value = solution(x=0.5 * unit, t=0.1 * unit**2)
    assert value == pytest.approx(np.exp(-0.1 * np.pi**2), rel=1e-4)
