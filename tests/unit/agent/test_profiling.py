"""What is read of perf, gdb, eu-stack and the kernel: stacks by name, counters, what a machine lacks."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from app.agent.checks.check import profile_check
from app.agent.profiling.dumps import stacks_by_thread
from app.agent.profiling.names import short_function_name
from app.agent.profiling.perf import DWARF, FRAME_POINTERS, fold, perf_stat_counters, rate_for
from app.agent.profiling.profile import KernelStacks, StackSampling
from app.agent.profiling.tools import Tools, counted_instructions, unwinding_of
from app.agent.sampling.figures import per_unit
from app.agent.server.program import mapped_server_binary
from app.protocol.plan import Step
from app.protocol.stacks import PROFILED, PROFILED_ON_REQUEST

SCRIPT = """\
mysqld   140 
                  874e91 [unknown] (/usr/sbin/mysqld)
                  8ade2f handle_select(THD*, LEX*) (/usr/sbin/mysqld)
                   891f5 start_thread (/usr/lib/libc.so.6)

ib_pg_flush-1   146 
        ffffffff8134a1b5 fsync_bdev ([kernel.kallsyms])
                  10a974 fsync (inlined)

mysqld   141 
                  874e91 [unknown] (/usr/sbin/mysqld)
                  8ade2f handle_select(THD*, LEX*) (/usr/sbin/mysqld)
                   891f5 start_thread (/usr/lib/libc.so.6)
"""  # noqa: W291 - as perf prints it

GDB = """\
[New LWP 127]
Thread 2 (Thread 0x77a43d3506c0 (LWP 159) "mysqld"):
#0  __futex_wait (private=0) at ./nptl/futex-internal.c:57
#1  0x0000565 in tpool::pool<int>::wait(std::unique_lock<std::mutex>&) () at /x/pool.cc:12
#2  0x00007fa in ?? () from /lib/x86_64-linux-gnu/libstdc++.so.6

