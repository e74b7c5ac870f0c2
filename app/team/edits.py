"""Edits: what people do to sessions, each with a logical clock; which of several counts. Pure."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from app.core.errors import DynoError
from app.core.ids import ANY_ID
from app.history.lists.edits import MAX_NAME, MAX_NOTE, checked_text_line

Register = tuple[str, str, str]  # subject, kind, item: what two edits can disagree about

MOST_CLOCK = 1 << 53
STEP = 1_000_000  # a clock that is further ahead of all others is refused: it would win for ever
_SHA256 = re.compile(r"[0-9a-f]{0,64}")
MAX_SOURCE = 10_000  # characters about the source of published sessions


class EditError(DynoError):
    """An edit that no Dyno makes."""


@dataclass(frozen=True, slots=True)
class Edit:
    author: str  # the desktop
    number: int  # 1, 2, ... of its author
    clock: int
    at: float
    person: str
    subject: str  # a session
    kind: str
    item: str
    value: str | None  # JSON; None: taken away
    over_author: str = ""  # the edit that it replaced
    over_number: int = 0

    @property
    def id(self) -> tuple[str, int]:
        return self.author, self.number

    @property
    def over(self) -> tuple[str, int]:
        return self.over_author, self.over_number

    @property
    def register(self) -> Register:
        return self.subject, self.kind, self.item

    @property
    def rank(self) -> tuple[int, str, int]:
        """The highest of a register counts; ties go by author."""
        return self.clock, self.author, self.number


def merge_team_edits(in_force: dict[Register, Edit], edits: Iterable[Edit]) -> list[Register]:
    """Take edits in, in any order and any number of times; returns the registers that changed."""
    changed = []
    for edit in edits:
        counts = in_force.get(edit.register)
        if counts is None or edit.rank > counts.rank:
            in_force[edit.register] = edit
            changed.append(edit.register)
    return changed


def lost(edits: Iterable[Edit]) -> list[Edit]:
    """Those that do not count although nobody has seen and replaced them, by their clock."""
    every = list(edits)
    in_force: dict[Register, Edit] = {}
    merge_team_edits(in_force, every)
    replaced = {edit.over for edit in every}
    left = [each for each in every if each.id not in replaced and in_force[each.register] != each]
    left = [each for each in left if each.value != in_force[each.register].value]
    return sorted(left, key=lambda each: each.rank)


def shared_note_id(at: float, text: str) -> str:
    """The item of a note: two desktops name the same one alike."""
    return hashlib.sha256(f"{at!r} {text}".encode("utf-8", "replace")).hexdigest()[:32]


def check_team_edit(edit: Edit) -> Edit:
    """The edit, if a Dyno may have made it; raises EditError."""
    try:
        _check_frame(edit)
        _KINDS[edit.kind](edit.item, None if edit.value is None else json.loads(edit.value))
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError, DynoError) as error:
        raise EditError(f"edit {edit.number} of {edit.author} is damaged: {error}") from None
    return edit


def _check_frame(edit: Edit) -> None:
    if not (ANY_ID.fullmatch(edit.author) and ANY_ID.fullmatch(edit.subject)):
        raise ValueError("its author or session is no id")
    if not (0 < edit.number < MOST_CLOCK and 0 < edit.clock < MOST_CLOCK and 0 <= edit.at < 1e11):
        raise ValueError("its number, clock or time is out of range")
    if edit.person:
        checked_text_line(edit.person, "person")


def _check_name(item: str, value: Any) -> None:
    if item or (value is not None and (checked_text_line(value, "name") != value or value == "last")):
        raise ValueError("a name")


def _check_tag(item: str, value: Any) -> None:
    if checked_text_line(item, "tag") != item or value not in (None, True):
        raise ValueError("a tag")


def _check_note(item: str, value: Any) -> None:
    if value is None:
        return
    at, text = value
    if not (isinstance(text, str) and text.strip() and len(text) <= MAX_NOTE and 0 <= float(at) < 1e11):
        raise ValueError("a note")
    if item != shared_note_id(float(at), text):
        raise ValueError("a note under a wrong name")


def _check_cut(item: str, value: Any) -> None:
    whole = [int(item), *([] if value is None else value[:2])]
    if str(int(item)) != item or any(type(each) is not int or not 0 <= each < 1 << 31 for each in whole):
        raise ValueError("a cut")
    if value is not None and not (len(value) == 3 and len(value[2]) <= MAX_NAME):
        raise ValueError("a cut")


def _check_imported(item: str, value: Any) -> None:
    if item or value is None:
        return
    at, source, sha256 = value
    if not (0 <= float(at) < 1e11 and len(source) <= MAX_SOURCE and _SHA256.fullmatch(sha256)):
        raise ValueError("an import")


def _check_published(item: str, value: Any) -> None:
    if item or value is None:
        return
    source, content = value
    if len(source) > MAX_SOURCE or len(content) > MAX_SOURCE:
        raise ValueError("a source")
    if not all(isinstance(each, str) for each in (source, *json.loads(content).values())):
        raise ValueError("a source")


def _check_deleted(item: str, value: Any) -> None:
    if item or value not in (None, True):
        raise ValueError("a deletion")


_KINDS = {
    "name": _check_name,
    "tag": _check_tag,
    "note": _check_note,
    "cut": _check_cut,
    "imported": _check_imported,
    "published": _check_published,
    "deleted": _check_deleted,
}
