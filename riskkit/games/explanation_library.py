"""The values of the shap library beside ours, where it is the library whose values a service publishes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from riskkit.base.threads import single_thread
from riskkit.explain import library
from riskkit.games.explanation import Evidence, exactly
from riskkit.games.explanation_deal import ExplanationDeal, Offer, serve

ROWS = 20
"""Victims whose values are found both ways."""


@dataclass(frozen=True, slots=True)
class LibraryDistance:
    """How far the library's values of some victims lie from ours, over all their features and one output.

    ``largest`` and ``mean`` are of the absolute differences, ``usual`` is the mean absolute value of ours. ``ours``
    says how ours were found.
    """

    explainer: str
    version: str
    ours: str
    rows: int
    largest: float
    mean: float
    usual: float


def beside(
    deal: ExplanationDeal, offer: Offer, model_seed: int, evidence: Evidence, rows: int = ROWS
) -> LibraryDistance | None:
    """The first victims' values by the library and by us, before any defence; None where the values are ours anyway."""
    with single_thread():
        service, _ = serve(deal, offer, model_seed)
        if service.method not in library.CLASSES:
            return None
        x, output = evidence.inputs[:rows], offer.outputs[0]
        exact = exactly(service, output)
        theirs = service.explain_features(x, deal.rng(model_seed, "explained", "victims")).phi[:, :, 0]
        ours = exact.explain_features(x, deal.rng(model_seed, "exact")).phi[:, :, 0]
    gaps = np.abs(theirs - ours)
    return LibraryDistance(
        library.CLASSES[service.method],
        library.version(),
        exact.method,
        len(x),
        float(gaps.max()),
        float(gaps.mean()),
        float(np.abs(ours).mean()),
    )
