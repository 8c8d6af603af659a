# SPDX-License-Identifier: MIT
"""What `steady`, `modes`, `branch`, `until`, `find` and a steady solution say to whom they cannot help.

Each case is a call and the message a user sees (up to "…").
"""

import lrfm
from lrfm import Box, Problem

LINE = Box(x=(0, 1))


def resting(equation="u_xx + lam*exp(u) = 0", **given):
    given = {"domain": LINE, "boundary": "u = 0", "parameters": {"lam": 1.0}, **given}
    return Problem(equation, **given)


def moving(equation="u_t = u_xx", **given):
    given = {"domain": LINE, "time": (0, 0.1), "initial": "sin(pi*x)", "boundary": "u = 0", **given}
    return Problem(equation, **given)


def ordinary(equation="x_t = -x", **given):
    return Problem(equation, **{"time": (0, 1), "initial": 1, **given})


def string(equation="u_xx = -lam*u", **given):
    return Problem(equation, **{"domain": LINE, "boundary": "u = 0", **given})


def rested(problem, **given):
    return lrfm.steady(problem, tol=1e-4, **given)


CASES = [
    (
        "steady: as many rest states as starts",
        lambda: rested(
            ordinary(
                ["S_t = -0.5*S*I", "I_t = 0.5*S*I - 0.1*I", "R_t = 0.1*I"],
                initial={"S": 0.99, "I": 0.01, "R": 0},
            )
        ),
        "No steady state can be computed: No equation is left that determines `R`. What the start decides is where the evolution ends: "
        '`lrfm.solve(problem, until="steady")`.',
    ),
    (
        "steady: five axes",
        lambda: rested(
            Problem(
                "lap(u) = 1", domain=Box(x=(0, 1), y=(0, 1), z=(0, 1), v=(0, 1), w=(0, 1)), boundary="u = 0"
            )
        ),
        "No steady state can be computed: Steady states and modes are computed in one, two and three dimensions. In a box of more axes a steady state is where "
        'an evolution ends: write `u_t = ...` and solve it with `until="steady"`.',
    ),
    (
        "steady: data at the start",
        lambda: resting(initial="16*x*(1 - x)"),
        "`initial` is given, but nothing is differentiated in t. A steady problem has no `initial` and no `time`: leave it out, or say where Newton's "
        "method begins, `lrfm.steady(problem, guess=...)`. One that moves has a derivative such as `u_t`, and `time=(0, 0.1)`.",
    ),
    (
        "steady: an eigenvalue of a square in the place of a number",
        lambda: rested(resting("lap(u) + 2*pi**2*u = 1", domain=Box(x=(0, 1), y=(0, 1)), parameters={})),
        "Not converged: … The statement is linear and, to rounding, singular: there is no steady state, or there are many. …",
    ),
    (
        "steady: an eigenvalue",
        lambda: rested(string()),
        "The number `lam` is not given; give it, `parameters={'lam': 1}`, or look for the values at which there are solutions: `lrfm.modes(problem)`.",
    ),
    (
        "steady: numbers over nothing",
        lambda: rested(ordinary()).plot(),
        "A rest state of ordinary equations is a number for each unknown, with nothing to draw it over; print `solution()`, or draw how it depends on a parameter, "
        "`lrfm.branch(problem, ...).plot()`.",
    ),
    (
        "steady: values here and fluxes there on one side",
        lambda: rested(
            resting(
                "lap(u) = 1",
                domain=Box(x=(0, 1), y=(0, 1)),
                boundary={"y-": "where(x > 0.5, u, u_n) = 0", "*": "u = 0"},
                parameters={},
            )
        ),
        "No steady state can be computed: The condition on `y-` gives values at (0.5161, 0) and fluxes at (0, 0). Give each a part of its own: a `Polygon` may have a corner of 180 degrees "
        "where it changes, `lrfm.Polygon([(-1, 0), (0, 0), (1, 0), (0, 1)])`, and names its sides `side1`, `side2`, …",
    ),
    (
        "steady: a nonlinear statement that does not balance",
        lambda: rested(resting("(1 + u_x**2)*u_xx = 1", boundary="u_n = 0", parameters={})),
        "There is no steady state: `u` is determined up to a constant, and what is given does not balance. What a further constant source of its equation, over the domain, would have to be "
        "is -1 instead of zero. …",
    ),
    (
        "steady: a constant of one unknown that the equation of another one balances",
        lambda: rested(
            lrfm.Problem(
                ["u_xx + v = 1", "v_xx = 0"], domain=Box(x=(0, 1)), boundary={"*": ["u_n = 0", "v_n = 0"]}
            )
        ),
        "No steady state can be computed: the equations are singular, so that there is none, or there are many. …",
    ),
    (
        "steady: a source that depends on time",
        lambda: rested(moving("u_t = u_xx + sin(t)")),
        "The equation contains `t`, so that nothing rests; …",
    ),
    (
        "steady: nothing left",
        lambda: rested(moving("u_t = 0", boundary={"*": None})),
        "Nothing is left of the equation when its derivatives in time are zero.",
    ),
    (
        "steady: data that do not balance",
        lambda: rested(resting("u_xx = 1", boundary="u_n = 0", parameters={})),
        "There is no steady state: `u` is determined up to a constant, and what is given does not balance. The integral of its equation over the "
        "domain, with the fluxes at the boundary, is -1 instead of zero. …",
    ),
    (
        "steady: an eigenvalue in the place of a number",
        lambda: rested(resting("u_xx + pi**2*u = 1", parameters={})),
        "No steady state can be computed: The statement leaves 1 free constant: other functions than constants solve it with zero in the place of all "
        "that is given. …",
    ),
    (
        "steady: a guess for several unknowns",
        lambda: rested(
            resting(["u_xx = v", "v_xx = u"], boundary={"*": ["u = 1", "v = 0"]}, parameters={}), guess="x"
        ),
        "`guess` was given as the single value 'x', but there are the unknowns `u`, `v`; give a dictionary.",
    ),
    (
        "steady: a guess for an unknown that is none",
        lambda: rested(resting(), guess={"w": "x"}),
        "`guess` has an entry 'w', which is not an unknown; expected `u`.",
    ),
    (
        "steady: a guess that is no text",
        lambda: rested(resting(), guess="16*z"),
        "`guess` of `u`: the name `z` is not known. …",
    ),
    (
        "steady: a solution that moves as a guess",
        lambda: rested(resting(), guess=lrfm.solve(moving(), tol=1e-2)),
        "`guess` is a solution of other unknowns, or one that moves; give a steady one of these unknowns, or its values as functions.",
    ),
    (
        "steady: along no dictionary",
        lambda: rested(resting(), along="lam"),
        "`along` was given as 'lam'; expected a value to begin at for each name, such as `along={'eps': 1.0}`.",
    ),
    (
        "steady: along no parameter",
        lambda: rested(resting(), along={"mu": 0.0}),
        "`along` names 'mu', which is no number among the parameters.",
    ),
    (
        "steady: along from where there is nothing",
        lambda: rested(resting(), along={"lam": 30.0}),
        "There is no steady state at lam = 30 either; begin `along` elsewhere, or give a `guess`.",
    ),
    (
        "steady: equations of first order in the plane",
        lambda: rested(
            resting("u_x + u_y = 1", domain=Box(x=(0, 1), y=(0, 1)), boundary="u = 0", parameters={})
        ),
        "No steady state can be computed: The equation of `u` has no second derivatives of it; …",
    ),
    (
        "modes: no number",
        lambda: lrfm.modes(resting("u_xx = u", parameters={})),
        "There is no number `lam` in the statement; write the eigenvalue into it, such as `u_xx = -lam*u`, …",
    ),
    (
        "modes: not linear",
        lambda: lrfm.modes(string("u_xx = -lam*u**2")),
        "The statement is not linear in its unknowns; linearize it about a steady solution, as an evolution with `about=`.",
    ),
    (
        "modes: a source",
        lambda: lrfm.modes(string("u_xx = -lam*u + 1")),
        "Something is given that is not zero: a source, or data at the boundary. An eigenvalue problem has none; leave it out.",
    ),
    (
        "modes: an eigenvalue in an exponential",
        lambda: lrfm.modes(string("u_xx = -exp(lam)*u")),
        "The eigenvalue occurs in another way than as a polynomial of degree two at most; introduce another number for its function.",
    ),
    (
        "modes: a state for a statement that rests",
        lambda: lrfm.modes(string(), about=rested(resting())),
        "`about` belongs to an evolution; a steady statement with an eigenvalue in it is linear by itself.",
    ),
    (
        "modes: a state of nothing",
        lambda: lrfm.modes(moving(), about="0"),
        "`about` must be a steady solution of the same unknowns, as `lrfm.steady(problem)` gives it.",
    ),
    (
        "modes: more than ordinary equations have",
        lambda: lrfm.modes(ordinary(), k=6),
        "The statement has 1 eigenvalue, and not k=6: ordinary equations have one for each derivative in time, and where the number stands in conditions alone there are as many "
        "as these hold.",
    ),
    ("modes: none", lambda: lrfm.modes(string(), k=0), "`k=0` must be a whole number from 1 to …"),
    ("modes: near no number", lambda: lrfm.modes(string(), near="ten"), "`near='ten'` must be a number."),
    (
        "branch: no parameter",
        lambda: lrfm.branch(resting(), "mu", (0, 1)),
        "`mu` is no number among the parameters of the problem, along which a branch could be followed.",
    ),
    (
        "branch: no range",
        lambda: lrfm.branch(resting(), "lam", (1, 1)),
        "The range was given as (1, 1); expected two different numbers, such as (0, 4).",
    ),
    (
        "branch: nothing at its beginning",
        lambda: lrfm.branch(resting(), "lam", (30, 40)),
        "No branch can be followed: There is no steady state near the guess at its beginning, 30.",
    ),
    (
        "until: no relation",
        lambda: lrfm.solve(moving(), until="max(u)"),
        "The event `max(u)` is no relation of two sides; write one such as `max(u) < 0.1` or `u(x=1) = 0.5`.",
    ),
    (
        "until: a function of space",
        lambda: lrfm.solve(moving(), until="u < 0.1"),
        "`u` is a function of space, and no number at a time; write `max(u)`, `mean(u)`, or `u(x=...)`.",
    ),
    (
        "until: half of a place",
        lambda: lrfm.solve(
            moving("u_t = lap(u)", domain=Box(x=(0, 1), y=(0, 1)), initial="0"), until="u(x=0.5) < 0.1"
        ),
        "`u(x=0.5)` names `x`; a place has all of `x`, `y`.",
    ),
    (
        "until: the largest of a number",
        lambda: lrfm.solve(ordinary(), until="y < 0.1"),
        "The event: the name `y` is not known. Constants and given functions go into `parameters`; known are `t`, `x`, `pi`.",
    ),
    (
        "until: over space, without one",
        lambda: lrfm.solve(ordinary(), until="max(x) < 0.1"),
        "`max(x)` is taken over space, and ordinary equations have none; write `x` alone.",
    ),
    (
        "until: a place outside",
        lambda: lrfm.solve(moving(), until="u(x=2) < 0.1"),
        "`u(x=2)` looks at x = 2, outside of the domain, where x is from 0 to 1.",
    ),
    (
        "until: of what rests",
        lambda: lrfm.solve(resting(), until="max(u) < 0.1"),
        "`until='max(u) < 0.1'` ends a solve in time, and the statement is steady; leave it out, or give `time` and `initial`.",
    ),
    (
        "until: no text",
        lambda: lrfm.solve(moving(), until=3),
        "`until` was given as 3; expected a text such as `max(u) < 0.1`, `u(x=1) = 0.5` or `steady`.",
    ),
    (
        "find: in what rests",
        lambda: lrfm.find(rested(resting()), "max(u) = 0.1"),
        "A steady solution has no times at which something could happen.",
    ),
    (
        "find: when it rests",
        lambda: lrfm.find(lrfm.solve(moving(), tol=1e-2), "steady"),
        "`steady` is an event that ends a solve, `lrfm.solve(problem, until='steady')`; afterwards ask for a rate, such as `max(abs(u_t)) < 1e-6`.",
    ),
    (
        "a delay in a residual",
        lambda: lrfm.solve(ordinary("x_t = -x(t - 1)"), tol=1e-4).residual(t=0.5),
        "Equations with delays are integrated forward by `lrfm.solve` alone: fits, modes, sensitivities, residuals and other engines do not know their past.",
    ),
    (
        "a fit with a delay",
        lambda: lrfm.fit(
            ordinary("x_t = -k*x(t - 1)", parameters={"k": lrfm.Unknown(1.0)}),
            lrfm.Data(t=[0.1, 0.2, 0.5], x=[1, 0.9, 0.8], sigma=0.1),
        ),
        "Equations with delays are integrated forward by `lrfm.solve` alone: fits, modes, sensitivities, residuals and other engines do not know their past.",
    ),
    (
        "a kernel that is no exponential by a number in it",
        lambda: lrfm.solve(
            ordinary("x_t = -integral(exp(-k*(t - s)**2)*x(s), s)", parameters={"k": 1.0}), tol=1e-3
        ).sensitivity("k"),
        "The equation: the kernel of `exp(-k * (t - s) ** 2) * x(s)` is carried along as a sum of polynomials, which are not differentiated by `k`; …",
    ),
    (
        "a movie of what rests",
        lambda: rested(resting()).animate("still.gif"),
        "A steady solution has no times through which a movie could run; draw it: `solution.plot(path)`.",
    ),
    (
        "time constants of what rests",
        lambda: rested(resting()).time_constants(),
        "A steady solution has no time constants; those of what moves near it are its growth rates: `lrfm.modes(problem, about=solution)` of the "
        "evolution.",
    ),
    (
        "what rests at a time",
        lambda: rested(resting())(x=0.5, t=0.0),
        "`t` is no coordinate; evaluate with all of `x` by name, such as x=0.3.",
    ),
    (
        "more eigenvalues than there are",
        lambda: lrfm.modes(string("u_xx = u", boundary="u_n = lam*u"), k=3),
        "The statement has 2 eigenvalues, and not k=3: ordinary equations have one for each derivative in time, and where the number stands in conditions alone there are as many as these hold.",
    ),
    (
        "modes of an integral",
        lambda: string("lam*u = integral(min(x, y)*u(y), y)", boundary={"*": "none"}),
        "The eigenvalue stands before `u` with no derivative of it elsewhere, beside integrals: modes of integrals are not computed. …",
    ),
    (
        "an integral equation of the first kind",
        lambda: resting(
            "integral(exp(x*y)*u(y), y) = 1", boundary={"*": "none"}, parameters={}, unknowns={"u": float}
        ),
        "The unknown `u` stands inside of integrals or means alone, as in an equation of the first kind, whose solution is not continuous in what is …",
    ),
]
