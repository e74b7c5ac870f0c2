"""ANALYZE TABLE between two steps: a fresh table without statistics is scanned whole by some versions."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Sequence

from app.agent.server.mysql import Client, QueryError
from app.engines import engine_of
from app.engines.server import ANALYSE, ANALYSE_ALL
from app.protocol.events import MomentEvent

from .facts import tables_of

if TYPE_CHECKING:
    from app.protocol.plan import Step

    from .facts import SessionFactsWriter
    from .running import RunningSession

LOOK_S = 0.1
FAR = 2  # an estimate that is wrong by more than this factor can change plans
FEW = 100  # rows that no plan depends on
DOUBTFUL = "bad-statistics"
ONE_INDEX = "one-index"  # in its place, where no plan depends on the estimates
_ESTIMATES = (
    "SELECT table_name AS name, table_rows AS estimate FROM information_schema.tables"
    " WHERE table_schema = DATABASE()"
)


class TableAnalysis:
    """Analyses the tables of a session, and knows whether the server's row estimates are right."""

    def __init__(self, session: RunningSession, facts: SessionFactsWriter) -> None:
        self._session = session
        self._facts = facts
        self.marks: List[str] = []  # of the steps that follow

    def run(self, step: Step, index: int) -> None:
        """Run ANALYZE TABLE, wait for it, store the result."""
        session = self._session
        session.control.begin_step()  # a request to skip was about the step before
        began = time.monotonic()
        statement = ANALYSE_ALL if session.contender.is_existing else ANALYSE
        work = AnalyseTables(session.server.another_client(None), self._first_statements(), statement)
        self._wait_for(work)
        seconds = round(time.monotonic() - began, 3)
        rows = session.write_accounting.rows_in_tables
        problem = work.problem or untrusted_estimate_reason(work.estimate, rows)
        self.marks = [DOUBTFUL] if problem else []
        session.has_statistics = not problem
        found = {"seconds": seconds, "rows": rows, "estimate": work.estimate, "tables": work.tables}
        self._facts.write_analysed(step, {**found, "problem": problem})
        session.journal.write(MomentEvent, name="analysed", step=index, value=seconds)
        if problem:
            text = "ANALYZE TABLE after {}: {}".format(step.label, problem)
            session.journal.log(text, "error")

    def marks_with(self, marks: Sequence[str]) -> List[str]:
        """The marks of a step with its own; a step whose statements have one index needs no statistics."""
        return [*marks, *([] if ONE_INDEX in marks else self.marks)]

    def _first_statements(self) -> Sequence[str]:
        """What the engine is made to do before; a server that is not Dyno's own is made to do nothing."""
        contender = self._session.contender
        return () if contender.is_existing else engine_of(contender.engine).before_analyse

    def _wait_for(self, work: AnalyseTables) -> None:
        """Wait for the statements; a request to skip or stop ends them early."""
        control = self._session.control
        work.start()
        while work.is_alive():
            work.join(LOOK_S)
            self._session.wait(0)
            if control.interrupts or control.ends_session:
                work.give_up(self._session.server.client)


class AnalyseTables(threading.Thread):
    """ANALYZE TABLE on its own connection, so that the agent can still react to requests."""

    def __init__(self, client: Client, before: Sequence[str], statement: str = ANALYSE) -> None:
        super().__init__(name="analyse", daemon=True)
        self._statement = statement
        self._client = client  # without a time limit: a table takes as long as it takes
        self._before = before
        self._connection: Optional[int] = None
        self._is_given_up = False
        self.problem = ""  # why the server may have no statistics of some table
        self.tables: Dict[str, Dict[str, Any]] = {}  # by name: seconds, said, estimate

    @property
    def estimate(self) -> Optional[int]:
        """Rows of all tables, as the server estimates them; None where it does not say."""
        found = [each.get("estimate") for each in self.tables.values()]
        return None if None in found else sum(each for each in found if each)

    def run(self) -> None:
        try:
            for statement in self._before:
                self._prepare(statement)
            for name in tables_of(self._client):
                self._analyse(name)
            self._read_estimates()
        except QueryError as error:
            self.problem = self.problem or str(error)
        finally:
            self._client.close()

    def _prepare(self, statement: str) -> None:
        try:
            self._client.run(statement)
        except QueryError as error:
            self.problem = str(error)

    def give_up(self, client: Client) -> None:
        """End the statements; called repeatedly, because between two of them there is nothing to end."""
        self._is_given_up = True
        query = self._connection
        if query is not None and not client.try_run("KILL QUERY {}".format(query)):
            self._client.abort()

    def _analyse(self, name: str) -> None:
        began, said = time.monotonic(), ["skipped by a person"]
        if not self._is_given_up:
            self._connection = int(self._client.query("SELECT CONNECTION_ID() AS id")[0]["id"])
            said = _ask(self._client, self._statement.format(name))
            self._connection = None
        self.tables[name] = {"seconds": round(time.monotonic() - began, 3), "said": said}
        if not _is_good(said):
            self.problem = self.problem or "{}: {}".format(name, "; ".join(said))

    def _read_estimates(self) -> None:
        for name, estimate in _estimates_of(self._client).items():
            if name in self.tables and estimate is not None:
                self.tables[name]["estimate"] = estimate


def _estimates_of(client: Client) -> Dict[str, Optional[int]]:
    """Row estimates by table; None if the server does not say."""
    client.try_run("SET SESSION information_schema_stats_expiry=0")  # MySQL 8 and later cache them
    found = ((str(row["name"]), row["estimate"]) for row in client.query(_ESTIMATES))
    return {name: None if estimate is None else int(estimate) for name, estimate in found}


def read_estimate(client: Client) -> Optional[int]:
    """Rows of all tables, as the server estimates them at this moment; None where it does not say."""
    found = [each for each in _estimates_of(client).values() if each is not None]
    return sum(found) if found else None


def _ask(client: Client, statement: str) -> List[str]:
    """What the server answers to ANALYZE TABLE: `status OK`."""
    try:
        return ["{} {}".format(row["msg_type"], row["msg_text"]) for row in client.query(statement)]
    except QueryError as error:
        return ["error {}".format(error)]


def _is_good(said: List[str]) -> bool:
    """Whether the answer is good; an engine without ANALYZE gives a note and no status."""
    words = [each.lower() for each in said]
    if not words or words[-1].endswith("doesn't support analyze"):  # some answer without a row
        return True
    failed = any(each.startswith("error") or each.endswith("operation failed") for each in words)
    return not failed and any(each.startswith("status") for each in words)


def untrusted_estimate_reason(estimate: Optional[int], rows: int) -> str:
    """Why plans made with this estimate cannot be trusted; '' where they can."""
    if estimate is None:
        return "the server has no row estimate"
    if max(estimate, rows) <= FAR * max(min(estimate, rows), FEW):
        return ""
    return "the server estimates {:,} rows instead of {:,}".format(estimate, rows)
