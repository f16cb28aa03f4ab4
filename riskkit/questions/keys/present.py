"""Combinations of keys in words and block by block: class sizes, risks by model, k, l and t, minimal uniques."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from riskkit import wording
from riskkit.core import Estimate
from riskkit.judging.measurement import DESCRIPTION, Control, Measured
from riskkit.language import Readings, again, counted, joined, phrase, say
from riskkit.plain import estimate
from riskkit.questions.keys.play import FRACTION, NUMBER, WEIGHTS
from riskkit.questions.keys.population import PITMAN, SNB, ZAYATZ
from riskkit.questions.keys.replication import AttackAgreement, compare_attacks
from riskkit.questions.keys.result import BANDS, KeysResult, MatchRisk, Replicated, TableRisk
from riskkit.show.blocks import Axis, Cell, Column, Dots, Group, Numbers, Sentence, Series, tabulate
from riskkit.show.model import AtRisk, Block, Chart, Given, Played, RunFinding, sides
from riskkit.show.names import Names
from riskkit.show.run_finding import finding
from riskkit.table.stack import release_number
from riskkit.wording import tenths

TITLES: Mapping[str, str] = Readings(
    smallest_class=phrase("Smallest class (k)"),
    sample_uniques=phrase("Rows alone in the table"),
    population_uniques=phrase("People alone in the population"),
    prosecutor_highest=phrase("Highest prosecutor risk"),
    prosecutor_mean=phrase("Mean prosecutor risk"),
    journalist_highest=phrase("Highest journalist risk"),
    marketer=phrase("Marketer risk"),
    expected_matches=phrase("Expected right matches"),
    distinct_l=phrase("Distinct l"),
    entropy_l=phrase("Entropy l"),
    closeness=phrase("Closeness t"),
    replicated=phrase("Replicated uniques: members"),
    replicated_others=phrase("Replicated uniques: others"),
    replicated_excess=phrase("Replicated because they are in the data"),
    disco=phrase("DiSCO: members"),
    disco_others=phrase("DiSCO: others"),
    disco_excess=phrase("Disclosed because they are in the data"),
)
"""What people call the figures."""
LIMITS = (
    phrase("It judges nothing. A large k does not show that a release is safe, nor a small one that it is not."),
    phrase(
        "Rows of a synthetic release belong to nobody; its classes say how much it repeats, not how many are found."
    ),
    phrase("The figures hold for these keys. Somebody who knows more columns finds smaller classes."),
    phrase("Figures of the population follow from a model of it, and from the sample as it was drawn."),
)
"""What such a result does not show."""
MODELS: Mapping[str, str] = Readings(
    {PITMAN: phrase("Pitman"), ZAYATZ: phrase("Zayatz"), SNB: phrase("slide negative binomial")}
)
SOURCES: Mapping[str, str] = Readings(
    {
        FRACTION: phrase("as the share of the population says"),
        NUMBER: phrase("as was said"),
        WEIGHTS: phrase("as the sampling weights add up to"),
    }
)


MOST_SIZES = 5
"""Rows with one combination, from which on they are counted together in the picture."""
MOST_NAMED = 5
"""Known columns that are named in a sentence, at most."""


def read(run: Played, names: Names, facts: Given) -> tuple[RunFinding, ...]:
    """The finding of a finished run; it is judged on no scale."""
    assert run.result is not None
    result = KeysResult.from_plain(run.result)
    counts = result.counts
    mendings = tuple(way.coarsen for way in result.coarser) if counts.released and names.tells else ()
    return (
        finding(
            run,
            names,
            sentence=sentence(result, names),
            plain=" ".join(filter(None, (_alone_in_real(result, names), _repeated(result, names)))),
            brief=_alone_in_real(result, names),
            change=_change(result, names) if mendings else "",
            game=(
                (say("The question"), say("How rare are combinations of known columns?")),
                (say("Keys"), joined(map(names.column, counts.key_columns))),
                (say("Secrets"), joined(map(names.column, counts.secret_columns)) or say("none")),
                (say("The population"), _population(result)),
                (say("Counted are"), say("{rows:,} rows of the real table", rows=counts.rows)),
            ),
            measured=Measured(DESCRIPTION, 0.0, None, None, "", 0, Control.none(""), "record"),
            estimates=tuple(names.estimate(estimate(each)) for each in run.result["estimates"]),
            limits=again(LIMITS),
            at_risk=_at_risk(result, names),
            named=say("{people:,} people with the rarest combinations", people=len(result.people)),
            mendings=mendings,
            extra=tuple(_attack_sentences(compare_attacks(result.scores, facts.runs), names)),
        ),
    )


def _alone_in_real(result: KeysResult, names: Names) -> str:
    """How many rows of the real table are alone with what is known."""
    return say(
        "{alone} of {rows:,} people are the only ones with their {columns}.",
        columns=_known_columns(result.counts.key_columns, names),
        alone=names.count(result.tables[0].alone),
        rows=result.tables[0].rows,
    )


def _change(result: KeysResult, names: Names) -> str:
    """The first way to make columns coarser, and how many rows of the release it leaves alone."""
    way, last = result.coarser[0], _last(result)
    return say(
        "Make columns coarser. With {columns} coarser, {alone} of {rows:,} released rows stay alone, not {now}.",
        columns=wording.and_joined([names.column(text.rpartition("=")[0]) for text in way.coarsen]),
        alone=names.count(way.alone),
        rows=last.rows,
        now=names.count(last.alone),
    )


def _last(result: KeysResult) -> TableRisk:
    """What was counted of the release; of the real table where there is none."""
    return next((risk for risk in result.tables if risk.table != "real"), result.tables[0])


def _repeated(result: KeysResult, names: Names) -> str:
    """How often the release has the combination of a unique member once, beside others; empty without a holdout."""
    every = [estimate for release in result.replicated for estimate in release.estimates]
    looked_at = ("replicated", "replicated_others", "replicated_excess")
    members, others, excess = (next((e for e in every if e.name == name), None) for name in looked_at)
    if members is None or others is None or excess is None:
        return ""
    shares = say(
        "Beside people outside the data {alone} stay alone: the release has the combination of {members} of them once, "
        "and of {others} of such people outside",
        alone=names.count(members.n),
        members=tenths(members.value),
        others=tenths(others.value),
    )
    if excess.low > 0:
        return say("{shares}, a difference that chance does not explain.", shares=shares)
    if excess.high < 0:
        return say("{shares}.", shares=shares)
    return say("{shares}; chance can explain the difference.", shares=shares)


def _known_columns(columns: Sequence[str], names: Names) -> str:
    """The columns by name, where the reader may see names and they are few; else how many."""
    if len(columns) <= MOST_NAMED and [names.column(name) for name in columns] == list(columns):
        return wording.and_joined(say("“{column}”", column=column) for column in columns)
    return counted(len(columns), "value in {n:,} known column", "values in {n:,} known columns")


def sentence(result: KeysResult, names: Names) -> str:
    """What was counted, in one sentence or two."""
    real = result.tables[0]
    counts = result.counts
    first = say(
        "By {keys}, {alone} of the rows of the real table are alone, and the smallest class has {smallest}.",
        keys=_keys(result),
        alone=_alone(result),
        smallest=counted(real.smallest, "{n:,} row", "{n:,} rows"),
    )
    if real.uniques is None or real.uniques.value is None or counts.people is None:
        return first
    return say(
        "{first} In a population of {people}, about {uniques} people are alone ({model}).",
        first=first,
        people=f"{counts.people:,.0f}",
        uniques=names.count(round(real.uniques.value)),
        model=MODELS[real.uniques.chosen],
    )


def _keys(result: KeysResult) -> str:
    return counted(len(result.counts.key_columns), "{n} key", "{n} keys")


def _alone(result: KeysResult) -> str:
    """The share of the real table's rows whose keys nobody else has."""
    return tenths(result.tables[0].alone / result.tables[0].rows)


