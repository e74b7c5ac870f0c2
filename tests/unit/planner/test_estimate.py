"""Rows, sizes and time: what a plan needs, known before it starts."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest

from app.engines.server import redo_bytes
from app.planner.estimate.estimate import estimate
from app.planner.estimate.guesses import SERVER_S, step_guesses
from app.planner.request.contender import ContenderRequest
from app.planner.resolve.resolve import machine_key
from app.planner.resolve.sizes import bytes_per_row, cache_bytes, writes_binary_log
from app.variables import option_values
from tests.plans import GB, MARIADB, THREE, plan, survey, unresolved, write
from tests.sequences import keep_own


@pytest.mark.parametrize(
    ("share", "least"), [("3x memory", 3.0), ("0.5x memory", 0.5), (" 1 x memory ", 1.0)]
)
def test_rows_may_be_a_share_of_the_memory(share: str, least: float) -> None:
    found = plan(*THREE, rows=share, tables=4)
    assert found.rows % 1000 == 0
    for contender in found.contenders:
        data = found.tables * found.rows * bytes_per_row(contender)
        assert least * 16 * GB <= data <= least * 16 * GB * 1.25


def test_a_share_beyond_what_a_table_holds_is_refused() -> None:
    assert "choose more tables" in unresolved(rows="999x memory", tables=1)
    assert "--rows must be a number such as 1000, 10k, 1M or 1e6, or like" in unresolved(
        rows="0x memory", tables=1
    )


def test_a_share_means_nothing_to_an_engine_that_stores_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_module("app.planner.resolve.resolve"), "bytes_per_row", lambda *_: 0.0)
    assert "give a number of rows" in unresolved(rows="3x memory", tables=1)


def test_a_plan_that_is_too_large_for_a_journal_is_refused(dyno_home: Path) -> None:
    own = keep_own(dyno_home, *(f'name = "s{at}"\nworkload = "read-write"' for at in range(200)))
    assert "choose fewer repeats, thread counts or steps" in unresolved(
        sequence=own, threads=list(range(1, 40)), repeats=100
    )


def test_machines_are_told_apart_by_what_shapes_figures() -> None:
    one = machine_key(survey())
    assert one == machine_key(survey(load=[9.0], clock_utc=1.0, memory_available_bytes=1, builds=[]))
    for change in (
        {"memory_bytes": 1},
        {"machine_id": "x"},
        {"cpu": {}},
        {"disk": {"model": "x"}},
        {"disk": None},
    ):
        assert machine_key(survey(**change)) != one


def test_caches_and_logs_are_read_from_the_preset() -> None:
    maria, five, nine = (
        plan(text).contenders[0] for text in (THREE[0], "mysql-5.6.24:innodb", "mysql-9.7.4:innodb")
    )
    assert {cache_bytes(each) for each in (maria, five, nine)} == {2 * GB}
    redo = {redo_bytes(option_values(each.cnf), each.family, each.version) for each in (maria, five, nine)}
    assert redo == {96 << 20}
    assert all(writes_binary_log(each) for each in (maria, five, nine))


def test_a_binary_log_is_on_where_the_build_has_it_on(dyno_home: Path) -> None:
    write(dyno_home / "presets/innodb/own.cnf", "[mysqld]\nback_log=80\n")
    found = plan(*(f"{name}:innodb:own" for name in (MARIADB, "mysql-5.6.24", "mysql-9.7.4")))
    assert [writes_binary_log(each) for each in found.contenders] == [False, False, True]


def test_declared_seconds_are_exact() -> None:
    found = plan(*THREE[:2], seconds=10, warmup=2, threads=[1, 2], repeats=3, pause=4)
    driven = [step.seconds + 2 for step in found.steps if step.kind == "drive"]
    guess = estimate(found, survey())
    assert {*driven} == {12, 7} and guess.declared_s == (sum(driven) + 4) * 2 * 3
    assert guess.seconds == guess.declared_s + guess.guessed_s
    assert 0 < guess.guessed_s < 200
    assert str(guess.declared_s) in guess.seconds_text


def test_analysing_takes_time_that_grows_with_the_indexes_an_engine_reads() -> None:
    made = plan(f"{MARIADB}:innodb", f"{MARIADB}:myisam", tables=2, rows=60_000_000)
    silent = replace(made, steps=[replace(step, analyse=False) for step in made.steps])
    taken = [sum(step_guesses(made, each)) - sum(step_guesses(silent, each)) for each in made.contenders]
    assert taken == [pytest.approx(0.1), pytest.approx(20.1)]
    assert estimate(made, survey()).guessed_s == pytest.approx(estimate(silent, survey()).guessed_s + 20.2)


def test_conditions_take_time_twice_and_a_restart_after_the_load() -> None:
    asking = plan(f"{MARIADB}:innodb", sequence="orders", tables=10, rows=60_000, threads=[1])
    silent = replace(asking, steps=[replace(step, conditions=[]) for step in asking.steps])
    more = estimate(asking, survey()).guessed_s - estimate(silent, survey()).guessed_s
    assert more == pytest.approx(2 * 10 + SERVER_S)  # ten conditions, a second each
    assert "index, settling and conditions (" in estimate(asking, survey()).seconds_text
    assert "index and settling (" in estimate(silent, survey()).seconds_text


def test_more_rows_take_longer_and_more_disk() -> None:
    small, large = (estimate(plan(rows=rows), survey()) for rows in (10_000, 10_000_000))
    assert large.seconds > small.seconds + 60
    assert large.disk_bytes > small.disk_bytes + 20_000_000 * 200


def test_snapshots_take_disk_beside_the_session_and_spare_the_loads_of_repeats() -> None:
    loaded, kept = (estimate(plan(start=start, repeats=3), survey()) for start in ("restarted", "snapshot"))
    (size,) = kept.contenders
    assert kept.snapshot_bytes == size.data_bytes + size.parts["redo"] + size.parts["system"]
    assert loaded.snapshot_bytes == 0
    assert kept.disk_bytes - kept.kept_bytes == size.session_bytes + kept.snapshot_bytes
    assert kept.seconds < loaded.seconds
    assert "iB of snapshots" in kept.disk_text and "snapshots" not in loaded.disk_text


def test_the_disk_is_that_of_the_largest_session() -> None:
    """Their data goes when they end: sessions do not add up."""
    alone, many = (estimate(plan(*THREE[:1], repeats=count), survey()) for count in (1, 50))
    assert many.contenders[0].session_bytes == alone.contenders[0].session_bytes
    assert many.disk_bytes - many.kept_bytes == alone.disk_bytes - alone.kept_bytes
    assert many.kept_bytes > alone.kept_bytes


def test_a_binary_log_of_the_longest_write_step_counts(dyno_home: Path) -> None:
    write(dyno_home / "presets/innodb/own.cnf", "[mysqld]\nlog_bin=bl\n")
    parts = estimate(plan("mysql-5.6.24:innodb:own", seconds=100), survey()).contenders[0].parts
    longer = estimate(plan("mysql-5.6.24:innodb:own", seconds=200), survey()).contenders[0].parts
    assert 0 < parts["binary log"] < longer["binary log"]
    loaded = estimate(plan("mysql-5.6.24:innodb:own", steps=["load"], rows=1_000_000), survey())
    assert loaded.contenders[0].parts["binary log"] == loaded.contenders[0].data_bytes


def test_compressed_tables_take_less() -> None:
    plain, small = (
        plan(contenders=(ContenderRequest("mysql-5.6.24", "innodb", table_options=options),)).contenders[0]
        for options in ("", "ROW_FORMAT=COMPRESSED KEY_BLOCK_SIZE=8")
    )
    assert 0.5 < bytes_per_row(small) / bytes_per_row(plain) < 0.6


def test_data_cache_and_memory_are_told_for_each_contender() -> None:
    found = estimate(plan(*THREE), survey()).contenders
    assert [each.contender for each in found] == [
        f"{MARIADB}-innodb", f"{MARIADB}-rocksdb", f"{MARIADB}-myisam"
    ]  # fmt: skip
    assert all(each.data_bytes < each.cache_bytes < each.memory_bytes == 16 * GB for each in found)
