"""A kept attack on a released file read back, and its sentences word by word, from a result made by hand."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from riskkit.report import released_findings as told
from riskkit.stats.verdict import Verdict


def estimate(attack: str, value: float, low: float, high: float, **more: Any) -> dict[str, Any]:
    given = {"name": "auc", "value": value, "low": low, "high": high, "level": 0.95, "method": "by hand", "n": 200}
    return {**given, "attack": attack, **more}


def together(attack: str, value: float, low: float, high: float, beyond: Any = None) -> dict[str, Any]:
    """What a verdict says of one of its attacks: each end allows for both."""
    return {"attack": attack, "auc": estimate(attack, value, low, high, level=0.9), "p": 0.0026, "beyond": beyond}


def share(count: int, of: int) -> dict[str, Any]:
    return {"count": count, "of": of, "share": count / of}


def panel(**more: Any) -> dict[str, Any]:
    spread = {"edges": [0, 1], "real": {"n": 9, "quantiles": {"0.5": 0.25}, "counts": [9]}}
    spread = {**spread, "holdout": {"n": 9, "quantiles": {"0.5": 0.5}, "counts": [9]}}
    return {
        "rows": {"real": 100, "holdout": 90, "synthetic": 120},
        "asked": {"synthetic": 120, "of_each": 90, "back": 90},
        "copies": {
            "real": {"rows": share(7, 100), "released": share(8, 120)},
            "holdout": {"rows": share(1, 90), "released": share(1, 120)},
        },
        "near": {"real": share(30, 120), "holdout": share(12, 120)},
        "nearer_to_real": {"value": 0.5, "low": 0.4, "high": 0.6, "n": 77.2, "level": 0.95, "method": "Wilson"},
        "dcr": spread,
        "nndr": spread,
        "row_order": {"kind": "none", "share": 0.5, "z": 0.1},
        **more,
    }


def result(word: str = "leak shown", **more: Any) -> dict[str, Any]:
    """Two attacks, the second stronger; its verdict by intervals that hold for both."""
    return {
        "estimates": [
            estimate("dcr", 0.52, 0.45, 0.59),
            estimate("dcr", 0.2, 0.1, 0.3, name="tpr_at_fpr", fpr="0.1"),
            estimate("domias", 0.7, 0.62, 0.77),
        ],
        "verdict": {
            "word": word,
            "attack": "domias",
            "auc": {"value": 0.7, "low": 0.61, "high": 0.78, "level": 0.9},
            "p": 0.0026,
            "permutations": 4999,
            "looks": 2,
            "limit": 0.5,
            "why": "Because.",
            "each": [together("dcr", 0.52, 0.44, 0.6), together("domias", 0.7, 0.61, 0.78)],
        },
        "blind": {"auc": None, "apart": False, "blocked": False, "sentence": "Nothing without it."},
        "control": [
            {"attack": "dcr", "auc": None, "found": False, "planted": "", "sentence": "dcr lacks power."},
            {"attack": "domias", "auc": estimate("domias", 0.74, 0.7, 0.78), "found": True, "sentence": "Found."},
        ],
        "panel": panel(),
        "notes": [],
        "settings": {},
        "scores": [
            {
                "attack": "dcr",
                "value": [2.0, 2.0, 1.0, 0.0] * 5,
                "is_in": [True, True, False, False] * 5,
                "record": ids(),
            }
        ],
        **more,
    }


def ids() -> list[int]:
    """Rows 0 and 1 of every four are one record: twins."""
    return [4 * (at // 4) + (0 if at % 4 < 2 else at % 4) for at in range(20)]


def test_each_attack_gets_its_own_estimates_scores_and_control_back() -> None:
    dcr, domias = told.read(result()).attacks
    assert dcr.auc is not None
    assert (dcr.auc.value, dcr.auc.n) == (0.52, 200)
    named = dcr.named_at("0.1")
    assert named is not None
    assert named.value == 0.2
    assert dcr.named_at("0.01") is None
    assert (dcr.control, dcr.found_planted) == (None, False)
    assert domias.control is not None
    assert (domias.control.value, domias.found_planted) == (0.74, True)
    assert domias.curve() is None, "no scores were kept of it"


def test_twins_are_one_record_in_the_curve() -> None:
    dcr = told.read(result()).attacks[0]
    assert dcr.scores is not None
    assert (dcr.scores.trainings(True), dcr.scores.trainings(False)) == (5, 10)
    curve = dcr.curve()
    assert curve is not None
    np.testing.assert_allclose([curve.fpr, curve.tpr], [[0, 0, 0.5, 1], [0, 1, 1, 1]])


def test_the_verdict_stands_on_the_corrected_interval() -> None:
    """Planted: the interval of one look is narrower; it must not be the one that is shown."""
    found = told.read(result())
    assert found.auc is not None
    assert (found.auc.low, found.auc.high, found.auc.level) == (0.61, 0.78, 0.9)
    assert (found.strongest, found.looks, found.is_leak) == ("domias", 2, True)
    assert "61 %, 78 %" in told.sentence(found)
    assert told.judged(found) == (
        "Each end holds at 95 % for 2 attacks together, so that the strongest is not called a leak for being the "
        "luckiest. Where nothing is given away one of them looks so strong in 0.26 % of cases (people exchanged 4,999 "
        "times)."
    )


def test_what_counts_is_what_is_left_where_the_sides_are_told_apart_without_the_release() -> None:
    left = estimate("domias", 0.6, 0.53, 0.66, level=0.9)
    verdict = {**result()["verdict"], "each": [together("domias", 0.7, 0.61, 0.78, left)]}
    blind = {"auc": None, "apart": True, "blocked": False, "sentence": "They differ."}
    found = told.read(result(verdict=verdict, blind=blind))
    assert (found.apart, found.blocked) == (True, False)
    assert found.together[0].counted.low == 0.53
    assert told.read(result()).together[1].counted.low == 0.61


@pytest.mark.parametrize(
    ("word", "begins"),
    [
        ("leak shown", "From the released file alone, an attacker"),
        ("no leak above the limit shown", "No attack on the released file shows a leak; the strongest of 2"),
        ("undecided", "The attacks on the released file leave it open; the strongest of 2"),
    ],
)
def test_every_verdict_has_its_sentence_with_chance_and_records(word: str, begins: str) -> None:
    found = told.read(result(word))
    assert found.verdict is Verdict(word)
    assert told.sentence(found).startswith(begins)
    assert told.sentence(found).endswith("(chance 50 %; 200 records).")


def test_one_look_needs_no_correction_and_no_word_of_it() -> None:
    said = {**result()["verdict"], "looks": 1}
    judged = told.judged(told.read(result(verdict=said)))
    assert "0.26 % of cases" in judged
    assert "together" not in judged
    assert "luckiest" not in judged


def test_distances_that_look_fine_are_called_out_only_beside_a_leak() -> None:
    assert "Distances look fine, yet an attacker reaches an AUC of 0.70" in told.disagreement(told.read(result()))
    assert told.disagreement(told.read(result("undecided"))) == ""
    nearer = {"value": 0.6, "low": 0.55, "high": 0.65, "n": 90.0}
    assert told.disagreement(told.read(result(panel=panel(nearer_to_real=nearer)))) == ""
    assert told.disagreement(told.read(result(panel=panel(nearer_to_real=None)))) == ""


def test_a_result_without_a_holdout_is_read_too() -> None:
    nothing = {"attack": "", "auc": None, "p": None, "permutations": 0, "looks": 0, "each": []}
    said = {"word": "undecided", **nothing, "limit": 0.5, "why": "No holdout."}
    bare = panel(nearer_to_real=None, near={"real": share(3, 120)}, row_order=None)
    bare["copies"] = {"real": bare["copies"]["real"]}
    given = result(verdict=said, estimates=[], scores=[], control=[], blind=None, panel=bare)
    found = told.read(given)
    assert (found.has_attacks, found.attacks, found.blocked, found.why) == (False, (), False, "No holdout.")
    assert "can be described" in told.sentence(found)
    assert "holdout" not in told.copies(bare)
    assert "cannot be told without a holdout" in told.nearer(bare)
    assert "too short" in told.row_order(bare)


def test_the_panel_in_words() -> None:
    given = panel()
    assert told.copies(given) == (
        "7 of 100 (7 %) rows of the real table stand in the release as they are; 8 of 120 (7 %) released rows equal "
        "one of them. Of the holdout, whom nobody can have copied, it is 1 of 90 (1 %) rows."
    )
    assert "30 of 120 (25 %) released rows are no copies" in told.near(given)
    assert "it is 12 of 120 (10 %)" in told.near(given)
    assert told.nearer(given).startswith("50 % [40 %, 60 %] of the released rows")
    assert "120 of 120 released rows to 90 real rows and as many holdout rows" in told.asked(given)
    assert told.middle(given["dcr"], "dcr").endswith("0.25, of the holdout 0.50")


@pytest.mark.parametrize(
    ("kind", "says", "never"),
    [
        ("row by row", "gives away who is who. Shuffle", "sorted by"),
        ("common order", "Files sorted by the same column look so", "who is who"),
        ("none", "shows nothing", "Shuffle"),
    ],
)
def test_a_common_sort_is_another_sentence_than_a_leak(kind: str, says: str, never: str) -> None:
    said = told.row_order(panel(row_order={"kind": kind, "share": 0.83, "z": 21.3}))
    assert says in said
    assert never not in said
    assert "83 %" in said


def test_what_is_passed_on_has_no_scores() -> None:
    assert "scores" in json.dumps(result())
    assert "scores" not in json.dumps(told.shareable(result()))
