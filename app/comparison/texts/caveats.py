"""What to know before a comparison is believed, joined by cause over all of its cells, in a few lines.

Each line says how many cells it leaves without a verdict. What the sentences above say is not repeated. All
lines, cell by cell: `text.remarks_of`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from app.comparison.answers.sentences import reason_in_sentence
from app.comparison.cells.cell import Cell, Comparison
from app.comparison.cells.labels import names_of
from app.comparison.verdicts.across import SIGN, cross_plan_remarks
from app.comparison.verdicts.rounds import SHARED_LOAD
from app.comparison.verdicts.same_load import SAME_LOAD
from app.core.units import count_text, first_texts
from app.history.steps.step_text import MARKS, step_mark_meaning
from app.protocol.others import DISTURBED, LEAST_KB, Others
from app.protocol.reading import ShapeError, read

MOST = 5  # lines
_OF_ALL, _UNJUDGES, _OF_SESSIONS, _JUDGED, _LEAST = range(5)  # how important a line is
_ALIKE = frozenset((SAME_LOAD, SHARED_LOAD))
_FAIR = " - from all contenders alike: judged all the same"
_FIGURES: dict[str, tuple[str, Callable[[Others], float]]] = {
    "cpu": ("other programs took {}%{} CPU", lambda each: each.cpu_pct or 0),
    "steal": ("the hypervisor took {}% of the CPU", lambda each: each.steal_pct or 0),
    "disk": (
        "other programs and the file system read and wrote {} MiB/s",
        lambda each: _disk_kb(each) / 1024,
    ),
    "swap": ("the machine swapped {} MiB", lambda each: (each.swap_kb or 0) / 1024),
    "memory": ("tasks waited for memory for {}% of the time", lambda each: each.memory_pct or 0),
    "quota": (
        "a CPU quota held the server back for {}% of the time",
        lambda each: each.throttled_pct or 0,
    ),
    "heat": ("heat slowed the CPUs down {} times", lambda each: each.heat_events or 0),
    "stopped": ("programs were stopped for {} s", lambda each: sum(each.stopped_s.values())),
}


@dataclass(frozen=True)
class _Line:
    rank: int
    text: str
    unjudged: int = 0  # cells
    reason: str = ""  # where a sentence has it in brackets, `rest` is left to say
    rest: str = ""


@dataclass(frozen=True)
class _Pair:
    """A cell that could be judged, and what each of its sessions and of the base's met."""

    cell: Cell
    base: Cell
    met: frozenset[str]  # causes that disturbed one of both


def joined_texts(comparison: Comparison, sentences: Sequence[str] = (), most: int = MOST) -> list[str]:
    """At most so many lines, the most important first; the last one counts what is left out."""
    texts = all_joined_texts(comparison, sentences)
    more = len(texts) - most + 1
    return texts if more <= 1 else [*texts[: most - 1], f"{more} more: --details"]


def all_joined_texts(comparison: Comparison, sentences: Sequence[str] = ()) -> list[str]:
    """All lines, the most important first, without what the sentences say."""
    found = sorted(_lines(comparison), key=lambda each: (each.rank, -each.unjudged))
    return list(dict.fromkeys(filter(None, (_left_to_say(each, sentences) for each in found))))


def _left_to_say(line: _Line, sentences: Sequence[str]) -> str:
    is_said = bool(line.reason) and any(f"({line.reason})" in each for each in sentences)
    return line.rest if is_said else line.text


def _lines(comparison: Comparison) -> Iterator[_Line]:
    pairs = [
        _Pair(cell, row.cells[comparison.base], _met(cell) | _met(row.cells[comparison.base]))
        for row in comparison.rows
        if not row.is_waiting
        for at, cell in enumerate(row.cells)
        if at != comparison.base
    ]
    cells = [cell for row in comparison.rows for cell in row.cells]
    yield from _warned(comparison)
    yield from _disturbed(cells, pairs)
    yield from _unjudged(pairs)
    yield from _marked(cells, pairs)
    yield from _left_out(cells)


def _warned(comparison: Comparison) -> Iterator[_Line]:
    """What is about the columns, or about their sessions."""
    there = [each for each in comparison.warnings if not each.comes_first]
    yield from (_Line(_OF_ALL, each.text, reason=each.reason) for each in there if not each.cause)
    sessions = sum(len(column.ids) + len(column.attempts) for column in comparison.columns)
    for cause, count in Counter(each.cause for each in there if each.cause).items():
        yield _Line(_OF_SESSIONS, f"{_part(count, sessions, 'session')}: {cause}")
    across = cross_plan_remarks(comparison, names_of(comparison))
    if len(across) > 1:
        text = "columns are judged across time or machines: the variance between plans is added to the noise"
        yield _Line(_OF_SESSIONS, f"{SIGN} {len(across)} {text}")
    else:
        yield from (_Line(_OF_SESSIONS, each) for each in across)


def _part(count: int, of: int, noun: str) -> str:
    """`all 4 sessions`, `3 of 4 sessions`, `1 session`."""
    if of == 1:
        return count_text(1, noun)
    return f"all {count_text(of, noun)}" if count == of else f"{count:,} of {count_text(of, noun)}"


