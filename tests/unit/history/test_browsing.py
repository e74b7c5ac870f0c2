"""Looking for sessions: text, facets, order, headlines, pages."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.core.errors import InputError
from app.history.lists import edits
from app.history.lists.browsing import (
    FACETS,
    ORDERS,
    FacetValue,
    Filter,
    Order,
    StepGroupQps,
    browse,
    facets,
    read_session_lines,
)
from app.history.recorded.rebuilding import rebuild
from app.history.recorded.writing import record_unlocked_journals
from app.history.store.history import History
from tests import journals
from tests.journals import store

PLAN = journals.plan([journals.contender("innodb"), journals.contender("rocksdb")], repeats=2)
OTHER = replace(journals.plan(number=2, target="xeon"), sequence="quick")
IDS = [*(turn.session for turn in PLAN.turns), OTHER.turns[0].session]
OLDEST_FIRST = Order("date", False)


@pytest.fixture
def browsed(history: History) -> History:
    """Of two plans: completed, with a failed step, lost, waiting; completed."""
    first = journals.Maker(PLAN, IDS[0]).begin()
    for at, value in enumerate((None, 100.0, 400.0, 70.0, 70.0)):
        first.step(at, value=value)
    lost = journals.Maker(PLAN, IDS[2]).begin()
    lost.step(0)
    store(history, first.end(), journals.whole(PLAN, IDS[1], failed=3), lost)
    store(history, journals.Maker(PLAN, IDS[3]).planned(), journals.whole(OTHER))
    record_unlocked_journals(history, [IDS[2]])
    return history


def found(
    history: History, order: Order = OLDEST_FIRST, text: str = "", **chosen: tuple[str, ...]
) -> list[int]:
    return [IDS.index(id_) for id_ in browse(history, Filter(text, chosen), order).ids]


def test_the_newest_come_first(browsed: History) -> None:
    assert next(IDS.index(id_) for id_ in browse(browsed, Filter(), Order()).ids) == 4
    assert sorted(found(browsed)) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ROCKS", [1, 3]),
        ("innodb xeon", [4]),
        ("quiet", [1]),
        ("fan", [2]),
        ("%", []),
        ("_", []),
        ("10.11 duel", [0, 1, 2, 3]),
        ("the first", [0]),
        (IDS[2][-6:], [2]),
        ("  ", [0, 1, 2, 3, 4]),
    ],
)
def test_each_word_is_in_a_text_of_the_session(browsed: History, text: str, expected: list[int]) -> None:
    edits.tag(browsed, IDS[1], "quiet")
    edits.note(browsed, IDS[2], "heard the fan")
    edits.rename(browsed, IDS[0], "the first")
    assert sorted(found(browsed, text=text)) == expected


@pytest.mark.parametrize(
    ("chosen", "expected"),
    [
        ({"engine": ("rocksdb",)}, [1, 3]),
        ({"engine": ("rocksdb", "innodb"), "target": ("xeon",)}, [4]),
        ({"state": ("lost", "waiting")}, [2, 3]),
        ({"sequence": ("quick",), "build": ("mariadb-10.11",), "preset": ("default",)}, [4]),
        ({"tag": ("noisy", "quiet")}, [0, 1]),
        ({"tag": ()}, [0, 1, 2, 3, 4]),
        ({"target": ("nowhere",)}, []),
    ],
)
def test_of_each_facet_one_of_the_chosen(
    browsed: History, chosen: dict[str, tuple[str, ...]], expected: list[int]
) -> None:
    edits.tag(browsed, IDS[0], "noisy")
    edits.tag(browsed, IDS[1], "quiet")
    assert sorted(found(browsed, **chosen)) == expected


def test_facets_count_what_the_others_let_through(browsed: History) -> None:
    edits.tag(browsed, IDS[1], "quiet")
    counted = facets(browsed, Filter("", {"engine": ("rocksdb",)}))
    assert set(counted) == set(FACETS)
    assert counted["engine"] == [FacetValue("innodb", 3), FacetValue("rocksdb", 2)]
    assert counted["target"] == [FacetValue("local", 2)]
    assert counted["state"] == [FacetValue("waiting", 1), FacetValue("completed", 1)]
    assert counted["tag"] == [FacetValue("quiet", 1)]


def test_every_count_is_what_choosing_the_value_gives(browsed: History) -> None:
    edits.tag(browsed, IDS[1], "quiet")
    edits.tag(browsed, IDS[0], "quiet")
    wanted = Filter("10.11", {"state": ("completed",), "target": ("local",)})
    for name, values in facets(browsed, wanted).items():
        for value, count in values:
            chosen = {**wanted.chosen, name: (value,)}
            assert len(browse(browsed, Filter(wanted.text, chosen), Order()).ids) == count, (name, value)


def test_a_chosen_value_that_nothing_fits_can_be_taken_back(browsed: History) -> None:
    counted = facets(browsed, Filter("xeon", {"engine": ("rocksdb",), "tag": ("gone",)}))
    assert FacetValue("rocksdb", 0) in counted["engine"]
    assert counted["tag"] == [FacetValue("gone", 0)]


def test_an_unknown_facet_or_order_is_refused(browsed: History) -> None:
    with pytest.raises(InputError, match="engine"):
        browse(browsed, Filter("", {"mood": ("good",)}), Order())
    with pytest.raises(InputError, match="length"):
        browse(browsed, Filter(), Order("mood"))


@pytest.mark.parametrize("by", [*ORDERS, "qps read"])
def test_each_order_has_a_reverse_with_the_empty_ones_last(browsed: History, by: str) -> None:
    edits.tag(browsed, IDS[1], "quiet")
    up, down = (found(browsed, Order(by, is_descending)) for is_descending in (False, True))
    assert sorted(up) == sorted(down) == [0, 1, 2, 3, 4]
    if by == "length":
        assert set(up[3:]) == set(down[3:]) == {2, 3}
    if by == "tags":
        assert up[0] == down[0] == 1
    if by == "qps read":
        assert up[0] == 0 and down[2] == 0


def test_names_are_sorted_as_they_are_shown(browsed: History) -> None:
    edits.rename(browsed, IDS[4], "Aardvark")
    assert found(browsed, Order("name", False))[0] == 4


def test_a_headline_is_the_geometric_mean_of_its_group(browsed: History) -> None:
    (line,) = read_session_lines(browsed, [IDS[0]])
    assert line["headlines"]["read"] == StepGroupQps(pytest.approx(200.0), 2, 2)
    assert line["headlines"]["write"] == StepGroupQps(pytest.approx(70.0), 2, 2)
    assert browse(browsed, Filter(), Order()).groups == ("read", "write")


def test_a_headline_says_which_steps_it_lacks(browsed: History) -> None:
    (failed, lost) = read_session_lines(browsed, [IDS[1], IDS[2]])
    assert (failed["headlines"]["write"].n, failed["headlines"]["write"].steps) == (1, 2)
    assert lost["headlines"] == {}


def test_a_group_without_any_figure_has_no_headline_but_its_steps(history: History) -> None:
    maker = journals.Maker(PLAN, IDS[0]).begin()
    for at in (1, 2):
        maker.step(at, "failed", "error 1205")
    store(history, maker)
    assert read_session_lines(history, IDS[:1])[0]["headlines"] == {"read": StepGroupQps(None, 0, 2)}


def test_a_step_of_no_queries_makes_the_headline_nothing(history: History) -> None:
    maker = journals.Maker(PLAN, IDS[0]).begin()
    maker.step(1, value=0.0)
    maker.step(2, value=100.0)
    store(history, maker)
    assert read_session_lines(history, IDS[:1])[0]["headlines"]["read"] == StepGroupQps(0.0, 2, 2)


@pytest.mark.parametrize("at_once", [True, False])
def test_headlines_do_not_depend_on_how_a_journal_comes(history: History, at_once: bool) -> None:
    maker = journals.Maker(PLAN, IDS[0]).begin()
    maker.step(1, value=100.0)
    if not at_once:
        store(history, maker)
    maker.start_step(3)  # and the session takes it down
    store(history, maker.end("failed", reason="the server crashed"))
    found = read_session_lines(history, IDS[:1])[0]["headlines"]
    assert {name: (each.n, each.steps) for name, each in found.items()} == {"read": (1, 2), "write": (0, 2)}


def test_lines_come_in_the_order_that_was_asked_for(browsed: History) -> None:
    edits.rename(browsed, IDS[3], "mine")
    edits.tag(browsed, IDS[3], "b")
    edits.tag(browsed, IDS[3], "a")
    asked = [IDS[3], "0" * 26, IDS[0]]
    found_lines = read_session_lines(browsed, asked)
    assert [line["id"] for line in found_lines] == [IDS[3], IDS[0]]
    assert (found_lines[0]["name"], found_lines[0]["tags"]) == ("mine", ["a", "b"])
    assert found_lines[0]["at"] > 0 and read_session_lines(browsed, []) == []


def test_an_empty_history(history: History) -> None:
    assert browse(history, Filter(), Order()).ids == ()
    assert facets(history, Filter("x"))["target"] == []


def test_headlines_are_made_anew_by_a_rebuild(browsed: History) -> None:
    before = browsed.query("SELECT grouping, qps, n, steps FROM headline ORDER BY session, grouping")
    browsed.close()
    assert rebuild(browsed.directory).problems == []
    with History(browsed.directory) as again:
        rows = again.query(
            "SELECT grouping, qps, n, steps FROM headline JOIN session ON number = session ORDER BY id"
        )
    assert sorted(rows) == sorted(before)
