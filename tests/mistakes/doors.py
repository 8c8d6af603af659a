# SPDX-License-Identifier: MIT
"""Mistakes at the doors: calls on a solution, files, command lines, requests of the studio; each with a part of the sentence that answers it."""

import numpy as np

import lrfm

HEAT = """
equation = "u_t = k*u_xx"
time = [0, 0.1]
initial = "sin(pi*x)"
boundary = "u = 0"
domain = { x = [0, 1] }
parameters = { k = 1 }
"""

# Calls on `s`, the solution of HEAT, and on `heat`, its problem.
CALLS = [
    (lambda s, heat: s(x=0.5), "`t` is missing; evaluate with all of `x`, `t` by name"),
    (lambda s, heat: s(X=0.5, t=0.1), "Did you mean `x`?"),
    (lambda s, heat: s(x="half", t=0.1), "The coordinate `x` was given as 'half'; expected a number or an array"),
    (lambda s, heat: s(x=None, t=0.1), "The coordinate `x` was given as None; expected finite numbers"),
    (lambda s, heat: s(x=[0.1, np.nan], t=0.1), "an array with nan in it; expected finite numbers. Leave such"),
    (lambda s, heat: s(x=np.ones(5), t=np.ones(3)), "have shapes that do not go together: x (5,), t (3,)"),
    (lambda s, heat: s(x=0.5, t=1.0), "t=1 lies outside of [0, 0.1]"),
    (lambda s, heat: s["w"], "`w` is no unknown; there are `u`"),
    (lambda s, heat: s.derivative("u_y"), "such as `u_xt`"),
    (lambda s, heat: s.integral("u", over="y"), "`y` is no coordinate; there are `x`, `t`"),
    (lambda s, heat: s.integral("u^2"), "write powers with `**`"),
    (lambda s, heat: s.flux("right"), "`right` is no face; there are `x-`, `x+`"),
    (lambda s, heat: s.where("u > 0.5"), "an equation has one plain `=`"),
    (lambda s, heat: s.plot("field.xyz"), "ends in '.xyz'. Use one of: .png, .pdf, .svg"),
    (lambda s, heat: s.plot("/nowhere/field.png"), "lies in a folder that does not exist"),
    (lambda s, heat: s.plot(times=[5]), "the solution lives on [0, 0.1]"),
    (lambda s, heat: s.animate("heat.png"), "Use one of: .gif, .mp4"),
    (lambda s, heat: s.export("heat.mat"), "ends in '.mat'. Use one of: .nc, .csv"),
    (lambda s, heat: s.export("heat.csv", resolution=0), "must be a number of points of at least 2"),
    (lambda s, heat: s.sensitivity("D"), "`D` is no parameter of this problem; there are `k`"),
    (lambda s, heat: lrfm.Solve, "Did you mean `solve`?"),
    (lambda s, heat: lrfm.solve("u_t = u_xx"), "was given a str; expected a `lrfm.Problem`"),
    (lambda s, heat: lrfm.solve(heat, method=lrfm.Lines), "is a class; write `method=lrfm.Lines()`"),
    (lambda s, heat: lrfm.solve(heat, until="max(u)"), "write one such as `max(u) < 0.1`"),
    (lambda s, heat: lrfm.fit(heat, lrfm.Data(x=[0.5], t=[0.05], u=[0.5])), "write `lrfm.Unknown(start)`"),
    (lambda s, heat: lrfm.sweep(heat, grid={"parameters.D": [1]}), "the problem has no such parameter; it has `k`"),
    (lambda s, heat: lrfm.family(heat), "write `lrfm.Range(lower, upper)`"),
    (lambda s, heat: heat.replace(coordinates="polar"), "It belongs to the domain"),
]  # fmt: skip

