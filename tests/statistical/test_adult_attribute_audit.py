"""What an attribute audit says of Adult, end to end: the figures of methods A7.1, the residuals, and the verdicts."""

from __future__ import annotations

from typing import Any

import pytest

from riskkit.judging.judge import judge
from riskkit.judging.measurement import Verdict
from riskkit.questions.attributes.plan import AttributePlan
from riskkit.questions.attributes.play import run_attributes
from riskkit.table.load import Tables
from tests.judged import judged
from tests.statistical.test_adult_attributes import KNOWN, PUBLISHED, tables
from tests.tables import needs_adult

pytestmark = [needs_adult, pytest.mark.slow]

SECRETS = ("income", "marital-status", "relationship")
LIMIT = 0.1
WORDS = {"copy": Verdict.ABOVE, "fresh": Verdict.WITHIN, "independent": Verdict.WITHIN}
PLAN = AttributePlan(SECRETS, (KNOWN,))


def audit(release: str) -> dict[str, Any]:
    made = {name: encoded.table for name, encoded in tables().items()}
    files = Tables(made["members"], made[release], made["control"], made["members"].schema, (), ())
    return run_attributes(files, PLAN).as_dict()


@pytest.mark.parametrize("release", ["fresh", "copy", "independent"])
def test_the_audit_reaches_what_was_published(release: str) -> None:
    kept = audit(release)
    ((finding, judgement),) = judged(kept, PLAN, LIMIT)
    assert judgement.verdict is WORDS[release], judgement.why
    for place, secret in enumerate(SECRETS):
        own = [e for e in kept["estimates"] if e["secret"] == secret]

        def value(name: str, own: list[dict[str, Any]] = own, **labels: str) -> float:
            return float(next(e["value"] for e in own if e["name"] == name and labels.items() <= e.items()))

        on_control, on_members, majority, ceiling = PUBLISHED[secret, release]
        on = {"trained_on": "release", "metric": "accuracy"}
        assert value("accuracy", **on, tested_on="control") == pytest.approx(on_control, abs=0.02)
        assert value("accuracy", **on, tested_on="members") == pytest.approx(on_members, abs=0.02)
        assert value("accuracy", trained_on="baseline_majority", tested_on="control") == pytest.approx(
            majority, abs=0.02
        )
        assert value("accuracy", trained_on="real", tested_on="control") == pytest.approx(ceiling, abs=0.02)
        gain = on_control - majority
        assert value("delta", **on, tested_on="control") == pytest.approx(gain, abs=0.02)
        residual = value("residual", trained_on="release")
        assert {"copy": residual >= 0.75, "fresh": abs(residual) <= 0.03, "independent": abs(residual) <= 0.04}[release]
        assert abs(value("residual", trained_on="real")) <= 0.05
        own_judgement = judge(finding.parts[place].measured, judgement.limit)
        assert own_judgement.verdict is WORDS[release], own_judgement.why
        assert kept["compared"][place]["planted"]["low"] > LIMIT
    means = {
        "copy": "about the very people",
        "fresh": "a fact about the population",
        "independent": "worse than guesses without it",
    }
    assert all(means[release] in part.sentence for part in finding.parts)
