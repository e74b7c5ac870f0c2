"""Builds as words: what Dyno chooses, a plan that ends in time, its report; a plan left to its target."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from tests.installed import MARIADB
from tests.integration.desktop import Desktop

TWO = (MARIADB, f"{MARIADB[:-1]}:myisam")  # the second by the beginning of its name
TINY = ("--sequence", "tiny", "--allow-busy")


@pytest.mark.full
def test_two_words_and_a_time_end_with_a_report(
    desktop: Desktop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "night.html").write_text("mine")
    words = ("run", *TWO, "--within", "20min", "--difference", "45", *TINY, "--name", "night")
    said = desktop.dyno(*words, limit_s=400).stdout
    assert said.startswith(
        "Dyno chose repeats until all is decided\nDyno chose 2 s a step: 4 repeats take about "
    )
    assert "\nends within 20 min 00 s, and needs about " in said
    assert said.rstrip().endswith(f"report: {tmp_path / 'night-2.html'}")
    assert (tmp_path / "night.html").read_text() == "mine"
    assert "<html" in (tmp_path / "night-2.html").read_text()
    found = desktop.sessions()
    assert {each["contender"]["build"] for each in found} == {MARIADB}
    assert {each["name"].rsplit("-", 1)[0] for each in found} == {"night-innodb", "night-myisam"}


@pytest.mark.full
def test_a_plan_left_to_its_target_is_fetched_by_the_next_command(desktop: Desktop) -> None:
    words = ("run", *TWO, *TINY, "--repeats", "1", "--name", "alone", "--detach")
    desktop.dyno(*words)
    assert list((desktop.home / "left").glob("*.json"))
    begun = desktop.json("session", "list")  # it has begun, and standard output is JSON alone
    assert [each["state"] for each in begun][-1:] == ["active"] or begun
    until = time.monotonic() + 100
    while desktop.json("plan", "list")[0]["states"] != {"completed": 2} and time.monotonic() < until:
        time.sleep(1)
    compared = json.loads(desktop.dyno("compare", "alone", "--json").stdout)
    assert len(compared["sessions"]) == 2
    assert not list((desktop.home / "left").glob("*.json")), "fetched to its end, and forgotten"
