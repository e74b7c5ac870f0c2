"""The start `snapshot` of a session: start from a snapshot, or create one.

Both ways end alike: a server started on a copy of the snapshot, no page of which is in the cache of the OS.
"""

from __future__ import annotations

import contextlib
import errno
import os
import time
from typing import TYPE_CHECKING, Any, Callable, Dict, Optional

from app.agent.sampling.sizes import sizes
from app.agent.snapshots.copying import drop_cached_files
from app.agent.snapshots.snapshots import Snapshot, Snapshots, snapshot_key
from app.agent.system.errors import AgentError
from app.agent.system.journal import DiskFullError
from app.engines.engine import MIB
from app.protocol.events import MomentEvent, ProgressEvent, StepEnded

if TYPE_CHECKING:
    from .facts import SessionFactsWriter
    from .running import RunningSession
    from .step_settings import StepSettingsChanges

FULL = (errno.ENOSPC, errno.EDQUOT)
SHOW_S = 1.0  # between two words on how far the copying is


class StepSkipped(Exception):  # noqa: N818 - nothing is wrong
    """A person has skipped the step."""


class SnapshotStarter:
    """Starts the server of a session from a snapshot, and skips the steps before it."""

    def __init__(
        self,
        session: RunningSession,
        facts: SessionFactsWriter,
        step_settings: StepSettingsChanges,
        open_server: Callable[[], None],
    ) -> None:
        self._session = session
        self._facts = facts
        self._step_settings = step_settings
        self._open_server = open_server
        self._at = session.plan.snapshot_at
        self._snapshots = Snapshots(session.directory)
        self._found: Optional[Snapshot] = None
        self._shown = 0.0
        self.unsettled = ""  # why the latest settle step was not carried out to its end

    def is_found(self) -> bool:
        """Look for the data set of this session; one that cannot be used is refused, and made anew."""
        if self._at >= 0 and self._snapshots.has(self._key):
            try:
                self._found = self._snapshots.find(self._key)
            except AgentError as error:
                self._session.journal.log("{}: the snapshot is not used, the tables are loaded".format(error))
        if self._found is None:
            self._facts.write_start_state("fresh", source="load")
        return self._found is not None

    @property
    def _key(self) -> str:
        return snapshot_key(self._session.plan, self._session.contender)

    def spares(self, index: int) -> bool:
        """Whether to skip this step; the journal then says so."""
        if self._found is None or index >= self._at:
            return False
        reason = "from the snapshot of this data"
        self._session.write_accounting.begin_load(self._session.plan.steps[index])
        self._session.journal.write(StepEnded, step=index, outcome="skipped", reason=reason)
        return True

    def is_at(self, index: int) -> bool:
        return index == self._at

    def run(self, index: int) -> Dict[str, Any]:
        if self._session.plan.counts:
            self._session.server.count_instructions(self._session.turn.repeat == 1)
        return self._start_from(self._found, index) if self._found else self._keep(index)

    # from one that is there

    def _start_from(self, snapshot: Snapshot, index: int) -> Dict[str, Any]:
        """Copy the snapshot and start the server on it; the result is the time for both."""
        session, began = self._session, time.monotonic()
        writes, how = any(step.writes for step in session.plan.steps[self._at :]), ""

        def lay(data: str) -> None:
            nonlocal how
            look = self._looker(index, snapshot.size_bytes)
            how = self._snapshots.lay(snapshot, data, not writes, look)

        try:
            session.server.prepare(session.wait, lay)
        except StepSkipped:
            raise AgentError("the copy of the snapshot was skipped, so there is no data") from None
        except OSError as error:
            raise _as_full(error, session.path) from None
        self._open_server()
        seconds = round(time.monotonic() - began, 3)
        session.write_accounting.rows.update(snapshot.rows)
        words = "snapshot {}, {}".format(snapshot.key, how)
        self._facts.write_start_state(words, source="snapshot", snapshot=snapshot.key, copy=how)
        self._facts.write_loaded()
        return {"outcome": "completed", "value": seconds, "seconds": seconds}

    # making one

    def _keep(self, index: int) -> Dict[str, Any]:
        """Shut down cleanly, store the data, and start from a copy as later sessions do."""
        session, began = self._session, time.monotonic()
        self._facts.empty_binary_log()
        session.server.dismiss()
        clean = session.server.stop(wait=session.wait)
        reason = self._unfit(clean) or self._try_to_keep(index)
        if reason:  # else a copy was laid
            with contextlib.suppress(OSError, AgentError):
                drop_cached_files(session.server.data)
        session.server.start(session.wait)
        self._step_settings.forget()
        kept = "kept as snapshot {}".format(self._key) if not reason else "not kept: {}".format(reason)
        seconds = round(time.monotonic() - began, 3)
        session.journal.write(MomentEvent, name="snapshot", step=index, value=seconds, text=kept)
        said = {"not_kept": reason} if reason else {"snapshot": self._key}
        self._facts.write_start_state("fresh, {}".format(kept), source="load", **said)
        outcome = session.control.interrupts or ("completed" if clean else "failed")
        return {"outcome": outcome, "reason": kept, "seconds": seconds}

    def _unfit(self, clean: bool) -> str:
        """Why this data set must not become a snapshot; '' if it may."""
        if not clean:
            return "the server had to be killed"
        return "the server had died" if self._session.crashes else self.unsettled

    def _try_to_keep(self, index: int) -> str:
        """Store the data set; returns why this failed, '' if it is stored."""
        session, data = self._session, self._session.server.data
        size = sizes(data)["total"]
        try:
            session.check_room(size)
            self._snapshots.keep(self._key, data, self._about(), self._looker(index, size))
        except StepSkipped:
            return "skipped by a person"
        except DiskFullError:
            return _without_room(size)
        except OSError as error:
            return _without_room(size) if error.errno in FULL else "{}: {}".format(data, error.strerror)
        except AgentError as error:
            return str(error)
        return ""

    def _about(self) -> Dict[str, Any]:
        plan, contender = self._session.plan, self._session.contender
        named = ("build", "family", "version", "fingerprint", "engine", "preset", "table_options")
        return {
            "session": self._session.turn.session,
            "contender": {name: getattr(contender, name) for name in named},
            "tables": plan.tables,
            "rows": plan.rows,
            "load_method": plan.load_method,
            "rows_by_driver": self._session.write_accounting.rows,
        }

    # while it is copied

    def _looker(self, index: int, total: int) -> Any:
        def look(done: int) -> None:
            session = self._session
            session.wait(0)
            if session.control.interrupts:
                raise StepSkipped
            if time.monotonic() - self._shown >= SHOW_S:
                self._shown = time.monotonic()
                shown = {"done": done // MIB, "total": max(done, total) // MIB, "unit": "MB"}
                session.journal.write(ProgressEvent, step=index, **shown)

        return look


def _without_room(size: int) -> str:
    return "the disk has no space for a second copy of {:,} MiB".format(size // MIB)


def _as_full(error: OSError, path: str) -> Exception:
    if error.errno in FULL:
        return DiskFullError(path)
    return AgentError("{}: {}".format(path, os.strerror(error.errno or 0)))
