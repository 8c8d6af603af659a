# SPDX-License-Identifier: MIT
"""From a syntax tree to formulas: a whitelist of names, numbers, functions and arithmetic.

``lap(e)`` and ``diff(e, x)`` are total derivatives, so that ``lap(u**3 - u)`` is written as on paper. A
complex unknown is split here: every formula is a pair re + i·im of real ones.
"""

from __future__ import annotations

import ast
import math
from dataclasses import replace

from lrfm.problem import functions, habits
from lrfm.problem.algebra import ONE, ZERO, Expr, Number, Symbol, number, power, symbols_in
from lrfm.problem.alphabet import MAX_ORDER, Alphabet, fields_of
from lrfm.problem.errors import ProblemError, counted, listing, short, shown, suggest
from lrfm.problem.expression import Extents, Value, derivative, is_zero
from lrfm.problem.jets import FieldSymbol, GivenSymbol, JetSymbol
from lrfm.problem.jumps import jump_terms, jumps_along, refused
from lrfm.problem.names import DERIVATIVES, FUNCTIONALS, JUMP, SWITCHES, VECTORS, split_subscript
from lrfm.problem.syntax import MAX_DEPTH, past_variable, spanned
from lrfm.problem.tables import TableSymbol
from lrfm.problem.vectors import scalar

MAX_EXPONENT = 1_000
MAX_SIZE = 50_000  # parts of a formula, and of its derivatives by the unknowns, written out
MAX_DIFFERENTIATED = 20_000  # parts of all total derivatives in a formula
MAX_TREE_DEPTH = 150

