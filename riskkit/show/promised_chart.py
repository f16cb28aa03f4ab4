"""The picture of a promise: what it allows, what the noise allows, and what the strongest attack has, on one axis."""

from __future__ import annotations

from riskkit.core import Estimate
from riskkit.language import say
from riskkit.show.model import Bar, Chart
from riskkit.show.promised import Promised
from riskkit.wording import EXACT_BOUND


def chart(promised: Promised) -> Chart | None:
    """A bar for each that is known, the bounds as points; None where fewer than two are."""
    bounds = (
        (say("Allowed by the promise"), promised.allowed),
        (say("Allowed by the noise that is added"), promised.certificate),
    )
    bars = [Bar(name, _bound(value)) for name, value in bounds if value is not None]
    if promised.auc is not None:
        bars.append(Bar(say("Strongest attack"), promised.auc))
    if len(bars) < 2:
        return None
    return Chart(_sentence(promised), say("AUC (0.50 is guessing)"), tuple(bars), 0.5, (0.4, 1.0))


def _bound(value: float) -> Estimate:
    return Estimate("auc", value, value, value, 1.0, EXACT_BOUND, 0)


def _sentence(promised: Promised) -> str:
    if promised.auc is None:
        return say("What {method} allows", method=promised.method)
    if promised.is_contradicted:
        return say("What is seen cannot be, were the promise of {method} kept", method=promised.method)
    return say(
        "No attack may have more than {most:.3f}; the strongest seen has {auc}",
        most=promised.most,
        auc=promised.auc,
    )
