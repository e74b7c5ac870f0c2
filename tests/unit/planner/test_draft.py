from __future__ import annotations

import shlex
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from app.catalog import Catalog, approve
from app.catalog.own import write_sequence
from app.cli.parser import parse
from app.cli.run import request_of
from app.core.errors import InputError, TargetError
from app.planner import ContenderRequest, PlanRequest
from app.planner.choices import choices, rendered, step_choices
from app.planner.command_line import command_line
from app.planner.draft import (
    Draft,
    Outcome,
    carried_over,
    contender_colours,
    first_draft,
    names_of,
    open_values,
    opened,
    outcome,
    remembered,
    text_of,
    value_of,
    variant_text,
)
from app.planner.duel import LEAST_BYTES, duelists, is_untouched
from tests.plans import MARIADB, NOW, VERSION, build, survey, write

LUA = 'require("dyno")\nprint("mine")\n'
OLD = "mysql-5.6.24"
DUEL_STEPS = ("point-query", "read-only", "update-index", "insert")


PLAIN = {"steps": (), "seconds": None, "repeats": 1, "order": "interleaved", "start": "loaded"}


def drafted(**values: object) -> Draft:
    """What the duel says beyond its contenders is left out."""
    return first_draft(survey(), "local").said(**{**PLAIN, **values})


def concluded(draft: Draft, approved: frozenset[str] = frozenset(), **on: object) -> Outcome:
    return outcome(draft, survey(**on), Catalog(), approved, lambda: NOW)


def own_workload(home: Path) -> None:
    write(
        home / "workloads/mine.toml",
        'name = "mine"\ntitle = "Mine"\nkind = "drive"\nlua = "mine.lua"\nneeds = ["tables"]\n',
    )
    write(home / "workloads/mine.lua", LUA)
    steps = '[[step]]\nworkload = "load"\n[[step]]\nworkload = "mine"\n'
    write(home / "sequences/own.toml", f'name = "own"\ntitle = "Own"\n{steps}')


# what is typed


@pytest.mark.parametrize(
    ("field", "text", "value"),
    [
        ("tables", " 4 ", 4),
        ("rows", "1,000,000", 1_000_000),
        ("rows", "1 000 000", 1_000_000),
        ("rows", "50k", 50_000),
        ("rows", "2M", 2_000_000),
        ("rows", "3x memory", "3x memory"),
        ("rows", "0.5 x memory", "0.5 x memory"),
        ("threads", "1, 2 4", (1, 2, 4)),
        ("threads", "1..64 x2", (1, 2, 4, 8, 16, 32, 64)),
        ("cores", "1-4", (1, 2, 3, 4)),
        ("warmup", "0", 0),
        ("seconds", "1,800", 1800),
        ("time_limit", "1 h 30 min", 5400),
        ("pause", "2min", 120),
        ("seconds", "  ", None),
    ],
)
def test_fields_are_read_as_people_write_them(field: str, text: str, value: object) -> None:
    assert value_of(field, text) == value


@pytest.mark.parametrize(
    ("field", "text", "why"),
    [
        ("tables", "four", "tables must be a whole number, not 'four'"),
        ("tables", "0", "tables must lie between 1 and 1,000"),
        ("rows", "3x ram", 'rows must be a whole number or like "3x memory"'),
        ("rows", "9" * 5000, "rows must be"),
        ("seconds", "-1", "seconds must lie between 1 and 86,400"),
        ("time_limit", "soon", "time_limit must be seconds, or a time such as 30 min, not 'soon'"),
        ("pause", "5 days", "pause must be seconds, or a time such as 30 min"),
        ("threads", "1,x", "threads must be a whole number"),
        ("threads", "5000", "threads must lie between 1 and 4,095"),
        ("threads", "2,2,1", "threads names 2 twice"),
        ("threads", "64..1 x2", "threads 64..1x2: a range goes up, such as 1-8 or 1..64 x2"),
        ("threads", ",", "threads must not be empty"),
        ("repeats", "101", "repeats must lie between 1 and 100"),
        ("tables", "²", "tables must be a whole number"),
    ],
)
def test_what_cannot_be_read_says_which_field(field: str, text: str, why: str) -> None:
    with pytest.raises(InputError) as caught:
        value_of(field, text)
    assert str(caught.value).startswith(why)
    assert caught.value.field == field


@pytest.mark.parametrize("value", [None, 7, 1_000_000, "3x memory", (1, 2, 4)])
def test_a_value_is_shown_as_it_can_be_typed(value: object) -> None:
    field = "threads" if isinstance(value, tuple) else "rows"
    assert value_of(field, text_of(value)) == value


