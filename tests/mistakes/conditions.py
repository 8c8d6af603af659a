# SPDX-License-Identifier: MIT
"""What is said about initial and boundary data that are missing, superfluous, broken or contradictory.

Each case changes one good statement and gives the message a user sees (up to "…").
"""

import math

import numpy as np
from mistakes.good import PLANE, SYSTEM, WAVE

from lrfm import Box, Disk, Region


def broken(x):
    raise KeyError("no table")


def broken_in_time(t):
    raise ValueError("no table")


def sided(x):
    return np.zeros((2, len(x)))


SPREAD = dict(
    equation=["u_t = lap(u) + w", "w_t = w_xx"],
    domain=lambda: Box(x=(0, 1), y=(0, 1)),
    initial={"u": "0", "w": "sin(pi*x)"},
    boundary={"x": ["u = 0", "w = 0"], "y": "u_n = 0"},
    unknowns={"w": "x"},
)
RADIUS = dict(equation="u_t = lap(u)", initial="1 - r**2")
CASES = [
    (
        "a condition in the middle of a cylinder",
        dict(
            **RADIUS,
            domain=lambda: Box(r=(0, 1), coordinates="cylindrical"),
            boundary={"r-": "u_r = 0", "r+": "u = 0"},
        ),
        "`boundary` has a condition on `r-`, which is r = 0: no face, but the middle of the body, where solutions are smooth by themselves. Leave it out.",
    ),
    (
        "coordinates that are none",
        dict(**RADIUS, domain=lambda: Box(r=(0, 1), coordinates="sperical")),
        "`coordinates` of a box was given as 'sperical'; expected one of `polar`, `cylindrical`, `spherical`. Did you mean `spherical`?",
    ),
    (
        "axes that are none of these coordinates",
        dict(**RADIUS, domain=lambda: Box(x=(0, 1), coordinates="polar")),
        "A box with coordinates='polar' has the axes `x`; expected `r=(…, …) or r=(…, …), phi=(…, …)`, in this order.…",
    ),
    (
        "a radius below zero",
        dict(**RADIUS, domain=lambda: Box(r=(-1, 1), coordinates="polar")),
        "The radius begins at r = -1; it is a distance, and begins at zero or above.",
    ),
    (
        "a disk in polar coordinates",
        dict(**RADIUS, domain=lambda: Box(r=(0, 1), phi=(0, 1), coordinates="polar")),
        "A disk in polar coordinates with an angle has a point in which all angles meet, which these coordinates do not hold; use `lrfm.Disk()`…",
    ),
    (
        "a kernel that is no function of the difference",
        dict(equation="u_t = u_xx + integral(u(s)/(1 + t*s), s)"),
        "The equation: the kernel of `u(s) / (1 + t * s)` is no function of t - s, such as exp(-(t - s)/tau) or 1/(1 + t - s), and no product of functions of t and of s.",
    ),
    (
        "a kernel in space that is singular",
        dict(equation="u_t = u_xx + integral(log(abs(x - y))*u(y), y)"),
        "The equation: the kernel of `log(abs(x - y)) * u(y)` is singular, or so narrow that it is no sum of 40 products of a function of either place…",
    ),
    (
        "a kernel in space that is narrow",
        dict(equation="u_t = u_xx + integral(exp(-1e6*(x - s)**2)*u(s), s)"),
        "The equation: the kernel of `exp(-1000000.0 * (x - s) ** 2) * u(s)` is singular, or so narrow…",
    ),
    (
        "a kernel in space with an unknown in it",
        dict(equation="u_t = u_xx + integral(exp(-(x - y)*u(y)), y)"),
        "The equation: the integrand of `exp(-(x - y) * u(y))` is no product of a kernel of x and y, such as exp(-(x - y)**2)…",
    ),
    (
        "a kernel in space that is given as a function",
        dict(equation="u_t = u_xx + integral((K + u(y))**0.5, y)", parameters={"K": lambda x: 1 + x**2}),
        "The equation: the integrand of `(K + u(y)) ** 0.5` is no product of a kernel of x and y…",
    ),
    (
        "a kernel in space from within",
        dict(equation="u_t = u_xx + integral((x - y)*u(y), y, 0.5, x)"),
        "The equation: an integral with a kernel goes over all of the domain, x from -1 to 1, or from one of its ends to the place itself: `integral((x - y) * u(y), y, -1, x)`.",
    ),
    (
        "a kernel in the plane along no axis",
        dict(PLANE, equation="u_t = lap(u) + integral(z*u(z), z)"),
        "The equation: `integral(z * u(z), z)` is one along an axis, and it is not said which of `x`, `y`…",
    ),
    (
        "the past from a time after the start",
        dict(equation="u_t = u_xx + integral(exp(s - t)*u(s), s, 0.5, t)"),
        "The equation: an integral over the past goes from the start to the present, `integral(exp(s - t) * u(s), s, 0, t)`; leave the ends out, or write these.",
    ),
    (
        "a kernel that is singular",
        dict(equation="u_t = u_xx + integral(u(s)/sqrt(t - s), s)"),
        "The equation: the kernel of `u(s) / sqrt(t - s)` is singular, or varies too much on the time span…",
    ),
    (
        "the present inside of an integral over the past",
        dict(equation="u_t = u_xx + integral(exp(s - t)*u(s)*u, s)"),
        "The equation: inside of an integral over `s` the unknown `u` is written with it, `u(s)`; what is not integrated stands before the integral.",
    ),
    (
        "a running integral that begins inside",
        dict(equation="u_t = u_xx + integral(u, x, 0.2, x)"),
        "The equation: a running integral begins at an end of the domain, here x = -1; write the difference of two for others.",
    ),
    (
        "an integral between two places",
        dict(equation="u_t = u_xx + integral(u, x, 0, 0.5)"),
        "The equation: `integral` with ends runs along an axis up to the place itself; write `integral(u, x, -1, x)`, from one end of the domain.",
    ),
    (
        "a delay that looks ahead",
        dict(equation="u_t = -u(t + 1)", domain=None, initial=1, boundary={}),
        "The equation: the delay -1 in `u(t - ...)` is not positive; what is to come is not known.",
    ),
    (
        "a delay that is no number",
        dict(equation="u_t = -u(t/2)", domain=None, initial=1, boundary={}),
        "The equation: `u(t / 2)` is no value at a fixed time before t; write `u(t - 1)`…",
    ),
    (
        "a delay beside space",
        dict(equation="u_t = u_xx - u(t - 1)"),
        "The equation: `u(t - 1)` is a value at another time, and delays are for ordinary equations, without a domain; a product is written with `*`: `u*(t - 1)`.",
    ),
    (
        "a rate in the past",
        dict(equation="u_t = -u_t(t - 1)", domain=None, initial=1, boundary={}),
        "The equation: `u_t(t - 1)` is a value at another time, and delays are…",
    ),
    (
        "many delays",
        dict(
            equation="u_t = -(" + " + ".join(f"u(t - {k})" for k in range(1, 12)) + ")",
            domain=None,
            initial=1,
            boundary={},
        ),
        "The equation: there are more than 8 different delays.",
    ),
    (
        "a number and a vector",
        dict(PLANE, equation="u_t = grad(u)"),
        "The equation has a number on its left and a vector of 2 parts on its right side; both must be alike.",
    ),
    (
        "a running integral in the plane",
        dict(PLANE, equation="u_t = lap(u) + integral(u, x, 0, x)"),
        "The equation: running integrals are for domains with one axis.",
    ),
    (
        "a condition where an unknown of one axis does not vary",
        dict(SPREAD, boundary={"x": ["u = 0", "w = 0"], "y": ["u_n = 0", "w = 0"]}),
        "`boundary` on `y-` has a condition about `w` alone, which does not vary along y and has none there. Leave it out.",
    ),
    (
        "an unknown of one axis on a disk",
        dict(SPREAD, domain=lambda: Disk(), boundary={"*": ["u = 0", "w = 0"]}),
        "The unknown `w` is a function of x, t, and Disk has no such part; unknowns of some axes are for boxes.",
    ),
    (
        "an unknown of one axis with an equation of two",
        dict(SPREAD, equation=["u_t = lap(u) + w", "w_t = w_xx + u"]),
        "1 unknown is a function of `x`, `t`: `w`; 0 equations are about functions of `x`, `t`, and both numbers must agree…",
    ),
    (
        "an unknown of a coordinate that is none",
        dict(SPREAD, unknowns={"w": "q"}),
        "The unknown `w` was declared as 'q'; expected `float` or `complex`: `unknowns={'w': complex}`, or the coordinates it is a function of, such as `t` (among `x`, `y`, `t`; time is one of them always).",
    ),
    ("domain missing", dict(domain=None), "`domain` is missing; write `domain=lrfm.Box(x=(0, 1))`."),
    ("time missing", dict(time=None), "`time` is missing; write `time=(0, 0.1)`."),
    (
        "ordinary equations with a boundary",
        dict(equation="u_t = -u", domain=None, initial=1, boundary="u = 0"),
        "`domain` is missing; write `domain=lrfm.Box(x=(0, 1))`.",
    ),
    (
        "ordinary equations without time",
        dict(equation="u_t = -u", domain=None, time=None, initial=1, boundary={}),
        "`time` is missing; write `time=(0, 0.1)`.",
    ),
    (
        "steady with initial data",
        dict(equation="u_xx = 1", time=None, initial="0", boundary="u = 0"),
        "`initial` is given, but nothing is differentiated in t. …",
    ),
    (
        "steady with t",
        dict(equation="u_xx = t", time=None, initial=None, boundary="u = 0"),
        "The equation contains `t`, but the problem has no `time`; give `time=(0, 1)` and `initial`, or leave `t` out.",
    ),
    (
        "initial missing",
        dict(initial=None),
        "`initial` is missing; this problem needs initial data for `u` (one per order in time). Data at the end are given as `final`, and "
        "`periodic` asks for an orbit.",
    ),
    (
        "initial single",
        SYSTEM | dict(initial="0"),
        (
            "`initial` was given as the single value '0', but this problem needs 2 initial conditions; "
            "give a dictionary with the keys `u`, `v`."
        ),
    ),
    (
        "initial too few",
        WAVE | dict(initial={"u": "0"}),
        (
            "`initial` has no entry for `u_t`; this problem needs `u`, `u_t` (one condition per order of "
            "the time derivative of each unknown)."
        ),
    ),
    (
        "initial single wave",
        WAVE | dict(initial="0"),
        (
            "`initial` was given as the single value '0', but this problem needs 2 initial conditions; "
            "give a dictionary with the keys `u`, `u_t`."
        ),
    ),
    (
        "initial too many",
        dict(initial={"u": "0", "u_t": "0"}),
        (
            "`initial` has an entry `u_t`, but the equations are of order 1 in time for `u`, which takes 1 "
            "initial condition; expected the keys `u`."
        ),
    ),
    (
        "initial wrong key",
        SYSTEM | dict(initial={"u": "0", "w": "0"}),
        "`initial` has an entry 'w', which is not an unknown; expected the keys `u`, `v`.",
    ),
    (
        "initial missing key",
        SYSTEM | dict(initial={"u": "0"}),
        (
            "`initial` has no entry for `v`; this problem needs `u`, `v` (one condition per order of the "
            "time derivative of each unknown)."
        ),
    ),
    (
        "initial t",
        dict(initial="sin(pi*x)*t"),
        (
            "`initial` of `u` contains `t`; initial data are functions of `x` only. Put the start time "
            "into the formula."
        ),
    ),
    (
        "initial unknown",
        dict(initial="u"),
        (
            "`initial` of `u`: the name `u` is not known. Constants and given functions go into `parameters`; known are `x`, `t`, `pi`."
        ),
    ),
    (
        "initial derivative name",
        dict(initial="sinpi(x)"),
        (
            "`initial` of `u`: the function `sinpi` is not known. Did you mean `sin`? A given function goes into `parameters` and is written without brackets; known are `sin`, `cos`, `tan`, `sinh`, `cosh`, `tanh`, `sech`, `exp`, `log`, `sqrt`, `abs`, `conj`, `re`, `im`, `asin`, `acos`, `atan`, `asinh`, `acosh`, `atanh`, `erf`, `sign`, `lap`, `diff`, `grad`, `div`, `curl`, `dot`, `mean`, `integral`, `at`, `where`, `heaviside`, `min`, `max`."
        ),
    ),
    (
        "initial complex",
        dict(initial="1j*sin(pi*x)"),
        "`initial` of `u` is complex, but `u` is real; declare it with `unknowns={'u': complex}`.",
    ),
    (
        "initial complex function",
        dict(initial=lambda x: 1j * np.sin(np.pi * x)),
        "`initial` of `u` is complex, but `u` is real; declare it with `unknowns={'u': complex}`.",
    ),
    (
        "initial complex number",
        dict(initial=1j),
        "`initial` of `u` is complex, but `u` is real; declare it with `unknowns={'u': complex}`.",
    ),
    (
        "initial non-finite",
        dict(initial="1/x"),
        "`initial` of `u` is not finite at x=0, t=0; give data that are finite in the whole domain.",
    ),
    (
        "initial without a root",
        dict(equation="u_t = u_xx - sqrt(u)", initial="sin(2*pi*x)"),
        "The equation is no real number at the initial data, such as at x=-0.498…",
    ),
    (
        "initial nan",
        dict(initial=float("nan")),
        "`initial` of `u` is nan; it must be a finite number.",
    ),
    (
        "initial shape",
        dict(initial=sided),
        (
            "`initial` of `u` returned an array of shape (2, 257) for 257 points; it must return one value "
            "per point, working on NumPy arrays element by element."
        ),
    ),
    (
        "initial raises",
        dict(initial=broken),
        (
            "`initial` of `u` raised KeyError when called with NumPy arrays for `x`: 'no table'. It must "
            "work on whole arrays; use NumPy's functions in it."
        ),
    ),
    (
        "initial argument",
        dict(initial=lambda r: r),
        (
            "`initial` of `u` takes the argument `r`, which is not a coordinate; its arguments must be named "
            "after the coordinates `x`, `t`, or some of them."
        ),
    ),
    (
        "initial star",
        dict(initial=lambda *p: p[0]),
        (
            "`initial` of `u` takes the argument `*` with any number of values; its arguments must be "
            "named after the coordinates `x`, `t`, or some of them."
        ),
    ),
    (
        "initial math",
        dict(initial=math.sin),
        "`initial` of `u` raised TypeError when called with NumPy arrays for `x`: …",
    ),
    (
        "initial array",
        dict(initial=np.zeros(5)),
        (
            "`initial` of `u` was given as array([0., 0., 0., 0., 0.]) of type ndarray; expected a text, a "
            "number or a NumPy function of the coordinates `x`. An array needs its places: "
            "`lrfm.Table(values, x=places)`."
        ),
    ),
    (
        "initial list",
        dict(initial=["0"]),
        (
            "`initial` of `u` was given as ['0'] of type list; expected a text, a number or a NumPy "
            "function of the coordinates `x`."
        ),
    ),
    (
        "initial empty text",
        dict(initial="  "),
        "`initial` of `u` is empty; expected a formula such as `sin(pi*x)`.",
    ),
    (
        "initial equation",
        dict(initial="u = 0"),
        ("`initial` of `u`, `u = 0`, contains the character `=`; write only what stands behind it: `0`."),
    ),
    (
        "boundary nothing",
        dict(boundary={}),
        (
            "The face `x-` has neither a condition nor None; give one, such as `'x-': 'u = 0'`, or `'x-': "
            "None` where nothing is known."
        ),
    ),
    (
        "boundary one face",
        dict(boundary={"x-": "u = 0"}),
        (
            "The face `x+` has neither a condition nor None; give one, such as `'x+': 'u = 0'`, or `'x+': "
            "None` where nothing is known."
        ),
    ),
    (
        "boundary periodic and value",
        dict(boundary={"x": "periodic", "x-": "u = 0"}),
        (
            "`boundary` makes the axis `x` periodic (by `x`) and gives a condition on its face `x-`; an "
            "axis has either the one or the other."
        ),
    ),
    (
        "boundary wildcard periodic and value",
        dict(boundary={"*": "periodic", "x-": "u = 0"}),
        (
            "`boundary` makes the axis `x` periodic (by `*`) and gives a condition on its face `x-`; an "
            "axis has either the one or the other."
        ),
    ),
    (
        "boundary periodic face",
        dict(boundary={"x-": "periodic", "x+": "u = 0"}),
        (
            "`boundary` calls the face `x-` periodic, but periodicity joins both faces of an axis; write "
            "`'x': 'periodic'`."
        ),
    ),
    (
        "boundary axis and face",
        dict(boundary={"x": "u = 0", "x+": "u = 1"}),
        (
            "`boundary` names both the axis `x` and its face `x+`; name either the axis, for both faces, "
            "or the faces."
        ),
    ),
    (
        "boundary key",
        dict(boundary={"left": "u = 0"}),
        ("`boundary` has the key 'left'; write `x-`: `'x-': 'u = 0'`. Keys are `x`, `x-`, `x+`, `*`."),
    ),
    (
        "boundary by unknown",
        dict(boundary={"u": 0}),
        (
            "`boundary` has the key 'u'; expected axes, faces or `*` for all others: `x`, `x-`, `x+`, `*`. "
            "A condition on `u` goes inside: `{'*': {'u': value}}`."
        ),
    ),
    (
        "boundary key y",
        dict(boundary={"x": "u = 0", "y-": "u = 0"}),
        ("`boundary` has the key 'y-'; expected axes, faces or `*` for all others: `x`, `x-`, `x+`, `*`."),
    ),
    (
        "boundary no equals",
        dict(boundary="u"),
        "`boundary` on `x-`, `u`, has no `=`; expected `lhs = rhs`, such as `u = 0`.",
    ),
    (
        "boundary dirichlet",
        dict(boundary="dirichlet"),
        "`boundary` on `x-` is `dirichlet`, the name of a kind of condition; write the condition itself: `u = 0`.",
    ),
    (
        "boundary typo",
        dict(boundary="Periodic"),
        "`boundary` on `x-` is `Periodic`; did you mean `periodic`, for the whole axis?",
    ),
    (
        "boundary no unknown",
        dict(boundary="x = 1"),
        "`boundary` on `x-` contains no unknown: nothing is left to solve for. Check its two sides.",
    ),
    (
        "boundary no unknown2",
        dict(boundary="u_x - u_x = 1"),
        "`boundary` on `x-` contains no unknown: nothing is left to solve for. Check its two sides.",
    ),
    (
        "boundary unknown name",
        dict(boundary="w = 0"),
        (
            "`boundary` on `x-`: the name `w` is not known. Constants and given functions go into `parameters`; known are `x`, `t`, `u`, `pi`."
        ),
    ),
    (
        "boundary subscript",
        dict(boundary="u_y = 0"),
        (
            "`boundary` on `x-`: `u_y` differentiates `u` by `y`, which is not made of coordinates; write "
            "`u_x`, `u_t`, `u_n` or combinations of these."
        ),
    ),
    (
        "boundary complex",
        dict(boundary="u = 1j"),
        "`boundary` on `x-` is complex, but `u` is real; declare it with `unknowns={'u': complex}`.",
    ),
    (
        "boundary complex function",
        dict(boundary={"*": lambda t: 1j * t}),
        (
            "`boundary` on `x-`: the value of `u` has complex values where real ones are expected; return "
            "its real part, or declare the unknown as complex with `unknowns`."
        ),
    ),
    (
        "boundary number for system",
        SYSTEM | dict(boundary=0),
        (
            "`boundary` on `x-` was given as the single value 0, but there are the unknowns `u`, `v`; say "
            "which one: `{'u': value}`."
        ),
    ),
    (
        "boundary list of lists",
        dict(boundary=[["u = 0"]]),
        (
            "`boundary` on `x-` was given as ['u = 0']; expected text such as `u = 0`, a list of texts, a "
            "dictionary such as {'u': value or function}, or None."
        ),
    ),
    (
        "boundary list with None",
        dict(boundary=["u = 0", None]),
        "`boundary` on `x-` has None in its list of conditions; leave it out there: what is not named is free.",
    ),
    (
        "boundary empty list",
        dict(boundary=[]),
        (
            "`boundary` on `x-` was given as []; expected text such as `u = 0`, a list of texts, a "
            "dictionary such as {'u': value or function}, or None."
        ),
    ),
    (
        "boundary dict value",
        dict(boundary={"*": {"u": None}}),
        (
            "`boundary` on `x-`: the value of `u` was given as None of type NoneType; expected a text, a "
            "number or a NumPy function of the coordinates `x`, `t`."
        ),
    ),
    (
        "boundary dict nan",
        dict(boundary={"*": {"u": np.nan}}),
        "`boundary` on `x-`: the value of `u` is nan; it must be a finite number.",
    ),
    (
        "boundary bool",
        dict(boundary=True),
        (
            "`boundary` on `x-`: the value of `u` was given as True of type bool; expected a text, a "
            "number or a NumPy function of the coordinates `x`, `t`."
        ),
    ),
    (
        "boundary bytes",
        dict(boundary=b"u = 0"),
        (
            "`boundary` on `x-` was given as b'u = 0'; expected text such as `u = 0`, a list of texts, a "
            "dictionary such as {'u': value or function}, or None."
        ),
    ),
    (
        "boundary function argument",
        dict(boundary={"*": {"u": lambda s: s}}),
        (
            "`boundary` on `x-`: the value of `u` takes the argument `s`, which is not a coordinate; its "
            "arguments must be named after the coordinates `x`, `t`, or some of them."
        ),
    ),
    (
        "boundary function raises",
        dict(boundary={"*": {"u": broken_in_time}}),
        (
            "`boundary` on `x-`: the value of `u` raised ValueError when called with NumPy arrays for `t`: "
            "no table. It must work on whole arrays; use NumPy's functions in it."
        ),
    ),
    (
        "boundary non-finite",
        dict(boundary="u = 1/(t - 1)"),
        (
            "`boundary` on `x-`: a coefficient or source in it is not finite at x=-1, t=1; give data that "
            "are finite in the whole domain."
        ),
    ),
    (
        "boundary coefficient",
        dict(boundary="u_x/(t-t) = u"),
        "`boundary` on `x-` divides by zero; correct the denominator.",
    ),
    (
        "contradiction value",
        dict(check_corners=True, initial="cos(pi*x)"),
        (
            "`boundary` on `x-`, `x+` and `initial` contradict each other at x=-1, t=0, by 1 times their size; "
            "make them agree, or leave out `check_corners=True` if the jump is meant."
        ),
    ),
    (
        "contradiction neumann",
        dict(check_corners=True, boundary="u_x = 1", initial="0"),
        (
            "`boundary` on `x-`, `x+` and `initial` contradict each other at x=-1, t=0, by 1 times their size; "
            "make them agree, or leave out `check_corners=True` if the jump is meant."
        ),
    ),
    (
        "contradiction neumann n",
        dict(check_corners=True, boundary="u_n = 0", initial="sin(pi*x)"),
        (
            "`boundary` on `x-` and `initial` contradict each other at x=-1, t=0, by 1 times their size; "
            "make them agree, or leave out `check_corners=True` if the jump is meant."
        ),
    ),
    (
        "contradiction periodic",
        dict(check_corners=True, boundary="periodic", initial="x"),
        (
            "`boundary` (`x` periodic) and `initial` of `u` contradict each other at x=1, t=0, by 2 times "
            "their size; make them agree, or leave out `check_corners=True` if the jump is meant."
        ),
    ),
    (
        "contradiction periodic slope",
        dict(check_corners=True, boundary="periodic", initial="x**2"),
        (
            "`boundary` (`x` periodic) and `initial` of `u`, derivative 1, contradict each other at x=1, "
            "t=0, by 2 times their size; make them agree, or leave out `check_corners=True` if the jump is meant."
        ),
    ),
    (
        "contradiction function",
        dict(check_corners=True, initial=np.cos),
        (
            "`boundary` on `x-`, `x+` and `initial` contradict each other at x=-1, t=0, by 0.54 times their "
            "size; make them agree, or leave out `check_corners=True` if the jump is meant."
        ),
    ),
    (
        "contradiction velocity",
        WAVE | dict(check_corners=True, boundary="u_t = 1"),
        (
            "`boundary` on `x-`, `x+` and `initial` contradict each other at x=-1, t=0, by 1 times their size; "
            "make them agree, or leave out `check_corners=True` if the jump is meant."
        ),
    ),
    (
        "reference text",
        dict(reference=["sin(x)"]),
        (
            "`reference` was given as ['sin(x)']; expected a NumPy function of the coordinates by name, or a "
            "dictionary with one per unknown."
        ),
    ),
    (
        "reference argument",
        dict(reference=lambda y, t: y),
        (
            "`reference` takes the arguments (y, t); it is called with all coordinates by name, so give a "
            "function of `x`, `t`, such as `lambda x, t: ...`."
        ),
    ),
    (
        "reference without time",
        dict(reference={"u": lambda x: x}),
        (
            "`reference` takes the arguments (x); it is called with all coordinates by name, so give a "
            "function of `x`, `t`, such as `lambda x, t: ...`."
        ),
    ),
    (
        "reference without names",
        dict(reference=np.hypot),
        (
            "`reference` takes its arguments without names; it is called with all coordinates by name, so give a "
            "function of `x`, `t`, such as `lambda x, t: ...`."
        ),
    ),
    (
        "reference key",
        dict(reference={"v": np.sin}),
        "`reference` has an entry 'v', which is not an unknown; expected `u`.",
    ),
    (
        "reference single",
        SYSTEM | dict(reference=np.sin),
        (
            "`reference` is a single function, but there are the unknowns `u`, `v`; give a dictionary with "
            "one function per unknown."
        ),
    ),
    (
        "coefficient",
        dict(equation="u_t = u_xx/x"),
        (
            "The equation: a coefficient or source in it is not finite at x=0, t=0.1; give data that are "
            "finite in the whole domain."
        ),
    ),
    (
        "source",
        dict(equation="u_t = u_xx + log(x)"),
        (
            "The equation: a coefficient or source in it is not finite at x=-0.888889, t=0.1; give data "
            "that are finite in the whole domain."
        ),
    ),
    (
        "nonlinear coefficient",
        dict(equation="u_t = u_xx + u**2/x"),
        (
            "The equation: a coefficient or source in it is not finite at x=0, t=0.1; give data that are "
            "finite in the whole domain."
        ),
    ),
    (
        "an interval that vanishes within the time span",
        dict(
            domain=lambda: Region("x < 1 - 2*t", x=(0, 1)),
            time=(0, 1),
            initial="0",
            boundary="u = 0",
        ),
        "The domain Region(text='x < 1 - 2*t', x=(0, 1)) is empty at t = …",
    ),
]
