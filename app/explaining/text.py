"""An explanation in words: a table of the settings, and sentences."""

from __future__ import annotations

from collections.abc import Iterator

from app.comparison.texts.differences_text import without_common_members
from app.core.table import Table
from app.core.units import count_text, unit_text

from .entries import DECIDED, GOES_ON, ExplainedDifferenceEntry, RatioEntry, SettingEntry, undecided_settings
from .lost_commits import lost_commits_sentences
from .search import DID, NONE

HEADS = ("setting", "A", "B", "verdict", "ratio", "interval", "share", "n")
TEXTS = 4  # columns that are no figures
REST = "unexplained or interaction"
_LONGEST = 32  # characters of a value


def explanation_table(entry: ExplainedDifferenceEntry) -> Table:
    """A line for each setting, what did it first; then what is left, and the whole."""
    lines = [_line(each) for each in entry["settings"]]
    for name, ratio in ((REST, entry["rest"]), ("B to A", entry["ratio"])):
        if ratio:
            lines.append((name, "", "", "", *_figures(ratio), "", str(ratio["n"])))
    return Table(_title(entry), HEADS, tuple(lines), TEXTS, tuple(explanation_sentences(entry)))


def _title(entry: ExplainedDifferenceEntry) -> str:
    sides = [f"{each['build']}" for each in (entry["a"], entry["b"])]
    builds = sides[0] if sides[0] == sides[1] else f"A {sides[0]}, B {sides[1]}"
    unit = unit_text(entry["unit"]) + (", less is better" if entry["direction"] == "lower" else "")
    return f"{entry['step']}: A against B, {entry['a']['engine']} of {builds}" + (
        f" ({unit})" if unit else ""
    )


def _line(setting: SettingEntry) -> tuple[str, ...]:
    ratio, n = setting["ratio"], setting["ratio"]["n"] if setting["ratio"] else 0
    figures = (*_figures(ratio), _share(setting)) if ratio else ("", "", "")
    values = map(_short, _values(setting))
    return (setting["name"], *values, verdict_text(setting), *figures, str(n))


def _values(setting: SettingEntry) -> Iterator[str]:
    return (value or "" for value in without_common_members((setting["a"], setting["b"]), _LONGEST))


def _short(value: str) -> str:
    return value if len(value) <= _LONGEST else f"{value[: _LONGEST - 1]}…"


def _figures(ratio: RatioEntry) -> tuple[str, str]:
    return f"{ratio['ratio']:.3f}", "-" if ratio[
        "low"
    ] is None else f"{ratio['low']:.3f} to {ratio['high']:.3f}"


def _share(setting: SettingEntry) -> str:
    share, low, high = setting["share"], setting["share_low"], setting["share_high"]
    if share is None or low is None or high is None:
        return ""
    return f"{round(100 * share)}% ({round(100 * low)} to {round(100 * high)}%)"  # as int: no -0%


def verdict_text(setting: SettingEntry) -> str:
    """`did it`, `no effect beyond 1.4%`, `undecided_settings`; and what was measured as one with it."""
    word = setting["verdict"]
    if word == NONE and setting["beyond_pct"] is not None:
        word = f"no effect beyond {setting['beyond_pct']:.1f}%"
    others = len(setting["together"])
    return f"{word}, with {count_text(others, 'other')}" if others else word


def explanation_sentences(entry: ExplainedDifferenceEntry) -> list[str]:
    """What it came to."""
    return [
        *_of_ratio(entry),
        *_of_settings(entry),
        *_of_interactions(entry),
        *lost_commits_sentences(entry["lost_commits"]),
        *_of_slices(entry),
        _of_end(entry),
    ]


def _of_ratio(entry: ExplainedDifferenceEntry) -> list[str]:
    ratio = entry["ratio"]
    if ratio is None:
        return ["There are too few repeats yet for a ratio of B to A."]
    rounds = count_text(ratio["n"], "repeat")
    return [f"B has {_with_interval(ratio)} times the result of A, n = {rounds}."]


def _with_interval(ratio: RatioEntry) -> str:
    low, high = ratio["low"], ratio["high"]
    return f"{ratio['ratio']:.2f}" + ("" if low is None else f" ({low:.2f} to {high:.2f})")


def _of_settings(entry: ExplainedDifferenceEntry) -> list[str]:
    named = [each for each in entry["settings"] if each["verdict"] == DID]
    found = [
        f"{each['name']} did it: from {' to '.join(_values(each))} multiplies the result"
        f" by {_with_interval(each['ratio'])}."
        for each in named
        if each["ratio"]
    ]
    if not named and entry["state"] == DECIDED:
        return [f"No setting has an effect beyond {entry['limit_pct']:.1f}%."]
    return found


def _of_interactions(entry: ExplainedDifferenceEntry) -> list[str]:
    return [
        f"{' and '.join(each['settings'])} depend on each other: together they multiply the result"
        f" {_with_interval(each['ratio'])} times as much as one by one."
        if len(each["settings"]) > 1
        else f"{each['settings'][0]} depends on other settings: its effect next to those of B is"
        f" {_with_interval(each['ratio'])} times its effect next to those of A."
        for each in entry["interactions"]
    ]


def _of_slices(entry: ExplainedDifferenceEntry) -> list[str]:
    return [] if entry["in_slices"] else [f"Whole sessions A B B A, not in slices: {entry['why_whole']}."]


def _of_end(entry: ExplainedDifferenceEntry) -> str:
    took = f"{count_text(entry['rounds'], 'repeat')} in {count_text(len(entry['plans']), 'plan')}"
    took += f", {entry['minutes']:.0f} of at most {entry['minutes_limit']} minutes"
    open_ones = undecided_settings(entry)
    if entry["state"] == GOES_ON:
        return f"Not decided yet: {took}. Next: {', '.join(entry['next'])}."
    if open_ones:
        why = "more repeats would not help" if entry["state"] == DECIDED else "the time is up"
        return f"Undecided: {', '.join(open_ones)} ({why}). {took}."
    return f"Decided: {took}. At most {100 * entry['false_share']:g}% of explanations name a wrong setting."