def test_a_draft_keeps_what_cannot_be_read() -> None:
    draft = drafted().typed("rows", "many")
    assert draft.text("rows") == "many"
    assert draft.request.rows is None
    found = concluded(draft)
    assert found.plan is None
    assert found.problem and found.problem.field == "rows"
    mended = draft.typed("rows", "1000")
    assert (mended.text("rows"), mended.request.rows, mended.unread) == ("1,000", 1000, {})


def test_a_field_left_open_is_what_the_sequence_says() -> None:
    draft = drafted().typed("repeats", "3").typed("repeats", "")
    assert (draft.request.repeats, draft.text("tables")) == ("until decided", "")
    catalog = Catalog()
    found = open_values(catalog.sequence("duel"))
    assert (found["tables"], found["rows"], found["warmup"], found["pause"]) == ("2", "50,000", "1", "0")
    assert open_values(catalog.sequence("quick"))["seconds"] == "60"


# what can be had


def test_everything_that_cannot_be_had_has_its_reason(dyno_home: Path) -> None:
    write(dyno_home / "presets/innodb/wrong.cnf", "[mysqld]\ninnodb_buffer_pool_size={nothing}\n")
    found = choices(survey(), Catalog())
    assert not found.refusal(MARIADB, "rocksdb", "default")
    assert "lacks the engine rocksdb" in found.refusal(OLD, "rocksdb", "default")
    assert "libaio.so.1 is missing" in found.refusal("mysql-8.0.40", "innodb", "default")
    assert "line 2: innodb_buffer_pool_size" in found.refusal(MARIADB, "innodb", "wrong")
    assert not found.refusal("mysql-9.7.4", "innodb", "default")  # its survey writes InnoDB


def test_files_that_cannot_be_read_are_told_and_the_rest_is_there(dyno_home: Path) -> None:
    write(dyno_home / "sequences/broken.toml", "name = ")
    write(dyno_home / "presets/innodb/broken.cnf", "!include x\n")
    found = choices(None, Catalog())
    assert found.builds == ()
    assert len(found.problems) == 2
    assert found.sequence("duel") and found.preset("innodb", "default")


def test_a_preset_is_rendered_for_a_build_of_the_target() -> None:
    preset = Catalog().preset("innodb", "default")
    text = rendered(preset, MARIADB, survey()).text
    assert f"innodb_buffer_pool_size={2 << 30}" in text
    assert "innodb_log_file_size=96M" in text
    assert "innodb_log_file_size=48M" in rendered(preset, OLD, survey()).text


def test_steps_are_shown_with_group_and_bound() -> None:
    catalog = Catalog()
    workloads = choices(None, catalog).workloads
    found = {each.name: each for each in step_choices(catalog.sequence("duel"), workloads)}
    assert found["load"].is_fixed and found["index"].is_fixed
    assert not found["point-query"].is_fixed
    assert found["index"].bound == "settles"
    assert found["update-index"].group == "write-heavy"
    ranged = {each.name: each for each in step_choices(catalog.sequence("quick"), workloads)}
    assert "range_size=10000" in ranged["read-only.range10000"].title


# contenders


def test_the_duel_is_ready() -> None:
    draft = first_draft(survey(), "local")
    assert [(each.build, each.engine) for each in draft.request.contenders] == [
        (MARIADB, "innodb"),
        (MARIADB, "rocksdb"),
    ]
    found = concluded(draft)
    assert found.obstacle == ""
    assert found.plan and found.plan.sequence == "duel"
    assert [step.name for step in found.plan.steps if step.sliced] == list(DUEL_STEPS)
    assert (found.plan.repeats, found.plan.order, found.plan.start) == (5, "slices", "snapshot")
    assert found.plan.snapshot_at == 3
    assert found.estimate and found.estimate.seconds > 160


def test_the_duel_takes_turns_where_two_servers_fit_into_memory() -> None:
    small = survey(memory_bytes=LEAST_BYTES, memory_available_bytes=LEAST_BYTES)
    in_slices = first_draft(small, "local")
    found = concluded(in_slices, memory_bytes=LEAST_BYTES, memory_available_bytes=LEAST_BYTES)
    assert found.obstacle == "" and in_slices.request.order == "slices"
    tiny = survey(memory_bytes=LEAST_BYTES - 1)
    assert first_draft(tiny, "local").request == replace(in_slices.request, order="interleaved")


