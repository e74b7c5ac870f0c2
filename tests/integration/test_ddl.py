"""The operation ddl on real servers: which algorithm they took, what clients waited for, what is left."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from app.protocol.events import Fact
from app.protocol.step_parts import OperationResult
from tests.integration.desktop import Desktop, own_marks
from tests.integration.test_operations import READ, WRITER, began, connected, ended, has_mark, operation
from tests.integration.test_studies import contender_of
from tests.waiting import wait_until

COLUMN = "ALTER TABLE {table} ADD COLUMN added INT NOT NULL DEFAULT 0"
INDEX = "CREATE INDEX added ON {table} (pad)"
REBUILD = "ALTER TABLE {table} FORCE"
STATEMENTS = {"add-column": COLUMN, "add-index": INDEX, "rebuild": REBUILD}
# what each server took, by the manuals and by the states of its threads: `copy to tmp table` is COPY
TAKEN = [
    pytest.param(
        "", "innodb", ("INSTANT", "INPLACE", "INPLACE"), id="mariadb-innodb", marks=pytest.mark.full
    ),
    pytest.param("", "rocksdb", ("COPY", "INPLACE", "COPY"), id="mariadb-rocksdb", marks=pytest.mark.full),
    pytest.param("", "aria", ("COPY", "COPY", "COPY"), id="mariadb-aria", marks=pytest.mark.full),
    pytest.param("", "myisam", ("COPY", "COPY", "COPY"), id="mariadb-myisam", marks=pytest.mark.full),
    *(
        pytest.param(build, "innodb", taken, id=build, marks=[pytest.mark.build(build), pytest.mark.full])
        for build, taken in (
            ("mysql-5.6", ("INPLACE", "INPLACE", "INPLACE")),  # to 5.6.16 it copied to rebuild
            ("mysql-8.0", ("INSTANT", "INPLACE", "INPLACE")),
            ("mysql-9.7", ("INSTANT", "INPLACE", "INPLACE")),
        )
    ),
]


def ddl(name: str, statement: str, more: str = "", **seconds: int) -> str:
    said = f'statement = "{statement}"\n{more}'
    return operation("ddl", WRITER, more=said, **{"after": 2, "seconds": 2, **seconds}).replace(
        'name = "ddl"', f'name = "{name}"', 1
    )


def result_of(found: OperationResult | None) -> OperationResult:
    assert found is not None
    return found


@pytest.mark.parametrize(("build", "engine", "taken"), TAKEN)
def test_the_algorithm_is_the_one_that_the_server_took(
    desktop: Desktop, build_path: Callable[[str], Path], build: str, engine: str, taken: tuple[str, ...]
) -> None:
    contender = contender_of(desktop, build_path, build, engine)
    steps = [ddl(name, statement) for name, statement in STATEMENTS.items()]
    entry, events, ends = ended(desktop, began(desktop, *steps, READ, contender=contender))
    *altered, read = ends
    found = [result_of(each.operation) for each in altered[::2]]
    assert entry["failed_steps"] == 0 and [each.algorithm for each in found] == list(taken)
    for end, its in zip(altered[::2], found, strict=True):
        assert end.value == its.seconds and its.seconds is not None and its.seconds > 0
        assert its.stall_s is not None
        if its.seconds > 0.1:  # else no second look at the clients falls into it
            assert its.kept_pct is not None and its.kept_pct >= 0
        assert its.first_answer_s is None and not its.back_s
        if its.algorithm == "COPY":  # clients wait for all of it, or at least for its end
            assert its.kept_pct is None or its.kept_pct < 110 or its.seconds < 0.5
    assert [own_marks(each.marks) for each in altered[1::2]] == [[]] * 3
    (table,) = [event.value for event in events if isinstance(event, Fact) and event.name == "create_table"]
    assert "added" not in table and not {*own_marks(read.marks)} - {"no-statistics"}  # MyRocks guesses
    counted = next(
        event.value for event in events if isinstance(event, Fact) and event.name == "rows_counted"
    )
    assert list(counted.values()) == [2000, 2000]


def test_an_algorithm_that_a_server_does_not_have_is_known_before_the_start(desktop: Desktop) -> None:
    running = began(desktop, ddl("ddl", INDEX, 'algorithm = "INSTANT"\n'), READ)
    said, _ = running.communicate(timeout=120)
    assert running.returncode == 1, said
    assert "innodb refuses INSTANT: 1846 ALGORITHM=INSTANT is not supported" in said
    assert desktop.sessions() == []


@pytest.mark.full
def test_a_ddl_that_is_refused_fails_its_step_and_the_session_goes_on(desktop: Desktop) -> None:
    running = began(desktop, ddl("ddl", "CREATE INDEX added ON {table} (nowhere)"), READ)
    _, _, (refused, writer, read) = ended(desktop, running, 1)
    assert refused.outcome == "failed" and writer.outcome == "failed" and read.outcome == "completed"
    assert refused.reason.startswith("the server refused the ddl: 1072 ") and "nowhere" in refused.reason


@pytest.mark.full
def test_a_ddl_that_waits_for_a_transaction_of_somebody_ends_by_its_cap(desktop: Desktop) -> None:
    running = began(desktop, ddl("ddl", INDEX, "cap_s = 6\n", after=6, seconds=4), READ)
    wait_until(has_mark(desktop, "measured"), "the step has begun", 120)
    with connected(desktop) as connection:
        connection.cursor().execute("BEGIN")
        connection.cursor().execute("SELECT * FROM dyno.sbtest1 LIMIT 1")
        wait_until(has_mark(desktop, "operation"), "the ddl has begun", 180)
        wait_until(has_stalled(connection), "clients wait behind it", 180)
        wait_until(lambda: not has_stalled(connection)(), "it was ended", 180)
    _, _, (waiting, _, read) = ended(desktop, running, 1)
    assert waiting.outcome == "failed" and read.outcome == "completed"
    assert waiting.reason.startswith("the ddl was not done 6 s after it began, and was ended in its state ")
    assert "metadata lock" in waiting.reason
    assert result_of(waiting.operation).stall_s > 2 and waiting.value is None


def has_stalled(connection: object) -> Callable[[], bool]:
    def is_waiting() -> bool:
        cursor = connection.cursor()  # type: ignore[attr-defined]
        cursor.execute(
            "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE info LIKE 'CREATE INDEX added%'"
        )
        return bool(cursor.fetchone()[0])

    return is_waiting


@pytest.mark.full
def test_a_skip_in_the_middle_ends_the_ddl_and_leaves_the_table_as_it_was(desktop: Desktop) -> None:
    running = began(desktop, ddl("ddl", INDEX, after=5, seconds=600), READ)
    wait_until(has_mark(desktop, "measured"), "the step has begun", 120)
    with connected(desktop) as connection:
        connection.cursor().execute("BEGIN")
        connection.cursor().execute("SELECT * FROM dyno.sbtest1 LIMIT 1")
        wait_until(has_stalled(connection), "the ddl waits", 180)
        desktop.dyno("skip")
        wait_until(lambda: not has_stalled(connection)(), "it was ended", 180)
    _, _, (skipped, _, read) = ended(desktop, running)
    assert (skipped.outcome, read.outcome) == ("skipped", "completed")
    assert {*own_marks(read.marks)} <= {"indebted"}  # where the machine was too busy to flush
