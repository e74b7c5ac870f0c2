"""Clients of a step, shared out among load targets."""

from __future__ import annotations

import pytest

from app.protocol.load_link import Hello, Ping, StartSysbench, decode, encode
from app.protocol.load_shares import seed_of_share, split_load_step
from app.protocol.plan import Step
from app.protocol.reading import ShapeError


@pytest.mark.parametrize("threads", [1, 2, 3, 16, 17, 100])
@pytest.mark.parametrize("targets", [1, 2, 3, 16])
def test_shares_add_up(threads: int, targets: int) -> None:
    step = Step("s", "drive", threads=threads, rate=1003, events=777)
    shares = split_load_step(step, targets)
    assert sum(each.threads for each in shares) == threads
    assert sum(each.rate for each in shares) == 1003
    assert sum(each.events for each in shares) == 777
    assert max(each.threads for each in shares) - min(each.threads for each in shares) <= 1
    busy = [each for each in shares if each.threads]
    assert all(each.events > 0 for each in busy) and len(busy) == min(threads, targets)
    rates = [each.rate / each.threads for each in busy]
    assert max(rates) - min(rates) <= 2  # a rate is divided by clients
    assert all(each.rate == 0 == each.events for each in shares if not each.threads)


def test_each_share_has_a_seed_of_its_own() -> None:
    assert len({seed_of_share(7, at) for at in range(64)} | {7}) == 65


def test_messages_are_read_as_they_were_written() -> None:
    drive = StartSysbench(1, 2, 0, 3, 0, 5, 0, 0, 10, 99, "10.0.0.5", 3306, "secret")
    for message in (drive, Hello("client-1", "token"), Ping(1.5)):
        assert decode(encode(message)) == message


@pytest.mark.parametrize(
    "wrong",
    [
        b"", b"{", b"[]", b"7", b'{"kind":"Rm"}', b'{"kind":"Ping"}', b'{"kind":["Ping"],"at":1}',
        b'{"kind":"Ping","at":"x"}', b'{"kind":"Ping","at":1e400}', b'{"kind":"End","run":-1}', b"\xff",
        b"[" * 100_000,
    ],
    ids=lambda wrong: repr(wrong)[:20],
)  # fmt: skip
def test_what_is_no_message_is_refused(wrong: bytes) -> None:
    with pytest.raises(ShapeError):
        decode(wrong)
