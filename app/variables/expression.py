"""The shares a preset may hold in place of bytes: `{ram*0.7}`, whole numbers when rendered."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping
from typing import Any

MAX_CHARS = 200
MAX_VALUE = 2**63 - 1
# braces that hold an equals sign are RocksDB's: block_based_table_factory={block_size=16384;...}
PLACEHOLDER = re.compile(r"\{([^{}=]+)\}")

_OPERATORS: dict[type, Callable[[Any, Any], Any]] = {
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Add: operator.add,
    ast.Sub: operator.sub,
}
_FUNCTIONS: dict[str, Callable[..., Any]] = {"min": min, "max": max}


def fill_in(value: str, names: Mapping[str, int]) -> str:
    """The value with every `{...}` replaced; raises ValueError that says what is wrong in it."""
    return PLACEHOLDER.sub(lambda found: str(evaluate(found[1], names)), value)


def evaluate(text: str, names: Mapping[str, int]) -> int:
    """One expression, cut to a whole number."""
    if len(text) > MAX_CHARS:
        raise ValueError(f"{{{text[:20]}...}} is longer than {MAX_CHARS} characters")
    try:
        result = _value(ast.parse(text.strip(), mode="eval").body, names)
    except (SyntaxError, RecursionError, MemoryError):
        raise ValueError(f"{{{text}}} is not an expression such as {{ram*0.7}}") from None
    except ZeroDivisionError:
        raise ValueError(f"{{{text}}} divides by zero") from None
    except OverflowError:
        raise ValueError(f"{{{text}}} is too large") from None
    if not 0 <= result <= MAX_VALUE:
        raise ValueError(f"{{{text}}} is {result:.3g}: must be between 0 and 2^63")
    return int(result)


def _value(node: ast.expr, names: Mapping[str, int]) -> Any:
    match node:
        case ast.Constant(value=bool()):
            pass
        case ast.Constant(value=int() | float() as number):
            return number
        case ast.Name(id=name) if name in names:
            return names[name]
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            return _OPERATORS[type(op)](_value(left, names), _value(right, names))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand, names)
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in _FUNCTIONS and args:
            return _call(name, [_value(each, names) for each in args])
    raise ValueError(f"{ast.unparse(node)!r} is not allowed: use ram, cores, numbers, * / + - min max")


def _call(name: str, values: list[Any]) -> Any:
    return _FUNCTIONS[name](values)
