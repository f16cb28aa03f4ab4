"""``riskkit audit`` and ``riskkit report``: what they write, what they print, and exit codes a pipeline can stop on."""

import json
import os
import stat
from pathlib import Path

import numpy as np
import pytest

from riskkit.audit.output_files import LOG, REPORTS, restricted_log
from riskkit.cli import main
from riskkit.jobs.store import Store
from riskkit.judging.measurement import own
from riskkit.questions.released.plan import ReleasedPlan
from tests.pages.runs import finished
from tests.played import played_once

__all__ = ["played_once"]

MADE = "2026-11-21T09:00:00+00:00"
Capture = pytest.CaptureFixture[str]
CONFIG = '[released]\nattacks = ["dcr", "nn-kde"]\nreference = "aside"\n'
RESTRICTED = (
    *("--class", "restricted", "--asked-by", "A. Steward", "--purpose", "the board of March"),
    "--confirm",
)
WRITTEN = {"report.pdf", "report.html", "report.json", "verdicts.csv", "estimates.csv", "files.csv", "evidence.zip"}


def rows(seed: int, n: int = 400) -> list[str]:
    rng = np.random.default_rng(seed)
    numbers, words = rng.normal(50, 12, (n, 4)), rng.choice(["north", "south", "east"], n)
    return [f"{','.join(f'{value:.2f}' for value in line)},{word}" for line, word in zip(numbers, words, strict=True)]


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Path]:
    monkeypatch.setenv("RISKKIT_HOME", str(tmp_path / "home"))
    out = {}
    for name, lines in (("real", rows(1)), ("holdout", rows(2)), ("fresh", rows(3)), ("copied", rows(1))):
        out[name] = tmp_path / f"{name}.csv"
        out[name].write_text("\n".join(["a,b,c,d,place", *lines]) + "\n", encoding="utf-8")
    out["config"] = tmp_path / "audit.toml"
    out["config"].write_text(CONFIG, encoding="utf-8")
    return out


def audit(files: dict[str, Path], release: str, *more: str, holdout: bool = True) -> int:
    command = ["audit", "--real", str(files["real"]), "--synthetic", str(files[release]), "--made", MADE]
    command += ["--workers", "1", "--config", str(files["config"]), "--out", str(files["config"].parent / "out"), *more]
    return main(command + (["--holdout", str(files["holdout"])] if holdout else []))


@pytest.mark.usefixtures("played_once")
@pytest.mark.parametrize(
    ("release", "more", "code", "word"),
    [
        ("copied", (), 3, "LEAK SHOWN"),
        ("fresh", ("--limit", "released=0.65"), 0, "WITHIN THE LIMIT"),
        ("fresh", (), 4, "UNDECIDED"),
        ("fresh", ("--limit", "released=0.51"), 4, "UNDECIDED"),
    ],
)
def test_the_exit_code_is_the_verdict(files, capsys, release: str, more: tuple[str, ...], code: int, word: str) -> None:
    assert audit(files, release, *more) == code
    assert word in capsys.readouterr().out
    written = {path.name for path in (files["config"].parent / "out").iterdir()}
    assert written >= WRITTEN
    assert all(not name.startswith(".") for name in written)


def test_a_question_that_cannot_be_asked_leaves_the_release_undecided(files, capsys) -> None:
    assert audit(files, "fresh", holdout=False) == 4
    files["config"].write_text(f'{CONFIG}[attributes]\nsecrets = ["nowhere"]\n', encoding="utf-8")
    assert audit(files, "fresh", "--limit", "released=0.65") == 4
    outputs = capsys.readouterr()
    assert "attributes could not be asked" in outputs.err
    outputs = json.loads((files["config"].parent / "out" / "report.json").read_text(encoding="utf-8"))
    judged = next(question["judgement"] for question in outputs["questions"] if question["question"] == "attributes")
    assert "could not be answered" in judged["why"]
    assert "nowhere" not in str(outputs), "why it failed may name a column of the user's"
    assert "Correct what stopped the run" in judged["settle"]


@pytest.mark.parametrize(
    ("config", "sentence"),
    [
        ("[nonsense]\n", "names 'nonsense'"),
        ("[released]\nattack = 3\n", "its settings are"),
        ("released = 3\n", "its settings are"),
        ("not toml", "no TOML"),
        ("[limits]\nreleased = 7\n", "must lie between 0.5"),
        ("[limits]\nreleased = 'ema-0.09'\n", "one for a residual"),
        ("[limits]\nreleased = 'high'\n", "must be a number"),
        ("[limits]\nstudy = 0.5\n", "No limit can be set for 'study'"),
        ('[release]\nmade_by = "bayesnett"\n', "no 'bayesnett' in generators"),
        ('[release]\nmade_by = "bayesnet:bin=5"\n', "no parameter 'bin'"),
        ('[release]\nmade = "bayesnet"\n', "how it was made and how often, and nothing else"),
        ('release = "bayesnet"\n', "how it was made and how often, and nothing else"),
        ('class = "restricted"\n', "only with --asked-by NAME, --purpose TEXT, --confirm"),
        ('class = "secret"\n', "no class of report 'secret'"),
    ],
)
def test_a_configuration_that_cannot_be_used_is_refused_before_any_work(files, capsys, config, sentence) -> None:
    files["config"].write_text(config, encoding="utf-8")
    assert audit(files, "fresh") == 2
    assert sentence in capsys.readouterr().err
    assert not (files["config"].parent / "out").exists()


