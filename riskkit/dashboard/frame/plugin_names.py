"""What people call a plug-in and its settings: its title, and what of it is not at its default."""

from __future__ import annotations

from typing import Any

from riskkit import registry
from riskkit.errors import RiskkitError
from riskkit.language import say
from riskkit.registry import Setting


def title(room: str, name: str) -> str:
    """What people call that plug-in."""
    return say(str(registry.plugins(room)[name].title))


def full_title(room: str, spelled: str) -> str:
    """A spelled plug-in for people: its title, and what of it is not at its default; of a chain, each step's."""
    plugin = registry.parse(room, spelled)
    if registry.chain_parts(plugin):
        return say(", then ").join(full_title(room, step) for step in registry.steps(spelled))
    changed = [
        _setting_in_words(setting, getattr(plugin, setting.name))
        for setting in registry.settings(type(plugin))
        if getattr(plugin, setting.name) != setting.default
    ]
    return f"{say(plugin.title)}{' · ' if changed else ''}{', '.join(changed)}"


def plugin_title(room: str, spelled: str) -> str:
    """A plug-in for people; what names none stays as it was written, and the plan says what is wrong with it."""
    try:
        return full_title(room, spelled)
    except RiskkitError:
        return spelled


def choice_in_words(setting: Setting, choice: Any) -> str:
    """A choice as people read it: in words where the setting has them, else as it stands."""
    return say(setting.words[choice]) if choice in setting.words else str(choice) or say("none")


def value_in_words(value: Any) -> str:
    """A value as people read and type it."""
    if isinstance(value, bool):
        return say("on") if value else say("off")
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    return "" if value is None else str(value)


def _setting_in_words(setting: Setting, value: Any) -> str:
    """A setting and its value as people read them, a choice in words."""
    if setting.choices is None:
        return f"{say(setting.label)} {value_in_words(value)}"
    return say("{where}: {what}", where=say(setting.label), what=choice_in_words(setting, value))
