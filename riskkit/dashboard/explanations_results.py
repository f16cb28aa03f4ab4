"""What explanations gave away, on a page: its view, with a choice of attacker and measure, and one victim."""

from __future__ import annotations

from typing import Any

import streamlit as st

from riskkit import language
from riskkit.dashboard import again, estimates, for_whom, results, verdicts, views
from riskkit.dashboard.frame import plain
from riskkit.jobs.runs import Run
from riskkit.jobs.store import Audit
from riskkit.language import counted, say
from riskkit.questions.explanations import findings, view, words
from riskkit.questions.explanations.result import ExplanationsResult
from riskkit.show.model import Block
from riskkit.show.names import Names


@estimates.unless_purged
def show(audit: Audit, run: Run) -> None:
    """The whole result, first what was result, last how to get it again."""
    kept = run.result
    result = ExplanationsResult.of(kept)
    results.earlier(audit, run)
    judged = verdicts.show(audit, run)
    names, attacker = views.names(), result.best.attacker

    def features(_: Block) -> None:
        nonlocal attacker
        attacker, measure = _looked_at(result, names)
        views.draw(view.features(result, names, attacker, measure), run.question)
        _victim(result, attacker, names)

    def correlation(_: Block) -> None:
        views.draw(view.correlation(result, names, attacker), run.question)

    def numbers(block: Block) -> None:
        for_whom.show(judged)
        views.draw(block, run.question)

    views.show(judged[0][0], {"features": features, "correlation": correlation, "numbers": numbers})
    with st.expander(say("Notes, and what this does not show")):
        lines = dict.fromkeys([*map(language.again, result.notes), *words.LIMITS])
        st.markdown("\n".join(f"- {plain(line)}" for line in lines))
    passed_on = {**result.as_dict(), "seconds": kept["seconds"]}
    again.settings(audit, run, passed_on, say("It holds no value of a row."))


def _looked_at(result: ExplanationsResult, names: Names) -> tuple[str, str]:
    """The attacker and the measure whose picture is shown."""
    left, right = st.columns(2, gap="large")
    attackers = list(result.attackers)
    attacker = left.selectbox(
        say("Attacker shown"),
        attackers,
        attackers.index(result.best.attacker),
        lambda name: view.who(name, names),
        key="explanations.attacker",
    )
    measure = right.selectbox(
        say("Measure"), list(words.MEASURES), 0, words.MEASURES.__getitem__, key="explanations.measure"
    )
    return str(attacker), str(measure)


def _victim(result: ExplanationsResult, attacker: str, names: Names) -> None:
    """One victim: input by input recovered or missed; the values themselves only when asked for."""
    there = len(result.records.truth)
    if not there:
        return
    st.header(say("One victim: recovered and true values"), anchor=False)
    left, right = st.columns(2, gap="large", vertical_alignment="bottom")
    number = left.number_input(
        say("Victim"), 1, there, 1, key="explanations.victim", help=say("Drawn at random from your table.")
    )
    revealed = right.toggle(
        say("Show the values"),
        key="explanations.reveal",
        help=say("True values of a real person; they are in no download."),
    )
    rows = findings.victim(result, int(number) - 1, attacker, revealed=bool(revealed))
    hit = sum(row["right"].startswith("✓") for row in rows)
    st.markdown(
        say(
            "**{attacker} recovers {hit} of {values} of victim {at}**",
            attacker=plain(view.who(attacker, names)),
            hit=hit,
            values=counted(len(rows), "{n:,} value", "{n:,} values"),
            at=number,
        )
    )
    columns: dict[str, Any] = {
        "input": say("Input"),
        "true": say("True"),
        "recovered": say("Recovered"),
        "right": say("Right"),
    }
    st.dataframe(rows, hide_index=True, column_config=columns, alt=say("Recovered and true values of one victim"))
    st.caption(findings.of_victim(result, int(number) - 1, attacker))
    if revealed:
        st.markdown(f":material/lock: {say('Restricted: values of a person in the real table.')}")
