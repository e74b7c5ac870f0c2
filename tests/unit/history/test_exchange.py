"""Export and import: the same session elsewhere, and nothing from a file that is not one."""

from __future__ import annotations

import hashlib
import json
import os
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from app.core.errors import InputError
from app.history.exchange import importing
from app.history.exchange.exporting import export
from app.history.exchange.import_any import import_any
from app.history.exchange.importing import import_session
from app.history.lists import edits
from app.history.lists.sessions import session, sessions
from app.history.recorded.counting import Cut
from app.history.steps import figures
from app.history.steps.series import series
from app.history.store.history import History
from tests import journals
from tests.journals import store

PLAN = journals.plan(its_steps=journals.steps(seconds=12))
WHOLE = journals.whole(PLAN, failed=3)
ID = WHOLE.session


@pytest.fixture
def exported(history: History, tmp_path: Path) -> Path:
    store(history, WHOLE)
    edits.rename(history, ID, "mine")
    edits.tag(history, ID, "quiet")
    edits.note(history, ID, "the window was open", at=5.0)
    edits.count_only_seconds(history, ID, 1, Cut(0, 10, "a backup ran"))
    return export(history, ID, tmp_path / "session.zip")


@pytest.fixture
def other(tmp_path: Path) -> Iterator[History]:
    with History(tmp_path / "other") as history:
        yield history


def test_a_session_is_the_same_elsewhere(history: History, exported: Path, other: History) -> None:
    done = import_session(other, exported)
    assert (done.session, done.new) == (ID, True)
    assert {**figures.session_details(other, ID), "imported": False} == figures.session_details(history, ID)
    assert edits.session_annotations(other, ID) == edits.session_annotations(history, ID)
    for step in ("point-query", "update-index"):
        mine = series(history, ID, step, threads=2)
        assert series(other, ID, step, threads=2) == mine
    assert (other.journals / f"{ID}.jsonl").read_bytes() == WHOLE.raw


def test_a_folder_of_exports_is_imported_and_what_is_damaged_named(exported: Path, other: History) -> None:
    folder = exported.parent / "night"
    folder.mkdir()
    (folder / "b.dyno.zip").write_bytes(b"PK no archive")
    with pytest.raises(InputError, match=r"b\.dyno\.zip"):
        import_any(other, folder)
    exported.rename(folder / "a.dyno.zip")
    taken = import_any(other, folder)
    assert [(each.session, each.new) for each in taken.sessions] == [(ID, True)]
    assert len(taken.problems) == 1 and "b.dyno.zip" in taken.problems[0]


def test_imported_twice_it_is_there_already(exported: Path, other: History) -> None:
    import_session(other, exported)
    before = figures.session_details(other, ID)
    again = import_session(other, exported)
    assert (again.session, again.new) == (ID, False)
    assert figures.session_details(other, ID) == before


def test_what_was_measured_here_is_there_already(history: History, exported: Path) -> None:
    assert not import_session(history, exported).new
    assert not session(history, ID)["imported"]


def test_an_export_is_the_same_bytes_each_time(history: History, exported: Path, tmp_path: Path) -> None:
    again = export(history, ID, tmp_path / "again.zip")
    assert again.read_bytes() == exported.read_bytes()


def test_an_export_into_a_folder_gets_the_name_of_the_session(history: History, tmp_path: Path) -> None:
    store(history, WHOLE)
    edits.rename(history, ID, "good/build")
    assert export(history, ID, tmp_path).name == "good-build.dyno.zip"
    assert export(history, ID, tmp_path).name == f"good-build-{ID[-6:]}.dyno.zip", "nothing is overwritten"


def test_an_export_overwrites_nothing(history: History, exported: Path) -> None:
    with pytest.raises(InputError, match="exists already"):
        export(history, ID, exported)


def test_a_folder_that_is_not_there_is_told(history: History, tmp_path: Path) -> None:
    store(history, WHOLE)
    with pytest.raises(InputError, match="cannot be written"):
        export(history, ID, tmp_path / "no" / "session.zip")


@pytest.mark.parametrize("length", [250, 300, 5000])
def test_a_name_that_is_too_long_is_told(history: History, tmp_path: Path, length: int) -> None:
    store(history, WHOLE)
    with pytest.raises(InputError, match="cannot be written: File name too long"):
        export(history, ID, tmp_path / ("x" * length + ".too.zip"))
    assert export(history, ID, tmp_path / ("x" * 251 + ".zip")).exists()


