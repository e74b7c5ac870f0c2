"""What counted the instructions of columns: another model of CPU or valgrind may give another count.

Libraries choose code by what a CPU has, and valgrind decides what of that they see. How much that makes is
not known, so such counts are shown and never judged: to count both anew in one plan takes minutes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from app.comparison.cells.cell import Caveat, Row
from app.history.steps.figures import latest_fact
from app.history.steps.step_text import COUNTED_OTHERWISE
from app.history.store.history import History
from app.protocol.plan import COUNT

Counter = tuple[str, str]  # model of the CPU, version of valgrind; '' where nobody said
_WHY = "not judged, as another CPU or valgrind may count the same work otherwise: count both in one plan"


def counters_of(history: History, sessions: Iterable[str]) -> list[Counter]:
    """What counted these sessions, each once."""
    return list(dict.fromkeys(_counter_of(history, id_) for id_ in sessions))


def _counter_of(history: History, session: str) -> Counter:
    machine = latest_fact(history, session, "machine") or {}
    model = (machine.get("cpu") or {}).get("model") or ""
    return str(model), str(latest_fact(history, session, "valgrind") or "")


def differ(ours: Sequence[Counter], theirs: Sequence[Counter]) -> bool:
    """Whether two models or two versions are known among them."""
    return any(len({each[part] for each in (*ours, *theirs)} - {""}) > 1 for part in (0, 1))


def counter_text(counters: Sequence[Counter]) -> str:
    """`AMD EPYC with valgrind 3.19.0`."""
    return " and ".join(
        f"{model or 'an unknown CPU'} with valgrind {found or '?'}" for model, found in counters
    )


def mark_counted_otherwise(rows: Iterable[Row], counters: Sequence[Sequence[Counter]], base: int) -> None:
    """Mark the counted steps of columns that were counted otherwise than the base."""
    for row in rows:
        for cell, its in zip(row.cells, counters, strict=True):
            if row.kind == COUNT and cell.n and differ(counters[base], its):
                cell.marks.append(COUNTED_OTHERWISE)


def caveats_of_counters(
    counters: Sequence[Sequence[Counter]], names: Sequence[str], base: int
) -> Iterator[Caveat]:
    """One for each column that was counted otherwise than the base, with what counted both."""
    for at, its in enumerate(counters):
        if at != base and differ(counters[base], its):
            theirs = f"{names[base]} on {counter_text(counters[base])}"
            yield Caveat(f"{names[at]} was counted on {counter_text(its)}, {theirs}: {_WHY}")
