"""What there is to choose from: workloads, sequences and presets, shipped and the person's own.

Planner, comparison, explaining, command line and window ask here. It runs nothing and reaches no target.
Start with `Catalog` (`listing`), then `workload`, `sequence` and `roles`, which check the keys of the files.
`own` and `own_sql` write a person's files. Lua of a person's own is approved by its hash before it is sent
(`approval`); custom SQL is data: `custom_sql` reads it, `sql_lua` makes Lua of it.
"""

from .approval import UnapprovedLuaError, approve, approved_hashes
from .listing import Catalog
from .roles import SequenceRole
from .sequence import Sequence, SequenceStep, StepVariation
from .workload import Workload

__all__ = [
    "Catalog",
    "Sequence",
    "SequenceRole",
    "SequenceStep",
    "UnapprovedLuaError",
    "StepVariation",
    "Workload",
    "approve",
    "approved_hashes",
]
