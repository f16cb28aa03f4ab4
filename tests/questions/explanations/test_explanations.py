"""Explanation audits end to end: planted and null, controls, looks, defences, the single reference, files."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from riskkit.core import Column, Kind, Schema, Table
from riskkit.errors import Cancelled, DesignError
from riskkit.explain import library
from riskkit.explain.publishing import KnownRows
from riskkit.games import explanation as game
from riskkit.games.explanation_deal import ExplanationDeal, Offer
from riskkit.judging.measurement import Verdict
from riskkit.questions.explanations import play as explanations
from riskkit.questions.explanations.plan import ExplanationPlan
from riskkit.questions.explanations.play import forecast_explanations, run_explanations
from riskkit.questions.explanations.present import beside, defence_sentence
from riskkit.questions.explanations.result import ExplanationsResult
from riskkit.questions.explanations.words import change_title
from riskkit.table.load import Tables
from tests.judged import judged, judgement_of, word

LETTERS = "abcd"
PLAN = ExplanationPlan(
    target="job", attackers=("linear", "nearest"), victims=60, auxiliary=(120,), model_seeds=1, permutations=5
)


def people(n: int, seed: int) -> Table:
    """Three inputs that all tell something of the job, so that a linear model looks at each."""
    rng = np.random.default_rng(seed)
    job = rng.integers(0, 4, n)
    place = np.where(rng.random(n) < 0.4, job, rng.integers(0, 4, n))
    schema = Schema(
        (
            Column("place", Kind.CATEGORICAL, levels=tuple(LETTERS)),
            Column("weight", Kind.NUMERIC, low=-4.0, high=8.0, mean=1.0, sd=1.0, decimals=3),
            Column("pay", Kind.NUMERIC, low=-60.0, high=90.0, mean=0.0, sd=10.0, decimals=1),
            Column("job", Kind.CATEGORICAL, levels=tuple(LETTERS)),
        )
    )
    weight = np.clip(np.round(rng.standard_normal(n) + job, 3), -4, 8)
    pay = np.clip(np.round(10 * rng.standard_normal(n) + 5 * job, 1), -60, 90)
    return Table(schema, np.column_stack([place, job]), np.column_stack([weight, pay]))


def files(n: int = 500, *, release: bool = True) -> Tables:
    real = people(n, 1)
    return Tables(real, people(n, 2) if release else None, None, real.schema, (), ())


def result(plan: ExplanationPlan = PLAN, tables: Tables | None = None, **how: Any) -> dict[str, Any]:
    return run_explanations(files() if tables is None else tables, plan, **how).as_dict()


def named(kept: dict[str, Any], name: str, **labels: str) -> dict[str, Any]:
    wanted = {"defence": "none", "feature": "overall", **labels}
    return next(e for e in kept["estimates"] if e["name"] == name and wanted.items() <= e.items())


def test_a_linear_model_gives_everything_away() -> None:
    kept = result()
    ((finding, judgement),) = judged(kept, PLAN)
    assert judgement.verdict is Verdict.LEAK
    assert finding.what_if == "If a service published explanations of Linear regression", "no release is made by it"
    assert word(kept, PLAN, LIMIT) == "above the limit"
    assert kept["attackers"][0]["recovered"] == ["place", "weight", "pay"]
    assert named(kept, "success_rate", attacker="linear")["value"] == 1.0
    assert named(kept, "mae", attacker="linear")["value"] < 1e-12
    assert "recovers 3 of 3 inputs" in finding.sentence
    assert all(attacker["planted"] for attacker in kept["attackers"])


def test_the_librarys_values_are_attacked_and_ours_stand_beside_them() -> None:
    """Of trees the library's values are ours but for rounding; the result says whose they are and how far apart."""
    own, theirs = (
        run_explanations(files(), replace(PLAN, model="tree", explainer=name)).as_dict() for name in ("trees", "shap")
    )
    assert own["library"] is None
    near = theirs["library"]
    assert (near["explainer"], near["ours"], near["rows"]) == ("TreeExplainer", "trees", 20)
    assert 0 <= near["mean"] <= near["largest"] < 1e-6 < near["usual"]
    assert named(own, "mae", attacker="linear")["value"] == pytest.approx(
        named(theirs, "mae", attacker="linear")["value"], abs=1e-3
    )
    line = run_explanations(files(), replace(PLAN, explainer="shap"))
    assert line.library is not None
    assert (line.library.explainer, line.library.ours) == ("LinearExplainer", "linear")
    assert named(line.as_dict(), "success_rate", attacker="linear")["value"] == 1.0
    assert "The values are those of the shap library (LinearExplainer" in beside(line.library)
    assert beside(None) == ""


