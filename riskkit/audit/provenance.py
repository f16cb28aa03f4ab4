"""Reading how a release was made from what its steward wrote."""

from __future__ import annotations

from typing import Any

from riskkit import registry
from riskkit.errors import DesignError
from riskkit.judging.provenance import NOBODY_SAID, Provenance

MOST = 1_000
"""Releases of one table, at most."""


def provenance(text: str, releases: Any = 1, *, one_fit: Any = False) -> Provenance:
    """``unknown`` (or nothing), or a generator as :func:`riskkit.registry.parse` reads it, spelled as plans spell it.

    ``releases`` says how often the table was released, ``one_fit`` whether every time from one fit.

    Raises
    ------
    ParameterError, DesignError
        There is no such generator or setting, or a number of releases that cannot be.
    """
    if isinstance(releases, bool) or not isinstance(releases, int) or not 1 <= releases <= MOST:
        raise DesignError.phrase(
            "A table was released 1 to {most:,} times, and not {releases!r}.", most=MOST, releases=releases
        )
    if not isinstance(one_fit, bool | int):
        raise DesignError.phrase("one_fit is true or false, and not {one_fit!r}.", one_fit=one_fit)
    written = text.strip()
    method = "" if written in ("", NOBODY_SAID) else registry.spell(registry.parse("generators", written))
    return Provenance(method, releases, bool(one_fit) and releases > 1)
