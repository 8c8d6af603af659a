# SPDX-License-Identifier: MIT
"""Named problems with exact or independently computed reference solutions.

>>> from lrfm import catalog
>>> catalog.get("allen-cahn").name == catalog.allen_cahn().name
True
"""

import difflib

from lrfm.catalog import beams, diffusion, flow, paper, patterns, reaction, solitons, verification, waves
from lrfm.catalog.beams import beam, cantilever
from lrfm.catalog.diffusion import (
    advection_diffusion,
    black_scholes,
    burgers_front,
    fokker_planck,
    heat_radiation,
)
from lrfm.catalog.flow import taylor_green, vortices
from lrfm.catalog.paper import (
    allen_cahn,
    allen_cahn_long,
    burgers,
    kdv,
    nls,
)
from lrfm.catalog.patterns import cahn_hilliard, ginzburg_landau, kuramoto_sivashinsky, swift_hohenberg
from lrfm.catalog.reaction import brusselator, fisher_kpp, fitzhugh_nagumo, gray_scott
from lrfm.catalog.record import Entry
from lrfm.catalog.solitons import bbm, kdv_consistent, kdv_periodic, phi_four, sine_gordon
from lrfm.catalog.verification import heat_1d, heat_2d, multiscale_1d, multiscale_3d
from lrfm.catalog.waves import (
    acoustics,
    advection,
    advection_outflow,
    klein_gordon,
    schroedinger,
    wave,
    wave_2d,
)
from lrfm.problem import Problem

_FAMILIES = (verification, paper, solitons, waves, beams, diffusion, reaction, patterns, flow)
_ENTRIES = {entry.name: entry for family in _FAMILIES for entry in family.ENTRIES}


def names() -> tuple[str, ...]:
    """Names of all entries, the paper's first."""
    return tuple(_ENTRIES)


def entries() -> tuple[Entry, ...]:
    """All entries with their titles, sources and kinds of reference, the paper's first."""
    return tuple(_ENTRIES.values())


def entry(name: str) -> Entry:
    """The entry called `name`; underscores are read as dashes."""
    found = _ENTRIES.get(str(name).replace("_", "-").lower())
    if found is None:
        near = difflib.get_close_matches(str(name), _ENTRIES, n=3, cutoff=0.5)
        hint = (
            f"Did you mean {' or '.join(map(repr, near))}?"
            if near
            else f"Valid names are {', '.join(_ENTRIES)}."
        )
        raise ValueError(
            f"The catalog has no problem called {name!r}. {hint} `lrfm.catalog.names()` lists them all."
        )
    return found


def get(name: str) -> Problem:
    """The problem called `name`, with its default parameters."""
    return entry(name).builder()


def parts(name: str) -> dict[str, object]:
    """Fixed parts for one entry as keyword arguments of `lrfm.solve`; empty: it is solved automatically."""
    from lrfm.catalog.fixed import fixed_parts

    return fixed_parts(entry(name).name, get(name))


__all__ = [
    "Entry",
    "acoustics",
    "advection",
    "advection_diffusion",
    "advection_outflow",
    "allen_cahn",
    "allen_cahn_long",
    "bbm",
    "beam",
    "black_scholes",
    "brusselator",
    "burgers",
    "burgers_front",
    "cahn_hilliard",
    "cantilever",
    "entries",
    "entry",
    "fisher_kpp",
    "fitzhugh_nagumo",
    "fokker_planck",
    "get",
    "ginzburg_landau",
    "gray_scott",
    "heat_1d",
    "heat_2d",
    "heat_radiation",
    "kdv",
    "kdv_consistent",
    "kdv_periodic",
    "klein_gordon",
    "kuramoto_sivashinsky",
    "multiscale_1d",
    "multiscale_3d",
    "names",
    "nls",
    "parts",
    "phi_four",
    "schroedinger",
    "sine_gordon",
    "swift_hohenberg",
    "taylor_green",
    "vortices",
    "wave",
    "wave_2d",
]
