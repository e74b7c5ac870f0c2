"""What a person before the window reads names no command, and what one in a terminal reads does."""

from __future__ import annotations

import pytest

from app.core.errors import DynoError
from app.remote.hostkeys import HostKey, HostKeyChangedError, HostKeyUnknownError, OfferedHostKey
from app.targets.store import Targets

OFFER = OfferedHostKey("far", "far.lan", 22, HostKey("ssh-ed25519", b"key"))


@pytest.mark.parametrize("error", [HostKeyUnknownError(OFFER), HostKeyChangedError(OFFER, [OFFER.key])])
def test_a_host_key(error: DynoError) -> None:
    assert f"dyno target trust far {OFFER.key.fingerprint}" in str(error)
    assert OFFER.key.fingerprint in error.window_text and "dyno " not in error.window_text
    assert error.window_text.endswith("accept it on the Bench page, at the target far")


@pytest.mark.usefixtures("dyno_home")
def test_a_target_that_is_not_there() -> None:
    with pytest.raises(DynoError, match=r"dyno target add") as caught:
        Targets().get("far")
    assert caught.value.window_text.endswith("add it on the Bench page")
