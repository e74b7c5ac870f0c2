"""Sequences under the names of the studies they carry out, in the order in which people are shown them."""

from __future__ import annotations

from collections.abc import Iterable

from .sequence import Sequence

STUDIES = ("Dyno", "Small-datum", "Tencent", "Dimitri Kravtchuk", "Percona")  # the shipped ones
OWN = "Own"  # of sequences that name none


def by_study(sequences: Iterable[Sequence]) -> dict[str, list[Sequence]]:
    """Sequences by study: Dyno's own and the published studies, then others by name, then the rest."""
    found: dict[str, list[Sequence]] = {}
    for sequence in sequences:
        found.setdefault(sequence.study or OWN, []).append(sequence)
    return {study: found[study] for study in sorted(found, key=_place)}


def _place(study: str) -> tuple[int, str]:
    known = STUDIES.index(study) if study in STUDIES else len(STUDIES)
    return (known + (study == OWN), study.lower())
