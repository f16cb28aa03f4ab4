"""A kept attack on a released file read back, and its sentences word by word, from a result made by hand."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from riskkit.judging.judge import judge
from riskkit.judging.limits import own
from riskkit.judging.measured import Judgement, Measured
from riskkit.judging.verdict import Verdict
from riskkit.report import released_findings as told


def estimate(attack: str, value: float, low: float, high: float, **more: Any) -> dict[str, Any]:
    given = {"name": "auc", "value": value, "low": low, "high": high, "level": 0.95, "method": "by hand", "n": 200}
    return {**given, "attack": attack, **more}


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


def scores(attack: str, lift: float, n: int = 200) -> dict[str, Any]:
    """Scores of ``n`` records a side, evenly spread; those that were in lie higher by ``lift`` of the whole range."""
    spread = np.linspace(0, 1, n, endpoint=False)
    value = np.concatenate([spread + lift, spread + 1e-9])
    return {
        "attack": attack, "value": value.tolist(), "is_in": [True] * n + [False] * n, "record": list(range(2 * n)),
    }  # fmt: skip


def result(lift: float = 0.25, **more: Any) -> dict[str, Any]:
    """Two attacks, the second stronger: it lifts those who were in by a quarter of the range, an AUC of 0.72."""
    twins = {
        "attack": "dcr", "value": [2.0, 2.0, 1.0, 0.0] * 5, "is_in": [True, True, False, False] * 5, "record": ids(),
    }  # fmt: skip
    return {
        "estimates": [
            estimate("dcr", 0.52, 0.45, 0.59),
            estimate("dcr", 0.2, 0.1, 0.3, name="tpr_at_fpr", fpr="0.1"),
            estimate("domias", 0.72, 0.67, 0.76),
        ],
        "blind": {"auc": None, "blocked": False, "why": "Too few."},
        "control": [
            {"attack": "dcr", "auc": None, "planted": "half of them", "why": "Too few."},
            {"attack": "domias", "auc": estimate("domias", 0.74, 0.7, 0.78), "planted": "half of them", "why": ""},
        ],
        "panel": panel(),
        "notes": [],
        "settings": {"attacks": ["dcr", "domias"], "n_in": 200, "n_out": 200},
        "scores": [twins, scores("domias", lift)],
        **more,
    }  # fmt: skip


def quiet(*names: str) -> dict[str, Any]:
    """Attacks that tell nobody."""
    return result(
        estimates=[estimate(name, 0.5, 0.44, 0.56) for name in names], scores=[scores(name, 0.0) for name in names],
        control=[
            {"attack": name, "auc": estimate(name, 0.74, 0.7, 0.78), "planted": "half", "why": ""} for name in names
        ],
        settings={"attacks": list(names), "n_in": 200, "n_out": 200},
    )  # fmt: skip


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
    assert (dcr.control, dcr.planted, dcr.silent) == (None, "half of them", "Too few.")
    assert domias.control is not None
    assert (domias.control.value, domias.planted, domias.silent) == (0.74, "half of them", "")
    (bare,) = told.read(result(scores=[], estimates=[estimate("dcr", 0.52, 0.45, 0.59)])).attacks
    assert bare.curve() is None, "no scores were kept of it"


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
    one = found.attacks[1].auc
    assert one is not None
    assert found.auc is not None
    assert (found.strongest, found.looks) == ("domias", 2)
    assert found.auc.level == pytest.approx(0.975)
    assert found.auc.value == pytest.approx(1 - 0.75**2 / 2, abs=0.01)
    assert found.auc.low < one.low < found.auc.value < one.high < found.auc.high
    ends = " %, ".join(f"{100 * end:.0f}" for end in (found.auc.low, found.auc.high))
    assert f"{ends} %" in told.sentence(found)
    assert "2 attacks (level 97.5 %)" in told.judged(found)


@pytest.mark.parametrize(
    ("lift", "begins"),
    [
        (0.25, "From the released file alone, an attacker"),
        (0.0, "No attack on the released file is shown to tell people; the strongest of 2 is right about"),
    ],
)
def test_what_was_found_has_its_sentence_with_chance_and_records(lift: float, begins: str) -> None:
    found = told.read(result(lift))
    assert found.is_shown == (lift > 0)
    assert told.sentence(found).startswith(begins)
    assert told.sentence(found).endswith("(chance 50 %; 400 records).")


def test_a_leak_that_the_sides_explain_is_not_said_to_be_shown() -> None:
    found = told.read(result(blind={"auc": estimate("blind", 0.8, 0.7, 0.9), "blocked": True, "why": ""}))
    assert not found.is_shown
    assert told.sentence(found).startswith("No attack on the released file is shown to tell people")


def measured(given: dict[str, Any], distances: frozenset[str] = frozenset()) -> Measured:
    return told.measured(told.read(given), str.upper, lambda name: f"<{name}>", distances)


def judged(given: dict[str, Any], limit: float | None = None, **how: Any) -> Judgement:
    return judge(measured(given, **how), None if limit is None else own(limit))


def test_what_the_judge_takes_of_all_attacks() -> None:
    found = measured(result())
    assert (found.scale, found.guess, found.who, found.looks, found.unit) == ("auc", 0.5, "DOMIAS", 2, "record")
    assert found.strongest is not None
    assert found.strongest.labels["attack"] == "<domias>"
    assert found.lowest is not None
    assert found.lowest.labels["attack"] in ("<dcr>", "<domias>")
    assert found.control.weakest is not None
    assert found.control.weakest.labels["attack"] == "<domias>"
    assert found.is_complete
    assert found.reasons == ()


def test_a_leak_and_its_absence_by_one_limit() -> None:
    assert judged(result()).verdict is Verdict.LEAK
    assert judged(result(), 0.6).verdict is Verdict.ABOVE
    assert judged(result(), 0.72).verdict is Verdict.UNDECIDED
    assert judged(quiet("dcr", "domias"), 0.6).verdict is Verdict.WITHIN
    assert judged(quiet("dcr", "domias")).code == "no_limit"


def test_what_stands_in_the_way_of_a_verdict_on_a_file() -> None:
    clean = quiet("dcr", "domias")
    assert judged({**clean, "blind": {"auc": None, "blocked": True, "why": ""}}, 0.6).code == "sides_differ"
    assert judged({**clean, "control": []}, 0.6).code == "no_control"
    weak = [{**one, "auc": estimate(str(one["attack"]), 0.6, 0.53, 0.67)} for one in clean["control"]]
    assert judged({**clean, "control": weak}, 0.6).code == "control_missed", "0.53 lies below what intervals reach"
    assert judged(clean, 0.6, distances=frozenset({"dcr", "domias"})).code == "control_missed"
    assert judged(clean, 0.6, distances=frozenset({"dcr"})).verdict is Verdict.WITHIN
    silent = {**clean, "settings": {**clean["settings"], "attacks": ["dcr", "domias", "mc"]}}
    assert judged(silent, 0.6).why.startswith("MC gave no number")
    assert judged({**clean, "settings": {"attacks": []}, "estimates": [], "scores": []}, 0.6).code == "no_holdout"
    wrong = {**clean, "scores": [scores("dcr", 0.0), scores("domias", -0.25)]}
    assert judged(wrong, 0.6).code == "wrong_way_round"


def test_one_look_needs_no_correction_and_no_word_of_it() -> None:
    assert told.judged(told.read(quiet("dcr"))) == ""
    assert "the only one is right about" in told.sentence(told.read(quiet("dcr")))


def test_distances_that_look_fine_are_called_out_only_beside_a_leak() -> None:
    assert "Distances look fine, yet an attacker reaches an AUC of 0.72" in told.disagreement(told.read(result()))
    assert told.disagreement(told.read(result(0.0))) == ""
    nearer = {"value": 0.6, "low": 0.55, "high": 0.65, "n": 90.0}
    assert told.disagreement(told.read(result(panel=panel(nearer_to_real=nearer)))) == ""
    assert told.disagreement(told.read(result(panel=panel(nearer_to_real=None)))) == ""


def test_a_result_without_a_holdout_is_read_too() -> None:
    bare = panel(nearer_to_real=None, near={"real": share(3, 120)}, row_order=None)
    bare["copies"] = {"real": bare["copies"]["real"]}
    given = result(estimates=[], scores=[], control=[], blind=None, panel=bare, settings={"attacks": ["dcr"]})
    found = told.read(given)
    assert (found.has_attacks, found.attacks, found.blocked, found.has_holdout) == (False, (), False, False)
    assert judged(given).code == "no_holdout"
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
