"""The rows that steps and roles write each second, and their stalls by name."""

from __future__ import annotations

from typing import Any

import pytest

from app.history.steps.written_rows import WrittenRows, written_rows
from app.history.store.history import History
from app.protocol.latency import bucket_at, counts_of, upper_ms
from app.stats.at_target.steady import steadiness
from tests import journals, written
from tests.written import HANGS, LONG_MS, Writes


def of_steps(history: History, **changes: Any) -> dict[str, WrittenRows]:
    """What is written in a session with these changes, by the name of the step."""
    maker = Writes(written.plan())
    for name, value in changes.items():
        setattr(maker, name, value)
    journals.store(history, maker.carried_out())
    return {each.step.name: each for each in written_rows(history, maker.session)}


def test_what_writes_rows_is_read_and_what_reads_or_follows_is_not(history: History) -> None:
    found = of_steps(history)
    assert list(found) == ["l.i0", "l.i1", "qr100.inserter"]
    assert found["l.i0"].rows.max() == 25_000  # of the step, the others of their roles
    assert found["qr100.inserter"].rows.max() == written.USUAL


def test_a_planted_stall_has_its_length_its_longest_response_and_its_cause(history: History) -> None:
    (stall,) = of_steps(history)["l.i1"].stalls
    assert (stall.first_s, stall.last_s, stall.seconds) == (HANGS[0], HANGS[-1], len(HANGS))
    assert stall.longest_ms == LONG_MS  # of the second after it, in which the response ended
    assert stall.ended_t - stall.began_t == pytest.approx(len(HANGS), abs=0.1)
    assert stall.label == "stall 4 s: table locks"
    assert stall.text == (
        "stall of 4 s from second 12 on, longest response 4,210 ms;"
        " table locks took 95% of the clients' time, 1% otherwise"
    )


def test_only_the_step_with_the_hang_has_a_stall(history: History) -> None:
    found = of_steps(history)
    assert [len(each.stalls) for each in found.values()] == [0, 1, 0]


def test_without_a_wait_by_name_the_state_of_the_threads_is_the_cause(history: History) -> None:
    (stall,) = of_steps(history, has_wait=False)["l.i1"].stalls
    assert stall.cause is not None and stall.cause.title == "lock wait of unknown kind"
    assert stall.cause.text == "lock wait of unknown kind took 92% of the clients' time, 3% otherwise"


@pytest.mark.parametrize("hangs", [(), (12,), (5, 7, 9, 11)])
def test_single_seconds_are_no_stall(history: History, hangs: tuple[int, ...]) -> None:
    assert of_steps(history, hangs=hangs)["l.i1"].stalls == ()


def test_two_stalls_are_two(history: History) -> None:
    found = of_steps(history, hangs=(3, 4, 20, 21, 22))["l.i1"].stalls
    assert [(each.first_s, each.seconds) for each in found] == [(3, 2), (20, 3)]


def test_the_stalls_are_those_of_which_steadiness_speaks(history: History) -> None:
    rows = of_steps(history, hangs=(3, 4, 20, 21, 22))["l.i1"].rows.tolist()
    assert "2 stalls of 2 s or more, 5 s together" in steadiness(rows).text


def test_a_step_without_roles_has_its_longest_responses_from_its_latencies(history: History) -> None:
    seconds = {s: counts_of([[0.5, 300], [7.0 + s, 1]]) for s in range(written.SECONDS - 1)}
    longest = of_steps(history, latencies=seconds)["l.i0"].longest_ms.tolist()
    assert longest[:3] == [upper_ms(bucket_at(7.0 + s)) for s in range(3)]
    assert longest[-1] != longest[-1]  # no buckets, so it is missing


def test_a_session_that_writes_no_rows_has_none(history: History) -> None:
    maker = journals.whole(journals.plan())
    journals.store(history, maker)
    assert written_rows(history, maker.session) == []


def test_a_server_that_tells_nothing_of_its_threads_has_stalls_without_a_cause(
    history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = [each for each in written.SERIES if not each["name"].startswith(("threads.", "waits."))]
    monkeypatch.setattr(written, "SERIES", known)
    (stall,) = of_steps(history)["l.i1"].stalls
    assert stall.cause is None and stall.label == "stall 4 s"


def test_write_stalls_of_an_engine_have_their_reason(
    history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    more = ("waits.stall_ms", "rocksdb.stalls{memtables}", "rocksdb.stalls{L0 files}")
    monkeypatch.setattr(written, "SERIES", [*written.SERIES, *({"name": name} for name in more)])
    (stall,) = of_steps(history, plan=written.plan(["rocksdb"]))["l.i1"].stalls
    assert stall.label == "stall 4 s: write stalls (memtables)"
