"""ICO: identifiability and the motivated intruder test of the UK Information Commissioner."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from riskkit.language import say
from riskkit.show.profile import Fact, Section, Source


@dataclass(frozen=True)
class Ico:
    """The questions of the chapter on effective anonymisation, with the motivated intruder test recorded."""

    name: ClassVar[str] = "ico"
    title: ClassVar[str] = "ICO, motivated intruder"
    card: ClassVar[str] = (
        "Lays the findings out by the questions of the ICO on effective anonymisation. Records which attacks stood in "
        "for a motivated intruder. For controllers in the United Kingdom; whether a risk is sufficiently remote stays "
        "their judgement."
    )

    def source(self) -> Source:
        """The guidance of 28 March 2025, which the ICO has had under review since the Act of that year."""
        return Source(
            say("Anonymisation guidance: How do we ensure anonymisation is effective?"),
            say("Information Commissioner's Office"),
            say("2025-03-28, under review since the Data (Use and Access) Act 2025"),
            "https://ico.org.uk/for-organisations/uk-gdpr-guidance-and-resources/data-sharing/anonymisation/"
            "how-do-we-ensure-anonymisation-is-effective/",
        )

    def figure(self) -> str:
        """No figure is 'sufficiently remote'."""
        return say(
            "The guidance asks whether identification is sufficiently remote and sets no number for it. A figure here"
            " is what a program with stated knowledge reached beside guessing. A figure within a limit need not mean "
            "sufficiently remote, and one above guessing need not mean reasonably likely: both are judgements of "
            "people."
        )

    def sections(self) -> tuple[Section, ...]:
        """The questions of the chapter that ask something of an assessment."""
        return (
            Section(
                "",
                say("Key indicators of identifiability: singling out"),
                say("Can one person be distinguished from others in the data set?"),
                ("singling-out", "membership", "released", "records"),
                (Fact.GIVE_AWAYS,),
                say("An AUC is how often the right one of two people is picked, not how often a person is identified."),
            ),
            Section(
                "",
                say("Key indicators of identifiability: linkability"),
                say("Can records about a person be combined, within the data or with other sources?"),
                ("linkability", "contest"),
                (),
                say("Shares of people rightly linked, members compared with others."),
                say("Sources outside the audit: riskkit links only what it was given."),
            ),
            Section(
                "",
                say("Inferences"),
                say("Can something new be deduced about a person who can be identified, from this and other sources?"),
                ("attributes", "explanations"),
                (),
                say(
                    "A residual is how much better people are guessed because they are in the data, not how often "
                    "a guess is right."
                ),
            ),
            Section(
                "",
                say("Means reasonably likely to be used"),
                say("Take the cost and time of identification, today's technology and its development into account."),
                (),
                (Fact.ATTACKERS,),
                "",
                say(
                    "Cost and time of a human attacker, and technology to come: the attacks here are programs of "
                    "today, run by somebody who already has what each of them is said to know."
                ),
            ),
            Section(
                "",
                say("Who else may be able to identify people"),
                say("Ask in whose hands the data come, who may get or want access, and what they already hold."),
                (),
                (),
                "",
                say(
                    "Recipients, what they hold, and who may get at the data without leave (theft, a rogue employee): "
                    "facts about people and safeguards that no file shows."
                ),
            ),
            Section(
                "",
                say("The motivated intruder test, recorded"),
                say(
                    "Assume somebody reasonably competent, with access to public resources, who makes enquiries and "
                    "has a reason to identify people; record test and result."
                ),
                (),
                (Fact.STRONGEST, Fact.LIMITS, Fact.UNSEEN),
                say(
                    "Every line is one question, its strongest attack and what it reached. An undecided line is no "
                    "passed test."
                ),
                say(
                    "Enquiries, appeals to people who know more, searches of public sources and press, and crimes "
                    "where the data are worth it: an intruder may make use of them, and no program here does."
                ),
            ),
            Section(
                "",
                say("Review of the assessment"),
                say("Review assessment and decisions regularly, with the motivated intruder test again."),
                (),
                (Fact.REPORTS, Fact.PROVENANCE),
                "",
                say("The interval, and who reviews: riskkit keeps no calendar."),
            ),
            Section(
                "",
                say("The decision to release"),
                say(
                    "Choose the release model, test, document, and publish only where the risk is sufficiently remote "
                    "or the law of personal data is kept."
                ),
                (),
                (Fact.VERDICT, Fact.SIGNATURE),
                "",
                say("Controls of access, terms and contracts: nothing of the audit speaks of them."),
            ),
        )


PLUGIN = Ico
