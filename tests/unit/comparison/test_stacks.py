"""Stacks merged, compared and laid out as flame graphs: each figure is computed by hand here."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from app.comparison.stacks.counted import function_work_changes, part_work_changes
from app.comparison.stacks.flame import (
    LEAST,
    Flame,
    change_texts,
    flame_of,
    flame_text,
    frame_text,
    growth,
    layout,
    matching,
    pieces,
)
from app.comparison.stacks.flame_colours import parts_in, shade_colour
from app.comparison.stacks.parts import KERNEL, PARTS, UNNAMED, server_code_part
from app.comparison.stacks.stacks import (
    NAMELESS,
    Function,
    StepStacks,
    are_comparable,
    function_share_changes,
    functions,
    merge_profiles,
)
from app.comparison.texts.stacks_text import function_changes_table, functions_table
from app.comparison.texts.work_text import ONE_SIDED, work_sentence
from app.protocol.stacks import Stacks, pack
from app.report.flame_svg import flame_svg

BASE = {"t;main;read": 60, "t;main;write": 40}
OTHER = {"t;main;read": 30, "t;main;write": 60, "t;main;write;sync_[k]": 10}


def stacks(folded: dict[str, int], **more: object) -> Stacks:
    return Stacks("perf", "cpu-clock", on_cpu=pack(folded)[0], **more)  # type: ignore[arg-type]


def names(flame: Flame) -> dict[str, tuple[int, int, int]]:
    return {frame.name: (frame.depth, frame.start, frame.samples) for frame in flame.frames}


def test_own_samples_and_those_with_all_that_a_function_calls() -> None:
    found = functions({"t;a;b": 3, "t;a": 2, "t;a;b;a": 1})
    assert found == [Function("a", 3, 6), Function("b", 3, 4)]


def test_repeats_are_added_and_what_cannot_be_read_is_named() -> None:
    found = merge_profiles([stacks(BASE), stacks(OTHER), Stacks("perf", on_cpu="AAAA")])
    assert found.on_cpu["t;main;read"] == 90 and found.samples == 200
    assert any("damaged" in remark for remark in found.remarks)


def test_names_of_a_hostile_target_steer_nothing() -> None:
    found = merge_profiles([stacks({"t;\x1b[31mred;\u202ex": 1})])
    assert list(found.on_cpu) == ["t;\\x1b[31mred;\\u202ex"]


def test_remarks_say_what_is_missing_and_what_would_bring_it() -> None:
    found = merge_profiles([stacks(BASE, unnamed_pct=20.0, symbols="server-dbgsym", on_cut=5)])
    assert "5 samples of rare stacks left out" in found.remarks
    assert (
        "20% of the frames have no name of a function: install server-dbgsym on the target" in found.remarks
    )


def test_changes_of_shares_with_the_part_of_chance() -> None:
    found = {each.name: each for each in function_share_changes(BASE, OTHER)}
    assert found["read"].own == (0.6, 0.3) and found["write"].total == (0.4, 0.7)
    assert found["write"].own == (0.4, 0.6) and found["write"].samples == (40, 70)
    assert next(iter(found)) == "read" and not found["read"].is_noise
    assert found["read"].own_error == pytest.approx(1.96 * (0.6 * 0.4 / 100 + 0.3 * 0.7 / 100) ** 0.5)
    assert found["main"].total_change == 0 and found["main"].is_noise
    assert function_share_changes(BASE, {}) == []


def test_equal_profiles_have_no_change() -> None:
    assert all(each.is_noise and not each.own_change for each in function_share_changes(BASE, BASE))


def test_frames_lie_above_their_callers_as_wide_as_their_samples() -> None:
    flame = layout(OTHER)
    assert names(flame) == {
        "all": (0, 0, 100), "t": (1, 0, 100), "main": (2, 0, 100),
        "read": (3, 0, 30), "write": (3, 30, 70), "sync_[k]": (4, 30, 10),
    }  # fmt: skip
    assert flame.frames[4].own == 60 and flame.frames[flame.frames[5].parent].name == "write"


def test_a_zoomed_frame_fills_the_width_below_it_its_callers_above_it_what_it_calls() -> None:
    flame = layout(OTHER)
    seen = {flame.frames[piece.at].name: (piece.left, piece.width) for piece in pieces(flame, 4)}
    assert seen == {
        "all": (0, 1), "t": (0, 1), "main": (0, 1), "write": (0, 1), "sync_[k]": (0, pytest.approx(1 / 7)),
    }  # fmt: skip
    assert [flame.frames[piece.at].name for piece in pieces(flame, narrowest=0.5)][-1] == "write"


def test_frames_that_nobody_could_see_are_left_out() -> None:
    many = {"t;main": int(2 / LEAST), **{f"t;rare{at}": 1 for at in range(3)}}
    assert set(names(layout(many))) == {"all", "t", "main"}
    deep = layout({";".join(f"f{at}" for at in range(5000)): 1})
    assert deep.depth <= 256


def test_a_search_counts_samples_once() -> None:
    flame = layout({"t;read;reader": 3, "t;reader": 2, "t;write": 5})
    found, share = matching(flame, "READ")
    assert {flame.frames[at].name for at in found} == {"read", "reader"} and len(found) == 3
    assert share == 0.5 and matching(flame, " ") == (set(), 0.0)


def test_growth_against_the_base_is_on_a_scale_of_the_largest_change() -> None:
    flame = layout(OTHER, BASE)
    by_name = dict(zip((frame.name for frame in flame.frames), growth(flame), strict=True))
    assert by_name["read"] == pytest.approx(-1) and by_name["write"] == pytest.approx(1)
    assert by_name["sync_[k]"] == pytest.approx(1 / 3) and by_name["main"] == 0
    assert frame_text(flame, flame.frames[4]).endswith("70.0%, in the base 40.0%: +30.0 points")


def test_functions_are_compared_whoever_calls_them_in_a_build_and_whatever_its_threads_are_called() -> None:
    other = {"mysqld;start;[mysqld];read": 60, "mysqld;start;write": 40}
    flame = layout(other, {"mariadbd;begin;read": 60, "mariadbd;begin;inner;write": 40})
    by_name = dict(zip((frame.name for frame in flame.frames), growth(flame), strict=True))
    assert by_name["read"] == by_name["write"] == by_name["mysqld"] == by_name["[mysqld]"] == 0
    assert by_name["start"] == 1


def test_colours_of_growth() -> None:
    assert shade_colour(8, False) != shade_colour(-8, False) != shade_colour(0, False)


def test_parts_of_the_server_are_known_by_the_names_of_functions() -> None:
    known = {
        "buf_page_get_gen": "InnoDB: buffer pool", "btr_cur_search_to_nth_level": "InnoDB: B-tree",
        "rocksdb::MemTable::Get": "RocksDB: memtable", "ha_myisam::rnd_next": "MyISAM: rows",
        "_ma_search": "Aria: keys", "vio_read": "network", "JOIN::optimize": "parser and optimizer",
        "do_sys_poll_[k]": KERNEL, "[mysqld]": UNNAMED,
    }  # fmt: skip
    assert {name: server_code_part(name) for name in known} == known
    assert set(known.values()) <= set(PARTS)
    assert dict(parts_in(layout({"t;vio_read": 1, "t;[x]": 3}))) == {UNNAMED: 0.75, "network": 0.25}


def test_tables_name_functions_with_shares_and_samples() -> None:
    table = functions_table(merge_profiles([stacks(OTHER)]), "read threads=1")
    assert table.title == "read threads=1, on the CPU: 100 samples"
    assert table.lines[0][:1] + table.lines[0][2:] == ("write", "60.0%", "70.0%", "70")
    both = function_changes_table(
        merge_profiles([stacks(BASE)]), merge_profiles([stacks(OTHER)]), ("a", "b"), "read"
    )
    assert "b against a" in both.title and both.lines[0][0] == "read" and both.lines[0][3] == "-30.0"
    missing = function_changes_table(merge_profiles([]), merge_profiles([stacks(OTHER)]), ("a", "b"), "read")
    assert not missing.lines and missing.remarks[0].startswith("a: not profiled")


@pytest.mark.parametrize("base", [None, BASE])
def test_the_picture_is_whole_and_names_are_escaped(base: dict[str, int] | None) -> None:
    hostile = {**OTHER, "t;<script>alert(1)</script>;x": 50}
    text = flame_svg(layout(hostile, base), 'a "title" <b>', ["one & two"])
    tree = ElementTree.fromstring(text)
    assert len([each for each in tree.iter() if each.tag.endswith("title")]) == 8
    assert "<script>" not in text and not re.search(r"https?://(?!www\.w3\.org/2000/svg)", text)


# counted steps: 10 events of the base, 20 of the other
COUNTED_BASE = {"client;main;btr_cur_search": 6000, "client;main;memcpy": 1000, "client;main;[mysqld]": 3000}
COUNTED_OTHER = {
    "client;main;btr_cur_search": 14_000,
    "client;main;[mysqld];[libc.so.6]": 8000,
    "client;main;vio_read": 6000,
}


def counted(folded: dict[str, int], events: int, **more: object) -> Stacks:
    n = sum(folded.values())
    return Stacks("callgrind", "instructions", on_cpu=pack(folded)[0], on_samples=n, events=events, **more)  # type: ignore[arg-type]


def counted_pair() -> tuple[StepStacks, StepStacks]:
    return merge_profiles([counted(COUNTED_BASE, 10)]), merge_profiles([counted(COUNTED_OTHER, 20)])


def test_instructions_are_compared_for_an_event_and_what_has_no_name_is_one() -> None:
    base, other = counted_pair()
    found = {each.name: each for each in function_work_changes(base, other)}
    assert found["btr_cur_search"].own == (600, 700) and found["main"].total == (1000, 1400)
    assert found[NAMELESS].own == (300, 400) and found[NAMELESS].only_in is None
    assert found["memcpy"].only_in == 0 and found["vio_read"].only_in == 1
    assert next(iter(found)) == "vio_read"  # 300 more
    assert sum(each.own_change for each in found.values()) == 400
    assert part_work_changes(list(found.values())) == {
        "network": 300, "InnoDB: B-tree": 100, UNNAMED: 100, "SQL layer and libraries": -100,
    }  # fmt: skip


def test_starts_of_a_counted_step_are_added_with_their_events() -> None:
    elsewhere = Stacks(problem="of a counted step the first start of a contender has the stacks")
    found = merge_profiles([counted(COUNTED_BASE, 10), elsewhere, counted(COUNTED_BASE, 10)])
    assert (found.events, found.samples, found.sessions) == (20, 20_000, 2)
    assert found.remarks == ("counted by callgrind in the thread of the client, 10 events",)
    assert merge_profiles([elsewhere]).remarks == (elsewhere.problem,)
    cut = merge_profiles([counted(COUNTED_BASE, 10, on_cut=500, unnamed_pct=15.2)]).remarks
    assert "500 instructions of rare stacks left out" in cut
    assert "15.2% of the instructions are in functions without a name: the build has no symbols" in cut


def test_a_sentence_names_the_parts_and_adds_up() -> None:
    base, other = counted_pair()
    assert work_sentence(base, other, ("a", "b")) == (
        "b takes 400 instructions more than a for an event: network +300,"
        " functions without a name +100, InnoDB: B-tree +100, SQL layer and libraries -100;"
        " 30% of the instructions of a have no function with a name, and may belong to any part;"
        " 29% of the instructions of b have no function with a name, and may belong to any part"
    )
    assert work_sentence(other, base, ("b", "a")).startswith("a takes 400 instructions fewer than b")
    assert work_sentence(base, base, ("a", "b")) == "b takes as many instructions as a, within 0.3%"


def test_functions_that_make_the_difference_have_their_share_of_it() -> None:
    base, other = counted_pair()
    table = function_changes_table(base, other, ("a", "b"), "read")
    assert table.title == "read: b against a, 1,400 and 1,000 instructions for an event"
    (first, *_) = table.lines
    assert first == ("vio_read", "network", "300", "0", "+300", "+75.0%", "300", "0", "+300", "b")
    assert ONE_SIDED in table.remarks and not any("sample" in each for each in table.remarks)
    same = function_changes_table(base, base, ("a", "b"), "read")
    assert "share" not in same.heads and ONE_SIDED not in same.remarks  # nothing to share out
    assert functions_table(base, "read").title == "read: 1,000 instructions for an event"


def test_counted_stacks_are_not_compared_with_samples() -> None:
    base, _ = counted_pair()
    sampled = merge_profiles([stacks(OTHER)])
    assert not are_comparable(base, sampled)
    table = function_changes_table(base, sampled, ("a", "b"), "read")
    assert not table.lines and "one is counted, the other sampled: they are not compared" in table.remarks
    missing = function_changes_table(base, merge_profiles([]), ("a", "b"), "read")
    assert missing.remarks[0] == "b: no stacks: of a counted step the first start of a contender has them"


def test_a_flame_graph_of_counted_steps_says_instructions_for_an_event() -> None:
    base, other = counted_pair()
    flame = flame_of(other, base)
    texts = {frame.name: frame_text(flame, frame) for frame in flame.frames}
    assert flame_text(flame) == "1,400 instructions for an event"
    assert texts["btr_cur_search"] == (
        "btr_cur_search: 700 of 1,400 instructions for an event, 50.0%; 700 of its own;"
        " all of its calls 700, in the base 600, its own code 700, in the base 600"
    )
    by_name = dict(zip((frame.name for frame in flame.frames), growth(flame), strict=True))
    assert (
        by_name["vio_read"] == 1
        and by_name["main"] == 0
        and by_name["btr_cur_search"] == pytest.approx(1 / 3)
    )
    svg = flame_svg(flame, "read")
    assert "more instructions of its own than in the base" in svg and "samples" not in svg
    assert change_texts(layout(OTHER, BASE))[1] == "no change beyond chance"
