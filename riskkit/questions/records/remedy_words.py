"""A search for the least change as page, report and command show it: its names, and what its reader may see."""

from __future__ import annotations

from riskkit import registry
from riskkit.core import Estimate
from riskkit.errors import RiskkitError
from riskkit.language import kept, say
from riskkit.questions.records.remedy import SHARING, Remedy, RemedyPoint
from riskkit.show.counts import FEW, FEWEST
from riskkit.show.lowered import Lowered, TriedValue
from riskkit.show.names import Names

SHARED_BY = kept("People who share a value")
"""What the setting :data:`riskkit.questions.records.remedy.SHARING` is called."""
METHOD = "highest certificate; upper end for all people (Bonferroni)"
OWN = "riskkit."
"""Where plug-ins stand that riskkit brings: what they call themselves may be told to everybody."""


def called(generator: str, setting: str) -> str:
    """The name of a setting, as forms have it."""
    if setting == SHARING:
        return say(SHARED_BY)
    made = registry.parse("generators", generator)
    return next((field.label for field in registry.settings(type(made)) if field.name == setting), setting)


def measured(measure: str) -> str:
    """The name of a measure of usefulness."""
    title: str = registry.plugins("utility")[measure].title
    return title


def lowered(remedy: Remedy, names: Names | None = None) -> Lowered:
    """The search in the words that this reader may see; without names, of one who may see everything."""
    search = remedy.search
    tried = {point.value: _tried(remedy, point, names) for point in remedy.points}
    return Lowered(
        method=search.generator if names is None else names.called(search.generator, "generators"),
        setting=_setting(search.generator, search.setting, names),
        measure=_measure(search.measure, names),
        limit=search.limit,
        people=remedy.people,
        tried=tuple(tried.values()),
        now=None if remedy.now is None else tried.get(remedy.now),
        chosen=None if remedy.chosen is None else tried[remedy.chosen.value],
        best=tried[remedy.best.value],
        rises=remedy.rises,
    )


def _tried(remedy: Remedy, point: RemedyPoint, names: Names | None) -> TriedValue:
    value, low, high = point.highest
    highest = Estimate("certificate", value, low, high, remedy.search.level, METHOD, remedy.people)
    return TriedValue(point.value, highest, _above(point.above, remedy.people, names), point.useful)


def _above(above: int, people: int, names: Names | None) -> int | str:
    """How many lie above the limit; neither few of them, nor all but few, are counted out to every reader."""
    if names is None or not (names.withholds(above) or names.withholds(people - above)):
        return above
    return FEW if names.withholds(above) else say("more than {people:,}", people=max(people - FEWEST, 0))


def _setting(generator: str, setting: str, names: Names | None) -> str:
    """The name of the setting; of a method of somebody's own, for whoever may not know it, only that it is one."""
    try:
        if setting == SHARING or _is_told(type(registry.parse("generators", generator)), names):
            return called(generator, setting)
    except RiskkitError:  # a method of somebody's own that is not here
        pass
    return setting if names is None or names.tells else say("a setting of its own")


def _measure(measure: str, names: Names | None) -> str:
    plugin = registry.plugins("utility").get(measure)
    if plugin is not None and _is_told(plugin, names):
        return measured(measure)
    return measure if names is None or names.tells else say("a measure of somebody's own")


def _is_told(plugin: type, names: Names | None) -> bool:
    return names is None or names.tells or plugin.__module__.startswith(OWN)
