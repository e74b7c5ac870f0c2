"""Plan files and options: what is read, what is refused with its line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.errors import InputError
from app.planner.request.contender import ContenderRequest
from app.planner.request.plan_file import plan_file_text, plan_request_of_file, plan_request_of_text
from app.planner.request.request import PlanRequest
from tests.plans import MARIADB, THREE, plan

PLAN = f"""\
name = "first"
target = "nuc-i3"
sequence = "duel"
tables = 4
rows = "3x memory"
threads = [1, 2]

[[contender]]
build = "{MARIADB}"
engine = "innodb"

[[contender]]
build = "{MARIADB}"
engine = "ROCKSDB"
preset = "baseline"
name = "rocks"
"""


def refused(text: str) -> str:
    with pytest.raises(InputError) as caught:
        plan_request_of_text(text, "plan.toml")
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_names_that_only_begin_alike_are_not_the_same() -> None:
    steps = [f"{'a step with a rather long name, ' * 2}{number}" for number in (1, 2)]
    assert plan_request_of_text(PLAN.replace("tables = 4", f"steps = {steps}")).steps == tuple(steps)


def test_a_plan_file_is_read() -> None:
    found = plan_request_of_text(PLAN)
    assert (found.name, found.target, found.rows, found.threads) == ("first", "nuc-i3", "3x memory", (1, 2))
    assert found.seconds is None
    assert found.contenders == (
        ContenderRequest(MARIADB, "innodb"),
        ContenderRequest(MARIADB, "rocksdb", name="rocks"),
    )


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        (
            "tables = 4",
            "tabels = 4",
            "line 4: tabels is not known here (did you mean tables?); known are name",
        ),
        ("tables = 4", "tables = -1", "line 4: tables must be between 1 and 1,000, not -1"),
        ("tables = 4", "tables = 100000", "line 4: tables must be between"),
        ("tables = 4", "tables = 4.5", "line 4: tables must be a whole number, not 4.5"),
        ("tables = 4", "tables = true", "line 4: tables must be a whole number, not True"),
        ("tables = 4", "tables = nan", "line 4: tables must be a whole number, not nan"),
        ("tables = 4", "seconds = 86401", "line 4: seconds must be between 1 and 86,400"),
        ("tables = 4", "warmup = -1", "line 4: warmup must be between 0"),
        ("tables = 4", "repeats = 101", "line 4: repeats must be between 1 and 100"),
        ("tables = 4", "repeats = 9" + "9" * 5000, "line 4"),
        ("tables = 4", 'order = "x"', "line 4: order must be one of interleaved, slices, grouped, not 'x'"),
        ("tables = 4", 'transport = "tcp"', "line 4: transport must be one of socket, loopback"),
        ("tables = 4", 'start = "cold"', "line 4: start must be one of loaded, restarted, snapshot"),
        ("tables = 4", 'load_method = "magic"', "line 4: load_method must be one of ordered, parallel, bulk"),
        ("tables = 4", 'steps = "a"', "line 4: steps must be a list of which each is a text, not 'a'"),
        ("tables = 4", "steps = [1]", "line 4: steps must be a text, not 1"),
        ("tables = 4", 'load = "other"', "line 4: load must be a list"),
        ("tables = 4", 'name = "a\\u0000b"', "line 4"),
        (
            'rows = "3x memory"',
            'rows = "3x ram"',
            "line 5: rows must be a number such as 1000, 10k, 1M or 1e6, or like",
        ),
        (
            'rows = "3x memory"',
            'rows = "0xmemory"',
            "line 5: rows must be a number such as 1000, 10k, 1M or 1e6, or like",
        ),
        ('rows = "3x memory"', "rows = 0", "line 5: rows must be between 1 and 2,000,000,000"),
        ("threads = [1, 2]", "threads = [1, 5000]", "line 6: threads must be between 1 and 4,095, not 5000"),
        ("threads = [1, 2]", 'threads = "2..1"', "line 6: threads 2..1: a range goes up, such as 1-8"),
        ("threads = [1, 2]", "threads = []", "line 6: threads must not be empty"),
        ("threads = [1, 2]", "threads = [1, 2, 1]", "line 6: threads names 1 twice"),
        (
            'engine = "innodb"',
            'engin = "innodb"',
            "line 10: engin is not known here (did you mean engine?); known are build, engine",
        ),
        ('engine = "innodb"\n', "", "engine is missing"),
        ('name = "rocks"', 'name = "../x"', "line 16: name must be up to 60 letters"),
        ('name = "rocks"', 'cores = "all"', "line 16: cores must be like 0-3"),
        ('name = "rocks"', 'allocator = "mine"', "line 16: allocator must be system, jemalloc, tcmalloc or"),
        ('name = "rocks"', 'allocator = "/a:/b"', "line 16: allocator must be"),
        ('name = "rocks"', 'numa = "everywhere"', "line 16: numa must be like interleave=all"),
        ('name = "rocks"', 'numa = "all --physcpubind=0"', "line 16: numa must be like interleave=all"),
        (
            'name = "rocks"',
            'memory_limit = "0G"',
            "line 16: memory_limit must be a size such as 512MiB or 4G, not '0G'",
        ),
        ('name = "rocks"', "memory_limit = 4", "line 16: memory_limit must be a text, not 4"),
        (
            'name = "rocks"',
            'table_options = "Engine=MyISAM"',
            "line 16: table_options must not name an engine",
        ),
        ('name = "rocks"', 'table_options = "x; DROP TABLE t"', "line 16: table_options may hold"),
        (
            'engine = "innodb"\n',
            'engine = "innodb"\ntable_options = "COLUMN_FAMILY=x"\n',
            "table_options COLUMN_FAMILY is only for MyRocks",
        ),
        (
            'name = "first"',
            f'name = "{"n" * 61}"',
            "line 1: name must have at most 60 characters, not 61",
        ),
        ('name = "first"', 'name = "first', "line 1: name is no TOML"),
        ('name = "first"', 'name = "first"\nname = "b"', "is no TOML: Cannot overwrite a value"),
    ],
)
def test_a_plan_file_that_cannot_be_is_told_with_line_and_key(old: str, new: str, complaint: str) -> None:
    said = refused(PLAN.replace(old, new, 1))
    assert said.startswith("plan.toml: line ")
    assert complaint in said


def test_contenders_are_a_list_of_tables() -> None:
    assert "line 2: contender must be a list" in refused("\ncontender = 3")
    assert "line 1: contender must be a list" in refused('[contender]\nbuild = "a"')


def test_a_plan_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no\.toml: cannot be read: No such file"):
        plan_request_of_file(tmp_path / "no.toml")


def test_what_is_written_reads_the_same() -> None:
    found = plan_request_of_text(PLAN)
    assert plan_request_of_text(plan_file_text(found)) == found


_requests = st.builds(
    PlanRequest,
    name=st.text(alphabet="abc -_.", max_size=20),
    sequence=st.sampled_from(["", "duel"]),
    steps=st.lists(st.sampled_from(["load", "insert"]), unique=True).map(tuple),
    tables=st.none() | st.integers(1, 1000),
    rows=st.none() | st.integers(1, 10**9) | st.sampled_from(["3x memory", "0.5x memory"]),
    threads=st.none() | st.lists(st.integers(1, 4095), min_size=1, unique=True).map(tuple),
    warmup=st.none() | st.integers(0, 100),
    repeats=st.integers(1, 100),
    order=st.sampled_from(["grouped", "interleaved"]),
    contenders=st.lists(
        st.builds(ContenderRequest, st.just("b"), st.just("innodb"), cores=st.sampled_from(["", "0-3"]))
    ).map(tuple),
)


@given(_requests)
def test_any_request_survives_its_file(found: PlanRequest) -> None:
    assert plan_request_of_text(plan_file_text(found)) == found


def test_options_go_before_the_plan_file() -> None:
    found = plan_request_of_text(PLAN).with_options(tables=2, threads=[8], rows=None, allow_busy=True)
    assert (found.tables, found.threads, found.rows, found.allow_busy) == (2, (8,), "3x memory", True)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"tables": 0}, "--tables must be between 1 and 1,000, not 0"),
        ({"rows": "many"}, "--rows must be a number such as 1000, 10k, 1M or 1e6, or like"),
        ({"rows": 10**11}, "--rows must be between"),
        ({"threads": [0]}, "--threads must be between"),
        ({"threads": []}, "--threads must not be empty"),
        ({"load_method": "x"}, "--load-method must be one of ordered, parallel, bulk"),
        (
            {"contenders": (ContenderRequest("b", "innodb", cores="x"),)},
            "contender b:innodb:baseline: cores must be",
        ),
    ],
)
def test_options_that_cannot_be_are_told(options: dict[str, Any], complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        PlanRequest().with_options(**options)


@pytest.mark.parametrize("text", ["", "a:", ":b", "a:b:", "a:b:c:d", "::"])
def test_a_contender_is_written_with_colons(text: str) -> None:
    with pytest.raises(InputError, match="contender must be BUILD, BUILD:ENGINE or BUILD:ENGINE:PRESET"):
        ContenderRequest.from_text(text)


def test_a_build_alone_has_innodb_and_the_baseline() -> None:
    found = ContenderRequest.from_text("mysql-9.7")
    assert (found.build, found.engine, found.preset) == ("mysql-9.7", "innodb", "baseline")


def test_turns_are_interleaved_unless_a_plan_file_or_option_says_otherwise() -> None:
    assert plan_request_of_text(PLAN).order == PlanRequest().order == "interleaved"
    assert plan_request_of_text('order = "grouped"\n' + PLAN).order == "grouped"
    assert plan(*THREE[:2], repeats=2).order == "interleaved"
