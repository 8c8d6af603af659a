# SPDX-License-Identifier: MIT
"""Rows of the study: matched capacity, the paper's counts of rows, plain data."""

from dataclasses import replace

import numpy as np
import pytest
from helpers import thinned
from paper.case import METHODS, Case
from paper.plan import Plan, data_file

from lrfm.spacetime.windows.window import sample_space


@pytest.mark.parametrize("name", data_file("settings"))
@pytest.mark.parametrize("method", thinned([*METHODS, "frozen"], 2))
def test_every_method_has_the_same_number_of_features(name, method):
    case = replace(Plan().case(name), per_patch=5)
    problem = case.statement()
    space = sample_space(problem, case.space(method), problem.time, np.random.default_rng(0))
    assert space.size == case.features


@pytest.mark.parametrize("name", data_file("settings"))
def test_a_case_survives_plain_data(name):
    case = Plan().case(name)
    assert Case.from_dict(case.to_dict()) == case


def test_unknown_method_is_refused_with_the_known_ones():
    with pytest.raises(ValueError, match=r"`method='rbf'` is not known; expected one of sov, stc"):
        Plan().case("heat-1d").space("rbf")


def test_collocation_rows_are_those_the_paper_counts():
    from lrfm.solver.api import plan

    for row in data_file("published")["collocation_sensitivity"]["rows"]:
        case = Plan().case("heat-1d", rows=(row["interior"], row["initial"], row["boundary"]))
        assert plan(case.statement(), method=case.method("local")).rows == row["n"]


def test_heat_2d_has_the_printed_total_of_rows():
    from lrfm.solver.api import plan

    case = Plan().case("heat-2d")
    counted = plan(case.statement(), method=case.method("local")).rows
    assert abs(counted - 1370) < 30  # tensor grids round the counts


def test_sizes_are_the_papers():
    sizes = {name: Plan().case(name).features for name in data_file("settings")}
    main = data_file("published")["main"]
    assert sizes["allen-cahn"] == main["allen_cahn"]["P"]
    assert sizes["burgers"] == main["burgers"]["P"]
    assert sizes["kdv"] == main["kdv"]["P"]
    assert 2 * sizes["nls"] == main["nls"]["P"]  # real and imaginary part
    assert sizes["multiscale-3d"] == 3840


@pytest.mark.parametrize("name", data_file("tuned"))
def test_tuned_has_the_size_of_its_row(name):
    row = "kdv" if name == "kdv-consistent" else name
    assert data_file("tuned")[name]["features"] == Plan().case(row).features
