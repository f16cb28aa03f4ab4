"""Why a question cannot be asked, where more than one question says so."""

from __future__ import annotations

from collections.abc import Iterable

from riskkit.errors import nearest
from riskkit.phrases import Phrase, phrase

NO_RELEASE = phrase("No synthetic table is loaded; load the release on the Data page.")

NO_HOLDOUT = phrase(
    "No holdout is loaded. Members must be asked about beside people outside the data; load rows of such people "
    "as the holdout."
)


def not_in_use(name: str, among: Iterable[str] = ()) -> Phrase:
    """A column that a question names has no role in which it could be used; ``among`` are those that have one."""
    return phrase(
        "Column {name!r} is not in use{near}. Give it another role on the Data page, or leave it out.",
        name=name,
        near=nearest(name, among),
    )


def no_attribute(name: str) -> Phrase:
    """The same of a column that attributes name."""
    return phrase(
        "Column {name!r} is not in use, so it can be neither known nor secret nor a group. Give it another role on the "
        "Data page.",
        name=name,
    )


def no_known_set(known: str) -> Phrase:
    """That is no way to write what an attacker knows."""
    return phrase(
        "{known!r} is no known set: write 'others', 'greedy:3' for the three columns that tell most, 'first-table' or "
        "'second-table' for all columns of one of two tables, or the names of columns.",
        known=known,
    )


def too_few_reruns(asked: int, least: int) -> Phrase:
    """So many trainings with secrets drawn anew give no interval."""
    return phrase(
        "{randomised} trainings with secrets drawn anew are too few for an interval; ask for at least {least}.",
        randomised=asked,
        least=least,
    )
