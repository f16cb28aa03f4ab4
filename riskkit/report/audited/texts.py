"""Every text of the report that is not made of numbers, in one place, so that another language can follow."""

from __future__ import annotations

from collections.abc import Mapping

from riskkit.core import Estimate
from riskkit.report import attributes_words, explanations_words, released_findings, words
from riskkit.stats.verdict import Verdict

TITLE = "Privacy audit of a release"
QUESTIONS: Mapping[str, tuple[str, str]] = {
    "membership": ("Membership", "Was this record in the data? The method is trained again and again."),
    "released": ("The released file", "Can people who were in be told from others by the file alone?"),
    "records": ("Records", "How exposed is each single record?"),
    "attributes": ("Attributes", "What does the release let a stranger infer of a person?"),
    "explanations": ("Explanations", "What do a model's published explanations give away?"),
    "contest": ("Contest", "Which way of making a release protects best at the same usefulness?"),
}
"""Title and plain meaning of each question, in the order of a report."""
VERDICTS: Mapping[Verdict, tuple[str, str]] = {
    Verdict.LEAK: ("▲", "Leak shown"),
    Verdict.NO_LEAK: ("●", "No leak above the limit shown"),
    Verdict.UNDECIDED: ("◌", "Undecided"),
}
NOT_RUN = "Not run"
NO_VERDICT = "No verdict: it compares methods"
NO_LIMIT = "no limit set"
STATES: Mapping[str, str] = {
    "": "Nobody has asked this question of the release.",
    "queued": "A run waits for its turn; it says nothing yet.",
    "running": "A run is at work; it says nothing yet.",
    "paused": "The run is paused, so it says nothing yet.",
    "failed": "The run failed, so it says nothing.",
    "cancelled": "The run was cancelled, so it says nothing.",
    "interrupted": "The run was interrupted, so it says nothing.",
    "purged": "The scores of single records were removed for their age, and no verdict can be made without them.",
    "earlier": "It was asked of an earlier version of the files; run it again.",
}
SETTLES: Mapping[str, str] = {
    "queued": "Let the run end.",
    "running": "Let the run end.",
    "paused": "See to what held it up, then resume it on the page Audits; what is done is kept.",
    "failed": "Mend what stopped it, then run it again; what is done is kept.",
    "cancelled": "Resume it on the page Audits; what is done is kept.",
    "interrupted": "Resume it on the page Audits; what is done is kept.",
    "purged": "Run it again with the same settings on the same files; the numbers will be the same.",
}
"""What would decide a question whose run is in that state."""
REASON_WITHHELD = "The restricted report says why."
OVERALL_NOTE = (
    "The overall verdict is the gravest of its questions. Each interval allows for everything that was looked at "
    "within its own question, not for the number of questions."
)
NOT_PROOF = (
    "No verdict says that a release may be published. That no leak shows speaks of the questions, attacks and records "
    "that were tried; a decision takes the context of the release into account, which no program knows."
)
CLASSES: Mapping[str, str] = {
    "shareable": (
        "Shareable: aggregates only. Columns, files and records stand under neutral references, small counts are "
        "withheld, and no value of the real table is in it."
    ),
    "named": (
        "Shareable: aggregates only. Columns have their names, which stand in the release too; files and records stand "
        "under neutral references, small counts are withheld, and no value of the real table is in it."
    ),
    "restricted": (
        "Restricted: holds names of columns and files and row numbers of real people. For readers who may see the real "
        "table."
    ),
}
WATERMARK = "RESTRICTED"
SECTIONS: Mapping[str, str] = {
    "verdicts": "Verdicts",
    "files": "What was audited",
    "risk": "Records at risk",
    "grid": "Attributes: every secret from every known set",
    "frontier": "Contest: usefulness and privacy",
    "preparation": "Data preparation and repairs",
    "methods": "Methods",
    "provenance": "Provenance",
    "wp29": "Singling out, linkability, inference",
    "glossary": "Glossary",
    "not_shown": "What this does not show",
    "numbers": "Numbers",
}
WP29_INTRO = (
    "Opinion 05/2014 of the Article 29 Working Party names three risks of anonymised data. The table says which "
    "question of this audit bears on each. It is a reading aid and no legal assessment: the opinion asks for means "
    "likely to be used by anyone, an audit tries the attacks it has."
)
WP29: tuple[tuple[str, tuple[str, ...], str], ...] = (
    (
        "Singling out",
        ("membership", "released", "records"),
        (
            "That a record was in can be told of it alone, apart from others. Isolating a person by rare values was "
            "not tried as such."
        ),
    ),
    (
        "Linkability",
        ("contest",),
        (
            "Contests name rows of a population that were in the sample. Linking two published tables with each other "
            "was not tried."
        ),
    ),
    (
        "Inference",
        ("attributes", "explanations"),
        "A secret is guessed from what is known of a person; what counts as a leak is what is owed to having been in.",
    ),
)
METHODS: tuple[tuple[str, str], ...] = (
    (
        "Unit of replication",
        "Independent trainings of the method (of games), people (of a released file). Fewer than 5 a side: no number.",
    ),
    ("AUC", "Interval by method 5 of Newcombe (2006), with a design effect for releases of one training."),
    ("Shares", "Korn and Graubard (1998); differences by square-and-add (Newcombe 1998) and Tango (1998)."),
    ("Epsilon", "A lower bound by Clopper and Pearson (1934), in both directions, with its ceiling."),
    ("Many looks", "Bonferroni within a question; Benjamini and Hochberg (1995) for lists of records."),
    ("Planted leaks", "Every attack must find a leak of known size, planted for it, before its silence counts."),
    (
        "Games",
        "Miura et al. (2024); Krčo et al. (2025), model-seeded; Giomi et al. (2023) for the control of inference.",
    ),
)
SUPPRESSED = "Counts of fewer than 10 people are withheld."
CAPPED = "The first {shown:,} of {all:,} lines; the rest is in the CSV."
GLOSSARY: Mapping[str, str] = {
    "AUC": words.GLOSSARY["auc"],
    "Advantage": words.GLOSSARY["advantage"],
    "Right answers": words.GLOSSARY["accuracy"],
    "Named at few false alarms": words.GLOSSARY["tpr_at_fpr"],
    "ε, lower bound": words.GLOSSARY["epsilon_lower"],
    "Interval": words.GLOSSARY["interval"],
    "Training": words.GLOSSARY["training"],
    "Planted leak (control)": words.GLOSSARY["control"],
    "Chance": words.GLOSSARY["chance"],
    "Residual": attributes_words.GLOSSARY["residual"],
    "Gain over the baseline": attributes_words.GLOSSARY["delta"],
    "Constant guess": explanations_words.GLOSSARY["constant"],
    "Record": released_findings.GLOSSARY["record"],
    "Limit": (
        "The most leak that somebody declared tolerable. It comes from people, never from the data; a report names who "
        "set it."
    ),
    "Leak shown": "The whole interval lies above the limit, or above guessing where no limit is set.",
    "No leak above the limit shown": "The whole interval lies below the limit, and a planted leak was found.",
    "Undecided": "Everything else. More trainings or more people may settle it.",
}
"""The words of the report and their plain meaning."""
MEASURES: Mapping[str, str] = {
    **words.TITLES,
    **attributes_words.TITLES,
    **attributes_words.CONTRASTS,
    **explanations_words.MEASURES,
    "auc": "AUC",
    "accuracy": "Right answers",
    "tpr_at_fpr": "Named at few false alarms",
    "hits": "Members found",
}


def shown(estimate: Estimate | None) -> str:
    """A number as every output shows it: value and interval to two decimals; a dash where there is none."""
    return "–" if estimate is None else words.number(estimate)


def verdict(given: Verdict) -> str:
    """Icon and word."""
    icon, word = VERDICTS[given]
    return f"{icon} {word}"
