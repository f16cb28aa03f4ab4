"""What describes a released file without judging it: copies, near copies, distances and the order of its rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from riskkit import wording
from riskkit.games.copies import Nearer, Panel, Share
from riskkit.language import say
from riskkit.questions.released.result import GUESS, ReleasedResult


def disagreement(result: ReleasedResult) -> str:
    """Where distances show nothing and an attack does; empty where they agree."""
    nearer = result.panel.nearer_to_real
    if nearer is None or result.auc is None or not result.is_shown or nearer.low > GUESS:
        return ""
    return say(
        "Distances look fine, yet an attacker reaches an AUC of {auc}. Of the released rows "
        "{share} lie nearer to a real row than to a holdout row (50 % where nobody was copied): a check of "
        "distances alone would have let this release pass.",
        auc=result.auc,
        share=_share(nearer),
    )


def copies(panel: Panel) -> str:
    """Equal rows, beside those of the holdout."""
    real = panel.copies["real"]
    line = say(
        "{count} rows of the real table stand in the release as they are; {count2} released rows equal one of them.",
        count=_count(real.rows),
        count2=_count(real.released),
    )
    if "holdout" in panel.copies:
        rows = panel.copies["holdout"].rows
        line += say(
            " Of the holdout, which nobody can have copied, the same holds for {count} rows.", count=_count(rows)
        )
    return line


def near(panel: Panel) -> str:
    """Rows within the table's own spacing, beside those of the holdout."""
    if "real" not in panel.near:
        return say("Too few rows to know the table's own spacing.")
    line = say(
        "{count} released rows are no copies, yet lie nearer to a real row than that row's "
        "nearest neighbour in the real table does.",
        count=_count(panel.near["real"]),
    )
    if "holdout" in panel.near:
        line += say(
            " Of as many holdout rows, by their own spacing, the same holds for {count}.",
            count=_count(panel.near["holdout"]),
        )
    return line


def nearer(panel: Panel) -> str:
    """Which side the released rows lie nearer to."""
    share = panel.nearer_to_real
    if share is None:
        return say("Whether released rows lie nearer to real people than to others cannot be told without a holdout.")
    start = say("{share} of the released rows lie nearer to a real row than to a holdout row", share=_share(share))
    return say(
        "{told} (50 % where nobody was copied; counted as {n:,.0f} rows, because rows with the same nearest "
        "row count as one).",
        told=start,
        n=share.n,
    )


def row_order(panel: Panel) -> str:
    """What the order of rows gives away."""
    order = panel.row_order
    if order is None:
        return say("The files are too short to compare the order of their rows.")
    share = say(
        "in {share} of comparisons (50 % where the order says nothing; z = {z:.1f})",
        share=wording.percent(order.share),
        z=order.z,
    )
    if order.kind == "row by row":
        return say(
            "Row i of the release lies nearer to row i of the real table than to another one {share}, and more so "
            "than the lines around it would explain: the order of the rows reveals who is who. Shuffle the release.",
            share=share,
        )
    if order.kind == "common order":
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
    text = f"{name[what]} {spread['real']['quantiles']['0.5']:.2f}"
    return text + (
        say(", of the holdout {n0_5:.2f}", n0_5=spread["holdout"]["quantiles"]["0.5"]) if "holdout" in spread else ""
    )


def asked(panel: Panel) -> str:
    """On how many rows the distances stand."""
    asked, rows = panel.asked, panel.rows
    start = say(
        "Distances of {synthetic:,} of {synthetic2:,} released rows to {of_each:,} real rows",
        synthetic=asked["synthetic"],
        synthetic2=rows["synthetic"],
        of_each=asked["of_each"],
    )
    if "holdout" in rows:
        start += say(" and as many holdout rows")
    return say(
        "{told}, and of {back:,} rows of each table to the release; where not all rows are used, they are "
        "drawn at random.",
        told=start,
        back=asked["back"],
    )


def _count(share: Share) -> str:
    return say("{count:,} of {of:,} ({share})", count=share.count, of=share.of, share=wording.percent(share.share))


def _share(nearer: Nearer) -> str:
    return f"{wording.percent(nearer.value)} [{wording.percent(nearer.low)}, {wording.percent(nearer.high)}]"