def test_what_the_duel_says_goes_with_it() -> None:
    first = first_draft(survey(), "local")
    assert first.with_sequence("quick").request == drafted(sequence="quick", repeats="until decided").request
    changed = first.typed("rows", "1000").with_sequence("quick").request
    assert (changed.order, changed.rows, changed.steps) == ("slices", 1000, ())


def test_two_contenders_are_compared_until_it_is_decided() -> None:
    draft = Draft().with_sequence("quick").tick(OLD, "innodb", "default", True)
    assert (draft.request.repeats, draft.text("repeats")) == (1, "1")
    draft = draft.copied(0)
    assert (draft.request.repeats, draft.text("repeats")) == ("until decided", "until decided")
    draft = draft.typed("time_limit", "1800")
    assert (draft.request.time_limit, draft.text("time_limit")) == (1800, "30 min")
    alone = draft.without([1]).request
    assert (alone.repeats, alone.time_limit) == (1, 0)
    assert open_values(None, draft.request.contenders)["repeats"] == "until decided"
    assert open_values(None)["repeats"] == "1"


def test_repeats_that_were_chosen_stay() -> None:
    draft = drafted().typed("repeats", "until decided").typed("time_limit", "60").typed("repeats", "4")
    assert (draft.request.time_limit, draft.text("time_limit")) == (0, "")  # which is of plans until decided
    limited = drafted(repeats="until decided", matters_pct=3.0).typed("repeats", "4")
    assert limited.request.matters_pct is None
    assert draft.tick(OLD, "innodb", "default", True).without([0, 1]).request.repeats == 4
    once = drafted(repeats=1)
    assert once.tick(OLD, "innodb", "default", True).request.repeats == 1
    assert first_draft(survey(), "local").tick(OLD, "innodb", "default", True).request.repeats == 5


def test_the_repeats_of_the_window_are_no_choice_of_a_person() -> None:
    only = survey(builds=[build(MARIADB, "MariaDB", VERSION, ["innodb"])])
    two = first_draft(only, "other").copied(0)
    assert two.request.repeats == "until decided" and is_untouched(two.request)
    assert not is_untouched(two.said(repeats=4).request)
    alone = carried_over(drafted(repeats="until decided", rows=9), only, "other").request
    assert (len(alone.contenders), alone.repeats, alone.rows) == (1, 1, 9)


def test_a_plan_until_decided_can_be_run_from_a_terminal() -> None:
    limits = {"matters_pct": 3.0, "false_share_pct": 1.0}
    words = shlex.split(command_line(drafted(repeats="until decided", time_limit=60, **limits).request))
    said = {"--repeats": "until decided", "--time-limit": "60", "--matters": "3.0", "--false-share": "1.0"}
    assert {word: words[words.index(word) + 1] for word in said} == said


def test_on_a_target_without_both_engines_there_is_no_order_for_two() -> None:
    only = survey(builds=[build(MARIADB, "MariaDB", VERSION, ["innodb"])])
    found = carried_over(first_draft(survey(), "local"), only, "other")
    assert found == first_draft(only, "other") and found.request.order == "interleaved"
    again = carried_over(found, survey(), "local")
    assert [each.engine for each in again.request.contenders] == ["innodb"]


def test_without_two_engines_there_is_what_can_be_had() -> None:
    only = survey(builds=[build(OLD, "MySQL", "5.6.24", ["innodb"])])
    with pytest.raises(TargetError, match="InnoDB and RocksDB"):
        duelists(only, "local")
    assert first_draft(only, "local").request.contenders == (ContenderRequest(OLD, "innodb"),)
    assert first_draft(survey(builds=[]), "local").request.contenders == ()


def test_ticks_add_at_the_end_and_take_away_all_of_a_cell() -> None:
    draft = drafted().tick(OLD, "innodb", "default", True).tick(OLD, "innodb", "default", True)
    assert len(draft.request.contenders) == 3
    draft = draft.copied(2).with_contender(3, table_options=" ROW_FORMAT=COMPRESSED ")
    assert draft.request.contenders[3].table_options == "ROW_FORMAT=COMPRESSED"
    assert draft.is_ticked(OLD, "innodb", "default")
    assert len(draft.tick(OLD, "innodb", "default", False).request.contenders) == 2
    assert len(draft.without([0, 3]).request.contenders) == 2


