"""A plan option: one row for what it may be, how it is typed, and what command line and Bench say of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, Field, dataclass, field, fields, replace
from typing import Any, Literal

from app.catalog.amounts import read_rows
from app.core.errors import InputError
from app.core.quantity import ALLOWED, count_of, percent_of, seconds_of
from app.core.ranges import FORMS, numbers_of_ranges
from app.core.toml_text import TEXT, ValueRule, short_value_repr
from app.protocol.plan import UNTIL_DECIDED

# how its text is read, such as: 3 | 90 or 30min | 5% | a,b | 1..64 x2 | 4,2 or [0-3] | 3x memory
Kind = Literal["text", "count", "time", "percent", "words", "numbers", "core sets", "rows", "repeats", "flag"]
LISTS = ("words", "numbers", "core sets")
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

    def read(self, text: str) -> Any:
        """The value of a text that a person typed; raises InputError without the name of the option."""
        words = text.strip()
        if self.kind in ("numbers", "core sets"):
            return self._listed(words)
        if self.kind == "rows":
            return read_rows(words)
        if self.kind == "repeats" and words.replace("-", " ") == UNTIL_DECIDED:
            return UNTIL_DECIDED
        reader = _READERS.get(self.kind)
        found = reader(words) if reader else text
        if found is None:
            also = f", or {UNTIL_DECIDED.replace(' ', '-')}" if self.kind == "repeats" else ""
            allowed = ALLOWED[self.kind if self.kind in ALLOWED else "count"]
            raise InputError(f"must be {allowed}{also}, not {short_value_repr(text)}")
        return found

    def _listed(self, text: str) -> list[int | str]:
        found = numbers_of_ranges(text, are_counts=True)
        if self.kind == "numbers" and any(isinstance(each, str) for each in found):
            raise InputError(f"must be a list of numbers such as {FORMS}, not {short_value_repr(text)}")
        return found

    def problem(self, value: Any) -> str:
        """What is wrong with a value; '' if nothing."""
        problem = self.rule.problem(value) if self.rule else ""
        return problem or (self.further(value) if self.further else "")


_READERS: dict[str, Callable[[str], Any]] = {
    "count": count_of, "repeats": count_of, "time": seconds_of, "percent": percent_of,
}  # fmt: skip


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
