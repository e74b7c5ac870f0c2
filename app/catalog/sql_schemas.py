"""Names of other schemas in custom SQL: on a server that runs already they are somebody's."""

from __future__ import annotations

import re

from app.variables.ownership import words

from .custom_sql import ParsedCustomSql
from .sql_text import SqlToken, words_of

_NAME = re.compile(r"[A-Za-z_$][\w$]*|`[^`]*`")
# words behind which a table is, and clauses in which a comma comes before another one
_BEFORE_TABLE = words(
    """
    delayed delete from high_priority ignore insert into join low_priority quick references straight_join
    table update using
    """
)
_OF_TABLES = frozenset(("from", "join", "straight_join", "using", "update", "delete", "on"))
_CLAUSES = _OF_TABLES | words(
    "by group having into limit order returning select set union value values where window"
)
_WITH_FROM = frozenset(("extract", "substring", "substr", "mid", "trim"))  # functions: trim(x FROM column)


def foreign_name(found: ParsedCustomSql) -> str:
    """The first name with another schema in it, such as `other.t`; '' if there is none."""
    statements = (*found.tables, *found.fill, *(each for block in found.blocks for each in block.statements))
    return next(filter(None, (foreign_name_in(each.text) for each in statements)), "")


def foreign_name_in(statement: str) -> str:
    """The same of one statement. A name in front of a dot must be a table of it, or an alias."""
    tokens = words_of(statement)
    alone = {_plain(each) for at, each in enumerate(tokens) if _is_alone(tokens, at)}
    clauses = [""]  # of each bracket that is open
    for at, token in enumerate(tokens):
        word = token.text.lower()
        if word == "(":
            before = tokens[at - 1].text.lower() if at else ""
            in_list = clauses[-1] in _OF_TABLES - {"on"} and before in _BEFORE_TABLE | {",", "("}
            clauses.append("function" if before in _WITH_FROM else clauses[-1] if in_list else "")
        elif word == ")" and len(clauses) > 1:
            clauses.pop()
        elif token.kind == "word" and word in _CLAUSES and clauses[-1] != "function":
            clauses[-1] = word
        if _is_qualified(tokens, at) and (_is_table(tokens, at, clauses[-1]) or _plain(token) not in alone):
            return f"{token.text}.{tokens[at + 2].text}"
    return ""


def _is_table(tokens: list[SqlToken], at: int, clause: str) -> bool:
    """Whether the name with a dot is a table, a function, or a column with its schema."""
    before, behind = (
        tokens[at - 1].text.lower() if at else "",
        [each.text for each in tokens[at + 3 : at + 4]],
    )
    is_listed = before in (",", "(") and clause in _OF_TABLES
    is_named = before in _BEFORE_TABLE and clause != "function"
    return is_listed or is_named or behind in (["."], ["("])


def _is_qualified(tokens: list[SqlToken], at: int) -> bool:
    """Whether it is the first part of a name with a dot."""
    is_first = at == 0 or tokens[at - 1].text != "."
    is_dotted = at + 2 < len(tokens) and tokens[at + 1].text == "."
    return is_first and is_dotted and bool(_NAME.fullmatch(tokens[at].text))


def _is_alone(tokens: list[SqlToken], at: int) -> bool:
    """Whether it is a name without a dot on either side."""
    beside = [each.text for each in (*tokens[max(at - 1, 0) : at], *tokens[at + 1 : at + 2])]
    return "." not in beside and bool(_NAME.fullmatch(tokens[at].text))


def _plain(token: SqlToken) -> str:
    return token.text.strip("`").lower()
