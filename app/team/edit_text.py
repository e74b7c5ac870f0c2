"""Edits in words."""

from __future__ import annotations

import json

from .edits import Edit

_SHOWN = 200  # characters of a note


def edit_text(edit: Edit) -> str:
    """`named it "fast"`, `removed the tag slow`."""
    value = None if edit.value is None else json.loads(edit.value)
    if value is None:
        return _TAKEN_AWAY[edit.kind].format(edit.item)
    match edit.kind:
        case "name":
            return f'named it "{value}"'
        case "tag":
            return f"added the tag {edit.item}"
        case "note":
            text = " ".join(value[1].split())
            return f"noted: {text[:_SHOWN]}{'…' * (len(text) > _SHOWN)}"
        case "cut":
            reason = f" ({value[2]})" if value[2] else ""
            return f"counted only seconds {value[0]} to {value[1] + 1} of step {edit.item}{reason}"
    return _DONE[edit.kind]


_DONE = {"imported": "imported it", "published": "named its source", "deleted": "deleted it"}
_TAKEN_AWAY = {
    "name": "restored the name that the plan gave",
    "tag": "removed the tag {}",
    "note": "removed a note",
    "cut": "counted all seconds of step {} again",
    "imported": "removed its origin",
    "published": "removed its source",
    "deleted": "restored it",
}
