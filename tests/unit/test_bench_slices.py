"""What the bench of slices makes of its plans; the plans themselves are made up, as they take hours."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.bench import agreement, slice_beginning, slices
from tests.bench.figure import Figure
from tests.bench.sliced_latency import figures_of
from tests.bench.sliced_plans import EQUALS, Bench, Carried, PlanFailedError
from tests.rounds import sliced_plan

PLAN = sliced_plan()
NOISE = (-0.01, 0.0, 0.01, 0.02, -0.02)


class MadeUp(Bench):
    """Ratios of rounds by a formula of engine, order and step, in place of servers."""

    def __init__(self, log_of: Callable[[str, str, str, float], float], fails: Sequence[int] = ()) -> None:
        self.log_of, self.fails, self.orders, self.seconds = log_of, fails, list[str](), list[int]()

    def carry_out(
        self, contenders: Sequence[str], order: str, driven: Sequence[str], seconds: int
    ) -> Carried:
        self.orders.append(order)
        self.seconds.append(seconds)
        if len(self.orders) in self.fails:
            raise PlanFailedError("not over within 7 s")
        logs = {name: [self.log_of(contenders[1], order, name, each) for each in NOISE] for name in driven}
        false = ["point-query"] if len(self.orders) == 1 else []
        return Carried(PLAN, logs, false, 0, {turn.session: Path("/dev/null") for turn in PLAN.turns})


def options(**changes: object) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    slices.add_options(parser)
    asked = {"seconds": 0, "engines": "", **changes}
    return argparse.Namespace(**{**vars(parser.parse_args([])), **asked})


def by_name(figures: Sequence[Figure]) -> dict[str, Figure]:
    return {each.name: each for each in figures}


def test_equals_count_false_plans_and_tell_the_ratio(capsys: pytest.CaptureFixture[str]) -> None:
    bench = MadeUp(lambda engine, order, name, noise: noise + 0.04 * (name == EQUALS[1]))
    found = by_name(slices.equals(bench, options(plans=2, noise="quiet")))
    false = found["left alone: with a false cell"]
    assert (false.value, false.n, false.is_met) == (1, 2, True)
    off = found["left alone: update-index, off 1"]
    assert off.value == pytest.approx(4.08, abs=0.01) and not off.is_met
    assert not found["left alone: update-index, from (95 %)"].is_met  # 1 lies outside
    assert found["left alone: point-query, to (95 %)"].is_met
    assert capsys.readouterr().out.count("| left alone |") == 2  # what there is so far, after each plan


def test_slices_are_so_many_times_narrower_than_whole_sessions() -> None:
    bench = MadeUp(lambda engine, order, name, noise: noise * (4 if order == "interleaved" else 1))
    found = by_name(slices.narrower(bench, options(plans=2)))
    assert bench.orders == ["slices", "interleaved", "interleaved", "slices"]
    assert found["point-query: times narrower"].value == pytest.approx(4.0)
    assert found["point-query: times narrower"].is_met


def test_latencies_in_slices_are_held_against_those_without_a_gate() -> None:
    def turn(ms: float) -> list[list[float]]:
        return [[ms, 98], [9.0, 2]]

    found = by_name(figures_of("scan", [[turn(1.1), turn(1.0), turn(2.0), turn(2.2)]] * 3))
    slower = found["scan: p95 in slices over that without a gate, off"]
    assert slower.value == pytest.approx(10) and not slower.is_met
    assert found["scan: p99 in slices over that without a gate, off"].is_met


def test_the_beginning_of_a_slice_is_held_against_all_of_it() -> None:
    def line(ms: float) -> dict[str, object]:
        return {"events": 1000 / ms, "interval_s": 1.0, "buckets": [[ms, 100]]}

    found = by_name(slice_beginning.figures_of("scan", [[line(3), line(2), line(2), line(3)]] * 3))
    assert found["scan: rate of the first 0.1 s over that of 1 s"].value == pytest.approx(2 / 3)
    assert found["scan: p99 of the first 0.1 s over that of 1 s"].value == pytest.approx(1.5)


def test_ratios_in_slices_are_held_against_those_of_whole_steps() -> None:
    def figures(factor: float) -> dict[str, dict[str, float | None]]:
        """In slices the first turn and the last one, on a machine that becomes slower."""
        rates = (900.0 * factor, 1000.0, 500.0, 450.0 * factor)
        return {
            f"insert.{at}{turn}": {"rate": rate, "p50": 2 / rate}
            for at, (turn, rate) in enumerate(zip("abba", rates, strict=True))
        }

    logs = agreement.logs_of("myisam", figures(1), figures(0.9))
    assert logs["myisam", "insert", "ratio"] == pytest.approx([math.log(0.9)] * 2)
    found = by_name(agreement.figures_of(logs))
    off = found["myisam over innodb, insert: ratio in slices over whole steps, off"]
    assert off.value == pytest.approx(10) and not off.is_met and len(found) == 3 * 4
    slower = found["innodb, all workloads: p50 in slices over whole steps"]
    assert slower.value == pytest.approx(1 / 0.9) and slower.n == 2
    without = {**figures(1), "insert.1b": {"rate": None}}
    logs = agreement.logs_of("myisam", without, figures(1))  # a pair without a figure counts for nothing
    assert logs["myisam", "insert", "ratio"] == pytest.approx([0.0])


def test_a_plan_that_fails_is_left_out_and_three_end_it(capsys: pytest.CaptureFixture[str]) -> None:
    bench = MadeUp(lambda engine, order, name, noise: noise, fails=(2,))
    found = by_name(slices.equals(bench, options(plans=3, noise="quiet")))
    assert found["left alone: with a false cell"].n == 2
    assert "a plan came to nothing: not over within 7 s" in capsys.readouterr().out
    with pytest.raises(SystemExit, match="3 plans in a row"):
        slices.narrower(MadeUp(lambda *_: 0.0, fails=(1, 2, 3)), options())
