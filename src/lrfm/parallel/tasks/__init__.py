# SPDX-License-Identifier: MIT
"""Many independent tasks: the same code in this process, on local processes, on a Dask cluster or on any executor.

Every result is kept as soon as it is there, a failed task is a result that says so, a task whose worker died is
tried again, and what was broken off goes on where it stopped.

>>> from lrfm.parallel.tasks import Done, Here, Memory, Task, run_tasks
>>> tasks = [Task(key=str(n), label=f"square of {n}", payload=n) for n in (2, 3)]
>>> records = run_tasks(lambda n: Done({"square": n * n}), tasks, Here(), Memory())
>>> [records[task.key]["values"]["square"] for task in tasks]
[4, 9]
"""

from lrfm.parallel.tasks.ledger import Folder, Ledger, Memory
from lrfm.parallel.tasks.places import Cluster, Given, Here, Place, Processes, choose_place
from lrfm.parallel.tasks.running import run_tasks
from lrfm.parallel.tasks.task import Done, Notify, Progress, Task

__all__ = [
    "Cluster",
    "Done",
    "Folder",
    "Given",
    "Here",
    "Ledger",
    "Memory",
    "Notify",
    "Place",
    "Processes",
    "Progress",
    "Task",
    "choose_place",
    "run_tasks",
]