def test_the_difference_from_the_library_is_counted_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted fault: a library whose first value is .25 too high for everybody; three inputs, 1/12 on average."""
    whole = library.explain

    def shifted(*args: Any) -> Any:
        explained = whole(*args)
        explained.phi[:, 0] += 0.25
        return explained

    monkeypatch.setattr(library, "explain", shifted)
    near = run_explanations(files(), replace(PLAN, explainer="shap")).as_dict()["library"]
    assert near["largest"] == pytest.approx(0.25)
    assert near["mean"] == pytest.approx(0.25 / 3)


def blank(evidence: game.Evidence) -> game.Evidence:
    """The same evidence with explanations that are noise: nothing is there to be recovered."""
    rng = np.random.default_rng(3)

    def noise(shape: tuple[int, ...]) -> Any:
        return rng.normal(size=shape)

    held = [KnownRows(part.inputs, noise(part.phi.shape)) for part in (evidence.auxiliary, evidence.made_up)]
    return replace(evidence, auxiliary=held[0], made_up=held[1], phi=noise(evidence.phi.shape))


def nothing_published(monkeypatch: pytest.MonkeyPatch, *, spare: str = "linear") -> None:
    """A service that publishes noise, save of the model ``spare``."""
    whole = game.expose

    def expose(deal: ExplanationDeal, offer: Offer, seed: int, **sizes: int) -> game.Evidence:
        evidence = whole(deal, offer, seed, **sizes)
        return evidence if offer.model.name == spare else blank(evidence)

    monkeypatch.setattr(game, "expose", expose)


NULL = replace(PLAN, model="tree", attackers=("linear",), victims=400, auxiliary=(400,))
LIMIT = 0.2


def test_noise_in_place_of_explanations_is_no_leak(monkeypatch: pytest.MonkeyPatch) -> None:
    nothing_published(monkeypatch)
    kept = result(NULL, files(3000))
    ((finding, judgement),) = judged(kept, NULL, LIMIT)
    assert judgement.verdict is Verdict.WITHIN
    assert word(kept, NULL) == "undecided", "without a limit no absence is shown"
    assert kept["reference"] is None, "no value is 0"
    assert "not shown to recover any input" in finding.sentence


def test_the_report_does_not_pass_over_an_input_without_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    nothing_published(monkeypatch)
    kept = result(NULL, files(3000))
    assert word(kept, NULL, LIMIT) == "within the limit"
    for attacker in kept["attackers"]:
        del attacker["gains"]["pay"]
    judgement = judgement_of(kept, NULL, LIMIT)
    assert (judgement.verdict, judgement.code) == (Verdict.UNDECIDED, "silent")
    assert "pay gave no number" in judgement.why


def test_absence_is_not_claimed_by_an_attacker_that_misses_what_was_planted(monkeypatch: pytest.MonkeyPatch) -> None:
    nothing_published(monkeypatch, spare="")
    kept = result(NULL, files(3000))
    judgement = judgement_of(kept, NULL, LIMIT)
    assert (judgement.verdict, judgement.code) == (Verdict.UNDECIDED, "control_missed")


def test_few_victims_leave_it_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    nothing_published(monkeypatch)
    plan = replace(NULL, victims=20, auxiliary=(60,))
    judgement = judgement_of(result(plan), plan, LIMIT)
    assert (judgement.verdict, judgement.code) == (Verdict.UNDECIDED, "interval_holds_limit")
    assert "neither shown nor ruled out" in judgement.why


def null_leaks(monkeypatch: pytest.MonkeyPatch) -> int:
    """How many of 12 null audits call a leak."""
    nothing_published(monkeypatch)
    plans = [replace(NULL, victims=40, auxiliary=(80,), seed=seed) for seed in range(12)]
    return sum(word(result(plan, files(400)), plan) == "leak shown" for plan in plans)


def test_null_audits_call_no_leak(monkeypatch: pytest.MonkeyPatch) -> None:
    assert null_leaks(monkeypatch) == 0


def test_a_fault_that_forgets_the_constant_guess_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: gains are taken over the uniform guess, which everybody beats who has seen other people."""
    whole = explanations.against_constants

    def lenient(tries: Any, attacker: str, most: int, level: float) -> Any:
        easy = {**tries, ("constant_median", most): tries.get(("uniform", most), tries["constant_median", most])}
        easy["constant_mode", most] = easy["constant_median", most]
        return whole(easy, attacker, most, level)

    monkeypatch.setattr(explanations, "against_constants", lenient)
    with pytest.raises(AssertionError):
        assert null_leaks(monkeypatch) == 0


