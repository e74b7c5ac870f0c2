"""A session, and what was in force in it, as people read them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from app.comparison.texts.waits_text import lock_lines, statement_lines, waits_line
from app.comparison.verdicts.repeats import start_state_text
from app.core.units import date_text, unit_text, with_unit
from app.history.recorded.in_words import DataAndStartWords, is_of_disturbed
from app.history.steps.conditions import conditions_text
from app.history.steps.event_kinds import kind_text
from app.history.steps.operations import operation_text
from app.history.steps.rates import limit_search_text, missed_schedule_text, rate_try_lines
from app.history.steps.step_text import (
    BUSY,
    cut_scope_text,
    cut_seconds_text,
    existing_server_text,
    load_target_lines,
    named,
    others_text,
    repeated_attempt_text,
    running_server_text,
    settled_text,
    steadiness_caveats,
    steadiness_text,
    step_mark_meaning,
)
from app.history.steps.step_waits import StepWaits
from app.history.steps.thread_states import thread_states_texts
from app.protocol.plan import step_label
from app.protocol.states import state_word
from app.stats.at_target.steady import LEAST_S, SHORT, STEADY, UNSTEADY
from app.variables.memory_text import memory_settings_text

from .screen import print_table, say

HEADERS = (
    *("step", "threads", "state", "value", "unit", "p95 ms", "p99 ms", "latency per", "CPU us/query"),
    *("KiB written/query", "tables MiB", "errors", "steady", "marks", "reason"),
)
_LEAST = (
    *("latency per", "tables MiB", "KiB written/query", "steady", "CPU us/query", "p95 ms"),
    *("errors", "p99 ms", "marks"),
)
_STEADY = {STEADY: "yes", UNSTEADY: "no", SHORT: "too short"}
_RIGHT = (1, 3, 5, 6, 8, 9, 10, 11)


def print_session_details(found: Mapping[str, Any]) -> None:
    """Print the session, its steps, events and notes."""
    contender = found["contender"]
    reason = f" ({found['reason']})" if found["reason"] else ""
    state = "published" if found["published"] else state_word(found["state"], found["reason"])
    say(f"{found['name']} {found['id']}: {state}{reason}, n = 1")
    parts = [contender[name] for name in ("build", "engine", "preset", "table_options")]
    parts += [f"cores {contender['cores']}" if contender["cores"] else ""]
    say(", ".join(filter(None, parts)))
    if found["server"]:
        say(running_server_text(found["server"]))
    if found["start_state"]:
        say(f"start: {start_state_text(DataAndStartWords.of(found['start_state']))}")
    if text := conditions_text(found["conditions"]):
        say(f"conditions: {text}")
    if found["memory"] and (text := memory_settings_text({}, found["memory"])):
        say(text)
    if found["busy"]:
        say(BUSY)
    if found["attempt"] > 1:
        say(repeated_attempt_text(found["attempt"]))
    if found["tags"]:
        say(f"tags: {', '.join(found['tags'])}")
    say("")
    print_table(HEADERS, [_step(step) for step in found["steps"]], _RIGHT, _LEAST)
    settled = [each["settled"] for each in found["steps"] if each["settled"]]
    _show_list("settled", [settled_text(each) for each in settled])
    _show_list("of their seconds", list(_of_seconds(found["steps"])))
    _show_list("kinds of events", list(_kinds(found["steps"])))
    _show_list("operations", list(_operations(found["steps"])))
    _show_list("rates not reached", list(_missed(found["steps"])))
    _show_list("searches for a limit", list(_searches(found["steps"])))
    marked = {mark for step in found["steps"] for mark in step["marks"]}
    _show_list("what the marks of steps mean", [step_mark_meaning(mark) for mark in sorted(marked)])
    _show_list("disturbed", list(_disturbed(found["steps"])))
    _show_list("what the threads of the server did", list(_threads(found["steps"])))
    _show_list("load from other machines", list(_load(found["steps"])))
    _show_list("on the way to the server", list(_existing(found["steps"])))
    explains = [line for each in found["explains"] for line in _explain(each)]
    _show_list("execution plans", explains)
    waits = [StepWaits.from_json(each) for each in found["waits"]]
    _show_list("waits, the longest first", [waits_line(each) for each in waits])
    _show_list("row locks and deadlocks", [line for each in waits for line in lock_lines(each)])
    _show_list("statements", [line for each in waits for line in statement_lines(each)])
    _show_list("warnings", list(_warnings(found["events"])))
    marks = [each for each in found["events"] if each["kind"] == "mark" and each["about"] != "measured"]
    _show_list("marks", [f"second {m['t']:,.0f}: {m['about']} {m['text']}" for m in marks])
    _show_list("notes", [line for note in found["notes"] for line in _note(note, found["steps"])])


def _load(steps: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for step in steps:
        if lines := load_target_lines(step["load"]):
            yield f"{step_label(step['name'], step['coordinates'])}: {lines[0]}"
            yield from lines[1:]


def _existing(steps: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for step in steps:
        if text := existing_server_text(step["existing"]):
            yield f"{step_label(step['name'], step['coordinates'])}: {text}"


def _kinds(steps: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for step in steps:
        if text := kind_text(step["of_kind"]):
            yield f"{step_label(step['name'], step['coordinates'])}: {text}"


def _operations(steps: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for step in steps:
        if text := operation_text(step["operation"]):
            yield f"{step_label(step['name'], step['coordinates'])}: {text}"


def _missed(steps: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for step in steps:
        if text := missed_schedule_text(step["schedule"]):
            yield f"{step_label(step['name'], step['coordinates'])}: {text}"


def _searches(steps: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """The answer of each search, and a line for each of its tries."""
    for step in steps:
        if text := limit_search_text(step["limit"]):
            yield f"{step_label(step['name'], step['coordinates'])}: {text}"
            yield from (f"  {each}" for each in rate_try_lines(step["limit"]))


def _warnings(events: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Warnings of the agent, except those of disturbed steps, which have their own list."""
    for event in events:
        is_ours = event["kind"] == "log" and event["about"] in ("agent warning", "agent error")
        if is_ours and not is_of_disturbed(event["text"]):
            yield f"second {event['t']:,.0f}: {event['text']}"


