"""The words of a line that is being typed in bash, and a text as bash reads it; nothing is ever expanded."""

from __future__ import annotations

import re
from typing import NamedTuple

_PLAIN = frozenset("_./:=@%+,-")
_IN_DOUBLE = re.compile(r'(["\\$`])')
_PIECE = re.compile(
    r"(?P<blank>[ \t\n]+)"
    r"|\\(?P<escaped>(?s:.)|$)"
    r"|'(?P<single>[^']*)(?P<single_end>'|$)"
    r'|"(?P<double>(?:[^"\\]|\\(?s:.))*)(?P<double_end>"|\\?$)'
    r"|\$'(?P<ansi>(?:[^'\\]|\\(?s:.))*)(?P<ansi_end>'|\\?$)"
    r"|(?P<plain>(?s:.))"
)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "e": "\x1b", "f": "\f", "v": "\v"}


class ShellWord(NamedTuple):
    text: str  # what the command gets
    quote: str = ""  # one that is still open at its end
    plain: tuple[int, ...] = ()  # where in the text its characters are not quoted
    opened: int = 0  # where in the text the open quote began

    def begin_after(self, breaks: str) -> str:
        """The part that bash takes for a word before this one: up to an open quote, `=` or `:`."""
        if self.quote:
            return self.text[: self.opened]
        ends = [at for at in self.plain if self.text[at] in breaks]
        return self.text[: ends[-1] + 1] if ends else ""


def words_of(line: str) -> list[ShellWord]:
    """The last one is at the end of the line: empty after a blank."""
    words: list[ShellWord] = []
    plain: list[int] = []
    text, quote, opened, is_word = "", "", 0, False
    for found in _PIECE.finditer(line):
        kind = found.lastgroup or ""
        if kind == "blank":
            if is_word:
                words.append(ShellWord(text, "", tuple(plain)))
            text, plain, is_word = "", [], False
            continue
        is_word = True
        if kind == "plain":
            plain.append(len(text))
            text += found["plain"]
        elif kind == "escaped":
            text += found["escaped"].replace("\n", "")
        else:
            name = kind.removesuffix("_end")
            opened, quote = len(text), "" if found[f"{name}_end"] in ("'", '"') else _QUOTES[name]
            text += _unquoted(name, found[name])
    return [*words, ShellWord(text, quote if is_word else "", tuple(plain), opened)]


_QUOTES = {"single": "'", "double": '"', "ansi": "$'"}


def _unquoted(name: str, text: str) -> str:
    if name == "single":
        return text
    if name == "double":
        return re.sub(r'\\(["\\$`\n])', lambda found: found[1].strip("\n"), text)
    return re.sub(r"\\([0-7]{1,3}|.)", _escaped, text, flags=re.DOTALL)


def _escaped(found: re.Match[str]) -> str:
    code = found[1]
    return chr(int(code, 8)) if code[0] in "01234567" else _ESCAPES.get(code, code)


def quoted(text: str, quote: str = "") -> str:
    """As it is written in bash, after this quote where one is open (bash adds its end)."""
    if quote == "'":
        return text.replace("'", "'\\''")
    if quote == '"':
        return _IN_DOUBLE.sub(r"\\\1", text).replace("!", '"\\!"')
    if quote or any(ord(each) < 32 or ord(each) == 127 for each in text):
        inner = "".join(_ansi(each) for each in text)
        return inner if quote else f"$'{inner}'"
    return "".join(each if each.isalnum() or each in _PLAIN or each > "~" else f"\\{each}" for each in text)


def _ansi(each: str) -> str:
    if each in "'\\":
        return f"\\{each}"
    return f"\\{ord(each):03o}" if ord(each) < 32 or ord(each) == 127 else each
