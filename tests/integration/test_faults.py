"""What goes wrong: links, desktops, servers, agents, disks, clocks. Nothing is lost, the reason is said."""

from __future__ import annotations

import os
import re
import shlex
import signal
import time
from pathlib import Path

import pytest

from app.agent.server.server import start_ticks
from app.protocol.events import (
    Event,
    LogEvent,
    MomentEvent,
    Note,
    Sample,
    StepEnded,
    StepStarted,
)
from tests.installed import MARIADB
from tests.integration.desktop import READ, WRITE, Desktop, own_marks
from tests.integration.netns import FarTarget
from tests.integration.on_target import begun, ended
from tests.integration.sshd import Sshd
from tests.processes import parent_of
from tests.waiting import wait_until

LONG = {"seconds": 4}


def check_every_second(events: list[Event], step: int, seconds: int) -> None:
    """Each second of a step with one second of warm-up: there, and not twice."""
    found = [event.s for event in events if isinstance(event, Sample) and event.step == step]
    assert found == list(range(-1, seconds))


def check_same(desktop: Desktop, session: str, directory: Path) -> None:
    """What is kept here is what lies there, to the byte."""
    kept = (desktop.home / "journals" / f"{session}.jsonl").read_bytes()
    assert kept == (directory / "sessions" / session / "journal.jsonl").read_bytes()


# links and desktops


@pytest.mark.full
def test_sshd_killed_in_the_middle_of_a_step_and_back(desktop: Desktop, sshd: Sshd) -> None:
    sshd.add_target("far")
    there = Path(sshd.directory)
    running = desktop.begin("run", *desktop.plan(target="far", **LONG))
    wait_until(begun(desktop, READ, there), "the step has begun", 180)
    sshd.stop()
    wait_until(begun(desktop, WRITE, there), "the plan goes on without a link", 180)
    sshd.start()
    said, _ = running.communicate(timeout=90)
    assert running.returncode == 0, said
    assert "link lost" in said
    assert "link is back" in said
    check_whole(desktop, there)


def check_whole(desktop: Desktop, there: Path, seconds: int = LONG["seconds"]) -> None:
    (entry,) = desktop.sessions()
    assert entry["state"] == "completed"
    check_same(desktop, entry["id"], there)
    for step in (READ, WRITE):
        check_every_second(desktop.events(entry["id"]), step, seconds)


@pytest.mark.full
@pytest.mark.root
def test_link_down_in_the_middle_of_a_step_and_up_again(
    desktop: Desktop, two_targets: tuple[FarTarget, FarTarget]
) -> None:
    far = two_targets[0]
    far.sshd.add_target("far")
    there = Path(far.sshd.directory)
    running = desktop.begin("run", *desktop.plan(target="far", seconds=6))
    wait_until(begun(desktop, READ, there), "the step has begun", 180)
    far.link_down()
    wait_until(ended(desktop, there), "the session has ended without a link", 180)
    far.link_up()
    said, _ = running.communicate(timeout=120)
    assert running.returncode == 0, said
    assert "link lost" in said
    check_whole(desktop, there, 6)  # longer than the ten seconds of silence that are noticed


@pytest.mark.root
@pytest.mark.full
def test_two_targets_at_once(desktop: Desktop, two_targets: tuple[FarTarget, FarTarget]) -> None:
    """Both namespaces share one machine, so the second must be allowed to be busy."""
    for name, far in zip(("one", "two"), two_targets, strict=True):
        far.sshd.add_target(name)
    first = desktop.begin("run", *desktop.plan(target="one", seconds=60))
    wait_until(begun(desktop, READ, Path(two_targets[0].sshd.directory)), "the first has begun", 180)
    busy = desktop.refused("run", *desktop.plan(target="two"), code=1)
    assert "the plan tiny is running on this machine" in busy
    desktop.dyno("run", *desktop.plan(target="two"), "--allow-busy")
    desktop.dyno("stop", "--session", "--target", "one")
    assert first.wait(90) == 1
    assert {entry["target"]: entry["state"] for entry in desktop.sessions()} == {
        "one": "stopped",
        "two": "completed",
    }
    (second,) = (entry["id"] for entry in desktop.sessions() if entry["target"] == "two")
    logged = [event.text for event in desktop.events(second) if isinstance(event, LogEvent)]
    assert any(
        "the session starts on a busy machine, as the plan allows: the plan tiny is" in text
        for text in logged
    ), logged
    busy = "it began while another plan measured on the same machine"
    assert busy in desktop.dyno("session", "show", second).stdout
    compared = desktop.dyno("compare", *(each["id"] for each in desktop.sessions()), "--details").stdout
    assert compared.count(busy) == 1


