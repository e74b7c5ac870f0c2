"""Another user of the target exchanges the directory between two commands, to run code as Dyno's user."""

from __future__ import annotations

import grp
import os
import pwd
import shutil
import signal
import struct
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import pytest

from app.core.errors import DynoError, TargetError
from app.remote.agent import RemoteAgent
from app.remote.bundle import current_bundle
from app.remote.connection import LocalConnection

pytestmark = pytest.mark.root
TRIES = 20
NO_ID = 0xFFFFFFFF  # in an access list: of an entry that names nobody
AGENT = """
import os
os.close(os.open({won!r}, os.O_CREAT | os.O_WRONLY))
print("{{}}")
"""


@pytest.fixture
def shared() -> Iterator[Path]:
    """A folder that every user of this machine can reach: pytest's own are closed."""
    folder = Path(tempfile.mkdtemp(prefix="dyno-exchange-"))
    folder.chmod(0o711)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def stranger() -> int:
    """The id of a user that nobody has."""
    taken = {each.pw_uid for each in pwd.getpwall()}
    return next(uid for uid in range(54321, 60000) if uid not in taken)


@contextmanager
def exchanging(place: Path, stranger: int) -> Iterator[Path]:
    """The stranger swaps `place` with a folder of his, all the time; gives the file that his code makes."""
    won = place.parent / "won"
    pid = os.fork()
    if pid == 0:
        with suppress(BaseException):
            os.setgid(stranger)
            os.setuid(stranger)
            _exchange(place, won)
        os._exit(0)
    try:
        yield won
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def _exchange(place: Path, won: Path) -> None:
    theirs, aside = f"{place}.theirs", f"{place}.aside"
    for folder in (
        Path(theirs),
        Path(theirs) / "dyno",
    ):  # where place is a parent of the directory, and where not
        (folder / "agents").mkdir(parents=True)
        (folder / "agents" / f"{current_bundle().sha}.pyz").write_text(AGENT.format(won=str(won)))
    while True:
        with suppress(OSError):
            os.rename(place, aside)
            os.rename(theirs, place)
            time.sleep(0.05)
            os.rename(place, theirs)
            os.rename(aside, place)
            time.sleep(0.05)


def ask(directory: Path) -> str:
    """What came of one command to the agent."""
    try:
        RemoteAgent(LocalConnection(), str(directory), sys.executable).status()
    except DynoError as error:
        return str(error)
    return ""


def foreign(place: Path, uid: int) -> str:
    return f"{place} belongs to user {uid}, who could exchange what is in it: name another directory"


def tries(directory: Path, won: Path, times: int = TRIES) -> set[str]:
    said = set()
    for _ in range(times):
        said.add(ask(directory))
        assert not won.exists(), "the stranger's code ran"
    return said


def test_a_directory_in_a_folder_that_all_can_write(shared: Path, stranger: int) -> None:
    place = shared / "open"
    place.mkdir()
    place.chmod(0o777)
    (place / "dyno").mkdir(0o700)
    with exchanging(place / "dyno", stranger) as won:
        said = tries(place / "dyno", won)
    assert said == {f"local: other users can write in {place}: chmod go-w {place}, or name another directory"}


def test_a_directory_in_a_folder_of_the_stranger(shared: Path, stranger: int) -> None:
    place = shared / "theirs"
    (place / "mine").mkdir(parents=True)
    (place / "mine" / "dyno").mkdir(0o700)
    os.chown(place, stranger, stranger)
    with exchanging(place / "mine", stranger) as won:
        said = tries(place / "mine" / "dyno", won)
    assert said == {f"local: {foreign(place, stranger)}"}


def test_a_directory_behind_a_link_of_the_stranger(shared: Path, stranger: int) -> None:
    place = shared / "sticky"
    place.mkdir()
    place.chmod(0o1777)
    (shared / "mine").mkdir()
    (place / "link").symlink_to(shared / "mine")
    os.chown(place / "link", stranger, stranger, follow_symlinks=False)
    assert ask(place / "link" / "dyno") == f"local: {foreign(place / 'link', stranger)}"
    (shared / "first").symlink_to(place / "link")  # a link to it that is ours
    assert ask(shared / "first" / "dyno") == f"local: {foreign(place / 'link', stranger)}"


def test_a_sticky_folder_is_safe(shared: Path, stranger: int) -> None:
    place = shared / "sticky"
    place.mkdir()
    place.chmod(0o1777)
    assert ask(place / "dyno") == ""
    with exchanging(place / "dyno", stranger) as won:
        assert tries(place / "dyno", won, 5) == {""}
    (place / "theirs").mkdir()
    os.chown(place / "theirs", stranger, stranger)
    assert ask(place / "theirs" / "dyno") == f"local: {foreign(place / 'theirs', stranger)}"
    assert f"belongs to user {stranger}" in ask(place / "theirs")


def test_what_a_group_can_write(shared: Path, stranger: int) -> None:
    place = shared / "group"
    place.mkdir()
    place.chmod(0o775)
    assert ask(place / "dyno") == ""  # root's own group
    access = struct.pack(
        "<I" + "HHI" * 5, 2, 1, 7, NO_ID, 2, 7, stranger, 4, 5, NO_ID, 16, 7, NO_ID, 32, 5, NO_ID
    )
    os.setxattr(place, "system.posix_acl_access", access)
    assert "other users can write in" in ask(place / "dyno")
    os.removexattr(place, "system.posix_acl_access")
    assert ask(place / "dyno") == ""
    for group in (stranger, grp.getgrnam("users").gr_gid):
        os.chown(place, 0, group)
        assert "other users can write in" in ask(place / "dyno")


def test_an_agent_file_that_was_exchanged_is_not_started(shared: Path) -> None:
    agent = RemoteAgent(LocalConnection(), str(shared / "dyno"), sys.executable)
    file = Path(agent.deploy()) / "agents" / f"{current_bundle().sha}.pyz"
    file.write_text(AGENT.format(won=str(shared / "won")))
    with pytest.raises(TargetError, match="is not what Dyno brought there: try again"):
        agent.status()
    with closing(agent.follow("P", {})) as stream:
        assert stream.read(10).startswith(b'{"error": ')
    file.chmod(0o622)
    with pytest.raises(TargetError, match="is open to other users"):
        agent.status()
    file.unlink()
    with pytest.raises(TargetError, match="No such file or directory: try again"):
        agent.status()
    assert ask(shared / "dyno") == "" and not (shared / "won").exists()
