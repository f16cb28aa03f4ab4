"""A kept attack on a released file read back, and its sentences word by word, from a result made by hand."""

from typing import Any

import numpy as np
import pytest

from riskkit.games.copies import Panel
from riskkit.judging.judge import judge
from riskkit.judging.measurement import Judgement, Measured, Verdict, own
from riskkit.questions.released import findings
from riskkit.questions.released import present as released_panel
from riskkit.questions.released.result import ReleasedResult


def estimate(attack: str, value: float, low: float, high: float, **more: Any) -> dict[str, Any]:
    auc = {"name": "auc", "value": value, "low": low, "high": high, "level": 0.95, "method": "by hand", "n": 200}
    return {**auc, "attack": attack, **more}


def together(attack: str, value: float, low: float, high: float, beyond: Any = None) -> dict[str, Any]:
    """What a verdict says of one of its attacks: each end allows for both."""
    return {"attack": attack, "auc": estimate(attack, value, low, high, level=0.9), "p": 0.0026, "beyond": beyond}


SIDES = {
    "n_in": 200, "n_out": 200, "n_reference": 0, "dropped_both": 0, "dropped_real": 0, "dropped_holdout": 0,
    "dropped_to_even": 0,
}  # fmt: skip
NOTHING: dict[str, Any] = {"permutations": 0, "each": []}
"""No attack has a number."""


def share(count: int, of: int) -> dict[str, Any]:
    return {"count": count, "of": of, "share": count / of}


def panel(**more: Any) -> dict[str, Any]:
    spread = {"edges": [0, 1], "real": {"n": 9, "quantiles": {"0.5": 0.25}, "counts": [9]}}
    spread = {**spread, "holdout": {"n": 9, "quantiles": {"0.5": 0.5}, "counts": [9]}}
    return {
        "rows": {"real": 100, "holdout": 90, "synthetic": 120},
        "asked": {"synthetic": 120, "of_each": 90, "back": 90},
        "near": {"real": share(30, 120), "holdout": share(12, 120)},
        "nearer_to_real": {"value": 0.5, "low": 0.4, "high": 0.6, "n": 77.2, "level": 0.95, "method": "Wilson"},
        "dcr": spread,
        "nndr": spread,
        **more,
    }


def described(**more: Any) -> Panel:
    """The same as it is read."""
    return ReleasedResult.from_plain(result(panel=panel(**more))).panel


def result(*, shown: bool = True, **more: Any) -> dict[str, Any]:
    """Two attacks, the second stronger where a leak is ``shown``; by intervals that hold for both."""
    twins = {
        "attack": "dcr", "value": [2.0, 2.0, 1.0, 0.0] * 5, "is_in": [True, True, False, False] * 5, "record": ids(),
        "row": list(range(20)),
    }  # fmt: skip
    best = together("domias", 0.72, 0.66, 0.78) if shown else together("domias", 0.52, 0.46, 0.58)
    return {
        "estimates": [
            estimate("dcr", 0.52, 0.45, 0.59),
            estimate("dcr", 0.2, 0.1, 0.3, name="tpr_at_fpr", fpr="0.1"),
            estimate("domias", 0.72, 0.67, 0.76),
        ],
        "together": {"permutations": 4999, "each": [together("dcr", 0.52, 0.44, 0.58), best]},
        "blind": {"auc": None, "p": None, "permutations": 0, "apart": False, "why": "Too few."},
        "control": [
            {"attack": "dcr", "auc": None, "planted": "half of them", "why": "Too few."},
            {"attack": "domias", "auc": estimate("domias", 0.74, 0.7, 0.78), "planted": "half of them", "why": ""},
        ],
        "panel": panel(),
        "notes": [],
        "power": None,
        "base_rates": [],
        "named": {"asked": 0, "listed": 0, "fewest": 0, "rate": 0.05, "why": "too_few"},
        "settings": {"attacks": ["dcr", "domias"], **SIDES},
        "scores": [twins],
        **more,
    }  # fmt: skip


def quiet(*names: str) -> dict[str, Any]:
    """Attacks that tell nobody."""
    return result(
        estimates=[estimate(name, 0.5, 0.44, 0.56) for name in names],
        scores=[],
        together={"permutations": 4999, "each": [together(name, 0.5, 0.44, 0.56) for name in names]},
        control=[
            {"attack": name, "auc": estimate(name, 0.74, 0.7, 0.78), "planted": "half", "why": ""} for name in names
        ],
        settings={"attacks": list(names), **SIDES},
    )