_SYNONYMS = {
    **dict.fromkeys(("average", "avg", "expectation"), "mean"),
    **dict.fromkeys(("int", "integrate", "quad"), "integral"),
    **{"ln": "log", "real": "re", "imag": "im", "conjugate": "conj", "laplace": "lap", "laplacian": "lap"},
    **{f"arc{name}": f"a{name}" for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh")},
}
_REFUSED = {
    ast.Tuple: "a comma outside of a function; write decimals with a point and one formula at a time",
    ast.Starred: "a `*` without a left factor",
    ast.FloorDiv: "`//`; divide with `/`",
    ast.Compare: "a comparison; compare inside of `where`, such as `where(x < 0.5, 1, 0)`",
}


def translate(tree: ast.expr, alphabet: Alphabet, what: str) -> Value:
    """Build the formula of a syntax tree; anything outside the whitelist is refused by name."""
    plain = scalar(tree, alphabet.axes, alphabet.symmetry, what, alphabet.normal is not None)
    return _Translator(alphabet, what, getattr(tree, "text", "")).visit(plain, 0)


class _Translator:
    def __init__(self, alphabet: Alphabet, what: str, text: str):
        self.alphabet = alphabet
        self.what = what
        self.text = text  # from which the tree was made
        self.differentiated = 0  # parts of all derivatives so far
        self._extent = Extents()

    def visit(self, node: ast.expr, depth: int) -> Value:
        try:
            return self._visit(node, depth)
        except ProblemError as error:
            if self.text:
                error.at(self.text, *spanned(self.text, node))
            raise

    def _visit(self, node: ast.expr, depth: int) -> Value:
        if depth > MAX_DEPTH:
            raise ProblemError(
                f"{self.what} is nested too deeply; the limit is {MAX_DEPTH} levels. Split it up."
            )
        if isinstance(node, ast.Constant):
            return self._number(node.value)
        if isinstance(node, ast.Name):
            found = self.alphabet.resolve(node.id, self.what)
            if self.alphabet.dummy and any(isinstance(s, JetSymbol) for s in symbols_in(*found)):
                raise ProblemError(
                    f"{self.what}: inside of an integral over `{self.alphabet.dummy}` the unknown `{node.id}` is written with it, `{node.id}({self.alphabet.dummy})`; what is not integrated stands before the integral."
                )
            return found
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and self.alphabet.sides:
            return self._on_side(node.value.id, node.attr)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.UAdd | ast.USub):
            value = self.visit(node.operand, depth + 1)
            return value if isinstance(node.op, ast.UAdd) else functions.minus(value)
        if isinstance(node, ast.BinOp):
            return self._checked(self._binary(node, depth))
        if isinstance(node, ast.Call):
            return self._checked(self._call(node, depth))
        raise self._refuse(node)

    def _on_side(self, name: str, side: str) -> Value:
        """``u.core``, ``u_n.core`` or ``u.core_n``: a name as one side of an interface has it."""
        sides = self.alphabet.sides
        layer, _, subscript = (side, "", "") if side in sides else side.rpartition("_")
        if layer not in sides:
            raise ProblemError(
                f"{self.what}: `{short(name)}.{short(side)}` names no side of this interface; its two sides are {listing(sides)}."
                f"{suggest(side, list(sides))}"
            )
        return sides[layer].resolve(f"{name}_{subscript}" if subscript else name, self.what)

    def _jump(self, node: ast.Call, depth: int) -> Value:
        """``jump(f)``: f on the first side of an interface less f on the second."""
        if len(node.args) != 1:
            raise ProblemError(
                f"{self.what}: `jump` takes 1 argument and was given {len(node.args)}; write `jump(k*u_n)`."
            )
        one, other = (
            _Translator(side, self.what, self.text).visit(node.args[0], depth + 1)
            for side in self.alphabet.sides.values()
        )
        return functions.plus([one, functions.minus(other)])

    def _refuse(self, node: ast.AST) -> ProblemError:
        found = _REFUSED.get(
            type(node), "something that is not a number, a name, a function or one of `+ - * / **`"
        )
        return ProblemError(f"{self.what} contains {found}.")

    def _number(self, value: object) -> Value:
        if isinstance(value, bool) or not isinstance(value, int | float | complex):
            raise ProblemError(f"{self.what} contains `{shown(value)}`, which is not a number.")
        try:
            pair = complex(value)
        except OverflowError:
            pair = complex(math.inf)
        if not (math.isfinite(pair.real) and math.isfinite(pair.imag)):
            raise ProblemError(
                f"{self.what} contains a number that is too large; numbers must stay below 1e308."
            )
        return Value(number(pair.real), number(pair.imag))

    def _checked(self, value: Value) -> Value:
        """Numbers must be finite; a formula must stay short enough to be differentiated."""
        return Value(*(self._checked_part(part) for part in value))

    def _checked_part(self, part: Expr) -> Expr:
        if isinstance(part, Number):
            if not math.isfinite(part.value):
                raise ProblemError(
                    f"{self.what} contains a calculation with numbers whose result is too large or not a "
                    "real number (such as 1/0, log(0) or sqrt(-1)); correct these numbers."
                )
            return part
        size, depth, _ = self._extent(part)
        if size > MAX_SIZE or depth > MAX_TREE_DEPTH:
            limit = f"{MAX_SIZE:,} parts" if size > MAX_SIZE else f"{MAX_TREE_DEPTH} levels"
            raise ProblemError(
                f"{self.what} is too long when its products and functions are written out: over {limit}. "
                "Shorten it, or give parts without unknowns as NumPy functions through `parameters`."
            )
        return part

    def _binary(self, node: ast.BinOp, depth: int) -> Value:
        if isinstance(node.op, ast.Add | ast.Sub):
            return self._total(node, depth)
        if isinstance(node.op, ast.Mult | ast.Div):
            return self._product(node, depth)
        if isinstance(node.op, ast.Pow):
            return self._power(self.visit(node.left, depth + 1), self.visit(node.right, depth + 1))
        raise self._refuse(node.op)

    def _total(self, node: ast.expr, depth: int) -> Value:
        # A sum of many terms is one flat sum: adding them one by one would cost their number squared.
        terms: list[Value] = []
        while isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
            right = self.visit(node.right, depth + 1)
            terms.append(right if isinstance(node.op, ast.Add) else functions.minus(right))
            node = node.left
        terms.append(self.visit(node, depth + 1))
        return functions.plus(terms[::-1])

    def _product(self, node: ast.expr, depth: int) -> Value:
        factors: list[Value] = []
        while isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult | ast.Div):
            right = self.visit(node.right, depth + 1)
            factors.append(right if isinstance(node.op, ast.Mult) else self._reciprocal(right))
            node = node.left
        factors.append(self.visit(node, depth + 1))
        return functions.product(factors[::-1])

    def _reciprocal(self, value: Value) -> Value:
        if value == Value(number(0)):
            raise ProblemError(f"{self.what} divides by zero; correct the denominator.")
        return self._checked(functions.reciprocal(value))

    def _power(self, base: Value, exponent: Value) -> Value:
        fixed = exponent.number if exponent.real else None
        if fixed is not None and abs(fixed) > MAX_EXPONENT and not isinstance(base.re, Number):
            raise ProblemError(
                f"{self.what} contains the power {fixed.real:g}; the highest one allowed is {MAX_EXPONENT}."
            )
        if not (base.real and exponent.real):
            return functions.complex_power(base, exponent)
        return Value(power(base.re, exponent.re))

    def _call(self, node: ast.Call, depth: int) -> Value:
        if not isinstance(node.func, ast.Name):
            raise self._refuse(node)
        name = node.func.id
        if name == JUMP and self.alphabet.sides:
            return self._jump(node, depth)
        dummy = self.alphabet.dummy
        if dummy and len(node.args) == 1 and isinstance(node.args[0], ast.Name) and node.args[0].id == dummy:
            split = split_subscript(name, self.alphabet.letters)
            if name in self.alphabet.unknowns or (split and split[0] in self.alphabet.unknowns):
                return self.alphabet.resolve(name, self.what)
        if name in self.alphabet.unknowns and self.alphabet.past is not None and len(node.args) == 1:
            return self._delayed(name, node, depth)
        if name not in (*functions.TABLE, *DERIVATIVES, *FUNCTIONALS, *SWITCHES):
            raise ProblemError(self._no_function(name, node.args))
        if node.keywords or any(isinstance(a, ast.Starred) for a in node.args):
            raise ProblemError(f"{self.what}: `{name}` takes plain arguments only, without `*`.")
        if name in DERIVATIVES:
            return self._derivative(name, node, depth)
        if name in FUNCTIONALS:
            return self._functional(name, node, depth)
        if name in SWITCHES:
            return self._switch(name, node.args, depth)
        if len(node.args) != 1:
            raise ProblemError(
                f"{self.what}: `{name}` takes 1 argument and was given {len(node.args)}; write "
                f"`{name}(...)` with one formula."
            )
        try:
            return functions.TABLE[name](self.visit(node.args[0], depth + 1))
        except functions.NotComplex:
            raise ProblemError(
                f"{self.what}: `{name}` has a complex argument, for which it is not defined here; take "
                "`re(...)`, `im(...)` or `abs(...)` of the argument."
            ) from None

    def _delayed(self, name: str, node: ast.Call, depth: int) -> Value:
        """``u(t - 1)``: an unknown in the past."""
        assert self.alphabet.past is not None
        shift = self.visit(node.args[0], depth + 1).re - Symbol("t")
        if not isinstance(shift, Number):
            raise ProblemError(
                f"{self.what}: `{ast.unparse(node)}` is no value at a fixed time before t; write `{name}(t - 1)`, with a number or a parameter that is one; products "
                f"are written with `*`: `{name}*(...)`."
            )
        kind = self.alphabet.unknowns[name]
        return self.alphabet.past.value(fields_of(name, kind), -shift.value, self.what)

    def _functional(self, name: str, node: ast.Call, depth: int) -> Value:
        """``mean(u)``, ``integral(u*v, x)``, ``at(u, x, 0.5)``."""
        known = self.alphabet.functionals
        if known is None:
            raise ProblemError(
                f"{self.what} contains `{name}`, which has its place in equations and boundary conditions only; give a number or a "
                "function instead."
            )
        over = past_variable(node)
        if name == "integral" and over and over not in self.alphabet.names:
            inner = replace(
                self.alphabet,
                parameters={**self.alphabet.parameters, over: Value(Symbol(over))},
                dummy=over,
                functionals=None,
            )
            value = _Translator(inner, self.what, self.text).visit(node.args[0], depth + 1)
            ends = [self._end(argument, depth) for argument in node.args[2:]]
            return known.joined(value, over, ends, self.what, ast.unparse(node.args[0]), self.alphabet.reach)
        parts: list[Value | str] = [self.visit(argument, depth + 1) for argument in node.args[:1]]
        parts += [self._end(argument, depth) for argument in node.args[1:]]
        text = ast.unparse(node.args[0]) if node.args else ""
        return known.call(name, parts, self.what, text, self.alphabet.reach)

    def _end(self, node: ast.expr, depth: int) -> Value | str:
        """An axis, or the end of an integral: a coordinate by its name, anything else as a formula."""
        plain = isinstance(node, ast.Name) and node.id in self.alphabet.coordinates
        return node.id if plain else self.visit(node, depth + 1)  # type: ignore[union-attr]

    def _switch(self, name: str, arguments: list[ast.expr], depth: int) -> Value:
        """``where(x < 0.5, 1, 0)``, ``heaviside(x)``, ``min(u, v)``, ``max(u, v)``."""
        if len(arguments) != SWITCHES[name]:
            example = {"where": "where(x < 0.5, 1, 0)", "heaviside": "heaviside(x)"}.get(
                name, f"{name}(u, 1)"
            )
            raise ProblemError(
                f"{self.what}: `{name}` takes {counted(SWITCHES[name], 'argument')} and was given {len(arguments)}; write "
                f"`{example}`."
            )
        if name == "where":
            decides = self._comparison(arguments[0], depth + 1)
            values = [self.visit(argument, depth + 1) for argument in arguments[1:]]
        else:
            values = [self.visit(argument, depth + 1) for argument in arguments]
            if name == "heaviside":
                decides, values = values[0], [Value(ONE), Value(number(0))]
            else:
                order = values if name == "max" else values[::-1]
                decides = functions.plus([order[0], functions.minus(order[1])])
        try:
            return functions.chosen(decides, *values)
        except functions.NotComplex:
            raise ProblemError(
                f"{self.what}: `{name}` compares complex numbers; compare `re(...)` or `abs(...)` of them."
            ) from None

    def _comparison(self, node: ast.expr, depth: int) -> Value:
        """a < b as b − a, which is positive where it holds."""
        if not isinstance(node, ast.Compare) or len(node.ops) != 1:
            raise ProblemError(
                f"{self.what}: `where` begins with one comparison; write `where(x < 0.5, 1, 0)`."
            )
        small, large = self.visit(node.left, depth + 1), self.visit(node.comparators[0], depth + 1)
        if isinstance(node.ops[0], ast.Gt):
            small, large = large, small
        return functions.plus([large, functions.minus(small)])

    def _no_function(self, name: str, given: list[ast.expr]) -> str:
        arguments = [a.id if isinstance(a, ast.Name) else "" for a in given]
        texts = [short(ast.unparse(a)) for a in given]
        split = split_subscript(name, self.alphabet.letters)
        unknown = name in self.alphabet.unknowns or (split and split[0] in self.alphabet.unknowns)
        if unknown and arguments and set(arguments) <= set(self.alphabet.coordinates):
            return f"{self.what}: `{name}({', '.join(arguments)})` writes the coordinates after an unknown; write only `{name}`."
        if name in self.alphabet.names or (split and split[0] in self.alphabet.unknowns):
            return f"{self.what}: {self._bracket(name, given, texts, bool(unknown))}"
        foreign = habits.function_meant(name, texts, list(self.alphabet.unknowns), self.alphabet.axes)
        if foreign:
            return f"{self.what}: the function `{short(name)}` is not known. {foreign}"
        valid, lower = [*functions.TABLE, *DERIVATIVES, *VECTORS, *FUNCTIONALS, *SWITCHES], name.lower()
        near = f" Did you mean `{_SYNONYMS[lower]}`?" if lower in _SYNONYMS else suggest(name, valid)
        if not near and arguments and set(arguments) <= set(self.alphabet.coordinates):
            return (
                f"{self.what}: the function `{short(name)}` is not known. If it is given, put it into "
                f"`parameters` and write `{short(name)}`, without `({', '.join(arguments)})`."
            )
        return (
            f"{self.what}: the function `{short(name)}` is not known.{near} A given function goes into `parameters` and is written "
            f"without brackets; known are {listing(valid)}."
        )

    def _bracket(self, name: str, given: list[ast.expr], texts: list[str], unknown: bool) -> str:
        """What is said of a bracket behind a name that is no function: a product, a place, or arguments that are understood."""
        called = f"{name}({', '.join(texts)})"
        if not given:
            return f"`{called}` has a bracket with nothing in it; write only `{name}`."
        inside = {n.id for argument in given for n in ast.walk(argument) if isinstance(n, ast.Name)}
        given_only = inside <= {*self.alphabet.coordinates, *self.alphabet.parameters}
        if name in self.alphabet.parameters and inside and inside <= set(self.alphabet.coordinates):
            return f"`{called}` writes arguments after a parameter; write only `{name}`."
        if name in self.alphabet.parameters and inside & set(self.alphabet.unknowns):
            return f"`{called}` is a parameter of an unknown; write its formula into the equation in the place of `{name}`."
        placed = unknown and given_only and (len(given) > 1 or not inside)
        if placed and self.alphabet.normal is not None:
            return f"`{called}` names a place; a condition holds on its face: write only `{name}`."
        if placed:
            return f"`{called}` names a place; write `at({name}, {self.alphabet.axes[0]}, {texts[0]})` for the value there."
        if unknown and inside == {"t"}:
            return f"`{called}` is a value at another time, and delays are for ordinary equations, without a domain; a product is written with `*`: `{name}*({texts[0]})`."
        return f"`{name}` is not a function, but is followed by a bracket; write products with `*`: `{name}*(...)`."

    def _derivative(self, name: str, node: ast.Call, depth: int) -> Value:
        coordinates = listing(self.alphabet.coordinates)
        if name == "lap" and len(node.args) != 1:
            raise ProblemError(
                f"{self.what}: `lap` takes 1 argument and was given {len(node.args)}; write `lap(u)` for "
                "the Laplacian."
            )
        if name == "diff" and len(node.args) < 2:
            raise ProblemError(
                f"{self.what}: `diff` was given {counted(len(node.args), 'argument')}; write `diff(u, x)` "
                f"with a formula and the coordinates by which it is differentiated: {coordinates}."
            )
        value = self.visit(node.args[0], depth + 1)
        if name == "lap":
            once = {a: self._total_derivative(value, a, name) for a in self.alphabet.axes}
            twice = {a: self._total_derivative(slope, a, name) for a, slope in once.items()}
            symmetry = self.alphabet.symmetry
            if symmetry is None:
                return functions.plus([*twice.values()])
            parts = []
            for a in self.alphabet.axes:
                second, first = (Value(factor) for factor in symmetry.factors(a))
                parts += [functions.times(second, twice[a]), functions.times(first, once[a])]
            return self._checked(functions.plus(parts))
        for argument in node.args[1:]:
            letter = argument.id if isinstance(argument, ast.Name) else None
            if isinstance(argument, ast.Constant):
                raise ProblemError(self._counted(node, argument.value))
            if letter not in self.alphabet.coordinates:
                given = f"`{short(letter)}`, which is not a coordinate" if letter else "a formula"
                raise ProblemError(
                    f"{self.what}: `diff` was asked to differentiate by {given}; the coordinates are "
                    f"{coordinates}."
                )
            value = self._total_derivative(value, letter, name)
        return value

    def _counted(self, node: ast.Call, count: object) -> str:
        """What to write for ``diff(u, x, 2)``, where other programs count."""
        inner, by = node.args[0], node.args[1]
        letter = by.id if isinstance(by, ast.Name) else self.alphabet.coordinates[0]
        times = count if isinstance(count, int) and 1 <= count <= MAX_ORDER else 2
        formula = inner.id if isinstance(inner, ast.Name) else "..."
        short_form = f", or `{formula}_{letter * times}`" if formula in self.alphabet.unknowns else ""
        return (
            f"{self.what}: `diff` was given the number {shown(count)}; repeat the coordinate instead: "
            f"`diff({formula}, {', '.join([letter] * times)})`{short_form}."
        )

    def _total_derivative(self, value: Value, letter: str, name: str) -> Value:
        self.differentiated += sum(self._extent(part).slope for part in value)
        if self.differentiated > MAX_DIFFERENTIATED:
            raise ProblemError(
                f"{self.what} is too long inside `lap` or `diff`: the derivatives come to more than "
                f"{MAX_DIFFERENTIATED:,} parts. Write them out by hand, or introduce a further unknown: `w "
                "= lap(u)`."
            )
        return self._checked(
            Value(*(total_derivative(part, letter, self.alphabet, self.what, name) for part in value))
        )


