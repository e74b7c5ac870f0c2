"""A plan option: one row for what it may be, how it is typed, and what command line and Bench say of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, Field, dataclass, field, fields, replace
from typing import Any, Literal

from app.core.toml_text import TEXT, ValueRule

# how its text is read, such as: 3 | 90 or 30min | 5% | a,b | 1..64 x2 | 4,2 or [0-3] | 3x memory
Kind = Literal["text", "count", "time", "percent", "words", "numbers", "core sets", "rows", "repeats", "flag"]
LISTS = ("words", "numbers", "core sets")
# of the help, in its order
GROUPS = WHAT, HOW_LONG, HOW_EXACT, WHERE, SERVER, OUTPUT, SELDOM = (
    *("What", "How long", "How exact", "Where", "The server", "Output", "Less often used"),
)
_TYPED: dict[Kind, str] = {  # what its value is called, where the row has no name for it
    "count": "N", "time": "TIME", "percent": "PERCENT", "words": "NAME,...", "numbers": "N,...",
    "core sets": "N,...", "rows": "N", "repeats": "N",
}  # fmt: skip


@dataclass(frozen=True)
class PlanRequestOption:
    """A field of a request; what is empty does not concern it."""

    rule: ValueRule | None  # of its value; None: no plan file has it
    kind: Kind
    flag: str  # of `dyno run`, without dashes
    group: str  # of its help
    help: str  # of the command line; empty: it has no such option, or one of its own
    metavar: str | None
    title: str  # on Bench; empty: it is no field there, or one of its own
    tip: str
    open: str  # what an empty field means, where its default is not said
    further: Callable[[Any], str] | None  # what is wrong with a value that the rule allows
    carried: bool  # the plan has it as it was asked for, and so has the next one of the same work
    compared: bool  # a plan with another value differs in the *plan*
    name: str = ""
    default: Any = None

    @property
    def argument(self) -> str:
        """Its name among the arguments of the command line."""
        return self.flag.replace("-", "_")

    @property
    def value_name(self) -> str | None:
        """What the help calls its value; None: by its choices or its own name."""
        return self.metavar or _TYPED.get(self.kind)

    @property
    def choices(self) -> tuple[str, ...]:
        """Those of a plan file, and what stands where none was made."""
        allowed = self.rule.choices if self.rule else ()
        return allowed if not allowed or self.default in allowed else (self.default, *allowed)

    @property
    def is_typed(self) -> bool:
        """Whether Bench has a field for its text."""
        return self.kind in LISTS[1:] or (bool(self.title) and self.kind not in ("text", "flag"))

    def problem(self, value: Any) -> str:
        """What is wrong with a value; '' if nothing."""
        problem = self.rule.problem(value) if self.rule else ""
        return problem or (self.further(value) if self.further else "")


def option(
    default: Any = MISSING,
    rule: ValueRule | None = TEXT,
    kind: Kind = "text",
    *,
    flag: str = "",
    group: str = "",
    help: str = "",
    metavar: str | None = None,
    title: str = "",
    tip: str = "",
    open: str = "",
    further: Callable[[Any], str] | None = None,
    carried: bool = False,
    compared: bool | None = None,
) -> Any:
    """A field of a request with its row."""
    row = PlanRequestOption(
        rule, kind, flag, group, help, metavar, title, tip, open, further, carried,
        carried if compared is None else compared,
    )  # fmt: skip
    return field(default=default, metadata={"option": row})


def request_class_options(request: type[Any]) -> dict[str, PlanRequestOption]:
    """The rows of a class of requests by name, in their order."""
    return {each.name: _option_of(each) for each in fields(request)}


def _option_of(each: Field[Any]) -> PlanRequestOption:
    row: PlanRequestOption = each.metadata["option"]
    return replace(row, name=each.name, default=each.default, flag=row.flag or each.name.replace("_", "-"))
