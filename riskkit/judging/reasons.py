"""Why a verdict may not be given although there are numbers: codes, each with its sentence and its remedy.

A reason is a code with figures. Its English is made where it is read, so nothing is ever compared with a sentence.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from riskkit.language import kept, say


class Bars(Enum):
    """Which verdicts a reason stands in the way of."""

    EVERYTHING = "everything"
    """Neither a leak nor its absence can be said to be shown."""
    ABSENCE = "absence"
    """A leak can be shown, "within the limit" cannot."""
    LEAK = "leak"
    """The absence of a leak can be shown, a leak cannot."""


@dataclass(frozen=True, slots=True)
class Reason:
    """A code of :data:`REASONS` with the figures that its sentence needs.

    Names of columns or attacks among the figures are already written as the reader may see them. With ``of_a_part`` it
    holds for one of several things that were looked at, so it stands in the way of an absence alone.
    """

    code: str
    figures: Mapping[str, Any] = field(default_factory=dict)
    of_a_part: bool = False

    @property
    def bars(self) -> Bars:
        """Which verdicts it stands in the way of."""
        return Bars.ABSENCE if self.of_a_part else REASONS[self.code].bars

    @property
    def why(self) -> str:
        """The sentence."""
        return say(REASONS[self.code].why, **self.figures)

    @property
    def settle(self) -> str:
        """What would change it."""
        return say(REASONS[self.code].settle, **self.figures)


@dataclass(frozen=True, slots=True)
class Text:
    """What a reason stands in the way of, why, and what would change it."""

    bars: Bars
    why: str
    settle: str


REASONS: Mapping[str, Text] = {
    "sides_differ": Text(
        Bars.EVERYTHING,
        kept(
            "The real table and the holdout can be distinguished without the release, and no attack is shown to "
            "distinguish them better, so none shows a leak."
        ),
        kept("Load a holdout drawn from the same people at the same time and in the same way."),
    ),
    "sides_differ_too": Text(
        Bars.ABSENCE,
        kept(
            "The real table and the holdout can be distinguished without the release, so the absence of a leak "
            "cannot be shown."
        ),
        kept("Load a holdout drawn from the same people at the same time and in the same way."),
    ),
    "no_holdout": Text(
        Bars.EVERYTHING,
        kept(
            "Without a holdout nothing can be said about membership. Each attack must also be run on people "
            "outside the real table, to see what it reaches without any leak."
        ),
        kept(
            "Load rows of people outside the real table as the holdout. If there are none, leave people out with "
            "“riskkit holdout” and make the release again."
        ),
    ),
    "no_holdout_for_secrets": Text(
        Bars.EVERYTHING,
        kept("Without a holdout nobody can say whether people in the data are easier to guess than people outside it."),
        kept(
            "Load rows of people outside the real table as the holdout. If there are none, leave people out with "
            "“riskkit holdout” and make the release again."
        ),
    ),
    "not_compared": Text(
        Bars.EVERYTHING,
        kept(
            "Members and people outside the data cannot be compared: too few of them are in only one of the two "
            "tables, or have a value to guess."
        ),
        kept("Load a holdout with more people outside the real table."),
    ),
    "members_easier_anyway": Text(
        Bars.EVERYTHING,
        kept(
            "Members are easier to guess than the holdout even for a model that was trained without them, so the "
            "two tables hold different people and the difference shows no leak."
        ),
        kept("Load a holdout drawn from the same people."),
    ),
    "members_harder": Text(
        Bars.ABSENCE,
        kept(
            "Members are harder to guess than people outside the data: the two tables hold different people, or "
            "the release avoids real rows, which reveals them too."
        ),
        kept("Load a holdout drawn from the same people, or ask how the release was made."),
    ),
    "values_apart": Text(
        Bars.ABSENCE,
        kept(
            "Real and released values of {columns} hardly meet. The two files may write the same value in two "
            "ways, and then a copied row is not recognised."
        ),
        kept("Say on the page Data which released value means which real one, or that they really differ."),
    ),
    "kinds_apart": Text(
        Bars.ABSENCE,
        kept(
            "In {columns} one file holds numbers or dates and the other holds other texts too, so nobody compared them."
        ),
        kept("Write the values alike in both files."),
    ),
    "missing_code": Text(
        Bars.ABSENCE,
        kept(
            "A number in {columns} may stand for a missing value that another file leaves blank, and then a copied row "
            "is not recognised."
        ),
        kept("Say on the page Data that it means missing, or that it is a number."),
    ),
    "value_labels": Text(
        Bars.ABSENCE,
        kept("One file has labels for the codes in {columns}, and another holds neither these codes nor their labels."),
        kept("Say on the page Data which released value means which real one, or that they really differ."),
    ),
    "ambiguous_dates": Text(
        Bars.ABSENCE,
        kept("The dates in {columns} can be read day first or month first, so copied dates may not be recognised."),
        kept("Choose their kind on the page Data, or write them as year-month-day in the files."),
    ),
    "unclear_dates": Text(
        Bars.ABSENCE,
        kept("The dates in {columns} are written in a way that riskkit does not read, so they are compared as texts."),
        kept("Write them as year-month-day with all four digits of the year, or choose their kind on the page Data."),
    ),
    "zones_differ": Text(
        Bars.ABSENCE,
        kept("Some times in {columns} have a time zone and some have none, so copied times may not be recognised."),
        kept("Write all of them with their time zone, or choose the kind date on the page Data."),
    ),
    "people_in_both": Text(
        Bars.ABSENCE,
        kept(
            "Real people stand in the holdout. They are left out of both sides, but a holdout with so many of them "
            "cannot show that there is no leak."
        ),
        kept("Load a holdout of people outside the real table."),
    ),
    "grids_differ": Text(
        Bars.EVERYTHING,
        kept(
            "Real table and holdout write {columns} otherwise (rounding, gaps or values), so members and others "
            "differ without any leak."
        ),
        kept("Write these columns alike in both files, load another holdout, or leave the columns out."),
    ),
    "holdout_swapped": Text(
        Bars.EVERYTHING,
        kept("The holdout and the release are the same file, or may stand in each other's place."),
        kept("Load the right files into both places, or give them other names."),
    ),
    "unread_column": Text(
        Bars.ABSENCE,
        kept("No question can read {columns}: what these columns say of people would not be seen."),
        kept(
            "Drop the columns from the release, choose on the page Data a kind or role by which they are read, or say "
            "there why nobody need read them."
        ),
    ),
    "unread_parts": Text(
        Bars.ABSENCE,
        kept(
            "The released file holds more than the table that was read, and nobody looked at it: lines before the "
            "table, notes, or other sheets, comments, charts or pictures of a workbook."
        ),
        kept("Save the table alone in a file, release that, and audit it."),
    ),
    "gives_away": Text(
        Bars.ABSENCE,
        kept("The file itself exposes people, or may, so no test can clear it."),
        kept("Correct what the file shows, and audit the new one."),
    ),
    "not_read": Text(
        Bars.ABSENCE,
        kept("No question that was asked has read {columns}: what these columns say of people is not known."),
        kept("Ask a question that reads them, such as the attacks on the released file."),
    ),
    "codes_apart": Text(
        Bars.ABSENCE,
        kept(
            "The release seems to number the values of {columns} in another order than the real file, and then a "
            "copied row is not recognised."
        ),
        kept("Say on the page Data which released value means which real one, or that they really differ."),
    ),
    "line_apart": Text(
        Bars.ABSENCE,
        kept(
            "The released numbers of {columns} seem to be the real ones mirrored, moved or scaled, and then a copied "
            "row is not recognised."
        ),
        kept("Say on the page Data how released numbers become real ones, or that they really differ."),
    ),
    "another_method": Text(
        Bars.ABSENCE,
        kept(
            "The release does not look like one that this method makes: {respect} is {value}, and in {releases} "
            "releases of the method {low} to {high}. Nothing about the method can clear it."
        ),
        kept("Name the method and the settings that made the release, or make the release again with this method."),
    ),
    "rows_not_people": Text(
        Bars.ABSENCE,
        kept(
            "People have several rows here, but each row was treated as a person. A person with several rows is "
            "more exposed than any one of these rows."
        ),
        kept("Audit a table with one row of each person, or decide without this result."),
    ),
    "fewer_rows": Text(
        Bars.ABSENCE,
        kept(
            "Releases in this game have {played:,} rows and yours has {released:,}. More rows reveal more, so "
            "this game may miss a leak of your release."
        ),
        kept("Run the game with releases of {released:,} rows."),
    ),
    "more_rows": Text(
        Bars.LEAK,
        kept(
            "Releases in this game have {played:,} rows and yours has {released:,}. Fewer rows reveal less, so "
            "your release may leak less than this game shows."
        ),
        kept("Run the game with releases of {released:,} rows."),
    ),
    "parts_of_people": Text(
        Bars.ABSENCE,
        kept(
            "Each training had {share} of the people. Somebody may be exposed in the whole table who is not in a part "
            "of it, so this cannot show that nobody is."
        ),
        kept(
            "Run the most exposed again with and without each of them, on the whole table, with optimal-attack bounds "
            "where the method has them."
        ),
    ),
    "planted_missed": Text(
        Bars.ABSENCE,
        kept(
            "All attacks together missed copies of people that were planted in releases, so their silence says nothing."
        ),
        kept("Run again with more trainings; or see whether the method writes values in another way than the table."),
    ),
    "one_training": Text(
        Bars.ABSENCE,
        kept("One training can show a leak, and can never rule one out."),
        kept("Membership: it trains the method again and again."),
    ),
    "games_show": Text(
        Bars.ABSENCE,
        kept("One training can show a leak, and can never rule one out."),
        kept("Membership has decided it: this method leaks."),
    ),
    "evaded": Text(
        Bars.ABSENCE,
        kept(
            "{attackers} found fewer members than guessing would: the release avoids what such an attacker relies "
            "on. That is evasion, not protection."
        ),
        kept("Add attackers of another kind."),
    ),
    "result_unread": Text(
        Bars.ABSENCE,
        kept("Another run of this question has a result that could not be read, and a leak may stand in it."),
        kept("Run that one again, or delete it."),
    ),
    "unknown_question": Text(
        Bars.EVERYTHING,
        kept("This version of the report shows the numbers of this question but cannot judge them."),
        kept("Open it with the version that asked it."),
    ),
}
"""Every reason there is."""
