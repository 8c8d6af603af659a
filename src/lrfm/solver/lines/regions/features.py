# SPDX-License-Identifier: MIT
"""Which functions a domain asks for beside smooth ones: what its corners and its concave arcs do to every solution.

Corner of angle ω:   u ~ Σ r^α cos(αθ + δ) · smooth,  α = kπ/ω, or (k − ½)π/ω where only one of the two sides prescribes values.
Concave arc, hole:   u continues smoothly beyond the boundary only up to the focal points of the arc; functions of coordinates
                     inverted there, and sources, follow it.
Data that contradict a condition:  a layer opens beside that part of the boundary (`walls`).
Arc that bends unevenly:  not one focal point but a cut ends beyond it, and poles along that cut follow the field (`poles`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from lrfm.problem.shapes.protocol import Corner, Domain, is_layered
from lrfm.solver.lines.form import Form
from lrfm.solver.lines.regions.poles import Continuation, PoleSet, straight
from lrfm.solver.lines.regions.walls import Wall, draw_wall
from lrfm.spaces.regions.families import CornerPower, Family, Inverted, Logarithm, Poles, Ridges, Singular

HIGHEST = 4.0  # exponents of corners from which a power is as good as smooth
CLASSES = 3  # exponents, different by more than integers, at one corner
INTEGER = 1e-6  # distance from an integer at which a power is a polynomial
PROBES = 400  # points of one part at which its curvature is looked at
BEND = 0.6  # radius of concave arcs, relative to the size of the domain, above which they are flat
REACH = 2.5  # distance from a center, in radii of its arc, up to which it serves the boundary
CENTERS = 40  # at most
INVERTED = 2.0  # slopes in inverted coordinates
LOCAL = 1.0  # slopes of what multiplies a singular function,
ALONG = 3.0  # and of what goes along a wall
PER_POLE = 8  # of those that multiply a pole, at most
PER_WALL, FLAT = (
    2.7,
    0.5,
)  # functions of layers around all holes for one ridge, and beside a flat wall relative to a hole
FAINT = 0.1  # part of the tolerance that corners without functions of their own may make together
SHARP, DOMINANT = (
    24,
    10.0,
)  # corners with such functions; of more of them those that are so much stronger than the next
FEWEST, ENOUGH = 6, 16  # of them at one wall, and from which on they hold layers of all widths


@dataclass(frozen=True)
class CornerSite:
    """A corner with the exponents of its singular functions."""

    point: np.ndarray
    direction: float
    radius: float
    exponents: tuple[float, ...]
    layer: str = ""
    strength: float = 1.0  # size of the singular part in L², relative to u, to an order of magnitude


@dataclass(frozen=True)
class Center:
    """A point outside of the domain, in a hole or beyond a concave arc, and its distance from the boundary."""

    point: np.ndarray
    radius: float
    layer: str = ""


@dataclass(frozen=True)
class Ground:
    """Where functions of one layer are drawn: its bounding box, and points inside."""

    lower: np.ndarray
    upper: np.ndarray
    inside: np.ndarray


@dataclass(frozen=True, kw_only=True)
class Extras:
    """What is drawn beside ridges."""

    corners: tuple[CornerSite, ...] = ()
    centers: tuple[Center, ...] = ()
    poles: tuple[Continuation, ...] = ()
    walls: tuple[Wall, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.corners or self.centers or self.poles or self.walls)

    def of(self, layer: str) -> Extras:
        """What belongs to one layer."""
        return Extras(
            corners=tuple(c for c in self.corners if c.layer == layer),
            centers=tuple(c for c in self.centers if c.layer == layer),
            poles=tuple(c for c in self.poles if c.layer == layer),
            walls=self.walls,
        )


@dataclass(frozen=True, kw_only=True)
class Draught:
    """How many smooth functions of which slopes in every layer, and what beside them."""

    ridges: int
    slope: float
    extras: Extras
    layers: tuple[str, ...] = ("",)

    @staticmethod
    def of(features: int, slope: float, extras: Extras, layers: tuple[str, ...] = ("",)) -> Draught:
        """As many ridges as make about so many features with what stands beside them."""
        low, high = 8, features
        while high - low > 1:
            middle = (low + high) // 2
            fits = Draught(ridges=middle, slope=slope, extras=extras, layers=layers).features <= features
            low, high = (middle, high) if fits else (low, middle)
        return Draught(ridges=low, slope=slope, extras=extras, layers=layers)

    @property
    def features(self) -> int:
        return sum(self._within(self.extras.of(layer)) for layer in self.layers)

    def _within(self, extras: Extras) -> int:
        """Features of one layer."""
        singular = 2 * (self._per_corner(extras) + 1) * sum(len(c.exponents) for c in extras.corners)
        around = self._per_center(extras) + self._per_source(extras) + 1
        poles = sum(2 * self._per_pole(s) * len(s.radii) for s in self._poles(extras))
        layers = sum(self._per_wall(extras, wall) for wall in extras.walls)
        return self.ridges + 1 + singular + len(extras.centers) * around + poles + layers

    def _per_corner(self, extras: Extras) -> int:
        shared = max(1, len(extras.corners))
        return int(np.clip(self.ridges // (7 * shared**0.5), 6, 80))

    def _per_center(self, extras: Extras) -> int:
        return int(np.clip(1.3 * self.ridges / max(4, len(extras.centers)), 8, 160))

    def _per_source(self, extras: Extras) -> int:
        return max(3, self._per_center(extras) // 5)

    def _poles(self, extras: Extras) -> list[PoleSet]:
        """As many poles as there can be functions for, each with two phases."""
        return [c.among(self.ridges // 2) for c in extras.poles]

    def _per_wall(self, extras: Extras, wall: Wall) -> int:
        round_ones = sum(w.hole for w in extras.walls)
        share = PER_WALL * self.ridges / max(4, round_ones) * (1.0 if wall.hole else FLAT)
        return int(np.clip(share, FEWEST, 160))

    @property
    def complete(self) -> bool:
        """Whether all poles are in it, and layers of all widths: without some of them the others show little."""
        walls = all(self._per_wall(self.extras, wall) > ENOUGH for wall in self.extras.walls if wall.hole)
        return walls and all(c.among(self.ridges // 2) is c.sets[-1] for c in self.extras.poles)

    def _per_pole(self, poles: PoleSet) -> int:
        return int(np.clip(self.ridges // (2 * len(poles.radii)), 1, PER_POLE))

    def families(self, layer: str, ground: Ground, rng: np.random.Generator) -> list[Family]:
        """Draw all of a layer; centers of ridges lie among the points inside."""
        extras, where = self.extras.of(layer), (ground.lower, ground.upper, ground.inside, rng)
        found: list[Family] = [draw_ridges(self.ridges, self.slope, *where, constant=True)]
        for corner in extras.corners:
            for exponent in corner.exponents:
                for phase in (0.0, -0.5 * np.pi):
                    factor = CornerPower(corner.point, corner.direction, corner.radius, exponent, phase)
                    smooth = draw_ridges(self._per_corner(extras), LOCAL, *where, constant=True)
                    found.append(Singular(factor, smooth))
        for center in extras.centers:
            found.append(draw_inverted(self._per_center(extras), center, rng))
            smooth = draw_ridges(self._per_source(extras), LOCAL, *where, constant=True)
            found.append(Singular(Logarithm(center.point, center.radius), smooth))
        for poles in self._poles(extras):
            found.append(draw_poles(self._per_pole(poles), poles, *where))
        for wall in extras.walls:
            count = self._per_wall(extras, wall)
            smooth = (
                draw_inverted(count, Center(wall.point, wall.radius), rng)
                if wall.hole
                else draw_ridges(count, ALONG, *where)
            )
            found.append(draw_wall(wall, smooth, rng))
        return found


def draw_ridges(
    count: int,
    slope: float,
    lower: np.ndarray,
    upper: np.ndarray,
    inside: np.ndarray,
    rng: np.random.Generator,
    constant: bool = False,
) -> Ridges:
    """Slopes uniform in a cube, centers uniform inside; with `constant`, a function that does not vary beside them."""
    middle, half = 0.5 * (lower + upper), 0.5 * (upper - lower)
    weights = slope * rng.uniform(-1, 1, (count, len(lower)))
    centers = (inside[rng.integers(len(inside), size=count)] - middle) / half
    biases = -np.sum(weights * centers, axis=1)
    if constant:
        weights, biases = np.vstack([weights, np.zeros((1, len(lower)))]), np.append(biases, 1.0)
    return Ridges(middle, half, weights, biases)


def draw_inverted(count: int, center: Center, rng: np.random.Generator) -> Inverted:
    """Slopes uniform in a cube, centers uniform in the unit ball of the inverted coordinates."""
    dimension = len(center.point)
    weights = INVERTED * rng.uniform(-1, 1, (count, dimension))
    at = rng.normal(size=(count, dimension))
    at *= (rng.random(count) ** (1 / dimension) / np.linalg.norm(at, axis=1))[:, None]
    return Inverted(center.point, center.radius, weights, -np.sum(weights * at, axis=1))


def draw_poles(
    each: int,
    poles: PoleSet,
    lower: np.ndarray,
    upper: np.ndarray,
    inside: np.ndarray,
    rng: np.random.Generator,
) -> Singular:
    """Real and imaginary parts of every pole, times a constant and `each` − 1 ridges."""
    count = len(poles.radii)
    smooth = draw_ridges(2 * count * each, LOCAL, lower, upper, inside, rng)
    smooth.weights[: 2 * count], smooth.biases[: 2 * count] = 0.0, 1.0
    return Singular(Poles(poles.points, poles.radii, each), smooth)


# Corners ----------------------------------------------------------------------------------------------------


def corner_sites(form: Form, tol: float = 0.0) -> tuple[CornerSite, ...]:
    """The corners at which a solution is singular beyond a tolerance, by the kinds of conditions on their two sides."""
    domain = form.problem.domain
    if not is_layered(domain):
        return _strong(_sites(form, domain, domain.corners, ""), tol)
    found = [
        site
        for name, layer in domain.layers.items()
        for site in _sites(form, layer, domain.corners_of(name), name)
    ]
    return _strong(found, tol)


def _strong(sites: Sequence[CornerSite], tol: float) -> tuple[CornerSite, ...]:
    """All but the faintest: outlines of curves have hundreds of corners that hardly bend, beside sides that are short."""
    order = np.argsort([-site.strength for site in sites], kind="stable")
    strengths = np.array([sites[k].strength for k in order])
    left = np.sqrt(np.cumsum(strengths[::-1] ** 2))[::-1]
    count = int(np.sum(left > FAINT * tol))
    if count > SHARP:
        # Some of many that are alike leave the others: none, or those that stand out.
        count = int(np.sum(strengths > DOMINANT * strengths[SHARP]))
    kept = set(order[:count].tolist())
    return tuple(site for k, site in enumerate(sites) if k in kept)


def _sites(form: Form, domain: Domain, corners: Iterable[Corner], layer: str) -> list[CornerSite]:
    found, corners = [], list(corners)
    places = np.array([corner.point for corner in corners]).reshape(-1, 2)
    size = float(np.max(domain.upper - domain.lower))
    for corner in corners:
        kinds = [_prescribes_values(form, name) for name in corner.parts]
        if None in kinds:
            continue
        exponents = corner_exponents(corner.angle, kinds[0] != kinds[1])
        if exponents:
            apart = np.linalg.norm(places - corner.point, axis=1)
            side = min(size, float(np.min(apart[apart > 0], initial=np.inf)))
            # r^α for r below the shorter side; where α is next to an integer, next to a polynomial.
            strength = max(abs(np.sin(np.pi * a)) / np.pi * (side / size) ** (1 + a) for a in exponents)
            radius = 0.25 * float(np.min(domain.upper - domain.lower))
            direction = corner.start + 0.5 * corner.angle
            found.append(
                CornerSite(np.asarray(corner.point), direction, radius, exponents, layer, float(strength))
            )
    return found


def corner_exponents(angle: float, mixed: bool) -> tuple[float, ...]:
    """kπ/ω, or (k − ½)π/ω for sides of different kinds: those below HIGHEST that are no integers, once up to integers.

    >>> [round(a, 4) for a in corner_exponents(1.5 * np.pi, mixed=False)]
    [0.6667, 1.3333]
    >>> corner_exponents(0.5 * np.pi, mixed=True)
    ()
    """
    found: list[float] = []
    for k in range(1, 64):
        exponent = (k - 0.5 * mixed) * np.pi / angle
        if exponent >= HIGHEST or len(found) >= CLASSES:
            break
        shifts = [exponent, *(exponent - other for other in found)]
        if all(abs(shift - round(shift)) > INTEGER for shift in shifts):
            found.append(float(exponent))
    return tuple(found)


def _prescribes_values(form: Form, part: str) -> bool | None:
    """Whether the conditions on a part are about values only, not slopes; None where there is none."""
    orders = [max(sum(jet.index[:-1]) for jet in c.row.jets) for c in form.conditions if c.part == part]
    return None if not orders else min(orders) == 0


# Concave arcs and holes -------------------------------------------------------------------------------------


def focal_centers(
    domain: Domain, names: Iterable[str], served: Iterable[Continuation] = ()
) -> tuple[Center, ...]:
    """Centers of curvature of concave arcs, each serving its neighborhood; a round hole has one, its middle.

    Parts that poles serve have none.
    """
    without = {c.layer: c.parts for c in served}
    if not is_layered(domain):
        return _centers(domain, (n for n in names if n not in without.get("", ())), "")
    # A layer ends at its interfaces as at a boundary: its functions go on smoothly up to the focal points of either.
    return tuple(
        center
        for name, layer in domain.layers.items()
        for center in _centers(layer, (n for n in layer.parts if n not in without.get(name, ())), name)
    )


def _centers(domain: Domain, names: Iterable[str], layer: str) -> tuple[Center, ...]:
    size = float(np.max(domain.upper - domain.lower))
    found: list[Center] = []
    for name in names:
        points, _, normals = domain.parts[name].quadrature(PROBES)
        if straight(normals):
            continue
        radii = concave_radii(points, normals)
        left = radii < BEND * size
        while np.any(left) and len(found) < CENTERS:
            k = int(np.argmin(np.where(left, radii, np.inf)))
            center = points[k] + radii[k] * normals[k]
            distances = np.linalg.norm(points - center, axis=1)
            left &= distances > REACH * radii[k]
            left[k] = False
            outside = not bool(np.asarray(domain.contains(center[None]))[0])
            if outside and not any(np.linalg.norm(c.point - center) < 0.3 * c.radius for c in found):
                found.append(Center(center, float(min(distances.min(), radii[k])), layer))
    return tuple(found)


def concave_radii(points: np.ndarray, normals: np.ndarray) -> np.ndarray:
    """Radius of curvature at points of a part where it bends away from the domain; infinite elsewhere.

    Over neighbors j: κ = (n_j − n_i)·(x_j − x_i)/|x_j − x_i|², negative where the domain is on the outer side of the arc.
    """
    count = len(points)
    if count < 5:
        return np.full(count, np.inf)
    gaps = points[:, None, :] - points[None, :, :]
    squares = np.sum(gaps**2, axis=2)
    np.fill_diagonal(squares, np.inf)
    near = np.argsort(squares, axis=1)[:, : 2 * (points.shape[1] - 1) + 1]
    rows = np.arange(count)[:, None]
    turned = np.sum((normals[:, None, :] - normals[near]) * gaps[rows, near], axis=2) / squares[rows, near]
    bend = np.median(turned, axis=1)
    return np.where(bend < 0, 1.0 / np.maximum(-bend, 1e-300), np.inf)
