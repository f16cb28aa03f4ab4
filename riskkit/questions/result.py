"""What comes of a question that was asked: what every result has, typed results, and results that are plain values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Protocol, Self

from riskkit import own
from riskkit.core import Estimate
from riskkit.plain import from_plain, people_entries, plain
from riskkit.plans import Plan
from riskkit.show.for_whom import without_values


class Result(Protocol):
    """A finished plan."""

    @property
    def estimates(self) -> tuple[Estimate, ...]:
        """Every estimate, in the order of the plan."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What must be said beside the numbers."""

    def as_dict(self) -> dict[str, Any]:
        """All but what is known of single people, as plain values."""

    def plain(self) -> dict[str, Any]:
        """All of it as plain values, as a store keeps it."""


class Discreet:
    """A finished plan whose printed form is its name and its plan, without a score, a row or a cell of anybody.

    What a notebook prints is kept with it.
    """

    __slots__ = ()

    plan: Any

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.plan.question}: {self.plan.label})"


class Typed(Discreet):
    """A result whose fields are what is kept of it: :mod:`riskkit.plain` writes and reads them.

    ``GAME`` is what every result of the question says of its game: what is random, and what is counted; at first that
    of attacks on a released file. Beside it and the plan stand, in ``settings``, the fields of ``counts``: what was
    worked out of the tables, if anything was.
    """

    __slots__ = ()

    GAME: ClassVar[Mapping[str, str]] = {
        "random": "which people of the population were in; the release is fixed",
        "unit": "record",
    }
    plan: Any

    @property
    def is_apart(self) -> bool:
        """Whether real table and holdout were distinguished without the release; False where nobody tried."""
        return False

    @property
    def game(self) -> Mapping[str, str]:
        """What is said of its game, where that follows from the plan."""
        return self.GAME

    def plain(self) -> dict[str, Any]:
        """All of it as plain values, as a store keeps it; never for a report that is passed on."""
        values: dict[str, Any] = plain(self, "plan")
        game = {"question": self.plan.question, **self.game}
        return {**values, "settings": {**game, **self.plan.as_dict(), **values.get("settings", {})}}

    def as_dict(self) -> dict[str, Any]:
        """All but what is known of single people, as plain values; whatever the workers, the same."""
        private = people_entries(type(self))
        values = {name: value for name, value in self.plain().items() if name not in private}
        compared = values.get("for_whom")
        return values if compared is None else {**values, "for_whom": without_values(compared)}

    @classmethod
    def from_plain(cls, kept: Mapping[str, Any]) -> Self:
        """The result that :meth:`plain` wrote, also where the people in it were removed since.

        Raises
        ------
        StoreError
            Another version wrote it, in another form.
        """
        plan: type[Plan] = own.hints(cls)["plan"]
        return from_plain(cls, kept, plan=plan.as_kept(kept.get("settings", {})))
