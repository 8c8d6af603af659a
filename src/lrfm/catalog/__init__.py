# SPDX-License-Identifier: MIT
"""Named problems with exact or independently computed reference solutions, and demos that have none.

In: a name. Out: a problem, and parts that solve it without a search. May import every room but `paper` and `cli`.

Every function here states one problem, with keyword arguments for what may be changed; its first line is the formula.

>>> from lrfm import catalog
>>> catalog.allen_cahn(eps=1e-2)
Problem(allen-cahn: u_t = eps*u_xx - u**3 + u on Box(x=(-1, 1)), t in (0.0, 0.1), periodic)
>>> float(catalog.get("heat-2d").reference(x=0.5, y=0.5, t=0.0))
1.0
>>> all(catalog.get(name).name == name for name in catalog.names())
True
"""

from typing import Any

from lrfm.catalog import (
    beams,
    diffusion,
    flow,
    paper,
    patterns,
    reaction,
    solitons,
    spin,
    verification,
    waves,
)
from lrfm.catalog.beams import beam as beam
from lrfm.catalog.beams import cantilever as cantilever
from lrfm.catalog.diffusion import advection_diffusion as advection_diffusion
from lrfm.catalog.diffusion import black_scholes as black_scholes
from lrfm.catalog.diffusion import burgers_front as burgers_front
from lrfm.catalog.diffusion import fokker_planck as fokker_planck
from lrfm.catalog.diffusion import heat_radiation as heat_radiation
from lrfm.catalog.flow import taylor_green as taylor_green
from lrfm.catalog.flow import vortices as vortices
from lrfm.catalog.paper import allen_cahn as allen_cahn
from lrfm.catalog.paper import allen_cahn_long as allen_cahn_long
from lrfm.catalog.paper import burgers as burgers
from lrfm.catalog.paper import kdv as kdv
from lrfm.catalog.paper import nls as nls
from lrfm.catalog.patterns import cahn_hilliard as cahn_hilliard
from lrfm.catalog.patterns import ginzburg_landau as ginzburg_landau
from lrfm.catalog.patterns import kuramoto_sivashinsky as kuramoto_sivashinsky
from lrfm.catalog.patterns import swift_hohenberg as swift_hohenberg
from lrfm.catalog.reaction import brusselator as brusselator
from lrfm.catalog.reaction import fisher_kpp as fisher_kpp
from lrfm.catalog.reaction import fitzhugh_nagumo as fitzhugh_nagumo
from lrfm.catalog.reaction import gray_scott as gray_scott
from lrfm.catalog.record import ENTRIES, Entry
from lrfm.catalog.solitons import bbm as bbm
from lrfm.catalog.solitons import kdv_consistent as kdv_consistent
from lrfm.catalog.solitons import kdv_periodic as kdv_periodic
from lrfm.catalog.solitons import phi_four as phi_four
from lrfm.catalog.solitons import sine_gordon as sine_gordon
from lrfm.catalog.spin import spin_allen_cahn as spin_allen_cahn
from lrfm.catalog.spin import spin_belousov_zhabotinsky as spin_belousov_zhabotinsky
from lrfm.catalog.spin import spin_burgers as spin_burgers
from lrfm.catalog.spin import spin_cahn_hilliard as spin_cahn_hilliard
from lrfm.catalog.spin import spin_gray_scott as spin_gray_scott
from lrfm.catalog.spin import spin_kdv as spin_kdv
from lrfm.catalog.spin import spin_kuramoto_sivashinsky as spin_kuramoto_sivashinsky
from lrfm.catalog.spin import spin_nikolaevskiy as spin_nikolaevskiy
from lrfm.catalog.spin import spin_nls as spin_nls
from lrfm.catalog.verification import heat_1d as heat_1d
from lrfm.catalog.verification import heat_2d as heat_2d
from lrfm.catalog.verification import multiscale_1d as multiscale_1d
from lrfm.catalog.verification import multiscale_3d as multiscale_3d
from lrfm.catalog.waves import acoustics as acoustics
from lrfm.catalog.waves import advection as advection
from lrfm.catalog.waves import advection_outflow as advection_outflow
from lrfm.catalog.waves import klein_gordon as klein_gordon
from lrfm.catalog.waves import schroedinger as schroedinger
from lrfm.catalog.waves import wave as wave
from lrfm.catalog.waves import wave_2d as wave_2d
from lrfm.problem import Problem
from lrfm.problem.errors import suggest

_FAMILIES = (verification, paper, solitons, waves, beams, diffusion, reaction, patterns, flow, spin)
_ENTRIES = {
    found.name: found
    for family in _FAMILIES
    for found in ENTRIES
    if found.builder.__module__ == family.__name__
}


def names(*, spin: bool = True) -> tuple[str, ...]:
    """Names of all entries, the paper's first; without `spin` the long demos of that name are left out.

    >>> names()[:3]
    ('heat-1d', 'heat-2d', 'multiscale-1d')
    >>> names()[-1], names(spin=False)[-1]
    ('spin-nls', 'vortices')
    """
    return tuple(name for name in _ENTRIES if spin or not name.startswith("spin-"))


def entries() -> tuple[Entry, ...]:
    """All entries with their titles, sources and kinds of reference, the paper's first."""
    return tuple(_ENTRIES.values())


def spelled(name: str) -> str:
    """A name as it is written here: dashes for underscores, and Chebfun's short names in full.

    >>> spelled("spin_ac")
    'spin-allen-cahn'
    """
    plain = str(name).strip().replace("_", "-").lower()
    return spin.SHORT.get(plain, plain)


def entry(name: str) -> Entry:
    """The entry called `name`, as `spelled` reads it."""
    plain = spelled(name)
    if plain not in _ENTRIES:
        hint = suggest(plain, _ENTRIES) or f" Valid names are {', '.join(_ENTRIES)}."
        raise ValueError(
            f"The catalog has no problem called {name!r}.{hint} `lrfm.catalog.names()` lists them all."
        )
    return _ENTRIES[plain]


def get(name: str) -> Problem:
    """The problem called `name`, with its default parameters."""
    return entry(name).builder()


def parts(name: str) -> dict[str, Any]:
    """Fixed parts for one entry as keyword arguments of `lrfm.solve`; empty: it is solved automatically."""
    from lrfm.catalog.fixed import fixed_parts

    return fixed_parts(entry(name).name, get(name))
