"""Frames of a stream, however it is cut, and what is no protocol."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.errors import TargetError
from app.following.frames import Beat, FollowStreamSplitter, Piece, PlanStreamEnd
from app.protocol.events import MAX_LINE
from tests.unit.following.scripted import (
    STREAM,
    WHOLES,
    beat,
)


@given(cuts=st.lists(st.integers(0, len(STREAM)), max_size=20))
def test_frames_are_the_same_however_the_stream_is_cut(cuts: list[int]) -> None:
    frames, found = FollowStreamSplitter(), []
    ends = [0, *sorted(cuts), len(STREAM)]
    for begin, end in pairwise(ends):
        found += list(frames.feed(STREAM[begin:end]))
    raws = dict.fromkeys(WHOLES, b"")
    for frame in found:
        if isinstance(frame, Piece):
            assert frame.offset == len(raws[frame.session])
            assert frame.raw.endswith(b"\n")
            raws[frame.session] += frame.raw
    assert raws == {session: maker.raw for session, maker in WHOLES.items()}
    assert [f for f in found if not isinstance(f, Piece)] == [
        Beat(5000.0, True),
        Beat(5000.0, False),
        PlanStreamEnd(),
    ]


def test_what_a_login_script_prints_is_passed_over() -> None:
    found = list(FollowStreamSplitter().feed(b"Welcome to nuc!\nYou have mail.\n" + beat(1)))
    assert found == [Beat(5000.0, True)]


@pytest.mark.parametrize(
    "data",
    [
        beat(1) + b"garbage\n", b"x" * 5000, b'{"session": 3}\n', b"{]\n", b"{}\n",
        b'{"a":' + b"[" * 3000 + b"\n",
        b"Welcome!\n" * 20_000, b'{"beat": 1, "at": 1e999}\n', b'{"beat": 1, "at": NaN}\n', b'{"beat": []}\n',
        b'{"session": "S", "offset": -1, "bytes": 5}\n', b'{"session": "S", "offset": 0, "bytes": -5}\n',
        b'{"session": "S", "offset": 0, "bytes": 1e300}\n', b'{"session": "S", "bytes": 99999999}\n',
        b'{"session": "S", "offset": %s}\n' % (b"9" * 400), b'{"session": "\xff", "offset": 0}\n',
        b'{"session": "S", "offset": 0, "bytes": 3}\nabc',
    ],
)  # fmt: skip
def test_what_is_no_protocol_ends_following(data: bytes) -> None:
    """Another connect would bring the same."""
    with pytest.raises(TargetError, match=r"not Dyno's protocol|incomplete line"):
        list(FollowStreamSplitter().feed(data))


def test_a_line_without_end_is_not_waited_for() -> None:
    frames, fed = FollowStreamSplitter(), 0
    list(frames.feed(b'{"session": "S", "offset": 0, "bytes": %d}\n' % MAX_LINE))
    with pytest.raises(TargetError, match="incomplete line"):
        while fed < 3 * MAX_LINE:
            list(frames.feed(b"x" * 65536))
            fed += 65536
    assert fed <= MAX_LINE


def test_a_refusal_of_the_agent_is_passed_on() -> None:
    with pytest.raises(TargetError, match="no plan of that name"):
        list(FollowStreamSplitter().feed(b'{"error": "no plan of that name"}\n'))
