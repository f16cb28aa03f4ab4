"""What the self-test plants in files: a holdout of real people, columns in another code, a column that nobody reads.

In each a release copies real people, and the files hide it from a question that is asked in good faith. What is checked
is the word: the right files are within a generous limit, the wrong ones never are. People are made up, in files that
were read: everything goes the way a user's files go.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from riskkit.audit.give_aways import give_aways_of
from riskkit.audit.report_facts import build_given
from riskkit.judging.judge import judge
from riskkit.judging.measurement import Limit, Verdict
from riskkit.language import say
from riskkit.questions.released.plan import ReleasedPlan
from riskkit.questions.released.play import run_released
from riskkit.report.build import read
from riskkit.seeds import stream
from riskkit.show.model import Class, Played
from riskkit.table.load import Tables, load
from riskkit.table.read.csv_text import read_csv

SEED = 2026


def people(n: int, *labels: str) -> dict[str, list[str]]:
    """A table of people whose columns hang together: age, height, ward, illness."""
    rng = stream(SEED, "selftest", *labels)
    age = rng.integers(18, 91, n)
    height = np.round(rng.normal(170, 9, n), 1)
    ward = rng.choice(["medical", "surgical", "intensive", "day care"], n, p=[0.5, 0.3, 0.1, 0.1])
    sick = rng.random(n) < np.where(age > 60, 0.6, 0.2)
    illness = np.where(sick, rng.choice(["heart", "lung", "cancer"], n), rng.choice(["injury", "infection"], n))
    columns = {"age": age, "height": height, "ward": ward, "illness": illness}
    return {name: [str(value) for value in values] for name, values in columns.items()}


def load_tables(real: dict[str, list[str]], release: dict[str, list[str]], holdout: dict[str, list[str]]) -> Tables:
    """The three as files that were read: everything goes the way a user's files go."""
    files = {"real.csv": real, "release.csv": release, "holdout.csv": holdout}
    texts = [read_csv(as_csv(columns), name=name) for name, columns in files.items()]
    return load(*texts)


def as_csv(columns: dict[str, list[str]]) -> bytes:
    """The columns as the bytes of a CSV; no cell needs quotes."""
    lines = [",".join(columns), *(",".join(cells) for cells in zip(*columns.values(), strict=True))]
    return "\n".join(lines).encode()


def mix(columns: dict[str, list[str]], other: dict[str, list[str]], share: float, name: str) -> dict[str, list[str]]:
    """The second table with that share of its rows replaced by rows of the first, in an order of its own."""
    n = len(next(iter(columns.values())))
    rng = stream(SEED, "selftest", name)
    copied = rng.permutation(n)[: round(share * n)]
    order = rng.permutation(n)
    rows = [(columns, int(row)) for row in copied] + [(other, row) for row in range(n - len(copied))]
    return {key: [rows[row][0][key][rows[row][1]] for row in order] for key in columns}


Columns = Mapping[str, list[str]]
GENEROUS = Limit(0.99, "self-test")
ROWS = 600
WORDS = {
    "ward": ("medical", "surgical", "intensive", "day care"),
    "illness": ("heart", "lung", "cancer", "injury", "infection"),
}


def _word(tables: Tables) -> str:
    """What pages and reports would say of the released file under a generous limit."""
    plan = ReleasedPlan(attacks=("ept",), seed=SEED)
    played = Played(plan.question, "", "finished", plan.as_dict(), run_released(tables, plan).plain())
    (finding,) = read(played, build_given("", tables, (), give_aways=give_aways_of(tables)), kind=Class.RESTRICTED)
    return str(judge(finding.measured, GENEROUS).verdict)


def _check(right: Tables, wrong: Tables) -> tuple[str, str, bool]:
    words = _word(right), _word(wrong)
    expected = say("right files: {within}; wrong files: not", within=str(Verdict.WITHIN))
    return expected, ", ".join(words), words[0] == Verdict.WITHIN != words[1]


def holdout_of_real_people() -> tuple[str, str, bool]:
    """Half of the holdout are the very people whom the release copies."""
    real, others, holdout = (people(ROWS, name) for name in ("real", "others", "holdout"))
    wrong = mix(real, holdout, 0.5, "holdout of real people")
    return _check(load_tables(real, others, holdout), load_tables(real, mix(real, others, 0.05, "copied"), wrong))


def another_code() -> tuple[str, str, bool]:
    """A whole copy whose words are exchanged among each other, and whose numbers are mirrored."""
    real, others, holdout = (people(ROWS, name) for name in ("real", "others", "holdout"))
    recoded = {name: list(values) for name, values in mix(real, others, 1.0, "another code").items()}
    for name, words in WORDS.items():
        exchanged = dict(zip(words, (*words[1:], words[0]), strict=True))
        recoded[name] = [exchanged[word] for word in recoded[name]]
    recoded["age"] = [str(108 - int(age)) for age in recoded["age"]]
    recoded["height"] = [f"{340 - float(height):.1f}" for height in recoded["height"]]
    return _check(load_tables(real, others, holdout), load_tables(real, recoded, holdout))


def unread_column() -> tuple[str, str, bool]:
    """Other people in every column but one, which holds the names of the real ones, last name first."""
    real, others, holdout = (people(ROWS, name) for name in ("real", "others", "holdout"))
    names = [f"{('Ada', 'Bo')[number % 2]} Ash{number:03}" for number in range(ROWS)]
    turned = [" ".join(reversed(name.split())) for name in names]
    others_names = [f"{name}{name[-1]}x" for name in names]
    beside = {**holdout, "name": others_names}
    return _check(
        load_tables(real, others, holdout), load_tables({**real, "name": names}, {**others, "name": turned}, beside)
    )
