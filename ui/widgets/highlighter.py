"""Colours in a text that is looked at or written: a my.cnf, custom SQL, the lines in which two differ."""

from __future__ import annotations

import re
from collections.abc import Sequence

from PySide6.QtGui import QFont, QSyntaxHighlighter, QTextCharFormat, QTextDocument

from ui.core.theme import Theme

# what, in which colour of the theme, whether bold; a later one paints over an earlier one
Rules = Sequence[tuple[str, str, bool]]
MY_CNF: Rules = (
    (r"^\s*[A-Za-z][\w.-]*", "accent", False),
    (r"^\s*loose[_-]", "muted", False),
    (r"\{[^{}=]+\}", "warn", True),
    (r"^\s*\[[^\]]*\]", "good", True),
    (r"^\s*[#;].*$", "muted", False),
    (r"^#\s*(title|purpose|durability|source):", "muted", True),
)
CUSTOM_SQL: Rules = (
    (r"^\s*(option|declare|tables|fill|begin(\s+weight)?|end)\b", "good", True),
    (r":[A-Za-z_]\w*", "accent", False),
    (r"'[^']*'", "warn", False),
    (r"(#|--\s).*$", "muted", False),
)
DIFFERENCE: Rules = (
    (r"^@@.*$", "muted", False),
    (r"^-.*$", "bad", False),
    (r"^\+.*$", "good", False),
    (r"^(---|\+\+\+) .*$", "muted", True),
)


class Highlighter(QSyntaxHighlighter):
    """Colours a document line by line, again after a change of theme."""

    def __init__(self, theme: Theme, document: QTextDocument, rules: Rules) -> None:
        super().__init__(document)
        self._theme = theme
        self._rules = _compiled(rules)
        theme.changed.connect(self.rehighlight)

    def paint_by(self, rules: Rules) -> None:
        self._rules = _compiled(rules)
        self.rehighlight()

    def highlightBlock(self, text: str) -> None:
        for pattern, colour, is_bold in self._rules:
            form = QTextCharFormat()
            form.setForeground(self._theme.colour(colour))
            if is_bold:
                form.setFontWeight(QFont.Weight.Bold)
            for found in pattern.finditer(text):
                self.setFormat(found.start(), found.end() - found.start(), form)


def _compiled(rules: Rules) -> list[tuple[re.Pattern[str], str, bool]]:
    return [(re.compile(pattern), colour, is_bold) for pattern, colour, is_bold in rules]
