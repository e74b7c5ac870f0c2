"""A preset while it is written: the first thing that is wrong with it, and what is looked at beside it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from app.catalog.own import diff_presets
from app.core.errors import InputError
from app.presets import Preset, check_sendable, parse_preset
from app.protocol.answers import Survey

from .choices import rendered


@dataclass(frozen=True)
class Preview:
    """What stands beside a draft; where it is wrong the reason, and its line."""

    text: str = ""
    problem: str = ""
    line: int = 0


def look(preset: Preset, text: str, build: str, survey: Survey | None, other: Preset | None) -> Preview:
    """A new text of a preset as a build would get it, or against another preset."""
    try:
        draft = parse_preset(text, preset.name, preset.engine, preset.label, preset.shipped)
        check_sendable(draft)
        if other is not None:
            return Preview("\n".join(diff_presets(other, draft)) or "no line differs")
        return Preview(rendered(draft, build, survey).text if build and survey is not None else "")
    except InputError as error:
        found = re.search(r"\bline (\d+): ", str(error))
        if found is None:
            return Preview(problem=str(error))
        return Preview(problem=str(error)[found.start() :], line=int(found[1]))
