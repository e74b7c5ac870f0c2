"""Going to a target off the GUI thread: stage by stage, to a survey, past its host keys."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from app.remote.hostkeys import HostKeyChangedError, HostKeyError
from app.remote.target import Target
from app.targets.surveys import STAGES, DatedSurvey, survey_target
from ui.core.context import WindowContext
from ui.dialogs.fingerprint import FingerprintDialog, FingerprintQuestion

LOCAL_STAGES = STAGES[-2:]


@dataclass(frozen=True)
class ConnectionProgress:
    """The progress of the way to a target."""

    target: Target
    stage: str
    what: str


class TargetSurveyor(QObject):
    """Surveys targets one at a time; drops the answer of an older way."""

    began = Signal(object)  # Target
    advanced = Signal(object)  # Advance
    surveyed = Signal(object, object)  # Target, Surveyed
    failed = Signal(object, object)  # Target, Exception
    refused = Signal()  # a host key, by the person

    def __init__(self, context: WindowContext, widget: QWidget) -> None:
        super().__init__(widget)
        self._context = context
        self._widget = widget  # its window has the dialogs
        self._going: dict[str, Target] = {}
        self._upgraded: set[str] = set()  # begun in the background, and asked for meanwhile
        self._key_dialog: HostKeyDialog | None = None

    def survey(self, target: Target, is_asking: bool) -> None:
        """Survey a target; without `is_asking` no dialog opens."""
        if self._going.get(target.name) == target:
            if is_asking:
                self._upgraded.add(target.name)
            return
        self._going[target.name] = target
        self._upgraded.discard(target.name)
        ask = self._context.secrets.ask if is_asking else self._context.secrets.silent
        self.began.emit(target)
        self._context.tasks.run_long(
            self,
            lambda tell: survey_target(
                target, ask, lambda stage, what: tell(ConnectionProgress(target, stage, what))
            ),
            self.advanced.emit,
            lambda survey: self._on_surveyed(target, survey),
            lambda error: self._on_failed(target, error, is_asking),
        )

    def show_host_key(self, target: Target, error: HostKeyError) -> None:
        """Show the host key; if it is accepted, continue."""
        if self._key_dialog is not None:
            return
        dialog = self._key_dialog = HostKeyDialog(error, self._widget.window())
        dialog.finished.connect(lambda _: self._on_key_seen(target, error, dialog))
        dialog.open()

    def _on_key_seen(self, target: Target, error: HostKeyError, dialog: HostKeyDialog) -> None:
        is_accepted = dialog.is_accepted()
        self._key_dialog = None
        dialog.deleteLater()
        if is_accepted:
            self._trust(target, error.fingerprint)
        else:
            self.refused.emit()

    def _trust(self, target: Target, fingerprint: str) -> None:
        from app.remote.dial import trust

        self._context.tasks.run(
            self,
            lambda: trust(target, fingerprint, self._context.secrets.ask),
            lambda _: self.survey(target, is_asking=True),
            lambda error: self._on_failed(target, error, is_asking=False),
        )

    def _on_surveyed(self, target: Target, survey: DatedSurvey) -> None:
        if self._is_over(target):
            self.surveyed.emit(target, survey)

    def _on_failed(self, target: Target, error: Exception, is_asking: bool) -> None:
        if not self._is_over(target):
            return
        if target.name in self._upgraded and not is_asking:
            self.survey(target, is_asking=True)
            return
        self.failed.emit(target, error)
        if is_asking and isinstance(error, HostKeyError):
            self.show_host_key(target, error)

    def _is_over(self, target: Target) -> bool:
        """End the way; False if it was not the latest."""
        if self._going.get(target.name, target) != target:
            return False
        self._going.pop(target.name, None)
        return True


def survey_stages(target: Target) -> tuple[str, ...]:
    return LOCAL_STAGES if target.is_local else STAGES


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
        super().__init__(_of_host_key(error), parent)
        self.error = error


def _of_host_key(error: HostKeyError) -> FingerprintQuestion:
    trusted = error.trusted if isinstance(error, HostKeyChangedError) else []
    place = f"{error.host} port {error.port}"
    kind = error.key_type.removeprefix("ssh-").split("-")[0]
    return FingerprintQuestion(
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
