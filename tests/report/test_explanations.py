"""What attackers of explanations reach, in sentences from figures made by hand and from a kept result read back."""

from typing import Any

import pytest

from riskkit.audit.report_facts import titles
from riskkit.core import Estimate
from riskkit.errors import DesignError, StoreError
from riskkit.plain import plain
from riskkit.questions.explanations import present, result, words
from riskkit.questions.explanations.plan import ExplanationPlan
from riskkit.questions.explanations.play import run_explanations
from riskkit.questions.explanations.present import HIDDEN
from riskkit.questions.explanations.result import MODE, Against, ExplanationsResult, TriedDefence
from riskkit.show.names import Names
from tests.questions.explanations.test_explanations import PLAN, files


def of(low: float, value: float, high: float, name: str = "success_rate") -> Estimate:
    return Estimate(name, value, low, high, 0.95, "by hand", 100)


BEATS, OPEN, NIL = (of(0.1, 0.2, 0.3),) * 4, (of(-0.1, 0.1, 0.3),) * 4, (of(-0.02, 0.0, 0.02),) * 4
ONE_SHORT = (*BEATS[:3], of(-0.01, 0.1, 0.3))
"""It beats the constant guesses in three of the four comparisons."""


def against(overall: tuple[Estimate, ...], age: tuple[Estimate, ...], *, planted: bool = True) -> Against:
    return Against("linear", "auxiliary", planted, {"overall": overall, "age": age})


@pytest.mark.parametrize(
    ("attacker", "is_successful", "recovered"),
    [
        (against(BEATS, BEATS), True, ("age",)),
        (against(BEATS, NIL), True, ()),
        (against(NIL, BEATS), False, ("age",)),
        (against(ONE_SHORT, ONE_SHORT), False, ()),
        (against(OPEN, NIL), False, ()),
        (against(NIL, NIL), False, ()),
        (Against("linear", "auxiliary", True, {}), False, ()),
    ],
)
def test_what_one_attacker_is_shown_to_reach(
    attacker: Against, is_successful: bool, recovered: tuple[str, ...]
) -> None:
    assert (attacker.successful, attacker.recovered) == (is_successful, recovered)


def gains(rate: float, error: float) -> tuple[Estimate, ...]:
    """Gains over both constant guesses, in the rate and in the error, from these lower ends on."""
    both = (of(low, low + 0.1, low + 0.2, name) for low, name in ((rate, result.GAIN), (error, "mae_gain")))
    return (*both,) * 2


def test_the_attacker_named_gains_most_where_it_beats_every_constant_guess() -> None:
    weak, strong = against(gains(0.1, 0.1), gains(0.2, 0.2)), against(gains(0.1, 0.1), gains(0.3, 0.01))
    assert result.named_attacker([weak, strong]) is result.named_attacker([strong, weak]) is strong
    assert strong.most == ("age", gains(0.3, 0.01)[0]), "people count, whichever gain is the least"
    oftener = against(gains(-0.1, -0.1), gains(0.4, -0.01))
    assert result.named_attacker([weak, oftener]) is weak, "its values are no nearer to the true ones"
    assert oftener.most == ("overall", gains(-0.1, -0.1)[0])
    assert Against("linear", "auxiliary", True, {"age": gains(0.4, -0.01)}).most == ("age", gains(0.4, -0.01)[1])
    assert Against("linear", "auxiliary", True, {}).most is None


def result_of(attacker: Against, *tried: TriedDefence) -> result.ExplanationsResult:
    """Two inputs that were attacked from ten rows, beside the constant guess."""
    rates = {"linear": of(0.8, 0.9, 0.95), result.MODE: of(0.3, 0.4, 0.5)}
    labels = {"feature": "overall", "rows": "10", "defence": "none"}
    return result.ExplanationsResult(
        plan=ExplanationPlan(),
        counts=result.Counts("pay", 10, 10, 10, (10,), 8),
        estimates=tuple(rate.label(attacker=name, **labels) for name, rate in rates.items()),
        against=(attacker,),
        inputs=(result.Input("age", None), result.Input("place", None)),
        tried=tried,
        reference=None,
        library=None,
        notes=(),
    )


def sentence(attacker: Against) -> str:
    return present.sentence(result_of(attacker), Names.all_told(titles()))


def defences(*tried: TriedDefence) -> str:
    return present.defence_sentence(result_of(against(BEATS, BEATS), *tried), str)


def test_sentences_carry_number_and_interval_of_what_is_judged() -> None:
    leak = sentence(against(gains(0.1, 0.1), gains(0.3, 0.1)))
    assert leak.startswith("From 2 Shapley values of Linear regression, an attacker (Least squares, holding 10 other")
    gained = "recovers 1 of 2 inputs better than any constant guess: age most, with a gain of 0.40 [0.30, 0.50] over"
    assert gained in leak
    assert leak.endswith("Over all inputs it beats every constant guess, in the error and in the rate.")
    part = sentence(against(NIL, BEATS))
    assert part.endswith("it does not beat every constant guess, but on these inputs it does.")
    none = sentence(against(gains(-0.1, -0.1), gains(-0.2, 0.1)))
    assert "is not shown to recover any input: all inputs together most, with a gain of 0.00 [-0.10, 0.10]" in none
    assert "sending 10 made-up rows" in sentence(Against("linear", "random", True, {"overall": BEATS}))


