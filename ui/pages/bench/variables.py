"""The variables that the builds of a target know, read in the background."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtCore import QObject

from app.planner.starting.preset_check import known_options
from app.protocol.answers import Survey
from app.remote.reach import reached
from app.remote.target import Target
from ui.core.context import WindowContext


def read_option_names(
    context: WindowContext,
    owner: QObject,
    target: Target,
    survey: Survey | None,
    builds: Iterable[str],
    done: Callable[[list[frozenset[str]]], None],
) -> None:
    """Read the option names of each build; none if the target cannot be reached without a question."""
    if survey is None:
        return
    names, ask = tuple(builds), context.secrets.silent

    def work() -> list[frozenset[str]]:
        with reached(target, ask) as agent:
            return known_options(agent.options(), survey, names)

    context.tasks.run(owner, work, done, lambda _: None)
