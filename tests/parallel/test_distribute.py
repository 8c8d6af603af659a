# SPDX-License-Identifier: MIT
"""Many tasks: kept at once, resumed, tried again when a worker dies, failing as records."""

import json
import multiprocessing
import subprocess
import sys
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor

import pytest

from lrfm.linalg import threads
from lrfm.parallel.tasks import Done, Folder, Given, Here, Memory, Processes, Task, choose_place, run_tasks
from lrfm.parallel.tasks.ledger import RESULTS

# Workers import it by name, which the modules of the tests do not allow.
MODULE = """
import os, pathlib, signal
from lrfm.parallel.tasks import Done

def twice(n):
    if n < 0:
        raise ValueError(f"{n} is negative")
    return Done({"twice": 2 * n}, {f"files/{n}.txt": str(n).encode()})

def die_once(mark):
    path = pathlib.Path(mark)
    if path.suffix == ".mortal" and not path.exists():
        path.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return Done({"lived": path.name})

def die(n):
    if n == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    return Done({"n": n})

def blas(_):
    import numpy, threadpoolctl
    return Done({"threads": [pool["num_threads"] for pool in threadpoolctl.threadpool_info() if pool["user_api"] == "blas"]})
"""


@pytest.fixture
def calls(tmp_path, monkeypatch):
    """The functions above, importable here and in worker processes."""
    folder = tmp_path / "importable"
    folder.mkdir()
    (folder / "task_functions.py").write_text(MODULE)
    monkeypatch.syspath_prepend(folder)
    import task_functions

    yield task_functions
    sys.modules.pop("task_functions")


def tasks(*payloads, **options):
    return [Task(key=f"k{i}", label=str(p), payload=p, **options) for i, p in enumerate(payloads)]


def plain(records):
    """Records without their seconds and the digest that covers them."""
    return {key: {**record, "took": 0, "digest": ""} for key, record in records.items()}


# Results ----------------------------------------------------------------------------------------------------


def test_a_failed_task_is_a_record_that_says_so(calls, tmp_path):
    records = run_tasks(calls.twice, tasks(1, -2, 3), Here(), Folder(tmp_path / "out"))
    assert [records[f"k{i}"]["ok"] for i in range(3)] == [True, False, True]
    assert records["k1"]["message"] == "ValueError: -2 is negative"
    assert records["k2"]["values"] == {"twice": 6}
    assert (tmp_path / "out" / "files" / "3.txt").read_bytes() == b"3"


def test_what_is_done_is_not_done_again(calls, tmp_path):
    ledger, seen = Folder(tmp_path), []
    first = run_tasks(calls.twice, tasks(1, 2, -3), Here(), ledger)
    (tmp_path / "files" / "2.txt").unlink()
    expected = tasks(1, 2, -3, 4)
    expected[1] = Task(key="k1", label="2", payload=2, files=("files/2.txt",))
    count = len((tmp_path / RESULTS).read_text().splitlines())
    again = run_tasks(calls.twice, expected, Here(), ledger, notify=seen.append)
    # The file that vanished, the failure and the new task are run; the first one is not.
    assert len((tmp_path / RESULTS).read_text().splitlines()) == count + 3
    assert [(p.done, p.total) for p in seen] == [(1, 4), (2, 4), (3, 4), (4, 4)]
    assert again["k0"] == first["k0"]
    assert ledger.has("files/2.txt")


def test_a_line_cut_short_is_skipped_and_does_not_swallow_the_next(calls, tmp_path):
    run_tasks(calls.twice, tasks(1, 2), Here(), Folder(tmp_path))
    whole = (tmp_path / RESULTS).read_text()
    (tmp_path / RESULTS).write_text(whole[:-20])
    for expected in ({"k0"}, {"k0", "k1"}):
        with pytest.warns(RuntimeWarning, match=r"damaged in 1 line \(the first is line 2\).*run again"):
            assert Folder(tmp_path).load().keys() == expected
        with pytest.warns(RuntimeWarning, match="damaged"):
            run_tasks(calls.twice, tasks(1, 2), Here(), Folder(tmp_path))


