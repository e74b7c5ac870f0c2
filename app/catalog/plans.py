"""Plan files that come with Dyno, and what plan files say of how their work is scaled to a machine."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import takewhile
from pathlib import Path

from app.core.errors import InputError
from app.core.nearest import did_you_mean
from app.core.shipped import shipped_folder
from app.core.units import bytes_text
from app.variables.render import evaluate

_SCALED = re.compile(r"^# scaled: (.{1,300})$", re.MULTILINE)
_SHARE = re.compile(r"\{([^{}]+)\}")


def shipped_plans() -> dict[str, Path]:
    """By the names of their files."""
    return {path.name: path for path in sorted((shipped_folder("workloads") / "plans").glob("*.toml"))}


def find_plan_file(name: str) -> Path:
    """The file of that name, there or not; where there is none, the one that comes with Dyno."""
    path, shipped = Path(name), shipped_plans()
    if path.exists() or path.name != name:
        return path
    if name not in shipped and (meant := did_you_mean(name, shipped)):
        raise InputError(f"no plan file {name}{meant}: with Dyno come {', '.join(shipped)}")
    return shipped.get(name, path)


def scaled_lines(text: str, sizes: Mapping[str, int]) -> Iterator[str]:
    """What differs on this machine, by lines `# scaled: ...`; `{ram*0.5}` is a size, `{cores}` a number."""
    for line in with_sizes(text.splitlines(), sizes):
        if found := _SCALED.match(line):
            yield found[1]


def plan_remarks(text: str) -> list[str]:
    """The lines above its first key: what it is for, and what it scales."""
    return list(takewhile(lambda line: line.startswith("#"), text.splitlines()))


def with_sizes(remarks: Iterable[str], sizes: Mapping[str, int]) -> list[str]:
    """The same, with sizes of a machine where they are scaled to it."""
    return [
        _SHARE.sub(lambda share: _share_text(share[1], sizes), each) if _SCALED.match(each) else each
        for each in remarks
    ]


def _share_text(share: str, sizes: Mapping[str, int]) -> str:
    try:
        value = evaluate(share, sizes)
    except ValueError:  # of a person's own file, which runs all the same
        return f"{{{share}}}"
    return bytes_text(value) if "ram" in share else f"{value:,}"
