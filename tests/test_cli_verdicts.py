"""What a command that asks a question says first: give-aways and the verdict, by the limit and method given to it."""

import json
import random
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from riskkit.cli import main
from riskkit.commands import abouts
from riskkit.judging import measurement
from riskkit.questions import questions
from riskkit.questions.limits import scales
from tests.played import played_once

__all__ = ["played_once"]

FILES = "--real {real} --synthetic {fresh} --holdout {holdout}"
ASK = {
    "membership": f"{FILES} --generator bayesnet --target random --targets-each 1 --attack mvl --trainings 20 "
    "--generations 2 --n-syn 400",
    "released": f"{FILES} --attacks dcr,nn-kde --reference aside",
    "one-run": f"{FILES} --generator bayesnet --rows 100 --n-syn 400",
    "singling-out": f"{FILES} --size 2",
    "linkability": f"{FILES} --splits 2",
    "reconstruction": f"{FILES} --secrets a,place",
    "records": f"{FILES} --records ids:3,11 --generator bayesnet --in 20 --out 20 --shadows 5 --again 0 --n-syn 400 "
    "--certificate",
    "attributes": f"{FILES} --model forest:trees=20 --secret place",
    "explanations": f"{FILES} --attacker linear --auxiliary 60 --victims 30 --model-seeds 1 --target place",
    "households": "--real {real} --household place --least 2 --asked 2 --anonymisers stat --attackers distance",
    "contest": "--base {real} --synthetic {fresh} --holdout {holdout} --source people --guesses 60 --anonymisers stat "
    "--attackers distance,dcr-diff",
}
"""A small run of every question."""
METHODS = ("membership", "records", "one-run")
"""Questions about a method."""
Said = Callable[..., dict[str, Any]]


def rows(seed: int, n: int = 400) -> list[str]:
    rng = np.random.default_rng(seed)
    numbers, words = rng.normal(50, 12, (n, 3)), rng.choice(["north", "south", "east"], n)
    return [f"{','.join(f'{value:.1f}' for value in line)},{word}" for line, word in zip(numbers, words, strict=True)]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("files")
    made = {"real": rows(1), "holdout": rows(2), "fresh": rows(3)}
    for name, lines in made.items():
        (folder / f"{name}.csv").write_text("\n".join(["a,b,c,place", *lines]) + "\n", encoding="utf-8")
    return {name: str(folder / f"{name}.csv") for name in made}


def words(question: str, files: dict[str, str], *more: str) -> list[str]:
    return [question, *ASK[question].format(**files).split(), *more]


@pytest.fixture
def printed(files: dict[str, str], played_once: None, capsys: pytest.CaptureFixture[str]) -> Said:
    """The JSON that a small run of a question prints; what is played is the same for all limits and played once."""

    def run(question: str, *more: str) -> dict[str, Any]:
        assert main(words(question, files, *more, "--json")) == 0
        document: dict[str, Any] = json.loads(capsys.readouterr().out)
        return document

    return run


def test_every_question_with_a_limit_has_a_command() -> None:
    assert set(ASK) == set(scales()) == set(scales()) & set(abouts())


@pytest.mark.parametrize(
    ("question", "value", "word", "code"),
    [
        ("membership", 0.99, "within the limit", "within_limit"),
        ("membership", 0.6, "undecided", "interval_holds_limit"),
        ("released", 0.6, "within the limit", "within_limit"),
        ("released", 0.51, "undecided", "interval_holds_limit"),
        ("one-run", 0.5, "undecided", "one_training"),
        ("singling-out", 0.5, "within the limit", "within_limit"),
        ("singling-out", 0.01, "undecided", "interval_holds_limit"),
        ("linkability", 0.3, "within the limit", "within_limit"),
        ("linkability", 0.01, "undecided", "interval_holds_limit"),
        ("reconstruction", 0.3, "within the limit", "within_limit"),
        ("reconstruction", 0.01, "undecided", "interval_holds_limit"),
        ("records", 0.99, "within the limit", "within_limit"),
        ("records", 0.6, "undecided", "interval_holds_limit"),
        ("attributes", 0.2, "within the limit", "within_limit"),
        ("attributes", 0.05, "undecided", "interval_holds_limit"),
        ("explanations", 0.99, "within the limit", "within_limit"),
        ("explanations", 0.05, "above the limit", "above_limit"),
        ("contest", 0.99, "within the limit", "within_limit"),
        ("contest", 0.6, "undecided", "interval_holds_limit"),
    ],
)
def test_the_limit_of_the_command_line_decides(
    printed: Said, question: str, value: float, word: str, code: str
) -> None:
    verdict = printed(question, "--limit", str(value))["verdicts"][0]
    assert (verdict["word"], verdict["code"]) == (word, code)
    assert verdict["limit"] == {"value": value, "source": "set by the user of this report", "date": ""}


