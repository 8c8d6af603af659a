# SPDX-License-Identifier: MIT
"""What names mean: a coordinate, a parameter, an unknown, or an unknown with a subscript.

``u_xxt`` is ∂ₓ²∂ₜu; on the boundary ``u_n`` is the outward normal derivative Σ nᵢ ∂ᵢu and, in two dimensions, ``u_s`` the
tangential one, −n_y ∂ₓu + n_x ∂ᵧu, and ``n_x`` the component of the normal along x. In ``u_nn`` the normal counts as constant: Σ nᵢ nⱼ ∂ᵢ∂ⱼu.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from lrfm.problem import functions
from lrfm.problem.algebra import ONE, Expr, Symbol, add, number, symbols_in
from lrfm.problem.errors import SAME_LOOK, ProblemError, Spelled, listing, look_alike, short, suggest
from lrfm.problem.expression import Value, is_zero
from lrfm.problem.habits import RANDOM
from lrfm.problem.jets import SIDE, GivenSymbol, Jet, JetSymbol
from lrfm.problem.names import CONSTANTS, DERIVATIVES, split_subscript

if TYPE_CHECKING:
    from lrfm.problem.delays import Past
    from lrfm.problem.functionals import Functional, Functionals
    from lrfm.problem.materials import Materials
    from lrfm.problem.symmetry import Symmetry

MEANT = {
    "π": "Write `pi`.",
    **dict.fromkeys(("i", "I", "j", "J"), "Write `1j` for the imaginary unit."),
    **dict.fromkeys(("e", "E"), "If Euler's number is meant, write `exp(1)`, and `exp(x)` for its powers."),
}
EIGENVALUES = ("E", "k", "mu", "omega", "beta", "sigma", "eig", "ev", "lamb", "lamda")
MAX_ORDER = 20  # of one derivative


@dataclass(frozen=True)
class Alphabet:
    """What names mean: coordinates, parameters, unknowns and, on the boundary, the outward normal.

    In an equation (`equation`) a name that is not known may be a slip for the derivative of an unknown, and in a `steady` one an eigenvalue. `functionals` collects the means
    and values of the formulas of a statement; None where there is no place for these.
    """

    axes: tuple[str, ...]
    parameters: Mapping[str, Value] = field(default_factory=dict)
    unknowns: Mapping[str, type | str] = field(default_factory=dict)
    normal: tuple[Expr, ...] | None = None
    equation: bool = False
    steady: bool = False
    functionals: Functionals | None = None
    materials: Materials | None = None
    symmetry: Symmetry | None = None  # that the axes follow
    dummy: str = ""  # the time in the past, inside of an integral over it
    past: Past | None = None  # of ordinary equations; None where there is no place for it
    side: str = ""  # the layer from which unknowns are seen
    sides: Mapping[str, Alphabet] = field(
        default_factory=dict
    )  # what names mean on the two sides of an interface

    @property
    def coordinates(self) -> tuple[str, ...]:
        return (*self.axes, "t")

    @property
    def letters(self) -> tuple[str, ...]:
        return (*self.coordinates, *self._directions)

    @cached_property
    def _directions(self) -> dict[str, tuple[Expr, ...]]:
        """Vectors by which unknowns are differentiated on the boundary."""
        if self.normal is None:
            return {}
        found = {"n": self.normal}
        if len(self.normal) == 2 and "s" not in self.axes:
            found["s"] = (-self.normal[1], self.normal[0])
        return found

    @property
    def names(self) -> list[str]:
        known = [*self.coordinates, *self.parameters, *self.unknowns, *CONSTANTS]
        return [name for name in known if name.isidentifier()]  # the axis of a point has no name

    def of(self, layer: str, seen: bool = False) -> Alphabet:
        """What names mean in one layer; with `seen`, unknowns as they are seen from it."""
        if self.materials is None:
            return self
        return replace(
            self, parameters=self.materials.parameters[layer], materials=None, side=layer if seen else ""
        )

    def along(self, field: str) -> frozenset[str]:
        """The axes on which a field depends: all, but for unknowns of some coordinates and for means."""
        kind = self.unknowns.get(field.partition(SIDE)[0].partition(".")[0])
        if isinstance(kind, str):
            return frozenset(read_coordinates(kind)) & frozenset(self.axes)
        known = None if kind is not None or self.functionals is None else self.functionals.along(field)
        return frozenset(self.axes) if known is None else known

    def reach(self, expression: Expr) -> frozenset[str]:
        """The axes on which a formula depends."""
        found: set[str] = set()
        for symbol in symbols_in(expression):
            if isinstance(symbol, JetSymbol):
                found |= self.along(symbol.jet.field)
            elif isinstance(symbol, GivenSymbol):
                found |= symbol.depends(self.coordinates)
            else:
                found.add(symbol.name)
        return frozenset(found) & frozenset(self.axes)

    def closed(self) -> tuple[Functional, ...]:
        """The means and values of a statement that has been read; formulas to come may use these and no others."""
        if self.functionals is None:
            return ()
        self.functionals.closed = True
        return tuple(self.functionals)

    def _check_along(self, name: str, letters: Sequence[str]) -> None:
        """Refuse a derivative of what does not vary."""
        if not isinstance(self.unknowns[name], str):
            return
        own = self.along(name)
        for letter in letters:
            if letter != "t" and letter not in own:
                raise ProblemError(
                    f"`{name}_{short(''.join(letters))}` differentiates `{name}` by `{letter}`, but `{name}` was declared as a function of "
                    f"{listing(read_coordinates(str(self.unknowns[name])))}; this derivative is zero. Remove it."
                )

    def unknown(self, name: str, letters: Sequence[str] = ()) -> Value:
        """∂^a of an unknown, as one real symbol or as a pair."""
        directions = self._directions
        self._check_along(name, letters)
        terms: dict[tuple[int, ...], Expr] = {(0,) * len(self.coordinates): ONE}
        for letter in letters:
            if letter not in directions:
                place = self.coordinates.index(letter)
                terms = {_raised(index, place): factor for index, factor in terms.items()}
                continue
            found: dict[tuple[int, ...], list[Expr]] = {}
            for index, factor in terms.items():
                for i, component in enumerate(directions[letter]):
                    if not is_zero(component):
                        found.setdefault(_raised(index, i), []).append(component * factor)
            terms = {index: add(*factors) for index, factors in found.items()}
        side = f"{SIDE}{self.side}" if self.side else ""
        fields = [f + side for f in fields_of(name, self.unknowns[name])]
        return Value(*(add(*(c * JetSymbol(Jet(f, i)) for i, c in terms.items())) for f in fields))

    def resolve(self, name: str, what: str) -> Value:
        """Meaning of one name, or a sentence with the names that exist."""
        if name in self.coordinates:
            return Value(Symbol(name))
        if name in self.parameters:
            return self.parameters[name]
        if name in self.unknowns:
            return self.unknown(name)
        if name in CONSTANTS:
            return Value(number(CONSTANTS[name]))
        split = split_subscript(name, self.letters)
        if split and split[0] in self.unknowns:
            if len(split[1]) > MAX_ORDER:
                raise ProblemError(
                    f"{what}: `{short(name)}` is a derivative of order {len(split[1])}; the limit is "
                    f"{MAX_ORDER}."
                )
            return self.unknown(*split)
        across = {} if self.normal is None else dict(zip(self.axes, self.normal, strict=True))
        if name.startswith("n_") and name[2:] in across:
            return Value(across[name[2:]])
        raise self._not_known(name, what)

    def _not_known(self, name: str, what: str) -> ProblemError:
        if any(name in side.parameters for side in self.sides.values()):
            return ProblemError(
                f"{what}: `{short(name)}` differs on the two sides; write {listing(f'{name}.{side}' for side in self.sides)}."
            )
        base, _, subscript = name.rpartition("_")
        if base in self.unknowns and split_subscript(name, (*self.coordinates, "n")):
            return ProblemError(
                f"{what}: `{short(name)}` is a normal derivative, which exists in `boundary` only; name the "
                f"coordinate instead: {listing(f'{base}_{c}' for c in self.coordinates)}."
            )
        if base in self.unknowns:
            meant = self._meant(base, subscript)
            if meant.startswith(" Write"):
                return ProblemError(
                    f"{what}: `{short(name)}` differentiates `{base}` by `{short(subscript)}`, which is not made of coordinates.{meant}"
                )
            return ProblemError(
                f"{what}: `{short(name)}` differentiates `{base}` by `{short(subscript)}`, which is not "
                f"made of coordinates; write {listing(f'{base}_{c}' for c in self.letters)} or combinations "
                f"of these.{meant}"
            )
        given = base in self.parameters or base in self.coordinates
        if given and split_subscript(name, self.letters):
            kind = "parameter" if base in self.parameters else "coordinate"
            return ProblemError(
                f"{what}: `{short(name)}` reads as a derivative of `{base}`, but `{base}` is a {kind}; only "
                f"unknowns are differentiated by subscripts. If `{short(name)}` is given, put it into "
                "`parameters` under this name."
            )
        if name in functions.TABLE or name in DERIVATIVES:
            return ProblemError(f"{what}: `{name}` is a function; give it an argument: `{name}(...)`.")
        hint = self._hint(name) or suggest(name, self.names)
        if self.equation and self.steady and (name in EIGENVALUES or not hint):
            hint += " An eigenvalue that `lrfm.modes` should find is called `lam`."
        return ProblemError(
            f"{what}: the name `{short(name)}` is not known.{hint} ",
            Spelled("Constants and given functions go into `parameters`", "Constants go into [parameters]"),
            f"; known are {listing(self.names)}.",
        )

    def _meant(self, base: str, subscript: str) -> str:
        """A sentence on a subscript that looks like one of coordinates, or counts or capitalizes them."""
        counted = re.fullmatch(r"(\d)([^\W\d]+)|([^\W\d]+)(\d)", subscript)
        times = int(counted[1] or counted[4]) if counted else 1
        plain = ((counted[2] or counted[3]) * min(times, MAX_ORDER) if counted else subscript).lower()
        if plain != subscript and split_subscript(f"{base}_{plain}", self.letters):
            return f" Write `{base}_{plain}`."
        looks = {letter.translate(SAME_LOOK): letter for letter in self.letters}
        meant = "".join(looks.get(c.translate(SAME_LOOK), c) for c in subscript)
        return look_alike(subscript, [meant]) if split_subscript(f"{base}_{meant}", self.letters) else ""

    def _hint(self, name: str) -> str:
        """What a name is likely to stand for: a constant, or a derivative that is written otherwise here."""
        if name in MEANT:
            return f" {MEANT[name]}"
        # Where no unknown was found at all, the first letter of a name in an equation may be meant as one.
        guess = [name[:1]] if self.equation else []
        for base in sorted(self.unknowns, key=len, reverse=True) or guess:
            glued = split_subscript(f"{base}_{name.removeprefix(base)}", self.letters)
            if name.startswith(base) and glued:
                return f" Write `{base}_{''.join(glued[1])}` for the derivative."
        if self.normal is not None and name in ("n", "normal"):
            return f" Write `{next(iter(self.unknowns), 'u')}_n` for the derivative along the outward normal."
        if name[:1] in "\u0394\u2206" and name[1:] in (*self.unknowns, *guess):
            return f" Write the Laplacian as `lap({name[1:]})`."
        glued = re.fullmatch(r"d([^\W\d_]\w*?)_?d([^\W\d_]+)", name)
        if glued and split_subscript(f"{glued[1]}_{glued[2]}", self.letters):
            return f" Write `{glued[1]}_{glued[2]}` for the derivative."
        if name.lower() in ("random", "rand", "noise"):
            return f" {RANDOM}"
        leibniz = re.fullmatch(r"d\d?(\w+?)\d?", name)
        alone = self.equation and name in ("d", "∂")
        if alone or (leibniz and leibniz[1] in (*self.unknowns, *self.coordinates)):
            base, axis = next(iter(self.unknowns), "u"), self.axes[0] if self.axes else "t"
            return f" Write derivatives as subscripts, such as `{base}_{axis * 2}` or `{base}_t`, and `diff({base}**2, {axis})` of a formula."
        return ""


def _raised(index: tuple[int, ...], place: int) -> tuple[int, ...]:
    return (*index[:place], index[place] + 1, *index[place + 1 :])


def read_coordinates(kind: str) -> tuple[str, ...]:
    """``"t"`` or ``"y, t"`` as names."""
    return tuple(part for part in re.split(r"[,\s]+", kind.strip()) if part)


def fields_of(name: str, kind: type | str) -> tuple[str, ...]:
    """Real scalar fields of an unknown: itself, or its real and imaginary part."""
    return (f"{name}.re", f"{name}.im") if kind is complex else (name,)
