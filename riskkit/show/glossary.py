"""Every term that an ⓘ or the glossary of a report explains, and what it means: written here and nowhere else."""

from __future__ import annotations

from collections.abc import Mapping

from riskkit.language import Readings, kept

_TERMS: Mapping[str, str] = {
    "row": kept("Row of the real table, counted from 0."),
    "record": kept(
        "One person asked about; equal rows are one record. Intervals count records: the release stays as it is. "
        "Where a column names the person of a row, a record is a person with all of their rows."
    ),
    "epsilon_lower": kept(
        "The game shows that the method is not ε-differentially private for any ε below this. Where it cannot be "
        "shown, ε may have any value. The ceiling is what would have been shown had every answer been right."
    ),
    "limit": kept(
        "The largest leak that somebody declared tolerable. People set it, never the data; a report names who did."
    ),
    "verdict.above_the_limit": kept("The interval of the strongest attack lies wholly above the limit."),
    "verdict.within_the_limit": kept(
        "Every interval lies wholly below the limit, and every leak that we planted ourselves was found."
    ),
    "verdict.leak_shown": kept("No limit is set, and the interval of the strongest attack lies wholly above guessing."),
    "verdict.undecided": kept("Everything else. More trainings or more people may settle it."),
    "give_away": kept(
        "What the file says of people by itself: copied rows, the order of its rows, identifiers, texts."
    ),
    "what_if": kept(
        "A question about a method that is not known to have made this release. It says nothing of this release."
    ),
    "membership.accuracy": kept(
        "How often the attacker's answer is right when chance (½) decides whether the record is in the data. 0.50 "
        "is guessing, 1.00 is always right."
    ),
    "membership.auc": kept(
        "Shown one release made with the record and one made without it, how often the attacker scores the right one "
        "higher. 0.50 is guessing, 1.00 is always."
    ),
    "membership.advantage": kept(
        "How much more often the attacker says “in” of releases made with the record than of releases made without "
        "it. 0.00 is guessing, 1.00 is always right."
    ),
    "membership.tpr_at_fpr": kept(
        "The share of releases made with the record that the attacker names, while it wrongly names this share (the "
        "false alarms) of the releases made without it."
    ),
    "membership.training": kept(
        "One fit of the generator. Trainings are independent of each other, so intervals count trainings and nothing "
        "else."
    ),
    "membership.generation": kept(
        "One release drawn from a training. Releases of one training resemble each other, so more of them add little."
    ),
    "membership.interval": kept(
        "The range that holds the true value in 95 of 100 audits like this one (at the usual level of 95 %)."
    ),
    "membership.control": kept(
        "The same game with a method whose leak is known. If an attack does not find that leak, it means nothing that"
        " it finds none elsewhere."
    ),
    "membership.chance": kept("What an attacker reaches by guessing, without having seen the release."),
    "released.auc": kept(
        "Shown one member and one person outside the data, how often the attacker scores the right one higher. "
        "0.50 is guessing, 1.00 is always."
    ),
    "released.tpr_at_fpr": kept(
        "The share of the members whom the attacker names, while it wrongly names this share (the false alarms) "
        "of others."
    ),
    "released.control": kept(
        "The same attack on a release into which slightly changed copies of known people were planted."
    ),
    "released.dcr": kept(
        "How far the nearest released row lies, in standard deviations (SDs) of the columns; a category that differs "
        "counts as 1."
    ),
    "released.nndr": kept(
        "The distance to the nearest released row divided by that to the second nearest. A small ratio means that one"
        " released row is much nearer than the next."
    ),
    "records.auc": kept(
        "Shown one release of this very table and one of the same table without the person, how often the attacker "
        "picks the right one. 0.50 is guessing, 1.00 is always."
    ),
    "records.certificate": kept(
        "What the best possible attack would achieve, computed from the method itself. No attacker who knows as "
        "much does better, so the true risk of the person is not above it."
    ),
    "records.traditional": kept(
        "The same attack where the other people in the table are drawn anew each time. It averages over tables that "
        "were never released, so it can miss a person whom this very table exposes."
    ),
    "records.outlierness": kept(
        "How far the person is from the five most similar others: 0 means there are twins, 1 means nobody is alike "
        "(the score of Meeus and others 2023)."
    ),
    "records.listed": kept(
        "Above the limit after correcting for tests of everybody: at most one in twenty of those listed is "
        "expected there by chance (Benjamini and Hochberg)."
    ),
    "records.fresh": kept(
        "Records that are chosen for a high number owe part of it to luck. They were run again on fresh "
        "trainings, and the fresh number stands here."
    ),
    "records.proof": kept(
        "The chance that a release shows a combination of values that nobody else in the table has. A release made "
        "without the person never shows it."
    ),
    "records.advantage": kept(
        "How much more often the attacker says “in” of releases made with the person than without."
    ),
    "attributes.accuracy": kept("The share of people whose secret is guessed rightly."),
    "attributes.within": kept("The share of people whose number is guessed within the tolerance."),
    "attributes.balanced_accuracy": kept(
        "The share guessed rightly of each level, then the mean: rare levels count like common ones."
    ),
    "attributes.macro_f1": kept(
        "The F1 score of each level (harmonic mean of precision and recall), then the mean: rare levels count like "
        "common ones."
    ),
    "attributes.auc": kept(
        "Shown one person who has a level and one who has not, how often the right one gets the higher probability; "
        "mean over the levels. 0.50 is guessing."
    ),
    "attributes.log_loss": kept(
        "Minus the natural logarithm of the probability given to the true level, on average. Less is better for the "
        "attacker."
    ),
    "attributes.r2": kept(
        "The share of the variance of the number that the guesses explain. 0 is no better than the mean."
    ),
    "attributes.mae": kept(
        "How far off a guess is on average, in the unit of the column. Less is better for the attacker."
    ),
    "attributes.delta": kept(
        "How much better guesses from the release are than the baseline, on the same people. 0.00 is no better. By "
        "macro F1, guesses drawn at random are also better than a constant guess."
    ),
    "attributes.residual": kept(
        "Of the guesses that would be wrong if people were not in the data, the share that is right because they "
        "are. 0.00: people in the data are no easier to guess than others; 1.00: all that could leak does."
    ),
    "attributes.difference": kept("The share guessed rightly of members, minus that of the people outside the data."),
    "attributes.attributable": kept(
        "Of the right guesses about members, the share that would not be right had they not been in."
    ),
    "attributes.leakage_ratio": kept(
        "The gain of a model of the release over the baseline, as a share of the gain of a model of the real data. "
        "Read by itself, near 1.00 is a high risk and near 0.00 a low risk. It is the same with and without a leak "
        "about people."
    ),
    "attributes.ceiling": kept(
        "How much better a model of the real data is than the same baseline, on the same people."
    ),
    "attributes.baseline": kept(
        "What is guessed without any known column: the most frequent level, or the median, of the people tested (the "
        "hardest there is) or of the released rows (all that an attacker has). For AUC and balanced accuracy: chance."
    ),
    "attributes.exposed": kept(
        "Guessed rightly and with confidence from the release, but neither by the most frequent value in it nor by a "
        "model of real people that saw neither this person nor an equal row."
    ),
    "attributes.matched": kept(
        "The share of people with a released row that agrees in all known columns. Low: the rest says little."
    ),
    "attributes.cap": kept(
        "The mean share of the true level among matching rows: how often a row drawn from them would be right."
    ),
    "attributes.dcap": kept("By how much CAP is above drawing from all released rows. 0.00: looking up tells nothing."),
    "attributes.agreed": kept(
        "The share of people whose matching rows all have one level (WEAP 1). TCAP is about them alone."
    ),
    "attributes.tcap": kept(
        "Of the people whose matching rows all have one level, the share who truly have that level. Read it beside "
        "the control: a common level is often right."
    ),
    "explanations.success_rate": kept(
        "The share of values that are recovered: the very category, or a number within the tolerance of its column's "
        "range, after decoding to valid values."
    ),
    "explanations.mae": kept(
        "How far off an answer is on average, as a share of the column's range. 0.00 is exact; less is better for the"
        " attacker."
    ),
    "explanations.acceptance": kept(
        "The share of values for which the attacker without data does not decline to answer. Luo and others print it "
        "as “success rate”; it does not say that the answers are right."
    ),
    "explanations.accepted_mae": kept("The mean error of the answers that the attacker does not decline."),
    "explanations.rank_correlation": kept(
        "How similarly the published values and the exact values rank the inputs of a person. 1.00: the same order."
    ),
    "explanations.top_three": kept(
        "Of the three weightiest inputs, the share that is still among the three weightiest published."
    ),
    "explanations.constant": kept(
        "The same guess for everybody: the median, best for the error, or the most frequent value, best for the rate."
        " An attack that does not beat it recovers nothing from the explanations."
    ),
    "explanations.association": kept(
        "How much a column has to do with the target, from 0 (nothing) to 1 (it decides it)."
    ),
    "explanations.rows": kept(
        "Other people's rows with their explanations, or made-up rows the attacker sends to the service itself."
    ),
    "explanations.explainer": kept(
        "How the published explanations are computed. Most services publish what the shap library gives; if it is "
        "chosen, exactly those values are attacked. riskkit's own ways are faster. Gradients say nothing of trees, "
        "counterfactuals nothing of a number."
    ),
    "explanations.references": kept(
        "Rows that every answer is compared with. With a single one, a value of 0 means equal to that row."
    ),
    "contest.hits": kept("Of the rows an attacker is surest of, how many are in the sample. Fewer protect better."),
    "contest.best": kept(
        "The best is the attacker with the most hits; its interval is corrected for testing all attackers."
    ),
    "contest.control": kept(
        "The sample itself was released once more, as it is: an attacker that does not find it is blind here, and its"
        " silence on the other releases says nothing."
    ),
    "contest.other_people": kept(
        "How close other people of the same population come to the sample; no release was made from them. A release "
        "need not be closer to its sample than they are."
    ),
    "contest.elsewhere": kept(
        "The same measures against people whom no release was made from (the holdout, where there is one): does the "
        "release stand for others too? In the first row are the real rows of the sample themselves."
    ),
    "contest.learnt": kept(
        "A model learns the column from the release and guesses it for people whom no release was made from: the "
        "share guessed rightly, with the exact interval over these people. Beside it, the same model learnt from the "
        "real rows: the best a release can reach."
    ),
    "contest.guessing": kept(
        "What somebody who names rows blindly finds; its distribution, the hypergeometric, is known exactly."
    ),
    "contest.points": kept(
        "An anonymiser has 1,000 points less 10 for each per cent of the named rows that the best attacker finds; "
        "where a preliminary round counts, it weighs 1 and the main round 9. An attacker has 10 points for each per "
        "cent of the named rows that it finds: against the winner alone, as in the paper, and on average against the "
        "best three, as in the rules. An attacker that names no row for a release finds none in it."
    ),
    "contest.usefulness": kept(
        "These describe this release exactly; they estimate nothing, so they have no interval. Run 5 rounds or "
        "more to see how they vary from release to release."
    ),
    "contest.frontier": kept(
        "Lower is better protected, further right is more useful. Grey settings are beaten: another setting is at "
        "least as useful, and no more people are found in it."
    ),
    "contest.unnamed": kept("Point at a spot without a name to see its name."),
}
TERMS: Mapping[str, str] = Readings(_TERMS)
"""What each term means. A term that only one question has, or means otherwise, begins with that question."""