def test_distances_alone_never_rule_a_leak_out(files, capsys) -> None:
    """A release that moves every real row by one step lies far from all of them, and gives everybody away."""
    files["config"].write_text('[released]\nattacks = ["dcr"]\n', encoding="utf-8")
    assert audit(files, "fresh", "--limit", "released=0.65") == 4
    assert "Add attacks of another kind." in capsys.readouterr().out


@pytest.mark.usefixtures("played_once")
def test_a_limit_carries_its_source_and_date_into_the_report(files) -> None:
    limit = '[limits]\nreleased = { value = 0.65, source = "board", date = "2026-03-03" }\n'
    files["config"].write_text(limit + CONFIG, encoding="utf-8")
    assert audit(files, "fresh") == 0
    report = json.loads((files["config"].parent / "out" / "report.json").read_bytes())
    assert report["limits"]["released"] == {"value": 0.65, "source": "board", "date": "2026-03-03"}


def test_the_report_of_a_kept_audit_is_written_signed_and_checked(files, capsys, tmp_path: Path) -> None:
    kept = Store.default().create("Ward study")
    for slot, name in (("real", "real"), ("synthetic", "copied"), ("holdout", "holdout")):
        kept.load(slot, files[name].read_bytes(), name=f"{name}.csv")
    finished(kept, ReleasedPlan(attacks=("dcr",)))
    key, out = tmp_path / "key", tmp_path / "out"
    key.write_bytes(b"0123456789abcdef")
    for named in ("Ward study", kept.id, kept.id[:8]):
        assert main(["report", named, "--out", str(out), "--sign", str(key), *RESTRICTED]) == 3
    printed = capsys.readouterr().out
    assert "The released file" in printed
    assert "Leak shown" in printed
    pack = out / "evidence.zip"
    assert main(["report", str(pack), "--verify", "--sign", str(key)]) == 0
    pack.write_bytes(pack.read_bytes()[:-40])
    assert main(["report", str(pack), "--verify"]) == 1
    assert main(["report", "no such audit", "--out", str(out)]) == 2
    assert main(["report", kept.id]) == 2
    capsys.readouterr()
    assert main(["report", kept.id, "--out", str(out), "--limit", "membership=0.6"]) == 2
    assert "A limit is set for membership, but this audit did not ask that." in capsys.readouterr().err
    assert {line.partition(" · asked")[2] for line in restricted_log(kept.path / REPORTS)} == {
        " for by A. Steward · for the board of March"
    }
    assert len(restricted_log(kept.path / REPORTS)) == 3
    assert not (out / LOG).exists()
    if os.name == "posix":
        assert {stat.S_IMODE(path.stat().st_mode) for path in out.iterdir()} == {0o600}


@pytest.mark.parametrize("left_out", ["--asked-by", "--purpose", "--confirm"])
def test_a_restricted_report_is_refused_until_somebody_answers_for_it(files, capsys, left_out: str) -> None:
    place = RESTRICTED.index(left_out)
    options = RESTRICTED[:place] + RESTRICTED[place + (1 if left_out == "--confirm" else 2) :]
    out = files["config"].parent / "out"
    assert audit(files, "fresh", *options) == 2
    error = capsys.readouterr().err
    assert [name for name in ("--asked-by", "--purpose", "--confirm") if name in error] == [left_out]
    assert main(["report", "Ward study", "--out", str(out), *options]) == 2
    assert left_out in capsys.readouterr().err, "before the audit is looked for"
    assert main(["report", "Ward study", "--out", str(out), *RESTRICTED[:2], "--purpose", " ", "--confirm"]) == 2
    assert not out.exists()


def test_a_restricted_report_of_a_configuration_has_its_log_beside_it(files) -> None:
    files["config"].write_text(f'class = "restricted"\n{CONFIG}', encoding="utf-8")
    out = files["config"].parent / "out"
    assert audit(files, "copied", *RESTRICTED[2:]) == 3
    (line,) = restricted_log(out)
    paper = json.loads((out / "report.json").read_bytes())
    assert f"report {paper['id'][:12]} · asked for by A. Steward · for the board of March" in line
    assert (paper["class"], paper["asked_by"], paper["purpose"]) == ("restricted", "A. Steward", "the board of March")
    if os.name == "posix":
        assert {stat.S_IMODE(path.stat().st_mode) for path in out.iterdir()} == {0o600}


