"""The menu of a room and the forms of its plug-ins; anonymisers can be followed by others, to make a chain."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from riskkit import registry
from riskkit.dashboard.forms import plugin_forms
from riskkit.dashboard.frame import shell
from riskkit.dashboard.frame.shell import plain
from riskkit.errors import ParameterError
from riskkit.jobs import people
from riskkit.language import say
from riskkit.questions.membership import words

ANONYMISER = "anonymiser"
"""The family whose members can be steps of a chain."""
CALIBRATION = "calibration"
"""The family of mechanisms whose leakage is known: they test an audit, and nobody releases them."""


def menu(room: str) -> list[str]:
    """The plug-ins of a room that are on the menu.

    All but the calibration mechanisms, which tests ask for by name. What the server was not started with is on it too:
    its form says how to start it.
    """
    plugins = registry.plugins(room).items()
    return [name for name, plugin in plugins if getattr(plugin, "family", "") != CALIBRATION]


def room(
    name: str, label: str, there: Sequence[str], default: Sequence[str], key: Callable[..., str], *, columns: int = 2
) -> list[str]:
    """Menu, cards and forms of one room: the chosen plug-ins, spelled; an empty text for one whose form cannot be used.

    ``there`` are the plug-ins on the menu, ``default`` those chosen at first; ``key`` makes widget keys of parts. Forms
    stand in so many ``columns``.
    """
    own = key(name)
    if own not in st.session_state:  # not as the widget's default: a page may also set what is chosen
        st.session_state[own] = [plugin for plugin in default if plugin in there]
    names = st.multiselect(
        label,
        there,
        format_func=lambda plugin: plugin_forms.title(name, plugin),
        key=own,
        label_visibility="collapsed",
        persist_state="session",
        placeholder=say("Choose at least one"),
        wrap=True,
    )
    places = [st.container()] if columns == 1 else st.columns(columns, gap="large")
    spelled = []
    for index, plugin in enumerate(names):
        with places[index % columns]:
            spelled.append(form(name, plugin, key(name, plugin)))
    return spelled


def pick(
    room: str, label: str, first: Sequence[str], key: str, *, is_several: bool = True, about: str = ""
) -> tuple[str, ...]:
    """The plug-ins that are picked, spelled; below the menu a method, its settings and *Add* put a further one on it.

    ``first`` are those picked at first; of one that is not ``is_several`` at most one is picked.
    """
    if key not in st.session_state:
        st.session_state[key] = list(first) if is_several else next(iter(first), None)
    now = st.session_state[key] if is_several else filter(None, [st.session_state[key]])
    there = list(dict.fromkeys([*first, *now, *st.session_state.get(f"{key}.more", ()), *menu(room)]))
    how: dict[str, Any] = {"key": key, "help": about or None, "persist_state": "session"}
    how |= {"format_func": lambda spelled: plugin_forms.plugin_title(room, spelled), "placeholder": say("None")}
    if is_several:
        picked = tuple(st.multiselect(label, there, wrap=True, **how))
    else:
        picked = tuple(filter(None, [st.selectbox(label, there, index=None, **how)]))
    name = st.selectbox(
        say("Add a method with other settings"),
        menu(room),
        None,
        lambda plugin: plugin_forms.title(room, plugin),
        key=f"{key}.new",
        placeholder=say("Choose a method"),
    )
    if name is not None:
        spelled = form(room, name, f"{key}.new.{name}")
        can_add = bool(spelled) and spelled not in picked
        st.button(say("Add"), key=f"{key}.add", on_click=_take, args=(key, spelled), disabled=not can_add)
    return picked


def _take(key: str, spelled: str) -> None:
    """Put what was spelled on the menu of :func:`pick` and pick it; the place for the next one is empty again."""
    picked = st.session_state[key]
    st.session_state[f"{key}.more"] = (*st.session_state.get(f"{key}.more", ()), spelled)
    st.session_state[key] = [*picked, spelled] if isinstance(picked, list) else spelled
    st.session_state[f"{key}.new"] = None


def form(room: str, name: str, key: str) -> str:
    """Card and fields, and where it is an anonymiser those of the steps after it; returns it all spelled.

    The text is empty where a form cannot be used as it is; the sentence that says why stands under that form.
    """
    spelled = [_plugin_field(room, name, key)]
    chained = [name for name, plugin in registry.plugins(room).items() if getattr(plugin, "family", "") == ANONYMISER]
    if name not in chained:
        return spelled[0]
    steps = _steps(key)
    for place, (number, step) in enumerate(steps, start=2):
        own = f"{key}.step{number}"
        st.caption(say("↓ then, as step {place}:", place=place))
        spelled.append(_plugin_field(room, step, own))
        st.button(
            say("Remove step {place}: {title}", place=place, title=plain(plugin_forms.title(room, step))),
            key=f"{own}.remove",
            type="tertiary",
            icon=":material/close:",
            on_click=_remove,
            args=(key, number),
        )
    st.selectbox(
        say("Then"),
        chained,
        None,
        lambda step: plugin_forms.title(room, step),
        key=f"{key}.then",
        on_change=_add,
        args=(key,),
        placeholder=say("Add a step"),
        help=say("The rows that this leaves go through one more anonymiser."),
    )
    if "" in spelled:
        return ""
    chain = registry.BAR.join(spelled)
    if steps:
        st.caption(plain(say("The whole chain, as the command line reads it: {chain}", chain=chain)))
    return chain


def fill(room: str, spelled: str, key: str) -> None:
    """Put a spelled plug-in, or chain, into the fields that :func:`form` draws under that key."""
    first, *rest = registry.steps(spelled) if room == "generators" else (spelled,)
    plugin_forms.fill(room, first, key)
    numbered = list(enumerate(rest, start=2))
    st.session_state[f"{key}.steps"] = tuple((number, step.partition(":")[0]) for number, step in numbered)
    st.session_state[f"{key}.last"] = 1 + len(rest)
    for number, step in numbered:
        plugin_forms.fill(room, step, f"{key}.step{number}")


def _plugin_field(room: str, name: str, key: str) -> str:
    """One plug-in's card and fields, or the sentence that says why it cannot be used and an empty text."""
    if not getattr(registry.plugins(room)[name], "is_offered", lambda: True)():
        plugin_forms.card(room, name)
        _allowing()
        return ""
    try:
        spelled = plugin_forms.plugin_form(room, name, key)
        plugin = registry.parse(room, spelled)
        registry.check_ready(plugin)
        if room == "attacks":
            own = 2 * (plugin.shadows or getattr(plugin, "fits", 0))
            st.caption(words.attacker(plugin.knowledge, own))
        return spelled
    except ParameterError as error:
        shell.sentence_error(error)
        return ""