def ids() -> list[int]:
    """Rows 0 and 1 of every four are one record: twins."""
    return [4 * (index // 4) + (0 if index % 4 < 2 else index % 4) for index in range(20)]


def test_each_attack_gets_its_own_estimates_scores_and_control_back() -> None:
    dcr, domias = ReleasedResult.from_plain(result()).attacks
    assert dcr.auc is not None
    assert (dcr.auc.value, dcr.auc.n) == (0.52, 200)
    named = dcr.named_share("0.1")
    assert named is not None
    assert named.value == 0.2
    assert dcr.named_share("0.01") is None
    assert (dcr.control, dcr.planted, dcr.silent) == (None, "half of them", "Too few.")
    assert domias.control is not None
    assert (domias.control.value, domias.planted, domias.silent) == (0.74, "half of them", "")
    (bare,) = ReleasedResult.from_plain(result(scores=[], estimates=[estimate("dcr", 0.52, 0.45, 0.59)])).attacks
    assert bare.curve() is None, "no scores were kept of it"


def test_twins_are_one_record_in_the_curve() -> None:
    dcr = ReleasedResult.from_plain(result()).attacks[0]
    assert dcr.scores is not None
    assert (dcr.scores.trainings(True), dcr.scores.trainings(False)) == (5, 10)
    curve = dcr.curve()
    assert curve is not None
    np.testing.assert_allclose([curve.fpr, curve.tpr], [[0, 0, 0.5, 1], [0, 1, 1, 1]])


def test_the_verdict_stands_on_the_corrected_interval() -> None:
    """Planted: the interval of one look is narrower; it must not be the one that is shown."""
    released = ReleasedResult.from_plain(result())
    auc = released.attacks[1].auc
    assert auc is not None
    assert released.auc is not None
    assert (released.auc.low, released.auc.high, released.auc.level) == (0.66, 0.78, 0.9)
    assert (released.strongest, released.looks, released.is_shown) == ("domias", 2, True)
    assert (auc.low, auc.high) == (0.67, 0.76)
    assert "66 %, 78 %" in findings.sentence(released)
    assert findings.verdict_basis(released) == (
        "For 2 attacks together each end of an interval holds at 95 %, so that the strongest is not called a leak "
        "for being the luckiest. If nothing leaked, one of them would be this strong in 0.26 % of cases (labels "
        "exchanged 4,999 times)."
    )


def differing(low: float) -> dict[str, Any]:
    """The sides are told apart without the release; of the stronger attack this lower end is left."""
    left = estimate("domias", low + 0.07, low, low + 0.14, level=0.9)
    each = [
        together("dcr", 0.52, 0.44, 0.58, estimate("dcr", 0.4, 0.3, 0.49)), together("domias", 0.72, 0.66, 0.78, left),
    ]  # fmt: skip
    blind = {"auc": estimate("blind", 0.6, 0.55, 0.65), "p": 0.0002, "permutations": 4999, "apart": True, "why": ""}
    return result(together={"permutations": 4999, "each": each}, blind=blind)


def test_what_counts_is_what_is_left_where_the_sides_are_told_apart_without_the_release() -> None:
    released = ReleasedResult.from_plain(differing(0.53))
    assert (released.is_apart, released.is_blocked, released.is_shown) == (True, False, True)
    assert [entry.counting.low for entry in released.together.each] == [0.3, 0.53]
    assert "reaches an AUC of 0.72 [0.66, 0.78]; 0.60 [0.53, 0.67] remains" in findings.sentence(released)
    assert (judged(differing(0.53)).verdict, judged(differing(0.53), 0.5).verdict) == (Verdict.LEAK, Verdict.ABOVE)
    assert judged(differing(0.53), 0.9).code == "sides_differ_too"
    assert ReleasedResult.from_plain(result()).together.each[1].counting.low == 0.66
    blocked = ReleasedResult.from_plain(differing(0.45))
    assert (blocked.is_apart, blocked.is_blocked, blocked.is_shown) == (True, True, False)
    assert judged(differing(0.45)).code == judged(differing(0.45), 0.9).code == "sides_differ"


@pytest.mark.parametrize(
    ("shown", "begins"),
    [
        (True, "From the released file alone, an attacker"),
        (
            False,
            "No attack on the released file is shown to tell members from others; the strongest of 2 is right about",
        ),
    ],
)
def test_what_was_found_has_its_sentence_with_chance_and_records(*, shown: bool, begins: str) -> None:
    released = ReleasedResult.from_plain(result(shown=shown))
    assert released.is_shown == shown
    assert findings.sentence(released).startswith(begins)
    assert findings.sentence(released).endswith("(chance 50 %; 200 records).")


def test_a_leak_that_the_sides_explain_is_not_said_to_be_shown() -> None:
    result = ReleasedResult.from_plain(differing(0.45))
    assert not result.is_shown
    assert "remains after taking off what can be said without the release" in findings.sentence(result)


def measured(kept: dict[str, Any], distances: frozenset[str] = frozenset()) -> Measured:
    return findings.measure(ReleasedResult.from_plain(kept), str.upper, lambda name: f"<{name}>", distances)


def judged(kept: dict[str, Any], limit: float | None = None, **how: Any) -> Judgement:
    return judge(measured(kept, **how), None if limit is None else own(limit))


def test_what_the_judge_takes_of_all_attacks() -> None:
    joint = measured(result())
    assert (joint.scale, joint.guess, joint.who, joint.looks, joint.unit) == ("auc", 0.5, "DOMIAS", 2, "record")
    assert joint.strongest is not None
    assert joint.strongest.labels["attack"] == "<domias>"
    assert joint.lowest is not None
    assert joint.lowest.labels["attack"] in ("<dcr>", "<domias>")
    assert joint.control.weakest is not None
    assert joint.control.weakest.labels["attack"] == "<domias>"
    assert joint.is_complete
    assert joint.reasons == ()


def test_a_leak_and_its_absence_by_one_limit() -> None:
    assert judged(result()).verdict is Verdict.LEAK
    assert judged(result(), 0.6).verdict is Verdict.ABOVE
    assert judged(result(), 0.72).verdict is Verdict.UNDECIDED
    assert judged(quiet("dcr", "domias"), 0.6).verdict is Verdict.WITHIN
    assert judged(quiet("dcr", "domias")).code == "no_limit"


def test_what_stands_in_the_way_of_a_verdict_on_a_file() -> None:
    clean = quiet("dcr", "domias")
    assert judged({**clean, "control": []}, 0.6).code == "no_control"
    weak = [{**planted, "auc": estimate(str(planted["attack"]), 0.6, 0.53, 0.67)} for planted in clean["control"]]
    assert judged({**clean, "control": weak}, 0.6).code == "control_missed", "0.53 lies below what intervals reach"
    assert judged(clean, 0.6, distances=frozenset({"dcr", "domias"})).code == "control_missed"
    assert judged(clean, 0.6, distances=frozenset({"dcr"})).verdict is Verdict.WITHIN
    silent = {**clean, "settings": {**clean["settings"], "attacks": ["dcr", "domias", "mc"]}}
    assert judged(silent, 0.6).why.startswith("MC gave no number")
    assert (
        judged({**clean, "settings": {"attacks": []}, "estimates": [], "scores": [], "together": NOTHING}, 0.6).code
        == "no_holdout"
    )
    each = [together("dcr", 0.5, 0.44, 0.56), together("domias", 0.28, 0.22, 0.34)]
    wrong = {**clean, "together": {"permutations": 4999, "each": each}}
    assert judged(wrong, 0.6).code == "wrong_way_round"


def test_one_look_needs_no_correction_and_no_word_of_it() -> None:
    assert "the only one is right about" in findings.sentence(ReleasedResult.from_plain(quiet("dcr")))
    judgement = findings.verdict_basis(ReleasedResult.from_plain(quiet("dcr")))
    assert "0.26 % of cases" in judgement
    assert "together" not in judgement
    assert "luckiest" not in judgement


def test_distances_that_look_fine_are_called_out_only_beside_a_leak() -> None:
    assert "Distances look fine, yet an attacker reaches an AUC of 0.72" in released_panel.disagreement(
        ReleasedResult.from_plain(result())
    )
    assert released_panel.disagreement(ReleasedResult.from_plain(result(shown=False))) == ""
    nearer = {"value": 0.6, "low": 0.55, "high": 0.65, "n": 90.0, "level": 0.95, "method": "Wilson"}
    assert released_panel.disagreement(ReleasedResult.from_plain(result(panel=panel(nearer_to_real=nearer)))) == ""
    assert released_panel.disagreement(ReleasedResult.from_plain(result(panel=panel(nearer_to_real=None)))) == ""


def test_a_result_without_a_holdout_is_read_too() -> None:
    bare = panel(nearer_to_real=None, near={"real": share(3, 120)})
    kept = result(
        estimates=[], scores=[], control=[], blind=None, together=NOTHING, panel=bare, settings={"attacks": ["dcr"]}
    )
    alone = ReleasedResult.from_plain(kept)
    assert (alone.has_attacks, alone.attacks, alone.is_blocked, alone.has_holdout) == (False, (), False, False)
    assert judged(kept).code == "no_holdout"
    assert "can be described" in findings.sentence(alone)
    assert "cannot be said without a holdout" in released_panel.nearer(alone.panel)


def test_the_panel_in_words() -> None:
    description = described()
    assert "30 of 120 (25 %) released rows are no copies" in released_panel.near_copies(description)
    assert "the same holds for 12 of 120 (10 %)" in released_panel.near_copies(description)
    assert released_panel.nearer(description).startswith("50 % [40 %, 60 %] of the released rows")
    assert "120 of 120 released rows to 90 real rows and as many holdout rows" in released_panel.rows_asked(description)
    assert released_panel.middle(description.dcr or {}, "dcr").endswith("0.25, of the holdout 0.50")
