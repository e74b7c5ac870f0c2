"""Latency buckets and their text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.history.store.distributions import counts_by_bucket, decode_distributions
from app.protocol.latency import (
    BUCKETS,
    LONGEST_CODE,
    MOST_EVENTS,
    Counts,
    add,
    bucket_at,
    buckets_of,
    counts_of,
    encode,
    upper_ms,
    without,
)

COUNTS = st.dictionaries(st.integers(0, BUCKETS - 1), st.integers(1, MOST_EVENTS))


def test_the_text_of_the_documentation() -> None:
    assert encode({512: 3, 513: 33, 520: 1}) == "AgQDhBAGB"
    assert encode({}) == ""


@given(COUNTS)
def test_counts_come_back_from_their_text(counts: Counts) -> None:
    assert len(encode(counts)) <= LONGEST_CODE
    assert counts_by_bucket(decode_distributions([encode(counts)]).total()) == counts


def test_every_bucket_comes_back_from_its_upper_bound() -> None:
    for bucket in range(BUCKETS):
        assert bucket_at(upper_ms(bucket)) == bucket
        assert counts_of(buckets_of({bucket: 7})) == {bucket: 7}


def test_what_is_faster_or_slower_is_in_the_first_and_the_last() -> None:
    assert counts_of([[0, 1], [1e-9, 2], [1e300, 4]]) == {0: 3, BUCKETS - 1: 4}


def test_a_bucket_holds_what_is_nearest_to_its_middle() -> None:
    assert upper_ms(bucket_at(1.0) - 1) < 1.0 <= upper_ms(bucket_at(1.0))
    assert upper_ms(500) / upper_ms(499) < 1.019


@given(COUNTS, COUNTS)
def test_what_is_added_is_what_is_left_without_the_rest(one: Counts, other: Counts) -> None:
    together = dict(one)
    add(together, other)
    assert without(together, one) == other
    assert without(one, together) == {}
