"""The first draft, and contenders that are ticked or come with another target."""

from __future__ import annotations

import shlex
from dataclasses import replace

import pytest

from app.catalog import Catalog
from app.core.errors import TargetError
from app.planner.kinds.chosen import fitted
from app.planner.kinds.duel import LEAST_BYTES, duel, duelists, is_untouched
from app.planner.request.command_line import command_line
from app.planner.request.contender import ContenderRequest
from app.planner.request.request import PlanRequest
from app.planner.starting.draft import Draft, carried_over, empty_field_values, first_draft, names_of
from app.planner.starting.draft_outcome import contender_colours, outcome, request_in_time
from tests.plans import MARIADB, VERSION, build, survey
from tests.unit.planner.drafted import OLD, concluded, drafted

DUEL_STEPS = ("point-query", "read-only", "update-index", "insert")


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
    assert (found.plan.repeats, found.plan.order, found.plan.start) == (6, "slices", "snapshot")
    assert found.plan.snapshot_at == 3
    assert found.estimate and found.estimate.seconds > 160


def test_the_duel_takes_turns_where_two_servers_fit_into_memory() -> None:
    small = survey(memory_bytes=LEAST_BYTES, memory_available_bytes=LEAST_BYTES)
    in_slices = first_draft(small, "local")
    found = concluded(in_slices, memory_bytes=LEAST_BYTES, memory_available_bytes=LEAST_BYTES)
    assert found.obstacle == "" and in_slices.request.order == "slices"
    tiny = survey(memory_bytes=LEAST_BYTES - 1)
    assert first_draft(tiny, "local").request == replace(in_slices.request, order="interleaved")


def test_a_duel_may_have_a_name() -> None:
    request = PlanRequest(name="at night", allow_busy=True)
    found = duel(survey(), request)
    assert (found.name, found.allow_busy, found.sequence) == ("at night", True, "duel")


def test_what_the_duel_says_goes_with_it() -> None:
    first = first_draft(survey(), "local")
    assert first.with_sequence("quick").request == drafted(sequence="quick", repeats="until decided").request
    changed = first.typed("rows", "1000").with_sequence("quick").request
    assert (changed.order, changed.start, changed.rows, changed.seconds, changed.steps) == (
        "interleaved", "loaded", 1000, None, ()
    )  # fmt: skip


def test_two_contenders_are_compared_until_it_is_decided() -> None:
    draft = Draft().with_sequence("quick").tick(OLD, "innodb", "baseline", True)
    assert (draft.request.repeats, draft.text("repeats")) == (1, "1")
    draft = draft.copied(0)
    assert (draft.request.repeats, draft.text("repeats")) == ("until decided", "until decided")
    draft = draft.typed("time_limit", "30min")
    assert (draft.request.time_limit, draft.text("time_limit")) == (1800, "30 min")
    alone = draft.without([1]).request
    assert (alone.repeats, alone.time_limit) == ("until decided", 1800)  # three sessions that have to fit
    assert draft.typed("time_limit", "").without([1]).request.repeats == 1
    assert empty_field_values(None, draft.request.contenders)["repeats"] == "until decided"
    assert empty_field_values(None)["repeats"] == "1"


@pytest.mark.parametrize("typed", ["9", "009", " 90 "])
def test_how_long_needs_a_unit(typed: str) -> None:
    """A person who types 9 hardly means seconds."""
    draft = drafted().typed("time_limit", typed)
    number = typed.strip()
    assert draft.request.time_limit == 0
    assert (
        draft.unread["time_limit"].problem
        == f"time limit {number}: of what? write {number} min, {number} h or {number} s"
    )
    assert not drafted().typed("time_limit", "0").unread


def test_repeats_that_were_chosen_stay() -> None:
    draft = drafted().typed("repeats", "until decided").typed("time_limit", "1 min").typed("repeats", "4")
    assert (draft.request.time_limit, draft.text("time_limit")) == (0, "")  # which is of plans until decided
    limited = drafted(repeats="until decided", matters_pct=3.0).typed("repeats", "4")
    assert limited.request.matters_pct is None
    assert draft.tick(OLD, "innodb", "baseline", True).without([0, 1]).request.repeats == 4
    once = drafted(repeats=1)
    assert once.tick(OLD, "innodb", "baseline", True).request.repeats == 1
    assert first_draft(survey(), "local").tick(OLD, "innodb", "baseline", True).request.repeats == 6


def test_the_repeats_of_the_window_are_no_choice_of_a_person() -> None:
    only = survey(builds=[build(MARIADB, "MariaDB", VERSION, ["innodb"])])
    two = first_draft(only, "other").copied(0)
    assert two.request.repeats == "until decided" and is_untouched(two.request)
    assert not is_untouched(two.with_options(repeats=4).request)
    alone = carried_over(drafted(repeats="until decided", rows=9), only, "other").request
    assert (len(alone.contenders), alone.repeats, alone.rows) == (1, 1, 9)


