"""Operations beside roles on real servers: what was lost, who waits, and what is left."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pymysql
import pytest

from app.protocol.events import LogEvent, MomentEvent, Sample, SeriesDeclared, SessionEnded, StepEnded
from tests.installed import MARIADB, PLUGINS, SERVER
from tests.integration.desktop import Desktop, own_marks
from tests.integration.on_target import on_target
from tests.integration.test_stopping import at_work, slow_build, text
from tests.sequences import INDEX, LOAD, own_sequence
from tests.waiting import wait_until

AFTER, SECONDS = 4, 20  # on a busy machine a server takes some of these
WRITER = '[[step.role]]\nname = "writer"\nworkload = "update-index"\nthreads = 3\n'
TORN = "the server came back after the kill without MyRocks: RocksDB: Error"
LEDGER = '[[step.role]]\nname = "ledger"\nworkload = "ledger"\nthreads = 2\n'
ALLOWED = ("--allow-busy", "--allow-small-disk")
READ = 'name = "read"\nworkload = "point-query"\nseconds = 1\nthreads = 1'
# a server that waits before it starts, as many seconds as the file beside it says, but not in the rehearsal
TARDY = """\
#!/bin/sh
case "$* " in
*/sessions/rehearsal*|*--bootstrap*|*--help*) ;;
*/sessions/*) [ -e "${0%/*}/delay" ] && : > "${0%/*}/delay.waits" && sleep "$(cat "${0%/*}/delay")" ;;
esac
COMMAND
"""


def operation(kind: str, *roles: str, after: int = AFTER, seconds: int = SECONDS, more: str = "") -> str:
    head = f'name = "{kind}"\nkind = "{kind}"\nafter = {after}\nseconds = {seconds}\nwarmup = 1\n{more}'
    return head + "".join(roles)


def began(desktop: Desktop, *steps: str, contender: str = f"{MARIADB}:innodb", **options: object) -> Any:
    (desktop.home / "sequences/mine.toml").write_text(own_sequence("mine", LOAD, INDEX, *steps))
    words = [word for name, value in options.items() for word in (f"--{name}", str(value))]
    return desktop.begin("run", "--sequence", "mine", "--contender", contender, *ALLOWED, *words)


def ended(desktop: Desktop, running: Any, *codes: int) -> tuple[dict[str, Any], list[Any], list[StepEnded]]:
    """The session, its events, and the ends of its steps behind load and index."""
    said, _ = running.communicate(timeout=240)
    assert running.returncode in (codes or (0,)), said
    (entry,) = desktop.sessions()
    events = desktop.events(entry["id"])
    return entry, events, [each for each in events if isinstance(each, StepEnded)][2:]


def has_mark(desktop: Desktop, name: str, directory: Path | None = None) -> Callable[[], bool]:
    return lambda: any(
        isinstance(each, MomentEvent) and each.name == name for each in on_target(desktop, directory)
    )


def tardy_build(desktop: Desktop, base: Path, command: str = f'exec {SERVER} "$@"') -> tuple[str, Path]:
    """What the target calls it, and the file with the seconds that it waits."""
    name = slow_build(desktop, base)
    (base / "bin/mysqld").write_text(TARDY.replace("COMMAND", command))
    return name, base / "bin/delay"


def connected(desktop: Desktop, directory: Path | None = None) -> Any:
    (my_cnf,) = (directory or desktop.target).glob("sessions/*/my.cnf")
    socket = next(line[7:] for line in my_cnf.read_text().splitlines() if line.startswith("socket="))
    return pymysql.connect(unix_socket=socket, user="root", autocommit=True)


@pytest.mark.full
def test_a_kill_at_full_rate_loses_nothing_that_was_promised(desktop: Desktop) -> None:
    entry, events, ends = ended(desktop, began(desktop, operation("kill", WRITER, LEDGER, seconds=12), READ))
    kill, writer, ledger, read = ends
    assert (entry["state"], {each.outcome for each in ends}) == ("completed", {"completed"})
    found = kill.operation
    assert found is not None and kill.value == found.first_answer_s
    moments = {each.name: each for each in events if isinstance(each, MomentEvent) and each.step == 2}
    assert moments["operation"].text == "kill" and AFTER <= moments["operation"].value < AFTER + 1
    gone_s = moments["answers"].value - moments["operation"].value
    assert kill.value == pytest.approx(gone_s, abs=0.01) and 0.1 < kill.value < 12
    assert found.stall_s == pytest.approx(kill.value, abs=1.5)  # clients come back when the agent does
    assert writer.latency_ms["max"] > 1000 * (found.stall_s - 0.5)
    assert list(found.phases)[:2] == ["scan redo", "apply redo"]
    assert sum(found.phases[name] for name in ("scan redo", "apply redo")) < kill.value
    assert found.promised is True and found.acknowledged > 100
    assert (found.missing, found.holes, found.returned, found.unsent) == (0, 0, 0, 0)
    assert found.unanswered <= 2  # one of each client
    assert (writer.totals.reconnects, ledger.totals.reconnects) == (3, 2)
    assert writer.totals.errors == ledger.totals.errors == 0
    assert found.before > 0 and (found.back_s["50"] is None or found.back_s["50"] >= kill.value - 1)
    assert own_marks(read.marks) == [] and read.rows["in_tables"] == 4000
    declared = [each for each in events if isinstance(each, SeriesDeclared)][-1]
    at = [each.name for each in declared.series].index("server.threads_running")
    values = [each.values[at] for each in events if isinstance(each, Sample) and each.step == 2]
    assert None in values or gone_s < 1.2  # it may be back before it is asked again
    assert values[0] is not None and values[-1] is not None


