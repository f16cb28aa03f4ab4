"""A finished contest on a page: the sentences, the matrix, the frontier, the details folded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from riskkit import wording
from riskkit.dashboard import again, contest_charts, estimates, results, verdicts
from riskkit.dashboard.charts import show as draw
from riskkit.dashboard.frame import plain
from riskkit.dashboard.verdicts import Judged
from riskkit.jobs.runs import Run
from riskkit.jobs.store import Audit
from riskkit.judging.measured import Judgement, Limit
from riskkit.language import again as in_language
from riskkit.language import counted, say
from riskkit.questions.contest import declared_words, words
from riskkit.questions.contest import ranking as contest_ranking
from riskkit.questions.contest.handed import HandedIn
from riskkit.questions.contest.plan import PEOPLE
from riskkit.questions.contest.points import LESSON, UPLOADED
from riskkit.questions.contest.ranking import Place
from riskkit.questions.contest.result import ContestResult, Standing
from riskkit.questions.contest.usefulness import LEARNT
from riskkit.show.model import Part


@estimates.unless_purged
def show(audit: Audit, run: Run) -> None:
    """The whole result, first what was found, last how to get it again."""
    results.earlier(audit, run)
    result = ContestResult.of(run.result)
    if result.standings:
        judged = verdicts.show(audit, run, control=not result.controls)
        for sentence in result.uploads:
            st.markdown(plain(in_language(sentence)))
        draw(contest_charts.matrix(result), "contest.matrix")
        st.caption(
            say(
                "{guessing} ▲: more than guessing explains; ▽: fewer, which is evasion and no protection. {best}",
                guessing=words.guessing(result),
                best=words.GLOSSARY["best"],
            )
        )
        _planted(result)
        _sentences(result, judged, verdicts.limit_of(audit, run))
        _frontier(result)
        _standings(result)
        _declared(result)
        _learnt(result)
        _numbers(result)
    else:
        st.warning(say("No release could be played and attacked; the notes say why."), icon=":material/pause_circle:")
    _notes(result)
    _bundle(audit, run)
    again.settings(
        audit,
        run,
        run.result,
        say("It holds no row and no row number but those that were handed in."),
        say("With `--bundle FOLDER` it also writes population, samples, releases, guesses and scores as CSV."),
    )


def _sentences(result: ContestResult, judged: Sequence[Judged], limit: Limit | None) -> None:
    """Other releases that were handed in; folded under them every anonymiser, the one that gives away most first."""
    header = judged[0][0]
    every = zip(result.standings, result.sentences, verdicts.each(header, limit), strict=True)
    rows = [row for row in every if header.what_if or row[0].name != UPLOADED]  # else the header has said it
    rows.sort(key=lambda row: -row[0].worst.value)
    for standing, sentence, judged_part in rows:
        if standing.is_uploaded:
            _sentence(standing, sentence, *judged_part)
    others = [row for row in rows if not row[0].is_uploaded]
    if others:
        with st.expander(
            counted(
                len(others),
                "If it had been made otherwise: {n:,} method",
                "If it had been made otherwise: {n:,} methods",
            )
        ):
            for standing, sentence, judged_part in others:
                _sentence(standing, sentence, *judged_part)
    if result.lesson:
        st.info(plain(in_language(result.lesson)), icon=":material/lightbulb:")
    else:
        st.caption(LESSON)


def _sentence(standing: Standing, kept: str, part: Part, judgement: Judgement) -> None:
    """One anonymiser: what would be if it had made the release, or what is of a release that was handed in."""
    sentence = in_language(kept)
    if standing.is_uploaded:
        sentence = f"{words.called(standing).capitalize()}{sentence.removeprefix(standing.name)}"
    verdicts.of_part(sentence, judgement, "" if standing.is_uploaded else part.title)


def _planted(result: ContestResult) -> None:
    """Whether the attackers found the sample itself."""
    if result.controls:
        mark = "✓" if all(look.is_found for look in result.controls) else "○"
        st.caption(plain(f"{mark} {words.planted(result)}"), help=words.GLOSSARY["control"])


def _frontier(result: ContestResult) -> None:
    """Privacy against usefulness, by the measure that is picked."""
    pictures, measures = result.pictures, result.about
    if not pictures:
        return
    st.header(say("Privacy against usefulness"), anchor=False)
    measure = st.selectbox(
        say("Usefulness by"), list(pictures), format_func=lambda name: measures[name].title, key="contest.measure"
    )
    about = measures[measure]
    draw(contest_charts.frontier(pictures[measure], result, about.title), "contest.frontier")
    st.caption(f"{about.plain} {words.GLOSSARY['frontier']}")


# --------------------------------------------------------------------------------------------------------------
# The details


def _standings(result: ContestResult) -> None:
    """Who wins, who may not take part and why, points."""
    with st.expander(say("Who may take part, and points"), expanded=True):
        st.markdown(plain(contest_ranking.sentence(result.ranking, lambda name: _called(result, name))))
        places = {place.name: place for place in result.ranking.places}
        rows = [_standing(result, standing, places.get(standing.name)) for standing in _by_place(result, places)]
        text = st.column_config.TextColumn
        columns: dict[str, Any] = {
            "place": say("Place"),
            "anonymiser": say("Anonymiser"),
            "best": say("Best attacker"),
            "hits": text(say("Its hits"), help=words.GLOSSARY["best"]),
            "chance": text(
                say("By guessing, at most"), help=say("Bound on the chance that guessing attackers find as many.")
            ),
            "points": text(say("Points"), help=words.GLOSSARY["points"]),
            "rounds": say("Preliminary and main round"),
            "part": say("Useful enough"),
        }
        if not result.ranking.has_preliminary:
            rows = [{name: value for name, value in row.items() if name != "rounds"} for row in rows]
        st.dataframe(rows, hide_index=True, column_config=columns, alt=say("Points and who may take part"))
        rules = result.plan.rules
        asked = [
            f"{about.title} {words.threshold(name, rules)}"
            for name, about in result.about.items()
            if words.threshold(name, rules)
        ]
        st.caption(
            say(
                "Thresholds of usefulness: {asked}. {points}",
                asked="; ".join(asked) or say("none"),
                points=words.GLOSSARY["points"],
            )
        )
        if result.ranking.places:
            _paid(result)


def _by_place(result: ContestResult, places: Mapping[str, Place]) -> list[Standing]:
    """From the winner on, those that may not take part last, in the order of the plan."""
    order, last = {name: place.place for name, place in places.items()}, len(places) + 1
    return sorted(result.standings, key=lambda standing: order.get(standing.name, last))


def _standing(result: ContestResult, standing: Standing, place: Place | None) -> dict[str, str]:
    score, rounds = standing.score, ""
    if place is not None and place.preliminary is not None:
        rounds = f"{place.preliminary:.0f}, {place.main:.0f}"
    return {
        "place": "–" if place is None else str(place.place),
        "anonymiser": words.called(standing),
        "best": contest_charts.attacker(standing.best),
        "hits": words.count(standing.worst),
        "chance": f"{standing.chance:.2g}",
        "points": f"{score.value:.0f} [{score.low:.0f}, {score.high:.0f}]",
        "rounds": rounds,
        "part": say("yes") if standing.takes_part else say("no: {measures}", measures=words.reason(result, standing)),
    }


def _paid(result: ContestResult) -> None:
    """What attackers are paid."""
    rows = [
        {"attacker": contest_charts.attacker(pay.attacker), "winner": f"{pay.winner:.0f}", "top": f"{pay.top:.0f}"}
        for pay in result.ranking.attackers
    ]
    heads = {
        "attacker": say("Attacker"),
        "winner": say("Points against the winner"),
        "top": say("Against the best three"),
    }
    st.dataframe(rows, hide_index=True, column_config=heads, alt=say("Points of attackers"))


def _called(result: ContestResult, name: str) -> str:
    return next((words.called(standing) for standing in result.standings if standing.name == name), name)


def _declared(result: ContestResult) -> None:
    """What anonymisers declare of their releases, and what is counted beside it."""
    with st.expander(say("What is declared, and k and δ-presence as they are counted")):
        st.markdown("\n".join(f"- {plain(line)}" for line in declared_words.lines(result)))


def _learnt(result: ContestResult) -> None:
    """What models get right that learnt from each release, beside those that learnt from the real rows."""
    learnt = {name: about for name, about in result.about.items() if name.split(" ")[0] in LEARNT}
    if not learnt:
        return
    with st.expander(say("What can be learnt from each release"), expanded=True):
        rows = [
            {"anonymiser": words.called(standing), **{name: _useful(result, standing, name) for name in learnt}}
            for standing in result.standings
        ]
        heads = {
            name: st.column_config.TextColumn(plain(about.title), help=plain(about.plain))
            for name, about in learnt.items()
        }
        st.dataframe(
            rows,
            hide_index=True,
            column_config={"anonymiser": say("Anonymiser"), **heads},
            alt=say("Accuracy of models learnt from each release"),
        )
        st.caption(
            say("{learnt} Tested on {tested:,} people.", learnt=words.GLOSSARY["learnt"], tested=result.others.rows)
        )


def _numbers(result: ContestResult) -> None:
    """Every number of hits and of usefulness."""
    with st.expander(say("All numbers")):
        rows = [
            {"anonymiser": words.called(standing), **_counts(result, standing.name)} for standing in result.standings
        ]
        attackers = {name: contest_charts.attacker(name) for name in result.attackers}
        st.dataframe(
            rows,
            hide_index=True,
            alt=say("Hits with intervals"),
            column_config={"anonymiser": say("Anonymiser"), **attackers},
        )
        first = result.estimates[0]
        units = say("{n:,} guesses", n=first.n) if first.method.startswith("exact") else say("{n:,} rounds", n=first.n)
        st.caption(
            say(
                "Hits [low, high]; {level:.4g} % intervals over {units}. {hits}",
                level=100 * first.level,
                units=units,
                hits=words.GLOSSARY["hits"],
            )
        )
        _usefulness(result)
        meanings = [f"- **{plain(about.title)}:** {plain(about.plain)}" for about in result.about.values()]
        st.markdown("\n".join(meanings))


def _usefulness(result: ContestResult) -> None:
    """Every measure against the sample, with other people beside it; then against other people."""
    rows = [
        {
            "measure": about.title,
            **{words.called(standing): _useful(result, standing, name) for standing in result.standings},
            "others": words.reference(result, name),
        }
        for name, about in result.about.items()
    ]
    others = st.column_config.TextColumn(say("Other people"), help=words.GLOSSARY["other_people"])
    st.dataframe(
        rows,
        hide_index=True,
        column_config={"measure": say("Against the sample"), "others": others},
        alt=say("Usefulness of each release"),
    )
    if not all(result.useful(standing.name).keys() >= standing.usefulness.keys() for standing in result.standings):
        st.caption(words.GLOSSARY["usefulness"])
    elsewhere = [
        {
            "measure": about.title,
            "sample": words.reference(result, name),
            **{words.called(row): f"{row.elsewhere[name]:.3f}" for row in result.standings if name in row.elsewhere},
        }
        for name, about in result.about.items()
        if any(name in row.elsewhere for row in result.standings)
    ]
    heads = {"measure": say("Against other people"), "sample": say("The sample itself")}
    st.dataframe(elsewhere, hide_index=True, column_config=heads, alt=say("Usefulness for people who were not in"))
    st.caption(words.GLOSSARY["elsewhere"])


def _counts(result: ContestResult, anonymiser: str) -> dict[str, str]:
    hits = result.hits(anonymiser)
    return {name: words.count(hits[name]) if name in hits else say("was not run") for name in result.attackers}


def _useful(result: ContestResult, standing: Standing, measure: str) -> str:
    useful = result.useful(standing.name)
    if measure in useful:
        return wording.number(useful[measure])
    return f"{standing.usefulness[measure]:.3f}" if measure in standing.usefulness else say("not known")


def _notes(result: ContestResult) -> None:
    """What could not be played, and what all this does not show."""
    with st.expander(say("Notes, and what this does not show"), expanded=not result.standings):
        lines = dict.fromkeys([*map(in_language, result.notes), *words.LIMITS])
        st.markdown("\n".join(f"- {plain(line)}" for line in lines))


def _bundle(audit: Audit, run: Run) -> None:
    """The bundle that was asked for, to take away."""
    if not run.plan.bundle:
        return
    path = HandedIn.of(audit).bundle(run.plan, run.revision)
    if not path.is_file():
        st.caption(
            say("The bundle of this contest is not kept here any more; run it again with other settings to make one.")
        )
        return
    st.download_button(
        say("Download the bundle (ZIP)"),
        data=path.read_bytes,
        file_name=f"contest_{run.id[:12]}.zip",
        mime="application/zip",
        key="contest.bundle",
        on_click="ignore",
        icon=":material/folder_zip:",
        help=say(
            "Population, who was in, releases, guesses and scores as CSV, and a README that says what attackers must "
            "not see."
        ),
    )
    if run.plan.source == PEOPLE:
        st.caption(f":material/warning: {say('The population is the people themselves: the bundle holds real rows.')}")
