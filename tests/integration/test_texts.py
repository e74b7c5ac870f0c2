"""The workloads of full-text search do what they say: told by the server itself, on MariaDB."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.integration.generated import Outcome, Server, drive, shipped

LIBRARY = Path(__file__).parents[1] / "data/ohsumed"
FILES = f"{LIBRARY / 'sample.87'}:{LIBRARY / 'sample.88-91'}"
# as a person counts them, of the words that are there at all
IN_LIBRARY = {"phase": 2, "Meyers": 2, "Tsukamoto": 1, "microliter": 2, "Earlier": 1, "Heilbrun": 1}
IN_LIBRARY |= {"athletes": 2, "jejuni": 1, "REPORTS": 1}
WORDS = {
    "Pietersz": 6, "REPORTS": 4011, "Shvero": 4, "Couret": 2, "eburnated": 1, "Fison": 1, "Grahovac": 1,
    "Hylorin": 1, "functionalized": 4, "phase": 6676, "Meyers": 157, "Lecso": 0, "Tsukamoto": 34,
    "Smogorzewski": 5, "Favaro": 1, "Germall": 1, "microliter": 170, "peroxy": 5, "Krakuer": 1, "APTTL": 2,
    "jejuni": 60, "Heilbrun": 9, "athletes": 412, "Odensten": 4, "anticomplement": 5, "Beria": 1,
    "coliplay": 1, "Earlier": 2900, "Gintere": 0, "Abdelhamid": 4,
}  # fmt: skip
ENGINES = ("innodb", "myisam")


def loaded(server: Server, engine: str, rows: int, **more: Any) -> Outcome:
    """A fresh database with tables of texts; the outcome of the load."""
    server.query("DROP DATABASE IF EXISTS dyno", "CREATE DATABASE dyno")
    return drive(server, shipped("text-load", engine, rows=rows, **more))


def indexed(server: Server, engine: str, **more: Any) -> None:
    outcome = drive(server, shipped("text-index", engine, **more))
    assert outcome.code == 0, outcome.said


def kept(server: Server, table: int = 1) -> dict[str, int]:
    return dict(server.query(f"SELECT word, documents FROM dyno.words{table} ORDER BY n"))


def counted(server: Server, table: int = 1) -> dict[str, int]:
    """The documents with each word, as the server counts them without an index."""
    select = f"SELECT COUNT(*) FROM dyno.texts{table} WHERE content REGEXP '[[:<:]]{{}}[[:>:]]'"
    return {word: server.query(select.format(word))[0][0] for word in WORDS}


@pytest.mark.parametrize(("rows", "scale"), [(3, 0.0), (1000, 390 / 6676), (18_000, 1.0)])
def test_words_are_planted_as_published_or_scaled_down(server: Server, rows: int, scale: float) -> None:
    outcome = loaded(server, "myisam", rows, tables=1, threads=1)
    assert (outcome.code, outcome.total["rows"]["inserted"]) == (0, rows), outcome.said
    assert list(kept(server)) == list(WORDS)
    for word, documents in kept(server).items():
        assert documents == max(int(WORDS[word] * scale), min(WORDS[word], 1)), word
        assert documents < 0.4 * rows
    if rows < 18_000:
        assert counted(server) == kept(server)


def test_texts_depend_on_the_seed_and_not_on_the_threads(server: Server) -> None:
    def texts(seed: int, threads: int) -> list[Any]:
        loaded(server, "myisam", 200, seed=seed, threads=threads)
        return [server.query(f"CHECKSUM TABLE dyno.texts{i}")[0][1] for i in (1, 2)]

    first = texts(11, 1)
    assert len(set(first)) == 2
    assert texts(11, 2) == first
    assert not set(texts(12, 1)) & set(first)


def test_texts_are_like_those_of_the_collection(server: Server) -> None:
    loaded(server, "innodb", 1000)
    created = server.query("SHOW CREATE TABLE dyno.texts2")[0][1]
    assert "`docid` int(11) NOT NULL" in created and "`content` text" in created
    assert "ENGINE=InnoDB DEFAULT CHARSET=latin1" in created
    select = (
        "SELECT AVG(LENGTH(content)), MIN(docid), MAX(docid), SUM(content LIKE '%the %') FROM dyno.texts1"
    )
    length, first, last, common = server.query(select)[0]
    assert 900 < length < 1100
    assert (first, last) == (1, 1000)
    assert common > 900


def test_too_few_documents_are_refused(server: Server) -> None:
    outcome = loaded(server, "innodb", 2)
    assert outcome.code != 0
    assert "1 of 2 documents hold the word Pietersz, and MyISAM finds no word of half of them" in outcome.said


@pytest.mark.parametrize("engine", ENGINES)
def test_words_are_asked_for_in_their_order_each_client_in_its_table(server: Server, engine: str) -> None:
    loaded(server, engine, 500)
    indexed(server, engine, rows=500)
    log = server.folder / "general.log"
    server.query("SET GLOBAL general_log = 1")
    before = server.counters("com_select")["com_select"]
    outcome = drive(server, shipped("text-search", engine, rows=500, threads=2, events=120))
    asked = server.counters("com_select")["com_select"] - before
    server.query("SET GLOBAL general_log = 0")
    assert outcome.code == 0, outcome.said
    assert outcome.total["reads"] == outcome.total["rows"]["read"] == outcome.total["events"] == 120
    assert asked == 120 + 2 * 2  # each client looks up its words and asks for one row before it begins
    pattern = (
        r"(\d+) Query\tSELECT COUNT\(\*\) AS cnt FROM (texts\d) WHERE MATCH\(content\) AGAINST\('(\w+)'\)"
    )
    clients: dict[tuple[str, str], list[str]] = {}
    for client, table, word in re.findall(pattern, log.read_text(errors="replace")):
        clients.setdefault((client, table), []).append(word)
    assert sorted(table for _, table in clients) == ["texts1", "texts2"]
    for words in clients.values():
        assert words == (list(WORDS) * 4)[: len(words)]
    log.unlink()
    server.query("FLUSH GENERAL LOGS")


@pytest.mark.parametrize("engine", ENGINES)
def test_a_wrong_count_ends_it(server: Server, engine: str) -> None:
    loaded(server, engine, 500, tables=1)
    indexed(server, engine, rows=500, tables=1)
    planted = kept(server)["phase"]
    one = "WHERE content LIKE '% phase %' LIMIT 1"
    server.query(f"UPDATE dyno.texts1 SET content = REPLACE(content, ' phase ', ' ') {one}")
    outcome = drive(server, shipped("text-search", engine, rows=500, tables=1, threads=1, events=60))
    assert outcome.code != 0
    said = f"wrong count for the word phase: {planted} documents were loaded with it, {planted - 1} are found"
    assert said in outcome.said


@pytest.mark.parametrize("engine", ENGINES)
def test_a_collection_is_loaded_as_it_is_written(server: Server, engine: str) -> None:
    outcome = loaded(server, engine, 8, tables=1, options={"collection": FILES})
    assert outcome.code == 0, outcome.said
    assert {word: count for word, count in kept(server).items() if count} == IN_LIBRARY
    (content,) = server.query("SELECT content FROM dyno.texts1 WHERE docid = 5")[0]
    assert content.splitlines() == [
        "Athletes; Campylobacter jejuni/*.",
        "One with a backslash \\ and quotes ' '' \" in it.",
        " . a line that begins with a dot, and one that looks like",
        ".5 microliter of a field.",
    ]
    indexed(server, engine, rows=8, tables=1)
    found = drive(server, shipped("text-search", engine, rows=8, tables=1, events=60))
    assert found.code == 0, found.said


@pytest.mark.parametrize(
    ("rows", "text", "complaint"),
    [
        (4, ".I 1\n.T\nA\n.I 2\n.T\nB\n", "the collection has 2 documents, 4 are wanted: take fewer rows"),
        (4, "prose\n", "line 1: a collection begins with a record, a line like .I 1"),
    ],
)
def test_what_is_no_collection_is_refused(
    server: Server, tmp_path: Path, rows: int, text: str, complaint: str
) -> None:
    (tmp_path / "mine").write_text(text)
    options = {"collection": str(tmp_path / "mine")}
    outcome = loaded(server, "innodb", rows, tables=1, options=options)
    assert outcome.code != 0
    assert complaint in outcome.said
