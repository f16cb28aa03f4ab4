"""What the release lets anybody infer, for the report of the audit."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain

import numpy as np

from riskkit import wording
from riskkit.core import Estimate
from riskkit.errors import DesignError
from riskkit.judging.measurement import Measured
from riskkit.language import Readings, again, counted, joined, kept, phrase, say
from riskkit.questions.attributes import findings, words
from riskkit.questions.attributes import outcome as decided
from riskkit.questions.attributes.findings import SecretAnswer
from riskkit.questions.attributes.outcome import guess_title
from riskkit.questions.attributes.result import AttributesResult, Counts, Swept
from riskkit.show import for_whom
from riskkit.show.blocks import Column, Grid, Group, Numbers, Sentence, map_estimates, tabulate
from riskkit.show.model import AtRisk, Bar, Block, Chart, Given, Part, Played, RunFinding
from riskkit.show.names import Names
from riskkit.show.pairs import Paired, Same
from riskkit.show.run_finding import finding, game_in_words
from riskkit.stats.records import level_of_each
from riskkit.stats.same import hits_difference, places
from riskkit.wording import shorten, tenths

# What a page, a report and a notebook show of guessed secrets, block by block.

NAME = 40
"""Letters of a name in a sentence over a picture."""
UNBOUNDED = ("log_loss", "mae", "r2")
"""Measures that are no share."""
SHARES = ("accuracy", "within")
"""Measures that are a share of people."""
KINDS = {"control": "others"}
"""What a side is in a picture, where that has another name."""
AXES: Mapping[str, str] = Readings(
    {
        "accuracy": kept("Share of people guessed rightly"),
        "within": kept("Share of people guessed within the tolerance"),
        "log_loss": kept("Log loss (natural logarithm; less is better for the attacker)"),
        "r2": kept("R² (share of the spread explained)"),
    }
)
GAINED: Mapping[str, str] = Readings(
    delta=phrase("the release improves the guess beyond the baseline"),
    residual=phrase("being in makes it easier to guess"),
)
"""What a gain of the sweep says."""
SIGNS: Mapping[str, str] = Readings(
    delta=phrase("the whole interval lies above 0"),
    residual=phrase("a leak about members is shown"),
)
"""What a sign in a field of the sweep says."""


def view(result: AttributesResult, names: Names) -> tuple[Block, ...]:
    """Everything, in the order of the page, about the secret that the sentence is about."""
    answers = findings.summarise(result)
    return answer_blocks(answers, result.sweep, names, findings.foremost(answers))


def answer_blocks(
    answers: Sequence[SecretAnswer], sweep: Sequence[Swept], names: Names, place: int
) -> tuple[Block, ...]:
    """The answer at that place, the sweep, and the numbers of all other answers, for files."""
    if not answers:
        blocks = [*_sweep(sweep, names)]
    else:
        drawn = [(*_pictures(answer, number, names),) for number, answer in enumerate(answers, 1)]
        listed = [(*tables(answer, number, names),) for number, answer in enumerate(answers, 1)]
        blocks = [*drawn[place], *_sweep(sweep, names), *listed[place]]
        others = [(*drawn[other], *listed[other]) for other in range(len(answers)) if other != place]
        if others:
            title = say("The other secrets and known sets")
            blocks.append(Group("others", title, tuple(chain(*others)), is_folded=True, on_paper=False))
    each = label_estimates(answers, names)
    return tuple(map_estimates(block, each) for block in blocks)


def label_estimates(answers: Sequence[SecretAnswer], names: Names) -> Callable[[Estimate], Estimate]:
    """Each number with labels that the reader may see; a known set that was asked about says how many columns it is."""
    known = {answer.known: names.known(answer.known, answer.columns) for answer in answers}

    def each(estimate: Estimate) -> Estimate:
        text = estimate.labels.get("known")
        named = names.estimate(estimate)
        return named if text is None or names.tells else named.label(known=known.get(text, names.known(text)))

    return each


# --------------------------------------------------------------------------------------------------------------
# Pictures


def _pictures(answer: SecretAnswer, number: int, names: Names) -> Iterator[Block]:
    """The four bars of the share of right guesses."""
    if answer.measures:
        yield bars(answer, answer.measure, names, key_of("bars", number))


def bars(answer: SecretAnswer, measure: str, names: Names, key: str = "bars") -> Chart:
    """Members, others, baseline and ceiling of one measure."""
    drawn = tuple(Bar(words.SAID[side], e, KINDS.get(side, side)) for side, e in answer.bars(measure))
    each = [0.0, *(end for bar in drawn for end in (bar.estimate.low, bar.estimate.high))]
    ends = min(each), 1.05 * max(0.1, *each) if measure in UNBOUNDED else 1.0
    return Chart(
        _lift_sentence(answer, measure, names),
        _axis(answer, measure, names),
        drawn,
        None,
        ends,
        as_shares=measure in SHARES,
        key=key,
        caption=say("Dotted: baseline; dashed: ceiling. {about}", about=words.GLOSSARY[measure]),
    )


def in_numbers(answer: SecretAnswer) -> Numbers:
    """What the verdict on one secret stands on: who was guessed how well, and what that comes to for members."""
    rows = [(words.SAID[side], estimate) for side, estimate in answer.bars(answer.measure)]
    compared = answer.compared
    beyond = (
        (say("The release adds, beyond the baseline"), answer.contrast("delta")),
        (say("The same as a share of what the real data would add"), answer.contrast("leakage_ratio")),
        (say("Members beyond others (residual)"), compared.residual),
        (say("The same of a leak planted as a control"), compared.planted),
    )
    rows += [(title, estimate) for title, estimate in beyond if estimate is not None]
    return Numbers(
        "in_numbers",
        say("What the verdict stands on"),
        (Column("about", say("Who was guessed")), Column("number", words.TITLES[answer.measure])),
        tuple(rows),
    )


def _axis(answer: SecretAnswer, measure: str, names: Names) -> str:
    if measure == "mae":
        secret = shorten(names.column(answer.secret), NAME)
        return say("Mean error in the unit of {label} (less is better for the attacker)", label=secret)
    return AXES.get(measure) or say("{measure} (no unit)", measure=words.TITLES[measure])


def _lift_sentence(answer: SecretAnswer, measure: str, names: Names) -> str:
    """Whether members are easier to guess than others, by what the verdict stands on, beside the guess without it.

    Where they are easier to guess without the release too, or are not compared, whether it improves the guess.
    """
    known = dict(answer.bars(measure))
    secret = shorten(names.column(answer.secret), NAME)
    if measure != answer.measure or not {"members", "baseline"} <= set(known):
        return say("{measure} of {secret}, with its intervals", measure=words.TITLES[measure], secret=secret)
    reached = known["baseline"].value
    gain = answer.contrast("delta")
    about = {"secret": secret, "baseline": tenths(reached) if measure in SHARES else f"{reached:.2f}"}
    lifted = say("The release does not clearly improve the guess of {secret} beyond {baseline}", **about)
    if gain is not None and gain.low > 0:
        lifted = say("The release improves the guess of {secret} beyond {baseline}", **about)
    if answer.compared.residual is None or answer.compared.is_easier_anyway:
        return lifted
    if answer.is_shown:
        return say("Members are easier to guess than others; one guess for everybody: {baseline}", **about)
    return say("Members are not shown to be easier to guess than others; one guess for everybody: {baseline}", **about)


# --------------------------------------------------------------------------------------------------------------
# The sweep


def _sweep(cells: Sequence[Swept], names: Names) -> Iterator[Block]:
    """Every secret with every known set: a map of each gain that has a number, and a table."""
    if not cells:
        return
    there = [what for what in GAINED if any(getattr(cell, what) for cell in cells)]
    maps: list[Block] = [grid(cells, what, names) for what in there]
    if maps:
        maps.append(Group("sweep_table", say("The sweep as a table"), (_sweep_numbers(cells, names),), is_folded=True))
    else:
        maps.append(Sentence("sweep", say("No field of the sweep has a number; the notes say why.")))
    yield Group("sweep", say("Every column in turn"), tuple(maps))


def _sets(cells: Sequence[Swept], names: Names) -> dict[str, str]:
    """What each known set of the sweep is called; by their places for those who may not see columns."""
    sets = dict.fromkeys(cell.known_set for cell in cells)
    return {
        known: names.known(known) if names.tells else say("known set {place}", place=place)
        for place, known in enumerate(sets, 1)
    }


def grid(cells: Sequence[Swept], what: str, names: Names) -> Grid:
    """``delta`` or ``residual`` of every secret (down) and known set (across)."""
    secrets, sets = tuple(dict.fromkeys(cell.about.secret for cell in cells)), _sets(cells, names)
    cell_of = {(cell.about.secret, cell.known_set): cell for cell in cells}
    fields = [[cell_of.get((secret, known)) for known in sets] for secret in secrets]
    return Grid(
        what,
        _most_gained(cells, what, names),
        words.CONTRASTS[what],
        say("Known to the attacker"),
        tuple(map(names.column, secrets)),
        tuple(_sets(cells, names).values()),
        tuple(tuple(None if cell is None else getattr(cell, what) for cell in row) for row in fields),
        tuple(tuple(cell is not None and cell.is_marked(what) for cell in row) for row in fields),
        SIGNS[what],
        tuple(tuple(cell is not None and cell.is_shown for cell in row) for row in fields),
        tuple(tuple(_field(cell, names) for cell in row) for row in fields),
        f"{words.GLOSSARY[what]} {words.MARKED[what]}",
    )


def _field(cell: Swept | None, names: Names) -> str:
    """What is known in that field and why it has no number where it has none: free texts, which may name columns."""
    if cell is None:
        return say("not asked")
    columns = shorten(names.known(", ".join(cell.columns)), 2 * NAME)
    return names.told("; ".join(filter(None, (say("known: {columns}", columns=columns), again(cell.refusal)))))


def _most_gained(cells: Sequence[Swept], what: str, names: Names) -> str:
    there = [(cell, getattr(cell, what)) for cell in cells if getattr(cell, what) is not None]
    cell, most = max(there, key=lambda pair: pair[1].value)
    return say(
        "In {above} of {fields} {named}; most for {secret}: {number}",
        above=sum(cell.is_marked(what) for cell, _ in there),
        fields=counted(len(there), "{n:,} field", "{n:,} fields"),
        named=GAINED[what],
        secret=shorten(names.column(cell.about.secret), NAME),
        number=wording.number(most),
    )


def _sweep_numbers(cells: Sequence[Swept], names: Names) -> Numbers:
    sets = _sets(cells, names)

    def known(cell: Swept) -> str:
        return names.known(", ".join(cell.columns)) if names.tells else sets[cell.known_set]

    return tabulate(
        "sweep",
        say("Every field of the sweep with its intervals"),
        cells,
        {
            Column("secret", say("Secret")): lambda cell: names.column(cell.about.secret),
            Column("known", say("Known"), width=2): known,
            Column("delta", words.CONTRASTS["delta"], words.GLOSSARY["delta"]): lambda cell: cell.delta,
            Column("residual", words.CONTRASTS["residual"], words.GLOSSARY["residual"]): lambda cell: cell.residual,
        },
    )


# The tables of one guessed secret: every measure and what it comes to, exact matches, and secrets drawn anew.
#
# ``number`` is that of the answer, in the order in which secrets and known sets were asked.


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
    titles = words.RANDOMISED_TITLES if answer.measure == "accuracy" else words.OF_NUMBERS
    table = tabulate(
        key_of("again", number),
        say("What was guessed of secrets drawn anew"),
        answer.rerun,
        {
            Column("what", say("Measure")): lambda estimate: titles[estimate.name],
            Column("found", say("Found")): lambda estimate: estimate,
            Column("n", say("Trainings")): lambda estimate: estimate.n,
        },
    )
    sentence = names.told(answer.again)
    blocks = _under("drawn", sentence, table)
    yield Group("again", say("Secrets drawn anew"), blocks, caption=say(words.WHAT))


def _under(key: str, sentence: str, table: Numbers) -> tuple[Block, ...]:
    """The table under a sentence, where there is something to say."""
    return (Sentence(key, sentence), table) if sentence else (table,)


def _numbers(answer: SecretAnswer, number: int) -> Iterator[Block]:
    """Every measure of every side, and what they come to."""
    tables: list[Block] = [_measures(answer, number), *_gains(answer, number), *_contrasts(answer, number)]
    if missing := findings.no_ratio(answer):
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
    )


def _gains(answer: SecretAnswer, number: int) -> Iterator[Block]:
    """What release and real data add to a constant guess by each measure, the ratio, and how it reads."""

    def read_alone(gain: findings.Gain) -> str:
        return words.RISK["luck" if gain.risk is None and gain.ratio is not None else gain.risk or ""]

    if every := findings.gains(answer):
        yield tabulate(
            key_of("gains", number),
            say("Gains and leakage ratios by measure"),
            every,
            {
                Column("measure", say("Measure")): lambda gain: words.TITLES[gain.measure],
                Column("over", say("Compared with"), words.GLOSSARY["baseline"]): lambda gain: words.OVER[gain.over],
                Column("release", words.CONTRASTS["delta"], words.GLOSSARY["delta"]): lambda gain: gain.delta,
                Column("real", say("Gain of the real data"), words.GLOSSARY["ceiling"]): lambda gain: gain.below,
                Column("ratio", words.CONTRASTS["leakage_ratio"], words.GLOSSARY["leakage_ratio"]): lambda gain: (
                    gain.ratio
                ),
                Column("risk", say("Read by itself"), say(findings.NO_VERDICT)): read_alone,
            },
        )


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
        yield Numbers(key_of("contrasts", number), title, columns, rows)


def _matches(answer: SecretAnswer, number: int) -> Iterator[Block]:
    """CAP, DCAP and TCAP of both sides, with the shares they stand on."""
    if not answer.lookups:
        return
    by_side = {(estimate.name, estimate.labels.get("tested_on", "")): estimate for estimate in answer.lookups}
    table = tabulate(
        key_of("matches", number),
        say("CAP, DCAP and TCAP with their intervals"),
        words.ALONE,
        {
            Column("measure", say("Measure")): words.MATCH_TITLES.__getitem__,
            Column("members", words.SAID["members"]): lambda name: by_side.get((name, "members"), "–"),
            Column("control", words.SAID["control"]): lambda name: by_side.get((name, "control"), "–"),
            Column("apart", say("Members minus control")): lambda name: by_side.get(
                (words.APART.get(name, ""), ""), "–"
            ),
            Column("means", say("What it means"), width=0): words.GLOSSARY.__getitem__,
        },
    )
    caption = say(
        "{handling} {exact} Each interval is for one test alone.",
        handling=words.handling(answer.lookups),
        exact=say(words.EXACT),
    )
    sentence = words.match_sentence(answer.lookups)
    blocks = _under("matched", sentence, table)
    yield Group("matches", say("Rows that match exactly (CAP)"), blocks, is_folded=True, caption=caption)


# The same secrets of the same people guessed from two releases: the share of right guesses from the one and other.


def pair_runs(before: Played, after: Played, names: Names, same: Same) -> tuple[Paired, ...]:
    """The difference of every secret and known set that both runs have, those most often guessed at first."""
    assert before.result is not None
    assert after.result is not None
    first, second = AttributesResult.from_plain(before.result), AttributesResult.from_plain(after.result)
    theirs = {members.about: members.guessed for members in second.records}
    both = [(each.about, each.guessed, theirs[each.about]) for each in first.records if each.about in theirs]
    level = level_of_each(first.plan.level, max(len(both), 1))
    out = []
    for about, old, new in both:
        rows = [same.row(int(row)) for row in old.row]
        left, right = places([-1 - place if row is None else row for place, row in enumerate(rows)], new.row.tolist())
        people = np.asarray(same.person)[old.row[left]]
        mine = old.right[left]
        try:
            difference = hits_difference(mine, new.right[right], people, level=level)
        except DesignError:  # too few of the same people
            continue
        who = say("{secret}, knowing {known}", secret=names.column(about.secret), known=names.known(about.known))
        out.append(
            (float(mine.mean()), Paired(who, say("share of the same people guessed rightly"), difference, len(both)))
        )
    return tuple(compared for _, compared in sorted(out, key=lambda pair: -pair[0]))


def read(run: Played, names: Names, facts: Given) -> tuple[RunFinding, ...]:  # noqa: ARG001  asked of all alike
    """The finding of a finished run; it is about this release, whatever made it."""
    assert run.result is not None
    result = AttributesResult.from_plain(run.result)
    answers = findings.summarise(result)
    known = {answer.known: names.known(answer.known, answer.columns) for answer in answers}
    parts = tuple(_part(answer, result, names, known) for answer in answers)
    measured = _measure(answers, result, names, known)
    place = findings.foremost(answers)
    each = label_estimates(answers, names)
    everything = [e for answer in answers for e in names.countable(answer.estimates)]
    everything += [e for e in result.estimates if "secret" not in e.labels]
    return (
        finding(
            run,
            names,
            sentence=parts[place].sentence if parts else say("No secret could be asked about."),
            game=_game(answers, result, names, known),
            measured=measured,
            estimates=tuple(map(each, everything)),
            limits=tuple(map(say, words.LIMITS)),
            plain=_plain(answers[place], names, known) if parts else "",
            brief=_brief(answers[place], names) if parts else "",
            extra=(
                *_readings(answers, names, known),
                *findings.report_sentences(answers, names),
            ),
            at_risk=_exposed_people(answers, names),
            parts=parts,
            for_whom=_for_whom(run, result, names, answers, known),
        ),
    )


def _for_whom(
    run: Played, result: AttributesResult, names: Names, answers: Sequence[SecretAnswer], known: Mapping[str, str]
) -> for_whom.ShownForWhom | None:
    """Groups of people by the strongest guess, which is named as the reader may see it."""
    kept = "" if result.for_whom is None else result.for_whom.attack
    secret, known_set = next(
        ((answer.secret, answer.known) for answer in answers if guess_title(answer.secret, answer.known) == kept),
        ("", ""),
    )
    about = _title(secret, known[known_set], names) if secret else ""
    return for_whom.read(run.result, names, about=about)


def _title(secret: str, known: str, names: Names) -> str:
    """What was guessed from what, as the reader may see it."""
    return say("{column} from {known}", column=names.column(secret), known=known)


def _part(answer: SecretAnswer, result: AttributesResult, names: Names, known: Mapping[str, str]) -> Part:
    """One secret and known set, judged by itself."""
    secret, title = names.column(answer.secret), _title(answer.secret, known[answer.known], names)
    measured = decided.measure(
        [_shown_sides(answer, names, known, result.people)],
        [title],
        looks=answer.looks,
        people=result.people,
        silent=(),
        has_holdout=result.has_holdout,
    )
    sentence = findings.sentence(answer, secret=secret, known=known[answer.known])
    return Part(title, sentence, replace(measured, unit=result.unit))


def _plain(answer: SecretAnswer, names: Names, known: Mapping[str, str]) -> str:
    """The answer on one line."""
    return findings.plain(answer, secret=names.column(answer.secret), known=known[answer.known])


def _brief(answer: SecretAnswer, names: Names) -> str:
    """The same in a list; empty where a leak is shown, which says no number."""
    if answer.is_shown or answer.compared.residual is None:
        return ""
    shares = answer.shares
    return (
        say("{done}: members {members}, others {others}.", done=say("Guessed"), **shares)
        if shares
        else findings.no_leak(names.column(answer.secret))
    )


def _measure(
    answers: Sequence[SecretAnswer], result: AttributesResult, names: Names, known: Mapping[str, str]
) -> Measured:
    """All of them together."""
    who = [_title(answer.secret, known[answer.known], names) for answer in answers]
    measured = decided.measure(
        [_shown_sides(answer, names, known, result.people) for answer in answers],
        who,
        looks=result.counts.looks,
        people=result.people,
        silent=_silent(result, names),
        has_holdout=result.has_holdout,
    )
    return replace(measured, unit=result.unit)


def _shown_sides(answer: SecretAnswer, names: Names, known: Mapping[str, str], people: int) -> decided.Sides:
    """The numbers the verdict stands on, labelled as the reader may see them and with the people as their N."""
    labels = {"secret": names.column(answer.secret), "known": known[answer.known]}
    sides = (answer.compared.residual, answer.compared.without, answer.compared.planted)
    return decided.Sides(*(None if side is None else replace(side, labels=labels, n=people) for side in sides))


def _silent(result: AttributesResult, names: Names) -> list[str]:
    """What was asked and could not be answered: it stands among no verdicts."""
    refused = ((each.about.secret, names.known(each.about.known, each.columns)) for each in result.refused)
    return list(dict.fromkeys(_title(secret, known, names) for secret, known in refused))


def _game(
    answers: Sequence[SecretAnswer], result: AttributesResult, names: Names, known: Mapping[str, str]
) -> tuple[tuple[str, str], ...]:
    called = partial(names.called, room="inference")
    return game_in_words(
        say(
            "What can a stranger who knows some columns of a person infer about that person, and is that "
            "because the person is in the data?"
        ),
        knows=say("the released file, and {known} of a person", known="; ".join(dict.fromkeys(known.values()))),
        hypothesis=say("members are no easier to guess than others (residual 0)"),
        more={
            say("Secrets"): joined(dict.fromkeys(names.column(answer.secret) for answer in answers)),
            say("Baseline of the gains"): words.OVER[result.plan.baseline],
            say("Models"): joined(dict.fromkeys(findings.models(answer, called) for answer in answers)),
        },
        counts=_side_counts(result.counts),
    )


def _side_counts(counts: Counts) -> str:
    """How many of either side."""
    sides = {"n_members": counts.n_members, "n_control": counts.n_control}
    if counts.several is not None:
        return say(
            "{n_members:,} members and {n_control:,} others, each with all of their rows (up to {most:,})",
            **sides,
            most=counts.several.most_rows,
        )
    return say("{n_members:,} members and {n_control:,} others", **sides)


def _readings(answers: Sequence[SecretAnswer], names: Names, known: Mapping[str, str]) -> Iterator[str]:
    """How guesses from the release read beside guesses from the real data; no verdict stands on it."""
    for answer in answers:
        if reading := findings.reading(answer):
            column = names.column(answer.secret)
            yield say("{column} from {known}: {told}", column=column, known=known[answer.known], told=reading)


def _exposed_people(answers: Sequence[SecretAnswer], names: Names) -> tuple[AtRisk, ...]:
    """Who is exposed, by row; a list of people is for those who may see rows, for luck names some of them too."""
    if not names.tells:
        return ()
    listed = [
        AtRisk(
            say("record {row}", row=record.row),
            say("{column} guessed", column=names.column(answer.secret)),
            _sure(record.confidence),
        )
        for answer in answers
        for record in answer.exposed
    ]
    return tuple(sorted(listed, key=lambda record: -record.estimate.value))


def _sure(confidence: float) -> Estimate:
    """How sure the model was of its guess: a number of the model, not an estimate with an error."""
    return Estimate("confidence", confidence, confidence, confidence, 1.0, "the model's own probability", 1)