def _steps(key: str) -> tuple[tuple[int, str], ...]:
    """The steps after the first, each with a number of its own: its fields stay its own when another one goes."""
    steps: tuple[tuple[int, str], ...] = st.session_state.get(f"{key}.steps", ())
    return steps


def _add(key: str) -> None:
    """Put the chosen anonymiser at the end, and empty the menu for the next one."""
    chosen = st.session_state[f"{key}.then"]
    if chosen is None:
        return
    number = st.session_state.get(f"{key}.last", 1) + 1
    st.session_state[f"{key}.last"] = number
    st.session_state[f"{key}.steps"] = (*_steps(key), (number, chosen))
    st.session_state[f"{key}.then"] = None


def _remove(key: str, number: int) -> None:
    st.session_state[f"{key}.steps"] = tuple(step for step in _steps(key) if step[0] != number)


# --------------------------------------------------------------------------------------------------------------
# How a dashboard is started so that it may run generators of one's own


PROGRAM, OBJECT = (
    "riskkit app --allow-external",
    "riskkit app --external-python package.module:Name",
)
TRY = "riskkit generators try 'COMMAND'"


def _allowing() -> None:
    """Say what to do, and why nobody can do it on this page."""
    if people.acting() is not None:
        st.info(
            say(
                "This dashboard serves several people, so it runs no programs: what one person starts could read the "
                "audits of all. Start riskkit on a computer of your own for that."
            ),
            icon=":material/lock:",
        )
        return
    st.info(
        say(
            "This dashboard was not started to run generators of your own, and no page can change that. End it in its "
            "terminal with Ctrl+C, and start it again with one of these. Your audits are kept."
        ),
        icon=":material/lock:",
    )
    st.caption(say("For a program:"))
    st.code(PROGRAM, language="bash", wrap_lines=True)
    st.caption(say("For a Python object with fit and sample:"))
    st.code(OBJECT, language="bash", wrap_lines=True)
    st.caption(say("This shows beforehand, on sample data, whether your program can be used:"))
    st.code(TRY, language="bash", wrap_lines=True)
