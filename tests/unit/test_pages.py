"""README and docs/: what they link to is there, pages are short, and each command that they show is one."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from app.core.errors import DynoError
from tests.unit.cli.words import WHOLE

ROOT = Path(__file__).parents[2]
PAGES = [
    ROOT / "README.md",
    ROOT / "ARCHITECTURE.md",
    ROOT / "workloads/README.md",
    ROOT / "workloads/sequences/README.md",
    *(ROOT / "docs").rglob("*.md"),
]
NAMED = {str(path.relative_to(ROOT)): path for path in sorted(PAGES)}
_IS_USAGE = re.compile(r"[\[…|]|\.\.\.|-- ")  # shown for its form, not to be typed
_LACKS = re.compile("are required|is required|expected one argument|expected at least one")


def headings(path: Path) -> set[str]:
    """As GitHub makes anchors of them."""
    outside = re.sub(r"^```.*?^```", "", path.read_text(), flags=re.MULTILINE | re.DOTALL)
    found = re.findall(r"^#+ (.*)", outside, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", each.lower()).replace(" ", "-") for each in found}


@pytest.mark.parametrize("name", NAMED)
def test_what_a_page_links_to_is_there(name: str) -> None:
    page = NAMED[name]
    for link in re.findall(r"\]\(([^):\s]+)\)", page.read_text()):
        file, _, heading = link.partition("#")
        other = page.parent / file if file else page
        assert other.exists() and link != "#", link
        assert not heading or heading in headings(other), link


def test_no_page_is_too_long_and_the_index_has_all() -> None:
    lengths = {name: len(path.read_text().splitlines()) for name, path in NAMED.items()}
    assert lengths["README.md"] <= 120
    assert [name for name, length in lengths.items() if length > 300] == []
    index = (ROOT / "docs/README.md").read_text()
    pages = {str(path.relative_to(ROOT / "docs")) for path in (ROOT / "docs").rglob("*.md")}
    assert {page for page in pages if f"({page})" not in index} == {"README.md"}


def typed(text: str) -> set[str]:
    """The commands of blocks, with or without a prompt."""
    found = re.findall(r"^(?:\$ |    )?(dyno (?:.*\\\n)*.*?)(?:  +.*)?$", text, re.MULTILINE)
    return {one for each in found for one in parts(each.replace("\\\n", " ").partition(" > ")[0])}


def mentioned(text: str) -> set[str]:
    """The commands within sentences; they may be without what they need."""
    found = re.findall(r"`(dyno [^`\n]+)`", text)
    return {one for each in found for one in parts(each)}


def parts(line: str) -> list[str]:
    return [each.strip() for each in line.partition(" #")[0].split(";")]


@pytest.mark.parametrize("name", NAMED)
def test_each_command_that_a_page_shows_is_one(name: str) -> None:
    text, parser = NAMED[name].read_text(), WHOLE
    whole = typed(text)
    for command in whole | mentioned(text):
        if _IS_USAGE.search(command):
            continue
        try:
            parser.parse_args(shlex.split(command.replace("PLACE", "1"))[1:])
        except DynoError as error:
            assert command not in whole and _LACKS.search(str(error)), f"{command}: {error}"
