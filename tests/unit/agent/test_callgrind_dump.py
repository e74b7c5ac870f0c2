"""What callgrind writes of a thread, as stacks: exact, the same names in all builds, and bounded."""

from __future__ import annotations

from itertools import chain, repeat
from pathlib import Path

import pytest

from app.agent.profiling import callgrind_dump
from app.agent.profiling.callgrind_dump import CallgrindDump, counted_stacks
from app.protocol.stacks import LONGEST_PACKED, unpack

# of the monitor thread of a MySQL 9.7, by valgrind 3.19 with --separate-callers=100 --dump-line=no
REAL = Path(__file__).parents[2] / "data" / "callgrind_dump"

MADE = """\
ob=(1) /opt/mysqld
fl=(1) a.cc
fn=(1) Item::val_int() const'JOIN::exec()
10 7
+2 1
cob=(2) /lib/libc.so.6
cfn=(2) memcpy'Item::val_int() const'JOIN::exec()
calls=3 0
* 400
fn=(3) 0x00000000004a1b20'0x00000000004a1b30'JOIN::exec()
1 5
fn=(7) 0x00000000004a1b30'JOIN::exec()
1 1
ob=(2)
fn=(2)
0 40
fn=(4) 0x0000000000000100'0x00000000004a1b20'JOIN::exec()
0 2
fn=(5) fix_fields.isra.0'2'Item::fix_fields(THD*)'JOIN::exec()
0 3
ob=(1)
fn=(6) fix_fields'Item::fix_fields(THD*)'JOIN::exec()
0 30
totals: 89
"""


def folded(text: str) -> dict[str, int]:
    return CallgrindDump(text.splitlines()).folded()[0]


def test_a_real_dump_adds_up_to_the_total_of_its_thread() -> None:
    found = counted_stacks(str(REAL), 4)
    stacks = unpack(found.on_cpu)
    assert (found.tool, found.event, found.events, found.problem) == ("callgrind", "instructions", 4, "")
    assert sum(stacks.values()) == found.on_samples == 1092 and not found.on_cut
    waiting = "client;srv_monitor_thread;os_event_wait_time_low;os_event::wait_time_low"
    assert stacks[f"{waiting};os_event::get_wait_timelimit"] == 64 + 2 + 56  # its lines, by hand
    assert found.unnamed_pct == 32.6  # the C library of this build has no names of its static functions


def test_a_stack_has_its_own_instructions_and_short_names() -> None:
    assert folded(MADE) == {
        "client;JOIN::exec;Item::val_int": 8,  # what memcpy took is not in it
        "client;JOIN::exec;Item::val_int;memcpy": 40,
        "client;JOIN::exec;[mysqld]": 6,  # two in a row without a name are one
        "client;JOIN::exec;[mysqld];[libc.so.6]": 2,
        "client;JOIN::exec;Item::fix_fields;fix_fields": 33,  # a copy, and its second turn
    }


def test_the_rarest_stacks_are_cut_and_counted(tmp_path: Path) -> None:
    lines = [
        f"fn=({at}) f{at * 7919 % 100_003:x}'g{at * 104_729 % 99_991:x}\n0 {at}\n" for at in range(1, 60_000)
    ]
    path = tmp_path / "dump"
    path.write_text("".join([*lines, f"totals: {sum(range(60_000))}\n"]))
    found = counted_stacks(str(path), 1)
    assert len(found.on_cpu) <= LONGEST_PACKED and found.on_cut
    assert sum(unpack(found.on_cpu).values()) + found.on_cut == found.on_samples == sum(range(60_000))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (MADE.replace("totals: 89", "totals: 90"), "have 89 instructions, and the thread 90"),
        (MADE.replace("totals: 89\n", ""), "have 89 instructions, and the thread 0"),
        ("", "have 0 instructions"),
        ("totals: 0\n", "have 0 instructions"),
        ("0 5\nfn=(1) f\n0 5\ntotals: 10\n", "instructions of no function"),
        ("fn=(1)\n0 5\ntotals: 5\n", "instructions of no function"),  # a number without a name
        ("fn=(1) f\n0 " + "9" * 40 + "\ntotals: 5\n", "have 0 instructions"),
        ("fn=(1) f\n" + "0 400000000000\n" * 3 + "totals: 1200000000000\n", "instructions or more"),
        ("fn=(1) " + "x'" * 40_000 + "\n0 5\ntotals: 5\n", "a line has more than"),
        ("\x00\xff\x1b[31m\n" * 50, "have 0 instructions"),
    ],
)
def test_what_does_not_add_up_is_no_stacks(tmp_path: Path, text: str, problem: str) -> None:
    path = tmp_path / "dump"
    path.write_text(text)
    found = counted_stacks(str(path), 10)
    assert problem in found.problem and not found.on_cpu and not found.events


def test_a_function_that_calls_itself_in_circles_is_finite() -> None:
    circle = "'".join(["a()", "b()"] * 5000)
    (stack,) = folded(f"fn=(1) {circle}\n0 5\ntotals: 5\n")
    assert stack.count(";") <= callgrind_dump.DEEPEST


def test_stacks_without_end_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(callgrind_dump, "MOST_STACKS", 1000)
    endless = chain.from_iterable((f"fn=({at}) f{at}", "0 1") for at, _ in enumerate(repeat(0)))
    with pytest.raises(ValueError, match="more than 1,000 stacks"):
        CallgrindDump(endless)


def test_a_huge_dump_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "dump"
    with path.open("wb") as file:
        file.truncate(callgrind_dump.MOST_BYTES + 1)
    assert "larger than 64 MiB" in counted_stacks(str(path), 1).problem


def test_without_a_dump_it_says_who_has_one(tmp_path: Path) -> None:
    assert "the first start" in counted_stacks("", 1).problem
    assert "cannot be read" in counted_stacks(str(tmp_path / "none"), 1).problem
