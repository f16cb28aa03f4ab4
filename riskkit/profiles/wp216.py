"""WP216: singling out, linkability and inference, as the Article 29 Working Party asks for them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from riskkit.language import say
from riskkit.show.profile import Fact, Section, Source


@dataclass(frozen=True)
class Wp216:
    """The three risks of Opinion 05/2014, then what its recommendations ask of a release."""

    name: ClassVar[str] = "wp216"
    title: ClassVar[str] = "WP216 (Article 29 Working Party)"
    card: ClassVar[str] = (
        "Lays the findings out by singling out, linkability and inference. Needs the questions of these names to be "
        "asked. For data protection officers in Europe; it gives no legal assessment."
    )

    def source(self) -> Source:
        """Opinion 05/2014."""
        return Source(
            say("Opinion 05/2014 on Anonymisation Techniques (WP216)"),
            say("Article 29 Data Protection Working Party"),
            say("2014-04-10; the EDPB's draft Guidelines 02/2026 on anonymisation were not read"),
            "https://ec.europa.eu/justice/article-29/documentation/opinion-recommendation/files/2014/wp216_en.pdf",
        )

    def figure(self) -> str:
        """Excess over people who were not in."""
        return say(
            "The opinion names three risks and sets no number for any of them: each data set is to be considered "
            "case by case. A figure here is what one attack reached, on members compared with people outside the "
            "data. The opinion asks which means are likely reasonably to be used by the controller or anyone "
            "else; a figure here does not answer that."
        )

    def sections(self) -> tuple[Section, ...]:
        """What it says of the original data, its three questions, then its recommendations."""
        return (
            Section(
                "2.2",
                say("The original data"),
                say(
                    "Say whether the original is kept: while it is, data about single events stay personal for anyone."
                ),
                (),
                (),
                "",
                say(
                    "Whether it is kept, and who has it: a fact about the controller that no file shows. What that "
                    "means for synthetic rows, which belong to nobody, is a question of law."
                ),
            ),
            Section(
                "3",
                say("Singling out"),
                say("Can some or all records be isolated that identify an individual in the data set?"),
                ("singling-out", "membership", "released", "records"),
                (Fact.GIVE_AWAYS,),
                say(
                    "Singling out is the share of people who are unique by known columns and whose values the "
                    "release has, less the same share of people outside the data. An AUC says how surely an "
                    "attacker says that a person is in the data: it is neither a share of people nor a "
                    "probability of identification."
                ),
            ),
            Section(
                "3",
                say("Linkability"),
                say("Can at least two records about the same person or group be linked, in one database or in two?"),
                ("linkability", "contest"),
                (),
                say(
                    "The share of members whose two halves are rightly linked, less that of people outside the "
                    "data; guessing depends on how many people are linked at a time."
                ),
                say(
                    "Links to a database outside the audit: riskkit has only the files that it was given, so which "
                    "registers and leaks exist beside them has to be judged by people."
                ),
            ),
            Section(
                "3",
                say("Inference"),
                say("Can the value of an attribute be deduced with significant probability from other attributes?"),
                ("attributes", "explanations"),
                (),
                say(
                    "What counts as a leak is how much better people are guessed because they are in the data. "
                    "The opinion asks for any deduction; what is guessed of everybody stands beside it as the "
                    "gain over the baseline."
                ),
            ),
            Section(
                "5.1",
                say("Conclusions: the three criteria together"),
                say(
                    "Show that none of the three is possible any more; where one is, evaluate the risk of "
                    "identification thoroughly."
                ),
                (),
                (Fact.STRONGEST,),
                say(
                    "A question within its limit shows that its attacks reached no more than that. It does not show "
                    "that a criterion is met: somebody has to say so, and why the limit is enough."
                ),
            ),
            Section(
                "5.2",
                say("Recommendations: general elements"),
                say("Do not release and forget: identify new risks, assess the controls, monitor, and audit again."),
                (),
                (Fact.VERDICT, Fact.UNSEEN, Fact.REPORTS),
                "",
                say(
                    "When the release is assessed again, and by whom: riskkit's results hold for the date on page "
                    "one, and it keeps no calendar."
                ),
            ),
            Section(
                "5.2",
                say("Recommendations: contextual elements"),
                say(
                    "State purpose, nature and size of the data, who gets them and under which controls, what else "
                    "they hold, and what could motivate an attack."
                ),
                (),
                (Fact.COLUMNS, Fact.ATTACKERS),
                say("What an attacker is given here is more than most people hold; nobody is left out as unlikely."),
                say("Purpose, recipients and other holdings are facts about people and contracts; no file shows them."),
            ),
            Section(
                "5.2",
                say("Recommendations: technical elements"),
                say("Disclose the technique and its settings, and how rare and identifying attributes were treated."),
                (),
                (Fact.RELEASE, Fact.LIMITS, Fact.PROVENANCE),
                "",
                say(
                    "Which values were removed or coarsened before the method saw the table: riskkit sees the table "
                    "that it was given."
                ),
            ),
        )


PLUGIN = Wp216
