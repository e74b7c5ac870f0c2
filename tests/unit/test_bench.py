"""The bench's own instruments: ratios of paired turns, costs of processes, figures against goals."""

from __future__ import annotations

import argparse
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from app.engines.governs import GOVERNS
from app.protocol.events import StepEnded, StepStarted, encode, from_json
from app.protocol.step_parts import P99LimitSearch, TriedRate
from tests.bench import causes, insert_benchmark, limits
from tests.bench.figure import Figure
from tests.bench.pairs import mean_ratio, ratio_of
from tests.bench.processes import Watch, of_dyno
from tests.bench.sliced_plans import Carried, joined, logs_of, slice_overheads
from tests.plans import plan
from tests.rounds import SETUP_S, Round, sliced_plan

BURN = "import time\nwhile time.process_time() < 0.4: pass\nprint(flush=True)\ninput()\n"


def test_drift_falls_out_of_the_blocks() -> None:
    """1,000 queries a second that become slower by 1 % with each turn; A has 0.99 of B."""
    speeds = [1000 * 0.99**turn for turn in range(400)]
    blocks = [
        (speeds[at] * 0.99, speeds[at + 1], speeds[at + 2], speeds[at + 3] * 0.99) for at in range(0, 400, 4)
    ]
    ratio = ratio_of(blocks)
    assert ratio.value == pytest.approx(0.99)
    assert ratio.low == pytest.approx(0.99)
    assert ratio.pairs == 200


def test_the_interval_of_a_benchmark_holds_the_truth_as_often_as_it_says() -> None:
    noise = random.Random(7)
    holds = 0
    for _ in range(200):
        turns = [
            [noise.gauss(1000, 50) * (1.02 if at in (0, 3) else 1) for at in range(4)] for _ in range(10)
        ]
        ratio = ratio_of([(a, b, c, d) for a, b, c, d in turns])
        holds += ratio.low <= 1.02 <= ratio.high
    assert 0.90 <= holds / 200 <= 0.99


def test_one_block_shows_nothing() -> None:
    ratio = ratio_of([(1.0, 1.0, 1.0, 1.0)])
    assert (ratio.low, ratio.high) == (0.0, float("inf"))


def test_a_ratio_of_rounds_has_students_interval() -> None:
    ratio = mean_ratio([0.0, 0.01, 0.02])
    assert ratio.value == pytest.approx(1.01005, abs=1e-5)
    assert ratio.high / ratio.value == pytest.approx(1.02515, abs=1e-4)  # 4.303 x 0.01 / sqrt(3)
    assert ratio.pairs == 3


def test_a_ratio_is_of_both_sessions_of_a_round_or_of_none() -> None:
    plan = sliced_plan(2, repeats=2)
    (first, second, third, fourth) = plan.turns
    assert [turn.contender for turn in plan.turns] == [0, 1, 0, 1]
    figures = {
        first.session: {"read": 100.0, "write": 10.0}, second.session: {"read": 110.0, "write": None},
        third.session: {"read": 100.0, "write": 10.0}, fourth.session: {"read": 90.0, "write": 8.0},
    }  # fmt: skip
    logs = logs_of(plan, figures)
    assert logs["read"] == pytest.approx([0.09531, -0.10536], abs=1e-5)
    assert logs["write"] == pytest.approx([-0.22314], abs=1e-5)
    carried = Carried(plan, logs, [], 0, {})
    assert [*map(len, joined([carried.logs, carried.logs]).values())] == [4, 2]


def test_what_a_step_takes_beside_its_slices_is_taken_from_the_journals(tmp_path: Path) -> None:
    plan = sliced_plan(2, seconds=4)
    made = Round(plan).begin()
    sliced = [at for at, step in enumerate(plan.steps) if step.sliced]
    for at in sliced:
        for maker in made.makers:
            made.spend(maker, SETUP_S)
            maker.start_step(at)
        for s, numbers in enumerate(((0, 1), (1, 0), (0, 1), (1, 0))):
            for number in numbers:
                made.clock += 0.0 if s and number == numbers[0] else 0.25  # before each change
                made.slice(number, at, s, 1.0)
        made.end_step(at)
    journals = {}
    for maker in made.end().makers:
        journals[maker.session] = tmp_path / f"{maker.session}.jsonl"
        journals[maker.session].write_bytes(b"".join(map(encode, maker.events)))
    found = slice_overheads([Carried(plan, {}, [], 0, journals)])
    assert found == pytest.approx([(SETUP_S + 5 * 0.25) / 8] * len(sliced), abs=0.01)


