"""The agent file with what Python makes of each source beside it: else each agent compiles them anew.

Another version of Python than this one passes them by. As it is shipped the file is carried out under every
Python, and wherever a command is no process of these tests: test_old_python, test_deploy, test_wheel.
"""

from __future__ import annotations

import hashlib
import importlib.util
import io
import marshal
import zipfile
from pathlib import Path

from app.remote import agent
from app.remote.bundle import AgentBundle, current_bundle, make_bundle
from tests.integration.rehearsed import Put, keep

UNCHECKED = (1).to_bytes(4, "little")  # of PEP 552: named by the hash of its source, which nobody looks at


def use(known: Path, put: Put) -> None:
    """Bring this file to targets; the folder keeps it."""
    put(agent, "current_bundle", lambda: _kept(known / "agent.pyz"))


def _kept(path: Path) -> AgentBundle:
    if not path.exists():
        keep(path, with_code(current_bundle()).content)
    content = path.read_bytes()
    return AgentBundle(hashlib.sha256(content).hexdigest(), content)


def with_code(bundle: AgentBundle) -> AgentBundle:
    with zipfile.ZipFile(io.BytesIO(bundle.content)) as archive:
        sources = {name: archive.read(name) for name in archive.namelist()}
    return make_bundle({**sources, **{f"{name}c": _code(name, text) for name, text in sources.items()}})


def _code(name: str, source: bytes) -> bytes:
    code = compile(source, name, "exec", dont_inherit=True)
    head = importlib.util.MAGIC_NUMBER + UNCHECKED + importlib.util.source_hash(source)
    return head + marshal.dumps(code)
