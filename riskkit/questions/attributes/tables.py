"""The tables of one guessed secret: every measure and what it comes to, exact matches, and secrets drawn anew.

``number`` is that of the answer, in the order in which secrets and known sets were asked.
"""

from __future__ import annotations

from collections.abc import Iterator

from riskkit.language import say
from riskkit.questions.attributes import gain_words, match_words, randomised_words, words
from riskkit.questions.attributes.findings import SecretAnswer
from riskkit.show.blocks import Column, Group, Numbers, Sentence
from riskkit.show.model import Block
from riskkit.show.names import Names


def key_of(name: str, number: int) -> str:
    """The key of a block of that answer; that of the first has no number."""
    return name if number == 1 else f"{name} {number}"


def tables(answer: SecretAnswer, number: int, names: Names) -> Iterator[Block]:
    """Everything that stands under the pictures of an answer."""
    yield from _again(answer, number, names)
    yield from _numbers(answer, number)
    yield from _matches(answer, number)


def _again(answer: SecretAnswer, number: int, names: Names) -> Iterator[Block]:
    """What was guessed of secrets drawn anew."""
    if not answer.again:
        return
    titles = randomised_words.TITLES if answer.measure == "accuracy" else randomised_words.OF_NUMBERS
    alt = say("What was guessed of secrets drawn anew")
    table = Numbers(
        key_of("again", number),
        alt,
        (Column("what", say("Measure")), Column("found", say("Found")), Column("n", say("Trainings"))),
        tuple((titles[estimate.name], estimate, estimate.n) for estimate in answer.rerun),
        alt=alt,
    )
    sentence = names.told(answer.again)
    blocks = _under("drawn", sentence, table)
    yield Group("again", say("Secrets drawn anew"), blocks, caption=say(randomised_words.WHAT))


def _under(key: str, sentence: str, table: Numbers) -> tuple[Block, ...]:
    """The table under a sentence, where there is something to say."""
    return (Sentence(key, sentence), table) if sentence else (table,)


def _numbers(answer: SecretAnswer, number: int) -> Iterator[Block]:
    """Every measure of every side, and what they come to."""
    tables: list[Block] = [_measures(answer, number), *_gains(answer, number), *_contrasts(answer, number)]
    if missing := gain_words.no_ratio(answer):
        title = words.CONTRASTS["leakage_ratio"]
        tables.append(Sentence("no_ratio", say("{title}: {part}", title=title, part=missing)))
    n = max((estimate.n for estimate in answer.estimates), default=0)
    level = next((estimate.level for estimate in answer.estimates), 0.95)
    caption = say("Value [low, high]; {level:.4g} % intervals over at most {n:,} records.", level=100 * level, n=n)
    yield Group("numbers", say("All numbers"), tuple(tables), is_folded=True, caption=caption)


def _measures(answer: SecretAnswer, number: int) -> Numbers:
    first, other = ("tested", "released") if answer.baseline == "tested" else ("released", "tested")
    baselines = {"baseline": words.OVER[first], "other baseline": words.OVER[other]}
    titles = {side: say("Baseline: {over}", over=over) for side, over in baselines.items()}
    return Numbers(
        key_of("measures", number),
        say("Every measure with its intervals"),
        (
            Column("measure", say("Measure")),
            *(Column(side, titles.get(side) or words.SAID[side]) for side in answer.sides),
        ),
        tuple(
            (words.TITLES[measure], *(answer.bar(side, measure) for side in answer.sides))
            for measure in answer.measures
        ),
        alt=say("Every measure with its intervals"),
    )


def _gains(answer: SecretAnswer, number: int) -> Iterator[Block]:
    """What release and real data add to a constant guess by each measure, the ratio, and how it reads."""
    rows = tuple(
        (
            words.TITLES[gain.measure],
            words.OVER[gain.over],
            gain.delta,
            gain.below,
            gain.ratio,
            words.RISK["luck" if gain.risk is None and gain.ratio is not None else gain.risk or ""],
        )
        for gain in gain_words.gains(answer)
    )
    title = say("Gains and leakage ratios by measure")
    columns = (
        Column("measure", say("Measure")),
        Column("over", say("Compared with"), words.GLOSSARY["baseline"]),
        Column("release", words.CONTRASTS["delta"], words.GLOSSARY["delta"]),
        Column("real", say("Gain of the real data"), words.GLOSSARY["ceiling"]),
        Column("ratio", words.CONTRASTS["leakage_ratio"], words.GLOSSARY["leakage_ratio"]),
        Column("risk", say("Read by itself"), say(gain_words.NO_VERDICT)),
    )
    if rows:
        yield Numbers(key_of("gains", number), title, columns, rows, alt=title)


def _contrasts(answer: SecretAnswer, number: int) -> Iterator[Block]:
    """The comparisons that could be made."""
    rows = tuple(
        (title, estimate, words.GLOSSARY[name])
        for name, title in words.CONTRASTS.items()
        if name not in ("delta", "leakage_ratio") and (estimate := answer.contrast(name))
    )
    title = say("Comparisons with their intervals")
    meaning = Column("means", say("What it means"), width=0)
    columns = (Column("what", say("Comparison")), Column("found", say("Found")), meaning)
    if rows:
        yield Numbers(key_of("contrasts", number), title, columns, rows, alt=title)


def _matches(answer: SecretAnswer, number: int) -> Iterator[Block]:
    """CAP, DCAP and TCAP of both sides, with the shares they stand on."""
    if not answer.looked_up:
        return
    by_side = {(estimate.name, estimate.labels.get("tested_on", "")): estimate for estimate in answer.looked_up}
    title = say("CAP, DCAP and TCAP with their intervals")
    table = Numbers(
        key_of("matches", number),
        title,
        (
            Column("measure", say("Measure")),
            Column("control", words.SAID["control"]),
            Column("members", words.SAID["members"]),
            Column("apart", say("Members minus control")),
            Column("means", say("What it means"), width=0),
        ),
        tuple(
            (
                match_words.TITLES[name],
                *(by_side.get((name, side), "–") for side in ("control", "members")),
                by_side.get((match_words.APART.get(name, ""), ""), "–"),
                match_words.GLOSSARY[name],
            )
            for name in match_words.ALONE
        ),
        alt=title,
    )
    caption = say(
        "{handling} {exact} Intervals are for one look each.",
        handling=match_words.handling(answer.looked_up),
        exact=say(match_words.EXACT),
    )
    sentence = match_words.sentence(answer.looked_up)
    blocks = _under("matched", sentence, table)
    yield Group("matches", say("Rows that match exactly (CAP)"), blocks, is_folded=True, caption=caption)
