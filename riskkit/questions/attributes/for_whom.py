"""For whom the strongest guess is right about members more often than about people who were not in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from riskkit.core import Floats, Ints
from riskkit.games.attribute import CONTROL, MEMBERS, RELEASE, AttributeArms
from riskkit.games.attribute_deal import AttributeDeal
from riskkit.phrases import Phrase, phrase
from riskkit.questions.attributes.outcome import About
from riskkit.questions.attributes.outcome import Sides as Residuals
from riskkit.questions.attributes.plan import AttributePlan
from riskkit.questions.for_whom import SideRows, of_hits
from riskkit.seeds import stream
from riskkit.show.for_whom import ForWhom
from riskkit.stats.guesses import Guesses


@dataclass(frozen=True, slots=True, eq=False)
class Right:
    """Of each side the rows of the deal that are compared (n,), and whether the guess about each is right."""

    rows: Mapping[str, Ints]
    right: Mapping[str, Floats]

    @classmethod
    def of(cls, beside: Mapping[tuple[str, str], Guesses], answers: AttributeArms, deal: AttributeDeal) -> Right | None:
        """Of the guesses by which the two sides are compared; None without a control."""
        if deal.apart is None:
            return None
        stays = {MEMBERS: deal.apart.members, CONTROL: deal.apart.control}
        rows = {side: answers.arm(RELEASE, side).rows for side in stays}
        kept = {side: rows[side][stays[side][rows[side]]] for side in stays}
        return cls(kept, {side: beside[RELEASE, side].right.astype(float) for side in stays})


def called(secret: str, known: str) -> Phrase:
    """What is guessed from what, as the block keeps it."""
    return phrase("{secret!r} from {known}", secret=secret, known=known)


def for_whom(
    plan: AttributePlan, deal: AttributeDeal, answered: Sequence[tuple[About, Residuals | None, Right | None]]
) -> ForWhom | None:
    """Groups of people by the guess whose residual is shown to be highest.

    None without people who were not in, and where members are easier to guess by a model that never saw them: then the
    two tables differ, and so would groups of them.
    """
    strengths = [
        (sides.residual.low, about, right)
        for about, sides, right in answered
        if sides is not None and sides.residual is not None and right is not None and not sides.is_easier_anyway
    ]
    if not strengths or deal.control is None:
        return None
    _, about, right = max(strengths, key=lambda strength: strength[0])
    tables = {MEMBERS: deal.members.table, CONTROL: deal.control.table}
    members, others = (
        SideRows(tables[side], right.rows[side], right.right[side], whose.rows(right.rows[side]))
        for side, whose in zip((MEMBERS, CONTROL), deal.whose, strict=True)
    )
    rng = stream(plan.seed, "attributes", "groups")
    return of_hits(members, others, called(about.secret, about.known), plan.groups, rng, plan.level)
