"""The MariaDB of this system, named as Dyno names it: tests take the version that they find. And `dyno`."""

from __future__ import annotations

import sys
from pathlib import Path

from app.agent.server.options import known_options
from app.agent.survey.builds import find_builds
from app.protocol.answers import Build

DYNO = (sys.executable, "-m", "app.cli")  # what is typed as `dyno`


def _installed() -> Build:
    found = [each for each in find_builds(()) if each.base == "/usr" and each.family == "MariaDB"]
    assert len(found) == 1, "these tests need the package mariadb-server: sh install.sh test"
    return found[0]


BUILD = _installed()
MARIADB = BUILD.name
VERSION = BUILD.version or ""
SERVER = BUILD.server
PLUGINS = Path(BUILD.plugin_dir or "")
KNOWN = known_options(BUILD)  # its options
_SHARES = (Path("/usr/share/mysql"), Path("/usr/share/mariadb"))  # the second from Debian 13 on
SHARE = next(each for each in _SHARES if (each / "english/errmsg.sys").exists())
SERIES = ".".join(VERSION.split(".")[:2])