@pytest.mark.full
def test_desktop_killed_and_followed_again(desktop: Desktop) -> None:
    running = desktop.begin("run", *desktop.plan(**LONG))
    wait_until(begun(desktop, READ), "the step has begun", 180)
    running.kill()
    running.wait()
    said = desktop.dyno("follow").stdout
    assert "completed" in said
    check_whole(desktop, desktop.target)


@pytest.mark.full
def test_a_plan_in_another_directory_is_found_by_the_words_that_the_run_printed(
    desktop: Desktop, tmp_path: Path
) -> None:
    words = desktop.plan(steps="load,point-query", seconds=1)
    said = desktop.dyno("run", *words, "--directory", str(tmp_path / "other"), "--detach").stdout
    hint = re.search(r"come back with: dyno (follow .*?)   end it with: dyno (stop .*)", said)
    assert hint, said
    assert "no plan runs" in desktop.refused("stop", code=1)
    assert "tiny-innodb: completed" in desktop.dyno(*shlex.split(hint[1])).stdout
    assert hint[2] == f"stop --target local --directory {tmp_path / 'other'}"
    (entry,) = desktop.sessions()
    assert entry["state"] == "completed"


@pytest.mark.full
def test_interrupted_with_control_c_it_says_how_to_come_back(desktop: Desktop) -> None:
    running = desktop.begin("run", *desktop.plan(**LONG))
    wait_until(begun(desktop, READ), "the step has begun", 180)
    running.send_signal(signal.SIGINT)
    said, _ = running.communicate(timeout=20)
    assert running.returncode == 0
    assert "dyno follow --target local" in said
    assert desktop.agent_pid()
    desktop.dyno("follow")
    check_whole(desktop, desktop.target)


