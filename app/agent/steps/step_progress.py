"""How far a step is that has no fixed time: rows of a load or a scan, or events."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Mapping, Optional

from app.protocol.events import Progress

if TYPE_CHECKING:
    from app.protocol.plan import Step

    from .counted import Counted
    from .running import Running


class StepProgress:
    """Writes the progress of one step."""

    def __init__(self, session: Running, index: int, step: Step) -> None:
        self._session, self._index, self._step = session, index, step
        self._read_before: Optional[float] = None

    def begin(self) -> None:
        self._read_before = self._session.sampler.rows_read

    def write(self, counted: Counted, line: Optional[Mapping[str, Any]]) -> None:
        """Write it after a second, if its line has come."""
        step = self._step
        if step.kind == "scan":
            self._write_scan()
        if line is None or step.seconds:
            return
        if step.kind == "load":
            done = counted.measured.get("rows", {}).get("inserted", 0)
            self._write(done, self._session.plan.rows_loaded_by(step), "rows")
        elif step.events:
            self._write(counted.events, step.events, "events")

    def _write_scan(self) -> None:
        """By the rows that the server has read, as a table takes minutes."""
        now, before = self._session.sampler.rows_read, self._read_before
        if now is not None and before is not None:
            total = self._session.write_accounting.rows_in_tables
            self._write(max(0.0, min(now - before, total)), total, "rows")

    def _write(self, done: float, total: float, unit: str) -> None:
        self._session.journal.write(Progress, step=self._index, done=done, total=total, unit=unit)