# A file in which one line is replaced, or to which one is added.
FILES = [
    ("time", 'time = "0 to 1"', "expected two numbers [lower, upper]"),
    ("time", "time = 1", "From zero on: [0, 1]"),
    ("domain", "domain = { x = [0, 1, 2] }", "No steps or grids are chosen here: [0, 2]"),
    ("domain", 'domain = { shape = "Circle", radius = 1 }', "Write `Disk`"),
    ("domain", 'domain = { shape = "Disk", r = 1 }', "write `radius=1`"),
    ("boundary", 'boundary = { left = "u = 0" }', "write `x-`"),
    ("parameters", "parameters = { k = [1, 2] }", 'Values at places are a table: `{ file = "values.csv" }`'),
    ("parameters", "parameters = { k = true }", "of type bool; expected text or a number"),
    ("initial", 'initial = { file = "nowhere.csv" }', "is no file; check the name and the folder"),
    ("", "[unknown]\nk = 3", "`k` stands in [parameters] and in [unknown]"),
    ("", "[solve]\ntolerance = 1e-6", "Did you mean `tol`?"),
    ("", '[solve]\ntol = "1e-6"', "expected a number between 0 and 1"),
    ("", "[solve]\nuntil = 3", 'expected a relation as text, such as "max(u) < 0.1"'),
    ("", "[boundry]\nx = 1", "Did you mean `boundary`?"),
    ("", 'until = "max(u) < 0.1"', "write it below [solve], or `--until`"),
]

# Command lines with heat.toml beside them.
COMMANDS = [
    (["solve", "heta.toml"], "Did you mean `heat.toml`?"),
    (["slove", "heat.toml"], "Did you mean 'solve'?"),
    (["solve", "heat.toml", "--tol", "5"], "expected a number between 0 and 1, such as 1e-8"),
    (["solve", "heat.toml", "--max-seconds", "-3"], "--max-seconds is -3.0; expected a positive number of seconds"),
    (["solve", "heat.toml", "--set", "k=2"], "`k=2` names a parameter; write `parameters.k=2`"),
    (["solve", "heat.toml", "--set", "parameters.k"], "write NAME=VALUE"),
    (["solve", "heat.toml", "--plot", "field.xyz"], "must end in one of `.png`, `.pdf`, `.svg`"),
    (["solve", "heat.toml", "--until", "max(w) < 1"], "the name `w` is not known"),
    (["eval", "heat.toml", "--at", "x=1,t=0"], "is a statement; solve it first: lrfm solve"),
    (["sweep", "heat.toml", "--grid", "k=1,2"], "Did you mean `parameters.k`?"),
    (["sweep", "heat.toml", "--grid", "parameters.k=1:2"], "a range such as 1e-4:1e-1:7"),
    (["fit", "heat.toml", "--data", "nowhere.csv"], "is no file; check the name and the folder"),
    (["fit", "heat.toml", "--data", "data.csv"], "a section [unknown] with a line such as `k = 1.0`"),
    (["steady", "heat.toml", "--guess", "w=1"], "`w` is no unknown; there are `u`"),
    (["demo", "heat1d"], "Did you mean `heat-1d`?"),
]  # fmt: skip

# Fields of the studio.
FIELDS = [
    ("domain", "from 0 to 1", "write an axis as x in [-1, 1]"),
    ("domain", "Circle(radius=1)", "Write `Disk`"),
    ("domain", "x in [1, 0]", "the lower end must come first"),
    ("time", "until 1", "Two numbers are expected, such as 0, 1; given is 'until 1'"),
    ("time", "0, -1", "the lower end must come first"),
    ("parameters", "k 1", "write eps = 1e-3, one per line"),
    ("parameters", "k = 1 in [10, 0.1]", "runs from 10 to 0.1; the smaller number comes first"),
    ("parameters", "k = 20 in [0.1, 10]", "lies outside of [0.1, 10]"),
    ("parameters", "k = one", "the name `one` is not known"),
    ("boundary", "left: u = 0", "write `x-`"),
    ("boundary", "zero", "write the condition itself: `u = 0`"),
    ("equation", "", "Write an equation, such as u_t = u_xx"),
]
