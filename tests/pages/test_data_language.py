"""The Data page in Japanese: what was noticed of the files is said in it, with its figures and without a cell."""

import pytest

from riskkit.dashboard.frame import shell
from riskkit.dashboard.pages import data
from tests.pages.screens import csv, drop, loaded, opened, refusals, shown
from tests.speaking import speak


@pytest.fixture(autouse=True)
def japanese(monkeypatch: pytest.MonkeyPatch) -> None:
    speak(monkeypatch, "ja")


def test_what_was_noticed_is_japanese() -> None:
    """Three blank lines are noticed when the file is read and kept with it, two duplicates when the page is opened."""
    head, *rows = csv(120).decode().splitlines()
    real = "\n".join([head, *rows[:9], "", "", "", *rows[9:], *rows[:2]]) + "\n"
    page = shown(opened(loaded(real=real.encode(), synthetic=csv(120, seed=1))))
    assert "real.csv、11行目: レコードの間の空行3行を除きました。" in page
    assert "2行が、ほかの行と完全に重複しています。" in page
    assert "両方の行がその人のものである場合だけです。" in page
    assert "blank lines" not in page
    assert "duplicates" not in page
    assert "Quokka" not in page


def test_no_space_stands_between_two_sentences() -> None:
    assert shell.plain("1人います。 2人ではありません。") == "1人います。2人ではありません。"


def test_kinds_and_roles_have_the_names_that_texts_call_them_by() -> None:
    assert [data.NAMES[name] for name in (*data.KINDS, *data.ROLES)] == [
        *("数値", "カテゴリー", "日付", "識別子", "文章", "定数"),
        *("既知", "秘密", "文章", "識別子", "個人", "世帯", "重み", "除外"),
    ]


@pytest.mark.second
def test_a_refused_file_is_refused_in_japanese() -> None:
    screen = drop(opened(None), "real", csv() + b"1,Quokka,baker\n", "people.csv")
    assert refusals(screen) == [
        "people.csv、122行目：このレコードのフィールドは3個ですが、列名は4個です。行を補ってください。"
    ]
    assert "Quokka" not in shown(screen)
