"""The same records in games on two releases: their mean exposure, and who moved over the limit."""

from __future__ import annotations

import numpy as np

from riskkit.errors import DesignError
from riskkit.language import say
from riskkit.questions.records.findings import risks
from riskkit.questions.records.result import RecordsResult
from riskkit.show.model import Played
from riskkit.show.names import Names
from riskkit.show.paired import Paired, Same
from riskkit.stats.same import exposure_difference, moved, places


def paired(before: Played, after: Played, names: Names, same: Same) -> tuple[Paired, ...]:  # noqa: ARG001  alike
    """The one difference of the records that both first looks had; who moved where there is a limit."""
    assert before.result is not None
    assert after.result is not None
    level = float(before.plan.get("level", 0.95))
    ours, theirs = RecordsResult.of(before.result), RecordsResult.of(after.result)
    rows = [same.row(record.row) for record in ours.records]
    left, right = places(
        [-1 - place if row is None else row for place, row in enumerate(rows)],
        np.array([record.row for record in theirs.records]),
    )
    first, second = risks(ours).first.only(left), risks(theirs).first.only(right)
    try:
        difference = exposure_difference(first, second, level=level)
    except DesignError:  # no record of both
        return ()
    where = None if same.limit is None else moved(first, second, same.limit, level=level)
    return (Paired(say("every record of both"), say("mean AUC of the same records"), difference, 1, True, where),)
