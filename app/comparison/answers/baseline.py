"""A pinned baseline for each target: the last good build, which each plan of the same work is compared with.

The pins are in settings.toml, so that no history file changes for them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from app.comparison.cells.cell import Comparison
from app.comparison.verdicts.compare import compare
from app.comparison.verdicts.judgement import verdict_limits
from app.core.errors import DynoError, InputError
from app.core.settings import read_settings, read_settings_table, write_settings_table
from app.history.lists.sessions import SessionEntry, sessions, sessions_of_plan, sessions_of_reference
from app.history.steps.figures import plans_by_session
from app.history.store.history import History
from app.protocol.states import GOING_ON

from .sentences import first_lines
from .tally import tally_text

_PINS = "baselines"  # of settings.toml: the first session of each, by target


@dataclass(frozen=True)
class PinnedBaseline:
    """A contender of a plan: all of its repeats."""

    target: str
    name: str
    plan: str
    sessions: tuple[str, ...]
    work_key: str


@dataclass(frozen=True)
class AgainstBaseline:
    """A plan against the baseline of its target."""

    name: str  # of the baseline
    tally: str  # `3 slower, 1 faster, 12 the same of 16 steps`
    sentences: tuple[str, ...]
    sessions: tuple[str, ...]  # of both, the baseline first: to compare them

    @property
    def text(self) -> str:
        """`against good: 3 slower, 13 the same of 16 steps`."""
        return f"against {self.name}: {self.tally}"


def pin(history: History, reference: str, home: Path | None = None) -> PinnedBaseline:
    """Make the contender of a session, or a plan of one contender, the baseline of its target."""
    found = _of_session(history, sessions_of_reference(history, reference)[0])
    if not found.sessions:
        raise InputError(f"{reference!r} has no completed session: pin one that has results")
    _keep(home, {**_pins(home), found.target: found.sessions[0]})
    return found


def unpin(target: str, home: Path | None = None) -> None:
    """Take the baseline of a target away; raises InputError if it has none."""
    pins = _pins(home)
    if target not in pins:
        there = ", ".join(sorted(pins)) or "none"
        raise InputError(f"{target} has no pinned baseline; targets with one: {there}")
    _keep(home, {name: session for name, session in pins.items() if name != target})


def pinned(history: History, home: Path | None = None) -> dict[str, PinnedBaseline]:
    """The baselines that the history still has, by target."""
    pins = _pins(home)
    there = {each["id"] for each in sessions(history, ids=list(pins.values()))}
    return {
        target: _of_session(history, session) for target, session in sorted(pins.items()) if session in there
    }


def against_baseline(history: History, plan: str, home: Path | None = None) -> AgainstBaseline | None:
    """Compare a plan with the baseline of its target; None without a baseline of the same work."""
    found = sessions(history, plan=plan)
    base = pinned(history, home).get(found[0]["target"]) if found else None
    return compare_with_baseline(history, found, base, home) if base else None


def compare_with_baseline(
    history: History, found: Sequence[SessionEntry], base: PinnedBaseline, home: Path | None
) -> AgainstBaseline | None:
    """Compare the sessions of a plan with a baseline; None if it is the plan itself or other work."""
    if base.plan == found[0]["plan"] or found[0]["work_key"] != base.work_key:
        return None
    ended = [each for each in found if each["state"] not in GOING_ON and each["started_at"]]
    if not ended:
        return None
    ids = [each["id"] for each in ended]
    compared = _compared(history, base, ended, home)
    sentences = tuple(first_lines(compared))
    return AgainstBaseline(base.name, tally_text(compared), sentences, (*base.sessions, *ids))


def _compared(
    history: History, base: PinnedBaseline, ended: Sequence[SessionEntry], home: Path | None
) -> Comparison:
    """Each contender of the plan in a column, also one that is the same as the baseline's."""
    columns = list(dict.fromkeys(each["contender_key"] for each in ended))
    sides = {**dict.fromkeys(base.sessions, 0)}
    sides.update({each["id"]: 1 + columns.index(each["contender_key"]) for each in ended})
    limits = verdict_limits(read_settings(home))
    return compare(history, list(sides), base.sessions[0], limits, sides)


def _of_session(history: History, session: str) -> PinnedBaseline:
    """All completed repeats of its contender in its plan."""
    plan = plans_by_session(history, [session])[session]
    contender = plan.turn_of(session).contender
    ids = [id_ for id_ in sessions_of_plan(history, plan.id) if plan.turn_of(id_).contender == contender]
    its = sessions(history, ids=ids)
    completed = tuple(each["id"] for each in its if each["state"] == "completed")
    name = plan.name if len(plan.contenders) == 1 and plan.name else plan.contenders[contender].name
    return PinnedBaseline(plan.target, name, plan.id, completed, its[0]["work_key"])


def _pins(home: Path | None) -> dict[str, str]:
    """What settings.toml says; anything else is no pin."""
    return dict(_readable(read_settings_table(home).get(_PINS)))


def _readable(table: object) -> Iterator[tuple[str, str]]:
    for target, session in table.items() if isinstance(table, dict) else ():
        if isinstance(session, str):
            yield str(target), session


def _keep(home: Path | None, pins: dict[str, str]) -> None:
    try:
        write_settings_table({**read_settings_table(home), _PINS: pins}, home)
    except OSError as error:
        raise DynoError(f"the baseline cannot be stored: {error.strerror or error}") from None
