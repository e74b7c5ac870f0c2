"""An explanation as JSON: the ratio of B to A, the share of each setting, interactions, what is left."""

from __future__ import annotations

from math import exp, log
from typing import TypedDict

from app.protocol.plan import Contender
from app.stats.at_target.welch import WIDEST, LogMeanDifference

from .explaining import ExplainedContenderPair, ExplanationState
from .lost_commits import LostCommitsEntry, lost_commits
from .search import OPEN, DifferenceShares, SettingsShare

DECIDED, TIME_IS_UP, GOES_ON = "decided", "time is up", "goes on"


class RatioEntry(TypedDict):
    """How many times the result of A a contender has."""

    ratio: float
    low: float | None  # null: the interval is too wide to say anything
    high: float | None
    n: int  # rounds


class SettingEntry(TypedDict):
    name: str
    a: str
    b: str
    verdict: str  # did it | no effect | undecided
    beyond_pct: float | None  # no effect is larger than this
    together: list[str]  # settings that were measured as one with it, and share its figures
    ratio: RatioEntry | None  # null: not measured yet
    share: float | None  # of the whole ratio, in logarithms; null where A and B hardly differ
    share_low: float | None
    share_high: float | None


class InteractionEntry(TypedDict):
    settings: list[str]
    ratio: RatioEntry  # of all together to what they do one by one


class SideEntry(TypedDict):
    build: str
    version: str
    engine: str


class ExplainedDifferenceEntry(TypedDict):
    """What `explain --json` gives."""

    state: str
    step: str
    unit: str
    direction: str
    a: SideEntry
    b: SideEntry
    ratio: RatioEntry | None  # of B to A
    settings: list[SettingEntry]
    interactions: list[InteractionEntry]
    rest: RatioEntry | None  # what the settings leave of the ratio: unexplained, or an interaction
    limit_pct: float  # effects within it count as none
    false_share: float
    in_slices: bool
    why_whole: str  # it is not in slices
    rounds: int
    plans: list[str]
    minutes: float
    minutes_limit: int
    next: list[str]  # the contenders of the next plan
    lost_commits: LostCommitsEntry | None  # null: the step has no ledger


def entry_of(explaining: ExplainedContenderPair, state: ExplanationState) -> ExplainedDifferenceEntry:
    found, limits = state.explained, explaining.asked.limits
    word = DECIDED if state.is_decided else GOES_ON if state.rounds else TIME_IS_UP
    settings = [_setting(explaining, found, part, name) for part in found.parts for name in part.settings]
    following = found.next.contenders if found.next and state.rounds else ()
    return {
        "state": word,
        "step": explaining.work.step,
        "unit": state.evidence.unit,
        "direction": state.evidence.direction,
        "a": _side(explaining.between.a),
        "b": _side(explaining.between.b),
        "ratio": _ratio(found.whole, found.n, limits.false_share),
        "settings": settings,
        "interactions": [
            {"settings": list(each.settings), "ratio": _certain(each.share, each.n, each.level)}
            for each in found.interactions
        ],
        "rest": _ratio(found.rest, found.n, limits.false_share),
        "limit_pct": round(100 * (exp(found.limit) - 1), 2),
        "false_share": limits.false_share,
        "in_slices": not explaining.why_whole,
        "why_whole": explaining.why_whole,
        "rounds": len(state.evidence.rounds),
        "plans": list(state.evidence.plans),
        "minutes": round(state.evidence.seconds / 60, 1),
        "minutes_limit": explaining.asked.minutes,
        "next": [explaining.between.contender(each).name for each in following],
        "lost_commits": lost_commits(explaining.between.names, state.evidence.losing),
    }


def _side(contender: Contender) -> SideEntry:
    return {"build": contender.build, "version": contender.version, "engine": contender.engine}


def _setting(
    explaining: ExplainedContenderPair, found: DifferenceShares, part: SettingsShare, name: str
) -> SettingEntry:
    setting = next(each for each in explaining.between.settings if each.name == name)
    shares = _shares(part, found)
    return {
        "name": name,
        "a": setting.a,
        "b": setting.b,
        "verdict": part.verdict,
        "beyond_pct": None if part.beyond is None else round(100 * (exp(part.beyond) - 1), 2),
        "together": [each for each in part.settings if each != name],
        "ratio": _ratio(part.share, part.n, part.level),
        "share": shares[0],
        "share_low": shares[1],
        "share_high": shares[2],
    }


def _shares(part: SettingsShare, found: DifferenceShares) -> tuple[float | None, float | None, float | None]:
    """The share of the whole ratio with its interval; nothing where A and B hardly differ."""
    if (
        part.share is None
        or part.interval is None
        or not found.whole
        or abs(found.whole.apart) <= found.limit
    ):
        return None, None, None
    share, *ends = (each / found.whole.apart for each in (part.share.apart, *part.interval))
    return share, min(ends), max(ends)


def _ratio(found: LogMeanDifference | None, n: int, level: float) -> RatioEntry | None:
    return None if found is None else _certain(found, n, level)


def _certain(found: LogMeanDifference, n: int, level: float) -> RatioEntry:
    half = found.half_width(level)
    is_wide = 2 * half > log(WIDEST)
    low, high = (None if is_wide else exp(found.apart + each) for each in (-half, half))
    return {"ratio": exp(found.apart), "low": low, "high": high, "n": n}


def undecided_settings(entry: ExplainedDifferenceEntry) -> list[str]:
    """The settings without a verdict."""
    return [each["name"] for each in entry["settings"] if each["verdict"] == OPEN]
