"""The fields of the form about guessed secrets: each asks for one setting, or a few that belong together."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import streamlit as st

from riskkit import registry, wording
from riskkit.core import Column, Kind, Role, Schema
from riskkit.dashboard import asking, forms, plan_forms, steps
from riskkit.dashboard.frame import option, plain
from riskkit.jobs.store import Audit
from riskkit.language import say
from riskkit.questions.attributes import match_words as matches_said
from riskkit.questions.attributes import randomised_words as again_said
from riskkit.questions.attributes import words
from riskkit.questions.attributes.known_sets import FIRST, GREEDY, OTHERS, SECOND, WHOLE, KnownSet
from riskkit.questions.attributes.plan import BEST, FEWEST_RERUNS, AttributePlan

ROOM = "inference"
KNOWN = {
    OTHERS: say("All others"),
    FIRST: say("The first table"),
    SECOND: say("The second table"),
    "chosen": say("Chosen columns"),
    "greedy": say("The worst few"),
}
"""What an attacker may know, and what it is called."""
BASELINE = wording.choices(AttributePlan, "baseline")
"""Whose most frequent level, or median, a model has to beat."""
NO_MATCH = wording.choices(AttributePlan, "no_match")
"""What may count in CAP where no released row matches."""
AS_THEY_ARE = ("sweep", "second_table", "absolute", "confidence", "no_match", "baseline")
"""Settings whose fields hold what the plan does."""
TURNED = ("secrets", "known", "model", "generator", "randomised", "targets", "tolerance", "groups")
"""Settings whose fields hold it in another form."""
BY_HAND = frozenset((*AS_THEY_ARE, *TURNED))
"""Settings that the form asks for in its own words; it draws all others from the plan."""

key = partial(asking.key, "attributes")


def secrets(audit: Audit, schema: Schema) -> list[str]:
    """The columns to be guessed, at first those whose role says so; which column is a secret is not for us to guess."""
    there = [column.name for column in schema.modelled]
    own = key(audit, "secrets")
    if own not in st.session_state:
        st.session_state[own] = [column.name for column in schema.modelled if column.role is Role.SECRET]
    return st.multiselect(
        say("Secret"),
        there,
        key=own,
        format_func=option,
        persist_state="session",
        placeholder=say("Choose at least one"),
        help=say("What the attacker wants to know of a person."),
        wrap=True,
    )


def known(audit: Audit, schema: Schema, secrets: Sequence[str], *, across: bool) -> tuple[KnownSet, ...]:
    """What the attacker has, one entry a set; an empty one where no column was chosen yet."""
    sets = [name for name in KNOWN if across or name not in (FIRST, SECOND)]
    own = key(audit, "known")
    st.session_state.setdefault(own, [OTHERS])
    picked = st.pills(
        say("Known to the attacker"),
        sets,
        selection_mode="multi",
        format_func=KNOWN.__getitem__,
        key=own,
        persist_state="session",
        help=say(
            "Each set is asked about separately. “The worst few” are the columns that tell most, found on "
            "the release by cross-validation."
        ),
    )
    known: list[KnownSet] = [name for name in WHOLE if name in picked]
    if "chosen" in picked:
        there = [column.name for column in schema.modelled if [column.name] != list(secrets)]
        columns = st.multiselect(
            say("Columns known"),
            there,
            key=key(audit, "columns"),
            format_func=option,
            persist_state="session",
            placeholder=say("Choose at least one"),
            help=say("What somebody may know of a neighbour: age, sex, district."),
            wrap=True,
        )
        known += [tuple(columns)]
    if "greedy" in picked:
        size = st.number_input(
            say("How many columns"),
            1,
            max(len(schema.modelled) - 1, 1),
            min(3, max(len(schema.modelled) - 1, 1)),
            key=key(audit, "size"),
            persist_state="session",
        )
        known += [f"{GREEDY}{size}"]
    return tuple(known)


def model(audit: Audit) -> str:
    """The model that guesses, spelled; empty where its form cannot be used."""
    there = [*registry.plugins(ROOM), BEST]
    name = st.selectbox(
        say("Model that guesses"),
        there,
        there.index(AttributePlan().model),
        _model_title,
        key=key(audit, "model"),
        persist_state="session",
    )
    if name == BEST:
        st.caption(say(words.BEST))
        return BEST
    return steps.form(ROOM, str(name), key(audit, ROOM, str(name)))


def _model_title(name: str) -> str:
    return words.BEST_TITLE if name == BEST else forms.title(ROOM, name)


def generator(audit: Audit) -> dict[str, Any]:
    """The generator that is run again with secrets drawn anew, where one is named; its form's text may be empty."""
    there = steps.offered("generators")
    name = st.selectbox(
        say("Generator to run again"),
        there,
        None,
        lambda plugin: forms.title("generators", plugin),
        key=key(audit, "generator"),
        persist_state="session",
        placeholder=say("None named"),
        help=say(again_said.WHAT),
    )
    if name is None:
        st.caption(say(again_said.NO_GENERATOR))
        return {}
    st.caption(say(again_said.WHAT))
    spelled = steps.form("generators", str(name), key(audit, "generators", str(name)))
    left, right = st.columns(2, gap="large")
    trainings = left.number_input(
        say("Trainings with secrets drawn anew"),
        FEWEST_RERUNS,
        1000,
        20,
        key=key(audit, "randomised"),
        persist_state="session",
        help=say("For each secret and known set. The interval counts trainings."),
    )
    targets = right.number_input(
        say("People who get another secret"),
        1,
        100_000,
        AttributePlan().targets,
        key=key(audit, "targets"),
        persist_state="session",
        help=say("At most a tenth of the real table, so that what is true of the population stays true."),
    )
    return {"generator": spelled, "randomised": int(trainings), "targets": int(targets)}


