from __future__ import annotations

import shlex
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from app.catalog import Catalog, approve
from app.catalog.own import write_sequence
from app.cli.parser import parse
from app.cli.plan_options import GivenPlanOptions
from app.cli.run import plan_request_from
from app.core.errors import InputError
from app.planner.request.command_line import command_line
from app.planner.request.contender import ContenderRequest
from app.planner.request.plan_file import plan_file_text, plan_request_of_file
from app.planner.starting.choices import choices, rendered, step_choices
from app.planner.starting.draft import (
    draft_from_file,
    empty_field_values,
    restore_last_draft,
    text_of,
    value_of,
)
from app.planner.starting.sequence_variant import sequence_variant_text
from tests.plans import MARIADB, survey, write
from tests.unit.planner.drafted import OLD, concluded, drafted

LUA = 'require("dyno")\nprint("mine")\n'


def own_workload(home: Path) -> None:
    write(
        home / "workloads/mine.toml",
        'name = "mine"\ntitle = "Mine"\nkind = "drive"\nlua = "mine.lua"\nneeds = ["tables"]\n',
    )
    write(home / "workloads/mine.lua", LUA)
    steps = '[[step]]\nworkload = "load"\n[[step]]\nworkload = "mine"\n'
    write(home / "sequences/own.toml", f'name = "own"\ntitle = "Own"\n{steps}')


@pytest.mark.parametrize(
    ("field", "text", "value"),
    [
        ("tables", " 4 ", 4),
        ("rows", "1,000,000", 1_000_000),
        ("rows", "1e6", 1_000_000),
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
        ("tables", "four", "tables must be a number such as 1000, 10k, 1M or 1e6, not 'four'"),
        ("tables", "0", "tables must be between 1 and 1,000"),
        ("rows", "3x ram", 'rows must be a number such as 1000, 10k, 1M or 1e6, or like "3x memory"'),
        ("rows", "9" * 5000, "rows must be"),
        ("seconds", "-1", "seconds must be between 1 and 86,400"),
        ("time_limit", "soon", "time_limit must be a time such as 90 (seconds), 2min or 1h30, not 'soon'"),
        ("pause", "5 days", "pause must be a time such as 90 (seconds), 2min or 1h30"),
        ("threads", "1,x", "threads must be a list of numbers such as"),
        ("threads", "5000", "threads must be between 1 and 4,095"),
        ("threads", "2,2,1", "threads names 2 twice"),
        ("threads", "64..1 x2", "threads 64..1x2: a range goes up, such as 1-8 or 1..64 x2"),
        ("threads", ",", "threads must not be empty"),
        ("repeats", "101", "repeats must be between 1 and 100"),
        ("tables", "²", "tables must be a number such as 1000, 10k, 1M or 1e6"),
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
    found = empty_field_values(catalog.sequence("duel"))
    assert (found["tables"], found["rows"], found["warmup"], found["pause"]) == ("2", "50,000", "1", "0")
    assert empty_field_values(catalog.sequence("quick"))["seconds"] == "60"


def test_everything_that_cannot_be_had_has_its_reason(dyno_home: Path) -> None:
    write(dyno_home / "presets/innodb/wrong.cnf", "[mysqld]\ninnodb_buffer_pool_size={nothing}\n")
    found = choices(survey(), Catalog())
    assert not found.refusal(MARIADB, "rocksdb", "baseline")
    assert "lacks the engine rocksdb" in found.refusal(OLD, "rocksdb", "baseline")
    assert "libaio.so.1 is missing" in found.refusal("mysql-8.0.40", "innodb", "baseline")
    assert "line 2: innodb_buffer_pool_size" in found.refusal(MARIADB, "innodb", "wrong")
    assert not found.refusal("mysql-9.7.4", "innodb", "baseline")  # its survey writes InnoDB


def test_files_that_cannot_be_read_are_told_and_the_rest_is_there(dyno_home: Path) -> None:
    write(dyno_home / "sequences/broken.toml", "name = ")
    write(dyno_home / "presets/innodb/broken.cnf", "!include x\n")
    found = choices(None, Catalog())
    assert found.builds == ()
    assert len(found.problems) == 2
    assert found.sequence("duel") and found.preset("innodb", "baseline")


def test_a_preset_is_rendered_for_a_build_of_the_target() -> None:
    preset = Catalog().preset("innodb", "baseline")
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


def test_each_build_becomes_those_of_the_target() -> None:
    asked = (ContenderRequest("*", "rocksdb"), ContenderRequest(OLD, "innodb"))
    found = drafted(contenders=asked).with_each_build(survey())
    assert [(each.build, each.engine) for each in found.request.contenders] == [
        (MARIADB, "rocksdb"),
        (OLD, "innodb"),
    ]
    assert found.with_each_build(survey()) is found, "nothing is checked twice"
    nowhere = drafted(contenders=(ContenderRequest("*", "tokudb"),))
    assert nowhere.with_each_build(survey()) == nowhere
    problem = concluded(nowhere).problem
    assert problem and "no build on this target can start and has the engine tokudb" in problem.text


def test_a_variant_is_a_sequence_of_ones_own(dyno_home: Path) -> None:
    catalog = Catalog()
    sequence, workloads = catalog.sequence("quick"), choices(None, catalog).workloads
    draft = drafted(sequence="quick").typed("rows", "3x memory").typed("threads", "1,8").typed("warmup", "0")
    draft = draft.with_steps(["load", "index", "point-query", "read-only.range100"], sequence)
    write_sequence(catalog, "mine", sequence_variant_text(sequence, draft.request, workloads, "mine"))
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
        write_sequence(
            catalog, name, sequence_variant_text(sequence, drafted().request, workloads, name), over
        )

    for name, why in (
        ("duel", "comes with Dyno"),
        ("../x", "the name of a sequence may have"),
        ("A b", "the name of a sequence may have"),
    ):
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
    text = sequence_variant_text(sequence, drafted(sequence="own").request, workloads, "copy")
    write_sequence(catalog, "copy", text)
    assert catalog.sequence("copy").steps == sequence.steps


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
    arguments = parse(words[1:])
    assert plan_request_from(arguments, GivenPlanOptions.of(arguments)) == request


def test_what_options_cannot_say_takes_its_file_along(tmp_path: Path) -> None:
    request = drafted(name="it's mine").with_contender(0, name="first", cores="0").request
    assert command_line(replace(request, allow_busy=True)).endswith(".toml' --allow-busy")
    insisting = replace(request, allow_busy=True, allow_small_disk=True)
    assert command_line(insisting).endswith(".toml' --allow-busy --allow-small-disk")
    script, _, run = command_line(request).rpartition("\n")
    subprocess.run(["sh", "-c", script], cwd=tmp_path, check=True)
    (file,) = tmp_path.iterdir()
    assert shlex.split(run) == ["dyno", "run", file.name]
    assert plan_request_of_file(file) == request


def test_a_draft_is_remembered_and_opened() -> None:
    draft = drafted(tables=3, steps=("load", "insert")).with_contender(0, name="first")
    assert restore_last_draft(plan_file_text(draft.request)) == draft
    assert draft_from_file(plan_file_text(draft.request), "plan.toml") == draft
    assert restore_last_draft("") is None
    assert restore_last_draft("nonsense = 1") is None