def _population(result: KeysResult) -> str:
    people = result.counts.people
    if people is None:
        return say("nobody said how large it is")
    return say("{people} people, {source}", people=f"{people:,.0f}", source=SOURCES[result.counts.source])


def _at_risk(result: KeysResult, names: Names) -> tuple[AtRisk, ...]:
    """The rows with the highest scores, and by which columns each is unique, for those who may see rows."""
    if not names.tells:
        return ()
    return tuple(
        AtRisk(
            say("record {row}", row=person.row),
            say("; ").join(joined(columns) for columns in person.sets),
            Estimate("suda", *(person.score,) * 3, 0.95, wording.COUNTED, result.counts.rows),
        )
        for person in result.people
    )


def _attack_sentences(every: Sequence[AttackAgreement], names: Names) -> Iterator[str]:
    """Whether minimal uniques are those whom attacks find, a sentence an attack."""
    for own in every:
        if names.withholds(own.uniques) or names.withholds(own.others):
            continue
        counts = {"uniques": names.count(own.uniques), "others": names.count(own.others)}
        if own.question == "records":
            agreement = "–" if own.agreement is None else f"{own.agreement:.2f}"
            yield say(
                "Records: {uniques} minimal uniques are recognised with a mean AUC of {first:.3f}, {others} other "
                "people with {second:.3f}; the rank correlation of SUDA score and AUC is {agreement}.",
                first=own.of_uniques,
                second=own.of_others,
                agreement=agreement,
                **counts,
            )
        else:
            yield say(
                "Singling out: of {uniques} minimal uniques {first} are named, of {others} other people {second}.",
                first=tenths(own.of_uniques),
                second=tenths(own.of_others),
                **counts,
            )