@pytest.mark.full
def test_another_desktop_adopts_what_it_did_not_start(
    desktop: Desktop, sshd: Sshd, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sshd.add_target("far")
    desktop.dyno("run", *desktop.plan(target="far"))
    other = Desktop(tmp_path / "other-home")
    monkeypatch.setenv("DYNO_HOME", str(other.home))
    sshd.add_target("elsewhere")
    other.dyno("follow", "--target", "elsewhere")
    mine, theirs = (each.sessions()[0] for each in (desktop, other))
    assert (theirs["id"], theirs["state"], theirs["name"]) == (mine["id"], "completed", mine["name"])


# servers and agents


def test_server_killed_once_is_started_again_and_later_steps_are_marked(desktop: Desktop) -> None:
    running = desktop.begin("run", *desktop.plan(**LONG))
    wait_until(begun(desktop, READ), "the step has begun", 180)
    os.kill(desktop.server_pid(), signal.SIGKILL)
    said, _ = running.communicate(timeout=90)
    assert running.returncode == 1, said
    (entry,) = desktop.sessions()
    assert (entry["state"], entry["failed_steps"]) == ("completed", 1)
    events = desktop.events(entry["id"])
    marks = [event.name for event in events if isinstance(event, MomentEvent)]
    assert [name for name in marks if name not in ("measured", "analysed")] == ["crash", "recovered"]
    recovered = next(
        event for event in events if isinstance(event, MomentEvent) and event.name == "recovered"
    )
    assert recovered.value is not None and recovered.value > 0
    last = [event for event in events if isinstance(event, StepEnded)][-1]
    assert last.outcome == "completed" and "after-a-crash" in last.marks
    assert set(own_marks(last.marks)) <= {"after-a-crash", "rate-missed"}  # the latter on a busy machine
    failed = next(event for event in events if isinstance(event, StepEnded) and event.outcome == "failed")
    assert "the server crashed by signal 9" in failed.reason
    assert [event.after_crash for event in events if isinstance(event, StepStarted)][-2:] == [False, True]


@pytest.mark.full
def test_a_server_that_hangs_most_of_a_step_stalls_it_and_every_second_of_it_is_told(
    desktop: Desktop,
) -> None:
    """It answers the agent as little as the load generator, whose seconds are there all the same."""
    running = desktop.begin("run", *desktop.plan(steps="load,point-query", seconds=8))
    wait_until(begun(desktop, READ), "the step has begun", 180)
    held = desktop.server_pid()
    os.kill(held, signal.SIGSTOP)
    time.sleep(6)
    os.kill(held, signal.SIGCONT)
    said, _ = running.communicate(timeout=60)
    assert re.search(r"point-query threads=2 [\d,.]+ queries/s.*; unsteady: 1 stall of [4567] s", said)
    (entry,) = desktop.sessions()
    series = desktop.json("session", "series", entry["id"], "point-query")
    assert None not in series["values"] and series["values"].count(0.0) >= 4
    assert "unsteady: 1 stall of" in desktop.dyno("session", "show", entry["id"]).stdout


@pytest.mark.full
def test_server_killed_twice_ends_the_session_and_not_the_plan(desktop: Desktop) -> None:
    contenders = [f"{MARIADB}:{engine}" for engine in ("innodb", "myisam")]
    running = desktop.begin("run", *desktop.plan(*contenders, **LONG))
    for step in (READ, WRITE):
        wait_until(begun(desktop, step), f"step {step} has begun", 180)
        os.kill(desktop.server_pid(), signal.SIGKILL)
    assert running.wait(120) == 1
    first, second = desktop.sessions()
    assert (first["state"], second["state"]) == ("failed", "completed")
    assert "crashed again" in first["reason"]


def test_agent_killed_is_a_lost_session_and_its_server_ends_with_it(desktop: Desktop) -> None:
    running = desktop.begin("run", *desktop.plan(**LONG))
    wait_until(begun(desktop, READ), "the step has begun", 180)
    server = desktop.server_pid()
    os.kill(desktop.agent_pid(), signal.SIGKILL)
    wait_until(lambda: start_ticks(server) == "?", "its server has ended", 10)
    assert running.wait(60) == 1
    (entry,) = desktop.sessions()
    assert entry["state"] == "lost"
    samples = [
        event for event in desktop.events(entry["id"]) if isinstance(event, Sample) and event.step == READ
    ]
    assert samples
    assert not list(desktop.target.glob("sessions/*/data"))
    desktop.dyno("run", *desktop.plan(steps="load,index"))
    assert [each["state"] for each in desktop.sessions()] == ["lost", "completed"]


@pytest.mark.full
def test_a_rehearsal_that_is_killed_leaves_no_server(desktop: Desktop) -> None:
    words = ["run", *desktop.plan(), "--dry-run", "--start", "--allow-busy"]
    running = desktop.begin(*words, rehearses=True)
    wait_until(desktop.server_pid, "its server is there", 180)
    server = desktop.server_pid()
    os.kill(desktop.agent_pid(), signal.SIGKILL)
    assert running.wait(60) == 1
    wait_until(lambda: start_ticks(server) == "?", "its server has ended", 10)
    wait_until(lambda: not list(desktop.target.glob("sessions/*")), "its data are gone", 10)
    assert "the server starts" in desktop.dyno(*words).stdout


@pytest.mark.parametrize("ends_it", ["next start", pytest.param("dyno target clean", marks=pytest.mark.full)])
def test_what_is_left_where_the_guardian_was_killed_too(desktop: Desktop, ends_it: str) -> None:
    running = desktop.begin("run", *desktop.plan(**LONG))
    wait_until(begun(desktop, READ), "the step has begun", 180)
    server, agent = desktop.server_pid(), desktop.agent_pid()
    busy = desktop.refused("target", "clean", "local", code=1)
    assert "in use by plan" in busy and "try again when it has finished" in busy
    os.kill(parent_of(agent), signal.SIGKILL)
    os.kill(agent, signal.SIGKILL)
    assert running.wait(60) == 1
    assert desktop.server_pid() == server
    if ends_it == "next start":
        desktop.dyno("run", *desktop.plan(steps="load,index"))
    else:
        said = desktop.dyno("target", "clean", "local").stdout
        assert said.startswith(f"removed server {server} of session ")
        assert desktop.dyno("target", "clean", "local").stdout == f"nothing is left in {desktop.target}\n"
    assert start_ticks(server) == "?"
    assert not list(desktop.target.glob("sessions/*/data"))


def test_stop_skip_and_note(desktop: Desktop) -> None:
    running = desktop.begin("run", *desktop.plan(seconds=60))
    wait_until(begun(desktop, READ), "the step has begun", 180)
    desktop.dyno("note", "the fan came on")
    desktop.dyno("skip")
    wait_until(begun(desktop, WRITE), "the next step has begun", 10)
    desktop.dyno("stop", "--session")
    assert running.wait(20) == 1
    (entry,) = desktop.sessions()
    assert (entry["state"], entry["reason"]) == ("stopped", "asked for by a person")
    events = desktop.events(entry["id"])
    assert [event.text for event in events if isinstance(event, Note)] == ["the fan came on"]
    outcomes = [event.outcome for event in events if isinstance(event, StepEnded)]
    assert outcomes[-2:] == ["skipped", "stopped"]
    assert desktop.server_pid() == 0


@pytest.mark.full
def test_a_second_plan_is_refused_by_name_and_a_stop_of_the_plan_ends_what_has_not_begun(
    desktop: Desktop,
) -> None:
    running = desktop.begin("run", *desktop.plan(seconds=60, repeats=2))
    wait_until(begun(desktop, READ), "the step has begun", 180)
    holder = desktop.json("status")[0]["name"]
    assert f"in use by plan {holder} (process" in desktop.refused("run", *desktop.plan(), code=1)
    desktop.dyno("stop")
    assert running.wait(60) == 1
    assert [entry["state"] for entry in desktop.sessions()] == ["stopped", "stopped"]


# what is refused before anything starts


def own_preset(desktop: Desktop, *lines: str) -> list[str]:
    folder = desktop.home / "presets" / "innodb"
    folder.mkdir(parents=True)
    (folder / "mine.cnf").write_text("\n".join(["# title: mine", "[mysqld]", *lines, ""]))
    return desktop.plan(f"{MARIADB}:innodb:mine")


@pytest.mark.parametrize(
    ("line", "code", "word"),
    [
        ("innodb_no_such_option=1", 2, "innodb_no_such_option"),
        ("bind-address=0.0.0.0", 2, "bind_address"),
        ("innodb_data_file_path=nonsense", 1, "innodb"),
    ],
)
def test_a_preset_that_cannot_be(desktop: Desktop, line: str, code: int, word: str) -> None:
    """Unknown to the build, forbidden, and one that only a start refuses: found by the rehearsal."""
    words = own_preset(desktop, line)
    assert word in desktop.refused("run", *words, code=code).lower()
    assert desktop.sessions() == []
    assert not list(desktop.target.glob("sessions/*"))


def test_sysbench_missing(desktop: Desktop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A PATH with everything in it but sysbench."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for place in ("/usr/bin", "/bin", "/usr/sbin", "/sbin"):
        for path in Path(place).iterdir():
            if path.name != "sysbench" and not (folder / path.name).exists():
                (folder / path.name).symlink_to(path)
    monkeypatch.setenv("PATH", str(folder))
    assert "install sysbench" in desktop.refused("run", *desktop.plan(), code=1)


# disks and clocks


@pytest.mark.root
def test_a_full_disk_fails_the_session_with_its_reason_and_the_plan_goes_on(
    desktop: Desktop, small_disk: Path
) -> None:
    """Somebody else fills the disk while the plan is carried out."""
    desktop.dyno("target", "edit", "local", "--directory", str(small_disk))
    running = desktop.begin("run", *desktop.plan(steps="load,update-index", seconds=6, repeats=2, pause=3))
    wait_until(begun(desktop, READ, small_disk), "the writing step has begun", 180)  # it is in its place
    filler = small_disk.parent / "filler"
    with filler.open("wb", buffering=0) as file, pytest.raises(OSError, match="No space"):
        while True:
            file.write(b"x" * 65536)
    wait_until(ended(desktop, small_disk), "the session has ended", 180)
    filler.unlink()
    assert running.wait(120) == 1
    first, second = desktop.sessions()
    assert first["state"] == "failed"
    assert "full" in first["reason"]
    assert second["state"] == "completed", second["reason"]


AHEAD = """\
import time

earlier = time.time
time.time = lambda: earlier() + 3600
"""


@pytest.mark.full
def test_a_target_whose_clock_is_an_hour_ahead(desktop: Desktop, tmp_path: Path) -> None:
    """Only the wall clock of the agent's Python is moved; durations never come from it."""
    desktop.prepare_agent(AHEAD, tmp_path)
    desktop.dyno("run", *desktop.plan())
    (entry,) = desktop.sessions()
    assert entry["state"] == "completed"
    check_every_second(desktop.events(entry["id"]), READ, 2)
    assert desktop.json("session", "show", entry["id"])["seconds"] < 60
    assert 3500 < desktop.events(entry["id"])[1].at - desktop.home.stat().st_mtime < 3700