@pytest.mark.parametrize(
    ("text", "allocator", "numa", "limit"),
    [
        ("", "", "", ""),
        ("jemalloc, interleave=0,1, 4G", "jemalloc", "interleave=0,1", "4G"),
        (" 512M  localalloc ", "", "localalloc", "512M"),
        ("/usr/lib/libmimalloc.so.2", "/usr/lib/libmimalloc.so.2", "", ""),
        ("jemalloc tcmalloc", "jemalloc tcmalloc", "", ""),  # which is then refused
    ],
)
def test_memory_is_written_in_one_field(text: str, allocator: str, numa: str, limit: str) -> None:
    (first, _) = drafted().with_contender(0, memory=text).request.contenders
    assert (first.allocator, first.numa, first.memory_limit) == (allocator, numa, limit)
    assert drafted().with_contender(0, memory=first.memory).request.contenders[0] == first


def test_memory_that_cannot_be_is_pointed_at() -> None:
    found = concluded(drafted().with_contender(1, memory="jemalloc tcmalloc"))
    assert found.problem and found.problem.field == "contenders.1.allocator"
    assert found.problem.text.startswith("contender 2: allocator must be system, jemalloc, tcmalloc or")


def test_a_wrong_contender_is_pointed_at() -> None:
    found = concluded(drafted().with_contender(1, cores="many"))
    assert found.problem and found.problem.field == "contenders.1.cores"
    assert found.problem.text.startswith("contender 2: cores must be like 0-3")
    beyond = concluded(drafted().with_contender(1, cores="0-99"))
    assert beyond.problem and beyond.problem.field == "contenders.1"
    gone = concluded(drafted().said(contenders=(ContenderRequest("gone", "innodb"),)))
    assert gone.problem and gone.problem.field == "contenders.0"
    assert concluded(drafted(contenders=())).obstacle == "choose at least one contender"


def test_two_contenders_of_one_name_are_told_and_still_have_names() -> None:
    draft = drafted().with_contender(0, name="a").with_contender(1, name="a")
    found = concluded(draft)
    assert found.problem and found.problem.field == "contenders"
    assert names_of(draft.request) == ["a", "a"]
    assert names_of(drafted().request) == ["innodb", "rocksdb"]


def test_colours_are_those_the_history_has_or_will_give() -> None:
    plan = concluded(drafted().tick(OLD, "innodb", "default", True)).plan
    assert plan
    second = plan.contenders[1].key
    assert contender_colours(plan, {}, 8) == [0, 1, 2]
    assert contender_colours(plan, {second: 5}, 8) == [1, 5, 2]


def test_another_target_gets_the_same_work_and_the_contenders_it_has() -> None:
    there = survey(builds=[build(MARIADB, "MariaDB", VERSION, ["innodb"])])
    draft = drafted(sequence="quick", tables=7)
    found = carried_over(draft, there, "nuc").request
    assert (found.target, found.sequence, found.tables) == ("nuc", "quick", 7)
    assert found.contenders == (ContenderRequest(MARIADB, "innodb"),)
    assert carried_over(Draft(), survey(), "nuc") == first_draft(survey(), "nuc")


# steps and sizes


def test_all_steps_ticked_is_the_same_as_nothing_said() -> None:
    sequence = Catalog().sequence("duel")
    names = [step.name for step in sequence.steps]
    some = drafted().with_steps(["load", "index", "insert"], sequence)
    assert some.request.steps == ("load", "index", "insert")
    assert some.with_steps(names, sequence).request.steps == ()
    assert some.with_sequence("quick").request.steps == ()
    assert some.with_sequence("duel").request.steps == some.request.steps


def test_rows_beyond_a_table_are_about_the_rows() -> None:
    found = concluded(drafted().typed("rows", "999x memory").typed("tables", "1"))
    assert found.problem and found.problem.field == "rows"


def test_a_sequence_that_is_not_there_is_about_the_sequence() -> None:
    found = concluded(drafted(sequence="gone"))
    assert found.problem and found.problem.field == "sequence"


def test_a_failing_check_stands_in_the_way() -> None:
    found = concluded(drafted(), sysbench=None)
    assert found.plan
    assert found.obstacle.startswith("sysbench: sysbench is missing")


def test_an_old_survey_does_not_make_the_clocks_differ() -> None:
    (clock,) = (check for check in concluded(drafted()).checks if check.name == "clock")
    assert clock.state == "pass"


def test_a_variant_is_a_sequence_of_ones_own(dyno_home: Path) -> None:
    catalog = Catalog()
    sequence, workloads = catalog.sequence("quick"), choices(None, catalog).workloads
    draft = drafted(sequence="quick").typed("rows", "3x memory").typed("threads", "1,8").typed("warmup", "0")
    draft = draft.with_steps(["load", "index", "point-query", "read-only.range100"], sequence)
    write_sequence(catalog, "mine", variant_text(sequence, draft.request, workloads, "mine"))
    kept = catalog.sequence("mine")
    assert [step.name for step in kept.steps] == ["load", "index", "read-only.range100", "point-query"]
    assert kept.steps[1:3] == (sequence.steps[1], sequence.steps[7])
    assert (kept.rows, kept.threads, kept.warmup, kept.tables) == ("3x memory", (1, 8), 0, 4)
    mine, same = concluded(drafted(sequence="mine")).plan, concluded(draft).plan
    assert mine and same
    assert mine.work_key == same.work_key


