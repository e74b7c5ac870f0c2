"""Plans that were uploaded but have not started, each named by the SHA-256 of its bytes.

incoming/<sha256>.json    gone once it starts, or after two days
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import time

from app.protocol.plan import Plan

from .system.directory import MarkedDirectory, write_file
from .system.errors import AgentError

KEEP_S = 2 * 24 * 3600
_SHA256 = re.compile(r"[0-9a-f]{64}")


class UploadedPlans:
    """The uploaded plans in a directory of Dyno, or in another folder of it."""

    def __init__(self, directory: MarkedDirectory, folder: str = "incoming") -> None:
        self._directory, self._folder = directory, folder

    def _at(self, sha256: str) -> str:
        if not _SHA256.fullmatch(sha256):
            raise AgentError("{!r} is not a SHA-256".format(sha256[:80]))
        return self._directory.at(self._folder, sha256 + ".json")

    def receive(self, sha256: str, content: bytes) -> None:
        """Store a plan, whole or not at all."""
        path = self._at(sha256)
        if hashlib.sha256(content).hexdigest() != sha256:
            raise AgentError("the plan was damaged on its way here: try again")
        read_plan(content)
        try:
            self.clean()
            write_file(path, content.decode())
        except OSError as error:
            text = "cannot store the plan in {}: {}: free some space there"
            raise AgentError(text.format(self._directory.path, error.strerror)) from None

    def read(self, sha256: str) -> Plan:
        """The plan with this name; raises an error if its file has changed."""
        return read_plan(self.content(sha256))

    def content(self, sha256: str) -> bytes:
        """Its bytes, as they were sent."""
        try:
            with open(self._at(sha256), "rb") as file:
                content = file.read()
        except OSError:
            content = b""
        if hashlib.sha256(content).hexdigest() != sha256:
            text = "plan {} is no longer in {}: start it again"
            raise AgentError(text.format(sha256[:12], self._directory.path))
        return content

    def discard(self, sha256: str) -> None:
        self._directory.discard(self._at(sha256))

    def clean(self) -> None:
        """Delete old plans that nobody started."""
        folder = self._directory.at("incoming")
        for name in os.listdir(folder):
            path = os.path.join(folder, name)
            with contextlib.suppress(FileNotFoundError):  # started at this moment
                if time.time() - os.lstat(path).st_mtime > KEEP_S:
                    self._directory.discard(path)


def read_plan(content: bytes) -> Plan:
    try:
        return Plan.from_json(json.loads(content.decode()))
    except ValueError as error:  # no UTF-8, no JSON, no plan
        raise AgentError("this is not a plan: {}".format(error)) from None
