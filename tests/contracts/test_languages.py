"""What every file of riskkit/locale promises. A new language is held to this without a line being added here."""

import re
from pathlib import Path

import pytest

from riskkit import language
from riskkit.base.catalogue import Catalogue
from tests import texts
from tests.catalogues import VALUE, entries

FILES = {file.parts[-3]: file for file in sorted(language.FOLDER.glob("*/LC_MESSAGES/riskkit.po"))}
EVERY = pytest.mark.parametrize("name", FILES)
SIGNS = ("**", "<br>", "`", ":gray[", "](")
"""Markup of charts and pages: a translation has it as often as its text."""
TRAININGS = 'msgid "{n:,} training"\nmsgid_plural "{n:,} trainings"\n'
HEAD = 'msgid ""\nmsgstr ""\n"Language: de\\n"\n"Plural-Forms: nplurals=2; plural=n != 1;\\n"\n\n'


def faults(file: Path, name: str) -> list[str]:
    """What is wrong with a file of translations, one thing a text."""
    Catalogue(file)
    head = file.read_text(encoding="utf-8-sig").partition("\n\n")[0]
    out = [] if f'"Language: {name}\\n"' in head else ["its head names another language"]
    out += [] if re.search(r"nplurals=\d", head) else ["its head says no number of plural forms"]
    there = {english for english, _ in entries(texts.LIST)}
    for english, translated in entries(file):
        if english not in there:
            out.append(f"riskkit says no such text: {english}")
        elif any(translated) and not all(translated):
            out.append(f"not one form for each number: {english}")
        lost = (text for text in translated if text and differs(english, text))
        out += [f"other values or signs than its text: {text}" for text in lost]
    return out


def differs(english: tuple[str, ...], text: str) -> bool:
    """Whether values or markup are lost, or are others; one thing may be said without its number."""
    named, own = set(VALUE.findall(english[-1])), set(VALUE.findall(text))
    if own != named and not (len(english) > 1 and own == named - {"n"}):
        return True
    return any(text.count(sign) != english[-1].count(sign) for sign in SIGNS)


@EVERY
def test_every_translation_belongs_to_a_text_and_keeps_its_values(name: str) -> None:
    assert faults(FILES[name], name) == []


@pytest.mark.parametrize(
    ("planted", "says"),
    [
        ('msgid "Contest"\nmsgstr "Wettbewerb"\n', ""),
        ('msgid "Contest"\nmsgstr ""\n', ""),
        ('msgid "Contests"\nmsgstr "Wettbewerbe"\n', "riskkit says no such text: ('Contests',)"),
        ('msgid "Contest"\nmsgstr "Wettbewerb {n}"\n', "other values or signs than its text: Wettbewerb {n}"),
        ('msgid "Contest"\nmsgstr "**Wettbewerb**"\n', "other values or signs than its text: **Wettbewerb**"),
        (
            TRAININGS + 'msgstr[0] "ein Training"\nmsgstr[1] "{n} Trainings"\n',
            "",
        ),
        (
            TRAININGS + 'msgstr[0] "{m} Training"\nmsgstr[1] "{n} Trainings"\n',
            "other values or signs than its text: {m} Training",
        ),
        (
            TRAININGS + 'msgstr[0] "{n} Training"\n',
            "not one form for each number: ('{n:,} training', '{n:,} trainings')",
        ),
    ],
)
def test_a_planted_fault_is_seen(tmp_path: Path, planted: str, says: str) -> None:
    file = tmp_path / "riskkit.po"
    file.write_text(HEAD + planted, encoding="utf-8")
    assert faults(file, "de") == ([says] if says else [])


def test_a_head_of_another_language_is_seen(tmp_path: Path) -> None:
    file = tmp_path / "riskkit.po"
    file.write_text(HEAD.replace("nplurals=2; ", ""), encoding="utf-8")
    assert faults(file, "fr") == ["its head names another language", "its head says no number of plural forms"]
