"""Unique tokens in every cell, column and file name: a shareable report and all that it leaves behind hold none."""

import io
import json
import os
import re
import subprocess
import sys
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pypdf
import pytest

ROOT = Path(__file__).resolve().parents[3]
COLUMNS = ("Zqage", "Zqward", "Zqillness", "Zqincome", "Zqtown")
CONFIG = """
[limits]
attributes = 0.1
membership = 0.7
[release]
made_by = "stat"
[released]
attacks = ["dcr"]
[attributes]
secrets = ["Zqillness"]
known = [["Zqage", "Zqward"], "others"]
groups = ["Zqward"]
sweep = true
[membership]
generators = ["stat"]
trainings = 12
generations = 1
n_syn = 60
attacks = ["mvl"]
targets = ["listed:rows=3"]
[records]
generator = "bayesnet"
records = "ids:3,4,5,6,7"
inside = 20
outside = 20
shadows = 20
n_syn = 60
[contest]
anonymisers = ["pram:p=0.7"]
attackers = ["dcr"]
source = "people"
guesses = 20
[explanations]
target = "Zqtown"
attackers = ["linear"]
victims = 20
permutations = 4
model_seeds = 1
"""


def table(rng: np.random.Generator, rows: int) -> list[list[str]]:
    """Every category begins with ``Vx`` and says which column it is of; every number is an odd one."""
    level = rng.integers(4, size=(rows, 3))
    age, income = rng.integers(71_000, 79_000, rows), rng.integers(5_310_000, 5_390_000, rows) / 10
    words = [[f"Vxward{ward}", f"Vxill{ill}", f"Vxtown{town}"] for ward, ill, town in level]
    return [[str(age[index]), *word[:2], f"{income[index]:.1f}", word[2]] for index, word in enumerate(words)]


def files(folder: Path) -> dict[str, Path]:
    """Real, synthetic and holdout files; the synthetic one shares half of its rows with the real one.

    Of fewer rows, half of them copied, no order is told row by row.
    """
    rng = np.random.default_rng(0)
    real, holdout, made = table(rng, 480), table(rng, 360), table(rng, 480)
    out = {}
    for slot, rows in (("real", real), ("synthetic", real[:240] + made[240:]), ("holdout", holdout)):
        out[slot] = folder / f"Fnfile{slot}.csv"
        out[slot].write_text("\n".join([",".join(COLUMNS), *(",".join(row) for row in rows)]) + "\n", encoding="utf-8")
    return out


def tokens(source: Path) -> set[str]:
    """Every name and every category of the file, and its numbers."""
    cells = {cell for line in source.read_text(encoding="utf-8").splitlines() for cell in line.split(",")}
    return {cell for cell in cells if len(cell) > 4} | {"Fnfile"}


def held_in(text: str, real: set[str]) -> list[str]:
    """The tokens in a text; a number counts where it stands by itself, not as some digits of a longer one."""
    numbers = set(re.findall(r"\d+(?:\.\d+)?", text))
    return sorted(token for token in real if (token in numbers if token[0].isdigit() else token in text))


def texts(path: Path) -> list[str]:
    """All text of an output: of a PDF as read and as its streams hold it, of a ZIP that of every file in it."""
    source = path.read_bytes()
    texts = [source.decode("latin-1")]
    if path.suffix == ".pdf":
        reader = pypdf.PdfReader(io.BytesIO(source))
        root: Any = reader.trailer["/Root"]
        texts += [page.extract_text().replace("\u200b", "") for page in reader.pages]
        texts += [str(dict(reader.metadata or {})), str(root["/Metadata"].get_data())]
        texts += [_inflated(part) for part in re.findall(rb"stream\r?\n(.*?)endstream", source, re.DOTALL)]
    if path.suffix == ".zip":
        with zipfile.ZipFile(path) as archive:
            texts += [archive.read(name).decode("latin-1") for name in archive.namelist()]
    return texts


def _inflated(part: bytes) -> str:
    try:
        return zlib.decompress(part).decode("latin-1")
    except zlib.error:
        return ""