def begin(program: str, *words: str) -> subprocess.Popen[str]:
    return subprocess.Popen([program, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def test_every_process_of_a_directory_and_below_is_watched_but_no_load(tmp_path: Path) -> None:
    agents = tmp_path / "agents"
    agents.mkdir()
    (agents / "sha.pyz").write_text("import subprocess, sys\nsubprocess.run(sys.argv[1:])\n")
    shutil.copy("/bin/cat", tmp_path / "sysbench")
    file = str(agents / "sha.pyz")
    begun = [
        begin(sys.executable, file, sys.executable, "-c", "print(flush=True); input()"),
        begin(sys.executable, file, str(tmp_path / "sysbench")),
    ]
    try:
        assert begun[0].stdout is not None
        begun[0].stdout.readline()  # its child runs
        assert begun[1].stdin is not None and begun[1].stdout is not None
        begun[1].stdin.write("\n")
        begun[1].stdin.flush()
        begun[1].stdout.readline()
        found = of_dyno(str(tmp_path), sshd=-1).values()
        assert len(found) == 3
        assert not [each for each in found if each.name == "sysbench"]
    finally:
        for each in begun:
            each.communicate("\n")


def test_the_cost_is_what_was_used(tmp_path: Path) -> None:
    file = tmp_path / "agents" / "sha.pyz"
    file.parent.mkdir()
    file.write_text(BURN)
    watch = Watch(str(tmp_path), sshd=-1)
    begun = begin(sys.executable, str(file))
    try:
        assert begun.stdout is not None
        begun.stdout.readline()
        watch.look()
        (cost,) = watch.costs.values()
    finally:
        begun.communicate("\n")
    assert 0.4 <= cost.cpu_s < 0.6
    assert cost.stat_s == pytest.approx(cost.cpu_s, abs=0.03)
    assert 5 < cost.memory_mb <= cost.peak_mb < 40


def test_a_goal_is_met_up_to_its_value() -> None:
    assert Figure("cpu", 0.25, "%", 1, at_most=0.25).is_met
    assert not Figure("cpu", 0.251, "%", 1, at_most=0.25).is_met
    assert Figure("qps", 0.98, "", 1, at_least=0.98).row()[-2:] == (">= 0.98", "met")
    assert Figure("qps", 0.9799, "", 1, at_least=0.98).row()[-1] == "NOT MET"
    assert Figure("size", 5, "MiB", 1).row()[-1] == ""


def test_answers_of_searches_are_held_against_their_median() -> None:
    def search(rate: int, outcome: str = "completed") -> list[StepStarted | StepEnded]:
        limit = P99LimitSearch(closed_rate=2000, rate=rate, tries=[TriedRate(rate, passed=True)] * 12)
        return [
            StepStarted(1, 10.0, 0.0, step=3),
            StepEnded(2, 12.0, 0.0, step=2, outcome="completed"),
            StepEnded(3, 310.0, 0.0, step=3, outcome=outcome, limit=limit),
        ]

    events = [event for rate in (1000, 1020, 950) for event in search(rate)]
    found = limits.searches_of([*events, *search(1, "failed")], {3})
    assert found[0].line().startswith("completed in 300 s: 1000 of 2000 events/s (1000 passed 0.00 ms; ")
    figures = {figure.name.partition(": ")[2]: figure for figure in limits.figures_of("innodb", found)}
    assert figures["with an answer"].value == 3 and not figures["with an answer"].is_met
    assert figures["the answer, median"].value == 1000
    off = figures["an answer is off the median by, at most"]
    assert off.value == pytest.approx(5) and not off.is_met
    assert figures["tries, median"].value == 12 and figures["a search takes, at most"].value == 300
    assert len(limits.figures_of("innodb", found[3:])) == 1


def test_settings_that_hurt_are_drawn_by_their_seed() -> None:
    def drawn(seed: int) -> list[causes.Setting]:
        options = argparse.Namespace(build="mysql-8.0.33", unknown=False, settings="", draw=12)
        return causes.chosen(options, random.Random(seed))

    assert drawn(1) == drawn(1) != drawn(2)
    assert len(drawn(1)) == 12 and all(each.build in ("", "mysql") for each in drawn(1))
    every = (*causes.SETTINGS, *causes.UNKNOWN)
    assert all(each.step in causes.STEPS and each.variables for each in every)
    assert not {name for each in causes.UNKNOWN for name in each.variables} & set(GOVERNS)


def test_the_insert_benchmark_tells_rates_responses_and_size() -> None:
    made = plan(sequence="insert-benchmark-short")
    found = []
    for at, step in enumerate(made.steps):
        schedule = {"rate": step.rate, "achieved": 0.9 * step.rate} if step.rate else None
        ended = {
            "value": 7.0,
            "latency_ms": {"max": 12.5},
            "totals": {"events": 30},
            "schedule": schedule or {},
        }
        sizes = {"sizes": {"total": 3 * 2**20}} if not step.beside else {}
        stamp = {"kind": "step_ended", "seq": at + 1, "t": 1.0, "at": 1.0, "step": at, "outcome": "completed"}
        found.append(from_json({**stamp, **ended, **sizes}))
    figures = {each.name: each for each in insert_benchmark.figures_of("innodb", made, found)}
    assert figures["innodb, l.i0"].value == 7.0 and figures["innodb, l.i0"].unit == "rows/s"
    kept = figures["innodb, qr100.inserter, rate kept"]
    assert kept.value == pytest.approx(90.0) and not kept.is_met
    assert figures["innodb, qp1000, longest response"].value == 12.5
    assert figures["innodb, data directory at the end"].value == 3.0
    assert not any("deleter" in name or "wait" in name for name in figures)
