"""Forms made of a plug-in's fields: a new plug-in file gets its card and its form without a line here."""

from __future__ import annotations

import re
import typing
from collections.abc import Callable
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

Field = Callable[[Setting, str, str], Any]
"""Draws one field: setting, label, key; returns the value."""


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
        drawn = {setting.name: _field(setting)(setting, _label(setting), f"{key}.{setting.name}") for setting in fields}
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
            st.session_state[own] = value_in_words(value) if _field(setting) is _text else value


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


def _field(setting: Setting) -> Field:
    """Which widget suits the type and range of a field."""
    if setting.choices is not None:
        return _menu
    if setting.type is bool:
        return _switch
    if setting.type is float and (setting.low, setting.high) == (0.0, 1.0):
        return _slider
    return _number if setting.type in (int, float) else _text


def _menu(setting: Setting, label: str, key: str) -> Any:
    choices = list(setting.choices or ())
    return st.selectbox(
        label,
        choices,
        choices.index(setting.default),
        partial(choice_in_words, setting),
        key=key,
        help=_help(setting),
        persist_state="session",
    )


def _switch(setting: Setting, label: str, key: str) -> Any:
    return switches.toggle(label, bool(setting.default), key=key, help=_help(setting), persist_state="session")


def _slider(setting: Setting, label: str, key: str) -> Any:
    return st.slider(
        label, 0.0, 1.0, float(setting.default), 0.01, key=key, help=_help(setting), persist_state="session"
    )


def _number(setting: Setting, label: str, key: str) -> Any:
    kind: Any = setting.type
    low, high = (None if end is None else kind(end) for end in (setting.low, setting.high))
    entered = st.number_input(
        label,
        low,
        high,
        kind(setting.default),
        format=None if kind is int else "%g",
        key=key,
        help=_help(setting),
        persist_state="session",
    )
    return kind(setting.default) if entered is None else entered


def _text(setting: Setting, label: str, key: str) -> Any:
    default = value_in_words(setting.default)
    return st.text_input(label, default, key=key, help=_help(setting), persist_state="session")


def _label(setting: Setting) -> str:
    """The label with its unit, as plain text."""
    unit = f" ({say(setting.unit)})" if setting.unit and setting.unit not in setting.label.lower() else ""
    return plain(f"{say(setting.label)}{unit}")


def _help(setting: Setting) -> str:
    return plain(say(setting.help)) if setting.help else ""