@pytest.mark.parametrize(
    "damage",
    [
        lambda line: line[:-20],
        lambda line: line.replace(b"6", b"7"),  # a number that is another
        lambda line: b"\xff\xfe" + line,
        lambda line: b"[" * 100_000,
        lambda line: b'{"key": "k2"}',
        lambda line: b'["k2"]',
        lambda line: b'{"key": ["k2"], "ok": true}',
    ],
)
def test_a_damaged_line_is_skipped_said_and_run_again(calls, tmp_path, damage):
    run_tasks(calls.twice, tasks(1, 2, 3, 4), Here(), Folder(tmp_path))
    lines = (tmp_path / RESULTS).read_bytes().split(b"\n")
    lines[2] = damage(lines[2])
    (tmp_path / RESULTS).write_bytes(b"\n".join(lines))
    with pytest.warns(RuntimeWarning, match="damaged in 1 line .*line 3"):
        again = run_tasks(calls.twice, tasks(1, 2, 3, 4), Here(), Folder(tmp_path))
    assert [again[f"k{i}"]["values"] for i in range(4)] == [{"twice": 2 * n} for n in (1, 2, 3, 4)]
    assert len((tmp_path / RESULTS).read_bytes().splitlines()) == 5


@pytest.mark.parametrize("damage", [lambda content: content[:-1], lambda content: b"", lambda content: b"8"])
def test_a_file_that_is_not_whole_counts_as_not_done(calls, tmp_path, damage):
    orders = [Task(key="k0", label="2", payload=2, files=("files/2.txt",))]
    run_tasks(calls.twice, orders, Here(), Folder(tmp_path))
    file = tmp_path / "files" / "2.txt"
    file.write_bytes(damage(file.read_bytes()))
    run_tasks(calls.twice, orders, Here(), Folder(tmp_path))
    assert file.read_bytes() == b"2"
    assert len((tmp_path / RESULTS).read_text().splitlines()) == 2


def test_order_is_long_ones_first_and_exclusive_ones_last():
    done = []
    todo = [
        Task(key="a", label="", payload="short", cost=1.0),
        Task(key="b", label="", payload="exclusive", cost=9.0, exclusive=True),
        Task(key="c", label="", payload="long", cost=5.0),
    ]
    run_tasks(lambda p: done.append(p) or Done({}), todo, Here(), Memory())
    assert done == ["long", "short", "exclusive"]


def test_an_interruption_keeps_what_was_finished(calls, tmp_path):
    def stop(progress):
        if progress.done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_tasks(calls.twice, tasks(1, 2, 3), Here(), Folder(tmp_path), notify=stop)
    assert Folder(tmp_path).load().keys() == {"k0", "k1"}


# Processes --------------------------------------------------------------------------------------------------


def test_processes_give_the_records_of_this_process(calls):
    here = run_tasks(calls.twice, tasks(5, -1, 7), Here(), Memory())
    there = run_tasks(calls.twice, tasks(5, -1, 7), Processes(2), Memory())
    assert plain(there) == plain(here)


def test_a_task_whose_worker_died_is_tried_again(calls, tmp_path):
    marks = [str(tmp_path / name) for name in ("a", "b.mortal", "c", "d")]
    records = run_tasks(calls.die_once, tasks(*marks), Processes(2), Memory())
    assert [records[f"k{i}"]["values"].get("lived") for i in range(4)] == ["a", "b.mortal", "c", "d"]


def test_a_task_that_no_worker_survives_is_a_record_too(calls):
    records = run_tasks(calls.die, tasks(0, 1, 2), Processes(2), Memory(), retries=1)
    assert [records[f"k{i}"]["ok"] for i in range(3)] == [False, True, True]
    assert "its worker died 2 times" in records["k0"]["message"]


def test_workers_have_one_blas_thread(calls):
    for place in (Here(), Processes(2)):
        found = run_tasks(calls.blas, tasks(0), place, Memory())["k0"]["values"]["threads"]
        assert found
        assert set(found) == {1}


def test_what_cannot_be_sent_gets_a_sentence():
    with pytest.raises(RuntimeError, match=r"could not be sent to a worker.*top level of a module"):
        run_tasks(lambda n: n, tasks(1), Processes(2), Memory())


