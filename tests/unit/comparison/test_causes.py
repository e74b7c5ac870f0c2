"""Causes by name: each from the figures that show it, ranked, and none from figures that do not."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest

from app.comparison.texts.causes_text import HINT, NONE, OF_BASE, SAME, cause_sentence, causes_table
from app.comparison.verdicts.compare import compare
from app.comparison.why.causes import causes, causes_of_row
from app.engines import KNOWN, all_causes
from app.engines.cause import CAUSES, OTHERS, SCHEDULE, STALLS, SYNCS, TAKEN
from app.engines.counter import names_in
from app.engines.server import COUNTERS
from app.engines.waits import KINDS
from app.history.steps.figures import PER_QUERY
from app.history.store.history import History
from app.protocol.others import Others
from app.report.content import read_report
from app.report.markdown import to_markdown
from app.report.rendering import to_html
from tests.unit.comparison.seen import CALM, FAST, SLOW, Seen, found, keep, names, with_time

QUERY_CACHE = "wait/synch/mutex/sql/Query_cache::structure_guard_mutex"
LOCKED = with_time(lock=3605.0)
ON_DISK = with_time(disk=3610.0)
CROWDED = with_time(runnable=3650.0)
COMPUTED = with_time(running=3700.0)
SYNCED = with_time(fsync=3605.0)


Case = tuple[str, str, Seen, Seen]
CASES: list[Case] = [
    ("row-lock", "innodb", Seen(kinds={"row_lock": 0.0}), Seen(LOCKED, kinds={"row_lock": 18_000.0})),
    (
        "metadata-lock",
        "innodb",
        Seen(kinds={"metadata_lock": 1.0}, by_name=True),
        Seen(LOCKED, kinds={"metadata_lock": 17_000.0}, by_name=True),
    ),
    (
        "query-cache",
        "innodb",
        Seen(by_name=True),
        Seen(
            LOCKED,
            kinds={"mutex": 17_500.0},
            named={QUERY_CACHE: 3500.0},
            by_name=True,
        ),
    ),
    (
        "quota",
        "innodb",
        Seen(others={"throttled_pct": 0.0}),
        Seen(CROWDED, others={"throttled_pct": 90.0}),
    ),
    ("steal", "innodb", Seen(others={"steal_pct": 0.1}), Seen(CROWDED, others={"steal_pct": 90.0})),
    (
        "other-programs",
        "innodb",
        Seen(others={"cpu_pct": 2.0, "cpus": 2}),
        Seen(CROWDED, others={"cpu_pct": 185.0, "cpus": 2}),
    ),
    (
        "connections",
        "innodb",
        Seen(series={"server.connections": 0.2}),
        Seen(CROWDED, series={"server.connections": 800.0}),
    ),
    ("many-rows", "innodb", Seen(spent={"rows_read": 1.0}), Seen(COMPUTED, {"rows_read": 5000.0})),
    ("server-cpu", "innodb", Seen({}, {"cpu_us": 100.0}), Seen({}, {"cpu_us": 3700.0})),
    ("work", "innodb", Seen(), Seen(COMPUTED)),
    ("cpu", "innodb", Seen(), Seen(CROWDED)),
    ("disk", "innodb", Seen(), Seen(ON_DISK)),
    ("sync", "innodb", Seen(), Seen(SYNCED)),
    ("sync", "innodb", Seen(), Seen(with_time(commit=3605.0))),  # a thread of the server syncs for all
    ("link", "innodb", Seen(), Seen(with_time(network=3830.0))),
    ("rate", "innodb", Seen(), Seen(with_time(network=3830.0), schedule={"rate": 1000.0})),
    (
        "small-cache",
        "innodb",
        Seen(series={"innodb.cache_misses": 50.0}),
        Seen(ON_DISK, series={"innodb.cache_misses": 14_000.0}),
    ),
    (
        "small-cache",
        "myisam",
        Seen(series={"myisam.cache_misses": 0.0}),
        Seen(ON_DISK, series={"myisam.cache_misses": 2000.0}),
    ),
    (
        "slow-reads",
        "innodb",
        Seen(series={"innodb.cache_misses": 1000.0}),
        Seen(ON_DISK, series={"innodb.cache_misses": 100.0}),
    ),
    (
        "full-redo",
        "innodb",
        Seen(series={"innodb.checkpoint_age_mb": 0.4, "innodb.checkpoint_limit_mb": 2.7}),
        Seen(LOCKED, series={"innodb.checkpoint_age_mb": 2.5, "innodb.checkpoint_limit_mb": 2.7}),
    ),
    (
        "purge",
        "innodb",
        Seen(series={"innodb.history_list": 30.0}),
        Seen(COMPUTED, series={"innodb.history_list": 90_000.0}),
    ),
    (
        "slow-sync",
        "innodb",
        Seen(series={"innodb.log_syncs": 5000.0}),
        Seen(SYNCED, series={"innodb.log_syncs": 300.0}),
    ),
    (
        "stalls",
        "rocksdb",
        Seen(kinds={"stall": 0.0}),
        Seen(LOCKED, kinds={"stall": 5_000.0}),  # of one client, for which the others wait
    ),
    (
        "compaction",
        "rocksdb",
        Seen(series={"rocksdb.compaction_write_kb": 100.0}),
        Seen(CROWDED, series={"rocksdb.compaction_write_kb": 90_000.0}),
    ),
    (
        "table-lock",
        "myisam",
        Seen(series={"myisam.lock_waits": 0.0}),
        Seen(LOCKED, series={"myisam.lock_waits": 400.0}),
    ),
]
# the same time for another reason: as many reads per query, and reads as fast as before
INNOCENT = {
    ("small-cache", "innodb"): Seen(ON_DISK, series={"innodb.cache_misses": 5.0}),
    ("small-cache", "myisam"): Seen(ON_DISK, series={"myisam.cache_misses": 0.0}),
    ("slow-reads", "innodb"): Seen(ON_DISK, series={"innodb.cache_misses": 36_100.0}),
}
STATES = {cause.name for cause in CAUSES if cause.is_state}


@pytest.mark.parametrize(("name", "engine", "base", "planted"), CASES)
def test_each_cause_is_first_where_its_figures_show_it(
    history: History, name: str, engine: str, base: Seen, planted: Seen
) -> None:
    entry = found(history, base, planted, engine)
    assert entry["slower"] == 1 and names(entry)[0] == name, entry["causes"]
    first = entry["causes"][0]
    assert first["explains"] is not None and first["explains"] > 0.9
    assert first["n"][1] == 1 and first["share"][1] is not None


@pytest.mark.parametrize(
    ("name", "engine", "base", "planted"), [case for case in CASES if case[0] not in STATES]
)
def test_a_cause_needs_its_figure_and_not_only_the_time(
    history: History, name: str, engine: str, base: Seen, planted: Seen
) -> None:
    innocent = INNOCENT.get((name, engine), replace(base, states=planted.states))
    assert name not in names(found(history, base, innocent, engine))


def test_every_cause_is_tried_here() -> None:
    assert {each.name for each in all_causes()} == {case[0] for case in CASES}


def test_causes_read_only_what_exists() -> None:
    """Each name is of a series, a cost, a wait, a load of others or a time that follows from these."""
    series = {each.series for engine in KNOWN.values() for each in engine.counters}
    series |= {each.series for each in COUNTERS}
    derived = {
        "queries",
        "unnamed_us",
        "client_fsync_ms",
        "client_disk_ms",
        "unnamed_ms",
        OTHERS,
        SYNCS,
        STALLS,
        SCHEDULE,
    }
    others = {f"others.{each.name}" for each in fields(Others)}
    derived |= {each + TAKEN for each in (*others, OTHERS)}
    kinds = {f"waits.{kind}_{unit}" for kind in KINDS for unit in ("us", "ms")}
    read = {name for cause in all_causes() for name in names_in(cause.names) if not name.startswith("wait/")}
    assert read <= series | derived | others | kinds | set(PER_QUERY), read


def test_causes_are_ranked_by_what_they_explain(history: History) -> None:
    """Row locks take 2,000 us of the 3,600 us more, other programs 956 us: 24 % of what needs CPU."""
    planted = Seen(
        with_time(lock=2005.0, runnable=1050.0, network=835.0),
        kinds={"row_lock": 10_000.0},
        others={"cpu_pct": 50.0, "cpus": 2},
    )
    entry = found(history, Seen(kinds={"row_lock": 0.0}, others={"cpu_pct": 2.0, "cpus": 2}), planted)
    assert names(entry) == ["row-lock", "other-programs", "link"]  # and not that threads wait for a CPU
    explained = [each["explains"] for each in entry["causes"]]
    assert explained == pytest.approx([2000 / 3600, 956 / 3600, 605 / 3600], rel=0.01)
    assert entry["named_share"] == pytest.approx([0.9875, 1.0], abs=0.01)
    text = cause_sentence(entry["causes"][0])
    assert (
        text
        == "The clients wait for row locks: 2,000 us per query (base 0), 50% of the clients' time (base 0%)"
    )


def test_other_programs_explain_only_what_they_take_beyond_the_base(history: History) -> None:
    """The queries take ten times as long, so the same share of the CPUs is ten times the time."""
    base, planted = (Seen(states, others={"cpu_pct": pct, "cpus": 2})
                     for states, pct in ((CALM, 30.0), (CROWDED, 40.0)))  # fmt: skip
    entry = found(history, base, planted)
    (others,) = [each for each in entry["causes"] if each["name"] == "other-programs"]
    assert others["explains"] == pytest.approx(0.05 * 4000 / 3600, rel=0.02)
    assert names(entry) == ["cpu", "other-programs"]


def test_other_programs_that_take_what_the_server_leaves_explain_nothing(history: History) -> None:
    """The clients wait for row locks, so the CPU is free for others."""
    base, planted = (Seen(states, kinds={"row_lock": ms}, others={"cpu_pct": pct, "cpus": 2})
                     for states, ms, pct in ((CALM, 0.0, 30.0), (LOCKED, 18_000.0, 150.0)))  # fmt: skip
    assert names(found(history, base, planted)) == ["row-lock"]


def test_where_the_base_is_slower_the_causes_are_its_own(history: History) -> None:
    locked = Seen(LOCKED, kinds={"row_lock": 18_000.0})
    entry = found(history, locked, Seen(kinds={"row_lock": 0.0}), rates=(SLOW, FAST))
    assert entry["slower"] == 0 and names(entry) == ["row-lock"]
    assert OF_BASE in causes_table("x", entry).remarks


def test_without_a_difference_causes_are_ranked_by_their_share(history: History) -> None:
    entry = found(history, Seen(), Seen(), rates=(FAST, FAST))
    assert names(entry) == ["link", "work", "cpu"] and entry["slower"] is None
    table = causes_table("x", entry)
    assert SAME in table.remarks and table.lines[0][2:] == ("-", "57%", "57%", "1")


def test_a_single_column_has_what_its_clients_did(history: History) -> None:
    kept = keep(history, 0, SLOW, Seen(LOCKED, kinds={"row_lock": 18_000.0}), "innodb")
    comparison = compare(history, [kept])
    entry = causes(history, comparison, comparison.rows[0], 0)
    assert names(entry) == ["row-lock", "link"] and entry["causes"][0]["explains"] is None
    table = causes_table("x", entry)
    assert table.heads == ("cause", "figure", "share", "n")
    assert table.lines[0] == ("1. The clients wait for row locks", "3,600 us per query", "90%", "1")
    assert cause_sentence(entry["causes"][0]).endswith("3,600 us per query, 90% of the clients' time")


def test_a_row_has_the_causes_of_each_of_its_columns(history: History) -> None:
    """Read together they are those of each column alone, although engines differ."""
    seen = [Seen(kinds={"row_lock": 0.0}), Seen(LOCKED, kinds={"row_lock": 18_000.0}), Seen(CROWDED)]
    engines, rates = ("innodb", "rocksdb", "myisam"), (FAST, SLOW, SLOW)
    ids = [keep(history, at, rates[at], each, engines[at]) for at, each in enumerate(seen)]
    comparison = compare(history, ids)
    row = comparison.rows[0]
    together = causes_of_row(history, comparison, row)
    assert together == {at: causes(history, comparison, row, at) for at in (1, 2)}
    assert [names(each)[0] for each in together.values()] == ["row-lock", "cpu"]


def test_waits_of_unknown_kind_are_not_named(history: History) -> None:
    entry = found(history, Seen(), Seen(LOCKED))
    assert names(entry) == [] and entry["named_share"][1] == pytest.approx(1 - 3605 / 4000, abs=0.01)
    table = causes_table("x", entry)
    assert table.lines == () and table.remarks[0] == NONE
    assert table.remarks[-1] == (
        "10% of the clients' time has a name (base 99%); the rest waits without a name, perhaps for a cause"
        " above."
    )


def test_time_without_a_name_in_the_faster_column_is_no_rest(history: History) -> None:
    """It explains nothing of the slower one, all of whose time has a name."""
    planted = Seen(COMPUTED)
    entry = found(history, Seen(), planted)
    said = causes_table("x", entry).remarks[-1]
    assert said == "100% of the clients' time has a name (base 99%)."


def test_an_older_session_has_the_causes_whose_figures_it_has(history: History) -> None:
    """Without states of threads, the time of the clients follows from their number and the result."""
    planted = Seen({}, kinds={"row_lock": 18_000.0})
    entry = found(history, Seen({}, kinds={"row_lock": 0.0}), planted)
    assert names(entry) == ["row-lock"] and entry["named_share"] == [None, None]
    assert causes_table("x", entry).remarks == (HINT,)


def test_a_report_has_the_first_causes_as_sentences(history: History) -> None:
    ids = [
        keep(history, at, rate, seen, "innodb")
        for at, (rate, seen) in enumerate(
            [(FAST, Seen(kinds={"row_lock": 0.0})), (SLOW, Seen(LOCKED, kinds={"row_lock": 18_000.0}))]
        )
    ]
    report = read_report(history, ids)
    ((title, sentences),) = report.causes
    assert title.startswith("update threads=4: ") and sentences[0].startswith(
        "The clients wait for row locks: "
    )
    assert "### Causes by name" in to_markdown(report) and "Causes by name" in to_html(report)
