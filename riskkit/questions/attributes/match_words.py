"""CAP, DCAP and TCAP in words: what they are, what counts where nothing matches, and what was found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from riskkit.core import Estimate
from riskkit.language import again, say
from riskkit.phrases import phrase
from riskkit.show import glossary
from riskkit.wording import share

ALONE = ("matched", "cap", "dcap", "agreed", "tcap")
"""What is said of one side, in the order of a table."""
APART = {"dcap": "dcap_apart", "tcap": "tcap_apart"}
"""Of what is said of one side, the difference of members and control."""
NAMES = (*ALONE, *APART.values())
"""Every estimate of the family."""

TITLES: Mapping[str, str] = {
    "matched": say("Have a matching row"),
    "cap": say("CAP"),
    "dcap": say("DCAP"),
    "agreed": say("Matching rows all agree"),
    "tcap": say("TCAP"),
}
"""What people call them."""
GLOSSARY: Mapping[str, str] = glossary.of("matches")
"""The plain meaning of each."""

NO_MATCH: Mapping[str, str] = {
    "prior": phrase(
        "Where no row matches, the shares of the whole release count, as for somebody who looks up nothing."
    ),
    "nothing": phrase("Where no row matches, the CAP of that record is 0, which pulls CAP and DCAP down."),
}
"""What counts where no released row matches; notes of results hold it."""
EXACT = phrase(
    "CAP takes known numbers as they stand, without bins: rows match only where they are equal. With fine numbers "
    "hardly any row does, and CAP, DCAP and TCAP then say little; the share that matches says how little."
)


def beside(no_match: str, *, has_numbers: bool) -> Sequence[str]:
    """What must stand beside the numbers."""
    return [phrase("CAP: {told}", told=NO_MATCH[no_match])] + [EXACT] * has_numbers


def handling(estimates: Sequence[Estimate]) -> str:
    """What counted where nothing matches, by the name of the model that looked up."""
    way = "nothing" if any("nothing" in estimate.labels.get("model", "") for estimate in estimates) else "prior"
    return again(NO_MATCH[way])


def sentence(estimates: Sequence[Estimate]) -> str:
    """What looking up gives away of members, beside people who were not in; empty where nothing was looked up."""
    by_name = {(estimate.name, estimate.labels.get("tested_on", "")): estimate for estimate in estimates}
    matched, dcap = (by_name.get((name, "members")) for name in ("matched", "dcap"))
    if matched is None or dcap is None:
        return ""
    start = say(
        "{matched} of the people who were in have a released row that agrees in all known columns. Looking the secret "
        "up there gains {dcap} over drawing from the release (DCAP)",
        matched=share(matched),
        dcap=_three(dcap),
    )
    control, apart = by_name.get(("dcap", "control")), by_name.get(("dcap_apart", ""))
    if control is None or apart is None:
        return say(
            "{told}. Whether people gain risk by being in the data cannot be told without people who were not.",
            told=start,
        )
    return say(
        "{told}; for people who were not in, {dcap}. {owed}",
        told=start,
        dcap=_three(control),
        owed=_owed(apart, control),
    )


def _owed(apart: Estimate, control: Estimate) -> str:
    beside = say("(difference {difference})", difference=_three(apart))
    if apart.low > 0:
        return say("Looking up gains more about people who were in {beside}: what leaks is about them.", beside=beside)
    if apart.high < 0:
        return say("Looking up gains less about people who were in {beside}.", beside=beside)
    fact = say(" What looking up tells is a fact about the population.") if control.low > 0 else ""
    return say(
        "Looking up is not shown to gain more about people who were in {beside}.{fact}", beside=beside, fact=fact
    )


def _three(estimate: Estimate) -> str:
    return f"{estimate.value:.3f} [{estimate.low:.3f}, {estimate.high:.3f}]"
