"""The steward's own generator: what it is given, what may come back, and what no sentence about it may hold."""

import pickle
import random
import shlex
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from riskkit.core import Schema, Table
from riskkit.errors import DesignError, ParameterError
from riskkit.generators.engines.programs import fill_placeholders, words_of
from riskkit.generators.engines.python_host import frame
from riskkit.generators.engines.python_object import PythonModel
from riskkit.generators.external import External, FittedModel
from riskkit.table.write import to_csv
from tests.generators.own_generator import FORMS, MODELS, command, inside, odd, refused, rng, sampled
from tests.generators.own_program import CANARY
from tests.tables import mixed, numeric

pytestmark = pytest.mark.usefixtures("temp")


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
    generator, table = External(python=f"{MODELS}:instance"), mixed(100)
    halves = table.rows(np.arange(50)), table.rows(np.arange(50, 100))
    fits = [generator.fit(half, rng()) for half in halves]
    releases = [fit.sample(80, rng()) for fit in fits]
    assert [[inside(release, half) for half in halves] for release in releases] == [[True, False], [False, True]]


def frame_of(table: Table) -> pd.DataFrame:
    """What a model is given."""
    fitted = External(python=f"{MODELS}:Bootstrap").fit(table, rng())
    assert isinstance(fitted, FittedModel)
    assert isinstance(fitted.model, PythonModel)
    return frame(fitted.model.csv, fitted.model.kinds)


def test_the_model_is_given_numbers_as_numbers_and_missing_as_nan() -> None:
    table = frame_of(odd())
    assert list(table.columns) == ["a b", 'le,ng"th', "年齢", "seen"]
    assert table['le,ng"th'].dtype == np.float64
    assert int(table['le,ng"th'].isna().sum()) == 1
    assert table["年齢"].iloc[0] == "01"
    assert table["a b"].iloc[0] == "a,b"
    assert int(table["a b"].isna().sum()) == int((odd().codes[:, 0] == 5).sum())
    assert frame_of(mixed(30))["age"].dtype == np.int64


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
    assert fill_placeholders(words, values) == ["run", "a /x y/{n}", "--n=5", "$(rm)", '{"k": 1}', "77"]


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
        ("fail", "ended with exit status 3. It runs in an empty folder"),
        ("crash", "ended with exit status 1. Python named its reason: KeyError. It runs in an empty folder"),
        ("killed", "was ended by the signal SIGKILL."),
    ],
)
def test_every_fault_is_a_sentence_without_a_value_and_leaves_no_folder(how: str, sentence: str, temp: Path) -> None:
    refusal = refused(External(command=command(how)))
    assert sentence in refusal
    assert refusal.endswith(".")
    assert list(temp.iterdir()) == []


def test_a_refusal_names_the_command_and_the_option_that_help() -> None:
    assert "run riskkit generators try 'COMMAND' in a terminal" in refused(External(command=command("crash")))
    assert "generators try --python PACKAGE.MODULE:NAME" in refused(External(python=f"{MODELS}:Breaks"))
    for how in ("beyond", "fine"):
        assert "outside=nearest" in refused(External(command=command(how)))


@pytest.mark.parametrize("nearest", ["unknown_level", "no_value", "words", "fewer"])
def test_taking_the_nearest_number_mends_nothing_else(nearest: str) -> None:
    refused(External(command=command(nearest), outside="nearest"))


def test_a_date_that_is_none_is_refused() -> None:
    refusal = refused(External(command=command("no_date")), odd())
    assert "What the program wrote, column 'seen', line 5: The value is no date." in refusal


def test_the_folder_is_private_and_gone_afterwards(temp: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    note = tmp_path / "note"
    monkeypatch.setenv("OWN_FOLDER", str(note))
    sampled(External(command=command()), mixed(50))
    assert Path(note.read_text()).parent == temp
    assert list(temp.iterdir()) == []
    script = "import os,sys; sys.exit(os.stat('.').st_mode & 0o77 or len(os.listdir('.')) - 1 or len(sys.stdin.read()))"
    refusal = refused(
        External(command=f"{shlex.quote(sys.executable)} -c {shlex.quote(script)} {{train}} {{n}} {{out}}")
    )
    assert "without writing it" in refusal  # so its exit status was 0


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


def test_what_an_object_prints_past_python_is_not_kept(capfd: pytest.CaptureFixture[str]) -> None:
    assert len(sampled(External(python=f"{MODELS}:Loud"), mixed(50))) == 50
    assert CANARY not in "".join(capfd.readouterr())


def test_a_model_whose_process_is_gone_is_fitted_again_to_the_same() -> None:
    fitted = External(python=f"{MODELS}:Bootstrap").fit(mixed(80), rng())
    assert isinstance(fitted, FittedModel)
    before = to_csv(fitted.sample(50, rng(2)))
    assert isinstance(fitted.model, PythonModel)
    process = fitted.model.process
    assert process is not None
    process.running.kill()
    process.running.wait()
    assert to_csv(fitted.sample(50, rng(2))) == before
    assert fitted.model.process is not process


def test_models_that_nobody_holds_any_more_are_forgotten() -> None:
    generator = External(python=f"{MODELS}:Bootstrap")
    fitted = generator.fit(mixed(50), rng())
    assert isinstance(fitted, FittedModel)
    assert isinstance(fitted.model, PythonModel)
    process, number = fitted.model.process, fitted.model.number
    assert process is not None
    del fitted
    assert process.unused == [number]
    generator.fit(mixed(50), rng())
    assert number not in process.unused


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks processes up in /proc")
def test_the_process_of_an_object_ends_with_the_one_it_works_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    note = tmp_path / "note"
    monkeypatch.setenv("OWN_NOTE", str(note))
    asks = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from tests.generators.own_generator import MODELS, External, mixed, sampled\n"
        "sampled(External(python=f'{MODELS}:Sleeps'), mixed(50))"
    )
    with subprocess.Popen([sys.executable, "-c", asks, str(Path(__file__).resolve().parents[2])]) as process:
        while not (note.exists() and note.read_text()):
            assert process.poll() is None
            time.sleep(0.05)
        process.kill()
    assert gone(int(note.read_text()))


def test_endless_talk_ends_at_the_time_limit_in_little_memory(temp: Path) -> None:
    refusal = refused(External(command=command("chatter"), timeout=1))
    assert "longer than 1 seconds" in refusal
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
    ("settings", "sentence"),
    [
        ({"command": "mine {train} {n}"}, r"command lacks \{out\}; it must name a program and hold"),
        ({"command": "mine"}, r"command lacks \{train\} and \{n\} and \{out\};"),
        ({"command": "mine {train} {n} {outt}"}, r"command lacks \{out\}"),
        ({"command": "mine 'x {train} {n} {out}"}, "it must close every quote"),
        ({"command": "mine {train} {n} {out} \0"}, "NUL"),
        ({"command": "   "}, "it must name a program"),
        ({"python": "sdv"}, r"python is 'sdv'; it must be written as package\.module:Name\."),
        ({"python": "a:b,c:d"}, r"must be written as package\.module:Name"),
        ({"python": "a:b", "command": "mine {train} {n} {out}"}, "one of command, python, program and recipe"),
        ({"timeout": 0}, "timeout is 0; it must be at least 1"),
        ({"outside": "far"}, "outside is 'far'; it may be 'refuse', 'nearest'"),
    ],
)
def test_settings_that_cannot_work_are_refused_when_they_are_made(settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ParameterError, match=sentence):
        External(**settings)


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
