"""The texts of README.txt about a session: what ran where, and the results."""

from __future__ import annotations

from collections.abc import Iterator

from app.core.units import bytes_text, count_text, figure_text
from app.history.steps.step_text import remarks_of
from app.protocol.plan import Plan
from app.variables.memory_text import memory_text

from .recipe import Recipe


def line(text: object) -> str:
    """A harmless text on one line."""
    return "".join(each if each.isprintable() else "?" for each in " ".join(str(text).split()))


def where(recipe: Recipe) -> list[tuple[str, str]]:
    """Names and texts; empty if unknown."""
    plan, contender, machine = recipe.plan, recipe.contender, recipe.machine
    cpu, disk = machine.get("cpu") or {}, machine.get("disk") or {}
    memory, threads = machine.get("memory_bytes"), count_text(cpu.get("threads"), "thread")
    notes = ", ".join(f"{name} {text}" for name, text in recipe.build_notes.items())
    method = "" if plan.load_method == "ordered" else f", filled {plan.load_method}"
    return [
        ("server", f"{contender.family} {contender.version}, {contender.server}"),
        ("SHA-256", f"{contender.fingerprint} (of a script that starts one: of both)"),
        ("built", notes),
        ("preset", f"{contender.engine}/{contender.preset}"),
        ("table options", contender.table_options),
        ("CPUs", contender.cores),
        ("server memory", memory_text(vars(contender))),
        ("work", f"{count_text(plan.tables, 'table')} of {count_text(plan.rows, 'row')}{method}"),
        ("transport", plan.transport),
        ("load", _load(plan)),
        ("sysbench", str(machine.get("sysbench") or "")),
        ("machine", f"{plan.target}: {cpu.get('model')}, {threads}" if cpu else plan.target),
        ("memory", bytes_text(memory) if memory else ""),
        ("disk", ", ".join(str(disk[name]) for name in ("model", "kind", "filesystem") if disk.get(name))),
        ("system", ", ".join(str(machine[name]) for name in ("distribution", "kernel") if machine.get(name))),
        ("governor", str(machine.get("governor") or "")),
    ]


def _load(plan: Plan) -> str:
    names = ", ".join(each.name for each in plan.load)
    return f"from {names}; this script drives from the machine of the server" if names else ""


def figures(recipe: Recipe) -> Iterator[str]:
    """Each step's name, result with unit, queries of an event, and remarks."""
    for step, entry, events in zip(recipe.plan.steps, recipe.steps, recipe.events, strict=True):
        unit = "" if entry["unit"] == "bytes" else entry["unit"]
        per_event = f"{entry['queries'] / events:.4g}" if entry["queries"] and events else ""
        remark = remarks_of(entry) or ("" if entry["state"] == "completed" else entry["state"])
        parts = (f"{line(step.label):40}", f"{figure_text(entry['value'], entry['unit']):>12}", f"{unit:10}")
        yield " ".join([*parts, f"{per_event:>8}", line(remark)]).rstrip()
