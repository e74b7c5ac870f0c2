"""`dyno queue`: the plans that wait for their turn on a target."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from app.protocol.answers import CONTINUE, HOLD, MOVE, REMOVE, QueueChange

from .parser import add_directory, add_json, add_noun, add_target, add_verb, add_wide, whole_number
from .screen import ask_secret, print_json, print_table, say_wrapped

if TYPE_CHECKING:
    from app.protocol.answers import Queue


def add_words(words: Any) -> None:
    verbs = add_noun(words, "queue", "plans that wait on a target (add one with dyno run --queue)")
    listing = add_verb(verbs, list_queue, "list the plans in order, with their start times", add_json)
    move = add_verb(verbs, move_plan, "move a plan to another place in the queue")
    hold = add_verb(verbs, hold_queue, "hold a plan or the whole queue; the plan that runs continues")
    go_on = add_verb(verbs, resume_queue, "release a held plan, or the whole queue")
    remove = add_verb(verbs, remove_plan, "remove a plan from the queue")
    for parser, count in ((move, None), (hold, "?"), (go_on, "?"), (remove, None)):
        parser.add_argument(
            "plan", nargs=count, help="plan: its id, the last 6 characters of that, or its name"
        )
    move.add_argument("place", type=whole_number(1, 100), help="place in the queue; 1 starts next")
    for parser in (listing, move, hold, go_on, remove):
        add_target(parser)
        add_directory(parser)
    for parser in (move, hold, go_on, remove):
        add_wide(parser)


def list_queue(arguments: argparse.Namespace) -> None:
    from app.protocol.answers import to_json

    found = fetch_target_queue(arguments)
    if arguments.json:
        print_json(to_json(found))
    else:
        show_queue(arguments.target, found)


def move_plan(arguments: argparse.Namespace) -> None:
    _change(arguments, MOVE, arguments.place)


def hold_queue(arguments: argparse.Namespace) -> None:
    _change(arguments, HOLD)


def resume_queue(arguments: argparse.Namespace) -> None:
    _change(arguments, CONTINUE)


def remove_plan(arguments: argparse.Namespace) -> None:
    from app.core.settings import home
    from app.following.left import LeftPlans

    LeftPlans(home()).forget(_change(arguments, REMOVE))


def show_queue(target: str, queue: Queue) -> None:
    """Print the current plan and the queue."""
    from app.targets.queue import HEADERS, row_of, state_text

    say_wrapped(f"{target}: {state_text(queue)}")
    if queue.plans:
        print_table(HEADERS, [row_of(queue, at) for at in range(len(queue.plans))], right=(0, 3))


def _change(arguments: argparse.Namespace, do: str, place: int = 1) -> str:
    """Change one plan, or the whole queue if none is named; then print the queue. The answer is the plan."""
    from app.targets.queue import plan_in

    plan = plan_in(fetch_target_queue(arguments), arguments.plan).plan if arguments.plan is not None else ""
    show_queue(arguments.target, fetch_target_queue(arguments, QueueChange(do, plan, place)))
    return plan


def fetch_target_queue(arguments: argparse.Namespace, change: QueueChange | None = None) -> Queue:
    from app.targets.queue import queue_of
    from app.targets.store import Targets

    return queue_of(Targets().get(arguments.target), ask_secret, change, arguments.directory)
