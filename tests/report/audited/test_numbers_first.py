"""Tables of numbers: what matters stands first, the rest is counted, and a threshold stands in its row."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from riskkit.judging.measurement import Limit
from riskkit.report.appendix import NUMBERS, appendix
from riskkit.show.model import Class, Findings
from tests.report.audited import made


def tables(findings: Findings) -> list[dict[str, Any]]:
    """The tables of numbers of the appendix, each with the text under it."""
    every = list(appendix(findings))
    return [
        {**block, "under": every[index + 1].get("text", "")}
        for index, block in enumerate(every)
        if block["kind"] == "table" and block["head"][0] == "Measure"
    ]


def test_the_highest_stand_first_and_the_rest_is_counted_by_the_limit() -> None:
    """Twenty records: eight far above the limit, twelve at guessing; by hand, 12 rows hold the eight and four more."""
    shifts = [0.0] * 12 + [3.0] * 8
    run = made.membership(np.random.default_rng(1), shifts=shifts)
    limits = {"membership": Limit(0.53, "board")}
    findings = made.findings(made.audit(run, provenance=made.STAT), limits, kind=Class.RESTRICTED)
    (table,) = tables(findings)
    values = [float(row[2].split()[1].strip("[,")) for row in table["rows"]]
    assert {row[0] for row in table["rows"]} == {"AUC"}
    assert values == sorted(values, reverse=True)
    assert sum(value > 0.53 for value in values) == 8
    assert table["under"].startswith(f"The {NUMBERS} most important of 60 numbers; the rest is in the CSV.")
    assert table["under"].endswith("Of the other 8 of AUC, wholly above the limit (0.53): 0.")


def test_counts_of_people_above_a_threshold_have_it_in_their_row() -> None:
    """Three counts at three thresholds were one text three times."""
    run = made.records([made.record(row, 0.5) for row in range(4)], generator="stat")
    assert run.result is not None
    (count,) = run.result["estimates"]
    counts = [{**count, "value": 30.0, "low": 20.0, "high": 40.0, "limit": word} for word in ("0.6", "0.8")]
    run = replace(run, result={**run.result, "estimates": counts})
    for kind in Class:
        (table,) = tables(made.findings(made.audit(run, provenance=made.STAT), kind=kind))
        rows = [row[1] for row in table["rows"] if row[0] == "records above"]
        assert sorted(text for text in rows if "above 0.6" in text or "above 0.8" in text) == sorted(rows)
        assert len(set(rows)) == 2


def test_people_at_risk_stand_with_the_highest_first() -> None:
    runs = [made.membership(np.random.default_rng(1), shifts=(0.9, 3.0, 2.0))]
    runs.append(made.records([made.record(row, 0.6 + row / 20) for row in range(7)], generator="stat"))
    findings = made.findings(made.audit(*runs, provenance=made.STAT), kind=Class.RESTRICTED)
    tables = [block for block in appendix(findings) if block.get("head", [])[:2] == ["Record", "Strongest attack"]]
    assert sum(len(table["rows"]) for table in tables) > 5
    for table in tables:  # each on the scale of its question
        lows = [float(row[2].split()[1].strip("[,")) for row in table["rows"]]
        assert lows == sorted(lows, reverse=True)
