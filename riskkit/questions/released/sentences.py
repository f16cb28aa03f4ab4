"""What the attacks on one released file come to, and the sentences beside it."""

from __future__ import annotations

from riskkit.core import Estimate
from riskkit.judging.reasons import Reason
from riskkit.language import english, say
from riskkit.phrases import phrase
from riskkit.wording import percent

NO_HOLDOUT = phrase(
    "Without a holdout nothing can be said about membership. Each attack must also be run on people who were not in "
    "the real table, to see what it reaches without any leak. What can be said is descriptive: exact copies, near "
    "copies against the table's own spacing, and the order of the rows. Load rows of people who were not in the real "
    "table as the holdout."
)
"""What stands in place of a verdict where no holdout was loaded."""


ONLY_DISTANCES = say(
    "No leak shows, but every attack that found the planted leak measures only the distance to the nearest rows. "
    "Distances describe a release without judging it: a release that moves every real row by the same step would "
    "pass."
)
ADD_OTHERS = say("Add attacks of another kind.")


def blind(auc: Estimate, p: float, *, apart: bool, blocked: bool) -> str:
    """The sentence of the look without the release; ``blocked`` where no attack tells the sides apart better."""
    start = say(
        "Without the release, a classifier tells the real table from the holdout with an AUC of {auc} (p = {p:.2g})",
        auc=auc,
        p=p,
    )
    if blocked:
        return say("{told}. {why}", told=start, why=Reason("sides_differ").why)
    if apart:
        return say("{told}; an attack tells them apart better. {why}", told=start, why=Reason("sides_differ_too").why)
    return say("{told}: not distinguishable from guessing (0.50), as it should be.", told=start)


def control(attack: str, auc: Estimate, planted: str, bar: float) -> str:
    """The sentence of a planted leak; ``bar`` is the limit, or guessing where none is set."""
    if auc.low > bar:
        return say(
            "{attack} finds a leak planted in this release: AUC {auc} ({planted}).",
            attack=attack,
            auc=auc,
            planted=planted,
        )
    return say(
        "{attack} lacks power on this data: on a leak planted in this release it reaches an AUC of {auc}, not "
        "shown to be above {bar:.2f} ({planted}). Where it finds nothing, that says nothing.",
        attack=attack,
        auc=auc,
        planted=planted,
        bar=bar,
    )


@english()
def planted(copies: int, replaced: int, rows: int, n_in: int) -> str:
    """What was planted, in a few words: ``copies`` people in ``replaced`` of the released rows."""
    return phrase(
        "{share} of its rows replaced by slightly changed copies of {copies:,} of {n_in:,} records that "
        "were not in; one who finds them all reaches 0.75",
        share=percent(replaced / rows),
        copies=copies,
        n_in=n_in,
    )


@english()
def planted_values(copies: int, replaced: int, rows: int, n_in: int) -> str:
    """The same where their values were planted, each column by itself."""
    return phrase(
        "in {share} of its rows the values of {copies:,} of {n_in:,} records that were not in, each column in another "
        "order, so that no row is copied; one who finds them all reaches 0.75",
        share=percent(replaced / rows),
        copies=copies,
        n_in=n_in,
    )
