"""What there is to choose from: workloads, sequences and presets, shipped and the person's own."""

from .approval import UnapprovedError, approve, approved_hashes
from .listing import Catalog
from .sequence import Sequence, SequenceStep, Variation
from .workload import Workload

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
