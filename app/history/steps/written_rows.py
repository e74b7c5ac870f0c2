"""The rows that steps and roles write in each second, the longest response of each, and their stalls.

A stall is what steadiness calls one (`app/stats/at_target/steady.py`). Its cause is the state or the wait
that took more of the clients' time than in the other seconds of the step.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.core.units import figure_text
from app.engines import engine_of
from app.engines.waits import KINDS
from app.history.store.distributions import Distributions
from app.history.store.history import History
from app.protocol.latency import BUCKETS, upper_ms
from app.protocol.plan import ROWS_UNIT, Plan, Step
from app.protocol.series import LONGEST, MADE_OF, role_series_name
from app.protocol.thread_states import STATES, TITLES, UNKNOWN, state_share_series
from app.stats.at_target.steady import DEAD_S, SPARSE, STALL_S, STALLED, Stall, stalls

from .figures import plan_of
from .timeline import StepOnTimeline, load_step_series

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

STALL_RULE = (
    f"A stall: {STALL_S} seconds or more in a row at {STALLED:.0%} of the usual rate or less; of a rate below"
    f" {SPARSE:g} rows/s, {DEAD_S} seconds or more without any."
)
LEAST_MORE = 0.1  # of the clients' time, that a cause takes more than in the other seconds
STALLED_WRITES = "stall"  # the kind of wait that an engine has reasons for
_WAITS = ("row_lock", "table_lock", "metadata_lock", STALLED_WRITES)  # that only clients have
_WRITING = ("load", "drive")  # kinds of steps


@dataclass(frozen=True)
class StallCause:
    """What the clients did in a stall more than otherwise."""

    title: str  # `row locks`
    share: float  # of the clients' time in the stall
    otherwise: float | None  # in the other seconds; None: there are none

    @property
    def text(self) -> str:
        """`row locks took 71% of the clients' time, 4% otherwise`."""
        more = "" if self.otherwise is None else f", {self.otherwise:.0%} otherwise"
        return f"{self.title} took {self.share:.0%} of the clients' time{more}"


@dataclass(frozen=True)
class NamedStall:
    """A stall on the time axis of its session."""

    first_s: int  # second of the step
    last_s: int
    seconds: int
    began_t: float
    ended_t: float
    longest_ms: float | None  # of the responses that ended in it or in the second after it
    cause: StallCause | None

    @property
    def label(self) -> str:
        """`stall 3 s: row locks`."""
        return f"stall {self.seconds} s" + (f": {self.cause.title}" if self.cause else "")

    @property
    def text(self) -> str:
        """`stall of 3 s from second 12 on, longest response 3,210 ms; row locks took 71% of …`."""
        longest = "" if self.longest_ms is None else f", longest response {figure_text(self.longest_ms)} ms"
        cause = f"; {self.cause.text}" if self.cause else ""
        return f"stall of {self.seconds} s from second {self.first_s} on{longest}{cause}"


@dataclass(frozen=True)
class WrittenRows:
    """The seconds of a step, or of one of its roles, whose figure is the rows that it writes."""

    step: Step
    s: Floats
    t: Floats
    rows: Floats  # a second; NaN is missing, here and below
    longest_ms: Floats
    stalls: tuple[NamedStall, ...]


def writers(plan: Plan, position: int) -> list[Step]:
    """The step, or the roles of it, whose figure is the rows that they write; not those that follow one."""
    return [step for step in plan.together(position) if _writes_rows(step)]


def _writes_rows(step: Step) -> bool:
    return step.unit == ROWS_UNIT and step.writes and step.kind in _WRITING and not step.follows


def rows_series(step: Step) -> str:
    """The series of the rows that a step or a role writes."""
    name = MADE_OF[ROWS_UNIT]
    return role_series_name(name, step.role) if step.role else name


def longest_series(step: Step) -> str:
    """The series of its longest responses; a step without roles has them in the latencies of its seconds."""
    return role_series_name(LONGEST.name, step.role) if step.role else ""


def written_rows(history: History, session: str) -> list[WrittenRows]:
    """The seconds of all that writes rows in a session, in the order of its plan."""
    plan = Plan.from_json(plan_of(history, session))
    places, engine = [at for at in range(len(plan.steps)) if writers(plan, at)], _engine(plan, session)
    stretches = load_step_series(history, session, _names(plan, engine, places)) if places else []
    return [
        _written(step, stretch, engine, sum(each.threads for each in plan.together(stretch.position)))
        for stretch in stretches
        for step in writers(plan, stretch.position)
        if rows_series(step) in stretch.values
    ]


def _engine(plan: Plan, session: str) -> str:
    return plan.contenders[plan.turn_of(session).contender].engine


def _names(plan: Plan, engine: str, places: Sequence[int]) -> list[str]:
    """The series that are read."""
    of_writers = [step for at in places for step in writers(plan, at)]
    reasons = [series for _, series in _reasons(engine)]
    waits = map(_wait_series, _WAITS)
    states = map(state_share_series, STATES)
    rows, longest = map(rows_series, of_writers), filter(None, map(longest_series, of_writers))
    return [*dict.fromkeys([*rows, *longest, *states, *waits, *reasons])]


def _wait_series(kind: str) -> str:
    return f"waits.{kind}_ms"


def _written(step: Step, stretch: StepOnTimeline, engine: str, clients: int) -> WrittenRows:
    rows = stretch.values[rows_series(step)]
    longest = longest_responses(step, stretch)
    at = (stretch.s >= 0).nonzero()[0]
    found = stalls([value if value == value else None for value in rows[at].tolist()])
    within = [Stall(int(at[each.first]), int(at[each.last]), each.seconds) for each in found]
    seconds = StallSeconds(stretch, clients, engine, within)
    named = tuple(_named(each, stretch, longest, seconds) for each in within)
    return WrittenRows(step, stretch.s, stretch.t, rows, longest, named)


def longest_responses(step: Step, stretch: StepOnTimeline) -> Floats:
    """The longest response that ended in each second of a step or a role."""
    import numpy as np

    missing = np.full(len(stretch.s), np.nan)
    if step.role:
        return stretch.values.get(longest_series(step), missing)
    return missing if stretch.latencies is None else longest_of_seconds(stretch.latencies)


def longest_of_seconds(latencies: Distributions) -> Floats:
    """The longest response that ended in each second, by the upper bound of its bucket."""
    import numpy as np

    bounds, found = np.array([upper_ms(bucket) for bucket in range(BUCKETS)]), np.full(len(latencies), np.nan)
    has_any = latencies.sizes > 0
    found[has_any] = bounds[latencies.buckets[latencies.ends[has_any] - 1]]
    return found


def _named(stall: Stall, stretch: StepOnTimeline, longest: Floats, seconds: StallSeconds) -> NamedStall:
    part = longest[stall.first : stall.last + 2]  # a response that hung ends when it is over
    known = part[part == part]
    return NamedStall(
        first_s=int(stretch.s[stall.first]),
        last_s=int(stretch.s[stall.last]),
        seconds=stall.seconds,
        began_t=float(stretch.t[stall.first] - stretch.dt[stall.first]),
        ended_t=float(stretch.t[stall.last]),
        longest_ms=float(known.max()) if known.size else None,
        cause=seconds.cause(stall),
    )


# what the clients did


class StallSeconds:
    """The states and waits of the clients of a step, in its stalls and in its other seconds."""

    def __init__(self, stretch: StepOnTimeline, clients: int, engine: str, within: Sequence[Stall]) -> None:
        self._values, self._dt = stretch.values, stretch.dt
        self._clients, self._reasons = max(clients, 1), _reasons(engine)
        self._others = stretch.s >= 0
        for each in within:
            self._others[each.first : each.last + 2] = False

    def cause(self, stall: Stall) -> StallCause | None:
        """The wait that took more than otherwise; else the state that did, of which a wait may be a part."""
        waits, states = _most(self._waits(stall)), _most(self._states(stall))
        return waits if waits and (states is None or _more(waits) >= _more(states) / 2) else states

    def _waits(self, stall: Stall) -> Iterator[StallCause]:
        """By kind: servers count many of them when they end, which may be in the second after the stall."""
        for kind in _WAITS:
            ms = self._values.get(_wait_series(kind))
            if ms is not None:
                part, others = slice(stall.first, stall.last + 2), self._others
                whole = 1000 * self._clients * float(self._dt[stall.first : stall.last + 1].sum())
                share = _sum(ms[part] * self._dt[part]) / whole if whole else 0.0
                mean = _mean(ms[others])
                otherwise = None if mean is None else mean / 1000 / self._clients
                yield StallCause(KINDS[kind] + self._reason(kind, part), min(share, 1.0), otherwise)

    def _states(self, stall: Stall) -> Iterator[StallCause]:
        for state, title in TITLES.items():
            pct = self._values.get(state_share_series(state))
            if pct is not None and state != UNKNOWN:
                share, mean = _mean(pct[stall.first : stall.last + 1]), _mean(pct[self._others])
                if share is not None:
                    yield StallCause(title, share / 100, None if mean is None else mean / 100)

    def _reason(self, kind: str, part: slice) -> str:
        """` (memtables)`: what the engine counts of its write stalls."""
        known = self._reasons if kind == STALLED_WRITES else ()
        means = {label: _mean(self._values[name][part]) for label, name in known if name in self._values}
        found = {label: mean for label, mean in means.items() if mean}
        return f" ({max(found, key=lambda label: found[label])})" if found else ""


def _reasons(engine: str) -> Sequence[tuple[str, str]]:
    """What an engine counts of its write stalls, by their reasons."""
    return next((each.parts for each in engine_of(engine).panel if each.name == "stalls"), ())


def _most(found: Iterator[StallCause]) -> StallCause | None:
    """That which grew most; None where nothing did."""
    grown = [each for each in found if _more(each) >= LEAST_MORE]
    return max(grown, key=_more, default=None)


def _more(cause: StallCause) -> float:
    return cause.share - (cause.otherwise or 0.0)


def _sum(values: Floats) -> float:
    return float(values[values == values].sum())


def _mean(values: Floats) -> float | None:
    known = values[values == values]
    return float(known.mean()) if known.size else None
