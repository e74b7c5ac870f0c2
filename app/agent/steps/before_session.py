"""The machine before a session: waiting until it is quiet, and how fast a small server is (the canary).

The canary tells a machine that has changed from a contender that is slower. One connection reads by key, then
commits updates; no load generator, so that nothing of the contender's work takes part.
"""

from __future__ import annotations

import random
import time
from typing import TYPE_CHECKING, Any, Callable, Dict, List

from app.agent.sampling.disturbance import DisturbanceLimits, others_between
from app.agent.sampling.host import HostSampler
from app.agent.server.mycnf import ERROR_LOG
from app.agent.server.mysql import QueryError
from app.agent.system.directory import OF_SESSION
from app.agent.system.errors import AgentError
from app.engines import engine_of
from app.engines.engine import Engine

from .facts import write_canary
from .running import BegunSession, RunningSession
from .settle_step import pause

if TYPE_CHECKING:
    from app.agent.server.mysql import Client
    from app.agent.server.server import Server
    from app.protocol.others import Others
    from app.protocol.plan import Contender

LOOK_S = 5.0  # the machine has to be quiet for so long
ROWS = 10_000
BATCH = 1_000
WARM_S, SECONDS = 1, 5  # of each of the two; the first second is no figure
CREATE = (
    "CREATE TABLE dyno_canary (id INT NOT NULL PRIMARY KEY, k INT NOT NULL, c CHAR(120) NOT NULL) ENGINE={}"
)


def run_canary(session: BegunSession, make: Callable[[Contender], Server]) -> None:
    """Write the fact `canary`; a failure only logs a warning."""
    contender = session.plan.canary_of(session.contender)
    assert contender is not None
    try:
        found = _run(RunningSession(session, make(contender), "canary: "), engine_of(contender.engine))
        write_canary(session.journal, {"build": contender.build, "key": contender.key, **found})
    except (AgentError, QueryError) as error:
        session.journal.log("the canary run failed: {}".format(error))


def _run(canary: RunningSession, engine: Engine) -> Dict[str, Any]:
    """Start it, measure it, and leave nothing behind."""
    try:
        canary.server.prepare(canary.wait)
        canary.server.start(canary.wait)
        return _measured(canary, engine)
    finally:
        canary.server.kill()
        canary.server.clean()
        for part in (*OF_SESSION, ERROR_LOG):
            canary.directory.discard(canary.at(part))


def _measured(session: RunningSession, engine: Engine) -> Dict[str, Any]:
    client = session.server.client
    host = HostSampler({"server": session.server.pid or None}, session.path, session.agent)
    try:
        _fill(client, engine)
        host.others.begin()
        first = host.read(whole=True)
        reads = _rates(session, client, "SELECT c FROM dyno_canary WHERE id = {}")
        commits = _rates(session, client, "UPDATE dyno_canary SET k = k + 1 WHERE id = {}")
        others = others_between(first, host.read(whole=True), host.others, DisturbanceLimits.of(session.plan))
    finally:
        host.close()
    return {
        "reads": round(sum(reads) / len(reads), 1),
        "commits": round(sum(commits) / len(commits), 1),
        "reads_by_second": reads,
        "commits_by_second": commits,
        "others": others.to_json(),
    }


def _fill(client: Client, engine: Engine) -> None:
    client.run(CREATE.format(engine.title))
    for begin in range(1, ROWS + 1, BATCH):
        rows = ",".join("({},0,'{:0>120}')".format(id_, id_) for id_ in range(begin, begin + BATCH))
        client.run("INSERT INTO dyno_canary VALUES {}".format(rows))  # noqa: S608 - our own numbers


def _rates(session: RunningSession, client: Client, statement: str) -> List[int]:
    """Statements in each second, the same ones in every session."""
    any_row = random.Random(1)
    counts = []
    for _ in range(WARM_S + SECONDS):
        until, count = time.monotonic() + 1, 0
        while time.monotonic() < until:
            client.query(statement.format(any_row.randint(1, ROWS)))
            count += 1
        counts.append(count)
        session.wait(0)
    return counts[WARM_S:]


def wait_for_quiet_machine(session: BegunSession) -> None:
    """Wait as long as the plan allows; the journal names what it waits for, and says when it gives up."""
    until = time.monotonic() + session.plan.quiet_wait
    host = HostSampler({}, session.directory.path, session.agent)
    has_waited = False
    try:
        while not session.control.ends_session:
            found = _look(session, host)
            if not found.causes or session.control.ends_session:
                return
            if time.monotonic() >= until:
                _say(session, "warning", "the session starts although the machine is not quiet", found)
                return
            if not has_waited:
                _say(session, "info", "the session waits for a quiet machine", found)
                has_waited = True
    finally:
        host.close()


def _look(session: BegunSession, host: HostSampler) -> Others:
    host.others.begin()
    first = host.read(whole=True)
    pause(session, -1, time.monotonic() + LOOK_S)
    return others_between(first, host.read(whole=True), host.others, DisturbanceLimits.of(session.plan))


def _say(session: BegunSession, level: str, text: str, found: Others) -> None:
    session.journal.log("{}: {}".format(text, "; ".join(found.texts)), level)
