"""What the threads of a server did in a step: switches, and how its CPU divides into user and system.

A thread that ends takes its count along, and those of the clients end with the step. So they are read while
the clients are still there, and what they did until then represents the whole step.
"""

from __future__ import annotations

from typing import Dict, Optional

from app.agent.sampling.process import Threads
from app.agent.server.server import Server


class ThreadCosts:
    """The counters of the threads, from the start of the measured part to its last seconds."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._first: Optional[Threads] = None
        self._last: Optional[Threads] = None
        self._queries = 0  # until the last look

    def begin(self) -> None:
        self._first, self._last = Threads.of(self._server.pid), None

    def look(self, queries: int) -> None:
        self._last, self._queries = Threads.of(self._server.pid), queries

    def spent(self, queries: int, cpu_us: Optional[float]) -> Dict[str, Optional[float]]:
        """The costs over the whole step, named like the costs per query; None if not read in time."""
        first, last = self._first, self._last
        if first is None or last is None or not self._queries:
            return {}
        voluntary, involuntary = last.switches_since(first)
        part = queries / self._queries
        user, system = last.user_s - first.user_s, last.system_s - first.system_s
        share = user / (user + system) if user + system > 0 else None
        known = cpu_us is not None and share is not None
        return {
            "voluntary_switches": voluntary * part,
            "involuntary_switches": involuntary * part,
            "cpu_user_us": (cpu_us or 0.0) * (share or 0.0) if known else None,
            "cpu_system_us": (cpu_us or 0.0) * (1 - (share or 0.0)) if known else None,
        }
