"""The seconds of a session as OpenMetrics text with time stamps, for Prometheus and what reads it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path

from app.core.errors import InputError
from app.history.lists.sessions import find
from app.history.steps.figures import steps
from app.history.store.blocks import step_clock_rows, unfinished_step_seconds, values_of
from app.history.store.history import History

_OTHER = re.compile("[^a-zA-Z0-9_]")


def export_openmetrics(history: History, reference: str, file: Path) -> Path:
    """Write a new file: a gauge for each series, labelled by session, contender, step and its place."""
    id_ = find(history, reference)
    try:
        with history.reading(), file.open("x", encoding="utf-8") as out:
            out.writelines(_lines(history, id_))
    except FileExistsError:
        raise InputError(f"{file} exists already: choose another name") from None
    except OSError as error:
        raise InputError(f"{file} cannot be written: {error.strerror}") from None
    return file


def _lines(history: History, id_: str) -> Iterator[str]:
    ((number, began, contender, target),) = history.query(
        "SELECT number, planned_at, contender, target FROM session WHERE id = ?", (id_,)
    )
    common = {"session": id_, "contender": contender, "target": target}
    names = [{**common, "step": each["name"], **_place(each["coordinates"])} for each in steps(history, id_)]
    numbers = history.query(
        "SELECT number, position FROM step WHERE session = ? ORDER BY position", (number,)
    )
    known = history.query("SELECT name, number FROM series WHERE session = ? ORDER BY number", (number,))
    for name, series in known:
        metric = f"dyno_{_OTHER.sub('_', name)}"
        yield f"# TYPE {metric} gauge\n"
        for step, position in numbers:
            labels = ",".join(f'{key}="{_escaped(str(value))}"' for key, value in names[position].items())
            for t, value in _seconds(history, step, series, len(known)):
                yield f"{metric}{{{labels}}} {value!r} {began + t:.3f}\n"
    yield "# EOF\n"


def _place(coordinates: dict[str, object]) -> dict[str, object]:
    """Coordinates as labels; one called as another label keeps apart from it."""
    return {f"at_{_OTHER.sub('_', name)}": value for name, value in coordinates.items()}


def _seconds(history: History, step: int, series: int, count: int) -> Iterator[tuple[float, float]]:
    """Moments since the session began, with values; what is missing is left out."""
    clock = step_clock_rows(history.connection, step)
    if clock is None:
        staged = unfinished_step_seconds(history.connection, step, count)
        times, values = staged.clock[1], staged.values[series]
    else:
        times, values = clock[1], values_of(history.connection, step, series)
    if values is not None:
        pairs = zip(times.tolist(), values.tolist(), strict=True)
        yield from ((t, value) for t, value in pairs if math.isfinite(value))


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
