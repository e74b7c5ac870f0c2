"""Plans that were sent: whole or not at all, by the SHA-256 of their bytes, gone when nobody starts them."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import time
from pathlib import Path

import pytest

from app.agent.incoming import KEEP_S, UploadedPlans
from app.agent.system.directory import MARKER, MarkedDirectory
from app.agent.system.errors import AgentError
from tests.plans import plan

PLAN = plan()
CONTENT = json.dumps(PLAN.to_json()).encode()
SHA256 = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture
def incoming(tmp_path: Path) -> UploadedPlans:
    tmp_path.chmod(0o700)
    (tmp_path / MARKER).touch()
    return UploadedPlans(MarkedDirectory(str(tmp_path)))


def test_a_plan_is_read_as_it_was_sent(incoming: UploadedPlans) -> None:
    incoming.receive(SHA256, CONTENT)
    assert incoming.read(SHA256) == PLAN
    incoming.discard(SHA256)
    with pytest.raises(AgentError, match=f"plan {SHA256[:12]} is no longer in .*: start it again"):
        incoming.read(SHA256)


def test_what_arrived_otherwise_is_not_taken(incoming: UploadedPlans, tmp_path: Path) -> None:
    for sha256, content in ((SHA256, CONTENT[:-1]), (SHA256, b""), ("0" * 64, CONTENT)):
        with pytest.raises(AgentError, match="was damaged on its way here: try again"):
            incoming.receive(sha256, content)
    assert not list((tmp_path / "incoming").iterdir())


@pytest.mark.parametrize("content", [b"{}", b"[1]", b"\xff", b"null", b'{"id": "x"}'])
def test_what_is_no_plan_is_not_taken(incoming: UploadedPlans, tmp_path: Path, content: bytes) -> None:
    with pytest.raises(AgentError, match="this is not a plan"):
        incoming.receive(hashlib.sha256(content).hexdigest(), content)
    assert not list((tmp_path / "incoming").iterdir())


@pytest.mark.parametrize("name", ["", "../../etc/passwd", "f00", "A" * 64, "a" * 64 + "\n", "/" * 64])
def test_only_a_hash_is_a_name(incoming: UploadedPlans, name: str) -> None:
    for ask in (incoming.read, incoming.discard, lambda each: incoming.receive(each, CONTENT)):
        with pytest.raises(AgentError, match="is not a SHA-256"):
            ask(name)


def test_a_file_that_was_changed_is_no_plan(incoming: UploadedPlans, tmp_path: Path) -> None:
    incoming.receive(SHA256, CONTENT)
    file = tmp_path / "incoming" / f"{SHA256}.json"
    file.write_bytes(CONTENT.replace(b'"tables": ', b'"tables": 9'))
    with pytest.raises(AgentError, match="start it again"):
        incoming.read(SHA256)


def test_what_nobody_starts_goes_with_a_later_one(incoming: UploadedPlans, tmp_path: Path) -> None:
    old, young = (tmp_path / "incoming" / f"{each * 64}.json" for each in "ab")
    for file, age_s in ((old, KEEP_S + 60), (young, KEEP_S - 60)):
        file.write_text("{}")
        os.utime(file, (time.time() - age_s,) * 2)
    incoming.receive(SHA256, CONTENT)
    assert {each.name[0] for each in (tmp_path / "incoming").iterdir()} == {"b", SHA256[0]}


def test_a_full_disk_says_so(incoming: UploadedPlans, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_path: str, _text: str) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("app.agent.incoming.write_file", fail)
    with pytest.raises(
        AgentError, match=r"cannot store the plan in .*: No space left on device: free some space"
    ):
        incoming.receive(SHA256, CONTENT)


def test_it_may_be_sent_twice(incoming: UploadedPlans) -> None:
    incoming.receive(SHA256, CONTENT)
    incoming.receive(SHA256, CONTENT)
    assert incoming.read(SHA256).id == PLAN.id
