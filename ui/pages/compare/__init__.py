"""Compare: sessions side by side, one of them the base.

`ui.pages` makes it, and `ui.shell.pictures` draws its panels as pictures.
Start with `page`, then `chosen` (which sessions, and how they are judged) and `body` (the table with its
charts). A `panel` is drawn when it is seen, and only if something has changed: each chart is one.
"""

from .page import ComparePage as ComparePage
