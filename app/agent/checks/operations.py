"""Checks before a plan with operations: whether a build has what they need."""

from __future__ import annotations

from typing import Iterator, List, Tuple

from app.agent.server.backup_tools import find_backup_tool
from app.agent.server.mysql import Client, QueryError
from app.agent.server.options import BuildWithOptions
from app.agent.system.errors import AgentError
from app.protocol.ddl import read_ddl
from app.protocol.plan import Contender, Plan
from app.protocol.sysbench import without_column_family

Problem = Tuple[str, str]  # what is wrong, what to do about it

# how servers say that they do not have an algorithm, or not for that
_NO_ALGORITHM = ("1064 ", "1800 ", "1845 ", "1846 ")
_TRIED = "`dyno`.`tried`"
_CREATE = (
    "CREATE TABLE {} (id INT NOT NULL AUTO_INCREMENT, k INT NOT NULL DEFAULT 0, c CHAR(120) NOT NULL"
    " DEFAULT '', pad CHAR(60) NOT NULL DEFAULT '', PRIMARY KEY (id)) ENGINE={} DEFAULT CHARSET=latin1 {}"
)


def backup_problems(plan: Plan, contender: Contender, build: BuildWithOptions) -> Iterator[Problem]:
    """Commands that the build does not have, or that do not start."""
    todo = "install the command, choose another tool in the sequence, or leave the contender out"
    for asked in dict.fromkeys(step.tool for step in plan.steps if step.kind == "backup"):
        try:
            problem = find_backup_tool(contender, build.options, asked).problem(build.environment)
        except AgentError as error:
            problem = str(error)
        if problem:
            yield "{} cannot back up: {}".format(contender.build, problem), todo


def ddl_problems(plan: Plan, contender: Contender, client: Client) -> List[Problem]:
    """Algorithms that the server refuses, tried on an empty table like those of the classic loads."""
    asked = dict.fromkeys((step.statement, step.algorithm) for step in plan.steps if step.algorithm)
    try:
        tries = [(algorithm, read_ddl(statement, algorithm).on(_TRIED)) for statement, algorithm in asked]
    except ValueError as error:
        return [("a statement of the plan {}".format(error), "correct the sequence")]
    if not tries:
        return []
    options, _ = without_column_family(contender.table_options)
    found = []
    for algorithm, statement in tries:
        try:
            client.run("DROP TABLE IF EXISTS " + _TRIED, _CREATE.format(_TRIED, contender.engine, options))
            client.run(statement)
        except QueryError as error:
            if error.said.startswith(_NO_ALGORITHM):  # else it may suit the tables that the plan loads
                text = "{} refuses {}: {}".format(contender.name, algorithm, " ".join(error.said.split()))
                found.append((text, "choose another algorithm in the sequence, or leave the contender out"))
    client.try_run("DROP TABLE IF EXISTS " + _TRIED)
    return found
