"""What somebody may have meant by a mistyped name."""

from __future__ import annotations

from collections.abc import Iterable


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """` (did you mean innodb?)`, to append to `no engine inodb`; empty where no known name is like it."""
    import difflib

    names = {each.lower(): each for each in known}
    found = difflib.get_close_matches(word[:100].lower(), names, n=1, cutoff=0.7)
    return f" (did you mean {names[found[0]]}?)" if found else ""
