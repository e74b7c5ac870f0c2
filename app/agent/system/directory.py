"""The directory of Dyno on the target: its marker, its lock, its layout, what may be deleted."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shutil
import stat
import time
from typing import Any, Dict, Iterator, List, Optional

from .client import check_client_connected
from .errors import AgentError

MARKER = "DYNO-TARGET"
REHEARSAL = "rehearsal"  # begins the names of sessions that only a check made
REHEARSING = "a rehearsal"  # who holds the lock meanwhile
LOAD = "load"  # begins those of plans whose server is elsewhere
BACKUP = "backup"  # what an operation of this kind makes, below the directory of its session
OF_SESSION = ("data", "tmp", "lua", BACKUP)  # parts of its directory that end with it
LOOK_S, SURE_S = 0.05, 0.3  # between two looks at a taken lock; until it is taken for sure
PARTS = ("agents", "plans", "sessions", "builds", "snapshots", "incoming", "queue", "trash")


class MarkedDirectory:
    """A directory that carries the marker, owned by this user and closed to others."""

    def __init__(self, path: str) -> None:
        self.path = os.path.realpath(os.path.expanduser(path))
        self._check()
        for part in PARTS:
            os.makedirs(self.at(part), mode=0o700, exist_ok=True)

    def _check(self) -> None:
        try:
            found = os.lstat(self.path)
            marked = stat.S_ISREG(os.lstat(self.at(MARKER)).st_mode)
        except OSError:
            marked = False
        if not marked:
            raise AgentError("{} is not a Dyno directory (it has no {})".format(self.path, MARKER))
        if found.st_uid != os.geteuid() or found.st_mode & 0o077:
            raise AgentError("other users can access {}: chmod 700 it".format(self.path))

    def at(self, *parts: str) -> str:
        return os.path.join(self.path, *parts)

    def plan(self, plan: str) -> str:
        return self.at("plans", _plain(plan))

    def session(self, session: str) -> str:
        return self.at("sessions", _plain(session))

    def journal(self, session: str) -> str:
        return os.path.join(self.session(session), "journal.jsonl")

    def plans(self) -> List[str]:
        return sorted(os.listdir(self.at("plans")))

    def sessions(self) -> List[str]:
        return sorted(os.listdir(self.at("sessions")))

    def read_plan(self, plan: str) -> Dict[str, Any]:
        try:
            with open(os.path.join(self.plan(plan), "plan.json"), encoding="utf-8") as file:
                data: Dict[str, Any] = json.load(file)
        except (OSError, ValueError):
            raise AgentError("no plan {} in {}".format(plan, self.path)) from None
        return data

    # the lock

    def lock(self, holder: Dict[str, Any], patience_s: float = 0.0) -> Optional[int]:
        """The open lock, held until it is closed and this process and its forks are gone; None if taken.

        It waits that long for a rehearsal. Any other holder is looked at for a moment: who asks for the
        holder has the lock too, and who has just got it has not written its name yet.
        """
        fd, now = open_lock(self.at("lock")), time.monotonic()
        end, sure = now + patience_s, now + SURE_S
        while not _has_locked(fd):
            now, is_brief = time.monotonic(), is_rehearsal(self.holder())
            if now >= (end if is_brief else sure):
                os.close(fd)
                return None
            sure = now + SURE_S if is_brief else sure
            check_client_connected()
            time.sleep(LOOK_S)
        write_holder(fd, holder)
        return fd

    def is_taken(self) -> bool:
        """Whether no plan can begin, not only for the moment of a rehearsal."""
        holder = self.holder()
        return bool(holder) and not is_rehearsal(holder)

    def holder(self) -> Dict[str, Any]:
        """Who holds the lock: {} if nobody does."""
        try:
            fd = os.open(self.at("lock"), os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
        except OSError:
            return {}
        try:
            fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            with contextlib.suppress(ValueError):
                found: Dict[str, Any] = json.loads(os.pread(fd, 4096, 0) or b"{}")
                return found or {"plan": "?"}
            return {"plan": "?"}
        finally:
            os.close(fd)
        return {}

    def has_plan(self) -> bool:
        """Whether a plan runs, not only a rehearsal."""
        return "plan" in self.holder()

    def held_by(self) -> str:
        """Who holds the lock, in words; '' if nobody does."""
        return holder_text(self.holder())

    def in_use(self) -> str:
        """Why the lock could not be taken."""
        return "{} is in use by {}".format(self.path, self.held_by() or "a process that has just ended")

    # taking away

    def remove(self, path: str) -> None:
        """Delete only what is under the marker."""
        self.discard(path)
        self.empty_trash()

    def discard(self, path: str) -> None:
        """Move it to the trash, which is fast whatever its size; emptying the trash takes longer."""
        path = os.path.abspath(path)
        inside = os.path.realpath(os.path.dirname(path)).startswith(self.path + os.sep)
        if not inside or not os.path.exists(self.at(MARKER)):
            raise AgentError("{} is not under {}: not deleted".format(path, self.path))
        if os.path.islink(path) or os.path.isfile(path):
            os.unlink(path)
        elif os.path.isdir(path):
            os.rename(path, self.at("trash", "{}-{}".format(os.path.basename(path), os.urandom(4).hex())))

    def empty_trash(self) -> None:
        for name in os.listdir(self.at("trash")):
            shutil.rmtree(self.at("trash", name), ignore_errors=True)


def open_lock(path: str) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)


def _has_locked(fd: int) -> bool:
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def is_rehearsal(holder: Dict[str, Any]) -> bool:
    return holder.get("verb") == REHEARSING


def lock_holder_text(plan: str, name: str, port: int = 0) -> Dict[str, Any]:
    """The text that a plan writes into the lock; names are cut, because readers read few bytes.

    `port`: that its load targets dial.
    """
    return {"plan": plan, "name": name[:100], "pid": os.getpid(), "port": port}


def write_holder(fd: int, holder: Dict[str, Any]) -> None:
    os.ftruncate(fd, 0)
    os.pwrite(fd, json.dumps(holder).encode(), 0)


def holder_text(holder: Dict[str, Any]) -> str:
    """A plan, or a verb such as `upload`; '' if there is none."""
    what = holder.get("verb") or "plan {}".format(holder.get("name") or holder.get("plan", "?"))
    return "{} (process {})".format(what, holder.get("pid", "?")) if holder else ""


def _plain(name: str) -> str:
    if not name.isalnum():
        raise AgentError("{!r} is not an id".format(name))
    return name


def write_file(path: str, text: str) -> None:
    """Write a private file, whole or not at all."""
    temporary = "{}.{}".format(path, os.getpid())
    fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    try:
        with open(fd, "w", encoding="utf-8") as file:
            file.write(text)
        os.rename(temporary, path)
    except OSError:
        os.unlink(temporary)
        raise


def read_lines(path: str) -> Iterator[str]:
    with contextlib.suppress(OSError), open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            yield line.rstrip("\n")
