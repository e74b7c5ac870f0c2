"""The parts of an ended step that few kinds of step have, and how parts of events are written as JSON."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .reading import NEEDED, Count, Figure, Name, Number, Place, Text, max_list_entries_rule

MOST_TRIES = 1000
_OF_LEVEL = ("least", "most_p99_ms")  # fields of `RateAdherence`


@dataclass(frozen=True)
class Totals:
    """What a step counted; None: its workload does not count it."""

    events: Figure | None = None
    transactions: Figure | None = None
    queries: Figure | None = None
    statements: Figure | None = None  # without BEGIN and COMMIT
    reads: Figure | None = None
    writes: Figure | None = None
    other: Figure | None = None
    errors: Figure | None = None
    reconnects: Figure | None = None
    clients: Figure | None = None
    rows: dict[Name, Figure] | None = None  # by what was done with them
    rolled_back: Figure | None = None  # events of a kind that ended with ROLLBACK by chance

    def to_json(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if value is not None}


@dataclass(frozen=True)
class SettleStepResult:
    """What a settle step did."""

    seconds: Number = 0.0
    waited_for: dict[Name, Number] = field(default_factory=dict)  # seconds, by what was waited for
    capped: bool = False
    left: list[Text] = field(default_factory=list)  # what it was still waiting for when it ended
    written_bytes: Number | None = None  # by the server, while it settled
    device_bytes: Number | None = None  # on the device of the data in that time, by all programs

    @classmethod
    def fitting(cls, data: dict[str, Any]) -> type[SettleStepResult]:
        return SettleAfterRun if "cause" in data else SettleStepResult

    def to_json(self) -> dict[str, Any]:
        """Without bytes where they were not read: a person stopped it."""
        unread = self.written_bytes is None and self.device_bytes is None
        return {name: value for name, value in vars(self).items() if not (unread and name.endswith("_bytes"))}


@dataclass(frozen=True)
class SettleAfterRun(SettleStepResult):
    """With what the writes before it have cost."""

    steps: list[Name] = field(default_factory=list, metadata=NEEDED)  # that wrote since the last settle step
    cause: Place = field(
        default=-1, metadata=NEEDED
    )  # the step that this belongs to: the load, or the last one
    # from the beginning of those steps to the end of settling
    run_written_bytes: Number | None = field(default=None, metadata=NEEDED)
    # server, or device where the server was started anew in between
    run_written_by: Name = field(default="", metadata=NEEDED)
    rows: Number = field(default=0, metadata=NEEDED)  # that they inserted or rewrote
    # the sum of its column widths, if all are fixed
    row_bytes: Number | None = field(default=None, metadata=NEEDED)
    write_amplification: Number | None = field(default=None, metadata=NEEDED)

    def to_json(self) -> dict[str, Any]:
        return vars(self)


@dataclass(frozen=True)
class RateAdherence:
    """How a step kept its rate."""

    rate: Figure = 0.0  # events a second that were asked for
    achieved: Figure | None = None  # events a second
    behind_s: Figure = 0.0  # of the schedule when the step ended
    queued: Figure | None = None  # events that were due and had not begun
    # the level of a role
    least: Figure = 0.0  # events a second that it had to reach; 0: none
    most_p99_ms: Figure = 0.0  # that its p99 was not to pass; 0: none

    def to_json(self) -> dict[str, Any]:
        """Its fields; those of a level only if it has one."""
        return {name: value for name, value in vars(self).items() if value or name not in _OF_LEVEL}


@dataclass(frozen=True)
class TriedRate:
    """A rate that was tried."""

    rate: Figure = 0.0  # events a second
    p99_ms: Figure | None = None
    events: Figure = 0
    passed: bool = False


@dataclass(frozen=True)
class P99LimitSearch:
    """The search of a step of kind limit for the highest rate under a limit of its p99."""

    p99_ms: Figure = 0.0  # the limit
    closed_rate: Figure = 0.0  # events a second without a limit
    rate: Figure | None = None  # the highest that kept to the limit; None: none was found
    tries: list[TriedRate] = field(default_factory=list, metadata=max_list_entries_rule(MOST_TRIES))


@dataclass(frozen=True)
class OperationResult:
    """What an operation did to the roles that went on; None is missing, never zero."""

    at_s: Figure = 0.0  # of the measured seconds of the step, when it began
    first_answer_s: Figure | None = None  # from its begin to the first answer of the server
    seconds: Figure | None = None  # that it took
    # of the role that is watched: events a second in the last 10 s before it
    before: Figure | None = None
    # by percent of `before`, 50 90 95: seconds from its begin to the second after which a mean of 5 s stays above
    back_s: dict[Name, Figure | None] = field(default_factory=dict)
    kept_pct: Figure | None = None  # of `before`, while it was carried out
    stall_s: Figure | None = None  # the longest in which no client of this role had an answer
    phases: dict[Name, Figure] = field(default_factory=dict)  # seconds, most of them by the error log
    # rows of the ledger
    acknowledged: Count | None = None  # whose COMMIT was answered
    missing: Count | None = None  # of these, not in the table
    holes: Count | None = None  # not in the table though later ones of the same client are
    returned: Count | None = None  # in the table though their deletion was acknowledged
    unsent: Count | None = None  # in the table though no client sent them
    unanswered: Count | None = None  # whose COMMIT had no answer: there or not, both is right
    promised: bool | None = None  # whether engine and settings promise all acknowledged ones
    # of kinds ddl and backup
    algorithm: Name = ""  # that was taken
    size_before: Figure | None = None  # bytes of the tables
    size_after: Figure | None = None
    restored: bool | None = None  # counts and checksums of the restored tables are equal, where compared
    on_loop: bool = False  # the data were on a file system in a loop file
    alone_s: Figure | None = None  # of `seconds`, after all roles had ended: it took longer than they worked
    # of kind backup
    tool: Name = ""  # that was taken
    backup_bytes: Figure | None = None
    tables_counted: Count | None = None  # restored tables whose number of rows was compared
    tables_summed: Count | None = None  # of these, whose checksum was compared too: nobody changed them


def to_json(part: Any) -> dict[str, Any]:
    """A part of an event as it is written: by its own rule, else all of its fields."""
    found: dict[str, Any] = part.to_json() if hasattr(part, "to_json") else vars(part)
    return found
