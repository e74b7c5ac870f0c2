"""What somebody may have meant by a mistyped name."""

from __future__ import annotations

from collections.abc import Iterable


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """` (did you mean innodb?)`, to append to `no engine inodb`; empty where no known name is like it."""
    import difflib

    names, typed = {each.lower(): each for each in known}, word[:100].lower()
    found = difflib.get_close_matches(typed, names, n=1, cutoff=0.7)
    beginning = [each for each in names if each.startswith(typed)] if len(typed) > 2 and not found else []
    found = beginning if len(beginning) == 1 else found
    return f" (did you mean {names[found[0]]}?)" if found else ""
