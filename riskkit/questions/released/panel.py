"""What describes a released file without judging it: copies, near copies, distances and the order of its rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from riskkit import wording
from riskkit.language import say
from riskkit.questions.released.findings import Finding


def disagreement(found: Finding) -> str:
    """Where distances show nothing and an attack does; empty where they agree."""
    nearer = found.panel.get("nearer_to_real")
    if not nearer or found.auc is None or not found.is_shown or nearer["low"] > 0.5:
        return ""
    return say(
        "Distances look fine, yet an attacker reaches an AUC of {auc}. Of the released rows "
        "{share} lie nearer to a real row than to a holdout row (50 % where nobody was copied): a check of "
        "distances alone would have let this release pass.",
        auc=found.auc,
        share=_share(nearer),
    )


def copies(panel: Mapping[str, Any]) -> str:
    """Equal rows, beside those of the holdout."""
    real = panel["copies"]["real"]
    told = say(
        "{count} rows of the real table stand in the release as they are; {count2} released rows equal one of them.",
        count=_count(real["rows"]),
        count2=_count(real["released"]),
    )
    if "holdout" in panel["copies"]:
        rows = panel["copies"]["holdout"]["rows"]
        told += say(
            " Of the holdout, which nobody can have copied, the same holds for {count} rows.", count=_count(rows)
        )
    return told


def near(panel: Mapping[str, Any]) -> str:
    """Rows within the table's own spacing, beside those of the holdout."""
    if "real" not in panel["near"]:
        return say("Too few rows to know the table's own spacing.")
    told = say(
        "{count} released rows are no copies, yet lie nearer to a real row than that row's "
        "nearest neighbour in the real table does.",
        count=_count(panel["near"]["real"]),
    )
    if "holdout" in panel["near"]:
        told += say(
            " Of as many holdout rows, by their own spacing, the same holds for {count}.",
            count=_count(panel["near"]["holdout"]),
        )
    return told


def nearer(panel: Mapping[str, Any]) -> str:
    """Which side the released rows lie nearer to."""
    found = panel.get("nearer_to_real")
    if not found:
        return say("Whether released rows lie nearer to real people than to others cannot be told without a holdout.")
    told = say("{share} of the released rows lie nearer to a real row than to a holdout row", share=_share(found))
    return say(
        "{told} (50 % where nobody was copied; counted as {n:,.0f} rows, because rows with the same nearest "
        "row count as one).",
        told=told,
        n=found["n"],
    )


def row_order(panel: Mapping[str, Any]) -> str:
    """What the order of rows gives away."""
    found = panel.get("row_order")
    if not found:
        return say("The files are too short to compare the order of their rows.")
    share = say(
        "in {share} of comparisons (50 % where the order says nothing; z = {z:.1f})",
        share=wording.percent(found["share"]),
        z=found["z"],
    )
    if found["kind"] == "row by row":
        return say(
            "Row i of the release lies nearer to row i of the real table than to another one {share}, and more so "
            "than the lines around it would explain: the order of the rows reveals who is who. Shuffle the release.",
            share=share,
        )
    if found["kind"] == "common order":
        return say(
            "Both files are in a similar order: row i of the release lies nearer to row i of the real table "
            "{share}, but the lines around it are about as near. Files sorted by the same column look like this; "
            "whether rows also kept their place cannot be determined. Shuffle the release before it goes out.",
            share=share,
        )
    return say("The order of the rows shows nothing: row i is nearer to row i {share}.", share=share)


def middle(spread: Mapping[str, Any], what: str) -> str:
    """The middle of a distribution of distances, beside that of the holdout."""
    name = {
        "dcr": say("Half of the real rows have a released row within"),
        "nndr": say("The median ratio of the real rows is"),
    }
    told = f"{name[what]} {spread['real']['quantiles']['0.5']:.2f}"
    return told + (
        say(", of the holdout {n0_5:.2f}", n0_5=spread["holdout"]["quantiles"]["0.5"]) if "holdout" in spread else ""
    )


def asked(panel: Mapping[str, Any]) -> str:
    """On how many rows the distances stand."""
    found, rows = panel["asked"], panel["rows"]
    told = say(
        "Distances of {synthetic:,} of {synthetic2:,} released rows to {of_each:,} real rows",
        synthetic=found["synthetic"],
        synthetic2=rows["synthetic"],
        of_each=found["of_each"],
    )
    if "holdout" in rows:
        told += say(" and as many holdout rows")
    return say(
        "{told}, and of {back:,} rows of each table to the release; where not all rows are used, they are "
        "drawn at random.",
        told=told,
        back=found["back"],
    )


def _count(given: Mapping[str, Any]) -> str:
    return say(
        "{count:,} of {of:,} ({share})", count=given["count"], of=given["of"], share=wording.percent(given["share"])
    )


def _share(given: Mapping[str, Any]) -> str:
    return f"{wording.percent(given['value'])} [{wording.percent(given['low'])}, {wording.percent(given['high'])}]"
