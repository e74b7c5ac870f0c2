"""The bench's own instruments: ratios of paired turns, costs of processes, figures against goals."""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.bench.figure import Figure
from tests.bench.pairs import ratio_of
from tests.bench.processes import Watch, of_dyno

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


def test_the_interval_holds_the_truth_as_often_as_it_says() -> None:
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
