"""The facts that a session stores: machine, build, settings in force, the server's log."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List

from app.agent.existing.meter import round_trip_ms
from app.agent.existing.server import ExistingServer, server_facts
from app.agent.existing.statements import MARKER
from app.agent.server.callgrind import valgrind_version
from app.agent.server.mysql import Client, QueryError
from app.agent.server.options_in_force import compression_in_force, not_default, options_of
from app.agent.survey.build_notes import BuildNotes
from app.agent.survey.machine import machine_facts
from app.engines import engine_of
from app.engines.panel import FACT
from app.engines.server import table_formats
from app.protocol.answers import to_json
from app.protocol.events import Fact
from app.protocol.plan import PREPARING
from app.protocol.stacks import STACKS, Stacks

if TYPE_CHECKING:
    from app.agent.system.journal import Journal
    from app.protocol.plan import Step

    from .running import BegunSession, RunningSession


def _write(journal: Journal, name: str, value: Any, when: str = "") -> None:
    journal.write_fact(Fact, value, name=name, when=when)


def write_canary(journal: Journal, value: Dict[str, Any]) -> None:
    _write(journal, "canary", value)


def record_machine_facts(session: BegunSession) -> None:
    """Write what machine and build are, before there is a server."""
    _write(session.journal, "machine", to_json(machine_facts(session.directory.path)))
    contender = session.contender
    build = ("build", "base", "server", "family", "version", "fingerprint")
    notes = BuildNotes(session.directory).of(contender.base)
    found = {**{name: getattr(contender, name) for name in build}, "notes": notes}
    _write(session.journal, "build", found)
    if session.plan.counts:
        _write(session.journal, "valgrind", valgrind_version())


def record_loop_disk(session: BegunSession) -> None:
    """Write that the data lie on a file system in a file, if they do."""
    if session.loop_disk is not None:
        _write(session.journal, "loop_disk", session.loop_disk.facts())


def record_file_limits(session: BegunSession, limits: Dict[str, int]) -> None:
    """Write the limits of open files of server and generator, for the most client threads."""
    _write(session.journal, "limits", limits)


class SessionFactsWriter:
    """Writes the facts of one session with its server."""

    def __init__(self, session: RunningSession) -> None:
        self._session = session
        self._has_binary_log = False

    def _write(self, name: str, value: Any, when: str = "") -> None:
        _write(self._session.journal, name, value, when)

    def write_analysed(self, step: Step, found: Dict[str, Any]) -> None:
        """What ANALYZE TABLE behind a step took and said, and how many rows the server then believes in."""
        self._write("analysed", found, step.label)

    def write_conditions(self, when: str, found: Dict[str, Any]) -> None:
        """Which conditions of consistency held, and in what time."""
        self._write("conditions", found, when)

    def write_start_state(self, load: str, **said: str) -> None:
        """Write where the data come from, in words and as data; again if that changes."""
        plan = self._session.plan
        is_restarted = plan.start == "loaded" and any(map(plan.is_loaded_after, range(len(plan.steps))))
        start = "restarted" if is_restarted else plan.start
        self._write("start_state", {"load": load, "start": start, "pause_s": plan.pause, **said})

    def write_server(self) -> None:
        """Write my.cnf and variables after the start of the server."""
        server = self._session.server
        if isinstance(server, ExistingServer):
            self._write_existing_server(server)
            return
        with open(server.my_cnf, encoding="utf-8") as file:
            my_cnf = file.read()
        self._write("my_cnf", my_cnf)
        variables = server.client.pairs("SHOW GLOBAL VARIABLES")
        self._has_binary_log = variables.get("log_bin", "OFF").upper() in ("ON", "1")
        self._write("variables", variables)
        asked = {**options_of(my_cnf), **server.options}
        self._write("not_default", not_default(asked, server.known, variables))
        self._write("transport", self._session.plan.transport)
        self._write("memory", server.memory.in_force())

    def _write_existing_server(self, server: ExistingServer) -> None:
        """Its variables and where it is; what is not to be known of it is not written."""
        client = server.compared.client
        variables = client.pairs("SHOW GLOBAL VARIABLES")
        self._write("variables", variables)
        self._write("existing_server", server_facts(server, variables, round_trip_ms(client)))

    def write_existing(self, step: Step, found: Dict[str, Any]) -> None:
        """Round trips, the relay's CPU and the statements of others in a step."""
        self._write("existing", found, step.label)

    def empty_binary_log(self) -> None:
        if self._has_binary_log:
            self._session.server.client.try_run("RESET BINARY LOGS AND GTIDS", "RESET MASTER")

    def write_after(self, index: int, step: Step) -> None:
        """After the load with its index, and after the last step that writes."""
        steps = self._session.plan.steps
        rest = steps[index + 1 :]
        if step.kind in PREPARING and not any(each.kind in PREPARING for each in rest):
            self.write_loaded()
        elif step.writes and not any(each.writes for each in rest):
            self._write_engine("written")

    def write_explain(self, step: Step, statement: str) -> None:
        """How the server executes a typical statement of a step; asked when the step is over."""
        rows = rows_of_explain(self._session.server.client, statement)
        self._write("explain", {"statement": statement, "rows": rows}, step.label)

    def write_plans(self, step: Step, found: List[Dict[str, Any]]) -> None:
        """The plan of each statement of a step, at its begin and at its end."""
        if found:
            self._write("plans", found, step.label)

    def write_load(self, step: Step, found: Dict[str, Any]) -> None:
        """What each load target did in a step, and how exact its clock is known."""
        self._write("load", found, step.label)

    def write_engine_figures(self, step: Step, found: Dict[str, float]) -> None:
        """The figures of the engine's panel over the measured seconds of a step."""
        if found:
            self._write(FACT, {name: round(value, 6) for name, value in found.items()}, step.label)

    def write_estimate(self, step: Step, found: Dict[str, Any]) -> None:
        """The rows that the server estimated when a step began, and the rows in the tables."""
        self._write("estimate", found, step.label)

    def write_work(self, step: Step, found: Dict[str, Any]) -> None:
        """Rows that an event of a step read, sent, changed and sorted, and those it should have."""
        self._write("work", found, step.label)

    def write_stacks(self, step: Step, found: Stacks) -> None:
        """Where a server spent its time in a step that is profiled."""
        self._write(STACKS, found.to_json(), step.label)

    def write_attempt(self, step: Step, found: Dict[str, Any]) -> None:
        """Write the results of a disturbed attempt before the step runs again."""
        self._write("attempt", found, "{} {}".format(found["attempt"], step.label))

    def write_loaded(self) -> None:
        """The tables as they are made, and the engine once they are filled."""
        self._write_tables()
        self._write_engine("loaded")

    def write_ended(self) -> None:
        """After the last step: engine and memory once more, and the only count of the rows that is exact."""
        self._write_engine("ended")
        if not self._session.contender.is_existing:
            self._write("memory", self._session.server.memory.in_force(), "ended")
        self._write_compression("ended")
        self._write("rows_counted", self._count_rows())

    def _count_rows(self) -> Dict[str, Any]:
        client = self._session.server.client
        counted: Dict[str, Any] = {}
        client.close()
        client.read_s = 3600
        try:
            names = tables_of(client)
        except QueryError as error:
            return {"not counted": str(error)}  # a server that hangs
        for name in names:
            self._session.look(-1)
            if self._session.control.interrupts:
                break
            try:
                rows = client.query("SELECT COUNT(*) AS n FROM {}".format(name))  # noqa: S608 - a name of ours
                counted[name] = int(rows[0]["n"])
            except QueryError as error:
                counted[name] = {"not counted": str(error)}
        return counted

    def _write_tables(self) -> None:
        client = self._session.server.client
        has_foreign = any("foreign_keys" in step.options for step in self._session.plan.steps)
        names = tables_of(client)
        created = [_create_table(client, name) for name in (names if has_foreign else names[:1])]
        for text in created[:1]:
            self._write("create_table", text, "loaded")
        if has_foreign:
            kept = sum(text.count("FOREIGN KEY") for text in created)  # some engines drop them silently
            self._write("foreign_keys", kept, "loaded")
        for name, statement in engine_of(self._session.contender.engine).table_facts:
            self._write(name, client.query(statement), "loaded")
        self._write_compression("loaded")

    def _write_compression(self, when: str) -> None:
        client = self._session.server.client
        in_force = compression_in_force(client, self._session.contender.engine)
        self._write("compression", {"in_force": in_force, "tables": table_formats(client.query)}, when)

    def _write_engine(self, when: str) -> None:
        engine = self._session.contender.engine
        if not engine_of(engine).has_status:
            return
        try:
            rows = self._session.server.client.query("SHOW ENGINE {} STATUS".format(engine.upper()))
        except QueryError as error:
            self._write("engine_status", {"left out": str(error)}, when)
            return
        self._write(
            "engine_status",
            {"{} {}".format(r["type"], r["name"]).strip(): str(r["status"]) for r in rows},
            when,
        )


def tables_of(client: Client) -> List[str]:
    """The tables that the load has made, by number: sbtest1, sbtest2, ... sbtest10."""
    names = [str(name) for row in client.query("SHOW TABLES") for name in row.values()]
    return sorted((name for name in names if name != MARKER), key=lambda name: (len(name), name))


def _create_table(client: Client, name: str) -> str:
    found = client.query("SHOW CREATE TABLE {}".format(name))[0]
    return str(found.get("create table", ""))


def rows_of_explain(client: Client, statement: str) -> List[Dict[str, Any]]:
    """The plan of a statement as a table, in the form of any server; else a row with the error."""
    try:
        if client.query("SHOW VARIABLES LIKE 'explain_format'"):
            client.run("SET SESSION explain_format='TRADITIONAL'")
        return [_plain(row) for row in client.query("EXPLAIN " + statement)]
    except QueryError as error:
        return [{"not explained": str(error)[:300]}]


def _plain(row: Dict[str, Any]) -> Dict[str, Any]:
    """A value with numbers that JSON can hold."""
    known = (int, float, str, type(None))
    return {name: value if isinstance(value, known) else str(value) for name, value in row.items()}
