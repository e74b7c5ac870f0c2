"""Sessions with long steps, whose throughput falls, and which do nothing for three seconds."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from app.history.recorded.writing import JournalStorer
from app.history.store.history import History
from app.protocol.events import Sample
from app.protocol.plan import Step
from tests import comparable, journals

SERIES = [
    {"name": "load.queries", "unit": "queries/s", "kind": "rate", "direction": "higher", "digits": 2},
    {"name": "server.memory_mb", "unit": "MB", "kind": "gauge", "direction": "lower", "digits": 1},
    {"name": "innodb.history_list", "unit": "", "kind": "gauge", "direction": "", "digits": 0},
]
FACTOR = (1.0, 0.5)  # of the contenders


def value(s: int, length: int) -> list[float]:
    """A third of the first rate is lost from the first second to the last; three seconds do nothing."""
    rate = 0.0 if 100 <= s % 600 < 103 and length > 60 else 3000.0 - 1000.0 * s / length
    return [rate, 500.0 + 60.0 * s / length, float(s)]


def long_sessions(home: Path, seconds: Sequence[int], repeats: int = 1, number: int = 1) -> list[str]:
    """Sessions of two contenders with a driven step of each length."""
    driven = [
        Step(f"soak-{n}", "drive", "soak", "writes", seconds=n, coordinates={"threads": 1}, threads=1)
        for n in seconds
    ]
    made = comparable.plan(
        2, repeats, number, its_steps=[Step("load", "load", "load", "load", "rows/s"), *driven]
    )
    with History(home) as history:
        for turn in made.turns:
            maker = journals.Maker(made, turn.session).begin(SERIES)
            maker.step(0)
            for at, step in enumerate(made.steps[1:], 1):
                maker.start_step(at)
                for s in range(step.seconds):
                    maker.t += 1.0
                    found = value(s, step.seconds)
                    values = [found[0] * FACTOR[turn.contender], *found[1:]]
                    maker.add(Sample, step=at, s=s, dt=1.0, values=values)
                maker.end_step(at)
            JournalStorer(history).append(made.id, turn.session, 0, maker.end().raw)
    return [turn.session for turn in made.turns]
