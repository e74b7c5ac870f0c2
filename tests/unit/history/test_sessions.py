"""The list, naming a session, and everything kept of one."""

from __future__ import annotations

import json

import pytest

from app.core.errors import DynoError, InputError
from app.history.lists import edits
from app.history.lists.browsing import Filter, Order, browse
from app.history.lists.sessions import find, session, sessions
from app.history.recorded.counting import Cut
from app.history.recorded.writing import JournalStorer, record_unlocked_journals
from app.history.steps import figures
from app.history.steps.series import series
from app.history.store.history import History
from tests import journals
from tests.journals import store
from tests.plans import MARIADB

PLAN = journals.plan(
    [journals.contender("innodb"), journals.contender("rocksdb")], 2, its_steps=journals.steps(seconds=12)
)
IDS = [turn.session for turn in PLAN.turns]


@pytest.fixture
def four_sessions(history: History) -> History:
    """Completed, with a failed step, active in the middle of a step, waiting."""
    store(history, journals.whole(PLAN, IDS[0]), journals.whole(PLAN, IDS[1], failed=3))
    running = journals.Maker(PLAN, IDS[2]).begin()
    running.step(0)
    running.start_step(1)
    running.samples(1, range(-2, 2))
    store(history, running, journals.Maker(PLAN, IDS[3]).planned())
    return history


def test_list_has_the_promised_keys(four_sessions: History) -> None:
    entry = sessions(four_sessions)[0]
    promised = "id name state failed_steps target contender sequence started_at published tags"
    assert set(promised.split()) <= entry.keys()
    assert {"build", "family", "version", "engine", "preset"} <= entry["contender"].keys()
    assert entry["started_at"] == "2023-11-16T02:16:40Z"
    json.dumps(entry)


def test_list_is_in_the_order_of_the_turns(four_sessions: History) -> None:
    listed = sessions(four_sessions)
    assert [each["id"] for each in listed] == IDS
    assert [each["state"] for each in listed] == ["completed", "completed", "active", "waiting"]
    assert [each["failed_steps"] for each in listed] == [0, 1, 0, 0]


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"engine": "rocksdb"}, [1, 3]),
        ({"states": ["active", "waiting"]}, [2, 3]),
        ({"target": "nowhere"}, []),
        ({"sequence": "duel", "limit": 1}, [3]),
        ({"tag": "quiet"}, [1]),
        ({"text": "INNODB"}, [0, 2]),
        ({"text": "%"}, []),
        ({"ids": IDS[1:3]}, [1, 2]),
        ({"plan": PLAN.id, "engine": "innodb"}, [0, 2]),
    ],
)
def test_filters(four_sessions: History, filters: dict[str, object], expected: list[int]) -> None:
    edits.tag(four_sessions, IDS[1], "quiet")
    assert [each["id"] for each in sessions(four_sessions, **filters)] == [IDS[at] for at in expected]


def test_thousands_of_sessions_are_asked_for_at_once(four_sessions: History) -> None:
    first = sessions(four_sessions)[0]["id"]
    edits.tag(four_sessions, first, "kept")
    others = [f"{number:026d}" for number in range(10_000)]
    (found,) = sessions(four_sessions, ids=[first, *others, first])
    assert (found["id"], found["tags"]) == (first, ["kept"])


def test_an_unknown_state_is_refused(four_sessions: History) -> None:
    with pytest.raises(InputError, match="waiting, active"):
        sessions(four_sessions, states=["running"])


def test_lost_is_derived_from_the_free_lock(four_sessions: History) -> None:
    record_unlocked_journals(four_sessions, IDS)
    assert [each["state"] for each in sessions(four_sessions)] == ["completed", "completed", "lost", "lost"]
    assert [each["state"] for each in sessions(four_sessions, states=["lost"])] == ["lost", "lost"]
    steps = figures.session_details(four_sessions, IDS[2])["steps"]
    assert [step["state"] for step in steps[:3]] == ["completed", "failed", "skipped"]
    assert "session had ended" in steps[2]["reason"]
    assert "agent was gone" in steps[1]["reason"]
    assert series(four_sessions, IDS[2], "point-query", threads=1)["s"] == [-2, -1, 0, 1]


def test_lost_ends_when_the_journal_goes_on(four_sessions: History) -> None:
    record_unlocked_journals(four_sessions, [IDS[3]])
    writer = JournalStorer(four_sessions)
    maker = journals.Maker(PLAN, IDS[3]).begin()
    offset = writer.offset(IDS[3])
    writer.append(PLAN.id, IDS[3], offset, maker.raw[offset:])
    assert session(four_sessions, IDS[3])["state"] == "active"


def test_a_session_is_named_in_four_ways(four_sessions: History) -> None:
    assert find(four_sessions, IDS[1]) == IDS[1]
    assert find(four_sessions, IDS[1][-6:]) == IDS[1]
    assert find(four_sessions, "rocksdb-default-2") == IDS[3]
    assert find(four_sessions, "last") == IDS[2]
    edits.rename(four_sessions, IDS[0], "first one")
    assert find(four_sessions, "first one") == IDS[0]