GAME = """
[limits]
released = 0.65
membership = {limit}
[released]
attacks = ["dcr", "nn-kde"]
reference = "aside"
[membership]
generators = ["{method}"]
targets = ["random"]
attacks = ["mvl"]
k = 1
trainings = 20
generations = 2
n_syn = 400
"""


def game(files: dict[str, Path], method: str, limit: float, made_by: str | None) -> None:
    """Write a configuration that also asks about a method, and perhaps how the release was made."""
    release = "" if made_by is None else f'[release]\nmade_by = "{made_by}"\n'
    files["config"].write_text(release + GAME.format(method=method, limit=limit), encoding="utf-8")


TITLES = {
    "unknown": "",
    "histogram": "Independent columns (histogram)",
    "bayesnet": "Bayesian network",
    "bayesnet:degree=2": "Bayesian network · Parents of a column: 2",
    "identity": "The table itself (calibration)",
}


@pytest.mark.usefixtures("played_once")
@pytest.mark.parametrize(
    ("method", "limit", "toml", "flag", "code", "word"),
    [
        ("histogram", 0.99, None, None, 4, None),
        ("histogram", 0.99, "histogram", None, 4, "undecided"),
        ("histogram", 0.6, "histogram", None, 4, "undecided"),
        ("histogram", 0.6, None, "histogram", 4, "undecided"),
        ("histogram", 0.6, "bayesnet", "histogram", 4, "undecided"),
        ("histogram", 0.6, "histogram", "unknown", 4, None),
        ("bayesnet", 0.6, None, "bayesnet:degree=2", 4, None),
        ("identity", 0.6, "identity", None, 3, "above the limit"),
    ],
)
def test_a_method_counts_only_where_it_made_the_release(
    files: dict[str, Path], method: str, limit: float, toml: str | None, flag: str | None, code: int, word: str | None
) -> None:
    """``--made-by`` takes the place of what the configuration says; ``word`` is None of a what-if.

    The release is of fresh rows, as that method makes none of this table: however low the number, nothing clears it;
    and a limit that was held against a what-if alone was not held against this release.
    """
    game(files, method, limit, toml)
    assert audit(files, "fresh", *(() if flag is None else ("--made-by", flag))) == code
    report = json.loads((files["config"].parent / "out" / "report.json").read_bytes())
    answer = next(question for question in report["questions"] if question["question"] == "membership")
    if word is None:
        assert (answer["state"], answer["judgement"], answer["finding"]) == ("what if", None, None)
        (what_if,) = answer["what_ifs"]
        assert what_if["finding"]["what_if"]
        assert what_if["judgement"]["limit"]["value"] == limit
    else:
        assert answer["what_ifs"] == []
        assert (answer["state"], answer["judgement"]["word"]) == ("finished", word)
    made_by = flag or toml or "unknown"
    assert report["made_by"] == TITLES[made_by]


@pytest.mark.usefixtures("played_once")
def test_a_what_if_is_told_as_one(files: dict[str, Path], capsys: Capture) -> None:
    game(files, "identity", 0.6, None)
    assert audit(files, "fresh") == 4
    printed = capsys.readouterr().out
    what_if = "If it had been made by The table itself (calibration): above the limit"
    assert f"Not about this release. {what_if}" in printed
    assert "UNDECIDED. A limit is set for tests that nobody ran on this release: Membership." in printed


@pytest.mark.usefixtures("played_once")
def test_only_what_ifs_leave_the_release_undecided(files: dict[str, Path], capsys: Capture) -> None:
    game(files, "histogram", 0.99, None)
    text = files["config"].read_text(encoding="utf-8").replace(CONFIG, "").replace("released = 0.65\n", "")
    assert "released]" not in text
    files["config"].write_text(text, encoding="utf-8")
    assert audit(files, "fresh") == 4
    assert "Say how the release was made" in capsys.readouterr().out
    report = json.loads((files["config"].parent / "out" / "report.json").read_bytes())
    assert report["overall"]["code"] == "only_what_ifs"


def test_the_limits_of_a_kept_audit_hold_until_the_command_line_says_otherwise(
    files: dict[str, Path], tmp_path: Path
) -> None:
    kept = Store.default().create("Ward study")
    for slot, name in (("real", "real"), ("synthetic", "fresh"), ("holdout", "holdout")):
        kept.load(slot, files[name].read_bytes(), name=f"{name}.csv")
    finished(kept, ReleasedPlan(attacks=("dcr", "nn-kde"), reference="aside"))
    kept.limit_to({"released": own(0.65, "the board", "2026-03-03")})
    words = ["report", "Ward study", "--out", str(tmp_path / "out")]
    assert main(words) == 0
    report = json.loads((tmp_path / "out" / "report.json").read_bytes())
    assert report["limits"]["released"] == {"value": 0.65, "source": "the board", "date": "2026-03-03"}
    assert main([*words, "--limit", "released=0.51"]) == 4
    assert kept.limits["released"].value == 0.65, "a report changes no audit"
