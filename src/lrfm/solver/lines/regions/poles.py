# SPDX-License-Identifier: MIT
"""Where fields stop to continue smoothly beyond a smooth boundary, read off the boundary itself.

On an analytic arc z̄ = S(z). A field that is given on the arc continues beyond it up to the singularities of S, Schwarz' function, whatever the
equation inside is. A rational function r(z) ≈ z̄ on the arc (AAA: Nakatsukasa, Sète, Trefethen, SIAM J. Sci. Comput. 40, 2018) has its poles
along cuts that end there, and the poles beyond the boundary serve all solutions (Costa, Trefethen, arXiv:2107.01574):

u ≈ smooth + Σ_j Re (c_j(x, y) ρ_j/(z − p_j)),   c_j smooth.

An arc of a circle has one pole, its center; a straight line has none.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import zip_longest

import numpy as np

from lrfm.linalg.clock import look
from lrfm.problem.shapes.protocol import Domain, is_layered, layers_of

PROBES = 600  # points of one part
STRAIGHT = 1e-12  # difference of unit normals
LOOSEST, FINER = 1e-2, 1e-2  # relative misfits of z̄, from one set of poles to the next,
BELOW, TIGHTEST = 1e-4, 1e-10  # and the last of them, in tolerances of a field: the last poles matter most
TERMS = 160  # of a rational function
LONGER = 4.0  # time of the next one relative to that of the last
ROUND = 2  # poles of an arc up to which it is as good as round, and a center serves it better
FAR = 0.6  # distance from the boundary, relative to the size of the domain, from which a pole is smooth,
NEAR = 2e-3  # and below which nothing would resolve it


@dataclass(frozen=True)
class PoleSet:
    """Poles (P, 2) and their distances from the boundary (P,)."""

    points: np.ndarray
    radii: np.ndarray


@dataclass(frozen=True)
class Continuation:
    """The poles of one layer in sets of growing number, and the parts of its boundary that they serve."""

    sets: tuple[PoleSet, ...]
    parts: tuple[str, ...]
    layer: str = ""

    def among(self, most: int) -> PoleSet:
        """The largest set of at most so many poles; the smallest one where there is none."""
        return next((s for s in reversed(self.sets) if len(s.radii) <= most), self.sets[0])


def straight(normals: np.ndarray) -> bool:
    """Whether a part does not bend: nothing ends beyond it."""
    return bool(np.all(np.abs(normals - normals[:1]) < STRAIGHT))


def continuations(domain: Domain, names: Iterable[str], tol: float) -> tuple[Continuation, ...]:
    """The poles of every layer that has some, for fields that are wanted to a tolerance."""
    if domain.dimension != 2:
        return ()
    names = tuple(names)
    found = (
        _continuation(layer, tuple(layer.parts) if is_layered(domain) else names, tol, name)
        for name, layer in layers_of(domain).items()
    )
    return tuple(c for c in found if c is not None)


def _continuation(domain: Domain, names: Iterable[str], tol: float, layer: str) -> Continuation | None:
    by_part = {name: list(_sets(domain, name, tol)) for name in names}
    wavy = {name: sets for name, sets in by_part.items() if sets and len(sets[-1].radii) > ROUND}
    if not wavy:
        return None
    # A part whose sets have ended keeps its last one beside finer sets of others.
    levels = zip_longest(*wavy.values())
    joined, last = [], [sets[0] for sets in wavy.values()]
    for level in levels:
        last = [new or old for new, old in zip(level, last, strict=True)]
        joined.append(
            PoleSet(np.concatenate([s.points for s in last]), np.concatenate([s.radii for s in last]))
        )
    return Continuation(tuple(joined), tuple(wavy), layer)


def _sets(domain: Domain, name: str, tol: float) -> Iterator[PoleSet]:
    """Poles beyond one part, for smaller and smaller misfits of z̄."""
    from scipy.interpolate import AAA  # large to import, and boxes have no use for it

    points, _, normals = domain.parts[name].quadrature(PROBES)
    if len(points) < 8 or straight(normals):
        return
    z, size, wanted = points @ np.array([1.0, 1.0j]), float(np.max(domain.upper - domain.lower)), LOOSEST
    took = 0.0
    while True:
        look(LONGER * took)
        began = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # what has not converged has poles, too
            poles = AAA(z, np.conj(z), rtol=wanted, max_terms=TERMS).poles()
        took, poles = time.perf_counter() - began, poles[np.isfinite(poles)]
        radii = np.min(np.abs(z[:, None] - poles), axis=0)
        kept = (radii > NEAR * size) & (radii < FAR * size)
        places = np.column_stack([poles.real, poles.imag])
        kept[kept] = ~np.asarray(domain.contains(places[kept]))
        if kept.any():
            yield PoleSet(places[kept], radii[kept])
        last = max(TIGHTEST, BELOW * tol)
        if wanted <= last or len(poles) >= TERMS - 1:
            return
        wanted = max(FINER * wanted, last)
