"""What texts read like where a column names households: every reading belongs to a text, and pages speak it."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from riskkit import language, wording
from riskkit.audit.report_facts import build_findings, read_given
from riskkit.core import Role
from riskkit.jobs.store import Audit, ColumnChoice
from riskkit.language import Readings, again, count, counted, counting, english, kept, say
from riskkit.phrases import counted_phrase
from riskkit.questions.attributes.plan import AttributePlan
from riskkit.questions.membership.plan import MembershipPlan
from riskkit.questions.records.plan import RecordsPlan
from riskkit.questions.released.plan import ReleasedPlan
from riskkit.report.to_html import to_html
from riskkit.report.to_json import to_json
from riskkit.show.model import Class
from tests import texts
from tests.catalogues import VALUE, entries
from tests.pages.marked import everything
from tests.pages.runs import finished
from tests.pages.screens import csv, loaded, opened
from tests.questions.test_people_of_rows import named
from tests.speaking import speak

FILES = {file.parts[-3]: file for file in language.FOLDER.glob(f"*/LC_MESSAGES/{language.HOUSEHOLD}.po")}
PEOPLE = re.compile(r"\b(person|people)\b(?!\s*:\s*(names|0))", re.IGNORECASE)
ANYWAY = (
    "A person", "One of several rows of a person", "People set it", "riskkit counts each row as a person",
    "all of its people", "person: names", "copies people", "One person among other people", "tables of 1,000 people",
    "Are people in the data unique", "columns of the same people", "secret columns of a person",
    "Only facts about people", "as in the SNAKE challenge",
    "of a whole household whether its people are in",
    "\"people\": 0", "\"table\": \"people\"", "people's figures", "with and without the target", "Chow and Liu",
)  # fmt: skip
"""What speaks of people whatever a column names: what a row may stand for, examples, and questions on rows alone."""


def test_every_language_has_readings_of_texts_that_there_are() -> None:
    """No reading of a text that is gone, none that is empty, and the values of its text in each.

    A new language may do without: its texts read as they do of people.
    """
    assert {"en", "ja"} <= set(FILES) <= set(language.languages())
    there = {(text,) if isinstance(text, str) else text for _, text in texts.listing()}
    for file in FILES.values():
        for asked, readings in entries(file):
            assert asked in there, asked
            wanted = set(VALUE.findall(asked[-1]))
            assert all(set(VALUE.findall(form)) in (wanted, wanted - {"n"}) for form in readings), asked
            assert all(readings), asked


def test_english_readings_speak_of_households() -> None:
    assert [readings for _, readings in entries(FILES["en"]) if PEOPLE.search(VALUE.sub("", readings[-1]))] == []


def test_a_text_is_read_by_the_unit_and_by_nothing_once_it_is_over() -> None:
    people = "{n:,} person", "{n:,} people"
    assert (counted(2, *people), say("Limit")) == ("2 people", "Limit")
    with counting("household"):
        assert [counted(n, *people) for n in (1, 2)] == ["1 household", "2 households"]
        assert (wording.plural(3, "person"), say("Limit")) == ("3 households", "Limit")
        with counting("person"):
            assert counted(2, *people) == "2 people"
        assert Readings({"a": kept("People")})["a"] == "Households"
    assert counted(2, *people) == "2 people"
    with counting(""):
        count("household")
        assert counted(2, *people) == "2 households"
    assert counted(2, *people) == "2 people"


def test_phrases_that_were_kept_are_read_by_the_unit_too(monkeypatch: pytest.MonkeyPatch) -> None:
    made = counted_phrase(2, "{n:,} person", "{n:,} people")
    with counting("household"):
        assert (again(made), str(made)) == ("2 households", "2 people")
        speak(monkeypatch, "ja")
        assert (again(made), say("Limit")) == ("2世帯", say("Limit"))
        with english():
            assert again(made) == "2 households"


@pytest.fixture(scope="module")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Audit]:
    with pytest.MonkeyPatch.context() as patch:
        home = tmp_path_factory.mktemp("home")
        home.chmod(0o700)
        patch.setenv("RISKKIT_HOME", str(home))
        made = loaded(
            real=named(csv(120, 0), 0, 3), synthetic=named(csv(90, 0), 2, 3), holdout=named(csv(120, 1), 1, 3)
        )
        made.choose({"who": ColumnChoice(role=Role.HOUSEHOLD)})
        finished(made, ReleasedPlan(attacks=("dcr", "classifier")), run="1" * 32)
        finished(made, AttributePlan(secrets=("job", "score"), model="tree", groups=("ward",)), run="2" * 32)
        records = RecordsPlan(
            "histogram", "ids:3,1,30", inside=10, outside=10, shadows=4, again=0, n_syn=40, certificate=True
        )
        finished(made, records, run="3" * 32)
        own = MembershipPlan(generators=("histogram",), attacks=("neighbour",), trainings=12, generations=1, n_syn=40)
        finished(made, own, run="4" * 32)
        yield made


def people_in(text: str) -> str:
    """What a text says of people that it need not."""
    plain = " ".join(text.replace("\\", "").replace("\u2060", "").replace("*", "").split())
    is_choice = plain == "A person" or plain.startswith('"people": ')  # offered beside households; a key of JSON
    return plain if PEOPLE.search(plain) and not is_choice and not any(phrase in plain for phrase in ANYWAY) else ""


@pytest.mark.second
@pytest.mark.parametrize("page", ["0_audit", "1_data", "2_membership", "3_records", "4_attributes", "7_report"])
def test_a_page_about_households_speaks_of_no_person(homes: Audit, page: str) -> None:
    texts_shown = [text for _, text in everything(opened(homes, f"pages/{page}.py"))]
    assert sorted({bad for text in texts_shown if (bad := people_in(text))}) == []
    assert any("ousehold" in text for text in texts_shown)


@pytest.mark.second
def test_whom_a_column_names_is_chosen_in_words_of_its_own(homes: Audit) -> None:
    """People are offered beside households, and the choice is kept."""
    screen = opened(homes, "pages/0_audit.py")
    (unit,) = (radio for radio in screen.radio if radio.label == "Whom does it name?")
    assert (list(unit.options), unit.value) == (["A person", "A household"], "household")
    unit.set_value("person").run()
    assert (homes.unit, homes.choices["who"].role) == ("person", Role.PERSON)
    homes.choose_unit("who", Role.HOUSEHOLD)


@pytest.mark.second
@pytest.mark.parametrize("kind", list(Class))
def test_a_report_about_households_speaks_of_no_person(homes: Audit, kind: Class) -> None:
    findings = build_findings(read_given(homes), {}, kind=kind, made=datetime(2026, 1, 2, tzinfo=UTC))
    lines = [
        *re.sub(r"<[^>]+>", "\n", to_html(findings).decode()).splitlines(),
        *to_json(findings).decode().splitlines(),
    ]
    assert sorted({bad for text in lines if (bad := people_in(text))}) == []
    assert any("ousehold" in text for text in lines)
