# SPDX-License-Identifier: MIT
"""Blocks in time: the loop itself, traces across edges, checkpoints that continue bit for bit."""

import errno
import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from helpers import by_hand, thinned

import lrfm
from lrfm.solver.engine import block_edges, block_rng

HEAT = lrfm.catalog.heat_1d()
SPACE = lrfm.Liquid(features=70, weights=1.0, centers=1.1, gate=8.0, tau=(0.5, 20.0))
POINTS = lrfm.Collocation(interior=220, initial=60, boundary=30, initial_weight=10, boundary_weight=10)
PARTS = {"space": SPACE, "collocation": POINTS, "estimate": False}


def wave(**change):
    """u_tt = c² u_xx with the standing wave cos(πct) sin(πx)."""
    settings = {
        "domain": lrfm.Box(x=(0, 1)),
        "time": (0, 2),
        "initial": {"u": "sin(pi*x)", "u_t": "0"},
        "boundary": "u = 0",
        "parameters": {"c": 1.0},
        "reference": lambda x, t: np.cos(np.pi * t) * np.sin(np.pi * x),
    }
    return lrfm.Problem("u_tt = c**2*u_xx", **(settings | change))


WAVE_PARTS = {
    "space": lrfm.Liquid(
        features=90, weights=1.5, centers=1.1, gate=2.0, tau=(0.5, 20.0), oscillation=(0.0, 6.0)
    ),
    "collocation": lrfm.Collocation(
        interior=280, initial=60, boundary=30, initial_weight=20, boundary_weight=20
    ),
    "estimate": False,
}


def relative_error(solution, times):
    x = np.linspace(*solution.problem.domain.axes["x"], 61)[:, None]
    exact = solution.problem.reference(x=x, t=times)
    return np.linalg.norm(solution(x=x, t=times) - exact, axis=0) / np.linalg.norm(exact)


def vectors(solution):
    return [c for piece in solution.pieces for c in piece.coefficients.values()]


def assert_same_bits(one, two):
    assert len(vectors(one)) == len(vectors(two))
    for a, b in zip(vectors(one), vectors(two), strict=True):
        np.testing.assert_array_equal(a, b)


# The loop ---------------------------------------------------------------------------------------------------


def test_equal_blocks():
    np.testing.assert_allclose(block_edges((1.0, 3.0), 4), [1, 1.5, 2, 2.5, 3], rtol=1e-15)
    assert list(block_edges((0.1, 0.7), 1)) == [0.1, 0.7]
    assert block_edges((0.1, 0.7), 7)[-1] == 0.7


def test_given_inner_edges():
    assert list(block_edges((0.0, 1.0), [0.1, 0.4])) == [0, 0.1, 0.4, 1]
    assert list(block_edges((0.0, 1.0), np.array([0.5]))) == [0, 0.5, 1]
    assert list(block_edges((0.0, 1.0), [])) == [0, 1]


@pytest.mark.parametrize(
    "blocks",
    [
        0,
        -2,
        True,
        2.5,
        "3",
        "many",
        None,
        [0.5, 0.2],
        [0.0, 0.5],
        [1.0],
        [2.0],
        [np.nan],
        [[0.5]],
        [0.5, 0.5],
    ],
)
def test_wrong_blocks_get_a_sentence(blocks):
    with pytest.raises(ValueError, match=r"`blocks=.*must be"):
        block_edges((0.0, 1.0), blocks)


def test_random_streams_depend_on_seed_block_and_purpose_only():
    streams = {
        key: block_rng(*key).random(4).tobytes()
        for key in [(0, 0), (0, 1), (1, 0), (0, 0, 1), (0, 1, 1), (1, 1)]
    }
    assert len(set(streams.values())) == len(streams)
    assert block_rng(0, 1).random(4).tobytes() == streams[0, 1]


# Marches of equations ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("nonlinear", [False, True])
def test_one_block_is_no_march(nonlinear):
    problem = lrfm.catalog.burgers(nu=0.05) if nonlinear else HEAT
    plain = lrfm.solve(problem, **by_hand(**PARTS, seed=3))
    one = lrfm.solve(problem, **by_hand(**PARTS, seed=3, blocks=1))
    none_inside = lrfm.solve(problem, **by_hand(**PARTS, seed=3, blocks=[]))
    assert_same_bits(plain, one)
    assert_same_bits(plain, none_inside)
    assert plain.report.blocks == 1


