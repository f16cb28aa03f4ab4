"""The command line: same engine, same numbers, one JSON object, a sentence where something is wrong."""

import json
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from riskkit.cli import main
from riskkit.questions import question
from riskkit.questions.attributes.plan import model_from
from riskkit.questions.attributes.words import TITLES
from riskkit.session.verdicts import SHAPE
from riskkit.show.promise import with_readings
from riskkit.table.load import read_tables

ROOT = Path(__file__).resolve().parents[1]
SAMPLE = ROOT / "sample_data"
REAL, RELEASE, HOLDOUT = (str(SAMPLE / name) for name in ("real.csv", "release_bayesnet.csv", "holdout.csv"))
SMALL = ["--trainings", "12", "--generations", "2", "--n-syn", "100", "--seed", "3"]


def run(*words: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([sys.executable, "-m", "riskkit", *words], cwd=ROOT, capture_output=True, check=False)


def test_check_says_what_is_in_the_files(call: Callable[..., str]) -> None:
    printed = call(["check", REAL, RELEASE, "--holdout", HOLDOUT])
    assert "2,000 rows" in printed
    assert "holdout" in printed
    assert "numeric" in printed


def test_check_as_json(call: Callable[..., str]) -> None:
    document = json.loads(call(["check", REAL, RELEASE, "--json"]))
    assert set(document) >= {"estimates", "settings", "files", "notes"}
    assert [(file["name"], file["rows"]) for file in document["files"]] == [
        ("real.csv", 2000),
        ("release_bayesnet.csv", 2000),
    ]
    assert all(len(file["sha256"]) == 64 and file["columns"] == 12 for file in document["files"])
    kinds = {column["name"]: column["kind"] for column in document["columns"]}
    assert kinds["age"] == "numeric"
    assert kinds["district"] == "categorical"
    assert kinds["admission_date"] == "date"


PLANS: dict[str, tuple[dict[str, Any], set[str]]] = {
    "membership": (
        {"generators": ("histogram",), "attacks": ("mvl",), "trainings": 12, "generations": 2, "n_syn": 100, "seed": 3},
        {"privacy"},
    ),
    "released": ({"attacks": ("dcr", "dcr-diff"), "max_rows": 200}, set()),
    "attributes": (
        {"secrets": ("readmitted",), "model": "tree", "known": ("others", "greedy:1"), "max_rows": 200}, {"readings"}
    ),
    "contest": (
        {
            "anonymisers": ("stat", "pram:p=0.8,law=empirical"), "attackers": ("distance", "dcr-diff"),
            "source": "base", "population": 600, "sample": 100, "guesses": 20, "scale": "standard",
        },
        set(),
    ),
    "explanations": (
        {"target": "readmitted", "model": "linear", "attackers": ("linear",), "auxiliary": (200,), "victims": 30},
        set(),
    ),
}  # fmt: skip
"""A small plan of a question, and what its JSON has beside the result."""


@pytest.mark.parametrize("name", PLANS)
def test_the_json_is_what_python_gives_without_a_row_of_anybody(name: str, call: Callable[..., str]) -> None:
    (settings, beside), files = PLANS[name], [REAL] if name == "contest" else [REAL, RELEASE, HOLDOUT]
    plan = question(name).plan(**settings)
    text = call([*shlex.split(plan.command(*files))[1:], "--json"])
    result = question(name).run(read_tables(*files), plan)
    document, shared = json.loads(text), json.loads(json.dumps(with_readings(result.as_dict()), default=str))
    assert set(document) == {*SHAPE, "give_aways", "verdicts", *shared, *beside}
    assert [key for key in shared if document[key] != shared[key]] == ["notes"], "which have codes there"
    assert not {"scores", "records"} & set(document)
    assert str(ROOT) not in text


def test_membership_as_text_shows_value_interval_and_trainings(call: Callable[..., str]) -> None:
    printed = call(["membership", "--real", REAL, "--generator", "histogram", "--attack", "mvl", *SMALL])
    head, line = printed[printed.index("Attack   ") :].splitlines()[:2]
    assert re.split(r"  +", head) == [
        "Attack",
        "Right answers (chance 0.50)",
        "AUC (chance 0.50)",
        "Advantage (chance 0.00)",
        "ε is at least",
        "Trainings",
    ]
    _, *numbers, bound, trainings = re.split(r"  +", line)
    assert all(re.fullmatch(r"-?\d\.\d\d \[-?\d\.\d\d, \d\.\d\d\]", number) for number in numbers)
    assert bound.startswith("not shown (12 trainings could show up to ")
    assert trainings == "12"
    assert "1 leak planted on purpose" in printed
    again = ["membership", "--real", REAL, "--generator", "histogram", "--attack", "mvl", *SMALL, "--no-control"]
    assert "planted on purpose" not in call(again)


FILES = ["released", "--real", REAL, "--synthetic", RELEASE, "--attacks", "dcr,dcr-diff", "--max-rows", "200"]


def test_released_as_text_says_the_verdict_first_and_counts_records(call: Callable[..., str]) -> None:
    printed = call([*FILES, "--holdout", HOLDOUT])
    assert printed.startswith("UNDECIDED. No attack on the released file is shown to tell members from others")
    assert re.search(r"^Attack +AUC \(chance 0\.50\) .*Records$", printed, re.MULTILINE)
    assert "Trainings" not in printed
    assert "planted" in printed


def test_released_without_a_holdout_says_what_cannot_be_said(call: Callable[..., str]) -> None:
    printed = call(FILES)
    assert "UNDECIDED" in printed
    assert "Load rows of people outside the real table" in printed
    assert "auc" not in printed


ASK = ["attributes", "--real", REAL, "--synthetic", RELEASE, "--secret", "readmitted", "--model", "tree"]


def by_title(measure: tuple[str, str]) -> int:
    """The place of a measure in a table."""
    return list(TITLES).index(measure[0])


def test_attributes_as_json_have_a_reading_of_every_measure(call: Callable[..., str]) -> None:
    command = [*ASK, "--holdout", HOLDOUT, "--known", "others", "--known", "greedy:1", "--max-rows", "200", "--json"]
    document = json.loads(call(command))
    sets = ["all other columns", "the worst 1 (admission_date)"]
    measures = {"accuracy": "tested", "auc": "chance", "balanced_accuracy": "chance", "macro_f1": "tested"}
    assert [(reading["known"], {reading["metric"]: reading["baseline"]}) for reading in document["readings"]] == [
        (known, {metric: over}) for known in sets for metric, over in sorted(measures.items(), key=by_title)
    ]
    assert {reading["risk"] for reading in document["readings"]} <= {None, "high", "low", "open"}
    assert [part["title"] for part in document["verdicts"][0]["parts"]] == [
        f"readmitted from {known}" for known in sets
    ]


def test_attributes_as_text_says_the_verdict_and_the_sentence_first(call: Callable[..., str]) -> None:
    words = [*ASK, "--known", "age,ward", "--max-rows", "200"]
    printed = call([*words, "--holdout", HOLDOUT, "--sweep", "--sweep-model", "tree"])
    assert printed.startswith("UNDECIDED. Knowing age, ward, ")
    assert re.search(r"^age +ward +-?0\.\d\d \[", printed, re.MULTILINE), "the sweep"
    assert re.search(r"^Guessed rightly +most frequent \(or median\) of .* tested +-?0\.", printed, re.MULTILINE)
    assert re.search(r"^AUC +chance +-?0\.\d\d \[", printed, re.MULTILINE)
    assert re.search(r"^DCAP +-?0\.\d\d \[", printed, re.MULTILINE)
    assert "Load rows of people outside the real table" in call(words)


CONTEST = ["contest", "--base", REAL, "--population", "600", "--sample", "100", "--guesses", "20", "--source", "base"]
CONTEST += ["--attackers", "distance,dcr-diff", "--scale", "standard"]


def test_contest_writes_its_bundle_takes_what_is_handed_in_and_says_it_in_words(
    tmp_path: Path, call: Callable[..., str]
) -> None:
    printed = call([*CONTEST, "--anonymisers", "identity", "--bundle", str(tmp_path / "class")])
    assert re.search(r"^The table itself \(calibration\): .* finds 20 \[", printed, re.MULTILINE)
    assert "1 of 1 method not beaten by another" in printed
    release = tmp_path / "class" / "releases" / "01.csv"
    samples = (tmp_path / "class" / "samples.csv").read_text(encoding="utf-8").splitlines()[1:21]
    own = tmp_path / "own.csv"
    own.write_text("\n".join(line.rsplit(",", 1)[1] for line in samples), encoding="utf-8")
    words = [*CONTEST, "--given", "identity", str(release), "--own", "me", "identity", str(own), "--json"]
    hits = {e["attacker"]: e["value"] for e in json.loads(call(words))["estimates"]}
    assert hits["me"] == hits["distance"] == 20


def test_contest_of_the_loaded_release_and_households(tmp_path: Path, call: Callable[..., str]) -> None:
    words = [
        *CONTEST[:3],
        "--source",
        "people",
        "--synthetic",
        RELEASE,
        "--holdout",
        HOLDOUT,
        "--attackers",
        "distance",
    ]
    assert "Your release sits" in call([*words, "--anonymisers", "stat"])
    homes = tmp_path / "homes.csv"
    lines = Path(REAL).read_text(encoding="utf-8").splitlines()
    homes.write_text(
        "\n".join(f"{index // 5 if index else 'home'},{line}" for index, line in enumerate(lines)), encoding="utf-8"
    )
    words = ["households", "--real", str(homes), "--household", "home", "--sample", "900"]
    printed = call([*words, "--anonymisers", "identity", "--attackers", "distance"])
    assert printed.startswith("If it had been made by The table itself (calibration):\nLEAK SHOWN. ")
    assert re.search(r"\nHouseholds recognised rightly and surely +on The table itself .* record +\d", printed)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ([*CONTEST, "--anonymisers", "magic"], "no 'magic' in generators"),
        ([*CONTEST, "--rounds", "2"], "rounds"),
        ([*CONTEST, "--synthetic", RELEASE], "--source people"),
        (["households", "--real", REAL], "--household COLUMN"),
        ([*CONTEST, "--own", "me", "stat", REAL], "too large for a list of so many row numbers"),
        (["membership", "--real", "nowhere.csv"], "nowhere.csv"),
        ([*ASK, "--secret", "nobody"], "no column named 'nobody'"),
        ([*ASK, "--known", "readmitted"], "There is no known column"),
        ([*ASK, "--known", "greedy:x"], "no known set"),
        ([*ASK, "--randomised-secret", "5"], "need a generator"),
        ([*ASK, "--generator", "bayesnet", "--randomised-secret", "3"], "at least 5"),
        ([*ASK, "--no-match", "guess"], "no_match"),
        ([*ASK, "--model", "magic"], "no 'magic' in inference"),
        ([*ASK, "--tolerance", "-1"], "Tolerance is -1.0; it must be at least 0"),
        ([*FILES, "--attacks", "magic"], "no 'magic' in released"),
        (["households", "--real", REAL, "--household", "ward", "--limit", "0.3"], "must lie between 0.5"),
        ([*FILES, "--holdout", REAL], "The holdout is the real table"),
        (["membership", "--real", REAL, "--generator", "magic"], "no 'magic' in generators"),
        (["membership", "--real", REAL, "--attack", "mvl:lam=7"], "at most 1"),
        (["membership", "--real", REAL, "--attack", "mvl:lamb=0.5"], "no parameter 'lamb'"),
        (["membership", "--real", REAL, "--attack", "mvl:lam"], "name:field=value"),
        (["membership", "--real", REAL, "--target", "listed:rows=9999"], "9,999"),
        (["membership", "--real", REAL, "--trainings", "0"], "at least 2"),
        (["check", REAL, str(SAMPLE / "README.md")], "README.md"),
    ],
)
def test_what_cannot_be_done_ends_with_a_sentence_and_code_2(
    words: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    captured = capsys.readouterr()
    assert says in captured.err
    assert captured.err.startswith("riskkit: ")
    assert "Traceback" not in captured.err
    assert captured.out == ""


EXPLAIN = ["explanations", "--real", REAL, "--attacker", "linear", "--auxiliary", "200", "--victims", "30"]


def test_explanations_as_text_says_the_verdict_first(call: Callable[..., str]) -> None:
    printed = call([*EXPLAIN, "--model-seeds", "1", "--defence", "rounding:decimals=1"])
    assert "\nLEAK SHOWN. From 11 Shapley values of Linear regression" in printed
    assert "If a service published explanations of Linear regression" in printed.split("\n", 1)[0], (
        "no release is made by it"
    )
    assert "The most frequent value for everybody" in printed
    assert "Rounding · Decimals: 1" in printed
    assert "\nRecovered\nInput" in printed
    assert "\nMean error\nInput" in printed


def test_explanations_of_the_library_say_so_and_how_far_ours_are(call: Callable[..., str]) -> None:
    printed = call([*EXPLAIN, "--model-seeds", "1", "--explainer", "shap"])
    assert "The values are those of the shap library (LinearExplainer, version " in printed
    assert "On 20 victims they differ from ours, found in closed form, by " in printed


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (["--model-seeds", "3"], "takes at least 5"),
        (["--auxiliary", "50000"], "The attacker is to hold 50,000 rows"),
        (["--model", "magic"], "no 'magic' in explained"),
        (["--defence", "references=0"], "no setting of the service"),
        (["--target", "nobody"], "no column named 'nobody'"),
    ],
)
def test_explanations_that_cannot_be_asked_for_are_sentences(
    more: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*EXPLAIN, *more]) == 2
    assert says in capsys.readouterr().err


def test_the_forest_has_its_short_name() -> None:
    assert (model_from("rf"), model_from("tree:leaf=1")) == ("forest", "tree:leaf=1")


def test_help_lists_what_there_is() -> None:
    printed = run("--help").stdout.decode()
    for command in ("check", "membership", "released", "attributes", "contest", "explanations", "app"):
        assert command in printed
