"""The words of the report that several of its parts use: titles, verdicts, states, sections, methods, glossary.

These and every other text of the report and the pages are said through :mod:`riskkit.language` and listed in
``riskkit/locale/riskkit.pot``, the one place where another language follows.
"""

from __future__ import annotations

from collections.abc import Mapping

from riskkit import wording
from riskkit.core import Estimate
from riskkit.language import Readings, kept, phrase, say
from riskkit.questions.attributes import words as attributes_words
from riskkit.questions.explanations import words as explanations_words
from riskkit.questions.membership import words
from riskkit.show.model import FURTHER

TITLE = phrase("Privacy audit of a release")
NOT_RUN = phrase("Not run")
WHAT_IF = phrase("Not about this release")
NO_LIMIT = phrase("no limit set")
STATES: Mapping[str, str] = Readings(
    {
        "": phrase("Nobody has asked this question of the release."),
        "what if": phrase("It was asked of a method that is not known to have made this release."),
        "queued": phrase("A run waits for its turn; it says nothing yet."),
        "running": phrase("A run is at work; it says nothing yet."),
        "paused": phrase("The run is paused, so it says nothing yet."),
        "failed": phrase("The question could not be answered."),
        "cancelled": phrase("The run was cancelled, so it says nothing."),
        "interrupted": phrase("The run was interrupted, so it says nothing."),
        "purged": phrase(
            "The scores of single records were deleted at the end of their retention time, and no verdict can be made "
            "without them."
        ),
        "earlier": phrase("It was asked of an earlier version of the files; run it again."),
    }
)
SETTLES: Mapping[str, str] = Readings(
    queued=phrase("Let the run end."),
    running=phrase("Let the run end."),
    paused=phrase("Resolve what held the run up, then resume it on the page Audits; what is done is kept."),
    failed=phrase("Correct what stopped the run, then run it again; what is done is kept."),
    cancelled=phrase("Start it again: it goes on where it was, and what is done is kept."),
    interrupted=phrase("Start it again: it goes on where it was, and what is done is kept."),
    purged=phrase("Run it again with the same settings on the same files; the numbers will be the same."),
)
"""What would decide a question whose run is in that state."""
REASON_WITHHELD = phrase("The restricted report says why.")
OVERALL_NOTE = phrase(
    "The overall verdict is the most serious one about this release: direct disclosures of the file first, then "
    "the questions that are about it. Each interval is corrected for everything that was tested within its own "
    "question. The overall verdict is corrected for the number of questions too (Holm): it shows a leak that is "
    "not there in at most 5 % of audits. To be within the limit every question must be."
)
NOT_PROOF = phrase(
    "No verdict says that a release may be published. Where no leak shows, this holds for the questions, attacks "
    "and records that were tried. A decision must also consider the context of the release, which no program knows."
)
CLASSES: Mapping[str, str] = Readings(
    {
        "shareable": kept(
            "Shareable: aggregates only. Columns, files and records appear under neutral references, small counts are "
            "withheld, and no value of the real table is in it."
        ),
        "named": kept(
            "Shareable: aggregates only. Columns have their names, which stand in the release too; files and records "
            "appear under neutral references, small counts are withheld, and no value of the real table is in it."
        ),
        "restricted": kept(
            "Restricted: holds names of columns and files and row numbers (from 0) of real people. For readers who may "
            "see the real table."
        ),
    }
)
WATERMARK = phrase("RESTRICTED")
REPORT = phrase("Report")
"""What stands before the reference at the foot of a page."""
SLOTS: Mapping[str, str] = Readings(
    real=phrase("real"),
    synthetic=phrase("synthetic"),
    holdout=phrase("holdout"),
    children_real=phrase("second real"),
    children_synthetic=phrase("second synthetic"),
    children_holdout=phrase("second holdout"),
)
"""What the file of a slot is called."""


def slot(name: str) -> str:
    """What the file of that slot is called; of several releases with its number."""
    number = name.removeprefix(FURTHER)
    if number == name:
        return SLOTS.get(name, name)
    return say("release {number}", number=number)


