"""What a session_planned event says: the plan, the session, all its steps, its colour."""

from __future__ import annotations

import json
import zlib
from sqlite3 import Connection

from app.history.store.damage import unpack_json
from app.protocol.events import SessionPlanned
from app.protocol.plan import Plan, PlannedSession, coordinates_json

COLOURS = 8  # of the palette


def keep_planned(connection: Connection, session: str, event: SessionPlanned) -> int:
    """Store the plan of a session; returns its number."""
    plan = Plan.from_json(event.plan)
    if event.session != session:
        raise ValueError(f"the journal belongs to session {event.session}")
    turn = next((turn for turn in plan.turns if turn.session == session), None)
    if turn is None:
        raise ValueError("its plan does not contain the session")
    _keep_plan(connection, plan, event)
    number = _keep_session(connection, plan, turn, event)
    _keep_steps(connection, plan, number)
    _give_colour(connection, plan, plan.contender_of(turn).key)
    return number


def _keep_plan(connection: Connection, plan: Plan, event: SessionPlanned) -> None:
    row = connection.execute("SELECT hash, content FROM plan WHERE id = ?", (plan.id,)).fetchone()
    if row is None:
        content = zlib.compress(json.dumps(event.plan, separators=(",", ":")).encode())
        connection.execute(
            "INSERT INTO plan (id, hash, content) VALUES (?, ?, ?)", (plan.id, plan.hash, content)
        )
        return
    hash_, stored = row
    if hash_ != plan.hash or unpack_json(stored)["turns"] != event.plan["turns"]:
        raise ValueError(f"the history has plan {plan.id} with different content")


def _keep_session(connection: Connection, plan: Plan, turn: PlannedSession, event: SessionPlanned) -> int:
    contender = plan.contender_of(turn)
    columns = {
        "id": turn.session,
        "plan": plan.id,
        "name": turn.name,
        "ordinal": turn.ordinal,
        "repeat": turn.repeat,
        "state": "waiting",
        "target": plan.target,
        "contender": contender.name,
        "build": contender.build,
        "family": contender.family,
        "version": contender.version,
        "engine": contender.engine,
        "preset": contender.preset,
        "table_options": contender.table_options,
        "cores": contender.cores,
        "sequence": plan.sequence,
        "contender_key": contender.key,
        "work_key": plan.work_key,
        "machine_key": plan.machine_key,
        "protocol": event.protocol,
        "planned_at": event.at,
    }
    cursor = connection.execute(
        f"INSERT INTO session ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})",  # noqa: S608
        tuple(columns.values()),
    )
    return int(cursor.lastrowid or 0)


def _keep_steps(connection: Connection, plan: Plan, session: int) -> None:
    connection.executemany(
        "INSERT INTO step (session, position, name, kind, workload, grouping, coordinates, unit,"
        " latency_per, warm, state) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'waiting')",
        [
            (session, position, step.name, step.kind, step.workload, step.group,
             coordinates_json(step.coordinates), step.unit, step.latency_per, step.warm)
            for position, step in enumerate(plan.steps)
        ],
    )  # fmt: skip


def _give_colour(connection: Connection, plan: Plan, contender_key: str) -> None:
    """Give a new contender the next colour that its plan does not have; it stays until it is changed."""
    known = dict(connection.execute("SELECT contender_key, colour FROM colour").fetchall())
    if contender_key not in known:
        taken = {known.get(each.key) for each in plan.contenders}
        next_ones = [(len(known) + at) % COLOURS for at in range(COLOURS)]
        colour = next((each for each in next_ones if each not in taken), next_ones[0])
        connection.execute("INSERT OR IGNORE INTO colour VALUES (?, ?)", (contender_key, colour))
