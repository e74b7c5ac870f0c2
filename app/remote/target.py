"""A machine that servers are measured on; callbacks for secrets and for progress on the way to it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field

LOCAL = "local"  # this computer
Ask = Callable[[str], str | None]  # a secret for a prompt; None: nobody is there to be asked
# hears how far the way to a target is: the stage, and what it is about
OnProgress = Callable[[str, str], None]


@dataclass(frozen=True)
class Target:
    """A machine that runs servers; empty fields use ~/.ssh/config or defaults."""

    name: str
    host: str = ""  # as ssh takes it: a name of ~/.ssh/config too; empty for this computer
    user: str = ""
    port: int = 0
    identity: str = ""  # a private key file
    jump: str = ""  # [user@]host[:port],... on the way there
    directories: list[str] = field(default_factory=list)  # the first is the default
    python: str = ""
    search_paths: list[str] = field(default_factory=list)  # where to look for builds too: /opt/*
    remember: bool = False  # passwords and passphrases are kept in the system keyring

    @property
    def is_local(self) -> bool:
        return self.name == LOCAL

    @property
    def place(self) -> str:
        """Its address, as for ssh."""
        if self.is_local:
            return "this computer"
        user = f"{self.user}@" if self.user else ""
        return f"{user}{self.host}" + (f":{self.port}" if self.port else "")

    @property
    def directory(self) -> str:
        return self.directories[0]

    @property
    def interpreter(self) -> str:
        """Its Python; on this computer Dyno's own, which is new enough."""
        return self.python or (sys.executable if self.is_local else "python3")
