# SPDX-License-Identifier: MIT
"""The benchmark of the field: what users try first, what others publish, statements nobody tuned for.

    python benchmarks/field/run.py --list
    python benchmarks/field/run.py --only burgers-shock kdv --seeds 5
    python benchmarks/field/page.py

A statement (`record.Statement`) is a problem, the tolerances and seconds wanted, the best published mark and an
independent reference: a formula, or values stored in `references/` by `make_references.py`.
"""
