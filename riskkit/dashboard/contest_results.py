"""A finished contest on a page: the sentences, the matrix, the frontier, the details folded."""

from __future__ import annotations

from typing import Any

import streamlit as st

from riskkit.audit.contest_result import USEFUL
from riskkit.audit.runs import Run
from riskkit.audit.store import Audit
from riskkit.dashboard import again, contest_charts, estimates, results
from riskkit.dashboard.charts import show as draw
from riskkit.dashboard.frame import plain
from riskkit.report import contest_words as said
from riskkit.report import words
from riskkit.report.contest_words import Contest

OPEN = 4
"""Sentences that stand open; the others are folded under them."""


@estimates.unless_purged
def show(audit: Audit, run: Run) -> None:
    """The whole result, first what was found, last how to get it again."""
    result = run.result
    found = said.read(result)
    results.earlier(audit, run)
    if found.standings:
        _sentences(found)
        draw(contest_charts.matrix(found), "contest.matrix")
        st.caption(
            f"{said.guessing(found)} ▲: more than guessing explains; ▽: fewer, which is evasion and no protection. "
            f"{said.GLOSSARY['best']}"
        )
        _frontier(found)
        _standings(found)
        _numbers(found)
    else:
        st.warning("No release could be played and attacked; the notes say why.", icon=":material/pause_circle:")
    _notes(found)
    again.settings(
        audit, run, result, "It holds no row and no row number.",
        "With `--bundle FOLDER` it also writes population, samples, releases, guesses and scores as CSV.",
    )  # fmt: skip


def _sentences(found: Contest) -> None:
    """The release that was loaded first, then every anonymiser, the gravest first, and what contests teach."""
    told = list(zip(found.standings, found.sentences, strict=False))
    rest = found.sentences[len(told) :]
    told.sort(key=lambda pair: (not pair[0].is_uploaded, -pair[0].worst.value))
    for sentence in rest[:-1]:
        st.subheader(plain(sentence), anchor=False)
    for at, (one, sentence) in enumerate(told[:OPEN]):
        _sentence(one, sentence, is_first=at == 0 and len(rest) < 2)
    if told[OPEN:]:
        with st.expander(words.plural(len(told) - OPEN, "more release")):
            for one, sentence in told[OPEN:]:
                _sentence(one, sentence, is_first=False)
    st.caption(plain(rest[-1]))


def _sentence(one: said.Standing, sentence: str, *, is_first: bool) -> None:
    if one.is_uploaded:
        sentence = f"Your release{sentence.removeprefix(one.name)}"
    st.badge(said.verdict(one), color="red" if one.is_leak else "gray")
    if is_first:
        st.subheader(plain(sentence), anchor=False)
    else:
        st.markdown(plain(sentence))


def _frontier(found: Contest) -> None:
    """Privacy against usefulness, by the measure that is picked."""
    if not found.frontiers:
        return
    st.subheader("Privacy against usefulness", anchor=False)
    names = [name for name in USEFUL if name in found.frontiers]
    measure = st.selectbox(
        "Usefulness by", names, format_func=lambda name: found.measures[name]["title"], key="contest.measure"
    )
    about = found.measures[measure]
    draw(contest_charts.frontier(found.frontiers[measure], found, about["title"]), "contest.frontier")
    st.caption(f"{about['plain']} {said.GLOSSARY['frontier']}")


# --------------------------------------------------------------------------------------------------------------
# The details


def _standings(found: Contest) -> None:
    """Who may take part, and points."""
    with st.expander("Who may take part, and points", expanded=True):
        rows = [
            {
                "anonymiser": said.called(one),
                "best": one.best,
                "hits": said.count(one.worst),
                "chance": f"{one.chance:.2g}",
                "points": f"{one.points.value:.0f} [{one.points.low:.0f}, {one.points.high:.0f}]",
                "part": "yes" if one.takes_part else f"no: {', '.join(_title(found, name) for name in one.misses)}",
            }
            for one in found.standings
        ]
        text = st.column_config.TextColumn
        columns: dict[str, Any] = {
            "anonymiser": "Anonymiser",
            "best": "Best attacker",
            "hits": text("Its hits", help=said.GLOSSARY["best"]),
            "chance": text("By guessing, at most", help="Bound on the chance that guessing attackers find as many."),
            "points": text("Points", help=said.GLOSSARY["points"]),
            "part": "Useful enough",
        }
        st.dataframe(rows, hide_index=True, column_config=columns, alt="Points and who may take part")
        asked = [
            f"{_title(found, name)} {said.threshold(name, found.rules)}"
            for name in found.measures
            if said.threshold(name, found.rules)
        ]
        st.caption(f"Asked of usefulness: {'; '.join(asked) or 'nothing'}. {said.GLOSSARY['points']}")


def _title(found: Contest, measure: str) -> str:
    return str(found.measures.get(measure, {}).get("title", measure))


def _numbers(found: Contest) -> None:
    """Every number of hits and of usefulness."""
    with st.expander("All numbers"):
        rows = [
            {"anonymiser": said.called(one), **{name: _count(one, name) for name in found.attackers}}
            for one in found.standings
        ]
        st.dataframe(rows, hide_index=True, column_config={"anonymiser": "Anonymiser"}, alt="Hits with intervals")
        first = next(iter(found.standings[0].hits.values()))
        unit = "guess" if first.method.startswith("exact") else "round"
        counted = f"{first.n:,} {unit}{'es' if unit == 'guess' else 's'}"
        st.caption(f"Hits [low, high] at {100 * first.level:.4g} %, counting {counted}. {said.GLOSSARY['hits']}")
        measures = list(dict.fromkeys(name for one in found.standings for name in one.usefulness))
        useful = [
            {"measure": _title(found, name), **{said.called(one): _useful(one, name) for one in found.standings}}
            for name in measures
        ]
        st.dataframe(useful, hide_index=True, column_config={"measure": "Usefulness"}, alt="Usefulness of each release")
        if not any(one.useful for one in found.standings):
            st.caption(said.GLOSSARY["usefulness"])
        told = [f"- **{about['title']}:** {about['plain']}" for about in found.measures.values()]
        st.markdown("\n".join(told))


def _count(one: said.Standing, attacker: str) -> str:
    return said.count(one.hits[attacker]) if attacker in one.hits else "was not run"


def _useful(one: said.Standing, measure: str) -> str:
    if measure in one.useful:
        return words.number(one.useful[measure])
    return f"{one.usefulness[measure]:.3f}" if measure in one.usefulness else "not known"


def _notes(found: Contest) -> None:
    """What could not be played, and what all this does not show."""
    with st.expander("Notes, and what this does not show", expanded=not found.standings):
        st.markdown("\n".join(f"- {plain(line)}" for line in dict.fromkeys([*found.notes, *said.LIMITS])))
