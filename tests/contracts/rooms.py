"""What plug-ins of any folder ("room") are held to alike; the contract of each folder says which of it holds there."""

import importlib
import pickle
import random
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import MISSING as NO_DEFAULT
from dataclasses import FrozenInstanceError, fields
from pathlib import Path
from typing import Any, get_args, get_type_hints

import numpy as np
import pytest

from riskkit import registry
from riskkit.core import Floats, Likelihood
from riskkit.errors import ParameterError

# --- which there are ------------------------------------------------------------------------------------------------


def spellings(room: str, *, with_ends: bool = False) -> list[str]:
    """Each plug-in at its defaults, and once for every other item of each of its menus and switches.

    ``with_ends`` also for the least and the most that a number may be.
    """
    out: list[str] = []
    for name, plugin in registry.plugins(room).items():
        out.append(name)
        for setting in registry.settings(plugin):
            menu = (True, False) if setting.type is bool else setting.choices or ()
            if with_ends and not menu:
                menu = tuple(setting.type(end) for end in (setting.low, setting.high) if end is not None)
            out += [f"{name}:{setting.name}={item}" for item in menu if item != setting.default]
    return out


def made(room: str, settings: dict[str, dict[str, Any]]) -> list[Any]:
    """Each plug-in with the settings given for its name, and once with each item of each of its menus."""
    out: list[Any] = []
    for name, plugin in registry.plugins(room).items():
        menus = [{item.name: choice} for item in registry.settings(plugin) for choice in item.choices or ()]
        out += [plugin(**{**settings.get(name, {}), **menu}) for menu in ({}, *menus)]
    return list(dict.fromkeys(out))


def has_likelihood(generator: str) -> bool:
    """Whether fits of that generator say how probable a row is, as its ``fit`` is annotated: nothing is fitted."""
    made = get_type_hints(registry.plugins("generators")[generator].fit)["return"]
    return any(issubclass(fit, Likelihood) for fit in get_args(made) or (made,))


# --- what each says of itself ---------------------------------------------------------------------------------------


def says_what_it_is(room: str, name: str) -> None:
    """Its file has its name; title, card and docstring are written."""
    plugin = registry.plugins(room)[name]
    assert plugin.name == name
    has_the_name_of_its_file(plugin)
    assert plugin.title[0].isupper() or plugin.title.startswith("k-")
    assert plugin.card.endswith(".")
    assert plugin.card.count(". ") >= SENTENCES.get(room, 0), "how it works, what it needs, where it is strong and weak"
    assert plugin.__doc__
    assert not plugin.__doc__.startswith(f"{plugin.__name__}(")  # what a dataclass without words of its own gets


SENTENCES = {"generators": 2, "attacks": 2, "released": 2, "profiles": 2, "targets": 1, "explained": 1, "inverters": 1}
"""Ends of sentences that a card has, beside its last."""


def has_the_name_of_its_file(plugin: Any) -> None:
    """A file of one plug-in has its name; one of several variants has a name for all of them."""
    file = importlib.import_module(plugin.__module__)
    alone = file.PLUGIN is plugin and file.__name__.rpartition(".")[2] == plugin.name.replace("-", "_")
    assert alone or plugin in file.PLUGIN


def has_a_whole_form(plugin: Any) -> None:
    """Every parameter has a default, a label, a help, and a menu, a switch, a free text or bounds."""
    assert all(spec.default is not NO_DEFAULT for spec in fields(plugin))
    for setting in registry.settings(plugin):
        assert setting.label != setting.name
        assert setting.label[0].isupper() or not setting.label[0].isascii()
        assert setting.help.endswith(".")
        is_free = setting.type in (bool, str) or setting.is_list
        assert setting.choices is not None or is_free or None not in (setting.low, setting.high)


# --- how it is written and refused ----------------------------------------------------------------------------------


def is_frozen(plugin: Any) -> None:
    for spec in fields(plugin):
        with pytest.raises(FrozenInstanceError):
            setattr(plugin, spec.name, getattr(plugin, spec.name))


def is_read_back_and_pickled(room: str, plugin: Any) -> None:
    assert registry.parse(room, registry.spell(plugin)) == plugin
    assert pickle.loads(pickle.dumps(plugin)) == plugin


def refuses_bad_parameters(room: str, name: str) -> None:
    """Beyond its bounds, of no menu, no number, of another type: each is refused with a sentence that names it."""
    for setting in registry.settings(registry.plugins(room)[name]):
        bad: list[Any] = [["no such choice"]] if setting.choices else []
        bad += [setting.low - 1] if setting.low is not None else []
        bad += [setting.high + 1] if setting.high is not None else []
        bad += [float("nan"), float("inf"), True, "1"] if setting.low is not None else []
        bad += ["true", 1, None] if setting.type is bool else []
        for value in bad:
            with pytest.raises(ParameterError, match=rf"^{name}: {setting.name} is .+; it m.+\.$"):
                registry.make(room, name, **{setting.name: value})
    with pytest.raises(ParameterError, match="no parameter"):
        registry.make(room, name, no_such_parameter=1)


# --- how it works ---------------------------------------------------------------------------------------------------


@contextmanager
def only_its_own_chance() -> Iterator[None]:
    """What is done inside leaves the global random numbers where they were."""
    before = str(np.random.get_state()), random.getstate()
    yield
    assert (str(np.random.get_state()), random.getstate()) == before


class Upside:
    """A faulty attack: the right one, turned over."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner

    def score(self, *arguments: Any) -> Floats:
        return -self.inner.score(*arguments)


# --- one more file --------------------------------------------------------------------------------------------------


@contextmanager
def one_more_file(room: str, module: str, source: str, folder: Path) -> Iterator[None]:
    """One new file in ``folder`` is beside those of the room; gone again afterwards."""
    package = importlib.import_module(f"riskkit.{room}")
    (folder / f"{module}.py").write_text(source, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(package, "__path__", [*package.__path__, str(folder)])
        importlib.invalidate_caches()
        registry.plugins.cache_clear()
        try:
            yield
        finally:
            sys.modules.pop(f"riskkit.{room}.{module}", None)
            vars(package).pop(module, None)
            registry.plugins.cache_clear()
