"""Whether the machine of a session is that of its server, or only drives it."""

from __future__ import annotations

from app.history.store.history import History
from app.protocol.checked.facts import ExistingServerPlace
from app.protocol.reading import read

from .figures import latest_fact


def only_drives(history: History, session: str) -> bool:
    """Whether the server ran already, on another machine than the one that drove its load."""
    place = latest_fact(history, session, "existing_server")
    return place is not None and not read(ExistingServerPlace, place).on_this_machine
