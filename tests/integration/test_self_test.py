"""A planted difference under a real server: so much more work that the server itself counts it."""

from __future__ import annotations

import pytest

from app.agent.steps.same_work import OTHER_READS, OTHER_WORK
from app.comparison.answers.self_test import self_test
from app.history.machines.self_test import SEQUENCE, planting_line
from app.history.store.history import History
from app.planner.kinds.canary import CNF
from app.protocol.events import StepEnded
from tests.installed import MARIADB
from tests.integration.desktop import Desktop
from tests.integration.generated import Server, drive, shipped
from tests.plans import write

SETUP = 2  # queries of a client before its first event
EVENTS = 3000
PCTS = (0, 3, 10)


@pytest.mark.usefixtures("tables")
@pytest.mark.parametrize("threads", [1, 16])
@pytest.mark.parametrize("pct", PCTS)
def test_the_server_gets_so_many_more_queries(server: Server, pct: int, threads: int) -> None:
    server.query(f"SET GLOBAL {planting_line(pct) or 'init_connect=DEFAULT'}")
    before = server.counters("com_select")["com_select"]
    done = drive(server, shipped("planted", "innodb", threads=threads, events=EVENTS))
    queries = server.counters("com_select")["com_select"] - before - SETUP * threads
    assert done.code == 0, done.said
    assert done.total["events"] == done.total["rows"]["read"] == EVENTS
    assert done.total["reads"] == queries
    assert 0 <= EVENTS * pct / 100 - (queries - EVENTS) < threads + 0.01, "each client owes less than one"


@pytest.mark.full
def test_it_is_found_in_a_plan_or_not_by_what_was_measured(desktop: Desktop) -> None:
    for pct in PCTS:
        write(desktop.home / f"presets/innodb/planted-{pct}.cnf", f"{CNF}{planting_line(pct)}\n")
    words = f"--target local --sequence {SEQUENCE} --order slices --start-state snapshot --allow-busy".split()
    for pct in PCTS:
        words += ["--contender", f"{MARIADB}:innodb:planted-{pct}"]
    desktop.dyno("run", *words, "--rows", "1000", "--seconds", "2", "--repeats", "3", limit_s=240)
    for session in desktop.sessions():
        pct = int(session["contender"]["preset"].rpartition("-")[2])
        (done,) = (
            each for each in desktop.events(session["id"]) if isinstance(each, StepEnded) and each.step == 2
        )
        assert float(done.totals.queries or 0) / (done.totals.events or 1) == pytest.approx(
            1 + pct / 100, abs=0.002
        )
        assert not {OTHER_WORK, OTHER_READS} & {*done.marks}, "a tenth more is within what a server may do"
        assert (done.value or 0) * (done.seconds or 0) == pytest.approx(done.totals.events, rel=0.001)
    with History(desktop.home) as history:
        key = history.query("SELECT machine_key FROM session")[0][0]
        found = self_test(history, key)
    assert found is not None and found.in_slices and [each.pct for each in found.differences] == [3, 10]
    assert all(each.why or each.ratio for each in found.differences)
    assert all(each.rounds == 3 and each.found_after in (None, 3) for each in found.differences)
