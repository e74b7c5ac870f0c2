"""What a script needs of a session, read from its plan and facts."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from app.core.errors import InputError
from app.history.lists.sessions import SessionEntry, find, sessions
from app.history.steps.figures import StepEntry, facts, plan_of, result, steps
from app.history.store.history import History
from app.protocol.plan import Contender, Plan, PlannedSession
from app.protocol.reading import read
from app.protocol.step_parts import Totals

_OWN = "# what follows is Dyno's\n"  # in a my.cnf: above the options that are no preset's
_NAME = re.compile(r"[a-z][a-z0-9_-]*")


@dataclass(frozen=True)
class SessionRecipe:
    """The data needed to repeat a session."""

    entry: SessionEntry
    plan: Plan
    turn: PlannedSession
    cnf: str  # the preset as it was rendered
    own: Mapping[str, str]  # options that Dyno has put below it; '' where one has no value
    variables: Mapping[str, str]  # in force when the server was up
    allocator: str  # the library of the one that was asked for; '' where none was
    machine: Mapping[str, Any] = field(repr=False)
    build_notes: Mapping[str, str] = field(repr=False)
    steps: tuple[StepEntry, ...] = field(repr=False)  # what each came to
    events: tuple[float, ...] = field(repr=False)  # of each, measured; 0 where there are none

    @property
    def contender(self) -> Contender:
        return self.plan.contender_of(self.turn)

    @property
    def place(self) -> str:
        """The directory that the session had on its target."""
        return posixpath.dirname(self.own["datadir"])


def read_recipe(history: History, reference: str) -> SessionRecipe:
    """Read a session; raises InputError if Dyno did not run it, or its server never started."""
    id_ = find(history, reference)
    with history.reading():
        plan = Plan.from_json(plan_of(history, id_))
        (entry,) = sessions(history, ids=[id_])
        known = {fact["name"]: fact["value"] for fact in facts(history, id_)}
        done = tuple(steps(history, id_))
        ended = [result(history, id_, at) for at in range(len(plan.steps))]
    turn = plan.turn_of(id_)
    _check(entry["name"], plan, plan.contender_of(turn), known)
    asked = plan.contender_of(turn).allocator
    preset, _, own = str(known["my_cnf"]).partition(_OWN)
    return SessionRecipe(
        entry=entry,
        plan=plan,
        turn=turn,
        cnf=preset.rstrip() + "\n",
        own=_options(own),
        variables=known.get("variables", {}),
        allocator=asked and str(known.get("memory", {}).get("allocator") or asked),
        machine=known.get("machine", {}),
        build_notes=known.get("build", {}).get("notes") or {},
        steps=done,
        events=tuple(read(Totals, each.get("totals", {})).events or 0 for each in ended),
    )


def _check(session: str, plan: Plan, contender: Contender, known: Mapping[str, Any]) -> None:
    if contender.is_existing:
        raise InputError(
            f"session {session} used {contender.build}, a server that runs already, which a script cannot"
            f" start: write dyno run --again {session}"
        )
    operation = next((step for step in plan.steps if step.is_operation), None)
    if operation is not None:
        raise InputError(
            f"session {session} has the step {operation.name}, which a script cannot repeat: write"
            f" dyno run --again {session}"
        )
    if plan.counts:
        raise InputError(
            f"session {session} counted instructions under valgrind, which a script cannot repeat: write"
            f" dyno run --again {session}"
        )
    if not any(step.lua for step in plan.steps):
        raise InputError(f"session {session} is imported: Dyno has no plan that a script could repeat")
    own = _options(str(known.get("my_cnf", "")).partition(_OWN)[2])
    if not {"datadir", "socket"} <= own.keys():
        raise InputError(
            f"session {session} ended before its server started: there is nothing that a script could repeat"
        )


def _options(text: str) -> dict[str, str]:
    lines = [line.partition("=") for line in text.splitlines()]
    return {name.strip(): value.strip() for name, _, value in lines if _NAME.fullmatch(name.strip())}
