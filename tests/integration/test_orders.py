"""The tables of orders and the transactions on them, in both forms, on real servers."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import pymysql
import pytest

from app.catalog import Catalog
from app.engines import KNOWN
from tests.integration.generated import (
    Outcome,
    Server,
    analyse,
    completed,
    drive,
    loaded_anew,
    logged,
    shipped,
    violated,
)
from tests.integration.test_rows_read import BUILDS_IN_FULL, Build, on_each_engine

LOAD = "orders-load"
ROWS, WAREHOUSES = 1000, 3  # items, so 30 customers and orders of a district, 9 of them new
SIZE = {"rows": ROWS, "tables": WAREHOUSES}
FORMS = ("common", "specified")
SHORT = (pytest.param("common", marks=pytest.mark.full), "specified")  # of what takes seconds
NAMES = {"common": "orders", "specified": "orders-specified"}
SHARES = {"common": (10, 10, 1, 1, 1), "specified": (45, 43, 4, 4, 4)}
CHI_SQUARE = 23.5  # of four degrees of freedom: passed by one in 10,000
TABLES = (
    *("warehouse", "district", "customer", "history", "orders"),
    *("new_orders", "item", "stock", "order_line"),
)
MADE_AT = {"h_date", "o_entry_d", "ol_delivery_d"}
Values = Mapping[str, Any]


def loaded(server: Server, form: str = "common", engine: str = "innodb", **more: Any) -> Outcome:
    options = {"form": form, **more.pop("options", {})}
    outcome = loaded_anew(server, LOAD, engine, **{**SIZE, **more, "options": options})
    analyse(server, engine)
    return outcome


def driven(server: Server, form: str, engine: str = "innodb", **more: Any) -> dict[str, Any]:
    """What it counted of each kind."""
    outcome = completed(server, shipped(NAMES[form], engine, **{**SIZE, **more}))
    found: dict[str, Any] = outcome.of("kinds")[-1]["kinds"]
    return found


def one(server: Server, statement: str) -> Any:
    return server.query("USE dyno", statement)[0][0]


def rows_of(server: Server, table: str) -> list[tuple[Any, ...]]:
    """All rows, but for the times at which they were made."""
    columns = [name for name, *_ in server.query(f"SHOW COLUMNS FROM dyno.{table}") if name not in MADE_AT]
    return sorted(server.query(f"SELECT {', '.join(columns)} FROM dyno.{table}"), key=repr)


def all_rows(server: Server) -> dict[str, list[tuple[Any, ...]]]:
    return {table: rows_of(server, table) for table in TABLES}


def statements(kind: Values) -> int:
    return int(kind["reads"] + kind["writes"] + kind["other"])


# The load


@pytest.mark.parametrize("form", FORMS)
def test_orders_are_loaded_to_the_row(server: Server, form: str) -> None:
    outcome = loaded(server, form)
    lines = one(server, "SELECT SUM(o_ol_cnt) FROM orders")
    per_district = {"district": 1, "customer": 30, "history": 30, "orders": 30, "new_orders": 9}
    expected = {
        "warehouse": WAREHOUSES,
        "item": ROWS,
        "stock": WAREHOUSES * ROWS,
        "order_line": lines,
        **{table: 10 * WAREHOUSES * rows for table, rows in per_district.items()},
    }
    assert {table: one(server, f"SELECT COUNT(*) FROM {table}") for table in TABLES} == expected
    assert outcome.total["rows"]["inserted"] == sum(expected.values())
    assert 9.3 < lines / (300 * WAREHOUSES) < 10.7
    assert violated(server, LOAD) == []


def test_warehouses_depend_on_the_seed_and_not_on_the_clients(server: Server) -> None:
    def rows(seed: int, threads: int) -> dict[str, list[tuple[Any, ...]]]:
        loaded(server, "specified", "myisam", seed=seed, threads=threads, rows=200)
        return all_rows(server)

    first = rows(5, 1)
    assert rows(5, 3) == first
    other = rows(6, 1)
    assert other["stock"] != first["stock"] and other["order_line"] != first["order_line"]


def test_a_second_load_drops_the_tables_of_the_first(server: Server) -> None:
    loaded(server)
    assert one(server, "SELECT COUNT(*) FROM item") == ROWS
    completed(server, shipped(LOAD, "innodb", options={"form": "specified"}, rows=200, tables=1))
    assert (one(server, "SELECT COUNT(*) FROM item"), one(server, "SELECT COUNT(*) FROM stock")) == (200, 200)
    assert violated(server, LOAD) == []


def test_texts_are_random_or_one_letter(server: Server) -> None:
    texts = {"item": "i_data", "stock": "s_dist_04", "customer": "c_data", "order_line": "ol_dist_info"}
    for form in FORMS:
        loaded(server, form, "myisam", tables=1)
        for table, column in texts.items():
            letters = [len(set(text)) for (text,) in server.query(f"SELECT {column} FROM dyno.{table}")]
            assert (max(letters) == 1) == (form == "common"), (form, table)
            assert max(letters) == 1 or sum(letters) / len(letters) > 15
        originals = one(server, "SELECT COUNT(*) FROM stock WHERE s_data LIKE '%ORIGINAL%'")
        assert originals == 0 if form == "common" else 60 < originals < 140  # one in ten


@pytest.mark.parametrize(("engine", "kept"), [("innodb", 10), ("rocksdb", 0), ("myisam", 0), ("aria", 0)])
def test_every_engine_has_the_keys_and_some_the_foreign_keys(server: Server, engine: str, kept: int) -> None:
    loaded(server, "common", engine, rows=100)
    created = [server.query(f"SHOW CREATE TABLE dyno.{table}")[0][1] for table in TABLES]
    assert sum(text.count("FOREIGN KEY") for text in created) == kept
    assert sum(text.count("  KEY ") for text in created) == 6
    assert sum(text.count("PRIMARY KEY") for text in created) == 8  # none of history
    loaded(server, "specified", engine, rows=100, options={"foreign_keys": False, "history_key": True})
    created = [server.query(f"SHOW CREATE TABLE dyno.{table}")[0][1] for table in TABLES]
    assert sum(text.count("  KEY ") for text in created) == 2
    assert sum(text.count("PRIMARY KEY") for text in created) == 9
    assert not any("FOREIGN KEY" in text for text in created)


# The transactions


@pytest.mark.parametrize("form", SHORT)
def test_a_transaction_has_the_statements_of_the_study(server: Server, form: str) -> None:
    """On MyISAM no order is rolled back: the counts are exact."""
    loaded(server, form, "myisam", tables=1)
    kinds = driven(server, form, "myisam", tables=1, threads=1, events=2500)
    order = kinds["new-order"]
    lines = order["rows"]["inserted"] - 2 * order["events"]
    assert statements(order) == 7 * order["events"] + 4 * lines
    assert 9.5 < lines / order["events"] < 10.5 and order["rolled_back"] == 0
    assert statements(kinds["payment"]) / kinds["payment"]["events"] == pytest.approx(10.3, abs=0.12)
    assert statements(kinds["order-status"]) / kinds["order-status"]["events"] == pytest.approx(5.6, abs=0.25)
    assert statements(kinds["stock-level"]) == 4 * kinds["stock-level"]["events"]
    delivery = kinds["delivery"]  # a district with no new order has one statement in place of seven
    assert statements(delivery) == 12 * delivery["events"] + 6 * delivery["rows"]["deleted"]


def test_a_delivery_has_72_statements(server: Server) -> None:
    loaded(server, "common", rows=5000, tables=1)
    delivery = driven(server, "common", rows=5000, tables=1, threads=1, events=300)["delivery"]
    assert delivery["events"] > 4 and statements(delivery) == 72 * delivery["events"]


@pytest.mark.parametrize("form", SHORT)
@pytest.mark.parametrize("threads", [pytest.param(1, marks=pytest.mark.full), 6])
def test_transactions_have_their_shares(server: Server, form: str, threads: int) -> None:
    loaded(server, form)
    events = [kind["events"] for kind in driven(server, form, threads=threads, events=1500).values()]
    expected = [1500 * share / sum(SHARES[form]) for share in SHARES[form]]
    assert sum(events) == 1500
    differences = ((found - mean) ** 2 / mean for found, mean in zip(events, expected, strict=True))
    assert sum(differences) < CHI_SQUARE, events


REMOTE_LINES = "SELECT AVG(ol_supply_w_id <> ol_w_id) FROM order_line WHERE ol_o_id > 30"
REMOTE_PAYMENTS = "SELECT AVG(h_c_w_id <> h_w_id) FROM history WHERE h_amount <> 10"
COUNTERS = "SELECT SUM(s_order_cnt), SUM(s_ytd), SUM(s_remote_cnt) FROM dyno.stock"


@pytest.mark.full
def test_only_the_specified_form_has_remote_warehouses_and_counters(server: Server) -> None:
    lines = "FROM dyno.order_line WHERE ol_o_id > 30"
    ordered = f"SELECT COUNT(*), SUM(ol_quantity), SUM(ol_supply_w_id <> ol_w_id) {lines}"
    payments = "SELECT SUM(c_payment_cnt) - COUNT(*) FROM customer"
    for form in FORMS:
        loaded(server, form)
        kinds = driven(server, form, threads=3, events=2000)
        counters = server.query(COUNTERS)[0]
        if form == "common":
            assert (one(server, REMOTE_LINES), one(server, REMOTE_PAYMENTS)) == (0, 0)
            assert (counters, one(server, payments)) == ((0, 0, 0), 0)
        else:
            assert 0.005 < one(server, REMOTE_LINES) < 0.016
            assert 0.10 < one(server, REMOTE_PAYMENTS) < 0.20
            assert counters == server.query(ordered)[0]
            assert one(server, payments) == kinds["payment"]["events"]


def test_the_common_form_looks_at_the_ten_oldest_orders_only(server: Server) -> None:
    for form in FORMS:
        loaded(server, form, tables=1)
        work = shipped(NAMES[form], "innodb", rows=ROWS, tables=1, threads=1, events=400)
        _, text = logged(server, work)
        asked = r"SELECT ol_i_id, ol_supply_w_id, .* AND ol_o_id = (\d+)"
        orders = [int(each) for each in re.findall(asked, text)]
        assert len(orders) > 5 and (max(orders) <= 10) == (form == "common")


@pytest.mark.full
@pytest.mark.parametrize("form", FORMS)
def test_one_order_in_a_hundred_is_rolled_back_and_counted_apart(server: Server, form: str) -> None:
    loaded(server, form)
    work = shipped(NAMES[form], "innodb", **SIZE, threads=1, events=2500)
    outcome, text = logged(server, work)
    order = outcome.of("kinds")[-1]["kinds"]["new-order"]
    assert 2 <= order["rolled_back"] <= 30 and outcome.total["errors"] == 0
    assert (
        one(server, "SELECT COUNT(*) FROM orders WHERE o_id > 30") == order["events"] - order["rolled_back"]
    )
    undone = [part.rpartition("INSERT INTO orders")[2] for part in text.split("ROLLBACK")[:-1]]
    assert len(undone) == order["rolled_back"]
    for part in undone:
        lines = int(re.search(r", '[^']+', (\d+), [01]\)", part)[1])  # type: ignore[index]
        assert part.count("FROM item WHERE") == (lines if form == "specified" else lines - 1)
    assert violated(server, LOAD) == []


def test_an_engine_without_transactions_has_one_client_and_no_rollback(server: Server) -> None:
    loaded(server, "specified", "myisam")
    kinds = driven(server, "specified", "myisam", threads=1, events=1500)
    assert kinds["new-order"]["events"] > 500 and kinds["new-order"]["rolled_back"] == 0
    assert violated(server, LOAD) == []
    refused = drive(server, shipped("orders", "myisam", **SIZE, threads=2, events=5))
    assert refused.code != 0 and "orders: myisam has no transactions: run one client" in refused.said


def transactions_of(text: str) -> list[list[str]]:
    """The values of each transaction in a general log, without the time."""
    plain = re.sub(r"'20\d\d-[^']+'", "now", text)
    sent = re.findall(r"(?:Execute|Query)\t(.*)", plain)
    parts = "\n".join(sent).split("BEGIN\n")[1:]
    found = [part.splitlines() for part in parts]
    found[-1] = [each for each in found[-1] if "general_log" not in each]
    return found


@pytest.mark.parametrize("form", FORMS)
def test_the_same_seed_draws_the_same_transactions_on_every_engine(server: Server, form: str) -> None:
    found = {}
    for engine in ("innodb", "rocksdb"):
        loaded(server, form, engine)
        work = shipped(NAMES[form], engine, **SIZE, threads=1, events=60, seed=7)
        found[engine] = transactions_of(logged(server, work)[1])
    assert len(found["innodb"]) == 60 and found["innodb"] == found["rocksdb"]


@pytest.mark.parametrize("form", FORMS)
def test_only_the_specified_form_repeats_what_an_error_ended(server: Server, form: str) -> None:
    """Rows of all districts are locked for a while: what waits for them begins again three times or more."""
    loaded(server, form)
    server.query("SET GLOBAL innodb_lock_wait_timeout = 1")
    with pymysql.connect(unix_socket=server.socket, user="root", database="dyno") as holder:
        holder.cursor().execute("SELECT d_id FROM district FOR UPDATE")
        threading.Timer(4.5, holder.rollback).start()
        work = shipped(NAMES[form], "innodb", **SIZE, threads=1, events=40, seed=11)
        outcome, text = logged(server, work)
    server.query("SET GLOBAL innodb_lock_wait_timeout = 50")
    assert outcome.total["errors"] >= 3
    kinds = outcome.of("kinds")[-1]["kinds"]
    assert sum(kind["errors"] for kind in kinds.values()) == outcome.total["errors"]
    ended = transactions_of(text)
    undone = [at for at, each in enumerate(ended) if each[-1] == "ROLLBACK"][: int(outcome.total["errors"])]
    last = undone[-1]
    tried = [ended[at][:-1] for at in undone]
    if form == "specified":
        assert all(each == tried[0] for each in tried) and ended[last + 1][: len(tried[0])] == tried[0]
    else:
        assert any(each != tried[0] for each in tried)
    assert violated(server, LOAD) == []


# Procedures


@pytest.mark.parametrize("form", SHORT)
def test_procedures_leave_the_same_rows_as_the_statements_of_a_client(server: Server, form: str) -> None:
    found = []
    for procedures in (False, True):
        loaded(server, form, seed=3)
        kinds = driven(server, form, threads=1, events=400, seed=4, options={"procedures": procedures})
        found.append((all_rows(server), {name: kind["rolled_back"] for name, kind in kinds.items()}))
        assert (statements(kinds["delivery"]) == kinds["delivery"]["events"]) == procedures
    assert found[0] == found[1]


# Conditions


@pytest.mark.parametrize("form", SHORT)
@pytest.mark.parametrize("procedures", [False, True])
def test_many_clients_leave_the_tables_consistent(server: Server, form: str, procedures: bool) -> None:
    loaded(server, form)
    options = {"procedures": procedures, "own_table": False}
    kinds = driven(server, form, threads=12, events=1000, options=options)
    assert all(kind["events"] > 0 for kind in kinds.values())
    assert violated(server, LOAD) == []


def test_one_warehouse_for_sixty_clients_stays_consistent(server: Server) -> None:
    loaded(server, "specified", tables=1)
    kinds = driven(server, "specified", tables=1, threads=60, events=600)
    assert sum(kind["events"] for kind in kinds.values()) == 600
    assert violated(server, LOAD) == []


def test_connections_that_are_lost_leave_no_part_of_a_transaction(server: Server) -> None:
    loaded(server, "specified")
    clients = "SELECT id FROM information_schema.processlist WHERE db = 'dyno'"
    with ThreadPoolExecutor() as pool:
        work = shipped("orders-specified", "innodb", **SIZE, threads=8, seconds=20)
        ended = pool.submit(drive, server, work)
        time.sleep(2)
        lost = server.query(clients)
        for (client,) in lost:
            with suppress(pymysql.err.OperationalError):  # sysbench has ended with the first of them
                server.query(f"KILL {client}")
        assert len(lost) == 8 and ended.result().code != 0
    assert one(server, "SELECT COUNT(*) FROM orders WHERE o_id > 30") > 0
    assert violated(server, LOAD) == []


PLANTED = [
    ("UPDATE warehouse SET w_ytd = w_ytd + 0.01 WHERE w_id = 2", {"1", "8"}),
    ("UPDATE district SET d_ytd = d_ytd - 0.01 WHERE d_w_id = 3 AND d_id = 10", {"1", "9"}),
    ("UPDATE district SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = 1 AND d_id = 4", {"2"}),
    ("DELETE FROM new_orders WHERE no_w_id = 1 AND no_d_id = 1 AND no_o_id = 25", {"3", "5"}),
    ("DELETE FROM new_orders WHERE no_w_id = 1 AND no_d_id = 1 AND no_o_id = 30", {"2", "5"}),
    ("UPDATE orders SET o_ol_cnt = o_ol_cnt + 1 WHERE o_w_id = 1 AND o_d_id = 1 AND o_id = 1", {"4"}),
    ("DELETE FROM order_line WHERE ol_w_id = 1 AND ol_d_id = 1 AND ol_o_id = 1 AND ol_number = 1", {"4"}),
    ("UPDATE orders SET o_carrier_id = 3 WHERE o_w_id = 1 AND o_d_id = 1 AND o_id = 30", {"5", "7"}),
    ("UPDATE orders SET o_carrier_id = NULL WHERE o_w_id = 1 AND o_d_id = 1 AND o_id = 1", {"5", "7"}),
    (
        "UPDATE order_line SET ol_delivery_d = NULL"
        " WHERE ol_w_id = 1 AND ol_d_id = 1 AND ol_o_id = 1 AND ol_number = 2",
        {"7"},
    ),
    (
        "UPDATE history SET h_amount = h_amount + 1 WHERE h_c_w_id = 2 AND h_c_id = 1 LIMIT 1",
        {"8", "9", "10"},
    ),
    (
        "UPDATE customer SET c_balance = c_balance + 0.01 WHERE c_w_id = 1 AND c_d_id = 1 AND c_id = 1",
        {"10", "12"},
    ),
    ("UPDATE customer SET c_ytd_payment = 0 WHERE c_w_id = 1 AND c_d_id = 1 AND c_id = 1", {"12"}),
    (
        "UPDATE order_line SET ol_amount = 5"
        " WHERE ol_w_id = 1 AND ol_d_id = 1 AND ol_o_id = 1 AND ol_number = 1",
        {"10", "12"},
    ),
]


def test_each_planted_violation_is_found(server: Server) -> None:
    loaded(server, "specified")
    assert violated(server, LOAD) == []
    for planted, names in PLANTED:
        table = re.search(r"(?:UPDATE|FROM) (\w+)", planted)[1]  # type: ignore[index]
        server.query(
            f"CREATE TABLE dyno.kept AS SELECT * FROM dyno.{table}",
            "USE dyno",
            "SET foreign_key_checks = 0",
            planted,
        )
        assert set(violated(server, LOAD)) == names, planted
        server.query(
            "SET foreign_key_checks = 0",
            f"DELETE FROM dyno.{table}",
            f"INSERT INTO dyno.{table} SELECT * FROM dyno.kept",
            "DROP TABLE dyno.kept",
        )
    known = {each.name for each in Catalog().workload(LOAD).condition}
    assert {name for _, names in PLANTED for name in names} == known
    assert violated(server, LOAD) == []


# Options and builds


@pytest.mark.full
def test_a_terminal_waits_outside_of_the_latency_of_its_transactions(server: Server) -> None:
    loaded(server, "specified")
    work = {**SIZE, "threads": 4, "seconds": 6}
    outcome = completed(server, shipped("orders-specified", "innodb", **work, options={"keying": True}))
    kinds = outcome.of("kinds")[-1]["kinds"]
    assert 4 <= outcome.total["events"] < 16 and outcome.total["time_s"] < 8  # two seconds each at least
    assert all(not kind["events"] or kind["latency_ms"]["max"] < 1900 for kind in kinds.values())
    thinking = completed(server, shipped("orders-specified", "innodb", **work, options={"thinking": True}))
    assert 4 <= thinking.total["events"] < 60 and thinking.total["time_s"] < 8


def test_the_isolation_of_the_clients_is_an_option(server: Server) -> None:
    loaded(server, "specified")
    work = shipped(
        "orders-specified",
        "innodb",
        rows=ROWS,
        tables=WAREHOUSES,
        threads=1,
        events=5,
        options={"isolation": "read-committed"},
    )
    assert "SET SESSION TRANSACTION ISOLATION LEVEL read committed" in logged(server, work)[1]
    wrong = shipped("orders", "innodb", rows=ROWS, events=5, options={"isolation": "none; DROP"})
    refused = drive(server, wrong)
    assert refused.code != 0 and "no isolation level none; DROP" in refused.said


@pytest.mark.parametrize("engine", ["innodb", "rocksdb", "myisam", "aria"])
def test_an_engine_takes_the_isolation_levels_that_dyno_says(server: Server, engine: str) -> None:
    loaded(server, "specified", engine, rows=100)
    for level in ("read-uncommitted", "read-committed", "repeatable-read", "serializable"):
        work = {**SIZE, "rows": 100, "threads": 1, "events": 20, "options": {"isolation": level}}
        outcome = drive(server, shipped("orders-specified", engine, **work))
        is_taken = level in (KNOWN[engine].isolation_levels or [level])
        assert (outcome.code == 0) == is_taken, (level, outcome.said)
        assert is_taken or "errno = 4057" in outcome.said


@pytest.mark.full
@pytest.mark.parametrize("build", BUILDS_IN_FULL)
def test_orders_stay_consistent_on_every_build(build: Build, tmp_path: Path) -> None:
    for server, engine, threads in on_each_engine(build, tmp_path):
        for form in FORMS:
            loaded(server, form, engine, rows=500)
            for procedures in (False, True):
                options = {"procedures": procedures}
                size = {"rows": 500, "threads": threads, "events": 250}
                kinds = driven(server, form, engine, options=options, **size)
                assert sum(kind["events"] for kind in kinds.values()) == 250
            assert violated(server, LOAD) == []