def view(result: KeysResult, names: Names) -> tuple[Block, ...]:
    """Class sizes, risks, k-l-t, minimal uniques, what would raise k, and what a release repeats."""
    titles = {risk.table: _table(risk.table, len(result.tables)) for risk in result.tables}
    blocks: list[Block] = [
        _spread(result, titles),
        *(_replication_chart(release, names, titles) for release in result.replicated),
        _section(say("Class sizes"), _bands(result, names, titles), is_first=True),
        _section(say("The risk of a match"), _risks(result, names, titles), is_first=True),
        *_diversity(result, names, titles),
        _specials(result, names),
        _section(say("What would raise k"), _ways(result, names, titles)),
    ]
    return (*blocks, *(_replication(release, names, titles) for release in result.replicated))


def _section(title: str, table: Numbers, *, is_first: bool = False) -> Group:
    """The table in a fold of the page, and what it means beneath it; the ``first`` ones on paper in the report too."""
    return Group(f"{table.key}_group", title, (table,), True, table.meaning, is_first=is_first)


def _table(slot: str, tables: int) -> str:
    if slot == "real":
        return say("real table")
    return say("the release") if tables == 2 else say("release {number}", number=release_number(slot))


def _spread(result: KeysResult, titles: Mapping[str, str]) -> Block:
    """How rare combinations are: the share of rows that so many rows have theirs in common with."""
    alone = {titles[risk.table]: tenths(risk.sizes[0]) for risk in result.tables}
    rows = (say("1 (alone)"), *map(str, range(2, MOST_SIZES)), say("{most} or more", most=MOST_SIZES))
    series = []
    for risk in result.tables:
        shares = (*risk.sizes[: MOST_SIZES - 1], sum(risk.sizes[MOST_SIZES - 1 :]))
        each = tuple(Estimate("share", share, share, share, 0.95, wording.COUNTED, 0) for share in shares)
        series.append(Series(titles[risk.table], "compared" if risk.table == "real" else "measured", each))
    return Dots(
        "sizes",
        say(
            "Rows alone with their combination: {tables}",
            tables=joined(say("{table} {share}", table=table, share=share) for table, share in alone.items()),
        ),
        Axis(say("share of rows, by how many have the same combination"), (0.0, 1.0)),
        rows,
        tuple(series),
        as_shares=True,
    )


def _bands(result: KeysResult, names: Names, titles: Mapping[str, str]) -> Numbers:
    heads = [
        column
        for risk in result.tables
        for column in (
            Column(f"{risk.table}_classes", say("{table}: classes", table=titles[risk.table])),
            Column(f"{risk.table}_rows", say("{table}: rows", table=titles[risk.table])),
        )
    ]
    rows = []
    for place, (low, high) in enumerate(BANDS):
        size = f"{low}" if low == high else say("{low} and more", low=low) if not high else f"{low}–{high}"
        cells = [names.count(count) for risk in result.tables for count in risk.bands[place]]
        rows.append((size, f"{1 / low:.3g}", *cells))
    return Numbers(
        "class_sizes",
        say("Classes and rows by the size of the class"),
        (Column("size", say("Rows in a class")), Column("risk", say("1/k, at most")), *heads),
        tuple(rows),
        say("A class is all rows with the same keys; 1/k of guesses within it are right."),
    )