@pytest.mark.parametrize("question", ASK)
def test_without_a_limit_a_leak_is_shown_or_nothing_is_decided(printed: Said, question: str) -> None:
    verdict = printed(question)["verdicts"][0]
    assert verdict["limit"] is None
    code = "one_training" if question == "one-run" else "no_limit"
    assert (verdict["word"], verdict["code"]) == (
        ("leak shown", "above_guessing") if question in ("explanations", "records") else ("undecided", code)
    )


@pytest.mark.parametrize(
    ("question", "published"),
    [(name, source) for source in measurement.SOURCES for name, scale in scales().items() if scale == source.scale],
    ids=lambda value: value if isinstance(value, str) else value.key,
)
def test_a_published_limit_is_given_by_its_name(
    printed: Said, question: str, published: measurement.LimitSource
) -> None:
    assert printed(question, "--limit", published.key)["verdicts"][0]["limit"] == published.limit.as_dict()


@pytest.mark.parametrize("question", ASK)
def test_a_limit_that_cannot_be_is_a_sentence_before_anything_is_read(
    question: str, capsys: pytest.CaptureFixture[str]
) -> None:
    scale = measurement.SCALES[scales()[question]]
    elsewhere = [source.key for source in measurement.SOURCES if source.scale != scales()[question]]
    bad = {
        **dict.fromkeys((str(scale.low), str(scale.high), "-1", "11", "nan", "inf"), "must lie between"),
        "much": "it must be a number or one of ema-0.09",
        **dict.fromkeys(elsewhere, f"not for {question}"),
    }
    nowhere = dict.fromkeys(("real", "fresh", "holdout"), "nowhere.csv")
    for value, says in bad.items():
        assert main(words(question, nowhere, f"--limit={value}")) == 2
        caught = capsys.readouterr()
        assert caught.err.startswith("riskkit: ")
        assert says in caught.err, value
        assert "nowhere" not in caught.err
        assert caught.out == ""


@pytest.mark.parametrize(
    ("question", "made_by", "is_own"),
    [
        *((question, None, False) for question in METHODS),
        *((question, "bayesnet", True) for question in METHODS),
        ("membership", "unknown", False),
        ("membership", " bayesnet:degree=1 ", True),
        ("membership", "bayesnet:degree=2", False),
        ("membership", "histogram", False),
    ],
)
def test_a_method_is_about_the_release_only_where_it_made_it(
    printed: Said, question: str, made_by: str | None, *, is_own: bool
) -> None:
    (verdict,) = printed(question, *([] if made_by is None else ["--made-by", made_by]))["verdicts"]
    assert verdict["what_if"] == ("" if is_own else "If it had been made by Bayesian network")


def test_of_several_methods_the_one_that_made_the_release_comes_first(printed: Said) -> None:
    more = ["--generator", "stat", "--generator", "copula", "--made-by", "stat"]
    what_ifs = [verdict["what_if"] for verdict in printed("membership", *more)["verdicts"]]
    assert what_ifs == ["", *(f"If it had been made by {other}" for other in ("Bayesian network", "Gaussian copula"))]


@pytest.mark.parametrize("question", METHODS)
def test_a_game_with_releases_of_another_length_decides_less(printed: Said, question: str) -> None:
    (fewer,) = printed(question, "--made-by", "bayesnet", "--n-syn", "60", "--limit", "0.999")["verdicts"]
    assert (fewer["word"], fewer["code"]) == ("undecided", "fewer_rows")
    assert "have 60 rows and yours has 400" in fewer["why"]
    (elsewhere,) = printed(question, "--n-syn", "60", "--limit", "0.999")["verdicts"]
    word = "undecided" if question == "one-run" else "within the limit"
    assert (elsewhere["word"], elsewhere["code"] == "fewer_rows") == (word, False), (
        "of a method that did not make it the length says nothing"
    )


@pytest.mark.parametrize("question", METHODS)
def test_a_method_that_there_is_not_is_a_sentence_before_anything_is_read(
    question: str, capsys: pytest.CaptureFixture[str]
) -> None:
    nowhere = dict.fromkeys(("real", "fresh", "holdout"), "nowhere.csv")
    for made_by, says in {
        "bayesnett": "no 'bayesnett' in generators",
        "bayesnet:bin=5": "no parameter 'bin'",
    }.items():
        assert main(words(question, nowhere, "--made-by", made_by)) == 2
        caught = capsys.readouterr()
        assert says in caught.err
        assert "nowhere" not in caught.err