def test_a_name_of_several_sessions_lists_them(four_sessions: History) -> None:
    edits.rename(four_sessions, IDS[0], "same")
    edits.rename(four_sessions, IDS[1], "same")
    with pytest.raises(InputError) as caught:
        find(four_sessions, "same")
    assert IDS[0][-6:] in str(caught.value) and IDS[1][-6:] in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("reference", ["nothing", "", "%", "______", "000009"])
def test_what_names_no_session_is_refused(four_sessions: History, reference: str) -> None:
    with pytest.raises(InputError):
        find(four_sessions, reference)


def test_last_in_an_empty_history(history: History) -> None:
    with pytest.raises(InputError, match="session list"):
        find(history, "last")


def test_show_has_the_promised_keys(four_sessions: History) -> None:
    shown = figures.session_details(four_sessions, IDS[1])
    promised = (
        "name kind workload group coordinates state reason unit value queries seconds latency_ms"
        " errors size_bytes rows per_query"
    )
    for step in shown["steps"]:
        assert set(promised.split()) <= step.keys()
        assert {"p50", "p95", "p99"} == step["latency_ms"].keys()
        assert set(figures.PER_QUERY) <= step["per_query"].keys()
    json.dumps(shown)


def test_a_step_shows_its_figures(four_sessions: History) -> None:
    step = figures.session_details(four_sessions, IDS[0])["steps"][1]
    assert (step["name"], step["coordinates"], step["state"]) == ("point-query", {"threads": 1}, "completed")
    assert step["queries"] == 5000 and step["errors"] == 3 and step["seconds"] == 12.0
    assert step["latency_ms"] == {"p50": 0.2, "p95": 0.4, "p99": 9.0}
    assert step["size_bytes"] == 1500 and step["rows"] == 4000
    assert step["per_query"]["cpu_us"] == 35.5 and step["per_query"]["written_kb"] is None


def test_a_failed_step_shows_no_value_but_its_reason(four_sessions: History) -> None:
    step = figures.session_details(four_sessions, IDS[1])["steps"][3]
    assert step["value"] is None
    assert step["state"] == "failed" and "1205" in step["reason"]


def test_notes_logs_and_marks_are_shown(four_sessions: History) -> None:
    edits.note(four_sessions, IDS[0], "the window was open")
    shown = figures.session_details(four_sessions, IDS[0])
    assert [note["text"] for note in shown["notes"]] == ["the fan is loud", "the window was open"]
    assert {each["kind"] for each in shown["events"]} == {"log", "mark"}


def test_series_are_the_values_of_the_journal(four_sessions: History) -> None:
    events = journals.whole(PLAN, IDS[0]).events
    for at, declared in enumerate(journals.SERIES):
        found = series(four_sessions, IDS[0], "update-index", threads=2, name=str(declared["name"]))
        samples = [event for event in events if event.kind == "sample" and event.step == 4]
        assert found["s"] == [sample.s for sample in samples]
        assert found["values"] == [sample.values[at] for sample in samples]


def test_qps_is_another_name_of_load_queries(four_sessions: History) -> None:
    asked = series(four_sessions, IDS[0], "point-query", threads=1, name="qps")
    assert asked == series(four_sessions, IDS[0], "point-query", threads=1, name="load.queries")


def test_a_running_step_is_read_like_a_finished_one(four_sessions: History) -> None:
    events = journals.Maker(PLAN, IDS[2]).begin()
    events.step(0)
    events.start_step(1)
    events.samples(1, range(-2, 2))
    expected = [event.values[0] for event in events.events if event.kind == "sample"]
    assert series(four_sessions, IDS[2], "point-query", threads=1) == {
        "s": [-2, -1, 0, 1],
        "values": expected,
    }


def test_a_step_that_has_not_begun_has_no_seconds(four_sessions: History) -> None:
    assert series(four_sessions, IDS[2], "update-index", threads=1) == {"s": [], "values": []}


@pytest.mark.parametrize(
    ("step", "threads", "name", "said"),
    [
        ("nothing", None, "qps", "point-query"),
        ("point-query", None, "qps", "--threads 1, 2"),
        ("point-query", 7, "qps", "not 7"),
        ("point-query", 1, "nothing", "load.errors"),
        ("load", 1, "qps", "step load of session .* has no thread count: leave --threads out"),
    ],
)
def test_a_wrong_question_is_answered_with_what_there_is(
    four_sessions: History, step: str, threads: int | None, name: str, said: str
) -> None:
    with pytest.raises(InputError, match=said):
        series(four_sessions, IDS[0], step, threads=threads, name=name)


