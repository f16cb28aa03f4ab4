"""Every term that an ⓘ or the glossary of a report explains, and what it means: written here and nowhere else."""

from __future__ import annotations

from collections.abc import Mapping

from riskkit.language import say

TERMS: Mapping[str, str] = {
    "row": say("Row of the real table, counted from 0."),
    "record": say(
        "One person asked about; equal rows are one record. Intervals count records: the release stays as it is."
    ),
    "epsilon_lower": say(
        "The game shows that the method is not ε-differentially private for any ε below this. Where it cannot be "
        "shown, nothing is known of ε. The ceiling is what would have been shown had every answer been right."
    ),
    "limit": say(
        "The most leak that somebody declared tolerable. It comes from people, never from the data; a report names who "
        "set it."
    ),
    "verdict.above_the_limit": say("The interval of the strongest attack lies wholly above the limit."),
    "verdict.within_the_limit": say(
        "Every interval lies wholly below the limit, and every leak that we planted ourselves was found."
    ),
    "verdict.leak_shown": say("No limit is set, and the interval of the strongest attack lies wholly above guessing."),
    "verdict.undecided": say("Everything else. More trainings or more people may settle it."),
    "give_away": say("What the file says of people by itself: copied rows, the order of its rows, identifiers."),
    "what_if": say(
        "A question about a method that is not known to have made this release. It says nothing of this release."
    ),
    "membership.accuracy": say(
        "How often the attacker's answer is right when a fair coin decides whether the record was in. 0.50 is "
        "guessing, 1.00 is always right."
    ),
    "membership.auc": say(
        "Shown one release made with the record and one made without it, how often the attacker scores the right one "
        "higher. 0.50 is guessing, 1.00 is always."
    ),
    "membership.advantage": say(
        "How much more often the attacker says “in” of releases made with the record than of releases made without it. "
        "0.00 is guessing, 1.00 is always right."
    ),
    "membership.tpr_at_fpr": say(
        "The share of releases made with the record that the attacker names, while it may accuse this share of the "
        "releases made without it."
    ),
    "membership.training": say(
        "One fit of the generator. Trainings are independent of each other, so intervals count trainings and nothing "
        "else."
    ),
    "membership.generation": say(
        "One release drawn from a training. Releases of one training resemble each other, so more of them add little."
    ),
    "membership.interval": say(
        "The range that holds the true value in 95 of 100 audits like this one (at the usual level of 95 %)."
    ),
    "membership.control": say(
        "The same game with a method that is known to leak, and how much. An attack that cannot find that leak says "
        "nothing by finding none elsewhere."
    ),
    "membership.chance": say("What an attacker reaches who has not seen the release and guesses."),
    "released.auc": say(
        "Shown one person who was in and one who was not, how often the attacker scores the right one higher. 0.50 is "
        "guessing, 1.00 is always."
    ),
    "released.tpr_at_fpr": say(
        "The share of the people who were in that the attacker names, while it may accuse this share of those who were "
        "not."
    ),
    "released.control": say(
        "The same attack on a release into which slightly changed copies of known people were planted."
    ),
    "released.dcr": say(
        "How far the nearest released row lies, in standard deviations (SDs) of the columns; a category that differs "
        "counts as 1."
    ),
    "released.nndr": say(
        "The distance to the nearest released row over that to the second nearest. Small: one row stands out near."
    ),
    "records.auc": say(
        "Shown one release of this very table and one of the same table without the person, how often the attacker "
        "picks the right one. 0.50 is guessing, 1.00 is always."
    ),
    "records.certificate": say(
        "What the best attack there can be would achieve, computed from the method itself. No attacker who knows as "
        "much does better, so the true risk of the person is not above it."
    ),
    "records.traditional": say(
        "The same attack where the other people in the table are drawn anew each time. It averages over tables that "
        "were never released, so it can miss a person whom this very table exposes."
    ),
    "records.outlierness": say(
        "How far the person is from the five most similar others: 0 has twins, 1 has nobody alike (the score of "
        "Meeus and others 2023)."
    ),
    "records.listed": say(
        "Above the limit after allowing for having looked at everybody: at most one in twenty of those listed is "
        "expected there by chance (Benjamini and Hochberg)."
    ),
    "records.fresh": say(
        "Who is chosen for a high number has been lucky too. Those were played again on fresh trainings, and the fresh "
        "number stands here."
    ),
    "records.proof": say(
        "The chance that a release shows a combination of values that nobody else in the table has. A release made "
        "without the person never shows it."
    ),
    "records.advantage": say(
        "How much more often the attacker says “in” of releases made with the person than without."
    ),
    "attributes.accuracy": say("The share of people whose secret is guessed rightly."),
    "attributes.within": say("The share of people whose number is guessed within the tolerance."),
    "attributes.balanced_accuracy": say(
        "The share guessed rightly of each level, then the mean: rare levels count like common ones."
    ),
    "attributes.macro_f1": say(
        "How well naming a level hits those who have it and spares those who do not; mean over the levels."
    ),
    "attributes.auc": say(
        "Shown one person who has a level and one who has not, how often the right one gets the higher probability; "
        "mean over the levels. 0.50 is guessing."
    ),
    "attributes.log_loss": say(
        "How surprised the attacker is by the truth (natural logarithm). Less is better for the attacker."
    ),
    "attributes.r2": say("The share of the spread of the number that is explained. 0 is no better than its mean."),
    "attributes.mae": say(
        "How far off a guess is on average, in the unit of the column. Less is better for the attacker."
    ),
    "attributes.delta": say(
        "How much better guesses from the release are than the baseline, on the same people. 0.00 is no better. In "
        "macro F1 guesses drawn at random are better than a constant one too."
    ),
    "attributes.residual": say(
        "Of what is not guessed about people who were not in, the share that is guessed because one was in. 0.00: "
        "people in the data are no easier to guess than others; 1.00: all that could leak does."
    ),
    "attributes.difference": say(
        "How many more of the people who were in are guessed rightly than of those who were not."
    ),
    "attributes.attributable": say(
        "Of the right guesses about members, the share that would not be right had they not been in."
    ),
    "attributes.leakage_ratio": say(
        "How much of what a model of the real data adds to the baseline a model of the release adds too. Read by "
        "itself, near 1.00 is a high risk and near 0.00 a low one; it is the same with and without a leak about people."
    ),
    "attributes.ceiling": say(
        "How much better a model of the real data is than the same baseline, on the same people."
    ),
    "attributes.baseline": say(
        "What is guessed without any known column: the most frequent level, or the median, of the people tested (the "
        "hardest there is) or of the released rows (all that an attacker has). For AUC and balanced accuracy: chance."
    ),
    "attributes.exposed": say(
        "Guessed rightly and surely from the release, but neither by what is most frequent in it nor by a model of "
        "real people that never saw this one, nor a row equal to this one."
    ),
    "matches.matched": say(
        "The share of people with a released row that agrees in all known columns. Low: the rest says little."
    ),
    "matches.cap": say(
        "The mean share of the true level among matching rows: how often one drawn from them would be right."
    ),
    "matches.dcap": say("By how much that is above drawing from all released rows. 0.00: looking up tells nothing."),
    "matches.agreed": say(
        "The share of people whose matching rows all have one level (WEAP 1). TCAP is about them alone."
    ),
    "matches.tcap": say(
        "Of those, the share who truly have that level. Read it beside the control: a common level is often right."
    ),
    "explanations.success_rate": say(
        "The share of values that are recovered: the very category, or a number within the tolerance of its column's "
        "range, after decoding to valid values."
    ),
    "explanations.mae": say(
        "How far off an answer is on average, as a share of the column's range. 0.00 is exact; less is better for "
        "the attacker."
    ),
    "explanations.acceptance": say(
        "The share of answers the attacker without data stands by. Luo and others print it as “success rate”; it says "
        "nothing of being right."
    ),
    "explanations.accepted_mae": say("The mean error of the answers the attacker stands by."),
    "explanations.rank_correlation": say(
        "How alike the published values rank the inputs of a person to the exact ones. 1.00: the same."
    ),
    "explanations.top_three": say(
        "Of the three inputs that weigh most, the share that readers still see among their three."
    ),
    "explanations.constant": say(
        "The same guess for everybody: the median, best for the error, or the most frequent value, best for the rate. "
        "An attack that does not beat it recovers nothing from the explanations."
    ),
    "explanations.association": say(
        "How much a column has to do with the target, from 0 (nothing) to 1 (it decides it)."
    ),
    "explanations.rows": say(
        "Other people's rows with their explanations, or made-up rows the attacker sends to the service itself."
    ),
    "explanations.explainer": say(
        "How the published Shapley values are found. Most services publish what the shap library gives; with it, these "
        "very values are attacked. Our own are the fast way."
    ),
    "explanations.references": say(
        "Rows that every answer is compared with. With a single one, a value of 0 means equal to that row."
    ),
    "contest.hits": say("Of the rows an attacker is surest of, how many were in the sample. Fewer protect better."),
    "contest.best": say(
        "The best is the attacker that finds most; its interval allows for having looked at all attackers."
    ),
    "contest.control": say(
        "The sample itself was released once more, as it is: whoever does not find that is blind here, and its "
        "silence on the other releases says nothing."
    ),
    "contest.other_people": say(
        "How close other people of the same population come, whom no release was made from. A release "
        "need not be closer to its sample than they are."
    ),
    "contest.elsewhere": say(
        "The same measures against people whom no release was made from (the holdout, where there is one): "
        "does the release stand for others too? In the first column are the real rows of the sample themselves."
    ),
    "contest.learnt": say(
        "The share of people whom no release was made from of whom a model that learnt from the release tells the "
        "column rightly, with the exact interval over them. Beside it the same model learnt from the real rows: what "
        "a release can reach at best."
    ),
    "contest.guessing": say("What somebody finds who names rows blindly: the hypergeometric law, known exactly."),
    "contest.points": say(
        "An anonymiser has 1,000 points less 10 for each per cent of the named rows that the best attacker finds; "
        "where a preliminary round counts, it weighs 1 and the main round 9. An attacker has 10 points for each per "
        "cent of the named rows that it finds: against the winner alone, as in the paper, and on average against the "
        "best three, as in the rules. Who names no row for one of them finds none there."
    ),
    "contest.usefulness": say(
        "These describe the release that was played, exactly; they estimate nothing, so they have no "
        "interval. Play 5 rounds or more to see how they vary from release to release."
    ),
    "contest.frontier": say(
        "Up is better protected, right is more useful. Grey settings are beaten: another one is at least as useful "
        "and at most as many are found in it. The line joins those that nobody beats. Spots without a name tell it "
        "when they are pointed at."
    ),
}
"""What each term means. A term that only one question has, or means otherwise, begins with that question."""