REPORTED: Mapping[str, str] = Readings(
    {
        "membership.auc": kept("AUC"),
        "membership.advantage": kept("Advantage"),
        "membership.accuracy": kept("Right answers"),
        "membership.tpr_at_fpr": kept("TPR at a low FPR"),
        "epsilon_lower": kept("ε, lower bound"),
        "membership.interval": kept("Interval"),
        "membership.training": kept("Training"),
        "membership.control": kept("Planted leak (control)"),
        "membership.chance": kept("Chance"),
        "attributes.residual": kept("Residual"),
        "attributes.delta": kept("Gain over the baseline (Δ)"),
        "explanations.constant": kept("Constant guess"),
        "record": kept("Record"),
        "limit": kept("Limit"),
        "verdict.above_the_limit": kept("Above the limit"),
        "verdict.within_the_limit": kept("Within the limit"),
        "verdict.leak_shown": kept("Leak shown"),
        "verdict.undecided": kept("Undecided"),
        "give_away": kept("Direct disclosure"),
        "what_if": kept("What-if"),
    }
)
"""The terms in the glossary of a report, in its order, with what people call them."""


def glossary_of(question: str) -> Mapping[str, str]:
    """What the terms of that question mean, by their own names: those of all questions, and its own."""
    common = {name: meaning for name, meaning in _TERMS.items() if "." not in name}
    own = {name.removeprefix(f"{question}."): meaning for name, meaning in _TERMS.items()}
    return Readings(common | {name: meaning for name, meaning in own.items() if "." not in name})


def report_glossary() -> Mapping[str, str]:
    """The glossary of a report: what people call a term, and what it means."""
    return {title: TERMS[name] for name, title in REPORTED.items()}
