"""A time limit for calls that know none."""

from __future__ import annotations

import threading

import pytest

from app.remote.bounded import bounded


def test_results_errors_and_limits() -> None:
    assert bounded(lambda: 7, 5) == 7
    with pytest.raises(ZeroDivisionError):
        bounded(lambda: 1 // 0, 5)
    release = threading.Event()
    with pytest.raises(TimeoutError):
        bounded(release.wait, 0.05)
    release.set()
