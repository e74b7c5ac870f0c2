"""The roles of a step on a real server: what each did, to the statement, and what Compare says of it."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from pathlib import Path

import pytest

from app.protocol.events import Sample, SeriesDeclared, StepEnded
from app.protocol.plan import LEVEL_MISSED, ROLE_MISSED
from tests.installed import MARIADB
from tests.integration.desktop import Desktop, own_marks
from tests.integration.on_target import begun
from tests.sequences import INDEX, LOAD, own_sequence
from tests.waiting import wait_until

READER = 'name = "reader"\nworkload = "point-query"\nthreads = 2'
WRITER = (
    'name = "writer"\nworkload = "insert"\nthreads = 2\nrate = 40\narrivals = "each-second"\nevents = 120'
)
CLEANER = 'name = "cleaner"\nworkload = "delete-each"\nfollows = "writer"\napart = 4'
UPDATER = (
    'name = "updater"\nworkload = "update-index"\nthreads = 1\nrate = 50\narrivals = "even"\nseconds = 2'
)
FAST = (
    'name = "fast"\nworkload = "update-index"\nthreads = 1\nrate = 1000000\narrivals = "each-second"\n'
    "seconds = 2"
)


def with_roles(name: str, *roles: str, top: str = "") -> str:
    """The table of a step with roles."""
    return "\n".join([f'name = "{name}"', top, *(f"\n[[step.role]]\n{role}" for role in roles)])


def carried_out(
    desktop: Desktop, *steps: str, engines: tuple[str, ...] = ("innodb",), code: int | None = 0
) -> list[dict[str, object]]:
    """The sessions of a plan with these steps."""
    text = own_sequence("mine", LOAD, INDEX, *steps, seconds=2)
    (desktop.home / "sequences/mine.toml").write_text(text)
    contenders = [word for each in engines for word in ("--contender", f"{MARIADB}:{each}")]
    desktop.dyno("run", "--sequence", "mine", *contenders, "--allow-busy", code=code)
    return desktop.sessions()


def ends(desktop: Desktop, session: object) -> dict[int, StepEnded]:
    return {each.step: each for each in desktop.events(str(session)) if isinstance(each, StepEnded)}


def test_three_roles_do_their_parts_to_the_statement(desktop: Desktop) -> None:
    (entry,) = carried_out(desktop, with_roles("mixed", READER, WRITER, CLEANER))
    found = ends(desktop, entry["id"])
    reader, writer, cleaner = (found[at] for at in (2, 3, 4))
    assert {each.outcome for each in found.values()} == {"completed"}
    assert writer.totals.events == cleaner.totals.events == 120  # both queues are empty
    assert writer.totals.rows["inserted"] == cleaner.totals.rows["deleted"] == 120
    assert reader.totals.events > 100 and reader.totals.rows["inserted"] == 0
    assert reader.rows["in_tables"] == 4000
    assert (
        writer.schedule.achieved == pytest.approx(120 / writer.seconds, abs=0.01)
        and writer.schedule.rate == 40
    )
    assert 2.0 <= writer.seconds < 6.0  # 40 at once at 0, 1 and 2 s; later where the machine is busy
    has_missed = writer.schedule.achieved < 0.95 * 40  # a busy machine is late
    expected = [[ROLE_MISSED], [LEVEL_MISSED], [ROLE_MISSED]] if has_missed else [[], [], []]
    assert [own_marks(each.marks) for each in (reader, writer, cleaner)] == expected
    # longer than the last statement of the writer, by no more than its clients need to see that it is over
    assert writer.seconds - 0.1 <= reader.seconds < writer.seconds + 2.0


@pytest.mark.full
def test_each_role_has_its_own_seconds(desktop: Desktop) -> None:
    (entry,) = carried_out(desktop, with_roles("mixed", READER, WRITER, CLEANER))
    events = desktop.events(str(entry["id"]))
    (declared,) = (each for each in events if isinstance(each, SeriesDeclared))
    at = {each.name: place for place, each in enumerate(declared.series)}
    samples = [each for each in events if isinstance(each, Sample) and each.step == 2 and not each.derived]
    for role in ("reader", "writer", "cleaner"):
        assert at.keys() >= {f"load.queries{{{role}}}", f"load.latency_max_ms{{{role}}}"}
    roles = [at[f"load.queries{{{role}}}"] for role in ("reader", "writer", "cleaner")]
    whole = [each for each in samples if None not in [each.values[place] for place in roles]]
    first = whole[0]  # on a busy machine the line of a role may come too late for its second
    assert first.values[at["load.queries{writer}"]] == pytest.approx(40, rel=0.3)  # a busy machine is late
    assert first.values[at["load.queries{reader}"]] == first.values[at["load.queries"]]
    longest, p95 = (first.values[at[f"load.latency_{name}_ms{{reader}}"]] for name in ("max", "p95"))
    assert longest >= p95 > 0
    listed = desktop.json("session", "series", str(entry["id"]), "mixed.writer")  # by the name of the role
    assert dict(zip(listed["s"], listed["values"], strict=True))[first.s] == pytest.approx(
        first.values[at["load.queries{writer}"]]
    )
    assert "only that of its figure has them" in desktop.refused(
        "session", "latency", str(entry["id"]), "mixed.writer"
    )
    outside = [each for each in events if isinstance(each, Sample) and each.step == 0]
    assert all(each.values[at["load.queries{writer}"]] is None for each in outside)


@pytest.mark.full
def test_a_role_at_a_schedule_ends_its_step_and_an_unbounded_one_ends_with_it(desktop: Desktop) -> None:
    (entry,) = carried_out(desktop, with_roles("paced", READER, UPDATER))
    reader, updater = (ends(desktop, entry["id"])[at] for at in (2, 3))
    waiting = updater.schedule.queued  # that were due and had not begun, on a busy machine
    assert updater.totals.events + waiting == pytest.approx(100, abs=4) and 1.5 < updater.seconds < 5
    assert reader.seconds == pytest.approx(updater.seconds, abs=2)


def test_a_missed_level_is_a_verdict_and_nothing_else_is_judged(desktop: Desktop) -> None:
    entries = carried_out(desktop, with_roles("fast", READER, FAST), engines=("innodb", "myisam"))
    for entry in entries:
        found = ends(desktop, entry["id"])
        assert own_marks(found[2].marks) == [ROLE_MISSED]
        assert own_marks(found[3].marks) == [LEVEL_MISSED]
        assert found[3].outcome == "completed" and 0 < found[3].schedule.achieved < 990_000
    said = desktop.dyno("compare", *(str(each["name"]) for each in entries)).stdout
    assert said.splitlines()[0].startswith("fast.fast threads=2: InnoDB reached 0.")
    assert said.splitlines()[0].count("% of 1,000,000 queries/s") == 2
    shown = desktop.json("compare", *(str(each["name"]) for each in entries))
    names = {row["workload"] for row in shown["rows"]}
    assert {"fast", "fast.fast"} <= names


@pytest.mark.full
def test_a_rate_of_each_second_needs_no_roles(desktop: Desktop) -> None:
    step = 'workload = "point-query"\nrate = 30\narrivals = "each-second"\nthreads = 3\nseconds = 3'
    (entry,) = carried_out(desktop, step)
    ended = ends(desktop, entry["id"])[2]
    assert ended.totals.events in (60, 90, 120) and ended.schedule.rate == 30  # whole seconds
    has_missed = ended.schedule.achieved < 0.95 * 30  # on a busy machine
    assert own_marks(ended.marks) == ([LEVEL_MISSED] if has_missed else [])


def test_a_role_that_fails_ends_the_step_with_its_reason(desktop: Desktop) -> None:
    """The server refuses the text of the role's statement."""
    broken = 'name = "broken"\nworkload = "text-search"\nthreads = 1\nseconds = 2'
    text = own_sequence("mine", LOAD, INDEX, with_roles("bad", READER, broken), seconds=2)
    (desktop.home / "sequences/mine.toml").write_text(text)
    said = desktop.refused("run", "--sequence", "mine", "--contender", f"{MARIADB}:innodb", "--allow-busy")
    assert "bad" in said and "text-load" in said