def _of_seconds(steps: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Lines on steps that were not steady or are cut; one line for all steps that are too short."""
    for step in steps:
        yield from _seconds(step)
    if any(step["steadiness"] and step["steadiness"]["word"] == SHORT for step in steps):
        yield f"{SHORT}: a step needs {LEAST_S} measured seconds or more to be called steady"


def _disturbed(steps: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """A line for each step that others disturbed too much."""
    for step in steps:
        if text := others_text(step["others"]):
            yield f"{step_label(step['name'], step['coordinates'])}: {text}"


def _threads(steps: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for step in steps:
        for text in thread_states_texts(step["threads"]):
            yield f"{step_label(step['name'], step['coordinates'])}: {text}"


def _seconds(step: Mapping[str, Any]) -> list[str]:
    """Why it was not steady, and which of its seconds count."""
    cut = step["cut"]
    whole = ""
    if cut:
        figure = with_unit(cut["whole"], step["unit"])
        whole = f"; of all {cut['seconds']} it is {figure}; {cut_scope_text(cut)}"
    texts = steadiness_caveats(step["steadiness"], cut)
    return [f"{step_label(step['name'], step['coordinates'])}: {', '.join(texts)}{whole}"] if texts else []


def counted_seconds_text(step: Mapping[str, Any]) -> str:
    """The result of a step from the seconds that count."""
    cut = step["cut"]
    counted = cut_seconds_text(cut) if cut else "all of its seconds count"
    figure = with_unit(step["value"], step["unit"])
    parts = [f"{step_label(step['name'], step['coordinates'])}: {figure}, {counted}"]
    return "; ".join(filter(None, [*parts, steadiness_text(step["steadiness"])]))


def _show_list(head: str, lines: list[str]) -> None:
    if lines:
        say("", head, *lines)


def _step(step: Mapping[str, Any]) -> tuple[Any, ...]:
    latency, cost, size = step["latency_ms"] or {}, step["per_query"] or {}, step["data_bytes"]
    has_latency = latency.get("p50") is not None
    return (
        named(step["name"], step["coordinates"]),
        step["coordinates"].get("threads", ""),
        step["state"],
        _figure(step["value"], 3 if step["unit"] == "ms" else 1),
        unit_text(step["unit"]),
        _figure(latency.get("p95"), 3),
        _figure(latency.get("p99"), 3),
        step["latency_per"] if has_latency else "",
        _figure(cost.get("cpu_us"), 3),
        _figure(cost.get("server_written_kb"), 3),
        _figure(size / 2**20 if size is not None else None, 1),
        step["errors"],
        _STEADY[step["steadiness"]["word"]] if step["steadiness"] else "",
        ", ".join([*step["marks"], *["cut"] * bool(step["cut"])]),
        step["reason"],
    )


def _figure(value: float | None, digits: int) -> str:
    return "" if value is None else f"{value:,.{digits}f}"


def _note(note: Mapping[str, Any], steps: list[Any]) -> list[str]:
    """A note with its second in the session, else with its date; further lines are indented."""
    when = date_text(note["at"]) if note["t"] is None else f"second {note['t']:,.0f}"
    if note["step"] is not None and note["step"] < len(steps):
        step = steps[note["step"]]
        when += f", {step_label(step['name'], step['coordinates'])}"
    first, *more = note["text"].splitlines() or [""]
    return [f"{when}: {first}", *(f"    {line}" for line in more)]


def _explain(explain: Mapping[str, Any]) -> list[str]:
    """The statement, and below it its EXPLAIN rows if there are any."""
    rows = [
        ", ".join(f"{name} {_plain(value)}" for name, value in row.items() if value is not None)
        for row in explain["rows"]
    ]
    return [f"{explain['step']}: {explain['statement']}", *(f"    {row}" for row in rows)]


def show_settings(found: Mapping[str, Any]) -> None:
    """Print the contender, the preset and every fact, a line for each value."""
    if server := found["server"]:
        settings = {"server that runs already": server, "chosen settings as found": found["cnf"]}
    else:
        settings = {"preset as it was sent": found["cnf"]}
    parts = {"contender": found["contender"], **settings, **found["facts"]}
    say(found["id"])
    for name, value in parts.items():
        say("", f"-- {name}", *_lines(value))


def _lines(value: Any) -> Iterator[str]:
    """`name = value`; nested values are indented below their name."""
    if isinstance(value, dict):
        for name, each in value.items():
            if isinstance(each, dict) or _is_long(each) or "\n" in str(each):
                yield f"{name}:"
                yield from (f"  {line}" for line in _lines(each))
            else:
                yield f"{name} = {_line(each)}"
    elif isinstance(value, list):
        yield from (_line(each) for each in value)
    else:
        yield from _plain(value).rstrip().splitlines()


def _is_long(value: Any) -> bool:
    return isinstance(value, list) and any(isinstance(each, dict | list) for each in value)


def _line(value: Any) -> str:
    """An entry of a list, in one line."""
    if isinstance(value, dict):
        return ", ".join(f"{name} = {_line(each)}" for name, each in value.items())
    return " ".join(map(_line, value)) if isinstance(value, list) else _plain(value)


def _plain(value: Any) -> str:
    if value is None:
        return "unknown"
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)
