"""What was compared: machine, build and preset of each column."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.comparison.cells.cell import Column
from app.core.table import Table
from app.core.units import bytes_text, count_text, unit_text
from app.history.steps.conditions import FACT as CONDITIONS
from app.history.steps.conditions import conditions_text
from app.history.steps.driving import only_drives
from app.history.steps.figures import contender_in, facts, plan_of, running_server
from app.history.steps.step_text import running_server_text
from app.history.store.history import History
from app.variables.memory_text import memory_settings_text

_SHOWN = 16  # signs of a checksum


@dataclass(frozen=True)
class SharedMyCnf:
    """A rendered my.cnf, and the columns that used it."""

    names: tuple[str, ...]
    cnf: str


def setups_table(history: History, columns: Sequence[Column], names: Sequence[str]) -> Table:
    """A line for each part of a setup, with a text for each column."""
    setups = [_setup(history, column) for column in columns]
    parts = dict.fromkeys(part for setup in setups for part in setup)
    lines = tuple((part, *(setup.get(part, "") for setup in setups)) for part in parts)
    return Table("", ("", *names), lines, 1 + len(names))


def _setup(history: History, column: Column) -> dict[str, str]:
    known = {
        what: (facts(history, column.id, what) or [{"value": {}}])[-1]["value"]
        for what in ("machine", "build", "memory", "compression")
    }
    machine = dict(_machine(column.target, known["machine"]))
    parts = {
        "Published": column.source,
        **(_running(history, column, machine) or machine),
        **dict(_build(column, known["build"])),
        "Compression": unit_text(known["compression"].get("in_force", "")),
        "Server memory": memory_settings_text({}, known["memory"]),
        "Conditions": "; ".join(dict.fromkeys(_conditions(history, column))),
        "Sequence": column.sequence,
        "Sessions": str(len(column.ids)),
    }
    return {part: text for part, text in parts.items() if text.strip(" ()")}


def _running(history: History, column: Column, machine: Mapping[str, str]) -> dict[str, str]:
    """Of a server that runs already: its machine is not known, only the one that drove; {} of others."""
    plan = plan_of(history, column.id)
    server = running_server(plan, column.id)
    if server is None:
        return {}
    lines = contender_in(plan, column.id)["cnf"].splitlines()[1:]
    of_server = "Disk" if only_drives(history, column.id) else ""
    return {
        "Server": running_server_text(server),
        "Settings": ", ".join(lines),
        "Driven by": ", ".join(text for part, text in machine.items() if text and part != of_server),
    }


def _conditions(history: History, column: Column) -> Iterator[str]:
    """What came of the conditions of consistency, of each session."""
    for session in column.ids:
        yield conditions_text(facts(history, session, CONDITIONS))


def _machine(target: str, machine: Mapping[str, Any]) -> list[tuple[str, str]]:
    cpu, disk = machine.get("cpu") or {}, machine.get("disk") or {}
    memory = machine.get("memory_bytes")
    system = [machine.get("distribution"), machine.get("kernel") and f"kernel {machine['kernel']}"]
    return [
        ("Machine", target),
        ("CPU", f"{cpu['model']}, {count_text(cpu.get('cores'), 'core')}" if cpu.get("model") else ""),
        ("Governor", str(machine.get("governor") or "")),
        ("Memory", bytes_text(memory) if memory else ""),
        ("Disk", ", ".join(str(disk[name]) for name in ("model", "kind", "filesystem") if disk.get(name))),
        ("System", ", ".join(filter(None, system))),
        ("sysbench", str(machine.get("sysbench") or "")),
    ]


def _build(column: Column, build: Mapping[str, Any]) -> list[tuple[str, str]]:
    contender, notes = column.contender, build.get("notes") or {}
    return [
        ("Build", f"{contender['build']} ({contender['family']} {contender['version']})"),
        ("SHA-256", str(build.get("fingerprint") or "")[:_SHOWN]),
        ("Built", ", ".join(f"{name} {text}" for name, text in notes.items())),
        ("Engine", contender["engine"]),
        ("my.cnf", contender["preset"]),
        ("Table options", contender["table_options"]),
        ("Cores", contender["cores"]),
    ]


def presets(history: History, columns: Sequence[Column], names: Sequence[str]) -> list[SharedMyCnf]:
    """Each my.cnf once; none for published sessions without it."""
    found: dict[str, list[str]] = {}
    for column, name in zip(columns, names, strict=True):
        plan = plan_of(history, column.id)
        contender = contender_in(plan, column.id)
        cnf = "" if contender.get("host") else str(contender["cnf"]).strip()
        if cnf:
            found.setdefault(cnf, []).append(name)
    return [SharedMyCnf(tuple(of), cnf) for cnf, of in found.items()]
