"""NIST SP 800-188: de-identifying government datasets, the sections that an audit can speak to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from riskkit.language import say
from riskkit.show.profile import Fact, Section, Source


@dataclass(frozen=True)
class Nist800188:
    """Governance, technical steps and validation of a de-identified dataset, by the sections of the publication."""

    name: ClassVar[str] = "nist800188"
    title: ClassVar[str] = "NIST SP 800-188"
    card: ClassVar[str] = (
        "Lays the findings out by the sections on governance, technical steps and validation. Stands for a "
        "re-identification study by program. For agencies and their Disclosure Review Board."
    )

    def source(self) -> Source:
        """The final publication of 2023."""
        return Source(
            say("SP 800-188, De-Identifying Government Datasets: Techniques and Governance"),
            say("National Institute of Standards and Technology"),
            "2023-09-14",
            "https://doi.org/10.6028/NIST.SP.800-188",
        )

    def figure(self) -> str:
        """A study of attacks, no probability of re-identification."""
        return say(
            "The publication speaks of the probability of re-identification and of the harm it does. The risks of Key "
            "combinations are such probabilities, by the keys that were named; every other figure here is how far one "
            "attack got beside guessing. None carries a harm. An epsilon that is measured is a lower bound, no proof "
            "of differential privacy."
        )

    def sections(self) -> tuple[Section, ...]:
        """The sections of the publication that ask something of a release."""
        return (
            Section(
                "3.1",
                say("Goals and intended uses of de-identification"),
                say("State why the data are released, and for whom."),
                (),
                (),
                "",
                say("Goals and uses are decisions of the agency; no file shows them."),
            ),
            Section(
                "3.2",
                say("Risks that arise from the release"),
                say("Evaluate the probability of re-identification, its adverse impact, and other impacts."),
                ("keys", "singling-out", "linkability", "attributes", "membership"),
                (Fact.GIVE_AWAYS,),
                say(
                    "The risks of Key combinations are probabilities of re-identification: of people of the real "
                    "table, in their population. The others are shares of people named rightly because they are "
                    "in the data, and how surely an attacker says that a person is in the data."
                ),
                say("Adverse impact on people and on the agency: nothing of a table measures harm."),
            ),
            Section(
                "3.4",
                say("Data-sharing model"),
                say("Choose between open data, synthetic data, a query interface and an enclave."),
                (),
                (Fact.RELEASE,),
                "",
                say("The choice, and the controls around it: riskkit audits a released table and nothing else."),
            ),
            Section(
                "3.5",
                say("The five safes"),
                say("Consider projects, people, data, settings and outputs together."),
                (),
                (Fact.GIVE_AWAYS,),
                say("The audit speaks of safe data alone: of what the released table reveals."),
                say("Safe projects, people, settings and outputs: agreements and premises that no file shows."),
            ),
            Section(
                "3.6",
                say("Disclosure Review Board"),
                say("Let a board review the release and record its decision."),
                (),
                (Fact.VERDICT, Fact.LIMITS, Fact.SIGNATURE),
                "",
                say("The board, and its other grounds: page one has a place for its decision."),
            ),
            Section(
                "3.7",
                say("A standard with measurable performance levels"),
                say("Say which standard of de-identification applies, and which level of performance it asks for."),
                (),
                (Fact.STRONGEST,),
                say("A limit that somebody set is such a level for its question; no standard is built into riskkit."),
                say("Which standard the agency has adopted, and why its levels are enough."),
            ),
            Section(
                "4.2",
                say("Data survey"),
                say("Say which columns identify directly, which are quasi-identifiers, and which are sensitive."),
                (),
                (Fact.COLUMNS, Fact.PREPARATION),
            ),
            Section(
                "4.3",
                say("Aggregation and composition of several releases"),
                say("Consider what this release and earlier ones reveal together."),
                (),
                (Fact.REPORTS,),
                "",
                say(
                    "Earlier releases and statistics of the same data: riskkit counts its own reports about the table, "
                    "and knows no other release than those of the audit."
                ),
            ),
            Section(
                "4.4",
                say("De-identification based on synthetic data"),
                say("Say how faithful the synthetic data are, and what they still reveal."),
                ("records", "contest"),
                (),
                say("An AUC is how often the right one of two people, or of two releases, is picked; 0.5 is guessing."),
            ),
            Section(
                "4.6",
                say("Validation of the de-identified dataset"),
                say("Validate usefulness and privacy, by re-identification studies among others."),
                ("released", "explanations"),
                (Fact.USEFULNESS, Fact.STRONGEST, Fact.ATTACKERS, Fact.UNSEEN),
                say("The audit is such a study, made by programs with stated knowledge."),
                say("A study by people with outside sources: no program here has any."),
            ),
            Section(
                "5",
                say("Software, and its evaluation"),
                say("Say which software was used, and how it is known to work."),
                (),
                (Fact.PROVENANCE, Fact.REPORTS),
            ),
        )


PLUGIN = Nist800188