def total_derivative(
    expression: Expr, letter: str, alphabet: Alphabet, what: str, asked: str | None = None
) -> Expr:
    """D_x F = ∂F/∂x + Σ_a ∂F/∂(D^a u) · D^{a+x} u.

    Where a text has `asked` for it, by `lap` or `diff`, an F that jumps along x has δ(g) [F] ∂g/∂x beside it if it is a flux in the plane, and is refused
    otherwise; elsewhere jumps have the slope zero.
    """
    position = alphabet.coordinates.index(letter)
    seed: dict[Symbol, Expr] = {Symbol(letter): ONE}
    for symbol in symbols_in(expression):
        if isinstance(symbol, JetSymbol):
            if letter != "t" and letter not in alphabet.along(symbol.jet.field):
                continue  # a mean, or an unknown of time alone, does not vary
            if symbol.jet.order >= MAX_ORDER:
                raise ProblemError(
                    f"{what} contains a derivative of order above {MAX_ORDER}, which is the limit."
                )
            seed[symbol] = JetSymbol(symbol.jet.raised(position))
        elif isinstance(symbol, FieldSymbol):
            seed[symbol] = symbol.raised(position) or ZERO
        elif isinstance(symbol, TableSymbol):
            seed[symbol] = symbol.raised(position)
        elif isinstance(symbol, GivenSymbol):
            raise ProblemError(
                f"{what}: the given function `{symbol.owner}` stands inside `lap` or `diff`, "
                "and its derivative is not known; write the product rule out and give the derivative as a "
                "further parameter."
            )
    if not asked or not jumps_along(expression, {s for s, slope in seed.items() if not is_zero(slope)}):
        return derivative(expression, seed)
    more = jump_terms(expression, alphabet.axes, letter)
    if more is None:
        raise refused(what, asked, letter)
    return derivative(expression, seed) + more
