"""What a released file gives away by itself, as the judge takes it and as every surface says it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from riskkit import wording
from riskkit.core import Estimate
from riskkit.language import again, counted, forms, say

# What is said of copied rows: beside people who were not in, or beside what chance makes.

SHOWN, NOT_SHOWN = "shown", "not shown"
"""States of a give-away, as :class:`riskkit.judging.give_aways.State` calls them."""


NEAR: Mapping[str, tuple[str, str]] = {
    "written": forms(
        "To {rows} real person a released row is less than half as far away as any other person",
        "To {rows} real people a released row is less than half as far away as any other person",
    ),
    "places": forms(
        "In whatever order values of like columns, or parts of a value, stand, to {rows} real person a released row is "
        "less than half as far away as any other person",
        "In whatever order values of like columns, or parts of a value, stand, to {rows} real people a released row is "
        "less than half as far away as any other person",
    ),
    "rows": forms(
        "Once the values of a row are taken from their mean or as parts of their sum, to {rows} real person a released "
        "row is less than half as far away as any other person",
        "Once the values of a row are taken from their mean or as parts of their sum, to {rows} real people a released "
        "row is less than half as far away as any other person",
    ),
    "clock": forms(
        "By the times of day alone, to {rows} real person a released row is less than half as far away as any other "
        "person",
        "By the times of day alone, to {rows} real people a released row is less than half as far away as any other "
        "person",
    ),
    "turned": forms(
        "Once the numbers of both tables are turned into the same directions, to {rows} real person a released row is "
        "less than half as far away as any other person",
        "Once the numbers of both tables are turned into the same directions, to {rows} real people a released row is "
        "less than half as far away as any other person",
    ),
    "numbers": forms(
        "By the numbers alone, to {rows} real person a released row is less than half as far away as any other person",
        "By the numbers alone, to {rows} real people a released row is less than half as far away as any other person",
    ),
    "categories": forms(
        "By categories and days alone, {rows} real person and no other has a released row",
        "By categories and days alone, {rows} real people and no others have a released row",
    ),
    "pair": forms(
        "By two neighbouring columns alone, to {rows} real person a released row is less than half as far away as any "
        "other person",
        "By two neighbouring columns alone, to {rows} real people a released row is less than half as far away as any "
        "other person",
    ),
}
"""Near copies, by the way in which rows were compared."""
FEW = 0.03
"""The difference of shares below which they are said in tenths of a per cent: some people of many are no 0 %."""


def beside_holdout(
    figures: Mapping[str, Any], state: str, estimate: Estimate | None, count: Callable[[float], str], rows: str
) -> str:
    """What was counted, beside how often the same is seen of people who were not in."""
    if state == SHOWN and estimate is None and figures["alone"] <= figures["most"]:
        return say(
            "{rows}. Of different rows that one table alone has, {k_in} of {n_in} real ones stand in it and {k_out} of "
            "{n_out} of the holdout. The release copies people.",
            rows=rows,
            **{name: count(figures[name]) for name in ("k_in", "n_in", "k_out", "n_out")},
        )
    if state == SHOWN and estimate is None:
        return say(
            "{rows}. Rows within either file are so seldom alike that chance would make {most} at most. The release "
            "copies people.",
            rows=rows,
            most=count(figures["most"]),
        )
    if not figures["has_holdout"]:
        return say("{rows}. Whether that is more than chance cannot be said without a holdout.", rows=rows)
    if figures.get("is_few"):
        return say(
            "{rows}, and none of the holdout. Rows within either file are so seldom alike that this is hardly chance, "
            "but so few do not prove it.",
            rows=rows,
        )
    if not figures["alone"]:
        return say("{rows}; each of them is a row of the holdout too.", rows=rows)
    if state == NOT_SHOWN and estimate is None:
        return say(
            "{rows}. Nearly everybody in the holdout has a row of the real table too: such rows are combinations "
            "that many people have, and say of nobody that they are in the data.",
            rows=rows,
        )
    if estimate is None:
        return say(
            "{rows}. Too few people are in only one of the two tables to tell whether that is more than chance.",
            rows=rows,
        )
    is_told = count(figures["rows"]) == f"{figures['rows']:,.0f}"
    if not is_told and state == SHOWN:  # a share of a known number is that number again
        return say("{rows}, relatively more than for people outside the data. The release copies people.", rows=rows)
    verdict = _verdict(figures, state, say("The release copies people."))
    if not is_told:
        return say("{rows}. {verdict}", rows=rows, verdict=verdict)
    return say("{rows}: {shares}. {verdict}", rows=rows, shares=_shares(figures, state, estimate), verdict=verdict)


def _shares(figures: Mapping[str, Any], state: str, estimate: Estimate) -> str:
    """The shares of both sides that are copied, with their difference."""
    percent, share = (
        (wording.tenths, wording.share_in_tenths) if estimate.value < FEW else (wording.percent, wording.share)
    )
    difference = share(estimate)
    if state == SHOWN and estimate.low <= 0:  # the test shows a difference where the limits of both shares still meet
        difference = say("{value}, at most {high}", value=percent(estimate.value), high=percent(estimate.high))
    return say(
        "{inside} of the different people in the real table, {outside} of the different people in the holdout "
        "(difference {difference})",
        inside=percent(figures["k_in"] / figures["n_in"]),
        outside=percent(figures["k_out"] / figures["n_out"]),
        difference=difference,
    )


def _verdict(figures: Mapping[str, Any], state: str, shown: str) -> str:
    """What follows from a comparison with the holdout, ``shown`` where it shows a leak."""
    if figures.get("differs"):
        return say("The holdout is of other people than the real table, so this may not come from the release.")
    return shown if state == SHOWN else say("That is not shown to be more than chance.")


class State(StrEnum):
    """What was seen of one give-away."""

    SHOWN = "shown"
    """It gives people away; the verdict is decided."""
    OPEN = "open"
    """It may; until somebody has settled it, no limit is kept."""
    NOT_SHOWN = "not shown"
    """It was looked for and is not there beyond chance."""
    TOO_SMALL = "too small"
    """The file is too short to look for it."""


BESIDE_HOLDOUT = ("copies", "recoded_copies", "near_copies", "values", "near_values", "child_rows", "child_bags")
"""Give-aways that only people of the holdout show, unless copies are many in the real table by itself."""
Count = Callable[[float], str]
"""How a number of people may be told to the reader: a shareable report withholds small ones."""


@dataclass(frozen=True, slots=True)
class GiveAway:
    """``code`` is ``row_order``, ``copies``, ``recoded_copies``, ``near_copies``, ``gaps``, ``values``,
    ``near_values``, ``identifiers`` or ``texts``, and of a second table ``child_order``, ``child_row_order``,
    ``child_rows`` or ``child_bags``; ``unseen`` where they could not be looked for. ``figures`` are what its sentence
    needs. Of several ``releases`` they say which ``release`` it is.

    ``estimate`` is the number it stands on, where it is one with an interval.
    """

    code: str
    state: State
    figures: Mapping[str, Any] = field(default_factory=dict)
    estimate: Estimate | None = None

    @property
    def is_swapped(self) -> bool:
        """Whether more of the holdout stands in the release than of the real table: it was made from the holdout.

        What compares the two has an interval, and is open in this case alone.
        """
        return self.state is State.OPEN and self.estimate is not None and not self.figures.get("differs")

    def of_other_people(self) -> GiveAway:
        """The same where the holdout is of other people than the real table: open, if it is shown beside it alone."""
        if self.state is not State.SHOWN or self.code not in BESIDE_HOLDOUT or self.figures.get("is_many"):
            return self
        return replace(self, state=State.OPEN, figures={**self.figures, "differs": True})


def count_all(people: float) -> str:
    """So many people, whoever reads it."""
    return f"{people:,.0f}"


def sentence(give_away: GiveAway, count: Count = count_all, column: Callable[[str], str] = str) -> str:
    """What was seen, in one sentence, or two where it is of one of several releases.

    ``count`` writes numbers of people, ``column`` names of columns.
    """
    words = (
        _swapped_sentence(give_away) if give_away.is_swapped else _SENTENCES[give_away.code](give_away, count, column)
    )
    words = words[:1].upper() + words[1:]  # "fewer than 10 rows"
    releases = give_away.figures.get("releases")
    if not releases:
        return words
    if "release" in give_away.figures:
        return say(
            "Release {release:,} of {releases:,}: {told}",
            release=give_away.figures["release"],
            releases=releases,
            told=words,
        )
    return say("All {releases:,} releases together: {told}", releases=releases, told=words)


def brief(give_away: GiveAway, count: Count = count_all) -> str:
    """What is shown, without the numbers that it stands on; empty where :func:`sentence` is all there is to say."""
    if give_away.state is not State.SHOWN or give_away.figures.get("releases"):
        return ""
    if give_away.code == "row_order" and not {"is_reversed", "sorted_by"} & set(give_away.figures):
        return say("The row order reveals who is who: it follows the real table.")
    if give_away.code == "copies":
        many = count(give_away.figures["rows"])
        return counted(
            1 if many == "1" else 2,
            "The release copies {rows} real row.",
            "The release copies {rows} real rows.",
            rows=many,
        )
    if give_away.code == "near_copies":
        many = count(give_away.figures["rows"])
        return counted(
            1 if many == "1" else 2,
            "A released row is nearly a copy of {rows} real person.",
            "Released rows are nearly copies of {rows} real people.",
            rows=many,
        )
    if give_away.code == "values":
        return say("Values that one real person alone has stand in the release more often than chance allows.")
    return ""


def short(give_away: GiveAway) -> str:
    """What gives people away, as the end of "This release exposes people: ..."."""
    return {
        "row_order": say("its rows stand in the order of the real table"),
        "copies": say("it copies real rows"),
        "recoded_copies": say("real rows stand in it with renumbered values"),
        "near_copies": say("rows of it are nearly those of real people"),
        "gaps": say("its rows keep away from those of real people"),
        "crowd": say("its rows crowd about one real person"),
        "values": say("values that real people alone have stand in it"),
        "near_values": say("numbers that real people alone have stand in it, moved, scaled or rounded"),
        "identifiers": say("it carries identifiers of real people"),
        "child_order": say("people of the second table stand in the order of the real one"),
        "child_row_order": say("rows of a person in the second table stand in the order of those of a real person"),
        "child_rows": say("rows of the second table of real people stand in it as they are"),
        "child_bags": say("all rows of the second table of a real person stand in it together"),
        "texts": say("texts that real people wrote stand in it word for word"),
        "unseen": say("whether it shows anything by itself could not be checked"),
    }[give_away.code]


def repair(give_away: GiveAway) -> str:
    """What takes it away; empty where there is nothing to take away."""
    if give_away.state not in (State.SHOWN, State.OPEN):
        return ""
    if give_away.is_swapped:
        return say("If they are swapped, load them the other way round.")
    if give_away.figures.get("differs"):
        return say("Load a holdout drawn from the same people at the same time and in the same way.")
    if give_away.figures.get("way") in ("numbers", "categories", "pair"):
        return say(
            "Draw these columns anew, too, or use another method: values of a person expose that person beside values "
            "of nobody, too."
        )
    if give_away.figures.get("way", "written") != "written":
        return say(
            "Take these rows out of the release, or use another method: to move the values of a person, or to turn "
            "numbers together, protects nobody."
        )
    return {
        "row_order": say("Shuffle the rows of the release."),
        "copies": say("Take copied rows out, or use another method."),
        "recoded_copies": say("Take these rows out of the release: other names for their values protect nobody."),
        "near_copies": say(
            "Take these rows out of the release, or use another method: to blur a copy a little protects nobody."
        ),
        "crowd": say(
            "Take these rows out of the release, or use another method: they may all be made from one person."
        ),
        "gaps": say(
            "Release the rows as the method makes them: where those near real people are taken out, the gaps tell who "
            "is in the data."
        ),
        "values": say(
            "Round numbers before the release is made, or make it by a method that does not repeat values of people."
        ),
        "near_values": say(
            "Make these columns by a method that draws new numbers: to move, scale, round or blur those of people a "
            "little protects nobody."
        ),
        "identifiers": say("Make new identifiers, write times less exactly, or drop the column."),
        "child_order": say(
            "Shuffle the people of the second table: put the rows of one person after those of another in a new order."
        ),
        "child_row_order": say("Sort the rows of each person in the second table by their values, or shuffle them."),
        "child_rows": say("Take the copied rows out of the second table, or use another method."),
        "child_bags": say("Take the copied people out of the release, or make it by a method that copies nobody."),
        "texts": say("Take these texts out of the release, or drop the column."),
        "unseen": say(
            "Report this fault, and compare the files by hand: copied rows, a kept order and identifiers are not ruled "
            "out."
        ),
    }[give_away.code]


def _swapped_sentence(give_away: GiveAway) -> str:
    """What is said of every give-away that compares the real table with the holdout, where the holdout has more."""
    if give_away.code == "values":
        return say(
            "More of the values that one person of the holdout alone has stand in the release than of those of one "
            "real person. The real table and the holdout may be swapped."
        )
    return say(
        "More people of the holdout than of the real table stand in the release. The real table and the holdout may be "
        "swapped."
    )


def _row_order(give_away: GiveAway, count: Count, column: Callable[[str], str]) -> str:  # noqa: ARG001  alike
    if give_away.state is State.TOO_SMALL:
        return say("The files are too short to compare the order of their rows.")
    if give_away.figures.get("kind") == "follow":
        return say(
            "Rows of the release follow each other as the real people most like them do, with some left out, put in "
            "between or moved along (z = {z:.1f}). The order may reveal who is who.",
            z=give_away.figures["z"],
        )
    share = _order_sentence(give_away)
    if "sorted_by" in give_away.figures:
        return say(
            "Sorted by {column}, the real table is in the order of the release: its rows are most like those at the "
            "same place {share}. The order of the rows reveals who is who.",
            column=column(give_away.figures["sorted_by"]),
            share=share,
        )
    if give_away.figures.get("is_reversed"):
        return say(
            "Read from its end, the release is in the order of the real table: its rows are most like those at the "
            "same place {share}. The order of the rows reveals who is who.",
            share=share,
        )
    if give_away.state is State.SHOWN:
        return say(
            "The release is in the order of the real table: its rows are most like those at the same place {share}. "
            "The order of the rows reveals who is who.",
            share=share,
        )
    if give_away.state is State.OPEN:
        return say(
            "Both files are in a similar order: row i of the release lies nearer to row i of the real table "
            "{share}, but the lines around it are about as near. Files sorted by the same column look like this; "
            "whether rows also kept their place cannot be determined.",
            share=share,
        )
    return say("The order of the rows shows nothing: row i is nearer to row i {share}.", share=share)


def _copies(give_away: GiveAway, count: Count, column: Callable[[str], str]) -> str:  # noqa: ARG001  alike
    many = count(give_away.figures["rows"])
    if give_away.code == "recoded_copies":
        rows = say("Renumbered in the way that fits best, the release holds {rows} of the real rows", rows=many)
        return (
            beside_holdout(give_away.figures, give_away.state, give_away.estimate, count, rows)
            if give_away.figures["rows"]
            else say("{rows}.", rows=rows)
        )
    if "of_holdout" in give_away.figures:
        return say(
            "To {rows} real people and {of_holdout} people of the holdout a released row is less than half as far away "
            "as any other person of their table; chance would make {most} and {most_of_holdout} at most. The "
            "release copies people of both: it was made from the holdout too, or the holdout holds people of the real "
            "table.",
            **{name: count(give_away.figures[name]) for name in ("rows", "of_holdout", "most", "most_of_holdout")},
        )
    if give_away.code == "near_copies":
        rows = counted(1 if many == "1" else 2, *NEAR[give_away.figures.get("way", "written")], rows=many)
        return beside_holdout(give_away.figures, give_away.state, give_away.estimate, count, rows)
    if not give_away.figures["rows"]:
        return say("No row of the real table stands in the release as it is.")
    return beside_holdout(give_away.figures, give_away.state, give_away.estimate, count, _copied_rows(many))


def _copied_rows(many: str) -> str:
    return counted(
        1 if many == "1" else 2,
        "{rows} row of the real table stands in the release as it is",
        "{rows} rows of the real table stand in the release as they are",
        rows=many,
    )


def _child_order(give_away: GiveAway, count: Count, column: Callable[[str], str]) -> str:  # noqa: ARG001  alike
    figures = give_away.figures
    if give_away.state is State.TOO_SMALL:
        return say("The second table has too few people to compare their order.")
    if figures["kind"] == "sorted":
        return say("The second table is sorted by its values, so the order of its people tells nothing beyond them.")
    share, by_place = _order_sentence(give_away), figures["is_by_place"]
    if by_place:
        seen = say(
            "person i of the release lies nearer to person i of the real table than to another {share}", share=share
        )
    else:
        seen = say("people of the release follow each other as the real people most like them do {share}", share=share)
    if give_away.state is State.OPEN:
        return say(
            "In the second table {seen}. Files sorted by the same column look like this; whether people also kept "
            "their place cannot be determined.",
            seen=seen,
        )
    if give_away.state is not State.SHOWN:
        return say("The order of people in the second table shows nothing: {seen}.", seen=seen)
    if by_place:
        return say(
            "In the second table {seen}, and more so than the people around would explain: the order reveals who is "
            "who.",
            seen=seen,
        )
    return say(
        "In the second table {seen}, and not as people outside the data do: the order reveals who is who.", seen=seen
    )


def _child_row_order(give_away: GiveAway, count: Count, column: Callable[[str], str]) -> str:  # noqa: ARG001  alike
    figures = give_away.figures
    if give_away.state is State.TOO_SMALL:
        return say("The second table has too few rows of one person to compare their order.")
    if figures["kind"] == "sorted":
        return say(
            "In the second table the rows of each person are sorted by their values, so their order tells nothing "
            "beyond them."
        )
    seen = say(
        "rows of a released person stand in the order of the rows of the most similar real person {share}",
        share=_order_sentence(give_away),
    )
    if give_away.state is State.SHOWN:
        return say(
            "In the second table {seen}, and not in that of other people: the order was carried over, and helps to "
            "tell whose rows they are.",
            seen=seen,
        )
    if give_away.state is State.OPEN:
        return say(
            "In the second table {seen}. A method that puts rows in an order of its own looks like this too; whether "
            "the order was carried over cannot be determined.",
            seen=seen,
        )
    return say("The order of each person's rows in the second table shows nothing: {seen}.", seen=seen)


def _order_sentence(give_away: GiveAway) -> str:
    """How often, with what is expected where the order says nothing."""
    return say(
        "in {share} of comparisons (50 % where the order says nothing; z = {z:.1f})",
        share=wording.percent(give_away.figures["share"]),
        z=give_away.figures["z"],
    )


def _child_rows(give_away: GiveAway, count: Count, column: Callable[[str], str]) -> str:  # noqa: ARG001  alike
    if not give_away.figures["rows"]:
        return say("No row of the real people's second table stands in the release as it is.")
    many = count(give_away.figures["rows"])
    rows = counted(
        1 if many == "1" else 2,
        "{rows} row of the real people's second table stands in the release as it is; people with such a row are "
        "counted",
        "{rows} rows of the real people's second table stand in the release as they are; people with such a row are "
        "counted",
        rows=many,
    )
    return beside_holdout(give_away.figures, give_away.state, give_away.estimate, count, rows)


def _child_bags(give_away: GiveAway, count: Count, column: Callable[[str], str]) -> str:  # noqa: ARG001  alike
    if not give_away.figures["rows"]:
        return say("No real person has all of their rows of the second table in the release under one person.")
    many = count(give_away.figures["rows"])
    rows = counted(
        1 if many == "1" else 2,
        "{rows} real person has all of their rows of the second table in the release, under one person with no other",
        "{rows} real people have all of their rows of the second table in the release, each under one person with no "
        "other",
        rows=many,
    )
    return beside_holdout(give_away.figures, give_away.state, give_away.estimate, count, rows)


def _values(give_away: GiveAway, count: Count, column: Callable[[str], str]) -> str:  # noqa: ARG001  alike
    figures = give_away.figures
    left_out = counted(
        figures["left_out"],
        "{n:,} column was left out: the real table and the holdout write it in different ways.",
        "{n:,} columns were left out: the real table and the holdout write them in different ways.",
    )
    return f"{_values_seen(give_away, count)} {left_out}" if figures["left_out"] else _values_seen(give_away, count)


def _values_seen(give_away: GiveAway, count: Count) -> str:
    """What was seen of the columns that were compared; of numbers nearly those of people only a leak is said."""
    figures, auc = give_away.figures, give_away.estimate
    if give_away.state is State.TOO_SMALL:
        return say("Too few people have a value that nobody else has, so such values were not compared.")
    if not figures["k_in"]:
        return say("No value that one real person alone has stands in the release.")
    if auc is None:
        return say(
            "All values that one person alone has stand in the release, of real people and of the holdout alike."
        )
    is_near = give_away.code == "near_values"
    shown = say("The release is made of values of real people.")
    if is_near:
        shown = say("The release is made of numbers of real people.")
    verdict = _verdict(figures, give_away.state, shown)
    if any(count(figures[side]) != count_all(figures[side]) for side in ("k_in", "k_out")):
        if is_near:
            return say(
                "Numbers that one real person alone has stand in the release, moved or scaled by one number or changed "
                "in their last digits, and such numbers of the holdout were compared with them. {verdict}",
                verdict=verdict,
            )
        return say(
            "Values that one real person alone has stand in the release, and such values of the holdout were compared "
            "with them. {verdict}",
            verdict=verdict,
        )
    shares: dict[str, Any] = {
        "inside": wording.percent(figures["k_in"] / figures["n_in"]),
        "outside": wording.percent(figures["k_out"] / figures["n_out"]),
        "auc": wording.share(auc),
    }
    if is_near:
        return say(
            "Moved or scaled by one number or changed in their last digits, {inside} of the values that one real "
            "person alone has stand in the release, of those that one person of the holdout alone has, {outside}. In "
            "{auc} of pairs it is the real person of whom more stand there (50 % is chance). {verdict}",
            verdict=verdict,
            **shares,
        )
    return say(
        "Of the values that one real person alone has, {inside} stand in the release, of those that one person of the "
        "holdout alone has, {outside}. In {auc} of pairs it is the real person of whom more stand there (50 % is "
        "chance). {verdict}",
        **shares,
        verdict=verdict,
    )


def _gaps(give_away: GiveAway, count: Count, column: Callable[[str], str]) -> str:  # noqa: ARG001  alike
    return say(
        "In {auc} of pairs of a real person and one of the holdout, the real person is farther from all released rows "
        "(50 % is chance). Rows near real people may have been taken out, or the real table and the holdout may be "
        "swapped.",
        auc=wording.share(give_away.figures["auc"]),
    )


def _crowd(give_away: GiveAway, count: Count, column: Callable[[str], str]) -> str:  # noqa: ARG001  alike
    return say(
        "{share} of the released rows lie about one real person, less than half as far away as any other person is.",
        share=wording.percent(give_away.figures["share"]),
    )


def _identifiers(give_away: GiveAway, count: Count, column: Callable[[str], str]) -> str:
    figures, name = give_away.figures, column(str(give_away.figures["column"]))
    if figures["linked"]:
        return say(
            "The identifiers in {column} lead from released rows to real ones: such pairs agree in {here} of their "
            "cells, other pairs in {elsewhere}.",
            column=name,
            here=wording.percent(figures["here"]),
            elsewhere=wording.percent(figures["elsewhere"]),
        )
    if give_away.state is State.SHOWN and "share" in figures:
        return say(
            "Sorted by {column}, the release is in the order of the real table: its rows are most like those at the "
            "same place {share}. The identifiers reveal who is who.",
            column=name,
            share=_order_sentence(give_away),
        )
    if not figures.get("is_alike", True):
        return say(
            "The released identifiers in {column} look otherwise than those of real people, so the two could not be "
            "compared.",
            column=name,
        )
    counts = {"of": figures["of"], **{name: count(figures[name]) for name in ("shared", "expected")}}
    words = say(
        "Of {of:,} identifiers in {column} that were checked, {shared} are those of real people; {expected} "
        "would be expected if all had been newly made",
        column=name,
        **counts,
    )
    if "other" in figures:
        words = say(
            "Of {of:,} values or words in {column} that look like identifiers in {other}, {shared} are those of "
            "real people; {expected} would be expected if all had been newly made",
            column=name,
            other=column(str(figures["other"])),
            **counts,
        )
    if give_away.state is State.SHOWN and figures.get("is_disguised"):
        return say(
            "{told}. They stand there hashed, in another order of letters, cut short, moved by one number or between "
            "other letters, and whoever knows an identifier can do the same.",
            told=words,
        )
    if give_away.state is State.SHOWN:
        return say("{told}.", told=words)
    if give_away.state is State.OPEN:
        return say("{told}. Whether that is more than chance cannot be said without a holdout.", told=words)
    return say("{told}. That is not shown to be more than chance.", told=words)


def _texts(give_away: GiveAway, count: Count, column: Callable[[str], str]) -> str:
    figures, name = give_away.figures, column(str(give_away.figures["column"]))
    if not figures["k_in"]:
        return say(
            "No text of {letters:,} letters or more that one real person alone wrote stands in the release; free text "
            "in {column} was compared.",
            letters=figures["letters"],
            column=name,
        )
    many, is_told = count(figures["k_in"]), count(figures["k_in"]) == count_all(figures["k_in"])
    texts = counted(
        1 if many == "1" else 2,
        "Of the free text in {column}, {texts} text of {letters:,} letters or more that one real person alone wrote "
        "stands in the release word for word",
        "Of the free text in {column}, {texts} texts of {letters:,} letters or more that one real person alone wrote "
        "stand in the release word for word",
        texts=many,
        letters=figures["letters"],
        column=name,
    )
    if not figures["has_holdout"]:
        return say("{texts}. Whether that is more than chance cannot be said without a holdout.", texts=texts)
    if give_away.estimate is None:
        return say("{texts}. Too few such texts stand in one of the two tables alone to compare them.", texts=texts)
    repeats = _verdict(figures, give_away.state, say("The release repeats what people wrote."))
    if not is_told:
        return say("{texts}. {repeats}", texts=texts, repeats=repeats)
    return say(
        "{texts}: {inside} of such texts in the real table, {outside} in the holdout (difference {difference}). "
        "{repeats}",
        texts=texts,
        inside=wording.percent(figures["k_in"] / figures["n_in"]),
        outside=wording.percent(figures["k_out"] / figures["n_out"]),
        difference=wording.share(give_away.estimate),
        repeats=repeats,
    )


def _unseen(give_away: GiveAway, count: Count, column: Callable[[str], str]) -> str:  # noqa: ARG001  alike
    return say(
        "Whether the file shows anything by itself could not be checked. {why}", why=again(give_away.figures["why"])
    )


_SENTENCES: Mapping[str, Callable[[GiveAway, Count, Callable[[str], str]], str]] = {
    "row_order": _row_order,
    "copies": _copies,
    "recoded_copies": _copies,
    "near_copies": _copies,
    "gaps": _gaps,
    "crowd": _crowd,
    "values": _values,
    "near_values": _values,
    "identifiers": _identifiers,
    "texts": _texts,
    "child_order": _child_order,
    "child_row_order": _child_row_order,
    "child_rows": _child_rows,
    "child_bags": _child_bags,
    "unseen": _unseen,
}
