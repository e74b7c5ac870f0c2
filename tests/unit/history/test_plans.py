"""The plans of the history: their size, the states of their sessions, what is missing of them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.core.errors import DynoError, InputError
from app.history.exchange.publishing import import_shipped
from app.history.lists import edits
from app.history.lists.browsing import Filter, Order, browse
from app.history.lists.plans import (
    PlanEntry,
    contenders_rounds_text,
    plan_ids,
    plans,
    recent_plans,
    states_text,
)
from app.history.lists.sessions import find_all, sessions_of_plan
from app.history.lists.studies import studies, study_name
from app.history.recorded.writing import record_unlocked_journals
from app.history.store.history import History
from app.protocol.plan import Plan
from app.protocol.states import DECIDED, IN_PART, OUT_OF_TIME, UNDECIDABLE
from tests import journals
from tests.decided import makers_of, until_decided
from tests.journals import store
from tests.plans import MARIADB

PLAN = journals.plan([journals.contender("innodb"), journals.contender("rocksdb")], repeats=2)
OTHER = replace(journals.plan(number=2, target="xeon"), name="")
IDS = [turn.session for turn in PLAN.turns]


@pytest.fixture
def two_plans(history: History) -> History:
    """Completed, with a failed step, lost, waiting; and a plan of one session."""
    lost = journals.Maker(PLAN, IDS[2]).begin()
    lost.step(0)
    store(history, journals.whole(PLAN, IDS[0]), journals.whole(PLAN, IDS[1], failed=3), lost)
    store(history, journals.Maker(PLAN, IDS[3]).planned(), journals.whole(OTHER))
    record_unlocked_journals(history, [IDS[2]])
    return history


def the(history: History, plan: str = PLAN.id) -> PlanEntry:
    (found,) = plans(history, [plan])
    return found


def test_a_plan_says_what_it_measured_and_how_far_it_is(two_plans: History) -> None:
    plan = the(two_plans)
    assert (plan["name"], plan["target"], plan["sequence"]) == ("a plan", "local", "duel")
    assert plan["contenders"] == [
        f"{MARIADB}-innodb-default",
        f"{MARIADB}-rocksdb-default",
    ] and plan["engines"] == [
        "innodb",
        "rocksdb",
    ]
    assert contenders_rounds_text(plan) == "innodb, rocksdb x 2", "what their names differ in"
    assert states_text(plan) == "1 waiting, 1 lost, 2 completed, 1 failed step"
    assert the(two_plans, OTHER.id)["name"] == "duel", "a plan without a name has that of its sequence"
    assert (contenders_rounds_text(the(two_plans, OTHER.id)), states_text(the(two_plans, OTHER.id))) == (
        f"{MARIADB}-innodb-default x 1",
        "completed",
    )


def test_plans_come_in_the_order_that_is_asked_for_and_gone_ones_are_left_out(two_plans: History) -> None:
    assert plan_ids(two_plans) == [PLAN.id, OTHER.id]
    assert plan_ids(two_plans, "xeon") == plan_ids(two_plans, limit=1) == [OTHER.id]
    assert [plan["id"] for plan in plans(two_plans, [OTHER.id, "none", PLAN.id])] == [OTHER.id, PLAN.id]


def test_recent_plans_are_those_of_dyno_the_same_work_once_the_latest_first(two_plans: History) -> None:
    again = replace(journals.plan(PLAN.contenders, repeats=3, number=3), name="once more")
    store(two_plans, *(journals.whole(again, turn.session) for turn in again.turns))
    import_shipped(two_plans)
    assert [plan["id"] for plan in recent_plans(two_plans, 12)] == [again.id, OTHER.id]
    assert [plan["id"] for plan in recent_plans(two_plans, 1)] == [again.id]
    for turn in again.turns:
        edits.delete(two_plans, turn.session)
    assert [plan["id"] for plan in recent_plans(two_plans, 12)] == [OTHER.id, PLAN.id]


def test_sessions_that_were_not_needed_are_no_failures(history: History) -> None:
    plan = until_decided()
    store(history, *makers_of(plan, 3))
    assert states_text(the(history, plan.id)) == "6 completed, 10 not needed"
    assert the(history, plan.id)["ending"] == DECIDED
    assert contenders_rounds_text(the(history, plan.id)) == "innodb, myisam x up to 8"


@pytest.mark.parametrize("reason", [IN_PART, UNDECIDABLE, OUT_OF_TIME])
def test_a_plan_says_why_it_went_no_further(history: History, reason: str) -> None:
    plan = until_decided()
    store(history, *makers_of(plan, 3, reason))
    assert the(history, plan.id)["ending"] == reason


def test_a_plan_of_which_only_a_part_is_here_says_so(history: History) -> None:
    """As after the import of some of its sessions; later attempts are no sessions that are missing."""
    plan = journals.plan([journals.contender("innodb"), journals.contender("rocksdb")], repeats=2, attempts=3)
    first = plan.first_turns[0]
    again = next(turn for turn in plan.turns if turn.ordinal == first.ordinal and turn.attempt == 2)
    store(history, journals.whole(plan, first.session), journals.whole(plan, again.session))
    assert states_text(the(history, plan.id)) == "2 completed, 3 not here"


def test_a_tag_of_a_plan_is_one_of_all_its_sessions(two_plans: History) -> None:
    for session in IDS:
        edits.tag(two_plans, session, "quiet")
    edits.tag(two_plans, IDS[0], "first")
    assert the(two_plans)["tags"] == ["quiet"]


def test_a_deleted_plan_is_gone_and_comes_back(history: History) -> None:
    store(history, *(journals.whole(PLAN, id_) for id_ in IDS))
    for id_ in IDS:
        edits.delete(history, id_)
    assert plans(history, [PLAN.id]) == [] and plan_ids(history) == []
    for id_ in IDS:
        edits.undelete(history, id_)
    assert states_text(the(history)) == "completed"


def test_published_sessions_are_plans_of_one(history: History) -> None:
    import_shipped(history)
    assert {states_text(plan) for plan in plans(history, plan_ids(history))} == {"published"}


def test_published_sessions_are_listed_by_study(history: History) -> None:
    import_shipped(history)
    found = studies(history, list(browse(history, Filter(), Order()).plans))
    assert {(study["name"][:21], states_text(study)) for study in found} == {
        ("Mark Callaghan, 2017:", "published")
    }
    assert sum(study["sessions"] for study in found) == 21 and len(found) == 2
    assert all(len(study["contenders"]) == study["sessions"] for study in found)


def test_a_source_without_author_and_year_is_named_by_its_article() -> None:
    assert study_name('{"article": "Two engines"}') == "Two engines"
    assert study_name('{"author": "Ada", "date": "2024-05-01"}') == "Ada, 2024"
    assert study_name("{}") == "published"


def test_a_damaged_plan_is_told(two_plans: History) -> None:
    two_plans.connection.execute("UPDATE plan SET content = ?", (b"nonsense",))
    with pytest.raises(DynoError, match="doctor --rebuild"):
        the(two_plans)


def test_a_plan_stands_where_it_began(two_plans: History) -> None:
    found = browse(two_plans, Filter(), Order())
    assert list(found.plans) == [OTHER.id, PLAN.id]
    assert sorted(found.plans[PLAN.id]) == sorted(IDS)
    assert [id_ for ids in found.plans.values() for id_ in ids] == list(found.ids)


def test_by_date_plans_that_overlap_are_in_the_order_of_their_first_sessions(history: History) -> None:
    long, short = journals.plan(repeats=3), journals.plan(number=2)
    store(history, *(journals.whole(long, turn.session) for turn in long.turns), journals.whole(short))
    between = (long.turns[0].session, short.turns[0].session)
    history.connection.execute(
        "UPDATE session SET started_at = (SELECT started_at + 1 FROM session WHERE id = ?) WHERE id = ?",
        between,
    )
    assert list(browse(history, Filter(), Order("date", False)).plans) == [long.id, short.id]
    assert list(browse(history, Filter(), Order("date", True)).plans) == [short.id, long.id]


def test_the_filter_leaves_only_what_fits_in_a_plan(two_plans: History) -> None:
    assert browse(two_plans, Filter("rocksdb"), Order("date", False)).plans == {PLAN.id: (IDS[1], IDS[3])}


def test_a_plan_stands_for_its_sessions(two_plans: History) -> None:
    assert find_all(two_plans, [PLAN.id, OTHER.id[-6:]]) == [*IDS, OTHER.turns[0].session]
    assert find_all(two_plans, [IDS[1], PLAN.id]) == [IDS[1], IDS[0], *IDS[2:]], "each once"
    with pytest.raises(InputError, match="no session 'nothing'"):
        find_all(two_plans, ["nothing"])


def night(number: int) -> Plan:
    """Its sessions have its name at the beginning of theirs, as planned ones have."""
    made = journals.plan(number=number)
    return replace(made, name="night", turns=[replace(each, name="night-innodb") for each in made.turns])


def test_a_plan_is_named_by_its_name_where_no_session_is(two_plans: History) -> None:
    named = night(7)
    store(two_plans, journals.whole(named))
    its = [named.turns[0].session]
    assert find_all(two_plans, ["night"]) == sessions_of_plan(two_plans, "night") == its
    with pytest.raises(InputError, match="no session 'nigh'"):
        find_all(two_plans, ["nigh"])
    store(two_plans, journals.whole(night(8)))
    with pytest.raises(InputError, match=r"2 plans have the name 'night': .*dyno plan list"):
        find_all(two_plans, ["night"])
    edits.rename(two_plans, its[0], "night")
    assert find_all(two_plans, ["night"]) == its


def test_the_end_of_two_ids_names_neither(history: History) -> None:
    plan = journals.plan(number=1)
    twin = replace(journals.plan(number=2), id=f"X{plan.id[1:]}")
    store(history, journals.whole(plan), journals.whole(twin))
    with pytest.raises(InputError, match="fits the plans"):
        sessions_of_plan(history, plan.id[-6:])
