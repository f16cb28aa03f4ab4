"""Forms made of a plug-in's fields: a new plug-in file gets its card and its form without a line here."""

from __future__ import annotations

import re
import typing
from functools import partial
from typing import Any

import streamlit as st

from riskkit import registry
from riskkit.dashboard.frame import switches
from riskkit.dashboard.frame.plugin_names import choice_in_words as choice_in_words
from riskkit.dashboard.frame.plugin_names import full_title as full_title
from riskkit.dashboard.frame.plugin_names import plugin_title as plugin_title
from riskkit.dashboard.frame.plugin_names import title as title
from riskkit.dashboard.frame.plugin_names import value_in_words
from riskkit.dashboard.frame.shell import plain
from riskkit.errors import ParameterError
from riskkit.language import say
from riskkit.registry import Setting
from riskkit.wording import refusal


def card(room: str, name: str) -> None:
    """What the plug-in is and what it needs, in its own words."""
    plugin = registry.plugins(room)[name]
    st.markdown(f"**{plain(say(plugin.title))}**")
    st.caption(plain(say(plugin.card)))
    if hasattr(plugin, "runs_as"):
        st.caption(plain(_runs_as(*plugin.runs_as())))


def _runs_as(user: str, has_no_network: bool) -> str:
    """In whose name a program of the steward's runs, and what it can reach."""
    if has_no_network:
        return say(
            "It runs on this computer as the account {user}, so it may read the files of that account; it has no "
            "network.",
            user=user,
        )
    return say(
        "It runs on this computer as the account {user}, so it may read the files of that account. This system does "
        "not let riskkit keep it from the network, so it may send them away.",
        user=user,
    )


def plugin_form(room: str, name: str, key: str) -> str:
    """The card and the fields of one plug-in; returns it as :func:`riskkit.registry.parse` reads it.

    Every field starts at its default. Widgets are kept under ``<key>.<field>`` for the whole session.

    Raises
    ------
    ParameterError
        What was entered is no value of the field or outside its range. All fields are drawn before.
    """
    card(room, name)
    fields = registry.settings(registry.plugins(room)[name])
    if not fields:
        return registry.spell(registry.make(room, name))
    with st.expander(say("Settings"), key=f"{key}.settings"):
        drawn = {setting.name: _field(setting, f"{key}.{setting.name}") for setting in fields}
    values = {setting.name: _read(setting, drawn[setting.name]) for setting in fields}
    return registry.spell(registry.make(room, name, **values))


def fill(room: str, spelled: str, key: str) -> None:
    """Put a spelled plug-in into the fields that :func:`plugin_form` draws under that key; what is unknown stays out.

    The fields must not be drawn yet.
    """
    try:
        plugin = registry.parse(room, spelled)
    except ParameterError:  # settings of another version, or of a method that is no longer here
        return
    for setting in registry.settings(type(plugin)):
        value, own = getattr(plugin, setting.name), f"{key}.{setting.name}"
        if value != setting.default or own in st.session_state:  # a new field starts at its default by itself
            st.session_state[own] = value_in_words(value) if _is_typed(setting) else value


def numbers(text: str, kind: type = int) -> tuple[Any, ...]:
    """The numbers of a text such as ``3, 17``; each once, in order.

    Raises
    ------
    ParameterError
        Something in it is not a number of that kind.
    """
    parts = [part for part in re.split(r"[,;\s+]+", text.strip()) if part]
    try:
        return tuple(dict.fromkeys(kind(part) for part in parts))
    except ValueError as error:
        sentence = say("Write whole numbers with commas between them, such as 3, 17.")
        if kind is not int:
            sentence = say("Write numbers with commas between them, such as 3, 17.")
        raise ParameterError(sentence) from error


def _read(setting: Setting, value: Any) -> Any:
    """The value as the plug-in wants it: lists were typed as text."""
    if typing.get_origin(setting.type) is not tuple:
        return value
    try:
        return numbers(value, typing.get_args(setting.type)[0])
    except ParameterError as error:
        raise ParameterError(say("{where}: {what}", where=say(setting.label), what=refusal(error))) from error


def field(setting: Setting, value: Any, label: str, how: dict[str, Any]) -> Any:
    """The widget of a single value, by type and range, with that value in it at first; ``how`` is what it takes."""
    if setting.choices is not None:
        menu = list(how.pop("options", setting.choices))
        return st.selectbox(label, menu, menu.index(value), **{"format_func": partial(choice_in_words, setting), **how})
    kind = type_of(setting)
    if kind is bool:
        return switches.toggle(label, bool(value), **how)
    if kind in (int, float):
        return _number(setting, kind, label, value, how)
    return st.text_input(label, str(value), **how)


def _number(setting: Setting, kind: Any, label: str, value: Any, how: dict[str, Any]) -> Any:
    """A number in its range; the plan itself refuses an end that does not belong to it."""
    pairs = (setting.low, setting.above), (setting.high, setting.below)
    low, high = (next((kind(end) for end in pair if end is not None), None) for pair in pairs)
    how = {
        "min_value": low,
        "max_value": high,
        "step": 1 if kind is int else None,  # an empty field without ends would be one of fractions
        "format": None if kind is int else "%g",
        **how,
    }
    if how.pop("is_slider", False):
        return st.slider(label, value=kind(value), **how)
    how = {"placeholder": unless_entered(setting, say("none")) if value is None else None, **how}
    entered = st.number_input(label, value=None if value is None else kind(value), **how)
    if entered is None:
        return setting.default if value is None else value
    return entered


def unless_entered(setting: Setting, nothing: str) -> str:
    """What stands in an empty field: what is taken where nothing is entered, if the setting says that."""
    return choice_in_words(setting, setting.default) if setting.default in setting.words else nothing


def type_of(setting: Setting) -> Any:
    """The type of a value; of one that may be missing the type it has when it is there."""
    there = [kind for kind in typing.get_args(setting.type) if kind is not type(None)]
    return there[0] if len(there) == 1 and not setting.is_list else setting.type


def _field(setting: Setting, key: str) -> Any:
    """The widget of a field of a plug-in; a share is moved on a line, and a list is typed."""
    unit = f" ({say(setting.unit)})" if setting.unit and setting.unit not in setting.label.lower() else ""
    label = plain(f"{say(setting.label)}{unit}")
    how: dict[str, Any] = {
        "key": key,
        "help": plain(say(setting.help)) if setting.help else "",
        "persist_state": "session",
    }
    if _is_typed(setting):
        return st.text_input(label, value_in_words(setting.default), **how)
    is_share = setting.type is float and (setting.low, setting.high) == (0.0, 1.0)
    share = {"is_slider": True, "step": 0.01, "format": None} if is_share else {}
    return field(setting, setting.default, label, how | share)


def _is_typed(setting: Setting) -> bool:
    """Whether its value is written as a text."""
    return setting.choices is None and setting.type not in (bool, int, float)
