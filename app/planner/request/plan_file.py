"""A plan file: the request that it has, and the file of a request."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from app.catalog.amounts import as_tuple, expand_ranges
from app.core.errors import InputError
from app.core.toml_text import TABLE, Document, ValueRule, read_document, read_text
from app.engines import engine_of
from app.protocol.plan import load_method_of

from .contender import OF_CONTENDER, ContenderRequest
from .options import LISTS, PlanRequestOption
from .request import OPTIONS, PlanRequest

_QUANTITIES = ("count", "time", "percent", "repeats")  # of which a plan file may have the text


def plan_request_of_file(path: Path) -> PlanRequest:
    return plan_request_of_text(read_text(path), str(path))


def plan_request_of_text(text: str, label: str = "plan") -> PlanRequest:
    """Read a plan file; raises InputError with line and key of an error."""
    document = read_document(text, label)
    if "load_method" in document.data:
        document.data["load_method"] = load_method_of(document.data["load_method"])
    expand_ranges(document, document.data)
    _read_quantities(document)
    document.check(document.data, {**_rules(OPTIONS), "contender": ValueRule((list,), items=TABLE)})
    return PlanRequest(**_values(document))


def plan_file_text(request: PlanRequest) -> str:
    """The request as a plan file; open values stay open."""
    import tomli_w

    texts = [f"[[contender]]\n{tomli_w.dumps(_filled(each, OF_CONTENDER))}" for each in request.contenders]
    return "\n".join([tomli_w.dumps(_filled(request, OPTIONS)), *texts])


def _read_quantities(document: Document) -> None:
    """Replace texts such as "2min" of a plan file by what they mean."""
    for key, value in document.data.items():
        row = OPTIONS.get(key)
        if row and row.kind in _QUANTITIES and isinstance(value, str):
            try:
                document.data[key] = row.read(value)
            except InputError as error:
                raise document.error((key,), str(error)) from None


def _rules(rows: Mapping[str, PlanRequestOption]) -> dict[str, ValueRule]:
    """Those of a plan file's keys."""
    return {name: row.rule for name, row in rows.items() if row.rule}


def _filled(request: Any, rows: Mapping[str, PlanRequestOption]) -> dict[str, Any]:
    """What a plan file has of it."""
    values = {name: getattr(request, name) for name in _rules(rows)}
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in values.items()
        if value not in (None, "", ())
    }


def _values(document: Document) -> dict[str, Any]:
    given = document.data.items()
    values = {key: _value(document, OPTIONS[key], value) for key, value in given if key in OPTIONS}
    tables = document.data.get("contender", [])
    return {
        **values,
        "contenders": tuple(_contender(document, at, table) for at, table in enumerate(tables)),
    }


def _value(document: Document, row: PlanRequestOption, value: Any) -> Any:
    if problem := row.problem(value):
        raise document.error((row.name,), problem)
    return as_tuple(value) if row.kind in LISTS else value


def _contender(document: Document, at: int, table: Mapping[str, Any]) -> ContenderRequest:
    where = ("contender", at)
    document.check(table, _rules(OF_CONTENDER), where)
    usual = {"preset": ""} if table.get("server") else {}
    engine = table.get("engine", "")
    contender = ContenderRequest(**{**usual, **table, "engine": engine and engine_of(engine).name})
    key, why = contender.problem()
    if key:
        raise document.error((*where, key), why)
    return contender
