"""Drafts of the made-up target, and what they come to."""

from __future__ import annotations

from app.catalog import Catalog
from app.planner.starting.draft import Draft, first_draft
from app.planner.starting.draft_outcome import DraftOutcome, outcome
from tests.plans import survey

OLD = "mysql-5.6.24"
PLAIN = {"steps": (), "seconds": None, "repeats": 1, "order": "interleaved", "start": "loaded"}


def drafted(**values: object) -> Draft:
    """What the duel says beyond its contenders is left out."""
    return first_draft(survey(), "local").with_options(**{**PLAIN, **values})


def concluded(draft: Draft, approved: frozenset[str] = frozenset(), **on: object) -> DraftOutcome:
    return outcome(draft, survey(**on), Catalog(), approved)
