"""The rows of the list: sessions, and above those of one plan a row of the plan, folded at first."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from app.history.lists.browsing import FoundSessions


class SessionRows:
    """Rows named by session or plan id; a plan with a single matching session has no row."""

    def __init__(self, found: FoundSessions, is_by_plan: bool, unfolded: Collection[str] = ()) -> None:
        self._plans = {plan: ids for plan, ids in found.plans.items() if is_by_plan and len(ids) > 1}
        self._unfolded = {plan for plan in unfolded if plan in self._plans}
        self._plan_of: dict[str, str] = {}
        self._places: dict[str, int] = {}
        self.ids: list[str] = []  # of the rows
        if not self._plans:
            self.ids = list(found.ids)
            return
        for plan, sessions in found.plans.items():
            self._plan_of.update(dict.fromkeys(sessions, plan) if len(sessions) > 1 else ())
            self.ids += [plan, *self.shown_of(plan)] if len(sessions) > 1 else sessions

    def __len__(self) -> int:
        return len(self.ids)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SessionRows) and (self.ids, self._plans) == (other.ids, other._plans)

    @property
    def has_plans(self) -> bool:
        return bool(self._plans)

    def row(self, id_: str) -> int | None:
        if not self._places:
            self._places = {each: row for row, each in enumerate(self.ids)}
        return self._places.get(id_)

    def is_plan(self, id_: str) -> bool:
        return id_ in self._plans

    def is_unfolded(self, plan: str) -> bool:
        return plan in self._unfolded

    def plan_of(self, session: str) -> str:
        """The plan with a row above the session; '' without one."""
        return self._plan_of.get(session, "")

    def sessions_of(self, id_: str) -> tuple[str, ...]:
        """The sessions of the row."""
        return self._plans.get(id_, (id_,))

    def sessions(self, rows: Iterable[int]) -> list[str]:
        """The sessions of these rows, each once."""
        return list(dict.fromkeys(id_ for row in rows for id_ in self.sessions_of(self.ids[row])))

    def shown_of(self, plan: str) -> Sequence[str]:
        """The sessions with rows below the plan's."""
        return self._plans[plan] if plan in self._unfolded else ()

    def toggle(self, plan: str) -> None:
        """Fold or unfold it."""
        first = self.ids.index(plan) + 1
        if plan in self._unfolded:
            self._unfolded.remove(plan)
            del self.ids[first : first + len(self._plans[plan])]
        else:
            self._unfolded.add(plan)
            self.ids[first:first] = self._plans[plan]
        self._places = {}
