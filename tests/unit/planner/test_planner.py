"""A request becomes a plan: contenders, turns, ids, hashes; nothing is left open."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.catalog import Catalog
from app.core.errors import InputError
from app.planner.request.contender import ContenderRequest
from app.planner.request.plan_file import plan_request_of_text
from app.planner.resolve.contenders import short_names
from app.planner.resolve.resolve import resolve
from app.protocol.plan import Plan
from tests.plans import GB, MARIADB, THREE, contenders, plan, request, survey, unresolved, write
from tests.sequences import keep_own


def test_a_plan_leaves_nothing_open() -> None:
    found = plan(*THREE[:2], tables=3, rows=1000, seconds=7, warmup=2, threads=[1, 2])
    assert (found.target, found.sequence, found.name) == ("local", "duel", "duel")
    assert (found.tables, found.rows, found.seconds, found.warmup) == (3, 1000, 7, 2)
    assert [each.name for each in found.contenders] == [f"{MARIADB}-innodb", f"{MARIADB}-rocksdb"]
    assert found.contenders[0].cnf.startswith("[mysqld]\n")
    assert found.contenders[0].fingerprint == f"hash of {MARIADB}"
    driven = [step for step in found.steps if step.kind == "drive"]
    assert {(step.seconds, step.warmup) for step in driven} == {(7, 2), (4, 2)}  # half of it: writes
    assert all(step.lua and f"workloads/{step.lua}" in found.files for step in driven)
    assert Plan.from_json(json.loads(json.dumps(found.to_json()))) == found


def test_a_plan_carries_every_file_it_is_made_of() -> None:
    found = plan(*THREE[:2])
    assert {
        "sequences/duel.toml", "presets/innodb/baseline.cnf", "presets/rocksdb/baseline.cnf",
        "workloads/dyno.lua", "workloads/load.toml", "workloads/load.lua", "workloads/transaction.lua",
    } <= set(found.files)  # fmt: skip
    assert "presets/myisam/baseline.cnf" not in found.files
    assert found.files["presets/innodb/baseline.cnf"] == Catalog().preset("innodb", "baseline").text


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


@pytest.mark.parametrize(
    ("texts", "complaint"),
    [
        (
            ("nothing:innodb",),
            f"there is no build nothing on this target; there are {MARIADB}, mysql-5.6",
        ),
        (("mysql-8.0.40:innodb",), "the build mysql-8.0.40 cannot start: libaio.so.1 is missing"),
        (("mysql-5.6.24:rocksdb",), "lacks the engine rocksdb; it has innodb, myisam"),
        (("mysql-5.6.24:innodb:fast",), "no preset fast for innodb: choose one of baseline, c8r32"),
        (("mysql-5.6.24:aria",), "lacks the engine aria"),
    ],
)
def test_a_contender_that_cannot_be_is_told_with_what_there_is(texts: tuple[str], complaint: str) -> None:
    assert complaint in unresolved(*texts)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"sequence": "nothing"}, "no sequence nothing: choose one of accounts, backup-beside-load, "),
        ({"sequence": ""}, "choose a sequence: accounts, backup-beside-load, "),
        (
            {"steps": ["lod"]},
            "the sequence duel has no step lod (did you mean load?); choose one of load",
        ),
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
        (contenders(*THREE), [f"{MARIADB}-innodb", f"{MARIADB}-rocksdb", f"{MARIADB}-myisam"]),
        (contenders("a:innodb:x", "a:innodb:y"), ["a-innodb-x", "a-innodb-y"]),
        (contenders("a:innodb", "b:innodb"), ["a-innodb", "b-innodb"]),
        (
            contenders("a:innodb:x", "a:innodb:y", "b:innodb:x"),
            ["a-innodb-x", "a-innodb-y", "b-innodb-x"],
        ),
        (
            (ContenderRequest("a", "innodb"), ContenderRequest("a", "innodb", cores="0")),
            ["a-innodb-baseline", "a-innodb-baseline-2"],
        ),
        (
            tuple(
                ContenderRequest("a", "innodb", allocator=each) for each in ("", "jemalloc", "/x/liba.so.1")
            ),
            ["a-innodb-system", "a-innodb-jemalloc", "a-innodb-liba"],
        ),
        (
            (ContenderRequest("a", "innodb", name="rocksdb"), ContenderRequest("a", "rocksdb")),
            ["rocksdb", "a-rocksdb"],
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
            st.sampled_from(["baseline", "2"]),
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
    assert plan_request_of_text('threads = "1..8 x2"\ncores = "1-2"\n').threads == (1, 2, 4, 8)


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
    assert "own.cnf: line 2: Dyno sets port itself" in unresolved("mysql-5.6.24:innodb:own")


def test_a_survey_without_memory_is_told() -> None:
    with pytest.raises(InputError, match="memory of the target is unknown"):
        resolve(request(), survey(memory_bytes=None), Catalog())


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
    two = plan(f"{MARIADB}:innodb", "mysql-5.6.24:innodb").turns
    assert [each.name for each in two] == [f"duel-{MARIADB}-innodb", "duel-mysql-5.6.24-innodb"]
