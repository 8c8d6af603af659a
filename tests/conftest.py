# SPDX-License-Identifier: MIT
"""Tests that share something made once for their file stay on one worker, so that it is made once; limits of time are those of the processor."""

import gc
import json
import os
import subprocess
import sys
import time

import helpers
import pytest
from helpers import environment
from hypothesis import HealthCheck, settings

from lrfm.solver import budget

# No example has a limit of time either: a busy machine makes none fail.
settings.register_profile("busy", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("busy")
budget.now = time.process_time  # `max_seconds` of a solve does not pass while other programs have the machine


# A Python that has loaded the package, and runs each script that it is told of in a copy of itself.
COPIES = """
import json, os, runpy, sys, traceback
import lrfm.cli, lrfm.solver.api, lrfm.solution.plot, matplotlib.pyplot
for line in sys.stdin:
    script, folder, said = json.loads(line)
    child = os.fork()
    if not child:
        os.chdir(folder)
        stream = os.open(said, os.O_WRONLY | os.O_CREAT)
        os.dup2(stream, 1), os.dup2(stream, 2)
        sys.argv, code = [script], 0
        try:
            runpy.run_path(script, run_name="__main__")
        except BaseException:
            traceback.print_exc()
            code = 1
        sys.stdout.flush(), sys.stderr.flush()
        os._exit(code)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


@pytest.fixture(scope="session")
def run_script():
    """Scripts run by themselves, without loading the package for each of them: (script, folder) to a code and what was said."""
    words, pipe = [sys.executable, "-c", COPIES], subprocess.PIPE
    with subprocess.Popen(words, stdin=pipe, stdout=pipe, text=True, env=environment()) as copies:

        def run(script, folder):
            said = folder / "said.txt"
            copies.stdin.write(json.dumps([os.fspath(script), os.fspath(folder), os.fspath(said)]) + "\n")
            copies.stdin.flush()
            code = int(copies.stdout.readline())
            return code, said.read_text(encoding="utf-8")

        yield run
        copies.stdin.close()


def pytest_configure(config):
    """Without `thorough` tests draw a third of their examples."""
    helpers.every_example = "not thorough" not in config.option.markexpr
    settings.register_profile("some", helpers.examples(settings.default.max_examples))
    settings.load_profile("busy" if helpers.every_example else "some")


def pytest_runtest_teardown():
    """No figure stays open behind its test: Matplotlib warns of the twenty-first."""
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


@pytest.hookimpl(tryfirst=True)  # before xdist looks for the marks
def pytest_collection_modifyitems(items):
    for item in items:
        made = [found[-1] for found in item._fixtureinfo.name2fixturedefs.values()]
        if any(fixture.scope == "module" for fixture in made):
            item.add_marker(pytest.mark.xdist_group(item.path.as_posix()))


def pytest_collection_finish():
    """What is there when the tests begin stays to their end: no search for garbage goes through it again."""
    gc.collect()
    gc.freeze()
