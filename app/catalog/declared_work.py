"""What an event of a workload does, as `_work.toml` next to its Lua declares it: its keys checked."""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache
from pathlib import Path
from typing import Any

from app.core.toml_text import TABLE, TEXT, Document, ValueRule, read_document, read_text

FILE = "_work.toml"  # no workload has such a name
FOUND = "rows"  # the rows that the condition finds
_SENT = ("SELECT ", "INSERT ", "UPDATE ", "DELETE ")  # EXPLAIN of anything else could do it
_LONGEST = 2000
_NUMBER = ValueRule((int, float), 0, 1_000_000)
_ROWS = (str, list, int, float)

RULES = {
    "text": ValueRule((str,), needed=True, longest=_LONGEST),
    "options": TABLE,
    "when": TABLE,
    "times": ValueRule((str, int), 0, 10_000),
    "one_of": ValueRule((int,), 2, 1000),
    "rows": ValueRule((list, int, float), 0, 1_000_000),
    "keys": TEXT,
    "range": TEXT,
    "by": TEXT,
    "columns": TEXT,
    "same_keys": TEXT,
    "first": TEXT,
    **dict.fromkeys(("returned", "changed", "sorted"), ValueRule(_ROWS, 0, 1_000_000)),
    "calls": _NUMBER,
    "calls_per_row": _NUMBER,
}
_OPTIONS = ("times", "keys", "range", "by", "columns", "same_keys", "first")  # they name one


def declared_statements(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """The statements of each Lua file of a folder; raises InputError with file, line and key."""
    path = folder / FILE
    return _declared(read_text(path), str(path)) if path.is_file() else {}


@lru_cache(maxsize=4)  # of all that a plan is made of, this takes longest to parse
def _declared(text: str, label: str) -> dict[str, list[dict[str, Any]]]:
    document = read_document(text, label)
    return {f"{stem}.lua": _statements(document, stem) for stem in document.data}


def _statements(document: Document, stem: str) -> list[dict[str, Any]]:
    said = document.data[stem]
    if not isinstance(said, list) or not all(isinstance(each, dict) for each in said):
        raise document.error((stem,), f"must be a list of statements, [[{stem}]]")
    for at, each in enumerate(said):
        _check(document, (stem, at), each)
    return said


def _check(document: Document, where: tuple[str | int, ...], said: dict[str, Any]) -> None:
    document.check(said, RULES, where)
    if not said["text"].startswith(_SENT):
        raise document.error((*where, "text"), f"must begin with {', '.join(map(str.strip, _SENT))}")
    if sum(key in said for key in ("rows", "keys", "range")) > 1:
        raise document.error((*where, "text"), "finds rows, keys or a range: name one of the three")
    for key in ("rows", "returned", "changed", "sorted"):
        texts = () if key == "rows" else (FOUND, *said.get("options", {}))
        if problem := _problem(said.get(key, 0), texts):
            raise document.error((*where, key), problem)
    for name in _named(said):
        if name not in said.get("options", {}):
            raise document.error((*where, "options"), f"must give the default of {name}")


def _problem(value: Any, texts: Collection[str]) -> str:
    if isinstance(value, str):
        return "" if value in texts else f'must be a number, two numbers, an option or "{FOUND}"'
    if not isinstance(value, list):
        return ""
    are_two = len(value) == 2 and not any(map(_NUMBER.problem, value))
    return "" if are_two and value[0] <= value[1] else "must be two numbers, the least and the most"


def _named(said: dict[str, Any]) -> list[str]:
    """The options that a statement depends on."""
    return [
        *(said[key] for key in _OPTIONS if isinstance(said.get(key), str)),
        *said.get("when", {}),
    ]
