"""The Lua that Dyno makes from custom SQL: calls of `dyno-sql.lua` with numbers and quoted texts."""

from __future__ import annotations

from .custom_sql import FILL_COMMIT, ParsedCustomSql
from .sql_text import SqlTemplate
from .sql_variables import SqlDeclaredNumber, SqlDrawnVariable

_HEAD = """\
-- Made by Dyno from {source}; what is to be changed is changed there.

{required}local sql = require("dyno-sql")
"""


def made_lua(found: ParsedCustomSql, kind: str, source: str) -> str:
    """The Lua of a workload: its tables and what fills them, or its driven statements."""
    is_load = kind == "load"
    statements = found.statements(kind)
    taken = {name for each in statements for name in (*each.into, *(bind.name for bind in each.binds))}
    rising = {each.newest_of for each in found.variables if each.name in taken} - {""}
    taken |= rising
    kept = {each.name for each in found.variables if not each.numbers}
    calls = [
        [_variable(each, rising) for each in _in_order(found, rising) if each.name in taken],
        [f"sql.table({lua_quoted(each.table)}, {lua_quoted(each.text)})" for each in found.tables if is_load],
        [_statement(each, kept, rising) for each in statements],
        [f"sql.fill({FILL_COMMIT})"] if is_load else _driving(found),
    ]
    paragraphs = ["\n".join(each) + "\n" for each in calls if each]
    needed = [name for name, is_needed in _needs(found, taken, is_load).items() if is_needed]
    required = "".join(f'local {name} = require("dyno-{name}")\n' for name in needed)
    return "\n".join([_HEAD.format(source=_named(source), required=required), *paragraphs])


def _needs(found: ParsedCustomSql, taken: set[str], is_load: bool) -> dict[str, bool]:
    """The Lua besides dyno-sql, and whether it is needed: files without it keep the key of their work."""
    return {
        "keys": any(each.law for each in found.variables if each.name in taken),
        "kept": not is_load and _keeps(found),
        "weights": not is_load and len(found.blocks) > 1,
        "rollback": not is_load and "rollback" in found.options,
    }


def lua_quoted(text: str) -> str:
    """A text as a Lua string in one line; what could end the string is written as its number."""
    return '"' + "".join(each if _is_plain(each) else _escaped(each) for each in text) + '"'


def _is_plain(character: str) -> bool:
    return " " <= character <= "~" and character not in '"\\'


def _escaped(character: str) -> str:
    return "".join(f"\\{byte:03d}" for byte in character.encode())


def _named(source: str) -> str:
    """A file name for a comment: it cannot end the line."""
    return "".join(each for each in source if _is_plain(each))


def _in_order(found: ParsedCustomSql, rising: set[str]) -> list[SqlDrawnVariable]:
    """Numbers that others are drawn from come first."""
    return sorted(found.variables, key=lambda each: each.name not in rising)


def _variable(variable: SqlDrawnVariable, rising: set[str]) -> str:
    words = [lua_quoted(variable.name), lua_quoted(variable.kind), *map(_number, variable.numbers)]
    if variable.name in rising:
        return f'sql.variable({words[0]}, "intlist", keys.rising({", ".join([words[0], *words[2:]])}))'
    if variable.newest_of:
        newest = ", ".join([lua_quoted(variable.newest_of), words[2], f"{variable.exponent:g}"])
        return f'sql.variable({words[0]}, "intlist", keys.newest({newest}))'
    if variable.law:
        law = ", ".join([*words[2:], f"{variable.exponent:g}"])
        return f'sql.variable({words[0]}, "intlist", keys.{variable.law}({law}))'
    if not variable.numbers:
        return f"kept.variable({', '.join(words)})"
    if variable.zlib is not None:
        words.append(f"{variable.zlib:g}")
    return f"sql.variable({', '.join(words)})"


def _number(number: SqlDeclaredNumber) -> str:
    value = f"{number.value:.15g}" if isinstance(number.value, float) else str(number.value)
    return f"sql.rows({value})" if number.of_rows else value


def _keeps(found: ParsedCustomSql) -> bool:
    return any(each.into for each in found.drive)


def _statement(statement: SqlTemplate, kept: set[str], rising: set[str]) -> str:
    drawn = [bind for bind in statement.binds if bind.name not in kept]
    taken = [f"{{{lua_quoted(bind.name)}, {bind.offset}}}" for bind in drawn]
    words = [lua_quoted(statement.verb), _text(statement, kept, rising)]
    if not taken:
        return f"sql.statement({', '.join(words)})"
    return f"sql.statement({', '.join(words)},\n   {', '.join(taken)})"


def _text(statement: SqlTemplate, kept: set[str], rising: set[str]) -> str:
    """The text of a statement, with what it keeps, and takes of what is kept."""
    takes = [
        f"{{{at}, {lua_quoted(bind.name)}, {bind.offset}}}"
        for at, bind in enumerate(statement.binds, 1)
        if bind.name in kept
    ]
    if statement.into:
        parts, names = (", ".join(map(lua_quoted, each)) for each in (statement.parts, statement.into))
        return f"kept.into({', '.join([f'{{{parts}}}', f'{{{names}}}', *takes])})"
    text = lua_quoted(statement.text)
    if statement.verb == "insert" and (
        name := next((b.name for b in statement.binds if b.name in rising), "")
    ):
        text = f"keys.inserting({text}, {lua_quoted(name)})"
    return f"kept.taking({', '.join([text, *takes])})" if takes else text


def _driving(found: ParsedCustomSql) -> list[str]:
    calls = [f"sql.drive({_loops_per_commit(found)})", *(["kept.drive()"] if _keeps(found) else [])]
    if len(found.blocks) > 1:
        blocks = zip(found.kinds, found.blocks, strict=True)
        calls += [f"weights.block({lua_quoted(name)}, {b.weight}, {len(b.statements)})" for name, b in blocks]
        calls.append("weights.drive()")
    if "rollback" in found.options:
        calls.append(f"rollback.by_chance({found.options['rollback']})")
    return calls


def _loops_per_commit(found: ParsedCustomSql) -> int:
    return found.options.get("commit", 1) if found.is_transaction else 0
