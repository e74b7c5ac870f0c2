"""The text of a custom SQL file: its words and lines, and one statement after the other."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

VERBS = {
    "tables": ("create",),
    "fill": ("insert",),
    "begin": ("select", "insert", "update", "delete"),
}
# schemas that are not the tables of a workload
SYSTEM = ("mysql", "information_schema", "performance_schema", "sys")

_BLANK = re.compile(r"(?:\s|#[^\n]*|--(?=\s|$)[^\n]*)*")
_WORD = re.compile(r"\S+")
_TOKEN = re.compile(
    r"""(?P<quoted>'(?:[^'\\]|''|\\.)*'|"(?:[^"\\]|""|\\.)*"|`[^`]*`)
    |(?P<comment>\#[^\n]*|--(?=\s|$)[^\n]*)
    |(?P<block>/\*)
    |(?P<open>['"`])
    |(?P<bind>:[A-Za-z_]\w*:?(?!=))
    |(?P<end>;)
    |(?P<blank>\s+)
    |(?P<word>[A-Za-z_$][\w$]*)
    |(?P<number>\d+(?![\w.]))
    |(?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)
_REFUSED = {
    "replace": "REPLACE does not show how many rows are new",
    "begin": "use the option tran for transactions",
    "commit": "use the options tran and commit for transactions",
    "rollback": "use the option tran for transactions",
    "start": "use the option tran for transactions",
}


class SqlBindPlace(NamedTuple):
    """A place in a statement where a variable is."""

    name: str
    offset: int  # added to it
    line: int


@dataclass(frozen=True)
class SqlTemplate:
    """One statement: the text before, between and after its variables."""

    parts: tuple[str, ...]
    verb: str
    binds: tuple[SqlBindPlace, ...]
    line: int
    table: str = ""  # of a CREATE TABLE: its name
    into: tuple[str, ...] = ()  # of a SELECT: the variables that keep its first row

    @property
    def text(self) -> str:
        """The statement as it is prepared."""
        return "?".join(self.parts)

    @property
    def written(self) -> str:
        """The statement as it is in a file."""
        binds = [f":{each.name}{_sum(each.offset)}" for each in self.binds]
        text = "".join(part + bind for part, bind in zip(self.parts, [*binds, ""], strict=True))
        return text + (f" into {', '.join(f':{name}' for name in self.into)}" if self.into else "")


def _sum(offset: int) -> str:
    return f" {'-' if offset < 0 else '+'} {abs(offset)}" if offset else ""


class SqlToken(NamedTuple):
    """A word, a sign or a quoted text of a statement."""

    kind: str
    text: str
    line: int


Problem = tuple[int, str]  # line, and what is wrong


class Scanner:
    """A place in a text, moved on word by word; comments are blanks."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.line = 1  # of the word that was read last
        self._ends = [found.start() for found in re.finditer("\n", text)]

    def word(self) -> str:
        """The next word, "" at the end."""
        word = self.peek()
        self.at = self._begin() + len(word)
        self.line = self.line_at(self.at - len(word))
        return word

    def peek(self) -> str:
        found = _WORD.match(self.text, self._begin())
        return found[0] if found else ""

    def peek_of_line(self) -> str:
        """The next word, "" where it is in a later line."""
        return self.peek() if self.line_at(self._begin()) == self.line else ""

    def word_of_line(self) -> str:
        return self.word() if self.peek_of_line() else ""

    def list_of_line(self) -> list[str]:
        """The members of a list with commas, with or without blanks."""
        members = self.word_of_line()
        while members and (members.endswith(",") or self.peek_of_line().startswith(",")):
            more = self.word_of_line()
            if not more:
                break
            members += more
        return members.split(",")

    def skip_line(self) -> None:
        end = self.text.find("\n", self.at)
        self.at = len(self.text) if end < 0 else end

    def skip_semicolon(self) -> None:
        if self.peek() == ";":
            self.word()

    def line_at(self, at: int) -> int:
        return bisect_right(self._ends, at - 1) + 1

    def tokens(self) -> list[SqlToken]:
        """The tokens up to and including the next semicolon, without comments."""
        self.at = self._begin()
        self.line = self.line_at(self.at)
        found: list[SqlToken] = []
        while self.at < len(self.text):
            match = _TOKEN.match(self.text, self.at)
            assert match is not None and match.lastgroup is not None
            token = SqlToken(match.lastgroup, match[0], self.line_at(self.at))
            self.at = match.end()
            if token.kind != "comment":
                found.append(token)
            if token.kind == "open":  # the text behind it cannot be parsed
                self.at = len(self.text)
            if token.kind == "end":
                break
        return found

    def _begin(self) -> int:
        found = _BLANK.match(self.text, self.at)
        return found.end() if found else self.at


def words_of(statement: str) -> list[SqlToken]:
    """The tokens of a statement without blanks, with `?` for each variable."""
    return [token for token in Scanner(statement).tokens() if token.kind not in ("blank", "end")]


def read_statement(scanner: Scanner, part: str) -> tuple[SqlTemplate | None, list[Problem]]:
    """The next statement of a part; None, and why, if Dyno cannot run it."""
    tokens = scanner.tokens()
    line = tokens[0].line
    solid = [token for token in tokens if token.kind not in ("blank", "end")]
    if not solid:
        return None, []
    if solid[0].text == "{":
        return None, [
            (line, "blocks in braces are not supported; the option tran makes a transaction of each loop")
        ]
    problems = _unreadable(tokens, line) or [*_refused(solid, part), *_outside(solid)]
    if problems:
        return None, problems
    verb = solid[0].text.lower()
    tokens, into = _without_into(tokens) if verb == "select" else (tokens, ())
    if into and (problem := _column_problem(tokens, len(into))):
        return None, [(line, problem)]
    parts, binds = _at_binds(tokens)
    if part != "tables":
        return SqlTemplate(parts, verb, binds, line, into=into), []
    if problems := _table_problems(solid):
        return None, problems
    return SqlTemplate(parts, "create", (), line, solid[2].text.strip("`")), []


def _unreadable(tokens: list[SqlToken], line: int) -> list[Problem]:
    for token in tokens:
        if token.kind == "open":
            return [(token.line, f"{token.text} is not closed")]
        if not all(each in "\t\r\n" or " " <= each <= "~" for each in token.text):
            return [(token.line, "only ASCII characters are allowed")]
        if token.kind == "block":
            return [(token.line, "write comments with # or --: some servers execute what is in /* */")]
    if tokens[-1].kind != "end":
        return [(line, "the statement does not end with ;")]
    return []


def _refused(solid: list[SqlToken], part: str) -> list[Problem]:
    """What Dyno cannot run: this statement, or something in it."""
    verb, line = solid[0].text.lower(), solid[0].line
    if verb not in VERBS[part]:
        known = ", ".join(each.upper() for each in VERBS[part])
        why = _REFUSED.get(verb, f"{verb.upper()[:20]} is not allowed")
        return [(line, f"{why}; {part} may contain {known}")]
    return [found for at, token in enumerate(solid) for found in _refused_token(solid, at, token, part)]


def _refused_token(solid: list[SqlToken], at: int, token: SqlToken, part: str) -> list[Problem]:
    word = token.text.lower() if token.kind == "word" else ""
    if token.text == "?":
        return [(token.line, "? has no value: write :name")]
    if token.text == ":" and (at + 1 == len(solid) or solid[at + 1].text != "="):
        return [(token.line, ": needs a name after it")]
    if token.kind == "bind" and part == "tables":
        return [(token.line, "CREATE TABLE takes no variables")]
    if word in ("outfile", "dumpfile", "load_file") or (word == "into" and _is_refused_into(solid, at)):
        may_keep = "; INTO :name keeps a column of the first row" if word == "into" else ""
        return [(token.line, f"{word.upper()}: files and variables of the server are not allowed{may_keep}")]
    if word == "duplicate" and solid[at - 1].text.lower() == "on":
        return [(token.line, "ON DUPLICATE KEY does not show how many rows are new")]
    return []


def _is_refused_into(solid: list[SqlToken], at: int) -> bool:
    """Of a SELECT, all but one INTO :name outside brackets."""
    if solid[0].text.lower() != "select":
        return False
    before = [token.text.lower() for token in solid[:at]]
    is_kept = at + 1 < len(solid) and solid[at + 1].kind == "bind"
    return not is_kept or "into" in before or before.count("(") != before.count(")")


def _without_into(tokens: list[SqlToken]) -> tuple[list[SqlToken], tuple[str, ...]]:
    """A SELECT without its INTO :a, :b, and these names."""
    start = next((at for at, token in enumerate(tokens) if token.text.lower() == "into"), len(tokens))
    names: list[str] = []
    is_next, end = True, start
    for at, token in enumerate(tokens[start + 1 :], start + 1):
        if is_next and token.kind == "bind":
            names.append(token.text.strip(":"))
            is_next, end = False, at + 1
        elif token.text == "," and not is_next:
            is_next = True
        elif token.kind != "blank":
            break
    rest = tokens[end:]
    return [*tokens[:start], *(rest[1:] if rest and rest[0].kind == "blank" else rest)], tuple(names)


def _column_problem(tokens: list[SqlToken], names: int) -> str:
    """Whether a SELECT has as many columns as variables, if that can be seen."""
    depth, columns, before = 0, 1, ""
    for token in tokens:
        word = token.text.lower()
        depth += {"(": 1, ")": -1}.get(word, 0)
        if depth == 0 and word == "from":
            break
        if word == "*" and before in ("select", ",", "."):
            return ""
        columns += depth == 0 and word == ","
        before = before if token.kind == "blank" else word
    return "" if columns == names else f"{columns} columns, but {names} after INTO"


def _outside(solid: list[SqlToken]) -> list[Problem]:
    """Names of schemas that are not the workload's own."""
    return [
        (token.line, f"{token.text}. is outside of the tables of the workload")
        for token, after in pairwise(solid)
        if after.text == "." and token.text.strip("`").lower() in SYSTEM
    ]


def _table_problems(solid: list[SqlToken]) -> list[Problem]:
    """Check for CREATE TABLE name ( ... ) with nothing after it: the rest is the contender's."""
    words = [token.text.lower() for token in solid]
    line = solid[0].line
    if words[1:2] != ["table"] or len(solid) < 6 or solid[3].text != "(":
        return [(line, "must be CREATE TABLE name (columns);")]
    if not re.fullmatch(r"`?[A-Za-z_]\w{0,63}`?", solid[2].text):
        return [(line, "the name of a table may have up to 64 letters, digits and underscores")]
    depth = 0
    for token in solid[3:-1]:
        depth += {"(": 1, ")": -1}.get(token.text, 0)
        if depth == 0:
            return [(token.line, "remove what follows the columns: the contender sets engine and options")]
    return [] if solid[-1].text == ")" else [(line, "the columns do not end with )")]


def _at_binds(tokens: list[SqlToken]) -> tuple[tuple[str, ...], tuple[SqlBindPlace, ...]]:
    """The statement in one line, split at its variables, and these."""
    parts = [""]
    binds: list[SqlBindPlace] = []
    at = 0
    while at < len(tokens) and tokens[at].kind != "end":
        token = tokens[at]
        if token.kind == "bind":
            offset, used = _offset(tokens, at)
            binds.append(SqlBindPlace(token.text.strip(":"), offset, token.line))
            parts.append("")
            at += used
        else:
            parts[-1] += " " if token.kind == "blank" else token.text
        at += 1
    return (*parts[:-1], parts[-1].rstrip()), tuple(binds)


def _offset(tokens: list[SqlToken], at: int) -> tuple[int, int]:
    """The number added to a variable, and its tokens; 0 if the server must compute the sum."""
    after = [(i, token) for i, token in enumerate(tokens) if i > at and token.kind != "blank"][:3]
    before = next((token.text for token in reversed(tokens[:at]) if token.kind != "blank"), "")
    if len(after) < 2 or after[0][1].text not in ("+", "-") or after[1][1].kind != "number":
        return 0, 0
    follows = after[2][1].text if len(after) > 2 else ";"
    if before in ("+", "-", "*", "/", "%") or follows in ("*", "/", "%"):
        return 0, 0
    number = int(after[1][1].text)
    return (number if after[0][1].text == "+" else -number), after[1][0] - at
