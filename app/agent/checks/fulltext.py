"""Checks before a plan with full-text search: the server's settings and the files of the collection."""

from __future__ import annotations

import os
from typing import Iterator, List, Mapping, Tuple

from app.engines import engine_of
from app.protocol.plan import Plan, Step

Problem = Tuple[str, str]  # what is wrong, what to do about it

SHORTEST, LONGEST = 5, 14  # letters of the words that text-search asks for
RECORD = b".I "


def fulltext_setting_problems(plan: Plan, engine: str, variables: Mapping[str, str]) -> Iterator[Problem]:
    """Server settings that answer without a search, or miss words."""
    if not any(step.kind == "text-index" for step in plan.steps):
        return
    if _caches_queries(variables):
        text = "the query cache is on: it would answer instead of the full-text index"
        yield text, "set query_cache_type=0 and query_cache_size=0 in the my.cnf"
    least, most = engine_of(engine).word_lengths
    if int(variables.get(least, SHORTEST)) > SHORTEST or int(variables.get(most, LONGEST)) < LONGEST:
        text = "the full-text index would skip words: {} is {}, {} is {}".format(
            least, variables.get(least), most, variables.get(most)
        )
        yield text, "set them for words of {} to {} letters".format(SHORTEST, LONGEST)


def _caches_queries(variables: Mapping[str, str]) -> bool:
    kind, size = variables.get("query_cache_type", "OFF"), variables.get("query_cache_size", "0")
    return kind.upper() in ("ON", "1") and size != "0"


def fulltext_file_problems(plan: Plan) -> Iterator[Problem]:
    """Files that cannot be read, or have fewer documents than the plan loads."""
    for step in plan.steps:
        if step.options.get("collection"):
            yield from _problems_of(_paths(step), plan.rows)


def _paths(step: Step) -> List[str]:
    return [path for path in str(step.options["collection"]).split(":") if path]


def _problems_of(paths: List[str], wanted: int) -> Iterator[Problem]:
    try:
        found = sum(_count(path, wanted) for path in paths)
    except OSError as error:
        text = "cannot read {} of the collection: {}".format(error.filename, error.strerror)
        yield text, "give the full paths of its files on the target, separated by colons"
        return
    if found < wanted:
        text = "the collection has {:,} documents, the plan needs {:,} rows per table".format(found, wanted)
        yield (
            text,
            "choose at most {:,} rows".format(found) if found else "choose files in the OHSUMED format",
        )


def _count(path: str, most: int) -> int:
    """Documents in a file, counted up to this number."""
    if not os.path.isabs(path):
        raise FileNotFoundError(2, "not a full path", path)
    found = 0
    with open(path, "rb") as file:
        for line in file:
            found += line.startswith(RECORD)
            if found == most:
                break
    return found
