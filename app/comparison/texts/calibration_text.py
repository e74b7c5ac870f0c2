"""A calibration for people: how noisy a machine is, and which differences it shows in which time."""

from __future__ import annotations

from dataclasses import asdict
from math import sqrt

from app.comparison.answers.self_test import PlantedDifference, SelfTest
from app.comparison.answers.sentences import ratio_texts
from app.core.table import MISSING, Table
from app.core.units import count_text, date_text
from app.engines import engine_of
from app.history.machines.calibration import Calibration
from app.stats.noise import Noise
from app.stats.planning import least_difference

MINUTES = (10, 30, 120)
CONTENDERS, CELLS = 2, 9  # of the plans that are spoken of
WAYS = {"shared": "shared CPUs", "own": "separate CPUs"}
LONG_S = 60  # of a step of which the noise is foretold
CALMER = 0.75  # of the noise: then CPUs of their own are worth it


def calibration_table(found: Calibration, tested: SelfTest | None = None) -> Table:
    """A line for each time, a column for each way to give out the CPUs."""
    noises = {name: noise for name in WAYS if (noise := getattr(found, name)) is not None}
    lines = tuple(
        (f"{minutes} min", str(repeats), *(_least(repeats, noise) for noise in noises.values()))
        for minutes in MINUTES
        for repeats in [repeats_in(minutes, found)]
    )
    title = f"Smallest difference that is found four times in five ({CONTENDERS} contenders, {CELLS} cells)"
    heads = ("plan takes", "sessions of each contender", *(WAYS[name] for name in noises))
    return Table(title, heads, lines, 1, (*calibration_remarks(found), *self_test_remarks(tested)))


def calibration_entry(found: Calibration, tested: SelfTest | None = None) -> dict[str, object]:
    """The same for scripts."""
    return {
        "at": found.at,
        "sessions": found.sessions,
        "session_s": found.session_s,
        **{name: _noise_entry(getattr(found, name)) for name in WAYS},
        "engines": {name: _noise_entry(noise) for name, noise in found.engines.items()},
        "disturbed": found.disturbed,
        "parts": found.parts and {"start": sqrt(found.parts.start), "second": sqrt(found.parts.second)},
        "smallest_differences": [_least_entry(minutes, found) for minutes in MINUTES],
        "self_test": tested and asdict(tested),
    }


def _noise_entry(noise: Noise | None) -> dict[str, float] | None:
    if noise is None:
        return None
    low, high = noise.bounds()
    return {"deviation": noise.deviation, "low": low, "high": high, "freedom": noise.freedom}


def _least_entry(minutes: int, found: Calibration) -> dict[str, float | None]:
    repeats = repeats_in(minutes, found)
    noises = {name: getattr(found, name) for name in WAYS}
    least = {
        name: noise and least_difference(repeats, CELLS, noise.deviation) for name, noise in noises.items()
    }
    return {"minutes": minutes, "sessions": repeats, **least}


def repeats_in(minutes: int, found: Calibration) -> int:
    """The number of sessions of each contender in this time, each as long as in the calibration."""
    return max(1, int(minutes * 60 / (CONTENDERS * max(found.session_s, 1.0))))


def _least(repeats: int, noise: Noise) -> str:
    least = least_difference(repeats, CELLS, noise.deviation)
    return MISSING if least is None else f"{least:.1%}"


def calibration_remarks(found: Calibration) -> list[str]:
    """The noise with its own error, the number of sessions it comes from, and how to reduce it."""
    titles = [engine_of(name).title for name in found.engines]
    sessions = f"{count_text(found.sessions, 'session')} of {' and '.join(titles)}"
    texts = [f"Measured {date_text(found.at)}, {sessions}."]
    for name, words in WAYS.items():
        noise = getattr(found, name)
        if noise is not None:
            low, high = noise.bounds()
            texts.append(
                f"Server and load on {words}: sessions vary by {noise.deviation:.1%}"
                f" ({low:.1%} to {high:.1%}), {noise.freedom} degrees of freedom."
            )
    if len(titles) > 1:
        each = ", ".join(
            f"{engine_of(name).title} {noise.deviation:.1%}" for name, noise in found.engines.items()
        )
        texts.append(f"By engine, on {WAYS['shared']}: {each}.")
    if parts := found.parts:
        texts.append(
            f"Of it, a start of the server makes {sqrt(parts.start):.1%},"
            f" and a second {sqrt(parts.second):.1%}:"
            f" steps of {LONG_S} s vary by {parts.deviation(LONG_S):.1%}."
        )
    if found.disturbed:
        texts.append(f"Other programs disturbed {count_text(found.disturbed, 'measurement')}.")
    if own_cpus_calmer(found):
        texts.append("Separate CPUs for server and load reduce the noise here: choose cores for the server.")
    return texts


def self_test_remarks(tested: SelfTest | None) -> list[str]:
    """When a difference was planted, and whether it was found: a sentence for each."""
    if tested is None:
        return []
    return [
        f"Self test {date_text(tested.at)}: more work was planted in {tested.work}.",
        *map(_planted_text, tested.differences),
    ]


def _planted_text(planted: PlantedDifference) -> str:
    """`A planted difference of 10% (0.909 of the rate) was found after 3 of 5 repeats: measured 0.91.`"""
    outcome = f"got no verdict ({planted.why})" if planted.why else f"was {planted.outcome}"
    text = f"A planted difference of {planted.pct}% ({planted.planted_ratio:.3f} of the rate) {outcome}"
    if planted.ratio is not None:
        ratio, *ends = ratio_texts(planted.ratio, planted.low, planted.high)
        text += f": measured {ratio}" + (f" ({' to '.join(ends)})" if ends else "")
    if left_out := planted.rounds - planted.repeats:
        text += f"; {count_text(left_out, 'repeat')} of {planted.rounds} left out"
    return f"{text}."


def own_cpus_calmer(found: Calibration) -> bool:
    return bool(found.own and found.shared and found.own.deviation < CALMER * found.shared.deviation)
