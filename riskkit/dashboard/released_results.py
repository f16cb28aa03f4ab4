"""Finished attacks on a released file on a page: their view, with a choice of attack, and what hangs on a limit."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from riskkit import language
from riskkit.dashboard import again, estimates, for_whom, results, verdicts, views
from riskkit.dashboard.frame import plain
from riskkit.jobs.runs import Run
from riskkit.jobs.store import Audit
from riskkit.language import say
from riskkit.questions.released import findings, view
from riskkit.questions.released.result import GUESS, Attacked, ReleasedResult
from riskkit.show.blocks import Sentence
from riskkit.show.model import Block
from riskkit.show.names import Names

SAID_ABOVE = ("row by row", "common order")
"""Orders of rows that stand in a box on top of the page."""


@estimates.unless_purged
def show(audit: Audit, run: Run) -> None:
    """The whole result, first what was found, last how to get it again."""
    kept = run.result
    result = ReleasedResult.of(kept)
    results.earlier(audit, run)
    judged = verdicts.show(audit, run)
    finding, judgement = judged[0]
    limit, names = verdicts.limit_of(audit, run), views.names()
    attack = next((attack for attack in result.attacks if attack.attack == result.strongest), None)

    def beside(block: Block) -> None:
        assert isinstance(block, Sentence)
        text = block.text.replace(judgement.why, "").strip()  # what the verdict says of itself is said once
        if text:
            views.draw(replace(block, text=text), run.question)

    def disagreement(block: Block) -> None:
        assert isinstance(block, Sentence)
        title = say("Distances and attacks disagree")
        st.info(plain(block.text), title=title, icon=":material/compare_arrows:")

    def curves(_: Block) -> None:
        nonlocal attack
        attack = _looked_at(result, names)
        _pictures(attack, names, run.question)

    def numbers(block: Block) -> None:
        assert attack is not None
        views.draw(block, run.question)
        for_whom.show(judged)
        views.draw_all(view.base_rates(attack, result.base_rates, names), run.question)
        _control(result, names, GUESS if limit is None else limit.value)

    order = result.panel.row_order
    is_said_above = run.revision == audit.revision and order is not None and order.kind in SAID_ABOVE
    hidden = ("base_rates", "order") if is_said_above else ("base_rates",)
    drawn = {"beside": beside, "disagreement": disagreement, "curves": curves, "numbers": numbers}
    views.show(finding, drawn | dict.fromkeys(hidden, views.nowhere))
    _notes(result, judgement.why)
    holds = say("It holds no value of a row, no row number, no score of a record.")
    again.settings(audit, run, {**result.as_dict(), "seconds": kept["seconds"]}, holds)


def _looked_at(result: ReleasedResult, names: Names) -> Attacked:
    """The attack whose curve and scores are shown, the strongest unless another is picked."""
    attacks = result.attacks
    strongest = [attack.attack for attack in attacks].index(result.strongest)
    index = st.selectbox(
        say("Attack"),
        range(len(attacks)),
        strongest,
        lambda place: view.who(attacks[place].attack, names),
        key="released.attack",
    )
    return attacks[index]


def _pictures(attack: Attacked, names: Names, question: str) -> None:
    """The ROC curve of an attack, and how its scores are spread."""
    left, right = st.columns(2, gap="large")
    with left:
        is_log = st.toggle(
            say("Log axes"), True, key="released.log", help=say("Enlarges the corner where few are accused falsely.")
        )
        views.draw_all(view.roc(attack, names, is_log=is_log), question)
    with right:
        views.draw_all(view.scores(attack, names), question)


def _control(result: ReleasedResult, names: Names, bar: float) -> None:
    """Which attacks found the leak that was planted for them; open where none did."""
    group, is_found = view.control(result, names, bar)
    with st.expander(group.title, expanded=not is_found):
        views.draw_all(group.blocks, "released")


def _notes(result: ReleasedResult, why: str) -> None:
    """What must be said beside the numbers, and what they do not show; not again ``why`` the verdict is what it is."""
    lines = [line for line in map(language.again, result.notes) if why not in line]
    lines += map(say, findings.LIMITS) if result.has_attacks else ()
    if lines:
        with st.expander(say("Notes, and what this does not show"), expanded=not result.has_attacks):
            st.markdown("\n".join(f"- {plain(line)}" for line in dict.fromkeys(lines)))