def played(folder: Path, *more: str) -> tuple[Path, list[str]]:
    """A whole audit on the command line; the folder of its report and all that it left elsewhere.

    The database in which the run is kept holds names and categories as its result does, and that is where they belong.
    """
    source = folder / "vault"
    source.mkdir()
    paths = files(source)
    (folder / "audit.toml").write_text(CONFIG, encoding="utf-8")
    for name in ("tmp", "home"):
        (folder / name).mkdir()
    env = {
        **os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(folder / "tmp"), "RISKKIT_HOME": str(folder / "home"),
        "HOME": str(folder / "home"),
    }  # fmt: skip
    command = [sys.executable, "-m", "riskkit", "audit", "--config", str(folder / "audit.toml"), "--out"]
    command += [
        str(folder / "out"),
        *(part for slot, path in paths.items() for part in (f"--{slot}", str(path))),
        *more,
    ]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 3, 4), done.stderr
    paths_left = [path for path in folder.glob("[th]*/**/*") if path.is_file() and path.name != "store.db"]
    left = [path.read_bytes().decode("latin-1") for path in paths_left]
    return folder / "out", [done.stdout, done.stderr, *left]


@pytest.fixture(scope="module")
def shareable(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str], set[str]]:
    folder = tmp_path_factory.mktemp("canary")
    out, left = played(folder)
    return out, left, set().union(*(tokens(path) for path in (folder / "vault").iterdir()))


@pytest.mark.slow
def test_every_question_of_the_audit_was_answered(shareable: tuple[Path, list[str], set[str]]) -> None:
    document = json.loads((shareable[0] / "report.json").read_bytes())
    answered = {question["question"] for question in document["questions"] if question["finding"]}
    assert answered == {"membership", "released", "attributes", "contest"}
    assert {question["question"] for question in document["questions"] if question["what_ifs"]} == {
        "explanations",
        "records",
    }


@pytest.mark.slow
def test_the_copied_half_is_a_give_away(shareable: tuple[Path, list[str], set[str]]) -> None:
    """Half of the released rows are rows of the real table, in its order, and hold each number as it stands there."""
    document = json.loads((shareable[0] / "report.json").read_bytes())
    assert (document["overall"]["word"], document["overall"]["code"]) == ("leak shown", "give_away")
    assert {give_away["code"] for give_away in document["give_aways"] if give_away["state"] == "shown"} == {
        "row_order",
        "copies",
        "values",
    }


@pytest.mark.slow
def test_no_output_holds_a_value_a_name_or_a_category(shareable: tuple[Path, list[str], set[str]]) -> None:
    out, _, real = shareable
    assert len(real) > 500
    for path in out.iterdir():
        for text in texts(path):
            held = held_in(text, real)
            assert not held, f"{path.name} holds {len(held)}, such as {held[:3]}"


@pytest.mark.slow
def test_terminal_home_and_temporary_folders_hold_none(shareable: tuple[Path, list[str], set[str]]) -> None:
    _, left, real = shareable
    for text in left:
        assert not held_in(text, real)


@pytest.mark.slow
def test_no_row_number_stands_in_a_shareable_report(shareable: tuple[Path, list[str], set[str]]) -> None:
    text = (shareable[0] / "report.json").read_text(encoding="utf-8")
    assert "rows=3" not in text
    assert '"record": "3"' not in text
    assert re.search(r'"record": "R-[0-9A-F]{8}"', text)


@pytest.mark.slow
def test_the_restricted_report_of_the_same_audit_does_hold_names(tmp_path: Path) -> None:
    """The search above can find: where names may stand, it does find them."""
    answered_for = ("--asked-by", "A. Steward", "--purpose", "a test", "--confirm")
    out, _ = played(tmp_path, "--class", "restricted", *answered_for)
    for path in out.iterdir():
        if path.suffix in (".pdf", ".json", ".zip"):
            assert any("Zqillness" in text for text in texts(path)), path.name
