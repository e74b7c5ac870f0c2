"""The fixtures of the integration tests; each is told about where it is defined."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from app.agent.survey import builds
from app.agent.survey.builds import find_builds
from app.protocol.answers import Build
from tests.integration.desktop import desktop, recorded, recorded_home
from tests.integration.disks import sharing_disk, small_disk
from tests.integration.generated import filled, server, tables
from tests.integration.netns import sixteen_targets, two_targets
from tests.integration.sshd import password_user, ssh_folder, sshd, start_sshd

__all__ = [
    "desktop",
    "filled",
    "password_user",
    "recorded",
    "recorded_home",
    "server",
    "sharing_disk",
    "sixteen_targets",
    "small_disk",
    "ssh_folder",
    "sshd",
    "start_sshd",
    "tables",
    "two_targets",
]


@pytest.fixture
def only(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[Build]]:
    """Finds the builds below these paths alone."""
    monkeypatch.setattr(builds, "USUAL", ())
    return lambda *paths: find_builds([str(path) for path in paths])
