from __future__ import annotations

import json
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.catalog import Catalog, UnapprovedError, approve, approved_hashes
from app.core.errors import InputError
from app.core.settings import Settings, keep_settings
from app.engines.server import redo_bytes
from app.planner import ContenderRequest, PlanRequest, estimate, resolve
from app.planner.contenders import short_names
from app.planner.estimate import step_guesses
from app.planner.resolve import machine_key
from app.planner.sizes import bytes_per_row, cache_bytes, writes_binary_log
from app.presets import option_values
from app.protocol.plan import Plan, Step
from tests.plans import GB, MARIADB, contenders, plan, request, survey, write
from tests.sequences import keep_own

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
preset = "default"
name = "rocks"
"""
THREE = (f"{MARIADB}:innodb", f"{MARIADB}:rocksdb", f"{MARIADB}:myisam")


def refused(text: str) -> str:
    with pytest.raises(InputError) as caught:
        PlanRequest.from_toml(text, "plan.toml")
    assert "\n" not in str(caught.value)
    return str(caught.value)


def unresolved(*texts: str, **options: Any) -> str:
    with pytest.raises(InputError) as caught:
        plan(*texts, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def labels(steps: list[Step]) -> list[str]:
    return [step.label for step in steps]


# plan files


def test_names_that_only_begin_alike_are_not_the_same() -> None:
    steps = [f"{'a step with a rather long name, ' * 2}{number}" for number in (1, 2)]
    assert PlanRequest.from_toml(PLAN.replace("tables = 4", f"steps = {steps}")).steps == tuple(steps)


def test_a_plan_file_is_read() -> None:
    found = PlanRequest.from_toml(PLAN)
    assert (found.name, found.target, found.rows, found.threads) == ("first", "nuc-i3", "3x memory", (1, 2))
    assert found.seconds is None
    assert found.contenders == (
        ContenderRequest(MARIADB, "innodb"),
        ContenderRequest(MARIADB, "rocksdb", name="rocks"),
    )


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("tables = 4", "tabels = 4", "line 4: tabels is not known here; known are name, target, sequence"),
        ("tables = 4", "tables = -1", "line 4: tables must lie between 1 and 1,000, not -1"),
        ("tables = 4", "tables = 100000", "line 4: tables must lie between"),
        ("tables = 4", "tables = 4.5", "line 4: tables must be a whole number, not 4.5"),
        ("tables = 4", "tables = true", "line 4: tables must be a whole number, not True"),
        ("tables = 4", "tables = nan", "line 4: tables must be a whole number, not nan"),
        ("tables = 4", "seconds = 86401", "line 4: seconds must lie between 1 and 86,400"),
        ("tables = 4", "warmup = -1", "line 4: warmup must lie between 0"),
        ("tables = 4", "repeats = 101", "line 4: repeats must lie between 1 and 100"),
        ("tables = 4", "repeats = 9" + "9" * 5000, "line 4"),
        ("tables = 4", 'order = "x"', "line 4: order must be one of interleaved, slices, grouped, not 'x'"),
        ("tables = 4", 'transport = "tcp"', "line 4: transport must be one of socket, loopback"),
        ("tables = 4", 'start = "cold"', "line 4: start must be one of loaded, restarted, snapshot"),
        ("tables = 4", 'load_method = "magic"', "line 4: load_method must be one of ordered, parallel, bulk"),
        ("tables = 4", 'steps = "a"', "line 4: steps must be a list of which each is a text, not 'a'"),
        ("tables = 4", "steps = [1]", "line 4: steps must be a text, not 1"),
        ("tables = 4", 'load = "other"', "line 4: load is reserved for load from other machines"),
        ("tables = 4", 'name = "a\\u0000b"', "line 4"),
        ('rows = "3x memory"', 'rows = "3x ram"', "line 5: rows must be a whole number or like"),
        ('rows = "3x memory"', 'rows = "0xmemory"', "line 5: rows must be a whole number or like"),
        ('rows = "3x memory"', "rows = 0", "line 5: rows must lie between 1 and 2,000,000,000"),
        ("threads = [1, 2]", "threads = [1, 5000]", "line 6: threads must lie between 1 and 4,095, not 5000"),
        ("threads = [1, 2]", 'threads = "2..1"', "line 6: threads 2..1: a range goes up, such as 1-8"),
        ("threads = [1, 2]", "threads = []", "line 6: threads must not be empty"),
        ("threads = [1, 2]", "threads = [1, 2, 1]", "line 6: threads names 1 twice"),
        (
            'engine = "innodb"',
            'engin = "innodb"',
            "line 10: engin is not known here; known are build, engine",
        ),
        ('engine = "innodb"\n', "", "engine is missing"),
        ('name = "rocks"', 'name = "../x"', "line 16: name must be up to 60 letters"),
        ('name = "rocks"', 'cores = "all"', "line 16: cores must be like 0-3"),
        ('name = "rocks"', 'allocator = "mine"', "line 16: allocator must be system, jemalloc, tcmalloc or"),
        ('name = "rocks"', 'allocator = "/a:/b"', "line 16: allocator must be"),
        ('name = "rocks"', 'numa = "everywhere"', "line 16: numa must be like interleave=all"),
        ('name = "rocks"', 'numa = "all --physcpubind=0"', "line 16: numa must be like interleave=all"),
        ('name = "rocks"', 'memory_limit = "0G"', "line 16: memory_limit must be like 512M or 4G, not '0G'"),
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
        PlanRequest.from_file(tmp_path / "no.toml")


def test_what_is_written_reads_the_same() -> None:
    found = PlanRequest.from_toml(PLAN)
    assert PlanRequest.from_toml(found.to_toml()) == found


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
    assert PlanRequest.from_toml(found.to_toml()) == found


def test_options_go_before_the_plan_file() -> None:
    found = PlanRequest.from_toml(PLAN).with_options(tables=2, threads=[8], rows=None, allow_busy=True)
    assert (found.tables, found.threads, found.rows, found.allow_busy) == (2, (8,), "3x memory", True)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"tables": 0}, "--tables must lie between 1 and 1,000, not 0"),
        ({"rows": "many"}, "--rows must be a whole number or like"),
        ({"rows": 10**11}, "--rows must lie between"),
        ({"threads": [0]}, "--threads must lie between"),
        ({"threads": []}, "--threads must not be empty"),
        ({"load_method": "x"}, "--load-method must be one of ordered, parallel, bulk"),
        ({"contenders": (ContenderRequest("b", "innodb", cores="x"),)}, "contender b:innodb: cores must be"),
    ],
)
def test_options_that_cannot_be_are_told(options: dict[str, Any], complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        PlanRequest().with_options(**options)


@pytest.mark.parametrize("text", ["", "a", "a:", ":b", "a:b:", "a:b:c:d", "::"])
def test_a_contender_is_written_with_colons(text: str) -> None:
    with pytest.raises(InputError, match="contender must be BUILD:ENGINE:PRESET"):
        ContenderRequest.from_text(text)


# the plan


def test_a_plan_leaves_nothing_open() -> None:
    found = plan(*THREE[:2], tables=3, rows=1000, seconds=7, warmup=2, threads=[1, 2])
    assert (found.target, found.sequence, found.name) == ("local", "duel", "duel")
    assert (found.tables, found.rows, found.seconds, found.warmup) == (3, 1000, 7, 2)
    assert [each.name for each in found.contenders] == ["innodb", "rocksdb"]
    assert found.contenders[0].cnf.startswith("[mysqld]\n")
    assert found.contenders[0].fingerprint == f"hash of {MARIADB}"
    driven = [step for step in found.steps if step.kind == "drive"]
    assert {(step.seconds, step.warmup) for step in driven} == {(7, 2)}
    assert all(step.lua and f"workloads/{step.lua}" in found.files for step in driven)
    assert Plan.from_json(json.loads(json.dumps(found.to_json()))) == found


def test_a_plan_carries_every_file_it_is_made_of() -> None:
    found = plan(*THREE[:2])
    assert {
        "sequences/duel.toml", "presets/innodb/default.cnf", "presets/rocksdb/default.cnf",
        "workloads/dyno.lua", "workloads/load.toml", "workloads/load.lua", "workloads/transaction.lua",
    } <= set(found.files)  # fmt: skip
    assert "presets/myisam/default.cnf" not in found.files
    assert found.files["presets/innodb/default.cnf"] == Catalog().preset("innodb", "default").text


def test_the_same_plan_has_the_same_hash_and_other_ids() -> None:
    first, second = plan(), plan()
    assert first.hash == second.hash
    assert first.id != second.id
    assert first.turns[0].session != second.turns[0].session


def test_the_sequence_fills_what_the_request_leaves_open() -> None:
    found = plan()
    duel = Catalog().sequence("duel")
    assert (found.tables, found.rows, found.seconds) == (duel.tables, duel.rows, duel.seconds)
    assert tuple(found.threads) == duel.threads


def test_the_planner_fills_what_nobody_says(dyno_home: Path) -> None:
    found = plan(sequence=keep_own(dyno_home, 'workload = "point-query"'))
    assert (found.tables, found.rows, found.seconds, found.warmup) == (4, 1_000_000, 60, 5)
    assert found.threads == [1]


def test_warmup_may_be_none_at_all() -> None:
    assert {step.warmup for step in plan(warmup=0).steps} == {0}


# contenders


@pytest.mark.parametrize(
    ("texts", "complaint"),
    [
        (
            ("nothing:innodb",),
            f"there is no build nothing on this target; there are {MARIADB}, mysql-5.6",
        ),
        (("mysql-8.0.40:innodb",), "the build mysql-8.0.40 cannot start: libaio.so.1 is missing"),
        (("mysql-5.6.24:rocksdb",), "lacks the engine rocksdb; it has innodb, myisam"),
        (("mysql-5.6.24:innodb:fast",), "there is no preset fast for innodb; there are c8r32, default"),
        (("mysql-5.6.24:aria",), "lacks the engine aria"),
    ],
)
def test_a_contender_that_cannot_be_is_told_with_what_there_is(texts: tuple[str], complaint: str) -> None:
    assert complaint in unresolved(*texts)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"sequence": "nothing"}, "there is no sequence nothing; there are calibration, concurrency, "),
        ({"sequence": ""}, "choose a sequence: calibration, concurrency, "),
        ({"steps": ["lod"]}, "the sequence duel has no step lod; choose one of load, index"),
        ({"contenders": ()}, "choose a contender"),
        ({"contenders": contenders("mysql-5.6.24:innodb") * 65}, "a plan has at most 64 contenders, not 65"),
    ],
)
def test_a_plan_that_cannot_be_is_told_with_what_there_is(options: dict[str, Any], complaint: str) -> None:
    assert complaint in unresolved(**options)


def test_engines_are_named_in_any_case() -> None:
    assert plan("mysql-9.7.4:InnoDB").contenders[0].engine == "innodb"


@pytest.mark.parametrize(
    ("requests", "names"),
    [
        (contenders(*THREE), ["innodb", "rocksdb", "myisam"]),
        (contenders("a:innodb:x", "a:innodb:y"), ["innodb-x", "innodb-y"]),
        (contenders("a:innodb", "b:innodb"), ["a-innodb", "b-innodb"]),
        (
            contenders("a:innodb:x", "a:innodb:y", "b:innodb:x"),
            ["a-innodb-x", "a-innodb-y", "b-innodb-x"],
        ),
        (
            (ContenderRequest("a", "innodb"), ContenderRequest("a", "innodb", cores="0")),
            ["a-innodb-default", "a-innodb-default-2"],
        ),
        (
            tuple(
                ContenderRequest("a", "innodb", allocator=each) for each in ("", "jemalloc", "/x/liba.so.1")
            ),
            ["innodb-system", "innodb-jemalloc", "innodb-liba"],
        ),
        (
            (ContenderRequest("a", "innodb", name="rocksdb"), ContenderRequest("a", "rocksdb")),
            ["rocksdb", "rocksdb-default"],
        ),
    ],
)
def test_names_are_as_short_as_tells_them_apart(
    requests: tuple[ContenderRequest, ...], names: list[str]
) -> None:
    assert short_names(requests) == names


def test_no_two_contenders_are_given_one_name() -> None:
    twice = [ContenderRequest("a", "innodb", name="x"), ContenderRequest("b", "innodb", name="x")]
    with pytest.raises(InputError, match="two contenders are called x"):
        short_names(twice)


@given(
    st.lists(
        st.builds(
            ContenderRequest,
            st.sampled_from(["a", "a-innodb"]),
            st.sampled_from(["innodb", "rocksdb"]),
            st.sampled_from(["default", "2"]),
            st.just(""),
        ),
        min_size=1,
        max_size=8,
    )
)
def test_names_are_unique(requests: list[ContenderRequest]) -> None:
    names = short_names(requests)
    assert len(set(names)) == len(requests)


def test_a_plan_file_may_list_a_range() -> None:
    assert PlanRequest.from_toml('threads = "1..8 x2"\ncores = "1-2"\n').threads == (1, 2, 4, 8)


def test_cores_are_kept_as_a_list_that_taskset_takes(dyno_home: Path) -> None:
    for written, kept in (("0,1", "0,1"), ("0-2:2", "0,2"), ("0 - 1, 3", "0-1,3")):
        found = resolve(
            request(contenders=(ContenderRequest(MARIADB, "innodb", cores=written),)), survey(), Catalog()
        )
        assert found.contenders[0].cores == kept


def test_shares_are_of_the_cores_a_contender_has(dyno_home: Path) -> None:
    write(dyno_home / "presets/innodb/own.cnf", "[mysqld]\ninnodb_read_io_threads={cores}\n")
    for cores, count in (("", 4), ("0-1", 2), ("0,2-3", 3)):
        one = ContenderRequest("mysql-5.6.24", "innodb", "own", cores=cores)
        assert f"innodb_read_io_threads={count}\n" in plan(contenders=(one,)).contenders[0].cnf
    beyond = ContenderRequest("mysql-5.6.24", "innodb", cores="0-4")
    assert "cores 0-4: the target has 0-3" in unresolved(contenders=(beyond,))


def test_shares_are_of_the_memory_a_contender_has(dyno_home: Path) -> None:
    write(dyno_home / "presets/innodb/own.cnf", "[mysqld]\ninnodb_buffer_pool_size={ram*0.5}\n")
    for limit, size in (("", 8 * GB), ("4G", 2 * GB), ("1024m", GB // 2), ("1T", 8 * GB)):
        one = ContenderRequest("mysql-5.6.24", "innodb", "own", memory_limit=limit)
        assert f"innodb_buffer_pool_size={size}\n" in plan(contenders=(one,)).contenders[0].cnf


def test_a_preset_with_a_forbidden_option_is_refused(dyno_home: Path) -> None:
    write(dyno_home / "presets/innodb/own.cnf", "[mysqld]\nport=3306\n")
    assert "own.cnf: line 2: port is Dyno's" in unresolved("mysql-5.6.24:innodb:own")


def test_a_survey_without_memory_is_told() -> None:
    with pytest.raises(InputError, match="memory of the target is unknown"):
        resolve(request(), survey(memory_bytes=None), Catalog())


# turns


def test_turns_are_grouped_or_interleaved() -> None:
    orders = {
        order: [(turn.contender, turn.repeat) for turn in plan(*THREE[:2], repeats=2, order=order).turns]
        for order in ("grouped", "interleaved")
    }
    assert orders["grouped"] == [(0, 1), (0, 2), (1, 1), (1, 2)]
    assert orders["interleaved"] == [(0, 1), (1, 1), (1, 2), (0, 2)]


def test_every_second_round_goes_backwards() -> None:
    turns = plan(*THREE, repeats=3, order="interleaved").turns
    assert "".join("ABC"[turn.contender] for turn in turns) == "ABCCBAABC"
    assert [turn.repeat for turn in turns] == [1, 1, 1, 2, 2, 2, 3, 3, 3]


def test_turns_are_interleaved_unless_a_plan_file_or_option_says_otherwise() -> None:
    assert PlanRequest.from_toml(PLAN).order == PlanRequest().order == "interleaved"
    assert PlanRequest.from_toml('order = "grouped"\n' + PLAN).order == "grouped"
    assert plan(*THREE[:2], repeats=2).order == "interleaved"


def test_turns_have_ids_names_and_places() -> None:
    turns = plan(*THREE[:2], repeats=2, name="mine").turns
    assert [turn.ordinal for turn in turns] == [1, 2, 3, 4]
    assert [turn.name for turn in turns] == [
        "mine-innodb-1",
        "mine-rocksdb-1",
        "mine-rocksdb-2",
        "mine-innodb-2",
    ]
    assert len({turn.session for turn in turns}) == 4
    assert [turn.session for turn in turns] == sorted(turn.session for turn in turns)
    assert plan().turns[0].name == "duel-innodb"


# steps


def test_what_is_repeated_if_disturbed_has_its_further_attempts_in_the_plan() -> None:
    both = (f"{MARIADB}:innodb", f"{MARIADB}:rocksdb")
    usual, repeating = plan(*both, repeats=2), plan(*both, repeats=2, repeat_if_disturbed=True)
    assert len(usual.turns) == len(repeating.first_turns) == 4 and len(repeating.turns) == 12
    names = [turn.name for turn in usual.turns]
    assert [turn.name for turn in repeating.first_turns] == names
    assert [turn.name for turn in repeating.turns[:3]] == [
        names[0], f"{names[0]}-attempt-2", f"{names[0]}-attempt-3",
    ]  # fmt: skip
    assert [turn.ordinal for turn in repeating.turns] == [1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4]
    assert len({turn.session for turn in repeating.turns}) == 12
    assert repeating.hash != usual.hash and repeating.work_key == usual.work_key


def test_each_step_loops_over_all_threads_before_the_next() -> None:
    found = labels(plan(threads=[1, 2], steps=["point-query", "insert"]).steps)
    assert found == [
        "load", "index", "settle.index", "point-query threads=1", "point-query threads=2",
        "insert threads=1", "insert threads=2",
    ]  # fmt: skip


def test_load_and_index_are_always_there_with_a_thread_a_table() -> None:
    for tables, threads in ((1, 1), (3, 3), (100, 4)):
        steps = plan(tables=tables, steps=["point-query"]).steps
        assert [(step.kind, step.threads) for step in steps[:2]] == [("load", threads), ("index", threads)]
        assert all(not (step.seconds or step.events or step.warmup) for step in steps[:2])


def test_a_step_fixes_what_it_says_and_the_plan_fills_the_rest(dyno_home: Path) -> None:
    own = keep_own(
        dyno_home,
        'name = "warm"\nworkload = "point-query"\nwarm = true\nthreads = 8\nseconds = 3\nwarmup = 0',
        'name = "r"\nworkload = "read-only"\noptions = {range_size = 7}',
        'name = "e"\nworkload = "point-query"\nevents = 500',
    )
    warm, ranged, bounded = plan(sequence=own, threads=[2], seconds=9, warmup=1).steps[2:]
    assert (warm.warm, warm.threads, warm.seconds, warm.warmup) == (True, 8, 3, 0)
    assert (ranged.options["range_size"], ranged.options["point_selects"]) == (7, 10)
    assert (ranged.seconds, ranged.warmup, ranged.threads) == (9, 1, 2)
    assert (bounded.events, bounded.seconds, bounded.warmup) == (500, 0, 0)


def test_settling_stands_where_the_sequence_asks_for_it(dyno_home: Path) -> None:
    own = keep_own(
        dyno_home,
        'name = "a"\nworkload = "update-index"\nsettle_before = true\nsettle_after = true',
        'name = "b"\nworkload = "point-query"\nsettle_before = true',
        'name = "c"\nkind = "settle"\ncap_s = 5',
        'name = "d"\nkind = "restart"',
    )
    found = plan(sequence=own, threads=[1, 2]).steps
    assert labels(found)[2:] == [
        "settle.before-a", "a threads=1", "a threads=2", "settle.a", "b threads=1", "b threads=2", "c", "d",
    ]  # fmt: skip
    assert found[-2].cap_s == 5
    assert {step.unit for step in found if step.kind in ("settle", "restart")} == {"s"}


@pytest.mark.parametrize(("rows", "cap"), [(1000, 60), (20_000_000, 140), (2_000_000_000, 1200)])
def test_settling_has_a_cap_that_grows_with_the_rows(rows: int, cap: int) -> None:
    found = next(step for step in plan(tables=4, rows=rows).steps if step.kind == "settle")
    assert found.cap_s == cap


def test_a_restarted_start_is_a_step_after_load_and_settle() -> None:
    assert labels(plan(start="restarted").steps)[:4] == ["load", "index", "settle.index", "restart"]
    assert "restart" not in labels(plan().steps)


def test_a_start_from_a_snapshot_spares_what_is_before_its_step() -> None:
    made = plan(start="snapshot")
    assert labels(made.steps)[:4] == ["load", "index", "settle.index", "snapshot"]
    assert (made.snapshot_at, made.steps[3].kind) == (3, "restart")
    assert plan(start="restarted").snapshot_at == plan().snapshot_at == -1


def test_ways_to_start_are_different_work() -> None:
    """So sessions from a snapshot are never told as repeats of those from a load."""
    keys = {plan(start=start).work_key for start in ("loaded", "restarted", "snapshot")}
    assert len(keys) == 3


def analysed(made: Plan) -> list[str]:
    return [step.label for step in made.steps if step.analyse]


def test_tables_are_analysed_once_they_are_loaded_and_indexed() -> None:
    assert analysed(plan()) == ["index"]  # not before the index is built, nor after the last step
    assert analysed(plan(start="restarted")) == ["index"]
    assert analysed(plan(start="snapshot")) == ["index", "snapshot"]
    assert analysed(plan(steps=["load"])) == []


def test_tables_are_analysed_behind_steps_that_change_the_number_of_rows(dyno_home: Path) -> None:
    steps = ('workload = "insert"', 'workload = "read-write"', 'workload = "delete-only"\nevents = 5')
    made = plan(sequence=keep_own(dyno_home, *steps, 'workload = "update-index"'), threads=[1, 2])
    assert analysed(made) == [
        "index", "insert threads=1", "insert threads=2", "delete-only threads=1", "delete-only threads=2",
    ]  # fmt: skip
    assert analysed(plan(sequence="space", rows=1000)) == []  # it fills its table, and nothing else


def test_errors_that_count_are_those_of_workload_and_engine() -> None:
    step = next(step for step in plan().steps if step.name == "read-write")
    assert step.ignored_by("innodb") == [1020, 1205, 1213]
    assert step.ignored_by("myisam") == [1020, 1062, 1205, 1213]


def test_inserts_that_are_read_later_are_bounded_by_events(dyno_home: Path) -> None:
    """Else each contender would leave another number of rows to the steps behind."""
    own = keep_own(dyno_home, 'workload = "insert"', 'workload = "point-query"')
    inserts = [step for step in plan(sequence=own, tables=2, rows=5000, threads=[1, 2]).steps if step.writes][
        2:
    ]
    assert [(step.events, step.seconds) for step in inserts] == [(500, 0), (500, 0)]
    last = plan().steps[-1]
    assert (last.name, last.events) == ("insert", 0)
    assert last.seconds


def test_inserts_that_are_read_later_may_not_be_bounded_by_seconds(dyno_home: Path) -> None:
    own = keep_own(dyno_home, 'workload = "insert"\nseconds = 9', 'workload = "point-query"')
    assert "bound it by events" in unresolved(sequence=own)
    assert plan(sequence=own, steps=["insert"]).steps[-1].seconds == 9


@pytest.mark.parametrize(
    ("step", "complaint"),
    [
        ('workload = "nothing"', "there is no workload nothing; there are"),
        ('workload = "read-only"\noptions = {range = 3}', "read-only has no option range; it has rand_type"),
        (
            'workload = "read-only"\noptions = {range_size = "x"}',
            "option range_size of read-only must be of type",
        ),
        (
            'workload = "read-only"\noptions = {skip_trx = 1}',
            "option skip_trx of read-only must be of type bool",
        ),
    ],
)
def test_a_step_that_cannot_be_is_told(dyno_home: Path, step: str, complaint: str) -> None:
    assert complaint in unresolved(sequence=keep_own(dyno_home, step))


def test_what_a_workload_needs_must_come_before_it(dyno_home: Path) -> None:
    write(
        dyno_home / "sequences/own.toml",
        'name = "own"\ntitle = "x"\n[[step]]\nworkload = "load"\n[[step]]\nworkload = "update-index"\n',
    )
    assert "step update-index needs a step of kind index before it" in unresolved(sequence="own")


def test_own_lua_is_sent_only_when_approved(dyno_home: Path) -> None:
    write(dyno_home / "workloads/mine.toml", 'name = "mine"\ntitle = "x"\nkind = "drive"\nlua = "mine.lua"\n')
    write(dyno_home / "workloads/mine.lua", 'require("dyno")')
    own = keep_own(dyno_home, 'workload = "mine"')
    with pytest.raises(UnapprovedError) as caught:
        plan(sequence=own)
    approve(caught.value.sha256, "mine")
    found = resolve(request(sequence=own), survey(), Catalog(), approved_hashes())
    assert found.files["workloads/mine.lua"] == 'require("dyno")'


def test_two_files_of_one_name_are_not_mixed_up(dyno_home: Path) -> None:
    write(dyno_home / "workloads/mine.toml", 'name = "mine"\ntitle = "x"\nkind = "drive"\nlua = "dyno.lua"\n')
    write(dyno_home / "workloads/dyno.lua", "-- another")
    own = keep_own(dyno_home, 'workload = "mine"')
    with pytest.raises(UnapprovedError) as caught:
        plan(sequence=own)
    with pytest.raises(InputError, match=r"workloads/dyno\.lua exists twice"):
        resolve(request(sequence=own), survey(), Catalog(), [caught.value.sha256])


# sizes


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
    assert "--rows must be a whole number or like" in unresolved(rows="0x memory", tables=1)


def test_a_share_means_nothing_to_an_engine_that_stores_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_module("app.planner.resolve"), "bytes_per_row", lambda *_: 0.0)
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


# estimate


def test_declared_seconds_are_exact() -> None:
    found = plan(*THREE[:2], seconds=10, warmup=2, threads=[1, 2], repeats=3, pause=4)
    driven = sum(1 for step in found.steps if step.kind == "drive")
    guess = estimate(found, survey())
    assert guess.declared_s == (driven * 12 + 4) * 2 * 3
    assert guess.seconds == guess.declared_s + guess.guessed_s
    assert 0 < guess.guessed_s < 200
    assert str(guess.declared_s) in guess.seconds_text


def test_analysing_takes_time_that_grows_with_the_indexes_an_engine_reads() -> None:
    made = plan(f"{MARIADB}:innodb", f"{MARIADB}:myisam", tables=2, rows=60_000_000)
    silent = replace(made, steps=[replace(step, analyse=False) for step in made.steps])
    taken = [sum(step_guesses(made, each)) - sum(step_guesses(silent, each)) for each in made.contenders]
    assert taken == [pytest.approx(0.1), pytest.approx(20.1)]
    assert estimate(made, survey()).guessed_s == pytest.approx(estimate(silent, survey()).guessed_s + 20.2)


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
    assert [each.contender for each in found] == ["innodb", "rocksdb", "myisam"]
    assert all(each.data_bytes < each.cache_bytes < each.memory_bytes == 16 * GB for each in found)


# until decided


UNTIL = {"repeats": "until decided", "contenders": contenders(f"{MARIADB}:innodb", f"{MARIADB}:rocksdb")}


def test_until_decided_is_three_to_eight_rounds() -> None:
    found = plan(**UNTIL, time_limit=900)
    assert (found.repeats, found.until_decided, found.time_limit, len(found.turns)) == (8, True, 900, 16)
    assert Plan.from_json(found.to_json()) == found
    took = estimate(found, survey())
    assert took.fewest_s == pytest.approx(took.seconds * 3 / 8)
    assert took.time_text.count(" to ") == 1


def test_a_time_limit_bounds_what_a_plan_takes() -> None:
    whole = estimate(plan(**UNTIL), survey())
    rounds = whole.seconds / 8
    five = estimate(plan(**UNTIL, time_limit=int(rounds * 5)), survey())
    assert (five.longest_s, five.fewest_s) == (int(rounds * 5), whole.fewest_s)
    assert five.seconds_text == f"all rounds: {whole.seconds_text}"
    short = estimate(plan(**UNTIL, time_limit=int(rounds * 2)), survey())
    assert short.longest_s == int(rounds * 2) and " to " not in short.time_text
    least = estimate(plan(**UNTIL, time_limit=1), survey())
    assert least.longest_s == pytest.approx(rounds)  # the first one is always carried out
    long = estimate(plan(**UNTIL, time_limit=86_400), survey())
    assert (long.longest_s, long.time_text) == (whole.longest_s, whole.time_text)


def test_it_carries_the_limits_that_are_set_where_it_says_no_other(dyno_home: Path) -> None:
    assert (plan(**UNTIL).matters_pct, plan(**UNTIL).false_share_pct) == (2.0, 5.0)
    keep_settings(Settings(matters_pct=3.0, false_share_pct=1.0), dyno_home)
    own = plan(**UNTIL, matters_pct=4)
    assert (own.matters_pct, own.false_share_pct) == (4, 1.0) and Plan.from_json(own.to_json()) == own
    assert own.work_key == plan(**UNTIL).work_key and own.hash != plan(**UNTIL).hash
    fixed = plan(**{**UNTIL, "repeats": 8})
    assert (fixed.matters_pct, fixed.false_share_pct) == (2.0, 5.0)  # which nobody reads


def test_nothing_is_decided_of_one_contender() -> None:
    found = plan(repeats="until decided")
    assert (found.repeats, found.until_decided, found.time_limit) == (3, False, 0)
    assert " to " not in estimate(found, survey()).time_text


def test_plans_of_a_fixed_number_have_the_keys_and_hashes_they_had() -> None:
    found = plan(repeats=2, contenders=UNTIL["contenders"])
    assert replace(found, until_decided=True).hash != found.hash
    assert replace(found, until_decided=True).work_key == found.work_key


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"repeats": "for ever"}, "must be a whole number or \"until decided\", not 'for ever'"),
        ({"repeats": 101}, "must lie between 1 and 100"),
        ({**UNTIL, "order": "grouped"}, "which the order grouped lacks"),
        ({"repeats": 5, "matters_pct": 3}, "matters and false share need repeats"),
        ({**UNTIL, "false_share_pct": 51}, "--false-share must lie between 0 and 50"),
        ({"repeats": 5, "time_limit": 60}, 'a time limit needs repeats "until decided"'),
    ],
)
def test_repeats_that_cannot_be(options: dict[str, Any], complaint: str) -> None:
    with pytest.raises(InputError) as caught:
        plan(**options)
    assert complaint in str(caught.value)
