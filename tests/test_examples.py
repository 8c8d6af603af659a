# SPDX-License-Identifier: MIT
"""Every example runs, and says the number it should."""

import json
from pathlib import Path

import pytest

from lrfm.cli import main
from lrfm.problem.file import read

EXAMPLES = Path(__file__).parents[1] / "examples"
NUMBERS = {
    "heat_flux.py": (1.1708962, 1e-6),
    "soliton_mass.py": (1.9998, 1e-4),
    "measured_source.py": (0.90536, 1e-3),
}


def test_there_are_examples_of_every_kind():
    problems = [read(path).problem for path in EXAMPLES.glob("*.toml")]
    assert len(problems) >= 8
    assert any(problem.periodic for problem in problems)
    assert any(complex in problem.unknowns.values() for problem in problems)
    assert any(len(problem.unknowns) > 1 for problem in problems)
    assert any(2 in problem.time_orders.values() for problem in problems)
    assert any(problem.domain.dimension > 1 for problem in problems)
    assert any(problem.face_rows and not all(problem.face_rows.values()) for problem in problems)
    assert not any(problem.warnings for problem in problems)


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.toml")), ids=lambda path: path.stem)
def test_statement(path, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["solve", str(path), "--json"])
    told = json.loads(capsys.readouterr().out)
    assert ended.value.code == 0, told
    assert told["status"] == ("estimate only" if told["tolerance"] is None else "tolerance met")
    assert told["error_estimate"] <= (told["tolerance"] or 1e-2)
    if told["true_error"] is not None:
        assert told["true_error"] <= told["tolerance"]


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.py")), ids=lambda path: path.stem)
def test_script(path, tmp_path, run_script):
    assert len(path.read_text(encoding="utf-8").splitlines()) < 40
    code, said = run_script(path, tmp_path)
    assert code == 0, said
    value, tolerance = NUMBERS[path.name]
    assert float(said) == pytest.approx(value, rel=tolerance)
