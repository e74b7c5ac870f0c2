"""What a person changes in the panels of the Bench page becomes a change of the draft, and nothing else."""

from __future__ import annotations

from .plan.contenders import ContendersPanel
from .plan.draft_controller import DraftController
from .plan.sequence import SequencePanel
from .run_panel import RunPanel


def connect_contenders(controller: DraftController, panel: ContendersPanel) -> None:
    def edit(at: int, key: str, text: str) -> None:
        controller.change(controller.draft.with_contender(at, **{key: text}))

    panel.ticked.connect(lambda *place: controller.change(controller.draft.tick(*place)))
    panel.edited.connect(edit)
    panel.copied.connect(lambda at: controller.change(controller.draft.copied(at)))
    panel.removed.connect(lambda rows: controller.change(controller.draft.without(rows)))


def connect_sequence(controller: DraftController, panel: SequencePanel) -> None:
    def tick(names: list[str]) -> None:
        sequence = controller.choices.sequence(controller.draft.request.sequence)
        if sequence is not None:
            controller.change(controller.draft.with_steps(names, sequence))

    def type_in(name: str, text: str) -> None:
        draft = controller.draft
        controller.change(draft.said(name=text.strip()) if name == "name" else draft.typed(name, text))

    panel.sequence_chosen.connect(lambda name: controller.change(controller.draft.with_sequence(name)))
    panel.steps_ticked.connect(tick)
    panel.steps_profiled.connect(lambda names: _set(controller, "profile", tuple(names)))
    panel.variant_wanted.connect(controller.save_variant)
    panel.fields.typed.connect(type_in)
    panel.fields.chosen.connect(lambda key, value: _set(controller, key, value))


def connect_run_panel(controller: DraftController, panel: RunPanel) -> None:
    plan, presets = panel.plan, panel.presets
    plan.save_wanted.connect(controller.save_plan)
    plan.open_wanted.connect(controller.open_plan)
    presets.copy_wanted.connect(controller.copy_preset)
    controller.preset_copied.connect(presets.edit_copy)
    presets.deletion_wanted.connect(controller.delete_preset)
    panel.approval.approved.connect(controller.approve)
    panel.run_bar.ticked.connect(lambda key, value: _set(controller, key, value))


def _set(controller: DraftController, key: str, value: object) -> None:
    controller.change(controller.draft.said(**{key: value}))