def test_the_first_block_does_not_know_of_the_others():
    """The first of three blocks is the same as a solve that ends at its end."""
    march_ = lrfm.solve(HEAT, **by_hand(**PARTS, blocks=[0.1, 0.2], seed=5))
    alone = lrfm.solve(lrfm.catalog.heat_1d(T=0.1), **by_hand(**PARTS, seed=5))
    np.testing.assert_array_equal(march_.pieces[0].coefficients["u"], alone.pieces[0].coefficients["u"])


def test_blocks_draw_fresh_features():
    solution = lrfm.solve(HEAT, **by_hand(**PARTS, blocks=3))
    rates = [
        piece.spaces["u"].patches[0].core.rates * (piece.window[1] - piece.window[0])
        for piece in solution.pieces
    ]
    assert np.abs(rates[0] - rates[1]).max() > 0.1
    assert np.abs(rates[1] - rates[2]).max() > 0.1


def test_values_are_continuous_across_edges():
    solution = lrfm.solve(HEAT, **by_hand(**PARTS, blocks=4))
    x = np.linspace(-1, 1, 81)
    for before, after in zip(solution.pieces, solution.pieces[1:], strict=False):
        edge = before.window[1]
        assert edge == after.window[0]
        points = np.column_stack([x, np.full(81, edge)])
        jet = lrfm.problem.Jet("u", (0, 0))
        jump = after.values([jet], points)[jet] - before.values([jet], points)[jet]
        size = np.exp(-(np.pi**2) * edge)
        assert np.abs(jump).max() < 1e-5 * size
    assert relative_error(solution, np.array([0.25])) < 1e-4


def test_value_and_time_derivative_are_continuous_for_second_order():
    solution = lrfm.solve(wave(), **by_hand(**WAVE_PARTS, blocks=3))
    x = np.linspace(0, 1, 61)
    for before, after in zip(solution.pieces, solution.pieces[1:], strict=False):
        points = np.column_stack([x, np.full(61, after.window[0])])
        for order, size in (((0, 0), 1.0), ((0, 1), np.pi)):
            jet = lrfm.problem.Jet("u", order)
            jump = after.values([jet], points)[jet] - before.values([jet], points)[jet]
            assert np.abs(jump).max() < 1e-3 * size, order
    assert relative_error(solution, np.array([2.0])) < 1e-2


def test_a_wrong_trace_would_be_seen():
    """Dropping ∂ₜu at the edges turns the wave around: the march depends on both traces."""
    solution = lrfm.solve(wave(), **by_hand(**WAVE_PARTS, blocks=[0.5]))
    at_rest = lrfm.solve(
        wave(time=(0.5, 2), initial={"u": "0*x", "u_t": "0"}, reference=None),
        **by_hand(**WAVE_PARTS, strict=False),
    )
    # At t = 1/2 the string is flat and moving: from the value alone nothing would ever happen.
    assert abs(solution(x=0.5, t=1.0) + 1) < 1e-2
    assert abs(at_rest(x=0.5, t=1.0)) < 1e-2


def test_the_window_may_begin_anywhere():
    shifted = lrfm.Problem(
        "u_t = u_xx",
        domain=HEAT.domain, time=(7.0, 7.25), initial="sin(pi*x)", boundary="u = 0",
        reference=lambda x, t: np.exp(-(np.pi**2) * (t - 7)) * np.sin(np.pi * x),
    )  # fmt: skip
    solution = lrfm.solve(shifted, **by_hand(**PARTS, blocks=2))
    plain = lrfm.solve(HEAT, **by_hand(**PARTS, blocks=2))
    x = np.linspace(-1, 1, 41)[:, None]
    t = np.linspace(0, 0.25, 11)
    np.testing.assert_allclose(solution(x=x, t=t + 7), plain(x=x, t=t), atol=1e-8)


def test_errors_do_not_explode_over_blocks():
    """Decay damps the errors of earlier blocks: the last block is as good as the first."""
    solution = lrfm.solve(lrfm.catalog.heat_1d(T=0.5), **by_hand(**PARTS, blocks=6))
    errors = relative_error(solution, solution.block_edges[1:])
    size = np.exp(-(np.pi**2) * solution.block_edges[1:])
    absolute = errors * np.linalg.norm(size)
    assert absolute.max() < 1e-4
    assert absolute[-1] < 5 * absolute[0]


def test_more_blocks_resolve_a_long_window():
    problem = wave(time=(0, 4))
    few = lrfm.solve(problem, **by_hand(**WAVE_PARTS, blocks=1, strict=False))
    many = lrfm.solve(problem, **by_hand(**WAVE_PARTS, blocks=8, strict=False))
    end = np.array([4.0])
    assert relative_error(many, end)[0] < 0.05 * relative_error(few, end)[0]