# what disturbed


def _disturbed(cells: Sequence[Cell], pairs: Sequence[_Pair]) -> Iterator[_Line]:
    """A line for each cause, over all sessions of all cells."""
    known = [others for cell in cells for others in _others(cell)]
    for cause, (form, figure) in _FIGURES.items():
        met = [each for each in known if cause in each.causes]
        if not met:
            continue
        where, machine = _part(len(met), len(known), "measurement"), min(each.where for each in met)
        took = form.format(_span([figure(each) for each in met]), _of_cpus(met))
        text = f"{machine}{took} in {where}"
        its = [pair for pair in pairs if cause in pair.met]
        count = sum(DISTURBED in pair.cell.whys for pair in its)
        fair = _FAIR if its and all(map(_is_fair, its)) else ""
        yield _counted(f"{text}{_named(cause, met)}{fair}", count)


def _is_fair(pair: _Pair) -> bool:
    """Whether what disturbed a pair met both sides alike in all of its repeats."""
    return not _ALIKE.isdisjoint(pair.cell.marks) and not pair.cell.why and not any(pair.cell.left_out)


def _met(cell: Cell) -> frozenset[str]:
    return frozenset(cause for others in _others(cell) for cause in others.causes if cause in _FIGURES)


def _others(cell: Cell) -> list[Others]:
    found = []
    for each in cell.others:
        try:
            found += [read(Others, each)] if each else []
        except ShapeError:
            continue
    return found


def _span(figures: Sequence[float]) -> str:
    """`70 to 160`, `2.3`."""
    least, most = min(figures), max(figures)
    digits = 0 if most >= 10 else 1
    ends = dict.fromkeys((f"{least:,.{digits}f}", f"{most:,.{digits}f}"))
    return " to ".join(ends)


def _of_cpus(met: Sequence[Others]) -> str:
    cpus = {each.cpus for each in met}
    return f" of {100 * cpus.pop()}%" if len(cpus) == 1 else ""


def _disk_kb(others: Others) -> float:
    """A second; the device may not have the programs' writes yet."""
    read_kb, write_kb = (
        max(getattr(others, of) or 0, sum(getattr(each, of) for each in others.programs))
        for of in ("read_kb", "write_kb")
    )
    return float(read_kb + write_kb)


def _named(cause: str, met: Sequence[Others]) -> str:
    """`: dpkg, python3`: those that took most, by name; '' for what no program does."""
    if cause not in ("cpu", "disk"):
        return ""
    taken: Counter[str] = Counter()
    for program in (each for others in met for each in others.programs):
        taken[program.name] += int(
            program.cpu_pct if cause == "cpu" else (program.read_kb + program.write_kb) / LEAST_KB
        )
    names = [name for name, much in taken.most_common(3) if much]
    return f": {', '.join(names)}" if names else ""


def _counted(text: str, count: int) -> _Line:
    """A line with the verdicts that it costs."""
    return _Line(_UNJUDGES, f"{text} - {_not_judged(count)}", count) if count else _Line(_JUDGED, text)


def _not_judged(count: int) -> str:
    return f"so {count_text(count, 'result')} {'is' if count == 1 else 'are'} not judged"


# what else left cells without a verdict, and what was only marked


def _unjudged(pairs: Sequence[_Pair]) -> Iterator[_Line]:
    """By reason; what disturbed has its own lines, where it is known."""
    whys = Counter(why for pair in pairs for why in pair.cell.whys if why != DISTURBED or not pair.met)
    for why, count in whys.items():
        text, reason = step_mark_meaning(why), reason_in_sentence(why)
        left = MARKS.get(why, "").removeprefix(reason).removeprefix(": ")
        rest = f"{why}: {left} - {_not_judged(count)}" if left else ""
        yield _Line(_UNJUDGES, f"{text} - {_not_judged(count)}", count, reason, rest)


def _marked(cells: Sequence[Cell], pairs: Sequence[_Pair]) -> Iterator[_Line]:
    """Marks that cost no verdict."""
    told = {why for pair in pairs for why in pair.cell.whys}
    marks = Counter(mark for cell in cells for mark in cell.marks)
    for mark, count in marks.items():
        if mark not in told and not (mark in (DISTURBED, *_ALIKE) and any(map(_met, cells))):
            yield _Line(_JUDGED, f"{step_mark_meaning(mark)} - in {count_text(count, 'result')}")


def _left_out(cells: Sequence[Cell]) -> Iterator[_Line]:
    """Repeats that do not count, and seconds that somebody cut."""
    out = [marks for cell in cells for marks in cell.left_out if marks]
    why = first_texts(list(dict.fromkeys(mark for marks in out for mark in marks)))
    if out:
        is_told = why == DISTURBED and any(map(_met, cells))
        one = count_text(len(out), "disturbed measurement" if is_told else "measurement")
        yield _Line(_LEAST, f"{one} left out" if is_told else f"{one} left out: {why}")
    if cut := sum(any(cell.cuts) for cell in cells):
        yield _Line(_LEAST, f"only some of the seconds count in {count_text(cut, 'cell')}")
