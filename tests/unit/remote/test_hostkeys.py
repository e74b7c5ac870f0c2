"""Dyno's own known_hosts."""

from __future__ import annotations

import base64
import hashlib
import hmac
from pathlib import Path

import pytest

from app.core.errors import InputError
from app.remote.hostkeys import HostKey, HostKeyChangedError, HostKeyUnknownError, KnownHosts, OfferedHostKey

# the host key of github.com and the fingerprint that is published of it
BLOB = base64.b64decode("AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl")
FINGERPRINT = "SHA256:+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU"
KEY = HostKey("ssh-ed25519", BLOB)
OTHER = HostKey("ssh-rsa", b"other")


@pytest.fixture
def known(tmp_path: Path) -> KnownHosts:
    return KnownHosts(tmp_path / "home" / "known_hosts")


def test_a_fingerprint_is_openssh_s() -> None:
    assert KEY.fingerprint == FINGERPRINT


def test_labels_are_openssh_s() -> None:
    assert OfferedHostKey("t", "nuc", 22, KEY).label == "nuc"
    assert OfferedHostKey("t", "nuc", 2222, KEY).label == "[nuc]:2222"


def test_unknown_trusted_changed(known: KnownHosts) -> None:
    offer = OfferedHostKey("nuc", "10.0.0.5", 2222, KEY)
    with pytest.raises(HostKeyUnknownError, match=f"dyno target trust nuc {FINGERPRINT.replace('+', '.')}"):
        known.check(offer)
    known.trust(offer)
    known.check(offer)
    with pytest.raises(HostKeyChangedError) as caught:
        known.check(OfferedHostKey("nuc", "10.0.0.5", 2222, OTHER))
    assert caught.value.trusted == [FINGERPRINT] and caught.value.fingerprint == OTHER.fingerprint
    with pytest.raises(HostKeyUnknownError):
        known.check(OfferedHostKey("nuc", "10.0.0.5", 22, KEY))
    assert known.path.read_text() == f"[10.0.0.5]:2222 ssh-ed25519 {base64.b64encode(BLOB).decode()}\n"
    assert known.path.stat().st_mode & 0o777 == 0o600


def test_trusting_anew_replaces_this_host_alone(known: KnownHosts) -> None:
    known.trust(OfferedHostKey("a", "a", 22, KEY))
    known.trust(OfferedHostKey("b", "b", 22, KEY))
    known.trust(OfferedHostKey("a", "a", 22, OTHER))
    assert known.keys_of("a") == [OTHER] and known.keys_of("b") == [KEY]


def test_what_a_person_put_there_is_read(known: KnownHosts) -> None:
    encoded = base64.b64encode(BLOB).decode()
    salt = b"0123456789abcdefghij"
    digest = hmac.new(salt, b"hashed", hashlib.sha1).digest()
    hashed = f"|1|{base64.b64encode(salt).decode()}|{base64.b64encode(digest).decode()}"
    known.path.parent.mkdir()
    known.path.write_text(
        f"# a comment\n\ntorn line\nx ssh-rsa not-base64\n@revoked c ssh-ed25519 {encoded}\n"
        f"a,b ssh-ed25519 {encoded} me@here\n{hashed} ssh-ed25519 {encoded}\n"
        f"|1|broken ssh-ed25519 {encoded}\n"
    )
    assert [bool(known.keys_of(name)) for name in ("a", "b", "hashed", "c", "x", "broken")] == [
        True, True, True, False, False, False,
    ]  # fmt: skip


def test_a_comment_and_other_lines_stay(known: KnownHosts) -> None:
    known.path.parent.mkdir()
    known.path.write_text("# mine\n@cert-authority *.lan ssh-ed25519 AAAA\n")
    known.trust(OfferedHostKey("a", "a", 22, KEY))
    assert known.path.read_text().startswith("# mine\n@cert-authority *.lan ssh-ed25519 AAAA\na ")


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    (tmp_path / "known_hosts").mkdir()
    with pytest.raises(InputError, match="known_hosts cannot be read: Is a directory"):
        KnownHosts(tmp_path / "known_hosts").check(OfferedHostKey("t", "nuc", 22, KEY))
