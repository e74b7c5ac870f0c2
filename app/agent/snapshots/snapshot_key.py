"""The name of a data set: a digest of all that shapes its bytes."""

from __future__ import annotations

import re
from typing import Dict, FrozenSet, List

from app.agent.server.options_in_force import options_of
from app.engines import KNOWN
from app.protocol.plan import Contender, Plan, content_of, digest
from app.protocol.words import plain

KEY_DIGITS = 16

_REQUIRE = re.compile(r"""\brequire\s*\(?\s*["']([A-Za-z0-9_-]+)["']""")


def _words(text: str) -> FrozenSet[str]:
    return frozenset(text.split())


# options that leave the bytes of settled tables as they are; whatever is not named here counts
_BESIDE_THE_DATA = _words(
    """
    back_log binlog_cache_size binlog_format join_buffer_size log_bin max_connections max_heap_table_size
    open_files_limit performance_schema query_cache_size query_cache_type read_buffer_size
    read_rnd_buffer_size server_id skip_log_bin skip_name_resolve sort_buffer_size sync_binlog
    table_definition_cache table_open_cache table_open_cache_instances thread_cache_size tmp_table_size
    """
).union(*(each.beside_the_data for each in KNOWN.values()))


def key_of(plan: Plan, contender: Contender) -> str:
    """The key of the data set that a session of this contender loads and settles."""
    options = {
        name: plain(value)
        for name, value in options_of(contender.cnf).items()
        if name not in _BESIDE_THE_DATA
    }
    what = [contender.fingerprint, contender.version, contender.engine, contender.table_options, options]
    steps = plan.steps[: plan.snapshot_at]
    work = [plan.tables, plan.rows, plan.load_method, [{**content_of(step), "cap_s": 0} for step in steps]]
    return digest([what, work, _texts(plan)])[:KEY_DIGITS]


def _texts(plan: Plan) -> List[str]:
    """The workloads that make the data, with their Lua and what that requires."""
    made = [step for step in plan.steps[: plan.snapshot_at] if step.workload]
    wanted = [name for step in made for name in (step.workload + ".toml", step.lua)]
    found: Dict[str, str] = {}
    while wanted:
        name = wanted.pop()
        text = plan.files.get("workloads/" + name)
        if text is not None and name not in found:
            found[name] = text
            wanted += [required + ".lua" for required in _REQUIRE.findall(text)]
    return [found[name] for name in sorted(found)]