@pytest.mark.full
def test_a_promise_that_is_not_kept_fails_the_session_by_name(desktop: Desktop) -> None:
    """The log is written at each commit when the step begins; then somebody turns that off."""
    running = began(desktop, operation("kill", LEDGER, after=8), READ)
    wait_until(has_mark(desktop, "measured"), "the step has begun", 120)
    with connected(desktop) as connection:
        connection.cursor().execute("SET GLOBAL innodb_flush_log_at_trx_commit=0")
        connection.cursor().execute("SET GLOBAL innodb_flush_log_at_timeout=2700")
    entry, events, (kill, *_) = ended(desktop, running, 1)
    assert kill.operation is not None and kill.operation.promised is True
    assert kill.operation.missing > 0 and kill.outcome == "failed"
    assert kill.reason.startswith("InnoDB promised every answered commit after a kill, and of the ledger ")
    end = events[-1]
    assert isinstance(end, SessionEnded) and (end.outcome, entry["state"]) == ("failed", "failed")
    assert end.reason.startswith("kill threads=") and end.reason.endswith(f": {kill.reason}")


@pytest.mark.full
def test_rows_that_nobody_promised_are_counted_and_the_session_goes_on(desktop: Desktop) -> None:
    running = began(desktop, operation("kill", LEDGER), READ, contender=f"{MARIADB}:rocksdb")
    entry, _, (kill, *_, read) = ended(desktop, running, 0, 1)
    if kill.outcome == "failed":  # a kill may tear the last record of its log
        assert kill.reason.startswith(TORN) and running.returncode == 1
        return
    assert kill.operation is not None and kill.operation.promised is False
    assert (running.returncode, kill.outcome, read.outcome, entry["state"]) == (
        0,
        "completed",
        "completed",
        "completed",
    )
    assert kill.operation.missing >= kill.operation.holes >= 0
    assert "replay log" in kill.operation.phases


@pytest.mark.full
def test_an_engine_that_does_not_come_back_ends_the_session(desktop: Desktop, tmp_path: Path) -> None:
    """MyRocks opens nothing where the last record of its log is cut off, as a kill may leave it."""
    tear = """
data="$(dirname "${1#--defaults-file=}")"
if [ -e "${0%/*}/delay" ]; then
    for log in "$data"/*/'#rocksdb'/*.log; do last=$log; done
    truncate -s -3 "$last"
fi
"""
    (tmp_path / "torn/lib").mkdir(parents=True)
    (tmp_path / "torn/lib/plugin").symlink_to(PLUGINS)
    build, delay = tardy_build(desktop, tmp_path / "torn", f'{tear}exec {SERVER} "$@"')
    running = began(desktop, operation("kill", LEDGER), READ, contender=f"{build}:rocksdb")
    wait_until(has_mark(desktop, "measured"), "the step has begun", 120)
    delay.write_text("0")
    entry, events, (kill, ledger) = ended(desktop, running, 1)
    assert (kill.outcome, ledger.outcome, entry["state"]) == ("failed", "failed", "failed")
    assert kill.reason.startswith(TORN)
    assert "Corruption" in kill.reason and kill.operation.first_answer_s is None
    assert isinstance(events[-1], SessionEnded)
    assert events[-1].reason == f"kill threads=2: {kill.reason}"


