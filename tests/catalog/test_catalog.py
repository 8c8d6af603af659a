# SPDX-License-Identifier: MIT
"""The catalog as a list: names, metadata, building, and what is said about a wrong name."""

import inspect
import re

import numpy as np
import pytest

from lrfm import catalog
from lrfm.problem import Problem

# What an entry computes for its reference is kept in a process: one worker makes it once for all these tests.
pytestmark = pytest.mark.xdist_group("catalog")
WARNED = {"kdv", "spin-burgers"}  # their data contradict each other where the circle closes
PAPER = {
    "heat-1d",
    "heat-2d",
    "allen-cahn",
    "allen-cahn-long",
    "burgers",
    "kdv",
    "nls",
    "multiscale-1d",
    "multiscale-3d",
}


def test_holds_the_paper_first_and_many_more():
    names = catalog.names()
    assert len(set(names)) == len(names) >= 30
    assert set(names[: len(PAPER)]) == PAPER


@pytest.mark.parametrize("name", catalog.names())
def test_entry_builds_under_its_own_name(name):
    problem = catalog.get(name)
    assert isinstance(problem, Problem)
    assert problem.name == name
    assert problem.warnings == () or name in WARNED, problem.warnings


@pytest.mark.parametrize("entry", catalog.entries(), ids=lambda e: e.name)
def test_metadata_is_complete(entry):
    texts = (entry.title, entry.equation, entry.source, entry.summary)
    assert all(isinstance(text, str) and text.strip() for text in texts)
    assert entry.summary.endswith(".")
    assert not re.search(r"\b(sub)*sec:|\beq:|\bfig:|\\\\", " ".join(texts)), (
        "a label of the paper is no title"
    )
    assert entry.reference in ("exact", "Cole-Hopf quadrature", "Fourier, exponential integrator", "none")
    assert (entry.reference == "none") == (entry.builder().reference is None)
    assert getattr(catalog, entry.name.replace("-", "_")) is entry.builder
    parameters = inspect.signature(entry.builder).parameters.values()
    assert all(p.kind is p.KEYWORD_ONLY and p.default is not p.empty for p in parameters)


@pytest.mark.parametrize("name", [e.name for e in catalog.entries() if e.reference != "none"])
def test_reference_broadcasts_by_name(name):
    problem = catalog.get(name)
    references = problem.reference if isinstance(problem.reference, dict) else {None: problem.reference}
    if None not in references:
        assert set(references) == set(problem.unknowns)
    ends = [*problem.domain.axes.values(), problem.time]
    axes = np.ix_(*(np.linspace(*end, 3 + i) for i, end in enumerate(ends)))
    names = (*problem.domain.names, "t")
    for unknown, reference in references.items():
        values = reference(**dict(zip(names, axes, strict=True)))
        assert values.shape == np.broadcast_shapes(*(a.shape for a in axes))
        assert np.all(np.isfinite(values))
        kind = problem.unknowns[unknown or next(iter(problem.unknowns))]
        assert np.iscomplexobj(values) == (kind is complex)
        corner = reference(**dict(zip(names, (float(a.flat[1]) for a in axes), strict=True)))
        assert np.shape(corner) == ()
        assert corner == pytest.approx(values[(1,) * values.ndim], rel=1e-12, abs=1e-14)


def test_the_demos_of_spin_are_all_there_and_can_be_left_out():
    demos = [name for name in catalog.names() if name not in catalog.names(spin=False)]
    short = ("ac", "burg", "bz", "ch", "gs", "kdv", "ks", "niko", "nls")
    assert [catalog.entry(f"spin-{key}").name for key in short] == demos


def test_underscores_are_read_as_dashes():
    assert catalog.entry("allen_cahn").name == "allen-cahn"


@pytest.mark.parametrize("lookup", [catalog.get, catalog.parts, catalog.entry])
def test_wrong_name_gets_a_sentence_with_the_nearest(lookup):
    with pytest.raises(ValueError, match=r"no problem called 'allen-can'.*Did you mean `allen-cahn`"):
        lookup("allen-can")
    with pytest.raises(ValueError, match=r"Valid names are heat-1d, .*names\(\)"):
        lookup("zzz")


def test_parts_is_a_fresh_dictionary():
    parts = catalog.parts("heat-1d")
    assert isinstance(parts, dict)
    parts["changed"] = True
    assert "changed" not in catalog.parts("heat-1d")


def test_parameters_reach_statement_and_reference():
    problem = catalog.allen_cahn(eps=0.1, T=0.2)
    assert problem.parameters == {"eps": 0.1}
    assert problem.time == (0.0, 0.2)
    x = np.linspace(-1, 1, 9)
    weak, strong = catalog.allen_cahn(eps=1e-3, T=0.2), problem
    assert np.abs(weak.reference(x=x, t=0.2) - strong.reference(x=x, t=0.2)).max() > 1e-2