def sweep(audit: Audit, schema: Schema, known: Sequence[KnownSet]) -> bool:
    """Whether every column is asked about, with the number of questions first."""
    columns = len(schema.modelled)
    on = st.toggle(
        say("Sweep every column"),
        False,
        key=key(audit, "sweep"),
        persist_state="session",
        help=say(
            "Takes each column in turn as the secret, with each set of known columns, and shows where an "
            "attacker learns most."
        ),
    )
    st.caption(
        words.asks(columns, len(known))
        + say(", guessed by: {title}.", title=forms.title(ROOM, AttributePlan().sweep_model))
    )
    return bool(on)


def tolerance(audit: Audit, numeric: Sequence[Column]) -> dict[str, Any]:
    """When a guessed number counts as right; nothing is asked where no number is guessed."""
    if not numeric:
        return {}
    default = AttributePlan()
    dates = all(column.kind is Kind.DATE for column in numeric)
    unit = (
        say("days")
        if dates
        else say("in the unit of {name}", name=plain(numeric[0].name))
        if len(numeric) == 1
        else say("in its own unit")
    )
    left, right = st.columns(2, gap="large")
    share = left.number_input(
        say("A number is right within (% of the true value)"),
        0.0,
        100.0,
        100 * default.tolerance,
        1.0,
        "%.1f",
        key=key(audit, "tolerance"),
        persist_state="session",
        disabled=dates,
        help=say("For dates only the distance counts."),
    )
    distance = right.number_input(
        say("or within this distance ({unit})", unit=unit),
        0.0,
        None,
        None,
        key=key(audit, "absolute"),
        persist_state="session",
        placeholder=say("half a unit of the last decimal"),
        help=say("The wider of the two tolerances counts. Where the true value is 0, only the distance counts."),
    )
    return {"tolerance": float(share) / 100, "absolute": None if distance is None else float(distance)}


def more(audit: Audit, schema: Schema) -> dict[str, Any]:
    """Groups, and the settings that few will change."""
    default = AttributePlan()
    groups = st.multiselect(
        say("Groups to look at separately"),
        [column.name for column in schema.modelled],
        key=key(audit, "groups"),
        format_func=option,
        persist_state="session",
        placeholder=say("None"),
        help=say(
            "Are the people of some group easier to guess? The interval of the worst group allows for having "
            "looked at all groups."
        ),
        wrap=True,
    )
    with st.expander(say("More settings")):
        left, right = st.columns(2, gap="large")
        sure = right.slider(
            say("Confidence from which a person is listed as exposed"),
            0.0,
            1.0,
            default.confidence,
            0.05,
            key=key(audit, "confidence"),
            persist_state="session",
            help=words.GLOSSARY["exposed"],
        )
        no_match = right.selectbox(
            say("In CAP, if no row matches"),
            list(matches_said.NO_MATCH),
            format_func=NO_MATCH.__getitem__,
            key=key(audit, "no_match"),
            persist_state="session",
            help=" ".join(map(say, matches_said.NO_MATCH.values())),
        )
        baseline = left.selectbox(
            say("Constant guess to beat"),
            list(BASELINE),
            format_func=BASELINE.__getitem__,
            key=key(audit, "baseline"),
            persist_state="session",
            help=words.GLOSSARY["baseline"],
        )
        more = plan_forms.rest(AttributePlan, BY_HAND, partial(key, audit))
    return {
        **more,
        "groups": tuple(groups),
        "no_match": str(no_match),
        "baseline": str(baseline),
        "confidence": float(sure),
    }
