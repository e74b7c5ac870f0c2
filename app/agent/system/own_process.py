"""Processes that carry out one module of the agent's code, with nothing of the agent but that code."""

from __future__ import annotations

import os
import re
import subprocess
import sys

CODE = "import importlib, sys; sys.path[:0] = sys.argv[2:]; importlib.import_module(sys.argv.pop(1)).main()"
_OPEN_FILE = re.compile(r"/proc/self/fd/([0-9]+)$")  # the agent file, as it was opened and checked


def start_own_process(module: str) -> subprocess.Popen[bytes]:
    """Start `main` of a module: no lock, no journal, no thread goes along. Pipes are its input and output."""
    folders = [os.path.abspath(folder) if folder == "" else folder for folder in sys.path]
    files = [int(found[1]) for found in map(_OPEN_FILE.match, folders) if found]
    return subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", CODE, module, *folders],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, pass_fds=files, cwd="/", start_new_session=True,
    )  # fmt: skip
