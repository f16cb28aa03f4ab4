"""Finished attacks on a released file on a page: a sentence, pictures, the details folded, and what only describes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from riskkit import language, wording
from riskkit.core import Estimate
from riskkit.dashboard import again, estimates, for_whom, forms, released_charts, results, verdicts
from riskkit.dashboard.charts import show as draw
from riskkit.dashboard.frame import plain
from riskkit.jobs.runs import Run
from riskkit.jobs.store import Audit
from riskkit.language import counted, say
from riskkit.questions.released import findings, sentences
from riskkit.questions.released import panel as released_panel
from riskkit.questions.released.result import GUESS, Attacked, BaseRate, ReleasedResult

ROOM = "released"
SAID_ABOVE = ("row by row", "common order")
"""Orders of rows that stand in a box on top of the page."""


@estimates.unless_purged
def show(audit: Audit, run: Run) -> None:
    """The whole result, first what was found, last how to get it again."""
    kept = run.result
    result = ReleasedResult.of(kept)
    results.earlier(audit, run)
    judged = verdicts.show(audit, run)
    ((_, judgement),) = judged
    _beside(result, judgement.why)
    if result.has_attacks:
        named = [(forms.named(ROOM, attack.attack), attack) for attack in result.attacks]
        attack = _pictures(named, result)
        _numbers(named)
        for_whom.show(judged)
        _base_rate(attack, result.base_rates)
        _control(result, limit.value if (limit := verdicts.limit_of(audit, run)) else GUESS)
    _panel(result, is_current=run.revision == audit.revision)
    _notes(result, judgement.why)
    holds = say("It holds no value of a row, no row number, no score of a record.")
    again.settings(audit, run, {**result.as_dict(), "seconds": kept["seconds"]}, holds)


def _beside(result: ReleasedResult, why: str) -> None:
    """What the verdict rests on beside ``why`` it is what it is, and where distances would have missed it."""
    parts = []
    own = result.blind
    if own is not None and own.auc is not None:
        blind = sentences.blind(own.auc, own.chance, apart=own.apart, blocked=result.is_blocked)
        parts.append(blind.removesuffix(why))
    if result.auc is not None:
        parts += [
            say("The strongest is {attack}.", attack=forms.named(ROOM, result.strongest)),
            findings.judged(result),
        ]
    if parts:
        st.caption(plain(" ".join(filter(None, parts))), help=findings.GLOSSARY["auc"])
    if missed := released_panel.disagreement(result):
        st.info(plain(missed), title=say("Distances and attacks disagree"), icon=":material/compare_arrows:")


def _pictures(named: Sequence[tuple[str, Attacked]], result: ReleasedResult) -> Attacked:
    """Success of all attacks; of one, the ROC curve and the scores. Returns the one that is looked at."""
    draw(released_charts.success(named), "released.success")
    strongest = [attack.attack for _, attack in named].index(result.strongest)
    index = st.selectbox(
        say("Attack"), range(len(named)), strongest, lambda position: named[position][0], key="released.attack"
    )
    left, right = st.columns(2, gap="large")
    with left:
        log = st.toggle(
            say("Log axes"), True, key="released.log", help=say("Enlarges the corner where few are accused falsely.")
        )
        draw(released_charts.roc(*named[index], log=log), "released.roc")
    with right:
        draw(released_charts.scores(*named[index]), "released.scores")
    return named[index][1]


def _numbers(named: Sequence[tuple[str, Attacked]]) -> None:
    """All estimates in one table."""
    with st.expander(say("All numbers")):
        rows = [
            {
                "attack": who,
                "auc": _cell(attack.auc),
                "ten": _cell(attack.named_at("0.1")),
                "one": _cell(attack.named_at("0.01")),
                "control": _cell(attack.control),
                "records": attack.auc.n if attack.auc else 0,
            }
            for who, attack in named
        ]
        text = st.column_config.TextColumn
        columns: dict[str, Any] = {
            "attack": say("Attack"),
            "auc": text(say("AUC (chance 0.50)"), help=findings.GLOSSARY["auc"]),
            "ten": text(say("Named at 10 % false alarms"), help=findings.GLOSSARY["tpr_at_fpr"]),
            "one": text(say("Named at 1 % false alarms"), help=findings.GLOSSARY["tpr_at_fpr"]),
            "control": text(say("AUC on the planted leak"), help=findings.GLOSSARY["control"]),
            "records": st.column_config.NumberColumn(say("Records"), help=findings.GLOSSARY["record"]),
        }
        st.dataframe(rows, hide_index=True, column_config=columns, alt=say("All estimates with intervals"))
        level = next(attack.auc.level for _, attack in named if attack.auc)
        st.caption(
            say(
                "Value [low, high] at {level:.4g} %, counting records. These intervals are for one look each; the "
                "verdict above allows for looking at all of them.",
                level=100 * level,
            )
        )


def _cell(number: Estimate | None) -> str:
    return say("no number") if number is None else wording.number(number)


def _base_rate(attack: Attacked, base_rates: Sequence[BaseRate]) -> None:
    """What an accusation is worth, for attackers who suspected more or less beforehand."""
    rows = [
        {
            "before": wording.percent(rate.prior),
            "after": "{} [{}, {}]".format(
                *map(wording.percent, (rate.posterior.value, rate.posterior.low, rate.posterior.high))
            ),
        }
        for rate in base_rates
        if rate.attack == attack.attack
    ]
    if not rows:
        return
    with st.expander(say("What it means when the attack says “in”")):
        st.markdown(
            plain(
                say(
                    "{attack}, at a cut that accuses 10 % of the people who were not in. How much an accusation is "
                    "worth depends on how likely the attacker thought it before that the person was in:",
                    attack=forms.named(ROOM, attack.attack),
                )
            )
        )
        columns: dict[str, Any] = {
            "before": say("Likely in before the release"),
            "after": say("Likely in when the attack says so"),
        }
        st.dataframe(
            rows, hide_index=True, column_config=columns, alt=say("What a positive answer means at three base rates")
        )


def _control(result: ReleasedResult, bar: float) -> None:
    """Which attacks found the leak that was planted for them."""
    planted = [(attack, attack.control) for attack in result.attacks if attack.control is not None]
    finders = sum(auc.low > bar for _, auc in planted)
    title = say(
        "Planted leak: {finders} of {attacks} found it",
        finders=finders,
        attacks=counted(len(planted), "{n:,} attack", "{n:,} attacks"),
    )
    with st.expander(title, expanded=not finders):
        st.markdown(
            say(
                "Slightly changed copies of people who were not in were planted into this release. An attack that "
                "misses them has no power on this data, and its silence says nothing."
            )
        )
        lines = [
            f"- {'●' if auc.low > bar else '◌'} "
            f"{plain(sentences.control(forms.named(ROOM, attack.attack), auc, attack.planted, bar))}"
            for attack, auc in planted
        ]
        lines += [f"- ◌ {plain(attack.silent)}" for attack in result.attacks if attack.silent]
        st.markdown("\n".join(lines))


# --------------------------------------------------------------------------------------------------------------
# What describes and does not judge


def _panel(result: ReleasedResult, *, is_current: bool) -> None:
    """Copies, near copies, distances and the order of rows, which is not said again where it gives people away."""
    panel = result.panel
    st.header(say("How the released rows lie beside the real ones"), anchor=False)
    st.markdown(
        ":material/straighten: "
        + say(
            "**This describes, it does not judge.** A release that copies nobody can give everybody away, and a table "
            "of few values is full of equal rows that mean nothing."
        )
    )
    lines = {
        say("Copies"): released_panel.copies(panel),
        say("Near copies"): released_panel.near(panel),
        say("Nearer to whom"): released_panel.nearer(panel),
    }
    is_said_above = is_current and panel.row_order is not None and panel.row_order.kind in SAID_ABOVE
    if not is_said_above:
        lines[say("Order of rows")] = released_panel.row_order(panel)
    st.markdown("\n".join(f"- **{about}.** {plain(line)}" for about, line in lines.items()))
    left, right = st.columns(2, gap="large")
    with left:
        _distances(panel.dcr, "dcr", say("Distance to the nearest released row (SDs)"))
    with right:
        _distances(panel.nndr, "nndr", say("Nearest over second nearest distance (no unit)"))
    st.caption(plain(released_panel.asked(panel)))


def _distances(spread: Mapping[str, Any] | None, what: str, axis: str) -> None:
    if spread:
        figure = released_charts.distances(spread, axis, released_panel.middle(spread, what))
        draw(figure, f"released.{what}")
        st.caption(findings.GLOSSARY[what])


# --------------------------------------------------------------------------------------------------------------
# Notes and the way back


def _notes(result: ReleasedResult, why: str) -> None:
    """What must be said beside the numbers, and what they do not show; not again ``why`` the verdict is what it is."""
    lines = [line for line in map(language.again, result.notes) if why not in line]
    lines += map(say, findings.LIMITS) if result.has_attacks else ()
    if lines:
        with st.expander(say("Notes, and what this does not show"), expanded=not result.has_attacks):
            st.markdown("\n".join(f"- {plain(line)}" for line in dict.fromkeys(lines)))
