"""Singling out and linkability where the answer is known: real releases, and many that tell nothing."""

import gzip
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest

from riskkit.games.linkage import Linking
from riskkit.games.mixture import MixedCrowd, mix
from riskkit.questions.linkability.play import LinkabilityPlan, run_linkability
from riskkit.questions.singling_out.play import SinglingOutPlan, run_singling_out
from riskkit.seeds import stream
from riskkit.stats.looks import look_together
from riskkit.table.load import Tables, load
from riskkit.table.read.csv_text import read_csv
from tests.judged import word
from tests.tables import DATA

SHOPPERS, ADULT = DATA / "shoppers", DATA / "anonymeter_adult"
CRITERIA: dict[str, tuple[Any, Callable[..., Any], str]] = {
    "singling-out": (SinglingOutPlan(), run_singling_out, "singled_out"),
    "linkability": (LinkabilityPlan(), run_linkability, "linked"),
}
NULLS = 500
pytestmark = pytest.mark.slow
needs_shoppers = pytest.mark.skipif(
    not SHOPPERS.is_dir(), reason="the shoppers' releases (shared/data/shoppers) are not here"
)
needs_adult = pytest.mark.skipif(
    not ADULT.is_dir(), reason="Adult with a release by CTGAN (shared/data/anonymeter_adult) is not here"
)


def together(*sources: bytes) -> Tables:
    return load(*(read_csv(source, name=f"{number}.csv") for number, source in enumerate(sources)))


@cache
def shoppers(release: str) -> Tables:
    """Ten thousand rows of that release beside its real table and its holdout."""
    lines = gzip.decompress((SHOPPERS / f"{release}.csv.gz").read_bytes()).splitlines(keepends=True)[:10_001]
    return together((SHOPPERS / "train.csv").read_bytes(), b"".join(lines), (SHOPPERS / "holdout.csv").read_bytes())


@cache
def asked(question: str, release: str) -> Any:
    plan, run, _ = CRITERIA[question]
    return run(shoppers(release), plan)


def residual(result: Any) -> Any:
    """That of the strongest look."""
    return result.estimates[2]


@needs_shoppers
@pytest.mark.parametrize("question", CRITERIA)
def test_the_more_is_replaced_the_less_is_found(question: str) -> None:
    ten, twenty, thirty = (residual(asked(question, f"2021_flip{share}")) for share in (10, 20, 30))
    assert ten.value > twenty.value > thirty.value
    assert thirty.low > 0.09


@needs_shoppers
@pytest.mark.parametrize("question", CRITERIA)
def test_a_release_without_a_trace_and_a_trap_are_no_leak(question: str) -> None:
    plan = CRITERIA[question][0]
    for release in ("2023_ctgan", "2021x_mostly_temp01"):
        result = asked(question, release)
        assert residual(result).low <= 0 <= residual(result).high
        assert word(result.plain(), plan, 0.09, tables=shoppers(release)) == "within the limit"


@needs_shoppers
def test_a_network_without_a_copy_singles_out_few_and_links_many() -> None:
    assert residual(asked("singling-out", "2024_synthcity-bayesian_network")).value < 0.03
    assert residual(asked("linkability", "2024_synthcity-bayesian_network")).low > 0.2


@needs_adult
@pytest.mark.parametrize("question", CRITERIA)
def test_adults_ctgan_leaves_no_residual(question: str) -> None:
    files = [
        gzip.decompress((ADULT / f"{name}.csv.gz").read_bytes()) for name in ("train_reconstructed", "synth_ctgan")
    ]
    plan, run, name = CRITERIA[question]
    result = run(together(*files, (ADULT / "control.csv").read_bytes()), plan)
    assert {e.labels.get("tested_on") for e in result.estimates if e.name == name} == {"members", "holdout"}
    assert residual(result).low <= 0 <= residual(result).high
    assert result.control.residual is not None
    assert result.control.residual.low > 0.09


def people(rng: np.random.Generator, n: int) -> bytes:
    """A made population with dependent columns, rare levels, ties and equal rows."""
    town = rng.choice(list("aaaaabbbccd"), n)
    age = np.clip(rng.normal(40 + 5 * (town == "b"), 12, n).round(), 18, 80)
    job = np.where(rng.random(n) < 0.3, town, rng.choice(list("wxyz"), n))
    pay = (rng.gamma(2, 500, n) + 20 * age).round(-1)
    frame = pd.DataFrame({"town": town, "age": age, "job": job, "pay": pay})
    return frame.to_csv(index=False).encode()


@pytest.mark.parametrize("question", CRITERIA)
def test_of_500_releases_that_tell_nothing_few_show_a_leak(question: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A lower end above 0 has a chance of 2.5 % at most; more than 25 of 500 (5 %) have one below 1e-3."""
    monkeypatch.setattr("riskkit.questions.compared.without", _nothing)
    monkeypatch.setattr("riskkit.stats.looks.DEALS", 399)
    monkeypatch.setattr("riskkit.stats.looks.BEYOND", 10)
    shown = sum(_shows(question, seed) for seed in range(NULLS))
    assert shown <= NULLS * 0.05


def test_an_assignment_that_prefers_places_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted fault: halves lie in both files in one order, members first, and ties go to the first place.

    Everybody is alike, so that every assignment is as likely; the right one is then found for the first, who were in.
    """
    monkeypatch.setattr("scipy.optimize.linear_sum_assignment", _first_comes)  # which linking loads where it is needed
    rng = np.random.default_rng(1)
    tables = together(people(rng, 120), people(rng, 200), people(rng, 90))
    fair = mix(tables.real, tables.synthetic, tables.holdout, max_rows=200, seed=1)  # type: ignore[arg-type]
    order = np.argsort(~fair.is_in, kind="stable")
    unfair = MixedCrowd(fair.people.rows(order), fair.release, fair.is_in[order], fair.row[order], fair.asked, 1)
    shown = {}
    for name, crowd in (("fair", fair), ("unfair", unfair)):
        link = Linking.split(crowd, [c.name for c in tables.schema.modelled], 210)
        monkeypatch.setattr(
            MixedCrowd, "rng", (lambda *_: Still()) if name == "unfair" else (lambda *_: stream(1, "fair"))
        )
        hit = link.link(((0, 1), (2, 3)))[None]
        shown[name] = look_together(hit, crowd.is_in, stream(1, "labels")).p[0]
    assert shown["fair"] > 0.025 > shown["unfair"]


class Still:
    """Deals nothing anew."""

    def permutation(self, n: int) -> Any:
        return np.arange(n)


def _first_comes(likely: Any, **_: Any) -> Any:
    """Right for the first half of the places, as ties may fall, and wrong for the rest."""
    places = np.arange(len(likely))
    return places, np.where(places < len(places) // 2, places, np.roll(places, 1))


def _nothing(*_: Any) -> Any:
    from riskkit.questions.compared import BlindGuess

    return BlindGuess(None, None, 0, False, "not looked at")


def _shows(question: str, seed: int) -> bool:
    """Whether a leak shows of a release that never saw the members."""
    rng = np.random.default_rng(seed)
    tables = together(people(rng, 120), people(rng, 200), people(rng, 90))
    plan: Any = (
        SinglingOutPlan(size=3, groups=8, seed=seed)
        if question == "singling-out"
        else LinkabilityPlan(group=15, splits=4, seed=seed)
    )
    return bool(residual(CRITERIA[question][1](tables, plan)).low > 0)
