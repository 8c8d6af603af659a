# SPDX-License-Identifier: MIT
"""What is said about unknowns, parameters, axes and times that cannot be meant.

Each case changes one good statement and gives the message a user sees (up to "…").
"""

import numpy as np

from lrfm import Box

CASES = [
    (
        "no unknown",
        dict(equation="x = 1"),
        (
            "The equation contains no unknown: nothing is differentiated or declared; expected an "
            "evolution equation such as `u_t = u_xx`."
        ),
    ),
    (
        "cancel",
        dict(equation="u_t - u_t = 0"),
        "The equation contains no unknown: nothing is left to solve for. Check its two sides.",
    ),
    (
        "cancel in system",
        dict(equation=["u_t - u_t = u_xx - u_xx", "v_t = v_xx"], initial={"u": "0", "v": "0"}),
        "Equation 1 contains no unknown: nothing is left to solve for. Check its two sides.",
    ),
    (
        "cancel one",
        dict(equation=["u_t = u_xx + v - v", "u = u_x"], initial={"u": "0"}),
        "The unknown `v` cancels out of the equations; check their two sides.",
    ),
    (
        "cancel hidden",
        dict(equation="k*(u_t + 1) - k*u_t = 0", parameters={"k": lambda x: x}),
        "The equation contains no unknown: nothing is left to solve for. Check its two sides.",
    ),
    (
        "no time derivative",
        dict(equation="u_xx = sin(x)"),
        (
            "No time derivative of `u` occurs in the equations, such as `u_t` or `u_tt`; a steady problem is stated without `time` and "
            "`initial`, and solved by `lrfm.steady(problem)`."
        ),
    ),
    (
        "too few equations",
        dict(equation="u_t = v_xx"),
        (
            "There is 1 equation for 2 unknowns, `u`, `v`; both numbers must agree. Add or remove an "
            "equation; a name that is given, not unknown, belongs in `parameters`."
        ),
    ),
    (
        "too many equations",
        dict(equation=["u_t = u_xx", "u_x = 0"]),
        (
            "There are 2 equations for 1 unknown, `u`; both numbers must agree. Add or remove an equation; "
            "a name that is given, not unknown, belongs in `parameters`."
        ),
    ),
    (
        "real equation of complex unknown",
        dict(equation="re(psi_t) = re(psi_xx)", unknowns={"psi": complex}, boundary="periodic"),
        (
            "The equations come to 1 real equation for 2 real fields (a complex unknown and a complex "
            "equation count twice); both numbers must agree."
        ),
    ),
    (
        "complex literal",
        dict(equation="1j*u_t = u_xx"),
        "The equation is complex, but `u` is real; declare it with `unknowns={'u': complex}`.",
    ),
    (
        "complex source",
        dict(equation="u_t = u_xx + 1j"),
        "The equation is complex, but `u` is real; declare it with `unknowns={'u': complex}`.",
    ),
    (
        "complex parameter",
        dict(equation="u_t = c*u_xx", parameters={"c": 1j}),
        "The equation is complex, but `u` is real; declare it with `unknowns={'u': complex}`.",
    ),
    (
        "complex part without unknown",
        dict(equation="1j*im(psi_t) = 1j*re(psi) + 1", unknowns={"psi": complex}, boundary="periodic"),
        (
            "The equation contains no unknown in its real part, which is not zero and so can never hold; "
            "check its two sides."
        ),
    ),
    (
        "unknowns list",
        dict(unknowns=["u"]),
        "`unknowns` was given as ['u']; expected a dictionary such as {'psi': complex}.",
    ),
    (
        "unknowns kind",
        dict(unknowns={"u": "komplex"}),
        "The unknown `u` was declared as 'komplex'; expected `float` or `complex`: `unknowns={'u': complex}`, …",
    ),
    (
        "unknowns kind int",
        dict(unknowns={"u": int}),
        (
            "The unknown `u` was declared as <class 'int'>; expected `float` or `complex`: "
            "`unknowns={'u': complex}`, or the coordinates it is a function of, such as `t` (among `x`, `t`; time is one of them always)."
        ),
    ),
    (
        "unknowns not there",
        dict(unknowns={"v": complex}),
        (
            "The unknown `v` is declared in `unknowns`, but does not occur in the equations; correct its "
            "name or remove it."
        ),
    ),
    (
        "unknowns name",
        dict(unknowns={"2u": complex}),
        (
            "An unknown has the name '2u'; expected an identifier (letters, digits and `_`, not starting "
            "with a digit) such as `psi`."
        ),
    ),
    (
        "unknowns taken",
        dict(unknowns={"x": complex}),
        "An unknown has the name `x`, which stands for a coordinate; choose another one.",
    ),
    (
        "unknown called sin",
        dict(equation="sin_t = sin_xx"),
        "An unknown has the name `sin`, which stands for a function; choose another one.",
    ),
    (
        "unknown and derivative",
        dict(equation=["u_t = u_x", "u_x = u"], unknowns={"u_x": float}, initial={"u": "0"}),
        "The unknown `u_x` has the name of a derivative of the unknown `u`; choose another name.",
    ),
    (
        "parameters list",
        dict(parameters=["eps"]),
        "`parameters` was given as ['eps']; expected a dictionary such as {'eps': 1e-4}.",
    ),
    (
        "parameter name",
        dict(parameters={"2k": 1}),
        (
            "A parameter has the name '2k'; expected an identifier (letters, digits and `_`, not starting "
            "with a digit) such as `eps`."
        ),
    ),
    (
        "parameter lambda",
        dict(parameters={"lambda": 1}),
        (
            "A parameter has the name `lambda`, which is a Python keyword and cannot be used in a formula; "
            "rename it, for example to `lam`."
        ),
    ),
    (
        "parameter x",
        dict(parameters={"x": 1}),
        "A parameter has the name `x`, which stands for a coordinate; choose another one.",
    ),
    (
        "parameter t",
        dict(parameters={"t": 1}),
        "A parameter has the name `t`, which stands for time; choose another one.",
    ),
    (
        "parameter sin",
        dict(parameters={"sin": 1}),
        "A parameter has the name `sin`, which stands for a function; choose another one.",
    ),
    (
        "parameter derivative",
        dict(parameters={"u_x": 1}),
        "The parameter `u_x` has the name of a derivative of the unknown `u`; choose another name.",
    ),
    (
        "parameter unknown",
        dict(parameters={"u": 1}),
        (
            "The equation: `u_t` reads as a derivative of `u`, but `u` is a parameter; only unknowns are "
            "differentiated by subscripts. If `u_t` is given, put it into `parameters` under this name."
        ),
    ),
    (
        "derivative of parameter",
        dict(equation="u_t = k_x*u_xx", parameters={"k": lambda x: x}),
        (
            "The equation: `k_x` reads as a derivative of `k`, but `k` is a parameter; only unknowns are "
            "differentiated by subscripts. If `k_x` is given, put it into `parameters` under this name."
        ),
    ),
    (
        "parameter text",
        dict(equation="u_t = k*u_xx", parameters={"k": "1 + y"}),
        (
            "The parameter `k`: the name `y` is not known. Constants and given functions go into `parameters`; known are "
            "`x`, `t`, `pi`. What depends on an unknown is written into the equation as a formula."
        ),
    ),
    (
        "parameter bool",
        dict(equation="u_t = k*u_xx", parameters={"k": True}),
        (
            "The parameter `k` was given as True of type bool; expected a text, a number or a NumPy function of "
            "the coordinates `x`, `t`."
        ),
    ),
    (
        "parameter array",
        dict(equation="u_t = k*u_xx", parameters={"k": np.ones(3)}),
        (
            "The parameter `k` was given as array([1., 1., 1.]) of type ndarray; expected a text, a number or a "
            "NumPy function of the coordinates `x`, `t`. An array needs its places: `lrfm.Table(values, "
            "x=places)`."
        ),
    ),
    (
        "parameter nan",
        dict(equation="u_t = k*u_xx", parameters={"k": float("nan")}),
        "The parameter `k` is nan; it must be a finite number.",
    ),
    (
        "parameter huge",
        dict(equation="u_t = k*u_xx", parameters={"k": 10**400}),
        (
            "The parameter `k` is 100000000000000000000000000000000000000000000000000000000...; it must be "
            "a finite number."
        ),
    ),
    (
        "parameter function argument",
        dict(equation="u_t = k*u_xx", parameters={"k": lambda z: z}),
        (
            "The parameter `k` takes the argument `z`, which is not a coordinate; its arguments must be named "
            "after the coordinates `x`, `t`, or some of them. What depends on an unknown is written into the equation as a formula."
        ),
    ),
    (
        "parameter function nonfinite",
        dict(equation="u_t = k*u_xx", parameters={"k": lambda x: 1 / x}),
        "The parameter `k` is not finite at x=0, t=0.1; it must be finite in the whole domain.",
    ),
    (
        "parameter function text",
        dict(equation="u_t = k*u_xx", parameters={"k": lambda x: "a"}),
        "The parameter `k` returned values of type <U1; expected real or complex numbers.",
    ),
    (
        "domain by a dictionary",
        dict(domain={"x": (0, 1), "y": (0, 2)}),
        "`domain` was given as {'x': (0, 1), 'y': (0, 2)}; expected a box such as `lrfm.Box(x=(0, 1), y=(0, 2))`, or another shape such as `lrfm.Disk()`.",
    ),
    (
        "domain",
        dict(domain=(0, 1)),
        "`domain` was given as (0, 1); expected a box such as `lrfm.Box(x=(0, 1))`, or another shape such as `lrfm.Disk()`.",
    ),
    (
        "box empty",
        dict(domain=lambda: Box()),
        "`Box()` has no axes; name at least one, for example `Box(x=(-1, 1))`.",
    ),
    (
        "box reserved t",
        dict(domain=lambda: Box(t=(0, 1))),
        "An axis has the name `t`, which stands for time; choose another one.",
    ),
    (
        "box reserved n",
        dict(domain=lambda: Box(n=(0, 1))),
        "An axis has the name `n`, which stands for the outward normal of a face; choose another one.",
    ),
    (
        "box reserved function",
        dict(domain=lambda: Box(sin=(0, 1))),
        "An axis has the name `sin`, which stands for a function; choose another one.",
    ),
    (
        "box underscore",
        dict(domain=lambda: Box(x_1=(0, 1))),
        "An axis has the name `x_1`, but an underscore marks derivatives; use letters and digits only.",
    ),
    (
        "box keyword",
        dict(domain=lambda: Box(**{"in": (0, 1)})),
        (
            "An axis has the name `in`, which is a Python keyword and cannot be used in a formula; rename "
            "it, for example to `in1`."
        ),
    ),
    (
        "box identifier",
        dict(domain=lambda: Box(**{"x y": (0, 1)})),
        (
            "An axis has the name 'x y'; expected an identifier (letters, digits and `_`, not starting "
            "with a digit) such as `x`."
        ),
    ),
    (
        "box ambiguous",
        dict(domain=lambda: Box(x=(0, 1), xx=(0, 1))),
        (
            "The axes `x`, `xx` make the derivative `u_xx` readable in two ways (`t` is time, `n` the "
            "normal of a face); rename an axis."
        ),
    ),
    (
        "box ambiguous t",
        dict(domain=lambda: Box(x=(0, 1), xt=(0, 1))),
        (
            "The axes `x`, `xt` make the derivative `u_xt` readable in two ways (`t` is time, `n` the "
            "normal of a face); rename an axis."
        ),
    ),
    (
        "box order",
        dict(domain=lambda: Box(x=(1, 0))),
        "The axis `x` runs from 1 to 0; the lower end must come first and be smaller.",
    ),
    (
        "box infinite",
        dict(domain=lambda: Box(x=(0, np.inf))),
        "The axis `x` runs from 0 to inf; both ends must be finite real numbers.",
    ),
    (
        "box one",
        dict(domain=lambda: Box(x=3)),
        "The axis `x` was given as 3; expected two numbers (lower, upper), such as (0, 1). From zero on: (0, 3).",
    ),
    (
        "box text",
        dict(domain=lambda: Box(x="01")),
        "The axis `x` was given as '01'; expected two numbers (lower, upper), such as (0, 1).",
    ),
    (
        "time number",
        dict(time=1),
        "`time` was given as 1; expected two numbers (lower, upper), such as (0, 1). From zero on: (0, 1).",
    ),
    (
        "time order",
        dict(time=(1, 1)),
        "`time` runs from 1 to 1; the lower end must come first and be smaller.",
    ),
    (
        "time nan",
        dict(time=(0, float("nan"))),
        "`time` runs from 0 to nan; both ends must be finite real numbers.",
    ),
]
