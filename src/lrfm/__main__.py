# SPDX-License-Identifier: MIT
"""`python -m lrfm` is the command `lrfm`."""

from lrfm.cli import main

if __name__ == "__main__":
    main()
