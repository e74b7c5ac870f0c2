"""The fixtures of the integration tests; each is told about where it is defined."""

from __future__ import annotations

from .netns import two_targets
from .sshd import dyno_home, sshd, start_sshd

__all__ = ["dyno_home", "sshd", "start_sshd", "two_targets"]