REPORTED: Mapping[str, str] = {
    "membership.auc": say("AUC"),
    "membership.advantage": say("Advantage"),
    "membership.accuracy": say("Right answers"),
    "membership.tpr_at_fpr": say("Named at few false alarms"),
    "epsilon_lower": say("ε, lower bound"),
    "membership.interval": say("Interval"),
    "membership.training": say("Training"),
    "membership.control": say("Planted leak (control)"),
    "membership.chance": say("Chance"),
    "attributes.residual": say("Residual"),
    "attributes.delta": say("Gain over the baseline"),
    "explanations.constant": say("Constant guess"),
    "record": say("Record"),
    "limit": say("Limit"),
    "verdict.above_the_limit": say("Above the limit"),
    "verdict.within_the_limit": say("Within the limit"),
    "verdict.leak_shown": say("Leak shown"),
    "verdict.undecided": say("Undecided"),
    "give_away": say("Give-away"),
    "what_if": say("What-if"),
}
"""The terms in the glossary of a report, in its order, with what people call them."""


def of(question: str) -> Mapping[str, str]:
    """What the terms of that question mean, by their own names: those of all questions, and its own."""
    common = {name: meaning for name, meaning in TERMS.items() if "." not in name}
    own = {name.removeprefix(f"{question}."): meaning for name, meaning in TERMS.items()}
    return common | {name: meaning for name, meaning in own.items() if "." not in name}


def reported() -> Mapping[str, str]:
    """The glossary of a report: what people call a term, and what it means."""
    return {title: TERMS[name] for name, title in REPORTED.items()}
