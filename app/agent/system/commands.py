"""Runs small system programs that print one line."""

from __future__ import annotations

import subprocess
from typing import Sequence

ASK_S = 3.0


def output_of(command: Sequence[str]) -> str:
    """What a small program prints; '' if it is missing, fails, or takes too long."""
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=ASK_S,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode(errors="replace").strip() if done.returncode == 0 else ""
