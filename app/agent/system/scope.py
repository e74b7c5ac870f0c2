"""Outliving a log-out: where logind ends a user's processes, the agent needs a scope of its own."""

from __future__ import annotations

import glob
import os
import re
import shutil
import subprocess
import sys
from typing import List, Sequence

from .commands import output_of
from .disk import read_text

ENTERED = "DYNO_SCOPE"
SCOPE = ("systemd-run", "--user", "--scope", "--quiet", "--collect")


def enter_scope() -> None:
    """Restart this process inside a scope, once, if that is needed and possible."""
    if os.environ.get(ENTERED) or not kills_user_processes() or not can_scope():
        return
    os.environ[ENTERED] = "1"
    os.execvp(SCOPE[0], [*SCOPE, sys.executable, *own_command_line()])  # noqa: S606


def own_command_line() -> List[str]:
    """What this Python was started with: sys.argv does not have the starter, which checks the agent file."""
    with open("/proc/self/cmdline", "rb") as file:
        return [os.fsdecode(word) for word in file.read().split(b"\0")[1:-1]]


def can_scope() -> bool:
    if not shutil.which(SCOPE[0]):
        return False
    try:
        null = subprocess.DEVNULL
        return subprocess.run([*SCOPE, "true"], stdin=null, stderr=null, timeout=10).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def kills_user_processes() -> bool | None:
    """Whether logind ends what a user leaves running at log-out; None without logind or an answer."""
    if not os.path.isdir("/run/systemd/system"):
        return None
    said = output_of(
        ["busctl", "get-property", "org.freedesktop.login1", "/org/freedesktop/login1",
         "org.freedesktop.login1.Manager", "KillUserProcesses"]
    )  # fmt: skip
    if said in ("b true", "b false"):
        return said == "b true"
    return logind_kill_setting([text for text in map(read_text, _logind_files()) if text])


def _logind_files() -> List[str]:
    """The configuration files of logind, in the order in which later ones win."""
    folders = ("/usr/lib/systemd", "/run/systemd", "/etc/systemd")
    parts = {os.path.basename(p): p for f in folders for p in glob.glob(f + "/logind.conf.d/*.conf")}
    return ["/etc/systemd/logind.conf", *(parts[name] for name in sorted(parts))]


def logind_kill_setting(texts: Sequence[str]) -> bool | None:
    """The last value of KillUserProcesses; without one, the default of the distribution."""
    found = [
        each for text in texts for each in re.findall(r"^KillUserProcesses\s*=\s*(\w+)", text, re.MULTILINE)
    ]
    return found[-1].lower() in ("yes", "true", "on", "1") if found else None