def test_a_system_marches_with_all_its_fields():
    problem = lrfm.Problem(
        ["u_t = v", "v_t = -u + 0*v_x"],
        domain=lrfm.Box(x=(0, 1)), time=(0, 2), initial={"u": "1 + x", "v": "0"}, boundary={"x": None},
    )  # fmt: skip
    solution = lrfm.solve(
        problem, **by_hand(**PARTS | {"space": lrfm.Liquid(features=70, weights=0.5)}, blocks=2)
    )
    values = solution(x=0.5, t=np.array([0.5, 1.5, 2.0]))
    np.testing.assert_allclose(values["u"], 1.5 * np.cos([0.5, 1.5, 2.0]), atol=1e-3)
    np.testing.assert_allclose(values["v"], -1.5 * np.sin([0.5, 1.5, 2.0]), atol=1e-3)


def test_every_block_has_its_report():
    solution = lrfm.solve(HEAT, **by_hand(**PARTS, blocks=[0.05, 0.1]))
    reports = solution.report.block_reports
    assert [r.window for r in reports] == [(0.0, 0.05), (0.05, 0.1), (0.1, 0.25)]
    assert solution.report.blocks == 3
    assert solution.report.residual == max(r.residual for r in reports)
    assert solution.report.rank == min(r.rank for r in reports)
    for report in reports:
        assert report.converged
        assert (report.rows, report.columns) == (220 + 60 + 2 * 30, 70)
        assert 0 < report.residual < 1e-2
        assert report.seconds > 0
        assert list(report.residual_by_group) == [
            "The equation", "`boundary` on `x-`", "`boundary` on `x+`", "`initial` of `u`",
        ]  # fmt: skip


# Checkpoints ------------------------------------------------------------------------------------------------


class Broken(Exception):
    """Thrown by a progress callback."""


@pytest.mark.parametrize("interrupt", thinned([KeyboardInterrupt, Broken], 2))
@pytest.mark.parametrize("after", [1, 2, 3])
def test_a_march_that_was_broken_off_continues_bit_for_bit(tmp_path, after, interrupt):
    path = tmp_path / "march.lrfm"
    whole = lrfm.solve(HEAT, **by_hand(**PARTS, blocks=4, seed=2))

    def stop(stage, done, total):
        if done > after:
            raise interrupt

    with pytest.raises(interrupt):
        lrfm.solve(HEAT, **by_hand(**PARTS, blocks=4, seed=2, checkpoint=path, progress=stop))
    assert path.exists()
    seen = []
    resumed = lrfm.solve(
        HEAT, **by_hand(**PARTS, blocks=4, seed=2, checkpoint=path, progress=lambda *what: seen.append(what))
    )
    assert_same_bits(resumed, whole)
    # A window is kept before it is announced: the one whose announcement broke the march off is not solved again.
    assert [done for _, done, _ in seen] == list(range(after + 2, 5))
    assert [r.window for r in resumed.report.block_reports] == [r.window for r in whole.report.block_reports]
    x = np.linspace(-1, 1, 21)[:, None]
    t = np.linspace(0, 0.25, 21)
    np.testing.assert_array_equal(resumed(x=x, t=t), whole(x=x, t=t))


def test_second_order_and_nonlinear_marches_continue_too(tmp_path):
    problems = {"wave": (wave(), WAVE_PARTS), "burgers": (lrfm.catalog.burgers(nu=0.05), PARTS)}
    for name, (problem, parts) in problems.items():

        def stop(stage, done, total):
            if done == 2:
                raise Broken

        whole = lrfm.solve(problem, **by_hand(**parts, blocks=3))
        with pytest.raises(Broken):
            lrfm.solve(problem, **by_hand(**parts, blocks=3, checkpoint=tmp_path / name, progress=stop))
        assert_same_bits(lrfm.solve(problem, **by_hand(**parts, blocks=3, checkpoint=tmp_path / name)), whole)


def test_the_estimate_of_a_resumed_march_is_the_same(tmp_path):
    parts = PARTS | {"estimate": True}

    def stop(stage, done, total):
        if done == 2:
            raise Broken

    whole = lrfm.solve(HEAT, **by_hand(**parts, blocks=2))
    with pytest.raises(Broken):
        lrfm.solve(HEAT, **by_hand(**parts, blocks=2, checkpoint=tmp_path / "c", progress=stop))
    resumed = lrfm.solve(HEAT, **by_hand(**parts, blocks=2, checkpoint=tmp_path / "c"))
    assert resumed.report.error_estimate == whole.report.error_estimate
    assert resumed.report.max_error_estimate == whole.report.max_error_estimate


