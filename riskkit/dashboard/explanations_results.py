"""What explanations gave away, on a page: the sentences, the pictures, the details folded."""

from __future__ import annotations

from typing import Any

import streamlit as st

from riskkit import language, wording
from riskkit.core import Estimate
from riskkit.dashboard import again, estimates, for_whom, forms, results, verdicts
from riskkit.dashboard import explanations_charts as charts
from riskkit.dashboard.charts import show as draw
from riskkit.dashboard.frame import plain
from riskkit.jobs.runs import Run
from riskkit.jobs.store import Audit
from riskkit.language import counted, say
from riskkit.questions.explanations import findings
from riskkit.questions.explanations import words as said
from riskkit.questions.explanations.outcome import OVERALL
from riskkit.questions.explanations.plan import NONE
from riskkit.questions.explanations.play import defence_title
from riskkit.questions.explanations.result import ExplanationsResult


@estimates.unless_purged
def show(audit: Audit, run: Run) -> None:
    """The whole result, first what was result, last how to get it again."""
    kept = run.result
    result = ExplanationsResult.of(kept)
    results.earlier(audit, run)
    judged = verdicts.show(audit, run)
    _sentences(result)
    attacker, measure = _looked_at(result)
    draw(charts.features(result, attacker, measure, named), "explanations.features")
    st.caption(f"{said.GLOSSARY[measure]} {said.GLOSSARY['constant']}")
    _victim(result, attacker)
    _sweeps(result)
    draw(charts.correlation(result, attacker, named), "explanations.correlation")
    st.caption(said.GLOSSARY["association"])
    _defences(result)
    for_whom.show(judged)
    _numbers(result)
    with st.expander(say("Notes, and what this does not show")):
        lines = dict.fromkeys([*map(language.again, result.notes), *said.LIMITS])
        st.markdown("\n".join(f"- {plain(line)}" for line in lines))
    passed_on = {**result.as_dict(), "seconds": kept["seconds"]}
    again.settings(audit, run, passed_on, say("It holds no value of a row."))


def named(attacker: str) -> str:
    """What people call an attacker or a guess."""
    return said.GUESSES[attacker] if attacker in said.GUESSES else forms.named("inverters", attacker)


# --------------------------------------------------------------------------------------------------------------
# What was found


def _sentences(result: ExplanationsResult) -> None:
    """Whose values they are, what defences do, and the finding of the single reference row."""
    if near := findings.beside(result.library):
        st.markdown(plain(near), help=said.GLOSSARY["explainer"])
    if stopped := findings.defended(result, defence_title):
        st.markdown(plain(stopped))
    if result.reference is not None:
        st.markdown(plain(result.reference.sentence), help=said.GLOSSARY["references"])


def _looked_at(result: ExplanationsResult) -> tuple[str, str]:
    """The attacker and the measure whose picture is shown."""
    left, right = st.columns(2, gap="large")
    attackers = list(result.attackers)
    attacker = left.selectbox(
        say("Attacker shown"), attackers, attackers.index(result.best.attacker), named, key="explanations.attacker"
    )
    measure = right.selectbox(
        say("Measure"), list(said.MEASURES), 0, said.MEASURES.__getitem__, key="explanations.measure"
    )
    return str(attacker), str(measure)


def _victim(result: ExplanationsResult, attacker: str) -> None:
    """One victim: input by input recovered or missed; the values themselves only when asked for."""
    there = len(result.records.truth)
    if not there:
        return
    st.header(say("One victim: recovered and true values"), anchor=False)
    left, right = st.columns(2, gap="large", vertical_alignment="bottom")
    at = left.number_input(
        say("Victim"), 1, there, 1, key="explanations.victim", help=say("Drawn at random from your table.")
    )
    revealed = right.toggle(
        say("Show the values"),
        key="explanations.reveal",
        help=say("True values of a real person; they are in no download."),
    )
    rows = findings.victim(result, int(at) - 1, attacker, revealed=bool(revealed))
    hit = sum(row["right"].startswith("✓") for row in rows)
    st.markdown(
        say(
            "**{attacker} recovers {hit} of {values} of victim {at}**",
            attacker=plain(named(attacker)),
            hit=hit,
            values=counted(len(rows), "{n:,} value", "{n:,} values"),
            at=at,
        )
    )
    columns: dict[str, Any] = {
        "input": say("Input"),
        "true": say("True"),
        "recovered": say("Recovered"),
        "right": say("Right"),
    }
    st.dataframe(rows, hide_index=True, column_config=columns, alt=say("Recovered and true values of one victim"))
    st.caption(findings.of_victim(result, int(at) - 1, attacker))
    if revealed:
        st.markdown(f":material/lock: {say('Restricted: values of a person in the real table.')}")


