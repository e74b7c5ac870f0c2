"""Rates of each second: a client sends whole events, so several may send more than the plan says."""

from __future__ import annotations

from app.core.units import count_text
from app.protocol.answers import WARN, Check
from app.protocol.plan import Plan, Step

ROUNDED = 1.01  # times the rate of the plan: above it a person should know


def rate_checks(plan: Plan) -> list[Check]:
    """One for each step whose clients are asked for a noticeably higher rate; once for all points alike."""
    higher = [step for step in plan.steps if step.sent_rate > ROUNDED * step.rate]
    alike = {(step.name, step.rate, step.threads): step for step in higher}
    return [Check("rate", WARN, *_words(step)) for step in alike.values()]


def _words(step: Step) -> tuple[str, str]:
    text = f"step {step.name} asks for {sent_rate_text(step)}, where the plan says {step.rate:,}"
    return text, f"choose a rate that {step.threads:,} clients can share equally"


def sent_rate_text(step: Step) -> str:
    """`100 events/s even`, or `8 events/s each-second (1 by each of 8 clients)`."""
    text = f"{step.sent_rate:,} events/s {step.arrivals}"
    if step.sent_rate == step.rate:
        return text
    return f"{text} ({step.sent_rate // step.threads:,} by each of {count_text(step.threads, 'client')})"
