"""History: find sessions again, look at them, send them on.

Only `ui.pages` makes it.
Start with `page`, then `table` (the list), `filter_bar` and `detail` (one session, in `tabs`). `reading`
reads for the details off the GUI thread; `commands` has what can be done, `editing` what a person
changes.
"""

from .page import HistoryPage

__all__ = ["HistoryPage"]
