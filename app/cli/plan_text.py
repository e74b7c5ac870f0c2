"""A plan, its estimate and its checks, as people read them before they start it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from app.catalog.roles import SequenceRole, role_text
from app.core.units import bytes_text, count_text, first_texts, seconds_text
from app.history.steps.figures import existing_server
from app.history.steps.step_text import named, running_server_text
from app.planner.checks.parity import parity_in_brief
from app.planner.checks.rates import sent_rate_text
from app.planner.estimate.estimate import ContenderSize
from app.protocol.answers import FAIL, INFO, PASS, WARN, Check
from app.protocol.plan import LIMIT, UNTIL_DECIDED, Contender, Plan, Step
from app.protocol.waits import PRESET
from app.stats.at_target.verdicts import LEAST
from app.variables.memory_text import memory_settings_text

from .screen import print_table, say, say_wrapped

_NAMED = 6  # steps of a plan in brief


def show_plan_in_brief(plan: Plan, estimate: Any) -> None:
    """What is compared, what is measured, how long that takes."""
    presets = [*dict.fromkeys(each.preset for each in plan.started_contenders)]
    what = f", with the preset {first_texts(presets)}, on" if presets else ", driven by"
    steps = [*dict.fromkeys(each.name for each in plan.steps if each.is_judged and not each.beside)]
    threads = [*dict.fromkeys(count_text(each.threads, "thread") for each in plan.steps if each.workload)]
    say_wrapped(
        f"{plan.name}: {', '.join(each.name for each in plan.contenders)}{what} {plan.target}",
        f"measures {first_texts(steps, _NAMED)} on {_size_text(plan)}, with {first_texts(threads)}",
        f"{_brief_time(plan, estimate)}, and needs about {bytes_text(estimate.disk_bytes)} of disk",
    )


def show_plan(plan: Plan, estimate: Any) -> None:
    say(f"{plan.name}: sequence {plan.sequence} on {plan.target}, {_size_text(plan)}")
    repeats = repeats_text(plan)
    how = f"load {plan.load_method}, transport {plan.transport}, start {plan.start}"
    if plan.load:
        drivers = ", ".join(f"{each.name} ({each.about})" for each in plan.load)
        say(f"driven by {drivers}, over {plan.load_address}")
    say(how if plan.instruments == PRESET else f"{how}, instruments {plan.instruments}")
    again = ", repeated if disturbed" if plan.repeat_if_disturbed else ""
    say(f"order {plan.order}, {repeats}{again}")
    say("")
    names = ("contender", "build", "engine", "preset", "table options", "cores", "data : cache : memory")
    sizes = {each.contender: each for each in estimate.contenders}
    rows = [
        (c.name, c.build, c.engine, c.preset, c.table_options or "-", *_of_machine(c, sizes.get(c.name)))
        for c in plan.contenders
    ]
    print_table(names, rows, least=("table options", "cores"))
    for contender in plan.contenders:
        if contender.is_existing:
            say(f"{contender.name} {running_server_text(existing_server(asdict(contender)))}")
        if contender.memory:
            say(f"{contender.name}: {memory_settings_text(vars(contender))}")
    say("")
    headers = ("step", "kind", "threads", "warm-up", "bounded by", "options")
    print_table(headers, [_row(step) for step in plan.steps], right=(2, 3))
    for line in dict.fromkeys(_cores(step) for step in plan.steps if step.cores):
        say(line)
    say("")
    say(f"takes about {estimate.time_text} ({estimate.seconds_text})")
    if estimate.least_text:
        say(estimate.least_text)
    say(f"needs about {bytes_text(estimate.disk_bytes)} of disk ({estimate.disk_text})")


def _brief_time(plan: Plan, estimate: Any) -> str:
    """A time that somebody set is the promise; how much of it is used depends on what is found."""
    if plan.time_limit:
        return f"ends within {seconds_text(plan.time_limit)}"
    return f"takes about {estimate.time_text}"


def _size_text(plan: Plan) -> str:
    return f"{count_text(plan.tables, 'table')} x {count_text(plan.rows, 'row')}"


def repeats_text(plan: Plan) -> str:
    if not plan.until_decided:
        return count_text(plan.repeats, "repeat")
    limit = f", within {seconds_text(plan.time_limit)}" if plan.time_limit else ""
    judged = f"differences of {plan.matters_pct:g}% or more, at most {plan.false_share_pct:g}% of them false"
    return f"{LEAST} to {plan.repeats} repeats, {UNTIL_DECIDED}{limit} ({judged})"


def _of_machine(contender: Contender, size: ContenderSize | None) -> tuple[str, str]:
    """Cores and sizes; of a server that runs already they are not known."""
    return ("-", "-") if size is None else (contender.cores or "all", _sizes(size))


def _sizes(size: ContenderSize) -> str:
    return " : ".join(bytes_text(each) for each in (size.data_bytes, size.cache_bytes, size.memory_bytes))


def _cores(step: Step) -> str:
    """The CPUs of a core set on this target."""
    load = f"{step.load_cores}, which are not its own alone" if step.shared_cores else step.load_cores
    swept = [f"{name}={step.coordinates[name]}" for name in ("cores", "cpus") if name in step.coordinates]
    name = "".join(swept) or "CPUs of their own"
    return f"{name}: the server on CPUs {step.cores}, the load on {load}"


def _row(step: Step) -> tuple[str, str, int, str, str, str]:
    bounds = [
        f"{step.seconds} s" + " in slices" * step.sliced if step.seconds else "",
        count_text(step.events, "event") if step.events else "",
    ]
    if step.is_operation:
        again = f", again {step.again_after_ms} ms after the start" if step.again_after_ms else ""
        said = (f"it comes after {step.after} s", step.statement, step.algorithm, step.tool)
        bounds = [f"{step.seconds} s after it{again}; {', '.join(filter(None, said))}"]
    if step.kind == LIMIT:
        bounds = [f"p99 under {step.limit_ms:g} ms"]
    bounds += [f"{step.cap_s} s at most" if step.cap_s else ""]
    options = " ".join(f"{name}={value}" for name, value in step.options.items())
    name = named(step.name, step.coordinates) + (" (warm)" if step.warm else "")
    warmup = f"{step.warmup} s" if step.warmup else ""
    bounded = " or ".join(filter(None, bounds)) or "its work"
    name += f" (on replica {step.on})" if step.on and not step.role else ""
    if step.event_kind:
        return name, step.kind, step.threads, "", "one of its kinds of events", ""
    if step.role:
        name += "" if step.beside else f" ({step.role})"
        return name, step.kind, step.threads, warmup, _role_bounds(step), options
    return name, step.kind, step.threads, warmup, bounded, options


def _role_bounds(step: Step) -> str:
    """What the sequence says of a role, and how the plan bounds it."""
    role = SequenceRole(
        step.role, step.workload, rate=step.rate or None, arrivals=step.arrivals,
        seconds=step.seconds or None, events=step.events or None, ends=step.ends,
        follows=step.follows, apart=step.apart, level={"rate": step.least_pct, "p99_ms": step.most_p99_ms},
        on=f"replica {step.on}" if step.on else "",
    )  # fmt: skip
    is_open = not role.is_bounded and not role.follows
    parts = (
        "the others" if is_open else "",
        role_text(role, sent_rate_text(step)),
        f"{step.cap_s} s at most" if step.cap_s else "",
    )
    return ", ".join(filter(None, parts))


def checks_in_brief(checks: Sequence[Check]) -> list[Check]:
    """Those that warn or fail, and what is waited for."""
    return parity_in_brief([each for each in checks if each.state in (WARN, FAIL) or _is_wait(each)])


def _is_wait(check: Check) -> bool:
    return (check.name, check.state) == ("busy", INFO)


def show_check(check: Check) -> None:
    who = f"{check.contender}: " if check.contender else ""
    todo = f" -> {check.todo}" if check.state != PASS and check.todo else ""
    say_wrapped(f"{check.state:<5} {check.name}: {who}{check.text}{todo}")
