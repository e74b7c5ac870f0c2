"""The agents at work on this machine: two plans would measure each other."""

from __future__ import annotations

import json
import os
import re
from typing import List, Sequence

from app.protocol.answers import OtherActiveAgent

from .directory import MarkedDirectory

AGENT_FILE = re.compile(r"(^|/)agents/[0-9a-f]{8,}\.pyz$")


def agents_elsewhere(directory: MarkedDirectory) -> List[OtherActiveAgent]:
    """Agents in other directories of this machine."""
    return [each for each in other_agents() if os.path.realpath(each.directory) != directory.path]


def other_agents() -> List[OtherActiveAgent]:
    """The other agents of any user that carry out a plan on this machine; their guardians look the same."""
    found = {}
    for entry in os.listdir("/proc"):
        if not entry.isdigit() or int(entry) == os.getpid():
            continue
        try:
            with open("/proc/{}/cmdline".format(entry), "rb") as file:
                directory = agent_directory_of(file.read().decode(errors="replace").split("\0"))
        except OSError:
            continue
        if directory is not None:
            found[directory] = OtherActiveAgent(int(entry), directory, _plan_in(directory))
    return sorted(found.values(), key=lambda each: each.pid or 0)


def _plan_in(directory: str) -> str:
    """The name of the plan that has the lock there; '' where this user may not read it."""
    try:
        with open(os.path.join(directory, "lock"), "rb") as file:
            return str(json.loads(file.read(4096)).get("name", ""))
    except (OSError, ValueError, AttributeError, RecursionError):
        return ""


def agent_directory_of(command: Sequence[str]) -> str | None:
    """The directory of an agent with the verb start, from its command line; None for another command."""
    for at, word in enumerate(command):
        if AGENT_FILE.search(word):
            rest = list(command[at + 1 :])
            if rest[:1] != ["start"]:
                return None
            for place, option in enumerate(rest):
                if option.startswith("--directory="):
                    return option.partition("=")[2]
                if option == "--directory" and place + 1 < len(rest):
                    return rest[place + 1]
    return None
