"""The form of a target: each mistake next to its field, tested before it is saved."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFileDialog, QPushButton, QWidget

from app.core.errors import InputError
from app.remote.hostkeys import HostKeyError
from app.remote.target import LOCAL, Target
from app.targets.builds import paths_without_builds
from app.targets.store import TargetFieldError, Targets, check_target_fields, problems_of
from app.targets.surveys import DatedSurvey
from ui.core.context import WindowContext
from ui.core.plain import PlainTextLabel, as_tip
from ui.core.theme import SPACE
from ui.widgets.form import CheckBoxField, Form, FormFieldSpec, NumberField, TextListField
from ui.widgets.layouts import in_column, in_row, open_disposable_dialog
from ui.widgets.message import MessageBar

from .survey_card import cpu_text
from .surveying import ConnectionProgress, TargetSurveyor, survey_stages
from .view import StagesView

REMOTE = "remote"  # fields that this computer has none of
FIELDS = (  # one for each attribute of Target
    FormFieldSpec(
        "name",
        "&Name",
        "Name of the target: a-z, 0-9, '.', '_' and '-'",
        empty="nuc-i3",
        needed="enter a name",
    ),
    FormFieldSpec(
        "host",
        "H&ost",
        "Host name, address, or a Host of ~/.ssh/config",
        empty="nuc.lan",
        needed="enter a host",
        group=REMOTE,
    ),
    FormFieldSpec(
        "user",
        "&User",
        "SSH user; empty: as ~/.ssh/config says, else your user name",
        empty="as ssh does",
        group=REMOTE,
    ),
    FormFieldSpec(
        "port",
        "Po&rt",
        "SSH port; empty: as ~/.ssh/config says, else 22",
        NumberField,
        empty="22",
        group=REMOTE,
    ),
    FormFieldSpec(
        "identity",
        "&Key file",
        "Private key; empty: the keys of ~/.ssh and of the SSH agent",
        empty="as ssh does",
        group=REMOTE,
        button="Choose…",
        button_help="Choose a private key file",
    ),
    FormFieldSpec(
        "jump",
        "&Jump host",
        "Hosts to connect through, separated by commas",
        empty="user@host:port",
        group=REMOTE,
    ),
    FormFieldSpec(
        "directories",
        "&Directories",
        "One per line, on the disks to measure; plans run in the first",
        TextListField,
        empty="/data/dyno",
        needed="name a directory on the disk to measure",
    ),
    FormFieldSpec(
        "search_paths",
        "Builds &in",
        "One per line: more directories to search for builds",
        TextListField,
        empty="/opt/*",
    ),
    FormFieldSpec(
        "python", "&Python", "Python on the target: a name like python3.12, or a path", empty="python3"
    ),
    FormFieldSpec(
        "remember",
        "Re&member secrets in the keyring",
        "The system stores passwords and passphrases; otherwise Dyno forgets them when it closes",
        CheckBoxField,
        is_wide=True,
        group=REMOTE,
    ),
)


class TargetEditor(QWidget):
    """Adds a target, or changes one."""

    saved = Signal(object, object)  # Target, Surveyed | None: of a test that it has passed as it is
    cancelled = Signal()

    def __init__(self, context: WindowContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._targets = Targets(context.home)
        self.taken: frozenset[str] = frozenset()  # names of other targets
        self._before: Target | None = None  # None: a new one
        self._is_saving = False
        self._tested: tuple[Target, DatedSurvey] | None = None
        self._surveying = TargetSurveyor(context, self)
        self._surveying.advanced.connect(self._on_advanced)
        self._surveying.surveyed.connect(self._on_surveyed)
        self._surveying.failed.connect(self._on_test_failed)
        self._surveying.refused.connect(self._on_key_refused)
        self.form = Form(FIELDS, gap=SPACE, parent=self, keeps_room=True)
        self.form.changed.connect(self._on_changed)
        self.form.button_clicked.connect(self._on_identity_wanted)
        self.message = MessageBar()
        self.stages = StagesView()
        self.title = PlainTextLabel(role="heading")
        self.save_button, self.test_button, self.cancel_button = (
            self._button("&Save", "Save the target", self.save),
            self._button("T&est", "Connect to the machine and survey it; save nothing", self.test),
            self._button("&Cancel", "Discard the changes", self.cancelled.emit),
        )
        buttons = in_row(self.save_button, self.test_button, 1, self.cancel_button)
        # what comes and goes is below: nothing that is clicked moves
        parts = (self.title, self.form, buttons, self.message, self.stages, 1)
        self.setLayout(in_column(*parts, margins=(0, 0, SPACE, 0)))

    def begin(self, target: Target | None) -> None:
        """Begin with a new target, or one to change."""
        self._before, self._tested = target, None
        self.title.setText("A new target" if target is None else f"Change {target.name}")
        self.message.clear()
        self.stages.hide()
        self._fill(target)

    def target(self) -> Target:
        """The target as typed."""
        return Target(**self.form.values())

    def save(self) -> None:
        """Save the target, if it is valid."""
        if self._is_saving or not self._is_complete():
            return
        target = self.target()
        self._set_saving(True)
        self._context.tasks.run(
            self, lambda: self._store(target), self._on_saved, self._on_save_failed, stores=True
        )

    def test(self) -> None:
        """Test the way to the target as typed."""
        if not self._is_complete():
            return
        self.message.clear()
        target = self.target()
        self.stages.begin(survey_stages(target))
        self._surveying.survey(target, is_asking=True)

    def _button(self, text: str, tip: str, clicked: object) -> QPushButton:
        button = QPushButton(text)
        button.setToolTip(as_tip(tip))
        button.clicked.connect(lambda: clicked())  # type: ignore[operator]
        return button

    def _fill(self, target: Target | None) -> None:
        """Fill in the known values; focus goes to the first field to type in."""
        is_local = target is not None and target.is_local
        name = self.form.line("name")
        name.setReadOnly(target is not None)
        name.setEnabled(target is None)
        self.form.show_group(REMOTE, not is_local)
        self.form.fill(asdict(target or Target("")))
        first = "name" if target is None else "directories" if is_local else "host"
        self.form.inputs[first].setFocus()

    # what is wrong

    def _is_complete(self) -> bool:
        problems = self._problems()
        self.form.judge_all()
        self.form.show_problems(problems)
        self.form.focus_first(problems)
        return not problems

    def _problems(self) -> dict[str, str]:
        target = self.target()
        found = problems_of(target)
        if "port" in found:
            found["port"] = f"port must be 1 to 65535, got {self.form.line('port').text()}"
        found |= {name: text for name, text in self.form.missing().items() if name in found}
        if self._before is None and "name" not in found and self._is_taken(target.name):
            found = {"name": "a target with this name exists already", **found}
            if target.name == LOCAL:
                found.pop("host", None)  # that this computer has none
        return found

    def _is_taken(self, name: str) -> bool:
        return name == LOCAL or name in self.taken

    def _on_changed(self) -> None:
        """Remove errors that are corrected; new ones appear when their field is left."""
        self.form.show_problems({k: v for k, v in self._problems().items() if k in self.form.judged()})

    # keeping it, on a thread of the pool

    def _store(self, target: Target) -> Target:
        _check_identity(target)
        if self._before is None:
            self._targets.add(target)
        else:
            self._targets.edit(**asdict(target))
        return check_target_fields(target)

    def _on_saved(self, target: Target) -> None:
        self._set_saving(False)
        self.saved.emit(target, self._tested[1] if self._tested and self._tested[0] == target else None)

    def _on_save_failed(self, error: Exception) -> None:
        self._set_saving(False)
        if isinstance(error, InputError) and error.field in self.form.fields:
            self.form.show_problems({error.field: str(error)})
            self.form.focus_first({error.field: ""})
        else:
            self.message.show_failure(error)

    def _set_saving(self, is_saving: bool) -> None:
        self._is_saving = is_saving
        self.save_button.setEnabled(not is_saving)

    # testing it

    def _on_advanced(self, advance: ConnectionProgress) -> None:
        self.stages.advance(advance.stage, advance.what)

    def _on_surveyed(self, target: Target, survey: DatedSurvey) -> None:
        self._tested = (target, survey)
        self.stages.finish()
        self.message.show_info(f"Reached: {cpu_text(survey.content.cpu)}")
        if empty := paths_without_builds(target.search_paths, survey.content.builds):
            self.form.show_problems({"search_paths": f"finds no build of its own: {', '.join(empty)}"})

    def _on_test_failed(self, _target: Target, error: Exception) -> None:
        self.stages.fail()
        if not isinstance(error, HostKeyError):
            self.message.show_failure(error)
        else:
            self.message.show_info("Look at the host key: nothing is sent to the host before you accept it")

    def _on_key_refused(self) -> None:
        self.message.show_warning("The host key was not accepted: nothing was sent to the host")

    def _on_identity_wanted(self, _field: str) -> None:
        dialog = QFileDialog(self, "A private key file", str(Path("~/.ssh").expanduser()))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(self.form.line("identity").setText)
        open_disposable_dialog(dialog)


def _check_identity(target: Target) -> None:
    if target.identity and not Path(target.identity).expanduser().is_file():
        raise TargetFieldError("identity", f"key file {target.identity} does not exist")
