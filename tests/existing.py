"""Sessions of servers that run already, made up: no build, no preset, nothing known of their machines."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

from app.history.store.history import History
from app.protocol.events import Fact, SessionStarted
from app.protocol.plan import Plan
from app.targets.servers import NamedServer, Servers
from tests import journals
from tests.fakes import CERTIFICATE, FakeExistingServer
from tests.plans import plan

PROD = NamedServer(
    "prod", "db.example", 3306, "bench", "dyno", CERTIFICATE, settings=["sync_binlog"], confirmed=True
)
REPLICA = replace(PROD, name="replica", host="replica.example", schema="second", max_queries=500)
DRIVER = {"hostname": "nuc", "cpu": {"model": "a CPU", "cores": 2}, "disk": {"model": "a disk"}}
ELSEWHERE = {"address": "db.example:3306", "on_this_machine": False}  # than the one that drives


def keep_two_servers() -> None:
    """prod and replica as they were found last, of which each has another sync_binlog."""
    for server, value in ((PROD, "1"), (REPLICA, "0")):
        found = FakeExistingServer(settings={"sync_binlog": value}).found
        Servers().keep(server.as_found(found, 5.0))


class Maker(journals.Maker):
    """What an agent can know of them: no costs of the server."""

    per_query = MappingProxyType({"cpu_us": None, "context_switches": None, "reads": None, "read_kb": None})


def stored_plan(history: History, *texts: str) -> Plan:
    """A plan of prod and replica, or of these contenders, whose three repeats are over."""
    keep_two_servers()
    made = plan(*(texts or ("@prod", "@replica")), repeats=3)
    for turn in made.first_turns:
        maker = Maker(made, turn.session).planned()
        maker.add(SessionStarted, agent="a" * 64, pid=4711)
        maker.add(Fact, name="machine", value=DRIVER)
        if made.contender_of(turn).is_existing:
            maker.add(Fact, name="existing_server", value=ELSEWHERE)
        maker.declare(journals.SERIES[:3])
        for at in range(len(made.steps)):
            maker.step(at, value=1000.0 + 100 * turn.contender + turn.repeat)
        journals.store(history, maker.end())
    return made
