"""Room for many clients: what a preset leaves too small, what a user may open."""

from __future__ import annotations

import resource
import subprocess
import sys

from app.agent.server.connection_limits import SPARE, room_options

LIMITED = """
import resource, sys
from app.agent.server import connection_limits as room
from app.agent.system.errors import AgentError
resource.setrlimit(resource.RLIMIT_NOFILE, (64, 1500))
print(room.raise_file_limit(100), resource.getrlimit(resource.RLIMIT_NOFILE))
resource.setrlimit = lambda *_: (_ for _ in ()).throw(ValueError())  # as for one who is not root
try:
    room.raise_file_limit(1000)
except AgentError as error:
    print(error)
"""


def test_a_preset_with_room_enough_is_left_as_it_is() -> None:
    said = "[mysqld]\nmax_connections=512\nmax_prepared_stmt_count=20000\n"
    assert room_options(said, 512 - SPARE) == {}
    assert room_options(said, 1000) == {"max_connections": str(1000 + SPARE)}


def test_a_preset_that_says_nothing_gets_room_for_its_clients() -> None:
    assert room_options("", 100) == {"max_prepared_stmt_count": "1048576"}
    assert room_options("[mysqld]\nloose-max-connections=100\n", 100)["max_connections"] == str(100 + SPARE)


def test_open_files_are_raised_as_far_as_may_be_and_refused_beyond() -> None:
    found = subprocess.run([sys.executable, "-c", LIMITED], capture_output=True, text=True, check=True)
    first, second = found.stdout.splitlines()
    assert first == "1124 (1124, 1500)"
    assert "1000 client threads need 2024 open files, this user may open 1500" in second
    assert resource.getrlimit(resource.RLIMIT_NOFILE) != (1500, 1500)