@pytest.mark.full
def test_a_restart_and_a_second_kill_in_the_recovery(desktop: Desktop) -> None:
    twice = operation("kill", WRITER, LEDGER, more="again_after_ms = 100\n")
    cold = operation("restart", LEDGER, more="cold = true\n")
    _, events, ends = ended(desktop, began(desktop, cold, twice))
    restart, _, kill, writer, _ = ends
    assert {each.outcome for each in ends} == {"completed"}, [each.reason for each in ends]
    for each in (restart, kill):
        assert each.operation is not None and each.operation.promised is True
        assert (each.operation.missing, each.operation.returned, each.operation.unsent) == (0, 0, 0)
    assert restart.operation.seconds == restart.value and kill.operation.seconds is None
    shut_down, dropped = (restart.operation.phases[name] for name in ("shut down", "drop caches"))
    assert 0 < shut_down + dropped < restart.value
    said = [each.text for each in events if isinstance(each, LogEvent) and each.source == "agent"]
    assert not [text for text in said if "server values are missing" in text]
    assert writer.totals.reconnects == 3


@pytest.mark.full
def test_a_server_that_takes_longer_than_the_step_fails_it_and_later_steps_have_it(
    desktop: Desktop, tmp_path: Path
) -> None:
    build, delay = tardy_build(desktop, tmp_path / "tardy")
    running = began(desktop, operation("kill", LEDGER, seconds=3), READ, contender=f"{build}:innodb")
    wait_until(has_mark(desktop, "measured"), "the step has begun", 120)
    delay.write_text("8")
    entry, _, (kill, ledger, read) = ended(desktop, running, 1)
    assert kill.outcome == ledger.outcome == "failed"
    assert kill.reason == "the server did not answer within 3 s after the kill"
    assert kill.value is None and kill.operation.first_answer_s is None and kill.operation.stall_s > 2
    assert kill.operation.acknowledged > 0 and kill.operation.missing == 0  # it answered later
    assert (read.outcome, own_marks(read.marks), entry["failed_steps"]) == ("completed", [], 1)


@pytest.mark.full
def test_a_script_that_starts_its_server_in_another_group_is_killed_with_it(
    desktop: Desktop, tmp_path: Path
) -> None:
    command = f'while :; do setsid --wait {SERVER} "$@"; code=$?; [ $code -gt 128 ] || exit $code; done'
    build, _ = tardy_build(desktop, tmp_path / "again", command)
    running = began(desktop, operation("kill", LEDGER), contender=f"{build}:innodb")
    _, _, (kill, _) = ended(desktop, running)
    assert (kill.outcome, kill.operation.missing) == ("completed", 0)
    assert not at_work(desktop, "")()


def stopped_at(desktop: Desktop, base: Path) -> tuple[Any, Path]:
    """A plan whose server was killed and waits for its start."""
    build, delay = tardy_build(desktop, base)
    running = began(desktop, operation("kill", LEDGER, seconds=600), READ, contender=f"{build}:innodb")
    wait_until(has_mark(desktop, "measured"), "the step has begun", 120)
    delay.write_text("1000")
    wait_until(delay.with_suffix(".waits").exists, "the server starts again", 180)
    return running, delay


@pytest.mark.full
def test_a_stop_is_heard_while_the_server_recovers(desktop: Desktop, tmp_path: Path) -> None:
    running, _ = stopped_at(desktop, tmp_path / "tardy")
    desktop.dyno("stop", "--session")
    _, events, (kill, ledger) = ended(desktop, running, 1)
    assert (kill.outcome, kill.reason, ledger.outcome) == ("stopped", "asked for by a person", "stopped")
    assert (events[-1].outcome, events[-1].reason) == ("stopped", "asked for by a person")
    assert not at_work(desktop, "")() and not list(desktop.target.glob("sessions/*/data"))


@pytest.mark.full
def test_a_skip_waits_for_the_server_that_later_steps_need(desktop: Desktop, tmp_path: Path) -> None:
    build, delay = tardy_build(desktop, tmp_path / "tardy")
    running = began(desktop, operation("kill", LEDGER, seconds=600), READ, contender=f"{build}:innodb")
    wait_until(has_mark(desktop, "measured"), "the step has begun", 120)
    delay.write_text("10")
    wait_until(delay.with_suffix(".waits").exists, "the server starts again", 180)
    desktop.dyno("skip")
    _, _, (kill, ledger, read) = ended(desktop, running)
    assert (kill.outcome, ledger.outcome, read.outcome) == ("skipped", "skipped", "completed")


@pytest.mark.full
def test_what_an_agent_leaves_that_is_killed_in_the_operation_is_ended(
    desktop: Desktop, tmp_path: Path
) -> None:
    running, delay = stopped_at(desktop, tmp_path / "tardy")
    os.kill(desktop.agent_pid(), signal.SIGKILL)
    assert at_work(desktop, "--defaults-file")()
    running.communicate(timeout=120)
    delay.unlink()
    desktop.dyno("target", "clean", "local")
    wait_until(lambda: not at_work(desktop, "")(), "all of it is gone", 180)
    assert not list(desktop.target.glob("sessions/*/data"))
    assert "Traceback" not in text(desktop.target / "agent.log")
