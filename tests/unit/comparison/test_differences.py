"""What sessions do not have in common: by group, without what is never the same twice."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.comparison.differences.differences import (
    GROUPS,
    DifferenceEntry,
    differences,
    differing_steps,
    grouped_session_differences,
    is_of_the_builds,
    text,
    work_differences,
)
from app.history.recorded.writing import JournalStorer
from app.history.store.history import History
from app.protocol.events import Fact
from app.protocol.plan import COUNT, Plan, step_label
from tests import journals
from tests.plans import write

INNODB, ROCKSDB = journals.contender("innodb"), journals.contender("rocksdb")


def keep(history: History, plan: Plan, *facts: dict[str, Any]) -> list[str]:
    """The sessions of a plan with these facts, one of each."""
    for at, turn in enumerate(plan.turns):
        maker = journals.Maker(plan, turn.session).begin()
        for name, value in (facts[at] if at < len(facts) else {}).items():
            maker.add(Fact, name=name, value=value)
        JournalStorer(history).append(plan.id, turn.session, 0, maker.end().raw)
    return [turn.session for turn in plan.turns]


def found(tmp_path: Path, plan: Plan, *facts: dict[str, Any]) -> list[DifferenceEntry]:
    with History(tmp_path) as history:
        return differences(history, keep(history, plan, *facts))


def rows(entries: list[DifferenceEntry]) -> dict[tuple[str, str], list[str | None]]:
    return {(each["group"], each["name"]): each["values"] for each in entries}


def test_contenders_and_their_presets(tmp_path: Path) -> None:
    other = replace(ROCKSDB, cnf="[mysqld]\nmax_connections=512\nskip_log_bin\n")
    plan = journals.plan([replace(INNODB, cnf="[mysqld]\nmax_connections=100\nskip_log_bin\n"), other])
    assert rows(found(tmp_path, plan)) == {
        ("parity", "file access"): ["direct", "buffered"],
        ("contender", "engine"): ["innodb", "rocksdb"],
        ("preset", "max_connections"): ["100", "512"],
    }


def test_the_earlier_name_of_a_preset_is_no_difference(tmp_path: Path, dyno_home: Path) -> None:
    plan = journals.plan([INNODB, replace(INNODB, preset="baseline", name="new")])
    assert INNODB.preset == "default" and found(tmp_path, plan) == []
    write(dyno_home / "presets/innodb/default.cnf", "[mysqld]\n")
    assert rows(found(tmp_path / "other", plan)) == {("contender", "preset"): ["default", "baseline"]}


def test_an_option_that_only_one_sets(tmp_path: Path) -> None:
    plan = journals.plan([INNODB, replace(INNODB, cnf="[mysqld]\nskip_log_bin\n")])
    assert rows(found(tmp_path, plan)) == {("preset", "log_bin"): [None, "OFF"]}


def test_variables_in_force_without_what_is_never_the_same(tmp_path: Path) -> None:
    plan = journals.plan([INNODB, INNODB])
    ours, theirs = (turn.session for turn in plan.turns)
    first = {
        "innodb_io_capacity": "100", "pid_file": "/a", "only_here": "1", "query_cache_type": "OFF",
        "general_log": "ON", "plugin_dir": "/usr/lib/plugin", "rocksdb_x_dir": f"/t/sessions/{ours}/data",
    }  # fmt: skip
    second = {
        "innodb_io_capacity": "200", "pid_file": "/b", "query_cache_type": "off", "general_log": "ON",
        "plugin_dir": "/usr/lib/plugin", "rocksdb_x_dir": f"/elsewhere/sessions/{theirs}/data",
    }  # fmt: skip
    assert rows(found(tmp_path, plan, {"variables": first}, {"variables": second})) == {
        ("parity", "I/O capacity"): ["100 to 100", "200 to 200"],
        ("variables", "innodb_io_capacity"): ["100", "200"],
        ("variables", "only_here"): ["1", None],
    }


def test_under_valgrind_options_of_a_preset_that_it_replaces_are_no_difference(tmp_path: Path) -> None:
    facts = [{"variables": {"innodb_flush_method": how}} for how in ("O_DIRECT", "fsync")]
    timed = journals.steps(threads=(1,))
    steps = [replace(each, kind=COUNT) if each.kind == "drive" else each for each in timed]
    assert found(tmp_path / "timed", journals.plan([INNODB, INNODB]), *facts)
    assert not found(tmp_path / "counted", journals.plan([INNODB, INNODB], its_steps=steps), *facts)


def test_where_a_build_lies_is_no_difference(tmp_path: Path) -> None:
    plan = journals.plan([replace(INNODB, base="/opt/a"), replace(INNODB, base="/opt/b")])
    facts = [{"variables": {"plugin_dir": f"/opt/{name}/lib"}} for name in "ab"]
    assert found(tmp_path, plan, *facts) == []


def test_machines(tmp_path: Path) -> None:
    facts = [
        {"machine": {"hostname": "nuc", "load": [0.1], "disk": {"model": model, "free_bytes": free}}}
        for model, free in (("850 EVO", 1), ("P4510", 2))
    ]
    plan = journals.plan([INNODB, INNODB])
    assert rows(found(tmp_path, plan, *facts)) == {("machine", "disk.model"): ["850 EVO", "P4510"]}


def test_what_was_noted_of_the_builds(tmp_path: Path) -> None:
    facts = [
        {"build": {"notes": {"revision": "fed1234", "compiler": compiler, "sha256": "0" * 64}}}
        for compiler in ("gcc 12", "clang 15")
    ]
    plan = journals.plan([INNODB, INNODB])
    assert rows(found(tmp_path, plan, *facts)) == {("build", "notes.compiler"): ["gcc 12", "clang 15"]}


def test_memory_as_asked_for_and_as_it_was_in_force(tmp_path: Path) -> None:
    asked = [replace(INNODB, allocator="jemalloc", memory_limit=1 << 30), INNODB]
    assert rows(found(tmp_path / "asked", journals.plan(asked))) == {
        ("allocator", "allocator"): ["jemalloc", None],
        ("allocator", "memory_limit"): ["1.0 GiB", None],
    }
    usual = {"allocator": "system", "numa": "default", "limit_bytes": None, "peak_bytes": None}
    facts = [{**usual, "allocator": "/lib/libjemalloc.so.2", "limit_bytes": 1 << 30, "peak_bytes": 9}, usual]
    both = found(tmp_path / "found", journals.plan(asked), *({"memory": fact} for fact in facts))
    assert rows(both) == {
        ("allocator", "allocator"): ["/lib/libjemalloc.so.2", "system"],
        ("allocator", "memory_limit"): ["1.0 GiB", None],
    }


def test_start_state_and_tables(tmp_path: Path) -> None:
    table = "CREATE TABLE `sbtest1` (\n  `id` int(11),\n  PRIMARY KEY (`id`)\n) ENGINE={} AUTO_INCREMENT={}"
    facts = [
        {"start_state": {"start": start, "pause_s": 0}, "create_table": table.format(engine, at)}
        for at, (start, engine) in enumerate((("loaded", "InnoDB"), ("restarted", "ROCKSDB")))
    ]
    assert rows(found(tmp_path, journals.plan([INNODB, INNODB]), *facts)) == {
        ("start state", "start"): ["loaded", "restarted"],
        ("tables", "options"): ["ENGINE=InnoDB", "ENGINE=ROCKSDB"],
    }


def test_compression_is_what_was_read_back(tmp_path: Path) -> None:
    """Table options of the same words need not have the same in force."""
    facts = [
        {"compression": {"in_force": said, "tables": []}} for said in ("row format compact", "pages of 8 KB")
    ]
    assert rows(found(tmp_path, journals.plan([INNODB, INNODB]), *facts)) == {
        ("tables", "compression in force"): ["row format compact", "pages of 8 KiB"],
    }
    facts = [{"compression": {"in_force": f"pages of 8 {unit}", "tables": []}} for unit in ("KB", "KiB")]
    assert not rows(found(tmp_path / "same", journals.plan([INNODB, INNODB]), *facts))  # only written anew


def test_plans_and_their_files(tmp_path: Path) -> None:
    with History(tmp_path) as history:
        ours = keep(history, journals.plan())
        other = journals.renamed(
            journals.plan(number=2), rows=5000, files={"workloads/point-query.lua": "--"}
        )
        theirs = keep(history, other)
        entries = rows(differences(history, [*ours, *theirs]))
    assert entries.pop(("plan", "rows")) == ["1000", "5000"]
    ((key, marks),) = entries.items()
    assert key == ("plan", "workloads/point-query.lua") and len(set(marks)) == 2


def test_a_session_that_never_began_has_a_plan_alone(tmp_path: Path) -> None:
    with History(tmp_path) as history:
        ours = keep(history, journals.plan())
        waiting = journals.plan(number=2)
        maker = journals.Maker(waiting).planned()
        JournalStorer(history).append(waiting.id, maker.session, 0, maker.raw)
        entries = differences(history, [*ours, maker.session])
    assert {each["group"] for each in entries} == {"machine", "variables"}
    assert all(each["values"][1] is None for each in entries)


def test_steps_that_differ_alike_share_a_line() -> None:
    plans = [journals.plan(its_steps=journals.steps(seconds=seconds)).to_json() for seconds in (5, 60)]
    (entry,) = differing_steps(plans)
    names = "point-query threads=1, point-query threads=2, update-index threads=1 and 1 more"
    assert entry == {"group": "plan", "name": f"seconds of {names}", "values": ["5", "60"]}


def test_steps_that_not_all_have() -> None:
    plans = [journals.plan(its_steps=journals.steps(threads=each)).to_json() for each in ((1,), (1, 2))]
    (entry,) = differing_steps(plans)
    assert entry["name"] == "step point-query threads=2, update-index threads=2"
    assert entry["values"] == [None, "yes"]


def test_groups_come_in_their_order(tmp_path: Path) -> None:
    other = journals.renamed(journals.plan([ROCKSDB], number=2), rows=5000)
    with History(tmp_path) as history:
        ids = keep(history, journals.plan([INNODB]), {"machine": {"kernel": "6.1"}})
        ids += keep(history, other, {"machine": {"kernel": "6.2"}})
        groups = [each["group"] for each in differences(history, ids)]
    assert groups == ["parity", "contender", "machine", "plan"]
    assert groups == sorted(groups, key=GROUPS.index)


def test_what_a_crash_may_cost_stands_on_top_as_it_was_in_force(tmp_path: Path) -> None:
    """What the server said counts, not what the preset asks for."""
    plan = journals.plan(
        [replace(INNODB, cnf="[mysqld]\ninnodb_flush_log_at_trx_commit=1\nskip_log_bin\n")] * 2
    )
    facts = [
        {"variables": {"innodb_flush_log_at_trx_commit": said, "character_set_server": charset}}
        for said, charset in (("1", "latin1"), ("2", "utf8mb4"))
    ]
    assert list(rows(found(tmp_path, plan, *facts)))[:3] == [
        ("durability", "commit"),
        ("parity", "character set"),
        ("variables", "innodb_flush_log_at_trx_commit"),
    ]


def test_of_a_session_without_preset_and_variables_no_rule_says_anything(tmp_path: Path) -> None:
    published = replace(INNODB, cnf="", version="8.0.30", family="MySQL")
    with History(tmp_path) as history:
        ids = keep(history, journals.plan([replace(INNODB, cnf="[mysqld]\nskip_log_bin\n")]))
        maker = journals.Maker(journals.plan([published], number=2)).planned()
        JournalStorer(history).append(maker.plan.id, maker.session, 0, maker.raw)
        groups = {each["group"] for each in differences(history, [*ids, maker.session])}
    assert "build" in groups and not groups & {"durability", "parity"}


def test_allocator_load_method_and_start_state_have_their_places(tmp_path: Path) -> None:
    with History(tmp_path) as history:
        ids = keep(history, journals.plan(), {"variables": {"version_malloc_library": "system"}})
        other = journals.renamed(journals.plan(number=2), load_method="parallel", start="restarted")
        ids += keep(history, other, {"variables": {"version_malloc_library": "jemalloc 5.3.0"}})
        entries = rows(differences(history, ids))
    assert entries == {
        ("allocator", "version_malloc_library"): ["system", "jemalloc 5.3.0"],
        ("load method", "load_method"): ["ordered", "parallel"],
        ("start state", "start"): ["loaded", "restarted"],
    }
    assert [group for group, _ in entries] == sorted((group for group, _ in entries), key=GROUPS.index)


def test_a_session_measured_before_tables_were_analysed_is_named(tmp_path: Path) -> None:
    with History(tmp_path) as history:
        ids = keep(history, journals.plan())
        its_steps = [replace(step, analyse=step.kind == "load") for step in journals.steps()]
        ids += keep(history, journals.plan(number=2, its_steps=its_steps))
        entries = rows(differences(history, ids))
    assert entries == {("start state", "tables analysed"): ["no", "yes"]}


def test_nothing_differs_between_repeats(tmp_path: Path) -> None:
    assert found(tmp_path, journals.plan(repeats=2)) == []


def test_only_the_groups_that_were_asked_for() -> None:
    profiles = [{("machine", "a"): "1", ("plan", "b"): "1"}, {("machine", "a"): "2", ("plan", "b"): "2"}]
    assert [each["name"] for each in grouped_session_differences(profiles, ["plan"])] == ["b"]


@pytest.mark.parametrize(
    ("value", "shown"),
    [(True, "yes"), (False, "no"), ([1, 2], "1, 2"), ({"b": 1, "a": 2}, '{"a": 2, "b": 1}'), (1.5, "1.5")],
)
def test_values_for_people(value: Any, shown: str) -> None:
    assert text(value) == shown


def test_a_step_is_named_with_its_coordinates() -> None:
    assert step_label("scan", {"threads": 2, "cores": "0-3"}) == "scan cores=0-3 threads=2"


def test_in_one_line() -> None:
    plan = journals.plan().to_json()
    assert work_differences(plan, {**plan, "rows": 5}) == "rows=5, in the base rows=1000"
    assert work_differences(plan, plan) == "their plans differ"


# defaults


def test_variables_that_nobody_has_set_are_marked(tmp_path: Path) -> None:
    plan = journals.plan([INNODB, INNODB])
    first = {
        "variables": {"a": "1", "b": "1", "only_here": "1", "only_set": "1"},
        "not_default": ["b", "only_set"],
    }
    second = {"variables": {"a": "2", "b": "2"}, "not_default": []}
    entries = found(tmp_path, plan, first, second)
    assert {each["name"]: each["default"] for each in entries} == {
        "a": True, "b": False, "only_here": True, "only_set": False,
    }  # fmt: skip
    assert [each["name"] for each in entries if is_of_the_builds(each)] == ["a", "only_here", "only_set"]


def test_where_one_session_does_not_tell_its_defaults_nothing_is_marked(tmp_path: Path) -> None:
    plan = journals.plan([INNODB, INNODB])
    first, second = {"variables": {"a": "1"}, "not_default": []}, {"variables": {"a": "2"}}
    assert [each.get("default") for each in found(tmp_path, plan, first, second)] == [None]
