# SPDX-License-Identifier: MIT
"""What is said about text that cannot be read as an equation.

Each case changes one good statement and gives the message a user sees (up to "…").
"""

CASES = [
    (
        "imaginary unit",
        dict(equation="u_t = i*u_xx"),
        (
            "The equation: the name `i` is not known. Write `1j` for the imaginary unit. Constants and given functions go into `parameters`; known are `x`, `t`, `u`, `pi`."
        ),
    ),
    (
        "imaginary unit large",
        dict(equation="I*u_t = u_xx"),
        (
            "The equation: the name `I` is not known. Write `1j` for the imaginary unit. Constants and given functions go into `parameters`; known are `x`, `t`, `u`, `pi`."
        ),
    ),
    (
        "imaginary unit in data",
        dict(initial="exp(i*x)"),
        (
            "`initial` of `u`: the name `i` is not known. Write `1j` for the imaginary unit. Constants and given functions go into `parameters`; known are `x`, `t`, `pi`."
        ),
    ),
    (
        "euler",
        dict(equation="u_t = u_xx + e**x"),
        (
            "The equation: the name `e` is not known. If Euler's number is meant, write `exp(1)`, and `exp(x)` for its powers. Constants and given functions go into `parameters`; known are `x`, `t`, `u`, `pi`."
        ),
    ),
    (
        "glued subscript",
        dict(equation="u_t = uxx"),
        (
            "The equation: the name `uxx` is not known. Write `u_xx` for the derivative. Constants and given functions go into `parameters`; known are `x`, `t`, `u`, `pi`."
        ),
    ),
    (
        "glued subscripts only",
        dict(equation="ut = uxx"),
        (
            "The equation: the name `ut` is not known. Write `u_t` for the derivative. Constants and given functions go into `parameters`; known are `x`, `t`, `pi`."
        ),
    ),
    (
        "glued normal derivative",
        dict(boundary="un = 0"),
        (
            "`boundary` on `x-`: the name `un` is not known. Write `u_n` for the derivative. Constants and given functions go into `parameters`; known are `x`, `t`, `u`, `pi`."
        ),
    ),
    (
        "leibniz",
        dict(equation="du/dt = u_xx"),
        (
            "The equation, `du/dt = u_xx`, writes derivatives as quotients; write them as subscripts: `u_t = u_xx`."
        ),
    ),
    (
        "leibniz second",
        dict(equation="u_t = d2u/dx2"),
        (
            "The equation, `u_t = d2u/dx2`, writes derivatives as quotients; write them as subscripts: `u_t = u_xx`."
        ),
    ),
    (
        "product in data",
        dict(initial="sin(kx)"),
        (
            "`initial` of `u`: the name `kx` is not known. Did you mean `x`? Constants and given functions go into `parameters`; known are `x`, `t`, `pi`."
        ),
    ),
    (
        "diff counted",
        dict(equation="u_t = diff(u, x, 2)"),
        "The equation: `diff` was given the number 2; repeat the coordinate instead: `diff(u, x, x)`, or `u_xx`.",
    ),
    (
        "diff counted formula",
        dict(equation="u_t = diff(u**2, x, 3)"),
        "The equation: `diff` was given the number 3; repeat the coordinate instead: `diff(..., x, x, x)`.",
    ),
    (
        "prime",
        dict(equation="u_t = u''"),
        (
            "The equation, `u''`, contains the character `'`; write derivatives as subscripts, `u_xx` for `u''`."
        ),
    ),
    (
        "imaginary number",
        dict(equation="u_t = 2i*u"),
        ("The equation, `2i*u`, lacks a sign between `2` and `i`; write `2j` for an imaginary number."),
    ),
    (
        "function with its argument",
        dict(equation="u_t = u_xx + f(x, t)"),
        (
            "The equation: the function `f` is not known. If it is given, put it into "
            "`parameters` and write `f`, without `(x, t)`."
        ),
    ),
    (
        "unknown with its arguments",
        dict(equation="u_t(x, t) = u_xx"),
        "The equation: `u_t(x, t)` writes the coordinates after an unknown; write only `u_t`.",
    ),
    (
        "unknown name",
        dict(equation="u_t = k*u_xx"),
        (
            "The equation: the name `k` is not known. Constants and given functions go into `parameters`; known are `x`, `t`, `u`, `pi`."
        ),
    ),
    (
        "unknown name similar",
        dict(equation="u_t = epx*u_xx", parameters={"eps": 1}),
        (
            "The equation: the name `epx` is not known. Did you mean `eps`? Constants and given functions go into `parameters`; known are `x`, `t`, `eps`, `u`, `pi`."
        ),
    ),
    (
        "pi greek",
        dict(equation="u_t = π*u_xx"),
        (
            "The equation: the name `π` is not known. Write `pi`. Constants and given functions go into `parameters`; known are `x`, `t`, `u`, `pi`."
        ),
    ),
    (
        "unknown function",
        dict(equation="u_t = u_xx + sn(u)"),
        (
            "The equation: the function `sn` is not known. Did you mean `sin`? A given function goes into `parameters` and is written without brackets; known are `sin`, `cos`, `tan`, `sinh`, `cosh`, `tanh`, `sech`, `exp`, `log`, `sqrt`, `abs`, `conj`, `re`, `im`, `asin`, `acos`, `atan`, `asinh`, `acosh`, `atanh`, `erf`, `sign`, `lap`, `diff`, `grad`, `div`, `curl`, `dot`, `mean`, `integral`, `at`, `where`, `heaviside`, `min`, `max`."
        ),
    ),
    (
        "synonym",
        dict(equation="u_t = ln(u)"),
        (
            "The equation: the function `ln` is not known. Did you mean `log`? A given function goes into `parameters` and is written without brackets; known are `sin`, `cos`, `tan`, `sinh`, `cosh`, `tanh`, `sech`, `exp`, `log`, `sqrt`, `abs`, `conj`, `re`, `im`, `asin`, `acos`, `atan`, `asinh`, `acosh`, `atanh`, `erf`, `sign`, `lap`, `diff`, `grad`, `div`, `curl`, `dot`, `mean`, `integral`, `at`, `where`, `heaviside`, `min`, `max`."
        ),
    ),
    (
        "function without argument",
        dict(equation="u_t = sin*u"),
        "The equation: `sin` is a function; give it an argument: `sin(...)`.",
    ),
    (
        "function two arguments",
        dict(equation="u_t = sin(u, x)"),
        "The equation: `sin` takes 1 argument and was given 2; write `sin(...)` with one formula.",
    ),
    (
        "function keyword args",
        dict(equation="u_t = sin(*u)"),
        "The equation: `sin` takes plain arguments only, without `*`.",
    ),
    (
        "wrong subscript",
        dict(equation="u_t = u_zz"),
        (
            "The equation: `u_zz` differentiates `u` by `zz`, which is not made of coordinates; write "
            "`u_x`, `u_t` or combinations of these."
        ),
    ),
    (
        "normal derivative",
        dict(equation="u_t = u_n"),
        (
            "The equation: `u_n` is a normal derivative, which exists in `boundary` only; name the "
            "coordinate instead: `u_x`, `u_t`."
        ),
    ),
    (
        "subscript of coordinate",
        dict(equation="u_t = x_x*u"),
        (
            "The equation: `x_x` reads as a derivative of `x`, but `x` is a coordinate; only unknowns are "
            "differentiated by subscripts. If `x_x` is given, put it into `parameters` under this name."
        ),
    ),
    (
        "no equals",
        dict(equation="u_t - u_xx"),
        "The equation, `u_t - u_xx`, has no `=`; write `u_t - u_xx = 0`.",
    ),
    (
        "two equals",
        dict(equation="u_t = u_xx = 0"),
        "The equation, `u_t = u_xx = 0`, has 2 signs `=`; expected `lhs = rhs`, such as `u_t = u_xx`.",
    ),
    (
        "double equals",
        dict(equation="u_t == u_xx"),
        ("The equation, `u_t == u_xx`, contains `==`; an equation has one plain `=`, such as `u_t = u_xx`."),
    ),
    (
        "inequality",
        dict(equation="u_t <= u_xx"),
        ("The equation, `u_t <= u_xx`, contains `<=`; an equation has one plain `=`, such as `u_t = u_xx`."),
    ),
    (
        "walrus",
        dict(equation="u_t := u_xx"),
        ("The equation, `u_t := u_xx`, contains `:=`; an equation has one plain `=`, such as `u_t = u_xx`."),
    ),
    (
        "empty lhs",
        dict(equation=" = u_xx"),
        ("The equation, `= u_xx`, has nothing on its left side; expected `lhs = rhs`, such as `u_t = u_xx`."),
    ),
    (
        "empty rhs",
        dict(equation="u_t = "),
        ("The equation, `u_t =`, has nothing on its right side; expected `lhs = rhs`, such as `u_t = u_xx`."),
    ),
    (
        "caret",
        dict(equation="u_t = u_xx - u^3"),
        "The equation, `u_xx - u^3`, contains the character `^`; write powers with `**`.",
    ),
    (
        "LaTeX",
        dict(equation=r"\partial_t u = u_xx"),
        (
            r"The equation, `\partial_t u`, contains the character `\`; this is LaTeX; write it plainly: `u_t` for `\partial_t u`, `nu` for "
            r"`\nu`, `a/b` for `\frac{a}{b}`."
        ),
    ),
    (
        "implicit product number",
        dict(equation="u_t = 2u_xx"),
        "The equation, `2u_xx`, lacks a sign between `2` and `u_xx`; write products with `*`.",
    ),
    (
        "implicit product space",
        dict(equation="u_t = eps u_xx", parameters={"eps": 1}),
        "The equation, `eps u_xx`, lacks a sign between `eps` and `u_xx`; write products with `*`.",
    ),
    (
        "implicit product bracket",
        dict(equation="u_t = u(1 - u)"),
        (
            "The equation: `u` is not a function, but is followed by a bracket; write products with `*`: "
            "`u*(...)`."
        ),
    ),
    (
        "implicit product deriv bracket",
        dict(equation="u_t = u_x(1 - u)"),
        (
            "The equation: `u_x` is not a function, but is followed by a bracket; write products with `*`: "
            "`u_x*(...)`."
        ),
    ),
    (
        "implicit product parameter",
        dict(equation="u_t = eps(u_xx)", parameters={"eps": 1}),
        (
            "The equation: `eps` is not a function, but is followed by a bracket; write products with `*`: "
            "`eps*(...)`."
        ),
    ),
    (
        "implicit product brackets",
        dict(equation="u_t = (u)(u)(u)"),
        "The equation, `(u)(u)(u)`, lacks a sign between `)` and `(`; write products with `*`.",
    ),
    (
        "implicit product brackets2",
        dict(equation="u_t = (1 + u)(1 - u)"),
        "The equation, `(1 + u)(1 - u)`, lacks a sign between `)` and `(`; write products with `*`.",
    ),
    (
        "missing operand",
        dict(equation="u_t = u_xx + * u"),
        (
            "The equation, `u_xx + * u`, cannot be read as a formula: something is missing between `+` and "
            "`*`. A formula is made of numbers, names, functions and the signs `+ - * / **`."
        ),
    ),
    (
        "missing operand end",
        dict(equation="u_t = u_xx +"),
        (
            "The equation, `u_xx +`, cannot be read as a formula: something is missing between `+` and the "
            "end. A formula is made of numbers, names, functions and the signs `+ - * / **`."
        ),
    ),
    (
        "open bracket",
        dict(equation="u_t = (u_xx + u"),
        "The equation, `(u_xx + u`, leaves a bracket open; add the missing `)`.",
    ),
    (
        "closed bracket",
        dict(equation="u_t = u_xx + u)"),
        "The equation, `u_xx + u)`, closes a bracket that was never opened; remove a `)` or add a `(`.",
    ),
    (
        "square brackets",
        dict(equation="u_t = [u_xx]"),
        "The equation, `[u_xx]`, contains the character `[`; group with round brackets `( )`.",
    ),
    (
        "absolute bars",
        dict(equation="u_t = |u|*u"),
        "The equation, `|u|*u`, contains the character `|`; write `abs(u)` for the absolute value.",
    ),
    (
        "unicode minus",
        dict(equation="u_t = u_xx − u"),
        ("The equation, `u_xx − u`, contains the character `−`; write the minus sign of the keyboard, `-`."),
    ),
    (
        "unicode square",
        dict(equation="u_t = u²"),
        "The equation, `u²`, contains the character `²`; write powers with `**`: `u**2`.",
    ),
    (
        "lambda",
        dict(equation="u_t = lambda*u_xx"),
        (
            "The equation, `lambda*u_xx`, contains `lambda`; Python keeps this word for itself: write `lam`, with its value in "
            "`parameters`, or without one where it is an eigenvalue for `lrfm.modes`."
        ),
    ),
    (
        "operator of Leibniz",
        dict(equation="u_t + d/dx(u*(1 - u)) = 0"),
        "The equation: the name `d` is not known. Write derivatives as subscripts, such as `u_xx` or `u_t`, and `diff(u**2, x)` of a formula. …",
    ),
    (
        "subscript of a bracket",
        dict(equation="u_t + (u*(1 - u))_x = 0"),
        "The equation, `u_t + (u*(1 - u))_x`, lacks a sign between `)` and `_x`; write the derivative of a formula as `diff(..., x)`.",
    ),
    (
        "eigenvalue of another name",
        dict(equation="-u_xx + x**2*u = E*u", time=None, initial=None),
        "The equation: the name `E` is not known. If Euler's number is meant, write `exp(1)`, and `exp(x)` for its powers. An eigenvalue that `lrfm.modes` should find is called `lam`. …",
    ),
    (
        "if",
        dict(equation="u_t = u if x else 0"),
        ("The equation, `u if x else 0`, contains `if`; write a choice as `where(x < 0.5, 1, 0)`."),
    ),
    (
        "attribute",
        dict(equation="u_t = np.sin(u)"),
        (
            "The equation, `np.sin(u)`, contains a dot that is not part of a number; use the plain name of "
            "a function, such as `sin(x)`."
        ),
    ),
    (
        "comma",
        dict(equation="u_t = u_xx, u"),
        (
            "The equation contains a comma outside of a function; write decimals with a point and one "
            "formula at a time."
        ),
    ),
    (
        "decimal comma",
        dict(equation="u_t = 0,5*u_xx"),
        (
            "The equation contains a comma outside of a function; write decimals with a point and one "
            "formula at a time."
        ),
    ),
    (
        "string",
        dict(equation="u_t = 'a'"),
        (
            "The equation, `'a'`, contains the character `'`; quotation marks have no meaning here; write "
            "derivatives as subscripts, such as `u_xx`."
        ),
    ),
    (
        "floor",
        dict(equation="u_t = u//2"),
        "The equation contains `//`; divide with `/`.",
    ),
    (
        "percent",
        dict(equation="u_t = u % 2"),
        (
            "The equation, `u % 2`, contains the character `%`; `%` has no derivative; give a NumPy "
            "function through `parameters` instead."
        ),
    ),
    (
        "ellipsis",
        dict(equation="u_t = ..."),
        (
            "The equation, `...`, contains a dot that is not part of a number; use the plain name of a "
            "function, such as `sin(x)`."
        ),
    ),
    (
        "division by zero",
        dict(equation="u_t = u/0"),
        "The equation divides by zero; correct the denominator.",
    ),
    (
        "overflow",
        dict(equation="u_t = 9**9**9*u"),
        (
            "The equation contains a calculation with numbers whose result is too large or not a real "
            "number (such as 1/0, log(0) or sqrt(-1)); correct these numbers."
        ),
    ),
    (
        "number too large",
        dict(equation="u_t = 1e999*u"),
        "The equation contains a number that is too large; numbers must stay below 1e308.",
    ),
    (
        "log 0",
        dict(equation="u_t = log(0)*u"),
        (
            "The equation contains a calculation with numbers whose result is too large or not a real "
            "number (such as 1/0, log(0) or sqrt(-1)); correct these numbers."
        ),
    ),
    (
        "high power",
        dict(equation="u_t = u**1001"),
        "The equation contains the power 1001; the highest one allowed is 1000.",
    ),
    (
        "deep",
        dict(equation="u_t = " + "(" * 100 + "u" + ")" * 100),
        (
            "The equation, `(((((((((((((((((((((((((((((((((((((((((((((((((((((((((...`, is nested too "
            "deeply; the limit is 60 levels. Split it up."
        ),
    ),
    (
        "deep unary",
        dict(equation="u_t = " + "-" * 100 + "u"),
        "The equation is nested too deeply; the limit is 60 levels. Split it up.",
    ),
    (
        "long",
        dict(equation="u_t = u_xx" + " + u" * 5000),
        (
            "The equation has 20,010 characters; the limit is 10,000. Move long data into a NumPy function "
            "given through `parameters`."
        ),
    ),
    (
        "parts",
        dict(equation="u_t = u_xx" + " + u" * 1500),
        (
            "The equation has 3,001 parts (names, numbers, signs); the limit is 2,000. Move long data into "
            "a NumPy function given through `parameters`."
        ),
    ),
    (
        "order",
        dict(equation="u_t = u_" + "x" * 30),
        ("The equation: `u_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx` is a derivative of order 30; the limit is 20."),
    ),
    (
        "too long product",
        dict(equation="u_t = " + "*".join(f"(u + {i})" for i in range(1, 200))),
        (
            "The equation is too long to be differentiated by its unknowns: the derivatives have more than "
            "50,000 parts. Shorten its products, or introduce a further unknown for a part of it."
        ),
    ),
    (
        "erf complex",
        dict(equation="psi_t = erf(psi)", unknowns={"psi": complex}, boundary="periodic"),
        (
            "The equation: `erf` has a complex argument, for which it is not defined here; take `re(...)`, "
            "`im(...)` or `abs(...)` of the argument."
        ),
    ),
    (
        "lap arguments",
        dict(equation="u_t = lap(u, x)"),
        "The equation: `lap` takes 1 argument and was given 2; write `lap(u)` for the Laplacian.",
    ),
    (
        "diff arguments",
        dict(equation="u_t = diff(u)"),
        (
            "The equation: `diff` was given 1 argument; write `diff(u, x)` with a formula and the "
            "coordinates by which it is differentiated: `x`, `t`."
        ),
    ),
    (
        "diff by parameter",
        dict(equation="u_t = diff(u, k)", parameters={"k": 2}),
        (
            "The equation: `diff` was asked to differentiate by `k`, which is not a coordinate; the "
            "coordinates are `x`, `t`."
        ),
    ),
    (
        "diff by formula",
        dict(equation="u_t = diff(u, 2*x)"),
        "The equation: `diff` was asked to differentiate by a formula; the coordinates are `x`, `t`.",
    ),
    (
        "lap of function",
        dict(equation="u_t = lap(k*u)", parameters={"k": lambda x: x}),
        (
            "The equation: the given function `k` stands inside `lap` or `diff`, and its derivative is not "
            "known; write the product rule out and give the derivative as a further parameter."
        ),
    ),
    (
        "not text",
        dict(equation=3),
        "`equation` was given as 3; expected text such as `u_t = u_xx`, or a list of such texts.",
    ),
    (
        "not texts",
        dict(equation=["u_t = u_xx", 3]),
        (
            "`equation` was given as ['u_t = u_xx', 3]; expected text such as `u_t = u_xx`, or a list of "
            "such texts."
        ),
    ),
    (
        "empty list",
        dict(equation=[]),
        "`equation` was given as []; expected text such as `u_t = u_xx`, or a list of such texts.",
    ),
    (
        "bytes",
        dict(equation=b"u_t = u_xx"),
        (
            "`equation` was given as b'u_t = u_xx'; expected text such as `u_t = u_xx`, or a list of such "
            "texts."
        ),
    ),
]
