"""What every plug-in says of itself, whatever its room. A new one is held to this without a line being added here."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from riskkit import registry
from riskkit.core import Knowledge
from tests.contracts import rooms

EACH = pytest.mark.parametrize(
    ("room", "name"), [(room, name) for room in registry.ROOMS for name in registry.plugins(room)]
)
SPELLED = pytest.mark.parametrize(
    ("room", "spelled"), [(room, each) for room in registry.ROOMS for each in rooms.spellings(room, with_ends=True)]
)
KINDS = ({"category"}, {"number"}, {"category", "number"})
OF_ITS_OWN: Mapping[str, Callable[[Any], bool]] = {
    "generators": lambda plugin: plugin.name.isidentifier(),
    "attacks": lambda plugin: isinstance(plugin.knowledge, Knowledge),
    "released": lambda plugin: isinstance(plugin.needs_reference, bool),
    "inference": lambda plugin: set(plugin.guesses) in KINDS,
    "explained": lambda plugin: set(plugin.predicts) in KINDS,
    "inverters": lambda plugin: plugin.holds in ("auxiliary", "random"),
}
"""What the plug-ins of one room say beside."""
OF_THE_HOUSE = {
    "generators": "stat histogram bayesnet",
    "targets": "random selective adaptive listed",
    "attacks": "mvl neighbour",
    "released": "dcr dcr-diff nndr local-neighbourhood mc dpi nn-kde contest collision",
    "inference": "forest linear tree copy boosting network cap",
    "explained": "linear logistic tree forest boosting network svm",
    "inverters": "linear tree forest knn network nearest",
    "defences": "laplace gaussian rounding quantising top-k fewer-classes",
    "utility": "histogram_counts covariance trees pairs",
    "profiles": "wp216 ema0070 ico pipc nist800188 plain",
}


@pytest.mark.parametrize("room", registry.ROOMS)
def test_those_of_the_house_are_there(room: str) -> None:
    assert set(OF_THE_HOUSE[room].split()) <= set(registry.plugins(room))


@EACH
def test_it_says_what_it_is(room: str, name: str) -> None:
    rooms.says_what_it_is(room, name)
    assert OF_ITS_OWN.get(room, bool)(registry.plugins(room)[name])


@EACH
def test_every_parameter_has_a_label_a_help_and_a_default(room: str, name: str) -> None:
    rooms.has_a_whole_form(registry.plugins(room)[name])


@EACH
def test_bad_parameters_are_refused_with_a_sentence(room: str, name: str) -> None:
    rooms.refuses_bad_parameters(room, name)


@SPELLED
def test_it_is_frozen_spelled_read_back_and_pickled(room: str, spelled: str) -> None:
    plugin = registry.parse(room, spelled)
    assert registry.spell(plugin) == spelled
    rooms.is_read_back_and_pickled(room, plugin)
    rooms.is_frozen(plugin)