def test_a_finished_checkpoint_is_the_answer(tmp_path):
    first = lrfm.solve(HEAT, **by_hand(**PARTS, blocks=2, checkpoint=tmp_path / "c"))
    seen = []
    again = lrfm.solve(
        HEAT,
        **by_hand(**PARTS, blocks=2, checkpoint=tmp_path / "c", progress=lambda *what: seen.append(what)),
    )
    assert_same_bits(first, again)
    assert seen == []


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"seed": 1}, "seed"),
        ({"blocks": 4}, "edges"),
        ({"space": lrfm.Liquid(features=71)}, "parts"),
        ({"collocation": lrfm.Collocation(interior=221, initial=60, boundary=30)}, "parts"),
        ({"problem": lrfm.catalog.heat_1d(T=0.26)}, "statement"),
        ({"problem": wave(time=(0, 0.25))}, "statement"),
    ],
)
def test_a_foreign_checkpoint_is_refused(tmp_path, change, named):
    path = tmp_path / "c"
    given = {"problem": HEAT, **PARTS, "blocks": 2, "seed": 0}
    lrfm.solve(**by_hand(checkpoint=path, **given))
    kept = path.read_bytes()
    with pytest.raises(
        ValueError, match=rf"belongs to another integration \(different: .*{named}.*delete it or name another"
    ):
        lrfm.solve(**by_hand(checkpoint=path, **(given | change)))
    assert path.read_bytes() == kept


def test_ridge_centers_belong_to_a_checkpoint(tmp_path):
    """Two spaces that differ only in the numbers of an array are two spaces."""
    spaces = [lrfm.Liquid(features=70, centers=np.full((3, 1), x)) for x in (0.1, 0.2)]
    lrfm.solve(
        HEAT, **by_hand(**PARTS | {"space": spaces[0]}, blocks=2, strict=False, checkpoint=tmp_path / "c")
    )
    with pytest.raises(ValueError, match="belongs to another integration"):
        lrfm.solve(
            HEAT, **by_hand(**PARTS | {"space": spaces[1]}, blocks=2, strict=False, checkpoint=tmp_path / "c")
        )


def test_a_file_of_another_kind_is_no_checkpoint(tmp_path):
    path = tmp_path / "c"
    path.write_text("not a checkpoint")
    with pytest.raises(lrfm.FileFormatError, match="not a whole lrfm file"):
        lrfm.solve(HEAT, **by_hand(**PARTS, blocks=2, checkpoint=path))
    lrfm.solve(HEAT, **by_hand(**PARTS)).save(tmp_path / "saved")
    with pytest.raises(ValueError, match=r"checkpoint|march"):
        lrfm.solve(HEAT, **by_hand(**PARTS, blocks=2, checkpoint=tmp_path / "saved"))


@pytest.mark.parametrize("missing", [1, 100, 3000])
def test_a_window_that_was_cut_short_is_solved_again(tmp_path, missing, monkeypatch):
    """A window is in the file whole or not at all; those before it stay."""
    monkeypatch.setattr("lrfm.solver.checkpoint.PACE", 0)
    path, seen = tmp_path / "c", []
    whole = lrfm.solve(HEAT, **by_hand(**PARTS, blocks=3, checkpoint=path))
    path.write_bytes(path.read_bytes()[:-missing])
    again = lrfm.solve(
        HEAT, **by_hand(**PARTS, blocks=3, checkpoint=path, progress=lambda *what: seen.append(what))
    )
    assert_same_bits(again, whole)
    assert [done for _, done, _ in seen] == [3]
    seen.clear()
    lrfm.solve(HEAT, **by_hand(**PARTS, blocks=3, checkpoint=path, progress=lambda *what: seen.append(what)))
    assert seen == []


def test_a_checkpoint_damaged_in_its_middle_is_refused(tmp_path):
    path = tmp_path / "c"
    lrfm.solve(HEAT, **by_hand(**PARTS, blocks=3, checkpoint=path))
    content = bytearray(path.read_bytes())
    content[300] ^= 1  # of the first frame
    path.write_bytes(content)
    with pytest.raises(lrfm.FileFormatError, match="damaged in its middle"):
        lrfm.solve(HEAT, **by_hand(**PARTS, blocks=3, checkpoint=path))
    assert path.read_bytes() == content


