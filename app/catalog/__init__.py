"""What there is to choose from: workloads, sequences and presets, shipped and the person's own."""

from .approval import UnapprovedError, approve, approved_hashes
from .entries import Sequence, SequenceStep, Variation, Workload
from .listing import Catalog

__all__ = [
    "Catalog",
    "Sequence",
    "SequenceStep",
    "UnapprovedError",
    "Variation",
    "Workload",
    "approve",
    "approved_hashes",
]