GRAVITIES: Mapping[str, str] = Readings(
    error=phrase("error"),
    question=phrase("question"),
    warning=phrase("warning"),
    repair=phrase("repair"),
)
"""How grave something is that was noticed of a file."""
SECTIONS: Mapping[str, str] = Readings(
    verdicts=phrase("Verdicts"),
    files=phrase("What was audited"),
    risk=phrase("Records at risk"),
    preparation=phrase("Data preparation and repairs"),
    methods=phrase("Methods"),
    provenance=phrase("Provenance"),
    wp29=phrase("Singling out, linkability, inference"),
    glossary=phrase("Glossary"),
    not_shown=phrase("What this does not show"),
    numbers=phrase("Numbers"),
)
WP29_INTRO = phrase(
    "Opinion 05/2014 of the Article 29 Working Party names three risks of anonymised data. The table says which "
    "question of this audit bears on each. It is a reading aid and no legal assessment: the opinion asks for means "
    "likely to be used by anyone, an audit tries the attacks it has."
)
WP29: tuple[tuple[str, tuple[str, ...], str], ...] = (
    (
        kept("Singling out"),
        ("singling-out", "membership", "released", "records"),
        kept(
            "Whether a person is unique by a few columns, and the release has just these values. Whether a single "
            "record can be shown to have been in the data."
        ),
    ),
    (
        kept("Linkability"),
        ("linkability", "contest"),
        kept(
            "Whether the release tells which records of two files with different columns belong to one person. "
            "Contests name rows of a population that are in the sample."
        ),
    ),
    (
        kept("Inference"),
        ("attributes", "explanations"),
        kept(
            "Whether a secret is guessed from what is known of a person. Only what is due to the person having "
            "been in the data counts as a leak."
        ),
    ),
)
METHODS: tuple[tuple[str, str], ...] = (
    (
        kept("Unit of replication"),
        kept(
            "Independent trainings of the method (of games), people (of a released file). Fewer than 5 a side: no "
            "number."
        ),
    ),
    (
        kept("AUC"),
        kept(
            "Interval by method 5 of Newcombe (2006) or the limits of a beta law, whichever reach further, with a "
            "design effect for releases of one training."
        ),
    ),
    (kept("Shares"), kept("Korn and Graubard (1998); differences by square-and-add (Newcombe 1998) and Tango (1998).")),
    (kept("Epsilon"), kept("A lower bound by Clopper and Pearson (1934), in both directions, with its ceiling.")),
    (
        kept("Multiple comparisons"),
        kept("Bonferroni within a question; Benjamini and Hochberg (1995) for lists of records."),
    ),
    (
        kept("Planted leaks"),
        kept("Every attack must find a leak of known size, planted for it, before its silence counts."),
    ),
    (
        kept("Games"),
        kept(
            "Miura et al. (2024); Krčo et al. (2025), model-seeded; Giomi et al. (2023) for the control of inference."
        ),
    ),
)
TITLES_OF_CLASSES: Mapping[str, str] = Readings(shareable=phrase("Shareable"), restricted=phrase("Restricted"))
"""What the classes of a report are called."""
SUPPRESSED = kept("Counts of fewer than 10 people are withheld.")
MEASURES = (
    words.TITLES
    | attributes_words.TITLES
    | attributes_words.CONTRASTS
    | explanations_words.MEASURES
    | {
        "auc": phrase("AUC"),
        "accuracy": phrase("Right answers"),
        "tpr_at_fpr": phrase("TPR at a low FPR"),
        "hits": phrase("Members found"),
        "records_above": phrase("records above"),
        "mean_auc": phrase("mean AUC of a person"),
        "planted_auc": phrase("mean AUC on the planted leak"),
        "rank_correlation": phrase("rank correlation"),
        "top_three": phrase("top three"),
        "exposed": phrase("exposed"),
        "exposed_by_chance": phrase("exposed by chance"),
        "exposed_beyond_chance": phrase("exposed beyond chance"),
        "acceptance": phrase("acceptance"),
        "accepted_mae": phrase("accepted MAE"),
    }
)


def number_in_words(estimate: Estimate | None, *marks: float) -> str:
    """A number as every output shows it; a dash where there is none. No end is rounded onto one of the marks."""
    return "–" if estimate is None else wording.number(estimate, *marks)


def foremost(lines: int, every: int) -> str:
    """What stands under a table of numbers that was cut after those that matter most."""
    return say("The {lines:,} most important of {every:,} numbers; the rest is in the CSV.", lines=lines, every=every)


def cut_sentence(lines: int, every: int, *, on_paper: bool) -> str:
    """What stands under a table that was cut: of a report, else of a command."""
    if not on_paper:
        return say("The first {lines:,} of {every:,} lines; --json prints every number.", lines=lines, every=every)
    return say("The first {lines:,} of {every:,} lines; the rest is in the CSV.", lines=lines, every=every)