def test_an_import_of_what_is_no_file_is_not_waited_for(history: History, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path, Path("/dev/zero")):
        with pytest.raises(InputError, match="it is not a regular file"):
            import_session(history, path)


def test_what_is_in_the_way_of_an_import_is_named(exported: Path, other: History) -> None:
    other.journals.write_text("in the way")
    with pytest.raises(InputError, match=f"{other.journals}: File exists"):
        import_session(other, exported)


def test_a_session_without_an_end_is_lost_elsewhere(history: History, other: History, tmp_path: Path) -> None:
    running = journals.Maker(PLAN).begin()
    running.step(0)
    store(history, running)
    import_session(other, export(history, ID, tmp_path / "running.zip"))
    assert session(other, ID)["state"] == "lost"


# files that are let in nowhere


def rewritten(file: Path, change: Callable[[dict[str, bytes]], None], *, sums: bool = True) -> Path:
    """The export with its members changed, and a manifest that agrees again."""
    with zipfile.ZipFile(file) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    change(members)
    if sums and "manifest.json" in members:
        manifest = json.loads(members["manifest.json"])
        for name in manifest.get("files", {}):
            raw = members.get(name, b"")
            manifest["files"][name] = {"bytes": len(raw), "sha256": hashlib.sha256(raw).hexdigest()}
        members["manifest.json"] = json.dumps(manifest).encode()
    wrong = file.with_name("wrong.zip")
    with zipfile.ZipFile(wrong, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, raw in members.items():
            archive.writestr(name, raw)
    return wrong


def in_journal(change: Callable[[list[bytes]], Any]) -> Callable[[dict[str, bytes]], None]:
    def apply(members: dict[str, bytes]) -> None:
        lines = members["journal.jsonl"].splitlines(keepends=True)
        change(lines)
        members["journal.jsonl"] = b"".join(lines)

    return apply


def in_json(member: str, /, **fields: Any) -> Callable[[dict[str, bytes]], None]:
    def apply(members: dict[str, bytes]) -> None:
        members[member] = json.dumps({**json.loads(members[member]), **fields}).encode()

    return apply


def sample(**fields: Any) -> Callable[[dict[str, bytes]], None]:
    def change(lines: list[bytes]) -> None:
        at = next(at for at, line in enumerate(lines) if b'"sample"' in line)
        lines[at] = json.dumps({**json.loads(lines[at]), **fields}).encode() + b"\n"

    return in_journal(change)


def first(**fields: Any) -> Callable[[dict[str, bytes]], None]:
    def change(lines: list[bytes]) -> None:
        lines[0] = json.dumps({**json.loads(lines[0]), **fields}).encode() + b"\n"

    return in_journal(change)


WRONG: list[tuple[str, Callable[[dict[str, bytes]], Any], str]] = [
    ("a member more", lambda m: m.update({"evil.sh": b"rm"}), "exactly"),
    ("a path", lambda m: m.update({"../../x": m.pop("owned.json")}), "exactly"),
    ("a member less", lambda m: m.pop("owned.json"), "exactly"),
    ("no JSON", lambda m: m.update({"owned.json": b"{"}), "Expecting"),
    ("no object", lambda m: m.update({"owned.json": b"[]"}), "not a JSON object"),
    ("deep JSON", lambda m: m.update({"owned.json": b"[" * 100_000}), "nested too deeply"),
    ("a later format", in_json("manifest.json", format=2), "format 2, this Dyno reads 1: update Dyno"),
    ("a format of two lines", in_json("manifest.json", format="1\n\x1b]0;x"), r"format 1\n\x1b]0;x, this"),
    ("no session", lambda m: m.update({"manifest.json": b"{}"}), "missing"),
    ("a session that is a path", in_json("manifest.json", session="../../../etc/cron"), "not a session id"),
    ("another session", in_json("manifest.json", session="0123456789ABCDEFGHJKMNPQRS"), "another session"),
    ("another plan", in_json("plan.json", name="other"), "another session or plan"),
    ("an empty journal", lambda m: m.update({"journal.jsonl": b""}), "empty"),
    ("no events", lambda m: m.update({"journal.jsonl": b"hello\n"}), "line 1"),
    ("a torn line", lambda m: m.update({"journal.jsonl": m["journal.jsonl"][:-5]}), "incomplete"),
    ("a gap", in_journal(lambda lines: lines.pop(7)), "line 8 of the journal has event number 9"),
    ("an event twice", in_journal(lambda lines: lines.insert(7, lines[7])), "line 9"),
    ("a long line", in_journal(lambda lines: lines.insert(0, b" " * (1 << 20) + b"\n")), "1,048,576 bytes"),
    ("two beginnings", in_journal(lambda lines: lines.insert(0, lines[0])), "line 2"),
    ("another major", first(protocol="2.0"), "2.0, this Dyno reads 1.4: update Dyno"),
    ("no protocol", first(protocol="new"), "not a protocol version"),
    ("no beginning", in_journal(lambda lines: lines.pop(0)), "line 1 of the journal has event number 2"),
    ("a text for a value", sample(values=["x"] * 5), "values[0] is no number"),
    ("too few values", sample(values=[1.0]), "5 are declared"),
    ("an unknown step", sample(step=77), "not active"),
    ("a huge number", sample(s=10**40), ""),
    ("notes that are none", in_json("owned.json", notes="all"), "notes must be a list"),
    ("too many tags", in_json("owned.json", tags=["x"] * 2000), "tags"),
    ("a tag of two lines", in_json("owned.json", tags=["x\ny"]), "tag"),
    ("a note that is a number", in_json("owned.json", notes=[{"at": 1, "text": 5}]), "text"),
    ("a cut without seconds", in_json("owned.json", cuts=[{"step": "1"}]), "cut"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "said"), [each[1:] for each in WRONG], ids=[each[0] for each in WRONG])
def test_a_wrong_file_is_refused_and_leaves_nothing(
    exported: Path, other: History, change: Callable[[dict[str, bytes]], None], said: str
) -> None:
    with pytest.raises(InputError) as caught:
        import_session(other, rewritten(exported, change))
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
    assert_empty(other)


def assert_empty(history: History) -> None:
    assert sessions(history) == []
    for table in ("journal", "session_tag", "session_note", "imported", "link", "plan"):
        assert history.query(f"SELECT * FROM {table}") == []
    assert not history.journals.exists() or list(history.journals.iterdir()) == []


def test_a_journal_that_is_not_the_manifests_is_refused(exported: Path, other: History) -> None:
    wrong = rewritten(exported, sample(dt=2.0), sums=False)
    with pytest.raises(InputError, match=r"journal.jsonl does not match the manifest"):
        import_session(other, wrong)
    assert_empty(other)


def test_a_clash_of_ids_is_refused(history: History, exported: Path) -> None:
    before = figures.session_details(history, ID)
    with pytest.raises(InputError, match="different content"):
        import_session(history, rewritten(exported, sample(dt=2.0)))
    assert figures.session_details(history, ID) == before
    assert (history.journals / f"{ID}.jsonl").read_bytes() == WHOLE.raw


def test_a_bomb_is_refused_before_it_is_unpacked(
    exported: Path, other: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(importing.LIMITS, "journal.jsonl", 1 << 20)
    bomb = rewritten(exported, lambda m: m.update({"journal.jsonl": b"\n" * (2 << 20)}))
    assert bomb.stat().st_size < 20_000
    with pytest.raises(InputError, match="at most 1,048,576 are allowed"):
        import_session(other, bomb)
    assert_empty(other)


def test_a_bomb_that_lies_about_its_size_is_refused(
    exported: Path, other: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(importing.LIMITS, "owned.json", 1000)
    lying = rewritten(exported, lambda m: m.update({"owned.json": b" " * 5000}))
    raw = lying.read_bytes()
    size = (5000).to_bytes(4, "little")
    assert raw.count(size) >= 2
    lying.write_bytes(raw.replace(size, (10).to_bytes(4, "little")))
    with pytest.raises(InputError):
        import_session(other, lying)
    assert_empty(other)


@pytest.mark.parametrize("content", [b"", b"hello", b"PK\x03\x04" + b"x" * 100])
def test_what_is_no_zip_is_refused(other: History, tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "file.zip"
    file.write_bytes(content)
    with pytest.raises(InputError, match="cannot import"):
        import_session(other, file)


@pytest.mark.parametrize("first", [60, 61, 62, 63, 64, 65, 70, 80, 90, 120, 200])
def test_a_damaged_zip_is_refused(exported: Path, other: History, first: int) -> None:
    """Where the packed bytes are hit decides whether unpacking or the checksum fails."""
    raw = bytearray(exported.read_bytes())
    for at in range(first, len(raw), 97):
        raw[at] ^= 0x55
    exported.write_bytes(raw)
    with pytest.raises(InputError):
        import_session(other, exported)
    assert_empty(other)


def test_a_file_that_is_not_there_is_told(other: History, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file"):
        import_session(other, tmp_path / "nothing.zip")
