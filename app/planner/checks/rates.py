"""Rates of each second: a client sends whole events, so several may send more than the plan says."""

from __future__ import annotations

from app.core.units import count_text
from app.protocol.answers import WARN, Check
from app.protocol.plan import Plan, Step

ROUNDED = 1.01  # times the rate of the plan: above it a person should know


def rate_checks(plan: Plan) -> list[Check]:
    """One for each step whose clients are asked for a noticeably higher rate."""
    return [
        Check("rate", WARN, _text(step), f"choose a rate that {step.threads:,} clients can share equally")
        for step in plan.steps
        if step.sent_rate > ROUNDED * step.rate
    ]


def _text(step: Step) -> str:
    return f"step {step.label} asks for {asked_rate_text(step)}, where the plan says {step.rate:,}"


def asked_rate_text(step: Step) -> str:
    """`100 events/s even`, or `8 events/s each-second (1 by each of 8 clients)`."""
    text = f"{step.sent_rate:,} events/s {step.arrivals}"
    if step.sent_rate == step.rate:
        return text
    return f"{text} ({step.sent_rate // step.threads:,} by each of {count_text(step.threads, 'client')})"