def test_the_looks_are_every_attacker_on_every_input_and_overall() -> None:
    played = run_explanations(files(), PLAN)
    assert played.counts.looks == 2 * 4
    ((finding, _),) = judged(played.as_dict(), PLAN)
    assert finding.measured.looks == 2 * 4
    levels = {gain.level for attacker in played.against for gains in attacker.gains.values() for gain in gains}
    np.testing.assert_allclose(sorted(levels), [1 - 0.05 / 8])
    assert {gain.level for gain in played.estimates} == {0.95}


def test_baselines_and_every_input_stand_beside_the_attack() -> None:
    kept = result()
    for who in ("linear", "nearest", *game.BASELINES):
        for feature in ("overall", "place", "weight", "pay"):
            for name in ("success_rate", "mae"):
                e = named(kept, name, attacker=who, feature=feature)
                assert 0 <= e["low"] <= e["value"] <= e["high"] <= 1
                assert (e["n"], e["level"]) == (60, 0.95)
    assert named(kept, "acceptance", attacker="nearest")["value"] > 0
    assert not [e for e in kept["estimates"] if e["name"] == "acceptance" and e["attacker"] == "linear"]


def test_defences_have_their_price_beside_what_they_take() -> None:
    plan = replace(
        PLAN, defences=("gaussian:share=5", "references=20", "permutations=1", "trained-on=synthetic", "top-k:k=1")
    )
    kept = result(plan)
    stopped = {defence["defence"]: not defence["successful"] for defence in kept["defences"]}
    assert stopped["gaussian:share=5.0"], "noise of five times the spread"
    assert not stopped["references=20"], "a linear model stays linear"
    keeps = {e["defence"]: e["value"] for e in kept["estimates"] if e["name"] == "top_three"}
    assert keeps["none"] == 1.0
    ranks = {e["defence"]: e for e in kept["estimates"] if e["name"] == "rank_correlation"}
    assert ranks["gaussian:share=5.0"]["value"] < 0.6 < ranks["references=20"]["high"]
    sentence = defence_sentence(ExplanationsResult.from_plain(kept), str)
    assert "no attacker is shown any more to beat the constant guess overall" in sentence


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("references=50", "50 reference rows"),
        ("permutations=5", "5 sampled orders"),
        ("trained-on=synthetic", "the model trained on the release"),
        ("rounding", ""),
    ],
)
def test_services_set_up_otherwise_have_names_and_defences_their_own(text: str, title: str) -> None:
    assert change_title(text) == title


def test_a_single_reference_row_is_a_finding_of_its_own_and_several_are_none() -> None:
    kept = result()
    alone, reference = kept["reference"], ExplanationsResult.from_plain(kept).reference
    assert reference is not None
    assert reference.is_shown
    assert alone["precision"]["value"] == 1.0
    assert 0 < alone["lift"]["low"] < alone["lift"]["value"] < 1
    assert result(replace(PLAN, references=5))["reference"] is None


def test_sizes_and_optimisers_are_beside_the_verdict() -> None:
    kept = result(replace(PLAN, attackers=("linear",), auxiliary=(120, 40), optimisers=("papers", "equal")))
    assert kept["settings"]["sizes"] == [40, 120]
    assert {e["rows"] for e in kept["estimates"] if e.get("attacker") == "linear"} == {"40", "120"}
    rates = {(e["rates"], e["attacker"]) for e in kept["estimates"] if "rates" in e}
    assert len(rates) == 8
    assert kept["settings"]["looks"] == 4


def test_the_association_of_every_input_with_the_target_is_told() -> None:
    tied = {feature["feature"]: feature["association"] for feature in result()["features"]}
    assert {name: association["name"] for name, association in tied.items()} == {
        "place": "cramers_v",
        "weight": "correlation_ratio",
        "pay": "correlation_ratio",
    }
    number = {feature["feature"]: feature["association"] for feature in result(replace(PLAN, target="pay"))["features"]}
    assert number["weight"]["name"] == "squared_correlation"
    assert number["place"]["name"] == "correlation_ratio"


def test_values_of_people_are_kept_for_the_page_alone() -> None:
    played = run_explanations(files(), PLAN)
    records = played.plain()["records"]
    assert len(records["truth"]) == 50
    assert records["truth"][0][0] in LETTERS
    assert all(all(row) for row in records["right"]["linear"])
    assert records["recovered"]["linear"] == records["truth"]
    assert records["shares"]["linear"] == [None] * 50  # one model says nothing of others
    assert "records" not in played.as_dict()


def test_each_person_has_an_interval_over_models() -> None:
    shares = run_explanations(files(), replace(PLAN, model_seeds=5)).plain()["records"]["shares"]
    assert [(share["value"], share["high"], share["n"]) for share in shares["linear"]] == [(1.0, 1.0, 5)] * 50
    assert all(share["low"] <= share["value"] <= share["high"] for share in shares["nearest"])
    assert len({share["value"] for share in shares["nearest"]}) > 1


