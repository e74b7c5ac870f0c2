"""What the detail pane shows of a session, read and worded off the GUI thread."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from app.comparison.verdicts.repeats import start_state_text
from app.core.units import bytes_text, count_text, date_text, seconds_text
from app.history.lists.sessions import source_text
from app.history.recorded.in_words import DataAndStartWords
from app.history.steps.conditions import conditions_text
from app.history.steps.figures import SessionDetails, plan_of, session_details, settings
from app.history.steps.step_text import (
    BUSY,
    cut_seconds_text,
    repeated_attempt_text,
    running_server_text,
    time_of_steps,
)
from app.history.store.history import History
from app.imported.session import is_imported
from app.protocol.plan import COUNT, step_label
from app.protocol.states import ENDED
from app.targets.builds import build_notes_text
from app.team.edit_text import edit_text
from app.team.local_edits import edits_of, overruled_edits
from app.variables.memory_text import memory_settings_text
from ui.models.settings_in_force import Setting, settings_of

Pair = tuple[str, str]


@dataclass(frozen=True)
class SessionDetailTexts:
    shown: SessionDetails
    what: tuple[Pair, ...]  # was carried out
    on: tuple[Pair, ...]  # which machine, when
    settings: tuple[Setting, ...]
    notes: str
    log: str


def read_detail(history: History, session: str) -> SessionDetailTexts:
    shown, plan, kept = (
        session_details(history, session),
        plan_of(history, session),
        settings(history, session),
    )
    facts: dict[str, Any] = kept["facts"]
    machine = next((value for name, value in facts.items() if name.startswith("machine")), None)
    build = facts.get("build")
    notes = build.get("notes") or {} if isinstance(build, dict) else {}
    foreign = is_imported(plan)
    return SessionDetailTexts(
        shown,
        tuple(_what_others_did(shown) if foreign else _what(shown, plan, notes)),
        tuple(
            _where_others_did(shown, source_text(history, session))
            if foreign
            else _on(shown, plan, machine if isinstance(machine, dict) else {})
        ),
        tuple(settings_of(kept["cnf"], kept["facts"])),
        "\n\n".join(
            [*(_note(each) for each in shown["notes"]), *_cuts(shown), *_edits(history, shown["id"])]
        ),
        "\n".join(_remark(each) for each in shown["events"]),
    )


def _what(shown: SessionDetails, plan: dict[str, Any], notes: dict[str, str]) -> Iterator[Pair]:
    contender = shown["contender"]
    yield "Contender", contender["name"]
    yield "Build", f"{contender['build']} ({contender['family']} {contender['version']})"
    yield "Build notes", build_notes_text(notes)
    preset = contender["preset"] and f"my.cnf {contender['preset']}"
    yield "Engine", ", ".join(filter(None, (contender["engine"], preset, contender["table_options"])))
    if shown["server"]:
        yield "Server", running_server_text(shown["server"])
    else:
        yield "Cores", contender["cores"] or "all"
    yield "Server memory", memory_settings_text({}, shown["memory"])
    yield "Sequence", f"{shown['sequence']}: {_done(shown)}"
    yield "Tables", f"{plan['tables']:,}, each of {plan['rows']:,} rows"
    yield "Timed steps", time_of_steps(plan)
    if any(step["kind"] == COUNT for step in plan["steps"]):
        yield "Counted steps", "instructions under valgrind"


def _what_others_did(shown: SessionDetails) -> Iterator[Pair]:
    """The load of others, as far as known."""
    contender = shown["contender"]
    release = f"{contender['family']} {contender['version']}".strip()
    preset = contender["preset"] and f"my.cnf {contender['preset']}"
    yield "Contender", contender["name"]
    yield "Build", f"{contender['build']} ({release})" if release else contender["build"]
    yield "Engine", ", ".join(filter(None, (contender["engine"], preset, contender["table_options"])))
    yield "Sequence", shown["sequence"]
    yield "Steps", f"{len(shown['steps'])}"


def _where_others_did(shown: SessionDetails, source: str) -> Iterator[Pair]:
    yield "Target", shown["target"]
    yield "Published", source
    yield "Date", "" if source else _began(shown)
    yield "From", "imported, not run by Dyno"


def _done(shown: SessionDetails) -> str:
    states = [step["state"] for step in shown["steps"]]
    skipped = f", {states.count('skipped')} skipped" if "skipped" in states else ""
    return f"{states.count('completed')} of {len(states)} steps completed{skipped}"


def _on(shown: SessionDetails, plan: dict[str, Any], machine: dict[str, Any]) -> Iterator[Pair]:
    yield "Target", shown["target"]
    if machine:
        cpu = machine.get("cpu") or {}
        memory = machine.get("memory_bytes")
        parts = (
            cpu.get("model"),
            cpu.get("cores") and count_text(cpu["cores"], "core"),
            memory and bytes_text(memory),
        )
        yield "Driven by" if shown["server"] else "Machine", ", ".join(str(part) for part in parts if part)
        yield (
            "System",
            " ".join(str(machine[name]) for name in ("distribution", "kernel") if machine.get(name)),
        )
    repeat = f"repeat {shown['repeat']} of {plan['repeats']}"
    named = (plan.get("name") or plan["id"], repeat, repeated_attempt_text(shown["attempt"]))
    yield "Plan", ", ".join(filter(None, named))
    yield "Busy", BUSY if shown["busy"] else ""
    start = shown["start_state"]
    yield "Start", start_state_text(DataAndStartWords.of(start), has_key=False) if start else ""
    yield "Conditions", conditions_text(shown["conditions"])
    took = "" if shown["seconds"] is None else f", took {seconds_text(shown['seconds'])}"
    yield "Began", _began(shown) + took
    yield "From", "imported" if shown["imported"] else ""
    yield "Shared by", shown["person"]


def _began(shown: SessionDetails) -> str:
    from datetime import datetime

    began = shown["started_at"]
    if began is None:
        return "never" if shown["state"] in ENDED else "not yet"
    return date_text(datetime.fromisoformat(began).timestamp())


def _note(note: dict[str, Any]) -> str:
    """A note with its time (and second) and text."""
    t = "" if note["t"] is None else f", {seconds_text(note['t'])} after the start"
    return f"{date_text(note['at'])}{t}\n{note['text']}"


def _cuts(shown: SessionDetails) -> Iterator[str]:
    """Steps with a cut."""
    for step in shown["steps"]:
        if step["cut"]:
            seconds = cut_seconds_text(step["cut"])
            yield f"{step_label(step['name'], step['coordinates'])}\nOnly {seconds} count"


def _edits(history: History, session: str) -> Iterator[str]:
    """Who did what in the team; what somebody's simultaneous edit has overruled is named so."""
    overruled = overruled_edits(history, session)
    for edit in edits_of(history, session):
        if edit.kind != "note" or edit.value is None:
            lost = " (overruled by a simultaneous edit)" if edit in overruled else ""
            yield f"{date_text(edit.at)}, {edit.person}\n{edit_text(edit)}{lost}"


def _remark(remark: dict[str, Any]) -> str:
    text = " ".join(filter(None, (remark["about"], remark["text"])))
    return f"{remark['t']:>9.1f} s  {remark['kind']:<7}  {text}"
