"""What runs as far as the history knows; it answers at once, targets do not."""

from __future__ import annotations

import time

from app.history.lists.sessions import sessions
from app.history.store import journals
from app.history.store.history import History
from app.protocol.states import GOING_ON
from app.targets.store import Targets

LATELY_S = 7 * 86_400.0  # nothing was heard for longer: only its target can say that it goes on


def session_under_way(history: History) -> str:
    """The current session of the latest unfinished plan on a known target; '' without one."""
    targets = {target.name for target in Targets(history.directory).all()}
    since = time.time() - LATELY_S
    plans = [
        each["plan"]
        for each in sessions(history, states=GOING_ON)
        if each["target"] in targets
        and journals.changed_at(journals.path_of(history.journals, each["id"])) > since
    ]
    if not plans:
        return ""
    its_sessions = sessions(history, plan=plans[-1])
    begun = [each for each in its_sessions if each["started_at"]]
    active = [each for each in begun if each["state"] == "active"]
    return (active or begun[-1:] or its_sessions)[0]["id"]