def _risks(result: KeysResult, names: Names, titles: Mapping[str, str]) -> Numbers:
    """Every measure in a line, the tables side by side."""
    lines: list[tuple[str, str, Callable[[TableRisk], str]]] = [
        ("classes", say("Classes"), lambda risk: f"{risk.classes:,}"),
        ("k", say("Smallest class (k)"), lambda risk: f"{risk.smallest:,}"),
        ("alone", say("Rows alone in the table"), lambda risk: _share_of(risk.alone, risk.rows, names)),
    ]
    for model, title in MODELS.items():
        lines.append((model, say("People alone in the population: {model}", model=title), _uniques(model, names)))
    lines.append(("chosen", say("... by Dankar's rule"), _dankar_rule))
    for key, title, pick in (
        ("prosecutor", say("Prosecutor risk"), lambda risk: risk.prosecutor),
        ("journalist", say("Journalist risk (Benedetti-Franconi)"), lambda risk: risk.journalist),
    ):
        lines += _match_lines(key, title, pick)
    return Numbers(
        "risks",
        say("Uniqueness and re-identification risk"),
        (Column("measure", say("Measure"), width=2.4), *(Column(own, title) for own, title in titles.items())),
        tuple((title, *(value(risk) for risk in result.tables)) for _, title, value in lines),
        say(
            "The prosecutor knows who is in the table, the journalist who is in the population; the marketer tries "
            "everybody."
        ),
    )


def _match_lines(
    key: str, title: str, pick: Callable[[TableRisk], MatchRisk | None]
) -> Iterator[tuple[str, str, Callable[[TableRisk], str]]]:
    def line(name: str, of: str, value: Callable[[MatchRisk], str]) -> tuple[str, str, Callable[[TableRisk], str]]:
        def cell(risk: TableRisk) -> str:
            own = pick(risk)
            return "–" if own is None else value(own)

        return f"{key}_{name}", say("{title}: {part}", title=title, part=of), cell

    yield line("highest", say("highest"), lambda own: f"{own.highest:.4f}")
    yield line("mean", say("mean (marketer)"), lambda own: f"{own.mean:.4f}")
    yield line("matches", say("expected right matches"), lambda own: f"{own.matches:,.1f}")
    yield line("at_09", say("rows at 0.09 or above"), lambda own: tenths(own.at_09))
    yield line("at_05", say("rows at 0.05 or above"), lambda own: tenths(own.at_05))


def _share_of(count: int, rows: int, names: Names) -> str:
    return say("{count} ({share})", count=names.count(count), share=tenths(count / rows))


def _uniques(model: str, names: Names) -> Callable[[TableRisk], str]:
    def cell(risk: TableRisk) -> str:
        value = None if risk.uniques is None else getattr(risk.uniques, model)
        return "–" if value is None else names.count(round(value))

    return cell


def _dankar_rule(risk: TableRisk) -> str:
    return "–" if risk.uniques is None else MODELS[risk.uniques.chosen]


def _diversity(result: KeysResult, names: Names, titles: Mapping[str, str]) -> Iterator[Block]:
    if not result.secrets:
        return
    smallest = {risk.table: (risk.smallest, risk.rows) for risk in result.tables}
    in_effect = say("Fewest secrets in effect: exp of the entropy of a class.")
    farthest = say("Farthest that the secrets of a class are from those of the whole table.")
    table = tabulate(
        "diversity",
        say("The least that a class says of each secret"),
        result.secrets,
        {
            Column("table", say("Table")): lambda own: titles[own.table],
            Column("secret", say("Secret")): lambda own: names.column(own.secret),
            Column("k", "k", say("Rows of the smallest class.")): lambda own: f"{smallest[own.table][0]:,}",
            Column("distinct", say("l, distinct"), say("Fewest different secrets in a class.")): lambda own: (
                f"{own.values.distinct:,}"
            ),
            Column("entropy", say("l, entropy"), in_effect): lambda own: f"{own.values.entropy:.2f}",
            Column("t", "t", farthest): lambda own: f"{own.values.closeness:.3f}",
            Column("told", say("Rows whose class has one secret")): lambda own: _share_of(
                own.values.told, smallest[own.table][1], names
            ),
        },
        say("Smaller l and larger t say that a class tells more of the secret."),
    )
    yield _section(say("k, l and t"), table, is_first=True)


def _specials(result: KeysResult, names: Names) -> Block:
    specials, counts = result.specials, result.counts
    text = say(
        "{rows} of the rows of the real table are unique by {most} keys or fewer ({by_size}).",
        rows=_share_of(specials.rows, counts.rows, names),
        most=counts.most,
        by_size=joined(
            say("by {size}: {count}", size=size, count=names.count(count))
            for size, count in enumerate(specials.by_size, start=1)
        ),
    )
    if specials.dis is not None:
        text += " " + say("A match on a row that is unique is right in {dis} of cases (DIS).", dis=tenths(specials.dis))
    order = sorted(range(len(counts.key_columns)), key=lambda place: -specials.contributions[place])
    share = joined(
        say(
            "{column} {share}",
            column=names.column(counts.key_columns[place]),
            share=tenths(specials.contributions[place]),
        )
        for place in order[:6]
    )
    about = say("Of the SUDA scores of all rows, sets with that key have: {share}.", share=share)
    return Group(
        "specials",
        say("Minimal uniques (SUDA2)"),
        (Sentence("specials", text), Sentence("contributions", about, is_small=True), _sets(result, names)),
        is_folded=True,
    )