def test_it_can_be_stopped_and_tells_how_far_it_is() -> None:
    reports: list[int] = []
    with pytest.raises(Cancelled):
        run_explanations(files(), PLAN, progress=lambda p: reports.append(p.done), cancelled=lambda: len(reports) > 1)
    assert reports == [0, 1]


def test_a_forecast_counts_models_and_says_what_could_be_shown() -> None:
    forecast = forecast_explanations(files(), replace(PLAN, defences=("rounding",), model_seeds=5))
    gain = forecast.numbers["detectable_gain"]
    assert forecast.numbers == {"models": 11, "victims": 60, "rows": 120, "looks": 8, "detectable_gain": gain}
    assert forecast.seconds > 0
    assert 0.2 < gain < 0.5


def test_a_small_table_has_fewer_victims_and_says_so() -> None:
    kept = result(replace(PLAN, victims=500, auxiliary=(), attackers=("linear",)), files(100))
    assert kept["settings"]["n_victims"] == 25
    assert any("room for 25 different victims" in note for note in kept["notes"])


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"target": "nobody"}, "no column named 'nobody'"),
        ({"trained_on": "synthetic"}, "none is loaded"),
        ({"defences": ("trained-on=synthetic",)}, "none is loaded"),
        ({"auxiliary": (5000,)}, "The attacker is to hold 5,000 rows"),
        ({"model": "logistic", "target": "pay"}, "cannot learn a number"),
    ],
)
def test_what_cannot_be_played_is_a_sentence(change: dict[str, Any], says: str) -> None:
    with pytest.raises(DesignError, match=says):
        run_explanations(files(release=False), replace(PLAN, **change))


def test_who_was_in_the_training_is_asked_where_it_is_wanted() -> None:
    """Of a tree that keeps single rows it is shown; it is one test more, and has a leak of its own planted."""
    plan = replace(
        PLAN, model="tree:depth=30", attackers=("linear",), victims=120, members=True, defences=("rounding",)
    )
    kept = run_explanations(files(), plan)
    assert kept.counts.looks == run_explanations(files(), replace(plan, members=False)).counts.looks + 1
    assert kept.members is not None
    assert kept.members.is_shown
    assert kept.members.planted.low > 0
    aucs = {name: kept.membership_auc(name) for name in ("answer", "explanation")}
    assert all(auc is not None and auc.low > 0.5 for auc in aucs.values())
    assert aucs["explanation"].value - 0.5 == pytest.approx(kept.members.gain.value)  # type: ignore[union-attr]
    assert kept.membership_auc("explanation", "rounding") is not None
    ((finding, judgement),) = judged(kept.as_dict(), plan)
    assert "tells whether the person was in the training (AUC" in finding.sentence
    assert "A tree had learnt drawn answers by heart" in finding.measured.control.sentence
    assert judgement.verdict is Verdict.LEAK


def test_a_model_that_keeps_no_row_does_not_show_who_was_in_its_training() -> None:
    plan = replace(PLAN, model="linear", victims=120, members=True, attackers=("linear",))
    finding = judged(result(replace(plan, model="logistic")), plan)[0][0]
    assert "It is not shown that an explanation tells whether its person was in the training" in finding.sentence


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"target": "pay"}, "right or wrong, and 'pay' is a number"),
        ({"trained_on": "synthetic"}, "the release was made of all rows"),
        ({"defences": ("trained-on=synthetic",)}, "the release was made of all rows"),
    ],
)
def test_who_was_in_is_not_asked_where_nobody_was_out(change: dict[str, Any], says: str) -> None:
    with pytest.raises(DesignError, match=says):
        run_explanations(files(), replace(PLAN, members=True, **change))


def test_a_single_reference_row_that_tells_nothing_is_said_to_and_what_was_planted_stands_beside_it() -> None:
    alone = run_explanations(files(), PLAN).reference
    assert alone is not None
    assert alone.planted is not None
    assert alone.planted.low > 0
    assert "this reveals " in alone.sentence
    assert "More reference rows remove this leak" in alone.sentence
    none = replace(alone, lift=replace(alone.lift, value=0.0, low=-0.01, high=0.01))
    assert not none.is_shown
    assert none.sentence.endswith("which is not shown to tell anything of the person.")


@pytest.mark.parametrize("model", ["tree", "forest", "boosting"])
def test_an_explainer_that_says_nothing_of_the_model_is_refused_before_a_model_is_trained(
    model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(game, "expose", None)  # nothing is trained
    for name in ("gradients", "integrated-gradients"):
        with pytest.raises(DesignError, match="steps and no slope"):
            run_explanations(files(), replace(PLAN, model=model, explainer=name))
    with pytest.raises(DesignError, match="no other class"):
        run_explanations(files(), replace(PLAN, model=model, target="pay", explainer="counterfactuals"))
