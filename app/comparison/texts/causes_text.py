"""Causes by name, written down."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from app.comparison.cells.cell import CauseEntry
from app.comparison.verdicts.more_work import AGAINST, is_faster_side_work
from app.comparison.why.causes import CausesEntry
from app.comparison.why.grounds import DIFFERS
from app.core.table import Table
from app.core.units import figure_text

from .costs_text import share_text
from .waits_text import n_text

NONE = "No cause that Dyno knows by name shows in the figures of this step."
HINT = "These figures go along with the clients' time: a hint where to look, not a proof of the cause."
SAME = (
    "The time per query does not differ beyond the noise, or enough to matter: causes are ranked by their"
    " share of it."
)
DIFFER = "Known to differ, not known to act here: {}."
POOL = "No time of clients {}: its connections share the threads of a pool ({}), so only its CPU is known."
OF_BASE = "The base is the slower one: these causes are of its time."
_EXPLAINED = 5
_NOTHING = 0.005
SAME_TIME = "Several causes can be of the same time: what they explain does not add up."
_ALL = 0.995
_REST = "; the rest waits without a name, perhaps for a cause above"


def cause_sentence(entry: CauseEntry) -> str:
    """`The clients wait for row locks: 1,204 us per query (base 3), 72% of the clients' time (base 1%)`."""
    text = f"{entry['title']}: {_figure(entry)}"
    if entry["share"][-1] is None:
        return text
    shares = _beside(list(map(share_text, entry["share"])), " of the clients' time")
    return f"{text}, {shares}"


def _figure(entry: CauseEntry) -> str:
    return _beside(list(map(figure_text, entry["figures"])), f" {entry['words']}")


def _beside(texts: Sequence[str], words: str) -> str:
    """The figure of the column, then that of the base."""
    *base, own = texts
    return f"{own}{words}{f' (base {base[0]})' if base else ''}"


def causes_table(title: str, entry: CausesEntry) -> Table:
    """A line for each cause, first what explains most."""
    has_base = len(entry["named_share"]) > 1
    heads = ("cause", "figure", *(("explains", "share", "base") if has_base else ("share",)), "n")
    told = [each for each in entry["causes"] if not _explains_nothing(each)] or entry["causes"]
    lines = tuple(_line(at, each) for at, each in enumerate(told, 1))
    return Table(title, heads, lines, 2, tuple(causes_remarks(entry)))


def _explains_nothing(entry: CauseEntry) -> bool:
    """Less than half a percent, as it is shown."""
    return entry["explains"] is not None and entry["explains"] < _NOTHING


def _line(at: int, entry: CauseEntry) -> tuple[str, ...]:
    explains = (share_text(entry["explains"]),) if len(entry["n"]) > 1 else ()
    shares = map(share_text, reversed(entry["share"]))
    return f"{at}. {entry['title']}", _figure(entry), *explains, *shares, n_text(entry["n"])


def causes_remarks(entry: CausesEntry) -> Iterator[str]:
    """What to know of the list, and how much of the clients' time has a name."""
    named = entry["named_share"]
    against = [each for each in entry["causes"] if is_faster_side_work(each)]
    yield HINT if len(against) < len(entry["causes"]) else NONE
    if against:
        yield AGAINST
    yield from _becauses(entry)
    yield from _of_pools(entry["pools"])
    if sum(each["explains"] or 0.0 for each in entry["causes"]) > 1:
        yield SAME_TIME
    if entry["slower"] == 0:
        yield OF_BASE
    elif entry["slower"] is None and len(named) > 1 and any(map(_has_share, entry["causes"])):
        yield SAME
    if named[-1] is not None:
        slower = -1 if entry["slower"] is None else entry["slower"]
        its = named[slower]  # the rest of the faster one explains nothing
        has_rest = its is not None and its < _ALL
        shares = _beside(list(map(share_text, named)), " of the clients' time has a name")
        yield f"{shares}{_REST if has_rest else ''}."


def _has_share(entry: CauseEntry) -> bool:
    return any(share is not None for share in entry["share"])


def _becauses(entry: CausesEntry) -> Iterator[str]:
    """Why a counter moves, and which variables are here only because they differ."""
    known = [each for each in entry["causes"] if each.get("because") and each["known_by"] != DIFFERS]
    for each in known[:_EXPLAINED]:
        yield f"{each['name']}: {each['because']}."
    differ = [each["variable"] for each in entry["causes"] if each.get("known_by") == DIFFERS]
    if names := list(filter(None, differ)):
        yield DIFFER.format(", ".join(names))


def _of_pools(pools: Sequence[str]) -> Iterator[str]:
    *bases, own = pools
    for where, handling in (("of the base", bases[0] if bases else ""), ("here", own)):
        if handling:
            yield POOL.format(where, handling)
