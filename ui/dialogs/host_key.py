"""The dialog that shows the fingerprint of a host key and accepts it."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from app.remote.hostkeys import HostKeyChangedError, HostKeyError

from .fingerprint import FingerprintDialog, Question

_UNKNOWN = (
    "Dyno has not connected to this host before. Check the fingerprint on the machine itself, then accept"
    " it. A different fingerprint means that somebody intercepts the connection."
)
_CHANGED = (
    "The machine was reinstalled, or somebody intercepts the connection. Nothing was sent to it. Unless"
    " you know why the key changed, cancel and check the machine itself."
)


class HostKeyDialog(FingerprintDialog):
    def __init__(self, error: HostKeyError, parent: QWidget | None = None) -> None:
        super().__init__(_question(error), parent)
        self.error = error


def _question(error: HostKeyError) -> Question:
    trusted = error.trusted if isinstance(error, HostKeyChangedError) else []
    place = f"{error.host} port {error.port}"
    kind = error.key_type.removeprefix("ssh-").split("-")[0]
    return Question(
        title="The host key has CHANGED" if trusted else "Unknown host key",
        heading=f"THE HOST KEY OF {place} HAS CHANGED" if trusted else f"The host key of {place} is unknown",
        about=_CHANGED if trusted else _UNKNOWN,
        fingerprint=error.fingerprint,
        trusted=trusted,
        pairs=(("Target", error.target), ("Kind of key", error.key_type)),
        way="On the machine itself the fingerprint is shown by"
        f" ssh-keygen -lf /etc/ssh/ssh_host_{kind}_key.pub",
        known="I &know why the key of this host changed",
        accept="&Trust the new key" if trusted else "&Accept this key",
    )
