"""What the clients of the ledger sent and were answered, held against the rows of its table."""

from __future__ import annotations

import mmap
import os
import struct
from typing import Iterable, List, Mapping, NamedTuple, Sequence, Tuple

from app.protocol.sysbench import LEDGER_BYTES

_CLIENT = struct.Struct("=64Q")  # `dyno_ledger` of ledger.lua
NOTED = 59  # rows without an answer whose numbers it has


class LedgerClient(NamedTuple):
    """One client: it inserted rows 1, 2, ... and deleted the first of them."""

    sent: int  # the last row
    unanswered: Sequence[int]  # rows without an answer: there or not, both is right
    deleting: int  # the last row that it deleted
    deleted: int  # the same with an answer


class LedgerCount(NamedTuple):
    """The rows of all clients, as they are named in `OperationResult`."""

    acknowledged: int = 0
    missing: int = 0
    holes: int = 0
    returned: int = 0
    unsent: int = 0
    unanswered: int = 0

    def plus(self, other: LedgerCount) -> LedgerCount:
        return LedgerCount(*map(sum, zip(self, other)))


class LedgerError(Exception):
    """The ledger cannot be counted; the text says why."""


class LedgerMemory:
    """The memory in which the clients of a ledger note what they do."""

    def __init__(self, clients: int) -> None:
        self._clients = clients
        self.fd = os.memfd_create("dyno-ledger")
        os.ftruncate(self.fd, clients * LEDGER_BYTES)

    def read(self) -> List[LedgerClient]:
        with mmap.mmap(self.fd, self._clients * LEDGER_BYTES, prot=mmap.PROT_READ) as whole:
            return [_client(words) for words in _CLIENT.iter_unpack(whole[:])]

    def close(self) -> None:
        os.close(self.fd)


def _client(words: Sequence[int]) -> LedgerClient:
    sent, answered, deleting, deleted, unanswered = words[:5]
    if unanswered > NOTED:
        raise LedgerError("a client lost its connection {} times".format(unanswered))
    lost = list(words[5 : 5 + unanswered])
    if answered != sent:  # the step ended before the answer came
        lost.append(sent)
    return LedgerClient(sent, lost, deleting, deleted)


def count_ledger(clients: Sequence[LedgerClient], rows: Mapping[int, Iterable[int]]) -> LedgerCount:
    """Hold what clients know against the rows of the table, by client."""
    found = [_count(client, rows.get(number, ())) for number, client in enumerate(clients)]
    strange = sum(1 for number in rows if not 0 <= number < len(clients) for _ in rows[number])
    total = LedgerCount(unsent=strange)
    for each in found:
        total = total.plus(each)
    return total


def _count(client: LedgerClient, rows: Iterable[int]) -> LedgerCount:
    there = bytearray(client.sent + 1)  # 1 for each row of the table, by its number
    unsent = last = 0
    for n in rows:
        if not 1 <= n <= client.sent or there[n]:
            unsent += 1
        else:
            there[n] = 1
            last = max(last, n)
    lost = {*client.unanswered}
    due = (n for n in range(client.deleting + 1, client.sent + 1) if n not in lost)
    missing = [n for n in due if not there[n]]
    return LedgerCount(
        acknowledged=client.sent - len(lost),
        missing=len(missing),
        holes=sum(n < last for n in missing),
        returned=sum(there[1 : client.deleted + 1]),
        unsent=unsent,
        unanswered=len(lost) + (client.deleting > client.deleted),
    )


def missing_text(counted: LedgerCount) -> str:
    """`3 of 1,204 acknowledged rows are missing, 1 deleted row came back`; '' if nothing was lost."""
    parts: List[Tuple[int, str]] = [
        (
            counted.missing,
            "{:,} of {:,} acknowledged rows are missing".format(counted.missing, counted.acknowledged),
        ),
        (counted.returned, "{:,} deleted rows came back".format(counted.returned)),
        (counted.unsent, "{:,} rows are there that no client sent".format(counted.unsent)),
    ]
    return ", ".join(text for count, text in parts if count)
