"""A request as it is written in a terminal."""

from __future__ import annotations

import shlex

from app.core.ranges import as_listed

from .contender import TO_ALL, ContenderRequest
from .options import PlanRequestOption
from .plan_file import plan_file_text
from .request import ALLOWED, OPTIONS, PlanRequest


def command_line(request: PlanRequest) -> str:
    """The command that runs the same plan; uses a plan file if options cannot express it."""
    allowed = "".join(f" --{OPTIONS[name].flag}" for name in ALLOWED if getattr(request, name))
    if not _fits_options(request.contenders) or _would_choose(request):
        name = shlex.quote(f"{request.name or request.sequence}.toml".replace("/", "-"))
        return f"cat > {name} <<'PLAN'\n{plan_file_text(request)}PLAN\ndyno run {name}{allowed}"
    contenders = [each.text for each in request.contenders]
    words = ["dyno", "run", *_words(OPTIONS["target"], request.target)]
    words += [word for each in contenders for word in ("--contender", each)]
    apart = (*ALLOWED, "target")
    words += [
        word
        for name, row in OPTIONS.items()
        if row.rule and name not in apart
        for word in _words(row, getattr(request, name))
    ]
    for contender in request.contenders[:1]:
        words += [word for row in TO_ALL.values() for word in _words(row, getattr(contender, row.name))]
    return shlex.join(words) + allowed


def _fits_options(contenders: tuple[ContenderRequest, ...]) -> bool:
    """Whether options can express the plan: they set the same for all contenders, and no names."""
    shared = {tuple(getattr(each, name) for name in TO_ALL) for each in contenders}
    named = any(each.name or ":" in each.build + each.preset for each in contenders)
    return len(shared) < 2 and not named


def _would_choose(request: PlanRequest) -> bool:
    """Whether the option for the time would choose what the plan leaves to its sequence."""
    return bool(request.time_limit) and not (request.seconds and request.steps)


def _words(row: PlanRequestOption, value: object) -> list[str]:
    """The option, unless it says what is so anyway."""
    if value in (None, "", (), row.default):
        return []
    if row.kind == "flag":
        return [f"--{row.flag}"]
    if isinstance(value, tuple):
        value = ",".join(value) if row.kind == "words" else as_listed(value).replace(" ", "")
    return [f"--{row.flag}", str(value)]
