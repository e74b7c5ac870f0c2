"""A report as one HTML file that a reader can search: another base, fewer contenders, the seconds of a cell.

It fetches nothing: its one script and its styles are allowed by their hashes, and nothing else is. Without
the script it is the static page.
"""

from __future__ import annotations

import re
import time
from base64 import b64encode
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from markupsafe import Markup

from app.core.errors import InputError
from app.core.harmless import harmless_text
from app.core.table import Table
from app.core.units import date_text
from app.history.store.history import History

from .content import Report
from .corrections import Numbers, corrections_since
from .origin import origin_table, origins_of
from .page_numbers import WIDTHS, PageNumbers, json_for_page, read_page_numbers
from .rendering import PageParts, to_html

MOST_BYTES = 2 << 20
_FILES = Path(__file__).parent
_SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)
_STYLE = re.compile(r"<style>(.*?)</style>", re.DOTALL)


@dataclass(frozen=True)
class InteractiveReport:
    """A report, the numbers of its page, and where they come from."""

    report: Report
    numbers: PageNumbers
    origins: Table


def read_interactive(history: History, report: Report, earlier: Numbers | None = None) -> InteractiveReport:
    """Read what a report needs against each of its bases; `earlier`: of the page whose place it takes."""
    found = report.comparison
    origins = origins_of(history, found.columns)
    numbers = read_page_numbers(history, found, origins, report.title, report.made)
    if earlier:
        today = date_text(time.time())
        numbers.document["corrections"] = corrections_since(earlier, numbers.document, today)
    return InteractiveReport(report, numbers, origin_table(origins, found.columns, report.names))


def to_interactive_html(page: InteractiveReport, sections: Sequence[str]) -> str:
    """The page, with the seconds, as far as it has room; raises InputError if it is too large without."""
    bare, whole = (json_for_page(page.numbers.with_seconds(width)) for width in (0, WIDTHS[0]))
    text = _with_policy(_rendered(page, sections, bare))
    room = MOST_BYTES - len(text.encode()) + len(bare.encode())
    if room <= len(bare.encode()):
        raise InputError(
            f"the report would have {len(text.encode()) / 2**20:.1f} MiB, an interactive one has less than"
            f" {MOST_BYTES / 2**20:g}: compare fewer contenders, or leave out sections (stacks, repeat)"
        )
    for width in WIDTHS:
        numbers = whole if width == WIDTHS[0] else json_for_page(page.numbers.with_seconds(width))
        if len(numbers.encode()) < room:
            return _with_policy(_rendered(page, sections, numbers))
    return text


def _rendered(page: InteractiveReport, sections: Sequence[str], numbers: str) -> str:
    script, style = ((_FILES / f"interactive.{kind}").read_text(encoding="utf-8") for kind in ("js", "css"))
    parts = PageParts(
        Markup(numbers),  # noqa: S704 - holds no sign that ends it
        Markup(script),  # noqa: S704
        Markup(style),  # noqa: S704
        page.origins,
        page.numbers.document["corrections"],
    )
    return harmless_text(to_html(page.report, sections, parts))


def _with_policy(html: str) -> str:
    """The page with the hashes of what it may carry out and of its styles."""
    head, body = html.split("</head>", 1)
    scripts, styles = " ".join(_hashes(_SCRIPT, html)), " ".join(_hashes(_STYLE, html))
    return f"{head.replace('@script@', scripts, 1).replace('@style@', styles, 1)}</head>{body}"


def _hashes(part: re.Pattern[str], html: str) -> Iterator[str]:
    for text in dict.fromkeys(part.findall(html)):
        yield f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
