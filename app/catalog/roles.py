"""The roles of a step: what several sysbench do at the same time. Their keys checked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from app.core.toml_text import FLAG, NEEDED_TEXT, TABLE, TEXT, Document, ValueRule
from app.core.units import count_text
from app.protocol.sysbench import MOST_ROLES

from .amounts import (
    EVENTS,
    GAPS,
    LIMIT_MS,
    RATE,
    SECONDS,
    SHARE,
    THREADS,
    check_number_words,
)
from .workload import check_options

MOST_APART = 1_000_000  # statements
BEFORE_WRITES = "pre"  # Compare pairs `range.pre` with `range`
BOUNDS = ("seconds", "share", "events")
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,29}")
_Where = tuple[str | int, ...]

ROLE_RULES = {
    "name": NEEDED_TEXT,
    "workload": NEEDED_TEXT,
    "options": TABLE,
    "threads": THREADS,
    "rate": RATE,
    "arrivals": GAPS,
    "seconds": SECONDS,
    "share": SHARE,
    "events": EVENTS,
    "ends": FLAG,
    "follows": TEXT,
    "apart": ValueRule((int,), 1, MOST_APART),
    "level": TABLE,
    "on": TEXT,
}
LEVEL_RULES = {"rate": ValueRule((int, float), 1, 100), "p99_ms": LIMIT_MS}


@dataclass(frozen=True)
class SequenceRole:
    """One of the roles of a step; what is None, the plan fills in."""

    name: str
    workload: str
    options: dict[str, Any] = field(default_factory=dict)
    threads: int | None = None
    rate: int | None = None  # events a second of all its clients; None: as many as there can be
    arrivals: str = ""  # one of ARRIVALS
    seconds: int | None = None
    share: float | None = None  # of the seconds that the plan says
    events: int | None = None
    ends: bool | None = None  # whether the step waits for it; None: if it has a bound
    follows: str = ""  # the role whose statements its own follow, client by client
    apart: int | None = None  # the most statements that one may be ahead of the other
    level: dict[str, float] = field(default_factory=dict)  # `rate` in percent of its own, `p99_ms`
    on: str = ""  # replica, replica 2: of the server of the plan; empty: that server itself

    @property
    def is_bounded(self) -> bool:
        return any(getattr(self, key) is not None for key in BOUNDS)

    @property
    def is_waited_for(self) -> bool:
        return self.is_bounded and self.ends is not False


def role_text(role: SequenceRole, asked: str = "") -> str:
    """What a role says of its clients, rate and end; `asked`: the rate that its clients really send."""
    share, p99 = role.level.get("rate"), role.level.get("p99_ms")
    needs = [f"{share:g}% of its rate" if share else "", f"p99 under {p99:g} ms" if p99 else ""]
    bounds = [
        f"{role.seconds} s" if role.seconds else "",
        f"{role.share:g} of the plan's seconds" if role.share else "",
        count_text(role.events, "event") if role.events else "",
    ]
    needed = " and ".join(filter(None, needs))
    parts = [
        f"on {role.on}" if role.on else "",
        count_text(role.threads, "thread") if role.threads else "",
        (asked or f"{role.rate:,} events/s {role.arrivals}".rstrip()) if role.rate else "",
        " or ".join(filter(None, bounds)),
        "not waited for" if role.is_bounded and role.ends is False else "",
        f"at most {role.apart} behind {role.follows}" if role.follows else "",
        f"needs {needed}" if needed else "",
    ]
    return ", ".join(filter(None, parts))


def roles_of(
    document: Document,
    step: _Where,
    tables: Sequence[dict[str, Any]],
    figure: str,
    can_be_one: bool = False,  # beside an operation
) -> tuple[SequenceRole, ...]:
    """The roles of a step; raises InputError with file, line and key of what is wrong."""
    if len(tables) < 2 and not can_be_one:
        raise document.error((*step, "role"), "needs another: one alone is a step with a workload")
    if len(tables) > MOST_ROLES:
        raise document.error((*step, "role"), f"is at most {MOST_ROLES} times in a step, not {len(tables)}")
    roles = tuple(_role_of(document, (*step, "role", at), table) for at, table in enumerate(tables))
    names = [each.name for each in roles]
    for at, name in enumerate(names):
        if name in names[:at]:
            raise document.error(
                (*step, "role", at, "name"), f"{name!r} is the name of an earlier role of the step too"
            )
    if figure and figure not in names:
        raise document.error((*step, "figure"), f"must name a role: {', '.join(names)}, not {figure!r}")
    for at, role in enumerate(roles):
        if role.follows:
            _check_following(document, (*step, "role", at), role, roles)
    _check_end(document, step, roles, names.index(figure) if figure else 0)
    return roles


def _role_of(document: Document, where: _Where, table: dict[str, Any]) -> SequenceRole:
    document.check(table, ROLE_RULES, where)
    check_number_words(document, table, where)
    if not _NAME.fullmatch(table["name"]):
        raise document.error(
            (*where, "name"),
            f"may have 30 lower-case letters, digits, dashes and underscores, got {table['name']!r}",
        )
    if table["name"] == BEFORE_WRITES:
        raise document.error((*where, "name"), "means a test before the writes: choose another name")
    check_options(document, (*where, "options"), table.get("options", {}))
    document.check(table.get("level", {}), LEVEL_RULES, (*where, "level"))
    role = SequenceRole(**table)
    if "share" in table and "seconds" in table:
        raise document.error(
            (*where, "share"), "is a share of the plan's seconds: leave share or seconds out"
        )
    if "ends" in table and not role.is_bounded:
        raise document.error((*where, "ends"), "needs a bound: seconds, share or events")
    if "rate" in role.level and role.rate is None:
        raise document.error((*where, "level"), "has a share of a rate: give the role a rate")
    if "arrivals" in table and role.rate is None:
        raise document.error((*where, "arrivals"), "are those of a rate: give the role a rate")
    if ("apart" in table) != ("follows" in table):
        raise document.error(
            (*where, "apart" if "apart" in table else "follows"),
            "needs both follows and apart: which role, and how many statements they may be apart",
        )
    return role


def _check_following(
    document: Document, where: _Where, role: SequenceRole, roles: Sequence[SequenceRole]
) -> None:
    """Check a role that follows another: that one leads, and says when both end."""
    key = (*where, "follows")
    leader = next((each for each in roles if each.name == role.follows and each is not role), None)
    if leader is None:
        others = ", ".join(each.name for each in roles if each is not role) or "none"
        raise document.error(key, f"must name another role of the step: {others}, not {role.follows!r}")
    if leader.follows:
        raise document.error(key, f"names {leader.name}, which follows {leader.follows}: follow that")
    if sum(each.follows == leader.name for each in roles) > 1:
        raise document.error(key, f"names {leader.name}, which another role follows too")
    if role.is_bounded:
        raise document.error(key, f"ends it behind {leader.name}: leave seconds, share and events out")
    if role.threads not in (None, leader.threads):
        raise document.error(
            (*where, "threads"), f"must be those of {leader.name}, which it follows: leave them out"
        )


def _check_end(document: Document, step: _Where, roles: Sequence[SequenceRole], figure: int) -> None:
    """Check that a step whose roles have bounds ends, and that its figure is of the whole step."""
    if roles[figure].ends is False:
        raise document.error(
            (*step, "role", figure, "ends"), "cannot be false for the role whose figure is the step's"
        )
    if any(each.is_bounded for each in roles) and not any(each.is_waited_for for each in roles):
        raise document.error((*step, "role"), "needs one with a bound that ends the step")
    if roles[figure].follows and not any(each.is_bounded for each in roles):
        raise document.error((*step, "role"), "needs one with a bound: seconds, share or events")
