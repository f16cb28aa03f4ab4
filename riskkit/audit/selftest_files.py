"""What the self-test plants in files: a holdout of real people, columns in another code, a column that nobody reads.

In each a release copies real people, and the files hide it from a question that is asked in good faith. What is checked
is the word: the right files are within a generous limit, the wrong ones never are.
"""

from __future__ import annotations

from collections.abc import Mapping

from riskkit.audit.give_aways import give_aways_of
from riskkit.audit.report_facts import build_given
from riskkit.audit.selftest_tables import SEED, load_tables, mix, people
from riskkit.judging.judge import judge
from riskkit.judging.measurement import Limit, Verdict
from riskkit.language import say
from riskkit.questions.released.plan import ReleasedPlan
from riskkit.questions.released.play import run_released
from riskkit.report.build import read
from riskkit.show.model import Class, Played
from riskkit.table.load import Tables

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
