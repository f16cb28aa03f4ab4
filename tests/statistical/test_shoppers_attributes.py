"""A rare secret of a real table: the share of right guesses hides what the AUC shows."""

from __future__ import annotations

import pytest

from riskkit.questions.attributes import findings
from riskkit.questions.attributes import findings as attributes_gains
from riskkit.questions.attributes.findings import Risk
from riskkit.questions.attributes.plan import AttributePlan
from riskkit.questions.attributes.play import run_attributes
from tests.statistical.test_shoppers import FOLDER, files

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not FOLDER.is_dir(), reason="the shoppers' releases (shared/data/shoppers) are not here"),
]


def test_of_a_rare_secret_the_auc_tells_what_accuracy_does_not() -> None:
    plan = AttributePlan(("Revenue",), (("Month", "VisitorType", "Weekend"),))
    (answer,) = findings.summarise(run_attributes(files("2021_synthpop"), plan))
    by_measure = {gain.measure: gain for gain in attributes_gains.gains(answer)}
    accuracy, auc = by_measure["accuracy"], by_measure["auc"]
    assert accuracy.delta.low < 0.001
    assert (accuracy.ratio, accuracy.risk) == (None, None)
    assert auc.ratio is not None
    assert auc.delta.low > 0.1
    assert auc.ratio.low < 1 < auc.ratio.high + 0.05
    assert auc.risk is Risk.HIGH
    assert "but the release raises AUC from 0.500, which is chance, to 0.6" in findings.sentence(answer)
    assert "This audit shows no leak" not in findings.sentence(answer)
