# SPDX-License-Identifier: MIT
"""Problems written down in a TOML file, which mirrors `lrfm.Problem`; nothing in it is ever executed.

    equation = "u_t = eps*u_xx - u**3 + u"     # or a list of texts
    time = [0, 0.1]
    initial = "0.55*sin(pi*x) + 0.25*sin(2*pi*x)"
    boundary = "periodic"                      # or a table: "x-" = "u = 0", "x+" = "none", "*" = ["u_n = 0"]

    [domain]
    x = [-1, 1]

    [parameters]
    eps = 1e-4                                 # or a text without coordinates, such as "0.01/pi"

    [solve]                                    # arguments of `lrfm.solve`
    tol = 1e-8

A face without a condition is written `"x+" = "none"`, because TOML has no null.
"""

from lrfm.solver.file.options import check_options as check_options
from lrfm.solver.file.toml import Statement as Statement
from lrfm.solver.file.toml import parse as parse
from lrfm.solver.file.toml import read as read

__all__ = ["Statement", "check_options", "parse", "read"]
