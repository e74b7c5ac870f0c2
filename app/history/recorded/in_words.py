"""What journals say only in words, as data: the one place that reads sentences of the agent again.

Today's agent writes the data beside most words; those readers are for the journals of earlier ones.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from app.protocol.machine_checks import BUSY_START
from app.protocol.others import DISTURBED
from app.protocol.work import RESULTS, WORDS

LOADED, COPIED = "load", "snapshot"  # where the data of a session come from

_COPY = re.compile(r"snapshot (\w+)(?:, (.*))?")
_FRESH = re.compile(r"fresh(?:, kept as snapshot (\w+)|, not kept: (.*))?")
_OF_SNAPSHOT = re.compile(r"from the snapshot .*")  # of this data; its key in the oldest journals


@dataclass(frozen=True)
class DataAndStartWords:
    """Where the data of a session came from, and how its server was started."""

    words: str = ""  # where they come from
    source: str = ""  # LOADED or COPIED; '' where the journal does not say
    snapshot: str = ""  # that the data are a copy of, or that the load was stored as
    copy: str = ""  # of a snapshot: copied or shared
    not_kept: str = ""  # why the load was not stored, though the plan wanted it
    start: str = ""
    pause_s: float | None = None

    @classmethod
    def of(cls, fact: Mapping[str, Any]) -> DataAndStartWords:
        """That of a fact `start_state`."""
        said = fact if "source" in fact else _source_of(str(fact.get("load", "")))
        names = ("source", "snapshot", "copy", "not_kept")
        texts = {name: str(said.get(name) or "") for name in names}
        return cls(
            str(fact.get("load") or ""),
            **texts,
            start=str(fact.get("start") or ""),
            pause_s=fact.get("pause_s"),
        )


def _source_of(load: str) -> dict[str, str | None]:
    if found := _COPY.fullmatch(load):
        return {"source": COPIED, "snapshot": found[1], "copy": found[2]}
    if found := _FRESH.fullmatch(load):
        return {"source": LOADED, "snapshot": found[1], "not_kept": found[2]}
    return {}


def is_of_snapshot(reason: str) -> bool:
    """Whether a step was skipped because the data are from a snapshot."""
    return bool(_OF_SNAPSHOT.match(reason))


def is_of_disturbed(text: str) -> bool:
    """Whether a warning of the log is that of a disturbed step, which the step has as data too."""
    return text.startswith(f"{DISTURBED}: ")


def is_of_busy_start(text: str) -> bool:
    """Whether a line of the agent's log says that another plan measured on the machine then.

    No journal says it elsewhere.
    """
    return text.startswith(BUSY_START)


def has_wrong_rows(work: Mapping[str, Any]) -> bool:
    """Whether an event sent or changed other rows than it must; true where the fact does not say."""
    if "wrong" in work:
        return any(what in RESULTS for what in work["wrong"])
    problem = str(work.get("problem") or "")
    return not problem or any(f"rows {WORDS[what]} " in problem for what in RESULTS)
