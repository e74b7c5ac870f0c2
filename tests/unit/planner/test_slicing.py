"""Plans in slices: which steps contenders take turns within, and what all of a round take together."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from app.agent.load.gate import EVENTS
from app.catalog import Catalog
from app.catalog.approval import hash_of
from app.core.errors import InputError
from app.engines import KNOWN, engine_of
from app.engines.engine import Engine
from app.history.machines.measured import MachineHistory
from app.planner.checks.checks import Check, check_plan
from app.planner.estimate.estimate import estimate
from app.planner.kinds.canary import estimated_with_canary
from app.planner.request.contender import ContenderRequest
from app.planner.request.slicing import SLOW_S, slices_check, with_slices
from app.planner.resolve.resolve import resolve
from app.protocol.plan import LONGEST_S, Plan, Step
from tests.plans import GB, MARIADB, request, survey, write

DUEL = (f"{MARIADB}:innodb", f"{MARIADB}:rocksdb")
FOUR = (*DUEL, f"{MARIADB}:myisam", "mysql-5.6.24:innodb")
GATE = "workloads/dyno-slices.lua"
SHARES = "[mysqld]\ninnodb_buffer_pool_size={ram*0.5}\ninnodb_purge_threads={cores}\n"


def sliced(*texts: str, on: dict[str, Any] | None = None, order: str = "slices", **options: Any) -> Plan:
    return resolve(request(*(texts or DUEL), order=order, **options), survey(**(on or {})), Catalog())


def whole(plan: Plan) -> dict[str, bool]:
    return {step.name: step.sliced for step in plan.steps}


def one(name: str, plan: Plan, **on: Any) -> Check:
    target = survey(**on)
    found = check_plan(plan, target, estimate(plan, target))
    (only,) = (check for check in found if check.name == name)
    return only


def own_workload(home: Path, lua: str, **files: str) -> None:
    """A drive of one's own, in a sequence behind the load of Dyno."""
    toml = 'name = "mine"\ntitle = "Mine"\ngroup = "read"\nkind = "drive"\nlua = "mine.lua"\n'
    write(home / "workloads/mine.toml", toml)
    for name, text in {"mine": lua, **files}.items():
        write(home / f"workloads/{name}.lua", text)
    steps = "".join(f'[[step]]\nworkload = "{each}"\n' for each in ("load", "point-query", "mine"))
    write(home / "sequences/with-mine.toml", f'name = "with-mine"\ntitle = "With mine"\n{steps}')


def with_mine(home: Path) -> Plan:
    """Its Lua is approved."""
    asked = request(*DUEL, order="slices", sequence="with-mine")
    catalog = Catalog()
    approved = hash_of(catalog.workload_files(catalog.workload("mine")))
    return resolve(asked, survey(), catalog, [approved])


# steps


def test_driven_steps_are_cut_into_slices_and_all_others_carried_out_whole() -> None:
    made = sliced(sequence="small-datum")
    kinds = {(step.kind, step.events > 0, step.sliced) for step in made.steps}
    others = {(kind, False, False) for kind in ("load", "index", "settle", "scan")}
    assert kinds == {("drive", False, True), ("drive", True, False), *others}


def test_a_step_that_is_bounded_by_events_is_carried_out_whole_and_said(dyno_home: Path) -> None:
    steps = "".join(
        f'[[step]]\nworkload = "{each}"\n' for each in ("load", "index", "insert", "scan", "point-query")
    )
    write(dyno_home / "sequences/mine.toml", f'name = "mine"\ntitle = "Mine"\n{steps}')
    made = sliced(sequence="mine")
    assert whole(made) == {
        "load": False, "index": False, "insert": False, "scan": False, "point-query": True,
    }  # fmt: skip
    found = one("slices", made)
    assert (found.state, found.text) == (
        "pass",
        "the servers take turns, up to four a second, in point-query; they run one after the other in "
        "load, index, scan (as long as the work takes); insert (bounded by events)",
    )