def test_the_defence_named_stops_the_attack_and_keeps_most() -> None:
    half, most = of(0.4, 0.5, 0.6, "top_three"), of(0.8, 0.9, 0.95, "top_three")
    stops = [
        TriedDefence("noise", of(0.3, 0.4, 0.5), False, half),
        TriedDefence("bins", of(0.3, 0.4, 0.5), False, most),
    ]
    assert "With bins, no attacker" in defences(*stops, TriedDefence("none", of(0.9, 0.95, 1.0), True, most))
    assert defences(TriedDefence("noise", of(0.7, 0.8, 0.9), True, half)).startswith("noise does not stop it")
    assert defences() == ""
    two = [TriedDefence(name, of(low, low + 0.1, 1.0), True, most) for name, low in (("noise", 0.7), ("bins", 0.6))]
    assert defences(*two).startswith("None of 2 defences stops it; bins leaves the least: 70 %")


@pytest.mark.parametrize(("low", "is_shown"), [(0.1, True), (0.0, False), (-0.1, False)])
def test_a_zero_tells_of_a_person_where_its_lift_lies_above_nothing(low: float, is_shown: bool) -> None:
    lift = of(low, 0.2, 0.3, "lift")
    point = result.ReferencePoint(of(0.7, 0.8, 0.9, "precision"), of(0.4, 0.5, 0.6, "recall"), lift, None)
    assert point.is_shown is is_shown
    assert point.sentence.startswith("Where a value is 0, the person equals the reference row in 80 % [70 %, 90 %] of")
    assert ("this reveals 50 % [40 %, 60 %] of all equal cells" in point.sentence) is is_shown
    assert ("not shown to tell anything" in point.sentence) is not is_shown
    assert plain(point)["lift"]["value"] == 0.2
    assert plain(point)["planted"] is None


@pytest.fixture(scope="module")
def kept() -> dict[str, Any]:
    return run_explanations(files(), PLAN).plain()


@pytest.fixture(scope="module")
def kept_result(kept: dict[str, Any]) -> ExplanationsResult:
    return ExplanationsResult.from_plain(kept)


def test_everything_is_read_back(kept: dict[str, Any], kept_result: ExplanationsResult) -> None:
    assert [e.as_dict() for e in kept_result.estimates] == kept["estimates"]
    assert kept_result.is_shown
    assert kept_result.plain() == kept
    assert [attacker.successful for attacker in kept_result.against] == [
        True,
        kept_result.against[1].is_successful("overall"),
    ]
    assert (kept_result.counts.looks, kept_result.best.attacker, kept_result.best.holds) == (8, "linear", "auxiliary")
    assert (kept_result.attackers, kept_result.counts.sizes) == (("linear", "nearest"), (120,))
    assert kept_result.recovered["linear"] == kept_result.features == ("place", "weight", "pay")
    assert kept_result.attacker_estimate("mae", MODE, "pay") is not None
    assert kept_result.attacker_estimate("mae", "nobody") is None
    assert [gain.as_dict() for gains in kept_result.against[0].gains.values() for gain in gains] == [
        gain for gains in kept["attackers"][0]["gains"].values() for gain in gains
    ]


def test_a_victim_is_masked_until_it_is_asked_for(kept: dict[str, Any], kept_result: ExplanationsResult) -> None:
    masked = present.victim(kept_result, 3, "linear", revealed=False)
    assert {row[part] for row in masked for part in ("true", "recovered")} == {HIDDEN}
    shown = present.victim(kept_result, 3, "linear", revealed=True)
    assert [row["true"] for row in shown] == kept["records"]["truth"][3]
    assert {row["right"] for row in shown} == {"✓ recovered"}


def test_a_person_has_a_sentence_over_models(kept: dict[str, Any], kept_result: ExplanationsResult) -> None:
    assert "at least five models" in present.victim_sentence(kept_result, 3, "linear")
    share = Estimate("success_rate", 0.8, 0.31, 0.99, 0.95, "by hand", 5).as_dict()
    several = ExplanationsResult.from_plain({**kept, "records": {**kept["records"], "shares": {"linear": [share]}}})
    says = "Over 5 models, 80 % [31 %, 99 %] of this person's values are recovered."
    assert present.victim_sentence(several, 0, "linear") == says


def test_a_result_without_its_people_is_read_and_one_without_its_numbers_is_refused(kept: dict[str, Any]) -> None:
    purged = {name: value for name, value in kept.items() if name != "records"} | {"purged": True}
    assert ExplanationsResult.from_plain(purged).records.truth == ()
    settings = {name: value for name, value in kept["settings"].items() if name != "looks"}
    with pytest.raises(StoreError, match=r"it has no 'looks'\. Start the run again\."):
        ExplanationsResult.from_plain({**kept, "settings": settings})


def test_a_kept_result_is_read_where_a_plug_in_it_names_is_gone(kept: dict[str, Any]) -> None:
    gone = {**kept, "settings": {**kept["settings"], "model": "somebodys-own"}}
    assert ExplanationsResult.from_plain(gone).plan.model == "somebodys-own"
    with pytest.raises(DesignError):
        ExplanationPlan(model="somebodys-own")


def test_more_victims_show_smaller_gains() -> None:
    assert "a gain of 0.20 or more" in words.could_show(200, 36, 0.95)
    assert "a gain of 0.09 or more" in words.could_show(1000, 36, 0.95)
