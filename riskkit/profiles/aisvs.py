"""OWASP AISVS 1.0: chapter 11.2, membership inference and model inversion, requirement by requirement."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from riskkit.language import say
from riskkit.show.profile import Fact, Section, Source


@dataclass(frozen=True)
class Aisvs:
    """The requirements that speak of what a trained model gives away of its records."""

    name: ClassVar[str] = "aisvs"
    title: ClassVar[str] = "OWASP AISVS 1.0, C11.2"
    card: ClassVar[str] = (
        "Lays the findings out by the requirements on membership inference and model inversion. Of a method that makes "
        "tables, its release stands for the outputs of the model. For whoever verifies a system by the standard."
    )

    def source(self) -> Source:
        """The first version of the standard."""
        return Source(
            say("Artificial Intelligence Security Verification Standard, version 1.0, chapter C11.2"),
            say("OWASP Foundation"),
            "2026-06",
            "https://github.com/OWASP/AISVS",
        )

    def figure(self) -> str:
        """Guessing is an AUC of one half; silence is no demonstration."""
        return say(
            "Requirement 11.2.5 asks that attack accuracy does not exceed random guessing. An interval that holds "
            "guessing does not show that: what a finding is worth, its planted control and the upper end of "
            "its interval say."
        )

    def sections(self) -> tuple[Section, ...]:
        """The requirements in their order, and what else of the standard a released table answers."""
        return (
            Section(
                "11.2.1",
                say("Inferred sensitive attributes are not returned in outputs"),
                say("Verify that sensitive attributes which a model infers are not returned directly."),
                ("attributes", "reconstruction"),
                (Fact.GIVE_AWAYS,),
                say(
                    "A released table is the output. Figures say how much more of a secret is guessed of members "
                    "than of others."
                ),
                say("Outputs of a model that answers questions: riskkit audits a released table."),
            ),
            Section(
                "11.2.2",
                say("Rate limits of inference endpoints"),
                say("Verify that endpoints limit how often they answer, by the threat of extraction."),
                empty=say("A released table has no endpoint; everybody who has it may read all of it."),
            ),
            Section(
                "11.2.3",
                say("Calibrated outputs"),
                say("Verify that outputs are calibrated, so that predictions are not overconfident."),
                ("explanations",),
                (),
                say("What published explanations of a model reveal stands here where it was asked."),
                say("Confidence of predictions: rows of a table have none."),
            ),
            Section(
                "11.2.4",
                say("Differentially private optimization"),
                say("Verify that training on sensitive data is differentially private."),
                ("one-run",),
                (Fact.RELEASE,),
                say(
                    "An epsilon that is measured is a lower bound: it can refute a promise, and never prove one. How "
                    "the release was made stands as somebody said it."
                ),
                say("Whether the optimizer was private: that follows from its code, which no file shows."),
            ),
            Section(
                "11.2.5",
                say("Simulated membership inference does not exceed guessing"),
                say("Verify that simulations of membership inference show no accuracy above random guessing."),
                ("membership", "released", "records", "singling-out", "linkability"),
                (Fact.STRONGEST, Fact.ATTACKERS, Fact.LIMITS, Fact.UNSEEN),
                say("Each figure stands beside guessing, with its interval and the planted control."),
            ),
            Section(
                "",
                say("Beside the requirements: combinations of known columns"),
                say("The standard asks nothing of them; offices of statistics do."),
                ("keys",),
                (),
                say("They describe the table and judge nothing."),
            ),
            Section(
                "",
                say("Evidence of the verification"),
                say("Keep what was tested, by whom and with what."),
                (),
                (Fact.VERDICT, Fact.PROVENANCE, Fact.REPORTS, Fact.SIGNATURE),
            ),
        )


PLUGIN = Aisvs
