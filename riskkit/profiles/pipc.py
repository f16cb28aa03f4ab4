"""Korea PIPC: the five stages of the guide to making and using synthetic data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from riskkit.language import say
from riskkit.show.profile import Fact, Section, Source


@dataclass(frozen=True)
class Pipc:
    """Prepare, generate, verify, committee, use: what an audit has for each stage."""

    name: ClassVar[str] = "pipc"
    title: ClassVar[str] = "Korea PIPC, synthetic data"
    card: ClassVar[str] = (
        "Lays the findings out by the five stages of the Korean guide to synthetic data. Fills the part on safety of "
        "the third stage. The forms of the committee stay with the committee."
    )

    def source(self) -> Source:
        """The guide of December 2024."""
        return Source(
            say("Guide to the generation and use of synthetic data (합성데이터 생성·활용 안내서)"),
            say("Personal Information Protection Commission, Republic of Korea"),
            "2024-12-19",
            "https://www.pipc.go.kr",
        )

    def figure(self) -> str:
        """Safety and usefulness by indicators that the institution sets."""
        return say(
            "The guide lets the institution set its safety standard before it verifies. A figure here is measured "
            "against the limit that somebody set for its question; it is no indicator of the guide by itself, and "
            "an AUC is no probability of identification. The guide's own indicators are shares: of synthetic rows "
            "equal to a real one, of secrets guessed rightly from known columns, and of rows nearer to a real one "
            "than its neighbour is. Questions of these names here measure something else."
        )

    def sections(self) -> tuple[Section, ...]:
        """Its stages in their order."""
        return (
            Section(
                "1",
                say("Preparation"),
                say("State purpose and legal ground, survey the original data, and set the safety standard."),
                (),
                (Fact.COLUMNS, Fact.PREPARATION, Fact.LIMITS),
                "",
                say("Purpose, legal ground and contracts: facts about the institution that no file shows."),
            ),
            Section(
                "2",
                say("Generation of synthetic data"),
                say("Describe how the data were pre-processed and generated."),
                (),
                (Fact.RELEASE,),
                "",
                say("Pre-processing before the table was given to riskkit, and why that method was chosen."),
            ),
            Section(
                "3",
                say("Verification: safety"),
                say("Verify that people are not identifiable from the synthetic data, with stated indicators."),
                ("singling-out", "linkability", "attributes", "membership", "released", "records", "explanations"),
                (Fact.GIVE_AWAYS,),
                say("Each question is an indicator with guessing, value and interval beside the limit that was set."),
                say(
                    "The indicators of the guide's appendix, and thresholds from halves of the original data: the "
                    "guide leaves other ways to verify open, and these are others. Whether the committee takes them is "
                    "its decision."
                ),
            ),
            Section(
                "3",
                say("Verification: usefulness"),
                say("Verify that distributions are alike and that the same task can be done with them."),
                ("contest",),
                (Fact.USEFULNESS,),
                say("The contest puts usefulness beside privacy for several methods."),
                say("Whether the data serve the stated purpose: riskkit knows tables and no purpose."),
            ),
            Section(
                "4",
                say("Evaluation by the review committee"),
                say("Let the review committee judge the adequacy of generation and verification."),
                (),
                (Fact.VERDICT, Fact.UNSEEN, Fact.SIGNATURE),
                "",
                say("The members, their review and its forms: the committee's own."),
            ),
            Section(
                "5",
                say("Use and safe management"),
                say("Use the data safely, and watch for risks of identification afterwards."),
                (),
                (Fact.REPORTS, Fact.PROVENANCE),
                "",
                say("What is done with the data after release: riskkit's results hold for the date on page one."),
            ),
        )


PLUGIN = Pipc
