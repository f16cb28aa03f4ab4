"""Finished attacks on a released file on a page: a sentence, pictures, the details folded, and what only describes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from riskkit.audit.runs import Run
from riskkit.audit.store import Audit
from riskkit.dashboard import again, estimates, forms, released_charts, results
from riskkit.dashboard.charts import show as draw
from riskkit.dashboard.frame import plain
from riskkit.language import counted, say
from riskkit.report import released_findings as told
from riskkit.report import words
from riskkit.report.released_findings import Attacked, Finding

ROOM = "released"


@estimates.unless_purged
def show(audit: Audit, run: Run) -> None:
    """The whole result, first what was found, last how to get it again."""
    result = run.result
    found = told.read(result)
    results.earlier(audit, run)
    _sentence(found)
    if found.has_attacks:
        named = [(forms.named(ROOM, one.attack), one) for one in found.attacks]
        one = _pictures(named, found)
        _numbers(named)
        _base_rate(one, result["base_rates"])
        _control(result["control"], found)
    _panel(found)
    _notes(result, found)
    holds = say("It holds no value of a row, no row number, no score of a record.")
    again.settings(audit, run, told.shareable(result), holds)


def _sentence(found: Finding) -> None:
    """The verdict, the strongest attack, what it rests on, and where distances would have missed it."""
    st.badge(words.VERDICTS[found.verdict], color="red" if found.is_leak else "gray")
    st.header(plain(told.sentence(found)), anchor=False)
    if found.blocked:
        st.warning(plain(found.blind), title=say("The verdict is blocked"), icon=":material/block:")
    else:
        st.markdown(plain(found.why))
    if found.auc is None:
        return
    said = [
        say("Strongest: {attack}, AUC {auc}.", attack=forms.named(ROOM, found.strongest), auc=found.auc),
        told.judged(found),
    ]
    said += [] if found.blocked else [found.blind]
    st.caption(plain(" ".join(filter(None, said))), help=told.GLOSSARY["auc"])
    if missed := told.disagreement(found):
        st.info(plain(missed), title=say("Distances and attacks disagree"), icon=":material/compare_arrows:")


def _pictures(named: Sequence[tuple[str, Attacked]], found: Finding) -> Attacked:
    """Success of all attacks; of one, the ROC curve and the scores. Returns the one that is looked at."""
    draw(released_charts.success(named), "released.success")
    strongest = [one.attack for _, one in named].index(found.strongest)
    at = st.selectbox(say("Attack"), range(len(named)), strongest, lambda at: named[at][0], key="released.attack")
    left, right = st.columns(2, gap="large")
    with left:
        log = st.toggle(
            say("Log axes"), True, key="released.log", help=say("Spreads out the corner where few are accused falsely.")
        )
        draw(released_charts.roc(*named[at], log=log), "released.roc")
    with right:
        draw(released_charts.scores(*named[at]), "released.scores")
    return named[at][1]


def _numbers(named: Sequence[tuple[str, Attacked]]) -> None:
    """All estimates in one table."""
    with st.expander(say("All numbers")):
        rows = [
            {
                "attack": who,
                "auc": _cell(one.auc),
                "ten": _cell(one.named_at("0.1")),
                "one": _cell(one.named_at("0.01")),
                "control": _cell(one.control),
                "records": one.auc.n if one.auc else 0,
            }
            for who, one in named
        ]
        text = st.column_config.TextColumn
        columns: dict[str, Any] = {
            "attack": say("Attack"),
            "auc": text(say("AUC (chance 0.50)"), help=told.GLOSSARY["auc"]),
            "ten": text(say("Named at 10 % false alarms"), help=told.GLOSSARY["tpr_at_fpr"]),
            "one": text(say("Named at 1 % false alarms"), help=told.GLOSSARY["tpr_at_fpr"]),
            "control": text(say("AUC on the planted leak"), help=told.GLOSSARY["control"]),
            "records": st.column_config.NumberColumn(say("Records"), help=told.GLOSSARY["record"]),
        }
        st.dataframe(rows, hide_index=True, column_config=columns, alt=say("All estimates with intervals"))
        level = next(one.auc.level for _, one in named if one.auc)
        st.caption(
            say(
                "Value [low, high] at {level:.4g} %, counting records. These intervals are for one look each; the "
                "verdict above allows for looking at all of them.",
                level=100 * level,
            )
        )


def _cell(found: Any) -> str:
    return say("no number") if found is None else words.number(found)


def _base_rate(one: Attacked, base_rates: Sequence[Mapping[str, Any]]) -> None:
    """What an accusation is worth, for attackers who suspected more or less beforehand."""
    rows = [
        {
            "before": words.percent(given["prior"]),
            "after": "{} [{}, {}]".format(
                *(words.percent(given["posterior"][end]) for end in ("value", "low", "high"))
            ),
        }
        for given in base_rates
        if given["attack"] == one.attack
    ]
    if not rows:
        return
    with st.expander(say("What it means when the attack says “in”")):
        st.markdown(
            plain(
                say(
                    "{attack}, at a cut that accuses 10 % of the people who were not in. How much "
                    "an accusation is worth depends on how likely the attacker held it before:",
                    attack=forms.named(ROOM, one.attack),
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


def _control(control: Sequence[Mapping[str, Any]], found: Finding) -> None:
    """Which attacks found the leak that was planted for them."""
    finders = sum(one.found_planted for one in found.attacks)
    title = say(
        "Planted leak: {finders} of {attacks} found it",
        finders=finders,
        attacks=counted(len(control), "{n:,} attack", "{n:,} attacks"),
    )
    with st.expander(title, expanded=not finders):
        st.markdown(
            say(
                "Slightly changed copies of people who were not in were planted into this release. An attack that "
                "misses them has no power on this data, and its silence says nothing."
            )
        )
        st.markdown("\n".join(f"- {'●' if given['found'] else '◌'} {plain(given['sentence'])}" for given in control))


# --------------------------------------------------------------------------------------------------------------
# What describes and does not judge


def _panel(found: Finding) -> None:
    """Copies, near copies, distances and the order of rows."""
    panel = found.panel
    st.header(say("How the released rows lie beside the real ones"), anchor=False)
    st.markdown(
        ":material/straighten: **This describes, it does not judge.** A release that copies nobody can give everybody "
        "away, and a table of few values is full of equal rows that mean nothing."
    )
    order = panel.get("row_order") or {}
    if order.get("kind") in ("row by row", "common order"):
        st.warning(plain(told.row_order(panel)), title=say("Order of the rows"), icon=":material/format_list_numbered:")
    said = {
        say("Copies"): told.copies(panel),
        say("Near copies"): told.near(panel),
        say("Nearer to whom"): told.nearer(panel),
        say("Order of rows"): told.row_order(panel),
    }
    st.markdown("\n".join(f"- **{about}.** {plain(line)}" for about, line in said.items()))
    left, right = st.columns(2, gap="large")
    with left:
        _distances(panel, "dcr", say("Distance to the nearest released row (SDs)"))
    with right:
        _distances(panel, "nndr", say("Nearest over second nearest distance (no unit)"))
    st.caption(plain(told.asked(panel)))


def _distances(panel: Mapping[str, Any], what: str, axis: str) -> None:
    spread = panel.get(what)
    if spread:
        figure = released_charts.distances(spread, axis, told.middle(spread, what))
        draw(figure, f"released.{what}")
        st.caption(told.GLOSSARY[what])


# --------------------------------------------------------------------------------------------------------------
# Notes and the way back


def _notes(result: Mapping[str, Any], found: Finding) -> None:
    """What must be said beside the numbers, and what they do not show."""
    lines = [line for line in result["notes"] if line != found.why]
    lines += told.LIMITS if found.has_attacks else ()
    if lines:
        with st.expander(
            say("Notes, and what this does not show"), expanded=bool(result["notes"]) and not found.has_attacks
        ):
            st.markdown("\n".join(f"- {plain(line)}" for line in dict.fromkeys(lines)))