Thread 1 (Thread 0x77a43db516c0 (LWP 12) "mysqld"):
#0  0x00007fa461d1a26f in poll () from /lib/libc.so.6
"""

EU_STACK = """\
PID 126 - process
TID 126:
#0  0x00007fa461d1a26f __poll
#1  0x000056504de4ed98 mysqld_main(int, char**)
TID 127:
#0  0x000056504e60ff8d
"""


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("JOIN::optimize_inner()", "JOIN::optimize_inner"),
        ("row_search_mvcc(unsigned char*, page_cur_mode_t)", "row_search_mvcc"),
        ("std::vector<int, std::allocator<int> >::push_back(int const&)", "std::vector::push_back"),
        ("void sort<A<B> >(A<B>*)", "sort"),
        ("Field::operator<(Field const&) const", "Field::operator<"),
        ("foo::operator()(int)", "foo::operator()"),
        ("operator new(unsigned long)", "operator new"),
        ("(anonymous namespace)::run()", "anonymous::run"),
        ("buf_page_get.isra.0", "buf_page_get"),
        ("do_select.part.3.cold", "do_select"),
        ("cfree@GLIBC_2.2.5", "cfree"),
        ("a\x1b[31m;b\u202e", "a[31mb"),
        ("x" * 500, "x" * 120),
        ("((((", "(((("),
    ],
)
def test_names_are_short_and_the_same_in_all_builds(name: str, short: str) -> None:
    assert short_function_name(name) == short


def test_a_function_without_a_name_is_called_after_its_file_and_the_kernel_is_marked() -> None:
    assert short_function_name("[unknown]", "/usr/sbin/mysqld") == "[mysqld]"
    assert short_function_name("??", "") == "[unknown]"
    assert short_function_name("do_sys_poll", "[kernel.kallsyms]") == "do_sys_poll_[k]"


def test_equal_stacks_of_perf_are_added_from_the_thread_to_the_innermost_function() -> None:
    found, unnamed = fold(SCRIPT.splitlines(keepends=True))
    assert found == {
        "mysqld;start_thread;handle_select;[mysqld]": 2,
        "ib_pg_flush-1;fsync;fsync_bdev_[k]": 1,
    }
    assert unnamed == pytest.approx(2 / 8)


def test_nothing_comes_of_what_is_no_output_of_perf() -> None:
    assert fold(["\n", "no stack\n", "\t not hex (x)\n", "\x00\xff"]) == ({}, 0.0)


def test_counters_that_the_machine_does_not_have_are_missing_and_not_0() -> None:
    text = "<not supported>,,cycles,0,100.00,,\n1234,,page-faults:u,1,100.00,,\n\n# x\n9,,unknown,1\n"
    assert perf_stat_counters(text) == {"cycles": None, "page_faults": 1234.0}
    assert per_unit({"page_faults": 1234.0}, 1000)["page_faults"] == 1.234
    assert "cycles" not in per_unit({}, 1000)


PERF = """\
#!/bin/sh
# counts until it is interrupted, as `perf stat` does on a processor with counters
case "$*" in *" -- true") echo "9,,instructions:u,9,100.00,," > "$7"; exit 0;; esac
trap 'echo "123456,,instructions:u,9,100.00,," > "$9"; exit 0' INT
echo "$*" >> "$0.asked"
while :; do sleep 0.05; done
"""


def test_every_step_counts_instructions_where_the_processor_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    perf = tmp_path / "perf"
    perf.write_text(PERF)
    perf.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    counted_instructions.cache_clear()
    try:
        sampling = StackSampling(os.getpid(), str(tmp_path), Step("a", "drive", warmup=1))
        sampling.prepare()
        assert not (tmp_path / "perf.asked").exists()  # the warm-up is not counted
        sampling.begin()
        while not (tmp_path / "perf.asked").exists():
            sampling.look()
        sampling.end()
        assert sampling.spent() == {"instructions": 123456.0} and sampling.marks == []
        sampling.discard()
        assert not (tmp_path / "counters.txt").exists()
        (asked,) = (tmp_path / "perf.asked").read_text().splitlines()
        assert f"-p {os.getpid()}" in asked and "-e instructions:u" in asked
    finally:
        counted_instructions.cache_clear()


def test_samples_are_fewer_where_the_step_is_long() -> None:
    assert rate_for(FRAME_POINTERS, 10) > rate_for(DWARF, 10) > rate_for(DWARF, 36_000) == 1


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (GDB, {159: ["__futex_wait", "tpool::pool::wait", "[libstdc++.so.6]"], 12: ["poll"]}),
        (EU_STACK, {126: ["__poll", "mysqld_main"], 127: ["[unknown]"]}),
        ("garbage\n#0 \n", {}),
    ],
)
def test_dumps_of_all_threads_are_read(text: str, found: dict[int, list[str]]) -> None:
    assert stacks_by_thread(text) == found


def test_threads_that_wait_in_the_kernel_are_counted_and_those_that_run_are_not(tmp_path: Path) -> None:
    for tid, state in ((7, "S"), (8, "R"), (9, "D")):
        folder = tmp_path / "5/task" / str(tid)
        folder.mkdir(parents=True)
        (folder / "stat").write_text(f"{tid} (my ) sql) {state} 1")
        (folder / "stack").write_text("[<0>] futex_wait.isra.0+0x1/0x2\n[<0>] do_futex+0x3/0x4\n")
    stacks = KernelStacks(5, str(tmp_path))
    stacks.look()
    stacks.look()  # too soon: it reads nothing
    assert stacks.folded == {"my ) sql;do_futex_[k];futex_wait_[k]": 2}


def test_a_program_with_frame_pointers_is_unwound_by_them(tmp_path: Path) -> None:
    with_them, without = tmp_path / "with", tmp_path / "without"
    with_them.write_bytes(b"\x55\x48\x89\xe5....." * 3000)
    without.write_bytes(b"\x55\x48\x89\xe5" + bytes(100_000))
    assert unwinding_of(str(with_them)) == FRAME_POINTERS
    assert unwinding_of(str(without)) == unwinding_of(str(tmp_path / "gone")) == DWARF
    assert os.path.isfile(mapped_server_binary(os.getpid()))


def test_the_check_says_once_what_there_is_and_what_would_bring_the_rest() -> None:
    whole = profile_check(Tools("cycles", ("cycles", "page-faults"), "gdb", True))
    assert whole.state == "info" and not whole.todo
    assert whole.text == "perf samples stacks by cycles; counters per query: cycles, page-faults"
    bare = profile_check(Tools(no_perf="perf is not installed", no_dumper="neither is"))
    assert "no stacks: perf is not installed; neither is" in bare.text
    assert "counters per query: none (the machine shows no counters" in bare.text
    assert "linux-perf" in bare.todo and "elfutils" in bare.todo


def test_stacks_that_a_person_asks_for_begin_after_the_warm_up_and_count_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The counters would miss what ran before, and the costs per query be too small."""
    tools = Tools(kernel_stacks=True, counters=("cycles",))
    monkeypatch.setattr("app.agent.profiling.profile.find_profiling_tools", lambda: tools)
    profile = StackSampling(1, str(tmp_path), Step("s", "drive", seconds=10, warmup=5))
    profile.prepare()
    assert profile.request() and not profile.request()
    assert profile.marks == []  # nothing is sampled in the warm-up
    profile.begin()
    assert profile.marks == [PROFILED_ON_REQUEST] and profile.spent() == {}
    planned = StackSampling(1, str(tmp_path), Step("s", "drive", seconds=10, warmup=5, profile=True))
    assert not planned.request() and planned.mark == PROFILED


def test_a_step_for_which_there_is_no_tool_has_no_mark_and_says_why(tmp_path: Path) -> None:
    profile = StackSampling(1, str(tmp_path), Step("s", "drive", seconds=10))
    profile.begin()
    profile.look()
    profile.end()
    assert profile.marks == [] and profile.spent() == {}
    assert profile.stacks().problem.endswith("no stacks") and not profile.stacks().on_cpu
    assert not list(tmp_path.iterdir())
