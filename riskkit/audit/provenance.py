"""Reading how a release was made from what its steward wrote."""

from __future__ import annotations

from riskkit import registry
from riskkit.judging.provenance import NOBODY_SAID, UNKNOWN, Provenance


def provenance(text: str) -> Provenance:
    """``unknown`` (or nothing), or a generator as :func:`riskkit.registry.parse` reads it, spelled as plans spell it.

    Raises
    ------
    ParameterError
        There is no such generator or setting.
    """
    if text.strip() in ("", NOBODY_SAID):
        return UNKNOWN
    return Provenance(registry.spell(registry.parse("generators", text.strip())))
