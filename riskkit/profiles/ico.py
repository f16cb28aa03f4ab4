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
        """The guidance of 28 March 2025."""
        return Source(
            say("Anonymisation guidance: How do we ensure anonymisation is effective?"),
            say("Information Commissioner's Office"),
            "2025-03-28",
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
                say("Can one person be told apart from others in the data set?"),
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
                say("Shares of people rightly linked, those who were in beside those who were not."),
                say("Sources outside the audit: riskkit links only what it was given."),
            ),
            Section(
                "",
                say("Key indicators of identifiability: inferences"),
                say("Can something be inferred about a person from the data?"),
                ("attributes", "explanations"),
                (),
                say(
                    "A residual is how much better people are guessed because they were in, not how often a guess is "
                    "right."
                ),
            ),
            Section(
                "",
                say("Means reasonably likely to be used"),
                say("Take cost, time, available technology and its development into account."),
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
                say("Consider who may get or want access, and what they already hold."),
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
                say("Test as a competent person with access to resources would, and record test and result."),
                (),
                (Fact.STRONGEST, Fact.LIMITS, Fact.UNSEEN),
                say(
                    "Every line is one question, its strongest attack and what it reached. An undecided line is no "
                    "passed test."
                ),
                say(
                    "Enquiries, searches of public sources, social media and press: an intruder would make them, and "
                    "no program here does."
                ),
            ),
            Section(
                "",
                say("Review of the assessment"),
                say("Review the assessment at intervals that suit the circumstances."),
                (),
                (Fact.REPORTS, Fact.PROVENANCE),
                "",
                say("The interval, and who reviews: riskkit keeps no calendar."),
            ),
            Section(
                "",
                say("The decision to release"),
                say("Decide on how, to whom and with which controls to release, and be accountable for it."),
                (),
                (Fact.VERDICT, Fact.SIGNATURE),
                "",
                say("Controls of access, terms and contracts: nothing of the audit speaks of them."),
            ),
        )


PLUGIN = Ico
