"""What a search for the least change says in sentences."""

from __future__ import annotations

from riskkit import registry
from riskkit.language import counted, joined, say
from riskkit.questions.records.remedy import SHARING, Point, Remedy

SHARED_BY = say("People who share a value")
"""What the setting :data:`riskkit.questions.records.remedy.SHARING` is called."""
LIMITS = (
    say(
        "It is about the best attack there can be, on people of this very table, for one release of a method without "
        "noise, and for any number of releases of one fit of a method with noise."
    ),
    say("The usefulness of a release is measured on new releases. It is an average and promises nothing of one."),
)
"""What such a search does not show."""


def called(generator: str, setting: str) -> str:
    """The name of a setting, as forms have it."""
    if setting == SHARING:
        return SHARED_BY
    made = registry.parse("generators", generator)
    return next((one.label for one in registry.settings(type(made)) if one.name == setting), setting)


def measured(measure: str) -> str:
    """The name of a measure of usefulness."""
    title: str = registry.plugins("utility")[measure].title
    return title


def headline(found: Remedy) -> str:
    """The least change that is enough, or that none is."""
    search, setting = found.search, called(found.search.generator, found.search.setting)
    if found.chosen is None:
        best = found.best
        people = counted(best.above, "{n:,} person is", "{n:,} people are")
        return say(
            "No value of {setting} brings everybody's certificate below {limit:g}. The lowest highest certificate is "
            "{highest:.4f}, with {setting} at {value:g}: {people} then above the limit.",
            setting=setting,
            limit=search.limit,
            highest=best.highest.high,
            value=best.value,
            people=people,
        )
    return say(
        "With {setting} at {value:g}, everybody's certificate is below {limit:g}. The highest is at most "
        "{highest:.4f}.",
        setting=setting,
        value=found.chosen.value,
        limit=search.limit,
        highest=found.chosen.highest.high,
    )


def cost(found: Remedy) -> str:
    """The usefulness there, beside that of the setting as it is; nothing where the measure says nothing."""
    measure, now = measured(found.search.measure), found.at(found.now)
    there = found.chosen or found.best
    if there.useful is None:
        return ""
    if now is None or now.useful is None or now is there:
        return say("Usefulness ({measure}): {there}.", measure=measure, there=there.useful)
    return say(
        "Usefulness ({measure}): {there}, and {now} with the setting as it is ({value:g}).",
        measure=measure,
        there=there.useful,
        now=now.useful,
        value=now.value,
    )


def order(found: Remedy) -> str:
    """Whether more of the setting protected more wherever it was tried."""
    if not found.rises:
        return say("Wherever it was tried, the highest certificate falls as the setting protects more.")
    pairs = joined([say("from {one:g} to {other:g}", one=one, other=other) for one, other in found.rises])
    return say(
        "The highest certificate does not fall everywhere: it rises {pairs}. The value named holds the limit together "
        "with all values tried beyond it; between two that were tried it can be otherwise.",
        pairs=pairs,
    )


def line(point: Point) -> tuple[str, str, str, str]:
    """A point as a line of a table: value, highest certificate, people above the limit, usefulness."""
    useful = "" if point.useful is None else str(point.useful)
    return f"{point.value:g}", f"{point.highest.high:.4f}", f"{point.above:,}", useful
