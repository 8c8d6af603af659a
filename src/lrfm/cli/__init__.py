# SPDX-License-Identifier: MIT
"""The command line: `lrfm list | demo | check | plan | solve | fit | sweep | eval | export | reproduce | bench`.

Exit codes: 0 solved (and the tolerance, if any, met); 1 not converged or not met, the result still written;
2 wrong statement or usage, or a file that could not be written; 130 interrupted; 141 nobody reads on. Everything heavy
is imported inside the commands, so that `lrfm --help` is instant.
"""

from lrfm.cli.app import main as main

__all__ = ["main"]