def _sets(result: KeysResult, names: Names) -> Numbers:
    return Numbers(
        "sets",
        say("Sets of keys by which most rows are unique"),
        (Column("columns", say("Keys"), width=3), Column("rows", say("Rows"))),
        tuple((joined(map(names.column, rare.columns)), names.count(rare.rows)) for rare in result.specials.sets),
        say("By these keys the rows are unique, and by no fewer of them."),
    )


def _ways(result: KeysResult, names: Names, titles: Mapping[str, str]) -> Numbers:
    last = _last(result)
    rows: list[tuple[Cell, ...]] = [
        (say("as it is"), f"{last.smallest:,}", names.count(last.alone), f"{last.classes:,}")
    ]
    for way in result.coarser:
        parts = [text.rpartition("=") for text in way.coarsen]
        words = joined(f"{names.column(column)}={how}" for column, _, how in parts)
        rows.append((words, f"{way.smallest:,}", names.count(way.alone), f"{way.classes:,}"))
    return Numbers(
        "coarser",
        say("What would raise k of the {table}", table=titles[last.table]),
        (
            Column("coarsen", say("Made coarser"), say("As riskkit mend --coarsen takes it."), width=3),
            Column("k", "k"),
            Column("alone", say("Rows alone")),
            Column("classes", say("Classes left")),
        ),
        tuple(rows),
        say(
            "One key or two made coarser. The button on the page, or riskkit mend --coarsen, writes the repaired file."
        ),
    )


def _replication(release: Replicated, names: Names, titles: Mapping[str, str]) -> Group:
    """What synthpop counts of one release, in a fold."""
    own = release.identity
    rows: list[tuple[Cell, ...]] = [
        (say("UiO: alone in the real table"), "–", tenths(own.uio)),
        (say("UiS: alone in the release"), "–", tenths(own.uis)),
        (say("UiOiS: alone in the real table, and in the release"), "–", tenths(own.uiois)),
        (say("repU: replicated uniques, alone in both"), "–", tenths(own.repu)),
    ]
    for secret, values in release.secrets.items():
        name = names.column(secret)
        rows += [
            (say("Dorig: the real table tells it"), name, tenths(values.dorig)),
            (say("Dsyn: the release tells it"), name, tenths(values.dsyn)),
            (say("iS: the keys stand in the release"), name, tenths(values.its)),
            (say("DiS: and the release tells a secret"), name, tenths(values.dis)),
            (say("DiSCO: which is right"), name, tenths(values.disco)),
            (say("DiSDiO: and the real table tells it"), name, tenths(values.disdio)),
        ]
    table = Numbers(
        f"synthpop_{release.table}",
        say("As synthpop counts: {table}", table=titles[release.table]),
        (
            Column("measure", say("Measure"), width=2.6),
            Column("secret", say("Secret")),
            Column("share", say("Share of rows")),
        ),
        tuple(rows),
        say("Shares of members alone; part of each is true of anybody. Beside them stand people outside the data."),
    )
    return _section(say("Replicated uniques and DiSCO"), table)


def _replication_chart(release: Replicated, names: Names, titles: Mapping[str, str]) -> Block:
    """Members beside others, by each measure of what one release repeats."""
    shares = [names.estimate(share) for share in release.estimates]
    if not shares:
        none = say("Without a holdout, nothing says how much of this is true of people outside the data.")
        return Sentence(f"no_others_{release.table}", none)
    bars = [  # of each measure members, others and the difference follow each other
        bar
        for place, own in enumerate(release.estimates[::3])
        for bar in again(sides(_about(own, names), *shares[3 * place : 3 * place + 3]))
    ]
    return Chart(
        say(
            "People alone among members and others whom {table} has once: {members} of members, {others} of others",
            table=titles[release.table],
            members=tenths(shares[0].value),
            others=tenths(shares[1].value),
        ),
        say("share of people; difference in points"),
        tuple(bars),
        None,
        as_shares=True,
        key=f"others_{release.table}",
    )


def _about(share: Estimate, names: Names) -> str:
    """What is counted of members and of others, over their two lines."""
    if share.name == "replicated":
        return say("unique people whose combination the release has once (replicated uniques)")
    secret = names.column(share.labels.get("secret", ""))
    return say("people whose {secret} the release tells by their combination (DiSCO)", secret=secret)
