"""The fixtures of the integration tests; each is told about where it is defined."""

from __future__ import annotations

from .desktop import desktop
from .netns import two_targets
from .sshd import password_user, ssh_folder, sshd, start_sshd

__all__ = ["desktop", "password_user", "ssh_folder", "sshd", "start_sshd", "two_targets"]
