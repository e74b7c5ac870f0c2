"""What steps ask of the server besides their load: options, variables, key caches, cores.

Brought about before a step, read back after it, and put back before the next step that does not ask for it:
points of one sweep share what is costly, and what caches hold. No condition outlives the last step.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from typing import TYPE_CHECKING, Any, Dict, Mapping

from app.agent.server.affinity import AffinityError, affinity, set_affinity
from app.agent.server.mysql import QueryError
from app.agent.server.options_in_force import differences
from app.agent.system.errors import AgentError
from app.engines import engine_of
from app.engines.server import PURGE_ALL
from app.protocol.cpus import as_text, cpu_set_of_text
from app.protocol.events import MomentEvent
from app.protocol.words import literal, word

if TYPE_CHECKING:
    from app.protocol.plan import Step

    from .running import RunningSession

SHUTDOWN_S = 1200  # of a server that purges and merges everything: one that only reads could not later


class ConditionError(Exception):
    """This machine or server cannot do what a step asks for; the text says why."""


class StepSettingsChanges:
    """The settings of a session that differ from those its server was first started with."""

    def __init__(self, session: RunningSession) -> None:
        self._session = session
        self._engine = engine_of(session.contender.engine)
        self._before: Dict[str, str] = {}  # variables that were changed, as they were
        self._caches: Dict[str, int] = {}  # key caches by name, with their bytes
        self._usual_cores = ""  # of the server, while it has others
        self._refused: Dict[str, str] = {}  # options that the server did not start with, and why
        self._restarted = False  # since the latest step that was carried out

    def bring_about(self, index: int, step: Step) -> str:
        """Make the settings that the step needs; returns why this failed, '' if all are in force."""
        try:
            self._check_cores(step)
            self._restart(index, step.restart_with)
            self._set_variables(step.variables)
            self._set_key_caches(step.key_caches)
            self._set_cores(step.cores)
        except (ConditionError, QueryError, AffinityError) as error:
            return str(error)
        return self._difference({**step.restart_with, **step.variables})

    def put_back(self) -> None:
        """Undo all settings that can change while the server runs, each independently of the others."""
        with contextlib.suppress(QueryError):
            self._set_variables({})
        with contextlib.suppress(QueryError):
            self._set_key_caches(False)
        with contextlib.suppress(AffinityError):
            self._set_cores("")

    def forget(self) -> None:
        """Forget the settings: after a restart only the server's options are in force."""
        self._before, self._caches, self._usual_cores = {}, {}, ""

    def complete(self, ended: Dict[str, Any], step: Step) -> None:
        """Add the settings in force and the marks to the end of a step."""
        said = self._in_force(step)
        ended["in_force"] = {**ended.get("in_force", {}), **said}
        marks = ["shared-cores"] * step.shared_cores + ["restarted"] * self._restarted
        ended["marks"] = [*ended.get("marks", []), *marks]
        self._restarted = self._restarted and ended["outcome"] == "failed"
        if ended["outcome"] == "completed" and said.get("server_cores", step.cores) != step.cores:
            text = "at the end the server was on CPUs {server_cores}, not on those of the plan"
            ended.update(outcome="failed", reason=text.format(**said))

    def _in_force(self, step: Step) -> Dict[str, Any]:
        """The settings in force, read from the server; only those that the step sets."""
        server = self._session.server
        now = self._variables() if step.variables or step.restart_with else {}
        said = {
            "server_cores": affinity(server.pid) if step.cores else "",
            "variables": {name: now[name] for name in step.variables if name in now},
            "restarted_with": {name: now[name] for name in step.restart_with if name in now},
            "key_caches": dict(self._caches),
        }
        return {name: value for name, value in said.items() if value}

    def _variables(self) -> Dict[str, str]:
        try:
            return self._session.server.client.pairs("SHOW GLOBAL VARIABLES")
        except QueryError:
            return {}

    def _difference(self, asked: Mapping[str, Any]) -> str:
        """Values that the server changed when it accepted them."""
        cnf = "\n".join("{}={}".format(name, word(value)) for name, value in asked.items())
        return "; ".join(differences(cnf, self._variables())) if asked else ""

    # options that need a restart

    def _restart(self, index: int, wanted: Mapping[str, Any]) -> None:
        server = self._session.server
        options = {name: word(value) for name, value in wanted.items()}
        if options == server.options:
            return
        key = json.dumps(options, sort_keys=True)
        if key in self._refused:
            raise ConditionError(self._refused[key])
        began = time.monotonic()
        self._shut_down()
        self._restarted = True
        server.options = options
        try:
            server.start(self._session.wait)
        except AgentError as error:
            self._refused[key] = "with {}: {}".format(_listed(options), error)
            server.options = {}
            server.start(self._session.wait)
            raise ConditionError(self._refused[key]) from None
        text = "with {}".format(_listed(options)) if options else "as at first"
        seconds = round(time.monotonic() - began, 3)
        self._session.journal.write(MomentEvent, name="restarted", step=index, value=seconds, text=text)

    def _shut_down(self) -> None:
        server = self._session.server
        self.put_back()
        server.client.try_run(PURGE_ALL)
        server.stop(SHUTDOWN_S, self._session.wait)
        self.forget()

    # variables

    def _set_variables(self, wanted: Mapping[str, Any]) -> None:
        client = self._session.server.client
        for name in [each for each in reversed(list(self._before)) if each not in wanted]:
            client.run("SET GLOBAL {}={}".format(name, literal(self._before[name])))
            del self._before[name]
        now = self._variables() if wanted else {}
        for name, value in wanted.items():
            if name not in now:
                raise ConditionError("this server has no variable {}".format(name))
            self._before.setdefault(name, now[name])
            client.run("SET GLOBAL {}={}".format(name, literal(word(value))))

    # key caches

    def _set_key_caches(self, wanted: bool) -> None:
        """Give each table its own key cache, all together as large as the shared one; or undo this."""
        session = self._session
        variable = self._engine.key_cache
        if wanted and variable and not self._caches:
            size = int(self._variables()[variable]) // session.plan.tables
            for number in range(1, session.plan.tables + 1):
                self._give_key_cache("sbtest{}".format(number), size)
        elif self._caches and not wanted:
            for table in list(self._caches):
                session.server.client.run(*self._engine.take_key_cache(table))
                del self._caches[table]

    def _give_key_cache(self, table: str, size: int) -> None:
        """Create the key cache of a table, with the name of the table; read back its size."""
        client = self._session.server.client
        make, give = self._engine.give_key_cache(table, size)
        client.run(make)
        (answer,) = client.query(give)
        if answer["msg_type"] != "status":
            raise ConditionError("cannot give {} its own key cache: {}".format(table, answer["msg_text"]))
        (found,) = client.query("SELECT @@GLOBAL.{}.{} AS bytes".format(table, self._engine.key_cache))
        self._caches[table] = int(found["bytes"])

    # cores

    def _check_cores(self, step: Step) -> None:
        ours = os.sched_getaffinity(0)
        missing = (cpu_set_of_text(step.cores) | cpu_set_of_text(step.load_cores)) - ours
        if missing:
            text = "CPUs {} are not available here, only {}"
            raise ConditionError(text.format(as_text(missing), as_text(ours)))

    def _set_cores(self, wanted: str) -> None:
        pid = self._session.server.pid
        if wanted:
            self._usual_cores = self._usual_cores or affinity(pid)
            set_affinity(pid, wanted)
        elif self._usual_cores:
            set_affinity(pid, self._usual_cores)
            self._usual_cores = ""


def _listed(options: Mapping[str, str]) -> str:
    return ", ".join("{}={}".format(name, value) for name, value in options.items())
