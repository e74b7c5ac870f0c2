"""Plans that may go on where nobody gets to: told once, with something to be done."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtWidgets import QPushButton

from app.core.errors import DynoError, LinkError
from app.remote.secrets import SecretNeededError
from app.remote.target import Target
from app.targets.store import Targets
from tests.journals import Maker, plan
from tests.ui.find import find
from tests.ui.watched import keep
from ui.core.context import WindowContext
from ui.shell.notices import Notices
from ui.shell.window import Window

FAR = Target("far", host="far.invalid", directories=["/data/dyno"])


@pytest.fixture
def far(context: WindowContext) -> Target:
    """A target that nobody reaches."""
    Targets(context.home).add(FAR)
    return FAR


def waiting(context: WindowContext) -> None:
    """A session that had not ended when it was heard of last."""
    maker = Maker(plan(target="far"))
    maker.begin()
    keep(context, [maker])


def test_it_is_told_once_of_a_target_where_something_went_on(
    context: WindowContext, far: Target, qtbot: Any
) -> None:
    waiting(context)
    told: list[tuple[str, type[DynoError]]] = []
    context.plans.unreached.connect(lambda target, error: told.append((target.name, type(error))))
    with qtbot.waitSignal(context.plans.unreached, timeout=30_000):
        context.plans.adopt_from(far)
    with qtbot.assertNotEmitted(context.plans.unreached):
        failed_again(context, far, qtbot)
    assert told == [("far", LinkError)]


def test_a_target_that_is_switched_off_is_no_news(context: WindowContext, far: Target, qtbot: Any) -> None:
    with qtbot.assertNotEmitted(context.plans.unreached):
        failed_again(context, far, qtbot)


def failed_again(context: WindowContext, far: Target, qtbot: Any) -> None:
    """Until the target was not reached, and what follows from that was read."""
    context.plans._unreached.clear()
    context.plans.adopt_from(far)
    qtbot.waitUntil(lambda: "far" in context.plans._unreached, timeout=30_000)
    read: list[None] = []
    context.tasks.read(context.plans, lambda _: None, read.append, lambda error: pytest.fail(str(error)))
    qtbot.waitUntil(lambda: bool(read))


def test_who_can_do_something_is_told_what(
    context: WindowContext, far: Target, qtbot: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = Window(context)
    qtbot.addWidget(window)
    Notices(context, window, window.message).begin()
    logged_in: list[Target] = []
    monkeypatch.setattr(context.plans, "log_in", logged_in.append)
    context.plans.unreached.emit(far, SecretNeededError("far", "passphrase of /id"))
    text = "Cannot follow the plan on far: far needs the passphrase of /id"
    assert window.message.text == text
    find(window.message, QPushButton, "Connect").click()
    assert logged_in == [far]
