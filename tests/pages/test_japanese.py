"""Japanese is whole: every text is translated, pages and report speak nothing else, and the font has every sign."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from riskkit.report.blocks import visible
from tests import texts
from tests.catalogues import VALUE, entries
from tests.pages import foreign
from tests.pages.test_marks import spoken

JAPANESE = texts.ROOT / "riskkit/locale/ja/LC_MESSAGES/riskkit.po"
CHART = re.compile(r"%\{+.*?\}+|<[^>]*>")
"""What belongs to charts: values they fill in, and tags."""
LETTERS = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]")


PAIRS = {english[0]: (english, japanese) for english, japanese in entries(JAPANESE)}


def test_every_text_is_translated_and_nothing_else() -> None:
    wanted = {english[0] for english, _ in entries(texts.LIST)}
    assert sorted(wanted - set(PAIRS)) == []
    assert sorted(set(PAIRS) - wanted) == []
    assert [english for english, (_, japanese) in PAIRS.items() if not all(japanese)] == []


def test_sentences_are_japanese() -> None:
    """What has four English words and no Japanese letter was copied, not translated; ``k=5,...`` is typed as it is."""
    for english, japanese in PAIRS.values():
        if "=" not in english[0] and len(re.findall(r"\b[a-z]{2,}\b", VALUE.sub("", CHART.sub("", english[0])))) > 3:
            assert LETTERS.search(japanese[0]), japanese[0]


def test_japanese_is_written_as_its_readers_write_it() -> None:
    """Full-width stops at the end of a sentence, no space before a per cent sign, no English quotation marks."""
    for _, japanese in PAIRS.values():
        for text in japanese:
            assert not re.search(r"[\u3040-\u30ff\u4e00-\u9fff]\.(\s|$)", text), text
            assert " %" not in VALUE.sub("x", CHART.sub("x", text)), text
            assert not set("“”‘’") & set(text), text


def test_the_font_of_the_report_has_every_sign() -> None:
    """But for those that stand in the English too: they are on pages alone, or the font lacks them in any language."""
    for english, japanese in PAIRS.values():
        for text in japanese:
            assert "[U+" not in visible("".join(set(text) - set(english[0]))), text


@pytest.mark.second
def test_pages_and_report_speak_japanese_alone(tmp_path: Path) -> None:
    document: dict[str, Any] = json.loads(spoken(tmp_path / "home", "ja", "-m", "tests.pages.marked"))
    assert document["texts"] > 5000
    assert document["strange"] == {}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("最も漏れやすい2列（age、ward）から", []),
        ("the worst 2 (age, ward)から", ["the", "worst"]),
        ("success rate gain", ["success", "rate", "gain"]),
        ("ClopperとPearson（1934）、AUC", []),
    ],
)
def test_english_words_in_a_text_are_seen(text: str, words: list[str]) -> None:
    assert foreign.left(text) == words


@pytest.mark.second
def test_no_english_word_is_left_in_a_report(tmp_path: Path) -> None:
    """Both classes, as HTML and as PDF with its appendix, of every question."""
    document: dict[str, Any] = json.loads(spoken(tmp_path / "home", "ja", "-m", "tests.pages.foreign"))
    assert document["texts"] > 5000
    assert document["strange"] == {}
