"""The page Audits where several people share the dashboard: who is logged in, sharing, an administrator's list."""

import pytest
from streamlit.testing.v1 import AppTest

from riskkit.dashboard.frame.shell import plain
from riskkit.jobs import people
from riskkit.jobs.people import Account, acting_as
from riskkit.jobs.store import Audit, Store
from tests.pages.screens import csv, loaded, opened

pytestmark = pytest.mark.second

ANN, BOB = Account("a" * 64, "<img src=x onerror=alert(1)> *b* $x$ :smile:"), Account("b" * 64, "bob@example.org")
ROOT = Account("c" * 64, "root@example.org", is_admin=True)
AUDITS = "pages/8_audits.py"
SEEN: list[Account] = []
"""Whose page is drawn: pages are drawn in threads of their own."""


@pytest.fixture(autouse=True)
def _apart(_home: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(people, "_FINDERS", [lambda: SEEN[-1]])
    for person in (ANN, BOB, ROOT):
        people.meet(Store.default().base, person)


@pytest.fixture
def audit() -> Audit:
    with acting_as(ANN):
        return loaded(real=csv())


def screen(person: Account, audit: Audit | None) -> AppTest:
    SEEN.append(person)
    drawn = opened(audit, AUDITS)
    assert not drawn.exception
    return drawn


def texts(drawn: AppTest) -> str:
    return "\n".join(text.value for text in (*drawn.markdown, *drawn.sidebar.markdown))


def test_an_owner_shares_by_name_and_stops(audit: Audit) -> None:
    mine = screen(ANN, audit)
    assert f"Owner: {plain(ANN.name)} · shared with nobody" in texts(mine)
    mine.text_input(key=f"sharing.{audit.id}.name").set_value("nobody@example.org").run()
    mine.button(key=f"sharing.{audit.id}.share").click().run()
    assert any("Nobody of that name has logged in" in error.value for error in mine.error)
    mine.text_input(key=f"sharing.{audit.id}.name").set_value(BOB.name).run()
    mine.button(key=f"sharing.{audit.id}.share").click().run()
    assert audit.guests == [BOB.name]
    theirs = screen(BOB, audit)
    assert "Ward study" in texts(theirs)
    assert f"sharing.{audit.id}.share" not in {button.key for button in theirs.button}
    mine = screen(ANN, audit)
    mine.button(key=f"sharing.{audit.id}.stop.0").click().run()
    assert audit.guests == []
    assert "Ward study" not in texts(screen(BOB, audit))


def test_names_of_people_are_read_letter_by_letter(audit: Audit) -> None:
    for person in (ANN, ROOT):
        said_texts = texts(screen(person, audit))
        assert plain(ANN.name) in said_texts
        assert ANN.name not in said_texts


def test_an_administrator_deletes_without_looking_and_chooses_the_age_and_others_do_not(audit: Audit) -> None:
    for person in (ANN, BOB):
        drawn = screen(person, audit)
        assert "audits.age" not in {menu.key for menu in drawn.selectbox}
        assert "audits.purge" not in {button.key for button in drawn.button}
        assert "An administrator chooses that" in texts(drawn)
        assert f"sharing.delete.{audit.id}" not in {button.key for button in drawn.button}
    root = screen(ROOT, None)
    assert "audits.age" in {menu.key for menu in root.selectbox}
    assert audit.id[:8] in texts(root)
    assert "Ward study" not in texts(root)
    root.button(key=f"sharing.delete.{audit.id}").click().run()
    assert not root.exception
    assert not audit.path.exists()


def test_one_person_alone_sees_nothing_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(people, "_FINDERS", [])
    alone = opened(loaded(real=csv()), AUDITS)
    assert not [button.key for button in alone.button if str(button.key).startswith("sharing")]
    assert "Owner:" not in texts(alone)
