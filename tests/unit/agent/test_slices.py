"""Slices: whose turn it is, how long each takes, what of the machine's time is a contender's own."""

from __future__ import annotations

import threading

import pytest

from app.agent.load.gate import USUAL_S, lengths, slice_length
from app.agent.sampling.reading import OtherTurnsSubtractor, Reading, grown
from app.agent.steps.baton import SessionTurn, SliceTurns, StepSlicePosition, TurnHooks


def _carry_out(place: SessionTurn, name: str, steps: int, parts: int, done: list[str]) -> None:
    """A session whose only work is to note its turns, as the sessions of a round do."""
    place.attach(
        TurnHooks(
            lambda: done.append(f"{name} stops"),
            lambda: done.append(f"{name} goes on"),
            lambda: None,
            lambda: {ord(name)},
        )
    )
    place.take()
    try:
        for step in range(steps):
            for part in range(parts):
                place.pass_on(StepSlicePosition(step, part))
                done.append(f"{name}{step}.{part}")
    finally:
        done.append(f"{name} stops")  # its server goes with it
        place.end()


def _round(*sessions: tuple[str, int, int]) -> list[str]:
    baton, done = SliceTurns(), list[str]()
    places = [baton.join() for _ in sessions]
    threads = [
        threading.Thread(target=_carry_out, args=(place, *session, done))
        for place, session in zip(places, sessions, strict=True)
    ]
    for thread in reversed(threads):  # whichever starts first
        thread.start()
    for thread in threads:
        thread.join(10)
        assert not thread.is_alive()
    return done


def _turns(done: list[str]) -> list[str]:
    return [each for each in done if " " not in each]


def test_two_take_turns_there_and_back_again() -> None:
    assert _turns(_round(("A", 1, 6), ("B", 1, 6))) == [
        "A0.0", "B0.0", "B0.1", "A0.1", "A0.2", "B0.2", "B0.3", "A0.3", "A0.4", "B0.4", "B0.5", "A0.5",
    ]  # fmt: skip


def test_three_take_turns_there_and_back_again() -> None:
    turns = _turns(_round(("A", 1, 3), ("B", 1, 3), ("C", 1, 3)))
    assert turns == ["A0.0", "B0.0", "C0.0", "C0.1", "B0.1", "A0.1", "A0.2", "B0.2", "C0.2"]


def test_nobody_begins_a_step_before_all_have_ended_the_one_before() -> None:
    turns = _turns(_round(("A", 3, 2), ("B", 3, 2)))
    steps = [int(each[1]) for each in turns]
    assert steps == sorted(steps)


def test_who_stops_has_stopped_before_another_goes_on() -> None:
    done = _round(("A", 2, 3), ("B", 2, 3))
    working: str | None = "A"
    for each in done:
        if each.endswith("stops"):
            assert working == each[0]
            working = None
        elif each.endswith("goes on"):
            assert working is None
            working = each[0]
        else:
            assert working in (each[0], None)  # None: its first turn, with nothing to go on with
            working = each[0]


def test_who_ends_early_leaves_the_others_to_themselves() -> None:
    turns = _turns(_round(("A", 1, 1), ("B", 2, 2)))
    assert turns == ["A0.0", "B0.0", "B0.1", "B1.0", "B1.1"]


def test_a_round_of_one_never_stops() -> None:
    assert _round(("A", 2, 2)) == ["A0.0", "A0.1", "A1.0", "A1.1", "A stops"]


def test_a_slice_is_as_long_as_the_slowest_needs() -> None:
    baton = SliceTurns()
    quick, slow = baton.join(), baton.join()
    quick.agree(3, slice_length(10.0))
    slow.agree(3, slice_length(200.0))
    assert quick.agreed(3) == slow.agreed(3) == pytest.approx(4.0)
    assert quick.agreed(4) == 0.0


def test_a_slice_stays_as_long_when_the_slowest_has_ended() -> None:
    """A step of one slice, the last of its session: the others come to their slices afterwards."""
    baton = SliceTurns()
    quick, slow = baton.join(), baton.join()
    quick.agree(3, slice_length(10.0))
    slow.agree(3, slice_length(200.0))
    assert slow.agreed(3) == pytest.approx(4.0)
    slow.end()
    assert quick.agreed(3) == pytest.approx(4.0)


def test_who_has_ended_before_the_slices_does_not_count() -> None:
    baton = SliceTurns()
    quick, slow = baton.join(), baton.join()
    quick.agree(3, slice_length(10.0))
    slow.agree(3, slice_length(200.0))
    slow.end()
    assert quick.agreed(3) == USUAL_S


def test_processes_of_the_round_are_those_of_all_sessions() -> None:
    baton = SliceTurns()
    first, second = baton.join(), baton.join()
    for place, pid in ((first, 1), (second, 2)):
        place.attach(TurnHooks(lambda: None, lambda: None, lambda: None, lambda pid=pid: {pid}))  # type: ignore[misc]
    assert first.pids() == {1, 2}


@pytest.mark.parametrize(("seconds", "usual"), [(60, 1.0), (5, 1.0), (60, 4.2), (3, 10.0), (1, 1.0)])
def test_lengths_come_to_the_seconds_of_the_step(seconds: int, usual: float) -> None:
    found = lengths(seconds, usual, "seed")
    assert sum(found) == pytest.approx(seconds)
    assert found == lengths(seconds, usual, "seed")
    assert len(found) == max(1, round(seconds / usual))
    assert max(found) / min(found) <= 1.5 + 1e-9
    assert len(found) == 1 or len(set(found)) == len(found)


def test_lengths_differ_by_their_seed() -> None:
    assert lengths(60, 1.0, "one") != lengths(60, 1.0, "another")


def _reading(at: float, busy: float, server: float, memory: float = 5.0) -> Reading:
    counters = {"cpu_busy": busy, "server_cpu_s": server, "server_memory_mb": memory}
    return Reading(at, counters, {"server": 7})


def test_the_time_of_others_is_none_of_its_own() -> None:
    own = OtherTurnsSubtractor()
    first = own.of(_reading(100, 1000, 10))
    own.leave(_reading(101, 1080, 11))
    own.come_back(_reading(131, 4000, 11))
    last = own.of(_reading(132, 4090, 12, memory=6.0))
    assert last.at - first.at == 2
    assert grown("cpu_busy", first, last) == 170
    assert grown("server_cpu_s", first, last) == 2
    assert last.counters["server_memory_mb"] == 6.0


def test_what_could_not_be_read_meanwhile_is_missing_and_not_wrong() -> None:
    own = OtherTurnsSubtractor()
    own.leave(_reading(1, 10, 1))
    own.come_back(Reading(2, {"cpu_busy": 15}, {}))
    assert own.of(Reading(3, {"cpu_busy": 20, "swap_kb": 3.0}, {})).counters == {
        "cpu_busy": 15,
        "swap_kb": 3.0,
    }
