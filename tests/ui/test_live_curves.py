"""Curves from the store, then from events: nothing twice, nothing left out."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest

from app.history.lists.sessions import sessions
from app.history.recorded.writing import JournalStorer
from app.history.steps.series import series_of_roles
from app.history.steps.timeline import load_step_series, timeline
from app.history.store.decoding import decode_events
from app.history.store.history import History
from app.protocol.events import MomentEvent, encode
from app.protocol.series import role_series_name
from tests.journals import SERIES, Maker, plan, whole
from ui.core.theme import Theme
from ui.pages.live.curves import GhostCurves, SessionCurves
from ui.pages.live.lines import ShownCurves
from ui.widgets.charts.pyramid import GrowingTimeSeries

NAMES = tuple(each["name"] for each in SERIES)
QPS = "load.queries"


def read(home: Path, maker: Maker, events: int) -> SessionCurves:
    """As the page reads it when so many events are stored."""
    with History(home) as history:
        raw = b"".join(encode(event) for event in maker.events[:events])
        JournalStorer(history).append(maker.plan.id, maker.session, 0, raw)
        return SessionCurves(timeline(history, maker.session, NAMES), NAMES)


def drawn(track: GrowingTimeSeries) -> list[tuple[float, float | None]]:
    times, values = track.window(-1e9, 1e9, 1 << 20)
    return [(t, None if math.isnan(v) else v) for t, v in zip(times.tolist(), values.tolist(), strict=True)]


@pytest.mark.parametrize("known", [1, 5, 8, 14, 20, 30, 43])
def test_read_up_to_anywhere_and_continued_by_events(tmp_path: Path, known: int) -> None:
    maker = whole(plan())
    curves = read(tmp_path / "some", maker, known)
    curves.take(decode_events(maker.raw))  # all of them: those that were read are passed over
    complete = read(tmp_path / "all", maker, len(maker.events))
    for name in NAMES:
        assert drawn(curves.tracks[name]) == drawn(complete.tracks[name])
    assert curves.bounds == complete.bounds
    assert curves.remarks == complete.remarks
    assert curves.gaps == complete.gaps


def test_no_curve_leads_from_a_step_into_the_next(tmp_path: Path) -> None:
    maker = whole(plan())
    curves = read(tmp_path, maker, len(maker.events))
    points = dict(drawn(curves.tracks[QPS]))
    assert all(points[bounds.began_t] is None for bounds in list(curves.bounds.values())[2:])


def test_where_nothing_was_heard_there_is_a_gap(tmp_path: Path) -> None:
    maker = Maker(plan()).begin()
    maker.start_step(1)
    maker.samples(1, range(-2, 2))
    before = maker.t
    maker.t += 20
    maker.samples(1, range(2, 4))
    curves = read(tmp_path, maker, 3)
    taken = curves.take(decode_events(maker.raw))
    assert taken.values == 6
    assert curves.gaps == [(pytest.approx(before), pytest.approx(before + 21, abs=0.01))]


def test_series_declared_anew_find_their_place(tmp_path: Path) -> None:
    maker = Maker(plan()).begin()
    maker.start_step(1)
    maker.samples(1, range(-2, 1))
    curves = read(tmp_path, maker, len(maker.events))
    maker.declare(list(reversed(SERIES)))
    maker.samples(1, range(1, 3))
    assert curves.take(decode_events(maker.raw)).is_stale
    last = maker.events[-1]
    assert curves.tracks[QPS].at(last.t) == last.values[-1]


def test_notes_and_what_happened_are_marks_and_the_log_is_not(tmp_path: Path) -> None:
    curves = read(tmp_path, whole(plan()), 99)
    assert [text for _, text in curves.marks] == ["the fan is loud"]


def test_an_operation_is_a_mark_in_plain_words(tmp_path: Path) -> None:
    maker = Maker(plan()).begin()
    maker.start_step(0)
    moments = [("operation", "power-cut"), ("answers", ""), ("operation-ended", ""), ("operation", "ddl")]
    for name, text in [*moments, ("operation-ended", ""), ("restarted", "as at first")]:
        maker.add(MomentEvent, name=name, step=0, value=5.0, text=text)
    words = ["power cut", "server answers", "ddl", "operation over", "server restarted: as at first"]
    assert [text for _, text in read(tmp_path / "whole", maker, 99).marks] == words
    curves = read(tmp_path / "some", maker, 5)
    curves.take(decode_events(maker.raw))
    assert [text for _, text in curves.marks] == words


def test_a_ghost_begins_each_step_where_it_begins_here(tmp_path: Path) -> None:
    earlier, maker = whole(plan(number=1)), Maker(plan(number=2))
    maker.t = 100.0  # this session took longer to begin
    maker.begin()
    maker.step(0)
    maker.start_step(1)
    maker.samples(1, range(-2, 2))
    curves = read(tmp_path, maker, len(maker.events))
    read(tmp_path, earlier, len(earlier.events))
    with History(tmp_path) as history:
        ghost = GhostCurves(earlier.session, load_step_series(history, earlier.session, [QPS]), [QPS])
    ghost.advance(curves.bounds, curves.t)
    began = {event.step: event.t for event in earlier.events if event.kind == "step_started"}
    samples = [event for event in earlier.events if event.kind == "sample" and event.step == 1]
    shift = curves.bounds[1].began_t - began[1]
    assert drawn(ghost.tracks[QPS])[-4:] == [
        (pytest.approx(event.t + shift), event.values[0]) for event in samples[:4]
    ]
    ghost.advance(curves.bounds, curves.t + 1.01)
    assert drawn(ghost.tracks[QPS])[-1][0] == pytest.approx(samples[4].t + shift)


def test_roles_are_curves_of_one_chart(tmp_path: Path, theme: Theme) -> None:
    """The session's own line is that of the role of the figure; a step without roles has no other."""
    first, *others = plan().steps
    reader = replace(first, name="q", kind="drive", seconds=3, warmup=0, role="reader")
    writer = replace(reader, name="q.writer", role="writer", beside=True)
    maker = Maker(replace(plan(), steps=[reader, writer, *others]))
    roles = [{**SERIES[0], "name": role_series_name(QPS, role)} for role in ("reader", "writer")]
    maker.begin([*SERIES, *roles])
    maker.step(0)
    with History(tmp_path) as history:
        JournalStorer(history).append(maker.plan.id, maker.session, 0, maker.raw)
        names = (*NAMES, *series_of_roles(history, maker.session, QPS))
        assert names[len(NAMES) :] == ("load.queries{reader}", "load.queries{writer}")
        curves = SessionCurves(timeline(history, maker.session, names), names)
        (entry,) = sessions(history, ids=[maker.session])
    lines = ShownCurves(curves, entry).rate_lines(theme, QPS)
    assert [(line.key, line.label) for line in lines][1:] == [("load.queries{writer}", "writer")]
    assert lines[0].key == QPS and len(curves.tracks["load.queries{writer}"]) >= 3
