"""A finished contest on a page: the sentences, the matrix, the frontier, the details folded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from riskkit import wording
from riskkit.dashboard import again, contest_charts, contest_households, estimates, results, verdicts
from riskkit.dashboard.charts import show as draw
from riskkit.dashboard.frame import plain
from riskkit.dashboard.verdicts import Judged
from riskkit.jobs.runs import Run
from riskkit.jobs.store import Audit
from riskkit.judging.measured import Judgement, Limit
from riskkit.language import counted, say
from riskkit.questions.contest import declared as contest_declared
from riskkit.questions.contest import ranking as contest_ranking
from riskkit.questions.contest import words as said
from riskkit.questions.contest.handed import HandedIn
from riskkit.questions.contest.plan import PEOPLE, SNAKE
from riskkit.questions.contest.points import LESSON, UPLOADED
from riskkit.questions.contest.ranking import Place
from riskkit.questions.contest.usefulness import LEARNT
from riskkit.questions.contest.words import Contest
from riskkit.show.model import Part


@estimates.unless_purged
def show(audit: Audit, run: Run) -> None:
    """The whole result, first what was found, last how to get it again."""
    result = run.result
    results.earlier(audit, run)
    if run.plan.mode == SNAKE:
        contest_households.show(audit, run, result)
        return
    found = said.read(result)
    if found.standings:
        judged = verdicts.show(audit, run, control=not found.controls)
        for sentence in found.uploads:
            st.markdown(plain(sentence))
        draw(contest_charts.matrix(found), "contest.matrix")
        st.caption(
            say(
                "{guessing} ▲: more than guessing explains; ▽: fewer, which is evasion and no protection. {best}",
                guessing=said.guessing(found),
                best=said.GLOSSARY["best"],
            )
        )
        _planted(found)
        _sentences(found, judged, verdicts.limit_of(audit, run))
        _frontier(found)
        _standings(found)
        _declared(result)
        _learnt(found)
        _numbers(found)
    else:
        st.warning(say("No release could be played and attacked; the notes say why."), icon=":material/pause_circle:")
    _notes(found)
    _bundle(audit, run)
    again.settings(
        audit, run, result, say("It holds no row and no row number but those that were handed in."),
        say("With `--bundle FOLDER` it also writes population, samples, releases, guesses and scores as CSV."),
    )  # fmt: skip


def _sentences(found: Contest, judged: Sequence[Judged], limit: Limit | None) -> None:
    """Other releases that were handed in; folded under them every anonymiser, the one that gives away most first."""
    header = judged[0][0]
    told = [
        (standing, sentence, *judged_part)
        for standing, sentence, judged_part in zip(
            found.standings, found.sentences, verdicts.each(header, limit), strict=True
        )
        if header.what_if or standing.name != UPLOADED  # else the header has said it
    ]
    told.sort(key=lambda one: -one[0].worst.value)
    for one in told:
        if one[0].is_uploaded:
            _sentence(*one)
    others = [one for one in told if not one[0].is_uploaded]
    if others:
        with st.expander(counted(len(others), "If it had been made otherwise: {n:,} method",
                                 "If it had been made otherwise: {n:,} methods")):  # fmt: skip
            for one in others:
                _sentence(*one)
    if found.lesson:
        st.info(plain(found.lesson), icon=":material/lightbulb:")
    else:
        st.caption(LESSON)


def _sentence(one: said.Standing, sentence: str, part: Part, judgement: Judgement) -> None:
    """One anonymiser: what would be if it had made the release, or what is of a release that was handed in."""
    if one.is_uploaded:
        sentence = f"{said.called(one).capitalize()}{sentence.removeprefix(one.name)}"
    verdicts.of_part(sentence, judgement, "" if one.is_uploaded else part.title)


def _planted(found: Contest) -> None:
    """Whether the attackers found the sample itself."""
    if found.controls:
        mark = "✓" if all(one.is_found for one in found.controls) else "○"
        st.caption(plain(f"{mark} {said.planted(found)}"), help=said.GLOSSARY["control"])


def _frontier(found: Contest) -> None:
    """Privacy against usefulness, by the measure that is picked."""
    if not found.frontiers:
        return
    st.header(say("Privacy against usefulness"), anchor=False)
    names = list(found.frontiers)
    measure = st.selectbox(
        say("Usefulness by"), names, format_func=lambda name: found.measures[name]["title"], key="contest.measure"
    )
    about = found.measures[measure]
    draw(contest_charts.frontier(found.frontiers[measure], found, about["title"]), "contest.frontier")
    st.caption(f"{about['plain']} {said.GLOSSARY['frontier']}")


# --------------------------------------------------------------------------------------------------------------
# The details


def _standings(found: Contest) -> None:
    """Who wins, who may not take part and why, points."""
    with st.expander(say("Who may take part, and points"), expanded=True):
        st.markdown(plain(contest_ranking.sentence(found.ranking, lambda name: _called(found, name))))
        places = {one.name: one for one in found.ranking.places}
        rows = [_standing(found, one, places.get(one.name)) for one in _by_place(found, places)]
        text = st.column_config.TextColumn
        columns: dict[str, Any] = {
            "place": say("Place"),
            "anonymiser": say("Anonymiser"),
            "best": say("Best attacker"),
            "hits": text(say("Its hits"), help=said.GLOSSARY["best"]),
            "chance": text(
                say("By guessing, at most"), help=say("Bound on the chance that guessing attackers find as many.")
            ),
            "points": text(say("Points"), help=said.GLOSSARY["points"]),
            "rounds": say("Preliminary and main round"),
            "part": say("Useful enough"),
        }
        if not found.ranking.has_preliminary:
            rows = [{name: value for name, value in row.items() if name != "rounds"} for row in rows]
        st.dataframe(rows, hide_index=True, column_config=columns, alt=say("Points and who may take part"))
        asked = [
            f"{said.title(found, name)} {said.threshold(name, found.rules)}"
            for name in found.measures
            if said.threshold(name, found.rules)
        ]
        st.caption(
            say(
                "Thresholds of usefulness: {asked}. {points}",
                asked="; ".join(asked) or say("none"),
                points=said.GLOSSARY["points"],
            )
        )
        if found.ranking.places:
            _paid(found)


def _by_place(found: Contest, places: Mapping[str, Place]) -> list[said.Standing]:
    """From the winner on, those that may not take part last, in the order of the plan."""
    last = len(places) + 1
    return sorted(found.standings, key=lambda one: places[one.name].place if one.name in places else last)


def _standing(found: Contest, one: said.Standing, place: Place | None) -> dict[str, str]:
    rounds = ""
    if place is not None and place.preliminary is not None:
        rounds = f"{place.preliminary:.0f}, {place.main:.0f}"
    return {
        "place": "–" if place is None else str(place.place),
        "anonymiser": said.called(one),
        "best": contest_charts.attacker(one.best),
        "hits": said.count(one.worst),
        "chance": f"{one.chance:.2g}",
        "points": f"{one.points.value:.0f} [{one.points.low:.0f}, {one.points.high:.0f}]",
        "rounds": rounds,
        "part": say("yes") if one.takes_part else say("no: {measures}", measures=said.reason(found, one)),
    }


def _paid(found: Contest) -> None:
    """What attackers are paid."""
    rows = [
        {"attacker": contest_charts.attacker(one.attacker), "winner": f"{one.winner:.0f}", "top": f"{one.top:.0f}"}
        for one in found.ranking.attackers
    ]
    heads = {
        "attacker": say("Attacker"), "winner": say("Points against the winner"), "top": say("Against the best three"),
    }  # fmt: skip
    st.dataframe(rows, hide_index=True, column_config=heads, alt=say("Points of attackers"))


def _called(found: Contest, name: str) -> str:
    return next((said.called(one) for one in found.standings if one.name == name), name)


def _plain(found: Contest, measure: str) -> str:
    return plain(str(found.measures[measure]["plain"]))


def _declared(result: Mapping[str, Any]) -> None:
    """What anonymisers declare of their releases, and what is counted beside it."""
    with st.expander(say("What is declared, and k and δ-presence as they are counted")):
        st.markdown("\n".join(f"- {plain(line)}" for line in contest_declared.lines(result)))


def _learnt(found: Contest) -> None:
    """What models get right that learnt from each release, beside those that learnt from the real rows."""
    names = [name for name in found.measures if name.split(" ")[0] in LEARNT]
    if not names:
        return
    with st.expander(say("What can be learnt from each release"), expanded=True):
        rows = [
            {"anonymiser": said.called(one), **{name: _useful(one, name) for name in names}} for one in found.standings
        ]
        heads = {
            name: st.column_config.TextColumn(plain(said.title(found, name)), help=_plain(found, name))
            for name in names
        }
        st.dataframe(
            rows, hide_index=True, column_config={"anonymiser": say("Anonymiser"), **heads},
            alt=say("Accuracy of models learnt from each release"),
        )  # fmt: skip
        st.caption(say("{learnt} Tested on {tested:,} people.", learnt=said.GLOSSARY["learnt"], tested=found.tested))


def _numbers(found: Contest) -> None:
    """Every number of hits and of usefulness."""
    with st.expander(say("All numbers")):
        rows = [
            {"anonymiser": said.called(one), **{name: _count(one, name) for name in found.attackers}}
            for one in found.standings
        ]
        st.dataframe(
            rows, hide_index=True, alt=say("Hits with intervals"),
            column_config={
                "anonymiser": say("Anonymiser"), **{name: contest_charts.attacker(name) for name in found.attackers}
            },
        )  # fmt: skip
        first = next(iter(found.standings[0].hits.values()))
        units = say("{n:,} guesses", n=first.n) if first.method.startswith("exact") else say("{n:,} rounds", n=first.n)
        st.caption(
            say(
                "Hits [low, high]; {level:.4g} % intervals over {units}. {hits}",
                level=100 * first.level,
                units=units,
                hits=said.GLOSSARY["hits"],
            )
        )
        _usefulness(found)
        told = [f"- **{plain(about['title'])}:** {plain(about['plain'])}" for about in found.measures.values()]
        st.markdown("\n".join(told))


def _usefulness(found: Contest) -> None:
    """Every measure against the sample, with other people beside it; then against other people."""
    rows = [
        {
            "measure": said.title(found, name),
            **{said.called(one): _useful(one, name) for one in found.standings},
            "others": said.reference(found, name),
        }
        for name in found.measures
    ]
    others = st.column_config.TextColumn(say("Other people"), help=said.GLOSSARY["other_people"])
    st.dataframe(
        rows, hide_index=True, column_config={"measure": say("Against the sample"), "others": others},
        alt=say("Usefulness of each release"),
    )  # fmt: skip
    if not all(one.useful.keys() >= one.usefulness.keys() for one in found.standings):
        st.caption(said.GLOSSARY["usefulness"])
    elsewhere = [
        {
            "measure": said.title(found, name),
            "sample": said.reference(found, name),
            **{said.called(one): f"{one.elsewhere[name]:.3f}" for one in found.standings if name in one.elsewhere},
        }
        for name in found.measures
        if any(name in one.elsewhere for one in found.standings)
    ]
    heads = {"measure": say("Against other people"), "sample": say("The sample itself")}
    st.dataframe(elsewhere, hide_index=True, column_config=heads, alt=say("Usefulness for people who were not in"))
    st.caption(said.GLOSSARY["elsewhere"])


def _count(one: said.Standing, attacker: str) -> str:
    return said.count(one.hits[attacker]) if attacker in one.hits else say("was not run")


def _useful(one: said.Standing, measure: str) -> str:
    if measure in one.useful:
        return wording.number(one.useful[measure])
    return f"{one.usefulness[measure]:.3f}" if measure in one.usefulness else say("not known")


def _notes(found: Contest) -> None:
    """What could not be played, and what all this does not show."""
    with st.expander(say("Notes, and what this does not show"), expanded=not found.standings):
        st.markdown("\n".join(f"- {plain(line)}" for line in dict.fromkeys([*found.notes, *said.LIMITS])))


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
        say("Download the bundle (ZIP)"), data=path.read_bytes, file_name=f"contest_{run.id[:12]}.zip",
        mime="application/zip", key="contest.bundle", on_click="ignore", icon=":material/folder_zip:",
        help=say("Population, who was in, releases, guesses and scores as CSV, and a README that says what attackers "
                 "must "
        "not see."),
    )  # fmt: skip
    if run.plan.source == PEOPLE:
        st.caption(f":material/warning: {say('The population is the people themselves: the bundle holds real rows.')}")
