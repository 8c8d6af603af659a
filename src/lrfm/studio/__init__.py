# SPDX-License-Identifier: MIT
"""The studio: a page in the browser in which an equation is typed, solved and looked at.

In: what is typed. Out: a statement, its solution, pictures. The server listens on this machine only and wants a token; what is typed is read by
the parser of statements and never executed. May import every room but `cli`.
"""

from lrfm.studio.access import Access as Access
from lrfm.studio.server import make_app as make_app
from lrfm.studio.statement import Fields as Fields
from lrfm.studio.texts import StudioError as StudioError
