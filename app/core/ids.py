"""ULIDs: 26 characters that sort by the time they were made, unique without asking anybody."""

from __future__ import annotations

import re
import secrets
import threading
import time

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"  # Crockford's: no I, L, O, U
LENGTH = 26
ANY_ID = re.compile(r"[0-9A-Za-z][0-9A-Za-z_-]{5,63}")  # of a session or a desktop, by whichever Dyno
_RANDOM_BITS = 80

_lock = threading.Lock()
_last = 0


def new_id() -> str:
    """A ULID later than any this process has made, whatever the clock does."""
    global _last
    with _lock:
        fresh = (time.time_ns() // 1_000_000 << _RANDOM_BITS) | secrets.randbits(_RANDOM_BITS - 1)
        _last = max(fresh, _last + 1)
        return encode_id(_last)


def encode_id(number: int) -> str:
    """A number of 128 bits as 26 characters."""
    digits = []
    for _ in range(LENGTH):
        number, digit = divmod(number, 32)
        digits.append(ALPHABET[digit])
    return "".join(reversed(digits))
