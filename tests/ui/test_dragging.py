"""A file that is dragged out of another program's window onto the History page."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.ui.screen import person_before, screen_of

EXPORTED = Path(__file__).parents[1] / "data" / "0.1.0" / "session.zip"


@pytest.mark.timeout(120)
def test_a_session_is_imported_by_dragging_its_file(dyno_home: Path, tmp_path: Path) -> None:
    with screen_of() as screen, person_before(screen, dyno_home, tmp_path) as person:
        person.press("ctrl+3")
        person.wait_to_see("drag an exported session onto this page")
        person.drag_file(EXPORTED, person.find("No sessions yet")["rect"])
        person.wait_for(lambda: len(person.rows("Sessions")) == 1, "the session is in the table")
        person.leave()
