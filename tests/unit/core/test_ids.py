from __future__ import annotations

import time

import pytest

from app.core import ids


def test_an_id_has_26_characters_of_crockfords() -> None:
    found = ids.new_id()
    assert len(found) == 26
    assert set(found) <= set(ids.ALPHABET)


def test_ids_sort_in_the_order_they_were_made(monkeypatch: pytest.MonkeyPatch) -> None:
    found = [ids.new_id() for _ in range(500)]
    monkeypatch.setattr(time, "time_ns", lambda: 0)  # a clock that was set back
    found += [ids.new_id() for _ in range(500)]
    assert found == sorted(set(found))


def test_the_first_ten_characters_are_the_milliseconds() -> None:
    assert ids.encode_id(1469918176385 << 80).startswith("01ARYZ6S41")
