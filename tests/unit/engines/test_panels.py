"""The figures of the engines against values computed by hand from recorded outputs of servers."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from app.agent.sampling.counters import ServerCounterSampler
from app.agent.sampling.sampler import WeightedSampleMeans
from app.agent.server.mysql import Client, QueryError
from app.engines import KNOWN, all_figures, engine_of
from app.engines.counter import SHARE, gauge, rate, share
from app.engines.panel import BETTER, EngineFigure, figures_of, hit_rate, parts_of, plain, ratio

FOLDER = Path(__file__).parents[2] / "data/engine_status"
RECORDINGS = sorted(FOLDER.glob("*.json"))
HANDLES = [each.stem for each in RECORDINGS]

Status = Mapping[str, str]


class Recorded(Client):
    """Answers as a server did, before and after some statements."""

    def __init__(self, recording: dict[str, Any]) -> None:
        super().__init__("")
        self.recording, self.when = recording, "before"

    def pairs(self, sql: str) -> dict[str, str]:
        if sql == "SHOW SESSION STATUS LIKE 'Rows_read'":  # which was not recorded
            return {}
        assert sql.startswith("SHOW GLOBAL STATUS WHERE Variable_name IN (")
        return {name: value for name, value in self.recording[self.when].items() if f"'{name}'" in sql}

    def query(self, sql: str) -> list[dict[str, Any]]:
        answer = next(
            (rows for begin, rows in self.recording["answers"].items() if sql.startswith(begin)), None
        )
        if answer is None:
            raise QueryError(f"refused: {sql}")
        return list(answer)


def recorded(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def figures(recording: dict[str, Any]) -> dict[str, float]:
    """As the agent computes them of one sample."""
    client, engine = Recorded(recording), recording["engine"]
    counters = ServerCounterSampler(client, engine)
    before = counters.read(whole=True)
    client.when = "after"
    values = counters.values(before, counters.read(whole=True), recording["dt"])
    return figures_of(counters.panel, dict(zip([c.series for c in counters.counters], values, strict=True)))


class Hand:
    """What a person would read out of two outputs of SHOW GLOBAL STATUS."""

    def __init__(self, recording: dict[str, Any]) -> None:
        self.before, self.after, self.dt = recording["before"], recording["after"], recording["dt"]
        self.answers = recording["answers"]

    def now(self, *names: str) -> float:
        return sum(float(self.after[name]) for name in names)

    def grown(self, *names: str) -> float:
        return self.now(*names) - sum(float(self.before[name]) for name in names)

    def each_second(self, *names: str) -> float:
        return self.grown(*names) / self.dt

    def has(self, name: str) -> bool:
        return name in self.after


def of_innodb(hand: Hand) -> dict[str, float | None]:
    pool, ahead = "innodb_buffer_pool_", ["innodb_buffer_pool_read_ahead"]
    if hand.has(ahead[0] + "_rnd"):
        ahead.append(ahead[0] + "_rnd")
    age, capacity, history = redo_and_history(hand)
    read_ahead = hand.grown(*ahead)
    return {
        "cache_hits": 1 - hand.grown(pool + "reads") / hand.grown(pool + "read_requests"),
        "dirty_share": hand.now(pool + "pages_dirty") / hand.now(pool + "pages_total"),
        "checkpoint_share": age / capacity,
        "history_list": history,
        "log_rate": hand.each_second("innodb_os_log_written") / 1024,
        "log_waits": hand.each_second("innodb_log_waits"),
        "pages_flushed": hand.each_second("innodb_pages_written"),
        "doublewrite": hand.each_second("innodb_dblwr_pages_written"),
        "read_ahead": read_ahead / hand.dt,
        "read_ahead_wasted": hand.grown(ahead[0] + "_evicted") / read_ahead if read_ahead else None,
    }


def redo_and_history(hand: Hand) -> tuple[float, float, float]:
    """Checkpoint age, size of the redo log, history list: where each server has them."""
    if hand.has("innodb_redo_log_capacity_resized"):  # MySQL from 8.0.30 on
        age = hand.now("innodb_redo_log_current_lsn") - hand.now("innodb_redo_log_checkpoint_lsn")
        rows = hand.answers["SELECT count AS n FROM information_schema.innodb_metrics"]
        return age, hand.now("innodb_redo_log_capacity_resized"), float(rows[0]["n"])
    variables = {row["variable_name"]: float(row["value"]) for row in hand.answers["SHOW GLOBAL VARIABLES"]}
    capacity = variables["innodb_log_file_size"] * variables.get("innodb_log_files_in_group", 1.0)
    if hand.has("innodb_checkpoint_age"):  # MariaDB from 10.5 on
        return hand.now("innodb_checkpoint_age"), capacity, hand.now("innodb_history_list_length")
    lines = [line.split() for line in hand.answers["SHOW ENGINE INNODB STATUS"][0]["status"].splitlines()]
    lsn = next(float(words[-1]) for words in lines if words[:3] == ["Log", "sequence", "number"])
    checkpoint = next(float(words[-1]) for words in lines if words[:3] == ["Last", "checkpoint", "at"])
    history = next(float(words[-1]) for words in lines if words[:3] == ["History", "list", "length"])
    return lsn - checkpoint, capacity, history


def of_blocks(hand: Hand, start: str, reads: str, requests: str) -> dict[str, float | None]:
    """Of the key cache of MyISAM, or the page cache of Aria."""
    writes, changes = reads.replace("read", "write"), requests.replace("read", "write")
    blocks = hand.now(start + "blocks_used", start + "blocks_unused")
    return {
        "cache_hits": 1 - hand.grown(reads) / hand.grown(requests),
        "cache_reads": hand.each_second(reads),
        "cache_full": hand.now(start + "blocks_used") / blocks,
        "dirty_share": hand.now(start + "blocks_not_flushed") / blocks,
        "block_writes": hand.each_second(writes),
        "write_through": min(hand.grown(writes) / hand.grown(changes), 1.0),
        "lock_waits": hand.each_second("table_locks_waited"),
        "lock_wait_share": hand.grown("table_locks_waited")
        / hand.grown("table_locks_waited", "table_locks_immediate"),
    }


def of_myisam(hand: Hand) -> dict[str, float | None]:
    return {
        **of_blocks(hand, "key_", "key_reads", "key_read_requests"),
        "locks": hand.each_second("table_locks_immediate"),
        "table_opens": hand.each_second("opened_tables"),
    }


def of_aria(hand: Hand) -> dict[str, float | None]:
    rows = hand.answers["SHOW ENGINE ARIA LOGS"]
    return {
        **of_blocks(hand, "aria_pagecache_", "aria_pagecache_reads", "aria_pagecache_read_requests"),
        "log_syncs": hand.each_second("aria_transaction_log_syncs"),
        "log_size": sum(int(row["name"].split()[1]) for row in rows) / 2**20,
    }


def of_rocksdb(hand: Hand) -> dict[str, float | None]:
    cache, levels = "rocksdb_block_cache_", hand.answers["SELECT level, type"]

    def hits(kind: str) -> float | None:
        asked = hand.grown(f"{cache}{kind}hit", f"{cache}{kind}miss")
        return hand.grown(f"{cache}{kind}hit") / asked if asked else None

    bloom, positive = "rocksdb_bloom_filter_useful", "rocksdb_bloom_filter_full_positive"
    written = ("rocksdb_wal_bytes", "rocksdb_flush_write_bytes", "rocksdb_compact_write_bytes")
    used = hand.grown(cache + "bytes_read", cache + "bytes_write")
    asked = hand.grown(bloom, positive)
    return {
        "cache_hits": hits(""),
        "data_hits": hits("data_"),
        "index_hits": hits("index_"),
        "filter_hits": hits("filter_"),
        "bloom_use": hand.grown(bloom) / asked if asked else None,
        "level_score": max(float(row["most"]) for row in levels if row["type"] == "Score"),
        "pending_compaction": float(hand.answers["SELECT SUM(value) AS n"][0]["n"]),
        "memtables": hand.now("rocksdb_memtable_total") / 2**20,
        "stalls": hand.each_second("rocksdb_stall_micros") / 1000,
        "engine_write_amplification": hand.grown(*written) / hand.grown("rocksdb_bytes_written"),
        "engine_read_amplification": used / hand.grown("rocksdb_bytes_read", "rocksdb_iter_bytes_read"),
    }


BY_HAND: dict[str, Callable[[Hand], dict[str, float | None]]] = {
    "innodb": of_innodb,
    "myisam": of_myisam,
    "aria": of_aria,
    "rocksdb": of_rocksdb,
}


@pytest.mark.parametrize("path", RECORDINGS, ids=HANDLES)
def test_each_figure_is_what_a_person_would_compute(path: Path) -> None:
    recording = recorded(path)
    by_hand = BY_HAND[recording["engine"]](Hand(recording))
    assert set(by_hand) == {figure.name for figure in engine_of(recording["engine"]).panel}
    found = figures(recording)
    assert found == pytest.approx({name: value for name, value in by_hand.items() if value is not None})


def test_every_family_was_recorded() -> None:
    series = (
        "MySQL-5.5",
        "MySQL-5.6",
        "MySQL-5.7",
        "MySQL-8.0",
        "MySQL-9.7",
        "MariaDB-10.2",
        "MariaDB-10.11",
        "MariaDB-11.8",
    )
    assert {(name, engine) for name in series for engine in ("innodb", "myisam")} <= {
        (name.rsplit(".", 1)[0], name.rpartition("-")[2]) for name in HANDLES
    }
    with_panel = {name for name, engine in KNOWN.items() if engine.panel}
    assert {name.rpartition("-")[2] for name in HANDLES} == with_panel


@pytest.mark.parametrize("path", RECORDINGS, ids=HANDLES)
def test_shares_lie_between_0_and_1(path: Path) -> None:
    recording = recorded(path)
    units = {figure.name: figure.unit for figure in engine_of(recording["engine"]).panel}
    found = figures(recording)
    assert all(0 <= value <= 1 for name, value in found.items() if units[name] == SHARE)
    assert all(value >= 0 for value in found.values())


@pytest.mark.parametrize("engine", KNOWN)
def test_a_server_that_tells_nothing_has_no_figures(engine: str) -> None:
    assert figures({"engine": engine, "before": {}, "after": {}, "answers": {}, "dt": 1.0}) == {}


@pytest.mark.parametrize("engine", KNOWN)
def test_a_panel_has_words_and_reads_series_of_its_engine(engine: str) -> None:
    its = engine_of(engine)
    declared = {counter.series for counter in its.counters}
    assert len({figure.title for figure in its.panel}) == len(its.panel)
    for figure in its.panel:
        assert set(figure.series) <= declared
        assert figure.direction in BETTER
        assert figure.meaning[:1].isupper() and figure.meaning.endswith(".")


def test_one_name_is_one_idea() -> None:
    common = {each.name: (each.title, each.unit, each.direction) for each in all_figures()}
    for engine in KNOWN.values():
        assert all(common[each.name] == (each.title, each.unit, each.direction) for each in engine.panel)


def test_dear_statements_are_sent_seldom_and_a_refusal_takes_only_their_values() -> None:
    recording = recorded(FOLDER / next(f"{name}.json" for name in HANDLES if name.startswith("MySQL-5.7")))
    client = Recorded(recording)
    counters, asked = ServerCounterSampler(client, "innodb"), []
    client.query = lambda sql: asked.append(sql) or []  # type: ignore[func-returns-value, method-assign]
    counters.read()
    often = len(asked)
    counters.read()
    assert often > 0 and len(asked) == often
    counters.read(whole=True)
    assert len(asked) == 2 * often

    def refuse(sql: str) -> Any:
        raise QueryError(sql)

    client.query = refuse  # type: ignore[method-assign]
    assert "innodb_os_log_written" in counters.read(whole=True)


def test_alternatives_differences_and_shares_of_counters() -> None:
    age = gauge("x.age", "given|current-checkpoint", "age")
    assert age.names == ["given", "current", "checkpoint"]
    assert age.total({"current": "9", "checkpoint": "4"}) == 5
    assert age.total({"given": "7", "current": "9", "checkpoint": "4"}) == 7
    assert age.total({"current": "9"}) is None
    full = share("x.full", "used", "used+unused", "in use")
    assert full.names == ["used", "used", "unused"]
    assert full.total({"used": "3", "unused": "1"}) == 0.75
    assert full.total({"used": "0", "unused": "0"}) is None
    assert rate("x.both", "a+b", "both").total({"a": "1", "b": "x"}) is None


def test_what_is_missing_is_no_zero() -> None:
    panel: list[EngineFigure] = [
        hit_rate("Hits.", "misses", "requests"),
        ratio("wasted", "Wasted", SHARE, "lower", "Wasted.", ("evicted",), "ahead"),
        plain("both", "Both", "1/s", "", "Both.", "a", "b", parts=(("first", "a"), ("second", "b"))),
    ]
    assert figures_of(panel, {"misses": 0.0, "requests": 0.0, "ahead": None, "evicted": 1.0, "a": 1.0}) == {}
    assert figures_of(panel, {"misses": 1.0, "requests": 4.0, "a": 1.0, "b": 0.0}) == {
        "cache_hits": 0.75,
        "both": 1.0,
    }
    assert figures_of(panel, {"misses": 5.0, "requests": 4.0}) == {"cache_hits": 0.0}
    assert parts_of(panel[2], {"a": 1.0, "b": 0.0}) == {"first": 1.0}


def test_means_weigh_seconds_by_their_length_and_leave_missing_ones_out() -> None:
    means = WeightedSampleMeans(["a", "b", "c"])
    means.add([1.0, None, None], 1.0)
    means.add([4.0, 2.0, None], 2.0)
    assert means.values() == {"a": 3.0, "b": 2.0}
    means.clear()
    assert means.values() == {}
