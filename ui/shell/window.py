"""The window: the four places, the menus, the status bar; it builds, connects and remembers, nothing else."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QSize, Qt, QTimer
from PySide6.QtGui import QAction, QActionGroup, QCloseEvent, QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import (
    QMainWindow,
    QMenu,
    QScrollArea,
    QSizePolicy,
    QStackedWidget,
    QToolBar,
    QVBoxLayout,
    QWidget,
)

from app.core.harmless import harmless
from ui.core.bus import ShowPageRequest
from ui.core.context import WindowContext
from ui.core.page import Page
from ui.core.plain import as_tip
from ui.core.shortcuts import SHORTCUTS
from ui.pages import PLACES, WindowPageEntry
from ui.widgets.actions import ListedAction, action, listed_actions, plain_name
from ui.widgets.layouts import open_disposable_dialog
from ui.widgets.message import Banner

from .actions import actions_of_pages
from .keyboard import FocusRestorer, MessageDismisser
from .menus import add_file_menu, add_help_menu, add_view_menu

FIRST_SIZE = QSize(1280, 800)
LEAST_SIZE = QSize(800, 480)  # of the pages
FRAME_SIZE = QSize(4, 40)  # the desktop's frame, unknown before the window is shown
MESSAGE_MS = 6000
LOOKING = ("live", "history")  # the pages that show what others have started
CALM_MS = 1000  # until the first page has what it shows
UNSEEN_MS = 2000  # a window that opens minimised is not painted, and follows its plans all the same


class Window(QMainWindow):
    def __init__(self, context: WindowContext) -> None:
        super().__init__()
        self.context = context
        self.pages: dict[str, Page] = {}
        self._actions: dict[str, QActionGroup] = {}
        self._menus: dict[str, QMenu] = {}
        self._has_begun = False
        self._may_close = False
        self.setWindowTitle("Dyno")
        self._places = self._make_places()
        self._stack = QStackedWidget()
        body = _holding(self._stack)
        self.setCentralWidget(body)
        self.message = Banner(body)
        self._dismissing = MessageDismisser(self)
        self._dismissing.watch(self.message)
        FocusRestorer(self, self._stack.currentWidget)
        add_file_menu(self, context)
        self._before = add_view_menu(self, context, list(self._places.values()), self._dismissing.actions)
        add_help_menu(self, context, self.all_actions, self._find_action)
        context.bus.wanted.connect(self._on_wanted)
        context.bus.said.connect(self._on_said)
        if not context.memory.restore_window(self):
            room = self.screen().availableSize() - FRAME_SIZE
            self.resize(FIRST_SIZE.boundedTo(room))

    def page(self, name: str) -> Page:
        """A page, created on first use."""
        if name not in self.pages:
            place = next(place for place in PLACES if place.name == name)
            page = self.pages[name] = place.make(self.context, self._stack)
            self._stack.addWidget(page)
            self._dismissing.watch(page)
            self._add_menu(place, page)
        return self.pages[name]

    def show_first(self, name: str) -> bool:
        """Show the first page; False if a page was requested already."""
        if self.pages:
            return False
        self.show_page(name)
        return True

    def menus(self) -> dict[str, list[QAction]]:
        """The actions of the window and of the pages created so far, by the names of their menus."""
        found = {menu.title(): menu.actions() for menu in self.menuBar().findChildren(QMenu)}
        found.update({menu.title(): menu.actions() for menu in self._menus.values()})
        return {
            plain_name(title): [each for each in actions if not each.isSeparator()]
            for title, actions in found.items()
            if title  # not that of what does not fit into the bar
        }

    def all_actions(self) -> list[ListedAction]:
        """The actions of all menus: those of a page that is not created yet are in a table."""
        known, table = self.menus(), actions_of_pages()
        return [
            each
            for menu in ("File", *(plain_name(place.menu) for place in PLACES), "View", "Help")
            for each in (listed_actions(menu, known[menu]) if menu in known else table[menu])
        ]

    def show_page(self, name: str) -> None:
        page = self.page(name)
        self._places[name].setChecked(True)
        for each, menu in self._menus.items():
            menu.menuAction().setVisible(each == name)
            self._actions[each].setEnabled(each == name)
        for other in self.pages.values():  # a hidden page demands no room
            policy = QSizePolicy.Policy.Preferred if other is page else QSizePolicy.Policy.Ignored
            other.setSizePolicy(policy, policy)
        self._stack.setCurrentWidget(page)
        if not page.isAncestorOf(self.focusWidget() or self):
            page.take_focus()
        if name in LOOKING:
            self.context.looking.look()
        self.setWindowTitle(harmless(f"{page.title} — Dyno" if page.title else "Dyno"))

    def _find_action(self) -> None:
        """Open the list of all actions."""
        from ui.dialogs.palette import CommandPalette

        palette = CommandPalette(self.all_actions(), self)
        palette.chosen.connect(self._carry_out)
        open_disposable_dialog(palette)

    def _carry_out(self, chosen: ListedAction) -> None:
        """Carry out an action, on the page that it is of."""
        for place in PLACES:
            if plain_name(place.menu) == chosen.menu:
                self.show_page(place.name)
        action = self.menus()[chosen.menu][chosen.at]
        if action.isEnabled():
            action.trigger()
        else:
            self._on_said(f"{chosen.name} is not possible now: {chosen.tip}")

    def event(self, event: QEvent) -> bool:
        handled = super().event(event)
        if event.type() == QEvent.Type.Paint and not self._has_begun:
            QTimer.singleShot(0, self._begin)
        elif event.type() == QEvent.Type.Show:
            QTimer.singleShot(UNSEEN_MS, self._begin)
        elif event.type() == QEvent.Type.WindowActivate and self._has_begun:
            self.context.looking.look()
        return handled

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not self._dismissing.take(event):
            super().keyPressEvent(event)

    def closeEvent(self, event: QCloseEvent) -> None:
        if self.context.plans.active() and not self._may_close:
            from ui.dialogs.closing import ClosingDialog

            event.ignore()
            dialog = ClosingDialog(self.context.plans, self)
            dialog.accepted.connect(self._on_closing_agreed)
            dialog.finished.connect(dialog.deleteLater)  # after Stay it would agree when the plans end
            dialog.open()
            return
        self.context.memory.keep_window(self)
        super().closeEvent(event)

    # building

    def _make_places(self) -> dict[str, QAction]:
        bar = QToolBar("Places")
        bar.setObjectName("places")
        bar.setMovable(False)
        bar.toggleViewAction().setEnabled(False)
        group = QActionGroup(self)
        made = {}
        for place in PLACES:
            each = QAction(place.title, self)
            each.setCheckable(True)
            each.setShortcut(QKeySequence(SHORTCUTS[place.title]))
            each.setToolTip(as_tip(f"{place.tip} ({SHORTCUTS[place.title]})"))
            each.setStatusTip(place.tip)
            each.triggered.connect(lambda _=False, name=place.name: self.show_page(name))
            group.addAction(each)
            bar.addAction(each)
            made[place.name] = each
        self.addToolBar(bar)
        return made

    def _add_menu(self, place: WindowPageEntry, page: Page) -> None:
        menu = QMenu(place.menu, self)
        menu.setToolTipsVisible(True)
        group = QActionGroup(self)
        group.setExclusionPolicy(QActionGroup.ExclusionPolicy.None_)
        for each in (*page.page_actions(), *self._looking_actions(place, page)):
            if each is None:
                menu.addSeparator()
            else:
                menu.addAction(each)
                if each.actionGroup() is None:
                    group.addAction(each)
        self.menuBar().insertMenu(self._before, menu)
        menu.menuAction().setVisible(False)
        group.setEnabled(False)  # until the page is shown
        self._menus[place.name], self._actions[place.name] = menu, group

    def _looking_actions(self, place: WindowPageEntry, page: Page) -> Sequence[QAction | None]:
        if place.name not in LOOKING:
            return ()
        tip = "Look for new sessions in the history and for plans on the targets"
        return None, action(page, "Loo&k again", "look again", tip, self.context.looking.look_again)

    # what happens

    def _begin(self) -> None:
        """Start expensive work after the window is painted."""
        if self._has_begun:
            return
        self._has_begun = True
        from .notices import Notices, SavedFileMessages
        from .opening import WindowStartup

        self.context.looking.look()
        WindowStartup(self.context, self, self.show_first, self.show_page).begin()
        Notices(self.context, self, self.message).begin()
        SavedFileMessages(self.context, self, self.message)
        QTimer.singleShot(CALM_MS, self._on_calm)

    def _on_calm(self) -> None:
        from .ahead import ImportAhead
        from .notices import TeamStatusLabel
        from .recounting import Recounting

        TeamStatusLabel(self.context.team, self)
        self.context.team.begin()
        ImportAhead(self.context, self).begin()
        Recounting(self.context, self, self.message).begin()

    def _on_said(self, text: str) -> None:
        self.statusBar().showMessage(harmless(text), MESSAGE_MS)

    def _on_wanted(self, wanted: ShowPageRequest) -> None:
        if wanted.is_of_start and not self.page("bench").isVisible():
            self._on_said("The plan has started: Live shows it")  # who reads something stays there
            return
        self.show_page(wanted.page)
        self.page(wanted.page).open(wanted)

    def _on_closing_agreed(self) -> None:
        self._may_close = True
        self.close()


class _PageFrame(QWidget):
    """As low as its pages can be: of what wraps its lines a scroll area takes the preferred height."""

    def __init__(self, stack: QStackedWidget) -> None:
        super().__init__()
        self._stack = stack
        stack.setParent(self)

    def minimumSizeHint(self) -> QSize:
        return self._stack.minimumSizeHint()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._stack.setGeometry(self.rect())
        super().resizeEvent(event)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return super().event(event)


def _holding(stack: QStackedWidget) -> QWidget:
    """A frame for the pages, which scroll where they need more room, as with large text.

    The stack raises its page over everything in it.
    """
    body, area = QWidget(), QScrollArea()
    area.setWidgetResizable(True)
    area.setFrameShape(QScrollArea.Shape.NoFrame)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setWidget(_PageFrame(stack))
    area.setMinimumSize(LEAST_SIZE)
    layout = QVBoxLayout(body)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.addWidget(area)
    return body