def test_a_variant_takes_no_name_that_is_taken(dyno_home: Path) -> None:
    catalog = Catalog()
    sequence, workloads = catalog.sequence("duel"), choices(None, catalog).workloads

    def save(name: str, over: bool = False) -> None:
        write_sequence(catalog, name, variant_text(sequence, drafted().request, workloads, name), over)

    for name, why in (("duel", "is shipped"), ("../x", "no name for a sequence"), ("A b", "no name")):
        with pytest.raises(InputError, match=why):
            save(name)
    save("mine")
    with pytest.raises(InputError, match="already"):
        save("mine")
    save("mine", over=True)


def test_a_variant_keeps_a_warmup_of_nothing(dyno_home: Path) -> None:
    steps = '[[step]]\nworkload = "load"\n[[step]]\nworkload = "point-query"\nwarmup = 0\nwarm = true\n'
    write(dyno_home / "sequences/own.toml", f'name = "own"\ntitle = "Own"\n{steps}')
    catalog = Catalog()
    sequence, workloads = catalog.sequence("own"), choices(None, catalog).workloads
    text = variant_text(sequence, drafted(sequence="own").request, workloads, "copy")
    write_sequence(catalog, "copy", text)
    assert catalog.sequence("copy").steps == sequence.steps


# approval


def test_lua_of_ones_own_is_shown_before_it_may_run(dyno_home: Path) -> None:
    own_workload(dyno_home)
    found = concluded(drafted(sequence="own"))
    assert found.plan and found.estimate
    (asked,) = found.unapproved
    assert asked.files["workloads/mine.lua"] == LUA
    assert found.obstacle == "read and approve the workload mine: it does not come with Dyno"
    approve(asked.sha256, "mine")
    from app.catalog import approved_hashes

    assert concluded(drafted(sequence="own"), approved_hashes()).obstacle == ""


# other forms of the same


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"target": "nuc", "tables": 4, "rows": "3x memory", "seconds": 60, "warmup": 0, "pause": 5},
        {"threads": (1, 2), "repeats": 3, "order": "interleaved", "start": "restarted"},
        {"order": "slices", "cpus": "own"},
        {"transport": "loopback", "name": "my plan's", "steps": ("load", "insert"), "allow_busy": True},
        {"quiet_wait": 60, "repeat_if_disturbed": True, "repeats": 2},
        {
            "contenders": (
                ContenderRequest(MARIADB, "innodb", table_options="ROW_FORMAT=DYNAMIC", cores="0-1"),
                ContenderRequest(MARIADB, "rocksdb", table_options="ROW_FORMAT=DYNAMIC", cores="0-1"),
            )
        },
        {
            "contenders": (
                ContenderRequest(
                    MARIADB, "innodb", allocator="/x/a.so", numa="localalloc", memory_limit="4G"
                ),
            )
        },
    ],
)
def test_the_command_line_says_the_same(changes: dict[str, object]) -> None:
    request = drafted(**changes).request
    words = shlex.split(command_line(request))
    assert words[:2] == ["dyno", "run"]
    assert request_of(parse(words[1:])) == request


def test_what_options_cannot_say_takes_its_file_along(tmp_path: Path) -> None:
    request = drafted(name="it's mine").with_contender(0, name="first", cores="0").request
    assert command_line(replace(request, allow_busy=True)).endswith(".toml' --allow-busy")
    insisting = replace(request, allow_busy=True, allow_small_disk=True)
    assert command_line(insisting).endswith(".toml' --allow-busy --allow-small-disk")
    script, _, run = command_line(request).rpartition("\n")
    subprocess.run(["sh", "-c", script], cwd=tmp_path, check=True)
    (file,) = tmp_path.iterdir()
    assert shlex.split(run) == ["dyno", "run", file.name]
    assert PlanRequest.from_file(file) == request


def test_a_draft_is_remembered_and_opened() -> None:
    draft = drafted(tables=3, steps=("load", "insert")).with_contender(0, name="first")
    assert remembered(draft.request.to_toml()) == draft
    assert opened(draft.request.to_toml(), "plan.toml") == draft
    assert remembered("") is None
    assert remembered("nonsense = 1") is None
