"""Every choice of every plug-in has words: forms and names of runs show them, spellings keep the code."""

import re
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import pytest

from riskkit import registry
from riskkit.dashboard.forms import plugin_forms
from riskkit.generators.engines import recipes
from riskkit.generators.external import External

MENUS = [
    pytest.param(room, name, setting, id=f"{room}-{name}-{setting.name}")
    for room in registry.ROOMS
    for name, plugin in registry.plugins(room).items()
    for setting in registry.settings(plugin)
    if any(isinstance(code, str) and code for code in setting.choices or ())
]
"""Every menu of the plug-ins here, but those of numbers, which are their own words."""


def test_there_are_menus_to_look_at() -> None:
    assert {menu.values[0] for menu in MENUS} >= {"generators", "attacks", "targets", "inference", "inverters"}


@pytest.mark.parametrize(("room", "name", "setting"), MENUS)
def test_every_choice_has_words_and_is_spelled_by_its_code(room: str, name: str, setting: registry.Setting) -> None:
    codes = [code for code in setting.choices or () if code]
    for code in codes:
        words = setting.words[code]
        assert words[0].isupper() or words[0].isdigit(), words
        assert words != code
        assert plugin_forms.choice_in_words(setting, code) == words
        spelled = registry.spell(registry.make(room, name, **{setting.name: code}))
        title = plugin_forms.title(room, name)
        if code == setting.default:
            assert (spelled, plugin_forms.full_title(room, spelled)) == (name, title)
        else:
            assert code in spelled
            assert plugin_forms.full_title(room, spelled) == f"{title} · {setting.label}: {words}"
    assert len({setting.words[code] for code in codes}) == len(codes), "two choices are called the same"
    lead = [code for code in codes if re.search(rf"(^|\. ){re.escape(code)}:", setting.help)]
    assert not lead, "the help speaks of codes, which no form shows"


def test_a_recipe_is_called_by_its_title_once_it_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    @dataclass(frozen=True)
    class Made:
        name: str
        title: str
        is_made: bool

    there = {name: Made(name, f"The method {name}", name == "one") for name in ("one", "two")}
    recipes_there: Any = MappingProxyType(there)
    monkeypatch.setattr(recipes, "recipes", lambda: recipes_there)
    setting = next(setting for setting in registry.settings(External) if setting.name == "recipe")
    assert setting.choices == ("", "one")
    assert [plugin_forms.choice_in_words(setting, code) for code in setting.choices] == ["none", "The method one"]
