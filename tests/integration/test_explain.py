"""Which setting did it, on real servers: one plan of two contenders, then the answer from the history."""

from __future__ import annotations

import pytest

from tests.installed import MARIADB
from tests.integration.desktop import Desktop
from tests.plans import write
from tests.sequences import INDEX, LOAD, own_sequence

COMMIT = "innodb_flush_log_at_trx_commit"
SMALL = "innodb_buffer_pool_size=32M\ninnodb_log_file_size=16M\n"
SIZE = {"steps": "update-index", "tables": 1, "rows": 500, "seconds": 1, "warmup": 0, "order": "slices"}
UNDISTURBED = {"others_pct": 100, "steal_pct": 100}  # other tests are at work too
STEP = ("--step", "update-index")


def sides(desktop: Desktop) -> list[str]:
    for name, value in (("safe", 1), ("fast", 0)):
        write(desktop.home / f"presets/innodb/{name}.cnf", f"[mysqld]\n{SMALL}{COMMIT}={value}\n")
    return [f"{MARIADB}:innodb:{name}" for name in ("safe", "fast")]


@pytest.mark.full
def test_settings_are_measured_and_the_history_answers(desktop: Desktop) -> None:
    work = own_sequence("updates", LOAD, INDEX, 'workload = "update-index"')  # at full speed
    write(desktop.home / "sequences/updates.toml", work)
    desktop.dyno("run", *desktop.plan(*sides(desktop), sequence="updates", **SIZE, **UNDISTURBED))
    plan, before = desktop.sessions()[0]["plan"], len(desktop.sessions())
    words = ("explain", plan, *STEP, "--difference", "50")  # so much is nothing: one plan decides
    said = desktop.dyno(*words).stdout
    assert f"{COMMIT}  1  0  " in said and "Decided: " in said
    kept = desktop.sessions()[before:]
    assert {each["contender"]["name"] for each in kept} == {"A", "B"} and len(kept) >= 6
    assert all(each["name"].startswith("explain update-index-") for each in kept)
    found = desktop.json(*words)
    assert found["state"] == "decided" and len(desktop.sessions()) == before + len(kept)  # nothing new
    (setting,) = found["settings"]
    assert (setting["name"], setting["a"], setting["b"]) == (COMMIT, "1", "0")
    assert setting["ratio"]["n"] >= 3 and found["minutes"] > 0 and found["in_slices"]


def test_what_cannot_be_explained_is_refused_before_anything_starts(recorded: Desktop) -> None:
    (kept,) = recorded.sessions()
    one = sides(recorded)[0]
    for words, why in (
        ((kept["id"],), "there must be two contenders, not 1"),
        ((kept["id"], kept["id"]), "nothing to explain"),
        ((one, one), "nothing to explain"),
        ((one, f"{MARIADB}:myisam"), "choose two contenders of one engine"),
        ((one, "gone:innodb:baseline"), "there is no build gone"),
        ((one, one, "--threads", "0"), "must be a number from 1"),
    ):
        work = () if words[0] == kept["id"] else ("--sequence", "tiny")
        assert why in recorded.refused("explain", *words, *STEP, *work)
    assert "leave --sequence out" in recorded.refused("explain", kept["id"], *STEP, "--sequence", "tiny")
    assert len(recorded.sessions()) == 1
