"""A person stops a session while its server is on its way: nothing goes on, and the journal says so."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Callable
from pathlib import Path

from app.protocol.events import MomentEvent, SessionEnded, StepStarted
from tests.installed import SERVER, SHARE
from tests.integration.desktop import Desktop
from tests.waiting import wait_until

# a server that takes its time where a file of that name lies beside it, but not in the rehearsal
SLOW = """\
#!/bin/sh
case "$* " in
*/sessions/rehearsal*) on=nothing ;;
*/sessions/*--bootstrap*) on=bootstrap ;;
*/sessions/*) on=start ;;
*) on=nothing ;;
esac
[ -e "${0%/*}/$on" ] && : > "${0%/*}/$on.waits" && sleep 1000
exec SERVER "$@"
""".replace("SERVER", SERVER)
SOON_S = 50.0  # on a busy machine; a server is given a minute to end, and this one takes a quarter of an hour


def slow_build(desktop: Desktop, base: Path) -> str:
    """What the target calls it."""
    (base / "bin").mkdir(parents=True)
    shutil.copytree(SHARE, base / "share")
    (base / "bin/mysqld").write_text(SLOW)
    (base / "bin/mysqld").chmod(0o755)
    desktop.dyno("target", "edit", "local", "--search-path", str(base))
    builds = desktop.json("target", "survey", "local")["builds"]
    return next(str(each["name"]) for each in builds if each["base"] == str(base))


def at_work(desktop: Desktop, word: str) -> Callable[[], bool]:
    """Whether a program of the sessions runs, whose command has this word; not those of a rehearsal."""
    place = f"{desktop.target}/sessions/"

    def is_at_work() -> bool:
        commands = [text(path) for path in Path("/proc").glob("[0-9]*/cmdline")]
        return any(place in each and word in each and "/rehearsal" not in each for each in commands)

    return is_at_work


def text(path: Path) -> str:
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""


def stop(desktop: Desktop, ended: int) -> None:
    """With the command line; so many sessions have an end soon after it."""
    desktop.dyno("stop", "--session")
    journals = list(desktop.target.glob("sessions/*/journal.jsonl"))
    wait_until(
        lambda: sum("session_ended" in each.read_text() for each in journals) == ended, "the end", SOON_S
    )


def test_a_stop_is_heard_while_a_server_is_made_starts_and_recovers(desktop: Desktop, tmp_path: Path) -> None:
    build = slow_build(desktop, tmp_path / "slow")
    bootstrap, start = (tmp_path / "slow/bin" / name for name in ("bootstrap", "start"))
    bootstrap.touch()
    running = desktop.begin("run", *desktop.plan(f"{build}:innodb", repeats=3, seconds=60))
    wait_until(at_work(desktop, "--bootstrap"), "the system tables are made", 180)
    start.touch()
    bootstrap.unlink()
    stop(desktop, 1)
    wait_until(start.with_suffix(".waits").exists, "a server starts", 180)
    start.unlink()
    stop(desktop, 2)
    wait_until(lambda: '"kind":"sample"' in text(newest(desktop)), "the server works", 180)
    start.touch()
    os.kill(desktop.server_pid(), signal.SIGKILL)
    wait_until(lambda: '"name":"crash"' in text(newest(desktop)), "its death was seen", 180)
    stop(desktop, 3)
    assert running.wait(60) == 1
    assert not at_work(desktop, "")()
    check_journals(desktop)


def newest(desktop: Desktop) -> Path:
    return max(desktop.target.glob("sessions/*/journal.jsonl"), key=lambda each: each.stat().st_mtime)


def check_journals(desktop: Desktop) -> None:
    sessions = sorted(desktop.sessions(), key=lambda each: str(each["started_at"]))
    made, started, recovered = (desktop.events(each["id"]) for each in sessions)
    for events in (made, started, recovered):
        assert isinstance(events[-1], SessionEnded)
        assert (events[-1].outcome, events[-1].reason) == ("stopped", "asked for by a person")
    assert not [each for each in (*made, *started) if isinstance(each, StepStarted)]
    assert [each.name for each in recovered if isinstance(each, MomentEvent)][-1] == "crash"
    assert not list(desktop.target.glob("sessions/*/data"))
