"""One finished run as a finding: what every question fills in alike, so that each says only what is its own."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from riskkit.core import Estimate
from riskkit.judging.measured import Measured
from riskkit.show.model import Played, RunFinding
from riskkit.show.names import Names


def finding(
    run: Played,
    names: Names,
    *,
    sentence: str,
    measured: Measured,
    estimates: Iterable[Estimate],
    limits: tuple[str, ...] = (),
    game: tuple[tuple[str, str], ...] = (),
    **own: Any,
) -> RunFinding:
    """What a run found, with its settings, command, time and notes as that reader may see them.

    Parameters
    ----------
    limits
        What the result does not show.
    game
        What was asked, a term and its text a line.
    own
        Other fields of :class:`~riskkit.show.model.RunFinding`: charts, parts, a what-if.
    """
    result = run.result or {}
    return RunFinding(
        id=run.id,
        question=run.question,
        sentence=sentence,
        game=game,
        measured=measured,
        estimates=tuple(estimates),
        limits=limits,
        settings=names.settings(run.plan),
        command=names.told(run.command),
        notes=tuple(filter(None, (names.note(note) for note in result.get("notes", ())))),
        **own,
    )
