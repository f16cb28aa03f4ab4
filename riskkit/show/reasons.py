"""Reasons that are no question's own."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from riskkit.judging.measured import Measured
from riskkit.judging.reasons import Reason


def with_reasons(measured: Measured, reasons: Iterable[Reason]) -> Measured:
    """With these reasons behind those of its question."""
    return replace(measured, reasons=(*measured.reasons, *reasons))


def sizes(played: int, released: int) -> tuple[Reason, ...]:
    """What stands in the way of a verdict where releases in the game have other numbers of rows than the real one."""
    if not (played and released) or played == released:
        return ()
    return (Reason("fewer_rows" if played < released else "more_rows", {"played": played, "released": released}),)
