"""What Python is given of a question that was asked: what every result has, and results that are plain values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from riskkit.core import Estimate
from riskkit.discreet import Discreet
from riskkit.plans import Plan
from riskkit.show.estimates import estimate


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

    def kept(self) -> dict[str, Any]:
        """All of it as plain values, as a store keeps it."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Plain(Discreet):
    """A result that is plain values; ``private`` are the names of those that are about single people."""

    plan: Plan
    values: Mapping[str, Any]
    private: frozenset[str]

    @property
    def estimates(self) -> tuple[Estimate, ...]:
        """Every estimate, in the order of the plan."""
        return tuple(estimate(one) for one in self.values.get("estimates", ()))

    @property
    def notes(self) -> tuple[str, ...]:
        """What must be said beside the numbers."""
        return tuple(self.values.get("notes", ()))

    def as_dict(self) -> dict[str, Any]:
        """All but what is known of single people, as plain values."""
        return {name: value for name, value in self.values.items() if name not in self.private}

    def kept(self) -> dict[str, Any]:
        """All of it as plain values, as a store keeps it."""
        return dict(self.values)
