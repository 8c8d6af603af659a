# SPDX-License-Identifier: MIT
"""Who may use the server: whoever sends its token in a header of the request.

There is no cookie. Browsers send a cookie of 127.0.0.1 to every port of it, so that two studios would overwrite each other's and every other server
of this machine would be told the token; what a page stores belongs to its port alone. The browser is not started with the token either, because all
users of a machine can read the arguments of its processes: it gets a code, which the page exchanges for a key of its own.
"""

from __future__ import annotations

import hmac
import secrets
import threading
import time

HEADER = "x-lrfm-token"
VALID = 60.0  # seconds for which a code can be exchanged


class Access:
    """The token of one server, and the codes that browsers are started with.

    >>> access = Access()
    >>> key = access.exchange(access.code())
    >>> access.allows(access.token), access.allows(key), access.allows("guess")
    (True, True, False)
    """

    def __init__(self, token: str | None = None):
        self.token = token or secrets.token_urlsafe(24)
        self._codes: dict[str, tuple[float, str]] = {}  # when each was made, and the key it stands for
        self._keys: set[str] = set()
        self._lock = threading.Lock()

    def code(self) -> str:
        """A word that is exchanged for a key, once and soon."""
        code = secrets.token_urlsafe(24)
        self._codes[code] = time.monotonic(), secrets.token_urlsafe(24)
        return code

    def exchange(self, code: str) -> str | None:
        """The key of a code. Whoever comes second makes the key of the first worthless: one of them has read it somewhere."""
        with self._lock:
            made, key = self._codes.get(code, (0.0, ""))
            if not key or time.monotonic() - made > VALID:
                return None
            if key in self._keys:
                self._keys.discard(key)
                self._codes[code] = made, ""
                return None
            self._keys.add(key)
            return key

    def allows(self, given: str) -> bool:
        """Whether a request with this word in its header is answered."""
        words = [self.token, *self._keys]
        return any([hmac.compare_digest(given.encode("utf-8", "replace"), word.encode()) for word in words])