def test_settings_are_what_was_asked_for_and_what_held(four_sessions: History) -> None:
    found = figures.settings(four_sessions, IDS[0])
    assert found["contender"]["engine"] == "innodb"
    assert found["cnf"].startswith("[mysqld]")
    assert found["facts"]["variables loaded"] == journals.VARIABLES
    assert figures.facts(four_sessions, IDS[0], "machine")[0]["value"]["hostname"] == "nuc"


def test_result_keeps_all_that_the_step_said(four_sessions: History) -> None:
    found = figures.result(four_sessions, IDS[0], 1)
    assert found["buckets"] == [[0.2, 3000], [0.4, 1900], [9.0, 100]]
    assert found["seed"] == 2 and found["status"] == {"Questions": 5000}


def test_colours_are_given_at_first_sight_and_stay(four_sessions: History) -> None:
    assert [each["colour"] for each in sessions(four_sessions)] == [0, 1, 0, 1]
    edits.set_colour(four_sessions, sessions(four_sessions)[0]["contender_key"], 7)
    assert [each["colour"] for each in sessions(four_sessions)] == [7, 1, 7, 1]
    with pytest.raises(InputError, match="0 to 7"):
        edits.set_colour(four_sessions, "key", 8)


def test_a_new_contender_has_no_colour_of_another_one_of_its_plan(four_sessions: History) -> None:
    edits.set_colour(four_sessions, sessions(four_sessions)[1]["contender_key"], 2)  # the next one would be 2
    both = [journals.contender("rocksdb"), journals.contender("innodb", "optimized")]
    plan = journals.plan(both, number=2)
    store(four_sessions, *(journals.Maker(plan, turn.session).planned() for turn in plan.turns))
    assert [each["colour"] for each in sessions(four_sessions, plan=plan.id)] == [2, 3]


def test_edits(four_sessions: History) -> None:
    edits.rename(four_sessions, IDS[0], "a name")
    edits.tag(four_sessions, IDS[0], "b")
    edits.tag(four_sessions, IDS[0], "a")
    edits.tag(four_sessions, IDS[0], "a")
    assert session(four_sessions, "a name")["tags"] == ["a", "b"]
    edits.untag(four_sessions, IDS[0], "a")
    edits.rename(four_sessions, IDS[0], "")
    assert session(four_sessions, IDS[0])["name"] == f"{MARIADB}-innodb-default-1"
    assert session(four_sessions, IDS[0])["tags"] == ["b"]


@pytest.mark.parametrize("name", ["last", "two\nlines", "x" * 101, "   ", "\x1b[31m"])
def test_a_name_is_one_line(four_sessions: History, name: str) -> None:
    with pytest.raises(InputError):
        edits.rename(four_sessions, IDS[0], name)


def test_other_wrong_edits(four_sessions: History) -> None:
    with pytest.raises(InputError, match="no tag"):
        edits.untag(four_sessions, IDS[0], "nothing")
    with pytest.raises(InputError, match="note"):
        edits.note(four_sessions, IDS[0], "  ")


def test_delete_takes_everything_of_a_session_away(four_sessions: History) -> None:
    edits.tag(four_sessions, IDS[0], "a")
    edits.note(four_sessions, IDS[0], "noted")
    edits.count_only_seconds(four_sessions, IDS[0], 1, Cut(0, 10, "a backup ran"))
    edits.delete(four_sessions, IDS[0])
    assert [each["id"] for each in sessions(four_sessions)] == IDS[1:]
    assert not (four_sessions.journals / f"{IDS[0]}.jsonl").exists()
    for table in ("session_tag", "session_note", "cut"):
        assert four_sessions.query(f"SELECT * FROM {table}") == []
    assert four_sessions.query("PRAGMA foreign_key_check") == []


@pytest.mark.parametrize("at", [2, 3])
def test_a_session_of_a_running_plan_is_not_deleted(four_sessions: History, at: int) -> None:
    with pytest.raises(DynoError, match="dyno stop"):
        edits.delete(four_sessions, IDS[at])
    record_unlocked_journals(four_sessions, [IDS[at]])
    edits.delete(four_sessions, IDS[at])


def test_sessions_of_plans_that_left_out_the_version_are_named_in_full(four_sessions: History) -> None:
    """By one function, in the list, its search and its order; either name means the session."""
    full = f"{MARIADB}-rocksdb-default-2"
    assert session(four_sessions, IDS[3])["name"] == full
    assert session(four_sessions, IDS[3])["contender"]["name"] == f"{MARIADB}-rocksdb-default"
    assert find(four_sessions, full) == find(four_sessions, "rocksdb-default-2") == IDS[3]
    assert browse(four_sessions, Filter(f"{MARIADB}-rocksdb"), Order("name", False)).ids == (
        IDS[1],
        IDS[3],
    )
    edits.rename(four_sessions, IDS[3], "mine-rocksdb-default-2")
    assert session(four_sessions, IDS[3])["name"] == "mine-rocksdb-default-2", "a person's own name stays"
