"""The state of a target, and its text in the list."""

from __future__ import annotations

from dataclasses import dataclass

from app.core.errors import LinkError
from app.core.units import ago_text
from app.remote.hostkeys import HostKeyChangedError, HostKeyUnknownError
from app.remote.secrets import SecretNeededError
from app.remote.target import Target
from app.targets.surveys import Surveyed

BUSY_S = 600.0  # what an older survey says of other plans is no news

_WORDS = {
    "unknown": "not checked yet",
    "going": "connecting…",
    "unreachable": "unreachable",
    "key_unknown": "host key unknown",
    "key_changed": "HOST KEY CHANGED",
    "failed": "not usable",
}
_TONES = {
    "reached": "good",
    "going": "accent",
    "unreachable": "bad",
    "secret": "warn",
    "key_unknown": "warn",
    "key_changed": "bad",
    "failed": "bad",
}


@dataclass(frozen=True)
class TargetState:
    """A target with its latest survey and the end of the last way to it."""

    target: Target
    survey: Surveyed | None = None
    link: str = "unknown"  # going reached unreachable secret key_unknown key_changed failed
    error: Exception | None = None
    stage: str = ""  # while it is going
    has_plan: bool = False  # of this window

    @property
    def tone(self) -> str:
        """The colour of the state, by its name in the theme."""
        return _TONES.get(self.link, "muted")

    def is_busy(self, now: float) -> bool:
        """Whether any plan runs there."""
        return self.has_plan or (
            self.survey is not None and now - self.survey.at < BUSY_S and bool(self.survey.content.agents)
        )

    def words(self, now: float) -> str:
        """The state in a few words."""
        if self.link == "going" and self.stage:
            return f"{self.stage}…"
        if self.link == "secret":
            what = self.error.what if isinstance(self.error, SecretNeededError) else "secret"
            return f"needs a {what.partition(' ')[0]}"
        if self.link in ("unknown", "reached") and self.survey:
            return "busy" if self.is_busy(now) else "reachable" if self.link == "reached" else ""
        return _WORDS.get(self.link, self.link)

    def age(self, now: float) -> str:
        """The age of the survey."""
        return ago_text(self.survey.at, now) if self.survey else "no survey"


def link_of(error: Exception) -> str:
    """The state of the link after an error."""
    match error:
        case HostKeyChangedError():
            return "key_changed"
        case HostKeyUnknownError():
            return "key_unknown"
        case SecretNeededError():
            return "secret"
        case LinkError():
            return "unreachable"
    return "failed"
