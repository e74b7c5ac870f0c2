"""Packets of SSH with a limit to their size: paramiko waits for whatever length a server announces."""

from __future__ import annotations

import paramiko
from paramiko.packet import Packetizer

MOST_PACKET = 512 << 10  # bytes; OpenSSH sends 256 KiB at most, RFC 4253 demands 35,000 bytes
MOST_GREETING = 64 << 10  # bytes before the version of the server


class BoundedPacketizer(Packetizer):
    """Closes the connection if a server sends more than SSH allows."""

    _greeted = 0

    def read_all(self, n: int, check_rekey: bool = False) -> bytes:
        if n > MOST_PACKET:
            raise paramiko.SSHException(f"a packet of {n:,} bytes")
        return super().read_all(n, check_rekey)

    def _read_timeout(self, timeout: float) -> bytes:
        """The next bytes of the greeting, each line with a time limit."""
        data: bytes = super()._read_timeout(timeout)  # type: ignore[misc]
        self._greeted += len(data)
        if self._greeted > MOST_GREETING:
            raise paramiko.SSHException("a greeting without end")
        return data
