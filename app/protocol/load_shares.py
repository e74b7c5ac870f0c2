"""How the clients of a step are shared out among load targets."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import List

from .plan import LIMIT, Step
from .sysbench import MOST_SEED

DRIVEN = ("drive", "warmup", LIMIT)  # kinds of steps whose load comes from load targets


def share(whole: int, parts: int, at: int) -> int:
    """Part `at` of a whole in `parts` equal parts; the first ones take what is left over."""
    return whole // parts + (at < whole % parts)


def split_load_step(step: Step, targets: int) -> List[Step]:
    """The step of each load target; one without a client has nothing to do. Rates follow the clients."""
    threads = [share(step.threads, targets, at) for at in range(targets)]
    busy = max(1, sum(each > 0 for each in threads))
    rates = _by_clients(step.rate, threads)
    return [
        replace(step, threads=each, rate=rates[at], events=share(step.events, busy, at) if each else 0)
        for at, each in enumerate(threads)
    ]


def _by_clients(rate: int, threads: List[int]) -> List[int]:
    """A rate divided in proportion to clients; the parts add up to it."""
    clients = max(1, sum(threads))
    until = [sum(threads[: at + 1]) * rate // clients for at in range(len(threads))]
    return [end - before for before, end in zip([0, *until], until)]


def seed_of_share(seed: int, at: int) -> int:
    """The seed of load target `at`: its own, and never zero."""
    text = "{}/{}".format(seed, at)
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big") % MOST_SEED + 1
