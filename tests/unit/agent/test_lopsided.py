"""Load targets of which one hardly drove anything: the step is marked and the log says who."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from app.agent.load.generators import LoadTargetLogin, RemoteGenerators
from app.agent.steps.drive_step import RemoteLoad
from app.history.steps.step_text import step_mark_meaning
from app.protocol.events import LOPSIDED, SPOILT
from app.protocol.plan import Step


class Conductor:
    """Two load targets that take every word."""

    names = ("client-1", "client-2")
    is_loopback = False

    def hear(self, _: object) -> int:
        return 1

    def send(self, *_: object) -> None:
        pass


def marks(events: tuple[int, ...], threads: int = 2) -> tuple[list[str], list[str]]:
    """The marks of a step with these events of each load target, and the lines of the log."""
    said: list[str] = []
    step = Step("point-query", "drive", threads=threads)
    session: Any = SimpleNamespace(conductor=Conductor(), journal=SimpleNamespace(log=said.append))
    found = RemoteLoad(session, 0, step, 1)
    found.generators = RemoteGenerators(
        session.conductor, 0, 0, step, 1, LoadTargetLogin("10.0.0.1", 3306, "secret")
    )
    for part, count in zip(found.generators.parts, events, strict=True):
        part.events = count
    facts: Any = SimpleNamespace(write_load=lambda *_: None)
    return found.marks(facts), said


@pytest.mark.parametrize(
    ("events", "threads", "is_marked"),
    [
        ((436, 39_435), 2, True),
        ((39_435, 436), 2, True),
        ((0, 500), 2, True),
        ((10_000, 9_000), 2, False),
        ((20_000, 10_000), 3, False),  # two clients and one
        ((10_000, 39_000), 2, False),
        ((1, 90), 2, False),  # so few say nothing
        ((5_000,), 1, False),  # the only client
    ],
)
def test_a_load_target_that_drove_a_fraction_is_marked(
    events: tuple[int, ...], threads: int, is_marked: bool
) -> None:
    found, said = marks(events, threads)
    assert found == [LOPSIDED] * is_marked and len(said) == is_marked
    assert LOPSIDED in SPOILT and step_mark_meaning(LOPSIDED).startswith(
        "lopsided: a client of one load target"
    )


def test_the_log_names_both() -> None:
    _, (said,) = marks((436, 39_435))
    assert said == "the load is lopsided: client-1 drove 436 events, client-2 39,435"
