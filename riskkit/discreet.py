"""Results that say in a notebook what they are, and never a row: what a notebook prints is kept with it."""

from __future__ import annotations

from typing import Any


class Discreet:
    """A finished plan whose printed form is its name and its plan, without a score, a row or a cell of anybody."""

    __slots__ = ()

    plan: Any

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.plan.question}: {self.plan.label})"
