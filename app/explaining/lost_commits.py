"""Which setting loses answered commits: by the tries of its ledger, whatever the step itself measures.

The search goes by the result of the step. Its tries also tell with which settings commits were gone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypedDict

from .squares import Group

Try = tuple[Group, bool]  # the settings that had the value of B, and whether an answered commit was gone


class LosingSettingEntry(TypedDict):
    """A setting whose one value all losing tries have."""

    name: str
    value: str  # a | b
    lost: int
    tries: int  # with this value
    others: int  # tries with the other value: none lost a commit


class LostCommitsEntry(TypedDict):
    tries: int
    lost: int  # tries in which an answered commit was gone
    settings: list[LosingSettingEntry]  # several: these tries do not tell them apart


def lost_commits(names: Iterable[str], tries: Sequence[Try]) -> LostCommitsEntry | None:
    """What the tries say; None of a step without a ledger."""
    if not tries:
        return None
    lost = [group for group, is_lost in tries if is_lost]
    settings = [found for name in names if lost and (found := _losing(name, lost, tries))]
    return {"tries": len(tries), "lost": len(lost), "settings": settings}


def _losing(name: str, lost: Sequence[Group], tries: Sequence[Try]) -> LosingSettingEntry | None:
    """The value that all losing tries have, if others were tried without."""
    is_of_b = name in lost[0]
    having = sum((name in group) == is_of_b for group, _ in tries)
    if any((name in group) != is_of_b for group in lost) or having == len(tries):
        return None
    value = "b" if is_of_b else "a"
    return {
        "name": name, "value": value, "lost": len(lost), "tries": having, "others": len(tries) - having,
    }  # fmt: skip


def lost_commits_sentences(found: LostCommitsEntry | None) -> list[str]:
    """`Answered commits were gone in 4 of 8 tries with B's sync_binlog, in none of 8 with A's.`"""
    if found is None:
        return []
    tries = _tries(found["tries"])
    if not found["lost"]:
        return [f"No answered commit was gone in {tries}."]
    if not found["settings"]:
        return [
            f"Answered commits were gone in {found['lost']} of {tries}, with both values of each setting."
        ]
    sentences = [_sentence(each) for each in found["settings"]]
    if len(sentences) > 1:
        sentences.append("Which of these loses them is not told apart: the search goes by the result.")
    return sentences


def _sentence(each: LosingSettingEntry) -> str:
    its, other = ("B's", "A's") if each["value"] == "b" else ("A's", "B's")
    return (
        f"Answered commits were gone in {each['lost']} of {_tries(each['tries'])} with {its} {each['name']},"
        f" in none of {each['others']} with {other}."
    )


def _tries(count: int) -> str:
    return "1 try" if count == 1 else f"{count:,} tries"