def test_a_plan_until_decided_can_be_run_from_a_terminal() -> None:
    limits = {"matters_pct": 3.0, "false_share_pct": 1.0}
    given = {"seconds": 5, "steps": ["point-query"], **limits}
    draft = drafted(repeats="until decided", time_limit=60, **given)
    words = shlex.split(command_line(draft.request))
    said = {"--repeats": "until decided", "--within": "60", "--difference": "3.0", "--false-share": "1.0"}
    assert {word: words[words.index(word) + 1] for word in said} == said


def test_a_time_limit_is_in_a_plan_file_where_its_option_would_choose_steps() -> None:
    said = command_line(drafted(repeats="until decided", time_limit=60).request)
    assert "--within" not in said and "\ntime_limit = 60\n" in said and said.endswith(".toml")


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
    draft = drafted().tick(OLD, "innodb", "baseline", True).tick(OLD, "innodb", "baseline", True)
    assert len(draft.request.contenders) == 3
    draft = draft.copied(2).with_contender(3, table_options=" ROW_FORMAT=COMPRESSED ")
    assert draft.request.contenders[3].table_options == "ROW_FORMAT=COMPRESSED"
    assert draft.is_ticked(OLD, "innodb", "baseline")
    assert len(draft.tick(OLD, "innodb", "baseline", False).request.contenders) == 2
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
    gone = concluded(drafted().with_options(contenders=(ContenderRequest("gone", "innodb"),)))
    assert gone.problem and gone.problem.field == "contenders.0"
    assert concluded(drafted(contenders=())).obstacle == "choose at least one contender"


def test_two_contenders_of_one_name_are_told_and_still_have_names() -> None:
    draft = drafted().with_contender(0, name="a").with_contender(1, name="a")
    found = concluded(draft)
    assert found.problem and found.problem.field == "contenders"
    assert names_of(draft.request) == ["a", "a"]
    assert names_of(drafted().request) == [f"{MARIADB}-innodb", f"{MARIADB}-rocksdb"]


def test_colours_are_those_the_history_has_or_will_give() -> None:
    plan = concluded(drafted().tick(OLD, "innodb", "baseline", True)).plan
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


def test_a_sequence_brings_its_own_sweep_order_and_start() -> None:
    first = first_draft(survey(), "local").typed("threads", "1, 2").typed("rate", "500").typed("cores", "2")
    swept = first.with_options(vary="innodb_spin_wait_delay=6,96", arrivals="even", load_method="parallel")
    request = swept.with_sequence("small-datum").request
    left = (request.threads, request.rate, request.cores, request.vary, request.arrivals, request.load_method)
    assert left == (None, None, None, "", "", "ordered")
    again = swept.with_sequence("quick").with_sequence("duel").request
    assert (again.order, again.start, again.seconds, again.repeats) == ("slices", "snapshot", 4, 6)


def test_the_repeats_of_the_duel_do_not_go_on_to_another_sequence() -> None:
    changed = first_draft(survey(), "local").typed("rows", "1000")
    assert changed.with_sequence("quick").request.repeats == "until decided"
    assert changed.typed("repeats", "4").with_sequence("quick").request.repeats == 4


def test_a_draft_that_has_to_end_in_time_chooses_as_the_command_line_does() -> None:
    draft = first_draft(survey(), "local").with_sequence("quick").typed("time_limit", "20min")
    found = outcome(draft, survey(), Catalog(), [])
    assert found.plan and found.request and found.chosen.startswith("Dyno chose ")
    by_command = fitted(draft.request, 1200, survey(), Catalog())
    assert (found.request, found.chosen) == (by_command.request, by_command.text)
    assert draft.request.seconds is None, "what a person left open stays open"
    assert draft.typed("repeats", "3").is_fitted is False


def test_a_time_of_day_is_the_time_until_then() -> None:
    draft = first_draft(survey(), "local").typed("time_limit", "07:00")
    assert (draft.by, draft.text("time_limit"), draft.request.repeats) == ("07:00", "07:00", "until decided")
    assert 0 < draft.request.time_limit <= 24 * 3600
    later = request_in_time(draft.with_sequence("quick"), survey(), Catalog(), in_s=3600).request
    until, shorter = draft.request.time_limit, later.time_limit
    assert abs(until - shorter - 3600) < 5 or abs(shorter - until - 23 * 3600) < 5
    wrong = draft.typed("time_limit", "25:00")
    assert wrong.unread["time_limit"].problem.startswith("time limit must be a time of day")


def test_what_is_too_short_is_said_at_the_field() -> None:
    found = outcome(first_draft(survey(), "local").typed("time_limit", "5 s"), survey(), Catalog(), [])
    assert found.problem and found.problem.field == "time_limit" and "is too short" in found.problem.text
