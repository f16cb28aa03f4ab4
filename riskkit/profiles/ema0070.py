"""EMA Policy 0070 and Health Canada: the steps of the anonymisation process, as its report documents them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from riskkit.language import say
from riskkit.show.profile import Fact, Section, Source


@dataclass(frozen=True)
class Ema0070:
    """The seven steps of the EMA's process, which cover the six headings of Health Canada's report template."""

    name: ClassVar[str] = "ema0070"
    title: ClassVar[str] = "EMA Policy 0070 / Health Canada"
    card: ClassVar[str] = (
        "Lays the findings out by the steps of the anonymisation process of published clinical reports. The "
        "probability of identification is that of Key combinations. For sponsors and their reviewers."
    )

    def source(self) -> Source:
        """The external guidance, and that of Health Canada."""
        return Source(
            say(
                "External guidance on the implementation of Policy 0070, chapter 3; Public Release of Clinical "
                "Information: guidance"
            ),
            say("European Medicines Agency; Health Canada"),
            say("2017-09-22, version 1.3 (version 1.5 was not read); 2019-03-12, version 1.0"),
            "https://www.ema.europa.eu/en/human-regulatory-overview/marketing-authorisation/clinical-data-publication; "
            "https://www.canada.ca/en/health-canada/services/drug-health-product-review-approval/"
            "profile-public-release-clinical-information-guidance/document.html",
        )

    def figure(self) -> str:
        """0.09 is a probability of identification."""
        return say(
            "Both authorities encourage a threshold of 0.09 for the probability of identification of a patient: a cell "
            "of eleven patients who have the same values of the indirectly identifying variables (1/11). The risks "
            "of Key combinations are such probabilities, by the keys and in the population that were named; no figure "
            "of an attack is one. An AUC of 0.59 does not mean a probability of 0.09, and a residual or an excess "
            "share under 0.09 does not meet that threshold."
        )

    def sections(self) -> tuple[Section, ...]:
        """The steps in their order."""
        return (
            Section(
                "1",
                say("Direct and quasi identifiers"),
                say(
                    "Say which variables identify directly and which indirectly, and justify why they are personal "
                    "information."
                ),
                (),
                (Fact.COLUMNS, Fact.GIVE_AWAYS, Fact.PREPARATION),
                "",
                say(
                    "Whether a variable is replicable, distinguishable and knowable, as Health Canada asks of one that "
                    "identifies directly: roles here are those that somebody gave or that names and values suggest."
                ),
            ),
            Section(
                "2",
                say("Adversaries, attacks, and the risk"),
                say("Name plausible adversaries and attacks, and what is assumed of them for the risk."),
                ("singling-out", "linkability", "attributes", "membership", "released", "records"),
                (Fact.ATTACKERS,),
                say(
                    "Each figure is the success of one attack beside guessing. None is the probability that a patient "
                    "is identified."
                ),
                say(
                    "How likely an adversary is to try at all: no file shows it. Where anybody may read the data, "
                    "Health Canada takes that part of the risk as one that cannot be reduced."
                ),
            ),
            Section(
                "3",
                say("Data utility"),
                say("Say what was done to keep the anonymised data useful."),
                ("contest",),
                (Fact.USEFULNESS,),
                say(
                    "What the release keeps of the real table, beside what other people have alike. It is a measure of "
                    "tables, no clinical result."
                ),
                say("Whether the clinical conclusions of the report still follow: riskkit knows none of them."),
            ),
            Section(
                "4",
                say("The threshold"),
                say("State the risk threshold that was applied, and why it was chosen."),
                (),
                (Fact.LIMITS,),
                say(
                    "Limits are on the scale of their question. Where 0.09 stands as a limit of a residual, somebody "
                    "chose it by analogy; it is not the threshold of either authority."
                ),
                say("The justification: a limit carries who set it and when, and the reasons are theirs."),
            ),
            Section(
                "5",
                say("The actual risk of re-identification"),
                say(
                    "State the reference population, the risk of each patient as a probability, and show that after "
                    "anonymisation it lies below the threshold."
                ),
                ("keys",),
                (),
                say(
                    "The risks of Key combinations: of the real table before anonymisation, in the population "
                    "that was said, and the cells of the release as it is. Rows of a synthetic release belong to "
                    "nobody, so the risk of its cells bounds no patient's; how often members are found in it more "
                    "than others, the attacks say. The EMA also lets a sponsor confirm that singling out, "
                    "linkability and inference are not possible: the profile WP216 lays the findings out by these."
                ),
                say("Which reference population is right: riskkit takes the one that the sponsor names."),
            ),
            Section(
                "6",
                say("The anonymisation methodology"),
                say("Describe how the data were transformed, and why in that way."),
                (),
                (Fact.RELEASE,),
                "",
                say("Why that method was chosen: riskkit knows its name and settings where somebody gave them."),
            ),
            Section(
                "7",
                say("Documentation of the process"),
                say("Document methodology and process, so that they can be reviewed."),
                (),
                (Fact.VERDICT, Fact.UNSEEN, Fact.REPORTS, Fact.PROVENANCE),
            ),
            Section(
                "",
                say("The template: deviations and attestation"),
                say(
                    "Justify every deviation from the process, and certify that its criteria are met and that the "
                    "report was prepared as the guidance asks."
                ),
                (),
                (Fact.SIGNATURE,),
                "",
                say(
                    "Deviations from the guidance: what was done to the data is the sponsor's to say. The attestation "
                    "is a signature on the authority's own form; that on page one does not take its place."
                ),
            ),
        )


PLUGIN = Ema0070