def test_windows_are_appended(tmp_path, monkeypatch):
    """The file grows in place, by as much for a late window as for an early one."""
    monkeypatch.setattr("lrfm.solver.checkpoint.PACE", 0)  # all of them, however short they are
    path, sizes, files = tmp_path / "c", [0], set()

    def look(stage, done, total):
        sizes.append(path.stat().st_size)
        files.add(path.stat().st_ino)

    lrfm.solve(HEAT, **by_hand(**PARTS, blocks=12, checkpoint=path, progress=look))
    assert len(files) == 1
    steps = np.diff(sizes[1:])
    assert len(steps) == 11
    assert np.ptp(steps) < 200


def test_a_march_goes_on_when_its_checkpoint_cannot_be_written(tmp_path, monkeypatch):
    monkeypatch.setattr("lrfm.solver.checkpoint.PACE", 0)
    path = tmp_path / "c"
    whole = lrfm.solve(HEAT, **by_hand(**PARTS, blocks=4))
    written, write = [], os.fsync

    def full(descriptor):
        written.append(descriptor)
        if len(written) in (4, 5):  # in the middle of the march
            raise OSError(errno.ENOSPC, "No space left on device")
        write(descriptor)

    monkeypatch.setattr("os.fsync", full)
    with pytest.warns(RuntimeWarning, match="No space left on device.*goes on without it"):
        solution = lrfm.solve(HEAT, **by_hand(**PARTS, blocks=4, checkpoint=path))
    monkeypatch.undo()
    assert_same_bits(solution, whole)
    # Later windows were written with the one that was missing.
    assert_same_bits(lrfm.solve(HEAT, **by_hand(**PARTS, blocks=4, checkpoint=path)), whole)


def test_a_checkpoint_that_could_not_be_written_is_refused_before_the_march(tmp_path):
    with pytest.raises(FileNotFoundError, match="folder that does not exist"):
        lrfm.solve(HEAT, **by_hand(**PARTS, checkpoint=tmp_path / "nowhere" / "c", progress=pytest.fail))


def test_an_automatic_march_continues_bit_for_bit(tmp_path):
    automatic = {"features": 24, "blocks": 3, "strict": False, "estimate": False}

    def stop(stage, done, total):
        if stage == "solving" and done == 3:
            raise Broken

    whole = lrfm.solve(HEAT, **by_hand(**automatic))
    with pytest.raises(Broken):
        lrfm.solve(HEAT, **by_hand(**automatic, checkpoint=tmp_path / "c", progress=stop))
    assert_same_bits(lrfm.solve(HEAT, **by_hand(**automatic, checkpoint=tmp_path / "c")), whole)


def bump(x):
    return np.exp(-20 * x**2) * (1 - x**2)


SCRIPT = """
    import sys
    import numpy as np, lrfm

    def bump(x):
        return np.exp(-20 * x**2) * (1 - x**2)

    def stop(stage, done, total):
        if done == 2 and sys.argv[2] == "break":
            raise SystemExit(7)

    box = lrfm.Box(x=(-1, 1))
    problem = lrfm.Problem("u_t = u_xx", domain=box, time=(0, 0.1), initial=bump, boundary="u = 0")
    solution = lrfm.solve(
        problem, space=lrfm.Liquid(features=50, weights=3.0), blocks=3, estimate=False, strict=False,
        checkpoint=sys.argv[1], progress=stop,
    )
    sys.stdout.write(solution.pieces[-1].coefficients["u"].tobytes().hex())
"""


def test_another_process_continues_a_march_with_data_given_as_functions(tmp_path):
    """A function is known by its name; its address in another process must not matter."""
    script = tmp_path / "script.py"
    script.write_text(textwrap.dedent(SCRIPT))

    def run(what):
        command = [sys.executable, script, tmp_path / "c", what]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    assert run("break").returncode == 7
    resumed = run("go")
    assert resumed.returncode == 0, resumed.stderr
    problem = lrfm.Problem(
        "u_t = u_xx", domain=lrfm.Box(x=(-1, 1)), time=(0, 0.1), initial=bump, boundary="u = 0"
    )
    space = lrfm.Liquid(features=50, weights=3.0)
    whole = lrfm.solve(problem, method=lrfm.SpaceTime(space=space, blocks=3), estimate=False, strict=False)
    assert resumed.stdout == whole.pieces[-1].coefficients["u"].tobytes().hex()
