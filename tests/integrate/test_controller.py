# SPDX-License-Identifier: MIT
"""The controller as a function: pure, monotone in the tolerance, without dead ends."""

import math
from dataclasses import replace

from hypothesis import assume, given
from hypothesis import strategies as st

from lrfm.discretize.options import Options
from lrfm.integrate.controller import Accept, Adapt, Errors, Retry, decide, step_factor

SIZES = st.floats(-18, 6).map(lambda e: 10.0**e)
LENGTHS = st.floats(-12, 3).map(lambda e: 10.0**e)
TOLS = st.floats(-12, -1).map(lambda e: 10.0**e)
KINDS = {Accept: 0, Adapt: 1, Retry: 2}  # from what costs least


@st.composite
def cases(draw):
    """Errors as the estimator makes them, with the options that they belong to."""
    options = Options(tol=draw(TOLS), stages=draw(st.sampled_from([2, 3, 5, 7])))
    time, space = (draw(st.one_of(st.just(0.0), SIZES)) for _ in range(2))
    converged = draw(st.sampled_from([True, True, True, False]))
    rate = draw(st.one_of(st.floats(0, 3), st.just(math.inf)))
    ahead = space * draw(st.floats(1, options.ahead))
    budgets = options.time_share * options.tol, options.space_share * options.tol
    errors = Errors(time, budgets[0], space, budgets[1], converged, rate, ahead)
    return errors, draw(LENGTHS), options, draw(st.booleans())


@given(cases())
def test_the_same_arguments_make_the_same_decision(case):
    assert decide(*case) == decide(*case)


@given(cases())
def test_there_are_no_dead_ends(case):
    """Repeating is strictly shorter, going on is positive and finite, cells are only asked for where some can be split."""
    errors, length, options, splittable = case
    match decide(*case):
        case Retry(shorter, refine):
            assert 0 < shorter < length
            assert splittable or not refine
            assert not refine or errors.space > options.overshoot * errors.space_budget
        case Accept(following, refine):
            assert 0 < following < math.inf
            assert refine == (errors.expected > errors.space_budget)
        case Adapt(same):
            assert same == length
            assert splittable
            assert errors.space > options.overshoot * errors.space_budget


@given(cases())
def test_growth_and_shrinking_are_bounded(case):
    _, length, options, _ = case
    decision = decide(*case)
    bound = 1 + 1e-12
    assert options.shrink * length / bound <= decision.length <= options.grow * length * bound
    if isinstance(decision, Accept):  # a little growth is not worth new factors
        assert decision.length == length or not 1 < decision.length / length < options.keep / bound


@given(cases(), st.floats(0, 6))
def test_a_looser_tolerance_never_costs_more(case, more):
    """The same errors with larger budgets: never from a kept step to a repeated one, never to a shorter one."""
    errors, length, options, splittable = case
    factor = 10.0**more
    looser = replace(
        errors, time_budget=factor * errors.time_budget, space_budget=factor * errors.space_budget
    )
    wide = replace(options, tol=factor * options.tol)
    before, after = decide(errors, length, options, splittable), decide(looser, length, wide, splittable)
    assert KINDS[type(after)] <= KINDS[type(before)]
    assert step_factor(looser, wide) >= step_factor(errors, options)
    if type(after) is type(before):
        assert after.length >= before.length
    if isinstance(before, Accept) and isinstance(after, Accept):
        assert before.refine or not after.refine


@given(cases(), st.floats(1, 1e6))
def test_a_larger_error_in_time_never_lengthens_the_step(case, factor):
    errors, length, options, splittable = case
    assume(errors.time > 0)
    larger = replace(errors, time=factor * errors.time)
    assert step_factor(larger, options) <= step_factor(errors, options)
    before, after = decide(errors, length, options, splittable), decide(larger, length, options, splittable)
    assert isinstance(after, Retry) or not isinstance(before, Retry)


@given(TOLS, st.sampled_from([2, 3, 5, 7]), st.floats(0.05, 20))
def test_the_step_size_meets_the_budget_of_an_error_with_its_order(tol, stages, excess):
    """With e = C h^(K + 1) and a budget ~ h^½ the next step has safety^(K + ½) of its budget, if the factor is not at a bound."""
    options = Options(tol=tol, stages=stages)
    errors = Errors(excess * tol, tol, 0.0, tol)
    factor = step_factor(errors, options)
    if options.shrink < factor < options.grow:
        then, budget = errors.time * factor ** (stages + 1), errors.time_budget * math.sqrt(factor)
        assert math.isclose(then / budget, options.safety ** (stages + 0.5), rel_tol=1e-9)
    else:
        assert factor == (options.shrink if excess > 1 else options.grow)


@given(cases(), st.floats(0, 4).map(lambda e: 10.0**e))
def test_what_grows_makes_the_next_step_shorter_and_nothing_else(case, grown):
    """An error whose coefficient C grew by g in a step C h^(K + ½) is expected to grow so once more: h g^(−1/(K + ½)) within bounds."""
    errors, length, options, splittable = case
    before = decide(replace(errors, grown=1.0), length, options, splittable)
    after = decide(replace(errors, grown=grown), length, options, splittable)
    assert type(after) is type(before)
    if not isinstance(after, Accept):
        assert after == before
    else:
        assert after.length <= before.length
        wanted = options.safety * (errors.time_budget / (grown * max(errors.time, 1e-300))) ** (
            1 / (options.stages + 0.5)
        )
        if options.shrink < wanted < 1:
            assert math.isclose(after.length, wanted * length, rel_tol=1e-9)
