"""The waits of a server by name, from the Performance Schema where it is on, and from status counters."""

from __future__ import annotations

import time
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Set

from app.agent.server.mysql import Client, QueryError
from app.engines import engine_of
from app.engines.counter import StatusWait
from app.engines.waits import (
    FILE_IO,
    FILES,
    IS_ON,
    KINDS,
    PARTS,
    PS_PER_MS,
    SUMMARY,
    TIMED,
    WAYS,
    wait_event_kind,
)
from app.protocol.series import SeriesDeclaration

SHARE = 0.004  # of the time may go by while a server lists its waits; its own CPU is less
EACH_S = 0.9  # between two readings, at least


class WaitAmount(NamedTuple):
    """How often something was waited for, and how long."""

    times: int
    ms: Optional[float]


Amounts = Dict[str, WaitAmount]


class WaitReadInterval:
    """Reads at most once a second, and less often where a reading takes long."""

    def __init__(self, each_s: float = EACH_S) -> None:
        self._each_s = each_s
        self._quickest = 0.0  # of all readings: others on the machine delay the rest
        self._at = 0.0

    @property
    def is_due(self) -> bool:
        return time.monotonic() - self._at >= max(self._each_s, self._quickest / SHARE - 0.1)

    def took(self, seconds: float) -> None:
        self._at = time.monotonic()
        self._quickest = min(seconds, self._quickest or seconds)


class WaitSampler:
    """The server's waits: as series by kind, and as amounts by name."""

    def __init__(self, client: Client, engine: str) -> None:
        self._client = client
        self._of_status = engine_of(engine).status_waits
        self.is_on = _is_on(client)
        self._timed = self._timed_kinds()  # by the Performance Schema
        others = {each.kind for each in self._of_status if each.time}
        self.kinds = [kind for kind in KINDS if kind in self._timed | others]
        self._pace = WaitReadInterval()
        self._before: Optional[Amounts] = None  # the latest reading; None: it failed
        self._elapsed = 0.0  # of a contender's own seconds, since the latest reading

    def _timed_kinds(self) -> Set[str]:
        names = [str(row["name"]) for row in self._client.query(TIMED)] if self.is_on else []
        return {wait_event_kind(name) for name in names} - {""}

    def declare(self) -> List[SeriesDeclaration]:
        return [_series(kind) for kind in self.kinds]

    @property
    def status_names(self) -> List[str]:
        """The status variables that `values` and `amounts` need."""
        texts = "+".join("+".join(filter(None, (each.counter, each.time))) for each in self._of_status)
        return [name for name in texts.split("+") if name]

    def begin(self) -> None:
        """Begin a step: what was before is not part of its first second."""
        if self.is_on:
            self._before, self._elapsed = self._read(), 0.0

    def amounts(self, status: Mapping[str, str]) -> Optional[Amounts]:
        """All waits so far; None where the server does not tell them now."""
        found = self._read() if self.is_on else {}
        if found is None or not (self.is_on or status):
            return None
        return {**found, **_status_amounts(self._of_status, status)}

    def files(self) -> Dict[str, float]:
        """The bytes read and written so far, by kind of file."""
        try:
            rows = self._client.query(FILES) if self.is_on else []
        except QueryError:
            return {}
        names = [(row, str(row["name"]).replace(FILE_IO, "")) for row in rows]
        return {"{}:{}".format(name, way): float(row[way]) for row, name in names for way in WAYS}

    def values(self, before: Mapping[str, str], after: Mapping[str, str], dt: float) -> List[Optional[float]]:
        """Waiting of each kind in ms a second; None where it is not known for this second."""
        found = self._rates(dt)
        then, now = (_status_amounts(self._of_status, each) for each in (before, after))
        for each in self._of_status:
            ms = _grown(then.get(each.name), now.get(each.name))
            if ms is not None and dt > 0:
                found[each.kind] = (found.get(each.kind) or 0.0) + ms / dt
        return [found.get(kind) for kind in self.kinds]

    def _rates(self, dt: float) -> Dict[str, Optional[float]]:
        self._elapsed += dt
        if not self.is_on or not self._pace.is_due:
            return {}
        before, elapsed = self._before, self._elapsed
        self._before, self._elapsed = self._read(), 0.0
        if before is None or self._before is None or has_restarted(before, self._before):
            return {}
        sums = by_kind(wait_differences(before, self._before))
        return {kind: sums.get(kind, 0.0) / elapsed for kind in self._timed}

    def _read(self) -> Optional[Amounts]:
        began = time.monotonic()
        try:
            rows = self._client.query(SUMMARY)
        except QueryError:
            return None
        self._pace.took(time.monotonic() - began)
        return _without_parts({str(row["name"]): _amount(row) for row in rows})


def _is_on(client: Client) -> bool:
    try:
        is_on = client.pairs(IS_ON).get("performance_schema", "OFF").upper() in ("ON", "1")
        return is_on and client.query(SUMMARY) is not None
    except QueryError:
        return False


def _series(kind: str) -> SeriesDeclaration:
    return SeriesDeclaration(
        "waits.{}_ms".format(kind), "ms/s", "rate", "lower", "Waits: {}".format(KINDS[kind]), 2
    )


def _amount(row: Mapping[str, Any]) -> WaitAmount:
    return WaitAmount(int(row["count"]), float(row["ps"]) / PS_PER_MS)


def _without_parts(found: Amounts) -> Amounts:
    """Take the time of a whole wait from that of its part, so that each counts once."""
    counted = {name: amount for name, amount in found.items() if wait_event_kind(name)}
    for part, whole in PARTS.items():
        if part in counted and whole in counted:
            mine, its = counted[part], counted[whole]
            counted[part] = WaitAmount(mine.times, max(0.0, (mine.ms or 0.0) - (its.ms or 0.0)))
    return counted


def _status_amounts(waits: Sequence[StatusWait], status: Mapping[str, str]) -> Amounts:
    found = {}
    for each in waits:
        count, time_of = _sum(each.counter, status), _sum(each.time, status)
        if count is not None:
            found[each.name] = WaitAmount(int(count), None if time_of is None else time_of * each.to_ms)
    return found


def _sum(names: str, status: Mapping[str, str]) -> Optional[float]:
    try:
        return float(sum(float(status[name]) for name in names.split("+"))) if names else None
    except (KeyError, ValueError):
        return None


def _grown(then: Optional[WaitAmount], now: Optional[WaitAmount]) -> Optional[float]:
    """The ms between two readings; None if unknown, also after a restart."""
    if then is None or now is None or then.ms is None or now.ms is None or now.ms < then.ms:
        return None
    return now.ms - then.ms


def wait_differences(before: Amounts, after: Amounts) -> Amounts:
    """What was waited for between two readings, without names of which nothing was."""
    found = {}
    for name, now in after.items():
        then = before.get(name, WaitAmount(0, 0.0))
        ms = None if now.ms is None else max(0.0, now.ms - (then.ms or 0.0))
        if ms or (ms is None and now.times > then.times):
            found[name] = WaitAmount(max(0, now.times - then.times), ms)
    return found


def has_restarted(before: Amounts, after: Amounts) -> bool:
    """Whether the server has counted from zero again between two readings."""
    return any(after.get(name, then).times < then.times for name, then in before.items())


def by_kind(amounts: Amounts) -> Dict[str, float]:
    """The ms of each kind of event of the Performance Schema."""
    sums: Dict[str, float] = {}
    for name, amount in amounts.items():
        kind = wait_event_kind(name)
        if kind:
            sums[kind] = sums.get(kind, 0.0) + (amount.ms or 0.0)
    return sums
