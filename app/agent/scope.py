"""Outliving a log-out: where logind ends a user's processes, the agent needs a scope of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import List

from .machine import kills_user_processes

ENTERED = "DYNO_SCOPE"
SCOPE = ("systemd-run", "--user", "--scope", "--quiet", "--collect")


def enter_scope() -> None:
    """Start over inside a scope, once, where it is needed and can be had."""
    if os.environ.get(ENTERED) or not kills_user_processes() or not can_scope():
        return
    os.environ[ENTERED] = "1"
    os.execvp(SCOPE[0], [*SCOPE, sys.executable, *own_words()])  # noqa: S606


def own_words() -> List[str]:
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