# what goes wrong


UPDATING = 'name = "updater"\nworkload = "update-nonindex"\nfollows = "writer"\napart = 4'
ENDLESS = (
    'name = "writer"\nworkload = "update-index"\nthreads = 1\nrate = 50\narrivals = "even"\nseconds = 60'
)


def begun_with(desktop: Desktop, *roles: str) -> subprocess.Popen[str]:
    """A plan whose step with roles is under way."""
    text = own_sequence(
        "mine", LOAD, INDEX, with_roles("mixed", *roles), 'workload = "point-query"', seconds=1
    )
    (desktop.home / "sequences/mine.toml").write_text(text)
    contender = ("--contender", f"{MARIADB}:innodb", "--allow-busy")
    running = desktop.begin("run", "--sequence", "mine", *contender)
    wait_until(begun(desktop, 2), "the step with roles has begun", 120)
    return running


def processes(desktop: Desktop, *words: str) -> list[int]:
    """Those that work in a session of this desktop, with all of these words in their commands."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            place, command = os.readlink(path / "cwd"), (path / "cmdline").read_text(errors="replace")
            if str(desktop.target) in place + command and all(word in command for word in words):
                found.append(int(path.name))
    return found


def test_a_killed_role_ends_the_step_with_its_name_and_nothing_else(desktop: Desktop) -> None:
    running = begun_with(desktop, READER, ENDLESS)
    (writer,) = processes(desktop, "sysbench", "--event-rate=50")
    os.kill(writer, signal.SIGKILL)
    said, _ = running.communicate(timeout=60)
    (entry,) = desktop.sessions()
    found = ends(desktop, entry["id"])
    assert found[2].outcome == found[3].outcome == "failed"
    assert found[2].reason == found[3].reason and found[2].reason.startswith("writer: "), found[2].reason
    assert found[4].outcome == "completed"  # the next step
    assert not processes(desktop, "sysbench")
    assert "mixed" in said


@pytest.mark.full
def test_one_that_follows_a_killed_role_does_not_wait_for_it(desktop: Desktop) -> None:
    running = begun_with(desktop, READER, ENDLESS, UPDATING)
    (writer,) = processes(desktop, "sysbench", "--event-rate=50")
    os.kill(writer, signal.SIGKILL)
    running.communicate(timeout=60)
    (entry,) = desktop.sessions()
    found = ends(desktop, entry["id"])
    assert {found[at].outcome for at in (2, 3, 4)} == {"failed"}
    assert found[2].reason.startswith("writer: ")
    assert found[5].outcome == "completed" and not processes(desktop, "sysbench")


@pytest.mark.full
def test_a_server_killed_between_two_that_follow_each_other(desktop: Desktop) -> None:
    writer = 'name = "writer"\nworkload = "update-index"\nthreads = 2\nseconds = 60'
    running = begun_with(desktop, READER, writer, UPDATING)
    (server,) = processes(desktop, "--defaults-file")
    os.kill(server, signal.SIGKILL)
    running.communicate(timeout=90)
    (entry,) = desktop.sessions()
    found = ends(desktop, entry["id"])
    assert {found[at].outcome for at in (2, 3, 4)} == {"failed"}
    assert "the server crashed" in found[2].reason
    assert found[5].outcome == "completed" and "after-a-crash" in found[5].marks


@pytest.mark.full
def test_a_person_skips_a_step_with_roles(desktop: Desktop) -> None:
    running = begun_with(desktop, READER, ENDLESS)
    desktop.dyno("skip")
    running.communicate(timeout=60)
    (entry,) = desktop.sessions()
    found = ends(desktop, entry["id"])
    assert found[2].outcome == found[3].outcome == "skipped" and found[4].outcome == "completed"


@pytest.mark.full
def test_a_role_of_one_event_a_second_ends_in_time_and_so_does_a_step_that_nobody_ends(
    desktop: Desktop,
) -> None:
    seldom = 'name = "seldom"\nworkload = "update-index"\nthreads = 1\nrate = 1\narrivals = "even"'
    brief = 'name = "brief"\nworkload = "update-index"\nthreads = 1\nseconds = 1'
    never = 'name = "never"\nworkload = "update-index"\nthreads = 1\nevents = 300000'
    steps = (with_roles("rare", READER, seldom, brief), with_roles("endless", READER, never, top="cap_s = 3"))
    (entry,) = carried_out(desktop, *steps, code=None)
    found = ends(desktop, entry["id"])
    assert 1 <= found[2].seconds < 5 and found[3].totals.events <= 4
    assert found[5].outcome == found[6].outcome == "failed"
    assert found[5].reason == "never had not done its part after 3 s: the step ended"


@pytest.mark.full
def test_one_that_follows_is_never_further_apart_than_was_asked(desktop: Desktop) -> None:
    writer = 'name = "writer"\nworkload = "insert"\nthreads = 2\nseconds = 4'
    (entry,) = carried_out(desktop, with_roles("close", writer, UPDATING))
    events = desktop.events(str(entry["id"]))
    found = ends(desktop, entry["id"])
    assert found[2].totals.events == found[3].totals.events > 200
    (declared,) = (each for each in events if isinstance(each, SeriesDeclared))
    at = [
        next(place for place, each in enumerate(declared.series) if each.name == f"load.queries{{{role}}}")
        for role in ("writer", "updater")
    ]
    samples = [each for each in events if isinstance(each, Sample) and each.step == 2 and not each.derived]
    rates = [tuple(each.values[place] for place in at) for each in samples]
    known = [(first, second) for first, second in rates if first is not None and second is not None]
    # at most four for each of two clients, and what a role does in the milliseconds between both reports
    assert known and all(abs(first - second) <= 8 + 0.1 * first for first, second in known)


@pytest.mark.full
def test_a_step_ends_where_one_that_follows_has_nothing_left_to_do(desktop: Desktop) -> None:
    """There are 4,000 rows, each deleted once."""
    writer = 'name = "writer"\nworkload = "insert"\nthreads = 2\nseconds = 30'
    (entry,) = carried_out(desktop, with_roles("out", READER, writer, CLEANER), code=None)
    found = ends(desktop, entry["id"])
    assert {found[at].outcome for at in (2, 3, 4)} == {"failed"}
    assert found[2].reason.startswith("cleaner had nothing left to do while writer")
