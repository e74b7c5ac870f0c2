"""Conditions of consistency: what holds of the tables of a load, whatever its clients do."""

from __future__ import annotations

from dataclasses import dataclass

from .reading import Name, Text


@dataclass(frozen=True)
class Condition:
    """A SELECT that returns a row only where the data are inconsistent."""

    name: Name  # a number or a word
    title: Name  # what holds
    sql: Text
