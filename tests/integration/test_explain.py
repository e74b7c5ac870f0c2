"""Which setting did it, on real servers: one plan of two contenders, then the answer from the history."""

from __future__ import annotations

from tests.installed import MARIADB
from tests.integration.desktop import Desktop
from tests.plans import write

COMMIT = "innodb_flush_log_at_trx_commit"
WORK = ("--step", "update-index", "--sequence", "tiny", "--tables", "1", "--rows", "500")
SMALL = "innodb_buffer_pool_size=32M\ninnodb_log_file_size=16M\n"


def sides(desktop: Desktop) -> list[str]:
    for name, value in (("safe", 1), ("fast", 0)):
        write(desktop.home / f"presets/innodb/{name}.cnf", f"[mysqld]\n{SMALL}{COMMIT}={value}\n")
    return [f"{MARIADB}:innodb:{name}" for name in ("safe", "fast")]


def test_settings_are_measured_and_the_history_answers(desktop: Desktop) -> None:
    words = ("explain", *sides(desktop), *WORK)
    timed = ("--seconds", "1", "--warmup", "0", "--matters", "90")  # so much is nothing: one plan decides
    said = desktop.dyno(*words, *timed).stdout
    assert f"{COMMIT}  1  0  " in said and "Decided: " in said
    kept = desktop.sessions()
    assert {each["contender"]["name"] for each in kept} == {"A", "B"} and len(kept) >= 8
    assert {each["name"].rpartition("-")[0] for each in kept} == {
        "explain update-index-A",
        "explain update-index-B",
    }
    found = desktop.json(*words, *timed)
    assert found["state"] == "decided" and len(desktop.sessions()) == len(kept)  # nothing was measured again
    (setting,) = found["settings"]
    assert (setting["name"], setting["a"], setting["b"]) == (COMMIT, "1", "0")
    assert setting["ratio"]["n"] >= 3 and found["minutes"] > 0
    a, b = (next(each["id"] for each in kept if each["contender"]["name"] == name) for name in "AB")
    again = desktop.json("explain", a, b, "--step", "update-index", "--matters", "90", "--so-far")
    assert again["plans"] == found["plans"] and again["settings"] == found["settings"]


def test_what_cannot_be_explained_is_refused_before_anything_starts(recorded: Desktop) -> None:
    (kept,) = recorded.sessions()
    one = sides(recorded)[0]
    for words, why in (
        ((kept["id"],), "there must be two contenders, not 1"),
        ((kept["id"], kept["id"]), "nothing to explain"),
        ((one, one), "nothing to explain"),
        ((one, f"{MARIADB}:myisam"), "choose two contenders of one engine"),
        ((one, "gone:innodb:default"), "there is no build gone"),
        ((one, one, "--threads", "0"), "must be a number from 1"),
    ):
        work = () if words[0] == kept["id"] else WORK[2:]
        assert why in recorded.refused("explain", *words, "--step", "update-index", *work)
    assert "leave --sequence out" in recorded.refused("explain", kept["id"], kept["id"], *WORK)
    assert len(recorded.sessions()) == 1
