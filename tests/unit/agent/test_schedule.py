"""What a step at a rate reports: rate, backlog, and a mark where it could not keep up."""

from __future__ import annotations

from app.agent.sampling.figures import achieved_rate, missed_rate_marks, misses_level
from app.history.steps.rates import missed_schedule_text
from app.protocol.plan import Step
from app.protocol.step_parts import RateAdherence, to_json

STEP = Step("a", "drive", seconds=60, rate=2000)


def test_a_step_that_kept_its_rate_has_no_mark() -> None:
    found = achieved_rate(STEP, 0.003, 120_010, 60.0)
    assert found == RateAdherence(2000, 2000.17, 0.003, 6)
    assert missed_rate_marks(found, 60.0) == []


def test_a_step_that_was_too_slow_says_by_how_much() -> None:
    found = achieved_rate(STEP, 17.4, 85_200, 60.0)
    assert missed_rate_marks(found, 60.0) == ["rate-missed"]
    said = missed_schedule_text(to_json(found))
    assert said == "1,420 of 2,000 events/s; 17 s behind when it ended, with 34,800 events waiting"


def test_steps_without_a_rate_or_of_older_journals_say_nothing() -> None:
    assert missed_rate_marks(None, 60.0) == []
    assert missed_schedule_text(None) == missed_schedule_text({}) == ""


def test_a_step_bounded_by_events_cuts_none_off() -> None:
    found = achieved_rate(Step("a", "drive", events=100, rate=50), 1.0, 100, 3.0)
    assert found.queued is None and "waiting" not in missed_schedule_text(to_json(found))


def test_clients_that_round_up_are_held_to_what_they_are_asked_for() -> None:
    """Each of 8 sends a whole event a second: 8, not 2."""
    step = Step("a", "drive", rate=2, arrivals="each-second", threads=8, seconds=10, least_pct=95.0)
    found = achieved_rate(step, None, 40, 10.0)
    assert found == RateAdherence(8, 4.0, 0.0, None, 7.6)
    assert misses_level(found, {}) and not misses_level(achieved_rate(step, None, 80, 10.0), {})