@pytest.mark.usefixtures("played_once")
@pytest.mark.parametrize("question", ASK)
def test_give_aways_and_verdicts_stand_first_in_the_json(
    question: str, files: dict[str, str], call: Callable[..., str]
) -> None:
    pairs = json.loads(call(words(question, files, "--json")), object_pairs_hook=list)
    keys = [key for key, _ in pairs]
    assert keys[:4] == ["schema", "verdict", "give_aways", "verdicts"]
    assert keys[4:] == sorted(keys[4:])
    for _, value in pairs[4:]:
        assert _is_sorted(value)


@pytest.mark.parametrize("question", ["released", "attributes", "records"])
def test_people_read_give_aways_before_the_verdict(
    question: str, files: dict[str, str], tmp_path: Path, call: Callable[..., str]
) -> None:
    head, *lines = Path(files["real"]).read_text(encoding="utf-8").splitlines()
    copied = tmp_path / "copied.csv"
    random.Random(5).shuffle(lines)
    copied.write_text("\n".join([head, *lines]), encoding="utf-8")
    first, second, rest = call(words(question, {**files, "fresh": str(copied)})).split("\n\n", 2)
    assert second.startswith("THE FILE EXPOSES PEOPLE. Of the values that one real person alone has, 100 % stand")
    assert first.startswith("THE FILE EXPOSES PEOPLE. 400 rows of the real table stand in the release")
    assert first.endswith("Take copied rows out, or use another method.")
    assert rest.startswith("If it had been made by Bayesian network:\n" if question == "records" else "LEAK SHOWN. ")


def _is_sorted(value: Any) -> bool:
    """Whether the keys of every object in it are sorted; objects are lists of pairs here."""
    if not isinstance(value, list):
        return True
    pairs = [value_inside for value_inside in value if isinstance(value_inside, tuple)]
    keys = [key for key, _ in pairs]
    return keys == sorted(keys) and all(
        _is_sorted(value_inside[1] if isinstance(value_inside, tuple) else value_inside) for value_inside in value
    )


def test_the_words_are_those_of_the_report(printed: Said, files: dict[str, str], tmp_path: Path) -> None:
    """Every question asked by its command, then all of them by one audit with the very plans."""
    value = {"auc": 0.6, "residual": 0.2, "gain": 0.05, "hits": 0.6, "excess": 0.2, "epsilon": 1.0, "score": 0.8}
    lines = ["[release]", 'made_by = "bayesnet"', "[limits]"]
    lines += [f"{question} = {value[scale]}" for question, scale in scales().items()]
    commanded = {}
    for question in ASK:
        made_by = ["--made-by", "bayesnet"] if question in METHODS else []
        commanded[question] = printed(question, "--limit", str(value[scales()[question]]), *made_by)
        settings, known = commanded[question]["settings"], {field.name for field in fields(questions()[question].plan)}
        lines += [f"[{question}]"]
        lines += [f"{name} = {json.dumps(settings[name])}" for name in known if settings.get(name) is not None]
    config, out = tmp_path / "audit.toml", tmp_path / "out"
    config.write_text("\n".join(lines), encoding="utf-8")
    audit = ["audit", "--workers", "1", *FILES.format(**files).split(), "--config", str(config), "--out", str(out)]
    restricted = ["--class", "restricted", "--asked-by", "A. Steward", "--purpose", "a test", "--confirm"]
    assert main([*audit, *restricted]) == 4
    report = json.loads((out / "report.json").read_bytes())
    assert report["give_aways"] == commanded["released"]["give_aways"] != []
    assert {answer["question"] for answer in report["questions"]} - set(commanded) == {"keys"}, "it is not judged"
    for answer in (answer for answer in report["questions"] if answer["question"] in commanded):
        (verdict,) = commanded[answer["question"]]["verdicts"]
        own = answer["what_ifs"][0] if verdict["what_if"] else answer
        assert own["finding"]["what_if"] == verdict["what_if"]
        assert own["finding"]["sentence"] == verdict["sentence"]
        same = ("word", "code", "limit", "why")
        assert {name: own["judgement"][name] for name in same} == {name: verdict[name] for name in same}
    assert {verdict["word"] for document in commanded.values() for verdict in document["verdicts"]} > {
        "within the limit",
        "undecided",
    }
