"""Finished attacks on a released file on a page: a sentence, pictures, the details folded, and what only describes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from riskkit import language, wording
from riskkit.dashboard import again, estimates, forms, released_charts, results, verdicts
from riskkit.dashboard.charts import show as draw
from riskkit.dashboard.frame import plain
from riskkit.jobs.runs import Run
from riskkit.jobs.store import Audit
from riskkit.language import counted, say
from riskkit.questions.released import findings as told
from riskkit.questions.released import panel as released_panel
from riskkit.questions.released import sentences
from riskkit.questions.released.findings import Attacked, Finding

ROOM = "released"
SAID_ABOVE = ("row by row", "common order")
"""Orders of rows that stand in a box on top of the page."""


@estimates.unless_purged
def show(audit: Audit, run: Run) -> None:
    """The whole result, first what was found, last how to get it again."""
    result = run.result
    found = told.read(result)
    results.earlier(audit, run)
    ((_, judgement),) = verdicts.show(audit, run)
    _beside(found, judgement.why)
    if found.has_attacks:
        named = [(forms.named(ROOM, one.attack), one) for one in found.attacks]
        one = _pictures(named, found)
        _numbers(named)
        _base_rate(one, result["base_rates"])
        _control(found, limit.value if (limit := verdicts.limit_of(audit, run)) else told.GUESS)
    _panel(found, is_current=run.revision == audit.revision)
    _notes(result, found, judgement.why)
    holds = say("It holds no value of a row, no row number, no score of a record.")
    again.settings(audit, run, told.shareable(result), holds)


def _beside(found: Finding, why: str) -> None:
    """What the verdict rests on beside ``why`` it is what it is, and where distances would have missed it."""
    said = []
    if found.blind is not None:
        blind = sentences.blind(found.blind, found.blind_p, apart=found.apart, blocked=found.blocked)
        said.append(blind.removesuffix(why))
    if found.auc is not None:
        said += [say("The strongest is {attack}.", attack=forms.named(ROOM, found.strongest)), told.judged(found)]
    if said:
        st.caption(plain(" ".join(filter(None, said))), help=told.GLOSSARY["auc"])
    if missed := released_panel.disagreement(found):
        st.info(plain(missed), title=say("Distances and attacks disagree"), icon=":material/compare_arrows:")


def _pictures(named: Sequence[tuple[str, Attacked]], found: Finding) -> Attacked:
    """Success of all attacks; of one, the ROC curve and the scores. Returns the one that is looked at."""
    draw(released_charts.success(named), "released.success")
    strongest = [one.attack for _, one in named].index(found.strongest)
    at = st.selectbox(say("Attack"), range(len(named)), strongest, lambda at: named[at][0], key="released.attack")
    left, right = st.columns(2, gap="large")
    with left:
        log = st.toggle(
            say("Log axes"), True, key="released.log", help=say("Enlarges the corner where few are accused falsely.")
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
    return say("no number") if found is None else wording.number(found)


def _base_rate(one: Attacked, base_rates: Sequence[Mapping[str, Any]]) -> None:
    """What an accusation is worth, for attackers who suspected more or less beforehand."""
    rows = [
        {
            "before": wording.percent(given["prior"]),
            "after": "{} [{}, {}]".format(
                *(wording.percent(given["posterior"][end]) for end in ("value", "low", "high"))
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
                    "{attack}, at a cut that accuses 10 % of the people who were not in. How much an accusation is "
                    "worth depends on how likely the attacker thought it before that the person was in:",
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


def _control(found: Finding, bar: float) -> None:
    """Which attacks found the leak that was planted for them."""
    planted = [(one, one.control) for one in found.attacks if one.control is not None]
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
            f"{plain(sentences.control(forms.named(ROOM, one.attack), auc, one.planted, bar))}"
            for one, auc in planted
        ]
        lines += [f"- ◌ {plain(one.silent)}" for one in found.attacks if one.silent]
        st.markdown("\n".join(lines))


# --------------------------------------------------------------------------------------------------------------
# What describes and does not judge


def _panel(found: Finding, *, is_current: bool) -> None:
    """Copies, near copies, distances and the order of rows, which is not said again where it gives people away."""
    panel = found.panel
    st.header(say("How the released rows lie beside the real ones"), anchor=False)
    st.markdown(
        ":material/straighten: "
        + say(
            "**This describes, it does not judge.** A release that copies nobody can give everybody away, and a table "
            "of few values is full of equal rows that mean nothing."
        )
    )
    said = {
        say("Copies"): released_panel.copies(panel),
        say("Near copies"): released_panel.near(panel),
        say("Nearer to whom"): released_panel.nearer(panel),
    }
    is_said_above = is_current and (panel.get("row_order") or {}).get("kind") in SAID_ABOVE
    if not is_said_above:
        said[say("Order of rows")] = released_panel.row_order(panel)
    st.markdown("\n".join(f"- **{about}.** {plain(line)}" for about, line in said.items()))
    left, right = st.columns(2, gap="large")
    with left:
        _distances(panel, "dcr", say("Distance to the nearest released row (SDs)"))
    with right:
        _distances(panel, "nndr", say("Nearest over second nearest distance (no unit)"))
    st.caption(plain(released_panel.asked(panel)))


def _distances(panel: Mapping[str, Any], what: str, axis: str) -> None:
    spread = panel.get(what)
    if spread:
        figure = released_charts.distances(spread, axis, released_panel.middle(spread, what))
        draw(figure, f"released.{what}")
        st.caption(told.GLOSSARY[what])


# --------------------------------------------------------------------------------------------------------------
# Notes and the way back


def _notes(result: Mapping[str, Any], found: Finding, why: str) -> None:
    """What must be said beside the numbers, and what they do not show; not again ``why`` the verdict is what it is."""
    lines = [line for line in map(language.again, result["notes"]) if why not in line]
    lines += told.LIMITS if found.has_attacks else ()
    if lines:
        with st.expander(say("Notes, and what this does not show"), expanded=not found.has_attacks):
            st.markdown("\n".join(f"- {plain(line)}" for line in dict.fromkeys(lines)))