def test_where_no_step_is_cut_into_slices_the_check_warns(dyno_home: Path) -> None:
    write(dyno_home / "sequences/mine.toml", 'name = "mine"\ntitle = "Mine"\n[[step]]\nworkload = "load"\n')
    found = one("slices", sliced(sequence="mine"))
    assert found.state == "warn" and found.todo.startswith("choose the order interleaved")
    assert found.text == "the servers never take turns within a step: load (as long as the work takes)"


def test_every_driven_workload_that_is_shipped_can_be_gated() -> None:
    catalog = Catalog()
    driven = [each for each in catalog.workloads()[0] if each.kind == "drive"]
    assert len(driven) > 30 and any(each.sql for each in driven)
    for each in driven:
        step = Step(each.name, "drive", workload=each.name, lua=each.lua, seconds=5)
        (found,) = with_slices([step], [], catalog.workload_files(each))
        assert found.sliced, each.name


def test_an_engine_may_refuse_a_step_of_all_contenders(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_slices(self: Engine, workload: str, writes: bool) -> str:
        return "MyRocks differs in slices" if self.name == "rocksdb" and writes else ""

    monkeypatch.setattr(Engine, "no_slices", no_slices)
    made = sliced(steps=("point-query", "update-index"))
    assert whole(made) == {
        "load": False, "index": False, "settle.index": False, "point-query": True, "update-index": False,
    }  # fmt: skip
    assert one("slices", made).text.endswith("; update-index (MyRocks differs in slices)")
    without = sliced(f"{MARIADB}:innodb", f"{MARIADB}:myisam", steps=("point-query", "update-index"))
    assert whole(without)["update-index"]


def test_no_engine_refuses_a_step_without_a_reason_that_was_measured() -> None:
    assert all(not each.no_slices("update-index", True) for each in (*KNOWN.values(), engine_of("memory")))


# Lua of one's own


def test_lua_of_ones_own_that_uses_dyno_is_cut_into_slices(dyno_home: Path) -> None:
    own_workload(dyno_home, 'local helper = require "helper"\n', helper="local dyno = require('dyno')\n")
    assert whole(with_mine(dyno_home)) == {"load": False, "point-query": True, "mine": True}


@pytest.mark.parametrize(
    ("lua", "helper", "why"),
    [
        ("function event() end\n", "", "its Lua does not use dyno.lua"),
        ('require("dyno")\nfunction thread_run() end\n', "", "mine.lua has its own thread_run"),
        (
            'require("dyno")\nrequire("helper")\n',
            "thread_run = f\n",
            "helper.lua has its own thread_run",
        ),
    ],
)
def test_lua_that_cannot_be_gated_is_carried_out_whole(
    dyno_home: Path, lua: str, helper: str, why: str
) -> None:
    own_workload(dyno_home, lua, helper=helper)
    made = with_mine(dyno_home)
    assert whole(made) == {"load": False, "point-query": True, "mine": False}
    assert one("slices", made).text.endswith(f"; mine ({why})")


@pytest.mark.parametrize("name", ["dyno", "dyno-slices"])
def test_a_gate_of_ones_own_is_refused(dyno_home: Path, name: str) -> None:
    own_workload(dyno_home, f'require("{name}")\n', **{name: "-- another\n"})
    with pytest.raises(InputError, match=f"workloads/{name}.lua exists twice with different content"):
        with_mine(dyno_home)


# contenders and what goes with them


@pytest.mark.parametrize(("count", "todo"), [(1, "choose more"), (5, "choose fewer")])
def test_two_to_four_contenders_take_turns(count: int, todo: str) -> None:
    five = (*FOUR, "mysql-9.7.4:innodb")
    with pytest.raises(InputError, match=f"needs 2 to 4 servers, not {count}: {todo}, or the") as caught:
        sliced(*five[:count])
    assert caught.value.field == "order"
    assert len(sliced(*FOUR).contenders) == 4
    assert resolve(request(*five[:count]), survey(), Catalog()).order == "interleaved"


def test_what_others_disturb_is_not_repeated_in_slices() -> None:
    with pytest.raises(InputError, match="leave 'repeat if disturbed' out") as caught:
        sliced(repeat_if_disturbed=True)
    assert caught.value.field == "order"


def test_a_calibration_is_of_whole_sessions() -> None:
    with pytest.raises(InputError, match="a calibration measures the noise of whole sessions") as caught:
        sliced(sequence="calibration")
    assert caught.value.field == "order"
    assert sliced(sequence="calibration", order="interleaved").turns


def test_rounds_begin_with_another_contender_in_turn() -> None:
    turns = sliced(repeats=2).turns
    assert [(turn.repeat, turn.contender) for turn in turns] == [(1, 0), (1, 1), (2, 1), (2, 0)]


@pytest.mark.parametrize(
    "options",
    [
        {"pause": 5, "quiet_wait": 60},
        {"start": "snapshot", "transport": "loopback"},
        {"threads": (1, 4), "vary": "innodb_spin_wait_delay=6,96", "rate": (100,)},
        {"cores": (2, 1)},
        {"cpus": "own"},
    ],
)
def test_slices_go_with_sweeps_and_starts(options: dict[str, Any]) -> None:
    made = sliced(*DUEL, on={"topology": [[[0, 1], [2, 3]]]}, **options)
    assert all(step.sliced for step in made.steps if step.kind == "drive")


def test_a_plan_in_slices_has_no_canary() -> None:
    long = {"seconds": 600, "repeats": 3}
    assert estimated_with_canary(resolve(request(*DUEL, **long), survey(), Catalog()), survey())[0].canary
    assert not estimated_with_canary(sliced(**long), survey())[0].canary


# keys and files


def test_the_gate_is_a_file_of_plans_in_slices_alone() -> None:
    made, usual = sliced(), resolve(request(*DUEL), survey(), Catalog())
    required = {f"workloads/dyno-{name}.lua" for name in ("run", "schedule")}
    assert set(made.files) - set(usual.files) == {GATE, *required}
    assert not any(step.sliced for step in usual.steps)


def test_sessions_in_slices_did_other_work() -> None:
    keys = [sliced(order=order).work_key for order in ("interleaved", "grouped", "slices")]
    assert keys[0] == keys[1] != keys[2]
    made = sliced()
    plain = dataclasses.replace(made, steps=[dataclasses.replace(each, sliced=False) for each in made.steps])
    assert plain.work_key != made.work_key != dataclasses.replace(made, order="interleaved").work_key


def test_shares_of_a_preset_are_those_of_one_contender(dyno_home: Path) -> None:
    write(dyno_home / "presets/innodb/shares.cnf", SHARES)
    shared = f"{MARIADB}:innodb:shares"
    for count, size, cores in ((2, 4 * GB, 2), (4, 2 * GB, 1)):
        made = sliced(
            shared, *(f"{MARIADB}:rocksdb", f"{MARIADB}:myisam", "mysql-5.6.24:innodb")[: count - 1]
        )
        assert made.contenders[0].cnf.split("\n")[1:3] == [
            f"innodb_buffer_pool_size={size}",
            f"innodb_purge_threads={cores}",
        ]
    usual = resolve(request(shared, DUEL[1]), survey(), Catalog()).contenders[0]
    assert f"={8 * GB}\n" in usual.cnf and "threads=4" in usual.cnf
    assert usual.key != sliced(shared, DUEL[1]).contenders[0].key


def test_a_share_is_no_larger_than_what_a_contender_asks_for(dyno_home: Path) -> None:
    write(dyno_home / "presets/innodb/shares.cnf", SHARES)
    small = ContenderRequest(MARIADB, "innodb", "shares", "small", cores="1-2", memory_limit="1G")
    large = dataclasses.replace(small, name="large", cores="0-2", memory_limit="12G")
    found = [each.cnf.split("\n")[1:3] for each in sliced(contenders=(small, large)).contenders]
    assert found == [
        [f"innodb_buffer_pool_size={GB // 2}", "innodb_purge_threads=2"],
        [f"innodb_buffer_pool_size={4 * GB}", "innodb_purge_threads=2"],
    ]


# what a round takes


def test_the_memory_of_all_contenders_must_fit(dyno_home: Path) -> None:
    write(dyno_home / "presets/innodb/large.cnf", "[mysqld]\ninnodb_buffer_pool_size=6G\n")
    two = (f"{MARIADB}:innodb:large", "mysql-5.6.24:innodb:large")
    one_after_other = one("memory", sliced(*two, order="interleaved"), memory_bytes=8 * GB)
    assert (one_after_other.state, one_after_other.contender) == ("pass", "")
    found = one("memory", sliced(*two), memory_bytes=8 * GB, memory_available_bytes=8 * GB)
    assert (found.state, found.contender) == ("fail", "")
    assert found.text.startswith("12.") and "for 2 servers at once and their clients" in found.text
    assert "the order interleaved" in found.todo


def test_the_data_of_a_round_lie_on_the_disk_together() -> None:
    alone, made = sliced(order="interleaved", rows=5_000_000), sliced(rows=5_000_000)
    before, found = estimate(alone, survey()), estimate(made, survey())
    kept = found.kept_bytes
    assert found.disk_bytes == sum(each.session_bytes for each in found.contenders) + kept
    assert before.disk_bytes == max(each.session_bytes for each in before.contenders) + before.kept_bytes
    assert found.disk_text.startswith("2 sessions at once, the largest session: ")
    room = {"disk": {"free_bytes": before.disk_bytes + 1}}
    assert [one("disk", plan, **room).state for plan in (alone, made)] == ["warn", "fail"]


def test_snapshots_lie_there_too() -> None:
    found = estimate(sliced(start="snapshot"), survey())
    sessions = sum(each.session_bytes for each in found.contenders)
    assert found.disk_bytes == sessions + found.snapshot_bytes + found.kept_bytes
    assert found.snapshot_bytes == sum(each.certain_bytes for each in found.contenders)


def test_data_is_held_against_the_share_of_the_memory() -> None:
    assert [each.memory_bytes for each in estimate(sliced(), survey()).contenders] == [8 * GB, 8 * GB]


def test_a_step_in_slices_takes_the_seconds_of_all_and_the_changes_between_them() -> None:
    options = {"steps": ("point-query",), "seconds": 58, "warmup": 2}
    alone, found = (estimate(sliced(order=each, **options), survey()) for each in ("interleaved", "slices"))
    assert found.declared_s == alone.declared_s == 120
    assert found.guessed_s - alone.guessed_s == pytest.approx(28.8)
    assert "0.06 s a turn of 0.25 s" in found.seconds_text and "slice" not in alone.seconds_text


def test_what_the_rounds_find_is_reckoned_as_for_sessions_and_said() -> None:
    in_slices, alone = (
        estimate(sliced(order=order, repeats=4), survey(), MachineHistory(0.01))
        for order in ("slices", "interleaved")
    )
    assert in_slices.least == alone.least is not None
    assert (
        in_slices.noise_of.endswith("; servers that take turns may find smaller ones")
        and "slices" not in alone.noise_of
    )


def test_steps_that_may_be_too_slow_for_slices_are_named_before() -> None:
    (check,) = slices_check(sliced(threads=(1, 512)))
    assert (
        "with 512 threads or more they run one after the other where an event takes longer than" in check.text
    )
    assert SLOW_S == LONGEST_S / EVENTS  # what the agent holds them to
    for harmless in (sliced(threads=(64,)), sliced(threads=(512,), rate=(1000,))):
        assert "takes longer than" not in slices_check(harmless)[0].text
