"""Reasons that several questions give the judge."""

from __future__ import annotations

from dataclasses import replace

from riskkit.judging.measured import Measured
from riskkit.judging.reasons import Reason
from riskkit.language import joined
from riskkit.show.model import Given
from riskkit.show.names import Names


def apart(measured: Measured, facts: Given, names: Names) -> Measured:
    """With the reason that values of real and released file hardly meet, where they do not."""
    if not facts.apart:
        return measured
    columns = joined(names.column(column) for column in facts.apart)
    return replace(measured, reasons=(*measured.reasons, Reason("values_apart", {"columns": columns})))


def of_rows(measured: Measured) -> Measured:
    """With the reason that people have several rows, of which each was taken for somebody."""
    return replace(measured, reasons=(*measured.reasons, Reason("rows_not_people")))


def sizes(played: int, released: int) -> tuple[Reason, ...]:
    """What stands in the way of a verdict where releases in the game have other numbers of rows than the real one."""
    if not (played and released) or played == released:
        return ()
    return (Reason("fewer_rows" if played < released else "more_rows", {"played": played, "released": released}),)