def _sweeps(result: ExplanationsResult) -> None:
    """More rows, and other optimisers, where they were asked for."""
    if len(result.counts.sizes) > 1:
        draw(charts.sizes(result, named), "explanations.sizes")
        st.caption(said.GLOSSARY["rows"])
    if result.compared():
        draw(charts.optimisers(result), "explanations.optimisers")


def _defences(result: ExplanationsResult) -> None:
    """What each defence takes from attackers and from readers."""
    if not result.stopped:
        return
    st.header(say("What defences cost"), anchor=False)
    draw(charts.frontier(result, defence_title), "explanations.frontier")
    rows = []
    for defence in (NONE, *result.stopped):
        best = result.best_under(defence)
        error = None if best is None else result.of_attacker("mae", best[0], defence=defence)
        rows.append(
            {
                "defence": say("no defence") if defence == NONE else defence_title(defence),
                "attacker": "" if best is None else named(best[0]),
                "success": _cell(None if best is None else best[1]),
                "mae": _cell(error),
                "rank": _cell(result.left_to_readers("rank_correlation", defence)),
                "top": _cell(result.left_to_readers("top_three", defence)),
            }
        )
    text = st.column_config.TextColumn
    columns: dict[str, Any] = {
        "defence": say("Defence"),
        "attacker": say("Best attacker"),
        "success": text(say("Recovered"), help=said.GLOSSARY["success_rate"]),
        "mae": text(say("Mean error"), help=said.GLOSSARY["mae"]),
        "rank": text(say("Rank correlation"), help=said.GLOSSARY["rank_correlation"]),
        "top": text(say("Top three kept"), help=said.GLOSSARY["top_three"]),
    }
    with st.expander(say("Defences as a table")):
        st.dataframe(rows, hide_index=True, column_config=columns, alt=say("Every defence with its cost"))


# --------------------------------------------------------------------------------------------------------------
# The details


def _cell(number: Estimate | None) -> str:
    return say("no number") if number is None else wording.number(number)


def _numbers(result: ExplanationsResult) -> None:
    """Rate and error of every attacker and guess, overall and input by input."""
    with st.expander(say("All numbers")):
        people = [*result.attackers, *said.GUESSES]
        for measure, title in said.MEASURES.items():
            rows = [
                {"input": feature, **{name: _cell(result.of_attacker(measure, name, feature)) for name in people}}
                for feature in (OVERALL, *result.features)
            ]
            columns: dict[str, Any] = {"input": say("Input"), **{name: named(name) for name in people}}
            st.markdown(f"**{title}**", help=said.GLOSSARY[measure])
            st.dataframe(rows, hide_index=True, column_config=columns, alt=say("{title} with intervals", title=title))
        own = ("acceptance", "accepted_mae")
        rows = [
            {"who": named(name), **{what: _cell(result.of_attacker(what, name)) for what in own}}
            for name in result.attackers
            if result.of_attacker("acceptance", name) is not None
        ]
        if rows:
            text = st.column_config.TextColumn
            columns = {
                "who": say("Attacker without data"),
                "acceptance": text(say("Share of answers it keeps"), help=said.GLOSSARY["acceptance"]),
                "accepted_mae": text(say("Mean error of these answers"), help=said.GLOSSARY["accepted_mae"]),
            }
            st.dataframe(
                rows, hide_index=True, column_config=columns, alt=say("Which answers an attacker without data keeps")
            )
        one = result.of_attacker("success_rate", result.best.attacker)
        if one is not None:
            models = counted(int(one.labels["seeds"]), "{n:,} model", "{n:,} models")
            st.caption(
                say(
                    "Value [low, high] at {level:.4g} %, counting {n:,} victims under {models}.",
                    level=100 * one.level,
                    n=one.n,
                    models=models,
                )
            )
