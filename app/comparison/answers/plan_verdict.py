"""What a plan that is over comes to, in a line: by itself, and against the baseline of its target."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from app.comparison.verdicts.compare import compare
from app.comparison.verdicts.judgement import verdict_limits
from app.core.settings import read_settings
from app.history.lists.sessions import SessionEntry, sessions
from app.history.store.history import History
from app.protocol.states import GOING_ON

from .baseline import compare_with_baseline, pinned
from .sentences import first_lines
from .tally import UNJUDGED, tally_text


@dataclass(frozen=True)
class PlanVerdict:
    text: str = ""  # `3 slower, 1 faster of 4 steps`; after `against good: ` too; '' while it goes on
    sentences: tuple[str, ...] = ()  # the same in full
    is_pinned: bool = False  # a contender of it is the baseline of its target

    @property
    def lines(self) -> list[str]:
        """Both, where there is anything to say; the sentences say why there is no verdict."""
        told = [] if self.text in ("", UNJUDGED) else [self.text]
        return [*told, *self.sentences]


def plan_verdict(history: History, plan: str, home: Path | None = None) -> PlanVerdict:
    found = sessions(history, plan=plan)
    if not found or any(each["state"] in GOING_ON or each["published"] for each in found):
        return PlanVerdict()
    own, sentences = _by_itself(history, found, home)
    base = pinned(history, home).get(found[0]["target"])
    if base is not None and base.plan == plan:
        return PlanVerdict("; ".join(filter(None, ("pinned baseline", own))), sentences, is_pinned=True)
    answer = compare_with_baseline(history, found, base, home) if base else None
    if answer is None:
        return PlanVerdict(own, sentences)
    texts = filter(None, (own, answer.text))
    return PlanVerdict("; ".join(texts), (*sentences, f"Against {answer.name}:", *answer.sentences))


def _by_itself(history: History, found: list[SessionEntry], home: Path | None) -> tuple[str, tuple[str, ...]]:
    """Of several contenders; nothing of one."""
    ids = [each["id"] for each in found if each["started_at"]]
    if len({each["contender_key"] for each in found if each["started_at"]}) < 2:
        return "", ()
    compared = compare(history, ids, limits=verdict_limits(read_settings(home)))
    return tally_text(compared), tuple(first_lines(compared))
