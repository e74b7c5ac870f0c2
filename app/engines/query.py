"""How an engine asks a server: by a function that it is given, and knows nothing else of."""

from __future__ import annotations

from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional

Row = Dict[str, Any]
Query = Callable[[str], List[Row]]  # the rows of a statement, with the column names in small letters


class QueryError(Exception):
    """The server refused a statement, or did not answer."""

    def __init__(self, said: str, of: str = "") -> None:
        super().__init__("{} for {}".format(said, of) if of else said)
        self.said = said  # without the statement


def show_statement_values(query: Query, statement: str) -> Dict[str, str]:
    """The rows of SHOW STATUS or SHOW VARIABLES: names in small letters."""
    return {str(row["variable_name"]).lower(): str(row["value"]) for row in query(statement)}


def first_answer(query: Query, statements: Iterable[str]) -> List[Row]:
    """The answer to the first statement that the server understands; no rows if none."""
    for statement in statements:
        try:
            return query(statement)
        except QueryError:
            continue
    return []


def named_whole_number(values: Mapping[str, str], name: str) -> Optional[int]:
    """A whole number by its name; None where it is missing or something else."""
    text = values.get(name, "")
    return int(text) if text.isdigit() else None
