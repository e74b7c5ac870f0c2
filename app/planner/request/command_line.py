"""A request as it is written in a terminal."""

from __future__ import annotations

import shlex

from app.core.ranges import as_listed

from .request import ALLOWED, LIMITS, SHARED, ContenderRequest, PlanRequest, flag_of

_COMMANDED = (  # numbers of `dyno run`
    "tables", "rows", "seconds", "warmup", "pause", "quiet_wait", "others_pct", "steal_pct",
    "repeats", "time_limit", *LIMITS,
)  # fmt: skip
_OPEN = PlanRequest()


def command_line(request: PlanRequest) -> str:
    """The command that runs the same plan; uses a plan file if options cannot express it."""
    allowed = "".join(f" --{flag_of(name)}" for name in ALLOWED if getattr(request, name))
    if not _fits_options(request.contenders):
        name = shlex.quote(f"{request.name or request.sequence}.toml".replace("/", "-"))
        return f"cat > {name} <<'PLAN'\n{request.to_toml()}PLAN\ndyno run {name}{allowed}"
    first = request.contenders[0] if request.contenders else ContenderRequest("", "")
    words = ["dyno", "run", *_option("target", request.target, _OPEN.target)]
    words += [
        word for c in request.contenders for word in ("--contender", f"{c.build}:{c.engine}:{c.preset}")
    ]
    words += _option("sequence", request.sequence)
    words += _option("steps", ",".join(request.steps))
    words += _option("profile", ",".join(request.profile))
    words += _option("load", ",".join(request.load))
    for name in (
        *_COMMANDED,
        "name",
        "order",
        "transport",
        "cpus",
        "vary",
        "arrivals",
        "instruments",
        "load_address",
    ):
        words += _option(flag_of(name), getattr(request, name), getattr(_OPEN, name))
    words += ["--repeat-if-disturbed"] * request.repeat_if_disturbed
    words += _option("threads", ",".join(map(str, request.threads or ())))
    words += _option("rate", ",".join(map(str, request.rate or ())))
    words += _option("core-sets", as_listed(request.cores or ()).replace(" ", ""))
    words += _option("load-method", request.load_method, _OPEN.load_method)
    words += _option("start-state", request.start, _OPEN.start)
    words += [word for name in SHARED for word in _option(name.replace("_", "-"), getattr(first, name))]
    return shlex.join(words) + allowed


def _fits_options(contenders: tuple[ContenderRequest, ...]) -> bool:
    """Whether options can express the plan: they set the same for all contenders, and no names."""
    shared = {tuple(getattr(each, name) for name in SHARED) for each in contenders}
    named = any(each.name or ":" in each.build + each.preset for each in contenders)
    return len(shared) < 2 and not named


def _option(name: str, value: object, otherwise: object = "") -> list[str]:
    return [] if value in (None, "", otherwise) else [f"--{name}", str(value)]
