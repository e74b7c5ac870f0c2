"""What is asked of a server and of a collection's files before full-text search begins."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from app.agent.checks.fulltext import fulltext_file_problems, fulltext_setting_problems
from app.protocol.plan import Plan
from tests.plans import plan
from tests.unit.catalog.test_text_search import planned

OFF = {"query_cache_type": "OFF", "query_cache_size": "1048576"}
ON = {"query_cache_type": "ON", "query_cache_size": "1048576"}


@pytest.fixture(scope="module")
def search() -> Plan:
    return planned(rows=3)


def collected(search: Plan, *files: object) -> Plan:
    """The plan of a collection that lies in these files."""
    load, *rest = search.steps
    options = {**load.options, "collection": ":".join(map(str, files))}
    return replace(search, steps=[replace(load, options=options), *rest])


def told(variables: dict[str, str], engine: str = "innodb", of: Plan | None = None) -> list[str]:
    return [text for text, _ in fulltext_setting_problems(of or planned(), engine, variables)]


@pytest.mark.parametrize(
    ("variables", "is_on"),
    [
        ({}, False),
        (OFF, False),
        (ON, True),
        ({**ON, "query_cache_type": "1"}, True),
        ({**ON, "query_cache_type": "DEMAND"}, False),
        ({**ON, "query_cache_size": "0"}, False),
    ],
)
def test_a_query_cache_would_answer_in_place_of_the_index(variables: dict[str, str], is_on: bool) -> None:
    assert bool(told(variables)) == is_on


def test_other_plans_may_have_a_query_cache() -> None:
    assert told(ON, of=plan()) == []


def test_the_words_must_be_part_of_the_index() -> None:
    assert told({"innodb_ft_min_token_size": "3", "innodb_ft_max_token_size": "84"}) == []
    assert told({"ft_min_word_len": "4", "ft_max_word_len": "14"}, "myisam") == []
    assert told({"ft_min_word_len": "4", "ft_max_word_len": "13"}, "myisam") == [
        "the full-text index would skip words: ft_min_word_len is 4, ft_max_word_len is 13"
    ]
    assert len(told({"innodb_ft_min_token_size": "6", "innodb_ft_max_token_size": "84"})) == 1


def test_a_collection_must_have_as_many_documents_as_are_wanted(search: Plan, tmp_path: Path) -> None:
    (tmp_path / "a").write_text(".I 1\n.T\nOne.\n.I 2\n.U\n")
    (tmp_path / "b").write_text(".I 3\r\n.W\r\nThree.\r\n")
    assert list(fulltext_file_problems(search)) == []
    assert list(fulltext_file_problems(collected(search, tmp_path / "a", tmp_path / "b"))) == []
    (problem,) = fulltext_file_problems(collected(search, tmp_path / "a"))
    assert problem == (
        "the collection has 2 documents, the plan needs 3 rows per table",
        "choose at most 2 rows",
    )


def test_what_is_no_collection_is_told(search: Plan, tmp_path: Path) -> None:
    (tmp_path / "prose").write_text("I am no collection.\n")
    ((text, todo),) = fulltext_file_problems(collected(search, tmp_path / "prose"))
    assert (text[:32], todo) == ("the collection has 0 documents, ", "choose files in the OHSUMED format")
    for missing in (tmp_path / "nowhere", tmp_path, "relative"):
        ((text, _),) = fulltext_file_problems(collected(search, missing))
        assert text.startswith(f"cannot read {missing} of the collection: ")
