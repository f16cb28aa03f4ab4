"""The steward's own generator: what it is given, what may come back, and what no sentence about it may hold."""

from __future__ import annotations

import json
import os
import pickle
import random
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from riskkit import cli, registry
from riskkit.audit.plan import MembershipPlan
from riskkit.audit.run import run_membership
from riskkit.cli import main
from riskkit.core import MISSING, Column, Kind, Schema, Table
from riskkit.errors import DesignError, InputError, ParameterError, RiskkitError
from riskkit.generators import external
from riskkit.generators._program import filled, words_of
from riskkit.generators.external import External, FittedPython
from riskkit.table.load import read_table
from riskkit.table.write import to_csv
from tests.generators.own_program import CANARY, DIGITS
from tests.tables import mixed, numeric

HERE = Path(__file__).resolve().parent
MODELS = "tests.generators.own_models"


def command(how: str = "bootstrap", python: str = sys.executable) -> str:
    return f"{shlex.quote(python)} {shlex.quote(str(HERE / 'own_program.py'))} {how} {{train}} {{n}} {{seed}} {{out}}"


@pytest.fixture(autouse=True)
def temp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Allowed, with a folder for temporary files that only this test uses."""
    monkeypatch.setenv(external.ALLOWED, "1")
    monkeypatch.delenv(external.OFFERED, raising=False)
    own = tmp_path / "temporary"
    own.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(own))
    return own


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def sampled(generator: External, table: Table, n: int = 50, seed: int = 1) -> Table:
    return generator.fit(table, rng(seed)).sample(n, rng(seed))


def refused(generator: External, table: Table | None = None, n: int = 50) -> str:
    with pytest.raises(RiskkitError) as refusal:
        sampled(generator, mixed(100) if table is None else table, n)
    said = str(refusal.value)
    assert CANARY not in said
    assert DIGITS not in said
    assert CANARY not in repr(refusal.value.__cause__)
    assert str(pickle.loads(pickle.dumps(refusal.value))) == said  # it travels from a worker
    return said


def odd() -> Table:
    """Names and values that a shell, a CSV or a careless program would trip over."""
    levels = ("a,b", 'c"d', "北海道", "x y", "Total", MISSING)
    n = 60
    codes = np.arange(n) % 6
    codes[codes == 4] = 0
    codes[7] = 4  # one Total
    number = np.round(np.linspace(-3, 4, n), 2)
    number[5] = np.nan
    day = 19_000.0 + np.arange(n)
    columns = (
        Column("a b", Kind.CATEGORICAL, levels=levels, has_missing=True),
        numeric('le,ng"th', number, 2),
        Column("年齢", Kind.CATEGORICAL, levels=("01", "02")),
        Column("seen", Kind.DATE, low=19_000.0, high=19_000.0 + n, date_format="%d/%m/%Y"),
    )
    return Table(Schema(columns), np.column_stack([codes, np.arange(n) % 2]), np.column_stack([number, day]))


def inside(release: Table, table: Table) -> bool:
    """Whether every row of the release is a row of the table."""
    return bool(np.isin(release.keys(), table.keys()).all())


FORMS = [
    External(command=command()),
    *(External(python=f"{MODELS}:{name}") for name in ("Bootstrap", "Plain", "factory", "instance", "FixedLikeSdv")),
]


# --- what works -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("generator", FORMS, ids=lambda g: g.python or "command")
@pytest.mark.parametrize("table", [mixed(100), odd()], ids=["mixed", "odd"])
def test_rows_go_out_and_come_back_as_they_were(generator: External, table: Table) -> None:
    release = sampled(generator, table, 80)
    assert len(release) == 80
    assert release.schema == table.schema
    assert inside(release, table)
    assert len(np.unique(release.keys())) > 10


@pytest.mark.parametrize("generator", FORMS, ids=lambda g: g.python or "command")
def test_one_seed_gives_the_same_bytes_and_another_gives_others(generator: External) -> None:
    first, again, other = (to_csv(sampled(generator, mixed(100), seed=seed)) for seed in (1, 1, 2))
    assert first == again
    assert first != other


@pytest.mark.parametrize("generator", FORMS, ids=lambda g: g.python or "command")
def test_releases_of_one_fit_differ(generator: External) -> None:
    fitted, chance = generator.fit(mixed(100), rng()), rng()
    assert to_csv(fitted.sample(50, chance)) != to_csv(fitted.sample(50, chance))


@pytest.mark.slow
def test_torch_is_seeded_and_left_as_it_was() -> None:
    torch = pytest.importorskip("torch")
    generator = External(python=f"{MODELS}:WithTorch")
    torch.manual_seed(7)
    first = to_csv(sampled(generator, mixed(100)))
    after = torch.rand(1).item()
    torch.manual_seed(7)
    assert torch.rand(1).item() == after
    assert to_csv(sampled(generator, mixed(100))) == first


@pytest.mark.parametrize("name", ["Bootstrap", "Plain", "BreaksLater"])
def test_global_states_are_left_as_they_were(name: str) -> None:
    np.random.seed(3)
    random.seed(3)
    before = pickle.dumps((np.random.get_state(), random.getstate()))
    try:
        sampled(External(python=f"{MODELS}:{name}"), mixed(50))
    except DesignError:
        assert name == "BreaksLater"
    assert pickle.dumps((np.random.get_state(), random.getstate())) == before


def test_an_object_is_copied_for_every_training() -> None:
    generator = External(python=f"{MODELS}:instance")
    one, two = generator.fit(mixed(50), rng()), generator.fit(mixed(60), rng())
    assert isinstance(one, FittedPython)
    assert isinstance(two, FittedPython)
    assert one.model is not two.model
    assert (len(one.model.data), len(two.model.data)) == (50, 60)


def test_the_model_is_given_numbers_as_numbers_and_missing_as_nan() -> None:
    fitted = External(python=f"{MODELS}:Bootstrap").fit(odd(), rng())
    assert isinstance(fitted, FittedPython)
    frame = fitted.model.data
    assert list(frame.columns) == ["a b", 'le,ng"th', "年齢", "seen"]
    assert frame['le,ng"th'].dtype == np.float64
    assert int(frame['le,ng"th'].isna().sum()) == 1
    assert frame["年齢"].iloc[0] == "01"
    assert frame["a b"].iloc[0] == "a,b"
    assert int(frame["a b"].isna().sum()) == int((odd().codes[:, 0] == 5).sum())
    whole = External(python=f"{MODELS}:Bootstrap").fit(mixed(30), rng())
    assert isinstance(whole, FittedPython)
    assert whole.model.data["age"].dtype == np.int64


@pytest.mark.parametrize("how", ["turned", "index"])
def test_columns_may_come_in_any_order_and_with_the_numbers_of_the_rows(how: str) -> None:
    assert to_csv(sampled(External(command=command(how)), mixed(100))) == to_csv(
        sampled(External(command=command()), mixed(100))
    )


@pytest.mark.parametrize(("how", "value"), [("beyond", "high"), ("fine", 50.0)])
def test_the_nearest_number_is_taken_where_that_was_chosen(how: str, value: Any) -> None:
    table = mixed(100)
    release = sampled(External(command=command(how), outside="nearest"), table)
    age = table.schema.column("age")
    assert release.numbers[3, 0] == (age.high if value == "high" else value)


def test_a_table_of_one_column_with_gaps_keeps_its_rows() -> None:
    values = np.array([1.0, np.nan, 3.0, np.nan] * 10)
    table = Table(Schema((numeric("x", values),)), np.empty((40, 0)), values[:, None])
    for generator in FORMS[:2]:
        release = sampled(generator, table, 30)
        assert len(release) == 30
        assert inside(release, table)
        assert 0 < np.isnan(release.numbers).sum() < 30


def test_a_last_row_whose_level_is_called_total_is_a_row() -> None:
    release = sampled(External(command=command("last_total")), odd())
    assert len(release) == 50
    assert release.codes[-1, 0] == 4


def test_arguments_are_filled_once_and_never_split() -> None:
    words = words_of("run 'a {train}' --n={n} {out} '{\"k\": 1}' '{seed}{seed}'")
    values = {"train": "/x y/{n}", "n": "5", "seed": "7", "out": "$(rm)"}
    assert filled(words, values) == ["run", "a /x y/{n}", "--n=5", "$(rm)", '{"k": 1}', "77"]


def test_no_shell_reads_the_command(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    refused(External(command=f"{command()} ; touch {mark}"))  # the program gets two arguments too many
    assert not mark.exists()


# --- what goes wrong ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("how", "sentence"),
    [
        ("unknown_level", "What the program wrote, column 'ward', line 5: The value is none of the levels"),
        ("words", "column 'age', line 5: The value is not a number."),
        ("endless_number", "column 'age', line 5: The value is not a number."),
        ("beyond", "column 'age', line 5: The number lies outside the range of the loaded tables."),
        ("fine", "column 'age', line 5: The number has more than the 0 decimals of the column."),
        ("no_value", "column 'age', line 5: A value is missing, in a column that has none missing."),
        ("fewer", "What the program wrote: The file has 49 rows where 50 were asked for."),
        ("more", "What the program wrote: The file has 51 rows where 50 were asked for."),
        ("no_rows", "What the program wrote: The file has names but no data rows."),
        ("without_column", "What the program wrote, column 'age': The file has no such column."),
        ("extra_column", "What the program wrote: Column 5 of the file is not in the training table."),
        ("no_names", "What the program wrote, line 1: "),
        ("ragged", "What the program wrote, line 5: "),
        ("nothing", "What the program wrote: the program ended without writing it."),
        ("folder", "What the program wrote: it is a link or a folder"),
        ("link", "What the program wrote: it is a link or a folder"),
        ("pipe", "What the program wrote: it is a link or a folder"),
        ("picture", "What the program wrote: "),
        ("page", "What the program wrote: "),
        ("latin", "What the program wrote"),
        ("empty", "What the program wrote: "),
        ("fail", "ended with exit status 3. What it printed is not kept"),
        ("crash", "ended with exit status 1. Python named its reason: KeyError. What it printed is not kept"),
        ("killed", "was ended by the signal SIGKILL."),
    ],
)
def test_every_fault_is_a_sentence_without_a_value_and_leaves_no_folder(how: str, sentence: str, temp: Path) -> None:
    said = refused(External(command=command(how)))
    assert sentence in said
    assert said.endswith(".")
    assert list(temp.iterdir()) == []


@pytest.mark.parametrize("nearest", ["unknown_level", "no_value", "words", "fewer"])
def test_taking_the_nearest_number_mends_nothing_else(nearest: str) -> None:
    refused(External(command=command(nearest), outside="nearest"))


def test_a_date_that_is_none_is_refused() -> None:
    said = refused(External(command=command("no_date")), odd())
    assert "What the program wrote, column 'seen', line 5: The value is no date." in said


def test_the_folder_is_private_and_gone_afterwards(temp: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    note = tmp_path / "note"
    monkeypatch.setenv("OWN_FOLDER", str(note))
    sampled(External(command=command()), mixed(50))
    assert Path(note.read_text()).parent == temp
    assert list(temp.iterdir()) == []
    script = "import os,sys; sys.exit(os.stat('.').st_mode & 0o77 or len(os.listdir('.')) - 1 or len(sys.stdin.read()))"
    said = refused(External(command=f"{shlex.quote(sys.executable)} -c {shlex.quote(script)} {{train}} {{n}} {{out}}"))
    assert "without writing it" in said  # so its exit status was 0


def gone(number: int) -> bool:
    """Whether a process has ended; one that nobody has fetched yet counts as ended."""
    end = time.monotonic() + 10
    while time.monotonic() < end:
        try:
            if Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except OSError:
            return True
        time.sleep(0.05)
    return False


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks processes up in /proc")
@pytest.mark.parametrize("waits", ["1", "0"])
def test_no_process_is_left_behind(waits: str, temp: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    note = tmp_path / "note"
    monkeypatch.setenv("OWN_NOTE", str(note))
    monkeypatch.setenv("OWN_WAITS", waits)
    generator = External(command=command("family"), timeout=3 if waits == "1" else 60)
    if waits == "1":
        assert "was stopped because it took longer than 3 seconds" in refused(generator)
    else:
        assert len(sampled(generator, mixed(50))) == 50
    assert gone(int(note.read_text()))
    assert list(temp.iterdir()) == []


def test_endless_talk_ends_at_the_time_limit_in_little_memory(temp: Path) -> None:
    said = refused(External(command=command("chatter"), timeout=1))
    assert "longer than 1 seconds" in said
    assert list(temp.iterdir()) == []


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "write its command"),
        ("no-such-program-anywhere {train} {n} {out}", "'no-such-program-anywhere' cannot be started: no such file"),
        ("/ {train} {n} {out}", "cannot be started: permission denied"),
        ("a\udce9\ud800 {train} {n} {out}", "it has letters that cannot be used"),
    ],
)
def test_a_program_that_cannot_start_is_named(text: str, sentence: str) -> None:
    assert sentence in refused(External(command=text))


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"command": "mine {train} {n}"}, r"command lacks \{out\}; it must name a program and hold"),
        ({"command": "mine"}, r"command lacks \{train\} and \{n\} and \{out\};"),
        ({"command": "mine {train} {n} {outt}"}, r"command lacks \{out\}"),
        ({"command": "mine 'x {train} {n} {out}"}, "it must close every quote"),
        ({"command": "mine {train} {n} {out} \0"}, "NUL"),
        ({"command": "   "}, "it must name a program"),
        ({"python": "sdv"}, r"python is 'sdv'; it must be written as package\.module:Name\."),
        ({"python": "a:b,c:d"}, r"must be written as package\.module:Name"),
        ({"python": "a:b", "command": "mine {train} {n} {out}"}, "one of them"),
        ({"timeout": 0}, "timeout is 0; it must be at least 1"),
        ({"outside": "far"}, "outside is 'far'; it may be 'refuse', 'nearest'"),
    ],
)
def test_settings_that_cannot_work_are_refused_when_they_are_made(given: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ParameterError, match=sentence):
        External(**given)


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("Breaks", "stopped in fit with ValueError. What it said is not shown"),
        ("BreaksLater", "stopped in sample with ValueError. What it said is not shown"),
        ("NeedsMetadata", "stopped in making with TypeError."),
        ("Listed", "returned no DataFrame from sample"),
        ("MakesUp", f"The sample of {MODELS}:MakesUp, column 'ward', line 5: The value is none of the levels"),
        ("Short", "The file has 49 rows where 50 were asked for."),
        ("maker_of_nothing", "makes something without fit and sample"),
        ("number", "is neither a class, nor a function"),
        ("nowhere", "cannot be loaded: AttributeError."),
    ],
)
def test_every_fault_of_an_object_is_a_sentence_without_a_value(name: str, sentence: str) -> None:
    assert sentence in refused(External(python=f"{MODELS}:{name}"))


def test_a_module_that_is_not_there_is_named() -> None:
    assert "no_such_package.x:Y cannot be loaded: ModuleNotFoundError" in refused(
        External(python="no_such_package.x:Y")
    )


# --- allowed or not -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("generator", FORMS[:2], ids=["command", "python"])
def test_it_is_refused_where_riskkit_was_not_started_for_it(
    generator: External, monkeypatch: pytest.MonkeyPatch
) -> None:
    fitted = generator.fit(mixed(50), rng())
    monkeypatch.delenv(external.ALLOWED)
    assert not External.is_offered()
    assert "riskkit was not started for that. Start it with --" in refused(generator)
    assert registry.parse("generators", registry.spell(generator)) == generator  # a stored plan can still be read
    if not generator.python:
        with pytest.raises(ParameterError, match="not started"):
            fitted.sample(10, rng())


def test_an_object_that_was_named_at_the_start_is_allowed_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(external.ALLOWED)
    monkeypatch.setenv(external.OFFERED, "")
    external.offer([f"{MODELS}:Bootstrap"])
    assert External.is_offered()
    (python,) = (setting for setting in registry.settings(External) if setting.name == "python")
    assert python.choices == ("", f"{MODELS}:Bootstrap")
    assert len(sampled(External(python=f"{MODELS}:Bootstrap"), mixed(50))) == 50
    assert "with --external-python" in refused(External(python=f"{MODELS}:Plain"))
    assert "with --allow-external" in refused(External(command=command()))
    with pytest.raises(DesignError, match="cannot be loaded"):
        external.offer([f"{MODELS}:nowhere"])
    with pytest.raises(ParameterError, match="package"):
        external.offer(["nonsense"])


@pytest.mark.parametrize(
    ("words", "allowed", "offered"),
    [
        ([], None, None),
        (["--allow-external"], "1", None),
        (["--external-python", f"{MODELS}:Bootstrap", "--external-python", f"{MODELS}:Plain"], None,
         f"{MODELS}:Bootstrap,{MODELS}:Plain"),
    ],
)  # fmt: skip
def test_the_server_is_started_with_what_was_allowed(
    words: list[str], allowed: str | None, offered: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[dict[str, str]] = []

    def become(*_: object) -> int:
        started.append(dict(os.environ))
        return 0

    for name in (external.ALLOWED, external.OFFERED, "PYTHONPATH", "RISKKIT_OPEN"):
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    monkeypatch.setenv("RISKKIT_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(cli, "sample_audit", lambda store, workers: SimpleNamespace(id="x"))
    monkeypatch.setattr(os, "execv", become)
    assert main(["app", *words]) == 0
    assert (started[0].get(external.ALLOWED), started[0].get(external.OFFERED)) == (allowed, offered)
    assert (str(tmp_path) in started[0].get("PYTHONPATH", "")) is bool(offered)


def test_the_server_does_not_start_with_an_object_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["app", "--external-python", "no_such_package.x:Y"]) == 2
    assert "no_such_package.x:Y cannot be loaded: ModuleNotFoundError" in capsys.readouterr().err


# --- the whole way --------------------------------------------------------------------------------------------------


@pytest.fixture
def real(tmp_path: Path) -> Path:
    file = tmp_path / "the real.csv"
    file.write_bytes(to_csv(mixed(80)))
    return file


@pytest.mark.parametrize(
    "generator",
    [pytest.param(FORMS[0], id="command", marks=pytest.mark.slow), pytest.param(FORMS[1], id="python")],
)
def test_a_game_through_the_command_line_finds_the_leak_and_repeats(
    generator: External, real: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(external.ALLOWED, "0")
    spelled = registry.spell(generator)
    words = ["membership", "--real", str(real), "--generator", spelled, "--attack", "neighbour:own=3"]
    words += ["--trainings", "10", "--generations", "2", "--n-syn", "300", "--seed", "3", "--json"]
    assert main(words) == 2
    assert "riskkit was not started for that" in capsys.readouterr().err
    said = []
    for workers in ("1", "2"):
        assert main([*words, "--allow-external", "--workers", workers]) == 0
        said.append(capsys.readouterr().out)
    assert said[0] == said[1]
    (auc,) = (e for e in json.loads(said[0])["estimates"] if e["name"] == "auc")
    assert auc["generator"] == spelled
    assert auc["value"] > 0.9  # 300 draws of 80 rows hold nearly every one of them
    assert auc["n"] == 10


def test_the_command_of_a_plan_works_when_it_is_pasted(real: Path) -> None:
    told = ["|a,b", 'c"d', "$HOME", "it's", "=:;\\"]
    script = real.parent / "own, program.py"
    script.write_text(
        f"import sys; sys.path.insert(0, {str(HERE.parents[1])!r})\n"
        "from tests.generators.own_program import main\n"
        f"assert sys.argv[5:] == {told!r}, sys.argv\n"
        "main('bootstrap', *sys.argv[1:5])\n",
        encoding="utf-8",
    )
    program = f"{shlex.join([sys.executable, str(script)])} {{train}} {{n}} {{seed}} {{out}} {shlex.join(told)}"
    spelled = registry.spell(External(command=program, timeout=30))
    plan = MembershipPlan(generators=(spelled,), attacks=("neighbour:own=2",), trainings=4, generations=1, n_syn=40)
    assert MembershipPlan.from_dict(json.loads(json.dumps(plan.as_dict()))) == plan
    line = plan.command(str(real)).replace("python -m", f"{shlex.quote(sys.executable)} -m", 1) + " --json"
    env = {name: value for name, value in os.environ.items() if name != external.ALLOWED}
    done = subprocess.run(["/bin/sh", "-c", line], cwd=HERE.parents[1], env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["settings"]["generators"] == [spelled]
    assert found["estimates"] == run_membership(read_table(real), plan).as_dict()["estimates"]


def test_only_a_plan_with_it_has_its_flag() -> None:
    assert "--allow-external" not in MembershipPlan().command("real.csv")
    assert MembershipPlan(generators=("stat", "external")).command("real.csv").count("--allow-external") == 1
    assert "--real 'the real.csv' " in MembershipPlan().command("the real.csv")


def test_problems_of_the_file_keep_their_kind() -> None:
    with pytest.raises(InputError) as refusal:
        sampled(External(command=command("extra_column")), mixed(50))
    assert refusal.value.problem.code == "extra_column"
    assert CANARY not in json.dumps(refusal.value.problem.as_dict())
