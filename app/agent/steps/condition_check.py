"""The conditions of consistency: asked of the server between steps and after the last one."""

from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Sequence

from app.agent.server.mysql import Client, QueryError
from app.engines import engine_of
from app.protocol.events import MomentEvent
from app.protocol.plan import OUTAGES, PREPARING

from .operation import GONE_S, BackgroundWork, first_line

if TYPE_CHECKING:
    from app.protocol.conditions import Condition
    from app.protocol.plan import Step

    from .facts import SessionFactsWriter
    from .running import RunningSession

CAP_S = 3600  # of all conditions together
LOOK_S = 0.1
COLUMNS, CHARACTERS = 20, 60  # of a row, and of a value of it: more are not shown
_PREPARED = ("SET SESSION sql_select_limit=1",)
_READ_ONLY = "SET SESSION TRANSACTION READ ONLY"  # MySQL 5.5 does not have it
_TORN = "the clients of {} were ended in the middle of transactions, which {} does not have"


class ConditionCheck:
    """Asks conditions, each on the data of one moment; keeps what came of it in the journal."""

    def __init__(self, session: RunningSession, facts: SessionFactsWriter) -> None:
        self._session = session
        self._facts = facts
        self._torn = ""  # the step after which data without transactions may be halves of some

    def note_end(self, step: Step, ended: Mapping[str, Any], writes: bool) -> None:
        """Remember a step whose clients did not end by themselves."""
        is_whole = ended["outcome"] == "completed" and step.kind not in OUTAGES
        if step.kind == "load":
            self._torn = ""
        if writes and not is_whole and step.kind not in PREPARING:
            self._torn = self._torn or step.label

    def run(self, index: int, conditions: Sequence[Condition], when: str) -> str:
        """Ask them; returns what is violated or cannot be asked, '' if all held or a person ended it."""
        asked = AskedConditions(self._session.server.another_client(None), conditions)
        began = time.monotonic()
        unknown = self._unasked() or self._wait_for(asked)
        seconds = round(time.monotonic() - began, 3)
        problem = "" if unknown else asked.problem
        found = {"conditions": len(conditions), "seconds": seconds, "held": asked.held}
        self._facts.write_conditions(when, {**found, "problem": problem, "unknown": unknown})
        self._session.journal.write(MomentEvent, name="conditions", step=index, value=seconds)
        return problem

    def _unasked(self) -> str:
        """Why they need not hold; '' if they must."""
        engine = engine_of(self._session.contender.engine)
        is_torn = self._torn and not engine.has_transactions
        return _TORN.format(self._torn, engine.title) if is_torn else ""

    def _wait_for(self, asked: AskedConditions) -> str:
        """Wait for the answers; returns why they were ended early, '' if they were not."""
        session, control = self._session, self._session.control
        control.begin_step()  # a request to skip was about the step before
        work, why = BackgroundWork(asked.ask), ""
        while not work.is_done and not why:
            work.join(LOOK_S)
            session.wait(0)
            if control.interrupts or control.ends_session:
                why = "skipped by a person"
            elif time.monotonic() - work.began_at > CAP_S:
                why = "no answer within {:,} s".format(CAP_S)
        if not work.is_done:
            asked.give_up(session.server.client)
            work.join(GONE_S)
        if work.error is not None and not why:
            raise work.error
        return why


class AskedConditions:
    """Asks one after the other up to the first that is violated, on a connection of its own."""

    def __init__(self, client: Client, conditions: Sequence[Condition]) -> None:
        self._client = client
        self._conditions = conditions
        self._connection = 0
        self._is_given_up = False
        self.held: Dict[str, float] = {}  # seconds, by name
        self.problem = ""

    def ask(self) -> None:
        with contextlib.closing(self._client) as client:
            client.try_run(_READ_ONLY)  # first: an error closes the connection
            client.run(*_PREPARED)
            self._connection = int(client.query("SELECT CONNECTION_ID() AS id")[0]["id"])
            for each in self._conditions:
                if not (self.problem or self._is_given_up):
                    self._ask(each)

    def _ask(self, condition: Condition) -> None:
        began = time.monotonic()
        what = "condition {0.name} ({0.title})".format(condition)
        try:
            rows = self._client.query(condition.sql)
        except QueryError as error:
            self.problem = "{} cannot be asked: {}".format(what, first_line(error))
            return
        if rows:
            self.problem = "{} is violated: {}".format(what, row_text(rows[0]))
        else:
            self.held[condition.name] = round(time.monotonic() - began, 3)

    def give_up(self, client: Client) -> None:
        """End the statement and ask no other."""
        self._is_given_up = True
        if not client.try_run("KILL {}".format(self._connection)):
            self._client.abort()


def row_text(row: Mapping[str, Any]) -> str:
    """A row in one line of bounded length: `d_w_id=1, d_id=4`."""
    parts: List[str] = ["{}={}".format(name, _plain(value)) for name, value in row.items()]
    return ", ".join([*parts[:COLUMNS], *["…"] * (len(parts) > COLUMNS)])


def _plain(value: object) -> str:
    text = value.decode("latin1") if isinstance(value, bytes) else "NULL" if value is None else str(value)
    shown = "".join(each if each.isprintable() else "?" for each in text[: CHARACTERS + 1])
    return shown if len(shown) <= CHARACTERS else shown[:CHARACTERS] + "…"
