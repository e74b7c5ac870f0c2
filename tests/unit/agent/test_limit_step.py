"""A search for a limit on a simulated server: what it tries, keeps and answers, and when it gives up."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from app.agent.steps import limit_step
from app.agent.steps.limit_step import EVENTS, LEAST_S, LimitStep
from app.history.steps.rates import limit_search_text, rate_try_lines
from app.protocol.events import REPEATED
from app.protocol.others import DISTURBED, Others
from app.protocol.plan import LIMIT, Step
from app.protocol.step_parts import Totals
from tests import journals

CAPACITY = 20_000  # events per second
STEP = Step(
    "reads",
    LIMIT,
    lua="point-query.lua",
    threads=8,
    seconds=10,
    warmup=1,
    limit_ms=5.0,
    cap_s=900,
    sliced=False,
)


class Server:
    """Runs steps at once: a queue whose p99 has no end at its capacity."""

    def __init__(self, its_step: Step = STEP) -> None:
        self.now, self.ran, self.drained = 0.0, list[Step](), 0
        self.service_ms, self.outcome_after = 0.2, 1000
        self.journal = SimpleNamespace(write=self._write, log=lambda text, _level: self.told.append(text))
        self.told: list[str] = []
        self.disturbed_at = 0  # the number of the run that others disturb
        self.marks: list[str] = []
        self.plan = journals.plan(its_steps=[its_step])
        self.turn = self.plan.turns[0]
        self.step = its_step

    def _write(self, _kind: Any, name: str, **_fields: Any) -> None:
        self.marks.append(name)

    def drive(self, step: Step) -> dict[str, Any]:
        self.ran.append(step)
        self.now += step.warmup + step.seconds
        if len(self.ran) > self.outcome_after:
            return {"outcome": "stopped", "reason": "a person asked for it"}
        rate = step.rate or CAPACITY
        done = min(rate, CAPACITY) * step.seconds
        load = min(rate / CAPACITY, 0.9999)
        return {
            "outcome": "completed",
            "reason": "",
            "seconds": float(step.seconds),
            "totals": Totals(events=done, queries=3 * done),
            "latency_ms": {"p99": self.service_ms * 4.6 / (1 - load)},
            "marks": ["rate-missed"] * (rate > CAPACITY) + [DISTURBED] * (len(self.ran) == self.disturbed_at),
            "others": Others(causes=["cpu"]) if len(self.ran) == self.disturbed_at else None,
        }

    def search(self) -> dict[str, Any]:
        return LimitStep(self, None, 0, self.step, 1).run()  # type: ignore[arg-type]


@pytest.fixture
def simulated(monkeypatch: pytest.MonkeyPatch) -> Server:
    server = Server()

    class Driven:
        def __init__(self, _session: Any, _facts: Any, _index: int, step: Step, _seed: int) -> None:
            self.step = step

        def run(self) -> dict[str, Any]:
            return server.drive(self.step)

    def drain(*_arguments: Any) -> None:
        server.drained += 1

    monkeypatch.setattr(limit_step, "DriveStep", Driven)
    monkeypatch.setattr(limit_step, "drain", drain)
    monkeypatch.setattr(limit_step, "time", SimpleNamespace(monotonic=lambda: server.now))
    return server


def test_the_answer_is_the_highest_rate_under_the_limit(simulated: Server) -> None:
    ended = simulated.search()
    truth = CAPACITY * (1 - simulated.service_ms * 4.6 / STEP.limit_ms)
    found = ended["limit"]
    assert ended["outcome"] == "completed" and found.rate == pytest.approx(truth, rel=0.011)
    assert ended["value"] == pytest.approx(3 * found.rate)  # in queries, of which an event has three
    passes = [each for each in found.tries if each.rate == found.rate and each.passed]
    assert len(passes) == 3
    assert found.closed_rate == CAPACITY and found.p99_ms == 5.0


def test_the_first_run_has_no_rate_and_each_try_enough_events(simulated: Server) -> None:
    simulated.search()
    first, *tries = simulated.ran
    assert (first.kind, first.rate, first.seconds) == ("drive", 0, STEP.seconds)
    assert all(each.kind == "drive" and each.seconds >= LEAST_S for each in tries)
    assert all(each.rate * each.seconds >= 1.04 * EVENTS for each in tries)
    assert simulated.marks == [REPEATED] * len(tries)
    assert len(simulated.told) == len(tries) and "p99" in simulated.told[0]
    assert simulated.drained == 0  # a step that only reads leaves nothing to write


def test_one_disturbed_try_marks_the_answer(simulated: Server) -> None:
    assert DISTURBED not in simulated.search()["marks"]
    simulated.disturbed_at = len(simulated.ran) + 3
    ended = simulated.search()
    assert ended["marks"] == [DISTURBED] and ended["others"] == Others(causes=["cpu"])


def test_a_step_that_writes_begins_each_try_on_a_settled_server(simulated: Server) -> None:
    simulated.step = Step(**{**vars(STEP), "writes": True})
    simulated.search()
    assert simulated.drained == len(simulated.ran) - 1


def test_a_search_that_takes_too_long_has_no_result(simulated: Server) -> None:
    simulated.step = Step(**{**vars(STEP), "cap_s": 60})
    ended = simulated.search()
    assert simulated.now <= 60
    assert ended["outcome"] == "failed" and "time limit of 60 s" in ended["reason"]
    assert ended["limit"].rate is None and ended["limit"].tries


def test_a_limit_that_no_rate_keeps_has_no_result(simulated: Server) -> None:
    simulated.service_ms = 2.0
    ended = simulated.search()
    assert ended["outcome"] == "failed" and "a tenth" in ended["reason"]


def test_a_search_that_is_stopped_keeps_its_tries(simulated: Server) -> None:
    simulated.outcome_after = 4
    ended = simulated.search()
    assert ended["outcome"] == "stopped" and len(ended["limit"].tries) == 3


def test_a_search_in_words() -> None:
    tries = [{"rate": 4200, "p99_ms": 4.812, "events": 21_000, "passed": True}]
    found: Any = {"p99_ms": 5.0, "closed_rate": 6000.0, "rate": 4200, "tries": tries}
    assert limit_search_text(found) == (
        "p99 under 5 ms at 4,200 events/s, 70% of 6,000 events/s without a limit; tries: 1"
    )
    assert rate_try_lines(found) == ["try 1: 4,200 events/s, p99 4.81 ms, passed"]
    assert "not found, 6,000 events/s" in limit_search_text({**found, "rate": None})
    assert limit_search_text(None) == "" and rate_try_lines(None) == []
    tries = [{"rate": rate, "passed": passed} for rate, passed in ((4000, True), (4200, False), (5000, True))]
    assert limit_search_text({**found, "tries": tries}).endswith(
        "; tries: 3; from 4,200 to 5,000 events/s some passed and some failed"
    )
    assert limit_search_text({**found, "tries": tries[:2]}).endswith("; tries: 2")