def test_a_script_without_a_guard_gets_a_sentence(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "from lrfm.parallel.tasks import *\n"
        "run_tasks(str, [Task(key='a', label='', payload=1)], Processes(2), Memory())\n"
    )
    ended = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False)
    assert ended.returncode != 0
    assert ended.stderr.splitlines()[-1].startswith("RuntimeError: Worker processes could not start.")


def test_environment_of_workers_is_put_back(monkeypatch):
    import os

    monkeypatch.setenv(threads.VARIABLES[0], "8")
    monkeypatch.delenv(threads.VARIABLES[1], raising=False)
    with threads.one_in_children():
        assert {os.environ[name] for name in threads.VARIABLES} == {"1"}
    assert os.environ[threads.VARIABLES[0]] == "8"
    assert threads.VARIABLES[1] not in os.environ


# Executors --------------------------------------------------------------------------------------------------


def spawning(workers):
    return ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn"))


@pytest.mark.parametrize("kind", [ThreadPoolExecutor, spawning])
def test_any_executor_gives_the_records_of_this_process_and_stays_open(calls, kind):
    here = run_tasks(calls.twice, tasks(5, -1, 7), Here(), Memory())
    with kind(2) as executor:
        there = run_tasks(calls.twice, tasks(5, -1, 7), Given(executor), Memory())
        threads_of = run_tasks(calls.blas, tasks(0), Given(executor), Memory())["k0"]["values"]["threads"]
        assert executor.submit(abs, -3).result() == 3
    assert plain(there) == plain(here)
    assert set(threads_of) == {1}


def test_an_executor_that_breaks_leaves_records_that_say_so(calls, tmp_path):
    """What was finished is kept, and another executor runs the rest."""
    with spawning(1) as executor:
        first = run_tasks(calls.die, tasks(1), Given(executor), Folder(tmp_path))
        records = run_tasks(calls.die, tasks(1, 0, 2), Given(executor), Folder(tmp_path))
    assert first["k0"]["ok"]
    assert records["k0"]["ok"]
    assert not records["k1"]["ok"]
    assert "the executor broke when a worker died" in records["k1"]["message"]
    with ThreadPoolExecutor(1) as executor:
        again = run_tasks(calls.twice, tasks(1, 0, 2), Given(executor), Folder(tmp_path))
    assert [again[f"k{i}"]["ok"] for i in range(3)] == [True, True, True]


def test_an_executor_that_cannot_serve_gets_a_sentence():
    with ThreadPoolExecutor(1) as executor:
        pass
    with pytest.raises(RuntimeError, match=r"ThreadPoolExecutor cannot run lrfm .*must be open"):
        run_tasks(str, tasks(1), Given(executor), Memory())

    class Strange(Executor):
        def submit(self, function, /, *arguments, **options):
            return function(*arguments, **options)

    with pytest.raises(RuntimeError, match="returned a str, not a `concurrent"):
        run_tasks(str, tasks(1), Given(Strange()), Memory())


# Where ------------------------------------------------------------------------------------------------------


def test_the_place_follows_from_the_arguments():
    assert isinstance(choose_place(), Here)
    assert choose_place(3).width == 3
    with pytest.raises(ValueError, match="jobs=0"):
        choose_place(0)
    with pytest.raises(ValueError, match="Both `scheduler` and `client`"):
        choose_place(1, "tcp://a:1", object())
    with ThreadPoolExecutor(1) as executor:
        assert isinstance(choose_place(executor=executor), Given)
        with pytest.raises(ValueError, match="Both `client` and `executor`"):
            choose_place(client=object(), executor=executor)
        with pytest.raises(ValueError, match="leave `jobs` out"):
            choose_place(2, executor=executor)
    with pytest.raises(TypeError, match=r"`executor` is a int; expected a `concurrent\.futures\.Executor`"):
        choose_place(executor=4)


def test_records_are_json(tmp_path):
    values = {"x": 0.1, "n": 3, "nothing": None, "lost": float("inf")}
    records = run_tasks(lambda _: Done(values), tasks(1, about={"seed": 7}), Here(), Folder(tmp_path))
    (line,) = (tmp_path / RESULTS).read_text().splitlines()
    assert json.loads(line) == records["k0"] == Folder(tmp_path).load()["k0"]
    assert records["k0"]["seed"] == 7
